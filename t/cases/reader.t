#!/bin/sh
# reader.t - a trace is read line by line: what is good comes through whole, what is bad is named and skipped.
. "${0%/*}/../lib/lib.sh"

test_case 'the scanner and the complete parser read every line alike' <<'EOF'
status 0 "$O/t/fuzz/reader" 30000 >out
status 0 "$O/t/fuzz/reader" 30000 7 >out
EOF

test_case 'key order, white space, escapes, unknown keys and the last of equal keys do not matter' <<'EOF'
cat >in <<'X'
{"ev":"meta","ts":1,"format":"corotrace","version":2}
{"probe_id":7,"tid":9,"addr":"0x00000000000000ff","seq":2,"is_active":false,"ts":5,"ev":"suspend","n":1,"on":"user:a"}
 { "ts" : 5 , "ev":"\u0073uspend","tid":9,"n":4,"addr":"0xFF","x":{"ts":[1,{"n":2}]},"is_active":false,	"seq":2,"on":"user:\u0061","n":1,"probe_id":7 } 
{"ev":"end","ts":6,"events":2,"lost":0}
X
status 0 ct-tocsv --columns=ts,ev,probe_id,tid,is_active,addr,seq,n,on in | tr -d '\r' >out
cat >want <<'X'
ts,ev,probe_id,tid,is_active,addr,seq,n,on
1,meta,,,,,,,
5,suspend,7,9,0,0x00000000000000ff,2,1,user:a
5,suspend,7,9,0,0x00000000000000ff,2,1,user:a
6,end,,,,,,,
X
same want out
EOF

test_case 'a thread has a number below 2^32, in the canonical form too' <<'EOF'
line() { echo "{\"probe_id\":7,\"tid\":$1,\"addr\":\"0x0000000000000010\",\"seq\":2,\"is_active\":false,\"ts\":5,\"ev\":\"create\",\"n\":1}"; }
for tid in 1 4294967295; do line $tid >in; ct-tocsv --columns=tid in >out 2>err || :; hasnt impossible err; has "^$tid" out; done
for tid in 4294967296 4294967297 8589934592 18446744073709551615; do
	line $tid >in; ct-tocsv --columns=tid in >out 2>err || :
	has "impossible: tid $tid" err
	hasnt "^[0-9]" out
done
EOF

test_case 'numbers are exact to 64 bits' <<'EOF'
cat >in <<'X'
{"probe_id":18446744073709551615,"tid":1,"addr":"0xffffffffffffffff","seq":1,"is_active":true,"ts":9007199254740993}
{"ts":18446744073709551615,"probe_id":9007199254740993,"tid":1,"addr":"0x1","seq":281474976710655,"is_active":true}
X
ct-tocsv --columns=probe_id,ts,seq,addr in 2>err | tr -d '\r' >out
cat >want <<'X'
probe_id,ts,seq,addr
18446744073709551615,9007199254740993,1,0xffffffffffffffff
9007199254740993,18446744073709551615,281474976710655,0x0000000000000001
X
same want out
EOF

test_case 'every bad line is named with its number and why, and the others are read' <<'EOF'
printf '%s\n' \
 '{"ev":"sync","ts":1}' \
 'hello' \
 '{"ev":"sync","ts":1} x' \
 '[1]' \
 '{"ev":"sync","ts":-1}' \
 '{"ev":"sync","ts":1.0}' \
 '{"ev":"sync","ts":1e3}' \
 '{"ev":"sync","ts":18446744073709551616}' \
 '{"ev":"sync","ts":"1"}' \
 '{"ev":"sync","ts":01}' \
 '{"ev":7,"ts":1}' \
 '{"ev":"sync","ts":1,}' \
 '{"ev":"sync","ts":nan}' \
 '{"ev":"sync","x":[1,2}' \
 '{"ev":"sync","x":"\ud800"}' \
 '{"ev":"sync","x":"\q"}' \
 '{}' \
 '{"probe_id":0,"tid":0,"addr":"0x0","seq":0,"is_active":false,"ts":0}' \
 '{"probe_id":1,"tid":4294967296,"addr":"0x0","seq":281474976710656,"is_active":false,"ts":1}' \
 '{"probe_id":1,"tid":1,"addr":"0x0","seq":1,"is_active":false}' \
 '{"probe_id":1,"tid":1,"addr":12,"seq":1,"is_active":false,"ts":1}' \
 '{"probe_id":1,"tid":1,"addr":"0x0","seq":1,"is_active":0,"ts":1}' \
 '' \
 '{"ev":"sync","ts":1,"x":{"a":1,2}}' \
 '{"ev":"sync","ts":1,"x":{2}}' \
 '{"ev":"level","tid":1,"on":"chan:0x1","value":1}' \
 '{"ev":"exit","ts":0,"pid":1,"status":0}' \
 '{"ev":"meta","ts":1,"format":"corotrace","version":3}' \
 '{"ev":"end","ts":2,"events":0,"lost":0}' >in
status 1 ct-check in >all
grep '^in:' all >out
cat >want <<'X'
in:2: not a JSON object
in:3: not JSON: something stands behind the object
in:4: not a JSON object
in:5: "ts" is not an unsigned 64-bit integer
in:6: "ts" is not an unsigned 64-bit integer
in:7: "ts" is not an unsigned 64-bit integer
in:8: "ts" is not an unsigned 64-bit integer
in:9: "ts" is not a number
in:10: not JSON: a number begins with 0
in:11: "ev" is not a string
in:12: not JSON: a key is missing
in:13: not JSON: a value is missing or unknown
in:14: not JSON: no comma or bracket behind a value
in:15: not JSON: a bad escape in a string
in:16: not JSON: a bad escape in a string
in:17: not a trace line: neither "ev" nor "probe_id"
in:18: impossible: probe_id 0, ts 0, tid 0, seq 0
in:19: impossible: tid 4294967296, seq 281474976710656
in:20: no "ts"
in:21: "addr" is not a string
in:22: "is_active" is not true or false
in:24: not JSON: a key is missing
in:25: not JSON: a key is missing
in:26: no "ts"
in:27: impossible: ts 0
in:28: version 3 is newer than this program
X
same want out
status 0 ct-tocsv --columns=line,ev in >csv 2>err
printf 'line,ev\r\n1,sync\r\n29,end\r\n' >want
same want csv
[ "$(grep -c '^ct-tocsv: in:[0-9]*: ' err)" = 5 ]
has '^ct-tocsv: in: 26 bad lines skipped, the first at line 2; ct-check lists them$' err
status 2 ct-tocsv --strict in >csv 2>err
status 0 ct-tocsv --quiet in 2>err >csv
same /dev/null err
EOF

test_case 'a member that is a text is one, of each kind' <<'EOF'
printf '%s\n' '{"ev":"meta","ts":1,"format":"corotrace","version":2}' \
 '{"ev":"waker","ts":1,"tid":9,"probe_id":7,"op":5}' \
 '{"ev":"waker","ts":1,"tid":9,"probe_id":7,"op":"clon"}' \
 '{"ev":"waker","ts":1,"tid":9,"probe_id":7,"op":"drop"}' \
 '{"ev":"site","site":1,"func":5,"file":"f.c","line":3}' \
 '{"ev":"site","site":1,"func":"f","file":5,"line":3}' \
 '{"ev":"thread","ts":1,"tid":9,"pid":1,"name":5}' \
 '{"ev":"thread","ts":1,"tid":9,"pid":1,"role":5}' \
 '{"ev":"name","ts":1,"tid":9,"probe_id":7,"name":5}' \
 '{"ev":"process","ts":1,"pid":1,"path":5}' \
 '{"ev":"map","pid":1,"start":"0x1000","end":"0x2000","offset":0,"path":5}' \
 '{"ev":"end","ts":2,"events":1,"lost":0}' >in
status 1 ct-check in >all
grep '^in:' all >out
cat >want <<'X'
in:2: "op" is not a string
in:3: "op" is neither clone nor drop
in:5: "func" is not a string
in:6: "file" is not a string
in:7: "name" is not a string
in:8: "role" is not a string
in:9: "name" is not a string
in:10: "path" is not a string
in:11: "path" is not a string
X
same want out
EOF

test_case 'one bad line is one; programs and cores, of either byte order, are no traces' <<'EOF'
printf '%s\n' '{"ev":"sync","ts":1}' x '{"ev":"end","ts":2,"events":0,"lost":0}' >one
status 3 ct-stuck one 2>err >out; has '^ct-stuck: one: 1 bad line skipped, at line 2' err || has '^ct-stuck: one: 1 bad line skipped, the first at line 2' err
for file in '\1 \2\0' '\2 \0\2' '\1 \4\0' '\2 \0\4'; do
	{ printf '\177ELF\2'"${file% *}"; head -c 10 /dev/zero; printf "${file#* }"; head -c 100 /dev/zero; } >elf
	status 2 ct-stuck elf 2>err >out
	case $file in *4*) has 'a core file' err ;; *) has 'a program, not its trace' err ;; esac
	head -c 18 elf >short; status 2 ct-stuck short 2>short.err >out; sed s/short/elf/g short.err | same err -
done
printf '\177ELF\2\1' >short; head -c 10 /dev/zero >>short; printf '\4' >>short	# cut amid what it is
status 2 ct-stuck short 2>err >out; has 'a program, not its trace' err
EOF

test_case 'each run is said to be of the file that it begins in; and kinds of later versions are counted for nobody' <<'EOF'
run() { printf '{"ev":"meta","ts":1}\n{"ev":"create","ts":2,"tid":1,"probe_id":7,"addr":"0x0","seq":2,"is_active":false,"n":1}\n'; }
run >cut; (run; printf '{"ev":"%s","ts":3}\n' foo foo bar; echo '{"ev":"end","ts":9,"lost":0,"lines":{"create":1,"foo":2,"bar":1}}') >whole
status 0 ct-tocsv cut whole >out 2>err
echo 'ct-tocsv: cut: run 1: no end line: the trace was cut off' >want; same want err
status 0 ct-check whole >out; status 0 ct-lostwake whole >out
EOF

test_case 'a trace cut in its last line says so; a last line that only lacks its newline is good' <<'EOF'
printf '{"ev":"open","ts":1,"on":"fd:1"}\n{"ev":"sync","ts' >in
status 0 ct-tocsv in >out 2>err
has '^ct-tocsv: in:2: the line is cut off$' err
has '^ct-tocsv: in: no end line: the trace was cut off$' err
printf '{"ev":"open","ts":1,"on":"fd:1"}\n{"ev":"end","ts":1,"lost":0}' >in
status 0 ct-tocsv in 2>err >out
same /dev/null err
EOF

test_case 'several files are one trace, - is stdin, and one that cannot be read is told and makes status 2' <<'EOF'
echo '{"ev":"meta","ts":1}' >a
echo '{"ev":"open","ts":2}' >b
echo '{"ev":"end","ts":3,"lost":0}' | status 0 ct-tocsv --columns=line,ev,run a b - >out 2>err
printf 'line,ev,run\r\n1,meta,1\r\n1,open,1\r\n1,end,1\r\n' >want
same want out
same /dev/null err
mkdir dir
status 2 ct-tocsv --columns=ev a missing dir b >out 2>err
printf 'ev\r\nmeta\r\nopen\r\n' >want
same want out
has '^ct-tocsv: missing: No such file or directory$' err
has '^ct-tocsv: dir: Is a directory$' err
EOF

test_case 'a meta line begins a run; version 1 lines without one are told apart by threads and times' <<'EOF'
line() { echo "{\"probe_id\":$1,\"tid\":$2,\"addr\":\"0x0\",\"seq\":$3,\"is_active\":true,\"ts\":$4}"; }
{ line 1 10 1 1000000000; line 1 20 1 900000000000; line 1 11 2 2000000000; line 2 20 2 900000000001; line 3 10 1 61000000000
} >in
ct-tocsv --columns=run,tid in | tr -d '\r' >out
printf 'run,tid\n1,10\n2,20\n1,11\n2,20\n1,10\n' >want
same want out
{ echo '{"ev":"meta","ts":1}'; line 1 10 1 5; line 1 20 1 900000000000; echo '{"ev":"end","ts":6}'
  echo '{"ev":"meta","ts":1}'; line 1 10 1 5; } >in
ct-tocsv --columns=run,tid in 2>err | tr -d '\r' >out
printf 'run,tid\n1,\n1,10\n1,20\n1,\n2,\n2,10\n' >want
same want out
has '^ct-tocsv: in: run 2: no end line: the trace was cut off$' err
EOF

test_case 'lines longer than a block, and than any block, come through whole' <<'EOF'
awk 'BEGIN { s = "x"; while (length(s) < 3000000) s = s s; printf "{\"ev\":\"name\",\"ts\":1,\"probe_id\":1,\"name\":\"%s\"}\n", s
	for (i = 0; i < 20000; i++) print "{\"ev\":\"sync\",\"ts\":1}"; print "{\"ev\":\"end\",\"ts\":1}" }' >in
ct-tocsv --columns=name in | awk 'NR == 2 { print length($0) } END { print NR }' >out
printf '4194305\n20003\n' >want
same want out
cat in | ct-tocsv --columns=name | awk 'NR == 2 { print length($0) } END { print NR }' >out
same want out
EOF

mini=$SRC/../shared/traces/mini_redis.jsonl
if [ -f "$mini" ]; then
	export mini
	test_case 'mini_redis.jsonl: three runs, 115 lines that cannot be true' <<'EOF'
status 1 ct-check "$mini" >out
[ "$(grep -c 'impossible: probe_id 0' out)" = 115 ]
has '^run 3 of 3: version 1' out
ct-tocsv --columns=run,tid "$mini" 2>err | tr -d '\r' | sort -u | grep '^[0-9]' >runs
printf '%s\n' 1,1238733 1,1238734 1,1238735 1,1238736 2,1297297 2,1297298 2,1297299 2,1297300 3,1307536 3,1307537 3,1307538 \
	3,1307539 >want
same want runs
EOF
else
	skip_case 'mini_redis.jsonl' 'it is not here'
fi
done_testing
