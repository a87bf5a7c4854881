#!/bin/sh
# fuzz.t - every program on traces that nobody recorded, ct-where's expressions, ct-sym's files: the same ones at each run. `make fuzz`
# goes on.
. "${0%/*}/../lib/lib.sh"
for first in 1 1001; do
	export first
	test_case "traces and expressions of the seeds from $first on" <<'EOF'
sh "$SRC/t/fuzz/run.sh" $first $([ -n "$SAN" ] && echo 6 || echo 20) 2>err || { cat err >&2; false; }
EOF
done
if [ "$(uname -m)" = x86_64 ] && command -v python3 >/dev/null; then
	test_case 'ct-sym: files with code whose structure is broken' <<'EOF'
sh "$SRC/t/fuzz/elf.sh" 1 $([ -n "$SAN" ] && echo 15 || echo 40) 2>err || { cat err >&2; false; }
EOF
else
	skip_case 'ct-sym: files with code whose structure is broken' 'x86-64 and python3 are needed'
fi
done_testing
