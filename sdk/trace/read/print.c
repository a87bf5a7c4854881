/* print.c - an event as the line that it was read from. Contract in cttrace/text.h. */
#include <inttypes.h>

#include "read/internal.h"

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

static void optional(
	FILE *f, const struct ctt_event *ev, const char *key, uint32_t flag, uint64_t v)
{
	if (ev->has & flag)
		key_number(f, key, v);
}

static void coro_line(FILE *f, const struct ctt_event *ev)
{
	fprintf(f,
		"{\"probe_id\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"addr\":\"0x%016" PRIx64
		"\",\"seq\":%" PRIu64 ",\"is_active\":%s,\"ts\":%" PRIu64,
		ev->probe_id, ev->tid, ev->addr, ev->seq, ev->is_active ? "true" : "false", ev->ts);
	if (!ev->v1)
		fprintf(f, ",\"ev\":\"%s\"", ctt_ev_name(ev->kind));
	optional(f, ev, "n", CTT_HAS_N, ev->n);
	if (!ev->v1) {
		optional(f, ev, "site", CTT_HAS_SITE, ev->site);
		optional(f, ev, "parent", CTT_HAS_PARENT, ev->parent);
		optional(f, ev, "by", CTT_HAS_BY, ev->by);
		key_on(f, ev);
		if (ev->any_of)
			key_number(f, "any_of", ev->any_of);
		if (ev->all_of)
			key_number(f, "all_of", ev->all_of);
		if (ev->has & CTT_HAS_DONE)
			fprintf(f, ",\"done\":%s", ev->done ? "true" : "false");
		if (ev->result)
			fputs(",\"result\":true", f);
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
	case CTT_EV_EXIT:	return ev->exit.signaled ? "signal" : "status";
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
	optional(f, ev, "n", CTT_HAS_N, ev->n);
	optional(f, ev, "by", CTT_HAS_BY, ev->by);
	key_on(f, ev);
	if (value_key(ev))
		optional(f, ev, value_key(ev), CTT_HAS_VALUE, ctt_ev_value(ev));
	key_text(f, "name", &ev->name);
	optional(f, ev, "site", CTT_HAS_SITE, ev->site);
	optional(f, ev, "stack", CTT_HAS_STACK, ev->stack);
	if (ev->kind == CTT_EV_ACQUIRE && ev->acquire.since_before)
		fputs(",\"since\":\"before\"", f);
	if (ev->kind == CTT_EV_ACQUIRE)
		key_text(f, "doubt", &ev->acquire.doubt);
	if (ev->kind == CTT_EV_WAKER)
		fprintf(f, ",\"op\":\"%s\"", ev->waker.clone ? "clone" : "drop");
	if (ev->kind == CTT_EV_LOST) {
		key_number(f, "from", ev->lost.from);
		key_number(f, "to", ev->lost.to);
	}
	if (ev->kind == CTT_EV_END) {
		key_number(f, "lost", ev->end.lost);
		optional(f, ev, "live", CTT_HAS_LIVE, ev->end.live);
		if (ev->end.alive)
			key_number(f, "alive", ev->end.alive);
	}
	fputs("}\n", f);
}

void ctt_out_event(FILE *f, const struct ctt_event *ev)
{
	static const uint64_t whole = CTT_KIND(NAME) | CTT_KIND(OPEN) | CTT_KIND(CLOSE) |
		CTT_KIND(NOTIFY) | CTT_KIND(LEVEL) | CTT_KIND(ACQUIRE) |
		CTT_KIND(RELEASE) | CTT_KIND(WAKER) | CTT_KIND(PARK) |
		CTT_KIND(UNPARK) | CTT_KIND(LOST) | CTT_KIND(SYNC) | CTT_KIND(END) |
		CTT_KIND(DEQUEUE) | CTT_KIND(DEADLINE) |
		CTT_KIND(LEG);

	if (is_coro_line(ev->kind))
		coro_line(f, ev);
	else if (whole >> ev->kind & 1)
		resource_line(f, ev);
	else
		fprintf(f, "%.*s\n", (int)ev->raw_len, ev->raw);
}
