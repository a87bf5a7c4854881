#!/bin/sh
# smol, async-std, monoio, embassy and glommio: `.traced()` at the root of each task finds what is stuck, and nothing where nothing is.
. "${0%/*}/../lib/lib.sh"
[ "${CHECK_ALL:-}" ] || skip_all 'CHECK_ALL=1 was not asked for (runtimes.t follows the page of smol)'
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/rust.sh"

test_case 'the programs build' <<'EOF'
builds
EOF
[ -x "$O/rust/debug/embassy" ] || { done_testing; exit; }

runtimes='smol async-std monoio embassy'
test_case 'glommio builds' <<'EOF'
with_cargo build --workspace --bins --examples --features rust-runtimes/glommio
EOF
if timeout 60 "$O/rust/debug/glommio" 2>/dev/null; then runtimes="$runtimes glommio"
else skip_case glommio 'no io_uring here, or too little memory may be locked'; fi

for runtime in $runtimes; do
	test_case "$runtime: tasks, and a server with twenty clients, healthy" <<EOF
trace \$zoo/$runtime
status 0 ct-check trace >&2
status 0 ct-lostwake trace >&2
[ \$(grep -c '"ev":"create"' trace) -ge 28 ]
connections=\$(sed -n 's/.*"ev":"name".*"probe_id":\([0-9]*\),"name":"connection".*/\1/p' trace)
[ \$(echo "\$connections" | wc -l) -eq 20 ]
for id in \$connections; do has "\"probe_id\":\$id,.*\"ev\":\"destroy\".*\"done\":true" trace; done
EOF
	# What nobody can wake monoio and glommio drop: it is shown to be cancelled.
	case $runtime in monoio | glommio) lost= ;; *) lost=yes ;; esac
	test_case "$runtime: two tasks that lock in two orders, a waker that is dropped, a lock that nobody gives back, a close that wakes nobody" <<EOF
trace \$zoo/$runtime bug
status 0 ct-check trace >&2
status 1 ct-lostwake --json trace >found
sed -n 's/.*"verdict":"\([^"]*\)","certainty":"\([^"]*\)".*/\1 \2/p' found | sort >got
{ echo closed-resource proven; echo dead-owner proven; echo deadlock proven; [ '$lost' = '' ] || echo lost-waker proven; } >expected
same expected got
[ -n '$lost' ] || has '"ev":"destroy".*"done":false' trace
for bug in 'closed-resource for a letter' 'deadlock in another order' 'dead-owner for what is kept'; do
	line=\$(grep -n "// \${bug#* }" "\$SRC/t/rust/runtimes/src/lib.rs" | cut -d: -f1)
	has "\"verdict\":\"\${bug%% *}\".*\"file\":\"runtimes/src/lib.rs\",\"line\":\$line}" found
done
EOF
done
done_testing
