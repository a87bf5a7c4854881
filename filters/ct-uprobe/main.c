/* ct-uprobe - the history of a process that was never prepared, by the kernel's uprobes.
 *
 * in:	ct-uprobe -p 4711
 * out:	{"ev":"meta",...,"attached":true} ... {"probe_id":7,...,"ev":"state",...} ... {"probe_id":7,...,"ev":"resume","n":3} ...
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "base/stdout.h"
#include "launch.h"
#include "own.h"
#include "session.h"
#include "snap/die.h"
#include "tool/output.h"

static const char help[] =
	"usage: ct-uprobe [options] -p PID\n"
	"       ct-uprobe [options] -- PROGRAM [ARG...]\n"
	"Trace the coroutines of a program that was never prepared: C++20 frames, tokio's\n"
	"tasks, and what the functions below run; which descriptors are closed, and when\n"
	"workers sleep. Probes of the kernel are put into its functions; a process that\n"
	"runs stands still for about a millisecond, at the beginning and at the end.\n"
	"Needs Linux 6.6, x86-64, symbols in its files, and root's rights.\n\n"
	"  -p, --pid=PID    this process\n"
	"  --for=TIME       so long; else until it is interrupted, or the process ends\n"
	"  --wake=SYMBOL[:ARG]     the function SYMBOL wakes the coroutine that is its\n"
	"                          argument number ARG: 1 (the first) to 6\n"
	"  --resume=SYMBOL[:ARG]   this one runs it, until it returns or:\n"
	"  --suspend=SYMBOL[:ARG]  this one suspends it; ARG 0: the one that runs\n"
	"  --destroy=SYMBOL[:ARG]  this one ends it; ARG 0: the one that runs\n"
	"  --return-probes  C++: cheap, but an exception that leaves a resume() will end\n"
	"                   the process: only where all promises keep theirs\n"
	"  -f, --follow-forks  trace children that go on as the same program, too, each\n"
	"                   into the file of -o with .PID behind its name\n"
	"  --buffer=MB      how much may wait to be read (32; a power of two)\n"
	"  --limit=MB       refuse to copy more memory than this (4096)\n"
	"  --target-stdout=FILE  PROGRAM's own stdout (default: to stderr)\n"
	"  -o, --output=FILE  write the trace there instead of standard output\n"
	"  --quiet          only fatal messages\n"
	"  --help, --version\n\n"
	"Status: that of PROGRAM, 128 + a signal that ended it, 125 to 127 where it could\n"
	"not be started or traced; with -p 0 done, 2 usage or unusable input, 3 it cannot\n"
	"be traced: rights, kernel, stripped, no coroutines. stderr says why.\n\n"
	"example: ct-uprobe -p 4711 --for=10s | ct-lostwake\n";

static struct ctt_common opt = { .product = CTT_FILE };
static int pid;
static const char *target_stdout;
static bool follow_forks;
static struct session_options session = { .limit_mb = 4096, .buffer_mb = 32 };

enum { OWN = 16 };		/* and the kind of point: an option that names its function */

static bool own_option(int letter, const char *arg)
{
	uint64_t v;

	switch (letter) {
	case 'p':
		pid = ctt_parse_number(arg, 1, INT32_MAX, &v) ? (int)v : 0;
		return pid;
	case 1:
		return ctt_parse_duration(arg, &session.for_ns) && session.for_ns;
	case 2:
		session.return_probes = true;
		return true;
	case 3:
		return ctt_parse_number(arg, 1, 1024, &session.buffer_mb) &&
			!(session.buffer_mb & (session.buffer_mb - 1));
	case 4:
		return ctt_parse_number(arg, 1, UINT64_MAX >> 20, &session.limit_mb);
	case 'f':
		return follow_forks = true;
	case 5:
		target_stdout = arg;
		return true;
	case OWN + P_OWN_WAKE: case OWN + P_OWN_RESUME: case OWN + P_OWN_SUSPEND:
	case OWN + P_OWN_DESTROY:
		return own_add((enum point_kind)(letter - OWN), arg);
	}
	return false;
}

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' }, { "for", required_argument, NULL, 1 },
	{ "follow-forks", no_argument, NULL, 'f' },
	{ "return-probes", no_argument, NULL, 2 }, { "buffer", required_argument, NULL, 3 },
	{ "limit", required_argument, NULL, 4 }, { "target-stdout", required_argument, NULL, 5 },
	{ "wake", required_argument, NULL, OWN + P_OWN_WAKE },
	{ "resume", required_argument, NULL, OWN + P_OWN_RESUME },
	{ "suspend", required_argument, NULL, OWN + P_OWN_SUSPEND },
	{ "destroy", required_argument, NULL, OWN + P_OWN_DESTROY },
	CTT_OPT_OUTPUT, { "quiet", no_argument, NULL, CTT_COMMON_QUIET },
	{ "help", no_argument, NULL, CTT_COMMON_HELP },
	{ "version", no_argument, NULL, CTT_COMMON_VERSION }, CTT_OPT_END
};
static const struct ctt_program program = { "ct-uprobe", help, options, own_option };

/* ---- which process ---- */

static void name_missing(struct target *t)
{
	char near[500];

	for (size_t i = 0; i < own_count; i++) {
		if (owns[i].found)
			continue;
		if (own_near(t, &owns[i], near, sizeof(near)))
			refuse(3, t, "no function is called %s; there is %s", owns[i].symbol, near);
		refuse(3, t, "no function is called %s, nor nearly so: is it inlined, or stripped?",
			owns[i].symbol);
	}
}

/* What is there to be traced? False: nothing. */
static bool look(struct target *t, struct runtimes *found)
{
	size_t named;

	*found = moment_find(t);
	named = own_find(t, 0, NULL);
	if (!found->cpp && !found->tokio && !named)
		return false;
	if (named < own_count)
		name_missing(t);
	return true;
}

static void forget(struct target *t)
{
	kinds_free();
	tokio_types_free();
	die_forget();
	target_free(t);
	t->modules = 0;
}

static void attach_to(struct target *t)
{
	struct runtimes found;

	launch_signals();
	target_live(t, pid, pid);
	if (!look(t, &found)) {
		name_missing(t);
		refuse(3, t,
			"no C++20 coroutines and no tokio among its symbols: which runtime is it, or was it stripped (strip -s)? ct-snap knows Go, too; --resume names your own; else build with a probe");
	}
	session_run(&session, t, found);
	forget(t);
}

/* Has any of the names that are missing one nearly like it? Then it is this program that is meant. */
static bool is_meant(struct target *t)
{
	char near[500];

	for (size_t i = 0; i < own_count; i++)
		if (own_near(t, &owns[i], near, sizeof(near)))
			return true;
	return false;
}

/* Through what only executes another program, as env or a shell. */
static bool start_and_trace(char **command)
{
	struct runtimes found;
	char name[16];

	pid = launch(command, target_stdout);
	snprintf(name, sizeof(name), "%d", pid);
	while (launch_next()) {
		struct target t = { .name = name };

		target_live(&t, pid, pid);
		if (look(&t, &found)) {
			session_run(&session, &t, found);
			forget(&t);
			return true;
		}
		if (is_meant(&t))
			name_missing(&t);
		note("%s has nothing to trace; it goes on, and what it executes is looked at\n",
			t.module[0].path);
		forget(&t);
	}
	return false;
}

int main(int argc, char *argv[])
{
	struct target t = { .name = NULL };
	char **command, name[16];
	bool traced = true;
	int status;

	command = ctt_common_parse(argc, argv, &program, &opt);
	note_program = program.name;
	session.quiet = note_quiet = opt.flags & CTT_TRACE_QUIET;
	if (!pid == !*command)
		refuse(2, &t, "-p PID or a program to start is needed (try --help)");
	if (target_stdout && pid)
		refuse(2, &t, "--target-stdout is for a program that is started");
	if (target_stdout && output_is(target_stdout))
		refuse(2, &t, "--target-stdout: the trace is written there");
	if (follow_forks && !opt.output)
		refuse(2, &t, "--follow-forks needs -o FILE: those of children are called FILE.PID");
	session.forks = follow_forks ? opt.output : NULL;
	session.command = *command ? command : NULL;
	refuse_as = *command ? 125 : 0;
	attach_allowed();
	snprintf(name, sizeof(name), "%d", pid);
	t.name = name;
	if (pid)
		attach_to(&t);
	else
		traced = start_and_trace(command);
	status = stdout_close(program.name) ? 0 : 2;
	if (pid && !session.command)
		return status;
	if (!traced)
		note("neither C++20 coroutines nor tokio, nor what was named, was in it: there is no trace\n");
	pid = launch_wait();
	return status || !traced ? 125 : pid;
}
