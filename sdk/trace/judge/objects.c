/* objects.c - the things that coroutines wait on: who waits, who holds, what became of them. */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

/* A forked child's fd 5 is not its parent's; a coroutine's id is one for the recording. */
static uint64_t pid_of(const struct ctt_judge *j, const struct ctt_on *on, uint64_t tid)
{
	const struct ctt_worker *w;

	if (on->kind == CTT_ON_CORO || on->kind == CTT_ON_JOIN || on->kind == CTT_ON_TIMER)
		return 0;
	w = ctt_model_worker(j->model, tid);
	return tid ? w ? w->pid : 0 : j->lone_pid;
}

static uint64_t hash(enum ctt_on_kind kind, uint64_t key, uint64_t pid)
{
	return key ^ hash64(pid * 16 + kind);	/* the table spreads it */
}

static void object_free(struct ctt_judge *j, struct object *o)
{
	drop_holds(o);
	drop_traffic(o);
	pool_give(&j->object_pool, o);
}

/* Anew each time: what is forgotten of an earlier time, or of a coroutine that ended, changes nothing. */
static bool comes_once(const struct object *o)
{
	return o->kind == CTT_ON_TIMER || o->kind == CTT_ON_CORO || o->kind == CTT_ON_JOIN;
}

/* What was seen of it weakens what may be said of it later. */
static bool is_doubtful(const struct object *o)
{
	return o->passed_on || o->overlaps || o->again || o->refilled || o->added || o->raised ||
		o->doubted || o->level_falls_far || o->relayed || o->lets_several_go ||
		o->patience.patient;
}

static bool is_in_use(const struct object *o)
{
	return o->waiters || o->holds || o->legs;
}

/* Those that keep their doubts are at most so many, and then all of them, whatever their order in the table. */
enum { DOUBTFUL = 2048 };

/* Forget what nobody waits on or holds: what comes once alone; or the others, too, without which
 * judging is less certain (object_forgotten). Called when they outnumber the coroutines, so memory
 * follows these and the work is shared by as many insertions. */
static void sweep(struct ctt_judge *j, bool all)
{
	struct hash kept = { 0 };
	size_t doubtful = 0;
	struct object *o;

	for (size_t at = 0; all && (o = hash_each(&j->objects, &at));)
		doubtful += !is_in_use(o) && is_doubtful(o);
	for (size_t at = 0; (o = hash_each(&j->objects, &at));) {
		if (is_in_use(o) || (!all && !comes_once(o)) ||
			(doubtful <= DOUBTFUL && is_doubtful(o) && !comes_once(o))) {
			hash_add(&kept, hash(o->kind, o->key, o->pid), o);
			continue;
		}
		j->swept |= !comes_once(o);
		object_free(j, o);
	}
	hash_free(&j->objects);
	j->objects = kept;
}

uint64_t object_hash_of(const struct ctt_judge *j, const struct ctt_on *on, uint64_t tid)
{
	return on->kind == CTT_ON_NONE || !on->known || !on->number ?
		0 :
		hash(on->kind, on->value, pid_of(j, on, tid));
}

static struct object *find(struct ctt_judge *j, enum ctt_on_kind kind, uint64_t key, uint64_t pid)
{
	uint64_t h = hash(kind, key, pid);
	struct object *o;

	for (size_t at = hash_first(&j->objects, h); (o = hash_next(&j->objects, h, &at));)
		if (o->key == key && o->kind == kind && o->pid == pid)
			return o;
	return NULL;
}

struct object *object_find(struct ctt_judge *j, const struct ctt_on *on, uint64_t tid)
{
	return on->kind == CTT_ON_NONE || !on->known ?
		NULL :
		find(j, on->kind, ctt_on_key(on), pid_of(j, on, tid));
}

struct object *object_at(struct ctt_judge *j, const struct ctt_on *on, uint64_t pid)
{
	return find(j, on->kind, ctt_on_key(on), pid);
}

struct object *object_get(struct ctt_judge *j, const struct ctt_on *on, uint64_t tid)
{
	struct object *o = object_find(j, on, tid);

	if (o || on->kind == CTT_ON_NONE || !on->known)
		return o;
	if (j->objects.used > j->most && j->objects.used > 4096 + 4 * ctt_model_live(j->model)) {
		sweep(j, false);
		if (j->objects.used > j->most / 2)
			sweep(j, true);
	}
	if (j->objects.used > j->most)
		j->most = 2 * j->most + 1;
	o = pool_take(&j->object_pool);
	o->kind = on->kind;
	o->fresh = !j->swept || comes_once(o);
	o->key = ctt_on_key(on);
	o->pid = pid_of(j, on, tid);
	hash_add(&j->objects, hash(o->kind, o->key, o->pid), o);
	return o;
}

bool object_forgotten(const struct evidence *e)
{
	bool any = e->on && !e->on->fresh;

	for (uint32_t i = 0; !any && e->legs && i < e->legs->count; i++)
		any = e->legs->leg[i].on && !e->legs->leg[i].on->fresh;
	return any;
}

bool object_room_known(struct ctt_judge *j, const struct object *o)
{
	const struct object *room = find(j, CTT_ON_ROOM, o->key, o->pid);

	return room && room->level_known.line;
}

bool object_receives(struct ctt_judge *j, const struct object *o, uint64_t id)
{
	const struct object *room = find(j, CTT_ON_ROOM, o->key, o->pid);

	return room && hold_find(room, id, 0);
}

void object_wait(struct object *o, struct evidence *e)
{
	e->on = o;
	e->told = e->heard = false;
	e->prev = &o->waiters;
	e->next = o->waiters;
	if (e->next)
		e->next->prev = &e->next;
	o->waiters = e;
}

struct arrival object_arrival(const struct object *o)
{
	return (struct arrival){ .level_was_0 = o->level_known.line && !o->level,
		.level_was_known = o->level_known.line || !o->fresh,
		.lock_was_held = object_held(o),
		.level = o->level_known.line ? o->level : 0 };
}

bool object_known_to(const struct object *o, const struct evidence *e)
{
	uint64_t h = hash(o->kind, o->key, o->pid);

	for (size_t i = 0; i < KNOWN; i++)
		if (e->known[i] == h)
			return true;
	return false;
}

/* Or waited for one that may have been it. */
bool object_may_be_known_to(const struct object *o, const struct evidence *e)
{
	return e->some_lock || object_known_to(o, e);
}

/* A lock that nobody was ever seen to have stands for one that is not told. */
static void get_to_know(struct evidence *e, const struct object *o)
{
	e->some_lock |= is_lockable(o) && !o->released.line && !object_held(o);
	if (o->kind == CTT_ON_CORO || o->kind == CTT_ON_JOIN || o->kind == CTT_ON_TIMER ||
		object_known_to(o, e))
		return;
	memmove(e->known + 1, e->known, (KNOWN - 1) * sizeof(e->known[0]));
	e->known[0] = hash(o->kind, o->key, o->pid);
}

static void leave_legs(struct evidence *e)
{
	for (uint32_t i = 0; i < e->legs->count; i++) {
		struct leg *l = &e->legs->leg[i];

		if (!l->on)
			continue;
		get_to_know(e, l->on);
		*l->prev = l->next;
		if (l->next)
			l->next->prev = l->prev;
	}
	free(e->legs);
	e->legs = NULL;
}

void object_leave(struct evidence *e)
{
	if (e->legs)
		leave_legs(e);
	if (!e->on)
		return;
	get_to_know(e, e->on);
	*e->prev = e->next;
	if (e->next)
		e->next->prev = e->prev;
	e->on = NULL;
}

/* Whom it woke in the same run ahead of that line, and who does not wait for it now, but did, or may have; 0: nobody. */
static uint64_t served_before(
	struct ctt_judge *j, const struct object *o, const struct ctt_event *ev)
{
	const struct thread *t = keyed_find(&j->threads, ev->tid);
	const struct ctt_coro *by = t && ev->by ? ctt_model_coro(j->model, ev->by) : NULL;
	const struct ctt_coro *c =
		by && t->woke.by == ev->by && t->woke.ts >= by->resumed ?
		ctt_model_coro(j->model, t->woke.id) :
		NULL;
	const struct evidence *e = c ? c->evidence : NULL;

	return e && is_lockable(o) && e->on != o && object_may_be_known_to(o, e) ? c->id : 0;
}

/* With a channel goes its room. */
static void on_close(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct object *o = object_get(j, &ev->on, ev->tid);

	if (o)
		close_object(o, ev);
	j->closes |= (uint32_t)(o != NULL) << ev->on.kind;
	o = o && o->kind == CTT_ON_CHAN ? find(j, CTT_ON_ROOM, o->key, o->pid) : NULL;
	if (o)
		close_object(o, ev);
}

/* Does it count those whom its thread has just woken, as wake lines say? Both stand in that thread's order,
 * so it tells of nobody else, however late it comes. */
static bool counts_wakes(const struct object *o, const struct ctt_event *ev)
{
	return ev->has & CTT_HAS_VALUE && ev->tid && ev->tid == o->waker_tid &&
		ev->notify.woken <= o->waker_wakes;
}

static void on_notify(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct object *o = object_get(j, &ev->on, ev->tid);

	if (!o)
		return;
	if (ev->has & CTT_HAS_VALUE && !ev->notify.woken) {
		o->no_waiter = fact_of(ev, "notified while nobody waited");
		if (o->kind == CTT_ON_COND || o->kind == CTT_ON_SEM)
			channel_given(j, o, ev->by, ev->tid);
		return;
	}
	o->some = fact_of(ev, "others notified");
	if (o->kind == CTT_ON_SEM)
		channel_given(j, o, ev->by, ev->tid);
	standstill_note(j, ev, o);
	if (o->kind == CTT_ON_COND) {
		o->passed_on |= (o->holds || o->left) && !hold_acts(j, o, ev->by, ev->tid);
		hold_come_about(o);
	}
	o->woken_for = true;
	if (ev->ts > o->woke_ts && !counts_wakes(o, ev))
		o->woke_ts = ev->ts;
	o->waker_wakes = 0;
	o->claimed += ev->has & CTT_HAS_VALUE ? ev->notify.woken : UINT32_MAX;
	if (o->closed.line)
		closed_notified(o, ev);
}

void object_woken_at(struct object *o, uint64_t level)
{
	o->woken_at_0 = !level;
	if (level && (!o->least_woken || level < o->least_woken - 1))
		o->least_woken = level + 1;
}

uint64_t object_wakes(const struct ctt_judge *j, const struct object *o)
{
	return o->wakes + (j->wakes_named ? 0 : o->unnamed);
}

/* Who waited for it takes of it: where it waited, one waits for items; or to read. */
static void note_taker(struct ctt_judge *j, const struct object *o, const struct ctt_event *ev)
{
	const struct ctt_coro *c = ev->by ? ctt_model_coro(j->model, ev->by) : NULL;
	const struct evidence *e = c ? c->evidence : NULL;

	if (e && e->left[0].point && c->on.kind == o->kind && ctt_on_key(&c->on) == o->key) {
		e->left[0].point->reads |= o->kind == CTT_ON_FD && o->level && !ev->level.value;
		e->left[0].point->gives |= o->kind == CTT_ON_CHAN && ev->level.value > o->level;
	}
	if (o->kind == CTT_ON_COND && o->levels && ev->level.value < o->level && e &&
		e->left[0].point && object_known_to(o, e))
		e->left[0].point->items = true;
}

/* It is there from the first level above 0 on, and anew from the first after a wake. */
static void note_there(struct object *o)
{
	if (!o->there.line || o->woke_ts >= o->there.ts) {
		o->there = o->level_known;
		o->there_most = 0;
	}
	o->there_most = o->level > o->there_most ? o->level : o->there_most;
	o->there.line = o->level ? o->there.line : 0;
}

/* Since its room was told, the channel holds less. */
static bool less_is_there(struct ctt_judge *j, const struct object *room)
{
	const struct object *o = find(j, CTT_ON_CHAN, room->key, room->pid);

	return o && o->fell && o->level_known.ts > room->level_known.ts;
}

static void state_line(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct object *o = ev->kind == CTT_EV_RELEASE ? object_find(j, &ev->on, ev->tid) :
							object_get(j, &ev->on, ev->tid);

	if (!o)
		return;
	if (ev->kind == CTT_EV_LEVEL) {
		/* by a channel's number its senders are counted, for which nobody waits */
		if (o->kind == CTT_ON_SEM && !find(j, CTT_ON_CHAN, o->key, o->pid))
			channel_permits(j, o, ev);
		channel_level(j, o, ev);
		permits_level(o, ev);
		patience_level(j, o, ev);
		note_taker(j, o, ev);
		o->gated |= o->levels && !o->level && !ev->level.value && less_is_there(j, o);
		o->told_by = o->levels ? o->told_by : ev->by;
		o->raised |= o->levels && ev->level.value > o->level && ev->by != o->told_by;
		o->counted_by = o->levels && !o->level && !ev->level.value ? ev->by : 0;
		if (o->woken_at_0 && ev->level.value)
			object_woken_at(o, ev->level.value);
		if (has_ends(o) && (o->holds || o->left) && (o->levels || !is_channel(o)) &&
			ev->level.value > o->level && !hold_acts(j, o, ev->by, ev->tid))
			o->passed_on = true;	/* not only those who have that end of it act */
		if (o->kind == CTT_ON_COND && ev->level.value)
			hold_come_about(o);
		o->level_falls_far |= o->levels && ev->level.value + 1 < o->level;
		o->fell = o->levels++ && ev->level.value < o->level;
		o->level_falls |= o->fell;
		o->level = ev->level.value;
		o->most = o->level > o->most ? o->level : o->most;
		o->emptied |= !o->level;
		o->shut_by = o->level ? o->shut_by : ev->by;
		o->wakes = o->unnamed = 0;
		o->level_known = fact_of(ev, "made available");
		note_there(o);
	} else if (ev->kind == CTT_EV_ACQUIRE) {
		object_acquire(j, o, ev);
		if (o->kind == CTT_ON_SEM && taker_of(j, ev))
			channel_used(j, o, taker_of(j, ev), ev->tid);
	} else if (ev->kind == CTT_EV_RELEASE) {
		object_release(j, o, ev);
		o->served = served_before(j, o, ev);
	} else if (ev->ts > o->closed.ts) {
		o->opened = true;
		o->closed.line = 0;
	}
}

/* Who takes from a channel sends nothing. */
bool object_taken(struct ctt_judge *j, const struct ctt_event *ev)
{
	const struct object *o = object_find(j, &ev->on, ev->tid);

	return o && o->level_known.line && ev->level.value < o->level;
}

void object_line(struct ctt_judge *j, const struct ctt_event *ev)
{
	if (ev->kind == CTT_EV_CLOSE)
		on_close(j, ev);
	else if (ev->kind == CTT_EV_NOTIFY)
		on_notify(j, ev);
	else
		state_line(j, ev);
}

void object_gone(struct evidence *e, const struct ctt_event *ev)
{
	struct object *o = e->on;

	if (!o || o->kind != CTT_ON_SEM || (e->woken && e->c->wake_kind != CTT_ON_NONE))
		return;
	o->gone = fact_of(ev, "waited before it, and is gone");
	o->gone_came = e->suspended;
}

void holds_destroyed(struct ctt_judge *j, const struct evidence *e, const struct ctt_event *ev)
{
	struct thread *t = ev->tid ? keyed_find(&j->threads, ev->tid) : NULL;

	for (size_t i = 0; t && t->passes && e->suspended && i < PASSED; i++) {
		struct passed *p = &t->passed[i];
		struct object *o = p->holder == e->c->id && p->ts >= e->suspended ?
			find(j, p->on.kind, p->on.key, p->on.pid) :
			NULL;

		if (o)
			o->passed_on = false;
	}
}

bool may_be_full(const struct evidence *e)
{
	const struct object *o = e->on;

	return waits_for_less(e) ||
		(o->kind == CTT_ON_COND && o->level_known.line && o->level > 1 &&
			o->level == o->most &&
			(e->came.level == o->level ||
				!(e->point && (e->point->items || e->point->receives))));
}

bool waits_for_less(const struct evidence *e)
{
	return e->on->kind == CTT_ON_COND && e->point && e->point->less && e->came.level &&
		e->on->level >= e->came.level;
}

void object_note_less(const struct object *o, const struct evidence *e)
{
	if (o->kind == CTT_ON_COND && e->point && o->fell && o->level < e->came.level)
		e->point->less = true;
}

void objects_free(struct ctt_judge *j)
{
	struct object *o;

	for (size_t at = 0; (o = hash_each(&j->objects, &at));)
		object_free(j, o);
	hash_free(&j->objects);
	pool_free(&j->object_pool);
}
