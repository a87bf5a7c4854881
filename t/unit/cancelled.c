/* cancelled.c - the C probe in a thread that somebody wants cancelled: no call of the probe's is where that happens, for there the program may
 * have a lock, and what the probe is at would never be done.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "../../sdk/c/ct.c"
#define main probe_main
#include "probe.c"
#undef main

static bool came_back;
static struct ct_coro coro;

static void *in_thread(void *call)
{
	void (*f)(void);

	memcpy(&f, &call, sizeof f);
	if (pthread_cancel(pthread_self()))
		exit(99);
	f();
	came_back = true;
	pthread_testcancel();
	return NULL;
}

static void survives(void (*call)(void), const char *what)
{
	void *p, *result = NULL;
	pthread_t t;

	memcpy(&p, &call, sizeof p);
	came_back = false;
	pthread_create(&t, NULL, in_thread, p);
	pthread_join(t, &result);
	ok(came_back && result == PTHREAD_CANCELED, "%s, and cancelled behind it", what);
}

static void init(void) { ct_init(); }
static void box(void) { ct_box("1,threads=4,slots=64,coroutines=64"); }
static void dump(void) { ct_dump("cancelled.dump"); }
static void stop(void) { ct_stop(); }
static void start(void) { ct_start(); }
static void first(void) { ct_create(&coro, 0, CT_HERE, &coro, "name"); }

static void asks(void)
{
	ctp_store(&ct_flag_.on, CTP_FLAG_ASKED);
	ct_wake(99, ct_fd(1));
}

/* The recorder sleeps. */
static void rung(void)
{
	ctp_store(&h->tracer_sleeping, 1);
	ct_wake(99, ct_fd(1));
}

/* What another thread does while ours waits for it. */
static void meanwhile(void *(*does)(void *), void (*call)(void))
{
	pthread_t t;
	int was;

	pthread_create(&t, NULL, does, NULL);
	call();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
	pthread_join(t, NULL);
	pthread_setcancelstate(was, &was);
}

static void nap(void)
{
	struct timespec t = { 0, 5000000 };

	nanosleep(&t, NULL);
}

/* Another thread's ct_init. */
static void *done(void *arg)
{
	nap();
	__atomic_store_n(&ct_p_.init, CT_DONE, __ATOMIC_RELEASE);
	return arg;
}

static void waits(void)
{
	__atomic_store_n(&ct_p_.init, CTP_OWNER(getpid(), 1), __ATOMIC_RELEASE);
	meanwhile(done, init);
}

static void *greets(void *arg)
{
	recorder = accept(listener, NULL, NULL);
	if (write(recorder, "1", 1) != 1)
		exit(99);
	return arg;
}

static void attaches(void) { meanwhile(greets, init); }

/* A slow one. */
static void *reads(void *arg)
{
	nap();
	for (int i = 0; i < RINGS; i++)
		ctp_store_release(&rings[i].tail, ctp_load_acquire(&rings[i].head));
	return arg;
}

static void fill(void)
{
	for (int i = 0; i < 20; i++)
		ct_wake(99, ct_fd(i));
}

static void blocks(void) { meanwhile(reads, fill); }

static void boxed(void)
{
	survives(init, "ct_init without a recorder");
	survives(asks, "a first event that makes the box");
	ok(ct_p_.init == CT_DONE && ct_p_.box, "it is made");
	survives(box, "ct_box");
	survives(first, "a first event");
	survives(dump, "ct_dump");
	unlink("cancelled.dump");
	survives(stop, "ct_stop");
	survives(start, "ct_start");
	survives(waits, "ct_init while another thread is in it");
}

static void filed(void)
{
	char dir[] = "./cancelled.XXXXXX", whole[4000], how[4096], path[64];
	ssize_t n;

	if (!mkdtemp(dir) || !realpath(dir, whole))
		exit(99);
	snprintf(how, sizeof how, "%s,threads=4,slots=64,coroutines=64", whole);
	setenv(CTP_ENV_BOX, how, 1);
	survives(init, "ct_init that makes a box in a file");
	survives(first, "a first event in it");
	snprintf(path, sizeof path, "/proc/self/fd/%d", ct_p_.box_fd);
	n = readlink(path, how, sizeof how - 1);
	how[n > 0 ? n : 0] = '\0';
	unlink(how);
	rmdir(dir);
}

static void recorded(void)
{
	region(1, 16, CTP_F_STACKS | CTP_F_BLOCK);
	listen_here();
	survives(attaches, "ct_init that finds a recorder");
	survives(first, "a first event");
	survives(rung, "a bell");
	survives(blocks, "waiting for room");
}

int main(int argc, char *argv[])
{
	alarm(100);
	if (argc > 1 && !strcmp(argv[1], "boxed"))
		boxed();
	else if (argc > 1 && !strcmp(argv[1], "filed"))
		filed();
	else
		recorded();
	return done_testing();
}
