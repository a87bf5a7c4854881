/* legs.c - coroutines that wait for any or all of several things. Contracts in legs.h. */
#include <stdlib.h>

#include "judge/judge.h"

static void link_leg(struct ctt_judge *j, struct leg *l, const struct ctt_on *on, uint64_t tid)
{
	struct ctt_coro *awaited;
	const struct ctt_fact *end;

	l->on = object_get(j, on, tid);
	if (!l->on)
		return;
	l->prev = &l->on->legs;
	l->next = l->on->legs;
	if (l->next)
		l->next->prev = &l->next;
	l->on->legs = l;
	if (l->on->closed.line && l->on->closed.ts > l->e->suspended)
		l->done = l->on->closed;
	if (on->kind != CTT_ON_CORO && on->kind != CTT_ON_JOIN)
		return;
	awaited = ctt_model_coro(j->model, on->value);
	if (awaited && on->kind == CTT_ON_CORO)
		evidence_of(awaited)->awaiter = l->e->c->id;
	if (!awaited && (end = judge_ended(j, on->value)))
		l->done = *end;
}

void legs_enter(struct ctt_judge *j, struct evidence *e, uint64_t tid)
{
	const struct ctt_legs *of = e->c->legs;

	if (!of)
		return;
	e->legs = need(calloc(1, sizeof(*e->legs) + of->count * sizeof(e->legs->leg[0])));
	e->legs->all = of->all;
	e->legs->count = (uint32_t)of->count;
	for (size_t i = 0; i < of->count; i++) {
		e->legs->leg[i].e = e;
		link_leg(j, &e->legs->leg[i], &of->leg[i].on, tid);
	}
}

const struct ctt_fact *legs_done(const struct evidence *e)
{
	const struct ctt_fact *last = NULL;

	for (uint32_t i = 0; e->legs && i < e->legs->count; i++) {
		const struct ctt_fact *done = &e->legs->leg[i].done;

		if (!done->line)
			return NULL;
		if (!last || done->ts > last->ts)
			last = done;
	}
	return last;
}
