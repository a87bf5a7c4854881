/* story.c - one coroutine: what it does and since when, what is found about it, whom it awaits, its
 * call stack. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "top.h"

enum { CHAIN = 20, FRAMES = 64 };

static const char *site_of(char *buf, size_t size, const struct ctt_model *m, uint64_t site)
{
	return site ? ctt_model_site_text(buf, size, m, site) : "a site that is not known";
}

/* "7 "conn" suspended on fd:6 at serve s.cc:42 for 2.01s" */
static void add_coro(struct lines *l, enum look look, const char *before, const struct ctt_model *m,
	const struct ctt_coro *c)
{
	uint64_t now = ctt_model_last_ts(m);
	char on[256], site[160], age[40], name[201];
	bool waits = ctt_waits(c);

	lines_add(l, look, "%s%" PRIu64 "%s%s%s %s%s%s for %s at %s", before, c->id,
		c->name && *c->name ? " \"" : "",
		text_fit(name, sizeof(name), c->name ? c->name : "", 0),
		c->name && *c->name ? "\"" : "", ctt_coro_state_name(c->state),
		!waits                             ? "" :
			c->state == CTT_CORO_RUNNABLE ? ", waited on " :
							" on ",
		waits ? ctt_wait_text(on, sizeof(on), c) : "",
		ctt_coro_age(age, c, now > c->since ? now - c->since : 0),
		site_of(site, sizeof(site), m, c->site));
}

static void origin(struct lines *l, const struct ctt_model *m, const struct ctt_coro *c)
{
	const struct ctt_worker *t = c->tid ? ctt_model_worker(m, c->tid) : NULL;
	char site[160], time[24], text[501];
	uint64_t start = ctt_model_first_ts(m);

	if (c->tid)
		lines_add(l, LOOK_PLAIN, "  last on thread %" PRIu64 "%s%s%s, line %" PRIu64,
			c->tid, t && t->name ? " \"" : "",
			text_fit(text, 61, t && t->name ? t->name : "", 0),
			t && t->name ? "\"" : "", c->last_line);
	if (c->created)
		lines_add(l, LOOK_PLAIN, "  created %s after the start%s%.0" PRIu64 "%s%s",
			ctt_out_duration(time, c->created > start ? c->created - start : 0),
			c->parent ? " by coroutine " : "", c->parent,
			c->spawn_site ? " at " : "",
			c->spawn_site ? ctt_model_site_text(site, sizeof(site), m, c->spawn_site) :
					"");
	if (c->wake_ts)
		lines_add(l, LOOK_PLAIN, "  woken %s ago by thread %" PRIu64 " at %s",
			ctt_out_duration(time, ctt_model_last_ts(m) - c->wake_ts), c->wake_tid,
			site_of(site, sizeof(site), m, c->wake_site));
	if (c->reason)
		lines_add(l, LOOK_PLAIN, "  reason: %s",
			text_fit(text, sizeof(text), c->reason, 0));
}

/* Whom it awaits, and whom that awaits. */
static void awaited(struct lines *l, const struct ctt_model *m, const struct ctt_coro *c)
{
	const struct ctt_coro *first = c;
	char before[64];

	for (int i = 1; i < CHAIN; i++) {
		bool waits = c->state == CTT_CORO_SUSPENDED && c->on.known &&
			(c->on.kind == CTT_ON_CORO || c->on.kind == CTT_ON_JOIN);

		c = waits ? ctt_model_coro(m, ctt_on_key(&c->on)) : NULL;
		if (!c)
			return;
		snprintf(before, sizeof(before), "%*s-> ", 2 * i, "");
		add_coro(l, LOOK_PLAIN, before, m, c);
		if (c == first) {
			lines_add(l, LOOK_PROVEN, "%*sa cycle", 2 * i + 3, "");
			return;
		}
	}
}

struct frames { struct lines *l; int count; };

static void frame(void *arg, const struct ctt_site *at, uint64_t addr)
{
	struct frames *f = arg;
	char text[160];

	if (f->count++ == FRAMES)
		return;
	if (at)
		lines_add(f->l, LOOK_PLAIN, "    %s", ctt_site_text(text, sizeof(text), at));
	else
		lines_add(f->l, LOOK_PLAIN, "    0x%016" PRIx64, addr);
}

void show_story(struct lines *l, struct watch *w, const struct view *v)
{
	const struct run *r = w->run[v->run];
	const struct ctt_model *m = ctt_judge_model(r->judge);
	const struct ctt_coro *c = ctt_model_coro(m, v->story);
	const struct ctt_stack *s;
	struct frames f = { l, 0 };

	if (!c) {
		lines_add(l, LOOK_PLAIN, "coroutine %" PRIu64 " has ended", v->story);
		return;
	}
	add_coro(l, LOOK_BOLD, "coroutine ", m, c);
	origin(l, m, c);
	if (r->verdicts.about == c->id)
		for (size_t i = 0; i < r->verdicts.why.count; i++)
			lines_add(l, r->verdicts.why.line[i]->look, "%s",
				r->verdicts.why.line[i]->text);
	awaited(l, m, c);
	s = c->has_stack && c->state != CTT_CORO_RUNNING ? ctt_model_stack(m, c->stack) : NULL;
	if (s) {
		lines_add(l, LOOK_BOLD, "  call stack, innermost first:");
		ctt_model_frames(m, s, CTT_FRAMES_OWN | CTT_FRAMES_SHORT, frame, &f);
	}
}
