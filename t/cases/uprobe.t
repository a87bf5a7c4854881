#!/bin/sh
# ct-uprobe: C++20 coroutines of unmodified programs, by each compiler: a whole trace, the forgotten ones alone at its end,
# and a program that goes on as it did.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/uprobe.sh"

compilers=
for cxx in g++ clang++ ${CHECK_ALL:+clang++-19}; do
	has_coroutines $cxx && compilers="$compilers $cxx"
done
[ "$compilers" ] || skip_all 'no compiler with coroutines'
levels=-O2
[ -z "${CHECK_ALL:-}" ] || levels='-O0 -O1 -O2 -O3'

for cxx in $compilers; do
	$cxx -std=c++20 -O2 -g -pthread -o "$scratch/cc-$cxx" "$SRC/t/targets/uprobe-cc.cc" || exit 1
	for level in $levels; do
		test_case "$cxx $level: two of 20 are forgotten: they and who awaits them live at the end, each with its line; the trace is whole" <<EOT
[ $level = -O2 ] && cp ../cc-$cxx cc || $cxx -std=c++20 $level -g -pthread -o cc "$SRC/t/targets/uprobe-cc.cc"
begin ./cc 20
trace
say forget
wait_for eval '[ \$(wc -l <own) -eq 3 ]'
say stop
wait_for grep -q ended own
finish
status 0 ct-check --strict trace >check
has 'healthy' check
live >actual
awk '/^0x/ { print \$1, "child", \$2 }' own | sort >forgotten
grep ' child ' actual | sort >children
same forgotten children
[ \$(grep -c ' worker ' actual) -eq 2 ]
[ \$(wc -l <actual) -eq 4 ]
has '"lost":0,"live":4' trace
status 1 ct-stuck trace >stuck
has "^2 suspended at child() .*uprobe-cc.cc:\$(awk '/^0x/ { print \$2; exit }' own)" stuck
# With no wake, close or park to go by nobody is accused of anything.
status 0 ct-lostwake trace >findings
EOT
	done
	test_case "$cxx: promises that let exceptions out of a resume: the program lives, each frame has an end" <<EOT
begin ../cc-$cxx 4 throw
trace
wait_for eval '[ \$(wc -l <trace) -gt 3000 ]'
say stop
wait_for grep -q ended own
finish
status 0 ct-check --strict trace >check
live >actual
[ ! -s actual ] || { cat actual >&2; false; }
EOT
done
cxx=${compilers# } cxx=${cxx%% *}
export cxx

test_case 'a frame that is seen in its middle is a state since before; none is created but by its first run' <<'EOT'
$cxx -std=c++20 -O0 -g -pthread -o cc "$SRC/t/targets/uprobe-cc.cc"
begin ./cc 20
trace
wait_for eval '[ $(wc -l <trace) -gt 2000 ]'
finish
# The 20 that had begun before, by their addresses, were never created.
jq -rn '[inputs] | map(select(.probe_id)) | group_by(.probe_id)[] | .[0] | select(.is_active == false) | "\(.ev) \(.n) \(.since // "-")"' trace |
	sort | uniq -c >firsts
hasnt 'resume\|suspend\|destroy' firsts
hasnt 'create [^1]' firsts
hasnt 'state [0-9]* -' firsts
has 'create 1 -' firsts
EOT

test_case 'one that runs already, and is left afterwards: suspended at its end, not running for ever' <<'EOT'
for level in -O0 -O2; do
	$cxx -std=c++20 $level -g -pthread -o cc "$SRC/t/targets/uprobe-cc.cc"
	begin ./cc 1
	say block
	wait_for grep -q running own
	trace
	say go
	wait_for grep -q left own
	say stop
	wait_for grep -q ended own
	finish
	status 0 ct-check --strict trace >check
	live >actual
	[ "$(wc -l <actual)" -eq 1 ]
	has ' blocked ' actual
	jq -e -n '[inputs | select(.ev == "state")] | last | .is_active == false' trace
	quit
done
EOT

test_case 'stripped of debug information: traced without lines; of symbols: refused' <<'EOT'
strip -g -o bare ../cc-$cxx
strip -s -o naked ../cc-$cxx
begin ./bare 8
trace
say forget
wait_for eval '[ $(wc -l <own) -eq 3 ]'
say stop
wait_for grep -q ended own
finish
status 0 ct-check --strict trace >check
awk '/^0x/ { print $1 }' own | sort >forgotten
live | grep child | cut -d' ' -f1 | sort >actual
same forgotten actual
begin ./naked 8
status 3 ct-uprobe -p $pid >trace 2>err
has 'no C++20 coroutines and no tokio among its symbols' err
EOT

test_case 'by return probes, where it is told that exceptions stay within: the same' <<'EOT'
begin ../cc-$cxx 20
trace --return-probes
say forget
wait_for eval '[ $(wc -l <own) -eq 3 ]'
say stop
wait_for grep -q ended own
finish
status 0 ct-check --strict trace >check
awk '/^0x/ { print $1 }' own | sort >forgotten
live | grep child | cut -d' ' -f1 | sort >actual
same forgotten actual
EOT

test_case 'killed at any moment: no probe is left, the program goes on, and can be traced again' <<'EOT'
begin ../cc-$cxx 20
[ "$(probes)" -eq 0 ]
trace
[ "$(probes)" -gt 5 ]
kill -KILL $tracer
unguarded
[ "$(probes)" -eq 0 ]
rounds=20
[ -z "${CHECK_ALL:-}" ] || rounds=200
for i in $(seq $rounds); do
	ct-uprobe -p $pid --quiet >trace 2>err & tracer=$!
	sleep 0.0$((i * 7 % 10))$((i % 10))
	kill -KILL $tracer 2>/dev/null || :
	wait $tracer || :
done
unguarded
[ "$(probes)" -eq 0 ]
trace
wait_for eval '[ $(wc -l <trace) -gt 1000 ]'
say stop
wait_for grep -q ended own
finish
status 0 ct-check --strict trace >check
EOT

test_case 'attached and detached again and again under load: no probe is left, nothing waits' <<'EOT'
begin ../cc-$cxx 20 fast
rounds=50
[ -z "${CHECK_ALL:-}" ] || rounds=1000
for i in $(seq $rounds); do
	status 0 ct-uprobe -p $pid --quiet --for=$((i % 5 + 1))ms >trace
done
[ "$(probes)" -eq 0 ]
status 0 ct-check --strict trace >check
say count
wait_for grep -q ^steps own
say stop
wait_for grep -q ended own
EOT

# Linux 6.13 and later take no probes out as long as one thread anywhere is in a call whose return is probed, and begins others.
test_case 'a coroutine that resumes others to the end is traced by return probes: it and others can be left again' <<'EOT'
begin ../cc-$cxx 20
exec 4>&3
trace --return-probes
others_tracer=$tracer
say nest
wait_for grep -q nested trace
mv trace nested
mv own nested.own
begin ../cc-$cxx 4
trace
finish
[ "$(probes)" -eq 0 ]
[ "$(printf '%s\n' 6.13 "$(uname -r)" | sort -V | head -1)" != 6.13 ] || has 'still taking its probes out: uprobe-guard, process [0-9]' err
tracer=$others_tracer
finish
echo stop >&4
wait_for grep -q ended nested.own
for one in trace nested; do status 0 ct-check --strict $one >check; done
EOT

test_case 'the guard of its probes is killed: that is said, and the trace has no end' <<'EOT'
begin ../cc-$cxx 20
trace
kill -KILL $(pgrep -x -P $tracer uprobe-guard)
status 3 wait $tracer
tracer=
has 'its probes are gone' err
status 1 ct-check trace >check
has 'cut' check
EOT

test_case 'stopped for longer than its buffer holds: losses are counted and bounded, states follow, nobody is accused' <<'EOT'
begin ../cc-$cxx 20 fast
trace --buffer=1
kill -STOP $tracer
say count
wait_for eval 'sed -n "s/^steps //p" own | grep .'
steps=$(sed -n 's/^steps //p' own)
until [ "$(sed -n 's/^steps //p' own | tail -1)" -gt $((steps + 60000)) ]; do say count; sleep 0.1; done
kill -CONT $tracer
wait_for grep -q '"ev":"lost"' trace
say stop
wait_for grep -q ended own
finish
status 1 ct-check trace >check
has 'events lost by the recorder' check
jq -e -n '[inputs | select(.ev == "lost")] | all(.count > 0 and .from < .to)' trace
hasnt 'order broken' check
[ "$(jq -n '[inputs | select(.ev == "lost").count] | add' trace)" -eq "$(jq 'select(.ev == "end").lost' trace)" ]
# They all have ended, whatever was lost of that.
has '"live":0' trace
[ ! -s "$(live >left; echo left)" ]
EOT

test_case 'it ends while it is attached to: that is said, whatever could not be done for it' <<'EOT'
for i in $(seq 0 24); do
	begin ../cc-$cxx 4
	ct-uprobe -p $pid --for=1s >trace 2>err & tracer=$!
	sleep 0.$(printf %03d $((i * 4)))
	kill -KILL $pid
	if wait $tracer; then status 0 ct-check --strict trace >check; has '"ev":"end"' trace
	else has "^ct-uprobe: $pid: \(has ended\|no such process\|ended, or ran another program, while it was read\)$" err; fi
	tracer=
done
EOT

test_case 'rights: each that is missing is named; usage; a process that ends; a full disk' <<'EOT'
status 2 ct-uprobe 2>err
has 'ct-uprobe: -p PID or a program to start is needed' err
status 2 ct-uprobe -p 1 --buffer=3 2>err
begin ../cc-$cxx 4
if command -v setpriv >/dev/null; then
	for right in bpf perfmon sys_ptrace; do
		status 3 setpriv --bounding-set=-$right,-sys_admin ct-uprobe -p $pid 2>err
		has "not permitted: missing CAP_$(echo $right | tr a-z A-Z); " err
	done
	status 3 setpriv --bounding-set=-bpf,-perfmon,-sys_ptrace,-sys_admin ct-uprobe -p $pid 2>err
	has 'missing CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE; ' err
	status 0 setpriv --bounding-set=-sys_admin ct-uprobe -p $pid --for=100ms >trace 2>err
fi
[ ! -e /dev/full ] || status 2 ct-uprobe -p $pid --for=100ms >/dev/full 2>err
[ ! -e /dev/full ] || has '^ct-uprobe: <stdout>: No space' err
trace
kill -KILL $pid
status 0 wait $tracer
tracer=
has '"ev":"exit"' trace
has '"ev":"end"' trace
status 2 ct-uprobe -p $pid 2>err
has 'no such process' err
EOT
done_testing
