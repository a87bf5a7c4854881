/* own.h - a scheduler that the user describes by its functions: --wake=SYMBOL[:ARG] and such. */
#ifndef UPROBE_OWN_H
#define UPROBE_OWN_H

#include "record.h"
#include "snap/snap.h"

struct own {
	enum point_kind kind;
	char *symbol;
	unsigned argument;	/* that is the coroutine; 0: none is, the one that runs is meant */
	size_t found;		/* functions */
};
extern struct own *owns;
extern size_t own_count;

/* What was given to an option; false: it is no SYMBOL[:ARG]. */
bool own_add(enum point_kind, const char *text);
/* Is one of that kind among them? */
bool own_has(enum point_kind);

/* Look for the functions in modules from that one on; fn, which may be NULL, is called with each. How many symbols are there. */
typedef void own_fn(
	struct target *, const struct own *, Dwfl_Module *, uint64_t addr, uint64_t size);
size_t own_find(struct target *, size_t from, own_fn *fn);
/* Of the first that is not there: what is called nearly so; false: nothing is. */
bool own_near(struct target *, const struct own *, char *text, size_t size);
#endif
