#!/bin/sh
# What a snapshot says beyond a recording: since when is not known, whom nothing could wake, what may be no coroutine at all;
# and what that is worth to those who judge.
. "${0%/*}/../lib/lib.sh"
cat >>"$scratch/.case-lib" <<'EOF'
trace() {	# state lines on stdin, of which `STATE id` is the beginning
	echo '{"ev":"meta","ts":1000,"format":"corotrace","version":2,"tool":"t","snapshot":true,"memory":"stopped"}'
	echo '{"ev":"site","site":1,"func":"serve","file":"serve.cc","line":42}'
	n=0
	while read -r line; do
		case $line in STATE*) n=$((n + 1));; esac
		echo "$line" | sed 's/^STATE \([0-9]*\)\(.*\)/{"probe_id":\1,"tid":0,"addr":"0x0000000000000010","seq":4,"is_active":false,"ts":5000,"ev":"state","n":2,"site":1\2}/'
	done
	echo "{\"ev\":\"end\",\"ts\":${end:-5000},\"events\":0,\"lost\":0,\"live\":$n}"
}
EOF

test_case 'an age that nobody knows is a question mark, one that two snapshots bound is at least that' <<'EOF'
trace >now <<'T'
STATE 1,"on":"fd:4","since":"before"
T
status 1 ct-stuck now >out; has '^1 suspended at serve() serve.cc:42 on fd, oldest ?$' out; has '^  1 on fd:4 for ?,' out
status 0 ct-bt --all now >out; has 'on fd:4 for ?$' out
end=1500005000 trace >again <<'T'
STATE 1,"on":"fd:4","since":"before"
T
status 1 ct-stuck again >out; has 'oldest at least 1.50s$' out
trace >known <<'T'
STATE 1,"on":"fd:4"
T
status 1 ct-stuck known >out; has 'oldest 0ns$' out
EOF

test_case 'no waker left, and leaked: proven, at once; no reference: suspected; what may wait for ever by design: unknown; what does: nothing' <<'EOF'
trace >t <<'T'
STATE 1,"since":"before","wakers":0
STATE 2,"since":"before","wakers":1
STATE 3,"since":"before","leaked":true
STATE 4,"since":"before","refs":0
STATE 5,"since":"before","refs":3
STATE 6,"on":"never:","since":"before","wakers":0
STATE 7,"on":"user:no waker","since":"before","wakers":0
{"ev":"leg","ts":4000,"probe_id":8,"n":2,"on":"never:"}
{"ev":"leg","ts":4000,"probe_id":8,"n":2,"on":"never:"}
STATE 8,"any_of":2,"since":"before","wakers":0
{"ev":"leg","ts":4000,"probe_id":9,"n":2,"on":"never:"}
{"ev":"leg","ts":4000,"probe_id":9,"n":2,"on":"user:no waker"}
STATE 9,"any_of":2,"since":"before","wakers":0
T
status 1 ct-lostwake --json t >out
sed 's/.*"verdict":"\([^"]*\)","certainty":"\([^"]*\)".*"probe_id":\([0-9]*\).*/\3 \1 \2/' out | sort >actual
cat >expected <<'OUT'
1 lost-waker proven
3 lost-waker proven
4 lost-waker suspected
7 lost-waker unknown
9 lost-waker unknown
OUT
same expected actual
status 1 ct-lostwake t >out
has 'no reference is left by which anything could wake them, as their runtime counts' out
EOF

test_case 'what a later state says of a suspend that named nothing: waits for ever by design, or what it is by name' <<'EOF'
later() {	# KEYS of the state line
	{ cat <<T
{"ev":"meta","ts":1000,"format":"corotrace","version":2,"tool":"t"}
{"ev":"site","site":1,"func":"serve","file":"serve.cc","line":42}
{"probe_id":1,"tid":7,"addr":"0x10","seq":2,"is_active":false,"ts":2000,"ev":"create","n":1}
{"probe_id":1,"tid":7,"addr":"0x10","seq":3,"is_active":true,"ts":3000,"ev":"resume","n":2}
{"probe_id":1,"tid":7,"addr":"0x10","seq":4,"is_active":false,"ts":4000,"ev":"suspend","n":3,"site":1}
{"probe_id":1,"tid":7,"addr":"0x10","seq":4,"is_active":false,"ts":4000,"ev":"state","n":3,"site":1,$1}
{"ev":"end","ts":3000000000,"events":3,"lost":0,"live":1}
T
	} >t
}
later '"wakers":0'
status 1 ct-lostwake t >out
later '"on":"never:","wakers":0'
status 0 ct-lostwake t >out
status 1 ct-stuck t >out; has 'on never: for 3.00s' out
later '"on":"user:the last part","wakers":1'
status 1 ct-stuck t >out; has 'on user:the last part' out
# first without its number: nothing of that is left, or leaks
later '"on":"mutex:"'
sed '/"on":"mutex:"/{p; s/mutex:/mutex:0x10/}' t >twice
status 1 ct-stuck twice >out; has 'on mutex:16 for' out
EOF

test_case "what to do about it is in the words of its language: Go's collector knows no wakers" <<'EOF'
advises() {	# KEYS WORDS
	echo "STATE 1,\"since\":\"before\",$1" | trace >t
	status 1 ct-lostwake t >out; has "to do: .*$2" out
	case $1 in *leaked*) hasnt 'to do:.*waker' out;; esac
}
advises '"wakers":0' 'keep the waker until it is called'
advises '"refs":0' 'its waker, its handle'
leak='"leaked":true'
advises "$leak" 'select on a cancel as well'
advises "$leak,\"on\":\"chan:\",\"reason\":\"chan send (leaked)\"" 'give the channel room'
advises "$leak,\"on\":\"chan:\",\"reason\":\"chan receive (leaked)\"" 'close the channel on every way out'
advises "$leak,\"on\":\"mutex:\",\"reason\":\"sync.Mutex.Lock (leaked)\"" 'unlock on every way out, with defer'
advises "$leak,\"on\":\"join:\",\"reason\":\"sync.WaitGroup.Wait (leaked)\"" 'call Done on every way out'
advises "$leak,\"on\":\"cond:\",\"reason\":\"sync.Cond.Wait (leaked)\"" 'signal after every change'
EOF

test_case 'what may be no live coroutine is accused of nothing' <<'EOF'
trace >t <<'T'
STATE 1,"since":"before","refs":0,"doubt":"it may have been destroyed"
STATE 2,"on":"coro:3","since":"before","doubt":"it may have been destroyed"
STATE 3,"on":"coro:2","since":"before"
T
status 0 ct-lostwake t >out
has '^0 findings' out
for on in mutex sem chan room; do
	sed "s/coro:3/$on:0x0000000000000010/; s/coro:2/fd:4/" t >waits
	status 3 ct-lostwake waits >out
	has "^0 findings: .*inconclusive where 1 wait is for locks or channels by what may have been destroyed" out
done
trace >t <<'T'
STATE 1,"on":"cond:0x0000000000000010","since":"before","doubt":"it may have been destroyed"
T
status 0 ct-lostwake t >out
has ' none proven, .*; 1 waits, since when is not known: ct-stuck lists it$' out
EOF

test_case 'of who waits for others, since when is not known, one moment does not show that none is forgotten; of what comes from outside it does' <<'EOF'
for on in mutex:0x0000000000000010 chan:0x0000000000000010 cond:0x0000000000000010; do
	trace >t <<T
STATE 1,"on":"fd:4","since":"before"
STATE 2,"on":"$on","since":"before"
T
	ct-lostwake t >out || [ $? -eq 3 ]
	hasnt 'none forgotten' out; has '; 1 waits, since when is not known: ct-stuck lists it$\|inconclusive where' out
	ct-report --format=text t >out || [ $? -eq 3 ]
	hasnt 'none forgotten' out
done
for on in fd:4 timer:0000000000009000; do
	trace >t <<T
STATE 1,"on":"$on","since":"before"
T
	status 0 ct-lostwake t >out; has '^0 findings: 1 coroutine live, none forgotten, ' out
done
EOF

test_case 'a cycle needs no age: proven in one snapshot' <<'EOF'
trace >t <<'T'
STATE 2,"on":"join:3","since":"before"
STATE 3,"on":"join:2","since":"before"
STATE 4,"on":"join:2","since":"before"
T
status 1 ct-lostwake --json t >out
has '"verdict":"deadlock","certainty":"proven".*"cycle":\[' out
EOF

test_case 'a doubt of who has a lock counts wherever among several lines it stands' <<'EOF'
for doubted in 1 2 3; do
	trace >t <<'T'
STATE 1,"on":"mutex:0x0000000000000010","since":"before"
T
	sed -i '/"end"/d' t
	for i in 1 2 3; do
		doubt=; [ $i -ne $doubted ] || doubt=',"doubt":"others may come to it, too"'
		echo "{\"ev\":\"acquire\",\"ts\":5000,\"tid\":0,\"by\":1,\"on\":\"mutex:0x0000000000000010\"$doubt}"
	done >>t
	echo '{"ev":"end","ts":5000,"events":3,"lost":0,"live":1}' >>t
	status 3 ct-lostwake t >out; has '^1 cycle: deadlock (unknown)' out
done
EOF

test_case 'of what ran while it was looked at, who awaits whom is a hint at first sight, suspected at the second, never proven' <<'EOF'
trace >t <<'T'
STATE 2,"on":"join:3","since":"before"
STATE 3,"on":"coro:2","since":"before"
T
sed -i 's/"stopped"/"running"/' t
status 0 ct-lostwake t >out
has '^1 cycle: deadlock (hint): ' out; has '; but it ran while it was looked at: a second look would show' out
sed -i '$s/"ts":5000/"ts":2000000000/' t
status 1 ct-lostwake t >out
has '^1 cycle: deadlock (suspected): ' out; has '; but it ran while it was looked at: each may have' out
EOF

test_case 'a look that does not say who has a lock calls nobody healthy who waits for one; while it ran, nor who waits for a channel' <<'EOF'
for on in mutex:0x10 chan:0x10 fd:4; do
	echo "STATE 2,\"on\":\"$on\",\"since\":\"before\"" | trace | sed 's/"ts":1000/"ts":5000/' >t
	case $on in mutex*) status 3 ct-lostwake t >out; has 'no line tells who has them' out;; *) status 0 ct-lostwake t >out;; esac
	sed -i 's/"stopped"/"running"/' t
	case $on in fd*) status 0 ct-lostwake t >out;; *) status 3 ct-lostwake t >out; has '1 wait is for locks or channels' out;; esac
done
EOF

test_case 'a main that waits for a channel of which it has the other end may idle so: a hint; for its own lock, or as a task, proven' <<'EOF'
try() {	# TID KIND STATUS CERTAINTY
	trace >t <<T
STATE 2,"on":"$2:0x10","since":"before"
{"ev":"acquire","ts":5000,"tid":$1,"by":2,"on":"$2:0x10"}
T
	sed -i "s/\"tid\":0,/\"tid\":$1,/; s/\"events\":0/\"events\":1/" t
	status $3 ct-lostwake --json t >out
	has "\"verdict\":\"deadlock\",\"certainty\":\"$4\"" out
}
try 7 chan 0 hint; try 7 room 0 hint; try 7 mutex 1 proven; try 0 chan 1 proven
EOF

test_case 'it ran again since: nothing of that holds any more' <<'EOF'
trace >t <<'T'
STATE 1,"on":"fd:4","since":"before","wakers":0
{"probe_id":1,"tid":7,"addr":"0x0000000000000010","seq":6,"is_active":true,"ts":6000,"ev":"resume","n":3}
{"probe_id":1,"tid":7,"addr":"0x0000000000000010","seq":8,"is_active":false,"ts":7000,"ev":"suspend","n":4,"site":1,"on":"fd:4"}
T
sed -i 's/"events":0/"events":2/; s/,"live":1//; s/"ts":5000,"events"/"ts":900000000,"events"/' t
status 0 ct-lostwake t >out
status 1 ct-stuck t >out; has 'oldest 900ms$' out
EOF

test_case 'what a dump names behind the trace is known no better for that: none is proven, none is called not forgotten' <<'EOF'
cat >trace <<'X'
{"ev":"meta","ts":1000,"format":"corotrace","version":2,"tool":"ct-fromgo 0"}
{"probe_id":7,"tid":11,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":2000,"ev":"create","n":1}
{"probe_id":7,"tid":11,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":3000,"ev":"resume","n":2}
{"probe_id":7,"tid":11,"addr":"0x0000000000000000","seq":6,"is_active":false,"ts":4000,"ev":"suspend","n":3,"on":"join:"}
{"probe_id":7,"tid":11,"addr":"0x0000000000000000","seq":6,"is_active":false,"ts":900000000,"ev":"state","n":3,"on":"join:0x000000c000012340"}
{"ev":"end","ts":900000000,"events":3,"lost":0}
X
status 0 ct-lostwake trace >out; has '^0 findings: 1 coroutine live, none proven, 900ms traced; 1 still waits, for 900ms' out
EOF

test_case 'keys of another type are bad lines' <<'EOF'
trace >t <<'T'
STATE 1,"since":7
STATE 2,"wakers":"many"
STATE 3,"leaked":1
STATE 4,"doubt":[]
STATE 5,"since":"later"
T
status 2 ct-stuck --strict t >out 2>err
for n in 3 4 5 6; do has "t:$n: " err; done
hasnt 't:7: ' err
EOF
done_testing
