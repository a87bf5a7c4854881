/* ct-where - pass the lines for which an expression is true, byte for byte, and say that others
 * were left out.
 *
 * in:	{"probe_id":7,...,"ev":"suspend","n":9,"site":3,"on":"fd:42"} {"probe_id":8,...}
 * out:	{"ev":"cut","tool":"ct-where 0.1.0","expr":".probe_id == 7"} {"probe_id":7,...,"ev":"suspend",...}
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "where.h"

static const char help[] =
	"usage: ct-where [options] EXPR [trace ...]\n"
	"Pass the lines for which the jq expression is true, byte for byte. What the\n"
	"others need to be read (meta, attach, process, map, thread, site, stack, symbol,\n"
	"lost, stop, start, sync, exit, end) always passes, and `cut` lines declare to\n"
	"later programs what was left out: they take it neither for loss nor for proof.\n"
	"Comparisons of a key with a number or a text, joined by `and` and `or`, run at\n"
	"the speed of reading; all else in jq. Helpers: since_start, age (seconds);\n"
	"state, name, site, thread, role; on_kind, on_value, event.\n\n"
	"  --jq            ask jq always: the same answer, slower\n"
	"  --count         print how many lines pass, are left out, and were put before\n"
	"                  jq; not the lines\n"
	"  -o, --output=FILE  write to a file instead of standard output\n"
	"  --strict        bad lines are status 2\n"
	"  --quiet         only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0; 2 usage, unusable input, an expression that fails on a line; 3\n"
	"nothing was recorded.\n\n"
	"examples: ct-where '.probe_id == 7 or .by == 7' <trace.jsonl\n"
	"          ct-where '.ev == \"resume\" and age > 0.5 and (name // \"\" |\n"
	"          test(\"^conn\"))' <trace.jsonl\n";

enum { ERRORS_TOLD = 5 };
static struct ctt_common opt = { .product = CTT_FILE };
static bool jq_only, count_only;
static const char *expr;

/* Of one run. */
static struct run {
	bool declared;
	uint64_t left_out;
} *runs;
static uint32_t run_count;
static size_t run_room;
static bool v1_declared;
static uint64_t passed, left_out, asked_jq, errors;
static uint64_t bad, bad_told;		/* lines nobody can ask about; of which a cut line told */
static bool behind_end;

static bool own_option(int letter, const char *arg)
{
	(void)arg;
	jq_only |= letter == 1;
	count_only |= letter == 2;
	return letter == 1 || letter == 2;
}

static const struct option options[] = {
	{ "jq", no_argument, NULL, 1 },
	{ "count", no_argument, NULL, 2 }, CTT_OPT_OUTPUT, CTT_OPT_ALWAYS, CTT_OPT_END
};
static const struct ctt_program program = { "ct-where", help, options, own_option };

static bool always(enum ctt_ev_kind k)
{
	static const uint64_t kinds = CTT_KIND(META) | CTT_KIND(PROCESS) | CTT_KIND(MAP) |
		CTT_KIND(THREAD) | CTT_KIND(SITE) | CTT_KIND(STACK) | CTT_KIND(LOST) |
		CTT_KIND(SYNC) | CTT_KIND(EXIT) | CTT_KIND(END) | CTT_KIND(CUT) |
		CTT_KIND(SYMBOL) | CTT_KIND(ATTACH) | CTT_KIND(STOP) | CTT_KIND(START);

	return kinds >> k & 1;
}

static struct run *run_of(uint32_t run)
{
	while (run >= run_count)
		*ADD(runs, run_count, run_room) = (struct run){ 0 };
	return &runs[run];
}

/* Ahead of anything that may be left out: a reader that streams has to know from there on. Version
 * 1 runs have no beginning that a line could follow, so that one declaration stands for all. */
static void declare(struct run *r, const struct ctt_event *ev)
{
	r->declared = true;
	if (count_only || (ev->v1 && v1_declared))
		return;
	v1_declared |= ev->v1;
	fputs("{\"ev\":\"cut\",\"tool\":\"ct-where " CT_VERSION "\",\"expr\":", stdout);
	ctt_out_json(stdout, expr, strlen(expr));
	fputs("}\n", stdout);
}

static void pass(const struct ctt_event *ev)
{
	passed++;
	if (count_only)
		return;
	fwrite(ev->raw, 1, ev->raw_len, stdout);
	putchar('\n');
}

/* Bad lines nobody can ask about: they are left out, and reported on stderr by the reader. */
static void count_bad(void *arg, const struct ctt_event *ev, const char *why)
{
	(void)arg; (void)ev; (void)why;
	left_out++;
	bad++;
}

/* With the bad lines since the last. */
static void tell_left_out(uint64_t count)
{
	if (!count_only)
		printf("{\"ev\":\"cut\",\"count\":%" PRIu64 "}\n", count + bad - bad_told);
	bad_told = bad;
}

/* Lines behind the end of a run, and before another, are held to be of the one that has ended. */
static void tell_bad_behind_end(void)
{
	if (behind_end && bad > bad_told)
		tell_left_out(0);
}

static void print_error(const struct ctt_trace *in, const struct ctt_event *ev, const char *error)
{
	if (errors++ >= ERRORS_TOLD || opt.flags & CTT_TRACE_QUIET)
		return;
	fprintf(stderr, "%s: %s: ", program.name, ctt_trace_where(in, ev->line));
	ctt_out_text(stderr, error, strlen(error));
	fputc('\n', stderr);
}

struct asked { struct native *native; struct query *query; struct ctt_models models; };

static bool chosen(struct asked *a, const struct ctt_trace *in, const struct ctt_event *ev)
{
	enum answer answer = a->native ? native_eval(a->native, ev) : UNSURE;
	const char *error;

	if (answer != UNSURE)
		return answer == YES;
	if (!a->query)
		a->query = query_new(program.name, expr);
	asked_jq++;
	answer = query_eval(a->query, ev, ctt_models_get(&a->models, ev->run), &error);
	if (error)
		print_error(in, ev, error);
	return answer == YES;
}

static void filter(struct asked *a, const struct ctt_trace *in, const struct ctt_event *ev)
{
	struct run *r = run_of(ev->run);

	tell_bad_behind_end();
	behind_end = ev->kind == CTT_EV_END;
	if (behind_end && r->declared)
		tell_left_out(r->left_out);
	if (!r->declared && ev->kind != CTT_EV_META)
		declare(r, ev);
	if (always(ev->kind) || chosen(a, in, ev)) {
		pass(ev);
	} else {
		r->left_out++;
		left_out++;
	}
	if (!r->declared)
		declare(r, ev);		/* behind its meta line */
	if (!a->native)
		ctt_models_apply(&a->models, ev);
}

int main(int argc, char *argv[])
{
	char **files = ctt_common_parse(argc, argv, &program, &opt);
	struct asked asked = { 0 };
	struct ctt_trace *in;
	struct ctt_event ev;

	expr = *files++;
	if (!expr)
		ctt_die(program.name, "no expression", "try --help");
	asked.native = jq_only ? NULL : native_parse(expr);
	if (!asked.native)
		asked.query = query_new(program.name, expr);
	in = ctt_trace_open(files, program.name);
	ctt_trace_set(in, opt.flags | CTT_TRACE_STREAMS);
	ctt_trace_on_bad(in, count_bad, NULL);
	while (ctt_trace_next(in, &ev))
		filter(&asked, in, &ev);
	tell_bad_behind_end();
	if (count_only)
		printf("%" PRIu64 " passed, %" PRIu64 " left out, jq asked %" PRIu64 " times\n",
			passed, left_out, asked_jq);
	if (errors > ERRORS_TOLD && !(opt.flags & CTT_TRACE_QUIET))
		fprintf(stderr, "%s: the expression failed on %" PRIu64 " lines\n", program.name,
			errors);
	native_free(asked.native);
	if (asked.query)
		query_free(asked.query);
	ctt_models_free(&asked.models);
	free(runs);
	return ctt_trace_finish(in, errors ? 2 : 0);
}
