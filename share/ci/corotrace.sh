#!/bin/sh
# corotrace.sh [-t SECONDS] [-o DIR] [--] COMMAND... - run a test suite under ct-record and leave reports for a CI system.
#
# In DIR (default corotrace): trace.jsonl, report.md, corotrace.sarif, corotrace-junit.xml. Where GITHUB_STEP_SUMMARY names a
# file, the report goes there, too. After SECONDS (default 600) the suite is interrupted, so that the trace of one that hangs
# has its end. COROTRACE_ALLOW names a file of places that may wait for ever; COROTRACE_FAIL_ON a grade (ct-lostwake(1)).
# Status: the suite's, if that failed; else ct-lostwake's: 1 where a coroutine lost its wakeup; 3, inconclusive, is let pass.
set -u
limit=600 dir=corotrace
usage() { echo 'usage: corotrace.sh [-t SECONDS] [-o DIR] [--] COMMAND...' >&2; exit 2; }
while getopts t:o: option; do
	case $option in
	t) limit=$OPTARG;;
	o) dir=$OPTARG;;
	*) usage;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
mkdir -p "$dir" || exit 2

timeout -s INT -k 30 "$limit" ct-record -o "$dir/trace.jsonl" "$@"
suite=$?
[ $suite -ne 124 ] || echo "corotrace.sh: interrupted after $limit seconds: $*" >&2
[ -s "$dir/trace.jsonl" ] || { echo 'corotrace.sh: nothing was recorded' >&2; exit $((suite ? suite : 2)); }

judge() { "$@" ${COROTRACE_ALLOW:+"--allow=$COROTRACE_ALLOW"} ${COROTRACE_FAIL_ON:+"--fail-on=$COROTRACE_FAIL_ON"} "$dir/trace.jsonl"; }
judge ct-report --quiet --format=markdown -o "$dir/report.md"
judge ct-report --quiet --format=sarif --root="$PWD" -o "$dir/corotrace.sarif"
judge ct-report --quiet --format=junit -o "$dir/corotrace-junit.xml"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$dir/report.md" >>"$GITHUB_STEP_SUMMARY"
judge ct-lostwake
found=$?
[ $suite -eq 0 ] || exit $suite
[ $found -ne 3 ] || exit 0
exit $found
