/* coros.c - the table of live coroutines: one lookup an event, memory for those alive at once.
 * Contracts in state.h. */
#include <stdlib.h>
#include <string.h>

#include "model/state.h"

/* The first of a run is small: a file may hold runs by the hundred thousand. */
enum { FIRST_BLOCK = 2, BLOCK = 256 };
struct coro_block {
	struct coro_block *next;
	size_t room;
	/* each begins a cache line */
	struct aligned { _Alignas(64) struct ctt_coro c; } at[];
};

void set_text(char **s, struct ctt_text t)
{
	if (*s && strlen(*s) == t.len && (!t.len || !memcmp(*s, t.p, t.len)))
		return;
	*s = need(realloc(*s, t.len + 1));
	if (t.len)
		memcpy(*s, t.p, t.len);
	(*s)[t.len] = '\0';
}

static struct ctt_coro *take(struct coros *t)
{
	struct ctt_coro *c;

	if (!t->spare) {
		size_t room = !t->blocks        ? FIRST_BLOCK :
			t->blocks->room < BLOCK ? 2 * t->blocks->room :
						  BLOCK;
		size_t size = sizeof(struct coro_block) + room * sizeof(struct aligned);
		struct coro_block *b = memset(need(aligned_alloc(64, size)), 0, size);

		b->next = t->blocks;
		b->room = room;
		t->blocks = b;
		for (size_t i = room; i--; t->spare = &b->at[i].c)
			b->at[i].c.spare = t->spare;
	}
	c = t->spare;
	t->spare = c->spare;
	return c;
}

struct ctt_coro *coros_add(struct coros *t, uint64_t id)
{
	struct ctt_coro *c = take(t);

	memset(c, 0, sizeof(*c));
	c->id = id;
	hash_add(&t->live, id, c);
	t->sorted = false;
	return c;
}

static void drop_texts(struct ctt_coro *c)
{
	free(c->name);
	free(c->reason);
	free((char *)c->on.text.p);
	c->name = c->reason = NULL;
	legs_free(c);
	c->on.text.p = NULL;
}

void coros_remove(struct coros *t, struct ctt_coro *c)
{
	hash_remove(&t->live, c->id, c);
	t->sorted = false;
	drop_texts(c);
	c->spare = t->spare;
	t->spare = c;
}

void coro_end(struct ctt_model *m, struct ctt_coro *c, const struct ctt_event *ev)
{
	c->state = CTT_CORO_ENDED;
	if (m->on_end)
		m->on_end(m->on_end_arg, c, ev);
	if (m->follower.on_end)
		m->follower.on_end(m->follower.arg, c, ev);
	coros_remove(&m->coros, c);
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = ((const struct hash_slot *)a)->key, y = ((const struct hash_slot *)b)->key;

	return x < y ? -1 : x > y;
}

/* Sorted as slots: comparing through pointers would wait for memory at every step. */
struct ctt_coro **coros_sorted(struct coros *t)
{
	size_t count = t->live.used, n = 0;
	struct hash_slot *live;

	if (t->sorted)
		return t->order;
	t->order = need(realloc(t->order, (count + 1) * sizeof(struct ctt_coro *)));
	live = need(malloc((count + 1) * sizeof(*live)));
	for (size_t i = 0; n < count; i++)
		if (t->live.slot[i].item)
			live[n++] = t->live.slot[i];
	qsort(live, n, sizeof(*live), by_id);
	for (size_t i = 0; i < n; i++)
		t->order[i] = live[i].item;
	free(live);
	t->sorted = true;
	return t->order;
}

void coros_free(struct coros *t)
{
	struct ctt_coro *c;

	for (size_t i = 0; (c = hash_each(&t->live, &i));)
		drop_texts(c);
	for (struct coro_block *b = t->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	hash_free(&t->live);
	free(t->order);
}

/* The copy is freed by whoever overwrites c->on: coro_on_text here, set_texts in model.c. */
void coro_on_text(struct ctt_coro *c, const struct ctt_on *on)
{
	char *copy = (char *)c->on.text.p;

	set_text(&copy, on->text);
	c->on = *on;
	c->on.text.p = copy;
}
