/* fetch.c - what the next lines are about, on its way from memory while the ones before are judged.
 *
 * A server's coroutines and what they wait on do not fit the caches, and each line goes from the
 * table to its coroutine, from that to its evidence, and on to what it waits on: each step waits for
 * memory, where the one before it said what to wait for. Of some lines together each step waits but
 * once. Nothing is changed here. Contract in judge.h. */
#include "judge/judge.h"
#include "read/internal.h"

enum { CACHE_LINE = 64, CORO = 256, EVIDENCE = 320, OBJECT = 320, SPAN = 192 };

ONLY_FETCHES void fetch(const void *p, size_t size)
{
	for (size_t i = 0; p && i < size; i += CACHE_LINE)
		FETCH((const char *)p + i);
}

/* The second cache of most processors has half of it to a few megabytes. */
enum { CACHED = 1 << 20 };

static bool pays(const struct ctt_judge *j)
{
	return j->model->coros.live.used * (sizeof(struct ctt_coro) + sizeof(struct evidence)) +
		j->objects.used * sizeof(struct object) > CACHED;
}

bool judge_fetch(const struct ctt_judge *j, const struct ctt_event *ev, size_t count)
{
	const struct ctt_coro *c[AHEAD];
	const struct object *o[AHEAD];	/* that the line names */
	uint64_t on[AHEAD];

	if (!pays(j))
		return false;
	for (size_t i = 0; i < count; i++) {
		hash_fetch(&j->model->coros.live, ev[i].probe_id);
		on[i] = object_hash_of(j, &ev[i].on, ev[i].tid);
		hash_fetch(&j->objects, on[i]);
	}
	for (size_t i = 0; i < count; i++) {
		c[i] = hash_find(&j->model->coros.live, ev[i].probe_id);
		o[i] = on[i] ? hash_find(&j->objects, on[i]) : NULL;
		fetch(c[i], CORO);
		fetch(o[i], OBJECT);
	}
	for (size_t i = 0; i < count; i++) {
		fetch(c[i] ? c[i]->evidence : NULL, EVIDENCE);
		fetch(c[i] ? c[i]->span : NULL, SPAN);
		fetch(o[i] ? o[i]->waiters : NULL, CACHE_LINE);
	}
	for (size_t i = 0; i < count; i++) {
		const struct evidence *e = c[i] ? c[i]->evidence : NULL;

		if (e && e->on != o[i])
			fetch(e->on, OBJECT);
		fetch(e ? e->next : NULL, CACHE_LINE);
		fetch(e ? e->has.held : NULL, CACHE_LINE);
	}
	return true;
}
