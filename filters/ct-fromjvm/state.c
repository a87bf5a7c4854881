/* state.c - a dump as a trace of one moment (ct-trace(5)): a state line for each thread, and what
 * monitors it holds. Contracts in fromjvm.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "fromjvm.h"

#define NO_MARK 0xcbf29ce484222325ull

static bool is(struct ctt_text t, const char *s)
{
	return t.len == strlen(s) && !memcmp(t.p, s, t.len);
}

static bool begins(struct ctt_text t, const char *s)
{
	return t.len >= strlen(s) && !memcmp(t.p, s, strlen(s));
}

/* ---- how a thread stands ---- */

enum stand { RUNS, WAITS, WAITS_SO_LONG };

/* Before JDK 24 a dump has no states: the innermost frame says who waits. */
static enum stand stand_of_frame(struct dump *d, struct ctt_text stack)
{
	static const struct { const char *frame; enum stand stand; } known[] = {
		{ "java.base/java.lang.VirtualThread.parkNanos(", WAITS_SO_LONG },
		{ "java.base/java.lang.VirtualThread.park(", WAITS },
		{ "java.base/java.lang.Thread.sleep0(", WAITS_SO_LONG },
		{ "java.base/java.lang.Thread.sleepNanos0(", WAITS_SO_LONG },
		{ "java.base/java.lang.Object.wait0(", WAITS },
		{ "java.base/jdk.internal.misc.Unsafe.park(", WAITS },
	};
	struct ctt_text frame;

	if (dump_text(d, &stack, &frame))
		for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
			if (begins(frame, known[i].frame))
				return known[i].stand;
	return RUNS;
}

static enum stand stand_of(struct dump *d, const struct jthread *t)
{
	if (!t->state.len)
		return stand_of_frame(d, t->stack);
	return is(t->state, "TIMED_WAITING") ? WAITS_SO_LONG :
		is(t->state, "WAITING") || is(t->state, "BLOCKED") ? WAITS : RUNS;
}

/* Of all that changes when it goes on. */
static uint64_t mark_of_thread(const struct jthread *t)
{
	const struct ctt_text part[] = { t->state, t->blocked_on, t->waiting_on, t->park_blocker,
		t->stack, t->monitors };
	uint64_t mark = NO_MARK;

	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
		mark = mark_of(mark_of(mark, part[i].p, part[i].len), "", 1);
	return mark;
}

/* By a name of theirs: each JVM has these. */
static bool has_system_name(const struct jthread *t)
{
	static const char *const names[] = { "Reference Handler", "Finalizer", "Signal Dispatcher",
		"Service Thread", "Monitor Deflation Thread", "C1 CompilerThread", "C2 CompilerThread",
		"Notification Thread", "Common-Cleaner", "VirtualThread-un", "Attach Listener",
		"MasterPoller", "SubPoller-", "Read-Poller", "Write-Poller", "ForkJoinPool-",
		"DestroyJavaVM" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (begins(t->name, names[i]))
			return true;
	return false;
}

/* in: the last dump that it is in, by number; whose: what says that it is the same thread. */
struct seen { uint64_t id, mark, since, in, whose; };
struct earlier {
	struct hash of;		/* struct seen, by id */
	uint64_t dumps, taken, newest;	/* how many; when the last was taken, and its highest id */
};

struct earlier *earlier_new(void)
{
	return need(calloc(1, sizeof(struct earlier)));
}

void earlier_free(struct earlier *e)
{
	struct seen *s;

	for (size_t at = 0; (s = hash_each(&e->of, &at));)
		free(s);
	hash_free(&e->of);
	free(e);
}

static uint64_t whose(const struct jthread *t)
{
	uint64_t mark = mark_of(mark_of(NO_MARK, t->name.p, t->name.len), "", 1);

	return mark_of(mark, t->container.p, t->container.len);
}

/* Since when it stands so. */
static uint64_t since(struct earlier *e, const struct dump *d, const struct jthread *t)
{
	struct seen *s = hash_find(&e->of, t->id);
	uint64_t mark = mark_of_thread(t);

	if (!s) {
		s = need(calloc(1, sizeof(*s)));
		s->id = t->id;
		hash_add(&e->of, t->id, s);
	}
	if (s->mark != mark || !s->since)
		s->since = d->taken;
	s->mark = mark;
	s->in = e->dumps;
	s->whose = whose(t);
	e->newest = t->id > e->newest ? t->id : e->newest;
	return s->since;
}

bool earlier_note(struct earlier *e, struct dump *d)
{
	struct jthread t;

	e->dumps++;
	e->taken = d->taken;
	e->newest = 0;
	dump_rewind(d);
	while (dump_next(d, &t))
		since(e, d, &t);
	return !*d->why;
}

bool earlier_goes_on(const struct earlier *e, struct dump *d)
{
	uint64_t same = 0, other = 0;
	struct jthread t;

	dump_rewind(d);
	while (dump_next(d, &t)) {
		const struct seen *s = hash_find(&e->of, t.id);
		bool is = s && s->in == e->dumps && s->whose == whose(&t);

		if (t.id > e->newest || has_system_name(&t))
			continue;
		same += is;
		other += !is;
	}
	return d->taken >= e->taken && (same > other || !other);
}

/* ---- what it waits on ---- */

/* An object, "Class@hash", by a number: its hash, and in front its class's. */
static uint64_t object_number(struct ctt_text o)
{
	size_t at = o.len;
	uint64_t hash = 0;

	while (at && o.p[at - 1] != '@')
		at--;
	for (size_t i = at; i < o.len; i++) {
		int c = o.p[i];

		hash = hash << 4 |
			(uint64_t)(c >= '0' && c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
	}
	return (mark_of(NO_MARK, o.p, at) << 32) | (hash & UINT32_MAX);
}

/* What somebody who parks for an object of the class waits on; else it is named by its class. */
static const char *kind_of(struct ctt_text object)
{
	static const char *const kinds[][2] = {
		{ "java.util.concurrent.locks.ReentrantLock$", "mutex" },
		{ "java.util.concurrent.locks.ReentrantReadWriteLock$", "mutex" },
		{ "java.util.concurrent.locks.StampedLock@", "mutex" },
		{ "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject@", "cond" },
		{ "java.util.concurrent.CountDownLatch$", "cond" },
		{ "java.util.concurrent.Semaphore$", "sem" },
		{ "java.util.concurrent.SynchronousQueue", "chan" },
		{ "java.util.concurrent.LinkedTransferQueue", "chan" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (begins(object, kinds[i][0]))
			return kinds[i][1];
	return NULL;
}

/* "java.util.concurrent.Semaphore$NonfairSync@1f": "Semaphore$NonfairSync" */
static struct ctt_text class_of(struct ctt_text object)
{
	size_t end = object.len, at;

	while (end && object.p[end] != '@')
		end--;
	for (at = end; at && object.p[at - 1] != '.'; at--)
		;
	return (struct ctt_text){ object.p + at, end - at };
}

static void print_object(const char *kind, struct ctt_text object, bool known)
{
	printf(",\"on\":\"%s:", kind);
	if (known)
		printf("0x%016" PRIx64, object_number(object));
	putchar('"');
}

/* Nobody has to wake who waits for a time; and who polls a socket parks for nothing. */
static void print_on(const struct jthread *t, enum stand stand, bool polls)
{
	bool timed = stand == WAITS_SO_LONG;
	struct ctt_text on = t->park_blocker, name = class_of(on);
	const char *kind = kind_of(on);

	if (t->blocked_on.len)
		print_object("mutex", t->blocked_on, true);
	else if (t->waiting_on.len)
		print_object("cond", t->waiting_on, !timed);
	else if (kind)
		print_object(kind, on, !timed);
	else if (polls)
		fputs(",\"on\":\"fd:\"", stdout);
	else if (timed && !on.len)
		fputs(",\"on\":\"timer:\"", stdout);
	else if (on.len) {
		fputs(",\"on\":\"user:", stdout);
		for (size_t i = 0; i < name.len; i++)
			if ((unsigned char)name.p[i] >= ' ' && !strchr("\"\\", name.p[i]))
				putchar(name.p[i]);
		putchar('"');
	}
}

/* ---- lines ---- */

struct where {
	uint32_t site, stack;	/* the innermost outside the JDK, or the innermost */
	bool polls;		/* waits for a socket */
	bool own;		/* there is one outside the JDK */
};

static struct where where_of(struct dump *d, struct sites *sites, struct ctt_text stack)
{
	uint32_t site[STACK_DEPTH];
	struct where p = { .site = 0 };
	struct ctt_text text;
	struct frame f;
	size_t n = 0;

	while (n < STACK_DEPTH && dump_text(d, &stack, &text)) {
		if (!frame_read(&f, text))
			continue;
		site[n] = site_of(sites, f.func, f.file, f.line);
		p.polls |= f.jdk && !strcmp(f.func, "Poller.poll");
		if (!p.site || (!p.own && !f.jdk))
			p.site = site[n];
		p.own |= !f.jdk;
		n++;
	}
	p.stack = stack_of(sites, site, n);
	return p;
}

/* The JVM's own, of whom nobody wants to hear, while they run nobody's code. */
static bool is_system(const struct jthread *t, struct where p)
{
	return !p.own && has_system_name(t);
}

static void print_text(const char *key, struct ctt_text t)
{
	if (!t.len)
		return;
	printf(",\"%s\":", key);
	ctt_out_json(stdout, t.p, t.len);
}

static void print_state(const struct jthread *t, enum stand stand, struct where p, uint64_t ts)
{
	printf("{\"probe_id\":%" PRIu64 ",\"tid\":0,\"addr\":\"0x0000000000000000\",\"seq\":4", t->id);
	printf(",\"is_active\":%s,\"ts\":%" PRIu64 ",\"ev\":\"state\",\"n\":2",
		stand == RUNS ? "true" : "false", ts);
	if (p.site)
		printf(",\"site\":%" PRIu32, p.site);
	if (stand != RUNS)
		print_on(t, stand, p.polls);
	if (p.stack)
		printf(",\"stack\":%" PRIu32, p.stack);
	print_text("reason", t->state);
	puts(",\"since\":\"before\"}");
}

static void head(const char *kind, uint64_t ts)
{
	printf("{\"ev\":\"%s\",\"ts\":%" PRIu64, kind, ts);
}

/* Nobody holds the monitor that he waits in: Object.wait() gives it up. */
static uint64_t print_holds(struct dump *d, const struct jthread *t, uint64_t ts)
{
	struct monitors m = { t->monitors, { NULL, 0 } };
	struct ctt_text object;
	uint64_t lines = 0;

	while (dump_monitor(d, &m, &object)) {
		if (!object.len || (object.len == t->waiting_on.len &&
			!memcmp(object.p, t->waiting_on.p, object.len)))
			continue;
		head("acquire", ts);
		printf(",\"tid\":0,\"by\":%" PRIu64, t->id);
		print_object("mutex", object, true);
		puts("}");
		lines++;
	}
	return lines;
}

static uint64_t print_thread(
	struct dump *d, struct sites *sites, const struct jthread *t, uint64_t ts)
{
	struct where p = where_of(d, sites, t->stack);

	print_state(t, stand_of(d, t), p, ts);
	head("name", ts);
	printf(",\"tid\":0,\"probe_id\":%" PRIu64 ",\"name\":", t->id);
	if (t->name.len)
		ctt_out_json(stdout, t->name.p, t->name.len);
	else
		printf("\"#%" PRIu64 "\"", t->id);
	puts(is_system(t, p) ? ",\"role\":\"system\"}" : "}");
	return 1 + print_holds(d, t, ts);
}

bool state_print(struct dump *d, struct earlier *e)
{
	uint64_t events = 0, live = 0;
	struct sites *sites = sites_new();
	struct jthread t;

	head("meta", d->taken);
	printf(",\"format\":\"corotrace\",\"version\":2,\"tool\":\"ct-fromjvm " CT_VERSION
	       "\",\"wall\":%" PRIu64 ",\"clock\":\"realtime\",\"snapshot\":true,"
	       "\"memory\":\"running\"}\n", d->taken);
	head("process", d->taken);
	printf(",\"pid\":%" PRIu64 "}\n", d->pid);
	dump_rewind(d);
	for (; dump_next(d, &t); live++)
		events += print_thread(d, sites, &t, since(e, d, &t));
	sites_free(sites);
	if (*d->why)
		return false;
	if (d->unlisted) {
		head("lost", d->taken);
		printf(",\"count\":%" PRIu64 ",\"why\":\"threads that are not listed\"}\n",
			d->unlisted);
	}
	head("end", d->taken);
	printf(",\"events\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"live\":%" PRIu64 "}\n", events,
		d->unlisted, live);
	return true;
}
