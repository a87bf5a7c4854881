#!/bin/sh
# tochrome.t - a trace as Trace Event JSON: what JSON says of it, Perfetto's importer, chrome://tracing's, speedscope.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/viewers.sh"

test_case 'nothing to read, a line that is cut, a full disk' <<'EOT'
status 2 ct-tochrome /dev/null >out 2>err
[ ! -s out ]
echo '{"ev":"open","ts":4611686018427387904,"on":"fd:1"}' | status 0 ct-tochrome >out 2>err
has '^ct-tochrome: 1 events from 2^62 ns on: left out$' err || has 'cut off' err
head -c 1500 ../trace >cut
status 0 ct-tochrome cut >out 2>err
has '^ct-tochrome: cut:[0-9]*: the line is cut off$' err
tail -n 1 out >end
echo ']}' >want
same want end
[ ! -e /dev/full ] || status 2 ct-tochrome ../trace >/dev/full 2>err
EOT

test_case 'texts are whole, numbers that would meet made-up ones are made up, and a wake at the end is an arrow' <<'EOT'
own() { printf '{"ev":"%s","n":%s,"ts":%s,"is_active":%s,"probe_id":7,"tid":1073741824,"addr":"0x0","seq":2' $1 $2 $3 $4; printf '%s}\n' "$5"; }
{ echo '{"ev":"meta","ts":1000,"format":"corotrace","version":2}'
own create 1 2000 false; own resume 2 3000 true; own suspend 3 4000 false ',"on":"user:a\u0000b"'
echo '{"ev":"wake","ts":5000,"probe_id":7,"tid":12,"addr":"0x0","seq":0,"is_active":false}'
own resume 4 6000 true
echo '{"ev":"end","ts":7000,"events":5,"lost":0}'; } >in
ct-tochrome in >out
has '"on":"user:a␀b"' out
has '"pid":1073741825,"tid":1073741824' out	# neither is what the other is
ct-tochrome --to=5000 in | grep -c '"ph":"s"' >got; ct-tochrome --to=4999 in | grep -c '"ph":"s"' >>got || :
printf '1\n0\n' >want; same want got
EOT

# 110 MB where each is kept until the end.
test_case 'of five thousand runs one at a time is in memory; each has its own end' <<'EOT'
awk 'BEGIN {
	for (i = 1; i <= 5000; i++) {
		printf "{\"ev\":\"meta\",\"ts\":%d,\"format\":\"corotrace\",\"version\":2}\n", i * 1000
		printf "{\"probe_id\":7,\"tid\":9,\"addr\":\"0x0\",\"seq\":2,\"is_active\":true,\"ts\":%d,\"ev\":\"create\",\"n\":1}\n", i * 1000 + 1
		if (i % 1000) printf "{\"ev\":\"end\",\"ts\":%d,\"events\":1,\"lost\":0}\n", i * 1000 + 2
	}
}' >trace
for p in ct-tochrome ct-toperfetto; do ([ -n "$SAN" ] || ulimit -v 40000; status 0 $p --quiet trace >out); done
ct-tochrome --quiet trace >out
grep -c '"name":"created".*"open":1' out >n; grep -c 'no end line' out >>n; printf '5000\n5\n' >want; same want n
EOT

if command -v python3 >/dev/null; then
	test_case 'whole JSON wherever the trace is cut; each event has what its phase asks for; slices nest' <<'EOT'
cat >check.py <<'X'
import json, sys
trace = json.load(open('out', encoding='utf-8'))
stacks, begun, flows = {}, {}, {}
need = {'X': {'ts', 'dur', 'name', 'cat'}, 'b': {'ts', 'name', 'cat', 'id2'}, 'e': {'ts', 'name', 'cat', 'id2'}, 'i': {'ts', 'name', 's'},
        'n': {'ts', 'name', 'cat', 'id2'}, 'C': {'ts', 'name', 'args'}, 's': {'ts', 'id', 'cat'}, 'f': {'ts', 'id', 'cat', 'bp'},
        'M': {'name', 'args'}}
for e in trace['traceEvents']:
    assert need[e['ph']] | {'pid', 'tid'} <= set(e), e
    if e['ph'] == 'X':
        begun.setdefault((e['pid'], e['tid']), []).append((round(e['ts'] * 1000), round((e['ts'] + e['dur']) * 1000)))
    elif e['ph'] in 'be':
        stacks.setdefault((e['pid'], e['cat'], e['id2']['local']), []).append((e['ts'], e['ph'], e['name']))
    elif e['ph'] in 'sf':
        flows.setdefault(e['id'], []).append(e['ph'])
for events in stacks.values():
    stack = []
    for _, phase, name in sorted(events, key=lambda x: x[0]):
        if phase == 'b':
            stack.append(name)
        else:
            assert stack.pop() == name, (name, events)
    assert not stack, events
for slices in begun.values():
    end = []
    for a, b in sorted(slices, key=lambda x: (x[0], -x[1])):
        while end and end[-1] <= a:
            end.pop()
        assert not end or b <= end[-1], (a, b, end)
        end.append(b)
assert all(f in (['s'], ['s', 'f']) for f in flows.values()), flows
X
for cut in $(seq 100 97 3200) 100000; do
	head -c $cut ../trace | ct-tochrome --quiet >out 2>err
	python3 check.py
done
cat ../trace ../trace | ct-tochrome --quiet >out
python3 check.py
ct-tochrome --quiet --from=+1250ns --to=+1950ns ../trace >out
python3 check.py
ct-tochrome --quiet ../busy >out
python3 check.py
EOT
else
	skip_case 'whole JSON' 'no python3'
fi

case_if viewers_python "Perfetto's importer sees each interval, run and wake, as ct-tocsv has them" <<'EOT'
$python "$SRC/t/lib/viewers-check.py" ct-tochrome ../busy
$python "$SRC/t/lib/viewers-check.py" ct-tochrome ../trace got
grep -v -e ' | 7 conn' -e ' | [89]$' got >states
cat >want <<'X'
1000+100 7 conn \u005c | created at main() a.c:10
1000+200 8 | created at main() a.c:10
1100+0 thread 51 | wake
1100+100 7 conn \u005c | runnable
1200+0 thread 51 | wake
1200+100 8 | runnable
1200+300 7 conn \u005c | running
1300+100 8 | running
1400+500000900 8 | unknown
1500+200 7 conn \u005c | suspended at serve() b.c:20 on chan
1500+300 thread 51 | parked
1600+0 thread 52 | close fd
1700+0 thread 52 | wake
1700+200 7 conn \u005c | runnable
1900+200 7 conn \u005c | running
1950+50 9 | created at main() a.c:10
2000+200 9 | unknown
2100+500000200 7 conn \u005c | unknown
2200+0 9 | 2 events lost
2200+500000100 9 | unknown
2300+500000000 thread 51 | parked
500002300+0 None | exit status 0
flow 1100 -> 1200
flow 1200 -> 1300
X
same want states
EOT

case_if viewers_browser "chrome://tracing's own importer has no warning, and all slices and flows" <<'EOT'
ct-tochrome --quiet ../trace >out
$python "$SRC/t/lib/viewers.py" catapult out >got
echo '{"threads":3,"slices":8,"async":19,"flows":2,"warnings":[]}' >want
same want got
EOT

case_if viewers_speedscope 'speedscope opens it' <<'EOT'
ct-tochrome --quiet ../trace >out
$python "$SRC/t/lib/viewers.py" speedscope out >page
has 'app (pid 50), worker "1" (tid 51) ([0-9]/[0-9])' page
EOT
done_testing
