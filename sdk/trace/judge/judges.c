/* judges.c - a judge a run, and bad lines as losses. Contracts in cttrace/judge.h. */
#include <stdlib.h>

#include "judge/judge.h"
#include "read/internal.h"

struct ctt_judge *ctt_judges_get(struct ctt_judges *js, uint32_t run)
{
	while (run >= js->count)
		*ADD(js->run, js->count, js->room) = ctt_judge_new();
	return js->run[run];
}

void ctt_judges_bad(void *judges, const struct ctt_event *ev, const char *why)
{
	(void)ev; (void)why;
	((struct ctt_judges *)judges)->bad = true;
}

/* Most lines are of the run of those before. */
static bool look(void *judges, const struct ctt_event *ev, size_t count)
{
	const struct ctt_judges *js = judges;

	return js->last < js->count && judge_fetch(js->run[js->last], ev, count);
}

void ctt_judges_read(struct ctt_judges *js, struct ctt_trace *in)
{
	trace_look_ahead(in, look, js);
}

struct ctt_judge *ctt_judges_apply(struct ctt_judges *js, const struct ctt_event *ev)
{
	struct ctt_judge *j = ev->run < js->count ? js->run[ev->run] : ctt_judges_get(js, ev->run);

	ctt_judge_apply(j, ev);
	if (js->bad && (ev->ts || ev->run != js->last)) {
		/* this one may be late */
		ctt_judge_lost(j, 0, ctt_model_last_ts(ctt_judge_model(j)));
		if (ev->run != js->last)	/* it may have been the last run's last */
			ctt_judge_lost(js->run[js->last], 0, UINT64_MAX);
		js->bad = false;
	}
	js->last = ev->run;
	return j;
}

void ctt_judges_end(struct ctt_judges *js)
{
	if (js->bad && js->count)
		ctt_judge_lost(js->run[js->last], 0, UINT64_MAX);
}

void ctt_judges_drop(struct ctt_judges *js, uint32_t run)
{
	ctt_judge_free(js->run[run]);
	js->run[run] = NULL;
}

void ctt_judges_free(struct ctt_judges *js)
{
	for (uint32_t i = 0; i < js->count; i++)
		if (js->run[i])
			ctt_judge_free(js->run[i]);
	free(js->run);
}
