/* tail.c - the last items of a run as a ring, and what leaves it as the histories of those that
 * live. html.h */
#include <stdlib.h>
#include <string.h>

#include "html.h"

/* room: of a history, a power of two */
static struct pool *pool_of(struct run *r, uint32_t room)
{
	return &r->histories[__builtin_ctz(room)];
}

void history_free(struct run *r, struct rec *x)
{
	if (x->room)
		pool_give(pool_of(r, x->room), x->history);
	x->history = NULL;
	x->held = x->room = 0;
}

void rec_free(struct run *r, struct rec *x)
{
	free(x->name);
	history_free(r, x);
	pool_give(&r->rec_pool, x);
}

static void history_grow(struct run *r, struct rec *x)
{
	uint32_t room = x->room ? 2 * x->room : 2;
	struct item *bigger = pool_take(pool_of(r, room));

	if (x->room) {
		memcpy(bigger, x->history, x->room * sizeof(*bigger));
		pool_give(pool_of(r, x->room), x->history);
	}
	x->history = bigger;
	x->room = room;
}

static void tail_grow(struct run *r)
{
	size_t room = r->tail_room ? 2 * r->tail_room : 1024;
	struct item *bigger;

	room = room > r->detail ? r->detail : room;
	bigger = large_new(tail_size(room));
	if (r->tail_used)
		memcpy(bigger, r->tail, r->tail_used * sizeof(*bigger));
	large_free(r->tail, tail_size(r->tail_room));
	r->tail = bigger;
	r->tail_room = room;
}

/* What leaves the tail goes to the history of a coroutine that lives: most room where few do. */
static void remember(struct run *r, struct rec *x, const struct item *it)
{
	size_t live = r->recs.used;
	uint32_t most = live <= 1 << 14 ? HISTORY : live <= 1 << 17 ? 8 : 2;

	if (x->held == x->room && !x->older && x->room < most)
		history_grow(r, x);
	if (x->held < x->room) {
		x->history[x->held++] = *it;
		return;
	}
	x->older++;
	if (x->room) {
		x->history[x->next] = *it;
		x->next = (x->next + 1) % x->room;
	}
}

static void evict(struct run *r, const struct item *it)
{
	struct rec *x = it->rec;

	r->dropped++;
	if (it->end > r->exact_from)
		r->exact_from = it->end;
	if (!x)
		return;
	x->refs--;
	if (x->lives)
		remember(r, x, it);
	else if (!x->refs)
		rec_free(r, x);
}

/* Those whose items leave next lie all over memory, and so do their histories: both come while others
 * leave. */
ONLY_FETCHES void fetch(const struct run *r)
{
	enum { FAR = 16, NEAR = 8 };
	const struct item *far = &r->tail[r->tail_next] + FAR, *end = r->tail + r->detail;
	const struct rec *x = far < end ? far->rec : NULL;

	if (x)
		FETCH(x);
	x = far < end ? (far - FAR + NEAR)->rec : NULL;
	if (x && x->room)
		FETCH(&x->history[x->next]);
}

void tail_push(struct run *r, const struct item *it)
{
	struct item *slot;

	if (it->rec)
		it->rec->refs++;
	if (r->tail_used < r->detail) {
		if (r->tail_used == r->tail_room)
			tail_grow(r);
		r->tail[r->tail_used++] = *it;
		return;
	}
	slot = &r->tail[r->tail_next];
	r->tail_next = r->tail_next + 1 < r->detail ? r->tail_next + 1 : 0;
	fetch(r);
	evict(r, slot);
	*slot = *it;
}

void mark_push(struct run *r, struct rec *x, const struct ctt_event *ev, enum item_kind kind)
{
	int64_t at = run_time(r, ev->ts);
	struct item it = { .rec = x,
		.start = at,
		.end = at,
		.line = ev->line,
		.tid = ev->tid,
		.by = ev->by,
		.on = run_thing(r, &ev->on),
		.site = run_site(r, ev->site)->index,
		.kind = kind & 255 };

	tail_push(r, &it);
}
