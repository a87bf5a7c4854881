/* ct-uprobe - the history of a process that was never prepared, by the kernel's uprobes.
 *
 * in:	ct-uprobe -p 4711
 * out:	{"ev":"meta",...,"attached":true} ... {"probe_id":7,...,"ev":"state",...} ... {"probe_id":7,...,"ev":"resume","n":3} ...
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "follow.h"
#include "moment.h"
#include "snap/die.h"

static const char help[] =
	"usage: ct-uprobe [options] -p PID\n"
	"Trace the coroutines of a process that was never prepared, from now on: C++20\n"
	"frames and tokio's tasks. Probes of the kernel are put into its functions; it\n"
	"stands still for about a millisecond, at the beginning and at the end.\n"
	"Needs Linux 6.6, x86-64, symbols in its files, and root's rights.\n\n"
	"  -p, --pid=PID    this process\n"
	"  --for=TIME       so long; else until it is interrupted, or the process ends\n"
	"  --return-probes  C++: cheap, but an exception that leaves a resume() will end\n"
	"                   the process: only where all promises keep theirs\n"
	"  --buffer=MB      how much may wait to be read (32; a power of two)\n"
	"  --limit=MB       refuse to copy more memory than this (4096)\n"
	"  -o, --output=FILE  write the trace there instead of standard output\n"
	"  --quiet          only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0 done, 2 usage or unusable input, 3 it cannot be traced: rights,\n"
	"kernel, stripped, no coroutines. stderr says why.\n\n"
	"example: ct-uprobe -p 4711 --for=10s | ct-lostwake\n";

static struct ctt_common opt = { .product = CTT_FILE };
static int pid;
static uint64_t for_ns, limit_mb = 4096, buffer_mb = 32;
static bool return_probes;

static bool own_option(int letter, const char *arg)
{
	uint64_t v;

	switch (letter) {
	case 'p':
		pid = ctt_parse_number(arg, 1, INT32_MAX, &v) ? (int)v : 0;
		return pid;
	case 1:
		return ctt_parse_duration(arg, &for_ns) && for_ns;
	case 2:
		return_probes = true;
		return true;
	case 3:
		return ctt_parse_number(arg, 1, 1024, &buffer_mb) && !(buffer_mb & (buffer_mb - 1));
	case 4:
		return ctt_parse_number(arg, 1, UINT64_MAX >> 20, &limit_mb);
	}
	return false;
}

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' }, { "for", required_argument, NULL, 1 },
	{ "return-probes", no_argument, NULL, 2 }, { "buffer", required_argument, NULL, 3 },
	{ "limit", required_argument, NULL, 4 },
	CTT_OPT_OUTPUT, { "quiet", no_argument, NULL, CTT_COMMON_QUIET },
	{ "help", no_argument, NULL, CTT_COMMON_HELP },
	{ "version", no_argument, NULL, CTT_COMMON_VERSION }, CTT_OPT_END
};
static const struct ctt_program program = { "ct-uprobe", help, options, own_option };

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

/* ---- a run ---- */

struct tracing {
	struct follow follow;
	struct runtimes found;
	struct target *target;
	/* of records: older ones are followed silently, later ones dropped */
	uint64_t from, until;
	bool started;
	uint64_t begun, lines_at, lost_at;	/* when; latest line, latest loss */
	int pidfd;
};

static void start(struct tracing *r)
{
	uint64_t live;

	r->started = true;
	lines.muted = false;
	live = moment_states(&r->follow, &r->found, true);
	line_attach(r->from, live == UINT64_MAX ? 0 : live);
}

static void on_record(void *arg, const struct record *record)
{
	struct tracing *r = arg;

	if (record->ts > r->until)
		return;
	if (!r->started && record->ts > r->from)
		start(r);
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

/* Behind a loss, once there is room again: the states as they are. */
static void look_again(struct tracing *r)
{
	enum { QUIET_NS = 200000000 };
	char why[200];

	if (!r->lost_at || now_ns() - r->lost_at < QUIET_NS)
		return;
	r->lost_at = 0;
	if (!moment_take(r->target, limit_mb, why)) {
		note("no states behind the loss: %s\n", why);
		return;
	}
	r->until = r->target->taken;
	attach_read(0, on_record, r);
	moment_states(&r->follow, &r->found, false);
	r->until = UINT64_MAX;
}

static bool ended(const struct tracing *r)
{
	struct pollfd p = { r->pidfd, POLLIN, 0 };

	return r->pidfd >= 0 && poll(&p, 1, 0) > 0;
}

static void trace(struct tracing *r)
{
	uint64_t end = for_ns ? r->begun + for_ns : UINT64_MAX;

	while (!interrupted && now_ns() < end && !ended(r) && !ferror(stdout)) {
		uint64_t before = lines.events, now;

		attach_read(100, on_record, r);
		note_losses(r);
		look_again(r);
		now = now_ns();
		if (lines.events == before && now - lines.last > 1000000000)
			line_sync(now);
		fflush(stdout);
	}
}

static void finish_trace(struct tracing *r)
{
	uint64_t live = UINT64_MAX, now;
	char why[200] = "it has ended";
	bool taken = !ended(r) && moment_take(r->target, limit_mb, why);

	r->until = taken ? r->target->taken : now_ns();
	attach_read(0, on_record, r);
	detach_all();
	now = now_ns();
	note_losses(r);
	if (taken)
		live = moment_states(&r->follow, &r->found, false);
	else if (ended(r))
		line_exit(now, pid, lines.last);
	else
		note("no states at the end: %s\n", why);
	line_end(taken ? r->until : now, live);
}

static void report(const struct tracing *r, clock_t used)
{
	double seconds = (double)(now_ns() - r->begun) / 1e9;

	note("%" PRIu64 " records in %.1f s, %.0f/s, %" PRIu64 " lost; own time %.1f %% of a core\n",
		r->follow.records, seconds, (double)r->follow.records / seconds, lines.lost,
		100.0 * (double)used / (double)sysconf(_SC_CLK_TCK) / seconds);
}

static void tell_points(uint64_t attach_ns)
{
	char text[24];

	note("%zu C++ functions, %zu types of tokio's tasks; probes put in %s\n", points.cpp,
		points.tokio, ctt_out_duration(text, attach_ns));
	if (points.blind)
		note("%zu C++ functions whose code cannot be decoded are not traced\n", points.blind);
	if (points.stepped)
		note("%zu probes are at instructions that the kernel single-steps, more than 10 us each time in a virtual machine%s\n",
			points.stepped,
			return_probes ? "" : "; see --return-probes in ct-uprobe(1)");
}

static void trace_process(struct target *t)
{
	struct tracing r = { .target = t, .until = UINT64_MAX, .begun = now_ns() };
	struct settings s = { .pid = (uint32_t)pid };
	struct tms used;
	char why[200];
	uint64_t before;

	r.follow = (struct follow){ .target = t, .sites = sites_new() };
	r.found = moment_find(t);
	if (r.found.memory && tokio.id_known)
		s = (struct settings){ s.pid, 1, (uint32_t)tokio.vtable_at, (uint32_t)tokio.id_at };
	r.follow.next_id = s.has_ids ? 1ull << 40 : 1;
	r.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	points_find(t, return_probes);
	attach_load(&s, (unsigned)buffer_mb);
	before = now_ns();
	line_meta(before, pid);
	line_process(before, pid, t->module[0].path);
	points_attach(t);
	tell_points(now_ns() - before);
	lines.muted = true;
	if (!moment_take(t, limit_mb, why))
		refuse(3, t, "%s", why);
	r.from = t->taken;
	note_quiet = true;		/* of how many there were each time */
	attach_read(0, on_record, &r);
	if (!r.started)
		start(&r);
	trace(&r);
	finish_trace(&r);
	note_quiet = opt.flags & CTT_TRACE_QUIET;
	times(&used);
	report(&r, used.tms_utime + used.tms_stime);
	follow_free(&r.follow);
	sites_free(r.follow.sites);
}

/* A reader that left has what it wanted; a full disk is no success. */
static int finish(void)
{
	bool failed = ferror(stdout);

	errno = 0;
	failed |= fflush(stdout) != 0;
	failed |= fclose(stdout) != 0;
	if (!failed || errno == EPIPE)
		return 0;
	fprintf(stderr, "%s: <stdout>: %s\n", program.name, errno ? strerror(errno) : "write error");
	return 2;
}

int main(int argc, char *argv[])
{
	struct sigaction action = { .sa_handler = on_signal };
	struct target t = { .name = NULL };
	char **files, name[16];

	files = ctt_common_parse(argc, argv, &program, &opt);
	note_program = program.name;
	note_quiet = opt.flags & CTT_TRACE_QUIET;
	if (!pid || *files)
		refuse(2, &t, "-p PID is needed (try --help)");
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	snprintf(name, sizeof(name), "%d", pid);
	t.name = name;
	attach_allowed();
	target_live(&t, pid);
	trace_process(&t);
	kinds_free();
	tokio_types_free();
	die_forget();
	target_free(&t);
	return finish();
}
