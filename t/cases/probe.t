#!/bin/sh
# The C probe, against a region made by the test: each case is described in t/unit/probe.c.
. "${0%/*}/../lib/lib.sh"
unset CTP_SHM_PATH CTP_SOCK_PATH CTP_MAX_STATIONS

run() {
	test_case "$2 (t/unit/probe.c)" <<EOT
status 0 timeout 300 "$O/t/unit/probe" $1 >out 2>err || { cat err; grep -A1 '^not' out; exit 1; } >&2
has '^1\.\.' out
same /dev/null err
EOT
}
run events 'a coroutine life arrives in order, its station tells the same, errno is untouched'
run callers 'what a helper does for its caller stands at the place of that one'
run newer 'kinds of events that a recorder does not know are not stored for it'
run recycle 'more coroutines than stations: stations are recycled, the excess is counted'
run full 'a full ring drops, counts exactly and tells where'
run block 'with --on-full=block nothing is lost, and a dead recorder does not block'
run threads 'rings are handed back and taken again; a thread without one is counted'
run forked 'a forked child records by itself'
run v1 'under an old recorder version 1 stations are written, byte for byte'
run bell 'a sleeping recorder is rung once, and nobody else ever'
run dead 'the program goes on without a recorder that died'
run nested 'a probe in a signal handler that interrupted a probe is counted, not garbled'
run hopping 'coroutines that hop between threads: all events, no time falls'
run stacks 'call stacks, where they are asked for: once each, as long as there is room'
run bare 'without a recorder nothing happens'

test_case 'coroutines hop between threads under a recorder without membarrier, too (t/unit/probe.c)' <<'EOT'
CT_TEST_FENCE=1 status 0 timeout 300 "$O/t/unit/probe" hopping >out
EOT
test_case 'what cannot be attached to is said in one line, and the program runs on (t/unit/probe.c)' <<'EOT'
for c in bad-tables no-socket; do
	status 0 timeout 300 "$O/t/unit/probe" $c >out 2>err
	[ "$(grep -c '^ct: cannot attach: ' err)" = 1 ] && [ "$(wc -l <err)" = 1 ]
done
CTP_SHM_PATH=/nonexistent/shm CTP_SOCK_PATH=/nonexistent/s status 0 timeout 300 "$O/t/unit/probe" bare 2>err >out
has '^ct: cannot attach: /nonexistent/shm: No such file' err
EOT
test_case "the probe's walk is the runtime's, in functions of every shape and on every kind of stack (t/unit/unwind.c)" <<'EOF'
status 0 timeout 300 "$O/t/unit/unwind" >out 2>err || { cat out err >&2; exit 1; }
EOF
# PROGRAM 'what is tried' CASE...: a program of its own, t/unit/PROGRAM.c
each() {
	program=$1 what=$2
	shift 2
	for c in "${@:-}"; do
		test_case "$what (t/unit/$program.c)${c:+: $c}" <<EOF
status 0 timeout 100 "$O/t/unit/$program" $c >out 2>err || { grep -B2 -A60 '^not' out; cat err; exit 1; } >&2
EOF
	done
}
each attach 'its beginning, and that of its children' says maps turns asked limited born without as_input given initialised hooked stored joins forked_here forked_store
each link 'its connection to the recorder'
each threads 'its threads' takes times claims shared more begins borrowed numbered ends ends_in_full ends_with_loss owned owned_store stored named interrupted interrupted_by_several
each gate 'stopped, left, asked again, and clocks' seqlock quick created clocks stopped stopped_v1 unseen adopted left left_by_child given_back
each looks 'rings that overwrite, and rings that wait' limited used steps read_by late far killed retired reaped claimed born stands waits missed room
each switch 'fibers' plain quick
each asked 'its flag' '' children
each halfmade 'forked while it is set up'
each frames 'call stacks, a frame at a time'
each makebox 'the box that it makes'
if [ "$SAN" ]; then
	skip_case 'interrupted at each instruction (t/unit/stepped.c)' 'of the instructions most would be the sanitizer'"'"'s: minutes'
else
	each stepped 'interrupted at each instruction by a handler that calls it' ''
fi
each refused 'where a call is refused' box file asked
each cancelled 'in a thread that is to be cancelled' boxed filed recorded
each copies 'the box written into a file'
each parts "the probe's parts" coroutines things known old bounded strings walked places checked refused halved instructions units entries
done_testing
