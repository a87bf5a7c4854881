/* hist.c - a histogram with log buckets. Contracts in hist.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cttrace.h"
#include "fold/hist.h"

static unsigned octave_of(uint64_t v)
{
	return v < HIST_SUB ? 0 : 59 - (unsigned)__builtin_clzll(v);
}

static uint64_t octave_from(unsigned k)
{
	return k ? (uint64_t)HIST_SUB << (k - 1) : 0;
}

static uint64_t octave_count(const struct hist *h, unsigned k)
{
	uint64_t n = 0;

	for (unsigned i = 0; h->octave[k] && i < HIST_SUB; i++)
		n += h->octave[k][i];
	return n;
}

void hist_add(struct hist *h, uint64_t v)
{
	unsigned k = octave_of(v);

	if (!h->octave[k]) {
		h->octave[k] = need(calloc(HIST_SUB, sizeof(uint64_t)));
	}
	h->octave[k][(k ? v >> (k - 1) : v) & (HIST_SUB - 1)]++;
	h->count++;
	if (v > h->max)
		h->max = v;
}

uint64_t hist_quantile(const struct hist *h, double share)
{
	uint64_t rank = (uint64_t)(share * (double)h->count), seen = 0;

	rank += (double)rank < share * (double)h->count;	/* the nearest rank: rounded up */
	for (unsigned k = 0; k < HIST_OCTAVES; k++)
		for (unsigned i = 0; h->octave[k] && i < HIST_SUB; i++) {
			uint64_t width = k ? 1ull << (k - 1) : 1,
				 v = octave_from(k) + i * width + width / 2;

			seen += h->octave[k][i];
			if (seen >= rank && h->octave[k][i])
				return v < h->max ? v : h->max;
		}
	return h->max;
}

void hist_text(FILE *f, const struct hist *h)
{
	unsigned first = HIST_OCTAVES, last = 0;
	uint64_t most = 1;

	for (unsigned k = 0; k < HIST_OCTAVES; k++) {
		uint64_t n = octave_count(h, k);

		if (!n)
			continue;
		first = k < first ? k : first;
		last = k;
		most = n > most ? n : most;
	}
	for (unsigned k = first; k <= last; k++) {
		uint64_t n = octave_count(h, k);
		char from[24], to[24], bar[41];
		int len = (int)((double)n / (double)most * 40 + 0.5);

		for (int i = 0; i < 40; i++)
			bar[i] = i < len || (!i && n) ? '@' : ' ';
		bar[40] = '\0';
		fprintf(f, "  [%7s, %7s) %10" PRIu64 " |%s|\n",
			ctt_out_duration(from, octave_from(k)),
			ctt_out_duration(
				to, k + 1 < HIST_OCTAVES ? octave_from(k + 1) : UINT64_MAX),
			n, bar);
	}
}

void hist_json(FILE *f, const struct hist *h)
{
	const char *comma = "";

	fprintf(f,
		"{\"count\":%" PRIu64 ",\"p50\":%" PRIu64 ",\"p99\":%" PRIu64 ",\"max\":%" PRIu64
		",\"histogram\":[",
		h->count, hist_quantile(h, 0.5), hist_quantile(h, 0.99), h->max);
	for (unsigned k = 0; k < HIST_OCTAVES; k++) {
		uint64_t n = octave_count(h, k);

		if (!n)
			continue;
		fprintf(f, "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", comma, octave_from(k),
			k + 1 < HIST_OCTAVES ? octave_from(k + 1) : UINT64_MAX, n);
		comma = ",";
	}
	fputs("]}", f);
}

void hist_free(struct hist *h)
{
	for (unsigned k = 0; k < HIST_OCTAVES; k++)
		free(h->octave[k]);
}
