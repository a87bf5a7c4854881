/* go-earlier.c - stacks that were read before all stood still. Contracts in go.h.
 *
 * Most goroutines wait long: of one that has not run since, the stack is what it was, and need not be
 * read while all stand still. Go counts in each how often it stopped running, in a byte: equal, and
 * waiting where it waited, it has not run, or 256 times within some milliseconds.
 */
#include <stdlib.h>
#include <string.h>

#include "go.h"

enum { STATUS_WAITING = 4 };

static struct earlier {
	uint64_t g, goid, sp, pc, bp, hi, waiting;
	unsigned char runs, reason;
	unsigned char *stack;		/* NULL: none */
} *item;
static size_t items, room;
static unsigned char *bytes;

static uint64_t number(const struct piece *p, uint64_t at, size_t size)
{
	uint64_t v = 0;

	if (p->copy && at <= p->len && p->len - at >= size)
		memcpy(&v, p->copy + at, size);
	return v;
}

/* As it stands in its runtime.g. False: it runs, or may, or nothing counts how often it did. */
static bool describe(const struct piece *g, struct earlier *e)
{
	*e = (struct earlier){ g->start, number(g, go.at.goid, 8), number(g, go.at.sp, 8),
		number(g, go.at.pc, 8), number(g, go.at.bp, 8), number(g, go.at.stack_hi, 8),
		number(g, go.at.waiting, 8), (unsigned char)number(g, go.at.runs, 1),
		(unsigned char)number(g, go.at.reason, 1), NULL };
	return g->copy && go.at.runs < g->len && number(g, go.at.status, 4) == STATUS_WAITING;
}

static bool same(const struct earlier *a, const struct earlier *b)
{
	return a->g == b->g && a->goid == b->goid && a->sp == b->sp && a->pc == b->pc &&
		a->bp == b->bp && a->hi == b->hi && a->waiting == b->waiting &&
		a->runs == b->runs && a->reason == b->reason;
}

void go_earlier_forget(void)
{
	free(item);
	free(bytes);
	item = NULL;
	bytes = NULL;
	items = room = 0;
}

void go_earlier_keep(const struct piece *g, const struct piece *stack, size_t count)
{
	size_t size = 0;

	go_earlier_forget();
	for (size_t i = 0; i < count; i++)
		size += stack[i].copy ? stack[i].len : 0;
	bytes = need(malloc(size + 1));
	size = 0;
	for (size_t i = 0; i < count; i++) {
		struct earlier e;

		if (describe(&g[i], &e) && stack[i].copy) {
			e.stack = memcpy(bytes + size, stack[i].copy, stack[i].len);
			size += stack[i].len;
		}
		*ADD(item, items, room) = e;
	}
}

const unsigned char *go_earlier_stack(const struct piece *g, size_t i)
{
	struct earlier now;

	return i < items && item[i].stack && describe(g, &now) && same(&now, &item[i]) ?
		item[i].stack : NULL;
}
