#!/bin/sh
# ct-lostwake's ready-resource: what it waits for is there, or its time has come; and its healthy twins.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"

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
# three were taken at once: it may want more than one
begin; line level 800 '"tid":12,"on":"sem:1","value":3'; line level 900 "$none"; waiting 7 1000 sem:1
line level 2000 '"tid":12,"on":"sem:1","value":1'; end 3000000
verdict 0 "ready-resource hint 7"
# one is there as it comes, and is not for it; then there are no more than that, and then more
begin; line level 900 '"tid":12,"on":"sem:1","value":1'; waiting 7 1000 sem:1; line level 2000 "$none"
line level 2100 '"tid":12,"on":"sem:1","value":1'; end 3000000
verdict 0
begin; line level 900 '"tid":12,"on":"sem:1","value":1'; waiting 7 1000 sem:1; line level 2000 '"tid":12,"on":"sem:1","value":2'; end 3000000
verdict 0 "ready-resource hint 7"
# an item lay in a channel as it came; where its room is told apart it came for that
item() { line level 900 '"tid":12,"on":"chan:1","value":1'; waiting 7 1000 chan:1; }
begin; item; end 3000000
verdict 0
begin; line level 800 '"tid":12,"on":"room:1","value":9'; item; end 3000000
verdict 1 "ready-resource proven 7"
begin; create 3 10; line acquire 20 '"tid":11,"by":3,"on":"mutex:1"'; waiting 7 1000 mutex:1
line release 2000 '"tid":11,"by":3,"on":"mutex:1"'; end 3000000
verdict 1 "ready-resource proven 7"
EOF

test_case 'ready-resource: there all the time, though others come and go and the level is told again and again' <<'EOF'
level() { line level $1 "\"tid\":12,\"on\":\"$2\",\"value\":$3"; }
# busy THING LEVEL...: who waits came when there was nothing; then each level in turn, to the very end
busy() {
	on=$1 us=2000; shift
	begin; level 800 $on ${most:-2}; level 900 $on ${first:-1}; level 950 $on 0; waiting 7 1000 $on
	while [ $us -lt 2990000 ]; do for value; do level $us $on $value; us=$((us + 20000)); done; done
}
says() { end 3000000; verdict "$@"; }
busy chan:1 1 2; says 1 "ready-resource proven 7"
busy sem:1 1 2; says 1 "ready-resource proven 7"
busy cond:1 1; says 1 "ready-resource proven 7"
busy room:1 1 2; says 1 "ready-resource proven 7"
busy sem:1 1 1; says 0 "ready-resource hint 7"		# it may want two
first=0 most=3 busy sem:1 2 3; says 0 "ready-resource hint 7"	# three were taken at once
# healthy: gone in between; it was woken and waits anew; there when it came
busy chan:1 1 2 0; says 0
busy sem:1 1 0; says 0
busy chan:1 1 2; wake 7 2995000 12 chan:1; says 0
begin; level 900 chan:1 0; waiting 7 1000 chan:1
us=2000; while [ $us -lt 2990000 ]; do level $us chan:1 1; wake 7 $((us + 10)) 12 chan:1; resume 7 $((us + 20)) 11
	level $((us + 30)) chan:1 1; suspend 7 $((us + 40)) 11 chan:1; us=$((us + 20000)); done
end 3000000; verdict 0
# who was woken for it went on, twice, took nothing and waits for its time: it hardly will
begin; level 900 sem:1 0; waiting 8 990 sem:1; waiting 7 1000 sem:1; level 2000 sem:1 1; wake 8 2010 12 sem:1
resume 8 2020 11; suspend 8 2030 11 timer:1 2; resume 8 3000 11; suspend 8 3010 11 timer:1 3; end 3000000
verdict 0 "ready-resource hint 7"
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

test_case 'ready-resource: a barrier of three lets one go where it let two go in its last phase' <<'EOF'
phase() { line level $1 "\"tid\":11,\"on\":\"cond:$2\",\"value\":$3"; }
comes() { suspend $1 $2 11 $3; }
first() { begin; for c in 6 7 8; do create $c 10; resume $c 20 11; done; phase 30 1 0; comes 6 40 cond:1; comes 7 41 cond:1; phase 100 1 1
	for c in 6 7; do wake $c 101 12 ${1-cond:1} 8; resume $c 110 11; done; phase 200 2 0; comes 7 210 cond:2; comes 6 220 cond:2; phase 300 2 1; }
next() { wake 7 310 12 ${2-cond:2} 8; resume 7 320 11; suspend 7 330 11 $1 2; suspend 8 340 11 cond:3; end 3000000; }
first; next cond:3
verdict 1 "ready-resource proven 6"
first ''; next cond:3 ''		# no wake says what for
verdict 1 "ready-resource proven 6"
first; next mutex:1			# it may come for what is there once it has the lock
verdict 0
# both kinds stand at that line: who waited there has taken an item
first; create 4 301; resume 4 302 12; phase 303 9 0; comes 4 304 cond:9; phase 305 9 1; wake 4 306 12 cond:9; resume 4 307 12
line level 308 '"tid":12,"by":4,"on":"cond:9","value":0'; suspend 4 309 12 fd:1; next cond:3
verdict 0
first; wake 7 310 12 cond:2 8; resume 7 320 11; suspend 7 330 11 coro:9; suspend 8 340 11 cond:3; end 3000000	# by another
verdict 0
# nothing shows that the first was no item; then what is taken is reported
once() { begin; waiting 6 1000 cond:1; waiting 7 1000 cond:1; [ -z "$1" ] || phase 1002 1 1; phase 1005 1 0; phase 2000 1 1; wake 7 2010 12 cond:1; resume 7 2020 11
	suspend 7 2030 11 cond:2; end 3000000; }
once
verdict 0
once falls
verdict 1 "ready-resource suspected 6"
EOF

test_case 'ready-resource: who stood before it in the queue of permits is gone, and nobody looked at it: a hint' <<'EOF'
permits() { line level $1 "\"tid\":12,\"on\":\"sem:1\",\"value\":$2"; }
queue() { begin; permits 10 3; permits 20 2; waiting 6 900 sem:1; waiting 7 1000 sem:1; }
queue; destroy 6 2000 12 false; end 3000000
verdict 0 "ready-resource hint 7"
queue; wake 6 2000 12 ''; resume 6 2010 11; suspend 6 2020 11 cond:1; end 3000000
verdict 0 "ready-resource hint 7"
# it was looked at; it is itself the first; there are none; the other stands behind it
queue; destroy 6 2000 12 false; wake 7 2001 12 sem:1; resume 7 2010 11; suspend 7 2020 11 sem:1; end 3000000
verdict 0
queue; end 3000000
verdict 0
queue; permits 1500 0; destroy 6 2000 12 false; end 3000000
verdict 0
queue; destroy 7 2000 12 false; end 3000000
verdict 0
EOF

test_case 'ready-resource: a semaphore of which nothing was told until it was given back' <<'EOF'
given() { line level $1 "\"tid\":12,\"on\":\"sem:1\",\"value\":$2"; }
begin; waiting 7 1000 sem:1; given 2000 1; end 3000000
verdict 1 "ready-resource proven 7"
begin; waiting 7 1000 sem:1; given 2000 1; given 2100 2; end 3000000	# it may want more than the first
verdict 1 "ready-resource suspected 7"
EOF

test_case 'of several: an event that opened, and let others go; a time limit that was turned off' <<'EOF'
either() { create $1 $1; resume $1 1$1 11; several any_of $1 1000 $2 $3; }
goes() { wake $1 $2 11 cond:1; resume $1 $(($2 + 10)) 11; suspend $1 $(($2 + 20)) 11 fd:9; }
opened() { begin; line level 5 '"tid":11,"on":"cond:1","value":0'; either 6 chan:9 cond:1; for c in 7 8; do waiting $c 1000 cond:1; done
	line level 2000 '"tid":12,"on":"cond:1","value":1'; goes 7 2100; goes 8 2200; }
opened; end 3000000
verdict 1 "ready-resource proven 6"
# another came to wait for it, by a leg: what was there may have been taken
opened; create 9 2300; resume 9 2301 11; several any_of 9 2310 chan:9 cond:1; end 3000000
verdict 0
off() { begin; either 6 chan:9 timer:9000000000000; line deadline 1500 "\"probe_id\":6,\"tid\":12,\"on\":\"timer:$1\""; line close 2000 '"tid":12,"on":"chan:9"'; }
off ''; end 3000000
verdict 1 "closed-resource proven 6"
off 8000000000000; end 3000000
verdict 0
# on again; and all that it waits for is a timer that is off
off ''; line deadline 2100 '"probe_id":6,"tid":12,"on":"timer:9500000000000"'; end 3000000
verdict 0
begin; either 6 timer:9000000000000 chan:9; line deadline 1500 '"probe_id":6,"tid":12,"on":"timer:"'; end 3000000
verdict 0
EOF

test_case 'ready-resource: room at which senders were let wait before, and went on, is a hint' <<'EOF'
level() { line level $1 "\"tid\":12,\"by\":3,\"on\":\"room:1\",\"value\":$2"; }
turn() { suspend 3 $1 12 timer:9 3; wake 3 $(($1 + 1)) 12 timer:9; resume 3 $(($1 + 2)) 12; }
pauses() { begin; create 3 10; resume 3 20 12; level 30 9; level 40 0; waiting 7 1000 room:1; level 2000 1; ${1:-turn} 2010; level 2100 2
	${1:-turn} 2110; level 2200 6; wake 7 2201 12 room:1; resume 7 2300 11; level 2310 0; suspend 7 2400 11 room:1; }
pauses; level 3000 2; end 3000000
verdict 0 "ready-resource hint 7"
# nobody was ever woken with so little free, or with so much
pauses; level 3000 5; end 3000000
verdict 0 "ready-resource hint 7"
pauses; level 3000 6; end 3000000		# several are taken at a time: it may want more
verdict 0 "ready-resource hint 7"
# several were taken in one go, and then it was woken
pauses :; level 3000 2; end 3000000
verdict 0 "ready-resource hint 7"
pauses :; level 3000 6; end 3000000
verdict 0 "ready-resource hint 7"
EOF

test_case 'ready-resource: room in a first pause is a hint, unless all is free or others were woken with less' <<'EOF'
level() { line level $1 "\"tid\":12,\"by\":3,\"on\":\"room:1\",\"value\":$2"; }
pause() { begin; waiting 3 25 fd:9; level 30 4; $1; for left in 3 2 1 0; do level 70 $left; done; waiting 7 1000 room:1; }
pause; level 2000 1; level 2100 3; end 3000000
verdict 0 "ready-resource hint 7"
pause; level 2000 1; destroy 3 2100 12; end 3000000	# who could have made more has ended
verdict 1 "ready-resource suspected 7"
pause; level 2000 4; end 3000000
verdict 1 "ready-resource proven 7"
full() { for left in 3 2 1 0; do level 3$left $left; done; waiting 8 50 room:1; }
# woken behind the line that says so, before it, and for no thing
early() { full; level 60 1; wake 8 61 12 room:1 3; resume 8 62 11; suspend 8 64 11 fd:9; }
before() { full; wake 8 59 12 room:1 3; level 60 1; resume 8 62 11; suspend 8 64 11 fd:9; }
cancel() { full; level 60 1; wake 8 61 12 '' 3; resume 8 62 11; suspend 8 64 11 fd:9; }
for woken in early before; do
	pause $woken; level 2000 1; end 3000000
	verdict 1 "ready-resource proven 7"
done
# none was said to be there though items were taken: that is told, and not what is free; or one that looks on says so
items() { line level $1 "\"tid\":12,\"on\":\"chan:1\",\"value\":$2"; }
for now in 3 4; do
	pause 'items 20 4'; items 1090 $now; level 1100 0; level 2000 3; end 3000000
	if [ $now = 3 ]; then verdict 1 "ready-resource proven 7"; else verdict 0 "ready-resource hint 7"; fi
done
pause; level 1100 0; level 2000 3; end 3000000
verdict 0 "ready-resource hint 7"
pause cancel; level 2000 1; end 3000000
verdict 0 "ready-resource hint 7"
EOF

test_case 'ready-resource: who may be let wait by design, though it is there, is a hint' <<'EOF'
level() { line level $1 "\"tid\":12${4:+,\"by\":$4},\"on\":\"$2\",\"value\":$3"; }
hint() { end 3000000; verdict 0 "ready-resource hint 7"; }
proven() { [ -n "$1" ] || suspend 3 2900000 12 fd:9; end 3000000; verdict 1 "ready-resource proven 7"; }
before=:
born() { begin; eval "$before"; level 100 $on 0; create 3 110; resume 3 120 12; waiting 7 1000 $on; }
acts() { suspend 3 $1 12 timer:9 3; wake 3 $(($1 + 1)) 12 timer:9; resume 3 $(($1 + 2)) 12; }
goes() { wake 7 $1 ${4:-12} $on ${2-3}; resume 7 $(($1 + 10)) 11; level $(($1 + 20)) $on ${3:-0} 7; suspend 7 $(($1 + 30)) 11 $on; }
# at 1 it was let wait before, and went on with 2; or both came in one go
for on in chan:1 sem:1; do
	let() { born; level 2000 $on 1 3; $1 2100; level 2200 $on 2 3; goes 2210 3 1; level 2250 $on 0 7; level 3000 $on 1 3; }
	let acts; hint
done
# and another was closed at its address before
on=chan:1 before='for ev in close open; do line $ev 90 "\"tid\":12,\"on\":\"chan:1\""; done'; let acts; hint; before=:
on=chan:1; let :; proven
# it was there for a second before it was woken: so it may be again; or for a moment
born; level 2000 $on 1 3; goes 1502000; level 1600000 $on 1 3; hint
born; level 2000 $on 1 3; goes 2010; level 1600000 $on 1 3; proven
born; level 2000 $on 1 3; goes 1502000; level 1600000 $on 1 3; goes 1600010; level 1700000 $on 1 3; hint	# once so long
# who wakes never made it available, and waits for its time; or did once; or waits for no time
paced() { born; level 2000 $on 1 ${2:-9}; goes 2010; level 3000 $on 1 9; suspend 3 3010 12 ${1:-timer:9} 3; }
paced; hint
paced timer:9 3; proven asleep
paced fd:9; proven asleep
# a thread that made it available and woke somebody itself; or another thread did
by_thread() { born; level 2000 $on 1; goes 2010 '' 0 $1; level 3000 $on 1 9; goes 3010; level 4000 $on 1 9; suspend 3 4010 12 timer:9 3; }
by_thread 12; proven asleep
by_thread 13; hint
# 8, that came later, is woken, and again: 7 may stand by. Once: it may have been forgotten. Of permits, too
later() { wake 8 $1 12 $on 9; resume 8 $(($1 + 10)) 11; level $(($1 + 20)) $on 0 8; [ -n "$2" ] || suspend 8 $(($1 + 30)) 11 $on; }
stands() { born; waiting 8 1500 $on; [ -n "$1" ] || { level 2000 $on 1 9; later 2010; }; level 2100 $on 1 9; later 2110 last; suspend 8 2200 11 fd:9
	level 3000 $on 1 9; }
stands; hint
stands once; proven
on=sem:1; stands; proven
# 8 takes one after the other, and 7 is not needed; unless 8 has ended
on=chan:1
drains() { born; waiting 8 1500 $on; level 2000 $on 1 9; later 2010 last; for us in 2100 2200 2300; do
	level $us $on 1 9; suspend 8 $((us + 10)) 11 fd:9; resume 8 $((us + 20)) 11; level $((us + 30)) $on 0 8; done; level 2900 $on 1 9; }
drains; suspend 8 3000 11 fd:9; hint
drains; destroy 8 3000 11; proven
# bytes, of which it may want more than there are; or all the room there is
on=chan:1; begin; level 100 $on 8; level 110 $on 0; waiting 7 1000 $on; level 2000 $on 5 9; hint
on=room:1; begin; level 100 $on 8; level 110 $on 0; waiting 7 1000 $on; level 2000 $on 8 9; proven asleep
# another reads from the descriptor; or nobody who left that line was seen to read: it may wait to write
on=fd:5; begin; create 8 10; resume 8 20 11; level 100 $on 0 8; suspend 8 110 11 $on; waiting 7 1000 $on; level 2000 $on 1; wake 8 2001 12 $on
resume 8 2010 11; suspend 8 2020 11 timer:9; level 3000 $on 1; hint
born; level 2000 $on 1; hint
# whoever left it read; or went on once while there was nothing to read, or takes of another descriptor
read() { born; level 2000 $on 1; goes 2010; }
read; level 3000 $on 1; proven
read; wake 7 2100 12 $on; resume 7 2110 11; suspend 7 2120 11 $on; level 3000 $on 1; hint
born; level 2000 $on 1; wake 7 2010 12 $on; resume 7 2020 11; level 2030 fd:6 1; level 2040 fd:6 0 7; level 2050 $on 0; suspend 7 2060 11 $on
level 3000 $on 1; hint
EOF

test_case 'wasted-wake: a notify that comes when who was woken runs counts no other' <<'EOF'
level() { line level $1 "\"tid\":12,\"on\":\"cond:1\",\"value\":$2"; }
notify() { line notify $1 "\"tid\":$2,\"on\":\"cond:1\",\"woken\":$3"; }
# 8 waits for another condition, and goes back to that; others were taken before
eaten() { begin; level 5 1; level 6 0; waiting 8 900 cond:2; waiting 7 1000 cond:1; level 2000 1; wake 8 2001 12 cond:1; resume 8 2100 11
	notify 2200 ${1:-12} ${2:-1}; suspend 8 2300 11 cond:2; end 3000000; }
eaten; verdict 1 "wasted-wake proven 7"
eaten 12 2; verdict 0		# more than these
eaten 11; verdict 0			# another's
EOF

test_case 'ready-resource: a gate opened for all while one was on its way to it' <<'EOF'
gate() { line level $1 "\"tid\":12,\"on\":\"cond:1\",\"value\":$2"; }
goes() { wake $1 $2 12 cond:1; resume $1 $(($2 + 10)) 11; suspend $1 $(($2 + 20)) 11 fd:9; }
late() { begin; gate 5 0; waiting 7 100 cond:1; waiting 8 101 cond:1; create 9 200; resume 9 ${1:-210} 12; gate 2000 1; goes 7 2100; ${3:-goes} 8 2200; suspend 9 3000 12 cond:1 $2; end 3000000; }
late; verdict 1 "ready-resource proven 9"
late 2500; verdict 0	# it looked when the gate was open
late 210 2; verdict 0	# for something else, where nobody waited while it was shut
late 210 1 :; verdict 0	# one was let go: it may have taken what was there
EOF

test_case 'ready-resource: who shut a gate comes to wait for it when others have opened it and gone' <<'EOF'
gate() { line level $1 "\"tid\":12,\"by\":$2,\"on\":\"cond:1\",\"value\":$3"; }
naps() { begin; create 6 10; resume 6 20 11; gate 30 ${1-6} 0; suspend 6 40 11 timer:1000000500000; waiting 7 100 cond:1; create 8 150; resume 8 160 12; gate 200 8 1
	wake 7 210 12 cond:1 8; resume 7 220 11; ${2:-destroy} 7 230 11 $3 ${3:+2}; destroy 8 240 12; wake 6 500 12 timer:1000000500000; resume 6 510 11; }
naps; suspend 6 520 11 cond:1; end 3000000
verdict 1 "ready-resource proven 6"
naps 6 suspend cond:2; suspend 6 520 11 cond:1; end 3000000
verdict 1 "ready-resource proven 6"
# somebody else shut it, or it shut it once more; who was let go is on its way; it waits where nobody did
naps 8; suspend 6 520 11 cond:1; end 3000000
verdict 1 "ready-resource suspected 6"
naps; gate 515 6 0; suspend 6 520 11 cond:1; end 3000000
verdict 3	# the only one that ever opened it has ended
naps; suspend 6 520 11 cond:1 2; end 3000000
verdict 1 "ready-resource suspected 6"
EOF

test_case 'ready-resource: a lock that was given to an earlier wait of the one who waits for it anew' <<'EOF'
anew() { begin; create 3 10; lock acquire 20 3 mutex:1; create 7 30; resume 7 40 11; several any_of 7 50 mutex:1 timer:1000000100000
	wake 7 100 12 ''; resume 7 110 11; suspend 7 120 11 timer:1000000200000; wake 7 200 12 '' ${1-3}; lock release 201 3 mutex:1; resume 7 210 11; suspend 7 220 11 mutex:1
	waiting 8 1000 mutex:1; end 3000000; }
anew
verdict 1 "ready-resource proven 7"
has 'an earlier wait of theirs may have it' out.json
anew 9		# another woke it
verdict 1 "ready-resource proven 7"
has 'is free and nobody woke them' out.json
EOF

# 8 takes, 6 puts; 7 comes to wait where 8 waited for items.
test_case 'ready-resource: a lock whose last holder woke one that had waited for it, and does something else' <<'EOF'
left() {	# what 5 waits for when it is woken, and then
	begin; create 3 10; resume 3 11 12; lock acquire 20 3 mutex:1; create 5 30; resume 5 31 11; several any_of 5 40 mutex:1 timer:1
	wake 5 100 12; resume 5 110 11; suspend 5 120 11 $1
	lock release 200 3 mutex:1; wake 5 210 11 '' $2; destroy 3 220 12; resume 5 230 11; suspend 5 240 11 $1
	waiting 7 1000 mutex:1; end 3000000
}
left fd:1 3
verdict 1 "ready-resource suspected 7"
has 'its earlier wait may have it' out.json
# it was somebody else who woke it
left fd:1 9
verdict 1 "ready-resource proven 7"
# tokio says that a lock was given back when it has woken who is next, and of one that waits for several not for which lock
told() {
	begin; create 3 10; resume 3 11 12; lock acquire 20 3 mutex:1; create 5 30; resume 5 31 11; line waker 32 '"tid":11,"probe_id":5,"by":5,"op":"clone"'; suspend 5 40 11 $1
	wake 5 100 12; resume 5 110 11; suspend 5 120 11 timer:
	wake 5 200 11 '' $2; lock release 210 3 mutex:1; destroy 3 220 12; resume 5 230 11; suspend 5 240 11 timer:; waiting 7 1000 mutex:1; end 3000000
}
for on in mutex: mutex:1 mutex:9; do	# that lock, or one that nobody was seen to have
	told $on 3
	verdict 1 "ready-resource suspected 7"
	has 'its earlier wait may have it' out.json
done
told sem: 3
verdict 1 "ready-resource proven 7"
told mutex: 9
verdict 1 "ready-resource proven 7"
EOF

test_case 'ready-resource: a hint of who came to a condition when as much was there as there ever was: for room, perhaps' <<'EOF'
buffer() { line level $1 "\"tid\":12,\"by\":$2,\"on\":\"cond:1\",\"value\":$3"; }
full() { begin; buffer 5 9 0; waiting 8 100 cond:1; create 6 110; resume 6 120 12; buffer 130 6 1; wake 8 140 12 cond:1 6; resume 8 150 11; buffer 160 8 0
	suspend 8 170 11 fd:1 2; create 7 171; [ -z "$2" ] || resume 7 $2 11; for n in $1; do buffer 20$n 6 $n; done; line notify 210 '"tid":12,"by":6,"on":"cond:1","woken":0'
	suspend 6 220 12 fd:2; [ -n "$2" ] || resume 7 2100 11; suspend 7 2200 11 cond:1; end 3000000; }
full '1 2'
verdict 0 "ready-resource hint 7"
full '1 2' 180
verdict 0 "missed-wake hint 7"
# there was more; and where there is room for one, who waits for it is not to wait where the level is of items
full '1 2 3 2'
verdict 1 "ready-resource proven 7"
full 1
verdict 1 "ready-resource proven 7"
EOF

test_case 'ready-resource: healthy twins' <<'EOF'
# two wait for a lock: the other one was woken for it, and for that nobody said what for
begin; create 3 10; line acquire 20 '"tid":11,"by":3,"on":"mutex:1"'; waiting 7 1000 mutex:1; waiting 8 1001 mutex:1
line release 2000 '"tid":11,"by":3,"on":"mutex:1"'; wake 8 2001 12 ''; end 900000
verdict 0
# taken again; another was woken for it; a sender before a full channel; a lock taken again; a timer far away
begin; waiting 1 1000 chan:1; line level 2000 '"tid":12,"on":"chan:1","value":1'; line level 2100 '"tid":12,"on":"chan:1","value":0'
waiting 2 1000 chan:2; waiting 3 1000 chan:2; line level 2000 '"tid":12,"on":"chan:2","value":1'; wake 3 2001 12 chan:2
line level 900 '"tid":12,"on":"chan:3","value":8'; waiting 4 1000 chan:3
create 5 10; line acquire 20 '"tid":11,"by":5,"on":"mutex:1"'; waiting 6 1000 mutex:1
line release 2000 '"tid":11,"by":5,"on":"mutex:1"'; line acquire 2001 '"tid":11,"by":5,"on":"mutex:1"'
waiting 7 1000 timer:9000000000000
line level 850000 '"tid":12,"on":"chan:4","value":1'; waiting 8 1000 chan:4
end 900000
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
lease level; verdict 1 "dead-owner proven 7"
lease :; verdict 1 "dead-owner suspected 7"
EOF

test_case 'ready-resource: who waits for room in a full channel is no receiver' <<'EOF'
level() { line level $1 "\"tid\":12,\"on\":\"chan:1\",\"value\":$2"; }
begin; for n in 1 2; do level 50$n $n; done; waiting 7 1000 chan:1; waiting 8 1001 chan:1
level 2000 1; wake 7 2001 12 chan:1; resume 7 2002 11; level 2003 2; suspend 7 2010 11 fd:9; end 3000000
verdict 0
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
begin; waiting 7 100 timer:$(ns 90); rest 5000					# it had passed when the wait began
verdict 0 "ready-resource hint 7"
begin; waiting 7 100 timer:$(ns 90); waiting 8 150 timer:$(ns 9000000); moved 8 200 $(ns 9000001); rest 5000
verdict 0 "ready-resource hint 7"
begin; waiting 7 100 timer:$(ns 50); rest 5000					# before it was: of another clock
verdict 0
begin; waiting 7 2950000 timer:$(ns 2949990); line park 2950010 '"tid":11,"depth":0'; end 3000000	# just now
verdict 0
begin; waiting 7 100 fd:5; moved 7 200 $(ns 1000); rest 5000			# waits for no timer
verdict 0
ct-stuck trace >stuck || :
has 'on fd:5' stuck
begin; waiting 7 100 timer:$(ns 900000); moved 7 200 $(ns 1000); rest 5000
ct-stuck --json trace >stuck || :
has "timer:$(ns 1000)" stuck
EOF
test_case 'what it waited for before is remembered when it has left three lines' <<'EOF'
begin; create 1 10; create 2 20; resume 2 30 12; lock acquire 40 2 mutex:0xb; suspend 2 50 12 timer: 3
resume 1 60 11; suspend 1 70 11 fd:5 1; wake 1 80 12 fd:5; resume 1 90 11; suspend 1 100 11 mutex:0xb 2
wake 1 110 12 ''; resume 1 120 11; suspend 1 130 11 fd:6 3
wake 2 140 12 ''; resume 2 150 12; lock release 160 2 mutex:0xb; wake 1 170 12 '' 2; suspend 2 180 12 timer: 3
resume 1 190 11; suspend 1 200 11 mutex:0xb 2; end 400000
status 1 ct-lostwake trace >out
has 'who gave it back woke them, they ran and wait for it anew' out
EOF

test_case 'ready-resource: a lock that was given back is free, unless its level says later that it was taken' <<'EOF'
says() { line level $1 "\"tid\":12,\"on\":\"mutex:1\",\"value\":$2"; }
back() { begin; create 3 10; resume 3 11 12; says 12 1; lock acquire 20 3 mutex:1; says 20 0; waiting 7 1000 mutex:1; lock release 2000 3 mutex:1; $1; end 3000000; }
for level in : 'says 2000 0' 'says 2001 1'; do back "$level"; verdict 1 "ready-resource proven 7"; done
back 'says 2001 0'; verdict 0
EOF
test_case 'ready-resource: what was given back may be for one that was woken at once, of whom not all is known, until it has run' <<'EOF'
given() {	# how 8 waits; how it was given back; what 8 does then; the verdict of 7, who waits for it as well
	begin; create 3 10; resume 3 11 11; create 8 20; resume 8 30 12; eval "$1"; eval "$2"; $3; end 3000000
	ct-lostwake --json trace >out.json || :
	[ "$(sed -n 's/{"verdict":"ready-resource","certainty":"\([^"]*\)",.*"probe_id":7,.*/\1/p' out.json)" = "$4" ] || { cat trace out.json; exit 1; }
}
lock='lock acquire 40 3 mutex:1; waiting 7 1000 mutex:1; lock release 2000 3 mutex:1; wake 8 2010 11 "" 3'
behind='lock acquire 40 3 mutex:1; waiting 7 1000 mutex:1; wake 8 2000 11 "" 3; lock release 2010 3 mutex:1'	# as tokio's spans say it
before='lock acquire 40 3 mutex:1; waiting 7 1000 mutex:1; wake 8 1500 12 ""; lock release 2000 3 mutex:1'	# for another branch of its
notified='waiting 7 1000 cond:1; line level 2000 "\"tid\":11,\"by\":3,\"on\":\"cond:1\",\"value\":1"; wake 8 2010 11 "" 3'
runs() { resume 8 2020 12; }
again() { runs; suspend 8 2030 12 ''; }
back() { runs; suspend 8 2030 12 chan:5; }
for back in "$lock" "$behind" "$before" "$notified"; do
	for on in '' mutex: timer:$(ns 9000000) coro:9; do
		given "suspend 8 900 12 '$on'" "$back" : ''
	done
	given 'several any_of 8 900 chan:5 ""' "$back" : ''
	given 'suspend 8 900 12 ""' "$back" runs ''
	given 'suspend 8 900 12 ""' "$back" again proven
	# may it wake 7 itself, as one whom that is left to?
	case $back in *'wake 8 2010'*) yet=unknown ;; *) yet=proven ;; esac
	given 'suspend 8 900 12 chan:5' "$back" : $yet
	given 'suspend 8 900 12 chan:5' "$back" back proven
done
EOF
test_case 'who is awaited by one that was woken, or runs, is polled or given up then: nobody is to wake it' <<'EOF'
# 7 awaits 8, which waits for the end of 9: that wakes 7, as where a traced future stands in a traced task
awaited() {
	begin; create 9 10; resume 9 11 12; create 7 20; resume 7 21 11; create 8 22 7; resume 8 23 11; suspend 8 24 11 join:9
	suspend 7 25 11 coro:8; create 3 30; resume 3 31 11; destroy 9 1000 12; $1; end 3000000
	ct-lostwake --json trace >out.json || :
	[ "$(sed -n 's/{"verdict":"dead-awaitee","certainty":"\([^"]*\)",.*"probe_id":8,.*/\1/p' out.json)" = "$2" ] || { cat trace out.json; exit 1; }
}
woken() { wake 7 1010 12 ''; }
runs() { woken; resume 7 1020 12; }
back() { runs; suspend 7 1030 12 coro:8; }
awaited woken ''
awaited runs ''
awaited back proven
awaited : proven
EOF
test_case 'ready-resource: a deadline has passed: not where the process may have been dying since' <<'EOF'
late() { begin; line process 0 '"pid":1'; waiting 7 1000 timer:1001000000000; }	# at 1 s
gone() { line exit $1 "\"pid\":1,\"status\":0,\"alive\":$(ns $2)"; end $1; verdict 0 ${3:+"$3"}; }
hint='ready-resource hint 7'
late; gone 1900000 1850000			# it lived 0.85 s more, as a JVM does that is taken apart, and did nothing
late; gone 2200000 2100000 "$hint"		# more than a second
late; line notify 1500000 '"tid":11,"on":"cond:1","woken":0'; gone 1900000 1850000 "$hint"	# it did something
late; line deadline 1010 '"tid":11,"probe_id":7,"on":"timer:1001200000000"'; end 1900000; verdict 1 'ready-resource suspected 7'	# deadlines are reported
EOF

done_testing
