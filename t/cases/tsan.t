#!/bin/sh
# The probes under ThreadSanitizer: coroutines that move between threads, threads that come and go, the C++ demo's workers.
. "${0%/*}/../lib/lib.sh"

[ -z "${SAN:-}" ] || skip_all "the programs are under another sanitizer"
unset CTP_SHM_PATH CTP_SOCK_PATH CTP_MAX_STATIONS
export FLAGS="-g -O1 -Werror -fsanitize=thread -D_GNU_SOURCE -I$SRC/sdk/c -I$SRC/sdk/cpp -I$SRC/sdk/ctp"
export TSAN_OPTIONS="exitcode=66"
echo 'int main(void) { return 0; }' >"$scratch/try.c"
works() { "$@" $FLAGS -o "$scratch/try" "$scratch/try.c" -lpthread && "$scratch/try"; } >/dev/null 2>&1
for pair in "${CC:-cc} ${CXX:-c++}" 'gcc g++' 'clang clang++'; do
	export CC="${pair% *}" CXX="${pair#* }"
	works $CC && break
	CC=
done
[ -n "$CC" ] || skip_all "no compiler here makes programs that run under ThreadSanitizer"
# The probe takes longest to compile.
$CC $FLAGS -std=c11 -c -o "$scratch/ct.o" "$SRC/sdk/c/ct.c" || fail_all 'the probe compiles'

for mode in 'hop 4 50 20000' 'stay 3 20 5000' 'churn 100'; do
	export mode
	test_case "the C probe, $mode: no race" <<'EOF'
	$CC $FLAGS -std=c11 -o load $SRC/t/targets/rec-load.c ../ct.o -lpthread
	status 0 timeout 300 ct-record --ring-slots=1024 -o trace ./load count $mode 2>err
	hasnt ThreadSanitizer err
	has '"ev":"end"' trace
EOF
done

for program in 'box-stop busy 40' 'box-dump 5'; do
	export program
	test_case "the C probe's box, $program: no race" <<'EOF'
	$CC $FLAGS -std=c11 -o prog $SRC/t/targets/${program%% *}.c ../ct.o -lpthread
	touch go
	CTP_BOX=1,slots=512 timeout 300 ./prog ${program#* } >out 2>err || { cat err >&2; exit 1; }
	hasnt ThreadSanitizer err
EOF
done

CLANG=
for try in clang clang-19; do
	works $try && { export CLANG=$try; break; }
done
name="clang's looks at atomics also where it is to look at nothing: threads that take each other's stations, a dump: no race"
if [ -n "$CLANG" ]; then
	test_case "$name" <<'EOF'
cat >stations.c <<'END'
#include <pthread.h>
#include "ct.h"
static void *lives(void *arg)
{
	static __thread struct ct_coro c[200];
	int i, round;

	for (round = 0; round < 20; round++) {
		for (i = 0; i < 200; i++)
			ct_create(&c[i], 0, CT_HERE, &c[i], NULL);
		for (i = 0; i < 200; i++)
			ct_destroy(&c[i], 1);
	}
	return arg;
}
int main(void)
{
	pthread_t t[8];
	int i;

	ct_init();
	for (i = 0; i < 8; i++)
		if (pthread_create(&t[i], NULL, lives, NULL))
			return 98;
	for (i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	return 0;
}
END
$CLANG $FLAGS -O0 -std=c11 -c -o clang.o $SRC/sdk/c/ct.c
for program in ./stations.c "$SRC/t/targets/box-dump.c"; do
	$CLANG $FLAGS -O0 -std=c11 -o prog $program clang.o -lpthread
	touch go
	CTP_BOX=1,slots=512 timeout 300 ./prog 3 >out 2>err || { cat err >&2; exit 1; }
	hasnt ThreadSanitizer err
done
EOF
else
	skip_case "$name" "no clang here makes programs that run under ThreadSanitizer"
fi

test_case "ct-record, whose lines another thread writes: who reads them leaves, they are compressed, it starts a program: no race" <<'EOF'
make -s -C "$SRC" TSAN=1 O="$PWD/b" CC="$CC" "$PWD/b/ct-record" >out 2>&1 || { cat out >&2; exit 1; }
CTP_BOX=1 "$O/t/targets/box-spin" 2 500 3 >own 2>&1 &
for i in $(seq 100); do [ -s pid ] || sleep 0.1; done
timeout 100 b/ct-record -p $(cat pid) 2>err | head -n 100 >trace
hasnt ThreadSanitizer err
timeout --foreground -s TERM 2 b/ct-record -p $(cat pid) -o trace.gz 2>err || [ $? = 124 ] || { cat err >&2; exit 1; }
hasnt ThreadSanitizer err
touch stop
wait
status 0 timeout 300 b/ct-record --ring-slots=1024 -o trace "$O/t/targets/rec-load" count hop 4 50 2000 2>err
hasnt ThreadSanitizer err
has '"ev":"end"' trace
EOF

test_case "the C++ probe in the demo's scheduler: no race" <<'EOF'
	$CXX $FLAGS -std=c++20 -o server $SRC/t/demo/server.cc -lpthread
	timeout 300 ct-record -o trace ./server --mended --port-file=port 2>err &
	tries=0
	until [ -s port ]; do tries=$((tries + 1)); [ $tries -lt 1200 ]; sleep 0.1; done
	status 0 timeout 300 demo-load "$(cat port)" >out
	status 0 wait $!
	hasnt ThreadSanitizer err
	has '"ev":"destroy"' trace
EOF
done_testing
