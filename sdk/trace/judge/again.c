/* again.c - who asks for a lock or permits with a time limit, in vain, again and again: its timer lets it go on, and to
 * no end. Contracts in legs.h. */
#include "judge/judge.h"

enum { TIMES = 3 };

/* The lock or permits, where it waits for these and a timer, and for nothing else. */
static struct object *limited(const struct evidence *e)
{
	struct object *one = NULL;
	bool timer = false;

	for (uint32_t i = 0; e->legs && !e->legs->all && i < e->legs->count; i++) {
		enum ctt_on_kind kind = e->c->legs->leg[i].on.kind;

		if (kind == CTT_ON_TIMER)
			timer = true;
		else if (one || (kind != CTT_ON_MUTEX && kind != CTT_ON_SEM))
			return NULL;
		else
			one = e->legs->leg[i].on;
	}
	return timer ? one : NULL;
}

void asks_note(struct evidence *e)
{
	const struct object *o = limited(e);
	uint64_t thing = o ? hash64(o->key ^ o->pid) + o->kind : 0;

	if (!o)
		return;
	if (e->asked.thing != thing || o->released.ts > e->asked.since) {
		e->asked.thing = thing;
		e->asked.since = e->suspended;
		e->asked.times = 0;
	}
	e->asked.times++;
}

uint64_t asks_since(const struct evidence *e)
{
	const struct object *o = e->asked.times >= TIMES ? limited(e) : NULL;

	return o && o->released.ts <= e->asked.since ? e->asked.since : 0;
}

uint64_t waits_since(const struct evidence *e)
{
	uint64_t asks = asks_since(e);

	return asks ? asks : e->c->since;
}

bool asks_in_vain(struct ctt_judge *j, const struct evidence *e)
{
	const struct object *o = asks_since(e) ? limited(e) : NULL;

	for (int i = 0; o && i < FRAMES; i++) {
		const struct hold *h = o->holds ? o->holds : o->left;
		const struct ctt_coro *c;

		if (o->kind != CTT_ON_MUTEX || o->passed_on || !h || h->next || h->anybodys)
			return false;
		if (h == o->left)
			return true;
		c = hold_lives(h) ? ctt_model_coro(j->model, h->by) : NULL;
		if (!c || c->state != CTT_CORO_SUSPENDED || c->doubted)
			return false;
		e = c->evidence;
		o = e->legs ? asks_since(e) ? limited(e) : NULL : e->on;
	}
	return o;
}
