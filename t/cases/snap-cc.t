#!/bin/sh
# ct-snap: every frame of C++20 coroutines as the program itself says it is, by each compiler, live and from a core.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/snap.sh"

# compilers that are there, as "command flags"
compilers=
all='g++ clang++ clang++-19'
[ -z "$CHECK_ALL" ] || all="$all clang++-15 clang++-16 clang++-17 clang++-18"
missing=
for cxx in $all; do
	if has_coroutines $cxx; then
		compilers="$compilers $cxx"
	else
		missing="$missing $cxx"
	fi
done
[ "$compilers" ] || skip_all 'no compiler with coroutines'
[ -n "$CHECK_ALL" ] || skip_case 'clang 15 to 18' 'CHECK_ALL is not set'
for cxx in $missing; do skip_case "$cxx" 'not there, or without coroutines'; done
levels='-O0 -O2'
[ -z "$CHECK_ALL" ] || levels='-O0 -Og -O1 -O2 -O3'

# An awaiter of a library: what is called of it is in another unit, the last thing the coroutine does.
cat >"$scratch/away.cc" <<'EOF'
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
struct away {
	bool await_ready() const noexcept { return false; }
	void await_suspend(std::coroutine_handle<> h) const noexcept;
	void await_resume() const noexcept {}
};
#ifdef LIBRARY
static std::coroutine_handle<> all[16];
static int count;
void away::await_suspend(std::coroutine_handle<> h) const noexcept { all[count++] = h; }
void step() { int n = count; count = 0; for (int i = 0; i < n; i++) all[i].resume(); }
#else
void step();
struct task {
	struct promise_type {
		task get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
};
static int steps[3];
int main()
{
	auto first = [](int id) -> task {
		steps[id]++;
		co_await away();	// line 31
		steps[id]++;
		co_await away();	// line 33
	};
	auto second = [](int id) -> task {
		co_await away();	// line 36
		steps[id]++;
		co_await away();	// line 38
		steps[id]++;
		co_await away();	// line 40
	};
	first(0);
	second(1);
	step();
	first(2);
	puts("ready");
	fflush(stdout);
	pause();
}
#endif
EOF

for cxx in $compilers; do
	$cxx -std=c++20 -O2 -g -Wl,--build-id=sha1 -o "$scratch/cc-$cxx" "$SRC/t/targets/snap-cc.cc" || fail_all 'snap-cc.cc builds'
	test_case "$cxx: awaiters whose functions are elsewhere" <<EOT
$cxx -std=c++20 -O2 -g -DLIBRARY -c -o library.o ../away.cc
$cxx -std=c++20 -O2 -g -o away ../away.cc library.o
start ./away
status 0 ct-snap -p \$pid >trace 2>err
stop
frames trace | cut -d' ' -f3 | sort >actual
printf '31\n33\n38\n' >expected
# clang writes the first number in the function that creates the frame, here main: no line then, but never a wrong one
case $cxx in clang*) sed -i 's/^31\$/-/' expected; sed -i 's/^31\$/-/' actual; sort -o expected expected; sort -o actual actual; esac
same expected actual
EOT
	for level in $levels; do
		test_case "$cxx $level: function, line, whom it awaits or which fd, of each of 750; none of 600 destroyed" <<EOT
[ $level = -O2 ] && cp ../cc-$cxx cc || $cxx -std=c++20 $level -g -o cc "$SRC/t/targets/snap-cc.cc"
for how in lazy eager; do
	start ./cc 250 \$how
	status 0 ct-snap -p \$pid >trace 2>err
	stop
	case $cxx in g++*)
		has ' wait for a descriptor that is not open (any more), as fd:[1-9][0-9]*: ' err
		has '"closed":true' trace
	esac
	sed '\$d' own | sort >expected
	# Before clang 18 optimised frames may not say where their awaiters are: no descriptor then, but never a wrong one.
	frames trace | sort >actual
	case '$cxx $level' in clang++\ -O[1-3g]|clang++-1[567]\ -O[1-3g])
		awk 'NR == FNR { none[\$1] = \$4 == "-"; next } none[\$1] && \$4 !~ /^0x/ { \$4 = "-" } { print }' actual expected >e
		mv e expected
	esac
	# At -O3 clang keeps no number where there is one co_await: no line then, but never a wrong one.
	case '$cxx $level' in clang*-O3)
		awk 'NR == FNR { bare[\$1] = \$3 == "-"; next } bare[\$1] { \$3 = "-" } { print }' actual expected >e
		mv e expected
		[ \$(awk '\$3 == "-"' actual | wc -l) -le 250 ]
	esac
	same expected actual
	status 0 ct-check --strict trace >check
	closed=\$(grep -c '"closed":true' trace || :)
	status \$((closed ? 3 : 0)) ct-lostwake trace >findings
	[ \$closed = 0 ] || has "\$closed waits are for descriptors that are not open (any more)" findings
done
EOT
	done
	test_case "$cxx: frames that nothing refers to are suspected, and no others" <<EOT
cp ../cc-$cxx cc
start ./cc 250 forget
status 0 ct-snap -p \$pid >trace 2>err
stop
awk '\$2 == "leaf" && \$4 % 10 == 0 { print \$1 }' own | sort >forgotten
status 1 ct-lostwake --json trace >findings
hasnt '"certainty":"proven"' findings
ids=\$(sed 's/.*"probe_id":\([0-9]*\).*/\1/' findings)
for id in \$ids; do sed -n "s/^{\"probe_id\":\$id,.*\"addr\":\"0x0*\([^\"]*\)\".*\"state\".*/0x\1/p" trace; done | sort >actual
comm -13 forgotten actual >wrong
[ ! -s wrong ] || { cat wrong >&2; false; }
# stale words in memory that is in use hide the others
[ \$(comm -12 forgotten actual | wc -l) -ge 5 ]
EOT
	test_case "$cxx: from a pool that overwrites nothing, what may have been destroyed carries a doubt" <<EOT
cp ../cc-$cxx cc
start ./cc 250 pool
status 0 ct-snap -p \$pid >trace 2>err
stop
sed '\$d' own | cut -d' ' -f1 | sort >expected
frames trace | cut -d' ' -f1 | sort >sure
comm -13 expected sure >wrong
[ ! -s wrong ] || { head wrong >&2; false; }
jq -r 'select(.ev == "state") | .addr' trace | sed 's/0x0*/0x/' | sort >all
comm -23 expected all >missing
[ ! -s missing ] || { head missing >&2; false; }
case $cxx in g++) same expected sure;; esac
EOT
	if command -v gcore >/dev/null; then
		test_case "$cxx: the same from a core by gcore; another build is refused" <<EOT
cp ../cc-$cxx cc
$cxx -std=c++20 -O1 -g -Wl,--build-id=sha1 -o other "$SRC/t/targets/snap-cc.cc"
start ./cc 50
status 0 ct-snap -p \$pid >live 2>err
gcore -o core \$pid >log 2>&1 || { cat log >&2; false; }
core=core.\$pid
stop
status 0 ct-snap \$core >trace 2>err
frames live | sort >expected
frames trace | sort >actual
same expected actual
# As of more than 65,534 segments: their number stands in a section header. Here all but the last are empty.
perl -0777 -pe 'my (\$at, \$n) = (unpack("Q<", substr \$_, 32, 8), unpack "v", substr \$_, 56, 2); my \$own = substr \$_, \$at, 56 * \$n;
	substr(\$_, 32, 8) = pack "Q<", 64 + length; substr(\$_, 40, 8) = pack "Q<", length; substr(\$_, 56, 2) = pack "v", 65535;
	\$_ .= pack("x44Vx16", 65535 + \$n) . "\0" x (56 * 65535) . \$own' \$core >many
status 0 ct-snap many >trace 2>err
frames trace | sort >actual
same expected actual
mv cc moved
status 2 ct-snap \$core >out 2>err
has 'its executable .*/cc: is not there: name it behind the core' err
status 0 ct-snap \$core ./moved >again 2>err
status 3 ct-snap \$core ./other >out 2>err
has './other is another build: build id' err
[ ! -s out ]
head -c 100000 \$core >cut
ct-snap cut ./moved >out 2>err && exit 1
has 'ct-snap: cut: ' err
EOT
	else
		skip_case "$cxx: from a core" 'no gcore'
	fi
	# Where cores become files of the process's own directory.
	case $(cat /proc/sys/kernel/core_pattern 2>/dev/null) in
	core)
		test_case "$cxx: the same from a core that the kernel wrote" <<EOT
cp ../cc-$cxx cc
ulimit -c unlimited || exit 0
start ./cc 50
status 0 ct-snap -p \$pid >live 2>err
kill -ABRT \$pid
wait \$pid || :
core=\$(ls core*)
pid=
[ -s "\$core" ]
status 0 ct-snap \$core >trace 2>err
frames live | sort >expected
frames trace | sort >actual
same expected actual
jq -r 'select(.ev == "thread") | .role // "-"' trace >roles
[ -s roles ]
EOT
		;;
	*) skip_case "$cxx: from a core that the kernel wrote" 'cores go elsewhere here' ;;
	esac
done

test_case 'link-time optimisation by gcc, whose types lie in other units' <<'EOT'
command -v g++ >/dev/null || exit 0
g++ -std=c++20 -O2 -flto -g -o cc "$SRC/t/targets/snap-cc.cc" || exit 0
start ./cc 100
status 0 ct-snap -p $pid >trace 2>err
stop
sed '$d' own | sort >expected
frames trace | sort >actual
same expected actual
EOT

for cxx in $compilers; do
	case $cxx in clang*)
		test_case "$cxx: link-time optimisation, whole and thin" <<EOT
for how in full thin; do
	$cxx -std=c++20 -O2 -flto=\$how -g -o cc "$SRC/t/targets/snap-cc.cc" || exit 0	# without a linker that can
	start ./cc 100
	status 0 ct-snap -p \$pid >trace 2>err
	stop
	sed '\$d' own | sort >expected
	case $cxx in clang++-1[89]) ;; *) sed -i 's/ [0-9]*\$/ -/' expected;; esac
	frames trace | sort >actual
	same expected actual
done
EOT
	esac
done

for cxx in $compilers; do
	for level in $levels; do
		test_case "$cxx $level: frames within that of who awaits them; a handle that stands in its awaiter's frame alone" <<EOT
$cxx -std=c++20 $level -g -o within "$SRC/t/targets/snap-within.cc"
start ./within
status 0 ct-snap -p \$pid >trace 2>err
stop
sed '\$d' own | sort >expected
frames trace | cut -d' ' -f1,4 | sort >actual
same expected actual
status 0 ct-lostwake trace >findings
EOT
	done
done

for cxx in $compilers; do
	test_case "$cxx: of three coroutines those that it put on main's stack are counted, the others shown" <<EOT
$cxx -std=c++20 -O2 -g -o stacked "$SRC/t/targets/snap-stacked.cc"
start ./stacked
status 0 ct-snap -p \$pid >trace 2>err
stop
shown=\$(grep -c '"ev":"state"' trace) || :
hidden=\$(sed -n 's/.* \([0-9]*\) frames that clang put on a stack.*/\1/p' err)
[ \$((shown + \${hidden:-0})) -eq 3 ]
EOT
done

cxx=${compilers# } cxx=${cxx%% *}
export cxx
# gcc -Os makes one call of two to the same await_suspend, and leaves nothing of an await_ready that returns false.
cat >"$scratch/lines.cc" <<'END'
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
struct detached {
	struct promise_type {
		detached get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
};
static std::coroutine_handle<> last;
struct gone {
	int *at;
	bool await_ready() { return false; }
	[[gnu::noipa]] void await_suspend(std::coroutine_handle<> h) { last = h; }
	void await_resume() {}
};
struct called {
	[[gnu::noipa]] bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h) { last = h; }
	void await_resume() {}
};
static volatile bool never;
struct inlined {
	bool await_ready() { return never; }
	void await_suspend(std::coroutine_handle<> h) { last = h; }
	void await_resume() {}
};
static detached one(int *at)
{
	co_await gone{at};
	co_await called();
	co_await inlined();
	co_await gone{at};
	puts("over");
}
int main()
{
	for (int i = 0; i < 4; i++) {
		one(&i);
		for (int k = 0; k < i; k++)
			last.resume();
	}
	puts("ready");
	fflush(stdout);
	pause();
}
END
for level in -Os -O2; do
	what="g++ $level: a co_await of which no call is left has its line, by the number that is written for it"
	g++ -std=c++20 $level -g -o "$scratch/lines" "$scratch/lines.cc" 2>/dev/null || { skip_case "$what" 'no g++ with coroutines'; continue; }
	test_case "$what" <<EOT
cp ../lines .
start ./lines
status 0 ct-snap -p \$pid >trace 2>err
stop
status 1 ct-stuck trace >stuck
sed -n 's/^1 suspended at one() .*lines.cc:\([0-9]*\).*/\1/p' stuck | sort >actual
sed -n '/co_await/=' ../lines.cc | sort | same - actual
EOT
done

# Whoever has the frame stands on that stack, both in one heap.
test_case 'a thread that runs on a stack in the heap: what lies beside that is none' <<'EOT'
cat >fibre.cc <<'END'
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
struct task {
	struct promise_type {
		task get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
};
struct kept {
	std::coroutine_handle<> *to;
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h) { *to = h; }
	void await_resume() {}
};
static task once(std::coroutine_handle<> *to) { co_await kept{to}; }
static ucontext_t fibre, thread;
static void run()
{
	std::coroutine_handle<> *mine = new std::coroutine_handle<>;
	once(mine);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
int main()
{
	std::thread([] {
		getcontext(&fibre);
		fibre.uc_stack.ss_size = 96 << 10;
		fibre.uc_stack.ss_sp = malloc(fibre.uc_stack.ss_size);
		makecontext(&fibre, run, 0);
		swapcontext(&thread, &fibre);
	}).join();
}
END
$cxx -std=c++20 -O1 -g -o fibre fibre.cc -lpthread
start ./fibre
status 0 ct-snap -p $pid >trace 2>err
has 'ct-snap: 1 C++20 frames' err
status 0 ct-lostwake trace >out
EOT

# glibc keeps its stack for the next one; there, a copy of the frame, as an optimiser makes one to write it.
test_case 'a thread that has ended: what lies on its stack is no frame, of a process and of a core' <<'EOT'
cat >past.cc <<'END'
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>
struct task {
	struct promise_type {
		task get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
};
struct kept {
	std::coroutine_handle<> *to;
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h) { *to = h; }
	void await_resume() {}
};
static task once(std::coroutine_handle<> *to) { co_await kept{to}; }
static std::coroutine_handle<> *mine = new std::coroutine_handle<>;
int main()
{
	std::thread([] {
		void *volatile copy[32][16];
		once(mine);
		for (auto &c : copy)
			memcpy((void *)c, mine->address(), 48);
		printf("%p\n", copy[1][1]);
	}).join();
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
END
$cxx -std=c++20 -O1 -g -o past past.cc -lpthread
start ./past
status 0 ct-snap -p $pid >trace 2>err
if command -v gcore >/dev/null; then gcore -o core $pid >log 2>&1; fi
stop
has 'ct-snap: 1 C++20 frames' err
status 0 ct-lostwake trace >out
[ ! -e core.* ] || status 0 ct-snap core.* >trace 2>err
has 'ct-snap: 1 C++20 frames' err
EOT

test_case 'of a process with more files than may be open: as many as the hard limit allows; else it is refused' <<'EOT'
cp ../cc-$cxx cc
echo 'int nothing;' | ${CC:-cc} -shared -fPIC -x c -o 1.so -
for i in $(seq 2 60); do cp 1.so $i.so; done
LD_PRELOAD=$(printf './%s.so ' $(seq 60)) start ./cc 10
(ulimit -Sn 40 && status 0 ct-snap --quiet -p $pid >trace)
[ $(grep -c '"ev":"state"' trace) -gt 10 ]
(ulimit -Sn 40 && ulimit -Hn 40 && status 3 ct-snap -p $pid >out 2>err)
has 'Too many open files' err
EOT

test_case 'split debug information is not read, and that is said' <<'EOT'
$cxx -std=c++20 -g -gsplit-dwarf -o cc "$SRC/t/targets/snap-cc.cc"
start ./cc 10
status 0 ct-snap -p $pid >trace 2>err
has 'debug information of C++20 frames is split off' err
EOT

test_case 'stripped of debug information: frames and functions, without lines; of symbols: refused' <<'EOT'
cp ../cc-$cxx cc
strip -g -o bare cc
strip -s -o naked cc
start ./bare 10
status 0 ct-snap -p $pid >trace 2>err
stop
sed '$d' own | cut -d' ' -f1 | sort >expected
jq -r 'select(.ev == "state") | .addr' trace | sed 's/0x0*/0x/' | sort >actual
comm -23 expected actual >missing
[ ! -s missing ] || { head missing >&2; false; }
has '"func":"task<.*app::leaf' trace
hasnt '"line"' trace
start ./naked 10
status 3 ct-snap -p $pid >trace 2>err
stop
has 'no C++20 frames, no tokio, no Go, no swapcontext, no Boost.Fiber among its symbols' err
[ ! -s trace ]
EOT
done_testing
