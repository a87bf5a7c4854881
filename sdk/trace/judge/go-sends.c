/* go-sends.c - verdicts on goroutines that send: nobody has received for so long that nobody sends so by
 * design. These are suspicions, as those of go-waits.c.
 *
 * What they cannot see: what went into a buffer and woke nobody, and a receiver that is yet to come from a
 * goroutine that never had to do with this channel. */
#include <string.h>

#include "judge/judge.h"

enum { REST_NS = 10000000 };	/* who waits so long in a send that ends well does so by design */
enum { TIMES = 10 };		/* so many times as long as the accused needed to come there */

void sent_at(struct evidence *e, struct point *p)
{
	size_t i = 0;

	while (i < SENT - 1 && e->sent[i] != p)
		i++;
	memmove(e->sent + 1, e->sent, i * sizeof(e->sent[0]));
	e->sent[0] = p;
}

static bool has_sent(const struct evidence *e)
{
	for (size_t i = 0; i < SENT; i++)
		if (e->sent[i] == e->point)
			return true;
	return false;
}

/* Behind the first that renews them nothing is asked of them any more. */
static void point_received(struct ctt_judge *j, struct point *p, uint64_t by)
{
	size_t i = 0;

	while (i < p->taker_count && p->takers[i] != by)
		i++;
	if (p->renewed || i < p->taker_count)
		return;
	p->renewed = i == WAKERS;	/* too many to follow: requests, mostly */
	for (size_t k = 0; k < i; k++)
		p->renewed |= !ctt_model_coro(j->model, p->takers[k]);
	if (i < WAKERS)
		p->takers[p->taker_count++] = by;
}

/* What is sent to one that waits for it leaves no wait of the sender's, but a wake at its line. */
void go_woken(struct ctt_judge *j, struct evidence *e, struct ctt_coro *by, uint64_t site)
{
	const struct ctt_on *on = &e->c->on;

	if (!by || by->system || on->known || !e->point || !e->c->reason ||
		(on->kind != CTT_ON_CHAN && on->kind != CTT_ON_COND))
		return;
	e->errand = (struct errand){ by->id, by->parent, e->point };
	if (e->sends) {
		point_received(j, e->point, by->id);
	} else if (on->kind == CTT_ON_CHAN && site) {
		struct point *p = keyed_get(&j->points, site);

		sent_at(evidence_of(by), p);
		point_received(j, p, e->c->id);
	}
}

/* Will the one that made it come to receive? It may, when it has worked ever since, or has to be
 * woken by somebody else first; not when it slept, or read from the network, meanwhile. */
static bool maker_may_receive(struct ctt_judge *j, const struct evidence *e)
{
	static const unsigned woken = 1u << CTT_ON_CHAN | 1u << CTT_ON_JOIN | 1u << CTT_ON_MUTEX |
		1u << CTT_ON_SEM | 1u << CTT_ON_COND;
	const struct ctt_coro *parent =
		e->c->parent ? ctt_model_coro(j->model, e->c->parent) : NULL;

	if (!parent)
		return false;
	if (parent->evidence && ((struct evidence *)parent->evidence)->rested > e->suspended)
		return false;
	return parent->state != CTT_CORO_SUSPENDED ||
		(woken >> parent->on.kind & 1 && !is_send(parent) && !is_lock(parent));
}

/* Does one live who received what was sent there, or may others come? */
static bool has_receiver(struct ctt_judge *j, const struct point *p)
{
	for (size_t i = 0; i < p->taker_count; i++)
		if (ctt_model_coro(j->model, p->takers[i]))
			return true;
	return p->renewed || p->outside || !p->taker_count;
}

/* Where a channel counts those that may go on, a send takes a place, and who has one receives: one that
 * was made by the same go statement before, is in no send, and has had the time to come by there. */
static bool sibling_may_receive(struct ctt_judge *j, const struct evidence *e)
{
	const struct point *p = e->c->spawn_site ? keyed_find(&j->points, e->c->spawn_site) : NULL;
	uint64_t took = e->suspended - e->c->created;

	return p && p->spawned && p->spawned < e->suspended &&
		(end_for(j, e->c) - p->spawned) / TIMES >= took;
}

static const char *who_may_receive(struct ctt_judge *j, const struct evidence *e)
{
	if (!e->c->created)
		return "nobody received what they send since before the trace began";
	if (e->point->longest_ns >= REST_NS && has_receiver(j, e->point))
		return "nobody received what they send, but what others sent there had to wait as well, and was received";
	if (sibling_may_receive(j, e))
		return "nobody received what they send, but one that was made by the same line before may yet";
	if (maker_may_receive(j, e))
		return "nobody received what they send, and the one that made them may yet";
	return NULL;
}

/* A generator sends again and again, and rests in its send while nobody asks. One that never got
 * rid of anything here, whose maker has gone on, is none; nor is one whose receivers have all
 * ended. */
bool rule_go_send(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	const struct ctt_coro *c = e->c;
	const char *hint;

	if (!is_send(c) || !go_too_long(j, e))
		return false;
	if (has_sent(e))
		return !has_receiver(j, e->point) &&
			go_accuse(e, f, CTT_V_STUCK_SEND, c->created ? CTT_SUSPECTED : CTT_HINT,
				"all who ever received what is sent here have ended");
	if ((hint = who_may_receive(j, e)))
		return go_accuse(e, f, CTT_V_STUCK_SEND, CTT_HINT, hint);
	return go_accuse(e, f, CTT_V_STUCK_SEND, CTT_SUSPECTED,
		!c->parent ? "nobody received what they send, and who made them is not reported" :
		ctt_model_coro(j->model, c->parent) ?
			"nobody received what they send, and the one that made them does other things" :
			"nobody received what they send, and the one that made them has ended");
}
