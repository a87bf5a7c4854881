/* bill.c - what is said of the living where nobody is accused: are they known well enough, and how many wait for what
 * nobody is shown to bring about? Contracts in cttrace/judge.h. */
#include "judge/judge.h"

static bool legs_unnamed(const struct ctt_legs *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (!l->leg[i].on.known && l->leg[i].on.kind != CTT_ON_TIMER)
			return true;
	return false;
}

size_t ctt_judge_unnamed(struct ctt_model *m)
{
	const struct ctt_coro *c;
	size_t n = 0;

	for (size_t i = 0; (c = ctt_model_next(m, &i));)
		n += waits_unnamed(c) ||
			(c->state == CTT_CORO_SUSPENDED && !c->system &&
				(c->legs ? legs_unnamed(c->legs) : c->on.kind == CTT_ON_NONE));
	return n;
}

/* Its timer was switched off while it waits. */
static bool is_off(const struct ctt_coro *c, const struct ctt_on *on)
{
	const struct evidence *e = c->evidence;

	return on->kind == CTT_ON_TIMER && !on->number && e && e->moved.line;
}

/* From outside; of one that lives and has begun it is said what that one waits for. */
static bool comes(struct ctt_model *m, const struct ctt_coro *c, const struct ctt_on *on)
{
	if (on->kind == CTT_ON_CORO || on->kind == CTT_ON_JOIN) {
		const struct ctt_coro *of = on->known ? ctt_model_coro(m, ctt_on_key(on)) : NULL;

		return of && of->state != CTT_CORO_CREATED;
	}
	return comes_from_outside(on) && !is_off(c, on);
}

/* The first time, of one that asks again and again. */
static uint64_t since(const struct ctt_coro *c)
{
	return c->evidence && c->state != CTT_CORO_RUNNABLE ? waits_since(c->evidence) : c->since;
}

/* Brought about by others of its program, if at all. */
static bool comes_from_within(struct ctt_model *m, const struct ctt_coro *c)
{
	size_t come = 0;

	if (!c->legs)
		return !comes(m, c, &c->on);
	for (size_t i = 0; i < c->legs->count; i++)
		come += comes(m, c, &c->legs->leg[i].on);
	return c->legs->all ? come < c->legs->count : !come;
}

/* As in a snapshot, which shows one moment: it may wait since long ago. One that may be no coroutine any more
 * may be one. */
static bool waits_unknown(struct ctt_model *m, const struct ctt_coro *c)
{
	return (c->state == CTT_CORO_RUNNABLE ||
		(c->state == CTT_CORO_SUSPENDED && comes_from_within(m, c))) &&
		!c->system && c->since_before && ctt_model_last_ts(m) == c->since;
}

char *ctt_judge_bill(char buf[CTT_BILL_SIZE], struct ctt_model *m)
{
	const struct ctt_coro *c;
	bool known = !ctt_judge_unnamed(m);

	for (size_t i = 0; known && (c = ctt_model_next(m, &i));)
		known = !waits_unknown(m, c) && !(c->named_late && comes_from_within(m, c));
	snprintf(buf, CTT_BILL_SIZE, ", none %s", known ? "forgotten" : "proven");
	return buf;
}

/* A time that has passed so long ago; one before the coroutine is of another clock. */
static bool is_past(const struct ctt_coro *c, uint64_t until)
{
	return c->on.kind == CTT_ON_TIMER && c->on.number && c->on.value >= c->first_ts &&
		until > c->on.value && until - c->on.value >= CTT_JUDGE_GRACE_NS;
}

/* Not who had only begun to wait when its process was last seen to live: that it is gone is seen later. */
static bool rests(const struct ctt_judge *j, const struct ctt_coro *c)
{
	uint64_t until = lived_until(j, c);

	if (waits_unknown(j->model, c))
		return true;
	if (c->system || until < since(c) + CTT_JUDGE_GRACE_NS)
		return false;
	if (c->state != CTT_CORO_SUSPENDED)
		return c->state == CTT_CORO_RUNNABLE;
	return is_past(c, until) || (c->evidence && asks_since(c->evidence)) ||
		comes_from_within(j->model, c);
}

char *ctt_judge_rest(char buf[CTT_REST_SIZE], const struct ctt_judge *j)
{
	struct ctt_model *m = j->model;
	const struct ctt_coro *c;
	uint64_t oldest = UINT64_MAX;
	bool unknown = false;
	size_t n = 0;
	char age[24];

	for (size_t i = 0; (c = ctt_model_next(m, &i));) {
		if (is_torn_down(j, c) || !rests(j, c))
			continue;
		n++;
		unknown |= waits_unknown(m, c);
		oldest = since(c) < oldest ? since(c) : oldest;
	}
	*buf = '\0';
	if (n && unknown)
		snprintf(buf, CTT_REST_SIZE, "; %zu wait%s, since when is not known: ct-stuck lists %s", n,
			n == 1 ? "s" : "", n == 1 ? "it" : "them");
	else if (n)
		snprintf(buf, CTT_REST_SIZE, "; %zu still wait%s%s %s: ct-stuck lists %s", n, n == 1 ? "s" : "",
			n == 1 ? ", for" : ", the longest", ctt_out_duration(age, ctt_model_last_ts(m) - oldest),
			n == 1 ? "it" : "them");
	return buf;
}
