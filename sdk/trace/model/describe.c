/* describe.c - sites, coroutines and what they wait on, in words and in JSON. Contracts in
 * cttrace/model.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cttrace.h"

const char *ctt_site_call(const struct ctt_site *s)
{
	size_t file = strlen(s->file);
	const char *name = s->func;	/* without what it is a part of */
	unsigned char before = '\0';
	unsigned depth = 0;

	/* parameters are there in C++, and (*T) is no list of them in Go; words are no name */
	for (const char *p = s->func; *p; before = (unsigned char)*p++)
		if (*p == '<')
			depth++;
		else if (*p == '>' && before != '-')
			depth -= depth != 0;
		else if (!depth && *p == ':')
			name = p + 1;
		else if (!depth && (*p == ' ' || (*p == '(' && before != '.')))
			return "";
	if (depth || !before || !(isalnum(before) || before > 0x7f || strchr("_>]", before)))
		return "";
	/* of a future without an async function Rust knows its type, and of a closure where it is */
	if (*name == '{' ||
		(file > 3 && !strcmp(s->file + file - 3, ".rs") && isupper((unsigned char)*name)))
		return "";
	return "()";
}

static void print_site(FILE *f, const struct ctt_site *s, const char *call)
{
	if (!*s->func && !*s->file && !s->number) {
		fputs("?", f);
	} else if (!*s->func && !*s->file) {
		fprintf(f, "site %" PRIu64, s->number);
	} else {
		ctt_out_text(f, s->func, strlen(s->func));
		fputs(call, f);
		if (*s->file) {
			fputs(*s->func ? " " : "", f);
			ctt_out_text(f, s->file, strlen(s->file));
			if (s->line)
				fprintf(f, ":%" PRIu64, s->line);
		}
	}
}

/* The middle gives way: templates are told apart by their ends, and file and line stand last. */
static void cut_middle(char *buf, size_t size, const char *s, size_t len)
{
	size_t head = utf8_cut(s, (size - 4) / 2), tail = size - 4 - head, from = len - tail;

	while (from < len && ((unsigned char)s[from] & 0xc0) == 0x80)
		from++;
	memcpy(buf, s, head);
	memcpy(buf + head, "...", 3);
	memcpy(buf + head + 3, s + from, len - from + 1);
}

static char *site_text(char *buf, size_t size, const struct ctt_site *s, const char *call)
{
	char *whole = NULL;
	size_t len;
	FILE *f;

	if (!size)
		return buf;
	f = need(open_memstream(&whole, &len));
	print_site(f, s, call);
	if (fclose(f) || !whole)
		need(NULL);
	if (len < size)
		memcpy(buf, whole, len + 1);
	else if (size > 16)
		cut_middle(buf, size, whole, len);
	else
		snprintf(buf, size, "%s", whole);
	free(whole);
	return buf;
}

char *ctt_site_text(char *buf, size_t size, const struct ctt_site *s)
{
	return site_text(buf, size, s, ctt_site_call(s));
}

char *ctt_model_site_text(char *buf, size_t size, const struct ctt_model *m, uint64_t number)
{
	struct ctt_site s = *ctt_model_site(m, number);

	s.number = number;
	return ctt_site_text(buf, size, &s);
}

char *ctt_model_site_name(char *buf, size_t size, const struct ctt_model *m, uint64_t number)
{
	struct ctt_site s = *ctt_model_site(m, number);

	s.number = number;
	return site_text(buf, size, &s, "");
}

void ctt_site_json(FILE *f, const struct ctt_site *s)
{
	if (!*s->func && !*s->file) {
		fputs("null", f);
		return;
	}
	fputs("{\"func\":", f);
	ctt_out_json(f, s->func, strlen(s->func));
	fputs(",\"file\":", f);
	ctt_out_json(f, s->file, strlen(s->file));
	fprintf(f, ",\"line\":%" PRIu64 "}", s->line);
}

char *ctt_coro_age(char *buf, const struct ctt_coro *c, uint64_t age_ns)
{
	static const char least[] = "at least ";

	if (!c->since_before)
		return ctt_out_duration(buf, age_ns);
	if (!age_ns)
		return strcpy(buf, "?");
	strcpy(buf, least);
	ctt_out_duration(buf + sizeof(least) - 1, age_ns);
	return buf;
}

void ctt_coro_text(FILE *f, const struct ctt_coro *c)
{
	fprintf(f, "%" PRIu64, c->id);
	if (!c->name || !*c->name)
		return;
	fputs(" \"", f);
	ctt_out_text(f, c->name, strlen(c->name));
	fputs("\"", f);
}

static void leg_text(char *buf, size_t size, const struct ctt_leg *l)
{
	if (l->on.kind == CTT_ON_NONE)
		snprintf(buf, size, "?");
	else
		ctt_on_text(buf, size, &l->on);
}

char *ctt_wait_text(char *buf, size_t size, const struct ctt_coro *c)
{
	size_t at, i;

	if (!c->legs)
		return ctt_on_text(buf, size, &c->on);
	at = (size_t)snprintf(buf, size, c->legs->all ? "all of " : "any of ");
	for (i = 0; i < c->legs->count; i++) {
		char on[128];

		leg_text(on, sizeof(on), &c->legs->leg[i]);
		if (at + strlen(on) + 32 > size)
			break;
		at += (size_t)snprintf(buf + at, size - at, "%s%s", i ? ", " : "", on);
	}
	if (i < c->legs->count && at < size)
		snprintf(buf + at, size - at, "%s%zu more", i ? ", " : "", c->legs->count - i);
	return buf;
}

bool ctt_waits(const struct ctt_coro *c)
{
	return (c->legs || c->on.kind != CTT_ON_NONE) && c->state != CTT_CORO_RUNNING;
}

unsigned ctt_wait_kind(const struct ctt_coro *c)
{
	return !c->legs ? c->on.kind : CTT_ON_OTHER + (c->legs->all ? 2u : 1u);
}

const char *ctt_wait_name(const struct ctt_coro *c)
{
	return !c->legs           ? ctt_on_name(c->on.kind) :
		c->legs->all ? "all of several" :
			       "any of several";
}

void ctt_legs_json(FILE *f, const struct ctt_model *m, const struct ctt_coro *c)
{
	for (size_t i = 0; c->legs && i < c->legs->count; i++) {
		char on[5000];

		fputs(i ? ",{\"on\":" : ",\"legs\":[{\"on\":", f);
		leg_text(on, sizeof(on), &c->legs->leg[i]);
		ctt_out_json(f, on, strlen(on));
		fputs(",\"site\":", f);
		ctt_site_json(f, ctt_model_site(m, c->legs->leg[i].site));
		fputs(i + 1 == c->legs->count ? "}]" : "}", f);
	}
}
