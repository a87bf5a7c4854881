/* descriptors.c - which descriptors a process had at any time near a look at it. They are listed while it runs, just ahead
 * of the look and just behind it, for many take milliseconds: one that is in no list was closed before, and whoever was
 * seen to wait for it waited on. Contracts in live.h and target.h. */
#include <stdlib.h>
#include <string.h>

#include "live.h"

/* Higher numbers are taken to be open. */
#define NUMBERS_MOST (UINT64_C(1) << 24)

static void note_open(void *arg, int number)
{
	struct target *t = arg;
	size_t fd = (size_t)number;

	if (fd >= NUMBERS_MOST)
		return;
	while (fd / 8 >= t->opened_room) {
		size_t old = t->opened_room, room = old ? old * 2 : 128;

		t->opened = need(realloc(t->opened, room));
		memset(t->opened + old, 0, room - old);
		t->opened_room = room;
	}
	t->opened[fd / 8] |= (unsigned char)(1u << fd % 8);
}

void descriptors_look(struct target *t)
{
	t->descriptors_hidden |= !target_descriptors(t, note_open, t);
}

bool descriptor_is_gone(const struct target *t, uint64_t fd)
{
	return t->opened && !t->descriptors_hidden && !t->moving && fd < NUMBERS_MOST &&
		!(fd / 8 < t->opened_room && t->opened[fd / 8] >> fd % 8 & 1);
}
