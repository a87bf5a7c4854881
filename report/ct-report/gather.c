/* gather.c - one pass: each run's judge, and what an overview reports. Contracts in report.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report.h"

static char *value_of(const struct ctt_event *ev, const char *key)
{
	struct ctt_text value = ctt_member(ev, key);

	return value.p ? keep(strndup(value.p, value.len)) : NULL;
}

static void meta_line(struct run *r, const struct ctt_event *ev)
{
	char *wall = value_of(ev, "wall");

	r->command = value_of(ev, "command");
	r->host = value_of(ev, "host");
	if (wall && !ctt_parse_number(wall, 0, UINT64_MAX, &r->wall))
		r->wall = 0;
}

static void lost_line(struct run *r, const struct ctt_event *ev)
{
	if (!r->lost_from || ev->lost.from < r->lost_from)
		r->lost_from = ev->lost.from;
	if (ev->lost.to > r->lost_to)
		r->lost_to = ev->lost.to;
}

static void exit_line(struct run *r, const struct ctt_event *ev)
{
	struct exited x = { ev->exit.pid, ev->ts, ev->line, ev->exit.status, ev->exit.signaled };

	r->processes++;
	if (r->exit_count < EXITS_KEPT)
		r->exits[r->exit_count++] = x;
	else if (is_crash(&x))
		r->exits[r->processes % EXITS_KEPT] = x;
}

static void other_line(struct run *r, const struct ctt_event *ev)
{
	if (ev->kind == CTT_EV_META)
		meta_line(r, ev);
	else if (ev->kind == CTT_EV_PROCESS && !r->path && ev->process.path.len)
		r->path = keep(strndup(ev->process.path.p, ev->process.path.len));
	else if (ev->kind == CTT_EV_LOST)
		lost_line(r, ev);
	else if (ev->kind == CTT_EV_EXIT)
		exit_line(r, ev);
}

static struct run *run_new(struct report *rp)
{
	struct run *r = need(calloc(1, sizeof(*r)));
	const char *where = ctt_trace_where(rp->in, 1), *colon = strrchr(where, ':');

	r->judge = ctt_judges_get(&rp->judges, rp->runs);
	r->model = ctt_judge_model(r->judge);
	sched_start(&r->sched, r->model);
	r->source = keep(strndup(where, (size_t)(colon - where)));
	return r;
}

static struct run *run_of(struct report *rp, uint32_t number)
{
	while (number >= rp->runs) {
		ROOM(rp->run, rp->runs, rp->room);
		rp->run[rp->runs] = run_new(rp);
		rp->runs++;
	}
	return rp->run[number];
}

void report_bad(void *arg, const struct ctt_event *ev, const char *why)
{
	struct report *rp = arg;
	char **what;

	ctt_judges_bad(&rp->judges, ev, why);
	if (strncmp(why, "impossible", 10))
		return;
	what = suspects_note(&run_of(rp, rp->judges.last)->suspects, LINE_IMPOSSIBLE, ev->line);
	if (what)
		*what = format("%s", why);
}

void report_apply(struct report *rp, const struct ctt_event *ev)
{
	struct run *r = run_of(rp, ev->run);
	struct spans *spans = &r->sched.spans;
	struct ctt_coro *c = spans_before(spans, ev);

	switch (ev->kind) {
	case CTT_EV_CREATE:
	case CTT_EV_RESUME:
	case CTT_EV_SUSPEND:
	case CTT_EV_DESTROY:
	case CTT_EV_WAKE:
		r->events++;
		r->created += ev->kind == CTT_EV_CREATE;
		r->ended += ev->kind == CTT_EV_DESTROY;
		r->wakes += ev->kind == CTT_EV_WAKE;
		if (ev->kind != CTT_EV_WAKE)
			suspects_look(&r->suspects,
				spans->shared ? c : ctt_model_coro(r->model, ev->probe_id), ev);
		break;
	default:
		other_line(r, ev);
	}
	ctt_judges_apply(&rp->judges, ev);
	spans_after(spans, ev, c);
}

void report_judge(struct report *rp)
{
	ctt_judges_end(&rp->judges);
	for (uint32_t i = 0; i < rp->runs; i++) {
		struct run *r = rp->run[i];

		r->number = rp->runs > 1 ? i + 1 : 0;
		r->facts = ctt_trace_run(rp->in, i);
		run_select(r, rp->opt);
		sched_finish(&r->sched, r->facts);
	}
}

static int run_status(const struct report *rp, const struct run *r)
{
	if (suspects_count(&r->suspects))
		return 1;
	for (size_t i = 0; i < r->exit_count; i++)
		if (is_crash(&r->exits[i]))
			return 1;
	return ctt_common_status(rp->opt, r->certain, r->doubt);
}

int report_status(const struct report *rp)
{
	int status = 0;

	for (uint32_t i = 0; i < rp->runs; i++) {
		int s = run_status(rp, rp->run[i]);

		status = ctt_status_fold(status, s);
	}
	return status;
}

void report_free(struct report *rp)
{
	for (uint32_t i = 0; i < rp->runs; i++) {
		struct run *r = rp->run[i];

		sched_stop(&r->sched);
		free(r->suspects.ended);
		free(r->findings);
		free(r->pending);
		free(r);
	}
	free(rp->run);
	ctt_judges_free(&rp->judges);
	strings_free();
}
