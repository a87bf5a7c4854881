/* tail.c - the last items of a run as a ring, and what leaves it as the histories of those that
 * live. html.h */
#include <stdlib.h>

#include "html.h"

void rec_free(struct rec *x)
{
	free(x->name);
	free(x->history);
	free(x);
}

/* What leaves the tail goes to the history of a coroutine that lives: most room where few do. */
static void remember(struct run *r, struct rec *x, const struct item *it)
{
	size_t live = r->recs.used;
	uint32_t most = live <= 1 << 14 ? HISTORY : live <= 1 << 17 ? 8 : 2;

	if (x->held == x->room && !x->older && x->room < most) {
		x->room = x->room ? 2 * x->room : 2;
		x->history = need(realloc(x->history, x->room * sizeof(*x->history)));
	}
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
		rec_free(x);
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
	if (x && x->room) {
		FETCH(&x->history[x->next]);
		FETCH(&x->history[x->next] + 1);
	}
}

void tail_push(struct run *r, const struct item *it)
{
	struct item *slot;

	if (it->rec)
		it->rec->refs++;
	if (r->tail_used < r->detail) {
		if (r->tail_used == r->tail_room) {
			r->tail_room = r->tail_room ? 2 * r->tail_room : 1024;
			r->tail_room = r->tail_room > r->detail ? r->detail : r->tail_room;
			r->tail = need(realloc(r->tail, r->tail_room * sizeof(*r->tail)));
		}
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
		.kind = kind };

	tail_push(r, &it);
}
