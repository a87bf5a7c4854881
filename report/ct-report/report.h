/* report.h - what ct-report is made of: it gathers (gather, suspects, sched), sorts into groups
 * (groups), and writes in one of five formats (doc and sections: markdown and text; json; junit;
 * sarif). The verdicts and their words are the library's. */
#ifndef REPORT_H
#define REPORT_H

#include "cttrace.h"
#include "sched.h"

/* ---- gather.c: one pass over the trace ---- */

enum { EXITS_KEPT = 64 };
struct exited { uint64_t pid, ts, line, value; bool signaled; };

/* Lines that memory corruption would explain; of each kind the first few are kept. */
enum suspicion { LINE_IMPOSSIBLE, RAN_AFTER_ITS_END, RAN_TWICE_AT_ONCE, SUSPICIONS };
enum { SUSPECTS_KEPT = 10, RECENTLY_ENDED = 4096 };
struct suspects {
	uint64_t count[SUSPICIONS];
	struct suspect { uint64_t line; char *what; } kept[SUSPICIONS][SUSPECTS_KEPT];
	struct ended { uint64_t id, n; } *ended;	/* by the last bits of their ids */
};

struct run {
	uint32_t number;		/* from 1; 0 where it is the only one */
	struct ctt_judge *judge;		/* one of the report's */
	struct ctt_model *model;		/* the judge's */
	const struct ctt_trace_run *facts;
	char *source;			/* the file it began in */
	char *command, *host, *path;	/* NULL where not reported; command and host: JSON */
	uint64_t wall;			/* ns since 1970, 0 = not reported */
	uint64_t events, created, ended, wakes;	/* lines */
	uint64_t lost_from, lost_to;	/* over all `lost` lines */
	struct exited exits[EXITS_KEPT];
	size_t exit_count, processes;	/* kept; all that ended */
	struct suspects suspects;
	struct sched_sum sched;
	/* groups.c, at the end: */
	const char *doubt;		/* ctt_judge_doubt */
	size_t hidden[CTT_HIDERS];	/* findings, by the option that leaves them out */
	const struct ctt_finding **findings;	/* those wanted, in the judge's order */
	size_t finding_count, certain[CTT_CERTAINTIES];	/* by enum ctt_certainty */
	struct pending { const struct ctt_coro *c; uint64_t age; } *pending;
	size_t pending_count;
};

struct report {
	const struct ctt_common *opt;
	bool all;			/* every member of a group, not a few */
	/* sarif: sources below it are named relative to it; NULL: as they stand; of root_of */
	char *root;
	struct ctt_trace *in;
	struct ctt_judges judges;
	struct run **run;
	uint32_t runs;
	size_t room;
};
void report_apply(struct report *, const struct ctt_event *);
/* for ctt_trace_on_bad */
void report_bad(void *report, const struct ctt_event *, const char *why);
/* The input has ended: judge, choose, sort. */
void report_judge(struct report *);
/* 1 findings or suspects, 3 inconclusive, 0. */
int report_status(const struct report *);
void report_free(struct report *);

/* ---- suspects.c ---- */
/* Count one; where it is among the first, what it is goes into the string returned. */
char **suspects_note(struct suspects *, enum suspicion, uint64_t line);
/* Look at a line before the model knows it; NULL: its coroutine does not live. */
void suspects_look(struct suspects *, const struct ctt_coro *, const struct ctt_event *);
uint64_t suspects_count(const struct suspects *);
const char *suspicion_text(enum suspicion);
/* Killed by SIGSEGV or SIGBUS? */
bool is_crash(const struct exited *);
const char *signal_name(uint64_t);	/* "SIGSEGV"; "" for one that has no name here */
/* Threads of the process that died, on which a coroutine ran; call with *i = 0. */
const struct ctt_worker *crash_thread(const struct run *, const struct exited *, size_t *i);

/* ---- groups.c ---- */
void run_select(struct run *, const struct ctt_common *);
/* How many of the findings, or of the pending, from `i` on belong together. */
size_t finding_group(const struct run *, size_t i);
size_t pending_group(const struct run *, size_t i);
/* A site that a group of findings points to, and what happened there. */
struct location { uint64_t site; const char *what; uint64_t count; };
enum { LOCATIONS = 8 };
size_t group_locations(
	const struct run *, size_t first, size_t n, struct location locations[LOCATIONS]);
/* A number that stays the same as long as verdict and sites do, for CI systems that follow a
 * finding from run to run. */
uint64_t group_fingerprint(const struct run *, const struct ctt_finding *);

/* ---- root.c ---- */

/* From / on, without `.`, `..` and doubled slashes, a slash behind it; NULL: nobody knows where we
 * are. To be freed. */
char *root_of(const char *dir);

/* ---- strings.c: strings that live until strings_free ---- */
char *format(const char *, ...) __attribute__((format(printf, 1, 2)));
char *keep(char *);			/* owned from now on; NULL ends the program */
void strings_free(void);
char *shown(const char *name);		/* as ctt_out_text has it */
char *quoted_of(const char *, size_t len);	/* as ctt_out_json has it */
char *story_of(const struct run *, const struct ctt_finding *);
char *coro_of(const struct ctt_coro *);
char *site_text(const struct run *, uint64_t site);
char *duration_of(uint64_t ns);
char *since_start(const struct run *, uint64_t ts);	/* "+1.203000s" */
char *utc_of(uint64_t wall_ns);		/* "2026-11-21T12:04:00" */
char *words_of(const char *json);	/* "./app -x" of ["./app","-x"] */
char *sentence(const char *phrase);	/* "Like this." */
const char *plural(uint64_t n);		/* "s" or "" */
/* "47 coroutines: closed-resource (proven)" as ct-lostwake has it; and where: "...: serve s.cc:42" */
char *group_kind(const struct ctt_finding *, size_t n);
char *group_title(const struct run *, const struct ctt_finding *, size_t n);
/* "47 findings: 47 proven; 47 coroutines live, 616ms traced; inconclusive where ..." */
char *summary_of(const struct run *);
/* What is wrong with the trace, in phrases; how many: 0 where it is whole. */
enum { HEALTH_MAX = 6 };
size_t health_of(const struct report *, const struct run *, char *what[HEALTH_MAX]);

/* ---- the formats: each writes the whole report to stdout ---- */
void write_markdown(const struct report *);
void write_text(const struct report *);
void write_json(const struct report *);
void write_junit(const struct report *);
void write_sarif(const struct report *);

#endif
