/* ct-stuck - list every coroutine that has not ended: created but never run, running, runnable,
 * suspended.
 *
 * in:	{"probe_id":7,"tid":4711,...,"ev":"suspend","n":9,"site":3,"on":"fd:42"}
 * out:	1 suspended at serve() serve.cc:42 on fd, oldest 2.01s
 *	  7 "conn" on fd:42 for 2.01s, last on thread 4711, line 12
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cttrace.h"

static const char help[] =
	"usage: ct-stuck [options] [trace ...]\n"
	"List the coroutines that have not ended when the trace does, grouped by state\n"
	"and site. A list that accuses nobody: an idle server waits too. ct-lostwake\n"
	"finds which of them were forgotten.\n\n"
	"  --min-age=DUR   only those that have been in their state for so long (250ms,\n"
	"                  2s)\n"
	"  --site=REGEX    only those at a matching site (\"serve() serve.cc:42\")\n"
	"  --name=REGEX    only those with a matching name\n"
	"  --at=TIME       the state at that moment: +1.5s from the run's start, or ns\n"
	"  --all           every coroutine of a group, not only the 3 oldest, and those\n"
	"                  of the runtime itself\n"
	"  --json          one JSON line a coroutine\n"
	"  --color=WHEN    auto, always, never\n"
	"  --strict        bad lines are status 2\n"
	"  --quiet         only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0 nothing listed, 1 something, 2 usage or unusable input, 3 nothing\n"
	"listed but some may be missing.\n\n"
	"example: ct-record ./app | ct-stuck --min-age=1s\n";

enum { FEW = 3 };
static struct ctt_common opt = { .product = CTT_PROSE };
static bool all;

static bool own_option(int letter, const char *arg)
{
	(void)arg;
	all |= letter == 'a';
	return letter == 'a';
}

static const struct option options[] = { CTT_OPT_MIN_AGE, CTT_OPT_SITE, CTT_OPT_NAME, CTT_OPT_AT,
	{ "all", no_argument, NULL, 'a' }, CTT_OPT_JSON, CTT_OPT_COLOR, CTT_OPT_ALWAYS,
	CTT_OPT_END };
static const struct ctt_program program = { "ct-stuck", help, options, own_option };

struct listed {
	const struct ctt_coro *c;
	uint64_t age;
};

/* Groups together: state, site, kind of thing waited on; the oldest first within one. */
static int same_group(const struct listed *a, const struct listed *b)
{
	if (a->c->state != b->c->state)
		return a->c->state < b->c->state ? 1 : -1;
	if (a->c->site != b->c->site)
		return a->c->site < b->c->site ? -1 : 1;
	return ctt_wait_kind(a->c) < ctt_wait_kind(b->c) ?
		-1 :
		ctt_wait_kind(a->c) > ctt_wait_kind(b->c);
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

static struct listed *list(
	struct ctt_model *m, const struct ctt_trace_run *r, size_t *n, size_t hidden[CTT_HIDERS])
{
	struct listed *l = need(calloc(ctt_model_live(m) + 1, sizeof(*l)));
	uint64_t now = ctt_common_now(&opt, m, r);
	struct ctt_coro *c;

	*n = 0;
	for (size_t i = 0; (c = ctt_model_next(m, &i));) {
		uint64_t age = now > c->since ? now - c->since : 0;
		enum ctt_hider by = ctt_common_hides(&opt, m, c, age);

		if (c->system && !all)
			continue;
		hidden[by]++;
		if (!by)
			l[(*n)++] = (struct listed){ c, age };
	}
	qsort(l, *n, sizeof(*l), by_group);
	return l;
}

static void print_json(const struct ctt_model *m, const struct listed *l, uint32_t run)
{
	const struct ctt_coro *c = l->c;
	char on[5000];

	printf("{\"state\":\"%s\",\"probe_id\":%" PRIu64, ctt_coro_state_name(c->state), c->id);
	if (c->name) {
		fputs(",\"name\":", stdout);
		ctt_out_json(stdout, c->name, strlen(c->name));
	}
	if (c->on.kind != CTT_ON_NONE || c->legs) {
		fputs(",\"on\":", stdout);
		ctt_wait_text(on, sizeof(on), c);
		ctt_out_json(stdout, on, strlen(on));
		ctt_legs_json(stdout, m, c);
	}
	if (c->reason) {
		fputs(",\"reason\":", stdout);
		ctt_out_json(stdout, c->reason, strlen(c->reason));
	}
	fputs(",\"site\":", stdout);
	ctt_site_json(stdout, ctt_model_site(m, c->site));
	printf(",\"since\":%" PRIu64 ",\"age\":%" PRIu64 ",\"tid\":%" PRIu64, c->since, l->age,
		c->tid);
	if (c->parent)
		printf(",\"parent\":%" PRIu64, c->parent);
	if (run)
		printf(",\"run\":%" PRIu32, run);
	printf(",\"line\":%" PRIu64 "}\n", c->last_line);
}

static void print_member(const struct listed *l)
{
	char on[5000], age[40];
	const struct ctt_coro *c = l->c;

	fputs("  ", stdout);
	ctt_coro_text(stdout, c);
	if (ctt_waits(c)) {
		fputs(" on ", stdout);
		ctt_wait_text(on, sizeof(on), c);
		ctt_out_text(stdout, on, strlen(on));
	}
	printf(" for %s", ctt_coro_age(age, c, l->age));
	if (c->reason && *c->reason && c->state != CTT_CORO_RUNNING) {
		fputs(" (", stdout);
		ctt_out_text(stdout, c->reason, strlen(c->reason));
		fputs(")", stdout);
	}
	if (c->state == CTT_CORO_RUNNABLE && c->wake_by)
		printf(", woken by coroutine %" PRIu64, c->wake_by);
	if (c->parent)
		printf(", child of %" PRIu64, c->parent);
	if (c->tid)
		printf(", last on thread %" PRIu64, c->tid);
	printf(", line %" PRIu64 "\n", c->last_line);
}

static void print_group(const struct ctt_model *m, const struct listed *l, size_t n)
{
	char site[512], age[40];

	printf("%s%zu %s", opt.color ? "\033[1m" : "", n,
		l->c->state == CTT_CORO_CREATED ? "never run, created" :
						  ctt_coro_state_name(l->c->state));
	if (l->c->site)
		printf(" at %s", ctt_model_site_text(site, sizeof(site), m, l->c->site));
	if (ctt_waits(l->c))
		printf(" on %s", ctt_wait_name(l->c));
	printf("%s, oldest %s\n", opt.color ? "\033[0m" : "", ctt_coro_age(age, l->c, l->age));
	for (size_t i = 0; i < n && (all || i < FEW); i++)
		print_member(&l[i]);
	if (!all && n > FEW)
		printf("  ... and %zu more (--all)\n", n - FEW);
}

static void print_text(const struct ctt_model *m, const struct listed *l, size_t n)
{
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		for (len = 1; i + len < n && !same_group(&l[i], &l[i + len]); len++)
			;
		print_group(m, &l[i], len);
	}
}

static const char *left_out(struct ctt_model *m)
{
	struct ctt_coro *c;

	for (size_t i = 0; !all && (c = ctt_model_next(m, &i));)
		if (c->system)
			return ", the runtime's own left out (--all)";
	return "";
}

/* Status of one run; prints it. */
static int report(struct ctt_trace *in, void *model, uint32_t run)
{
	struct ctt_model *m = model;
	const struct ctt_trace_run *r = ctt_trace_run(in, run);
	const char *nothing = ctt_common_nothing(&opt, m, r);
	size_t n, hidden[CTT_HIDERS] = { 0 };
	char text[CTT_HIDDEN_SIZE], late[CTT_LATE_SIZE];
	struct listed *l = list(m, r, &n, hidden);

	if (!opt.json) {
		if (ctt_trace_stats(in)->runs > 1)
			printf("%srun %" PRIu32 ":\n", run ? "\n" : "", run + 1);
		print_text(m, l, n);
		printf("%zu of %zu live coroutines listed%s%s%s%s%s%s%s\n", n, ctt_model_live(m),
			left_out(m), r->ended || r->v1 ? "" : ", as of where the trace was cut",
			r->cut ? ", by what a filter left of the trace" : "",
			ctt_model_late(m, late), ctt_hidden_text(text, hidden), nothing ? "; " : "",
			nothing ? nothing : "");
	}
	for (size_t i = 0; i < n && opt.json; i++)
		print_json(m, &l[i], ctt_trace_stats(in)->runs > 1 ? run + 1 : 0);
	free(l);
	return n ? 1 : ctt_common_whole(&opt, m, r) ? 0 : 3;
}

int main(int argc, char *argv[])
{
	static const struct ctt_filter filter = { .report = report };
	char **files = ctt_common_parse(argc, argv, &program, &opt);

	return ctt_filter_run(files, &program, &opt, &filter);
}
