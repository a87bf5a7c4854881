/* ct-snap - the coroutines of a process that was never prepared, or of its core file, as a trace.
 *
 * in:	ct-snap -p 4711, or ct-snap core.4711 ./server
 * out:	{"ev":"meta",...,"snapshot":true,"memory":"stopped"} ... {"probe_id":7,...,"ev":"state",...,"site":3,"on":"fd:42",...} ...
 */
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/stdout.h"
#include "snap/die.h"
#include "print.h"

static const char help[] =
	"usage: ct-snap [options] -p PID | CORE [EXECUTABLE]\n"
	"Print the coroutines of a process that was never prepared as a trace: C++20\n"
	"frames, tasks of tokio, smol and async-std, goroutines, each with what it waits\n"
	"on and where; stacks that swapcontext(3) switches, each with where it is.\n"
	"The process stands still for about a millisecond. Or those in its core file.\n\n"
	"  -p, --pid=PID    of this process\n"
	"  --again=TIME     look twice, so long apart: what is the same has not moved\n"
	"  --nonstop        never stop it; then it is not one moment that is seen\n"
	"  --limit=MB       refuse to copy more memory than this (4096)\n"
	"  -o, --output=FILE  write the trace there instead of standard output\n"
	"  --quiet          only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0 done, 2 usage or unusable input, 3 it cannot be read, or only by\n"
	"guessing: stripped, 32-bit, not permitted, no coroutines. stderr says why.\n\n"
	"example: ct-snap -p 4711 | ct-stuck\n";

static struct ctt_common opt = { .product = CTT_FILE };
static int pid;
static uint64_t again_ns, limit_mb = 4096;
static bool nonstop;

static bool own_option(int letter, const char *arg)
{
	uint64_t v;

	switch (letter) {
	case 'p':
		pid = ctt_parse_number(arg, 1, INT32_MAX, &v) ? (int)v : 0;
		return pid;
	case 1:
		return ctt_parse_duration(arg, &again_ns) && again_ns;
	case 3:
		return ctt_parse_number(arg, 1, UINT64_MAX >> 20, &limit_mb);
	case 2:
		nonstop = true;
		return true;
	}
	return false;
}

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' }, { "again", required_argument, NULL, 1 },
	{ "nonstop", no_argument, NULL, 2 }, { "limit", required_argument, NULL, 3 },
	CTT_OPT_OUTPUT, { "quiet", no_argument, NULL, CTT_COMMON_QUIET },
	{ "help", no_argument, NULL, CTT_COMMON_HELP },
	{ "version", no_argument, NULL, CTT_COMMON_VERSION }, CTT_OPT_END
};
static const struct ctt_program program = { "ct-snap", help, options, own_option };

static const struct runtime *const runtimes[] = { &cpp_runtime, &tokio_runtime,
	&async_task_runtime, &go_runtime, &fiber_runtime, &boost_runtime,
	&minicoro_runtime, &libaco_runtime };
enum { RUNTIMES = sizeof(runtimes) / sizeof(runtimes[0]) };

static void print_cost(const struct target *t)
{
	char text[24];

	if (t->paused_ns)
		note("paused %s, %zu threads, copied %.1f MB\n",
			ctt_out_duration(text, t->paused_ns), t->threads, (double)t->copied / 1e6);
	else if (t->live)
		note("not stopped: what is seen is not one moment; copied %.1f MB\n",
			(double)t->copied / 1e6);
}

static struct snapshot snapshot(struct target *t, struct sites *sites, const bool *found)
{
	struct snapshot s = { .target = t, .taken = t->taken, .sites = sites };

	for (int i = 0; i < RUNTIMES; i++)
		if (found[i])
			runtimes[i]->read(&s);
	return s;
}

static void nap(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (nanosleep(&t, &t))
		;
}

/* Meanwhile a look at what counts how often each ran: at uneven moments. */
static void nap_watching(struct target *t, struct snapshot *s, const bool *found)
{
	static const unsigned part[] = { 1, 2, 5, 7, 13, 17, 19 };	/* 64ths; the last: none */

	for (size_t k = 0; k < sizeof(part) / sizeof(*part); k++) {
		nap(again_ns / 64 * part[k]);
		for (int i = 0; i < RUNTIMES && k + 1 < sizeof(part) / sizeof(*part); i++)
			if (found[i] && runtimes[i]->watch)
				runtimes[i]->watch(t, s);
	}
}

static void take(struct target *t, const struct take *how)
{
	char why[200];

	if (!target_take(t, how, why))
		refuse(3, t, "%s", why);
	print_cost(t);
}

static void look(struct target *t)
{
	struct take how = { .nonstop = nonstop, .limit = limit_mb << 20 };
	struct snapshot first = { .target = NULL }, s;
	struct sites *sites = sites_new();
	bool found[RUNTIMES], any = false, halted;

	for (int i = 0; i < RUNTIMES; i++)
		any |= found[i] = runtimes[i]->find(t, &how);
	if (!any)
		refuse(3, t,
			"no C++20 frames, no tokio, no Go, no swapcontext, no Boost.Fiber among its symbols: which runtime is it, or was it stripped?");
	take(t, &how);
	halted = t->halted;
	snap_begin(t, !t->live ? "core" : nonstop ? "running" : "stopped");
	s = snapshot(t, sites, found);
	if (again_ns && t->live && !halted) {
		first = s;
		nap_watching(t, &first, found);
		take(t, &how);
		s = snapshot(t, sites, found);
	}
	halted |= t->halted;
	if (halted)
		note("it was stopped already, as by SIGSTOP: no age says anything\n");
	snap_print(&s, first.target && !halted ? &first : NULL);
	snap_free(&s);
	snap_free(&first);
	sites_free(sites);
	for (int i = 0; i < RUNTIMES; i++)
		if (found[i])
			runtimes[i]->forget();
}

/* Cores, and files with symbols, are mapped: what is behind the end of one raises this. */
static void cut(int sig)
{
	static const char message[] = "ct-snap: a file was cut while it was read\n";

	(void)sig;
	_exit(write(STDERR_FILENO, message, sizeof(message) - 1) < 0 ? 3 : 3);
}

int main(int argc, char *argv[])
{
	struct target t = { .name = NULL };
	char **files, name[16];

	signal(SIGBUS, cut);
	/* what is freed stays ours, so that no page has to be found while a process stands still */
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	files = ctt_common_parse(argc, argv, &program, &opt);
	note_program = program.name;
	note_quiet = opt.flags & CTT_TRACE_QUIET;
	if (!pid == !*files || (*files && files[1] && files[2]))
		refuse(2, &t, "one of -p PID and CORE [EXECUTABLE] is needed (try --help)");
	if (again_ns && !pid)
		refuse(2, &t, "--again: a core does not change");
	snprintf(name, sizeof(name), "%d", pid);
	t.name = pid ? name : files[0];
	if (pid)
		target_live(&t, pid, target_lives_as(pid));
	else
		target_core(&t, files[0], files[1]);
	look(&t);
	die_forget();
	target_free(&t);
	return stdout_close(program.name) ? 0 : 2;
}
