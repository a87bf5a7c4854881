/* watch.c - read a trace as it comes, with a judge a run, and keep what models do not: rates, busy
 * time, exits. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/hash.h"
#include "top.h"

uint64_t wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A mutex is not fair: the reader, who lets go for the time of one read(2), would have it again
 * before a waiter wakes. With a second one to stand in line for it, who waits comes next. */
void watch_lock(struct watch *w)
{
	pthread_mutex_lock(&w->turn);
	pthread_mutex_lock(&w->state);
	pthread_mutex_unlock(&w->turn);
}

void watch_unlock(struct watch *w)
{
	pthread_mutex_unlock(&w->state);
}

static void waits(void *arg, bool begins)
{
	struct watch *w = arg;

	if (begins) {
		watch_unlock(w);
	} else {
		watch_lock(w);
		w->read_ns = wall_ns();
	}
}

static struct run *watch_run(struct watch *w, uint32_t run)
{
	while (run >= w->count) {
		ROOM(w->run, w->count, w->room);
		w->run[w->count] = need(calloc(1, sizeof(**w->run)));
		w->run[w->count]->busy.elem = sizeof(struct busy);
		w->run[w->count]->judge = ctt_judges_get(&w->judges, w->count);
		w->count++;
	}
	return w->run[run];
}

static bool runs_on(const struct run *r, uint64_t id, uint64_t tid)
{
	const struct ctt_coro *c = ctt_model_coro(ctt_judge_model(r->judge), id);

	return c && c->state == CTT_CORO_RUNNING && c->tid == tid;
}

/* Busy from the resume of a coroutine until that one rests, whatever it resumes itself. A park
 * heals what was lost. */
static void apply_busy(struct run *r, const struct ctt_event *ev)
{
	struct busy *b = keyed_get(&r->busy, ev->tid);

	if (ev->kind == CTT_EV_RESUME) {
		/* One that runs again, or elsewhere by now, has left in a line that was lost. */
		if (!b->outer || b->outer == ev->probe_id || !runs_on(r, b->outer, ev->tid)) {
			b->outer = ev->probe_id;
			b->since = ev->ts;
		}
	} else if (b->outer && (ev->kind == CTT_EV_PARK || b->outer == ev->probe_id)) {
		b->ns += ev->ts > b->since ? ev->ts - b->since : 0;
		b->outer = 0;
	}
}

static void apply_rare(struct run *r, const struct ctt_event *ev)
{
	if (ev->kind == CTT_EV_PROCESS && !r->path) {
		struct ctt_text path = ev->process.path;

		r->pid = ev->process.pid;
		r->path = need(strndup(path.p ? path.p : "", path.len < 200 ? path.len : 200));
	} else if (ev->kind == CTT_EV_EXIT &&
		(!r->exit.seen || ev->exit.pid == r->pid || r->exit.pid != r->pid)) {
		r->exit.seen = true;
		r->exit.signaled = ev->exit.signaled;
		r->exit.pid = ev->exit.pid;
		r->exit.value = ev->exit.status;
	}
}

static void apply(struct watch *w, const struct ctt_event *ev)
{
	static const uint64_t busies = CTT_KIND(RESUME) | CTT_KIND(SUSPEND) |
		CTT_KIND(DESTROY) | CTT_KIND(PARK);
	struct run *r = watch_run(w, ev->run);

	ctt_judges_apply(&w->judges, ev);
	r->events += ev->kind >= CTT_EV_CREATE && ev->kind <= CTT_EV_DESTROY;
	if (busies >> ev->kind & 1 && ev->tid)
		apply_busy(r, ev);
	else if (ev->kind == CTT_EV_PROCESS || ev->kind == CTT_EV_EXIT)
		apply_rare(r, ev);
}

void watch_read(struct watch *w)
{
	struct ctt_event ev;

	watch_lock(w);
	w->read_ns = wall_ns();
	ctt_trace_on_wait(w->in, waits, w);
	ctt_trace_on_bad(w->in, ctt_judges_bad, &w->judges);
	ctt_judges_read(&w->judges, w->in);
	while (ctt_trace_next(w->in, &ev))
		apply(w, &ev);
	ctt_judges_end(&w->judges);
	w->over = true;
	watch_unlock(w);
}

void watch_free(struct watch *w)
{
	for (uint32_t i = 0; i < w->count; i++) {
		verdicts_free(&w->run[i]->verdicts);
		keyed_free(&w->run[i]->busy);
		free(w->run[i]->path);
		free(w->run[i]);
	}
	free(w->run);
	ctt_judges_free(&w->judges);
}

static uint64_t busy_ns(const struct run *r, const struct busy *b)
{
	uint64_t now = ctt_model_last_ts(ctt_judge_model(r->judge));

	return b->ns + (b->outer && now > b->since ? now - b->since : 0);
}

/* between two samples; of the trace's own time */
enum { SAMPLE_NS = 250000000, BUSY_NS = 1000000000 };

void watch_sample(struct run *r, uint64_t wall)
{
	uint64_t now = ctt_model_last_ts(ctt_judge_model(r->judge));

	if (!r->sampled || wall - r->sample[r->sampled % SAMPLES].wall >= SAMPLE_NS) {
		r->sampled++;
		r->sample[r->sampled % SAMPLES].wall = wall;
		r->sample[r->sampled % SAMPLES].events = r->events;
	}
	if (!r->busy_ts)
		r->busy_ts = ctt_model_first_ts(ctt_judge_model(r->judge));
	if (now < r->busy_ts + BUSY_NS)
		return;
	for (size_t i = 0; i < r->busy.count; i++) {
		struct busy *b = r->busy.item[i];
		uint64_t ns = busy_ns(r, b);

		b->share = (double)(ns - b->shown_ns) / (double)(now - r->busy_ts);
		b->shown_ns = ns;
	}
	r->busy_ts = now;
}

double run_rate(const struct watch *w, uint32_t run)
{
	const struct run *r = w->run[run];
	const struct ctt_trace_run *t = ctt_trace_run(w->in, run);
	uint64_t from = r->sampled >= SAMPLES ? r->sampled - SAMPLES + 1 : 1;
	uint64_t a = from % SAMPLES, b = r->sampled % SAMPLES;

	if (run_over(w, run))
		return t->last_ts > t->first_ts ?
			(double)r->events * 1e9 / (double)(t->last_ts - t->first_ts) :
			0;
	if (r->sampled < 2)
		return 0;
	return (double)(r->sample[b].events - r->sample[a].events) * 1e9 /
		(double)(r->sample[b].wall - r->sample[a].wall);
}

double run_busy(const struct watch *w, uint32_t run, uint64_t tid)
{
	const struct run *r = w->run[run];
	const struct ctt_trace_run *t = ctt_trace_run(w->in, run);
	const struct busy *b = keyed_find(&r->busy, tid);

	if (!b)
		return -1;
	if (!run_over(w, run) && r->busy_ts > t->first_ts)
		return b->share;
	return t->last_ts > t->first_ts ?
		(double)busy_ns(r, b) / (double)(t->last_ts - t->first_ts) :
		-1;
}
