/* ct-stuck - list every coroutine that has not ended: created but never run, running, runnable, suspended.
 *
 * in:	{"probe_id":7,"tid":4711,...,"ev":"suspend","n":9,"site":3,"on":"fd:42"}
 * out:	1 suspended at serve serve.cc:42 on fd, oldest 2.01s
 *	  7 "conn" on fd:42 for 2.01s, last on thread 4711, line 12
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cttrace.h"

static const char help[] =
	"usage: ct-stuck [options] [trace ...]\n"
	"List the coroutines that have not ended when the trace does, grouped by state and place. A list that accuses\n"
	"nobody: an idle server waits too. ct-lostwake tells which of them were forgotten.\n\n"
	"  --min-age=DUR   only those that have been in their state for so long (250ms, 2s)\n"
	"  --site=REGEX    only those at a matching place (\"serve serve.cc:42\")\n"
	"  --name=REGEX    only those with a matching name\n"
	"  --at=TIME       the state at that moment: +1.5s from the run's start, or ns\n"
	"  --all           every coroutine of a group, not only the 3 oldest, and those of the runtime itself\n"
	"  --json          one JSON line a coroutine\n"
	"  --color=WHEN    auto, always, never\n"
	"  --strict        bad lines are status 2\n"
	"  --quiet         only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0 nothing listed, 1 something, 2 usage or unusable input, 3 nothing listed but some may be missing.\n\n"
	"example: ct-record ./app | ct-stuck --min-age=1s\n";

enum { FEW = 3 };
static struct common opt;
static bool all;

static bool own_option(int letter, const char *arg)
{
	(void)arg;
	all |= letter == 'a';
	return letter == 'a';
}

static const struct option options[] = {
	OPT_MIN_AGE, OPT_SITE, OPT_NAME, OPT_AT, { "all", no_argument, NULL, 'a' }, OPT_JSON, OPT_COLOR,
	OPT_ALWAYS, OPT_END
};
static const struct program program = { "ct-stuck", help, options, own_option };

struct listed {
	const struct coro *c;
	uint64_t age;
};

static bool wanted(const struct model *m, const struct coro *c, uint64_t age)
{
	return (all || !c->system) && common_wants(&opt, m, c, age);
}

/* Groups together: state, place, kind of thing waited on; the oldest first within one. */
static int same_group(const struct listed *a, const struct listed *b)
{
	if (a->c->state != b->c->state)
		return a->c->state < b->c->state ? 1 : -1;
	if (a->c->site != b->c->site)
		return a->c->site < b->c->site ? -1 : 1;
	return a->c->on.kind < b->c->on.kind ? -1 : a->c->on.kind > b->c->on.kind;
}

static int by_group(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int order = same_group(x, y);

	if (order)
		return order;
	if (x->age != y->age)
		return x->age > y->age ? -1 : 1;
	return x->c->id < y->c->id ? -1 : x->c->id > y->c->id;
}

static struct listed *list(struct model *m, const struct trace_run *r, size_t *n)
{
	struct listed *l = calloc(model_live(m) + 1, sizeof(*l));
	uint64_t now = common_now(&opt, m, r);
	struct coro *c;

	if (!l)
		die(program.name, "out of memory", NULL);
	*n = 0;
	for (size_t i = 0; (c = model_next(m, &i));) {
		uint64_t age = now > c->since ? now - c->since : 0;

		if (wanted(m, c, age))
			l[(*n)++] = (struct listed){ c, age };
	}
	qsort(l, *n, sizeof(*l), by_group);
	return l;
}

static void print_json(const struct model *m, const struct listed *l, uint32_t run)
{
	const struct coro *c = l->c;
	char on[5000];

	printf("{\"state\":\"%s\",\"probe_id\":%" PRIu64, coro_state_name(c->state), c->id);
	if (c->name) {
		fputs(",\"name\":", stdout);
		out_json(stdout, c->name, strlen(c->name));
	}
	if (c->on.kind != ON_NONE) {
		fputs(",\"on\":", stdout);
		on_text(on, sizeof(on), &c->on);
		out_json(stdout, on, strlen(on));
	}
	if (c->reason) {
		fputs(",\"reason\":", stdout);
		out_json(stdout, c->reason, strlen(c->reason));
	}
	fputs(",\"site\":", stdout);
	site_json(stdout, model_site(m, c->site));
	printf(",\"since\":%" PRIu64 ",\"age\":%" PRIu64 ",\"tid\":%" PRIu64, c->since, l->age, c->tid);
	if (c->parent)
		printf(",\"parent\":%" PRIu64, c->parent);
	if (run)
		printf(",\"run\":%" PRIu32, run);
	printf(",\"line\":%" PRIu64 "}\n", c->last_line);
}

static void print_member(const struct listed *l)
{
	char on[5000], age[24];
	const struct coro *c = l->c;

	fputs("  ", stdout);
	coro_text(stdout, c);
	if (c->on.kind != ON_NONE && c->state != CORO_RUNNING) {
		fputs(" on ", stdout);
		on_text(on, sizeof(on), &c->on);
		out_text(stdout, on, strlen(on));
	}
	printf(" for %s", out_duration(age, l->age));
	if (c->reason && *c->reason && c->state != CORO_RUNNING) {
		fputs(" (", stdout);
		out_text(stdout, c->reason, strlen(c->reason));
		fputs(")", stdout);
	}
	if (c->state == CORO_RUNNABLE && c->wake_by)
		printf(", woken by coroutine %" PRIu64, c->wake_by);
	if (c->parent)
		printf(", child of %" PRIu64, c->parent);
	if (c->tid)
		printf(", last on thread %" PRIu64, c->tid);
	printf(", line %" PRIu64 "\n", c->last_line);
}

static void print_group(const struct model *m, const struct listed *l, size_t n)
{
	char site[512], age[24];

	printf("%s%zu %s", opt.color ? "\033[1m" : "", n, l->c->state == CORO_CREATED ? "never run, created" :
		coro_state_name(l->c->state));
	if (l->c->site)
		printf(" at %s", place_text(site, sizeof(site), m, l->c->site));
	if (l->c->on.kind != ON_NONE && l->c->state != CORO_RUNNING)
		printf(" on %s", on_name(l->c->on.kind));
	printf("%s, oldest %s\n", opt.color ? "\033[0m" : "", out_duration(age, l->age));
	for (size_t i = 0; i < n && (all || i < FEW); i++)
		print_member(&l[i]);
	if (!all && n > FEW)
		printf("  ... and %zu more (--all)\n", n - FEW);
}

static void print_text(const struct model *m, const struct listed *l, size_t n)
{
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		for (len = 1; i + len < n && !same_group(&l[i], &l[i + len]); len++)
			;
		print_group(m, &l[i], len);
	}
}

static const char *left_out(struct model *m)
{
	struct coro *c;

	for (size_t i = 0; !all && (c = model_next(m, &i));)
		if (c->system)
			return ", the runtime's own left out (--all)";
	return "";
}

/* Status of one run; prints it. */
static int report(struct trace *in, struct model *m, uint32_t run)
{
	const struct trace_run *r = trace_run(in, run);
	bool whole = (r->ended || r->v1) && !r->bad && !r->cut && (!model_lost(m) || model_exact(m));
	size_t n;
	struct listed *l = list(m, r, &n);

	if (!opt.json) {
		if (trace_stats(in)->runs > 1)
			printf("%srun %" PRIu32 ":\n", run ? "\n" : "", run + 1);
		print_text(m, l, n);
		printf("%zu of %zu live coroutines listed%s%s%s\n", n, model_live(m), left_out(m), r->ended || r->v1 ? "" :
			", as of where the trace was cut", r->cut ? ", by what a filter left of the trace" : "");
	}
	for (size_t i = 0; i < n && opt.json; i++)
		print_json(m, &l[i], trace_stats(in)->runs > 1 ? run + 1 : 0);
	free(l);
	return n ? 1 : whole ? 0 : 3;
}

/* Is it later than the moment asked for? */
static bool past(const struct model *m, const struct event *ev)
{
	return model_first_ts(m) && ev->ts > when_ns(&opt.at, model_first_ts(m));
}

int main(int argc, char *argv[])
{
	char **files = common_parse(argc, argv, &program, &opt);
	struct trace *in = trace_open(files, program.name);
	struct models models = { NULL, 0 };
	struct event ev;
	int status = 0;

	trace_set(in, opt.flags);
	while (trace_next(in, &ev)) {
		struct model *m = ev.run < models.count ? models.run[ev.run] : models_get(&models, ev.run);

		if (!opt.at.set || !past(m, &ev))
			model_apply(m, &ev);
	}
	for (uint32_t i = 0; i < models.count; i++) {
		int s = report(in, models.run[i], i);

		if (s == 1 || !status)
			status = s;
	}
	models_free(&models);
	return trace_finish(in, status);
}
