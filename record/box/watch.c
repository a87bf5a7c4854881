/* watch.c - run a program, write nothing, and when something happens to it write what it did last.
 * Its rings overwrite their oldest events as a box's do; nobody reads them until then. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../complain.h"
#include "../extra/clock.h"
#include "../extra/process.h"
#include "../extra/stack.h"
#include "../harvest.h"
#include "../options.h"
#include "../peer.h"
#include "../print.h"
#include "../region.h"
#include "../site.h"
#include "../stations.h"
#include "../target.h"
#include "box.h"
#include "modes.h"
#include "watch.h"

#define SECOND 1000000000ull
enum { LOOK = 100000000 };
static volatile sig_atomic_t asked;
/* when it was last seen to live; since when neither it nor we have been stopped */
static uint64_t seen_alive, goes_since;

static void on_ask(int sig)
{
	(void)sig;
	asked = 1;
}

/* The newest event of ring i that is of a coroutine; parks and unparks are what an idle worker
 * does. The oldest may be written over just now. */
static uint64_t last_own(const struct region *r, uint32_t i)
{
	enum { FAR = 4096 };
	uint64_t p = ctp_load_acquire(&r->rings[i].head), end = p > FAR ? p - FAR : 0;

	if (p >= r->ring_slots && end < p - r->ring_slots + 1)
		end = p - r->ring_slots + 1;
	while (p > end) {
		const struct ctp_event *e = harvest_slot(r, i, --p);

		if (e->kind != CTP_PARK && e->kind != CTP_UNPARK)
			return e->timestamp;
	}
	return 0;
}

/* latest: the newest up to `now` of what any of them did, which an idle worker's ring may not show any
 * more. */
static bool any_waits(const struct region *r, uint64_t now, uint64_t *latest)
{
	enum { STATIONS_A_PAGE = 64 };
	uint64_t i, used = ctp_load(&r->h->stations_used);
	struct ctp_event e;
	bool waits = false;

	for (i = 0; i < used && i < r->station_count; i++) {
		if (i % STATIONS_A_PAGE == 0 &&
			(i = station_written(r, i)) >= r->station_count)
			break;
		if (!station_copy(&r->stations[i], &e))
			continue;
		waits = waits || e.kind == CTP_SUSPEND;
		if (e.timestamp > *latest && e.timestamp <= now)
			*latest = e.timestamp;
	}
	return waits;
}

/* How long it has gone on, in ns, since a coroutine last did anything; 0 where none waits. */
static uint64_t idle_ns(const struct region *r)
{
	uint64_t latest = 0, ts, now = clock_ticks();
	uint32_t i;

	for (i = 0; i < harvest_rings(r); i++)
		if ((ts = last_own(r, i)) > latest && ts <= now)
			latest = ts;
	if (!any_waits(r, now, &latest))
		return 0;
	latest = latest ? clock_to_ns(latest) : 0;
	return latest && latest < seen_alive ? seen_alive - latest : 0;
}

/* What its end is called; NULL: nothing that was asked for. */
static const char *end_is(const struct options *o, int status)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS };
	size_t i;

	if (WIFEXITED(status))
		return WEXITSTATUS(status) && o->on & ON_EXIT ? "exit" : NULL;
	for (i = 0; i < sizeof crashes / sizeof *crashes; i++)
		if (WTERMSIG(status) == crashes[i])
			return o->on & ON_CRASH ? "crash" : NULL;
	return o->on & ON_SIGNAL ? "signal" : NULL;
}

/* Each look; a hang is reported once, until something moves. */
static void look(const struct region *r, const struct options *o, pid_t pid)
{
	static bool hung;
	uint64_t idle = o->on & ON_HANG ? idle_ns(r) : 0;

	if (idle < o->hang_ns || seen_alive - goes_since < o->hang_ns) {
		hung = false;
	} else if (!hung) {
		hung = true;
		report_write(r, o, "hang", pid, -1, seen_alive);
	}
	if (asked) {
		asked = 0;
		report_write(r, o, "asked", pid, -1, seen_alive);
	}
	report_wait(false);
}

static int follow(const struct region *r, const struct options *o, pid_t pid)
{
	uint64_t ticked = 0, looked = 0, now;
	const char *why;
	int status = 0;

	seen_alive = goes_since = clock_ns();
	while (!target_ended(&status)) {
		peer_wait(LOOK);
		peer_accept();
		now = clock_ns();
		if (process_lives(pid)) {
			goes_since = now - seen_alive > SECOND ? now : goes_since;
			seen_alive = now;
		}
		peer_reap(now);
		if (now - ticked > SECOND) {
			clock_tick();
			harvest_reap(r);
			ticked = now;
		}
		if (now - looked >= (o->hang_ns < SECOND ? LOOK : SECOND) || asked) {
			look(r, o, pid);
			looked = now;
		}
	}
	if ((why = end_is(o, status)) != NULL)
		report_write(r, o, why, pid, status, seen_alive);
	report_wait(true);
	return status;
}

/* Made where it is not there. */
static bool directory(const char *path)
{
	struct stat st;

	if ((mkdir(path, 0777) == 0 || errno == EEXIST) && stat(path, &st) == 0) {
		errno = ENOTDIR;
		if (S_ISDIR(st.st_mode) && access(path, W_OK | X_OK) == 0)
			return true;
	}
	complain("%s: %s", path, strerror(errno));
	return false;
}

int watch(struct options *o)
{
	struct sigaction sa = { .sa_handler = on_ask, .sa_flags = SA_RESTART };
	struct region r = { .fd = -1 };
	int status;
	pid_t pid;

	if (!directory(o->directory))
		return 125;
	if (!region_create(&r, o))
		return 125;
	/* processes are printed as they come; the files notify them anew */
	print_open(open("/dev/null", O_WRONLY | O_CLOEXEC), NULL, 0);
	site_init(&r);
	stack_init(&r);
	harvest_init(&r);
	sigemptyset(&sa.sa_mask);
	sigaction(SIGRTMIN + 1, &sa, NULL);
	peer_init(&r);
	target_spares = report_is_by;
	pid = target_start(&r, o, peer_forked);
	if (pid < 0) {
		region_remove(&r);
		return target_error ? target_error : 125;
	}
	status = follow(&r, o, pid);
	region_remove(&r);
	if (!o->quiet && !peer_attached())
		complain(
			"the program has not attached: is it built with a probe, and does it call ct_init()?");
	else if (!o->quiet && ctp_load(&r.h->allocated_count))
		complain(
			"its probe is of version 1, or too old: of its coroutines nothing was kept");
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* --dump=PID: ask a recorder that watches. */
int watch_ask(pid_t pid)
{
	char text[4096];
	size_t i, n = process_arguments(pid, text, sizeof text);
	bool watches = false;

	for (i = 0; i < n; i += strlen(text + i) + 1)
		watches = watches || strncmp(text + i, "--last", 6) == 0;
	/* to others, as a shell with our command line, or ours before it is ready, it is deadly */
	if (!watches || !process_catches(pid, SIGRTMIN + 1))
		complain("process %ld is no ct-record --last", (long)pid);
	else if (kill(pid, SIGRTMIN + 1) < 0)
		complain("process %ld: %s", (long)pid, strerror(errno));
	else
		return 0;
	return 125;
}
