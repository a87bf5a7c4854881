# uprobe.sh - sourced by the tests of ct-uprobe: programs that never heard of a probe, and a trace of them. In a case:
#	begin CMD...            run it in the background until it prints "ready"; $pid, its output in `own`; it reads what
#	say WORD                sends to it
#	trace [OPTION...]       ct-uprobe in the background until it has attached; its output in `trace` and `err`
#	finish                  interrupt it, twice as timeout(1) does, and wait for its end
#	wait_for CMD...         until it succeeds
#	probes                  how many bytes of its program's code are not as in the file: probes that are in it
#	asleep                  no thread of it runs
#	unguarded               until nobody is there any more that takes probes out
#	accused VERDICT WORD    the one finding is that, proven, of the coroutine whose address the program printed behind WORD
#	lose_one BUILD          let t/rust's uprobe lose a waker: that is the one finding, and all others end
#	live                    what the trace says lives at its end: ADDRESS FUNCTION LINE a line (- for a line not known)
cat >>"$scratch/.case-lib" <<'EOT'
pid= tracer=
wait_for() {
	for i in $(seq 1200); do
		if "$@" >/dev/null 2>&1; then return 0; fi
		sleep 0.05
	done
	echo "not within a minute: $*" >&2
	return 1
}
begin() {
	rm -f to own
	mkfifo to
	"$@" <to >own 2>own.err &
	pid=$!
	exec 3>to
	wait_for grep -q '^ready' own
}
say() { echo "$1" >&3; }
trace() {
	: >err		# another that ends still may write there, too
	: >trace	# and that one's trace is none of this one's
	ct-uprobe -p $pid "$@" >trace 2>>err &
	tracer=$!
	wait_for eval 'grep -q "\"ev\":\"attach\"" trace || ! kill -0 $tracer'
	grep -q '"ev":"attach"' trace || { cat err >&2; return 1; }
}
finish() { kill -INT $tracer; sleep 0.01; kill -INT $tracer 2>/dev/null || :; status 0 wait $tracer; tracer=; }
quit() { for p in $tracer $pid; do kill -KILL $p 2>/dev/null || :; done; }
trap quit EXIT
probes() {
	set -- $(awk '$2 == "r-xp" { sub("-", " ", $1); print $1, $3, $6; exit }' /proc/$pid/maps)
	pages=$(((0x$2 - 0x$1) / 4096))
	dd if=/proc/$pid/mem bs=4096 skip=$((0x$1 / 4096)) count=$pages of=code.memory 2>/dev/null
	dd if="$4" bs=4096 skip=$((0x$3 / 4096)) count=$pages of=code.file 2>/dev/null
	cmp -l code.memory code.file 2>/dev/null | grep -c ^ || :
}
asleep() { ! cat /proc/$pid/task/*/stat | grep -qv ') S '; }
unguarded() { wait_for eval '! pgrep -x uprobe-guard >/dev/null'; }
accused() {
	status 0 ct-check --strict trace >check
	status 1 ct-lostwake --json trace >findings
	[ $(wc -l <findings) -eq 1 ]
	has '"verdict":"'$1'","certainty":"proven"' findings
	addr=$(sed -n "s/^$2 0x//p" own)
	id=$(jq -r --arg a "$addr" 'select(.addr and (.addr | endswith($a))).probe_id' trace | head -1)
	has "\"probe_id\":$id," findings
}
lose_one() {
	begin $1 4
	trace
	say lose
	wait_for grep -q ^lost own
	wait_for eval '[ $(wc -l <trace) -gt 3000 ]'
	say stop
	wait_for grep -q ended own
	finish
	status 0 ct-check --strict trace >check
	has '"lost":0,"live":1' trace
	status 1 ct-lostwake --json trace >findings
	[ $(wc -l <findings) -eq 1 ]
	has '"verdict":"lost-waker","certainty":"proven"' findings
}
live() {
	jq -rn '
	[inputs] as $all |
	([$all[] | select(.ev == "site") | { key: "\(.site)", value: . }] | from_entries) as $site |
	([$all[] | select(.ev == "destroy") | { key: "\(.probe_id)", value: true }] | from_entries) as $gone |
	[$all[] | select(.ev == "state" and $gone["\(.probe_id)"] == null)] | group_by(.probe_id)[] | last |
	$site["\(.site)"] as $at |
	"\(.addr | ltrimstr("0x") | sub("^0+"; "") | "0x" + .) \($at.func) \($at.line // "-")"' trace | sort
}
EOT
command -v jq >/dev/null || skip_all 'no jq'
# May this kernel, these rights? Of a process without coroutines it says so only when all else is there.
sleep 60 & sleeper=$!
ct-uprobe -p $sleeper >/dev/null 2>"$scratch/.uprobe" || :
kill $sleeper
grep -q 'no C++20 coroutines and no tokio' "$scratch/.uprobe" || skip_all "$(cut -c1-200 "$scratch/.uprobe")"
