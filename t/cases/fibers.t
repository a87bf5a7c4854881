#!/bin/sh
# fibers.t - stacks that a library switches: ct_switch under ucontext, and Boost.Fiber by its algorithm. The programs are those of the
# pages share/doc/runtimes/fibers.md and boost-fiber.md.
. "${0%/*}/../lib/lib.sh"
[ -z "$SAN" ] || skip_all 'sanitizers do not follow stacks that are switched by hand'

# blocks PAGE: its files, here. sound TRACE: healthy, nothing lost, nobody accused.
cat >>"$scratch/.case-lib" <<'EOF'
blocks() { awk '/^```$/ { f = ""; next } /^```(c|cpp) / { f = $2; next } f { print >f }' "$SRC/share/doc/runtimes/$1.md"; }
record() { timeout -s KILL 300 ct-record "$@"; }
sound() {
	status 0 ct-check $1 >checked || { cat checked >&2; return 1; }
	status 0 ct-lostwake $1 >found 2>&1 || { cat found >&2; return 1; }
}
finds() {	# TRACE VERDICT SITE: that alone
	status 0 ct-check $1 >checked || { cat checked >&2; return 1; }
	status 1 ct-lostwake --json $1 >found
	[ "$(grep -o '"verdict":"[^"]*","certainty":"[^"]*"' found | sort -u)" = "\"verdict\":\"$2\",\"certainty\":\"proven\"" ]
	status 1 ct-lostwake $1 >found
	has "$2 (proven): $3\$" found
}
EOF

for compiler in gcc clang; do
	if ! command -v $compiler >/dev/null; then skip_case "ucontext, $compiler" "no $compiler"; continue; fi
	test_case "ucontext, $compiler: a server is sound and each bug is found at its line; untraced it is silent" <<EOF
blocks fibers
$compiler -std=gnu11 -g -O2 -Wall -Wextra -Werror -Wno-unused-result -I"$O/dropin" -o server server.c "$O/dropin/ct.c" -lpthread
for i in 1 2 3; do record -q -o sound ./server; sound sound; done
record -q -o trace ./server deadlock; finds trace deadlock 'count() server.c:25'
record -q -o trace ./server closed; finds trace closed-resource 'serve() server.c:39'
record -q -o trace ./server owner; finds trace dead-owner 'count() server.c:22'
./server >out 2>err
same /dev/null err
has '^400 served' out
EOF
done

test_case 'ucontext: a switch is one suspend and one resume, and what blocked is told once' <<'EOF'
cat >switch.c <<'X'
#include "ct.h"
int main(void)
{
	struct ct_coro a = { 0 }, b = { 0 };
	ct_init();
	ct_create(&a, 0, CT_HERE, &a, "a");
	ct_create(&b, 0, CT_HERE, &b, "b");
	ct_switch(0, &a);
	ct_waits(CT_HERE, ct_fd(7));
	ct_switch(&a, &b);
	ct_waits(CT_HERE, ct_user("words"));
	ct_switch(&b, &a);
	ct_switch(&a, 0);
	ct_switch(0, &b);
	ct_destroy(&b, 1);
	ct_switch(&b, &a);
	ct_switch(&a, &a);
	ct_destroy(&a, 1);
	ct_switch(&a, 0);
	return 0;
}
X
${CC:-cc} -I"$O/dropin" -o switch switch.c "$O/dropin/ct.c" -lpthread
record -q -o trace ./switch
sed -n 's/.*"ev":"site","site":\([0-9]*\),.*"line":\([0-9]*\).*/s \1 \2/p; s/^{"probe_id":\([0-9]*\),.*"ev":"\([a-z]*\)","n":\([0-9]*\)\(.*\)}/\1 \2 \3 \4/p' trace |
	awk '$1 == "s" { line[$2] = $3; next }
	{ on = ""; at = "-"
	  if (match($0, /"site":[0-9]+/)) at = line[substr($0, RSTART + 7, RLENGTH - 7)]
	  if (match($0, /"on":"[^"]*"/)) on = " " substr($0, RSTART + 6, RLENGTH - 7)
	  print $1, $2, $3, at on }' >got
cat >want <<'X'
1 create 1 6
2 create 1 7
1 resume 2 -
1 suspend 3 9 fd:7
2 resume 2 -
2 suspend 3 11 user:words
1 resume 4 -
1 suspend 5 13
2 resume 4 -
2 destroy 5 -
1 resume 6 -
1 suspend 7 17
1 resume 8 -
1 destroy 9 -
X
same want got
EOF

test_case 'ucontext: --stacks shows the fiber from its beginning to the switch, and nothing of the thread' <<'EOF'
blocks fibers
${CC:-cc} -g -O2 -fno-optimize-sibling-calls -I"$O/dropin" -o server server.c "$O/dropin/ct.c" -lpthread
record -q --stacks -o trace ./server closed
ct-sym --quiet trace | ct-bt --all >out
has '"conn" suspended at serve() server.c:39 on fd:' out
sed -n '/"conn" suspended/,$p' out | sed -n 's/^ *\([a-z_]*\)[.a-z0-9]*() .*:[0-9]*$/\1/p' >got
printf 'first\nserve\nwait_readable_at\nswitch_to\n' >want
head -4 got | same want -
EOF

if ! echo '#include <boost/fiber/fiber.hpp>' | ${CXX:-c++} -E -x c++ - >/dev/null 2>&1; then
	skip_case 'Boost.Fiber' 'no Boost.Fiber'
	done_testing
	exit
fi
test_case 'Boost.Fiber: on two threads sound, and each bug is found at its line; untraced it is silent' <<'EOF'
blocks boost-fiber
${CXX:-c++} -std=c++20 -g -O1 -Wall -Wextra -Werror -I"$O/dropin" -o sessions sessions.cc -lboost_fiber -lboost_context -lpthread
for i in 1 2 3; do record -q -o sound ./sessions; sound sound; done
record -q -o trace ./sessions deadlock; finds trace deadlock 'count() sessions.cc:29'
record -q -o trace ./sessions closed; finds trace closed-resource 'wait_until_granted() sessions.cc:39'
record -q -o trace ./sessions owner; finds trace dead-owner 'count() sessions.cc:27'
./sessions >out 2>err
same /dev/null err
has '^192 served' out
EOF

test_case 'Boost.Fiber: fibers that move between threads, yield, sleep, are joined and launched at once' <<'EOF'
cat >many.cc <<'X'
#include <boost/fiber/algo/shared_work.hpp>
#include <boost/fiber/all.hpp>
#include <thread>
#include <vector>
#include "ct_fiber.hpp"
namespace bf = boost::fibers;
using algorithm = ct::fibers::traced<bf::algo::shared_work>;
int main()
{
	bf::barrier *all = new bf::barrier(4);
	bf::use_scheduling_algorithm<algorithm>(true);
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([&] { bf::use_scheduling_algorithm<algorithm>(true); all->wait(); });
	std::vector<bf::fiber> fibers;
	for (int i = 0; i < 200; i++)
		fibers.emplace_back(i % 3 ? bf::launch::post : bf::launch::dispatch, [i] {
			for (int k = 0; k < 50; k++)
				boost::this_fiber::yield();
			boost::this_fiber::sleep_for(std::chrono::microseconds(i));
		});
	for (bf::fiber &f : fibers)
		f.join();
	all->wait();
	for (std::thread &t : threads)
		t.join();
}
X
${CXX:-c++} -std=c++20 -g -O1 -Wall -Wextra -Werror -I"$O/dropin" -o many many.cc -lboost_fiber -lboost_context -lpthread
for i in 1 2 3; do
	record -q -o trace ./many
	sound trace
	[ "$(grep -c '"ev":"create"' trace)" -ge 200 ]
	hasnt '"done":false' trace
	ct-stuck --json trace >stuck || :
	hasnt probe_id stuck
done
EOF
done_testing
