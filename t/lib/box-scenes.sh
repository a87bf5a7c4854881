# box-scenes.sh - sourced, behind box.sh, by the tests of boxes: what the box of every probe must bear. The program is
# t/targets/box-spin.c, or $SPIN, its like in another language.

test_case 'every record of the span is printed or counted, and none twice' <<'EOT'
spin CTP_BOX=$PWD,slots=4096 -- 3 300 5
status 0 timeout 40 ct-record -p $pid -o trace 2>err &
recorder=$!
wait_for grep -q '"ev":"attach"' trace
stop_spin
status 0 wait $recorder
sound
# Where a busy machine let a ring run full, records in it say how many it dropped; what it dropped last the recorder finds itself.
set -- $(heads corotrace-box.$pid.*) $(shown trace) $(dropped trace)
[ $2 -eq $5 ]
[ $1 -ge $3 ]
[ $1 -le $(($3 + $4)) ]
has '"ev":"exit","ts":[0-9]*,"pid":'$pid',"alive":[0-9]*}$' trace
EOT

test_case 'two at once are refused in words; the program and its box go on when one leaves' <<'EOT'
spin CTP_BOX=1 -- 1 1000 3
ct-record -p $pid -o first 2>err1 &
recorder=$!
wait_for grep -q '"ev":"attach"' first
status 125 ct-record -p $pid -o trace 2>err
has "process $pid is being recorded already, by process $recorder\$" err
status 0 ct-record --box -p $pid -o box
sound box
kill -TERM $recorder
status 0 wait $recorder
sound first
attach_for 1
sound
stop_spin
EOT

kills=15
[ -z "$CHECK_ALL" ] || kills=200
test_case "the recorder killed $kills times at any moment: the program unharmed, the next one works" <<EOT
spin CTP_BOX=\$PWD,slots=1024 -- 3 200 10
i=0
while [ \$i -lt $kills ]; do
	ct-record -q -p \$pid -o trace 2>err &
	recorder=\$!
	sleep 0.\$(printf %03d \$((\$(od -An -N1 -tu1 /dev/urandom) * (i % 3) / 2)))
	kill -9 \$recorder
	wait \$recorder || :
	i=\$((i + 1))
done
attach_for 1
sound
status 0 ct-record --box -p \$pid -o box
sound box
stop_spin
EOT

test_case 'the program killed at any moment: its file holds the last events, and each live coroutine' <<'EOT'
i=0
while [ $i -lt 12 ]; do
	rm -f corotrace-box.*
	spin CTP_BOX=$PWD,slots=256 -- 2 50 10
	sleep 0.0$(($(od -An -N1 -tu1 /dev/urandom) % 90 + 10))
	kill -9 $pid
	wait $spinner || :
	status 0 ct-record --box corotrace-box.$pid.* -o trace 2>err
	sound
	[ $(grep -c '"name":"sleeper"' trace) -ge 10 ]
	set -- $(heads corotrace-box.$pid.*)
	[ $1 -eq $(shown trace) ]
	i=$((i + 1))
done
EOT

test_case 'threads that end, more threads than rings, coroutines that come and go' <<'EOT'
spin CTP_BOX=$PWD,threads=3,slots=64 -- 2 50 3 churn
sleep 0.5
status 0 ct-record --box -p $pid -o box 2>err
sound box
hasnt 'found no ring' err
attach_for 1
sound
stop_spin
spin CTP_BOX=$PWD,threads=2,slots=64 -- 6 200 3
attach_for 1
sound
has 'events of threads that found no ring' err
stop_spin
spin CTP_BOX=1,slots=512,coroutines=16 -- 2 50 40 live
attach_for 1
sound
has 'coroutines found no station' err
stop_spin
EOT

half=$scratch/half-box.so
if [ -z "$SAN" ] && ${CC:-cc} -shared -fPIC -O1 -o "$half" "$SRC/t/fault/half-box.c" -ldl 2>/dev/null; then
	test_case 'who comes while the box is being made waits for it, whoever wants it' <<'EOT'
held() {	# at each stop on the way the recorder is there, and waits
	for at in empty blank; do
		wait_for test -e $at
		$1
		sleep 0.2
		kill -0 $recorder
		rm $at
	done
}
asks() { [ -n "$recorder" ] || { ct-record --box -p $spinner -o box 2>err & recorder=$!; }; }
recorder=
rm -f pid
LD_PRELOAD=../half-box.so CTP_BOX=1 ${SPIN:-box-spin} 1 1000 3 >emitted &
spinner=$!
held asks
status 0 wait $recorder
ended box
# it had but begun: until there is something in it
wait_for sh -c "grep -q '\"ev\":\"suspend\"' box || { ct-record --box -p $spinner -o box 2>err; false; }"
sound box
touch stop
status 0 wait $spinner
spin LD_PRELOAD=../half-box.so -- 1 1000 3
ct-record -p $pid -o trace 2>err &
recorder=$!
held :
wait_for grep -q '"ev":"attach"' trace
wait_for grep -q '"ev":"suspend"' trace	# it has but begun
kill -TERM $recorder
status 0 wait $recorder
sound
stop_spin
EOT
else
	skip_case 'who comes while the box is being made waits for it, whoever wants it' 'no library to preload'
fi
