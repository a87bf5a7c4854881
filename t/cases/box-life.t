#!/bin/sh
# Boxes and what becomes of their programs: another program in the same process, killed while it is attached to, more names than there
# is room for; and programs and recorders that know no boxes.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/box.sh"

for box in 1 '$PWD'; do
	test_case "a process that executes another program: what it recorded ends there, and is said; the next has a box of its own ($box)" <<EOT
spin CTP_BOX=$box -- 1 1000 3 exec
timeout 100 ct-record -p \$pid -o trace 2>err &
recorder=\$!
wait_for grep -q '"ev":"attach"' trace
sleep 1.5		# what executes before it was looked at is not told from what has ended
touch exec
status 0 wait \$recorder
has "process \$pid executes another program now; its box went with the one before" err
has '"ev":"exit","ts":[0-9]*,"pid":'\$pid',"alive":[0-9]*}\$' trace
sound
ct-lostwake --json trace >found || [ \$? -eq 3 ]
[ ! -s found ]
wait_for test -s pid
[ \$(cat pid) -eq \$pid ]
attach_for 0.5
sound
[ \$(grep -c '"name":"sleeper"' trace) -eq 3 ]
hasnt 'executes another' err
stop_spin
EOT
done

test_case 'it executes another program, and the recorder is stopped at once: that, too, is its end' <<'EOT'
spin CTP_BOX=1 -- 1 1000 3 exec
timeout 100 ct-record -p $pid -o trace 2>err & recorder=$!
wait_for grep -q '"ev":"attach"' trace
rm pid
touch exec
wait_for test -s pid
kill -TERM $recorder
status 0 wait $recorder
has "process $pid executes another program now" err
has '"ev":"exit","ts":[0-9]*,"pid":'$pid',"alive":[0-9]*}$' trace
sound
stop_spin
EOT

kills=10
[ -z "$CHECK_ALL" ] || kills=300
test_case "the program killed $kills times while a recorder attaches, or asks: the recorder ends, with a whole trace or in words" <<EOT
i=0
while [ \$i -lt $kills ]; do
	spin \$([ \$((i % 2)) -eq 0 ] || echo CTP_BOX=1) -- 2 100 5
	rm -f trace
	timeout 60 ct-record -p \$pid -o trace 2>err &
	recorder=\$!
	sleep 0.\$(printf %03d \$((\$(od -An -N1 -tu1 /dev/urandom) / (1 + i % 5))))
	kill -9 \$pid
	wait \$recorder && got=0 || got=\$?
	wait \$spinner || :
	case \$got in
	0)	# whatever is in it, if anything
		ended
		ct-check --json trace >checked || :
		hasnt '"check":"\\(bad\\|number\\|time\\|state\\|end\\)"' checked ;;
	125) has "process \$pid is gone" err ;;
	*) echo "round \$i: \$got" >&2; cat err >&2; exit 1 ;;
	esac
	i=\$((i + 1))
done
EOT

test_case 'more names than a box has room for: counted, every record is there or counted, and the program runs on' <<'EOT'
spin CTP_BOX=$PWD -- 1 1000 3 names
status 0 ct-record --box -p $pid -o box 2>err
sound box
has '^ct-record: [1-9][0-9]* names or source locations found no room' err
timeout 60 ct-record -p $pid -o trace 2>err &
recorder=$!
wait_for grep -q '"ev":"attach"' trace
stop_spin
status 0 wait $recorder
sound
set -- $(heads corotrace-box.$pid.*)
[ $1 -eq $(shown trace) ]
has '^emitted [1-9]' emitted
EOT

for box in CTP_BOX=1 'CTP_BOX=$PWD' ''; do
	test_case "a process whose main thread has ended is found, by its number and its name, and recorded until it ends (\${box:-no box})" <<EOT
ln -s "\$(command -v box-spin)" headless-spin
SPIN=./headless-spin spin $box -- 2 1000 3 headless
[ -z "$box" ] || { status 0 ct-record --box -p \$pid -o box 2>err; same /dev/null err; ended box; }
timeout 100 ct-record --name=headless-spin -o trace 2>err &
recorder=\$!
wait_for grep -q '"ev":"resume"' trace
stop_spin
status 0 wait \$recorder
hasnt 'has no probe\|stopped' err
sound
has '"ev":"meta".*"command":."./headless-spin"' trace
has '"ev":"process".*"path":"/.*/box-spin"' trace
has '"ev":"map".*/box-spin"' trace
has '"ev":"exit","ts":[0-9]*,"pid":'\$pid trace
EOT
done

test_case 'who asked a program for a box is killed: its probe is off once its rings are full, and it may be asked again' <<'EOT'
flag() { for fd in /proc/$pid/fd/*; do case $(readlink $fd) in *memfd:corotrace-flag*) od -An -N4 -tu4 $fd ;; esac; done; }
is() { [ $(flag) -eq $1 ]; }
spin -- 2 20 9
ct-record -q -p $pid -o trace & recorder=$!
wait_for grep -q '"ev":"resume"' trace
is 3
kill -9 $recorder
wait $recorder || :
wait_for is 0
attach_for 0.5
sound
has '"ev":"resume"' trace
wait_for is 0
stop_spin
EOT

test_case 'a program of version 1 keeps no box, and who wants one is told' <<'EOT'
CTP_BOX=1 ct-record -q -o traced sh -c 'echo $$ >pid; exec rec-v1 count 1 2000 1000' &
recorder=$!
wait_for grep -q '"is_active"' traced
pid=$(cat pid)
for box in --box ''; do
	status 125 ct-record $box -p $pid -o trace 2>err
	has "process $pid was started under ct-record: no other can record it" err
done
kill $pid
wait $recorder || :
spin CTP_BOX=$PWD -- 1 1000 3
stop_spin
cp --sparse=always corotrace-box.$pid.* old
printf '\002' | dd of=old bs=1 seek=72 conv=notrunc 2>/dev/null
status 125 ct-record --box old -o trace 2>err
has 'old: memory of minor version 2, not a box of 3' err
EOT

done_testing
