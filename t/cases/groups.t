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
awaits() { spawned 7 $1 9 ${2:-2}; destroy 7 $(($1 + 1)) 11; received 9 $1 ${2:-2}; resume 9 $1 12; }
# It does other things in between, and makes another by that line: what it waits at then is in that function, or not; with a stack.
comes() {
	suspend 9 $1 12 timer: ${2:-3}; resume 9 $(($1 + 10)) 12; spawned 6 $(($1 + 11)) 9 ${3:-2}; destroy 6 $(($1 + 12)) 11
	suspend 9 $(($1 + 20)) 12 timer: 3; end 3000000
}
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

test_case 'those who woke one another are no deadlock while one works that may have their lock, or received what they send' <<'EOF'
locked() { own suspend $1 $2 11 false ',"site":1,"on":"mutex:","reason":"sync"'; }
locks() {
	create 1 10; create 2 20; resume 1 30 11; locked 1 40; resume 2 50 11; wake 1 60 11 '' 2; locked 2 70
	resume 1 80 11; wake 2 90 11 '' 1; locked 1 100; resume 2 110 11; locked 2 120; end 400000
}
begin; locks; verdict 1 'deadlock suspected 1' 'deadlock suspected 2'
begin; create 3 5; resume 3 6 12; suspend 3 7 12 timer: 2; locks; verdict 1 'deadlock suspected 1' 'deadlock suspected 2'
begin; create 3 5; resume 3 6 12; suspend 3 7 12 timer: 1; locks; verdict 0
# 2 receives what 1 sends, and so did 3 where it had not to wait
sends() {	# what 3 does
	begin; create 3 1; resume 3 2 12; received 3 3 3; create 1 10; resume 1 11 11; create 2 12; resume 2 13 11; received 2 20 2
	woke 2 30 1 1; resume 2 31 11; [ "$1" = none ] || { woke 3 32 1 1; resume 3 33 12; }; sent 1 40 1; woke 1 50 2 2; resume 1 51 11
	received 2 60 2; woke 2 70 1 3; resume 2 71 11; received 2 72 2; sent 1 80 1; [ "$1" = none ] || eval "$1"; end 400000
}
sends none; verdict 1 'deadlock suspected 1' 'deadlock suspected 2'
sends 'suspend 3 90 12 timer: 3'; verdict 0
sends 'destroy 3 90 12'; verdict 0
EOF

test_case 'nothing is said of what was waited on by name, or where lines are missing' <<'EOF'
pair; sed -i 's/"on":"chan:"/"on":"chan:0x5"/' trace; end 400000; verdict 0
pair; verdict 3
EOF

test_case 'who sends what nobody receives is stuck when the one that was to receive it has ended, or left and made others there' <<'EOF'
sends() { begin; maker; spawned 1 10 9 2; sent 1 30 1; }
sends; awaits 40; destroy 9 50 12; end 3000000; verdict 1 'stuck-send suspected 1'
has 'and the one that made them, and was to, has ended' out.json
sends; awaits 40; comes 50; verdict 1 'stuck-send suspected 1'
has 'and the one that made them has made others there since' out.json
# it received from one that waited to send
sends; spawned 3 40 9 2; sent 3 50 3; woke 3 60 9 2; resume 3 70 11; destroy 3 80 11; comes 90; verdict 1 'stuck-send suspected 1'
# others were awaited by theirs, made by that line
sends; destroy 9 40 12; create 8 50; resume 8 51 12; spawned 3 52 8 2; received 8 60 2; end 3000000; verdict 1 'stuck-send suspected 1'
# it has not left; or has, and may come again; or made others in between, but had not left
for does in 'end 3000000' 'sleeps 50 2' 'sleeps 50' 'comes 50 2'; do
	sends; awaits 40; $does; verdict 0 'stuck-send hint 1'
	has 'the one that made them may yet' out.json
done
# it had come there anew before it made this one
begin; maker; awaits 5; suspend 9 20 12 timer: 3; resume 9 30 12; spawned 1 40 9 2; sent 1 50 1; sleeps 60; verdict 0 'stuck-send hint 1'
# a function further out
sends; awaits 40; echo '{"ev":"stack","stack":1,"sites":[3,2,1]}' | trace
own suspend 9 50 12 false ',"site":3,"on":"timer:","stack":1'; resume 9 60 12; spawned 6 61 9 2; destroy 6 62 11; end 3000000; verdict 0 'stuck-send hint 1'
sends; awaits 40; echo '{"ev":"stack","stack":1,"sites":[3,1]}' | trace
own suspend 9 50 12 false ',"site":3,"on":"timer:","stack":1'; resume 9 60 12; spawned 6 61 9 2; destroy 6 62 11; end 3000000; verdict 1 'stuck-send suspected 1'
# where it waited is not told
sends; awaits 40; own suspend 9 50 12 false ',"on":"timer:"'; resume 9 60 12; spawned 6 61 9 2; destroy 6 62 11; end 3000000; verdict 0 'stuck-send hint 1'
# nobody ever received where such are made; or in another function; or who made it is not told
for by in : 'awaits 40 3'; do
	sends; $by; destroy 9 50 12; end 3000000; verdict 0 'stuck-send hint 1'
	has 'nothing shows who was to' out.json
done
begin; create 1 10; resume 1 20 11; sent 1 30 1; end 3000000; verdict 0 'stuck-send hint 1'
# the last four lines where it made others count
several() { sends; for line; do spawned $line$line 40 9 $line; destroy $line$line 41 11; done; received 9 50 2; resume 9 60 12; comes 70; }
several 4 5 6; verdict 1 'stuck-send suspected 1'
several 4 5 6 3; verdict 0 'stuck-send hint 1'
after() { sends; awaits 40; comes 50; sed -i '/"ev":"end"/d' trace; resume 9 90 12; for line; do spawned $line$line 91 9 $line; destroy $line$line 92 11; done; end 3000000; }
after 4 5 6; verdict 1 'stuck-send suspected 1'
after 4 5 6 3; verdict 0 'stuck-send hint 1'
EOF

test_case 'a send to one that waits for it leaves a wake at its line: who sent so, and waits there now, rests' <<'EOF'
served() { maker; awaits 3; spawned 1 10 9 2; create 2 10 9; resume 2 20 11; received 2 30 3; }
begin; served; woke 2 50 1 1; resume 2 60 11; received 2 70 2; sent 1 80 1; sleeps 90; verdict 0
hasnt stuck-send out.json
# it sent at another line
begin; served; woke 2 50 1 3; resume 2 60 11; received 2 70 2; sent 1 80 1; comes 90; verdict 1 'stuck-send suspected 1'
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
begin; served; often 1 3 3 2 4; verdict 0
EOF

test_case 'who sent there before is stuck when all have ended who received, unless another may come for them' <<'EOF'
gets() { spawned $1 $2 9 2; woke 1 $(($2 + 2)) $1 3; destroy $1 $(($2 + 3)) 12; resume 1 $(($2 + 30)) 11; sent 1 $(($2 + 31)) 1; }
got() { begin; maker; create 1 10 9; resume 1 20 11; sent 1 30 1; }
got; gets 2 100; sleeps 200; verdict 1 'stuck-send suspected 1'
has 'all who ever received what is sent here have ended' out.json
# one came after another had ended
got; gets 2 100; gets 3 200; sleeps 300; verdict 0
# both were there at a time
both() {
	got; spawned 2 40 9 2; spawned 3 42 9 ${1:-2}
	woke 1 50 2 3; resume 1 51 11; sent 1 52 1; woke 1 60 3 3; resume 1 61 11; sent 1 62 1; destroy 2 70 12
}
both; destroy 3 71 12; sleeps 200; verdict 1 'stuck-send suspected 1'
# one received often
many() { us=50; while [ $us -lt 250 ]; do woke 1 $us 2 3; resume 1 $((us + 1)) 11; sent 1 $((us + 2)) 1; us=$((us + 10)); done; destroy 2 $us 12; }
got; spawned 2 40 9 2; many; sleeps 300; verdict 1 'stuck-send suspected 1'
# one of them lives
both; suspend 3 71 12 timer: 3; sleeps 200; verdict 0
# it was there before the trace: so may others have been
begin; maker; sent 1 30 1; gets 2 100; sleeps 200; verdict 0 'stuck-send hint 1'
# who made one is in that function, may be there, or is not told; who made both counts
got; gets 2 100; sleeps 200 2; verdict 0 'stuck-send hint 1'
has 'those that made them may make others' out.json
got; gets 2 100; received 9 200 2; end 3000000; verdict 0 'stuck-send hint 1'
got; gets 2 100; suspend 9 200 12 timer: 2; resume 9 300 12; end 3000000; verdict 0 'stuck-send hint 1'
got; gets 2 100; own suspend 9 200 12 false ',"on":"timer:"'; end 3000000; verdict 0 'stuck-send hint 1'
got; gets 2 100; sed -i '/"create"/s/"site":2/"site":0/' trace; sleeps 200; verdict 0 'stuck-send hint 1'
got; gets 2 100; sed -i '/"create"/s/"parent":9,"site":2/"site":2/' trace; sleeps 200; verdict 0 'stuck-send hint 1'
both 3; destroy 3 71 12; sleeps 200; verdict 0 'stuck-send hint 1'
# it waits for a group, a lock or a receiver itself; or has ended; or runs elsewhere
for waits in '"join:","reason":"sync"' '"mutex:","reason":"sync"' '"chan:","reason":"chan send"'; do
	got; gets 2 100; own suspend 9 2000000 12 false ",\"site\":2,\"on\":$waits"; end 2900000; verdict 1 'stuck-send suspected 1'
done
got; gets 2 100; destroy 9 200 12; end 3000000; verdict 1 'stuck-send suspected 1'
got; gets 2 100; suspend 9 200 12 timer: 3; resume 9 300 12; end 3000000; verdict 1 'stuck-send suspected 1'
EOF

test_case 'where others waited in that send for long, and were received from by one that lives, it may be by design' <<'EOF'
page() { spawned 1 10 9 2; sent 1 30 1; woke 1 $1 ${2:-9} 3; resume 1 $(($1 + 1)) 11; destroy 1 $(($1 + 2)) 11; spawned 2 $(($1 + 10)) 9 2; sent 2 $(($1 + 20)) 1; }
begin; maker; awaits 5; page 10030; comes 10100; verdict 0 'stuck-send hint 2'; has 'had to wait as well' out.json
begin; maker; awaits 5; page 10020; comes 10100; verdict 1 'stuck-send suspected 2'
# it was no send that was so long, though on that line
begin; maker; awaits 5; spawned 1 6 9 1; suspend 1 7 11 timer: 1; resume 1 20007 11; destroy 1 20008 11
spawned 2 20010 9 2; sent 2 20020 1; comes 20100; verdict 1 'stuck-send suspected 2'
# received by another than the one that made it, who lives, or has ended
begin; maker; awaits 5; spawned 3 5 9 1; page 10020 3; suspend 3 10070 12 timer: 3; comes 10100; verdict 0 'stuck-send hint 2'
begin; maker; awaits 5; spawned 3 5 9 1; page 10030 3; destroy 3 10070 12; comes 10100; verdict 1 'stuck-send suspected 2'
EOF

test_case 'who was made by the same line before, and goes on elsewhere, may receive: a channel counts those that may go on' <<'EOF'
limit() { spawned 1 10 9 2; suspend 1 20 11 timer: 3; spawned 2 30 9 ${1:-2}; sent 2 40 1; }
begin; maker; awaits 5; limit; comes 100; verdict 0 'stuck-send hint 2'; has 'made by the same line before' out.json
begin; maker; awaits 5 1; limit 1; comes 100 3 1; verdict 1 'stuck-send suspected 2'	# by another line
begin; maker; awaits 5; spawned 2 10 9 2; sent 2 20 1; spawned 1 30 9 2; suspend 1 40 11 timer: 3; comes 100; verdict 1 'stuck-send suspected 2'
begin; maker; awaits 5; limit; resume 1 90 11; destroy 1 95 11; comes 100; verdict 1 'stuck-send suspected 2'
begin; maker; awaits 5; spawned 1 10 9 2; sent 1 20 1; spawned 2 30 9 2; sent 2 40 1; comes 100
verdict 1 'stuck-send suspected 1' 'stuck-send suspected 2'
# it came there after long work, for which the other had no time yet
begin; maker; awaits 5; spawned 1 500000 9 2; suspend 1 500020 11 timer: 3; spawned 2 500030 9 2; sent 2 900000 1; comes 900100
verdict 1 'stuck-send suspected 2'
EOF

test_case 'who waits for a group is listed, not accused, when all whom it started have ended, and whom those started' <<'EOF'
group() { begin; create 9 5; resume 9 10 12; spawned 1 20 9 1; spawned 2 21 9 1; destroy 2 22 11; destroy 1 23 11; }
waits() { grouped 9 60 1; end 3000000; }
group; waits; verdict 0 'stuck-group hint 9'
has 'all whom they started have ended' out.json
# one of them lives, or one of theirs, or they started none
begin; create 9 5; resume 9 10 12; spawned 1 20 9 1; waits; verdict 0
begin; create 9 5; resume 9 10 12; spawned 1 20 9 1; spawned 2 21 1 1; destroy 1 22 11; waits; verdict 0
begin; create 9 5; resume 9 10 12; waits; verdict 0
# the runtime's own count neither as living nor as ended
system() { spawned $1 30 9 1; line name 31 "\"probe_id\":$1,\"name\":\"runtime/trace.Start\",\"role\":\"system\""; }
group; system 3; waits; verdict 0 'stuck-group hint 9'
begin; create 9 5; resume 9 10 12; system 3; destroy 3 40 11; waits; verdict 0
begin; create 9 5; resume 9 10 12; system 3; waits; verdict 0
# not for so long, or somebody waited there a tenth as long before
group; grouped 9 60 1; end 900000; verdict 0
group; grouped 9 60 1; resume 9 400000 12; grouped 9 400010 1; end 3000000; verdict 0
EOF

test_case 'who waits for what is done once is not stuck while somebody may be at it' <<'EOF'
once() {	# what 3 does meanwhile
	begin; printf '{"ev":"site","site":4,"func":"sync.(*Once).doSlow","file":"once.go","line":7}\n' | trace
	for stack in 1:4,1 2:3,4,1 3:3,2; do echo '{"ev":"stack","stack":'${stack%:*}',"sites":['${stack#*:}]} | trace; done
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

test_case 'who waits for a lock is not stuck while one works in its function behind that line, or in one of the same type' <<'EOF'
sites() { while IFS=: read -r site func line; do echo '{"ev":"site","site":'$site',"func":"'"$func"'","file":"f.go","line":'$line'}'; done; }
# 1 waits since 30 for a lock at site 11; 3 is at site $1 meanwhile, within those of $2, for $3.
holder() {
	begin
	sites <<-'S' >>trace
	10:x/p.(*T).Do:7
	11:x/p.(*T).Do:8
	12:x/p.(*T).Do:9
	13:x/p.(*T).Close.func1:20
	14:x/p.(*U).Do:9
	15:time.Sleep:1
	16:x/p.f:30
	17:net/http.Get:40
	18:runtime.selectgo:50
	19:main.main:60
	20:x/p.g.func2:70
	21:x/q.f:9
	22:x/p.V.Do:80
	23:x/p.V.Put:90
	24:x/p.main:1
	25:x/pq.Get:1
	S
	echo '{"ev":"stack","stack":1,"sites":['$2']}' | trace
	create 3 ${at:-1}; resume 3 $((${at:-1} + 1)) 11; own suspend 3 $((${at:-1} + 2)) 11 false ",\"site\":$1,\"on\":\"${3:-timer:}\",\"stack\":1$4"
	create 1 20; resume 1 21 12; own suspend 1 30 12 false ",\"site\":${lock:-11},\"on\":\"mutex:\",\"reason\":\"sync\""
}
works() { holder "$@"; end 3000000; verdict 0 'stuck-lock hint 1'; has 'one that may have it works' out.json; }
stuck() { holder "$@"; end 3000000; verdict 1 'stuck-lock suspected 1'; }
select=',"reason":"select"'
for on in timer: fd: syscall: sched: runtime:; do works 12 15,12 $on; done
for on in cond: chan: mutex:; do stuck 12 15,12 $on; done
# it receives there, where nobody ever gave anything: behind the line
receive=',"reason":"chan receive"'
works 12 12 chan: "$receive"; stuck 10 10 chan: "$receive"; 
holder 12 12 chan: ',"reason":"chan send"'; end 3000000; verdict 1 'stuck-lock suspected 1' 'stuck-send hint 3'
# behind the line, or on it; in front of it, or in another function, or below it, of the same type; of another, of that package
works 11 15,11; works 10 15,10; works 13 15,13; works 16 15,16,12,19
stuck 14 15,14; stuck 16 15,16; stuck 15 15,19
# it was made since 1 waits
at=31 stuck 12 15,12
# a select: behind the line; elsewhere in the type where it stands in another package's function
works 12 18,12 chan: "$select"; works 13 18,17,13 chan: "$select"; works 10 18,17,10 chan: "$select"; works 13 18,25,13 chan: "$select"
stuck 13 18,13 chan: "$select"; stuck 13 18,16,13 chan: "$select"; stuck 14 18,17,14 chan: "$select"
# a type without a pointer; a plain function, and what stands in one: of its package, but not of main's own goroutine
lock=22 works 23 15,23; lock=22 stuck 16 15,16; lock=22 stuck 12 15,12
lock=16 works 20 15,20; lock=20 works 16 15,16; lock=16 works 24 15,24; lock=16 stuck 21 15,21; lock=16 stuck 22 15,22
lock=16 stuck 20 15,20,19; lock=19 works 19 15,19; lock=16 works 16 15,16,19
# it runs, where it was last seen there
holder 12 15,12; resume 3 40 11; end 3000000; verdict 0 'stuck-lock hint 1'
# the runtime's own
holder 12 15,12; line name 40 '"probe_id":3,"name":"runtime.x","role":"system"'; end 3000000; verdict 1 'stuck-lock suspected 1'
EOF

test_case 'who may have the lock works, too, while one does that answered there before, or a part that it waits for' <<'EOF'
# 1 waits for a lock at site 11; 3 behind that line, at 12, for what 4 gave there before; 4 does $1, and 5 gave something to 4 before.
asks() {
	begin
	for site in 11:8 12:9; do echo '{"ev":"site","site":'${site%:*}',"func":"p.(*T).Do","file":"f.go","line":'${site#*:}'}'; done >>trace
	create 4 1; resume 4 2 12; create 5 1; resume 5 2 12; received 4 3 2; woke 4 4 5 1; resume 4 5 12
	create 3 6; resume 3 7 11; received 3 8 12; woke 3 9 4 1; resume 3 10 11; received 3 11 12
	create 1 20; resume 1 21 12; own suspend 1 30 12 false ',"site":11,"on":"mutex:","reason":"sync"'; $1; end 3000000
}
sleeps() { suspend $1 40 12 timer: 3; }
locked() { own suspend $1 40 12 false ',"site":3,"on":"mutex:","reason":"sync"'; }
asks 'sleeps 4'; verdict 0 'stuck-lock hint 1'
asks :; verdict 0 'stuck-lock hint 1'
asks 'destroy 4 40 12'; verdict 1 'stuck-lock suspected 1'
asks 'locked 4'; verdict 1 'stuck-lock suspected 4' 'stuck-lock suspected 1'
asks 'received 4 40 2'; verdict 0 'stuck-lock hint 1'	# from 5, which runs
asks 'received 4 40 3'; verdict 1 'stuck-lock suspected 1'	# where nobody gave anything
chain() { received 4 40 2; locked 5; }
asks chain; verdict 1 'stuck-lock suspected 5' 'stuck-lock suspected 1'
# it sends, and another received there before
hands() {
	begin
	for site in 11:8 12:9; do echo '{"ev":"site","site":'${site%:*}',"func":"p.(*T).Do","file":"f.go","line":'${site#*:}'}'; done >>trace
	create 4 1; resume 4 2 12; received 4 3 2; create 3 6; resume 3 7 11; woke 4 8 3 12; resume 4 9 12; sent 3 11 12
	create 1 20; resume 1 21 12; own suspend 1 30 12 false ',"site":11,"on":"mutex:","reason":"sync"'; $1 4; end 3000000
}
hands sleeps; verdict 0 'stuck-lock hint 1'
hands locked; verdict 1 'stuck-lock suspected 4' 'stuck-lock suspected 1'
# since before the trace: who answered then is not known
older() {	# REASON
	begin; for site in 11:8 12:9; do echo '{"ev":"site","site":'${site%:*}',"func":"p.(*T).Do","file":"f.go","line":'${site#*:}'}'; done >>trace
	own suspend 3 1 11 false ',"site":12,"on":"chan:","reason":"'"$1"'"'
	create 1 20; resume 1 21 12; own suspend 1 30 12 false ',"site":11,"on":"mutex:","reason":"sync"'; end 3000000
}
older 'chan send'; verdict 0 'stuck-lock hint 1' 'stuck-send hint 3'
older 'chan receive'; verdict 0 'stuck-lock hint 1'
# two that wait for each other
circle() { received 4 40 2; suspend 5 41 12 chan: 3; woke 5 42 4 1; resume 5 43 12; own suspend 5 44 12 false ',"site":3,"on":"chan:","reason":"chan receive"'; }
asks circle; verdict 1 'deadlock suspected 4' 'deadlock suspected 5' 'deadlock suspected 3' 'stuck-lock suspected 1'
# a group: of those that were started in that type's functions
closes() {	# AT: where it was started; what it does
	begin
	for site in 11:Do 12:Close 13:Start.func1; do echo '{"ev":"site","site":'${site%:*}',"func":"p.(*T).'${site#*:}'","file":"f.go","line":8}'; done >>trace
	create 9 1; resume 9 2 12; spawned 4 3 9 $1; $2 4
	create 3 6; resume 3 7 11; grouped 3 8 ${3:-12}; create 1 20; resume 1 21 12; own suspend 1 30 12 false ',"site":11,"on":"mutex:","reason":"sync"'; end 3000000
}
closes 13 sleeps; verdict 0 'stuck-lock hint 1'
closes 13 locked; verdict 1 'stuck-lock suspected 4' 'stuck-lock suspected 1'
closes 2 sleeps; verdict 1 'stuck-lock suspected 1'
# what such a part gives it
part() {
	closes 13 "$1"; sed -i 's/"join:","reason":"sync"/"chan:","reason":"chan receive"/' trace
	sed -i 's/\("func":"p.(\*T).Close","file":"f.go","line":\)8/\17/' trace
}
part sleeps; verdict 0 'stuck-lock hint 1'
part locked; verdict 1 'stuck-lock suspected 4' 'stuck-lock suspected 1'
closes 13 sleeps 2; verdict 1 'stuck-lock suspected 1'	# it waits elsewhere
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
