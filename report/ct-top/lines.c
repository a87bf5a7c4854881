/* lines.c - lines of text with a look, and how they fit a terminal. */
#define _XOPEN_SOURCE 700	/* wcwidth */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/mem.h"
#include "top.h"

enum { LINE_BYTES = 2000 };

void lines_add(struct lines *l, enum look look, const char *fmt, ...)
{
	char buf[LINE_BYTES];
	struct line *line;
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	for (len = strlen(buf); len && buf[len - 1] == ' '; len--)
		;
	buf[len++] = '\0';
	line = *ADD(l->line, l->count, l->size) = need(malloc(sizeof(*line) + len));
	line->look = look;
	memcpy(line->text, buf, len);
}

void lines_clear(struct lines *l)
{
	while (l->count)
		free(l->line[--l->count]);
}

void lines_free(struct lines *l)
{
	lines_clear(l);
	free(l->line);
	*l = (struct lines){ 0 };
}

void lines_add_wrapped(struct lines *l, enum look look, const char *s, size_t cols)
{
	size_t indent = 0;

	while (strlen(s) > cols - indent && cols > 20) {
		size_t end = cols - indent;

		while (end && s[end] != ' ')
			end--;
		if (end < cols / 2)	/* no word ends in a good place: it will be cut */
			break;
		lines_add(l, look, "%*s%.*s", (int)indent, "", (int)end, s);
		s += end + 1;
		indent = 6;
	}
	lines_add(l, look, "%*s%s", (int)indent, "", s);
}

void line_cut(char *buf, size_t size, const char *s, int cols)
{
	size_t left = strlen(s), used = 0, n;
	mbstate_t state = { 0 };

	for (; left && cols > 0 && used + 1 < size; s += n, left -= n) {
		wchar_t wide;
		int width;

		n = mbrtowc(&wide, s, left, &state);
		if (n == 0 || n > left) {	/* no character of this locale, or half of one */
			state = (mbstate_t){ 0 };
			n = 1;
			width = -1;
		} else
			width = wcwidth(wide);
		if (width < 0) {
			buf[used++] = '?';
			cols--;
		} else if (width > 0 && width <= cols && used + n < size) {
			memcpy(buf + used, s, n);
			used += n;
			cols -= width;
		} else if (width > 0)
			break;
	}
	buf[used] = '\0';
}
