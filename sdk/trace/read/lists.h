/* lists.h - the lists that stand in stack and symbol lines, for kinds.c; who reads them later uses
 * ctt_next_number and ctt_next_symbol. Each check takes a JSON value that json.c found good, and
 * returns NULL or why it is bad: a phrase. */
#ifndef CTTRACE_LISTS_H
#define CTTRACE_LISTS_H

#include "read/json.h"

const char *bad_counts(struct ctt_text);	/* {"create":5,...} */
/* One pair after another of such, from its beginning on; NULL at the end. */
const char *count_next(const char *p, const char *end, struct ctt_text *name, uint64_t *n);
const char *bad_frames(struct ctt_text);	/* ["0x000055d0c0de1234",...] */
const char *bad_sites(struct ctt_text);		/* [3,4,...] */
/* [{"func":"serve","file":"serve.cc","line":42},...], each key optional */
const char *bad_symbol(struct ctt_text);

#endif
