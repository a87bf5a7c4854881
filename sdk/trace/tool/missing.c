/* missing.c - whether a run's lines are all there. Contracts in missing.h. */
#include "model/state.h"
#include "tool/missing.h"

const char *missing_lines(const struct ctt_model *m, const struct ctt_trace_run *r)
{
	if (ctt_trace_headless(r))
		return ctt_trace_headless(r);
	if (r->cut)
		return "a filter left lines out";
	if (r->bad)
		return "lines could not be read";
	if (m->astray)
		return MODEL_ASTRAY;
	return ctt_model_lost(m) ? "events were lost" : NULL;
}
