/* options.h - the command line: a closed set of options that mean the same in every program. See
 * cttrace.h. */
#ifndef CTTRACE_OPTIONS_H
#define CTTRACE_OPTIONS_H

#include <getopt.h>
#include <regex.h>

#include "judge.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "250ms", "2s", "1.5s", "100us", "5m", "1h", "0". False when malformed, without its unit or out of
 * range. */
bool ctt_parse_duration(const char *s, uint64_t *ns);
/* "+1.5s" from the start (sets *relative), or absolute: a plain number is ns, as traces have it. */
bool ctt_parse_time(const char *s, uint64_t *ns, bool *relative);
bool ctt_parse_number(const char *s, uint64_t min, uint64_t max, uint64_t *v);

struct ctt_when {			/* --at, --from, --to */
	bool set, relative;
	uint64_t ns;
};
/* The time in ns, for a run that starts at `start`; never overflows. */
uint64_t ctt_when_ns(const struct ctt_when *, uint64_t start);

/* What a program prints: text for people; such text in sentences, which fit a terminal's width; what
 * may go to a file, by -o; what is no use on a terminal, and refused there. */
enum ctt_product { CTT_TEXT, CTT_PROSE, CTT_FILE, CTT_FILE_ONLY };

/* zero it; set the defaults that are yours (grace, product); then ctt_common_parse */
struct ctt_common {
	enum ctt_product product;
	unsigned flags;		/* for ctt_trace_set: CTT_TRACE_TO_END, _STRICT, _QUIET */
	bool json;
	bool color;		/* resolved: auto = a terminal has any, no NO_COLOR */
	bool color_always;	/* --color=always, wherever it goes */
	const char *output;	/* -o: the file that stdout has become; NULL = not given */
	uint64_t min_age, grace; /* ns */
	regex_t *site, *name;	/* POSIX extended; NULL = not given; live until exit */
	struct ctt_when at, from, to;
	/* --allow: sites that may wait for ever, live until exit */
	regex_t **allow;
	size_t allowed;		/* how many */
	/* --fail-on: the least certain that makes the status 1; set by ctt_common_parse */
	enum ctt_certainty fail_on;
};
/* Now: the moment of --at, if the run came so far; else the latest time seen. */
uint64_t ctt_common_now(
	const struct ctt_common *, const struct ctt_model *, const struct ctt_trace_run *);
/* Why nothing can be said of now: the moment of --at is before the run's first event, or
 * ctt_trace_nothing(). NULL: something can. */
const char *ctt_common_nothing(
	const struct ctt_common *, const struct ctt_model *, const struct ctt_trace_run *);
/* Does the run show all that there was then? Else that none is found says nothing. */
bool ctt_common_whole(
	const struct ctt_common *, const struct ctt_model *, const struct ctt_trace_run *);
/* Is the line later than the moment of --at, and not to be applied? What was lost before that
 * moment may be reported after it. */
bool ctt_common_past(const struct ctt_common *, const struct ctt_model *, const struct ctt_event *);
/* Which option leaves it out: it has not the age of --min-age, does not match --name or --site, or,
 * of a finding, waits where
 * --allow says it may. */
enum ctt_hider {
	CTT_HIDES_NOTHING,
	CTT_HIDES_MIN_AGE,
	CTT_HIDES_NAME,
	CTT_HIDES_SITE,
	CTT_HIDES_ALLOW,
	CTT_HIDES_GRACE,
	CTT_HIDERS
};
enum ctt_hider ctt_common_hides(const struct ctt_common *, const struct ctt_model *,
	const struct ctt_coro *, uint64_t age_ns);
enum ctt_hider ctt_common_hides_finding(
	const struct ctt_common *, const struct ctt_model *, const struct ctt_finding *);
/* What a summary says of as many as were left out: "; 47 hidden by --min-age, 2 by --site", or "".
 * Returns buf. */
enum { CTT_HIDDEN_SIZE = 200 };
char *ctt_hidden_text(char buf[CTT_HIDDEN_SIZE], const size_t hidden[CTT_HIDERS]);
/* The exit status for so many findings of each certainty: 1 where one is as certain as --fail-on
 * asks, 3 where some are unknown or there is a doubt (ctt_judge_doubt), else 0. */
int ctt_common_status(
	const struct ctt_common *, const size_t sum[CTT_CERTAINTIES], const char *doubt);
/* True when there is no regex, or when it matches somewhere in s. */
bool ctt_common_match(const regex_t *, const char *s);
/* The same of a site, as it is printed for people or as data has it: "serve() serve.cc:42",
 * "serve serve.cc:42". */
bool ctt_common_match_site(const regex_t *, const struct ctt_model *, uint64_t site);

/* A program's option table: those of these that it takes, CTT_OPT_ALWAYS, its own (with a letter as
 * value), CTT_OPT_END. */
enum {
	CTT_COMMON_JSON = 0x1000,
	CTT_COMMON_MIN_AGE,
	CTT_COMMON_GRACE,
	CTT_COMMON_SITE,
	CTT_COMMON_NAME,
	CTT_COMMON_AT,
	CTT_COMMON_FROM,
	CTT_COMMON_TO,
	CTT_COMMON_ALLOW,
	CTT_COMMON_FAIL_ON,
	CTT_COMMON_COLOR,
	CTT_COMMON_STRICT,
	CTT_COMMON_QUIET,
	CTT_COMMON_HELP,
	CTT_COMMON_VERSION
};
#define CTT_OPT_JSON	{ "json", no_argument, NULL, CTT_COMMON_JSON }
#define CTT_OPT_MIN_AGE	{ "min-age", required_argument, NULL, CTT_COMMON_MIN_AGE }
#define CTT_OPT_GRACE	{ "grace", required_argument, NULL, CTT_COMMON_GRACE }
#define CTT_OPT_SITE	{ "site", required_argument, NULL, CTT_COMMON_SITE }
#define CTT_OPT_NAME	{ "name", required_argument, NULL, CTT_COMMON_NAME }
#define CTT_OPT_AT		{ "at", required_argument, NULL, CTT_COMMON_AT }
#define CTT_OPT_FROM	{ "from", required_argument, NULL, CTT_COMMON_FROM }
#define CTT_OPT_TO		{ "to", required_argument, NULL, CTT_COMMON_TO }
#define CTT_OPT_ALLOW	{ "allow", required_argument, NULL, CTT_COMMON_ALLOW }
#define CTT_OPT_FAIL_ON	{ "fail-on", required_argument, NULL, CTT_COMMON_FAIL_ON }
#define CTT_OPT_COLOR	{ "color", required_argument, NULL, CTT_COMMON_COLOR }
/* For programs whose `product` is CTT_FILE or CTT_FILE_ONLY. */
#define CTT_OPT_OUTPUT	{ "output", required_argument, NULL, 'o' }
#define CTT_OPT_ALWAYS                                            \
	{ "strict", no_argument, NULL, CTT_COMMON_STRICT },       \
		{ "quiet", no_argument, NULL, CTT_COMMON_QUIET }, \
		{ "help", no_argument, NULL, CTT_COMMON_HELP },   \
	{                                                         \
		"version", no_argument, NULL, CTT_COMMON_VERSION  \
	}
#define CTT_OPT_END		{ NULL, 0, NULL, 0 }

struct ctt_program {
	const char *name;		/* "ct-stuck" */
	const char *help;		/* the whole text of --help */
	const struct option *options;
	/* An option of the program's own; false: its argument is no good. NULL where it has
	 * none. */
	bool (*option)(int letter, const char *arg);
};
/* Parse the command line: --help and --version print and exit 0; an error is reported on stderr and
 * exits 2. Returns the files named, for ctt_trace_open. Options may stand after files; "--" ends
 * them. */
char **ctt_common_parse(int argc, char *argv[], const struct ctt_program *, struct ctt_common *);

/* The loop of a filter over runs: read all files, keep a state for each run, at the end report one
 * after another. */
struct ctt_filter {
	/* A run appears, an event is of it, it is done with. All three NULL: the state is a struct
	 * ctt_model, to which events are applied up to the time of --at. */
	void *(*begin)(void);
	void (*apply)(void *state, const struct ctt_event *);
	void (*end)(void *state);
	int (*report)(struct ctt_trace *, void *state, uint32_t run);	/* print it; its status */
};
/* Returns the exit status: as ctt_trace_finish, of the runs' statuses folded. */
int ctt_filter_run(char **files, const struct ctt_program *, const struct ctt_common *,
	const struct ctt_filter *);
/* The same with a judge for each run, which takes all lines, and bad ones as losses. */
int ctt_filter_judge(char **files, const struct ctt_program *, const struct ctt_common *,
	int (*report)(struct ctt_trace *, struct ctt_judge *, uint32_t run));
/* The status of all so far and of another run: 1 before any other, else the first that is not 0. */
int ctt_status_fold(int status, int of_run);

/* Print `ct-name: what: why` (why may be NULL) and exit with status 2. */
void ctt_die(const char *program, const char *what, const char *why) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
