/* snapshot.c - the tasks and locks of a snapshot, as its runtimes add them. Contracts in snap.h. */
#include <stdlib.h>
#include <string.h>

#include "snap.h"

struct task *snap_task(struct snapshot *s)
{
	struct task *t = ADD(s->task, s->tasks, s->task_room);

	*t = (struct task){ .wakers = -1, .refs = -1 };
	return t;
}

void snap_hold(struct snapshot *s, struct hold h)
{
	if (s->target->moving)	/* it may have had that when others waited for something else */
		return;
	*ADD(s->hold, s->holds, s->hold_room) = h;
}

void snap_free(struct snapshot *s)
{
	for (size_t i = 0; i < s->tasks; i++) {
		free(s->task[i].name);
		free(s->task[i].leg);
		free(s->task[i].reason);
	}
	free(s->task);
	free(s->hold);
	memset(s, 0, sizeof(*s));
}
