#!/bin/sh
# nothing.t - green only on evidence: a trace in which nothing was recorded is good news for nobody; what options hide is counted.
. "${0%/*}/../lib/lib.sh"

cat >"$scratch/nothing" <<'EOF'
{"ev":"meta","ts":1000000000,"format":"corotrace","version":2,"tool":"ct-record 0.1.0"}
{"ev":"exit","ts":2000000000,"pid":7,"status":0}
{"ev":"end","ts":2000000001,"events":0,"lost":0}
EOF
programs='ct-stuck ct-lostwake ct-bt ct-lint ct-sched ct-fold ct-report ct-html ct-top ct-tosql ct-tocsv ct-toperfetto ct-tochrome ct-sym'
why='nothing was recorded: no probe attached'
export why

while read -r p; do
	export p
	test_case "$p: nothing recorded is status 3, and said" <<'EOF'
status 3 $p ../nothing >out 2>err
has "^${p%% *}: ../nothing: $why$" err
hasnt 'none forgotten' out
hasnt ': healthy' out
status 3 $p --quiet <../nothing >quiet 2>err
same /dev/null err
same out quiet || case $p in ct-report*|ct-html*|ct-plot*|ct-top*) ;; *) false ;; esac
EOF
done <<EOF
$(for p in $programs; do echo $p; done)
ct-plot states
ct-where .ts
ct-report --format=text
ct-report --json
ct-report --format=junit
ct-report --format=sarif
ct-lostwake --json
EOF

cat >"$scratch/ended" <<'EOF'
{"ev":"meta","ts":1000000000,"format":"corotrace","version":2,"tool":"ct-record 0.1.0"}
{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":2,"is_active":false,"ts":1100000000,"ev":"create","n":1}
{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":4,"is_active":true,"ts":1200000000,"ev":"resume","n":2}
{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":6,"is_active":false,"ts":1250000000,"ev":"destroy","n":3,"done":true}
EOF
for p in ct-stuck ct-lostwake ct-bt ct-lint ct-report 'ct-report --format=junit' ct-top ct-check; do
	export p
	test_case "$p: losses that add up to 2^64, one that does not say how many, kinds and states that an end line counts and that are not there: not green" <<'EOF'
case $p in ct-check) red=1 ;; *) red=3 ;; esac
ended() { { cat ../ended; cat; printf '{"ev":"end","ts":3000000000,"events":%s,"lost":%s%s}\n' "$@"; } >in; status $want $p in >out 2>err; }
want=0
ended 3 0 ',"live":0,"lines":{"create":1,"resume":1,"destroy":1,"later":5}' </dev/null
want=$red
half=9223372036854775808
for of in '' ',"tid":9' ',"probe_id":7'; do
	for lost in '"from":1100000000' "\"count\":$half"; do
		echo '{"ev":"lost","ts":1400000000'"$of,$lost}" >lost
		cat lost lost | ended 3 0
	done
done
for counts in '"live":1' '"live":18446744073709551615' '"lines":{"create":2}' '"lines":{"leg":1}' "\"lines\":{\"create\":$half,\"wake\":$half}"; do
	ended 3 0 ",$counts" </dev/null
done
# 2^63 are missing of each of two
for id in 8 9; do
	echo '{"probe_id":'$id',"tid":9,"addr":"0x0000000000001000","seq":2,"is_active":false,"ts":1100000000,"ev":"create","n":1}'
	echo '{"probe_id":'$id',"tid":9,"addr":"0x0000000000001000","seq":2,"is_active":false,"ts":1200000000,"ev":"destroy","n":9223372036854775810}'
done | ended 7 0
EOF
done

test_case 'states that an end line counts and that are not there: whoever lives has not ended' <<'EOF'
grep -v destroy ../ended >in
state='{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":4,"is_active":true,"ts":1200000000,"ev":"state","n":2}'
cp in less; echo '{"ev":"end","ts":3000000000,"events":2,"lost":0,"live":1}' >>less
sed '/"end"/i\'"$state" less >whole
status 1 ct-stuck whole >out; status 1 ct-stuck less >out; has '^1 of 1 live coroutines listed' out
status 0 ct-check whole; status 1 ct-check less >out
has 'the end line counts other states of live coroutines than stand here: 1, not 0$' out
# those of before it recorded again are none of the end's
sed '/"end"/i\{"ev":"start","ts":1300000000,"tid":9,"pid":1}' whole >old; status 1 ct-check old >out
sed "/\"end\"/i\\$state" old >again; status 0 ct-check again
# and those of before it was attached are there, too
{ sed '1s/}$/,"attached":true}/; /resume/d; s/"tid":9/"tid":0/' in; echo "$state"; echo '{"ev":"attach","ts":2000000000,"live":1,"states":1,"history":0,"before":0}'
  echo '{"ev":"end","ts":3000000000,"events":1,"lost":0}'; } >late
grep -v state\", late >less
status 0 ct-check late; status 0 ct-lostwake late; status 0 ct-bt late
status 1 ct-check less >out; has 'the attach line counts other states than stand before it: 1, not 0$' out
status 3 ct-lostwake less; status 3 ct-bt less
EOF

test_case 'between --from and --to nothing was recorded: status 3, and said' <<'EOF'
cat >trace <<'X'
{"ev":"meta","ts":1000000000,"format":"corotrace","version":2,"tool":"ct-record 0.1.0"}
{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":2,"is_active":false,"ts":1500000000,"ev":"create","n":1}
{"ev":"end","ts":2000000000,"events":1,"lost":0}
X
cat trace >two; sed 's/:\([12]\)\([05]00000000\)/:\18\2/' trace >>two
for p in ct-sched ct-fold ct-toperfetto ct-tochrome 'ct-plot states'; do
	for span in --from=+1500ms '--from=100ms --to=200ms' --to=999ms --from=9999999999999; do
		status 3 $p $span trace >out 2>err
		has "^${p%% *}: nothing was recorded between --from and --to" err; [ $(wc -l <err) -eq 1 ]
		status 3 $p --quiet $span trace >quiet 2>err; same /dev/null err; same out quiet
	done
	status 3 $p --to=999ms trace 2>&1 >out | grep -q 'a time since the start begins with +$'
	for span in --from=+1s '--from=1500ms --to=1600ms' --to=1s '--from=+0 --to=+1ns'; do
		status 0 $p $span trace >out 2>err
		case $p in ct-plot*) ;; *) status 0 $p --from=10s two >out 2>err ;; esac
		hasnt 'nothing was' err
	done
done
EOF

test_case 'ct-check: empty, not healthy' <<'EOF'
status 3 ct-check ../nothing >out
has ': empty$' out
has "^  $why$" out
status 3 ct-check --json ../nothing >out
has '"healthy":false' out
has "\"nothing\":\"$why\"" out
EOF

test_case 'those that print for people say it where they print' <<'EOF'
for p in ct-stuck ct-lostwake ct-lint ct-sched ct-report 'ct-report --json' 'ct-report --format=text' 'ct-report --format=sarif' ct-top; do
	status 3 $p ../nothing >out 2>/dev/null
	has "$why" out
done
status 3 ct-report --format=junit ../nothing >out 2>/dev/null
has '<testcase [^>]*><skipped message="nothing was recorded' out
hasnt '<testcase [^>]*/>' out
has 'tests="\([0-9]*\)" failures="0" errors="1"' out
EOF

test_case 'a probe but no coroutine; version 1 lines, filtered and broken traces are no such traces' <<'EOF'
sed '1a{"ev":"thread","ts":1000000005,"tid":7,"pid":7}' ../nothing >probe
status 3 ct-lostwake probe >out 2>err
has ': nothing was recorded: no coroutine was seen$' err
sed '2a{"ev":"cut","tool":"t"}' ../nothing >left
status 3 ct-lostwake left >out 2>err
hasnt 'nothing was recorded' err
has 'a filter left lines out' out
{ sed 1q ../nothing; echo broken; sed 1d ../nothing; } >bad
status 3 ct-lostwake bad >out 2>err
hasnt 'nothing was recorded' err
EOF

test_case 'several runs: the empty one is named' <<'EOF'
cat >one <<'E'
{"ev":"meta","ts":1000000000,"format":"corotrace","version":2}
{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":2,"is_active":false,"ts":1000000005,"ev":"create","n":1}
{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":2,"is_active":false,"ts":1000000006,"ev":"destroy","n":2,"done":true}
{"ev":"end","ts":2000000001,"events":2,"lost":0}
E
status 0 ct-lostwake one >out 2>err
same /dev/null err
has '0 coroutines live, none forgotten' out
status 3 ct-lostwake one ../nothing 2>err >out
has ': run 2: nothing was recorded: no probe attached$' err
EOF

test_case 'a recorded program without a probe' <<'EOF'
status 0 ct-record -o trace /bin/true 2>/dev/null
status 3 ct-lostwake trace >out 2>err
has 'no probe attached' err
EOF

# Two wait for what nobody told; the second only since a moment ago.
cat >"$scratch/waits" <<'EOF'
{"ev":"meta","ts":1000000000,"format":"corotrace","version":2,"tool":"ct-record 0.1.0"}
{"ev":"thread","ts":1000000001,"tid":9,"pid":7,"role":"worker"}
{"ev":"site","site":1,"func":"serve","file":"s.c","line":3}
{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":2,"is_active":false,"ts":1000000005,"ev":"create","n":1}
{"ev":"name","ts":1000000005,"tid":9,"probe_id":7,"name":"first"}
{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":2,"is_active":true,"ts":1000000006,"ev":"resume","n":2}
{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":4,"is_active":false,"ts":1000000007,"ev":"suspend","n":3,"site":1}
{"probe_id":8,"tid":9,"addr":"0x0000000000002000","seq":2,"is_active":false,"ts":1900000005,"ev":"create","n":1}
{"probe_id":8,"tid":9,"addr":"0x0000000000002000","seq":2,"is_active":true,"ts":1900000006,"ev":"resume","n":2}
{"probe_id":8,"tid":9,"addr":"0x0000000000002000","seq":4,"is_active":false,"ts":1900000007,"ev":"suspend","n":3,"site":1}
{"ev":"park","ts":1900000008,"tid":9,"depth":0}
{"ev":"end","ts":2000000001,"events":6,"lost":0}
EOF

test_case 'who waits for what nobody told is not called well' <<'EOF'
got=0; ct-lostwake ../waits >out || got=$?
[ $got -ne 2 ]
hasnt 'none forgotten' out
[ $got -eq 1 ] || has ', none proven, ' out
EOF

test_case 'what options hide is counted' <<'EOF'
status 1 ct-stuck --min-age=500ms ../waits >out
has '^1 of 2 live coroutines listed; 1 hidden by --min-age$' out
status 1 ct-stuck --name=first ../waits >out
has '^1 of 2 live coroutines listed; 1 hidden by --name$' out
status 0 ct-stuck --site=other --min-age=1h ../waits >out
has '^0 of 2 live coroutines listed; 2 hidden by --site$' out
EOF

# One is dropped: the channel was closed and nobody told it.
sed '7s/"site":1/"site":1,"on":"chan:5"/; 10a{"ev":"close","ts":1900000107,"tid":9,"on":"chan:5"}' "$scratch/waits" >"$scratch/closed"
test_case 'findings that options hide are counted' <<'EOF'
status 1 ct-lostwake --grace=1ms ../closed >all
has '^1 finding: 1 ' all
for o in --min-age=1h --site=other --name=other; do
	got=0; ct-lostwake --grace=1ms $o ../closed >out || got=$?
	has "^0 findings: .*; 1 hidden by ${o%%=*}" out
	hasnt 'none forgotten' out
	got=0; ct-top --grace=1ms $o ../closed >out || got=$?
	has "^no findings; 1 hidden by ${o%%=*}" out
	got=0; ct-report --format=text --grace=1ms $o ../closed >out || got=$?
	has "^0 findings: .*; 1 hidden by ${o%%=*}" out
done
echo serve >allow
ct-lostwake --grace=1ms --allow=allow ../closed >out || true
has '; 1 hidden by --allow' out
ct-lostwake --grace=1h ../closed >out || true
has '; [0-9]* hidden by --grace' out
hasnt 'none forgotten' out
ct-top --grace=1h ../closed >out || true
has '; [0-9]* hidden by --grace' out
EOF

test_case 'a duration needs its unit, and the message names the units' <<'EOF'
for o in --min-age=500 --grace=1.5; do
	status 2 ct-lostwake $o ../waits 2>err
	has "^ct-lostwake: $o: needs a unit: ns, us, ms, s, m or h$" err
done
status 2 ct-stuck --at=+5 ../waits 2>err
has '^ct-stuck: --at=+5: needs a unit: ' err
status 2 ct-lint --long-poll=10 ../waits 2>err
has 'needs a unit' err
# where a unit would not help, it is not asked for
for o in --grace=1x --min-age= --top=5x --site=[ --color=5; do
	status 2 ct-lostwake $o ../waits 2>err
	has "^ct-lostwake: $(echo $o | sed 's/[[]/[[]/'): bad argument; try --help$" err
done
status 2 ct-sched --from=5x ../waits 2>err; has '^ct-sched: --from=5x: bad argument' err
status 2 ct-sched --to=+5 ../waits 2>err; has '^ct-sched: --to=+5: needs a unit' err
status 1 ct-stuck --min-age=0 ../waits >/dev/null
status 1 ct-stuck --at=1500000000 ../waits >out
has '^1 of 1 live' out
EOF

test_case 'the living are counted alike, before and after a program takes itself apart' <<'EOF'
# The workers stop, and the plain thread destroys what waits.
sed '$d' ../waits >torn
cat >>torn <<'E'
{"ev":"unpark","ts":2000000001,"tid":9}
{"ev":"thread","ts":2000000002,"tid":9,"pid":7,"ended":true}
{"ev":"thread","ts":2000000003,"tid":10,"pid":7}
{"probe_id":7,"tid":10,"addr":"0x0000000000001000","seq":6,"is_active":false,"ts":2000000005,"ev":"destroy","n":4,"done":false}
{"ev":"end","ts":2000000006,"events":7,"lost":0}
E
ct-lostwake torn >out || true
has ' 1 coroutine live (2 when the workers stopped)' out
status 1 ct-stuck torn >out
has '^1 of 1 live' out
ct-report --format=text torn >out || true
has ' 1 coroutine live (2 when the workers stopped)' out
EOF

test_case 'a finding of one that was destroyed then is in the viewers, too' <<'EOF'
sed '$d' ../closed >torn
cat >>torn <<'E'
{"ev":"unpark","ts":2000000001,"tid":9}
{"ev":"thread","ts":2000000002,"tid":9,"pid":7,"ended":true}
{"ev":"thread","ts":2000000003,"tid":10,"pid":7}
{"probe_id":7,"tid":10,"addr":"0x0000000000001000","seq":6,"is_active":false,"ts":2000000005,"ev":"destroy","n":4,"done":false}
{"ev":"end","ts":2000000006,"events":9,"lost":0}
E
ct-lostwake --json --grace=1ms torn >found || true
has '"probe_id":7' found
for p in ct-tochrome ct-toperfetto; do
	$p --quiet --grace=1ms torn >out
	grep -a -q "$(sed 's/.*"verdict":"\([a-z-]*\)".*/\1/;q' found)" out
done
EOF
done_testing
