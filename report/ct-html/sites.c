/* sites.c - how long coroutines wait, stand in queues and run, by site, and who wakes them there.
 * html.h */
#include <stdlib.h>

#include "html.h"

static unsigned step_of(uint64_t ns)
{
	unsigned octave = 63 - (unsigned)__builtin_clzll(ns | 1);
	unsigned step = octave < 2 ?
		(unsigned)ns :
		4 * (octave - 1) + (unsigned)(ns >> (octave - 2) & 3);

	return step < STEPS ? step : STEPS - 1;
}

/* The first value behind a step. */
static uint64_t edge_of(unsigned step)
{
	if (step < 4)
		return step + 1;
	return (uint64_t)(4 + step % 4 + 1) << (step / 4 - 1);
}

void spread_add(struct spread *s, uint64_t ns, uint64_t at, uint64_t id)
{
	s->step[step_of(ns)]++;
	s->count++;
	s->sum += ns;
	if (ns >= s->max) {
		s->max = ns;
		s->max_at = at;
		s->max_id = id;
	}
}

uint64_t spread_quantile(const struct spread *s, unsigned permille)
{
	uint64_t rank = s->count * permille / 1000, seen = 0;

	for (unsigned i = 0; i < STEPS; i++) {
		seen += s->step[i];
		if (seen > rank)
			return i == STEPS - 1 || edge_of(i) > s->max ? s->max : edge_of(i);
	}
	return s->max;
}

/* The frequent ones among many in a few counters (Misra and Gries, 1982): counts are lower
 * bounds. */
void site_wake(struct site *p, uint64_t site, uint64_t tid, uint64_t by)
{
	int free_one = -1;

	p->wakes++;
	for (int i = 0; i < WAKERS; i++) {
		if (p->waker[i].count && p->waker[i].site == site && p->waker[i].tid == tid) {
			p->waker[i].count++;
			p->waker[i].by = by;
			return;
		}
		if (!p->waker[i].count)
			free_one = i;
	}
	if (free_one >= 0) {
		p->waker[free_one].site = site;
		p->waker[free_one].tid = tid;
		p->waker[free_one].by = by;
		p->waker[free_one].count = 1;
		return;
	}
	for (int i = 0; i < WAKERS; i++)
		p->waker[i].count--;
}

/* The charts of many sites are coarse, as those of many runs. */
struct lane *site_lane(const struct run *r, struct site *p)
{
	if (!p->lane.cell)
		lane_init(&p->lane, SITE_CELLS >> (p->index < FINE_SITES ? r->coarse : COARSE), 1);
	return &p->lane;
}
