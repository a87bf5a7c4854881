/* map.c - what happens to a goroutine, as lines of ours. The table of them is in ct-fromgo(1). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

#define ID_LIMIT (1ull << 48)	/* above: borrowed ids */

const struct go_m map_nobody = { .id = GO_NONE, .text = ",\"tid\":0,\"addr\":\"0x0000000000000000\",\"seq\":",
	.text_len = sizeof(",\"tid\":0,\"addr\":\"0x0000000000000000\",\"seq\":") - 1 };

static char *key(char *p, const char *name, uint64_t v)
{
	p = out_word(OUT(p, ",\""), name);
	return out_number(OUT(p, "\":"), v);
}

/* {"ev":"KIND","ts":NS,"tid":T */
static char *other_line(const char *kind, uint64_t ts, const struct go_m *m)
{
	char *p = out_word(OUT(out_begin(), "{\"ev\":\""), kind);

	*p++ = '"';
	p = out_ts(p, ts);
	return m && m->tid ? key(p, "tid", m->tid) : p;
}

void map_thread(struct go_m *m, uint64_t ts)
{
	if (!m->told && m->tid)
		out_end(OUT(other_line("thread", ts, m), "}\n"));
	m->told = true;
}

static void suspend(struct go_map *map, struct go_g *g, const struct go_m *m, uint64_t ts, const char *on, uint64_t coro,
	uint32_t site, uint32_t stack)
{
	char *p = line_own(map, g, m, false, ts);

	out_end(line_tail(LINE_N(p, "suspend", g), on, coro, site, stack, (struct ctt_text){ NULL, 0 }));
}

void map_identify(struct go_map *map, struct go_g *g)
{
	char head[GO_HEAD + OUT_PAD], *p = OUT(head, "{\"probe_id\":");

	g->probe_id = g->id < ID_LIMIT && !go_find(&map->used, g->id) ? g->id : ID_LIMIT + map->lives++;
	g->head_len = (uint8_t)(out_number(p, g->probe_id) - head);
	memcpy(g->head, head, g->head_len);
}

static void name_line(struct go_map *map, const struct go_g *g, const struct go_m *m, uint64_t ts, struct ctt_text name)
{
	char *p = key(other_line("name", ts, m), "probe_id", g->probe_id);

	map->events++;
	p = out_string(OUT(p, ",\"name\":"), name);
	out_end(g->system ? OUT(p, ",\"role\":\"system\"}\n") : OUT(p, "}\n"));
}

static bool begins(struct ctt_text t, const char *with)
{
	return t.len >= strlen(with) && !memcmp(t.p, with, strlen(with));
}

bool map_is_system(struct ctt_text name)
{
	return (begins(name, "runtime.") && !begins(name, "runtime.main") && !begins(name, "runtime.cgocallback")) ||
		begins(name, "runtime/trace.");
}

void map_name(struct go_map *map, struct go_g *g, const struct go_m *m, uint64_t ts, uint32_t entry)
{
	struct ctt_text name = sites_name(map->sites, entry);

	if (g->named || !name.len)
		return;
	g->named = true;
	if (name.len == 12 && begins(name, "runtime.main"))
		name = (struct ctt_text){ "main.main", 9 };
	else if (begins(name, "runtime.cgocallback"))
		name = (struct ctt_text){ "callback from C", 15 };
	else
		g->system = map_is_system(name);
	name_line(map, g, m, ts, name);
}

static bool create(struct go_map *map, struct go_order *o, const struct go_event *ev, const struct go_ctx *c, uint64_t ts)
{
	struct go_stack *s = NULL, *entry = NULL;
	struct go_g *g = c->target;
	char name[48], *p;

	if (go_find(&map->started, g->id))	/* its state line stands already */
		return go_fail(map->f, (size_t)(o->at->at - map->f->buf), "goroutine %" PRIu64 " is created and was there before",
			g->id);
	g->told = true;
	map_identify(map, g);
	if (ev->type != GO_CREATE_SYSCALL) {
		s = sites_stack(map->sites, map->f, ev->stack);
		entry = sites_stack(map->sites, map->f, go_find(&map->f->gen.stacks, ev->arg[1]));
	}
	p = line_own(map, g, c->m, false, ts);
	p = LINE_N(p, "create", g);
	if (s && s->site)
		p = key(p, "site", s->site);
	if (c->g)
		p = key(p, "parent", c->g->probe_id);
	if (s)
		p = key(p, "stack", s->number);
	out_end(OUT(p, "}\n"));
	if (entry) {
		map_name(map, g, c->m, ts, entry->entry);
	} else if (ev->type == GO_CREATE_SYSCALL) {
		g->named = true;
		snprintf(name, sizeof(name), "callback from C (goroutine %" PRIu64 ")", g->id);
		name_line(map, g, c->m, ts, (struct ctt_text){ name, strlen(name) });
	}
	g->coro = ev->type == GO_CREATE_BLOCKED;
	if (g->coro)
		suspend(map, g, c->m, ts, "coro:", 0, 0, 0);
	g->in_syscall = ev->type == GO_CREATE_SYSCALL && map->syscalls != SYSCALLS_NONE;
	if (g->in_syscall)
		suspend(map, g, c->m, ts, "syscall:", 0, 0, 0);
	else if (ev->type == GO_CREATE_SYSCALL)
		line_resume(map, g, c->m, ts);
	return true;
}

static const char *wait_on(const struct go_event *ev, struct ctt_text reason, const struct go_stack *s)
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

/* Lines end alike where they have stack and reason in common: remember what stands from `tail` to p. */
static void keep_tail(struct go_map *map, const struct go_event *ev, struct go_stack *s, const char *tail, const char *p)
{
	if (p < tail)		/* the buffer was written out in between */
		return;
	s->tail_len = (size_t)(p - tail);
	while (map->tails_size - map->tails_used < s->tail_len + OUT_PAD)
		map->tails = go_need(realloc(map->tails, map->tails_size = map->tails_size ? map->tails_size * 2 : 1 << 16));
	s->tail_at = map->tails_used;
	memcpy(map->tails + s->tail_at, tail, s->tail_len);
	map->tails_used += s->tail_len;
	s->tail_type = (uint8_t)ev->type;
	s->tail_reason = ev->arg[0];
}

char *map_tail(struct go_map *map, const struct go_event *ev, struct go_stack *s, char *p)
{
	struct ctt_text reason = ev->string ? go_text(map->f, ev->string) : (struct ctt_text){ NULL, 0 };
	char *tail = p;

	p = line_tail(p, wait_on(ev, reason, s), 0, s ? s->site : 0, s ? s->number : 0, reason);
	if (s && !s->tail_len)
		keep_tail(map, ev, s, tail, p);
	return p;
}

static void destroy(struct go_map *map, unsigned type, struct go_g *g, const struct go_m *m, uint64_t ts)
{
	char *p = line_own(map, g, m, false, ts);
	uint64_t *id;

	out_end(OUT(LINE_N(p, "destroy", g), ",\"done\":true}\n"));
	if (type != GO_DESTROY_SYSCALL || go_find(&map->used, g->id))
		return;
	id = go_need(malloc(sizeof(*id)));	/* the next callback on its thread will have it */
	*id = g->id;
	go_add(&map->used, id);
}

static void change(struct go_map *map, const struct go_event *ev, const struct go_ctx *c, uint64_t ts)
{
	struct go_g *next = c->target;

	line_wake(map, next, c->m, ts, c->g, NULL);
	ts = map_tick(map, ts);
	if (ev->type == GO_SWITCH)	/* it waits for what it switches to; that, when it switches back, for whoever calls next */
		suspend(map, c->g, c->m, ts, "coro:", next->coro ? next->probe_id : 0, 0, 0);
	else
		destroy(map, ev->type, c->g, c->m, ts);
	line_resume(map, next, c->m, map_tick(map, ts));
}

/* The system call that it is in does not end at once: tell of its begin now. */
void map_syscall(struct go_map *map, struct go_g *g)
{
	if (!g->pending)
		return;
	g->pending = false;
	g->in_syscall = true;
	suspend(map, g, g->pending_m, g->pending_ts, "syscall:", 0, g->pending_site, g->pending_stack);
}

static void syscall_end_blocked(struct go_map *map, struct go_g *g, const struct go_m *m, uint64_t ts)
{
	if (!g->in_syscall && !g->pending)
		suspend(map, g, m, ts, "syscall:", 0, 0, 0);
	map_syscall(map, g);
	line_wake(map, g, m, ts, NULL, NULL);
	g->in_syscall = false;
}

bool map_event(struct go_map *map, struct go_order *o, const struct go_event *ev, struct go_ctx *c, uint64_t ts)
{
	switch (ev->type) {
	case GO_SYSCALL_END_BLOCKED:
		syscall_end_blocked(map, c->g, c->m, ts);
		break;
	case GO_CREATE: case GO_CREATE_BLOCKED: case GO_CREATE_SYSCALL:
		return create(map, o, ev, c, ts);
	case GO_DESTROY_SYSCALL:
		if (c->p)
			ts = map_tick(map, ts);	/* Go's reader tells first that the processor is let go */
		/* fall through */
	case GO_DESTROY:
		destroy(map, ev->type, c->g, c->m, ts);
		break;
	case GO_SWITCH: case GO_SWITCH_DESTROY:
		change(map, ev, c, ts);
		break;
	case GO_STATUS: case GO_STATUS_STACK:
		map_started(map, c->target);
		if (ev->stack && !c->target->named)
			map_own_stack(map, c->target, &map_nobody, ts, ev->stack);
		break;
	default:
		map_note(map, o, ev, c, ts);
		break;
	}
	return true;
}
