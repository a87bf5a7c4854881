#!/bin/sh
# check.t - ct-check tells what is wrong with a trace, where, and nothing of a healthy one.
. "${0%/*}/../lib/lib.sh"

cat >"$scratch/lines" <<'EOF'
# own PROBE_ID TID TS EV N: a coroutine line
own() {
	active=false; [ "$4" = resume ] && active=true
	echo "{\"probe_id\":$1,\"tid\":$2,\"addr\":\"0x0000000000000000\",\"seq\":$((2 * $5)),\"is_active\":$active,\"ts\":$3,\"ev\":\"$4\",\"n\":$5}"
}
old() { echo "{\"probe_id\":$1,\"tid\":$2,\"addr\":\"0x0000000000000000\",\"seq\":$4,\"is_active\":${5:-true},\"ts\":$3}"; }
begin() { echo '{"ev":"meta","ts":1000,"format":"corotrace","version":2}'; }
end() { echo "{\"ev\":\"end\",\"ts\":9000,\"events\":$1,\"lost\":${2:-0}}"; }
EOF

test_case 'a healthy trace: status 0 and one line' <<'EOF'
. ../lines
{ begin; own 7 1 2000 create 1; own 7 1 2001 resume 2; own 7 1 2002 suspend 3; own 7 2 2003 resume 4; own 7 2 2004 destroy 5
  end 5; } >in
status 0 ct-check in >out
cat >want <<'X'
run 1 of 1: version 2, 7 lines, 5 events of 1 coroutines (0 live at the end), 8.00us: healthy
X
same want out
EOF

test_case 'of an attached run the span begins at its attachment, whatever was told before' <<'EOF'
. ../lines
{ echo '{"ev":"meta","ts":1000,"format":"corotrace","version":2,"attached":true}'
  echo '{"ev":"thread","ts":1500,"tid":1,"pid":1,"name":"w","role":"worker"}'
  echo '{"probe_id":7,"tid":1,"addr":"0x0000000000000000","seq":6,"is_active":false,"ts":1700,"ev":"state","n":3}'
  echo '{"ev":"attach","ts":5000,"live":1,"states":1,"history":0,"before":0}'
  own 7 1 6000 resume 4; own 7 1 6001 suspend 5
  end 2; } >in
status 0 ct-check in >out
has ', 4.00us: healthy$' out
EOF

test_case 'what a box had overwritten is no gap, whatever threads a coroutine changed between; what is missing since is one' <<'EOF'
. ../lines
overwritten() { echo "{\"ev\":\"lost\",\"ts\":$1,\"count\":$2,\"from\":1000,\"to\":$1}"; }
for next in 9 11; do
	{ echo '{"ev":"meta","ts":1000,"format":"corotrace","version":2,"attached":true}'
	  overwritten 3000 4; overwritten 2000 2
	  echo '{"ev":"attach","ts":9000,"live":1,"states":0,"history":4,"before":6}'
	  own 7 1 2500 suspend 3; own 7 2 3500 suspend 7; own 7 1 3600 resume 8; own 7 1 3700 suspend $next
	  end 4 6; } >in.$next
done
status 0 ct-check in.9 >out
has ': healthy$' out
status 1 ct-check in.11 >out
has '^in.11:8: coroutine 7: events are missing: n jumps from 8 to 11$' out
has '^  2 events missing by their numbers, in 1 gap' out
EOF

test_case 'gaps, repeats, falling times and impossible states are told with line and coroutine' <<'EOF'
. ../lines
{ begin
  own 7 1 2000 create 1; own 7 1 2001 resume 2; own 7 2 2002 resume 3; own 7 2 2003 suspend 9; own 7 2 2004 suspend 9
  own 7 2 2003 resume 10; own 8 1 2100 resume 4; own 9 1 2100 create 1; own 9 1 2101 suspend 2; own 9 1 2102 suspend 3
  end 10; } >in
status 1 ct-check in >out
cat >want <<'X'
in:4: coroutine 7: resumed while it runs on another thread from 1 to 2
in:5: coroutine 7: events are missing: n jumps from 3 to 9
in:6: coroutine 7: n is repeated from 9 to 9
in:7: coroutine 7: time falls from 2004 to 2003
in:8: coroutine 8: events are missing: n jumps from 0 to 4
in:11: coroutine 9: suspended while it is suspended
run 1 of 1: version 2, 12 lines, 10 events of 3 coroutines (3 live at the end), 8.00us: not healthy
  8 events missing by their numbers, in 2 gaps
  order broken: n 1 times, time 1, states 2
X
same want out
EOF

test_case 'a line of each kind that the end line counts is missed, or one too many' <<'EOF'
. ../lines
{ begin; echo '{"ev":"thread","ts":1001,"tid":1,"pid":1,"name":"w","role":"worker"}'; echo '{"ev":"site","site":3,"func":"f","file":"f.c","line":4}'
  own 7 1 2000 create 1; own 7 1 2001 resume 2
  echo '{"ev":"leg","ts":2002,"tid":1,"probe_id":7,"n":3,"on":"fd:5"}'; own 7 1 2002 suspend 3
  echo '{"ev":"dequeue","ts":2003,"tid":1,"probe_id":7}'; echo '{"ev":"deadline","ts":2004,"tid":1,"probe_id":7,"on":"timer:"}'
  echo '{"ev":"stop","ts":2005,"tid":1,"pid":1}'; echo '{"ev":"start","ts":2006,"tid":1,"pid":1}'
  echo '{"ev":"park","ts":2007,"tid":1,"depth":0}'; end 4 |
	sed 's/}$/,"lines":{"create":1,"resume":1,"suspend":1,"park":1,"thread":1,"site":1,"leg":1,"dequeue":1,"deadline":1,"stop":1,"start":1,"more":5}}/'
} >in
status 0 ct-check in
for ev in thread site leg dequeue deadline stop start; do
	grep -v "\"ev\":\"$ev\"" in >fewer; status 1 ct-check fewer >out
	has "the end line counts other $ev lines than stand here: 1, not 0$" out; [ $(wc -l <out) -eq 2 ]
	sed "/\"ev\":\"$ev\"/p" in >more; status 1 ct-check more >out; has "other $ev lines than stand here: 1, not 2$" out
done
grep -v '"park",' in >fewer; status 1 ct-check fewer >out; has 'other events than stand here: 4, not 3$' out; [ $(wc -l <out) -eq 2 ]
EOF

test_case 'loss, a missing end, a missing beginning and wrong totals' <<'EOF'
. ../lines
{ begin; own 7 1 2000 create 1; echo '{"ev":"lost","ts":3000,"tid":5,"count":12,"from":2500,"to":3000}'; end 3 11; } >in
status 1 ct-check in >out
cat >want <<'X'
in:3: thread 5: the recorder lost events: 12 between 2500 and 3000
in:4: the end line counts other events than stand here: 3, not 1
in:4: the end line counts other losses than stand here: 11, not 12
run 1 of 1: version 2, 4 lines, 1 events of 1 coroutines (1 live at the end), 8.00us: not healthy
  12 events lost by the recorder's own account
X
same want out
{ begin; own 7 1 2000 create 1; } >in
status 1 ct-check in >out
has '^  no end line: the trace was cut off$' out
{ own 7 1 2000 create 1; end 1; } >in
status 1 ct-check in >out
has '^  its meta line is missing$' out
EOF

test_case 'a state line repeats or skips by nature, and a coroutine that ended is forgotten' <<'EOF'
. ../lines
{ begin; own 7 1 2000 create 1; own 7 1 2001 resume 2
  echo '{"probe_id":7,"tid":1,"addr":"0x0","seq":4,"is_active":true,"ts":2001,"ev":"state","n":2}'
  own 7 1 2002 destroy 3
  echo '{"probe_id":7,"tid":1,"addr":"0x0","seq":0,"is_active":false,"ts":2003,"ev":"wake"}'
  end 4; } >in
status 0 ct-check in >out
has '^  1 wakes of coroutines that are gone or were never seen$' out
EOF

test_case 'version 1: which kind of seq it is, what is missing by it, late lines, addresses used again' <<'EOF'
. ../lines
{ old 7 1 2000 1; old 7 1 2001 2 false; old 7 1 2005 5; old 7 1 2004 4 false; old 7 1 2009 1; } >in
status 1 ct-check in >out
cat >want <<'X'
run 1 of 1: version 1, 5 lines, 5 events of 2 coroutines (1 live at the end), 9.00ns: not healthy
  seq is the event's number: 1, 2, 3
  1 events missing by seq, which jumps 1 times, first at line 3
  1 lines stand after later ones of their coroutine, the first at line 4
  1 addresses used again, the first at line 5
X
sed 's/9.00ns/9ns/' want >want2
same want2 out
{ for i in 1 2 3 4 5 6 7 8; do old 7 1 $((2000 + i)) 2; done; old 7 1 2020 4; old 7 1 2030 8; } >in
status 1 ct-check in >out
has "^  seq is the slot's: 8 events share one$" out
has '^  8 events missing by seq, which jumps 1 times, first at line 10$' out
{ old 7 1 2000 1; old 7 1 2001 2 false; } >in
status 0 ct-check in >out
EOF

test_case 'runs put into one file are told apart, and --json says the same' <<'EOF'
. ../lines
{ begin; own 7 1 2000 create 1; end 1; begin; own 7 1 2000 create 1; echo junk; own 7 1 2000 resume 3; } >in
status 1 ct-check --json in >out
cat >want <<'X'
{"check":"bad","line":6,"where":"in:6","what":"not a JSON object"}
{"check":"gap","line":7,"where":"in:7","run":2,"probe_id":7,"from":1,"to":3,"what":"events are missing: n jumps"}
{"check":"run","run":1,"healthy":true,"version":"2","meta":true,"ended":true,"lines":3,"bad":0,"events":1,"coroutines":1,"live":1,"first_ts":1000,"last_ts":9000,"lost":0,"missing":0,"gap":0,"number":0,"time":0,"state":0,"end":0,"late":0,"reused":0,"unknown_wakes":0}
{"check":"run","run":2,"healthy":false,"version":"2","meta":true,"ended":false,"lines":3,"bad":1,"events":2,"coroutines":1,"live":1,"first_ts":1000,"last_ts":2000,"lost":0,"missing":1,"gap":1,"number":0,"time":0,"state":0,"end":0,"late":0,"reused":0,"unknown_wakes":0}
X
same want out
EOF

test_case 'memory is the same for few and for many events, and for many coroutines that ended' <<'EOF'
[ -z "$SAN" ] || exit 0
awk 'BEGIN { print "{\"ev\":\"meta\",\"ts\":1}"
	for (i = 1; i <= 300000; i++) { for (n = 1; n <= 2; n++)
		printf "{\"probe_id\":%d,\"tid\":1,\"addr\":\"0x0000000000000000\",\"seq\":%d,\"is_active\":false,\"ts\":%d,\"ev\":\"%s\",\"n\":%d}\n",
			i, 2 * n, i + n, n == 1 ? "create" : "destroy", n }
	print "{\"ev\":\"end\",\"ts\":600000,\"events\":600000,\"lost\":0}" }' >in
(ulimit -v 20000; status 0 ct-check in >out)
has '600000 events of 300000 coroutines (0 live' out
EOF
done_testing
