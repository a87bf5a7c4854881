#!/bin/sh
# What programs of tokio write, by one line of use: it compiles, does what it does with tokio, and is healthy.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/rust.sh"

test_case 'each pattern compiles, without a warning' <<'EOF'
builds 2>said || { cat said; exit 1; }
same /dev/null said
EOF
[ -x "$O/rust/debug/rust-patterns" ] || { done_testing; exit; }

test_case 'each runs to its end, recorded and not' <<'EOF'
sed -n '/^each! {/,/^}/{ s/;//; s/^ *[a-z]*: //p; }' "$SRC/t/rust/patterns/src/main.rs" | tr ' ' '\n' >expected
sed -n 's/.*("\([a-z_]*\)", \1).*/&/p' "$SRC/t/rust/patterns/src/runtimes.rs" | grep -o '"[a-z_]*"' | tr -d '"' >>expected
[ $(wc -l <expected) -ge 48 ]
status 0 $zoo/rust-patterns >ran
same expected ran
status 0 trace --target-stdout=ran $zoo/rust-patterns
same expected ran
EOF

test_case 'who waits through a wrapper of a library waits on what it was made of, and nothing is found' <<'EOF'
trace --target-stdout=ran $zoo/rust-patterns
status 0 ct-check trace >&2
status 0 ct-lostwake trace >&2
for on in chan:0x timer:[1-9] fd:[1-9] sem:0x room:0x join:[1-9]; do has "\"ev\":\"suspend\".*\"on\":\"$on" trace; done
EOF
done_testing
