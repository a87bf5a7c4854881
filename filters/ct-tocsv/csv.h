/* csv.h - what ct-tocsv is made of: cells (text.c), tables (event.c, life.c, fold.c), and where
 * rows go
 * (sheets.c): stdout, or a directory of parts (part.c). */
#ifndef CSV_H
#define CSV_H

#include "base/buf.h"
#include "fold/spans.h"

/* ---- cells ---- */

/* Quoted where RFC 4180 asks for it, and where it would read as a missing value. NULL: missing. */
void csv_text(struct buf *, const char *p, size_t len);
void csv_string(struct buf *, const char *);
void csv_wait(struct buf *, const struct ctt_coro *);
void csv_nonzero(struct buf *, uint64_t);	/* missing where it is 0 */

extern struct ctt_text csv_null;	/* how a missing value looks: --null, "" unless given */
extern const char *csv_run;	/* --run, or NULL */
/* What the run is called: its number from 1; or --run, whose second is ID-2. Valid until the next
 * call. */
const char *csv_run_name(uint32_t run);
void csv_run_cell(struct buf *, uint32_t run);

/* ---- tables ---- */

struct csv_row {		/* a row of one of them; what it does not need is NULL */
	uint32_t run;
	uint64_t time;		/* of an event, of an interval's end; 0 = it has none */
	/* events: it; coroutines: what ended it, NULL for one that lives on */
	const struct ctt_event *ev;
	const struct span *span; /* intervals */
	bool known;		/* intervals: false for a stretch with lines missing in it */
	const struct ctt_coro *c;	/* coroutines */
	const struct ctt_model *model;
	const struct csv_site *site; /* sites */
};

struct csv_table {
	const char *per, *name;	/* "event", "events" */
	const char *const *columns;	/* the first is the run */
	size_t count;
	bool timed;		/* its rows have times */
	/* Append one cell. A missing value appends nothing. */
	void (*cell)(struct buf *, const struct csv_row *, size_t column);
	/* Append a row of all columns, missing values empty, faster than by cells. False: it cannot
	 * for that row, and appended nothing. NULL: for none. */
	bool (*row)(struct buf *, const struct csv_row *);
};
extern const struct csv_table csv_events, csv_coroutines, csv_sites, csv_intervals;

struct csv_tally { uint64_t count, ns, max; };
/* the states of an interval, after those of `enum doing` */
enum { CSV_UNKNOWN = DOINGS, CSV_STATES };

struct csv_site { struct pair key; struct csv_tally in[CSV_STATES]; };	/* key.a: its site */
struct life {			/* c->span */
	struct woken woken;
	struct csv_tally in[CSV_STATES];
};

/* Fold events into coroutines, sites and intervals, one fold a run; rows go to csv_emit as they are
 * known. */
struct csv_fold;
struct csv_fold *csv_fold_new(uint32_t run);
void csv_fold_apply(struct csv_fold *, const struct ctt_event *);
/* The end: what is open, the live coroutines, the sites. Frees it. `quiet`: nothing on stderr. */
void csv_fold_finish(struct csv_fold *, const struct ctt_trace_run *, bool quiet);

/* ---- where rows go (sheets.c, part.c) ---- */

bool csv_wants(const struct csv_table *);
void csv_emit(const struct csv_table *, const struct csv_row *);

/* "event,interval"; false: one of them is none. */
bool csv_choose_tables(const char *list);
size_t csv_wanted(void);	/* how many; events where none was chosen */
struct part_options;
/* NULL: all. A name that is no column, or none left, ends the program. parts NULL: rows go to
 * stdout. */
void csv_choose_columns(const char *columns, const struct part_options *parts);
void csv_begin(void);		/* the headers */
void csv_waits(void *, bool begins);	/* for ctt_trace_on_wait */
/* No more rows come. Then what was written in parts appears, all of it or, where `status` is 2,
 * none. Returns the status. */
void csv_end(uint32_t runs);
int csv_finish(int status);
enum { CSV_FLUSH = 64 << 10 };
extern struct csv_out {
	const struct part_options *parts;
	size_t flush_at;	/* bytes of rows for stdout that are written at once */
	bool failed;		/* a part could not be written: reported */
} csv_out;

/* A directory of parts. Rows go to DIR/table=NAME/run=RUN/[bucket=N/]part-NNNNN.csv, each with the
 * header. All of a run table appears at once, by part_finish: until then it is
 * DIR/.NAME.RUN.PID. */
struct part_options {
	const char *dir;
	uint64_t rows;		/* at most, a file */
	uint64_t bucket;	/* ns: another directory for each such time; 0: none */
};
struct part;
struct part *part_open(
	const struct part_options *, const struct csv_table *, const char *header, size_t len);
/* `time` 0: it goes where the row before it went. False when it failed, now or before; it has been
 * reported. */
bool part_row(struct part *, uint32_t run, uint64_t time, const char *row, size_t len);
/* No more rows: a run without any gets a file of the header alone. False where anything failed. */
bool part_close(struct part *, uint32_t runs);
/* From now on no file or directory is made: whoever would waits for ever. */
void part_stop(void);
/* Remove what was written. */
void part_remove(const struct part *);
/* Let what was written appear, or remove it; frees it. False where that failed: it has been
 * reported. */
bool part_finish(struct part *, bool keep);
#endif
