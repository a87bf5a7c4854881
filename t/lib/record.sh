# record.sh - sourced, behind lib.sh, by the recorder's tests. In a case: trace OPTIONS -- TARGET records into the
# file `trace` with its messages in `err`; counted [SLACK] counts it against the file `count` that the targets keep.

unset CTP_SHM_PATH CTP_SOCK_PATH CTP_MAX_STATIONS XDG_RUNTIME_DIR
# Of t/unit some have names of the system's: cut, find, link.
PATH=$O/t/targets:$PATH:$O/t/unit
cat >>"$scratch/.case-lib" <<'EOT'
ct_record() { timeout -s KILL 300 ct-record "$@"; }
trace() { ct_record -o trace "$@" 2>err || (failed=$?; cat err >&2; exit $failed); }
# Order within each coroutine, the end line's counts, all that was emitted; sets events, lost, emitted.
counted() {
	record-count trace count "$@" >sum || { cat sum err >&2; return 1; }
	read -r _ events _ lost _ emitted <sum
}
ran_to() { record-count /dev/null count 2>/dev/null | grep -q "emitted $1\$"; }	# so many were emitted
# To be preloaded: storm.so; and sh late COMMAND...: it begins while the recorder stands still.
stormy() {
	${CC:-cc} -O1 -shared -fPIC -o storm.so "$SRC/t/lib/storm.c"
	echo 'kill -STOP $PPID; (sleep 0.2; kill -CONT $PPID) & exec "$@"' >late
}
# ct-check finds nothing but what was lost, and where.
only_losses() {
	status ${1:-1} ct-check --json trace >checked
	hasnt '"check":"\(bad\|number\|time\|state\|end\)"' checked
}
# wait_for COMMAND...: until it succeeds, two minutes at most
wait_for() {
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 1200 ] || { echo "never came true: $*" >&2; return 1; }
		sleep 0.1
	done
}
EOT
