/* watching.c - the recorder that writes nothing until something happens (record/box/watch.c), in a world of its own in which time passes as it
 * waits: what it does each look and each second, whom it asks, where it writes, what it ends with. How a hang is seen is in boxes.c.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../record/complain.h"
#include "../../record/event.h"
#include "../../record/extra/clock.h"
#include "../../record/extra/process.h"
#include "../../record/extra/stack.h"
#include "../../record/harvest.h"
#include "../../record/options.h"
#include "../../record/peer.h"
#include "../../record/print.h"
#include "../../record/region.h"
#include "../../record/site.h"
#include "../../record/stations.h"
#include "../../record/target.h"
#include "../../record/box/box.h"
#include "../../record/box/modes.h"
#include "../../record/box/watch.h"
#include "tap.h"
#include "told.h"

enum { MS = 1000000 };
static struct {
	uint64_t now, look, until;		/* how long a look takes; when the target ends */
	int status;
	uint64_t asked_at;
	uint32_t rings;			/* none: how a hang is seen is tried elsewhere */
	bool attached, no_region, no_start, no_kill, no_access;
	char arguments[100];
	size_t argument_bytes;
	struct ctp_header h;
} world;
static void is_asked(void);

static bool world_ended(int *status)
{
	if (world.now < world.until)
		return false;
	*status = world.status;
	return true;
}

static void world_wait(uint64_t ns)
{
	if (ns != 100 * MS)
		tell("wait %llu ", (unsigned long long)ns);
	world.now += world.look;
	if (world.asked_at && world.now >= world.asked_at) {
		world.asked_at = 0;
		is_asked();
	}
}

static bool world_region(struct region *r)
{
	r->h = &world.h;
	return !world.no_region;
}

static size_t world_arguments(char *text)
{
	memcpy(text, world.arguments, world.argument_bytes);
	return world.argument_bytes;
}

#define access(path, how) (world.no_access && (how) == (W_OK | X_OK) ? errno = EACCES, -1 : (access)(path, how))
#define complain(...) (tell(__VA_ARGS__), tell("|"))
#define clock_ns() (world.now)
#define clock_tick() tell("tick %llu ", (unsigned long long)(world.now / MS))
#define harvest_reap(r) tell("reap ")
#define peer_wait(ns) world_wait(ns)
#define peer_accept() ((void)0)
#define peer_reap(now) ((now) == world.now ? (void)0 : tell("late "))
#define target_ended(status) world_ended(status)
#define report_write(r, o, why, pid, status) tell("%s at %llu of %d %d ", why, (unsigned long long)(world.now / MS), (int)(pid), status)
#define report_wait(all) ((all) ? tell("done ") : tell("l%llu ", (unsigned long long)(world.now / MS)))
#define region_create(r, o) (tell("region "), world_region(r))
#define region_remove(r) tell("remove ")
#define print_open(fd, pack, buffer) (tell("open%s ", (fd) >= 0 && !(pack) && !(buffer) ? "" : "?"), close(fd))
#define site_init(r) tell("sites ")
#define stack_init(r) tell("stacks ")
#define harvest_init(r) tell("harvest ")
#define peer_init(r) tell("peers ")
#define peer_attached() (world.attached)
#define target_start(r, o, in_child) ((in_child) == peer_forked && world.no_start ? tell("no start "), -1 : (tell("start "), 7))
#define process_arguments(pid, text, size) ((pid) == 7 && (size) == 4096 ? world_arguments(text) : 0)
#define kill(pid, sig) (tell("kill %d %d ", (int)(pid), (sig) - SIGRTMIN), errno = ESRCH, world.no_kill ? -1 : 0)
int target_error;
char *print_at, digits_4[10000][4];	/* of functions in headers that are not called */
static uint64_t ignored;
#define harvest_slot(r, i, p) ((const struct ctp_event *)NULL + (ignored += (p)))
#define harvest_rings(r) (world.rings)
#define station_written(r, i) (i)
#define station_copy(s, e) false
#define clock_ticks() 0
#define clock_to_ns(ticks) (ticks)
#include "../../record/box/watch.c"
#undef complain
#undef kill

static void is_asked(void)
{
	asked = 1;
}

static void fresh(uint64_t look, uint64_t until)
{
	memset(&world, 0, sizeof world);
	world.now = 10000ull * MS;
	world.look = look * MS;
	world.until = until * MS;
	world.attached = true;
	told[0] = '\0';
	target_error = 0;
	asked = 0;
}

static void follows(void)
{
	struct options o = { .on = ON_CRASH | ON_EXIT, .hang_ns = SECOND };
	struct region r = { .h = &world.h };

	fresh(100, 12150);
	ok(follow(&r, &o, 7) == 0 && is("tick 10100 reap l10100 l11100 tick 11200 reap l12100 done "), "a look and the clock each second");
	fresh(250, 12000);
	o.hang_ns = SECOND - 1;
	ok(follow(&r, &o, 7) == 0 && is("tick 10250 reap l10250 l10500 l10750 l11000 l11250 tick 11500 reap l11500 l11750 l12000 done "),
		"each 100 ms where a hang is shorter");
	fresh(40, 10300);
	ok(follow(&r, &o, 7) == 0 && is("tick 10040 reap l10040 l10160 l10280 done "), "no oftener");
	fresh(100, 12150);
	o.hang_ns = 5 * SECOND;
	world.asked_at = 10500 * (uint64_t)MS;
	world.status = 3 << 8;
	ok(follow(&r, &o, 7) == 3 << 8 && is("tick 10100 reap l10100 asked at 10500 of 7 -1 l10500 tick 11200 reap l11500 exit at 12200 of 7 768 done "),
		"at once when it is asked; and how it ended");
	fresh(100, 9000);
	world.status = SIGSEGV;
	ok(follow(&r, &o, 7) == SIGSEGV && is("crash at 10000 of 7 11 done "), "one that has ended");
}

static void directories(void)
{
	struct stat st;

	rmdir("watching.d");
	ok(directory("watching.d") && !stat("watching.d", &st) && S_ISDIR(st.st_mode) && is(""), "made");
	ok(directory("watching.d") && is(""), "there");
	world.no_access = true;
	ok(!directory("watching.d") && is("watching.d: Permission denied|"), "another's");
	world.no_access = false;
	rmdir("watching.d");
	close(open("watching.d", O_CREAT | O_WRONLY, 0777));
	ok(!directory("watching.d") && is("watching.d: Not a directory|"), "a file");
	unlink("watching.d");
	ok(!directory("/dev/null") && is("/dev/null: Not a directory|"), "none");
	ok(!directory("/nonexistent/d") && is("/nonexistent/d: No such file or directory|"), "nowhere");
	ok(!directory("/proc/self/fd/x") && told[0], "not to be made there");
	told[0] = '\0';
}

#define BEGUN "region open sites stacks harvest peers "
static int watches(bool quiet)
{
	struct options o = { .directory = "/tmp", .hang_ns = SECOND, .quiet = quiet };

	return watch(&o);
}

static void whole(void)
{
	struct options nowhere = { .directory = "/dev/null" };
	struct sigaction sa;

	fresh(100, 0);
	world.status = 3 << 8;
	ok(watches(false) == 3 && is(BEGUN "start done remove "), "its status is the program's");
	sigaction(SIGRTMIN + 1, NULL, &sa);
	ok(sa.sa_handler == on_ask && (sa.sa_flags & ~0x04000000) == SA_RESTART && sigisemptyset(&sa.sa_mask), "it can be asked");
	asked = 0;
	on_ask(0);
	ok(asked == 1, "is asked");
	fresh(100, 0);
	world.status = SIGKILL;
	ok(watches(false) == 128 + SIGKILL && is(BEGUN "start done remove "), "or its signal");
	fresh(100, 0);
	world.attached = false;
	ok(watches(false) == 0 && is(BEGUN "start done remove the program has not attached: is it built with a probe, and does it call ct_init()?|"), "no probe");
	ok(watches(true) == 0 && is(BEGUN "start done remove "), "quietly");
	world.attached = true;
	world.h.allocated_count = 1;
	ok(watches(false) == 0 && is(BEGUN "start done remove its probe is of version 1, or too old: of its coroutines nothing was kept|"), "an old one");
	ok(watches(true) == 0 && is(BEGUN "start done remove "), "quietly");
	fresh(100, 0);
	world.no_start = true;
	ok(watches(false) == 125 && is(BEGUN "no start remove "), "not started");
	target_error = 127;
	ok(watches(false) == 127 && is(BEGUN "no start remove "), "for a reason");
	world.no_region = true;
	ok(watches(false) == 125 && is("region "), "no memory");
	ok(watch(&nowhere) == 125 && is("/dev/null: Not a directory|"), "nowhere to write");
}

#define ARGUMENTS(text) (memcpy(world.arguments, text, sizeof text), world.argument_bytes = sizeof text)
static void asks(void)
{
	fresh(0, 0);
	ARGUMENTS("ct-record\0--last=5s\0x");
	ok(watch_ask(7) == 0 && is("kill 7 1 "), "asked");
	world.no_kill = true;
	ok(watch_ask(7) == 125 && is("kill 7 1 process 7: No such process|"), "it is gone");
	world.no_kill = false;
	ARGUMENTS("--last");
	ok(watch_ask(7) == 0 && is("kill 7 1 "), "in any place");
	ARGUMENTS("ct-record\0x--last");
	ok(watch_ask(7) == 125 && is("process 7 is no ct-record --last|"), "another option");
	ARGUMENTS("ct-record\0--las");
	ok(watch_ask(7) == 125 && is("process 7 is no ct-record --last|"), "or none");
	world.argument_bytes = 0;
	ok(watch_ask(7) == 125 && is("process 7 is no ct-record --last|"), "no process");
}

int main(void)
{
	alarm(100);
	follows();
	directories();
	whole();
	asks();
	return done_testing();
}
