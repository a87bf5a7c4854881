/* plot-histogram.c - durations by class: below 8 ns one each, then eight classes an octave. Contracts in plot.h. */
#include "plot.h"

static size_t class_of(uint64_t ns)
{
	unsigned octave = 0;

	while (ns >> octave >= 16)
		octave++;
	return ns < 8 ? (size_t)ns : octave * 8 + (size_t)(ns >> octave);
}

/* The middle of a class. */
static uint64_t middle(size_t class)
{
	unsigned octave = class < 16 ? 0 : (unsigned)(class / 8 - 1);
	uint64_t low = (uint64_t)(class - octave * 8) << octave;

	return low + ((UINT64_C(1) << octave) - 1) / 2;
}

void histogram_add(struct histogram *h, uint64_t ns)
{
	h->count[class_of(ns)]++;
	h->n++;
	if (ns > h->max)
		h->max = ns;
}

uint64_t histogram_quantile(const struct histogram *h, double share)
{
	uint64_t rank = (uint64_t)(share * (double)h->n), below = 0;

	for (size_t i = 0; i < CLASSES; i++) {
		below += h->count[i];
		if (below > rank || (below && below == h->n))
			return middle(i) < h->max ? middle(i) : h->max;
	}
	return h->max;
}

void histogram_merge(struct histogram *to, const struct histogram *h)
{
	for (size_t i = 0; i < CLASSES && h->n; i++)
		to->count[i] += h->count[i];
	to->n += h->n;
	if (h->max > to->max)
		to->max = h->max;
}
