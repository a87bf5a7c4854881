/* rec-step - interrupt each call of the C probe at each of its instructions, by a signal whose handler does ACTION:
 * rec-step COUNTFILE ACTION STRIDE [CALL]. The processor traps behind each instruction; the handler acts at every STRIDEth. ACTION:
 *   wake      one event, with a site
 *   life      a coroutine's life
 *   forks     a child, which lives a coroutine's life and ends
 *   returns   a child that goes back into the call, lives a coroutine's life and ends, before its parent goes on
 *   both      the same, while its parent goes on
 * What a child does to its parent's coroutines is not recorded, and not counted here.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include "rec.h"
#include "step.h"

static struct ct_coro inner, outer, other, brief;
static unsigned long steps, at;
static bool acted, is_child;
static const char *action;
static pthread_key_t last;
static int thing;

static void life(void)
{
	struct ct_coro c = { 0 };

	ct_create(&c, 0, CT_HERE, &c, "brief");
	ct_resume(&c);
	ct_suspend(&c, CT_HERE, ct_fd(3));
	ct_wake(c.id, ct_fd(3));
	ct_resume(&c);
	ct_destroy(&c, 1);
	emitted(0, 7);
}

static void end(void)
{
	life();
	_exit(0);
}

static void await(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || status)
		exit(98);
}

/* The same place of the probe's cache, for all of these lines. */
static uint32_t site(uint32_t n) { return ct_intern_site("site", __FILE__, 1024 * n); }

static void act(void)
{
	pid_t child;

	if (*action == 'w') {
		ct_wake_at(inner.id, site(2), ct_nothing());
		emitted(0, 1);
	} else if (*action == 'l') {
		life();
	} else if ((child = fork()) == 0) {
		is_child = true;
		if (*action == 'f')
			end();
	} else if (*action != 'b') {
		await(child);
	}
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)sig, (void)info;
	if (++steps < at)
		return;
	stop_behind(context);
	acted = true;
	act();
	errno = saved;
}

static void create(void) { ct_create(&brief, 0, CT_HERE, &brief, NULL); }
static void create_named(void) { ct_create(&brief, 0, CT_HERE, &brief, "named"); }
static void destroy(void) { ct_destroy(&brief, 1); }
static void resume(void) { ct_resume(&outer); }
static void suspend(void) { ct_suspend(&outer, CT_HERE, ct_fd(1)); }
static void suspend_user(void) { ct_suspend(&outer, CT_HERE, ct_user("text")); }
static void switches(void) { ct_switch(&outer, &other); }
static void wake(void) { ct_wake(outer.id, ct_fd(1)); }
static void wake_for(void) { ct_wake_for(other.id, outer.id, ct_fd(1)); }
static void name(void) { ct_name(&outer, "again"); }
static void opens(void) { ct_open(ct_mutex(&thing), "thing"); }
static void closes(void) { ct_close(ct_mutex(&thing)); }
static void notify(void) { ct_notify(ct_cond(&thing), 1); }
static void level(void) { ct_level(ct_sem(&thing), 1); }
static void acquire(void) { ct_acquire(ct_mutex(&thing)); }
static void release(void) { ct_release(ct_mutex(&thing)); }
static void dequeue(void) { ct_dequeue(outer.id); }
static void deadline(void) { ct_deadline(outer.id, 1); }
static void waker(void) { ct_waker_clone(outer.id); }
static void park(void) { ct_park(1); }

static void interns(void)
{
	static uint32_t known;
	uint32_t got = site(1);

	if (!known)
		known = got;
	else if (got != known)
		exit(96);
}

static void suspend_any(void)
{
	struct ct_leg legs[] = { { .on = ct_fd(1) }, { .on = ct_mutex(&thing) } };

	ct_suspend_any(&outer, CT_HERE, legs, 2);
}

/* The first event of a thread, and its end up to where libc lets no signal come. */
static void stop_stepping(void *value)
{
	(void)value;
	no_more();
	if (is_child)
		end();
}

static void *begins(void *arg)
{
	stepping();
	wake();
	no_more();
	if (is_child)
		end();
	return arg;
}

static void *ends(void *arg)
{
	pthread_setspecific(last, &last);
	wake();
	stepping();
	return arg;
}

static void in_thread(void *(*run)(void *))
{
	pthread_t t;

	if (pthread_create(&t, NULL, run, NULL) || pthread_join(t, NULL))
		exit(97);
}
static void thread_begins(void) { in_thread(begins); }
static void thread_ends(void) { in_thread(ends); }

static const struct call {
	const char *name;
	void (*make)(void);
	unsigned events;
	enum { SELF = 1, FRESH } how;		/* it steps itself; of a coroutine made before */
} calls[] = {
#define CALL(make, events, how) { #make, make, events, how }
	CALL(create, 1, 0), CALL(create_named, 2, 0), CALL(destroy, 1, FRESH), CALL(resume, 1, 0), CALL(suspend, 1, 0),
	CALL(suspend_user, 1, 0), CALL(suspend_any, 3, 0), CALL(switches, 2, 0), CALL(wake, 1, 0), CALL(wake_for, 1, 0),
	CALL(name, 1, 0), CALL(opens, 1, 0), CALL(closes, 1, 0), CALL(notify, 1, 0), CALL(level, 1, 0), CALL(acquire, 1, 0),
	CALL(release, 1, 0), CALL(dequeue, 1, 0), CALL(deadline, 1, 0), CALL(waker, 1, 0), CALL(park, 1, 0),
	CALL(interns, 0, 0), CALL(thread_begins, 1, SELF), CALL(thread_ends, 1, SELF),
};

/* Until it is made without being interrupted. */
static void interrupt(const struct call *c, unsigned long stride)
{
	acted = true;
	for (at = 1; acted; at += stride) {
		memset(&brief, 0, sizeof brief);
		if (c->how == FRESH) {
			create();
			emitted(0, 1);
		}
		steps = 0;
		acted = false;
		if (c->how != SELF)
			stepping();
		c->make();
		if (c->how != SELF)
			no_more();
		if (is_child)
			end();
		emitted(0, c->events);
		while (*action == 'b' && waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

int main(int argc, char **argv)
{
	unsigned long stride = arg_number(argc, argv, 3, 1);

	if (argc < 3)
		return 2;
	if (!CAN_STEP)
		return 77;
	count_open(argv[1]);
	action = argv[2];
	ct_init();
	pthread_key_create(&last, stop_stepping);	/* behind the probe's own */
	ct_create(&inner, 0, CT_HERE, NULL, "inner");
	ct_create(&outer, 0, CT_HERE, NULL, "outer");
	ct_create(&other, 0, CT_HERE, NULL, "other");
	emitted(0, 6);
	sigaction(SIGTRAP, &(struct sigaction){ .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO }, NULL);
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (argc < 5 || !strcmp(argv[4], calls[i].name))
			interrupt(&calls[i], stride);
	while (waitpid(-1, NULL, 0) > 0)
		;
	return 0;
}
