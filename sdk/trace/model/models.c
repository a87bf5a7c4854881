/* models.c - asking a model, and one model a run. Contracts in cttrace/model.h. */
#include <stdlib.h>

#include "base/sum.h"
#include "model/state.h"

const char *ctt_coro_state_name(enum ctt_coro_state s)
{
	static const char *const names[] = { "created", "running", "suspended", "runnable",
		"ended" };

	return names[s];
}

void ctt_model_on_end(struct ctt_model *m,
	void (*fn)(void *, struct ctt_coro *, const struct ctt_event *), void *arg)
{
	m->on_end = fn;
	m->on_end_arg = arg;
}

struct ctt_coro *ctt_model_coro(const struct ctt_model *m, uint64_t id)
{
	return coros_find(&m->coros, id);
}

struct ctt_coro *ctt_model_next(struct ctt_model *m, size_t *i)
{
	struct ctt_coro **order = *i ? m->coros.order : coros_sorted(&m->coros);

	return *i < m->coros.live.used ? order[(*i)++] : NULL;
}

size_t ctt_model_live(const struct ctt_model *m)
{
	return m->coros.live.used;
}

const struct ctt_site *ctt_model_site(const struct ctt_model *m, uint64_t number)
{
	static const struct ctt_site none = { 0, "", "", 0 };
	const struct ctt_site *s = number ? keyed_find(&m->sites, number) : NULL;

	return s && s->func && s->file ? s : &none;
}

struct ctt_worker *ctt_model_worker(const struct ctt_model *m, uint64_t tid)
{
	return keyed_find(&m->workers, tid);
}

struct ctt_worker *ctt_model_next_worker(struct ctt_model *m, size_t *i)
{
	return *i < m->workers.count ? m->workers.item[(*i)++] : NULL;
}

uint64_t ctt_model_first_ts(const struct ctt_model *m)
{
	return m->first_ts;
}

uint64_t ctt_model_last_ts(const struct ctt_model *m)
{
	return m->last_ts;
}

const char *ctt_model_late(const struct ctt_model *m, char text[CTT_LATE_SIZE])
{
	uint64_t stopped = m->stopped + (m->stopped_at ? m->last_ts - m->stopped_at : 0);
	char time[24];
	int n = 0;

	text[0] = '\0';
	if (m->late && m->snapshot)
		n = snprintf(text, CTT_LATE_SIZE, ", as a box held it");
	else if (m->late && !m->attached)
		n = snprintf(text, CTT_LATE_SIZE, ", waiting for a box");
	else if (m->late)
		n = snprintf(text, CTT_LATE_SIZE, ", attached %s before the end",
			ctt_out_duration(time, m->last_ts - m->attached));
	if (stopped)
		snprintf(text + n, CTT_LATE_SIZE - (size_t)n, ", recording stopped for %s",
			ctt_out_duration(time, stopped));
	return text;
}

bool ctt_model_exact(const struct ctt_model *m)
{
	return m->exact && !m->astray;
}

bool ctt_model_astray(const struct ctt_model *m)
{
	return m->astray;
}

uint64_t ctt_model_lost(const struct ctt_model *m)
{
	uint64_t reported = m->lost > m->end_lost ? m->lost : m->end_lost, gone = 0;

	if (m->cut)
		return sum(reported, m->astray);	/* a filter makes gaps too */
	for (int k = CTT_EV_CREATE; k < CTT_EV_KINDS; k++)	/* names alone are no events */
		if (k != CTT_EV_THREAD && k != CTT_EV_SITE)
			gone = sum(gone, m->vanished[k]);
	gone = sum(gone > m->missing ? gone : m->missing, m->astray);
	return gone > reported ? gone : reported;
}

struct ctt_model *ctt_models_get(struct ctt_models *ms, uint32_t run)
{
	while (run >= ms->count)
		*ADD(ms->run, ms->count, ms->room) = ctt_model_new();
	return ms->run[run];
}

struct ctt_model *ctt_models_apply(struct ctt_models *ms, const struct ctt_event *ev)
{
	struct ctt_model *m = ev->run < ms->count ? ms->run[ev->run] : ctt_models_get(ms, ev->run);

	ctt_model_apply(m, ev);
	return m;
}

void ctt_models_free(struct ctt_models *ms)
{
	for (uint32_t i = 0; i < ms->count; i++)
		ctt_model_free(ms->run[i]);
	free(ms->run);
}
