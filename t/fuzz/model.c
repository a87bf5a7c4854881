/* model.c - what the library makes of traces, member by member: of each event, of each coroutine after each line, of spans, threads,
 * sites, stacks and texts. Prints for each a count of those that are not 0 and a digest of all, which a test compares with the last
 * that were looked at: what changes one of them changes what every program sees.
 *
 *	model FILE...
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "cttrace.h"
#include "fold/spans.h"
#include "model/state.h"

enum { MEMBERS = 256, RUNS = 64 };
static struct member { const char *name; uint64_t digest, count; } members[MEMBERS];

static void number(const char *name, uint64_t v)
{
	struct member *m = members;

	while (m->name && m->name != name && strcmp(m->name, name))
		m++;
	if (m == members + MEMBERS - 1)
		abort();
	m->name = name;
	m->count += v != 0;
	m->digest = (m->digest ^ v) * 0x100000001b3ull;
	m->digest ^= m->digest >> 29;
}

static void bytes(const char *name, const char *s, size_t len)
{
	uint64_t h = len + (s != NULL);

	while (len--)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3ull;
	number(name, h);
}

static void string(const char *name, const char *s)
{
	bytes(name, s, s ? strlen(s) : 0);
}

#define N(of, member) number(#of " " #member, (uint64_t)(of)->member)
#define T(of, member) bytes(#of " " #member, (of)->member.p, (of)->member.len)
#define S(of, member) string(#of " " #member, (of)->member)

/* What `print` prints, under the name. */
#define PRINTED(name, ...)                                \
	do {                                              \
		char *text_ = NULL;                       \
		size_t len_ = 0;                          \
		FILE *f = open_memstream(&text_, &len_);  \
		__VA_ARGS__;                              \
		fclose(f);                                \
		bytes(name, text_, len_);                 \
		free(text_);                              \
	} while (0)

static void the_event(const struct ctt_event *ev)
{
	struct ctt_text list, empty = { NULL, 0 };
	uint64_t v;

	N(ev, kind); N(ev, run); N(ev, has); N(ev, v1); N(ev, is_active); N(ev, done); N(ev, probe_id); N(ev, tid); N(ev, seq);
	N(ev, ts); N(ev, addr); N(ev, n); N(ev, site); N(ev, parent); N(ev, by); N(ev, stack); N(ev, line);
	N(ev, on.kind); N(ev, on.known); N(ev, on.number); N(ev, on.value); T(ev, on.text); N(ev, any_of); N(ev, all_of);
	T(ev, reason); T(ev, name);
	number("event value", ctt_ev_value(ev));
	number("event on_key", ctt_on_key(&ev->on));
	list = ev->kind == CTT_EV_STACK ? ev->stack_line.frames.p ? ev->stack_line.frames : ev->stack_line.sites : empty;
	while (ctt_next_number(&list, &v))
		number("stack number", v);
	PRINTED("event as a line", ctt_out_event(f, ev));
	list = ctt_member(ev, "ts");
	bytes("event member ts", list.p, list.len);
	list = ctt_member(ev, "memory");
	bytes("event member memory", list.p, list.len);
}

static void the_legs(const struct ctt_legs *legs)
{
	N(legs, n); N(legs, all); N(legs, count);
	for (size_t i = 0; i < legs->count; i++) {
		const struct ctt_leg *leg = &legs->leg[i];

		N(leg, on.kind); N(leg, on.known); N(leg, on.number); N(leg, on.value); N(leg, site);
		bytes("leg text", leg->on.text.p, leg->on.text.p ? leg->on.text.len : 0);
	}
}

static void the_coro(const struct ctt_coro *c)
{
	N(c, id); N(c, last_ts); N(c, last_line); N(c, order); N(c, tid); N(c, site); N(c, state); N(c, v1); N(c, confirmed); N(c, before);
	N(c, has_n); N(c, has_stack); N(c, untraced); N(c, system); N(c, since_before); N(c, doubted); N(c, leaked);
	N(c, no_wakers); N(c, no_refs); N(c, since); N(c, resumed); N(c, resume_line); N(c, wake_ts); N(c, frame);
	N(c, on.kind); N(c, on.known); N(c, on.number);
	number("c on.value", c->on.number ? c->on.value : 0);
	number("c on_key", ctt_on_key(&c->on));
	N(c, wake_line); N(c, wake_by); N(c, wake_tid); N(c, wake_site); N(c, wake_stack); N(c, wake_key); N(c, wake_kind);
	N(c, created); N(c, first_ts); N(c, create_line); N(c, spawn_site); N(c, parent); N(c, missing);
	S(c, name); S(c, reason);
	number("c stack", c->has_stack ? c->stack : 0);
	if (c->legs)
		the_legs(c->legs);
}

static void each_frame(void *arg, const struct ctt_site *at, uint64_t addr)
{
	number(arg, addr);
	string(arg, at ? at->func : NULL);
}

static void words_of(struct ctt_model *m, const struct ctt_coro *c)
{
	static const size_t sizes[] = { 0, 1, 8, 16, 17, 24, 40, 200 };
	const struct ctt_stack *s = ctt_model_stack(m, c->has_stack ? c->stack : 0);
	char buf[512];

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		memset(buf, 0, sizeof buf);
		string("site text", ctt_model_site_text(buf, sizes[i], m, c->site));
		if (sizes[i] > 16)
			string("wait text", ctt_wait_text(buf, sizes[i], c));
	}
	number("waits", ctt_waits(c));
	number("wait kind", ctt_wait_kind(c));
	string("wait name", ctt_wait_name(c));
	string("age", ctt_coro_age(buf, c, m->last_ts - c->since));
	PRINTED("legs", ctt_legs_json(f, m, c));
	PRINTED("site", ctt_site_json(f, ctt_model_site(m, c->site)));
	PRINTED("coroutine", ctt_coro_text(f, c));
	if (!s)
		return;
	ctt_model_frames(m, s, CTT_FRAMES_ALL, each_frame, (char *)"frames");
	ctt_model_frames(m, s, CTT_FRAMES_OWN, each_frame, (char *)"own frames");
	ctt_model_frames(m, s, CTT_FRAMES_OWN | CTT_FRAMES_OUTERMOST_FIRST, each_frame, (char *)"outer frames");
}

static void the_model(struct ctt_model *m)
{
	char text[CTT_LATE_SIZE];
	struct ctt_worker *w;
	struct ctt_coro *c;

	N(m, first_ts); N(m, last_ts); N(m, lost); N(m, missing); N(m, end_lost); N(m, gaps); N(m, counts_by_kind); N(m, exact); N(m, cut);
	N(m, late); N(m, before_attach); N(m, snapshot); N(m, dead); N(m, torn); N(m, attached); N(m, stopped_at); N(m, stopped);
	for (int k = 0; k < CTT_EV_KINDS; k++) {
		number("m counted", m->counted[k]);
		number("m vanished", m->vanished[k]);
	}
	number("model lost", ctt_model_lost(m));
	number("model live", ctt_model_live(m));
	string("model late", ctt_model_late(m, text));
	for (size_t i = 0; (w = ctt_model_next_worker(m, &i));) {
		N(w, tid); N(w, pid); S(w, name); S(w, role); N(w, parked); N(w, parks); N(w, parked_since); N(w, parked_until);
		N(w, park_line); N(w, depth); N(w, queue); N(w, queue_ts); N(w, running); N(w, last_ts); N(w, ran); N(w, last_active);
		N(w, ended);
		number("model worker", ctt_model_worker(m, w->tid) == w);
	}
	for (size_t i = 0; (c = ctt_model_next(m, &i));) {
		number("model coro", ctt_model_coro(m, c->id) == c);
		the_coro(c);
		words_of(m, c);
	}
}

/* ---- spans ---- */

static void on_span(void *none, const struct span *s)
{
	(void)none;
	N(s, what); N(s, from); N(s, to); N(s, c->id);
	number("s woken", s->woken ? s->woken->ts ^ s->woken->by << 20 ^ s->woken->tid << 40 : 0);
	number("s ended by", s->ev ? s->ev->line : 0);
}

static void on_gap(void *none, const struct span *s)
{
	(void)none;
	number("gap", s->from ^ s->to << 20 ^ s->c->id << 40);
}

static void on_wake(void *none, const struct ctt_event *ev, struct ctt_coro *c, struct woken *w)
{
	(void)none;
	number("span wake", ev->line ^ c->id << 20 ^ w->ts << 30);
}

static void on_end(void *none, struct ctt_coro *c, const struct ctt_event *ev)
{
	(void)none;
	number("span end", ev->line ^ c->id << 20);
	the_coro(c);
}

static void the_run(const struct ctt_trace_run *r)
{
	N(r, v1); N(r, meta); N(r, ended); N(r, coroutines); N(r, attached); N(r, late); N(r, attach_seen); N(r, born_before);
	N(r, first_ts); N(r, last_ts); N(r, lines); N(r, lost); N(r, bad); N(r, cut);
	number("r nothing", ctt_trace_nothing(r) != NULL);
}

static void on_bad(void *none, const struct ctt_event *ev, const char *why)
{
	(void)none; (void)why;
	number("bad line", ev->line);
}

/* A copy is what the model is. */
static void the_copy(const struct ctt_model *m)
{
	struct ctt_model *copy = model_copy(m);

	the_model(copy);
	ctt_model_free(copy);
}

static void one(char *file)
{
	char *files[] = { file, NULL };
	struct ctt_trace *in = ctt_trace_open(files, "model");
	static struct spans spans[RUNS];
	const struct ctt_trace_stats *t;
	struct ctt_event ev;
	struct ctt_coro *c;
	uint32_t runs = 0;

	ctt_trace_set(in, CTT_TRACE_QUIET);
	ctt_trace_on_bad(in, on_bad, NULL);
	while (ctt_trace_next(in, &ev)) {
		the_event(&ev);
		if (ev.run >= RUNS)
			continue;
		for (; runs <= ev.run; runs++) {
			spans[runs] = (struct spans){ .size = sizeof(struct woken), .on_span = on_span, .on_gap = on_gap,
				.on_wake = on_wake, .on_end = on_end };
			spans_start(&spans[runs]);
		}
		if ((c = spans_apply(&spans[ev.run], &ev)))
			the_coro(c);
		if (ev.line % 97 == 0)
			the_copy(spans[ev.run].model);
	}
	t = ctt_trace_stats(in);
	N(t, lines); N(t, bad); N(t, first_bad); N(t, bytes); N(t, torn); N(t, runs);
	for (uint32_t i = 0; i < runs; i++) {
		struct spans *s = &spans[i];

		the_run(ctt_trace_run(in, i));
		the_model(s->model);
		spans_finish(s, s->model->last_ts, ctt_trace_run(in, i)->ended);
		N(s, unknown); N(s, before); N(s, unwoken); N(s, late); N(s, open); N(s, v1);
		spans_free(s);
	}
	ctt_trace_close(in);
}

int main(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++)
		one(argv[i]);
	number("blocks left", (uint64_t)blocks_out);
	number("blocks torn", (uint64_t)blocks_torn);
	for (struct member *m = members; m->name; m++)
		printf("%s: %" PRIu64 " %016" PRIx64 "\n", m->name, m->count, m->digest);
	return 0;
}
