/* tasks.c - from records to what each of tokio's tasks does. Contracts in follow.h.
 *
 * Each record has the task's state word, as it was before what is about to happen
 * (tokio/src/runtime/task/state.rs).
 */
#include "follow.h"

enum { RUNNING = 1, COMPLETE = 2, NOTIFIED = 4, JOIN_INTEREST = 8, CANCELLED_BIT = 32,
	REF_SHIFT = 6, MAX_REFS = 1 << 24 };

static void end_task(struct follow *f, struct coro *c, const struct record *r, enum done done)
{
	line_destroy(c, r->tid, r->ts, done);
	follow_forget(f, c);
}

/* The task that the record is about; NULL: not known. The id says whether it is another one at an
 * address whose former was not seen to end. */
static struct coro *known(struct follow *f, const struct record *r)
{
	struct coro *c = follow_find(f, r->addr);

	if (c && r->word[2] && c->task_id && c->task_id != r->word[2]) {
		end_task(f, c, r, DONE_UNKNOWN);
		c = NULL;
	}
	return c;
}

static size_t module_of(const struct record *r)
{
	return points.item[r->point]->module;
}

/* Than the trace; what a library that came later has may have been made before it was probed. */
static bool is_younger(const struct follow *f, const struct record *r)
{
	if (f->losses || module_of(r) >= f->modules)
		return false;
	return f->launched ||
		(f->born_known && module_of(r) == f->ids && r->word[2] > f->born_after);
}

static struct coro *first_seen(struct follow *f, const struct record *r, int64_t wakers)
{
	struct coro *c = follow_task(f, r->addr, r->word[2], module_of(r));

	c->tid = r->tid;
	if (is_younger(f, r)) {
		line_create(c, r->tid, r->ts, 0);
		return c;
	}
	c->n = 2;
	c->last = r->ts;
	c->before = true;
	line_state(c, r->ts, &(struct state){ .before = true, .wakers = wakers, .refs = -1 });
	return c;
}

static uint64_t by(const struct follow *f, const struct stack *t)
{
	const struct coro *c = follow_current(f, t);

	return c ? c->id : 0;
}

static void on_poll(struct follow *f, struct stack *t, const struct record *r)
{
	const struct point *p = points.item[r->point];
	struct coro *c = known(f, r);

	if (!c)
		c = first_seen(f, r, -1);
	if (c->active)		/* elsewhere, before the poll that suspended it has returned */
		follow_suspend(c, c->tid, r->ts, 0);
	if (!c->point && p->poll)
		line_name(c, r->ts, p->poll->type);
	c->point = p;
	line_resume(c, r->tid, r->ts);
	c->run = ++f->runs;
	*ADD(t->level, t->depth, t->room) = (struct level){ r->addr, c->run, r->sp };
}

static uint32_t type_site(struct follow *f, const struct point *p)
{
	return lines.muted || !p->poll || !p->poll->type ?
		0 :
		site_of(f->sites, p->poll->type, NULL, 0);
}

/* Its last reference was given back within the poll, and its memory with it: free() has written there. */
static bool is_freed(uint64_t state)
{
	return !(state >> REF_SHIFT) || state >> REF_SHIFT > MAX_REFS;
}

static void on_polled(struct follow *f, struct stack *t, const struct record *r)
{
	const struct level *top = t->depth ? &t->level[t->depth - 1] : NULL;
	uint64_t state = r->word[0];
	struct coro *c;

	if (!top || top->sp != r->sp || top->addr != r->addr)
		return;
	c = level_coro(f, top);
	t->depth--;
	if (!c)
		return;
	if (r->unread || is_freed(state)) {
		end_task(f, c, r, DONE_UNKNOWN);
		return;
	}
	if (state & COMPLETE) {
		end_task(f, c, r, state & CANCELLED_BIT ? DONE_UNKNOWN : FINISHED);
		return;
	}
	if (state & NOTIFIED && !c->woken.came) {
		/* by something that is not probed, as the end of its budget */
		c->woken.came = true;
		c->woken.tid = 0;
		c->woken.by = 0;
	}
	follow_suspend(c, r->tid, r->ts, type_site(f, c->point));
}

static void on_bind(struct follow *f, struct stack *t, const struct record *r)
{
	enum { FRESH = 3 << REF_SHIFT | JOIN_INTEREST | NOTIFIED };
	struct coro *c = follow_find(f, r->addr);

	if (r->unread || r->word[0] != FRESH)
		return;
	if (c)
		end_task(f, c, r, DONE_UNKNOWN);
	c = follow_task(f, r->addr, r->word[2], module_of(r));
	line_create(c, r->tid, r->ts, by(f, t));
	line_wake(c, r->tid, r->ts, by(f, t));
}

static void on_wake(struct follow *f, struct stack *t, const struct record *r)
{
	struct coro *c = known(f, r);

	if (r->unread || r->word[0] & COMPLETE || (!c && r->word[0] & RUNNING))
		return;
	if (!c)
		c = first_seen(f, r, -1);
	if (c->active) {	/* it runs again as soon as it is suspended */
		c->woken.came = true;
		c->woken.tid = r->tid;
		c->woken.by = by(f, t);
	} else {
		line_wake(c, r->tid, r->ts, by(f, t));
	}
}

/* References are those of wakers and of handles, but for one of the list of all tasks and one of
 * the JoinHandle. Whoever has the last waker of a task at rest takes away with it all that could
 * wake the task: nobody else can make another. */
static bool last_waker(const struct record *r)
{
	uint64_t state = r->word[0], others = 1 + !!(state & JOIN_INTEREST);

	return !r->unread && !(state & (RUNNING | COMPLETE | NOTIFIED)) &&
		state >> REF_SHIFT == others + 1;
}

/* Others are not reported: a clone that the compiler inlined is not seen, and who counted wakers
 * would be wrong. */
static void on_drop(struct follow *f, struct stack *t, const struct record *r)
{
	struct coro *c;
	bool is_new;

	if (!last_waker(r))
		return;
	c = known(f, r);
	is_new = !c;
	if (is_new)
		c = first_seen(f, r, 0);
	line_last_waker(c, r->tid, r->ts, by(f, t));
	if (!c->active && !is_new)
		line_state(c, c->last,
			&(struct state){ .before = c->before, .wakers = 0, .refs = -1 });
}

static void on_end(struct follow *f, const struct record *r)
{
	struct coro *c = follow_find(f, r->addr);
	uint64_t state = r->word[0];

	if (!c || !c->task)
		return;
	if (r->kind == P_DEALLOC)
		end_task(f, c, r,
			r->unread || state & CANCELLED_BIT ? DONE_UNKNOWN :
				state & COMPLETE	   ? FINISHED :
							     CANCELLED);
	else if (!r->unread && !(state & (RUNNING | COMPLETE)))
		end_task(f, c, r, CANCELLED);
}

void task_record(struct follow *f, struct stack *t, const struct record *r)
{
	switch (r->kind) {
	case P_POLL:	on_poll(f, t, r); break;
	case P_POLLED:	on_polled(f, t, r); break;
	case P_BIND:	on_bind(f, t, r); break;
	case P_WAKE:	on_wake(f, t, r); break;
	case P_DROP:	on_drop(f, t, r); break;
	case P_DEALLOC: case P_SHUTDOWN:
		on_end(f, r);
		break;
	}
}
