/* html-run.c - fold a run into items, lanes and counts, beside the judge that keeps its model. Contracts in html.h. */
#include <stdlib.h>
#include <string.h>

#include "html.h"

#define FAR (INT64_MAX / 4)

int64_t run_time(const struct run *r, uint64_t ts)
{
	uint64_t apart = ts > r->start ? ts - r->start : r->start - ts;
	int64_t t = apart > (uint64_t)FAR ? FAR : (int64_t)apart;

	return ts > r->start ? t : -t;
}

static char *cut_text(struct text t)
{
	static const char more[] = "\xe2\x80\xa6", nul[] = "\xe2\x90\x80";
	size_t n = t.len > TEXT_CUT ? TEXT_CUT : t.len;
	char *s = html_need(malloc(3 * n + sizeof(more))), *to = s;

	while (n && n < t.len && ((unsigned char)t.p[n] & 0xC0) == 0x80)	/* not within a character */
		n--;
	for (size_t i = 0; i < n; i++) {
		memcpy(to, t.p[i] ? &t.p[i] : nul, t.p[i] ? 1 : 3);
		to += t.p[i] ? 1 : 3;
	}
	strcpy(to, n < t.len ? more : "");
	return s;
}

struct place *run_place(struct run *r, uint64_t site)
{
	void **v = map_add(&r->places, site);
	struct place *p = *v;

	if (p)
		return p;
	p = *v = html_need(calloc(1, sizeof(*p)));
	if (!(r->places_used & (r->places_used - 1)))
		r->place = html_need(realloc(r->place, (2 * r->places_used + 1) * sizeof(*r->place)));
	p->number = site;
	p->index = r->places_used;
	return r->place[r->places_used++] = p;
}

/* A text among the run's; all that do not fit in are the first, "...". */
static uint64_t text_index(struct run *r, const struct on *on)
{
	char *s = cut_text(on->text);
	void **v = map_find(&r->texts, on_key(on));
	uint64_t i = v ? (uint64_t)(uintptr_t)*v : 0;

	if (!v && r->texts_used + 1 < TEXTS_MOST) {
		i = ++r->texts_used;
		if (!(i & (i - 1)))
			r->text = html_need(realloc(r->text, 2 * i * sizeof(*r->text)));
		r->text[i] = s;
		*map_add(&r->texts, on_key(on)) = (void *)(uintptr_t)i;
		return i;
	}
	if (i && strcmp(r->text[i], s))
		i = 0;
	free(s);
	return i;
}

static struct thing thing_of(struct run *r, const struct on *on)
{
	struct thing t = { (uint8_t)on->kind, on->known, on->number, on->value };

	if (on->kind != ON_NONE && on->known && !on->number)
		t.value = text_index(r, on);
	return t;
}

static void rec_free(struct rec *x)
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
		x->history = html_need(realloc(x->history, x->room * sizeof(*x->history)));
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

static void push(struct run *r, const struct item *it)
{
	struct item *slot;

	if (it->rec)
		it->rec->refs++;
	if (r->tail_used < r->detail) {
		if (r->tail_used == r->tail_room) {
			r->tail_room = r->tail_room ? 2 * r->tail_room : 1024;
			r->tail_room = r->tail_room > r->detail ? r->detail : r->tail_room;
			r->tail = html_need(realloc(r->tail, r->tail_room * sizeof(*r->tail)));
		}
		r->tail[r->tail_used++] = *it;
		return;
	}
	slot = &r->tail[r->tail_next];
	r->tail_next = (r->tail_next + 1) % r->detail;
	evict(r, slot);
	*slot = *it;
}

/* Cells for all lanes together are limited: the more threads, the fewer each. */
static struct worker_lane *worker_lane(struct run *r, uint64_t tid)
{
	void **v = map_add(&r->workers, tid);
	struct worker_lane *w = *v;

	if (w)
		return w;
	w = *v = html_need(calloc(1, sizeof(*w)));
	w->tid = tid;
	if (++r->worker_count > WORKER_LANES)
		return w;
	if (r->worker_count > 4 && !((r->worker_count - 1) & (r->worker_count - 2)))
		for (size_t i = 0; i <= r->workers.mask; i++) {
			struct worker_lane *other = r->workers.slot[i].value;

			if (other && other->lane.cell)
				lane_shrink(&other->lane, other->lane.cells / 2);
		}
	lane_init(&w->lane, WORKER_CELLS / 4, 3);
	for (uint32_t n = 4; n < r->worker_count; n *= 2)
		lane_shrink(&w->lane, w->lane.cells / 2);
	return w;
}

static void levels(struct run *r, const struct item *it, int64_t at, int by)
{
	lane_add(&r->series, at, it->kind, by);
	if (it->kind == IT_SUSPENDED || it->kind == IT_RUNNABLE)
		lane_add(place_lane(r->place[it->place]), at, 0, by);
	if (it->kind == IT_RUNNING && it->tid) {
		struct worker_lane *w = worker_lane(r, it->tid);

		if (w->lane.cell)
			lane_add(&w->lane, at, W_RUNNING, by);
		if (w->lane.cell && by > 0)
			lane_count(&w->lane, at, W_RUNS, 1);
	}
}

/* The current stretch of x ends. Spreads take what was seen from its beginning to its end. */
static void close_item(struct run *r, struct rec *x, int64_t at, bool goes_on)
{
	struct item *it = &x->now;
	struct place *p = r->place[it->place];
	uint64_t ns;

	it->end = at > it->start ? at : it->start;
	ns = (uint64_t)(it->end - it->start);
	levels(r, it, it->end, -1);
	x->in[it->kind] += ns;
	if (!it->torn && it->kind == IT_SUSPENDED && goes_on)
		spread_add(&p->wait, ns, (uint64_t)it->end, x->id);
	if (!it->torn && it->kind == IT_RUNNABLE && goes_on)
		spread_add(&p->delay, ns, (uint64_t)it->end, x->id);
	if (!it->torn && it->kind == IT_RUNNING)
		spread_add(&p->run, ns, (uint64_t)it->end, x->id);
	push(r, it);
}

static void open_item(struct run *r, struct rec *x, enum item_kind kind, int64_t at)
{
	const struct coro *c = x->coro;
	struct thing on = kind == IT_SUSPENDED ? thing_of(r, &c->on) : kind == IT_RUNNABLE ? x->now.on : (struct thing){ 0 };
	bool woken = kind == IT_RUNNABLE;
	struct place *p = run_place(r, kind == IT_CREATED ? c->spawn_site : c->site);

	x->now = (struct item){ .rec = x, .start = at, .line = woken ? c->wake_line : c->last_line,
		.tid = woken ? c->wake_tid : c->tid, .by = woken ? c->wake_by : 0, .on = on, .place = p->index,
		.kind = (uint8_t)kind };
	x->runs += kind == IT_RUNNING;
	p->suspends += kind == IT_SUSPENDED;
	levels(r, &x->now, at, 1);
}

static void rec_end(struct run *r, struct rec *x, const struct event *ev)
{
	bool destroyed = ev && ev->kind == EV_DESTROY;

	/* Its end was not seen, only that it is gone: it is known up to its last event. */
	x->now.torn |= !destroyed;
	close_item(r, x, destroyed ? run_time(r, ev->ts) : x->now.start, false);
	x->ended = x->now.end;
	x->told_done = destroyed && ev->has & HAS_DONE;
	x->done = x->told_done && ev->done;
	x->last_line = destroyed ? ev->line : x->now.line;
	x->lives = false;
	x->coro = NULL;
	lane_count(&r->series, x->ended, S_ENDED, 1);
	free(x->history);
	x->history = NULL;
	x->held = x->room = 0;
	map_remove(&r->recs, x->id);
	if (!x->refs)
		rec_free(x);
}

static struct rec *rec_new(struct run *r, struct coro *c)
{
	struct rec *x = html_need(calloc(1, sizeof(*x)));

	*map_add(&r->recs, c->id) = x;
	x->id = c->id;
	x->coro = c;
	x->first_ts = c->first_ts;
	x->lives = true;
	x->created = x->ended = INT64_MIN;
	x->v1 = c->v1;
	x->missing = c->missing;
	lane_count(&r->series, run_time(r, c->first_ts), S_BEGUN, 1);
	open_item(r, x, (enum item_kind)c->state, run_time(r, c->since));
	return x;
}

/* A wake is a mark of its own, besides the stretch that it begins: it may come while its coroutine runs. */
static void wake_item(struct run *r, struct rec *x, const struct event *ev)
{
	int64_t at = run_time(r, ev->ts);
	struct item it = { .rec = x, .start = at, .end = at, .line = ev->line, .tid = ev->tid, .by = ev->by,
		.on = thing_of(r, &ev->on), .place = run_place(r, ev->site)->index, .kind = IT_WAKE };

	x->wakes++;
	if (x->now.kind == IT_SUSPENDED)
		place_wake(r->place[x->now.place], ev->site, ev->tid, ev->by);
	push(r, &it);
}

static void follow(struct run *r, struct rec *x, const struct event *ev)
{
	const struct coro *c = x->coro;
	int64_t at = run_time(r, c->since);

	if (ev->kind == EV_CREATE && c->created) {
		x->created = run_time(r, c->created);
		x->parent = c->parent;
		x->spawn = run_place(r, c->spawn_site)->index;
	}
	if (ev->kind == EV_SUSPEND)
		x->stack = ev->stack;
	x->now.torn |= c->missing != x->missing;
	x->missing = c->missing;
	if (x->now.kind == (uint8_t)c->state && x->now.start == at)
		return;
	if (c->state == CORO_RUNNABLE && x->now.kind == IT_RUNNING) {	/* woken before it had suspended quite */
		close_item(r, x, run_time(r, c->last_ts), true);
		open_item(r, x, IT_SUSPENDED, run_time(r, c->last_ts));
	}
	close_item(r, x, at, true);
	open_item(r, x, (enum item_kind)c->state, at);
}

static void coro_line(struct run *r, const struct event *ev)
{
	struct coro *c = model_coro(judge_model(r->judge), ev->probe_id);
	void **slot = map_find(&r->recs, ev->probe_id);
	struct rec *x = slot ? *slot : NULL;

	if (x && (!c || c->first_ts != x->first_ts)) {
		rec_end(r, x, ev);
		x = NULL;
	}
	if (!c)
		return;
	if (!x)
		x = rec_new(r, c);
	if (ev->kind == EV_WAKE)
		wake_item(r, x, ev);
	follow(r, x, ev);
}

/* Things that are opened, signalled, locked: marks of who did it. */
static void object_line(struct run *r, const struct event *ev)
{
	static const uint8_t kinds[EV_KINDS] = { [EV_OPEN] = IT_OPEN, [EV_CLOSE] = IT_CLOSE, [EV_NOTIFY] = IT_NOTIFY,
		[EV_LEVEL] = IT_LEVEL, [EV_ACQUIRE] = IT_ACQUIRE, [EV_RELEASE] = IT_RELEASE };
	void **by = ev->by ? map_find(&r->recs, ev->by) : NULL;
	int64_t at = run_time(r, ev->ts);
	struct item it = { .rec = by ? *by : NULL, .start = at, .end = at, .line = ev->line, .tid = ev->tid, .by = ev->by,
		.on = thing_of(r, &ev->on), .place = run_place(r, ev->site)->index, .kind = kinds[ev->kind] };

	push(r, &it);
}

static void gap_line(struct run *r, const struct event *ev)
{
	struct gap g = { run_time(r, ev->from ? ev->from : ev->ts), run_time(r, ev->to ? ev->to : ev->ts), ev->value };
	struct gap *last = r->gaps ? &r->gap[r->gaps - 1] : NULL;

	if (r->gaps < GAPS) {
		r->gap[r->gaps++] = g;
		return;
	}
	last->from = g.from < last->from ? g.from : last->from;
	last->to = g.to > last->to ? g.to : last->to;
	last->count += g.count;
}

static char *keep_line(char *old, const struct event *ev)
{
	free(old);
	return ev->raw_len < 1 << 16 ? html_need(strndup(ev->raw, ev->raw_len)) : NULL;
}

static void other_line(struct run *r, const struct event *ev)
{
	void **x;

	switch (ev->kind) {
	case EV_NAME:
		x = map_find(&r->recs, ev->probe_id);
		if (x) {
			free(((struct rec *)*x)->name);
			((struct rec *)*x)->name = cut_text(ev->name);
		}
		break;
	case EV_OPEN: case EV_CLOSE: case EV_NOTIFY: case EV_LEVEL: case EV_ACQUIRE: case EV_RELEASE:
		objects_note(r, ev);
		object_line(r, ev);
		break;
	case EV_LOST:	gap_line(r, ev); break;
	case EV_META:	r->meta_line = keep_line(r->meta_line, ev); break;
	case EV_EXIT:	r->exit_line = keep_line(r->exit_line, ev); break;
	case EV_STACK:
		if (ev->func.len < 1 << 14 && !map_find(&r->stacks, ev->value))
			*map_add(&r->stacks, ev->value) = html_need(strndup(ev->func.p, ev->func.len));
		break;
	default:
		break;
	}
}

/* A worker's sleep, from its park to whatever it does next. */
static void park_line(struct run *r, const struct event *ev, const struct worker *w)
{
	struct worker_lane *l;
	struct item it = { .kind = IT_PARKED, .tid = ev->tid };

	if (!w || (!w->parked && !w->parked_until))
		return;
	l = worker_lane(r, ev->tid);
	if (l->parked && (!w->parked || ev->kind == EV_PARK)) {
		it.start = it.end = l->since;
		if (run_time(r, ev->ts) > it.start)
			it.end = run_time(r, ev->ts);
		it.line = l->line;
		if (l->lane.cell)
			lane_add(&l->lane, it.end, W_PARKED, -1);
		l->parked = false;
		push(r, &it);
	}
	if (w->parked && !l->parked) {
		l->parked = true;
		l->since = run_time(r, w->parked_since);
		l->line = w->park_line;
		if (l->lane.cell)
			lane_add(&l->lane, l->since, W_PARKED, 1);
	}
}

void run_apply(struct run *r, const struct event *ev)
{
	if (!r->began && ev->ts) {
		r->began = true;
		r->start = ev->ts;
	}
	judge_apply(r->judge, ev);
	r->counts[ev->kind]++;
	if (ev->tid)
		park_line(r, ev, model_worker(judge_model(r->judge), ev->tid));
	if (ev->kind < EV_CREATE || ev->kind > EV_STATE) {
		other_line(r, ev);
		return;
	}
	if (ev->kind != EV_STATE)
		lane_count(&r->series, run_time(r, ev->ts), ev->kind == EV_WAKE ? S_WAKES : S_EVENTS, 1);
	if (ev->kind == EV_WAKE && ev->on.kind != ON_NONE)
		objects_note(r, ev);
	coro_line(r, ev);
}

void run_bad(struct run *r, const struct event *ev, const char *why)
{
	if (r->bad_count < BAD_TOLD) {
		r->bad[r->bad_count].line = ev->line;
		strncpy(r->bad[r->bad_count].why, why, sizeof(r->bad[0].why) - 1);
	}
	r->bad_count++;
}

/* Sleeps go on, and all lanes reach the end. */
static void finish_lanes(struct run *r, int64_t end)
{
	for (size_t i = 0; r->workers.slot && i <= r->workers.mask; i++) {
		struct worker_lane *l = r->workers.slot[i].value;

		if (l && l->lane.cell)
			lane_reach(&l->lane, end);
		if (l && l->parked && end > l->since)
			push(r, &(struct item){ .kind = IT_PARKED, .tid = l->tid, .start = l->since, .end = end, .line = l->line });
	}
	for (uint32_t i = 0; i < r->places_used; i++)
		if (r->place[i]->lane.cell)
			lane_reach(&r->place[i]->lane, end);
	lane_reach(&r->series, end);
}

/* The end line may have shown that some are gone. */
void run_finish(struct run *r)
{
	finish_lanes(r, run_time(r, model_last_ts(judge_model(r->judge))));
	for (size_t i = 0; r->recs.slot && i <= r->recs.mask;) {
		struct rec *x = r->recs.slot[i].value;

		if (x && !model_coro(judge_model(r->judge), x->id))
			rec_end(r, x, NULL);	/* another may have moved here */
		else
			i++;
	}
}

void run_begin(struct run *r, size_t detail)
{
	memset(r, 0, sizeof(*r));
	r->judge = judge_new();
	r->detail = detail;
	r->exact_from = INT64_MIN;
	r->text = html_need(calloc(2, sizeof(*r->text)));
	lane_init(&r->series, SERIES_CELLS, CHANNELS);
	run_place(r, 0);
}

static void free_all(struct map *m)
{
	for (size_t i = 0; m->slot && i <= m->mask; i++)
		free(m->slot[i].value);
	map_free(m);
}

void run_free(struct run *r)
{
	for (size_t i = 0; i < r->tail_used; i++) {
		struct rec *x = r->tail[i].rec;

		if (x && !--x->refs && !x->lives)
			rec_free(x);
	}
	for (size_t i = 0; r->recs.slot && i <= r->recs.mask; i++)
		if (r->recs.slot[i].value)
			rec_free(r->recs.slot[i].value);
	for (size_t i = 0; r->workers.slot && i <= r->workers.mask; i++)
		if (r->workers.slot[i].value)
			free(((struct worker_lane *)r->workers.slot[i].value)->lane.cell);
	for (uint32_t i = 0; i < r->places_used; i++)
		free(r->place[i]->lane.cell);
	for (uint32_t i = 1; i <= r->texts_used; i++)
		free(r->text[i]);
	free_all(&r->workers);
	free_all(&r->places);
	free_all(&r->stacks);
	map_free(&r->recs);
	map_free(&r->texts);
	free(r->text);
	free(r->place);
	free(r->tail);
	free(r->object);
	free(r->series.cell);
	free(r->meta_line);
	free(r->exit_line);
	judge_free(r->judge);
}
