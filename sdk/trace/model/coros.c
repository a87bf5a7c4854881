/* coros.c - the table of live coroutines: one lookup an event, memory for those alive at once. Contracts in state.h. */
#include <stdlib.h>
#include <string.h>

#include "model/state.h"

enum { BLOCK = 256 };
struct coro_block {
	struct coro_block *next;
	struct { _Alignas(64) struct ctt_coro c; } at[BLOCK];	/* each begins a cache line */
};

void *need(void *p)
{
	if (!p)
		ctt_die("corotrace", "out of memory", NULL);
	return p;
}

void set_text(char **s, struct ctt_text t)
{
	if (*s && strlen(*s) == t.len && (!t.len || !memcmp(*s, t.p, t.len)))
		return;
	*s = need(realloc(*s, t.len + 1));
	if (t.len)
		memcpy(*s, t.p, t.len);
	(*s)[t.len] = '\0';
}

static void grow(struct coros *t)
{
	struct coro_slot *old = t->slot;
	size_t n = t->slot ? t->mask + 1 : 0;

	t->mask = n ? 2 * n - 1 : 255;
	t->shift = n ? t->shift - 1 : 64 - 8;
	t->slot = need(calloc(t->mask + 1, sizeof(*t->slot)));
	for (size_t i = 0; i < n; i++)
		if (old[i].c)
			t->slot[coros_slot(t, old[i].id)] = old[i];
	free(old);
}

static struct ctt_coro *take(struct coros *t)
{
	struct ctt_coro *c;

	if (!t->spare) {
		struct coro_block *b = need(aligned_alloc(64, (sizeof(*b) + 63) / 64 * 64));

		b->next = t->blocks;
		t->blocks = b;
		memset(b->at, 0, sizeof(b->at));
		for (size_t i = BLOCK; i--; t->spare = &b->at[i].c)
			b->at[i].c.evidence = t->spare;
	}
	c = t->spare;
	t->spare = c->evidence;
	return c;
}

struct ctt_coro *coros_add(struct coros *t, uint64_t id)
{
	struct ctt_coro *c;
	size_t i;

	if (!t->slot || 2 * t->live > t->mask)
		grow(t);
	i = coros_slot(t, id);
	c = take(t);
	memset(c, 0, sizeof(*c));
	c->id = id;
	t->slot[i] = (struct coro_slot){ id, c };
	t->live++;
	t->sorted = false;
	return c;
}

static void drop_texts(struct ctt_coro *c)
{
	free(c->name);
	free(c->reason);
	free((char *)c->on.text.p);
	c->name = c->reason = NULL;
	c->on.text.p = NULL;
}

void coros_remove(struct coros *t, struct ctt_coro *c)
{
	size_t hole = coros_slot(t, c->id);

	/* Close the gap: whatever was pushed past this slot moves back, so that searches still end where due. */
	for (size_t i = hole;;) {
		i = (i + 1) & t->mask;
		if (!t->slot[i].c)
			break;
		if (((i - coros_home(t, t->slot[i].id)) & t->mask) >= ((i - hole) & t->mask)) {
			t->slot[hole] = t->slot[i];
			hole = i;
		}
	}
	t->slot[hole].c = NULL;
	t->live--;
	t->sorted = false;
	drop_texts(c);
	c->evidence = t->spare;
	t->spare = c;
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = ((const struct coro_slot *)a)->id, y = ((const struct coro_slot *)b)->id;

	return x < y ? -1 : x > y;
}

/* Sorted as slots: comparing through pointers would wait for memory at every step. */
struct ctt_coro **coros_sorted(struct coros *t)
{
	struct coro_slot *live;
	size_t n = 0;

	if (t->sorted)
		return t->order;
	t->order = need(realloc(t->order, (t->live + 1) * sizeof(struct ctt_coro *)));
	live = need(malloc((t->live + 1) * sizeof(*live)));
	for (size_t i = 0; t->slot && i <= t->mask; i++)
		if (t->slot[i].c)
			live[n++] = t->slot[i];
	qsort(live, n, sizeof(*live), by_id);
	for (size_t i = 0; i < n; i++)
		t->order[i] = live[i].c;
	free(live);
	t->sorted = true;
	return t->order;
}

void coros_free(struct coros *t)
{
	for (size_t i = 0; t->slot && i <= t->mask; i++)
		if (t->slot[i].c)
			drop_texts(t->slot[i].c);
	for (struct coro_block *b = t->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	free(t->slot);
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
