/* go-locks.c - verdicts on goroutines that wait for a lock for so long that nobody does so by design. No trace
 * shows who has it, and who has it may only be slow: suspected where nobody works in a function that may
 * have taken it.
 *
 * What it cannot see: a lock that is taken by functions of other types as well. */
#include <string.h>

#include "judge/judge.h"

enum { ASKED = 3 };		/* so many that one after another wait for the next one's answer */

static bool begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool waits(const struct ctt_coro *c)
{
	return c->state == CTT_CORO_SUSPENDED;
}

/* Of "dir/pkg.name" the length of "dir/pkg". */
static size_t package_length(const char *function)
{
	const char *slash = strrchr(function, '/'), *dot = strchr(slash ? slash : function, '.');

	return dot ? (size_t)(dot - function) : strlen(function);
}

/* Of a method the length up to its type's name: "pkg.(*T).m", "pkg.T.m"; of other functions, and what stands in
 * them, that of the package. */
static size_t owner_length(const char *function)
{
	static const char *const inner[] = { "func", "gowrap", "deferwrap" };
	size_t package = package_length(function);
	const char *name = function + package + 1, *end;

	if (!function[package])
		return package;
	end = *name == '(' ? strstr(name, ").") : strchr(name, '.');
	if (!end)
		return package;
	for (size_t i = 0; i < sizeof(inner) / sizeof(*inner); i++)
		if (*name != '(' && begins(end + 1, inner[i]))
			return package;
	return (size_t)(end - function);
}

static bool are_of_one_owner(const char *a, const char *b)
{
	size_t n = owner_length(a);

	return n && n == owner_length(b) && !strncmp(a, b, n);
}

/* What of one's stack the search for a holder looks at: from the innermost function outwards. */
struct walk {
	const struct ctt_site *lock;	/* where others wait for it */
	const char *innermost;		/* outside the runtime */
	const char *outermost;
	bool behind;			/* it has gone on from that line */
	bool owner;			/* it is in a function of the same owner */
};

static void look_at(void *arg, const struct ctt_site *site, uint64_t addr)
{
	struct walk *w = arg;

	(void)addr;
	if (!site || begins(site->func, "runtime."))
		return;
	w->innermost = w->innermost ? w->innermost : site->func;
	w->outermost = site->func;
	w->behind |= site->line >= w->lock->line && !strcmp(site->func, w->lock->func);
	w->owner |= are_of_one_owner(site->func, w->lock->func);
}

/* It runs, or waits for time, or for what comes from outside. */
static bool is_at_work(const struct ctt_coro *c)
{
	static const unsigned outside = 1u << CTT_ON_FD | 1u << CTT_ON_TIMER |
		1u << CTT_ON_SYSCALL | 1u << CTT_ON_SCHED | 1u << CTT_ON_RUNTIME;

	return !c->system && (!waits(c) || outside >> c->on.kind & 1);
}

static bool is_answered(struct ctt_judge *j, const struct ctt_coro *c, int asked);

static bool does_answer(struct ctt_judge *j, uint64_t id, int asked)
{
	const struct ctt_coro *c = ctt_model_coro(j->model, id);

	return c && is_answered(j, c, asked);
}

/* Or waits over a channel since before the trace; or where one woke somebody, or received, that lives and is at
 * work, or waits so itself. */
static bool is_answered(struct ctt_judge *j, const struct ctt_coro *c, int asked)
{
	const struct evidence *e = c->evidence;
	const struct point *p;

	if (is_at_work(c))
		return true;
	if (c->on.kind != CTT_ON_CHAN || !e || !e->point || asked == ASKED)
		return false;
	p = e->point;
	for (size_t i = 0; i < p->waker_count; i++)
		if (does_answer(j, p->wakers[i], asked + 1))
			return true;
	for (size_t i = 0; i < p->taker_count; i++)
		if (does_answer(j, p->takers[i].id, asked + 1))
			return true;
	return !waits_for_several(c) && !c->resumed;
}

/* It waits to receive where no goroutine ever gave anything: a timer's channel, or something is yet to come. */
static bool waits_unanswered(const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;

	return waits(c) && is_receive(c) && e && e->point && !e->point->waker_count;
}

/* May one that is there have that lock, and give it back? */
static bool may_go_on(struct ctt_judge *j, const struct ctt_coro *c, const struct walk *w)
{
	size_t package = package_length(w->lock->func);
	bool several = waits(c) && waits_for_several(c);

	if (w->behind && (several || waits_unanswered(c)))
		return true;
	return (several && strncmp(w->innermost, w->lock->func, package + 1)) ||
		is_answered(j, c, 0);
}

static bool is_in_main(const struct walk *w)
{
	return owner_length(w->lock->func) == package_length(w->lock->func) &&
		!strcmp(w->outermost, "main.main");
}

/* When the first was made that may have the lock for which one waits there, and works: it is in that function behind
 * the line, or in another of the same type; or, where it waits for a group or to receive, one does that was started there. */
static uint64_t first_worker(struct ctt_judge *j, struct point *p)
{
	const struct ctt_site *lock = ctt_model_site(j->model, p->site);
	uint64_t parted = UINT64_MAX;
	bool started = false;
	const struct ctt_coro *c;

	for (size_t i = 0; !p->looked && (c = ctt_model_next(j->model, &i));) {
		struct walk w = { lock, NULL, NULL, false, false };

		if (c->system)
			continue;
		started |= c->spawn_site && is_at_work(c) &&
			are_of_one_owner(ctt_model_site(j->model, c->spawn_site)->func, lock->func);
		functions_of(j, c, look_at, &w);
		if (!w.behind && (!w.owner || is_in_main(&w)))
			continue;
		if (waits(c) && !waits_for_several(c) && (is_group(c) || is_receive(c)) &&
			c->created < parted)
			parted = c->created;
		if (c->created < p->worker && may_go_on(j, c, &w))
			p->worker = c->created;
	}
	if (started && parted < p->worker)
		p->worker = parted;
	p->looked = true;
	return p->worker;
}

bool holder_may_work(struct ctt_judge *j, const struct evidence *e)
{
	return first_worker(j, e->point) < e->suspended;
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
	if (holder_may_work(j, e))
		return go_accuse(e, f, CTT_V_STUCK_LOCK, CTT_HINT,
			"one waits for a lock, and one that may have it works");
	return go_accuse(e, f, CTT_V_STUCK_LOCK, CTT_SUSPECTED,
		e->point->longest_ns ?
			"nobody waits for a lock by design, and those who did here never waited a tenth as long" :
			"nobody waits for a lock by design, and nobody who waited here ever got it");
}

