# rust.sh - sourced, behind lib.sh, by the tests of Rust programs: where the zoo's programs are, and how they are built.

[ -z "$SAN" ] || skip_all 'cargo builds without sanitizers'
command -v cargo >/dev/null || skip_all 'no cargo'
# One directory for all: tokio is built once a profile. Nothing is built a second time: what cargo keeps for that is wasted.
export CARGO_TARGET_DIR="$O/rust" CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0 RUST_BACKTRACE=0
for manifest in sdk/rust t/rust; do
	timeout 120 cargo fetch -q --locked --manifest-path "$SRC/$manifest/Cargo.toml" >/dev/null 2>&1 ||
		skip_all 'cargo cannot have tokio here'
done
cat >>"$scratch/.case-lib" <<'EOT'
zoo=$O/rust/debug
builds() { timeout 900 cargo build -q --locked --offline --manifest-path "$SRC/t/rust/Cargo.toml" "$@" >&2; }
EOT
