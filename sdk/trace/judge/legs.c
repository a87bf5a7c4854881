/* legs.c - coroutines that wait for any or all of several things. Contracts in legs.h. */
#include <stdlib.h>
#include <string.h>

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
	l->came = object_arrival(l->on);
	l->on->came = l->e->suspended;
	channel_used(j, l->on, l->e->c->id, 0);
	if (l->on->closed.line && l->on->closed.ts > l->e->suspended)
		l->done = l->on->closed;
	if (on->kind != CTT_ON_CORO && on->kind != CTT_ON_JOIN)
		return;
	awaited = ctt_model_coro(j->model, on->value);
	if (awaited)
		await_end(awaited, on->kind, l->e->c->id);
	if (!awaited && (end = judge_ended(j, on->value)))
		l->done = *end;
}

void await_end(struct ctt_coro *awaited, enum ctt_on_kind kind, uint64_t by)
{
	struct evidence *e = evidence_of(awaited);

	*(kind == CTT_ON_CORO ? &e->awaiter : &e->joiner) = by;
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
	asks_note(e);
}

/* It as if it waited for that one alone. Where it waits says nothing of what it wants there: it may
 * want to send on this one and to receive from that. */
static struct evidence alone(const struct evidence *e, uint32_t i, struct ctt_coro *c)
{
	const struct leg *l = &e->legs->leg[i];
	struct evidence as = *e;
	bool ends = l->on->kind == CTT_ON_CORO || l->on->kind == CTT_ON_JOIN;

	*c = *e->c;
	c->on = e->c->legs->leg[i].on;
	as.c = c;
	as.on = l->on;
	as.legs = NULL;
	as.came = l->came;
	as.point = NULL;
	if (ends)
		as.awaitee = l->done;
	else
		as.closed = l->done;
	if (l->on->kind != CTT_ON_TIMER)
		as.moved.line = 0;
	return as;
}

bool legs_rule(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f, rule *r,
	enum ctt_certainty least)
{
	for (uint32_t i = 0; e->legs && !e->legs->all && i < e->legs->count; i++) {
		const struct object *o = e->legs->leg[i].on;
		struct ctt_finding of = *f;
		struct ctt_coro c;
		struct evidence as;

		if (!o || (o->kind == CTT_ON_TIMER && e->timers_moved))
			continue;
		as = alone(e, i, &c);
		if (!r(j, &as, &of) || of.certainty > least)
			continue;
		*f = of;
		return true;
	}
	return false;
}

bool legs_all_rule(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f, rule *r)
{
	struct ctt_finding all = *f;
	bool any = false;

	if (!e->legs || !e->legs->all)
		return false;
	add_fact(&all, suspend_fact(e->c));
	for (uint32_t i = 0; i < e->legs->count; i++) {
		const struct leg *l = &e->legs->leg[i];
		struct ctt_finding of = *f;
		struct ctt_coro c;
		struct evidence as;

		if (!l->done.line && !l->on)
			return false;
		if (l->done.line) {
			of.cause = l->done;
		} else {
			as = alone(e, i, &c);
			if (!r(j, &as, &of) || of.certainty != CTT_PROVEN)
				return false;
			any = true;
			all.verdict = of.verdict;
		}
		add_fact(&all, of.cause);
		if (of.cause.ts > all.cause.ts)
			all.cause = of.cause;
	}
	if (!any)
		return false;
	all.certainty = CTT_PROVEN;
	all.because = "each of what they wait for is there, or gone, and nobody woke them";
	*f = all;
	return true;
}

bool legs_gone_rule(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f, rule *r)
{
	struct ctt_finding all = *f;
	bool any = false;

	for (uint32_t i = 0; e->legs && i < e->legs->count; i++) {
		const struct leg *l = &e->legs->leg[i];
		struct ctt_finding of = *f;
		struct ctt_coro c;
		struct evidence as;
		bool dead;

		if (!l->on && !l->done.line) {
			if (!e->legs->all)
				return false;
			continue;
		}
		as = alone(e, i, &c);
		dead = !l->done.line && r(j, &as, &of) && of.certainty == CTT_PROVEN;
		if (dead && e->legs->all) {
			*f = of;
			return true;
		}
		if (!dead && !l->done.line && !e->legs->all)
			return false;
		any |= dead;
		add_fact(&all, dead ? of.cause : l->done);
		if (dead && of.cause.ts > all.cause.ts) {
			all.cause = of.cause;
			all.verdict = of.verdict;
		}
	}
	if (!any || e->legs->all)
		return false;
	add_fact(&all, suspend_fact(e->c));
	all.certainty = CTT_PROVEN;
	all.because = "whoever alone could bring about any of what they wait for has ended, or it is gone, and nobody woke them";
	*f = all;
	return true;
}

void legs_moved(struct evidence *e, const struct ctt_event *ev)
{
	const struct ctt_leg *timer = e->c->legs ? legs_timer(e->c->legs) : NULL;
	size_t i = timer ? (size_t)(timer - e->c->legs->leg) : 0;

	if (!timer || !e->legs || i >= e->legs->count)
		return;
	e->legs->leg[i].done = fact_of(ev, LEG_OFF);
	if (ev->on.number)		/* to another time */
		e->legs->leg[i].done.line = 0;
}

const struct ctt_fact *legs_done(const struct evidence *e)
{
	const struct ctt_fact *last = NULL;
	bool off = true;

	for (uint32_t i = 0; e->legs && i < e->legs->count; i++) {
		const struct ctt_fact *done = &e->legs->leg[i].done;

		if (!done->line)
			return NULL;
		off &= !strcmp(done->what, LEG_OFF);
		if (!last || done->ts > last->ts)
			last = done;
	}
	return off ? NULL : last;
}
