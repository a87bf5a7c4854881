/* header.c - what stands above the lists: how the stream does, coroutines by state, threads. */
#include <inttypes.h>
#include <string.h>

#include "top.h"

enum { QUIET_NS = 2500000000 };	/* a recorder says something every second */

static void ending(char *buf, size_t size, const struct watch *w, const struct view *v)
{
	const struct run *r = w->run[v->run];
	const struct ctt_trace_run *t = ctt_trace_run(w->in, v->run);
	uint64_t quiet = wall_ns() - w->read_ns;
	char exit[128] = "", time[24];

	if (r->exit.seen && r->exit.signaled)
		snprintf(exit, sizeof(exit), ", killed by signal %" PRIu64 " (%s)", r->exit.value,
			r->exit.value < 65 ? strsignal((int)r->exit.value) : "?");
	else if (r->exit.seen)
		snprintf(exit, sizeof(exit), ", exit status %" PRIu64, r->exit.value);
	if (!run_over(w, v->run))
		snprintf(buf, size, quiet > QUIET_NS ? "live, no line for %s" : "live",
			ctt_out_duration(time, quiet));
	else if (t->ended || t->v1)
		snprintf(buf, size, "ended%s", exit);
	else
		snprintf(buf, size, "CUT OFF: no end line%s", exit);
}

static void show_title(struct lines *l, const struct watch *w, const struct view *v)
{
	const struct ctt_trace_run *t = ctt_trace_run(w->in, v->run);
	const char *path = w->run[v->run]->path;
	char end[256], time[24], run[64] = "";

	ending(end, sizeof(end), w, v);
	if (w->count > 1)
		snprintf(run, sizeof(run), "  run %" PRIu32 " of %" PRIu32, v->run + 1, w->count);
	lines_add(l, LOOK_TITLE, "ct-top  +%s  %s%s%s%s",
		ctt_out_duration(time, t->last_ts - t->first_ts), end, run,
		path && *path ? "  " : "", path ? path : "");
}

/* 12, 3456, 81.2k, 1.39M */
static void rate_text(char *buf, size_t size, double rate)
{
	if (rate < 9999.5)
		snprintf(buf, size, "%.0f", rate);
	else if (rate < 999.5e3)
		snprintf(buf, size, "%.1fk", rate / 1e3);
	else
		snprintf(buf, size, "%.2fM", rate / 1e6);
}

static void show_states(struct lines *l, const struct watch *w, const struct view *v)
{
	struct ctt_model *m = ctt_judge_model(w->run[v->run]->judge);
	size_t n[CTT_CORO_ENDED] = { 0 }, system = 0;
	char rate[24];
	struct ctt_coro *c;

	for (size_t i = 0; (c = ctt_model_next(m, &i));) {
		if (c->state < CTT_CORO_ENDED && !c->system)
			n[c->state]++;
		system += c->system;
	}
	rate_text(rate, sizeof(rate), run_rate(w, v->run));
	lines_add(l, LOOK_BOLD,
		"%s events/s  lost %" PRIu64
		"  %zu live: %zu suspended %zu runnable %zu running %zu created",
		rate, ctt_model_lost(m), ctt_model_live(m) - system, n[CTT_CORO_SUSPENDED],
		n[CTT_CORO_RUNNABLE], n[CTT_CORO_RUNNING], n[CTT_CORO_CREATED]);
}

/* What was found, in a word; and what is missing. */
static void show_verdict(struct lines *l, const struct watch *w, const struct view *v)
{
	const struct run *r = w->run[v->run];
	const struct verdicts *d = &r->verdicts;
	const size_t *n = d->sum;
	enum look look = n[CTT_PROVEN]     ? LOOK_PROVEN :
		n[CTT_SUSPECTED]           ? LOOK_SUSPECTED :
		n[CTT_UNKNOWN] || d->doubt ? LOOK_UNKNOWN :
					     LOOK_GOOD;
	const char *so_far = d->final ? "" : " so far";
	uint64_t bad = ctt_trace_run(w->in, v->run)->bad;
	char lines[64] = "", hints[32] = "", hidden[CTT_HIDDEN_SIZE];

	ctt_hidden_text(hidden, d->hidden);
	if (bad)
		snprintf(
			lines, sizeof(lines), "; %" PRIu64 " bad line%s", bad, bad == 1 ? "" : "s");
	if (n[CTT_HINT])
		snprintf(hints, sizeof(hints), " %zu hint%s", n[CTT_HINT],
			n[CTT_HINT] == 1 ? "" : "s");
	if (n[CTT_PROVEN] + n[CTT_SUSPECTED] + n[CTT_UNKNOWN] + n[CTT_HINT])
		lines_add(l, look, "findings%s: %zu proven %zu suspected %zu unknown%s%s%s%s%s",
			so_far, n[CTT_PROVEN], n[CTT_SUSPECTED], n[CTT_UNKNOWN], hints, hidden,
			d->doubt ? "; inconclusive where " : "", d->doubt ? d->doubt : "", lines);
	else
		lines_add(l, look, "no findings%s%s%s%s%s", so_far, hidden,
			d->doubt ? "; inconclusive: " : "", d->doubt ? d->doubt : "", lines);
}

void show_header(struct lines *l, struct watch *w, const struct view *v)
{
	show_title(l, w, v);
	show_states(l, w, v);
	show_verdict(l, w, v);
}

static void worker_doing(
	char *buf, size_t size, const struct ctt_model *m, const struct ctt_worker *t)
{
	const struct ctt_coro *c = t->running ? ctt_model_coro(m, t->running) : NULL;
	uint64_t now = ctt_model_last_ts(m);
	char site[512], time[24], name[101];

	if (c) {
		ctt_out_duration(time, now > c->since ? now - c->since : 0);
		text_fit(name, sizeof(name), c->name ? c->name : "", 0);
		snprintf(buf, size, "%" PRIu64 "%s%s%s for %s%s%s", c->id, c->name ? " \"" : "",
			name, c->name ? "\"" : "", time,
			c->site ? ", last at " : "",
			c->site ? ctt_model_site_text(site, sizeof(site), m, c->site) : "");
	} else if (t->parked)
		snprintf(buf, size, "parked for %s",
			ctt_out_duration(time, now > t->parked_since ? now - t->parked_since : 0));
	else
		snprintf(buf, size, "%s", t->ended ? "ended" : "-");
}

/* Those that run coroutines, or the others. */
static bool shown(const struct ctt_worker *t, bool workers)
{
	if (t->ran || t->parks || (t->role && !strcmp(t->role, "worker")))
		return workers;
	return !workers && !(t->ended && !t->role);
}

static void show_worker(
	struct lines *l, const struct watch *w, const struct view *v, const struct ctt_worker *t)
{
	enum { BEFORE = 31, LEAST = 12 };	/* half of what is behind is for what it does */
	size_t most = v->cols > BEFORE + 2 * LEAST ? (v->cols - BEFORE) / 2 : LEAST;
	double share = run_busy(w, v->run, t->tid);
	char doing[900], busy[16] = "-", queue[24] = "-", cut[33], role[48], name[61], brief[61];
	const char *said;

	worker_doing(doing, sizeof(doing), ctt_judge_model(w->run[v->run]->judge), t);
	if (share >= 0)
		snprintf(busy, sizeof(busy), "%.0f%%", share > 1 ? 100 : share * 100);
	if (t->queue_ts)
		snprintf(queue, sizeof(queue), "%" PRIu64, t->queue);
	line_cut(cut, sizeof(cut), t->role ? t->role : "-", 8);
	said = line_short(brief, sizeof(brief), t->name ? t->name : "-", v->cols ? most : 0);
	lines_add(l, LOOK_PLAIN, "%8" PRIu64 " %5s %6s %s %s %s", t->tid, busy, queue,
		text_fit(role, sizeof(role), cut, 8), text_fit(name, sizeof(name), said, 12),
		doing);
}

void show_workers(struct lines *l, struct watch *w, const struct view *v)
{
	struct ctt_model *m = ctt_judge_model(w->run[v->run]->judge);
	struct ctt_worker *t;

	lines_add(l, LOOK_BOLD, "%8s %5s %6s %-8s %-12s %s", "THREAD", "BUSY", "QUEUE", "ROLE",
		"NAME", "RUNNING");
	for (int workers = 1; workers >= 0; workers--)
		for (size_t i = 0; (t = ctt_model_next_worker(m, &i));)
			if (shown(t, workers))
				show_worker(l, w, v, t);
}
