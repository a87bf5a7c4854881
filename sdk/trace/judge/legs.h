/* legs.h - one of several things that a coroutine waits for. Inside the library only. */
#ifndef JUDGE_LEGS_H
#define JUDGE_LEGS_H

#include "judge/objects.h"
#include "judge/verdict.h"

struct leg {
	struct leg *next, **prev;	/* of the same object */
	struct evidence *e;
	struct object *on;		/* NULL: not known */
	struct ctt_fact done;		/* it was closed, or has ended: it comes no more */
	bool told, heard;		/* as its coroutine's are, of one thing */
	struct arrival came;
};
struct legs {
	bool all;			/* else any */
	uint32_t count;
	uint32_t open;			/* deadlock: those that only others who wait could end */
	struct leg leg[];
};

/* c suspended: its legs are known from the model */
void legs_enter(struct ctt_judge *, struct evidence *, uint64_t tid);
/* Of one that waits for any of several: the rule's word on one of them alone, as each is to wake it;
 * if that is `least` certain, or more. */
bool legs_rule(struct ctt_judge *, struct evidence *, struct ctt_finding *, rule *,
	enum ctt_certainty least);
/* Of one that waits for all of several: is each gone, or does the rule prove that it is there? One at
 * least is. */
bool legs_all_rule(struct ctt_judge *, struct evidence *, struct ctt_finding *, rule *);
/* Is each of several, or of all of several one, what the rule proves that it never comes? The others of
 * any are gone. */
bool legs_gone_rule(struct ctt_judge *, struct evidence *, struct ctt_finding *, rule *);
/* Its deadline moved, where it waits for one among others. */
#define LEG_OFF "timer turned off"
void legs_moved(struct evidence *, const struct ctt_event *);
/* Have all of them ended, been closed or turned off, and not only the last? Then when the last did. */
const struct ctt_fact *legs_done(const struct evidence *);
/* by waits for that one's result, or for its end */
void await_end(struct ctt_coro *awaited, enum ctt_on_kind, uint64_t by);

/* Who asks for a lock or permits with a time limit, again and again, and nobody gives it back meanwhile (again.c). It suspended: */
void asks_note(struct evidence *);
/* Since when, where it did so thrice, and does; 0: else */
uint64_t asks_since(const struct evidence *);
/* when it came, the first time */
uint64_t waits_since(const struct evidence *);
/* And who has that lock has ended, or asks so for a lock likewise, ... */
bool asks_in_vain(struct ctt_judge *, const struct evidence *);

/* for it alone, or among others */
static inline bool waits_at(const struct evidence *e, const struct object *o)
{
	bool any = e->on == o;

	for (uint32_t i = 0; !any && e->legs && i < e->legs->count; i++)
		any = e->legs->leg[i].on == o;
	return any;
}
#endif
