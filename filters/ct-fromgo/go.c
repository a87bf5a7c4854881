/* go.c - may an event happen now? Goroutines: all that hot.h does not have. */
#include <inttypes.h>
#include <stdlib.h>

#include "order.h"

static enum go_take create(struct go_order *o, const struct go_event *ev, struct go_ctx *c)
{
	uint64_t id = ev->arg[0];
	bool syscall = ev->type == GO_CREATE_SYSCALL;

	if (go_requires(o, c, syscall ? NEED_M | NO_G : NEED_M | NEED_P) == GO_BROKEN)
		return GO_BROKEN;
	if (c->g && c->g->status != G_RUNNING)
		return go_broken(
			o, "goroutine %" PRIu64 " creates another and does not run", c->g->id);
	if (!id || hash_find(&o->gs, id))
		return go_broken(o, "goroutine %" PRIu64 " is created and %s", id,
			id ? "lives already" : "cannot be");
	c->target = go_make_g(o, id,
		syscall                               ? G_SYSCALL :
			ev->type == GO_CREATE_BLOCKED ? G_WAITING :
							G_RUNNABLE);
	if (syscall)
		go_hold(c->m, c->target);
	return GO_TAKEN;
}

static void end(struct go_order *o, struct go_g *g)
{
	hash_remove(&o->gs, g->id, g);
	o->ended = g;
}

static enum go_take destroy(struct go_order *o, struct go_ctx *c)
{
	if (go_runs(o, c) == GO_BROKEN)
		return GO_BROKEN;
	end(o, c->g);
	go_hold(c->m, NULL);
	return GO_TAKEN;
}

static enum go_take change(struct go_order *o, const struct go_event *ev, struct go_ctx *c)
{
	struct go_g *next = hash_find(&o->gs, ev->arg[0]);

	if (go_runs(o, c) == GO_BROKEN)
		return GO_BROKEN;
	if (!next || next->status != G_WAITING || !go_follows(o, ev->arg[1], &next->seq))
		return GO_LATER;
	if (ev->type == GO_SWITCH)
		c->g->status = G_WAITING;
	else
		end(o, c->g);
	next->status = G_RUNNING;
	next->seq.n++;
	go_hold(c->m, next);
	c->target = next;
	return GO_TAKEN;
}

static enum go_take syscall_end_blocked(struct go_order *o, struct go_ctx *c)
{
	if (c->m->g && c->p && c->p->status == P_SYSCALL)
		return GO_LATER;	/* until its processor is taken away */
	if (go_in_syscall(o, c) == GO_BROKEN)
		return GO_BROKEN;
	c->g->status = G_RUNNABLE;
	go_hold(c->m, NULL);
	return GO_TAKEN;
}

/* The end of a callback from C. The thread may never come back, so its processor is let go as
 * well. */
static enum go_take destroy_syscall(struct go_order *o, struct go_ctx *c)
{
	if (go_in_syscall(o, c) == GO_BROKEN)
		return GO_BROKEN;
	if (c->p && c->p->status != P_SYSCALL)
		return go_broken(o,
			"processor %" PRIu64
			" is not in the system call that its goroutine ends in",
			c->p->id);
	if (c->p)
		c->p->status = P_ABANDONED;
	c->m->p = NULL;
	end(o, c->g);
	go_hold(c->m, NULL);
	return GO_TAKEN;
}

/* In a system call on thread `on`. */
static enum go_take bind_syscall(struct go_order *o, struct go_g *g, uint64_t on, struct go_ctx *c)
{
	struct go_m *m = on == GO_NONE ? NULL : on == c->m->id ? c->m : go_thread(o, on);

	if (!m)
		return go_broken(
			o, "goroutine %" PRIu64 " is in a system call on no thread", g->id);
	if (m != c->m ? m->met && m->g_id != g->id :
			o->f->gen.number != o->first_gen && m->g_id != g->id)
		return go_broken(o,
			"goroutine %" PRIu64 " is in a system call on thread %" PRIu64
			", which runs another",
			g->id, on);
	if (m == c->m || !m->met)
		go_hold(m, g);
	m->met = true;
	return GO_TAKEN;
}

static enum go_take status(struct go_order *o, const struct go_event *ev, struct go_ctx *c)
{
	struct go_g *g = hash_find(&o->gs, ev->arg[0]);
	unsigned status = ev->arg[2] <= G_WAITING ? (unsigned)ev->arg[2] : 0;

	if (!status || !ev->arg[0])
		return go_broken(o, "goroutine %" PRIu64 " has the unknown status %" PRIu64,
			ev->arg[0], ev->arg[2]);
	if (g && g->status != status)
		return go_broken(o, "goroutine %" PRIu64 " has status %u and should have %u", g->id,
			status, g->status);
	if (!g && o->f->gen.number != o->first_gen)
		return go_broken(
			o, "goroutine %" PRIu64 " has a status and was never created", ev->arg[0]);
	if (!g)
		g = go_make_g(o, ev->arg[0], status);
	g->seq = (struct go_seq){ o->f->gen.number, 0 };
	c->target = g;
	if (status == G_SYSCALL)
		return bind_syscall(o, g, ev->arg[1], c);
	if (status == G_RUNNING)
		go_hold(c->m, g);
	return GO_TAKEN;
}

enum go_take go_rule_goroutine(struct go_order *o, const struct go_event *ev, struct go_ctx *c)
{
	switch (ev->type) {
	case GO_CREATE: case GO_CREATE_BLOCKED: case GO_CREATE_SYSCALL:
		return create(o, ev, c);
	case GO_DESTROY:		return destroy(o, c);
	case GO_SWITCH: case GO_SWITCH_DESTROY:
		return change(o, ev, c);
	case GO_SYSCALL_END_BLOCKED:	return syscall_end_blocked(o, c);
	case GO_DESTROY_SYSCALL:	return destroy_syscall(o, c);
	default:			return status(o, ev, c);
	}
}
