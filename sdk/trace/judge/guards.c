/* guards.c - with whom the guard of a lock may have gone. Contracts in objects.h. */
#include "judge/judge.h"

/* NULL: that coroutine has nothing; 0: that thread, outside of coroutines. */
static struct deeds *deeds_of(
	struct ctt_judge *j, const struct evidence *e, uint64_t by, uint64_t tid)
{
	const struct thread *t = e || by ? NULL : keyed_find(&j->threads, tid);
	const struct holder *has = e ? &e->has : t ? &t->has : NULL;

	return has && has->held ? has->deeds : NULL;
}

void guards_created(struct ctt_judge *j, struct evidence *parent, const struct ctt_event *ev)
{
	struct deeds *d = deeds_of(j, parent, 0, ev->tid);

	if (parent)
		parent->gave = 0;
	if (!d)
		return;
	j->deeds++;
	deeds_note(j, &d->created, ev->probe_id);
}

static void note_sent(struct ctt_judge *j, struct deeds *d, const struct ctt_event *ev)
{
	const struct object *o = object_find(j, &ev->on, ev->tid);
	bool reply = o && is_channel(o) &&
		(hold_find(o, ev->by, ev->tid) ||
			(ev->by && o->released.line && o->released.by == ev->by));

	for (int end = 0; end < (reply ? 1 : 2); end++) {	/* no end goes with a reply */
		deeds_note(j, &d->over[end], ctt_on_key(&ev->on));
		if (ev->probe_id)
			deeds_note(j, &d->to[end], ev->probe_id);
	}
}

void guards_sent(struct ctt_judge *j, const struct ctt_event *ev)
{
	bool wakes = ev->kind == CTT_EV_WAKE && ev->by;
	bool sends = ev->on.kind == CTT_ON_CHAN || !ev->by;
	struct ctt_coro *c = ev->by && (sends || wakes) ? ctt_model_coro(j->model, ev->by) : NULL;
	struct deeds *d = deeds_of(j, c ? c->evidence : NULL, ev->by, ev->tid);

	if (!d)
		return;
	j->deeds++;
	if (wakes)
		deeds_note(j, &d->woke, ev->probe_id);
	if (sends)
		note_sent(j, d, ev);
}

void guards_gave(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct ctt_coro *c = ev->by ? ctt_model_coro(j->model, ev->by) : NULL;
	const struct ctt_coro *to;
	const struct object *o;
	struct evidence *e;

	if (!c)
		return;
	e = evidence_of(c);
	to = ev->probe_id ? ctt_model_coro(j->model, ev->probe_id) : NULL;
	o = to && to->evidence ? ((struct evidence *)to->evidence)->on : NULL;
	if (ev->kind == CTT_EV_LEVEL && ev->on.kind == CTT_ON_CHAN)
		e->gave = ctt_on_key(&ev->on);
	else if (ev->kind != CTT_EV_WAKE || !o || o->kind != CTT_ON_CHAN || o->key != e->gave)
		e->gave = 0;
}
