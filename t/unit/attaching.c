/* attaching.c - how a running process is recorded (record/box/attach.c), in a world of its own in which time passes as it waits: what is asked for
 * and said, the switch, naps and sleep, each second, the end. What is made of a real box is in boxes.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../record/complain.h"
#include "../../record/event.h"
#include "../../record/extra/clock.h"
#include "../../record/extra/process.h"
#include "../../record/extra/stack.h"
#include "../../record/harvest.h"
#include "../../record/line.h"
#include "../../record/options.h"
#include "../../record/print.h"
#include "../../record/site.h"
#include "../../record/stations.h"
#include "../../record/totals.h"
#include "../../record/box/box.h"
#include "../../record/box/modes.h"
#include "../../record/box/others.h"
#include "tap.h"
#include "told.h"

enum { PID = 77, INNER = 5, MS = 1000000, RINGS = 4, BOX = 30 };
typedef unsigned long long u64;
static struct {
	uint64_t now, look, states_take, until, stop_at, slept, pending_until, cannot_write_at;
	uint64_t got[10];		/* by the first harvests; then nothing */
	uint64_t since;			/* harvest_since() adds it */
	int harvests, box, given, error;
	uint32_t used;
	bool dead, stopped, foreign, no_map, no_close, no_pidfd, no_membarrier, mapped, unmapped, closed, others, states, stops_when_asked, dies_when_asked;
	struct ctp_header h;
} world;
static struct ctp_ring *rings;		/* whoever reads behind them dies */
static char *its_command[] = { "itself", NULL };
struct totals totals;
char *print_at, digits_4[10000][4];	/* of functions in headers that are not called */

static uint64_t world_harvest(void)
{
	int i = world.harvests++;

	world.now += world.look;
	return i < 10 ? world.got[i] : 0;
}

/* Waits are told as n and s, in us. */
static int world_nap(const struct timespec *ts)
{
	world.now += (uint64_t)ts->tv_sec * 1000 * MS + (uint64_t)ts->tv_nsec;
	tell("n%llu ", (u64)ts->tv_sec * MS + (u64)ts->tv_nsec / 1000);
	return 0;
}

static int world_kill(int sig)
{
	errno = world.error;
	return sig == 0 && world.now >= world.until ? -1 : 0;
}

static int world_poll(const struct pollfd *p, unsigned n, int wait)
{
	if (n != 1 || p->events != POLLIN || wait)
		tell("poll? ");
	return world.now >= world.until;
}

static long world_call(long number, long a, long b, long c, const struct timespec *ts);
static bool world_map(struct region *r, int fd)
{
	r->fd = fd;
	r->h = &world.h;
	r->birth = world.h;
	r->rings = rings;
	r->ring_count = RINGS;
	r->ring_slots = 64;
	return !world.no_map;
}

static uint64_t world_since(uint32_t i, uint64_t low, uint64_t from)
{
	tell("since %u %llu %llu ", i, (u64)low, (u64)from);
	return low + world.since;
}

static int the_box(void);
static int flag_asked(pid_t pid, const struct region *had, const volatile sig_atomic_t *stops);

#define complain(...) (tell(__VA_ARGS__), tell("|"))
#define image_guard() tell("guard ")
#define image_map(r, fd, what) (tell("map %d, %s, ", fd, what), world_map(r, fd))
#define find_box(pid, flags, asking) ((pid) == PID && (flags) == O_RDWR && (asking) ? world.box : -7)
#define find_others(pid) ((pid) == PID && world.others)
#define flag_ask(pid, had, stops) flag_asked(pid, had, stops)
#define process_lives(pid) ((pid) == PID && !world.dead && !world.stopped)
#define process_exists(pid) ((pid) == PID && !world.dead)
#define process_maps(pid, inode) (tell("maps? "), (pid) == PID && (inode) == own_inode() && world.mapped)
#define process_unmapped(pid, inode) ((pid) == PID && (inode) == own_inode() && world.unmapped)
#define find_fd(pid, name, flags) ((pid) == PID && (flags) == O_RDONLY && !world.closed ? dup(the_box()) : -1)
#define process_command(pid, o) (tell("command of %d ", (int)(pid)), (o)->command = its_command)
#define process_is_foreign(ns) ((ns) == 4 && world.foreign)
#define process_inner(pid) ((pid) == PID ? INNER : 0)
#define process_seen(number, pid, again) tell("seen %u %d %d ", (unsigned)(number), (int)(pid), again)
#define others_init(from, number, of) tell((of) == (from)->fd && (number) == number_of(from, PID) ? "others " : "others? ")
#define others_look(now) tell((now) ? "look " : "look? ")
#define clock_ns() (world.now)
#define wall_ns() 99ull
#define clock_slept() (world.slept)
#define clock_tick() tell("tick ")
#define clock_use(h, now) tell("clock %d ", now)
#define harvest(r) world_harvest()
#define harvest_rings(r) (world.used)
#define harvest_since(r, i, low, from) world_since(i, low, from)
#define harvest_adopt(i, tail, reported) tell("from %llu %llu ", (u64)(tail), (u64)(reported))
#define harvest_reap(r) tell("reap ")
#define harvest_pending(r) (world.now < world.pending_until)
#define harvest_end(r) tell("counts ")
#define harvest_init(r) tell("harvest ")
#define harvest_on_start(f) tell((f) == states_again ? "starts " : "? ")
#define print_sync(ts, slept) tell("sync %lld %llu ", (long long)(ts) - (long long)world.now, (u64)(slept))
#define print_failed() (world.cannot_write_at && world.now >= world.cannot_write_at)
#define print_flush() tell("f ")
#define print_exit(ts, pid, status, alive) tell("exit %llu %d %d %lld ", (u64)(ts), (int)(pid), status, (long long)(alive) - (long long)(ts))
#define print_end(ts, all, alive) (tell("end %d ", all), (alive) ? tell("alive %lld ", (long long)(alive) - (long long)world.now) : (void)0)
#define states_last() (world.now - 40 * MS)
#define print_meta(command, ts, wall, more) tell("meta %s %llu %llu%s ", *(command), (u64)(ts), (u64)(wall), more)
#define print_close() (tell("close "), !world.no_close)
#define site_init(r) tell("sites ")
#define stack_init(r) tell("stacks ")
#define stations_print(r) ((void)(r), tell("stations "), world.states)
#define states_print(r) (tell("states "), world.now += world.states_take, world.dead |= world.states_take != 0)
#define states_again ((void (*)(const struct region *, uint64_t))(uintptr_t)8)
#define nanosleep(ts, left) world_nap(ts)
#define kill(pid, sig) ((pid) == PID ? world_kill(sig) : 0)
#define poll(p, n, wait) world_poll(p, n, wait)
#define CALL(number, a, b, c, d, ...) world_call(number, (long)(a), (long)(b), (long)(c), (const struct timespec *)(d))
#define sigaction(sig, to, was) (handled++, sigaction(sig, to, was))
#define syscall(...) CALL(__VA_ARGS__, NULL, NULL, NULL)
static int handled;
static uint64_t own_inode(void);
#include "../../record/box/attach.c"
#undef complain
#undef kill
#undef poll
#undef nanosleep
#undef sigaction
#undef syscall

static int own;			/* a file, as its box */
static int the_box(void)
{
	return own;
}

static uint64_t own_inode(void)
{
	struct stat st;

	return fstat(own, &st) ? 0 : st.st_ino;
}

static long world_call(long number, long a, long b, long c, const struct timespec *ts)
{
	if (number == SYS_pidfd_open)
		return a == PID && !b && !world.no_pidfd ? dup(own) : -1;
	if (number == SYS_membarrier)
		return a == 2 && !b && !c && world.h.tracer_sleeping == 1 && !world.no_membarrier ? 0 : -1;
	if (number != SYS_futex || a != (long)&world.h.tracer_sleeping || b != FUTEX_WAIT || c != 1)
		return tell("? "), -1;
	world_nap(ts);
	tell("slept ");
	if (world.stop_at && world.now >= world.stop_at)
		stop = 1;
	return 0;
}

static int flag_asked(pid_t pid, const struct region *had, const volatile sig_atomic_t *stops)
{
	tell("ask %d%s%s ", (int)pid, had ? " again" : "", stops == &stop ? "" : "?");
	if (world.stops_when_asked)
		stop = 1;
	if (world.dies_when_asked)
		world.dead = true;
	return world.given;
}

static struct region fresh(void)
{
	struct region r = { 0 };
	uint64_t now = world.now + 100000ull * MS;

	memset(&world, 0, sizeof world);
	memset(rings, 0, RINGS * sizeof *rings);
	memset(&totals, 0, sizeof totals);
	world.now = now;
	world.until = UINT64_MAX;
	world.mapped = true;
	world.box = own;
	world.given = -1;
	world.h.pid_ns = 4;
	world.used = RINGS;
	stop = 0;
	world_map(&r, own);
	told[0] = '\0';
	return r;
}

/* ---- the switch ---- */

static void begins(void)
{
	struct region r = fresh();

	world.h.session = 4;
	world.h.reader_pid = 1;
	world.h.forget_ticks = 12;
	world.used = 3;
	rings[0] = (struct ctp_ring){ .head = 100, .limit = 104, .tail = 0, .reported = 9 };
	rings[1] = (struct ctp_ring){ .head = 30, .limit = 30 };
	rings[2] = (struct ctp_ring){ .head = 200, .limit = 270 };
	rings[3] = (struct ctp_ring){ .head = 80, .limit = 81, .tail = 79 };
	session_begin(&r);
	/* 104 - (64 - 8); below 64; above head; taken while we came: not what its tail was */
	ok(is("since 0 48 12 from 48 9 since 1 0 12 from 0 0 since 2 200 12 from 200 0 since 3 17 12 from 17 0 "), "from where on");
	ok(rings[0].tail == 48 && !rings[1].tail && rings[2].tail == 200 && rings[3].tail == 17, "the writers know");
	ok(world.h.session == 5 && world.h.reader_pid == (uint32_t)getpid(), "and who reads");
	session_end(&r);
	ok(world.h.session == 6, "no more");

	r = fresh();
	world.h.session = 7;
	world.since = 3;
	world.used = 1;
	rings[0] = (struct ctp_ring){ .head = 56, .limit = 57 };
	session_begin(&r);
	ok(rings[0].tail == 4 && world.h.session == 9, "after one that was killed; older than the last start is not read");
	r = fresh();
	rings[0] = (struct ctp_ring){ .head = 64, .limit = 65 };
	rings[1] = (struct ctp_ring){ .head = 64, .limit = 64 };
	rings[2] = (struct ctp_ring){ .head = 56, .limit = 56 };
	session_begin(&r);
	ok(rings[0].tail == 9 && rings[1].tail == 8 && rings[2].tail == 0, "an eighth is left free");
	ok(is("since 0 9 0 from 9 0 since 1 8 0 from 8 0 since 2 0 0 from 0 0 since 3 0 0 from 0 0 "), "of the older");
}

static void leaves(void)
{
	struct region r = fresh();

	world.h.leave = CTP_STAY;
	session_end(&r);
	ok(world.h.leave == CTP_STAY, "a box of its own stays");
	r.birth.born_late = 1;
	session_end(&r);
	ok(world.h.leave == CTP_LEAVE && world.h.session == 2, "one that was asked for is left");
	ok(!was_left(&r) && world.h.leave == CTP_STAY, "unless it is taken again before that");
	world.h.leave = CTP_LEFT;
	session_end(&r);
	ok(world.h.leave == CTP_LEFT, "it has been left");
	ok(was_left(&r) && world.h.leave == CTP_LEFT, "that is known");
	world.h.leave = CTP_STAY;
	ok(!was_left(&r) && world.h.leave == CTP_STAY, "or not");
}

static void locks(void)
{
	struct region r = fresh(), other = r;

	world.h.reader_pid = 8;
	other.fd = open("/proc/self/fd/0", O_PATH);
	ok(lock(&r, PID) && is(""), "locked");
	ok(!lock(&other, PID) && is("process 77: its box cannot be locked: Bad file descriptor|"), "what cannot be");
	close(other.fd);
	snprintf(told, sizeof told, "/proc/self/fd/%d", own);
	other.fd = open(told, O_RDWR);
	told[0] = '\0';
	ok(!lock(&other, PID) && strstr(told, "process 77 is being recorded already, by process 8|"), "by one at a time");
	told[0] = '\0';
	close(other.fd);
}

static void signals(void)
{
	struct sigaction sa;

	signal(SIGHUP, SIG_IGN);
	handled = 0;
	handle_signals();
	sigaction(SIGHUP, NULL, &sa);
	ok(sa.sa_handler == SIG_IGN && handled == 5, "nohup");
	sigaction(SIGPIPE, NULL, &sa);
	ok(sa.sa_handler == SIG_IGN, "who reads may go");
	sigaction(SIGINT, NULL, &sa);
	ok(sa.sa_handler == on_stop && sigisemptyset(&sa.sa_mask), "^C");
	sigaction(SIGQUIT, NULL, &sa);
	ok(sa.sa_handler == on_stop, "quit");
	sigaction(SIGTERM, NULL, &sa);
	stop = 0;
	raise(SIGTERM);
	ok(sa.sa_handler == on_stop && stop == 1, "stops");
	sigaction(SIGTERM, NULL, &sa);
	ok(sa.sa_handler == on_stop, "once more");
	raise(SIGURG);
	on_stop(SIGTERM);
	sigaction(SIGTERM, NULL, &sa);
	ok(sa.sa_handler == SIG_DFL && stop == 1, "kills");
	stop = 0;
}

/* ---- reading ---- */

static void sleeps(void)
{
	struct region r = fresh();

	sleep_until_rung(&r, ASLEEP);
	ok(is("n250000 slept ") && !world.h.tracer_sleeping, "until it is rung");
	sleep_until_rung(&r, 2 * (uint64_t)SECOND + 7000);
	ok(is("n2000007 slept "), "seconds");
	world.no_membarrier = true;
	sleep_until_rung(&r, ASLEEP);
	ok(is("n1000 slept "), "where a bell may be missed");
	sleep_until_rung(&r, 900000);
	ok(is("n900 slept "), "or less");
	sleep_until_rung(&r, 3 * (uint64_t)SECOND);
	ok(is("n3000000 slept "), "who asks for that");
	world.pending_until = UINT64_MAX;
	sleep_until_rung(&r, ASLEEP);
	ok(is("") && !world.h.tracer_sleeping, "there is something to read");
	world.pending_until = 0;
	stop = 1;
	sleep_until_rung(&r, ASLEEP);
	ok(is(""), "we are to end");
}

/* The first of all that asks: when it was last that a second had passed is kept. */
static void executes(void)
{
	struct region r = fresh(), none = { .fd = -1 };

	world.mapped = false;
	world.unmapped = true;
	ok(!has_executed(&none, PID) && is(""), "of what cannot be known nothing is said");
	ok(!has_executed(&r, PID) && is("maps? "), "its box is not seen yet");
	world.closed = true;
	ok(has_executed(&r, PID) && is("maps? process 77 executes another program now; its box went with the one before|"), "nor open: it was too late");
	world.closed = false;
	world.mapped = true;
	ok(!has_executed(&r, PID) && is("maps? "), "it is");
	world.unmapped = false;
	ok(!has_executed(&r, PID) && is(""), "still");
	world.unmapped = true;
	ok(has_executed(&r, PID) && is("process 77 executes another program now; its box went with the one before|"), "it is gone");
	world.dead = true;
	ok(!has_executed(&r, PID) && is(""), "with the process");
	ok(!has_executed(&none, PID) && is(""), "or not known");
}

static void seconds(void)
{
	struct region r = fresh();
	uint64_t printed = world.now, seen = 1, begin = world.now;

	ok(each_second(&r, PID, begin, &printed, &seen) && is("tick reap look ") && seen == begin, "the first");
	world.now = begin + SECOND - 1;
	ok(each_second(&r, PID, world.now, &printed, &seen) && is("") && seen == begin, "too early");
	world.now++;
	ok(each_second(&r, PID, world.now, &printed, &seen) && is("tick reap look sync -100000 0 ") && seen == world.now && printed == world.now, "the next");
	world.slept = 40;
	world.now++;
	ok(each_second(&r, PID, world.now, &printed, &seen) && is("sync -100000 40 ") && seen == world.now - 1 && printed == world.now, "it slept");
	world.slept = 0;
	world.dead = true;
	world.now += SECOND;
	r.foreign = true;
	seen = 1;
	ok(each_second(&r, PID, world.now, &printed, &seen) && is("tick look sync -100000 0 ") && seen == 1, "it is dead, and no rings of it are looked at");
	world.dead = false;
	world.unmapped = true;
	world.now += SECOND;
	printed = world.now;
	ok(!each_second(&r, PID, world.now, &printed, &seen) && is("tick look process 77 executes another program now; its box went with the one before|") && seen == 1,
		"that was all");
}

static void follows(void)
{
	struct region r = fresh();
	uint64_t alive = 0, begin = world.now;

	world.until = world.now + 4 * MS;
	ok(follow(&r, PID, &alive) && is("tick reap look f n50 f n100 f n200 f n400 f n800 f n1000 f n1000 f n1000 f ") && alive == begin, "naps");
	r = fresh();
	world.until = world.now + 300 * MS;
	ok(follow(&r, PID, &alive) && is("tick reap look f n50 f n100 f n200 f n400 f n800 f n1000 f n1000 f n1000 f n1000 f n250000 slept f n250000 slept f "), "sleeps");
	r = fresh();
	world.got[1] = 9;	/* more than an eighth */
	world.got[2] = 8;	/* of 64 */
	world.got[3] = 4;	/* a sixteenth */
	world.got[4] = 5;
	world.until = world.now + MS;
	ok(follow(&r, PID, &alive) && is("tick reap look f n50 f n100 f n50 f n100 f n50 f n100 f n200 f n400 f "), "as much comes");
	r = fresh();
	world.until = world.now + 20 * MS;
	world.look = 3 * MS;
	world.got[1] = world.got[2] = 1;
	ok(follow(&r, PID, &alive) && is("tick reap look f n50 f n100 f n200 f n400 f n250000 slept f "), "what comes keeps it awake");
	r = fresh();
	world.stop_at = world.now + 2300 * (uint64_t)MS;
	world.pending_until = world.now + 5 * MS;
	world.look = 251 * MS;
	ok(!follow(&r, PID, &alive), "stopped");
	ok(is("tick reap look f n250000 slept f n250000 slept tick reap look sync -100000 0 f n250000 slept f n250000 slept tick reap look sync -100000 0 f n250000 slept "),
		"in time");
	ok(alive == world.now - 250 * MS, "it lived each second");
	r = fresh();
	begin = world.now;
	world.cannot_write_at = begin + 100000;
	ok(!follow(&r, PID, &alive) && is("tick reap look f n50 f n100 "), "nobody reads");
	r = fresh();
	stop = 1;
	ok(!follow(&r, PID, &alive) && is("") && alive == world.now, "at once");
	r = fresh();
	stop = 1;
	world.dead = true;
	ok(!follow(&r, PID, &alive) && is("") && alive == world.now - 40 * MS, "of one that is stopped what it last did is known");
	alive = world.now - 3 * MS;
	follow(&r, PID, &alive);
	ok(alive == world.now - 3 * MS, "or when it was seen to go on, if that was later");
	told[0] = '\0';
	r = fresh();
	world.unmapped = true;
	ok(follow(&r, PID, &alive) && is("tick reap look process 77 executes another program now; its box went with the one before|"), "another program");
}

/* A kernel without pidfds. */
static void polls(void)
{
	struct region r = fresh();
	uint64_t alive = 0;
	int next = dup(own), again;

	close(next);
	world.until = 0;
	ok(follow(&r, PID, &alive) && is("tick reap look f "), "ended");
	again = dup(own);
	close(again);
	ok(next == again, "nothing is left open");
	r = fresh();
	world.no_pidfd = true;
	world.error = ESRCH;
	world.until = world.now + 60000;
	ok(follow(&r, PID, &alive) && is("tick reap look f n50 f n100 f "), "as kill() says");
	r = fresh();
	world.no_pidfd = true;
	world.error = EPERM;
	world.until = 0;
	world.stop_at = 1;
	ok(!follow(&r, PID, &alive), "another's lives on");
	told[0] = '\0';
	close(0);
	r = fresh();
	world.until = 0;
	ok(follow(&r, PID, &alive) && !follow(&r, PID, &alive) ? false : dup(own) == 0, "a pidfd may be 0");
	told[0] = '\0';
}

static void finishes(void)
{
	struct region r = fresh();

	finish(&r, PID, false, 0);
	ok(is("look n100 look counts end 0 ") && world.harvests == 1, "it runs on");
	world.states = true;
	world.now = 7000;
	finish(&r, PID, true, 6000);
	ok(is("look n100 look counts exit 107000 77 -1 -101000 end 0 "), "it has ended");
	totals.lost = 1;
	finish(&r, PID, false, 0);
	ok(is("look n100 look counts stations end 1 "), "with losses, what each does");
	world.states = false;
	finish(&r, PID, false, 0);
	ok(is("look n100 look counts stations end 0 "), "not of all");
	world.dead = true;
	world.now = 7000;
	finish(&r, PID, false, 6000);
	ok(is("look n100 look counts stations end 0 alive -101000 "), "it is stopped");
	world.now = 7000;
	finish(&r, PID, true, 6000);
	ok(is("look n100 look counts stations exit 107000 77 -1 -101000 end 0 "), "it was, and has ended");
}

/* Of one that waits for long, all that is known is that it lived as we came. */
static void dies_at_once(void)
{
	struct region r = fresh();

	world.until = 0;
	world.states_take = 5 * MS;
	record(&r, PID);
	ok(strstr(told, " 77 -1 -5100000 end 0 ") != NULL, "it ends as the states are printed: it lived until then");
	told[0] = '\0';
	r = fresh();
	world.until = 0;
	world.dead = true;
	record(&r, PID);
	ok(strstr(told, " 77 -1 -40100000 end 0 ") != NULL, "before: until its last event");
	told[0] = '\0';
}

/* ---- the whole ---- */

#define FOUND(fd) "guard map " fd ", process 77, clock 1 "
#define META "command of 77 meta itself now 99,\"attached\":true"
#define LATE META ",\"born_before\":true f "
#define NONE "process 77 keeps no box: what stands still there is not seen, only what moves from now on (CTP_BOX=1 in its environment keeps one)|"
#define SWITCHED "since 0 0 0 from 0 0 since 1 0 0 from 0 0 since 2 0 0 from 0 0 since 3 0 0 from 0 0 states "
#define RECORDED(seen) "sites stacks harvest starts others seen " seen " 77 1 " SWITCHED "tick reap look f look n100 look counts exit 77 -1 end 0 "

/* What attach() says; its times but of waits are taken out. */
static int attaches(struct options *o)
{
	int status = attach(o);
	char *at;

	if ((at = strstr(told, "meta itself "))) {
		at += strlen("meta itself ");
		size_t n = strspn(at, "0123456789");

		memmove(at + 3, at + n, strlen(at + n) + 1);
		memcpy(at, "now", 3);
	}
	if ((at = strstr(told, "exit "))) {
		at += strlen("exit ");
		memmove(at, strchr(at, ' ') + 1, strlen(strchr(at, ' ')));
		at = strstr(at, " -1 ") + 4;
		memmove(at, strchr(at, ' ') + 1, strlen(strchr(at, ' ')));
	}
	return status;
}

static void whole(void)
{
	struct options o = { .pid = PID };

	fresh();
	world.until = 0;
	ok(attaches(&o) == 0 && is(FOUND("30") META " " RECORDED("77") "close "), "a box");
	ok(stop == 0 && world.h.session == 2 && world.h.reader_pid == (uint32_t)getpid(), "is its own again");
	fresh();
	world.until = 0;
	world.others = true;
	ok(attaches(&o) == 0 && is(FOUND("30") META ",\"partial\":true " RECORDED("77") "close "), "one of several that it has");
	fresh();
	stop = 1;
	world.unmapped = true;
	attaches(&o);
	ok(strstr(told, "states process 77 executes another program now; ") && strstr(told, "|look n100 look counts exit 77 -1 end 0 close "),
		"it executes another program in the second in which we are stopped");
	told[0] = '\0';
	fresh();
	world.until = 0;
	signal(SIGINT, SIG_DFL);
	world.box = dup2(own, 0);
	ok(attaches(&o) == 0 && is(FOUND("0") META " " RECORDED("77") "close ") && signal(SIGINT, SIG_DFL) == on_stop, "whose descriptor is 0; ^C ends it");
	fresh();
	world.until = 0;
	world.foreign = true;
	world.no_close = true;
	ok(attaches(&o) == 125 && is(FOUND("30") META " sites stacks harvest starts others seen 5 77 1 " SWITCHED
		"tick look f look n100 look counts exit 77 -1 end 0 close "), "of another namespace; the trace could not be written");
	fresh();
	world.no_map = true;
	ok(attaches(&o) == 125 && is("guard map 30, process 77, "), "what is no box");
	fresh();
	world.box = open("/dev/null", O_PATH);
	ok(attaches(&o) == 125 && strstr(told, "cannot be locked"), "what cannot be locked");
	close(world.box);
	fresh();
	world.box = -1;
	ok(attaches(&o) == 125 && is("guard "), "neither box nor flag: that was said");
}

static void asked(void)
{
	struct options o = { .pid = PID }, quiet = { .pid = PID, .quiet = true };

	fresh();
	world.box = NO_BOX;
	world.given = own;
	world.until = 0;
	ok(attaches(&o) == 0 && is("guard " LATE NONE "ask 77 map 30, process 77, clock 1 " RECORDED("77") "close "), "asked for a box");
	fresh();
	world.box = NO_BOX;
	world.given = own;
	world.no_map = true;
	ok(attaches(&quiet) == 125 && is("guard " LATE "ask 77 map 30, process 77, "), "what it gives is none");
	fresh();
	world.box = NO_BOX;
	ok(attaches(&quiet) == 125 && is("guard " LATE "ask 77 "), "it gives none");
	world.stopped = true;
	ok(attaches(&quiet) == 125 && is("guard " LATE "ask 77 "), "nor where it is stopped then");
	world.stopped = false;
	world.stops_when_asked = true;
	ok(attaches(&quiet) == 0 && is("guard " LATE "ask 77 end 0 close "), "we are stopped before");
	fresh();
	world.box = NO_BOX;
	world.dies_when_asked = true;
	ok(attaches(&quiet) == 0 && is("guard " LATE "ask 77 end 0 close "), "it ends before");
	fresh();
	world.h.born_late = 1;
	world.h.leave = CTP_LEFT;
	world.given = 0;
	world.until = 0;
	ok(attaches(&quiet) == 0 && is(FOUND("30") LATE "ask 77 again " RECORDED("77") "close "), "one that was left is asked again");
	ok(world.h.leave == CTP_LEFT, "and left");
	fresh();
	world.h.born_late = 1;
	world.h.leave = CTP_LEFT;
	world.box = dup2(own, 0);
	world.given = 0;
	world.until = 0;
	ok(attaches(&quiet) == 0 && is(FOUND("0") LATE "ask 77 again " RECORDED("77") "close "), "whose descriptor is 0");
	fresh();
	world.h.born_late = 1;
	world.h.leave = CTP_LEAVE;
	world.until = 0;
	ok(attaches(&quiet) == 0 && is(FOUND("30") META ",\"born_before\":true " RECORDED("77") "close ") && world.h.leave == CTP_LEAVE, "not where that was not noticed");
}

int main(void)
{
	alarm(100);
	rings = (void *)((char *)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096 - RINGS * sizeof *rings);
	munmap(rings + RINGS, 4096);
	dup2(memfd_create("own", MFD_CLOEXEC), own = BOX);
	executes();
	begins();
	leaves();
	locks();
	signals();
	sleeps();
	seconds();
	follows();
	polls();
	finishes();
	dies_at_once();
	whole();
	asked();
	return done_testing();
}
