/* facts.c - lines of the trace as evidence, and whom they are about. It stands below all rules and
 * calls none of them. Contracts in facts.h. */
#include <stdlib.h>

#include "judge/judge.h"

struct ctt_fact fact_of(const struct ctt_event *ev, const char *what)
{
	return (struct ctt_fact){ ev->line, ev->ts, ev->tid, ev->by, ev->site, what };
}

void add_fact(struct ctt_finding *f, struct ctt_fact fact)
{
	if (fact.line && (!f->oldest || fact.ts < f->oldest))
		f->oldest = fact.ts;
	if (fact.line && f->fact_count < CTT_FINDING_FACTS)
		f->facts[f->fact_count++] = fact;
}

struct ctt_fact suspend_fact(const struct ctt_coro *c)
{
	return (struct ctt_fact){ c->last_line, c->last_ts, c->tid, c->id, c->site,
		c->resumed || c->state == CTT_CORO_SUSPENDED || c->v1 ? "suspended" : "created" };
}

struct evidence *evidence_of(struct ctt_coro *c)
{
	struct evidence *e = c->evidence;

	if (!e) {
		e = c->evidence = need(calloc(1, sizeof(*e)));
		e->c = c;
	}
	return e;
}

/* Without a seed: which of them are remembered decides on verdicts, and these must not differ from
 * run to run. */
struct ended *ended_slot(struct ctt_judge *j, uint64_t id)
{
	return &j->ended[hash64(id) & (ENDED - 1)];
}

const struct ctt_fact *judge_ended(const struct ctt_judge *j, uint64_t id)
{
	const struct ended *end = j->ended ? &j->ended[hash64(id) & (ENDED - 1)] : NULL;

	return end && end->id == id ? &end->fact : NULL;
}

const struct ctt_coro *judge_coro_of(const struct ctt_judge *j, uint64_t id)
{
	const struct ctt_coro *c = ctt_model_coro(j->model, id);

	for (size_t i = 0; !c && i < j->gone_count; i++)
		if (j->gone[i]->c.id == id)
			c = &j->gone[i]->c;
	return c;
}

const char *deadlock_help(uint32_t kinds)
{
	if (kinds >> CTT_ON_SEM & 1)
		return "let nobody wait for a permit while it has one, or while one who has one waits for it; take at once what is needed";
	if (kinds & (1u << CTT_ON_MUTEX | 1u << CTT_ON_USER))
		return "take locks in one order, and hold none across an await";
	if (kinds & (1u << CTT_ON_CHAN | 1u << CTT_ON_ROOM))
		return "let nobody wait to send to one that waits for it: give it room, a time limit, or send from a task of its own";
	if (kinds & (1u << CTT_ON_CORO | 1u << CTT_ON_JOIN))
		return "let none await one that waits for it; where tasks of a pool await others of it, leave a thread to run these";
	return NULL;
}

bool comes_from_outside(const struct ctt_on *on)
{
	switch (on->kind) {
	case CTT_ON_TIMER:
	case CTT_ON_FD:
	case CTT_ON_SYSCALL:
	case CTT_ON_SCHED:
	case CTT_ON_RUNTIME:
		return true;
	default:
		return false;
	}
}
