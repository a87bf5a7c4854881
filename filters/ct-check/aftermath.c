/* aftermath.c - what a check of a probe leaves is taken away, however this program ends: by a process
 * that waits for that. Contracts in probe.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"

static int to = -1;
static pid_t watcher;

/* The last group that is not over; 0: none. The pipe ends when nobody has its other end any more. */
static pid_t last_group(int from)
{
	pid_t group = 0, next;
	ssize_t n;

	while ((n = read(from, &next, sizeof next)) == sizeof next || (n < 0 && errno == EINTR))
		group = n > 0 ? next : group;
	return group;
}

_Noreturn static void watch(int from, void (*clean)(void))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	pid_t group;

	setpgid(0, 0);		/* where nobody means it */
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_IGN);
	/* who reads our output is not to wait for this one */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		close(fd);
	if ((group = last_group(from)) > 0)
		kill(-group, SIGKILL);
	clean();
	_exit(0);
}

void aftermath_begin(void (*clean)(void))
{
	int ends[2];

	if (pipe(ends) || (watcher = fork()) < 0)
		ctt_die("ct-check", "cannot start a process", strerror(errno));
	if (!watcher) {
		close(ends[1]);
		watch(ends[0], clean);
	}
	close(ends[0]);
	to = ends[1];
	fcntl(to, F_SETFD, FD_CLOEXEC);
}

void aftermath_group(pid_t group)
{
	while (write(to, &group, sizeof group) < 0 && errno == EINTR)
		;
}

void aftermath_end(void)
{
	close(to);
	while (waitpid(watcher, NULL, 0) < 0 && errno == EINTR)
		;
}
