/* filter.c - the loop of a filter over runs. Contracts in cttrace/options.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "cttrace.h"
#include "tool/span.h"

int ctt_status_fold(int status, int of_run)
{
	return of_run == 1 || !status ? of_run : status;
}

static void apply(const struct ctt_filter *f, const struct ctt_common *opt, void *state,
	const struct ctt_event *ev)
{
	if (f->apply)
		f->apply(state, ev);
	else if (!ctt_common_past(opt, state, ev))
		ctt_model_apply(state, ev);
}

static void end(const struct ctt_filter *f, void *state)
{
	if (f->end)
		f->end(state);
	else
		ctt_model_free(state);
}

int ctt_filter_judge(char **files, const struct ctt_program *program, const struct ctt_common *opt,
	int (*report)(struct ctt_trace *, struct ctt_judge *, uint32_t run))
{
	struct ctt_trace *in = ctt_trace_open(files, program->name);
	struct ctt_judges judges = { 0 };
	struct ctt_event ev;
	int status = 0;

	ctt_trace_set(in, opt->flags);
	ctt_trace_on_bad(in, ctt_judges_bad, &judges);
	ctt_judges_read(&judges, in);
	while (ctt_trace_next(in, &ev))
		ctt_judges_apply(&judges, &ev);
	ctt_judges_end(&judges);
	for (uint32_t run = 0; run < judges.count; run++)
		status = ctt_status_fold(status, report(in, judges.run[run], run));
	ctt_judges_free(&judges);
	return ctt_trace_finish(in, status);
}

int ctt_filter_run(char **files, const struct ctt_program *program, const struct ctt_common *opt,
	const struct ctt_filter *f)
{
	struct ctt_trace *in = ctt_trace_open(files, program->name);
	size_t count = 0, room = 0;
	void **state = NULL;
	struct ctt_event ev;
	int status = 0;

	ctt_trace_set(in, opt->flags);
	while (ctt_trace_next(in, &ev)) {
		while (ev.run >= count)
			*ADD(state, count, room) = f->begin ? f->begin() : ctt_model_new();
		apply(f, opt, state[ev.run], &ev);
	}
	for (uint32_t run = 0; run < count; run++) {
		status = ctt_status_fold(status, f->report(in, state[run], run));
		end(f, state[run]);
	}
	free(state);
	return ctt_trace_finish(in, span_status(opt, in, program->name, status));
}
