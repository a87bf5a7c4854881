/* forest.c - who awaits whom among the live coroutines, and the tree that it makes. Contracts in
 * bt.h. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "bt.h"

static struct node *node_of(const struct ctt_model *m, uint64_t id)
{
	struct ctt_coro *c = id ? ctt_model_coro(m, id) : NULL;

	return c ? c->evidence : NULL;
}

static struct node *awaited(const struct ctt_model *m, const struct ctt_coro *c)
{
	bool waits = c->state == CTT_CORO_SUSPENDED &&
		(c->on.kind == CTT_ON_CORO || c->on.kind == CTT_ON_JOIN) && c->on.number;

	return waits ? node_of(m, c->on.value) : NULL;
}

static struct node *awaits_of(const struct node *n) { return n->awaits; }
static struct node *awaiter_of(const struct node *n) { return n->awaiter; }
static struct node *up_of(const struct node *n) { return n->up; }

/* Call found() with a member of each cycle of `next`, which may cut that cycle and no other. */
static void each_cycle(
	struct forest *f, struct node *(*next)(const struct node *), void (*found)(struct node *))
{
	for (size_t i = 0; i < f->count; i++)
		f->node[i].walk = 0;
	for (size_t i = 0; i < f->count; i++) {
		struct node *n = &f->node[i];

		for (; n && !n->walk; n = next(n))
			n->walk = i + 1;
		if (n && n->walk == i + 1)
			found(n);	/* met by this very walk */
	}
}

static void mark_cycle(struct node *first)
{
	for (struct node *n = first; !n->cycle; n = n->awaits)
		n->cycle = true;
}

static void cut_at_lowest(struct node *first)
{
	struct node *lowest = first;

	for (struct node *n = first->awaiter; n != first; n = n->awaiter)
		if (n->c->id < lowest->c->id)
			lowest = n;
	lowest->awaiter = NULL;
}

/* Awaits alone make no cycle here: some member hangs on its creator. */
static void cut_at_creator(struct node *first)
{
	struct node *lowest = first->awaiter ? NULL : first;

	for (struct node *n = first->up; n != first; n = n->up)
		if (!n->awaiter && (!lowest || n->c->id < lowest->c->id))
			lowest = n;
	lowest->up = NULL;
}

void forest_build(struct forest *f, struct ctt_model *m)
{
	struct ctt_coro *c;

	*f = (struct forest){ .node = need(calloc(ctt_model_live(m) + 1, sizeof(*f->node))) };
	for (size_t i = 0; (c = ctt_model_next(m, &i)); f->count++) {
		f->node[f->count].c = c;
		c->evidence = &f->node[f->count];
	}
	for (size_t i = 0; i < f->count; i++)
		f->node[i].awaits = awaited(m, f->node[i].c);
	each_cycle(f, awaits_of, mark_cycle);
	for (size_t i = 0; i < f->count; i++) {
		struct node *n = &f->node[i], *to = n->awaits;

		if (to && (!to->awaiter || (to->awaiter->cycle && !n->cycle)))
			to->awaiter = n;
	}
	each_cycle(f, awaiter_of, cut_at_lowest);
	for (size_t i = 0; i < f->count; i++)
		f->node[i].up =
			f->node[i].awaiter ? f->node[i].awaiter : node_of(m, f->node[i].c->parent);
}

void forest_tree(struct forest *f)
{
	each_cycle(f, up_of, cut_at_creator);
	for (size_t i = f->count; i--;) {
		struct node *n = &f->node[i], **list = n->up ? &n->up->kids : &f->roots;

		n->next = *list;
		*list = n;
	}
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9E3779B97F4A7C15ull;
	return h ^ h >> 29;
}

/* What makes two alone alike; their kids are added by whoever knows them. */
static uint64_t own_shape(const struct node *n)
{
	const struct ctt_coro *c = n->c;
	uint64_t h = mix(mix(mix(1, c->state), c->site),
		c->state == CTT_CORO_RUNNING ? 0 : ctt_wait_kind(c));

	return mix(h, (uint64_t)n->cycle | (uint64_t)n->wanted << 1 | (uint64_t)!n->awaiter << 2 |
		(uint64_t)(n->awaits && n->awaits->up != n) << 3);
}

/* The first of equal shape under the same node; itself where it is the first. Two shapes that meet
 * in 64 bits are one. */
static struct node *first_like(struct hash *t, struct node *n)
{
	uint64_t hash = hash_of_pair(n->shape, (uintptr_t)n->up);
	struct node *other;

	for (size_t at = hash_first(t, hash); (other = hash_next(t, hash, &at));)
		if (other->shape == n->shape && other->up == n->up)
			return other;
	hash_add(t, hash, n);
	return n;
}

static void fold_siblings(struct hash *t, struct node *first)
{
	for (struct node *n = first; n; n = n->next) {
		struct node *like = first_like(t, n);

		n->oldest = n->c->since;
		like->count++;
		if (n->oldest < like->oldest)
			like->oldest = n->oldest;
	}
}

static struct node *preorder(struct node *n)
{
	if (n->kids)
		return n->kids;
	while (n && !n->next)
		n = n->up;
	return n ? n->next : NULL;
}

void forest_fold(struct forest *f)
{
	struct node **order = need(malloc((f->count + 1) * sizeof(*order)));
	struct hash t = { NULL, 0, 0, 0, 0 };
	size_t count = 0;

	for (struct node *n = f->roots; n; n = preorder(n))
		order[count++] = n;
	while (count--) {		/* kids before whom they hang on */
		struct node *n = order[count];

		n->shape = mix(n->shape, own_shape(n));	/* so far the sum of its kids */
		fold_siblings(&t, n->kids);
		if (n->up)
			n->up->shape += mix(2, n->shape);
	}
	fold_siblings(&t, f->roots);
	hash_free(&t);
	free(order);
}

void forest_free(struct forest *f)
{
	for (size_t i = 0; i < f->count; i++)
		f->node[i].c->evidence = NULL;
	free(f->node);
}
