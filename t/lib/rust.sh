# rust.sh - sourced, behind lib.sh, by the tests of Rust programs: where they are, and how they are built.

. "$SRC/t/lib/cargo.sh"
# A machine that has thirty other things to do compiles tokio for an hour: only what hangs is to be ended.
CASE_LIMIT=$((CASE_LIMIT * 6))
fetched() { timeout "$CASE_LIMIT" cargo fetch -q --locked --manifest-path "$SRC/$1/Cargo.toml" >/dev/null 2>&1; }
for manifest in sdk/rust t/rust; do
	fetched $manifest || skip_all 'cargo cannot have tokio and the other runtimes here'
done
cat >>"$scratch/.case-lib" <<'EOT'
zoo=$O/rust/debug
with_cargo() { cargo "$@" -q --locked --offline --manifest-path "$SRC/t/rust/Cargo.toml" >&2; }
# For debugging all at once, whichever test comes first: of some alone the libraries would be others. The programs that are one
# (src/bin/zoo) have a name each.
builds() {
	[ "${CHECK_ALL:-}" ] && without= || without='--exclude rust-runtimes'
	with_cargo build --workspace $without --bins --examples
	for program in $(names); do [ -L $zoo/$program ] || ln -s zoo $zoo/$program 2>/dev/null || [ -L $zoo/$program ]; done
}
names() { (cd "$SRC/t/rust/src/bin/zoo" && grep -l 'expect:' *.rs | sed 's/\.rs$//'); }
builds_release() { with_cargo build --package rust-zoo --release "$@"; }
EOT
