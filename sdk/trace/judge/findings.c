/* findings.c - judge every coroutine at the end of a run: which rule speaks, how certain it may
 * be. */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"
#include "judge/look.h"

bool ctt_finding_same_group(const struct ctt_finding *a, const struct ctt_finding *b)
{
	return a->verdict == b->verdict && a->certainty == b->certainty &&
		a->coro->site == b->coro->site && a->cause.site == b->cause.site &&
		a->because == b->because;
}

/* Woken, and not run, when nothing more is known of its process. */
static bool was_about_to_run(struct ctt_judge *j, const struct ctt_coro *c)
{
	return j->model->dead && c->state == CTT_CORO_RUNNABLE && !c->untraced &&
		!settled(j, c, c->since);
}

/* The first rule that proves; else the first that suspects. One whose cause is too fresh says
 * nothing. */
static void judge_coro(struct ctt_judge *j, struct ctt_coro *c)
{
	struct ctt_finding best = { .verdict = CTT_V_NONE };
	bool fresh = false;

	for (int v = CTT_V_NONE + 1; v < CTT_VERDICTS; v++) {
		const struct verdict *row = verdict_of((enum ctt_verdict)v);
		rule *pattern = c->state == CTT_CORO_RUNNABLE ? row->woken : row->asleep;
		struct ctt_finding f = { .coro = c }, weighed;

		if (!pattern || !pattern(j, c->evidence, &f))
			continue;
		weighed = f;
		if (!weigh(j, &weighed)) {
			fresh = true;
			continue;
		}
		if (!best.verdict ||
			(best.certainty > f.certainty &&
				(f.certainty != CTT_PROVEN || !weighed.close ||
					best.certainty == CTT_HINT)))
			best = f;
	}
	j->fresh += !best.verdict && (fresh || was_about_to_run(j, c));
	if (best.verdict)
		add_finding(j, &best);
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_group(const void *x, const void *y)
{
	const struct ctt_finding *a = x, *b = y;
	int order = compare(a->certainty, b->certainty);

	order = order ? order : compare(a->verdict, b->verdict);
	order = order ? order : compare(a->coro->site, b->coro->site);
	order = order ? order : compare(a->cause.site, b->cause.site);
	order = order ? order : strcmp(a->because, b->because);
	return order ? order : compare(a->coro->id, b->coro->id);
}

void findings_free(struct ctt_judge *j)
{
	for (size_t i = 0; i < j->count; i++) {
		free(j->findings[i].cycle);
		free(j->findings[i].behind);
	}
	j->count = 0;
}

/* Woken and not run yet: what is there may be meant for it. */
static void count_runnable(const struct evidence *e)
{
	if (e->on)
		e->on->runnable++;
	for (uint32_t i = 0; e->legs && i < e->legs->count; i++)
		if (e->legs->leg[i].on)
			e->legs->leg[i].on->runnable++;
}

static bool is_vague(const struct ctt_coro *c, const struct ctt_on *on)
{
	return !on->known || on->kind == CTT_ON_NONE ||
		(c->state == CTT_CORO_RUNNABLE &&
			(on->kind == CTT_ON_TIMER || on->kind == CTT_ON_CORO));
}

/* Did it wait for more than is known, as in a combinator, or within a time limit; and has it been about to go on from
 * there for long? What it was given then it may not have seen yet. */
static bool is_kept(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;
	const struct ctt_legs *of = c->legs;
	uint64_t end = end_for(j, c);
	bool vague = !of && is_vague(c, &c->on);

	for (size_t i = 0; of && i < of->count; i++)
		vague |= is_vague(c, &of->leg[i].on);
	return vague && e && (e->suspended || e->left[0].ts) && end > c->since &&
		2 * (end - c->since) >= j->grace;
}

static void forget_object(struct object *o)
{
	o->runnable = 0;
	o->passage = UNSEEN;
	o->waiters_have = o->holders_live = UNASKED;
	o->freed = o->reported = o->torn = o->seated = o->followed = false;
	o->first = NULL;
	o->vertex = (struct vertex){ 0 };
}

/* As if never judged before. */
static void forget_findings(struct ctt_judge *j)
{
	struct ctt_coro *c;

	findings_free(j);
	j->moved_on_count = j->fresh = 0;
	free(j->moved_on);
	j->moved_on = NULL;
	crew_forget_candidates(j);
	looks_forget(j);
	weigh_forget(j);
	j->queues_counted = false;
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		struct evidence *e = c->evidence;

		if (e && e->on)
			forget_object(e->on);
		for (uint32_t k = 0; e && e->legs && k < e->legs->count; k++)
			if (e->legs->leg[k].on)
				forget_object(e->legs->leg[k].on);
		if (e) {
			awaited_settle(e);
			e->vertex = (struct vertex){ 0 };
			e->in_cycle = e->stuck = e->branching = e->accused = e->behind = false;
			e->explained = e->kid_lives = false;
		}
	}
}

const struct ctt_finding *ctt_judge_findings(
	struct ctt_judge *j, const struct ctt_trace_run *run, uint64_t grace_ns, size_t *count)
{
	struct ctt_coro *c;

	forget_findings(j);
	for (size_t i = 0; i < j->processes.count; i++) {
		struct process *p = j->processes.item[i];

		memset(&p->now, 0, sizeof(p->now));
	}
	j->run = run;
	j->grace = grace_ns;
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		bool woken = c->state == CTT_CORO_RUNNABLE;

		if (woken && c->evidence)
			count_runnable(c->evidence);
		if ((woken || c->state == CTT_CORO_RUNNING) && is_kept(j, c))
			process_of(j, c->tid)->now.vague = true;
	}
	losses_weigh(j);
	deeds_settle_all(j);
	judge_go(j);
	judge_deadlocks(j);
	judge_gone(j);
	judge_groups(j);
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		if (c->system || c->doubted ||
			(c->state != CTT_CORO_SUSPENDED && c->state != CTT_CORO_RUNNABLE))
			continue;
		if (!evidence_of(c)->in_cycle &&
			(c->state == CTT_CORO_RUNNABLE || !awaiter_moves(j, c)))
			judge_coro(j, c);
	}
	judge_late(j);
	judge_blocked(j);
	judge_behind(j);
	if (j->count)
		qsort(j->findings, j->count, sizeof(*j->findings), by_group);
	*count = j->count;
	return j->findings;
}

static const char *doubt(struct ctt_judge *j, const char *text, const char *help)
{
	j->doubt_help = help;
	return text;
}

const char *ctt_judge_doubt(const struct ctt_judge *j, const struct ctt_trace_run *run)
{
	struct ctt_judge *marks = (struct ctt_judge *)j;

	marks->untold_way = WAYS;
	marks->doubt_help = NULL;
	if (!run->ended && !run->v1)
		return doubt(marks, "the trace was cut",
			"let the recorder come to its end, or end it by SIGINT or SIGTERM, not by SIGKILL; "
			"a tee in between wants -i");
	if (ctt_trace_headless(run))
		return doubt(marks, ctt_trace_headless(run), "judge the trace from its first line on");
	if (run->cut)
		return doubt(marks, "a filter left lines out", "ask the whole trace");
	if (run->bad)
		return "lines could not be read";
	if (ctt_trace_nothing(run))
		return ctt_trace_nothing(run);
	if (run->born_before)
		return doubt(marks,
			"it was attached to without a box: what stood still then was not seen",
			"record it from its start, or start it with CTP_BOX=1: then a recorder that comes later sees all");
	if (run->partial)
		return doubt(marks,
			"its process has another copy of the probe, as of a plugin, of which nothing is here",
			"start it by the recorder, which hears all of them, or read the other's box as well (ct-record --box /proc/PID/fd/N)");
	if (j->model->astray)
		return doubt(marks, MODEL_ASTRAY,
			"judge the trace as it was written: not sorted, mixed with another, or sent twice");
	if (ctt_model_exact(j->model) && !ctt_model_live(j->model))
		return NULL;		/* whatever was lost, nobody waits */
	if (j->dropped_until)
		return "too many events came while no worker ran";
	if (ctt_model_lost(j->model) || j->lost_to)
		return doubt(marks, "events were lost", j->model->stopped || j->model->stopped_at ?
			"record it where it does not stop that itself, as by ct_stop(); where rings were full, with --on-full=block" :
			j->model->late ?
			"start the program with a larger box: CTP_BOX=1,slots=N keeps more of each thread" :
			"record once more with --on-full=block, or larger rings (--ring-slots)");
	if (j->model->dead && j->fresh)
		return "nobody knows how long the program went on after its last event";
	if (losses_context(j))
		return "threads act that no line introduced";
	return j->model->vanished[CTT_EV_SITE] ? "sites are not reported" : untold_waits(marks);
}

const char *ctt_judge_doubt_help(const struct ctt_judge *j)
{
	return j->doubt_help;
}
