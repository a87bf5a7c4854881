/* evidence.h - what the verdicts keep of each coroutine, and of each site where some suspend. Inside the
 * library only. */
#ifndef JUDGE_EVIDENCE_H
#define JUDGE_EVIDENCE_H

#include "judge/deeds.h"
#include "model/state.h"

struct object;
struct seat;

/* of the search for deadlocks: a coroutine or what it waits on */
struct vertex {
	/* 0: not met yet; low: of whom it reaches. Afterwards the number of its cycle */
	uint32_t index, low;
	bool stacked, is_object;
	struct vertex *from, *below;	/* who led there; the next on the stack of those met */
	struct hold *edge;		/* of an object: the next holder to look at */
	uint32_t party;			/* of a channel: the next of its parties */
};

enum { WAKERS = 8 };
struct taker { uint64_t id, parent, spawn_site; };
struct point {				/* a suspension point */
	uint64_t site;
	bool receives;			/* some did before an empty channel, or a closed gate */
	bool gives;			/* one who left it put something into that channel */
	bool gate;			/* more were let go here at a time than there were items */
	bool items;			/* one who left it took of a condition, as was reported */
	/* one who left it emptied that descriptor; one was let go though it was empty */
	bool reads, writes;
	bool less;			/* one there was woken as a condition's level had fallen */
	uint64_t longest_ns;		/* wait of one that left it */
	uint64_t longest_known_ns;	/* and of one that waited for what is known */
	uint64_t ended;			/* coroutines that left it and have ended since */
	/* who woke somebody there from a thing that is not reported */
	uint64_t wakers[WAKERS];
	uint8_t waker_count;
	bool outside;			/* and others than these did */
	/* of a send of Go's: who received there; renewed: one came after others had ended, so more may */
	struct taker takers[WAKERS];
	uint8_t taker_count;
	bool renewed;
	uint64_t longest_send_ns;
	bool foreign;			/* and not the one that made the sender */
	bool awaited;			/* of a go statement: its function received afterwards */
	/* while judging: when the first was made by a go statement there that lives and is in no send */
	uint64_t spawned;
	/* of a lock of Go's: when the first was made that may have it and works (UINT64_MAX: none), if it was looked */
	bool looked;
	uint64_t worker;
};

/* How a thing stands when somebody comes to wait for it. */
struct arrival { bool level_was_0, level_was_known, lock_was_held; uint64_t level; };

enum { ANCESTORS = 3 };
/* who created it, who created that one, ...; the suspension point that each had left then, 0 = none, and when */
struct maker { uint64_t id, left, run; };

enum { KNOWN = 4 };			/* last things that it was seen to wait for */
enum { LINES = 4 };			/* that are remembered of each that does something there */
/* came_anew: when it last made one there, having been in another function since the one before; 0: never */
struct line { struct point *at; uint64_t came_anew; };
enum { POINTS = 2 };			/* of a coroutine's last that straggler remembers */
/* Its last wake, by the turn of that thread, which begins as it gets up, or as it runs a coroutine. */
struct rouse { uint64_t tid, turn, ts; };
struct evidence {			/* what most lines touch comes first: four cache lines */
	struct object *on;		/* of its last suspend, NULL = nothing known */
	struct evidence *next, **prev;	/* among on->waiters */
	struct legs *legs;		/* of several things; NULL: of one, or not known */
	uint64_t suspended;		/* ts of its last suspend; 0 = runs or never did */
	uint64_t woken;			/* ts of a wake since */
	struct holder has;		/* locks it holds */
	struct ctt_coro *c;
	struct point *point;
	uint64_t point_ended;		/* point->ended when it came */
	struct process *process;	/* of the thread of its last suspend; NULL: none yet */
	struct { struct point *point; uint64_t ts; } left[POINTS];
	uint32_t wakes, dequeues;	/* since it waits, or was made */
	uint64_t known[KNOWN];		/* hashes of these */
	struct arrival came;		/* how the thing stood when it suspended */
	/* again.c: with a time limit, for the thing of that hash, which nobody gave back since */
	struct { uint64_t thing, since, times; } asked;
	bool befell;			/* one of closed, awaitee, moved is set */
	bool notified;			/* since its thing was closed, somebody: perhaps this one */
	bool told, heard;		/* its thing was closed, and then notified: seen */
	bool timers_moved;		/* one of several timers did, and nobody knows which */
	bool sends;			/* waits in a send on a Go channel */
	bool wakers_known, wakers_odd;
	bool some_lock;			/* it waited for a lock, and no line said for which */
	bool polled;			/* its last resume came within its parent's run */
	bool stated;			/* that it waits a `state` line alone tells */
	bool torn_down;			/* its frame was destroyed by what is put off */
	bool a_kid_ended;		/* which was not the runtime's own */
	bool kid_lives;			/* while judging: such a one */
	uint64_t kids_live, first_kid;	/* whom it created; ts of the first */
	uint64_t kids_kept;		/* while judging: who of these wait for its locks */
	struct ctt_fact closed, awaitee;	/* what befell the thing since it waits */
	struct ctt_fact moved;			/* its deadline, since it waits */
	struct ctt_fact dropped;		/* its last waker */
	struct ctt_fact dequeued;		/* last taken from a run queue and not run */
	int64_t wakers;
	uint64_t cloned;		/* when a waker of it last was */
	uint64_t within;		/* whose run its last resume came within; 0: nobody's */
	uint32_t turns;			/* within how many's, one after the other */
	uint64_t awaiter;		/* last that waited for its result */
	uint64_t joiner;		/* for its end, and for what it returned, if it did */
	uint64_t lost_to;		/* `lost` lines of its own */
	uint64_t torn;			/* the last loss on its thread while it ran */
	struct line sent[LINES];	/* where it sent something, the last first */
	struct line made[LINES];	/* and made others */
	uint64_t before;	/* who ended a wait older than the trace; UINT64_MAX: none */
	struct rouse rouse;
	struct vertex vertex;
	bool accused, behind;		/* behind.c: has a finding; is counted with another's */
	bool explained;			/* and that one is proven or suspected */
	struct seat *seats;		/* while judging deadlocks */
	struct maker makers[ANCESTORS];
	/* the channel that it put something in, and woke at most who waited there since, nor did anything else
	 * by which its sender may have gone to another; 0: none */
	uint64_t gave;
	/* since when it has waited for all of several, and for nothing else: what it took since then may
	 * be one branch's, and another waits for it; 0: it does not */
	uint64_t joined;
	uint32_t untold;		/* by 1 << enum way: waits so (untold.h) */
	bool hopeless;			/* room.c: nobody who may go on is known to take there */
	bool kid_goes_on;		/* and one that it created may */
	bool stuck;			/* deadlock: whoever could wake it is stuck, too */
	bool branching;			/* and one of its branches is not */
	bool in_cycle;
	bool grouped;			/* all who ever woke anybody where it waits are, too */
};
#endif
