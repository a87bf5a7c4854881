/* interrupt.c - Ctrl-C goes to all programs of a pipe: the first ends its trace, and those behind it
 * say what they found. Contracts in interrupt.h. */
#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/interrupt.h"

static void pass_by(int number)
{
	(void)number;
}

void interrupt_outlive(int fd)
{
	struct sigaction was, once = { .sa_handler = pass_by };
	struct stat st;

	once.sa_flags = (int)SA_RESETHAND | SA_RESTART;
	if (!fstat(fd, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) &&
		!sigaction(SIGINT, NULL, &was) && was.sa_handler == SIG_DFL)
		sigaction(SIGINT, &once, NULL);
}
