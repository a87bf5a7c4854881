#!/bin/sh
# Black boxes: a program that was not started under ct-record is attached to, snapshot, and read when it is dead.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/box.sh"
. "${0%/*}/../lib/freezer.sh"

test_case 'the main scene: a server hangs, untraced; attached to, ct-lostwake names the 47 and the close' <<'EOT'
CTP_BOX=1 demo-server --clients=60 --port-file=port >server.out 2>&1 &
pid=$!
wait_for test -s port
status 0 demo-load $(cat port) >/dev/null
close=$(grep -n 'ct_close(ct_fd(fd))' $SRC/t/demo/sched.hpp | cut -d: -f1)
for again in 1 2; do
	attach_for 2
	ended
	has '"ev":"meta",.*"attached":true}$' trace
	has '"ev":"attach",.*"live":48,"states":0,"history":[1-9][0-9]*,"before":0}$' trace
	status 0 ct-check trace >/dev/null
	status 1 ct-lostwake --json trace >found
	[ $(grep -c '"verdict":"closed-resource","certainty":"proven"' found) -eq 47 ]
	[ $(grep -c "\"func\":\"close\",\"file\":\"[^\"]*sched.hpp\",\"line\":$close[,}]" found) -eq 47 ]
	[ $(grep -c '"name":"conn [0-9]*"' found) -eq 47 ]
done
status 0 ct-record --box -p $pid -o box 2>err
status 1 ct-lostwake --json box >found
[ $(grep -c '"verdict":"closed-resource","certainty":"proven"' found) -eq 47 ]
kill $pid
EOT

test_case 'the README: its first example, word for word' <<'EOT'
CTP_BOX=1 demo-server --clients=60 --port-file=port >server.out 2>&1 &
server=$!
wait_for test -s port
status 0 demo-load $(cat port) >/dev/null
mkdir bin
echo "echo $server" >bin/pidof
cat >bin/ct-record <<'END'
{ timeout 60 $O/ct-record -q "$@" & echo $! >recorder; wait; } | tee copy
END
chmod +x bin/*
awk '/^    [^ ]/ { on = 1 } on && /^$/ { if (blank++) exit; next } on { print substr($0, 5) }' $SRC/README.md >example
command=$(sed -n '1s/ *#.*//p' example)
[ "$command" = 'ct-record -p $(pidof server) | ct-lostwake' ]
{ wait_for grep -q '"ev":"attach"' copy; sleep 1; kill -TERM $(cat recorder); } &
PATH=$PWD/bin:$PATH; status 1 sh -c "$command --color=never" >out
numbers='s/[0-9][0-9.]*\(ms\|us\|s\)\{0,1\}/N/g; s/conn N"/conn"/'
sed '1d; /^ *\.\.\.$/d' example | sed "$numbers" >said
[ $(wc -l <said) -ge 3 ]
head -n $(wc -l <said) out | sed "$numbers" >shown
same said shown
kill $server
EOT

test_case 'what a shell ignores for what runs in the background, SIGINT and SIGQUIT, ends a recorder all the same; not what nohup ignores' <<'EOT'
spin CTP_BOX=1 -- 1 200 10
for signal in INT QUIT; do
	rm -f trace
	env --ignore-signal=INT,QUIT,HUP ct-record -q -o trace -p $pid & recorder=$!
	wait_for grep -q '"ev":"attach"' trace
	kill -HUP $recorder
	sleep 0.2
	kill -0 $recorder
	kill -$signal $recorder
	wait_for sh -c "! kill -0 $recorder"
	status 0 wait $recorder
	sound
done
stop_spin
EOT

cat >>"$scratch/.case-lib" <<'EOT'
# Mostly one was woken, its worker about to get up.
woken_last() { grep '"ev":"\(wake\|resume\|suspend\)"' trace | tail -n 1 | grep -q '"ev":"wake"'; }
stopped_accuses_nobody() {
	tail -n 1 trace | grep -q '"ev":"end","ts":[0-9]*,"alive":[1-9]'
	status 0 ct-check trace >/dev/null
	status 3 ct-lostwake --json trace >found
	hasnt '"certainty":"\(proven\|suspected\)"' found
}
goes_on() {
	attach_for 0
	hasnt 'is stopped' err
	tail -n 1 trace | grep -v '"alive"'
	stop_spin
}
EOT
test_case 'what a stopped process was about to do accuses nobody, and is said not to be judged' <<'EOT'
spin CTP_BOX=1 -- 1 200000 47 woken
record_stopped() {
	if [ $how = recorded ]; then	# stopped while it is recorded
		rm -f trace
		{ wait_for grep -q '"ev":"attach"' trace; sleep 0.5; kill -STOP $pid; } &
		attach_for 2
	else
		kill -STOP $pid
		if [ $how = attach ]; then attach_for 1; else status 0 ct-record --box -o trace -p $pid 2>err; fi
	fi
	kill -CONT $pid
	woken_last
}
for how in attach box recorded; do
	wait_for record_stopped
	case $how in attach) has "process $pid is stopped: " err ;; recorded) hasnt 'is stopped: ' err ;; esac
	stopped_accuses_nobody
done
goes_on
EOT

# As docker pause does.
for dir in $freezers; do
	test_case "of a process that a cgroup of $dir has frozen, what it was about to do accuses nobody either" <<EOT
spin CTP_BOX=1 -- 1 200000 47 woken
in_freezer $dir || { echo 'no cgroups can be made here'; stop_spin; exit 0; }
frozen_awake() {
	freeze
	status 0 ct-record --box -o trace -p \$pid
	woken_last || { thaw; sleep 0.05; return 1; }
}
wait_for frozen_awake
sleep 0.2
attach_for 0.2
has "process \$pid is stopped: " err
stopped_accuses_nobody
thaw
goes_on
EOT
done

test_case 'a process without a box that is stopped when it is asked for one is waited for' <<'EOT'
spin -- 2 200 5
kill -STOP $pid
timeout 100 ct-record -o trace -p $pid 2>err &
recorder=$!
sleep 0.3
kill -0 $recorder
hasnt '"ev":"end"' trace
kill -CONT $pid
wait_for grep -q '"ev":"resume"' trace
stop_spin
status 0 wait $recorder
sound
EOT

test_case 'what stood still when a process was stopped is suspected' <<'EOT'
CTP_BOX=1 demo-server --clients=60 --port-file=port >server.out 2>&1 &
pid=$!
wait_for test -s port
status 0 demo-load $(cat port) >/dev/null
sleep 1
kill -STOP $pid
attach_for 0
status 1 ct-lostwake --json trace >found
[ $(grep -c '"verdict":"closed-resource","certainty":"\(proven\|suspected\)"' found) -eq 47 ]
kill -KILL $pid
EOT

test_case 'what the rings no longer hold is told by states: who waits, where, since when, by name' <<'EOT'
spin CTP_BOX=1,slots=64 -- 2 100 47
wait_for sh -c "ct-record -q --box -p $pid | grep -q '\"states\":3[0-9],'"
attach_for 1
sound
has '"ev":"attach",.*"states":3[0-9],' trace
[ $(grep -c '"ev":"create","n":1,"site":' trace) -ge 47 ]
[ $(grep -c '"name":"sleeper"' trace) -ge 47 ]
[ $(sed '/"ev":"attach"/q' trace | grep -c '"ev":"state","n":3,"site":[0-9]*,"on":"fd:10[0-9]*"') -ge 30 ]
has '"ev":"lost","ts":[0-9]*,"count":[1-9]' trace
has '"ev":"thread",.*"name":"spinner","role":"worker"' trace
has 'older events had been overwritten' err
ct-stuck --json trace >stuck || :
[ $(grep -c '"name":"sleeper"' stuck) -eq 47 ]
stop_spin
EOT

# A coroutine waits since before all that the rings hold; the close, and its state at the end, are there.
cat >"$scratch/late" <<'EOT'
{"ev":"meta","ts":5000000000,"format":"corotrace","version":2,"attached":true}
{"ev":"lost","ts":4000000000,"count":900,"from":1,"to":4000000000}
{"probe_id":7,"tid":0,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":1000,"ev":"create","n":1}
{"ev":"name","ts":1000,"tid":0,"probe_id":7,"name":"conn"}
{"probe_id":7,"tid":51,"addr":"0x00000000000000f0","seq":18,"is_active":false,"ts":2000,"ev":"state","n":9,"on":"fd:9"}
{"probe_id":8,"tid":0,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":1500,"ev":"create","n":1}
{"ev":"attach","ts":5000000000,"live":2,"states":1,"history":3,"before":900}
{"probe_id":8,"tid":51,"addr":"0x0000000000000000","seq":40,"is_active":true,"ts":4100000000,"ev":"resume","n":20}
{"ev":"close","ts":4200000000,"tid":51,"by":8,"on":"fd:9"}
{"probe_id":8,"tid":51,"addr":"0x00000000000000f1","seq":42,"is_active":false,"ts":4300000000,"ev":"suspend","n":21,"on":"fd:5"}
{"probe_id":7,"tid":51,"addr":"0x00000000000000f0","seq":18,"is_active":false,"ts":2000,"ev":"state","n":9,"on":"fd:9"}
{"probe_id":8,"tid":51,"addr":"0x00000000000000f1","seq":42,"is_active":false,"ts":4300000000,"ev":"state","n":21,"on":"fd:5"}
{"ev":"end","ts":9000000000,"events":6,"lost":900,"live":2}
EOT

test_case 'readers know what was before: no gap, ages from before, proven where the states are enough' <<'EOT'
status 0 ct-check ../late >out
has 'healthy$' out
has '900 events are older than what the box still held' out
status 1 ct-lostwake --json ../late >found
has '"verdict":"closed-resource","certainty":"proven".*"probe_id":7,' found
[ $(wc -l <found) -eq 1 ]
status 1 ct-lostwake --color=never ../late >text
has 'attached 4.00s before the end' text
status 1 ct-stuck --color=never ../late >text
has 'attached 4.00s before the end' text
has '9.00s' text
ct-bt --all ../late >text
has 'attached 4.00s before the end$' text
ct-report ../late >text || :
has 'attached 4.00s before the end' text
has '4.90s traced' text
# without its state at the end, its resume may have been lost
sed '/"n":9,/{x;s/^/x/;/^xx$/{x;d};x}; s/,"live":2}/}/' ../late >unsure
status 1 ct-lostwake --json unsure >found || status 3 ct-lostwake --json unsure >found
hasnt proven found
EOT

test_case 'one of several copies of the probe, or attached to without a box: nobody is given a clean bill' <<'EOT'
cat >whole <<'END'
{"ev":"meta","ts":10,"format":"corotrace","version":2,"tool":"t","attached":true}
{"ev":"attach","ts":11,"live":0,"states":0,"history":0,"before":0}
{"probe_id":1,"tid":11,"addr":"0x0","seq":2,"is_active":false,"ts":20,"ev":"create","n":1}
{"probe_id":1,"tid":11,"addr":"0x0","seq":4,"is_active":false,"ts":30,"ev":"destroy","n":2}
{"ev":"end","ts":40,"events":2,"lost":0,"live":0}
END
sed 's/"attached":true/&,"partial":true/' whole >partial
status 0 ct-lostwake whole >&2
status 3 ct-lostwake --color=never partial >text
has 'another copy of the probe, as of a plugin, of which nothing is here' text
sed 's/"attached":true/&,"born_before":true/; /"ev":"close"/d' ../late >born
status 3 ct-lostwake --color=never born >text
has 'what stood still then was not seen' text
sed '/"probe_id":7/d; s/"events":6/"events":4/; s/,"live":2/,"live":1/' born >born2
status 3 ct-stuck --min-age=8s born2 >/dev/null
EOT

. "${0%/*}/../lib/box-scenes.sh"

test_case 'who reads the trace goes away: the recorder lets go, the program goes on' <<'EOT'
spin CTP_BOX=1 -- 1 1000 3
status 0 timeout 30 ct-record -p $pid 2>err | head -n 3 >/dev/null
attach_for 1
sound
stop_spin
EOT

test_case 'killed while it is attached to: the trace is finished, and says so' <<'EOT'
spin CTP_BOX=1 -- 2 200 3
ct-record -p $pid -o trace 2>err &
recorder=$!
wait_for grep -q '"ev":"attach"' trace
kill -9 $pid
status 0 wait $recorder
sound
has '"ev":"exit","ts":[0-9]*,"pid":'$pid trace
EOT

test_case 'ct_box() in the code keeps one, and CTP_BOX has the last word' <<'EOT'
spin -- 1 1000 3 box
status 0 ct-record --box -p $pid -o trace
sound
hasnt born_before trace
stop_spin
spin CTP_BOX=0 -- 1 1000 3 box
status 125 ct-record --box -p $pid -o trace 2>err
has "process $pid has no probe that can be attached to; ct-snap can look at it" err
status 125 ct-record -p $pid -o trace 2>err
stop_spin
EOT

test_case 'without a box: one is asked for, and what moves from then on is seen, born before' <<'EOT'
spin -- 2 1000 7
status 125 ct-record --box -p $pid -o trace 2>err
attach_for 2
sound
has "process $pid keeps no box: what stands still there is not seen" err
has '"ev":"meta",.*"attached":true,"born_before":true}$' trace
[ $(grep -c '"ev":"create","n":1,"born_before":true' trace) -eq 2 ]
[ $(grep -c '"ev":"resume"' trace) -gt 10 ]
hasnt sleeper trace
attach_for 1
sound
has '"born_before":true}$' trace
stop_spin
EOT

test_case 'children share the box; in one without, each is asked for itself' <<'EOT'
spin CTP_BOX=1 -- 1 1000 3 fork
attach_for 1
sound
[ $(grep -c '"ev":"process"' trace) -eq 2 ]
[ $(grep '"name":"spinner","role":"worker"' trace | grep -o '"pid":[0-9]*' | sort -u | wc -l) -eq 2 ]
stop_spin
spin -- 1 1000 3 fork
attach_for 1
sound
[ $(grep '"ev":"resume"' trace | grep -o '"tid":[0-9]*' | sort -u | wc -l) -eq 1 ]
stop_spin
EOT

test_case 'children that came and went are not accused of what they left undone, in a box, in its file, or where memory is kept' <<'EOT'
healthy() { ct-lostwake "$1" >found || :; has '^0 findings: ' found; }
SPIN=box-kids
spin CTP_BOX=1 -- 3
sleep 0.7
status 0 ct-record --box -p $pid -o box
sound box
healthy box
[ $(grep -c '"ended":true,"alive"' box) -eq 3 ]
{ sleep 0.5; touch more; } &
attach_for 4
sound
healthy trace
[ $(grep -c '"ended":true,"alive"' trace) -eq 6 ]
stop_spin
touch abort
spin CTP_BOX=$PWD -- 3
sleep 0.7
touch stop
wait $spinner || :
status 0 ct-record --box corotrace-box.* -o box
sound box
healthy box
status 0 ct-record --box dump -o box
sound box
healthy box
[ $(grep -c '"ended":true,"alive"' box) -eq 3 ]
rm stop pid
ct-record --last=60s -o out -- box-kids 3 2>err & recorder=$!
wait_for test -s pid
sleep 0.7
touch stop
status 134 wait $recorder
sound out/crash-*
healthy out/crash-*
[ $(grep -c '"ended":true,"alive"' out/crash-*) -eq 3 ]
EOT

test_case 'parent and child take over rings that the other has used' <<'EOT'
spin CTP_BOX=1,threads=6,slots=64 -- 2 20 3 forks
sleep 1
attach_for 1
sound
stop_spin
EOT

test_case 'the flight recorder: a hang, a demand and a crash, each a trace; and the status' <<'EOT'
export ASAN_OPTIONS="$ASAN_OPTIONS:handle_segv=0"	# which would end it with a status
ct-record --last=60s --on=crash,hang:1s -o out -- demo-server --clients=60 --port-file=port 2>err &
recorder=$!
wait_for test -s port
status 0 demo-load $(cat port) >/dev/null
wait_for sh -c 'ls out/hang-*-1.jsonl'
status 0 ct-check out/hang-*-1.jsonl >/dev/null
has '"reason":"hang"}$' out/hang-*-1.jsonl
status 1 ct-lostwake --json out/hang-*-1.jsonl >found
[ $(grep -c '"verdict":"closed-resource","certainty":"proven"' found) -eq 47 ]
status 0 ct-record --dump=$recorder
wait_for sh -c 'ls out/asked-*-2.jsonl'
server=$(sed -n 's/.*"ev":"process",.*"pid":\([0-9]*\),"ppid":'$recorder',.*/\1/p' out/asked-*-2.jsonl)
kill -SEGV $server
status 139 wait $recorder
status 0 ct-check out/crash-$server-3.jsonl >/dev/null
has '"ev":"exit",.*"signal":11}$' out/crash-$server-3.jsonl
status 1 ct-lostwake --json out/crash-$server-3.jsonl >found
[ $(grep -c '"certainty":"proven"' found) -eq 47 ]
[ $(ls out | wc -l) -eq 3 ]
status 125 ct-record --dump=$$ 2>err
has "process $$ is no ct-record --last" err
# its signal ends who does not wait for it
sh -c 'sleep 60 & wait' sh --last=10s & other=$!
wait_for grep -q last /proc/$other/cmdline
status 125 ct-record --dump=$other 2>err
has "process $other is no ct-record --last" err
sleep 0.2; kill -0 $other; kill $other
EOT

test_case 'the flight recorder: the time that a program is stopped is not one that it hangs; whom it was about to run is not accused as it is killed' <<'EOT'
killed_awake() {
	rm -rf out pid
	ct-record --last=60s --on=signal,hang:1500ms -o out -- box-spin 1 200000 47 woken 2>err & recorder=$!
	wait_for test -s pid
	sleep 0.2
	kill -STOP $(cat pid)
	sleep 1.8
	kill -KILL $(cat pid)
	status 137 wait $recorder
	ls out >>written
	cp out/signal-* trace
	grep '"ev":"\(wake\|resume\|suspend\)"' trace | tail -n 1 | grep -q '"ev":"wake"'
}
wait_for killed_awake
hasnt hang written
ct-lostwake --json trace >found || [ $? = 3 ] || [ $? = 1 ]
hasnt '"certainty":"proven"' found
EOT

test_case 'the flight recorder: a writer that is killed is said, and leaves nothing' <<'EOT'
ct-record --last=60s --on=crash -o out -- box-spin 1 500 9 2>err &
recorder=$!
wait_for test -s pid
mkfifo out/asked-$(cat pid)-1.jsonl.part	# it waits there
status 0 ct-record --dump=$recorder
writer() { for child in $(cat /proc/$recorder/task/$recorder/children); do [ $child = $(cat pid) ] || echo $child; done | grep .; }
wait_for writer
kill -KILL $(writer)
wait_for grep -q 'asked-.*-1.jsonl.part: not written: .* killed by signal 9' err
[ -z "$(ls out)" ]
status 0 ct-record --dump=$recorder
wait_for sh -c 'ls out/asked-*-2.jsonl'
touch stop
status 0 wait $recorder
EOT

test_case 'the flight recorder: bounded, wrapped, the last second only, statuses' <<'EOT'
status 0 ct-record --last=1s -o out -- true 2>err
has 'the program has not attached' err
[ $(ls out | wc -l) -eq 0 ]
status 3 ct-record -q --last=1s -o out -- sh -c 'exit 3' 2>err
[ $(ls out) = $(cd out && ls exit-*-1.jsonl) ]
rm -r out
ct-record --last=200ms --on=signal --ring-slots=256 -o out -- box-spin 2 500 9 2>err &
recorder=$!
wait_for test -s pid
sleep 1
kill $(cat pid)
status 143 wait $recorder
sound out/signal-*-1.jsonl
has '"ev":"attach",.*"before":[1-9]' out/signal-*-1.jsonl
[ $(grep -c '"name":"sleeper"' out/signal-*-1.jsonl) -ge 9 ]
status 125 ct-record --last=1s true 2>err
has 'into which directory' err
status 125 ct-record --last=1x -o out true 2>err
status 125 ct-record --last=1s --on=fire -o out true 2>err
status 125 ct-record --last=1s -o err true 2>err2
EOT

test_case 'a service manager'"'"'s watchdog aborts the recorder: that is the program'"'"'s end, and it is written' <<'EOT'
ct-record --last=60s --on=crash -o out -- box-spin 1 200000 5 2>err & recorder=$!
wait_for test -s pid
kill -ABRT $recorder
status 134 wait $recorder
sound out/crash-*-1.jsonl
has '"ev":"exit",.*"signal":6}' out/crash-*-1.jsonl
EOT

if unshare -pf --mount-proc true 2>/dev/null; then
	test_case 'the flight recorder as the first process of a container; and a box in one, from outside' <<'EOT'
export ASAN_OPTIONS="$ASAN_OPTIONS:handle_segv=0"	# which would end it with a status
got=0
unshare -pf --mount-proc ct-record --last=1s --on=crash,exit -o out -- sh -c 'box-spin 1 500 5 & sleep 1; kill -SEGV $!; wait $!' 2>err || got=$?
[ $got -eq 139 ] || { cat err >&2; exit 1; }
sound out/exit-*-1.jsonl
has '"name":"sleeper"' out/exit-*-1.jsonl
rm -f pid
CTP_BOX=1 unshare -pf --mount-proc box-spin 1 1000 7 >emitted &
outer=$!
wait_for test -s pid
inner=$(cat /proc/$outer/task/$outer/children)
pid=$((inner))
attach_for 1
sound
[ $(grep -c '"name":"sleeper"' trace) -eq 7 ]
has '"ev":"process","ts":[0-9]*,"pid":1,' trace
touch stop
status 0 wait $outer
EOT
else
	skip_case 'the flight recorder as the first process of a container' 'no right to make a pid namespace'
fi

test_case 'a program by its name: one, several, none' <<'EOT'
cp $O/t/targets/box-spin ./named-$$-one
mkdir two
(cd two && exec env CTP_BOX=1 ../named-$$-one 1 1000 1 >/dev/null) &
one=$!
wait_for test -s two/pid
status 0 ct-record --box --name="named-$$-o.e 1 1000" -o trace 2>err
sound
status 0 ct-record --box --name="^[.][.]/named-$$-one 1 1000 1" -o trace 2>err
mkdir three
(cd three && exec env CTP_BOX=1 ../named-$$-one 1 1000 1 >/dev/null) &
wait_for test -s three/pid
status 125 ct-record --box --name="named-$$-one" -o trace 2>err
has 'several processes match' err
has $(cat two/pid) err
status 125 ct-record -p 1 --name=x -o trace 2>err
status 125 ct-record --name="named-$$-two" -o trace 2>err
has 'no process with a probe matches' err
status 125 ct-record --name='(' -o trace 2>err
has 'not a regular expression' err
touch two/stop three/stop
wait
EOT

test_case 'a core holds the box, and little else of it' <<'EOT'
case $(cat /proc/sys/kernel/core_pattern) in '|'*) exit 0;; esac
ulimit -c unlimited
spin CTP_BOX=1 -- 2 200 47
kill -ABRT $pid
wait $spinner || :
core=$(ls -t core* 2>/dev/null | head -n 1)
[ -n "$core" ] || exit 0	# elsewhere, or none
[ $(du -k $core | cut -f1) -lt 60000 ]
status 0 ct-record --box $core -o trace
sound
[ $(grep -c '"name":"sleeper"' trace) -ge 47 ]
head -c 100000 $core >cut
status 125 ct-record --box cut -o trace 2>err
has '^ct-record: cut: ' err
EOT

test_case 'what cannot be read is said in words' <<'EOT'
sleep 30 &
none=$!
status 125 ct-record -p $none -o trace 2>err
has "process $none has no probe that can be attached to; ct-snap can look at it" err
kill $none
wait $none || :
status 125 ct-record -p $none -o trace 2>err
has "process $none is gone" err
sh -c 'sleep 0.3 & echo $! >unreaped; exec sleep 30' &
none=$!
wait_for sh -c 'test -s unreaped && grep -q "State:.*Z" /proc/$(cat unreaped)/status'
status 125 ct-record -p $(cat unreaped) -o trace 2>err
has "process $(cat unreaped) is gone" err
kill $none
status 125 ct-record -p 0 2>err
status 125 ct-record -p x 2>err
has '"x" is not a number' err
status 125 ct-record -p 1 ./app 2>err
status 125 ct-record --box 2>err
status 125 ct-record --box a b 2>err
status 125 ct-record --stacks -p 1 2>err
status 125 ct-record --box /nonexistent -o trace 2>err
has '/nonexistent: No such file' err
status 125 ct-record --box . -o trace 2>err
has 'not a regular file' err
echo '{"ev":"meta"}' >text
status 125 ct-record --box text -o trace 2>err
has 'text: neither a box nor a core' err
odd=$(printf 'a\n\033[31m\342\200\256\233\303\244')
cp text "$odd"
status 125 ct-record --box "$odd" -o trace 2>err
printf 'ct-record: a\\x0a\\x1b[31m\\xe2\\x80\\xae\\x9b\303\244: neither a box nor a core\n' >want; same want err
: >empty
status 125 ct-record --box empty -o trace 2>err
ct-record -o traced box-spin 1 1000 1 >/dev/null 2>&1 &
wait_for test -s pid
status 125 ct-record -p $(cat pid) -o trace 2>err
has 'was started under ct-record: no other can record it' err
touch stop
wait
spin CTP_BOX=$PWD -- 1 1000 3
stop_spin
box=$(ls corotrace-box.$pid.*)
head -c 4096 $box >short
status 125 ct-record --box short -o trace 2>err
has 'short: cut: 4096 bytes of' err
cp --sparse=always $box minor
printf '\011' | dd of=minor bs=1 seek=72 conv=notrunc 2>/dev/null
status 125 ct-record --box minor -o trace 2>err
has 'minor: memory of minor version 9, not a box of 3' err
cp --sparse=always $box major
printf '\002' | dd of=major bs=1 seek=8 conv=notrunc 2>/dev/null
status 125 ct-record --box major -o trace 2>err
has 'major: memory of version 2, not 1' err
# what is read is not emptied, by whatever name, and whatever it is
ln minor same; ln -s minor link; cp --sparse=always minor as
for to in minor ./same link; do
	status 125 ct-record --box minor -o $to 2>err
	has '^ct-record: minor: it is the input, too' err; cmp as minor
done
status 125 ct-record --box minor 1<>minor 2>err; has 'it is the input, too' err; cmp as minor
cp text as; status 125 ct-record --box text -o text 2>err; cmp as text
for size in --threads=5 --ring-slots=64 -n5; do
	status 125 ct-record --box $box $size 2>err; has 'a box has its sizes' err
	status 125 ct-record -p $$ $size 2>err; has 'a box has its sizes' err
done
status 125 ct-record --box $box --on=crash 2>err; has 'on is for --last' err
status 125 ct-record --dump=1 --box $box 2>err; has 'records nothing itself' err
EOT

test_case 'the trace is never written into the box that is read, nor over the program' <<'EOT'
spin CTP_BOX=$PWD -- 1 1000 3
box=$(ls corotrace-box.$pid.*)
ln $box same; ln -s $box link
for to in $box ./same link; do
	for how in "-p $pid" "--box -p $pid" "--name=^box-spin.1.1000.3" "--box --name=^box-spin.1.1000.3"; do
		status 125 timeout 20 ct-record $how -o $to 2>err; has "^ct-record: process $pid: the trace would be written into its box" err
	done
	status 125 ct-record -p $pid 2>err >>$to; has 'into its box' err
done
status 0 ct-record --box -p $pid -o trace
sound
stop_spin
status 0 ct-record --box $box -o trace
sound
cp "$(command -v cat)" own; cp own as; ln -s own program
for to in own program; do
	status 125 ct-record -o $to ./own 2>err; has '^ct-record: ./own: it is the program, too' err; cmp as own
done
status 0 ct-record -o true true
EOT

test_case 'a directory that is not there: said once, and the program runs on' <<'EOT'
spin CTP_BOX=$PWD/nowhere -- 1 1000 3
stop_spin
has '^ct: cannot attach: .*nowhere' spin.err
[ $(wc -l <spin.err) -eq 1 ]
spin CTP_BOX=yes -- 1 1000 3
stop_spin
has 'neither 0, nor 1, nor a directory' spin.err
EOT

if [ "$(id -u)" -eq 0 ]; then
	test_case "another user's is refused, and root's word is not needed for one's own" <<'EOT'
chmod 777 .
spin CTP_BOX=1 -- 1 1000 3
status 125 setpriv --reuid=65534 --regid=65534 --clear-groups $O/ct-record -p $pid >trace 2>err
has "process $pid is not ours to read: Permission denied" err
stop_spin
EOT
else
	skip_case "another user's is refused" 'not root'
fi

test_case 'a recorder of a box has none of it in a core of its own: the kernel would fill its holes, for the program, too' <<'EOT'
spin CTP_BOX=1 -- 1 1000 3
ct-record -p $pid -o trace 2>err & recorder=$!
wait_for grep -q '"ev":"attach"' trace
sed -n '/memfd:corotrace-box/,/^VmFlags/p' /proc/$recorder/smaps | grep '^VmFlags' >flags
[ -s flags ]
status 1 grep -v ' dd' flags
kill -TERM $recorder
status 0 wait $recorder
stop_spin
EOT

if mkdir "$scratch/ram" && unshare -m mount -t ramfs none "$scratch/ram" 2>/dev/null; then
	test_case 'a box on a file system that gives no blocks (fallocate): nothing is written among what other threads store' <<'EOT'
mkdir ram
${CC:-cc} -O2 ${SAN:+-fsanitize=address,undefined} -I"$SRC/sdk/c" -o at-once "$SRC/t/lib/at-once.c" "$SRC/sdk/c/ct.c" -lpthread -ldl
cat >run <<'END'
mount -t ramfs none ram || exit 77
i=0
while [ $i -lt 20 ]; do
	rm -f ram/*
	CTP_BOX=$PWD/ram,threads=16,slots=4096,coroutines=1024 ./at-once 16 || exit 1
	ct-record --box ram/corotrace-box.* -o trace || exit 2
	[ "$(grep -c '"ev":"resume"' trace)" = 4800 ] || exit 3
	grep '"ev":"resume"' trace | grep '"is_active":false' >&2 && exit 4
	i=$((i + 1))
done
exit 0
END
status 0 timeout 200 unshare -m sh run
EOT
else
	skip_case 'a box on a file system that gives no blocks' 'no right to mount'
fi

rounds=40
[ -z "$CHECK_ALL" ] || rounds=1000
test_case "a hostile box, $rounds times: read or refused, never a crash" <<EOT
spin CTP_BOX=\$PWD,slots=64,threads=4,coroutines=4096 -- 2 50 9
sleep 0.3
kill -9 \$pid
wait \$spinner || :
i=0
while [ \$i -lt $rounds ]; do
	cp --sparse=always corotrace-box.\$pid.* hostile
	perl -e 'srand \$ARGV[0]; open F, "+<:raw", "hostile"; my \$size = -s F; for (1 .. 1 + rand 40) {
		my \$at = rand(3) < 1 ? int(rand 1024) : rand(2) < 1 ? 65536 + int(rand 512) : int(rand \$size);
		seek F, \$at, 0; print F pack "Q<", rand(2) < 1 ? int(rand 2**32) * int(rand 2**31) : rand(2) < 1 ? ~0 : int(rand 300) }' \$i
	got=0
	timeout 60 ct-record -q --box hostile -o trace 2>err || got=\$?
	[ \$got -eq 0 ] || [ \$got -eq 125 ] || { echo "round \$i: \$got" >&2; exit 1; }
	[ \$got -ne 0 ] || ended
	i=\$((i + 1))
done
EOT

done_testing
