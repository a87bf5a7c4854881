/* findings.c - the library's verdicts as rows, one and all as ct-lostwake(1) prints them. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "value.h"
#include "sql.h"

static char *story_of(struct ctt_judge *j, const struct ctt_finding *f)
{
	char *story = NULL;
	size_t len;
	FILE *mem = need(open_memstream(&story, &len));

	ctt_finding_story(mem, j, f);
	if (fclose(mem) || !story)
		need(NULL);
	return story;
}

static void evidence_rows(
	struct sql_sink *sink, const struct ctt_finding *f, uint32_t run, const char *id)
{
	for (uint32_t i = 0; i < f->fact_count; i++) {
		const struct ctt_fact *e = &f->facts[i];
		struct sql_value v[] = { run_number(sink, run), string(id), number(i),
			number(e->line), number(e->ts), nonzero(e->tid), nonzero(e->by),
			nonzero(e->site), string(e->what) };

		sink->row(sink, SQL_EVIDENCE, v);
	}
}

static void cycle_rows(
	struct sql_sink *sink, const struct ctt_finding *f, uint32_t run, const char *id)
{
	for (uint32_t i = 0; i < f->cycle_count; i++) {
		struct sql_value v[] = {
			run_number(sink, run), string(id), number(i), number(f->cycle[i]),
			number_if(!f->component, f->cycle[(i + 1) % f->cycle_count])
		};

		sink->row(sink, SQL_CYCLES, v);
	}
}

static void finding_row(struct sql_sink *sink, struct ctt_judge *j, const struct ctt_finding *f,
	uint32_t run, const char *id)
{
	const struct ctt_coro *c = f->coro;
	const struct ctt_fact *cause = &f->cause;
	bool known = cause->ts;
	char *story = story_of(j, f);
	struct sql_value v[] = { run_number(sink, run), string(id),
		string(ctt_verdict_name(f->verdict)), string(ctt_certainty_name(f->certainty)),
		number(c->id), string(c->name), waits_on(WAIT_ROOM, c), nonzero(c->site),
		number(f->since), number(f->age_ns), nonzero(cause->ts),
		number_if(known && cause->tid, cause->tid),
		number_if(known && cause->by, cause->by),
		number_if(known && cause->line, cause->line),
		number_if(known && cause->site, cause->site), known ? string(cause->what) : null(),
		string(f->because), string(f->unknown), string(story) };

	sink->row(sink, SQL_FINDINGS, v);
	free(story);
}

void sql_findings(struct sql_sink *sink, struct ctt_judge *j, const struct ctt_trace_run *facts,
	uint32_t run, uint32_t runs)
{
	size_t n;
	const struct ctt_finding *f = ctt_judge_findings(j, facts, CTT_JUDGE_GRACE_NS, &n);

	for (size_t i = 0; i < n; i++) {
		char id[17];

		snprintf(id, sizeof(id), "%016" PRIx64,
			ctt_finding_id(&f[i], runs > 1 ? run + 1 : 0));
		finding_row(sink, j, &f[i], run, id);
		evidence_rows(sink, &f[i], run, id);
		cycle_rows(sink, &f[i], run, id);
	}
}
