/* ct-fromgo - turn Go's execution trace into ours, so that every other program works on goroutines.
 *
 * in:	what runtime/trace, go test -trace, net/http/pprof and the flight recorder write (Go 1.22 and later)
 * out:	{"probe_id":7,"tid":4711,...,"ev":"suspend","n":9,"site":3,"on":"chan:","stack":5,"reason":"chan receive"}
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out.h"

static const char help[] =
	"usage: ct-fromgo [options] [trace.out ...]\n"
	"Turn execution traces of Go programs (runtime/trace, go test -trace,\n"
	"/debug/pprof/trace, the flight recorder; Go 1.22 and later) into a trace of\n"
	"coroutines, so that all other programs work on goroutines. Several files: a run\n"
	"each.\n\n"
	"  --syscalls=WHICH  all, blocking (default: those whose processor was taken away\n"
	"                    meanwhile), none\n"
	"  --goroutines=FILE a dump of the program's goroutines, taken as the trace ended\n"
	"                    (debug/pprof/goroutine?debug=2, SIGQUIT, goroutineleak):\n"
	"                    says\n"
	"                    which mutex, which WaitGroup, and what Go knows is leaked\n"
	"  --strict          a broken or cut trace is status 2\n"
	"  -o, --output=FILE  write to a file instead of standard output\n"
	"  --quiet           only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0 all of it, 2 usage or unusable input, 3 broken or cut: what is printed\n"
	"is right, but not all.\n\n"
	"example: curl -s 'localhost:6060/debug/pprof/trace?seconds=5' | ct-fromgo | \\\n"
	"         ct-lostwake\n";

static struct ctt_common opt = { .product = CTT_FILE };
static enum go_syscalls syscalls = SYSCALLS_BLOCKING;
static struct hash dumps;

static void read_dump(const char *name)
{
	const char *why;

	if (!goroutines_read(&dumps, name, &why))
		ctt_die("ct-fromgo", name, why);
}

static bool own_option(int letter, const char *arg)
{
	static const char *const words[] = { "none", "blocking", "all" };

	if (letter == 'g') {
		read_dump(arg);
		return true;
	}
	for (unsigned i = 0; letter == 's' && i < 3; i++)
		if (!strcmp(arg, words[i])) {
			syscalls = (enum go_syscalls)i;
			return true;
		}
	return false;
}

static const struct option options[] = { { "syscalls", required_argument, NULL, 's' },
	{ "goroutines", required_argument, NULL, 'g' }, CTT_OPT_OUTPUT, CTT_OPT_ALWAYS, CTT_OPT_END };
static const struct ctt_program program = { "ct-fromgo", help, options, own_option };

static void complain(const struct go_file *f, bool fatal)
{
	if (!fatal && opt.flags & CTT_TRACE_QUIET)
		return;
	fprintf(stderr, "%s: ", program.name);
	ctt_out_text(stderr, f->name, strlen(f->name));
	if (f->gen.any)
		fprintf(stderr, ": generation %" PRIu64, f->gen.number);
	if (f->minor)
		fprintf(stderr, ": byte %" PRIu64, f->why_at);
	fprintf(stderr, ": %s\n", f->why);
}

/* One generation, whole. False: something in it is wrong. */
static bool generation(struct go_map *map, struct go_order *order, bool first)
{
	const struct go_gen *g = &map->f->gen;
	uint64_t ts;

	if (first)
		map_meta(map);
	ts = map_tick(map, go_ns(g, g->min_time));
	map_sync(map, ts);
	if (first)
		map_states(map, order, ts);
	/* of its last batch, written when it was over and the next one had begun */
	map->end = go_ns(g, g->max_time);
	return go_merge(order, map);
}

/* All of a file whose header was good. Its status. */
static int convert(struct go_file *f)
{
	struct go_map map = { .f = f, .syscalls = syscalls, .sites = sites_new() };
	struct go_order order = { .f = f };
	enum go_read got = GO_READ_END;
	bool first = true, good = true;

	while (good && !out_gone && (got = go_next(f)) == GO_READ_GEN) {
		good = generation(&map, &order, first) && !*f->why;
		out_at = out_flush(out_at);	/* the next one may take a second to come */
		first = false;
	}
	if (first && got == GO_READ_END)
		good = go_fail(f, f->pos, "the trace has nothing but its header");
	if (first)
		map_meta(&map);
	map_pending(&map, &order);
	goroutines_join(&map, &order, &dumps);
	good &= !*f->why;
	if (good) {
		map_end(&map);
	} else {
		complain(f, false);
		map_lost(&map, go_lost(&order));
	}
	go_order_free(&order);
	map_free(&map);
	return good ? 0 : opt.flags & CTT_TRACE_STRICT ? 2 : 3;
}

static int file(const char *name)
{
	bool is_stdin = !name || !strcmp(name, "-");
	int status = 2, fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY);
	struct go_file f;

	if (fd < 0) {
		fprintf(stderr, "%s: ", program.name);
		ctt_out_text(stderr, name, strlen(name));
		fprintf(stderr, ": %s\n", strerror(errno));
		return 2;
	}
	need_is(program.name, is_stdin ? "<stdin>" : name);
	if (go_open(&f, fd, is_stdin ? "<stdin>" : name))
		status = convert(&f);
	else
		complain(&f, true);
	go_close(&f);
	if (!is_stdin)
		close(fd);
	return status;
}

int main(int argc, char *argv[])
{
	char **files = ctt_common_parse(argc, argv, &program, &opt);
	int status = 0, s;

	if (dumps.used && *files && files[1])
		ctt_die(program.name, "--goroutines",
			"it belongs to one trace, and there are several");
	out_open(stdout);
	if (!*files)
		status = file(NULL);
	for (; *files && !out_gone; files++) {
		s = file(*files);
		status = s == 2 || !status ? s : status;
	}
	goroutines_free(&dumps);
	return out_close(program.name) ? status : 2;
}
