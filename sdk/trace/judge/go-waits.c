/* go-waits.c - verdicts on goroutines, whose traces name no object: who waits for a lock or a group for so
 * long that nobody does so by design. These are suspicions: who holds the lock may only be slow.
 *
 * What each cannot see: a holder that works for over a second (stuck-lock), a Done by one that is no
 * descendant and was not woken for it, as by a pool that takes it from a queue when it has time
 * (stuck-group). */
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

static bool waits(const struct ctt_coro *c)
{
	return c->state == CTT_CORO_SUSPENDED;
}

struct search { const char *function; bool found; };

static void compare_frame(void *arg, const struct ctt_site *site, uint64_t addr)
{
	struct search *s = arg;

	(void)addr;
	s->found |= site && !strcmp(site->func, s->function);
}

bool was_in(const struct ctt_judge *j, const struct ctt_coro *c, const char *function)
{
	const struct ctt_stack *stack =
		c->has_stack ? ctt_model_stack(j->model, c->stack) : NULL;
	struct search s = { function, false };

	if (!stack)
		return !strcmp(ctt_model_site(j->model, c->site)->func, function);
	ctt_model_frames(j->model, stack, CTT_FRAMES_ALL, compare_frame, &s);
	return s.found;
}

static const char once[] = "sync.(*Once).doSlow";

/* May somebody be at what is done once? Who runs may be anywhere; who asks for it again within waits for a lock. */
static bool does_once(struct ctt_judge *j)
{
	const struct ctt_coro *c;

	if (j->once_known)
		return j->does_once;
	j->once_known = true;
	for (size_t i = 0; !j->does_once && (c = ctt_model_next(j->model, &i));)
		j->does_once = !c->system && !(waits(c) && is_lock(c)) &&
			(c->state == CTT_CORO_RUNNING || was_in(j, c, once));
	return j->does_once;
}

bool rule_go_lock(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	if (!is_lock(e->c) || !go_too_long(j, e))
		return false;
	if (was_in(j, e->c, once) && does_once(j))
		return go_accuse(e, f, CTT_V_STUCK_LOCK, CTT_HINT,
			"one waits for what is done once, and somebody may be at it");
	return go_accuse(e, f, CTT_V_STUCK_LOCK, CTT_SUSPECTED,
		e->point->longest_ns ?
			"nobody waits for a lock by design, and those who did here never waited a tenth as long" :
			"nobody waits for a lock by design, and nobody who waited here ever got it");
}

void line_noted(struct point *list[], struct point *p)
{
	size_t i = 0;

	while (i < LINES - 1 && list[i] != p)
		i++;
	memmove(list + 1, list, i * sizeof(*list));
	list[0] = p;
}

static void mark_errand(struct ctt_judge *j, uint64_t id)
{
	struct ctt_coro *c = id ? ctt_model_coro(j->model, id) : NULL;

	if (c && c->evidence)
		evidence_of(c)->on_errand = true;
}

static void note_spawned(struct point *p, uint64_t ts)
{
	if (!p->spawned || ts < p->spawned)
		p->spawned = ts;
}

/* Of those that live: when the last was made whose maker has ended, for it may be anybody's grandchild; who has
 * sent one on an errand; and of each go statement, when the first was made that is in no send. */
void judge_go(struct ctt_judge *j)
{
	struct ctt_coro *c;

	j->last_orphan = 0;
	j->once_known = j->does_once = false;
	for (size_t i = 0; i < j->points.count; i++)
		((struct point *)j->points.item[i])->spawned = 0;
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		const struct evidence *e = c->evidence;

		if (c->system)
			continue;
		if (c->created > j->last_orphan && c->parent &&
			!ctt_model_coro(j->model, c->parent))
			j->last_orphan = c->created;
		if (e && e->errand.at && !(waits(c) && e->point == e->errand.at)) {
			mark_errand(j, e->errand.by);
			mark_errand(j, e->errand.by_parent);
		}
		if (c->spawn_site && c->created && !(waits(c) && is_send(c)))
			note_spawned(keyed_get(&j->points, c->spawn_site), c->created);
	}
}

bool kids_ended(struct ctt_judge *j, const struct evidence *e)
{
	return e->kids && !e->kids_live && j->last_orphan <= e->first_kid;
}

/* Of a method its type, as far as a name tells: of a pointer; of others the whole. */
static size_t owner_length(const char *function)
{
	const char *end = strstr(function, ").");

	return end ? (size_t)(end - function) + 1 : strlen(function);
}

/* Did it make several by one line, in the function that waits, or in another of the same type? */
static bool waits_for_loop(const struct ctt_judge *j, const struct evidence *e)
{
	const char *here = ctt_model_site(j->model, e->c->site)->func,
		   *loop = ctt_model_site(j->model, e->loop)->func;
	size_t n = owner_length(here);

	return e->loop && n && n == owner_length(loop) && !strncmp(here, loop, n);
}

bool rule_go_group(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	if (!is_group(e->c) || !go_too_long(j, e) || !kids_ended(j, e))
		return false;
	if (e->on_errand)
		return go_accuse(e, f, CTT_V_STUCK_GROUP, CTT_HINT,
			"all whom they started have ended, but one whom they woke over a channel goes on");
	if (e->point->foreign)
		return go_accuse(e, f, CTT_V_STUCK_GROUP, CTT_HINT,
			"all whom they started have ended, but others ended such waits before");
	if (!waits_for_loop(j, e))
		return go_accuse(e, f, CTT_V_STUCK_GROUP, CTT_HINT,
			"all whom they started have ended, which may have had other work");
	return go_accuse(e, f, CTT_V_STUCK_GROUP, CTT_SUSPECTED,
		"all whom they started have ended, and nobody whom those started is left");
}

void kid_created(struct ctt_judge *j, struct ctt_coro *parent, const struct ctt_event *ev)
{
	struct evidence *e = evidence_of(parent);

	e->first_kid = e->kids++ ? e->first_kid : ev->ts;
	e->kids_live++;
	if (!ev->site)
		return;
	if (e->made[0] && e->made[0]->site == ev->site)
		e->loop = ev->site;
	line_noted(e->made, keyed_get(&j->points, ev->site));
}

void kid_ended(struct ctt_coro *parent)
{
	struct evidence *e = parent->evidence;

	if (e && e->kids_live)
		e->kids_live--;
}
