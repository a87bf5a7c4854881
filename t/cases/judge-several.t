#!/bin/sh
# ct-lostwake on those that wait for any or all of several things.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"

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
ring() { begin; create 7 10; resume 7 20 11; create 8 10; resume 8 20 12; lock acquire 30 8 mutex:2; lock acquire 31 8 mutex:3
	lock acquire 32 7 mutex:1; suspend 8 90 12 mutex:1; seven $1 100 $2 $3; end 1000000; }
ring any_of mutex:2 mutex:3
verdict 1 "deadlock proven 7"
# the branch that waits for fd:5 may have mutex:1, and give it back; not where that was taken before, or there is no such branch
ring all_of mutex:2 fd:5
verdict 0
ring all_of mutex:2 fd:5; sed -i 's/\(.*"ev":"acquire".*\)'$(ns 32)'\(.*mutex:1.*\)/\1'$(ns 15)'\2/' trace
verdict 1 "deadlock proven 7"
ring all_of mutex:2 mutex:3
verdict 1 "deadlock proven 7"
ring any_of mutex:2 fd:5
verdict 0
ring any_of mutex:2 timer:$(ns 1)
verdict 0
ring any_of mutex:2 fd:5; sed -i 's/,"on":"fd:5"//' trace		# and who knows what
verdict 1 "deadlock suspected 7"
# its own lock: another branch of it may have that, and go on
begin; create 7 10; resume 7 20 11; lock acquire 30 7 mutex:2; seven any_of 100 mutex:2 fd:5; sed -i 's/,"on":"fd:5"//' trace; end 1000000
verdict 3
ring any_of mutex:2 timer:; has '"ev":"leg".*"on":"timer:"' trace		# that will come, nobody knows when
verdict 0
EOF

# One of several is to wake it, so each is judged alone; of all of several nothing is known until the last.
test_case 'all of several: each is there, or gone' <<'EOF'
there() { line level $1 "\"tid\":12,\"on\":\"$2\",\"value\":$3"; }
both() { begin; there 10 chan:1 0; there 11 chan:2 0; create 7 980; resume 7 990 11; several all_of 7 1000 chan:1 ${1:-chan:2}; }
both; there 2000 chan:2 1; line close 2100 '"tid":12,"on":"chan:1"'; end 3000000
verdict 1 "ready-resource proven 7"
has 'each of what they wait for is there, or gone' out.json
both; there 2000 chan:2 1; there 2100 chan:1 1; end 3000000
verdict 1 "ready-resource proven 7"
# one is yet to come; or was taken; it was woken; of one nobody knows
both; there 2000 chan:2 1; end 3000000
verdict 0
both; there 2000 chan:2 1; there 2010 chan:2 0; line close 2100 '"tid":12,"on":"chan:1"'; end 3000000
verdict 0
both; there 2000 chan:2 1; line close 2100 '"tid":12,"on":"chan:1"'; wake 7 2101 12 ''; resume 7 2110 11; suspend 7 2120 11 fd:5; end 3000000
verdict 0
both cond:; there 2000 chan:1 1; end 3000000
verdict 0
EOF

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
limit() { begin; seven $1 100 chan:2 timer:$(ns 5000) $2; $3; end 1100000; }
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

test_case 'who asks for a lock or permits with a time limit, again and again, in vain: nobody is accused, nothing is green where it stays so' <<'EOF'
far=timer:$(ns 9000000)
# ID asks for ON three times, or as often as is said, from US on, every 100 ms
asks() {
	i=0
	while [ $i -lt ${times:-3} ]; do
		at=$(($3 + i * 100000)); i=$((i + 1))
		several any_of $1 $at $2 timer:$(ns $((at + 100000)))
		[ $i -eq ${times:-3} ] || { wake $1 $((at + 100000)) 11; resume $1 $((at + 100000)) 11; }
	done
}
runs() { create $1 $2; resume $1 $(($2 + 5)) 11; }
doubt() { end 900000; status 3 ct-lostwake trace >out; has "^0 findings: .*; inconclusive where $1\$" out; }
counted() { end 900000; status 0 ct-lostwake trace >out; has "^0 findings: 2 coroutines live, none forgotten, .*; 1 still waits, for 900ms: ct-stuck lists it\$" out; }
vain='for a lock again and again, which who has it cannot give back'
kept() { begin; runs 8 10; lock acquire 20 8 mutex:1; "$@"; runs 7 80; asks 7 mutex:1 100; }
kept destroy 8 50 11; doubt "1 wait is $vain"
times=2; kept destroy 8 50 11; end 900000; verdict 0; times=	# it may give up
kept suspend 8 50 11 $far; counted				# it may give it back yet
kept suspend 8 50 11 fd:5; counted
kept suspend 8 50 11 chan:5; end 900000; verdict 0
kept destroy 8 50 11; lock release 150000 8 mutex:1; end 900000; verdict 0	# by who has its guard
begin; runs 8 10; lock acquire 20 8 mutex:1; runs 7 80; lock acquire 85 7 mutex:2; asks 8 mutex:2 90; asks 7 mutex:1 100; doubt "2 waits are $vain"
begin; runs 8 10; lock acquire 20 8 mutex:1; runs 7 80; lock acquire 85 7 mutex:2; suspend 8 90 11 mutex:2; asks 7 mutex:1 100; doubt "1 wait is $vain"
begin; runs 8 10; lock acquire 20 8 mutex:1; runs 7 80; lock acquire 85 7 mutex:2; asks 8 mutex:2 90
lock release 110 7 mutex:2; lock acquire 120 7 mutex:2; asks 7 mutex:1 130; end 900000; verdict 0	# who gives back what the other wants may go on
has_own() { begin; runs 7 80; lock acquire 85 7 mutex:1; asks 7 mutex:1 100; }
has_own; doubt '1 wait is for a lock that who waits has himself, beside something else'
times=2; has_own; end 900000; verdict 0; times=
# permits: nobody has any; somebody has one, and may give it back; others are added
permit() { begin; runs 8 10; lock acquire 20 8 sem:1; "$@"; suspend 8 50 11 $far; runs 7 80; asks 7 sem:1 100; }
permit lock release 30 8 sem:1; doubt '1 wait is for permits of which nobody else has any'
permit; counted
permit lock release 30 8 sem:1; line notify 200000 '"tid":12,"on":"sem:1","woken":1'; end 900000; verdict 0
EOF
done_testing
