#!/bin/sh
# Groups that can only wake one another, in traces that do not tell what is waited on: suspected, and only when nobody else
# was ever seen to wake anybody there, or may be created to.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
cat >>"$scratch/.case-lib" <<'EOF'
# 1 and 2 wake each other, and then wait; 2's last wait at site $1, for $2.
pair() {
	begin; create 1 10; create 2 20
	resume 1 30 11; suspend 1 40 11 chan: 1
	resume 2 50 11; wake 1 60 11 '' 2; suspend 2 70 11 chan: 2
	resume 1 80 11; wake 2 90 11 '' 1; suspend 1 100 11 chan: 1
	resume 2 110 11; suspend 2 120 11 "${2:-chan:}" "${1:-2}"
}
EOF

test_case 'two that only ever woke each other, and both wait: a deadlock is suspected' <<'EOF'
pair; create 3 130; resume 3 140 12; suspend 3 150 12 chan: 3; end 400000
verdict 1 'deadlock suspected 1' 'deadlock suspected 2'
status 1 ct-lostwake trace >out
has '^1 coroutine: deadlock (suspected): f1() f.c:10$' out
has 'all who ever woke anybody here wait as well' out
EOF

test_case 'others woke somebody there, too: a thread, one that lives, one that has ended' <<'EOF'
pair; resume 1 130 11; suspend 1 140 11 chan: 1; wake 1 150 11 ''; resume 1 160 11; suspend 1 170 11 chan: 1; end 400000
verdict 0
pair; wake 1 130 11 '' 2; resume 1 140 11; suspend 1 150 11 chan: 1
create 3 160; resume 3 170 12; wake 1 180 12 '' 3; suspend 3 190 12 timer: 3; resume 1 200 11; suspend 1 210 11 chan: 1; end 400000
verdict 0
pair; create 3 160 2; resume 3 170 12; wake 1 180 12 '' 3; destroy 3 190 12; resume 1 200 11; suspend 1 210 11 chan: 1; end 400000
verdict 0
EOF

test_case 'one of them waits elsewhere, for time, or for the first of several; or not yet for long' <<'EOF'
pair 3; end 400000; verdict 0
pair 2 timer:; end 400000; verdict 0
status 0 ct-lostwake trace >out
has '^0 findings: 2 coroutines live, none proven, 400ms traced; 1 still waits, for 400ms: ct-stuck lists it$' out
pair; end 50000; verdict 0
pair; end 100119; verdict 0
pair; end 100120; verdict 1 'deadlock suspected 1' 'deadlock suspected 2'
# ten times the longest wait that ended, 40us, is not enough
pair; end 520; status 0 ct-lostwake --grace=1us trace >out
pair; end 521; status 1 ct-lostwake --grace=1us trace >out
pair; sed -i 's/"n":7,"site":2,"on":"chan:"/&,"reason":"select"/; s/"n":5,"site":2,"on":"chan:"/&,"reason":"select"/' trace
end 400000; verdict 0
EOF

test_case 'nothing is said of what was waited on by name, or where lines are missing' <<'EOF'
pair; sed -i 's/"on":"chan:"/"on":"chan:0x5"/' trace; end 400000; verdict 0
pair; verdict 3
EOF

test_case 'who sends what nobody receives: that the one that made them has ended is said where a line says who that was' <<'EOF'
sends() { create 1 10 "$1"; resume 1 20 11; own suspend 1 30 11 false ',"site":1,"on":"chan:","reason":"chan send"'; }
begin; sends; end 3000000; verdict 1 'stuck-send suspected 1'
has 'and who made them is not reported' out.json
begin; create 2 5; sends 2; resume 2 40 11; destroy 2 50 11; end 3000000; verdict 1 'stuck-send suspected 1'
has 'and the one that made them has ended' out.json
begin; create 2 5; sends 2; resume 2 40 11; suspend 2 50 11 timer: 2; resume 2 60 11; suspend 2 70 11 timer: 2; end 3000000
verdict 1 'stuck-send suspected 1'
has 'and the one that made them does other things' out.json
EOF
done_testing
