/* complain.c - messages of ct-record. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "complain.h"

void complain(const char *fmt, ...)
{
	char line[1024] = "ct-record: ";
	size_t len;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + 11, sizeof line - 12, fmt, ap);
	va_end(ap);
	len = strlen(line);
	line[len++] = '\n';
	if (write(2, line, len) < 0)	/* in one piece: the target writes there too */
		return;
}

void *need(void *allocated)
{
	if (allocated)
		return allocated;
	complain("out of memory");
	exit(125);
}
