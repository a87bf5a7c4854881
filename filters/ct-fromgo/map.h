/* map.h - events of Go as lines of ours (map.c, identity.c, note.c, state.c, sites.c,
 * goroutines.c). */
#ifndef CT_FROMGO_MAP_H
#define CT_FROMGO_MAP_H

#include "order.h"

enum go_wait { /* what is waited on, by a reason of Go or by the frames */
	W_UNSEEN,
	W_NONE,
	W_CHAN_RECV,
	W_CHAN_SEND,
	W_SELECT,
	W_SYNC,
	W_SEM,
	W_MUTEX,
	W_JOIN,
	W_COND,
	W_NETWORK,
	W_SLEEP,
	W_FOREVER,
	W_RUNTIME,
	W_PREEMPTED,
	W_SYNCTEST,
	W_KINDS
};
const char *go_wait_on(enum go_wait);		/* "chan:"; NULL = nothing to say */
enum go_wait go_wait_of(struct ctt_text reason);

struct go_sites;
struct go_sites *sites_new(void);
void sites_free(struct go_sites *);
/* Have its site and stack lines printed; NULL where there are no frames. */
void sites_resolve(struct go_sites *, struct go_file *, struct go_stack *);
static inline struct go_stack *sites_stack(
	struct go_sites *s, struct go_file *f, struct go_stack *t)
{
	if (!t || t->number)
		return t;
	if (!t->frames)
		return NULL;
	sites_resolve(s, f, t);
	return t;
}
uint64_t sites_count(const struct go_sites *);	/* whose line is printed */
struct ctt_text sites_name(const struct go_sites *, uint32_t name);
extern const struct go_stack sites_none;	/* for lines with none */

enum go_syscalls { SYSCALLS_NONE, SYSCALLS_BLOCKING, SYSCALLS_ALL };
struct go_map {
	struct go_file *f;
	struct go_sites *sites;
	enum go_syscalls syscalls;
	/* ns: given times rise strictly; how far the last generation saw time come */
	uint64_t last, end, first_gen;
	struct buf tails;	/* of this generation's stacks */
	/* lines as an end line counts them; goroutines under a borrowed id */
	uint64_t events, lives;
	uint64_t threads;		/* whose line is printed */
	struct hash used;	/* goids that come and go: of callbacks from C */
	struct hash started;	/* in the first generation: those whose state was reported */
};
/* What happened at `ts`, as lines. False: f->why, that it contradicts a line which stands
 * already. */
bool map_event(
	struct go_map *, struct go_order *, const struct go_event *, struct go_ctx *, uint64_t ts);
/* The next time to print for something that happened at `t`. */
static inline uint64_t map_tick(struct go_map *m, uint64_t t)
{
	return m->last = t > m->last ? t : m->last + 1;
}
void map_free(struct go_map *);
void map_meta(struct go_map *);
void map_sync(struct go_map *, uint64_t ts);
/* The state of all that was there before the first generation, as of its start. */
void map_states(struct go_map *, struct go_order *, uint64_t ts);
/* Its status comes in its place: it takes over what its state line, if there is one, said. */
void map_started(struct go_map *, struct go_g *);
void map_note(struct go_map *, struct go_order *, const struct go_event *, const struct go_ctx *,
	uint64_t ts);
void map_syscall(struct go_map *, struct go_g *);	/* report the system call that it is in */
/* the end: what still is in a system call */
void map_pending(struct go_map *, struct go_order *);
void map_end(struct go_map *);
void map_lost(struct go_map *, uint64_t count);
/* The first mention of a thread is a line. */
void map_thread(struct go_map *, struct go_m *, uint64_t ts);
/* Its name line, where `entry` reports its name. */
void map_name(struct go_map *, struct go_g *, const struct go_m *, uint64_t ts, uint32_t entry);
/* Its stack, NULL where there are no frames; a goroutine's own shows what it was begun with. */
static inline struct go_stack *map_own_stack(
	struct go_map *map, struct go_g *g, const struct go_m *m, uint64_t ts, struct go_stack *s)
{
	s = sites_stack(map->sites, map->f, s);
	if (s && !g->named)
		map_name(map, g, m, ts, s->entry);
	return s;
}
void map_name_line(struct go_map *, const struct go_g *, const struct go_m *, uint64_t ts,
	struct ctt_text name);
/* the runtime's own, by the function that it began with? */
bool map_is_system(struct ctt_text name);
void map_identify(struct go_map *, struct go_g *);	/* its probe_id */
/* The end of the suspend line of `ev`, a block or stop. */
char *map_tail(struct go_map *, const struct go_event *ev, struct go_stack *, char *p);

/* Dumps of goroutines (goroutines.c), by goroutine. */
/* false: it is none, and why */
bool goroutines_read(struct hash *, const char *name, const char **why);
/* The end: what a dump reports those that wait, as their closing state. */
void goroutines_join(struct go_map *, struct go_order *, const struct hash *);
void goroutines_free(struct hash *);
extern const struct go_m map_nobody;			/* the thread of what happens on none */

#endif
