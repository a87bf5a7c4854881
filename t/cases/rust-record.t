#!/bin/sh
# The Rust probe never hurts and never loses uncounted: system calls, children at odd borders, signal handlers, destructors,
# plugins, more threads than rings, the promises of ctp(7); as record-hurt.t and record-join.t have it for the C probe.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/rust.sh"
. "${0%/*}/../lib/step.sh"

test_case 'the programs build, debug and release' <<'EOF'
builds
builds_release --bin borders --bin sealed --bin stepped --bin driver --example plugin
EOF
[ -x "$O/rust/release/sealed" ] || { done_testing; exit; }

# under_filter CALLS OPTIONS: what the filter does not allow kills
cat >>"$scratch/.case-lib" <<'EOF'
under_filter() {
	calls=$1 got=0; shift
	rm -f count
	trace "$@" -- $zoo/sealed count $calls || got=$?
	[ $got != 77 ] || { echo 'no filters here'; exit 0; }
	[ $got = 0 ] || { echo "status $got" >&2; return 1; }
	counted
	only_losses $((lost > 0))
}
at_border() {	# WAY OPTIONS: what it emits is there, or counted
	way=$1 got=0; shift
	rm -f count
	trace --follow "$@" -- $zoo/borders count $way || got=$?
	[ $got != 77 ] || { echo 'may not do that here'; exit 0; }
	counted
}
EOF
for build in debug release; do
	test_case "under --no-syscalls the probe makes none once attached: a filter that kills for any ($build)" <<EOF
zoo=\$O/rust/$build
under_filter none --no-syscalls
[ \$lost = 0 ]
under_filter none --no-syscalls --ring-slots=64
[ \$lost -gt 0 ]
under_filter none --no-syscalls --threads=2
has 'found no ring' err
EOF
done
test_case 'it keeps all promises of the protocol' <<'EOF'
for build in debug release; do
	status 0 ct-check --probe -- $O/rust/$build/driver >out || { cat out >&2; exit 1; }
	has '^18 promises: 18 kept, 0 broken, 0 not tried$' out
done
EOF
test_case 'without it, it makes those that the manual lists' <<'EOF'
under_filter listed
under_filter listed --ring-slots=64
under_filter listed --ring-slots=64 --on-full=block
[ $lost = 0 ]
EOF

# children WAY STATUS MESSAGES NAME
children() {
	test_case "$4" <<EOF
at_border $1
[ \$got = $2 ] && [ \$lost = 0 ] && [ \$emitted -ge 715 ]
status 0 ct-check trace >/dev/null
case '$3' in
'') same /dev/null err ;;
*) has '$3' err; [ "\$(wc -l <err)" = 1 ] ;;
esac
EOF
}
children fork 0 '' 'children by fork()'
children clone 0 '' 'children by a raw clone(), which no hook of the C library sees: not one event is missing'
children returns 0 '' 'a child by a raw clone() that returns from where its thread began: the ring stays with that thread'
children user 0 '3 processes could not connect' 'children after setuid(): no connection, but every event'
children root 0 '3 processes could not connect' 'children after chroot(): the same'
children descriptors 0 '3 processes could not connect' 'children of a process without a descriptor left: the same'
children inside-session 0 '3 processes could not connect' 'so in another pid namespace, in sessions of their own'
test_case 'one that becomes another program has ended before that one begins, however late that is seen' <<'EOF'
for build in debug release; do
	zoo=$O/rust/$build
	at_border becomes
	[ $lost = 0 ]
	sed -n 's/.*"ended":true.*/ended/p; s/.*"ev":"thread".*/thread/p' trace | head -3 >order
	printf 'thread\nended\nthread\n' | same - order
done
EOF
children daemon 5 '' 'a daemon that closes all descriptors is followed until it ends'
children moments 0 '' "in a signal handler, in a thread-local's destructor, at exit"

test_case 'children by vfork(), whose memory is their parent'"'"'s: what would be the first of a thread is counted, and all goes on as it was' <<'EOF'
at_border vfork
[ $got = 0 ] && [ $emitted = 721 ] && [ $lost = 306 ]
only_losses
has '^ct-record: 306 events of threads that found no ring are lost' err
hasnt 'scribbles\|could not connect' err
[ $(grep '"ev":"process"' trace | grep -o '"pid":[0-9]*' | sort -u | wc -l) -eq 1 ]
EOF

test_case 'a child that is none by fork(), and writes first where a recorder asks its parent for a box, does not make that one' <<'EOF'
status 0 $zoo/borders count asked
EOF

test_case 'a child that was forked while another thread attached attaches for itself' <<'EOF'
i=0
while [ $i -lt 15 ]; do
	at_border attaching
	[ $got = 0 ] && [ $emitted = 102 ] && [ $lost = 0 ]
	i=$((i + 1))
done
EOF

test_case "signals at any moment of a thread's life, its first event included: printed or counted, to the event" <<'EOF'
at_border storm
[ $got = 0 ]
at_border storm --ring-slots=64
[ $got = 0 ] && [ $lost -gt 0 ]
EOF

test_case 'more threads than rings, and coroutines that were created where there was none: counted to the event' <<'EOF'
for options in --threads=2 '--threads=2 --no-syscalls' '--threads=3 --ring-slots=64'; do
	at_border strangers $options
	[ $got = 0 ] && [ $lost -gt 0 ] && [ $emitted = 3775 ]
done
EOF

in_namespace="unshare -pf"
unshare -pf true 2>/dev/null || in_namespace="unshare -Urpf"
if $in_namespace true 2>/dev/null; then
	test_case 'another pid namespace: its processes and threads have numbers of their own' <<EOF
for mount in '' --mount-proc; do
	rm -f count
	status 0 trace --follow -- $in_namespace \$mount \$zoo/borders count fork
	counted
	[ \$emitted = 715 ] && [ \$lost = 0 ]
	status 0 ct-check trace >/dev/null
	same /dev/null err
	[ \$(grep '"ev":"thread"' trace | grep -o '"pid":[0-9]*' | sort -u | wc -l) = 4 ]
	[ -z "\$(grep '"ev":"thread"' trace | grep -o '"tid":[0-9]*' | cut -d: -f2 | awk '\$1 < 4194304')" ]
done
stormy
rm -f count
status 0 trace --follow -- sh late $in_namespace --mount-proc env LD_PRELOAD=./storm.so \$zoo/borders count fork
counted
[ \$emitted = 715 ] && [ \$lost = 0 ]
same /dev/null err
EOF
else
	skip_case 'another pid namespace: its processes and threads have numbers of their own' 'no namespaces here'
fi

test_case 'a plugin with a probe of its own: two in one process, and dlclose() while its threads live' <<'EOF'
for build in debug release; do
	rm -f count
	status 0 trace -- rec-plugin count $O/rust/$build/examples/libplugin.so
	counted
	[ $emitted = 3780 ] && [ $lost = 0 ]
	status 0 ct-check trace >/dev/null
	same /dev/null err
done
EOF

test_case 'interrupted at its instructions by a handler that calls it, or forks a child that goes back: as stepped.t has it' <<'EOF'
stepped 0 -- $O/rust/release/stepped count wake $((few * 30 + 1))
[ $lost -gt 0 ]
stepped 0 -- $O/rust/release/stepped count forks $((few * 58 + 3))
stepped 3000 -- $O/rust/release/stepped count returns $((few * 58 + 3))
stepped 3000 --on-full=block -- $O/rust/release/stepped count both $((few * 58 + 3))
EOF

done_testing
