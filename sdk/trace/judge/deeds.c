/* deeds.c - what holders of locks do meanwhile, and the locks that each has. Contracts in deeds.h. */
#include <stdlib.h>

#include "judge/judge.h"

static void give(struct holder *to, struct hold *h)
{
	h->prev_held = &to->held;
	h->next_held = to->held;
	if (h->next_held)
		h->next_held->prev_held = &h->next_held;
	to->held = h;
}

void deeds_take(struct ctt_judge *j, struct holder *by, struct hold *h)
{
	if (!by->deeds)
		by->deeds = need(calloc(1, sizeof(*by->deeds)));
	give(by, h);
	h->deeds = by->deeds;
	h->deeds->seen += h->seen;
	h->from = j->deeds + 1;
}

void deeds_note(const struct ctt_judge *j, struct deed *last, uint64_t value)
{
	if (last->nth && last->value != value)
		last->other = last->nth;
	last->value = value;
	last->nth = j->deeds;
}

/* Was there one since? Then `value` is the last, and it is known whether there were several. */
static bool since(const struct deed *d, uint64_t from, uint64_t *value, bool *several)
{
	if (d->nth < from)
		return false;
	*several |= d->other >= from || (*value && *value != d->value);
	*value = d->value;
	return true;
}

static void bring(struct hold *h)
{
	const struct deeds *d = h->deeds;
	struct object *o = h->object;
	bool end = has_ends(o);

	since(&d->woke, h->from, &h->woke, &h->woke_several);
	since(&d->to[end], h->from, &h->sent_to, &h->sent_often);
	h->sent |= since(&d->over[end], h->from, &h->sent_over, &h->sent_around);
	if (d->created.nth >= h->from && d->created.nth > o->child_from) {
		o->children |= d->created.other >= h->from && d->created.other > o->child_from;
		o->children |= o->child && o->child != d->created.value;
		if (d->created.nth > o->child_nth) {
			o->child = d->created.value;
			o->child_nth = d->created.nth;
		}
	}
}

void deeds_settle(struct ctt_judge *j, struct hold *h)
{
	if (h->deeds)
		bring(h);
	h->from = j->deeds + 1;
}

void deeds_leave(struct hold *h)
{
	if (!h->deeds)
		return;
	bring(h);
	h->deeds->seen -= h->seen;
	h->deeds = NULL;
	*h->prev_held = h->next_held;
	if (h->next_held)
		h->next_held->prev_held = h->prev_held;
	h->prev_held = NULL;
}

static void settle_held(struct ctt_judge *j, const struct holder *by)
{
	for (struct hold *h = by->held; h; h = h->next_held)
		deeds_settle(j, h);
}

void deeds_settle_all(struct ctt_judge *j)
{
	const struct ctt_coro *c;

	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		if (c->evidence)
			settle_held(j, &((struct evidence *)c->evidence)->has);
	for (size_t i = 0; i < j->threads.count; i++)
		settle_held(j, &((struct thread *)j->threads.item[i])->has);
}
