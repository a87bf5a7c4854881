/* clock.c - the recorder's clock (record/extra/clock.c) in a world of its own, in which ticks and CLOCK_MONOTONIC run as the test says:
 * at whatever speed, corrected on the way, and asleep. No time passes meanwhile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tap.h"

#ifndef __x86_64__
int main(void)
{
	puts("1..0 # SKIP its ticks are another instruction here");
	return 0;
}
#else

/* late: a bit for each look at CLOCK_MONOTONIC, whether it is preempted before, for `gap` ns. */
static struct { double ns, ticks, rate, speed, gap; const char *source; unsigned late; int open; } world;

static void pass(double ns)		/* of real time; speed: of CLOCK_MONOTONIC to that */
{
	world.ns += ns * world.speed;
	world.ticks += ns * world.rate;
}

static int world_time(clockid_t clock, struct timespec *t)
{
	(void)clock;
	pass(world.late & 1 ? world.gap : 20);
	world.late >>= 1;
	t->tv_sec = (time_t)(world.ns / 1e9);
	t->tv_nsec = (long)(world.ns - (double)t->tv_sec * 1e9);
	return 0;
}

static unsigned long long world_ticks(void)
{
	pass(10);
	return (unsigned long long)world.ticks;
}

static int world_nap(const struct timespec *t, struct timespec *rest)
{
	(void)rest;
	pass((double)t->tv_nsec);
	return 0;
}

static FILE *world_source(const char *path, const char *how)
{
	(void)path;
	world.open += world.source != NULL;
	return world.source ? fmemopen((char *)world.source, strlen(world.source), how[0] == 'r' ? "r" : "w") : NULL;
}

static int world_close(FILE *f)
{
	world.open--;
	return fclose(f);
}

#define clock_gettime world_time
#define __builtin_ia32_rdtsc world_ticks
#define nanosleep world_nap
#define fopen world_source
#define fclose world_close
#include "../../record/extra/clock.c"
#undef fopen
#undef fclose

static void begin(double rate, const char *source)
{
	memset(pieces, 0, sizeof pieces);
	newest = 0;
	start = awake = (struct piece){ 0, 0, 0 };
	slept = 0;
	world.ns = 5e12;
	world.ticks = 1e14;
	world.rate = rate;
	world.speed = 1;
	world.source = source;
	clock_init();
}

/* How far from the truth what is converted now would be, in ns. */
static double off(void)
{
	double e = (double)clock_to_ns((uint64_t)world.ticks) - world.ns;

	return e < 0 ? -e : e;
}

/* So many seconds, with a tick and a cut each tenth; how far off at worst. */
static double run(int seconds, uint64_t *last, int *fell)
{
	double most = 0;

	for (int i = 0; i < 10 * seconds; i++) {
		pass(5e7);
		for (int k = 0; k < 3; k++) {
			uint64_t now = clock_to_ns((uint64_t)world.ticks + (uint64_t)k);

			*fell += now < *last;
			*last = now;
		}
		most = off() > most ? off() : most;
		pass(5e7);
		clock_cut();
		clock_tick();
	}
	return most;
}

static void other_sources(void)
{
	uint64_t a;

	begin(2.5, "hpet\n");
	ok(!clock_is_tsc() && clock_to_ns(12345) == 12345 && clock_from_ns(77) == 77, "where the kernel takes another clock, so do we");
	a = clock_ticks();
	ok(a > 5000000000000u && a < 5000005000000u && clock_cut() > a, "ticks are CLOCK_MONOTONIC's then");
	begin(2.5, NULL);
	ok(!clock_is_tsc(), "or where it does not say which it takes");
	begin(2.5, "");
	ok(!clock_is_tsc() && !world.open, "or nothing");
	begin(2.5, "tsc\n");
	ok(clock_is_tsc() && clock_ticks() > 100000000000000u, "the processor's, where it does");
}

static void frozen(void)
{
	world.speed = 0;
	world.source = "tsc\n";
	ok(!clock_init(), "a CLOCK_MONOTONIC that stands still gives no times");
	world.source = "hpet\n";
	ok(!clock_init(), "nor without ticks");
	world.speed = 1;
	ok(clock_init(), "one that runs does");
}

static void sampled(void)
{
	struct piece p;
	double apart;

	begin(2.5, "tsc\n");
	ok(clock_to_ns(pieces[0].ticks - 2500) - (pieces[0].ns - 1001) < 3, "what is older than its start");
	world.gap = 1e6;
	world.late = 033;
	p = sample();
	apart = ((double)p.ticks - 1e14) / 2.5 - ((double)p.ns - 5e12);
	ok(apart > -30 && apart < 30, "both clocks at one moment: the tightest of five tries, %.0f ns apart", apart);
	ok(!near(63, 64) && near(64, 64) && !near(65, 64), "a speed is the same within a 64th");
}

static void speeds(void)
{
	static const double rates[] = { 0.024, 0.9, 1, 2.5, 5.3 };

	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
		uint64_t last = 0;
		int fell = 0;
		double most;

		begin(rates[i], "tsc\n");
		most = run(200, &last, &fell);
		ok(most < 3000 && !fell, "%g ticks a ns: at most %.0f ns off in 200 s, fell %d times", rates[i], most, fell);
		ok(clock_from_ns(1000000000) > 0.99e9 * rates[i] && clock_from_ns(1000000000) < 1.01e9 * rates[i], "a second in such ticks");
	}
}

static void corrected(void)
{
	uint64_t last = 0;
	double most;
	int fell = 0;

	begin(2.5, "tsc\n");
	run(20, &last, &fell);
	world.speed = 1.0005;		/* as much as NTP may */
	most = run(100, &last, &fell);
	ok(most < 2e6 && !fell, "corrected by 500 ppm: follows, %.0f ns off, never falls", most);
	world.speed = 1;
	run(200, &last, &fell);
	ok(run(20, &last, &fell) < 2e6 && !fell, "and back");
}

static void late_events(void)
{
	enum { MARKS = 25 };
	uint64_t ticks[MARKS], ns[MARKS], last = 0;
	int fell = 0, changed = 0;

	begin(2.5, "tsc\n");
	run(5, &last, &fell);
	world.speed = 1.0003;
	for (int i = 0; i < MARKS; i++) {
		run(1, &last, &fell);
		ticks[i] = (uint64_t)world.ticks;
		ns[i] = clock_to_ns(ticks[i]);
	}
	for (int i = 0; i < MARKS; i++)
		changed += clock_to_ns(ticks[i]) > ns[i] + 1 || clock_to_ns(ticks[i]) + 1 < ns[i];
	ok(!changed, "what comes 25 s late is converted as it would have been then: %d were not", changed);
	run(200, &last, &fell);
	ok(clock_to_ns(ticks[0]) < ns[0] + 1000000000 && clock_to_ns(ticks[0]) < clock_to_ns(ticks[MARKS - 1]), "older than all pieces: in order");
	ok(clock_to_ns(ticks[0]) == apply(&pieces[(newest + 1) % PIECES], ticks[0]), "by the oldest that there is");
}

static void asleep(void)
{
	static const double naps[] = { 0.05e9, 0.5e9, 7e9, 3600e9, 100000e9 };

	for (size_t i = 0; i < sizeof naps / sizeof *naps; i++) {
		uint64_t last = 0, before, then, told;
		int fell = 0;
		double most;

		begin(2.5, "tsc\n");
		run(30, &last, &fell);
		before = (uint64_t)world.ticks;
		then = clock_to_ns(before);
		world.ticks += naps[i] * world.rate;	/* CLOCK_MONOTONIC stands */
		pass(1e6);
		world.gap = 5e7;
		world.late = 1;
		clock_cut();
		told = clock_slept();
		if (naps[i] < SLEPT) {
			ok(!told, "too short to be told from an error");
			continue;
		}
		ok((double)told > naps[i] - 2e6 && (double)told < naps[i] + 2e6 && !clock_slept(), "slept %g s: reported, once", naps[i] / 1e9);
		ok(clock_to_ns(before) == then && clock_to_ns(before + 1000) >= then, "what was before it stays where it was");
		ok(clock_to_ns(before / 2 + (uint64_t)world.ticks / 2) == clock_to_ns((uint64_t)(world.ticks - 1e8 * world.rate)), "no time passed meanwhile");
		ok(off() < 3e6, "and it goes on where it stood: %.0f ns off", off());
		most = run(100, &last, &fell);
		ok(most < 5e6 && !fell, "at its speed: at most %.0f ns off, fell %d times", most, fell);
		ok(run(5, &last, &fell) < 1e6, "and soon exact");
	}
}

/* It had slowed down before it slept, so that what was converted last is ahead of it. */
static void asleep_ahead(void)
{
	uint64_t last = 0, ticks;
	int fell = 0;

	begin(2.5, "tsc\n");
	run(30, &last, &fell);
	world.speed = 0.9995;
	pass(4e8);
	world.speed = 1;
	clock_cut();
	last = clock_to_ns(ticks = (uint64_t)world.ticks);
	world.ticks += 7e9 * world.rate;
	pass(1000);
	clock_cut();
	ok(clock_slept() && last - clock_to_ns(ticks) < 200, "slept while it was behind what had been converted");
	ok(clock_to_ns((uint64_t)world.ticks) >= last && clock_to_ns((uint64_t)world.ticks) < last + 100000, "it does not fall");
}

/* ns read late, for another had the processor: no sleep, and no time runs back. */
static void preempted(void)
{
	uint64_t last = 0;
	int fell = 0;

	begin(2.5, "tsc\n");
	run(10, &last, &fell);
	world.ns += 3e8;		/* CLOCK_MONOTONIC is ahead, not behind */
	clock_cut();
	ok(!clock_slept(), "a clock that is ahead has not slept");
	run(100, &last, &fell);
	ok(!fell && off() < 4e6, "it is caught up with, without a fall: %.0f ns off", off());
}

static struct ctp_header birth(double ago, bool tsc_too)
{
	struct ctp_header h = { .flags = tsc_too ? CTP_F_TSC : 0 };

	h.birth_ns = (uint64_t)(world.ns - ago);
	h.birth_ticks = (uint64_t)(world.ticks - ago * world.rate);
	return h;
}

static void boxes(void)
{
	struct ctp_header h;

	begin(2.5, "tsc\n");
	h = birth(3600e9, true);
	clock_use(&h, true);
	ok(off() < 2000, "a box that was born an hour ago, and lives: %.0f ns off", off());
	ok(clock_to_ns(h.birth_ticks) == h.birth_ns, "its birth is where it says");

	begin(2.5, "tsc\n");
	h = birth(3600e9, true);
	h.birth_ns += 1800000000000;	/* the machine slept half of that */
	clock_use(&h, true);
	ok(off() < 10000, "that slept in between: by our own speed, %.0f ns off", off());

	begin(2.5, "tsc\n");
	h = birth(1e6, true);
	clock_use(&h, true);
	ok(off() < 10000, "born just now: by our own speed");

	begin(1.25, "tsc\n");
	world.rate = 2.5;		/* that machine was another */
	h = birth(3600e9, true);
	h.late_ticks = (uint64_t)world.ticks;
	h.late_ns = (uint64_t)world.ns;
	clock_use(&h, false);
	ok(clock_to_ns(h.late_ticks) + 1000 > h.late_ns && clock_to_ns(h.late_ticks) < h.late_ns + 1000, "an image of another machine: by its own two times");
	ok(clock_to_ns(h.birth_ticks + 2500000000) / 1000000 == (h.birth_ns + 1000000000) / 1000000, "and at its speed");

	begin(2.5, "tsc\n");
	h.late_lock = 1;		/* was just written when the image was taken */
	clock_use(&h, false);
	ok(clock_to_ns(h.birth_ticks + 2500000) / 100000 == (h.birth_ns + 1000000) / 100000, "without them: at ours");

	begin(2.5, "tsc\n");
	h = birth(3600e9, true);
	h.late_ns = h.birth_ns + 4000000;
	h.late_ticks = h.birth_ticks + 40000000;	/* 10 a ns: too short to measure by */
	clock_use(&h, false);
	ok(clock_to_ns(h.birth_ticks + 2500000) / 1000 == (h.birth_ns + 1000000) / 1000, "soon after its birth: at ours");
	h.late_ns++;
	clock_use(&h, false);
	ok(clock_to_ns(h.birth_ticks + 10000000) / 1000 == (h.birth_ns + 1000000) / 1000, "then at its own");

	begin(2.5, "hpet\n");
	h = birth(3600e9, true);
	clock_use(&h, true);
	clock_cut();
	ok(clock_is_tsc() && !clock_slept(), "one with, of a kernel that has another clock since: nobody slept");

	begin(2.5, "tsc\n");
	h = birth(1e9, false);
	clock_use(&h, true);
	ok(!clock_is_tsc() && clock_to_ns(5) == 5, "one without ticks");
}

int main(void)
{
	other_sources();
	frozen();
	sampled();
	speeds();
	corrected();
	late_events();
	asleep();
	asleep_ahead();
	preempted();
	boxes();
	return done_testing();
}
#endif
