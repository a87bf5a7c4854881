#!/bin/sh
# ct-uprobe: what it says of coroutines that go ways which a tracer may misread: as many resumes as the program counts, each in
# its place, in a trace that is whole.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/uprobe.sh"

compilers=
for cxx in g++ clang++; do
	command -v $cxx >/dev/null &&
		$cxx -std=c++20 -O2 -g -pthread -o "$scratch/truth-$cxx" "$SRC/t/targets/uprobe-truth.cc" 2>/dev/null && compilers="$compilers $cxx"
done
[ "$compilers" ] || skip_all 'no compiler with coroutines'

for cxx in $compilers; do
	for how in elsewhere:1 chain:200 longjmp:2 later:20 reuse:300 fork:2; do
		test_case "$cxx: ${how%:*}: ${how#*:} coroutines, and each time that one runs" <<EOF
status 0 ct-uprobe --target-stdout=own -o trace -- ../truth-$cxx ${how%:*}
status 0 ct-check --strict trace >check
has ' ${how#*:} coroutines* ' check
[ "\$(grep -c '"ev":"resume"' trace)" -eq "\$(sed -n 's/^ran //p' own)" ]
case ${how%:*} in
later) [ "\$(grep -c '"role":"worker"' trace)" -eq 20 ] ;;
fork) has '^child 33' own; [ "\$(grep '"ev":"process"' trace | wc -l)" -eq 1 ] ;;
# It is not there any more, but nobody destroyed it: it does not run.
longjmp)
	jq -rn '[inputs | select(.probe_id)] | group_by(.probe_id)[] | last | "\(.ev) \(.is_active)"' trace | sort >lasts
	printf 'destroy false\nsuspend false\n' | same - lasts ;;
elsewhere | chain) jq -rn '[inputs | select(.is_active)] | group_by(.tid) | length' trace >threads
	[ ${how%:*} = chain ] || [ "\$(cat threads)" -gt 1 ] ;;
esac
EOF
	done
	test_case "$cxx: another program is executed: the trace ends there, whole, and that one's exit status is the program's" <<EOF
status 0 ct-uprobe --target-stdout=own -o trace -- ../truth-$cxx exec 2>err
has 'executes another program now' err
status 0 ct-check --strict trace >check
[ "\$(grep -c '"ev":"resume"' trace)" -eq "\$(sed -n 's/^ran //p' own | head -1)" ]
[ "\$(sed -n 's/^ran //p' own | tail -1)" -eq 220 ]
has '"ev":"exit"' trace
EOF
done
done_testing
