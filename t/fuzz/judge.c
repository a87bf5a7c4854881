/* judge.c - the model and the judge on traces made at random of few coroutines, threads and objects, so that events meet: nothing crashes,
 * and what must not change a verdict does not: to ask in between, other numbers for the coroutines, another beginning of time, a
 * sync line anywhere, the other parser.
 *
 *	judge [ROUNDS [SEED]]	half as many of lines at random, and three times as many of what could be: prints TAP, and of each verdict how many
 *		there were, and a digest of their JSON and text
 *	judge -d [ROUNDS [SEED]]	the digests alone
 *	judge --random|--world ROUND [SEED [COUNT]]	the trace of that round and so many more, for ct-lostwake
 */
#include <sys/mman.h>

#include "blocks.h"
#include "judged.h"
#include "tap.h"
#include "world.h"

enum { CORO_MAX = 10, RANDOM_OBJECTS = 10 };

/* ---- a story: mostly one that could be ---- */

static struct { uint64_t n, us; int alive; int waits; } coro[CORO_MAX + 1];

static struct line *add(const char *ev, uint64_t us)
{
	struct line *l = &lines[line_count];

	*l = (struct line){ .ev = ev, .us = us, .tid = 11 + draw(3), .object = -1, .site = (int)draw(4) };
	line_count += line_count + 1 < FEW_LINES;
	return l;
}

static int any_object(void)
{
	return one_in(4) ? (int)(AWAITED + draw(2 * CORO_MAX)) : (int)draw(RANDOM_OBJECTS);
}

static void own_line(const char *ev, uint64_t id, uint64_t us)
{
	struct line *l = add(ev, us);

	if (us < coro[id].us && !one_in(20))	/* as nobody writes it */
		l->us = coro[id].us;
	coro[id].us = l->us;
	l->id = id;
	l->n = ++coro[id].n + (one_in(60) ? draw(3) : 0);
	if (*ev == 'c')
		l->by = one_in(3) ? draw(CORO_MAX + 1) : 0;
	if (*ev == 's' && !one_in(8))
		coro[id].waits = l->object = any_object();
	l->flag = one_in(2);
}

static void step(uint64_t us)
{
	static const char *const things[] = { "open", "close", "notify", "level", "acquire", "release" };
	uint64_t id = 1 + draw(CORO_MAX);
	struct line *l;

	switch (draw(8)) {
	case 0: case 1: case 2:
		own_line(!coro[id].alive ? "create" : coro[id].alive == 1 ? "resume" : one_in(6) ? "destroy" : "suspend", id, us);
		coro[id].alive = coro[id].alive == 1 ? 2 : 1;
		if (one_in(100))
			coro[id].alive = (int)draw(3);
		break;
	case 3:
		l = add("wake", us);
		l->id = id;
		l->by = draw(CORO_MAX + 1);
		l->object = one_in(3) ? any_object() : coro[id].waits ? coro[id].waits : -1;
		break;
	case 4: case 5:
		l = add(things[draw(6)], us);
		l->by = coro[id].alive == 2 ? id : draw(CORO_MAX + 1);
		l->object = one_in(3) && coro[id].waits > 0 ? coro[id].waits : any_object();
		if (strstr("acquire release", l->ev) && !one_in(4))
			l->object = 2 + (int)draw(2);
		l->value = draw(3);
		break;
	case 6:
		l = add(one_in(2) ? "park" : "unpark", us);
		l->value = draw(3);
		break;
	default:
		l = add("waker", us);
		l->id = id;
		l->by = draw(CORO_MAX + 1);
		l->flag = one_in(2);
	}
}

/* Lines at random, of what might be one. */
static void random_lines(void)
{
	uint64_t us = 1000, steps = 10 + draw(FEW_LINES - 30), wakers = one_in(2), lossy = one_in(3);

	line_count = odd_lines = 0;
	runs = 1;
	meta = NULL;
	memset(coro, 0, sizeof coro);
	for (uint64_t i = 0; i < steps; i++) {
		us += one_in(3) ? 0 : one_in(20) ? draw(2000000) : draw(20);
		step(one_in(50) && us > 2000 ? us - draw(1000) : us);
		if (!wakers && !strcmp(lines[line_count - 1].ev, "waker"))
			line_count--;
		if (lossy && one_in(60)) {
			struct line *l = add("lost", us);

			l->value = draw(50);
		}
	}
	for (uint64_t id = 1, all = draw(4); id <= CORO_MAX; id++)
		if (coro[id].alive == 2 && all) {
			us += draw(5);
			own_line(one_in(4) ? "destroy" : "suspend", id, us);
		}
	if (!one_in(8))
		add("end", us + (one_in(2) ? draw(5000000) : 0));
}

/* ---- judging ---- */

static const struct { const char *what; struct how how; } variants[] = {
	{ "asked in between, every fifth line", { .ask = true, .id_times = 1 } },
	{ "other numbers for its coroutines", { .id_times = 3, .id_plus = 1000 } },
	{ "an hour later", { .id_times = 1, .later_us = 3600000000 } },
	{ "sync lines between", { .id_times = 1, .sync = true } },
	{ "read by the complete parser", { .id_times = 1, .spaced = true } },
};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* What all stories of one sort came to. */
static struct tally {
	unsigned long found[CTT_VERDICTS][CTT_CERTAINTIES], differ[VARIANTS], variants;
	uint64_t digest[CTT_VERDICTS][CTT_CERTAINTIES], live, doubts;
	long leaked;
} tally;

static void judge(int fd, const struct how *h, struct outcome *o)
{
	long before = blocks_out;

	print_story(fd, h);
	judge_file(fd, h->ask, o);
	for (size_t i = 0; i < o->count; i++)
		if (o->at[i].id)
			o->at[i].id = (o->at[i].id - h->id_plus) / h->id_times;
	tally.leaked += blocks_out - before;
}

static int by_all(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(((struct outcome *)0)->at[0]));
}

/* Their order may follow the numbers. */
static bool same(struct outcome *a, struct outcome *b)
{
	qsort(a->at, a->count, sizeof a->at[0], by_all);
	qsort(b->at, b->count, sizeof b->at[0], by_all);
	return a->count == b->count && a->live == b->live && !memcmp(a->at, b->at, sizeof a->at);
}

static void print_outcome(const char *what, const struct outcome *o)
{
	printf("# %s: %zu live,", what, o->live);
	for (size_t i = 0; i < o->count; i++)
		printf(" %" PRIu64 " %s %s,", o->at[i].id, ctt_verdict_name((enum ctt_verdict)o->at[i].verdict),
			ctt_certainty_name((enum ctt_certainty)o->at[i].certainty));
	printf("\n");
}

static void vary(int fd, unsigned long round, const char *sort, struct outcome *first)
{
	struct outcome other;

	tally.variants++;
	for (int v = 0; v < VARIANTS; v++) {
		judge(fd, &variants[v].how, &other);
		if (same(first, &other) || ++tally.differ[v] > 1)
			continue;
		printf("# %s %lu, %s:\n", sort, round, variants[v].what);
		print_outcome("as it is", first);
		print_outcome("changed", &other);
	}
}

static void one(int fd, unsigned long round, const char *sort, unsigned long vary_each)
{
	static const struct how plain = { .id_times = 1 };
	struct outcome first;

	judge(fd, &plain, &first);
	for (size_t k = 0; k < first.count; k++) {
		uint64_t *d = &tally.digest[first.at[k].verdict][first.at[k].certainty];

		tally.found[first.at[k].verdict][first.at[k].certainty]++;
		*d = *d * 31 + first.digest[k];
	}
	tally.live += first.live;
	tally.doubts = tally.doubts * 31 + first.doubt;
	if (vary_each && round % vary_each == 0)
		vary(fd, round, sort, &first);
}

/* How many kinds of verdicts, and grades of certainty, there were. */
static unsigned long print_tally(const char *sort)
{
	unsigned long kinds = 0;

	for (int v = 0; v < CTT_VERDICTS; v++)
		for (int c = 0; c < CTT_CERTAINTIES; c++) {
			if (!tally.found[v][c])
				continue;
			kinds++;
			printf("# %s%s %s: %lu %016" PRIx64 "\n", sort, ctt_verdict_name((enum ctt_verdict)v), ctt_certainty_name((enum ctt_certainty)c),
				tally.found[v][c], tally.digest[v][c]);
		}
	printf("# %slive: %" PRIu64 "\n# %sdoubts: %016" PRIx64 "\n", sort, tally.live, sort, tally.doubts);
	return kinds;
}

static void world_of(uint64_t seed, unsigned long round)
{
	state = (seed << 32) + round;
	for (int i = 4; i--;)
		draw(2);
	world(round % 3 == 2);
}

static void print_stories(uint64_t seed, unsigned long round, unsigned long count, bool worlds)
{
	static const struct how plain = { .id_times = 1 };

	state = seed;
	for (unsigned long i = 0; i < round + count; i++) {
		if (!worlds)
			random_lines();
		else if (i >= round)
			world_of(seed, i);
		if (i >= round)
			print_story(1, &plain);
	}
}

static unsigned long number(const char *s, unsigned long or_this)
{
	return s ? strtoul(s, NULL, 10) : or_this;
}

int main(int argc, char *argv[])
{
	bool digests = argc > 1 && !strcmp(argv[1], "-d"), worlds = argc > 1 && !strcmp(argv[1], "--world");
	char **arg = argv + (argc > 1 && *argv[1] == '-' ? 2 : 1);
	unsigned long rounds = number(arg[0], 2000), seed = number(arg[0] ? arg[1] : NULL, 1), kinds;
	int fd = memfd_create("trace", MFD_CLOEXEC);
	long leaked;

	if (worlds || (argc > 1 && !strcmp(argv[1], "--random"))) {
		print_stories(seed, rounds, number(arg[0] && arg[1] ? arg[2] : NULL, 1), worlds);
		return 0;
	}
	state = seed;
	for (unsigned long i = 0; i < rounds / 2; i++) {
		random_lines();
		one(fd, i, "random", !digests);
	}
	kinds = print_tally("");
	for (int v = 0; v < VARIANTS; v++)
		ok(!tally.differ[v], "%s, the verdicts are the same: %lu of %lu differ", variants[v].what, tally.differ[v], tally.variants);
	leaked = tally.leaked;
	memset(&tally, 0, sizeof tally);
	for (unsigned long i = 0; i < 3 * rounds; i++) {
		world_of(seed, i);
		one(fd, i, "world", digests ? 0 : 8);
	}
	kinds += print_tally("world: ");
	for (int v = 0; v < VARIANTS; v++)
		ok(!tally.differ[v], "%s, those of what could be are the same: %lu of %lu differ", variants[v].what, tally.differ[v], tally.variants);
	leaked += tally.leaked;
	ok(!leaked, "whatever they allocated they gave back: %ld blocks were left", leaked);
	ok(!blocks_torn, "nobody wrote behind a block of memory");
	ok(kinds >= 30, "enough kinds of verdicts, and grades of certainty, were among them: %lu", kinds);
	return done_testing();
}
