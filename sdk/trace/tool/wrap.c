/* wrap.c - what is wider than the terminal goes on in the next row, under its own indentation.
 * Contract in output.h. */
#define _GNU_SOURCE	/* fopencookie */
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "tool/output.h"
#include "tool/terminal.h"

enum { FURTHER = 4 };

static struct { FILE *terminal; size_t width; struct buf line; } screen;

/* The bytes of the character at s; an escape sequence, which takes no column, is a part of it. */
static size_t character(const char *s, const char *end)
{
	size_t n = *s == '\033' ? 1 : ctt_utf8_length(s, end);

	if (*s != '\033')
		return n ? n : 1;
	while (s + n < end && s[n] != 'm')
		n++;
	return n + (s + n < end);
}

/* Where a row of so many columns ends: before a space, and never within a word. */
static const char *row_end(const char *s, const char *end, size_t width)
{
	const char *space = NULL;
	size_t used = 0;

	for (; s < end; s += character(s, end)) {
		if (*s == ' ' && used)
			space = s;
		used += *s != '\033';
		if (used > width && space)
			return space;
	}
	return end;
}

/* A line, with its newline if it has one. */
static void print_line(const char *s, size_t len)
{
	const char *end = s + len, *row = s;
	size_t indent = 0, width = screen.width;

	while (row < end && *row == ' ')
		row++;
	indent = (size_t)(row - s) + FURTHER;
	indent = indent > width / 2 ? width / 2 : indent;
	width -= (size_t)(row - s) < width ? (size_t)(row - s) : width;
	row = row_end(row, end, width);
	fwrite(s, 1, (size_t)(row - s), screen.terminal);
	while (row < end) {
		for (s = row; s < end && *s == ' '; s++)
			;
		row = row_end(s, end, screen.width - indent);
		fprintf(screen.terminal, "\n%*s", (int)indent, "");
		fwrite(s, 1, (size_t)(row - s), screen.terminal);
	}
}

static ssize_t write_lines(void *none, const char *s, size_t len)
{
	(void)none;
	for (size_t i = 0; i < len; i++) {
		buf_byte(&screen.line, s[i]);
		if (s[i] != '\n')
			continue;
		print_line(screen.line.p, screen.line.len);
		screen.line.len = 0;
	}
	return fflush(screen.terminal) ? 0 : (ssize_t)len;
}

static void print_rest(void)
{
	fflush(stdout);
	print_line(screen.line.p, screen.line.len);
	fflush(screen.terminal);
}

void output_wrap(void)
{
	FILE *f;

	if (!(screen.width = terminal_size().columns))
		return;
	f = need(fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_lines }));
	setvbuf(f, NULL, _IOLBF, 0);
	screen.terminal = stdout;
	stdout = f;
	atexit(print_rest);
}
