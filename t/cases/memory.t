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
# A buffer that is too short by it ends in the midst of another page.
test_case 'one text 300 kB long, in a timeline' <<'EOF'
t() { printf '"tid":11,"ts":%s' $1; }
c='"probe_id":7,"tid":11,"addr":"0x0","seq":2'
{ echo '{"ev":"meta","ts":1,"format":"corotrace","version":2}'
echo '{"ev":"site","site":1,"func":"@f@","file":"@g@","line":1}'
echo '{"ev":"process","ts":2,"pid":1,"path":"@p@"}'
echo '{"ev":"thread","ts":3,"tid":11,"pid":1,"name":"@n@","role":"worker"}'
echo '{"ev":"create","n":1,"ts":4,"is_active":false,'$c',"site":1}'
echo '{"ev":"name","ts":5,"probe_id":7,"name":"@c@"}'
echo '{"ev":"resume","n":2,"ts":6,"is_active":true,'$c'}'
for ev in open close notify acquire release; do echo '{"ev":"'$ev'",'$(t 7)',"by":7,"site":1,"on":"user:@o@","woken":0}'; done
echo '{"ev":"level",'$(t 8)',"by":7,"site":1,"on":"user:@l@","value":1}'
echo '{"ev":"suspend","n":3,"ts":9,"is_active":false,'$c',"site":1,"reason":"@r@","on":"user:@s@"}'
echo '{"ev":"wake",'$(t 10)',"probe_id":7,"addr":"0x0","seq":0,"is_active":false,"site":1,"by":7,"on":"user:@w@"}'
echo '{"ev":"resume","n":4,"ts":11,"is_active":true,'$c'}'
echo '{"ev":"end","ts":12,"events":5,"lost":0}'; } >in
for which in f g p n c o l r s w; do
	awk -v m="@$which@" 'BEGIN { t = "\\n\\\"a"; for (i = 0; i < 16; i++) t = t t }
		{ while (at = index($0, m)) $0 = substr($0, 1, at - 1) t substr($0, at + 3); gsub("@", ""); print }' in >long
	for p in ct-tochrome ct-toperfetto; do
		status 0 $p long >plain
		status 0 env LD_PRELOAD=$FENCE timeout 100 $p long >fence; cmp plain fence >&2
	done
done
EOF
test_case 'what a driver of a probe writes' <<'EOF'
status 0 env LD_PRELOAD=$FENCE timeout 200 ct-check --probe -- "$O/t/targets/probe-driver" >out || { cat out >&2; exit 1; }
EOF
done_testing
