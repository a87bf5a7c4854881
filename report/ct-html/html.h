/* html.h - what ct-html keeps of a run in bounded memory, and how it packs that for the page.
 *
 * Three grains. Exact: the last `detail` stretches of state and marks of the run, and up to HISTORY
 * older ones of each coroutine that still lives. Summed up: lanes of cells over all of the run,
 * whose width doubles when they are full. Counted: the waits, delays and runs of each site.
 * Memory: fixed, plus live coroutines, sites and threads.
 */
#ifndef HTML_H
#define HTML_H

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/table.h"
#include "cttrace.h"
#include "fold/spans.h"

#define NAME "ct-html"

enum {
	FINE_RUNS = 32,
	COARSE = 6,
	HISTORY_LOG = 6,
	HISTORY = 1 << HISTORY_LOG,
	SERIES_CELLS = 2048,
	WORKER_CELLS = 1 << 18,
	WORKER_LANES = 512,
	SITE_CELLS = 512,
	FINE_SITES = 1024,
	TEXTS_MOST = 1 << 16,
	TEXT_CUT = 200,
	LEGS_SHOWN = 64,
	RECS_SHOWN = 200000,
	FINDINGS_SHOWN = 3000,
	BAD_TOLD = 50,
	GAPS = 256
};

/* ---- levels over time (lanes.c) ---- */

enum { CHANNELS = 8 };
/* `net` more are in it at the cell's end than at its beginning; `area`: time that these spent in
 * it, in ns. A channel that only counts has its count in `net`. */
struct cell { int64_t net; double area; };
/* width: 1 << shift */
struct lane {
	int64_t base;
	uint64_t width;
	unsigned shift;
	uint32_t cells, channels;
	uint32_t used;			/* behind these all cells are empty */
	struct cell *cell;
};
void lane_init(struct lane *, uint32_t cells, uint32_t channels);
/* Beyond 73 years from the start nothing needs to be distinguished; it keeps sums from overflowing.
 * at: ns since the run's start, no further than that, either way */
#define TIME_FAR (INT64_MAX / 4)
void lane_add(struct lane *, int64_t at, uint32_t channel, int by);
void lane_count(struct lane *, int64_t at, uint32_t channel, uint64_t n);
/* make it cover that time */
void lane_reach(struct lane *, int64_t at);
/* cells that begin before `end` */
uint32_t lane_used(const struct lane *, int64_t end);
/* Mean level of a channel in each of the first n cells, up to `end`. */
void lane_levels(const struct lane *, uint32_t channel, int64_t end, uint32_t n, float *out);

/* ---- distributions and sites (sites.c) ---- */

enum { STEPS = 160 };			/* four to an octave, up to 2^40 ns */
struct spread { uint64_t count, sum, max, max_at, max_id; uint32_t step[STEPS]; };
void spread_add(struct spread *, uint64_t ns, uint64_t at, uint64_t id);
/* upper edge of its step, at most max */
uint64_t spread_quantile(const struct spread *, unsigned permille);

enum { WAKERS = 4 };
struct site {
	uint64_t number;		/* of the trace */
	uint32_t index;
	uint64_t suspends, now;		/* now: who are here at the end */
	/* suspend to wake or resume; wake to resume; resume to suspend */
	struct spread wait, delay, run;
	struct lane lane;		/* suspended or runnable here; cells NULL until one is */
	/* the most frequent, by site and thread */
	struct { uint64_t site, tid, by, count; } waker[WAKERS];
	uint64_t wakes;
};
void site_wake(struct site *, uint64_t site, uint64_t tid, uint64_t by);

/* ---- items (run.c, coros.c, things.c, tail.c) ---- */

enum item_kind {			/* 0 to 3 are those of enum ctt_coro_state */
	IT_CREATED, IT_RUNNING, IT_SUSPENDED, IT_RUNNABLE, IT_PARKED = 5,
	IT_WAKE = 8, IT_OPEN, IT_CLOSE, IT_NOTIFY, IT_LEVEL, IT_ACQUIRE, IT_RELEASE
};
/* value: its number, or of run->texts */
struct __attribute__((packed)) thing { uint64_t value; uint8_t kind; bool known, number; };
/* A stretch of state, or a mark (start == end). They are many, and lie in memory as they come: each
 * is a cache line. */
struct item {
	/* whom it is about; of marks but wakes who did it; NULL = none */
	struct rec *rec;
	int64_t start, end;		/* ns since the run's start */
	uint64_t line : 48;		/* of the event at its start */
	uint64_t kind : 8;
	uint64_t torn : 1;		/* events of its own are missing in it */
	uint64_t tid, by;		/* by: wakes */
	struct thing on;
	uint32_t site;			/* of run->sites */
};
_Static_assert(sizeof(struct item) == 64, "an item is a cache line");
enum { IN_UNKNOWN = 4 };		/* events of its own are missing in it */
struct rec {				/* a coroutine that lives, or that items are about */
	uint64_t id, first_ts;
	struct ctt_coro *coro;		/* once all is read: of one that lives; else NULL */
	struct item *history;		/* what has left the tail, while it lives: a ring */
	uint32_t held, room, next;
	uint32_t refs;			/* items of the tail */
	uint64_t older;			/* items that have left the history, too */
	bool lives, done_known, done, v1, system;
	bool gone;			/* ended in a line that is missing, `ended` at the latest */
	uint64_t runs, wakes, in[5];	/* ns in each state, and in IN_UNKNOWN */
	/* Up to here is what most lines touch. */
	struct item now;		/* what it does at the end, if it lives */
	uint64_t parent, last_line;
	int64_t created, ended;		/* INT64_MIN: not seen */
	char *name;			/* of one that has ended */
	uint32_t index, finding;	/* in the page; group + 1 */
	uint32_t spawn;			/* site */
};
/* fact.line 0: none */
struct object { uint8_t kind; uint64_t key, pid; struct ctt_fact held, last, closed; };
enum { OBJECTS = 1 << 12 };		/* recently used ones, newest of each hash */

struct gap { int64_t from, to; uint64_t count; };
struct bad { uint64_t line; char why[120]; };

struct run {
	struct ctt_judge *judge;
	struct spans spans;		/* what its coroutines do: coros.c */
	bool began;
	uint64_t start;			/* first time seen: 0 of all item and lane times */
	struct hash recs;		/* by id */
	struct pool rec_pool, histories[HISTORY_LOG + 1];	/* of 1 << i items */
	struct keyed sites, workers;	/* struct site, struct worker_lane */
	struct hash texts;		/* by ctt_on_key: numbers of `text` */
	char **text;			/* from 1 */
	size_t text_count, text_room;
	struct lane series;		/* S_* */
	struct item *tail;		/* a ring once it holds `detail` of them */
	/* how often its cells are halved: a file may hold runs by the ten thousand */
	unsigned coarse;
	size_t detail, tail_room, tail_used, tail_next;
	uint64_t dropped;		/* items that left it */
	int64_t exact_from;		/* all that ended later is there */
	struct object *object;
	struct gap gap[GAPS];
	uint32_t gaps;
	uint64_t counts[CTT_EV_KINDS], bad_count;
	struct bad bad[BAD_TOLD];
	char *meta_line, *exit_line, *source;	/* source: the file it began in */
	bool note_bad;			/* a bad line was met after its last good one */
};
enum { S_EVENTS = 4, S_WAKES, S_BEGUN, S_ENDED };	/* channels 0 to 3: states */
enum { W_RUNNING, W_PARKED, W_RUNS };			/* channels of a worker's lane */
/* no cells: one too many */
struct worker_lane { uint64_t tid, line; int64_t since; bool met, parked; struct lane lane; };

/* things.c */
int64_t run_time(const struct run *, uint64_t ts);
struct lane *site_lane(const struct run *, struct site *);	/* sites.c */
struct site *run_site(struct run *, uint64_t site);	/* made when not there */
static inline struct site *run_site_at(const struct run *r, size_t i)
{
	return r->sites.item[i];
}
struct thing run_thing(struct run *, const struct ctt_on *);
/* of several things the kind alone: page_json has those of the living */
struct thing run_wait(struct run *, const struct ctt_coro *);
char *text_cut(struct ctt_text);			/* as the page shows it; to be freed */

/* The judge is the caller's; number from 0: from FINE_RUNS on, charts are coarse by COARSE
 * halvings. */
void run_begin(struct run *, struct ctt_judge *, size_t detail, uint32_t number);
/* An event that the judge applies in between. The first returns what the second takes. */
struct ctt_coro *run_before(struct run *, const struct ctt_event *);
void run_after(struct run *, const struct ctt_event *, struct ctt_coro *);
void run_bad(struct run *, const struct ctt_event *, const char *why);
void run_finish(struct run *, const struct ctt_trace_run *);	/* no more lines come */
void run_free(struct run *);
struct worker_lane *worker_lane(struct run *, uint64_t tid);	/* made when not there (lanes.c) */
void tail_push(struct run *, const struct item *);	/* tail.c */
/* bytes: the large are whole large pages */
static inline size_t tail_size(size_t room)
{
	size_t size = room * sizeof(struct item);

	return size < LARGE ? size : (size + LARGE - 1) / LARGE * LARGE;
}
/* What happened at one moment: a wake of x, or what x did to a thing; x may be NULL. */
void mark_push(struct run *, struct rec *x, const struct ctt_event *, enum item_kind);
void rec_free(struct run *, struct rec *);
void history_free(struct run *, struct rec *);
/* coros.c */
void coros_begin(struct run *);
/* NULL: none that lives */
void coro_line(struct run *, const struct ctt_event *, struct ctt_coro *);
void coros_finish(struct run *, bool whole);	/* whole: nothing is missing */
void objects_note(struct run *, const struct ctt_event *);	/* objects.c */
const struct object *object_of(const struct run *, const struct ctt_coro *);

/* ---- the page (pack.c, columns.c, json.c) ---- */

/* Columns and a JSON text, deflated, as base64. A column is a name, a type ("var": LEB128;
 * "signed": zigzag of it; "u8", "f32": as they are; "text": JSON strings' bytes apart by NUL) and
 * its values. */
enum { PACK_COLUMNS = 64 };
struct pack {
	struct buf b;
	struct { const char *name, *type; size_t from; } column[PACK_COLUMNS];
	unsigned columns;
};
struct pack *pack_new(void);
/* what follows goes there */
void pack_column(struct pack *, const char *name, const char *type);
static inline void pack_number(struct pack *p, uint64_t v)
{
	buf_room(&p->b, 10);
	for (; v > 127; v >>= 7)
		p->b.p[p->b.len++] = (char)(v | 128);
	p->b.p[p->b.len++] = (char)v;
}
static inline void pack_signed(struct pack *p, int64_t v)
{
	pack_number(p, v < 0 ? ~((uint64_t)v << 1) : (uint64_t)v << 1);
}
static inline void pack_byte(struct pack *p, uint8_t v)
{
	buf_byte(&p->b, (char)v);
}
void pack_float(struct pack *, float);
void pack_text(struct pack *, const char *);	/* up to its NUL, with it */
/* the columns, as a JSON array of [name, type, bytes] */
void pack_list(const struct pack *, FILE *);
void pack_write(struct pack *, FILE *out, const char *json, size_t len);	/* and frees it */

/* findings that say the same of one site */
struct group { const struct ctt_finding *first; uint32_t count; };
struct page {				/* of a run, while it is written */
	struct run *run;
	uint32_t number;		/* from 1 */
	const struct ctt_trace_run *facts;
	const char *doubt;
	const struct ctt_finding *finding;
	size_t findings, groups, recs, hidden, items;
	struct group *group;
	/* in the order of their index, from 1; the first stands for none */
	struct rec **rec;
	const struct item **item;	/* in the order of their coroutines, then of time */
	int64_t end;			/* T */
};
static inline uint32_t item_index(const struct item *it) { return it->rec ? it->rec->index : 0; }
void page_columns(struct page *, struct pack *);
/* How many things one that lives waits for, as the page shows them, if it does for several; else 0. */
size_t page_legs(const struct rec *);
void page_json(struct page *, const struct pack *, FILE *);
void page_write(struct page *, FILE *out, uint64_t grace);
/* As the value of an attribute of HTML. */
void page_attribute(FILE *, const char *);

/* ---- the lines around a suspension point (source.c) ---- */

/* Sources are looked for below this directory, and nowhere else; NULL: they are not. False: it is
 * no directory. */
bool source_below(const char *dir);
/* The lines around one of a file, as a member of a JSON object: ,"source":[first,"line",...]; or
 * nothing. */
void source_json(FILE *, const char *file, uint64_t line);
#endif
