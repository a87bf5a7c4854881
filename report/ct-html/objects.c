/* objects.c - who last held, signalled or closed a thing: whom to ask about what waits on it.
 * html.h */
#include <stdlib.h>

#include "html.h"

static struct object *slot_of(
	const struct run *r, enum ctt_on_kind kind, uint64_t key, uint64_t pid)
{
	uint64_t h = (key * 0x9E3779B97F4A7C15ull ^ pid * 31 ^ kind) * 0xD6E8FEB86659FD93ull;

	return &r->object[h >> 40 & (OBJECTS - 1)];
}

static uint64_t pid_of(const struct run *r, uint64_t tid)
{
	const struct ctt_worker *w = tid ? ctt_model_worker(ctt_judge_model(r->judge), tid) : NULL;

	return w ? w->pid : 0;
}

void objects_note(struct run *r, const struct ctt_event *ev)
{
	struct ctt_fact f = { ev->line, ev->ts, ev->tid, ev->by, ev->site, ctt_ev_name(ev->kind) };
	uint64_t key, pid = pid_of(r, ev->tid);
	struct object *o;

	if (ev->on.kind == CTT_ON_NONE || !ev->on.known)
		return;
	if (!r->object)
		r->object = need(calloc(OBJECTS, sizeof(*r->object)));
	key = ctt_on_key(&ev->on);
	o = slot_of(r, ev->on.kind, key, pid);
	if (o->kind != ev->on.kind || o->key != key || o->pid != pid)
		*o = (struct object){ .kind = (uint8_t)ev->on.kind, .key = key, .pid = pid };
	if (ev->kind == CTT_EV_OPEN)
		o->closed.line = 0;
	else if (ev->kind == CTT_EV_CLOSE)
		o->closed = f;
	else if (ev->kind == CTT_EV_ACQUIRE)
		o->held = f;
	else
		o->last = f;
	if (ev->kind == CTT_EV_RELEASE || ev->kind == CTT_EV_CLOSE)
		o->held.line = 0;
}

const struct object *object_of(const struct run *r, const struct ctt_coro *c)
{
	uint64_t key, pid = pid_of(r, c->tid);
	const struct object *o;

	if (!r->object || c->on.kind == CTT_ON_NONE || !c->on.known)
		return NULL;
	key = ctt_on_key(&c->on);
	o = slot_of(r, c->on.kind, key, pid);
	return o->kind == c->on.kind && o->key == key && o->pid == pid ? o : NULL;
}
