/* event.c - one event of the target, one JSON line. Nothing in a record is believed before it was
 * looked at. */
#include "complain.h"
#include "event.h"
#include "extra/process.h"
#include "extra/stack.h"
#include "print.h"
#include "region.h"
#include "site.h"
#include "totals.h"

/* ,"on":"KIND:VALUE" or nothing */
static inline char *put_on(char *p, const struct region *r, uint8_t kind, uint64_t value)
{
	static const struct { char text[15]; uint8_t len;
	} names[CTP_ON_KINDS] = {
#define ON(name) { ",\"on\":\"" name ":", sizeof name + 7 }
		{ "", 0 }, ON("coro"), ON("fd"), ON("timer"), ON("mutex"), ON("cond"), ON("sem"),
		ON("chan"), ON("join"), ON("user"), ON("room"), { "", 0 }, { "", 0 }
#undef ON
	};
	unsigned k = kind & ~CTP_ON_ANY;

	if (k == CTP_ON_NONE)
		return p;
	if (k >= CTP_ON_ANY_OF)
		return put_key(p, k == CTP_ON_ANY_OF ? ",\"any_of\":" : ",\"all_of\":", value);
	memcpy(p, names[k].text, 15);
	p += names[k].len;
	if (kind & CTP_ON_ANY)
		;
	else if (k == CTP_ON_USER)
		p = put_string(p, r, value);
	else if ((k >= CTP_ON_MUTEX && k <= CTP_ON_CHAN) || k == CTP_ON_ROOM)
		p = put_hex(put_const(p, "0x"), value);
	else
		p = put_number(p, value);
	*p++ = '"';
	return p;
}

/* The thread hardly ever differs from the last line's, nor does the time by more than its last
 * eight digits. */
static inline char *put_tid(char *p, uint64_t tid)
{
	static char text[48];
	static size_t len;
	static uint64_t last = ~0ull;

	if (tid != last) {
		char *end = put_const(put_key(text, ",\"tid\":", tid), ",\"addr\":\"0x");

		len = (size_t)(end - text);
		last = tid;
	}
	memcpy(p, text, sizeof text);
	return p + len;
}

static inline char *put_ts(char *p, uint64_t ts)
{
	static char text[32];
	static size_t len;
	static uint64_t last;
	uint64_t high = ts / 100000000u;

	if (high == 0)
		return put_number(p, ts);
	if (high != last) {
		len = (size_t)(put_number(text, high) - text);
		last = high;
	}
	memcpy(p, text, 16);
	return put_8(p + len, (uint32_t)(ts % 100000000u));
}

/* The six keys of version 1. */
static inline char *put_six(
	char *p, const struct ctp_event *e, uint64_t id, uint64_t addr, uint64_t ts)
{
	p = put_number(put_const(p, "{\"probe_id\":"), id);
	p = put_hex(put_tid(p, e->tid), addr);
	p = put_number(put_const(p, "\",\"seq\":"), e->seq);
	p = e->is_active ? put_const(p, ",\"is_active\":true,\"ts\":") :
			   put_const(p, ",\"is_active\":false,\"ts\":");
	return put_ts(p, ts);
}

static inline char *put_n_site(char *p, const struct ctp_event *e)
{
	p = put_number(put_const(p, ",\"n\":"), event_n(e));
	return site_name[e->site] ? put_number(put_const(p, ",\"site\":"), site_name[e->site]) : p;
}

static inline char *put_stack(char *p, uint32_t stack)
{
	return stack ? put_key(p, ",\"stack\":", stack) : p;
}

static inline char *put_coroutine(char *p, const struct region *r, const struct ctp_event *e,
	uint64_t ts, uint32_t stack, bool state)
{
	p = put_six(p, e, e->probe_id, e->kind == CTP_WAKE ? 0 : e->addr, ts);
	switch (e->kind) {
	case CTP_RESUME:
		return put_n_site(state ? put_const(p, ",\"ev\":\"state\"") :
					  put_const(p, ",\"ev\":\"resume\""),
			e);
	case CTP_SUSPEND:
		p = put_n_site(state ? put_const(p, ",\"ev\":\"state\"") :
				       put_const(p, ",\"ev\":\"suspend\""),
			e);
		return put_stack(put_on(p, r, e->arg_kind, e->arg), stack);
	case CTP_WAKE:
		p = put_const(p, ",\"ev\":\"wake\"");
		if (site_name[e->site])
			p = put_key(p, ",\"site\":", site_name[e->site]);
		if (e->arg)
			p = put_key(p, ",\"by\":", e->arg);
		return put_stack(put_on(p, r, e->arg_kind, e->addr), stack);
	case CTP_CREATE:
		p = put_n_site(state ? put_const(p, ",\"ev\":\"state\"") :
				       put_const(p, ",\"ev\":\"create\""),
			e);
		if (e->arg == CTP_UNKNOWN)
			return put_const(p, ",\"born_before\":true");
		if (e->arg == CTP_UNTRACED)
			return put_const(p, ",\"untraced\":true");
		return put_stack(e->arg ? put_key(p, ",\"parent\":", e->arg) : p, stack);
	default:
		p = put_n_site(put_const(p, ",\"ev\":\"destroy\""), e);
		return !e->arg ? put_const(p, ",\"done\":false") :
			e->arg == 1 ? put_const(p, ",\"done\":true") :
			e->arg == 3 ? put_const(p, ",\"done\":true,\"result\":true") :
				      p;
	}
}

static const char *const kinds[CTP_KINDS] = { [CTP_CREATE] = "create",
	[CTP_RESUME] = "resume",
	[CTP_SUSPEND] = "suspend",
	[CTP_WAKE] = "wake",
	[CTP_DESTROY] = "destroy",
	[CTP_NAME] = "name",
	[CTP_OPEN] = "open",
	[CTP_CLOSE] = "close",
	[CTP_NOTIFY] = "notify",
	[CTP_LEVEL] = "level",
	[CTP_ACQUIRE] = "acquire",
	[CTP_RELEASE] = "release",
	[CTP_WAKER_CLONE] = "waker",
	[CTP_WAKER_DROP] = "waker",
	[CTP_PARK] = "park",
	[CTP_UNPARK] = "unpark",
	[CTP_THREAD] = "thread",
	[CTP_DEQUEUE] = "dequeue",
	[CTP_DEADLINE] = "deadline",
	[CTP_STOP] = "stop",
	[CTP_START] = "start",
	[CTP_LEG] = "leg" };

static char *put_site(char *p, const struct ctp_event *e)
{
	return site_name[e->site] ? put_key(p, ",\"site\":", site_name[e->site]) : p;
}

static char *put_other(char *p, const struct region *r, const struct ctp_event *e, uint64_t ts)
{
	static const char *const roles[] = { "other", "worker", "blocking" };

	p = stpcpy(put_const(p, "{\"ev\":\""), kinds[e->kind]);
	p = put_key(put_key(p, "\",\"ts\":", ts), ",\"tid\":", e->tid);
	switch (e->kind) {
	case CTP_THREAD:
		p = put_key(p, ",\"pid\":", e->n);
		if (e->arg == CTP_ROLE_ENDED)
			return put_const(p, ",\"ended\":true");
		p = put_string(put_const(p, ",\"name\":\""), r, e->addr);
		p = stpcpy(put_const(p, "\",\"role\":\""), roles[e->arg < 3 ? e->arg : 0]);
		return put_const(p, "\"");
	case CTP_NAME:
		p = put_key(p, ",\"probe_id\":", e->probe_id);
		p = put_string(put_const(p, ",\"name\":\""), r, e->arg);
		return put_const(p, "\"");
	case CTP_WAKER_CLONE:
	case CTP_WAKER_DROP:
		p = put_key(p, ",\"probe_id\":", e->probe_id);
		if (e->arg)
			p = put_key(p, ",\"by\":", e->arg);
		return stpcpy(
			p, e->kind == CTP_WAKER_CLONE ? ",\"op\":\"clone\"" : ",\"op\":\"drop\"");
	case CTP_DEQUEUE:
		p = put_key(p, ",\"probe_id\":", e->probe_id);
		return put_site(e->arg ? put_key(p, ",\"by\":", e->arg) : p, e);
	case CTP_LEG:
		p = put_key(put_key(p, ",\"probe_id\":", e->probe_id), ",\"n\":",
			e->addr << 32 | e->n);
		return put_site(put_on(p, r, e->arg_kind, e->arg), e);
	case CTP_DEADLINE:
		p = put_key(p, ",\"probe_id\":", e->probe_id);
		p = e->addr ? put_key(p, ",\"by\":", e->addr) : p;
		if (e->arg == CTP_UNKNOWN)
			return put_site(put_const(p, ",\"on\":\"timer:\""), e);
		return put_site(put_on(p, r, e->arg_kind, e->arg), e);
	case CTP_STOP:
	case CTP_START:
		return put_key(p, ",\"pid\":", e->n);
	case CTP_PARK:
	case CTP_UNPARK:
		return e->addr == CTP_UNKNOWN ? p : put_key(p, ",\"depth\":", e->addr);
	}
	if (e->probe_id)
		p = put_key(p, ",\"by\":", e->probe_id);
	p = put_on(p, r, e->arg_kind, e->arg);
	if (e->kind == CTP_OPEN && e->addr)
		p = put_const(put_string(put_const(p, ",\"name\":\""), r, e->addr), "\"");
	else if (e->kind == CTP_NOTIFY)
		p = put_key(p, ",\"woken\":", e->addr);
	else if (e->kind == CTP_LEVEL)
		p = put_key(p, ",\"value\":", e->addr);
	return put_site(p, e);
}

enum { STACKED = 1 << CTP_CREATE | 1 << CTP_SUSPEND | 1 << CTP_WAKE };	/* may carry a call stack */

/* Can this record be true? What it names in other tables is looked at where it is used. */
static inline bool possible(const struct region *r, const struct ctp_event *e, uint64_t ts)
{
	enum {
		OWN = 1 << CTP_CREATE | 1 << CTP_RESUME | 1 << CTP_SUSPEND | 1 << CTP_DESTROY,
		COROUTINE = OWN | 1 << CTP_WAKE | 1 << CTP_NAME | 1 << CTP_WAKER_CLONE |
			1 << CTP_WAKER_DROP | 1 << CTP_DEQUEUE | 1 << CTP_DEADLINE |
			1 << CTP_LEG
	};

	return e->kind > CTP_V1 && e->kind < CTP_KINDS && e->kind != CTP_LOST && ts != 0 &&
		e->tid != 0 && e->tid < (1ull << 32) &&
		(!(COROUTINE >> e->kind & 1) || e->probe_id != 0) &&
		(!(OWN >> e->kind & 1) || event_n(e) != 0) && e->site < r->site_count &&
		((e->arg_kind & ~CTP_ON_ANY) < CTP_ON_ANY_OF || e->kind == CTP_SUSPEND) &&
		(e->arg_kind & ~CTP_ON_ANY) < CTP_ON_KINDS && e->is_active <= 1;
}

void print_event(
	const struct region *r, const struct ctp_event *e, uint64_t ts, uint32_t pid, bool state)
{
	uint32_t stack;
	char *p;

	if (!possible(r, e, ts)) {
		totals.impossible++;
		return;
	}
	stack = r->stacks && STACKED >> e->kind & 1 ? stack_print(r, e, pid) : 0;
	p = print_begin();
	if (e->site && !site_name[e->site])
		p = site_define(p, r, e->site);
	p = e->kind <= CTP_DESTROY ? put_coroutine(p, r, e, ts, stack, state) :
				     put_other(p, r, e, ts);
	print_at = put_const(p, "}\n");
	totals.events += e->kind < CTP_THREAD && !state;
	totals.lines[e->kind] += !state;
	totals.states += state;
}

/* Its thread is not known. */
void print_birth(const struct region *r, const struct ctp_birth *b, uint64_t ts)
{
	struct ctp_event e = { .kind = CTP_CREATE,
		.probe_id = b->id,
		.seq = 2,
		.n = 1,
		.arg = b->parent,
		.site = b->site & ~CTP_BIRTH_UNSEEN };
	char *p;

	if (e.site >= r->site_count || !ts) {
		totals.impossible++;
		return;
	}
	p = print_begin();
	if (e.site && !site_name[e.site])
		p = site_define(p, r, e.site);
	print_at = put_const(put_coroutine(p, r, &e, ts, 0, false), "}\n");
	totals.events++;
	totals.lines[CTP_CREATE]++;
	if (!b->name)
		return;
	e = (struct ctp_event){ .kind = CTP_NAME, .probe_id = b->id, .arg = b->name };
	print_at = put_const(put_other(print_begin(), r, &e, ts), "}\n");
	totals.events++;
	totals.lines[CTP_NAME]++;
}

void print_v1(uint64_t id, const struct ctp_event *e, uint64_t n)
{
	char *p = put_six(print_begin(), e, id, e->addr, e->timestamp);

	print_at = put_const(put_key(p, ",\"n\":", n), "}\n");
	totals.v1++;
	totals.events++;
}

void print_v1_life(uint64_t id, uint64_t ts, bool born)
{
	static const struct ctp_event none;
	char *p = put_six(print_begin(), &none, id, 0, ts);

	print_at = stpcpy(p, born ? ",\"ev\":\"create\"}\n" : ",\"ev\":\"destroy\"}\n");
	totals.v1++;
	totals.events++;
}

/* Nothing where version 1 wrote, which has no kinds. */
static char *put_counts(char *p)
{
	char open = '{';

	if (totals.v1 || !(totals.events + totals.lines[CTP_THREAD]))
		return p;
	totals.lines[CTP_WAKER_CLONE] += totals.lines[CTP_WAKER_DROP];	/* one word for both */
	totals.lines[CTP_WAKER_DROP] = 0;
	p = put_const(p, ",\"lines\":");
	for (int k = 0; k < CTP_KINDS; k++)
		if (totals.lines[k] && kinds[k]) {
			*p++ = open;
			*p++ = '"';
			p = put_key(stpcpy(p, kinds[k]), "\":", totals.lines[k]);
			open = ',';
		}
	if (totals.sites) {
		*p++ = open;
		p = put_key(p, "\"site\":", totals.sites);
	}
	*p++ = '}';
	return p;
}

void print_end(uint64_t ts, bool all_states, uint64_t alive)
{
	char *p = put_key(print_begin(), "{\"ev\":\"end\",\"ts\":", ts);

	p = alive ? put_key(p, ",\"alive\":", alive) : p;
	p = put_key(put_key(p, ",\"events\":", totals.events), ",\"lost\":", totals.lost);
	p = put_counts(all_states ? put_key(p, ",\"live\":", totals.states) : p);
	print_at = put_const(p, "}\n");
}
