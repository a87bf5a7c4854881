#!/bin/sh
# Boxes that outlive their program: written by itself, killed after a hang, a disk that is full.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/box.sh"

test_case 'hung, and then killed: the file of its box names the 47 and the close, suspected' <<'EOT'
CTP_BOX=$PWD demo-server --clients=60 --port-file=port >server.out 2>&1 &
pid=$!
wait_for test -s port
status 0 demo-load $(cat port) >/dev/null
at_rest() { ct-record -q --box -p $pid -o box && [ $(ct-lostwake --json box | grep -c closed-resource) -eq 47 ]; }
wait_for at_rest
kill -9 $pid
wait $pid || :
status 0 ct-record --box corotrace-box.$pid.* -o trace 2>err
has '"snapshot":true,"dead":true}$' trace
close=$(grep -n 'ct_close(ct_fd(fd))' $SRC/t/demo/sched.hpp | cut -d: -f1)
status 1 ct-lostwake --json trace >found
[ $(grep -c '"verdict":"closed-resource","certainty":"suspected"' found) -eq 47 ]
[ $(grep -c "\"func\":\"close\",\"file\":\"[^\"]*sched.hpp\",\"line\":$close[,}]" found) -eq 47 ]
status 1 ct-lostwake --color=never trace >text
has 'nobody knows how long the program lived after that' text
# a worker that was not asleep may have been about to wake them
awk '/"ev":"park"/ { last = NR } { line[NR] = $0 } END { for (i = 1; i <= NR; i++) if (i != last) print line[i] }' trace |
	sed 's/,"lines":.*}}/}/; s/"ev":"end","ts":[0-9]*,"events":[0-9]*/&/' >awake
ct-lostwake --json awake >found || :
hasnt '"verdict":"closed-resource"' found
EOT

test_case 'the same in a core' <<'EOT'
case $(cat /proc/sys/kernel/core_pattern) in '|'*) exit 0;; esac
ulimit -c unlimited
CTP_BOX=1 demo-server --clients=60 --port-file=port >server.out 2>&1 &
pid=$!
wait_for test -s port
status 0 demo-load $(cat port) >/dev/null
at_rest() { ct-record -q --box -p $pid -o box && [ $(ct-lostwake --json box | grep -c closed-resource) -eq 47 ]; }
wait_for at_rest
kill -ABRT $pid
wait $pid || :
core=$(ls -t core* 2>/dev/null | head -n 1)
[ -n "$core" ] || exit 0
status 0 ct-record --box $core -o trace 2>err
status 1 ct-lostwake --json trace >found
[ $(grep -c '"verdict":"closed-resource","certainty":"suspected"' found) -eq 47 ]
EOT

. "${0%/*}/../lib/dump-scenes.sh"

if unshare -m mount -t tmpfs none "$scratch/small" 2>/dev/null; then
	test_case 'reports of a watched program on a disk that is full: said, and its status is passed on' <<'EOT'
mkdir small
cat >run <<'END'
mount -t tmpfs -o size=64k none small || exit 77
ct-record --last=10s --on=exit -o small -- sh -c 'box-dump 0 >/dev/null; exit 3' 2>err
got=$?
ls small >left
exit $got
END
status 3 unshare -m sh run
has 'cannot write the trace: No space left' err
[ ! -s left ]
EOT
else
	skip_case 'reports of a watched program on a disk that is full' 'no right to mount'
fi

done_testing
