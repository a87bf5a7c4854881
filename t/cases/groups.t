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
# 9 makes others, and does other things; it made one by a line (of the same function as that of the same number) and received there.
maker() { create 9 1; resume 9 2 12; }
awaits() { spawned 7 $1 9 ${2:-2}; destroy 7 $1 11; received 9 $1 ${2:-2}; resume 9 $1 12; }
sleeps() { suspend 9 $1 12 timer: ${2:-3}; resume 9 $(($1 + 100)) 12; suspend 9 $(($1 + 200)) 12 timer: ${2:-3}; end 3000000; }
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

test_case 'who sends what nobody receives is stuck when the one that was to receive it has ended, or left the function' <<'EOF'
sends() { begin; maker; spawned 1 10 9 2; sent 1 30 1; }
sends; awaits 40; destroy 9 50 12; end 3000000; verdict 1 'stuck-send suspected 1'
has 'and the one that made them, and was to, has ended' out.json
sends; awaits 40; sleeps 50; verdict 1 'stuck-send suspected 1'
has 'and the one that made them has left the function that was to' out.json
# it received from one that waited to send
sends; spawned 3 40 9 2; sent 3 50 3; woke 3 60 9 2; resume 3 70 11; destroy 3 80 11; sleeps 90; verdict 1 'stuck-send suspected 1'
# others were awaited by theirs, made by that line
sends; destroy 9 40 12; create 8 50; resume 8 51 12; spawned 3 52 8 2; received 8 60 2; end 3000000; verdict 1 'stuck-send suspected 1'
# it runs, and was elsewhere meanwhile
sends; awaits 40; suspend 9 50 12 timer: 3; resume 9 60 12; end 3000000; verdict 1 'stuck-send suspected 1'
sends; awaits 40; end 3000000; verdict 0 'stuck-send hint 1'
has 'the one that made them may yet' out.json
sends; awaits 40; sleeps 50 2; verdict 0 'stuck-send hint 1'
has 'the one that made them may yet' out.json
# a function further out
sends; awaits 40; echo '{"ev":"stack","stack":1,"sites":[3,2,1]}' | trace
own suspend 9 50 12 false ',"site":3,"on":"timer:","stack":1'; end 3000000; verdict 0 'stuck-send hint 1'
sends; awaits 40; echo '{"ev":"stack","stack":1,"sites":[3,1]}' | trace
own suspend 9 50 12 false ',"site":3,"on":"timer:","stack":1'; end 3000000; verdict 1 'stuck-send suspected 1'
# nobody ever received where such are made; or in another function; or who made it is not told
for by in : 'awaits 40 3'; do
	sends; $by; destroy 9 50 12; end 3000000; verdict 0 'stuck-send hint 1'
	has 'nothing shows who was to' out.json
done
begin; create 1 10; resume 1 20 11; sent 1 30 1; end 3000000; verdict 0 'stuck-send hint 1'
# the last four lines where it made others count
several() { sends; for line; do spawned $line$line 40 9 $line; destroy $line$line 40 11; done; received 9 50 2; resume 9 60 12; sleeps 70; }
several 4 5 6; verdict 1 'stuck-send suspected 1'
several 4 5 6 3; verdict 0 'stuck-send hint 1'
EOF

test_case 'a send to one that waits for it leaves a wake at its line: who sent so, and waits there now, rests' <<'EOF'
served() { maker; awaits 3; spawned 1 10 9 2; create 2 10 9; resume 2 20 11; received 2 30 3; }
begin; served; woke 2 50 1 1; resume 2 60 11; received 2 70 2; sent 1 80 1; sleeps 90; verdict 0
hasnt stuck-send out.json
# it sent at another line
begin; served; woke 2 50 1 3; resume 2 60 11; received 2 70 2; sent 1 80 1; sleeps 90; verdict 1 'stuck-send suspected 1'
# another sent at this one, to one that lives
begin; served; create 3 42 9; resume 3 44 11; woke 2 50 3 1; resume 2 60 11; received 2 70 2; sent 1 80 1; suspend 3 85 11 timer: 2
sleeps 90; verdict 0 'stuck-send hint 1'
has 'one who did there before, or will be as he was, may yet' out.json
# the last four lines count
often() {
	us=50
	for at; do woke 2 $us 1 $at; resume 2 $((us + 1)) 11; received 2 $((us + 2)) 3; us=$((us + 10)); done
	sent 1 $us ${1}; sleeps 130
}
begin; served; often 1 3 2 4; verdict 0
begin; served; often 1 3 2 4 5; verdict 0 'stuck-send hint 1'
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
begin; maker; awaits 5; page 10030; sleeps 10100; verdict 0 'stuck-send hint 2'; has 'had to wait as well' out.json
begin; maker; awaits 5; page 10020; sleeps 10100; verdict 1 'stuck-send suspected 2'
# it was no send that was so long, though on that line
begin; maker; awaits 5; spawned 1 6 9 1; suspend 1 7 11 timer: 1; resume 1 20007 11; destroy 1 20008 11
spawned 2 20010 9 2; sent 2 20020 1; sleeps 20100; verdict 1 'stuck-send suspected 2'
# received by another than the one that made it, who lives, or has ended
begin; maker; awaits 5; create 3 5 9; resume 3 6 12; page 10020 3; suspend 3 10070 12 timer: 3; sleeps 10100; verdict 0 'stuck-send hint 2'
begin; maker; awaits 5; create 3 5 9; resume 3 6 12; page 10030 3; destroy 3 10070 12; sleeps 10100; verdict 1 'stuck-send suspected 2'
EOF

test_case 'who was made by the same line before, and goes on elsewhere, may receive: a channel counts those that may go on' <<'EOF'
limit() { spawned 1 10 9 2; suspend 1 20 11 timer: 3; spawned 2 30 9 ${1:-2}; sent 2 40 1; }
begin; maker; awaits 5; limit; sleeps 100; verdict 0 'stuck-send hint 2'; has 'made by the same line before' out.json
begin; maker; awaits 5 1; limit 1; sleeps 100; verdict 1 'stuck-send suspected 2'	# by another line
begin; maker; awaits 5; spawned 2 10 9 2; sent 2 20 1; spawned 1 30 9 2; suspend 1 40 11 timer: 3; sleeps 100; verdict 1 'stuck-send suspected 2'
begin; maker; awaits 5; limit; resume 1 90 11; destroy 1 95 11; sleeps 100; verdict 1 'stuck-send suspected 2'
begin; maker; awaits 5; spawned 1 10 9 2; sent 1 20 1; spawned 2 30 9 2; sent 2 40 1; sleeps 100
verdict 1 'stuck-send suspected 1' 'stuck-send suspected 2'
# it came there after long work, for which the other had no time yet
begin; maker; awaits 5; spawned 1 500000 9 2; suspend 1 500020 11 timer: 3; spawned 2 500030 9 2; sent 2 900000 1; sleeps 900100
verdict 1 'stuck-send suspected 2'
EOF

test_case 'a group whose parts a pool does is suspected when those who were sent for it rest again' <<'EOF'
# 9 starts two that end, hands 3 (which rests at site 3) something to do, itself or by 1, and waits for a group; what 3 does then
pool() {
	create 3 1; resume 3 2 11; received 3 3 3; create 9 5; resume 9 10 12; spawned 1 20 9 1; spawned 2 25 9 1; destroy 2 26 11
	woke 3 30 $1 2; destroy 1 35 11; resume 3 41 11; [ $2 = runs ] || received 3 50 $2; grouped 9 60 1; end 3000000
}
for by in 9 1; do
	begin; pool $by 3; verdict 1 'stuck-group suspected 9'
	begin; pool $by 2; verdict 0 'stuck-group hint 9'; has 'one whom they woke over a channel goes on' out.json
	begin; pool $by runs; verdict 0 'stuck-group hint 9'
done
# for a lock, which is no errand
begin; create 3 1; resume 3 2 11; own suspend 3 3 11 false ',"site":3,"on":"mutex:","reason":"sync"'
create 9 5; resume 9 10 12; spawned 1 20 9 1; spawned 2 25 9 1; destroy 1 30 11; destroy 2 31 11
woke 3 40 9 2; resume 3 41 11; received 3 50 2; grouped 9 60 1
end 3000000; verdict 1 'stuck-group suspected 9'
EOF

test_case 'a group is suspected where several were made by one line of the function that waits, or of its type, and nobody else ended it' <<'EOF'
functions() {	# of sites 4 to 6
	for func; do printf '{"ev":"site","site":%s,"func":"%s","file":"f.c","line":7}\n' $((site += 1)) "$func"; done
}
group() {	# WHERE LINE...: 9 makes one by each line, and waits; all end
	begin; site=3; functions 'm.(*Pool).Start' 'm.(*Pool).Wait.func1' 'm.(*Pool2).Wait' >>trace
	create 9 5; resume 9 10 12; at=$1 id=10; shift
	for made; do spawned $id $id 9 $made; destroy $id $((id + 1)) 11; id=$((id + 1)); done
	grouped 9 60 $at
}
group 1 1 1; end 3000000; verdict 1 'stuck-group suspected 9'
group 1 1; end 3000000; verdict 0 'stuck-group hint 9'; has 'which may have had other work' out.json
group 1 1 2; end 3000000; verdict 0 'stuck-group hint 9'
group 1 2 2; end 3000000; verdict 0 'stuck-group hint 9'
group 1 1 1 3; end 3000000; verdict 1 'stuck-group suspected 9'
group 1 1 1 3 3; end 3000000; verdict 0 'stuck-group hint 9'
group 5 4 4; end 3000000; verdict 1 'stuck-group suspected 9'
group 6 4 4; end 3000000; verdict 0 'stuck-group hint 9'
group 7 8 8; end 3000000; verdict 0 'stuck-group hint 9'	# of which no function is told
# one that it did not make ended such a wait before, or one that it did
again() { group 1 1 1; woke 9 70 $1 3; resume 9 80 12; grouped 9 90 1; end 3000000; }
again 3; verdict 1 'stuck-group suspected 9'
group 1 1 1; create 3 65; resume 3 66 11; woke 9 70 3 3; destroy 3 75 11; resume 9 80 12; grouped 9 90 1; end 3000000
verdict 0 'stuck-group hint 9'; has 'others ended such waits before' out.json
group 1 1 1; spawned 3 65 9 1; woke 9 70 3 3; destroy 3 75 11; resume 9 80 12; grouped 9 90 1; end 3000000
verdict 1 'stuck-group suspected 9'
EOF

test_case 'who waits for what is done once is not stuck while somebody may be at it' <<'EOF'
once() {	# what 3 does meanwhile
	begin; printf '{"ev":"site","site":4,"func":"sync.(*Once).doSlow","file":"once.go","line":7}\n' | trace
	for stack in 1:4,1 2:3,4,1 3:3,1; do echo '{"ev":"stack","stack":'${stack%:*}',"sites":['${stack#*:}]} | trace; done
	create 3 1; resume 3 2 11; [ "$1" ] && own suspend 3 10 11 false ",\"site\":3,$1" || :
	create 1 20; resume 1 21 12; own suspend 1 30 12 false ',"site":1,"on":"mutex:","stack":1,"reason":"sync"'; end 3000000
}
once '"on":"timer:","stack":2'; verdict 0 'stuck-lock hint 1'; has 'somebody may be at it' out.json
once '"on":"timer:","stack":4'; verdict 1 'stuck-lock suspected 1'	# which no line tells
once '"on":"timer:","stack":3'; verdict 1 'stuck-lock suspected 1'
once ''; verdict 0 'stuck-lock hint 1'	# runs
# it asks for it again itself
once '"on":"mutex:","stack":2,"reason":"sync"'; verdict 1 'stuck-lock suspected 1' 'stuck-lock suspected 3'
EOF

test_case 'who ended a wait that is older than the trace may come again' <<'EOF'
older() {	# who wakes 1 first
	begin; n_1=1 n_2=1; own state 1 0 0 false; own state 2 0 0 false
	create 3 1; resume 3 2 11; eval "$1"
	resume 1 30 11; wake 2 40 11 '' 1; suspend 1 50 11 chan: 1
	resume 2 60 11; wake 1 70 11 '' 2; suspend 2 80 11 chan: 2
	resume 1 90 11; wake 2 95 11 '' 1; suspend 1 100 11 chan: 1
	resume 2 110 11; suspend 2 120 11 chan: 2; end 400000
}
older 'wake 1 10 11 "" 2'; verdict 1 'deadlock suspected 1' 'deadlock suspected 2'
older 'wake 1 10 11 "" 3'; verdict 0
older 'wake 1 10 11 ""'; verdict 0
EOF
done_testing
