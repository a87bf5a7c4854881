/* go-waits.c - what the verdicts on goroutines share, whose traces name no object; and who waits for a group
 * though all whom it started have ended. */
#include <string.h>

#include "judge/judge.h"

enum { TIMES = 10 };			/* so many times the longest wait that ended well */
#define LONG_NS 1000000000ull		/* and no less than this */

static bool begins(const char *s, const char *prefix)
{
	return s && !strncmp(s, prefix, strlen(prefix));
}

/* Go gives a reason for every wait; a probe that names what is locked is judged by that
 * (rules.c). */
bool is_lock(const struct ctt_coro *c)
{
	return c->on.kind == CTT_ON_MUTEX && begins(c->reason, "sync");
}

bool is_send(const struct ctt_coro *c)
{
	return c->on.kind == CTT_ON_CHAN && begins(c->reason, "chan send");
}

bool is_receive(const struct ctt_coro *c)
{
	return c->on.kind == CTT_ON_CHAN &&
		(begins(c->reason, "chan receive") || begins(c->reason, "select"));
}

bool waits_for_several(const struct ctt_coro *c)
{
	return !c->on.known && c->on.kind == CTT_ON_CHAN && c->reason &&
		!strcmp(c->reason, "select");
}

bool is_group(const struct ctt_coro *c)
{
	return c->on.kind == CTT_ON_JOIN && begins(c->reason, "sync");
}

bool go_too_long(struct ctt_judge *j, const struct evidence *e)
{
	uint64_t now = end_for(j, e->c), waits = now > e->suspended ? now - e->suspended : 0;

	return e->point && waits >= LONG_NS && waits / TIMES >= e->point->longest_ns;
}

bool go_accuse(const struct evidence *e, struct ctt_finding *f, enum ctt_verdict v,
	enum ctt_certainty sure, const char *because)
{
	f->verdict = v;
	f->certainty = sure;
	f->because = because;
	add_fact(f, suspend_fact(e->c));
	return true;
}

struct search { const char *function; bool found; };

static void compare_frame(void *arg, const struct ctt_site *site, uint64_t addr)
{
	struct search *s = arg;

	(void)addr;
	s->found |= site && !strcmp(site->func, s->function);
}

void functions_of(const struct ctt_judge *j, const struct ctt_coro *c, ctt_frame_fn *fn, void *arg)
{
	const struct ctt_stack *stack =
		c->has_stack ? ctt_model_stack(j->model, c->stack) : NULL;

	if (stack)
		ctt_model_frames(j->model, stack, CTT_FRAMES_ALL, fn, arg);
	else
		fn(arg, ctt_model_site(j->model, c->site), 0);
}

bool was_in(const struct ctt_judge *j, const struct ctt_coro *c, const char *function)
{
	struct search s = { function, false };

	functions_of(j, c, compare_frame, &s);
	return s.found;
}

bool was_elsewhere(const struct ctt_judge *j, const struct ctt_coro *c, const char *function)
{
	bool is_known = c->has_stack || *ctt_model_site(j->model, c->site)->func;

	return is_known && !was_in(j, c, function);
}

struct line *line_noted(struct line list[], struct point *p)
{
	struct line first = { p, 0 };
	size_t i = 0;

	while (i < LINES - 1 && list[i].at != p)
		i++;
	if (list[i].at == p)
		first = list[i];
	memmove(list + 1, list, i * sizeof(*list));
	list[0] = first;
	return list;
}

static void note_spawned(struct point *p, uint64_t ts)
{
	if (!p->spawned || ts < p->spawned)
		p->spawned = ts;
}

/* Of those that live: when the last was made whose maker has ended, for it may be anybody's grandchild; who
 * has made one; and of each go statement, when the first was made that is in no send. */
void judge_go(struct ctt_judge *j)
{
	struct ctt_coro *c;

	j->last_orphan = 0;
	j->once_known = j->does_once = false;
	for (size_t i = 0; i < j->points.count; i++) {
		struct point *p = j->points.item[i];

		p->spawned = 0;
		p->looked = false;
		p->worker = UINT64_MAX;
	}
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		struct ctt_coro *parent = c->parent ? ctt_model_coro(j->model, c->parent) : NULL;

		if (c->system)
			continue;
		if (parent)
			evidence_of(parent)->kid_lives = true;
		else if (c->parent && c->created > j->last_orphan)
			j->last_orphan = c->created;
		if (c->spawn_site && c->created &&
			!(c->state == CTT_CORO_SUSPENDED && is_send(c)))
			note_spawned(keyed_get(&j->points, c->spawn_site), c->created);
	}
}

bool kids_ended(struct ctt_judge *j, const struct evidence *e)
{
	return e->a_kid_ended && !e->kid_lives && j->last_orphan <= e->first_kid;
}

/* That a Done is missing no trace shows: whoever has ended may have left it to a timer, a callback, a queue. */
bool rule_go_group(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	return is_group(e->c) && go_too_long(j, e) && kids_ended(j, e) &&
		go_accuse(e, f, CTT_V_STUCK_GROUP, CTT_HINT,
			"all whom they started have ended, and nobody whom those started is left");
}

void kid_created(struct ctt_judge *j, struct ctt_coro *parent, const struct ctt_event *ev)
{
	struct evidence *e = evidence_of(parent);
	struct line *line;

	e->first_kid = e->first_kid ? e->first_kid : ev->ts;
	e->kids_live++;
	if (!ev->site)
		return;
	line = line_noted(e->made, keyed_get(&j->points, ev->site));
	if (was_elsewhere(j, parent, ctt_model_site(j->model, ev->site)->func))
		line->came_anew = ev->ts;
}

void kid_ended(struct ctt_coro *parent, const struct ctt_coro *kid)
{
	struct evidence *e = parent->evidence;

	if (!e)
		return;
	if (e->kids_live)
		e->kids_live--;
	e->a_kid_ended |= !kid->system;
}
