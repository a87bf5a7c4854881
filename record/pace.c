/* pace.c - how the thread that reads shares a machine that is busy. Contracts in pace.h.
 *
 * Who looks without a pause sees each slot in time, as long as nobody else wants the processor.
 * Where somebody does, the kernel takes it away for milliseconds, and a writer laps its slots.
 * Who sleeps for some ten microseconds gets it back at once when it wakes, as it has had less than
 * its share. So this thread looks without a pause until it is preempted or sleeps for too long, and
 * with naps while it was so lately: but for those whose nap was too long while writers still
 * write. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "complain.h"
#include "pace.h"

/* ns. A nap is over when it should be, give or take LATE, on a machine that is not busy; one that
 * is, is taken for busy for so long; preemption is asked for so often; and writers from whom
 * nothing came for so long are still. */
enum { NAP_LEAST = 30000, NAP_MOST = 100000, LATE = 100000, BUSY = 500000000, ASK = 100000,
	STILL = 5000 };
enum { TURNS = 64 };

/* lapped: a nap was too long */
static bool realtime, lapped;
static int slack, nice_was;
static uint64_t busy_until, asked, due;
static long preempted;
static int denied;

bool pace_realtime(void)
{
	struct sched_param p = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };

	nice_was = getpriority(PRIO_PROCESS, 0);
	slack = prctl(PR_GET_TIMERSLACK, 0);	/* to the kernel, whoever goes first has none */
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p) < 0) {
		complain("--realtime: %s: it takes root, CAP_SYS_NICE or a limit (ulimit -r)",
			strerror(errno));
		return false;
	}
	prctl(PR_SET_TIMERSLACK, 1);
	realtime = true;
	return true;
}

/* It has no priority of ours (SCHED_RESET_ON_FORK); but its nice value is 0 by that. */
void pace_forked(void)
{
	if (!realtime)
		return;
	prctl(PR_SET_TIMERSLACK, slack);
	setpriority(PRIO_PROCESS, 0, nice_was);
}

/* The first time that the machine is seen to be busy. */
static void go_first(void)
{
	static bool done;

	if (done || realtime)
		return;
	done = true;
	prctl(PR_SET_TIMERSLACK, 1);	/* else naps of 30 us take 80 */
	if (setpriority(PRIO_PROCESS, 0, PACE_NICE) < 0)
		denied = errno;
}

int pace_denied(void)
{
	return denied;
}

static bool was_preempted(uint64_t now)
{
	struct rusage use;
	bool was;

	if (now - asked < ASK || getrusage(RUSAGE_THREAD, &use) < 0)
		return false;
	was = asked && use.ru_nivcsw > preempted;
	asked = now;
	preempted = use.ru_nivcsw;
	return was;
}

unsigned pace_turns(void)
{
	return (realtime || busy_until) && !lapped ? 1 : TURNS;
}

uint64_t pace_nap(uint64_t now, uint64_t events, uint64_t lost)
{
	static uint64_t nap = NAP_LEAST, lost_before, came;

	if (events)
		came = now;
	if (lost != lost_before)
		lapped = true;
	lost_before = lost;
	if (was_preempted(now) || (due && now > due + LATE)) {
		go_first();
		busy_until = now + BUSY;
	}
	due = 0;
	if (now > busy_until)
		busy_until = 0;
	if (!realtime && !busy_until)
		return 0;
	if (lapped && now - came < STILL)
		return 0;
	lapped = false;
	nap = events ? NAP_LEAST : nap * 2 < NAP_MOST ? nap * 2 : NAP_MOST;
	due = now + nap;
	return nap;
}
