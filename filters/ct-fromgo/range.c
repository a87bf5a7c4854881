/* range.c - may an event happen now? What begins and ends: collections, stops of the world,
 * regions, tasks. */
#include <inttypes.h>
#include <stdlib.h>

#include "order.h"

static enum go_take begin(struct go_order *o, bool *open, const char *what)
{
	if (*open)
		return go_broken(o, "%s begins within another", what);
	*open = true;
	return GO_TAKEN;
}

static enum go_take finish(struct go_order *o, bool *open, const char *what)
{
	if (!*open)
		return go_broken(o, "%s ends that never began", what);
	*open = false;
	return GO_TAKEN;
}

/* It is open as the generation starts: news in the first one, else only confirmed. */
static enum go_take active(struct go_order *o, bool *open, const char *what)
{
	if (o->f->gen.number == o->first_gen)
		return begin(o, open, what);
	return *open ? GO_TAKEN : go_broken(o, "%s goes on that never began", what);
}

static enum go_take collection(
	struct go_order *o, const struct go_event *ev, const struct go_ctx *c)
{
	bool first = o->f->gen.number == o->first_gen;

	if (ev->type == GO_GC_ACTIVE && first) {
		if (o->gc != GC_UNKNOWN)
			return go_broken(o, "a collection goes on that has been reported already");
	} else if (ev->type != GO_GC || o->gc != GC_UNKNOWN) {
		bool on = ev->type == GO_GC;

		if (ev->arg[0] != o->gc_seq + 1)
			return GO_LATER;
		if (o->gc != (on ? GC_OFF : GC_ON))
			return go_broken(o, "a collection %s",
				on ? "begins within another" : "ends or goes on that never began");
		if (go_requires(o, c, NEED_M | NEED_P | NEED_G) == GO_BROKEN)
			return GO_BROKEN;
	}
	o->gc_seq = ev->arg[0];
	o->gc = ev->type == GO_GC_END ? GC_OFF : GC_ON;
	return GO_TAKEN;
}

static enum go_take sweep(struct go_order *o, const struct go_event *ev, const struct go_ctx *c)
{
	static const char what[] = "a sweep";
	struct go_p *p;

	if (ev->type == GO_SWEEP_ACTIVE) {
		p = hash_find(&o->ps, ev->arg[0]);
		return p ? active(o, &p->sweeps, what) :
			   go_broken(o, "unknown processor %" PRIu64 " sweeps", ev->arg[0]);
	}
	if (go_requires(o, c, NEED_M | NEED_P) == GO_BROKEN)
		return GO_BROKEN;
	return ev->type == GO_SWEEP ? begin(o, &c->p->sweeps, what) :
				      finish(o, &c->p->sweeps, what);
}

static enum go_take assist(struct go_order *o, const struct go_event *ev, const struct go_ctx *c)
{
	static const char what[] = "help with a collection";
	struct go_g *g;

	if (ev->type == GO_ASSIST_ACTIVE) {
		g = hash_find(&o->gs, ev->arg[0]);
		return g ? active(o, &g->assists, what) :
			   go_broken(o, "unknown goroutine %" PRIu64 " helps", ev->arg[0]);
	}
	return ev->type == GO_ASSIST ? begin(o, &c->g->assists, what) :
				       finish(o, &c->g->assists, what);
}

static enum go_take stop_world(struct go_order *o, const struct go_event *ev, struct go_g *g)
{
	static const char what[] = "a stop of the world";
	bool stops = ev->type == GO_STW;
	enum go_take taken =
		stops ? begin(o, &g->stops_world, what) : finish(o, &g->stops_world, what);

	if (taken == GO_TAKEN)
		o->stopped += stops ? 1 : UINT64_MAX;
	return taken;
}

static enum go_take task(struct go_order *o, const struct go_event *ev)
{
	uint64_t *t = hash_find(&o->tasks, ev->arg[0]);

	if (ev->type == GO_TASK) {
		if (t)
			return go_broken(o, "task %" PRIu64 " begins twice", *t);
		t = need(malloc(sizeof(*t)));
		*t = ev->arg[0];
		hash_add(&o->tasks, *t, t);
	} else if (t) {			/* it may have begun before the trace */
		hash_remove(&o->tasks, *t, t);
		free(t);
	}
	return GO_TAKEN;
}

/* Ids of strings change from one generation to the next; texts may be without number. */
static uint64_t text_hash(const struct go_order *o, uint64_t id)
{
	const struct go_string *s = hash_find(&o->f->gen.strings, id);
	struct ctt_text t = s ? go_text(o->f, s) : (struct ctt_text){ "", 0 };

	return hash_of_bytes(t.p, t.len);
}

/* Regions of a goroutine nest. One that ends with none open began before the trace. */
static enum go_take region(struct go_order *o, const struct go_event *ev, struct go_g *g)
{
	struct go_region r = { ev->arg[0], text_hash(o, ev->arg[1]) };

	if (ev->type == GO_REGION) {
		*ADD(g->region, g->regions, g->region_room) = r;
	} else if (g->regions) {
		g->regions--;
		if (g->region[g->regions].task != r.task || g->region[g->regions].name != r.name)
			return go_broken(o,
				"goroutine %" PRIu64 " ends a region that is not its innermost",
				g->id);
	}
	return GO_TAKEN;
}

enum go_take go_rule_range(struct go_order *o, const struct go_event *ev, struct go_ctx *c)
{
	switch (ev->type) {
	case GO_GC_ACTIVE: case GO_GC: case GO_GC_END:
		return collection(o, ev, c);
	case GO_SWEEP_ACTIVE: case GO_SWEEP: case GO_SWEEP_END:
		return sweep(o, ev, c);
	case GO_ASSIST_ACTIVE:
		return assist(o, ev, c);
	case GO_HEAP_ALLOC: case GO_HEAP_GOAL:
		return go_requires(o, c, NEED_M | NEED_P);
	default:
		break;
	}
	if (ev->type >= GO_ALLOC)
		return go_requires(o, c, NEED_M);
	if (go_requires(o, c, NEED_M | NEED_P | NEED_G) == GO_BROKEN)
		return GO_BROKEN;
	switch (ev->type) {
	case GO_STW: case GO_STW_END:	return stop_world(o, ev, c->g);
	case GO_ASSIST: case GO_ASSIST_END:
		return assist(o, ev, c);
	case GO_TASK: case GO_TASK_END:	return task(o, ev);
	case GO_REGION: case GO_REGION_END:
		return region(o, ev, c->g);
	default:			return GO_TAKEN;	/* labels and logs */
	}
}
