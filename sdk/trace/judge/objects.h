/* objects.h - what coroutines wait on, are woken for, close and lock. */
#ifndef JUDGE_OBJECTS_H
#define JUDGE_OBJECTS_H

#include "base/hash.h"
#include "judge/channels.h"
#include "judge/deeds.h"

struct hold {				/* that somebody has a lock, or a permit */
	struct hold *next, **prev;	/* of the same object, the latest first */
	/* of the same coroutine, or plain thread; prev_held NULL: of no coroutine that lives */
	struct hold *next_held, **prev_held;
	struct deeds *deeds;		/* of that one; from which on they are not yet in here */
	uint64_t from;
	struct object *object;
	uint64_t by, tid;		/* coroutine; 0: the plain thread */
	uint64_t times;			/* taken and not given back */
	uint64_t nth;			/* that took it */
	bool deep;			/* it was taken again meanwhile */
	bool handed;			/* while it waited for something else */
	bool anybodys;			/* a coroutine took it for whoever has the guard */
	/* from a coroutine that ended with it, by the one that awaited it */
	bool inherited;
	/* its memory says that it has it; no line would say that it gave it back, once it runs */
	bool seen;
	/* its holder sent something on a channel since; and woke several for it */
	bool sent, sent_often;
	uint64_t sent_to;		/* whom it woke for that, 0 = nobody */
	uint64_t sent_over;		/* and over which channel; several */
	bool sent_around;
	bool finished;			/* its holder ended by itself, not cancelled */
	bool torn;			/* and may have released it in lines that were lost */
	/* where guards are values: that one returned something, or nobody knows; it woke several since */
	bool returned, woke_several;
	uint64_t woke;			/* it woke this one; 0 = nobody */
	/* ended.line: the last holder did so and did not release it */
	struct ctt_fact acquired, ended;
	/* that holder: who awaited it came later, and may be its heir */
	struct ctt_fact created;
	uint64_t spawned;		/* its site */
};

/* What shows that some may be let wait by design, though what they wait for is there (patience.c). */
struct patience {
	uint64_t let_wait, since;	/* level at which they were; told then */
	uint64_t patient;		/* level at which they were, and went on later, with more */
	uint64_t lag;		/* longest from when it was there until one who waited was woken */
	/* the last two that were woken: since when they had waited */
	struct let_go { uint64_t came, ts; } last, last_but_one;
	uint64_t raiser, raiser_tid;	/* who said last that there is more */
	bool prompt, paced;		/* that one woke somebody; another did */
	/* who takes one after the other without waiting for it; how many runs, the first, the last */
	uint64_t drainer, drained, drained_since, drained_last;
};
struct object_name { enum ctt_on_kind kind; uint64_t key, pid; };
/* What coroutines wait on, are woken for, close and lock. Numbers and addresses name a thing within
 * one process. */
struct object {				/* what most lines touch comes first: five cache lines */
	uint64_t key, pid;
	enum ctt_on_kind kind;
	bool fresh;			/* nothing reported of it can have been forgotten */
	bool opened;			/* an open line reported of it */
	bool woken_for;			/* a wake for it, or notify that woke somebody, named it */
	bool woken_at_0;		/* its last wake was before that level was reported */
	struct leg *legs;		/* of those who wait for it among others */
	struct evidence *waiters;	/* whose last suspend was on it, woken since or not */
	uint64_t came;			/* when the last came to wait for it */
	uint64_t woke_ts;		/* last wake for it, or notify that woke somebody */
	uint64_t woke_id;		/* whom that wake woke */
	uint64_t woke_by;		/* of an event: who did; 0 = no coroutine */
	struct ctt_fact closed;
	uint64_t level, levels;		/* value; how many such lines */
	struct ctt_fact level_known;		/* last `level` line, 0 = none */
	struct hold *holds;		/* who has it now */
	struct hold *left;		/* the last of those who ended with it */
	struct ctt_fact woke;		/* that wake, where it named the thing */
	/* wakes since its last level or release: that named it; that named nothing, of its waiters */
	uint64_t wakes, unnamed;
	/* what that one waited on instead then; woke_kind CTT_ON_NONE: on this, or not reported */
	enum ctt_on_kind woke_kind;
	bool woke_knew;			/* and it had waited for this one before, and said so */
	/* was released by another than who took it: its guard is handed over */
	bool passed_on;
	uint64_t woke_key;
	uint64_t woke_site;		/* and where it waited then */
	/* since it was closed: how many were notified, as notify lines say; and woken */
	uint64_t claimed, let_go;
	uint64_t held, taken;		/* how many have it; and how often in all */
	uint64_t anybodys;		/* of these, how many took it for whoever has the guard */
	uint64_t acquires;		/* that there ever were */
	uint64_t left_times;		/* and what all who left it had been taken so often */
	uint64_t most;			/* that its level ever was */
	struct hash *crowd;		/* who has it, by that, where they are many; else NULL */
	/* who said last that its level is 0; 0 = nobody that is known */
	uint64_t shut_by;
	bool emptied;			/* its level was 0 at a time */
	bool level_falls;		/* has been seen to: so what is taken is reported, too */
	bool fell;			/* as its last such line says */
	bool level_falls_far;		/* by more than one: who waits may want several */
	bool gated;			/* was said to be 0 still: not what is free is told */
	bool doubted;			/* others than those who are known may have it, too */
	uint64_t counted_by;		/* likewise, as parts of a wait group say: by whom last */
	/* was acquired while held: readers, re-entry, unreported releases */
	bool overlaps;
	bool crowded;			/* and three had it at a time */
	/* and all who held it at a time gave it back: a read lock */
	bool shares;
	bool returns;			/* was given back by who took it */
	bool again;			/* was taken by one who had it */
	bool reenters;			/* and given back as often: such are no doubt */
	bool refilled;			/* permits: by one who had none, see `unmatched` */
	uint64_t told_by;		/* its level, first */
	bool raised;			/* by another than that one */
	bool added;		/* was given back by who had none, and nobody took it for anybody */
	struct ctt_fact released;
	/* permits: how many there are; risen without one being given back, or fallen where one was
	 * handed on */
	uint64_t permits;
	int64_t unmatched;
	/* deadlock: may another than its holders release it? */
	enum { UNSEEN, HOLDERS_ONLY, PASSABLE } passage;
	/* while judging, once asked: untold.c: do those who wait for more have all of it? room.c: is
	 * each known, and does it live, who has it? */
	enum answer { UNASKED, NO, YES } waiters_have, holders_live;
	/* deadlock: its waiters are not stuck; its holders are in the evidence */
	bool freed, reported;
	bool torn;	/* one who has it may have given it back in lines that were lost */
	struct ctt_finding *first;	/* behind.c: the one that speaks for all who wait */
	struct vertex vertex;
	/* last created by its holder while it held it: may have been given the guard; or others */
	uint64_t child, child_nth;
	uint64_t child_from;		/* and no deed up to this one counts any more */
	/* whom the last to release it woke at once, who had waited for it and waits for something else;
	 * 0 = nobody: that one's earlier wait may have it */
	uint64_t served;
	struct ctt_fact no_waiter, some;	/* last notify that woke nobody; somebody */
	uint64_t least_woken;		/* plus one, of levels when some were woken */
	/* permits: one that waited is gone without one; since when it had waited */
	struct ctt_fact gone;
	uint64_t gone_came;
	/* the first level above 0 since it was 0, and since anybody was woken for it; line 0: it is
	 * 0; and the most since then */
	struct ctt_fact there;
	uint64_t there_most;
	struct patience patience;
	/* since the last notify of it: the thread that woke for it last, and how often */
	uint64_t waker_tid, waker_wakes;
	struct traffic *traffic;	/* of a channel; NULL: none yet */
	/* of a channel or event, or permits that were ever anybody's; NULL: none yet */
	struct users *users;
	struct ctt_fact end;		/* of the coroutine that it stands for, the last */
	bool children;			/* more than `child` */
	bool orphans;			/* a holder ended before one that it had created */
	bool relayed;			/* one who had waited for it woke another for it */
	bool lets_several_go;		/* one woke several for it in one go */
	bool seated, asked;	/* while judging: channel_seats(), channel_hopeless() has met it */
	bool hoped;			/* and that one has given hope to all who wait for it */
	bool followed;			/* and behind.c those who wait for it */
	uint64_t runnable;		/* waiters woken and not resumed yet; counted at the end */
};

/* objects (objects.c) */
/* By which it is found, if it is a number; 0: it is none. */
uint64_t object_hash_of(const struct ctt_judge *, const struct ctt_on *, uint64_t tid);
/* NULL: not known or not there */
struct object *object_find(struct ctt_judge *, const struct ctt_on *, uint64_t tid);
/* NULL: not known */
struct object *object_get(struct ctt_judge *, const struct ctt_on *, uint64_t tid);
struct object *object_at(struct ctt_judge *, const struct ctt_on *, uint64_t pid);
/* May earlier lines about what it waits for be forgotten? */
bool object_forgotten(const struct evidence *);
/* Is a channel's room reported apart, so that who waits for the channel itself waits for an item? */
bool object_room_known(struct ctt_judge *, const struct object *);
bool object_receives(struct ctt_judge *, const struct object *, uint64_t id);	/* it alone does */
void object_wait(struct object *, struct evidence *);
void object_leave(struct evidence *);
/* it waited for it before */
bool object_known_to(const struct object *, const struct evidence *);
bool object_may_be_known_to(const struct object *, const struct evidence *);	/* a lock */
struct arrival object_arrival(const struct object *);
/* A channel's items, or its room: who holds it has that end of the channel, no lock. */
static inline bool is_channel(const struct object *o)
{
	return o->kind == CTT_ON_CHAN || o->kind == CTT_ON_ROOM;
}
/* Who holds it alone brings about what others wait for there: has one end of a channel, sets the event,
 * or owes a wait group its Done. */
static inline bool has_ends(const struct object *o)
{
	return is_channel(o) || o->kind == CTT_ON_COND;
}
/* What only those who have it give back, where somebody took it. */
static inline bool is_lockable(const struct object *o)
{
	return o->kind == CTT_ON_MUTEX || o->kind == CTT_ON_USER;
}
/* that line reports less than there was */
bool object_taken(struct ctt_judge *, const struct ctt_event *level);
/* somebody was woken for it while so much was there */
void object_woken_at(struct object *, uint64_t level);
/* Wakes since its last level or release; where none says what for, those of its waiters. */
uint64_t object_wakes(const struct ctt_judge *, const struct object *);
/* c, NULL: not known, was woken for it; or, as nothing is said of what for, while it waited for it */
void object_woken(struct ctt_judge *, struct object *, const struct ctt_coro *,
	const struct ctt_event *, bool named);					/* wasted.c */
/* As much is there as there ever was: of a buffer, perhaps, for whose room it waits at the condition at
 * which others wait for items; at their line, where it came when as much was there. */
bool may_be_full(const struct evidence *);
/* At a condition, where one of its line that came when something was there was woken as that had fallen;
 * there is no less than when it came itself. */
bool waits_for_less(const struct evidence *);
/* patience.c: a `level` line, before it is applied; e is woken for it, before that is noted */
void patience_level(struct ctt_judge *, struct object *, const struct ctt_event *);
void patience_woken(struct object *, const struct evidence *, const struct ctt_event *);
/* though it is there since then */
bool may_be_patient(struct ctt_judge *, const struct evidence *, uint64_t since);
/* it is woken for that thing, at which it waits */
void object_note_less(const struct object *, const struct evidence *);
/* it is closed (closes.c) */
void close_object(struct object *, const struct ctt_event *);
/* lives.c, ahead of the line: a wake for it, of e (NULL: not known); any other about a thing */
void lives_woken(struct ctt_judge *, struct object *, const struct evidence *e,
	const struct ctt_event *);
void lives_line(struct ctt_judge *, const struct ctt_event *);
/* somebody was notified of what is closed */
void closed_notified(struct object *, const struct ctt_event *);
/* the coroutine that it stands for */
void awaited_ended(struct object *, struct ctt_fact end);
/* Before it is judged: of a number that came again, the last end counts. */
void awaited_settle(struct evidence *);
/* open, close, notify, level, acquire, release */
void object_line(struct ctt_judge *, const struct ctt_event *);
/* e waits no more, without having been woken for it */
void object_gone(struct evidence *, const struct ctt_event *);
/* it is destroyed: who did so may have released what it had */
void holds_destroyed(struct ctt_judge *, const struct evidence *, const struct ctt_event *);
void objects_free(struct ctt_judge *);

/* holds (holds.c) */
bool object_held(const struct object *);		/* by anybody, or left locked */
bool hold_doubted(const struct object *);		/* not all releases may be reported */
/* Whoever has it has it: it was taken for nobody in particular, and for nobody else. */
static inline bool hold_is_anybodys(const struct object *o)
{
	return o->holds && o->anybodys == o->held;
}
struct hold *hold_find(const struct object *, uint64_t by, uint64_t tid);
/* May its holder have given it back in lines that were lost? His own runs tell, where all are there. */
bool hold_torn(struct ctt_judge *, const struct hold *);
/* Does that, or who awaits its result, or who awaits that one's, hold it? What a coroutine has done by
 * those that it awaits it does itself. */
bool hold_acts(struct ctt_judge *, const struct object *, uint64_t by, uint64_t tid);
/* Who waits for the result of that one now, for it alone or among others; 0: nobody. */
uint64_t awaiter_of(struct ctt_judge *, uint64_t id);
/* Does one that awaits it, or awaits that one, run, or is to run? It is polled then, or given up. */
bool awaiter_moves(struct ctt_judge *, const struct ctt_coro *);
enum { FRAMES = 64 };		/* one awaits the other, at most so many */
void object_acquire(struct ctt_judge *, struct object *, const struct ctt_event *);
void object_release(struct ctt_judge *, struct object *, const struct ctt_event *);
/* a `level` line of permits, before it is applied */
void permits_level(struct object *, const struct ctt_event *);
/* Is each of its permits had by a coroutine that is known, or was left by one that ended, and was it
 * never given one by others? */
bool permits_all_held(const struct object *);
/* What it is about has come about: who ended and did not do it is no matter any more. */
void hold_come_about(struct object *);
/* its holder ended; NULL: has no heir */
void hold_pass(struct ctt_judge *, struct hold *, struct ctt_coro *heir, struct ctt_fact end);
/* a plain thread ends */
void holds_thread_ends(struct ctt_judge *, const struct ctt_event *);
/* It lives, and is a coroutine's that is known. */
static inline bool hold_lives(const struct hold *h)
{
	return h->by && h->prev_held;
}
/* the coroutine of an `acquire` line; 0: a plain thread */
uint64_t taker_of(const struct ctt_judge *, const struct ctt_event *);
/* Nobody was let go since, and it waits longer than anybody ever did there for a thing that is known. */
bool waits_long(const struct ctt_judge *, const struct evidence *);
void drop_traffic(struct object *);	/* who uses it */
void drop_holds(struct object *);
/* It has gone on, or ended: whether it has still what it was seen to have is not known. */
void holds_unseen(struct evidence *);
/* whatever comes by this name is another thing */
void object_reset(struct object *);

/* guards (guards.c) */
/* The guards of what its creator has, parent or else the thread, may go with a new coroutine. */
void guards_created(struct ctt_judge *, struct evidence *parent, const struct ctt_event *);
/* What it has may go with what it sends on a channel, and with what it wakes somebody for; a plain thread's, to
 * whomever it wakes. A `wake`, `notify` or `level` line. */
void guards_sent(struct ctt_judge *, const struct ctt_event *);
/* Who gives to a channel has a sender of it, which stays with the one that wakes nobody but its receiver then.
 * Such a line, or `release`. */
void guards_gave(struct ctt_judge *, const struct ctt_event *);
#endif
