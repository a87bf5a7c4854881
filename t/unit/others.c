/* others.c - the processes beside the one asked for (record/box/others.c), of a world with three of them: who is met, who is printed
 * to have ended, when, under which name.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../../record/box/others.h"
#include "../../record/complain.h"
#include "../../record/event.h"
#include "../../record/extra/clock.h"
#include "../../record/extra/process.h"
#include "../../record/harvest.h"
#include "../../record/line.h"
#include "../../record/peer.h"
#include "tap.h"
#include "told.h"

enum { US = 10, NS = 77, INODE = 5 };
static struct {
	uint64_t now;
	bool foreign, unknown;		/* a namespace; the file */
	pid_t gone, changed;		/* by our number for it: not there; it has another program */
	unsigned searches;
	uint32_t renamed;		/* that one goes by another number now */
} world;

static int world_stat(int fd, struct stat *st)
{
	st->st_ino = INODE;
	return fd == 3 && !world.unknown ? 0 : -1;
}

#define clock_to_ns(ticks) ((ticks) * 10)
#define fstat(fd, st) world_stat(fd, st)
#define process_is_foreign(ns) ((ns) == NS && world.foreign)
#define process_seen(number, pid, again) tell("seen %u%s ", number, (number) == (uint32_t)(pid) && !(again) ? "" : "?")
#define process_forget(number) tell("forget %u ", number)
#define process_exists(pid) ((pid) && (pid) != world.gone)
#define process_unmapped(pid, ino) ((ino) == INODE && (pid) == world.changed)
#define process_named(number) (world.searches++, (pid_t)(number) == world.gone % 1000 ? 0 : (pid_t)(number) + 1000)
#define process_inner(pid) ((uint32_t)(pid) - 1000 == world.renamed ? 1 : (uint32_t)(pid) - 1000)
static struct former formers[8];
static size_t formers_known;
#define peer_formers(all) (*(all) = formers, formers_known)
#define harvest_rings(r) 3u
#define harvest_on_process(call) tell((call) == named ? "asks " : "? ")
#define print_process_end(ts, pid, alive) tell("%d ended %d alive %d ", (int)(pid), (int)(ts), (int)(alive))
#include "../../record/box/others.c"

static struct region r;

static void fresh(bool is_foreign, bool still)
{
	count = 0;
	memset(is_met, 0, sizeof is_met);
	memset(&world, 0, sizeof world);
	world.now = 1000;
	world.foreign = is_foreign;
	r = (struct region){ .birth = { .birth_ticks = 20, .pid_ns = NS }, .still = still };
	others_init(&r, US, 3);
	told[0] = '\0';
}

static void met(void)
{
	others_meet(11);
	others_look(world.now);
	ok(is(""), "nothing where nobody asked");
	others_init(&r, US, 3);
	ok(is("asks "), "the events tell");
	fresh(false, false);
	others_meet(11), others_meet(US), others_meet(12), others_meet(11), others_meet(CTP_NUMBERS);
	ok(is("seen 11 seen 10 seen 12 seen 11 ") && count == 2, "each once, and not the one that was asked for, nor whom nobody knows");
	fresh(false, true);
	others_meet(11);
	ok(is("") && count == 1, "of an image, nothing is printed");
	fresh(true, false);
	others_meet(11);
	ok(is("") && count == 1, "nor is a stranger of that number");
	fresh(false, false);
	for (uint32_t i = 1; i <= 200; i++)
		others_meet(100 + i);
	told[0] = '\0';
	ok(count == 200 && others[199].number == 300, "many");
}

static void ended(void)
{
	fresh(false, true);
	others_meet(11), others_meet(12), others_meet(13);
	world.gone = 12;
	others_look(world.now);
	ok(is(""), "not before what it wrote is printed");
	world.now = 2000;
	world.gone = 0;			/* its number is another's */
	others_look(world.now);
	ok(is("12 ended 1000 alive 200 forget 12 ") && count == 2, "it has ended; it was never seen to live");
	world.gone = 11;
	world.now = 3000;
	others_look(world.now);
	world.changed = 13;
	world.now = 4000;
	others_look(world.now);
	ok(is("11 ended 3000 alive 2000 forget 11 "), "it lived until the look before");
	others_look(world.now);
	ok(is("13 ended 4000 alive 3000 forget 13 ") && !count, "or has become another program");
	others_look(world.now);
	ok(is(""), "once");
	others_meet(11);
	world.gone = 11;
	others_look(world.now), others_look(world.now);
	ok(is("11 ended 4000 alive 200 forget 11 "), "the next of that number");
	fresh(false, true);
	world.unknown = true;
	others_init(&r, US, 3);
	told[0] = '\0';
	others_meet(13);
	world.changed = 13;
	others_look(world.now), others_look(world.now);
	ok(is(""), "what it should have is not known");
}

static void of_file(void)
{
	static struct ctp_ring rings[4];

	fresh(true, true);
	r.rings = rings;
	rings[0].owner = CTP_OWNER(11, 11) | CTP_RING_RETIRED;
	rings[1].owner = CTP_OWNER(12, 14);
	rings[2].owner = CTP_OWNER(12, 12) | CTP_RING_RETIRED;
	rings[3].owner = CTP_OWNER(13, 13);		/* not used */
	others_init(&r, US, -1);
	others_meet(11), others_meet(12), others_meet(13), others_meet(US);
	told[0] = '\0';
	world.gone = 12;
	others_look(500), others_look(500);
	ok(is("13 ended 500 alive 200 forget 13 11 ended 500 alive 200 forget 11 ") && count == 1, "of a file: whose threads have all ended, whoever lives now");
}

/* What processes were before an exec is behind all that they wrote then. */
static void became(void)
{
	formers[0] = (struct former){ 10, 100, 50 };
	formers[1] = (struct former){ 11, 200, 150 };
	formers[2] = (struct former){ 10, 300, 250 };
	formers_known = 3;
	fresh(true, true);
	others_formers(100);
	ok(is(""), "not before it was over");
	others_formers(101);
	ok(is("10 ended 100 alive 50 "), "before what is told");
	named(10, 250);
	ok(is("11 ended 200 alive 150 "), "before a thread's line");
	named(10, 260);
	ok(is(""), "once");
	others_look(world.now);
	ok(is("10 ended 300 alive 250 "), "at the latest at the end");
	others_look(world.now);
	fresh(true, true);
	named(10, 1000);
	ok(is("10 ended 100 alive 50 11 ended 200 alive 150 10 ended 300 alive 250 "), "in their order");
	formers_known = 0;
	fresh(true, true);
}

static void elsewhere(void)
{
	fresh(true, false);
	others_meet(11), others_meet(12);
	others_look(world.now), others_look(world.now);
	ok(is("") && world.searches == 2, "searched for once");
	world.gone = 1012;
	others_look(world.now), others_look(world.now);
	ok(is("12 ended 1000 alive 1000 forget 12 ") && world.searches == 2, "ended, by our number for it");
	world.renamed = 11;
	others_look(world.now), others_look(world.now);
	ok(is("") && world.searches == 4, "that went to another: searched for again");
	world.gone = 1011;
	others_look(world.now), others_look(world.now);
	ok(is("11 ended 1000 alive 1000 forget 11 "), "and not found");
}

int main(void)
{
	alarm(100);
	met();
	ended();
	of_file();
	elsewhere();
	became();
	return done_testing();
}
