/* coros.c - the coroutines that are followed, and the threads that run them. Contracts in coros.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "coros.h"

struct coro *follow_find(const struct follow *f, uint64_t addr)
{
	return hash_find(&f->coros, addr);
}

struct coro *follow_add(struct follow *f, uint64_t addr, uint64_t id)
{
	struct coro *c = need(calloc(1, sizeof(*c)));

	c->addr = addr;
	c->id = id ? id : f->next_id++;
	c->sure = f->losses;
	c->index = UINT64_MAX;
	hash_add(&f->coros, addr, c);
	return c;
}

struct coro *follow_task(struct follow *f, uint64_t addr, uint64_t task_id, size_t module)
{
	struct coro *c = follow_add(f, addr, module == f->ids ? task_id : 0);

	c->task = true;
	c->task_id = task_id;
	c->module = module;
	return c;
}

void follow_forget(struct follow *f, struct coro *c)
{
	hash_remove(&f->coros, c->addr, c);
	free(c);
}

struct stack *follow_thread(struct follow *f, uint32_t tid, uint64_t ts)
{
	struct stack *t = hash_find(&f->threads, tid);

	if (t)
		return t;
	t = need(calloc(1, sizeof(*t)));
	t->tid = tid;
	hash_add(&f->threads, tid, t);
	line_thread(ts, tid, f->target->pid, NULL);
	return t;
}

void follow_worker(const struct follow *f, struct stack *t, uint64_t ts)
{
	if (!t->worker)
		line_thread(ts, t->tid, f->target->pid, "worker");
	t->worker = true;
}

struct coro *level_coro(const struct follow *f, const struct level *l)
{
	struct coro *c = follow_find(f, l->addr);

	return c && c->active && c->run == l->run ? c : NULL;
}

struct coro *follow_current(const struct follow *f, const struct stack *t)
{
	return t->depth ? level_coro(f, &t->level[t->depth - 1]) : NULL;
}

void follow_suspend(struct coro *c, uint32_t tid, uint64_t ts, uint32_t site)
{
	line_suspend(c, tid, ts, site);
	if (c->woken.came)
		line_wake(c, c->woken.tid, c->last, c->woken.by);
	c->woken.came = false;
}

void follow_free(struct follow *f)
{
	struct stack *t;
	struct descriptor *d;
	struct coro *c;

	for (size_t i = 0; (c = hash_each(&f->coros, &i));)
		free(c);
	for (size_t i = 0; (t = hash_each(&f->threads, &i));) {
		free(t->level);
		free(t);
	}
	for (size_t i = 0; (d = hash_each(&f->descriptors, &i));)
		free(d);
	hash_free(&f->descriptors);
	hash_free(&f->coros);
	hash_free(&f->threads);
}
