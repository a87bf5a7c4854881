/* lint.h - what ct-lint is made of: findings by site (groups.c), growth by spawn site
 * (growth.c). */
#ifndef LINT_H
#define LINT_H

#include "base/hash.h"
#include "base/mem.h"
#include "cttrace.h"

enum lint {
	SELF_WAKES,
	NEVER_YIELDED,
	LONG_POLL,
	RESUMED_TWICE,
	DESTROYED,
	GROWTH,
	FOREVER,
	WOKEN_LATE,
	PINNED,
	LINTS
};
/* "self-wakes,growth" as bits; 0 where a name is unknown or none is there. */
unsigned lints_parse(const char *);

struct groups {
	struct group {		/* one lint at one site; from `worst` on it is of its worst case */
		enum lint lint;
		uint64_t site, count;
		uint64_t woken;		/* destroyed although a wake was under way */
		/* ns; or own wakes and of how many; or live now and at first */
		uint64_t worst, of;
		uint64_t id, tid, from_line, line;
		char *name;		/* NULL: none reported */
	} *group;
	size_t count, size;
	/* by lint and site: index + 1; until groups_print sorts them */
	struct hash at;
};
/* made when not there; valid until the next call */
struct group *group_of(struct groups *, enum lint, uint64_t site);
/* One case more, at the site of the coroutine. True when it is the worst so far: *g is its
 * group. */
bool groups_note(struct groups *, enum lint, const struct ctt_coro *, uint64_t worst,
	uint64_t from_line, uint64_t line, struct group **g);
/* Print those at a wanted site, in order of lint and count; `doubt`: events are missing, which
 * could make some of them. `run` from 1, 0 = the only one. Adds to *sure and *unsure how many. */
void groups_print(struct groups *, const struct ctt_model *, const struct ctt_common *, bool doubt,
	uint32_t run, size_t *sure, size_t *unsure);
void groups_free(struct groups *);

/* Coroutines that ended, to know who is woken too late. Begins as zero. */
struct late { struct ended *ended; };
void late_end(struct late *, const struct ctt_coro *, const struct ctt_event *);
/* Of a wake whose coroutine does not live: the line that ended it, and how long before; 0: it is not
 * known to have ended. */
uint64_t late_wake(const struct late *, const struct ctt_event *, uint64_t *after);
void late_free(struct late *);

enum { GROWTH_WINDOWS = 16 };

/* Live coroutines by the site that creates them, as the least number alive in each of up to 16
 * windows of equal length, which double in length as the run goes on: memory by site, whatever the
 * length of the run. Begins as zero. */
struct growth {
	struct grower {
		/* line, probe_id: of the latest created */
		uint64_t site, live, ended, line, probe_id;
		uint64_t least[GROWTH_WINDOWS];
		/* windows: of the first create, the latest event, the latest create */
		unsigned first, at, created;
	} *grower;
	size_t count, size;
	struct hash at;			/* by site: index + 1 */
	uint64_t start, width;
};
void growth_create(struct growth *, const struct ctt_event *);
void growth_end(struct growth *, uint64_t site, uint64_t ts);
/* Did the number rise in three of four windows, by `least_rise` or more in all, and never fall up
 * to `now`? Then *from is where it began. */
bool growth_grew(
	struct growth *, struct grower *, uint64_t now, uint64_t least_rise, uint64_t *from);
void growth_free(struct growth *);
#endif
