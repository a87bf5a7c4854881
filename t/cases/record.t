#!/bin/sh
# ct-record: options, exit statuses, what goes where, and every way in which a target can end.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

test_case 'a program that has no probes: its status, and a trace of nothing' <<'EOT'
status 0 trace true
has '^ct-record: nothing was recorded: no probe attached' err
sed 's/"ts":[0-9]*/"ts":T/; s/"pid":[0-9]*/"pid":P/; s/"alive":[0-9]*/"alive":T/; s/ct-record [0-9.]*/NAME/
	s/"host":"[^"]*","wall":[0-9]*,"clock":"[a-z]*"/HERE/' trace >got
same - got <<'END'
{"ev":"meta","ts":T,"format":"corotrace","version":2,"tool":"NAME","command":["true"],HERE}
{"ev":"exit","ts":T,"pid":P,"alive":T,"status":0}
{"ev":"end","ts":T,"events":0,"lost":0}
END
status 1 trace -q false
same /dev/null err
has '"status":1}$' trace
EOT

# Within an eighth of how long nothing was recorded, but where the recorder itself has to wait for a processor.
test_case 'when the program was last seen to live is known to a fifth of how long it stood still' <<'EOT'
seen() {
	trace -q sleep 1
	sed -n 's/.*"ev":"\(meta\|exit\)","ts":\([0-9]*\).*/\2/p' trace >times
	sed -n 's/.*"alive":\([0-9]*\).*/\1/p' trace >>times
	sort -n times | awk '{ t[NR] = $1 } END { exit !(NR == 3 && t[3] - t[2] < (t[3] - t[1]) / 5) }'
}
seen || seen || seen || seen || seen || seen
EOT

test_case 'every kind of event, and texts that need care' <<'EOT'
status 0 trace -- rec-end count everything
status 0 ct-check trace >/dev/null
sed -n '/^{"ev":"\(meta\|process\|map\|exit\)"/d
	s/"ts":[0-9]*/"ts":T/; s/"tid":[0-9]*/"tid":N/; s/"pid":[0-9]*/"pid":P/; s/"file":"[^"]*","line":[0-9]*/AT/
	s/xxxx*\(\.*\)/xx\1/; p' trace >got
same - got <<'END'
{"ev":"thread","ts":T,"tid":N,"pid":P,"name":"rec-end","role":"other"}
{"ev":"thread","ts":T,"tid":N,"pid":P,"name":"worker \"1\"","role":"worker"}
{"ev":"site","site":1,"func":"everything",AT}
{"probe_id":1,"tid":N,"addr":"0x0000000000001234","seq":2,"is_active":false,"ts":T,"ev":"create","n":1,"site":1}
{"ev":"name","ts":T,"tid":N,"probe_id":1,"name":"a\u0009b\\c\"d\u0001\u007f é ����"}
{"probe_id":2,"tid":N,"addr":"0x0000000000005678","seq":2,"is_active":false,"ts":T,"ev":"create","n":1,"parent":1}
{"ev":"name","ts":T,"tid":N,"probe_id":2,"name":"xx"}
{"probe_id":1,"tid":N,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":T,"ev":"resume","n":2}
{"ev":"site","site":2,"func":"everything",AT}
{"ev":"open","ts":T,"tid":N,"by":1,"on":"fd:42","name":"client","site":2}
{"ev":"site","site":3,"func":"everything",AT}
{"ev":"notify","ts":T,"tid":N,"by":1,"on":"cond:0x00000000000000c0","woken":0,"site":3}
{"ev":"level","ts":T,"tid":N,"by":1,"on":"chan:0x00000000000000c1","value":3}
{"ev":"site","site":4,"func":"everything",AT}
{"ev":"acquire","ts":T,"tid":N,"by":1,"on":"mutex:0x00000000000000c2","site":4}
{"ev":"site","site":5,"func":"everything",AT}
{"ev":"release","ts":T,"tid":N,"by":1,"on":"mutex:0x00000000000000c2","site":5}
{"ev":"waker","ts":T,"tid":N,"probe_id":2,"by":1,"op":"clone"}
{"ev":"waker","ts":T,"tid":N,"probe_id":2,"by":1,"op":"drop"}
{"ev":"site","site":6,"func":"everything",AT}
{"probe_id":2,"tid":N,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":T,"ev":"wake","site":6,"by":1,"on":"sem:0x00000000000000c3"}
{"ev":"site","site":7,"func":"everything",AT}
{"ev":"close","ts":T,"tid":N,"by":1,"on":"fd:42","site":7}
{"probe_id":1,"tid":N,"addr":"0x0000000000001234","seq":6,"is_active":false,"ts":T,"ev":"suspend","n":3,"on":"user:my \"words\""}
{"probe_id":2,"tid":N,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":T,"ev":"resume","n":2}
{"probe_id":2,"tid":N,"addr":"0x0000000000005678","seq":6,"is_active":false,"ts":T,"ev":"suspend","n":3}
{"probe_id":2,"tid":N,"addr":"0x0000000000000000","seq":8,"is_active":true,"ts":T,"ev":"resume","n":4}
{"probe_id":2,"tid":N,"addr":"0x0000000000005678","seq":10,"is_active":false,"ts":T,"ev":"suspend","n":5,"on":"coro:7"}
{"probe_id":2,"tid":N,"addr":"0x0000000000000000","seq":12,"is_active":true,"ts":T,"ev":"resume","n":6}
{"probe_id":2,"tid":N,"addr":"0x0000000000005678","seq":14,"is_active":false,"ts":T,"ev":"suspend","n":7,"on":"timer:99"}
{"probe_id":2,"tid":N,"addr":"0x0000000000000000","seq":16,"is_active":true,"ts":T,"ev":"resume","n":8}
{"probe_id":2,"tid":N,"addr":"0x0000000000005678","seq":18,"is_active":false,"ts":T,"ev":"suspend","n":9,"on":"join:8"}
{"probe_id":2,"tid":N,"addr":"0x0000000000000000","seq":20,"is_active":true,"ts":T,"ev":"resume","n":10}
{"probe_id":2,"tid":N,"addr":"0x0000000000005678","seq":22,"is_active":false,"ts":T,"ev":"suspend","n":11,"on":"fd:"}
{"probe_id":2,"tid":N,"addr":"0x0000000000000000","seq":24,"is_active":true,"ts":T,"ev":"resume","n":12}
{"probe_id":2,"tid":N,"addr":"0x0000000000005678","seq":26,"is_active":false,"ts":T,"ev":"suspend","n":13,"on":"fd:4294967295"}
{"probe_id":2,"tid":N,"addr":"0x0000000000000000","seq":28,"is_active":true,"ts":T,"ev":"resume","n":14}
{"probe_id":2,"tid":N,"addr":"0x0000000000005678","seq":30,"is_active":false,"ts":T,"ev":"suspend","n":15,"on":"sem:0xffffffffffffffff"}
{"probe_id":2,"tid":N,"addr":"0x0000000000000000","seq":32,"is_active":true,"ts":T,"ev":"resume","n":16}
{"probe_id":2,"tid":N,"addr":"0x0000000000005678","seq":34,"is_active":false,"ts":T,"ev":"suspend","n":17,"on":"user:"}
{"ev":"park","ts":T,"tid":N,"depth":0}
{"ev":"unpark","ts":T,"tid":N}
{"ev":"site","site":8,"func":"everything",AT}
{"probe_id":1,"tid":N,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":T,"ev":"wake","site":8}
{"probe_id":1,"tid":N,"addr":"0x0000000000001234","seq":8,"is_active":false,"ts":T,"ev":"destroy","n":4,"done":true}
{"probe_id":2,"tid":N,"addr":"0x0000000000005678","seq":36,"is_active":false,"ts":T,"ev":"destroy","n":18,"done":false}
{"ev":"end","ts":T,"events":36,"lost":0,"lines":{"create":2,"resume":9,"suspend":9,"wake":2,"destroy":2,"name":2,"open":1,"close":1,"notify":1,"level":1,"acquire":1,"release":1,"waker":2,"park":1,"unpark":1,"thread":2,"site":8}}
END
[ "$(grep -o 'xxxx*"' trace | wc -c)" = 4002 ]
EOT

test_case 'callbacks that are no coroutines: those that last are coroutines that run from when they began until they are over' <<'EOT'
status 0 trace -- rec-end count callbacks
status 0 ct-check trace >/dev/null
at() { grep -n "@$1 \*/" "$SRC/t/targets/rec-end.c" | sed 's/:.*//'; }
for one in long dies exits; do
	site=$(sed -n "s/.*\"site\":\([0-9]*\),.*rec-end.c\",\"line\":$(at $one)}\$/\1/p" trace)
	grep "\"ev\":\"create\",\"n\":1,\"site\":$site}" trace >born
	[ $(wc -l <born) -eq 1 ]
	id=$(sed 's/.*"probe_id":\([0-9]*\),.*/\1/' born)
	[ $one != long ] || first=$id
	echo $one $(sed -n "s/.*\"probe_id\":$id,.*\"ev\":\"\([a-z]*\)\".*/\1/p" trace)
done >lives
cat >expected <<'END'
long create resume destroy
dies create resume destroy
exits create resume
END
same expected lives
[ $(grep -c '"ev":"create"' trace) -eq 5 ]	# and two of live_once()
# 200 ms, as far as was seen
sed -n 's/.*"probe_id":'$first',.*"ts":\([0-9]*\),.*/\1/p' trace | awk 'NR == 1 { from = $1 } { to = $1 } END { exit !(to - from > 5e7 && to - from < 3e8) }'
ct-bt trace >bt || :
has "runs [0-9]* created at callbacks() .*rec-end.c:$(at exits) for" bt
EOT

test_case 'the exit status is the program'"'"'s, or 128 + the signal, and the exit line tells' <<'EOT'
ends() {	# STATUS EXIT-LINE WAY...
	want=$1 line=$2; shift 2
	rm -f count
	status $want trace -- rec-end count "$@"
	counted
	tail -2 trace | grep -q "^{\"ev\":\"exit\",.*,$line}\$" || { tail -2 trace >&2; return 1; }
	status 0 ct-check trace >/dev/null
	same /dev/null err
}
ends 0 '"status":0' exit 0
ends 3 '"status":3' exit 3
ends 255 '"status":255' _exit 255
ends 137 '"signal":9' signal 9
ends 134 '"signal":6' signal 6
ends 143 '"signal":15' signal 15
ends 139 '"signal":11' crash 16
EOT

test_case 'options that cannot be: 125, a message, and the program is not run' <<'EOT'
for bad in --no-such --threads=0 --threads=65537 --threads=x --threads= --ring-slots=4 --ring-slots=100 \
	--ring-slots=33554432 --ring-slots=-8 --on-full=never -n0 -n1048577 --stations=1x --target-stdout=no/where -ono/where \
	--follow=1 --on= --on=, --on=crash --dump=1 '--last=1s -o out --on=' '--last=1s -o out --dump=1'; do
	status 125 ct-record $bad -- touch ran 2>err >out
	[ -s err ] || { echo "no message: $bad" >&2; exit 1; }
	[ ! -s out ] && [ ! -e ran ]
done
status 125 ct-record 2>err
has 'no program given' err
status 125 ct-record -q -- 2>err
status 0 ct-record --help >out 2>err
has '^usage: ct-record' out
same /dev/null err
status 0 ct-record --version >out
has '^ct-record [0-9]' out
status 0 trace -n 9 sh -c 'echo $CTP_MAX_STATIONS "$@" >got' - --on-full=never
has '^9 --on-full=never$' got
EOT

test_case 'what cannot be run: 127 when it is not there, 126 when it is no program' <<'EOT'
status 127 trace -- ./missing
has '^ct-record: ./missing: No such file' err
status 127 trace no-such-program-anywhere
echo 'not a program' >plain
status 126 trace ./plain
has '^ct-record: ./plain: Permission denied' err
status 126 trace "$PWD"
EOT

test_case 'nothing is left behind: no socket, no directory' <<'EOT'
mkdir tmp
export TMPDIR=$PWD/tmp
status 0 trace sh -c 'test -S "$CTP_SOCK_PATH" && stat -c %a "${CTP_SOCK_PATH%/*}" >mode'
same - mode <<'END'
700
END
status 127 trace ./missing
status 139 trace rec-end count crash 16
[ -z "$(ls tmp)" ]
EOT

if unshare -m true 2>/dev/null && case $O in /tmp/*) false ;; esac; then
	test_case 'a /tmp that nobody can write to: it does with /dev/shm; with neither, and without /proc, it says so' <<'EOT'
unset XDG_RUNTIME_DIR TMPDIR
within() { mounts=$1; shift; unshare -m sh -c "$mounts"' && exec "$@"' sh "$@"; }
tmp='mount -t tmpfs -o ro none /tmp' shm='mount -t tmpfs -o ro none /dev/shm' proc='mount -t tmpfs none /proc'
status 7 within "$tmp" ct-record -o trace -- sh -c 'echo "$CTP_SOCK_PATH" >at; exit 7'
has '^/dev/shm/ct-record\.' at; [ ! -e "$(cat at)" ]
status 125 within "$tmp && $shm" ct-record -o trace -- touch ran 2>err; has 'cannot make a socket under /tmp: Read-only file system' err; [ ! -e ran ]
[ -z "$SAN" ] || exit 0		# LeakSanitizer looks into /proc, and finds its options there
for how in "-p $$" --name=x "--box -p $$"; do
	status 125 within "$proc" ct-record $how -o trace 2>err; has '/proc is not mounted' err
done
for program in ct-snap ct-uprobe; do
	[ -x "$O/$program" ] || continue
	fails within "$proc" $program -p $$ 2>err; has "^$program: .*/proc is not mounted" err
done
EOT
fi

test_case 'the program'"'"'s stdout goes to stderr, or where --target-stdout says' <<'EOT'
status 0 ct-record -- rec-end count chatter >out 2>err
same - err <<'END'
to stdout
to stderr
END
hasnt '^[^{]' out
tail -1 out | grep -q '"ev":"end"'
status 0 trace --target-stdout=theirs -- rec-end count chatter
echo 'to stdout' | same - theirs
echo 'to stderr' | same - err
status 0 ct-record -o - true >out
has '"ev":"end"' out
EOT

test_case 'the trace and the program'"'"'s stdout cannot be one file: nothing is run, and nothing of either is lost' <<'EOT'
refused() {
	[ ! -e ran ]; has "^ct-record: $1: the trace is written there" err
}
status 125 trace --target-stdout=trace touch ran; refused trace
ln -s trace link; status 125 trace --target-stdout=link touch ran; refused link
echo kept >kept; status 125 ct-record --target-stdout=kept touch ran >>kept 2>err; refused kept; echo kept | same - kept
ln kept other; status 125 ct-record -o other --target-stdout=kept touch ran 2>err; refused kept; echo kept | same - kept
status 0 ct-record --target-stdout=/dev/null touch ran >/dev/null 2>err; [ -e ran ]
EOT

test_case 'a reader that goes away: the program runs to its end, and its status counts' <<'EOT'
{ got=0; ct_record --ring-slots=1024 -- sh -c 'rec-load count hop 2 20 100000; exit 3' 2>err || got=$?
  echo $got >got; } | head -1 >line
[ "$(cat got)" = 3 ]
has '"ev":"meta"' line
ran_to 412540
hasnt 'cannot write' err
EOT

test_case 'a program that shares its standard input with the trace, as of a terminal, and says that nobody waits there' <<'EOT'
mkfifo both
{ sleep 1; cat; } <both >trace & reader=$!
exec 3<>both
status 0 ct_record --buffer=4M --on-full=block --ring-slots=4096 -- \
	sh -c 'dd iflag=nonblock count=0 && exec rec-load count hop 2 20 100000' <&3 >&3 2>err
exec 3>&-
wait $reader
hasnt 'cannot write' err
counted
[ $lost -eq 0 ]
EOT

test_case 'a full disk: one message, 125, and the program runs to its end' <<'EOT'
status 125 ct_record -o /dev/full -- rec-load count hop 2 20 30000 2>err
[ "$(grep -c '^ct-record: cannot write the trace: No space left on device' err)" = 1 ]
ran_to 123790
status 125 ct_record --on-full=block --ring-slots=64 -- rec-load count hop 2 20 3000 2>err >/dev/full
(ulimit -f 100; status 125 ct_record -o trace -- true 2>err)
has '^ct-record: cannot make .* File too large; the size of files is limited (ulimit -f)$' err
status 125 ct-record --help 2>err >/dev/full; has '^ct-record: <stdout>: No space' err
status 125 ct-record true >&- 2>err
has 'stdout' err
EOT

test_case 'a trace that is cut to nothing while it is written, as by logrotate, goes on from its beginning' <<'EOT'
ct-record -o trace -- rec-load count pulse 2 300 & recorder=$!
wait_for grep -q '"ev":"suspend"' trace
: >trace
status 0 wait $recorder
tail -n 1 trace | grep -q '"ev":"end"'
tr -d '\000' <trace | cmp - trace
EOT

test_case 'without stdin and stderr: nothing of the recorder'"'"'s takes their numbers' <<'EOT'
status 0 ct-record -o trace -- sh -c 'echo text; echo text >&2; exec rec-end count chatter' <&- 2>&-
counted
status 0 ct-check trace >/dev/null
rm count
status 0 ct-record --threads=1 -- rec-load count crowd 2 10 <&- 2>&- >trace
counted
status 0 ct-record --last=5s -o . -- sh -c 'ls -l /proc/$PPID/fd >fds' <&- >&- 2>&-
[ "$(grep -c ' [012] -> /dev/null' fds)" = 3 ]
rm count
unshare -m mount -t tmpfs none /dev 2>/dev/null || { echo 'no namespaces here'; exit 0; }
status 0 unshare -m sh -c 'mount -t tmpfs none /dev && exec "$@"' sh \
	ct-record -o trace -- sh -c 'echo text; exec rec-load count crowd 2 10' <&- 2>&-
counted
EOT

cat >>"$scratch/.case-lib" <<'EOT'
passed_on() {	# SIGNAL
	rm -f count out
	ct-record -o trace --target-stdout=out -- rec-end count wait & recorder=$!
	wait_for grep ready out
	kill -$1 $recorder
	status $1 wait $recorder
	counted
	[ $events = 204 ]
	status 0 ct-check trace >/dev/null
}
EOT
test_case 'signals are passed on, and the trace is finished' <<'EOT'
for signal in 1 2 3 6 10 12 14 15 28; do passed_on $signal; done
EOT

test_case 'real-time signals, too' <<'EOT'
for signal in 34 64; do passed_on $signal; done
EOT

test_case 'an alarm that the recorder was started with ends the program, and the trace is finished' <<'EOT'
status 142 perl -e 'alarm 1; exec @ARGV' ct-record -o trace -- sleep 60
has '"ev":"exit",.*"signal":14}$' trace
tail -1 trace | grep -q '"ev":"end"'
EOT

test_case 'a program that dies of the signal: 128 + its number, and the trace is finished' <<'EOT'
for signal in INT:2 TERM:15; do
	ct-record -o trace -- sh -c 'trap - INT; : >started; exec sleep 60' & recorder=$!
	wait_for test -e started
	kill -TERM $recorder
	status 143 wait $recorder
	has '"ev":"exit",.*"signal":15}$' trace
	tail -1 trace | grep -q '"ev":"end"'
	rm started
done
EOT

test_case 'exec: the next program is recorded as well' <<'EOT'
status 0 trace --on-full=block -- rec-end count exec rec-load count hop 2 10 1000
counted
[ $lost = 0 ] && [ $events = 4347 ]
[ "$(grep -c '"ppid":' trace)" = 2 ]
[ "$(grep '"ppid":' trace | grep -o '"pid":[0-9]*' | sort -u | wc -l)" = 1 ]
status 0 ct-check trace >/dev/null
EOT

test_case 'fork: the child is recorded as well, and its copies of coroutines are not' <<'EOT'
status 0 trace --on-full=block -- rec-end count fork
counted
[ $lost = 0 ] && [ $events = 2204 ]
grep -o '"ev":"process".*"ppid":[0-9]*' trace | grep -o '"pid".*' | tr -dc '0-9,\n' >processes
[ "$(wc -l <processes)" = 2 ]
[ "$(head -1 processes | cut -d, -f1)" = "$(tail -1 processes | cut -d, -f2)" ]
status 0 ct-check trace >/dev/null
EOT

test_case 'a child that outlives its parent: with --follow to its end, without it not' <<'EOT'
for i in 1 2 3 4 5 6 7 8 9 10; do
	rm -f count
	status 5 trace --follow --on-full=block -- rec-end count orphan 0
	counted
	[ $lost = 0 ] && [ $events = 2202 ]
done
rm count
status 5 trace --follow -- rec-end count orphan 300
counted
[ $events = 2202 ]
rm count
status 5 trace -- rec-end count orphan 2000
has '"events":201,"lost":0,"lines":{.*}}$' trace
wait_for ran_to 2202
EOT

test_case 'a child that attaches when its parent has ended: with --follow it has a second for that' <<'EOT'
status 5 trace --follow --on-full=block -- sh -c '(sleep 0.1; exec rec-load count hop 2 10 1000) & exit 5'
counted
[ $events = 4146 ]
rm count
status 5 trace --follow --on-full=block -- sh -c '(exec rec-load count hop 2 10 1000) & exit 5'
counted
[ $events = 4146 ]
start=$(date +%s)
status 5 trace -q --follow -- sh -c 'sleep 30 >/dev/null 2>&1 & exit 5'
[ $(($(date +%s) - start)) -lt 10 ]
EOT

test_case '--follow ends by a signal once the program has: the trace is finished' <<'EOT'
ct-record --follow -o trace -- rec-end count orphan 30000 2>err & recorder=$!
pids() { grep '"ppid":' trace | grep -o '"pid":[0-9]*' | cut -d: -f2; }
both() { [ "$(pids | wc -l)" = 2 ]; }
parent_gone() { ! kill -0 $(pids | head -1); }
wait_for both
wait_for parent_gone
kill -TERM $recorder
status 5 wait $recorder
tail -1 trace | grep -q '"ev":"end"'
has '"status":5}$' trace
kill $(pids | tail -1)
EOT

test_case '--follow ends where the program was asked to end, and its children do not' <<'EOT'
ct-record --follow -o trace -- sh -c 'trap "exit 4" TERM; rec-end count orphan 30000 2>err & wait $!; : >parent-gone; while :; do sleep 0.1; done' & recorder=$!
pids() { grep '"ppid":' trace | grep -o '"pid":[0-9]*' | cut -d: -f2; }
wait_for test -e parent-gone
kill -TERM $recorder
status 4 wait $recorder
tail -1 trace | grep -q '"ev":"end"'
child=$(pids | tail -n 1)
kill $child	# it lives
EOT

if unshare -pf --mount-proc true 2>/dev/null; then
	test_case 'as the first process of a container it buries whoever has lost its parent' <<'EOT'
cat >orphans <<'E'
for i in 1 2 3 4 5 6 7 8 9; do sh -c 'sleep 0 & :'; done
sleep 0.3
grep -l '^State:.Z' /proc/[0-9]*/status >zombies 2>&-
exit 3
E
for how in '-o trace' '--last=1s -o out'; do
	status 3 unshare -pf --mount-proc ct-record -q $how -- sh orphans
	same /dev/null zombies
done
rm zombies
# where it ends, a second later, all end: on a busy machine before they have looked
for try in 1 2 3 4 5 6 7 8; do
	status 4 unshare -pf --mount-proc ct-record -q --follow -o trace -- sh -c '(sleep 0.1; exec sh orphans) & exit 4'
	[ ! -e zombies ] || break
done
same /dev/null zombies
EOT
else
	skip_case 'as the first process of a container it buries whoever has lost its parent' 'no namespaces here'
fi

test_case 'under nohup(1) SIGHUP touches neither' <<'EOT'
(trap '' HUP; exec ct-record -o trace -- sh -c 'kill -HUP $$ $PPID; : >started; sleep 0.2; exit 3') & recorder=$!
status 3 wait $recorder
tail -1 trace | grep -q '"ev":"end"'
EOT

test_case 'what a service manager says of the process that it has started is said of the program' <<'EOT'
said='echo $$ $LISTEN_PID $WATCHDOG_PID $SYSTEMD_EXEC_PID $LISTEN_FDS >said'
status 0 sh -c 'export LISTEN_PID=$$ LISTEN_FDS=2 WATCHDOG_PID=$$ SYSTEMD_EXEC_PID=$$; exec ct-record -q -o trace -- sh -c "$0"' "$said"
read -r pid listen watchdog exec fds <said
[ "$listen $watchdog $exec $fds" = "$pid $pid $pid 2" ]
LISTEN_PID=1 WATCHDOG_PID= status 0 ct-record -q -o trace -- sh -c "$said"
read -r pid listen rest <said
[ "$listen" = 1 ] && [ -z "$rest" ]
EOT

test_case 'what else is ignored stays so, for both; but for what the keyboard sends' <<'EOT'
(trap '' TERM USR1 USR2 XFSZ; status 3 ct-record -o trace --target-stdout=own -- sh -c '
	kill -TERM $$ $PPID; for s in USR1 USR2 XFSZ; do kill -$s $$; done; echo lives; exit 3')
has lives own; has '"ev":"end"' trace
(trap '' INT; status 130 ct-record -q -o trace -- sh -c 'kill -INT $$; exit 3')
EOT

test_case 'a coroutine that does more than 2^32 things goes on to be counted' <<'EOT'
status 0 trace -- rec-end count ancient 2>err
[ ! -s err ]
id=$(grep suspend trace | sed -n 's/.*"probe_id":\([0-9]*\),.*"n":4294967299.*/\1/p'); [ "$id" ]
grep "\"probe_id\":$id," trace | sed -n 's/.*"ev":"\([a-z]*\)".*"n":\([0-9]*\).*/\1 \2/p' >numbers
same numbers - <<'E'
create 1
resume 4294967294
leg 4294967295
leg 4294967295
suspend 4294967295
resume 4294967296
leg 4294967297
leg 4294967297
suspend 4294967297
resume 4294967298
leg 4294967299
leg 4294967299
suspend 4294967299
E
[ "$(ct-stuck --json trace | grep -c '"on":"any of fd:3, fd:4"')" = 1 ]
EOT

test_case 'a program that closes all descriptors' <<'EOT'
status 0 trace -- rec-end count close
counted
[ $events = 20221 ]
EOT

test_case 'threads that still emit at exit()' <<'EOT'
for i in 1 2 3 4 5; do
	rm -f count
	status 7 trace -- rec-load count left 4
	counted 4
	only_losses $((lost > 0))
done
EOT

test_case 'without a standard input its own files get number 0' <<'EOT'
status 3 ct-record -q -o trace -- rec-end count exit 3 <&-
counted
EOT

test_case 'a recorder in a recorder' <<'EOT'
status 3 ct-record -o outer -- ct-record -o trace -- rec-end count exit 3
counted
has '"events":0,"lost":0}$' outer
EOT

test_case 'idle: no processor time, a sync line each second; the process is told' <<'EOT'
status 0 trace --target-stdout=ticks -- rec-end count idle 3200
counted
self=$(readlink -f "$(command -v rec-end)")
has "^{\"ev\":\"process\",.*\"path\":\"$self\"}$" trace
has "^{\"ev\":\"map\",.*\"path\":\"$self\"\(,\"build_id\":\"[0-9a-f]*\"\)\{0,1\}}$" trace
[ "$(cat ticks)" -le $(($(getconf CLK_TCK) / 4)) ]
[ "$(grep -c '"ev":"sync"' trace)" -ge 2 ]
grep '"ev":"sync"' trace | tr -dc '0-9\n' | awk 'last && $1 - last < 990000000 { exit 1 } { last = $1 }'
EOT

done_testing
