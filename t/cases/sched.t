#!/bin/sh
# ct-sched: what ran, waited and was runnable, by site and thread; delays, migrations, who wakes whom; what is not known.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
cat >>"$scratch/.case-lib" <<'EOF'
# 1: created, woken, runs on 11, waits at f2, woken twice, runs on 12, waits at f3, woken by 2 while runnable; ends.
sample() {
	begin; create 1 100; wake 1 110 11; resume 1 150 11; suspend 1 250 11 fd:5 2
	wake 1 1250 12 fd:5; wake 1 1260 12 fd:5; resume 1 1251 12; suspend 1 1300 12 chan:7 3
	line park 1301 '"tid":12,"depth":0'; create 2 1400; wake 2 1400 11; resume 2 1440 11; wake 1 1500 11 chan:7 2
	suspend 2 1510 11 fd:6 2; line unpark 1600 '"tid":12,"depth":1'; resume 1 1600 12; destroy 1 1700 12; end 2000
}
EOF

test_case 'all of it, in words' <<'EOF'
sample; status 0 ct-sched trace >out
cat >expected <<'OUT'
2.00ms traced, 4 resumes, 1 on another thread than before; ran 319us, suspended 1.69ms, runnable 181us
from runnable to running, 4 times: p50 40.4us, p99 99.3us, max 100us
  [  512ns,  1.02us)          1 |@@@@@@@@@@@@@@@@@@@@                    |
  [ 1.02us,  2.05us)          0 |                                        |
  [ 2.05us,  4.10us)          0 |                                        |
  [ 4.10us,  8.19us)          0 |                                        |
  [ 8.19us,  16.4us)          0 |                                        |
  [ 16.4us,  32.8us)          0 |                                        |
  [ 32.8us,  65.5us)          2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
  [ 65.5us,   131us)          1 |@@@@@@@@@@@@@@@@@@@@                    |

 resumes migrated   running suspended  runnable     p50     p99     max  site
       1        0     100us     200us     100us  99.3us  99.3us   100us  f3() f.c:30
       2        0     170us       0ns    80.0us  40.0us  40.0us  40.0us  ?
       1        1    49.0us    1.49ms    1.00us  1.00us  1.00us  1.00us  f2() f.c:20

 resumes migrated   running    parked     parks     wakes     p50     p99     max  thread
       2        0     170us       0ns         0         3  40.0us  40.0us  40.0us  thread 11 "w11"
       2        1     149us     299us         1         2  1.00us  99.3us   100us  thread 12 "w12"

   wakes  waker (call) -> woken
       2  thread 11 "w11" -> ?
       2  thread 12 "w12" -> f2() f.c:20
       1  ? -> f3() f.c:30

1 coroutine lives at the end: its time counts up to there
OUT
same expected out
EOF

test_case 'as JSON lines' <<'EOF'
sample; status 0 ct-sched --json trace >out
cat >expected <<'OUT'
{"of":"run","traced":2000000,"unknown":0,"unwoken":0,"late":0,"stray":0,"before":0,"open":1,"v1":0,"doubt":null,"resumes":4,"migrated":1,"suspends":3,"wakes":5,"running":319000,"suspended":1690000,"runnable":181000,"unstarted":10000,"delay":{"count":4,"p50":40448,"p99":99328,"max":100000,"histogram":[[512,1024,1],[32768,65536,2],[65536,131072,1]]}}
{"of":"site","site":{"func":"f3","file":"f.c","line":30},"resumes":1,"migrated":0,"suspends":0,"wakes":1,"running":100000,"suspended":200000,"runnable":100000,"unstarted":0,"delay":{"count":1,"p50":99328,"p99":99328,"max":100000,"histogram":[[65536,131072,1]]}}
{"of":"site","site":null,"resumes":2,"migrated":0,"suspends":2,"wakes":2,"running":170000,"suspended":0,"runnable":80000,"unstarted":10000,"delay":{"count":2,"p50":40000,"p99":40000,"max":40000,"histogram":[[32768,65536,2]]}}
{"of":"site","site":{"func":"f2","file":"f.c","line":20},"resumes":1,"migrated":1,"suspends":1,"wakes":2,"running":49000,"suspended":1490000,"runnable":1000,"unstarted":0,"delay":{"count":1,"p50":1000,"p99":1000,"max":1000,"histogram":[[512,1024,1]]}}
{"of":"thread","tid":11,"thread":"w11","role":"worker","resumes":2,"migrated":0,"suspends":2,"wakes":3,"running":170000,"parks":0,"parked":0,"delay":{"count":2,"p50":40000,"p99":40000,"max":40000,"histogram":[[32768,65536,2]]}}
{"of":"thread","tid":12,"thread":"w12","role":"worker","resumes":2,"migrated":1,"suspends":1,"wakes":2,"running":149000,"parks":1,"parked":299000,"delay":{"count":2,"p50":1000,"p99":99328,"max":100000,"histogram":[[512,1024,1],[65536,131072,1]]}}
{"of":"wakes","tid":11,"thread":"w11","role":"worker","call":null,"woken":null,"count":2}
{"of":"wakes","tid":12,"thread":"w12","role":"worker","call":null,"woken":{"func":"f2","file":"f.c","line":20},"count":2}
{"of":"wakes","waker":null,"call":null,"woken":{"func":"f3","file":"f.c","line":30},"count":1}
OUT
same expected out
EOF

test_case '--site chooses; --histograms' <<'EOF'
sample; status 0 ct-sched --site=f2 --histograms trace >out
cat >expected <<'OUT'
2.00ms traced, 1 resumes, 1 on another thread than before; ran 49.0us, suspended 1.49ms, runnable 1.00us
from runnable to running, 1 times: p50 1.00us, p99 1.00us, max 1.00us
  [  512ns,  1.02us)          1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|

 resumes migrated   running suspended  runnable     p50     p99     max  site
       1        1    49.0us    1.49ms    1.00us  1.00us  1.00us  1.00us  f2() f.c:20
  [  512ns,  1.02us)          1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|

 resumes migrated   running    parked     parks     wakes     p50     p99     max  thread
       1        1    49.0us     299us         1         2  1.00us  1.00us  1.00us  thread 12 "w12"
  [  512ns,  1.02us)          1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|

   wakes  waker (call) -> woken
       2  thread 12 "w12" -> f2() f.c:20

1 coroutine lives at the end: its time counts up to there
OUT
same expected out
EOF

test_case '--from and --to cut stretches of time; --top' <<'EOF'
sample; status 0 ct-sched --from=+1ms --to=+1250500ns --top=1 trace >out
cat >expected <<'OUT'
250us traced, 0 resumes, 0 on another thread than before; ran 0ns, suspended 250us, runnable 500ns

 resumes migrated   running suspended  runnable     p50     p99     max  site
       0        0       0ns     250us     500ns       -       -       -  f2() f.c:20

 resumes migrated   running    parked     parks     wakes     p50     p99     max  thread
       0        0       0ns       0ns         0         1       -       -       -  thread 12 "w12"

   wakes  waker (call) -> woken
       1  thread 12 "w12" -> f2() f.c:20

1 coroutine lives at the end: its time counts up to there
OUT
same expected out
status 0 ct-sched --json --name=nobody trace >out; has '"resumes":0' out
EOF

test_case 'what cannot be known is counted apart' <<'EOF'
begin; waiting 1 1000 fd:5 2; n_1=7; resume 1 2000 11; suspend 1 2100 11 fd:5 2; resume 1 2200 11; wake 1 2150 12; wake 9 2160 12
suspend 1 2300 11 fd:5 2; n_8=4; resume 8 2400 12; end 3000
status 0 ct-sched trace >out
cat >expected <<'OUT'
3 stretches with lines missing in them, not counted
1 resume without a wake seen: no delay known
1 wake reported after the resume it brought about
1 wake of a coroutine that had ended or was never seen
1 coroutine first seen in the middle of its life
events were lost: the numbers may be too small
OUT
tail -6 out >actual
same expected actual
has '^3.00ms traced, 4 resumes' out
EOF

test_case 'a state line confirms what was open at the end, in spite of loss' <<'EOF'
begin; waiting 1 1000 fd:5 2; line lost 1500 '"tid":11,"count":3,"from":1,"to":2'
printf '{"probe_id":1,"tid":11,"addr":"0x0000000000000000","seq":6,"is_active":false,"ts":%s,"ev":"state","n":3,"site":2,"on":"fd:5"}\n' \
	"$(ns 1000)" >>trace
line end 3000 '"events":3,"lost":3,"live":1'
status 0 ct-sched trace >out; has 'suspended 2.00ms' out; has '^1 coroutine lives' out; has '^events were lost' out
EOF

test_case 'a trace without an end, one that was cut out, two runs, version 1' <<'EOF'
sample; sed '$d' trace >cut; status 0 ct-sched cut >out; has '^the trace was cut off: ' out
ct-where '.ev != "park"' trace | status 0 ct-sched >out; has '^a filter left lines out: ' out
cat trace trace >two; status 0 ct-sched two >out; has '^run 2:$' out
status 0 ct-sched --json two >out; has '"run":2}$' out
for i in 1 2 3 4; do
	printf '{"probe_id":7,"tid":4,"addr":"0x0000000000000010","seq":%s,"is_active":%s,"ts":%s}\n' \
		$((i * 2)) "$([ $((i % 2)) = 0 ] && echo true || echo false)" $((i * 1000000000))
done >v1
status 0 ct-sched v1 >out; has 'ran 1.00s, suspended 2.00s, runnable 0ns' out; has '^4 lines of version 1' out
EOF

test_case 'quantiles are within 1/64 of sorted values; memory stays' <<'EOF'
"${AWK:-awk}" 'BEGIN {
	print "{\"ev\":\"meta\",\"ts\":1,\"format\":\"corotrace\",\"version\":2,\"tool\":\"t\"}"
	f = "{\"probe_id\":7,\"tid\":4,\"addr\":\"0x0000000000000000\",\"seq\":%d,\"is_active\":%s,\"ts\":%.0f,\"ev\":\"%s\"%s}\n"
	t = 1000; n = 1; printf f, 2, "false", t, "create", ",\"n\":1"
	for (i = 1; i <= 1000; i++) {
		printf f, 0, "false", t + 10, "wake", ""; t += 10 + i * i
		printf f, 2 * ++n, "true", t, "resume", ",\"n\":" n; printf f, 2 * ++n, "false", ++t, "suspend", ",\"n\":" n
	}
	printf "{\"ev\":\"end\",\"ts\":%.0f,\"events\":0,\"lost\":0}\n", t
}' >trace
status 0 ct-sched --json trace >out
sed -n '1s/.*"count":1000,"p50":\([0-9]*\),"p99":\([0-9]*\),"max":\([0-9]*\).*/\1 \2 \3/p' out >got
awk '{ ok = near($1, 250000) && near($2, 980100) && $3 == 1000000; exit !ok }
	function near(x, y) { return (x > y ? x - y : y - x) * 64 <= y }' got || { cat got >&2; false; }
EOF

test_case 'usage, help, bad and torn lines, hostile names, empty input, full disk' <<'EOF'
status 2 ct-sched --nonsense 2>err; has '^ct-sched: ' err
status 2 ct-sched --top=x 2>err
status 0 ct-sched --help >out; has 'example:' out
status 2 ct-sched </dev/null 2>err; has '^ct-sched: ' err
sample; status 2 ct-sched trace >/dev/full 2>err
begin; line thread 5 '"tid":11,"pid":1,"name":"\u001b[2J"'; waiting 1 1000 fd:5; end 2000
status 0 ct-sched trace >out; has 'x1b' out; sample
(cat trace; printf '{"probe_id":7,') >torn; status 0 ct-sched torn >out 2>err; has '^lines could not be read' out
status 2 ct-sched --strict torn >out 2>err
EOF
test_case 'a wake at the very time of the resume is the one that brought it about' <<'EOF'
begin; create 1 100; wake 1 150 12; resume 1 150 11; suspend 1 200 11 fd:5; wake 1 300 12 fd:5; resume 1 300 11; suspend 1 400 11 fd:5; end 500
ct-sched --json trace >out
has '"of":"run",.*"unwoken":0,' out
EOF

test_case 'quantiles: each below 32 exact, the others within a 64th, at every size' <<'EOF'
status 0 "$O/t/unit/hist" >out || { grep '^not' out >&2; exit 1; }
EOF
done_testing
