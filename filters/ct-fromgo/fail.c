/* fail.c - what is wrong with a Go trace. Contracts in gotrace.h. */
#include <stdarg.h>
#include <stdio.h>

#include "gotrace.h"

bool go_fail(struct go_file *f, size_t at, const char *fmt, ...)
{
	va_list ap;

	if (*f->why)
		return false;
	va_start(ap, fmt);
	vsnprintf(f->why, sizeof(f->why), fmt, ap);
	va_end(ap);
	f->why_at = f->base + at;
	return false;
}
