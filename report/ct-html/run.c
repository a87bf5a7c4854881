/* run.c - fold a run into items, lanes and counts, beside the judge that keeps its model. Contracts in html.h. */
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

static char *cut_text(struct ctt_text t)
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
static uint64_t text_index(struct run *r, const struct ctt_on *on)
{
	char *s = cut_text(on->text);
	void **v = map_find(&r->texts, ctt_on_key(on));
	uint64_t i = v ? (uint64_t)(uintptr_t)*v : 0;

	if (!v && r->texts_used + 1 < TEXTS_MOST) {
		i = ++r->texts_used;
		if (!(i & (i - 1)))
			r->text = html_need(realloc(r->text, 2 * i * sizeof(*r->text)));
		r->text[i] = s;
		*map_add(&r->texts, ctt_on_key(on)) = (void *)(uintptr_t)i;
		return i;
	}
	if (i && strcmp(r->text[i], s))
		i = 0;
	free(s);
	return i;
}

struct thing run_thing(struct run *r, const struct ctt_on *on)
{
	struct thing t = { (uint8_t)on->kind, on->known, on->number, on->value };

	if (on->kind != CTT_ON_NONE && on->known && !on->number)
		t.value = text_index(r, on);
	return t;
}

/* Things that are opened, signalled, locked: marks of who did it. */
static void object_line(struct run *r, const struct ctt_event *ev)
{
	static const uint8_t kinds[CTT_EV_KINDS] = { [CTT_EV_OPEN] = IT_OPEN, [CTT_EV_CLOSE] = IT_CLOSE, [CTT_EV_NOTIFY] = IT_NOTIFY,
		[CTT_EV_LEVEL] = IT_LEVEL, [CTT_EV_ACQUIRE] = IT_ACQUIRE, [CTT_EV_RELEASE] = IT_RELEASE };
	void **by = ev->by ? map_find(&r->recs, ev->by) : NULL;
	int64_t at = run_time(r, ev->ts);
	struct item it = { .rec = by ? *by : NULL, .start = at, .end = at, .line = ev->line, .tid = ev->tid,
		.by = ev->by,
		.on = run_thing(r, &ev->on), .place = run_place(r, ev->site)->index, .kind = kinds[ev->kind] };

	tail_push(r, &it);
}

static void gap_line(struct run *r, const struct ctt_event *ev)
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

static char *keep_line(char *old, const struct ctt_event *ev)
{
	free(old);
	return ev->raw_len < 1 << 16 ? html_need(strndup(ev->raw, ev->raw_len)) : NULL;
}

static void other_line(struct run *r, const struct ctt_event *ev)
{
	void **x;

	switch (ev->kind) {
	case CTT_EV_NAME:
		x = map_find(&r->recs, ev->probe_id);
		if (x) {
			free(((struct rec *)*x)->name);
			((struct rec *)*x)->name = cut_text(ev->name);
		}
		break;
	case CTT_EV_OPEN: case CTT_EV_CLOSE: case CTT_EV_NOTIFY: case CTT_EV_LEVEL: case CTT_EV_ACQUIRE: case CTT_EV_RELEASE:
		objects_note(r, ev);
		object_line(r, ev);
		break;
	case CTT_EV_LOST:	gap_line(r, ev); break;
	case CTT_EV_META:	r->meta_line = keep_line(r->meta_line, ev); break;
	case CTT_EV_EXIT:	r->exit_line = keep_line(r->exit_line, ev); break;
	default:
		break;
	}
}

/* A worker's sleep, from its park to whatever it does next. */
static void park_line(struct run *r, const struct ctt_event *ev, const struct ctt_worker *w)
{
	struct worker_lane *l;
	struct item it = { .kind = IT_PARKED, .tid = ev->tid };

	if (!w || (!w->parked && !w->parked_until))
		return;
	l = worker_lane(r, ev->tid);
	if (l->parked && (!w->parked || ev->kind == CTT_EV_PARK)) {
		it.start = it.end = l->since;
		if (run_time(r, ev->ts) > it.start)
			it.end = run_time(r, ev->ts);
		it.line = l->line;
		if (l->lane.cell)
			lane_add(&l->lane, it.end, W_PARKED, -1);
		l->parked = false;
		tail_push(r, &it);
	}
	if (w->parked && !l->parked) {
		l->parked = true;
		l->since = run_time(r, w->parked_since);
		l->line = w->park_line;
		if (l->lane.cell)
			lane_add(&l->lane, l->since, W_PARKED, 1);
	}
}

void run_apply(struct run *r, const struct ctt_event *ev)
{
	if (!r->began && ev->ts) {
		r->began = true;
		r->start = ev->ts;
	}
	r->counts[ev->kind]++;
	if (ev->tid)
		park_line(r, ev, ctt_model_worker(ctt_judge_model(r->judge), ev->tid));
	if (ev->kind < CTT_EV_CREATE || ev->kind > CTT_EV_STATE) {
		other_line(r, ev);
		return;
	}
	if (ev->kind != CTT_EV_STATE)
		lane_count(&r->series, run_time(r, ev->ts), ev->kind == CTT_EV_WAKE ? S_WAKES : S_EVENTS, 1);
	if (ev->kind == CTT_EV_WAKE && ev->on.kind != CTT_ON_NONE)
		objects_note(r, ev);
	coro_line(r, ev);
}

void run_bad(struct run *r, const struct ctt_event *ev, const char *why)
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
			tail_push(r, &(struct item){ .kind = IT_PARKED, .tid = l->tid, .start = l->since, .end = end,
				.line = l->line });
	}
	for (uint32_t i = 0; i < r->places_used; i++)
		if (r->place[i]->lane.cell)
			lane_reach(&r->place[i]->lane, end);
	lane_reach(&r->series, end);
}

/* The end line may have shown that some are gone. */
void run_finish(struct run *r)
{
	finish_lanes(r, run_time(r, ctt_model_last_ts(ctt_judge_model(r->judge))));
	for (size_t i = 0; r->recs.slot && i <= r->recs.mask;) {
		struct rec *x = r->recs.slot[i].value;

		if (x && !ctt_model_coro(ctt_judge_model(r->judge), x->id))
			rec_end(r, x, NULL);	/* another may have moved here */
		else
			i++;
	}
}

void run_begin(struct run *r, struct ctt_judge *j, size_t detail)
{
	memset(r, 0, sizeof(*r));
	r->judge = j;
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
	map_free(&r->recs);
	map_free(&r->texts);
	free(r->text);
	free(r->place);
	free(r->tail);
	free(r->object);
	free(r->series.cell);
	free(r->meta_line);
	free(r->exit_line);
}
