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
# a wait of a goroutine; what one did at a site to another that waits so; one made at a site
sent() { own suspend "$1" "$2" 11 false ",\"site\":$3,\"on\":\"chan:\",\"reason\":\"chan send\""; }
received() { own suspend "$1" "$2" 11 false ",\"site\":$3,\"on\":\"chan:\",\"reason\":\"chan receive\""; }
grouped() { own suspend "$1" "$2" 11 false ",\"site\":$3,\"on\":\"join:\",\"reason\":\"sync\""; }
woke() { wake "$1" "$2" 11 '' "$3" "$4"; }
spawned() { own create "$1" "$2" 11 false ",\"parent\":$3,\"site\":$4"; resume "$1" $(($2 + 1)) 11; }
# 9 makes others, and does other things.
maker() { create 9 1; resume 9 2 12; }
sleeps() { suspend 9 $1 12 timer: 2; resume 9 $(($1 + 100)) 12; suspend 9 $(($1 + 200)) 12 timer: 2; end 3000000; }
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
sends() { create 1 10 "$1"; resume 1 20 11; sent 1 30 1; }
begin; sends; end 3000000; verdict 1 'stuck-send suspected 1'
has 'and who made them is not reported' out.json
begin; create 2 5; sends 2; resume 2 40 11; destroy 2 50 11; end 3000000; verdict 1 'stuck-send suspected 1'
has 'and the one that made them has ended' out.json
begin; create 2 5; sends 2; resume 2 40 11; suspend 2 50 11 timer: 2; resume 2 60 11; suspend 2 70 11 timer: 2; end 3000000
verdict 1 'stuck-send suspected 1'
has 'and the one that made them does other things' out.json
EOF

test_case 'a send to one that waits for it leaves a wake at its line: who sent so, and waits there now, rests' <<'EOF'
served() { maker; create 1 10 9; create 2 10 9; resume 2 20 11; received 2 30 3; resume 1 40 11; }
begin; served; woke 2 50 1 1; resume 2 60 11; received 2 70 2; sent 1 80 1; sleeps 90; verdict 0
hasnt stuck-send out.json
# it sent at another line, or another sent at this one
begin; served; woke 2 50 1 3; resume 2 60 11; received 2 70 2; sent 1 80 1; sleeps 90; verdict 1 'stuck-send suspected 1'
begin; served; create 3 42 9; resume 3 44 11; woke 2 50 3 1; resume 2 60 11; received 2 70 2; sent 1 80 1; suspend 3 85 11 timer: 2
sleeps 90; verdict 1 'stuck-send suspected 1'
# the last four lines count
often() {
	us=50
	for at; do woke 2 $us 1 $at; resume 2 $((us + 1)) 11; received 2 $((us + 2)) 3; us=$((us + 10)); done
	sent 1 $us ${1}; sleeps 130
}
begin; served; often 1 3 2 4; verdict 0
begin; served; often 1 3 2 4 5; verdict 1 'stuck-send suspected 1'
begin; served; often 1 3 2 4 1 5; verdict 0
EOF

test_case 'who sent there before is stuck when all have ended who received, but not where one came after another had ended' <<'EOF'
gets() { create $1 $2 9; resume $1 $(($2 + 1)) 12; woke 1 $(($2 + 2)) $1 3; destroy $1 $(($2 + 3)) 12; resume 1 $(($2 + 30)) 11; sent 1 $(($2 + 31)) 1; }
begin; maker; create 1 10 9; resume 1 20 11; sent 1 30 1; gets 2 100; sleeps 200; verdict 1 'stuck-send suspected 1'
has 'all who ever received what is sent here have ended' out.json
begin; maker; create 1 10 9; resume 1 20 11; sent 1 30 1; gets 2 100; gets 3 200; sleeps 300; verdict 0
# both were there at a time
begin; maker; create 1 10 9; resume 1 20 11; sent 1 30 1; create 2 40 9; resume 2 41 12; create 3 42 9; resume 3 43 12
woke 1 50 2 3; resume 1 51 11; sent 1 52 1; woke 1 60 3 3; resume 1 61 11; sent 1 62 1; destroy 2 70 12; destroy 3 71 12
sleeps 200; verdict 1 'stuck-send suspected 1'
# one of them lives
begin; maker; create 1 10 9; resume 1 20 11; sent 1 30 1; create 2 40 9; resume 2 41 12; create 3 42 9; resume 3 43 12
woke 1 50 2 3; resume 1 51 11; sent 1 52 1; woke 1 60 3 3; resume 1 61 11; sent 1 62 1; destroy 2 70 12; suspend 3 71 12 timer: 3
sleeps 200; verdict 0
# it was there before the trace: so may others have been
begin; maker; sent 1 30 1; gets 2 100; sleeps 200; verdict 0 'stuck-send hint 1'
EOF

test_case 'where others waited in that send for long, and were received from by one that lives, it may be by design' <<'EOF'
page() { spawned 1 10 9 2; sent 1 30 1; woke 1 $1 ${2:-9} 3; resume 1 $(($1 + 1)) 11; destroy 1 $(($1 + 2)) 11; spawned 2 $(($1 + 10)) 9 2; sent 2 $(($1 + 20)) 1; }
begin; maker; page 10030; sleeps 10100; verdict 0 'stuck-send hint 2'; has 'had to wait as well' out.json
begin; maker; page 10020; sleeps 10100; verdict 1 'stuck-send suspected 2'
# received by one that has ended
begin; maker; create 3 5 9; resume 3 6 12; page 10030 3; destroy 3 10070 12; sleeps 10100; verdict 1 'stuck-send suspected 2'
EOF

test_case 'who was made by the same line before, and goes on elsewhere, may receive: a channel counts those that may go on' <<'EOF'
limit() { spawned 1 10 9 2; suspend 1 20 11 timer: 3; spawned 2 30 9 ${1:-2}; sent 2 40 1; }
begin; maker; limit; sleeps 100; verdict 0 'stuck-send hint 2'; has 'made by the same line before' out.json
begin; maker; limit 1; sleeps 100; verdict 1 'stuck-send suspected 2'	# by another line
begin; maker; spawned 2 10 9 2; sent 2 20 1; spawned 1 30 9 2; suspend 1 40 11 timer: 3; sleeps 100; verdict 1 'stuck-send suspected 2'
begin; maker; limit; resume 1 90 11; destroy 1 95 11; sleeps 100; verdict 1 'stuck-send suspected 2'
begin; maker; spawned 1 10 9 2; sent 1 20 1; spawned 2 30 9 2; sent 2 40 1; sleeps 100
verdict 1 'stuck-send suspected 1' 'stuck-send suspected 2'
# it came there after long work, for which the other had no time yet
begin; maker; spawned 1 500000 9 2; suspend 1 500020 11 timer: 3; spawned 2 500030 9 2; sent 2 900000 1; sleeps 900100
verdict 1 'stuck-send suspected 2'
EOF

test_case 'a group whose parts a pool does is suspected when those who were sent for it rest again' <<'EOF'
# 9 starts one that ends, hands 3 (which rests at site 3) something to do, itself or by 1, and waits for a group; what 3 does then
pool() {
	create 3 1; resume 3 2 11; received 3 3 3; create 9 5; resume 9 10 12; create 1 20 9; resume 1 21 11
	woke 3 30 $1 2; destroy 1 35 11; resume 3 41 11; [ $2 = runs ] || received 3 50 $2; grouped 9 60 1; end 3000000
}
for by in 9 1; do
	begin; pool $by 3; verdict 1 'stuck-group suspected 9'
	begin; pool $by 2; verdict 0 'stuck-group hint 9'; has 'one whom they woke over a channel goes on' out.json
	begin; pool $by runs; verdict 0 'stuck-group hint 9'
done
# for a lock, which is no errand
begin; create 3 1; resume 3 2 11; own suspend 3 3 11 false ',"site":3,"on":"mutex:","reason":"sync"'
create 9 5; resume 9 10 12; create 1 20 9; resume 1 21 11; destroy 1 30 11; woke 3 40 9 2; resume 3 41 11; received 3 50 2; grouped 9 60 1
end 3000000; verdict 1 'stuck-group suspected 9'
EOF
done_testing
