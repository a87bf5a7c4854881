/* follow.c - each record to where it belongs. Contracts in follow.h. */
#include "follow.h"

void follow_record(struct follow *f, const struct record *r)
{
	struct stack *t = follow_thread(f, r->tid, r->ts);

	f->records++;
	switch (r->kind) {
	case P_RESUME: case P_EXIT: case P_DESTROY:
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
	default:
		task_record(f, t, r);
	}
	t->destroyed = r->kind == P_DESTROY ? r->addr : 0;
}
