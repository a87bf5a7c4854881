/* out.c - text for people and JSON for programs. Contracts in cttrace/text.h. */
#include <inttypes.h>
#include <string.h>

#include "read/internal.h"

/* Overlong forms, surrogates and values past U+10FFFF are no UTF-8 (RFC 3629). */
size_t ctt_utf8_length(const char *s, const char *end)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t len = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;

	if (!len || len > (size_t)(end - s))
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) ||
	    (*p == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

void ctt_out_json(FILE *f, const char *s, size_t len)
{
	const char *end = s + len;

	putc('"', f);
	while (s < end) {
		size_t n = ctt_utf8_length(s, end);

		if (!n)
			fputs("\xef\xbf\xbd", f);
		else if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if (*s == '\n')
			fputs("\\n", f);
		else if (*s == '\t')
			fputs("\\t", f);
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			fprintf(f, "\\u%04x", (unsigned)*s);
		else
			fwrite(s, 1, n, f);
		s += n ? n : 1;
	}
	putc('"', f);
}

void ctt_out_text(FILE *f, const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end) {
		size_t n = ctt_utf8_length(s, end);
		/* C1 controls are U+0080 to U+009F: C2 and 80 to 9F. */
		bool control = n == 1 ? (unsigned char)*s < 0x20 || *s == 0x7f :
			n == 2 && (unsigned char)s[0] == 0xc2 && (unsigned char)s[1] < 0xa0;

		if (n && !control) {
			fwrite(s, 1, n, f);
			s += n;
			continue;
		}
		for (n = n ? n : 1; n; n--)
			fprintf(f, "\\x%02x", (unsigned char)*s++);
	}
}

char *ctt_out_duration(char *buf, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double v = (double)ns;
	size_t u = 0;

	for (; u < 3 && v >= 999.5; u++)	/* after rounding: 999.6us is 1.00ms */
		v /= 1000;
	snprintf(buf, 24, "%.*f%s", u == 0 || v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v, units[u]);
	return buf;
}

static void key_number(FILE *f, const char *key, uint64_t v)
{
	fprintf(f, ",\"%s\":%" PRIu64, key, v);
}

static void key_text(FILE *f, const char *key, const struct ctt_text *t)
{
	if (!t->p)
		return;
	fprintf(f, ",\"%s\":", key);
	ctt_out_json(f, t->p, t->len);
}

static void key_on(FILE *f, const struct ctt_event *ev)
{
	if (ev->on.kind != CTT_ON_NONE)
		key_text(f, "on", &ev->on.text);
}

static void optional(FILE *f, const struct ctt_event *ev, const char *key, uint32_t flag, uint64_t v)
{
	if (ev->has & flag)
		key_number(f, key, v);
}

static void coro_line(FILE *f, const struct ctt_event *ev)
{
	fprintf(f, "{\"probe_id\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"addr\":\"0x%016" PRIx64 "\",\"seq\":%" PRIu64
		",\"is_active\":%s,\"ts\":%" PRIu64, ev->probe_id, ev->tid, ev->addr, ev->seq,
		ev->is_active ? "true" : "false", ev->ts);
	if (!ev->v1)
		fprintf(f, ",\"ev\":\"%s\"", ctt_ev_name(ev->kind));
	optional(f, ev, "n", CTT_HAS_N, ev->n);
	if (!ev->v1) {
		optional(f, ev, "site", CTT_HAS_SITE, ev->site);
		optional(f, ev, "parent", CTT_HAS_PARENT, ev->parent);
		optional(f, ev, "by", CTT_HAS_BY, ev->by);
		key_on(f, ev);
		if (ev->has & CTT_HAS_DONE)
			fprintf(f, ",\"done\":%s", ev->done ? "true" : "false");
		optional(f, ev, "stack", CTT_HAS_STACK, ev->stack);
		key_text(f, "reason", &ev->reason);
	}
	fputs("}\n", f);
}

static const char *value_key(const struct ctt_event *ev)
{
	switch (ev->kind) {
	case CTT_EV_NOTIFY:	return "woken";
	case CTT_EV_LEVEL:	return "value";
	case CTT_EV_PARK:
	case CTT_EV_UNPARK:	return "depth";
	case CTT_EV_LOST:	return "count";
	case CTT_EV_EXIT:	return ev->signaled ? "signal" : "status";
	case CTT_EV_END:	return "events";
	default:	return NULL;
	}
}

/* Lines whose every key the event holds. */
static void resource_line(FILE *f, const struct ctt_event *ev)
{
	fprintf(f, "{\"ev\":\"%s\"", ctt_ev_name(ev->kind));
	optional(f, ev, "ts", CTT_HAS_TS, ev->ts);
	optional(f, ev, "tid", CTT_HAS_TID, ev->tid);
	optional(f, ev, "probe_id", CTT_HAS_PROBE, ev->probe_id);
	optional(f, ev, "by", CTT_HAS_BY, ev->by);
	key_on(f, ev);
	if (value_key(ev))
		optional(f, ev, value_key(ev), CTT_HAS_VALUE, ev->value);
	key_text(f, "name", &ev->name);
	optional(f, ev, "site", CTT_HAS_SITE, ev->site);
	if (ev->kind == CTT_EV_WAKER)
		fprintf(f, ",\"op\":\"%s\"", ev->clone ? "clone" : "drop");
	if (ev->kind == CTT_EV_LOST) {
		key_number(f, "from", ev->from);
		key_number(f, "to", ev->to);
	}
	if (ev->kind == CTT_EV_END) {
		key_number(f, "lost", ev->from);
		optional(f, ev, "live", CTT_HAS_LIVE, ev->to);
	}
	fputs("}\n", f);
}

void ctt_out_event(FILE *f, const struct ctt_event *ev)
{
	static const uint32_t whole = 1u << CTT_EV_NAME | 1u << CTT_EV_OPEN | 1u << CTT_EV_CLOSE | 1u << CTT_EV_NOTIFY | 1u << CTT_EV_LEVEL |
		1u << CTT_EV_ACQUIRE | 1u << CTT_EV_RELEASE | 1u << CTT_EV_WAKER | 1u << CTT_EV_PARK | 1u << CTT_EV_UNPARK | 1u << CTT_EV_LOST |
		1u << CTT_EV_SYNC | 1u << CTT_EV_END;

	if (is_coro_line(ev->kind))
		coro_line(f, ev);
	else if (whole >> ev->kind & 1)
		resource_line(f, ev);
	else
		fprintf(f, "%.*s\n", (int)ev->raw_len, ev->raw);
}
