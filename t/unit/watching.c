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
	uint64_t now, look, until, stopped;	/* how long a look takes; when the target ends; 0, or when it is stopped */
	int status;
	uint64_t asked_at;
	uint32_t rings;			/* none: how a hang is seen is tried elsewhere */
	unsigned accepted, reaped;
	bool attached, no_region, no_start, no_kill, deadly, no_access;
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

static size_t world_arguments(char text[4096])
{
	memcpy(text, world.arguments, sizeof world.arguments);
	return world.argument_bytes;
}

#define access(path, how) (world.no_access && (how) == (W_OK | X_OK) ? errno = EACCES, -1 : (access)(path, how))
#define complain(...) (tell(__VA_ARGS__), tell("|"))
#define clock_ns() (world.now)
#define clock_tick() tell("tick %llu ", (unsigned long long)(world.now / MS))
#define harvest_reap(r) tell("reap ")
#define peer_wait(ns) world_wait(ns)
#define peer_accept() ((void)world.accepted++)
#define peer_reap(now) ((void)(world.reaped += (now) == world.now))
#define target_ended(status) world_ended(status)
#define report_write(r, o, why, pid, status, alive) \
	tell((status) < 0 ? "%s at %llu of %d %d " : "%s at %llu of %d %d alive %llu ", why, (unsigned long long)(world.now / MS), (int)(pid), status, \
		(unsigned long long)((alive) / MS))
#define process_lives(pid) ((pid) == 7 && (!world.stopped || world.now < world.stopped))
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
#define process_catches(pid, sig) ((pid) == 7 && (sig) == SIGRTMIN + 1 && !world.deadly)
#define kill(pid, sig) (tell("kill %d %d ", (int)(pid), (sig) - SIGRTMIN), errno = ESRCH, world.no_kill ? -1 : 0)
int target_error;
bool (*target_spares)(pid_t), report_is_by(pid_t);
bool report_is_by(pid_t pid)
{
	return pid == 8;
}

char *print_at, digits_4[10000][4];	/* of functions in headers that are not called */
/* Rings of 8 slots; who reads further than that dies. */
enum { RINGS = 3, MANY_SLOTS = 8192 };
static struct {
	struct ctp_ring ring[RINGS];
	struct ctp_event slot[RINGS][8], station[200];
	uint64_t lowest, ticks;
	uint32_t hole_to, looks;		/* stations up to there were never written; how many were looked at */
} memory;
static const struct ctp_event *world_slot(uint32_t i, uint64_t at)
{
	if (at < memory.lowest)
		memory.lowest = at;
	return &memory.slot[i][at % 8];
}

static bool world_station(const struct ctp_event *from, struct ctp_event *to)
{
	memory.looks++;
	*to = *from;
	return from->probe_id;
}
#define harvest_slot(r, i, p) world_slot(i, p)
#define harvest_rings(r) (world.rings)
#define station_written(r, i) ((i) < memory.hole_to ? memory.hole_to : (i))
#define station_copy(s, e) world_station(s, e)
#define clock_ticks() (memory.ticks)
#define clock_to_ns(ticks) ((ticks) + 1000)
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
	ok(world.accepted == 22 && world.reaped == 22, "who comes and who is gone, each time");
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
	ok(follow(&r, &o, 7) == 3 << 8 && is("tick 10100 reap l10100 asked at 10500 of 7 -1 l10500 tick 11200 reap l11500 exit at 12200 of 7 768 alive 12200 done "),
		"at once when it is asked; and how it ended");
	fresh(100, 9000);
	world.status = SIGSEGV;
	ok(follow(&r, &o, 7) == SIGSEGV && is("crash at 10000 of 7 11 alive 10000 done "), "one that has ended");
	fresh(100, 11000);
	world.stopped = 10650 * (uint64_t)MS;
	world.status = SIGSEGV;
	ok(follow(&r, &o, 7) == SIGSEGV && is("tick 10100 reap l10100 crash at 11000 of 7 11 alive 10600 done "), "one that was stopped before");
	ok(goes_since == 10000ull * MS, "and did not go on");
	fresh(1001, 12000);
	ok(follow(&r, &o, 7) == 0 && goes_since == 12002ull * MS, "one that nobody looked at for a while");
	told[0] = '\0';
}

/* ---- a hang ---- */

static struct region with(uint32_t slots)
{
	struct region r = { .h = &world.h, .rings = memory.ring, .ring_slots = slots, .stations = memory.station, .station_count = 130 };

	memset(&memory, 0, sizeof memory);
	memory.lowest = UINT64_MAX;
	world.rings = RINGS - 1;
	for (int i = 0; i < RINGS; i++)
		for (int k = 0; k < 8; k++)
			memory.slot[i][k].kind = k % 2 ? CTP_PARK : CTP_UNPARK;
	return r;
}

static void newest(void)
{
	static const struct { uint64_t head; uint32_t slots; uint64_t lowest; } all[] = { { 1, 8, 0 }, { 7, 8, 0 }, { 8, 8, 1 }, { 9, 8, 2 }, { 20, 8, 13 },
		{ 4096, MANY_SLOTS, 0 }, { 4097, MANY_SLOTS, 1 }, { MANY_SLOTS, MANY_SLOTS, 4096 }, { 10000, MANY_SLOTS, 5904 }, { 5000, 4096, 905 }, { 4095, 4096, 0 } };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct region r = with(all[i].slots);

		memory.ring[1].head = all[i].head;
		ok(!last_own(&r, 1) && memory.lowest == all[i].lowest, "of %llu in %u", (unsigned long long)all[i].head, all[i].slots);
	}
	struct region r = with(8);

	memory.ring[1].head = 13;
	memory.slot[1][10 % 8] = (struct ctp_event){ .kind = CTP_RESUME, .timestamp = 77 };
	memory.slot[1][9 % 8] = (struct ctp_event){ .kind = CTP_SUSPEND, .timestamp = 66 };
	ok(last_own(&r, 1) == 77 && memory.lowest == 10, "the newest that is a coroutine's");
}

static void waits(void)
{
	struct region r = with(8);
	struct ctp_event suspended = { .kind = CTP_SUSPEND, .probe_id = 1 };

	ok(!any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }), "nobody");
	world.h.stations_used = 1;
	memory.station[0] = suspended;
	ok(any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }), "the first");
	memory.station[0].kind = CTP_RESUME;
	memory.station[1] = suspended;
	memory.looks = 0;
	ok(!any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }) && memory.looks == 1, "none that is used");
	world.h.stations_used = 2;
	memory.station[1].probe_id = 0;
	ok(!any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }), "none that is there");
	memory.station[1] = (struct ctp_event){ 0 };
	memory.station[129] = memory.station[130] = suspended;
	world.h.stations_used = 129;
	memory.looks = 0;
	ok(!any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }) && memory.looks == 129, "of those that are used");
	world.h.stations_used = 140;
	ok(any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }), "the last");
	memory.station[129].kind = CTP_RESUME;
	memory.looks = 0;
	ok(!any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }) && memory.looks == 130, "no more than there are");
	memory.hole_to = 128;
	memory.looks = 0;
	ok(!any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }) && memory.looks == 2, "holes are not looked into");
	memory.hole_to = 130;
	memory.looks = 0;
	ok(!any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }) && !memory.looks, "up to the end");
}

static void hangs(void)
{
	struct options o = { .on = ON_HANG, .hang_ns = 500 }, none = { .hang_ns = 1 };
	struct region r = with(8);

	fresh(0, 0);
	r = with(8);
	world.now = 0;
	memory.ticks = 6000;
	memory.ring[0].head = memory.ring[1].head = memory.ring[2].head = 1;
	memory.slot[0][0] = (struct ctp_event){ .kind = CTP_SUSPEND, .timestamp = 5000 };
	memory.slot[1][0] = (struct ctp_event){ .kind = CTP_SUSPEND, .timestamp = 4000 };
	memory.slot[2][0] = (struct ctp_event){ .kind = CTP_SUSPEND, .timestamp = 5900 };
	seen_alive = 6300;
	ok(!idle_ns(&r), "nobody waits");
	world.h.stations_used = 1;
	world.rings = 0;
	memory.station[0] = (struct ctp_event){ .kind = CTP_SUSPEND, .probe_id = 1 };
	ok(!idle_ns(&r), "nothing has happened");
	world.rings = RINGS - 1;
	memory.station[0] = (struct ctp_event){ .kind = CTP_SUSPEND, .probe_id = 1 };
	ok(idle_ns(&r) == 300, "since the newest of rings that are used");
	memory.station[0].timestamp = 5100;
	ok(idle_ns(&r) == 200, "or of a station, where its ring shows other things");
	memory.station[0].timestamp = 6001;
	ok(idle_ns(&r) == 300, "not of later");
	memory.station[0].timestamp = 0;
	memory.slot[1][0].timestamp = 6000;
	seen_alive = 7600;
	ok(idle_ns(&r) == 600, "of now");
	memory.slot[1][0].timestamp = 6001;
	ok(idle_ns(&r) == 1600, "not of later");
	seen_alive = 5999;
	ok(!idle_ns(&r), "nor before its own time");
	seen_alive = 6499;
	look(&r, &o, 7);
	ok(is("l0 "), "not yet");
	goes_since = 6001;
	seen_alive = 6500;
	look(&r, &o, 7);
	ok(is("l0 "), "nor where it has gone on for less");
	goes_since = 6000;
	seen_alive = 6500;
	look(&r, &o, 7);
	ok(is("hang at 0 of 7 -1 l0 "), "hangs");
	look(&r, &o, 7);
	ok(is("l0 "), "once");
	seen_alive = 6400;
	look(&r, &o, 7);
	seen_alive = 6500;
	look(&r, &o, 7);
	ok(is("l0 hang at 0 of 7 -1 l0 "), "until something moved");
	seen_alive = 6400;
	look(&r, &o, 7);
	look(&r, &none, 7);
	ok(is("l0 l0 "), "where nobody asked for that");
}

static void ends(void)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS }, others[] = { SIGKILL, SIGTERM, SIGINT, SIGHUP };
	struct options all = { .on = ON_CRASH | ON_EXIT | ON_SIGNAL }, none = { .on = ON_HANG };

	for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
		ok(!strcmp(end_is(&all, crashes[i]), "crash") && !end_is(&none, crashes[i]), "signal %d is a crash", crashes[i]);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		ok(!strcmp(end_is(&all, others[i]), "signal") && !end_is(&none, others[i]), "signal %d is none", others[i]);
	ok(!strcmp(end_is(&all, 1 << 8), "exit") && !end_is(&none, 1 << 8) && !end_is(&all, 0), "an end with a status");
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
	world.deadly = true;
	ok(watch_ask(7) == 125 && is("process 7 is no ct-record --last|"), "to whom the signal is deadly");
	world.deadly = false;
	ARGUMENTS("--last");
	ok(watch_ask(7) == 0 && is("kill 7 1 "), "in any place");
	ARGUMENTS("ct-record\0x--last");
	ok(watch_ask(7) == 125 && is("process 7 is no ct-record --last|"), "another option");
	ARGUMENTS("ct-record\0--las");
	ok(watch_ask(7) == 125 && is("process 7 is no ct-record --last|"), "or none");
	ARGUMENTS("ct-record\0--last=5s");
	world.argument_bytes = 10;
	ok(watch_ask(7) == 125 && is("process 7 is no ct-record --last|"), "none that it has");
	world.argument_bytes = 0;
	ok(watch_ask(7) == 125 && is("process 7 is no ct-record --last|"), "no process");
}

int main(void)
{
	alarm(100);
	newest();
	waits();
	hangs();
	follows();
	ends();
	directories();
	whole();
	asks();
	return done_testing();
}
