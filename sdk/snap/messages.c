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

/* Paths in it are those of a process or a core, and may be anything that a terminal would obey. */
static void say(const char *format, va_list args)
{
	char text[8192], *line = text;

	vsnprintf(text, sizeof(text), format, args);
	for (char *end; (end = strchr(line, '\n')); line = end + 1) {
		ctt_out_text(stderr, line, (size_t)(end - line));
		fputc('\n', stderr);
	}
	ctt_out_text(stderr, line, strlen(line));
}

void note(const char *format, ...)
{
	va_list args;

	if (note_quiet)
		return;
	fprintf(stderr, "%s: ", note_program);
	va_start(args, format);
	say(format, args);
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
		say(format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(refuse_as ? refuse_as : status);
}
