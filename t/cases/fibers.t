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

test_case 'ct-snap: the stacks that swapcontext switches, of a process that nobody prepared, and of its core' <<'EOF'
cat >lib.h <<'X'
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>
struct fiber { long id; ucontext_t at; void (*run)(long); char stack[65536]; };
static struct fiber *running;
static ucontext_t scheduler;
static void rest(void) { struct fiber *f = running; running = NULL; swapcontext(&f->at, &scheduler); }
static void first(void) { running->run(running->id); rest(); }
static struct fiber *make(void (*run)(long), long id)
{
	struct fiber *f = calloc(1, sizeof *f);
	f->id = id; f->run = run;
	getcontext(&f->at);
	f->at.uc_stack.ss_sp = f->stack;
	f->at.uc_stack.ss_size = sizeof f->stack;
	makecontext(&f->at, first, 0);
	return f;
}
static void go(struct fiber *f) { running = f; swapcontext(&scheduler, &f->at); }
X
cat >main.c <<'X'
#include "lib.h"
static __attribute__((noinline)) void deep(long n)
{
	if (n)
		deep(n - 1);
	else
		rest();			/* line 7 */
	__asm__ volatile ("" ::: "memory");
}
static void two(long id) { (void)id; for (;;) rest(); }		/* line 10 */
static void busy(long id) { (void)id; puts("up"); fflush(stdout); for (;;) sleep(100); }
int main(void)
{
	struct fiber *gone = make(two, 9), *copy = malloc(sizeof *copy);

	go(gone); go(make(deep, 3)); go(make(two, 5));
	*copy = *gone;			/* no fiber */
	free(gone);			/* none any more */
	make(two, 1);			/* has not run */
	printf("%p\n", (void *)copy);
	go(make(busy, 2));
}
X
for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	$compiler -std=gnu11 -g -O2 -o fibers main.c
	: >up				# what the one before said
	./fibers >>up & pid=$!
	i=0; until grep -q up up; do i=$((i + 1)); [ $i -lt 100 ]; sleep 0.1; done
	status 0 ct-snap -o snap -p $pid 2>err || { kill -9 $pid; exit 1; }
	status 0 ct-snap --again=10ms -o again -p $pid 2>>err
	gcore -o core $pid >gcore 2>&1 || :
	kill -9 $pid
	has '^ct-snap: 4 fibers of swapcontext' err
	for f in snap again; do
		ct-check $f >out
		ct-stuck $f >stuck || :
		has '^1 suspended at deep.*main.c:7' stuck
		has '^1 suspended at two.*main.c:10' stuck
		has '^1 never run, created at first' stuck
		has '^1 running' stuck
		ct-bt --all $f >bt
		[ "$(grep -c '^    deep.*main.c:5' bt)" -eq 3 ]
	done
	if [ -e core.$pid ]; then
		status 0 ct-snap core.$pid ./fibers >core.jsonl 2>err
		has '"ev":"state"' core.jsonl
		[ "$(grep -c '"ev":"state"' core.jsonl)" -eq 4 ]
	fi
done
EOF

cat >>"$scratch/.case-lib" <<'EOF'
# Takes a snapshot of ./fibers, once it says up, into snap and err, and a core into core.PID.
take() {
	: >up				# what the one before said
	./fibers >>up & pid=$!
	i=0; until grep -q up up; do i=$((i + 1)); [ $i -lt 200 ]; sleep 0.1; done
	ct-snap -o snap -p $pid 2>err || :
	gcore -o core $pid >gcore 2>&1 || :
	kill -9 $pid
}
EOF

# No library's own code: its names and its magic number, with members, states and registers in an order of the test's own, so that
# whatever is found is found by debug information and by the code of the function that switches.
test_case 'ct-snap: the coroutines of minicoro, wherever its members and registers lie; of those that resumed another, too; without debug information, a sentence' <<'EOF'
[ "$(uname -m)" = x86_64 ] || exit 0
cat >fibers.c <<'X'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef enum mco_state { MCO_SUSPENDED = 3, MCO_DEAD, MCO_NORMAL = 8, MCO_RUNNING } mco_state;
typedef struct mco_coro {
	size_t magic_number;
	struct mco_coro *prev_co;
	void (*func)(struct mco_coro *);
	size_t stack_size;
	void *stack_base, *context;
	mco_state state;
} mco_coro;
typedef struct { void *r14, *r15, *sp, *bx, *pc, *bp, *r13, *r12; } _mco_ctxbuf;
typedef struct _mco_context { long more; _mco_ctxbuf back_ctx, ctx; } _mco_context;
void _mco_wrap_main(void);
void _mco_switch(_mco_ctxbuf *from, _mco_ctxbuf *to);
__asm__(".text\n.globl _mco_switch\n.type _mco_switch @function\n_mco_switch:\n"
	"lea 1f(%rip), %r11\n mov %r11, 32(%rdi)\n mov %rsp, 16(%rdi)\n mov %rbx, 24(%rdi)\n mov %rbp, 40(%rdi)\n"
	"mov %r12, 56(%rdi)\n mov %r13, 48(%rdi)\n mov %r14, (%rdi)\n mov %r15, 8(%rdi)\n"
	"mov 8(%rsi), %r15\n mov (%rsi), %r14\n mov 48(%rsi), %r13\n mov 56(%rsi), %r12\n mov 40(%rsi), %rbp\n"
	"mov 24(%rsi), %rbx\n mov 16(%rsi), %rsp\n jmp *32(%rsi)\n1: ret\n.size _mco_switch, .-_mco_switch\n"
	".globl _mco_wrap_main\n.type _mco_wrap_main @function\n_mco_wrap_main:\n mov %r13, %rdi\n jmp *%r12\n"
	".size _mco_wrap_main, .-_mco_wrap_main\n");
static mco_coro *now;
static void leave(mco_coro *co, mco_state state)
{
	_mco_context *c = co->context;
	now = co->prev_co;
	if (now) now->state = MCO_RUNNING;
	co->prev_co = NULL;
	co->state = state;
	_mco_switch(&c->ctx, &c->back_ctx);
}
static void begin(mco_coro *co) { co->func(co); leave(co, MCO_DEAD); }
static void rest(void) { leave(now, MCO_SUSPENDED); }
static void resume(mco_coro *co)
{
	_mco_context *c = co->context;
	co->prev_co = now;
	if (now) now->state = MCO_NORMAL;
	co->state = MCO_RUNNING;
	now = co;
	_mco_switch(&c->back_ctx, &c->ctx);
}
static mco_coro *make(void (*func)(mco_coro *))
{
	enum { CONTEXT = 64, BASE = 256, STACK = 65536 };
	char *all = calloc(1, BASE + STACK);
	mco_coro *co = (void *)all;
	_mco_context *c = (void *)(all + CONTEXT);
	*co = (mco_coro){ 0x7E3CB1A9, NULL, func, STACK, all + BASE, c, MCO_SUSPENDED };
	c->ctx = (_mco_ctxbuf){ .pc = _mco_wrap_main, .sp = all + BASE + STACK - 24, .r12 = begin, .r13 = co };
	return co;
}
#include "main.c"
X
cat >main.c <<'X'
#define KEPT __asm__ volatile ("" ::: "memory")
static __attribute__((noinline)) void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		rest();			/* line 7 */
	KEPT;
}
static void one(mco_coro *co) { (void)co; deep(3); }
static void two(mco_coro *co) { (void)co; for (;;) rest(); }	/* line 11 */
static void busy(mco_coro *co) { (void)co; puts("up"); fflush(stdout); sleep(1000); }
static void outer(mco_coro *co) { (void)co; resume(make(busy)); KEPT; }	/* line 13 */
int main(void)
{
	mco_coro *gone = make(two), *copy = malloc(256 + 65536);
	resume(gone);
	for (int i = 0; i < 100; i++)
		resume(make(one));
	resume(make(two));
	memcpy(copy, gone, 64);			/* no coroutine */
	gone->state = MCO_DEAD;
	make(two);				/* has not run */
	resume(make(outer));
	printf("%p\n", (void *)copy);
}
X
found() {
	ct-check $1 >out
	ct-stuck $1 >stuck || :
	has '^100 suspended at deep.*main.c:7' stuck
	has '^1 suspended at two.*main.c:11' stuck
	has '^1 suspended at outer.*main.c:13' stuck
	has '^1 never run, created at two' stuck
	has '^1 running' stuck
	ct-bt --all $1 >bt
	[ "$(grep -c '^    deep.*main.c:5' bt)" -eq 300 ]
	has 'outer.*on coro:' bt
}
for compiler in 'gcc -O2' 'clang -O0'; do
	command -v ${compiler% *} >/dev/null || continue
	$compiler -g -fno-optimize-sibling-calls -o fibers fibers.c
	take
	has '^ct-snap: 104 coroutines of minicoro' err
	found snap
done
[ ! -e core.$pid ] || { status 0 ct-snap core.$pid ./fibers >core 2>err; found core; }
# An implicit constant of 0 in an abbreviation is not its end, though libdw says so: nothing behind it is lost.
gcc -O1 -gdwarf-5 -fno-optimize-sibling-calls -S -o fibers.s fibers.c
awk '/^\t\.section\t\.debug_/ { in_it = /abbrev/ } in_it && form == "0x21" && $1 == ".sleb128" && $2 == "1" { $0 = "\t.sleb128 0"; n++ }
	{ form = $1 == ".uleb128" ? $2 : "" } { print } END { exit !n }' fibers.s >zero.s
gcc -o fibers zero.s
take
has '^ct-snap: 104 coroutines of minicoro' err
found snap
gcc -O1 -o fibers fibers.c
take
has '^ct-snap: minicoro: no debug information' err
EOF

test_case 'ct-snap: the coroutines of libaco on stacks of their own and on shared ones, whose turn it is and whose not; without debug information, a sentence' <<'EOF'
[ "$(uname -m)" = x86_64 ] || exit 0
cat >fibers.c <<'X'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef struct aco_s aco_t;
typedef struct { aco_t *owner; char *align_retptr; size_t sz; char *ptr; } aco_share_stack_t;
struct aco_s {
	void *reg[8];				/* bp bx r12 r13 r14 r15 pc sp */
	char is_end;
	void (*fp)(void);
	aco_share_stack_t *share_stack;
	struct { size_t sz, valid_sz; char *ptr; } save_stack;
	aco_t *main_co;
};
enum { PC = 6, SP, STACK = 65536 };
void acosw(aco_t *from, aco_t *to);
void aco_funcp_protector_asm(void);
__asm__(".text\n.globl acosw\n.type acosw @function\nacosw:\n"
	"lea 8(%rsp), %r10\n mov (%rsp), %r11\n mov %rbp, (%rdi)\n mov %rbx, 8(%rdi)\n mov %r12, 16(%rdi)\n mov %r13, 24(%rdi)\n"
	"mov %r14, 32(%rdi)\n mov %r15, 40(%rdi)\n mov %r11, 48(%rdi)\n mov %r10, 56(%rdi)\n"
	"mov (%rsi), %rbp\n mov 8(%rsi), %rbx\n mov 16(%rsi), %r12\n mov 24(%rsi), %r13\n mov 32(%rsi), %r14\n mov 40(%rsi), %r15\n"
	"mov 56(%rsi), %rsp\n jmp *48(%rsi)\n.size acosw, .-acosw\n"
	".globl aco_funcp_protector_asm\n.type aco_funcp_protector_asm @function\naco_funcp_protector_asm: call abort\n");
static aco_t scheduler, *now;
static void rest(void) { acosw(now, &scheduler); }
static void quit(void) { now->is_end = 1; now->share_stack->owner = NULL; rest(); }
static aco_share_stack_t *stack(void)
{
	aco_share_stack_t *s = calloc(1, sizeof *s);
	s->ptr = aligned_alloc(64, STACK);
	s->sz = STACK;
	s->align_retptr = s->ptr + STACK - 24;
	*(void **)s->align_retptr = aco_funcp_protector_asm;
	return s;
}
static aco_t *make(aco_share_stack_t *s, void (*fp)(void))
{
	aco_t *co = calloc(1, sizeof *co);
	co->fp = fp;
	co->share_stack = s;
	co->main_co = &scheduler;
	co->reg[PC] = fp;
	co->reg[SP] = s->align_retptr;
	return co;
}
static void resume(aco_t *co)
{
	aco_share_stack_t *s = co->share_stack;
	aco_t *had = s->owner;
	if (had && had != co) {
		had->save_stack.valid_sz = s->align_retptr - (char *)had->reg[SP];
		had->save_stack.ptr = realloc(had->save_stack.ptr, had->save_stack.sz = had->save_stack.valid_sz + 8);
		memcpy(had->save_stack.ptr, had->reg[SP], had->save_stack.valid_sz);
	}
	if (had != co && co->save_stack.valid_sz)
		memcpy(co->reg[SP], co->save_stack.ptr, co->save_stack.valid_sz);
	s->owner = now = co;
	acosw(&scheduler, co);
}
#include "main.c"
X
cat >main.c <<'X'
#define KEPT __asm__ volatile ("" ::: "memory")
static __attribute__((noinline)) void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		rest();			/* line 7 */
	KEPT;
}
static void one(void) { deep(3); quit(); }
static void two(void) { for (;;) rest(); }	/* line 11 */
static void busy(void) { puts("up"); fflush(stdout); sleep(1000); }
int main(void)
{
	aco_share_stack_t *shared = stack(), *third = stack();
	aco_t *gone = make(shared, two), *copy = malloc(sizeof *copy), *again;
	resume(gone);
	for (int i = 0; i < 50; i++)
		resume(make(shared, one));
	for (int i = 0; i < 50; i++)
		resume(make(stack(), one));
	resume(again = make(shared, two));
	resume(make(third, quit));
	memcpy(copy, again, sizeof *copy);
	free(copy);				/* no coroutine */
	free(gone);
	again = make(shared, two);		/* has not run */
	printf("%p\n", (void *)again);
	resume(make(third, busy));
}
X
found() {
	ct-check $1 >out
	ct-stuck $1 >stuck || :
	has '^100 suspended at deep.*main.c:7' stuck
	has '^1 suspended at two.*main.c:11' stuck
	has '^1 never run, created at two' stuck
	has '^1 running' stuck
	ct-bt --all $1 >bt
	[ "$(grep -c '^    deep.*main.c:5' bt)" -eq 300 ]
	[ "$(grep -c '^    one.*main.c:10' bt)" -eq 100 ]
}
for compiler in 'gcc -O2' 'clang -O0'; do
	command -v ${compiler% *} >/dev/null || continue
	$compiler -g -fno-optimize-sibling-calls -o fibers fibers.c
	take
	has '^ct-snap: 103 coroutines of libaco' err
	found snap
done
[ ! -e core.$pid ] || { status 0 ct-snap core.$pid ./fibers >core 2>err; found core; }
gcc -O1 -o fibers fibers.c
take
has '^ct-snap: libaco: no debug information' err
EOF

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

if echo '#include <st.h>' | ${CC:-cc} -E - >/dev/null 2>&1; then
	test_case 'State Threads, as it is: a server is sound and each bug is found at its line; untraced it is silent' <<'EOF'
blocks fibers
${CC:-cc} -std=gnu11 -g -O2 -Wall -Wextra -Werror -Wno-unused-result -I"$O/dropin" -o stserver stserver.c "$O/dropin/ct.c" -lst -lpthread
record -q -o sound ./stserver; sound sound
record -q -o trace ./stserver deadlock; finds trace deadlock 'count() stserver.c:21'
record -q -o trace ./stserver join; finds trace deadlock 'count() stserver.c:21'
has 'waits on join:' found
record -q -o trace ./stserver owner; finds trace dead-owner 'count() stserver.c:19'
./stserver >out 2>err
same /dev/null err
has '^3 counted' out
# What was there at once is not what the next switch is for: a lock, bytes, the end of another.
cat >at-once.c <<'X'
#include <sys/socket.h>
#include "st-fibers.h"
static st_mutex_t lock;
static int pair[2];
static void *ends(void *x) { return x; }
static void *locks(void *x) { st_mutex_lock(lock); st_sleep(60); st_mutex_unlock(lock); return x; }
static void *joins(void *t) { st_thread_join(t, NULL); st_sleep(60); return t; }
static void *reads(void *fd)
{
	char c;

	st_read(fd, &c, 1, ST_UTIME_NO_TIMEOUT);
	ct_close(ct_fd(pair[0]));
	st_sleep(60);
	return fd;
}
int main(void)
{
	ct_init();
	if (ct_st_init())
		return 2;
	lock = st_mutex_new();
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	st_thread_create(locks, NULL, 0, 0);
	send(pair[1], "a", 1, 0);
	st_thread_create(reads, st_netfd_open_socket(pair[0]), 0, 0);
	st_thread_create(joins, st_thread_create(ends, NULL, 1, 0), 0, 0);
	return st_usleep(100000);
}
X
${CC:-cc} -std=gnu11 -g -O2 -Wno-unused-function -I"$O/dropin" -o at-once at-once.c "$O/dropin/ct.c" -lst -lpthread
record -q -o trace ./at-once
status 0 ct-check trace >out
status 0 ct-lostwake --grace=0s trace >out
ct-stuck trace >out || :
hasnt '^  [0-9]* on ' out
EOF
else
	skip_case 'State Threads' 'no st.h (libst-dev)'
fi

if ! printf '#include <boost/fiber/fiber.hpp>\nint main() {}\n' | ${CXX:-c++} -std=c++20 -o "$scratch/fiber" -x c++ - -lboost_fiber -lboost_context >/dev/null 2>&1; then
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

test_case 'Boost.Fiber: fibers that move between threads, are stolen, yield, sleep, are joined and launched at once' <<'EOF'
cat >many.cc <<'X'
#include <boost/fiber/algo/shared_work.hpp>
#include <boost/fiber/algo/work_stealing.hpp>
#include <boost/fiber/all.hpp>
#include <thread>
#include <vector>
#include "ct_fiber.hpp"
namespace bf = boost::fibers;
static void use(bool steals)
{
	if (steals)
		bf::use_scheduling_algorithm<ct::fibers::traced<bf::algo::work_stealing>>(4u, true);
	else
		bf::use_scheduling_algorithm<ct::fibers::traced<bf::algo::shared_work>>(true);
}
int main(int argc, char **)
{
	bf::barrier *all = new bf::barrier(4);
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([&] { use(argc > 1); all->wait(); });
	use(argc > 1);
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
for steals in '' '' steals steals; do
	record -q -o trace ./many $steals
	has '"status":0' trace
	sound trace
	[ "$(grep -c '"ev":"create"' trace)" -ge 200 ]
	hasnt '"done":false' trace
	ct-stuck --json trace >stuck || :
	hasnt probe_id stuck
done
EOF

test_case 'Boost.Fiber: one that has ended has, though its handle is kept; who is woken by another thread is, though its own is busy; a thread with another algorithm is left alone; one that spins parks once' <<'EOF'
cat >apart.cc <<'X'
#include <boost/fiber/algo/shared_work.hpp>
#include <boost/fiber/all.hpp>
#include <cstring>
#include <future>
#include <thread>
#include "ct_fiber.hpp"
namespace bf = boost::fibers;
static ct::fibers::mutex lock;
static bf::mutex guard;
static bf::condition_variable changed;
static bool over;
static void rest(int ms) { boost::this_fiber::sleep_for(std::chrono::milliseconds(ms)); }
static void keeps() { lock.lock(); }
static void wants() { lock.lock(); }				// line 14
static void waits()
{
	std::unique_lock<bf::mutex> held(guard);
	ct::fibers::waits w(ct_chan(&over));
	changed.wait(held, [] { return over; });
}
struct rank : bf::fiber_properties {
	using fiber_properties::fiber_properties;
	int is = 7;
};
struct ranked : bf::algo::algorithm_with_properties<rank> {
	bf::algo::round_robin all;
	void awakened(bf::context *c, rank &r) noexcept override
	{
		if (r.is != 7)
			std::abort();
		all.awakened(c);
	}
	bf::context *pick_next() noexcept override { return all.pick_next(); }
	bool has_ready_fibers() const noexcept override { return all.has_ready_fibers(); }
	void suspend_until(std::chrono::steady_clock::time_point const &t) noexcept override { all.suspend_until(t); }
	void notify() noexcept override { all.notify(); }
};
int main(int, char **argv)
{
	if (!std::strcmp(argv[1], "ranked"))
		bf::use_scheduling_algorithm<ranked>();
	else if (!std::strcmp(argv[1], "spins"))
		bf::use_scheduling_algorithm<ct::fibers::traced<bf::algo::shared_work>>();
	else
		bf::use_scheduling_algorithm<ct::fibers::traced<>>();
	if (!std::strcmp(argv[1], "busy")) {
		std::thread([] {
			bf::use_scheduling_algorithm<ct::fibers::traced<>>();
			bf::fiber w(waits), busy([] { rest(1); std::promise<void>().get_future().wait(); });
			w.join();
		}).detach();
		rest(100);
		ct::close(ct_chan(&over));
		std::unique_lock<bf::mutex> held(guard);
		over = true;
		changed.notify_all();
	} else {
		lock.lock();
		lock.unlock();
		bf::fiber first(keeps), second(wants);		// and kept
		rest(std::strcmp(argv[1], "spins") ? 600 : 50);
		std::_Exit(0);
	}
	rest(600);
	std::_Exit(0);
}
X
${CXX:-c++} -std=c++20 -g -O1 -Wall -Wextra -Werror -I"$O/dropin" -o apart apart.cc -lboost_fiber -lboost_context -lpthread
record -q -o trace ./apart kept; finds trace dead-owner 'wants() apart.cc:14'
record -q -o trace ./apart busy; sound trace
has '"ev":"wake".*"by"' trace
record -q -o trace ./apart ranked
has '"status":0' trace
record -q -o trace ./apart spins
ct-check trace
[ "$(grep -c '"ev":"park"' trace)" -lt 100 ]
EOF

test_case 'ct-snap: the suspended fibers of Boost.Fiber, of a process that nobody prepared; without what says where, a sentence' <<'EOF'
[ "$(uname -m)" = x86_64 ] || exit 0
cat >plain.cc <<'X'
#include <boost/fiber/all.hpp>
#include <cstdio>
#include <unistd.h>
namespace bf = boost::fibers;
static bf::mutex m;
static bf::condition_variable cv;
static void __attribute__((noinline)) waits(int n)
{
	std::unique_lock<bf::mutex> l(m);
	cv.wait(l, [n] { return n > 90; });		// line 10
}
static void __attribute__((noinline)) deep(int n)
{
	if (n)
		deep(n - 1);
	else
		waits(n);				// line 17
	asm volatile("" ::: "memory");
}
int main()
{
	for (int i = 0; i < 100; i++)
		bf::fiber([i] { deep(i % 4); }).detach();
	bf::fiber([] { waits(99); }).detach();		// ends
	boost::this_fiber::yield();
	bf::fiber([] { deep(9); }).detach();		// has not run
	std::puts("up");
	std::fflush(stdout);
	sleep(1000);
}
X
try() {	# COMPILER FLAGS
	"$@" -g -std=c++17 -o plain plain.cc -lboost_fiber -lboost_context
	: >up
	./plain >>up & pid=$!
	i=0; until grep -q up up; do i=$((i + 1)); [ $i -lt 200 ]; sleep 0.1; done
	ct-snap -o snap -p $pid 2>err || :
	gcore -o core $pid >gcore 2>&1 || :
	kill -9 $pid
}
found() {
	ct-check $1 >out
	ct-stuck $1 >stuck || :
	has '^100 suspended at waits.*plain.cc:10' stuck
	has '^1 never run' stuck
	has '^101 of 101' stuck
	ct-bt --all $1 >bt
	[ "$(grep -c '^    deep.*plain.cc:15' bt)" -eq 150 ]
	[ "$(grep -c '^    deep.*plain.cc:17' bt)" -eq 100 ]
}
for o in ${CHECK_ALL:+-O0 -O1} -O2; do
	try g++ $o -fno-optimize-sibling-calls -femit-class-debug-always
	has '^ct-snap: 101 fibers of Boost.Fiber' err
	found snap
done
[ ! -e core.$pid ] || { status 0 ct-snap core.$pid ./plain >core 2>err; found core; }
if [ "${CHECK_ALL:-}" ] && command -v clang++ >/dev/null; then
	try clang++ -O1 -fno-optimize-sibling-calls -fstandalone-debug
	found snap
fi
try g++ -O1
has '^ct-snap: Boost.Fiber: no debug information of boost::fibers::context' err
EOF
done_testing
