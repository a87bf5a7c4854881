/* ct-record - run a program and print what its coroutines do, as JSON lines.
 *
 *	ct-record ./app | tee trace.jsonl | ct-lostwake
 *	{"probe_id":7,"tid":4711,"addr":"0x00007f3a10000b70","seq":18,"is_active":false,"ts":123456789,"ev":"suspend","n":9,"site":3,"on":"fd:42"}
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "box/box.h"
#include "box/modes.h"
#include "complain.h"
#include "event.h"
#include "extra/clock.h"
#include "extra/memory.h"
#include "extra/process.h"
#include "extra/stack.h"
#include "extra/v1.h"
#include "harvest.h"
#include "line.h"
#include "notice.h"
#include "options.h"
#include "pace.h"
#include "pack.h"
#include "peer.h"
#include "print.h"
#include "region.h"
#include "site.h"
#include "stations.h"
#include "target.h"
#include "totals.h"

enum { SECOND = 1000000000, NAP_MIN = 50000, NAP_MAX = 1000000 };
/* ns without an event: scan without pause, poll; then sleep */
enum { V1_SPIN = 1000000, AWAKE = 5000000, QUIET = 100000000 };

static uint64_t looked, target_alive;

/* Standard streams that are closed are opened: else the region could become number 2, and messages
 * be written into it. true: stdout was closed. */
static bool open_streams(void)
{
	bool closed = fcntl(1, F_GETFD) < 0;
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
		if (fd < 0)		/* as in a container */
			fd = open("/", O_RDONLY);
	} while (fd >= 0 && fd <= 2);
	close(fd);
	return closed;
}

/* Is the trace written there? To open it would empty a box or a program, and two writers overwrite
 * each other. */
static bool is_trace(int fd, const char *name)
{
	struct stat trace, other;

	return name && !fstat(fd, &trace) && S_ISREG(trace.st_mode) && !stat(name, &other) &&
		trace.st_dev == other.st_dev && trace.st_ino == other.st_ino;
}

static bool is_box_of(int fd, pid_t pid)
{
	int box = pid ? find_fd(pid, CTP_BOX_NAME, O_RDONLY) : -1;
	char link[32];
	bool same;

	snprintf(link, sizeof link, "/proc/self/fd/%d", box);
	same = is_trace(fd, link);
	close(box);
	return same;
}

static void refuse_others(const struct options *o, int fd)
{
	const char *program = *o->command && strchr(*o->command, '/') ? *o->command : NULL;

	if (is_trace(fd, o->file))
		complain("%s: it is the input, too", o->file);
	else if (is_trace(fd, program))
		complain("%s: it is the program, too", program);
	else if (is_trace(fd, o->target_stdout))
		complain("%s: the trace is written there", o->target_stdout);
	else if (is_box_of(fd, o->pid))
		complain("process %ld: the trace would be written into its box", (long)o->pid);
	else
		return;
	exit(125);
}

static int open_output(const struct options *o, bool closed)
{
	int fd = 1;
	bool file = o->output && strcmp(o->output, "-");

	if (file && (fd = open(o->output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) < 0) {
		complain("%s: %s", o->output, strerror(errno));
		exit(125);
	}
	refuse_others(o, fd);
	if (file && ftruncate(fd, 0) < 0 && errno != EINVAL) {	/* a device has no length */
		complain("%s: %s", o->output, strerror(errno));
		exit(125);
	}
	if (fd == 1 && closed) {
		complain("stdout is closed");
		exit(125);
	}
	fcntl(fd, F_SETPIPE_SZ, 1 << 20);	/* only a pipe has one */
	return fd;
}

/* Nothing has come for a while. Announce sleep, make every writer see it or us see what it wrote
 * (membarrier), look once more, and sleep until the bell rings. Version 1 writers fence for
 * themselves. */
static void sleep_until(const struct region *r, uint64_t wake_at)
{
	enum { GLOBAL_EXPEDITED = 1 << 1 };
	uint64_t now;

	__atomic_store_n(&r->h->tracer_sleeping, 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (r->membarrier)
		syscall(SYS_membarrier, GLOBAL_EXPEDITED, 0, 0);
	now = clock_ns();
	if (!harvest_pending(r) && v1_scan(r) == 0 && now < wake_at)
		peer_wait(wake_at - now);
	__atomic_store_n(&r->h->tracer_sleeping, 0, __ATOMIC_SEQ_CST);
}

/* When it should next be seen who lives, though they record nothing: once that is as long as the judges'
 * grace, so that even a short hang is seen to be one; then whenever it is an eighth longer, for how long
 * it was at the end nobody can ask, and each second at least. */
static uint64_t look_due(uint64_t last)
{
	uint64_t quiet = looked > last ? looked - last : 0,
		 due = quiet ? looked + quiet / 8 : last + QUIET;

	return due < looked + SECOND ? due : looked + SECOND;
}

static void look_alive(uint64_t now, uint64_t last)
{
	if (now < look_due(last))
		return;
	looked = now;
	if (process_lives(target_pid()))
		target_alive = now;
	peer_look(now);
}

/* Once a second: the clock's next piece, rings of dead threads, and a sync line when no event
 * showed the time. */
static void each_second(const struct region *r, bool quiet, uint64_t now, uint64_t *printed)
{
	static uint64_t last;
	uint64_t slept = clock_slept();

	if (now - last >= SECOND) {
		last = now;
		clock_tick();
		harvest_reap(r);
		peer_accept();
		harvest_save_memory(memory_short());
		if (!quiet)
			notice_memory(memory_short());
	}
	if (slept || now - *printed >= SECOND) {
		print_sync(now - 2 * HOLD_BACK_NS, slept);	/* what is younger may still come */
		print_flush();
		*printed = now;
	}
}

/* Eight events deep: while they bring something, nothing else is done for a while. */
static uint64_t v1_scan_busy(const struct region *r)
{
	uint64_t events = 0, got;
	unsigned turns = 0, most = pace_turns();

	while (turns++ < most && (got = v1_scan(r)))
		events += got;
	return events;
}

/* Whom it left behind, as a daemon does that begins when its parent has ended, may attach yet: for a
 * second it is waited for. */
static bool may_attach(uint64_t now, uint64_t ended_at)
{
	enum { LOOK = 20000000 };
	static uint64_t last;
	static bool may;

	if (now - ended_at > SECOND)
		return false;
	if (now - last > LOOK) {
		last = now;
		may = process_inherits(CTP_ENV_SOCK);
	}
	return may;
}

/* It has ended; its children may go on. Who asked it to end will hardly ask once more: they have a
 * second. */
static bool follows(const struct options *o, uint64_t now, uint64_t ended_at)
{
	return o->follow && !target_stop && !(target_asked && now - ended_at > SECOND) &&
		(peer_following() || may_attach(now, ended_at) || peer_unmet(now));
}

/* Until the target has ended, its wait status is returned. The nap between two looks adapts to what
 * they bring; what stands in the buffer is written when a look brought little, so that nobody
 * downstream waits for long. */
static int record(const struct region *r, const struct options *o)
{
	uint64_t now, v1_last = 0, last = clock_ns(), printed = last, nap = NAP_MIN, asked = 0;
	uint64_t ended_at = 0;
	bool ended = false;
	int status = 0;

	looked = target_alive = last;

	for (;;) {
		uint64_t v2 = harvest(r), v1 = v1_scan_busy(r);

		now = clock_ns();
		if (v1)
			v1_last = now;
		if (v1 || v2)
			last = printed = now;
		each_second(r, o->quiet, now, &printed);
		if (!o->quiet)
			notice_no_probe(now, target_pid());
		look_alive(now, last);
		peer_reap(now);
		/* a system call: not each time */
		if (target_changed || (!ended && now - asked > NAP_MAX)) {
			asked = now;
			if (target_ended(&status)) {
				ended = true;
				ended_at = now;
			}
		}
		if (ended)
			peer_accept();
		else
			peer_serve(now);
		if (ended && !follows(o, now, ended_at))
			return status;		/* not by way of a nap: no signal would end it */
		if (v2 > o->ring_slots / 8) {
			nap = NAP_MIN;
			continue;
		}
		if (now - v1_last < V1_SPIN) {
			uint64_t v1_nap = pace_nap(now, v1, totals.lost);

			if (v1_nap)
				peer_wait(v1_nap);
			continue;
		}
		print_flush();
		if (now - last > AWAKE && !o->no_syscalls)	/* else nobody would ring */
			sleep_until(r,
				look_due(last) < printed + SECOND ? look_due(last) :
								    printed + SECOND);
		else
			peer_wait(nap);
		nap = v2 > o->ring_slots / 16 ? NAP_MIN : nap * 2 < NAP_MAX ? nap * 2 : NAP_MAX;
	}
}

/* The target is dead and all it wrote is older than the hold-back; processes that it left behind
 * may still write. */
static void finish(const struct region *r, pid_t pid, int status)
{
	struct timespec pause = { 0, 2 * HOLD_BACK_NS };
	bool all_states;

	nanosleep(&pause, NULL);
	peer_accept();
	harvest(r);
	peer_end(pid);
	v1_end(r);
	harvest_end(r);
	all_states = totals.lost && stations_print(r);
	print_exit(clock_ns(), pid, status, target_alive);
	print_end(clock_ns(), all_states, 0);
}

static int read_box(struct options *o)
{
	int status = o->box ? dump(o) : attach(o);

	if (status == 0 && !o->quiet)
		notice_losses(o);
	return status;
}

static void pass_by(int sig)
{
	(void)sig;
}

/* A limit of files' size is an error like a full disk. Caught, for the target has it as we got it. */
static void survive_limit(void)
{
	struct sigaction was, caught = { .sa_handler = pass_by };

	if (sigaction(SIGXFSZ, NULL, &was) == 0 && was.sa_handler != SIG_IGN)
		sigaction(SIGXFSZ, &caught, NULL);
}

static void in_child(void)
{
	peer_forked();
	pace_forked();
}

int main(int argc, char **argv)
{
	struct options o = options_parse(argc, argv);
	struct region r = { .fd = -1 };
	bool closed = open_streams();
	int status;
	pid_t pid;

	survive_limit();
	if (o.dump)
		return watch_ask(o.dump);
	if (o.attach && access("/proc/self", F_OK)) {
		complain("no process can be found: /proc is not mounted");
		return 125;
	}
	if (o.name && !(o.pid = find_by_name(o.name)))
		return 125;
	if (!o.last_ns) {
		struct pack *pack = o.output ? pack_new(o.output) : NULL;

		print_open(open_output(&o, closed), pack, o.buffer);
	}
	if (!clock_init() && !o.box) {
		complain("CLOCK_MONOTONIC stands still: is it faked, as by faketime(1)?");
		return 125;
	}
	if (o.attach || o.box)
		return read_box(&o);
	if (o.last_ns)
		return watch(&o);
	if (!region_create(&r, &o))
		return 125;
	site_init(&r);
	stack_init(&r);
	harvest_init(&r);
	harvest_on_start(states_again);
	v1_init(&r);
	if (o.realtime && !pace_realtime())
		return 125;
	peer_init(&r);
	print_meta(o.command, clock_ns(), wall_ns(), "");
	pid = target_start(&r, &o, in_child);
	if (pid < 0)
		return target_error;
	status = record(&r, &o);
	finish(&r, pid, status);
	if (!o.quiet)
		notice_losses(&o);
	if (!print_close())
		return 125;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
