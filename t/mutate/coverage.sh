#!/bin/sh
# coverage.sh [t/cases/one.t ...] - which share of the C code's lines do the tests run? Built apart, under build/coverage. What a
# signal killed, or what ended by _exit(), wrote no counts, so the recorder and the probes are run by more than is shown. Left out is
# install.t, which builds in the same directory without these flags what is older than its source: then nothing is there for the others.
cd "$(dirname "$0")/../.." || exit 2
O=$PWD/build/coverage
make -s -j2 O="$O" CFLAGS='-O0 -w --coverage' CXXFLAGS='-O0 -w' LDFLAGS=--coverage all test-programs || exit 2
find "$O" -name '*.gcda' -delete
[ $# -gt 0 ] || set -- $(ls t/cases/*.t | grep -v /install.t)
O=$O sh t/check.sh "$@" >"$O/tests.log" 2>&1 || echo "coverage: some tests failed: $O/tests.log"
cd "$O" || exit 2
find record sdk filters report -name '*.gcda' | while read -r f; do gcov -n -o "${f%/*}" "$f" 2>/dev/null; done |
	awk -F"'" '/^File/ { file = $2 }
	/^Lines executed/ && file ~ /^(record|sdk|filters|report)\// && file ~ /\.c$/ {
		split($0, part, /[:% ]+/)
		n = part[5]; hit = n * part[3] / 100
		match(file, /^(sdk\/[^\/]*|[^\/]*)/)
		folder = substr(file, RSTART, RLENGTH)
		lines[folder] += n; run[folder] += hit; file = ""
	}
	END { for (f in lines) { printf "%-12s %5.1f %% of %d lines\n", f, 100 * run[f] / lines[f], lines[f]; a += lines[f]; b += run[f] }
		printf "%-12s %5.1f %% of %d lines\n", "all", a ? 100 * b / a : 0, a }' | sort
