/* lines.c - lines of text with a look, and how they fit a terminal. */
#define _XOPEN_SOURCE 700	/* wcwidth */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "top.h"

enum { LINE_BYTES = 2000 };

/* How much of `s` are `most` bytes, without the character of UTF-8 that they would cut. */
static size_t text_bytes(const char *s, size_t most)
{
	size_t len = strnlen(s, most + 1), cut;

	if (len <= most)
		return len;
	cut = utf8_cut(s, most);
	return most - cut > 3 ? most : cut;	/* no character is that long: this is no UTF-8 */
}

void lines_add(struct lines *l, enum look look, const char *fmt, ...)
{
	char buf[LINE_BYTES];
	struct line *line;
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	len = (size_t)vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (len >= sizeof(buf))
		buf[text_bytes(buf, sizeof(buf) - 1)] = '\0';
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

/* The character at s: its bytes, and its columns as line_cut shows it: '?' where it does not print. */
static size_t character(const char *s, size_t left, int *columns)
{
	mbstate_t state = { 0 };
	wchar_t wide;
	size_t n = mbrtowc(&wide, s, left, &state);

	*columns = -1;
	if (n == 0 || n > left)	/* no character of this locale, or half of one */
		return 1;
	*columns = wcwidth(wide);
	return n;
}

/* How much of `s` fits into `cols` columns; and how many of them it takes, used may be NULL. */
static size_t fits(const char *s, size_t cols, size_t *used)
{
	size_t at = 0, sum = 0, left = strlen(s), n;
	int width;

	for (; left; at += n, left -= n) {
		n = character(s + at, left, &width);
		width = width < 0 ? 1 : width;
		if ((size_t)width > cols - sum)
			break;
		sum += (size_t)width;
	}
	if (used)
		*used = sum;
	return at;
}

size_t text_columns(const char *s)
{
	size_t used;

	fits(s, SIZE_MAX, &used);
	return used;
}

char *text_fit(char *buf, size_t size, const char *s, size_t cols)
{
	size_t len = text_bytes(s, size - 1), used;

	memcpy(buf, s, len);
	buf[len] = '\0';
	for (used = text_columns(buf); used < cols && len + 1 < size; used++)
		buf[len++] = ' ';
	buf[len] = '\0';
	return buf;
}

void lines_add_wrapped(struct lines *l, enum look look, const char *s, size_t cols)
{
	size_t indent = 0, end;

	while (cols > 20 && (end = fits(s, cols - indent, NULL)) < strlen(s)) {
		size_t room = end;

		while (end && s[end] != ' ')
			end--;
		if (end < room / 2)	/* no word ends in a good place: it will be cut */
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
	int width;

	for (; left && cols > 0 && used + 1 < size; s += n, left -= n) {
		n = character(s, left, &width);
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

const char *line_short(char *buf, size_t size, const char *s, size_t cols)
{
	static const char more[] = "...";

	if (!cols || text_columns(s) <= cols)
		return s;
	line_cut(buf, size - sizeof(more) + 1, s, (int)cols - (int)sizeof(more) + 1);
	return strcat(buf, more);
}
