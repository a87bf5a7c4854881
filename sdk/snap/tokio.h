/* tokio.h - tasks of the tokio runtime. All layouts come from the program's own debug
 * information. */
#ifndef SNAP_TOKIO_H
#define SNAP_TOKIO_H

#include "die.h"
#include "snap.h"

struct poll {			/* a poll function, one for each type of future */
	uint64_t addr;
	const Dwfl_Module *module;
	bool cell_known, ambiguous;	/* ambiguous: code that several types share */
	bool header_known;	/* its module has headers as tokio.header says */
	Dwarf_Die cell;		/* tokio::runtime::task::core::Cell<T, S> */
	uint64_t stage_at;	/* in the cell: of the enum that has the future */
	Dwarf_Die stage;
	bool blocking;		/* of the pool of blocking threads: no coroutine */
	bool pooled;		/* of a runtime that has workers */
	char *type;		/* path of the future's type; NULL: not known */
	bool scheduler_none;	/* not known; else, once it was asked for: */
	uint64_t scheduler_at;	/* in the cell */
	Dwarf_Die scheduler;
};

struct dyn {			/* the table of functions of a `dyn Future` */
	uint64_t addr;
	Dwarf_Die type;		/* of what is behind it */
};

/* Of a task, and its table of functions: the same in all modules that are read. */
struct header {
	bool header_known, vtable_known, owner_known, id_known, spawned_known;
	uint64_t state_at, vtable_at, owner_at;		/* in a Header */
	/* in a Vtable: of a function, of offsets in the cell */
	uint64_t poll_at, id_at, spawned_at;
};

struct tokio {
	struct poll *poll;	/* in order of address */
	size_t polls, poll_room;
	struct dyn *dyn;	/* in order of address */
	size_t dyns, dyn_room;
	struct header header;
	bool split;		/* debug information is in files of its own, which are not read */
	bool owned_guards;	/* it has types of guards that keep their lock by an Arc */
	bool permits_known, bound_known, worker_known;
	uint64_t worker_owner_at, worker_index_at, worker_size;	/* in an Arc's Worker */
	uint64_t permits_at;		/* in a Semaphore */
	uint64_t bound_at, bound_semaphore_at;	/* in that of a bounded channel */
	bool channel_known, channels_differ;
	uint64_t channel_semaphore_at;	/* of that, in an Arc's Chan */
};
extern struct tokio tokio;

/* tokio-types.c */
bool tokio_types(struct target *);
/* Of modules that came later, from that one on, while the process runs; those of modules that are not
 * there any more are dropped. The polls lie elsewhere then. What target_take copied is dropped
 * (target_drop). */
bool tokio_types_more(struct target *, size_t from);
void tokio_types_free(void);
struct poll *poll_with(uint64_t addr);
const struct dyn *dyn_with(uint64_t vtable);
/* A variable, if it is such a table; then, once, ahead of dyn_with: dyn_sort. */
void dyn_add(Dwarf_Die *variable, Dwarf_Addr bias);
void dyn_sort(void);

/* "echo::serve" of what an async fn becomes, "echo::main::{async_block#0}", else the type's path;
 * returns buf. */
char *future_name(Dwarf_Die *type, char *buf, size_t size);

/* tokio-chain.c: the chain of futures from there to where it waits: on one thing, or on several,
 * each with a chain of its own from there. */
struct ways {
	struct leg *leg;
	size_t legs, room;
	size_t joined;		/* so many of them by a join: all are waited for, not any */
	size_t followed;	/* branches: damaged memory may lead to the same ones again */
	bool unwakeable;	/* no waker is left of whom they are */
};
struct chain {
	const struct target *target;
	struct sites *sites;
	uint64_t task;			/* header of the one it is the future of */
	uint32_t site[STACK_DEPTH];	/* the outermost first */
	/* what each keeps across its .await */
	struct place { uint64_t at; Dwarf_Die fields; } place[STACK_DEPTH];
	size_t depth;
	/* the innermost site that is neither a library's nor the compiler's; 0: none */
	uint32_t own;
	bool unpolled;			/* has never run */
	bool over;			/* has returned, or was never polled: waits for nothing */
	bool branch;			/* it is one of several */
	bool watches;			/* within what waits for a watch channel to change */
	const char *file;		/* of the innermost .await; NULL: none */
	size_t first;			/* of the ways, the first of its own */
	unsigned within;		/* so many others that it is a branch of */
	struct ways *ways;		/* which all branches have in common */
	/* what goes on where it has come to a future that is no async fn: waits_find */
	void (*find)(struct chain *, uint64_t at, Dwarf_Die *type, int depth);
	/* path of the innermost type; "" where that is an async fn's */
	char leaf[200];
	/* of what it waits on last: "2 permits", "1 of 1"; "" for nothing */
	char fill[48];
	/* what a semaphore is the inside of, by the futures around it; NONE: itself */
	enum ctt_on_kind semaphore;
	/* how often memory was followed: what refers to itself comes to an end */
	int steps;
};
enum { CHAIN_STEPS = 4096 };
void chain_follow(struct chain *, uint64_t at, Dwarf_Die *type, int depth);
/* tokio-legs.c: what a future that is no async fn waits on is added. */
void waits_find(struct chain *, uint64_t at, Dwarf_Die *type, int depth);
/* tokio-sets.c: each of a JoinSet, of a FuturesUnordered; false: it is neither. */
bool many_of(struct chain *, uint64_t at, Dwarf_Die *type);
/* tokio-ways.c: the number of its stack; 0: none. `last`: a site beyond its outermost one; 0:
 * none. */
uint32_t chain_stack(const struct chain *, uint32_t last);
enum { MOST_LEGS = 4096 };			/* of more the format makes nothing */
enum { MOST_FOLLOWED = 4 * MOST_LEGS, MOST_WITHIN = 64 };
void leg_add(struct chain *, struct wait_on);
void wait_add(struct chain *, struct wait_on);	/* where it is not among its own */
/* One of several that are waited for. `must`: for certain, so that it is told though nothing is known
 * of it. */
void leg_follow(struct chain *, uint64_t at, Dwarf_Die *type, bool must);

/* tokio-known.c: what one of tokio's own futures waits on is added; false: the type is none of
 * them. */
bool wait_known(struct chain *, uint64_t at, Dwarf_Die *type);
/* tokio-never.c: may a future that says nothing of what it waits for mean to be pending for ever? It has
 * nothing that could change, or has one in it that does, or one that has ended. */
bool may_be_never(Dwarf_Die *type);
void never_forget(void);
/* tokio-guards.c: permits that are free; UINT64_MAX: not known */
uint64_t semaphore_permits(const struct target *, uint64_t semaphore);
bool is_of_locks(Dwarf_Die *type);	/* in the modules of Mutex and RwLock */
bool is_guard(Dwarf_Die *type);
bool is_mutex_guard(Dwarf_Die *type);
bool is_acquire(Dwarf_Die *type);	/* what waits for a permit */
/* The semaphore of a guard's lock; *lock: what the guard itself has. */
bool guard_of(const struct target *, uint64_t at, Dwarf_Die *type, uint64_t *semaphore,
	uint64_t *lock);
/* Has what waits been given its permit? */
bool was_given(const struct target *, uint64_t at, Dwarf_Die *type, uint64_t *semaphore,
	uint64_t *lock);
/* An end of a channel; end_of: what it has: the items of one, or its room. False: none. common: the
 * type of what all its ends refer to; without address: not known. */
bool is_end(Dwarf_Die *type);
bool end_of(const struct target *, uint64_t at, Dwarf_Die *type, struct wait_on *,
	Dwarf_Die *common);
/* What was reserved of a bounded channel: who drops it makes room. */
bool is_permit(Dwarf_Die *type);
bool permit_of(const struct target *, uint64_t at, Dwarf_Die *type, uint64_t *channel);
/* tokio-locks.c: look for guards and ends in that future of that task (header); then print who has
 * what. */
void locks_walk(const struct target *, uint64_t task, uint64_t at, Dwarf_Die *type);
/* No guard is there but what locks_walk finds, nor in what was allocated with it. */
void locks_none_in(uint64_t at, uint64_t size);
/* tokio-messages.c: what is in the queue of an mpsc channel: each block of it, in which nothing is but
 * the messages that are told behind it. UNKNOWN: one may be being written there. */
enum message { MESSAGE_BLOCK, MESSAGE_WRITTEN, MESSAGE_UNKNOWN };
typedef void message_fn(void *arg, enum message, uint64_t at, uint64_t size, Dwarf_Die *type);
void messages_each(const struct target *, uint64_t channel, Dwarf_Die *common, message_fn *,
	void *arg);
void locks_report(struct snapshot *);
void locks_forget(void);		/* and what tokio-reach.c knows */
/* tokio-words.c: the words of a thread that the program's code may have: `at`: on its stack; 0: in a
 * register. */
typedef void word_fn(void *arg, uint64_t at, uint64_t word);
void thread_words(const struct target *, const struct thread *, word_fn *, void *arg);
/* tokio-reach.c: there is a future, of that task or a part of its own. */
void reach_future(uint64_t task, uint64_t at, Dwarf_Die *type);
/* What the runtime has of that one, its future in it. */
void reach_cell(uint64_t header, uint64_t size);
/* That task has a permit of that channel. */
void reach_permit(uint64_t task, uint64_t channel);
/* What all ends of a channel have. */
void reach_channel(uint64_t at, Dwarf_Die *type);
/* What messages_each says. */
void reach_message(enum message, uint64_t at, uint64_t size);
void reach_forget(void);
/* Then, behind locks_report: of each Notify, and each channel of which it does not say who has its ends,
 * for which somebody waits: who alone can come to it. Nothing, where one can who goes on. */
void reach_report(struct snapshot *);
/* tokio-queues.c: of that task's runtime; then print them and set the threads' `queue`. */
void queues_note(const struct target *, struct poll *, uint64_t task);
void queues_report(struct snapshot *);
/* tokio-block.c: the future that a thread in block_on runs or waits for, where it is suspended. */
bool blocked_future(const struct target *, const struct thread *, uint64_t *at, Dwarf_Die *type);
/* tokio.c: the stack of a task by its future, which lies there, and what it waits on. */
void future_read(struct snapshot *, struct task *, uint64_t at, Dwarf_Die *future);
/* tokio's own headers: the id of a task; 0: none there. */
uint64_t task_id(const struct target *, uint64_t header);
#endif
