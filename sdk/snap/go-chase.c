/* go-chase.c - from runtime.allgs to the goroutines, what they wait on, and their stacks. Contracts
 * in go.h. */
#include <stdlib.h>
#include <string.h>

#include "go.h"
#include "search.h"

enum { MAX_STACK = 64 << 10, MAX_LINKS = 256, DEPTH = 256 };
enum { COND_STACK = 512, MAX_WORDS = 1 << 20 };
#define MAX_GOROUTINES (64u << 20)

struct list { struct piece *item; size_t count, room; };

static void want(struct list *l, uint64_t start, uint64_t len)
{
	/* many wait on the same */
	if (start && len && !(l->count && l->item[l->count - 1].start == start))
		*ADD(l->item, l->count, l->room) = (struct piece){ start, len, NULL };
}

static uint64_t word(const struct piece *p, uint64_t at)
{
	uint64_t v = 0;

	if (p->copy && at <= p->len && p->len - at >= sizeof(v))
		memcpy(&v, p->copy + at, sizeof(v));
	return v;
}

/* What waits on the same semaphores: binary trees whose nodes are lists. There are no more than
 * goroutines: memory that was overwritten may lead from each node to any others. */
static void chase_semas(struct target *t, size_t goroutines)
{
	struct list now = { NULL, 0, 0 }, next = { NULL, 0, 0 }, root = { NULL, 0, 0 };
	size_t seen = 0;

	want(&root, go.semtable, go.semtable_size);
	target_fetch(t, root.item, root.count);
	for (size_t i = 0; root.count && i < SEMA_ROOTS; i++)
		want(&now, word(&root.item[0], i * (go.semtable_size / SEMA_ROOTS) + 8),
			go.at.sudog_size);
	for (int depth = 0; depth < DEPTH && now.count && seen <= goroutines; depth++) {
		struct list swap = now;

		seen += now.count;
		target_fetch(t, now.item, now.count);
		next.count = 0;
		for (size_t i = 0; i < now.count; i++) {
			want(&next, word(&now.item[i], go.at.next), go.at.sudog_size);
			want(&next, word(&now.item[i], go.at.prev), go.at.sudog_size);
			want(&next, word(&now.item[i], go.at.wait_link), go.at.sudog_size);
		}
		now = next;
		next = swap;
	}
	free(now.item);
	free(next.item);
	free(root.item);
}

/* A select's cases follow one another; then the channels of all. */
static void chase_waits(struct target *t, struct list *now)
{
	struct list next = { NULL, 0, 0 }, channels = { NULL, 0, 0 };

	for (int links = 0; links < MAX_LINKS && now->count; links++) {
		struct list swap = *now;

		target_fetch(t, now->item, now->count);
		next.count = 0;
		for (size_t i = 0; i < now->count; i++) {
			want(&channels, word(&now->item[i], go.at.chan), go.at.hchan_size);
			want(&next, word(&now->item[i], go.at.wait_link), go.at.sudog_size);
		}
		*now = next;
		next = swap;
	}
	target_fetch(t, channels.item, channels.count);
	free(next.item);
	free(channels.item);
}

/* A goroutine that waits for a socket has the address of its pollDesc on its stack: those words
 * that may be one. */
static void chase_polls(struct target *t, const struct list *stacks)
{
	struct list polls = { NULL, 0, 0 };

	for (size_t i = 0; i < stacks->count && go.at.poll_fd != UINT64_MAX; i++)
		for (uint64_t at = 0;
			at + 8 <= stacks->item[i].len && at < 1024 && stacks->item[i].copy;
			at += 8) {
			uint64_t w = word(&stacks->item[i], at);
			const struct mapping *m = w % 8 ? NULL : map_at(t, w);

			/* The runtime's own memory, not the heap; Linux may have names for both. */
			if (m && m->write && (!*m->path || !strncmp(m->path, "[anon", 5)) &&
				!strstr(m->path, "heap"))
				want(&polls, w, go.at.poll_size);
		}
	target_fetch(t, polls.item, polls.count);
	free(polls.item);
}

/* What a word may point to that is a sudog or a list of them; not in its own stack. */
static bool may_wait_by(const struct target *t, const struct piece *stack, uint64_t w)
{
	const struct mapping *m = w % 8 ? NULL : map_at(t, w);

	return w && w % 8 == 0 && (w < stack->start || w >= stack->start + stack->len) &&
		(!t->live || (m && m->write));
}

/* A goroutine in sync.Cond.Wait has two addresses on its stack: its sudog's, and that of the list which
 * that is in. */
static void chase_conds(struct target *t, const struct list *stacks)
{
	struct list found = { NULL, 0, 0 };

	for (size_t i = 0; i < stacks->count && found.count < MAX_WORDS; i++)
		for (uint64_t at = 0; at + 8 <= stacks->item[i].len && at < COND_STACK; at += 8) {
			uint64_t w = word(&stacks->item[i], at);

			if (may_wait_by(t, &stacks->item[i], w))
				want(&found, w, go.at.sudog_size);
		}
	target_fetch(t, found.item, found.count);
	free(found.item);
}

/* What a goroutine has of its stack: len 0: it is dead, or runs. */
static struct piece stack_of_g(const struct piece *g)
{
	uint64_t sp = word(g, go.at.sp), hi = word(g, go.at.stack_hi);

	if (((uint32_t)word(g, go.at.status) & 0xff) == 6 || !sp || sp >= hi)
		return (struct piece){ 0, 0, NULL };
	return (struct piece){ sp, hi - sp < MAX_STACK ? hi - sp : MAX_STACK, NULL };
}

/* Those that were read before are not read again. */
static void fetch_stacks(struct target *t, const struct list *gs, struct piece *stack)
{
	struct piece *missing = need(malloc((gs->count + 1) * sizeof(*missing)));
	size_t *which = need(malloc((gs->count + 1) * sizeof(*which))), count = 0;

	for (size_t i = 0; i < gs->count; i++) {
		stack[i] = stack_of_g(&gs->item[i]);
		if (!t->rehearses && stack[i].len)
			stack[i].copy = go_earlier_stack(&gs->item[i], i);
		if (stack[i].copy) {
			target_had(t, stack[i]);
		} else if (stack[i].len) {
			which[count] = i;
			missing[count++] = stack[i];
		}
	}
	target_fetch(t, missing, count);
	for (size_t k = 0; k < count; k++)
		stack[which[k]].copy = missing[k].copy;
	if (t->rehearses)
		go_earlier_keep(gs->item, stack, gs->count);
	free(missing);
	free(which);
}

static void chase_stacks(struct target *t, const struct list *gs)
{
	struct piece *stack = need(malloc((gs->count + 1) * sizeof(*stack)));
	struct list io = { NULL, 0, 0 }, conds = { NULL, 0, 0 };

	fetch_stacks(t, gs, stack);
	for (size_t i = 0; i < gs->count; i++) {
		uint64_t reason = word(&gs->item[i], go.at.reason) & 0xff;

		if (stack[i].len && reason == go.io_wait)
			*ADD(io.item, io.count, io.room) = stack[i];
		if (stack[i].len && reason == go.cond_wait)
			*ADD(conds.item, conds.count, conds.room) = stack[i];
	}
	chase_polls(t, &io);
	chase_conds(t, &conds);
	free(io.item);
	free(conds.item);
	free(stack);
}

/* The goroutines, by runtime.allgs. */
static void fetch_all(struct target *t, struct list *gs)
{
	struct list all = { NULL, 0, 0 };
	uint64_t count;

	want(&all, go.allgs, 16);
	want(&all, go.reasons, go.reason_count * 16);
	target_fetch(t, all.item, all.count);
	all.count = 1;
	count = word(&all.item[0], 8);
	if (count > MAX_GOROUTINES)
		count = 0;
	want(&all, word(&all.item[0], 0), count * 8);
	if (all.count > 1)
		target_fetch(t, &all.item[1], 1);
	for (uint64_t i = 0; all.count > 1 && i < count; i++)
		want(gs, word(&all.item[1], i * 8), go.at.g_size);
	target_fetch(t, gs->item, gs->count);
	free(all.item);
}

void go_chase(struct target *t)
{
	struct list gs = { NULL, 0, 0 }, waits = { NULL, 0, 0 }, ms = { NULL, 0, 0 };

	fetch_all(t, &gs);
	for (size_t i = 0; i < gs.count; i++) {
		const struct piece *g = &gs.item[i];

		if (((uint32_t)word(g, go.at.status) & 0xff) == 6)
			continue;
		want(&waits, word(g, go.at.waiting), go.at.sudog_size);
		if (go.at.m != UINT64_MAX && go.at.procid != UINT64_MAX && word(g, go.at.m))
			want(&ms, word(g, go.at.m) + go.at.procid, 8);
	}
	target_fetch(t, ms.item, ms.count);
	chase_waits(t, &waits);
	chase_semas(t, gs.count);
	chase_stacks(t, &gs);
	free(gs.item);
	free(waits.item);
	free(ms.item);
}

struct semas {
	struct sema *item;
	size_t count, room;
	uint64_t most, steps;	/* as many as there are goroutines; looked at in lists */
};

static void sema_add(struct semas *semas, uint64_t g, uint64_t addr)
{
	*ADD(semas->item, semas->count, semas->room) = (struct sema){ g, addr };
}

static void tree(const struct target *t, uint64_t node, int depth, struct semas *semas)
{
	uint64_t addr = mem_number(t, node + go.at.elem, 8);

	if (!node || depth > DEPTH)
		return;
	for (uint64_t s = node; s && semas->count < semas->most;
		s = mem_number(t, s + go.at.wait_link, 8))
		sema_add(semas, mem_number(t, s + go.at.sudog_g, 8), addr);
	if (semas->count == semas->most)
		return;
	tree(t, mem_number(t, node + go.at.next, 8), depth + 1, semas);
	tree(t, mem_number(t, node + go.at.prev, 8), depth + 1, semas);
}

static bool in_cond_wait(const struct target *t, uint64_t g)
{
	return go.cond_wait != UINT64_MAX && g &&
		(mem_number(t, g + go.at.status, 4) & 0xff) == 4 &&
		mem_number(t, g + go.at.reason, 1) == go.cond_wait;
}

/* Is that a runtime.notifyList? Then all of its sudogs are those of goroutines in sync.Cond.Wait, the
 * last is its tail, and so many tickets at least are out. Those are added. */
static void cond_list(const struct target *t, uint64_t list, struct semas *semas)
{
	uint64_t s = mem_number(t, list + go.at.list_head, 8),
		 tail = mem_number(t, list + go.at.list_tail, 8);
	uint32_t out = (uint32_t)mem_number(t, list + go.at.list_wait, 4) -
		(uint32_t)mem_number(t, list + go.at.list_notify, 4), n = 0;
	size_t before = semas->count;
	uint64_t last = 0;

	for (; s && n < out && semas->steps < semas->most * 4 + MAX_WORDS; n++) {
		uint64_t g = mem_number(t, s + go.at.sudog_g, 8);

		semas->steps++;
		if (!in_cond_wait(t, g))
			break;
		sema_add(semas, g, list);
		last = s;
		s = mem_number(t, s + go.at.next, 8);
	}
	if (s || !n || last != tail)
		semas->count = before;
}

static int by_addr(const void *a, const void *b)
{
	const struct sema *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Each word on the stacks of those that wait so may be their list's address: each is tried once. */
static void cond_semas(const struct target *t, struct semas *semas)
{
	uint64_t all = mem_number(t, go.allgs, 8), g, w;
	struct sema *may = NULL;
	size_t mays = 0, may_room = 0;

	if (go.at.list_head == UINT64_MAX || go.at.list_tail == UINT64_MAX ||
		go.at.list_wait == UINT64_MAX || go.at.list_notify == UINT64_MAX)
		return;
	for (uint64_t i = 0; i < semas->most && mem_word(t, all + i * 8, &g); i++) {
		uint64_t sp = in_cond_wait(t, g) ? mem_number(t, g + go.at.sp, 8) : 0,
			 hi = sp ? mem_number(t, g + go.at.stack_hi, 8) : 0,
			 end = hi - sp < COND_STACK ? hi : sp + COND_STACK;
		struct piece stack = { sp, hi - sp, NULL };

		for (uint64_t at = sp; at < end && mem_word(t, at, &w); at += 8)
			if (mays < MAX_WORDS && may_wait_by(t, &stack, w))
				*ADD(may, mays, may_room) = (struct sema){ g, w };
	}
	if (may)
		qsort(may, mays, sizeof(*may), by_addr);
	for (size_t i = 0; i < mays; i++)
		if (!i || may[i].addr != may[i - 1].addr)
			cond_list(t, may[i].addr, semas);
	free(may);
}

uint64_t go_count(const struct target *t)
{
	uint64_t count = mem_number(t, go.allgs + 8, 8);

	return count > MAX_GOROUTINES ? 0 : count;
}

struct sema *go_semas(const struct target *t, size_t *count)
{
	struct semas semas = { .most = go_count(t) };

	for (size_t i = 0; go.semtable && i < SEMA_ROOTS; i++)
		tree(t, mem_number(t, go.semtable + i * (go.semtable_size / SEMA_ROOTS) + 8, 8), 0,
			&semas);
	cond_semas(t, &semas);
	if (semas.item)
		qsort(semas.item, semas.count, sizeof(*semas.item), by_number);
	*count = semas.count;
	return semas.item;
}
