/* told.h - what a part under test has said to its world, in order: its stand-ins tell(), and is() holds that against what was expected, and
 * begins anew. */
#ifndef TOLD_H
#define TOLD_H
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char told[1 << 16];

static void tell(const char *format, ...)
{
	size_t n = strlen(told);
	va_list ap;

	va_start(ap, format);
	vsnprintf(told + n, sizeof told - n, format, ap);
	va_end(ap);
}

static bool is(const char *expected)
{
	bool same = !strcmp(told, expected);

	if (!same)
		printf("# told: %s\n# want: %s\n", told, expected);
	told[0] = '\0';
	return same;
}
#endif
