/* blocked.c - workers that are all inside a poll, for longer than the grace: nothing else can run.
 *
 * It names the polls, and how many wait to run meanwhile; those who come late are no finding of
 * their own. A hint: who computes does that, too. */
#include "judge/judge.h"

/* Does it run a coroutine, the same one, for the grace? */
static bool inside(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *arg)
{
	const struct ctt_coro *r = w->running ? ctt_model_coro(j->model, w->running) : NULL;

	(void)c; (void)arg;
	return r && r->state == CTT_CORO_RUNNING && r->tid == w->tid && settled(j, r, r->since);
}

/* Are all workers of c's process inside a poll? One walk a process. */
static bool all_inside(struct ctt_judge *j, const struct ctt_coro *c)
{
	struct process *p = process_of(j, c->tid);

	if (!p->now.asked) {
		p->now.asked = true;
		p->now.blocked = each_worker(j, c, inside, NULL);
	}
	return p->now.blocked;
}

/* Wants to run, and only a worker is missing. */
static bool wants_to_run(struct ctt_judge *j, const struct ctt_coro *c)
{
	return c->state == CTT_CORO_RUNNABLE ||
		(c->state == CTT_CORO_SUSPENDED && c->on.kind == CTT_ON_TIMER && c->on.number &&
			c->on.value > c->since && settled(j, c, c->on.value));
}

static void accuse(struct ctt_judge *j, struct ctt_coro *c)
{
	struct process *p = process_of(j, c->tid);
	struct ctt_finding f = {
		.verdict = CTT_V_BLOCKED_WORKERS, .certainty = CTT_HINT, .coro = c
	};

	f.cause = (struct ctt_fact){ c->resume_line, c->resumed, c->tid, 0, 0, "resumed" };
	f.because = p->now.waiting ?
		"every worker is inside a poll for longer than the grace, and others wait to run" :
		"every worker is inside a poll for longer than the grace";
	add_fact(&f, f.cause);
	f.to_run = p->now.waiting;
	add_finding(j, &f);
}

void judge_blocked(struct ctt_judge *j)
{
	struct ctt_coro *c;
	bool any = false;

	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		any |= c->state == CTT_CORO_RUNNING && c->resumed && !c->v1 && !c->system &&
			all_inside(j, c);
	for (size_t i = 0; any && (c = ctt_model_next(j->model, &i));) {
		struct process *p = process_of(j, c->tid);

		p->now.waiting += p->now.blocked && !c->system && wants_to_run(j, c);
	}
	for (size_t i = 0; any && (c = ctt_model_next(j->model, &i));)
		if (c->state == CTT_CORO_RUNNING && !c->system &&
			process_of(j, c->tid)->now.blocked && settled(j, c, c->since))
			accuse(j, c);
}
