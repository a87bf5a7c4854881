/* session.c - a process is traced. Contracts in session.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "base/stdout.h"
#include "children.h"
#include "follow.h"
#include "guard.h"
#include "launch.h"
#include "moment.h"
#include "session.h"
#include "snap/die.h"

static const struct session_options *opt;

struct tracing {
	struct follow follow;
	struct runtimes found;
	struct target *target;
	/* of records: older ones are followed silently, later ones dropped */
	uint64_t from, until;
	bool started;
	bool looking;		/* the target's copied moment is to be printed behind its records */
	bool replaced;		/* it has become another program: its coroutines are no more */
	bool mapped;		/* code of another file, perhaps a library */
	uint64_t begun, acted, lost_at;	/* when; last seen to go on; latest loss */
	uint64_t said, next;	/* when the cost was printed, and is to be */
	uint64_t said_records, said_cpu;
	int pidfd;
};

/* Its memory says how coroutines stand. */
static bool looks(const struct tracing *r)
{
	return r->found.cpp || r->found.memory;
}

static bool take(struct tracing *r, char why[static 200])
{
	if (looks(r))
		return moment_take(r->target, opt->limit_mb, why);
	r->target->taken = now_ns();
	return true;
}

/* Those that its runtime says are, and run something only later. */
static void workers(struct tracing *r, uint64_t ts)
{
	for (size_t i = 0; i < r->target->threads; i++) {
		const struct thread *th = &r->target->thread[i];

		if (!th->role || strcmp(th->role, "worker"))
			continue;
		follow_worker(&r->follow, follow_thread(&r->follow, th->tid, ts), ts);
		attach_worker(th->tid);
	}
}

static void start(struct tracing *r)
{
	uint64_t live = 0;

	r->started = true;
	lines.muted = false;
	if (!opt->command) {
		live = moment_states(&r->follow, &r->found, MOMENT_FIRST);
		workers(r, r->from);
	}
	line_attach(r->from, live == UINT64_MAX ? 0 : live);
}

/* What is worth a message while it is traced. */
#define say(...) (note_quiet = opt->quiet, note(__VA_ARGS__), (void)(note_quiet = true))

static void look(struct tracing *r)
{
	r->looking = false;
	moment_states(&r->follow, &r->found, MOMENT_AGAIN);
	workers(r, r->target->taken);
}

static void on_record(void *arg, const struct record *record)
{
	struct tracing *r = arg;

	if (attach_replaced() && record->ts > attach_replaced())
		r->replaced = true;
	if (record->ts > r->until || r->replaced)
		return;
	r->mapped |= record->kind == P_MAPPED;
	if (record->kind == P_FORKED)
		children_forked(record->addr, record->ts);
	if (!r->started && record->ts > r->from)
		start(r);
	if (r->looking && record->ts > r->target->taken)
		look(r);
	follow_record(&r->follow, record);
}

static void note_losses(struct tracing *r)
{
	uint64_t from, to, now = now_ns(), lost = attach_lost(now, &from, &to);

	if (!lost)
		return;
	r->follow.losses++;
	r->lost_at = now;
	line_lost(now, lost, from, to);
}

/* The states as they are. */
static void look_again(struct tracing *r, const char *when)
{
	char why[200];

	if (!take(r, why)) {
		say("no states %s: %s\n", when, why);
		return;
	}
	r->looking = true;
	attach_read(0, on_record, r);
	if (r->looking)
		look(r);
}

/* Behind a loss, once there is room again. */
static void look_behind_loss(struct tracing *r)
{
	enum { QUIET_NS = 200000000 };

	if (!r->lost_at || now_ns() - r->lost_at < QUIET_NS)
		return;
	r->lost_at = 0;
	look_again(r, "behind the loss");
}

static size_t functions(void)
{
	return points.cpp + points.tokio + points.own;
}

/* A library that was loaded: its functions are traced from now on; how what they began stands by
 * then, the states say. */
static void look_at_libraries(struct tracing *r)
{
	struct target *t = r->target;
	size_t before = functions(), from, moved;

	if (!r->mapped)
		return;
	r->mapped = false;
	from = target_more(t);
	points_unloaded(t);
	if (from == t->modules)
		return;
	moved = points_moved(t, from);
	moment_more(t, &r->found, from);
	if (!points_find(t, from, opt->return_probes)) {
		points_forget(t);
	} else if (!points_attach(t, true)) {
		say("%s was loaded, and cannot be traced\n", t->module[from].path);
		return;
	} else {
		say("%s was loaded: %zu functions of it are traced\n", t->module[from].path,
			functions() - before);
		before = 0;
	}
	if (moved)
		say("%s was loaded again, elsewhere, and is traced\n", t->module[from].path);
	if (moved || !before)
		look_again(r, "behind a library that was loaded");
}

/* Of files that were overwritten the probes are out already. */
static void look_at_overwritten(struct tracing *r)
{
	size_t module;

	while (guard_took_out(&module)) {
		say("%s was overwritten, and is not traced until it is loaded again\n",
			r->target->module[module].path);
		libraries_overwritten(r->target, module);
		points_unloaded(r->target);
	}
}

static bool ended(const struct tracing *r)
{
	struct pollfd p = { r->pidfd, POLLIN, 0 };
	bool is_over = r->pidfd >= 0 && poll(&p, 1, 0) > 0;

	if (is_over && opt->command)
		launch_status();
	return is_over;
}

static void on_asleep(void *arg, uint32_t tid, uint64_t since)
{
	struct tracing *r = arg;

	if (since < r->until)
		follow_asleep(&r->follow, tid, since);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) ?
		0 :
		(uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* After 1 s, 2, 4, ..., and each minute from then on. */
static void print_cost(struct tracing *r)
{
	const uint64_t longest = 60000000000;
	uint64_t now = now_ns(), cpu, passed = now - r->said;

	if (now < r->next)
		return;
	cpu = cpu_ns();
	say("%.0f records/s, %.1f %% of a core, %" PRIu64 " lost\n",
		(double)(r->follow.records - r->said_records) * 1e9 / (double)passed,
		100.0 * (double)(cpu - r->said_cpu) / (double)passed, lines.lost);
	r->said = now;
	r->said_cpu = cpu;
	r->said_records = r->follow.records;
	r->next = now + (passed * 2 < longest ? passed * 2 : longest);
}

static void trace(struct tracing *r)
{
	uint64_t end = opt->for_ns ? r->begun + opt->for_ns : UINT64_MAX;

	while (!launch_interrupted && now_ns() < end && !ended(r) && !ferror(stdout)) {
		uint64_t before = lines.events, now;

		attach_read(100, on_record, r);
		attach_asleep(on_asleep, r);
		note_losses(r);
		if ((r->replaced |= attach_replaced() != 0))
			break;
		look_behind_loss(r);
		look_at_overwritten(r);
		look_at_libraries(r);
		children_look(r->target->pid);
		print_cost(r);
		if (!guard_lives())
			refuse(3, r->target,
				"its probes are gone: the process that keeps them was killed");
		now = now_ns();
		if (lines.events == before && now - lines.last > 1000000000) {
			line_sync(now);
			r->acted = target_is_halted(r->target) ? r->acted : now;
		} else if (lines.events != before) {
			r->acted = now;
		}
		stdout_flush();
	}
}

static void finish_trace(struct tracing *r)
{
	uint64_t live = UINT64_MAX, now;
	char why[200] = "it has ended";
	bool taken = !r->replaced && !ended(r) && take(r, why);
	pid_t left;

	r->until = taken ? r->target->taken : now_ns();
	attach_read(0, on_record, r);
	attach_asleep(on_asleep, r);
	left = guard_end();
	if (left)
		say("the kernel is still taking its probes out: uprobe-guard, process %d, ends when it has\n",
			left);
	detach_all();
	now = now_ns();
	note_losses(r);
	if (taken)
		live = moment_states(&r->follow, &r->found, MOMENT_LAST);
	else if (r->replaced)
		line_exit(now, r->target->pid, r->acted, -1);
	else if (ended(r))
		line_exit(now, r->target->pid, r->acted,
			opt->command ? launch_status() : -1);
	else
		note("no states at the end: %s\n", why);
	line_end(taken ? r->until : now, live,
		!r->replaced && target_is_halted(r->target) ? r->acted : 0);
}

static void report(const struct tracing *r, clock_t used)
{
	double seconds = (double)(now_ns() - r->begun) / 1e9;

	note("%" PRIu64 " records in %.1f s, %.0f/s, %" PRIu64 " lost; own time %.1f %% of a core\n",
		r->follow.records, seconds, (double)r->follow.records / seconds, lines.lost,
		100.0 * (double)used / (double)sysconf(_SC_CLK_TCK) / seconds);
}

static void print_points(uint64_t attach_ns)
{
	char text[24];

	note("%zu C++ functions, %zu types of tokio's tasks, %zu functions by name; probes put in %s\n",
		points.cpp, points.tokio, points.own, ctt_out_duration(text, attach_ns));
	if (points.blind)
		note("%zu C++ functions whose code cannot be decoded are not traced\n", points.blind);
	if (points.stepped)
		note("%zu probes are at instructions that the kernel single-steps, more than 10 us each time in a virtual machine%s\n",
			points.stepped,
			opt->return_probes || !points.cpp ? "" : "; see --return-probes in ct-uprobe(1)");
}

/* Where records begin to count. */
static void begin(struct tracing *r)
{
	char why[200];

	lines.muted = true;
	if (opt->command) {
		r->from = now_ns();
		launch_go();
	} else {
		if (!take(r, why))
			refuse(3, r->target, "%s", why);
		r->from = r->target->taken;
	}
	note_quiet = true;		/* of how many there were each time */
	attach_read(0, on_record, r);
	if (!r->started)
		start(r);
}

void session_run(const struct session_options *options, struct target *t, struct runtimes found)
{
	struct tracing r = { .target = t, .until = UINT64_MAX, .begun = now_ns(), .found = found };
	struct settings s = { .pid = (uint32_t)t->pid };
	struct tms used;
	uint64_t before;

	opt = options;
	children_set(&(struct children_options){ opt->forks, opt->limit_mb, opt->buffer_mb,
		opt->return_probes, opt->quiet });
	r.follow = (struct follow){ .target = t, .sites = sites_new(), .modules = t->modules,
		.launched = options->command, .ids = points_ids(t) };
	r.follow.next_id = r.follow.ids != SIZE_MAX ? 1ull << 40 : 1;
	r.pidfd = (int)syscall(SYS_pidfd_open, t->pid, 0);
	points_find(t, 0, opt->return_probes);
	descriptors_open(&r.follow);
	attach_load(&s, (unsigned)opt->buffer_mb);
	before = r.acted = now_ns();
	line_meta(before, t->pid, opt->command);
	line_process(before, t->pid, t->module[0].path);
	points_attach(t, false);
	if (!attach_watch())
		note("this kernel does not report which descriptors are closed and which threads sleep (raw tracepoints)\n");
	print_points(now_ns() - before);
	begin(&r);
	r.said = now_ns();
	r.next = r.said + 1000000000;
	r.said_cpu = cpu_ns();
	r.said_records = r.follow.records;
	trace(&r);
	finish_trace(&r);
	note_quiet = opt->quiet;
	times(&used);
	if (r.replaced)
		note("it executes another program now, which is not traced: call ct-uprobe again\n");
	if (children_untraced())
		note("it has forked %u times: what goes on as the same program in a child was not traced\n",
			children_untraced());
	report(&r, used.tms_utime + used.tms_stime);
	stdout_flush();
	children_end(launch_interrupted || (opt->for_ns && !ended(&r)));
	follow_free(&r.follow);
	sites_free(r.follow.sites);
}
