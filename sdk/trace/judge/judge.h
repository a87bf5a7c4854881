/* judge.h - all that the judge of one run knows. Inside the library only. */
#ifndef JUDGE_H
#define JUDGE_H

#include "judge/facts.h"
#include "judge/gone.h"
#include "judge/late.h"
#include "judge/legs.h"
#include "judge/losses.h"
#include "judge/objects.h"
#include "judge/teardown.h"
#include "judge/untold.h"
#include "judge/verdict.h"
#include "judge/workers.h"

enum { UNTOLD_SIZE = 112 };

struct ctt_judge {
	struct ctt_model *model;
	struct hash objects;		/* by kind, key and process */
	struct pool object_pool;
	size_t most;			/* so many of them before some are forgotten */
	struct keyed late;		/* struct late_wake */
	struct keyed points, exits, processes, threads;
	bool swept;			/* objects were forgotten */
	struct later *later;		/* of process later_pid, whose workers have stopped */
	size_t later_count, later_room;
	uint64_t later_pid;
	/* of these, the times of those that were too many to keep; 0 = none */
	uint64_t dropped_from, dropped_to;
	uint64_t dropped_until;		/* and some process went on after such; 0 = none */
	struct ended *ended;		/* NULL until one ends */
	struct gone *gone[GONE];
	size_t gone_count, gone_unsure;	/* gone_unsure: rings that ended by a release */
	/* of these kinds, by bit, some waited on a thing whose opening no line reported */
	uint32_t unopened;
	uint32_t closes;		/* and of these some thing was closed */
	bool wakes_named;		/* some say what for */
	bool plain_woke;	/* a plain thread woke somebody for what others bring about */
	struct object_name last_released;
	bool unwoken;			/* one whose wakers are told ran again and no wake was */
	bool deadlines_known;		/* some that moved were reported: so are all */
	/* the recording came late, and the program had kept nothing */
	bool born_before;
	/* something that anyone may need was lost up to then; 0 = nothing */
	uint64_t lost_to;
	uint64_t longest_delay;		/* from wake to resume */
	uint64_t delays;		/* how many, but first runs */
	uint64_t deeds;			/* of holders, so far (deeds.h) */
	uint64_t gaps;			/* model's count when last looked at */
	/* of all that was reported, if that is one: it is that of tid 0, which stands for a thread
	 * that is not known, too */
	uint64_t lone_pid;
	size_t pids;
	uint64_t thread_pid;		/* that of some thread; several_pids: others have others */
	bool several_pids;
	struct keyed losses;		/* struct lost_last, by thread */
	struct keyed lost_in;		/* while judging: by process */
	uint64_t lost_last;		/* of all of them */
	bool unborn;			/* creates are missing */
	bool by_gaps, context;		/* while judging: see losses.c */
	char *untold;			/* the doubt that waits make of which too little is told */
	enum way untold_way;		/* and which; WAYS: none */
	const char *doubt_help;		/* what to do about the doubt; NULL: nothing */
	struct ctt_finding *findings;
	size_t count, room;
	/* while judging */
	uint64_t grace;
	const struct ctt_trace_run *run;
	struct { struct point *point; uint64_t ts; } *moved_on;
	size_t moved_on_count;
	struct rouse *roused;	/* of those who run, or have yet to, sorted */
	size_t roused_count;
	bool roused_known;
	size_t torn_down;	/* of the live, by what stands in `later` */
	size_t fresh;		/* left out by the last ctt_judge_findings for the grace */
	struct candidate *candidate;	/* NULL: not listed yet */
	size_t candidates;
	bool roles;		/* the candidates are those with the role */
	struct look *look;	/* of processes, which have their index (crew.h) */
	size_t looks, look_room;
	bool queues_counted;
	bool comers_asked, comers;	/* deadlock: is there one who may come to a channel? */
	/* when the last was created that lives, whose parent has ended */
	uint64_t last_orphan;
	bool once_known, does_once;	/* may one be inside a sync.Once, if it was asked? */
};

/* What these lines, which come next, are about is fetched from memory, up to AHEAD of them (fetch.c).
 * False: all that is known fits the caches. */
bool judge_fetch(const struct ctt_judge *, const struct ctt_event *, size_t count);
#endif
