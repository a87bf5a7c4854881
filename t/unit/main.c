/* main.c - the recorder's own turns (record/main.c, pace.c), in a world of its own in which time, preemption and what each look brings are as the
 * test says: when it is seen who lives, when it sleeps, when each second's work is done, how long it naps.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../record/box/box.h"
#include "../../record/box/modes.h"
#include "../../record/complain.h"
#include "../../record/extra/clock.h"
#include "../../record/extra/memory.h"
#include "../../record/extra/process.h"
#include "../../record/extra/v1.h"
#include "../../record/harvest.h"
#include "../../record/line.h"
#include "../../record/notice.h"
#include "../../record/peer.h"
#include "../../record/print.h"
#include "tap.h"
#include "told.h"

static struct {
	uint64_t now, slept, v1;	/* v1: looks that bring something */
	long preempted;
	bool lives, pending, shortage, refused;
	bool passes, following;		/* passes: time, as it waits */
	uint64_t until, got[8];		/* when the target ends; by the first harvests */
	unsigned harvests, asks, served;
} world;

static void world_wait(uint64_t ns)
{
	tell("wait %llu ", (unsigned long long)ns);
	world.now += world.passes ? ns : 0;
}

static uint64_t world_harvest(void)
{
	return world.harvests < 8 ? world.got[world.harvests++] : 0;
}

static bool world_ended(int *status)
{
	world.asks++;
	*status = 7 << 8;
	return world.now >= world.until;
}

#define clock_ns() (world.now)
#define clock_slept() (world.slept)
#define clock_tick() tell("tick ")
#define harvest_reap(r) ((void)(r), tell("reap "))
#define peer_accept() tell("accept ")
#define peer_look(now) tell("look %llu ", (unsigned long long)(now))
#define peer_wait(ns) world_wait(ns)
#define peer_reap(now) ((void)(now))
#define peer_serve(now) ((void)(now), world.served++)
#define peer_following() (world.following)
#define notice_no_probe(now, pid) ((void)(pid))
#define target_ended(status) world_ended(status)
#define harvest(r) ((void)(r), world_harvest())
#define harvest_save_memory(so) tell("save %d ", so)
#define memory_short() (world.shortage)
#define notice_memory(so) tell("notice %d ", so)
#define print_sync(ts, slept) tell("sync %llu %llu ", (unsigned long long)(ts), (unsigned long long)(slept))
#define print_flush() tell("flush ")
#define process_lives(pid) (world.lives)
#define harvest_pending(r) ((void)(r), world.pending)
#define v1_scan(r) ((void)(r), world.v1 ? world.v1--, 3u : 0u)
#define main recorder_main
#include "../../record/main.c"
#undef main

static int world_usage(int who, struct rusage *use)
{
	use->ru_nivcsw = world.preempted;
	return who == RUSAGE_THREAD ? 0 : -1;
}

static int world_priority(int which, id_t who, int nice)
{
	tell("nice %d %d %d ", which, (int)who, nice);
	errno = EPERM;
	return world.refused ? -1 : 0;
}

static int world_scheduler(pid_t pid, int policy, const struct sched_param *p)
{
	tell("policy %d %d %d ", (int)pid, policy, p->sched_priority);
	errno = EPERM;
	return world.refused ? -1 : 0;
}

#define getrusage(who, use) world_usage(who, use)
#define setpriority(which, who, nice) world_priority(which, who, nice)
#define sched_setscheduler(pid, policy, p) world_scheduler(pid, policy, p)
#define prctl(what, n) tell("slack %d ", (int)(n))
#include "../../record/pace.c"

#define MS 1000000ull

static void lives(void)
{
	looked = 10000 * MS;
	ok(look_due(10000 * MS) == 10100 * MS && look_due(10050 * MS) == 10150 * MS, "who lives is seen after 100 ms without an event");
	ok(look_due(9920 * MS) == 10010 * MS && look_due(9200 * MS) == 10100 * MS, "then whenever that is an eighth longer");
	ok(look_due(2008 * MS) == 10999 * MS && look_due(2000 * MS) == 11000 * MS && look_due(1992 * MS) == 11000 * MS && look_due(10950 * MS) == 11000 * MS,
		"and each second at least");
	target_alive = 5;
	world.lives = true;
	look_alive(10099999999, 10000 * MS);
	ok(is("") && target_alive == 5 && looked == 10000 * MS, "not before");
	look_alive(10100 * MS, 10000 * MS);
	ok(is("look 10100000000 ") && target_alive == 10100 * MS && looked == 10100 * MS, "and then");
	world.lives = false;
	look_alive(12000 * MS, 10000 * MS);
	ok(is("look 12000000000 ") && target_alive == 10100 * MS && looked == 12000 * MS, "who does not live then, lived before");
}

static void seconds(void)
{
	struct region r = { 0 };
	uint64_t printed = 100000 * MS;

	each_second(&r, false, 100000 * MS, &printed);
	ok(is("tick reap accept save 0 notice 0 ") && printed == 100000 * MS, "a second's work");
	each_second(&r, false, 100999999999, &printed);
	ok(is(""), "not twice in one");
	world.shortage = true;
	printed = 100500 * MS;
	each_second(&r, true, 101000 * MS, &printed);
	ok(is("tick reap accept save 1 "), "then again; who is to be quiet says nothing");
	each_second(&r, true, 101499999999, &printed);
	ok(is(""), "no line while there are others");
	each_second(&r, true, 101500 * MS, &printed);
	ok(is("sync 101499900000 0 flush ") && printed == 101500 * MS, "a line that shows the time, when none did");
	told[0] = '\0';
	world.slept = 7;
	each_second(&r, true, 101501 * MS, &printed);
	ok(strstr(told, " 7 flush ") && printed == 101501 * MS, "and when the machine slept");
	told[0] = '\0';
	world.slept = 0;
}

static void sleeps(void)
{
	struct ctp_header h = { .tracer_sleeping = 5 };
	struct region r = { .h = &h, .membarrier = true };

	world.now = 1000;
	sleep_until(&r, 1500);
	ok(is("wait 500 ") && !h.tracer_sleeping, "until then");
	sleep_until(&r, 1000);
	ok(is(""), "not when it is time");
	world.pending = true;
	sleep_until(&r, 1500);
	ok(is("") && !h.tracer_sleeping, "nor when there is something to read");
	world.pending = false;
	world.v1 = 1;
	sleep_until(&r, 1500);
	ok(is("") && !world.v1, "nor something of version 1");
}

static void naps(void)
{
	uint64_t now = 1000 * MS, at;

	ok(pace_turns() == TURNS && !pace_nap(now, 5, 0) && !pace_denied(), "an idle machine: no nap");
	world.v1 = 5;
	ok(v1_scan_busy(NULL) == 15 && !world.v1, "all that is there");
	world.v1 = 100;
	ok(v1_scan_busy(NULL) == 3 * 64 && world.v1 == 36, "as long as others have their turn");
	world.v1 = 0;
	now += ASK;
	ok(!pace_nap(now, 5, 0), "still none");
	world.preempted = 3;
	ok(!pace_nap(now + ASK - 1, 5, 0), "it is not asked all the time who else wants the processor");
	now += ASK;
	world.refused = true;
	ok(pace_nap(now, 5, 0) == NAP_LEAST && is("slack 1 nice 0 0 -10 ") && pace_denied() == EPERM && pace_turns() == 1,
		"taken away from it: naps, and it asks to go first");
	ok(pace_nap(now + NAP_LEAST, 0, 0) == 2 * NAP_LEAST && pace_nap(now + 3 * NAP_LEAST, 0, 0) == NAP_MOST &&
		pace_nap(now + 4 * NAP_LEAST, 0, 0) == NAP_MOST && pace_nap(now + 5 * NAP_LEAST, 1, 0) == NAP_LEAST && is(""),
		"longer where nothing comes, and asks once");
	at = now + 5 * NAP_LEAST;
	ok(pace_nap(at + NAP_LEAST, 1, 0) == NAP_LEAST, "a nap ends when it should");
	now = at + NAP_LEAST;
	ok(pace_nap(now + BUSY - 6 * NAP_LEAST, 1, 0) == NAP_LEAST, "one that ends late: the machine is busy for as long again");
	now += BUSY - 6 * NAP_LEAST;
	ok(!pace_nap(now + 1, 1, 9) && pace_turns() == TURNS && !pace_nap(now + STILL, 0, 9), "a nap too long for who writes: none while they write");
	ok(pace_nap(now + 1 + STILL, 0, 9) && pace_turns() == 1, "until they are still");
	now += 2 * (uint64_t)BUSY;
	world.preempted = 3;
	pace_nap(now, 1, 9);
	ok(pace_turns() == 1, "late once more");
	now += NAP_LEAST;
	pace_nap(now, 1, 9);
	now += NAP_LEAST + LATE;
	ok(pace_nap(now, 1, 9) == NAP_LEAST, "in time, just so");
	for (at = now; now < at + 2 * (uint64_t)BUSY && pace_turns() == 1; now += NAP_LEAST)
		pace_nap(now, 1, 9);
	ok(now > at + BUSY / 2 && now < at + BUSY - LATE && pace_turns() == TURNS && !pace_nap(now, 1, 9), "half a second later it is idle again");
	ok(is(""), "it has asked once");
	ok(!pace_realtime() && is("policy 0 1073741825 1 "), "who may not go first of all");
	told[0] = '\0';
	world.refused = false;
	ok(pace_realtime() && strstr(told, "slack 1 ") && pace_turns() == 1 && pace_nap(now, 1, 9) == NAP_LEAST, "and who may: naps always");
}

#define BEGUN "tick reap accept save 0 flush "
#define NAPS "wait 50000 flush wait 100000 flush wait 200000 flush wait 400000 flush wait 800000 flush wait 1000000 flush wait 1000000 flush wait 1000000 flush " \
	"wait 1000000 "
static void turns(void)
{
	struct ctp_header h = { 0 };
	struct region r = { .h = &h, .membarrier = true };
	struct options o = { .ring_slots = 64, .quiet = true }, silent = { .ring_slots = 64, .quiet = true, .no_syscalls = true };

	memset(&world, 0, sizeof world);
	world.passes = true;
	told[0] = '\0';
	target_changed = 0;
	world.now = 200000 * MS;
	world.until = world.now + 4 * MS;
	ok(record(&r, &o) == 7 << 8 && is(BEGUN NAPS "accept "), "longer naps, as nothing comes");
	ok(world.asks == 4 && world.served == 9, "a system call each millisecond");
	world.now = 210000 * MS;
	world.until = world.now + 40 * MS;
	ok(record(&r, &o) == 7 << 8 && is(BEGUN NAPS "flush wait 94450000 look 210100000000 accept "), "then sleep, until it is to be seen who lives");
	world.now = 220000 * MS;
	world.until = world.now + 8 * MS;
	record(&r, &silent);
	ok(is(BEGUN NAPS "flush wait 1000000 flush wait 1000000 flush wait 1000000 flush wait 1000000 accept "), "but where nobody would ring");
	world.now = 230000 * MS;
	world.until = world.now + MS;
	world.harvests = 0;
	world.got[1] = 9;		/* more than an eighth of a ring */
	world.got[2] = 8;
	world.got[3] = 4;		/* a sixteenth */
	world.got[4] = 5;
	record(&r, &o);
	ok(is(BEGUN "wait 50000 flush wait 50000 flush wait 50000 flush wait 100000 flush wait 50000 flush wait 100000 flush wait 200000 flush wait 400000 flush wait 800000 accept "), "shorter, as much comes");
}

/* Where the trace goes: its descriptor, or the status that the recorder ends with. */
static int output(const char *path, bool closed)
{
	struct options o = { .output = path };
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY), 2);	/* what it says is looked at elsewhere */
		_exit(open_output(&o, closed));
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void outputs(void)
{
	ok(output(NULL, false) == 1 && output("-", false) == 1, "to stdout");
	ok(output(NULL, true) == 125 && output("-", true) == 125, "not where that is closed");
	ok(output("/dev/null", false) > 2 && output("/dev/null", true) > 2, "to a file, whatever stdout is");
	ok(output("/nonexistent/x", false) == 125, "not where it cannot be");
}

int main(void)
{
	outputs();
	lives();
	seconds();
	sleeps();
	naps();
	turns();
	return done_testing();
}
