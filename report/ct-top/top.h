/* top.h - ct-top: what was read and judged (watch.c, verdicts.c), lines that show it (lines.c,
 * header.c, rows.c), and the terminal (screen.c).
 *
 * Two threads. The reader applies events to the judges; the other draws. Whoever touches a struct
 * watch, but for its locks, holds watch_lock. The reader lets go of it wherever reading may wait,
 * so that it is held for one block of input
 * (64 to 256 KiB, about a millisecond) at a time; the display holds it while it judges and composes
 * lines, never while it writes to the terminal, and rests nine times as long as each of these took.
 */
#ifndef TOP_H
#define TOP_H

#include <pthread.h>

#include "base/table.h"
#include "cttrace.h"

/* ---- lines of text with a look ---- */

enum look {
	LOOK_PLAIN,
	LOOK_TITLE,
	LOOK_BOLD,
	LOOK_DIM,
	LOOK_GOOD,
	LOOK_PROVEN,
	LOOK_SUSPECTED,
	LOOK_UNKNOWN,
	LOOK_HINT,
	LOOKS,
	LOOK_PICKED = 32	/* beside another: the line that the cursor is on */
};
struct line {
	enum look look;
	char text[];		/* bytes as the trace has them: who prints it makes them harmless */
};
struct lines {
	struct line **line;
	size_t count, size;
};
/* Columns that `s` takes in this locale's terminal, as line_cut shows it. */
size_t text_columns(const char *s);
/* What of `s` fits into `buf`, with blanks behind it up to so many columns. Returns buf. */
char *text_fit(char *buf, size_t size, const char *s, size_t cols);
/* Printed as printf does, cut to 2000 bytes, without blanks at the end. */
void lines_add(struct lines *, enum look, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* As so many lines as it takes, each of `cols` columns at most where it has spaces to break at. */
void lines_add_wrapped(struct lines *, enum look, const char *s, size_t cols);
void lines_clear(struct lines *);
void lines_free(struct lines *);
/* `s` as it fits into `cols` columns of this locale's terminal: what does not print is '?', what
 * has no width goes. */
void line_cut(char *buf, size_t size, const char *s, int cols);
/* s, or in buf as much of it as fits into `cols` columns with "..." behind; 0: s. */
const char *line_short(char *buf, size_t size, const char *s, size_t cols);

/* ---- what was read ---- */

struct busy {			/* a thread's time with coroutines */
	uint64_t tid;
	/* the coroutine that it resumed while it ran none, 0 = none; from when */
	uint64_t outer, since;
	uint64_t ns;		/* of those that came to an end */
	uint64_t shown_ns;	/* in all when last sampled */
	double share;		/* between the last two samples */
};

struct accused { uint64_t id; enum ctt_verdict verdict; enum ctt_certainty certainty; };
struct verdicts {		/* as last judged */
	struct ctt_trace_run as;	/* as of which state of the run */
	bool final;		/* the run had ended: else so far, as of the last event */
	size_t sum[CTT_CERTAINTIES];		/* by certainty */
	size_t hidden[CTT_HIDERS];		/* by which option */
	struct accused *accused; /* by id */
	size_t count, size;
	/* a line a group; the groups with what happened to their members */
	struct lines heads, stories;
	const char *doubt;	/* ctt_judge_doubt, NULL = nothing is missing */
	uint64_t lines;		/* that had been read */
	uint64_t about;		/* the coroutine whose story is to be shown, 0 = none */
	struct lines why;	/* what is found about that one */
};

enum { SAMPLES = 8 };
struct run {
	struct ctt_judge *judge;	/* one of the watch's */
	struct keyed busy;	/* struct busy, by tid */
	uint64_t pid;		/* of its first process: the target */
	char *path;
	struct { bool seen, signaled; uint64_t pid, value; } exit;
	/* a ring, the latest at sampled % SAMPLES */
	uint64_t events;	/* of coroutines, as all count them */
	struct { uint64_t wall, events; } sample[SAMPLES];
	uint64_t sampled, busy_ts;
	struct verdicts verdicts;
};

struct watch {
	pthread_mutex_t turn, state;
	struct ctt_trace *in;
	const struct ctt_common *opt;
	struct ctt_judges judges;
	struct run **run;
	uint32_t count;		/* of runs */
	size_t room;
	bool over;		/* all was read */
	uint64_t read_ns;	/* when something was last read, monotonic */
};
void watch_lock(struct watch *);
void watch_unlock(struct watch *);
/* Read all of it; holds the lock but where it waits. */
void watch_read(struct watch *);
void watch_free(struct watch *);
/* Take the rates of now. */
void watch_sample(struct run *, uint64_t wall);
uint64_t wall_ns(void);
/* Events a second over the last one or two; at the end over the whole run. */
double run_rate(const struct watch *, uint32_t run);
/* The share of its time that a thread spends with coroutines; below 0: not known. */
double run_busy(const struct watch *, uint32_t run, uint64_t tid);
/* Has all of this run been read? */
static inline bool run_over(const struct watch *w, uint32_t run)
{
	return w->over || ctt_trace_run(w->in, run)->ended;
}

/* ---- verdicts (verdicts.c) ---- */

/* Judge the run anew: as it ended, or, while it lasts, as if it ended with the last event. */
void verdicts_take(struct watch *, uint32_t run);
/* NULL: not accused. */
const struct accused *verdicts_of(const struct run *, uint64_t id);
/* Exit status of one run, as ct-lostwake's. */
int verdicts_status(const struct ctt_common *, const struct run *);
void verdicts_free(struct verdicts *);

/* ---- what is shown ---- */

enum pane { PANE_ALL, PANE_WORKERS, PANE_COROS, PANE_FINDINGS, PANES, PANE_STORY = PANES };
enum sort { BY_AGE, BY_COUNT, BY_SITE, BY_NAME, BY_STATE, BY_ON, BY_ID, SORTS };
struct view {
	enum pane pane;
	enum sort sort;
	bool single, backwards;	/* coroutine by coroutine, not by site; the other way round */
	bool accused_only;
	/* The cursor's row, and what is there: a coroutine, or a site and what is waited on. */
	bool cursor, moved;	/* it is shown; a key has moved it */
	size_t at;
	uint64_t picked, picked_site;
	unsigned picked_what;
	/* only coroutines of the site that was entered; the story's coroutine */
	bool inside;
	uint64_t inside_site, story;
	unsigned inside_what;
	enum pane from;		/* where the story was entered */
	size_t scroll;
	uint32_t run;
	regex_t *filter;	/* NULL = all */
	size_t rows, cols;	/* of the terminal */
};
extern const char *const sort_names[SORTS];
/* The title, states and threads, and what is missing. */
void show_header(struct lines *, struct watch *, const struct view *);
void show_workers(struct lines *, struct watch *, const struct view *);
/* One coroutine's story (story.c). */
void show_story(struct lines *, struct watch *, const struct view *);
/* All panes, cut to v->rows - 1 of them. */
void show_all(struct lines *, struct watch *, struct view *);
/* Everything about a run, at any length. */
void show_summary(struct lines *, struct watch *, uint32_t run);

/* ---- the terminal (screen.c) ---- */

/* Messages go to stderr once the terminal is as it was. Returns false where there is no terminal to
 * draw on. */
bool screen_open(const struct ctt_common *);
/* Draw and obey keys until the user has enough; the signal that ended it, or 0. */
int screen_run(struct watch *);
/* Put the terminal back; may be called at any time, and twice. */
void screen_close(void);
#endif
