#!/bin/sh
# Call stacks (ct-record --stacks): what the probe walks up, what the recorder tells of it, and what it is called.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

if [ -z "$SAN" ]; then
	for cc in gcc clang; do
		command -v $cc >/dev/null || { skip_case "$cc" "no $cc"; continue; }
		test_case "$cc: so it is at every level of optimisation" <<EOF
for flags in -O0 ${CHECK_ALL:+-O1 '-O2 -fno-omit-frame-pointer' -Os} -O3; do
	$cc -std=c11 -D_GNU_SOURCE -I$SRC/sdk/ctp -I$SRC/sdk/c -I$SRC/t/lib \$flags -o unwind $SRC/t/unit/unwind.c -lpthread
	status 0 timeout 300 ./unwind >out 2>err || { echo "\$flags"; cat out err; exit 1; } >&2
done
EOF
	done
fi

cat >>"$scratch/.case-lib" <<'EOT'
# What the tasks do, without the threads, times and folders.
tasks() { ct-sym --quiet trace | ct-bt --all | sed -n '/^#0/,$p' | sed "s/ for [0-9.]*[a-z]*s\$//; s|[^ ]*/stk-|stk-|; s/thread [0-9]*/thread/; s/0x[0-9a-f]*/ADDR/"; }
# Each stack is told once, before its first use, and each suspend and wake has one; sets $stacks, $frames.
all_told() {
	awk '/"ev":"stack"/ { match($0, /"stack":[0-9]*/); n = substr($0, RSTART, RLENGTH); bad += told[n]++; stacks++ }
		/"ev":"(suspend|wake)"/ { used++; bad += !match($0, /"stack":[0-9]*}/); bad += !(substr($0, RSTART, RLENGTH - 1) in told) }
		END { print stacks + 0, used + 0, bad + 0 }' trace >told
	read -r stacks used bad <told
	[ "$bad" = 0 ] || { cat told err >&2; return 1; }
	sed -n '/"ev":"stack"/s/.*"frames"://p' trace | sort -u | wc -l >n; read -r distinct <n
}
EOT

chain() {	# $1: compiler; $2: what it is called
	command -v "$1" >/dev/null || { skip_case "$1" "no $1"; return; }
	test_case "$1 -O2: the chain of functions where it suspended, inlined ones too, and where it was woken" <<EOT
$1 -std=c11 -D_GNU_SOURCE -O2 -g -I$SRC/sdk/c -o stk-chain $SRC/t/targets/stk-chain.c $O/dropin/ct.c -lpthread -ldl
status 0 trace --stacks -- ./stk-chain chain; same /dev/null err
all_told; [ \$used = 2 ]
tasks >actual
cat >expected <<'OUT'
#0 1 "chain" runnable at net_read() stk-chain.c:29 on fd:7
    main() stk-chain.c:152
    serve() stk-chain.c:41
    read_request() stk-chain.c:35
    net_read() stk-chain.c:29
    woken by thread "stk-chain" at
      main() stk-chain.c:153
      on_readable() stk-chain.c:47
1 task, 1 live coroutine
OUT
same expected actual
EOT
}
chain gcc
chain clang

await() {
	command -v "$1" >/dev/null || { skip_case "$1" "no $1"; return; }
	test_case "$1 -O2: C++ coroutines, with what resumed them and who woke them" <<EOT
$1 -std=c++20 -O2 -g -I$SRC/sdk/cpp -o stk-await $SRC/t/targets/stk-await.cc -lpthread
status 0 trace --stacks -- ./stk-await; same /dev/null err
all_told; [ \$used = 5 ]
tasks >actual
cat >expected <<'OUT'
#0 1 "conn" suspended at serve() stk-await.cc:51 on coro:2
    main() stk-await.cc:80
    run_ready() stk-await.cc:69
    serve() stk-await.cc:51
  #1 2 "read_line" runnable at read_line() stk-await.cc:46 on sem:ADDR
      main() stk-await.cc:82
      run_ready() stk-await.cc:69
      read_line() stk-await.cc:46
      woken by thread "stk-await" at
        main() stk-await.cc:83
        net::server::notify(line&) stk-await.cc:58
        line::come() stk-await.cc:36
1 task, 2 live coroutines
OUT
same expected actual
EOT
}
await g++
await clang++

test_case 'a stripped program: by its symbols, by the file that has the debug information, by no other build' <<'EOT'
build() { ${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -g -Wl,--build-id=sha1 -I$SRC/sdk/c "$@" $SRC/t/targets/stk-chain.c $O/dropin/ct.c -lpthread -ldl; }
build -o stk-chain; mkdir -p "root$PWD"; cp stk-chain "root$PWD"; strip -s stk-chain
status 0 trace --stacks -- ./stk-chain chain
status 3 ct-sym trace >out 2>err; has 'stk-chain: no debug information' err; hasnt '"func":"serve"' out
ct-sym --root="$PWD/root" --text trace >out 2>err || [ $? = 3 ]; has '  serve at .*stk-chain.c:41' out
build -DOTHER -O1 -o "root$PWD/stk-chain"
ct-sym --root="$PWD/root" --text trace >out 2>err || [ $? = 3 ]; has 'another build, not used' err; hasnt '  serve' out
EOT

test_case 'thousands of stacks: each told once, each right, whoever has them' <<'EOT'
status 0 trace --stacks -- stk-chain many 12; all_told
[ "$stacks $used $distinct" = '4096 4096 4096' ]
status 0 trace --stacks -- stk-chain threads 10; all_told
[ $used = 4096 ] && [ $distinct -ge 1024 ]
status 0 trace --stacks --follow -- stk-chain fork 9; all_told
[ "$used $distinct" = '1024 1024' ]
status 0 ct-check trace >checked
EOT

test_case 'a target that is killed: every stack of what it published is there' <<'EOT'
status 137 trace --stacks -- stk-chain kill 8; all_told
[ "$stacks $used" = '256 256' ]
EOT

test_case 'a recorder that is killed: the target goes on' <<'EOT'
cat >target <<'END'
stk-chain orphan 8 $PPID
echo $? >status
END
ct_record --stacks -o trace -- sh ./target 2>err || [ $? = 137 ]
wait_for test -s status; echo 0 >zero; same zero status
EOT

test_case 'a stack of its own ends where it began; a library that came later has names' <<'EOT'
status 0 trace --stacks -- stk-chain context; all_told; ct-sym --text --quiet trace >out || [ $? = 3 ]
[ "$(grep -c '^  0x' out)" -le 6 ]; has '  body at ' out; has '  serve at ' out
cat >plugin.c <<'C'
void plugin(void (*back)(void)) { back(); __asm__ volatile("" ::: "memory"); }
C
${CC:-cc} -O2 -g -shared -fPIC -o plugin.so plugin.c
rm trace; ct-record --stacks -o trace -- stk-chain dlopen "$PWD/plugin.so" 2>err & record=$!
wait_for grep '"ev":"suspend"' trace; kill $record; wait $record || [ $? = 143 ]
all_told
[ "$(grep -n '"ev":"map".*plugin.so' trace | cut -d: -f1)" -lt "$(grep -n '"ev":"stack"' trace | cut -d: -f1)" ]
tasks >out; has '^    plugin() .*plugin.c:1$' out; has '^    main' out
EOT

test_case 'not asked for: none; asked of a probe that has none: said' <<'EOT'
status 0 trace -- stk-chain chain; hasnt '"stack"' trace
status 0 trace --stacks -n 10 -- rec-v1 count 2 8; hasnt '"stack"' trace; has 'no event had a call stack' err
status 0 trace --stacks --quiet -n 10 -- rec-v1 count 2 8; same /dev/null err
EOT
done_testing
