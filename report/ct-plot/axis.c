/* axis.c - time in buckets that double their width when they are used up. Contracts in plot.h. */
#include <string.h>

#include "plot.h"

bool axis_fits(struct axis *a, uint64_t ts)
{
	if (!a->width) {
		a->start = a->from ? a->from : ts;
		a->width = a->from && a->to != UINT64_MAX ?
			(a->to - a->from + BUCKETS - 1) / BUCKETS :
			1;
		a->width += !a->width;
		a->end = a->start;
	}
	ts = ts < a->to ? ts : a->to;
	if (ts > a->end)
		a->end = ts;
	return a->end - a->start < a->width * BUCKETS || a->width > UINT64_MAX / BUCKETS / 4;
}

bool axis_bucket(const struct axis *a, uint64_t ts, size_t *bucket)
{
	if (!a->width || ts < a->from || ts > a->to)
		return false;
	*bucket = ts > a->start ? (ts - a->start) / a->width : 0;
	if (*bucket >= BUCKETS)		/* `to` itself */
		*bucket = BUCKETS - 1;
	return true;
}

size_t axis_used(const struct axis *a)
{
	size_t n = a->width ? (a->end - a->start + a->width - 1) / a->width : 0;

	return n > BUCKETS ? BUCKETS : n + !n;
}

void area_add(const struct axis *a, struct area *area, uint64_t from, uint64_t to)
{
	uint64_t start = a->start > a->from ? a->start : a->from;
	size_t b, e;

	from = from > start ? from : start;
	to = to < a->to ? to : a->to;
	if (to <= from || !axis_bucket(a, from, &b) || !axis_bucket(a, to, &e))
		return;
	if (b == e) {
		area->part[b] += (double)(to - from);
		return;
	}
	area->part[b] += (double)(a->start + (b + 1) * a->width - from);
	area->part[e] += (double)(to - a->start - e * a->width);
	area->step[b + 1]++;
	area->step[e]--;
}

void area_halve(struct area *area, uint64_t width)
{
	int64_t whole = 0;

	for (size_t i = 0; i < BUCKETS; i++) {
		double v = area->part[i] + (double)(whole += area->step[i]) * (double)width;

		if (i % 2)
			area->part[i / 2] += v;
		else
			area->part[i / 2] = v;
	}
	memset(area->part + BUCKETS / 2, 0, sizeof(area->part) / 2);
	memset(area->step, 0, sizeof(area->step));
}

void area_means(const struct axis *a, const struct area *area, double mean[BUCKETS])
{
	size_t used = axis_used(a);
	int64_t whole = 0;

	for (size_t i = 0; i < used; i++) {
		double v = area->part[i] + (double)(whole += area->step[i]) * (double)a->width;
		uint64_t begin = a->start + i * a->width,
			 covered = i + 1 < used ? a->width : a->end - begin;

		mean[i] = covered ? v / (double)covered : 0;
	}
}

void counts_halve(uint64_t counts[BUCKETS])
{
	for (size_t i = 0; i < BUCKETS; i++)
		counts[i / 2] = i % 2 ? counts[i / 2] + counts[i] : counts[i];
	memset(counts + BUCKETS / 2, 0, BUCKETS / 2 * sizeof(*counts));
}
