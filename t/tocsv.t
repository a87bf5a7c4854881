#!/bin/sh
# tocsv.t - CSV that other programs read back without loss.
. "${0%/*}/lib.sh"

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
lines"' '5,7,""' '6,7," =1+1 "' '7,7,=1+1' '8,7,"é😀␀"' 9,, | sed 's/"two$/"two\r/' >want
same want out
EOF

test_case 'all columns, in a stable order' <<'EOF'
echo '{"probe_id":7,"tid":9,"addr":"0x00000000000000ff","seq":2,"is_active":false,"ts":5,"ev":"suspend","n":1,"site":3,"on":"fd:4"}' |
	ct-tocsv 2>err | tr -d '\r' >out
cat >want <<'X'
run,line,ts,ev,probe_id,tid,is_active,addr,seq,n,site,parent,by,on,done,value,from,to,stack,name,reason,role,func,file,src_line,path
1,1,5,suspend,7,9,0,0x00000000000000ff,2,1,3,,,fd:4,,,,,,,,,,,,
X
same want out
EOF

test_case 'unknown and empty column names are usage errors' <<'EOF'
status 2 ct-tocsv --columns=ts,nope ../hostile >out 2>err
has '^ct-tocsv: --columns=ts,nope: bad argument; try --help$' err
status 2 ct-tocsv --columns= ../hostile
status 2 ct-tocsv --columns=ts, ../hostile
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
