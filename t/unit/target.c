/* target.c - the program that is recorded (record/target.c): how it is started and with what, why it could not be, whom a signal is for, and
 * how it ended. This program is its own target; `target report` prints what it was given.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../record/complain.h"
#include "../../record/options.h"
#include "../../record/region.h"
#include "../../record/target.h"
#include "open-here.h"
#include "tap.h"
#include "told.h"

static bool no_pipe, no_fork, no_write, slow, asked_early;
static int interrupted;		/* so often a signal comes while it reads */
static const char *not_set;
static struct region box;

/* slow: its child has ended before it goes on; asked_early: a signal comes as soon as there is one. */
static pid_t fork_and(bool wait)
{
	pid_t pid = fork();

	if (pid > 0 && wait)
		waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	if (pid > 0 && asked_early)
		kill(getpid(), SIGTERM);
	return pid;
}

#define complain(...) (tell(__VA_ARGS__), tell("|"))
#define region_remove(r) tell((r) == &box ? "remove " : "remove? ")
#define raise(sig) tell("raise %d ", sig)
#define kill(pid, sig) (tell("pass %d ", sig), errno = ESRCH)
#define syscall(call, pid, sig, info) ((call) == SYS_rt_sigqueueinfo && (pid) == target ? tell("pass %d with %d ", sig, (info)->si_value.sival_int) : (void)0)
#define pipe2(ends, flags) (no_pipe ? errno = EMFILE, -1 : (pipe2)(ends, flags))
#define fork() (no_fork ? errno = EAGAIN, -1 : fork_and(slow))
#define setenv(name, value, over) (not_set && !strcmp(name, not_set) ? errno = ENOMEM, -1 : (setenv)(name, value, over))
#define read(fd, p, n) (interrupted ? interrupted--, errno = EINTR, -1 : (read)(fd, p, n))
#define write(fd, p, n) (no_write ? -1 : (write)(fd, p, n))
#include "../../record/target.c"
#undef write
#undef read
#undef raise
#undef kill
#undef syscall
#undef complain

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGABRT, 34, 64, SIGXFSZ, SIGPIPE, SIGCHLD };
static char *self[] = { "/proc/self/exe", "report", NULL };
static struct region box = { .v1_count = 17, .shm_path = "its memory", .sock_path = "its socket" };
static char text[4096];

/* In the target: defaults and blocked signals, descriptors, environment. */
static int report(void)
{
	sigset_t mask;

	if (getenv("STAYS"))
		raise(SIGSTOP);
	printf("%s %s %s ", getenv(CTP_ENV_SHM), getenv(CTP_ENV_SOCK), getenv(CTP_ENV_STATIONS));
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction sa;

		sigaction(signals[i], NULL, &sa);
		printf("%c%s", sa.sa_handler == SIG_DFL ? 'd' : sa.sa_handler == SIG_IGN ? 'i' : 'h', sigismember(&mask, signals[i]) ? "b" : "");
	}
	for (int fd = 3; fd < 100; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf(" %d", fd);
	printf(" %s", getenv("IN_CHILD"));
	fflush(stdout);
	return 7;
}

static void in_child(void)
{
	(setenv)("IN_CHILD", "its hands", 1);
	if (asked_early)
		(setenv)("STAYS", "until it is let go on", 1);
}

static void put_all(void (*handler)(int))
{
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], handler);
	sigprocmask(SIG_SETMASK, &(sigset_t){ 0 }, NULL);
}

static int ended(void)
{
	int status = -1;

	if (!target_pid())
		return -1;

	while (!target_ended(&status))
		ppoll(NULL, 0, NULL, &(sigset_t){ 0 });
	return status;
}

static const char *written(int fd)
{
	ssize_t n = pread(fd, text, sizeof text - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* Standard error, which is the target's output unless it has a file. */
static int caught, aside;
static void catch(void)
{
	caught = memfd_create("err", MFD_CLOEXEC);
	aside = fcntl(2, F_DUPFD_CLOEXEC, 0);
	dup2(caught, 2);
}

static const char *came(void)
{
	dup2(aside, 2);
	close(aside);
	written(caught);
	close(caught);
	return text;
}

static void started(void)
{
	struct options o = { .command = self };
	int status, before = open_here();
	pid_t pid;

	put_all(SIG_DFL);
	catch();
	pid = target_start(&box, &o, in_child);
	ok(pid > 0 && target_pid() == pid && is("") && target_error == 125, "started");
	status = ended();
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 7 && !target_changed && !target_pid(), "ended");
	ok(!strcmp(came(), "its memory its socket 17 dddddddddddddd its hands") && open_here() == before, "with signals and descriptors as they were");
	ok(!target_ended(&status), "once");
}

static void spared_signals(void)
{
	struct options o = { .command = self };
	struct sigaction sa;
	sigset_t mask;

	put_all(SIG_IGN);
	catch();
	slow = true;
	ok(target_start(&box, &o, in_child) > 0, "started by one that ignores signals");
	slow = false;
	ok(target_changed == 0 && waitid(P_PID, (id_t)target_pid(), &(siginfo_t){ 0 }, WEXITED | WNOWAIT) == 0 && WEXITSTATUS(ended()) == 7,
		"how a target ended is known even so, however quickly it does");
	ok(!strcmp(came(), "its memory its socket 17 diidiiiiiiiiii its hands"), "what the target ignored, but for the keyboard's");
	sigaction(SIGHUP, NULL, &sa);
	ok(sa.sa_handler == SIG_IGN, "nor we");
	put_all(SIG_DFL);
	catch();
	target_start(&box, &o, in_child);
	for (size_t i = 0; i < 11; i++) {
		sigaction(signals[i], NULL, &sa);
		ok(sa.sa_sigaction == pass_on && (sa.sa_flags & ~0x04000000) == (SA_SIGINFO | SA_RESTART) && sigisemptyset(&sa.sa_mask),
			"signal %d is passed on", signals[i]);
	}
	sigaction(SIGCHLD, NULL, &sa);
	ok(sa.sa_handler == child_changed && (sa.sa_flags & SA_NOCLDSTOP) && !(sa.sa_flags & SA_SIGINFO), "a child that changes is seen");
	sigaction(SIGPIPE, NULL, &sa);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	ok(sa.sa_handler == SIG_IGN && sigismember(&mask, SIGCHLD) == 1 && !sigismember(&mask, SIGTERM) && !sigismember(&mask, SIGUSR1), "a reader that is gone kills nobody; no end is missed");
	ended();
	came();
	target_changed = 0;
	child_changed(SIGCHLD);
	ok(target_changed == 1 && !target_ended(&(int){ 0 }) && !target_changed, "and looked for, once");
}

static pid_t ours, others[3];
static bool is_ours(pid_t pid)
{
	return pid == ours;
}

/* As whom the kernel gives to the first process of a container. */
static void orphans(void)
{
	struct options o = { .command = self };
	siginfo_t left = { 0 };

	put_all(SIG_DFL);
	catch();
	target_start(&box, &o, in_child);
	for (int i = 0; i < 3; i++) {
		if ((others[i] = (fork)()) == 0)
			_exit(9);
		waitid(P_PID, (id_t)others[i], &left, WEXITED | WNOWAIT);
	}
	target_spares = is_ours;
	ours = others[1];
	ok(WEXITSTATUS(ended()) == 7, "how the target ended");
	target_ended(&(int){ 0 });
	ok(waitpid(others[0], NULL, WNOHANG) < 0 && waitpid(ours, NULL, WNOHANG) == ours, "buried until one comes that is to be asked");
	target_ended(&(int){ 0 });
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "then the rest");
	target_spares = NULL;
	came();
}

static void asked_at_once(void)
{
	struct options o = { .command = self };

	put_all(SIG_DFL);
	catch();
	asked_early = true;
	ok(target_start(&box, &o, in_child) > 0 && is("pass 15 ") && target_asked, "a signal that comes as soon as there is a program is passed on to it");
	asked_early = false;
	waitid(P_PID, (id_t)target_pid(), &(siginfo_t){ 0 }, WSTOPPED);
	kill(target_pid(), SIGCONT);
	ended();
	ok(!strcmp(came(), "its memory its socket 17 dddddddddddddd its hands"), "which had it not held back");
	target_asked = 0;
	is("");
}

static void to_file(void)
{
	struct options o = { .command = self, .target_stdout = "target.out" };
	int before, fd;

	fd = open(o.target_stdout, O_WRONLY | O_CREAT, 0600);
	if (write(fd, "old", 3) != 3)
		exit(99);
	close(fd);
	before = open_here();
	catch();
	ok(target_start(&box, &o, in_child) > 0, "started with a file for its output");
	ended();
	ok(!*came() && open_here() == before, "nothing on our standard error");
	fd = open(o.target_stdout, O_RDONLY);
	ok(!strncmp(written(fd), "its memory its", 14), "it is there");
	close(fd);
	unlink(o.target_stdout);
	o.target_stdout = "/nonexistent/out";
	ok(target_start(&box, &o, in_child) == -1 && is("/nonexistent/out: No such file or directory|") && target_error == 125, "one that cannot be");
}

static void not_started(void)
{
	char own[24];
	static const struct { char *command; int error; const char *said; } none[] = {
		{ "/nonexistent/program", 127, "/nonexistent/program: No such file or directory|" },
		{ "/dev/null/program", 127, "/dev/null/program: Not a directory|" },
		{ "/dev", 126, "/dev: Permission denied|" },
	};
	char *argv[] = { NULL, NULL };
	struct options o = { .command = argv };
	int before = open_here();
	sigset_t mask;

	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		argv[0] = none[i].command;
		ok(target_start(&box, &o, in_child) == -1 && target_error == none[i].error && is(none[i].said) && !target_pid(), "%s", argv[0]);
		ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD && open_here() == before, "and nothing is left of it");
	}
	o.command = self;
	snprintf(own, sizeof own, "%ld", (long)getpid());
	(setenv)("WATCHDOG_PID", own, 1);
	for (int i = 0; i < 4; i++) {
		not_set = i == 0 ? CTP_ENV_SHM : i == 1 ? CTP_ENV_SOCK : i == 2 ? CTP_ENV_STATIONS : "WATCHDOG_PID";
		ok(target_start(&box, &o, in_child) == -1 && target_error == 125 && is("cannot set the program's environment: Cannot allocate memory|"), "no room");
	}
	not_set = NULL;
	no_pipe = true;
	ok(target_start(&box, &o, in_child) == -1 && target_error == 125 && is("cannot start /proc/self/exe: Too many open files|"), "no descriptor");
	no_pipe = false;
	no_fork = true;
	ok(target_start(&box, &o, in_child) == -1 && target_error == 125 && is("cannot start /proc/self/exe: Resource temporarily unavailable|"), "no process");
	ok(sigprocmask(SIG_SETMASK, NULL, &mask) == 0 && !sigismember(&mask, SIGTERM), "signals come again");
	no_fork = false;
	argv[0] = none[0].command;
	o.command = argv;
	interrupted = 2;
	ok(target_start(&box, &o, in_child) == -1 && target_error == 127 && is(none[0].said) && !interrupted, "a signal meanwhile changes nothing");
	no_write = true;
	ok(target_start(&box, &o, in_child) > 0 && WEXITSTATUS(ended()) == 125, "nor a pipe that could say why");
	no_write = false;
	is("");
}

static void passed_to(void)
{
	siginfo_t by_user = { .si_code = SI_USER }, by_terminal = { .si_code = SI_KERNEL },
		  by_us = { .si_code = SI_TKILL },
		  with_value = { .si_code = SI_QUEUE, .si_value = { .sival_int = 5 } };
	struct sigaction sa;
	int status;

	target = 1;
	pass_on(SIGHUP, &by_user, NULL);
	ok(is("pass 1 ") && !target_asked, "a signal that asks for no end");
	errno = 77;
	pass_on(SIGTERM, &by_user, NULL);	/* kill() fails here */
	ok(errno == 77 && is("pass 15 ") && !target_stop && target_asked, "to the target, while there is one");
	pass_on(SIGINT, &by_terminal, NULL);
	ok(is("") && !target_stop, "which has the terminal's already");
	ok(!target_ended(&status) && target == 1, "one that is not our child has not ended");
	pass_on(SIGWINCH, &by_terminal, NULL);
	ok(is(""), "as the news of its size");
	pass_on(SIGALRM, &by_terminal, NULL);
	ok(is("pass 14 "), "not an alarm that we were started with");
	pass_on(SIGRTMAX, &with_value, NULL);
	ok(is("pass 64 with 5 "), "its value with it");
	target_asked = 0;
	pass_on(SIGABRT, &by_user, NULL);
	ok(is("pass 6 ") && target_asked, "what a watchdog sends");
	pass_on(SIGABRT, &by_us, NULL);
	ok(is(""), "not our own abort()");
	/* who has ended, and is not buried while we wait for the trace's reader */
	target = (fork)();
	if (target == 0)
		_exit(0);
	waitid(P_PID, (id_t)target, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	target_asked = 0;
	pass_on(SIGWINCH, &by_user, NULL);
	ok(is("") && !target_stop, "a size ends nothing");
	pass_on(SIGTERM, &by_terminal, NULL);
	ok(is("") && target_stop == 1, "then to us: the first stops");
	signal(SIGTERM, SIG_IGN);
	pass_on(SIGTERM, &by_user, NULL);
	sigaction(SIGTERM, NULL, &sa);
	ok(is("remove raise 15 ") && sa.sa_handler == SIG_DFL, "the second ends us");
	ok(!target_asked && target_ended(&status) && !target, "and whoever buries the target finds it");
	pass_on(SIGTERM, &by_user, NULL);
	ok(is("remove raise 15 "), "nor is it passed to one that is buried");
}

int main(int argc, char *argv[])
{
	(void)argv;
	alarm(100);
	if (argc > 1)
		return report();
	for (int fd = 3; fd < 100; fd++)
		close(fd);
	started();
	passed_to();
	spared_signals();
	orphans();
	asked_at_once();
	to_file();
	not_started();
	return done_testing();
}
