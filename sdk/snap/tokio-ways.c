/* tokio-ways.c - what the end of a chain of futures waits on, as it is found. Contracts in tokio.h. */
#include <string.h>

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

/* A chain that goes on from here for one of several. The first part of one within another is the
 * other's. */
static struct chain fork(const struct chain *c)
{
	struct chain in = { .target = c->target, .sites = c->sites, .task = c->task,
		.steps = c->steps, .semaphore = c->semaphore, .watches = c->watches,
		.ways = c->ways, .find = c->find, .first = c->ways->legs, .branch = true,
		.within = c->within + 1 };

	if (!c->branch)
		return in;
	memcpy(in.site, c->site, c->depth * sizeof(in.site[0]));
	memcpy(in.place, c->place, c->depth * sizeof(in.place[0]));
	in.depth = c->depth;
	in.own = c->own;
	return in;
}

void leg_follow(struct chain *c, uint64_t at, Dwarf_Die *type, bool must)
{
	struct chain in;

	if (c->within == MOST_WITHIN || ++c->ways->followed > MOST_FOLLOWED) {
		leg_add(c, (struct wait_on){ .kind = CTT_ON_NONE });
		return;
	}
	in = fork(c);
	chain_follow(&in, at, type, 1);
	c->steps = in.steps;
	if (!must || in.over || c->ways->legs > in.first)
		return;
	if (*in.leaf && in.depth < STACK_DEPTH) {
		in.own = in.own ? in.own : site_of(in.sites, in.leaf, NULL, 0);
		in.site[in.depth++] = site_of(in.sites, in.leaf, NULL, 0);
	}
	leg_add(&in, (struct wait_on){ .kind = CTT_ON_NONE });
}
