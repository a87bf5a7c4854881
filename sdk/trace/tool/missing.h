/* missing.h - whether a run's lines are all there (missing.c). */
#ifndef MISSING_H
#define MISSING_H

#include "cttrace.h"

/* Why not, or why they prove nothing; NULL: they are, up to where the trace ends. */
const char *missing_lines(const struct ctt_model *, const struct ctt_trace_run *);

#endif
