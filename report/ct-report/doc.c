/* doc.c - Markdown and plain text. Contracts in doc.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "doc.h"
#include "report.h"

enum { LONGEST = 300, LONGEST_LINE = 2000 };

/* `s` as ctt_out_text has it, cut at a character's end; terminated. */
static char *harmless(const char *s, size_t longest)
{
	char *text = NULL;
	size_t len = strlen(s), cut = len;
	FILE *f;

	if (len > longest)
		cut = utf8_cut(s, longest);
	f = need(open_memstream(&text, &len));
	ctt_out_text(f, s, cut);
	if (cut < strlen(s))
		fputs("...", f);
	if (fclose(f) || !text)
		need(NULL);
	return keep(text);
}

static size_t longest_run(const char *s, char c)
{
	size_t best = 0, n = 0;

	for (; *s; s++) {
		n = *s == c ? n + 1 : 0;
		best = n > best ? n : best;
	}
	return best;
}

static void repeat(FILE *f, char c, size_t n)
{
	while (n--)
		putc(c, f);
}

/* A code span ends at as many backticks as began it; in a table, GitHub looks for the bars
 * first. */
char *doc_code(const struct doc *d, const char *s)
{
	char *text = NULL, *clean = harmless(s, LONGEST);
	size_t len, ticks = longest_run(clean, '`') + 1;
	FILE *f;

	if (!d->markdown)
		return clean;
	f = need(open_memstream(&text, &len));
	repeat(f, '`', ticks);
	fputs(ticks > 1 || !*clean ? " " : "", f);
	for (const char *p = clean; *p; p++)
		if (*p == '|')
			fputs("\\x7c", f);
		else
			putc(*p, f);
	fputs(ticks > 1 || !*clean ? " " : "", f);
	repeat(f, '`', ticks);
	if (fclose(f) || !text)
		need(NULL);
	return keep(text);
}

void doc_heading(const struct doc *d, int level, const char *text)
{
	if (d->markdown) {
		repeat(d->f, '#', (size_t)(level + d->level));
		fprintf(d->f, " %s\n\n", text);
		return;
	}
	fprintf(d->f, "%s%s%s\n", d->color ? "\033[1m" : "", text, d->color ? "\033[0m" : "");
	if (level + d->level < 3) {
		repeat(d->f, level + d->level == 1 ? '=' : '-', strlen(text));
		putc('\n', d->f);
	}
	putc('\n', d->f);
}

void doc_strong(const struct doc *d, const char *text)
{
	const char *on = d->markdown ? "**" :
		d->color             ? "\033[1m" :
				       "",
		   *off = !d->markdown && d->color ? "\033[0m" : on;

	fprintf(d->f, "%s%s%s\n\n", on, text, off);
}

void doc_para(const struct doc *d, const char *text)
{
	fprintf(d->f, "%s\n\n", text);
}

void doc_item(const struct doc *d, const char *text)
{
	fprintf(d->f, "- %s\n", text);
}

void doc_end_items(const struct doc *d)
{
	putc('\n', d->f);
}

void doc_block(const struct doc *d, char *const *lines, size_t n)
{
	size_t ticks = 3;

	for (size_t i = 0; i < n; i++)
		if (longest_run(lines[i], '`') >= ticks)
			ticks = longest_run(lines[i], '`') + 1;
	if (d->markdown) {
		repeat(d->f, '`', ticks);
		fputs("text\n", d->f);
	}
	for (size_t i = 0; i < n; i++)
		fprintf(d->f, "%s%s\n", d->markdown ? "" : "  ", harmless(lines[i], LONGEST_LINE));
	if (d->markdown)
		repeat(d->f, '`', ticks);
	fputs(d->markdown ? "\n\n" : "\n", d->f);
}

/* Characters shown, not bytes; near enough for names that are no wider than they are long. */
static size_t width_of(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static bool to_the_right(const char *head)
{
	return *head && head[strlen(head) - 1] == '>';
}

static void text_row(
	const struct doc *d, char *const *heads, char *const *row, size_t cols, const size_t *width)
{
	fputs(" ", d->f);
	for (size_t c = 0; c < cols; c++) {
		bool right = to_the_right(heads[c]);
		int bytes = (int)strlen(row[c]) - (row == heads && right);
		size_t pad = width[c] + (size_t)(row == heads && right) - width_of(row[c]);

		fprintf(d->f, " %*s%.*s", right ? (int)pad : 0, "", bytes, row[c]);
		if (c + 1 < cols)
			fprintf(d->f, "%*s ", right ? 0 : (int)pad, "");
	}
	putc('\n', d->f);
}

static void text_table(const struct doc *d, char *const *cells, size_t cols, size_t rows)
{
	size_t *width = need(calloc(cols, sizeof(*width)));

	for (size_t i = 0; i < cols * rows; i++) {
		size_t w = width_of(cells[i]) - (i < cols && to_the_right(cells[i]));

		width[i % cols] = w > width[i % cols] ? w : width[i % cols];
	}
	for (size_t r = 0; r < rows; r++) {
		bool blank = !r;

		for (size_t c = 0; c < cols; c++)
			blank &= !*cells[c];
		if (!blank)
			text_row(d, cells, cells + r * cols, cols, width);
	}
	putc('\n', d->f);
	free(width);
}

void doc_table(const struct doc *d, char *const *cells, size_t cols, size_t rows)
{
	if (!d->markdown) {
		text_table(d, cells, cols, rows);
		return;
	}
	for (size_t i = 0; i < cols * rows; i++) {
		int bytes = (int)strlen(cells[i]) - (i < cols && to_the_right(cells[i]));

		fprintf(d->f, "%s %.*s%s", i % cols ? "" : "|", bytes, cells[i],
			i % cols + 1 == cols ? " |\n" : " |");
		if (i + 1 == cols)
			for (size_t c = 0; c < cols; c++)
				fprintf(d->f, "%s%s", to_the_right(cells[c]) ? "|--:" : "|---",
					c + 1 == cols ? "|\n" : "");
	}
	putc('\n', d->f);
}
