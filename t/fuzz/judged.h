/* judged.h - what the judge says of a trace, in numbers: who is accused of what, and a digest of all that is printed of that. */
#ifndef FUZZ_JUDGED_H
#define FUZZ_JUDGED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cttrace.h"

enum { FOUND = 64 };

struct outcome { struct { int verdict, certainty; uint64_t id; } at[FOUND]; size_t count, live; uint64_t digest[FOUND], doubt; };

static inline uint64_t digest_of(uint64_t d, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		d = (d ^ (unsigned char)text[i]) * 0x100000001b3;
	return d;
}

static inline uint64_t digest_of_causes(uint64_t d, const struct ctt_finding *f, size_t count)
{
	const struct ctt_finding *findings[FOUND];
	struct ctt_causes causes;

	for (size_t i = 0; i < count && i < FOUND; i++)
		findings[i] = f + i;
	ctt_causes_find(&causes, findings, count < FOUND ? count : FOUND);
	d = d * 31 + causes.sites;
	for (size_t i = 0; i < causes.count; i++) {
		d = d * 31 + causes.cause[i].count;
		for (size_t k = 0; k < causes.cause[i].groups; k++)
			d = (d * 31 + causes.cause[i].group[k].count) * 31 + causes.cause[i].group[k].finding[0]->id;
	}
	ctt_causes_free(&causes);
	return d;
}

static inline void collect(struct ctt_judge *j, const struct ctt_trace_run *run, struct outcome *o)
{
	size_t count;
	const struct ctt_finding *f = ctt_judge_findings(j, run, CTT_JUDGE_GRACE_NS, &count);
	char *text = NULL;
	char bill[CTT_BILL_SIZE], rest[CTT_REST_SIZE];
	size_t size = 0;
	FILE *all = open_memstream(&text, &size);

	o->live += ctt_judge_live(j);
	o->doubt = digest_of_causes(o->doubt, f, count);
	for (size_t k = 0; k < count && o->count < FOUND; k++, f++) {
		size_t i = o->count++;

		o->at[i].verdict = (int)f->verdict;
		o->at[i].certainty = (int)f->certainty;
		o->at[i].id = f->coro ? f->coro->id : 0;
		rewind(all);
		ctt_finding_json(all, j, f, 0);
		ctt_finding_story(all, j, f);
		ctt_finding_behind(all, j, f, "behind ");
		fputs(f->help ? f->help : "", all);
		fprintf(all, "%d", k && ctt_finding_same_group(f - 1, f));
		fflush(all);
		o->digest[i] = digest_of(0, text, size);
	}
	fclose(all);
	free(text);
	text = (char *)ctt_judge_doubt(j, run);
	o->doubt = text ? digest_of(o->doubt ^ o->live, text, strlen(text)) : o->doubt ^ o->live;
	ctt_judge_bill(bill, ctt_judge_model(j));
	o->doubt = digest_of(o->doubt ^ ctt_judge_fresh(j), bill, strlen(bill));
	ctt_judge_rest(rest, j);
	o->doubt = digest_of(o->doubt, rest, strlen(rest));
}

/* Asked in between, or at the end alone. */
static inline void judge_file(int fd, bool ask, struct outcome *o)
{
	char path[40], *files[] = { path, NULL };
	struct ctt_judges judges = { 0 };
	struct ctt_trace *in;
	struct ctt_event ev;
	struct ctt_judge *j;
	size_t count;
	FILE *tap;
	int at = 0;

	lseek(fd, 0, SEEK_SET);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	in = ctt_trace_open(files, "judge");
	ctt_trace_set(in, CTT_TRACE_QUIET);
	ctt_trace_on_bad(in, ctt_judges_bad, &judges);
	while (ctt_trace_next(in, &ev)) {
		j = ctt_judges_apply(&judges, &ev);
		if (ask && ++at % 5 == 0)
			ctt_judge_findings(j, ctt_trace_run(in, ev.run), CTT_JUDGE_GRACE_NS, &count);
	}
	ctt_judges_end(&judges);
	memset(o, 0, sizeof *o);
	for (uint32_t i = 0; i < judges.count; i++)
		collect(ctt_judges_get(&judges, i), ctt_trace_run(in, i), o);
	ctt_judges_free(&judges);
	/* which closes stdout, as a filter's last act */
	tap = stdout;
	stdout = fopen("/dev/null", "w");
	ctt_trace_finish(in, 0);
	stdout = tap;
}
#endif
