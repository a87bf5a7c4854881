/* messages.c - what is to be said on standard error. Contracts in snap.h and target.h. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(refuse_as ? refuse_as : status);
}
