/* growth.c - do the live coroutines of a spawn site only ever grow in number? Contracts in
 * lint.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lint.h"

#define FIRST_WIDTH 1000000ull	/* 1 ms; what lives shorter than a run of 16 of these is no leak */
enum { FEWEST_STEPS = 6 };

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Windows twice as long, half as many. */
static void widen(struct growth *g)
{
	g->width *= 2;
	for (size_t i = 0; i < g->count; i++) {
		struct grower *s = &g->grower[i];

		for (unsigned w = 0; w <= s->at; w += 2)
			s->least[w / 2] =
				w < s->at ? lesser(s->least[w], s->least[w + 1]) : s->least[w];
		s->first /= 2;
		s->at /= 2;
		s->created /= 2;
	}
}

/* Time has come to ts: whatever was alive stayed so through the windows between. */
static void come_to(struct growth *g, struct grower *s, uint64_t ts)
{
	uint64_t window;

	while ((window = ts > g->start ? (ts - g->start) / g->width : 0) >= GROWTH_WINDOWS)
		widen(g);
	while (s->at < window)
		s->least[++s->at] = s->live;
}

static struct grower *find(struct growth *g, uint64_t site)
{
	size_t at = (size_t)hash_find(&g->at, site);

	return at ? &g->grower[at - 1] : NULL;
}

static struct grower *add(struct growth *g, const struct ctt_event *ev)
{
	struct grower *s;

	if (!g->width) {
		g->width = FIRST_WIDTH;
		g->start = ev->ts;
	}
	s = ADD(g->grower, g->count, g->size);
	memset(s, 0, sizeof(*s));
	hash_add(&g->at, ev->site, (void *)g->count);
	s->site = ev->site;
	come_to(g, s, ev->ts);
	s->first = s->at;
	return s;
}

void growth_create(struct growth *g, const struct ctt_event *ev)
{
	struct grower *s = find(g, ev->site);

	if (!s)
		s = add(g, ev);
	come_to(g, s, ev->ts);
	s->live++;
	s->created = s->at;
	s->line = ev->line;
	s->probe_id = ev->probe_id;
}

void growth_end(struct growth *g, uint64_t site, uint64_t ts)
{
	struct grower *s = find(g, site);

	if (!s || !s->live)
		return;
	come_to(g, s, ts);
	s->live--;
	s->ended++;
	s->least[s->at] = lesser(s->least[s->at], s->live);
}

bool growth_grew(
	struct growth *g, struct grower *s, uint64_t now, uint64_t least_rise, uint64_t *from)
{
	unsigned rises = 0, steps;

	come_to(g, s, now);
	steps = s->created - s->first;
	/* Created during a start-up and kept: no growth. So creating must have gone on for half of
	 * the time. */
	if (steps < FEWEST_STEPS || 2 * steps < s->at - s->first)
		return false;
	*from = s->least[s->first];
	for (unsigned w = s->first; w < s->at; w++) {
		if (s->least[w + 1] < s->least[w])
			return false;
		rises += w < s->created && s->least[w + 1] > s->least[w];
	}
	return 4 * rises >= 3 * steps && s->live >= *from && s->live - *from >= least_rise;
}

void growth_free(struct growth *g)
{
	free(g->grower);
	hash_free(&g->at);
}
