/* guards.c - with whom the guard of a lock may have gone. Contracts in objects.h. */
#include "judge/judge.h"

/* What a plain thread has. */
static struct hold *held_by_thread(const struct ctt_judge *j, uint64_t tid)
{
	const struct thread *t = keyed_find(&j->threads, tid);

	return t ? t->held : NULL;
}

void guards_created(struct ctt_judge *j, const struct evidence *parent, const struct ctt_event *ev)
{
	struct hold *h = parent ? parent->held : held_by_thread(j, ev->tid);

	for (; h; h = h->next_held)
		h->object->child = ev->probe_id;
}

void guards_sent(struct ctt_judge *j, const struct ctt_event *ev)
{
	bool wakes = ev->kind == CTT_EV_WAKE && ev->by;
	bool sends = ev->on.kind == CTT_ON_CHAN || !ev->by;
	struct ctt_coro *c = ev->by && (sends || wakes) ? ctt_model_coro(j->model, ev->by) : NULL;
	struct evidence *e = c ? c->evidence : NULL;
	struct hold *held = e ? e->held : ev->by ? NULL : held_by_thread(j, ev->tid);
	uint64_t over = held ? ctt_on_key(&ev->on) : 0;
	const struct object *o = held && sends ? object_find(j, &ev->on, ev->tid) : NULL;
	bool reply = o && is_channel(o) &&
		(hold_find(o, ev->by, ev->tid) ||
			(ev->by && o->released.line && o->released.by == ev->by));

	for (struct hold *h = held; h; h = h->next_held) {
		if (wakes) {
			h->woke_several |= h->woke && h->woke != ev->probe_id;
			h->woke = ev->probe_id;
		}
		if (!sends || (reply && has_ends(h->object)))	/* no end goes with a reply */
			continue;
		h->sent = true;
		h->sent_around |= h->sent_over && h->sent_over != over;
		h->sent_over = over;
		h->sent_often |= ev->probe_id && h->sent_to && h->sent_to != ev->probe_id;
		h->sent_to = ev->probe_id ? ev->probe_id : h->sent_to;
	}
}
