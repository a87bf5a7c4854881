/* hist.c - the histogram behind quantiles (sdk/trace/fold/hist.c) against a sorted list. */
#include <stdlib.h>
#include <string.h>

#include "../fuzz/blocks.h"
#include "fold/hist.h"
#include "tap.h"

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Exact below 32, else within a 64th. */
static int is_near(uint64_t got, uint64_t want)
{
	uint64_t off = got > want ? got - want : want - got;

	return want < 32 ? off == 0 : off <= want / 64 + 1;
}

/* What is printed: from the first doubling that has any to the last; each once. */
static void prints(void (*print)(FILE *, const struct hist *), uint64_t low, uint64_t high, const char *expected)
{
	struct hist h = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	hist_add(&h, low);
	hist_add(&h, low);
	hist_add(&h, high);
	print(f, &h);
	fclose(f);
	if (!ok(!strcmp(text, expected), "%llu and %llu", (unsigned long long)low, (unsigned long long)high))
		printf("# %s\n", text);
	free(text);
	hist_free(&h);
}

int main(void)
{
	static const double shares[] = { 0, 0.001, 0.25, 0.5, 0.75, 0.9, 0.99, 1 };
	enum { N = 1000 };
	uint64_t values[N], state = 1;
	struct hist empty = { 0 };
	long before;

	ok(hist_quantile(&empty, 0.5) == 0, "of none: 0");
	before = blocks_out;
	for (unsigned bits = 1; bits <= 63; bits++) {
		struct hist h = { 0 };
		unsigned bad = 0;

		for (int i = 0; i < N; i++) {
			state = state * 6364136223846793005ull + 1442695040888963407ull;
			values[i] = state >> (64 - bits);
			hist_add(&h, values[i]);
		}
		qsort(values, N, sizeof *values, by_size);
		for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
			size_t rank = (size_t)(shares[i] * N);

			rank += (double)rank < shares[i] * N;
			bad += !is_near(hist_quantile(&h, shares[i]), values[rank ? rank - 1 : 0]);
		}
		bad += h.count != N || h.max != values[N - 1] || hist_quantile(&h, 1) > h.max;
		ok(!bad, "%u bits: %u wrong", bits, bad);
		hist_free(&h);
	}
	prints(hist_json, 0, 40, "{\"count\":3,\"p50\":0,\"p99\":40,\"max\":40,\"histogram\":[[0,32,2],[32,64,1]]}");
	prints(hist_json, 31, 1ull << 63, "{\"count\":3,\"p50\":31,\"p99\":9223372036854775808,\"max\":9223372036854775808,"
		"\"histogram\":[[0,32,2],[9223372036854775808,18446744073709551615,1]]}");
	prints(hist_json, 0, 1ull << 62, "{\"count\":3,\"p50\":0,\"p99\":4611686018427387904,\"max\":4611686018427387904,"
		"\"histogram\":[[0,32,2],[4611686018427387904,9223372036854775808,1]]}");
	prints(hist_text, 5, 64,
		"  [    0ns,    32ns)          2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"  [   32ns,    64ns)          0 |                                        |\n"
		"  [   64ns,   128ns)          1 |@@@@@@@@@@@@@@@@@@@@                    |\n");
	ok(blocks_out == before && !blocks_torn, "all that was allocated is given back, and nobody wrote behind it");
	return done_testing();
}
