/* complain.c - messages of ct-record. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "complain.h"
#include "utf8.h"

/* Whoever made a file gave it its name: nothing of that gets to a terminal as it is. */
static size_t escape(char *to, const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + len;
	size_t n, at = 0;

	while (s < end) {
		n = utf8_length(s, (size_t)(end - s));
		if (n && !utf8_acts(s, n)) {
			memcpy(to + at, s, n);
			at += n;
			s += n;
			continue;
		}
		for (n = n ? n : 1; n; n--, at += 4)
			sprintf(to + at, "\\x%02x", *s++);
	}
	return at;
}

void complain(const char *fmt, ...)
{
	char text[1012], line[16 + 4 * sizeof text] = "ct-record: ";
	size_t len;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	len = 11 + escape(line + 11, text, strlen(text));
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
