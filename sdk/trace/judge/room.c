/* room.c - who waits for room in a channel, and nobody who could go on is known to take from it: it may hang,
 * as two do whose mailboxes are full, and a lock made of a channel; or a receiver has not come yet. Likewise who
 * waits for an event that is used as a lock is, for an item, or an event, of which all who gave any have ended, and
 * for permits that whoever has them has. That accuses nobody, and is not healthy either. Contracts in channels.h.
 *
 * Whoever ever used the channel counts: who sent may have taken a lock, and gives it back. But where one lives
 * that takes and no other both took and put, it is no lock, and who takes counts alone. */
#include <stdlib.h>

#include "base/hash.h"
#include "judge/judge.h"

static struct object *other_end(struct ctt_judge *j, const struct object *o)
{
	struct ctt_on on = { o->kind == CTT_ON_ROOM ? CTT_ON_CHAN : CTT_ON_ROOM, true, true, o->key,
		{ NULL, 0 } };

	return is_channel(o) ? object_at(j, &on, o->pid) : NULL;
}

static bool is_full(const struct object *room, const struct object *chan)
{
	return room->levels ? !room->level : chan && chan->levels && chan->level;
}

/* Others were woken while it waited, or those who wait wake one another: so are locks and permits made of
 * events. Who waits alone, or for what all are told, rests until it comes. */
static bool is_behind(const struct object *o, const struct evidence *e)
{
	return !o->levels && !object_held(o) && (o->relayed || o->woke_ts > e->suspended);
}

/* An empty channel, or an event that has not come: who sent there ended and did not close it, or notified when nobody
 * waited. */
static bool is_over(struct ctt_judge *j, const struct object *o)
{
	return (o->levels ? !o->level : o->kind == CTT_ON_COND) && !object_held(o) &&
		channel_givers_gone(j, o);
}

/* An empty channel to which all who ever gave live, wait, and have kept what they gave by: as many can give there, and
 * nobody else ever said that there is another. */
static bool is_kept_open(struct ctt_judge *j, const struct object *o, const struct evidence *e)
{
	struct ctt_on on = { CTT_ON_SEM, true, true, o->key, { NULL, 0 } };
	const struct object *senders = o->kind == CTT_ON_CHAN ? object_at(j, &on, o->pid) : NULL;
	const struct parties *p = o->traffic ? &o->traffic->givers : NULL;
	uint64_t kept = 0;

	if (!senders || !senders->fresh || senders->raised || !p || o->level || p->others)
		return false;
	for (uint32_t i = 0; i < p->count; i++) {
		const struct ctt_coro *c = ctt_model_coro(j->model, p->id[i]);
		const struct evidence *by = c ? c->evidence : NULL;

		if (c == e->c)		/* who takes one of several, too */
			continue;
		if (!by || c->state != CTT_CORO_SUSPENDED || by->gave != o->key)
			return false;
		kept++;
	}
	return kept && kept == senders->level && waits_long(j, e);
}

/* Permits of which nobody has any, and all who ever added some have ended. */
static bool are_used_up(struct ctt_judge *j, const struct object *o)
{
	return o->acquires && !object_held(o) && !o->added && channel_givers_gone(j, o);
}

/* Permits of which none is left by what is told, and who added some had taken it: it is given back by who has it. */
static bool are_out(const struct object *o)
{
	return !o->level && !o->acquires && o->users && !o->users->signals;
}

/* A wait group that is not through: who counted it down last has ended, and all whom this one created. */
static bool is_short(struct ctt_judge *j, const struct object *o, const struct evidence *e)
{
	return o->counted_by && o->counted_by != e->c->id &&
		!ctt_model_coro(j->model, o->counted_by) && kids_ended(j, e) && waits_long(j, e);
}

/* There is room, by what is told, and who takes waits: somebody has it, and neither sends nor gives it
 * back. */
static bool is_kept(const struct object *room, const struct object *chan)
{
	return !room->levels && chan && chan->levels && !chan->level && chan->waiters;
}

/* What it waits for, alone or beside what nobody knows, or a socket. */
static struct object *thing_of(const struct ctt_coro *c)
{
	const struct evidence *e = c->state == CTT_CORO_SUSPENDED ? c->evidence : NULL;
	struct object *one = NULL;

	if (!e || !e->legs)
		return e ? e->on : NULL;
	for (uint32_t i = 0; i < e->legs->count; i++) {
		enum ctt_on_kind kind = c->legs->leg[i].on.kind;

		if (kind == CTT_ON_NONE || kind == CTT_ON_FD ||
			(kind == CTT_ON_TIMER && asks_since(e)))
			continue;
		if (one)
			return NULL;
		one = e->legs->leg[i].on;
	}
	return one;
}

static bool waits(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;
	const struct object *o = thing_of(c), *other;

	if (!o || !o->fresh || o->closed.line || c->system || c->doubted || c->untraced ||
		lived_until(j, c) < waits_since(e) + CTT_JUDGE_GRACE_NS)
		return false;
	if (o->kind == CTT_ON_SEM)
		return (o->levels ? are_out(o) : hold_is_anybodys(o) || are_used_up(j, o)) &&
			waits_long(j, e);
	if (o->acquires || (e->legs && o->kind != CTT_ON_ROOM))
		return false;
	other = other_end(j, o);
	if (o->kind != CTT_ON_CHAN && o->kind != CTT_ON_COND)
		return o->kind == CTT_ON_ROOM && (is_full(o, other) || is_kept(o, other));
	return is_over(j, o) || is_kept_open(j, o, e) ||
		(o->kind == CTT_ON_COND && (is_behind(o, e) || is_short(j, o, e)));
}

static bool any_lives(struct ctt_judge *j, const struct parties *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (ctt_model_coro(j->model, p->id[i]))
			return true;
	return false;
}

/* A channel from which it is to get what those alone have sent who are known, of whom some live. */
static bool receives(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;
	const struct object *o = e && !e->legs ? thing_of(c) : NULL;

	return o && o->kind == CTT_ON_CHAN && o->fresh && !o->closed.line && o->traffic &&
		!o->level && !o->traffic->givers.others && any_lives(j, &o->traffic->givers);
}

static bool holders_live(const struct object *o)
{
	const struct hold *h = o->holds;

	while (h && hold_lives(h) && !h->anybodys)
		h = h->next;
	return o->holds && !h;
}

/* A lock, of which each holder is known, and lives. */
static bool is_locked_out(const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;
	struct object *o = e && !e->legs ? thing_of(c) : NULL;

	if (!o || o->kind != CTT_ON_MUTEX || o->passed_on)
		return false;
	if (!o->holders_live)
		o->holders_live = holders_live(o) ? YES : NO;
	return o->holders_live == YES;
}

static bool did(const struct parties *p, uint64_t id, bool sure)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (p->id[i] == id)
			return !sure || p->sure >> i & 1;
	return false;
}

/* Took from the channel, and never put there: where levels tell but whether there is something, not each
 * time. */
static bool takes_only(const struct traffic *t, uint64_t id)
{
	return did(&t->takers, id, false) && !did(&t->givers, id, true);
}

/* Who uses it alone takes there, or puts, and one lives that takes: NULL where it may be a lock, which who
 * put takes. */
static const struct traffic *one_way(struct ctt_judge *j, const struct object *o)
{
	const struct object *chan = other_end(j, o);
	const struct traffic *t = chan && chan->traffic ? chan->traffic : o->traffic;
	bool lives = false;

	if (o->kind != CTT_ON_ROOM || !t || t->takers.others || t->givers.others)
		return NULL;
	for (uint32_t i = 0; i < t->takers.count; i++) {
		uint64_t id = t->takers.id[i];

		if (did(&t->takers, id, true) && did(&t->givers, id, true))
			return NULL;
		lives |= takes_only(t, id) && ctt_model_coro(j->model, id);
	}
	return lives ? t : NULL;
}

/* Waits it for the end of one that lives, or for its result? */
static bool awaits(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;
	const struct object *o = e && c->state == CTT_CORO_SUSPENDED ? e->on : NULL;

	return o && (o->kind == CTT_ON_CORO || o->kind == CTT_ON_JOIN) &&
		ctt_model_coro(j->model, o->key);
}

/* Whom those who live were created by. */
static void note_parents(struct ctt_judge *j, struct hash *parents)
{
	const struct ctt_coro *c;

	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		if (c->parent && !hash_find(parents, c->parent))
			hash_add(parents, c->parent, (void *)c);
}

struct search {
	struct hash parents;
	struct seat *seat;		/* who may go on, and takes there */
	size_t seats;
	struct ctt_coro **hope;		/* they go on, and those behind them may, too */
	size_t hopes;
};

static void give_hope(struct search *s, struct ctt_coro *c)
{
	evidence_of(c)->hopeless = false;
	s->hope[s->hopes++] = c;
}

static void give_hope_at(struct search *s, struct object *o)
{
	for (struct evidence *w = o ? o->waiters : NULL; w; w = w->next)
		if (w->hopeless)
			give_hope(s, w->c);
	for (struct leg *l = o ? o->legs : NULL; l; l = l->next)
		if (l->e->hopeless)
			give_hope(s, l->e->c);
}

/* Of its seats one is enough. */
static void give_hope_by(struct search *s, const struct seat *at)
{
	if (!at->o->hoped)
		give_hope_at(s, at->o);
	at->o->hoped = true;
}

static size_t users_of(const struct object *o)
{
	const struct users *u = o ? o->users : NULL;

	return u ? u->few.count + u->more.used + u->makers.count : 0;
}

static void seat(struct search *s, struct object *at_it, struct evidence *e)
{
	struct seat *seat = &s->seat[s->seats++];

	*seat = (struct seat){ at_it, e->seats };
	e->seats = seat;
}

/* It has a seat there. True: what it created may go on for it. */
static bool take_seat(struct ctt_judge *j, struct search *s, struct object *at_it, uint64_t id)
{
	struct ctt_coro *c = ctt_model_coro(j->model, id);

	if (!c)
		return hash_find(&s->parents, id);
	seat(s, at_it, evidence_of(c));
	return false;
}

/* A wait group whose parts who waits made: the plain thread that counted them is none of these. */
static bool starter_may_come(struct ctt_judge *j, const struct object *at_it, const struct users *u)
{
	for (const struct evidence *w = at_it->waiters; w; w = w->next)
		if (is_short(j, at_it, w))
			return false;
	return channel_starter_goes_on(j, u);
}

/* Each of its users has a seat there. True: others use it, too. */
static bool seat_users(struct ctt_judge *j, struct search *s, struct object *at_it,
	const struct object *of)
{
	const struct users *u = of ? of->users : NULL;
	uint64_t id;

	for (size_t at = 0; u && (id = channel_user(u, &at));)
		if (take_seat(j, s, at_it, id))
			return true;
	return u && (u->few.others || starter_may_come(j, at_it, u));
}

/* Does one who waits there descend from that one's same run? Then the thing may be their own. */
static bool made_waiter(const struct object *at_it, const struct maker *m)
{
	for (const struct evidence *w = at_it->waiters; w; w = w->next)
		for (size_t i = 0; i < ANCESTORS; i++)
			if (w->makers[i].id == m->id && w->makers[i].run == m->run)
				return true;
	return false;
}

/* Likewise who creates one after the other of those who use it, as whoever accepts connections does of a log's: it
 * did so in several runs, or in its last, and waits where it did before these. What is a session's own it made in one
 * with who waits, or ran since. */
static bool seat_makers(struct ctt_judge *j, struct search *s, struct object *at_it,
	const struct object *of)
{
	const struct users *u = of ? of->users : NULL;

	for (size_t i = 0; u && i < u->makers.count; i++) {
		const struct maker *m = &u->makers.of[i].maker;
		struct ctt_coro *c = ctt_model_coro(j->model, m->id);
		struct evidence *e = c ? evidence_of(c) : NULL;

		if (e &&
			(u->makers.of[i].again ||
				(c->resumed == m->run && !made_waiter(at_it, m))) &&
			(c->state != CTT_CORO_SUSPENDED ||
				(m->left && e->point && e->point->site == m->left)))
			seat(s, at_it, e);
	}
	return u && u->makers.others;
}

/* Each that could bring about what is waited for at that thing. True: somebody may come to it who is not
 * known. */
static bool seat_all(struct ctt_judge *j, struct search *s, struct object *o)
{
	bool gives = o->kind == CTT_ON_CHAN && !is_over(j, o);
	const struct traffic *t = gives ? o->traffic : one_way(j, o);
	const struct hold *h = o->kind == CTT_ON_MUTEX ? o->holds : NULL;
	const struct parties *p = t ? gives ? &t->givers : &t->takers : NULL;
	const struct object *other = other_end(j, o);

	for (; h; h = h->next)
		take_seat(j, s, o, h->by);
	for (uint32_t i = 0; p && i < p->count; i++)
		if ((gives || takes_only(t, p->id[i])) && take_seat(j, s, o, p->id[i]))
			return true;
	return !p && (seat_users(j, s, o, o) || seat_users(j, s, o, other) ||
		((o->kind == CTT_ON_SEM || has_ends(o)) && o->kind != CTT_ON_ROOM &&
			(seat_makers(j, s, o, o) || seat_makers(j, s, o, other))));
}

static size_t most_seats(struct ctt_judge *j, const struct object *o)
{
	return PARTIES + users_of(o) + users_of(other_end(j, o)) +
		(o->kind == CTT_ON_MUTEX ? o->held : 0);
}

/* What it had may have gone with whom it created, as a permit does. */
static void follow_parents(struct ctt_judge *j, struct search *s, const struct ctt_coro *c)
{
	while ((c = c->parent ? ctt_model_coro(j->model, c->parent) : NULL)) {
		struct evidence *e = evidence_of((struct ctt_coro *)c);

		if (e->kid_goes_on)
			return;
		e->kid_goes_on = true;
		for (struct seat *at = e->seats; at; at = at->next)
			if (at->o->kind == CTT_ON_SEM)
				give_hope_by(s, at);
	}
}

static void follow(struct ctt_judge *j, struct search *s)
{
	static const enum ctt_on_kind kinds[] = { CTT_ON_CORO, CTT_ON_JOIN };

	while (s->hopes) {
		struct ctt_coro *c = s->hope[--s->hopes];

		for (size_t i = 0; i < 2; i++) {
			struct ctt_on on = { kinds[i], true, true, c->id, { NULL, 0 } };

			give_hope_at(s, object_find(j, &on, 0));
		}
		for (struct seat *at = evidence_of(c)->seats; at; at = at->next)
			give_hope_by(s, at);
		follow_parents(j, s, c);
	}
}

/* The thing, where it waits for one that others bring about who are known. */
static struct object *asks(struct ctt_judge *j, const struct ctt_coro *c)
{
	return waits(j, c) || receives(j, c) || is_locked_out(c) ? thing_of(c) : NULL;
}

static enum way way_of(const struct evidence *e)
{
	const struct object *o = thing_of(e->c);

	if (o->kind == CTT_ON_ROOM)
		return ROOMS;
	if (o->kind == CTT_ON_SEM && o->levels)
		return SHORT;
	if (o->kind == CTT_ON_SEM && o->held)
		return PERMITS;
	return o->kind == CTT_ON_COND && is_behind(o, e) ? EVENTS : ITEMS;
}

void channel_hopeless(struct ctt_judge *j, size_t n[])
{
	struct search s = { .seats = 0 };
	size_t candidates = 0, seats = 0;
	struct ctt_coro *c;

	if (j->born_before)
		return;
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		candidates += !is_torn_down(j, c) && waits(j, c);
	if (!candidates)
		return;
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		struct object *o = asks(j, c);

		if (!o || o->asked)
			continue;
		o->asked = true;
		o->hoped = false;
		seats += most_seats(j, o);
	}
	note_parents(j, &s.parents);
	s.seat = need(calloc(seats + 1, sizeof(*s.seat)));
	s.hope = need(calloc(ctt_model_live(j->model) + 1, sizeof(*s.hope)));
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		evidence_of(c)->hopeless = asks(j, c) || awaits(j, c);
		evidence_of(c)->kid_goes_on = false;
	}
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		if (!evidence_of(c)->hopeless)
			s.hope[s.hopes++] = c;
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		struct object *o = asks(j, c);

		if (!o || !o->asked)
			continue;
		o->asked = false;
		if (seat_all(j, &s, o))
			give_hope_at(&s, o);
	}
	follow(j, &s);
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		struct evidence *e = evidence_of(c);

		if (e->hopeless && !e->explained && !is_torn_down(j, c) && waits(j, c))
			n[way_of(e)] += untold_mark(c, way_of(e), true);
		e->seats = NULL;
	}
	hash_free(&s.parents);
	free(s.seat);
	free(s.hope);
}
