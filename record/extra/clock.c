/* clock.c - ticks to CLOCK_MONOTONIC nanoseconds, by a piecewise linear function that is continuous
 * and never falls: a new piece begins twice a second where the old one ends and aims at where the
 * clock will be a second later. Events that come late are converted by the piece that their own
 * time lies in, so that order by ticks is order by ns. While the machine sleeps CLOCK_MONOTONIC
 * stands and the ticks run on: a piece without slope takes the sleep out. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "clock.h"

enum { PIECES = 64 };		/* half a minute of them: nothing comes that late */
/* ns that the clocks differ by at once, if it is to be a sleep of the machine */
enum { SLEPT = 100000000 };

static struct piece {
	uint64_t ticks, ns, mult;	/* mult: ns a tick, 32.32 fixed point */
} pieces[PIECES];
static unsigned newest;
static bool tsc;
static struct piece start;
static struct piece awake;	/* both clocks when they last agreed; mult unused */
static uint64_t slept;

uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The fences keep the reading where it stands: the cut's argument needs it before the heads are
 * read. */
uint64_t clock_ticks(void)
{
#if defined __x86_64__
	if (tsc) {
		uint64_t t;

		__builtin_ia32_lfence();
		t = __builtin_ia32_rdtsc();
		__builtin_ia32_lfence();
		return t;
	}
#elif defined __aarch64__
	if (tsc) {
		uint64_t t;

		__asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(t) : : "memory");
		return t;
	}
#endif
	return clock_ns();
}

bool clock_is_tsc(void)
{
	return tsc;
}

/* Both clocks at one moment: the tightest of a few tries, so that being preempted in between does
 * not show. */
static struct piece sample(void)
{
	struct piece best = { 0, 0, 0 };
	uint64_t least = UINT64_MAX;
	int i;

	for (i = 0; i < 5; i++) {
		uint64_t before = clock_ticks(), ns = clock_ns(), after = clock_ticks();

		if (after - before < least) {
			least = after - before;
			best.ticks = before + (after - before) / 2;
			best.ns = ns;
		}
	}
	return best;
}

static uint64_t slope(uint64_t ns, uint64_t ticks)
{
	return ticks ? (uint64_t)(((unsigned __int128)ns << 32) / ticks) : 1ull << 32;
}

static uint64_t apply(const struct piece *p, uint64_t ticks)
{
	if (ticks >= p->ticks)
		return p->ns + (uint64_t)((unsigned __int128)(ticks - p->ticks) * p->mult >> 32);
	return p->ns - (uint64_t)((unsigned __int128)(p->ticks - ticks) * p->mult >> 32);
}

uint64_t clock_to_ns(uint64_t ticks)
{
	unsigned i;

	if (!tsc)
		return ticks;
	for (i = newest; i > 0 && newest - i < PIECES - 1 && ticks < pieces[i % PIECES].ticks; i--)
		;
	return apply(&pieces[i % PIECES], ticks);
}

uint64_t clock_from_ns(uint64_t span)
{
	return tsc ? (uint64_t)(((unsigned __int128)span << 32) / pieces[newest % PIECES].mult) :
		     span;
}

/* The kernel uses the TSC as its clocksource only where it found it invariant and the same on every
 * core. */
static bool tsc_usable(void)
{
#if defined __x86_64__
	static const char ticks[] = "tsc\n";
#elif defined __aarch64__
	static const char ticks[] = "arch_sys_counter\n";
#else
	static const char ticks[] = "none";
#endif
	char name[32];
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
	bool usable = f && fgets(name, sizeof name, f) && strcmp(name, ticks) == 0;

	if (f)
		fclose(f);
	return usable;
}

bool clock_init(void)
{
	struct timespec nap = { 0, 4000000 };
	struct piece first, now;

	tsc = tsc_usable();
	first = sample();
	nanosleep(&nap, NULL);
	now = sample();
	if (now.ns <= first.ns)
		return false;
	if (!tsc)
		return true;
	first.mult = slope(now.ns - first.ns, now.ticks - first.ticks);
	pieces[0] = start = first;
	awake = now;
	return true;
}

void clock_tick(void)
{
	struct piece now, *last = &pieces[newest % PIECES], next;
	uint64_t rate, ahead_ns;

	if (!tsc || (now = sample()).ns < last->ns + 500000000u)
		return;
	/* over all since it last slept: ever more exact */
	start.mult = rate = slope(now.ns - start.ns, now.ticks - start.ticks);
	next.ticks = now.ticks;
	next.ns = apply(last, now.ticks);
	/* Be right a second from now; at least half the true speed, so that it never falls. */
	ahead_ns = now.ns + 1000000000u > next.ns + 500000000u ? now.ns + 1000000000u - next.ns :
								 500000000u;
	next.mult = slope(ahead_ns, (uint64_t)(((unsigned __int128)1000000000u << 32) / rate));
	pieces[++newest % PIECES] = next;
}

/* How long did it sleep since they last agreed: by how much CLOCK_MONOTONIC is behind the ticks, if
 * by more than a wrong idea of their speed could explain. */
static uint64_t asleep_for(const struct piece *now)
{
	uint64_t by_ticks =
		(uint64_t)((unsigned __int128)(now->ticks - awake.ticks) * start.mult >> 32);
	uint64_t passed = now->ns - awake.ns;

	return by_ticks > passed + SLEPT + by_ticks / 256 ? by_ticks - passed : 0;
}

/* The old line until it has come to the time at which the sleep was found, no line until the ticks
 * of that, a new one. What was written within this time, a nap of ours at most, cannot be
 * distinguished from what was written before the sleep. */
static void take_out(const struct piece *now)
{
	struct piece flat = { 0, now->ns, 0 }, again = *now;
	uint64_t from = apply(&pieces[newest % PIECES], awake.ticks);

	if (flat.ns < from)
		flat.ns = from;
	flat.ticks = awake.ticks +
		(uint64_t)(((unsigned __int128)(flat.ns - from) << 32) /
			pieces[newest % PIECES].mult);
	again.ns = flat.ns;
	again.mult = start.mult;
	slept += asleep_for(now);
	pieces[++newest % PIECES] = flat;
	pieces[++newest % PIECES] = again;
	start = again;
}

uint64_t clock_cut(void)
{
	struct piece now = { clock_ticks(), 0, 0 };

	if (!tsc)
		return now.ticks;
	/* after the ticks: taken the processor away in between, ns is ahead and not behind */
	now.ns = clock_ns();
	if (asleep_for(&now)) {
		now = sample();
		if (asleep_for(&now))
			take_out(&now);
	}
	awake = now;
	return now.ticks;
}

uint64_t clock_slept(void)
{
	uint64_t ns = slept;

	slept = 0;
	return ns;
}

/* Is that the speed of this machine's ticks? Not where it slept in between, which only one of the
 * clocks counted. */
static bool near(uint64_t mult, uint64_t ours)
{
	return mult > ours - ours / 64 && mult < ours + ours / 64;
}

void clock_use(const struct ctp_header *h, bool now)
{
	struct piece birth = { h->birth_ticks, h->birth_ns, start.mult ? start.mult : 1ull << 32 },
		     last = { 0, 0, 0 };

	tsc = h->flags & CTP_F_TSC;
	if (!tsc)
		return;
	awake = sample();
	if (now) {
		last = sample();
	} else if (ctp_load(&h->late_lock) % 2 == 0) {
		last.ticks = h->late_ticks;
		last.ns = h->late_ns;
	}
	/* from the birth until then: a thousandfold longer than what was measured at our start,
	 * else no better */
	if (last.ticks > birth.ticks && last.ns > birth.ns && last.ns - birth.ns > 4000000) {
		uint64_t mult = slope(last.ns - birth.ns, last.ticks - birth.ticks);

		if (now && start.mult && !near(mult, start.mult))
			return;
		birth.mult = mult;
	} else if (now) {
		return;
	}
	pieces[0] = start = birth;
}
