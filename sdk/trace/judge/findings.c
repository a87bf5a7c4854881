/* findings.c - judge every coroutine at the end of a run: which rule speaks, how certain it may
 * be. */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

bool ctt_finding_same_group(const struct ctt_finding *a, const struct ctt_finding *b)
{
	return a->verdict == b->verdict && a->certainty == b->certainty &&
		a->coro->site == b->coro->site && a->cause.site == b->cause.site &&
		a->because == b->because;
}

bool settled(struct ctt_judge *j, const struct ctt_coro *c, uint64_t ts)
{
	uint64_t end = end_for(j, c);

	return end > ts && end - ts >= j->grace;
}

void add_fact(struct ctt_finding *f, struct ctt_fact fact)
{
	if (fact.line && (!f->oldest || fact.ts < f->oldest))
		f->oldest = fact.ts;
	if (fact.line && f->fact_count < CTT_FINDING_FACTS)
		f->facts[f->fact_count++] = fact;
}

struct ctt_fact suspend_fact(const struct ctt_coro *c)
{
	return (struct ctt_fact){ c->last_line, c->last_ts, c->tid, c->id, c->site,
		c->resumed || c->state == CTT_CORO_SUSPENDED || c->v1 ? "suspended" : "created" };
}

/* Could something that is missing hide the resume or the wake that overturns it? */
static const char *hidden(
	struct ctt_judge *j, const struct ctt_finding *f, enum ctt_certainty *left)
{
	uint64_t from = f->verdict == CTT_V_LOST_WAKER ? f->coro->first_ts : f->oldest;

	/* Awaited too late: an early wake that is missing would make it a missed one. */
	if (f->verdict == CTT_V_DEAD_AWAITEE && f->cause.ts < f->coro->last_ts &&
		f->coro->resumed < from)
		from = f->coro->resumed;
	/* That it still waits there is said by its state; what is missing may hide a wake behind
	 * the close only. */
	if (f->verdict == CTT_V_CLOSED_RESOURCE && f->coro->confirmed &&
		f->cause.ts > f->coro->last_ts)
		from = f->cause.ts;
	*left = CTT_UNKNOWN;
	if (!j->run->ended && !j->run->v1)
		return "the trace was cut: its resume may have come after that";
	if (j->run->cut)
		return "a filter left lines out: its resume may be among them";
	if (j->dropped_until && j->dropped_until >= from)
		return "too many events came while no worker ran to keep them, and workers ran again after that";
	return losses_touch(j, f, from, left);
}

/* Is the cause old enough, and which certainty is left of it? False: too fresh to say anything. */
static bool weigh(struct ctt_judge *j, struct ctt_finding *f)
{
	const struct ctt_coro *c = f->coro;
	uint64_t cause = f->cause.ts > c->last_ts ? f->cause.ts : c->last_ts;
	enum ctt_certainty left;
	uint64_t apart =
		f->cause.ts > c->last_ts ? f->cause.ts - c->last_ts : c->last_ts - f->cause.ts;

	if (f->verdict == CTT_V_SILENT && !j->run->cut)
		return (j->run->v1 && !j->run->ended) || settled(j, c, c->last_ts);
	/* Who waits in a cycle in a snapshot, or whom nothing there could wake, does so whenever
	 * that began. */
	if (!settled(j, c, cause) &&
		!(c->since_before &&
			(f->verdict == CTT_V_LOST_WAKER || f->verdict == CTT_V_DEADLOCK)))
		return false;
	f->close = f->cause.line && f->cause.tid && f->cause.tid != c->tid &&
		apart < CTT_JUDGE_CLOSE_NS && verdict_of(f->verdict)->order_matters;
	if (f->close && f->certainty == CTT_PROVEN)
		f->certainty = CTT_SUSPECTED;
	f->unknown = f->certainty == CTT_HINT ? NULL : hidden(j, f, &left);
	if (f->unknown && left > f->certainty)
		f->certainty = left;
	return true;
}

static uint64_t hash_text(uint64_t h, const char *s)
{
	while (*s)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3ull;
	return h;
}

void add_finding(struct ctt_judge *j, struct ctt_finding *f)
{
	const struct ctt_site *s = ctt_model_site(j->model, f->coro->site);

	if (!weigh(j, f)) {
		j->fresh++;	/* a deadlock's: others were weighed before */
		free(f->cycle);
		return;
	}
	f->id = hash_text(
		hash_text(hash_text(0xcbf29ce484222325ull, ctt_verdict_name(f->verdict)), s->func),
		s->file);
	f->id = hash64(hash64(f->id ^ s->line) + f->coro->id);
	f->since = f->coro->since;
	f->age_ns = f->gone_ts ? f->gone_ts - (f->since < f->gone_ts ? f->since : f->gone_ts) :
				 age_of(j, f->coro);
	if (j->count == j->size)
		j->findings = need(
			realloc(j->findings, (j->size = 2 * j->size + 16) * sizeof(*j->findings)));
	j->findings[j->count++] = *f;
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
	j->fresh += fresh && !best.verdict;
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

/* As if never judged before. */
static void forget_findings(struct ctt_judge *j)
{
	struct ctt_coro *c;

	for (size_t i = 0; i < j->count; i++)
		free(j->findings[i].cycle);
	j->count = j->moved_on_count = j->fresh = 0;
	free(j->moved_on);
	j->moved_on = NULL;
	crew_forget_candidates(j);
	j->queues_counted = j->orphans_looked = false;
	j->last_orphan = 0;
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		struct evidence *e = c->evidence;

		if (e && e->on) {
			e->on->runnable = 0;
			e->on->passage = UNSEEN;
			e->on->freed = e->on->told = false;
			e->on->vertex = (struct vertex){ 0 };
		}
		if (e) {
			e->vertex = (struct vertex){ 0 };
			e->in_cycle = e->stuck = false;
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
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		if (c->state == CTT_CORO_RUNNABLE && c->evidence && evidence_of(c)->on)
			evidence_of(c)->on->runnable++;
	losses_weigh(j);
	judge_deadlocks(j);
	judge_gone(j);
	judge_groups(j);
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		if (c->system || c->doubted ||
			(c->state != CTT_CORO_SUSPENDED && c->state != CTT_CORO_RUNNABLE))
			continue;
		if (!evidence_of(c)->in_cycle)
			judge_coro(j, c);
	}
	if (j->count)
		qsort(j->findings, j->count, sizeof(*j->findings), by_group);
	*count = j->count;
	return j->findings;
}

const char *ctt_judge_doubt(const struct ctt_judge *j, const struct ctt_trace_run *run)
{
	if (!run->ended && !run->v1)
		return "the trace was cut";
	if (run->cut)
		return "a filter left lines out";
	if (run->bad)
		return "lines could not be read";
	if (ctt_trace_nothing(run))
		return ctt_trace_nothing(run);
	if (run->born_before)
		return "it was attached to without a box: what stood still then was not seen";
	if (ctt_model_exact(j->model) && !ctt_model_live(j->model))
		return NULL;		/* whatever was lost, nobody waits */
	if (j->dropped_until)
		return "too many events came while no worker ran";
	if (ctt_model_lost(j->model) || j->lost_to)
		return "events were lost";
	if (losses_context(j))
		return "threads act that no line introduced";
	return j->model->vanished[CTT_EV_SITE] ? "sites are not told" : NULL;
}
