/* channels.h - who takes from a channel, and who puts into it. */
#ifndef JUDGE_CHANNELS_H
#define JUDGE_CHANNELS_H

#include "base/hash.h"
#include "judge/evidence.h"

struct object;

/* A few coroutines that did something; others: more than these, or a plain thread, did, too. sure, by bit: the
 * level rose or fell then, so that it did just that. */
enum { PARTIES = 8 };
struct parties { uint64_t id[PARTIES]; uint32_t count; bool others; uint8_t sure; };
struct traffic { struct parties takers, givers; };
/* Whoever waited there, woke somebody there, took or put. Those that have ended are forgotten where they are
 * many, and more are all that live besides the first eight. */
struct users {
	struct parties few;
	struct hash more;
	size_t most;
	struct parties givers;		/* who woke or notified somebody there, or nobody, or put */
	bool given;			/* some ever did */
	bool signals;			/* one had not used it, as who gives a permit back has */
	/* a plain thread that did so before it was a worker; 0 = none */
	uint64_t starter;
	/* who created those that gave before they took; others: more than these */
	struct {
		/* again: in several runs of it */
		struct { struct maker maker; bool again; } of[PARTIES];
		uint32_t count;
		bool others;
	} makers;
};
/* while judging: a channel that a coroutine takes from, or puts into, so that it could wake others */
struct seat { struct object *o; struct seat *next; };

/* a `level` line of a channel, before it is applied */
void channel_level(struct ctt_judge *, struct object *, const struct ctt_event *);
/* A coroutine (0: a plain thread) waits at a channel or event, or woke somebody for it. */
void channel_used(struct ctt_judge *, struct object *, uint64_t id, uint64_t tid);
/* It brings about what others wait for there. */
void channel_given(struct ctt_judge *, struct object *, uint64_t id, uint64_t tid);
/* Some did so, none of whom lives, but those that wait there themselves: of a channel, or of an event that let all go
 * the last time. */
bool channel_givers_gone(struct ctt_judge *, const struct object *);
bool channel_starter_goes_on(struct ctt_judge *, const struct users *);
/* Its users, in no order; call with *at = 0 first; 0 at the end. */
uint64_t channel_user(const struct users *, size_t *at);
/* Permits whose level is reported, before it is taken for that: who takes some, and who adds any. The first is how many
 * there are at all. */
void channel_permits(struct ctt_judge *, struct object *, const struct ctt_event *);
bool channel_takes(const struct object *, uint64_t id);	/* took, and never put */
/* May somebody else than who held that end of a channel do what it waits for? */
bool channel_goes_on(struct ctt_judge *, const struct evidence *);
/* Who alone could wake it: it waits for room in a full channel, or at an empty one, for longer than
 * anybody did there; and all who ever took, or put, there are coroutines that live. Else NULL. */
const struct parties *channel_of(struct ctt_judge *, const struct ctt_coro *);
/* those of an object with traffic, as it stands */
const struct parties *channel_parties(const struct object *);
/* of one that channel_of() knows: it waits for room */
bool channel_is_full(const struct ctt_coro *);
/* room.c: how many wait for room in a channel of which levels are told, for an event at which others were
 * preferred to them, or for permits that are anybody's, and nobody who ever used it may go on, but for those who
 * wait so? items: likewise for an item or an event, of which all who ever gave one have ended, where none goes on
 * who created any of those either */
void channel_hopeless(struct ctt_judge *, size_t n[]);	/* by enum way */
/* Give each coroutine its seats, to be freed. */
struct seat *channel_seats(struct ctt_judge *);
#endif
