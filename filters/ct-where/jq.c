/* jq.c - a line put before libjq, with what the run has reported before as `input`. Contracts in
 * where.h. */
#include <stdlib.h>
#include <string.h>
#include <jq.h>

#include "base/mem.h"
#include "where.h"

#include "jq.inc"	/* static const char jq_helpers[]: share/jq/ct.jq */

struct query {
	jq_state *jq;
	const char *program;
	bool compiled;
	jv error;
	/* of the line at hand */
	const struct ctt_event *ev;
	struct ctt_model *model;
};

/* Before it runs, a message is about the expression; after, the caller prints it. */
static void on_error(void *arg, jv message)
{
	struct query *q = arg;
	jv text = jq_format_error(message);

	if (!q->compiled) {
		fprintf(stderr, "%s: ", q->program);
		ctt_out_text(stderr, jv_string_value(text), strcspn(jv_string_value(text), "\n"));
		fputc('\n', stderr);
	}
	jv_free(text);
}

static jv text_or_null(const char *s)
{
	return s && *s ? jv_string(s) : jv_null();
}

static jv set(jv object, const char *key, jv v)
{
	return jv_object_set(object, jv_string(key), v);
}

static jv coroutine(jv object, const struct ctt_coro *c, const struct ctt_event *ev)
{
	if (!c)
		return object;
	object = set(object, "name", text_or_null(c->name));
	object = set(object, "state", jv_string(ctt_coro_state_name(c->state)));
	if (ev->ts >= c->since)
		object = set(object, "age", jv_number((double)(ev->ts - c->since) / 1e9));
	return object;
}

/* `input`: what is known of the line at hand. */
static jv context(jq_state *jq, void *arg)
{
	const struct query *q = arg;
	const struct ctt_event *ev = q->ev;
	const struct ctt_worker *w = ev->tid ? ctt_model_worker(q->model, ev->tid) : NULL;
	uint64_t start = ctt_model_first_ts(q->model);
	char site[512];
	jv object = jv_object();

	(void)jq;
	object = set(object, "start", jv_number((double)(start ? start : ev->ts)));
	if (ev->has & CTT_HAS_SITE)
		object = set(object, "site",
			text_or_null(
				ctt_model_site_name(site, sizeof(site), q->model, ev->site)));
	if (w) {
		object = set(object, "thread", text_or_null(w->name));
		object = set(object, "role", text_or_null(w->role));
	}
	return coroutine(object, ev->probe_id ? ctt_model_coro(q->model, ev->probe_id) : NULL, ev);
}

/* libjq aborts where nobody minds, and 1.6 loses what it is to give us. */
static const char *whose_memory;

static void out_of_memory(void *none)
{
	(void)none;
	ctt_die(whose_memory, "out of memory", NULL);
}

struct query *query_new(const char *program, const char *expr)
{
	struct query *q = need(calloc(1, sizeof(*q)));
	size_t size = sizeof(jq_helpers) + strlen(expr) + 2;
	char *whole = need(malloc(size));

	q->jq = need(jq_init());
	q->program = program;
	whose_memory = program;
	jq_set_nomem_handler(q->jq, out_of_memory, NULL);
	q->error = jv_null();
	jq_set_error_cb(q->jq, on_error, q);
	jq_set_debug_cb(q->jq, NULL, NULL);	/* libjq 1.6 leaves that as malloc gave it */
	jq_set_input_cb(q->jq, context, q);
	snprintf(whole, size, "%s\n%s", jq_helpers, expr);
	if (!jq_compile(q->jq, whole))
		ctt_die(program, expr, "not a jq expression");
	free(whole);
	q->compiled = true;
	return q;
}

/* The next output; false at the end, with *error set where that is one. */
static bool next(struct query *q, bool *truth, const char **error)
{
	jv v = jq_next(q->jq);

	if (jv_is_valid(v)) {
		jv_kind kind = jv_get_kind(v);

		jv_free(v);
		*truth = kind != JV_KIND_NULL && kind != JV_KIND_FALSE;
		return true;
	}
	if (jv_invalid_has_msg(jv_copy(v))) {
		jv_free(q->error);
		q->error = jv_invalid_get_msg(v);
		if (jv_get_kind(q->error) != JV_KIND_STRING)
			q->error = jv_dump_string(q->error, 0);
		*error = jv_string_value(q->error);
		return false;
	}
	jv_free(v);
	if (jq_halted(q->jq))
		*error = "the expression halts";
	return false;
}

enum answer query_eval(
	struct query *q, const struct ctt_event *ev, struct ctt_model *m, const char **error)
{
	jv v = jv_parse_sized(ev->raw, (int)ev->raw_len);
	bool truth = false;

	*error = NULL;
	q->ev = ev;
	q->model = m;
	if (!jv_is_valid(v)) {
		jv_free(v);
		*error = "jq cannot read this line";
		return NO;
	}
	jq_start(q->jq, v, 0);
	while (!truth && next(q, &truth, error))
		;
	return truth ? YES : NO;
}

void query_free(struct query *q)
{
	jv_free(q->error);
	jq_teardown(&q->jq);
	free(q);
}
