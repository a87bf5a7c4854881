#!/bin/sh
# The model and the judge on traces made at random, of few coroutines and objects so that events meet: see t/fuzz/judge.c.
. "${0%/*}/../lib/lib.sh"

test_case 'the model and the judge: what must not change a verdict does not' <<'EOF'
status 0 timeout 300 "$O/t/fuzz/judge" $([ -n "$SAN" ] && echo 1500 || echo 4000) >out 2>err || { grep -v '^ok' out; cat err; exit 1; } >&2
EOF
if [ -z "$SAN" ]; then
	test_case 'the verdicts on 4000 of these traces are those that were looked at last' <<'EOF'
"$O/t/fuzz/judge" 4000 | sed -n 's/^# //p' >got
same "$SRC/t/fuzz/judge.expected" got || {
	echo 'Where a rule was changed on purpose, these become t/fuzz/judge.expected; judge --story 1 ROUND prints one of the traces.' >&2
	false
}
EOF
else
	skip_case 'the verdicts on 4000 of these traces are those that were looked at last' 'the sanitizers are on, and 4000 take long'
fi
done_testing
