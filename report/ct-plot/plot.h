/* plot.h - what ct-plot is made of: an axis of time buckets (axis), what a trace puts into them
 * (gather), the gnuplot program (write, data, text), and gnuplot itself (run). What a coroutine did
 * from when to when is ct-sched's to report.
 *
 * Memory does not grow with events: there are BUCKETS buckets, and when time outgrows them each two
 * become one. */
#ifndef PLOT_H
#define PLOT_H

#include "fold/hist.h"
#include "fold/spans.h"

enum kind { STATES, THROUGHPUT, WAITS, DELAY, HEATMAP, QUEUES, KINDS };
extern const char *const kind_names[KINDS];

/* ---- axis.c ---- */

enum { BUCKETS = 512 };

struct axis {
	/* ns; of the first bucket, of each. width 0: no time seen yet */
	uint64_t start, width;
	uint64_t end;			/* the latest time seen, or the one asked for */
	uint64_t from, to;		/* only what lies between them; 0, UINT64_MAX: all */
};

/* How much of something there was: ns times number in each bucket. Whole buckets are kept as steps,
 * so that an interval costs two additions however long it is. */
struct area {
	double part[BUCKETS];
	int64_t step[BUCKETS + 1];
};
/* The bucket of a time; false: outside what is drawn. axis_fit must have been called. */
bool axis_bucket(const struct axis *, uint64_t ts, size_t *bucket);
/* Does the axis reach to ts? If not, the owner halves all it keeps (the *_halve) and doubles
 * `width`. Begins the axis. */
bool axis_fits(struct axis *, uint64_t ts);
size_t axis_used(const struct axis *);	/* buckets up to `end`, at least 1 */
void area_add(const struct axis *, struct area *, uint64_t from, uint64_t to);
void area_halve(struct area *, uint64_t width);
/* The mean over each used bucket. */
void area_means(const struct axis *, const struct area *, double mean[BUCKETS]);
void counts_halve(uint64_t counts[BUCKETS]);

/* ---- gather.c ---- */

enum { MAX_ROWS = 256, MAX_LEVELS = 256 };

enum rate { RESUMES, WAKES, CREATES, ENDS, RATES };
struct site_waits { struct pair site; struct hist h; uint64_t pending, oldest; };
struct row { uint64_t tid; struct area busy; };
/* The length of a queue, as `level` lines report it. -1: nothing was reported in that bucket. */
struct level {
	enum ctt_on_kind kind;
	uint64_t key;
	char *label;
	uint64_t max;
	double highest[BUCKETS], last[BUCKETS];
};

struct plot {
	enum kind kind;
	struct spans spans;
	struct axis axis;
	struct area state[DOINGS];		/* STATES; QUEUES: that of RUNNABLE */
	uint64_t rate[RATES][BUCKETS];		/* THROUGHPUT */
	struct table waits;			/* WAITS: struct site_waits */
	struct hist delay[BUCKETS];		/* DELAY */
	struct row *row[MAX_ROWS];		/* HEATMAP */
	struct level *level[MAX_LEVELS];	/* QUEUES */
	struct level depth;			/* as parking and unparking workers report it */
	size_t rows, levels;
	uint64_t rows_left, levels_left;	/* lines of those for which there was no room */
	uint64_t lost[BUCKETS];			/* not 0: events were lost there */
	uint64_t events, coroutines, seen;	/* seen: of what the kind draws */
};
struct plot *plot_new(enum kind, uint64_t from, uint64_t to);
void plot_apply(struct plot *, const struct ctt_event *);
/* What still lasts, lasts to the end, as far as that is known. */
void plot_end(struct plot *, const struct ctt_trace_run *);
void plot_coarsen(struct plot *, size_t buckets);	/* so many at most */
void plot_free(struct plot *);
void hist_merge(struct hist *to, struct hist *from);	/* `from` is empty afterwards */

/* ---- text.c ---- */

/* A gnuplot string that is that text and nothing else. */
void plot_string(FILE *, const char *s, size_t longest);
void plot_tic(FILE *, const char *s, size_t longest);	/* as the label of a tic */

/* ---- write.c, data.c ---- */

enum term { SVG, PNG, PDF, ANSI };
/* The whole program to `out`. `source` names the trace. */
void plot_write(
	FILE *out, struct plot *, enum term, const char *source, const struct ctt_trace_run *);
/* Blocks and arrays that the kind's program reads; see share/gnuplot. `unit` ns are one on the x
 * axis. */
void plot_data(FILE *, struct plot *, double unit);

/* ---- run.c ---- */

/* Run gnuplot on a program; what it writes goes to `file`, or stdout where NULL. A message on
 * stderr and false where gnuplot is not there, fails, or the file cannot be written; it is removed
 * then. */
bool plot_run(FILE *program, const char *file);

#endif
