#!/bin/sh
# Recording stopped and started while a Rust program runs: corotrace::stop() and corotrace::start().
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/box.sh"
. "${0%/*}/../lib/stop.sh"
. "${0%/*}/../lib/rust.sh"

test_case 'the programs build, debug and release' <<'EOF'
builds
builds_release --bin box-stop
EOF
[ -x "$O/rust/release/box-stop" ] || { done_testing; exit; }

for build in debug release; do
	test_case "stopped and started: both moments, what was counted in between, the state of all at the second ($build)" <<EOF
touch go stop
ct-record --target-stdout=emitted -o trace \$O/rust/$build/box-stop scene 2>err
scene
[ \$(grep -c '"ev":"create"' trace) -eq 4 ]
set -- \$(grep -o '"events":[0-9]*,"lost":[0-9]*' trace | tr -cs 0-9 ' ')
has "emitted \$((\$1 + \$2))\\\$" emitted
has '8 of [0-9]* events were not recorded: the program stopped that' err
EOF
done

test_case 'the same in a box: what was born unseen has its birth' <<'EOF'
CTP_BOX=1 $zoo/box-stop scene >emitted 2>err &
program=$!
wait_for test -s pid
pid=$(cat pid)
ct-record -p $pid -o trace 2>err &
recorder=$!
wait_for grep -q '"ev":"attach"' trace
touch go
wait_for test -s done
touch stop
status 0 wait $recorder
status 0 wait $program
scene
[ $(grep -c '"name":"born unseen"' trace) -ge 1 ]
EOF

rounds=60
[ -z "$CHECK_ALL" ] || rounds=2000
test_case "stopped and started $rounds times while threads make, move and end coroutines: each event is printed or counted" <<EOF
ct-record -q --target-stdout=emitted -o trace \$zoo/box-stop busy $rounds
set -- \$(tail -n 1 trace | grep -o '"events":[0-9]*,"lost":[0-9]*' | tr -cs 0-9 ' ')
has "emitted \$((\$1 + \$2))\\\$" emitted
sound
[ \$(grep -c '"ev":"start"' trace) -eq $rounds ]
tail -n 1 trace >last
hasnt '"live":[1-9]' last	# not always known: stop.t
export CTP_BOX=1
\$zoo/box-stop busy $rounds >emitted &
pid=\$!
ct-record -q -p \$pid -o trace || [ \$? -eq 125 ]
status 0 wait \$pid
EOF

test_case 'a healthy server of tokio, stopped and started 200 times: nobody is accused' <<'EOF'
ct-record -q --target-stdout=emitted -o trace $zoo/box-stop tokio 200
sound
ct-lostwake --json trace >found || [ $? -eq 3 ]
hasnt '"certainty":"proven"' found
EOF

test_case 'a box that a recorder asked for stays when he goes, and start() alone makes one' <<'EOF'
SPIN=$O/rust/debug/box-spin
spin -- 1 1000 3
attach_for 1
sound
sleep 0.3
attach_for 1
sound
hasnt 'keeps no box' err
stop_spin
spin -- 1 1000 3 start
attach_for 1
sound
hasnt born_before trace
[ $(grep -c '"name":"sleeper"' trace) -eq 3 ]
stop_spin
EOF

done_testing
