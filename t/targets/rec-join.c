/* rec-join - children at odd borders that record: rec-join COUNTFILE WAY [CHILDREN] (the table at the end). Each child, and
 * this process before them, emits the same; those it waits for end before it does. */
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "rec.h"

enum { PAIRS = 50 };
static unsigned children = 3;
static struct ct_coro parents;

static void live_once(void)
{
	struct ct_coro c = { 0 };
	int i;

	ct_create(&c, 0, CT_HERE, &c, NULL);
	emitted(0, 1);
	for (i = 0; i < PAIRS; i++) {
		ct_resume(&c);
		ct_suspend(&c, CT_HERE, ct_fd(3));
		emitted(0, 2);
	}
	ct_destroy(&c, 1);
	emitted(0, 1);
}

static void sleep_ms(long ms)
{
	struct timespec nap = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&nap, NULL);
}

/* In a child: its own life, beside calls for a coroutine that is its parent's. */
static void child(void)
{
	ct_resume(&parents);
	live_once();
	ct_suspend(&parents, CT_HERE, ct_nothing());
	ct_wake(parents.id, ct_nothing());
	live_once();
	_exit(0);
}

static void in_children(pid_t (*make)(void))
{
	unsigned i;

	for (i = 0; i < children; i++) {
		pid_t pid = make();

		if (pid == 0)
			child();
		if (pid < 0)
			exit(96);
	}
	while (wait(NULL) > 0)
		;
}

static void by_fork(void) { in_children(fork); }

static pid_t raw_clone(void) { return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }
static void by_clone(void) { in_children(raw_clone); }

static void *lives(void *arg)
{
	for (int i = 0; i < 20; i++)
		live_once();
	return arg;
}

/* The child ends as the thread does of which it is a copy, without a word; then that thread and a new one write. */
static void *returns(void *arg)
{
	pthread_t other;
	pid_t pid;

	live_once();
	pid = raw_clone();
	if (pid == 0)
		return arg;
	waitpid(pid, NULL, 0);
	sleep_ms(20);
	if (pthread_create(&other, NULL, lives, NULL))
		exit(98);
	lives(NULL);
	pthread_join(other, NULL);
	return arg;
}

static void by_returns(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, returns, NULL))
		exit(98);
	pthread_join(t, NULL);
}

/* It has our memory, and is the first to write in its thread; then that thread does. */
static void *beside_vfork(void *arg)
{
	pid_t pid = vfork();

	if (pid == 0) {
		live_once();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	live_once();
	return arg;
}

static void by_vfork(void)
{
	unsigned i;
	pthread_t t;

	for (i = 0; i < children; i++) {
		if (pthread_create(&t, NULL, beside_vfork, NULL))
			exit(98);
		pthread_join(t, NULL);
		ct_resume(&parents);
		ct_suspend(&parents, CT_HERE, ct_nothing());
		emitted(0, 2);
	}
}

static void other_user(void)
{
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
		exit(77);
	in_children(fork);
}

/* They write when this process has ended, and could not connect. */
static void late(void)
{
	unsigned i;

	if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
		exit(77);
	for (i = 0; i < children; i++)
		if (fork() == 0) {
			sleep_ms(1500);
			child();
		}
}

static void other_root(void)
{
	if (chroot("."))
		exit(77);
	in_children(fork);
}

/* Children of a process that is the first of another pid namespace, and has another root. */
static void inside(pid_t (*make)(void))
{
	pid_t pid;

	if (chroot(".") || unshare(CLONE_NEWPID) || (pid = make()) < 0)
		exit(77);
	if (pid == 0) {
		in_children(make);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}
static void inside_by_fork(void) { inside(fork); }
static void inside_by_clone(void) { inside(raw_clone); }

static void use_descriptors(void)
{
	struct rlimit files = { 64, 64 };

	setrlimit(RLIMIT_NOFILE, &files);
	while (dup(0) >= 0)
		;
}

/* A session of its own each: neither parent nor group are of another namespace. */
static pid_t clone_session(void)
{
	pid_t pid = raw_clone();

	if (pid == 0)
		setsid();
	return pid;
}

static void inside_session(void)
{
	pid_t pid;

	if (unshare(CLONE_NEWPID) || (pid = raw_clone()) < 0)
		exit(77);
	if (pid == 0) {
		use_descriptors();
		in_children(clone_session);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void no_descriptors(void)
{
	use_descriptors();
	in_children(fork);
}

/* What daemons do: the connection is gone while it writes on, after its parent's end. */
static void *close_all(void *arg)
{
	int fd, i;

	for (fd = 0; fd < 1024; fd++)
		close(fd);
	for (i = 0; i < 15; i++) {
		live_once();
		sleep_ms(100);
	}
	_exit(0);
	return arg;
}

static void daemon_begin(void)
{
	if (fork())
		_exit(5);
	setsid();
	live_once();
}

static void daemonize(void)
{
	daemon_begin();
	close_all(NULL);
}

/* One whose main thread has ended: before that, as glibc's pthread_exit() aborts where libgcc's descriptor is closed while
 * it loads that. */
static pthread_t main_thread;
static void *after_main(void *arg)
{
	pthread_join(main_thread, NULL);
	return close_all(arg);
}

static void daemonize_threads(void)
{
	pthread_t t;

	daemon_begin();
	main_thread = pthread_self();
	if (pthread_create(&t, NULL, after_main, NULL))
		exit(98);
	pthread_exit(NULL);
}

/* One of which /proc shows nobody what it has mapped. */
static void daemonize_hidden(void)
{
	daemon_begin();
	prctl(PR_SET_DUMPABLE, 0);
	close_all(NULL);
}

/* Becomes itself, so often. */
static const char *count_file;
static void execute(void)
{
	char left[12];

	if (!children)
		return;
	snprintf(left, sizeof left, "%u", children - 1);
	execl("/proc/self/exe", "rec-join", count_file, "exec", left, (char *)NULL);
	exit(95);
}

/* All at once, while the recorder stands still. */
static void crowd(void)
{
	pid_t recorder = getppid();

	kill(recorder, SIGSTOP);
	if (fork() == 0) {
		sleep_ms(1000);
		kill(recorder, SIGCONT);
		_exit(0);
	}
	in_children(fork);
}

/* It wakes one that nobody runs, and ends; what it made by a raw clone goes on for a while. */
static void held(void)
{
	struct ct_coro c = { 0 };
	pid_t pid = fork();

	ct_thread(CT_WORKER, "worker");
	if (pid == 0) {
		ct_create(&c, 0, CT_HERE, &c, NULL);
		ct_resume(&c);
		ct_suspend(&c, CT_HERE, ct_fd(3));
		ct_wake(c.id, ct_fd(3));
		emitted(0, 4);
	}
	ct_park(0);
	emitted(0, 1);
	if (pid == 0) {
		if (raw_clone() == 0)
			sleep_ms(2000);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	sleep_ms(500);
}

/* A child that is made while another thread attaches attaches for itself. */
static void *attaching(void *arg)
{
	ct_init();
	return arg;
}

static void while_attaching(void)
{
	pthread_t t;
	pid_t pid;

	if (pthread_create(&t, NULL, attaching, NULL))
		exit(98);
	sched_yield();
	pid = fork();
	if (pid == 0) {
		ct_init();
		live_once();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	pthread_join(t, NULL);
}

/* A probe in a signal handler, in a thread's destructors, at exit, and in a child that a signal handler made. */
static pthread_key_t key;
static void at_exit(void) { live_once(); }
static void at_thread_end(void *arg) { (void)arg; live_once(); }
static void *with_key(void *arg) { pthread_setspecific(key, arg); live_once(); return NULL; }

static void on_signal(int sig)
{
	(void)sig;
	live_once();
	if (fork() == 0)
		child();
}

static void odd_moments(void)
{
	pthread_t t;

	pthread_key_create(&key, at_thread_end);
	if (pthread_create(&t, NULL, with_key, &key))
		exit(98);
	pthread_join(t, NULL);
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	while (wait(NULL) > 0)
		;
	atexit(at_exit);
	exit(0);
}

int main(int argc, char *argv[])
{
	static const struct { const char *name; void (*run)(void); } ways[] = {
		{ "fork", by_fork },
		{ "returns", by_returns },
		{ "clone", by_clone },			/* without the C library's knowledge */
		{ "vfork", by_vfork },
		{ "user", other_user }, { "root", other_root },	/* exit status 77: it may not */
		{ "late", late },
		{ "inside", inside_by_fork }, { "inside-clone", inside_by_clone },	/* likewise */
		{ "inside-session", inside_session },
		{ "descriptors", no_descriptors },
		{ "daemon", daemonize }, { "daemon-threads", daemonize_threads }, { "daemon-hidden", daemonize_hidden },
		{ "exec", execute },
		{ "crowd", crowd },
		{ "held", held },
		{ "attaching", while_attaching },
		{ "moments", odd_moments },
	};
	size_t i;

	if (argc < 3)
		return 99;
	children = (unsigned)arg_number(argc, argv, 3, children);
	count_open(count_file = argv[1]);
	if (!strcmp(argv[2], "exec"))
		sleep_ms(2);		/* the recorder looks */
	if (strcmp(argv[2], "attaching")) {
		if (!ct_init())
			return 97;
		ct_create(&parents, 0, CT_HERE, &parents, NULL);
		emitted(0, 1);
		live_once();
	}
	for (i = 0; i < sizeof ways / sizeof *ways; i++)
		if (!strcmp(argv[2], ways[i].name)) {
			ways[i].run();
			return 0;
		}
	return 99;
}
