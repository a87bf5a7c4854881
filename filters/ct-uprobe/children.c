/* children.c - processes that the traced one forks. Contracts in children.h.
 *
 * Each is traced as a process of its own, from then on, by another ct-uprobe into another file: a
 * trace is that of one process, and addresses mean nothing in two.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/stdout.h"
#include "children.h"
#include "launch.h"
#include "lines.h"
#include "own.h"

static const struct children_options *opt;
static struct forked { uint64_t pid, ts; } *forked;	/* not looked at yet */
static size_t forks, fork_room;
static pid_t *tracer;
static size_t tracers, tracer_room;
static unsigned untraced;

void children_set(const struct children_options *options)
{
	opt = options;
}

void children_forked(uint64_t child, uint64_t ts)
{
	*ADD(forked, forks, fork_room) = (struct forked){ child, ts };
}

unsigned children_untraced(void)
{
	return untraced;
}

static bool same_program(int parent, uint64_t child, char *path, size_t size)
{
	char link[64];
	struct stat own, other;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/exe", parent);
	if (stat(link, &own))
		return false;
	snprintf(link, sizeof(link), "/proc/%" PRIu64 "/exe", child);
	len = readlink(link, path, size - 1);
	if (len < 0 || stat(link, &other) || own.st_ino != other.st_ino ||
		own.st_dev != other.st_dev)
		return false;
	path[len] = '\0';
	return true;
}

/* ---- another ct-uprobe ---- */

struct words { char **item; size_t count, room; };

static void word(struct words *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void word(struct words *w, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = need(NULL);
	va_end(args);
	*ADD(w->item, w->count, w->room) = text;
}

static void run_tracer(uint64_t child)
{
	static const char *const names[] = { [P_OWN_WAKE] = "wake", [P_OWN_RESUME] = "resume",
		[P_OWN_SUSPEND] = "suspend", [P_OWN_DESTROY] = "destroy" };
	struct words w = { .item = NULL };

	word(&w, "%s", note_program);
	word(&w, "--pid=%" PRIu64, child);
	word(&w, "--output=%s.%" PRIu64, opt->output, child);
	word(&w, "--follow-forks");
	word(&w, "--buffer=%" PRIu64, opt->buffer_mb);
	word(&w, "--limit=%" PRIu64, opt->limit_mb);
	if (opt->return_probes)
		word(&w, "--return-probes");
	if (opt->quiet)
		word(&w, "--quiet");
	for (size_t i = 0; i < own_count; i++)
		word(&w, "--%s=%s:%u", names[owns[i].kind], owns[i].symbol, owns[i].argument);
	*ADD(w.item, w.count, w.room) = NULL;
	prctl(PR_SET_PDEATHSIG, SIGINT);
	execv("/proc/self/exe", w.item);
	_exit(127);
}

static void start_tracer(uint64_t child)
{
	pid_t pid;

	stdout_flush();
	pid = fork();
	if (!pid)
		run_tracer(child);
	if (pid > 0)
		*ADD(tracer, tracers, tracer_room) = pid;
	note("it has forked: process %" PRIu64 " is traced into %s.%" PRIu64 "\n", child,
		opt->output, child);
}

static void leave_alone(uint64_t child)
{
	enum { SAID = 3 };

	if (++untraced <= SAID)
		note("it has forked: process %" PRIu64
		     " is not traced: ct-uprobe -p %" PRIu64 ", or --follow-forks%s\n",
			child, child, untraced == SAID ? "; of further ones only how many" : "");
}

void children_look(int parent)
{
	const uint64_t while_ns = 50000000;
	size_t kept = 0;
	char path[4096];

	for (size_t i = 0; i < forks; i++) {
		if (now_ns() - forked[i].ts < while_ns) {
			forked[kept++] = forked[i];
			continue;
		}
		if (!same_program(parent, forked[i].pid, path, sizeof(path)))
			continue;
		line_child(now_ns(), (int)forked[i].pid, parent, path);
		note_quiet = opt->quiet;
		if (opt->output)
			start_tracer(forked[i].pid);
		else
			leave_alone(forked[i].pid);
		note_quiet = true;
	}
	forks = kept;
}

void children_end(bool now)
{
	for (size_t i = 0; i < tracers; i++) {
		int status = 0;
		bool told = false;

		do {
			if ((now || launch_interrupted) && !told)
				kill(tracer[i], SIGINT);
			told = now || launch_interrupted;
		} while (waitpid(tracer[i], &status, told ? 0 : WNOHANG) == 0 && !usleep(20000));
	}
	free(tracer);
	free(forked);
	tracer = NULL;
	forked = NULL;
	tracers = tracer_room = forks = fork_room = 0;
}
