#!/bin/sh
# ct-report: overview, findings, pending, memory-corruption suspects and health, in five formats, each valid and harmless.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
export alone=yes
cat >>"$scratch/.case-lib" <<'EOF'
site() { printf '{"ev":"site","site":%s,"func":"%s","file":"%s","line":%s}\n' "$1" "$2" "$3" "$4" >>trace; }
# Two wait on what was closed; a third waits for a timer.
closed() {
	begin; site 4 close pool.c 96
	waiting 7 1000 fd:5 2; line name 1010 '"tid":11,"probe_id":7,"name":"conn"'; waiting 8 1100 fd:6 2
	waiting 9 1200 timer:99999999999999999 3
	line close 5000 '"tid":12,"on":"fd:5","site":4'; line close 5010 '"tid":12,"on":"fd:6","site":4'
	line exit 1000000 '"pid":1,"status":0'; end 1001000
}
# What a name may do to any of the formats, as JSON.
hostile() {
	begin
	cat >>trace <<'OUT'
{"ev":"site","site":2,"func":"<script>alert(1)</script>|`x`","file":"a b/*c*[d](e).c","line":9}
{"ev":"site","site":4,"func":"]]>&amp;\u0000\u001b[31m","file":"/abs/\"q\".c","line":18446744073709551615}
OUT
	waiting 7 1000 fd:5 2; waiting 8 1100 'user:``` {0} [a](http://e) @you #1' 2
	line name 1010 '"tid":11,"probe_id":7,"name":"| \\` **x** <img src=x> @you [a](http://e) \u202e\uffff\ufffe\n\n# h\u2028"'
	line close 5000 '"tid":12,"on":"fd:5","site":4'
	line close 5001 '"tid":12,"on":"user:``` {0} [a](http://e) @you #1","site":4'
	line exit 1000000 '"pid":1,"signal":11'; end 1001000
}
EOF

test_case 'markdown: overview, findings, evidence, where to look, pending, health' <<'EOF'
closed
status 1 ct-report trace >actual
cat >expected <<'OUT'
# corotrace report

**2 findings: 2 proven, 3 coroutines live, 1.00s traced.**

|  |  |
|---|---|
| Trace | `trace` |
| Traced | 1.00s, 21 lines, 9 events of coroutines |
| Coroutines | 3 created, 0 ended, 3 live at the end |
| Threads | 2, of which 2 workers |
| Ended | status 0 |

## Findings

### 2 coroutines: closed-resource (proven): `f2() f.c:20`

What they wait on was closed and nobody woke them.

What to do: resume its waiters before it is closed, as before close(fd), on every path that closes it.

```text
coroutine 7 "conn" waits on fd:5 for 999ms; closed at +0.005000s by worker thread 12 "w12" (close() pool.c:96) [lines 10, 18]
coroutine 8 waits on fd:6 for 999ms; closed at +0.005010s by worker thread 12 "w12" (close() pool.c:96) [lines 14, 19]
```

Look at:

- `close() pool.c:96`: closed, 2 times
- `f2() f.c:20`: suspended, 2 times

Evidence of the first, by lines of the trace:

| line | at | thread | coroutine | what | where |
|--:|---|--:|--:|---|---|
| 10 | +0.001000s | 11 | 7 | suspended | `f2() f.c:20` |
| 18 | +0.005000s | 12 |  | closed | `close() pool.c:96` |

## Pending coroutines

What has not ended, by state and site, as ct-stuck lists it. It accuses nobody.

| coroutines | state | where | on | oldest | which |
|--:|---|---|---|--:|---|
| 2 | suspended | `f2() f.c:20` | fd | 1.00s | `7 "conn"`, `8` |
| 1 | suspended | `f3() f.c:30` | timer | 1.00s | `9` |

## Memory-corruption suspects

None.

OUT
sed -e '/^## Scheduling/,$d' -e '/^## Trace/,$d' actual >head; same expected head
has '^Whole: nothing was lost, cut or bad' actual
EOF

test_case 'text: the same for a terminal' <<'EOF'
closed
status 1 ct-report --format=text trace >out
has '^2 findings: 2 proven, 3 coroutines live, 1.00s traced\.$' out
has '^- close() pool.c:96: closed, 2 times$' out
has '^    10  +0.001000s      11          7  suspended  f2() f.c:20$' out
hasnt '`' out
status 1 ct-report --format=text --color=always trace | cat >out; has "$(printf '\033')" out
EOF

test_case 'json: the findings are those of ct-lostwake' <<'EOF'
closed
status 1 ct-report --json trace >out
status 1 ct-report --format=json trace >same; same same out
status 1 ct-lostwake --json trace >want
grep '^{"verdict"' out >got; same want got
jq -se 'map(.report // empty) | index("run") == 0 and index("pending") != null' out >answer
jq -se '.[0] | .created == 3 and .live == 3 and .proven == 2 and .lost == 0 and .end' out >answer
EOF

test_case 'a group is shown in part, all of it with --all' <<'EOF'
begin; for i in 1 2 3 4 5 6 7; do waiting $i ${i}000 fd:$i; done
for i in 1 2 3 4 5 6 7; do line close 9000 "\"tid\":12,\"on\":\"fd:$i\""; done; end 1009000
status 1 ct-report trace >out; has '^\.\.\. and 2 more (--all)' out; hasnt 'coroutine 6 waits' out
status 1 ct-report --all trace >out; has 'coroutine 6 waits' out; hasnt 'more' out
EOF

test_case '--site, --name, --min-age, --grace choose' <<'EOF'
closed
status 1 ct-report --json --name=^conn$ trace >out; grep -c verdict out >n; echo 1 >one; same one n
status 0 ct-report --json --site=f3 trace >out; hasnt verdict out; has '"probe_ids":\[9\]' out
status 0 ct-report --min-age=1001ms trace >out; has '^None\.$' out
status 0 ct-report --grace=10s trace >out
EOF

test_case 'nothing found: 0, and 3 where something is missing; the health says what' <<'EOF'
begin; waiting 7 1000 fd:5; resume 7 2000 11; destroy 7 2100 11; end 3000
status 0 ct-report trace >out; has '^Whole: ' out
sed '$d' trace | status 3 ct-report >out; has '^None, but that is inconclusive: the trace was cut' out
has '^- No end line: the trace was cut off at +0.002100s\.$' out
sed '$d' trace >lost
cat >>lost <<'OUT'
{"ev":"lost","ts":1000002500000,"tid":11,"count":40,"from":1000002200000,"to":1000002500000}
{"ev":"end","ts":1000003000000,"events":4,"lost":40}
OUT
status 3 ct-report lost >out; has '^- 40 events lost, between +0.002200s and +0.002500s\.$' out
ct-where '.probe_id != 7' trace 2>err | status 3 ct-report >out; has '^- A filter left lines out' out
{ echo nonsense; cat trace; } | status 3 ct-report 2>err >out; has '^- 1 bad line skipped' out
echo '{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":2,"is_active":true,"ts":5}' | status 0 ct-report >out
has '^- Version 1 only' out
EOF

test_case 'two runs in one file: each its part' <<'EOF'
closed; mv trace first; begin; waiting 7 1000 fd:5; end 3000; cat first trace >both
status 1 ct-report both >out; has '^## Run 2 of 2$' out; has '^### Findings$' out
status 1 ct-report --json both >out; has '^{"report":"run","run":2,' out
EOF

test_case 'suspects: impossible lines, a coroutine after its end, one on two threads' <<'EOF'
begin; waiting 7 1000 fd:5; resume 7 2000 11; destroy 7 2100 11; resume 7 2200 12
create 8 3000; resume 8 3100 11; resume 8 3200 12; destroy 8 3300 12
echo '{"probe_id":0,"tid":0,"addr":"0x0","seq":0,"is_active":false,"ts":0}' >>trace; end 4000
status 1 ct-report trace >out 2>err
cat >expected <<'OUT'
## Memory-corruption suspects

Lines that cannot be true (1):

- line 17: `impossible: probe_id 0, ts 0, tid 0, seq 0`

Coroutines reported after their end: a freed frame was used, or its end is reported too early (1):

- line 12: `resume of coroutine 7 on thread 12`

Coroutines resumed while another thread ran them: two threads in one frame, or a suspend is not reported (1):

- line 15: `coroutine 8 resumed on thread 12 while it ran on thread 11 since line 14`

OUT
sed -n '/^## Memory/,/^## [^M]/p' out | sed '$d' >actual; same expected actual
status 1 ct-report --json trace 2>err >out; has '"report":"suspect","kind":"ran-after-its-end","of":1,"line":12,' out
EOF

test_case 'no suspects: the zero address of a resume, runs on one thread after another' <<'EOF'
begin; waiting 7 1000 fd:5; resume 7 2000 12; suspend 7 2100 12 fd:5; resume 7 2200 11; destroy 7 2300 11; end 4000
status 0 ct-report trace >out
sed -n '/^## Memory/,/^## [^M]/p' out >part; has '^None\.$' part
EOF

test_case 'no suspects: lines that were sent twice, or late, behind the end of their coroutine' <<'EOF'
story() { begin; waiting 7 1000 fd:5; resume 7 2000 12; suspend 7 2100 12 fd:5; resume 7 2200 11; destroy 7 2300 11; end 4000; }
story; status 0 ct-report trace >out
for how in '/"ev":"resume"/{p;H};/"destroy"/{p;g;s/^\n//}' '/"ev":"suspend"/{h;d};/"destroy"/{p;x}'; do
	story; sed -i "$how" trace; [ $(sed -n '/"destroy"/,$p' trace | wc -l) -ge 3 ]
	status 3 ct-report trace >out 2>err; has 'inconclusive where ' out
	has '^- [0-9]* events* missing or out of place, by the numbers of those that are there' out
	sed -n '/^## Memory/,/^## [^M]/p' out >part; has '^None\.$' part
done
EOF

test_case 'a death by SIGSEGV: what ran on the threads of that process' <<'EOF'
begin; waiting 7 1000 fd:5 2; resume 7 2000 12; waiting 8 1500 fd:6
line thread 0 '"tid":21,"pid":2,"name":"other","role":"worker"'; create 9 2500; resume 9 2600 21
line exit 3000 '"pid":1,"signal":11'; end 4000
status 1 ct-report trace >out
has '^Process 1 was killed by signal 11 SIGSEGV at +0.003000s \[line [0-9]*\]\. On its threads ran:$' out
has '^| 12 `w12` | `7` | `f2() f.c:20` | 1.00ms |$' out
sed -n '/^## Memory/,/^## [^M]/p' out >part; hasnt '^| 21' part
sed 's/"signal":11/"signal":9/' trace | status 0 ct-report >out; has 'killed by signal 9 SIGKILL' out
EOF

test_case 'scheduling: the numbers are those of ct-sched' <<'EOF'
begin; waiting 7 1000 fd:5 2; wake 7 2000 12 fd:5; resume 7 2500 12; suspend 7 2600 12 fd:5 2; wake 7 3000 11; resume 7 3100 12
suspend 7 3200 12 fd:6 3; create 8 3300; end 4000
status 0 ct-report --json trace >out; grep '"report":"sched"' out >line
jq -c '[.resumes, .migrated, .running, .suspended, .runnable, .delay.count, .delay.max]' line >got
echo '[3,1,210000,2200000,600000,2,500000]' >want; same want got
ct-sched --json trace | jq -c 'select(.of == "run") | [.resumes, .migrated, .running, .suspended, .runnable, .delay.count, .delay.max]' >theirs
same theirs got
status 0 ct-report trace >out
has '^3 resumes, 1 on another thread than before; ran 210us, suspended 2.20ms, runnable 600us\. From runnable' out
has '^| 2 | .* | 500us | `f2() f.c:20` |$' out
has '^| 12 | `w12` | 2 | 200us | 5.0 % |$' out
EOF

# What comes after the workers have stopped, the judge puts off: the numbers are of all lines all the same.
test_case 'scheduling: lines that the judge puts off count, whether its workers come back or not' <<'EOF'
for back in '' yes; do
	begin; waiting 7 1000 fd:5 2; waiting 8 1100 fd:6 2; waiting 9 1200 fd:7 3
	for tid in 11 12; do
		line park 2000 "\"tid\":$tid,\"depth\":0"; line thread 3000 "\"tid\":$tid,\"pid\":1,\"ended\":true"
	done
	line name 3010 '"tid":13,"probe_id":8,"name":"late"'
	wake 7 3100 13 fd:5; wake 8 3200 13 fd:6; destroy 8 3300 13; destroy 9 3400 13
	[ -z "$back" ] || { resume 7 3500 12; suspend 7 3600 12 fd:9 3; destroy 7 3700 12; }
	end 4000
	ct-report --json trace | grep '"report":"sched"' |
		jq -c '[.resumes, .migrated, .running, .suspended, .runnable, .delay.count, .delay.max]' >got
	ct-sched --json trace |
		jq -c 'select(.of == "run") | [.resumes, .migrated, .running, .suspended, .runnable, .delay.count, .delay.max]' >theirs
	same theirs got
	ct-tochrome trace | grep -c '"ph":"e","pid":[0-9]*,"tid":[0-9]*,"cat":"coroutine","id2":{"local":"[789]@[0-9]*"},"name":"[789]' >ends
	echo 3 >want; same want ends
done
EOF

test_case 'hostile names are text, in Markdown too' <<'EOF'
hostile
status 1 ct-report trace >out
# Out of code spans and blocks, nothing of theirs is left.
sed -e '/^````*text$/,/^````*$/d' out | perl -pe 's/(`+)(?!`).*?(?<!`)\1(?!`)//g' >bare
hasnt '<' bare; hasnt '@you' bare; hasnt 'http' bare; hasnt '\*\*x' bare; hasnt '^# h' bare
has '\\xe2\\x80\\xae' out		# what turns the direction of writing is shown, not done
awk -F'|' '/^\| [0-9]/ { if (NF != 10 && NF != 8 && NF != 7 && NF != 6) { print; exit 1 } }' out
status 1 ct-report --format=text trace >out; hasnt "$(printf '\033')" out
status 1 ct-report --json trace | jq -c . >/dev/null
EOF

if command -v cmark-gfm >/dev/null; then
	test_case "GitHub's own renderer finds tables and headings in it, and nothing of what names would like to be" <<'EOF'
hostile
ct-report trace >md || :
cmark-gfm -e table -e autolink -e strikethrough md >html
hasnt '<a \|<img\|<script\|<!--' html
# Every table ends where its rows do; no row has lost its form.
[ "$(grep -c '<table>' html)" -eq "$(grep -c '^|[-|:]*|$' md)" ]
grep -c '<h[1-3]>' html >got; grep -c '^##* ' md >want; same want got
EOF
else
	skip_case "GitHub's own renderer finds tables and headings in it" 'no cmark-gfm'
fi

if command -v python3 >/dev/null && python3 -c 'import jsonschema' 2>/dev/null; then
	sh "$SRC/t/lib/schemas.sh" "$O/t/schemas"
	sarif=$O/t/schemas/sarif.json junit=$O/t/schemas/junit.xsd
	export sarif junit
fi
cat >"$scratch/valid.py" <<'EOF'
import json, sys
from jsonschema import validators
schema, document = (json.load(open(f)) for f in sys.argv[1:])
errors = list(validators.validator_for(schema)(schema).iter_errors(document))
for e in errors:
    print(list(e.path), e.message[:300], file=sys.stderr)
sys.exit(bool(errors))
EOF
cat >>"$scratch/.case-lib" <<'EOF'
# Every kind of trace that there is a report of.
kinds() {
	closed; cp trace 1; sed '$d' 1 >2; hostile; cp trace 3; cat 1 3 >4
	begin; waiting 7 1000 fd:5; resume 7 2000 11; destroy 7 2100 11; end 3000; cp trace 5
	echo '{"probe_id":7,"tid":9,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":5}' >6
	{ cat 1; echo '{"probe_id":0,"tid":0,"addr":"0x0","seq":0,"is_active":false,"ts":0}'; } >7
}
EOF

if [ -s "${sarif:-}" ]; then
	test_case 'SARIF is valid by its schema' <<'EOF'
kinds
for k in 1 2 3 4 5 6 7; do
	ct-report --format=sarif $k >$k.sarif 2>err || [ $? -ne 2 ]
	python3 ../valid.py "$sarif" $k.sarif || { echo "trace $k" >&2; false; }
done
ct-report --format=sarif --root=/abs - <3 >root.sarif || :; python3 ../valid.py "$sarif" root.sarif
sed 's/"level":"error"/"level":"fatal"/' 1.sarif >bad; ! python3 ../valid.py "$sarif" bad 2>err	# it can say no
EOF
else
	skip_case 'SARIF is valid by its schema' 'no schema, or no python3-jsonschema'
fi

test_case 'SARIF: a result a group, with places, below --root relative' <<'EOF'
closed
ct-report --format=sarif trace >out.sarif || :
jq -c '.runs[0].results[] | [.ruleId, .level, .occurrenceCount, .locations[0].physicalLocation.artifactLocation.uri,
	.locations[0].physicalLocation.region.startLine, .relatedLocations[0].message.text]' out.sarif >actual
echo '["closed-resource","error",2,"f.c",20,"closed"]' >expected
same expected actual
jq -r '.runs[0].tool.driver.rules[0] | .defaultConfiguration.level, .shortDescription.text, .fullDescription.text, .help.text' \
	out.sarif >actual
cat >expected <<'OUT'
error
What it waits on was closed and nobody woke it.
What it waits on was closed and nobody woke it. Where it is proven, the cause is in the trace and nothing that is missing could undo it; where it is suspected, a piece of evidence is missing.
What to do: resume its waiters before it is closed, as before close(fd), on every path that closes it.
OUT
same expected actual
jq -r '.runs[0].results[0].codeFlows[0].threadFlows[0].locations[] | "\(.executionOrder) \(.location.message.text) \(.location.physicalLocation |
	.artifactLocation.uri + ":" + (.region.startLine | tostring))"' out.sarif >actual
cat >expected <<'OUT'
1 suspended at +0.001000s on thread 11 f.c:20
2 closed at +0.005000s on thread 12 pool.c:96
OUT
same expected actual
hostile
ct-report --format=sarif --root=/abs trace >out.sarif || :
jq -r '.runs[0].results[0].relatedLocations[0].physicalLocation.artifactLocation | .uri + " " + .uriBaseId' out.sarif >actual
echo '%22q%22.c SRCROOT' >expected
same expected actual
jq -r '.runs[].results[].message.text' out.sarif >text; hasnt '\](' text; hasnt '[^{]{0}' text
EOF

test_case 'SARIF: --root as it is typed' <<'EOF'
closed
mkdir -p real/sub; ln -s real link; cd link
sed "s|\"file\":\"f.c\"|\"file\":\"$PWD/sub/f.c\"|" ../trace >trace
has "$PWD/sub/f.c" trace
for root in . ./ "$PWD" "$PWD/" "$PWD//" sub/.. "$PWD/./sub/../" ../link; do
	ct-report --format=sarif --root="$root" trace >out || :
	jq -r '.runs[0] | .originalUriBaseIds.SRCROOT.uri, (.results[0].locations[0].physicalLocation.artifactLocation | .uri, .uriBaseId)' out >actual
	printf '%s\n' "file://$PWD/" sub/f.c SRCROOT >expected; same expected actual
done
ct-report --format=sarif --root=/../. trace >out || :
jq -r '.runs[0] | .originalUriBaseIds.SRCROOT.uri, (.results[0].locations[0].physicalLocation.artifactLocation | .uri)' out >actual
printf '%s\n' file:/// "${PWD#/}/sub/f.c" >expected; same expected actual
(unset PWD; ct-report --format=sarif --root=. trace >out || :); has "\"uri\":\"file://$(pwd -P)/\"" out
for root in sub "$PWD/su" "$PWD/sub/f.c"; do ct-report --format=sarif --root="$root" trace >out || :
	[ "$(jq -r '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri' out)" = $([ "$root" = sub ] && echo f.c || echo "file://$PWD/sub/f.c") ]; done
status 2 ct-report --format=sarif --root= trace
EOF

if [ -s "${junit:-}" ] && command -v xmllint >/dev/null; then
	test_case 'JUnit is valid by its schema' <<'EOF'
kinds
for k in 1 2 3 4 5 6 7; do
	ct-report --format=junit $k >$k.xml 2>err || [ $? -ne 2 ]
	xmllint --noout --schema "$junit" $k.xml 2>err || { cat err >&2; false; }
done
sed 's/<testcase/<test/' 1.xml >bad; ! xmllint --noout --schema "$junit" bad 2>err
EOF
else
	skip_case 'JUnit is valid by its schema' 'no schema, or no xmllint'
fi

test_case 'JUnit: failures, errors and passes; what is counted is there' <<'EOF'
closed
# XML has no control characters
odd=$(printf 'b\342\200\256i\033[31m\001\377x'); cp trace "$odd"
ct-report --format=junit "$odd" >xml || :
has '<property name="trace" value="b\\xe2\\x80\\xaei\\x1b\[31m\\x01\\xffx"/>' xml
ct-report --format=junit trace >xml || :
tests=2		# the group, and the trace
has '<testsuite name="corotrace".* tests="'$tests'" failures="1" errors="0" time="1.001">' xml
has 'classname="corotrace.closed-resource" name="f2() f.c:20 (proven; closed by close() pool.c:96)" time="0">$' xml
has '<testcase classname="corotrace.trace" name="whole" time="0"/>' xml
has 'To do: resume its waiters' xml
begin; waiting 7 1000 fd:5; resume 7 2000 11; destroy 7 2100 11; end 3000; ct-report --format=junit trace >good
has '<testcase classname="corotrace.findings" name="no coroutine lost its wakeup" time="0"/>' good
has ' tests="2" failures="0" errors="0" ' good
closed
sed '$d' trace | ct-report --format=junit 2>err >xml || :
has ' failures="0" errors="2" ' xml
for k in testcase failure error; do
	want=$(sed -n "s/.* ${k%case}[a-z]*s=\"\([0-9]*\)\".*/\1/p" xml)
	[ "$(grep -c "<$k[ >]" xml)" = "${want:-$tests}" ] || { echo "$k: $want" >&2; cat xml >&2; false; }
done
EOF

test_case 'usage, help, version, empty input, full disk' <<'EOF'
status 2 ct-report --format=word 2>err; has '^ct-report: --format=word: ' err
status 2 ct-report --nonsense 2>err; has '^ct-report: ' err
status 0 ct-report --help >out; has 'example:' out
status 0 ct-report --version >out; has ct-report out
status 2 ct-report </dev/null >out 2>err; has '^ct-report: <stdin>: no events' err; same /dev/null out
closed; for f in markdown text json junit sarif; do status 2 ct-report --format=$f trace >/dev/full 2>err; done
EOF

test_case 'memory is bounded by coroutines and places, not by lines' <<'EOF'
[ -z "$SAN" ] || exit 0
ulimit -v 60000
"$O/t/bench/gen" 300000 100 | ct-report >out || [ $? -ne 2 ]
awk 'BEGIN { for (i = 0; i < 400000; i++) print "{\"probe_id\":0,\"tid\":0,\"addr\":\"0x0\",\"seq\":0,\"is_active\":false,\"ts\":0}"
	print "{\"ev\":\"meta\",\"ts\":5,\"version\":2}" }' | status 1 ct-report >out 2>err
has '^- ... and 399990 more' out
EOF
test_case 'the call stack of the first of a group, where the trace has one' <<'EOF'
begin
create 7 10; resume 7 20 11; echo '{"ev":"stack","stack":1,"frames":["0x1000","0x2000","0x3000"]}' >>trace
echo '{"ev":"symbol","addr":"0x1000","path":"/a","at":[{"func":"read|`x`","file":"r.c","line":5},{"func":"mid","file":"m.c","line":6}]}' >>trace
echo '{"ev":"symbol","addr":"0x3000","path":"/a","at":[{"func":"start_thread"}]}' >>trace
own suspend 7 30 11 false ',"site":1,"on":"fd:7","stack":1'; waiting 8 40 fd:7
line close 5000 '"tid":12,"on":"fd:7"'; end 1001000
status 1 ct-report trace >out
sed -n '/^Call stack/,/^## /p' out >actual
cat >expected <<'OUT'
Call stack of the first, innermost first:

```text
read|`x` r.c:5
mid() m.c:6
0x0000000000002000
```

## Pending coroutines
OUT
same expected actual
EOF

test_case '--allow: findings are not about places that may wait for ever; the pending are still listed' <<'EOF'
closed
echo '^f2 ' >allow
status 0 ct-report --format=text --allow=allow trace >out
hasnt 'proven' out
has 'f2() f.c:20' out
printf '[\n' >bad
status 2 ct-report --allow=bad trace 2>err
has '^ct-report: bad:1: ' err
EOF

test_case 'what it says of running and waiting is what ct-sched says, also where the judge waits for whether workers come back' <<'EOF'
both() {
	ct-report --json trace | sed -n 's/.*"report":"sched",//p' >report || :
	ct-sched --json trace | sed -n '/"of":"run"/p' | \
		sed 's/.*"traced":[0-9]*,\("unknown":[0-9]*\),.*\("resumes":[0-9]*,"migrated":[0-9]*\),.*\("running":.*\),"unstarted":[0-9]*,/\2,\3,\1,/' >sched
	[ -s sched ]; same sched report
}
begin; for c in 7 8 9; do waiting $c 1000 fd:$c; done; line thread 900 '"tid":13,"pid":1,"name":"main","role":"other"'
for tid in 11 12; do line park 2000 "\"tid\":$tid"; line unpark 2100 "\"tid\":$tid"; done
wake 8 3000 13 fd:8; destroy 9 4000 13; cp trace stopped; end 3000000
both
cp stopped trace; line park 5000 '"tid":12'; resume 8 5010 11; suspend 8 6000 11 fd:8; wake 7 7000 11 fd:7; resume 7 7500 12
destroy 8 8000 12; create 9 8100; resume 9 8200 12; n_7=0; create 7 8300; end 3000000
both
EOF
done_testing
