#!/bin/sh
# The fold: which line is the last of a coroutine, whatever order the lines stand in, seen through ct-stuck.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
cat >>"$scratch/.case-lib" <<'EOF'
v1() {	# ID SEQ ACTIVE TS [REST]
	printf '{"probe_id":%s,"tid":9,"addr":"0x0000000000000010","seq":%s,"is_active":%s,"ts":%s%s}\n' "$@" >>trace
}
states() {
	printf '%s\n' "$@" >expected
	ct-stuck --json trace | sed 's/{"state":"\([^"]*\)","probe_id":\([0-9]*\),.*"since":\([0-9]*\),.*/\2 \1 \3/' | sort -n >actual
	same expected actual
}
EOF

test_case 'version 1: slots are written in slot order; an older line changes nothing' <<'EOF'
v1 1 18 true 1900; v1 1 18 false 2000; v1 1 16 true 1700; v1 1 16 true 1800
v1 2 2 true 100; v1 2 2 true 200; v1 2 2 false 300
v1 3 11 true 500; v1 3 12 false 500
v1 4 2 true 700; v1 4 2 false 700	# of one time: the later line
v1 5 12 false 500; v1 5 11 true 500
v1 6 12 false 500 ',"ev":"suspend"'; v1 6 11 true 500 ',"ev":"resume"'; sed -i '/"probe_id":6/s/"tid":9/"tid":0/' trace
states "1 suspended 2000" "2 suspended 300" "3 suspended 500" "4 suspended 700" "5 suspended 500" "6 suspended 500"
EOF

test_case 'version 1: an address used again is another coroutine' <<'EOF'
v1 1 8 false 1000; v1 1 2 true 2000
states "1 running 2000"
EOF

test_case 'version 1 through a recorder: n orders, birth and death tell lives apart' <<'EOF'
v1 1 2 true 100 ',"n":1'; v1 1 2 false 200 ',"n":2'
printf '{"probe_id":1,"tid":0,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":%s,"ev":"%s"}\n' 90 create >>trace
v1 2 2 true 100 ',"n":1'; v1 2 2 false 200 ',"n":2'
printf '{"probe_id":2,"tid":0,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":%s,"ev":"%s"}\n' 250 destroy \
	300 create >>trace
v1 3 2 false 400 ',"n":1'
printf '{"probe_id":3,"tid":0,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":%s,"ev":"%s"}\n' 350 destroy >>trace
states "1 suspended 200" "2 created 300" "3 suspended 400"
EOF

test_case 'a wake stands where its ts says' <<'EOF'
begin; waiting 1 1000 fd:1; resume 1 2000 11; wake 1 1900 12 fd:1		# line late: it caused the resume
waiting 2 1000 fd:1; wake 2 1100 12 fd:1					# after the suspend
create 3 100; resume 3 200 11; wake 3 1100 12 fd:1; suspend 3 1000 11 fd:1	# line early: it came after the suspend
create 4 100; resume 4 200 11; wake 4 900 12 fd:1; suspend 4 1000 11 fd:1	# while it still ran
create 5 100; wake 5 150 11 ''
wake 99 500 12 fd:1; destroy 98 500 12						# nobody known
end 3000
states "1 running 1000002000000" "2 runnable 1000001100000" "3 runnable 1000001100000" "4 suspended 1000001000000" \
	"5 runnable 1000000150000"
EOF

test_case '`state` lines: what was lost is made good, what is known stays' <<'EOF'
begin; waiting 1 1000 fd:1; waiting 2 1000 fd:1; create 4 100
st() {
	printf '{"probe_id":%s,"tid":11,"addr":"0x0000000000000000","seq":9,"is_active":%s,"ts":%s,"ev":"state","n":%s%s}\n' \
		"$1" "$2" "$(ns "$3")" "$4" "$5" >>trace
}
st 1 true 1500 4; st 2 false 1000 3 ',"on":"fd:1"'; st 3 false 1700 8 ',"on":"fd:3"'; st 4 false 100 1; st 5 false 70 1; end 3000
states "1 running 1000001500000" "2 suspended 1000001000000" "3 suspended 1000001700000" "4 created 1000000100000" \
	"5 created 1000000070000"
EOF

test_case 'many coroutines at once, ended in another order: the table finds every one' <<'EOF'
awk 'function l(i, n, e, a, t) { printf "{\"probe_id\":%d,\"tid\":1,\"addr\":\"0x0000000000000000\",\"seq\":%d,\"is_active\":%s,\"ts\":%d,\"ev\":\"%s\",\"n\":%d}\n", i, 2*n, a, t, e, n }
BEGIN {
	print "{\"ev\":\"meta\",\"ts\":1}"
	for (i = 1; i <= 5000; i++) l(i * 64, 1, "create", "false", i + 10)
	for (i = 5000; i; i--) l(i * 64, 2, "resume", "true", 20000 - i)
	for (i = 1; i <= 5000; i++) if (i * 7 % 5000 % 100) l(i * 64, 3, "destroy", "false", 30000 + i)
	print "{\"ev\":\"end\",\"ts\":40000,\"events\":0,\"lost\":0}"
}' >trace
ct-stuck --json trace | sed 's/.*"probe_id":\([0-9]*\),.*/\1/' | sort -n >actual
awk 'BEGIN { for (i = 1; i <= 5000; i++) if (!(i * 7 % 5000 % 100)) print i * 64 }' >expected
same expected actual
EOF
test_case 'what only a create can say is not read off the state of one that has not run' <<'EOF'
for wakers in 1 2 3; do
	begin
	for tid in 11 12; do line park 900 "\"tid\":$tid"; done
	printf '{"probe_id":2,"tid":11,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":%s,"ev":"state","n":1,"wakers":%s}\n' \
		"$(ns 1000)" $wakers >>trace
	wake 2 1500 13 ''; end 900000
	verdict 1 "asleep-workers proven 2"
done
EOF

# Any change of what the library makes of a line shows here, and which member it is of.
if [ -z "$SAN" ] || [ -n "${CHECK_ALL:-}" ]; then
	test_case 'events, coroutines, spans, threads and texts of made up traces are those that were looked at last' <<'EOF'
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"		# what mutate leaves behind at its end
for seed in $(seq 1 80); do
	if [ $((seed % 8)) -eq 1 ]; then "$O/t/fuzz/mutate" "$seed" "$SRC"/t/fuzz/corpus/*.jsonl; else "$O/t/fuzz/generate" "$seed"; fi >"$seed.jsonl"
done
for seed in 9 10; do head -c -30 "$seed.jsonl" >"torn-$seed.jsonl"; done
"$O/t/fuzz/judge" --random 0 1 300 >random.jsonl	# where coroutines and objects are so few that events meet
"$O/t/fuzz/judge" --world 0 1 60 >world.jsonl
status 0 "$O/t/fuzz/model" $(ls *.jsonl | sort) >got
same "$SRC/t/fuzz/model.expected" got || {
	echo 'Where the model or the format was changed on purpose, these become t/fuzz/model.expected.' >&2
	false
}
EOF
else
	skip_case 'events, coroutines, spans, threads and texts of made up traces' 'the sanitizers are on: CHECK_ALL=1 does it'
fi
done_testing
