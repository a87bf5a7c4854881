/* describe.c - sites, coroutines and what they wait on, in words and in JSON. Contracts in cttrace.h. */
#include <inttypes.h>
#include <string.h>

#include "cttrace.h"

char *site_text(char *buf, size_t size, const struct site *s)
{
	FILE *f = fmemopen(buf, size, "w");

	if (!f || size < 2) {
		if (size)
			*buf = '\0';
	} else if (!*s->func && !*s->file && !s->number) {
		fputs("?", f);
	} else if (!*s->func && !*s->file) {
		fprintf(f, "site %" PRIu64, s->number);
	} else {
		out_text(f, s->func, strlen(s->func));
		if (*s->file) {
			fputs(*s->func ? " " : "", f);
			out_text(f, s->file, strlen(s->file));
			if (s->line)
				fprintf(f, ":%" PRIu64, s->line);
		}
	}
	if (f)
		fclose(f);
	if (size)
		buf[size - 1] = '\0';
	return buf;
}

char *place_text(char *buf, size_t size, const struct model *m, uint64_t number)
{
	struct site s = *model_site(m, number);

	s.number = number;
	return site_text(buf, size, &s);
}

void site_json(FILE *f, const struct site *s)
{
	if (!*s->func && !*s->file) {
		fputs("null", f);
		return;
	}
	fputs("{\"func\":", f);
	out_json(f, s->func, strlen(s->func));
	fputs(",\"file\":", f);
	out_json(f, s->file, strlen(s->file));
	fprintf(f, ",\"line\":%" PRIu64 "}", s->line);
}

void coro_text(FILE *f, const struct coro *c)
{
	fprintf(f, "%" PRIu64, c->id);
	if (!c->name || !*c->name)
		return;
	fputs(" \"", f);
	out_text(f, c->name, strlen(c->name));
	fputs("\"", f);
}
