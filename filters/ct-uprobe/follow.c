/* follow.c - each record to where it belongs. Contracts in follow.h. */
#include "follow.h"

void follow_asleep(struct follow *f, uint32_t tid, uint64_t since)
{
	struct stack *t = follow_thread(f, tid, since);

	/* Within a coroutine it waits for what that one wants, and is no worker at rest. */
	if (t->asleep || !t->worker || follow_current(f, t) || lines.muted)
		return;
	t->asleep = since;
	line_park(since, tid);
}

static void wake_up(struct follow *f, struct stack *t, const struct record *r)
{
	if (r->kind == P_UNPARK)	/* whoever was not seen asleep in time was */
		follow_asleep(f, r->tid, r->addr);
	if (t->asleep)
		line_unpark(r->ts, r->tid);
	t->asleep = 0;
}

void follow_record(struct follow *f, const struct record *r)
{
	struct stack *t = follow_thread(f, r->tid, r->ts);

	f->records++;
	if (r->kind == P_UNPARK || t->asleep)
		wake_up(f, t, r);
	if (r->kind == P_RESUME || r->kind == P_POLL || r->kind == P_OWN_RESUME)
		follow_worker(f, t, r->ts);
	switch (r->kind) {
	case P_RESUME: case P_EXIT: case P_FREED: case P_DESTROY:
		if (!points.item[r->point]->gone)
			frame_record(f, t, r);
		break;
	case P_POLL:
		frames_leave(f, t, r, r->sp);
		task_record(f, t, r);
		break;
	case P_POLLED:
		if (r->sp)
			frames_leave(f, t, r, r->sp - 1);
		task_record(f, t, r);
		break;
	case P_NOBODY:
		frames_leave(f, t, r, r->sp);
		break;
	case P_OWN_RESUME: case P_OWN_EXIT: case P_OWN_SUSPEND: case P_OWN_DESTROY: case P_OWN_WAKE:
		own_record(f, t, r);
		break;
	case P_OPEN: case P_CLOSE: case P_WATCH:
		descriptor_record(f, t, r);
		break;
	case P_UNPARK: case P_FORKED: case P_MAPPED:
		break;
	default:
		task_record(f, t, r);
	}
	t->destroyed = r->kind == P_DESTROY ? r->addr : 0;
}
