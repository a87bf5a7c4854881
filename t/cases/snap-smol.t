#!/bin/sh
# ct-snap: the tasks of smol and of async-std, each with the line of its innermost .await, and who has no waker.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/snap.sh"

[ -n "${CHECK_ALL:-}" ] || skip_all 'CHECK_ALL is not set: two executors are built'
. "$SRC/t/lib/cargo.sh"
export CARGO_TARGET_DIR="$O/rust-smol" CARGO_PROFILE_RELEASE_DEBUG=2
mkdir "$scratch/smol" "$scratch/smol/src"
cp "$SRC/t/targets/snap-smol.rs" "$scratch/smol/src/main.rs"
cat >"$scratch/smol/Cargo.toml" <<'EOF'
[package]
name = "snap-smol"
version = "0.0.0"
edition = "2021"
[dependencies]
smol = "2"
async-std = "1.13"
[workspace]
EOF
timeout 300 cargo fetch -q --manifest-path "$scratch/smol/Cargo.toml" >&2 || skip_all 'cargo cannot have them here'
(cd "$scratch/smol" && timeout 900 cargo build -q --release) >&2 || fail_all 'the program builds'

cat >>"$scratch/.case-lib" <<'EOT'
tasks() {
	jq -rn '
	[inputs] as $all |
	([$all[] | select(.ev == "site") | { key: "\(.site)", value: . }] | from_entries) as $site |
	$all[] | select(.ev == "state") | $site["\(.site)"] as $at | select($at.file // "" | endswith("src/main.rs")) |
	"\($at.line) \(if .on then .on | sub(":.*"; "") else "-" end) \(if .wakers == 0 then "lost" else "-" end)"' "$1"
}
meant() {
	sed '$d' own | awk '
	BEGIN { on["timer"] = on["sleep"] = "timer"; on["join"] = on["handle"] = "join" }
	{ print $2, $1 in on ? on[$1] : "-", $1 == "forgets" ? "lost" : "-" }'
}
EOT
for how in '' async-std; do
	test_case "${how:-smol}: line, timers, who is joined, who has no waker; live and from a core" <<EOT
start "$O/rust-smol/release/snap-smol" $how
status 0 ct-snap -p \$pid >trace 2>err
command -v gcore >/dev/null && gcore -o core \$pid >log 2>&1 || :
core=core.\$pid
stop
meant | sort >expected
tasks trace | sort >actual
same expected actual
joined=\$(sed -n 's/.*"on":"join:\([0-9]*\)".*/\1/p' trace)
[ "\$joined" ]
has "^{\"probe_id\":\$joined,.*\"on\":\"timer:" trace
status 0 ct-check --strict trace >check
status 1 ct-lostwake --json trace >findings
[ "\$(sed 's/.*"verdict":"\([^"]*\)","certainty":"\([^"]*\)".*/\1 \2/' findings)" = 'lost-waker proven' ]
if [ -e "\$core" ]; then
	status 0 ct-snap \$core >again 2>err
	tasks again | sort >actual
	same expected actual
fi
EOT
done
done_testing
