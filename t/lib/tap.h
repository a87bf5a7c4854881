/* tap.h - TAP for the C tests: ok(condition, "what holds"), then return done_testing(). */
#ifndef TAP_H
#define TAP_H
#include <stdio.h>
#include <stdarg.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 4, 5), unused))
static int tap_ok(int good, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", good ? "" : "not ", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	if (!good)
		printf("# %s:%d\n", file, line);
	tap_failed += !good;
	fflush(stdout);
	return good;
}
#define ok(good, ...) tap_ok(!!(good), __FILE__, __LINE__, __VA_ARGS__)

__attribute__((unused))
static int done_testing(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}
#endif
