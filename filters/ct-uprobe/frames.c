/* frames.c - from records to what each C++ coroutine does. Contracts in follow.h.
 *
 * Records stand in the order in which the entries of one frame happened; a return comes later than
 * the suspend that it shows, and perhaps after the frame was resumed elsewhere. Each run has a
 * number, and a return counts for the run that it belongs to alone.
 */
#define _GNU_SOURCE
#include <sys/uio.h>

#include "base/mem.h"
#include "follow.h"

static bool index_of(const struct point *p, uint64_t word, uint64_t *index)
{
	const struct kind *k = p->cpp;

	if (!k || !k->index_bits || k->index_bits > 32 || k->index_at >= MAX_OFFSET)
		return false;
	*index = word >> k->index_shift & ((1ull << k->index_bits) - 1);
	return true;
}

static uint32_t site_at(struct follow *f, const struct point *p, uint64_t word)
{
	uint64_t index;

	if (lines.muted || !p->cpp)
		return 0;
	return kind_site(f->sites, p->cpp, index_of(p, word, &index) ? index : UINT64_MAX);
}

struct words { bool known; uint64_t resume, index; };	/* of a frame that was left */

/* A run is over: the frame waits, or is at its end, or its memory is something else already. */
static void end_run(struct follow *f, struct coro *c, const struct record *r, struct words w)
{
	const struct point *p = c->point;

	if (!w.known || !index_of(p, w.index, &c->index))
		c->index = UINT64_MAX;
	if (!w.known || w.resume == p->addr) {
		follow_suspend(c, r->tid, r->ts, w.known ? site_at(f, p, w.index) : 0);
		return;
	}
	line_destroy(c, r->tid, r->ts, w.resume ? DONE_UNKNOWN : FINISHED);
	follow_forget(f, c);
}

void frames_leave(struct follow *f, struct stack *t, const struct record *r, uint64_t sp)
{
	while (t->depth && t->level[t->depth - 1].sp <= sp) {
		struct level l = t->level[--t->depth];
		struct coro *c = level_coro(f, &l);
		bool jumped = l.sp == r->sp && r->left == l.addr;

		if (c && c->task)
			follow_suspend(c, r->tid, r->ts, 0);
		else if (c)
			end_run(f, c, r,
				(struct words){ jumped, r->left_word[0], r->left_word[1] });
	}
}

/* Its first run is its birth; any other one is seen in its middle. */
static struct coro *first_seen(
	struct follow *f, struct stack *t, const struct record *r, const struct point *p)
{
	struct coro *c = follow_add(f, r->addr, 0), *parent = follow_current(f, t);
	uint64_t index = UINT64_MAX;
	bool known = !r->unread && index_of(p, r->word[2], &index);

	c->point = p;
	c->tid = r->tid;
	if (p->gcc && known && !index) {
		line_create(c, r->tid, r->ts, parent ? parent->id : 0);
		return c;
	}
	c->n = known && p->cpp->starts_suspended && index == (p->gcc ? 2 : 0) ? 1 : 2;
	c->last = r->ts;
	line_state(c, r->ts,
		&(struct state){ .before = true,
			.site = site_at(f, p, r->word[2]),
			.wakers = -1,
			.refs = -1 });
	return c;
}

/* Another frame at the address of one whose end was not seen? An index changes only in a run. */
static bool another(const struct follow *f, const struct coro *c, const struct point *p, bool known,
	uint64_t index)
{
	if (c->point && c->point->addr != p->addr)
		return true;
	return known && ((p->gcc && !index) || (!c->active && c->sure == f->losses &&
		c->index != UINT64_MAX && c->index != index));
}

static void on_resume(struct follow *f, struct stack *t, const struct record *r)
{
	const struct point *p = points.item[r->point];
	struct coro *c;
	uint64_t index = 0;
	bool known = !r->unread && index_of(p, r->word[2], &index);

	frames_leave(f, t, r, r->sp);
	/* gcc's destroy function is the resume function with an odd index. */
	if (p->gcc && (known ? index & 1 : t->destroyed == r->addr))
		return;
	c = follow_find(f, r->addr);
	if (c && another(f, c, p, known, index)) {
		line_destroy(c, c->tid, r->ts, DONE_UNKNOWN);
		follow_forget(f, c);
		c = NULL;
	}
	if (!c)
		c = first_seen(f, t, r, p);
	c->point = p;
	if (c->active)		/* elsewhere, before the run that suspended it has returned */
		follow_suspend(c, c->tid, r->ts, site_at(f, p, r->word[2]));
	line_resume(c, r->tid, r->ts);
	c->run = ++f->runs;
	*ADD(t->level, t->depth, t->room) = (struct level){ r->addr, c->run, r->sp };
}

/* Entered before there were probes: it is the one that ran there then, of that function. */
static void stranger_exit(struct follow *f, const struct record *r)
{
	const struct point *p = points.item[r->point];
	struct coro *c, *found = NULL;
	uint64_t word = 0;

	for (size_t i = 0; (c = hash_each(&f->coros, &i));)
		if (c->active && !c->run && c->tid == r->tid && c->point == p)
			found = c;
	if (!found)
		return;
	/* What it holds now is what it held then, or it has come to its end since. */
	process_vm_readv(f->target->pid, &(struct iovec){ &word, 8 }, 1,
		&(struct iovec){ (void *)(uintptr_t)found->addr, 8 }, 1, 0);
	end_run(f, found, r, (struct words){ word != p->addr, word, 0 });
}

static void on_exit_of(struct follow *f, struct stack *t, const struct record *r)
{
	const bool freed = r->kind == P_FREED;
	struct words w = { freed || !r->unread, freed ? 0 : r->word[0], r->word[2] };
	struct level *top;
	struct coro *c;

	if (!r->addr) {
		stranger_exit(f, r);
		return;
	}
	if (t->depth && t->level[t->depth - 1].sp < r->sp)
		frames_leave(f, t, r, r->sp - 1);
	top = t->depth ? &t->level[t->depth - 1] : NULL;
	if (top && top->sp == r->sp && top->addr == r->addr) {
		c = level_coro(f, top);
		t->depth--;
	} else {
		/* Its resume was lost; else this is the end of a destroy function. */
		c = f->losses ? follow_find(f, r->addr) : NULL;
		c = c && !c->active && c->sure < f->losses && c->point == points.item[r->point] ?
			c :
			NULL;
		if (c)
			c->n++;
	}
	if (c)
		end_run(f, c, r, w);
}

static void on_destroy(struct follow *f, const struct record *r)
{
	struct coro *c = follow_find(f, r->addr);

	if (!c || c->task)
		return;
	line_destroy(c, r->tid, r->ts,
		r->unread ? DONE_UNKNOWN : r->word[0] ? CANCELLED : FINISHED);
	follow_forget(f, c);
}

void frame_record(struct follow *f, struct stack *t, const struct record *r)
{
	if (r->kind == P_RESUME)
		on_resume(f, t, r);
	else if (r->kind == P_EXIT || r->kind == P_FREED)
		on_exit_of(f, t, r);
	else
		on_destroy(f, r);
}
