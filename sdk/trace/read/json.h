/* json.h - a strict walk through one JSON object (json.c), for those who want its members' values
 * (values.c, kinds.c, lists.c). */
#ifndef CTTRACE_JSON_H
#define CTTRACE_JSON_H

#include "read/internal.h"

struct walk {
	const char *p, *end;
	char *scratch;		/* room for the text of all strings that have escapes */
	const char *error;	/* NULL, or `why` */
	char *why;		/* room for WHY_SIZE */
	/* tokens as they stand */
	void (*member)(struct walk *, struct ctt_text key, struct ctt_text value);
	struct ctt_text *values;	/* the caller's */
};

/* Walk the object, all of it; false: w->error says what is wrong. */
bool json_object(struct walk *w);
/* The first element of an array that json_object has found good; *array then begins behind it. Also
 * of what is left of one. False: there is none. */
bool json_element(struct ctt_text *array, struct ctt_text *element);
/* The text of a string token (with its quotes), which json_object has found good. */
struct ctt_text json_text(struct walk *w, struct ctt_text token);
/* Set the error, unless there is one, and return false. */
bool json_fail(struct walk *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
