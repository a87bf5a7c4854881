/* boxed.c - what a box holds becomes a trace (record/box/dump.c), in a world of its own that says what there is: of a process or a
 * file; until when it is whole, which clock's times they are, and where the trace ends.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
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

static struct {
	int box;
	bool no_image, no_boot, foreign, others, all, unwritten;
	uint64_t last, stopped, taken;
	struct ctp_header h;
} world;

static bool world_image(struct region *r)
{
	r->h = &world.h;
	r->birth = world.h;
	r->taken = world.taken;
	return !world.no_image;
}

static void world_boot(uint8_t id[16])
{
	if (!world.no_boot)
		memset(id, 7, 16);
}

typedef unsigned long long u64;
#define complain(...) (tell(__VA_ARGS__), tell("|"))
#define image_guard() tell("guard ")
#define find_box(pid, flags, asking) (tell("find %d%s%s ", (int)(pid), (flags) == O_RDONLY ? "" : " to write", (asking) ? " asking" : ""), world.box)
#define find_others(pid) ((pid) && world.others)
#define image_of_process(r, fd, what) (tell("%d of %s ", fd, what), world_image(r))
#define image_of_file(r, file) (tell("file %s ", file), world_image(r))
#define boot_id(id) world_boot(id)
#define clock_use(h, now) ((void)(h), tell("clock %d ", now))
#define clock_to_ns(ticks) (10 * (ticks))
#define clock_ns() 5000ull
#define wall_ns() 900000ull
#define process_command(pid, o) (tell("command %d ", (int)(pid)), (o)->command = the_command)
#define process_is_foreign(ns) ((ns) == 77 && world.foreign)
#define process_inner(pid) ((uint32_t)(pid) + 1000)
#define process_seen(number, pid, again) tell("seen %u %d %d ", number, (int)(pid), again)
#define others_init(r, number, fd) tell((fd) == 9 && (number) % 1000 == 7 ? "others " : (fd) == -1 && (number) == world.h.box_pid ? "others left " : "others? ")
#define others_look(now) tell((now) == 5000ull || (world.h.dump_ticks && (now) == 10 * world.h.dump_ticks) ? "look " : "look? ")
#define print_meta(command, ts, wall, more) tell("meta %s %llu %llu%s ", (command) ? *(command) : "-", (u64)(ts), (u64)(wall), more)
#define site_init(r) tell("sites ")
#define stack_init(r) tell("stacks ")
#define harvest_init(r) tell("init ")
#define clock_ticks() 500ull
#define clock_from_ns(ns) ((ns) / 10)
#define image_adopt(r, since, until) tell("adopt %llu %lld ", (u64)(since), (long long)(until))
#define states_print(r) tell("states ")
#define states_last() (world.last)
#define harvest(r) tell("harvest ")
#define harvest_end(r) tell("end ")
#define stations_print(r) (tell("stations "), world.all)
#define print_end(ts, all, alive) tell((alive) ? "over %llu %d alive %llu " : "over %llu %d ", (u64)(ts), all, (u64)(alive))
#define stopped_since(pid) ((pid) == 7 ? world.stopped : 1)
#define print_close() (tell("close"), !world.unwritten)
static char *the_command[] = { "its command", NULL };
struct totals totals;
char *print_at, digits_4[10000][4];	/* of functions in headers that are not called */
#include "../../record/box/dump.c"
#undef complain

static void fresh(void)
{
	memset(&world, 0, sizeof world);
	memset(&totals, 0, sizeof totals);
	world.box = 9;
	world.last = 4000;
	world.h.birth_ticks = 100;
	world.h.birth_wall = 800000;
	world.h.pid_ns = 77;
	world.h.box_pid = 40;
	memset(world.h.boot_id, 7, 16);
	told[0] = '\0';
}

#define FROM(since, until) "sites stacks init adopt " since " " until " states harvest look look end "
#define ALL FROM("1", "-1")
#define META ",\"attached\":true,\"snapshot\":true"
#define BEFORE_7 "guard find 7 9 of process 7 clock 1 command 7 meta its command 1000 896000" META " others seen 7 7 1 "
#define OF_7 BEFORE_7 ALL
#define OF_7_UNTIL(until) BEFORE_7 FROM("1", until)

static bool dumped(struct options o, int status, const char *expected)
{
	int is_status = dump(&o);

	return is(expected) && is_status == status;
}
#define DUMP(status, expected, ...) dumped((struct options){ .box = true, __VA_ARGS__ }, status, expected)

static void processes(void)
{
	fresh();
	ok(DUMP(0, OF_7 "over 5000 0 close", .pid = 7), "a process that lives: up to now");
	told[0] = '\0', world.others = true;
	ok(DUMP(0, "guard find 7 9 of process 7 clock 1 command 7 meta its command 1000 896000" META ",\"partial\":true others seen 7 7 1 " ALL "over 5000 0 close",
		.pid = 7), "one of several that it has");
	fresh();
	world.box = -1;
	ok(DUMP(125, "guard find 7 ", .pid = 7), "one without a box");
	world.box = 0, world.no_image = true;
	ok(DUMP(125, "guard find 7 0 of process 7 ", .pid = 7), "one that cannot be read, by any descriptor");
	fresh();
	world.foreign = true;
	ok(DUMP(0, "guard find 7 9 of process 7 clock 1 command 7 meta its command 1000 896000" META " others seen 1007 7 1 " ALL "over 5000 0 close", .pid = 7),
		"of another namespace, under its number there");
	fresh();
	world.h.born_late = 1;
	ok(DUMP(0, "guard find 7 9 of process 7 clock 1 command 7 meta its command 1000 896000" META ",\"born_before\":true others seen 7 7 1 " ALL "over 5000 0 close",
		.pid = 7), "one that was made late");
	fresh();
	world.unwritten = true;
	ok(DUMP(125, OF_7 "over 5000 0 close", .pid = 7), "what could not be written");
	fresh();
	world.h.leave = CTP_LEFT;
#define LEFT "process 7 is not recorded now: its box holds what happened until nobody asked for it any more|"
	ok(DUMP(0, OF_7 LEFT "over 4000 0 close", .pid = 7) && DUMP(0, OF_7 "over 4000 0 close", .pid = 7, .quiet = true), "one that was left: up to then");
	world.h.leave = CTP_LEAVE;
	ok(DUMP(0, OF_7 "over 5000 0 close", .pid = 7), "not yet");
	world.stopped = 3900;
	ok(DUMP(0, OF_7 "over 5000 0 alive 3900 close", .pid = 7), "one that is stopped");
	world.h.leave = CTP_LEFT;
	ok(DUMP(0, OF_7 "over 4000 0 close", .pid = 7, .quiet = true), "that has been left by then");
}

/* From where it began, or was last left, until it was asked for: by then all that is older is there. */
static void spans(void)
{
	fresh();
	world.taken = 4900;
	ok(DUMP(0, OF_7_UNTIL("490") "over 5000 0 close", .pid = 7), "what was written while it was copied is not whole");
	ok(DUMP(0, "guard file f clock 1 meta - 1000 896000" META ",\"dead\":true " FROM("1", "490") "over 4000 0 close", .file = "f"),
		"nor of a file, whose process may live");
	world.h.forget_ticks = 55;
	ok(DUMP(0, BEFORE_7 FROM("55", "490") "over 5000 0 close", .pid = 7), "nothing from before it was left");
	world.h.boot_id[15]++;
	ok(DUMP(0, "guard file f clock 0 meta - 1000 800000" META ",\"dead\":true " FROM("55", "-1") "over 4000 0 close", .file = "f"),
		"all of what died with another boot");
}

static void lost(void)
{
	fresh();
	totals.lost = 3;
	ok(DUMP(0, OF_7 "stations over 5000 0 close", .pid = 7), "where something was lost, what each does now");
	world.all = true;
	ok(DUMP(0, OF_7 "stations over 5000 1 close", .pid = 7), "which may be all");
}

static void files(void)
{
	fresh();
	ok(DUMP(0, "guard file f clock 1 meta - 1000 896000" META ",\"dead\":true " ALL "over 4000 0 close", .file = "f"), "a file: up to its last event");
	world.h.leave = CTP_LEFT;
	ok(DUMP(0, "guard file f clock 1 meta - 1000 896000" META ",\"dead\":true " ALL "over 4000 0 close", .file = "f"), "one that was left");
	world.no_image = true;
	ok(DUMP(125, "guard file f ", .file = "f"), "one that is none");
	fresh();
	world.h.dump_ticks = 400;
	ok(DUMP(0, "guard file f clock 1 meta - 1000 896000" META " others left " FROM("1", "400") "over 4000 0 close", .file = "f"), "one that its process wrote");
	world.h.dump_ticks = 401;
	ok(DUMP(0, "guard file f clock 1 meta - 1000 896000" META " others left " FROM("1", "401") "over 4010 0 close", .file = "f"), "up to then");
	world.taken = 4000;
	ok(DUMP(0, "guard file f clock 1 meta - 1000 896000" META " others left " FROM("1", "401") "over 4010 0 close", .file = "f"), "not until it is read");
	world.h.dump_ticks = 600;
	ok(DUMP(0, OF_7_UNTIL("600") "over 5000 0 close", .pid = 7), "no process's end");
	fresh();
	world.h.boot_id[15]++;
	ok(DUMP(0, "guard file f clock 0 meta - 1000 800000" META ",\"dead\":true " ALL "over 4000 0 close", .file = "f"), "of another boot: its own calendar");
	fresh();
	world.no_boot = true;
	for (int i = 0; i < 2; i++) {
		memset(world.h.boot_id, 0, 16);
		world.h.boot_id[0] = (uint8_t)i;
		told[0] = '\0';
		ok(DUMP(0, "guard file f clock 0 meta - 1000 800000" META ",\"dead\":true " ALL "over 4000 0 close", .file = "f"), "of a boot that is not known, whatever the box says");
	}
}

int main(void)
{
	alarm(100);
	processes();
	spans();
	lost();
	files();
	return done_testing();
}
