/* states.c - what a trace that begins in the middle begins with: who lives, what each last did
 * where the rings hold no event of it, what the rings have lost. Everything older than the history
 * that follows. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "../complain.h"
#include "../event.h"
#include "../extra/clock.h"
#include "../extra/process.h"
#include "../harvest.h"
#include "../line.h"
#include "../region.h"
#include "../stations.h"
#include "../totals.h"
#include "box.h"
#include "others.h"

/* A live coroutine by its station. least: the number of its first event in the rings; 0: there is
 * none. */
static struct alive { struct ctp_event e; uint32_t station; uint64_t least; } *alive;
static size_t count, room;
static uint32_t *table;		/* index + 1 by id, half empty */
static uint64_t mask, odd;	/* a multiplier: who writes a box cannot choose ids that meet */
static unsigned shift;
static uint64_t last_ticks;
static uint64_t births_until;	/* ticks: those up to then that had to be printed are */

static void see(const struct region *r, uint32_t station)
{
	enum { TRIES = 1000 };		/* its writer lives: it may be at it again and again */
	struct ctp_event e;
	unsigned tries = 0;

	while (!station_copy(&r->stations[station], &e))
		if (!e.probe_id || ++tries == (r->still ? 1 : TRIES))
			return;
	if (e.kind < CTP_CREATE || e.kind > CTP_SUSPEND || harvest_forgotten(r, e.probe_id))
		return;
	if (count == room)
		alive = need(realloc(alive, (room = room ? 2 * room : 256) * sizeof *alive));
	alive[count++] = (struct alive){ .e = e, .station = station };
}

static int by_time(const void *a, const void *b)
{
	const struct alive *x = a, *y = b;

	return (x->e.timestamp > y->e.timestamp) - (x->e.timestamp < y->e.timestamp);
}

static void see_stations(const struct region *r)
{
	enum { STATIONS_A_PAGE = 64 };
	uint64_t i, used = ctp_load(&r->h->stations_used);

	for (i = 0; i < used && i < r->station_count; i++) {
		if (i % STATIONS_A_PAGE == 0 &&
			(i = station_written(r, i)) >= r->station_count)
			break;
		see(r, (uint32_t)i);
	}
	if (count)
		qsort(alive, count, sizeof *alive, by_time);
}

static uint32_t *find(uint64_t id)
{
	uint64_t i = id * odd >> shift;

	while (table[i & mask] && alive[table[i & mask] - 1].e.probe_id != id)
		i++;
	return &table[i & mask];
}

static void index_ids(void)
{
	size_t i;

	if (!odd && getrandom(&odd, sizeof odd, GRND_NONBLOCK) < 0)
		odd = 0x9e3779b97f4a7c15ull;
	odd |= 1;
	mask = 1023;
	shift = 54;
	for (; mask < 2 * (uint64_t)count; shift--)
		mask = mask << 1 | 1;
	table = need(calloc(mask + 1, sizeof *table));
	for (i = 0; i < count; i++)
		*find(alive[i].e.probe_id) = (uint32_t)i + 1;
}

/* Heads are loaded when the stations have been: an event that a station shows is in its ring by
 * then, if it is in one. */
static uint64_t see_ring(const struct region *r, uint32_t i)
{
	uint64_t p = harvest_tail(i), head = ctp_load_acquire(&r->rings[i].head),
		 events = head - p;

	if (events > r->ring_slots)
		return 0;	/* harvest complains */
	for (; p < head; p++) {
		const struct ctp_event *e = harvest_slot(r, i, p);
		struct alive *a;
		uint32_t at;

		if (e->timestamp > last_ticks)
			last_ticks = e->timestamp;
		if (e->kind != CTP_CREATE && e->kind != CTP_RESUME && e->kind != CTP_SUSPEND &&
			e->kind != CTP_DESTROY)
			continue;
		if (!(at = *find(e->probe_id)))
			continue;
		a = &alive[at - 1];
		if (!a->least || event_n(e) < a->least)
			a->least = event_n(e);
	}
	return events;
}

/* Threads whose own events may be overwritten. */
static void print_threads(const struct region *r)
{
	uint32_t i, used = harvest_rings(r);

	for (i = 0; i < used; i++) {
		uint64_t owner = ctp_load_acquire(&r->rings[i].owner);
		struct ctp_event e = { .kind = CTP_THREAD,
			.tid = CTP_OWNER_TID(owner),
			.n = CTP_OWNER_PID(owner),
			.arg = ctp_load(&r->rings[i].role),
			.addr = ctp_load(&r->rings[i].name) };

		if (owner == CTP_RING_FREE || owner & CTP_RING_RETIRED)
			continue;
		others_meet(e.n);
		print_event(r, &e, clock_ns(), 0, false);
	}
}

/* The birth of who lives in that station; false: it is not there yet, or no longer. Stored 0,
 * fence, rest, id. */
static bool read_birth(const struct region *r, const struct alive *a, struct ctp_birth *b)
{
	const struct ctp_birth *at = &r->births[a->station];

	b->id = ctp_load_acquire(&at->id);
	b->ts = ctp_load(&at->ts);
	b->parent = ctp_load(&at->parent);
	b->site = ctp_load(&at->site);
	b->name = ctp_load(&at->name);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return b->id == a->e.probe_id && ctp_load(&at->id) == b->id;
}

/* true: its state, too. */
static bool print_alive(const struct region *r, const struct alive *a)
{
	bool born = false, state;
	struct ctp_birth b;

	if (a->least != 1 && read_birth(r, a, &b)) {
		print_birth(r, &b, clock_to_ns(b.ts));
		born = true;
	}
	state = !a->least && (event_n(&a->e) > 1 || !born);
	if (state)
		print_event(r, &a->e, clock_to_ns(a->e.timestamp), 0, true);
	return state;
}

/* The same, where its create or its birth may have been printed, and is not to be printed twice. */
static void print_missed(const struct region *r, const struct alive *a, uint64_t *latest)
{
	struct ctp_birth b;
	bool born = r->births && a->least != 1 && read_birth(r, a, &b) &&
		b.site & CTP_BIRTH_UNSEEN && b.ts > births_until;

	if (born)
		print_birth(r, &b, clock_to_ns(b.ts));
	if (born && b.ts > *latest)
		*latest = b.ts;
	if (!a->least && (event_n(&a->e) > 1 || !born))
		print_event(r, &a->e, clock_to_ns(a->e.timestamp), 0, true);
}

/* What the rings held before their tails, as one loss each, and older than what they hold still. */
static uint64_t print_before(const struct region *r)
{
	uint64_t before = 0, born = clock_to_ns(r->birth.birth_ticks), now = clock_ns();
	uint32_t i, used = harvest_rings(r);

	for (i = 0; i < used; i++) {
		uint64_t tail = ctp_load(&r->rings[i].tail),
			 head = ctp_load_acquire(&r->rings[i].head);
		uint64_t to = tail == head ? r->still ? states_last() : now :
					     clock_to_ns(harvest_slot(r, i, tail)->timestamp);

		if (!tail || tail >= 1ull << 48)
			continue;
		print_lost(NULL, 0, tail, born < to ? born : to, to);
		before += tail;
	}
	return before;
}

uint64_t states_last(void)
{
	return clock_to_ns(last_ticks);
}

uint64_t stopped_since(pid_t pid)
{
	return process_lives(pid) ? 0 : states_last();
}

/* All that live, and what the rings have of them: so many events. */
static uint64_t see_all(const struct region *r)
{
	uint64_t history = 0;
	uint32_t ring, used;

	see_stations(r);
	index_ids();
	used = harvest_rings(r);
	last_ticks = count ? alive[count - 1].e.timestamp : r->birth.birth_ticks;
	for (ring = 0; ring < used; ring++)
		history += see_ring(r, ring);
	return history;
}

static void forget_all(void)
{
	free(alive);
	free(table);
	alive = NULL;
	table = NULL;
	count = room = 0;
}

/* The newest event of a ring may be printed and not yet have reached its coroutine's station. It is
 * copied, and then its writer may have written over it: then the station was stored before. */
static void see_newest(const struct region *r, uint32_t i)
{
	uint64_t head = ctp_load_acquire(&r->rings[i].head);
	struct ctp_event e;
	uint32_t at;

	if (!head)
		return;
	memcpy(&e, harvest_slot(r, i, head - 1), sizeof e);
	if ((at = *find(e.probe_id)) != 0 && e.kind <= CTP_DESTROY && e.kind != CTP_WAKE &&
		event_n(&e) > event_n(&alive[at - 1].e))
		alive[at - 1].least = event_n(&e);
}

/* Those of whom nothing more is to be printed have their last event in their station. */
void states_again(const struct region *r, uint64_t ticks)
{
	uint32_t ring;
	size_t i;

	if (r->still)		/* what it shows was later */
		return;
	see_all(r);
	for (ring = 0; ring < harvest_rings(r); ring++)
		see_newest(r, ring);
	for (i = 0; i < count; i++)
		print_missed(r, &alive[i], &ticks);
	if (ticks > births_until)	/* it may have stopped and started again by now */
		births_until = ticks;
	forget_all();
}

void states_print(const struct region *r)
{
	uint64_t history, states = 0, before;
	size_t i;

	births_until = r->still ? UINT64_MAX : clock_ticks();
	history = see_all(r);
	print_threads(r);
	before = print_before(r);
	for (i = 0; i < count; i++)
		states += print_alive(r, &alive[i]);
	totals.before = before;
	print_attach(r->still ? states_last() : clock_ns(), count, states, history, before);
	forget_all();
}
