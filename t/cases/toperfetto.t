#!/bin/sh
# toperfetto.t - a trace as Perfetto's: by the format's own description, its own trace processor, its own page.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
. "${0%/*}/../lib/viewers.sh"

test_case 'nothing to read, a line that is cut, a full disk' <<'EOT'
status 2 ct-toperfetto /dev/null >out 2>err
[ ! -s out ]
head -c 1500 ../trace >cut
status 0 ct-toperfetto cut >out 2>err
has '^ct-toperfetto: cut:[0-9]*: the line is cut off$' err
status 2 ct-toperfetto --strict cut >out 2>err
[ ! -e /dev/full ] || status 2 ct-toperfetto ../trace >/dev/full 2>err
status 2 ct-toperfetto --from=x ../trace 2>err
echo '{"ev":"sync","ts":4611686018427387904}' >>cut
status 0 ct-toperfetto cut >/dev/null 2>err
EOT

case_if viewers_python "the format's own descriptors know every field; tracks, names and places are told before they are used" <<'EOT'
for f in trace busy; do
	ct-toperfetto --quiet ../$f >out
	$python "$SRC/t/lib/viewers-schema.py" out
done
cat ../trace ../trace | ct-toperfetto --quiet --from=+1300ns --to=+2100ns >out
$python "$SRC/t/lib/viewers-schema.py" out
# A name from the first bytes to the last that a field's length can take.
awk 'BEGIN { s = "x"; while (length(s) < 40000) s = s s
	print "{\"probe_id\":7,\"tid\":5,\"addr\":\"0x00000000000000f0\",\"seq\":2,\"is_active\":false,\"ts\":5,\"ev\":\"create\",\"n\":1}"
	printf "{\"ev\":\"name\",\"ts\":6,\"tid\":5,\"probe_id\":7,\"name\":\"%s\"}\n", s
	print "{\"probe_id\":7,\"tid\":5,\"addr\":\"0x00000000000000f0\",\"seq\":4,\"is_active\":true,\"ts\":9,\"ev\":\"resume\",\"n\":2}" }' |
	ct-toperfetto --quiet >out
$python "$SRC/t/lib/viewers-schema.py" out
EOT

case_if viewers_python 'its own trace processor sees each interval, run and wake, as ct-tocsv has them' <<'EOT'
$python "$SRC/t/lib/viewers-check.py" ct-toperfetto ../busy
$python "$SRC/t/lib/viewers-check.py" ct-toperfetto ../trace got
cat >want <<'X'
1000+100 7 conn \ | created at main() a.c:10
1000+200 8 | created at main() a.c:10
1100+0 thread 51 | wake
1100+100 7 conn \ | runnable
1200+0 thread 51 | wake
1200+100 8 | runnable
1200+300 7 conn \ | running
1200+300 thread 51 | 7 conn \
1300+100 8 | running
1300+100 thread 51 | 8
1400+500000900 8 | unknown
1500+200 7 conn \ | suspended at serve() b.c:20 on chan
1500+300 thread 51 | parked
1600+0 thread 52 | close fd
1700+0 thread 52 | wake
1700+200 7 conn \ | runnable
1900+200 7 conn \ | running
1900+200 beside thread 51 | 7 conn \
1950+50 9 | created at main() a.c:10
2000+200 9 | unknown
2100+500000200 7 conn \ | unknown
2200+0 9 | 2 events lost
2200+500000100 9 | unknown
2300+500000000 thread 51 | parked
500002300+0 None | exit status 0
flow 1100 -> 1200
flow 1200 -> 1300
flow 1700 -> 1900
X
same want got
EOT

case_if viewers_python 'findings stand on their coroutines, with certainty and story; counters and the time of day are there' <<'EOT'
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5","site":3'; line park 3000 '"tid":12,"depth":4'; end 3000000
ct-toperfetto trace >out 2>err
[ ! -s err ]
cat >ask.py <<'X'
import sys
sys.path.insert(0, sys.argv[1])
from perfetto_engine import Perfetto
tp = Perfetto('out')
for row in tp.rows("select t.name as track, s.ts as ts, s.name as name, a.key as key, a.display_value as value from slice s "
                   "join track t on s.track_id = t.id join args a using (arg_set_id) where s.category = 'finding' "
                   "and a.key in ('debug.certainty', 'debug.story', 'source.function_name') order by s.ts, a.key"):
    print(*row, sep='|')
for row in tp.rows("select c.ts as ts, cast(c.value as int) as v, t.name as name from counter c join track t on c.track_id = t.id order by 1"):
    print(*row, sep='|')
for row in tp.rows("select pid, name from process where pid > 0"):
    print(*row, sep='|')
for row in tp.rows("select tid, name from thread where tid > 0 order by 1"):
    print(*row, sep='|')
for row in tp.rows("select clock_name, clock_value from clock_snapshot order by 1"):
    print(*row, sep='|')
X
$python ask.py "$SRC/t/lib" >got
ct-lostwake trace | grep -o 'coroutine 7 .*' >story || :
[ -s story ]
cat >want <<X
7|1000002000000|closed-resource|debug.certainty|proven
7|1000002000000|closed-resource|debug.story|$(cat story)
7|1000002000000|closed-resource|source.function_name|f1
1000003000000|4|queue
1|process
1|None
11|w11
12|w12
MONOTONIC|1000000000000
X
same want got
EOT

case_if viewers_browser "Perfetto's page shows it" <<'EOT'
ct-toperfetto --quiet ../trace >out
$python "$SRC/t/lib/viewers.py" perfetto out >page
has 'worker "1"' page
has 'main() a.c:10' page
has '7 conn' page
EOT
done_testing
