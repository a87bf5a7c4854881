/* crew.h - the threads of each process: who can run its coroutines, and until when. */
#ifndef JUDGE_CREW_H
#define JUDGE_CREW_H

#include "judge/objects.h"

enum { PASSED = 4 };
struct thread {				/* of a process */
	uint64_t tid;
	struct ctt_worker *w;		/* NULL: it has not acted */
	struct process *process;	/* NULL: of none yet, or its process ended */
	struct thread *next, **prev;	/* among process->threads */
	unsigned bits, confidence;	/* as counted there */
	bool asleep;			/* it parked, and did since what is done inside a park */
	bool begins;			/* it ran one that had never run, and not within another */
	struct holder has;		/* what it took while it ran no coroutine */
	/* the last that it released for others, who had them, up to then */
	struct passed { uint64_t holder, ts; struct object_name on; } passed[PASSED];
	uint32_t passes;
	/* whom it woke last, of those whose wakers are told, for no thing that is named; by whom, when */
	struct { uint64_t id, by, ts; } woke;
};

enum { SLEEPERS = CTT_FINDING_FACTS };
struct process {
	uint64_t pid;
	struct thread *threads;		/* that acted, but for those of a life of it that ended */
	uint64_t last;			/* when one of these was last seen */
	bool last_unknown;		/* one of them left: `last` may be its */
	/* by confidence to a worker: how many; in their loop; last active */
	struct alike { uint64_t all, up, last; } alike[4];
	/* its ends while others went on: the line's time, T, exit */
	struct over { uint64_t seen, end, exit; } *over;
	size_t overs, over_room;
	uint64_t over_latest;		/* of these, the latest T */
	struct {			/* while judging */
		/* T for its coroutines; when it ended, as far as is known; 0: not asked yet */
		uint64_t end, exit;
		/* look.c: at the workers of all processes, and at its own; one more than the index,
		 * 0: not yet */
		uint32_t look[2];
		/* of the queues of workers that sleep; when the last of these went to */
		uint64_t depth, asleep_since;
		uint64_t queued;	/* coroutines that could be in them */
		const struct ctt_worker *sleeper[SLEEPERS];
		uint32_t sleepers;
		bool asked, blocked;	/* blocked.c: are all workers inside a poll? */
		bool computes;		/* one of them does, or may */
		uint64_t waiting;	/* and how many wait for one of them */
		/* until then some worker is there, and one has worked; 0: not asked */
		uint64_t served_until;
		bool served_up, served;
		/* one should have run for long, and it is not known for what it was to, or which of it it had */
		bool vague;
	} now;
};

/* after the model, each event with a tid */
void crew_follow(struct ctt_judge *, const struct ctt_event *);
/* It is no worker, and ran no coroutine. */
bool crew_is_plain(const struct thread *);
/* Have the workers of a process stopped by then: is each out of its loop? What is closed after
 * that, and not announced to those who wait, is the order in which a program takes itself apart.
 * False: they are there, or do not declare themselves. */
bool crew_stopped(struct ctt_judge *, uint64_t pid, uint64_t ts);
/* When they did; UINT64_MAX: they have not. They are asked to stop at one time, and do so as they
 * get the processor: the first of them decides, but not one that left long before. Walks the
 * process's threads. */
uint64_t crew_stopped_at(const struct process *);
uint64_t crew_last_ts(struct process *);		/* of all its threads */
void crew_end(struct process *, uint64_t ts);		/* all its threads end with it */
#endif
