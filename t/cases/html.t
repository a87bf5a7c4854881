#!/bin/sh
# ct-html: what the page carries, told by its own data; and the page itself, driven in a real browser where there is one.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
export alone=yes
export PYTHONDONTWRITEBYTECODE=1
cat >>"$scratch/.case-lib" <<'EOT'
unpack() { python3 "$SRC/t/lib/html-unpack.py" "$@"; }
# Two that lost their wakeup, one of them named, one that waits for good reason, one that ended.
mixed() {
	begin; create 1 100; resume 1 150 11; create 2 160 1; line name 170 '"tid":11,"probe_id":2,"name":"conn"'
	suspend 1 180 11 fd:9 1; resume 2 200 12; suspend 2 1000 12 fd:5 2; waiting 3 2000 user:lunch 2
	wake 3 3000 12 user:lunch 2; resume 3 3500 12; destroy 3 4000 12; waiting 4 4100 fd:5 2
	line park 4500 '"tid":12,"depth":0'; line unpark 5000 '"tid":12'; line close 6000 '"tid":12,"on":"fd:5","site":3'
	line park 7000 '"tid":12,"depth":0'; end 1012000
}
# 47 of one cause, all of it within a thousandth of the run.
crowd() {
	begin
	line thread 0 '"tid":21,"pid":1,"name":"culprit","role":"worker"'
	printf '{"ev":"site","site":9,"func":"close<%s>","file":"/a/b/c/reset.cc","line":96}\n' "$(printf 'std::pair<int,%.0s' $(seq 40))" >>trace
	for i in $(seq 47); do waiting $((100 + i)) $((1000 + i * 3)) fd:$i 1; done
	for i in $(seq 47); do line close $((1300 + i)) "\"tid\":21,\"on\":\"fd:$i\",\"site\":9"; done
	end 900000
}
# Five that wait for one another; one that awaits another, which waits.
ring() {
	begin
	for i in 1 2 3 4 5; do
		create $i $((100 + i)); resume $i $((110 + i)) 11; line name $((120 + i)) "\"tid\":11,\"probe_id\":$i,\"name\":\"philosopher $i\""
		line acquire $((200 + i)) "\"tid\":11,\"by\":$i,\"on\":\"mutex:$i\""
	done
	for i in 1 2 3 4 5; do suspend $i $((1000 + i)) 11 mutex:$((i % 5 + 1)); done
	create 20 1100 1; resume 20 1110 12; create 21 1111 20; suspend 20 1120 12 coro:21 2; resume 21 1130 12
	suspend 21 1200 12 fd:7 3; wake 21 300000 11 fd:7; resume 21 300010 12; suspend 21 300100 12 timer:5 1; end 1000000
}
EOT

test_case 'each stretch of state, each mark, each sleep of a thread is in the page' <<'EOT'
mixed
status 0 ct-html trace >page
unpack page >actual
cat >expected <<'OUT'
live 3 dropped 0 hidden 0 items 18 end 1012000000
closed-resource proven x2 site 2
  4500000 5000000 parked thread 12
  6000000 6000000 close on 5 thread 12
  7000000 1012000000 parked thread 12
coroutine 1 "" runs 1 wakes 0 older 0 in 50000 30000 1011820000 0
  100000 150000 created thread 11
  150000 180000 running thread 11
  180000 1012000000 suspended open on 9 thread 11
coroutine 2 "conn" runs 1 wakes 0 older 0 in 40000 800000 1011000000 0
  160000 200000 created thread 11
  200000 1000000 running thread 12
  1000000 1012000000 suspended open on 5 thread 12
coroutine 3 "" runs 2 wakes 1 older 0 in 10000 510000 1000000 500000
  1980000 1990000 created thread 11
  1990000 2000000 running thread 11
  2000000 3000000 suspended on user:lunch thread 11
  3000000 3000000 wake on user:lunch thread 12
  3000000 3500000 runnable on user:lunch thread 12
  3500000 4000000 running thread 12
coroutine 4 "" runs 1 wakes 0 older 0 in 10000 10000 1007900000 0
  4080000 4090000 created thread 11
  4090000 4100000 running thread 11
  4100000 1012000000 suspended open on 5 thread 11
OUT
same expected actual
EOT

test_case 'where a coroutine waits, its call stack, innermost first, as far as the trace names it' <<'EOT'
begin
echo '{"ev":"site","site":4,"func":"main","file":"m.c","line":7}' >>trace
create 1 100; resume 1 150 11; echo '{"ev":"stack","stack":9,"sites":[1,4]}' >>trace
line suspend 180 '"tid":11,"probe_id":1,"site":1,"on":"fd:9","stack":9'
create 2 200; resume 2 250 11; echo '{"ev":"stack","stack":8,"frames":["0x1000","0x2000"]}' >>trace
echo '{"ev":"symbol","addr":"0x1000","path":"/a","at":[{"func":"leaf \"<}","file":"l.c","line":5},{"func":"mid"}]}' >>trace
line suspend 280 '"tid":11,"probe_id":2,"site":1,"on":"fd:9","stack":8'
create 3 300; resume 3 350 11; suspend 3 380 11 fd:9 1; resume 2 400 11; suspend 2 410 11 fd:9 1
create 5 500; resume 5 550 11; line suspend 560 '"tid":11,"probe_id":5,"site":1,"stack":8'
end 1000000
status 0 ct-html trace >page
unpack page | grep 'stack' >actual
cat >expected <<'OUT'
  stack ["f1() f.c:10", "main() m.c:7"]
  stack ["leaf \"<} l.c:5", "mid()", "0x0000000000002000"]
OUT
same expected actual
EOT

test_case 'with less room, what lives keeps its history and its totals; what ended is summed up' <<'EOT'
mixed
status 0 ct-html --detail=2 trace >page
unpack page >all
sed -n 1p all >actual; grep '^coroutine' all >>actual
cat >expected <<'OUT'
live 3 dropped 13 hidden 0 items 11 end 1012000000
coroutine 1 "" runs 1 wakes 0 older 0 in 50000 30000 1011820000 0
coroutine 2 "conn" runs 1 wakes 0 older 0 in 40000 800000 1011000000 0
coroutine 4 "" runs 1 wakes 0 older 0 in 10000 10000 1007900000 0
OUT
same expected actual
EOT

test_case 'sums do not depend on how much is shown one by one' <<'EOT'
"$O/t/bench/gen" 40000 50 >trace
for n in 1 100 1000000; do
	status 0 ct-html --quiet --detail=$n trace >page
	python3 - page "$SRC/t/lib" >sums.$n <<'PY'
import importlib.util, sys
spec = importlib.util.spec_from_file_location('unpack', sys.argv[2] + '/html-unpack.py')
u = importlib.util.module_from_spec(spec); spec.loader.exec_module(u)
run, col = u.unpack(open(sys.argv[1]).read())
# Levels times the width of their cells are the time spent in a state: 4 threads, 50 coroutines, 100 ns an event.
cell = run['series']['width']
last = run['end'] - run['series']['base'] - (run['series']['n'] - 1) * cell
for s in ('s_running', 's_suspended'):
	v = col[s]
	print(s, round((sum(v[:-1]) * cell + v[-1] * last) / 1e5))
print('events', sum(col['s_events']), 'began', sum(col['s_begun']), 'ended', sum(col['s_ended']))
print('runs', sum(col['w_runs']), [(p['site'], p['suspends'], p['wait'][:4]) for p in run["sites"]])
PY
done
same sums.1000000 sums.1
same sums.1000000 sums.100
has 'events 40000 began 400 ended 400' sums.1
EOT

test_case 'times in each state are those of ct-tocsv: woken while it still ran, and by nobody since, it was runnable; behind a loss, unknown' <<'EOT'
begin; create 1 100; resume 1 110 11
for i in 1 2 3; do wake 1 $((i * 1000 + 90)) 12 '' '' 2; suspend 1 $((i * 1000 + 100)) 11 '' 3; resume 1 $((i * 1000 + 600)) 11; done
# A wake of before, and one of after: the latter; without any: it waited.
wake 1 4090 12; suspend 1 4100 11 fd:5; wake 1 4200 12 fd:5; resume 1 4500 11; suspend 1 5000 11; resume 1 5300 11
# The wake's line stands behind the suspend. Lines are missing in between: nobody knows.
suspend 1 6000 11 '' 3; wake 1 5990 12 '' '' 2; resume 1 6400 11; wake 1 6900 12; suspend 1 7000 11; n_1=$((n_1 + 2)); resume 1 7500 11
destroy 1 8000 11; create 2 100; resume 2 110 11; suspend 2 200 11 fd:6; n_2=9; suspend 2 700 12 fd:7; wake 2 800 12 fd:7; resume 2 900 12; destroy 2 1000 12; end 9000
status 0 ct-html --quiet trace >page
unpack page >out
sed -n 's/^coroutine \([0-9]*\) .* in /\1 /p' out >actual
ct-tocsv --quiet --per=coroutine --columns=probe_id,created_ns,running_ns,suspended_ns,runnable_ns,unknown_ns trace |
	tr -d '\r' | sed '1d; s/,/ /g; s/ \([0-9]*\)$/ unknown \1/' >expected
same expected actual
# One is drawn as it was seen; who woke is told of where it waited.
grep ' runnable \| torn ' out >actual
cat >expected <<'OUT'
  1100000 1600000 runnable thread 12
  2100000 2600000 runnable thread 12
  3100000 3600000 runnable thread 12
  4200000 4500000 runnable on 5 thread 12
  6000000 6400000 runnable thread 12
  7000000 7500000 suspended torn thread 11
  200000 700000 suspended torn on 6 thread 11
  800000 900000 runnable on 7 thread 12
OUT
same expected actual
unpack --sites page >sites
has '^{"site": "3", .*"wait": \[4, 0, .*"delay": \[4, .*"wakes": 4, "wakers": \[\[1, "12", "0", 4\]\]}$' sites
python3 - page "$SRC/t/lib" >sums <<'PY'
import importlib.util, sys
spec = importlib.util.spec_from_file_location('unpack', sys.argv[2] + '/html-unpack.py')
u = importlib.util.module_from_spec(spec); spec.loader.exec_module(u)
run, col = u.unpack(open(sys.argv[1]).read())
cell = run['series']['width']
last = run['end'] - run['series']['base'] - (run['series']['n'] - 1) * cell
print(*[round((sum(col[s][:-1]) * cell + col[s][-1] * last) / 1e4) for s in ('s_running', 's_suspended', 's_runnable')])
PY
ct-tocsv --quiet --per=interval --columns=state,ns trace | awk -F, '{ n[$1] += $2 } END { print n["running"] / 1e4, n["suspended"] / 1e4, n["runnable"] / 1e4 }' >expected
same expected sums
EOT

test_case 'a wake that the judge puts off until workers come back ended the wait when it came' <<'EOT'
# As of Go: a thread without a role, which is not known to be a worker while it runs nobody.
begin; sed -i '/"ev":"thread"/d' trace; line thread 0 '"tid":11'; line unpark 50 '"tid":11'; create 7 60; create 8 70
for i in 1 2 3; do resume 7 ${i}000 11; suspend 7 ${i}100 11 sched: 1; wake 7 ${i}100 11; done
resume 7 4000 11; suspend 7 4100 11 fd:5; wake 7 4300 11; wake 8 4400 11; wake 7 4500 11; resume 7 4900 11
destroy 7 5000 11; resume 8 5100 11; destroy 8 5200 11; end 6000
status 0 ct-html --quiet trace >page
unpack page | sed -n 's/^coroutine \([0-9]*\) .* in /\1 /p' >actual
ct-tocsv --quiet --per=coroutine --columns=probe_id,created_ns,running_ns,suspended_ns,runnable_ns trace | tr -d '\r' | sed '1d; s/,/ /g' | sort -n >expected
same expected actual
has ' 200000 3300000$' actual	# 7 was runnable from the first on
EOT

test_case 'random runs: each coroutine is as long in each state as ct-tocsv has it, and unknown at the end of a loss' <<'EOT'
for seed in 1 2; do
	python3 "$SRC/t/lib/lossy.py" $seed >trace
	status 0 ct-html --quiet trace >page
	unpack --sums page | sort >actual
	ct-tocsv --quiet --per=coroutine --columns=run,probe_id,created_ns,running_ns,suspended_ns,runnable_ns,unknown_ns trace |
		tr -d '\r' | sed 1d | sort >expected
	same expected actual
done
EOT

test_case 'one whose end is missing was gone by then, and what it did last is not known' <<'EOT'
begin; create 7 100; resume 7 200 11; suspend 7 400 11 fd:5 1; line lost 700 '"tid":11,"count":2,"from":1000000500000,"to":1000000700000'
line end 900 '"events":3,"lost":2,"live":0'
status 0 ct-html --quiet trace >page
unpack page >actual
cat >expected <<'OUT'
live 0 dropped 0 hidden 0 items 3 end 900000
coroutine 7 "" runs 1 wakes 0 older 0 in 100000 200000 0 0 unknown 500000
  100000 200000 created thread 11
  200000 400000 running thread 11
  400000 900000 suspended torn on 5 thread 11
OUT
same expected actual
EOT

test_case 'where the trace lost anything, who was woken last is runnable since then, as far as is known' <<'EOT'
begin; create 7 100; resume 7 200 11; suspend 7 400 11 fd:5 1; wake 7 600 12 fd:5 2; line lost 700 '"tid":11,"count":2,"from":1000000650000,"to":1000000700000'
line end 900 '"events":4,"lost":2'
status 0 ct-html --quiet trace >page
unpack page | sed -n '/^coroutine/p; /torn/p' >actual
cat >expected <<'OUT'
coroutine 7 "" runs 1 wakes 1 older 0 in 100000 200000 0 0 unknown 500000
  400000 600000 suspended torn on 5 thread 11
  600000 900000 runnable open torn on 5 thread 12
OUT
same expected actual
EOT

test_case 'stretches and marks name their lines, in whatever order these came' <<'EOT'
begin; create 7 100; resume 7 200 11; suspend 7 400 11 fd:5 1; wake 7 500 12 fd:5 2; resume 7 600 11; suspend 7 700 11 fd:6 1
wake 7 300 12 fd:5 2; wake 7 450 12 fd:5 2; end 900
grep -n '"ev":"wake"' trace | cut -d: -f1 >lines
status 0 ct-html --quiet trace >page
python3 - page "$SRC/t/lib" >actual <<'PY'
import importlib.util, sys
spec = importlib.util.spec_from_file_location('unpack', sys.argv[2] + '/html-unpack.py')
u = importlib.util.module_from_spec(spec); spec.loader.exec_module(u)
run, col = u.unpack(open(sys.argv[1]).read())
k, wakes = 0, []
for n in col['items']:
	line = 0
	for i in range(k, k + n):
		line += col['line'][i]
		if u.STATES[col['kind'][i] & 15] == 'wake':
			wakes.append(line)
	k += n
print('\n'.join(map(str, wakes)))
PY
sort -n actual | same lines -
[ "$(tr '\n' ' ' <actual)" != "$(tr '\n' ' ' <lines)" ]
EOT

test_case 'loss, a cut, bad lines and several runs are told' <<'EOT'
begin; waiting 7 1000 fd:5; line lost 2000 '"tid":11,"count":3,"from":1000001500000,"to":1000001600000'; echo 'torn {' >>trace
line close 2500 '"tid":12,"on":"fd:5"'; line sync 900000; cp trace one
status 0 ct-html one >page 2>err; has 'one:11: ' err; has 'no end line' err
status 2 ct-html --strict --quiet one >/dev/null
python3 - page "$SRC/t/lib" >actual <<'PY'
import importlib.util, sys
spec = importlib.util.spec_from_file_location('unpack', sys.argv[2] + '/html-unpack.py')
u = importlib.util.module_from_spec(spec); spec.loader.exec_module(u)
run, col = u.unpack(open(sys.argv[1]).read())
h = run['health']
print(h['ended'], h['lost'], h['bad'], h['bad_lines'][0][0], h['gaps'], [g['certainty'] for g in run['groups']])
PY
echo "False 3 1 11 [[1500000, 1600000, 3]] ['unknown']" >expected; same expected actual
# more than a double is exact for is a text
sed 's/"count":3/"count":18446744073709551614/; s/"line":10/"line":9007199254740993/; s/"pid":1,/"pid":9007199254740991,/' one >huge
ct-html --quiet huge >page
python3 - page "$SRC/t/lib" >actual <<'PY'
import importlib.util, sys
spec = importlib.util.spec_from_file_location('unpack', sys.argv[2] + '/html-unpack.py')
u = importlib.util.module_from_spec(spec); spec.loader.exec_module(u)
run, col = u.unpack(open(sys.argv[1]).read())
print([run['health']['lost'], run['health']['gaps'][0][2], [s['line'] for s in run['sites'] if isinstance(s['line'], str)], run['threads'][0]['pid']])
PY
echo "['18446744073709551614', '18446744073709551614', ['9007199254740993'], 9007199254740991]" >expected; same expected actual
mixed; cat trace >>one; status 0 ct-html one >page 2>err; unpack page 2 >second; has 'closed-resource proven x2' second
EOT

# 300 MB where each is kept until the end.
test_case 'of five thousand runs one at a time is in memory' <<'EOT'
awk 'BEGIN {
	for (i = 1; i <= 5000; i++) {
		printf "{\"ev\":\"meta\",\"ts\":%d,\"format\":\"corotrace\",\"version\":2}\n", i * 1000
		printf "{\"probe_id\":7,\"tid\":9,\"addr\":\"0x0\",\"seq\":2,\"is_active\":false,\"ts\":%d,\"ev\":\"create\",\"n\":1}\n", i * 1000 + 1
		printf "{\"ev\":\"end\",\"ts\":%d,\"events\":1,\"lost\":0}\n", i * 1000 + 2
	}
}' >trace
([ -n "$SAN" ] || ulimit -v 100000; status 0 ct-html trace >page)
grep -c '^<script type="application/x-corotrace"' page >n; echo 5000 >expected; same expected n
unpack page 5000 | grep -c '^coroutine 7 ' >n; echo 1 >expected; same expected n
EOT

# 280 MB where each has a fine chart. One more stands for none.
test_case 'of twenty thousand sites all are in the page, with charts that need little memory' <<'EOT'
awk 'BEGIN {
	for (i = 1; i <= 20000; i++)
		printf "{\"probe_id\":%d,\"tid\":9,\"addr\":\"0x0\",\"seq\":2,\"is_active\":false,\"ts\":%d,\"ev\":\"suspend\",\"n\":1,\"site\":%d}\n", i, i * 1000, i
}' >trace
([ -n "$SAN" ] || ulimit -v 180000; status 0 ct-html --quiet trace >page)
unpack --sites page | wc -l >n; echo 20001 >expected; same expected n
EOT

test_case 'the page names no address but its own, and no text of the trace stands outside its data' <<'EOT'
mixed; sed -i 's/"conn"/"<script>alert(1)<\/script>"/' trace
status 0 ct-html --title='a "title" </body> <b>' trace >page
hasnt 'alert(1)' page; has 'data-title="a &#34;title&#34; &#60;/body&#62; &#60;b&#62;"' page
grep -oE '(https?:)?//[a-z0-9.]+\.[a-z]{2,}' page | sort -u >actual; echo http://www.w3.org >expected; same expected actual
has "default-src 'none'" page
EOT

test_case 'usage, empty input, a full disk, a closed pipe' <<'EOT'
status 2 ct-html --detail=0 </dev/null; status 2 ct-html --nonsense </dev/null; status 2 ct-html nowhere >/dev/null
: >nothing; status 2 ct-html nothing >out; [ ! -s out ]
mixed; status 2 ct-html trace >/dev/full
sh -c 'trap "" PIPE; ct-html trace 2>err; echo $? >got' | true; echo 0 >expected; same expected got; [ ! -s err ]
head -c 2000 trace >torn; status 0 ct-html torn >page 2>err; unpack page >/dev/null
EOT

test_case '--source shows lines of what lies below the directory, and of nothing else' <<'EOT'
mkdir -p below/sub; echo secret >hidden.c; seq 40 >below/sub/f.c; ln -s ../hidden.c below/link.c; mkfifo below/fifo.c; seq 40 >below/large.c; truncate -s 17M below/large.c
one() { mixed; sed -i "s,\"f.c\",\"$1\",g" trace; status 0 ct-html --source=below trace >page; unpack --sites page >out; }
one sub/f.c; has '"source": *\[16, *"16", *"17", *"18", *"19", *"20",' out
one /built/elsewhere/sub/f.c; has '"20"' out
for path in ../hidden.c below/../../hidden.c link.c fifo.c large.c nowhere.c /; do one $path; hasnt '"source"' out; done
one "$PWD/hidden.c"; hasnt secret out
mixed; status 2 ct-html --source=nowhere trace 2>err; has '^ct-html: --source=nowhere: ' err
status 2 ct-html --source=trace trace 2>err
EOT

test_case "the runtime's own coroutines are marked" <<'EOT'
mixed; sed -i 's/"name":"conn"/&,"role":"system"/' trace; ct-html trace >page
unpack page >out; has '^coroutine 2 "conn" .* system$' out; [ $(grep -c system out) -eq 1 ]
EOT

test_case 'the smallest and the oddest: one line, version 1, times from 0 to 2^64' <<'EOT'
echo '{"probe_id":7,"tid":1,"addr":"0x0","seq":2,"is_active":false,"ts":5}' >trace
status 0 ct-html trace >page; unpack page >out; has '0 0 suspended open' out
begin; create 18446744073709551615 100; resume 18446744073709551615 110 11
echo '{"probe_id":9,"tid":11,"addr":"0x0000000000000000","seq":2,"is_active":true,"ts":18446744073709551615,"ev":"resume","n":1}' >>trace
echo '{"probe_id":10,"tid":11,"addr":"0x0000000000000000","seq":2,"is_active":true,"ts":1,"ev":"resume","n":1}' >>trace
status 0 ct-html --quiet trace >page; unpack page >out; has 'coroutine 18446744073709551615' out
EOT

test_case 'pages to be driven' <<'EOT'
mkdir ../pages
page() { name=$1; shift; status 0 ct-html --quiet "$@" >../pages/$name.html; }
mixed; page mixed trace
crowd; page crowd trace
ring; page ring trace
ring; mv trace before.jsonl; mixed; mv trace after.jsonl; page compared before.jsonl after.jsonl
python3 "$SRC/t/lib/many.py" 5000 300 >trace; page many trace
"$O/t/bench/gen" 200000 50 >trace; page summed --detail=5000 trace

begin; waiting 7 1000 fd:5; resume 7 2000 11; destroy 7 2100 11; end 3000; page clean trace
long_name=$(printf "%0200d" 7); cp trace $long_name; mixed; cat trace >>$long_name; page runs $long_name
begin; waiting 7 1000 fd:5; page cut trace
# Of 10 ms: 1 created, 2 running, 3 waiting, 4 of which lines are missing.
begin; create 1 0; resume 1 1000 11; suspend 1 2000 11 fd:5; resume 1 5000 11; suspend 1 6000 11 fd:5; n_1=8; destroy 1 10000 11
alone=yes end 10000; page gaps trace
begin; awk 'BEGIN {
	split("resume suspend resume suspend resume suspend", ev); split("1 1 2 2 2 2", who)
	for (t = 0; t < 24000; t++) {
		k = t % 6 + 1; n[who[k]]++; on = k == 2 ? "coro:2" : k == 4 ? "fd:5" : "chan:6"
		printf "{\"probe_id\":%d,\"tid\":11,\"addr\":\"0x0000000000000000\",\"seq\":%d,\"is_active\":%s,\"ts\":%.0f,\"ev\":\"%s\",\"n\":%d%s}\n",
			who[k], 2 * n[who[k]], k % 2 ? "true" : "false", 1000000000100 + t * 100, ev[k], n[who[k]],
			k % 2 ? "" : ",\"site\":" (k == 2 ? 1 : 2) ",\"on\":\"" on "\""
	} }' >>trace
alone=yes end 3000; page relay trace
begin; waiting 7 1000 coro:8; waiting 8 1100 coro:7; end 1000000; page cycle trace

late() { sed "1s/}$/,\"attached\":true$1}/" trace >late; page $2 late; }
begin; waiting 7 1000 fd:5; line attach 2000 '"live":1,"states":0,"history":4,"before":0'
line stop 3000 '"tid":11,"pid":1'; line start 503000 '"tid":11,"pid":1'; end 1000000
late '' late; late ',"born_before":true' asked

cat >trace <<'T'
{"ev":"meta","ts":1000,"format":"corotrace","version":2,"tool":"t","snapshot":true,"memory":"stopped"}
{"ev":"site","site":1,"func":"serve","file":"serve.cc","line":42}
{"probe_id":7,"tid":0,"addr":"0x0000000000000010","seq":4,"is_active":false,"ts":1000,"ev":"state","n":2,"site":1,"on":"join:8","since":"before"}
{"probe_id":8,"tid":0,"addr":"0x0000000000000020","seq":4,"is_active":false,"ts":1000,"ev":"state","n":2,"site":1,"on":"join:7","since":"before"}
{"ev":"end","ts":1000,"events":0,"lost":0,"live":2}
T
page moment trace

func=github.com/who/what/internal/bundler.'(*scanner).'; file=/srv/go/pkg/mod/github.com/who/what@v1.2.3/internal/bundler
begin; sed -i '1s/}$/,"go_trace":"1.26"}/' trace
line site 900 '"site":5,"func":"'"$func"'parse","file":"'$file'/bundler.go","line":1634'
create 7 950; line name 960 '"tid":11,"probe_id":7,"name":"'"$func"'parse"'; resume 7 980 11; suspend 7 1000 11 chan:5 5
create 8 950; line name 960 '"tid":11,"probe_id":8,"name":"runtime.bgsweep","role":"system"'; resume 8 980 11; suspend 8 1000 11 chan:6 5
end 1000000; page go trace

begin; waiting 7 1000 fd:5; line lost 2000 '"tid":11,"count":18446744073709551614,"from":1000001500000,"to":1000001600000'
end 1000000; page untold trace

long=$(printf 'W%.0s' $(seq 300))
begin; line site 900 "\"site\":5,\"func\":\"$long\",\"file\":\"$long\",\"line\":42"
create 7 950; line name 960 "\"tid\":11,\"probe_id\":7,\"name\":\"$long\""; resume 7 980 11; suspend 7 1000 11 "user:$long" 5
wake 7 2000 12 "user:$long"; resume 7 2100 11; suspend 7 2200 11 "user:$long" 5
line close 3000 "\"tid\":12,\"on\":\"user:$long\",\"site\":5"; end 1000000; page long trace

mixed; sed -i '$d' trace
python3 - >>trace <<'PY'
import json
names = ['</script><script>window.pwned=1</script>', '"><img src=x onerror="window.pwned=1">', "'; window.pwned=1; //", '\u202egnp.exe\u202c \u2067x',
	'\u0000\u0001\u001b[31m\u007f\u0085', 'x' * 1000000, '<!--', ']]>', '\U0001f600' * 300, '&lt;&#60;', '${window.pwned=1}', '@js@ @data@', 'e' + '\u0301' * 50]
ts = 1000008000000
for i, n in enumerate(names):
	p = 100 + i
	j = lambda s: json.dumps(s)
	print(f'{{"ev":"site","site":{p},"func":{j(n)},"file":{j(n[:3000])},"line":3}}')
	print(f'{{"probe_id":{p},"tid":11,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":{ts},"ev":"create","n":1}}')
	print(f'{{"ev":"name","ts":{ts},"tid":11,"probe_id":{p},"name":{j(n)}}}')
	print(f'{{"ev":"thread","ts":{ts},"tid":{p},"pid":1,"name":{j(n)},"role":{j(n[:200])}}}')
	print(f'{{"probe_id":{p},"tid":{p},"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":{ts + 10},"ev":"resume","n":2}}')
	print(f'{{"probe_id":{p},"tid":{p},"addr":"0x0000000000000000","seq":6,"is_active":false,"ts":{ts + 20},"ev":"suspend","n":3,"site":{p},"on":{j("user:" + n)},"reason":{j(n)}}}')
PY
end 1012000; sed -i '1s/}$/,"wall":"yesterday","host":{"toString":1},"command":[{"toString":1},"x"]}/' trace; page hostile trace

for at in 0 2592000000000; do
	begin; create 1 0; line name 0 '"tid":1,"probe_id":1,"name":"שלום"'; resume 1 $at 11; suspend 1 $at 11 fd:5; end $at; page far$at trace
done

mkdir -p src/lib; { for i in $(seq 19); do echo "line $i"; done; echo '	await(fd);'; for i in $(seq 21 29); do echo "line $i <b class=evil>"; done
	echo 'close(fd);'; } >src/lib/f.c
mixed; sed -i 's,"f.c","/elsewhere/lib/f.c",' trace; page sources --source=src trace
EOT

browser=
for b in chromium chromium-browser google-chrome chrome; do command -v $b >/dev/null && browser=$b && break; done
if [ -n "$browser" ]; then
	cat >"$scratch/scenarios" <<-'EOT'
	look mixed.html
	zoom mixed.html
	lanes mixed.html
	filters mixed.html
	tables mixed.html
	overview mixed.html
	spans mixed.html
	gaps gaps.html
	relay relay.html
	panes mixed.html
	themes mixed.html
	access mixed.html
	policy mixed.html
	addresses mixed.html
	printed crowd.html
	widths crowd.html
	finding crowd.html
	searching crowd.html
	touch crowd.html
	many many.html
	widths many.html
	widths long.html
	verdict clean.html No coroutine was forgotten: every one has ended
	verdict cut.html cannot rule it out
	verdict cycle.html 1 cycle of coroutines will never run again
	about late.html attached 998ms before the end, recording stopped for 500ms
	verdict asked.html what stood still then was not seen
	about untold.html 18 446 744 073 709 551 614 events lost
	moment moment.html
	shortened go.html
	hostile hostile.html
	figures far0.html –
	figures far2592000000000.html 0.0000012, most 0.0013
	deadlock ring.html
	linked ring.html flame
	linked ring.html span
	compared compared.html
	sources sources.html
	runs runs.html
	summed summed.html
	EOT
	(cd "$scratch/pages" && limited python3 "$SRC/t/lib/html-drive.py" $test_count <"$scratch/scenarios")
	test_count=$((test_count + $(wc -l <"$scratch/scenarios")))
else
	skip_case 'the pages in a browser' 'no Chromium'
fi
done_testing
