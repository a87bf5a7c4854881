/* points.h - the functions of a process that are probed. */
#ifndef UPROBE_POINTS_H
#define UPROBE_POINTS_H

#include "attach.h"
#include "libraries.h"
#include "snap/cpp.h"
#include "snap/tokio.h"

struct point {
	enum point_kind kind;
	struct kind *cpp;	/* of a coroutine function; NULL: none, or several have this code */
	struct poll *poll;	/* of a task's type; NULL */
	uint64_t addr;		/* of one that runs coroutines or polls tasks; 0: of another */
	size_t module;		/* its number */
	bool gcc;
	bool late;		/* it ran before it was probed, and nobody has looked since */
	bool gone;		/* its library is not where it was */
};
struct points {
	struct point **item;
	size_t count, room;
	size_t cpp, tokio;	/* functions of each that are traced */
	size_t blind;		/* coroutine functions whose code cannot be decoded: left out */
	size_t own;		/* functions of a scheduler that the user described */
	size_t stepped;		/* points at an instruction that the kernel single-steps */
};
extern struct points points;

/* Look for them among what kinds_find and tokio_types have found. `returns`: by return probes. */
/* Of modules from that one on, where others are traced already: false: there are none. */
bool points_find(struct target *, size_t from, bool returns);
/* Those of libraries that are not there any more, and of what lies where they were. */
void points_unloaded(const struct target *);
/* Of modules from that one on, those whose file was there before, and lies elsewhere now: its
 * probes are in it still. How many; they are left out of points_find. */
size_t points_moved(const struct target *, size_t from);
/* The one with tokio whose tasks have ids that can be read, if no other has tokio; else SIZE_MAX. */
size_t points_ids(const struct target *);
/* Of the coroutine function at that address; NULL: it is not traced. */
const struct point *points_with(uint64_t resume);
/* Put all of them, by a process of their own (guard.h). Where that fails: ends the program, or, of
 * a library that came later, says so and returns false. */
bool points_attach(struct target *, bool later);
/* Or do not. */
void points_forget(const struct target *);
#endif
