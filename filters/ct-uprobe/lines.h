/* lines.h - the lines of the trace, ct-trace(5), and how many there were. */
#ifndef UPROBE_LINES_H
#define UPROBE_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct coro {
	uint64_t addr;		/* the frame's, the task's header's */
	uint64_t id;		/* probe_id */
	uint64_t task_id;	/* tokio's own; 0: not known */
	size_t module;		/* of its tokio */
	uint64_t n;		/* of its last event */
	uint64_t last;		/* when that was */
	uint64_t run;		/* number of its last run among all of the process's */
	uint64_t index;		/* at which it waits; UINT64_MAX: not known */
	uint64_t sure;		/* how often events had been lost when all of its were known */
	const struct point *point;	/* whose function; NULL: not known */
	uint32_t tid;			/* that last ran it */
	bool active, task;
	bool own;		/* of a scheduler that the user described */
	bool before;		/* it came into its state at `last` or earlier */
	bool there;		/* in the moment that is looked at */
	/* descriptors by which it has been to be resumed since it runs: how many, the last */
	enum { NONE, ONE, SEVERAL } watches;
	uint64_t fd;
	/* Woken while it ran: that counts once it is suspended. */
	struct { uint64_t by; uint32_t tid; bool came; } woken;
};

struct lines {
	bool muted;		/* nothing is printed, and none counted */
	uint64_t events, lost;
	uint64_t last;		/* latest time that was printed */
};
extern struct lines lines;

/* command: of a program that was started; NULL: -p pid */
void line_meta(uint64_t ts, int pid, char *const *command);
void line_process(uint64_t ts, int pid, const char *path);
/* One that it forked, which is not in this trace. */
void line_child(uint64_t ts, int pid, int parent, const char *path);
/* role: NULL: not known */
void line_thread(uint64_t ts, uint32_t tid, int pid, const char *role);
void line_attach(uint64_t ts, uint64_t live);
/* parent: 0: not known */
void line_create(struct coro *, uint32_t tid, uint64_t ts, uint64_t parent);
void line_resume(struct coro *, uint32_t tid, uint64_t ts);
void line_suspend(struct coro *, uint32_t tid, uint64_t ts, uint32_t site);
enum done { CANCELLED, FINISHED, DONE_UNKNOWN };
void line_destroy(struct coro *, uint32_t tid, uint64_t ts, enum done);
void line_wake(const struct coro *, uint32_t tid, uint64_t ts, uint64_t by);
void line_name(const struct coro *, uint64_t ts, const char *name);
/* It was dropped. */
void line_last_waker(const struct coro *, uint32_t tid, uint64_t ts, uint64_t by);
/* The thread sleeps from then on; does no more. */
void line_park(uint64_t ts, uint32_t tid);
void line_unpark(uint64_t ts, uint32_t tid);
/* by: 0: no coroutine */
void line_descriptor(bool opened, uint64_t ts, uint32_t tid, uint64_t by, uint64_t fd);
/* It has a lock, as its memory says; it may have had it long since. doubt: why it may not, or NULL. */
void line_held(const struct coro *, uint64_t ts, const char *on, const char *doubt);
/* One of several things that it waits for: ahead of its state. on: NULL: not known */
void line_leg(const struct coro *, uint64_t ts, const char *on, uint32_t site, uint32_t stack);
/* Where it stands. `before`: since when is not known; wakers: -1: not known. */
struct state {
	bool before;
	uint32_t site, stack;
	int64_t wakers, refs;
	size_t legs;		/* it waits for several, */
	bool all;		/* for all of them, not any */
	const char *on, *reason, *doubt;	/* NULL: none */
};
void line_state(const struct coro *, uint64_t ts, const struct state *);
void line_lost(uint64_t ts, uint64_t count, uint64_t from, uint64_t to);
void line_sync(uint64_t ts);
/* status: as waitpid has it; -1: not known */
void line_exit(uint64_t ts, int pid, uint64_t alive, int status);
/* live: UINT64_MAX: not known; alive: it is stopped, and went on until then; 0: it is not */
void line_end(uint64_t ts, uint64_t live, uint64_t alive);
#endif
