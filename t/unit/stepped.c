/* stepped.c - the C probe interrupted by a signal whose handler calls it, at each instruction of a call in turn (the processor traps behind each):
 * a call that finds room for one event and a handler that takes it write no more than there is room for, and what is not written is counted.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "../../sdk/c/ct.c"
#define main probe_main
#include "probe.c"
#undef main
#include "step.h"

#if CAN_STEP
static struct ct_coro inner, outer;
static unsigned long steps, at;

/* Once the call is under way, it is, and what a handler does is counted: see nested of probe.c. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	if (ct_me_->idle && ++steps < at)
		return;
	stop_behind(context);
	if (ct_me_->idle)
		ct_wake(inner.id, ct_nothing());
}

/* As the kernel does in a child that a handler forks, and which ends the call then. */
static void on_trap_forks(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	if (ct_me_->idle || ++steps < at)
		return;
	stop_behind(context);
	ct_me_->idle = ct_me_->ours = 0;
}

static void resumes(void) { ct_resume(&outer); }
static void suspends(void) { ct_suspend(&outer, CT_HERE, ct_fd(1)); }
static void suspends_at(void) { ct_suspend_at(&outer, 1, ct_fd(1)); }
static void wakes(void) { ct_wake(outer.id, ct_fd(1)); }

/* In a ring with room for so many. */
static void interrupted(void (*call)(void), unsigned room, const char *what)
{
	unsigned long long written, dropped;
	bool sound = true;
	struct ctp_event e;

	for (at = 1, steps = at; sound && steps == at++; ) {
		while (take(0, &e))
			;
		while (rings[0].head - rings[0].tail < h->ring_slots - room)
			ct_wake(inner.id, ct_nothing());
		written = rings[0].head;
		dropped = rings[0].dropped;
		steps = 0;
		stepping();
		call();
		no_more();
		written = rings[0].head - written;
		dropped = rings[0].dropped - dropped;
		sound = rings[0].head - rings[0].tail <= h->ring_slots && written + dropped == 1 + (steps == at);
	}
	ok(sound && at > 20, "%s: at instruction %lu %llu were written, %llu dropped", what, at, written, dropped);
}

static void forked_within(void (*call)(void), const char *what)
{
	unsigned written = 0, early = 0;
	struct ctp_event e;
	uint64_t head;

	for (at = 1; ; at++) {
		while (take(0, &e))
			;
		head = rings[0].head;
		ct_me_->limit = head + h->ring_slots;
		steps = 0;
		stepping();
		call();
		no_more();
		if (steps < at)
			break;
		if (rings[0].head == head)
			early = written ? 1000 : early + 1;
		else
			written++;
		ct_me_->idle = ct_me_->ours = 1;
		ct_me_->head = rings[0].head;
	}
	ok(early > 20 && early < 1000 && written, "%s: a child leaves its parent's ring alone until the store, at instruction %u", what, early);
}

static void destroys(void) { ct_destroy(&outer, 1); }
static void names(void) { ct_name(&outer, "again"); }

/* ---- what is shared beside the ring ---- */

static struct ct_coro brief;
static struct ct_writer *mine;

static void creates(void) { ct_create(&brief, 0, CT_HERE, NULL, NULL); }
static void gives(void) { ct_p_thread_end(mine); }

static void ends(void)
{
	mine->station_count = 0;
	gives();
}

static void calls_back(void)
{
	static struct ct_site site = { .func = "f", .file = "f.c" };

	site.index = 0;			/* as if seen for the first time */
	site.line++;
	ct_callback_(&site);
}

static struct shared { uint64_t pushed, owner, callback, born; } then;

static struct shared shared_now(void)
{
	return (struct shared){ h->stations_free >> 32, rings[0].owner, rings[0].callback, ct_p_.births[0].id ^ ct_p_.births[0].ts ^ ct_p_.births[0].name };
}

static void on_trap_shared(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	if (++steps < at)
		return;
	stop_behind(context);
	then = shared_now();
	mine->idle = mine->ours = 0;
}

/* Of a call that is interrupted at every so many instructions the child stores nothing of that, but where it was forked right before; a station
 * that is pushed is one. */
static void shares_nothing(void (*call)(void), unsigned stride, const char *what)
{
	unsigned late = 0, often = 0, all = 0;
	uint64_t owner = rings[0].owner;
	struct ctp_event e;

	for (at = 1; ; at += stride) {
		struct shared now;

		while (take(0, &e))
			;
		mine->limit = mine->head + h->ring_slots;
		for (mine->station_count = 0; mine->station_count < CT_STATIONS; mine->station_count++)
			mine->station[mine->station_count] = mine->station_count % STATIONS;
		mine->station[CT_STATIONS - 1] = 0;
		h->stations_free = 0;
		rings[0].owner = owner;
		ct_p_.births[0].name = 0;
		outer.station = 1;
		outer.last_ts = 1;
		steps = 0;
		stepping();
		call();
		no_more();
		now = shared_now();
		ct_me_ = mine;
		mine->idle = mine->ours = 1;
		mine->head = rings[0].head;
		if (steps < at)
			break;
		all++;
		late += memcmp(&now, &then, sizeof now) != 0;
		often += now.pushed > then.pushed + 1;
	}
	h->stations_free = 0;
	ok(all > 5 && !often && (late * 3 < all || call == destroys || call == gives), "%s: behind %u of %u instructions the child stores something that is its parent's, more than once behind %u",
		what, late, all, often);
}

static void shared(void)
{
	struct sigaction sa = { .sa_sigaction = on_trap_shared, .sa_flags = SA_SIGINFO };

	mine = ct_me_;
	ct_p_.births = calloc(STATIONS, sizeof *ct_p_.births);
	sigaction(SIGTRAP, &sa, NULL);
	creates();
	shares_nothing(creates, 41, "create");
	shares_nothing(names, 41, "name");
	shares_nothing(destroys, 281, "destroy");
	shares_nothing(calls_back, 83, "callback");
	ct_p_.store = mine;		/* whose end is no end of its memory */
	shares_nothing(ends, 41, "a thread's end");
	shares_nothing(gives, 701, "one that has stations to give");
	ct_p_.store = NULL;
	ct_p_.births = NULL;
}

/* At its first instruction: what all processes share stays as it is. */
static void destroyed_within(void)
{
	struct ct_writer *me = ct_me_;
	uint32_t i = outer.station - 1;
	struct ctp_event was = stations[i];

	me->station_count = CT_STATIONS;
	at = 1, steps = 0;
	stepping();
	destroys();
	no_more();
	ok(steps == at && !memcmp(&was, &stations[i], sizeof was), "nor is its parent's station the child's");
	ok(!h->stations_free && me->station_count == CT_STATIONS, "nor are those that it kept");
	me->station_count = 0;
	me->ours = 0;
	resumes();
	ok(me->idle && ct_me_ != me, "once the call is over, the child begins by itself");
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	alarm(100);
	attach(1, 8, CTP_F_TSC);
	ct_create(&inner, 0, CT_NOWHERE, NULL, NULL);
	ct_create(&outer, 0, CT_NOWHERE, NULL, NULL);
	resumes(), suspends(), suspends_at(), wakes();
	sigaction(SIGTRAP, &sa, NULL);
	interrupted(resumes, 1, "resume");
	interrupted(suspends, 1, "suspend");
	interrupted(suspends_at, 1, "suspend of a helper's");
	interrupted(wakes, 1, "wake");
	interrupted(resumes, 2, "where there is room for both");
	sa.sa_sigaction = on_trap_forks;
	sigaction(SIGTRAP, &sa, NULL);
	forked_within(resumes, "resume");
	forked_within(suspends, "suspend");
	forked_within(wakes, "wake");
	shared();
	sigaction(SIGTRAP, &sa, NULL);
	destroyed_within();
	return done_testing();
}
#else
int main(void)
{
	ok(true, "only x86 traps behind each instruction");
	return done_testing();
}
#endif
