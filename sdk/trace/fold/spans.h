/* spans.h - what ct-sched, ct-fold and others share: what each coroutine did from when to when
 * (spans.c). */
#ifndef SCHED_SPANS_H
#define SCHED_SPANS_H

#include "base/table.h"
#include "cttrace.h"

/* UNSTARTED: created, neither woken nor run */
enum doing { UNSTARTED, RUNNING, SUSPENDED, RUNNABLE, DOINGS };

/* the wake that counts since the last resume; c->span begins with it */
struct woken {
	uint64_t ts;		/* 0: none seen */
	uint64_t by, tid;
	uint64_t tag;		/* the owner's, from on_wake */
};

struct span {
	enum doing what;
	uint64_t from, to;
	struct ctt_coro *c;		/* as it was before the event that ended the span */
	/* RUNNABLE: what made it so; the SUSPENDED before it, too; else NULL */
	const struct woken *woken;
	/* that ended it; of SUSPENDED, the resume after the wake. NULL: open at the end */
	const struct ctt_event *ev;
};

struct spans {
	/* bytes of c->span: a struct woken and what the owner adds; zeroed with each coroutine */
	size_t size;
	void *arg;
	void (*on_span)(void *arg, const struct span *);
	/* w is set; NULL: none wanted */
	void (*on_wake)(void *arg, const struct ctt_event *, struct ctt_coro *, struct woken *);
	/* before its span goes; NULL: none wanted */
	void (*on_end)(void *arg, struct ctt_coro *, const struct ctt_event *);
	/* A stretch with lines missing in it (`unknown` counts them): what it did from when to when
	 * is not known; `what` means nothing, `woken` is NULL. NULL: none wanted. */
	void (*on_gap)(void *arg, const struct span *);
	struct ctt_model *model;
	bool shared;		/* it is the judge's */
	/* stretches between two lines of a coroutine with others missing between: no spans */
	uint64_t unknown;
	uint64_t before;	/* coroutines first seen in the middle of their lives */
	/* resumes of suspended coroutines without a wake seen: all of it counts as suspended */
	uint64_t unwoken;
	uint64_t late;		/* wakes reported after the resume that they brought about */
	uint64_t open;		/* coroutines that live on at the end: their spans are cut there */
	/* version 1 lines of coroutines: no wakes, and perhaps no numbers */
	uint64_t v1;
};
/* It has run, seen or not: where it does not, it waits. */
static inline bool span_ran(const struct ctt_coro *c)
{
	return c->resumed || c->order > 1 || c->v1 || !c->create_line;
}
/* makes the model; size, arg and calls are set, the rest is zero */
void spans_start(struct spans *);
/* The same, by a judge's model, which is freed after spans_free: one fold for both, until the judge
 * puts a line off. */
void spans_share(struct spans *, struct ctt_model *);
/* Apply the event to the model; calls on_span for what it ends, before it does. Returns the event's
 * live coroutine. */
struct ctt_coro *spans_apply(struct spans *, const struct ctt_event *);
/* The same in two steps, where the judge applies it in between: the first returns the coroutine as
 * it was, which the second takes. */
struct ctt_coro *spans_before(struct spans *, const struct ctt_event *);
struct ctt_coro *spans_after(struct spans *, const struct ctt_event *, struct ctt_coro *);
/* What is open at the end, up to `now`. `whole`: nothing is missing; else only what a state line
 * confirmed is reported. */
void spans_finish(struct spans *, uint64_t now, bool whole);
void spans_free(struct spans *);
#endif
