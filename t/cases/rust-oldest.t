#!/bin/sh
# The oldest compiler and the oldest tokio that the Rust crate declares.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/rust.sh"
fetched t/rust-oldest || skip_all 'cargo cannot have an old tokio here'
rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$SRC/sdk/rust/Cargo.toml")
tokio=$(sed -n 's/^tokio = .* version = "\([0-9.]*\)".*/\1/p' "$SRC/sdk/rust/Cargo.toml")
cargo "+$rust" --version >/dev/null 2>&1 && with="+$rust" || with=
export CARGO_TARGET_DIR="$O/rust/oldest" with tokio

test_case 'the program has that tokio' <<'EOF'
[ "$tokio" ]
has "^version = \"$tokio\.0\"" "$SRC/t/rust-oldest/Cargo.lock"
EOF
[ "$with" ] || skip_case 'and builds with that compiler' "no Rust $rust: with the one that is here"
# What is checked compiles: the machine's code of one more tokio is for those who have the time.
if [ -z "${CHECK_ALL:-}" ]; then
	test_case 'it compiles' <<'EOF'
cargo $with check -q --locked --offline --manifest-path "$SRC/t/rust-oldest/Cargo.toml" >&2
EOF
	skip_case 'its workers and its deadlock are there' 'CHECK_ALL=1 was not asked for'
	done_testing
	exit
fi
test_case 'it builds, and its workers and its deadlock are there' <<'EOF'
cargo $with build -q --locked --offline --manifest-path "$SRC/t/rust-oldest/Cargo.toml" >&2
trace $O/rust/oldest/debug/rust-oldest
status 0 ct-check trace >&2
status 1 ct-lostwake --json trace >found
[ $(grep -c '"verdict":"deadlock","certainty":"proven"' found) -eq 1 ]
for worker in 0 1; do has "\"name\":\"tokio-[a-z-]*worker $worker\",\"role\":\"worker\"" trace; done
has '"ev":"park"' trace
[ $(grep -c '"ev":"suspend".*"on":"mutex:0x' trace) -eq 2 ]
# who waits for a task names it, though tokio does not
joined=$(grep -o '"on":"join:[0-9]*' trace | tail -n 1 | tr -dc 0-9)
line=$(grep -n 'let one = tokio::spawn' "$SRC/t/rust-oldest/src/main.rs" | cut -d: -f1)
site=$(sed -n "s/.*\"ev\":\"site\",\"site\":\([0-9]*\),.*\"line\":$line}.*/\1/p" trace)
has "\"probe_id\":$joined,.*\"ev\":\"create\".*\"site\":$site[,}]" trace
EOF
done_testing
