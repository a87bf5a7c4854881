/* harvest.c - read the rings: take a causally closed cut, merge it by time, print it.
 *
 * A cut: read the clock (T), then every head, then print what is published with a time up to T -
 * HOLD_BACK. What was not yet published when its ring's head was read is followed, in its
 * coroutine, only by events stamped after that, that is later than T less a reorder window and what
 * two cores' clocks may differ by, both far below HOLD_BACK. So no line overtakes its predecessor.
 * ctp(7) has the argument in full. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "callbacks.h"
#include "complain.h"
#include "event.h"
#include "extra/clock.h"
#include "harvest.h"
#include "line.h"
#include "region.h"
#include "totals.h"

enum { TAIL_EVERY = 512 };	/* slots handed back at a time */

static struct ring {
	uint64_t tail, head;	/* read so far; end of this cut */
	uint64_t next_ts;	/* ticks of the event at tail */
	uint64_t reported;		/* drops reported by CTP_LOST or at retirement */
	bool adopted;		/* reported is a guess, until a CTP_LOST says more */
	bool picked;
} *rings;
static uint32_t *heap, heap_size;
static bool tight;		/* of memory */
static uint64_t future, began, began_ticks;
static void (*on_start)(const struct region *, uint64_t ticks);
static void (*on_process)(uint32_t number, uint64_t ts);

void harvest_init(const struct region *r)
{
	began = clock_ns();
	began_ticks = clock_ticks();
	if (r->box) {		/* what came before us was written by who made it */
		began = clock_to_ns(r->birth.birth_ticks);
		began_ticks = 0;
	}
	rings = need(calloc(r->ring_count, sizeof *rings));
	heap = need(calloc(r->ring_count, sizeof *heap));
	callbacks_init(r);
}

const struct ctp_event *harvest_slot(const struct region *r, uint32_t i, uint64_t position)
{
	return r->slots + (uint64_t)i * r->ring_slots + (position & (r->ring_slots - 1));
}

void harvest_adopt(uint32_t i, uint64_t tail, uint64_t reported)
{
	rings[i] = (struct ring){ .tail = tail, .reported = reported, .adopted = true };
}

uint64_t harvest_tail(uint32_t i)
{
	return rings[i].tail;
}

void harvest_on_process(void (*call)(uint32_t number, uint64_t ts))
{
	on_process = call;
}

void harvest_on_start(void (*call)(const struct region *, uint64_t ticks))
{
	on_start = call;
}

bool harvest_forgotten(const struct region *r, uint64_t id)
{
	return r->box && id <= ctp_load(&r->h->forget_ids);
}

/* A ring's times never fall. */
uint64_t harvest_since(const struct region *r, uint32_t i, uint64_t low, uint64_t from)
{
	uint64_t high = ctp_load_acquire(&r->rings[i].head);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (harvest_slot(r, i, middle)->timestamp < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- merge: a heap of rings by the time of their next event ---- */

static void sift(uint32_t i)
{
	uint32_t child, ring = heap[i];

	while ((child = 2 * i + 1) < heap_size) {
		if (child + 1 < heap_size &&
			rings[heap[child + 1]].next_ts < rings[heap[child]].next_ts)
			child++;
		if (rings[heap[child]].next_ts >= rings[ring].next_ts)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = ring;
}

static uint64_t other_first(void)	/* the earliest time in any ring but the heap's top */
{
	uint64_t ts = UINT64_MAX;

	if (heap_size > 1)
		ts = rings[heap[1]].next_ts;
	if (heap_size > 2 && rings[heap[2]].next_ts < ts)
		ts = rings[heap[2]].next_ts;
	return ts;
}

/* ---- one ring ---- */

/* Hostile counters may say anything; what cannot be is not passed on. */
static uint64_t counted(uint64_t n)
{
	return n < 1ull << 48 ? n : 0;
}

/* Drops that no CTP_LOST reports yet: their times stand in the ring's control line. */
static void report_drops(
	const struct region *r, uint32_t i, uint64_t count, uint64_t first, uint64_t last)
{
	const struct ctp_ring *c = &r->rings[i];

	if (counted(count) == 0)
		return;
	rings[i].reported += count;
	rings[i].adopted = false;
	if (first > last)
		first = last;
	print_lost("tid", CTP_OWNER_TID(ctp_load(&c->owner)), count, clock_to_ns(first),
		clock_to_ns(last));
}

/* A head that cannot be: the target wrote where it must not. Take up at its newest slot; how many
 * were lost is not known. */
static void resynchronise(const struct region *r, uint32_t i, uint64_t head)
{
	static bool said;

	if (!said)
		complain(
			"a ring's head makes no sense (%llu read, %llu said to be written): the target scribbles over its trace memory",
			(unsigned long long)rings[i].tail, (unsigned long long)head);
	said = true;
	totals.impossible++;
	rings[i].tail = rings[i].head = head;
	ctp_store_release(&r->rings[i].tail, head);
}

/* Where a ring is written up to. Acquire: the slots below it are complete. A little less than was
 * read is what it was before: of a child that ended the call in which a signal handler forked it.
 * The next event mends it. */
static uint64_t head_of(const struct region *r, uint32_t i)
{
	uint64_t head = ctp_load_acquire(&r->rings[i].head), tail = rings[i].tail;

	return head < tail && tail - head <= r->ring_slots ? tail : head;
}

/* Where its part of the cut ends. */
static bool look(const struct region *r, uint32_t i)
{
	struct ring *ring = &rings[i];
	uint64_t head = head_of(r, i);

	if (head - ring->tail > r->ring_slots) {
		resynchronise(r, i, head);
		return false;
	}
	ring->head = head;
	if (ring->tail == head)
		return false;
	ring->next_ts = harvest_slot(r, i, ring->tail)->timestamp;
	return true;
}

/* In a box it also shows how many were dropped ever: the first that we see shows which were
 * reported before we came. */
static void lost(const struct region *r, uint32_t i, const struct ctp_event *e)
{
	uint64_t dropped = ctp_load(&r->rings[i].dropped), count = e->arg;

	if (r->box && count && count <= e->seq && e->seq <= dropped) {
		if (rings[i].adopted)
			rings[i].reported = e->seq - count;
		count = e->seq > rings[i].reported ? e->seq - rings[i].reported : 0;
	} else if (r->box || !count || count > dropped - rings[i].reported) {
		totals.impossible++;
		return;
	}
	report_drops(r, i, count, e->addr, e->timestamp);
}

static void event(const struct region *r, uint32_t i, uint64_t limit)
{
	struct ctp_event e;

	/* the target may change it under us */
	memcpy(&e, harvest_slot(r, i, rings[i].tail), sizeof e);
	if (e.timestamp > limit || e.timestamp < began_ticks) {
		totals.impossible++;
		return;
	}
	if (e.kind == CTP_LOST) {
		lost(r, i, &e);
		return;
	}
	if (e.kind <= CTP_DESTROY && e.kind != CTP_WAKE && !e.probe_id) {
		totals.impossible++;		/* nobody's, as a slot that was never written */
		return;
	}
	if (e.kind <= CTP_DESTROY && e.kind != CTP_WAKE && harvest_forgotten(r, e.probe_id)) {
		print_lost("tid", e.tid & UINT32_MAX, 1, clock_to_ns(e.timestamp),
			clock_to_ns(e.timestamp));
		return;		/* its call was under way when all was forgotten */
	}
	if (e.kind == CTP_START && on_start)
		on_start(r, e.timestamp);
	if (e.kind == CTP_THREAD && e.n && on_process)
		on_process(e.n, clock_to_ns(e.timestamp));
	print_event(r, &e, clock_to_ns(e.timestamp), CTP_OWNER_PID(ctp_load(&r->rings[i].owner)),
		false);
}

/* Print ring i while it holds the earliest events. Release of tail: our copies are made, the slots
 * may be written again. */
static uint64_t run(const struct region *r, uint32_t i, uint64_t limit, uint64_t until)
{
	struct ring *ring = &rings[i];
	uint64_t from = ring->tail;

	do {
		event(r, i, limit);
		ring->tail++;
		if (ring->tail % TAIL_EVERY == 0)
			ctp_store_release(&r->rings[i].tail, ring->tail);
		if (ring->tail == ring->head)
			break;
		ring->next_ts = harvest_slot(r, i, ring->tail)->timestamp;
	} while (ring->next_ts <= until);
	ctp_store_release(&r->rings[i].tail, ring->tail);
	return ring->tail - from;
}

/* The ring is ours as long as it is retired. */
static void give_back(const struct region *r, uint32_t i)
{
	off_t size = (off_t)(r->ring_slots * sizeof *r->slots);

	if (fallocate(r->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		    (char *)r->slots - r->base + (off_t)i * size, size) < 0)
		return;		/* it stays in use */
}

/* A retired ring that is read to its end: report what it dropped at its end, give it back. */
static void recycle(const struct region *r, uint32_t i)
{
	struct ctp_ring *c = &r->rings[i];
	/* the last head of an owner that has ended */
	uint64_t owner = ctp_load_acquire(&c->owner);

	if (r->still || !(owner & CTP_RING_RETIRED) || head_of(r, i) != rings[i].tail)
		return;
	report_drops(r, i, ctp_load(&c->dropped) - rings[i].reported, ctp_load(&c->drop_first),
		ctp_load(&c->drop_last));
	if (!r->box) {
		if (tight)
			give_back(r, i);
		ctp_store(&c->head, rings[i].tail);
		ctp_store(&c->callback, 0);	/* which its last owner died in */
	}
	/* A swap: where rings overwrite, a thread may have taken it meanwhile, and written. Release:
	 * acquire in the next owner's claim. */
	__atomic_compare_exchange_n(
		&c->owner, &owner, CTP_RING_FREE, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

uint32_t harvest_rings(const struct region *r)
{
	uint32_t n = ctp_load_acquire(&r->h->rings_used);

	return n < r->ring_count ? n : r->ring_count;
}

/* In this cut: up to its limit. What claims to come from the far future is taken now, to be counted
 * as impossible. */
static bool is_due(uint64_t ts, uint64_t limit)
{
	return ts <= limit || ts - limit > future;
}

uint64_t harvest(const struct region *r)
{
	uint64_t limit = r->still ? UINT64_MAX : clock_cut() - clock_from_ns(HOLD_BACK_NS),
		 events = 0;
	uint32_t i, used = harvest_rings(r);

	future = r->still ? 0 : clock_from_ns(FUTURE_NS);
	heap_size = 0;
	for (i = 0; i < used; i++) {
		callbacks_look(r, i);
		if (look(r, i) && is_due(rings[i].next_ts, limit))
			heap[heap_size++] = i;
		else
			recycle(r, i);
	}
	for (i = heap_size / 2; i-- > 0; )
		sift(i);
	while (heap_size) {
		uint64_t until = other_first();

		i = heap[0];
		events += run(r, i, limit, until < limit ? until : limit);
		if (rings[i].tail == rings[i].head || !is_due(rings[i].next_ts, limit)) {
			recycle(r, i);
			heap[0] = heap[--heap_size];
		}
		if (heap_size)
			sift(0);
	}
	callbacks_print(r, used, limit);
	return events;
}

bool harvest_pending(const struct region *r)
{
	uint32_t i, used = harvest_rings(r);

	for (i = 0; i < used; i++)
		if (head_of(r, i) != rings[i].tail)
			return true;
	return false;
}

/* Its owner is gone. Nobody but us makes a ring free, so a word that is still the same is the same
 * owner's. */
static void retire(struct ctp_ring *c, uint64_t owner)
{
	__atomic_compare_exchange_n(
		&c->owner, &owner, owner | CTP_RING_RETIRED, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void harvest_save_memory(bool so)
{
	tight = so;
}

void harvest_reap(const struct region *r)
{
	uint32_t i, used = harvest_rings(r);

	for (i = 0; i < used; i++) {
		uint64_t owner = ctp_load(&r->rings[i].owner);
		uint32_t pid = CTP_OWNER_PID(owner), tid = CTP_OWNER_TID(owner);

		if (pid && pid < CTP_NUMBERS && tid && tid < CTP_NUMBERS &&
			!(owner & CTP_RING_RETIRED) &&
			syscall(SYS_tgkill, (pid_t)pid, (pid_t)tid, 0) < 0 && errno == ESRCH)
			retire(&r->rings[i], owner);
	}
}

void harvest_pick(const struct region *r, uint32_t pid)
{
	uint32_t i, used = harvest_rings(r);

	for (i = 0; i < used; i++)
		rings[i].picked = CTP_OWNER_PID(ctp_load(&r->rings[i].owner)) == pid;
}

void harvest_retire_picked(const struct region *r)
{
	uint32_t i, used = harvest_rings(r);

	for (i = 0; i < used; i++) {
		uint64_t owner = ctp_load(&r->rings[i].owner);

		if (rings[i].picked && !(owner & CTP_RING_RETIRED))
			retire(&r->rings[i], owner);
	}
}

void harvest_retire(const struct region *r, uint32_t pid)
{
	harvest_pick(r, pid);
	harvest_retire_picked(r);
}

void harvest_end(const struct region *r)
{
	uint32_t i, used = harvest_rings(r);
	uint64_t now = clock_ns();

	for (i = 0; i < used; i++)
		report_drops(r, i, ctp_load(&r->rings[i].dropped) - rings[i].reported,
			ctp_load(&r->rings[i].drop_first), ctp_load(&r->rings[i].drop_last));
	totals.unconnected = ctp_load(&r->h->unconnected);
	totals.no_ring = counted(ctp_load(&r->h->lost_no_ring));
	totals.no_station = counted(ctp_load(&r->h->lost_no_station));
	totals.no_string = counted(ctp_load(&r->h->lost_no_string));
	totals.no_stack = r->stacks ? counted(ctp_load(&r->h->lost_no_stack)) : 0;
	if (totals.no_ring)
		print_lost(NULL, 0, totals.no_ring, began, now);
	if (totals.impossible)
		print_lost(NULL, 0, totals.impossible, began, now);
}
