/* ct-bt - the async backtrace: what each thread runs, and for each task who awaits whom, down to
 * what it waits on.
 *
 * in:	{"probe_id":7,...,"ev":"suspend","n":9,"site":3,"on":"coro:8"} {"probe_id":8,...,"ev":"suspend","n":3,"site":4,"on":"fd:42"}
 * out:	worker thread 4711 "w1": parked for 2.01s, queue 0 as of 2.01s ago
 *	#0 7 "conn" suspended at serve() serve.cc:42 on coro:8 for 2.01s
 *	  #1 8 suspended at read_line() serve.cc:17 on fd:42 for 2.01s
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bt.h"

static const char help[] =
	"usage: ct-bt [options] [trace ...]\n"
	"The async backtrace: each thread with its role, the coroutine that it runs and\n"
	"the length of its queue; and with --all each task with its await chain, from the\n"
	"coroutine that nobody awaits down to what the last one waits on.\n\n"
	"  --all           every task\n"
	"  --task=ID|REGEX the tasks with that coroutine in them, or one with a matching\n"
	"                  name or site\n"
	"  --tree          who awaits whom, or was created by whom where nobody awaits\n"
	"                  it; equal subtrees are folded\n"
	"  --at=TIME       the state at that moment: +1.5s from the run's start, or ns\n"
	"  --system        the runtime's own coroutines, too\n"
	"  --frames=all    call stacks with the frames of libraries and runtimes, too\n"
	"  --json          one JSON line a thread and a coroutine\n"
	"  --strict        bad lines are status 2\n"
	"  --quiet         only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0 printed; 1 a cycle of awaits is among it; 2 usage or unusable input; 3\n"
	"printed, but events are missing that could change it.\n\n"
	"example: ct-record ./app | ct-bt --all\n";

static struct ctt_common opt = { .product = CTT_PROSE };
static bool all, tree, by_id, frames, system_too;
static const char *task;
static uint64_t task_id;
static regex_t task_name;

static bool set_task(const char *arg)
{
	task = arg;
	by_id = ctt_parse_number(arg, 1, UINT64_MAX, &task_id);
	return by_id || !regcomp(&task_name, arg, REG_EXTENDED | REG_NOSUB);
}

static bool own_option(int letter, const char *arg)
{
	switch (letter) {
	case 'a': return all = true;
	case 't': return set_task(arg);
	case 'r': return tree = true;
	case 's': return system_too = true;
	case 'f': return (frames = !strcmp(arg, "all")) || !strcmp(arg, "own");
	default:  return false;
	}
}

static const struct option options[] = { { "all", no_argument, NULL, 'a' },
	{ "task", required_argument, NULL, 't' }, { "tree", no_argument, NULL, 'r' },
	{ "system", no_argument, NULL, 's' }, { "frames", required_argument, NULL, 'f' },
	CTT_OPT_AT, CTT_OPT_JSON, CTT_OPT_ALWAYS, CTT_OPT_END };
static const struct ctt_program program = { "ct-bt", help, options, own_option };

static bool matches(const struct ctt_model *m, const struct ctt_coro *c)
{
	if (!task)
		return system_too || !c->system;
	if (by_id)
		return c->id == task_id;
	return ctt_common_match(&task_name, c->name ? c->name : "") ||
		ctt_common_match_site(&task_name, m, c->site);
}

/* Whoever stands above one that was asked for is wanted; each is passed once. */
static void choose(struct forest *f, const struct ctt_model *m)
{
	for (size_t i = 0; i < f->count; i++)
		if (matches(m, f->node[i].c))
			for (struct node *n = &f->node[i]; n && !n->wanted;
				n = tree ? n->up : n->awaiter)
				n->wanted = true;
}

struct totals { size_t tasks, coros; bool cycle; };

static void print_counted(const struct view *v, struct node *n, size_t depth, uint64_t root,
	struct totals *t)
{
	print_node(v, n, depth, root);
	n->shown = true;
	t->coros += v->tree ? n->count : 1;
	t->tasks += depth ? 0 : v->tree ? n->count : 1;
	t->cycle |= n->cycle;
}

static void print_chains(const struct view *v, struct forest *f, struct totals *t)
{
	for (size_t i = 0; i < f->count; i++) {
		struct node *root = &f->node[i], *n = root, *last = NULL;
		size_t depth = 0;

		if (n->awaiter || !n->wanted)
			continue;
		for (; n && !n->shown; last = n, n = n->awaits)
			print_counted(v, n, depth++, root->c->id, t);
		if (n)
			print_again(v, last, n, depth);
	}
}

/* The next line of the tree: not below one that is folded away. */
static struct node *step(struct node *n, bool below, size_t *depth)
{
	if (below && n->kids) {
		++*depth;
		return n->kids;
	}
	for (; n && !n->next; n = n->up)
		--*depth;
	return n ? n->next : NULL;
}

static void print_tree(const struct view *v, struct forest *f, struct totals *t)
{
	uint64_t root = 0;
	size_t depth = 0;
	bool here;

	for (struct node *n = f->roots; n; n = step(n, here, &depth)) {
		here = n->count && (n->wanted || (depth && (task || !n->c->system)));
		if (!here)
			continue;
		root = depth ? root : n->c->id;
		print_counted(v, n, depth, root, t);
		if (n->awaits && n->awaits->up != n)
			print_again(v, n, n->awaits, depth + 1);
	}
}

static const char *left_out(const struct forest *f)
{
	for (size_t i = 0; !task && i < f->count; i++)
		if (f->node[i].c->system && !f->node[i].wanted)
			return ", the runtime's own left out (--system)";
	return "";
}

/* Status of one run; prints it. */
static int report(struct ctt_trace *in, void *model, uint32_t run)
{
	struct ctt_model *m = model;
	const struct ctt_trace_run *r = ctt_trace_run(in, run);
	bool several = ctt_trace_stats(in)->runs > 1, ended = r->ended || r->v1;
	bool whole = ctt_common_whole(&opt, m, r);
	struct view v = { m, ctt_common_now(&opt, m, r), several ? run + 1 : 0, opt.json, tree,
		frames };
	struct totals totals = { 0, 0, false };
	char late[CTT_LATE_SIZE];
	struct forest f;

	forest_build(&f, m);
	if (tree)
		forest_tree(&f);
	choose(&f, m);
	if (tree)
		forest_fold(&f);
	if (several && !opt.json)
		printf("%srun %" PRIu32 ":\n", run ? "\n" : "", run + 1);
	if (!task)
		print_workers(&v, &f);
	if (all || task || tree)
		(tree ? print_tree : print_chains)(&v, &f, &totals);
	if (!opt.json) {
		if (all || task || tree)
			printf("%zu task%s, ", totals.tasks, totals.tasks == 1 ? "" : "s");
		printf("%zu live coroutine%s%s%s%s%s\n", ctt_model_live(m),
			ctt_model_live(m) == 1 ? "" : "s", all || tree ? left_out(&f) : "",
			ctt_model_late(m, late), ended ? "" : ", as of where the trace was cut",
			whole || !ended ? "" : ", as far as the trace shows");
	}
	forest_free(&f);
	return !whole ? 3 : totals.cycle;
}

int main(int argc, char *argv[])
{
	static const struct ctt_filter filter = { .report = report };
	char **files = ctt_common_parse(argc, argv, &program, &opt);
	int status = ctt_filter_run(files, &program, &opt, &filter);

	if (task && !by_id)
		regfree(&task_name);
	return status;
}
