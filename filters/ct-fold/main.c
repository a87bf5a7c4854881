/* ct-fold - time as folded stacks of who awaits whom, which flame graph tools read.
 *
 * in:	{"probe_id":1,...,"ts":1000,"ev":"suspend","site":2,"on":"join:2"} {"probe_id":2,...,"ts":2000,"ev":"suspend","site":3,"on":"fd:5"}
 * out:	main;serve;fd 516000
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fold.h"

static const char help[] =
	"usage: ct-fold [options] [trace ...]\n"
	"Folded stacks for flame graph tools, values in microseconds: the await chain,\n"
	"root first; what is waited on last.\n\n"
	"  --time=KIND    suspended (the default), runnable or running\n"
	"  --wakers       the waker's chain on top, behind \"--\", its leaf first: what a\n"
	"                 wait was for\n"
	"  --names        coroutines by their names rather than by their functions\n"
	"  --depth=N      frames of a chain, the rest as \"[deeper]\" (default 1000; 0:\n"
	"                 all)\n"
	"  --from=TIME    only what was from then on: +1.5s from the run's start, or ns\n"
	"  --to=TIME      only what was until then\n"
	"  --site=REGEX   only coroutines at a matching site (\"serve() serve.cc:42\")\n"
	"  --name=REGEX   only coroutines with a matching name\n"
	"  -o, --output=FILE  write to a file instead of standard output\n"
	"  --strict       bad lines are status 2\n"
	"  --quiet        only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0; 2 usage or unusable input; 3 nothing was recorded.\n\n"
	"example: ct-fold <trace.jsonl | inferno-flamegraph >waits.svg\n";

static struct ctt_common opt = { .product = CTT_FILE };
static enum doing wanted = SUSPENDED;
static bool wakers, names;
static uint64_t depth = 1000;

static bool own_option(int letter, const char *arg)
{
	static const char *const kinds[] = {
		[RUNNING] = "running", [SUSPENDED] = "suspended", [RUNNABLE] = "runnable"
	};

	switch (letter) {
	case 'w':	return wakers = true;
	case 'n':	return names = true;
	case 'd':	return ctt_parse_number(arg, 0, UINT32_MAX, &depth);
	}
	for (wanted = RUNNING; wanted <= RUNNABLE; wanted++)
		if (!strcmp(arg, kinds[wanted]))
			return true;
	return false;
}

static const struct option options[] = { { "time", required_argument, NULL, 't' },
	{ "wakers", no_argument, NULL, 'w' }, { "names", no_argument, NULL, 'n' },
	{ "depth", required_argument, NULL, 'd' }, CTT_OPT_FROM, CTT_OPT_TO, CTT_OPT_SITE,
	CTT_OPT_NAME, CTT_OPT_OUTPUT, CTT_OPT_ALWAYS, CTT_OPT_END };
static const struct ctt_program program = { "ct-fold", help, options, own_option };


static bool chosen(const struct fold *f, const struct ctt_coro *c)
{
	return (!opt.name || ctt_common_match(opt.name, c->name ? c->name : "")) &&
		ctt_common_match_site(opt.site, f->spans.model, c->site);
}

static uint32_t word(struct fold *f, const char *s)
{
	return frame_of(f, s, strlen(s));
}

/* What it waits on: the kind alone, or there would be as many stacks as objects. */
static uint32_t kind_frame(struct fold *f, const struct ctt_coro *c)
{
	unsigned kind = ctt_wait_kind(c);

	if (c->on.kind == CTT_ON_OTHER && c->on.text.p)
		return frame_of(f, c->on.text.p, strcspn(c->on.text.p, ":"));
	if (c->legs || kind >= CTT_ON_OTHER)
		return word(f, kind ? ctt_wait_name(c) : "?");
	if (!f->kinds[kind])
		f->kinds[kind] = word(f, kind ? ctt_wait_name(c) : "?") + 1;
	return f->kinds[kind] - 1;
}

static void add(uint64_t *sum, uint64_t ns)
{
	*sum = *sum + ns < ns ? UINT64_MAX : *sum + ns;
}

static void on_span(void *arg, const struct span *span)
{
	struct fold *f = arg;
	struct member *m = span->c->span;
	uint64_t from = span->from > f->from ? span->from : f->from,
		 to = span->to < f->to ? span->to : f->to;
	uint32_t node;

	if (wanted == SUSPENDED && from < m->covered)
		from = m->covered;
	if (span->what != wanted || from >= to || !chosen(f, span->c) ||
		(wanted == SUSPENDED && chain_covered(f, span->c)))
		return;
	node = chain_node(f, span->c);
	if (wanted == SUSPENDED)
		node = child_of(f, node, kind_frame(f, span->c));
	if (wakers) {
		uint64_t waker = span->woken ? span->woken->tag :
			child_of(f, 0, word(f, span->ev ? "[no_wake_seen]" : "[not_woken]"));

		add(&((struct woken_stack *)table_get(&f->woken, node, waker))->ns, to - from);
	} else {
		struct node *n = table_at(&f->nodes, node);

		n->hit = true;
		add(&n->ns, to - from);
	}
}

static void on_wake(void *arg, const struct ctt_event *ev, struct ctt_coro *c, struct woken *w)
{
	struct fold *f = arg;
	struct ctt_coro *by = ev->by ? ctt_model_coro(f->spans.model, ev->by) : NULL;
	const struct ctt_worker *thread = ctt_model_worker(f->spans.model, ev->tid);

	(void)c;
	if (by)
		w->tag = chain_node(f, by);
	else
		w->tag = child_of(f, 0,
			word(f, thread && thread->name && *thread->name ? thread->name : "thread"));
}

static void on_end(void *arg, struct ctt_coro *c, const struct ctt_event *ev)
{
	chain_end(arg, c, ev->ts);
}

static void apply(void *fold, const struct ctt_event *ev)
{
	struct fold *f = fold;
	struct ctt_coro *c = ev->kind == CTT_EV_SUSPEND || ev->kind == CTT_EV_NAME ?
		ctt_model_coro(f->spans.model, ev->probe_id) :
		NULL;

	if (ev->kind == CTT_EV_SITE)
		chain_site(f, ev->site);
	if (opt.from.set && !f->from && ev->ts)
		f->from = ctt_when_ns(&opt.from, ev->ts);
	if (opt.to.set && f->to == UINT64_MAX && ev->ts)
		f->to = ctt_when_ns(&opt.to, ev->ts);
	if (c && ev->kind == CTT_EV_SUSPEND && ev->site)
		/* what ran up to now ran in the function that suspends */
		chain_name(f, c, ev->site);
	if (spans_apply(&f->spans, ev))
		c = ctt_model_coro(f->spans.model, ev->probe_id);
	if (!c || ev->kind == CTT_EV_WAKE || !c->span)
		return;
	if (c->state == CTT_CORO_RUNNING)
		chain_leave(f, c);
	else if (c->last_line == ev->line && ev->kind != CTT_EV_NAME)
		chain_wait(f, c);
	if (ev->kind != CTT_EV_RESUME || !((struct member *)c->span)->frame)
		chain_name(f, c, c->site);
}

static void *begin(void)
{
	struct fold *f = need(malloc(sizeof(*f)));

	*f = (struct fold){ .to = UINT64_MAX, .names = names, .deepest = (uint32_t)depth };
	f->spans.on_span = on_span;
	f->spans.on_end = on_end;
	f->spans.on_wake = wakers ? on_wake : NULL;
	fold_start(f);
	return f;
}

static void end(void *fold)
{
	fold_free(fold);
	free(fold);
}

/* stdout is for the tools: what is not known is said beside it. */
static void say(uint64_t n, const char *what)
{
	if (n && !(opt.flags & CTT_TRACE_QUIET))
		fprintf(stderr, "ct-fold: %" PRIu64 " %s\n", n, what);
}

static int report(struct ctt_trace *in, void *fold, uint32_t run)
{
	struct fold *f = fold;
	const struct ctt_trace_run *r = ctt_trace_run(in, run);
	struct spans *s = &f->spans;

	spans_finish(
		s, ctt_model_last_ts(s->model), !ctt_model_lost(s->model) && !r->bad && !r->cut);
	fold_print(f, ctt_trace_stats(in)->runs > 1 ? run + 1 : 0);
	say(s->unknown, "stretches with lines missing in them: not counted");
	say(wanted == RUNNING ? 0 : s->v1,
		"lines of version 1, which reports no wakes: all waiting counts as suspended");
	if (wanted != RUNNING && !s->v1)
		say(s->unwoken, "resumes without a wake seen: all of the wait counts as suspended");
	say(r->cut, "filters left lines out: the times may be too small");
	return 0;
}

int main(int argc, char *argv[])
{
	static const struct ctt_filter filter = { begin, apply, end, report };
	char **files = ctt_common_parse(argc, argv, &program, &opt);

	if (wakers && wanted == RUNNING)
		ctt_die(program.name, "--wakers", "only for suspended and runnable time");
	return ctt_filter_run(files, &program, &opt, &filter);
}
