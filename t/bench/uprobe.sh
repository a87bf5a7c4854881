#!/bin/sh
# uprobe.sh - what ct-uprobe costs its target: ns for each resume and suspend of a C++ coroutine, not traced, traced, and traced
# by return probes; of a function by its first instruction; of a system call; and the CPU of a server. The least and the median
# of 100 rounds; other work on the machine is in the medians.
. "${0%/*}/../lib/lib.sh"
cost=$O/t/bench/uprobe-cost

# rounds N FILE: wait until N more lines are there, and print these; not those of rounds that may have begun before
rounds() {
	before=$(($(wc -l <"$2") + 2))
	until [ "$(wc -l <"$2")" -ge $((before + $1)) ]; do sleep 0.05; done
	tail -n +$((before + 1)) "$2" | head -n "$1"
}
figures() { sort -n | awk -v what="$1" '{ a[NR] = $1 } END { printf "%-28s least %9.1f ns, median %9.1f ns\n", what, a[1], a[int((NR + 1) / 2)] }'; }

measure() {	# WORDS OPTION...
	what=$1; shift
	rm -f "$scratch/trace"
	ct-uprobe -p $pid "$@" --quiet >"$scratch/trace" &
	tracer=$!
	until grep -qs '"ev":"attach"' "$scratch/trace"; do kill -0 $tracer || exit 1; sleep 0.05; done
	rounds 100 "$scratch/rounds" | figures "$what"
	kill -INT $tracer
	wait $tracer
	tracer=
	sed -n 's/.*"events":\([0-9]*\),"lost":\([0-9]*\).*/  \1 events, \2 lost/p' "$scratch/trace"
}

"$cost" >"$scratch/rounds" & pid=$!
tracer=
trap 'kill $pid $tracer 2>/dev/null; rm -rf "$scratch"' EXIT
echo "on $(uname -rm), $(nproc) cores, $(systemd-detect-virt 2>/dev/null || echo '?') machine"
rounds 100 "$scratch/rounds" | figures 'not traced'
measure 'traced'
measure 'traced, --return-probes' --return-probes
rounds 100 "$scratch/rounds" | figures 'not traced any more'
kill $pid

echo 'the probe of the SDK, one event (t/bench/probe):'
"$O/t/bench/probe" | sed -n 's/^enabled /  /p; s/^disabled /  nobody records: /p'

# run KIND: the program of t/bench/uprobe-kinds.c, in the background
run() {
	"$O/t/bench/uprobe-kinds" "$1" >"$scratch/rounds" & pid=$!
	sleep 0.1
}
echo 'a function called, which a probe reports at its entry; then also where it returns:'
for kind in push nop jump nop5 movzwl movzwl_jump endbr sub; do
	run $kind
	measure "$kind, entry" --wake=first_$kind
	measure "$kind, entry and return" --resume=first_$kind
	kill $pid
done

echo 'a system call (getppid): alone; in a process beside one that is traced; in that one:'
run calls
rounds 100 "$scratch/rounds" | figures 'alone'
traced=$pid
"$cost" >/dev/null & pid=$!
measure 'of another process'
kill $pid
pid=$traced
# Nothing of it is probed but its system calls.
measure 'of the traced one' --wake=first_push
kill $pid

# server [OPTION...]: CPU of the demo's server for 400 clients, in hundredths of a second
server() {
	rm -f "$scratch/port" "$scratch/trace"
	"$O/demo-server" --mended --clients=400 --port-file="$scratch/port" >/dev/null 2>&1 & pid=$!
	until [ -s "$scratch/port" ]; do sleep 0.05; done
	if [ $# -gt 0 ]; then
		ct-uprobe -p $pid "$@" 2>"$scratch/err" >"$scratch/trace" & tracer=$!
		until grep -qs '"ev":"attach"' "$scratch/trace"; do kill -0 $tracer || exit 1; sleep 0.05; done
	fi
	"$O/demo-load" "$(cat "$scratch/port")" 400 0 >/dev/null
	awk '{ print $14 + $15 }' /proc/$pid/stat
	[ $# -eq 0 ] || { wait $tracer; sed -n 's/^ct-uprobe: \(.*own time.*\)/  \1/p' "$scratch/err" >&2; tracer=; }
	wait $pid || :
}
echo "CPU of the demo's server for 400 clients, in hundredths of a second, three pairs, and what ct-uprobe says of itself:"
for i in 1 2 3; do
	plain=$(server)
	echo "  not traced $plain, traced $(server --for=1m)"
done
