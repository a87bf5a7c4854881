/* stations.c - read the stations: the last state of each coroutine, which no ring that overflowed
 * takes along. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "event.h"
#include "extra/clock.h"
#include "harvest.h"
#include "stations.h"
#include "totals.h"

/* A station is a seqlock. Its next coroutine counts from 1 again, so seq alone does not show that
 * the copy is whole; with probe_id, which is never used twice, it does. It is looked at first and
 * last, outside of both looks at seq: within them, the seq of one coroutine could go with the id of
 * the next, half written. */
bool station_copy(const struct ctp_event *s, struct ctp_event *copy)
{
	uint64_t id = ctp_load_acquire(&s->probe_id), seq = ctp_load_acquire(&s->seq);

	memcpy(copy, s, sizeof *copy);
	/* the copy is made before they are read again */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	copy->seq = seq;
	copy->probe_id = id;
	return id && seq % 2 == 0 && ctp_load_acquire(&s->seq) == seq &&
		ctp_load(&s->probe_id) == id;
}

uint64_t station_written(const struct region *r, uint64_t i)
{
	off_t start = (off_t)((const char *)r->stations - r->base), at;

	at = lseek(r->fd, start + (off_t)(i * sizeof *r->stations), SEEK_DATA);
	if (at < 0)
		return errno == ENXIO ? r->station_count : i;
	return (uint64_t)(at - start) / sizeof *r->stations;
}

static int by_id(const void *a, const void *b)
{
	const struct ctp_event *x = a, *y = b;

	return (x->probe_id > y->probe_id) - (x->probe_id < y->probe_id);
}

/* A thread that died between publishing an event and storing it in the coroutine's station left the
 * station one behind. The event is the last in its ring; `own` has those, by id. */
static void catch_up(struct ctp_event *state, struct ctp_event *own, uint32_t count)
{
	uint64_t id = state->probe_id;
	uint32_t low = 0, high = count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (own[middle].probe_id < id)
			low = middle + 1;
		else
			high = middle;
	}
	/* a station is one coroutine's: what another of that id has seen is not looked at again */
	for (; low < count && own[low].probe_id == id && own[low].kind; low++) {
		if (event_n(&own[low]) > event_n(state))
			*state = own[low];
		own[low].kind = 0;		/* seen */
	}
}

static uint32_t last_own_events(const struct region *r, struct ctp_event *own)
{
	uint32_t i, count = 0, used = harvest_rings(r);

	for (i = 0; i < used; i++) {
		uint8_t kind;

		if (harvest_tail(i) == 0)
			continue;
		memcpy(&own[count], harvest_slot(r, i, harvest_tail(i) - 1), sizeof *own);
		kind = own[count].kind;
		count += kind == CTP_CREATE || kind == CTP_RESUME || kind == CTP_SUSPEND ||
			kind == CTP_DESTROY;
	}
	if (count)
		qsort(own, count, sizeof *own, by_id);
	return count;
}

/* All of them or none counts: one that is not printed has ended. */
bool stations_print(const struct region *r)
{
	enum { STATIONS_A_PAGE = 64 };
	struct ctp_event e, *own = calloc(r->ring_count, sizeof *own);
	uint32_t count = own ? last_own_events(r, own) : 0;
	uint64_t i, used = ctp_load(&r->h->stations_used);
	bool all = own && used <= r->station_count && !totals.no_station && !totals.impossible;

	totals.states = 0;		/* the end line counts those at the end */
	for (i = 0; i < used && i < r->station_count; i++) {
		if (i % STATIONS_A_PAGE == 0 &&
			(i = station_written(r, i)) >= r->station_count)
			break;
		if (!station_copy(&r->stations[i], &e)) {
			/* its writer died within the store, or still writes */
			all = all && !e.probe_id;
			continue;
		}
		if (harvest_forgotten(r, e.probe_id))
			continue;
		catch_up(&e, own, count);
		if (e.kind >= CTP_CREATE && e.kind <= CTP_SUSPEND)
			print_event(r, &e, clock_to_ns(e.timestamp), 0, true);
	}
	while (count--)
		/* of one whose station was not yet written */
		all = all && own[count].kind != CTP_CREATE;
	free(own);
	return all;
}
