/* span.c - between --from and --to nothing may have been recorded: who forgets the + of a time since
 * the start asks for what was long before. Contracts in span.h. */
#include "tool/span.h"

static bool meets(const struct ctt_common *c, const struct ctt_trace_run *r)
{
	return (!c->from.set || ctt_when_ns(&c->from, r->first_ts) <= r->last_ts) &&
		(!c->to.set || ctt_when_ns(&c->to, r->first_ts) >= r->first_ts);
}

int span_status(
	const struct ctt_common *c, const struct ctt_trace *in, const char *program, int status)
{
	uint32_t runs = ctt_trace_stats(in)->runs;

	for (uint32_t i = 0; i < runs; i++)
		if (meets(c, ctt_trace_run(in, i)))
			return status;
	if (!runs)
		return status;
	if (!(c->flags & CTT_TRACE_QUIET))
		fprintf(stderr, "%s: nothing was recorded between --from and --to%s\n", program,
			(c->from.set && !c->from.relative) || (c->to.set && !c->to.relative) ?
				"; a time since the start begins with +" :
				"");
	return status ? status : 3;
}
