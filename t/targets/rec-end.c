/* rec-end - emit a few events and end in a given way: rec-end COUNTFILE WAY [ARGUMENT ...] (the table at the end). */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include "ctp.h"
#include "rec.h"

static char **arguments;
static volatile sig_atomic_t caught;

static uint64_t number(int i)
{
	return arguments[0] && (i == 0 || arguments[1]) ? strtoull(arguments[i], NULL, 10) : 0;
}

static void sleep_ms(uint64_t ms)
{
	struct timespec nap = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };

	nanosleep(&nap, NULL);
}

static void live_once(uint64_t pairs)
{
	struct ct_coro c = { 0 };

	ct_create(&c, 0, CT_HERE, &c, NULL);
	emitted(0, 1);
	while (pairs--) {
		ct_resume(&c);
		ct_suspend(&c, CT_HERE, ct_fd(3));
		emitted(0, 2);
	}
}

static void quit(void) { exit((int)number(0)); }
static void quit_at_once(void) { _exit((int)number(0)); }

static void by_signal(void)
{
	signal((int)number(0), SIG_DFL);	/* not the sanitizer's */
	raise((int)number(0));
}

static void crash(void)
{
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	*(volatile char *)number(0) = 1;
}

static void exec_other(void)
{
	execvp(arguments[0], arguments);
	exit(98);
}

/* Killed between publishing an event (a resume; a destroy) and storing it in the station, after losses. */
static void die_behind(void)
{
	const char *path = getenv("CTP_SHM_PATH");
	int fd = open(path ? path : "", O_RDWR);
	struct ct_coro c = { 0 }, d = { 0 };
	struct ctp_event old[2];
	struct ctp_header h;
	off_t at[2];

	if (fd < 0 || pread(fd, &h, sizeof h, 0) != sizeof h)
		exit(96);
	ct_create(&c, 0, CT_HERE, &c, NULL);
	ct_create(&d, 0, CT_HERE, &d, NULL);
	emitted(0, 2);
	live_once(100000);
	at[0] = (off_t)(h.stations_off + (c.station - 1) * sizeof *old);
	at[1] = (off_t)(h.stations_off + (d.station - 1) * sizeof *old);
	if (pread(fd, &old[0], sizeof *old, at[0]) < 0 || pread(fd, &old[1], sizeof *old, at[1]) < 0)
		exit(96);
	sleep_ms(100);			/* until there is room in the ring */
	if (number(0))
		ct_destroy(&d, 1);
	else
		ct_resume(&c);
	emitted(0, 1);
	if (pwrite(fd, &old[0], sizeof *old, at[0]) < 0 || pwrite(fd, &old[1], sizeof *old, at[1]) < 0)
		exit(96);
	raise(SIGKILL);
}

/* The child lives on while the parent waits, or has gone. */
static void fork_child(void)
{
	struct ct_coro c = { 0 };
	pid_t pid;

	ct_create(&c, 0, CT_HERE, &c, NULL);
	emitted(0, 1);
	pid = fork();
	if (pid == 0) {
		ct_resume(&c);			/* the parent's coroutine: a copy, not told */
		live_once(1000);
		sleep_ms(300);			/* so that the recorder can look at whose child it is */
		_exit(0);
	}
	ct_destroy(&c, 1);
	emitted(0, 1);
	if (waitpid(pid, NULL, 0) != pid)
		exit(98);
}

static void orphan(void)
{
	if (fork())
		_exit(5);
	if (number(0))
		sleep_ms(number(0));
	live_once(1000);
	_exit(6);
}

static void close_all(void)
{
	int fd;

	for (fd = 0; fd < 1024; fd++)
		close(fd);
	for (fd = 0; fd < 20; fd++) {
		live_once(500);
		sleep_ms(1);
	}
	_exit(0);
}

/* Until a signal comes: exit status by which. Says `ready` on stdout. */
static void on_signal(int sig) { caught = sig; }

static void wait_signal(void)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGABRT, 34, 64 };
	sigset_t set, old;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof all / sizeof *all; i++) {
		signal(all[i], on_signal);
		sigaddset(&set, all[i]);
	}
	sigprocmask(SIG_BLOCK, &set, &old);
	puts("ready");
	fflush(stdout);
	while (!caught)
		sigsuspend(&old);
	live_once(1);
	exit(caught);
}

static uint64_t recorder_ticks(void)
{
	char path[64], text[1024] = "", *p;
	unsigned long user = 0, system = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/stat", (long)getppid());
	f = fopen(path, "r");
	if (!f || !fgets(text, sizeof text, f) || !(p = strrchr(text, ')')) ||
	    sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
		exit(96);
	fclose(f);
	return user + system;
}

/* Emit nothing for so many ms, and say how many ticks of processor time the recorder used meanwhile. */
static void idle(void)
{
	uint64_t before;

	sleep_ms(100);			/* until the recorder sleeps */
	before = recorder_ticks();
	sleep_ms(number(0));
	printf("%llu\n", (unsigned long long)(recorder_ticks() - before));
}

static void *dies_in_callback(void *unused)
{
	ct_thread(CT_WORKER, "dies");
	ct_callback(CT_HERE);			/* @dies */
	sleep_ms(150);
	return unused;
}

/* Short ones; a long one; one within another; one while nothing is recorded; one with which its thread
 * ends; and one in which the process does. */
static void callbacks(void)
{
	pthread_t thread;
	int i;

	ct_thread(CT_WORKER, NULL);
	for (i = 0; i < 20000; i++) {
		ct_callback(CT_HERE);
		ct_callback_end();
	}
	ct_callback(CT_HERE);			/* @long */
	sleep_ms(200);
	ct_callback_end();
	live_once(1);
	ct_callback(CT_HERE);
	ct_callback(CT_HERE);
	ct_callback_end();
	sleep_ms(150);
	ct_callback(CT_HERE);
	ct_stop();
	ct_callback_end();
	ct_start();
	sleep_ms(150);
	pthread_create(&thread, NULL, dies_in_callback, NULL);
	pthread_join(thread, NULL);
	sleep_ms(20);
	ct_callback(CT_HERE);			/* @exits */
	sleep_ms(100);
}

static void chatter(void)
{
	puts("to stdout");
	fflush(stdout);
	fputs("to stderr\n", stderr);
}

static void ancient(void)		/* a coroutine that has done nearly 2^32 things */
{
	struct ct_leg legs[] = { { ct_fd(3), CT_HERE, 0 }, { ct_fd(4), CT_HERE, 0 } };
	struct ct_coro c = { 0 };

	ct_create(&c, 0, CT_HERE, &c, NULL);
	c.n = UINT32_MAX - 2;
	for (int i = 0; i < 3; i++) {
		ct_resume(&c);
		ct_suspend_any(&c, CT_HERE, legs, 2);
	}
	emitted(0, 7);
}

static void everything(void)		/* every kind of event, and texts that need care */
{
	char long_text[5000];
	struct ct_coro c = { 0 }, d = { 0 };
	int i;

	memset(long_text, 'x', sizeof long_text);
	long_text[sizeof long_text - 1] = '\0';
	ct_thread(CT_WORKER, "worker \"1\"");
	ct_create(&c, 0, CT_HERE, (void *)0x1234, "a\tb\\c\"d\x01\x7f \xc3\xa9 \xff\xed\xa0\x80");
	ct_create(&d, c.id, CT_NOWHERE, (void *)0x5678, long_text);
	ct_resume(&c);
	ct_open(ct_fd(42), "client");
	ct_notify(ct_cond((void *)0xc0), 0);
	ct_level(ct_chan((void *)0xc1), 3);
	ct_acquire(ct_mutex((void *)0xc2));
	ct_release(ct_mutex((void *)0xc2));
	ct_waker_clone(d.id);
	ct_waker_drop(d.id);
	ct_wake(d.id, ct_sem((void *)0xc3));
	ct_close(ct_fd(42));
	ct_suspend(&c, CT_NOWHERE, ct_user("my \"words\""));
	for (i = 0; i < 8; i++) {
		const struct ct_on on[] = { ct_nothing(), ct_await(7), ct_timer(99), ct_join(8), ct_any(CT_ON_FD),
			ct_fd(-1), ct_sem((void *)~0ul), ct_any(CT_ON_USER) };

		ct_resume(&d);
		ct_suspend(&d, CT_NOWHERE, on[i]);
	}
	ct_park(0);
	ct_unpark(CT_DEPTH_UNKNOWN);
	ct_wake(c.id, ct_nothing());
	ct_destroy(&c, 1);
	ct_destroy(&d, 0);
}

int main(int argc, char *argv[])
{
	static const struct { const char *name; void (*run)(void); } ways[] = {
		{ "exit", quit }, { "_exit", quit_at_once },	/* STATUS */
		{ "signal", by_signal },		/* NUMBER */
		{ "crash", crash },			/* ADDRESS */
		{ "exec", exec_other },	/* PROGRAM ... */
		{ "fork", fork_child },
		{ "orphan", orphan },		/* MS that it waits first */
		{ "behind", die_behind },	/* 1 = by a destroy */
		{ "close", close_all }, { "wait", wait_signal },
		{ "idle", idle },		/* MS */
		{ "callbacks", callbacks },
		{ "chatter", chatter }, { "ancient", ancient },
		{ "everything", everything }
	};
	size_t i;

	if (argc < 3)
		return 99;
	arguments = argv + 3;
	count_open(argv[1]);
	if (!ct_init())
		return 97;
	if (strcmp(argv[2], "everything"))
		live_once(100);
	for (i = 0; i < sizeof ways / sizeof *ways; i++)
		if (!strcmp(argv[2], ways[i].name)) {
			ways[i].run();
			return 0;
		}
	return 99;
}
