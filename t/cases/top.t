#!/bin/sh
# ct-top: one summary without a terminal; with one, what is seen in tmux while a trace comes through a pipe.
. "${0%/*}/../lib/lib.sh"

cat >"$scratch/trace-lib" <<'EOF'
meta() {
	echo '{"ev":"meta","ts":10000000000,"format":"corotrace","version":2}'
	echo '{"ev":"process","ts":10000000000,"pid":5,"path":"/usr/bin/app"}'
	echo '{"ev":"thread","ts":10000000000,"tid":11,"pid":5,"name":"worker 1","role":"worker"}'
	echo '{"ev":"site","site":1,"func":"serve","file":"s.cc","line":42}'
	echo '{"ev":"site","site":2,"func":"accept","file":"s.cc","line":7}'
}
own() {	# TS KIND ID N MORE
	printf '%s\n' '{"probe_id":'$3',"tid":11,"addr":"0x0000000000000000","seq":'$(($4 * 2))',"is_active":'$([ $2 = resume ] &&
		echo true || echo false)',"ts":'$1',"ev":"'$2'","n":'$4"${5-}"'}'
}
waits() {	# TS ID SITE ON NAME
	own $1 create $2 1
	printf '%s\n' '{"ev":"name","ts":'$1',"tid":11,"probe_id":'$2',"name":"'"$5"'"}'
	own $(($1 + 1000)) resume $2 2; own $(($1 + 2000)) suspend $2 3 ',"site":'$3',"on":"'$4'"'
}
parked() { echo '{"ev":"park","ts":'$1',"tid":11,"depth":0}'; }
closes() { echo '{"ev":"close","ts":'$1',"tid":11,"on":"'$2'","site":2}'; }
time_is() { echo '{"ev":"sync","ts":'$1'}'; }
ends() { echo '{"ev":"exit","ts":'$1',"pid":5,"status":'$2'}'; echo '{"ev":"end","ts":'$1',"events":'$3',"lost":0}'; }
story() {	# one waits for what was closed, one for what was not
	meta
	waits 10001000000 1 1 fd:6 'conn 1'; waits 10002000000 2 2 chan:9 acceptor; waits 10003000000 3 1 fd:7 'conn 2'
	closes 10010000000 fd:6; parked 10011000000
}
EOF

test_case 'without a terminal: one summary; the status is that of ct-lostwake' <<'EOF'
. ../trace-lib
{ story; ends 12000000000 0 14; } >trace
status 1 ct-lostwake trace >/dev/null
status 1 ct-top <trace >out 2>err
same /dev/null err
cat >expected <<'EOT2'
ct-top  +2.00s  ended, exit status 0  /usr/bin/app
4 events/s  lost 0  3 live: 3 suspended 0 runnable 0 running 0 created
findings: 1 proven 0 suspected 0 unknown
  THREAD  BUSY  QUEUE ROLE     NAME         RUNNING
      11    0%      0 worker   worker 1     parked for 1.99s
1 coroutine: closed-resource (proven): serve() s.cc:42
  what they wait on was closed and nobody woke them
  to do: resume its waiters before it is closed, as before close(fd), on every path that closes it
  coroutine 1 "conn 1" waits on fd:6 for 2.00s; closed at +0.010000s by worker thread 11 "worker 1" (accept() s.cc:7) [lines 9, 18]
 COUNT OLDEST STATE     ON      SITE
     2  2.00s suspended fd      serve() s.cc:42  closed-resource
     1  2.00s suspended chan    accept() s.cc:7
EOT2
same expected out
status 1 ct-top --name=conn trace >out; hasnt acceptor out; has 'closed-resource' out
status 0 ct-top --site=accept trace >out; has 'no findings; 1 hidden by --site$' out
status 1 ct-top --color=always trace >out; has '\[1;31m' out
EOF

test_case 'its figures are those of others: events as ct-check counts them, busy threads as ct-sched does, behind a loss, too' <<'EOF'
. ../trace-lib
{
	meta; own 10000000000 create 1 1; own 10000000000 create 2 1; own 10001000000 resume 1 2
	# Its suspend and next resume were lost.
	own 10400000000 resume 2 2; own 10500000000 suspend 2 3 ',"site":1'; own 10600000000 suspend 1 5 ',"site":1'
	own 10700000000 resume 1 6; own 10900000000 resume 1 8; own 11000000000 destroy 1 9; own 11100000000 resume 2 4; own 11200000000 suspend 2 5 ',"site":1'
	echo '{"ev":"lost","ts":11200000000,"tid":11,"count":3,"from":10001000000,"to":10900000000}'
	ends 12000000000 0 14
} >trace
ct-top <trace >out || :
has '^6 events/s ' out	# 11 in 2 s
ct-check trace >check || :; has ' 11 events of 2 coroutines' check
# 0.1 s is what surely was; more may have been, up to where it is seen to have left.
busy=$(sed -n 's/^ *11 *\([0-9]*\)% .*/\1/p' out)
[ "$busy" -ge 10 ] && [ "$busy" -le 55 ] || { cat out >&2; exit 1; }
{
	meta; own 10000000000 create 1 1; own 10001000000 resume 1 2; own 10100000000 create 2 1
	own 10200000000 resume 1 4 | sed 's/"tid":11/"tid":12/'	# it left, in a line that was lost
	for i in 1 2 3 4; do own 1050000000$i resume 2 $((2 * i)); own 10${i}50000000 suspend 2 $((2 * i + 1)) ',"site":1'; done | sed 's/"ts":1050000000\(.\)/"ts":10\140000000/'
	ends 12000000000 0 14
} >trace
ct-top <trace >out || :
has "^      11    2% " out	# 4 times 10 ms of 2 s, and no more
EOF

test_case 'nothing, a cut stream, bad lines, a full disk, a closed pipe, two runs' <<'EOF'
. ../trace-lib
status 2 ct-top </dev/null >out 2>err; has 'no events' err
story >trace
status 3 ct-top <trace >out 2>err
has 'CUT OFF: no end line' out; has 'inconclusive' out; has 'cut off' err
{ story; echo '{"probe_id":x}'; ends 12000000000 1 14; } >trace
status 3 ct-top <trace >out 2>err
has 'stdin>:20:' err; has '1 bad line$' out; has 'ended, exit status 1' out
status 2 ct-top --strict --quiet <trace >out
{ story; ends 12000000000 0 14; } >trace
status 2 ct-top trace >/dev/full 2>err; has 'No space' err
ct-top trace | true
cat trace trace >two; status 1 ct-top two >out; has 'run 2 of 2' out
status 2 ct-top --at=1 trace 2>err
EOF

test_case 'names are as wide as the terminal shows them, and are cut between characters, in every locale' <<'EOF'
. ../trace-lib
{ meta; waits 10001000000 1 1 'user:資源' '接続'; waits 10002000000 2 1 sem:9 x
  echo '{"ev":"thread","ts":10003000000,"tid":12,"pid":5,"name":"工作线程一","role":"worker"}'
  echo '{"ev":"thread","ts":10003000000,"tid":13,"pid":5,"name":"a'$(printf 'é%.0s' $(seq 40))'","role":"workeré"}'
  own 10004000000 create 3 1; own 10004000001 resume 3 2
  echo '{"ev":"name","ts":10004000002,"tid":11,"probe_id":3,"name":"a'$(printf 'é%.0s' $(seq 300))'"}'
  own 10004000003 suspend 3 3 ',"site":1,"on":"user:a'$(printf 'é%.0s' $(seq 300))'"'
  own 10005000000 create 4 1; own 10005000001 resume 4 2
  echo '{"ev":"name","ts":10005000002,"tid":11,"probe_id":4,"name":"a'$(printf 'é%.0s' $(seq 300))'"}'; ends 12000000000 0 14; } >trace
for locale in C C.UTF-8; do
	LC_ALL=$locale ct-top trace >$locale 2>err || :
	has '     -      - worker   工作线程一   -$' $locale
	has '     -      - workeré  a\(é\)* -$' $locale; has ' worker 1     4 "a\(é\)*" for ' $locale; hasnt '\\x' $locale
done
same C C.UTF-8
EOF

command -v tmux >/dev/null || { skip_case 'in a terminal' 'no tmux'; done_testing; exit 0; }

cat "$scratch/trace-lib" - >"$scratch/term-lib" <<'EOF'
export TMUX_TMPDIR=$PWD LC_ALL=${LOCALE-C.UTF-8}
unset TMUX NO_COLOR
server=1		# a new one each: the one before may be dying still
tm() { timeout 100 tmux -L $server -f /dev/null "$@"; }
trap 'exec 3>&-; tm kill-server 2>/dev/null || :' EXIT
# start COLUMNS ROWS [OPTIONS]: ct-top on the pipe whose end is fd 3
start() {
	mkfifo pipe
	cat >run-it <<EOT2
stty -a >before
ct-top $3 <pipe 2>err
echo "status \$?" >ended
stty -a >after
echo done; exec sleep 100
EOT2
	server=$((server + 1))
	tm new-session -d -x $1 -y $2 'sh run-it'
	exec 3>pipe
}
screen() { tm capture-pane -p "$@"; }
# until_seen PATTERN: it is seen in the end, on a screen that is drawn to its end: twice the same
until_seen() {
	: >before_that
	for try in $(seq 600); do
		screen >seen
		! grep -q -e "$1" seen || ! cmp -s seen before_that || return 0
		cp seen before_that
		sleep 0.2
	done
	echo "never seen: $1" >&2; cat seen err >&2; return 1
}
until_file() { for try in $(seq 600); do [ ! -s $1 ] || return 0; sleep 0.2; done; return 1; }
keys() { tm send-keys "$@"; }
# left STATUS: it ended so, and the terminal is as before
left() {
	until_file ended; until_file after; until_seen done
	echo "status $1" >expected; same expected ended; tail -n +2 before >was; tail -n +2 after >is; same was is	# the first line is the size
	[ "$(tm display -p '#{alternate_on} #{cursor_flag} #{keypad_cursor_flag}')" = '0 1 0' ]
}
EOF

test_case 'in a terminal, what is long gives way: file and line, and what a thread does, are seen' <<'EOF'
. ../term-lib
start 80 24
{
	meta; long=$(printf 'long%.0s' $(seq 60))
	echo '{"ev":"thread","ts":10000000000,"tid":11,"pid":5,"name":"'$long'","role":"worker"}'
	echo '{"ev":"site","site":1,"func":"f<'$long'>","file":"deep/s.cc","line":42}'
	waits 10001000000 1 1 user:$long $long; own 10002000000 create 2 1; own 10003000000 resume 2 2
} >&3
until_seen 'longlonglonglonglongl\.\.\. 2 for'; until_seen 'user  *f<long.*s.cc:42$'
keys g; until_seen 'user:longlonglonglong\.\.\. f<lo.*s.cc:42  long'
keys q
EOF

test_case 'live: findings so far, then for good; the last state stays until q' <<'EOF'
. ../term-lib
start 100 24
story >&3; until_seen '^no findings so far'
has '^ct-top  +11.0ms  live  /usr/bin/app' seen
has '11 .* worker 1 *parked for 0ns' seen
has '^     2 .* suspended fd      serve() s.cc:42$' seen
time_is 11000000000 >&3; until_seen '^1 coroutine: closed-resource (proven so far): serve() s.cc:42'
has '^findings so far: 1 proven 0 suspected 0 unknown' seen
ends 12000000000 3 14 >&3; exec 3>&-
until_seen 'ended, exit status 3'; until_seen '^findings: 1 proven'
has '(proven): serve' seen
[ ! -e ended ]
keys q; left 1
EOF

test_case 'a wake takes a finding back; a stream that is cut says so' <<'EOF'
. ../term-lib
start 100 24
story >&3; time_is 11000000000 >&3; until_seen '^findings so far: 1 proven'
echo '{"probe_id":1,"tid":11,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":11100000000,"ev":"wake","on":"fd:6"}' >&3
own 11100000001 resume 1 4 >&3; until_seen '1 running'
until_seen '^no findings so far'
has 'worker 1 *1 "conn 1" for ' seen
exec 3>&-; until_seen 'CUT OFF: no end line'
keys q; left 3
EOF

test_case 'keys while half a line is all that comes: panes, sorting, filter, help, pause' <<'EOF'
. ../term-lib
start 100 24
story >&3; printf '{"ev":"sy' >&3; until_seen '^     2 '
keys g; until_seen '^ *ID '
grep '^ .* suspended ' seen | awk '{ print $1 }' | tr -d '\n' >order; echo 123 | tr -d '\n' >expected; same expected order
keys m; until_seen 'by name'
grep '^ .* suspended ' seen | awk '{ print $1 }' | tr -d '\n' >order; echo 213 | tr -d '\n' >expected; same expected order
keys r; until_seen 'backwards'
grep '^ .* suspended ' seen | awk '{ print $1 }' | tr -d '\n' >order; echo 312 | tr -d '\n' >expected; same expected order
keys / 'f' 'd' ':' '[' '6'; until_seen '^/fd:\[6_  .'
[ $(grep -c '^ .* suspended ' seen) -eq 2 ]
keys ']'; until_seen '^/fd:\[6\]_ *$'
[ $(grep -c '^ .* suspended ' seen) -eq 1 ]; has 'conn 1' seen
keys Enter; until_seen '/fd:\[6\]'
keys Escape; until_seen 'acceptor'
keys h; until_seen 'this help'; keys h; until_seen acceptor
keys Space; until_seen '^PAUSED'
printf 'nc","ts":11000000000}\n' >&3; sleep 1
screen >seen; has '+11.0ms' seen
keys Space; until_seen '+1.00s'
keys f; until_seen 'what they wait on was closed'; has '(accept() s.cc:7) \[lines 9, 18\]' seen
keys x c; until_seen 'accused only'; until_seen 'coroutines, each'
[ $(grep -c '^ .* suspended ' seen) -eq 1 ]
keys w; until_seen 'workers, each'; hasnt ' suspended fd' seen
keys q; left 3
EOF

test_case 'Enter while paused before the first line: the keys go on' <<'EOF'
. ../term-lib
start 100 24
until_seen 'no line yet'
keys Space; until_seen '^PAUSED'
keys Enter h; until_seen 'this help'
keys q; left 3
EOF

test_case 'a cursor: into a place, into a coroutine and its story, and back; q says what it leaves' <<'EOF'
. ../term-lib
start 80 24
story >&3; time_is 11000000000 >&3; until_seen '^findings so far: 1 p'
keys c; until_seen 'coroutines, sites'
tm capture-pane -p -e >seen; grep -q "$(printf '\033')\[[0-9;]*7m.*suspended fd.*serve() s.cc:42" seen	# the first is marked
keys Down Enter; until_seen 'of one site'; until_seen '^ *ID '
[ $(grep -c '^ .* suspended ' seen) -eq 1 ]; has ' 2 .* suspended chan.*acceptor' seen
keys Escape; until_seen 'coroutines, sites'
keys Up Enter; until_seen ' 3 .* suspended '; [ $(grep -c '^ .* suspended ' seen) -eq 2 ]
keys Enter; until_seen 'story (ESC: back)'; until_seen 'to do: resume its waiters'
has '^coroutine 1 "conn 1" suspended on fd:6 for 999ms at serve() s.cc:42' seen
has '^closed-resource (proven so far)' seen; has '^  last on thread 11 "worker 1", line ' seen
keys Escape; until_seen 'of one site'; keys Down Enter; until_seen '^coroutine 3 '; hasnt 'to do:' seen
keys Escape; until_seen 'of one site'; keys Escape; until_seen 'coroutines, sites'
keys q; left 3; has 'ct-top: left before the trace ended: what writes it, and its program, may still run' err
EOF

test_case 'at 80 columns a long place gives way to the verdict, and keeps file and line' <<'EOF'
. ../term-lib
start 80 24
story | sed "s/\"func\":\"serve\"/\"func\":\"net::session<$(head -c 600 /dev/zero | tr '\0' x)>::serve\"/" >&3
time_is 11000000000 >&3; until_seen '^findings so far: 1 p'
has '^     2 .* suspended fd      net::.*\.\.\..*s.cc:42  closed-resource$' seen
keys g; until_seen '^ *ID '; has '^     1 .* suspended fd:6 .*s.cc:42  closed-resource' seen
EOF

test_case 'any size, and resized: nothing wraps, nothing is left of before' <<'EOF'
. ../term-lib
start 40 10
story >&3; time_is 11000000000 >&3; until_seen '^findings so far: 1 p'
[ $(wc -l <seen) -eq 10 ]
sed -n 1p seen | grep '^ct-top  +1.00s  live'; sed -n 10p seen | grep '^h help'; has '^     2 ' seen
tm resize-window -x 130 -y 30; until_seen '0 created$'
sed -n 30p seen | grep '^h help'
tm resize-window -x 5 -y 2; until_seen '^ct-to$'
tm resize-window -x 1 -y 1; sleep 1
tm resize-window -x 80 -y 24; until_seen '^findings so far: 1 proven'
sed -n 24p seen | grep '^h help'
keys q; left 3
EOF

test_case 'what others write over it does not stay; the terminal that goes away ends it' <<'EOF'
. ../term-lib
start 80 24
story >&3; until_seen '^no findings'
tty=$(tm display -p '#{pane_tty}')
printf 'GARBAGE\nGARBAGE\r\n\n\n\n\n\nGARBAGE' >$tty
for try in $(seq 240); do sleep 0.5; screen >seen; grep -q GARBAGE seen || break; done
hasnt GARBAGE seen; until_seen '^h help'; has '^ct-top  +11.0ms' seen; sed -n 24p seen | grep '^h help'
pid=$(tm list-panes -F '#{pane_pid}' | xargs pgrep -x ct-top -P)
tm kill-server
for try in $(seq 240); do kill -0 $pid 2>/dev/null || exit 0; sleep 0.5; done
exit 1
EOF

for signal in TERM INT HUP; do
	case $signal in TERM) code=143;; INT) code=130;; HUP) code=129;; esac
	test_case "SIG$signal: ends by it, with the terminal as it was" <<EOF
. ../term-lib
start 80 24
story >&3; until_seen '^no findings'
kill -$signal \$(tm list-panes -F '#{pane_pid}' | xargs pgrep -x ct-top -P)
left $code
EOF
done

test_case 'an error while drawing: the terminal as it was, the message after it' <<'EOF'
. ../term-lib
mkdir dir
cat >run-it <<EOT2
stty -a >before
ct-top dir
echo "status \$?" >ended
stty -a >after
echo done; exec sleep 100
EOT2
tm new-session -d -x 80 -y 24 'sh run-it'
until_seen 'not one line'
keys q; left 2; has '^ct-top: dir: Is a directory' seen
EOF

test_case 'stopped and continued; a terminal that cannot be drawn on gets the summary' <<'EOF'
. ../term-lib
story >trace
cat >run-it <<EOT2
set -m
PS1='\$ '
EOT2
tm new-session -d -x 80 -y 24 'ENV=./run-it sh -i'
keys 'ct-top trace' Enter; until_seen 'CUT OFF'
keys C-z; until_seen '^\$$'	# the shell asks again
[ "$(tm display -p '#{alternate_on} #{cursor_flag}')" = '0 1' ]
keys 'fg' Enter; until_seen '^h help'
keys q; until_seen '^\$$'; keys 'clear; TERM=dumb ct-top trace; echo status $?' Enter
until_seen '^status 3'; has 'CUT OFF' seen; hasnt '^h help' seen
EOF

test_case 'hostile names are harmless, whatever the locale' <<'EOF'
for LOCALE in C C.UTF-8; do
	mkdir $LOCALE; cd $LOCALE
	. ../../term-lib
	start 100 24
	{ meta; echo '{"ev":"thread","ts":10000000000,"tid":12,"pid":5,"name":"工作线程一","role":"worker"}'
	  waits 10001000000 1 1 fd:6 '\u001b[2J\u001b]0;PWNED\u0007\r\n\u0085\u202eevil\u200b 日本 \udbff\udfff'
	  waits 10002000000 2 2 'user:\u001b[31m%s%n' "$(head -c 100000 /dev/zero | tr '\0' x)"; time_is 11000000000; } >&3
	keys g; until_seen '+1.00s'; until_seen '^ *ID '
	has '^     1 .*?\[2J?\]0;PWNED???' seen; has 'evil' seen; has 'user:?\[31m%s%n' seen
	[ $LOCALE = C ] || { has 'evil 日本' seen; has '^      12  .* 工作线程一   -$' seen; }
	[ "$(wc -l <seen)" -eq 24 ]; sed -n 24p seen | grep '^h help'
	[ "$(tm display -p '#{pane_title}')" != PWNED ]
	keys q; left 3
	tm kill-server; cd ..
done
EOF

test_case 'color only where it is wanted' <<'EOF'
. ../term-lib
color() { screen -e >seen; grep -q "$(printf '\033')\[[0-9;]*3[1-7]" seen; }
start 100 24
story >&3; time_is 11000000000 >&3; until_seen '^findings so far'; color
keys q; left 3
rm -f pipe ended after; exec 3>&-; tm kill-server
export NO_COLOR=1; start 100 24
story >&3; time_is 11000000000 >&3; until_seen '^findings so far'; ! color
keys q; left 3
rm -f pipe ended after; exec 3>&-; tm kill-server
start 100 24 --color=always
story >&3; time_is 11000000000 >&3; until_seen '^findings so far'; color
EOF

test_case 'a program under ct-record, live' <<'EOF'
. ../term-lib
[ -x $O/t/zoo/closed-fd ] || exit 0
tm new-session -d -x 100 -y 24 "ct-record $O/t/zoo/closed-fd 2>log | ct-top; sleep 100"
until_seen '^findings: 3 proven'; has 'ended, exit status' seen; has 'closed-resource (proven)' seen
EOF
done_testing
