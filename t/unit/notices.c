/* notices.c - what the recorder says of its own work (record/notice.c): each word where there is a reason, once, and nothing else.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "../../record/complain.h"
#include "../../record/extra/process.h"
#include "../../record/notice.h"
#include "../../record/options.h"
#include "../../record/pace.h"
#include "../../record/peer.h"
#include "../../record/print.h"
#include "../../record/totals.h"
#include "leave.h"
#include "tap.h"
#include "told.h"

static struct { bool attached, go; int denied; uint64_t behind; } world;

#define complain(...) (tell(__VA_ARGS__), tell("|"))
#define peer_attached() (world.attached)
#define process_is_go(pid) ((pid) == 7 && world.go)
#define pace_denied() (world.denied)
#define print_behind_ns() (world.behind)
struct totals totals;
char *print_at, digits_4[10000][4];	/* of functions in headers that are not called */
#include "../../record/notice.c"

enum { S = 1000000000 };

static void nobody_attaches(void)
{
	pid_t child = fork();
	int status;

	if (!child) {	/* which forgets nothing that it said */
		world.go = true;
		notice_no_probe(S, 7);
		notice_no_probe(3ull * S, 7);
		leave(!is("nothing was recorded: no probe attached yet; this is a Go program: record runtime/trace and use ct-fromgo(1)|"));
	}
	ok(waitpid(child, &status, 0) == child && !status, "of a Go program another word");
	notice_no_probe(5ull * S, 7);
	notice_no_probe(7ull * S - 1, 7);
	world.attached = true;
	notice_no_probe(7ull * S, 7);
	ok(is(""), "not within two seconds, nor where one has");
	world.attached = false;
	notice_no_probe(7ull * S, 7);
	ok(is("nothing was recorded: no probe attached yet: is the program built with one, and does it call ct_init()?|"), "two seconds after the start");
	notice_no_probe(8ull * S, 7);
	ok(is(""), "once");
}

static void memory(void)
{
	notice_memory(false);
	ok(is(""), "enough memory");
	notice_memory(true);
	ok(is("the memory of this cgroup is nearly used up: that of ended threads' rings is given back|"), "too little");
	notice_memory(false);
	notice_memory(true);
	ok(is(""), "once");
}

static bool at_the_end(struct totals so, struct options o, const char *expected)
{
	totals = so;
	notice_losses(&o);
	return is(expected);
}
#define END(expected, ...) at_the_end((struct totals){ __VA_ARGS__ }, o, expected)

static void losses(void)
{
	struct options o = { 0 };

	ok(END("nothing was recorded: no probe attached: is the program built with one, and does it call ct_init()?|", 0), "no probe");
	ok(END("", .events = 5), "who was recorded without a connection has one");
	o.attach = true;
	ok(END("", 0), "who was attached to has one");
	o = (struct options){ .box = true };
	ok(END("", 0), "so has a box");
	o.box = false;
	world.attached = true;
	ok(END("", 0) && END("", .events = 5), "nothing to say");
	o.stacks = true;
	ok(END("", 0) && END("", .events = 5, .stacks = 1) &&
		END("no event had a call stack: its probe may be too old, or have found no way to unwind|", .events = 5), "no call stacks, where there are events");
	o.stacks = false;
	ok(END("3 older events had been overwritten (CTP_BOX=1,slots=N keeps more of each thread)|", .lost = 3, .before = 3), "overwritten is not lost");
#define LOST "7 of 12 events were lost; where, the trace says (--on-full=block waits instead, larger --ring-slots help with bursts)|"
	o.block = true;
	ok(END("7 of 12 events were lost; where, the trace says (full rings waited: of signal handlers that interrupted the probe, or threads without a ring)|",
		.lost = 7, .events = 5), "where rings wait, no other rings help");
	o.block = false;
	o.no_syscalls = true;
	ok(END("7 of 12 events were lost; where, the trace says (larger --ring-slots help with bursts)|", .lost = 7, .events = 5), "where none can");
	o.no_syscalls = false;
	o.attach = true;
	ok(END("7 of 12 events were lost; where, the trace says (CTP_BOX=1,slots=N helps with bursts)|", .lost = 7, .events = 5), "of one that runs already");
	o.attach = false;
#define OVERWRITTEN "4 events of version 1 coroutines, which keep eight each, were overwritten before they were read (--realtime reads sooner)|"
#define STOPPED "7 of 12 events were not recorded: the program stopped that for a while (ct_stop)|"
	ok(END(LOST, .lost = 7, .events = 5) && END("3 older events had been overwritten (CTP_BOX=1,slots=N keeps more of each thread)|" LOST, .lost = 10,
		.before = 3, .events = 5), "some of all are lost");
	ok(END(OVERWRITTEN, .lost = 4, .overwritten = 4, .events = 5) && END(LOST OVERWRITTEN, .lost = 11, .overwritten = 4, .events = 5),
		"rings are not to blame where version 1's slots were overwritten");
	ok(END(STOPPED, .lost = 7, .events = 5, .lines[CTP_STOP] = 1) && END(STOPPED, .lost = 7, .events = 5, .lines[CTP_START] = 1) &&
		END(STOPPED, .lost = 7, .events = 5, .lines = { [CTP_STOP] = 1, [CTP_START] = 1 }) && END("", .lines[CTP_STOP] = 1), "while it was stopped");
	world.denied = EPERM;
	ok(END("", 0) && END(LOST "the machine was busy, and this user may not go first on it (Operation not permitted): CAP_SYS_NICE or ulimit -e 30 permits it|",
		.lost = 7, .events = 5) &&
		END("the machine was busy, and this user may not go first on it (Operation not permitted): CAP_SYS_NICE or ulimit -e 30 permits it|" OVERWRITTEN,
		.lost = 4, .overwritten = 4, .events = 5), "who may not go first, where that has cost something");
	world.denied = 0;
	world.behind = 1500000000;
	ok(END("the compression could not keep up: for 1.500 s the events had to wait for it, in their rings (-o without .gz or .zst writes more of "
		"them a second)|", 0), "who waited for the compression");
	world.behind = 0;
	ok(END("1 events of threads that found no ring are lost: --threads=N makes more, and where memory is limited a smaller --ring-slots|"
		"2 coroutines of a version 1 probe found no station and are not in the trace: -n N makes more|"
		"3 coroutines found no station: only their history is recorded|"
		"4 processes could not connect (another user's rights, another root, no descriptor left): they are recorded, but looked at only once a second|"
		"5 names or source locations found no room|6 suspends and wakes have no call stack: there was no room for another|"
		"7 records cannot be true and were left out: the program overwrites its trace memory|"
		"8 names, source locations or call stacks cannot be read: the program overwrites its trace memory|",
		.no_ring = 1, .no_v1_station = 2, .no_station = 3, .unconnected = 4, .no_string = 5, .no_stack = 6, .impossible = 7, .unreadable = 8),
		"each other loss");
	ok(END("9 records cannot be true and were left out: the program overwrites its trace memory|", .impossible = 9), "that there was");
}

int main(void)
{
	nobody_attaches();
	memory();
	losses();
	return done_testing();
}
