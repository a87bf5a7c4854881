#!/bin/sh
# ct-where: lines pass byte for byte or not at all; its own comparisons and jq's agree; what it left out accuses nobody.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
export alone=yes
cat >>"$scratch/.case-lib" <<'EOF'
mixed() {
	begin; create 7 1000; line name 1100 '"tid":11,"probe_id":7,"name":"conn"'; resume 7 2000 11; suspend 7 3000 11 fd:5 2
	waiting 8 4000 cond: 3; wake 7 501000 12 fd:5 8; resume 7 503000 12; destroy 7 504000 12 false
	printf '{"ts":%s, "probe_id":9,"tid":12,"ev":"suspend","n":4,"on":"user:a\\"b\\u00e9","reason":"caf\\u00e9","x":[1]}\n' \
		$(ns 505000) >>trace
	line mystery 505100 '"probe_id":7,"site":18446744073709551615'
	printf '{"probe_id":11,"tid":4,"addr":"0x0000000000000010","seq":2,"is_active":true,"ts":%s}\n' $(ns 505200) >>trace
	line park 506000 '"tid":12,"depth":3'; line close 507000 '"tid":11,"by":7,"on":"fd:5","site":1'; end 900000
}
EOF

test_case 'chosen lines and what they need pass byte for byte; what was cut is declared' <<'EOF'
mixed
status 0 ct-where '.probe_id == 7 and .n > 2' trace >out
v=$(ct-where --version | cut -d' ' -f2)
{
	sed -n 1p trace; echo '{"ev":"cut","tool":"ct-where '$v'","expr":".probe_id == 7 and .n > 2"}'
	sed -n '2,6p; /"probe_id":7.*"n":[345]/p' trace; echo '{"ev":"cut","count":12}'; sed -n '$p' trace
} >expected
same expected out
status 0 ct-where '.tid == 12 and (.on | type) == "string"' trace >out; grep -v '"cut"' out >some
{ sed -n '1,6p' trace; grep -e '"by":8' -e '"reason"' -e '"ev":"end"' trace; } >expected; same expected some
EOF

test_case 'its own comparisons answer as jq does' <<'EOF'
mixed
for k in probe_id tid seq ts n site parent by done ev on reason name; do
	for v in 7 '"fd:5"' null; do
		for op in '==' '<' '>='; do echo ".$k $op $v"; done
	done
done >expressions
cat >>expressions <<'OUT'
.ev == "suspend" and .probe_id == 7
.ev == "suspend" or .ev == "resume" and .tid == 11
(.ev == "suspend" or .ev == "resume") and .tid == 11
7==.probe_id
.ev=="mystery"
.on == "user:a" or .on > "fd:"
.reason >= "cafe" and .reason < "cafz"
.ts > 1000000505000000
.ts > 1000000000000000 and .ts <= 1000000505000000
.n == .n and .n != .by
.done == false or .name == "conn"
1 == 1 and "a" < "b" or null == false
.site > 9007199254740992
.n != 3
.n <= 3
.n > 3
.done != true
.by <= 7
.on > "fd:5"
.on <= "fd:5"
.n >= 0
((.n >= 2) and (.n <= 3))
OUT
while read -r e; do
	ct-where --count "$e" trace >native
	grep -q 'jq asked [01] times' native || { echo "not its own: $e" >&2; exit 1; }
	ct-where "$e" trace >native.out; ct-where --jq "$e" trace >jq.out
	cmp -s native.out jq.out || { echo "differ: $e" >&2; diff native.out jq.out >&2; exit 1; }
done <expressions
EOF

test_case 'a NUL in a text is one for jq, though it is read as U+2400' <<'EOF'
begin; waiting 7 1000 'user:a\u0000b' 1; waiting 8 2000 user:a␀b 1; waiting 9 3000 user:aâb 1
line name 4000 '"tid":11,"probe_id":7,"name":"\u0000"'; line name 4000 '"tid":11,"probe_id":8,"name":"c␀"'; end 5000
for e in '.on < "user:b"' '.on >= "user:aab"' '.name < "c"' '.name == .on' '.name > .on' '.name < "cc" and .tid == 11'; do
	ct-where "$e" trace >native; ct-where --jq "$e" trace >jq
	cmp -s native jq || { echo "differ: $e" >&2; diff native jq >&2; exit 1; }
done
EOF

test_case 'what is more than comparisons goes to jq' <<'EOF'
mixed
for e in '.n | . == 3' '.n == 3 | not' '.x[0] == 1' '.n + 1 == 3' '.ts == 12345678901234567890' '.addr == "0x10"' '.on == "a\tb"' \
	'.n // 3 == 3' '(.ev // "") | test("e")' '.is_active == true' '.n == 3 # so' '.on == "fd:5"[0:3]' '.n == -3' '.n == 3.0'; do
	status 0 ct-where --count "$e" trace >out
	has 'jq asked 1[0-9] times' out
done
EOF

test_case 'helpers: what the run told before' <<'EOF'
mixed
one() { status 0 ct-where "$1" trace | grep -vE '"ev":"(cut|meta|thread|site|end)"' >out; grep -o "$2" out >some || :; echo "$3" >expected; same expected some; }
one 'name == "conn" and .ev == "wake"' '"ev":"[a-z]*"' '"ev":"wake"'
one '.ev == "resume" and age > 0.001 and age < 0.003 and state == "runnable"' '"n":[0-9]*' '"n":4'
one '.ev == "wake" and age > 0.4 and state == "suspended"' '"n":[0-9]*\|wake' 'wake'
one 'place == "f2 f.c:20"' '"n":[0-9]*' '"n":3'
one 'since_start > 0.5069' '"ev":"[a-z]*"' '"ev":"close"'
one 'on_kind == "cond" and on_value == ""' '"probe_id":[0-9]*' '"probe_id":8'
one 'role == "worker" and thread == "w12" and .ev == "destroy"' '"ev":"[a-z]*"' '"ev":"destroy"'
one 'event == "resume" and .ev == null' '"probe_id":[0-9]*' '"probe_id":11'
jq -L "$SRC/share/jq" -c 'include "ct"; select(on_kind == "fd") | .ev' trace >out
printf '"%s"\n' suspend wake close >expected; same expected out
EOF

test_case 'what was cut is no loss and proves nothing' <<'EOF'
begin; waiting 7 1000 fd:5; resume 7 2000 11; suspend 7 3000 11 fd:5; line close 4000 '"tid":12,"on":"fd:5"'; end 900000
status 1 ct-lostwake trace >out; has 'closed-resource (proven)' out
status 0 ct-where '.n != 3' trace >cut
status 3 ct-lostwake --json cut >out; has '"verdict":"closed-resource","certainty":"unknown"' out; has 'a filter left lines out' out
hasnt 'lost or unreadable' out
status 1 ct-check cut >out; has 'a filter left lines out' out; hasnt 'events are missing' out; hasnt 'other events' out
status 0 ct-where '.ev == "close"' trace | status 3 ct-stuck >out; has '^0 of 0 .*by what a filter left of the trace' out
status 0 ct-where '.n != 3' trace | status 3 ct-lint >out; echo '0 findings; inconclusive where a filter left lines out' >expected
same expected out
EOF

test_case 'nothing left out: nothing changes' <<'EOF'
begin; waiting 7 1000 fd:5; line close 4000 '"tid":12,"on":"fd:5"'; line end 900000 '"events":4,"lost":0'
status 0 ct-where true trace | ct-where '.ts != 1' >cut; has '"count":0' cut
status 1 ct-lostwake cut >out; has 'closed-resource (proven)' out
status 0 ct-check cut >out
EOF

test_case 'and what was missing before is missing still' <<'EOF'
same_doubt() {	# of the trace, of what was left of it, and where the filter's first line stands behind the end: $1, and $2 in ct-check
	for through in trace 'trace | ct-where true' 'trace; echo "{\"ev\":\"cut\",\"tool\":\"x\"}"'; do
		eval "cat $through" >again
		status $1 ct-lostwake --quiet again >out
		status 1 ct-check again >out; has "$2" out
	done
}
# its wake, as the end line counts
begin; waiting 7 1000 fd:5; line close 4000 '"tid":12,"on":"fd:5"'; line end 900000 '"events":5,"lost":0'; same_doubt 3 'counts other events'
begin; create 7 900; resume 7 910 11; n_7=3; suspend 7 1000 11 fd:5; end 900000; same_doubt 3 'events are missing'
begin; waiting 7 1000 fd:5; line end 900000 '"events":3,"lost":1,"live":1'; same_doubt 3 'counts other states'
begin; waiting 7 1000 fd:5; sed -i '1s/}$/,"attached":true}/' trace
line attach 2000 '"pid":1,"states":2,"older":0,"unknown":0'; end 900000; same_doubt 3 'counts other states'
# who has ended, as its state that is not there says
begin; waiting 7 1000 fd:5; line lost 1100 '"tid":11,"count":1,"from":1000000500,"to":1000001000'; line end 900000 '"events":3,"lost":1,"live":0'
for through in '' '| ct-where true'; do eval "cat trace $through" | status 0 ct-stuck >out; has '^0 of 0' out; done
EOF

test_case 'bad lines are of the run before them, or of the first' <<'EOF'
begin; waiting 7 1000 fd:5; resume 7 2000 11; destroy 7 2010 11; end 900000; mv trace one
echo bad >bad
for parts in 'bad one' 'one bad one' 'one bad' 'one one bad'; do
	cat $parts >trace
	status 3 ct-lostwake --quiet trace >out
	ct-where true trace 2>err | status 3 ct-lostwake --quiet >out; has ' 0 coroutines live.* inconclusive where a filter left lines out$' out
done
EOF

test_case 'states left out end nobody' <<'EOF'
begin; waiting 7 1000 fd:5; n_7=4
printf '{"probe_id":7,"tid":11,"addr":"0x0","seq":10,"is_active":false,"ts":%s,"ev":"state","n":5,"on":"fd:5"}\n' $(ns 8000) >>trace
line end 900000 '"events":5,"lost":2,"live":1'
status 0 ct-where '.ev != "state"' trace | ct-stuck >out || :; has '^1 of 1 live' out
EOF

test_case 'two runs, version 1 files, a trace that is cut off' <<'EOF'
mixed; cat trace trace | status 0 ct-where '.probe_id == 8' >out; grep -c '"ev":"cut"' out >n; echo 4 >four; same four n
has '"count":12' out
for i in 1 2; do printf '{"probe_id":%s,"tid":4,"addr":"0x10","seq":2,"is_active":false,"ts":5}\n' $i; done >v1
status 0 ct-where '.probe_id == 2' v1 >out; { echo; sed 1d v1; } >expected; sed '1s/.*//' out >some; same expected some
status 3 ct-lostwake out >verdict 2>err; has 'a filter left lines out' verdict; [ ! -s err ]
status 0 ct-where '.probe_id == 3' v1 >out; has '"ev":"cut"' out
sed '$d' trace | status 0 ct-where '.probe_id == 8' 2>err >out; has 'the trace was cut off' err
EOF

test_case 'an expression that fails on a line says where; bad ones are refused' <<'EOF'
mixed
status 2 ct-where '.on | startswith("fd")' trace >out 2>err
has '^ct-where: trace:7: startswith() requires string inputs' err; has 'failed on 1[0-9] lines' err
has '"ev":"suspend","n":3' out
status 2 ct-where '.n ==' trace >out 2>err; has '^ct-where: \.n ==: not a jq expression' err; [ ! -s out ]
status 2 ct-where 'halt' trace >out 2>err; has 'the expression halts' err
status 2 ct-where 2>err; has '^ct-where: no expression' err
EOF

test_case 'where memory ends, wherever that is, jq does not abort' <<'EOF'
[ -z "$SAN" ] || exit 0
mixed; tried=0
for limit in $(seq 4000 500 16000); do
	got=0; (ulimit -v $limit; exec ct-where --jq '.ts > 5' trace) >out 2>err || got=$?
	case $got in
	0) ;;
	2) has 'out of memory$' err; tried=$((tried + 1)) ;;
	127) has 'shared libraries' err ;;
	*) echo "status $got at $limit" >&2; cat err >&2; exit 1 ;;
	esac
done
[ $tried -gt 0 ]
EOF

test_case 'what jq has for its own command line is not called where there is none, whatever lies in memory' <<'EOF'
mixed; status 0 ct-where true trace >want
status 0 ct-where '"\u009b" | stderr' trace >out 2>err; [ ! -s err ]
MALLOC_PERTURB_=85 status 0 ct-where '"a" | debug' trace >out; grep -v '"ev":"cut"' want >plain; grep -v '"ev":"cut"' out | same plain -
EOF

test_case 'usage, help, bad and torn lines, empty input, full disk' <<'EOF'
status 2 ct-where --nonsense . 2>err; has '^ct-where: ' err
status 0 ct-where --help >out; has 'examples:' out
status 2 ct-where true </dev/null 2>err; has '^ct-where: ' err
mixed; status 2 ct-where true trace >/dev/full 2>err
sed '8s/.*/{"probe_id":"x"}/' trace >bad; status 0 ct-where '.n > 0 or true' bad >out 2>err; has 'bad:8: ' err; has '"count":1' out
status 2 ct-where --strict true bad >out 2>err
(cat trace; printf '{"probe_id":7,') >torn; status 0 ct-where true torn >out 2>err; has 'the line is cut off' err
EOF
test_case 'what always passes is what the manual names' <<'EOF'
grep -A1 '^What the others need' "$SRC/filters/ct-where/ct-where.1" | sed -n 's/^\.Cm //p' | tr -d ' ' | tr , '\n' | sort >told
for ev in create resume suspend wake destroy state meta process map thread site stack name open close notify level acquire release waker park unpark \
	lost sync exit end symbol attach dequeue deadline stop start leg; do
	printf '{"ev":"meta","ts":1,"format":"corotrace","version":2}\n{"ev":"%s","ts":5,"pid":1,"tid":1,"probe_id":7,"site":1,"stack":1,"addr":"0x10","on":"fd:5","op":"clone","n":2,"is_active":false,"path":"x","count":1,"from":1,"to":2,"status":0,"events":0,"lost":0}\n' $ev |
		ct-where false 2>/dev/null | sed -n 's/^{"ev":"\('$ev'\)","ts":5.*/\1/p'
done | sort >passed
same told passed; [ $(wc -l <passed) -eq 14 ]
EOF
done_testing
