/* print.c - ct-bt's lines about a coroutine, as text and as JSON. Contracts in bt.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bt.h"

enum { DEEPEST = 40 };		/* indented no further; the number shows */

void key_json(const char *key, const char *s)
{
	if (!s)
		return;
	printf(",\"%s\":", key);
	ctt_out_json(stdout, s, strlen(s));
}

void end_json(const struct view *v)
{
	if (v->run)
		printf(",\"run\":%" PRIu32, v->run);
	fputs("}\n", stdout);
}

static bool on_timer(const struct ctt_coro *c)
{
	return c->on.kind == CTT_ON_TIMER && c->on.number && c->state != CTT_CORO_RUNNING;
}

static void print_on(const struct view *v, const struct node *n)
{
	const struct ctt_coro *c = n->c;
	char on[5000], left[24];

	if (!ctt_waits(c))
		return;
	if (n->count > 1) {		/* each waits on one of its own */
		printf(" on %s", ctt_wait_name(c));
		return;
	}
	if (on_timer(c)) {
		bool over = c->on.value <= v->now;

		printf(" on a timer, %s %s", over ? "overdue by" : "due in",
			ctt_out_duration(left, over ? v->now - c->on.value : c->on.value - v->now));
		return;
	}
	fputs(" on ", stdout);
	ctt_wait_text(on, sizeof(on), c);
	ctt_out_text(stdout, on, strlen(on));
	if ((c->on.kind == CTT_ON_CORO || c->on.kind == CTT_ON_JOIN) && c->on.number &&
		!n->awaits && c->state == CTT_CORO_SUSPENDED)
		fputs(", which is not known to live,", stdout);
}

static void print_ties(const struct view *v, const struct node *n)
{
	const struct ctt_coro *c = n->c;

	if (c->reason && *c->reason && c->state != CTT_CORO_RUNNING) {
		fputs(" (", stdout);
		ctt_out_text(stdout, c->reason, strlen(c->reason));
		fputs(")", stdout);
	}
	if (c->state == CTT_CORO_RUNNABLE && c->wake_by)
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

/* ---- the call stacks: where it suspended, and where it was woken ---- */

/* NULL: none, or it says no more than the site. */
static const struct ctt_stack *stack_of(const struct view *v, const struct node *n)
{
	const struct ctt_coro *c = n->c;
	const struct ctt_stack *s = c->has_stack && c->state != CTT_CORO_RUNNING ?
		ctt_model_stack(v->model, c->stack) :
		NULL;

	return s && s->count && (s->count > 1 || s->addresses || s->at[0] != c->site) ? s : NULL;
}

/* Since it suspended, or while it still ran: it may have slept through that one. */
static bool is_woken(const struct ctt_coro *c)
{
	return c->wake_ts && (c->state == CTT_CORO_RUNNABLE || c->state == CTT_CORO_SUSPENDED);
}

static const struct ctt_stack *wake_stack_of(const struct view *v, const struct node *n)
{
	const struct ctt_stack *s =
		is_woken(n->c) ? ctt_model_stack(v->model, n->c->wake_stack) : NULL;

	return s && s->count ? s : NULL;
}

static void woken_text(const struct view *v, const struct ctt_coro *c, size_t indent)
{
	const struct ctt_worker *w = ctt_model_worker(v->model, c->wake_tid);
	char before[24];

	printf("%*swoken ", (int)indent, "");
	if (c->state == CTT_CORO_SUSPENDED)
		printf("%s before it suspended, ",
			ctt_out_duration(before, c->last_ts - c->wake_ts));
	printf("by thread %" PRIu64, c->wake_tid);
	if (w && w->name && *w->name) {
		fputs(" \"", stdout);
		ctt_out_text(stdout, w->name, strlen(w->name));
		fputs("\"", stdout);
	}
	puts(" at");
}

static void stacks_text(const struct view *v, const struct node *n, size_t depth)
{
	const struct ctt_stack *s = stack_of(v, n), *wake = wake_stack_of(v, n);
	size_t indent = 2 * (depth > DEEPEST ? DEEPEST : depth) + 4;

	if (n->count > 1)
		return;
	if (s)
		stack_text(v, s, indent);
	if (wake) {
		woken_text(v, n->c, indent);
		stack_text(v, wake, indent + 2);
	}
}

/* Each of several, where that is another line than the wait's, and its own stack. */
static void legs_text(const struct view *v, const struct node *n, size_t depth)
{
	const struct ctt_legs *of = ctt_waits(n->c) && n->count < 2 ? n->c->legs : NULL;
	size_t indent = 2 * (depth > DEEPEST ? DEEPEST : depth) + 4;
	char on[5000], site[512];

	for (size_t i = 0; of && i < of->count; i++) {
		const struct ctt_leg *l = &of->leg[i];
		const struct ctt_stack *s =
			l->stack ? ctt_model_stack(v->model, l->stack) : NULL;

		if (!l->site || (l->site == n->c->site && !s))
			continue;
		printf("%*s", (int)indent, "");
		if (l->on.kind == CTT_ON_NONE)
			strcpy(on, "?");
		else
			ctt_on_text(on, sizeof(on), &l->on);
		ctt_out_text(stdout, on, strlen(on));
		printf(" at %s\n", ctt_model_site_text(site, sizeof(site), v->model, l->site));
		if (s && s->count > 1)
			stack_text(v, s, indent + 2);
	}
}

static void node_text(const struct view *v, const struct node *n, size_t depth)
{
	static const char *const states[] = { "never run, created", "running", "suspended",
		"runnable", "ended" };
	const struct ctt_coro *c = n->c;
	char site[512], age[40];

	print_depth(v, depth);
	if (n->count > 1)
		printf("%zux ", n->count);
	else
		ctt_coro_text(stdout, c);
	printf("%s%s", n->count > 1 ? "" : " ", states[c->state]);
	if (c->site && c->state == CTT_CORO_RUNNING)
		fputs(ran_before(c) ? ", last" : ", created", stdout);
	if (c->site)
		printf(" at %s", ctt_model_site_text(site, sizeof(site), v->model, c->site));
	print_on(v, n);
	printf("%s %s", n->count > 1 ? ", oldest" : " for",
		ctt_coro_age(age, c, age_of(v, n->count > 1 ? n->oldest : c->since)));
	if (n->count > 1) {
		fputs(", such as ", stdout);
		ctt_coro_text(stdout, c);
	}
	if (n->count < 2)
		print_ties(v, n);
	fputs(n->cycle ? ", in a cycle\n" : "\n", stdout);
	legs_text(v, n, depth);
	stacks_text(v, n, depth);
}

static void node_json(const struct view *v, const struct node *n, size_t depth, uint64_t task)
{
	const struct ctt_coro *c = n->c;
	char on[5000];

	printf("{\"probe_id\":%" PRIu64 ",\"task\":%" PRIu64 ",\"depth\":%zu,\"state\":\"%s\"",
		c->id, task, depth, ctt_coro_state_name(c->state));
	if (v->tree)
		printf(",\"count\":%zu,\"oldest\":%" PRIu64, n->count, age_of(v, n->oldest));
	key_json("name", c->name);
	if (ctt_waits(c)) {
		key_json("on", ctt_wait_text(on, sizeof(on), c));
		ctt_legs_json(stdout, v->model, c);
	}
	if (n->awaits)
		printf(",\"awaits\":%" PRIu64, n->awaits->c->id);
	if (on_timer(c))
		printf(c->on.value <= v->now ? ",\"overdue\":%" PRIu64 : ",\"left\":%" PRIu64,
			c->on.value <= v->now ? v->now - c->on.value : c->on.value - v->now);
	key_json("reason", c->reason);
	fputs(",\"site\":", stdout);
	ctt_site_json(stdout, ctt_model_site(v->model, c->site));
	printf(",\"since\":%" PRIu64 ",\"age\":%" PRIu64 ",\"tid\":%" PRIu64, c->since,
		age_of(v, c->since), c->tid);
	if (c->parent)
		printf(",\"parent\":%" PRIu64, c->parent);
	stack_json(v, "stack", stack_of(v, n));
	if (is_woken(c))
		printf(",\"woken\":%" PRIu64, c->wake_ts);
	if (is_woken(c) && c->wake_by)
		printf(",\"woken_by\":%" PRIu64, c->wake_by);
	stack_json(v, "woken_at", wake_stack_of(v, n));
	if (n->cycle)
		fputs(",\"cycle\":true", stdout);
	printf(",\"line\":%" PRIu64, c->last_line);
	end_json(v);
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
	ctt_coro_text(stdout, to->c);
	printf(from->cycle && to->cycle ? ": again, a cycle\n" :
					  ": shown elsewhere, others await it too\n");
}
