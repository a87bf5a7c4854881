/* go-sends.c - verdicts on goroutines that send: nobody has received for so long that nobody sends so by
 * design. These are suspicions, as those of go-waits.c.
 *
 * What they cannot see: what went into a buffer and woke nobody, and a receiver that is yet to come from a
 * goroutine that never had to do with this channel. */
#include <string.h>

#include "judge/judge.h"

enum { REST_NS = 10000000 };	/* who waits so long in a send that ends well does so by design */
enum { TIMES = 10 };		/* so many times as long as the accused needed to come there */

void go_sent(struct evidence *e, uint64_t wait_ns)
{
	struct point *p = e->point;

	line_noted(e->sent, p);
	if (wait_ns > p->longest_send_ns)
		p->longest_send_ns = wait_ns;
}

static bool has_sent(const struct evidence *e)
{
	for (size_t i = 0; i < LINES; i++)
		if (e->sent[i].at == e->point)
			return true;
	return false;
}

static const char *function_at(const struct ctt_judge *j, uint64_t site)
{
	return ctt_model_site(j->model, site)->func;
}

/* Those that it made in the same function are awaited there. */
void go_receives(struct ctt_judge *j, const struct evidence *e, uint64_t site)
{
	const char *here = function_at(j, site);

	for (size_t i = 0; i < LINES && e->made[i].at; i++) {
		struct point *made = e->made[i].at;

		made->awaited |= *here && !strcmp(here, function_at(j, made->site));
	}
}

/* Behind the first that renews them nothing is asked of them any more. */
static void point_received(struct ctt_judge *j, struct point *p, const struct ctt_coro *sender,
	const struct ctt_coro *by)
{
	size_t i = 0;

	p->foreign |= sender->parent != by->id;
	while (i < p->taker_count && p->takers[i].id != by->id)
		i++;
	if (p->renewed || i < p->taker_count)
		return;
	p->renewed = i == WAKERS;	/* too many to follow: requests, mostly */
	for (size_t k = 0; k < i; k++)
		p->renewed |= !ctt_model_coro(j->model, p->takers[k].id);
	if (i < WAKERS)
		p->takers[p->taker_count++] =
			(struct taker){ by->id, by->parent, by->spawn_site };
}

/* What is sent to one that waits for it leaves no wait of the sender's, but a wake at its line. */
void go_woken(struct ctt_judge *j, struct evidence *e, struct ctt_coro *by, uint64_t site)
{
	const struct ctt_on *on = &e->c->on;

	if (!by || by->system || on->known || on->kind != CTT_ON_CHAN || !e->point ||
		!e->c->reason)
		return;
	if (e->sends) {
		point_received(j, e->point, e->c, by);
		go_receives(j, evidence_of(by), site);
	} else if (site) {
		struct point *p = keyed_get(&j->points, site);

		line_noted(evidence_of(by)->sent, p);
		point_received(j, p, by, e->c);
	}
}

/* Does one live who received what was sent there, or may others come? */
static bool has_receiver(struct ctt_judge *j, const struct point *p)
{
	for (size_t i = 0; i < p->taker_count; i++)
		if (ctt_model_coro(j->model, p->takers[i].id))
			return true;
	return p->renewed || p->outside || !p->taker_count;
}

static const struct point *go_statement(const struct ctt_judge *j, const struct ctt_coro *c)
{
	return c->spawn_site ? keyed_find(&j->points, c->spawn_site) : NULL;
}

/* Has it left the function since, in which it made that one, and come to that go statement again? */
static bool came_anew(const struct ctt_coro *maker, const struct ctt_coro *made)
{
	const struct evidence *e = maker->evidence;

	for (size_t i = 0; i < LINES && e && e->made[i].at; i++)
		if (e->made[i].at->site == made->spawn_site)
			return e->made[i].came_anew > made->created;
	return false;
}

static struct ctt_coro *maker(const struct ctt_judge *j, const struct ctt_coro *c)
{
	return c->parent ? ctt_model_coro(j->model, c->parent) : NULL;
}

/* May it yet make another by that go statement, in whose function it is? Not while it waits for a group, a lock or
 * in a send itself. */
static bool may_make_another(const struct ctt_judge *j, const struct taker *t)
{
	const struct ctt_coro *c = t->parent ? ctt_model_coro(j->model, t->parent) : NULL;

	if (!t->parent || !t->spawn_site)
		return true;
	if (!c || was_elsewhere(j, c, function_at(j, t->spawn_site)))
		return false;
	return c->state != CTT_CORO_SUSPENDED || !(is_group(c) || is_lock(c) || is_send(c));
}

/* All who received there have ended. May those that made them make others? */
static bool may_be_replaced(const struct ctt_judge *j, const struct point *p)
{
	size_t i = 0;

	while (i < p->taker_count && !may_make_another(j, &p->takers[i]))
		i++;
	return i < p->taker_count;
}

/* Where a channel counts those that may go on, a send takes a place, and who has one receives: one that
 * was made by the same go statement before, is in no send, and has had the time to come by there. */
static bool sibling_may_receive(struct ctt_judge *j, const struct evidence *e)
{
	const struct point *p = go_statement(j, e->c);
	uint64_t took = e->suspended - e->c->created;

	return p && p->spawned && p->spawned < e->suspended &&
		(end_for(j, e->c) - p->spawned) / TIMES >= took;
}

/* came: one lives, or may come, who did before. */
static const char *who_may_receive(struct ctt_judge *j, const struct evidence *e, bool came)
{
	const struct ctt_coro *parent = maker(j, e->c);
	const struct point *made = go_statement(j, e->c);

	if (!e->c->created)
		return "nobody received what they send since before the trace began";
	if (came && e->point->longest_send_ns >= REST_NS)
		return "nobody received what they send, but what others sent there had to wait as well, and was received";
	if (came && e->point->foreign)
		return "nobody received what they send, but one who did there before, or will be as he was, may yet";
	if (sibling_may_receive(j, e))
		return "nobody received what they send, but one that was made by the same line before may yet";
	if (!made || !made->awaited)
		return "nobody received what they send, and nothing shows who was to";
	if (parent && !came_anew(parent, e->c))
		return "nobody received what they send, and the one that made them may yet";
	return NULL;
}

/* A generator sends again and again, and rests in its send while nobody asks. One that never got
 * rid of anything here, and that its maker no longer awaits as those who made others by that line did, is
 * none; nor is one whose receivers have all ended. */
bool rule_go_send(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	const struct ctt_coro *c = e->c;
	const char *hint;
	bool came;

	if (!is_send(c) || !go_too_long(j, e))
		return false;
	came = has_receiver(j, e->point);
	if (came && has_sent(e))
		return false;
	if (!came && may_be_replaced(j, e->point))
		return go_accuse(e, f, CTT_V_STUCK_SEND, CTT_HINT,
			"all who ever received what is sent here have ended, and those that made them may make others");
	if (!came && (has_sent(e) || !sibling_may_receive(j, e)))
		return go_accuse(e, f, CTT_V_STUCK_SEND, c->created ? CTT_SUSPECTED : CTT_HINT,
			"all who ever received what is sent here have ended");
	if ((hint = who_may_receive(j, e, came)))
		return go_accuse(e, f, CTT_V_STUCK_SEND, CTT_HINT, hint);
	return go_accuse(e, f, CTT_V_STUCK_SEND, CTT_SUSPECTED,
		maker(j, c) ?
			"nobody received what they send, and the one that made them has made others there since" :
			"nobody received what they send, and the one that made them, and was to, has ended");
}
