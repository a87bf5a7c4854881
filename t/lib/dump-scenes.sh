# dump-scenes.sh - sourced, behind box.sh, by the tests of dumps and of files that cannot grow: what each probe must bear. The program
# is t/targets/box-dump.c, or $DUMP, its like in another language.

test_case 'a dump in a signal handler, while threads are at it: each file is whole' <<'EOT'
CTP_BOX=1,slots=512 ${DUMP:-box-dump} 20 >result
[ "$(cat result)" = 0 ]
[ $(ls dumped.* | wc -l) -eq 20 ]
for file in dumped.*; do
	status 0 ct-record --box $file -o trace 2>err
	sound
	[ $(grep -c '"name":"sleeper"' trace) -ge 47 ]
	hasnt '"dead"' trace
	ct-stuck --json trace >stuck || [ $? -eq 1 ]
	[ $(grep -c '"name":"sleeper"' stuck) -eq 47 ]
	[ $(stat -c %a $file) = 600 ]
done
EOT

test_case 'coroutines that change threads while a box is copied: nothing is missing from what the copy shows' <<'EOT'
CTP_BOX=1,slots=1048576 ${DUMP:-box-dump} 100 hop >result &
pid=$!
for file in 000 001 002 003; do
	wait_for test -s dumped.$file
	status 0 ct-record -q --box -p $pid -o trace.$file
done
wait_for test -s dumped.005
kill -9 $pid
wait $pid || :
for file in 000 001 002 003; do
	has '"on":"\(fd\|sem\):' trace.$file
	status 0 ct-check trace.$file
	status 0 ct-record --box dumped.$file -o trace
	has '"on":"\(fd\|sem\):' trace
	status 0 ct-check trace
done
EOT

test_case 'a dump in the handler of a crash' <<'EOT'
status 139 env CTP_BOX=1 ${DUMP:-box-dump} 0 crash
status 0 ct-record --box crashed -o trace 2>err
sound
[ $(grep -c '"name":"sleeper"' trace) -ge 47 ]
EOT

test_case 'a dump without a box, into a file that cannot be, on a full disk: an error, no file, and no signal' <<'EOT'
${DUMP:-box-dump} 1 >result
[ "$(cat result)" = -2 ]
ct-record -o trace ${DUMP:-box-dump} 1 2>result
[ "$(head -n 1 result)" = -2 ]
mkdir dumped.000
CTP_BOX=1 ${DUMP:-box-dump} 1 >result
[ "$(cat result)" = -21 ]
rmdir dumped.000
CTP_BOX=1 ${DUMP:-box-dump} 1 small >result
[ "$(cat result)" = -27 ]
[ ! -e dumped.000 ]
EOT

test_case 'a dump into what is no file: an error, it is not waited for, and stays where it is' <<'EOT'
mkfifo dumped.000
CTP_BOX=1 timeout 20 ${DUMP:-box-dump} 1 >result
[ "$(cat result)" = -6 ]
rm dumped.000
ln -s /dev/full dumped.000
CTP_BOX=1 timeout 20 ${DUMP:-box-dump} 1 >result
[ "$(cat result)" = -22 ]
[ -h dumped.000 ]
EOT

test_case 'a dump into the box itself, by another name: an error, and the program runs on' <<'EOT'
for box in 1 $PWD; do
	rm -f dumped.000
	ln -s /proc/self/fd/200 dumped.000
	CTP_BOX=$box status 0 timeout 20 ${DUMP:-box-dump} 1 >result
	[ "$(cat result)" = -22 ]
done
EOT

test_case "a box that may not be so large: said, no signal, and the program runs on" <<'EOT'
(ulimit -f 64; CTP_BOX=1 ${DUMP:-box-dump} 1 >result 2>err)
has '^[a-z]*: cannot attach: .*File too large' err
[ "$(cat result)" = -2 ]
(ulimit -f 64; CTP_BOX=$PWD ${DUMP:-box-dump} 1 >result 2>err)
has '^[a-z]*: cannot attach: .*File too large' err
[ "$(cat result)" = -2 ]
[ -z "$(ls corotrace-box.* 2>/dev/null)" ]
EOT

test_case 'asked for a box, a program that cannot make one says so; so does who asked, and goes' <<'EOT'
(ulimit -f 64; exec ${SPIN:-box-spin} 1 1000 3 >/dev/null 2>spin.err) &
wait_for test -s pid
pid=$(cat pid)
for again in 1 2; do
	status 125 timeout 60 ct-record -p $pid -o trace 2>err
	has "process $pid has made no box" err
done
touch stop
wait
[ $(grep -c '^[a-z]*: cannot attach: .*File too large' spin.err) -eq 2 ]
EOT

full=$scratch/full-disk.so
if [ -z "$SAN" ] && ${CC:-cc} -shared -fPIC -O1 -o "$full" "$SRC/t/fault/full-disk.c" 2>/dev/null; then
	test_case 'a box whose disk has no room left: it is asked for some now and then, not at each event' <<'EOT'
spin LD_PRELOAD=../full-disk.so CTP_BOX=$PWD -- 2 100 3 live
sleep 1
ct-record --box -p $pid -o box 2>err
stop_spin
has 'found no station\|found no ring' err
[ $(cat refused) -ge 2 ]; [ $(cat refused) -lt 50 ]
EOT
else
	skip_case 'a box whose disk has no room left' 'nothing can be preloaded here'
fi

interrupted=$scratch/interrupted.so
if [ -z "$SAN" ] && ${CC:-cc} -shared -fPIC -O1 -o "$interrupted" "$SRC/t/fault/interrupted.c" 2>/dev/null; then
	test_case 'a box whose file gets no block at the first time, for signals: it is asked again, and nothing is missing' <<'EOT'
spin LD_PRELOAD=../interrupted.so CTP_BOX=$PWD -- 2 100 3 live
sleep 0.3
status 0 ct-record --box -p $pid -o box 2>err
stop_spin
hasnt 'found no station\|found no ring\|cannot attach' err
has '"ev":"suspend"' box
EOT
else
	skip_case 'a box whose file gets no block at the first time' 'nothing can be preloaded here'
fi

if mkdir "$scratch/small" && unshare -m mount -t tmpfs -o size=1m none "$scratch/small" 2>/dev/null; then
	test_case 'a box on a disk that is full: what finds no room is counted, and the program runs to its end' <<'EOT'
mkdir small
cat >run <<'END'
mount -t tmpfs -o size=3m none small || exit 77
CTP_BOX=$PWD/small,slots=4096 ${SPIN:-box-spin} 6 100 3 >emitted 2>spin.err &
until [ -s pid ]; do sleep 0.05; done
sleep 0.5
ct-record --box -p $(cat pid) -o box 2>err || cp spin.err err
touch stop
wait $! || exit 1
END
status 0 timeout 100 unshare -m sh run
has '^emitted [1-9]' emitted
has 'found no ring\|cannot attach' err
EOT
else
	skip_case 'a box on a disk that is full' 'no right to mount'
fi
