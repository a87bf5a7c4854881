/* interrupt.c - Ctrl-C and the end of a terminal go to all programs of a pipe: the first ends its trace, and
 * those behind it say what they found. Contracts in interrupt.h. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interrupt.h"

static void (*clean)(void);
static int bell[2];		/* the signal's number, to who cleans */

static void ring(int number)
{
	unsigned char n = (unsigned char)number;

	(void)!write(bell[1], &n, 1);
}

static struct sigaction next = { .sa_handler = SIG_DFL, .sa_flags = SA_RESTART };

static void pass_by(int number)
{
	if (number == SIGINT)
		sigaction(number, &next, NULL);
}

static void set(int number, const struct sigaction *to)
{
	struct sigaction was;

	if (!sigaction(number, NULL, &was) &&
		(was.sa_handler == SIG_DFL || was.sa_handler == ring))
		sigaction(number, to, NULL);
}

void interrupt_outlive(int fd)
{
	struct sigaction pass = { .sa_handler = pass_by, .sa_flags = SA_RESTART };
	struct stat st;

	if (fstat(fd, &st) || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return;
	set(SIGINT, &pass);
	set(SIGHUP, &pass);		/* a shell sends it to its jobs, and the kernel once more */
}

/* A thread, for hardly anything may be done in a handler. */
static void *wait_for_signal(void *none)
{
	struct sigaction dies = { .sa_handler = SIG_DFL };
	unsigned char n;

	(void)none;
	while (read(bell[0], &n, 1) != 1)
		;
	clean();
	sigaction(n, &dies, NULL);
	kill(getpid(), n);
	return NULL;
}

void interrupt_clean(void (*with)(void))
{
	sigset_t all, mask;
	pthread_t thread;
	int failed;

	clean = with;
	if (pipe(bell))
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	failed = pthread_create(&thread, NULL, wait_for_signal, NULL);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (failed)
		return;
	pthread_detach(thread);
	next.sa_handler = ring;
	set(SIGINT, &next);
	set(SIGHUP, &next);
	set(SIGTERM, &next);
}
