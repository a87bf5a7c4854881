#!/bin/sh
# ct-lostwake's verdicts on those whose thing, awaitee, owner or last waker is gone, and their healthy twins.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"

test_case 'closed-resource: closed while it waits, and no wake' <<'EOF'
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5","site":3'; end 3000000
verdict 1 "closed-resource proven 7"
has '"on":"fd:5","site":{"func":"f1","file":"f.c","line":10}' out.json
has '"cause":{"line":10,"ts":1000002000000,"tid":12,"what":"closed","site":{"func":"f3","file":"f.c","line":30}}' out.json
has '"evidence":\[{"line":9,"what":"suspended"},{"line":10,"what":"closed"}\]' out.json
EOF

test_case 'closed-resource: what has no name is nobody'"'"'s thing, whatever number it would be' <<'EOF'
begin; waiting 7 1000 fd:0; line close 2000 '"tid":12,"on":"fd:"'; end 3000000; verdict 0
begin; waiting 7 1000 fd:; line close 2000 '"tid":12,"on":"fd:"'; end 3000000; verdict 0
EOF

test_case 'closed-resource: on a thread that is not known, of the only process; of one of two nobody knows' <<'EOF'
for others in 0 1; do
	rm -f trace
	begin; line process 1 '"pid":1'
	[ $others = 0 ] || line process 2 '"pid":2'
	n_7=1
	own state 7 1000 0 false ',"site":1,"on":"fd:5","since":"before"'
	line close 2000 '"tid":12,"on":"fd:5"'; end 3000000
	if [ $others = 0 ]; then verdict 1 "closed-resource proven 7"; else verdict 0; fi
done
EOF

test_case 'closed-resource: what it waits on is named by its state alone; what is closed ahead of that is closed again behind it' <<'EOF'
begin; waiting 7 1000 ''
printf '{"probe_id":7,"tid":11,"addr":"0x0000000000000000","seq":6,"is_active":false,"ts":%s,"ev":"state","n":%s,"site":1,"on":"fd:5"}\n' "$(ns 1000)" $n_7 >>trace
cp trace before
line close 2000 '"tid":12,"on":"fd:5"'; end 3000000
verdict 1 "closed-resource proven 7"
# Of another thing, and before it came.
mv before trace
line close 500 '"tid":12,"on":"fd:5"'; line close 2000 '"tid":12,"on":"fd:6"'; end 3000000
verdict 0
EOF

test_case 'closed-resource: where lines come ahead of their time, the last 63 of those who wait are looked at again' <<'EOF'
crowd() { begin; for c in $(seq 70); do create $c 2900; resume $c 2910 11; "$@" $c $((3000 + c)); done; }
plain() { suspend $1 $2 11 chan:1; }
either() { several any_of $1 $2 chan:1 fd:9; }
accused() { close 6000 fd:9; end 3000000; got=0; ct-lostwake --json trace >out || got=$?; [ "$(grep -c '^{"verdict":"closed-resource"' out)" = $1 ]; }
close() { line close $1 "\"tid\":12,\"on\":\"${2:-chan:1}\""; }
for way in plain either; do
	crowd $way; close 2000; close 5000; accused 63
	crowd $way; close 5000; line notify 4990 '"tid":12,"on":"chan:1"'; accused 63
done
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

test_case 'closed-resource: what is used behind the close lives again, though nobody said that it was opened' <<'EOF'
# it is opened, and closed; then the first; 7 comes to wait for it
thing=fd:5
used() { begin; for ev in open close; do line $ev 300 "\"tid\":12,\"on\":\"$thing\""; done; $1; waiting 7 2000 $thing; end 3000000; }
accused() { used "$1"; verdict 1 "closed-resource proven 7"; }
turn() { line park 310 '"tid":12'; line unpark 320 '"tid":12'; }
wakes() { waiting 6 400 $1 2; wake 6 500 12 fd:5; resume 6 510 11; suspend 6 520 11 chan:7; }
lives() { turn; wakes fd:5; }
level() { line level $1 "\"tid\":12,\"on\":\"$thing\",\"value\":$2"; }
used lives; verdict 0
twice() { lives; line close 600 '"tid":12,"on":"fd:5"'; }	# and closed again: whether it was opened again is not told either
used twice; verdict 0
# 6 had waited for another; the closer wakes, who may have queued it ahead
other() { turn; wakes chan:7; }
closer() { wakes fd:5; }
accused :; accused other; accused closer
has 'closed before they came' out.json
status 1 ct-lostwake trace >out; has 'to do: look whether it is closed once the waiter is registered' out
# one that was woken had come before that
begin; line open 90 '"tid":12,"on":"fd:5"'; waiting 6 200 fd:5 2; line close 300 '"tid":12,"on":"fd:5"'; turn; wake 6 500 12 fd:5; resume 6 510 11
suspend 6 520 11 chan:7; waiting 7 2000 fd:5; end 3000000; verdict 1 "closed-resource proven 7"
# one that waits already waits for what has that name now
begin; line open 90 '"tid":12,"on":"fd:5"'; line close 300 '"tid":12,"on":"fd:5"'; turn; waiting 7 350 fd:5; wakes fd:5; end 3000000; verdict 0
# there is more; what was left is taken
thing=chan:5
rises() { level 400 0; level 401 1; level 500 0; }
falls() { level 400 2; level 401 1; level 500 0; }
used rises; verdict 0
accused falls
thing=mutex:5
taken() { waiting 6 350 fd:7; lock acquire 400 6 mutex:5; }
used taken; verdict 0
EOF

test_case 'closed-resource: the closer notified as many as were woken, and not this one' <<'EOF'
closes() { begin; for c in 7 8 9; do waiting $c 100$c chan:1; done; line close 2000 '"tid":12,"on":"chan:1"'; }
notifies() { line notify $1 "\"tid\":12,\"on\":\"chan:1\"${2:+,\"woken\":$2}"; }
wakes() { wake $1 $2 12 $3; resume $1 $(($2 + 1)) 11; destroy $1 $(($2 + 2)) 11; }
closes; wakes 8 2001 chan:1; wakes 9 2005 chan:1; notifies 2010 2; end 3000000
verdict 1 "closed-resource proven 7"
closes; notifies 2000 2; wakes 8 2001; wakes 9 2005; end 3000000	# told first; the wakes do not say what for
verdict 1 "closed-resource proven 7"
closes; wakes 8 2001 chan:1; notifies 2010 2; end 3000000	# this one or that
verdict 0
closes; wakes 8 2001 chan:1; notifies 2010; end 3000000		# nobody knows how many
verdict 0
# a wake of one that did not wait for it stands for nobody
closes; wakes 8 2001 chan:1; waiting 6 1500 fd:1; wake 6 2005 12 chan:1; resume 6 2006 11; suspend 6 2007 11 fd:1; notifies 2010 2; end 3000000
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

test_case 'closed-resource: closed before it came, and not opened since' <<'EOF'
begin; line open 800 '"tid":12,"on":"fd:5"'; line close 900 '"tid":12,"on":"fd:5"'; waiting 7 1000 fd:5; end 3000000
verdict 1 'closed-resource proven 7'
begin; waiting 8 700 fd:9; line open 800 '"tid":12,"on":"fd:5"'; line close 900 '"tid":12,"on":"fd:5"'; waiting 7 1000 fd:5; end 3000000
verdict 1 'closed-resource suspected 7'		# of fd:9 no open is told: so fd:5 may have been opened again
begin; line open 800 '"tid":12,"on":"fd:5"'; line close 900 '"tid":12,"on":"fd:5"'; line open 950 '"tid":12,"on":"fd:5"'
waiting 7 1000 fd:5; end 3000000
verdict 0
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

test_case 'closed-resource, ready-resource, dead-awaitee, dead-owner: unknown while the run in which that came about goes on, or one woken there' <<'EOF'
# 3 brings it about in its run, and $2; 7 waits for it, and 8 for what 3 may leave to it
under() {
	begin; waiting 8 900 chan:9 2; create 3 910; create 4 920; resume 4 930 11; eval "$2"; suspend 4 940 11 fd:4; waiting 7 1000 $1
	resume 3 1500 12; eval "$3"; $4; end 3000000
	if [ $5 = unknown ]; then verdict 3 "$6 unknown 7"; else verdict 1 "$6 proven 7"; fi
}
ends() { suspend 3 2100 12 fd:1; }
leaves() { wake 8 2010 12 chan:9 3; ends; }
runs() { leaves; resume 8 2200 11; }
rests() { runs; suspend 8 2300 11 chan:9 2; }
early() { ends; wake 8 2110 11 chan:9; }	# by another
next() { ends; create 6 2110; resume 6 2120 12; wake 8 2130 12 chan:9 6; suspend 6 2140 12 fd:2; }	# in another's run
each() {
	for now in : leaves runs; do under "$@" $now unknown $verdict; done
	for now in ends rests early next; do under "$@" $now proven $verdict; done
}
verdict=ready-resource
each mutex:1 'lock acquire 935 3 mutex:1' 'line release 2000 "\"tid\":12,\"by\":3,\"on\":\"mutex:1\""'
each chan:1 'line level 5 "\"tid\":12,\"on\":\"chan:1\",\"value\":0"' 'line level 2000 "\"tid\":12,\"by\":3,\"on\":\"chan:1\",\"value\":1"'
verdict=closed-resource; each chan:1 '' 'line close 2000 "\"tid\":12,\"by\":3,\"on\":\"chan:1\""'
verdict=dead-awaitee; each join:4 '' 'destroy 4 2000 12 false'
verdict=dead-owner; each mutex:1 'lock acquire 935 4 mutex:1' 'destroy 4 2000 12 false'
EOF

test_case 'dead-owner: handed to one that had ended' <<'EOF'
handed() { begin; create 3 10; lock acquire 20 9 mutex:1; waiting 7 1000 mutex:1; resume 3 1100 12; destroy 3 1200 12
	lock release 2000 9 mutex:1; lock acquire 2001 3 mutex:1; }
handed; end 3000000
verdict 1 "dead-owner proven 7"
has 'its holder coroutine 3 was handed it though it had ended at +0.002001s' out.json
# given back for it, and handed on
handed; lock release 2010 3 mutex:1; lock acquire 2011 7 mutex:1; wake 7 2012 12 mutex:1; resume 7 2100 11; suspend 7 2200 11 fd:1; end 3000000
verdict 0
EOF

test_case 'dead-owner, deadlock: a thing with words of its own is a lock once it was acquired' <<'EOF'
begin; create 3 10; resume 3 15 12; lock acquire 20 3 user:epoch; waiting 7 1000 user:epoch; destroy 3 2000 12; end 3000000
verdict 1 "dead-owner proven 7"
# another has it as well, and lives
begin; create 3 10; resume 3 15 12; lock acquire 20 3 user:epoch; create 4 25; lock acquire 30 4 user:epoch; waiting 7 1000 user:epoch
destroy 3 2000 12; end 3000000
verdict 0
crossed() { begin; for c in 3 4; do create $c $c; resume $c 1$c $((c + 8)); done; ${1:-lock} acquire 20 3 user:epoch; lock acquire 21 4 mutex:1
	suspend 3 1000 11 mutex:1; suspend 4 1001 12 user:epoch; end 3000000; }
crossed
verdict 1 "deadlock proven 3"
crossed :
verdict 0
EOF

test_case 'dead-owner: a lock that may be taken again is had until it was given back as often' <<'EOF'
again() { lock acquire $1 $2 mutex:1; lock acquire $1 $2 mutex:1; lock release $(($1 + 1)) $2 mutex:1; [ -z "$3" ] || lock release $(($1 + 2)) $2 mutex:1; }
deep() { begin; for c in 3 4; do create $c $c; resume $c 1$c 12; done; again 20 3 $1; again 30 4; waiting 7 1000 mutex:1; destroy 4 1100 12; end 3000000; }
deep twice
verdict 1 "dead-owner proven 7"
begin; create 4 4; resume 4 14 12; again 30 4; waiting 7 1000 mutex:1; destroy 4 1100 12; end 3000000	# its releases may not all be reported
verdict 1 "dead-owner suspected 7"
EOF

test_case 'dead-owner: of several readers, whose releases are all reported' <<'EOF'
readers() {	# N: so many take it, the second ends with it, the first gives it back while the last has it
	begin; for c in 3 4 5; do create $c $c; resume $c 1$c 12; done
	for c in 3 4 ${1:-5}; do lock acquire 2$c $c mutex:1; done; waiting 7 1000 mutex:1; destroy 4 1100 11
	lock release 1200 3 mutex:1; lock release 1300 5 mutex:1; $2; end 3000000
}
readers; verdict 1 "dead-owner proven 7"
# another reader may come where one is gone: it says nothing of that one
readers 5 'lock acquire 1400 5 mutex:1'; verdict 1 "dead-owner proven 7"
# twice by the same; two only, as where a hand-over is told the wrong way round
readers 3; verdict 1 "dead-owner suspected 7"
begin; for c in 3 4; do create $c $c; resume $c 1$c 12; lock acquire 2$c $c mutex:1; done; waiting 7 1000 mutex:1; lock release 1100 3 mutex:1
destroy 4 1200 11; end 3000000
verdict 1 "dead-owner suspected 7"
EOF

test_case 'dead-owner: of a plain thread that ended with it, which may have sent it before' <<'EOF'
for sent in 0 1; do
	begin; line thread 1 '"tid":13,"pid":1,"role":"other"'; line acquire 20 '"tid":13,"on":"mutex:1"'
	[ $sent = 0 ] || line level 30 '"tid":13,"on":"chan:5","value":1'
	waiting 7 1000 mutex:1; line thread 2000 '"tid":13,"pid":1,"ended":true'; end 3000000
	if [ $sent = 0 ]; then verdict 1 "dead-owner proven 7"; else verdict 1 "dead-owner suspected 7"; fi
	has 'its holder thread 13 ended at +0.002000s' out.json
done
EOF

test_case 'dead-owner: of permits, each of which is accounted for' <<'EOF'
level() { line level $1 "\"tid\":12,\"by\":$2,\"on\":\"sem:1\",\"value\":$3"; }
pool() {	# 3 gave one back; then two were taken, and one or both of those who have them end
	begin; for c in 3 4 5; do create $c $c; resume $c 1$c 12; done
	line level 20 '"tid":12,"on":"sem:1","value":2'; lock acquire 21 3 sem:1; level 22 3 1; lock release 23 3 sem:1; level 24 3 2
	lock acquire 30 4 sem:1; level 31 4 1; lock acquire 32 5 sem:1; level 33 5 0; waiting 7 1000 sem:1
	for c in $*; do destroy $c 1${c}00 12; done; end 3000000
}
pool 4 5; verdict 1 "dead-owner proven 7"
# the other may give back what it has
pool 4; verdict 0
# one had ended with its permit before anybody told how many are left
begin; for c in 3 4; do create $c $c; resume $c 1$c 12; lock acquire 2$c $c sem:1; done
destroy 3 30 12; level 40 4 0; waiting 7 1000 sem:1; destroy 4 2000 12; end 3000000
verdict 1 "dead-owner proven 7"
EOF

test_case 'dead-owner: who alone could send, or receive, ended and did not close the channel' <<'EOF'
# 3 holds an end of channel 1 and ends; 7 waits for what only it could do
over() { begin; create 3 10; resume 3 15 12; line level 16 '"tid":11,"on":"'$1':1","value":'$2; lock acquire 20 3 $1:1; waiting 7 1000 $1:1; }
level() { line level $1 "\"tid\":12,\"by\":$2,\"on\":\"$3:1\",\"value\":$4"; }
over chan 0; destroy 3 2000 12 false; end 3000000
verdict 1 "dead-owner proven 7"
has 'who alone could send has ended without closing the channel' out.json
over room 0; destroy 3 2000 12 false; end 3000000
verdict 1 "dead-owner proven 7"
# it was closed; another sends; somebody else sent before; it is not known whether it is empty
over chan 0; line close 1900 '"tid":12,"by":3,"on":"chan:1"'; wake 7 1901 12 chan:1; destroy 3 2000 12; resume 7 2100 11; suspend 7 2200 11 fd:1; end 3000000
verdict 0
over chan 0; create 4 1100; lock acquire 1200 4 chan:1; destroy 3 2000 12 false; end 3000000
verdict 0
over chan 0; create 4 1100; level 1200 4 chan 1; wake 7 1201 12 chan:1; level 1300 7 chan 0; resume 7 1301 11; suspend 7 1400 11 chan:1
destroy 3 2000 12 false; end 3000000
verdict 0
# nothing was ever said to be in it, and nobody else could have put it there
begin; create 3 10; resume 3 15 12; lock acquire 20 3 chan:1; waiting 7 1000 chan:1; destroy 3 2000 12 false; end 3000000
verdict 1 "dead-owner proven 7"
EOF

test_case 'dead-owner, deadlock: who alone sets an event, completes a future or owes a Done' <<'EOF'
open_() { line level $1 "\"tid\":12${2:+,\"by\":$2},\"on\":\"cond:1\",\"value\":${3:-1}"; }
owes() { begin; for c in $1; do create $c 10; resume $c 11 12; lock acquire 20 $c cond:1; done; waiting 7 1000 cond:1; }
owes 3; destroy 3 2000 12; end 3000000
verdict 1 "dead-owner proven 7"
has 'who alone could bring it about has ended' out.json
# of three who owe one the last to go: nobody is left who could
owes '3 4 5'; destroy 3 1100 11; lock release 1200 4 cond:1; lock release 1300 5 cond:1; end 3000000
verdict 1 "dead-owner proven 7"
owes '3 4'; destroy 3 1100 11; lock release 1200 4 cond:1; create 5 1300; resume 5 1301 12; lock acquire 1310 5 cond:1
lock release 1400 5 cond:1; end 3000000
verdict 1 "dead-owner proven 7"
# one lives yet; it was done, by who owed it, or by another; who ended is not the last; nobody owes anything
owes '3 4'; destroy 3 1100 12; end 3000000
verdict 0
owes 3; open_ 1100 3; wake 7 1101 12 cond:1; resume 7 1110 11; destroy 3 1200 12; open_ 1300 '' 0; suspend 7 1400 11 cond:1; end 3000000
verdict 0
owes 3; open_ 1100 9; open_ 1110 9 0; destroy 3 1200 12; end 3000000
verdict 0
owes 3; line notify 1100 '"tid":12,"by":9,"on":"cond:1","woken":1'; destroy 3 1200 12; end 3000000
verdict 0
owes 3; lock release 1100 3 cond:1; destroy 3 1200 12; end 3000000
verdict 0
# what ends with a reply goes not with it: it holds the channel, or gave it back to send for the last time
sends() { begin; create 3 10; resume 3 11 12; lock acquire 20 3 cond:1; waiting 7 1000 cond:1; "$@"; line level 1100 '"tid":12,"by":3,"on":"chan:2","value":1'
	destroy 3 2000 12; end 3000000; }
sends lock acquire 30 3 chan:2; verdict 1 "dead-owner proven 7"
sends eval 'lock acquire 30 3 chan:2; lock release 1050 3 chan:2'; verdict 1 "dead-owner proven 7"
sends lock acquire 30 4 chan:2; verdict 1 "dead-owner suspected 7"
# two wait for what the other is to do
each() { begin; for c in 7 8; do create $c 10; resume $c 11 12; lock acquire 20 $c cond:$c; done; suspend 7 100 11 cond:8; suspend 8 110 11 cond:7; }
each; end 3000000
verdict 1 "deadlock proven 7"
each; create 9 10; resume 9 20 12; lock acquire 120 9 cond:7; suspend 9 130 12 fd:1; end 3000000	# another may
verdict 0
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

test_case 'dead-owner: a hint where the holder finished and one that joined it lives: what it returned may own the guard' <<'EOF'
joined() { begin; create 3 10; resume 3 15 12; lock acquire 20 3 mutex:1; suspend 3 25 12 timer:9; waiting 8 100 ${1:-join:3}; waiting 7 200 mutex:1
	resume 3 300 12; destroy 3 310 12 ${2:-true,\"result\":true}; wake 8 311 12 join:3; resume 8 320 11; suspend 8 330 11 timer:9; end 3000000; }
joined; verdict 0 "dead-owner hint 7"
joined join:3 false; verdict 1 "dead-owner proven 7"	# cancelled, it returns nothing
joined join:3 true; verdict 1 "dead-owner proven 7"	# nor where it returned nothing
joined timer:8; verdict 1 "dead-owner proven 7"
EOF

test_case 'dead-owner, deadlock: what a coroutine has done by those that it awaits it does itself' <<'EOF'
# 3 alone receives, by 5 that it awaits, and that by 6
takes() { line level $1 "\"tid\":12,\"by\":$2,\"on\":\"room:1\",\"value\":$3"; }
awaits() { suspend $1 $2 12 coro:$3; }
child() { create $1 $2 ${3:-3}; [ -n "$4" ] || awaits ${3:-3} $(($2 + 1)) $1; resume $1 $(($2 + 2)) 12; }
receives() { begin; create 3 10; resume 3 15 12; takes 16 9 0; lock acquire 20 3 room:1; child 5 100 3 $1; child 6 110 5 $1; takes 120 6 1; takes 121 9 0
	destroy 6 130 12; [ -n "$1" ] || resume 5 131 12; destroy 5 140 12; [ -n "$1" ] || resume 3 141 12; waiting 7 1000 room:1; $2; end 3000000; }
receives '' 'destroy 3 2000 12'
verdict 1 "dead-owner proven 7"
receives not 'destroy 3 2000 12'		# nobody awaits them: another receives
verdict 0
crosses() { create 8 1100; resume 8 1101 11; lock acquire 1102 8 mutex:1; suspend 8 1110 11 coro:7; suspend 3 1120 12 mutex:1; }
receives '' crosses
verdict 1 "deadlock proven 3"
has '"cycle":\[3,8,7\]' out.json
receives not crosses
verdict 0
# it awaits them among others; or did, and waits for something else now, or runs
for among in first last; do
	awaits() { case $among in first) several any_of $1 $2 coro:$3 fd:9;; last) several any_of $1 $2 fd:9 coro:$3;; esac; }
	receives '' 'destroy 3 2000 12'
	verdict 1 "dead-owner proven 7"
done
awaits() { suspend $1 $2 12 coro:$3; wake $1 $2 12 fd:1; }
receives '' 'destroy 3 2000 12'
verdict 0
for left in fd:8 coro:9 ''; do
	awaits() { suspend $1 $2 12 coro:$3; resume $1 $2 12; [ -z "$left" ] || suspend $1 $2 12 $left; }
	receives '' 'destroy 3 2000 12'
	verdict 0
done
awaits() { several any_of $1 $2 coro:$3 fd:9; resume $1 $2 12; several any_of $1 $2 fd:8 fd:9; }
receives '' 'destroy 3 2000 12'
verdict 0
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
verdict 0 "dead-owner hint 7"
holds; waiting 8 1001 coro:3; destroy 3 2000 12; wake 8 2001 12 coro:3; resume 8 2002 11; destroy 8 2003 11; end 3000000
verdict 1 "dead-owner proven 7"
has '"by":8,"what":"coroutine finished"' out.json
# sent to one, or gone with one that was made meanwhile: who waits for the lock does not have it
sent() { holds; waiting 8 1001 chan:5; line level 1500 '"tid":12,"by":3,"on":"chan:5","value":1'; wake 8 1501 12 chan:5 3; resume 8 1510 11
	line level 1511 '"tid":11,"by":8,"on":"chan:5","value":0'; suspend 8 1520 11 $1; destroy 3 2000 12; end 3000000; }
sent fd:1
verdict 1 "dead-owner suspected 7"
sent mutex:1
verdict 1 "dead-owner proven 7"
made() { holds; create 9 1100 3; resume 9 1110 11; suspend 9 1120 11 $1; destroy 3 2000 12 false; end 3000000; }
made fd:1
verdict 1 "dead-owner suspected 7"
made mutex:1
verdict 1 "dead-owner proven 7"
EOF

test_case 'dead-owner: two have it, and each creates one meanwhile: in whatever order they end, what lives may have it' <<'EOF'
two() {	# FIRST LAST GONE: who ends first and last, and which of those created ended before
	begin; create 3 10; create 4 11; resume 3 12 12; resume 4 13 11; lock acquire 20 3 cond:1; lock acquire 21 4 cond:1
	create 8 30 3; create 9 40 4; waiting 7 1000 cond:1
	for ended in $3; do destroy $ended 1100 11; done
	destroy $1 2000 12; destroy $2 2100 12; end 3000000
}
for order in '3 4' '4 3'; do
	for gone in 8 9 ''; do
		two $order "$gone"
		verdict 1 "dead-owner suspected 7"
	done
	two $order '8 9'
	verdict 1 "dead-owner proven 7"
done
EOF

test_case 'dead-owner, deadlock: where guards are values, what returns, wakes or creates may have passed one on' <<'EOF'
rust() {
	begin
	sed -i "s/\"file\":\"f.c\",\"line\":$1/\"file\":\"f.rs\",\"line\":$1/" trace
}
holds() {	# SITE LINE of what is Rust's: 10 the creator's, 20 the lock's
	rust $1; own create 3 10 11 false ',"site":1'; resume 3 11 12; line acquire 20 '"tid":11,"by":3,"on":"mutex:1","site":2'; waiting 7 1000 mutex:1
}
ends() { own destroy 3 2000 12 false "$1"; end 3000000; }
holds 20; ends ',"done":true'
verdict 1 "dead-owner proven 7"
holds 20; ends ',"done":true,"result":true'
verdict 1 "dead-owner suspected 7"
holds 99; ends ',"done":true,"result":true'
verdict 1 "dead-owner proven 7"
# nobody says whether it returned anything; where the lock was taken is not said
holds 20; ends ''
verdict 1 "dead-owner suspected 7"
rust 10; own create 3 10 11 false ',"site":1'; resume 3 11 12; lock acquire 20 3 mutex:1; waiting 7 1000 mutex:1; ends ''
verdict 1 "dead-owner suspected 7"
# by what it woke somebody for, whatever that was
holds 20; waiting 8 900 ''; wake 8 1500 12 '' 3; resume 8 1510 11; suspend 8 1520 11 fd:1; ends ',"done":true'
verdict 1 "dead-owner suspected 7"
# who waits for the lock itself was not given it, unless it was one of several
holds 20; waiting 8 900 ''; wake 8 1500 12 '' 3; resume 8 1510 11; suspend 8 1520 11 mutex:1; ends ',"done":true'
verdict 1 "dead-owner proven 7"
holds 20; waiting 8 900 ''; wake 8 1500 12 '' 3; resume 8 1510 11; suspend 8 1520 11 mutex:1
waiting 9 1530 ''; wake 9 1540 12 '' 3; resume 9 1550 11; suspend 9 1560 11 fd:1; ends ',"done":true'
verdict 1 "dead-owner suspected 7"
# it waits for its own lock, whose guard it may have moved into what it created: while that lives, and waits for something else
moved() { rust $1; create 3 10; resume 3 11 12; line acquire 20 '"tid":12,"by":3,"on":"mutex:1","site":2'; create 9 30 3
	suspend 3 40 12 mutex:1; resume 9 50 11; suspend 9 60 11 $2; end 3000000; }
moved 20 timer:
verdict 1 "deadlock suspected 3"
moved 99 timer:
verdict 1 "deadlock proven 3"
moved 20 mutex:1
verdict 1 "deadlock proven 3"
# of several, each but those that wait for the lock
several() { rust 20; create 3 10; resume 3 11 12; line acquire 20 '"tid":12,"by":3,"on":"mutex:1","site":2'; create 8 30 3; create 9 31 3; suspend 3 40 12 mutex:1
	resume 8 50 11; suspend 8 60 11 $1; resume 9 70 11; suspend 9 80 11 $2; $3; end 3000000; }
several fd:1 mutex:1 :
verdict 1 "deadlock suspected 3"
several mutex:1 fd:1 :
verdict 1 "deadlock suspected 3"
several mutex:1 mutex:1 :
verdict 1 "deadlock proven 3"
several mutex:1 fd:1 'destroy 9 90 12'
verdict 1 "deadlock proven 3"
EOF

test_case 'lost-waker: the last waker of a root was dropped while it waits' <<'EOF'
begin; create 7 10; resume 7 20 11; line waker 30 '"tid":11,"probe_id":7,"op":"clone"'; suspend 7 1000 11 ''
line waker 2000 '"tid":12,"probe_id":7,"op":"drop"'; end 3000000
verdict 1 "lost-waker proven 7"
# no poll of it kept any: std::future::pending() needs none
begin; create 7 10; resume 7 20 11; line waker 30 '"tid":11,"probe_id":7,"op":"clone"'; suspend 7 1000 11 'user:no waker'
line waker 1001 '"tid":11,"probe_id":7,"op":"drop"'; end 3000000
verdict 3 "lost-waker unknown 7"
# healthy: one is left; dropped by the wake itself; its parent polls it
begin; create 1 10; resume 1 20 11; for i in 1 2; do line waker 30 '"tid":11,"probe_id":1,"op":"clone"'; done
suspend 1 1000 11 ''; line waker 2000 '"tid":12,"probe_id":1,"op":"drop"'
create 3 5; resume 3 6 11; create 2 10 3; resume 2 20 11; line waker 30 '"tid":11,"probe_id":2,"op":"clone"'; suspend 2 1000 11 ''
suspend 3 1001 11 fd:7; line waker 2000 '"tid":12,"probe_id":2,"op":"drop"'
create 4 5; resume 4 6 12; line waker 7 '"tid":12,"probe_id":4,"op":"clone"'; suspend 4 8 12 ''; waiting 5 900 coro:4
line waker 2000 '"tid":12,"probe_id":4,"op":"drop"'; end 3000000
verdict 0
# wakes are not reported at all: it ran again without one
begin; create 7 10; resume 7 20 11; line waker 30 '"tid":11,"probe_id":7,"op":"clone"'; suspend 7 40 11 ''; resume 7 900 11; suspend 7 1000 11 ''
line waker 2000 '"tid":12,"probe_id":7,"op":"drop"'; end 3000000
verdict 0
# one that ran again has wakers that nobody reports, as block_on's
begin; waiting 3 50 timer:9; resume 3 900 11; suspend 3 910 11 timer:9; create 7 10; resume 7 20 12
line waker 30 '"tid":12,"probe_id":7,"op":"clone"'; suspend 7 1000 12 ''; line waker 2000 '"tid":12,"probe_id":7,"op":"drop"'; end 3000000
verdict 1 "lost-waker proven 7"
# a task of its own, though it was spawned by one that lives
begin; create 3 5; resume 3 6 11; create 2 10 3; suspend 3 15 11 fd:7; resume 2 20 11
line waker 30 '"tid":11,"probe_id":2,"op":"clone"'; suspend 2 1000 11 ''
line waker 2000 '"tid":12,"probe_id":2,"op":"drop"'; end 3000000
verdict 1 "lost-waker proven 2"
EOF
test_case 'a close within a microsecond before the suspend: on another thread, one may have been before the other' <<'EOF'
at() {
	begin; line open 5 '"tid":12,"on":"fd:5"'; create 7 980; resume 7 990 11
	echo "{\"ev\":\"close\",\"ts\":$1,\"tid\":$2,\"on\":\"fd:5\"}" >>trace; suspend 7 1000 11 fd:5; end 400000
}
at 1000000999001 12; verdict 1 "closed-resource suspected 7"
at 1000000999000 12; verdict 1 "closed-resource proven 7"
at 1000000999001 11; verdict 1 "closed-resource proven 7"
EOF
test_case 'who destroys a coroutine runs the ends of its guards: of a lock that went so nothing is doubted' <<'EOF'
for by in 12 11; do
	begin; for c in 1 2 3; do create $c $((10 + c)); resume $c $((20 + c)) 11; done
	lock acquire 30 1 mutex:9; suspend 1 40 11 timer: 1
	line release 100 '"tid":12,"on":"mutex:9"'; destroy 1 110 $by false
	lock acquire 120 2 mutex:9; suspend 3 130 11 mutex:9 2; destroy 2 140 11 false; end 3000000
	if [ $by = 12 ]; then verdict 1 'dead-owner proven 3'; else verdict 1 'dead-owner suspected 3'; fi
done
EOF
test_case 'a number ends where its digits do: fd:1a is no other way to say fd:20' <<'EOF'
begin; waiting 7 1000 fd:20; line close 1100 '"tid":12,"on":"fd:1a"'; end 400000; verdict 0
EOF

test_case 'dead-owner: of twelve permits each is gone with whoever had it; not while one lives; suspected where others were given back' <<'EOF'
left() { line level $1 "\"tid\":12,\"by\":$2,\"on\":\"sem:1\",\"value\":$3"; }
twelve() { begin; line level 5 '"tid":12,"on":"sem:1","value":12'; for c in $(seq 21 32); do create $c 10; resume $c 15 12; lock acquire 20 $c sem:1; done
	left 30 32 0; waiting 7 100 sem:1; waiting 8 101 sem:1; lock release 200 31 sem:1; left 200 31 1; wake 7 201 12 sem:1 31; resume 7 210 11
	lock acquire 211 7 sem:1; left 211 7 0; suspend 7 220 11 timer:9; }
most="$(seq 21 30) 32"
twelve; for c in $most 7; do destroy $c 2000 12; done; end 3000000
verdict 1 "dead-owner proven 8"
twelve; for c in $most; do destroy $c 2000 12; done; end 3000000
verdict 0
twelve; for c in $most; do lock release 2000 $c sem:1; destroy $c 2001 12; done; destroy 7 2002 11; end 3000000
verdict 1 "dead-owner suspected 8"
EOF

test_case 'dead-owner: a permit may have gone to whom its holder created, though another took one since' <<'EOF'
left() { line level $1 "\"tid\":12,\"by\":$2,\"on\":\"sem:1\",\"value\":$3"; }
kid() { create 5 30 3; resume 5 31 11; suspend 5 32 11 fd:9; }
two() { begin; line level 5 '"tid":12,"on":"sem:1","value":2'; for c in 3 4; do create $c 10; resume $c 15 12; done; lock acquire 20 3 sem:1; left 20 3 1
	$1; lock acquire 40 4 sem:1; left 40 4 0; waiting 7 100 sem:1; destroy 3 200 12; destroy 4 210 12; end 3000000; }
two :; verdict 1 "dead-owner proven 7"
two kid; verdict 1 "dead-owner suspected 7"
kids() { kid; create 6 33 3; resume 6 34 11; suspend 6 35 11 sem:1; }
two kids; verdict 1 "dead-owner suspected 6"
gone() { kids; destroy 5 36 12; destroy 6 37 12; }
two gone; verdict 1 "dead-owner proven 7"
EOF

# What is waited for and never comes again, as a time, is forgotten, and nothing else with it; where things themselves are too many, what is
# said of one that may be forgotten is no proof, and a doubt stays.
test_case 'nine thousand sleeps, joins or things later the same is said of who waits for a lock or a channel' <<'EOF'
many() {	# COUNT KIND: 50 waits for so many, one after the other
	awk -v n=$1 -v on=$2 'BEGIN {
		own = "{\"probe_id\":50,\"tid\":11,\"addr\":\"0x0000000000000000\",\"seq\":%d,\"is_active\":%s,\"ts\":10000%08d,\"ev\":\"%s\",\"n\":%d%s}\n"
		for (i = 0; i < n; i++) {
			at = 50000000 + 100 * i; it = ",\"site\":1,\"on\":\"" on ":" (on == "timer" ? 1000000000000 : 1000000) + i "\""
			printf own, 4 * i + 6, "false", at, "suspend", 2 * i + 3, it
			printf "{\"probe_id\":50,\"tid\":12,\"addr\":\"0x0000000000000000\",\"seq\":0,\"is_active\":false,\"ts\":10000%08d,\"ev\":\"wake\"%s}\n", at + 20, it
			printf own, 4 * i + 8, "true", at + 40, "resume", 2 * i + 4, "" } }' >>trace; }
# the guard of the lock goes from who takes it to another, or stays with it
owner() { begin; create 50 10; resume 50 20 12; create 1 100; create 2 100; resume 1 110 11; lock acquire 120 1 mutex:0x10; suspend 1 130 11 fd:3
	resume 2 140 11; lock release 150 $1 mutex:0x10; suspend 2 160 11 fd:4; many $2 $3
	create 3 60000; resume 3 60010 11; lock acquire 60020 3 mutex:0x10; destroy 3 60030 11; waiting 4 60100 mutex:0x10; end 3000000; }
sender() { begin; create 50 10; resume 50 20 12; line level 100 '"tid":12,"on":"sem:99","value":1'; many $1 $2
	create 1 60000; resume 1 60010 11; lock acquire 60020 1 chan:0x40; waiting 2 60100 chan:0x40; destroy 1 60200 11; end 3000000; }
for n in 3 9000; do for on in timer join; do
	owner 2 $n $on; verdict 1 'dead-owner suspected 4'
	owner 1 $n $on; verdict 1 'dead-owner proven 4'
	sender $n $on; verdict 1 'dead-owner proven 2'
done; done
owner 2 9000 user; verdict 1 'dead-owner suspected 4'
owner 1 9000 user; verdict 1 'dead-owner suspected 4'
status 1 ct-lostwake trace >out; has 'before may be forgotten \[' out
owner 1 3 user; verdict 1 'dead-owner proven 4'
EOF
done_testing
