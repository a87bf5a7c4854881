/* internal.h - what the reader's parts share: trace.c (lines, messages), line.c (fast), kinds.c on
 * json.c (complete). */
#ifndef CTTRACE_INTERNAL_H
#define CTTRACE_INTERNAL_H

#include "cttrace.h"

/* The input may be read as far as this behind its end: constant-size comparisons need no bounds. */
#define LINE_PAD 32

/* How the last lines were written, by which the next is read faster, never otherwise. Begins as
 * zero. */
struct digits {			/* of a number of one to seven digits */
	/* all bits but bit 7 of each digit and the next byte; these, and that byte's */
	uint64_t rest, shape;
	unsigned shift, count;	/* 64 - 8 * count */
};
struct instant {		/* of a time: what stands before its last seven digits */
	uint64_t head, tail;	/* as written */
	uint64_t high;		/* what it is worth */
	ptrdiff_t head_at, high_count;
};
struct half {			/* of an address: the first eight digits */
	uint64_t text, value;
};
struct habits {
	struct digits probe_id, tid, seq, n, site, parent, by, on, other;
	struct instant ts;
	struct half addr, object;
};

/* The canonical form of ct-trace(5), from p on: where its newline stands. NULL: not canonical, or
 * not whole before the first NUL byte (*ev is then undefined), and json_parse decides. LINE_PAD NUL
 * bytes must stand behind the input. */
const char *line_parse(struct ctt_event *ev, const char *p, struct habits *);

/* Any JSON. `scratch` has room for end - p bytes, and holds the texts that had escapes. Returns
 * NULL, or why the line is bad: a constant, or written into `why`. */
enum { WHY_SIZE = 200 };
const char *json_parse(
	struct ctt_event *ev, const char *p, const char *end, char *scratch, char why[WHY_SIZE]);

/* Read "KIND:VALUE" apart. */
void on_parse(struct ctt_on *on, const char *p, size_t len);
/* The kind that "ev" names. */
enum ctt_ev_kind ev_parse(const char *p, size_t len);
/* The value of a hexadecimal digit, or -1. */
int hex_digit(int c);

/* Lines that stand whole in the buffer are parsed some at a time, and `look` sees them before the
 * first of them is returned, so that what they are about can be on its way from memory. Their run
 * and line are not known yet. False: it does not pay; the next lines are read one by one, and then
 * it is asked again. */
enum { AHEAD = 16 };
void trace_look_ahead(struct ctt_trace *,
	bool (*look)(void *arg, const struct ctt_event *, size_t count), void *arg);

static inline bool is_coro_line(enum ctt_ev_kind k)
{
	return k >= CTT_EV_CREATE && k <= CTT_EV_STATE;
}

/* What happened when nobody knows could hide what it is evidence of. */
static inline bool is_timed(enum ctt_ev_kind k)
{
	static const uint64_t kinds = CTT_KIND(OPEN) | CTT_KIND(CLOSE) | CTT_KIND(NOTIFY) |
		CTT_KIND(LEVEL) | CTT_KIND(ACQUIRE) | CTT_KIND(RELEASE) |
		CTT_KIND(WAKER) | CTT_KIND(PARK) | CTT_KIND(UNPARK) |
		CTT_KIND(LEG) | CTT_KIND(DEQUEUE) | CTT_KIND(DEADLINE) | CTT_KIND(STOP) |
		CTT_KIND(START) | CTT_KIND(EXIT);

	return kinds >> k & 1;
}

#endif
