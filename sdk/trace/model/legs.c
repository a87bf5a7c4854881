/* legs.c - the several things that a coroutine waits for, from the lines before its suspend.
 * Contracts in cttrace/model.h and state.h. */
#include <stdlib.h>
#include <string.h>

#include "model/state.h"

enum { MANY = 4096 };			/* more than these are as good as not known */

static void empty(struct ctt_legs *l)
{
	for (size_t i = 0; l && i < l->count; i++)
		free((char *)l->leg[i].on.text.p);
	if (l)
		l->count = 0;
}

void legs_free(struct ctt_coro *c)
{
	empty(c->legs);
	empty(c->next_legs);
	free(c->legs);
	free(c->next_legs);
	c->legs = c->next_legs = NULL;
}

void leg_line(struct ctt_coro *c, const struct ctt_event *ev)
{
	struct ctt_legs *l = c->next_legs;
	struct ctt_leg *leg;

	if (l && l->n != ev->n)
		empty(l);
	if (l && l->count == MANY)
		return;
	if (!l || l->count == l->room) {
		size_t room = l ? 2 * l->room : 4;

		l = need(realloc(l, sizeof(*l) + room * sizeof(l->leg[0])));
		l->count = c->next_legs ? l->count : 0;
		l->room = room;
		c->next_legs = l;
	}
	l->n = ev->n;
	leg = &l->leg[l->count++];
	*leg = (struct ctt_leg){ ev->on, ev->site,
		ev->has & CTT_HAS_STACK ? ev->stack : 0 };
	leg->on.text = (struct ctt_text){ NULL, 0 };
	if (ev->on.kind != CTT_ON_NONE && ev->on.known && !ev->on.number) {
		leg->on.text.p = memcpy(need(malloc(ev->on.text.len + 1)), ev->on.text.p,
			ev->on.text.len);
		leg->on.text.len = ev->on.text.len;
	}
}

void legs_early(struct ctt_model *m, const struct ctt_event *ev)
{
	if (m->early.id != ev->probe_id)
		legs_free(&m->early);
	m->early.id = ev->probe_id;
	leg_line(&m->early, ev);
}

void legs_take(struct ctt_model *m, struct ctt_coro *c)
{
	if (m->early.id != c->id)
		return;
	c->next_legs = m->early.next_legs;
	m->early.next_legs = NULL;
}

/* Those that stand before it, if none is missing; a state line may say the same once more. */
void legs_wait(struct ctt_coro *c, const struct ctt_event *ev)
{
	size_t count = (size_t)(ev->any_of ? ev->any_of : ev->all_of);
	struct ctt_legs *l = c->next_legs;

	if (c->legs && count && c->legs->n == ev->n && c->legs->count == count)
		return;
	legs_leave(c);
	if (!count || !l || l->n != ev->n || l->count != count)
		return;
	l->all = !ev->any_of;
	c->legs = l;
	c->next_legs = NULL;
}

void legs_leave(struct ctt_coro *c)
{
	empty(c->legs);
	free(c->legs);
	c->legs = NULL;
}

struct ctt_leg *legs_timer(struct ctt_legs *of)
{
	struct ctt_leg *timer = NULL;

	for (size_t i = 0; i < of->count; i++)
		if (of->leg[i].on.kind == CTT_ON_TIMER) {
			if (timer)
				return NULL;
			timer = &of->leg[i];
		}
	return timer;
}

void legs_deadline(struct ctt_coro *c, const struct ctt_event *ev)
{
	struct ctt_leg *timer = c->legs ? legs_timer(c->legs) : NULL;

	if (timer && !timer->on.text.p)
		timer->on = (struct ctt_on){ CTT_ON_TIMER, ev->on.number, ev->on.number,
			ev->on.value, { NULL, 0 } };
}
