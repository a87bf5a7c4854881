/* report.c - the file that a watching recorder writes (record/box/report.c), in a world of its own: what of each ring it holds, what it begins and
 * ends with, who writes it, and how many at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
#include "../../record/box/watch.h"
#include "../../record/box/others.h"
#include "../../record/peer.h"
#include "tap.h"
#include "told.h"

enum { RINGS = 3, SLOTS = 8 };
typedef unsigned long long u64;
static struct {
	uint64_t ticks, lost, stopped;
	bool no_image, unwritten, all;
	pid_t forked, still[20], bad;
	int forks, reaped, how;		/* that one ended so */
} world;
static struct ctp_ring rings[RINGS + 1];
static struct ctp_event slot[RINGS + 1][SLOTS];
struct totals totals;
char *print_at, digits_4[10000][4];	/* of functions in headers that are not called */

static bool world_image(struct region *r, int fd)
{
	tell("image %d ", fd);
	*r = (struct region){ .rings = rings, .ring_count = RINGS, .ring_slots = SLOTS };
	return !world.no_image;
}

static pid_t world_wait(pid_t pid, int *status, int how)
{
	*status = pid == world.bad ? world.how : 0;
	for (int i = 0; i < 20; i++)
		if (world.still[i] == pid && how == WNOHANG)
			return 0;
	tell("w%d ", (int)pid);
	return pid;
}

#define complain(...) (tell(__VA_ARGS__), tell("|"))
#define clock_ns() 7000000000ull
#define wall_ns() 99ull
#define clock_ticks() (world.ticks)
#define clock_from_ns(ns) (ns)
#define clock_to_ns(ticks) ((ticks) * 10)
#define harvest_rings(r) ((uint32_t)RINGS)
#define harvest_slot(r, i, p) (&slot[i][(p) % SLOTS])
#define image_adopt(r, since, until) tell("from %llu to %llu ", (u64)(since), (u64)(until))
#define harvest_init(r) tell("rings ")
#define harvest(r) (tell("harvest "), totals.lost = world.lost)
#define harvest_end(r) tell("counts ")
#define site_init(r) tell("sites ")
#define stack_init(r) tell("stacks ")
#define print_open(fd, pack, buffer) (tell((pack) || (buffer) ? "open? " : "open "), close(fd))
#define print_meta(command, ts, wall, more) tell("meta %s %llu %llu%s ", *(command), (u64)(ts), (u64)(wall), more)
#define print_process(ts, pid, parent, text) tell("process %u %d %s ", (unsigned)(pid), (parent) == (uint32_t)getppid(), text)
#define print_exit(ts, pid, status, alive) tell("exit %d %d %d ", (int)(pid), status, (int)(alive))
#define print_end(ts, all, alive) tell((alive) ? "end %d alive %d " : "end %d ", (int)(all), (int)(alive))
#define stopped_since(pid) ((pid) == 7 ? world.stopped : 1)
#define print_close() (tell("close "), !world.unwritten)
#define process_seen(n, pid, again) tell("seen %u %d %d ", (unsigned)(n), (int)(pid), again)
#define others_init(r, number, fd) tell((fd) == 9 && (number) == 7 ? "others " : "others? ")
#define others_look(now) tell((now) == 7000000000ull ? "look " : "look? ")
#define others_formers(until) tell("formers %llu ", (u64)(until))
#define peer_reap(now) (world.reaped += (now) == 8000000000ull)
#define states_print(r) tell("states ")
#define stations_print(r) (tell("stations "), world.all)
#define image_of_process(r, fd, what) world_image(r, fd)
#define fork() (world.forks++, world.forked)
#define waitpid(pid, status, how) world_wait(pid, status, how)
#define _exit(status) tell("exits %d ", status)
static bool old_kernel;
#define syscall(...) (old_kernel ? errno = EINVAL, -1 : (syscall)(__VA_ARGS__))
#include "../../record/box/report.c"
#undef fork
#undef waitpid
#undef _exit

static struct region fresh(void)
{
	struct region r = { .taken = 6999999970, .rings = rings, .ring_count = RINGS, .ring_slots = SLOTS, .fd = 9 };

	memset(&world, 0, sizeof world);
	memset(rings, 0, sizeof rings);
	memset(slot, 0, sizeof slot);
	memset(&totals, 0, sizeof totals);
	world.ticks = 500;
	told[0] = '\0';
	return r;
}

static void whole(void)
{
	struct region r = fresh();

	rings[0] = (struct ctp_ring){ .head = 20, .limit = 21 };
	rings[1] = (struct ctp_ring){ .head = 8, .limit = 8 };
	rings[2] = (struct ctp_ring){ .head = 3, .limit = 40 };
	ok(whole_from(&r, 5) == 5, "nothing is missing");
	slot[0][13 % SLOTS].timestamp = 60;
	slot[2][0].timestamp = 99;		/* position 32, behind its head */
	slot[1][0].timestamp = 77;
	slot[1][1].timestamp = 95;
	rings[RINGS] = rings[0];		/* not used */
	slot[RINGS][13 % SLOTS].timestamp = 98;
	ok(whole_from(&r, 5) == 60 && whole_from(&r, 60) == 60 && whole_from(&r, 61) == 61, "but what has been overwritten");
	rings[1] = (struct ctp_ring){ .head = 9, .limit = 9 };
	slot[1][1].timestamp = 70;
	ok(whole_from(&r, 5) == 70, "the latest of all rings");
	rings[1].head = 1;
	ok(whole_from(&r, 5) == 60, "of what was written");
}

#define BEGUN "sites stacks rings from %d to 470 meta app 7000000000 99,\"attached\":true,\"snapshot\":true,\"reason\":\"%s\" "
static bool printed(int from, const char *why, const char *rest)
{
	char text[1000];
	int n = snprintf(text, sizeof text, BEGUN, from, why);

	snprintf(text + n, sizeof text - (size_t)n, "%s", rest);
	return is(text);
}

static char *app[] = { "app", NULL };
static void prints(void)
{
	struct options o = { .last_ns = 400, .command = app }, quiet = { .last_ns = 400, .command = app, .quiet = true };
	struct region r = fresh();

	totals.events = 5;
	print(&r, &o, "asked", 7, -1, 0);
	ok(printed(100, "asked", "seen 7 7 1 formers 1000 states harvest look look counts end 0 ") && !totals.events, "of one that lives");
	world.stopped = 600;
	print(&r, &o, "asked", 7, -1, 0);
	ok(printed(100, "asked", "seen 7 7 1 formers 1000 states harvest look look counts end 0 alive 600 "), "of one that is stopped");
	o.last_ns = 501;
	world.all = true;
	print(&r, &o, "exit", 7, 256, 55);
	ok(printed(0, "exit", "process 7 1 app formers 0 states harvest look look counts exit 7 256 55 end 0 "), "of one that has ended, all");
	fresh();
	rings[0] = (struct ctp_ring){ .head = 20, .limit = 21 };
	slot[0][13 % SLOTS].timestamp = 100;
	o.last_ns = 400;
	print(&r, &o, "asked", 7, -1, 0);
	ok(!strstr(told, "hold only"), "as much as was asked for");
	told[0] = '\0';
	slot[0][13 % SLOTS].timestamp = 499999700;
	world.ticks = 500000000;
	print(&r, &quiet, "asked", 7, -1, 0);
	ok(!strstr(told, "hold only"), "less, quietly");
	print(&r, &o, "asked", 7, -1, 0);
	ok(strstr(told, "|") && strstr(told, "the rings hold only the last 2.0 s of each thread: larger --ring-slots hold more"), "less");
	told[0] = '\0';
}

/* What is lost becomes known as rings are read. */
static void loses(void)
{
	struct options o = { .command = app };
	struct region r = fresh();

	print(&r, &o, "asked", 7, -1, 0);
	ok(strstr(told, "counts end 0 "), "nothing is lost");
	told[0] = '\0';
	world.lost = 1;
	print(&r, &o, "asked", 7, -1, 0);
	ok(strstr(told, "counts stations end 0 "), "who did what at the end is told");
	told[0] = '\0';
	world.all = true;
	print(&r, &o, "asked", 7, -1, 0);
	ok(strstr(told, "counts stations end 1 "), "of all");
	told[0] = '\0';
}

static void writes(void)
{
	struct options o = { .command = app, .directory = ".", .last_ns = 1 }, nowhere = { .command = app, .directory = "/dev/null" };
	struct region r = fresh();
	struct stat st;

	ok(write_file(&r, &o, "hang", 7, -1, 0, "./hang-7-3.jsonl.part") == 0 && strstr(told, "open image 9 others sites ") == told && strstr(told, "end 0 close hang: wrote ./hang-7-3.jsonl|"), "a file");
	ok(!stat("hang-7-3.jsonl", &st) && stat("hang-7-3.jsonl.part", &st) && !unlink("hang-7-3.jsonl"), "by its name");
	told[0] = '\0';
	ok(write_file(&r, &nowhere, "hang", 7, -1, 0, "/dev/null/hang-7-3.jsonl.part") == 1 && is("/dev/null/hang-7-3.jsonl.part: Not a directory|"), "nowhere");
	world.no_image = true;
	ok(write_file(&r, &o, "hang", 7, -1, 0, "./hang-7-3.jsonl.part") == 1 && is("open image 9 ") && stat("hang-7-3.jsonl.part", &st), "no memory");
	world.no_image = false;
	world.unwritten = true;
	unlink("hang-7-3.jsonl.part");
	ok(write_file(&r, &o, "hang", 7, -1, 0, "./hang-7-3.jsonl.part") == 1 && !strstr(told, "wrote") && stat("hang-7-3.jsonl.part", &st) && stat("hang-7-3.jsonl", &st), "no room");
	world.unwritten = false;
	told[0] = '\0';
	mkdir("hang-7-3.jsonl", 0700);
	mkdir("hang-7-4.jsonl", 0700);
	ok(write_file(&r, &o, "hang", 7, -1, 0, "./hang-7-3.jsonl.part") == 0 && strstr(told, "wrote ./hang-7-5.jsonl|") && !stat("hang-7-5.jsonl", &st) &&
		stat("hang-7-3.jsonl.part", &st), "its name is taken: by the next that is not");
	told[0] = '\0';
	old_kernel = true;
	ok(write_file(&r, &o, "hang", 7, -1, 0, "./hang-7-3.jsonl.part") == 0 && strstr(told, "wrote ./hang-7-6.jsonl|") && !unlink("hang-7-6.jsonl"), "so without a call for it");
	old_kernel = false;
	unlink("hang-7-5.jsonl");
	rmdir("hang-7-4.jsonl");
	rmdir("hang-7-3.jsonl");
	told[0] = '\0';
}

static void starts(void)
{
	struct options o = { .command = app, .directory = "." };
	struct region r = fresh();

	number = 0;
	for (int i = 0; i < WRITERS; i++) {
		world.forked = 100 + i;
		report_write(&r, &o, "asked", 7, -1, 0);
	}
	ok(is("") && number == WRITERS && world.forks == WRITERS && world.reaped == WRITERS, "sixteen at once, each after who has become another was looked for");
	ok(report_is_by(100) && report_is_by(115) && !report_is_by(99) && !report_is_by(116), "which are ours");
	report_write(&r, &o, "asked", 7, -1, 0);
	ok(is("asked: nothing is written: 16 reports are being written|") && number == WRITERS + 1 && world.forks == WRITERS, "no more");
	world.still[0] = 103;
	world.still[1] = 115;
	report_wait(false);
	ok(is("w100 w101 w102 w104 w105 w106 w107 w108 w109 w110 w111 w112 w113 w114 "), "those that have ended");
	report_wait(false);
	ok(is(""), "once");
	report_wait(true);
	ok(is("w103 w115 ") && !report_is_by(103), "all");
	number = 70;
	for (int how = 0; how < 3; how++) {
		world.forked = world.bad = 200;
		world.how = how == 1 ? 125 << 8 : how == 2 ? SIGKILL : 0;
		report_write(&r, &o, "hang", 7, -1, 0);
		close(open(writers[0].part, O_CREAT | O_WRONLY, 0600));
		report_wait(true);
		ok(is(how == 2 ? "w200 ./hang-7-73.jsonl.part: not written: who wrote it was killed by signal 9|" : "w200 ") &&
			!unlink(writers[0].part) == !how, "its part is not left behind, however it ended: %d", how);
	}
	world.forked = -1;
	errno = EAGAIN;
	report_write(&r, &o, "hang", 7, -1, 0);
	report_wait(true);
	ok(is("hang: nothing is written: Resource temporarily unavailable|"), "none can be started");
	world.forked = 0;
	number = 40;
	report_write(&r, &o, "hang", 7, -1, 0);
	ok(strstr(told, "wrote ./hang-7-41.jsonl|exits 0 ") && !writers[0].pid && !unlink("hang-7-41.jsonl"), "it writes, and ends");
	told[0] = '\0';
	world.no_image = true;
	report_write(&r, &o, "hang", 7, -1, 0);
	ok(strstr(told, "exits 1 "), "or cannot");
}

int main(void)
{
	alarm(100);
	whole();
	prints();
	loses();
	writes();
	starts();
	return done_testing();
}
