/* rules.c - may an event happen now? Processors, and what all events ask of their thread. */
#include <inttypes.h>
#include <stdlib.h>

#include "order.h"

enum go_take go_lacks(struct go_order *o, const struct go_ctx *c, unsigned what)
{
	if (what & NEED_M && c->m->id == GO_NONE)
		return go_broken(o, "an event of a thread stands where there is none");
	if (what & NEED_P && !c->p)
		return go_broken(o, "thread %" PRIu64 " needs a processor and has none", c->m->id);
	if (what & NO_P && c->p)
		return go_broken(o, "thread %" PRIu64 " has a processor already", c->m->id);
	if (what & NEED_G && !c->m->g)
		return go_broken(o, "thread %" PRIu64 " needs a goroutine and has none", c->m->id);
	if (what & NEED_G && !c->g)
		return go_broken(o, "thread %" PRIu64 " runs a goroutine that has ended", c->m->id);
	return go_broken(o, "thread %" PRIu64 " runs a goroutine already", c->m->id);
}

static void hold(struct go_ctx *c, struct go_p *p)
{
	c->p = c->m->p = p;
	p->m = c->m;
}

static enum go_take proc_start(struct go_order *o, const struct go_event *ev, struct go_ctx *c)
{
	struct go_p *p = hash_find(&o->ps, ev->arg[0]);

	if (!p || p->status != P_IDLE || !go_follows(o, ev->arg[1], &p->seq) || c->p)
		return GO_LATER;
	if (go_requires(o, c, NEED_M) == GO_BROKEN)
		return GO_BROKEN;
	p->status = P_RUNNING;
	p->seq.n++;
	hold(c, p);
	return GO_TAKEN;
}

static enum go_take proc_stop(struct go_order *o, struct go_ctx *c)
{
	if (go_requires(o, c, NEED_M | NEED_P) == GO_BROKEN)
		return GO_BROKEN;
	if (c->p->status != P_RUNNING && c->p->status != P_SYSCALL)
		return go_broken(o, "processor %" PRIu64 " stops and did not run", c->p->id);
	c->p->status = P_IDLE;
	c->m->p = NULL;
	return GO_TAKEN;
}

static enum go_take proc_steal(struct go_order *o, const struct go_event *ev, struct go_ctx *c)
{
	struct go_p *p = hash_find(&o->ps, ev->arg[0]);
	struct go_m *from = hash_find(&o->ms, ev->arg[2]);
	unsigned was = p ? p->status : 0;

	if ((was != P_SYSCALL && was != P_ABANDONED) || !go_follows(o, ev->arg[1], &p->seq))
		return GO_LATER;
	if (go_requires(o, c, NEED_M) == GO_BROKEN)
		return GO_BROKEN;
	p->status = P_IDLE;
	p->seq.n++;
	if (was == P_ABANDONED)		/* whose it was may be doing something else by now */
		return GO_TAKEN;
	if (!from || !from->met || from->p != p)
		return go_broken(o,
			"processor %" PRIu64 " is taken from thread %" PRIu64
			", which does not have it",
			p->id, ev->arg[2]);
	from->p = NULL;
	c->victim = from;
	return GO_TAKEN;
}

static enum go_take proc_status(struct go_order *o, const struct go_event *ev, struct go_ctx *c)
{
	struct go_p *p = hash_find(&o->ps, ev->arg[0]);
	unsigned status = ev->arg[1] <= P_ABANDONED ? (unsigned)ev->arg[1] : 0;

	if (!status)
		return go_broken(o, "processor %" PRIu64 " has the unknown status %" PRIu64,
			ev->arg[0], ev->arg[1]);
	if (p && status == P_ABANDONED && p->status == P_SYSCALL) {
		/* It is about to be taken away; who holds it is known. */
		if (!p->m || p->m->p != p)
			return go_broken(
				o, "processor %" PRIu64 " in a system call is nobody's", p->id);
	} else if (p && p->status != status) {
		return go_broken(o, "processor %" PRIu64 " has status %u and should have %u", p->id,
			status, p->status);
	}
	if (!p) {
		p = need(calloc(1, sizeof(*p)));
		p->id = ev->arg[0];
		p->status = status;
		hash_add(&o->ps, p->id, p);
	}
	p->seq = (struct go_seq){ o->f->gen.number, 0 };
	if (status == P_RUNNING || status == P_SYSCALL)
		hold(c, p);
	return GO_TAKEN;
}

enum go_take go_rule_proc(struct go_order *o, const struct go_event *ev, struct go_ctx *c)
{
	switch (ev->type) {
	case GO_PROC_START:	return proc_start(o, ev, c);
	case GO_PROC_STOP:	return proc_stop(o, c);
	case GO_PROC_STEAL:	return proc_steal(o, ev, c);
	case GO_PROC_STATUS:	return proc_status(o, ev, c);
	default:		return go_requires(o, c, NEED_M | NEED_P | NEED_G);
	}
}
