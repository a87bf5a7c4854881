#!/bin/sh
# The model and the judge on traces made at random, of few coroutines and objects so that events meet, and of programs that could be: see
# t/fuzz/judge.c and world.h.
. "${0%/*}/../lib/lib.sh"

test_case 'the model and the judge: what must not change a verdict does not' <<'EOF'
status 0 timeout 300 "$O/t/fuzz/judge" $([ -n "$SAN" ] && echo 1000 || echo 2000) >out 2>err || { cat err; grep -v '^ok' out; exit 1; } >&2
EOF
if [ -z "$SAN" ]; then
	test_case 'the verdicts on 8000 of these traces are those that were looked at last' <<'EOF'
"$O/t/fuzz/judge" -d 4000 | sed -n 's/^# //p' >got
same "$SRC/t/fuzz/judge.expected" got || {
	echo 'Where a rule was changed on purpose, these become t/fuzz/judge.expected; judge --random or --world ROUND prints one of the traces.' >&2
	false
}
EOF
else
	skip_case 'the verdicts on 8000 of these traces are those that were looked at last' 'the sanitizers are on, and 4000 take long'
fi
done_testing
