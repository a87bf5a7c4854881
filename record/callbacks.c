/* callbacks.c - threads that are inside something long that is no coroutine. Contracts in callbacks.h. */
#include <stdbool.h>
#include <stdlib.h>
#include "callbacks.h"
#include "complain.h"
#include "event.h"
#include "extra/clock.h"

enum { LONG_NS = 50000000 };	/* less than the judges' grace */

static struct callback {
	uint64_t word, owner;
	uint64_t id;		/* of its coroutine; 0: it was not printed */
} *callbacks;
static uint64_t last_cut;

void callbacks_init(const struct region *r)
{
	callbacks = need(calloc(r->ring_count, sizeof *callbacks));
}

static void print(
	const struct region *r, const struct callback *c, uint8_t kind, uint32_t n, uint64_t ticks)
{
	struct ctp_event e = { .timestamp = ticks, .tid = CTP_OWNER_TID(c->owner),
		.seq = 2 * (uint64_t)n, .probe_id = c->id, .arg = kind == CTP_DESTROY, .n = n,
		.site = kind == CTP_CREATE ? CTP_CALLBACK_SITE(c->word) : 0, .kind = kind,
		.is_active = kind == CTP_RESUME };

	print_event(r, &e, clock_to_ns(ticks), CTP_OWNER_PID(c->owner), false);
}

/* One whose process is gone stays what it was, as coroutines do. */
void callbacks_look(const struct region *r, uint32_t i)
{
	struct callback *c = &callbacks[i];
	uint64_t word = ctp_load(&r->rings[i].callback);
	uint64_t owner = ctp_load(&r->rings[i].owner) & ~CTP_RING_RETIRED;

	if (word == c->word && owner == c->owner)
		return;
	if (c->id && owner == c->owner)
		print(r, c, CTP_DESTROY, 3, last_cut);
	*c = (struct callback){ .word = owner == CTP_RING_FREE ? 0 : word, .owner = owner };
}

/* The word has not all bits of the time. By this processor's clock it may not have come yet. */
static uint64_t begin_of(uint64_t word)
{
	uint64_t all = CTP_CALLBACK_TIME | 0xff, now = clock_ticks();
	uint64_t ago = (now - (word << 8)) & all;

	return ago > all / 2 ? now : now - ago;
}

void callbacks_print(const struct region *r, uint32_t rings, uint64_t cut)
{
	uint64_t least = clock_from_ns(LONG_NS);

	if (r->still)
		return;
	last_cut = cut;
	for (uint32_t i = 0; i < rings; i++) {
		struct callback *c = &callbacks[i];
		uint64_t from;

		if (!c->word || c->id || (from = begin_of(c->word)) + least > cut)
			continue;
		c->id = ctp_add(&r->h->next_probe_id, 1);
		print(r, c, CTP_CREATE, 1, from);
		print(r, c, CTP_RESUME, 2, from);
	}
}
