#!/bin/sh
# ct-fold: suspended, runnable and running time as folded stacks of who awaits whom; wakers on top; nothing told twice.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
cat >>"$scratch/.case-lib" <<'EOF'
# 1 (f1) awaits 2 (f2), which awaits 3 (f3), which waits on fd:5 for 6 ms; all end.
sample() {
	begin
	create 1 0; create 2 10; create 3 20
	resume 1 1000 11; suspend 1 1100 11 join:2 1; resume 2 1200 11; suspend 2 1300 11 coro:3 2
	resume 3 2000 11; suspend 3 3000 11 fd:5 3; wake 3 9000 12 fd:5; resume 3 9500 12; wake 2 9600 12 coro:3 3; destroy 3 9700 12
	resume 2 9900 12; wake 1 10000 12 join:2 2; destroy 2 10900 12; resume 1 11000 12; destroy 1 11500 12; end 12000
}
EOF

test_case 'the chain, root first, and what its last waits on; the time of those above is not told twice' <<'EOF'
sample; status 0 ct-fold --quiet trace >out
echo 'f1;f2;f3;fd 6000' >expected; same expected out
status 0 ct-fold --quiet --time=runnable trace >out
cat >expected <<'OUT'
f1 1000
f1;f2 300
f1;f2;f3 500
OUT
same expected out
status 0 ct-fold --quiet --time=running trace >out
cat >expected <<'OUT'
f1 600
f1;f2 1100
f1;f2;f3 1200
OUT
same expected out
EOF

test_case '--wakers: who woke it, from its leaf down' <<'EOF'
sample; status 0 ct-fold --quiet --wakers trace >out
echo 'f1;f2;f3;fd;--;w12 6000' >expected; same expected out
status 0 ct-fold --quiet --wakers --time=runnable trace >out
cat >expected <<'OUT'
f1;--;f2;f1 1000
f1;f2;--;f3;f2;f1 300
f1;f2;f3;--;w12 500
OUT
same expected out
status 2 ct-fold --wakers --time=running trace 2>err; has '^ct-fold: --wakers: only' err
begin; waiting 1 1000 fd:5 2; waiting 2 1000 fd:6 2; resume 2 3000 12; suspend 2 4000 12 fd:7 1; end 6000
status 0 ct-fold --quiet --wakers trace >out
cat >expected <<'OUT'
f1;fd;--;[not_woken] 2000
f2;fd;--;[no_wake_seen] 2000
f2;fd;--;[not_woken] 5000
OUT
same expected out
EOF

test_case 'time open at the end counts; after the end of the awaited one the wait is its own' <<'EOF'
begin; create 2 0; waiting 1 1000 join:2 1; waiting 3 1000 coro:99 3
resume 2 1100 11; suspend 2 1200 11 timer:5 2; resume 2 4200 12; destroy 2 5000 12; end 9000
status 0 ct-fold --quiet trace >out
cat >expected <<'OUT'
f1;f2;timer 3000
f1;join 4000
f3;coro 8000
OUT
same expected out
EOF

test_case 'several await one: the chain goes through the first, the others wait for themselves' <<'EOF'
begin; waiting 1 1000 fd:5 1; waiting 2 2000 join:1 2; waiting 3 3000 join:1 3; end 9000
status 0 ct-fold --quiet trace >out
cat >expected <<'OUT'
f2;f1;fd 8000
f3;join 6000
OUT
same expected out
EOF

test_case 'a cycle is one stack, from its least on; so is one of one, and what leads into it' <<'EOF'
begin; for i in 1 2 3 4 5; do create $i 0; done
resume 3 100 11; suspend 3 1000 11 join:1 3; resume 1 100 11; suspend 1 2000 11 join:2 1; resume 2 100 11; suspend 2 3000 11 join:3 2
resume 4 100 11; suspend 4 4000 11 join:4 2; resume 5 100 11; suspend 5 5000 11 join:1 3; end 9000
status 0 ct-fold --quiet trace >out
cat >expected <<'OUT'
[cycle];f1;f2;f3;join 8000
[cycle];f2;join 5000
f3;join 4000
OUT
same expected out
EOF

test_case 'a cycle that is broken is none any more' <<'EOF'
begin; create 1 0; create 2 0; resume 1 100 11; suspend 1 1000 11 join:2 1; resume 2 100 11; suspend 2 2000 11 join:1 2
wake 2 3000 12; resume 2 3000 12; suspend 2 4000 12 fd:5 2; end 9000
status 0 ct-fold --quiet trace >out
cat >expected <<'OUT'
[cycle];f1;f2;join 1000
f1;f2;fd 5000
OUT
same expected out
EOF

test_case 'names are harmless, and frames where no site is known' <<'EOF'
begin; printf '{"ev":"site","site":4,"func":"task<a, b> f(int; char)\\n\\u0001\\u0085\\u2028x","file":"","line":1}\n' >>trace
waiting 1 1000 fd:5 4; create 2 0; line name 1 '"tid":11,"probe_id":2,"name":"conn 2"'; resume 2 10 11; suspend 2 1000 11 'a b;c:9' 9
waiting 3 1000 '' 9; waiting 4 1000 ':9' 1; end 2000
status 0 ct-fold --quiet trace >out
cat >expected <<'OUT'
?;? 1000
conn_2;a_b:c 1000
f1;? 1000
task<a,_b>_f(int:_char)???????x;fd 1000
OUT
same expected out
status 0 ct-fold --quiet --names trace >out; has '^conn_2;a_b:c 1000$' out
EOF

test_case '--from, --to, --site, --name, --depth' <<'EOF'
sample; status 0 ct-fold --quiet --from=+4ms --to=+5500us trace >out; echo 'f1;f2;f3;fd 1500' >expected; same expected out
status 0 ct-fold --quiet --depth=1 trace >out; echo 'f1;[deeper];fd 6000' >expected; same expected out
status 0 ct-fold --quiet --time=running --site=f2 trace >out; echo 'f1;f2 1000' >expected; same expected out
status 0 ct-fold --quiet --name=nobody trace >out; [ ! -s out ]
EOF

test_case 'a chain of 100000, joined from either end, is one line; its stack is whole with --depth=0' <<'EOF'
chain() {
	"${AWK:-awk}" -v up="$1" -v n=100000 'BEGIN {
		print "{\"ev\":\"meta\",\"ts\":1,\"format\":\"corotrace\",\"version\":2,\"tool\":\"t\"}"
		print "{\"ev\":\"site\",\"site\":1,\"func\":\"f\",\"file\":\"f.c\",\"line\":1}"
		f = "{\"probe_id\":%d,\"tid\":4,\"addr\":\"0x0000000000000000\",\"seq\":%d,\"is_active\":%s,\"ts\":%d,\"ev\":\"%s\",\"n\":%d%s}\n"
		for (i = 1; i <= n; i++) printf f, i, 2, "false", 1000, "create", 1, ",\"site\":1"
		for (k = 1; k <= n; k++) {
			i = up ? n + 1 - k : k
			printf f, i, 4, "true", 2000, "resume", 2, ""
			printf f, i, 6, "false", 2000, "suspend", 3, ",\"site\":1,\"on\":\"" (i < n ? "coro:" i + 1 : "fd:5") "\""
		}
		print "{\"ev\":\"end\",\"ts\":1002000,\"events\":0,\"lost\":0}"
	}'
}
for up in 0 1; do
	chain $up >trace; status 0 ct-fold --quiet --depth=0 trace >out; wc -l <out | tr -d ' ' >n; tr ';' '\n' <out | grep -c '^f$' >>n
	tr ';' '\n' <out | tail -1 >>n; printf '1\n100000\nfd 1000\n' >expected; same expected n
done
status 0 ct-fold --quiet trace >out; has 'f;f;\[deeper\];fd 1000$' out
EOF

test_case 'what is missing is said, and counts nowhere; two runs; version 1; a filter' <<'EOF'
begin; waiting 1 1000 fd:5 2; n_1=7; resume 1 2000 11; suspend 1 2100 11 fd:5 2; end 3000
status 0 ct-fold trace >out 2>err; [ ! -s out ]; has '^ct-fold: 2 stretches with lines missing' err
sample; cat trace trace >two; status 0 ct-fold --quiet two >out
printf 'run_1;f1;f2;f3;fd 6000\nrun_2;f1;f2;f3;fd 6000\n' >expected; same expected out
ct-where '.ev != "wake"' trace | status 0 ct-fold 2>err >out; has 'filters left lines out' err
for i in 1 2 3 4; do
	printf '{"probe_id":7,"tid":4,"addr":"0x0000000000000010","seq":%s,"is_active":%s,"ts":%s}\n' \
		$((i * 2)) "$([ $((i % 2)) = 0 ] && echo true || echo false)" $((i * 1000000000))
done >v1
status 0 ct-fold v1 >out 2>err; echo '?;? 2000000' >expected; same expected out; has '^ct-fold: 4 lines of version 1' err
EOF

test_case 'a site line that comes again, or late, names what follows it' <<'EOF'
cat >trace <<'T'
{"ev":"site","site":1,"func":"old"}
{"probe_id":1,"tid":9,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":1000000,"ev":"create","n":1,"site":1}
{"probe_id":1,"tid":9,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":2000000,"ev":"resume","n":2}
{"probe_id":1,"tid":9,"addr":"0x0000000000000010","seq":6,"is_active":false,"ts":3000000,"ev":"suspend","n":3,"site":1}
{"ev":"site","site":1,"func":"new"}
{"probe_id":1,"tid":9,"addr":"0x0000000000000000","seq":8,"is_active":true,"ts":5000000,"ev":"resume","n":4}
{"probe_id":1,"tid":9,"addr":"0x0000000000000010","seq":10,"is_active":false,"ts":6000000,"ev":"suspend","n":5,"site":1}
{"probe_id":1,"tid":9,"addr":"0x0000000000000000","seq":12,"is_active":true,"ts":9000000,"ev":"resume","n":6}
{"ev":"end","ts":9000000}
T
status 0 ct-fold --quiet trace >out; printf 'new;? 3000\nold;? 2000\n' >expected; same expected out
EOF

test_case 'usage, help, bad and torn lines, empty input, full disk, a closed pipe' <<'EOF'
status 2 ct-fold --nonsense 2>err; has '^ct-fold: ' err
status 2 ct-fold --time=walking 2>err; has '^ct-fold: --time=walking: bad argument' err
status 0 ct-fold --help >out; has 'example:' out
status 2 ct-fold </dev/null 2>err; has '^ct-fold: ' err
sample; status 2 ct-fold trace >/dev/full 2>err
(cat trace; printf '{"probe_id":7,') >torn; status 0 ct-fold torn >out 2>err; has 'torn:[0-9]*: the line is cut off' err
status 2 ct-fold --strict torn >out 2>err
EOF
done_testing
