/* map.c - what happens to a goroutine, as lines of ours. The table of them is in ct-fromgo(1). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

static bool create(struct go_map *map, struct go_order *o, const struct go_event *ev,
	const struct go_ctx *c, uint64_t ts)
{
	struct go_stack *s = NULL, *entry = NULL;
	struct go_g *g = c->target;
	char name[48], *p;

	if (hash_find(&map->started, g->id))	/* its state line stands already */
		return go_fail(map->f, (size_t)(o->at->at - map->f->buf),
			"goroutine %" PRIu64 " is created and was there before", g->id);
	g->printed = true;
	map_identify(map, g);
	if (ev->type != GO_CREATE_SYSCALL) {
		s = sites_stack(map->sites, map->f, ev->stack);
		entry = sites_stack(map->sites, map->f, hash_find(&map->f->gen.stacks, ev->arg[1]));
	}
	p = line_own(map, g, c->m, false, ts);
	p = LINE_N(p, "create", g);
	if (s && s->site)
		p = line_key(p, "site", s->site);
	if (c->g)
		p = line_key(p, "parent", c->g->probe_id);
	if (s)
		p = line_key(p, "stack", s->number);
	out_end(OUT(p, "}\n"));
	if (entry) {
		map_name(map, g, c->m, ts, entry->entry);
	} else if (ev->type == GO_CREATE_SYSCALL) {
		g->named = true;
		snprintf(name, sizeof(name), "callback from C (goroutine %" PRIu64 ")", g->id);
		map_name_line(map, g, c->m, ts, (struct ctt_text){ name, strlen(name) });
	}
	g->coro = ev->type == GO_CREATE_BLOCKED;
	if (g->coro)
		line_suspend(map, g, c->m, ts, "coro:", 0, 0, 0);
	g->in_syscall = ev->type == GO_CREATE_SYSCALL && map->syscalls != SYSCALLS_NONE;
	if (g->in_syscall)
		line_suspend(map, g, c->m, ts, "syscall:", 0, 0, 0);
	else if (ev->type == GO_CREATE_SYSCALL)
		line_resume(map, g, c->m, ts);
	return true;
}

static const char *wait_on(
	const struct go_event *ev, struct ctt_text reason, const struct go_stack *s)
{
	enum go_wait wait = W_NONE;

	if (ev->type == GO_STOP)
		return "sched:";
	if (ev->string) {
		if (ev->string->on == W_UNSEEN)
			ev->string->on = (uint8_t)go_wait_of(reason);
		wait = ev->string->on;
	}
	if (wait == W_SYNC)
		wait = s && s->lock != W_NONE ? s->lock : W_SEM;
	return go_wait_on(wait);
}

/* Lines end alike where they have stack and reason in common: remember what stands from `tail` to
 * p. */
static void keep_tail(struct go_map *map, const struct go_event *ev, struct go_stack *s,
	const char *tail, const char *p)
{
	if (p < tail)		/* the buffer was written out in between */
		return;
	s->tail_len = (size_t)(p - tail);
	buf_room(&map->tails, s->tail_len + OUT_PAD);
	s->tail_at = map->tails.len;
	buf_add(&map->tails, tail, s->tail_len);
	s->tail_type = (uint8_t)ev->type;
	s->tail_reason = ev->arg[0];
}

char *map_tail(struct go_map *map, const struct go_event *ev, struct go_stack *s, char *p)
{
	struct ctt_text reason =
		ev->string ? go_text(map->f, ev->string) : (struct ctt_text){ NULL, 0 };
	char *tail = p;

	p = line_tail(p, wait_on(ev, reason, s), 0, s ? s->site : 0, s ? s->number : 0, reason);
	if (s && !s->tail_len)
		keep_tail(map, ev, s, tail, p);
	return p;
}

static void destroy(
	struct go_map *map, unsigned type, struct go_g *g, const struct go_m *m, uint64_t ts)
{
	char *p = line_own(map, g, m, false, ts);
	uint64_t *id;

	out_end(OUT(LINE_N(p, "destroy", g), ",\"done\":true}\n"));
	if (type != GO_DESTROY_SYSCALL || hash_find(&map->used, g->id))
		return;
	id = need(malloc(sizeof(*id)));	/* the next callback on its thread will have it */
	*id = g->id;
	hash_add(&map->used, *id, id);
}

static void change(
	struct go_map *map, const struct go_event *ev, const struct go_ctx *c, uint64_t ts)
{
	struct go_g *next = c->target;

	line_wake(map, next, c->m, ts, c->g, NULL);
	ts = map_tick(map, ts);
	/* it waits for what it switches to; that, when it switches back, for whoever calls next */
	if (ev->type == GO_SWITCH)
		line_suspend(map, c->g, c->m, ts, "coro:", next->coro ? next->probe_id : 0, 0, 0);
	else
		destroy(map, ev->type, c->g, c->m, ts);
	line_resume(map, next, c->m, map_tick(map, ts));
}

static void syscall_end_blocked(
	struct go_map *map, struct go_g *g, const struct go_m *m, uint64_t ts)
{
	if (!g->in_syscall && !g->pending)
		line_suspend(map, g, m, ts, "syscall:", 0, 0, 0);
	map_syscall(map, g);
	line_wake(map, g, m, ts, NULL, NULL);
	g->in_syscall = false;
}

bool map_event(struct go_map *map, struct go_order *o, const struct go_event *ev, struct go_ctx *c,
	uint64_t ts)
{
	switch (ev->type) {
	case GO_SYSCALL_END_BLOCKED:
		syscall_end_blocked(map, c->g, c->m, ts);
		break;
	case GO_CREATE: case GO_CREATE_BLOCKED: case GO_CREATE_SYSCALL:
		return create(map, o, ev, c, ts);
	case GO_DESTROY_SYSCALL:
		if (c->p)
			/* Go's reader reports first that the processor is let go */
			ts = map_tick(map, ts);
		/* fall through */
	case GO_DESTROY:
		destroy(map, ev->type, c->g, c->m, ts);
		break;
	case GO_SWITCH: case GO_SWITCH_DESTROY:
		change(map, ev, c, ts);
		break;
	case GO_STATUS: case GO_STATUS_STACK:
		map_started(map, c->target);
		if (!c->target->printed)	/* no line of its own would say who it is */
			return go_fail(map->f, (size_t)(o->at->at - map->f->buf),
				"goroutine %" PRIu64 " has a status and has ended", c->target->id);
		if (ev->stack && !c->target->named)
			map_own_stack(map, c->target, &map_nobody, ts, ev->stack);
		break;
	default:
		map_note(map, o, ev, c, ts);
		break;
	}
	return true;
}
