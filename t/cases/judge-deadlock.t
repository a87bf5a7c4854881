#!/bin/sh
# ct-lostwake's deadlock: cycles through locks, permits, channels and joins, and what only looks like one.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"

test_case 'deadlock: one finding a cycle, whoever hangs on it is not in it' <<'EOF'
begin; waiting 7 1000 coro:8; waiting 8 1100 join:9; waiting 9 1200 coro:7; waiting 10 1300 coro:7; end 3000000
verdict 1 "deadlock proven 7"
has '"cycle":\[7,8,9\]' out.json
begin; create 1 10; create 2 10; line acquire 20 '"tid":11,"by":1,"on":"mutex:1"'; line acquire 21 '"tid":11,"by":2,"on":"mutex:2"'
resume 1 30 11; suspend 1 40 11 mutex:2; resume 2 50 11; suspend 2 60 11 mutex:1; end 3000000
verdict 1 "deadlock proven 1"
# the same with no end, and a chain that ends at somebody who runs
begin; waiting 7 1000 coro:8; waiting 8 1100 coro:7; line sync 3000000
verdict 3 "deadlock unknown 7"
begin; waiting 7 1000 coro:8; waiting 8 1100 coro:9; create 9 900; resume 9 1000 12; end 3000000
verdict 0
EOF

test_case 'deadlock: locks that were seen to be had count until their holder runs again, or ends' <<'EOF'
seen() { line acquire $1 "\"tid\":11,\"by\":$2,\"on\":\"$3\",\"since\":\"before\""; }
both() { begin; waiting 1 100 $1; waiting 2 110 $2; seen 120 1 mutex:1; seen 120 2 mutex:2; }
both mutex:2 mutex:1; end 3000000
verdict 1 "deadlock proven 1"
has '"what":"seen to have it"' out.json
# seen once more, as at the end
both mutex:2 mutex:1; seen 200 1 mutex:1; end 3000000
verdict 1 "deadlock proven 1"
# 1 went on, and may have given it back; nobody says that it is free either
both mutex:2 mutex:1; wake 1 200 11 mutex:2; resume 1 210 11; suspend 1 220 11 mutex:2; end 3000000
verdict 0
# until it is seen again
both mutex:2 mutex:1; wake 1 200 11 mutex:2; resume 1 210 11; suspend 1 220 11 mutex:2; seen 300 1 mutex:1; end 3000000
verdict 1 "deadlock proven 1"
# it was cancelled: its guards went with it
begin; waiting 1 100 user:x; waiting 2 110 mutex:1; seen 120 1 mutex:1; destroy 1 200 11 false; end 3000000
verdict 0
EOF

test_case 'deadlock: a state names the legs that its suspend could not' <<'EOF'
later() { for on in $2 $3; do line leg 100 "\"tid\":11,\"probe_id\":$1,\"n\":3,\"on\":\"$on\""; done
	printf '{"probe_id":%s,"tid":11,"addr":"0x0","seq":6,"is_active":false,"ts":%s,"ev":"state","n":3,"site":2,"any_of":2,"stack":1}\n' $1 $(ns 100) >>trace; }
begin; echo '{"ev":"stack","stack":1,"sites":[2]}' >>trace; waiting 1 100; waiting 2 110 join:1
later 1 join:2 join:2; end 3000000
verdict 1 "deadlock proven 1"
status 1 ct-stuck trace >out
has 'f2() f.c:20 on any of several' out
begin; waiting 1 100; waiting 2 110 join:1; later 1 join:2 fd:5; end 3000000
verdict 0
EOF

test_case 'deadlock: a read lock wakes its writer only when all who hold it gave it back' <<'EOF'
both() { begin; for c in 1 2 3; do create $c $((10 + c)); resume $c $((20 + c)) 11; done
	lock acquire 30 1 mutex:9; lock acquire 31 2 mutex:9; lock acquire 32 3 mutex:8; }
# both readers wait for what the writer has: two cycles share it
both; suspend 1 40 11 mutex:8; suspend 2 41 11 mutex:8; suspend 3 42 11 mutex:9; end 3000000
verdict 1 "deadlock proven 1"
has '"cycle":\[1,2,3\]' out.json
has 'coroutine 3 waits on mutex:9: all for one another' out.json
# one of them runs, or waits for something else, or was given back
both; suspend 1 40 11 mutex:8; suspend 3 42 11 mutex:9; end 3000000
verdict 0
both; suspend 1 40 11 mutex:8; suspend 2 41 11 fd:5; suspend 3 42 11 mutex:9; end 3000000
verdict 0
both; suspend 1 40 11 mutex:8; lock release 41 2 mutex:9; suspend 2 42 11 fd:5; suspend 3 43 11 mutex:9; end 3000000
verdict 1 "deadlock proven 1"
# two readers who both want to write
both; suspend 1 40 11 mutex:9; suspend 2 41 11 mutex:9; suspend 3 42 11 fd:7; end 3000000
verdict 1 "deadlock proven 1"
has '"cycle":\[1,2\]' out.json
# a reader that is gone, of a lock that was seen to be shared
both; lock release 33 1 mutex:9; lock release 34 2 mutex:9; lock acquire 35 1 mutex:9; lock acquire 36 2 mutex:9
lock release 37 1 mutex:9; destroy 2 38 11; suspend 1 40 11 fd:7; suspend 3 42 11 mutex:9; end 3000000
verdict 1 "dead-owner proven 3"
EOF

test_case 'deadlock: given back by another than who took it is suspected; a re-entrant lock is held until given back twice' <<'EOF'
two() { begin; for c in 1 2; do create $c $((10 + c)); resume $c $((20 + c)) 11; done; }
two; lock acquire 30 1 mutex:9; lock release 31 2 mutex:9; lock acquire 32 1 mutex:9; lock acquire 33 2 mutex:8
suspend 1 40 11 mutex:8; suspend 2 41 11 mutex:9; end 3000000
verdict 1 "deadlock suspected 1"
two; lock acquire 30 1 mutex:9; lock acquire 31 1 mutex:9; lock release 32 1 mutex:9; suspend 2 41 11 mutex:9
suspend 1 42 11 fd:5; end 3000000
verdict 0
two; lock acquire 30 1 mutex:9; lock acquire 31 1 mutex:9; lock release 32 1 mutex:9; lock acquire 33 2 mutex:8
suspend 2 41 11 mutex:9; suspend 1 42 11 mutex:8; end 3000000
verdict 1 "deadlock proven 1"
EOF

test_case 'deadlock: what was sent with a lock held may be its guard, but not where that one is stuck as well' <<'EOF'
cross() { begin; for c in 1 2; do create $c $c; resume $c 1$c 12; lock acquire 2$c $c mutex:$c; done; waiting 9 50 chan:5
	line level 60 '"tid":12,"by":1,"on":"chan:5","value":1'; wake 9 61 12 chan:5 1; resume 9 62 11; line level 63 '"tid":11,"by":9,"on":"chan:5","value":0'
	suspend 9 70 11 $1; suspend 1 100 12 mutex:2; suspend 2 110 12 mutex:1; end 1000000; }
cross fd:1
verdict 1 "deadlock suspected 1"
cross mutex:2
verdict 1 "deadlock proven 1"
EOF

test_case 'deadlock: permits used as locks; not those that are taken to be used up' <<'EOF'
two() { begin; for c in 1 2; do create $c $((10 + c)); resume $c $((20 + c)) 11; done; }
two; lock acquire 25 1 sem:9; lock release 26 1 sem:9; lock acquire 27 2 sem:8; lock release 28 2 sem:8
lock acquire 30 1 sem:9; lock acquire 31 2 sem:8; suspend 1 40 11 sem:8; suspend 2 41 11 sem:9; end 3000000
verdict 1 "deadlock proven 1"
two; lock acquire 30 1 sem:9; lock acquire 31 2 sem:8; suspend 1 40 11 sem:8; suspend 2 41 11 sem:9; end 3000000
verdict 1 "deadlock suspected 1"
two; lock acquire 30 1 sem:9; lock acquire 31 2 sem:9; suspend 1 40 11 sem:9; suspend 2 41 11 sem:9; end 3000000
verdict 0
EOF

test_case 'deadlock: of a holder that was not known when it took the lock nothing follows' <<'EOF'
begin; lock acquire 10 2 mutex:9; waiting 7 1000 mutex:9; resume 2 1100 12; end 3000000
verdict 0
EOF

test_case 'deadlock: through a full channel whose only receiver waits for the sender; suspected' <<'EOF'
level() { line level $1 "\"tid\":11,\"by\":$3,\"on\":\"chan:1\",\"value\":$2"; }
# 1 sends with a lock held, 2 receives and wants the lock
through() {
	begin; line level 5 '"tid":11,"on":"chan:1","value":0'; create 1 10; create 2 10; resume 1 20 11; level 30 1 1
	suspend 1 40 11; resume 2 50 11; level 60 0 2; lock acquire 65 ${1:-2} mutex:1; lock release 66 ${1:-2} mutex:1
	suspend 2 70 11; resume 1 80 11; lock acquire 90 1 mutex:1; level 95 1 1; suspend 1 100 11 chan:1
	resume 2 110 11
}
through; suspend 2 120 11 mutex:1 2; end 3000000
verdict 1 "deadlock suspected 1"
has 'where channels are concerned' out.json
# a hint where somebody else lives who may come to receive: it has its time, a descriptor or nobody knows what to wait for, or runs
for on in timer:1700000000000000000 fd:5 cond: ''; do
	through; suspend 2 120 11 mutex:1 2; waiting 3 150 "$on"; end 3000000
	verdict 0 "deadlock hint 1"
	has 'others live who may come to these yet' out.json
done
through; suspend 2 120 11 mutex:1 2; create 3 150; end 3000000
verdict 0 "deadlock hint 1"
through; suspend 2 120 11 mutex:1 2; waiting 3 150; several any_of 3 160 fd:5 chan:9; end 3000000
verdict 0 "deadlock hint 1"
# not where it waits for what somebody would have to do for it
through; suspend 2 120 11 mutex:1 2; waiting 3 150 chan:9; end 3000000
verdict 1 "deadlock suspected 1"
# another has received before: it may again; the receiver rests at another thing; an empty channel: both rest
through; create 3 111; resume 3 112 12; level 113 0 3; level 114 1 1; suspend 3 115 12 fd:1; suspend 2 120 11 mutex:1 2; end 3000000
verdict 0
through; suspend 2 120 11 fd:5 2; end 3000000
verdict 0
rest() { begin; line level 5 '"tid":11,"on":"chan:1","value":0'; line level 5 '"tid":11,"on":"chan:2","value":0'
	create 1 10; create 2 10; resume 1 20 11; level 30 1 1; suspend 1 40 11 chan:2; resume 2 50 11; level 60 0 2
	line level 65 '"tid":11,"by":2,"on":"chan:2","value":1'; wake 1 66 11 chan:2 2; suspend 2 70 11 chan:1
	resume 1 80 11; line level 85 '"tid":11,"by":1,"on":"chan:2","value":0'; suspend 1 90 11 chan:2; end 3000000; }
rest; verdict 0
# who said the level again, as it was, may have taken one and put one: it is of both, and rests at another thing
both() { through; create 3 111; resume 3 112 12; level 113 1 3; suspend 3 115 12 fd:1; suspend 2 120 11 mutex:1 2; end 3000000; }
both; verdict 0
EOF

test_case 'deadlock: through a channel of which a thread has an end: what that one takes is nothing to them' <<'EOF'
level() { line level $1 "\"tid\":11,\"by\":$3,\"on\":\"chan:1\",\"value\":$2"; }
for end in acquire release; do
	begin; line level 5 '"tid":11,"on":"chan:1","value":0'; line $end 6 '"tid":12,"on":"chan:1"'; create 1 10; create 2 10; resume 1 20 11; level 30 1 1
	suspend 1 40 11; resume 2 50 11; level 60 0 2; level 61 1 1; line level 62 '"tid":12,"on":"chan:1","value":0'
	lock acquire 65 2 mutex:1; lock release 66 2 mutex:1
	suspend 2 70 11; resume 1 80 11; lock acquire 90 1 mutex:1; level 95 1 1; suspend 1 100 11 chan:1
	resume 2 110 11; suspend 2 120 11 mutex:1 2; end 3000000
	if [ $end = acquire ]; then verdict 1 'deadlock suspected 1'; else verdict 0; fi
done
EOF

# Each alone receives from its own, as it declared; another that makes room shows that it is not so.
test_case 'deadlock: through the room of channels, proven where their receivers are declared' <<'EOF'
full() { begin; for i in 7 8; do create $i $i; resume $i $((i + 10)) 11; lock acquire $((i + 20)) $i room:$i
	line level $((i + 40)) "\"tid\":12,\"by\":$((15 - i)),\"on\":\"room:$i\",\"value\":0"; done; $1
	suspend 7 100 11 room:8; suspend 8 110 11 room:7; }
full; end 1000000
verdict 1 "deadlock proven 7"
third() { for v in 1 0; do line level 90 "\"tid\":12,\"by\":9,\"on\":\"room:7\",\"value\":$v"; done; }
full third; end 1000000
verdict 0
full; line level 200 '"tid":12,"by":7,"on":"room:7","value":1'; end 1000000
verdict 1 "ready-resource proven 8"
full; line close 300 '"tid":12,"on":"chan:7"'; end 1000000			# with a channel goes its room
has '"ev":"close"' trace
ct-lostwake --json trace >out.json || :
has 'closed-resource.*"probe_id":8' out.json
EOF

test_case 'deadlock: each has a permit of a pool and waits for another, where permits were given back' <<'EOF'
level() { line level $1 "\"tid\":11${3:+,\"by\":$3},\"on\":\"sem:1\",\"value\":$2"; }
pool() {
	begin; ${2:-level} 5 2; create 1 10; create 2 10; resume 1 20 11; lock acquire 25 1 sem:1; level 26 1 1; $1
	suspend 1 40 11 sched:; resume 2 50 11; lock acquire 55 2 sem:1; level 56 0 2; ${3:-:}; suspend 2 60 11 sem:1
	resume 1 70 11; suspend 1 80 11 sem:1; end 3000000
}
back() { lock release 30 1 sem:1; level 31 2 1; lock acquire 32 1 sem:1; level 33 1 1; }
before() { level 30 2 1; lock release 31 1 sem:1; lock acquire 32 1 sem:1; level 33 1 1; }
pool back; verdict 1 "deadlock proven 1"
pool before; verdict 1 "deadlock proven 1"
pool :; verdict 1 "deadlock proven 1"			# all are had, as acquire says, by who gives it back
pool back :; verdict 1 "deadlock proven 1"		# first told when one had it
# a third is had by nobody who says so; it is the plain thread's
three() { level $1 3; }
taken() { level 57 0 2; }
pool back three taken; verdict 1 "deadlock suspected 1"
thread() { lock acquire 57 0 sem:1; }
pool back three thread; verdict 0
# others make some available: they may once more
fill() { level 30 2; lock release 31 1 sem:1; lock acquire 32 1 sem:1; level 33 1 1; }
pool fill; verdict 0
more() { back; level 34 2 3; level 35 1 3; }
pool more; verdict 0
# a line of it was lost, at any time
lost() { back; line lost 34 '"tid":11,"count":1,"from":0,"to":'$(ns 34); }
pool lost; verdict 3 "deadlock unknown 1"
EOF

test_case 'deadlock: what to do about it is of what they wait for' <<'EOF'
todo() { status 1 ct-lostwake trace >out; has "to do: $1" out; }
begin; waiting 7 1000 coro:8; waiting 8 1100 join:7; end 3000000
todo 'let none await one that waits for it'
cross() { begin; for c in 1 2; do create $c $c; resume $c 1$c 11; lock acquire 2$c $c $1:$c; lock release 3$c $c $1:$c; lock acquire 4$c $c $1:$c; done
	suspend 1 50 11 $1:2; suspend 2 60 11 ${2:-$1:1}; end 3000000; }
cross mutex
todo 'take locks in one order'
cross mutex join:1
todo 'take locks in one order'
cross sem
todo 'let nobody wait for a permit while it has one'
cross room
todo 'let nobody wait to send to one that waits for it'
cross cond
todo 'let nobody keep what others wait for'
# one that a time limit broke
cross mutex; sed -i '$d' trace; destroy 1 500000 11 false; destroy 2 500010 11 false; end 3000000
todo 'take locks in one order'
EOF

test_case 'deadlock: its members do not wait behind it' <<'EOF'
begin; create 1 10; create 2 10; resume 1 20 11; suspend 1 30 11 join:2; resume 2 40 11; suspend 2 50 11 join:1
waiting 3 1000 join:1 2; end 3000000
verdict 1 "deadlock proven 1"
has '"behind":1,"behind_ids":\[3\]' out.json
EOF

test_case 'deadlock: its members were destroyed after they had stood in it' <<'EOF'
pair() {
	begin; create 7 100; create 8 101; resume 7 110 11; resume 8 111 12; line acquire 200 '"tid":11,"by":7,"on":"mutex:1"'
	line acquire 201 '"tid":12,"by":8,"on":"mutex:2"'; suspend 7 1000 11 mutex:2; suspend 8 1001 12 mutex:1
}
pair; destroy 7 400000 11 false; destroy 8 400001 12 false; end 3000000
verdict 1 'deadlock proven 7'
has '"cycle":\[7,8\]' out.json
pair; create 1 390000; destroy 7 400000 11 false; destroy 8 400001 12 false; resume 1 500000 12; suspend 1 500010 12 timer: 3; end 3000000
verdict 1 'deadlock proven 7'
pair; destroy 8 20000 11 false; destroy 7 20001 12 false; end 3000000	# within the grace
verdict 0
EOF

# What a tokio runtime does as it shuts down: one worker comes back, drops a task and its guards, then the other worker does.
cat >>"$scratch/.case-lib" <<'EOT'
ring() {	# 7 and 8 wait for each other's lock; a worker comes back, and 7's guard is dropped
	begin; create 7 1000; create 8 1000; resume 7 1100 11; lock acquire 1110 7 mutex:0xa; suspend 7 1200 11 timer:5
	resume 8 1300 12; lock acquire 1310 8 mutex:0xb; suspend 8 1400 12 timer:5
	resume 7 2000 11; suspend 7 2100 11 mutex:0xb; resume 8 2200 12; suspend 8 2300 12 mutex:0xa
	line park 2400 '"tid":11'; line park 2400 '"tid":12'; line unpark 600000 '"tid":11'
	line release 600010 '"tid":11,"by":7,"on":"mutex:0xa"'
}
EOT
test_case 'a deadlock that a shutdown broke by dropping guards before it destroyed the tasks is one' <<'EOT'
ring; wake 8 600020 11 mutex:0xa 7; line unpark 600100 '"tid":12'; line release 600110 '"tid":12,"by":8,"on":"mutex:0xb"'
destroy 8 600120 12 false; destroy 7 600130 11 false; end 601000
verdict 1 'deadlock proven 7'
[ "$(grep -o '"what":"acquired"' out.json | wc -l)" = 2 ]
EOT
test_case 'but not where the one that released went on: another had its guard' <<'EOT'
ring; wake 8 600020 11 mutex:0xa; resume 8 600030 11; lock release 600040 8 mutex:0xb; wake 7 600050 11 mutex:0xb 8
destroy 8 600060 11; resume 7 600070 11; destroy 7 600080 11; end 601000
verdict 0
EOT

test_case 'nor where a lock is taken away from its holder, and nobody was destroyed as that was' <<'EOT'
# a manager, 9, takes it for the other after half a second; each goes on; the first is cancelled later
lease() {
	begin; for c in 7 8 9; do create $c 1000; done; resume 7 1100 11; lock acquire 1110 7 mutex:0xa; suspend 7 1200 11 timer:5
	resume 8 1300 12; lock acquire 1310 8 mutex:0xb; suspend 8 1400 12 timer:5; resume 9 1500 12; suspend 9 1510 12 timer:5
	resume 7 2000 11; suspend 7 2100 11 mutex:0xb 2; resume 8 2200 12; suspend 8 2300 12 mutex:0xa 2
	wake 9 600000 11 timer:5; resume 9 600010 11; lock release 600020 7 mutex:0xa; $1; wake 8 600030 11 mutex:0xa 9; suspend 9 600040 11 timer:5
	resume 8 600050 12; lock acquire 600060 8 mutex:0xa; suspend 8 600070 12 fd:6 3
	line park 600080 '"tid":11'; line park 600080 '"tid":12'; line unpark 800000 '"tid":11'; $2; line unpark 800100 '"tid":12'; end 900000
}
lease : :; verdict 0
lease : 'destroy 7 800010 11 false'; verdict 0
# it was cancelled, its guard released: each as it was then
lease 'destroy 7 600025 11 false' :; verdict 1 'deadlock proven 7'
has 'until one of them was destroyed' out.json
status 1 ct-lostwake trace >out; has 'coroutine 7 waited on mutex:11 -> coroutine 8 waited on mutex:10 ->' out
EOT

test_case 'deadlock: of several one is not known, whichever: suspected, and told' <<'EOF'
for legs in "'' mutex:2" "mutex:2 ''"; do
	begin; for c in 3 4; do create $c 10; resume $c 20 11; done; lock acquire 30 3 mutex:1; lock acquire 40 4 mutex:2
	eval "several any_of 3 1000 $legs"; suspend 4 1100 11 mutex:1; end 3000000
	verdict 1 'deadlock suspected 3'
	has 'what else may wake them is not known' out.json
done
EOF

# A snapshot: where each waits, and who can come to what.
cat >>"$scratch/.case-lib" <<'EOT'
seen() { line state 5 "\"probe_id\":$1,\"tid\":0,\"addr\":\"0x$1\",\"seq\":4,\"is_active\":false,\"n\":2,\"site\":1,\"on\":\"$2\",\"since\":\"before\""; }
has_it() { line acquire 5 "\"tid\":0,\"by\":$1,\"on\":\"$2\"$3"; }
EOT
test_case 'deadlock: in a snapshot unknown where others may have it, too; who rests at an event that nobody else has is let' <<'EOF'
for doubt in '' ',"doubt":"others may"'; do
	[ "$doubt" ] && sure=unknown status=3 || sure=proven status=1
	begin; seen 1 room:1; seen 2 chan:2; has_it 2 room:1 "$doubt"; has_it 1 chan:2 "$doubt"; end 5
	verdict $status "deadlock $sure 1"
	ct-where '.ts >= 0' trace >copy
	status $status ct-lostwake copy >out
	begin; seen 1 cond:1; seen 2 mutex:2; has_it 1 mutex:2; has_it 1 cond:1 "$doubt"; has_it 2 cond:1 "$doubt"; end 5
	verdict $status "deadlock $sure 1"
	begin; seen 1 cond:1; seen 2 cond:1; has_it 1 cond:1 "$doubt"; has_it 2 cond:1 "$doubt"; end 5
	verdict 0
done
begin; seen 1 cond:1; seen 2 mutex:2; has_it 1 mutex:2; has_it 1 cond:1; end 5
verdict 1 'deadlock proven 1'
begin; seen 1 chan:1; seen 2 chan:2; has_it 1 chan:2 "$doubt"; has_it 2 chan:1 "$doubt"; end 5
verdict 0
EOF
test_case 'deadlock: a lock that two have, where it ran while it was looked at, says that this was no one moment: suspected' <<'EOF'
looked() {	# MEMORY MUTEX-OF-1 MUTEX-OF-2 MUTEX-OF-3
	begin; sed -i "1s/}\$/,\"memory\":\"$1\"}/" trace
	seen 1 mutex:2; seen 2 mutex:1; seen 3 timer:; has_it 1 mutex:1; has_it 2 mutex:2
	has_it 1 "$2"; has_it 2 "$3"; has_it 3 "$4"; end 3000000
}
for locks in '9 9 8' '9 8 9' '7 9 9'; do
	set -- $locks
	looked running mutex:$1 mutex:$2 mutex:$3
	verdict 1 'deadlock suspected 1'
	has 'each may have waited at another moment' out.json
	looked stopped mutex:$1 mutex:$2 mutex:$3	# readers
	verdict 1 'deadlock proven 1'
done
looked running mutex:1 mutex:8 mutex:9
verdict 1 'deadlock proven 1'
EOF
done_testing
