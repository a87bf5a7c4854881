/* hot.h - the events of which nearly all of a trace consists, from bytes to lines: may it happen
 * now, what follows from it, and what is printed. Inline, for merge.c. */
#ifndef GOTRACE_HOT_H
#define GOTRACE_HOT_H

#include "events.h"
#include "lines.h"

static HOT struct go_ctx hot_context(struct go_m *m)
{
	return (struct go_ctx){ .m = m, .p = m->p, .g = m->g && m->g->id == m->g_id ? m->g : NULL };
}

/* Taken: when that is, by our clock. */
static HOT uint64_t hot_now(struct go_map *map, const struct go_cursor *c)
{
	uint64_t ts = map_tick(map, c->ev.time);

	if (!c->m->printed)
		map_thread(map, c->m, ts);
	return ts;
}

/* goroutine number */
static HOT enum go_take hot_start(struct go_order *o, struct go_map *map, struct go_cursor *c)
{
	struct go_ctx ctx = hot_context(c->m);
	struct go_g *g;

	if (!go_read_args(o->f, c, 2))
		return GO_BROKEN;
	g = hash_find(&o->gs, c->ev.arg[0]);
	if (!g || g->status != G_RUNNABLE || !go_follows(o, c->ev.arg[1], &g->seq))
		return GO_LATER;
	if (go_requires(o, &ctx, NEED_M | NEED_P | NO_G) == GO_BROKEN)
		return GO_BROKEN;
	g->status = G_RUNNING;
	g->seq.n++;
	go_hold(c->m, g);
	line_resume(map, g, c->m, hot_now(map, c));
	return GO_TAKEN;
}

/* goroutine number stack */
static HOT enum go_take hot_unblock(struct go_order *o, struct go_map *map, struct go_cursor *c)
{
	struct go_ctx ctx = hot_context(c->m);
	struct go_stack *s;
	struct go_g *g;
	uint64_t ts;

	if (!go_read_args(o->f, c, 3))
		return GO_BROKEN;
	g = hash_find(&o->gs, c->ev.arg[0]);
	if (!g || g->status != G_WAITING || !go_follows(o, c->ev.arg[1], &g->seq))
		return GO_LATER;
	if (!go_check_stack(o->f, c, c->ev.arg[2]))
		return GO_BROKEN;
	g->status = G_RUNNABLE;
	g->seq.n++;
	ts = hot_now(map, c);
	s = sites_stack(map->sites, map->f, c->ev.stack);
	line_wake(map, g, c->m, ts, ctx.g, s);
	return GO_TAKEN;
}

/* reason stack: it leaves its thread, to wait or only to let others run */
static HOT enum go_take hot_leave(
	struct go_order *o, struct go_map *map, struct go_cursor *c, unsigned status)
{
	struct go_ctx ctx = hot_context(c->m);
	struct go_stack *s;
	struct go_g *g = ctx.g;
	bool known;
	uint64_t ts;
	char *p;

	if (!go_read_args(o->f, c, 2) || go_runs(o, &ctx) == GO_BROKEN ||
		!go_check_stack(o->f, c, c->ev.arg[1]))
		return GO_BROKEN;
	s = c->ev.stack;
	known = s && s->tail_len && s->tail_reason == c->ev.arg[0] && s->tail_type == c->ev.type;
	if (!known && !go_check_string(o->f, c, c->ev.arg[0]))
		return GO_BROKEN;
	g->status = (uint8_t)status;
	go_hold(c->m, NULL);
	ts = hot_now(map, c);
	s = map_own_stack(map, g, c->m, ts, s);
	p = line_own(map, g, c->m, false, ts);
	p = LINE_N(p, "suspend", g);
	p = known ? out_bytes(p, map->tails.p + s->tail_at, s->tail_len) :
		    map_tail(map, &c->ev, s, p);
	out_end(p);
	if (status == G_RUNNABLE)
		line_wake(map, g, c->m, ts, NULL, NULL);
	return GO_TAKEN;
}

/* number stack */
static HOT enum go_take hot_syscall(struct go_order *o, struct go_map *map, struct go_cursor *c)
{
	struct go_ctx ctx = hot_context(c->m);
	struct go_g *g = ctx.g;
	struct go_stack *s;
	uint64_t ts;

	if (!go_read_args(o->f, c, 2) || go_runs(o, &ctx) == GO_BROKEN ||
		!go_check_stack(o->f, c, c->ev.arg[1]))
		return GO_BROKEN;
	if (!go_follows(o, c->ev.arg[0], &ctx.p->seq))
		return go_broken(
			o, "processor %" PRIu64 " misses an event before a system call", ctx.p->id);
	g->status = G_SYSCALL;
	ctx.p->status = P_SYSCALL;
	ctx.p->seq.n++;
	ts = hot_now(map, c);
	if (map->syscalls == SYSCALLS_NONE)
		return GO_TAKEN;
	s = map_own_stack(map, g, c->m, ts, c->ev.stack);
	g->pending = true;
	g->pending_ts = ts;
	g->pending_m = c->m;
	g->pending_site = s ? s->site : 0;
	g->pending_stack = s ? s->number : 0;
	if (map->syscalls == SYSCALLS_ALL)
		map_syscall(map, g);
	return GO_TAKEN;
}

/* Nothing but the time. */
static HOT enum go_take hot_syscall_end(struct go_order *o, struct go_map *map, struct go_cursor *c)
{
	struct go_ctx ctx = hot_context(c->m);
	struct go_g *g = ctx.g;
	uint64_t ts;

	if (!go_read_args(o->f, c, 0) || go_in_syscall(o, &ctx) == GO_BROKEN ||
		go_requires(o, &ctx, NEED_P) == GO_BROKEN)
		return GO_BROKEN;
	if (ctx.p->status != P_SYSCALL)
		return go_broken(o, "processor %" PRIu64 " leaves a system call that it is not in",
			ctx.p->id);
	g->status = G_RUNNING;
	ctx.p->status = P_RUNNING;
	ts = hot_now(map, c);
	if (g->in_syscall)
		line_resume(map, g, c->m, ts);
	g->in_syscall = g->pending = false;
	return GO_TAKEN;
}

#endif
