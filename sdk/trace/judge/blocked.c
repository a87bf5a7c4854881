/* blocked.c - workers that are all inside a poll, for longer than the grace: nothing else can run.
 *
 * It names the polls, and how many wait to run meanwhile; those who come late are no finding of
 * their own. A hint, as who computes does that, too; suspected, where each waits for something that
 * another has to do, keeps its worker (pinned), and others wait to run. */
#include "judge/judge.h"

/* Does it wait, and keep its worker, for what only another brings about? */
static bool needs_another(const struct ctt_worker *w, const struct ctt_coro *c)
{
	return c->state == CTT_CORO_SUSPENDED && w->pinned == c->id && c->on.known &&
		c->on.kind != CTT_ON_TIMER && c->on.kind != CTT_ON_FD;
}

/* Does it run a coroutine, the same one, for the grace? */
static bool inside(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *arg)
{
	const struct ctt_coro *r = worker_keeper(j, w);

	(void)c;
	*(bool *)arg |= r && !needs_another(w, r);
	return r && r->tid == w->tid && settled(j, r, r->since);
}

/* Are all workers of c's process inside a poll? One walk a process. */
static bool all_inside(struct ctt_judge *j, const struct ctt_coro *c)
{
	struct process *p = process_of(j, c->tid);

	if (!p->now.asked) {
		p->now.asked = true;
		p->now.blocked = each_worker(j, c, inside, &p->now.computes);
	}
	return p->now.blocked;
}

static bool pinned(const struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct ctt_worker *w = ctt_model_worker(j->model, c->tid);

	return w && w->pinned == c->id;
}

/* Wants to run, and only a worker is missing. */
static bool wants_to_run(struct ctt_judge *j, const struct ctt_coro *c)
{
	if (pinned(j, c))
		return false;
	return c->state == CTT_CORO_RUNNABLE ||
		(c->state == CTT_CORO_SUSPENDED && c->on.kind == CTT_ON_TIMER && c->on.number &&
			c->on.value > c->since && settled(j, c, c->on.value));
}

static void accuse(struct ctt_judge *j, struct ctt_coro *c)
{
	struct process *p = process_of(j, c->tid);
	bool kept = p->now.waiting && !p->now.computes;
	struct ctt_finding f = { .verdict = CTT_V_BLOCKED_WORKERS,
		.certainty = kept ? CTT_SUSPECTED : CTT_HINT, .coro = c };

	f.cause = (struct ctt_fact){ c->resume_line, c->resumed, c->tid, 0, 0,
		c->since_before ? "seen to run" : "resumed" };
	f.because = kept ?
		"every worker is kept by one that waits, and others wait to run" :
		p->now.waiting ?
		"every worker is inside a poll for longer than the grace, and others wait to run" :
		"every worker is inside a poll for longer than the grace";
	add_fact(&f, f.cause);
	if (pinned(j, c))
		add_fact(&f, suspend_fact(c));
	f.to_run = p->now.waiting;
	add_finding(j, &f);
}

static bool may_block(struct ctt_judge *j, const struct ctt_coro *c)
{
	return !c->system && !c->v1 && c->resumed &&
		(c->state == CTT_CORO_RUNNING || pinned(j, c)) && all_inside(j, c);
}

/* For those of which no line says where they ran, as a snapshot's that wait to run: that of one who is inside
 * a poll as the workers of all processes are; 0: none. */
static uint32_t thread_of_none(struct ctt_judge *j, const struct ctt_coro *inner)
{
	const struct ctt_coro *c;
	bool computes = false;

	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		if (!c->tid)
			return each_worker(j, c, inside, &computes) ? inner->tid : 0;
	return 0;
}

void judge_blocked(struct ctt_judge *j)
{
	struct ctt_coro *c, *any = NULL;
	uint32_t none;

	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		any = may_block(j, c) ? c : any;
	none = any ? thread_of_none(j, any) : 0;
	for (size_t i = 0; any && (c = ctt_model_next(j->model, &i));) {
		struct process *p = process_of(j, c->tid ? c->tid : none);

		p->now.waiting += p->now.blocked && !c->system && wants_to_run(j, c);
	}
	/* of those that wait for one another, that is the finding */
	for (size_t i = 0; any && (c = ctt_model_next(j->model, &i));)
		if (may_block(j, c) && settled(j, c, c->since) &&
			!(c->evidence && ((struct evidence *)c->evidence)->in_cycle))
			accuse(j, c);
}
