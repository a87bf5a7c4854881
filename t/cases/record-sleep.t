#!/bin/sh
# The machine sleeps: trace time stands, as CLOCK_MONOTONIC does, and goes on at its speed; the trace says so.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

[ -z "$SAN" ] || skip_all 'a preloaded library and sanitizers'
ct-record -q -o "$scratch/meta" -- true
grep -q '"clock":"tsc"' "$scratch/meta" || skip_all 'the clock of this machine is CLOCK_MONOTONIC itself'
${CC:-cc} -shared -fPIC -o "$scratch/asleep.so" "$SRC/t/lib/asleep.c" -ldl 2>/dev/null || skip_all 'no shared library can be built'

test_case 'seven seconds of sleep: no time falls, none is ahead, and the coroutines'"'"' waits are not longer for it' <<'EOT'
printf '\0\0\0\0\0\0\0\0' >behind
ASLEEP=$PWD/behind LD_PRELOAD=$PWD/../asleep.so ct-record --on-full=block -o trace -- rec-load count pulse 2 3000 2>err & recorder=$!
wait_for grep -q resume trace
target=$(sed -n 's/.*"ev":"process".*"pid":\([0-9]*\),.*/\1/p' trace | head -1)
kill -STOP $target $recorder
sleep 7
printf '\0\047\271\240\001\0\0\0' | dd of=behind conv=notrunc status=none	# 6,991,456,000 of them as one number
kill -CONT $recorder $target
status 0 wait $recorder
counted
[ $lost = 0 ]
status 0 ct-check trace >/dev/null
[ "$(grep -c '"ev":"sync".*"slept":' trace)" = 1 ]
slept=$(sed -n 's/.*"slept":\([0-9]*\).*/\1/p' trace)
[ $slept -gt 6000000000 ] && [ $slept -lt 9000000000 ]
# the whole run in trace time: what the program did awake, in all less than the sleep beside it
grep '"ev":"\(resume\|suspend\)"' trace | sed 's/.*"ts":\([0-9]*\).*/\1/' | awk '
	NR > 1 && $1 - last > most { most = $1 - last } { last = $1 } END { exit !(NR > 10000 && most < 5e9) }'
EOT

done_testing
