/* lostwake.h - the findings of a run as text (text.c). */
#ifndef LOSTWAKE_H
#define LOSTWAKE_H

#include "cttrace.h"

/* Are there more groups than `top` (0: no limit), so that they are printed by cause? */
bool text_by_cause(const struct ctt_causes *, size_t top);
/* top: 0 = all; behind: name all who wait behind each finding that is printed */
struct text_style { size_t top; bool color, behind; };
/* In groups, the first `top` coroutines of each; where there are more groups than that, by cause:
 * the first `top` causes, of each a coroutine and as many suspension points. What is left out is
 * counted. */
void text_print(struct ctt_judge *, const struct ctt_finding *const *, size_t count,
	const struct ctt_causes *, const struct text_style *);
/* What to do about that doubt, and whom it is about, one of each suspension point, as far as either is known. */
void text_doubt(struct ctt_judge *, const char *doubt, size_t top);
#endif
