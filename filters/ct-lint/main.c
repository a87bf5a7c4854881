/* ct-lint - bad habits that are no lost wakeups: self-wakes, never yielded, long polls, resumed
 * twice, destroyed while suspended, coroutines that grow in number or wait for ever.
 *
 * in:	{"probe_id":7,...,"ts":1000,"ev":"resume","n":2} {"probe_id":7,...,"ts":250001000,"ev":"suspend","n":3,"site":3}
 * out:	1 long poll: serve() serve.cc:42
 *	  ran 250ms without a suspend: coroutine 7 "conn", thread 4711 [lines 1, 2]
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lint.h"
#include "tool/missing.h"

static const char help[] =
	"usage: ct-lint [options] [trace ...]\n"
	"Habits that make a scheduler slow or unsafe and are no lost wakeups, by site,\n"
	"each with its worst case: self-wakes, never-yielded, long-poll, resumed-twice,\n"
	"destroyed-suspended, growth, blocked-forever, woken-after-end, pinned.\n\n"
	"  --self-wakes=PERCENT   more of its wakes than this are its own (default 50,\n"
	"                         tokio-console's)\n"
	"  --min-wakes=N          of at least so many wakes (default 8)\n"
	"  --never-yielded=DUR    ran so long and never suspended (default 1s,\n"
	"                         tokio-console's)\n"
	"  --long-poll=DUR        ran so long without a suspend (default 100ms, that of\n"
	"                         Python's asyncio)\n"
	"  --growth=N             so many more alive, of one spawn site, and never fewer\n"
	"                         (default 100)\n"
	"  --only=LINT[,LINT]     these alone\n"
	"  --skip=LINT[,LINT]     all but these\n"
	"  --site=REGEX           only at a matching site (\"serve() serve.cc:42\")\n"
	"  --json                 one JSON line a lint and site\n"
	"  --color=WHEN           auto, always, never\n"
	"  --strict               bad lines are status 2\n"
	"  --quiet                only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0 nothing found; 1 something; 2 usage or unusable input; 3 inconclusive:\n"
	"events are missing that could hide a finding, or make it.\n\n"
	"example: ct-record ./app | ct-lint --long-poll=10ms --skip=destroyed-suspended\n";

static struct ctt_common opt = { .product = CTT_PROSE };
static uint64_t self_percent = 50, min_wakes = 8, never_ns = 1000000000, poll_ns = 100000000,
		least_growth = 100;
static unsigned wanted = (1u << LINTS) - 1;

/* of a coroutine that was ever woken, or pinned: c->evidence */
struct tally {
	uint64_t wakes, own;
	struct ctt_event pinned;	/* the open line; no kind: it is not */
};

struct state {			/* of a run */
	struct ctt_model *model;
	struct growth growth;
	struct groups groups;
	struct late late;
	bool unnumbered;	/* lines without n: what is missing between them nobody knows */
};

static bool set_lints(const char *arg, bool only)
{
	unsigned set = lints_parse(arg);

	wanted &= only ? set : ~set;
	return set;
}

static bool own_option(int letter, const char *arg)
{
	switch (letter) {
	case 1:	return ctt_parse_number(arg, 0, 100, &self_percent);
	case 2:	return ctt_parse_number(arg, 1, UINT64_MAX, &min_wakes);
	case 3:	return ctt_parse_duration(arg, &never_ns);
	case 4:	return ctt_parse_duration(arg, &poll_ns);
	case 5:	return ctt_parse_number(arg, 1, UINT64_MAX, &least_growth);
	case 6:	return set_lints(arg, true);
	case 7:	return set_lints(arg, false);
	default: return false;
	}
}

static const struct option options[] = { { "self-wakes", required_argument, NULL, 1 },
	{ "min-wakes", required_argument, NULL, 2 },
	{ "never-yielded", required_argument, NULL, 3 },
	{ "long-poll", required_argument, NULL, 4 }, { "growth", required_argument, NULL, 5 },
	{ "only", required_argument, NULL, 6 }, { "skip", required_argument, NULL, 7 },
	CTT_OPT_SITE, CTT_OPT_JSON, CTT_OPT_COLOR, CTT_OPT_ALWAYS, CTT_OPT_END };
static const struct ctt_program program = { "ct-lint", help, options, own_option };

static bool note(struct state *s, enum lint lint, const struct ctt_coro *c, uint64_t worst,
	uint64_t from_line, uint64_t line, struct group **g)
{
	return wanted >> lint & 1 && groups_note(&s->groups, lint, c, worst, from_line, line, g);
}

/* It ran from its last resume to ts. */
static void note_poll(
	struct state *s, const struct ctt_coro *c, uint64_t ts, uint64_t line, bool first_and_last)
{
	const struct ctt_worker *w = ctt_model_worker(s->model, c->tid);
	uint64_t ran = ts > c->resumed ? ts - c->resumed : 0;
	struct group *g;

	if (w && w->role && !strcmp(w->role, "blocking"))
		return;		/* it is there to block */
	if (first_and_last && ran >= never_ns)
		note(s, NEVER_YIELDED, c, ran, c->resume_line, line, &g);
	else if (ran >= poll_ns)
		note(s, LONG_POLL, c, ran, c->resume_line, line, &g);
}

static void note_wakes(struct state *s, const struct ctt_coro *c)
{
	const struct tally *t = c->evidence;
	struct group *g;

	if (!t || t->wakes < min_wakes ||
		t->own <= t->wakes / 100 * self_percent + t->wakes % 100 * self_percent / 100)
		return;
	if (note(s, SELF_WAKES, c, t->own, c->create_line,
		    c->wake_line ? c->wake_line : c->last_line, &g))
		g->of = t->wakes;
}

static void on_end(void *arg, struct ctt_coro *c, const struct ctt_event *ev)
{
	struct state *s = arg;

	note_wakes(s, c);
	late_end(&s->late, c, ev);
	free(c->evidence);
	c->evidence = NULL;
	if (c->created && !c->v1)
		growth_end(&s->growth, c->spawn_site, ev->ts);
}

/* What an own line says of its coroutine as it was before. Only of neighbours: between others
 * anything may be missing. */
static void look(struct state *s, const struct ctt_coro *c, const struct ctt_event *ev)
{
	bool next = c->has_n && ev->n == c->order + 1,
	     rival = c->has_n && ev->n == c->order && ev->tid != c->tid;
	struct group *g;

	if (ev->kind == CTT_EV_RESUME && c->state == CTT_CORO_RUNNING && (next || rival) && !ev->v1)
		note(s, RESUMED_TWICE, c, 0, c->last_line, ev->line, &g);
	if (!next)
		return;
	if (c->state == CTT_CORO_RUNNING && ev->kind != CTT_EV_RESUME)
		note_poll(s, c, ev->ts, ev->line,
			ev->kind == CTT_EV_DESTROY && c->created && c->order == 2);
	if (ev->kind == CTT_EV_DESTROY && ev->has & CTT_HAS_DONE && !ev->done && c->resumed &&
	    (c->state == CTT_CORO_SUSPENDED || c->state == CTT_CORO_RUNNABLE)) {
		note(s, DESTROYED, c, ev->ts - c->last_ts, c->last_line, ev->line, &g);
		if (wanted >> DESTROYED & 1 && c->state == CTT_CORO_RUNNABLE)
			group_of(&s->groups, DESTROYED, c->site)->woken++;
	}
}

static struct tally *tally_of(struct ctt_coro *c)
{
	if (!c->evidence)
		c->evidence = need(calloc(1, sizeof(struct tally)));
	return c->evidence;
}

/* From the open line of user:pinned to the close. */
static void note_pinned(struct state *s, const struct ctt_coro *c, uint64_t ts, uint64_t line)
{
	struct tally *t = c->evidence;
	struct ctt_coro where = *c;
	struct group *g;
	uint64_t kept;

	if (!t || !t->pinned.line)
		return;
	where.site = t->pinned.site;
	where.tid = t->pinned.tid;
	kept = ts > t->pinned.ts ? ts - t->pinned.ts : 0;
	note(s, PINNED, &where, kept, t->pinned.line, line, &g);
	t->pinned.line = 0;
}

static void look_at_thing(struct state *s, const struct ctt_event *ev)
{
	struct ctt_coro *c = ctt_model_coro(s->model, ev->by);

	if (!c || !ctt_on_is(&ev->on, "user:pinned"))
		return;
	note_pinned(s, c, ev->ts, ev->line);
	if (ev->kind == CTT_EV_OPEN)
		tally_of(c)->pinned = *ev;
}

static void count_wake(const struct ctt_event *ev, struct ctt_coro *c)
{
	struct tally *t = tally_of(c);

	t->wakes++;
	t->own += ev->by == ev->probe_id;
}

/* At the site that wakes. */
static void look_at_late(struct state *s, const struct ctt_event *ev)
{
	uint64_t after, line = late_wake(&s->late, ev, &after);
	struct ctt_coro gone = { .id = ev->probe_id, .tid = ev->tid, .site = ev->site };
	struct group *g;

	if (line)
		note(s, WOKEN_LATE, &gone, after, line, ev->line, &g);
}

static void apply(void *state, const struct ctt_event *ev)
{
	struct state *s = state;
	bool own = ev->kind == CTT_EV_RESUME || ev->kind == CTT_EV_SUSPEND ||
		ev->kind == CTT_EV_DESTROY;
	struct ctt_coro *c;

	s->unnumbered |= own && !(ev->has & CTT_HAS_N) && ev->tid;
	if (own && ev->has & CTT_HAS_N && (c = ctt_model_coro(s->model, ev->probe_id)))
		look(s, c, ev);
	c = ctt_model_apply(s->model, ev);
	if (!c && ev->kind == CTT_EV_WAKE)
		look_at_late(s, ev);
	else if (c && ev->kind == CTT_EV_WAKE)
		count_wake(ev, c);
	else if (c && ev->kind == CTT_EV_CREATE && !ev->v1 && c->create_line == ev->line)
		growth_create(&s->growth, ev);
	else if (ev->kind == CTT_EV_OPEN || ev->kind == CTT_EV_CLOSE)
		look_at_thing(s, ev);
}

/* What lives to the end. */
static void look_at_the_living(struct state *s, const struct ctt_trace_run *r)
{
	bool whole = !ctt_model_lost(s->model) && !r->bad && !r->cut;
	struct group *g;
	struct ctt_coro *c;

	for (size_t i = 0; (c = ctt_model_next(s->model, &i));) {
		note_wakes(s, c);
		note_pinned(s, c, ctt_model_last_ts(s->model), c->last_line);
		if (c->state == CTT_CORO_RUNNING && c->has_n && !c->v1 && (whole || c->confirmed))
			note_poll(s, c, ctt_model_last_ts(s->model), c->last_line,
				c->created && c->order == 2);
		if (c->state == CTT_CORO_SUSPENDED && c->on.kind == CTT_ON_NEVER && !c->system)
			note(s, FOREVER, c, ctt_model_last_ts(s->model) - c->since, c->create_line,
				c->last_line, &g);
	}
	for (size_t i = 0; i < s->growth.count && wanted >> GROWTH & 1; i++) {
		struct grower *w = &s->growth.grower[i];
		uint64_t from;

		if (growth_grew(&s->growth, w, ctt_model_last_ts(s->model), least_growth, &from)) {
			g = group_of(&s->groups, GROWTH, w->site);
			*g = (struct group){ .lint = GROWTH, .site = w->site, .count = w->live, .worst = w->live, .of = from,
				.id = w->probe_id, .line = w->line };
		}
	}
}

static const char *doubt_of(const struct state *s, const struct ctt_trace_run *r)
{
	const char *missing = missing_lines(s->model, r);

	if (missing)
		return missing;
	if (s->unnumbered)
		return "version 1 lines carry no event numbers";
	return r->ended || r->v1 ? ctt_trace_nothing(r) : "the trace was cut off";
}

/* Print one run; its status. */
static int report(struct ctt_trace *in, void *state, uint32_t run)
{
	struct state *s = state;
	const char *doubt = doubt_of(s, ctt_trace_run(in, run));
	bool several = ctt_trace_stats(in)->runs > 1;
	size_t sure = 0, unsure = 0;

	look_at_the_living(s, ctt_trace_run(in, run));
	if (!opt.json && several)
		printf("%srun %" PRIu32 ":\n", run ? "\n" : "", run + 1);
	groups_print(&s->groups, s->model, &opt, doubt, several ? run + 1 : 0, &sure, &unsure);
	if (!opt.json) {
		printf("%zu finding%s", sure + unsure, sure + unsure == 1 ? "" : "s");
		printf(doubt ? "; inconclusive where %s\n" : "\n", doubt);
	}
	return sure ? 1 : unsure || doubt ? 3 : 0;
}

static void *state_new(void)
{
	struct state *s = need(calloc(1, sizeof(*s)));

	s->model = ctt_model_new();
	ctt_model_on_end(s->model, on_end, s);
	return s;
}

static void state_free(void *state)
{
	struct state *s = state;
	struct ctt_coro *c;

	for (size_t i = 0; (c = ctt_model_next(s->model, &i));)
		free(c->evidence);
	groups_free(&s->groups);
	growth_free(&s->growth);
	late_free(&s->late);
	ctt_model_free(s->model);
	free(s);
}

int main(int argc, char *argv[])
{
	static const struct ctt_filter filter = { state_new, apply, state_free, report };
	char **files = ctt_common_parse(argc, argv, &program, &opt);

	return ctt_filter_run(files, &program, &opt, &filter);
}
