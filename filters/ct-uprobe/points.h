/* points.h - the functions of a process that are probed. */
#ifndef UPROBE_POINTS_H
#define UPROBE_POINTS_H

#include "attach.h"
#include "snap/cpp.h"
#include "snap/tokio.h"

struct point {
	enum point_kind kind;
	struct kind *cpp;	/* of a coroutine function; NULL: none, or several have this code */
	struct poll *poll;	/* of a task's type; NULL */
	uint64_t resume;	/* of a coroutine function: its address */
	bool gcc;
};
struct points {
	struct point *item;
	size_t count, room;
	size_t cpp, tokio;	/* functions of each that are traced */
	size_t blind;		/* coroutine functions whose code cannot be decoded: left out */
	size_t own;		/* functions of a scheduler that the user described */
	size_t stepped;		/* points at an instruction that the kernel single-steps */
};
extern struct points points;

/* Look for them among what kinds_find and tokio_types have found. `returns`: by return probes. */
void points_find(struct target *, bool returns);
/* Of the coroutine function at that address; NULL: it is not traced. */
const struct point *points_with(uint64_t resume);
/* Put all probes, by a process of their own (guard.h); ends the program where that fails. */
void points_attach(struct target *);
#endif
