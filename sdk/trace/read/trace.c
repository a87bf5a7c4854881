/* trace.c - read a trace: good lines to the caller, bad ones reported, counted and skipped.
 * Contracts in cttrace/read.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/stdout.h"
#include "read/input.h"
#include "read/runs.h"
#include "read/unpack.h"

enum { BAD_LINES_TOLD = 5, DIRECT = 4096 };

struct ctt_trace {
	struct input in;
	struct runs runs;
	struct habits habits;
	struct ctt_trace_stats stats;
	struct progress progress;
	bool open;			/* a file is being read */
	unsigned flags;
	uint64_t line, bad, first_bad;	/* of this file */
	uint64_t lines_before;		/* of the files before */
	char *scratch;
	size_t scratch_size;
	void (*on_bad)(void *arg, const struct ctt_event *ev, const char *why);
	void *on_bad_arg;
	bool (*look)(void *arg, const struct ctt_event *, size_t count);
	void *look_arg;
	struct ctt_event *ahead;	/* those parsed, from `next` on not returned yet */
	size_t next, parsed;
	uint64_t direct;	/* so many lines to come are parsed one by one */
	char *where;
	size_t where_size;
};

static void *grown(void *p, size_t *size, size_t wanted)
{
	if (*size >= wanted)
		return p;
	p = need(realloc(p, wanted));
	*size = wanted;
	return p;
}

struct ctt_trace *ctt_trace_open(char *const *files, const char *program)
{
	struct ctt_trace *t = need(calloc(1, sizeof(*t)));

	input_open(&t->in, files, program);
	t->direct = UINT64_MAX;
	progress_start(&t->progress, true);
	return t;
}

void ctt_trace_set(struct ctt_trace *t, unsigned flags)
{
	t->flags = flags;
	t->in.outlives = flags & CTT_TRACE_TO_END;
	if (flags & CTT_TRACE_QUIET || (flags & CTT_TRACE_STREAMS && isatty(STDOUT_FILENO)))
		progress_start(&t->progress, false);
}

void ctt_trace_on_bad(struct ctt_trace *t,
	void (*f)(void *arg, const struct ctt_event *ev, const char *why), void *arg)
{
	t->on_bad = f;
	t->on_bad_arg = arg;
}

void ctt_trace_on_wait(struct ctt_trace *t, void (*f)(void *arg, bool begins), void *arg)
{
	t->in.waits = f;
	t->in.waits_arg = arg;
}

const struct ctt_trace_stats *ctt_trace_stats(const struct ctt_trace *ct)
{
	struct ctt_trace *t = (struct ctt_trace *)ct;	/* only brought up to date */

	t->stats.lines = t->lines_before + t->line;
	t->stats.bytes = t->in.bytes;
	t->stats.runs = t->runs.count;
	return &t->stats;
}

const struct ctt_trace_run *ctt_trace_run(const struct ctt_trace *ct, uint32_t run)
{
	struct ctt_trace *t = (struct ctt_trace *)ct;	/* only brought up to date */

	return run < t->runs.count ? runs_get(&t->runs, run) : NULL;
}

const char *ctt_trace_where(const struct ctt_trace *ct, uint64_t line)
{
	struct ctt_trace *t = (struct ctt_trace *)ct;	/* only the text of the answer changes */
	const char *name = t->in.name ? t->in.name : "<stdin>";

	t->where = grown(t->where, &t->where_size, strlen(name) + 24);
	sprintf(t->where, "%s:%" PRIu64, name, line);
	return t->where;
}

static void print_where(struct ctt_trace *t, const char *file)
{
	progress_erase(&t->progress);
	fprintf(stderr, "%s: ", t->in.program);
	ctt_out_text(stderr, file, strlen(file));
}

static void bad_line(struct ctt_trace *t, struct ctt_event *ev, const char *why)
{
	t->stats.bad++;
	t->stats.first_bad = t->stats.first_bad ? t->stats.first_bad : ev->line;
	t->first_bad = t->first_bad ? t->first_bad : ev->line;
	runs_bad(&t->runs);
	if (++t->bad <= BAD_LINES_TOLD || (t->flags & CTT_TRACE_EVERY_BAD_LINE)) {
		if (!(t->flags & CTT_TRACE_QUIET)) {
			print_where(t, t->in.name);
			fprintf(stderr, ":%" PRIu64 ": %s\n", ev->line, why);
		}
	}
	if (t->on_bad)
		t->on_bad(t->on_bad_arg, ev, why);
}

static void file_ends(struct ctt_trace *t)
{
	if (t->bad && !(t->flags & CTT_TRACE_QUIET)) {
		print_where(t, t->in.name);
		fprintf(stderr,
			": %" PRIu64 " bad line%s skipped, the first at line %" PRIu64
			"; ct-check lists them\n",
			t->bad, t->bad == 1 ? "" : "s", t->first_bad);
	}
	t->lines_before += t->line;
	t->line = t->bad = t->first_bad = 0;
	t->open = false;
}

static bool blank(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
		p++;
	return p == end;
}

/* The complete parser's turn; false: the line is bad (and reported) or blank. */
static bool slow_line(struct ctt_trace *t, struct ctt_event *ev, const char *p, const char *end,
	enum input_line got)
{
	char buf[WHY_SIZE];
	const char *why = "longer than 16 MiB";

	if (got != INPUT_TOO_LONG) {
		if (blank(p, end))
			return false;
		t->stats.slow++;
		t->scratch = grown(t->scratch, &t->scratch_size, (size_t)(end - p));
		why = json_parse(ev, p, end, t->scratch, buf);
		if (!why)
			return true;
	}
	if (got == INPUT_LAST && *p == '{') {
		why = "the line is cut off";
		t->stats.torn = true;
	}
	bad_line(t, ev, why);
	return false;
}

static inline void set_raw(struct ctt_event *ev, const char *p, const char *end)
{
	ev->raw = p;
	ev->raw_len = (size_t)(end - p);
}

/* The line from p to `end` is the next one. */
static inline void numbered(
	struct ctt_trace *t, struct ctt_event *ev, const char *p, const char *end)
{
	ev->line = ++t->line;
	set_raw(ev, p, end);
}

/* Of lines that cannot be decompressed one stands for all: a bad line, though the last one read may
 * be whole. */
static void cut_short(struct ctt_trace *t, struct ctt_event *ev)
{
	static const char nothing[] = "";

	numbered(t, ev, nothing, nothing);
	t->stats.torn = true;
	bad_line(t, ev, t->in.broken);
}

/* The first line of a file, which may begin with a mark of its byte order. False: it is no trace,
 * and is left: a line that goes on and is no object might have no end, as in /dev/zero. */
static bool begin_file(
	struct ctt_trace *t, const char **p, const char *end, enum input_line got)
{
	static const char mark[3] = "\xef\xbb\xbf";
	const char *foreign = ctt_foreign(*p, (size_t)(end - *p));

	if (!foreign && got == INPUT_TOO_LONG && **p != '{')
		foreign = "not a trace: its first line is longer than 16 MiB";
	if (end - *p >= 3 && !memcmp(*p, mark, 3))
		*p += 3;
	if (!foreign)
		return true;
	print_where(t, t->in.name);
	fprintf(stderr, ": %s\n", foreign);
	t->in.failed = true;
	t->open = false;
	return false;
}

/* A line that is not canonical or not whole in the buffer: read more, or leave it to the complete
 * parser. */
static __attribute__((noinline)) bool next_slowly(struct ctt_trace *t, struct ctt_event *ev)
{
	for (;;) {
		enum input_line got;
		const char *p, *end;

		progress_tell(&t->progress, &t->in, t->lines_before + t->line);
		if (!t->open && (t->open = input_next_file(&t->in)))
			t->runs.file = t->in.name;
		if (!t->open) {
			progress_erase(&t->progress);
			return false;
		}
		got = input_line(&t->in, &p, &end);
		if (got == INPUT_EOF) {
			if (t->in.broken)
				cut_short(t, ev);
			file_ends(t);
			continue;
		}
		if (!t->line && !begin_file(t, &p, end, got))
			continue;
		numbered(t, ev, p, end);
		if ((got == INPUT_LINE && line_parse(ev, p, &t->habits)) ||
			slow_line(t, ev, p, end, got))
			return true;
	}
}

void trace_look_ahead(struct ctt_trace *t,
	bool (*look)(void *arg, const struct ctt_event *, size_t count), void *arg)
{
	t->look = look;
	t->look_arg = arg;
	t->ahead = need(malloc(AHEAD * sizeof(*t->ahead)));
	t->direct = 0;
}

/* A canonical line that is whole in the buffer needs no search for its end. */
static inline bool parse_next(struct ctt_trace *t, struct ctt_event *ev)
{
	const char *p = t->in.p, *end = line_parse(ev, p, &t->habits);

	if (!end)
		return false;
	t->in.p = end + 1;
	set_raw(ev, p, end);
	return true;
}

/* Nothing is read for it: who waits for input has returned all lines before. */
static bool parse_ahead(struct ctt_trace *t)
{
	for (t->next = t->parsed = 0; t->parsed < AHEAD; t->parsed++)
		if (!parse_next(t, &t->ahead[t->parsed]))
			break;
	if (t->parsed && !t->look(t->look_arg, t->ahead, t->parsed))
		t->direct = DIRECT;
	return t->parsed;
}

bool ctt_trace_next(struct ctt_trace *t, struct ctt_event *ev)
{
	bool got;

	if (t->next == t->parsed && t->direct) {
		t->direct--;
		got = parse_next(t, ev);
	} else if ((got = t->next < t->parsed || parse_ahead(t))) {
		*ev = t->ahead[t->next++];
	}
	if (got)
		ev->line = ++t->line;
	else if (!next_slowly(t, ev))
		return false;
	if (!runs_apply(&t->runs, ev))
		ctt_die(t->in.program, "more than 65536 runs in one trace", NULL);
	return true;
}

/* Is there anything that can be called a trace? */
static bool usable(struct ctt_trace *t)
{
	if (ctt_trace_stats(t)->lines > t->stats.bad && t->runs.count)
		return true;
	if (!t->in.failed) {
		print_where(t, t->in.name);
		fprintf(stderr, ": %s\n",
			t->stats.bad ? "not a trace: every line is bad" : "no events");
	}
	return false;
}

static void warn_of_run(struct ctt_trace *t, uint32_t run, const char *what)
{
	if (t->flags & CTT_TRACE_QUIET)
		return;
	print_where(t, t->runs.run[run].file);
	if (t->runs.count > 1)
		fprintf(stderr, ": run %" PRIu32, run + 1);
	fprintf(stderr, ": %s\n", what);
}

/* What is wrong with each run. Returns the status, 3 for 0 where one holds nothing: not even what,
 * without coroutines, is nothing to judge, but may be printed. */
static int warn_of_runs(struct ctt_trace *t, int status)
{
	for (uint32_t i = 0; i < t->runs.count; i++) {
		const struct ctt_trace_run *run = runs_get(&t->runs, i);

		if (!run->v1 && !run->ended)
			warn_of_run(t, i, "no end line: the trace was cut off");
		if (!ctt_trace_nothing(run) || (run->attached && status != 3))
			continue;
		warn_of_run(t, i, ctt_trace_nothing(run));
		status = status ? status : 3;
	}
	return status;
}

void ctt_trace_close(struct ctt_trace *t)
{
	input_close(&t->in);
	runs_free(&t->runs);
	free(t->scratch);
	free(t->ahead);
	free(t->where);
	free(t);
}

int ctt_trace_finish(struct ctt_trace *t, int status)
{
	bool good, left = t->open && ferror(stdout);	/* what was not read is not missing */

	progress_erase(&t->progress);
	if (t->open)
		file_ends(t);
	good = usable(t) && !t->in.failed && !(t->stats.bad && (t->flags & CTT_TRACE_STRICT));
	status = left ? status : warn_of_runs(t, status);
	good &= stdout_close(t->in.program);
	ctt_trace_close(t);
	return good ? status : 2;
}
