/* fold.h - what ct-fold is made of: the await chains of a run as nodes of one tree (chain.c), and
 * their printing
 * (print.c). */
#ifndef FOLD_H
#define FOLD_H

#include "fold/spans.h"

struct frame { struct pair hash; char *text; };		/* text: harmless already */
/* frame: of its function, + 1; 0: not asked for yet */
struct site_frame { uint64_t site; uint32_t frame; };
/* key: its parent, its frame */
struct node { struct pair key; uint64_t ns; uint32_t depth; bool hit; };
/* key: nodes of the waiting and of its waker */
struct woken_stack { struct pair key; uint64_t ns; };

struct member {			/* c->span */
	struct woken woken;	/* its tag: the waker's node */
	/* the first that awaits it now, 0 = none: the chain goes through that one */
	uint64_t awaiter;
	uint64_t awaited;	/* the live one that it awaits */
	/* up to this time its wait was reported by the one that it awaited */
	uint64_t covered;
	uint64_t mark;
	uint32_t node, frame;	/* node: where `valid`, of its chain and itself */
	bool valid, cut;	/* cut: the least of a cycle, where its chain begins */
};

struct fold {			/* a run */
	struct spans spans;
	struct table frames, nodes, woken;	/* node 0 is the root */
	struct keyed sites;
	uint32_t kinds[CTT_ON_OTHER];	/* frame + 1 of each kind of waiting */
	uint64_t from, to, mark;
	struct ctt_coro **path;
	size_t path_size;
	uint32_t deeper, deepest;	/* the frame that stands for those beyond; 0 = no limit */
	bool names;		/* a coroutine's name before its function */
};
void fold_start(struct fold *);		/* spans.size and calls are the caller's */
void fold_free(struct fold *);
/* `;`, blanks and controls replaced */
uint32_t frame_of(struct fold *, const char *text, size_t len);
uint32_t child_of(struct fold *, uint32_t node, uint32_t frame);	/* whatever the depth */
/* The node of the coroutine below all that await it. All calls together take time in proportion to
 * the events and to the frames that changed. */
uint32_t chain_node(struct fold *, struct ctt_coro *);
/* A site line came: its function may be another. */
void chain_site(struct fold *, uint64_t site);
/* its frame is the function there, or its name */
void chain_name(struct fold *, struct ctt_coro *, uint64_t site);
void chain_wait(struct fold *, struct ctt_coro *);		/* it suspended just now */
void chain_leave(struct fold *, struct ctt_coro *);		/* it waits no longer */
void chain_end(struct fold *, struct ctt_coro *, uint64_t ts);	/* before it goes */
/* Is the time that it waits now reported by the one that it awaits? */
bool chain_covered(struct fold *, struct ctt_coro *);

/* Print all with time, in order of text; `run` from 1 is the root's name, 0: none. */
void fold_print(struct fold *, uint32_t run);
#endif
