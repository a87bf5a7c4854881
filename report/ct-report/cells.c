/* cells.c - what the tables of the report for people hold. Contracts in sections.h. */
#include <inttypes.h>

#include "sections.h"

void cell(struct cells *t, const char *text)
{
	if (t->count < CELLS)
		t->cell[t->count++] = (char *)text;
}

void number(struct cells *t, uint64_t n)
{
	cell(t, format("%" PRIu64, n));
}

size_t few(const struct report *rp, size_t n)
{
	return rp->all || n <= FEW ? n : FEW;
}

const char *exit_text(const struct exited *x)
{
	if (!x->signaled)
		return format("status %" PRIu64, x->value);
	return format("killed by signal %" PRIu64 "%s%s", x->value,
		*signal_name(x->value) ? " " : "", signal_name(x->value));
}
