/* judges.c - a judge a run, and bad lines as losses. Contracts in cttrace.h. */
#include <stdlib.h>

#include "model/state.h"

struct judge *judges_get(struct judges *js, uint32_t run)
{
	while (run >= js->count) {
		js->run = need(realloc(js->run, (js->count + 1) * sizeof(*js->run)));
		js->run[js->count++] = judge_new();
	}
	return js->run[run];
}

void judges_bad(void *judges, const struct event *ev, const char *why)
{
	(void)ev; (void)why;
	((struct judges *)judges)->bad = true;
}

struct judge *judges_apply(struct judges *js, const struct event *ev)
{
	struct judge *j = ev->run < js->count ? js->run[ev->run] : judges_get(js, ev->run);

	judge_apply(j, ev);
	if (js->bad && (ev->ts || ev->run != js->last)) {
		judge_lost(j, 0, ev->ts);
		if (ev->run != js->last)	/* it may have been the last run's last */
			judge_lost(js->run[js->last], 0, UINT64_MAX);
		js->bad = false;
	}
	js->last = ev->run;
	return j;
}

void judges_end(struct judges *js)
{
	if (js->bad && js->count)
		judge_lost(js->run[js->last], 0, UINT64_MAX);
}

void judges_free(struct judges *js)
{
	for (uint32_t i = 0; i < js->count; i++)
		judge_free(js->run[i]);
	free(js->run);
}
