/* lives.c - is what was closed used behind that? Then it lives again, as a descriptor's number or an
 * address does, though no line said that it was opened. Contracts in objects.h. */
#include "judge/judge.h"

/* Who came behind the close waits for what has that name now. */
static void end_close(struct ctt_judge *j, struct object *o)
{
	j->unopened |= 1u << o->kind;
	for (struct evidence *e = o->waiters; e && e->suspended > o->closed.ts; e = e->next)
		e->closed.line = e->closed.ts < e->suspended ? 0 : e->closed.line;
	o->closed.line = 0;
	o->opened = false;
}

/* A channel lives with its room. */
static void lives(struct ctt_judge *j, struct object *o, const struct ctt_event *ev)
{
	struct ctt_on on = { o->kind == CTT_ON_CHAN ? CTT_ON_ROOM : CTT_ON_CHAN, true, true,
		o->key, { NULL, 0 } };

	if (ev->ts <= o->closed.ts)
		return;
	end_close(j, o);
	o = is_channel(o) ? object_at(j, &on, o->pid) : NULL;
	if (o && o->closed.line)
		end_close(j, o);
}

/* One that came since is woken for it. Whoever closes it wakes those who wait, if in several steps. */
void lives_woken(struct ctt_judge *j, struct object *o, const struct evidence *e,
	const struct ctt_event *ev)
{
	if (o->closed.line && e && waits_at(e, o) && e->suspended > o->closed.ts &&
		!(ev->tid == o->closed.tid && in_turn_since(j, ev->tid, o->closed.ts)))
		lives(j, o, ev);
}

/* There is more of it: what was left is taken from what is closed; or it is taken itself. */
void lives_line(struct ctt_judge *j, const struct ctt_event *ev)
{
	bool level = ev->kind == CTT_EV_LEVEL;
	struct object *o = j->closes && (level || ev->kind == CTT_EV_ACQUIRE) ?
		object_find(j, &ev->on, ev->tid) :
		NULL;

	if (!o || !o->closed.line)
		return;
	if (!level ? !has_ends(o) :
		    o->levels && (o->kind == CTT_ON_ROOM ? ev->level.value < o->level :
							   ev->level.value > o->level))
		lives(j, o, ev);
}
