#!/bin/sh
# fuzz.t - every program on traces that nobody recorded, ct-where's expressions, ct-sym's files, ct-snap's cores, processes for ct-uprobe, ct-top's keys: the same
# ones at each run. `make fuzz` goes on.
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
if command -v gcore >/dev/null && command -v python3 >/dev/null; then
	test_case 'ct-snap: cores whose structure and memory are broken, and broken executables' <<'EOF'
got=0; CXX=${CXX:-c++} timeout 1000 sh "$SRC/t/fuzz/core.sh" 1 $([ -n "$SAN" ] && echo 6 || echo 12) 2>err || got=$?
[ $got -ne 77 ] || { echo 'no core can be had here'; exit 0; }
[ $got -eq 0 ] || { cat err >&2; false; }
EOF
else
	skip_case 'ct-snap: cores whose structure and memory are broken' 'gcore and python3 are needed'
fi
if command -v python3 >/dev/null && [ -x "$O/ct-uprobe" ]; then
	test_case 'ct-uprobe: processes whose executables are broken, in bounded memory' <<'EOF'
got=0; sleep 60 & ct-uprobe -p $! >out 2>err || got=$?
kill $!
grep -q 'no C++20 coroutines and no tokio' err || { echo 'it may not trace here'; exit 0; }
LIMIT=$([ -n "$SAN" ] && echo unlimited || echo 1000000) CXX=${CXX:-c++} timeout 1000 sh "$SRC/t/fuzz/uprobe.sh" 1 $([ -n "${CHECK_ALL:-}" ] && echo 40 || echo 4) 2>err ||
	{ cat err >&2; false; }
EOF
else
	skip_case 'ct-uprobe: processes whose executables are broken, in bounded memory' 'python3 and ct-uprobe are needed'
fi
if command -v python3 >/dev/null && [ -x "$O/ct-top" ]; then
	test_case 'ct-top: keys, escape sequences and sizes of the terminal that nobody meant' <<'EOF'
status 0 timeout 1000 python3 "$SRC/t/fuzz/keys.py" "$O/ct-top" 1 $([ -n "${CHECK_ALL:-}" ] && echo 40 || echo 6) "$SRC"/t/fuzz/corpus/*.jsonl
EOF
else
	skip_case 'ct-top: keys, escape sequences and sizes of the terminal that nobody meant' 'python3 and ct-top are needed'
fi
done_testing
