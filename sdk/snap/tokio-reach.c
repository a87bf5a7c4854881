/* tokio-reach.c - by which tasks a thing in memory can be come to. Contracts in tokio.h.
 *
 * Whoever comes to it has a word that leads into its allocation: in a future, among what that has by
 * its type now, then it is that task's; or in another allocation, then it is theirs who come to that.
 * Where a task comes to it that goes on by itself, nothing is said of it. Nor does anything prove that
 * nobody else can: a pointer may be compressed, or kept by the kernel, and the one that an Arc counts
 * for that may seem to be where a stale word is left, as behind the end of a Vec or in a variable that
 * was moved away.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cpp.h"
#include "search.h"
#include "tokio.h"

enum { LEVELS = 6, MOST_NODES = 1 << 20, MOST_EDGES = 1 << 22, MOST_TASKS = 256,
	DEEP = 40, MOST_PARTS = 1024 };

/* task 0: what the ends of a channel have */
struct future { uint64_t start, end, task; Dwarf_Die type; };
static struct future *futures;
static size_t future_count, future_room;
/* cells: what the runtime has of a task whose future is among those; blocks of queues, and what was
 * written into them: else there is what was there before */
static struct cells {
	struct cell { uint64_t start, end; } *item;
	size_t count, room;
} cells, blocks, written;
static struct permit { uint64_t channel, task; } *permits;
static size_t permit_count, permit_room;

/* What one has there: who has an end of a channel for certain has not the other one. */
enum { CHAN = 1, ROOM = 2, ANY = CHAN | ROOM };
struct node {			/* an allocation */
	uint64_t start, end;
	unsigned open;		/* one comes to that of it who goes on by himself */
	size_t seen;		/* the last one that asked */
};
/* nodes' numbers; task != 0: from that */
struct edge { uint64_t key, to, from, task; unsigned has; };
struct thing { uint64_t node; struct wait_on on; };
struct graph {
	const struct target *t;
	struct hash tasks;		/* by address */
	struct node *node;
	size_t nodes, node_room, first;	/* those of this level: from there on */
	struct edge *edge;
	size_t edges, edge_room;
	struct hash by_start;		/* number + 1 */
	struct level { uint64_t start, end, node; } *level;	/* in order */
	size_t levels;
	bool deep;			/* of this level none is asked for itself */
	struct thing *thing;
	size_t things, thing_room;
	uint64_t *list;			/* of nodes, to work on */
	size_t list_count, asked;
};

static const struct future *last_future(uint64_t task, uint64_t at)
{
	for (size_t i = future_count; i-- && (futures[i].task == task || !futures[i].task);)
		if (futures[i].task && at >= futures[i].start && at < futures[i].end)
			return &futures[i];
	return NULL;
}

void reach_future(uint64_t task, uint64_t at, Dwarf_Die *type)
{
	if (!last_future(task, at))
		*ADD(futures, future_count, future_room) = (struct future){ at,
			at + die_size(type), task, *type };
}

void reach_channel(uint64_t at, Dwarf_Die *type)
{
	uint64_t size = die_size(type), chunk = size;

	/* of an end that was dropped something else may lie there */
	if (heap_chunk(at, &chunk) == CHUNK_USED && chunk - size < 32)
		*ADD(futures, future_count, future_room) = (struct future){ at, at + size, 0,
			*type };
}

void reach_cell(uint64_t header, uint64_t size)
{
	heap_chunk(header, &size);
	*ADD(cells.item, cells.count, cells.room) = (struct cell){ header, header + size };
}

void reach_message(enum message is, uint64_t at, uint64_t size)
{
	struct cells *to = is == MESSAGE_BLOCK ? &blocks : &written;

	*ADD(to->item, to->count, to->room) = (struct cell){ at, at + size };
}

void reach_permit(uint64_t task, uint64_t channel)
{
	*ADD(permits, permit_count, permit_room) = (struct permit){ channel, task };
}

static bool has_permit(uint64_t task, uint64_t channel)
{
	size_t i = first_from(permits, permit_count, sizeof(*permits), channel);

	for (; i < permit_count && permits[i].channel == channel; i++)
		if (permits[i].task == task)
			return true;
	return false;
}

static void cells_forget(struct cells *c)
{
	free(c->item);
	*c = (struct cells){ .item = NULL };
}

void reach_forget(void)
{
	free(permits);
	free(futures);
	futures = NULL;
	permits = NULL;
	future_count = future_room = permit_count = permit_room = 0;
	cells_forget(&cells);
	cells_forget(&blocks);
	cells_forget(&written);
}

static const struct cell *cell_in(const struct cells *of, uint64_t at)
{
	const struct cell *c = last_up_to(of->item, of->count, sizeof(*of->item), at);

	return c && at < c->end ? c : NULL;
}

/* A part of a queue's block that was never written, or was received. */
static bool is_void(uint64_t at)
{
	return cell_in(&blocks, at) && !cell_in(&written, at);
}

static const struct future *future_at(uint64_t at)
{
	const struct future *f = last_up_to(futures, future_count, sizeof(*futures), at);

	return f && at < f->end ? f : NULL;
}

static bool is_receiver(Dwarf_Die *type)
{
	char path[100];

	return begins(die_name(type), "Receiver<") &&
		begins(die_path(type, false, path, sizeof(path)), "tokio::sync::");
}

/* What that has of it by a word there that is one of what the type has now; 0: by none. What cannot be
 * looked into counts. */
static unsigned has_at(const struct target *t, uint64_t at, Dwarf_Die *type, uint64_t word,
	int depth, size_t *left)
{
	Dwarf_Die m, of, member;
	struct wait_on end;
	uint64_t fields_at, from;
	unsigned has = 0;

	if (depth > DEEP || !*left || !--*left || dwarf_tag(type) != DW_TAG_structure_type)
		return ANY;
	if (is_end(type))
		return !end_of(t, at, type, &end, &of) ? ANY :
			end.kind == CTT_ON_ROOM ? ROOM : CHAN;
	if (is_receiver(type))
		return ROOM;
	if (die_variant(t, at, type, &member, &of, &fields_at))
		return has_at(t, fields_at, &of, word, depth + 1, left);
	if (dwarf_child(type, &m))
		return 0;
	do {
		if (dwarf_tag(&m) == DW_TAG_variant_part)
			return ANY;
		if (dwarf_tag(&m) != DW_TAG_member || !die_type(&m, &of))
			continue;
		from = at + die_number(&m, DW_AT_data_member_location, 0);
		if (word + 8 > from && word < from + die_size(&of))
			has |= has_at(t, from, &of, word, depth + 1, left);
	} while (!dwarf_siblingof(&m, &m));
	return has;
}

/* ---- who refers to what ---- */

/* The number of the allocation that begins there, new or not; UINT64_MAX: there are too many. */
static uint64_t node_at(struct graph *g, uint64_t start)
{
	size_t number = (size_t)(uintptr_t)hash_find(&g->by_start, start);
	uint64_t size = 8;

	if (number)
		return number - 1;
	if (g->nodes == MOST_NODES)
		return UINT64_MAX;
	heap_chunk(start, &size);
	*ADD(g->node, g->nodes, g->node_room) = (struct node){ .start = start,
		.end = start + size };
	hash_add(&g->by_start, start, (void *)(uintptr_t)g->nodes);
	return g->nodes - 1;
}

static void add_edge(struct graph *g, struct edge e)
{
	if (e.from == UINT64_MAX || g->edges == MOST_EDGES)
		g->node[e.to].open = ANY;
	else
		*ADD(g->edge, g->edges, g->edge_room) = e;
}

static const struct level *level_at(const struct graph *g, uint64_t word)
{
	const struct level *l = last_up_to(g->level, g->levels, sizeof(*g->level), word);

	return l && word < l->end ? l : NULL;
}

/* Who runs may have what its type did not have when it last waited. */
static bool runs(const struct graph *g, uint64_t task)
{
	const struct task *t = hash_find(&g->tasks, task);

	return t && t->state == TASK_RUNS;
}

/* A word in memory that leads into it. */
static void refer(struct graph *g, const struct level *l, uint64_t at)
{
	const struct future *f = future_at(at);
	const struct cell *c = f ? NULL : cell_in(&cells, at);
	uint64_t size = 8, start;
	size_t left = MOST_PARTS;
	unsigned has;

	if (f) {
		Dwarf_Die type = f->type;

		has = has_at(g->t, f->start, &type, at, 0, &left);
		has = f->task && runs(g, f->task) ? ANY : has;
		if (has && f->task)
			add_edge(g, (struct edge){ 0, l->node, 0, f->task,
				g->deep || has_permit(f->task, l->start) ? ANY : has });
		if (!has || f->task)
			return;
	}
	if (c)	/* around a future: other tasks, and wakers, which may be the program's own */
		add_edge(g, (struct edge){ 0, l->node, 0, c->start, ANY });
	if (c || (at >= l->start && at < l->end) || on_stack(g->t, at) ||
		is_void(at) || heap_chunk(at, &size) == CHUNK_FREE)
		return;
	start = heap_start(at);
	if (start)
		add_edge(g, (struct edge){ 0, l->node, node_at(g, start), 0, ANY });
}

static void refer_memory(struct graph *g)
{
	uint64_t low = g->level[0].start, high = g->level[g->levels - 1].end;

	for (size_t i = 0; i < g->t->runs; i++) {
		const struct run *r = &g->t->run[i];
		const uint64_t *w = (const void *)r->copy;
		size_t words = r->writable ? (r->end - r->start) / 8 : 0;

		for (size_t n = 0; n < words; n++) {
			const struct level *l =
				w[n] >= low && w[n] < high ? level_at(g, w[n]) : NULL;

			if (l)
				refer(g, l, r->start + n * 8);
		}
	}
}

static void sort(void *item, size_t count, size_t size)
{
	if (count)
		qsort(item, count, size, by_number);
}

/* The allocations that were found last. */
static void set_level(struct graph *g)
{
	free(g->level);
	g->levels = g->nodes - g->first;
	g->level = need(calloc(g->levels + 1, sizeof(*g->level)));
	for (size_t i = 0; i < g->levels; i++)
		g->level[i] = (struct level){ g->node[g->first + i].start,
			g->node[g->first + i].end, g->first + i };
	g->first = g->nodes;
	sort(g->level, g->levels, sizeof(*g->level));
}

static void find_edges(struct graph *g)
{
	for (int i = 0; i < LEVELS && g->first < g->nodes; i++) {
		set_level(g);
		refer_memory(g);
		g->deep = true;
	}
}

/* ---- what follows ---- */

/* Is what it waits for brought about by tasks, as far as it is known? */
static bool is_inner(const struct wait_on *on)
{
	return on->known && (on->kind == CTT_ON_MUTEX || on->kind == CTT_ON_CHAN ||
		on->kind == CTT_ON_ROOM || on->kind == CTT_ON_COND || on->kind == CTT_ON_JOIN);
}

static bool goes_on(const struct task *t)
{
	size_t inner = 0;

	if (t->state != TASK_WAITS || !t->legs)
		return t->state != TASK_WAITS || !is_inner(&t->on);
	for (size_t i = 0; i < t->legs; i++)
		inner += is_inner(&t->leg[i].on);
	return t->all ? !inner : inner != t->legs;
}

/* In order of where they lead to, or of where they come from. */
static void sort_edges(struct graph *g, bool by_to)
{
	for (size_t i = 0; i < g->edges; i++) {
		struct edge *e = &g->edge[i];

		e->key = by_to ? e->to : e->task ? UINT64_MAX : e->from;
	}
	sort(g->edge, g->edges, sizeof(*g->edge));
}

static void set_open(struct graph *g, uint64_t node, unsigned open)
{
	if (open & ~g->node[node].open)
		g->list[g->list_count++] = node;
	g->node[node].open |= open;
}

/* Who comes to one comes to all that this leads to. */
static void spread(struct graph *g)
{
	g->list_count = 0;
	for (size_t i = 0; i < g->nodes; i++)
		if (g->node[i].open)
			g->list[g->list_count++] = i;
	for (size_t i = 0; i < g->edges; i++) {
		const struct edge *e = &g->edge[i];
		const struct task *t = e->task ? hash_find(&g->tasks, e->task) : NULL;

		if (e->task && (!t || goes_on(t)))
			set_open(g, e->to, e->has);
	}
	while (g->list_count) {
		uint64_t from = g->list[--g->list_count];
		size_t i = first_from(g->edge, g->edges, sizeof(*g->edge), from);

		for (; i < g->edges && g->edge[i].key == from; i++)
			set_open(g, g->edge[i].to, ANY);
	}
}

static bool is_on(const struct wait_on *a, const struct wait_on *b)
{
	return a->known && a->kind == b->kind && a->value == b->value;
}

static bool waits_for(const struct task *t, const struct wait_on *on)
{
	for (size_t i = 0; t && i < t->legs; i++)
		if (is_on(&t->leg[i].on, on))
			return true;
	return t && is_on(&t->on, on);
}

static unsigned part_of(const struct wait_on *on)
{
	return on->kind == CTT_ON_CHAN ? CHAN : on->kind == CTT_ON_ROOM ? ROOM : ANY;
}

/* By that it has it itself. Who waits at a channel refers to it by that. */
static bool has_it(const struct graph *g, const struct edge *e, const struct thing *of)
{
	unsigned part = part_of(&of->on);

	if (e->to != of->node || part == ANY)
		return true;
	return e->has & part &&
		!(e->has == ANY && waits_for(hash_find(&g->tasks, e->task), &of->on));
}

static size_t add_task(uint64_t *task, size_t count, uint64_t id)
{
	for (size_t i = 0; i < count && i < MOST_TASKS; i++)
		if (task[i] == id)
			return count;
	if (count < MOST_TASKS)
		task[count] = id;
	return count + 1;
}

/* The tasks that come to it, each once; more than MOST_TASKS: too many. */
static size_t tasks_of(struct graph *g, const struct thing *of, uint64_t *task)
{
	size_t count = 0;

	g->asked++;
	g->node[of->node].seen = g->asked;
	g->list[0] = of->node;
	g->list_count = 1;
	while (g->list_count && count <= MOST_TASKS) {
		uint64_t at = g->list[--g->list_count];
		size_t i = first_from(g->edge, g->edges, sizeof(*g->edge), at);

		for (; i < g->edges && g->edge[i].key == at && count <= MOST_TASKS; i++) {
			const struct edge *e = &g->edge[i];

			if (e->task) {
				if (has_it(g, e, of))
					count = add_task(task, count, e->task);
			} else if (g->node[e->from].seen != g->asked) {
				g->node[e->from].seen = g->asked;
				g->list[g->list_count++] = e->from;
			}
		}
	}
	return count;
}

/* ---- what is asked for ---- */

/* Of a thing that somebody waits for, and of which no line says who has it. */
static void ask(struct graph *g, struct hash *known, const struct wait_on *on)
{
	const struct future *f = future_at(on->value);
	uint64_t start, node, key = on->value ^ on->kind;

	if (!on->known || hash_find(known, key) ||
		(on->kind != CTT_ON_CHAN && on->kind != CTT_ON_ROOM && on->kind != CTT_ON_COND))
		return;
	hash_add(known, key, known);
	start = f && f->task ? 0 : heap_start(on->value);
	node = start ? node_at(g, start) : UINT64_MAX;
	if (node != UINT64_MAX)
		*ADD(g->thing, g->things, g->thing_room) = (struct thing){ node, *on };
}

static void ask_all(struct graph *g, const struct snapshot *s)
{
	struct hash known = { .slot = NULL };

	for (size_t i = 0; i < s->holds; i++)
		hash_add(&known, s->hold[i].on.value ^ s->hold[i].on.kind, g);
	for (size_t i = 0; i < s->tasks; i++) {
		const struct task *t = &s->task[i];

		if (t->state != TASK_WAITS)
			continue;
		ask(g, &known, &t->on);
		for (size_t k = 0; k < t->legs; k++)
			ask(g, &known, &t->leg[k].on);
	}
	hash_free(&known);
}

static void report(struct snapshot *s, struct graph *g, const struct thing *thing)
{
	uint64_t task[MOST_TASKS];
	size_t count;

	if (g->node[thing->node].open & part_of(&thing->on))
		return;
	count = tasks_of(g, thing, task);
	for (size_t i = 0; i < count && count <= MOST_TASKS; i++)
		snap_hold(s, (struct hold){ task[i], thing->on, true });
}

static void graph_free(struct graph *g)
{
	free(g->node);
	free(g->edge);
	free(g->level);
	free(g->thing);
	free(g->list);
	hash_free(&g->by_start);
	hash_free(&g->tasks);
}

static void sort_all(void)
{
	sort(futures, future_count, sizeof(*futures));
	sort(permits, permit_count, sizeof(*permits));
	sort(cells.item, cells.count, sizeof(*cells.item));
	sort(blocks.item, blocks.count, sizeof(*blocks.item));
	sort(written.item, written.count, sizeof(*written.item));
}

void reach_report(struct snapshot *s)
{
	struct graph g = { .t = s->target };

	if (s->target->moving)
		return;
	sort_all();
	ask_all(&g, s);
	for (size_t i = 0; i < s->tasks; i++)
		hash_add(&g.tasks, s->task[i].addr, &s->task[i]);
	find_edges(&g);
	g.list = need(calloc(3 * g.nodes + 1, sizeof(*g.list)));
	sort_edges(&g, false);
	spread(&g);
	sort_edges(&g, true);
	for (size_t i = 0; i < g.things; i++)
		report(s, &g, &g.thing[i]);
	graph_free(&g);
}
