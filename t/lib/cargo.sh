# cargo.sh - sourced, behind lib.sh, by the tests of Rust programs: what cargo is told for all of them.

[ -z "$SAN" ] || skip_all 'cargo builds without sanitizers'
command -v cargo >/dev/null || skip_all 'no cargo'
# One directory for all: tokio is built once a profile. Nothing is built a second time: what cargo keeps for that is wasted.
export CARGO_TARGET_DIR="$O/rust" CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0 RUST_BACKTRACE=0
[ -z "${CHECK_ALL:-}" ] || export CARGO_PROFILE_RELEASE_LTO=false	# as where nothing is said of it
