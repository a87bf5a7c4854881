#!/bin/sh
# ct-lostwake: what no line tells (judge/untold.c). Nobody is accused of it, but such a trace is not healthy, and status 0 is no answer.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"

test_case 'a wait of a task that is not traced is accused of nothing, but the trace is not healthy' <<'EOF'
waits() {	# what follows the create line's number: closed while it waits; in a cycle with 8, which a coroutine closes
	begin; own create 7 1000 11 false "$1"; resume 7 1010 11; suspend 7 1020 11 $2
	create 8 1000; resume 8 1100 12; lock acquire 1110 8 mutex:0xb; suspend 8 1200 12 coro:7
	line close 2000 '"tid":12,"on":"fd:5"'; end 3000000
}
for on in fd:5 mutex:0xb; do
	waits ',"untraced":true' $on
	status 3 ct-lostwake trace >out
	has '^0 findings: 2 coroutines live, .*; inconclusive where 1 wait is in tasks that are not traced$' out; has '^  to do: ' out
	waits '' $on
	status 1 ct-lostwake trace >out
done
begin; own create 7 1000 11 false ',"untraced":true'; resume 7 1010 11; suspend 7 1020 11 fd:5
resume 7 1030 11; destroy 7 1040 11; end 3000000
verdict 0
EOF

test_case 'nor is it healthy where no line tells who has what some wait for, and may have ended with it' <<'EOF'
waits() { begin; create 7 1000; resume 7 1010 11; "$@"; suspend 7 1020 11 "$on"; end 3000000; }
for on in mutex:0xb sem:3; do
	waits
	status 3 ct-lostwake trace >out
	has '^0 findings: 1 coroutine live, .*; inconclusive where 1 wait is for locks or permits of which no line tells who has them$' out; has '^  to do: ' out
	waits lock acquire 1015 8 $on
	verdict 0
	waits line level 1015 '"tid":11,"on":"'$on'","value":0'
	verdict 0
	waits wake 9 1015 12 cond:5
	verdict 0	# by these it is judged
	begin; create 7 1000; resume 7 1010 11; suspend 7 1020 11 $on; end 100000
	verdict 0	# it may have come a moment ago
done
for on in cond:1 chan:2 room:7 fd:5 user:x mutex:; do waits; verdict 0; done
# Among what nobody knows, too, or with a socket; not where a timer comes, or somebody has it.
legs() {
	begin; create 7 1000; resume 7 1010 11
	[ -z "$by" ] || lock acquire 1015 $by $lock
	several any_of 7 1020 $lock "$@"; end 3000000
}
for lock in mutex:0xb sem:3; do
	by=
	for beside in '' mutex:0xc fd:5; do legs "$beside"; status 3 ct-lostwake trace >out; done
	legs timer:9000000000000; verdict 0
	by=8
	legs ''; verdict 0
done
EOF

test_case 'nor where no line tells who takes from a channel, or it is owed an answer by anybody' <<'EOF'
waits() { begin; create 7 1000; resume 7 1010 11; "$@"; suspend 7 1020 11 "$on"; end 3000000; status $want ct-lostwake trace >out; }
owed() { line acquire 1015 '"tid":11,"on":"'$on'"'; }
given() { owed; line release 1017 '"tid":12,"on":"'$on'"'; }
for on in chan:2 room:7; do
	want=3 waits owed
	has 'inconclusive where 1 wait is for room or answers of which no line tells who gives them$' out; has '^  to do: ' out
	want=0 waits given
	want=0 waits lock acquire 1015 8 $on
	begin; create 7 1000; resume 7 1010 11; owed; several any_of 7 1020 $on ''; end 3000000
	status 3 ct-lostwake trace >out
done
on=chan:2
asks() { owed; own create 9 1016 11 false ',"parent":7'; resume 9 1017 12; suspend 9 1018 12 timer:9000000000000; }
want=0 waits asks	# that one may answer
# it waits for a lock that who asks keeps; for another's; so does one of two
keeps() { lock acquire 1013 $1 mutex:3; owed; for c in 9 $2; do own create $c 1016 11 false ',"parent":7'; resume $c 1017 12; suspend $c 1018 12 mutex:3; done; }
want=3 waits keeps 7
want=3 waits keeps 7 10
want=0 waits keeps 8
both() { keeps 7; own create 10 1016 11 false ',"parent":7'; resume 10 1017 12; suspend 10 1018 12 timer:9000000000000; }
want=0 waits both
EOF

test_case 'nor where one waits for what no line tells, with a lock for which all wait whom it created' <<'EOF'
keeps() {	# WHOSE UNTIL: 7 waits, its child for the lock of WHOSE; the last line at UNTIL
	begin; create 7 1000; resume 7 1010 11; lock acquire 1013 $1 mutex:3; create 9 1016 7; resume 9 1017 12; suspend 9 1018 12 mutex:3
	suspend 7 1020 11 $on; end $2; status $want ct-lostwake trace >out; }
on= want=3 keeps 7 3000000
has 'inconclusive where 1 wait is for what no line tells, by who keeps a lock from all whom it created$' out; has '^  to do: ' out
on= want=0 keeps 8 3000000
on= want=0 keeps 7 90000
on=fd:5 want=0 keeps 7 3000000
EOF

test_case 'nor where one waits for permits of which some were taken, nobody has any, and none was ever added' <<'EOF'
short() { begin; create 8 900; resume 8 1010 12; line acquire 1015 '"tid":11,"by":8,"on":"sem:4","site":2'; "$@"; waiting 9 1100 sem:4; end 3000000; status $want ct-lostwake trace >out; }
free() { lock release 1020 8 sem:4; "$@"; }
want=3 short free
has 'inconclusive where 1 wait is for permits of which nobody else has any$' out; has '^  to do: ' out
want=0 short				# who has it gives it back
want=0 short free lock acquire 1030 8 sem:4
want=0 short free line notify 1030 '"tid":12,"by":8,"on":"sem:4","woken":1'	# more were added; or by who has none
want=0 short free lock release 1030 8 sem:4
# who has it wants another: in Rust it is a guard, else it may be used up
more() { "$@"; suspend 8 1050 11 sem:4; }
want=0 short more
in_rust() { want=0 short "$@"; sed -i 's/"file":"f\.c"/"file":"f.rs"/' trace; got=0; ct-lostwake trace >out || got=$?; }
in_rust more; [ $got -eq 3 ]; has 'inconclusive where 2 waits are for permits of which nobody else has any$' out; has '^  to do: ' out
in_rust suspend 8 1050 11 timer:9000000000000; [ $got -eq 0 ]
in_rust more line notify 1030 '"tid":12,"by":8,"on":"sem:4","woken":1'; [ $got -eq 0 ]
other() { create 6 1021; resume 6 1022 12; line acquire 1025 '"tid":12,"by":6,"on":"sem:4","site":2'; suspend 6 1030 12 timer:9000000000000; }
in_rust more other; [ $got -eq 0 ]
want=1 short free line close 1200 '"tid":11,"on":"sem:4"'
begin; waiting 9 1100 sem:4; end 3000000; status 3 ct-lostwake trace >out	# never taken: another doubt
has 'for locks or permits of which no line tells' out
EOF

test_case 'but not as long as others are let go, nor before it waits thrice as long as anybody did there' <<'EOF'
owned() { line acquire $1 '"tid":12,"on":"mutex:0xb"'; }
queue() { begin; create 8 900; resume 8 1010 12; owned 1015; waiting 9 1100 mutex:0xb; line release $1 '"tid":12,"on":"mutex:0xb"'; owned $1; }
queue 100000; end 3000000
status 3 ct-lostwake trace >out
queue 2950000; end 3000000
verdict 0
before() { begin; create 8 900; resume 8 1010 12; owned 1015; waiting 9 1100 $1; wake 9 $2 12; resume 9 $2 11; suspend 9 $(($2 + 10)) 11 mutex:0xb; end 3000000; }
before mutex:0xb 800000
verdict 0
before mutex:0xb 700000
status 3 ct-lostwake trace >out
before cond:	800000	# another thing, at the same site
status 3 ct-lostwake trace >out
EOF

test_case 'nor where a coroutine took a lock for whoever has its guard, which may be anybody or nobody by now' <<'EOF'
takes() { begin; create 8 900; create 7 1000; "$@"; waiting 9 1100 $on; end 3000000; status $want ct-lostwake trace >out; }
owned() { resume 8 1010 12; line acquire 1015 '"tid":12,"on":"'$on'"'; suspend 8 1020 12 cond:1; }
back() { owned; line release 1030 '"tid":12,"on":"'$on'"'; }
taken() { back; lock acquire 1040 8 $on; }
plain() { line thread 5 '"tid":90,"pid":1,"role":"other"'; line acquire 1015 '"tid":90,"on":"'$on'"'; }
on=mutex:0xb
want=3 takes owned
has 'inconclusive where 1 wait is for locks or permits of which no line tells who has them$' out; has '^  to do: ' out
want=0 takes taken
want=0 takes plain
on=sem:3 want=0
takes owned	# permits are waited for as long as those work who have them
EOF

test_case 'nor where some wait for permits by whose levels none is left, and all who ever took any wait so, or have ended' <<'EOF'
level() { line level $1 "\"tid\":${tid:-11},${3:+\"by\":$3,}\"on\":\"sem:3\",\"value\":$2"; }
runs() { create $1 $2 $3; resume $1 $(($2 + 10)) 11; }
short() { end 3000000; status 3 ct-lostwake trace >out; has "; inconclusive where $1 for permits of which nobody else has any\$" out; has '^  to do: ' out; }
healthy() { end 3000000; verdict 0; }
far=timer:9000000000000
takes() { runs $1 $2; level $(($2 + 11)) $3 $1; }
main() { begin; line thread 0 '"tid":13,"pid":1,"name":"main","role":"other"'; tid=13; level 800 $1; tid=11; }
one() { main 1; takes 8 900 0; "$@"; runs 7 1000; suspend 7 1020 11 sem:3; }
gone() { destroy 8 920 11; }
one gone; short '1 wait is'						# with what it took
one suspend 8 920 11 sem:3; short '2 waits are'				# wants another one
one suspend 8 920 11 $far; healthy
one; healthy								# works
one gone; end 90000; verdict 0
child() { runs 9 915 8; suspend 9 930 11 $far; gone; }
one child; healthy							# that may have it
back() { level 930 1 $1; level 940 0 8; gone; }
one back 8; short '1 wait is'
one back 9; healthy							# a signal: who gives has not taken
one back ''; healthy							# a plain thread may again
one gone; wake 7 1030 12 sem:3; resume 7 1040 11; suspend 7 1050 11 sem:3; healthy	# handed over
one gone; runs 6 1060; wake 7 1070 12 sem:3 6; resume 7 1080 11; suspend 7 1090 11 sem:3; healthy
main 0; runs 7 1000; suspend 7 1020 11 sem:3; healthy			# none was ever there
one gone; line acquire 1010 '"tid":12,"on":"sem:3"'; healthy		# that has it
EOF

test_case 'nor where who waits has the lock itself and waits beside that for what may come: another branch may have it' <<'EOF'
has_it() { begin; create 7 1000; resume 7 1010 11; lock acquire 1015 ${by:-7} mutex:0xb; several $1 7 1020 mutex:0xb "$2"; end 3000000; }
for beside in chan:1 fd:5 ''; do
	for which in any_of all_of; do
		has_it $which "$beside"
		status 3 ct-lostwake trace >out
		has '^0 findings: .*; inconclusive where 1 wait is for a lock that who waits has himself, beside something else$' out; has '^  to do: ' out
	done
done
has_it any_of timer:9000000000000; verdict 0
by=8; has_it any_of chan:1; verdict 0
EOF

test_case 'nor where some wait for permits, and all who ever took one wait so, or have ended; one who may go on is enough' <<'EOF'
runs() { create $1 $2 $3; resume $1 $(($2 + 10)) 11; }
took() { line acquire $1 '"tid":11,"on":"sem:3"'; }		# whoever runs there
hopeless() { end 3000000; status 3 ct-lostwake trace >out; has "; inconclusive where $1 for permits that nobody is known to have who may go on\$" out; has '^  to do: ' out; }
healthy() { end 3000000; verdict 0; }
far=timer:9000000000000
kept() { begin; runs 8 900; took 915; "$@"; runs 7 1000; suspend 7 1020 11 sem:3; }
gone() { destroy 8 920 11; }
slow() { suspend 8 920 11 $far; }
child() { runs 9 915 8; suspend 9 930 11 $1; }
kept gone; hopeless '1 wait is'				# it was put away
kept slow; healthy
kept suspend 8 920 11 sem:3; hopeless '2 waits are'
kept child sem:3; suspend 8 1030 11 coro:9; hopeless '2 waits are'	# a part of it needs one, too
kept child $far; suspend 8 1030 11 sem:3; healthy	# that may have it
kept child $far; destroy 8 1030 11; healthy
kept gone; line release 1030 '"tid":12,"on":"sem:3"'; end 3000000	# a plain thread gave it back, or forgot it
status 3 ct-lostwake trace >out; has ' for permits of which nobody else has any$' out
kept gone; wake 7 1030 12 '' 6; resume 7 1040 11; suspend 7 1050 11 sem:3; hopeless '1 wait is'	# 6 has ended
begin; runs 6 800; suspend 6 820 11 $far; runs 8 900; took 915; gone; runs 7 1000; suspend 7 1020 11 sem:3
wake 7 1030 12 '' 6; resume 7 1040 11; suspend 7 1050 11 sem:3; healthy	# it makes some available
# as long as others are let go
begin; runs 8 900; took 915; destroy 8 920 11; runs 7 1000; suspend 7 1020 11 sem:3; runs 9 2940000; took 2950000; destroy 9 2960000 11; end 3000000; verdict 0
# two permits taken on one thread, one given back on another: one is out still
begin; runs 8 900; took 915; took 916; line release 917 '"tid":12,"on":"sem:3"'; gone; runs 7 1000; suspend 7 1020 11 sem:3; hopeless '1 wait is'
EOF

test_case 'nor where main waits for a coroutine, and all for what only coroutines bring about: nobody is left who could go on' <<'EOF'
main() { begin; line thread 5 "\"tid\":${thread:-1},\"pid\":1,\"name\":\"main\",\"role\":\"${role:-blocking}\""; waiting 7 1000 join:8; waiting 8 1000 "$1"; }
far=timer:9000000000000
for on in chan:1 room:1 cond:1 coro:9; do
	main $on; waiting 9 1100 cond:2; end 3000000
	status 3 ct-lostwake trace >out
	has '^0 findings: .*; inconclusive where 3 waits are for what nobody who was seen could bring about$' out; has '^  to do: ' out
	main $on; waiting 9 1100 $far; end 3000000; verdict 0
	main $on; create 9 1100; resume 9 1110 11; end 3000000; verdict 0		# it runs
	main $on; waiting 9 1100 cond:2; end 90000; verdict 0
	role=other; main $on; waiting 9 1100 cond:2; end 3000000; verdict 0; role=	# what that does is not told
	thread=13; main $on; waiting 9 1100 cond:2; end 3000000; verdict 0; thread=
done
for on in fd:5 '' join:99 chan:; do main chan:1; waiting 9 1100 "$on"; end 3000000; verdict 0; done
main chan:1; create 9 1100; resume 9 1110 11; several any_of 9 1120 chan:2 $far; end 3000000; verdict 0
main chan:1; create 9 1100; resume 9 1110 11; several any_of 9 1120 chan:2 cond:3; end 3000000; verdict 3
rust() { line waker 950 '"tid":11,"probe_id":8,"op":"clone"'; }
main join:9; rust; create 9 1100; end 3000000; verdict 3		# never begun: nobody drives its runtime
main join:9; rust; create 9 2950000; end 3000000; verdict 0
main join:9; create 9 1100; end 3000000; status 0 ct-lostwake trace >out	# a first run that is not seen
has '; 1 still waits, for 3.00s: ct-stuck lists it$' out
EOF

test_case 'nor where some wait for room, and all who ever used the channel wait so, or have ended; one who may go on is enough' <<'EOF'
# room CHANNEL ITEMS ROOM US BY: its levels
room() { for on in chan:$1=$2 room:$1=$3; do line level $4 "\"tid\":11,\"by\":$5,\"on\":\"${on%=*}\",\"value\":${on#*=}"; done; }
runs() { create $1 $2 $3; resume $1 $(($2 + 10)) 11; }
hopeless() { end 3000000; status 3 ct-lostwake trace >out; has "; inconclusive where $1 for room where nobody is known to take who may go on\$" out; has '^  to do: ' out; }
healthy() { end 3000000; verdict 0; }
far=timer:9000000000000
from() { cp $1 trace; unset n_6 n_8 n_9; case $1 in alone) n_7=3 ;; both) n_7=2 n_8=2 ;; woke) n_7=5 n_8=3 ;; esac; }
begin; runs 7 1000; room 2 0 1 1020 7; room 2 1 0 1030 7; suspend 7 1040 11 room:2
cp trace alone; hopeless '1 wait is'			# a lock made of it, by who has it
from alone; end 90000; verdict 0			# somebody may come yet
from alone; waiting 8 2000 $far; hopeless '1 wait is'	# that one never was there
from alone; runs 8 2000; suspend 8 2020 11 chan:2; wake 8 2030 11 chan:2 7; resume 8 2040 11; suspend 8 2050 11 $far
healthy							# it has taken, and is slow
from alone; runs 8 2000; wake 7 2020 11 room:2 8; resume 7 2030 11; suspend 7 2040 11 room:2; suspend 8 2050 11 fd:5
cp trace woke; healthy
from woke; destroy 8 2060 11; hopeless '1 wait is'
from woke; runs 9 2060 8; destroy 8 2075 11; suspend 9 2090 11 fd:6
healthy							# it may go on for its parent
from alone; line level 1500 '"tid":12,"on":"chan:2","value":1'; healthy	# a plain thread
# two that fill each other's, and a chain whose end is slow
begin; runs 7 1000; runs 8 1000
room 2 0 1 1020 7; room 2 1 0 1030 7; room 3 0 1 1040 8; room 3 1 0 1050 8
cp trace both
suspend 7 1060 11 room:3; suspend 8 1070 11 room:2; hopeless '2 waits are'
from both; suspend 7 1060 11 room:3; suspend 8 1070 11 $far; healthy
from both; runs 6 1080; suspend 7 1090 11 room:2; suspend 8 1090 11 coro:6; suspend 6 1095 11 room:3
hopeless '2 waits are'					# what it has others do, it does
from both; runs 6 1080; suspend 7 1090 11 room:3; suspend 8 1090 11 coro:6; suspend 6 1095 11 $far; healthy
# many users, of whom those that end are forgotten
crowd() {	# [slow]: 200 come and end, 30 stay and wait for room, the last but ten perhaps for its timer
	from alone; at=1100
	for i in $(seq 100 329); do unset n_$i; done
	for i in $(seq 100 299); do runs $i $at; line level $((at + 12)) "\"tid\":11,\"by\":$i,\"on\":\"chan:2\",\"value\":1"
		destroy $i $((at + 15)) 11; at=$((at + 20)); done
	for i in $(seq 300 329); do runs $i $at; line level $((at + 12)) "\"tid\":11,\"by\":$i,\"on\":\"chan:2\",\"value\":1"
		if [ "$1" = $i ]; then suspend $i $((at + 15)) 11 $far; else suspend $i $((at + 15)) 11 room:2; fi; at=$((at + 20)); done
}
crowd; hopeless '31 waits are'
for slow in 300 310 329; do crowd $slow; healthy; done
# Who takes, and never puts, counts alone, where one lives: 6, who sent and goes on, does not.
taken() {	# FIRST: before another message, what there is once 8 took one
	begin; runs 6 900; line level 920 '"tid":11,"by":6,"on":"chan:2","value":1'; runs 8 1000; line level 1020 '"tid":11,"by":8,"on":"chan:2","value":'$1
	line level 1030 '"tid":11,"by":6,"on":"chan:2","value":1'; suspend 6 1035 11 $far; runs 7 1040; }
stuck() { line level 1070 '"tid":11,"by":8,"on":"chan:3","value":1'; suspend 8 1080 11 room:3; }
for first in 0 1; do
	taken $first; suspend 7 1060 11 room:2; suspend 8 1070 11 chan:9; healthy	# somebody may send
	taken $first; stuck; suspend 7 1090 11 room:2; hopeless '2 waits are'
done
taken 0; line level 1050 '"tid":11,"by":8,"on":"chan:2","value":0'; line level 1055 '"tid":11,"by":8,"on":"chan:2","value":1'
stuck; suspend 7 1090 11 room:2; end 3000000; status 3 ct-lostwake trace >out; has ' 1 wait is for room' out	# it puts there, too: a lock perhaps
# It waits for what those alone have sent who wait.
gets() { taken 0; line level 1050 '"tid":11,"by":7,"on":"chan:9","value":1'; line level 1055 '"tid":11,"by":8,"on":"chan:9","value":0'; }
gets; suspend 7 1060 11 room:2; suspend 8 1070 11 chan:9; hopeless '1 wait is'
gets; suspend 7 1060 11 $far; runs 5 1070; suspend 5 1085 11 room:2; suspend 8 1090 11 chan:9; healthy
# None is in it, who takes waits for one, and yet one waits for room: another of its own sends has it.
kept() { begin; runs 7 900; line level 920 '"tid":11,"by":7,"on":"chan:2","value":1'; runs 8 1000; line level 1020 '"tid":11,"by":8,"on":"chan:2","value":0'
	suspend 8 1030 11 ${1:-chan:2}; suspend 7 1040 11 room:2; }
kept; hopeless '1 wait is'
kept $far; healthy
kept; runs 6 1050; line level 1065 '"tid":11,"by":6,"on":"chan:2","value":1'; line level 1070 '"tid":11,"by":6,"on":"chan:2","value":0'; suspend 6 1080 11 $far; healthy
# of which nobody reports the room, only that there is something in it
begin; runs 7 1000; line level 1030 '"tid":11,"by":7,"on":"chan:2","value":1'; suspend 7 1040 11 room:2
cp trace alone; hopeless '1 wait is'
from alone; runs 8 2000; line level 2020 '"tid":11,"by":8,"on":"chan:2","value":0'; line level 2030 '"tid":11,"by":7,"on":"chan:2","value":1'
suspend 8 2040 11 $far; healthy
EOF

test_case 'nor where who has a lock waits for room, and who makes it waits for that lock' <<'EOF'
full() {	# HAS: 8 takes from the channel, and waits for HAS's lock; 7 waits for room
	begin; create 8 900; resume 8 910 12; line level 920 '"tid":11,"by":7,"on":"chan:2","value":1'
	line level 930 '"tid":12,"by":8,"on":"chan:2","value":0'; line level 940 '"tid":11,"by":7,"on":"chan:2","value":1'
	create 7 1000; resume 7 1010 11; lock acquire 1015 $1 mutex:3; suspend 7 1020 11 room:2; suspend 8 1030 12 mutex:3; end 3000000; status $want ct-lostwake trace >out; }
want=3 full 7
has 'inconclusive where 1 wait is for room where nobody is known to take who may go on$' out; has '^  to do: ' out
want=0 full 6	# of whom nobody knows more
EOF

test_case 'nor where some wait for an event that is used as a lock is, and all who ever used it wait so, or have ended' <<'EOF'
runs() { create $1 $2; resume $1 $(($2 + 10)) 11; }
hopeless() { end 3000000; status 3 ct-lostwake trace >out; has "; inconclusive where $1 for events that nobody is known to bring about who may go on\$" out; has '^  to do: ' out; }
healthy() { end 3000000; verdict 0; }
far=timer:9000000000000
# 7 and 8 wait, 9 wakes one that ends
used() { begin; waiting 7 1000 cond:2; waiting 8 1010 cond:2; runs 9 1020; wake 8 1040 11 cond:2 $1; resume 8 1050 11; destroy 8 1060 11; }
used 9; destroy 9 1070 11; hopeless '1 wait is'
used 9; suspend 9 1070 11 $far; healthy			# it may again
used 9; suspend 9 1070 11 cond:2; healthy		# it waits behind nobody
used; destroy 9 1070 11; healthy			# a plain thread may again
used 9; destroy 9 1070 11; line level 1080 '"tid":12,"on":"cond:2","value":0'; healthy	# another rule's
used 9; destroy 9 1070 11; waiting 5 1080 cond:3; line end 90000 '"events":0,"lost":0'; verdict 0	# too young
# those who wait wake one another: 7 wakes 8, that keeps it and waits for a third
relay() { begin; waiting 7 1000 cond:2; runs 9 1010; wake 7 1020 11 cond:2 9; destroy 9 1030 11; resume 7 1040 11; waiting 8 1070 cond:2
	wake 8 1080 11 cond:2 7; destroy 7 1085 11; resume 8 1090 11; waiting 6 1120 cond:2; }
relay; suspend 8 1130 11 cond:2; hopeless '2 waits are'
relay; suspend 8 1130 11 $far; healthy
# one that waits alone, and all that are told at once, rest
begin; waiting 7 1000 cond:2; runs 9 1010; wake 7 1020 11 cond:2 9; resume 7 1040 11; suspend 7 1050 11 cond:2; suspend 9 1060 11 $far; healthy
EOF

test_case 'nor where some wait for an item, or an event, and all who ever gave one have ended, and nobody goes on who created such' <<'EOF'
runs() { create $1 $2 $3; resume $1 $(($2 + 10)) 11; }
hopeless() { end 3000000; status 3 ct-lostwake trace >out; has "; inconclusive where $1 for what nobody is left to send or bring about\$" out; has '^  to do: ' out; }
healthy() { end 3000000; status 0 ct-lostwake trace >out; }
far=timer:9000000000000
level() { line level $1 "\"tid\":11${3:+,\"by\":$3},\"on\":\"chan:2\",\"value\":$2"; }
# 7 receives; 9 (or a plain thread), whom PARENT created, sends, and ends if it is to
sent() {	# BY PARENT
	begin; waiting 7 1000 chan:2; level 1005 0; [ -z "$2" ] || runs $2 900; [ -z "$1" ] || runs 9 1010 $2
	level 1020 1 $1; wake 7 1021 11 chan:2 $1; resume 7 1030 11; level 1040 0 7; suspend 7 1050 11 chan:2
}
sent 9; destroy 9 1060 11; cp trace ended; hopeless '1 wait is'
again() { cp ended trace; n_7=5; unset n_8; }
again; waiting 8 2000 chan:2; hopeless '2 waits are'
again; waiting 8 2000 $far; hopeless '1 wait is'	# that one never was there
again; waiting 8 2000 coro:7; hopeless '1 wait is'
again; line close 2000 '"tid":11,"on":"chan:2"'; end 3000000; verdict 1 'closed-resource proven 7'
again; line level 2000 '"tid":12,"on":"chan:2","value":0'; healthy	# a plain thread looked
again; runs 8 2000; level 2020 1 8; wake 7 2021 11 chan:2 8; resume 7 2030 11; level 2040 0 7; suspend 7 2050 11 chan:2
suspend 8 2060 11 $far; healthy
again; line end 90000 '"events":0,"lost":0'; verdict 0	# too young
sent 9; suspend 9 1060 11 $far; healthy			# it may send more
sent; healthy						# and so a plain thread
sent 9 8; destroy 9 1060 11; suspend 8 1070 11 $far; hopeless '1 wait is'	# who created it does other things
sent 9; runs 8 1055 9; destroy 9 1060 11; suspend 8 1070 11 $far; healthy	# its child may send for it
# permits that were added, of which nobody has any
spent() { begin; runs 9 900; line notify 920 '"tid":11,"by":9,"on":"sem:2","woken":1'; runs 7 1000; lock acquire 1015 7 sem:2
	lock release 1016 7 sem:2; suspend 7 1020 11 sem:2; }
spent; destroy 9 1060 11; hopeless '1 wait is'
spent; destroy 9 1060 11; line notify 1070 '"tid":12,"on":"sem:2","woken":1'; healthy
spent; suspend 9 1060 11 $far; healthy
# who waits where it did before it created several such, one after the other, will create another; and so with a level between them
creates() {	# BETWEEN SITE TIMES [TAKE]: 8 accepts, and creates 9, or 6 that does; and again
	begin; waiting 7 1000 chan:2; level 1005 0; create 8 1006; resume 8 1007 11; unset n_6 n_9 n_16 n_19
	for at in 1100 1200; do
		id=$((at == 1100 ? 9 : 19)) mid=$((at == 1100 ? 6 : 16))
		suspend 8 $((at + 8)) 11 fd:5 2; resume 8 $((at + 10)) 11; by=8
		[ -z "$1" ] || { runs $mid $((at + 11)) 8; by=$mid; }
		if [ $3 = 2 ] || [ $at = 1100 ]; then
			runs $id $((at + 12)) $by; [ -z "$1" ] || destroy $mid $((at + 23)) 11
			[ -z "$4" ] || { suspend $id $((at + 23)) 11 chan:2; wake $id $((at + 23)) 11 chan:2; resume $id $((at + 24)) 11; }
			level $((at + 25)) 1 $id; wake 7 $((at + 26)) 11 chan:2 $id; resume 7 $((at + 30)) 11
			level $((at + 40)) 0 7; suspend 7 $((at + 50)) 11 chan:2; destroy $id $((at + 60)) 11
		fi
	done
	suspend 8 1300 11 fd:5 $2
}
creates '' 2 2; healthy
creates '' 3 2; hopeless '1 wait is'
creates '' 2 1; hopeless '1 wait is'	# it was that one's own
last() {	# 8 accepts, and creates 9 in its last run, and waits where it did before, or elsewhere
	begin; [ -n "$2" ] || waiting 7 1000 chan:2; level 1005 0; create 8 1006; resume 8 1007 11; suspend 8 1008 11 fd:5 2; resume 8 1009 11
	[ -z "$2" ] || { create 7 1010 8; resume 7 1011 12; suspend 7 1012 12 chan:2; }
	runs 9 1010 8; suspend 8 1021 11 fd:5 $1
	level 1025 1 9; wake 7 1026 11 chan:2 9; resume 7 1030 11; level 1040 0 7; suspend 7 1050 11 chan:2; destroy 9 1060 11; }
last 2; healthy
last 3; hopeless '1 wait is'
last 2 too; hopeless '1 wait is'	# as it did who waits
creates '' 2 2; destroy 8 1400 11; hopeless '1 wait is'
creates between 2 2; healthy
# what main put there before it became a worker is not what it does now
begin; line thread 500 '"tid":13,"pid":1,"name":"main","role":"other"'; waiting 7 1000 chan:2; line level 1005 '"tid":13,"on":"chan:2","value":0'
line level 1010 '"tid":13,"on":"chan:2","value":1'; wake 7 1021 13 chan:2; resume 7 1030 11; level 1040 0 7; suspend 7 1050 11 chan:2; cp trace main
healthy
cp main trace; n_7=5; line thread 1060 '"tid":13,"pid":1,"name":"main","role":"worker"'; hopeless '1 wait is'
# so of an event, whether somebody waited when it came about
event() { begin; runs 9 1000; [ -z "$1" ] || waiting 7 1000 cond:2; line notify 1020 '"tid":11,"by":9,"on":"cond:2","woken":0'
	[ -z "$1" ] || { wake 7 1021 11 cond:2 9; resume 7 1030 11; suspend 7 1050 11 cond:2; }; [ -n "$1" ] || waiting 7 1050 cond:2; }
# one of which a level is told that is 0 again
told() { begin; waiting 7 1000 cond:2; runs 9 1010; line level 1020 '"tid":11,"by":9,"on":"cond:2","value":1'; wake 7 1021 11 cond:2 9; resume 7 1030 11
	line level 1040 '"tid":11,"by":7,"on":"cond:2","value":0'; suspend 7 1050 11 cond:2; }
told; destroy 9 1060 11; hopeless '1 wait is'
told; suspend 9 1060 11 $far; healthy
told; destroy 9 1060 11; line level 1070 '"tid":12,"on":"cond:2","value":0'; healthy	# a plain thread looked
# at a barrier 9 let 7 and 8 go, of whom one ends; they wait again, and 9 behind them
party() {
	begin; waiting 7 1000 cond:2; waiting 8 1010 cond:2; runs 9 1020; wake 7 1040 11 '' 9; wake 8 1041 11 '' 9; resume 7 1050 11
	suspend 7 1060 11 cond:2; resume 8 1070 11; suspend 9 1080 11 ${1:-cond:2}; }
party; destroy 8 1090 11; hopeless '2 waits are'
party; suspend 8 1090 11 $far; healthy
party $far; destroy 8 1090 11; healthy
# not where one woke one, as in a pool: 7, whose turn it is to wait there, lets 8 go
begin; waiting 8 1000 cond:2; runs 7 1010; wake 8 1040 11 '' 7; suspend 7 1060 11 cond:2; resume 8 1070 11; suspend 8 1080 11 cond:2; healthy
event; destroy 9 1060 11; hopeless '1 wait is'
event; suspend 9 1060 11 $far; healthy
event waited; destroy 9 1060 11; hopeless '1 wait is'
event waited; suspend 9 1060 11 $far; healthy
event; destroy 9 1060 11; line level 1070 '"tid":11,"on":"cond:2","value":0'; healthy	# another rule's
EOF

test_case 'nor where one waits for an item, and all who can send wait for it, as far as is told of who can' <<'EOF'
runs() { create $1 $2 $3; resume $1 $(($2 + 10)) 11; }
hopeless() { end 3000000; status 3 ct-lostwake trace >out; has "; inconclusive where $1 for what nobody is left to send or bring about\$" out; }
healthy() { end 3000000; verdict 0; }
far=timer:9000000000000
level() { line level $1 "\"tid\":11${3:+,\"by\":$3},\"on\":\"${4:-chan:2}\",\"value\":$2"; }
senders() { level $1 $2 $3 sem:2; }
gives() { level $1 1 $2; wake 7 $(($1 + 1)) 11 chan:2 $2; resume 7 $(($1 + 2)) 11; level $(($1 + 3)) 0 7; suspend 7 $(($1 + 4)) 11 chan:2; }
# 9 makes the channel, and 7, which receives what it sends
made() { begin; runs 9 900; [ "$1" = untold ] || senders 911 1 9; runs 7 912 9; lock acquire 923 7 mutex:4
	suspend 7 924 11 chan:2; level 925 0 7; gives 930 9; }
joins() { suspend 9 2000 11 join:7; }
made; joins; hopeless '1 wait is'
made; suspend 9 2000 11 mutex:4; waiting 8 2100 $far; hopeless '1 wait is'		# 7 has it
made; level 1000 1 9; gives 1010 9; level 1020 1 9; wake 7 1021 11 chan:2 9; resume 7 1022 11; level 1023 1 7; level 1024 0 7
suspend 7 1025 11 chan:2; joins; hopeless '1 wait is'		# took two
made; level 1000 1; level 1001 0 7; joins; healthy		# a plain thread gave, too
made; suspend 9 2000 11 $far; healthy				# it may send more
made; runs 8 940; suspend 8 951 11 $far; suspend 9 2000 11 join:8; healthy
made untold; joins; healthy					# who else can send nobody says
made; senders 1000 2 9; gives 1010 9; joins; healthy		# another has one
made; senders 1000 2 9; senders 1001 1 9; gives 1010 9; joins; hopeless '1 wait is'
made; senders 1000 2 8; senders 1001 1 8; joins; healthy	# who could do so has one, and may be gone
made; senders 1000 0 9; joins; healthy				# untold from there on
made; senders 1000 2 9; runs 8 1001 9; gives 1020 8; gives 1030 9; suspend 8 1040 11 join:7; joins; hopeless '1 wait is'
made; senders 1000 2 9; runs 8 1001 9; gives 1020 8; gives 1030 9; suspend 8 1040 11 $far; joins; healthy
# what it did since may have given its sender to another
made; runs 8 1000 9; suspend 8 1011 11 $far; joins; healthy
made; lock acquire 1000 9 mutex:5; lock release 1001 9 mutex:5; joins; healthy
made; level 1000 1 9 chan:3; joins; healthy
made; line notify 1000 '"tid":11,"by":9,"on":"cond:3","woken":0'; joins; healthy
made; waiting 8 1000 chan:3; wake 8 1010 11 '' 9; resume 8 1011 11; suspend 8 1012 11 $far; joins; healthy
EOF

test_case 'a process is waited for as long as it is known to have lived: that it ended is seen late' <<'EOF'
runs() { create $1 $2 $3; resume $1 $(($2 + 10)) 11; }
level() { line level $1 "\"tid\":11,\"by\":$3,\"on\":\"$4\",\"value\":$2"; }
lock_untold() { begin; waiting 7 1000 mutex:1; }
item() { begin; runs 9 900; level 911 1 9 sem:2; runs 7 912 9; suspend 7 924 11 chan:2; level 925 0 7 chan:2
	level 930 1 9 chan:2; wake 7 931 11 chan:2 9; resume 7 932 11; level 933 0 7 chan:2; suspend 7 934 11 chan:2; suspend 9 950 11 join:7; }
nobody() { begin; waiting 7 1000 cond:1; waiting 8 1100 join:7; alone=1; }
for way in lock_untold item nobody; do
	$way; end 3000000; status 3 ct-lostwake trace >out
	for alive in '50000 0' '2900000 3'; do
		set -- $alive
		$way; line exit 3000000 "\"pid\":1,\"alive\":$(ns $1),\"status\":0"; end 3000000; status $2 ct-lostwake trace >out
		$way; line process $(($1 + 10000)) "\"pid\":1,\"ended\":true,\"alive\":$(ns $1)"
		line exit 3000000 "\"pid\":9,\"status\":0"; end 3000000; status $2 ct-lostwake trace >out
	done
done
EOF

test_case 'nor where one waits for a wait group, and whoever counted it down, and all whom it created, have ended' <<'EOF'
runs() { create $1 $2 $3; resume $1 $(($2 + 10)) 11; }
down() { line level $1 "\"tid\":11,${2:+\"by\":$2,}\"on\":\"cond:2\",\"value\":${3:-0}"; }
healthy() { end 3000000; verdict 0; }
group() { begin; runs 7 1000; down 1015 7; runs 8 1020 7; runs 9 1040 7; suspend 7 1060 11 cond:2; }
parts() { for part; do at=$((at + 10)); down $at $part; at=$((at + 10)); destroy $part $at 11; done; }
at=1100
group; parts 8; destroy 9 1200 11; end 3000000; status 3 ct-lostwake trace >out		# 9 returned early
has '; inconclusive where 1 wait is for what nobody is left to send or bring about$' out; has '^  to do: ' out
group; parts 8; destroy 9 1200 11; down 1300; healthy		# a plain thread does a part of it
group; parts 8; suspend 9 1200 11 timer:9000000000000; healthy		# is about to
group; parts 8; runs 6 1200 9; destroy 9 1220 11; healthy		# created who is
group; destroy 8 1200 11; destroy 9 1201 11; healthy			# an event: nobody counts
group; parts 8; down 1200 7; destroy 9 1201 11; healthy			# it counts itself
# main counts the parts, and who waits makes them; then main does one itself, or its like
by_main() { line level $1 '"tid":13,"on":"cond:2","value":0'; }
group() {
	begin; line thread 0 '"tid":13,"pid":1,"name":"main","role":"other"'; by_main 900
	runs 7 1000; runs 8 1020 7; runs 9 1040 7; suspend 7 1060 11 cond:2
}
group; parts 8; destroy 9 1200 11; end 3000000; status 3 ct-lostwake trace >out
has '; inconclusive where 1 wait is for what nobody is left to send or bring about$' out
group; parts 8; destroy 9 1200 11; by_main 1300; healthy
group; parts 8; suspend 9 1200 11 timer:9000000000000; healthy
EOF

test_case 'what a finding explains is no doubt beside it, what it does not is' <<'EOF'
alone=yes
closed() { begin; waiting 7 1000 $1; line close 2000 "\"tid\":12,\"on\":\"$1\""; }
for on in chan:1 mutex:1; do
	closed $on; [ $on = chan:1 ] || waiting 8 1100 fd:5
	end 3000000
	status 1 ct-lostwake trace >out; has '^1 finding: 1 proven' out; hasnt inconclusive out
	status 1 ct-report --json trace >out; hasnt '"doubt"' out
	ct-html trace >page; has ' data-proven="1" .* data-doubt="0"' page
done
closed mutex:1; waiting 8 1100 mutex:2; end 3000000; status 1 ct-lostwake trace >out
has '^1 finding: .*; inconclusive where 1 wait is for locks or permits of which no line tells who has them$' out; has '^  to do: ' out
begin; waiting 7 1000 mutex:1; create 8 900; resume 8 910 11; lock acquire 920 8 mutex:1; destroy 8 930 11; waiting 9 1100 mutex:1
end 3000000; status 1 ct-lostwake trace >out; has '^1 finding: 1 proven' out; has '; 1 waits behind it' out; hasnt inconclusive out
EOF

test_case 'nor where all that live wait for what others of them bring about, and no plain thread ever did' <<'EOF'
alone=yes
asleep() { end 3000000; status 3 ct-lostwake trace >out; has "; inconclusive where $1 waits are for what nobody who was seen could bring about\$" out; has '^  to do: ' out; }
healthy() { end 3000000; status 0 ct-lostwake trace >out; }
two() { begin; waiting 7 1000 cond:2; waiting 8 1100 chan:3; }
two; asleep 2
for on in fd:5 timer:9000000000000 user:dns; do two; waiting 9 1200 $on; healthy; done
two; waiting 9 1200; healthy				# nobody knows for what
two; create 9 1200; resume 9 1210 11; healthy		# runs
two; waiting 9 2950000 cond:4; healthy			# too young
two; several any_of 8 1200 timer:9000000000000 chan:3; healthy
two; several any_of 8 1200 cond:4 chan:3; asleep 2
two; wake 7 1200 12 cond:2; resume 7 1210 11; suspend 7 1220 11 cond:2; healthy	# a plain thread may again
two; line notify 1200 '"tid":12,"on":"cond:4","woken":1'; healthy
two; wake 7 1200 12 cond:2 8; resume 7 1210 11; suspend 7 1220 11 cond:2; asleep 2
two; line level 1200 '"tid":12,"on":"room:3","value":1'; line level 1201 '"tid":12,"on":"room:3","value":0'; healthy
two; line thread 1200 '"tid":13,"pid":1,"name":"main","role":"other"'; create 9 1210; own resume 9 1220 13 true ''; destroy 9 1230 13; healthy
begin; create 7 1000; resume 7 1010 11; destroy 7 1020 11; healthy	# nobody waits
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; end 3000000; status 1 ct-lostwake trace >out; hasnt inconclusive out
two; line close 2000 '"tid":12,"on":"cond:2"'; end 3000000; status 1 ct-lostwake trace >out; hasnt inconclusive out	# that is said
status 1 ct-report trace >report; hasnt inconclusive report
EOF

test_case 'nor where tasks wait for a thread of a blocking pool that those keep who wait: as who wait there for such tasks' <<'EOF'
names() { printf '{"ev":"name","ts":%s,"tid":11,"probe_id":%s,"name":"blocking"}\n' "$(ns "$2")" "$1" >>trace; }
pool() {	# 1 on thread 21, 2 on thread 22; 3 is never begun; 9 waits elsewhere
	begin; waiting 9 900 ${for:-fd:5}
	for tid in 21 22; do line thread 900 "\"tid\":$tid,\"pid\":1,\"role\":\"blocking\""; done
	for id in 1 2 3; do create $id 1000; names $id 1000; done
	resume 1 1010 21; resume 2 1020 22
}
full() { end 3000000; status 3 ct-lostwake trace >out; has "^0 findings: .*; inconclusive where $1 for a blocking thread: each is kept by one that waits\$" out; has '^  to do: ' out; }
healthy() { end 3000000; status 0 ct-lostwake trace >out; }
pool; suspend 1 1100 21 join:3; suspend 2 1100 22 chan:1; full '1 wait is'
pool; suspend 1 1100 21 join:3; suspend 2 1100 22 chan:1; create 4 1200; names 4 1200; full '2 waits are'
alone=yes for=join:1	# and so who waits for these: it is said by what
pool; suspend 1 1100 21 join:3; suspend 2 1100 22 chan:1; line thread 5 '"tid":1,"pid":1,"name":"main","role":"blocking"'
line waker 1050 '"tid":21,"probe_id":1,"op":"clone"'; full '1 wait is'; alone='' for=
pool; suspend 1 1100 21 join:3; healthy				# the other works
for on in fd:6 timer:9000000000000; do pool; suspend 1 1100 21 join:3; suspend 2 1100 22 $on; healthy; done
pool; suspend 1 1100 21 join:3; suspend 2 2990000 22 chan:1; healthy	# it has just come
pool; suspend 1 1100 21 join:3; suspend 2 1100 22 chan:1; own resume 3 1200 22 true ''; healthy
pool; suspend 1 1100 21 chan:2; suspend 2 1100 22 chan:1; destroy 3 1200 11 false; healthy
# in a block_on of which it is not told that its task waits for it
polls() { create $1 1100; sed "s/\(\"probe_id\":$1,.*\"create\".*\)}\$/\1,\"parent\":$2}/" trace >t && mv t trace; resume $1 1110 $3; suspend $1 1120 $3 "$4"; line park 1130 "\"tid\":$3"; }
pool; polls 5 1 21 ''; polls 6 2 22 chan:1; full '1 wait is'
pool; polls 5 1 21 ''; polls 6 2 22 fd:6; healthy
pool; polls 5 1 21 fd:6; suspend 1 1140 21 coro:5; suspend 2 1100 22 chan:1; healthy
pool; polls 5 1 21 ''; suspend 2 1100 22 chan:1; end 900000; status 0 ct-lostwake trace >out	# it may be a socket
EOF

done_testing
