#!/bin/sh
# Those who wait for any or all of several things, wherever users look: each thing is there, with its site.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
export PYTHONDONTWRITEBYTECODE=1

cat >>"$scratch/.case-lib" <<'EOT'
# 7 waits for either of two, 8 for both; 9 did, was woken and waits to run; 10 waits for more than a line has room for.
waits() {
	begin
	for id in 7 8 9; do create $id $id; resume $id $((id + 10)) 11; done
	several any_of 7 100 chan:0x7f0000000010 'timer:3000000000000'
	several all_of 8 110 fd:5 join:7
	several any_of 9 120 fd:6 'user:a, b'; wake 9 200 12 fd:6
	end 1000000
}
EOT

test_case 'ct-stuck, ct-bt and ct-report: in a group their kind, of one all of them' <<'EOT'
waits
status 1 ct-stuck trace >out
has '^1 suspended at f1() f.c:10 on any of several, oldest 1.00s$' out
has '^1 suspended at f1() f.c:10 on all of several, oldest 1.00s$' out
has '^  7 on any of chan:0x00007f0000000010, timer:3000000000000 for ' out
has '^  9 on any of fd:6, user:a, b for ' out
status 1 ct-stuck --json trace >out
has '"probe_id":8,"on":"all of fd:5, join:7","legs":\[{"on":"fd:5","site":{"func":"f2","file":"f.c","line":20}},{"on":"join:7","site":{"func":"f2","file":"f.c","line":20}}\],"site"' out
ct-bt --all trace >out
has '^#0 7 suspended at f1() f.c:10 on any of chan:0x00007f0000000010, timer:3000000000000 for ' out
has '^    timer:3000000000000 at f2() f.c:20$' out
ct-bt --all --json trace >out
has '"probe_id":7,.*"on":"any of chan:0x00007f0000000010, timer:3000000000000","legs":\[{"on":"chan:0x00007f0000000010","site":' out
ct-bt --all --tree trace >out
has 'on all of fd:5, join:7' out
ct-report trace >out || :
has 'any of several' out
EOT

test_case 'ct-tosql and ct-tocsv: as text, and each as a row of events; so is what was dequeued or put off' <<'EOT'
waits
sed -i '/"ev":"end"/d' trace
line dequeue 300 '"probe_id":9,"tid":11,"site":3'; line deadline 310 '"probe_id":7,"tid":11,"on":"timer:5","site":3'; end 1000000
ct-tosql --db=t.db trace
sqlite3 t.db 'SELECT probe_id, on_ FROM stuck ORDER BY 1; SELECT ev, probe_id, n, on_, site, any_of, all_of FROM events
	WHERE ev IN ("leg", "dequeue", "deadline") OR any_of OR all_of ORDER BY line' >got
cat >want <<'END'
7|any of chan:0x00007f0000000010, timer:5
8|all of fd:5, join:7
9|any of fd:6, user:a, b
leg|7|3|chan:0x00007f0000000010|2||
leg|7|3|timer:3000000000000|2||
suspend|7|3||1|2|
leg|8|3|fd:5|2||
leg|8|3|join:7|2||
suspend|8|3||1||2
leg|9|3|fd:6|2||
leg|9|3|user:a, b|2||
suspend|9|3||1|2|
dequeue|9|||3||
deadline|7||timer:5|3||
END
same want got
ct-tocsv --per=event --columns=ev,probe_id,n,on,any_of,all_of trace | tr -d '\r' >got
has '^leg,7,3,timer:3000000000000,,$' got
has '^suspend,8,3,,,2$' got
ct-tocsv --per=coroutine --columns=probe_id,on trace | tr -d '\r' >got
has '^9,"any of fd:6, user:a, b"$' got
ct-tocsv --per=interval --columns=probe_id,state,on trace | tr -d '\r' >got
has '^8,suspended,"all of fd:5, join:7"$' got
EOT

test_case "ct-html: the page's data has each with its site; its kinds are named and coloured as the library numbers them" <<'EOT'
waits
ct-html trace >page
python3 "$SRC/t/lib/html-unpack.py" page >got
has '^  any of 2: \[\["chan:0x00007f0000000010", [1-9]\], \["timer:3000000000000", [1-9]\]\]$' got
has '^  all of 2: \[\["fd:5", [1-9]\], \["join:7", [1-9]\]\]$' got
cat >kinds.c <<'END'
#include <stdio.h>
#include "cttrace.h"
int main(void)
{
	struct ctt_legs any = { .all = false }, all = { .all = true };
	struct ctt_coro several[] = { { .legs = &any }, { .legs = &all } };

	for (int k = CTT_ON_CORO; k <= CTT_ON_OTHER; k++)
		printf("%d %s\n", k, ctt_on_name((enum ctt_on_kind)k));
	for (int i = 0; i < 2; i++)
		printf("%u %s\n", ctt_wait_kind(&several[i]), ctt_wait_name(&several[i]));
	return 0;
}
END
${CC:-cc} ${SAN:+-fsanitize=address,undefined} -I"$SRC/sdk/trace" -o kinds kinds.c "$O/parts.a"
./kinds >want
sed -n "/^const ON = \[/,/^\]/s/^	'\(.*\)',/\1/p" "$SRC/share/html/trace.js" | awk 'NR > 1 { print NR - 1, $0 }' >got
same want got
sed -n "s/^	'on-\(.*\)',/\1/p" "$SRC/share/html/colors.js" | awk 'NR > 1 { print NR - 1, $0 }' >got
sed 's/ of several//' want >colors; same colors got
while read -r n name; do
	[ $(grep -c -- "--on-$name: " "$SRC/share/html/page.css") -eq 2 ] && has "^\.f-on-$name " "$SRC/share/html/page.css"
done <colors
EOT

test_case 'ct-fold, ct-tochrome and ct-lostwake say it as well; what does not fit in is counted' <<'EOT'
waits
ct-fold trace >out
has '^f1;any_of_several ' out
ct-tochrome trace >out
has '"suspended at f1() f.c:10 on all of several"' out
has '"all of fd:5, join:7"' out
begin; create 7 10; resume 7 20 11; several any_of 7 100 $(seq -f 'chan:%.0f' 1000 1999)
for i in $(seq 1000 1999); do line close 200 "\"tid\":12,\"on\":\"chan:$i\""; done; end 1000000
status 1 ct-lostwake trace >out
has '^  coroutine 7 waits on any of chan:.*, [1-9][0-9]* more for 1.00s; closed at ' out
EOT
done_testing
