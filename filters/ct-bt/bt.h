/* bt.h - what ct-bt is made of: who awaits whom (forest.c), how one line of it reads (print.c), the
 * threads
 * (threads.c), call stacks (frames.c). */
#ifndef BT_H
#define BT_H

#include "cttrace.h"

struct node {			/* a live coroutine */
	struct ctt_coro *c;
	/* the one it waits on by coro: or join:, if that lives; every node has one at most */
	struct node *awaits;
	/* the first that waits on it, rather one from outside its cycle; NULL: a root. Following it
	 * always ends: a cycle that nobody else awaits is cut at its lowest id */
	struct node *awaiter;
	/* the tree: up is the awaiter, else the live creator; kids and roots in order of id */
	struct node *up, *kids, *next;
	uint64_t shape;		/* equal for equal subtrees */
	uint64_t oldest;	/* least `since` of those folded into this one, itself included */
	size_t count;		/* how many those are; 0: folded into another */
	size_t walk;		/* which search came by; 0: none */
	bool cycle;		/* waits, through others, on itself */
	bool wanted;		/* at or above one that was asked for */
	bool shown;
};

struct forest {
	struct node *node;	/* in order of id */
	size_t count;
	struct node *roots;	/* of the tree */
};

/* All in time and memory linear in the live coroutines, without recursion; no ctt_model_apply until
 * forest_free. */
void forest_build(struct forest *, struct ctt_model *);	/* awaits, awaiter, cycle */
void forest_tree(struct forest *);			/* up, kids, next, roots */
/* shape, oldest, count: equal siblings become one; after `wanted` */
void forest_fold(struct forest *);
void forest_free(struct forest *);

struct view {			/* of one run */
	struct ctt_model *model;
	uint64_t now;
	uint32_t run;		/* from 1; 0 = the only one */
	bool json, tree;
	bool frames;		/* of call stacks, all frames */
};
/* Shared by the two. */
static inline uint64_t age_of(const struct view *v, uint64_t since)
{
	return v->now > since ? v->now - since : 0;
}
/* Is its site one where it suspended, and not the one that created it? */
static inline bool ran_before(const struct ctt_coro *c)
{
	return !c->has_n || c->order > 2;
}
void key_json(const char *key, const char *value);	/* ,"KEY":"VALUE"; nothing for NULL */
void end_json(const struct view *);
/* The threads, with what runs on them. */
void print_workers(const struct view *, const struct forest *);
/* One coroutine at that depth below `task`. */
void print_node(const struct view *, const struct node *, size_t depth, uint64_t task);
/* A node that is shown elsewhere: why its chain ends here. Nothing in JSON, where `awaits` says
 * it. */
void print_again(const struct view *, const struct node *from, const struct node *to, size_t depth);
/* A line a frame, the outermost first; without those of libraries, runtimes and the probe where any
 * other is there. */
void stack_text(const struct view *, const struct ctt_stack *, size_t indent);
/* ,"KEY":[...], all frames, the innermost first; nothing for NULL. */
void stack_json(const struct view *, const char *key, const struct ctt_stack *);
#endif
