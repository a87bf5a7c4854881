#!/bin/sh
# The C++ probe: what a trace tells of coroutines of every shape, with each compiler that is here: with the second what compilers do
# in ways of their own, all of it with CHECK_ALL=1.
. "${0%/*}/../lib/lib.sh"

export FLAGS="-std=c++20 -O1 -g -Wall -Wextra -Werror ${SAN:+-fsanitize=address,undefined -fno-sanitize-recover=undefined}"
cat >>"$scratch/.case-lib" <<'EOF'
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1}"
# told SOURCE PROGRAM: PROGRAM under ct-record, as cpp-trace.awk puts it; lines of SOURCE as @label.
told() {
	ct-record -o raw "$2"
	grep -n '// @' "$1" | sed 's,^\([0-9]*\):.*// @\(.*\),s/:\1\\( \\|$\\)/ @\2\\1/,' >labels
	awk -f "$SRC/t/lib/cpp-trace.awk" raw | sed -f labels
}
EOF

cat >"$scratch/await.expected" <<'EOF'
create 1
name 1 parent
name 1 the parent
resume 1
create 2 parent 1
name 2 leaf
suspend 1 parent cpp-await.cc @parent on coro:2
resume 2
suspend 2 leaf cpp-await.cc @leaf-1 on fd:10
wake 2 go_on cpp-await.cc @woken on fd:10
resume 2
suspend 2 leaf cpp-await.cc @leaf-2 on fd:11
wake 2 go_on cpp-await.cc @woken on fd:11
resume 2
destroy 2 done
resume 1
destroy 1 done
create 3
name 3 shapes
resume 3
suspend 3 shapes cpp-await.cc @bool-false
resume 3
suspend 3 shapes cpp-await.cc @bool-true
resume 3
suspend 3 shapes cpp-await.cc @handle
resume 3
suspend 3 shapes cpp-await.cc @throws
resume 3
suspend 3 shapes cpp-await.cc @lvalue
resume 3
suspend 3 shapes cpp-await.cc @rvalue
resume 3
suspend 3 shapes cpp-await.cc @temporary
resume 3
suspend 3 shapes cpp-await.cc @second
resume 3
create 4 parent 3
name 4 operator()
suspend 3 shapes cpp-await.cc @lambda-parent on coro:4
resume 4
suspend 4 operator() cpp-await.cc @lambda on fd:5
wake 4 go_on cpp-await.cc @woken on fd:5
resume 4
destroy 4 done
resume 3
destroy 3 done
create 5
name 5 catching
resume 5
create 6 parent 5
name 6 failing
suspend 5 catching cpp-await.cc @catching on coro:6
resume 6
suspend 6 failing cpp-await.cc @failing
resume 6
destroy 6 done
resume 5
destroy 5 done
create 7
name 7 leaf
create 8
name 8 leaf
resume 8
suspend 8 leaf cpp-await.cc @leaf-1 on fd:30
destroy 8 cancelled
destroy 7 cancelled
create 9 held
resume 9
suspend 9 held cpp-await.cc @own-transform
resume 9
suspend 9 held cpp-await.cc @yield
resume 9
suspend 9 held cpp-await.cc @yield
resume 9
destroy 9 done
create 10 held
destroy 10 done
create 11 fire_and_forget
resume 11
suspend 11 fire_and_forget cpp-await.cc @forgotten
resume 11
destroy 11 done
create 12 by_value
create 13
name 13 quick
resume 12
suspend 12 by_value cpp-await.cc @by-value on coro:13
resume 13
suspend 13 quick cpp-await.cc @quick
resume 13
destroy 13 done
resume 12
destroy 12 done
create 14
name 14 awaits_sealed
resume 14
create 15 parent 14
name 15 sealed_job
suspend 14 awaits_sealed cpp-await.cc @sealed on coro:15
resume 15
destroy 15 done
resume 14
destroy 14 done
create 16
name 16 for_several
resume 16
leg 16 waits_on cpp-await.cc @leg on fd:6
leg 16 on fd:7
suspend 16 for_several cpp-await.cc @any any_of 2
resume 16
leg 16 every cpp-await.cc @every on fd:0
leg 16 every cpp-await.cc @every on fd:1
leg 16 every cpp-await.cc @every on fd:2
suspend 16 for_several cpp-await.cc @all all_of 3
resume 16
leg 16 on fd:8
leg 16 on fd:9
suspend 16 for_several cpp-await.cc @before all_of 2
resume 16
suspend 16 for_several cpp-await.cc @none
resume 16
destroy 16 done
create 17 made_in_place
resume 17
suspend 17 made_in_place cpp-await.cc @made on fd:12
wake 17 go_on cpp-await.cc @woken on fd:12
resume 17
suspend 17 made_in_place cpp-await.cc @made-of
resume 17
suspend 17 made_in_place cpp-await.cc @made-said on fd:13
acquire 17 on fd:13
release 17 on fd:13
resume 17
destroy 17 done
EOF

cat >"$scratch/erased.expected" <<'EOF'
create 1
resume 1
suspend 1 one cpp-erased.cc @one on cond
create 2
resume 2
suspend 2 two cpp-erased.cc @two on cond
create 3
resume 3
suspend 3 one cpp-erased.cc @one on cond
create 4
resume 4
leg 4 on coro:1
leg 4 on coro:2
leg 4 on cond
suspend 4 all cpp-erased.cc @all all_of 3
resume 4
destroy 4 done
wake 1 fire cpp-erased.cc @by-id on cond
resume 1
suspend 1 one cpp-erased.cc @base on cond
wake 2 fire cpp-erased.cc @by-id on cond
resume 2
suspend 2 two cpp-erased.cc @moved on cond
wake 1 fire cpp-erased.cc @by-id on cond
resume 1
destroy 1 done
wake 2 fire cpp-erased.cc @by-id on cond
resume 2
suspend 2 two cpp-erased.cc @nested on cond
wake 3 fire cpp-erased.cc @by-handle on cond
resume 3
suspend 3 one cpp-erased.cc @base on cond
wake 3 fire cpp-erased.cc @by-handle on cond
resume 3
destroy 3 done
resume 2
destroy 2 done
create 5
name 5 lazy
wake 5 main cpp-erased.cc @later
resume 5
destroy 5 done
EOF

compiler=
for CXX in g++ clang++; do
	export CXX
	if ! command -v $CXX >/dev/null; then
		skip_case "$CXX" "no $CXX here"
		continue
	fi
	if ! echo 'int main() {}' | $CXX $FLAGS -x c++ -o "$scratch/nothing" - 2>/dev/null; then
		skip_case "$CXX" 'its sanitizers are not here'
		continue
	fi
	second=${compiler:+second} compiler=$CXX
	[ -z "${CHECK_ALL:-}" ] || second=
	[ -z "$second" ] || FLAGS="$FLAGS -O0"	# takes half as long to compile
	test_case "$CXX: every await is told at its own line, with what it waits on; ends and exceptions are as they were" <<'EOF'
	$CXX $FLAGS -I$SRC/sdk/cpp -o ../await-$CXX $SRC/t/targets/cpp-await.cc -lpthread
	told $SRC/t/targets/cpp-await.cc ../await-$CXX >actual
	same ../await.expected actual
EOF
	test_case "$CXX: a library of handles without types: who suspends is known to it, a wake by handle is told, one final awaiter serves all" <<'EOF'
	for o in ${CHECK_ALL:+-O0} -O2; do
		$CXX $FLAGS $o -I$SRC/sdk/cpp -o erased $SRC/t/targets/cpp-erased.cc -lpthread
		status 0 ./erased
		told $SRC/t/targets/cpp-erased.cc ./erased | sed 's/cond:0x[0-9a-f]*/cond/' >actual
		same ../erased.expected actual
	done
EOF
	test_case "$CXX: not traced, the same program prints nothing" <<'EOF'
	[ -z "${CHECK_ALL:-}" ] || $CXX $FLAGS -I$SRC/sdk/cpp -O2 -o ../await-$CXX $SRC/t/targets/cpp-await.cc -lpthread
	status 0 ../await-$CXX >out 2>&1
	same /dev/null out
EOF
	[ -n "$second$SAN" ] || test_case "$CXX: children that are forked while other threads note coroutines' frames" <<'EOF'
	$CXX $FLAGS -I$SRC/sdk/cpp -o forks $SRC/t/targets/cpp-fork.cc -lpthread
	status 0 ct-record -q -o /dev/null ./forks
EOF
	[ -n "$second$SAN" ] || test_case "$CXX: coroutines' frames are noted where there is no memory, and found by a signal handler that comes meanwhile" <<'EOF'
	$CXX $FLAGS -I$SRC/sdk/cpp -o frames $SRC/t/targets/cpp-frames.cc -lpthread
	status 0 ct-record -q -o /dev/null ./frames
EOF
	test_case "$CXX: what a coroutine takes is its own, when it has begun, resumed or pulled others within it" <<'EOF'
cat >within.cc <<'END'
#include <thread>
#include "corotrace.hpp"

struct job {
	struct promise_type : ct::promise_mixin {
		job get_return_object() { return {}; }
		std::suspend_never initial_suspend() { started(); return {}; }
		std::suspend_never final_suspend() noexcept { ended(); return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
};
template <bool tells> struct numbers {
	struct promise_type : ct::promise_mixin {
		numbers get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always yield_value(int) requires(!tells) { return {}; }
		auto yield_value(int, ct::here h = ct::here::current()) noexcept requires tells { return traced(std::suspend_always{}, h); }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
};
struct either {
	struct promise_type : ct::promise_mixin {
		either get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always yield_value(int) { return {}; }
		std::suspend_always yield_value(const char *) { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
};
struct lock {
	bool await_ready() { ct::acquire(ct_mutex(this)); return true; }
	void await_suspend(std::coroutine_handle<>) {}
	void await_resume() {}
};
struct event {
	std::coroutine_handle<> waiting;

	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h) { waiting = h; }
	void await_resume() {}
};

struct bare {				// says neither that it begins nor that it ends
	struct promise_type : ct::promise_mixin {
		bare get_return_object() { return {}; }
		std::suspend_never initial_suspend() { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { throw; }
	};
};
enum how { FALSELY, ITSELF, THROWS };
template <how h> struct stays {
	bool await_ready() { return false; }
	auto await_suspend(std::coroutine_handle<> me)
	{
		if constexpr (h == FALSELY)
			return false;
		else if constexpr (h == ITSELF)
			return me;
		else
			throw 1;
	}
	void await_resume() {}
};

static job waits(event &e) { co_await e; co_await e; }
template <how h> static job enters(event &e)
{
	try {
		co_await stays<h>{};
	} catch (int) {
	}
	co_await e;
}
static bare leaves(bool normally)
{
	lock l;

	co_await l;
	if (!normally)
		throw 1;
}
static job ends() { co_return; }
static numbers<false> silent() { co_yield 1; co_yield 2; }
static numbers<true> telling() { co_yield 1; co_yield 2; }
static either overloaded() { co_yield 1; co_yield ""; }
static job outer()
{
	lock began, resumed, pulled, told, any;
	event e;

	waits(e);
	ct::acquire(ct_mutex(&e));		// with no co_await since
	co_await began;
	ends();
	ct::release(ct_mutex(&e));
	e.waiting.resume();
	co_await resumed;
	auto s = silent();
	s.handle.resume();
	co_await pulled;
	auto t = telling();
	t.handle.resume();
	co_await told;
	auto o = overloaded();
	o.handle.resume();
	co_await any;
	o.handle.destroy();
	s.handle.destroy();
	t.handle.destroy();
	e.waiting.destroy();
}
static job beginner()
{
	event e[5];
	lock mine;

	co_await mine;
	enters<FALSELY>(e[0]);
	ct::acquire(ct_mutex(&e[0]));
	enters<ITSELF>(e[1]);
	ct::acquire(ct_mutex(&e[1]));
	enters<THROWS>(e[2]);
	ct::acquire(ct_mutex(&e[2]));
	leaves(true);
	ct::acquire(ct_mutex(&e[3]));
	try {
		leaves(false);
	} catch (int) {
	}
	ct::acquire(ct_mutex(&e[4]));
	for (int i = 0; i < 3; i++)
		e[i].waiting.destroy();
}
struct hops {				// an await that is not told
	struct promise_type : ct::promise_mixin {
		hops get_return_object() { return {}; }
		std::suspend_never initial_suspend() { started(); return {}; }
		std::suspend_never final_suspend() noexcept { ended(); return {}; }
		struct untold {
			event &e;

			bool await_ready() { return false; }
			void await_suspend(std::coroutine_handle<> h) { e.waiting = h; }
			void await_resume() {}
		};
		untold await_transform(event &e) { return { e }; }
		auto await_transform(event *e, ct::here h = ct::here::current()) { return traced<event &>(*e, h); }
		void return_void() {}
		void unhandled_exception() {}
	};
};
static hops strays(event &e, event &told) { co_await e; co_await &told; }
static job begins(event *e, bool runs_on, event *later)
{
	strays(e[0], e[1]);
	if (runs_on)
		co_await *later;
}
static void astray()			// who began it has ended, or left, or is on another thread
{
	event e[6], later;

	begins(e, false, nullptr);
	e[0].waiting.resume();
	ct::acquire(ct_mutex(&e[0]));
	begins(e + 2, true, &later);
	e[2].waiting.resume();
	ct::acquire(ct_mutex(&e[2]));
	begins(e + 4, false, nullptr);
	std::thread([&] {
		e[4].waiting.resume();
		ct::acquire(ct_mutex(&e[4]));
	}).join();
	later.waiting.destroy();
	for (int i = 1; i < 6; i += 2)
		e[i].waiting.destroy();
}
int main(int argc, char **) { argc > 2 ? astray() : argc > 1 ? (void)beginner() : (void)outer(); }
END
$CXX $FLAGS -I$SRC/sdk/cpp -o within within.cc -lpthread
ct-record -o raw ./within
sed -n 's/.*"ev":"\(acquire\|release\)".*"by":\([0-9]*\).*/\2/p' raw | uniq -c | grep -qx ' *7 1'
ct-record -o first ./within first
sed -n '/"ev":"acquire"/s/.*"by":\([0-9]*\).*/\1/p' first | tr '\n' ' ' >got
printf '1 1 1 1 5 1 6 1 ' >want
same want got
ct-record -o astray ./within began astray
grep '"ev":"acquire"' astray | sed 's/.*"by".*/somebody/; t; s/.*/nobody/' | uniq -c | grep -qx ' *3 nobody'
grep -c '"ev":"suspend"' raw >got			# by the event's waiter twice, and by the generator that tells
echo 3 >want
same want got
EOF
	test_case "$CXX: what a helper does for its caller stands at that one's line" <<'EOF'
cat >places.cc <<'END'
#include "corotrace.hpp"

struct channel {
	void shut(ct::here h = ct::here::current()) { ct::close(ct_chan(this), h); }
	void lock(ct::here h = ct::here::current()) { ct::acquire(ct_mutex(this), h); ct::release(ct_mutex(this), h); }
};
static void helper(channel &c)
{
	ct::open(ct_chan(&c), "jobs");		// @open
	ct::wake(7, ct_chan(&c));		// @wake
	ct::notify(ct_cond(&c), 2);		// @notify
	c.lock();				// @lock
	c.shut();				// @shut
#if defined __cpp_lib_source_location
	ct::close(ct_fd(4), ct::here::at(std::source_location::current()));	// @at
#else
	ct::close(ct_fd(4), ct::here{ "helper", __FILE__, __LINE__ });		// @at
#endif
}
int main()
{
	channel c;

	helper(c);
}
END
$CXX $FLAGS -I$SRC/sdk/cpp -o places places.cc
ct-record -o raw ./places
grep -n '// @' places.cc | sed 's/^\([0-9]*\):.*@\(.*\)/\1 \2/' >lines
awk 'NR == FNR { at[$1] = at[$1] " " $2; next }
	match($0, /"site":[0-9]+/) { n = substr($0, RSTART + 7, RLENGTH - 7) }
	/"ev":"site"/ { match($0, /"line":[0-9]+/); line[n] = substr($0, RSTART + 7, RLENGTH - 7); next }
	!/"ev":"end"/ && /"site":/ { match($0, /"ev":"[a-z]+/); print substr($0, RSTART + 6, RLENGTH - 6) at[line[n]] }' lines raw >actual
cat >expected <<'END'
open open
wake wake
notify notify
acquire lock
release lock
close shut
close at
END
same expected actual
EOF
	[ "$second" ] && { skip_case "$CXX: parts, code for coroTracer's header, many translation units" 'CHECK_ALL=1 was not asked for'; continue; }
	test_case "$CXX: parts built with hidden names, linked or loaded: one process, and where linked one probe" <<'EOF'
	cat >part.cc <<'END'
#include "corotrace.hpp"
extern "C" __attribute__((visibility("default"))) void part() { ct::close(ct_fd(9)); }
END
	cat >main.cc <<'END'
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>
#include "corotrace.hpp"
extern "C" __attribute__((weak)) void part();
int main(int argc, char **argv)
{
	ct_coro c = {};

	if (argc > 1) {
		ct_thread(CT_OTHER, "again");
		return argc > 2 ? execl(argv[0], argv[0], argv[1], (char *)nullptr) : 0;
	}
	ct_create(&c, 0, CT_HERE, &c, "main");
	ct_resume(&c);
	if (part)
		part();
	else
		reinterpret_cast<void (*)()>(dlsym(dlopen("./libpart.so", RTLD_NOW | RTLD_LOCAL), "part"))();
	ct_destroy(&c, 1);
	return getchar() == 'x';	// as long as the recorder looks who connected
}
END
	hidden="$FLAGS -fvisibility=hidden -fvisibility-inlines-hidden -I$SRC/sdk/cpp"
	$CXX $hidden -fPIC -shared -o libpart.so part.cc
	$CXX $hidden -c main.cc
	$CXX $hidden -o linked main.o -Wl,--no-as-needed -L. -lpart -Wl,-rpath,. -ldl -lpthread
	$CXX $hidden -o loaded main.o -ldl -lpthread
	for how in linked loaded; do
		rm -f raw
		for i in $(seq 600); do ! grep -qs '"ev":"close"' raw || { sleep 0.2; break; }; sleep 0.05; done |
			status 0 ct-record -o raw ./$how
		[ "$(grep -c '"ev":"process"' raw)" -eq 1 ]
		has '"ev":"close".*"on":"fd:9"' raw
		[ $how = loaded ] || has '"ev":"close".*"by":1,"on":"fd:9"' raw
	done
	# what exec makes of it is another program
	status 0 ct-record -o raw ./loaded again x
	[ "$(grep -c '"ev":"process".*"path"' raw)" -eq 2 ]
EOF
	test_case "$CXX: code written for coroTracer's header compiles and is traced" <<'EOF'
	$CXX $FLAGS -I$SRC/sdk/cpp -o compat $SRC/t/targets/cpp-compat.cc -lpthread
	status 0 ./compat >out 2>&1
	same /dev/null out
	told $SRC/t/targets/cpp-compat.cc ./compat >actual
	cat >expected <<'END'
create 1
create 2
create 3
resume 1
suspend 1 old cpp-compat.cc @old
resume 1
destroy 1 done
resume 2
suspend 2 old cpp-compat.cc @old
destroy 2 cancelled
suspend 3 await_transform cpp-compat.cc @by-hand
resume 3
destroy 3 done
create 4
resume 4
suspend 4 await_transform cpp-compat.cc @its-own
resume 4
destroy 4 done
END
	same expected actual
EOF
	test_case "$CXX: many translation units, the headers in one directory: one probe in the program" <<'EOF'
	mkdir inc
	cp $SRC/sdk/cpp/corotrace.hpp $SRC/sdk/c/ct*.[ch] $SRC/sdk/ctp/ctp.h inc
	cat >job.hpp <<'END'
#include "corotrace.hpp"
struct job {
	struct promise_type : ct::promise_mixin {
		job get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> h;
};
job a(), b();
END
	printf '#include "job.hpp"\njob a() { co_await std::suspend_always{}; }\n' >a.cc
	printf '#include "job.hpp"\njob b() { co_await std::suspend_always{}; }
int main() { for (job j : { a(), b() }) { j.h.resume(); j.h.resume(); j.h.destroy(); } }\n' >main.cc
	for linked in '' -DCT_LINKED; do
		$CXX $FLAGS -Iinc $linked -o many main.cc a.cc ${linked:+$O/libct.a} -lpthread
		told main.cc ./many >actual
		cat >expected <<'END'
create 1
name 1 a
create 2
name 2 b
resume 1
suspend 1 a a.cc:2
resume 1
destroy 1 done
resume 2
suspend 2 b main.cc:2
resume 2
destroy 2 done
END
		same expected actual
	done
EOF
done
done_testing
