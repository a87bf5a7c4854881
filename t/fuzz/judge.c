/* judge.c - the model and the judge on traces made at random of few coroutines, threads and objects, so that events meet: nothing crashes,
 * and what must not change a verdict does not: to ask in between, other numbers for the coroutines, another beginning of time, a
 * sync line anywhere, the other parser.
 *
 *	judge [ROUNDS [SEED]]	prints TAP, and of each verdict how many there were, and a digest of their JSON and text
 *	judge --story SEED ROUND	the trace of that round, for ct-lostwake
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cttrace.h"
#include "tap.h"

enum { LINES = 160, FOUND = 64, CORO_MAX = 10 };

/* A line before it is printed: what the variants change. ids are 1 to CORO_MAX, 0: none. */
struct line {
	const char *ev;
	uint64_t us, tid, id, by, n, value;
	int object;		/* of `objects`; -1: none */
	int site;
	bool flag;
};
static struct line lines[LINES];
static int line_count;

struct how { bool ask, sync, spaced; uint64_t id_times, id_plus, later_us; };
struct outcome { struct { int verdict, certainty; uint64_t id; } at[FOUND]; size_t count, live; uint64_t digest[FOUND]; };

static uint64_t state;

static uint64_t draw(uint64_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % below;
}

static bool one_in(uint64_t n)
{
	return !draw(n);
}

static const char *const objects[] = { "fd:3", "fd:4", "mutex:0x10", "mutex:0x20", "chan:0x30", "sem:0x40", "cond:0x50", "user:x", "chan:", "timer:" };
enum { OBJECTS = sizeof objects / sizeof *objects, AWAITED };	/* from AWAITED on: coro:N and join:N */

/* ---- a story: mostly one that could be ---- */

static struct { uint64_t n; int alive; int waits; } coro[CORO_MAX + 1];

static struct line *add(const char *ev, uint64_t us)
{
	struct line *l = &lines[line_count];

	*l = (struct line){ .ev = ev, .us = us, .tid = 11 + draw(3), .object = -1, .site = (int)draw(4) };
	line_count += line_count + 1 < LINES;
	return l;
}

static int any_object(void)
{
	return one_in(4) ? (int)(AWAITED + draw(2 * CORO_MAX)) : (int)draw(OBJECTS);
}

static void own(const char *ev, uint64_t id, uint64_t us)
{
	struct line *l = add(ev, us);

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
		own(!coro[id].alive ? "create" : coro[id].alive == 1 ? "resume" : one_in(6) ? "destroy" : "suspend", id, us);
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

static void story(void)
{
	uint64_t us = 1000, steps = 10 + draw(LINES - 30), wakers = one_in(2), lossy = one_in(3);

	line_count = 0;
	memset(coro, 0, sizeof coro);
	for (uint64_t i = 0; i < steps; i++) {
		us += one_in(3) ? 0 : one_in(20) ? draw(2000000) : draw(20);
		step(one_in(50) && us > 2000 ? us - draw(1000) : us);
		if (!wakers && !strcmp(lines[line_count - 1].ev, "waker"))
			line_count--;
		if (lossy && one_in(60))
			add("lost", us)->value = draw(50);
	}
	for (uint64_t id = 1, all = draw(4); id <= CORO_MAX; id++)
		if (coro[id].alive == 2 && all)
			own(one_in(4) ? "destroy" : "suspend", id, us += draw(5));
	if (!one_in(8))
		add("end", us + (one_in(2) ? draw(5000000) : 0));
}

/* ---- as text ---- */

static FILE *out;
static const struct how *how;

static uint64_t renamed(uint64_t id)
{
	return id ? id * how->id_times + how->id_plus : 0;
}

static void print_object(int object)
{
	const char *s = how->spaced ? " " : "";

	if (object >= AWAITED)
		fprintf(out, ",%s\"on\":\"%s:%" PRIu64 "\"", s, object % 2 ? "coro" : "join", renamed((uint64_t)(object - AWAITED) / 2 + 1));
	else if (object >= 0)
		fprintf(out, ",%s\"on\":\"%s\"", s, objects[object]);
}

static void print_line(const struct line *l)
{
	uint64_t ts = (1000000 + l->us + how->later_us) * 1000;
	bool is_own = !strcmp(l->ev, "create") || !strcmp(l->ev, "resume") || !strcmp(l->ev, "suspend") || !strcmp(l->ev, "destroy");

	if (is_own || !strcmp(l->ev, "wake")) {
		fprintf(out, "{%s\"probe_id\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"addr\":\"0x0000000000000000\",\"seq\":%" PRIu64 ",\"is_active\":%s,\"ts\":%"
			PRIu64 ",\"ev\":\"%s\"", how->spaced ? " " : "", renamed(l->id), l->tid, 2 * l->n, *l->ev == 'r' ? "true" : "false", ts, l->ev);
		if (is_own)
			fprintf(out, ",\"n\":%" PRIu64, l->n);
		if (l->site && *l->ev != 'r')
			fprintf(out, ",\"site\":%d", l->site);
		if (*l->ev != 'd')
			print_object(l->object);
		if (l->by)
			fprintf(out, ",\"%s\":%" PRIu64, *l->ev == 'c' ? "parent" : "by", renamed(l->by));
		if (*l->ev == 'd')
			fprintf(out, ",\"done\":%s", l->flag ? "true" : "false");
		fputs("}\n", out);
		return;
	}
	fprintf(out, "{%s\"ev\":\"%s\",\"ts\":%" PRIu64, how->spaced ? " " : "", l->ev, ts);
	if (!strcmp(l->ev, "lost"))
		fprintf(out, ",\"tid\":%" PRIu64 ",\"count\":2,\"from\":%" PRIu64 ",\"to\":%" PRIu64, l->tid, ts - l->value * 1000, ts);
	else if (!strcmp(l->ev, "end"))
		fprintf(out, ",\"events\":0,\"lost\":0");
	else if (!strcmp(l->ev, "waker"))
		fprintf(out, ",\"tid\":%" PRIu64 ",\"probe_id\":%" PRIu64 ",\"by\":%" PRIu64 ",\"op\":\"%s\"", l->tid, renamed(l->id), renamed(l->by),
			l->flag ? "clone" : "drop");
	else if (strstr(l->ev, "park"))
		fprintf(out, ",\"tid\":%" PRIu64 ",\"depth\":%" PRIu64, l->tid, l->value);
	else {
		fprintf(out, ",\"tid\":%" PRIu64, l->tid);
		if (l->by)
			fprintf(out, ",\"by\":%" PRIu64, renamed(l->by));
		print_object(l->object);
		if (*l->ev == 'n')
			fprintf(out, ",\"woken\":%" PRIu64, l->value);
		else if (*l->ev == 'l')
			fprintf(out, ",\"value\":%" PRIu64, l->value);
	}
	fputs("}\n", out);
}

static void print_story(int fd)
{
	if ((fd > 1 && (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))) || !(out = fdopen(dup(fd), "w")))
		exit(99);
	fprintf(out, "{\"ev\":\"meta\",\"ts\":%" PRIu64 ",\"format\":\"corotrace\",\"version\":2}\n", (1000000 + how->later_us) * 1000);
	for (int tid = 11; tid < 14; tid++)
		fprintf(out, "{\"ev\":\"thread\",\"ts\":%" PRIu64 ",\"tid\":%d,\"pid\":1,\"role\":\"%s\"}\n", (1000000 + how->later_us) * 1000, tid,
			tid < 13 ? "worker" : "other");
	for (int i = 0; i < line_count; i++) {
		/* a line of no event: as old as what it stands behind, so that time is the same */
		if (how->sync && i % 7 == 3 && strcmp(lines[i].ev, "end"))
			fprintf(out, "{\"ev\":\"sync\",\"ts\":%" PRIu64 "}\n", (1000000 + (i ? lines[i - 1].us : 0) + how->later_us) * 1000);
		print_line(&lines[i]);
	}
	fclose(out);
}

/* ---- judging ---- */

static void collect(struct ctt_judge *j, const struct ctt_trace_run *run, struct outcome *o)
{
	size_t count;
	const struct ctt_finding *f = ctt_judge_findings(j, run, CTT_JUDGE_GRACE_NS, &count);
	char *text = NULL;
	size_t size = 0;
	FILE *all = open_memstream(&text, &size);

	o->count = count < FOUND ? count : FOUND;
	o->live = ctt_judge_live(j);
	for (size_t i = 0; i < o->count; i++) {
		o->at[i].verdict = (int)f[i].verdict;
		o->at[i].certainty = (int)f[i].certainty;
		o->at[i].id = f[i].coro ? (f[i].coro->id - how->id_plus) / how->id_times : 0;
		rewind(all);
		ctt_finding_json(all, j, &f[i], 0);
		ctt_finding_story(all, j, &f[i]);
		ctt_finding_behind(all, j, &f[i], "behind ");
		fflush(all);
		for (size_t k = 0; k < size; k++)
			o->digest[i] = (o->digest[i] ^ (unsigned char)text[k]) * 0x100000001b3;
	}
	fclose(all);
	free(text);
}

static void judge(int fd, const struct how *h, struct outcome *o)
{
	char path[40], *files[] = { path, NULL };
	struct ctt_judges judges = { 0 };
	struct ctt_trace *in;
	struct ctt_event ev;
	struct ctt_judge *j;
	size_t count;
	FILE *tap;
	int at = 0;

	how = h;
	print_story(fd);
	lseek(fd, 0, SEEK_SET);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	in = ctt_trace_open(files, "judge");
	ctt_trace_set(in, CTT_TRACE_QUIET);
	ctt_trace_on_bad(in, ctt_judges_bad, &judges);
	while (ctt_trace_next(in, &ev)) {
		j = ctt_judges_apply(&judges, &ev);
		if (h->ask && ++at % 5 == 0)
			ctt_judge_findings(j, ctt_trace_run(in, ev.run), CTT_JUDGE_GRACE_NS, &count);
	}
	ctt_judges_end(&judges);
	memset(o, 0, sizeof *o);
	if (judges.count)
		collect(ctt_judges_get(&judges, 0), ctt_trace_run(in, 0), o);
	ctt_judges_free(&judges);
	/* which closes stdout, as a filter's last act */
	tap = stdout;
	stdout = fopen("/dev/null", "w");
	ctt_trace_finish(in, 0);
	stdout = tap;
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

static const struct { const char *what; struct how how; } variants[] = {
	{ "asked in between, every fifth line", { .ask = true, .id_times = 1 } },
	{ "other numbers for its coroutines", { .id_times = 3, .id_plus = 1000 } },
	{ "an hour later", { .id_times = 1, .later_us = 3600000000 } },
	{ "sync lines between", { .id_times = 1, .sync = true } },
	{ "read by the complete parser", { .id_times = 1, .spaced = true } },
};
enum { VARIANTS = sizeof variants / sizeof *variants };

int main(int argc, char *argv[])
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000, differ[VARIANTS] = { 0 }, kinds = 0;
	unsigned long found[CTT_VERDICTS][CTT_CERTAINTIES] = { { 0 } };
	uint64_t digest[CTT_VERDICTS][CTT_CERTAINTIES] = { { 0 } }, live = 0;
	static const struct how plain = { .id_times = 1 };
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct outcome first, other;

	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	if (argc > 3) {
		for (unsigned long i = strtoul(argv[3], NULL, 10) + 1; i--;)
			story();
		how = &plain;
		print_story(1);
		return 0;
	}
	for (unsigned long i = 0; i < rounds; i++) {
		story();
		judge(fd, &plain, &first);
		for (size_t k = 0; k < first.count; k++) {
			uint64_t *d = &digest[first.at[k].verdict][first.at[k].certainty];

			found[first.at[k].verdict][first.at[k].certainty]++;
			*d = *d * 31 + first.digest[k];
		}
		live += first.live;
		for (int v = 0; v < VARIANTS; v++) {
			judge(fd, &variants[v].how, &other);
			if (same(&first, &other) || ++differ[v] > 1)
				continue;
			printf("# round %lu, %s:\n", i, variants[v].what);
			print_outcome("as it is", &first);
			print_outcome("changed", &other);
		}
	}
	for (int v = 0; v < VARIANTS; v++)
		ok(!differ[v], "%s, the verdicts are the same: %lu of %lu differ", variants[v].what, differ[v], rounds);
	for (int v = 0; v < CTT_VERDICTS; v++)
		for (int c = 0; c < CTT_CERTAINTIES; c++) {
			kinds += found[v][c] > 0;
			if (found[v][c])
				printf("# %s %s: %lu %016" PRIx64 "\n", ctt_verdict_name((enum ctt_verdict)v), ctt_certainty_name((enum ctt_certainty)c),
					found[v][c], digest[v][c]);
		}
	printf("# live: %" PRIu64 "\n", live);
	ok(kinds >= 12, "enough kinds of verdicts, and grades of certainty, were among them: %lu", kinds);
	return done_testing();
}
