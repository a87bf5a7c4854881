/* closes.c - what is closed while some wait for it, and who is notified then. However often it is closed and opened again, whoever waits
 * is looked at once: the latest come first, and from the first who was told of a close on, all were. So it is with notifies of what
 * is closed. Contracts in objects.h. */
#include "judge/judge.h"

/* so many of one thing may have come at a later time than the line says that is about them */
enum { AHEAD = 64 };

static void tell_waiters(struct object *o, const struct ctt_event *ev)
{
	struct evidence *settled = o->waiters, *e;
	int ahead = 0;

	for (e = o->waiters; e && !e->told; e = e->next) {
		if (!e->closed.line && ev->ts > e->suspended && e->c->state == CTT_CORO_SUSPENDED) {
			e->closed = o->closed;
			e->befell = true;
		}
		if (ev->ts <= e->suspended && ++ahead < AHEAD)
			settled = e->next;
		e->heard = false;
	}
	for (e = settled; e && !e->told; e = e->next)
		e->told = true;
}

static void tell_legs(struct object *o, const struct ctt_event *ev)
{
	struct leg *settled = o->legs, *l;
	int ahead = 0;

	for (l = o->legs; l && !l->told; l = l->next) {
		if (!l->done.line && ev->ts > l->e->suspended &&
			l->e->c->state == CTT_CORO_SUSPENDED)
			l->done = o->closed;
		if (ev->ts <= l->e->suspended && ++ahead < AHEAD)
			settled = l->next;
		l->heard = false;
	}
	for (l = settled; l && !l->told; l = l->next)
		l->told = true;
}

void close_object(struct object *o, const struct ctt_event *ev)
{
	o->closed = fact_of(ev, "closed");
	o->claimed = o->let_go = 0;
	object_reset(o);
	tell_waiters(o, ev);
	tell_legs(o, ev);
}

static void notify_waiters(struct object *o, const struct ctt_event *ev)
{
	struct evidence *settled = o->waiters, *e;
	int ahead = 0;

	for (e = o->waiters; e && !e->heard; e = e->next) {
		bool before = e->closed.line && ev->ts < e->closed.ts && ++ahead < AHEAD;

		e->notified |= e->closed.line && !before;
		if (before)
			settled = e->next;
	}
	for (e = settled; e && !e->heard; e = e->next)
		e->heard = true;
}

/* One that may have been notified is not told again. */
static void notify_legs(struct object *o, const struct ctt_event *ev)
{
	struct leg *settled = o->legs, *l;
	int ahead = 0;

	for (l = o->legs; l && !l->heard; l = l->next) {
		bool its = l->done.line && l->done.line == o->closed.line;
		bool before = its && ev->ts < l->done.ts && ++ahead < AHEAD;

		if (its && !before)
			l->done.line = 0;
		if (before)
			settled = l->next;
	}
	for (l = settled; l && !l->heard; l = l->next)
		l->heard = true;
}

void closed_notified(struct object *o, const struct ctt_event *ev)
{
	notify_waiters(o, ev);
	notify_legs(o, ev);
}

void awaited_ended(struct object *o, struct ctt_fact end)
{
	o->end = end;
	for (struct evidence *w = o->waiters; w && !w->awaitee.line; w = w->next) {
		w->awaitee = end;
		w->befell = true;
	}
	for (struct leg *l = o->legs; l && !l->done.line; l = l->next)
		l->done = end;
}

static void last_end(const struct object *o, struct ctt_fact *end)
{
	if (o && end->line && o->end.line > end->line)
		*end = o->end;
}

void awaited_settle(struct evidence *e)
{
	last_end(e->on, &e->awaitee);
	for (uint32_t i = 0; e->legs && i < e->legs->count; i++)
		last_end(e->legs->leg[i].on, &e->legs->leg[i].done);
}
