/* target.c - start the target, pass signals on, learn how it ended. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "complain.h"
#include "event.h"
#include "options.h"
#include "region.h"
#include "signals.h"
#include "target.h"

int target_error;
bool (*target_spares)(pid_t);
volatile sig_atomic_t target_changed, target_asked, target_stop;
static volatile pid_t target;
static const struct region *region;

static bool is_passed_on(int sig)
{
	return sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGQUIT ||
		sig == SIGUSR1 || sig == SIGUSR2 || sig == SIGALRM || sig == SIGWINCH ||
		sig == SIGABRT || (sig >= SIGRTMIN && sig <= SIGRTMAX);
}

/* What the terminal's driver sends (SI_KERNEL) goes to the target's process group already; the end
 * of an alarm(2) that we were started with does not. Our own abort(3) (SI_TKILL) is none of its
 * business, a service manager's watchdog is. */
static void send_on(int sig, siginfo_t *info)
{
	if (sig == SIGABRT && info->si_code == SI_TKILL)
		return;
	if (info->si_code == SI_QUEUE)		/* with its value */
		syscall(SYS_rt_sigqueueinfo, target, sig, info);
	else if (info->si_code != SI_KERNEL || sig == SIGALRM)
		kill(target, sig);
}

/* Is it a zombie? Who waits for the trace's reader, as long as a buffer is full, buries nobody. */
static bool has_ended(void)
{
	siginfo_t end = { 0 };

	return waitid(P_PID, (id_t)target, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid;
}

/* A handler, not a signalfd: it must work while we are blocked in write(2) to a slow reader. Once
 * the target is gone, the signal is for us: the first ends the recording of its children, the
 * second us, whatever keeps the trace from being finished. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (target > 0 && !has_ended()) {
		target_asked |= sig == SIGTERM || sig == SIGINT || sig == SIGQUIT ||
			sig == SIGABRT;
		send_on(sig, info);
	} else if (sig == SIGWINCH) {
		;
	} else if (!target_stop) {
		target_stop = 1;
	} else {
		region_remove(region);
		signal(sig, SIG_DFL);
		raise(sig);
	}
	errno = saved;
}

static void child_changed(int sig)
{
	(void)sig;
	target_changed = 1;
}

/* --last has a use of its own for one. */
static bool is_caught(int sig)
{
	struct sigaction sa;

	return sigaction(sig, NULL, &sa) == 0 && sa.sa_handler != SIG_DFL &&
		sa.sa_handler != SIG_IGN;
}

static void handle_signals(void)
{
	struct sigaction sa;
	int sig;

	memset(&sa, 0, sizeof sa);
	sigemptyset(&sa.sa_mask);
	sa.sa_sigaction = pass_on;
	sa.sa_flags = SA_SIGINFO | SA_RESTART;
	for (sig = 1; sig <= SIGRTMAX; sig++)
		if (is_passed_on(sig) && !signal_spared(sig) && !is_caught(sig))
			sigaction(sig, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* Before there is a child: how one ended that was ignored is not known. What was set is the
 * target's. No signal comes until it is known whom to pass it to. */
static void expect_child(struct sigaction *was, sigset_t *mask)
{
	struct sigaction sa = { .sa_handler = child_changed, .sa_flags = SA_NOCLDSTOP };
	sigset_t all;

	sigaction(SIGCHLD, &sa, was);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, mask);
}

/* SIGCHLD comes only while ppoll waits: so that none is missed before it. */
static void let_signals_come(const sigset_t *mask)
{
	sigset_t but_child = *mask;

	sigaddset(&but_child, SIGCHLD);
	sigprocmask(SIG_SETMASK, &but_child, NULL);
}

/* What a service manager says of the process that it has started, as that the open descriptors are
 * its sockets (sd_listen_fds(3)), it means of the program. Room for its number is made before there
 * is one: behind fork() no more can be allocated. */
static const char *const of_us[] = { "LISTEN_PID", "WATCHDOG_PID", "SYSTEMD_EXEC_PID" };
enum { OF_US = sizeof of_us / sizeof *of_us, NUMBER = 12 };
static char *of_child[OF_US];

static bool pass_pid_on(void)
{
	int i;

	for (i = 0; i < OF_US; i++) {
		const char *pid = getenv(of_us[i]);

		if (!pid || strtol(pid, NULL, 10) != getpid())
			continue;
		if (setenv(of_us[i], "room for it ", 1))
			return false;
		of_child[i] = getenv(of_us[i]);
	}
	return true;
}

/* Between fork and exec: only what is safe there, for there is a second thread. */
static void child(const struct options *o, int out, int report, const struct sigaction *chld,
	const sigset_t *mask, void (*in_child)(void))
{
	int e, sig;

	for (sig = 1; sig <= SIGRTMAX; sig++)
		if (is_passed_on(sig) && !signal_spared(sig))
			signal(sig, SIG_DFL);
	for (e = 0; e < OF_US; e++)
		if (of_child[e])
			snprintf(of_child[e], NUMBER, "%ld", (long)getpid());
	sigaction(SIGCHLD, chld, NULL);
	in_child();
	sigprocmask(SIG_SETMASK, mask, NULL);
	dup2(out, 1);
	execvp(o->command[0], o->command);
	e = errno;
	if (write(report, &e, sizeof e) < 0)
		_exit(125);
	_exit(127);
}

/* fork and exec. The report pipe closes on exec; an errno comes through it when exec failed. */
pid_t target_start(const struct region *r, const struct options *o, void (*in_child)(void))
{
	int report[2], e = 0, out = 2;
	struct sigaction chld;
	char stations[16];
	sigset_t mask;
	pid_t pid;

	region = r;
	target_error = 125;
	if (o->target_stdout &&
		(out = open(o->target_stdout, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) <
			0) {
		complain("%s: %s", o->target_stdout, strerror(errno));
		return -1;
	}
	snprintf(stations, sizeof stations, "%u", r->v1_count);
	if (setenv(CTP_ENV_SHM, r->shm_path, 1) || setenv(CTP_ENV_SOCK, r->sock_path, 1) ||
	    setenv(CTP_ENV_STATIONS, stations, 1) || !pass_pid_on()) {
		complain("cannot set the program's environment: %s", strerror(errno));
		return -1;
	}
	expect_child(&chld, &mask);
	if (pipe2(report, O_CLOEXEC) < 0 || (pid = fork()) < 0) {
		complain("cannot start %s: %s", o->command[0], strerror(errno));
		let_signals_come(&mask);
		return -1;
	}
	if (pid == 0)
		child(o, out, report[1], &chld, &mask, in_child);
	target = pid;
	handle_signals();
	let_signals_come(&mask);
	close(report[1]);
	if (out != 2)
		close(out);
	while (read(report[0], &e, sizeof e) < 0 && errno == EINTR)
		;
	close(report[0]);
	if (e) {
		waitpid(pid, NULL, 0);
		target = 0;
		target_error = e == ENOENT || e == ENOTDIR ? 127 : 126;
		complain("%s: %s", o->command[0], strerror(e));
		return -1;
	}
	return pid;
}

/* The first process of a container is given whoever has lost its parent. */
static void reap_orphans(void)
{
	siginfo_t child = { 0 };

	while (waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0 && child.si_pid &&
		child.si_pid != target && !(target_spares && target_spares(child.si_pid))) {
		waitpid(child.si_pid, NULL, WNOHANG);
		child.si_pid = 0;
	}
}

bool target_ended(int *status)
{
	target_changed = 0;
	reap_orphans();
	if (target <= 0 || waitpid(target, status, WNOHANG) != target)
		return false;
	target = 0;
	return true;
}

pid_t target_pid(void)
{
	return target;
}
