/* interrupt.c - Ctrl-C and the end of a terminal go to all programs of a pipe: the first ends its trace, and
 * those behind it say what they found. Contracts in interrupt.h. */
#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/interrupt.h"

static void pass_by(int number)
{
	(void)number;
}

static void let_pass(int number, int flags)
{
	struct sigaction was, pass = { .sa_handler = pass_by };

	pass.sa_flags = flags | SA_RESTART;
	if (!sigaction(number, NULL, &was) && was.sa_handler == SIG_DFL)
		sigaction(number, &pass, NULL);
}

void interrupt_outlive(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return;
	let_pass(SIGINT, (int)SA_RESETHAND);
	let_pass(SIGHUP, 0);		/* a shell sends it to its jobs, and the kernel once more */
}
