/* causes.c - findings in groups, and the groups by what they have in common: their cause. Contracts
 * in cttrace/judge.h. */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static const struct ctt_finding *first_of(const struct ctt_cause_group *g)
{
	return g->finding[0];
}

/* Verdict, certainty and reason, and where the cause stands in the source. */
static int by_cause(const struct ctt_cause_group *x, const struct ctt_cause_group *y)
{
	const struct ctt_finding *a = first_of(x), *b = first_of(y);
	int order = compare(a->certainty, b->certainty);

	order = order ? order : compare(a->verdict, b->verdict);
	order = order ? order : strcmp(a->because, b->because);
	return order ? order : compare(a->cause.site, b->cause.site);
}

static int by_cause_and_size(const void *x, const void *y)
{
	const struct ctt_cause_group *a = x, *b = y;
	int order = by_cause(a, b);

	order = order ? order : compare(b->count, a->count);
	return order ? order : compare(first_of(a)->coro->site, first_of(b)->coro->site);
}

static int by_weight(const void *x, const void *y)
{
	const struct ctt_cause *a = x, *b = y;
	int order = compare(first_of(a->group)->certainty, first_of(b->group)->certainty);

	order = order ? order : compare(b->count, a->count);
	return order ? order : by_cause(a->group, b->group);
}

static int by_value(const void *x, const void *y)
{
	return compare(*(const uint64_t *)x, *(const uint64_t *)y);
}

static size_t count_sites(const struct ctt_causes *c)
{
	uint64_t *site = need(malloc((c->groups + 1) * sizeof(*site)));
	size_t n = 0;

	for (size_t i = 0; i < c->groups; i++)
		site[i] = first_of(&c->group[i])->coro->site;
	if (c->groups)
		qsort(site, c->groups, sizeof(*site), by_value);
	for (size_t i = 0; i < c->groups; i++)
		n += !i || site[i] != site[i - 1];
	free(site);
	return n;
}

void ctt_causes_find(
	struct ctt_causes *c, const struct ctt_finding *const *finding, size_t count)
{
	memset(c, 0, sizeof(*c));
	c->group = need(calloc(count + 1, sizeof(*c->group)));
	c->cause = need(calloc(count + 1, sizeof(*c->cause)));
	for (size_t i = 0; i < count; i++) {
		if (!i || !ctt_finding_same_group(finding[i], finding[i - 1]))
			c->group[c->groups++].finding = finding + i;
		c->group[c->groups - 1].count++;
	}
	if (!c->groups)
		return;
	qsort(c->group, c->groups, sizeof(*c->group), by_cause_and_size);
	for (size_t i = 0; i < c->groups; i++) {
		if (!i || by_cause(&c->group[i], &c->group[i - 1]))
			c->cause[c->count++].group = &c->group[i];
		c->cause[c->count - 1].groups++;
		c->cause[c->count - 1].count += c->group[i].count;
	}
	qsort(c->cause, c->count, sizeof(*c->cause), by_weight);
	c->sites = count_sites(c);
}

void ctt_causes_free(struct ctt_causes *c)
{
	free(c->group);
	free(c->cause);
}
