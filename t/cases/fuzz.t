#!/bin/sh
# fuzz.t - every program on traces that nobody recorded, and ct-where's expressions: the same ones at each run. `make fuzz` goes on.
. "${0%/*}/../lib/lib.sh"
for first in 1 1001; do
	export first
	test_case "traces and expressions of the seeds from $first on" <<'EOF'
sh "$SRC/t/fuzz/run.sh" $first $([ -n "$SAN" ] && echo 6 || echo 20) 2>err || { cat err >&2; false; }
EOF
done
done_testing
