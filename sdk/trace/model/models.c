/* models.c - asking a model, and one model a run. Contracts in cttrace.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/state.h"

const char *coro_state_name(enum coro_state s)
{
	static const char *const names[] = { "created", "running", "suspended", "runnable", "ended" };

	return names[s];
}

void model_on_end(struct model *m, void (*fn)(void *, struct coro *, const struct event *), void *arg)
{
	m->on_end = fn;
	m->on_end_arg = arg;
}

struct coro *model_coro(const struct model *m, uint64_t id)
{
	return coros_find(&m->coros, id);
}

struct coro *model_next(struct model *m, size_t *i)
{
	struct coro **order = *i ? m->coros.order : coros_sorted(&m->coros);

	return *i < m->coros.live ? order[(*i)++] : NULL;
}

size_t model_live(const struct model *m)
{
	return m->coros.live;
}

const struct site *model_site(const struct model *m, uint64_t number)
{
	static const struct site none = { 0, "", "", 0 };
	const struct site *s = number ? keyed_find(&m->sites, number) : NULL;

	return s && s->func && s->file ? s : &none;
}

struct worker *model_worker(const struct model *m, uint64_t tid)
{
	return keyed_find(&m->workers, tid);
}

struct worker *model_next_worker(struct model *m, size_t *i)
{
	return *i < m->workers.count ? m->workers.item[(*i)++] : NULL;
}

uint64_t model_first_ts(const struct model *m)
{
	return m->first_ts;
}

uint64_t model_last_ts(const struct model *m)
{
	return m->last_ts;
}

bool model_exact(const struct model *m)
{
	return m->exact;
}

uint64_t model_lost(const struct model *m)
{
	uint64_t told = m->lost > m->end_lost ? m->lost : m->end_lost;

	return told > m->missing || m->cut ? told : m->missing;	/* a filter makes gaps too */
}

struct model *models_get(struct models *ms, uint32_t run)
{
	while (run >= ms->count) {
		ms->run = need(realloc(ms->run, (ms->count + 1) * sizeof(*ms->run)));
		ms->run[ms->count++] = model_new();
	}
	return ms->run[run];
}

struct model *models_apply(struct models *ms, const struct event *ev)
{
	struct model *m = ev->run < ms->count ? ms->run[ev->run] : models_get(ms, ev->run);

	model_apply(m, ev);
	return m;
}

void models_free(struct models *ms)
{
	for (uint32_t i = 0; i < ms->count; i++)
		model_free(ms->run[i]);
	free(ms->run);
}

uint64_t on_key(const struct on *on)
{
	uint64_t h = 0xcbf29ce484222325ull;

	if (on->number)
		return on->value;
	for (size_t i = 0; i < on->text.len; i++)
		h = (h ^ (unsigned char)on->text.p[i]) * 0x100000001b3ull;
	return h;
}

char *on_text(char *buf, size_t size, const struct on *on)
{
	bool address = on->kind == ON_MUTEX || on->kind == ON_COND || on->kind == ON_SEM || on->kind == ON_CHAN;

	if (on->kind == ON_NONE)
		snprintf(buf, size, "%s", "");
	else if (!on->known)
		snprintf(buf, size, "%s:", on_name(on->kind));
	else if (!on->number)
		snprintf(buf, size, "%.*s", (int)(on->text.len < 4096 ? on->text.len : 4096), on->text.p);
	else if (address && on->value > 0xffff)
		snprintf(buf, size, "%s:0x%016" PRIx64, on_name(on->kind), on->value);
	else
		snprintf(buf, size, "%s:%" PRIu64, on_name(on->kind), on->value);
	return buf;
}
