/* owned.c - from records to what the coroutines of a scheduler do that the user described.
 * Contracts in follow.h.
 *
 * What is known of them is their address, or number. A wake of one that runs is reported as it
 * comes: whether its scheduler remembers that is not known. But a C++ frame that is handed to its
 * scheduler is on its way to be suspended by then, and that wake counts.
 */
#include "base/mem.h"
#include "follow.h"
#include "own.h"

static struct coro *first_seen(struct follow *f, const struct record *r, bool active)
{
	struct coro *c = follow_add(f, r->addr, 0);

	c->own = true;
	c->tid = r->tid;
	c->active = active;
	c->n = 2;
	c->last = r->ts;
	c->before = true;
	line_state(c, r->ts, &(struct state){ .before = true, .wakers = -1, .refs = -1 });
	return c;
}

/* The innermost of its runs on that thread is over, and so are those within it. */
static void pop(struct stack *t, uint64_t addr)
{
	for (size_t i = t->depth; i-- > 0;)
		if (t->level[i].addr == addr) {
			t->depth = i;
			return;
		}
}

static void on_resume(struct follow *f, struct stack *t, const struct record *r)
{
	struct coro *c = follow_find(f, r->addr);

	t->ended = 0;
	if (!c)
		c = first_seen(f, r, false);
	if (c->active) {	/* elsewhere; or whoever left it was not seen */
		follow_suspend(c, c->tid, r->ts, 0);
		pop(t, r->addr);
	}
	line_resume(c, r->tid, r->ts);
	c->run = ++f->runs;
	/* It may have a stack of its own: what runs there lies above or below this one. */
	*ADD(t->level, t->depth, t->room) = (struct level){ r->addr, c->run, UINT64_MAX };
}

static void on_suspend(struct follow *f, struct stack *t, const struct record *r)
{
	struct coro *c = follow_find(f, r->addr);

	if (!c && r->addr == t->ended)
		return;
	if (!c && r->kind == P_OWN_SUSPEND)
		c = first_seen(f, r, true);
	if (!c || !c->own || !c->active || (c->run && c->tid != r->tid))
		return;
	follow_suspend(c, r->tid, r->ts, 0);
	pop(t, r->addr);
}

static void on_destroy(struct follow *f, struct stack *t, const struct record *r)
{
	struct coro *c = follow_find(f, r->addr);

	if (!c || !c->own)
		return;
	pop(t, r->addr);
	t->ended = r->addr;
	line_destroy(c, r->tid, r->ts, DONE_UNKNOWN);
	follow_forget(f, c);
}

static void on_wake(struct follow *f, struct stack *t, const struct record *r)
{
	const struct coro *current = follow_current(f, t);
	uint64_t by = current ? current->id : 0;
	struct coro *c = follow_find(f, r->addr);

	if (!c && (own_has(P_OWN_RESUME) || own_has(P_OWN_SUSPEND) ||
			(!r->unread && points_with(r->word[0])))) {
		c = first_seen(f, r, false);
		c->point = r->unread ? NULL : points_with(r->word[0]);
		c->own = !c->point;
	}
	if (!c)
		return;
	if (c->active && !c->own) {
		c->woken.came = true;
		c->woken.tid = r->tid;
		c->woken.by = by == c->id ? 0 : by;
	} else {
		line_wake(c, r->tid, r->ts, by);
	}
}

void own_record(struct follow *f, struct stack *t, const struct record *given)
{
	struct record r = *given;

	if (!r.addr && t->depth && (r.kind == P_OWN_SUSPEND || r.kind == P_OWN_DESTROY))
		r.addr = t->level[t->depth - 1].addr;
	if (!r.addr)
		return;
	switch (r.kind) {
	case P_OWN_RESUME:	on_resume(f, t, &r); break;
	case P_OWN_EXIT:
	case P_OWN_SUSPEND:	on_suspend(f, t, &r); break;
	case P_OWN_DESTROY:	on_destroy(f, t, &r); break;
	case P_OWN_WAKE:	on_wake(f, t, &r); break;
	}
}
