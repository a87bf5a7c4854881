/* threads.c - ct-bt's lines about a thread: what runs there, what it waits for, its queue.
 * Contracts in bt.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bt.h"

static int by_thread(const void *a, const void *b)
{
	const struct ctt_coro *x = *(struct ctt_coro *const *)a, *y = *(struct ctt_coro *const *)b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->resumed != y->resumed)
		return x->resumed > y->resumed ? -1 : 1;	/* the innermost first */
	return x->id < y->id ? -1 : x->id > y->id;
}

static int by_thread_and_wait(const void *a, const void *b)
{
	const struct ctt_coro *x = *(struct ctt_coro *const *)a, *y = *(struct ctt_coro *const *)b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->since != y->since)
		return x->since > y->since ? -1 : 1;	/* the one that suspended last, first */
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Those in that state, by the thread that they ran on last. */
static struct ctt_coro **in_state(const struct forest *f, enum ctt_coro_state state,
	int (*order)(const void *, const void *), size_t *count)
{
	struct ctt_coro **list = need(malloc((f->count + 1) * sizeof(*list)));

	*count = 0;
	for (size_t i = 0; i < f->count; i++)
		if (f->node[i].c->state == state)
			list[(*count)++] = f->node[i].c;
	qsort(list, *count, sizeof(*list), order);
	return list;
}

/* Where those of the thread begin in the list. */
static size_t first_of(struct ctt_coro *const *list, size_t count, uint64_t tid)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (list[middle]->tid >= tid)
			count = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool blocks(const struct ctt_worker *w)
{
	return w->parked && w->role && !strcmp(w->role, "blocking");
}

/* The one for which the thread waits outside of the scheduler: who suspended there last before
 * that. NULL: none. */
static const struct ctt_coro *blocked_in(
	const struct ctt_worker *w, struct ctt_coro *const *waits, size_t count)
{
	if (!blocks(w))
		return NULL;
	for (size_t i = first_of(waits, count, w->tid); i < count && waits[i]->tid == w->tid; i++)
		if (waits[i]->since <= w->parked_since)
			return waits[i];
	return NULL;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Of each that waits to run, the thread that woke it or created it, in order. */
static uint64_t *wakers(const struct forest *f, size_t *count)
{
	uint64_t *list = need(malloc((f->count + 1) * sizeof(*list)));

	*count = 0;
	for (size_t i = 0; i < f->count; i++) {
		const struct ctt_coro *c = f->node[i].c;

		if (c->state == CTT_CORO_RUNNABLE || c->state == CTT_CORO_CREATED)
			list[(*count)++] = c->wake_ts ? c->wake_tid : c->tid;
	}
	qsort(list, *count, sizeof(*list), by_number);
	return list;
}

/* How many wait to run that it has put in a queue, as a rule its own: where it is busy, and has not
 * reported that. */
static size_t put_in_queue(const struct ctt_worker *w, struct ctt_coro *const *run, size_t runs,
	const uint64_t *list, size_t count)
{
	size_t low = 0, high = count, n = 0;

	if (!runs || !w->role || strcmp(w->role, "worker") || w->queue_ts >= run[0]->since)
		return 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle] >= w->tid)
			high = middle;
		else
			low = middle + 1;
	}
	while (low + n < count && list[low + n] == w->tid)
		n++;
	return n;
}

static void worker_text(const struct view *v, const struct ctt_worker *w,
	struct ctt_coro *const *run, size_t count, const struct ctt_coro *waits_for, size_t queued)
{
	char age[40], site[512];
	uint64_t parked = w->parked ? age_of(v, w->parked_since) : 0;

	if (w->role && strcmp(w->role, "other"))
		ctt_out_text(stdout, w->role, strlen(w->role));
	fputs(w->role && strcmp(w->role, "other") ? " thread" : "thread", stdout);
	printf(" %" PRIu64, w->tid);
	if (w->name) {
		fputs(" \"", stdout);
		ctt_out_text(stdout, w->name, strlen(w->name));
		fputs("\"", stdout);
	}
	fputs(":", stdout);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ", within " : " runs ", stdout);
		ctt_coro_text(stdout, run[i]);
		if (run[i]->site)
			printf(" %s at %s", ran_before(run[i]) ? "last" : "created",
				ctt_model_site_text(site, sizeof(site), v->model, run[i]->site));
		printf(" for %s", ctt_coro_age(age, run[i], age_of(v, run[i]->since)));
	}
	if (w->parked)
		printf("%s %s for %s", count ? "," : "", blocks(w) ? "blocked" : "parked",
			parked ? ctt_out_duration(age, parked) : "?");
	if (waits_for) {
		fputs(" in ", stdout);
		ctt_coro_text(stdout, waits_for);
	}
	if (w->parked)
		;
	else if (!count && !w->last_ts)
		fputs(" runs no coroutine, not seen to do anything", stdout);
	else if (!count)
		printf(" runs no coroutine, last seen %s ago",
			ctt_out_duration(age, age_of(v, w->last_ts)));
	if (w->queue_ts)
		printf(", queue %" PRIu64, w->queue);
	if (w->queue_ts && age_of(v, w->queue_ts))
		printf(" as of %s ago", ctt_out_duration(age, age_of(v, w->queue_ts)));
	if (queued)
		printf(", %zu that it woke or created wait to run", queued);
	fputs("\n", stdout);
}

static void worker_json(const struct view *v, const struct ctt_worker *w,
	struct ctt_coro *const *run, size_t count, const struct ctt_coro *waits_for, size_t queued)
{
	printf("{\"tid\":%" PRIu64, w->tid);
	key_json("thread", w->name);
	key_json("role", w->role);
	fputs(",\"running\":[", stdout);
	for (size_t i = 0; i < count; i++)
		printf("%s%" PRIu64, i ? "," : "", run[i]->id);
	printf("],\"parked\":%s", w->parked ? "true" : "false");
	if (w->parked)
		printf(",\"since\":%" PRIu64, w->parked_since);
	if (waits_for)
		printf(",\"blocked\":%" PRIu64, waits_for->id);
	if (queued)
		printf(",\"queued\":%zu", queued);
	if (w->queue_ts)
		printf(",\"queue\":%" PRIu64 ",\"as_of\":%" PRIu64, w->queue, w->queue_ts);
	if (w->last_ts)
		printf(",\"last\":%" PRIu64, w->last_ts);
	end_json(v);
}

void print_workers(const struct view *v, const struct forest *f)
{
	struct ctt_worker *w;
	size_t total, from, count, waiting, ready;
	uint64_t *put = wakers(f, &ready);
	struct ctt_coro **list = in_state(f, CTT_CORO_RUNNING, by_thread, &total);
	struct ctt_coro **waits = in_state(f, CTT_CORO_SUSPENDED, by_thread_and_wait, &waiting);

	for (size_t i = 0; (w = ctt_model_next_worker(v->model, &i));) {
		if (!w->tid)
			continue;
		from = first_of(list, total, w->tid);
		for (count = 0; from + count < total && list[from + count]->tid == w->tid; count++)
			;
		(v->json ? worker_json : worker_text)(v, w, list + from, count,
			blocked_in(w, waits, waiting),
			put_in_queue(w, list + from, count, put, ready));
	}
	free(put);
	free(waits);
	free(list);
}
