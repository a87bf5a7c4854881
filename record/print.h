/* print.h - the trace's buffer, and the thread that writes it out. A line is put at print_begin()'s
 * p, and print_at moved to its end. */
#ifndef PRINT_H
#define PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "text.h"

struct pack;
/* NULL: not compressed. buffer: bytes of lines that may wait to be written, 4 MiB at least; 0: a share
 * of the memory that there is. */
void print_open(int fd, struct pack *, uint64_t buffer);
bool print_failed(void);		/* nobody can read it any more */
void print_flush(void);		/* have written what is buffered */
/* the same, and wait for it; false when the trace could not be written */
bool print_close(void);

/* how long the harvest has waited so far for the compression; 0: not at all, or there is none */
uint64_t print_behind_ns(void);

/* behind print_begin(): enough for a line without texts, plus one of TEXT_MAX escaped */
enum { LINE_ROOM = 64 << 10 };

extern char *print_at;
char *print_begin(void);
/* Text as it stands within a JSON string; what is not UTF-8 becomes U+FFFD. It may be of any
 * length. */
char *put_escaped(char *p, const char *text, size_t len);

/* key with its comma and colon: ,"n": */
static inline char *put_key(char *p, const char *key, uint64_t v)
{
	size_t len = strlen(key);

	memcpy(p, key, len);
	return put_number(p + len, v);
}

#endif
