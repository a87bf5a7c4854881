#!/bin/sh
# ct-lint: seven habits that are no lost wakeups; each found where it is, none where it is not, and none on a guess.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
export alone=yes
cat >>"$scratch/.case-lib" <<'EOF'
# Coroutine ID is woken ten times, OWN of them by itself.
yielding() {
	create "$1" 10; resume "$1" 20 11
	for i in 1 2 3 4 5 6 7 8 9 10; do
		wake "$1" $((i * 100)) 11 '' "$([ $i -gt "$2" ] || echo "$1")"
		suspend "$1" $((i * 100 + 10)) 11 '' 2; resume "$1" $((i * 100 + 50)) 12
	done
	destroy "$1" 1100 12
}
# 120 coroutines, one a millisecond; of ten, KEEP never end.
spawning() {
	i=100
	while [ $i -lt 220 ]; do
		us=$((i * 1000))
		own create $i $us 11 false ',"site":3'; resume $i $((us + 10)) 11; suspend $i $((us + 20)) 11 fd:5 1
		if [ $((i % 10)) -ge "$1" ]; then resume $i $((us + 500)) 12; destroy $i $((us + 510)) 12; fi
		i=$((i + 1))
	done
}
EOF

test_case 'what is in order is no finding' <<'EOF'
begin; yielding 1 5; waiting 2 2000 fd:5; resume 2 2100 12; suspend 2 102000 12 fd:5; spawning 0; end 300000
status 0 ct-lint trace >out; echo '0 findings' >expected; same expected out
status 0 ct-lint --json trace >out; [ ! -s out ]
EOF

test_case 'self-wakes: over half of them, of enough' <<'EOF'
begin; yielding 1 5; yielding 2 6; line name 1050 '"tid":11,"probe_id":2,"name":"spin"'; end 2000
status 1 ct-lint trace >out
cat >expected <<'OUT'
1 coroutine mostly wakes itself: f2() f.c:20 [self-wakes]
  6 of 10 wakes are its own: coroutine 2, thread 12 [lines 40, 69]
1 finding
OUT
same expected out
status 0 ct-lint --self-wakes=60 trace >out; status 0 ct-lint --min-wakes=11 trace >out
status 1 ct-lint --self-wakes=49 --json trace >out; has '"count":2,"own":6,"wakes":10,"probe_id":2,"tid":12' out
EOF

test_case 'long polls and never yielded, also of what still runs; not on a blocking thread' <<'EOF'
begin; line thread 0 '"tid":13,"pid":1,"name":"b","role":"blocking"'
waiting 1 1000 fd:5 2; resume 1 2000 11; suspend 1 102000 11 fd:5 3
resume 1 103000 12; suspend 1 353000 12 fd:5 2; line name 353000 '"tid":12,"probe_id":1,"name":"conn\u001b"'
resume 1 400000 12; suspend 1 610000 12 fd:5 2
create 2 1000; resume 2 1500 11; destroy 2 1001500 11
create 3 1000; resume 3 1500 13; destroy 3 1001500 13
create 4 1000; resume 4 2000 12; create 5 1990000; resume 5 1990000 11; end 2000000
status 1 ct-lint --json trace >out
cat >expected <<'OUT'
{"lint":"never-yielded","certainty":"proven","id":"ID","site":null,"count":2,"ran":1998000000,"probe_id":4,"tid":12,"lines":[25,25]}
{"lint":"long-poll","certainty":"proven","id":"ID","site":{"func":"f2","file":"f.c","line":20},"count":2,"ran":210000000,"probe_id":1,"name":"conn\u001b","tid":12,"lines":[16,17]}
{"lint":"long-poll","certainty":"proven","id":"ID","site":{"func":"f3","file":"f.c","line":30},"count":1,"ran":250000000,"probe_id":1,"tid":12,"lines":[13,14]}
OUT
sed 's/"id":"[0-9a-f]*"/"id":"ID"/' out >actual; same expected actual
status 1 ct-lint --site=f2 trace >out
cat >expected <<'OUT'
2 long polls: f2() f.c:20 [long-poll]
  ran 210ms without a suspend: coroutine 1 "conn\x1b", thread 12 [lines 16, 17]
1 finding
OUT
same expected out
status 1 ct-lint --long-poll=220ms --never-yielded=1.5s --json trace >out; grep -c . out >n; echo 3 >three; same three n
status 0 ct-lint --long-poll=2s --never-yielded=2s trace >out
EOF

test_case 'resumed twice; not where a suspend between is missing' <<'EOF'
begin; waiting 1 1000 fd:5 2; resume 1 2000 11; resume 1 2001 12; suspend 1 2010 12 fd:5 1; end 3000
status 1 ct-lint trace >out
cat >expected <<'OUT'
1 resume of a coroutine that ran already: f2() f.c:20 [resumed-twice]
  resumed while it ran: coroutine 1, thread 11 [lines 10, 11]
1 finding
OUT
same expected out
begin; waiting 1 1000 fd:5 2; resume 1 2000 11; n_1=5; resume 1 2200 12; suspend 1 2210 12 fd:5 1; end 3000
status 3 ct-lint trace >out; echo '0 findings; inconclusive where events were lost' >expected; same expected out
EOF

test_case 'destroyed while suspended, and with a wake under way; neither finished nor never run' <<'EOF'
begin; waiting 1 1000 fd:5 2; destroy 1 5000 12 false; waiting 2 1000 fd:5 2; wake 2 1500 12 fd:5; destroy 2 2000 12 false
waiting 3 1000 fd:5 1; destroy 3 5000 12 true; create 4 1000; destroy 4 1100 11 false; end 6000
status 1 ct-lint trace >out
cat >expected <<'OUT'
2 coroutines destroyed while suspended: f2() f.c:20 [destroyed-suspended]
  suspended for 4.00ms, 1 with a wake under way: coroutine 1, thread 11 [lines 9, 10]
1 finding
OUT
same expected out
status 0 ct-lint --skip=destroyed-suspended trace >out
status 0 ct-lint --only=growth,long-poll trace >out
status 1 ct-lint --only=destroyed-suspended trace >out
EOF

test_case 'growth: alive more and more, of one spawn site; not what all ends, nor what is made at the start' <<'EOF'
begin; spawning 10; end 230000
status 1 ct-lint trace >out
cat >expected <<'OUT'
120 coroutines alive, more and more: f3() f.c:30 [growth]
  0 at first, 120 at last, never fewer; the latest: coroutine 219 [line 364]
1 finding
OUT
same expected out
begin; spawning 2; end 230000
status 0 ct-lint trace >out
status 1 ct-lint --growth=20 --json trace >out; has '"lint":"growth".*"count":24,"from":0,"probe_id":219' out
begin; spawning 10; end 900000
status 0 ct-lint trace >out
EOF

test_case 'loss: sums become unknown, facts stay' <<'EOF'
begin; yielding 1 10; waiting 2 2000 fd:5; destroy 2 3000 11 false; line lost 500 '"tid":11,"count":3,"from":1,"to":2'; end 4000
status 1 ct-lint trace >out
has '(unknown): f2() f.c:20 \[self-wakes\]' out; has '^2 findings; inconclusive where events were lost$' out
status 3 ct-lint --only=self-wakes --json trace >out; has '"certainty":"unknown"' out
sed '$d' trace | grep -v lost | status 3 ct-lint --only=growth 2>err >out; has 'the trace was cut off' err
EOF

test_case 'blocked-forever: on nothing that could come, in a trace that is cut as well; not the runtime itself' <<'EOF'
begin; waiting 1 1000 never: 2; waiting 2 2000 never: 2; waiting 3 3000 chan: 2; waiting 4 4000 never: 3
line name 4000 '"probe_id":4,"name":"runtime.it","role":"system"'; line name 4000 '"probe_id":1,"name":"main.main"'
status 1 ct-lint trace >out; has 'inconclusive where the trace was cut off' out
end 2001000
status 1 ct-lint trace >out
cat >expected <<'OUT'
2 coroutines blocked for ever: f2() f.c:20 [blocked-forever]
  waits for what never comes, for 2.00s so far: coroutine 1 "main.main", thread 11 [lines 7, 9]
1 finding
OUT
same expected out
status 0 ct-lint --skip=blocked-forever trace >out
status 0 ct-lostwake trace >out
EOF

test_case 'woken-after-end: who is woken that has ended, at the site that wakes' <<'EOF'
late() { printf '{"probe_id":1,"tid":12,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":%s,"ev":"wake","site":2,"on":"fd:5"}\n' "$1" >>trace; }
begin; create 1 10; resume 1 20 11; destroy 1 30 11; late "$(ns 40)"; late "$(ns 50)"; end 3000000
status 1 ct-lint trace >out
cat >expected <<'OUT'
2 wakes of coroutines that had ended: f2() f.c:20 [woken-after-end]
  woken 20.0us after its end: coroutine 1, thread 12 [lines 9, 11]
1 finding
OUT
same expected out
status 1 ct-lint --json trace >out; has '"lint":"woken-after-end".*"count":2,"after":20000,"probe_id":1' out
# before its end, by another thread so close to it that the clocks cannot tell, and of one that never was
begin; create 1 10; resume 1 20 11; wake 1 25 12 fd:5; destroy 1 30 11; late $(($(ns 30) + 500)); wake 77 60 12 fd:5; end 3000000
status 0 ct-lint trace >out
EOF

test_case 'two runs; version 1 lines prove nothing' <<'EOF'
begin; waiting 1 1000 fd:5 2; destroy 1 5000 12 false; end 6000
cat trace trace >two; status 1 ct-lint two >out; has '^run 2:$' out
status 1 ct-lint --json two >out; has '"run":2}' out
for i in 1 2 3; do
	printf '{"probe_id":7,"tid":4,"addr":"0x0000000000000010","seq":%s,"is_active":true,"ts":%s}\n' $((i * 2)) $((i * 1000000000))
done >v1
status 3 ct-lint v1 >out; echo '0 findings; inconclusive where version 1 lines carry no event numbers' >expected
same expected out
EOF

test_case 'usage, help, bad and torn lines, empty input, full disk' <<'EOF'
status 2 ct-lint --nonsense 2>err; has '^ct-lint: ' err
status 2 ct-lint --only=nothing 2>err; has '^ct-lint: --only=nothing: bad argument' err
status 2 ct-lint --self-wakes=101 2>err
status 0 ct-lint --help >out; has 'example:' out
status 2 ct-lint </dev/null 2>err; has '^ct-lint: ' err
begin; waiting 1 1000 fd:5; end 2000
status 2 ct-lint trace >/dev/full 2>err
(cat trace; printf '{"probe_id":7,') >torn; status 3 ct-lint torn >out 2>err; has 'torn:11: the line is cut off' err
status 2 ct-lint --strict torn >out 2>err
EOF
done_testing
