/* stk-chain.c - suspends and wakes with known call stacks: stk-chain MODE, one of
 *
 *	chain		one coroutine: waits in net_read, below serve; woken in on_readable
 *	many N		2^N suspends, each with a call stack of its own
 *	threads N	four threads do that
 *	fork N		a child does, while the parent does
 *	context		a coroutine on a stack of its own, by makecontext
 *	dlopen FILE	calls plugin(void (*)(void)) of a library, which calls back; then waits for a signal
 *	kill N		as many, and is killed then
 *	orphan N PID	as many, kills that recorder, and goes on with as many
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include "ct.h"

#define NOINLINE __attribute__((noinline))
#define AFTER(n) __asm__ volatile(".rept " #n "\n\tnop\n\t.endr" ::: "memory")	/* no tail call; each its own */

static _Thread_local struct ct_coro coro;

NOINLINE static void net_read(void)
{
	ct_suspend(&coro, CT_HERE, ct_fd(7));
	AFTER(1);
}

static inline __attribute__((always_inline)) void read_request(void)
{
	net_read();
	AFTER(1);
}

NOINLINE static void serve(void)
{
	read_request();
	AFTER(1);
}

NOINLINE static void on_readable(void)
{
	ct_wake(coro.id, ct_fd(7));
	AFTER(1);
}

static void begin(const char *name)
{
	ct_create(&coro, 0, CT_HERE, &coro, name);
	ct_resume(&coro);
}

NOINLINE static void descend(unsigned bits, int depth)
{
	if (depth == 0) {
		net_read();
		ct_resume(&coro);
		AFTER(1);
	} else if (bits & 1) { AFTER(5);	/* else a compiler may make one call of the two */
		descend(bits >> 1, depth - 1);
		AFTER(2);
	} else {
		descend(bits >> 1, depth - 1);
		AFTER(3);
	}
}

static void many(int depth)
{
	unsigned i;

	begin("many");
	for (i = 0; i < 1u << depth; i++)
		descend(i, depth);
	ct_destroy(&coro, 1);
}

static void *thread(void *arg)
{
	many(*(int *)arg);
	return NULL;
}

static void threads(int depth)
{
	pthread_t t[4];
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, thread, &depth);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void forked(int depth)
{
	pid_t pid = fork();

	if (pid == 0) {
		many(depth);
		_exit(0);
	}
	many(depth);
	waitpid(pid, NULL, 0);
}

static ucontext_t outside, inside;

static void body(void)
{
	serve();
	swapcontext(&inside, &outside);
}

static void context(void)
{
	static char stack[65536];

	begin("context");
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof stack;
	makecontext(&inside, body, 0);
	swapcontext(&outside, &inside);
}

static void plugged(const char *file)
{
	void *lib = dlopen(file, RTLD_NOW);
	void (*plugin)(void (*)(void));

	if (!lib)
		exit(9);
	begin("plugged");
	*(void **)&plugin = dlsym(lib, "plugin");
	plugin(serve);
	alarm(100);
	pause();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "", *what = argc > 2 ? argv[2] : "1";

	ct_init();
	if (!strcmp(mode, "chain")) {
		begin("chain");
		serve();
		on_readable();
	} else if (!strcmp(mode, "many")) {
		many(atoi(what));
	} else if (!strcmp(mode, "threads")) {
		threads(atoi(what));
	} else if (!strcmp(mode, "fork")) {
		forked(atoi(what));
	} else if (!strcmp(mode, "context")) {
		context();
	} else if (!strcmp(mode, "dlopen")) {
		plugged(what);
	} else if (!strcmp(mode, "kill")) {
		many(atoi(what));
		raise(SIGKILL);
	} else if (!strcmp(mode, "orphan")) {
		many(atoi(what));
		kill((pid_t)atoi(argc > 3 ? argv[3] : ""), SIGKILL);
		many(atoi(what));
	} else {
		return 2;
	}
	return 0;
}
