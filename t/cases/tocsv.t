#!/bin/sh
# tocsv.t - CSV that other programs read back without loss.
. "${0%/*}/../lib/lib.sh"

cat >"$scratch/hostile" <<'EOF'
{"ev":"meta","ts":1,"format":"corotrace"}
{"ev":"name","ts":2,"tid":1,"probe_id":7,"name":"a,b"}
{"ev":"name","ts":3,"tid":1,"probe_id":18446744073709551615,"name":"say \"hi\""}
{"ev":"name","ts":4,"tid":1,"probe_id":7,"name":"two\r\nlines"}
{"ev":"name","ts":5,"tid":1,"probe_id":7,"name":""}
{"ev":"name","ts":6,"tid":1,"probe_id":7,"name":" =1+1 "}
{"ev":"name","ts":7,"tid":1,"probe_id":7,"name":"=1+1"}
{"ev":"name","ts":8,"tid":1,"probe_id":7,"name":"\u00e9\ud83d\ude00\u0000"}
{"ev":"end","ts":9,"events":7,"lost":0}
EOF

test_case 'a header, a row a line, CRLF, quotes where RFC 4180 asks for them' <<'EOF'
status 0 ct-tocsv --columns=ts,probe_id,name ../hostile >out
printf '%s\r\n' ts,probe_id,name 1,, '2,7,"a,b"' '3,18446744073709551615,"say ""hi"""' '4,7,"two
lines"' '5,7,""' '6,7," =1+1 "' '7,7,=1+1' '8,7,é😀␀' 9,, | sed 's/"two$/"two\r/' >want
same want out
EOF

test_case 'all columns, in a stable order' <<'EOF'
echo '{"probe_id":7,"tid":9,"addr":"0x00000000000000ff","seq":2,"is_active":false,"ts":5,"ev":"suspend","n":1,"site":3,"on":"fd:4"}' |
	ct-tocsv 2>err | tr -d '\r' >out
cat >want <<'X'
run,line,ts,ev,probe_id,tid,is_active,addr,seq,n,site,parent,by,on,done,value,from,to,stack,name,reason,role,func,file,src_line,path,any_of,all_of
1,1,5,suspend,7,9,0,0x00000000000000ff,2,1,3,,,fd:4,,,,,,,,,,,,,,
X
same want out
EOF

test_case 'unknown and empty column names are usage errors' <<'EOF'
status 2 ct-tocsv --columns=ts,nope ../hostile >out 2>err
echo 'ct-tocsv: ts,nope: not all are columns of what --per asks for; try --help' >want
same want err
[ ! -s out ]
status 2 ct-tocsv --columns= ../hostile
status 2 ct-tocsv --columns=ts, ../hostile
status 2 ct-tocsv --per=site --columns=ts ../hostile
status 2 ct-tocsv --per=nothing ../hostile
status 2 ct-tocsv --per= ../hostile
status 2 ct-tocsv --per=event,site ../hostile 2>err
has '^ct-tocsv: --per: several only with --partition' err
status 2 ct-tocsv --rows=5 ../hostile
status 2 ct-tocsv --bucket=1s ../hostile
status 2 ct-tocsv --partition=p --bucket=0 ../hostile
status 2 ct-tocsv --partition=p --rows=0 ../hostile
status 2 ct-tocsv --run=a/b ../hostile
status 2 ct-tocsv --run= ../hostile
status 2 ct-tocsv --partition=p --columns=run ../hostile
status 2 ct-tocsv '--null=","' ../hostile
[ ! -e p ]
EOF

cat >"$scratch/life" <<'EOF'
{"ev":"meta","ts":1,"format":"corotrace"}
{"ev":"site","site":1,"func":"main, loop","file":"a.c","line":10}
{"ev":"site","site":2,"func":"serve","file":"b.c","line":20}
{"probe_id":7,"tid":4,"addr":"0x00000000000000f0","seq":2,"is_active":false,"ts":1000,"ev":"create","n":1,"site":1,"parent":3}
{"ev":"name","ts":1000,"tid":4,"probe_id":7,"name":"conn \"7\""}
{"probe_id":7,"tid":4,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":1100,"ev":"wake"}
{"probe_id":7,"tid":5,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":1150,"ev":"resume","n":2}
{"probe_id":7,"tid":5,"addr":"0x00000000000000f0","seq":6,"is_active":false,"ts":1250,"ev":"suspend","n":3,"site":2,"on":"fd:9","reason":"reads"}
{"probe_id":7,"tid":6,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":2250,"ev":"wake","by":8,"on":"fd:9"}
{"probe_id":7,"tid":4,"addr":"0x0000000000000000","seq":8,"is_active":true,"ts":2300,"ev":"resume","n":4}
{"probe_id":7,"tid":4,"addr":"0x00000000000000f0","seq":14,"is_active":false,"ts":3000,"ev":"suspend","n":7,"site":2,"on":"chan:"}
{"probe_id":9,"tid":4,"addr":"0x00000000000000f1","seq":2,"is_active":false,"ts":3000,"ev":"create","n":1,"site":1}
{"probe_id":7,"tid":4,"addr":"0x00000000000000f0","seq":16,"is_active":false,"ts":3500,"ev":"destroy","n":8,"done":false}
{"ev":"sync","ts":4000}
{"ev":"lost","ts":3000,"probe_id":7,"count":2,"from":2300,"to":3000}
{"probe_id":9,"tid":4,"addr":"0x00000000000000f1","seq":2,"is_active":false,"ts":3000,"ev":"state","n":1,"site":1}
{"ev":"end","ts":4000,"events":9,"lost":2,"live":1}
EOF

test_case 'a row an interval: state, times, place, what it waited on, who woke it, where lines are missing' <<'EOF'
status 0 ct-tocsv --per=interval ../life >out 2>err
cat >want <<'X'
run,probe_id,name,state,from,to,ns,site,func,file,src_line,on,reason,by,by_tid,tid,open,line
1,7,"conn ""7""",created,1000,1100,100,1,"main, loop",a.c,10,,,,4,4,0,7
1,7,"conn ""7""",runnable,1100,1150,50,1,"main, loop",a.c,10,,,,4,4,0,7
1,7,"conn ""7""",running,1150,1250,100,1,"main, loop",a.c,10,,,,,5,0,8
1,7,"conn ""7""",suspended,1250,2250,1000,2,serve,b.c,20,fd:9,reads,8,6,5,0,10
1,7,"conn ""7""",runnable,2250,2300,50,2,serve,b.c,20,fd:9,reads,8,6,5,0,10
1,7,"conn ""7""",unknown,2300,3000,700,2,serve,b.c,20,,,,,4,0,11
1,7,"conn ""7""",suspended,3000,3500,500,2,serve,b.c,20,chan:,,,,4,0,13
1,9,,created,3000,4000,1000,1,"main, loop",a.c,10,,,,,4,1,
X
tr -d '\r' <out | diff -u want - >&2
echo 'ct-tocsv: 1 stretches with lines missing in them: state unknown' >want
same want err
EOF

test_case 'a row a coroutine and a site: counts, total and longest times by state' <<'EOF'
status 0 ct-tocsv --quiet --run=x --columns=run,probe_id,name,parent,state,since,ended,done,func,on,n,missing,suspended_count,suspended_ns,suspended_max_ns,unknown_ns --per=coroutine ../life >out
cat >want <<'X'
run,probe_id,name,parent,state,since,ended,done,func,on,n,missing,suspended_count,suspended_ns,suspended_max_ns,unknown_ns
x,7,"conn ""7""",3,ended,3500,3500,0,serve,chan:,8,2,2,1500,1000,700
x,9,,,created,3000,,,"main, loop",,1,0,0,0,0,0
X
tr -d '\r' <out | diff -u want - >&2
status 0 ct-tocsv --quiet --per=site ../life >out
cat >want <<'X'
run,site,func,file,src_line,created_count,created_ns,created_max_ns,running_count,running_ns,running_max_ns,suspended_count,suspended_ns,suspended_max_ns,runnable_count,runnable_ns,runnable_max_ns,unknown_count,unknown_ns,unknown_max_ns
1,1,"main, loop",a.c,10,2,1100,1000,1,100,100,0,0,0,1,50,50,0,0,0
1,2,serve,b.c,20,0,0,0,0,0,0,2,1500,1000,1,50,50,1,700,700
X
tr -d '\r' <out | diff -u want - >&2
EOF

test_case 'one whose first line is a suspend waits, whatever its number; one that was created was created' <<'EOF'
cat >trace <<'X'
{"probe_id":7,"tid":9,"addr":"0x0","seq":2,"is_active":false,"ts":100,"ev":"suspend","n":1,"site":2}
{"probe_id":8,"tid":9,"addr":"0x0","seq":2,"is_active":false,"ts":150,"ev":"create","n":1,"site":2}
{"ev":"end","ts":200,"events":2,"lost":0}
X
ct-tocsv --quiet --per=interval --columns=probe_id,state,ns trace | tr -d '\r' | sed 1d >out
printf '%s\n' 7,suspended,100 8,created,50 | same - out
EOF

test_case 'intervals, coroutines and sites add up to the same, and to what ct-sched says' <<'EOF'
if ! [ -x "$O/t/bench/busy" ] || ! "$O/t/bench/busy" 20000 300 4 1 >trace; then cp ../life trace; fi
sum() { tr -d '\r' | awk -F, '{ s += $NF } END { printf "%.0f\n", s }'; }
ct-sched --json trace >sched
for state in running suspended runnable; do
	ct-tocsv --quiet --per=interval --columns=state,ns trace | grep "^$state," | sum >intervals
	ct-tocsv --quiet --per=coroutine --columns=${state}_ns trace | sum >coroutines
	ct-tocsv --quiet --per=site --columns=${state}_ns trace | sum >sites
	grep '"of":"run"' sched | sed "s/.*\"$state\":\([0-9]*\).*/\1/" >want
	[ "$(cat want)" -gt 0 ]
	same want intervals
	same want coroutines
	same want sites
done
EOF

test_case '--null, --run: a missing value told from an empty text; which run it is' <<'EOF'
cat ../hostile ../hostile | status 0 ct-tocsv --null=NULL --run=host-1 --columns=run,ts,name >all
tr -d '\r' <all | grep -e ,1, -e ,5, >out
printf '{"ev":"name","ts":3,"tid":1,"probe_id":1,"name":"NULL"}\n' | ct-tocsv --quiet --null=NULL --columns=ts,name,on |
	tr -d '\r' | tail -n 1 >>out
cat >want <<'X'
host-1,1,NULL
host-1,5,""
host-1-2,1,NULL
host-1-2,5,""
3,"NULL",NULL
X
same want out
EOF

test_case '--partition: directories, files of a bounded size, the same rows' <<'EOF'
status 0 ct-tocsv --quiet --partition=p --per=event,interval,coroutine,site --run=a --rows=3 --bucket=1us ../life >out
[ ! -s out ]
(cd p && find . -type f | sort) >got
cat >want <<'X'
./table=coroutines/run=a/part-000000.csv
./table=events/run=a/bucket=0/part-000000.csv
./table=events/run=a/bucket=1/part-000001.csv
./table=events/run=a/bucket=1/part-000002.csv
./table=events/run=a/bucket=2/part-000003.csv
./table=events/run=a/bucket=3/part-000004.csv
./table=events/run=a/bucket=3/part-000006.csv
./table=events/run=a/bucket=4/part-000005.csv
./table=intervals/run=a/bucket=1/part-000000.csv
./table=intervals/run=a/bucket=2/part-000001.csv
./table=intervals/run=a/bucket=3/part-000002.csv
./table=intervals/run=a/bucket=4/part-000003.csv
./table=sites/run=a/part-000000.csv
X
same want got
for t in event coroutine site interval; do
	ct-tocsv --quiet --per=$t ../life | sed 1d | cut -d, -f2- | sort >rows
	find p/table=${t}s -type f | xargs -n 1 sed 1d | sort >parts
	same rows parts
	ct-tocsv --quiet --per=$t ../life | sed 's/^run,//;q' >head
	for f in $(find p/table=${t}s -type f); do
		[ $(wc -l <$f) -le 4 ]
		sed q $f | diff -u head - >&2
	done
done
EOF

test_case '--partition: many buckets, hardly any file open; a second run, and one without rows' <<'EOF'
awk 'BEGIN { print "{\"ev\":\"meta\",\"ts\":1,\"format\":\"corotrace\"}"
	for (i = 0; i < 500; i++) printf "{\"ev\":\"open\",\"ts\":%d}\n", 1 + (i * 7919) % 100 * 1000
	print "{\"ev\":\"end\",\"ts\":100000,\"events\":0,\"lost\":0}" }' >jumps
(ulimit -n 40; status 0 ct-tocsv --quiet --per=event,site --partition=p --bucket=1us --run=x jumps ../life)
[ $(find p/table=events/run=x -type f | xargs -n 1 sed 1d | wc -l) = 502 ]
[ $(find p/table=events/run=x -name 'bucket=*' | wc -l) = 101 ]
[ -d p/table=events/run=x-2/bucket=3 ]
[ $(cat p/table=sites/run=x/part-000000.csv | wc -l) = 1 ]
[ $(cat p/table=sites/run=x-2/*.csv | wc -l) = 3 ]
EOF

test_case '--partition: all of it or nothing' <<'EOF'
status 0 ct-tocsv --quiet --partition=p --per=event,site --run=a ../life
find p | sort >before
status 2 ct-tocsv --partition=p --per=event,site --run=a ../life 2>err
echo 'ct-tocsv: p/table=events/run=a: is there already' >want
same want err
head -n 5 ../life >cut
echo nonsense >>cut
status 2 ct-tocsv --strict --partition=p --run=b cut 2>err
status 2 ct-tocsv --partition=p --run=c ../life missing 2>err
status 2 ct-tocsv --per=event,site --partition=out/of/reach ../life 2>err; [ $(wc -l <err) -eq 1 ]
has '^ct-tocsv: out/of/reach: No such file or directory' err
: >file
status 2 ct-tocsv --partition=file ../life 2>err
status 2 ct-tocsv --partition="file/$(printf '\033[31m')" ../life 2>err; has '^ct-tocsv: file/.x1b.31m' err
status 2 ct-tocsv --partition=q /dev/null 2>err
[ ! -e q ]
(ulimit -f 1; status 2 ct-tocsv --per=event,site --partition=p --run=d ../life >err 2>&1)
find p | sort >after
same before after
EOF

test_case '--partition, ended by a signal: nothing is left; but Ctrl-C at a pipe is for who writes it' <<'EOF'
mkfifo in
for signal in TERM HUP INT; do
	env --default-signal=$signal ct-tocsv --quiet --partition=p --per=event,site --bucket=1us in >/dev/null 2>&1 & pid=$!
	exec 3>in
	cat ../life >&3
	for i in $(seq 500); do [ -z "$(find p -name 'part-*' 2>/dev/null)" ] || break; sleep 0.01; done
	find p -name '.*.*' | grep -q .
	kill -$signal $pid
	last=TERM; [ $signal != INT ] || last=INT
	[ $signal = TERM ] || { sleep 0.1; kill -$last $pid; }	# the first was left to the writer
	want=143; [ $signal != INT ] || want=130
	status $want wait $pid
	exec 3>&-
	[ -z "$(find p ! -type d -o -name '.*')" ]
done
EOF

test_case 'rows of all columns are what their cells are one by one' <<'EOF'
all=$(ct-tocsv ../hostile | head -n 1 | tr -d '\r')
for trace in ../hostile ../life "$SRC"/t/fuzz/corpus/*.jsonl; do
	ct-tocsv --quiet "$trace" >fast; ct-tocsv --quiet --columns="$all" "$trace" >cells; same cells fast
	ct-tocsv --quiet --run=b "$trace" "$trace" >fast
	ct-tocsv --quiet --run=b --columns="$all" "$trace" "$trace" >cells; same cells fast
done
EOF

# 127 bytes of it, which ended within a character, are no UTF-8: PostgreSQL takes no such text.
test_case 'of several things that are waited on, a long text is cut between characters' <<'EOF'
cat >in <<X
{"ev":"meta","ts":1}
{"ev":"leg","ts":2,"tid":1,"probe_id":7,"n":1,"on":"user:$(printf '€%.0s' $(seq 50))"}
{"probe_id":7,"tid":1,"addr":"0x1","seq":2,"is_active":false,"ts":2,"ev":"suspend","n":1,"any_of":1}
X
status 0 ct-tocsv --per=coroutine --columns=on in >out
printf 'on\r\nany of user:%s\r\n' "$(printf '€%.0s' $(seq 40))" >want
same want out
EOF

if command -v python3 >/dev/null; then
	test_case "Python's csv reads it back" <<'EOF'
ct-tocsv ../hostile >out
python3 - <<'X'
import csv
rows = list(csv.DictReader(open('out', newline='', encoding='utf-8'), strict=True))
names = [r['name'] for r in rows if r['ev'] == 'name']
assert names == ['a,b', 'say "hi"', 'two\r\nlines', '', ' =1+1 ', '=1+1', '\u00e9\U0001f600\u2400'], names
assert rows[2]['probe_id'] == '18446744073709551615'
X
EOF
else
	skip_case "Python's csv" 'no python3'
fi

if command -v sqlite3 >/dev/null; then
	test_case 'sqlite3 .import reads it back' <<'EOF'
ct-tocsv ../hostile >out
sqlite3 t.db '.import --csv out t' "select count(*), sum(name = 'say \"hi\"'), sum(name = 'a,b'), max(length(probe_id)) from t" >got
echo '9|1|1|20' >want
same want got
EOF
else
	skip_case 'sqlite3 .import' 'no sqlite3'
fi
done_testing
