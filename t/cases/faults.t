#!/bin/sh
# Each allocation, file, socket, fork, write that a program asks for is refused once: it does not crash or hang, says what is
# wrong, and its status tells it. A sample of the calls; each of them with CHECK_ALL=1.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

[ -z "$SAN" ] || skip_all 'the sanitizers have allocators of their own'
export FAIL_SO="$scratch/fail.so"
${CC:-cc} -shared -fPIC -O1 -o "$FAIL_SO" "$SRC/t/fault/fail.c" -ldl 2>"$scratch/log" &&
	LD_PRELOAD=$FAIL_SO FAIL_PROG=ct-stuck FAIL_COUNT=$scratch/count ct-stuck --version >/dev/null &&
	[ -s "$scratch/count" ] || skip_all 'this libc does not let its calls be replaced'
export MAX=$([ -n "${CHECK_ALL:-}" ] && echo 100000 || echo 25)
ct-record -q -o "$scratch/zoo.jsonl" "$O/t/zoo/deadlock-mixed" >/dev/null 2>&1
ct-record -q --stacks -o "$scratch/stacks.jsonl" "$O/t/zoo/deadlock-mixed" >/dev/null 2>&1

test_case 'a program that looks at nothing is found out: a crash, a silent loss' <<'EOT'
cat >careless.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void) { char *p = malloc(9); p[0] = 'x'; p[1] = 0; puts(p); return 0; }
END
${CC:-cc} -O0 -w -o careless careless.c
: >in
status 1 sh "$SRC/t/fault/faults.sh" 100 "$SRC/t/fault/judge-filter.sh" ./careless >found
has 'malloc: its status says something else (status 139' found
has 'stdout: its output is another, and its status tells of no error' found
EOT

filter() {
	test_case "$*" <<EOT
cp ../zoo.jsonl in
# freopen() takes no stream of ours
case " $*" in *' -o '*) export FAIL_STDOUT=fd ;; esac
sh "$SRC/t/fault/faults.sh" $MAX "$SRC/t/fault/judge-filter.sh" "$O/$1" $(shift; echo "$*") >found || { cat found >&2; exit 1; }
has 'calls failed' found
EOT
}
filter ct-stuck
filter ct-stuck --json
filter ct-lostwake
filter ct-lostwake --json
filter ct-check
filter ct-bt --all
filter ct-fold
filter ct-lint
filter ct-sched
filter ct-tochrome
filter ct-toperfetto
filter ct-where "'.ev==\"suspend\"'"
filter ct-tocsv -o out.d
filter ct-tosql
filter ct-tosql -o t.db
filter ct-report
filter ct-html
filter ct-sym
filter ct-top
filter ct-plot states
filter ct-plot waits

# It writes to its descriptor.
test_case ct-fromgo <<EOT
"$O/t/fuzz/gotrace" --seeds .
for n in 22 26; do
	cp seed-\$n.trace in
	FAIL_STDOUT=fd sh "$SRC/t/fault/faults.sh" $MAX "$SRC/t/fault/judge-filter.sh" "$O/ct-fromgo" >found || { cat found >&2; exit 1; }
	has 'calls failed, status 0' found
done
EOT
if command -v gcore >/dev/null && ${CXX:-c++} -std=c++20 -O2 -g -o "$scratch/cc" "$SRC/t/targets/snap-cc.cc" 2>/dev/null; then
	# What elfutils makes of a failed call of its own is its business: with its tables half made it may even crash.
	test_case 'ct-snap, of a core' <<EOT
export FAIL_BUT='libdw libelf'
../cc 20 lazy >own &
pid=\$!
until grep -q '^ready' own; do sleep 0.05; done
gcore -o core \$pid >log 2>&1 || { kill \$pid; exit 0; }
kill \$pid
: >in
sh "$SRC/t/fault/faults.sh" $MAX "$SRC/t/fault/judge-snap.sh" "$O/ct-snap" core.\$pid >found || { cat found >&2; exit 1; }
has 'calls failed, status 0' found
EOT
else
	skip_case 'ct-snap, of a core' 'no gcore, or no compiler with coroutines'
fi

record() {
	test_case "ct-record $*" <<EOT
mkdir tmp; export TMPDIR=\$PWD/tmp LIMIT=30
: >in
sh "$SRC/t/fault/faults.sh" $MAX "$SRC/t/fault/judge-record.sh" "$O/ct-record" $* -o trace "$O/t/targets/rec-load" count hop 2 10 500 >found ||
	{ cat found >&2; exit 1; }
has 'calls failed' found
EOT
}
record
record --stacks
record --follow
done_testing
