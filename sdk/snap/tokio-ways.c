/* tokio-ways.c - what the end of a chain of futures waits on, as it is found. Contracts in tokio.h. */
#include "tokio.h"

uint32_t chain_stack(const struct chain *c, uint32_t last)
{
	uint32_t stack[STACK_DEPTH];
	size_t depth = c->depth;

	for (size_t i = 0; i < depth; i++)
		stack[i] = c->site[depth - 1 - i];
	if (last && depth && depth < STACK_DEPTH)
		stack[depth++] = last;
	return stack_of(c->sites, stack, depth);
}

void leg_add(struct chain *c, struct wait_on on)
{
	struct ways *w = c->ways;
	uint32_t at = c->own ? c->own : c->depth ? c->site[c->depth - 1] : 0;

	if (w->legs <= MOST_LEGS)
		*ADD(w->leg, w->legs, w->room) =
			(struct leg){ on, at, c->branch ? chain_stack(c, 0) : 0 };
}

void wait_add(struct chain *c, struct wait_on on)
{
	for (size_t i = c->first; i < c->ways->legs; i++) {
		const struct wait_on *had = &c->ways->leg[i].on;

		if (had->kind == on.kind && had->value == on.value && had->known == on.known)
			return;
	}
	leg_add(c, on);
}
