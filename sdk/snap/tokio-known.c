/* tokio-known.c - what tokio's own futures say of what they wait on. Contracts in tokio.h.
 *
 * Only types that are known by name are looked into: what some other future keeps is not what it
 * waits on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpp.h"
#include "tokio.h"

uint64_t task_id(const struct target *t, uint64_t header)
{
	uint64_t vtable, offset, id;

	if (!tokio.header.id_known || !mem_word(t, header + tokio.header.vtable_at, &vtable) ||
		!mem_word(t, vtable + tokio.header.id_at, &offset) || offset > 4096 ||
		!mem_word(t, header + offset, &id))
		return 0;
	return id;
}

/* An Instant is CLOCK_MONOTONIC's seconds and nanoseconds. */
static void deadline(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	Dwarf_Die instant, of;
	uint64_t sec = 0, nsec = 0, in = at;
	int64_t s = 0;

	if (!die_down(type, "deadline", &in, &instant))
		return;
	sec = nsec = in;
	if (!die_down(&instant, "tv_sec", &sec, &of) ||
		!die_down(&instant, "tv_nsec", &nsec, &of))
		return;
	s = (int64_t)mem_number(c->target, sec, 8);
	/* The time of a core's machine is not this one's. */
	wait_add(c, (struct wait_on){ CTT_ON_TIMER, c->target->live && s > 0, false,
		(uint64_t)s * 1000000000 + mem_number(c->target, nsec, 4) });
}

/* The pointer that `member` is, whatever it is wrapped in. */
static bool pointer_in(
	struct chain *c, uint64_t at, Dwarf_Die *type, const char *member, uint64_t *to)
{
	Dwarf_Die of;

	return die_member(type, member, &at, &of) && mem_word(c->target, at, to) && *to;
}

static void join(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	uint64_t header;

	if (pointer_in(c, at, type, "raw", &header))
		wait_add(c, (struct wait_on){ CTT_ON_JOIN, true, true, header });
}

/* smol's, and async-std's within a handle of its own */
static void task_handle(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	uint64_t header;

	if (pointer_in(c, at, type, "ptr", &header))
		wait_add(c, (struct wait_on){ CTT_ON_JOIN, true, true, header });
}

/* Its deadline it keeps in a map of its own. */
static void timer(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	(void)at, (void)type;
	wait_add(c, (struct wait_on){ .kind = CTT_ON_TIMER });
}

/* "0 permits, wants 2" of a semaphore, "4 of 4" of a bounded channel: it has as many permits as it
 * has room. */
static void set_fill(struct chain *c, uint64_t at, Dwarf_Die *type, uint64_t semaphore)
{
	uint64_t free = semaphore_permits(c->target, semaphore), wants = 0, bound;

	if (free == UINT64_MAX)
		return;
	if (c->semaphore == CTT_ON_NONE && die_member(type, "num_permits", &at, NULL)) {
		wants = mem_number(c->target, at, 8);
		snprintf(c->fill, sizeof(c->fill), "%" PRIu64 " permits, wants %" PRIu64, free,
			wants);
	} else if (c->semaphore == CTT_ON_CHAN && tokio.bound_known &&
		mem_word(c->target, semaphore - tokio.bound_semaphore_at + tokio.bound_at,
			&bound) && bound >= free) {
		snprintf(c->fill, sizeof(c->fill), "send (%" PRIu64 " of %" PRIu64 ")",
			bound - free, bound);
	}
}

/* tokio's mutexes, semaphores and bounded channels wait for a semaphore: which of them the futures
 * around it know. */
static void permits(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	uint64_t semaphore, channel;

	if (!pointer_in(c, at, type, "semaphore", &semaphore))
		return;
	set_fill(c, at, type, semaphore);
	if (c->semaphore != CTT_ON_CHAN) {
		wait_add(c,
			(struct wait_on){ c->semaphore == CTT_ON_NONE ? CTT_ON_SEM : c->semaphore,
				true, false, semaphore });
		return;
	}
	/* who receives has the channel that the semaphore is a part of */
	channel = semaphore - tokio.bound_semaphore_at - tokio.channel_semaphore_at;
	wait_add(c,
		(struct wait_on){ CTT_ON_ROOM,
			tokio.bound_known && tokio.channel_known && !tokio.channels_differ, false,
			channel });
}

/* Of a watch channel its receivers wait for a part: the allocation is what all its ends have. */
static void notified(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	uint64_t notify, channel;

	if (!pointer_in(c, at, type, "notify", &notify))
		return;
	channel = c->watches ? heap_start(notify) : 0;
	wait_add(c,
		(struct wait_on){ channel ? CTT_ON_CHAN : CTT_ON_COND, true, false,
			channel ? channel : notify });
}

static void channel(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	uint64_t inner;

	if (pointer_in(c, at, type, "inner", &inner) || pointer_in(c, at, type, "shared", &inner))
		wait_add(c, (struct wait_on){ CTT_ON_CHAN, true, false, inner });
}

static void broadcast(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	uint64_t receiver, shared;
	Dwarf_Die of, pointer;

	if (!die_member(type, "receiver", &at, &of))
		return;
	/* WaiterCell or a reference: either way the first word leads to the receiver, whose
	 * `shared` is an Arc. */
	pointer = of;
	if (dwarf_tag(&of) == DW_TAG_pointer_type && mem_word(c->target, at, &receiver) &&
		die_type(&pointer, &of) && pointer_in(c, receiver, &of, "shared", &shared))
		wait_add(c, (struct wait_on){ CTT_ON_CHAN, true, false, shared });
}

static void descriptor(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	Dwarf_Die of;
	int32_t fd;

	if (die_down(type, "fd", &at, &of) && mem_read(c->target, at, &fd, sizeof(fd)) && fd >= 0)
		wait_add(c, (struct wait_on){ CTT_ON_FD, true, false, (uint64_t)fd });
}

/* Until a socket is ready; it knows the runtime's part of it, not which one that is. */
static void readiness(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	(void)at, (void)type;
	wait_add(c, (struct wait_on){ CTT_ON_FD, false, false, 0 });
}

static void never(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	(void)at, (void)type;
	wait_add(c, (struct wait_on){ CTT_ON_NEVER, false, false, 0 });
}

static const struct {
	const char *type, *in;
	void (*read)(struct chain *, uint64_t, Dwarf_Die *);
} known[] = {
	{ "Sleep", "tokio::time", deadline },
	{ "JoinHandle<", "tokio::runtime::task", join },
	{ "Acquire", "tokio::sync::batch_semaphore", permits },
	{ "Notified", "tokio::sync::notify", notified },
	{ "Receiver<", "tokio::sync::oneshot", channel },
	{ "Rx<", "tokio::sync::mpsc", channel },
	{ "Recv<", "tokio::sync::broadcast", broadcast },
	{ "Readiness", "tokio::runtime::io", readiness },
	{ "Readiness", "tokio::io::driver", readiness },	/* before 1.22 */
	{ "OwnedFd", "std::os::fd", descriptor },
	{ "FileDesc", "std::sys", descriptor },
	{ "Pending<", "core::future", never },
	{ "Pending<", "futures_util::future", never },
	{ "Pending<", "futures_util::stream", never },
	{ "Pending<", "tokio_stream::pending", never },
	{ "Task<", "async_task::task", task_handle },
	{ "Timer", "async_io", timer },
};

bool wait_known(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	const char *name = die_name(type);
	char path[300];

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t len = strlen(known[i].type);

		if (known[i].type[len - 1] == '<' ? !begins(name, known[i].type) :
						    strcmp(name, known[i].type))
			continue;
		if (!begins(die_path(type, false, path, sizeof(path)), known[i].in))
			continue;
		known[i].read(c, at, type);
		return true;
	}
	return false;
}
