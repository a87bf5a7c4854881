/* cut.c - one cut after another through the rings (record/harvest.c), in a world of its own in which the clock stands where the test says: what
 * is due to the tick, in which order, what is lost by whose word, which rings are retired and given back. With a clock that runs: harvest.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../record/complain.h"
#include "../../record/event.h"
#include "../../record/extra/clock.h"
#include "../../record/extra/process.h"
#include "../../record/harvest.h"
#include "../../record/line.h"
#include "../../record/totals.h"
#include "tap.h"
#include "told.h"

enum { RINGS = 4, SLOTS = 1024, NOW = 1000000, CUT = 700000, DUE = CUT - 50000 };
typedef unsigned long long u64;
static struct {
	uint64_t ticks, cut;		/* cut: 0 is CUT */
	int error, lives;		/* of tgkill(): how it fails; this thread lives */
	off_t hole;
	bool no_hole, hands;		/* hands: tell what is handed back, not what is printed */
	uint64_t handed, last;
} world;
static struct ctp_ring control[RINGS];
struct totals totals;
char *print_at, digits_4[10000][4];	/* of functions in headers that are not called */

static long world_tgkill(long number, long pid, long tid, long sig)
{
	if (number != SYS_tgkill || sig)
		tell("? ");
	tell("tgkill %ld %ld ", pid, tid);
	errno = world.error;
	return tid == world.lives ? 0 : -1;
}

static int world_punch(int fd, int how, off_t at, off_t size)
{
	tell("hole %d %d %lld %lld ", fd, how == (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE), (long long)at, (long long)size);
	return world.no_hole ? -1 : 0;
}

static void world_lost(const char *what, uint64_t n, uint64_t count, uint64_t from, uint64_t to)
{
	tell("lost %s %llu: %llu %llu-%llu ", what ? what : "", (u64)n, (u64)count, (u64)from, (u64)to);
}

static void world_event(const struct ctp_event *e, bool right)
{
	if (!world.hands)
		tell("%llu%s ", (u64)e->timestamp, right ? "" : "?");
	else if (control[3].tail != world.handed)
		tell("tail %llu ", (u64)(world.handed = control[3].tail));
	if (e->timestamp < world.last)
		tell("falls ");
	world.last = e->timestamp;
}

/* Times in ns are those in ticks, a million later. */
#define clock_ns() ((uint64_t)NOW)
#define clock_ticks() (world.ticks)
#define clock_cut() (world.cut ? world.cut : (uint64_t)CUT)
#define clock_from_ns(ns) ((uint64_t)(ns))
#define clock_to_ns(ticks) ((ticks) + 1000000)
#define complain(...) tell("complain ")
#define need(p) (p)
#define print_event(r, e, ts, pid, state) (void)(r), world_event(e, (ts) == (e)->timestamp + 1000000 && (pid) == 40 && !(state))
#define print_lost(what, n, count, from, to) world_lost(what, n, count, from, to)
#define process_seen(number, pid, again) tell("seen %u %d %d ", (unsigned)(number), (int)(pid), again)
#define syscall(number, pid, tid, sig) world_tgkill(number, pid, tid, sig)
#define fallocate(fd, how, at, size) world_punch(fd, how, at, size)
#include "../../record/callbacks.c"
#include "../../record/harvest.c"
#undef syscall
#undef fallocate

static struct ctp_header h;
static struct { char before[64]; struct ctp_event slot[RINGS * SLOTS]; } memory;

static struct region fresh(bool box)
{
	struct region r = { .fd = 9, .base = (char *)&memory, .h = &h, .rings = control, .slots = memory.slot, .ring_count = RINGS, .ring_slots = SLOTS, .box = box };

	memset(&h, 0, sizeof h);
	memset(control, 0, sizeof control);
	memset(memory.slot, 0, sizeof memory.slot);
	memset(&totals, 0, sizeof totals);
	memset(&world, 0, sizeof world);
	free(rings);
	free(heap);
	free(callbacks);
	r.birth.birth_ticks = 300;
	h.rings_used = RINGS;
	world.ticks = 10;
	world.error = ESRCH;
	on_start = NULL;
	on_process = NULL;
	harvest_save_memory(false);
	harvest_init(&r);
	for (int i = 0; i < RINGS; i++)
		control[i].owner = CTP_OWNER(40, 50 + i);
	told[0] = '\0';
	return r;
}

static void put(uint32_t i, struct ctp_event e)
{
	memory.slot[i * SLOTS + control[i].head++ % SLOTS] = e;
}
#define OF(i, what, ts, ...) put(i, (struct ctp_event){ .timestamp = ts, .kind = what, .tid = 50 + (i), ## __VA_ARGS__ })
#define AT(i, ts) OF(i, CTP_PARK, ts)

static void due(void)
{
	struct region r = fresh(false);

	AT(0, DUE), AT(1, DUE + 1), AT(2, DUE - 1);
	ok(harvest_pending(&r) && harvest(&r) == 2 && is("649999 650000 ") && harvest_pending(&r), "up to a tick");
	ok(control[0].tail == 1 && !control[1].tail && harvest_tail(2) == 1, "the writers know");
	r = fresh(false);
	AT(0, 9), AT(0, 10), AT(1, DUE + 1 + (uint64_t)FUTURE_NS), AT(2, DUE + (uint64_t)FUTURE_NS);
	ok(harvest(&r) == 3 && is("10 ") && totals.impossible == 2 && harvest_pending(&r), "neither before us nor from the far future");
	r = fresh(true);
	AT(0, 0);
	ok(harvest(&r) == 1 && is("0 ") && !totals.impossible, "but in a box");
	r = fresh(true);
	r.still = true;
	AT(0, 7), AT(1, UINT64_MAX);
	ok(harvest(&r) == 2 && !totals.impossible && !harvest_pending(&r), "of an image all");
	told[0] = '\0';
	r = fresh(false);
	h.rings_used = 2;
	AT(2, 20);
	ok(harvest(&r) == 0 && is("") && !harvest_pending(&r) && harvest_rings(&r) == 2, "of rings that are used");
	h.rings_used = RINGS + 1;
	ok(harvest_rings(&r) == RINGS, "and there");
}

static void ordered(void)
{
	struct region r = fresh(false);

	AT(0, 30), AT(1, 20), AT(2, 15);
	ok(harvest(&r) == 3 && is("15 20 30 "), "three rings");
	AT(0, 31), AT(0, 41), AT(1, 36), AT(1, 37);
	ok(harvest(&r) == 4 && is("31 36 37 41 "), "two");
	AT(0, 51), AT(1, 52), AT(2, 53), AT(3, 50), AT(3, 55), AT(2, 54), AT(0, 56);
	ok(harvest(&r) == 7 && is("50 51 52 53 54 55 56 "), "four");
	world.hands = true;
	for (uint64_t k = 0, ts = 60, state = 1; k < 3000; k++) {
		uint64_t all = 0;

		for (int i = 0; i < RINGS; i++) {
			uint64_t at = ts;

			state = state * 6364136223846793005ull + 1442695040888963407ull;
			for (uint64_t n = state >> 62; n--; all++)
				AT(i, at += state >> (40 + 4 * n) & 15);
		}
		ts += 50;
		if (harvest(&r) != all)
			tell("%llu? ", (u64)k);
	}
	ok(!strstr(told, "falls") && !strchr(told, '?') && !harvest_pending(&r), "any number, at any times");
}

static void handed_back(void)
{
	struct region r = fresh(false);

	world.hands = true;
	for (int k = 0; k < SLOTS; k++)
		AT(3, 60 + (uint64_t)k);
	ok(harvest(&r) == SLOTS && is("tail 512 ") && control[3].tail == SLOTS, "half of a ring at a time");
	AT(0, 5000);
	ok(harvest_pending(&r), "there is more");
}

static void overrun(void)
{
	struct region r = fresh(false);

	control[0].head = SLOTS + 1;
	ok(harvest(&r) == 0 && is("complain ") && totals.impossible == 1 && control[0].tail == SLOTS + 1, "a head that cannot be");
	control[1].head = UINT64_MAX;
	ok(harvest(&r) == 0 && is("") && totals.impossible == 2 && control[1].tail == UINT64_MAX, "is said once");
	control[0].head = 0;
	ok(harvest(&r) == 0 && is("") && totals.impossible == 3 && !control[0].tail, "nor can one that goes back by more than a ring");
}

static void behind(void)
{
	struct region r = fresh(false);

	AT(0, 10);
	AT(0, 20);
	ok(harvest(&r) == 2, "what is written is read");
	is("10 20 ");
	control[0].head = 1;
	ok(harvest(&r) == 0 && is("") && !totals.impossible && control[0].tail == 2 && !harvest_pending(&r), "a head that goes back is waited for");
	control[0].head = 2;
	AT(0, 30);
	ok(harvest(&r) == 1 && is("30 ") && control[0].tail == 3, "the next event mends it");
	control[0].head = 1;
	control[0].owner |= CTP_RING_RETIRED;
	ok(harvest(&r) == 0 && control[0].owner == CTP_RING_FREE && control[0].head == 3, "or else the ring's next owner begins where it was");
	for (uint64_t i = 0; i < SLOTS; i++)
		AT(0, 40 + i);
	harvest(&r);
	control[0].head--;
	ok(harvest(&r) == 0 && !totals.impossible && control[0].tail == SLOTS + 3, "however far it has come");
}

static void since(void)
{
	struct region r = fresh(false);

	AT(1, 20), AT(1, 30), AT(1, 30), AT(1, 40), AT(1, 50);
	ok(harvest_since(&r, 1, 0, 19) == 0 && harvest_since(&r, 1, 0, 20) == 0 && harvest_since(&r, 1, 0, 21) == 1 && harvest_since(&r, 1, 0, 30) == 1 &&
		harvest_since(&r, 1, 0, 31) == 3 && harvest_since(&r, 1, 0, 50) == 4 && harvest_since(&r, 1, 0, 51) == 5, "the first that is no older");
	ok(harvest_since(&r, 1, 3, 0) == 3 && harvest_since(&r, 1, 5, 0) == 5 && harvest_since(&r, 0, 0, 5) == 0, "from there on");
	h.forget_ids = 7;
	ok(!harvest_forgotten(&r, 7), "a recorder's region forgets nobody");
	r.box = true;
	ok(harvest_forgotten(&r, 7) && !harvest_forgotten(&r, 8), "a box does");
	OF(2, CTP_RESUME, 20, .probe_id = 7), OF(2, CTP_DESTROY, 21, .probe_id = 7), OF(2, CTP_WAKE, 22, .probe_id = 7),
		OF(2, CTP_RESUME, 23, .probe_id = 8), OF(2, CTP_DESTROY + 1, 24, .probe_id = 7);
	r.h->rings_used = 3;
	harvest_adopt(1, 5, 0);
	ok(harvest(&r) == 5 && is("lost tid 52: 1 1000020-1000020 lost tid 52: 1 1000021-1000021 22 23 24 "), "what was under way is lost");
}

/* ---- what is no coroutine ---- */

static void callback(struct region *r, uint32_t i, uint64_t word, uint64_t ticks)
{
	control[i].callback = word;
	if (!h.next_probe_id)
		h.next_probe_id = 1;
	world.ticks = ticks;
	world.cut = ticks + 40000;	/* the hold-back goes off */
	harvest(r);
}

static void called_back(void)
{
	enum { MS = 1000000 };
	const uint64_t from = 4000 * (uint64_t)256, past = 1ull << 50;
	struct region r = fresh(false);

	callback(&r, 1, CTP_CALLBACK(7, from), from + 50 * MS + 9999);
	ok(is("") && h.next_probe_id == 1, "50 ms are not over");
	callback(&r, 1, CTP_CALLBACK(7, from), from + 50 * MS + 10000);
	ok(is("1024000 1024000 ") && h.next_probe_id == 2, "now they are: it was created and resumed when it began");
	callback(&r, 1, CTP_CALLBACK(7, from), from + 70 * MS);
	ok(is(""), "once");
	callback(&r, 1, CTP_CALLBACK(7, from + 75 * MS), from + 80 * MS);
	ok(is("71014000 "), "another: it ended, behind what was printed");
	callback(&r, 1, 0, from + 200 * MS);
	ok(is(""), "and that one was short, as far as anybody saw");
	callback(&r, 1, CTP_CALLBACK(7, from + 300 * MS), from + 299 * MS);
	ok(is(""), "a clock that is behind");
	callback(&r, 2, CTP_CALLBACK(1u << 22, past + from), past + from + 60 * MS);
	ok(is("1125899907866624 1125899907866624 ") && !CTP_CALLBACK_SITE(control[2].callback), "bits that the word has not; a site that has no room in it");
	control[2].owner |= CTP_RING_RETIRED;
	control[2].head = 1;			/* not read yet */
	callback(&r, 2, 0, past + from + 90 * MS);
	ok(strstr(told, "1125899967856624 "), "its thread ends with it");
	told[0] = '\0';
	r = fresh(false);
	callback(&r, 3, CTP_CALLBACK(7, from), from + 60 * MS);
	told[0] = '\0';
	control[3].owner |= CTP_RING_RETIRED;
	harvest(&r);
	ok(is("") && control[3].owner == CTP_RING_FREE && !control[3].callback, "its process does: it is as it was, and the next owner is in none");
	r = fresh(false);
	r.still = true;
	callback(&r, 3, CTP_CALLBACK(7, from), from + 60 * MS);
	ok(is(""), "an image says nothing of now");
}

/* ---- losses ---- */

#define GONE(i, at, n, from, ...) OF(i, CTP_LOST, at, .arg = n, .addr = from, ## __VA_ARGS__)
static void losses(void)
{
	struct region r = fresh(false);

	control[1].dropped = 5;
	GONE(1, 30, 3, 20), GONE(1, 40, 2, 41), GONE(1, 50, 1, 45), GONE(1, 51, 0, 45);
	harvest(&r);
	ok(is("lost tid 51: 3 1000020-1000030 lost tid 51: 2 1000040-1000040 ") && totals.impossible == 2, "as the writer says, no more than it counted");
	control[1].dropped = 9;
	control[1].drop_first = 60;
	control[1].drop_last = 70;
	control[2].dropped = 1ull << 48;
	control[3].dropped = (1ull << 48) - 1;
	h.rings_used = 3;
	h.unconnected = 4;
	control[0].dropped = 1;
	harvest_end(&r);
	ok(is("lost tid 50: 1 1000000-1000000 lost tid 51: 4 1000060-1000070 lost  0: 2 1000000-1000000 ") && totals.unconnected == 4, "the rest at the end");
	totals.impossible = 0;
	h.rings_used = RINGS;
	harvest_end(&r);
	ok(is("lost tid 53: 281474976710655 1000000-1000000 "), "once; what cannot be is not");
	h.lost_no_ring = 3, h.lost_no_station = 4, h.lost_no_string = 5, h.lost_no_stack = 6;
	r = fresh(true);
	h.lost_no_ring = 3, h.lost_no_station = 4, h.lost_no_string = 5, h.lost_no_stack = 6;
	harvest_end(&r);
	ok(is("lost  0: 3 1000300-1000000 ") && totals.no_ring == 3 && totals.no_station == 4 && totals.no_string == 5 && !totals.no_stack, "without a ring, since the box was made");
	r.stacks = true;
	harvest_end(&r);
	ok(totals.no_stack == 6, "call stacks where they are asked for");
	told[0] = '\0';
}

/* A box's writer says how many were dropped ever. */
static void lost_in_a_box(void)
{
	struct region r = fresh(true);

	harvest_adopt(0, 0, 2);
	control[0].dropped = 9;
	GONE(0, 30, 3, 20, .seq = 6), GONE(0, 31, 1, 21, .seq = 7), GONE(0, 32, 3, 22, .seq = 8), GONE(0, 33, 1, 23, .seq = 8);
	GONE(0, 34, 1, 24, .seq = 10), GONE(0, 35, 5, 24, .seq = 4), GONE(0, 36, 0, 24, .seq = 8);
	harvest(&r);
	ok(is("lost tid 50: 3 1000020-1000030 lost tid 50: 1 1000021-1000031 lost tid 50: 1 1000022-1000032 ") && totals.impossible == 3, "each once");
	control[1].dropped = 4;
	GONE(1, 40, 4, 39, .seq = 4);
	harvest(&r);
	ok(is("lost tid 51: 4 1000039-1000040 "), "all that were");
}

static void recycled(void)
{
	struct region r = fresh(false);

	control[0].owner |= CTP_RING_RETIRED;
	control[1].owner |= CTP_RING_RETIRED;
	control[0].dropped = 5;
	control[0].drop_first = 31;
	control[0].drop_last = 32;
	GONE(0, 30, 3, 20);
	AT(1, DUE + 1);
	harvest(&r);
	ok(is("lost tid 50: 3 1000020-1000030 lost tid 50: 2 1000031-1000032 ") && control[0].owner == CTP_RING_FREE, "read to its end, with its losses");
	ok(control[1].owner == (CTP_OWNER(40, 51) | CTP_RING_RETIRED) && control[2].owner == CTP_OWNER(40, 52), "not before");
	harvest_save_memory(true);
	control[2].owner |= CTP_RING_RETIRED;
	harvest(&r);
	ok(is("hole 9 1 131136 65536 ") && control[2].owner == CTP_RING_FREE, "with its memory");
	control[3].owner |= CTP_RING_RETIRED;
	world.no_hole = true;
	harvest(&r);
	ok(is("hole 9 1 196672 65536 ") && control[3].owner == CTP_RING_FREE, "or without");
	r = fresh(true);
	harvest_save_memory(true);
	control[2].owner |= CTP_RING_RETIRED;
	harvest(&r);
	ok(is("") && control[2].owner == CTP_RING_FREE, "a box keeps it");
	r.still = true;
	control[1].owner |= CTP_RING_RETIRED;
	harvest(&r);
	ok(control[1].owner == (CTP_OWNER(40, 51) | CTP_RING_RETIRED), "an image is left as it is");
}

static void retired(void)
{
	struct region r = fresh(false);

	h.rings_used = 3;
	world.lives = 51;
	harvest_reap(&r);
	ok(is("tgkill 40 50 tgkill 40 51 tgkill 40 52 ") && control[0].owner == (CTP_OWNER(40, 50) | CTP_RING_RETIRED) && control[1].owner == CTP_OWNER(40, 51) &&
		control[2].owner == (CTP_OWNER(40, 52) | CTP_RING_RETIRED) && control[3].owner == CTP_OWNER(40, 53), "whose threads are gone");
	harvest_reap(&r);
	ok(is("tgkill 40 51 "), "once");
	world.lives = 0;
	world.error = EPERM;
	harvest_reap(&r);
	ok(is("tgkill 40 51 ") && control[1].owner == CTP_OWNER(40, 51), "another's lives");
	r = fresh(false);
	control[0].owner = CTP_OWNER(CTP_NUMBERS, 50);
	control[1].owner = CTP_OWNER(40, CTP_NUMBERS);
	control[2].owner = CTP_OWNER(0, 50);
	control[3].owner = CTP_OWNER(40, 0);
	harvest_reap(&r);
	ok(is("") && control[0].owner == CTP_OWNER(CTP_NUMBERS, 50) && control[1].owner == CTP_OWNER(40, CTP_NUMBERS), "of our numbers the kernel knows nothing");
	control[1].owner = CTP_OWNER(CTP_NUMBERS, 60);
	control[2].owner = CTP_OWNER(CTP_NUMBERS - 1, CTP_NUMBERS - 1);
	control[3].owner = CTP_OWNER(CTP_NUMBERS, 50);
	h.rings_used = 3;
	harvest_retire(&r, CTP_NUMBERS);
	ok(control[0].owner == (CTP_OWNER(CTP_NUMBERS, 50) | CTP_RING_RETIRED) && control[1].owner == (CTP_OWNER(CTP_NUMBERS, 60) | CTP_RING_RETIRED) &&
		control[3].owner == CTP_OWNER(CTP_NUMBERS, 50), "a process's");
	harvest_reap(&r);
	ok(is("tgkill 4194303 4194303 "), "the last of the kernel's");
}

/* ---- whom an event names ---- */

static void process(uint32_t number, uint64_t ts)
{
	tell("process %u %llu ", (unsigned)number, (u64)ts);
}

static void starts(const struct region *r, uint64_t ticks)
{
	tell("starts %llu%s ", (u64)ticks, r->box ? " in a box" : "");
}

static void named(void)
{
	struct region r = fresh(false);

	harvest_on_process(process);
	OF(0, CTP_THREAD, 20, .n = 40), OF(0, CTP_THREAD, 21), OF(0, CTP_THREAD, 22, .n = CTP_NUMBERS), OF(0, CTP_PARK, 23, .n = 3);
	OF(0, CTP_START, 24);
	harvest(&r);
	ok(is("process 40 1000020 20 21 process 4194304 1000022 22 23 24 "), "asked about before it is printed");
	for (int k = 0; k < 8; k++) {
		r = fresh(k & 1);
		r.still = k & 2;
		harvest_on_start(starts);
		harvest_on_process(k & 4 ? process : NULL);
		OF(0, CTP_THREAD, 20, .n = 40), OF(0, CTP_THREAD, 22), OF(0, CTP_START, 23);
		harvest(&r);
		ok(strcmp(told, k & 4 ? k & 1 ? "process 40 1000020 20 22 starts 23 in a box 23 " : "process 40 1000020 20 22 starts 23 23 " :
			k & 1 ? "20 22 starts 23 in a box 23 " : "20 22 starts 23 23 ") == 0, "box, image, nobody asks: %d", k);
		told[0] = '\0';
	}
}

int main(void)
{
	alarm(100);
	due();
	ordered();
	handed_back();
	overrun();
	behind();
	since();
	called_back();
	losses();
	lost_in_a_box();
	recycled();
	retired();
	named();
	return done_testing();
}
