#!/bin/sh
# ct-lostwake: each verdict proven, its healthy twin, and what loss and truncation leave of it.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"

test_case 'closed-resource: closed while it waits, and no wake' <<'EOF'
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5","site":3'; end 3000000
verdict 1 "closed-resource proven 7"
has '"on":"fd:5","site":{"func":"f1","file":"f.c","line":10}' out.json
has '"cause":{"line":10,"ts":1000002000000,"tid":12,"what":"closed","site":{"func":"f3","file":"f.c","line":30}}' out.json
has '"evidence":\[{"line":9,"what":"suspended"},{"line":10,"what":"closed"}\]' out.json
EOF

test_case 'closed-resource: healthy twins accuse nobody' <<'EOF'
# woken by the closer; closed before it went to wait; another object; too fresh; another process's fd 5; an unknown one
begin; waiting 1 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; wake 1 2005 12 fd:5; resume 1 2010 12
suspend 1 2020 12 fd:6
waiting 2 1000 fd:7; line close 500 '"tid":12,"on":"fd:7"'
waiting 3 1000 fd:8; line close 2000 '"tid":12,"on":"fd:9"'
waiting 4 1000 fd:10; line close 2950000 '"tid":12,"on":"fd:10"'
line thread 5 '"tid":90,"pid":2,"role":"worker"'
waiting 5 1000 fd:11; line close 2000 '"tid":90,"on":"fd:11"'
waiting 6 1000 fd:; line close 2000 '"tid":12,"on":"fd:"'
waiting 8 1000 chan:1; line close 2000 '"tid":12,"on":"chan:1"'; line notify 2001 '"tid":12,"on":"chan:1","woken":1'
end 3000000
verdict 0
EOF

test_case 'closed-resource: a channel that was opened, and closed before it came' <<'EOF'
begin; line open 10 '"tid":12,"on":"chan:1"'; line close 500 '"tid":12,"on":"chan:1"'; waiting 7 1000 chan:1; end 3000000
verdict 1 "closed-resource proven 7"
begin; line open 10 '"tid":12,"on":"chan:1"'; line close 500 '"tid":12,"on":"chan:1"'; waiting 7 1000 chan:1; waiting 8 1000 chan:2
end 3000000
verdict 1 "closed-resource suspected 7"
# opened anew; never told to be opened: the address may be another channel's
begin; line open 10 '"tid":12,"on":"chan:1"'; line close 500 '"tid":12,"on":"chan:1"'; line open 600 '"tid":12,"on":"chan:1"'
waiting 7 1000 chan:1; line close 700 '"tid":12,"on":"chan:2"'; waiting 8 1000 chan:2; end 3000000
verdict 0
EOF

test_case 'closed-resource: an fd number used again saves nobody' <<'EOF'
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; line open 2100 '"tid":12,"on":"fd:5"'
waiting 8 3000 fd:5; end 3000000
verdict 1 "closed-resource proven 7"
EOF

test_case 'closed-resource: closer than clocks can tell is suspected, in both readings' <<'EOF'
begin; waiting 7 1000 fd:5
printf '{"ev":"close","ts":%s,"tid":12,"on":"fd:5"}\n' $(($(ns 1000) + 300)) >>trace
end 3000000
verdict 1 "closed-resource suspected 7"
has 'happened the other way round' out.json
EOF

test_case 'loss after the suspend, a bad line, or a cut trace make it unknown, status 3' <<'EOF'
story() { begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; }
story; line lost 5000 '"tid":12,"count":3,"from":1000004000000,"to":1000005000000'; end 3000000
verdict 3 "closed-resource unknown 7"
story; line lost 5000 '"probe_id":7,"count":3,"from":1000004000000,"to":1000005000000'; end 3000000
verdict 3 "closed-resource unknown 7"
story; echo '{"probe_id":7' >>trace; line sync 4000; end 3000000
verdict 3 "closed-resource unknown 7" 2>err
story; line sync 3000000
verdict 3 "closed-resource unknown 7"
story; line end 3000000 '"events":4,"lost":9'
verdict 3 "closed-resource unknown 7"
EOF

test_case 'loss before it came, or of another coroutine, changes nothing' <<'EOF'
begin; line lost 500 '"tid":12,"count":3,"from":1000000400000,"to":1000000500000'
waiting 8 800 fd:9; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'
line lost 5000 '"probe_id":8,"count":3,"from":1000004000000,"to":1000005000000'; end 3000000
verdict 1 "closed-resource proven 7"
EOF

test_case 'a gap in n hides what stands before it, of that coroutine' <<'EOF'
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; waiting 8 1000 fd:6
n_8=9; resume 8 6000 11; suspend 8 6100 11 fd:6; line close 7000 '"tid":12,"on":"fd:6"'; end 3000000
verdict 1 'closed-resource proven 7' 'closed-resource proven 8'
# Where more is missing than the gap says, it may be a resume of 7; but not where a state line tells that it waits.
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; waiting 8 1000 fd:6
n_8=4; resume 8 6000 11; suspend 8 6100 11 timer:99; line lost 6200 '"tid":11,"count":3,"from":5000,"to":'$(ns 6200)
cp trace some; line end 3000000 '"events":0,"lost":3'
verdict 3 'closed-resource unknown 7'
cp some trace; seq=6
for c in 7 8; do
	printf '{"probe_id":%s,"tid":11,"addr":"0x0000000000000000","seq":%s,"is_active":false,"ts":%s,"ev":"state","n":%s,"site":1,"on":"%s"}\n' \
		$c $([ $c = 7 ] && echo 6 $(ns 1000) 3 fd:5 || echo 12 $(ns 6100) 6 timer:99) >>trace
done
line end 3000000 '"events":0,"lost":3,"live":2'
verdict 1 'closed-resource suspected 7'
has 'lost events after that' out.json
EOF

test_case 'lines that vanished are known by kind, and touch only whom they could concern' <<'EOF'
counted() {	# KIND COUNT: the trace, whose end line counts so many
	begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'
	line end 3000000 '"events":4,"lost":0,"lines":{"create":1,"resume":1,"suspend":1,"close":1'"$1}"
}
counted ''; verdict 1 'closed-resource proven 7'
counted ',"thread":2,"site":3'; verdict 1 'closed-resource proven 7'
counted ',"park":9'; verdict 1 'closed-resource proven 7'
counted ',"wake":1'; verdict 3 'closed-resource unknown 7'
counted ',"thread":3'; verdict 3 'closed-resource unknown 7'
# a thread that acts and was never introduced
begin; waiting 7 1000 fd:5; line process 500 '"pid":1'; line close 2000 '"tid":13,"on":"fd:5"'; end 3000000
verdict 3
EOF

test_case 'dead-awaitee: ended while awaited, or before' <<'EOF'
begin; create 3 100; create 4 100; resume 4 110 12; destroy 4 120 12 false
waiting 7 1000 join:3; waiting 8 1000 coro:4; resume 3 1500 12; destroy 3 2000 12; end 3000000
verdict 1 "dead-awaitee proven 7" "dead-awaitee proven 8"
has 'coroutine 3 finished at +0.002000s' out.json
has 'coroutine 4 cancelled at +0.000120s' out.json
# healthy: the end woke it; and one that waits for somebody alive
begin; create 3 100; waiting 7 1000 join:3; waiting 9 1000 join:8; waiting 8 1000 fd:3
resume 3 1500 12; wake 7 1990 12 join:3 3; destroy 3 2000 12; resume 7 2100 11; suspend 7 2200 11 fd:9; end 3000000
verdict 0
EOF

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
EOF

test_case 'dropped-wake: woken, and every worker has looked for work since' <<'EOF'
begin; waiting 7 1000 fd:5; wake 7 2000 12 fd:5
line park 2500 '"tid":11,"depth":0'; line park 2600 '"tid":12,"depth":0'; end 3000000
verdict 1 "dropped-wake proven 7"
has '"line":11,"what":"worker parked"' out.json
# never run at all; depth not told
begin; create 7 1000; wake 7 2000 12 ''; line park 2500 '"tid":11'; line park 2600 '"tid":12'; end 3000000
verdict 1 "dropped-wake proven 7"
EOF

test_case 'asleep-workers: woken while all sleep, and nobody was told' <<'EOF'
begin; waiting 7 1000 fd:5; line park 1500 '"tid":11,"depth":0'; line park 1500 '"tid":12,"depth":0'
line thread 5 '"tid":13,"pid":1,"role":"other"'; wake 7 2000 13 fd:5; end 3000000
verdict 1 "asleep-workers proven 7"
EOF

# A machine so busy that it does not run them for longer than the grace.
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

test_case 'woken: healthy twins' <<'EOF'
# one worker never looked again, as it runs something long (a hint); another was told and is on its way; the wake is fresh
begin; waiting 7 1000 fd:5; create 8 900; resume 8 1900 11; wake 7 2000 12 fd:5; line park 2600 '"tid":12,"depth":0'
end 3000000
verdict 0 "dropped-wake hint 7"
begin; waiting 7 1000 fd:5; line park 1500 '"tid":11'; line park 1500 '"tid":12'; wake 7 2990000 13 fd:5
end 3000000
verdict 0
begin; waiting 7 1000 fd:5; line park 1500 '"tid":11'; line park 1500 '"tid":12'; wake 7 2000 13 fd:5
line unpark 2010 '"tid":12'; end 3000000
verdict 0
EOF

test_case 'woken: loss makes it unknown' <<'EOF'
begin; waiting 7 1000 fd:5; wake 7 2000 12 fd:5; line park 2500 '"tid":11,"depth":0'; line park 2600 '"tid":12,"depth":0'
line lost 2400 '"tid":11,"count":1,"from":1000002300000,"to":1000002400000'; end 3000000
verdict 3 "dropped-wake unknown 7"
EOF

# The queue is never empty; a wake that another dequeue may have left in it proves nothing.
test_case 'dropped-wake: taken from the run queue and not run, however busy the workers are' <<'EOF'
busy() {
	for tid in 11 12; do line unpark 5 "\"tid\":$tid,\"depth\":1"; done
	create 3 10; resume 3 20 11; create 4 10; resume 4 20 12
}
dequeue() { line dequeue $2 "\"tid\":12,\"probe_id\":$1,\"by\":4,\"site\":2"; }
begin; busy; waiting 7 100 fd:5; wake 7 200 12 fd:5; dequeue 7 300; end 1000000
verdict 1 "dropped-wake proven 7"
has '"cause":{"line":[0-9]*,"ts":1000000300000,"tid":12,"by":4,"what":"dequeued, not run"' out.json
begin; busy; waiting 7 100 fd:5; wake 7 200 12 fd:5; wake 7 250 12 fd:5; dequeue 7 300; end 1000000
verdict 0
begin; busy; waiting 7 100 fd:5; wake 7 200 12 fd:5; dequeue 7 300; wake 7 400 12 fd:5; end 1000000
verdict 0
begin; busy; waiting 7 100 fd:5; dequeue 7 150; wake 7 200 12 fd:5; end 1000000	# a stale entry
verdict 0
begin; busy; waiting 7 100 fd:5; wake 7 200 12 fd:5; dequeue 7 300; resume 7 400 11; suspend 7 500 11 fd:5
wake 7 600 12 fd:5; end 1000000							# it ran all the same
verdict 0
begin; busy; create 7 100; wake 7 200 12; dequeue 7 300; end 1000000		# never run
verdict 1 "dropped-wake proven 7" "blocked-workers hint 3" "blocked-workers hint 4"
begin; busy; waiting 7 100 fd:5; wake 7 200 12 fd:5; dequeue 7 300; destroy 7 400 12 false; end 1000000
verdict 0
EOF

test_case 'a deadline that was moved counts from there; where such are told, a late timer is suspected' <<'EOF'
moved() { line deadline $2 "\"tid\":12,\"probe_id\":$1,\"on\":\"timer:$3\",\"site\":2"; }
rest() { line park $1 '"tid":11,"depth":0'; line park $1 '"tid":12,"depth":0'; end 3000000; }
begin; waiting 7 100 timer:$(ns 900000); moved 7 200 $(ns 1000); rest 5000		# earlier, and forgotten
verdict 1 "ready-resource suspected 7"
has 'their deadline was moved, has passed since' out.json
begin; waiting 7 100 timer:$(ns 1000); moved 7 200 $(ns 9000000); rest 5000		# put off
verdict 0
begin; waiting 7 100 timer:$(ns 1000); moved 7 200; rest 5000				# switched off
verdict 0
begin; waiting 7 100 timer:$(ns 900000); moved 7 2950000 $(ns 1000); rest 2960000	# to the past, but just now
verdict 0
begin; waiting 7 100 timer:$(ns 1000); waiting 8 150 timer:$(ns 9000000); moved 8 200 $(ns 9000001); rest 5000
verdict 1 "ready-resource suspected 7"
begin; waiting 7 100 timer:$(ns 1000); rest 5000					# nobody tells: it may have been put off
verdict 0 "ready-resource hint 7"
begin; waiting 7 100 fd:5; moved 7 200 $(ns 1000); rest 5000			# waits for no timer
verdict 0
ct-stuck trace >stuck || :
has 'on fd:5' stuck
begin; waiting 7 100 timer:$(ns 900000); moved 7 200 $(ns 1000); rest 5000
ct-stuck --json trace >stuck || :
has "timer:$(ns 1000)" stuck
EOF

test_case 'any of several, all of several: what is hopeless, and what is not known' <<'EOF'
seven() { [ "${n_7:-}" ] || { create 7 10; resume 7 20 11; }; key=$1; shift; several $key 7 "$@"; }
closed() { line close $1 "\"tid\":12,\"on\":\"$2\""; }
begin; seven any_of 100 chan:1 fd:5; closed 200 chan:1; closed 300 fd:5; end 1000000
verdict 1 "closed-resource proven 7"
has '"on":"any of chan:1, fd:5"' out.json
ct-stuck trace >stuck || :
has 'on any of chan:1, fd:5' stuck
begin; seven any_of 100 chan:1 timer:$(ns 9000000); closed 200 chan:1; end 1000000	# the timer may come
verdict 0
begin; seven all_of 100 chan:1 fd:5; closed 200 chan:1; end 1000000			# one is done, it waits for the other
verdict 0
begin; seven all_of 100 chan:1 fd:5; closed 200 chan:1; closed 300 fd:5; end 1000000
verdict 1 "closed-resource proven 7"
begin; seven any_of 100 chan:1 fd:5; closed 200 chan:1; closed 300 fd:5; wake 7 400 12 chan:1; resume 7 500 12; end 1000000
verdict 0
# a leg is missing: nothing is known of what it waits for
begin; seven any_of 100 chan:1 fd:5; sed -i '/"ev":"leg".*fd:5/d' trace; closed 200 chan:1; end 1000000
verdict 0
begin; seven any_of 100 chan:1; sed -i 's/"ev":"leg"\(.*\)"n":3/"ev":"leg"\1"n":2/' trace; closed 200 chan:1; end 1000000
verdict 0
# ended children; a level for one leg belongs to whom it woke
begin; create 8 5; create 9 6; seven all_of 100 join:8 join:9; destroy 8 200 11; destroy 9 300 11; end 1000000
verdict 1 "dead-awaitee proven 7"
begin; create 8 5; create 9 6; seven any_of 100 join:8 join:9; destroy 8 200 11; end 1000000
verdict 0
# locks: 7 has mutex:1 and waits for either of two that 8 has, who waits for mutex:1
knot() { begin; create 7 10; resume 7 20 11; create 8 10; resume 8 20 12; lock acquire 30 8 mutex:2; lock acquire 31 8 mutex:3
	lock acquire 32 7 mutex:1; suspend 8 90 12 mutex:1; seven $1 100 $2 $3; end 1000000; }
knot any_of mutex:2 mutex:3
verdict 1 "deadlock proven 7"
knot all_of mutex:2 fd:5
verdict 1 "deadlock proven 7"
knot any_of mutex:2 fd:5
verdict 0
knot any_of mutex:2 timer:$(ns 1)
verdict 0
knot any_of mutex:2 fd:5; sed -i 's/,"on":"fd:5"//' trace		# and who knows what
verdict 1 "deadlock suspected 7"
# its own lock: another branch of it may have that, and go on
begin; create 7 10; resume 7 20 11; lock acquire 30 7 mutex:2; seven any_of 100 mutex:2 fd:5; sed -i 's/,"on":"fd:5"//' trace; end 1000000
verdict 0
knot any_of mutex:2 timer:; has '"ev":"leg".*"on":"timer:"' trace		# that will come, nobody knows when
verdict 0
EOF

# One of several is to wake it, so each is judged alone; of all of several nothing is known until the last.
test_case 'any of several: what is there, what was missed, and a time limit that has passed' <<'EOF'
seven() { [ "${n_7:-}" ] || { create 7 10; resume 7 20 11; }; key=$1; shift; several $key 7 "$@"; }
level() { line level $1 "\"tid\":12,\"on\":\"$2\",\"value\":$3"; }
moved() { line deadline $1 "\"probe_id\":7,\"tid\":12,\"on\":\"timer:$2\""; }
ready() { begin; level 3 chan:2 1; level 4 chan:2 0; seven $1 100 fd:5 chan:2; level 200 chan:2 1; }
ready any_of; end 1000000
verdict 1 "ready-resource proven 7"
ready all_of; end 1000000
verdict 0
ready any_of; wake 7 300 12 chan:2; resume 7 310 11; seven any_of 320 fd:5 chan:3; end 1000000
verdict 0
# another was woken for it, and has yet to take it
ready any_of; waiting 8 90 chan:2; wake 8 250 12 chan:2; end 1000000
verdict 0
begin; create 7 10; resume 7 20 11; create 8 10; resume 8 20 12; lock acquire 30 8 mutex:2; seven any_of 100 mutex:2 timer:$(ns 9000000)
lock release 200 8 mutex:2; end 1000000
verdict 1 "ready-resource proven 7"
missed() { begin; create 7 10; resume 7 20 11; wake 7 50 12 sem:3; $1; seven any_of 100 sem:3 fd:5; end 1000000; }
missed 'level 60 sem:3 1'
verdict 1 "missed-wake proven 7"
# a suspicion is not enough: it may have taken what it was woken for
missed
verdict 0
limit() { begin; seven $1 100 chan:2 timer:$(ns 5000) $2; $3; end 1000000; }
limit any_of
verdict 0 "ready-resource hint 7"
limit all_of
verdict 0
limit any_of '' "moved 200 $(ns 9000)"
verdict 1 "ready-resource suspected 7"
limit any_of '' "moved 200 $(ns 9000000)"
verdict 0
limit any_of timer:$(ns 6000) "moved 200 $(ns 9000000)"		# one of the two: which, nobody knows
verdict 0
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

test_case 'dropped-wake: without park events it takes ten times the longest delay, and is suspected' <<'EOF'
begin; waiting 8 500 fd:6; wake 8 600 12 fd:6; resume 8 700 11; suspend 8 710 11 fd:6
waiting 7 1000 fd:5; wake 7 2000 12 fd:5; end 3000000
verdict 1 "dropped-wake suspected 7"
begin; waiting 8 500 fd:6; wake 8 600 12 fd:6; resume 8 500700 11; suspend 8 500710 11 fd:6
waiting 7 1000 fd:5; wake 7 2000 12 fd:5; end 3000000
verdict 0
EOF

test_case 'ready-resource: told since it waits, and nobody was woken for it' <<'EOF'
begin; waiting 7 1000 chan:1; line level 2000 '"tid":12,"on":"chan:1","value":2'; end 3000000
verdict 1 "ready-resource proven 7"
begin; waiting 7 1000 sem:1; line level 2000 '"tid":12,"on":"sem:1","value":2'; end 3000000
verdict 1 "ready-resource suspected 7"
none='"tid":12,"on":"sem:1","value":0'
begin; line level 900 "$none"; waiting 7 1000 sem:1; line level 2000 '"tid":12,"on":"sem:1","value":1'; end 3000000
verdict 1 "ready-resource proven 7"
# who was woken for it was cancelled before it ran
begin; waiting 8 1000 chan:1; waiting 7 1001 chan:1; line level 2000 '"tid":12,"on":"chan:1","value":1'; wake 8 2001 12 chan:1
destroy 8 2002 12 false; end 3000000
verdict 1 "wasted-wake proven 7"
begin; line level 800 '"tid":12,"on":"sem:1","value":3'; line level 900 "$none"; waiting 7 1000 sem:1
line level 2000 '"tid":12,"on":"sem:1","value":1'; end 3000000
verdict 1 "ready-resource suspected 7"
begin; create 3 10; line acquire 20 '"tid":11,"by":3,"on":"mutex:1"'; waiting 7 1000 mutex:1
line release 2000 '"tid":11,"by":3,"on":"mutex:1"'; end 3000000
verdict 1 "ready-resource proven 7"
EOF

test_case 'ready-resource: an event opened, and more were let go than it is worth items, but not all' <<'EOF'
goes() { wake $1 $2 11 cond:1; resume $1 $(($2 + 10)) 11; suspend $1 $(($2 + 20)) 11 ${3:-cond:2} 2; }
opened() { begin; line level 10 '"tid":11,"on":"cond:1","value":0'; for c in 6 7 8; do waiting $c 1000 cond:1; done
	line level 2000 '"tid":12,"on":"cond:1","value":1'; }
opened; goes 7 2100; goes 8 2200; end 3000000
verdict 1 "ready-resource proven 6"
# who was let go has ended
opened; goes 7 2100; wake 8 2200 11 cond:1; resume 8 2210 11; destroy 8 2220 11; end 3000000
verdict 1 "ready-resource proven 6"
# healthy: one item, that the one takes who was woken; taken by the second; that it was taken is not reported, as others come
# and wait; the last has yet to run; all were let go
opened; goes 7 2100; end 3000000
verdict 0
opened; goes 7 2100; goes 8 2200; line level 2300 '"tid":11,"on":"cond:1","value":0'; end 3000000
verdict 0
opened; goes 7 2100; goes 8 2200 cond:1; end 3000000
verdict 0
opened; goes 7 2100; wake 8 2200 11 cond:1; resume 8 2210 11; end 3000000
verdict 0
opened; goes 6 2050; goes 7 2100; goes 8 2200; end 3000000
verdict 0
EOF

test_case 'ready-resource: healthy twins' <<'EOF'
# two wait for a lock: the other one was woken for it, and for that nobody said what for
begin; create 3 10; line acquire 20 '"tid":11,"by":3,"on":"mutex:1"'; waiting 7 1000 mutex:1; waiting 8 1001 mutex:1
line release 2000 '"tid":11,"by":3,"on":"mutex:1"'; wake 8 2001 12 ''; end 3000000
verdict 0
# taken again; another was woken for it; a sender before a full channel; a lock taken again; a timer far away
begin; waiting 1 1000 chan:1; line level 2000 '"tid":12,"on":"chan:1","value":1'; line level 2100 '"tid":12,"on":"chan:1","value":0'
waiting 2 1000 chan:2; waiting 3 1000 chan:2; line level 2000 '"tid":12,"on":"chan:2","value":1'; wake 3 2001 12 chan:2
line level 900 '"tid":12,"on":"chan:3","value":8'; waiting 4 1000 chan:3
create 5 10; line acquire 20 '"tid":11,"by":5,"on":"mutex:1"'; waiting 6 1000 mutex:1
line release 2000 '"tid":11,"by":5,"on":"mutex:1"'; line acquire 2001 '"tid":11,"by":5,"on":"mutex:1"'
waiting 7 1000 timer:9000000000000
line level 2950000 '"tid":12,"on":"chan:4","value":1'; waiting 8 1000 chan:4
end 3000000
verdict 0
EOF

test_case 'dead-owner: the holder ended without releasing' <<'EOF'
begin; create 3 10; line acquire 20 '"tid":11,"by":3,"on":"mutex:1"'; waiting 7 1000 mutex:1
resume 3 1500 12; destroy 3 2000 12; end 3000000
verdict 1 "dead-owner proven 7"
has 'its holder coroutine 3 finished at +0.002000s' out.json
begin; create 3 10; line acquire 20 '"tid":11,"by":3,"on":"mutex:1"'; waiting 7 1000 mutex:1
resume 3 1500 12; line release 1900 '"tid":12,"by":3,"on":"mutex:1"'; wake 7 1901 12 mutex:1
destroy 3 2000 12; resume 7 2100 11; line acquire 2110 '"tid":11,"by":7,"on":"mutex:1"'; suspend 7 2200 11 fd:1; end 3000000
verdict 0
EOF

test_case 'many behind one: one finding, that counts them, and --all names them' <<'EOF'
# three wait for a lock whose holder ended; three behind one that was forgotten, and one that joins one of these
begin; create 1 10; resume 1 20 11; lock acquire 30 1 mutex:1
waiting 7 1000 mutex:1; waiting 8 1100 mutex:1; waiting 9 1200 mutex:1
destroy 1 2000 11; create 2 2010; resume 2 2020 11; lock acquire 2030 2 mutex:2
suspend 2 2040 11 fd:5; line close 2050 '"tid":12,"on":"fd:5"'
waiting 17 3000 mutex:2 2; waiting 18 3100 mutex:2 2; waiting 19 3200 mutex:2 2; waiting 20 3300 join:18 3
end 3000000
verdict 1 "closed-resource proven 2" "dead-owner proven 7"
has '"behind":4,"behind_ids":\[19,18,17,20\]' out.json
has '"behind":2,"behind_ids":\[' out.json
status 1 ct-lostwake trace >text
has '4 wait behind it' text
has '2 wait behind it' text
has '2 findings: 2 proven, 8 coroutines live' text
hasnt 'waits behind it, on' text
status 1 ct-lostwake --all trace >text
has '^    coroutine 20 waits behind it, on join:18' text
[ "$(grep -c 'waits behind it, on' text)" = 6 ]
ct-report --format=sarif trace >sarif || :
has '"behind":4}' sarif
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
EOF

test_case 'ready-resource: three permits, one woken for them; a lease by acquire lines, with levels' <<'EOF'
level() { line level $1 "\"tid\":12,\"on\":\"sem:1\",\"value\":$2"; }
three() {
	begin; level 10 1; level 20 0; for c in 6 7 8; do waiting $c $((c * 100)) sem:1; done; level 2000 3; wake 6 2010 12 sem:1
	resume 6 2020 11
}
three; suspend 6 2030 11 mutex:9; end 3000000
verdict 1 "ready-resource suspected 7" "ready-resource suspected 8"
three; level 2025 0; suspend 6 2030 11 mutex:9; end 3000000
verdict 0
lease() {
	begin; $1 10 1; create 1 20; resume 1 30 11; lock acquire 40 1 sem:1; $1 45 0; destroy 1 50 11; waiting 7 1000 sem:1; end 3000000
}
lease level; verdict 1 "dead-owner suspected 7"
lease :; verdict 1 "dead-owner suspected 7"
EOF

test_case 'deadlock: its members do not wait behind it' <<'EOF'
begin; create 1 10; create 2 10; resume 1 20 11; suspend 1 30 11 join:2; resume 2 40 11; suspend 2 50 11 join:1
waiting 3 1000 join:1 2; end 3000000
verdict 1 "deadlock proven 1"
has '"behind":1,"behind_ids":\[3\]' out.json
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
EOF

test_case 'deadlock: each has a permit of a pool and waits for another; suspected, where permits were given back' <<'EOF'
level() { line level $1 "\"tid\":11,\"on\":\"sem:1\",\"value\":$2"; }
pool() {
	begin; level 5 2; create 1 10; create 2 10; resume 1 20 11; lock acquire 25 1 sem:1; level 26 1; $1
	suspend 1 40 11 sched:; resume 2 50 11; lock acquire 55 2 sem:1; level 56 0; suspend 2 60 11 sem:1
	resume 1 70 11; suspend 1 80 11 sem:1; end 3000000
}
back() { lock release 30 1 sem:1; level 31 2; lock acquire 32 1 sem:1; level 33 1; }
pool back; verdict 1 "deadlock suspected 1"
pool :; verdict 0
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

test_case 'ready-resource: woken for a descriptor, and waiting for it again though it is not empty: a hint' <<'EOF'
came() { printf '{"ev":"level","ts":%s,"tid":12,"on":"fd:5","value":%s}\n' $(ns $1) $2 >>trace; }
conn() { begin; $1; waiting 7 1000 fd:5; came 2000 1; wake 7 2010 12 fd:5; resume 7 2020 11; $2; suspend 7 2040 11 fd:5 2; end 3000000; }
empty() { came 500 0; }
drained() { line level 2030 '"tid":11,"by":7,"on":"fd:5","value":0'; }
conn empty :; verdict 0 "ready-resource hint 7"
conn empty drained; verdict 0
# nobody ever said that it was empty
conn : :; verdict 0
EOF

test_case 'blocked-workers: a hint that names the polls, only where all workers are inside one' <<'EOF'
blocked() {
	begin; waiting 3 100 timer:1000001000000
	create 1 110; resume 1 120 11; create 2 110; resume 2 130 12; create 4 140; wake 4 150 12
}
blocked; end 3000000
verdict 0 "blocked-workers hint 1" "blocked-workers hint 2"
has '"to_run":2' out.json
blocked; suspend 2 160 12 fd:5; end 3000000
verdict 0 "ready-resource hint 3"
blocked; end 90000
verdict 0
blocked; line thread 0 '"tid":13,"pid":1,"role":"worker"'; line park 100 '"tid":13,"depth":0'; end 3000000
ct-lostwake --json trace >out || :
hasnt blocked-workers out
EOF

test_case 'dead-owner: what was lost since the lock was taken may be its release' <<'EOF'
begin; create 3 10; line acquire 20 '"tid":11,"by":3,"on":"mutex:1"'
line lost 500 '"tid":12,"count":1,"from":1000000400000,"to":1000000500000'; waiting 7 1000 mutex:1
resume 3 1500 12; destroy 3 2000 12; end 3000000
verdict 3 "dead-owner unknown 7"
# or, before that, that somebody awaited what its holder returns
begin; create 3 10; line lost 15 '"tid":12,"count":1,"from":1000000014000,"to":1000000015000'
line acquire 20 '"tid":11,"by":3,"on":"mutex:1"'; waiting 7 1000 mutex:1; resume 3 1500 12; destroy 3 2000 12; end 3000000
verdict 3 "dead-owner unknown 7"
EOF

test_case 'dead-owner: what may have been handed over is only suspected' <<'EOF'
holds() { begin; create 3 10; resume 3 11 12; lock acquire 20 3 mutex:1; waiting 7 1000 mutex:1; }
# over a channel; not by one that was cancelled
holds; line level 1500 '"tid":12,"by":3,"on":"chan:5","value":1'; destroy 3 2000 12; end 3000000
verdict 1 "dead-owner suspected 7"
holds; line level 1500 '"tid":12,"by":3,"on":"chan:5","value":1'; destroy 3 2000 12 false; end 3000000
verdict 1 "dead-owner proven 7"
# it only took something from one
holds; line level 1500 '"tid":11,"on":"chan:5","value":1'; line level 1600 '"tid":12,"by":3,"on":"chan:5","value":0'
destroy 3 2000 12; end 3000000
verdict 1 "dead-owner proven 7"
# returned to whom awaited it: who gives it back, or lives, or ends with it
holds; waiting 8 1001 coro:3; destroy 3 2000 12; wake 8 2001 12 coro:3; resume 8 2002 11
lock release 2100 8 mutex:1; wake 7 2101 11 mutex:1; resume 7 2102 12; suspend 7 2103 12 fd:5; end 3000000
verdict 0
holds; waiting 8 1001 coro:3; destroy 3 2000 12; wake 8 2001 12 coro:3; resume 8 2002 11; suspend 8 2003 11 fd:1; end 3000000
verdict 1 "dead-owner suspected 7"
holds; waiting 8 1001 coro:3; destroy 3 2000 12; wake 8 2001 12 coro:3; resume 8 2002 11; destroy 8 2003 11; end 3000000
verdict 1 "dead-owner proven 7"
has '"by":8,"what":"coroutine finished"' out.json
EOF

test_case 'lost-waker: the last waker of a root was dropped while it waits' <<'EOF'
begin; create 7 10; resume 7 20 11; line waker 30 '"tid":11,"probe_id":7,"op":"clone"'; suspend 7 1000 11 ''
line waker 2000 '"tid":12,"probe_id":7,"op":"drop"'; end 3000000
verdict 1 "lost-waker proven 7"
# healthy: one is left; dropped by the wake itself; its parent polls it
begin; create 1 10; resume 1 20 11; for i in 1 2; do line waker 30 '"tid":11,"probe_id":1,"op":"clone"'; done
suspend 1 1000 11 ''; line waker 2000 '"tid":12,"probe_id":1,"op":"drop"'
create 3 5; resume 3 6 11; create 2 10 3; resume 2 20 11; line waker 30 '"tid":11,"probe_id":2,"op":"clone"'; suspend 2 1000 11 ''
suspend 3 1001 11 fd:7; line waker 2000 '"tid":12,"probe_id":2,"op":"drop"'
create 4 5; resume 4 6 12; line waker 7 '"tid":12,"probe_id":4,"op":"clone"'; suspend 4 8 12 ''; waiting 5 900 coro:4
line waker 2000 '"tid":12,"probe_id":4,"op":"drop"'; end 3000000
verdict 0
# a task of its own, though it was spawned by one that lives
begin; create 3 5; resume 3 6 11; create 2 10 3; suspend 3 15 11 fd:7; resume 2 20 11
line waker 30 '"tid":11,"probe_id":2,"op":"clone"'; suspend 2 1000 11 ''
line waker 2000 '"tid":12,"probe_id":2,"op":"drop"'; end 3000000
verdict 1 "lost-waker proven 2"
EOF

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

test_case 'what a busy process was about to do when it died accuses nobody' <<'EOF'
flight() { begin; waiting 7 1000 chan:5; waiting 8 1000 fd:5; create 3 1001; resume 3 1002 12
	line level 2000 '"tid":12,"by":3,"on":"chan:5","value":1'; }
flight; line exit 600000 '"pid":1,"alive":1000000000000,"signal":9'; end 600100
verdict 0
flight; line exit 600000 '"pid":1,"alive":1000400000000,"signal":9'; end 600100
verdict 1 "ready-resource proven 7"
# all asleep: a plain thread may have been about to wake it
flight; suspend 3 2100 12 fd:7; for t in 11 12; do line park 2200 "\"tid\":$t,\"depth\":0"; done; cp trace asleep
line exit 600000 '"pid":1,"alive":1000000000000,"signal":9'; end 600100
verdict 0
cp asleep trace; line exit 600000 '"pid":1,"alive":1000200000000,"signal":9'; end 600100
verdict 1 "ready-resource proven 7"; has '"age":599000000' out.json
EOF

test_case 'lines that were taken out and not declared are a loss' <<'EOF'
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; line end 3000000 '"events":5,"lost":0'
verdict 3 "closed-resource unknown 7"
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; line end 3000000 '"events":4,"lost":0'
verdict 1 "closed-resource proven 7"
EOF

test_case 'asleep-workers: one sleeps with as many in its queue as wait to run, though others are busy' <<'EOF'
pinned() { begin; waiting 7 1000 fd:5; create 3 1001; resume 3 1002 12; wake 7 2000 12 fd:5; line park 2010 "\"tid\":11,\"depth\":$1"; }
pinned 1; resume 3 9 12; end 3000000
verdict 1 "asleep-workers proven 7"
pinned 2; end 3000000
verdict 0
EOF

test_case 'dropped-wake: a worker that left long ago looks for nothing' <<'EOF'
begin; waiting 7 1000 fd:5; line thread 1500 '"tid":11,"pid":1,"ended":true'; wake 7 2000 12 fd:5
line park 2010 '"tid":12,"depth":0'; end 3000000
verdict 1 "dropped-wake proven 7"
EOF

test_case 'ready-resource: who waits for room in a full channel is no receiver' <<'EOF'
level() { line level $1 "\"tid\":12,\"on\":\"chan:1\",\"value\":$2"; }
begin; for n in 1 2; do level 50$n $n; done; waiting 7 1000 chan:1; waiting 8 1001 chan:1
level 2000 1; wake 7 2001 12 chan:1; resume 7 2002 11; level 2003 2; suspend 7 2010 11 fd:9; end 3000000
verdict 0
EOF

test_case 'deadlock: of a holder that was not known when it took the lock nothing follows' <<'EOF'
begin; lock acquire 10 2 mutex:9; waiting 7 1000 mutex:9; resume 2 1100 12; end 3000000
verdict 0
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

test_case 'a notify on a channel that came while the receiver still ran' <<'EOF'
level() { line level $1 "\"tid\":12,\"on\":\"chan:1\",\"value\":$2"; }
begin; create 7 10; resume 7 20 11; level 500 1; suspend 7 1000 11 chan:1; end 3000000
verdict 1 "ready-resource suspected 7"	# or it wants to send
begin; level 5 0; create 7 10; resume 7 20 11; suspend 7 30 11 chan:1; level 40 1; wake 7 41 12 chan:1; resume 7 42 11; level 43 0
level 500 1; suspend 7 1000 11 chan:1; end 3000000
verdict 1 "ready-resource proven 7"	# it waited there before, with nothing in it
EOF

test_case 'straggler: eight others left the place since, none waited a tenth as long' <<'EOF'
begin; waiting 7 1000 user:x 2
for i in 21 22 23 24 25 26 27 28; do waiting $i 2000 user:y$i 2; resume $i 2100 12; destroy $i 2200 12; done; end 3000000
verdict 0 "straggler hint 7"
status 1 ct-lostwake --fail-on=hint trace
begin; waiting 7 1000 user:x 2
for i in 21 22 23 24 25 26 27; do waiting $i 2000 user:y$i 2; resume $i 2100 12; destroy $i 2200 12; done; end 3000000
verdict 0
EOF

test_case 'a proof beats a suspicion; one verdict a coroutine' <<'EOF'
begin; create 7 10; resume 7 20 11; wake 7 50 12 fd:5; suspend 7 100 11 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; end 3000000
verdict 1 "closed-resource proven 7"
EOF

test_case 'T is the end of its process: what a shutdown left behind is too fresh' <<'EOF'
begin; waiting 7 1000 fd:5; line close 50000 '"tid":12,"on":"fd:5"'; line exit 51000 '"pid":1,"status":0'; end 3000000
verdict 0
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; line exit 2000000 '"pid":1,"signal":9'; end 2000100
verdict 1 "closed-resource proven 7"
EOF

test_case '`state` lines set the last state after loss' <<'EOF'
begin; waiting 7 1000 fd:5; line lost 3000 '"tid":12,"count":5,"from":1000002000000,"to":1000003000000'
line close 5000 '"tid":12,"on":"fd:6"'
printf '{"probe_id":7,"tid":12,"addr":"0x0000000000000000","seq":10,"is_active":false,"ts":%s,"ev":"state","n":5,"site":1,"on":"fd:6"}\n' \
	"$(ns 4000)" >>trace
end 3000000
verdict 1 "closed-resource proven 7"
EOF

test_case 'the printed report groups what has one cause, and ends in a summary' <<'EOF'
begin; line name 5 '"tid":11,"probe_id":8,"name":"conn 8"'; waiting 7 1000 fd:5; waiting 8 1000 fd:6
line name 1500 '"tid":11,"probe_id":8,"name":"conn \u001b8"'
line close 1002000 '"tid":12,"on":"fd:5","site":3'; line close 1003000 '"tid":12,"on":"fd:6","site":3'; end 2001000
status 1 ct-lostwake trace >actual
cat >expected <<'OUT'
2 coroutines: closed-resource (proven): f1 f.c:10
  what they wait on was closed and nobody woke them
  to do: resume its waiters before it is closed, as before close(fd), on every path that closes it
  coroutine 7 waits on fd:5 for 2.00s; closed at +1.002000s by worker thread 12 "w12" (f3 f.c:30) [lines 10, 15]
  coroutine 8 "conn \x1b8" waits on fd:6 for 2.00s; closed at +1.003000s by worker thread 12 "w12" (f3 f.c:30) [lines 13, 16]

2 findings: 2 proven, 2 coroutines live, 2.00s traced
OUT
same expected actual
status 1 ct-lostwake --color=always trace >coloured; has '1;31m2 coroutines' coloured
status 1 ct-lostwake --name=conn trace >some; has '^1 finding: 1 proven' some; hasnt 'coroutine 7' some
status 0 ct-lostwake --site=elsewhere trace >none
status 0 ct-lostwake --min-age=5s trace >none
status 0 ct-lostwake --grace=5s trace >none
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
begin; waiting 8 900 cond:1; waiting 7 1000 cond:1; wake 8 2001 12 cond:1; resume 8 2002 12; destroy 8 2003 12 true; end 3000000
verdict 0
EOF

test_case 'destroyed-woken: thrown away where it should have run' <<'EOF'
begin; line open 800 '"tid":12,"on":"fd:3"'; waiting 7 1000 fd:3; wake 7 2000 12 fd:3; destroy 7 2100 12 false; end 3000000
verdict 1 'destroyed-woken suspected 7'
ct-html trace >page && has '"verdict":"destroyed-woken"\|x-corotrace' page
status 1 ct-report trace >report; has 'destroyed-woken' report
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
EOF

test_case 'deadlock: its members were destroyed after they had stood in it' <<'EOF'
pair() {
	begin; create 7 100; create 8 101; resume 7 110 11; resume 8 111 12; line acquire 200 '"tid":11,"by":7,"on":"mutex:1"'
	line acquire 201 '"tid":12,"by":8,"on":"mutex:2"'; suspend 7 1000 11 mutex:2; suspend 8 1001 12 mutex:1
}
pair; destroy 7 400000 11 false; destroy 8 400001 12 false; end 3000000
verdict 1 'deadlock proven 7'
has '"cycle":\[7,8\]' out.json
pair; destroy 8 20000 11 false; destroy 7 20001 12 false; end 3000000	# within the grace
verdict 0
EOF

test_case 'closed-resource: closed before it came, and not opened since' <<'EOF'
begin; line open 800 '"tid":12,"on":"fd:5"'; line close 900 '"tid":12,"on":"fd:5"'; waiting 7 1000 fd:5; end 3000000
verdict 1 'closed-resource proven 7'
begin; waiting 8 700 fd:9; line open 800 '"tid":12,"on":"fd:5"'; line close 900 '"tid":12,"on":"fd:5"'; waiting 7 1000 fd:5; end 3000000
verdict 1 'closed-resource suspected 7'		# of fd:9 no open is told: so fd:5 may have been opened again
begin; line open 800 '"tid":12,"on":"fd:5"'; line close 900 '"tid":12,"on":"fd:5"'; line open 950 '"tid":12,"on":"fd:5"'
waiting 7 1000 fd:5; end 3000000
verdict 0
EOF

test_case 'the manual explains each verdict, and no other; each has words of its own' <<'EOF'
ct-lostwake --verdicts >list
grep -v '^ ' list | cut -d' ' -f1 | sort >in-table
sed -n '/^\.Ss Verdicts/,/^\.El/s/^\.It Cm //p' $SRC/filters/ct-lostwake/ct-lostwake.1 | sort >in-manual
[ $(wc -l <in-table) -gt 10 ] && same in-table in-manual
[ $(grep -c '^  help: .' list) -eq $(wc -l <in-table) ] && [ -z "$(sort list | uniq -d)" ]
EOF

test_case '--fail-on: what is only suspected, and the status' <<'EOF'
begin; waiting 7 1000 sem:5
line level 2000 '"tid":12,"on":"sem:5","value":1'; end 3000000
verdict 1 'ready-resource suspected 7'
status 1 ct-lostwake --fail-on=suspected trace
status 1 ct-lostwake --fail-on=hint trace
status 0 ct-lostwake --fail-on=proven trace
status 2 ct-lostwake --fail-on=unknown trace
status 0 ct-report --fail-on=proven trace
EOF

test_case 'a clean bill is status 0, and inconclusive where something is missing' <<'EOF'
begin; waiting 7 1000 fd:5; end 3000000
status 0 ct-lostwake trace >out; has '^0 findings: 1 coroutine live, none forgotten, 3.00s traced$' out
sed '$d' trace | status 3 ct-lostwake >out; has 'inconclusive where the trace was cut' out
EOF

test_case '--proven-only counts no suspicion; ids are stable' <<'EOF'
begin; waiting 7 1000 sem:5; line level 2000 '"tid":12,"on":"sem:5","value":1'; end 3000000
status 0 ct-lostwake --proven-only trace >out
status 1 ct-lostwake --json trace >a; status 1 ct-lostwake --json <trace >b; same a b
EOF

test_case 'usage, help, version, empty input, full disk' <<'EOF'
status 2 ct-lostwake --nonsense 2>err; has '^ct-lostwake: ' err
status 2 ct-lostwake --grace=soon 2>err; has '^ct-lostwake: ' err
status 0 ct-lostwake --help >out; has 'example:' out; has 'Status: ' out
status 0 ct-lostwake --version >out; has ct-lostwake out
status 2 ct-lostwake </dev/null 2>err; has '^ct-lostwake: ' err
status 2 ct-lostwake no-such-file 2>err; has no-such-file err
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; end 3000000
status 2 ct-lostwake trace >/dev/full 2>err
EOF

test_case '--allow names places that may wait for ever' <<'EOF'
begin; waiting 7 1000 fd:5; create 8 1000; resume 8 1010 12; suspend 8 1100 12 fd:6 2
line close 2000 '"tid":12,"on":"fd:5"'; line close 2000 '"tid":12,"on":"fd:6"'; end 3000000
status 1 ct-lostwake trace >out
has '^2 findings' out
printf '# the accept loop\n\n^f1 f\\.c:10$\n' >allow
status 1 ct-lostwake --allow=allow trace >out
has '^1 finding:' out
hasnt 'f1 f.c:10' out
echo 'f2 ' >more
status 0 ct-lostwake --allow=allow --allow=more trace >out
status 2 ct-lostwake --allow=none trace 2>err
has '^ct-lostwake: none: No such file' err
printf 'f1\n[\n' >bad
status 2 ct-lostwake --allow=bad trace 2>err
has '^ct-lostwake: bad:2: ' err
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
done_testing
