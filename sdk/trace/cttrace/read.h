/* read.h - files to events: good lines to the caller, bad ones reported, counted and skipped. See
 * cttrace.h. */
#ifndef CTTRACE_READ_H
#define CTTRACE_READ_H

#include "event.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ctt_trace;

/* Read the files named, in order, as one trace; NULL or an empty list: stdin; "-" is stdin. What
 * gzip or zstd compressed is known by its first bytes and decompressed by a thread of its own; where
 * it is cut off, that counts as a bad line, and corrupt data as a file that cannot be read.
 * `program` prefixes every message. An unreadable file is reported on stderr when its turn comes,
 * and ctt_trace_finish returns 2. Never NULL: out of memory ends the program with status 2. */
struct ctt_trace *ctt_trace_open(char *const *files, const char *program);

enum {
	CTT_TRACE_STRICT = 1,
	CTT_TRACE_QUIET = 2,
	CTT_TRACE_EVERY_BAD_LINE = 4,
	CTT_TRACE_STREAMS = 8,
	CTT_TRACE_TO_END = 16
};
/* CTT_TRACE_STRICT: bad lines make ctt_trace_finish return 2. CTT_TRACE_QUIET: only fatal messages.
 * CTT_TRACE_EVERY_BAD_LINE: the first
 * 5 bad lines are reported on stderr and the rest only counted, unless this is set.
 * CTT_TRACE_STREAMS: the program writes as it reads. Where stderr is a terminal, reading says from
 * two seconds on how far it has come; not under CTT_TRACE_QUIET, nor where it would stand among the
 * lines of a program that streams to a terminal.
 * CTT_TRACE_TO_END: the first SIGINT and any SIGHUP while a pipe is read are left to who writes it, and
 * the trace read to its end. */
void ctt_trace_set(struct ctt_trace *, unsigned flags);
/* Call for each bad line as well: ct-check's list. `why` is a phrase ("\"ts\" is not a number"), ev
 * holds line and raw. */
void ctt_trace_on_bad(struct ctt_trace *,
	void (*)(void *arg, const struct ctt_event *ev, const char *why), void *arg);
/* Call before and after ctt_trace_next waits for input (open(2), read(2) of a block): fn must leave
 * errno alone. For programs that look at what was read from another thread: they hold their lock
 * but there. */
void ctt_trace_on_wait(struct ctt_trace *, void (*fn)(void *arg, bool begins), void *arg);

/* What something is that is no trace but begins so, and what to do about it: a phrase ("compressed
 * by xz; ..."); NULL: not known. Such a file is not read: that is said on stderr, and
 * ctt_trace_finish returns 2. */
const char *ctt_foreign(const char *p, size_t len);

/* The next good line into *ev; false at the end of input. Bad lines are reported, counted and
 * skipped; blank lines are skipped. Bounded memory: a line over 16 MiB is a bad line. Before it
 * waits for a pipe it flushes stdout, so that programs in a pipe are live; what a program keeps in
 * a buffer of its own it writes to stdout in ctt_trace_on_wait's fn. */
bool ctt_trace_next(struct ctt_trace *, struct ctt_event *ev);

struct ctt_trace_stats {
	uint64_t lines;		/* all lines, good and bad */
	uint64_t bad;		/* bad lines skipped */
	uint64_t first_bad;	/* line number of the first, 0 = none */
	uint64_t bytes;		/* read so far; of compressed input, as decompressed */
	uint64_t slow;		/* lines that took the complete parser */
	/* the input ends without a newline in a line that is not whole, or its compressed data is
	 * cut off */
	bool torn;
	uint32_t runs;		/* runs seen so far */
};
const struct ctt_trace_stats *ctt_trace_stats(const struct ctt_trace *);

/* What is known of a run. A `meta` line begins a run. Lines before any meta (version 1 files,
 * several recordings appended to one another and perhaps interleaved) are distinguished by their
 * threads: a thread not seen before whose first time lies more than a minute outside a run's times
 * begins another run, and every line goes to its thread's. */
struct ctt_trace_run {
	const char *file;	/* that it begins in, as messages name it */
	/* no meta line and no "ev": version 1 lines only, for which there is no end line either */
	bool v1;
	bool meta;		/* has its `meta` line */
	bool ended;		/* has its `end` line */
	bool coroutines;	/* has a line of a coroutine */
	/* has any line that comes from within a program, or says that one has a probe */
	bool attached;
	/* the program ran already when it began: its meta line says `attached` */
	bool late;
	/* late: the `attach` line was read, which ends what shows how it stood */
	bool attach_seen;
	bool born_before;	/* late: what stood still then is not in it */
	bool partial;		/* and nothing of another copy of the probe */
	/* over all lines that carry a time; of a late one, but those before its `attach` line */
	uint64_t first_ts, last_ts;
	uint64_t lines;
	uint64_t lost;		/* sum of `lost` lines */
	uint64_t bad;		/* bad lines between its lines */
	/* filters that left lines of it out, by their `cut` lines: what is not there is no loss,
	 * and proves nothing */
	uint32_t cut;
};
const struct ctt_trace_run *ctt_trace_run(const struct ctt_trace *, uint32_t run);
/* Was nothing recorded in this run, so that nothing can be said of it, least of all that all is
 * well? A phrase that says so
 * ("nothing was recorded: no probe attached"), or NULL: there are coroutines in it, or lines that
 * were left out or bad and may have been theirs. */
const char *ctt_trace_nothing(const struct ctt_trace_run *);
/* Is its `meta` line missing, which says how it was recorded, or, of a late one, the `attach` line,
 * up to which lines say how the program stood? A phrase that says which, or NULL; version 1 has
 * neither. */
const char *ctt_trace_headless(const struct ctt_trace_run *);

/* Where messages say they are: "trace.jsonl:1042" (stdin: "<stdin>:1042"). Valid until the next
 * call. */
const char *ctt_trace_where(const struct ctt_trace *, uint64_t line);

/* Close the input, flush and check stdout, free `t`. Returns the exit status: `status`, 3 instead
 * of 0 where nothing at all was recorded in a run (no probe attached: said on stderr), or 2 where a
 * file could not be read, stdout could not be written, or bad lines were met under
 * CTT_TRACE_STRICT, or nothing at all was readable as a trace
 * (not one good line, in input that was not empty... or empty: "no events"). A closed pipe on
 * stdout is no error. */
int ctt_trace_finish(struct ctt_trace *t, int status);
/* Close the input and free `t`, and no more: for a program that reads several traces, or a part. */
void ctt_trace_close(struct ctt_trace *t);

#ifdef __cplusplus
}
#endif
#endif
