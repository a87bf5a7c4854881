# snap.sh - sourced behind lib.sh: programs that wait, for ct-snap to look at. In a case:
#	start PROGRAM ARG...    run it until it has printed `ready` into ./own; $pid
#	stop                    end it
#	frames TRACE            a line for each coroutine without a doubt: address, function, line, what it waits on (an
#	                        address for a coroutine) or -
cat >>"$scratch/.case-lib" <<'EOT'
pid=
start() {
	rm -f own
	"$@" >own 2>own.err </dev/null &
	pid=$!
	for i in $(seq 2400); do
		if grep -qs '^ready' own; then return 0; fi
		kill -0 $pid || { cat own own.err >&2; return 1; }
		sleep 0.05
	done
	echo "not ready within two minutes: $*" >&2
	return 1
}
stop() { [ -z "$pid" ] || { kill -KILL $pid 2>/dev/null || :; wait $pid 2>/dev/null || :; pid=; }; }
trap stop EXIT
frames() {
	jq -rn '
	def short: ltrimstr("0x") | sub("^0+"; "") | "0x" + .;
	[inputs] as $all |
	([$all[] | select(.ev == "site") | { key: "\(.site)", value: . }] | from_entries) as $site |
	([$all[] | select(.ev == "state") | { key: "\(.probe_id)", value: (.addr | short) }] | from_entries) as $addr |
	$all[] | select(.ev == "state" and .doubt == null) | $site["\(.site)"] as $at |
	"\(.addr | short) \($at.func | sub("<.*"; "")) \($at.line // "-") \(
		if .on == null then "-" elif .on | startswith("coro:") then $addr[.on[5:]] // "-"
		elif .on | startswith("fd:") then .on[3:] else .on end)"' "$1"
}
EOT
# May processes be read here at all?
sleep 60 & reader=$!
ct-snap -p $reader >/dev/null 2>"$scratch/.snap" || :
kill $reader
! grep -q 'not permitted' "$scratch/.snap" || skip_all 'ptrace is not permitted here'
command -v jq >/dev/null || skip_all 'no jq'
