/* snap.h - what a snapshot is, and the runtimes that are looked for. */
#ifndef SNAP_H
#define SNAP_H

#include "base/mem.h"
#include "base/sites.h"
#include "cttrace.h"
#include "target.h"

enum task_state {
	TASK_WAITS, TASK_RUNS, TASK_READY,
	TASK_CREATED, TASK_NEW		/* has not run yet; NEW: and is to */
};

struct wait_on {
	enum ctt_on_kind kind;	/* USER: nothing known, which needs no waker perhaps */
	bool known;		/* value is one */
	bool frame;		/* coro, join: value is the address of that task */
	uint64_t value;
};

struct leg {			/* one of several things that a coroutine waits for */
	struct wait_on on;
	uint32_t site, stack;	/* of its own, within the coroutine's; 0: none */
};

struct task {			/* a coroutine that lives */
	uint64_t id, addr;	/* id 0: it has none of its own, and gets a number */
	uint64_t code;		/* tokio: the function that polls it */
	/* of all that changes as soon as it runs: equal in two snapshots, it did not move */
	uint64_t mark;
	uint64_t parent;	/* id; 0: not known */
	/* CLOCK_MONOTONIC ns at which its runtime saw it waiting; 0: not known */
	uint64_t since;
	/* references by which anything could wake it, as its runtime counts; -1: not known */
	int64_t wakers;
	/* references that were found in all of its memory; -1: not looked for */
	int64_t refs;
	enum task_state state;
	bool system;		/* the runtime's own */
	bool blocked;		/* tokio: what a thread in block_on runs, which is no task */
	bool pooled;		/* tokio: it is run by workers, whose sleep is seen */
	bool allocated;		/* C++: its memory is in use, and begins with it */
	bool ended;		/* it is over, and somebody awaits it */
	bool leaked;		/* the runtime itself says that nothing can wake it */
	bool moved;		/* it was seen to have run since */
	bool counted;		/* Go: how often it ran, of which `runs` is a byte */
	uint8_t runs;
	struct wait_on on;
	struct leg *leg;	/* free()d; NULL: none, or one, which is `on` */
	size_t legs;
	bool all;		/* it waits for all of them, else for any */
	uint32_t tid;		/* that runs it; 0: none, or not known */
	uint32_t site, stack;
	uint32_t spawn;			/* where it was made; the end of its stack */
	char *name;		/* NULL: none; free()d */
	char *reason;		/* NULL: none; free()d */
	const char *doubt;	/* why it may be no live coroutine at all; NULL: it is one */
};

struct hold {			/* of a lock, or an end of a channel */
	uint64_t by;		/* address of the task that has it */
	struct wait_on on;
	bool reached;		/* it can come to it, and others perhaps, who are not known */
};

#define HOLD_DOUBT "others may come to it, too"	/* what a trace says of one that is reached */

struct snapshot {
	struct target *target;
	uint64_t taken;		/* when */
	struct task *task;
	size_t tasks, task_room;
	struct hold *hold;
	size_t holds, hold_room;
	struct sites *sites;
	uint64_t unread;	/* tasks of which a core has no memory */
};
/* a new one, zeros but for wakers and refs; valid until the next call */
struct task *snap_task(struct snapshot *);
void snap_hold(struct snapshot *, struct hold);
void snap_free(struct snapshot *);

/* inlined.c: the functions at an address, inlined ones first; at least one, whose `func` is NULL where
 * nothing says which. The texts stay. */
enum { INLINED = 8 };
struct source { const char *func, *file; uint64_t line; };
size_t sources_at(Dwfl_Module *, uint64_t pc, struct source to[INLINED]);

/* A runtime that may be in the process. */
struct runtime {
	const char *name;
	/* Look through the modules' symbols and debug information, while the process runs. False:
	 * it is not there. `want`: what of memory is needed. Refuses what it could only guess. */
	bool (*find)(struct target *, struct take *want);
	/* The tasks in what was copied. */
	void (*read)(struct snapshot *);
	void (*forget)(void);
	/* Sets `moved` of those tasks of that snapshot that have run since. NULL: nothing counts it. */
	void (*watch)(struct target *, struct snapshot *);
};
extern const struct runtime cpp_runtime, tokio_runtime, async_task_runtime, go_runtime,
	fiber_runtime, boost_runtime, minicoro_runtime, libaco_runtime;

/* messages.c: something that is to be known once, on stderr; not where it is to be quiet. */
extern const char *note_program;	/* set first of all: who says it */
extern bool note_quiet;
extern int refuse_as;			/* the status of refuse(); 0: what it is given */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif
