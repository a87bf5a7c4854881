#!/bin/sh
# memory.t - nobody reads or writes behind a block of memory, in one that was given back, or what was not set: each program says the same
# of a trace where such a thing ends it (t/fault/fence.c).
. "${0%/*}/../lib/lib.sh"

[ -z "$SAN" ] || skip_all 'a sanitizer looks at that'
export FENCE="$scratch/fence.so"
${CC:-cc} -shared -fPIC -O1 -o "$FENCE" "$SRC/t/fault/fence.c" 2>"$scratch/log" &&
	LD_PRELOAD=$FENCE ct-stuck --version >/dev/null || skip_all 'nothing can be preloaded here'

test_case 'the fence: who is careless dies, who is not does not' <<'EOF'
cat >careless.c <<'END'
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	int how = atoi(argv[argc - 1]);
	volatile char *p = malloc(5), *q;

	memset((char *)p, 0, 5);
	if (how == 1)
		p[5] = 1;
	if (how == 2)
		return p[5];
	q = realloc((char *)p, how == 3 ? 4000 : 9);
	if (how == 3)
		q[4000] = 1;
	if (how == 4)
		return p[0];
	free((char *)q);
	return how == 5 ? q[3] : 0;
}
END
${CC:-cc} -w -O0 -o careless careless.c
status 0 env LD_PRELOAD=$FENCE ./careless 0
for how in 1 2 3 4 5; do status 139 sh -c "LD_PRELOAD=$FENCE ./careless $how; exit" 2>err; done
EOF

cat >>"$scratch/.case-lib" <<'EOF'
fenced() {	# TRACE: what each program says of it, with and without
	for p in ct-stuck ct-lostwake 'ct-lostwake --json --grace=0' 'ct-bt --all' 'ct-bt --tree --json' ct-check 'ct-lint --long-poll=1us' ct-sched \
		ct-fold ct-sym 'ct-where --jq .ts' ct-tocsv 'ct-tocsv --per=coroutine' ct-tosql ct-toperfetto ct-tochrome ct-report ct-html ct-top \
		'ct-plot states'; do
		plain=0 fence=0
		$p "$1" >plain 2>&1 || plain=$?
		LD_PRELOAD=$FENCE timeout 100 $p "$1" >fence 2>&1 || fence=$?
		[ $plain -eq $fence ] && cmp plain fence >&2 || { echo "status $plain, behind the fence $fence: $p $1" >&2; return 1; }
	done
}
EOF
test_case 'traces of programs' <<'EOF'
for t in "$SRC"/t/fuzz/corpus/*.jsonl; do fenced "$t"; done
EOF
test_case 'traces made up line by line' <<'EOF'
for seed in 2 4; do "$O/t/fuzz/generate" $seed >in; fenced in; done
EOF
test_case 'what a driver of a probe writes' <<'EOF'
status 0 env LD_PRELOAD=$FENCE timeout 200 ct-check --probe -- "$O/t/targets/probe-driver" >out || { cat out >&2; exit 1; }
EOF
done_testing
