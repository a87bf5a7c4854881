/* copy.c - a second model of the same lines. Contracts in state.h. */
#include <stdlib.h>
#include <string.h>

#include "model/state.h"

static void *copy_bytes(const void *p, size_t len)
{
	return p ? memcpy(need(malloc(len)), p, len) : NULL;
}

static char *copy_string(const char *s)
{
	return s ? copy_bytes(s, strlen(s) + 1) : NULL;
}

static struct ctt_legs *copy_legs(const struct ctt_legs *l)
{
	struct ctt_legs *copy = l ?
		copy_bytes(l, sizeof(*l) + l->room * sizeof(l->leg[0])) :
		NULL;

	for (size_t i = 0; l && i < l->count; i++)
		copy->leg[i].on.text.p = copy_bytes(l->leg[i].on.text.p, l->leg[i].on.text.len + 1);
	return copy;
}

static void copy_coro(struct ctt_coro *to, const struct ctt_coro *c)
{
	*to = *c;
	to->name = copy_string(c->name);
	to->reason = copy_string(c->reason);
	to->on.text.p = copy_bytes(c->on.text.p, c->on.text.len + 1);
	to->legs = copy_legs(c->legs);
	to->next_legs = copy_legs(c->next_legs);
	to->evidence = NULL;
}

/* Items of the same order and bytes: what they point to is still that of the first. */
static void copy_keyed(struct keyed *to, const struct keyed *t)
{
	*to = (struct keyed){ .elem = t->elem };
	for (size_t i = 0; i < t->count; i++)
		memcpy(keyed_make(to, *(uint64_t *)t->item[i]), t->item[i], t->elem);
}

static void copy_site(struct ctt_site *s)
{
	s->func = copy_string(s->func);
	s->file = copy_string(s->file);
}

static void copy_tables(struct ctt_model *to, const struct ctt_model *m)
{
	copy_keyed(&to->workers, &m->workers);
	copy_keyed(&to->sites, &m->sites);
	copy_keyed(&to->stacks, &m->stacks);
	copy_keyed(&to->symbols, &m->symbols);
	for (size_t i = 0; i < to->workers.count; i++) {
		struct ctt_worker *w = to->workers.item[i];

		w->name = copy_string(w->name);
		w->role = copy_string(w->role);
	}
	for (size_t i = 0; i < to->sites.count; i++)
		copy_site(to->sites.item[i]);
	for (size_t i = 0; i < to->stacks.count; i++) {
		struct ctt_stack *s = to->stacks.item[i];

		s->at = copy_bytes(s->at, (s->count + 1) * sizeof(*s->at));
	}
	for (size_t i = 0; i < to->symbols.count; i++) {
		struct symbol *s = to->symbols.item[i];

		s->at = copy_bytes(s->at, s->count * sizeof(*s->at));
		for (size_t k = 0; k < s->count; k++)
			copy_site(&s->at[k]);
	}
}

struct ctt_model *model_copy(const struct ctt_model *m)
{
	struct ctt_model *to = need(malloc(sizeof(*to)));
	const struct ctt_coro *c;

	*to = *m;
	to->on_end = NULL;
	to->follower = (struct follower){ 0 };
	to->coros = (struct coros){ 0 };
	for (size_t i = 0; (c = hash_each(&m->coros.live, &i));)
		copy_coro(coros_add(&to->coros, c->id), c);
	copy_coro(&to->early, &m->early);
	to->confirmed.id =
		copy_bytes(m->confirmed.id, m->confirmed.room * sizeof(*m->confirmed.id));
	copy_tables(to, m);
	return to;
}
