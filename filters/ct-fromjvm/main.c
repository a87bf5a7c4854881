/* ct-fromjvm - turn a JVM's dump of its threads into a trace of one moment.
 *
 * in:	what jcmd PID Thread.dump_to_file -format=json FILE writes
 * out:	{"probe_id":29,...,"ev":"state","n":2,"site":3,"on":"mutex:0x..","reason":"BLOCKED"}
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/stdout.h"
#include "fromjvm.h"

static const char help[] =
	"usage: ct-fromjvm [options] [dump.json ...]\n"
	"Turn dumps of a JVM's threads (jcmd PID Thread.dump_to_file -format=json FILE)\n"
	"into a trace of one moment: where each thread, virtual or not, waits, on what,\n"
	"and what monitors it holds. Of several dumps of one process the last is printed,\n"
	"and the earlier ones say since when at least.\n\n"
	"  -o, --output=FILE  write to a file instead of standard output\n"
	"  --quiet           only fatal messages\n"
	"  --strict          no more than without it: a bad dump is status 2 anyhow\n"
	"  --help, --version\n\n"
	"Status: 0 all of it, 2 usage or unusable input, 3 threads that the dump counts\n"
	"and does not list.\n\n"
	"example: jcmd PID Thread.dump_to_file -format=json a.json; sleep 1\n"
	"         jcmd PID Thread.dump_to_file -format=json b.json\n"
	"         ct-fromjvm a.json b.json | ct-lostwake\n";

static struct ctt_common opt = { .product = CTT_FILE };
static const struct option options[] = { CTT_OPT_OUTPUT, CTT_OPT_ALWAYS, CTT_OPT_END };
static const struct ctt_program program = { "ct-fromjvm", help, options, NULL };

static int complain(const struct dump *d)
{
	fprintf(stderr, "%s: ", program.name);
	ctt_out_text(stderr, d->name, strlen(d->name));
	fputs(": ", stderr);
	ctt_out_text(stderr, d->why, strlen(d->why));
	putc('\n', stderr);
	return 2;
}

/* The status for a dump that was printed: JDK's jdk.trackAllThreads=false counts virtual threads that
 * were started by themselves, and has no list of them. */
static int status_of(const struct dump *d)
{
	if (!d->unlisted)
		return 0;
	if (!(opt.flags & CTT_TRACE_QUIET)) {
		fprintf(stderr, "%s: ", program.name);
		ctt_out_text(stderr, d->name, strlen(d->name));
		fprintf(stderr, ": %" PRIu64 " threads are counted and not listed: run the JVM without "
			"-Djdk.trackAllThreads=false\n", d->unlisted);
	}
	return 3;
}

static bool same_process(const struct dump *d, const struct earlier *e, struct dump *next)
{
	if (earlier_goes_on(e, next))
		return true;
	if (!(opt.flags & CTT_TRACE_QUIET)) {
		fprintf(stderr, "%s: ", program.name);
		ctt_out_text(stderr, next->name, strlen(next->name));
		fprintf(stderr, ": process %" PRIu64 " is not the one of ", next->pid);
		ctt_out_text(stderr, d->name, strlen(d->name));
		fputs(", by its threads or its time: a run of its own\n", stderr);
	}
	return false;
}

/* The dump of the files so far, if there is one: of the process that `next` is no dump of. */
static int last_of_process(struct dump *d, struct earlier **e, struct dump *next)
{
	bool noted = d->text && next && next->pid == d->pid;
	int status = 0;

	if (noted && !earlier_note(*e, d)) {
		status = complain(d);
	} else if (d->text && !(noted && same_process(d, *e, next))) {
		status = state_print(d, *e) ? status_of(d) : complain(d);
		earlier_free(*e);
		*e = earlier_new();
	}
	dump_close(d);
	return status;
}

/* Of two statuses. */
static int worse(int a, int b)
{
	return a == 2 || !b ? a : b;
}

static int convert(char *const *files)
{
	struct earlier *e = earlier_new();
	struct dump last = { .name = NULL }, d;
	int status = 0;
	size_t i = 0;

	do {
		const char *file = *files && strcmp(files[i], "-") ? files[i] : NULL;

		if (!dump_open(&d, file)) {
			status = complain(&d);
			dump_close(&d);
			continue;
		}
		status = worse(last_of_process(&last, &e, &d), status);
		last = d;
	} while (*files && files[++i]);
	status = worse(last_of_process(&last, &e, NULL), status);
	earlier_free(e);
	return status;
}

int main(int argc, char *argv[])
{
	int status = convert(ctt_common_parse(argc, argv, &program, &opt));

	return stdout_close(program.name) ? status : 2;
}
