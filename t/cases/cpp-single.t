#!/bin/sh
# The C++ probe as one header that needs no other file.
. "${0%/*}/../lib/lib.sh"
cat >"$scratch/tiny.cc" <<'EOF'
#include "corotrace.hpp"
struct task {
	struct promise_type : ct::promise_mixin {
		task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
};
struct readable {
	int fd;
	ct_on waits_on() const { return ct_fd(fd); }
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<>) {}
	void await_resume() {}
};
task serve() { co_await readable{ 7 }; }
int second();
int main()
{
	task t = serve();
	int status = second();
	task later = serve();
	return status + !t.handle + !later.handle;
}
EOF
cat >"$scratch/second.cc" <<'EOF'
#define slots			// as Qt does
#define signals public
#define emit
#include "corotrace.hpp"
#if !defined slots || !defined signals || !defined emit
#error Qt would miss them
#endif
int second() { ct::close(ct_fd(7)); return 0; }
EOF

cat >"$scratch/older.cc" <<'EOF'
// Two that wait by turns from the beginning on, and one that is destroyed where it waits.
#include <chrono>
#include <cstdlib>
#include <thread>
#include "corotrace.hpp"
struct task {
	struct promise_type : ct::promise_mixin {
		task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { ended(); return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
};
struct tick : std::suspend_always { ct_on waits_on() const { return ct_cond(&ct_enabled_); } static inline int ct_enabled_; };
static bool over;
task waits() { while (!over) co_await tick{}; }
int main(int, char **argv)
{
	task all[] = { waits(), waits(), waits() };
	for (int ms = std::atoi(argv[1]); ms; ms--) {
		for (auto &t : all) {
			ct::wake(ct::id(t.handle), tick{}.waits_on());
			t.handle.resume();
		}
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
	}
	all[2].handle.destroy();
	over = true;
	for (int i = 0; i < 2; i++)
		all[i].handle.resume();
}
EOF

cat >"$scratch/library.cc" <<'EOF'
#include "corotrace.hpp"
struct task {
	struct promise_type : ct::promise_mixin {
		task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always final_suspend() noexcept { ended(); return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
};
static task waits() { for (int i = 0; i < 10; i++) co_await std::suspend_always(); }
extern "C" void lives()
{
	task t = waits();
	while (!t.handle.done())
		t.handle.resume();
	t.handle.destroy();
}
EOF
cat >"$scratch/loads.cc" <<'EOF'
#include <dlfcn.h>
int main(int, char **argv)
{
	void (*lives[2])();
	for (int i = 0; i < 2; i++) {
		void *library = dlopen(argv[1 + i], RTLD_NOW | RTLD_LOCAL);
		if (!library || !(lives[i] = reinterpret_cast<void (*)()>(dlsym(library, "lives"))))
			return 99;
	}
	for (int i = 0; i < 4; i++)
		lives[i % 2]();
}
EOF

for cxx in g++ clang++; do
	command -v $cxx >/dev/null || { skip_case "$cxx" "no $cxx"; continue; }
	test_case "$cxx: one header is all it needs, in two files of one program, without a warning" <<EOT
mkdir alone; sh "\$SRC/sdk/c/dropin.sh" .; cp corotrace.hpp ../tiny.cc ../second.cc alone; cd alone
hasnt '^#include "' corotrace.hpp
$cxx -std=c++20 -Wall -Wextra -Wold-style-cast -Wconversion -Wshadow -Werror -O1 -g -o tiny tiny.cc second.cc -lpthread
status 0 ./tiny
status 0 ct-record ./tiny >trace 2>err
has '"ev":"suspend".*"on":"fd:7"' trace; has 'tiny.cc","line":19' trace
status 1 ct-lostwake --grace=0 trace >out; has 'closed-resource (proven): .*serve.*tiny.cc:19' out; has 'second.cc:8' out
EOT
	test_case "$cxx: who is older than its recorder, and was not traced, is in the trace from its next co_await on" <<EOT
mkdir alone; sh "\$SRC/sdk/c/dropin.sh" .; cp corotrace.hpp ../older.cc alone; cd alone
$cxx -std=c++20 -Wall -Wextra -Werror -O1 -o older older.cc -lpthread
./older 2000 & pid=\$!
sleep 0.3
status 0 timeout 60 ct-record -q -p \$pid -o trace
[ \$(grep -c '"ev":"create".*"born_before":true' trace) -eq 3 ]
has '"ev":"suspend".*"on":"cond:' trace
[ \$(grep -c '"ev":"destroy".*"done":true' trace) -eq 2 ]; [ \$(grep -c '"ev":"destroy".*"done":false' trace) -eq 1 ]
wait \$pid
EOT
	test_case "$cxx: libraries of one process share a probe of one edition where they can, and have each their own of others" <<EOT
mkdir a b; sh "\$SRC/sdk/c/dropin.sh" a
sed 's/^#define CT_EDITION .*/#define CT_EDITION ct_other/; s/^struct ct_shared {/& char more[4096];/; s/^struct ct_writer {/& char more_[4096];/' a/corotrace.hpp >b/corotrace.hpp
[ "\$(grep -c 'char more' b/corotrace.hpp)" = 2 ]
for i in a:one a:two b:three; do
	$cxx -std=c++20 -O1 -shared -fPIC -I\${i%:*} -o \${i#*:}.so ../library.cc -lpthread
done
$cxx -std=c++20 -O1 -o loads ../loads.cc -ldl
for i in two three; do
	status 0 ct-record -o trace ./loads ./one.so ./\$i.so 2>err
	[ "\$(grep -c '"ev":"destroy"' trace)" = 4 ]
	grep -c '"ev":"thread"' trace
done >threads
case $cxx in g*) echo 1 ;; *) echo 2 ;; esac >those	# clang has no symbols that are one in a process (STB_GNU_UNIQUE)
echo 2 >>those
same those threads
EOT
	[ -z "$SAN" ] || echo 'int main() {}' | $cxx -fsanitize=address,undefined -x c++ -o "$scratch/none" - 2>/dev/null || {
		skip_case "$cxx: with CT_LINKED" "$cxx has no sanitizers here"
		continue
	}
	test_case "$cxx: with CT_LINKED it is the header of libct" <<EOT
export ASAN_OPTIONS=detect_leaks=0	# what waits at the end waits for ever
mkdir alone; sh "\$SRC/sdk/c/dropin.sh" .; cp corotrace.hpp ../tiny.cc ../second.cc alone; cd alone
$cxx -DCT_LINKED -std=c++20 -Wall -Wextra -Werror -o tiny tiny.cc second.cc "\$O/libct.a" -lpthread \${SAN:+-fsanitize=address,undefined}
status 0 ct-record ./tiny >trace 2>err; has '"ev":"suspend".*"on":"fd:7"' trace
EOT
done
done_testing
