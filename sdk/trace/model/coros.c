/* coros.c - the table of live coroutines: one lookup an event, memory for those alive at once.
 * Contracts in state.h. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/state.h"

/* Of a name: each of many coroutines is printed with it, and a line may be one of 16 MiB. */
enum { NAME_HALF = 4096 };

static void set_whole(char **s, struct ctt_text t)
{
	if (*s && strlen(*s) == t.len && (!t.len || !memcmp(*s, t.p, t.len)))
		return;
	*s = need(realloc(*s, t.len + 1));
	if (t.len)
		memcpy(*s, t.p, t.len);
	(*s)[t.len] = '\0';
}

void set_text(char **s, struct ctt_text t)
{
	static const char gap[] = "...";
	const char *end, *tail;
	size_t head;
	char *p;

	if (t.len <= 2 * NAME_HALF) {
		set_whole(s, t);
		return;
	}
	head = utf8_cut(t.p, NAME_HALF);
	end = t.p + t.len;
	tail = end - NAME_HALF;
	while (tail < end && ((unsigned char)*tail & 0xc0) == 0x80)
		tail++;
	*s = p = need(realloc(*s, 2 * NAME_HALF + sizeof(gap)));
	p = (char *)memcpy(p, t.p, head) + head;
	p = (char *)memcpy(p, gap, sizeof(gap) - 1) + sizeof(gap) - 1;
	memcpy(p, tail, (size_t)(end - tail));
	p[end - tail] = '\0';
}

struct ctt_coro *coros_add(struct coros *t, uint64_t id)
{
	struct ctt_coro *c;

	t->pool.elem = sizeof(*c);
	c = pool_take(&t->pool);
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
	pool_give(&t->pool, c);
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
	pool_free(&t->pool);
	hash_free(&t->live);
	free(t->order);
}

/* The copy is freed by whoever overwrites c->on: coro_on_text here, set_texts in model.c. */
void coro_on_text(struct ctt_coro *c, const struct ctt_on *on)
{
	char *copy = (char *)c->on.text.p;

	set_whole(&copy, on->text);
	c->on = *on;
	c->on.text.p = copy;
}
