#!/bin/sh
# ahead.t - what is parsed ahead, where coroutines outgrow the caches, gives what reading line by line gives: a line that is not
# canonical is never parsed ahead, and the same trace with a blank in each is read so.
. "${0%/*}/../lib/lib.sh"

cat >>"$scratch/.case-lib" <<'EOF'
# Two runs, of three thousand coroutines and of six thousand, with bad and blank lines among theirs, and one cut off at the end.
trace() {
	{ "$O/t/bench/busy" 40000 3000 8 60; "$O/t/bench/gen" 30000 6000; } |
		awk 'NR % 501 == 0 { print "{\"ev\":\"wake\",garbage}" } NR % 777 == 0 { print "" } { print }
			END { printf "{\"probe_id\":1,\"tid\":4" }'
}
alike() {
	trace >ahead
	sed '/"ev":"meta"/!s/^{/{ /' ahead >plain	# a page keeps that one as it stood
	for how in ahead plain; do
		s=0; "$@" <$how >out-$how 2>err-$how || s=$?; echo "status $s" >>err-$how
	done
	has 'bad line' err-ahead
	[ -s out-ahead ]
	same err-plain err-ahead
	same out-plain out-ahead
}
EOF

for program in 'ct-lostwake --json --grace=0' 'ct-report --json --grace=0' ct-html ct-tochrome ct-toperfetto ct-tosql; do
	export program
	test_case "parsed ahead as line by line: $program" <<'EOF'
alike $program
EOF
done
done_testing
