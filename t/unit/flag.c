/* flag.c - asking a process for a box (record/box/flag.c), in a world of its own that does its part while we nap: the process switches its
 * word, makes the box or none, is gone, or somebody stops us.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../../record/complain.h"
#include "../../record/extra/process.h"
#include "../../record/box/box.h"
#include "tap.h"
#include "told.h"

static struct {
	int fd, box;			/* the flag's; the box's, found when the naps are over */
	unsigned naps, naps_until;
	void (*then)(void);		/* at that one */
	bool gone, fails;
} world;
static struct ctp_flag *flag;
static volatile sig_atomic_t stop;

static int world_nap(const struct timespec *t)
{
	tell("%ld.%ld ", (long)t->tv_sec, (long)t->tv_nsec / 100000);
	if (world.fails)
		return -1;
	if (++world.naps > 50)
		exit(99);
	if (world.naps == world.naps_until && world.then)
		world.then();
	return 0;
}

#define find_fd(pid, name, flags) (tell("%d %s%s: ", (int)(pid), name, (flags) == O_RDWR ? "" : "?"), world.fd < 0 ? -1 : dup(world.fd))
#define find_made_box(pid, flags) ((pid) == 7 && (flags) == O_RDWR && world.naps >= world.naps_until ? world.box : -1)
#define find_complain(pid) tell("complain %d ", (int)(pid))
#define complain(...) tell(__VA_ARGS__)
#define process_exists(pid) ((pid) == 7 && !world.gone)
#define nanosleep(t, rest) ((void)(rest), world_nap(t))
#include "../../record/box/flag.c"
#undef complain

static void make(size_t size, uint32_t on)
{
	world.fd = memfd_create("flag", MFD_CLOEXEC);
	if (ftruncate(world.fd, (off_t)size))
		exit(99);
	flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, world.fd, 0);
	if (size >= sizeof *flag)
		flag->on = on;
	world.naps = world.naps_until = 0;
	world.box = -1;
	world.then = NULL;
	world.gone = world.fails = false;
	stop = false;
}

static int asked(const struct region *box)
{
	int before = dup(1), after, found;

	close(before);
	found = flag_ask(7, box, &stop);
	after = dup(1);
	close(after);
	ok(after == before, "no descriptor is left");
	return found;
}

static void refuses(void) { flag->on = CTP_FLAG_OFF; }
static void goes(void) { world.gone = true; }
static void stops(void) { stop = true; }

static struct ctp_header h;
static void marks(void) { h.leave = CTP_KEPT; }

/* Which naps there were: each twice as long, until 20 ms. */
#define NAME "7 " CTP_FLAG_NAME ": "
#define NAPS "0.2 0.4 0.8 0.16 0.32 0.64 0.128 0.256 0.256 0.256 "

static void no_flag(void)
{
	make(sizeof *flag, CTP_FLAG_OFF);
	world.fd = -1;
	ok(asked(NULL) == -1 && is(NAME "complain 7 "), "no flag");
	make(sizeof *flag - 1, 0);
	ok(asked(NULL) == -1 && is(NAME "complain 7 "), "one that is too short");
}

static void box_is_made(void)
{
	make(sizeof *flag, CTP_FLAG_OFF);
	world.box = 0;		/* any descriptor */
	ok(asked(NULL) == 0 && flag->on == CTP_FLAG_ASKED && is(NAME), "at once");
	make(4096, CTP_FLAG_OFF);
	world.box = 55;
	world.naps_until = 10;
	ok(asked(NULL) == 55 && flag->on == CTP_FLAG_ASKED && is(NAME NAPS), "later");
	make(sizeof *flag, CTP_FLAG_ON);
	world.box = 55;
	world.naps_until = 1;
	ok(asked(NULL) == 55 && flag->on == CTP_FLAG_ON && is(NAME "0.2 "), "one that is on is left so");
	make(sizeof *flag, CTP_FLAG_LENT);
	world.box = 55;
	ok(asked(NULL) == 55 && flag->on == CTP_FLAG_LENT && is(NAME), "where there was no box, one that was lent, too");
}

static void none_is_made(void)
{
	make(sizeof *flag, CTP_FLAG_OFF);
	world.naps_until = 2;
	world.then = refuses;
	ok(asked(NULL) == -1 && is(NAME "0.2 0.4 process 7 has made no box; its standard error may say why") && flag->on == CTP_FLAG_OFF, "it could not");
	make(sizeof *flag, CTP_FLAG_OFF);
	world.naps_until = 2;
	world.box = 55;
	world.then = refuses;
	ok(asked(NULL) == 55 && is(NAME "0.2 0.4 "), "what is there counts more");
	make(sizeof *flag, CTP_FLAG_OFF);
	world.naps_until = 2;
	world.box = 0;
	world.then = refuses;
	ok(asked(NULL) == 0 && is(NAME "0.2 0.4 ") && flag->on == CTP_FLAG_OFF, "by any descriptor");
	make(sizeof *flag, CTP_FLAG_OFF);
	world.naps_until = 1;
	world.then = goes;
	ok(asked(NULL) == -1 && is(NAME "0.2 ") && flag->on == CTP_FLAG_OFF, "it is gone: nobody asks any more");
	make(sizeof *flag, CTP_FLAG_OFF);
	world.gone = true;
	ok(asked(NULL) == -1 && is(NAME) && flag->on == CTP_FLAG_OFF, "it was");
	make(sizeof *flag, CTP_FLAG_OFF);
	world.naps_until = 1;
	world.then = stops;
	ok(asked(NULL) == -1 && is(NAME "0.2 ") && flag->on == CTP_FLAG_OFF, "we are stopped");
	make(sizeof *flag, CTP_FLAG_ON);
	stop = true;
	ok(asked(NULL) == -1 && is(NAME) && flag->on == CTP_FLAG_ON, "what others set stays");
}

static void is_left(void)
{
	struct region box = { .h = &h, .fd = 33 };

	h.leave = CTP_LEFT;
	make(sizeof *flag, CTP_FLAG_OFF);
	world.naps_until = 3;
	world.then = marks;
	ok(asked(&box) == 33 && is(NAME "0.2 0.4 0.8 ") && flag->on == CTP_FLAG_ASKED, "a box is there when it is recorded into again");
	h.leave = CTP_LEFT;
	make(sizeof *flag, CTP_FLAG_LENT);
	world.naps_until = 3;
	world.then = refuses;
	stop = false;
	world.box = 55;
	h.leave = CTP_STAY;
	ok(asked(&box) == 33 && is(NAME "0.2 0.2 0.2 ") && flag->on == CTP_FLAG_ASKED, "who is about to switch itself off is asked again");
	make(sizeof *flag, CTP_FLAG_LENT);
	world.fails = true;
	ok(asked(&box) == 33 && is(NAME "0.2 "), "unless we cannot wait");
	make(sizeof *flag, CTP_FLAG_LENT);
	world.naps_until = 2;
	world.then = goes;
	ok(asked(&box) == -1 && is(NAME "0.2 0.2 "), "it is gone");
	make(sizeof *flag, CTP_FLAG_LENT);
	world.naps_until = 2;
	world.then = stops;
	ok(asked(&box) == -1 && is(NAME "0.2 0.2 "), "we are stopped");
	make(sizeof *flag, CTP_FLAG_ON);
	ok(asked(&box) == 33 && is(NAME) && flag->on == CTP_FLAG_ON, "who is on is not asked");
	h.leave = CTP_LEFT;
	make(sizeof *flag, CTP_FLAG_OFF);
	world.naps_until = 1;
	world.then = refuses;
	ok(asked(&box) == -1 && is(NAME "0.2 process 7 has made no box; its standard error may say why"), "it does not go on with it");
}

int main(void)
{
	alarm(100);
	no_flag();
	box_is_made();
	none_is_made();
	is_left();
	return done_testing();
}
