/* wait-graph.h - the wait-for graph, for the search for deadlocks. Inside the library only. */
#ifndef JUDGE_WAIT_GRAPH_H
#define JUDGE_WAIT_GRAPH_H

#include "judge/judge.h"

#define EVIDENCE(v) ((struct evidence *)((char *)(v) - offsetof(struct evidence, vertex)))
#define OBJECT(v) ((struct object *)((char *)(v) - offsetof(struct object, vertex)))

static inline struct vertex *vertex_of(struct ctt_coro *c)
{
	return c ? &((struct evidence *)c->evidence)->vertex : NULL;
}

/* The lock that c waits for, at o; NULL: others than its holders could wake c. */
struct object *graph_lock_at(const struct ctt_coro *, struct object *);
struct object *graph_lock(const struct ctt_coro *);
/* The coroutine that alone could, as its end is awaited there. */
struct ctt_coro *graph_awaited_at(const struct ctt_judge *, const struct object *);
struct ctt_coro *graph_awaited(const struct ctt_judge *, const struct ctt_coro *);
/* Something else may wake it, nobody knows what. */
bool graph_leg_unknown(const struct ctt_coro *, uint32_t leg);
/* Leave `stuck` those alone who wait only for others that are. */
void graph_find_stuck(struct ctt_judge *);
/* Where that leg of one that is stuck leads; NULL: it may come yet, or is gone. */
struct vertex *graph_leg_edge(struct ctt_judge *, const struct leg *);
/* Where it leads next; NULL: it has led everywhere. */
struct vertex *graph_next_edge(struct ctt_judge *, struct vertex *, bool first);
#endif
