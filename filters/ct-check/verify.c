/* verify.c - a scene's trace beside what has to stand in it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probe.h"

#define OWN (CTT_KIND(CREATE) | CTT_KIND(RESUME) | CTT_KIND(SUSPEND) | CTT_KIND(DESTROY))
#define OTHERS (CTT_KIND(WAKE) | CTT_KIND(NAME))

struct thread {
	uint64_t tid, pid, ts;
};
struct known {
	uint64_t id, n, ts;
};

/* What was read so far. */
static struct reading {
	struct ctt_trace *in;
	char **sites;		/* FILE:LINE, by number */
	size_t site_count, site_room;
	struct thread *threads;
	size_t thread_count, thread_room;
	struct known *known;
	size_t known_count, known_room;
	uint64_t lost;
} now;

static void begin(void)
{
	static char *files[2];	/* it keeps them */

	files[0] = (char *)stage_file("trace");
	now = (struct reading){ .in = ctt_trace_open(files, "ct-check") };
	ctt_trace_set(now.in, CTT_TRACE_QUIET);
}

static void end(void)
{
	for (size_t i = 0; i < now.site_count; i++)
		free(now.sites[i]);
	free(now.sites);
	free(now.threads);
	free(now.known);
	ctt_trace_close(now.in);
}

static struct thread *thread_of(uint64_t tid)
{
	for (size_t i = 0; i < now.thread_count; i++)
		if (now.threads[i].tid == tid)
			return &now.threads[i];
	return NULL;
}

static struct known *known_of(uint64_t id)
{
	struct known *k;

	for (size_t i = 0; i < now.known_count; i++)
		if (now.known[i].id == id)
			return &now.known[i];
	k = ADD(now.known, now.known_count, now.known_room);
	*k = (struct known){ .id = id };
	return k;
}

static void note_site(const struct ctt_event *ev)
{
	char text[256];

	while (now.site_count <= ev->site && ev->site < 1 << 16)
		*ADD(now.sites, now.site_count, now.site_room) = NULL;
	if (ev->site >= now.site_count)
		return;
	snprintf(text, sizeof text, "%.*s:%" PRIu64, (int)ev->site_line.file.len,
		ev->site_line.file.p ? ev->site_line.file.p : "", ev->site_line.line);
	free(now.sites[ev->site]);
	now.sites[ev->site] = copy_text(text, strlen(text));
}

/* The next line of the kinds; what others say is kept. */
static bool next(struct ctt_event *ev, uint64_t kinds)
{
	while (ctt_trace_next(now.in, ev)) {
		if (ev->kind == CTT_EV_SITE)
			note_site(ev);
		else if (ev->kind == CTT_EV_LOST)
			now.lost += ev->lost.count;
		else if (ev->kind == CTT_EV_THREAD && !ev->thread.ended && !thread_of(ev->tid))
			*ADD(now.threads, now.thread_count, now.thread_room) =
				(struct thread){ .tid = ev->tid, .pid = ev->thread.pid };
		if (kinds & 1ull << ev->kind && !ev->v1)
			return true;
	}
	return false;
}

/* As it stands there. */
static void on_of(char *buf, size_t size, const struct ctt_event *ev)
{
	snprintf(buf, size, "%.*s", (int)ev->on.text.len, ev->on.text.p ? ev->on.text.p : "");
}

/* In a scene that is about one promise all that is wrong is that one's, unless it is wrong where
 * nothing else is tried. */
#define BLAME(charge, promise, ...)                                                        \
	do {                                                                               \
		if ((charge) == (promise) || (charge) == EVENTS || !broken(promise))       \
			breaks_at((charge) == EVENTS ? (promise) : (charge), scene, ev,    \
				__VA_ARGS__);                                              \
	} while (0)

static void check_times(enum promise charge, const char *scene, const struct ctt_event *ev,
	const struct expected *e)
{
	struct thread *t = thread_of(ev->tid);
	struct known *k = known_of(ev->probe_id);
	bool own = OWN >> ev->kind & 1;

	if (own && ev->ts < k->ts)
		BLAME(charge, TIMES, "coroutine %" PRIu64 ": the time is %" PRIu64
			" behind %" PRIu64, ev->probe_id, ev->ts, k->ts);
	else if (t && ev->ts < t->ts)
		BLAME(charge, TIMES, "thread %" PRIu64 ": the time is %" PRIu64
			" behind %" PRIu64, ev->tid, ev->ts, t->ts);
	if (own)
		k->ts = ev->ts;
	if (e->tid ? ev->tid != (uint64_t)e->tid : ev->tid == (uint64_t)e->pid)
		BLAME(charge, THREADS, "expected %s %ld for tid, came %" PRIu64,
			e->tid ? "thread" : "another than", (long)e->pid, ev->tid);
	else if (!t)
		BLAME(charge, THREADS, "thread %" PRIu64 " is not introduced before its first event",
			ev->tid);
	else if (t->pid != (uint64_t)e->pid)
		BLAME(charge, THREADS, "thread %" PRIu64 " is introduced with pid %" PRIu64
			", expected %ld", ev->tid, t->pid, (long)e->pid);
	if (t)
		t->ts = ev->ts;
}

static void check_fields(enum promise charge, const char *scene, const struct ctt_event *ev,
	const struct expected *e, enum ctt_ev_kind kind)
{
	enum promise p = kind == CTT_EV_WAKE ? WAKES : EVENTS;
	const char *file = ev->site < now.site_count ? now.sites[ev->site] : NULL;
	char on[128];

	on_of(on, sizeof on, ev);
	if (strcmp(on, kind == CTT_EV_RESUME ? "" : e->on))
		BLAME(charge, strncmp(e->on, "user:", 5) ? p : STRINGS,
			"expected \"on\" %s, came %s", *e->on ? e->on : "absent", *on ? on : "absent");
	if (kind == CTT_EV_CREATE && ev->parent != e->parent)
		BLAME(charge, EVENTS, "expected parent %" PRIu64 ", came %" PRIu64, e->parent,
			ev->parent);
	if (kind == CTT_EV_WAKE && ev->by != e->by)
		BLAME(charge, WAKES, "expected by %" PRIu64 ", came %" PRIu64, e->by, ev->by);
	if (kind == CTT_EV_DESTROY && (!(ev->has & CTT_HAS_DONE) || ev->done != e->done))
		BLAME(charge, EVENTS, "expected done %s", e->done ? "true" : "false");
	if (kind != CTT_EV_WAKE && kind != CTT_EV_NAME && ev->is_active != (kind == CTT_EV_RESUME))
		BLAME(charge, EVENTS, "expected is_active %s",
			kind == CTT_EV_RESUME ? "true" : "false");
	if (OWN >> kind & 1 && ev->seq != 2 * ev->n)
		BLAME(charge, EVENTS, "expected seq %" PRIu64 ", twice n, came %" PRIu64, 2 * ev->n,
			ev->seq);
	if (kind == CTT_EV_NAME && (ev->name.len != strlen(e->name) ||
					   memcmp(ev->name.p, e->name, ev->name.len)))
		BLAME(charge, STRINGS, "expected the name \"%s\", came \"%.*s\"", e->name,
			(int)ev->name.len, ev->name.p ? ev->name.p : "");
	if (*e->site && (!file || strcmp(file, e->site)))
		BLAME(charge, SITES, "expected the site %s, came %s", e->site,
			file ? file : "none");
}

/* False: what follows cannot be told apart any more. */
static bool check_line(enum promise charge, const char *scene, const struct ctt_event *ev,
	const struct expected *e, uint64_t step, uint64_t *skew)
{
	bool flood = e->times > 1 || !e->tid;
	enum ctt_ev_kind kind = flood && step % 2 == 0 ? CTT_EV_RESUME : e->kind;
	uint64_t n = e->n + step;

	if (ev->kind != kind || ev->probe_id != e->id) {
		BLAME(charge, EVENTS, "expected %s of coroutine %" PRIu64 ", came %s of %" PRIu64,
			ctt_ev_name(kind), e->id, ctt_ev_name(ev->kind), ev->probe_id);
		return false;
	}
	if (e->n && ev->n != n + *skew) {
		BLAME(charge, NUMBERS, "coroutine %" PRIu64 ": expected n %" PRIu64
			", came %" PRIu64, e->id, n + *skew, ev->n);
		*skew = ev->n - n;
	}
	check_times(charge, scene, ev, e);
	check_fields(charge, scene, ev, e, kind);
	return true;
}

void verify_lines(struct script *s, enum promise charge)
{
	uint64_t step = 0, skews[ACTORS] = { 0 }, other = 0;
	const char *scene = s->stage.scene;
	bool strings = false, wakes = false, sites = false;
	struct ctt_event ev = { 0 };
	size_t i = 0;
	int a;

	begin();
	while (next(&ev, OWN | OTHERS)) {
		const struct expected *e = &s->lines[i];

		if (i == s->count) {
			breaks_at(charge, scene, &ev, "expected nothing more, came %s of %" PRIu64,
				ctt_ev_name(ev.kind), ev.probe_id);
			break;
		}
		for (a = ACTORS - 1; a > 0 && s->actors[a].id != e->id; a--)
			;
		if (!check_line(charge, scene, &ev, e, step, a ? &skews[a] : &other))
			break;
		strings |= e->kind == CTT_EV_NAME || !strncmp(e->on, "user:", 5);
		wakes |= e->kind == CTT_EV_WAKE;
		sites |= *e->site;
		if (++step == (e->times > 1 || !e->tid ? 2 * e->times : 1))
			i++, step = 0;
	}
	if (i < s->count && !broken(charge) && !broken(EVENTS))
		breaks(charge, "expected %s of coroutine %" PRIu64 ", came nothing (scene \"%s\")",
			ctt_ev_name(s->lines[i].kind), s->lines[i].id, scene);
	if (now.lost && !broken(LOSS))
		breaks(charge, "%" PRIu64 " events are reported as lost where there was room (scene "
			"\"%s\")", now.lost, scene);
	end();
	keeps(charge);
	if (charge != EVENTS || broken(EVENTS))
		return;
	keeps(NUMBERS);
	keeps(TIMES);
	if (strings)
		keeps(STRINGS);
	if (wakes)
		keeps(WAKES);
	if (sites)
		keeps(SITES);
	else
		not_tried(SITES, "FILE:LINE, in answers");
}

static struct actor *actor_of(struct script *s, uint64_t id)
{
	for (int i = ACTORS - 1; i > 0; i--)
		if (s->actors[i].id == id)
			return &s->actors[i];
	return NULL;
}

static void check_state(struct script *s, const struct ctt_event *ev, struct actor *a)
{
	const char *scene = s->stage.scene;
	char on[128];

	on_of(on, sizeof on, ev);
	if (!a || !a->lives)
		breaks_at(STATIONS, scene, ev,
			"coroutine %" PRIu64 " has been destroyed, and has a station", ev->probe_id);
	else if (ev->n != a->n && !broken(NUMBERS))
		breaks_at(STATIONS, scene, ev, "coroutine %" PRIu64 ": expected n %" PRIu64
			", came %" PRIu64, ev->probe_id, a->n, ev->n);
	else if (ev->is_active != a->runs || strcmp(on, a->on))
		breaks_at(STATIONS, scene, ev, "coroutine %" PRIu64 ": expected that it %s, on %s",
			ev->probe_id, a->runs ? "runs" : "waits", *a->on ? a->on : "nothing");
}

void verify_loss(struct script *s)
{
	const char *scene = s->stage.scene;
	bool seen[ACTORS] = { false };
	struct ctt_event ev;
	uint64_t printed = 0;

	begin();
	while (next(&ev, OWN | OTHERS | CTT_KIND(STATE))) {
		struct actor *a = actor_of(s, ev.probe_id);
		struct known *k = known_of(ev.probe_id);

		if (ev.kind == CTT_EV_STATE) {
			check_state(s, &ev, a);
			if (a)
				seen[a - s->actors] = true;
			continue;
		}
		printed++;
		if (OWN >> ev.kind & 1 && ev.n <= k->n && !broken(NUMBERS))
			breaks_at(NUMBERS, scene, &ev, "coroutine %" PRIu64
				": n goes from %" PRIu64 " to %" PRIu64, ev.probe_id, k->n, ev.n);
		if (OWN >> ev.kind & 1)
			k->n = ev.n;
	}
	if (printed + now.lost != s->events)
		breaks(LOSS, "%" PRIu64 " events came and %" PRIu64
			" are counted as lost, of %" PRIu64 " (scene \"%s\")", printed, now.lost,
			s->events, scene);
	for (int i = 1; i < ACTORS && now.lost; i++)
		if (s->actors[i].lives && !seen[i])
			breaks(STATIONS, "no station shows coroutine %" PRIu64
				", which lives: it has no state line (scene \"%s\")",
				s->actors[i].id, scene);
	keeps(LOSS);
	if (now.lost)
		keeps(STATIONS);
	end();
}

void verify_whole(struct script *s)
{
	struct ctt_event ev;

	begin();
	while (next(&ev, OWN)) {
		struct known *k = known_of(ev.probe_id);
		enum ctt_ev_kind kind = ev.n == 1 ? CTT_EV_CREATE :
			ev.n % 2		  ? CTT_EV_SUSPEND :
						    CTT_EV_RESUME;

		if (ev.n <= k->n && !broken(NUMBERS))
			breaks_at(WHOLE, s->stage.scene, &ev, "coroutine %" PRIu64
				": n goes from %" PRIu64 " to %" PRIu64
				", as that of a slot that was written before",
				ev.probe_id, k->n, ev.n);
		else if (ev.kind != kind && !broken(NUMBERS))
			breaks_at(WHOLE, s->stage.scene, &ev, "expected %s for n %" PRIu64
				", came %s", ctt_ev_name(kind), ev.n, ctt_ev_name(ev.kind));
		k->n = ev.n;
	}
	end();
}

uint64_t count_lines(uint64_t kinds)
{
	struct ctt_event ev;
	uint64_t n = 0;

	begin();
	while (next(&ev, kinds))
		n++;
	end();
	return n;
}

bool has_on(enum ctt_on_kind kind)
{
	struct ctt_event ev;
	bool has = false;

	begin();
	while (!has && next(&ev, CTT_KIND(SUSPEND)))
		has = ev.on.kind == kind;
	end();
	return has;
}

/* Where the driver did not come to the end of it: what is in charge is broken. */
bool came_through(struct script *s, enum promise charge)
{
	const char *words = said("driver");

	if (!s->stage.failed)
		return true;
	breaks(charge, "%s (scene \"%s\")%s%s", s->stage.why, s->stage.scene,
		words ? "; it says: " : "", words ? words : "");
	return false;
}

/* The recorder's own words, where it read what cannot be. */
void check_notices(enum promise p, const char *scene)
{
	const char *words = said("recorder");

	if (words && (strstr(words, "cannot be true") || strstr(words, "makes no sense") ||
			     strstr(words, "cannot be read")))
		breaks(p, "%s (scene \"%s\")", words, scene);
}
