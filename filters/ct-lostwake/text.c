/* text.c - findings as text for a terminal: few one by one, many by cause. Contracts in
 * lostwake.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lostwake.h"

/* A name of a template may have a thousand characters. */
enum { SITE_WIDTH = 200 };

bool text_by_cause(const struct ctt_causes *c, size_t top)
{
	return top && c->groups > top;
}

static size_t shown_of(size_t n, size_t top)
{
	return top && n > top ? top : n;
}

static void print_site(const char *before, const struct ctt_model *m, uint64_t site)
{
	char buf[SITE_WIDTH];

	if (site)
		printf("%s%s", before, ctt_model_site_text(buf, sizeof(buf), m, site));
}

static void print_what(const struct ctt_finding *f, size_t n, bool color)
{
	static const char *const colors[CTT_CERTAINTIES] = { "\033[1;31m", "\033[1;33m",
		"\033[1;36m", "\033[36m" };
	const char *what = f->cycle ? n == 1 ? "cycle" : "cycles" :
		n == 1              ? "coroutine" :
				      "coroutines";

	printf("%s%zu %s: %s (%s)%s", color ? colors[f->certainty] : "", n, what,
		ctt_verdict_name(f->verdict), ctt_certainty_name(f->certainty),
		color ? "\033[0m" : "");
}

static void print_story(struct ctt_judge *j, const char *indent, const struct ctt_finding *f,
	const struct text_style *style)
{
	fputs(indent, stdout);
	ctt_finding_story(stdout, j, f);
	putchar('\n');
	if (style->behind)
		ctt_finding_behind(stdout, j, f, "    ");
}

static void print_why(const struct ctt_finding *f)
{
	printf("\n  %s\n  to do: %s\n", f->because, ctt_finding_help(f));
}

static void print_group(struct ctt_judge *j, const struct ctt_finding *const *f, size_t n,
	const struct text_style *style)
{
	size_t shown = shown_of(n, style->top);

	print_what(f[0], n, style->color);
	print_site(": ", ctt_judge_model(j), f[0]->coro->site);
	print_why(f[0]);
	for (size_t i = 0; i < shown; i++)
		print_story(j, "  ", f[i], style);
	if (shown < n)
		printf("  ... and %zu more (--top=0)\n", n - shown);
	putchar('\n');
}

static void print_cause(
	struct ctt_judge *j, const struct ctt_cause *c, const struct text_style *style)
{
	const struct ctt_finding *f = c->group->finding[0];
	size_t shown = shown_of(c->groups, style->top), left = c->count;

	if (c->groups == 1) {
		print_group(j, c->group->finding, c->count, style);
		return;
	}
	print_what(f, c->count, style->color);
	printf(", at %zu suspension points", c->groups);
	if (f->cause.ts)
		print_site("; cause: ", ctt_judge_model(j), f->cause.site);
	print_why(f);
	print_story(j, "  such as ", f, style);
	for (size_t i = 0; i < shown; left -= c->group[i++].count) {
		f = c->group[i].finding[0];
		printf("  %zu at ", c->group[i].count);
		print_site("", ctt_judge_model(j), f->coro->site);
		fputs(f->coro->site ? "\n" : "a suspension point that is not known\n", stdout);
	}
	if (shown < c->groups)
		printf("  ... and %zu more at %zu further suspension points (--top=0)\n", left,
			c->groups - shown);
	putchar('\n');
}

static void print_causes(struct ctt_judge *j, const struct ctt_causes *c, size_t all,
	const struct text_style *style)
{
	size_t shown = shown_of(c->count, style->top), left = all;

	for (size_t i = 0; i < shown; left -= c->cause[i++].count)
		print_cause(j, &c->cause[i], style);
	if (left)
		printf("... and %zu more of %zu further causes (--top=0)\n\n", left,
			c->count - shown);
}

void text_print(struct ctt_judge *j, const struct ctt_finding *const *f, size_t count,
	const struct ctt_causes *causes, const struct text_style *style)
{
	if (text_by_cause(causes, style->top)) {
		print_causes(j, causes, count, style);
		return;
	}
	for (size_t i = 0, n; i < count; i += n) {
		for (n = 1; i + n < count && ctt_finding_same_group(f[i], f[i + n]); n++)
			;
		print_group(j, f + i, n, style);
	}
}

static int by_site(const void *a, const void *b)
{
	const struct ctt_coro *x = *(const struct ctt_coro *const *)a;
	const struct ctt_coro *y = *(const struct ctt_coro *const *)b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* "  2 at recv() src/main.rs:11, such as coroutine 3 on chan:1" */
static void print_doubted(const struct ctt_model *m, const struct ctt_coro *c, size_t n)
{
	char on[SITE_WIDTH];

	printf("  %zu at ", n);
	print_site("", m, c->site);
	fputs(c->site ? "" : "a suspension point that is not known", stdout);
	printf(n > 1 ? ", such as coroutine " : ", coroutine ");
	ctt_coro_text(stdout, c);
	if (ctt_waits(c)) {
		ctt_wait_text(on, sizeof(on), c);
		printf(" on ");
		ctt_out_text(stdout, on, strlen(on));
	}
	putchar('\n');
}

void text_doubt(struct ctt_judge *j, const char *doubt, size_t top)
{
	const struct ctt_coro *c, **who = NULL;
	const char *help = ctt_judge_doubt_help(j);
	size_t count = 0, room = 0, sites = 0;

	for (size_t at = 0; (c = ctt_judge_doubted(j, &at));)
		*ADD(who, count, room) = c;
	if (!count && !help)
		return;
	if (count)
		qsort(who, count, sizeof(*who), by_site);
	printf("%s\n", doubt);
	if (help)
		printf("  to do: %s\n", help);
	for (size_t i = 0, n; i < count; i += n) {
		for (n = 1; i + n < count && who[i + n]->site == who[i]->site; n++)
			;
		if (!top || sites < top)
			print_doubted(ctt_judge_model(j), who[i], n);
		sites++;
	}
	if (top && sites > top)
		printf("  ... and %zu more suspension points (--top=0)\n", sites - top);
	putchar('\n');
	free(who);
}
