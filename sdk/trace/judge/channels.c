/* channels.c - who takes from a channel, and who puts into it, as its levels fall and rise: who waits
 * for room waits for the takers, who waits for an item for the givers. No proof: another may come.
 * Contracts in channels.h. */
#include <stdlib.h>

#include "judge/judge.h"

enum { TIMES = 10 };	/* the longest wait that ended well */

static void add(struct parties *p, uint64_t id, bool sure)
{
	uint32_t i = 0;

	while (i < p->count && p->id[i] != id)
		i++;
	if (!id || i == PARTIES) {
		p->others = true;
		return;
	}
	if (i == p->count)
		p->id[p->count++] = id;
	p->sure |= (uint8_t)(sure << i);
}

static bool is_in(const struct parties *p, uint64_t id)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (p->id[i] == id)
			return true;
	return false;
}

/* What a coroutine does for one that awaits it, that one does: it lives longer. */
static uint64_t root_of(struct ctt_judge *j, uint64_t id)
{
	uint64_t by;

	for (int i = 0; i < FRAMES && (by = awaiter_of(j, id)); i++)
		id = by;
	return id;
}

uint64_t channel_user(const struct users *u, size_t *at)
{
	const struct hash *more = &u->more;

	if (*at < u->few.count)
		return u->few.id[(*at)++];
	for (size_t i = *at - u->few.count; more->used && i <= more->mask; i++)
		if (more->slot[i].item) {
			*at = u->few.count + i + 1;
			return more->slot[i].key;
		}
	return 0;
}

static void add_maker(struct users *u, const struct maker *m)
{
	for (uint32_t i = 0; i < u->makers.count; i++) {
		const struct maker *is = &u->makers.of[i].maker;

		if (is->id != m->id || is->left != m->left)
			continue;
		u->makers.of[i].again |= is->run != m->run;
		return;
	}
	u->makers.others |= u->makers.count == PARTIES;
	if (u->makers.count < PARTIES) {
		u->makers.of[u->makers.count].again = false;
		u->makers.of[u->makers.count++].maker = *m;
	}
}

static void add_makers(struct ctt_judge *j, struct users *u, uint64_t id)
{
	struct ctt_coro *c = ctt_model_coro(j->model, id);
	const struct evidence *e = c ? c->evidence : NULL;

	for (size_t i = 0; e && i < ANCESTORS && e->makers[i].id; i++)
		add_maker(u, &e->makers[i]);
}

static void add_user(struct users *u, uint64_t id)
{
	if (!id || u->few.count < PARTIES || is_in(&u->few, id))
		add(&u->few, id, true);
	else if (!hash_find(&u->more, id))	/* its item is but a mark */
		hash_add(&u->more, id, u);
}

static void forget_dead(struct ctt_judge *j, struct parties *p)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->count; i++)
		if (ctt_model_coro(j->model, p->id[i]))
			p->id[kept++] = p->id[i];
	p->count = kept;
}

/* Next time when as many have come as live now, so that this is linear. */
static void forget_ended(struct ctt_judge *j, struct users *u)
{
	uint64_t *ended = need(calloc(u->more.used + 1, sizeof(*ended)));
	size_t count = 0;
	uint64_t id;

	for (size_t at = u->few.count; (id = channel_user(u, &at));)
		if (!ctt_model_coro(j->model, id))
			ended[count++] = id;
	while (count)
		hash_remove(&u->more, ended[--count], u);
	free(ended);
	forget_dead(j, &u->few);
	u->most = 2 * (u->few.count + u->more.used);
}

/* A plain thread that is no worker yet, as main before it runs the scheduler: what it put there it did to begin. */
static bool is_starting(struct ctt_judge *j, const struct users *u, uint64_t tid)
{
	const struct ctt_worker *w = tid ? ctt_model_worker(j->model, tid) : NULL;

	return w && !worker_by_role(w) && !w->ran && (!u->starter || u->starter == tid);
}

static bool knows(const struct users *u, uint64_t id)
{
	return id && (is_in(&u->few, id) || hash_find(&u->more, id));
}

static struct users *users_of(struct object *o)
{
	if (!o->users)
		o->users = need(calloc(1, sizeof(*o->users)));
	return o->users;
}

void channel_used(struct ctt_judge *j, struct object *o, uint64_t id, uint64_t tid)
{
	struct users *u;

	/* of one whose room nobody reports, nor that there is any, nobody asks, nor of permits whose takers
	 * are known to have them */
	if (o->kind != CTT_ON_COND && !(o->kind == CTT_ON_SEM && (o->users || o->anybodys)) &&
		(!is_channel(o) || (!o->traffic && !o->opened && o->kind == CTT_ON_CHAN)))
		return;
	u = users_of(o);
	if (!id && is_starting(j, u, tid)) {
		u->starter = tid;
		return;
	}
	j->plain_woke |= !id && o->kind != CTT_ON_SEM;	/* of these standstill_note() is told */
	if (u->few.others || knows(u, id))
		return;
	if (u->few.count + u->more.used >= (u->most > PARTIES ? u->most : PARTIES))
		forget_ended(j, u);
	add_user(u, root_of(j, id));
}

void channel_given(struct ctt_judge *j, struct object *o, uint64_t id, uint64_t tid)
{
	uint64_t root = root_of(j, id);
	bool known = o->users && knows(o->users, root);
	struct users *u;

	if (o->kind == CTT_ON_SEM && !o->users && (o->some.line || o->no_waiter.line))	/* added */
		users_of(o);
	channel_used(j, o, id, tid);
	if (!(u = o->users))
		return;
	u->given = true;
	u->signals |= !known;
	if (!id && u->starter == tid)
		return;
	if (!known)	/* who is created to take first, as of a pool, gives nothing */
		add_makers(j, u, root);
	if (u->givers.count == PARTIES)
		forget_dead(j, &u->givers);
	add(&u->givers, root, true);
}

bool channel_starter_goes_on(struct ctt_judge *j, const struct users *u)
{
	const struct ctt_worker *w = u->starter ? ctt_model_worker(j->model, u->starter) : NULL;

	return u->starter && !(w && worker_by_role(w));
}

/* Of an event that nobody is said to notify: several were let go in one go, and the last time all who waited, as at a
 * barrier. */
static bool none_left_behind(const struct object *o)
{
	const struct evidence *w = o->waiters;

	if (!o->lets_several_go || o->some.line || o->no_waiter.line)
		return false;
	while (w && w->suspended > o->woke_ts)
		w = w->next;
	return !w;
}

bool channel_givers_gone(struct ctt_judge *j, const struct object *o)
{
	const struct users *u = o->users;
	bool wait = o->kind == CTT_ON_CHAN || none_left_behind(o);

	if (!u || !u->given || u->givers.others || channel_starter_goes_on(j, u))
		return false;
	for (uint32_t i = 0; i < u->givers.count; i++) {
		const struct ctt_coro *c = ctt_model_coro(j->model, u->givers.id[i]);
		const struct evidence *e = c ? c->evidence : NULL;

		if (c && !(wait && e && e->suspended && e->on == o))
			return false;
	}
	return true;
}

void channel_permits(struct ctt_judge *j, struct object *o, const struct ctt_event *ev)
{
	if (!o->levels || ev->level.value == o->level)
		return;
	users_of(o);
	if (ev->level.value > o->level)
		channel_given(j, o, ev->by, ev->tid);
	else
		channel_used(j, o, ev->by, ev->tid);
}

void channel_level(struct ctt_judge *j, struct object *o, const struct ctt_event *ev)
{
	uint64_t before = o->levels ? o->level : 0;

	if (o->kind == CTT_ON_COND && ev->level.value > before)
		channel_given(j, o, ev->by, ev->tid);
	else if (o->kind == CTT_ON_COND)
		channel_used(j, o, ev->by, ev->tid);
	/* the first that is told of the room is how much there is at all */
	if (!is_channel(o) || (!o->levels && (!ev->level.value || o->kind == CTT_ON_ROOM)))
		return;
	if (!ev->by && hold_find(o, 0, ev->tid))	/* a plain thread that has that end */
		return;
	if (!o->traffic)
		o->traffic = need(calloc(1, sizeof(*o->traffic)));
	if (o->kind == CTT_ON_CHAN && ev->level.value > before)
		channel_given(j, o, ev->by, ev->tid);
	channel_used(j, o, ev->by, ev->tid);
	if (ev->level.value == before) {	/* took one and put one, or looked */
		add(&o->traffic->takers, ev->by, false);
		add(&o->traffic->givers, ev->by, false);
		return;
	}
	/* who takes an item leaves room */
	add((ev->level.value < before) == (o->kind == CTT_ON_CHAN) ? &o->traffic->takers :
								     &o->traffic->givers,
		ev->by, true);
}

bool channel_takes(const struct object *o, uint64_t id)
{
	return o->traffic && is_in(&o->traffic->takers, id) && !is_in(&o->traffic->givers, id);
}

bool channel_goes_on(struct ctt_judge *j, const struct evidence *e)
{
	const struct object *o = e->on;
	const struct parties *p;

	/* who waits at a channel that holds something may as well want to send; where nothing was ever
	 * told to be in it, those alone who had that end could */
	if (o->kind == CTT_ON_CHAN && (o->level_known.line ? o->level != 0 : !o->fresh))
		return true;
	if (!o->traffic)
		return false;
	p = o->kind == CTT_ON_CHAN ? &o->traffic->givers : &o->traffic->takers;
	for (uint32_t i = 0; i < p->count; i++)
		if (p->id[i] != e->c->id && ctt_model_coro(j->model, p->id[i]))
			return true;
	return p->others;
}

bool channel_is_full(const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;

	return e->on->level;
}

const struct parties *channel_parties(const struct object *o)
{
	return o->level || o->kind == CTT_ON_ROOM ? &o->traffic->takers : &o->traffic->givers;
}

static bool all_live(struct ctt_judge *j, const struct parties *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (!ctt_model_coro(j->model, p->id[i]))
			return false;
	return p->count && !p->others;
}

const struct parties *channel_of(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;
	const struct object *o = e ? e->on : NULL;
	const struct parties *p;
	uint64_t now, waits;

	/* of room that is reported, who happened to take says too little */
	if (!o || o->kind == CTT_ON_ROOM || !o->traffic || !e->point || o->closed.line ||
		!e->came.level_was_known)
		return NULL;
	/* room where it was full, an item where it was empty; and so it is still */
	if (e->came.level_was_0 != !o->level || o->level_known.ts > e->suspended)
		return NULL;
	if (o->level && channel_takes(o, c->id))
		return NULL;		/* it came for what is there, not for room */
	p = channel_parties(o);
	now = end_for(j, c);
	waits = now > e->suspended ? now - e->suspended : 0;
	return waits >= j->grace && waits / TIMES > e->point->longest_ns && all_live(j, p) ? p :
											     NULL;
}

struct seat *channel_seats(struct ctt_judge *j)
{
	size_t room = 0, used = 0;
	const struct parties *p;
	struct ctt_coro *c;
	struct seat *seats;

	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		if (c->state == CTT_CORO_SUSPENDED && (p = channel_of(j, c)))
			room += p->count;
	seats = need(calloc(room + 1, sizeof(*seats)));
	for (size_t i = 0; room && (c = ctt_model_next(j->model, &i));) {
		struct object *o;

		if (c->state != CTT_CORO_SUSPENDED || !(p = channel_of(j, c)))
			continue;
		o = ((struct evidence *)c->evidence)->on;
		for (uint32_t k = 0; k < p->count && !o->seated; k++) {
			struct evidence *e = evidence_of(ctt_model_coro(j->model, p->id[k]));
			struct seat *s = &seats[used++];

			*s = (struct seat){ o, e->seats };
			e->seats = s;
		}
		o->seated = true;
	}
	return seats;
}
