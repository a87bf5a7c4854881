#!/bin/sh
# ct-fromgo without Go: small made traces of every version, broken and cut ones, and what other programs make of them.
. "${0%/*}/../lib/lib.sh"
mkdir "$scratch/seeds" && "$O/t/fuzz/gotrace" --seeds "$scratch/seeds" || exit 1
cat >>"$scratch/.case-lib" <<'EOF'
seed=$PWD/../seeds/seed
EOF

test_case 'each goroutine as a coroutine: what was there first, then what happened' <<'EOF'
status 0 ct-fromgo $seed-26.trace >out
cat >expected <<'OUT'
{"ev":"meta","ts":64000,"format":"corotrace","version":2,"tool":"ct-fromgo","wall":1699999999999999685,"clock":"monotonic","go_trace":"1.26"}
{"ev":"sync","ts":64000,"generation":1,"wall":1699999999999999685}
{"ev":"thread","ts":64000,"tid":100}
{"probe_id":1,"tid":100,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":64000,"ev":"state","n":2}
{"probe_id":9,"tid":0,"addr":"0x0000000000000000","seq":4,"is_active":false,"ts":64000,"ev":"state","n":2}
OUT
head -5 out | sed 's/ct-fromgo [0-9.]*/ct-fromgo/' >actual
same expected actual
sed -n '/"site":3,"func/,/"name":"main.worker"/p' out >actual
cat >expected <<'OUT'
{"ev":"site","site":3,"func":"main.worker","file":"/src/main.go","line":30}
{"ev":"stack","stack":2,"sites":[3]}
{"probe_id":2,"tid":100,"addr":"0x0000000000000000","seq":2,"is_active":false,"ts":64448,"ev":"create","n":1,"site":1,"parent":1,"stack":1}
{"ev":"name","ts":64448,"tid":100,"probe_id":2,"name":"main.worker"}
OUT
same expected actual
has '"probe_id":1,.*"ev":"suspend","n":3,"site":1,"on":"chan:","stack":1,"reason":"chan receive"}' out
has '"probe_id":2,.*"ev":"suspend","n":3,"site":5,"on":"mutex:","stack":3,"reason":"sync"}' out
has '"probe_id":1,.*"ev":"suspend".*"on":"sched:","stack":1,"reason":"preempted"}' out
has '"probe_id":1,.*"ev":"wake","site":3,"by":3,"stack":2}' out
has '"ev":"log",.*"category":"main.main","message":"stop \\"it\\"\\n' out
has '"on":"coro:20"' out
has '"name":"callback from C (goroutine 40)"' out
status 0 ct-check out >check
has 'healthy$' check
EOF

for v in 22 23 25 26; do
test_case "Go 1.$v: all of it, and healthy" <<EOF
status 0 ct-fromgo <\$seed-$v.trace >out
has '"go_trace":"1.$v"' out
status 0 ct-check out >check
tail -n 1 out >last; has '"ev":"end",.*"lost":0,"lines":{"thread":[0-9]*,"site":[0-9]*}}' last
for kind in thread site; do
	[ \$(grep -c "\"ev\":\"\$kind\"" out) -eq \$(sed "s/.*\"\$kind\":\([0-9]*\).*/\1/" last) ]
	sed "0,/\"ev\":\"\$kind\"/{/\"ev\":\"\$kind\"/d;}" out >without
	status 3 ct-lostwake without >/dev/null
done
grep -vc -e '"ev":"\(meta\|sync\|site\|stack\|thread\|state\|end\|gc\|stw\|task\|region\|log\)"' out >n
sed -n 's/.*"events":\([0-9]*\).*/\1/p' last >said; same n said
EOF
done

test_case '--syscalls: all, those that block, none' <<'EOF'
status 0 ct-fromgo --syscalls=all $seed-26.trace >all
status 0 ct-fromgo --syscalls=blocking $seed-26.trace >some
status 0 ct-fromgo --syscalls=none $seed-26.trace >none
for f in all some none; do grep -c '"on":"syscall:"' $f; done >n
printf '5\n4\n1\n' >want; same want n
for f in all some none; do status 0 ct-check $f >/dev/null; done
status 2 ct-fromgo --syscalls=few $seed-26.trace 2>err
EOF

test_case 'no channel or lock is ever given a name' <<'EOF'
ct-fromgo $seed-26.trace | grep -o '"on":"[a-z]*:[^"]*"' | grep -v '"on":"coro:[0-9]*"' | grep -v ':"$' >named || :
[ ! -s named ]
EOF

test_case 'a cut trace: whole generations, then what is lost and why; status 3, --strict 2' <<'EOF'
size=$(wc -c <$seed-26.trace)
head -c $((size - 20)) $seed-26.trace >cut
status 3 ct-fromgo cut >out 2>err
grep -q '^ct-fromgo: cut: generation 2: byte [0-9]*: the trace was cut off within a batch$' err
hasnt '"ev":"end"' out
tail -n 1 out >last; has '"ev":"lost","ts":[0-9]*,"count":[0-9]*,.*"why":"the trace was cut off within a batch"}' last
status 2 ct-fromgo --strict cut >/dev/null 2>&1
status 3 ct-fromgo --quiet cut >/dev/null 2>err; [ ! -s err ]
status 3 ct-stuck --min-age=1h out >stuck 2>&1; has 'as of where the trace was cut' stuck
EOF

test_case 'a generation that is larger than memory shall hold is cut there' <<'EOF'
status 0 "$O/t/unit/gobound" >out || { grep -A1 '^not' out >&2; exit 1; }
EOF

test_case 'what is no trace, too old or too new is refused with a reason' <<'EOF'
: >empty; status 2 ct-fromgo empty >out 2>err; echo 'ct-fromgo: empty: not a Go execution trace' >want; same want err; [ ! -s out ]
printf 'go 1.21 trace\0\0\0' | status 2 ct-fromgo 2>err; has 'Go 1.21 or older; build the program with Go 1.22 or later' err
printf 'go 1.99 trace\0\0\0' | status 2 ct-fromgo 2>err; has 'written by a newer Go' err
printf 'go 1.2x trace\0\0\0' | status 2 ct-fromgo 2>err; has 'not a Go execution trace' err
echo '{"ev":"meta"}' | status 2 ct-fromgo 2>err
echo 'goroutine 1x [select]:' >dump; status 2 ct-fromgo --goroutines=dump $seed-26.trace 2>err; has '^ct-fromgo: dump: no goroutine' err; hasnt LeakSan err
status 2 ct-fromgo /nonexistent 2>err; has '/nonexistent: No such file' err
for v in 22 26; do
	printf "go 1.$v trace\0\0\0" | status 3 ct-fromgo >out 2>err; has 'nothing but its header' err; hasnt '"ev":"end"' out
done
EOF

test_case 'a generation that is missing, or there twice, also where nothing contradicts it' <<'EOF'
# of Go 1.26, with no goroutine: clock, strings, end of the generation
for gen in 1 2 3; do
	{
		printf "\001\00$gen\000\001\013\062\010\250\326\271\007\063\001\001\001\001"
		printf "\001\00$gen\000\001\001\004\064"
	} >$gen
done
printf 'go 1.26 trace\0\0\0' >head
cat head 1 2 3 | status 0 ct-fromgo >out
cat head 1 3 | status 3 ct-fromgo >out 2>err; has ': generation 3 follows generation 1$' err; has '"ev":"lost"' out
cat head 1 1 2 3 | status 3 ct-fromgo >out 2>err; has ': generation 1 follows generation 1$' err
cat head 2 1 3 | status 3 ct-fromgo >out 2>err; has ': generation 1 follows generation 2$' err
EOF

test_case 'several files are several runs; stdout is checked' <<'EOF'
status 0 ct-fromgo $seed-26.trace $seed-22.trace >out
status 0 ct-check out >check; grep -c 'healthy$' check >n; echo 2 >two; same two n
[ ! -w /dev/full ] || { status 2 ct-fromgo $seed-26.trace >/dev/full 2>err; has 'ct-fromgo: <stdout>' err; }
ct-fromgo $seed-26.trace | head -n 1 >one; has meta one
EOF

test_case 'a goroutine that has ended has no status any more, where no line says who it is' <<'EOF'
{
	printf 'go 1.22 trace\0\0\0'
	printf '\001\001\377\377\377\377\377\377\377\377\377\001\001\005\010\250\326\271\007'
	# processor 0 and goroutine 1 run; it ends; it runs; it ends
	printf '\001\001\144\002\022\015\001\000\001\031\001\001\144\002\021\001\031\001\001\144\002\021\001'
	printf '\001\001\377\377\377\377\377\377\377\377\377\001\001\001\004'	# no strings
} >twice
status 3 ct-fromgo twice >out 2>err
has 'twice: generation 1: byte [0-9]*: goroutine 1 has a status and has ended$' err
has '"ev":"lost"' out
status 1 ct-check out >check; hasnt 'not JSON\|not a JSON' check
EOF

test_case 'mutated and cut at every byte: no crash, no line out of order' <<'EOF'
"$O/t/fuzz/gotrace" 4000 3 >out || { grep -v '^ok' out >&2; exit 1; }
EOF

done_testing
