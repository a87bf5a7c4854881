/* span.h - whether a trace has anything between --from and --to (span.c). */
#ifndef SPAN_H
#define SPAN_H

#include "cttrace.h"

/* Where no run has, that is said, unless --quiet: the status, 3 for 0. Else `status`. */
int span_status(
	const struct ctt_common *, const struct ctt_trace *, const char *program, int status);

#endif
