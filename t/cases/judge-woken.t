#!/bin/sh
# ct-lostwake's verdicts on those that were woken and do not run, on wakes for nothing, and on workers; healthy twins.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"

test_case 'dropped-wake: woken, and every worker has looked for work since' <<'EOF'
begin; waiting 7 1000 fd:5; wake 7 2000 12 fd:5
line park 2500 '"tid":11,"depth":0'; line park 2600 '"tid":12,"depth":0'; end 3000000
verdict 1 "dropped-wake proven 7"
has '"line":11,"what":"worker parked"' out.json
# never run at all; depth not told
begin; create 7 1000; wake 7 2000 12 ''; line park 2500 '"tid":11'; line park 2600 '"tid":12'; end 3000000
verdict 1 "dropped-wake proven 7"
EOF

test_case 'never run, beside workers of a runtime that begins none: who is to begin it may come yet' <<'EOF'
# 3 was begun by a plain thread, and its workers run it on; 4 was begun by one of them
beside() {
	begin; line thread 1 '"tid":11,"role":"worker"'; line thread 1 '"tid":12,"role":"worker"'
	create 3 100; resume 3 110 13; suspend 3 120 13 fd:5; wake 3 130 13 fd:5; resume 3 140 11; suspend 3 150 11 fd:5
	"$@"; line park 160 '"tid":11'; line park 160 '"tid":12'; create 7 $at; wake 7 $((at + 5)) 13 ''
	line unpark 2400 '"tid":11'; line unpark 2400 '"tid":12'; line park 2500 '"tid":11'; line park 2600 '"tid":12'; end 3000000
}
begins() { create 4 151; resume 4 152 12; suspend 4 153 12 fd:6; }
within() { resume 3 151 11; create 4 152; resume 4 153 11; suspend 4 154 11 fd:6; suspend 3 155 11 fd:5; }
for at in 170 2000; do
	beside :; verdict 3 "dropped-wake unknown 7"
	beside within; verdict 3 "dropped-wake unknown 7"
	beside begins; verdict 1 "dropped-wake proven 7"
done
EOF

test_case 'dropped-wake: who is polled by others alone is in their queue: where the last has ended another may come, if there were several' <<'EOF'
# a set of tasks that a thread polls within its block_on
turn() { create $1 $2; resume $1 $(($2 + 1)) 13; resume 7 $(($2 + 2)) 13; $3; suspend 7 $(($2 + 3)) 13 fd:5; suspend $1 $(($2 + 4)) 13 fd:6; }
clones() { line waker 203 '"tid":13,"probe_id":7,"op":"clone"'; }
polled() { begin; create 7 100; turn 20 200 ${1:-clones}; }
over() { resume 20 300 13; destroy 20 301 13; wake 7 400 13 fd:5; }
rest() { for tid in 11 12 13; do line park 2500 "\"tid\":$tid"; done; end 3000000; }
polled; over; rest
verdict 1 "dropped-wake suspected 7"
polled; over; turn 21 500; resume 21 600 13; destroy 21 601 13; wake 7 700 13 fd:5; rest
verdict 3 "dropped-wake unknown 7"
# who polled it lives, and a worker took it since; of one without wakers nobody polls anything
polled; wake 7 400 13 fd:5; rest
verdict 1 "dropped-wake proven 7"
polled; over; resume 7 500 11; suspend 7 510 11 fd:5; wake 7 520 13 fd:5; rest
verdict 1 "dropped-wake proven 7"
polled :; over; rest
verdict 1 "dropped-wake proven 7"
EOF

test_case 'dropped-wake: without park events it takes ten times the longest delay, and is suspected' <<'EOF'
begin; waiting 8 500 fd:6; wake 8 600 12 fd:6; resume 8 700 11; suspend 8 710 11 fd:6
waiting 7 1000 fd:5; wake 7 2000 12 fd:5; end 3000000
verdict 1 "dropped-wake suspected 7"
begin; waiting 8 500 fd:6; wake 8 600 12 fd:6; resume 8 500700 11; suspend 8 500710 11 fd:6
waiting 7 1000 fd:5; wake 7 2000 12 fd:5; end 3000000
verdict 0
EOF

test_case 'dropped-wake: without park events, who may stand behind a poll, or what is not told of, is not accused' <<'EOF'
delayed() { begin; waiting 8 500 fd:6; wake 8 600 12 fd:6; resume 8 700 11; suspend 8 710 11 fd:6; }
delayed; create 9 900; waiting 7 1000 fd:5; resume 9 1600 12; wake 7 2000 11 fd:5; end 3000000
verdict 3 "dropped-wake unknown 7"
delayed; create 9 900; waiting 7 1000 fd:5; wake 7 2000 11 fd:5; resume 9 2100 12; end 3000000
verdict 3 "dropped-wake unknown 7"
# and was over only when the workers stopped, as their program did
delayed; create 9 900; waiting 7 1000 fd:5; resume 9 1600 12; wake 8 1610 12 fd:6; resume 8 1650 11; wake 7 2000 12 fd:5
destroy 9 2990000 12; destroy 8 2990000 11; end 3000000
verdict 3 "dropped-wake unknown 7"
# that came long after, or is over
delayed; create 9 900; waiting 7 1000 fd:5; wake 7 2000 11 fd:5; resume 9 900000 12; wake 8 900100 12 fd:6; resume 8 900200 11
suspend 8 900210 11 fd:6; end 3000000
verdict 1 "dropped-wake suspected 7"
delayed; create 9 900; waiting 7 1000 fd:5; resume 9 1600 12; wake 7 2000 11 fd:5; suspend 9 2000000 12 fd:7
wake 8 2000000 12 fd:6; resume 8 2000010 11; suspend 8 2000020 11 fd:6; end 3000000
verdict 1 "dropped-wake suspected 7"
# one worker is silent, and another goes on
delayed; create 9 900; waiting 7 1000 fd:5; resume 9 1600 12; wake 7 2000 11 fd:5; suspend 9 2000000 12 fd:7; end 3000000
verdict 3 "dropped-wake unknown 7"
EOF

test_case 'dropped-wake: without park events, who was handed over and never begun is not accused: who is to run it may come' <<'EOF'
delayed() { begin; waiting 8 500 fd:6; wake 8 600 12 fd:6; resume 8 700 11; suspend 8 710 11 fd:6; }
delayed; create 7 1000; wake 7 2000 12 ''; end 3000000
verdict 3 "dropped-wake unknown 7"
has 'but who is to run it may come yet' out.json
delayed; create 7 1000; end 3000000						# nor who was only made
verdict 0
EOF

# The queue is never empty; a wake that another dequeue may have left in it proves nothing.
test_case 'dropped-wake: taken from the run queue and not run, however busy the workers are' <<'EOF'
busy() {
	for tid in 11 12; do line unpark 5 "\"tid\":$tid,\"depth\":1"; done
	create 3 10; resume 3 20 11; create 4 10; resume 4 20 12
}
dequeue() { line dequeue $2 "\"tid\":12,\"probe_id\":$1,\"by\":4,\"site\":2"; }
begin; busy; waiting 7 100 fd:5; wake 7 200 12 fd:5; dequeue 7 300; end 1000000
verdict 1 "dropped-wake proven 7" "blocked-workers hint 3" "blocked-workers hint 4"
has '"cause":{"line":[0-9]*,"ts":1000000300000,"tid":12,"by":4,"what":"dequeued, not run"' out.json
begin; busy; waiting 7 100 fd:5; wake 7 200 12 fd:5; wake 7 250 12 fd:5; dequeue 7 300; end 1000000
verdict 3 "blocked-workers hint 3" "blocked-workers hint 4"
begin; busy; waiting 7 100 fd:5; wake 7 200 12 fd:5; dequeue 7 300; wake 7 400 12 fd:5; end 1000000
verdict 3 "blocked-workers hint 3" "blocked-workers hint 4"
begin; busy; waiting 7 100 fd:5; dequeue 7 150; wake 7 200 12 fd:5; end 1000000	# a stale entry
verdict 3 "blocked-workers hint 3" "blocked-workers hint 4"
begin; busy; waiting 7 100 fd:5; wake 7 200 12 fd:5; dequeue 7 300; resume 7 400 11; suspend 7 500 11 fd:5
wake 7 600 12 fd:5; end 1000000							# it ran all the same
verdict 3 "blocked-workers hint 3" "blocked-workers hint 4"
begin; busy; create 7 100; wake 7 200 12; dequeue 7 300; end 1000000		# never run
verdict 1 "dropped-wake proven 7" "blocked-workers hint 3" "blocked-workers hint 4"
begin; busy; waiting 7 100 fd:5; wake 7 200 12 fd:5; dequeue 7 300; destroy 7 400 12 false; end 1000000
verdict 0 "blocked-workers hint 3" "blocked-workers hint 4"
EOF

test_case 'dropped-wake: a worker that left long ago looks for nothing' <<'EOF'
begin; waiting 7 1000 fd:5; line thread 1500 '"tid":11,"pid":1,"ended":true'; wake 7 2000 12 fd:5
line park 2010 '"tid":12,"depth":0'; end 3000000
verdict 1 "dropped-wake proven 7"
EOF

test_case 'asleep-workers: woken while all sleep, and nobody was told' <<'EOF'
begin; waiting 7 1000 fd:5; line park 1500 '"tid":11,"depth":0'; line park 1500 '"tid":12,"depth":0'
line thread 5 '"tid":13,"pid":1,"role":"other"'; wake 7 2000 13 fd:5; end 3000000
verdict 1 "asleep-workers proven 7"
EOF

# A machine so busy that it does not run them for longer than the grace.
# As main does, which begins coroutines by calling them: it may run a loop of its own, and may not.
test_case 'asleep-workers: all but the thread that began it, which reports nothing of its sleep' <<'EOF'
begun() {
	begin
	line thread 5 '"tid":13,"pid":1,"role":"other"'
	create 7 800
	for tid in 11 12; do line park 900 "\"tid\":$tid,\"depth\":0"; done
	resume 7 990 13; suspend 7 1000 13 fd:5; wake 7 2000 13 fd:5
}
begun; end 3000000
verdict 3 "asleep-workers unknown 7"
# it sleeps, too; a worker is up; it is a worker itself
begun; line park 2500 '"tid":13,"depth":0'; end 3000000
verdict 1 "dropped-wake proven 7"
begun; line unpark 2500 '"tid":12,"depth":0'; end 3000000
verdict 3
begun; line thread 2500 '"tid":13,"pid":1,"role":"worker"'; end 3000000
verdict 3
# others waited nearly as long
begin
line thread 5 '"tid":13,"pid":1,"role":"other"'
create 7 800
waiting 8 200 fd:6; wake 8 300 12 fd:6; resume 8 900300 12; suspend 8 900310 12 fd:6
for tid in 11 12; do line park 900400 "\"tid\":$tid,\"depth\":0"; done
resume 7 900990 13; suspend 7 901000 13 fd:5; wake 7 902000 13 fd:5; end 3000000
verdict 0
EOF

test_case 'asleep-workers: not one that got up late, and works' <<'EOF'
slept() { begin; create 7 1000; create 8 1000; line park 500 '"tid":11,"depth":0'; line park 500 '"tid":12,"depth":0'
	wake 7 2000 13; wake 8 2000 13; line unpark 300000 '"tid":11,"depth":2'; }
slept; resume 7 300100 11; line thread 600000 '"tid":11,"pid":1,"ended":true'; end 600000
verdict 0
slept; line thread 600000 '"tid":11,"pid":1,"ended":true'; end 600000
verdict 1 "asleep-workers proven 7" "asleep-workers proven 8"
# a first run that came late says as much of the machine as a later one
begin; create 7 1000; wake 7 2000 13; line park 500 '"tid":12,"depth":0'; resume 7 200000 11; suspend 7 200100 11 fd:5
line park 200200 '"tid":11,"depth":0'; wake 7 300000 13 fd:5; end 800000
verdict 1 "asleep-workers suspected 7"
EOF

test_case 'asleep-workers: one sleeps with as many in its queue as wait to run, though others are busy' <<'EOF'
pinned() { begin; waiting 7 1000 fd:5; create 3 1001; resume 3 1002 12; wake 7 2000 12 fd:5; line park 2010 "\"tid\":11,\"depth\":$1"; }
pinned 1; end 3000000
verdict 1 "asleep-workers proven 7"
# for the grace, to the microsecond
pinned 1; end 102010; verdict 1 "asleep-workers proven 7"
pinned 1; end 102009; verdict 0
pinned 2; end 3000000
verdict 0
EOF

test_case 'woken: healthy twins' <<'EOF'
# one worker never looked again, as it runs something long (a hint); another was told and is on its way; the wake is fresh
begin; waiting 7 1000 fd:5; create 8 900; resume 8 1900 11; wake 7 2000 12 fd:5; line park 2600 '"tid":12,"depth":0'
end 3000000
verdict 0 "dropped-wake hint 7"
begin; waiting 7 1000 fd:5; line park 1500 '"tid":11'; line park 1500 '"tid":12'; wake 7 2990000 13 fd:5
end 3000000
verdict 0
begin; waiting 7 1000 fd:5; line park 1500 '"tid":11'; line park 1500 '"tid":12'; wake 7 2000 13 fd:5
line unpark 2010 '"tid":12'; end 900000
verdict 0
EOF

test_case 'woken: loss makes it unknown' <<'EOF'
begin; waiting 7 1000 fd:5; wake 7 2000 12 fd:5; line park 2500 '"tid":11,"depth":0'; line park 2600 '"tid":12,"depth":0'
line lost 2400 '"tid":11,"count":1,"from":1000002300000,"to":1000002400000'; end 3000000
verdict 3 "dropped-wake unknown 7"
EOF

test_case 'wasted-wake: to one that had ended before, or that went back to what it waited for' <<'EOF'
level() { line level $1 "\"tid\":12,\"on\":\"sem:1\",\"value\":$2"; }
gone() { begin; create 5 10; resume 5 20 11; destroy 5 30 11; level 40 0; waiting 7 1000 sem:1; level 2000 1; }
gone; wake 5 2010 12 sem:1; end 3000000
verdict 1 "wasted-wake proven 7" "woken-after-end hint 5"
has 'had ended before' out.json
# another was woken, too: it may be about to take it
gone; waiting 6 2001 fd:1 2; wake 6 2005 12 sem:1; wake 5 2010 12 sem:1; resume 6 2020 11; end 3000000
verdict 1 "wasted-wake suspected 7" "woken-after-end hint 5"
other() {
	begin; level 40 1; level 50 0; waiting 6 900 timer:9000000000000; waiting 7 1000 sem:1; level 2000 1
	wake 6 2010 12 sem:1; resume 6 2020 11
}
other; suspend 6 2030 11 timer:9000000000000; end 3000000
verdict 1 "wasted-wake proven 7"
has 'waited for something else, and does so again' out.json
other; suspend 6 2030 11 mutex:9; end 3000000
verdict 0
# it ran within the tick of its wake
begin; level 40 1; level 50 0; waiting 6 900 timer:9000000000000; waiting 7 1000 sem:1; level 2000 1
wake 6 2010 12 sem:1; resume 6 2010 11; suspend 6 2030 11 timer:9000000000000; end 3000000
verdict 1 "wasted-wake proven 7"
# What it takes is not reported; but it had said when it waited for that one: alone, or among others.
item() { begin; line level 40 '"tid":12,"on":"chan:1","value":0'; create 6 10; resume 6 20 11
	if [ "$1" = several ]; then several any_of 6 100 chan:1 timer:9000000000000; else suspend 6 100 11 $1; fi
	wake 6 200 12 ''; resume 6 210 11; suspend 6 220 11 cond:5 2; waiting 7 1000 chan:1
	line level 2000 '"tid":12,"on":"chan:1","value":1'; wake 6 2010 12 chan:1; resume 6 2020 11; suspend 6 2030 11 ${2:-cond:5} 2; end 3000000; }
for on in several chan:1; do
	item $on
	verdict 1 "wasted-wake proven 7"
done
item chan:2		# it never said: this one may be among what it waits for
verdict 0 "ready-resource hint 7"
item several cond:6	# it waits for something else than before
verdict 0 "ready-resource hint 7"
EOF

test_case 'wasted-wake: who was woken for it has ended, or gave it up' <<'EOF'
# A lock: its release wakes 8, which is cancelled while it runs; 7 waits on.
lock_trace() {
	begin; create 3 10; lock acquire 20 3 mutex:1; waiting 8 900 mutex:1; waiting 7 1000 mutex:1
	lock release 2000 3 mutex:1; wake 8 2001 12 mutex:1 3; resume 8 2002 12
}
lock_trace; destroy 8 2003 12 false; end 3000000
verdict 1 'wasted-wake proven 7'
lock_trace; destroy 8 2003 12 false; wake 7 2004 12 mutex:1; resume 7 2005 12; end 3000000
verdict 0
lock_trace; line acquire 2003 '"tid":12,"by":8,"on":"mutex:1"'; line release 2004 '"tid":12,"by":8,"on":"mutex:1"'
wake 7 2005 12 mutex:1 8; resume 7 2006 11; destroy 8 2007 12; end 3000000
verdict 0
lock_trace; end 3000000		# it runs yet
verdict 0
lock_trace; suspend 8 2003 12 fd:3; end 3000000		# it may take it yet
verdict 0
# It waits for the same lock again: the older of its two waits was served.
lock_trace; suspend 8 2003 12 mutex:1; end 3000000
verdict 1 'wasted-wake proven 8' 'wasted-wake proven 7'
# Nothing tells what was left: a hint.
begin; waiting 8 900 cond:1; waiting 7 1000 cond:1; wake 8 2001 12 cond:1; destroy 8 2003 12 false; end 3000000
verdict 0 'wasted-wake hint 7'
# within the tick of its wake
begin; waiting 8 900 cond:1; waiting 7 1000 cond:1; wake 8 2001 12 cond:1; destroy 8 2001 12 false; end 3000000
verdict 0 'wasted-wake hint 7'
begin; waiting 8 900 cond:1; waiting 7 1000 cond:1; wake 8 2001 12 cond:1; resume 8 2002 12; destroy 8 2003 12 true; end 3000000
verdict 0
EOF

test_case 'wasted-wake: a lock that is handed to one that waits for something else, which goes back to that; a hint of one that asks by messages' <<'EOF'
handed() { begin; create 3 10; resume 3 20 12; lock acquire 30 3 mutex:1; create 8 40; resume 8 50 11; eval "$1"; suspend 8 900 11 chan:9 2
	waiting 7 1000 mutex:1; lock release 2000 3 mutex:1; lock acquire 2001 8 mutex:1; wake 8 2002 12 mutex:1 3; suspend 3 2010 12 fd:1
	resume 8 2100 11; suspend 8 2110 11 chan:9 2; end 3000000; }
handed 'suspend 8 60 11 mutex:1; wake 8 70 12 ""; resume 8 80 11'	# its wait for the lock came to a time limit
verdict 1 "wasted-wake proven 7"
handed :
verdict 0 "wasted-wake hint 7"
handed 'suspend 8 60 11 mutex:2; wake 8 70 12 ""; resume 8 80 11'
verdict 0 "wasted-wake hint 7"
EOF

test_case 'destroyed-woken: thrown away where it should have run' <<'EOF'
begin; line open 800 '"tid":12,"on":"fd:3"'; waiting 7 1000 fd:3; wake 7 2000 12 fd:3; destroy 7 2100 12 false; end 3000000
verdict 1 'destroyed-woken suspected 7'
ct-html trace >page && has '"verdict":"destroyed-woken"\|x-corotrace' page
status 1 ct-report trace >report; has 'destroyed-woken' report
# nobody reports when descriptors are opened or closed; or another is closed
begin; waiting 7 1000 fd:3; wake 7 2000 12 fd:3; destroy 7 2100 12 false; end 3000000
verdict 0
begin; line close 800 '"tid":12,"on":"fd:4"'; waiting 7 1000 fd:3; wake 7 2000 12 fd:3; destroy 7 2100 12 false; end 3000000
verdict 1 'destroyed-woken suspected 7'
# its descriptor is closed: it was cancelled
begin; line open 800 '"tid":12,"on":"fd:3"'; waiting 7 1000 fd:3; wake 7 2000 12 fd:3; destroy 7 2100 12 false
line close 2200 '"tid":12,"on":"fd:3"'; end 3000000
verdict 0
# another coroutine destroyed it; it was not woken; another waits there
begin; line open 800 '"tid":12,"on":"fd:3"'; waiting 7 1000 fd:3; create 9 1500; resume 9 1600 12; wake 7 2000 12 fd:3
destroy 7 2100 12 false; end 3000000
verdict 0
begin; waiting 7 1000 fd:3; destroy 7 2100 12 false; end 3000000
verdict 0
begin; waiting 7 1000 fd:3; wake 7 2000 12 fd:3; destroy 7 2100 12 false; waiting 8 2300 fd:3; end 3000000
verdict 0
# an item is there yet, as far as is told, or is not
item() { begin; waiting 7 1000 chan:3; $1; wake 7 2010 12 chan:3; destroy 7 2100 12 false; end 3000000; }
level() { line level ${2:-2000} "\"tid\":12,\"on\":\"chan:3\",\"value\":$1"; }
item 'level 1'; verdict 1 'destroyed-woken suspected 7'
item 'level 0'; verdict 0
item ''; verdict 0
EOF

test_case 'woken-after-end: a hint, one for each site that wakes, with how many' <<'EOF'
begin; for c in 1 2; do create $c 10; resume $c 20 11; destroy $c 30 11; done; waiting 3 1000 fd:5
wake 1 2000 12 fd:5; wake 2 2010 12 fd:5; end 3000000
verdict 0 "woken-after-end hint 1"
has '"times":2' out.json
status 0 ct-lostwake trace >text
has 'coroutine 1 ended at +0.000030s; woken at +0.002000s by worker thread 12 "w12"; 1 more such' text
status 0 ct-report trace >report
has 'woken-after-end (hint)' report
EOF

test_case 'blocked-workers: a hint that names the polls, only where all workers are inside one' <<'EOF'
blocked() {
	begin; waiting 3 100 timer:1000001000000
	create 1 110; resume 1 120 11; create 2 110; resume 2 130 12; create 4 140; wake 4 150 12
}
blocked; end 3000000
verdict 3 "blocked-workers hint 1" "blocked-workers hint 2"
has '"to_run":2' out.json
ct-lostwake trace >out || :
has 'inconclusive where 2 waits are for a worker: each is inside a poll' out
# one that is resumed within another's poll, and leaves: that other runs on
blocked; create 5 155; resume 5 156 11; create 6 157; resume 6 158 11; suspend 6 159 11 fd:5; suspend 5 160 11 fd:6; end 3000000
verdict 3 "blocked-workers hint 1" "blocked-workers hint 2"
blocked; create 5 155; resume 5 156 11; suspend 5 160 11 fd:6; suspend 1 170 11 fd:7; end 3000000
ct-lostwake --json trace >out || :
hasnt blocked-workers out
begin; create 1 110; resume 1 120 11; create 2 110; resume 2 130 12; end 3000000	# nobody waits to run
verdict 0 "blocked-workers hint 1" "blocked-workers hint 2"
blocked; suspend 2 160 12 fd:5; end 3000000
verdict 0 "ready-resource hint 3"
blocked; end 90000
verdict 0
blocked; line thread 0 '"tid":13,"pid":1,"role":"worker"'; line park 100 '"tid":13,"depth":0'; end 3000000
ct-lostwake --json trace >out || :
hasnt blocked-workers out
# Both were inside already when the trace began.
seen() {
	begin
	own state 1 100 11 true ',"site":1,"since":"before"'; own state 2 100 12 true ',"site":1,"since":"before"'
	n_4=1; own state 4 100 0 false ',"site":2,"since":"before"'; wake 4 100 0
}
seen; end 3000000
verdict 3 "blocked-workers hint 1" "blocked-workers hint 2"
has '"to_run":1' out.json
ct-lostwake trace >out || :
has 'coroutine 2 runs for at least .*; seen to run at' out
seen; end 3000
verdict 0
EOF

test_case 'blocked-workers: suspected where each worker is kept by one that waits for another, and somebody waits to run' <<'EOF'
pin() { line open $2 "\"tid\":$3,\"by\":$1,\"on\":\"user:pinned\""; suspend $1 $(($2 + 1)) $3 "$4"; }
kept() {
	begin; create 1 110; resume 1 120 11; create 2 110; resume 2 130 12; create 4 140; wake 4 150 12
	pin 1 160 11 cond:7; pin 2 170 12 "$1"
}
kept mutex:9; end 3000000
verdict 1 "blocked-workers suspected 1" "blocked-workers suspected 2"
has '"to_run":1' out.json
kept fd:5; end 3000000
verdict 3 "blocked-workers hint 1" "blocked-workers hint 2"
kept mutex:9; resume 2 180 12; end 3000000
verdict 3 "blocked-workers hint 1" "blocked-workers hint 2"
# It goes on, gives its worker back, and that one runs who was woken.
kept mutex:9; resume 2 180 12; line close 190 '"tid":12,"by":2,"on":"user:pinned"'; suspend 2 200 12 mutex:9; resume 4 210 12
suspend 4 220 12 timer:1000009000000; end 3000
verdict 0
EOF

test_case 'straggler: eight others left the place since, none waited a tenth as long' <<'EOF'
begin; waiting 7 1000 user:x 2
for i in 21 22 23 24 25 26 27 28; do waiting $i 2000 user:y$i 2; resume $i 2100 12; destroy $i 2200 12; done; end 3000000
verdict 0 "straggler hint 7"
status 1 ct-lostwake --fail-on=hint trace
begin; waiting 7 1000 user:x 2
for i in 21 22 23 24 25 26 27; do waiting $i 2000 user:y$i 2; resume $i 2100 12; destroy $i 2200 12; done; end 3000000
verdict 0
# of seven, one was elsewhere in between and came by twice more: it is one, whether it lives or has ended
by() { suspend $1 $2 12 user:z $3; resume $1 $(($2 + 10)) 12; }
for last in "destroy 27 2600 12" :; do
	begin; waiting 7 1000 user:x 2
	for i in 21 22 23 24 25 26 27; do waiting $i 2000 user:y$i 2; resume $i 2100 12; [ $i = 27 ] || destroy $i 2200 12; done
	by 27 2300 3; by 27 2400 2; by 27 2500 2; $last; end 3000000
	verdict 0
done
# the place before the last counts as well
begin; waiting 7 1000 user:x 2
for i in 21 22 23 24 25 26 27 28; do waiting $i 2000 user:y$i 2; resume $i 2100 12; by $i 2200 3; done; end 3000000
verdict 0 "straggler hint 7"
EOF
test_case 'straggler: not where a sleep, the system, the scheduler, a runtime or nothing would wake it' <<'EOF'
for on in user:x coro:9 fd:5 timer:5000000000000 syscall:read sched: never: runtime:gc; do
	begin; waiting 7 1000 $on 2
	for i in 21 22 23 24 25 26 27 28; do waiting $i 2000 user:y$i 2; resume $i 2100 12; destroy $i 2200 12; done; end 3000000
	case $on in user:* | coro:* | fd:*) verdict 0 "straggler hint 7";; *) verdict 0;; esac
done
EOF
test_case 'straggler: no longer than ten times, to the microsecond' <<'EOF'
tenfold() {
	begin; waiting 7 1000 user:x 2
	for i in 21 22 23 24 25 26 27 28; do waiting $i 2000 user:y$i 2; resume $i 22000 12; destroy $i 22100 12; done; end $1
}
tenfold 201000; verdict 0
tenfold 201010; verdict 0 "straggler hint 7"
EOF

# 12 sleeps all the time; 7 ran once, and is woken at 2000; the last line is at 3000000.
test_case 'who was woken and is not run, while no worker that is left does anything: nobody is accused, and it is not healthy' <<'EOF'
up() { line unpark 1990 '"tid":11,"depth":0'; }
sleeps() { line park 1500 '"tid":12,"depth":0'; }
silent() { sleeps; line park 1500 '"tid":11,"depth":0'; up; }
mute() { line thread 1200 '"tid":12,"pid":1,"ended":true'; }	# one is left, which reports no sleep
woken() {	# STATUS BEFORE AFTER...: what the workers did, and what happened behind the wake
	want=$1 before=$2; shift 2
	begin; line thread 1 '"tid":10,"pid":1,"role":"other"'; waiting 7 1000 fd:5; "$before"; wake 7 2000 10 fd:5; "$@"; end 3000000
	status $want ct-lostwake trace >out; }
for how in silent mute; do
	woken 3 $how :
	has 'inconclusive where 1 wait is to run, and no worker that is left does anything$' out; has '^  to do: ' out; has '1 at f1() f.c:10, coroutine 7 on fd:5' out
	# healthy: busy to the end; it had just been woken; destroyed in order; the worker has ended
	runs() { create 8 2100; resume 8 2950000 11; }
	woken 0 $how runs
	again() { runs; suspend 8 2950100 11 fd:6; }
	woken 0 $how again
	late() { wake 7 2950000 10 fd:5; }
	begin; waiting 7 1000 fd:5; $how; late; end 3000000; status 0 ct-lostwake trace >out
	ends() { line thread 2990000 '"tid":11,"pid":1,"ended":true'; [ $how = mute ] || line thread 2990000 '"tid":12,"pid":1,"ended":true'; }
	over() { ends; destroy 7 2995000 10 false; }
	woken 0 $how over
	# others waited nearly as long, as for a loop that looks now and then
	slow() { waiting 8 1300 fd:6; wake 8 1310 10 fd:6; }
	begin; line thread 1 '"tid":10,"pid":1,"role":"other"'; waiting 7 1000 fd:5; slow; resume 8 500000 11; suspend 8 500010 11 fd:6; $how; wake 7 600000 10 fd:5; end 3000000
	status 0 ct-lostwake trace >out; has '; [0-9]* still wait' out
done
# never begun: who runs it may come; what another polls rests as long as that one does
begin; create 7 1000; create 8 1000; resume 8 1010 11; suspend 8 1020 11 fd:5; silent; wake 7 2000 10; end 3000000; verdict 0
begin; create 6 900; resume 6 910 11; create 7 1000 6; resume 7 1010 11; suspend 7 1020 11 chan:5; suspend 6 1030 11 fd:6; silent; wake 7 2000 10 chan:5; end 3000000; verdict 0
EOF

test_case 'who still waits to run, or for a time that has passed, is counted' <<'EOF'
rest() { status 0 ct-lostwake trace >out; has "$1\$" out; }
busy() { create 9 1100; resume 9 1110 11; line park 1100 '"tid":12,"depth":0'; }
begin; waiting 7 1000 fd:5; busy; wake 7 2000 10 fd:5; end 3000000; rest '; 1 still waits, for 3.00s: ct-stuck lists it'
begin; waiting 7 1000 fd:5; busy; wake 7 2950000 10 fd:5; end 3000000; rest ' traced'
begin; waiting 7 1000 timer:1002000000000; busy; end 3000000; rest '; 1 still waits, for 3.00s: ct-stuck lists it'
begin; waiting 7 1000 timer:1002950000000; busy; end 3000000; rest ' traced'
EOF
done_testing
