# unprepared.sh - sourced, behind lib.sh, by the tests that look into Rust programs without a probe, with debug information.
#	build OPTION...		programs of t/rust: cargo's options; a release build's libraries are those of all other tests
#	build_debug OPTION...	not optimised, and tokio with debug information, too

. "$SRC/t/lib/cargo.sh"
export CARGO_PROFILE_RELEASE_DEBUG=2 CARGO_PROFILE_DEV_DEBUG=2
manifest=$SRC/t/rust/Cargo.toml
timeout 120 cargo fetch -q --locked --manifest-path "$manifest" >/dev/null 2>&1 || skip_all 'cargo cannot have tokio here'
build() {
	timeout 900 cargo build -q --locked --offline --manifest-path "$manifest" --features unprepared "$@" >&2 ||
		fail_all 'the programs build'
}
build_debug() { build --config 'profile.dev.package."*".debug=2' "$@"; }
