/* input.h - lines out of files, for trace.c. */
#ifndef CTTRACE_INPUT_H
#define CTTRACE_INPUT_H

#include <string.h>

#include "read/internal.h"

struct input {
	char *const *files;	/* those still to come */
	const char *name;	/* of the one being read, for messages */
	const char *program;
	char *buf;
	/* the first byte not yet returned; who finds a line there by himself moves it behind */
	const char *p;
	const char *filled;	/* its end; LINE_PAD NUL bytes follow */
	const char *scanned;	/* between p and scanned, if that is further, is no newline */
	size_t size, block;
	int fd, from;		/* the file; where its bytes come from, itself or what unpacks it */
	struct unpack *unpack;	/* NULL: it is not compressed */
	bool eof, skipping;
	/* why what the compressed data of this file gave is not all, or not right; NULL: it is */
	const char *broken;
	bool outlives;		/* CTT_TRACE_TO_END */
	bool failed;		/* something could not be opened or read; said on stderr */
	/* size of all files named that are regular; 0 = some are not, or compressed */
	uint64_t total;
	uint64_t bytes;		/* read so far; of compressed ones, decompressed */
	/* NULL or called around whatever may wait: open, read */
	void (*waits)(void *arg, bool begins);
	void *waits_arg;
};

enum input_line {
	INPUT_LINE,		/* *line to *end, where its newline stands */
	INPUT_LAST,		/* the same, without a newline: the file ends */
	INPUT_TOO_LONG,		/* the beginning of a line over 16 MiB; its rest will be skipped */
	INPUT_EOF
};

/* Nothing is open yet: input_next_file. Out of memory ends the program. */
void input_open(struct input *, char *const *files, const char *program);
/* The next file that can be opened; false: none is left. */
bool input_next_file(struct input *);
/* The next line of this file, valid until the next call. */
enum input_line input_line(struct input *, const char **line, const char **end);
void input_close(struct input *);

/* Long work says how far it has come: a line on stderr, where that is a terminal, from two seconds
 * on. */
struct progress {
	bool wanted, shown;
	uint64_t start, next, bytes;
};
void progress_start(struct progress *, bool wanted);
/* call at each block or so */
void progress_tell(struct progress *, const struct input *, uint64_t lines);
void progress_erase(struct progress *);		/* before anything else is said, and at the end */

#endif
