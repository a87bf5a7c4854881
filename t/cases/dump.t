#!/bin/sh
# Boxes that outlive their program: written by itself, killed after a hang, a disk that is full.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/box.sh"

test_case 'ct_dump() in a signal handler, while threads are at it: each file is whole' <<'EOT'
CTP_BOX=1,slots=512 box-dump 20 >result
[ "$(cat result)" = 0 ]
[ $(ls dumped.* | wc -l) -eq 20 ]
for file in dumped.*; do
	status 0 ct-record --box $file -o trace 2>err
	sound
	[ $(grep -c '"name":"sleeper"' trace) -ge 47 ]
	hasnt '"dead"' trace
	status 1 ct-stuck --json trace >stuck || [ $? -eq 3 ]
	[ $(grep -c '"name":"sleeper"' stuck) -eq 47 ]
	[ $(stat -c %a $file) = 600 ]
done
EOT

test_case 'ct_dump() in the handler of a crash' <<'EOT'
status 139 env CTP_BOX=1 box-dump 0 crash
status 0 ct-record --box crashed -o trace 2>err
sound
[ $(grep -c '"name":"sleeper"' trace) -ge 47 ]
EOT

test_case 'ct_dump() without a box, into a file that cannot be, on a full disk: an error, no file, and no signal' <<'EOT'
box-dump 1 >result
[ "$(cat result)" = -2 ]
ct-record -o trace box-dump 1 2>result
[ "$(head -n 1 result)" = -2 ]
mkdir dumped.000
CTP_BOX=1 box-dump 1 >result
[ "$(cat result)" = -21 ]
rmdir dumped.000
CTP_BOX=1 box-dump 1 small >result
[ "$(cat result)" = -27 ]
[ ! -e dumped.000 ]
EOT

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

test_case "a box that may not be so large: said, no signal, and the program runs on" <<'EOT'
(ulimit -f 64; CTP_BOX=1 box-dump 1 >result 2>err)
has '^ct: cannot attach: .*File too large' err
[ "$(cat result)" = -2 ]
(ulimit -f 64; CTP_BOX=$PWD box-dump 1 >result 2>err)
has '^ct: cannot attach: .*File too large' err
[ "$(cat result)" = -2 ]
[ -z "$(ls corotrace-box.* 2>/dev/null)" ]
EOT

if mkdir "$scratch/small" && unshare -m mount -t tmpfs -o size=1m none "$scratch/small" 2>/dev/null; then
	test_case 'a box on a disk that is full: what finds no room is counted, and the program runs to its end' <<'EOT'
mkdir small
cat >run <<'END'
mount -t tmpfs -o size=3m none small || exit 77
CTP_BOX=$PWD/small,slots=4096 box-spin 6 100 3 >emitted 2>spin.err &
until [ -s pid ]; do sleep 0.05; done
sleep 0.5
ct-record --box -p $(cat pid) -o box 2>err || cp spin.err err
touch stop
wait $! || exit 1
END
status 0 unshare -m sh run
has '^emitted [1-9]' emitted
has 'found no ring\|cannot attach' err
EOT
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
	skip_case 'a box on a disk that is full' 'no right to mount'
fi

done_testing
