/* print.c - a snapshot as a trace. The format is ct-trace(5). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "print.h"

/* ---- who is who ---- */

/* by address */
static struct hash index_of(const struct snapshot *s)
{
	struct hash in = { .slot = NULL };

	for (size_t i = 0; i < s->tasks; i++)
		hash_add(&in, s->task[i].addr, &s->task[i]);
	return in;
}

static int by_id(const void *a, const void *b)
{
	const struct task *x = *(struct task *const *)a, *y = *(struct task *const *)b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Those that have no number of their own, or another runtime's number, get those behind the
 * last. What no runtime comes to is damaged memory, and nothing can stand behind it. */
static void number_tasks(struct snapshot *s)
{
	struct task **order = need(calloc(s->tasks + 1, sizeof(*order)));
	uint64_t last = 0, next;

	for (size_t i = 0; i < s->tasks; i++) {
		order[i] = &s->task[i];
		if (order[i]->id >> 63)
			order[i]->id = 0;
	}
	qsort(order, s->tasks, sizeof(*order), by_id);
	next = s->tasks ? order[s->tasks - 1]->id : 0;
	for (size_t i = 0; i < s->tasks; i++) {
		uint64_t id = order[i]->id;

		if (!id || id == last)
			order[i]->id = ++next;
		last = id ? id : last;
	}
	free(order);
}

/* ---- lines ---- */

static void text(const char *key, const char *s)
{
	if (!s || !*s)
		return;
	printf(",\"%s\":", key);
	ctt_out_json(stdout, s, strlen(s));
}

static void print_on(const struct wait_on *on, const struct hash *in)
{
	const struct task *t = on->known && on->frame ? hash_find(in, on->value) : NULL;

	if (on->kind == CTT_ON_NONE)
		return;
	printf(",\"on\":\"%s:%s", ctt_on_name(on->kind),
		on->kind == CTT_ON_USER ? "no waker" : "");
	if (t)
		printf("%" PRIu64, t->id);
	else if (on->known && !on->frame)
		printf(on->kind == CTT_ON_FD || on->kind == CTT_ON_TIMER ||
					on->kind == CTT_ON_JOIN || on->kind == CTT_ON_CORO ?
				"%" PRIu64 :
				"0x%016" PRIx64,
			on->value);
	putchar('"');
}

static void head(const char *kind, uint64_t ts)
{
	printf("{\"ev\":\"%s\",\"ts\":%" PRIu64, kind, ts);
}

static void print_meta(const struct target *t, const char *how)
{
	struct timespec now;

	head("meta", t->taken);
	printf(",\"format\":\"corotrace\",\"version\":2,\"tool\":\"ct-snap " CT_VERSION "\"");
	if (t->live && !clock_gettime(CLOCK_REALTIME, &now))
		printf(",\"wall\":%" PRIu64,
			(uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
	printf(",\"clock\":\"monotonic\",\"snapshot\":true");
	text("memory", how);
	puts("}");
}

static void print_process(const struct target *t)
{
	head("process", t->taken);
	printf(",\"pid\":%d", t->process);
	text("path", t->modules ? t->module[0].path : NULL);
	puts("}");
	for (size_t i = 0; i < t->modules; i++)
		for (size_t k = 0; k < t->maps; k++) {
			const struct mapping *m = &t->map[k];

			if (m->start < t->module[i].start || m->end > t->module[i].end ||
				(t->live && !m->exec))
				continue;
			head("map", t->taken);
			printf(",\"pid\":%d,\"start\":\"0x%" PRIx64 "\",\"end\":\"0x%" PRIx64
			       "\",\"offset\":%" PRIu64,
				t->process, m->start, m->end, m->offset);
			text("path", t->module[i].path);
			text("build_id", t->module[i].build_id);
			puts("}");
		}
}

void snap_begin(const struct target *t, const char *how)
{
	print_meta(t, how);
	print_process(t);
}

/* Returns how many events it printed. */
static unsigned print_threads(const struct target *t)
{
	unsigned parked = 0;

	for (size_t i = 0; i < t->threads; i++) {
		head("thread", t->taken);
		printf(",\"tid\":%" PRIu32 ",\"pid\":%d", t->thread[i].tid, t->process);
		text("name", t->thread[i].name);
		text("role", t->thread[i].role);
		puts("}");
		if (!t->thread[i].parked)
			continue;
		head("park", t->taken);
		printf(",\"tid\":%" PRIu32, t->thread[i].tid);
		if (t->thread[i].queue >= 0)
			printf(",\"depth\":%" PRId64, t->thread[i].queue);
		puts("}");
		parked++;
	}
	return parked;
}

static unsigned order_of(const struct task *t)
{
	return t->state == TASK_NEW || t->state == TASK_CREATED ? 1 : 2;
}

/* The several things that it waits for. */
static void print_legs(const struct task *t, uint64_t ts, const struct hash *in)
{
	for (size_t i = 0; i < t->legs; i++) {
		const struct leg *l = &t->leg[i];

		head("leg", ts);
		printf(",\"probe_id\":%" PRIu64 ",\"n\":%u", t->id, order_of(t));
		print_on(&l->on, in);
		if (l->site)
			printf(",\"site\":%" PRIu32, l->site);
		if (l->stack)
			printf(",\"stack\":%" PRIu32, l->stack);
		puts("}");
	}
}

static bool waits_for_closed(const struct task *t, const struct target *of)
{
	return t->state == TASK_WAITS && !t->doubt && t->on.kind == CTT_ON_FD &&
		t->on.known && descriptor_is_gone(of, t->on.value);
}

/* ts: when it was first seen so: it came into its state then or earlier. */
static void print_state(const struct task *t, uint64_t ts, bool closed, const struct hash *in)
{
	printf("{\"probe_id\":%" PRIu64 ",\"tid\":%" PRIu32 ",\"addr\":\"0x%016" PRIx64
	       "\",\"seq\":%u,\"is_active\":%s,\"ts\":%" PRIu64 ",\"ev\":\"state\",\"n\":%u",
		t->id, t->tid, t->addr, 2 * order_of(t),
		t->state == TASK_RUNS ? "true" : "false", ts, order_of(t));
	if (t->site)
		printf(",\"site\":%" PRIu32, t->site);
	if (t->parent)
		printf(",\"parent\":%" PRIu64, t->parent);
	print_on(&t->on, in);
	if (t->legs)
		printf(",\"%s\":%zu", t->all ? "all_of" : "any_of", t->legs);
	if (t->stack)
		printf(",\"stack\":%" PRIu32, t->stack);
	text("reason", t->reason);
	fputs(",\"since\":\"before\"", stdout);
	if (t->wakers >= 0)
		printf(",\"wakers\":%" PRId64, t->wakers);
	if (t->refs >= 0)
		printf(",\"refs\":%" PRId64, t->refs);
	if (t->leaked)
		fputs(",\"leaked\":true", stdout);
	if (closed)
		fputs(",\"closed\":true", stdout);
	text("doubt", t->doubt);
	puts("}");
}

/* What is runnable was woken, by the time of the snapshot. Returns how many lines it printed that
 * an end line counts. */
static unsigned print_rest(const struct task *t, uint64_t ts)
{
	unsigned count = 0;

	if (t->state == TASK_READY || t->state == TASK_NEW) {
		printf("{\"probe_id\":%" PRIu64 ",\"tid\":0,\"addr\":\"0x%016" PRIx64
		       "\",\"seq\":%d,\"is_active\":false,\"ts\":%" PRIu64 ",\"ev\":\"wake\"}\n",
			t->id, t->addr, t->state == TASK_NEW ? 2 : 4, ts);
		count++;
	}
	if (t->name) {
		head("name", ts);
		printf(",\"tid\":%" PRIu32 ",\"probe_id\":%" PRIu64, t->tid, t->id);
		text("name", t->name);
		puts(t->system ? ",\"role\":\"system\"}" : "}");
		count++;
	}
	return count;
}

static unsigned print_holds(const struct snapshot *s, const struct hash *in)
{
	unsigned count = 0;

	for (size_t i = 0; i < s->holds; i++) {
		const struct task *by = hash_find(in, s->hold[i].by);

		if (!by)
			continue;
		head("acquire", s->taken);
		printf(",\"tid\":%" PRIu32 ",\"by\":%" PRIu64, by->tid, by->id);
		print_on(&s->hold[i].on, in);
		if (s->hold[i].reached)
			text("doubt", HOLD_DOUBT);
		puts("}");
		count++;
	}
	return count;
}

static unsigned print_ends(const struct snapshot *s, size_t *ended)
{
	*ended = 0;
	for (size_t i = 0; i < s->tasks; i++) {
		const struct task *t = &s->task[i];

		if (!t->ended)
			continue;
		printf("{\"probe_id\":%" PRIu64 ",\"tid\":0,\"addr\":\"0x%016" PRIx64
		       "\",\"seq\":%u,\"is_active\":false,\"ts\":%" PRIu64
		       ",\"ev\":\"destroy\",\"n\":%u}\n",
			t->id, t->addr, 2 * order_of(t) + 2, s->taken, order_of(t) + 1);
		++*ended;
	}
	return (unsigned)*ended;
}

static bool stayed(const struct task *was, const struct task *is)
{
	return !was->moved && was->mark == is->mark && was->state == is->state;
}

static bool waits_for_lock(const struct task *t)
{
	return t->counted && t->state == TASK_WAITS && t->on.kind == CTT_ON_MUTEX && t->on.known;
}

/* By address: locks of Go's for which somebody waited at the first look, and does so no more. */
static struct hash passed_on(const struct snapshot *before, const struct hash *in)
{
	struct hash passed = { .slot = NULL };

	for (size_t i = 0; i < before->tasks; i++) {
		const struct task *was = &before->task[i], *is = hash_find(in, was->addr);

		if (waits_for_lock(was) && (!is || !stayed(was, is)) &&
			!hash_find(&passed, was->on.value))
			hash_add(&passed, was->on.value, &before->task[i]);
	}
	return passed;
}

struct earlier {
	const struct snapshot *look;	/* NULL: there was none */
	struct hash tasks;		/* by address */
	struct hash passed;
};

/* Ready, and not for the workers that sleep: a LocalSet, or a runtime of one thread, may be run by turns. */
static bool is_for_others(const struct task *t, const struct target *of)
{
	size_t i = 0;

	if (t->pooled || (t->state != TASK_READY && t->state != TASK_NEW))
		return false;
	while (i < of->threads && !of->thread[i].parked)
		i++;
	return i < of->threads;
}

/* Since when it has not moved: the earlier snapshot saw the very same, or this one is all there is. Of a
 * queue that moves, or that is nobody's who is seen to sleep, it is not said: its turn comes. */
static uint64_t seen_since(const struct task *t, const struct snapshot *s, const struct earlier *e)
{
	const struct task *was = e->look ? hash_find(&e->tasks, t->addr) : NULL;

	if (waits_for_lock(t) && hash_find(&e->passed, t->on.value))
		return s->taken;
	if (is_for_others(t, s->target))
		return s->taken;
	if (t->since && t->since < s->taken)
		return t->since;
	return was && stayed(was, t) ? e->look->taken : s->taken;
}

/* Nobody is accused of it: who closed it may have put them into a queue to be resumed. */
static void note_closed(size_t count, uint64_t example)
{
	if (count)
		note("%zu wait%s for a descriptor that is not open (any more), as fd:%" PRIu64
		     ": was it closed, and nobody resumed?\n",
			count, count == 1 ? "s" : "", example);
}

void snap_print(struct snapshot *s, const struct snapshot *before)
{
	struct earlier earlier = { .look = before };
	struct hash in;
	uint64_t events = 0, example = 0;
	size_t ended, closed = 0;

	number_tasks(s);
	in = index_of(s);
	if (before) {
		earlier.tasks = index_of(before);
		earlier.passed = passed_on(before, &in);
	}
	events += print_threads(s->target);
	for (size_t i = 0; i < s->tasks; i++) {
		uint64_t ts = seen_since(&s->task[i], s, &earlier);
		bool is_closed = waits_for_closed(&s->task[i], s->target);

		print_legs(&s->task[i], ts, &in);
		print_state(&s->task[i], ts, is_closed, &in);
		closed += is_closed;
		example = is_closed ? s->task[i].on.value : example;
		events += print_rest(&s->task[i], ts);
	}
	events += print_holds(s, &in);
	events += print_ends(s, &ended);
	if (s->unread) {
		head("lost", s->taken);
		printf(",\"count\":%" PRIu64 ",\"why\":\"memory that the core does not hold\"}\n",
			s->unread);
	}
	head("end", s->taken);
	printf(",\"events\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"live\":%zu}\n", events, s->unread,
		s->tasks - ended);
	note_closed(closed, example);
	hash_free(&in);
	hash_free(&earlier.tasks);
	hash_free(&earlier.passed);
}
