#!/bin/sh
# What tools find that read or run the C code: nothing that was not judged (t/analyze/known), no bad access under valgrind.
: "${CASE_LIMIT:=3600}"
. "${0%/*}/../lib/lib.sh"

[ -z "$SAN" ] || skip_all 'another tool looks at this build'
if [ -z "${CHECK_ALL:-}" ]; then
	skip_case 'gcc -fanalyzer, cppcheck and clang --analyze find nothing new' 'CHECK_ALL=1 was not asked for (make analyze)'
else
	test_case 'gcc -fanalyzer, cppcheck and clang --analyze find nothing new' <<'EOT'
status 0 timeout 3500 sh "$SRC/t/analyze/analyze.sh" >out || { cat out >&2; exit 1; }
EOT
fi

# Valgrind 3.19 does not read the debug information that clang writes.
valgrind -q "$O/ct-lostwake" --version >/dev/null 2>&1 || { skip_case 'valgrind' 'none that reads this build'; done_testing; exit; }
ct-record -q -o "$scratch/zoo.jsonl" "$O/t/zoo/deadlock-mixed" >/dev/null 2>&1
filters=$([ -n "${CHECK_ALL:-}" ] && echo ct-lostwake ct-stuck ct-check ct-bt ct-fold ct-lint ct-sched ct-sym ct-tochrome \
	ct-toperfetto ct-tosql ct-html ct-report || echo ct-lostwake)
for filter in $filters; do
	export filter
	test_case "$filter: no bad access, no use of what was not set" <<'EOT'
got=0; timeout 300 valgrind -q --error-exitcode=99 --leak-check=no "$O/$filter" ../zoo.jsonl >out 2>err || got=$?
[ $got -ne 99 ] && [ $got -lt 124 ] && [ -s out ] || { cat err >&2; exit 1; }
EOT
done
done_testing
