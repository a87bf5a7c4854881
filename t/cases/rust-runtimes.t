#!/bin/sh
# smol, async-std, monoio and embassy: `.traced()` at the root of each task finds what is stuck, and nothing where nothing is.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/rust.sh"

test_case 'the programs build' <<'EOF'
builds
EOF
[ -x "$O/rust/debug/embassy" ] || { done_testing; exit; }

for runtime in smol async-std monoio embassy; do
	test_case "$runtime: healthy" <<EOF
trace \$zoo/$runtime
status 0 ct-check trace >&2
status 0 ct-lostwake trace >&2
[ \$(grep -c '"ev":"create"' trace) -ge 4 ]
EOF
	# What nobody can wake monoio drops: it is shown to be cancelled.
	lost=yes && [ $runtime != monoio ] || lost=
	test_case "$runtime: two tasks that lock in two orders, a future that forgets its waker, a lock that nobody gives back" <<EOF
trace \$zoo/$runtime bug
status 0 ct-check trace >&2
status 1 ct-lostwake --json trace >found
sed -n 's/.*"verdict":"\([^"]*\)","certainty":"\([^"]*\)".*/\1 \2/p' found | sort >got
{ echo dead-owner proven; echo deadlock proven; [ '$lost' = '' ] || echo lost-waker proven; } >expected
same expected got
[ -n '$lost' ] || has '"ev":"destroy".*"done":false' trace
for bug in 'deadlock in another order' 'dead-owner for what is kept'; do
	line=\$(grep -n "// \${bug#* }" "\$SRC/t/rust/runtimes/src/lib.rs" | cut -d: -f1)
	has "\"verdict\":\"\${bug%% *}\".*\"file\":\"runtimes/src/lib.rs\",\"line\":\$line}" found
done
EOF
done
done_testing
