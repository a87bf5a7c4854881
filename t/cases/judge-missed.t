#!/bin/sh
# ct-lostwake's missed-wake: notified while it still ran, and its healthy twins.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"

test_case 'missed-wake: proven when a level, an end or a deadline says that something is left' <<'EOF'
begin; create 7 10; resume 7 20 11; wake 7 50 12 chan:1; line level 51 '"tid":12,"on":"chan:1","value":1'
suspend 7 100 11 chan:1; end 3000000
verdict 1 "missed-wake proven 7"
begin; create 7 10; resume 7 20 11; wake 7 50 12 timer:1000000090000; suspend 7 100 11 timer:1000000090000; end 3000000
verdict 1 "missed-wake proven 7"
begin; create 3 10; resume 3 11 12; create 7 10; resume 7 20 11; wake 7 50 12 join:3 3; destroy 3 60 12
suspend 7 100 11 join:3; end 3000000
verdict 1 "missed-wake proven 7"
has 'woken while it still ran at +0.000050s by coroutine 3' out.json
# at the borders: a level as it went on, a deadline as the trace begins, and one from before
at() { begin; create 7 10; resume 7 20 11; $2; wake 7 50 12 $1; suspend 7 100 11 $1; end 3000000; }
level() { line level 20 '"tid":12,"on":"chan:1","value":1'; }
at chan:1 level; verdict 1 "missed-wake proven 7"
at timer:1000000000000; verdict 1 "missed-wake proven 7"
at timer:999999999999; verdict 1 "missed-wake suspected 7"
EOF

test_case 'missed-wake: a wake that nothing parts from a duplicate is a hint: the next park may have gone on at once' <<'EOF'
begin; create 7 10; resume 7 20 11; wake 7 50 12 fd:5; suspend 7 100 11 fd:5; end 3000000
verdict 0 "missed-wake hint 7"
begin; line level 5 '"tid":12,"on":"sem:5","value":1'; create 7 10; resume 7 20 11; wake 7 50 12 sem:5; suspend 7 100 11 sem:5; end 3000000
verdict 1 "missed-wake suspected 7"
EOF

test_case 'missed-wake: a notify while it ran is a hint, as who takes one item after the other is notified so' <<'EOF'
early() { begin; ${1:-:}; create 7 10; resume 7 20 11; ${2:-:} 40; line notify 50 '"tid":12,"on":"cond:1","woken":0'; ${3:-:} 60; suspend 7 100 11 cond:1; end 3000000; }
item() { line level $1 '"tid":12,"on":"cond:1","value":1'; }
taken() { line level $1 '"tid":11,"by":7,"on":"cond:1","value":0'; }
early; verdict 0 "missed-wake hint 7"
# the only one came before; a wake for nothing in particular is about something else, where others say what for
before() { begin; line notify 5 '"tid":12,"on":"cond:1","woken":0'; waiting 7 1000 cond:1; wake 7 1100 12 "$1"; resume 7 1110 11; suspend 7 1120 11 cond:1; $2; end 3000000; }
names() { waiting 8 1130 fd:5; wake 8 1200 12 fd:5; resume 8 1210 11; suspend 8 1220 11 fd:6; }
before '' names; verdict 0 "missed-wake hint 7"
before '' :; verdict 0
before cond:1 names; verdict 0
early : item; verdict 1 "missed-wake proven 7"
early : item taken; verdict 0
# one that sends: there is room, and it fills it
chan() { line level $1 "\"tid\":$3,\"by\":$4,\"on\":\"chan:1\",\"value\":$2"; }
sends() { begin; chan 5 2 12 9; create 7 10; resume 7 20 11; chan 40 1 12 9; line notify 50 '"tid":12,"on":"chan:1","woken":0'; $1; suspend 7 100 11 chan:1; end 3000000; }
sends :; verdict 1 "missed-wake suspected 7"
fills() { chan 60 2 11 7; }
sends fills; verdict 0 "missed-wake hint 7"
EOF

test_case 'missed-wake: healthy twins' <<'EOF'
# another object; taken (level 0); a wake that came after; its line before the resume it caused, or late in the file
begin; create 1 10; resume 1 20 11; wake 1 50 12 fd:5; suspend 1 100 11 fd:6
create 2 10; resume 2 20 11; wake 2 50 12 chan:1; line level 60 '"tid":11,"on":"chan:1","value":0'; suspend 2 100 11 chan:1
waiting 3 1000 fd:7; wake 3 1100 12 fd:7; resume 3 1200 11; suspend 3 1300 11 fd:7
waiting 4 1000 fd:8; resume 4 1200 11; suspend 4 1300 11 fd:8; wake 4 1100 12 fd:8
waiting 5 1000 coro:3; resume 5 1200 11; wake 5 1250 12 coro:3; suspend 5 1300 11 coro:3
end 3000000
verdict 0
EOF

test_case 'missed-wake: a waker says "poll me again", whatever for; the cut trace says unknown' <<'EOF'
story() {
	begin; create 7 10; resume 7 20 11; line waker 30 '"tid":11,"probe_id":7,"op":"clone"'
	wake 7 50 12 ''; suspend 7 100 11 fd:5
}
story; end 3000000; verdict 1 "missed-wake proven 7"
story; line park 2000 '"tid":11'; line park 2000 '"tid":12'; end 3000000; verdict 1 "missed-wake proven 7"
# healthy: polled again some day, for one worker has not come to the end of its queue
story; create 8 2100; resume 8 2200 12; line park 2000 '"tid":11'; end 3000000; verdict 0
story; line sync 3000000; verdict 3 "missed-wake unknown 7"
# healthy: no worker parks, and it may be behind what one is inside of
story; create 8 60; resume 8 90 12; end 3000000; verdict 0
story; create 8 60; resume 8 90 12; suspend 8 130 12 fd:6; waiting 9 150 fd:7; end 3000000; verdict 1 "missed-wake proven 7"
EOF

test_case 'a notify on a channel that came while the receiver still ran' <<'EOF'
level() { line level $1 "\"tid\":12${3:+,\"by\":$3},\"on\":\"chan:1\",\"value\":$2"; }
begin; create 7 10; resume 7 20 11; level 500 1; suspend 7 1000 11 chan:1; end 3000000
verdict 0 "ready-resource hint 7"	# or it wants to send
takes() { begin; level 5 0; create 7 10; resume 7 20 11; suspend 7 30 11 chan:1; level 40 1; wake 7 41 12 chan:1; resume 7 42 11; level 43 0 $1; }
takes 7; level 500 1; suspend 7 1000 11 chan:1; end 3000000
verdict 1 "ready-resource proven 7"	# it waited there before, with nothing in it, and took
# who took is not known; it put something in itself; or another did that left this line, as of a helper in which all wait
takes; level 500 1; suspend 7 1000 11 chan:1; end 3000000
verdict 0 "ready-resource hint 7"
takes 7; level 50 1 7; level 60 0; level 500 1; suspend 7 1000 11 chan:1; end 3000000
verdict 0 "ready-resource hint 7"
takes 7; waiting 8 100 chan:1; wake 8 110 12 ''; resume 8 120 11; level 130 1 8; level 140 0; level 500 1; suspend 7 1000 11 chan:1; end 3000000
verdict 0 "ready-resource hint 7"
# it took at one line, and puts back at another
takes 7; suspend 7 50 11 fd:9 2; wake 7 60 12 fd:9; level 500 1 9; resume 7 600 11; suspend 7 1000 11 chan:1 3; end 3000000
verdict 0 "ready-resource hint 7"
EOF

test_case 'hints: others were notified while it was on its way; only a worker inside a poll can have it' <<'EOF'
begin; create 7 10; resume 7 20 11; line notify 30 '"tid":12,"on":"cond:1","woken":2'; suspend 7 40 11 cond:1; end 3000000
verdict 0 "missed-wake hint 7"
begin; create 7 10; resume 7 20 11; line notify 30 '"tid":12,"on":"cond:1","woken":2'; suspend 7 40 11 cond:1
waiting 8 1000 cond:1 2; wake 8 1010 12 cond:1; resume 8 1020 11; suspend 8 1030 11 fd:1; end 3000000
verdict 0
begin; create 5 10; waiting 7 1000 fd:5; line park 1005 '"tid":12,"depth":0'; resume 5 1010 11; wake 7 2000 11 fd:5 5
line unpark 2010 '"tid":12,"depth":0'; line park 2020 '"tid":12,"depth":0'; end 3000000
verdict 0 "dropped-wake hint 7"
# the other worker slept all the time: nobody told it
begin; create 5 10; waiting 7 1000 fd:5; line park 1005 '"tid":12,"depth":0'; resume 5 1010 11; wake 7 2000 11 fd:5 5; end 3000000
verdict 0 "asleep-workers hint 7"
EOF
done_testing
