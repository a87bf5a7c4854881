/* guard.c - probes that are taken out again. Contracts in guard.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach.h"
#include "base/mem.h"
#include "guard.h"

static struct guard { pid_t pid; int life, report; } *guard;
static size_t guards, room;

/* Nobody's terminal, group or pipe reaches it: it ends when `life` does. */
static void stand_alone(void)
{
	static const int ignored[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2
	};
	int null = open("/dev/null", O_RDWR);

	setsid();
	prctl(PR_SET_NAME, "uprobe-guard");
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
}

/* Until `life` ends. */
static void keep(int life, int report)
{
	struct pollfd p[] = { { life, POLLIN, 0 }, { attach_written(), POLLIN, 0 } };
	size_t file;

	while (!p[0].revents && (poll(p, 2, -1) >= 0 || errno == EINTR))
		if (detach_written(&file) && write(report, &file, sizeof(file)) < 0)
			return;
}

static void stand(int (*put)(void *), void *arg, int life, int report)
{
	int result;

	stand_alone();
	result = put(arg);
	if (write(report, &result, sizeof(result)) < 0)
		result = EPIPE;
	if (!result)
		keep(life, report);
	detach_all();
	_exit(0);
}

int guard_put(int (*put)(void *), void *arg)
{
	int life[2], report[2], result;
	pid_t pid;

	if (pipe2(life, O_CLOEXEC) || pipe2(report, O_CLOEXEC) || (pid = fork()) < 0)
		return errno;
	if (!pid) {
		close(life[1]);
		for (size_t i = 0; i < guards; i++)
			close(guard[i].life);
		stand(put, arg, life[0], report[1]);
	}
	close(life[0]);
	close(report[1]);
	if (read(report[0], &result, sizeof(result)) != (ssize_t)sizeof(result))
		result = ECHILD;
	if (result) {
		close(report[0]);
		close(life[1]);
		waitpid(pid, NULL, 0);
		return result;
	}
	fcntl(report[0], F_SETFL, O_NONBLOCK);
	*ADD(guard, guards, room) = (struct guard){ pid, life[1], report[0] };
	return 0;
}

bool guard_took_out(size_t *file)
{
	for (size_t i = 0; i < guards; i++)
		if (read(guard[i].report, file, sizeof(*file)) == (ssize_t)sizeof(*file))
			return true;
	return false;
}

bool guard_lives(void)
{
	for (size_t i = 0; i < guards; i++)
		if (waitpid(guard[i].pid, NULL, WNOHANG))
			return false;
	return true;
}

/* Within so many ms? */
static bool ends(pid_t pid, int wait_ms)
{
	struct pollfd p = { (int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0 };

	while (p.fd >= 0 && !p.revents && poll(&p, 1, wait_ms) < 0 && errno == EINTR)
		;
	close(p.fd);
	return waitpid(pid, NULL, WNOHANG);
}

pid_t guard_end(void)
{
	enum { WAIT_MS = 2000 };
	pid_t left = 0;

	for (size_t i = 0; i < guards; i++) {
		close(guard[i].life);
		close(guard[i].report);
	}
	for (size_t i = 0; i < guards; i++)
		if (!ends(guard[i].pid, left ? 0 : WAIT_MS))
			left = guard[i].pid;
	guards = 0;
	free(guard);
	guard = NULL;
	room = 0;
	return left;
}
