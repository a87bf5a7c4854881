/* die.c - the end of a program that cannot go on. Contract in cttrace/options.h. */
#include <stdlib.h>
#include <string.h>

#include "cttrace.h"

void ctt_die(const char *program, const char *what, const char *why)
{
	fprintf(stderr, "%s: ", program);
	ctt_out_text(stderr, what, strlen(what));
	if (why) {
		fputs(": ", stderr);
		ctt_out_text(stderr, why, strlen(why));
	}
	fputc('\n', stderr);
	exit(2);
}
