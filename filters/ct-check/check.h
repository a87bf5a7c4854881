/* check.h - ct-check's parts: order.c finds what is wrong between the lines, main.c reads, prints
 * and decides. */
#ifndef CHECK_H
#define CHECK_H

#include "cttrace.h"

enum problem {
	P_BAD,			/* a line that says nothing */
	P_GAP,			/* own events missing: n (or seq) jumps */
	P_BACK,			/* n repeated or falling */
	P_TIME,			/* ts falls within a coroutine */
	/* resumed twice, suspended twice, created again, on two threads at once */
	P_STATE,
	P_LOST,			/* the recorder says that events are missing */
	P_END,			/* the totals of the end line are others than those counted */
	PROBLEMS
};

/* What was counted of one run. */
struct tally {
	uint32_t run;
	bool cut;			/* a filter left lines out: gaps and totals say nothing */
	uint64_t events, printed;	/* coroutine lines; all that an end line counts */
	uint64_t of_kind[CTT_EV_KINDS];
	uint64_t v2, v1, other;		/* coroutine lines with and without "ev"; other lines */
	uint64_t coroutines, live;
	/* of those that live, by state lines since the last start line; how many there were of that */
	uint64_t reported;
	uint32_t starts;
	uint64_t problems[PROBLEMS];
	/* the program ran already; its attach line is still to come */
	bool attached, before_attach;
	uint64_t lost;			/* sum of lost lines */
	/* of them, before the attach line: the trace is whole without */
	uint64_t overwritten, overwritten_to;
	uint64_t missing;		/* own events missing, by n */
	/* where a filter left lines out, as long as it does not take that back: gaps, what is
	 * missing in them, and the first one's line */
	uint64_t held_gaps, held_missing, held_first;
	uint64_t states, states_told;	/* before the attach line, and by it */
	/* wakes of coroutines that are not live: gone, or never seen */
	uint64_t unknown_wakes;
	/* Version 1 without "n": seq is the event's number, or its slot's (even; 8 events share
	 * it). Both readings are counted, for which it is shows only by an odd one. */
	bool by_seq, odd_seq;
	/* seq fell while time rose: the address has another coroutine */
	uint64_t reused;
	/* seq and time fell: an older line stands after a newer one */
	uint64_t late;
	uint64_t number_gaps, number_missing, number_first;	/* _first: line number */
	uint64_t slot_gaps, slot_missing, slot_first;
	uint64_t late_first, reused_first;
};

/* Reported once a problem: `what` is a phrase. from, to: numbers or times, by kind. */
typedef void problem_fn(struct tally *, const struct ctt_event *, enum problem, uint64_t from,
	uint64_t to, const char *what);

struct order;			/* what is known of live coroutines */
struct order *order_new(problem_fn *);
/* One line of the run that `t` counts. Out of memory ends the program. */
void order_apply(struct order *, struct tally *t, const struct ctt_event *);
void order_free(struct order *);

#endif
