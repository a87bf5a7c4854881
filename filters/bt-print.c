/* bt-print.c - ct-bt's lines: a thread, a coroutine, as text and as JSON. Contracts in bt.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bt.h"

enum { DEEPEST = 40 };		/* indented no further; the number tells */

static uint64_t age_of(const struct view *v, uint64_t since)
{
	return v->now > since ? v->now - since : 0;
}

static void json_text(const char *key, const char *s)
{
	if (!s)
		return;
	printf(",\"%s\":", key);
	out_json(stdout, s, strlen(s));
}

static void finish_json(const struct view *v)
{
	if (v->run)
		printf(",\"run\":%" PRIu32, v->run);
	fputs("}\n", stdout);
}

static int by_thread(const void *a, const void *b)
{
	const struct coro *x = *(struct coro *const *)a, *y = *(struct coro *const *)b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->resumed != y->resumed)
		return x->resumed > y->resumed ? -1 : 1;	/* the innermost first */
	return x->id < y->id ? -1 : x->id > y->id;
}

static int by_thread_and_wait(const void *a, const void *b)
{
	const struct coro *x = *(struct coro *const *)a, *y = *(struct coro *const *)b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->since != y->since)
		return x->since > y->since ? -1 : 1;	/* the one that suspended last, first */
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Those in that state, by the thread that they ran on last. */
static struct coro **in_state(const struct forest *f, enum coro_state state, int (*order)(const void *, const void *), size_t *count)
{
	struct coro **list = malloc((f->count + 1) * sizeof(*list));

	if (!list)
		die("ct-bt", "out of memory", NULL);
	*count = 0;
	for (size_t i = 0; i < f->count; i++)
		if (f->node[i].c->state == state)
			list[(*count)++] = f->node[i].c;
	qsort(list, *count, sizeof(*list), order);
	return list;
}

/* Where those of the thread begin in the list. */
static size_t first_of(struct coro *const *list, size_t count, uint64_t tid)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (list[middle]->tid >= tid)
			count = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool blocks(const struct worker *w)
{
	return w->parked && w->role && !strcmp(w->role, "blocking");
}

/* The one for which the thread waits outside of the scheduler: who suspended there last before it was blocked. NULL: none. */
static const struct coro *blocked_in(const struct worker *w, struct coro *const *waits, size_t count)
{
	if (!blocks(w))
		return NULL;
	for (size_t i = first_of(waits, count, w->tid); i < count && waits[i]->tid == w->tid; i++)
		if (waits[i]->since <= w->parked_since)
			return waits[i];
	return NULL;
}

/* Is its place one where it suspended, and not the one that created it? */
static bool ran_before(const struct coro *c)
{
	return !c->has_n || c->order > 2;
}

static void worker_text(const struct view *v, const struct worker *w, struct coro *const *run, size_t count,
	const struct coro *waits_for)
{
	char age[24], site[512];

	if (w->role && strcmp(w->role, "other"))
		out_text(stdout, w->role, strlen(w->role));
	fputs(w->role && strcmp(w->role, "other") ? " thread" : "thread", stdout);
	printf(" %" PRIu64, w->tid);
	if (w->name) {
		fputs(" \"", stdout);
		out_text(stdout, w->name, strlen(w->name));
		fputs("\"", stdout);
	}
	fputs(":", stdout);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ", within " : " runs ", stdout);
		coro_text(stdout, run[i]);
		if (run[i]->site)
			printf(" %s at %s", ran_before(run[i]) ? "last" : "created",
				place_text(site, sizeof(site), v->model, run[i]->site));
		printf(" for %s", out_duration(age, age_of(v, run[i]->since)));
	}
	if (w->parked)
		printf("%s %s for %s", count ? "," : "", blocks(w) ? "blocked" : "parked",
			out_duration(age, age_of(v, w->parked_since)));
	if (waits_for) {
		fputs(" in ", stdout);
		coro_text(stdout, waits_for);
	}
	if (w->parked)
		;
	else if (!count && !w->last_ts)
		fputs(" runs no coroutine, not seen to do anything", stdout);
	else if (!count)
		printf(" runs no coroutine, last seen %s ago", out_duration(age, age_of(v, w->last_ts)));
	if (w->queue_ts)
		printf(", queue %" PRIu64 " as of %s ago", w->queue, out_duration(age, age_of(v, w->queue_ts)));
	fputs("\n", stdout);
}

static void worker_json(const struct view *v, const struct worker *w, struct coro *const *run, size_t count,
	const struct coro *waits_for)
{
	printf("{\"tid\":%" PRIu64, w->tid);
	json_text("thread", w->name);
	json_text("role", w->role);
	fputs(",\"running\":[", stdout);
	for (size_t i = 0; i < count; i++)
		printf("%s%" PRIu64, i ? "," : "", run[i]->id);
	printf("],\"parked\":%s", w->parked ? "true" : "false");
	if (w->parked)
		printf(",\"since\":%" PRIu64, w->parked_since);
	if (waits_for)
		printf(",\"blocked\":%" PRIu64, waits_for->id);
	if (w->queue_ts)
		printf(",\"queue\":%" PRIu64 ",\"told\":%" PRIu64, w->queue, w->queue_ts);
	if (w->last_ts)
		printf(",\"last\":%" PRIu64, w->last_ts);
	finish_json(v);
}

void print_workers(const struct view *v, const struct forest *f)
{
	struct worker *w;
	size_t total, from, count, waiting;
	struct coro **list = in_state(f, CORO_RUNNING, by_thread, &total);
	struct coro **waits = in_state(f, CORO_SUSPENDED, by_thread_and_wait, &waiting);

	for (size_t i = 0; (w = model_next_worker(v->model, &i));) {
		if (!w->tid)
			continue;
		from = first_of(list, total, w->tid);
		for (count = 0; from + count < total && list[from + count]->tid == w->tid; count++)
			;
		(v->json ? worker_json : worker_text)(v, w, list + from, count, blocked_in(w, waits, waiting));
	}
	free(waits);
	free(list);
}

static bool on_timer(const struct coro *c)
{
	return c->on.kind == ON_TIMER && c->on.number && c->state != CORO_RUNNING;
}

static void print_on(const struct view *v, const struct node *n)
{
	const struct coro *c = n->c;
	char on[5000], left[24];

	if (c->on.kind == ON_NONE || c->state == CORO_RUNNING)
		return;
	if (n->count > 1) {		/* each waits on one of its own */
		printf(" on %s", on_name(c->on.kind));
		return;
	}
	if (on_timer(c)) {
		bool over = c->on.value <= v->now;

		printf(" on a timer, %s %s", over ? "overdue by" : "due in",
			out_duration(left, over ? v->now - c->on.value : c->on.value - v->now));
		return;
	}
	fputs(" on ", stdout);
	on_text(on, sizeof(on), &c->on);
	out_text(stdout, on, strlen(on));
	if ((c->on.kind == ON_CORO || c->on.kind == ON_JOIN) && c->on.number && !n->awaits && c->state == CORO_SUSPENDED)
		fputs(", which is not known to live,", stdout);
}

static void print_ties(const struct view *v, const struct node *n)
{
	const struct coro *c = n->c;

	if (c->reason && *c->reason) {
		fputs(" (", stdout);
		out_text(stdout, c->reason, strlen(c->reason));
		fputs(")", stdout);
	}
	if (c->state == CORO_RUNNABLE && c->wake_by)
		printf(", woken by %" PRIu64, c->wake_by);
	if (!n->awaiter && c->parent && !(v->tree && n->up))
		printf(", child of %" PRIu64, c->parent);
}

static void print_depth(const struct view *v, size_t depth)
{
	bool deep = depth > DEEPEST;

	printf("%*s", (int)(2 * (deep ? DEEPEST : depth)), "");
	if (!v->tree || deep)
		printf("#%zu ", depth);
}

/* ---- the call stacks: where it suspended, and where it was woken since ---- */

/* NULL: none, or it says no more than the place. */
static const struct stack *stack_of(const struct view *v, const struct node *n)
{
	const struct coro *c = n->c;
	const struct stack *s = c->has_stack && c->state != CORO_RUNNING ? model_stack(v->model, c->stack) : NULL;

	return s && s->count && (s->count > 1 || s->addresses || s->at[0] != c->site) ? s : NULL;
}

static const struct stack *wake_stack_of(const struct view *v, const struct node *n)
{
	const struct stack *s = n->c->state == CORO_RUNNABLE ? model_stack(v->model, n->c->wake_stack) : NULL;

	return s && s->count ? s : NULL;
}

static void stacks_text(const struct view *v, const struct node *n, size_t depth)
{
	const struct stack *s = stack_of(v, n), *wake = wake_stack_of(v, n);
	size_t indent = 2 * (depth > DEEPEST ? DEEPEST : depth) + 4;

	if (n->count > 1)
		return;
	if (s)
		stack_text(v, s, indent);
	if (wake) {
		printf("%*swoken by thread %" PRIu64 " at\n", (int)indent, "", n->c->wake_tid);
		stack_text(v, wake, indent + 2);
	}
}

static void node_text(const struct view *v, const struct node *n, size_t depth)
{
	static const char *const states[] = { "never run, created", "running", "suspended", "runnable", "ended" };
	const struct coro *c = n->c;
	char site[512], age[24];

	print_depth(v, depth);
	if (n->count > 1)
		printf("%zux ", n->count);
	else
		coro_text(stdout, c);
	printf("%s%s", n->count > 1 ? "" : " ", states[c->state]);
	if (c->site && c->state == CORO_RUNNING)
		fputs(ran_before(c) ? ", last" : ", created", stdout);
	if (c->site)
		printf(" at %s", place_text(site, sizeof(site), v->model, c->site));
	print_on(v, n);
	printf("%s %s", n->count > 1 ? ", oldest" : " for",
		out_duration(age, age_of(v, n->count > 1 ? n->oldest : c->since)));
	if (n->count > 1) {
		fputs(", such as ", stdout);
		coro_text(stdout, c);
	}
	if (n->count < 2)
		print_ties(v, n);
	fputs(n->cycle ? ", in a cycle\n" : "\n", stdout);
	stacks_text(v, n, depth);
}

static void node_json(const struct view *v, const struct node *n, size_t depth, uint64_t task)
{
	const struct coro *c = n->c;
	char on[5000];

	printf("{\"probe_id\":%" PRIu64 ",\"task\":%" PRIu64 ",\"depth\":%zu,\"state\":\"%s\"", c->id, task, depth,
		coro_state_name(c->state));
	if (v->tree)
		printf(",\"count\":%zu,\"oldest\":%" PRIu64, n->count, age_of(v, n->oldest));
	json_text("name", c->name);
	if (c->on.kind != ON_NONE && c->state != CORO_RUNNING)
		json_text("on", on_text(on, sizeof(on), &c->on));
	if (n->awaits)
		printf(",\"awaits\":%" PRIu64, n->awaits->c->id);
	if (on_timer(c))
		printf(c->on.value <= v->now ? ",\"overdue\":%" PRIu64 : ",\"left\":%" PRIu64,
			c->on.value <= v->now ? v->now - c->on.value : c->on.value - v->now);
	json_text("reason", c->reason);
	fputs(",\"site\":", stdout);
	site_json(stdout, model_site(v->model, c->site));
	printf(",\"since\":%" PRIu64 ",\"age\":%" PRIu64 ",\"tid\":%" PRIu64, c->since, age_of(v, c->since), c->tid);
	if (c->parent)
		printf(",\"parent\":%" PRIu64, c->parent);
	stack_json(v, "stack", stack_of(v, n));
	if (c->state == CORO_RUNNABLE && c->wake_by)
		printf(",\"woken_by\":%" PRIu64, c->wake_by);
	stack_json(v, "woken_at", wake_stack_of(v, n));
	if (n->cycle)
		fputs(",\"cycle\":true", stdout);
	printf(",\"line\":%" PRIu64, c->last_line);
	finish_json(v);
}

void print_node(const struct view *v, const struct node *n, size_t depth, uint64_t task)
{
	if (v->json)
		node_json(v, n, depth, task);
	else
		node_text(v, n, depth);
}

void print_again(const struct view *v, const struct node *from, const struct node *to, size_t depth)
{
	if (v->json)
		return;
	print_depth(v, depth);
	coro_text(stdout, to->c);
	printf(from->cycle && to->cycle ? ": again, a cycle\n" : ": shown elsewhere, others await it too\n");
}
