/* state.c - the lines at a trace's ends: what was there when it began, how far time has come, what
 * is lost. And Go's words for what is waited on. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "lines.h"

static const struct { const char *on, *reason;
} waits[W_KINDS] = {
	[W_CHAN_RECV] = { "chan:", "chan receive" },
	[W_CHAN_SEND] = { "chan:", "chan send" },
	[W_SELECT] = { "chan:", "select" },
	[W_SYNC] = { "sem:", "sync" },
	[W_SEM] = { "sem:", "sync" },
	[W_MUTEX] = { "mutex:", "sync" },
	[W_JOIN] = { "join:", "sync" },
	[W_COND] = { "cond:", "sync.(*Cond).Wait" },
	[W_NETWORK] = { "fd:", "network" },
	[W_SLEEP] = { "timer:", "sleep" },
	[W_FOREVER] = { "never:", "forever" },
	[W_RUNTIME] = { "runtime:", "system goroutine wait" },
	[W_PREEMPTED] = { "sched:", "preempted" },
	[W_SYNCTEST] = { "user:", "synctest" },
};

const char *go_wait_on(enum go_wait w)
{
	return waits[w].on;
}

/* Go's words. */
static const char *go_wait_reason(enum go_wait w)
{
	return waits[w].reason;
}

enum go_wait go_wait_of(struct ctt_text reason)
{
	static const char *const runtime[] = { "GC mark assist wait for work",
		"GC background sweeper wait", "wait for debug call", "wait until GC ends",
		"GC weak to strong wait" };

	for (int w = W_CHAN_RECV; w < W_KINDS; w++)
		if (waits[w].reason && strlen(waits[w].reason) == reason.len &&
			!memcmp(waits[w].reason, reason.p, reason.len))
			return (enum go_wait)w;
	for (size_t i = 0; i < sizeof(runtime) / sizeof(runtime[0]); i++)
		if (strlen(runtime[i]) == reason.len && !memcmp(runtime[i], reason.p, reason.len))
			return W_RUNTIME;
	return W_NONE;
}

/* Wall time at trace time ts; 0 = not reported. */
static uint64_t wall_at(const struct go_gen *g, uint64_t ts)
{
	return g->has_clock && g->wall ? g->wall + (ts - go_ns(g, g->clock_ticks)) : 0;
}

void map_free(struct go_map *map)
{
	sites_free(map->sites);
	free(map->tails.p);
	go_free_items(&map->used);
	go_free_items(&map->started);
}

void map_meta(struct go_map *map)
{
	const struct go_gen *g = &map->f->gen;
	uint64_t ts = g->tick_ns > 0 ? go_ns(g, g->min_time) : 0;
	char *p;

	ts = ts || !g->any ? ts : 1;
	map->first_gen = g->number;
	p = OUT(out_begin(), "{\"ev\":\"meta\"");
	p = g->tick_ns > 0 ? out_ts(p, ts) : p;
	p = OUT(p, ",\"format\":\"corotrace\",\"version\":2,\"tool\":\"ct-fromgo " CT_VERSION "\"");
	if (g->tick_ns > 0 && wall_at(g, ts))
		p = out_number(OUT(p, ",\"wall\":"), wall_at(g, ts));
	p = out_number(OUT(p, ",\"clock\":\"monotonic\",\"go_trace\":\"1."), map->f->minor);
	out_end(OUT(p, "\"}\n"));
}

void map_sync(struct go_map *map, uint64_t ts)
{
	const struct go_gen *g = &map->f->gen;
	char *p = out_ts(OUT(out_begin(), "{\"ev\":\"sync\""), ts);

	map->tails.len = 0;
	p = out_number(OUT(p, ",\"generation\":"), g->number);
	if (wall_at(g, ts))
		p = out_number(OUT(p, ",\"wall\":"), wall_at(g, ts));
	out_end(OUT(p, "}\n"));
}

void map_end(struct go_map *map)
{
	char *p = OUT(out_begin(), "{\"ev\":\"end\"");
	uint64_t ts = map->last > map->end ? map->last : map->end;

	if (ts)
		p = out_ts(p, ts);
	p = out_number(OUT(p, ",\"events\":"), map->events);
	p = out_number(OUT(p, ",\"lost\":0,\"lines\":{\"thread\":"), map->threads);
	out_end(OUT(out_number(OUT(p, ",\"site\":"), sites_count(map->sites)), "}}\n"));
}

void map_lost(struct go_map *map, uint64_t count)
{
	char *p = OUT(out_begin(), "{\"ev\":\"lost\"");

	if (map->last)
		p = out_ts(p, map->last);
	p = out_number(OUT(p, ",\"count\":"), count ? count : 1);
	if (map->last) {
		p = out_number(OUT(p, ",\"from\":"), map->last);
		p = out_number(OUT(p, ",\"to\":"), map->last);
	}
	p = out_string(OUT(p, ",\"why\":"), (struct ctt_text){ map->f->why, strlen(map->f->why) });
	out_end(OUT(p, "}\n"));
}

static void state_line(struct go_map *map, struct go_g *g, unsigned status, const struct go_m *m,
	uint64_t ts, struct go_stack *s)
{
	bool active =
		status == G_RUNNING || (status == G_SYSCALL && map->syscalls == SYSCALLS_NONE);
	enum go_wait wait = s && status == G_WAITING ? s->wait : W_NONE;
	const char *on, *reason = go_wait_reason(wait);
	char *p = out_active(OUT(line_head(out_begin(), g, m), "4"), active, ts);

	if (wait == W_SYNC && s->lock != W_NONE)
		wait = s->lock;
	if (wait == W_NONE && g->system && status == G_WAITING)
		wait = W_RUNTIME;
	on = status == G_SYSCALL ? "syscall:" : status == G_RUNNABLE ? "sched:" : go_wait_on(wait);
	p = OUT(p, ",\"ev\":\"state\",\"n\":2");
	if (!active && s && s->site)
		p = out_number(OUT(p, ",\"site\":"), s->site);
	if (!active && on)
		p = OUT(out_word(OUT(p, ",\"on\":\""), on), "\"");
	if (!active && s)
		p = out_number(OUT(p, ",\"stack\":"), s->number);
	if (reason)
		p = OUT(out_word(OUT(p, ",\"reason\":\""), reason), "\"");
	out_end(OUT(p, "}\n"));
	if (status == G_RUNNABLE)
		line_wake(map, g, m, ts, NULL, NULL);
}

/* One whose status is `ev`, reported by thread m. */
static void start(
	struct go_map *map, struct go_order *o, const struct go_event *ev, uint64_t m, uint64_t ts)
{
	unsigned status = ev->arg[2] <= G_WAITING ? (unsigned)ev->arg[2] : 0;
	struct go_g *g;		/* as far as the lines go */
	struct go_stack *s;
	const struct go_m *on = &map_nobody;
	struct go_m *runs;

	if (!status || !ev->arg[0] || hash_find(&map->started, ev->arg[0]) ||
		(status == G_SYSCALL && ev->arg[1] == GO_NONE))
		return;
	g = need(calloc(1, sizeof(*g)));
	g->id = ev->arg[0];
	/* as if this were after its creation: else it would be one that never ran */
	g->n = (struct go_count){ "3", 1 };
	g->seq2 = (struct go_count){ "6", 1 };
	g->in_syscall = status == G_SYSCALL && map->syscalls != SYSCALLS_NONE;
	hash_add(&map->started, g->id, g);
	map_identify(map, g);
	if (status == G_RUNNING || status == G_SYSCALL) {
		runs = go_thread(o, status == G_RUNNING ? m : ev->arg[1]);
		map_thread(map, runs, ts);
		on = runs;
	}
	s = ev->type == GO_STATUS_STACK ? go_find_stack(&map->f->gen, ev->arg[3]) : NULL;
	s = sites_stack(map->sites, map->f, s);
	g->system = s && map_is_system(sites_name(map->sites, s->entry));
	state_line(map, g, status, on, ts, s);
	if (s)
		map_name(map, g, on, ts, s->entry);
}

void map_states(struct go_map *map, struct go_order *o, uint64_t ts)
{
	struct go_file look = *map->f;	/* what is wrong will be found again, in its place */
	struct go_cursor c = { .batch = 0 };

	for (size_t i = 0; i < map->f->gen.batches; i++) {
		go_cursor_batch(&look, &c, i + 1);
		while ((c.p = go_find_status(c.p, c.end)) && go_cursor_next(&look, &c) &&
		       go_read_args(&look, &c, go_specs[c.ev.type].args - 1u))
			start(map, o, &c.ev, map->f->gen.batch[i].m, ts);
	}
}

void map_started(struct go_map *map, struct go_g *g)
{
	struct go_g *st = g->printed ? NULL : hash_find(&map->started, g->id);

	if (!st)
		return;
	g->printed = true;
	g->probe_id = st->probe_id;
	memcpy(g->head, st->head, sizeof(g->head));
	g->head_len = st->head_len;
	g->n = st->n;
	g->seq2 = st->seq2;
	g->in_syscall = st->in_syscall;
	g->named = st->named;
	g->system = st->system;
	hash_remove(&map->started, g->id, st);
	free(st);
}

static int by_begin(const void *a, const void *b)
{
	const struct go_g *x = *(struct go_g *const *)a, *y = *(struct go_g *const *)b;

	return x->pending_ts < y->pending_ts ? -1 : x->pending_ts > y->pending_ts;
}

void map_pending(struct go_map *map, struct go_order *o)
{
	struct go_g **list = need(malloc((o->gs.used + 1) * sizeof(*list))), *g;
	size_t count = 0;

	for (size_t i = 0; (g = hash_each(&o->gs, &i));)
		if (g->pending)
			list[count++] = g;
	qsort(list, count, sizeof(*list), by_begin);
	for (size_t i = 0; i < count; i++)
		map_syscall(map, list[i]);
	free(list);
}
