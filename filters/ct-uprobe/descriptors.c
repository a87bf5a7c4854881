/* descriptors.c - which descriptors are open, who closed them, and who waits for one. Contracts in
 * follow.h. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "base/mem.h"
#include "follow.h"

static struct descriptor *descriptor(struct follow *f, uint64_t fd)
{
	struct descriptor *d = hash_find(&f->descriptors, fd);

	if (!d) {
		d = need(calloc(1, sizeof(*d)));
		d->fd = fd;
		hash_add(&f->descriptors, fd, d);
	}
	return d;
}

static void is_open(void *arg, int fd)
{
	descriptor(arg, (uint64_t)fd)->open = true;
}

void descriptors_open(struct follow *f)
{
	target_descriptors(f->target, is_open, f);
}

static void closed(struct descriptor *d, const struct record *r, uint64_t by)
{
	d->open = false;
	d->ts = r->ts;
	d->by = by;
	d->tid = r->tid;
	line_descriptor(false, r->ts, r->tid, by, d->fd);
}

static int by_fd(const void *a, const void *b)
{
	uint64_t x = (*(struct descriptor *const *)a)->fd, y = (*(struct descriptor *const *)b)->fd;

	return x < y ? -1 : x > y;
}

/* Of a range those that are open: as lines in the order of their numbers. */
static void close_open(struct follow *f, const struct record *r, uint64_t by)
{
	struct descriptor **open = need(calloc(f->descriptors.used + 1, sizeof(*open))), *d;
	size_t count = 0;

	for (size_t i = 0; (d = hash_each(&f->descriptors, &i));)
		if (d->open && d->fd >= r->addr && d->fd <= r->word[0])
			open[count++] = d;
	if (count)
		qsort(open, count, sizeof(*open), by_fd);
	for (size_t i = 0; i < count; i++)
		closed(open[i], r, by);
	free(open);
}

/* In what the frame keeps; libraries put flags into the bits that no address has. */
static bool is_within(const struct coro *c, uint64_t data)
{
	const uint64_t addresses = 0x7fffffffffff;
	const struct kind *k = c->point ? c->point->cpp : NULL;

	data &= addresses;
	return k && k->layout && data >= c->addr && data < c->addr + k->size;
}

/* A coroutine that has itself reported by epoll, or, once, what it keeps, is resumed by that: as it
 * is suspended next, it waits for the descriptor, until something resumes it: also if epoll does not
 * watch it any more. What else stands there may be anything. */
static void watched(struct coro *by, const struct record *r)
{
	if (!by || by->task ||
		(by->addr != r->word[0] && !(r->word[1] && is_within(by, r->word[0]))))
		return;
	by->watches = by->watches && by->fd != r->addr ? SEVERAL : ONE;
	by->fd = r->addr;
}

void descriptor_record(struct follow *f, const struct stack *t, const struct record *r)
{
	struct coro *by = follow_current(f, t);
	uint64_t id = by ? by->id : 0;

	if (r->kind == P_WATCH) {
		watched(by, r);
	} else if (r->kind == P_OPEN) {
		descriptor(f, r->addr)->open = true;
		line_descriptor(true, r->ts, r->tid, id, r->addr);
	} else if (r->addr == r->word[0]) {
		closed(descriptor(f, r->addr), r, id);
	} else {
		close_open(f, r, id);
	}
}
