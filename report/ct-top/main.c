/* ct-top - watch a trace as it comes: threads, coroutines and findings, in the terminal.
 *
 * in:	a trace (ct-trace(5)), mostly from a recorder at work: ct-record ./app | ct-top
 * out:	ct-top  +12.4s  live  ./app
 *	81.2k events/s  lost 0  50 live: 50 suspended 0 runnable 0 running 0 created
 *	findings so far: 47 proven 0 suspected 0 unknown
 */
#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "top.h"

static const char help[] =
	"usage: ct-top [options] [trace ...]\n"
	"Show a trace in the terminal while it comes: events a second, threads,\n"
	"coroutines by state, site and age, and what ct-lostwake would say so far. Stays\n"
	"on the last state when the stream ends; h shows the keys, q quits. Where\n"
	"standard output is no terminal, reads all and prints one summary.\n\n"
	"  --allow=FILE    sites that may wait for ever, as for ct-lostwake: none of\n"
	"                  them is accused\n"
	"  --grace=DUR     a cause younger than this accuses nobody (default 100ms)\n"
	"  --min-age=DUR   only coroutines that have been in their state for so long\n"
	"  --site=REGEX    only those at a matching site (\"serve() serve.cc:42\")\n"
	"  --name=REGEX    only those with a matching name\n"
	"  --color=WHEN    auto, always, never\n"
	"  --strict        bad lines are status 2\n"
	"  --quiet         only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0 nothing found; 1 something proven or suspected; 2 usage or unusable\n"
	"input; 3 inconclusive, as when left before the trace ended.\n\n"
	"example: ct-record ./app 2>app.log | ct-top\n";

static const struct option options[] = { CTT_OPT_ALLOW, CTT_OPT_GRACE, CTT_OPT_MIN_AGE,
	CTT_OPT_SITE, CTT_OPT_NAME, CTT_OPT_COLOR, CTT_OPT_ALWAYS, CTT_OPT_END };
static const struct ctt_program program = { "ct-top", help, options, NULL };
static struct ctt_common opt = { .grace = CTT_JUDGE_GRACE_NS };
static struct watch watch = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, .opt = &opt };

static void *read_all(void *arg)
{
	(void)arg;
	watch_read(&watch);
	return NULL;
}

/* All signals are for the thread that draws. */
static pthread_t start_reader(void)
{
	pthread_t reader;
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&reader, NULL, read_all, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		ctt_die(program.name, "cannot start a thread", strerror(error));
	return reader;
}

/* Judge every run as it stands; the status. */
static int judge_all(void)
{
	int status = 0;

	for (uint32_t i = 0; i < watch.count; i++) {
		int s;

		verdicts_take(&watch, i);
		s = verdicts_status(&opt, watch.run[i]);
		status = ctt_status_fold(status, s);
	}
	return status;
}

static void print(const struct lines *l)
{
	static const char *const colors[LOOKS] = { [LOOK_TITLE] = "\033[1;36m",
		[LOOK_BOLD] = "\033[1m",
		[LOOK_DIM] = "\033[2m",
		[LOOK_GOOD] = "\033[1;32m",
		[LOOK_PROVEN] = "\033[1;31m",
		[LOOK_SUSPECTED] = "\033[1;33m",
		[LOOK_UNKNOWN] = "\033[1;35m" };

	for (size_t i = 0; i < l->count; i++) {
		const char *color = opt.color ? colors[l->line[i]->look & ~LOOK_PICKED] : NULL;

		fputs(color ? color : "", stdout);
		ctt_out_text(stdout, l->line[i]->text, strlen(l->line[i]->text));
		puts(color ? "\033[0m" : "");
	}
}

static int summary(void)
{
	struct lines l = { 0 };
	int status;

	watch_read(&watch);
	status = judge_all();
	for (uint32_t i = 0; i < watch.count; i++) {
		if (i)
			lines_add(&l, LOOK_PLAIN, "%s", "");
		show_summary(&l, &watch, i);
	}
	print(&l);
	lines_free(&l);
	return status;
}

/* Until the user has enough. The reader may be waiting for input that never comes: who leaves early
 * leaves it there. */
static int show(void)
{
	pthread_t reader = start_reader();
	int by = screen_run(&watch), status;
	bool over;

	screen_close();
	if (by) {
		signal(by, SIG_DFL);
		raise(by);
	}
	watch_lock(&watch);
	over = watch.over;
	watch.over = true;		/* else: judged as a trace that was cut here */
	status = judge_all();
	if (!over) {
		if (!(opt.flags & CTT_TRACE_QUIET))
			fprintf(stderr, "%s: left before the trace ended: what writes it, and its "
				"program, may still run\n", program.name);
		_exit(opt.flags & CTT_TRACE_STRICT && ctt_trace_stats(watch.in)->bad ? 2 :
				watch.count                                          ? status :
										       3);
	}
	watch_unlock(&watch);
	pthread_join(reader, NULL);
	return status;
}

int main(int argc, char *argv[])
{
	char **files = ctt_common_parse(argc, argv, &program, &opt);
	bool screen;
	int status;

	setlocale(LC_CTYPE, "");
	screen = screen_open(&opt);
	if (!screen)	/* what goes into a file is the same in every locale */
		setlocale(LC_CTYPE, "C.UTF-8");
	watch.in = ctt_trace_open(files, program.name);
	ctt_trace_set(watch.in, opt.flags);
	status = screen ? show() : summary();
	watch_free(&watch);
	return ctt_trace_finish(watch.in, status);
}
