#!/bin/sh
# ct-lostwake at the end of a process: teardown, shutdown, death.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"

test_case 'frames destroyed once the workers have stopped are judged as they were left' <<'EOF'
stuck() { begin; line thread 1 '"tid":10,"pid":1'; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; for t in 11 12; do line park 2010 "\"tid\":$t,\"depth\":0"; done; }
teardown() { for t in 11 12; do line unpark $1 "\"tid\":$t"; done; line release $(($1 + 10)) '"tid":10,"on":"mutex:9"'
	destroy 7 $(($1 + 20)) 10 false; wake 8 $(($1 + 30)) 10 fd:5; }
stuck; teardown 900000; line exit 901000 '"pid":1,"status":0'; end 901100
verdict 1 "closed-resource proven 7"
# the same by threads that end and tell of no sleep
begin; line thread 1 '"tid":10,"pid":1'; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'
for t in 11 12; do line thread 900000 "\"tid\":$t,\"pid\":1,\"ended\":true"; done; destroy 7 900100 10 false; end 901000
verdict 1 "closed-resource proven 7"
# healthy: closed as the program ends, and lingering; cancelled by a loop that goes on; finished
begin; line thread 1 '"tid":10,"pid":1'; waiting 7 1000 fd:5; for t in 11 12; do line thread 900000 "\"tid\":$t,\"pid\":1,\"ended\":true"; done
line close 900100 '"tid":10,"on":"fd:5"'; end 2000000
verdict 0
stuck; teardown 900000; line park 900100 '"tid":11,"depth":0'; end 2000000
verdict 0
EOF

test_case 'a worker that wakes others from inside its park, as by its timers, has not stopped' <<'EOF'
sleeps() { begin; for t in 10 12; do line thread 1 "\"tid\":$t,\"pid\":1,\"role\":\"other\""; done
	waiting 7 1000 fd:5; line park 1010 '"tid":11,"depth":0'; line close 2000 '"tid":10,"on":"fd:5"'; }
driven() { own create 8 1500 12 false ''; resume 8 1510 12; suspend 8 1520 12 timer:1000500000000; wake 8 $1 11
	printf '{"ev":"waker","ts":%s,"tid":11,"probe_id":8,"op":"drop"}\n' $(ns $(($1 + 1))) >>trace
	resume 8 $(($1 + 10)) 12; destroy 8 $(($1 + 20)) 12; }
sleeps; driven 500000; end 600000
verdict 1 "closed-resource proven 7"
# healthy: it got up, or closed what it had, and has left; what was closed later accuses nobody
left() { begin; line thread 1 '"tid":10,"pid":1'; line thread 1 '"tid":12,"pid":1,"role":"other"'
	waiting 7 1000 fd:5; line park 1010 '"tid":11,"depth":0'; wake 9 2000 11; }
left; line unpark 2010 '"tid":11'; line close 900000 '"tid":10,"on":"fd:5"'; end 2000000
verdict 0
left; line close 2010 '"tid":11,"on":"fd:6"'; line close 900000 '"tid":10,"on":"fd:5"'; end 2000000
verdict 0
EOF

test_case 'a worker whose coroutine runs on, when one that was begun within it has left, has not stopped' <<'EOF'
nested() { begin; for t in 11 12; do line park 1 "\"tid\":$t,\"depth\":0"; line unpark 5 "\"tid\":$t,\"depth\":0"; done
	for t in 11 12; do create $t 10; resume $t 20 $t; create 2$t 30 $t; resume 2$t 40 $t; suspend 2$t 50 $t ''; done; }
nested; for t in 11 12; do wake 2$t 60 $t ''; done; end 1000000
verdict 3 "blocked-workers hint 11" "blocked-workers hint 12"
# what is destroyed meanwhile is not torn down
nested; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; destroy 7 900000 12 false; end 2000000
verdict 0 "blocked-workers hint 11" "blocked-workers hint 12"
# they came to their ends
nested; line thread 1 '"tid":10,"pid":1'; for t in 11 12; do destroy $t 70 $t; done; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'
for t in 11 12; do line park 2010 "\"tid\":$t,\"depth\":0"; line unpark 900000 "\"tid\":$t"; done; destroy 7 900100 10 false; end 901000
verdict 1 "closed-resource proven 7"
EOF

test_case 'what a busy process was about to do when it died accuses nobody' <<'EOF'
flight() { begin; waiting 7 1000 chan:5; waiting 8 1000 fd:5; create 3 1001; resume 3 1002 12
	line level 2000 '"tid":12,"by":3,"on":"chan:5","value":1'; suspend 3 2100 12 fd:7; }
flight; line exit 600000 '"pid":1,"alive":1000000000000,"signal":9'; end 600100
verdict 0
flight; line exit 600000 '"pid":1,"alive":1000400000000,"signal":9'; end 600100
verdict 1 "ready-resource proven 7"
# all asleep: a plain thread may have been about to wake it
flight; for t in 11 12; do line park 2200 "\"tid\":$t,\"depth\":0"; done; cp trace asleep
line exit 600000 '"pid":1,"alive":1000000000000,"signal":9'; end 600100
verdict 0
cp asleep trace; line exit 600000 '"pid":1,"alive":1000200000000,"signal":9'; end 600100
verdict 1 "ready-resource proven 7"; has '"age":599000000' out.json
EOF

test_case 'of a process that is stopped: what came later than it was seen to go on accuses nobody' <<'EOF'
stopped() { begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; [ -z "${1:-}" ] || for t in 11 12; do line park 2010 "\"tid\":$t,\"depth\":$1"; done
	end 2000000; [ -z "${2:-}" ] || sed -i "\$s/}$/,\"alive\":$(ns $2)}/" trace; }
stopped; verdict 1 "closed-resource proven 7"
stopped '' 2000; verdict 3
stopped '' 900000; verdict 1 "closed-resource proven 7"
# all its workers slept: suspected, as of one that died
stopped 0 2000; verdict 1 "closed-resource suspected 7"
stopped 1 2000; verdict 3
# woken: all workers slept until the end, or until it was stopped
asleep() { begin; waiting 7 1000 chan:5; for t in 11 12; do line park 1500 "\"tid\":$t,\"depth\":0"; done; wake 7 2000 13 chan:5; end 2000000; }
asleep; verdict 1 "asleep-workers proven 7"
asleep; sed -i "\$s/}$/,\"alive\":$(ns 2000)}/" trace; verdict 3
asleep; sed -i "\$s/}$/,\"alive\":$(ns 900000)}/" trace; verdict 1 "asleep-workers proven 7"
EOF

test_case 'a process that ended while others go on counts until it was last seen to live' <<'EOF'
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'
line process 3000 '"pid":1,"ended":true,"alive":1000000000000'; line sync 2000000; line exit 3000000 '"pid":9,"alive":1002900000000,"status":0'
end 3000100
verdict 0
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'
line process 900000 '"pid":1,"ended":true,"alive":1000500000000'; line sync 2000000; line exit 3000000 '"pid":9,"alive":1002900000000,"status":0'
end 3000100
verdict 1 "closed-resource proven 7"; has '"age":899000000,' out.json
EOF

test_case 'T is the end of its process: what a shutdown left behind is too fresh' <<'EOF'
begin; waiting 7 1000 fd:5; line close 50000 '"tid":12,"on":"fd:5"'; line exit 51000 '"pid":1,"status":0'; end 3000000
verdict 0
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; line exit 2000000 '"pid":1,"signal":9'; end 2000100
verdict 1 "closed-resource proven 7"
EOF
test_case 'of a process that was dead when it was read: suspected where all workers slept, with nothing in their queues' <<'EOF'
for depth in 0 1; do
	begin; waiting 7 1000 fd:5; line close 1100 '"tid":11,"on":"fd:5"'; line park 1200 '"tid":11,"depth":0'; line park 1300 "\"tid\":12,\"depth\":$depth"; end 1400
	sed -i '1s/}$/,"dead":true}/' trace
	if [ $depth = 0 ]; then verdict 1 'closed-resource suspected 7'; else verdict 3; fi
done
# a third worker did not sleep: of this process, of another, of which no line tells
for pid in 1 2 0; do
	begin; line thread 0 "\"tid\":13,\"pid\":$pid,\"role\":\"worker\""
	waiting 7 1000 fd:5; line close 1100 '"tid":11,"on":"fd:5"'; line park 1200 '"tid":11,"depth":0'; line park 1300 '"tid":12,"depth":0'; end 1400
	sed -i '1s/}$/,"dead":true}/' trace
	if [ $pid = 2 ]; then verdict 1 'closed-resource suspected 7'; else verdict 3; fi
done
EOF

test_case 'frames destroyed at the end leave out themselves alone: others that hang are told of, as of when the workers stopped' <<'EOF'
mates() {	# each waits for room at the other, which is full
	begin; line thread 1 '"tid":10,"pid":1,"role":"other"'; waiting 50 900 fd:9
	for c in "1 2" "2 1"; do
		set -- $c
		create $1 1000; resume $1 1010 11
		for l in "room:$2 1" "chan:$2 1" "room:$2 0"; do line level 1020 "\"tid\":11,\"by\":$1,\"on\":\"${l% *}\",\"value\":${l#* }"; done
		suspend $1 1030 11 room:$2
	done; }
stop() {	# US WHOM...: the workers end then, and these are destroyed before the end, at 2000000
	at=$1; shift
	for t in 11 12; do line thread $at "\"tid\":$t,\"pid\":1,\"ended\":true"; done
	for c; do destroy $c 1999000 10 false; done; end 2000000; }
mates; stop 1990000; status 3 ct-lostwake trace >out; has 'inconclusive where 2 waits are for room' out
mates; stop 1990000 50; status 3 ct-lostwake trace >out; has '^0 findings: 2 coroutines live (3 when .*inconclusive where 2 waits are for room' out
mates; stop 1990000 50 1; status 3 ct-lostwake trace >out; has 'inconclusive where 1 wait is for room' out
# healthy: in order; and what had only begun to wait when they stopped, however long the rest takes
mates; stop 1990000 50 1 2; status 0 ct-lostwake trace >out; hasnt 'still wait' out
mates; stop 50000 50; status 0 ct-lostwake trace >out; hasnt 'still wait' out
# who rests, alone, and with a lock of which no line tells
rests() { begin; line thread 1 '"tid":10,"pid":1,"role":"other"'; waiting 50 900 fd:9; waiting 7 1000 $1; shift; stop 1990000 "$@"; }
rests chan:5 50; status 0 ct-lostwake trace >out; has '; 1 still waits, for ' out
rests chan:5 50 7; status 0 ct-lostwake trace >out; hasnt 'still wait' out
rests mutex:5 50; status 3 ct-lostwake trace >out; has 'inconclusive where 1 wait is for locks or permits of which no line tells' out
rests mutex:5 50 7; verdict 0
# all stand
alone=1
still() { begin; line thread 1 '"tid":10,"pid":1,"role":"worker"'; for c in 7 8 9; do waiting $c 1000 cond:$c; done; stop 1990000 "$@"; }
still 7; status 3 ct-lostwake trace >out; has 'inconclusive where 2 waits are for what nobody who was seen could bring about' out
still 7 8 9; verdict 0
EOF
done_testing
