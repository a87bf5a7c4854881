/* print.h - what print.c and event.c share: the buffer. A line is put at print_begin()'s p, and
 * print_at moved to its end. */
#ifndef PRINT_H
#define PRINT_H

#include "record.h"
#include "text.h"

/* behind print_begin(): enough for a line without texts, plus one of TEXT_MAX escaped */
enum { LINE_ROOM = 64 << 10 };

extern char *print_at;
char *print_begin(void);
/* Text as it stands within a JSON string; what is not UTF-8 becomes U+FFFD. It may be of any
 * length. */
char *put_escaped(char *p, const char *text, size_t len);

/* The end line's counts of the lines of each kind; nothing where version 1 wrote, which has no
 * kinds (event.c). */
char *put_counts(char *p);

/* key with its comma and colon: ,"n": */
static inline char *put_key(char *p, const char *key, uint64_t v)
{
	size_t len = strlen(key);

	memcpy(p, key, len);
	return put_number(p + len, v);
}

#endif
