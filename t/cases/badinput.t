#!/bin/sh
# badinput.t - whatever it is given, every program says what is wrong, with the right status, in bounded memory.
. "${0%/*}/../lib/lib.sh"

# Cases see $p, the program.
good='{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":5,"ev":"create","n":1}'
cat >"$scratch/good" <<EOF
{"ev":"meta","ts":1,"format":"corotrace","version":2}
$good
{"ev":"end","ts":9,"events":1,"lost":0}
EOF
# Something for every program to print.
cat >"$scratch/more" <<EOF
{"ev":"meta","ts":1,"format":"corotrace","version":2}
$good
{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":2,"is_active":true,"ts":1000005,"ev":"resume","n":2}
{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":2000005,"ev":"suspend","n":3}
{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":2500005,"ev":"wake"}
{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":2,"is_active":true,"ts":3000005,"ev":"resume","n":4}
{"ev":"end","ts":4000005,"events":5,"lost":0}
EOF
# More than a buffer of it.
awk -v line='{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":2,"is_active":%s,"ts":%d,"ev":"%s","n":%d}\n' '
	NR == 3 { for (n = 2; n < 6000; n += 2) {
		printf line, "true", 1000 * n, "resume", n; printf line, "false", 1000 * n + 500, "suspend", n + 1 } }
	NR <= 2 { print }
	END { print "{\"ev\":\"end\",\"ts\":9000005,\"events\":5999,\"lost\":0}" }' "$scratch/more" >"$scratch/much"
cat >"$scratch/bad-lib" <<'EOF'
# Good lines around what stdin holds; the program must name line 2 with the reason $1 and read the rest.
named() {
	{ sed -n 1p ../good; cat; sed 1d ../good; } >in
	got=0; "$p" $word in >out 2>err || got=$?
	[ "$got" -le 3 ] && [ "$got" -ne 2 ] || { echo "status $got" >&2; head err >&2; return 1; }
	cat out err >both
	has "in:2: $1" both
	hasnt 'in:3: ' both
	status 2 "$p" --strict $word in >out 2>err
}
# The statuses of a program that read a trace with a bad line or two.
read_it() {
	got=0; "$@" || got=$?
	case $got in 0|1|3) ;; *) echo "status $got: $*" >&2; return 1 ;; esac
}
EOF

for p in ct-stuck ct-lostwake ct-check ct-bt ct-lint ct-sched ct-fold ct-sym ct-tocsv ct-tosql ct-toperfetto ct-tochrome \
	ct-report ct-html ct-top ct-where ct-plot; do
	export p
	# Two take a word more.
	case $p in ct-where) word=.ts ;; ct-plot) word=states ;; *) word= ;; esac
	export word
	test_case "$p: is there" <<'EOF'
[ -x "$O/$p" ]
EOF
	test_case "$p: unknown options are status 2, --help and --version 0" <<'EOF'
status 2 "$p" --nonsense <../good >out 2>err
has "^$p: --nonsense: unknown option" err
for letters in % %h; do
	status 2 "$p" -$letters <../good >out 2>err
	has "^$p: -$letters: unknown option" err
done
same /dev/null out
status 2 "$p" --help=x 2>err
status 0 "$p" --help >out 2>err
same /dev/null err
has "usage: $p" out
has example out
status 0 "$p" --version >out
has "^$p [0-9]" out
status 2 "$p" --help >/dev/full
status 2 "$p" --version >/dev/full
EOF
	test_case "$p: nothing, or nothing of use, is status 2" <<'EOF'
status 2 "$p" $word </dev/null >out 2>err
has "^$p: <stdin>: no events$" err
printf '\n\n' | status 2 "$p" $word >out 2>err
has "^$p: <stdin>: no events$" err
awk 'BEGIN { srand(4); for (i = 0; i < 20000; i++) printf "%c", int(rand() * 256) }' >random
status 2 "$p" $word <random >out 2>err
has "^$p: <stdin>: not a trace: every line is bad$" err
hasnt '[[:cntrl:]]' err
status 2 "$p" $word missing >out 2>err
has "^$p: missing: No such file or directory$" err
status 2 "$p" $word . >out 2>err
has "^$p: \\.: Is a directory$" err
status 2 "$p" $word "$(printf 'a\033[31m')" >out 2>err
has '^[[:print:]]*$' err
hasnt "$(printf '\033')" err
EOF
	test_case "$p: a full disk is status 2, a closed pipe no error" <<'EOF'
for trace in more much; do
	status 2 "$p" $word ../$trace >/dev/full 2>err
	has "^$p: <stdout>: No space left on device$" err
	hasnt 'cut off' err
done
for trace in more much; do
	sh -c 'trap "" PIPE; "$p" $word ../'$trace' 2>err; echo $? >got' | true
	case $(cat got) in 0|1|3) ;; *) cat got err >&2; false ;; esac
	hasnt 'cut off\|stdout' err
done
EOF
	test_case "$p: bad lines are named, and the rest is read" <<'EOF'
. ../bad-lib
echo '{"ev":"sync","ts":18446744073709551616}' | named '"ts" is not an unsigned 64-bit integer$'
echo '{"ev":"sync","ts":99999999999999999999999999999999999999999999}' | named '"ts" is not an unsigned 64-bit integer$'
echo '{"ev":"sync","ts":-1}' | named '"ts" is not an unsigned 64-bit integer$'
awk 'BEGIN { printf "{\"x\":"; for (i = 0; i < 10000; i++) printf "["; print "" }' | named 'nested deeper than 256$'
awk 'BEGIN { printf "{\"x\":"; for (i = 0; i < 10000; i++) printf "{\"a\":"; print "" }' | named 'nested deeper than 256$'
printf '{"ev":"name","ts":2,"name":"\303\050"}\n' | named 'not UTF-8$'
printf '{"ev":"name","ts":2,"name":"\355\240\200"}\n' | named 'not UTF-8$'
printf '{"ev":"sync"\000,"ts":2}\n' | named 'not JSON: '
printf '{"ev":"name","name":"\000"}\n' | named 'not JSON: a control character in a string$'
printf '\000\000\000\n' | named 'not a JSON object$'
for list in '{"ev":"stack","stack":1,"frames":' '{"ev":"symbol","addr":"0x0000000000001000","at":'; do
	for v in 7 null '"0x10"' '[7,null]' '[["0x10"]]' '["0x"]' '["0x11112222333344445"]' '{"a":"0x10"}'; do
		echo "$list$v}" | named '"\(frames\|at\)" is not a list of '
	done
done
for v in 7 '["3"]' '[-3]' '[3.5]' '[18446744073709551616]' '[[3]]' '[null]'; do
	echo '{"ev":"stack","stack":1,"sites":'"$v}" | named '"sites" is not a list of numbers$'
done
for v in '{"line":[1]}' '{"line":"3"}' '{"func":3}' '{"file":null}' '{"line":18446744073709551616}'; do
	echo '{"ev":"symbol","addr":"0x0000000000001000","at":['"$v]}" | named '"at" is not a list of functions$'
done
echo '{"probe_id":0,"tid":0,"addr":"0x0","seq":0,"is_active":false,"ts":0}' | named 'impossible: probe_id 0, ts 0, tid 0, seq 0$'
EOF
	test_case "$p: a trace cut in its last line" <<'EOF'
. ../bad-lib
{ cat ../good | sed '$d'; printf '{"ev":"end","t'; } >in
read_it "$p" $word in >out 2>err
cat out err >both
has 'in:3: the line is cut off$' both
has 'no end line: the trace was cut off$' both
EOF
	test_case "$p: a line of 100 MB, in bounded memory" <<'EOF'
. ../bad-lib
long() { sed -n 1p ../good; printf '{"x":"'; head -c 100000000 /dev/zero | tr '\0' x; echo '"}'; sed 1d ../good; }
[ -n "$SAN" ] || ulimit -v 150000
long | { read_it "$p" $word >out 2>err; }
cat out err >both
has '<stdin>:2: longer than 16 MiB$' both
hasnt '<stdin>:[013-9]' both
EOF
done

# The line of a symbol is one number; whatever else stands there must not be written behind it.
for p in ct-bt ct-stuck ct-lostwake ct-report ct-html ct-sched ct-fold ct-tosql ct-tocsv ct-toperfetto ct-tochrome; do
	export p
	test_case "$p: a symbol whose line is an array, an object, a text, absent, harms nobody" <<'EOF'
sed 1q ../good >in
for line in "[$(seq -s, 1 5000)]" '{"a":[1,2,3,4],"b":5}' '"12 34 56"' '[[1,2],[3]]' null true 1e3 -7; do
	echo '{"ev":"symbol","addr":"0x0000000000001000","at":[{"func":"f","file":"f.c","line":'"$line"'}]}'
	echo '{"ev":"symbol","addr":"0x0000000000001000","at":[{"func":"f","file":"f.c","line":1,"line":'"$line"'}]}'
done >>in
sed 1d ../good >>in
got=0; "$p" in >out 2>err || got=$?
[ "$got" -le 3 ] || { echo "status $got" >&2; head err >&2; exit 1; }
EOF
done

test_case 'what is no trace but is known gets a hint, and nothing of it is read' <<'EOF'
printf '\3757zXZ\000xx\n' >a.xz; printf 'BZh9xx\n' >a.bz2; printf 'go 1.26 trace\000\000\000\n{\n' >a.trace
printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\004\000\n' >core; printf '\377\376{\000\n' >wide
for p in ct-stuck ct-lostwake ct-check ct-where\ .ts ct-sym ct-report ct-html ct-top ct-plot\ states; do
	status 2 $p <a.xz >out 2>err; has ': <stdin>: compressed by xz; pipe it through xz -dc$' err
	status 2 $p a.bz2 >out 2>err; has ': a.bz2: compressed by bzip2; pipe it through bzip2 -dc$' err
	status 2 $p a.trace >out 2>err; has ': a.trace: an execution trace of Go; pipe it through ct-fromgo$' err
	status 2 $p core >out 2>err; has ': core: a core file, not a trace; ct-snap' err
	status 2 $p /bin/sh >out 2>err; has ': /bin/sh: a program, not its trace; ct-record' err
	status 2 $p wide >out 2>err; has ': wide: text in UTF-16' err
	[ $(wc -l <err) -eq 1 ]
done
status 2 timeout 20 ct-check /dev/zero ../more >out 2>err
has '^ct-check: /dev/zero: not a trace: its first line is longer than 16 MiB$' err; has '1 live' out
status 2 ct-stuck a.xz ../more >out 2>err
has '^1 of 1 live' out
status 2 ct-fromgo a.xz 2>err; has 'compressed by xz' err
status 2 ct-fromgo ../more 2>err; has 'not a Go execution trace, but perhaps what ct-fromgo made' err
EOF

test_case 'ct-fromgo: what it cannot use is named, status 2' <<'EOF'
status 2 ct-fromgo --nonsense 2>err; has '^ct-fromgo: --nonsense: unknown option' err
status 2 ct-fromgo </dev/null >out 2>err; has '^ct-fromgo: <stdin>: not a Go execution trace$' err
status 2 ct-fromgo missing >out 2>err; has '^ct-fromgo: missing: No such file or directory$' err
status 2 ct-fromgo . >out 2>err; has '^ct-fromgo: \.: Is a directory$' err
status 2 ct-fromgo "$(printf 'a\033[31m')" >out 2>err; hasnt "$(printf '\033')" err
awk 'BEGIN { srand(4); for (i = 0; i < 20000; i++) printf "%c", int(rand() * 256) }' >random
status 2 ct-fromgo random >out 2>err; hasnt '[[:cntrl:]]' err
head -c 3000000 /dev/zero >zeros; status 2 ct-fromgo zeros 2>err
printf 'go 1.99 trace\000\000\000' >new; status 2 ct-fromgo new 2>err; has 'newer Go' err
mkdir seeds; "$O/t/fuzz/gotrace" --seeds seeds
{ printf '\001\001\003\005\350\373\003'; head -c 65000 /dev/zero | tr '\000' '\002'; } >one
for i in 1 2 3; do cat one one one one one one one one >more; mv more one; done
{ printf 'go 1.26 trace\000\000\000'; cat one one; } >large
[ -n "$SAN" ] || { (ulimit -v 60000; status 2 ct-fromgo large) >out 2>err; has '^ct-fromgo: large: out of memory$' err; }
for f in seeds/*; do
	status 2 ct-fromgo $f >/dev/full 2>err
	size=$(wc -c <$f)
	for cut in 17 100 $((size / 2)) $((size - 1)); do
		got=0; head -c $cut $f | (ulimit -v $([ -n "$SAN" ] && echo unlimited || echo 150000); exec ct-fromgo) >out 2>err || got=$?
		[ $got -eq 3 ] || [ $got -eq 2 ] || [ $got -eq 0 ]
	done
done
EOF

test_case 'a mark of byte order and CRLF are no harm' <<'EOF'
{ printf '\357\273\277'; sed 's/$/\r/' ../more; } >in
status 1 ct-stuck --json in >out 2>err
same /dev/null err
status 1 ct-stuck --json ../more >plain
same plain out
EOF

test_case 'marks that turn the direction of text round reach no terminal' <<'EOF'
for mark in '\342\200\256' '\342\200\252' '\342\201\246' '\342\201\251' '\302\233' '\330\234'; do
	m=$(printf "$mark")
	{ sed 1q ../more; echo '{"ev":"site","site":3,"func":"f'$m'g","file":"s'$m'.c","line":1}'
	sed '1d;$d' ../more; echo '{"ev":"name","ts":3000006,"probe_id":7,"name":"a'$m'b"}'
	echo '{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":3500005,"ev":"suspend","n":5,"site":3,"on":"user:x'$m'y"}'
	echo '{"ev":"end","ts":5000005000,"events":6,"lost":0}'; } >in
	for p in ct-stuck ct-lostwake ct-bt ct-bt\ --all ct-lint ct-sched ct-fold ct-report ct-report\ --format=text ct-top ct-plot\ waits; do
		$p in >out 2>&1 || [ $? -ne 2 ]
		if grep -a -e "$m" out; then echo "$p" >&2; false; fi
	done
done
# their neighbours are text
{ sed '$d' ../more; printf '{"ev":"name","ts":3000006,"probe_id":7,"name":"\303\234\302\240\330\233\342\200\246\342\200\247\342\201\204\342\201\252\342\212\246"}\n'; } >in
ct-stuck --quiet in >out || :
has "$(printf '\303\234\302\240\330\233\342\200\246\342\200\247\342\201\204\342\201\252\342\212\246')" out
EOF

test_case 'what a meta line tells is read from any JSON, and from no string in it' <<'EOF'
printf '%s\n' '{ "x" : ",\"wall\":7,\"host\":\"evil\"" , "ev" : "meta", "ts" : 1 , "format" : "corotrace", "wall" : 1700000000000000000,' >meta
{ tr -d '\n' <meta; echo '"\u0068ost" : "box" , "command" : [ "./a, b}" , "c" ] }'; sed 1d ../more; } >in
status 0 ct-report --json in >out
has '"command":\[ "./a, b}" , "c" \],"host":"box","wall":1700000000000000000,' out
hasnt evil out
status 0 ct-report in >out
has '2023-11-14T22:13:20 UTC' out
EOF

test_case 'a NUL in a text ends it nowhere, so that it cannot pass for another' <<'EOF'
. ../bad-lib
cat >in <<'X'
{"ev":"meta","ts":1,"format":"corotrace","version":2}
{"ev":"site","site":3,"func":"q1\u0000x","file":"q2\u0000x","line":4}
{"ev":"thread","ts":2,"tid":9,"pid":1,"name":"q3\u0000x","role":"worker"}
{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":5,"ev":"create","n":1}
{"ev":"name","ts":6,"tid":9,"probe_id":7,"name":"q4\u0000x"}
{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":7,"ev":"resume","n":2}
{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":6,"is_active":false,"ts":8,"ev":"suspend","n":3,"site":3,"on":"user:q5\u0000x","reason":"q6\u0000x"}
{"ev":"close","ts":5000,"tid":9,"on":"user:q5\u0000x","site":3}
{"ev":"end","ts":900000000,"events":5,"lost":0}
X
for command in ct-stuck 'ct-stuck --json' 'ct-bt --all' ct-lostwake 'ct-lostwake --json' ct-report 'ct-report --format=sarif' ct-tosql \
	'ct-tocsv --per=coroutine' 'ct-tocsv --per=interval' 'ct-fold --names' ct-tochrome; do
	read_it $command in >out
	has 'q[1-6]␀x' out
	sed 's/q[1-6]\(␀\|%E2%90%80\)x//g' out >rest
	hasnt 'q[1-6]' rest
done
EOF
done_testing
