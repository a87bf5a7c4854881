/* messages.c - what is to be said on standard error. Contracts in snap.h and target.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "snap.h"

const char *note_program;
bool note_quiet;
int refuse_as;

void note(const char *format, ...)
{
	va_list args;

	if (note_quiet)
		return;
	fprintf(stderr, "%s: ", note_program);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
}

/* Its last thread, too; or ends right now: its memory goes before it does. */
static bool has_ended(int pid)
{
	enum { WAIT_MS = 100 };
	struct pollfd p = { (int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0 };
	bool is_over = p.fd < 0 ? errno == ESRCH : poll(&p, 1, WAIT_MS) > 0;

	close(p.fd);
	return is_over;
}

void refuse(int status, const struct target *t, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "%s: ", note_program);
	if (t->name) {
		ctt_out_text(stderr, t->name, strlen(t->name));
		fputs(": ", stderr);
	}
	va_start(args, format);
	if (t->live && has_ended(t->pid))	/* whatever it was that could not be done */
		fputs("has ended", stderr);
	else
		vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(refuse_as ? refuse_as : status);
}
