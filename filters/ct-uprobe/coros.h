/* coros.h - the coroutines that are followed, and the threads that run them. */
#ifndef UPROBE_COROS_H
#define UPROBE_COROS_H

#include "base/hash.h"
#include "lines.h"
#include "points.h"

struct level {			/* of a thread's stack: a resume that has not returned */
	uint64_t addr, run, sp;
};
struct stack {			/* of one thread */
	uint32_t tid;
	struct level *level;	/* the innermost last */
	size_t depth, room;
	bool worker;		/* it has run a coroutine */
	uint64_t asleep;	/* since when; 0: it is awake */
	uint64_t ended;		/* what ended on it, and has not been left yet; 0: none */
	uint64_t destroyed;	/* the frame whose destroy function began just before */
};

struct descriptor {
	uint64_t fd;
	uint64_t ts, by;	/* when it was closed last, 0: never; the coroutine, 0: none */
	uint32_t tid;
	bool open;
};

struct follow {
	struct target *target;
	struct sites *sites;
	struct hash coros;	/* by address */
	struct hash threads;	/* by number */
	struct hash descriptors;	/* by number */
	uint64_t next_id;
	bool launched;		/* all that its first modules have is younger than the trace */
	size_t modules;		/* that it had at the beginning */
	/* Of one of these tokio's ids are the trace's: each tokio counts for itself. SIZE_MAX: none */
	size_t ids;
	bool born_known;
	uint64_t born_after;	/* those above it are younger than the trace, if that is known */
	uint64_t runs, records;
	uint64_t losses;	/* how often some were noticed */
};

struct coro *follow_find(const struct follow *, uint64_t addr);
/* One more, of which nothing is known: n is 0. id: 0: the next. */
struct coro *follow_add(struct follow *, uint64_t addr, uint64_t id);
/* A task, by tokio's id and the number of its module. */
struct coro *follow_task(struct follow *, uint64_t addr, uint64_t task_id, size_t module);
void follow_forget(struct follow *, struct coro *);
struct stack *follow_thread(struct follow *, uint32_t tid, uint64_t ts);
/* It has run a coroutine. */
void follow_worker(const struct follow *, struct stack *, uint64_t ts);
/* The coroutine that runs there; NULL: none. */
struct coro *follow_current(const struct follow *, const struct stack *);
/* Whose resume that was, if it has not been resumed elsewhere since; else NULL. */
struct coro *level_coro(const struct follow *, const struct level *);
void follow_free(struct follow *);

/* It is suspended now, and woken if a wake came while it ran. */
void follow_suspend(struct coro *, uint32_t tid, uint64_t ts, uint32_t site);
#endif
