/* lanes.c - levels over time in a fixed number of cells, whose width doubles when time goes on.
 * html.h */
#include <stdlib.h>
#include <string.h>

#include "html.h"

enum { FIRST_SHIFT = 8 };	/* cells of 256 ns */

void lane_init(struct lane *l, uint32_t cells, uint32_t channels)
{
	*l = (struct lane){ .width = 1u << FIRST_SHIFT,
		.shift = FIRST_SHIFT,
		.cells = cells,
		.channels = channels,
		.cell = need(calloc(cells, channels * sizeof(struct cell))) };
}

static void merge(const struct lane *l, struct cell *to, const struct cell *a, const struct cell *b)
{
	for (uint32_t c = 0; c < l->channels; c++)
		to[c] = (struct cell){ a[c].net + b[c].net,
			a[c].area + (double)a[c].net * (double)l->width + b[c].area };
}

/* Twice the width; the cells move to the lower half, or to the upper one, where `down` makes room
 * before them. */
static void widen(struct lane *l, bool down)
{
	uint32_t half = l->cells / 2, n = l->channels, used = (l->used + 1) / 2;

	for (uint32_t i = 0; i < used; i++)
		merge(l, l->cell + (size_t)i * n, l->cell + (size_t)2 * i * n,
			l->cell + (size_t)(2 * i + 1) * n);
	memset(l->cell + (size_t)used * n, 0, (size_t)(l->used - used) * n * sizeof(*l->cell));
	l->used = used;
	if (down) {
		l->used = half + used;
		memcpy(l->cell + (size_t)half * n, l->cell, (size_t)half * n * sizeof(*l->cell));
		memset(l->cell, 0, (size_t)half * n * sizeof(*l->cell));
		l->base -= (int64_t)(l->width * l->cells);
	}
	l->width *= 2;
	l->shift++;
}

static void lane_shrink(struct lane *l, uint32_t cells)
{
	for (; l->cells > cells; l->cells /= 2)
		widen(l, false);
	l->cell = need(realloc(l->cell, (size_t)l->cells * l->channels * sizeof(*l->cell)));
}

/* The cell of a time that none has reached yet. */
static __attribute__((noinline)) uint64_t reach(struct lane *l, int64_t at)
{
	uint64_t i;

	while (at < l->base)
		widen(l, true);
	while ((uint64_t)(at - l->base) >> l->shift >= l->cells)
		widen(l, false);
	i = (uint64_t)(at - l->base) >> l->shift;
	if (i >= l->used)
		l->used = (uint32_t)i + 1;
	return i;
}

/* Most times are in one that was reached before. */
static inline struct cell *cell_at(struct lane *l, int64_t at, uint32_t channel)
{
	uint64_t i = (uint64_t)(at - l->base) >> l->shift;

	if (i >= l->used)
		i = reach(l, at);
	return &l->cell[i * l->channels + channel];
}

void lane_add(struct lane *l, int64_t at, uint32_t channel, int by)
{
	struct cell *c = cell_at(l, at, channel);
	uint64_t into = (uint64_t)(at - l->base) & (l->width - 1);

	c->net += by;
	c->area += by * (double)(l->width - into);
}

void lane_count(struct lane *l, int64_t at, uint32_t channel, uint64_t n)
{
	cell_at(l, at, channel)->net += (int64_t)(n > INT32_MAX ? INT32_MAX : n);
}

void lane_reach(struct lane *l, int64_t at)
{
	cell_at(l, at, 0);
}

uint32_t lane_used(const struct lane *l, int64_t end)
{
	uint64_t n = end > l->base ? ((uint64_t)(end - l->base) + l->width - 1) / l->width : 1;

	return n < 1 ? 1 : n < l->cells ? (uint32_t)n : l->cells;
}

void lane_levels(const struct lane *l, uint32_t channel, int64_t end, uint32_t n, float *out)
{
	int64_t level = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct cell *c = &l->cell[(size_t)i * l->channels + channel];
		int64_t from = l->base + (int64_t)(i * l->width);
		double width = end > from && end - from < (int64_t)l->width ? (double)(end - from) :
									      (double)l->width;
		double mean = (double)level +
			(c->area - (double)c->net * ((double)l->width - width)) / width;

		out[i] = mean > 0 ? (float)mean : 0;
		level += c->net;
	}
}

/* Cells for all lanes together are limited: the more threads, the fewer each. */
struct worker_lane *worker_lane(struct run *r, uint64_t tid)
{
	struct worker_lane *w = keyed_get(&r->workers, tid);
	size_t count = r->workers.count;
	unsigned halved = 0;

	if (w->met)
		return w;
	w->met = true;
	if (count > WORKER_LANES)
		return w;
	if (count > 4 && !((count - 1) & (count - 2)))
		for (size_t i = 0; i + 1 < count; i++) {
			struct worker_lane *other = r->workers.item[i];

			if (other->lane.cell)
				lane_shrink(&other->lane, other->lane.cells / 2);
		}
	for (size_t n = 4; n < count; n *= 2)
		halved++;
	lane_init(&w->lane, WORKER_CELLS / 4 >> r->coarse >> halved, 3);
	w->lane.width <<= halved;
	w->lane.shift += halved;
	return w;
}
