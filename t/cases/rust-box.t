#!/bin/sh
# Black boxes of Rust programs: attached to, snapshot, read when they are dead, and asked for where none was kept.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/box.sh"
. "${0%/*}/../lib/rust.sh"
. "${0%/*}/../lib/cgroup.sh"

cat >>"$scratch/.case-lib" <<'EOF'
SPIN=$zoo/box-spin
# hangs ENVIRONMENT...: the server that hangs, in the background
hangs() {
	rm -f stop pid
	env "$@" ${hangs:-$zoo/hangs} $argument >out 2>hangs.err &
	server=$!
	wait_for test -s pid
	pid=$(cat pid)
}
stop_hangs() { touch stop; status 0 wait $server; has '^ended$' out; }
at() { grep -n "$1" "$SRC/t/rust/src/bin/hangs.rs" | head -n 1 | cut -d: -f1; }
proves_the_deadlock() {
	status 1 ct-lostwake --json ${1:-trace} >found
	[ $(grep -c '"verdict":"deadlock","certainty":"proven"' found) -eq 1 ]
}
# Who waits for ever is named with its line, by what it waits on and since when.
names_the_stuck() {
	ct-stuck --all ${1:-trace} >stuck || [ $? -eq 1 ]
	[ $(sed -n "/^5 suspended at .*hangs.rs:$(at 'answer.await') on chan/,/^[0-9]* suspended/p" stuck | grep -c '^  .*on chan:[0-9a-f]* for .*s') -eq 5 ]
	has "^2 suspended at .*hangs.rs:$(at 'second.lock') on mutex" stuck
}
EOF

test_case 'the programs build, debug and release' <<'EOT2'
builds
builds_release --bin box-spin --bin hangs
EOT2
[ -x "$O/rust/release/hangs" ] || { done_testing; exit; }

for build in debug release; do
	test_case "a tokio server hangs, untraced: attached to, twice, and read from outside ($build)" <<EOT2
hangs=\$O/rust/$build/hangs
for how in env code; do
	argument=; [ \$how = env ] || argument=asks
	hangs \$([ \$how = code ] || echo CTP_BOX=1) LANG=C
	status 0 ct-record --box -p \$pid -o box 2>err
	sound box
	proves_the_deadlock box
	names_the_stuck box
	attach_for 1
	sound
	has '"ev":"meta",.*"attached":true}\$' trace
	proves_the_deadlock
	names_the_stuck
	attach_for 1	# the locks' history may have been told to the one before
	sound
	names_the_stuck
	stop_hangs
done
EOT2
done

test_case 'corotrace::dump() into a file, while it runs; without a box it is an error' <<'EOT2'
hangs CTP_BOX=1
for again in 1 2; do
	touch dump
	wait_for test ! -e dump
	status 0 ct-record --box dumped -o trace
	sound
	proves_the_deadlock
	names_the_stuck
	[ $(stat -c %a dumped) = 600 ]
done
stop_hangs
EOT2

test_case 'kill -9, and its file holds who hung' <<'EOT2'
hangs CTP_BOX=$PWD
kill -9 $pid
wait $server || :
status 0 ct-record --box corotrace-box.$pid.* -o trace
sound
proves_the_deadlock
names_the_stuck
EOT2

test_case 'no box: one is asked for, and tasks of tokio are seen from where they move, by their numbers' <<'EOT2'
hangs LANG=C
attach_for 2
sound
has "process $pid keeps no box: what stands still there is not seen" err
has '"ev":"meta",.*"attached":true,"born_before":true}$' trace
[ $(grep -c '"ev":"create","n":1,.*"born_before":true' trace) -eq 1 ]
site=$(sed -n 's/.*"ev":"create","n":1,"site":\([0-9]*\).*/\1/p' trace)
has "\"ev\":\"site\",\"site\":$site,\"func\":\"hangs::tick\",\"file\":\"[^\"]*\",\"line\":$(at 'spawn(tick())')[,}]" trace
has '"name":"[^"]*","role":"worker"' trace
[ $(grep -c '"ev":"park"' trace) -gt 10 ]
status 3 ct-lostwake --json trace >found	# nothing is known of who stood still
[ ! -s found ]
status 0 ct-record --box -p $pid -o box 2>err
sound box
stop_hangs
EOT2

test_case 'a healthy server of tokio, older than who attaches: nobody is accused' <<'EOT2'
$zoo/healthy >out &
server=$!
wait_for test -s pid
pid=$(cat pid)
for again in 1 2; do
	attach_for 1.5
	sound
	[ $(grep -c '"ev":"create","n":1,.*"born_before":true' trace) -gt 10 ] || [ $again -gt 1 ]
	status 3 ct-lostwake --json trace >found
	[ ! -s found ]
	hasnt '"on":"\(timer\|chan\|sem\):0"' trace
done
stop_hangs
EOT2

test_case 'no box is to be had where that was forbidden; a bad word is said once' <<'EOT2'
argument=asks hangs CTP_BOX=0
status 125 ct-record -p $pid -o trace 2>err
has "process $pid has no probe that can be attached to; ct-snap can look at it" err
stop_hangs
hangs CTP_BOX=yes
stop_hangs
has '^corotrace: cannot attach: CTP_BOX: neither 0, nor 1, nor a directory' hangs.err
hangs CTP_BOX=1,slots=64,threads=-2
stop_hangs
has '^corotrace: cannot attach: CTP_BOX: behind the first word come ,threads=N ,slots=N ,coroutines=N alone' hangs.err
hangs CTP_BOX=$PWD/nowhere
stop_hangs
has "^corotrace: cannot attach: $PWD/nowhere/corotrace-box.$pid.[A-Za-z0-9]*: No such file" hangs.err
[ $(wc -l <hangs.err) -eq 1 ]
EOT2

test_case 'what the rings no longer hold is told by states: who waits, where, since when, by name' <<'EOT2'
spin CTP_BOX=1,slots=64 -- 2 100 47
wait_for sh -c "ct-record -q --box -p $pid | grep -q '\"states\":3[0-9],'"
attach_for 1
sound
has '"ev":"attach",.*"states":3[0-9],' trace
[ $(grep -c '"ev":"create","n":1,"site":' trace) -ge 47 ]
[ $(grep -c '"name":"sleeper"' trace) -ge 47 ]
[ $(sed '/"ev":"attach"/q' trace | grep -c '"ev":"state","n":3,"site":[0-9]*,"on":"user:bed [0-9]*"') -ge 30 ]
has '"ev":"lost","ts":[0-9]*,"count":[1-9]' trace
has '"ev":"thread",.*"name":"spinner","role":"worker"' trace
ct-stuck --json trace >stuck || :
[ $(grep -c '"name":"sleeper"' stuck) -eq 47 ]
stop_spin
EOT2

. "${0%/*}/../lib/box-scenes.sh"

test_case 'children share the box, and its rings; in one without, each is asked for itself' <<'EOT2'
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
spin CTP_BOX=1,threads=6,slots=64 -- 2 20 3 forks
sleep 1
attach_for 1
sound
stop_spin
EOT2

test_case 'the flight recorder over a tokio program: a signal, and what hung before it' <<'EOT2'
rm -f pid
ct-record --last=60s --on=signal -o out -- $zoo/hangs 2>err &
recorder=$!
wait_for test -s pid
sleep 1
kill $(cat pid)
status 143 wait $recorder
sound out/signal-*-1.jsonl
has '"ev":"attach",' out/signal-*-1.jsonl
proves_the_deadlock out/signal-*-1.jsonl
names_the_stuck out/signal-*-1.jsonl
EOT2

test_case 'a core holds the box, and little else of it' <<'EOT2'
case $(cat /proc/sys/kernel/core_pattern) in '|'*) exit 0;; esac
ulimit -c unlimited
hangs CTP_BOX=1
kill -ABRT $pid
wait $server || :
core=$(ls -t core* 2>/dev/null | head -n 1)
[ -n "$core" ] || exit 0	# elsewhere, or none
[ $(du -k $core | cut -f1) -lt 60000 ]
status 0 ct-record --box $core -o trace
sound
proves_the_deadlock
names_the_stuck
EOT2

if [ -n "$group" ]; then
	test_case 'in a cgroup of 32 MiB: a box that it is asked for is small' <<'EOT2'
small_when_asked $zoo/box-spin
EOT2
	test_case 'in it, and its recorder is not: fewer threads have rings' <<'EOT2'
(sleep 0.5; touch stop) &
status 0 trace -- sh ../inside $zoo/box-spin 24 400 1
wait
has 'events of threads that found no ring are lost' err
EOT2
else
	skip_case 'in a cgroup of 32 MiB' 'may not make a cgroup with a limit here'
fi
done_testing
