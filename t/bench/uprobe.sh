#!/bin/sh
# uprobe.sh - what ct-uprobe costs its target: ns for each resume and suspend of a C++ coroutine, not traced, traced, and traced
# by return probes; the least and the median of 100 rounds.
. "${0%/*}/../lib/lib.sh"
cost=$O/t/bench/uprobe-cost

# rounds N FILE: wait until N more lines are there, and print these
rounds() {
	before=$(wc -l <"$2")
	until [ "$(wc -l <"$2")" -ge $((before + $1)) ]; do sleep 0.05; done
	tail -n +$((before + 1)) "$2" | head -n "$1"
}
figures() { sort -n | awk -v what="$1" '{ a[NR] = $1 } END { printf "%-28s least %9.1f ns, median %9.1f ns\n", what, a[1], a[int((NR + 1) / 2)] }'; }

measure() {	# WORDS OPTION...
	what=$1; shift
	ct-uprobe -p $pid "$@" --quiet >"$scratch/trace" &
	tracer=$!
	until grep -q '"ev":"attach"' "$scratch/trace"; do kill -0 $tracer || exit 1; sleep 0.05; done
	rounds 100 "$scratch/rounds" | figures "$what"
	kill -INT $tracer
	wait $tracer
	sed -n 's/.*"events":\([0-9]*\),"lost":\([0-9]*\).*/  \1 events, \2 lost/p' "$scratch/trace"
}

"$cost" >"$scratch/rounds" & pid=$!
trap 'kill $pid; rm -rf "$scratch"' EXIT
echo "on $(uname -rm), $(nproc) cores, $(systemd-detect-virt 2>/dev/null || echo '?') machine"
rounds 100 "$scratch/rounds" | figures 'not traced'
measure 'traced'
measure 'traced, --return-probes' --return-probes
rounds 100 "$scratch/rounds" | figures 'not traced any more'
