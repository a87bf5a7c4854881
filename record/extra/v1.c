/* v1.c - the stations of version 1: eight slots a coroutine, overwritten in turn. Slot and seq give
 * each event's number exactly, so what was overwritten unseen is counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../complain.h"
#include "../event.h"
#include "../line.h"
#include "../region.h"
#include "../totals.h"
#include "clock.h"
#include "v1.h"

static struct station {
	uint64_t id;		/* as printed; 0 = not born yet */
	uint64_t own_id;	/* as the writer has it */
	/* events printed or lost so far: the next is number count + 1, in slot count % 8 */
	uint64_t count;
	uint64_t last_ts;
	uint32_t next;		/* of the living ones with this hash of id, + 1 */
	bool over;		/* dead, or not to be believed */
} *stations;
static uint32_t *chains, chain_mask;
static uint64_t begun;

void v1_init(const struct region *r)
{
	while (chain_mask < r->v1_count)
		chain_mask = chain_mask << 1 | 1;
	stations = need(calloc(r->v1_count + 1, sizeof *stations));
	chains = need(calloc((size_t)chain_mask + 1, sizeof *chains));
	begun = clock_ns();
}

static uint32_t allocated(const struct region *r)
{
	uint32_t n = ctp_load_acquire(&r->h->allocated_count);

	return n < r->v1_count ? n : r->v1_count;
}

static uint32_t *chain_of(uint64_t id)
{
	return &chains[(id * 0x9e3779b97f4a7c15ull >> 32) & chain_mask];
}

/* May a version 1 id, an address or a count from 1, stand in the trace as it is? Not when another
 * living coroutine has it
 * (of another process), nor when it is one of version 2's, whose counter is moved past it where it
 * would come to it. */
static bool is_free(const struct region *r, uint64_t id)
{
	uint64_t next = ctp_load(&r->h->next_probe_id);
	uint32_t i;

	for (i = *chain_of(id); i; i = stations[i - 1].next)
		if (stations[i - 1].id == id)
			return false;
	while (id >= next && id < 1ull << 32)
		if (__atomic_compare_exchange_n(&r->h->next_probe_id, &next, id + 1, 0,
			    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return true;
	return id >= next;
}

static uint64_t follow(const struct region *r, uint32_t i);

/* An address is used again only by who saw its last user dead: so do we, before the next is
 * born. */
static void bury(const struct region *r, uint64_t id)
{
	uint32_t i, next;

	for (i = *chain_of(id); i; i = next) {
		next = stations[i - 1].next;
		if (stations[i - 1].id == id)
			follow(r, i - 1);
	}
}

static void born(const struct region *r, uint32_t i, uint64_t birth)
{
	struct station *s = &stations[i];
	uint32_t *chain;
	char name[48];

	s->own_id = s->id = ctp_load(&r->v1[i].probe_id);
	bury(r, s->id);
	if (s->id == 0 || !is_free(r, s->id)) {
		s->id = ctp_add(&r->h->next_probe_id, 1);
		if (s->id == 0)		/* a hostile counter */
			s->id = i + (1ull << 63);
	}
	chain = chain_of(s->id);
	s->next = *chain;
	*chain = i + 1;
	s->last_ts = birth;
	print_v1_life(s->id, birth, true);
	if (s->id != s->own_id) {
		snprintf(name, sizeof name, "v1 probe_id %llu", (unsigned long long)s->own_id);
		print_name(birth, s->id, name);
	}
}

/* Is there a coroutine in station i, whose header the writer has finished? An old writer may leave
 * birth_ts or probe_id 0; then its first event shows it. */
static uint64_t birth_of(const struct ctp_v1_station *st)
{
	uint64_t birth = ctp_load_acquire(&st->birth_ts), now = clock_ns();

	if (birth && ctp_load_acquire(&st->probe_id))
		return birth < now ? birth : now;
	return ctp_load_acquire(&st->slots[0].seq) >= 2 ? ctp_load(&st->slots[0].timestamp) : 0;
}

static void over(uint32_t i)
{
	struct station *s = &stations[i];
	uint32_t *link = chain_of(s->id);

	s->over = true;
	while (*link != i + 1)
		link = &stations[*link - 1].next;
	*link = s->next;
}

/* Slot k's event, whole, when its number is past what we have: its number, else 0. */
static uint64_t read_slot(
	const struct ctp_v1_station *st, unsigned k, uint64_t count, struct ctp_event *e)
{
	uint64_t seq = ctp_load_acquire(&st->slots[k].seq), number;

	if (seq == 0 || seq % 2)
		return 0;
	/* nobody comes so far, a line may not say so, and the number would begin anew */
	number = seq >> 48 ? UINT64_MAX : (seq / 2 - 1) * 8 + k + 1;
	if (number <= count)
		return 0;
	memcpy(e, &st->slots[k], sizeof *e);
	/* the copy is made before seq is read again */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	e->seq = seq;
	return ctp_load(&st->slots[k].seq) == seq ? number : 0;
}

/* Event `number`, and how many before it were overwritten. */
static void print_one(struct station *s, const struct ctp_event *e, uint64_t number)
{
	bool bad = e->timestamp == 0 || e->tid == 0 || e->tid >= 1ull << 32 || e->is_active > 1;
	uint64_t gap = number - s->count - 1, now;

	if (gap) {
		now = clock_ns();
		if (gap > now - begun) {	/* nobody writes one a nanosecond: a lie */
			totals.impossible++;
			s->over = true;
			return;
		}
		totals.overwritten += gap;
		print_lost("probe_id", s->id, gap, s->last_ts, bad ? now : e->timestamp);
	}
	s->count = number;
	if (bad) {
		totals.impossible++;
		return;
	}
	s->last_ts = e->timestamp;
	print_v1(s->id, e, number);
}

/* The writer has lapped us: take what stands in the eight slots, in order of number. */
static uint64_t catch_up(const struct ctp_v1_station *st, struct station *s)
{
	struct ctp_event e[8];
	uint64_t number[8], events = 0;
	unsigned k, best;

	for (k = 0; k < 8; k++)
		number[k] = read_slot(st, k, s->count, &e[k]);
	for (;;) {
		for (best = 8, k = 0; k < 8; k++)
			if (number[k] > s->count && (best == 8 || number[k] < number[best]))
				best = k;
		if (best == 8 || s->over)
			return events;
		print_one(s, &e[best], number[best]);
		number[best] = 0;
		events++;
	}
}

static uint64_t drain(const struct ctp_v1_station *st, struct station *s)
{
	uint64_t events = 0, expected, seq, caught;
	struct ctp_event e;
	unsigned k;

	while (!s->over && events <= 64) {	/* then the others have their turn */
		k = s->count % 8;
		expected = 2 * (s->count / 8 + 1);
		seq = ctp_load_acquire(&st->slots[k].seq);
		if (seq < expected)
			return events;
		/* the number again: the writer may have come round between the two looks */
		if (seq == expected && read_slot(st, k, s->count, &e) == s->count + 1) {
			/* comes over while this one is printed */
			__builtin_prefetch(&st->slots[(k + 1) % 8]);
			print_one(s, &e, s->count + 1);
			events++;
		} else if ((caught = catch_up(st, s)) == 0)
			return events;
		else
			events += caught;
	}
	return events;
}

/* Death has no time of its own: it was seen now. */
static void died(uint32_t i)
{
	uint64_t now = clock_ns(), last = stations[i].last_ts;

	print_v1_life(stations[i].id, last > now ? last : now, false);
	over(i);
}

/* Its events, and then its death. Dead is looked at first: all events are there to be read by
 * then. */
static uint64_t follow(const struct region *r, uint32_t i)
{
	bool dead = __atomic_load_n(&r->v1[i].is_dead, __ATOMIC_ACQUIRE) == 1;
	uint64_t events = drain(&r->v1[i], &stations[i]);

	if (dead && !stations[i].over)
		died(i);
	return events;
}

uint64_t v1_scan(const struct region *r)
{
	uint32_t i, n = allocated(r);
	uint64_t events = 0, birth;

	for (i = 0; i < n; i++) {
		if (stations[i].over)
			continue;
		if (stations[i].id == 0) {
			if ((birth = birth_of(&r->v1[i])) == 0)
				continue;	/* taken, and nothing in it yet */
			born(r, i, birth);
		}
		events += follow(r, i);
	}
	return events;
}

void v1_end(const struct region *r)
{
	uint32_t n = ctp_load(&r->h->allocated_count), turns;

	/* without end only when somebody still writes */
	for (turns = 0; turns < 8 && v1_scan(r); turns++)
		;
	totals.no_v1_station = n > r->v1_count ? n - r->v1_count : 0;
}
