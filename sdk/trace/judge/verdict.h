/* verdict.h - the table of verdicts, the rules that it names, and what they share. */
#ifndef JUDGE_VERDICT_H
#define JUDGE_VERDICT_H

#include "judge/facts.h"

/* The verdicts (verdicts.c). A rule returns false where its pattern is not there; it fills in all
 * but id, coro and age. Of a coroutine the first rule that proves speaks, else the first that
 * suspects, in the order of enum ctt_verdict. */
typedef bool rule(struct ctt_judge *, struct evidence *, struct ctt_finding *);
struct verdict {
	struct ctt_verdict_facts facts;
	/* kinds of lines that could overturn it, by 1 << enum ctt_ev_kind */
	uint64_t needs;
	bool may_follow;	/* who brought the cause about could wake it later on */
	bool order_matters;	/* it is none if cause and suspend happened the other way round */
	/* asked of those that wait, and that are runnable; NULL: found otherwise */
	rule *asleep, *woken;
};
const struct verdict *verdict_of(enum ctt_verdict);
/* rules.c */
rule rule_closed, rule_awaitee, rule_owner, rule_missed, rule_waker;
/* Why that its holder has ended does not prove that it stays locked; NULL: it does. */
const char *owner_doubt(struct ctt_judge *, const struct object *, const struct hold *);
/* Lives it, and does not wait for that lock itself? Then it may have been given the guard. */
bool may_have(struct ctt_judge *, const struct object *, uint64_t id);
/* May its guard be moved into others? */
bool hold_is_value(const struct ctt_judge *, const struct hold *);
/* Anybody may give back what that one took of it. */
bool permit_is_nobodys(
	const struct ctt_judge *, const struct object *, const struct hold *);
void finding_set(struct ctt_finding *, enum ctt_verdict, enum ctt_certainty, struct ctt_fact cause,
	const char *because);
rule rule_ready;							/* ready.c */
rule rule_runnable;							/* runnable.c */
rule rule_straggler, rule_silent;					/* straggler.c */
/* group.c */
rule rule_group;
/* go-waits.c */
rule rule_go_group;
void judge_go(struct ctt_judge *);			/* before any rule is asked */
bool is_send(const struct ctt_coro *);			/* waits in a send on a Go channel */
/* Those it was in when it last suspended, the innermost first; where no stack is told, the one of its site. */
void functions_of(const struct ctt_judge *, const struct ctt_coro *, ctt_frame_fn *, void *arg);
/* Was that one of them? */
bool was_in(const struct ctt_judge *, const struct ctt_coro *, const char *function);
/* And is it known that it was not? */
bool was_elsewhere(const struct ctt_judge *, const struct ctt_coro *, const char *function);
bool is_receive(const struct ctt_coro *);		/* in a receive, or a select */
bool is_lock(const struct ctt_coro *);			/* for one of its locks */
bool is_group(const struct ctt_coro *);			/* for one of its groups */
/* in one of Go's selects: any could wake it, often a channel that asks it to end */
bool waits_for_several(const struct ctt_coro *);
/* for at least a second, and ten times longer than anybody did there */
bool go_too_long(struct ctt_judge *, const struct evidence *);
bool go_accuse(const struct evidence *, struct ctt_finding *, enum ctt_verdict, enum ctt_certainty,
	const char *because);
void kid_created(struct ctt_judge *, struct ctt_coro *parent, const struct ctt_event *);
void kid_ended(struct ctt_coro *parent, const struct ctt_coro *kid);
/* Of all whom it created, and whom these did, is none left? */
bool kids_ended(struct ctt_judge *, const struct evidence *);
/* It becomes the first of these LINES, which is returned. */
struct line *line_noted(struct line[], struct point *);
/* go-locks.c */
rule rule_go_lock;
/* Of one that waits for a lock: has one that was made before been in a function that may have it, and works? */
bool holder_may_work(struct ctt_judge *, const struct evidence *);
/* go-sends.c */
rule rule_go_send;
void go_sent(struct evidence *, uint64_t wait_ns);
/* It comes to receive there, or does. */
void go_receives(struct ctt_judge *, const struct evidence *, uint64_t site);
/* One that waited was woken, by `by` (NULL: by none that lives), who was at that site then. */
void go_woken(struct ctt_judge *, struct evidence *, struct ctt_coro *by, uint64_t site);
/* wasted.c */
rule rule_wasted;
/* deadlock.c */
void judge_deadlocks(struct ctt_judge *);

/* Is the cause old enough, and which certainty is left of it? False: too fresh to say anything. */
bool weigh(struct ctt_judge *, struct ctt_finding *);		/* weigh.c */
void weigh_forget(struct ctt_judge *);
void findings_free(struct ctt_judge *);		/* findings.c */
void add_finding(struct ctt_judge *, struct ctt_finding *);

/* standstill.c: how many wait, once all findings are there, where nobody is left who could go on; 0: somebody may */
size_t judge_standstill(const struct ctt_judge *);
/* runnable.c: how many were woken, and no worker has done anything for a second, or all who did sleep */
size_t judge_unserved(struct ctt_judge *);
/* full.c: how many wait for a thread of a blocking pool whose tasks all wait, for what does not come by itself; 0: none */
size_t judge_full(struct ctt_judge *);
/* a wake, or a notify of somebody, for that */
void standstill_note(struct ctt_judge *, const struct ctt_event *, const struct object *);
/* blocked.c */
void judge_blocked(struct ctt_judge *);
/* behind.c: once all findings are there */
void judge_behind(struct ctt_judge *);

/* Was the last wake for the thing for nothing: can the one that was woken no more take it?
 * (wasted.c) */
bool wake_in_vain(const struct ctt_judge *, const struct object *);
/* if that wake named the thing */
void accuse_wasted(const struct ctt_judge *, struct evidence *, struct ctt_finding *);

/* groups (group.c) */
void point_woken(struct evidence *, uint64_t by);
void judge_groups(struct ctt_judge *);		/* for rule_group */
/* for a lock, a channel or the like, and which one is not reported */
bool waits_unnamed(const struct ctt_coro *);

/* Woken at `since`, may it just stand in a long queue? Not when all workers were idle after that;
 * where they do not report, not after ten times the longest delay of others. (runnable.c) */
bool may_be_queued(struct ctt_judge *, const struct ctt_coro *, uint64_t since);
/* Or, where they do not, behind what one of them is inside of? */
bool may_be_behind_others(struct ctt_judge *, const struct ctt_coro *, uint64_t since);
#endif
