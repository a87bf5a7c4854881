/* judge.h - the verdicts of ct-lostwake(1), in one pass, at the end of a run. See cttrace.h. */
#ifndef CTTRACE_JUDGE_H
#define CTTRACE_JUDGE_H

#include <stdio.h>

#include "model.h"
#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ctt_verdict { /* described in judge/verdicts.c */
	CTT_V_NONE,
	CTT_V_MISSED_WAKE,
	CTT_V_DROPPED_WAKE,
	CTT_V_ASLEEP_WORKERS,
	CTT_V_CLOSED_RESOURCE,
	CTT_V_READY_RESOURCE,
	CTT_V_DEAD_AWAITEE,
	CTT_V_WASTED_WAKE,
	CTT_V_DEAD_OWNER,
	CTT_V_LOST_WAKER,
	CTT_V_DEADLOCK,
	CTT_V_STUCK_LOCK,
	CTT_V_STUCK_SEND,
	CTT_V_STUCK_GROUP,
	CTT_V_DESTROYED_WOKEN,
	CTT_V_BLOCKED_WORKERS,
	CTT_V_WOKEN_AFTER_END,
	CTT_V_STRAGGLER,
	CTT_V_SILENT,
	CTT_VERDICTS /* how many, with CTT_V_NONE */
};
/* How sure a finding is. Proven: the cause is in the trace, and nothing missing could overturn it.
 * Suspected: a piece is missing. Unknown: its resume may be among what is missing. A hint is what a
 * healthy program may do, too: shown and counted, but no ground for a status of 1. */
enum ctt_certainty { CTT_PROVEN, CTT_SUSPECTED, CTT_UNKNOWN, CTT_HINT, CTT_CERTAINTIES };
const char *ctt_certainty_name(enum ctt_certainty);

struct ctt_verdict_facts {
	const char *name;	/* "missed-wake" */
	enum ctt_certainty best; /* that its findings can have */
	const char *means;	/* a phrase: what is the matter */
	const char *help;	/* a phrase: what to look at, or to do about it */
};
const struct ctt_verdict_facts *ctt_verdict_facts(enum ctt_verdict);
const char *ctt_verdict_name(enum ctt_verdict);

/* Two events of different threads closer than this may have happened in either order: the clocks
 * cannot show it. */
#define CTT_JUDGE_CLOSE_NS 1000
#define CTT_JUDGE_GRACE_NS 100000000ull		/* default of --grace */

struct ctt_fact {			/* a line of the trace as evidence; line 0 = none */
	uint64_t line, ts, tid;
	uint64_t by;		/* coroutine that did it, 0 = a plain thread */
	uint64_t site;
	const char *what;	/* "closed", "woken", "suspended" ... */
};

enum { CTT_FINDING_FACTS = 8 };
struct ctt_finding {
	enum ctt_verdict verdict;
	enum ctt_certainty certainty;
	uint64_t id;		/* stable: of verdict, coroutine, site and run */
	const struct ctt_coro *coro;
	uint64_t since, age_ns;	/* when it came into its state; until T */
	struct ctt_fact cause;	/* line 0: there is no single one */
	/* the evidence, in order of time; of a deadlock the first edges */
	struct ctt_fact facts[CTT_FINDING_FACTS];
	uint32_t fact_count;
	uint64_t oldest;	/* time of the oldest fact: nothing may be lost from then on */
	/* deadlock: its members, each waiting for the next (see component); else NULL */
	uint64_t *cycle;
	uint32_t cycle_count;
	/* who only wait for what its coroutine has, or for its end, or for the same lock */
	uint64_t *behind;
	size_t behind_count, behind_room;
	uint64_t to_run;	/* blocked-workers: how many wait for one of them */
	uint64_t times;		/* woken-after-end: how many such wakes from that site */
	bool merged;		/* the library's, as the next */
	/* who has the lock may have given it back, others may use the channel, in lines that were lost */
	bool torn;
	/* when the coroutine, or the first of its cycle, was destroyed; 0: it lives */
	uint64_t gone_ts;
	/* they form no ring: several could wake one of them, and all of those wait as well */
	bool component;
	/* cause and suspend are closer than CTT_JUDGE_CLOSE_NS on different threads */
	bool close;
	/* a phrase: why the pattern accuses, or what is missing for a proof */
	const char *because;
	/* a phrase: what is missing that could overturn it, where that costs it the proof; else
	 * NULL */
	const char *unknown;
	const char *help;	/* the library's: ctt_finding_help() */
};
/* A phrase: what to do about it. */
const char *ctt_finding_help(const struct ctt_finding *);

struct ctt_judge;
struct ctt_judge *ctt_judge_new(void);
void ctt_judge_free(struct ctt_judge *);
/* Apply one event of one run: the judge keeps the run's model itself. */
void ctt_judge_apply(struct ctt_judge *, const struct ctt_event *);
/* Lines between these times are missing or could not be read (UINT64_MAX: anything until the
 * end). */
void ctt_judge_lost(struct ctt_judge *, uint64_t from, uint64_t to);
struct ctt_model *ctt_judge_model(struct ctt_judge *);
/* Judge now, with the run's facts (ctt_trace_run). The findings, one a coroutine at most, in order
 * of verdict, certainty, site, cause and coroutine; valid until the next ctt_judge_apply,
 * ctt_judge_findings or ctt_judge_free. May be called again as the run goes on. */
const struct ctt_finding *ctt_judge_findings(
	struct ctt_judge *, const struct ctt_trace_run *, uint64_t grace_ns, size_t *count);
/* Are they reported under one heading? Findings come in the order of their groups. */
bool ctt_finding_same_group(const struct ctt_finding *, const struct ctt_finding *);
/* Findings as few: in groups, each at one suspension point, and the groups of one cause together -
 * one verdict, certainty and reason, and one site where it was done. The worst causes come first,
 * then the largest; in each the largest group. */
struct ctt_cause_group {
	const struct ctt_finding *const *finding;	/* of those given */
	size_t count;
};
struct ctt_cause {
	const struct ctt_cause_group *group;
	size_t groups, count;		/* count: findings */
};
struct ctt_causes {
	struct ctt_cause *cause;
	struct ctt_cause_group *group;	/* of all causes */
	size_t count, groups, sites;	/* sites: different suspension points */
};
/* The findings stand in the judge's order, some left out, and must stay as long as the causes. */
void ctt_causes_find(
	struct ctt_causes *, const struct ctt_finding *const *finding, size_t count);
void ctt_causes_free(struct ctt_causes *);
/* Could anything missing (loss, bad lines, no end) hide or fake a finding in this run? The reason,
 * or NULL. To be asked after ctt_judge_findings: what a finding explains is no doubt. */
const char *ctt_judge_doubt(const struct ctt_judge *, const struct ctt_trace_run *);
/* What to do about that reason; NULL: nothing more is known than it says. */
const char *ctt_judge_doubt_help(const struct ctt_judge *);
/* Where that reason is how some wait, these, one after the other, as ctt_model_next returns them; NULL:
 * no more. Not those who wait for a worker: findings say what these are inside of. */
const struct ctt_coro *ctt_judge_doubted(const struct ctt_judge *, size_t *at);
/* How many are alive when the trace ends, as ct-stuck lists them. The judge's model may hold more:
 * who is destroyed once all workers have stopped is judged as they left it. */
size_t ctt_judge_live(const struct ctt_judge *);
/* How many coroutines the last ctt_judge_findings would accuse, but for the grace: what would be
 * their cause is too young. */
size_t ctt_judge_fresh(const struct ctt_judge *);
/* How many wait, and the trace does not show what for, or on which lock, channel or the like: of
 * these little can be found out. */
size_t ctt_judge_unnamed(struct ctt_model *);
/* What is said of the living where there is no finding: ", none forgotten", or, where too little
 * was reported to know that, ", none proven". Returns buf. */
enum { CTT_BILL_SIZE = 64 };
char *ctt_judge_bill(char buf[CTT_BILL_SIZE], struct ctt_model *);
/* Where nobody is proven or suspected: how many have waited for 0.1 s, neither for a time, a descriptor or
 * the kernel, nor for a coroutine that lives: "; 12 still wait, the longest 8.20s: ct-stuck lists them", or
 * "". In a snapshot of one moment all such count: "; 12 wait, since when is not known: ct-stuck lists them".
 * Returns buf. */
enum { CTT_REST_SIZE = 96 };
char *ctt_judge_rest(char buf[CTT_REST_SIZE], const struct ctt_judge *);

/* One judge a run, made as runs appear. A bad line is a loss between the good ones around it. Begin
 * with zeros. */
struct ctt_judges {
	struct ctt_judge **run;
	uint32_t count, last;	/* last: the run of the last good line */
	size_t room;
	bool bad;		/* lines since then were bad */
};
/* They are applied the lines of that trace: what the next ones are about is fetched from memory
 * while those before them are judged. For speed alone. */
void ctt_judges_read(struct ctt_judges *, struct ctt_trace *);
struct ctt_judge *ctt_judges_get(struct ctt_judges *, uint32_t run);
/* for ctt_trace_on_bad */
void ctt_judges_bad(void *judges, const struct ctt_event *, const char *why);
/* returns the event's judge */
struct ctt_judge *ctt_judges_apply(struct ctt_judges *, const struct ctt_event *);
/* no more lines come: before anything is judged for good */
void ctt_judges_end(struct ctt_judges *);
/* That run is over, and was judged: its judge is freed. Nothing more is asked of it. */
void ctt_judges_drop(struct ctt_judges *, uint32_t run);
void ctt_judges_free(struct ctt_judges *);

/* The id that a finding is reported by: stable from one recording to the next. `run` as below. */
uint64_t ctt_finding_id(const struct ctt_finding *, uint32_t run);
/* The finding as one JSON line. `run`, from 1, is printed where it is not 0. */
void ctt_finding_json(FILE *, struct ctt_judge *, const struct ctt_finding *, uint32_t run);
/* The finding as words, with its coroutine: "coroutine 12 "conn" waits on fd:17 for 2.01s; closed
 * at +1.2s by thread
 * 4711 (reactor() server.cc:98) [lines 40, 55]". No newline. */
void ctt_finding_story(FILE *, struct ctt_judge *, const struct ctt_finding *);

/* Each of those that wait behind it, on a line that begins with `indent`. */
void ctt_finding_behind(FILE *, struct ctt_judge *, const struct ctt_finding *, const char *indent);

/* For people: "serve() serve.cc:42", "site 3" or "?" where no source is known; escaped for a
 * terminal; returns buf. */
char *ctt_site_text(char *buf, size_t size, const struct ctt_site *);
/* As ctt_site_text, by number; "site 9" where no site line reported it. */
char *ctt_model_site_text(char *buf, size_t size, const struct ctt_model *, uint64_t site);
/* As data has it: "serve serve.cc:42". */
char *ctt_model_site_name(char *buf, size_t size, const struct ctt_model *, uint64_t site);
/* "()" where its function is a name alone; "" where it has its parameters, or may be none. */
const char *ctt_site_call(const struct ctt_site *);

#ifdef __cplusplus
}
#endif
#endif
