/* awaits.c - the tree of who awaits whom, as rows: recursion that every database has, at any
 * depth. */
#include <stdlib.h>

#include "base/mem.h"
#include "value.h"
#include "sql.h"

enum { NOBODY = -1 };
struct node {
	const struct ctt_coro *c;
	ptrdiff_t awaits, kids, next;	/* others' places in the array */
	size_t root;
	uint64_t depth;
	bool placed;
};

static ptrdiff_t find(const struct node *n, size_t count, uint64_t id)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (n[mid].c->id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < count && n[low].c->id == id ? (ptrdiff_t)low : NOBODY;
}

static ptrdiff_t awaited(const struct node *n, size_t count, const struct ctt_coro *c)
{
	bool waits = c->state == CTT_CORO_SUSPENDED &&
		(c->on.kind == CTT_ON_CORO || c->on.kind == CTT_ON_JOIN) && c->on.number;

	return waits ? find(n, count, c->on.value) : NOBODY;
}

/* In the order of ids, as the model has them; roots are chained as NOBODY's kids. */
static struct node *build(struct ctt_model *m, size_t *count, ptrdiff_t *roots)
{
	struct node *n = need(calloc(ctt_model_live(m) + 1, sizeof(*n)));
	struct ctt_coro *c;

	*count = 0;
	for (size_t i = 0; (c = ctt_model_next(m, &i));)
		n[(*count)++] = (struct node){ .c = c, .kids = NOBODY };
	*roots = NOBODY;
	for (size_t i = *count; i--;) {
		ptrdiff_t *list;

		n[i].awaits = awaited(n, *count, n[i].c);
		list = n[i].awaits == NOBODY ? roots : &n[n[i].awaits].kids;
		n[i].next = *list;
		*list = (ptrdiff_t)i;
	}
	return n;
}

static void row(struct sql_sink *sink, uint32_t run, uint64_t position, const struct node *n,
	const struct node *all)
{
	struct sql_value v[] = {
		run_number(sink, run), number(position), number(n->c->id),
		number_if(n->awaits != NOBODY, n->awaits != NOBODY ? all[n->awaits].c->id : 0),
		number_if(n->placed, all[n->root].c->id), number_if(n->placed, n->depth)
	};

	sink->row(sink, SQL_AWAITS, v);
}

void sql_awaits(struct sql_sink *sink, struct ctt_model *m, uint32_t run)
{
	size_t count;
	ptrdiff_t i;
	uint64_t position = 0;
	struct node *n = build(m, &count, &i);

	while (i != NOBODY) {		/* a node, its kids, its next sibling */
		n[i].placed = true;
		n[i].root = n[i].awaits == NOBODY ? (size_t)i : n[n[i].awaits].root;
		n[i].depth = n[i].awaits == NOBODY ? 0 : n[n[i].awaits].depth + 1;
		row(sink, run, position++, &n[i], n);
		if (n[i].kids != NOBODY) {
			i = n[i].kids;
			continue;
		}
		while (n[i].next == NOBODY && n[i].awaits != NOBODY)
			i = n[i].awaits;
		i = n[i].next;
	}
	for (size_t k = 0; k < count; k++)	/* in cycles, and those behind them */
		if (!n[k].placed)
			row(sink, run, position++, &n[k], n);
	free(n);
}
