/* main.c - the recorder's own turns (record/main.c, pace.c), in a world of its own in which time, preemption and what each look brings are as the
 * test says: when it is seen who lives, when it sleeps, when each second's work is done, how long it naps; what is begun and ended in which order,
 * and the status.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../record/box/box.h"
#include "../../record/box/modes.h"
#include "../../record/complain.h"
#include "../../record/event.h"
#include "../../record/extra/clock.h"
#include "../../record/extra/memory.h"
#include "../../record/extra/process.h"
#include "../../record/extra/stack.h"
#include "../../record/extra/v1.h"
#include "../../record/harvest.h"
#include "../../record/line.h"
#include "../../record/notice.h"
#include "../../record/options.h"
#include "../../record/pack.h"
#include "../../record/peer.h"
#include "../../record/print.h"
#include "../../record/site.h"
#include "../../record/stations.h"
#include "../../record/target.h"
#include "../../record/totals.h"
#include "leave.h"
#include "tap.h"
#include "told.h"

enum { PID = 4711 };
static struct {
	uint64_t now, slept, v1;	/* v1: looks that bring something */
	uint64_t step, busy;		/* how long a look at the rings takes; what each brings */
	long preempted;
	bool lives, pending, shortage, refused;
	pid_t named;
	bool passes, following;		/* passes: time, as it waits */
	bool left;			/* a process that has our environment; searched for so often */
	unsigned searches;
	bool unmet;			/* one that has the memory, and was not heard of */
	uint64_t until, got[8];		/* when the target ends; by the first harvests */
	unsigned harvests, asks, served, looks, reaped;
	struct options options;
	bool unmade, unwritten, not_all, frozen;	/* the region, the trace, the states; the clock */
	pid_t started;
	int status;
} world = { .status = 7 << 8 };

static void world_wait(uint64_t ns)
{
	tell("wait %llu ", (unsigned long long)ns);
	world.now += world.passes ? ns : 0;
}

static uint64_t world_harvest(void)
{
	world.looks++;
	world.now += world.step;
	return world.harvests < 8 ? world.got[world.harvests++] : world.busy;
}

static bool world_ended(int *status)
{
	world.asks++;
	*status = world.status;
	return world.now >= world.until;
}

/* What sets a pipe's size says how large. */
static int world_fcntl(int fd, int what, int v, ...)
{
	if (what != F_SETPIPE_SZ)
		return fcntl(fd, what);
	tell("pipe %d %d ", fd, v);
	return 0;
}

static bool world_does(const char *what, bool done)
{
	tell("%s ", what);
	return done;
}

static int world_mode(const char *what, const void *options, int status)
{
	tell("%s%s ", what, options && ((const struct options *)options)->buffer != 77 ? " of others" : "");
	return status;
}

#define clock_ns() (world.now)
#define clock_slept() (world.slept)
#define clock_tick() tell("tick ")
#define harvest_reap(r) ((void)(r), tell("reap "))
#define peer_accept() tell("accept ")
#define peer_end(pid) tell((pid) == world.started ? "ends " : "ends? ")
#define peer_look(now) tell("look %llu ", (unsigned long long)(now))
#define peer_wait(ns) world_wait(ns)
#define peer_reap(now) ((void)(now), world.reaped++)
#define peer_serve(now) ((void)(now), world.served++)
#define peer_following() (world.following)
#define peer_unmet(now) ((void)(now), world.unmet)
#define process_inherits(name) (world.searches += !strcmp(name, CTP_ENV_SOCK), world.left)
#define notice_no_probe(now, pid) tell("probe %d ", (int)(pid))
#define target_ended(status) world_ended(status)
#define harvest(r) ((void)(r), world_harvest())
#define harvest_save_memory(so) tell("save %d ", so)
#define memory_short() (world.shortage)
#define notice_memory(so) tell("notice %d ", so)
#define print_sync(ts, slept) tell("sync %llu %llu ", (unsigned long long)(ts), (unsigned long long)(slept))
#define print_flush() tell("flush ")
#define process_lives(pid) ((pid) == PID && world.lives)
#define target_pid() (PID)
#define harvest_pending(r) (tell((r)->h->tracer_sleeping == 1 ? "asleep " : "awake "), world.pending)
#define __atomic_thread_fence(order) tell("fence ")
#define syscall(n, what, flags, cpu) tell("barrier %d ", (n) == SYS_membarrier && !(flags) && !(cpu) ? (what) : -1)
#define fcntl(...) world_fcntl(__VA_ARGS__, 0)
#define nanosleep(pause, rest) tell("pause %lld.%09ld ", (long long)(pause)->tv_sec, (pause)->tv_nsec)
#define options_parse(argc, argv) ((void)(argc), (void)(argv), world.options)
#define find_by_name(name) (tell("name %s ", name), world.named)
#define find_fd(pid, name, flags) ((pid) == 7 && (flags) == O_RDONLY ? -1 : -7)
#define clock_init() world_does("clock", !world.frozen)
#define region_create(r, o) world_does("region", !world.unmade)
#define site_init(r) tell("sites ")
#define stack_init(r) tell("stacks ")
#define harvest_init(r) tell("rings ")
#define harvest_on_start(f) tell((f) == states_again ? "on-start " : "on-start? ")
#define harvest_end(r) tell("rings-end ")
#define v1_init(r) tell("v1 ")
#define v1_end(r) tell("v1-end ")
#define peer_init(r) tell("peers ")
#define print_meta(command, ts, wall, more) tell("meta %llu%s ", (unsigned long long)(ts), more)
#define target_start(r, o, f) (tell((f) == in_child ? "start " : "start? "), world.started)
#define stations_print(r) world_does("states", !world.not_all)
#define print_exit(ts, pid, status, alive) tell("exit %d %x %llu ", (int)(pid), (unsigned)(status), (unsigned long long)(alive))
#define print_end(ts, all, alive) tell((alive) ? "? " : "end %d ", all)
#define print_open(fd, pack, buffer) tell("open %s%d %d ", (pack) ? "packed " : "", fd, (int)(buffer))
#define pack_new(path) ((struct pack *)world_does("pack", true))
#define print_close() world_does("close", !world.unwritten)
#define notice_losses(o) tell("losses ")
#define watch_ask(pid) (tell("ask %d ", (int)(pid)), 41)
#define watch(o) world_mode("watch", o, 42)
#define dump(o) world_mode("dump", o, 0)
#define attach(o) world_mode("attach", o, world.status)
#define v1_scan(r) ((void)(r), world.v1 ? world.v1--, 3u : 0u)
#define main recorder_main
#include "../../record/main.c"
#undef main
#undef dump
#undef attach
#undef watch

static int world_usage(int who, struct rusage *use)
{
	use->ru_nivcsw = world.preempted;
	return who == RUSAGE_THREAD ? 0 : -1;
}

static int world_slack(int what, int n)
{
	if (what == PR_GET_TIMERSLACK)
		return 50000;
	tell("slack %d ", n);
	return 0;
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
#define prctl(what, n) world_slack(what, (int)(n))
#define getpriority(which, who) 5
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
	ok(is("fence barrier 2 asleep wait 500 ") && !h.tracer_sleeping, "until then");
	sleep_until(&r, 1000);
	ok(is("fence barrier 2 asleep "), "not when it is time");
	world.pending = true;
	sleep_until(&r, 1500);
	ok(is("fence barrier 2 asleep ") && !h.tracer_sleeping, "nor when there is something to read");
	world.pending = false;
	world.v1 = 1;
	r.membarrier = false;
	sleep_until(&r, 1500);
	ok(is("fence asleep ") && !world.v1, "nor something of version 1; a kernel without membarrier is not asked for one");
}

/* In a process of its own, for it asks once. */
static bool permitted(uint64_t now)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		pace_nap(now, 5, 0);
		leave(pace_denied() || !is("slack 1 nice 0 0 -10 "));
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
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
	ok(permitted(now), "it may go first: nothing to say");
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
	ok(!pace_nap(now + 10 * MS, 1, 9), "a nap that was over long ago is not late");
	now += 10 * MS;
	ok(!pace_realtime() && is("policy 0 1073741825 1 "), "who may not go first of all");
	told[0] = '\0';
	world.refused = false;
	ok(pace_realtime() && strstr(told, "slack 1 ") && pace_turns() == 1 && pace_nap(now, 1, 9) == NAP_LEAST, "and who may: naps always");
	told[0] = '\0';
	pace_forked();
	ok(is("slack 50000 nice 0 0 5 "), "what it starts has what was there before");
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
	world.status = 7 << 8;
	world.passes = true;
	told[0] = '\0';
	target_changed = 0;
	world.now = 200000 * MS;
	world.until = world.now + 4 * MS;
	ok(record(&r, &o) == 7 << 8 && is(BEGUN NAPS "accept "), "longer naps, as nothing comes");
	ok(world.asks == 4 && world.served == 9 && world.reaped == 10, "a system call each millisecond");
	world.now = 210000 * MS;
	world.until = world.now + 40 * MS;
	ok(record(&r, &o) == 7 << 8 && is(BEGUN NAPS "flush fence barrier 2 asleep wait 94450000 look 210100000000 accept "), "then sleep, until it is to be seen who lives");
	world.now = 220000 * MS;
	world.until = world.now + 8 * MS;
	record(&r, &silent);
	ok(is(BEGUN NAPS "flush wait 1000000 flush wait 1000000 flush wait 1000000 flush wait 1000000 accept "), "but where nobody would ring");
	world.now = 225000 * MS;
	world.until = world.now + 3 * MS;
	world.v1 = 1;
	world.step = 10000;
	record(&r, &o);
	world.step = 0;
	ok(is("tick reap accept save 0 wait 60000 wait 100000 wait 100000 wait 100000 wait 100000 wait 100000 wait 100000 wait 100000 wait 100000 "
	      "wait 100000 flush wait 50000 flush wait 100000 flush wait 200000 flush wait 400000 flush wait 800000 flush wait 1000000 accept "),
		"a version 1 writer, where the machine is busy: pace.c's naps for a millisecond");
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

/* The target has ended: whom it left behind. */
static void followed(void)
{
	struct ctp_header h = { 0 };
	struct region r = { .h = &h };
	struct options o = { .ring_slots = 64, .quiet = true, .follow = true }, alone = { .ring_slots = 64, .quiet = true };
	uint64_t at = world.now = 300000 * MS;

	world.following = true;
	ok(!follows(&alone, at, at) && follows(&o, at, at), "who is not to follow does not");
	target_asked = 1;
	ok(follows(&o, at + SECOND, at) && !follows(&o, at + SECOND + 1, at), "asked to end while the target lived: a second more");
	target_asked = 0;
	ok(follows(&o, at + SECOND + 1, at), "else as long as they take");
	target_stop = 1;
	ok(!follows(&o, at, at), "asked to end when it was gone: no longer");
	target_stop = 0;
	world.following = false;
	ok(!follows(&o, at, at), "nor when all are gone");
	world.left = true;
	world.searches = 0;
	ok(follows(&o, at + 21 * MS, at) && follows(&o, at + 41 * MS, at) && world.searches == 1, "who is left may attach yet; looked for now and then");
	world.left = false;
	ok(!follows(&o, at + 42 * MS, at) && world.searches == 2, "and is gone");
	world.left = true;
	ok(follows(&o, at + SECOND, at) && !follows(&o, at + SECOND + 1, at), "it has a second");
	ok(!follows(&alone, at + 100 * MS, at), "where it would be followed");
	world.left = false;
	world.unmet = true;
	ok(follows(&o, at + 9000 * MS, at) && !follows(&alone, at, at), "nor is anybody left who has the memory, and wrote nothing yet");
	world.unmet = false;

	world.following = true;
	target_asked = 1;
	world.until = at;
	world.asks = world.served = 0;
	ok(record(&r, &o) == 7 << 8 && world.asks == 1 && !world.served && world.now >= at + SECOND && world.now < at + SECOND + 200 * MS,
		"its status is asked for once, and who comes still is met");
	target_asked = 0;
	world.following = false;
	told[0] = '\0';
}

static unsigned times(const char *what)
{
	unsigned n = 0;

	for (const char *p = told; (p = strstr(p, what)) != NULL; p++)
		n++;
	return n;
}

/* A quiet minute, by the times that are printed. */
static void quiet(void)
{
	struct ctp_header h = { 0 };
	struct region r = { .h = &h };
	struct options o = { .ring_slots = 64 };
	uint64_t last = world.now = 400000 * MS, ts, late = 0, early = UINT64_MAX;

	world.until = world.now + 60000 * MS;
	world.asks = 0;
	record(&r, &o);
	for (const char *p = told; (p = strstr(p, "sync ")) != NULL; p++) {
		ts = strtoull(p + 5, NULL, 10) + 2 * HOLD_BACK_NS;
		late = ts - last > late ? ts - last : late;
		early = ts - last < early ? ts - last : early;
		last = ts;
	}
	ok(late == SECOND && early == SECOND && last >= world.until - SECOND, "a quiet minute: a line that shows the time each second, to the nanosecond");
	ok(times("look ") == 90 && times("tick ") == 61 && times("probe 4711 ") == 160, "who lives, and whether there is a probe, is looked at meanwhile");
	told[0] = '\0';
}

/* While events come. */
static void busy(void)
{
	struct ctp_header h = { 0 };
	struct region r = { .h = &h };
	struct options o = { .ring_slots = 64, .quiet = true };

	world.now = 230000 * MS;
	world.until = world.now + 3000 * MS;
	world.busy = 9;
	world.step = 20 * MS;
	record(&r, &o);
	ok(times("tick ") == 3 && times("look ") == 3 && !times("sync "), "while events come: who lives is seen each second, and they show the time");
	world.busy = 0;
	told[0] = '\0';
	world.v1 = 1000;
	world.until = world.now + 3000 * MS;
	record(&r, &o);
	ok(times("tick ") == 3 && times("look ") == 3 && !times("sync ") && world.v1, "those of version 1, too");
	world.v1 = world.step = 0;
	told[0] = '\0';
}

/* Version 1 is eight events deep. */
static void version_1(void)
{
	struct ctp_header h = { 0 };
	struct region r = { .h = &h };
	struct options o = { .ring_slots = 64, .quiet = true };

	world.passes = true;
	world.now = 50000 * MS;
	world.until = world.now + 3 * MS;
	world.step = 250000;
	world.v1 = 1;
	world.looks = 0;
	record(&r, &o);
	ok(is("tick reap accept save 1 flush wait 50000 flush wait 100000 flush wait 200000 flush wait 400000 accept ") && world.looks == 9,
		"a version 1 writer has just written: look after look for a millisecond");
	world.step = 0;
}

static char *nothing[] = { NULL };

/* Where the trace goes: its descriptor, or the status that the recorder ends with, negative where it says why. */
static int output(const char *path, bool closed)
{
	struct options o = { .output = path, .command = nothing };
	int status, said = memfd_create("stderr", MFD_CLOEXEC);
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		dup2(said, 2);
		leave(open_output(&o, closed));
	}
	status = pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
	status = lseek(said, 0, SEEK_END) > 0 ? -status : status;
	close(said);
	return status;
}

static void outputs(void)
{
	struct options o = { .command = nothing };

	ok(open_output(&o, false) == 1 && is("pipe 1 1048576 "), "a pipe holds as much as it may");
	ok(output(NULL, false) == 1 && output("-", false) == 1, "to stdout");
	ok(output(NULL, true) == -125 && output("-", true) == -125, "not where that is closed");
	ok(output("/dev/null", false) > 2 && output("/dev/null", true) > 2, "to a file, whatever stdout is");
	ok(output("/nonexistent/x", false) == -125, "not where it cannot be");
}

/* Of these descriptors none is open: which of the first four are, then, and whether stdout was not. */
static int streams(int closed)
{
	int status, open = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		for (int fd = 3; fd < 64; fd++)
			close(fd);
		for (int fd = 0; fd < 3; fd++)
			if (closed >> fd & 1)
				close(fd);
		open = open_streams() << 6;
		for (int fd = 0; fd < 6; fd++)
			open |= (fcntl(fd, F_GETFD) >= 0) << fd;
		leave(open);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int ends(void)
{
	world.now = world.until = 500000 * MS;
	world.asks = world.harvests = 0;
	told[0] = '\0';
	return recorder_main(0, NULL);
}

#define MADE "open 1 77 clock region sites stacks rings on-start v1 "
#define DONE "tick reap accept save 0 accept pause 0.000100000 accept ends v1-end rings-end "
static void whole(void)
{
	memset(&world, 0, sizeof world);
	world.options = (struct options){ .ring_slots = 64, .buffer = 77, .quiet = true, .command = nothing };
	world.started = 99;
	world.status = 7 << 8;
	signal(SIGXFSZ, SIG_DFL);
	ok(ends() == 7 && is("pipe 1 1048576 " MADE "peers meta 500000000000 start " DONE "exit 99 700 500000000000 end 0 close "), "from beginning to end");
	ok(signal(SIGXFSZ, SIG_IGN) == pass_by && world.looks == 2, "a file that is too large does not kill it; what came last is read");
	world.status = SIGKILL;
	totals.lost = 1;
	ok(ends() == 128 + SIGKILL && strstr(told, "rings-end states exit 99 9 500000000000 end 1 close "), "a signal's number; states where events are lost");
	world.not_all = true;
	ok(ends() == 128 + SIGKILL && strstr(told, "rings-end states exit 99 9 500000000000 end 0 close "), "not of all");
	totals.lost = 0;
	world.options.quiet = false;
	world.unwritten = true;
	ok(ends() == 125 && strstr(told, "probe 4711 ") && strstr(told, "losses close "), "what is missing is said; a trace that could not be written");
	world.unwritten = false;
	world.options.quiet = true;
	world.started = -1;
	target_error = 127;
	ok(ends() == 127 && is("pipe 1 1048576 " MADE "peers meta 500000000000 start "), "a program that cannot be started");
	world.options.realtime = true;
	world.refused = true;
	ok(ends() == 125 && is("pipe 1 1048576 " MADE "policy 0 1073741825 1 "), "who may not go first of all");
	world.refused = false;
	ok(ends() == 127 && strstr(told, " peers meta "), "and who may");
	world.unmade = true;
	ok(ends() == 125 && is("pipe 1 1048576 open 1 77 clock region "), "no memory");
	world.frozen = true;
	ok(ends() == 125 && is("pipe 1 1048576 open 1 77 clock "), "a clock that stands still");
	world.frozen = false;
}

static void modes(void)
{
	char out[] = "/dev/null";

	world.options = (struct options){ .buffer = 77, .dump = 12 };
	ok(ends() == 41 && is("ask 12 "), "--dump");
	world.options = (struct options){ .buffer = 77, .last_ns = 5, .output = out };
	ok(ends() == 42 && is("clock watch "), "--last opens no trace");
	world.options = (struct options){ .buffer = 77, .box = true, .command = nothing };
	ok(ends() == 0 && is("pipe 1 1048576 open 1 77 clock dump losses "), "--box");
	world.options.quiet = world.frozen = true;
	ok(ends() == 0 && is("pipe 1 1048576 open 1 77 clock dump "), "and says nothing; a box has times of its own");
	world.frozen = false;
	world.options = (struct options){ .buffer = 77, .attach = true, .command = nothing };
	world.status = 0;
	ok(ends() == 0 && is("pipe 1 1048576 open 1 77 clock attach losses "), "-p");
	world.status = 3;
	ok(ends() == 3 && is("pipe 1 1048576 open 1 77 clock attach "), "that failed");
	world.options.output = out;
	ok(ends() == 3 && strstr(told, "pack pipe ") && strstr(told, " open packed "), "packed by its name");
	world.options = (struct options){ .name = "a.*", .attach = true, .command = nothing };
	world.named = 7;
	ok(ends() == 3 && is("name a.* pipe 1 1048576 open 1 0 clock attach of others "), "by name");
	world.named = 0;
	ok(ends() == 125 && is("name a.* "), "none of that name: no file is opened");
}

int main(void)
{
	outputs();
	ok(streams(0) == 7 && streams(5) == 7 && streams(7) == (7 | 64) && streams(2) == (7 | 64), "closed streams are opened, no other");
	lives();
	seconds();
	sleeps();
	version_1();
	naps();
	turns();
	busy();
	followed();
	quiet();
	whole();
	modes();
	return done_testing();
}
