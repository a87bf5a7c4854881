#!/bin/sh
# ct-tosql: the text and --db load the same rows, exactly; names from a trace never become SQL; a failing load leaves nothing.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"

cat >"$scratch/trace" <<'EOF'
{"ev":"meta","ts":1000,"format":"corotrace","version":2,"tool":"ct-record 0.1.0","command":["./app"]}
{"ev":"thread","ts":1000,"tid":1,"pid":1,"name":"worker 1","role":"worker"}
{"ev":"site","site":3,"func":"serve","file":"serve.cc","line":42}
{"ev":"site","site":4,"func":"reactor","file":"loop.cc","line":9}
{"probe_id":7,"tid":1,"addr":"0x00007f3a10000b70","seq":2,"is_active":false,"ts":2000,"ev":"create","n":1,"site":3}
{"ev":"name","ts":2001,"tid":1,"probe_id":7,"name":"conn"}
{"probe_id":7,"tid":1,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":2100,"ev":"resume","n":2}
{"probe_id":8,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":2150,"ev":"create","n":1,"site":3,"parent":7}
{"probe_id":7,"tid":1,"addr":"0x00007f3a10000b70","seq":6,"is_active":false,"ts":2200,"ev":"suspend","n":3,"site":3,"on":"fd:42"}
{"ev":"park","ts":2250,"tid":1,"depth":0}
{"ev":"close","ts":3000,"tid":2,"by":17,"on":"fd:42","site":4}
{"probe_id":8,"tid":2,"addr":"0x0000000000000010","seq":0,"is_active":false,"ts":3050,"ev":"wake","by":7}
{"ev":"lost","ts":3100,"tid":1,"count":12,"from":2900,"to":3000}
{"probe_id":9,"tid":1,"addr":"0x0000000000000020","seq":2,"is_active":false,"ts":4000,"ev":"create","n":1,"site":3,"parent":7}
{"probe_id":9,"tid":1,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":4100,"ev":"resume","n":2}
{"probe_id":9,"tid":1,"addr":"0x0000000000000020","seq":6,"is_active":false,"ts":4200,"ev":"suspend","n":3,"site":4,"on":"coro:7"}
{"probe_id":10,"tid":1,"addr":"0x0000000000000020","seq":2,"is_active":false,"ts":4300,"ev":"create","n":1,"site":3}
{"probe_id":10,"tid":1,"addr":"0x0000000000000020","seq":4,"is_active":false,"ts":4400,"ev":"destroy","n":2,"done":false}
{"ev":"park","ts":899999000,"tid":1,"depth":0}
{"ev":"exit","ts":900000000,"pid":1,"status":0}
{"ev":"end","ts":900000000,"events":13,"lost":12}
EOF
cat >>"$scratch/.case-lib" <<'EOF'
# Text and --db side by side: t.db from the text, d.db by --db; their dumps must be equal.
# In no order: the text has the rows of the same columns together.
dump() { sqlite3 "$1" .dump | LC_ALL=C sort; }
load() {
	ct-tosql <"$1" >text 2>err
	sqlite3 t.db <text
	ct-tosql --db=d.db <"$1" 2>err
	dump t.db >t.dump
	dump d.db >d.dump
	same t.dump d.dump
}
EOF

test_case 'text and --db give the same tables and rows, the rows that the trace tells' <<'EOT'
load ../trace
sqlite3 d.db 'SELECT * FROM events ORDER BY line LIMIT 7' >got
cat >want <<'EOF'
0|5|2000|create|7|1|0x00007f3a10000b70|2|0|1|3|||||||||||
0|6|2001|name|7|1|||||||||||conn|||||
0|7|2100|resume|7|1|0x0000000000000000|4|1|2||||||||||||
0|8|2150|create|8|1|0x0000000000000010|2|0|1|3|7||||||||||
0|9|2200|suspend|7|1|0x00007f3a10000b70|6|0|3|3|||fd:42||||||||
0|10|2250|park||1|||||||||||0||||||
0|11|3000|close||2|||||4||17|fd:42||||||||
EOF
sed -i 's/|park||1|||||||||||0||||/|park||1||||||||||0||||/' want
same want got
sqlite3 d.db 'SELECT probe_id, name, parent, state, since, created, ended, done, site, on_, n, wake_ts, wake_by FROM coroutines
	ORDER BY 1' >got
cat >want <<'EOF'
7|conn||suspended|2200|2000|||3|fd:42|3||
8||7|runnable|3050|2150|||3||1|3050|7
9||7|suspended|4200|4000|||4|coro:7|3||
10|||ended|4400|4300|4400|0|3||2||
EOF
same want got
sqlite3 d.db 'SELECT * FROM runs; SELECT * FROM sites; SELECT * FROM lost' >got
cat >want <<'EOF'
0|2|ct-record 0.1.0|1000|900000000|21|0|14|12|1|0||events were lost
0|3|serve|serve.cc|42|serve serve.cc:42
0|4|reactor|loop.cc|9|reactor loop.cc:9
0|13|3100|1||12|2900|3000
EOF
same want got
sqlite3 d.db 'SELECT tid, name, role, parked FROM threads ORDER BY 1' >got
has '^1|worker 1|worker|' got
EOT

test_case 'the views say who is stuck, whose resource was closed, who waits behind whom' <<'EOT'
load ../trace
sqlite3 t.db 'SELECT probe_id, state, age_ns, where_ FROM stuck' >got
cat >want <<'EOF'
7|suspended|899997800|serve serve.cc:42
8|runnable|899996950|serve serve.cc:42
9|suspended|899995800|reactor loop.cc:9
EOF
same want got
sqlite3 t.db 'SELECT probe_id, verdict, certainty, on_, age_ns, where_, cause_ts, cause_tid, cause_by, cause_line, cause_where
	FROM lost_wakeup' >got
cat >want <<'EOF'
8|dropped-wake|unknown||899996950|serve serve.cc:42|3050|2|7|12|
EOF
same want got
sqlite3 t.db 'SELECT root, probe_id, depth, tree FROM await_tree' >got
cat >want <<'EOF'
7|7|0|conn
7|9|1|  coroutine 9
8|8|0|coroutine 8
EOF
same want got
sqlite3 t.db 'SELECT where_, suspends, left_again, pending FROM site_stats; SELECT count(*) FROM timeline' >got
cat >want <<'EOF'
serve serve.cc:42|1|0|2
reactor loop.cc:9|1|0|1
8
EOF
same want got
EOT

test_case 'numbers past 2^63 are exact; in a cycle of awaits nobody is left out' <<'EOT'
cat >in <<'EOF'
{"probe_id":18446744073709551615,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":9223372036854775807,"ev":"create","n":1}
{"probe_id":9223372036854775808,"tid":1,"addr":"0xffffffffffffffff","seq":2,"is_active":false,"ts":5,"ev":"suspend","n":1,"on":"coro:18446744073709551615"}
{"probe_id":4,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":7,"ev":"suspend","n":1,"on":"coro:5"}
{"probe_id":5,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":7,"ev":"suspend","n":1,"on":"coro:4"}
EOF
load in
sqlite3 d.db 'SELECT probe_id, typeof(probe_id), ts, typeof(ts), addr FROM events LIMIT 2' >got
cat >want <<'EOF'
18446744073709551615|text|9223372036854775807|integer|0x0000000000000010
9223372036854775808|text|5|integer|0xffffffffffffffff
EOF
same want got
sqlite3 d.db 'SELECT root, probe_id, depth FROM await_tree' >got
cat >want <<'EOF'
18446744073709551615|18446744073709551615|0
18446744073709551615|9223372036854775808|1
|4|
|5|
EOF
same want got
EOT

test_case 'random runs that lost events: what is known of each coroutine is what ct-tocsv knows; a state line goes on, and one that is gone is unknown' <<'EOT'
python3 "$SRC/t/lib/lossy.py" 3 >trace; load trace
sqlite3 d.db "SELECT run, probe_id, state, from_, to_, ns FROM timeline WHERE to_ IS NOT NULL AND state <> 'unknown'" |
	sed 's/|created|/|suspended|/' | LC_ALL=C sort >got
ct-tocsv --quiet --per=interval trace | python3 "$SRC/t/lib/sql-rows.py" timeline | grep -v '~\||unknown|' |
	sed 's/|created|/|suspended|/' | LC_ALL=C sort >want
same want got
begin; create 7 100; resume 7 200 11; create 8 300; resume 8 400 11
line lost 700 '"tid":11,"count":4,"from":1000000500000,"to":1000000700000'
echo '{"probe_id":8,"tid":11,"addr":"0x0","seq":10,"is_active":false,"ts":1000000600000,"ev":"state","n":5,"site":2,"on":"fd:5"}' >>trace
line end 900 '"events":4,"lost":4,"live":1'
rm t.db d.db; load trace
sqlite3 d.db "SELECT probe_id, state, from_ - 1000000000000, ns, on_ FROM timeline ORDER BY probe_id, from_" >got
cat >want <<'EOF'
7|created|100000|100000|
7|unknown|200000||
8|created|300000|100000|
8|unknown|400000|200000|
8|suspended|600000||fd:5
EOF
same want got
EOT

test_case 'where lines of a coroutine are missing in between it is unknown what it did, and no wait: as ct-tocsv has it' <<'EOT'
begin
create 1 100; resume 1 110 11; suspend 1 200 11 fd:5 2; n_1=7; resume 1 900000 11; suspend 1 900100 11 fd:6 2; resume 1 900300 11
destroy 1 900400 11; create 2 100; resume 2 300 12; n_2=3; resume 2 950000 12; line lost 900000 '"tid":11,"count":5'; end 1000000
load trace
sqlite3 d.db 'SELECT suspends, left_again, total_ns, longest_ns FROM site_stats' >got
echo '1|1|200000|200000' >want
same want got
sqlite3 d.db "SELECT run, probe_id, state, from_, to_, ns FROM timeline WHERE to_ IS NOT NULL" | LC_ALL=C sort >got
ct-tocsv --quiet --per=interval trace | python3 "$SRC/t/lib/sql-rows.py" timeline | grep -v "~" | LC_ALL=C sort >want
same want got
EOT

test_case 'waits that add up to more than 2^63 ns are told, though not to the last digit' <<'EOT'
for id in 1 2; do
	printf '{"probe_id":%d,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":5,"ev":"suspend","n":1,"site":7}\n' $id
	printf '{"probe_id":%d,"tid":1,"addr":"0x0000000000000010","seq":4,"is_active":true,"ts":6000000000000000005,"ev":"resume","n":2}\n' $id
done >in
load in
sqlite3 d.db 'SELECT suspends, total_ns, mean_ns, longest_ns FROM site_stats' >got
echo '2|1.2e+19|6.0e+18|6000000000000000000' >want
same want got
EOT

test_case 'hostile names and values stay text, byte for byte' <<'EOT'
cat >in <<'EOF'
{"probe_id":1,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":5,"ev":"create","n":1}
{"ev":"name","ts":6,"tid":1,"probe_id":1,"name":"'); DROP TABLE events;--"}
{"ev":"name","ts":7,"tid":1,"probe_id":1,"name":"a\r\n.quit\n;\n.shell touch owned\n\tx"}
{"ev":"name","ts":8,"tid":1,"probe_id":1,"name":"''\\'\u001b[2J é %s"}
{"probe_id":1,"tid":1,"addr":"0x0000000000000010","seq":4,"is_active":false,"ts":9,"ev":"suspend","n":2,"on":"user:x'); DELETE FROM runs;--","reason":"\n.exit\n"}
EOF
load in
[ ! -e owned ]
sqlite3 t.db 'SELECT hex(name) FROM events WHERE name IS NOT NULL' >got
printf '%s\n' "$(printf "'); DROP TABLE events;--" | od -An -v -tx1 | tr -d ' \n' | tr a-f A-F)" >want
printf 'a\r\n.quit\n;\n.shell touch owned\n\tx' | od -An -v -tx1 | tr -d ' \n' | tr a-f A-F >>want; echo >>want
printf "''\\\\'\033[2J é %%s" | od -An -v -tx1 | tr -d ' \n' | tr a-f A-F >>want; echo >>want
same want got
[ "$(sqlite3 t.db 'SELECT count(*) FROM runs')" -eq 1 ]
EOT

test_case 'version 1: an address used again is another coroutine; NULL where no end is expected' <<'EOT'
cat >in <<'EOF'
{"probe_id":4096,"tid":5,"addr":"0x0000000000000000","seq":2,"is_active":true,"ts":100}
{"probe_id":4096,"tid":5,"addr":"0x0000000000000010","seq":4,"is_active":false,"ts":110}
{"probe_id":4096,"tid":5,"addr":"0x0000000000000000","seq":2,"is_active":true,"ts":200}
EOF
load in
sqlite3 d.db 'SELECT probe_id, state, since, ended, first_ts, last_ts FROM coroutines; SELECT version, ended FROM runs;
	SELECT group_concat(ev) FROM events' >got
cat >want <<'EOF'
4096|ended|||100|110
4096|running|200||200|200
1|
resume,suspend,resume
EOF
same want got
EOT

test_case 'existing tables: an error by default, --append numbers runs on, --replace starts anew' <<'EOT'
ct-tosql --db=d.db ../trace
cp d.db before.db
status 2 ct-tosql --db=d.db ../trace 2>err
has 'ct-tosql: d.db: .*already exists' err
cmp d.db before.db
for other in x 'SQLite format 3'; do	# SQLite takes a byte for an empty database
	printf "$other" >other
	status 2 ct-tosql --db=other --replace ../trace 2>err; has '^ct-tosql: other: file is not a database' err
	printf "$other" | cmp - other
done
: >other; status 0 ct-tosql --db=other ../trace
ct-tosql ../trace >text
status 1 sqlite3 d.db <text 2>err
dump before.db >want; dump d.db >got
same want got
ct-tosql --db=d.db --append ../trace
[ "$(sqlite3 d.db 'SELECT group_concat(run || ":" || events) FROM runs')" = 0:14,1:14 ]
[ "$(sqlite3 d.db 'SELECT count(*) FROM events')" -eq 28 ]
ct-tosql --db=d.db --replace ../trace
dump d.db >got
same want got
ct-tosql --replace ../trace | sqlite3 d.db
dump d.db >got
same want got
ct-tosql --db=new.db --append ../trace
dump new.db >got
same want got
for i in 1 2; do ct-tosql --append ../trace | sqlite3 text.db; ct-tosql --append --db=lib.db ../trace; done
dump text.db >got; dump lib.db >want
same want got
[ "$(sqlite3 text.db 'SELECT group_concat(run || ":" || events) FROM runs')" = 0:14,1:14 ]
EOT

test_case 'a load that fails leaves nothing: bad input, --strict, cut text, no database' <<'EOT'
status 2 ct-tosql --db=e.db </dev/null 2>err
[ ! -e e.db ]
{ cat ../trace; echo nonsense; } >bad
status 2 ct-tosql --strict --db=e.db <bad 2>err
[ ! -e e.db ]
ct-tosql --db=e.db bad 2>err
[ "$(sqlite3 e.db 'SELECT bad FROM runs')" -eq 1 ]
status 2 ct-tosql --strict bad >text 2>err
sqlite3 f.db <text
[ -z "$(sqlite3 f.db .dump | grep CREATE)" ]
ct-tosql ../trace | head -c 3000 | sqlite3 g.db 2>err || :
[ -z "$(sqlite3 g.db .dump | grep CREATE)" ]
status 2 ct-tosql --db=. ../trace 2>err
has '^ct-tosql: \.: unable to open' err
status 2 ct-tosql --db=no/such/t.db ../trace 2>err
has '^ct-tosql: no/such/t.db: unable to open database file: No such file' err
status 2 ct-tosql --db=bad ../trace 2>err
has '^ct-tosql: bad: file is not a database' err
status 2 ct-tosql --db= ../trace 2>err
EOT

test_case 'a locked database is told, a full stdout is status 2, a closed pipe is no error' <<'EOT'
mkfifo hold
sqlite3 l.db 'CREATE TABLE x(y)'
{ echo 'BEGIN EXCLUSIVE;'; echo '.shell touch locked'; cat hold; } | sqlite3 l.db &
exec 3>hold
while [ ! -e locked ]; do sleep 0.1; done
status 2 ct-tosql --db=l.db ../trace 2>err
exec 3>&-
wait
has '^ct-tosql: l.db: database is locked' err
status 2 ct-tosql ../trace >/dev/full 2>err
has '^ct-tosql: <stdout>: ' err
ct-tosql ../trace 2>err | :
hasnt . err
EOT
done_testing
