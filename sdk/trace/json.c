/* json.c - the complete parser: any JSON line, read strictly and exactly, and judged.
 *
 * Not libjq's, which was weighed: its numbers are doubles, it takes "nan" and 01 for numbers, turns bad UTF-8 into U+FFFD, and
 * builds a tree: a hostile line of empty objects costs it more than a hundred times its length. This walk needs no memory
 * but `scratch`: it checks the whole line, notes where the values of known keys stand, and reads them once all is known.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "internal.h"

enum { DEPTH_MAX = 256 };

enum key {
	K_PROBE_ID, K_TID, K_ADDR, K_SEQ, K_IS_ACTIVE, K_TS, K_EV, K_N, K_SITE, K_PARENT, K_BY, K_ON, K_DONE, K_STACK, K_REASON,
	K_NAME, K_ROLE, K_FUNC, K_FILE, K_PATH, K_TOOL, K_FORMAT, K_LINE, K_OP, K_WOKEN, K_VALUE, K_DEPTH, K_COUNT, K_STATUS,
	K_SIGNAL, K_EVENTS, K_LOST, K_PID, K_VERSION, K_FROM, K_TO, K_START, K_END, KEYS
};
static const char *const key_names[KEYS] = {
	"probe_id", "tid", "addr", "seq", "is_active", "ts", "ev", "n", "site", "parent", "by", "on", "done", "stack", "reason",
	"name", "role", "func", "file", "path", "tool", "format", "line", "op", "woken", "value", "depth", "count", "status",
	"signal", "events", "lost", "pid", "version", "from", "to", "start", "end",
};

struct walk {
	const char *p, *end;
	char *scratch;
	const char *error;
	char *why;			/* room for WHY_SIZE */
	struct text value[KEYS];	/* where the value stands, NULL = absent; the last of equal keys */
};

/* The first error stands. */
__attribute__((format(printf, 2, 3)))
static bool fail(struct walk *w, const char *fmt, ...)
{
	va_list ap;

	if (w->error)
		return false;
	va_start(ap, fmt);
	vsnprintf(w->why, WHY_SIZE, fmt, ap);
	va_end(ap);
	w->error = w->why;
	return false;
}

static void space(struct walk *w)
{
	while (w->p < w->end && (*w->p == ' ' || *w->p == '\t' || *w->p == '\r' || *w->p == '\n'))
		w->p++;
}

static bool byte(struct walk *w, char c)
{
	return w->p < w->end && *w->p == c && (w->p++, true);
}

static bool digits(struct walk *w)
{
	const char *p = w->p;

	while (w->p < w->end && *w->p >= '0' && *w->p <= '9')
		w->p++;
	return w->p > p;
}

static bool number(struct walk *w)
{
	byte(w, '-');
	if (!byte(w, '0') && !digits(w))
		return fail(w, "not JSON: a number has no digits");
	if (w->p < w->end && *w->p >= '0' && *w->p <= '9')
		return fail(w, "not JSON: a number begins with 0");
	if (byte(w, '.') && !digits(w))
		return fail(w, "not JSON: a number ends in its point");
	if (byte(w, 'e') || byte(w, 'E')) {
		(void)(byte(w, '+') || byte(w, '-'));
		if (!digits(w))
			return fail(w, "not JSON: a number has no exponent behind its e");
	}
	return true;
}

static int hex4(const char *p, const char *end)
{
	int v = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int c = p[i], d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
			c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

/* The escape behind a backslash at p: its length, and the code point; 0 where it is none. */
static size_t escape(const char *p, const char *end, uint32_t *code)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *e = p < end && *p ? strchr(from, *p) : NULL;
	int hi, lo;

	if (e)
		return *code = (unsigned char)to[e - from], 1;
	if (p == end || *p != 'u' || (hi = hex4(p + 1, end)) < 0)
		return 0;
	*code = (uint32_t)hi;
	if (hi < 0xd800 || hi > 0xdfff)
		return 5;
	if (hi > 0xdbff || end - p < 7 || p[5] != '\\' || p[6] != 'u')
		return 0;
	lo = hex4(p + 7, end);
	if (lo < 0xdc00 || lo > 0xdfff)
		return 0;
	*code = 0x10000 + ((uint32_t)(hi - 0xd800) << 10) + (uint32_t)(lo - 0xdc00);
	return 11;
}

/* From an opening quote to behind the closing one. */
static bool string(struct walk *w)
{
	uint32_t code;
	size_t n;

	w->p++;
	while (w->p < w->end && *w->p != '"') {
		if ((unsigned char)*w->p < ' ')
			return fail(w, "not JSON: a control character in a string");
		if (*w->p == '\\') {
			n = escape(w->p + 1, w->end, &code);
			if (!n)
				return fail(w, "not JSON: a bad escape in a string");
			n++;
		} else {
			n = utf8_length(w->p, w->end);
			if (!n)
				return fail(w, "not UTF-8");
		}
		w->p += n;
	}
	return byte(w, '"') || fail(w, "not JSON: a string does not end");
}

static bool word(struct walk *w, const char *s)
{
	size_t n = strlen(s);

	if ((size_t)(w->end - w->p) < n || memcmp(w->p, s, n))
		return fail(w, "not JSON: a value is missing or unknown");
	w->p += n;
	return true;
}

static bool scalar(struct walk *w)
{
	switch (w->p < w->end ? *w->p : 0) {
	case '"':	return string(w);
	case 't':	return word(w, "true");
	case 'f':	return word(w, "false");
	case 'n':	return word(w, "null");
	case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
		return number(w);
	default:
		return fail(w, "not JSON: a value is missing or unknown");
	}
}

/* `"key":` and the space around it. */
static bool key(struct walk *w)
{
	space(w);
	if (w->p == w->end || *w->p != '"')
		return fail(w, "not JSON: a key is missing");
	if (!string(w))
		return false;
	space(w);
	if (!byte(w, ':'))
		return fail(w, "not JSON: no colon behind a key");
	space(w);
	return true;
}

/* Any value; nesting is counted, not recursed into. open[d]: the bracket that closes depth d. */
static bool any(struct walk *w)
{
	char open[DEPTH_MAX];
	int depth = 0;

	for (;;) {
		if (w->p < w->end && (*w->p == '[' || *w->p == '{')) {
			if (depth == DEPTH_MAX)
				return fail(w, "nested deeper than %d", (int)DEPTH_MAX);
			open[depth++] = *w->p++ == '[' ? ']' : '}';
			space(w);
			if (!byte(w, open[depth - 1])) {
				if (open[depth - 1] == '}' && !key(w))
					return false;
				continue;
			}
			depth--;
		} else if (!scalar(w)) {
			return false;
		}
		for (space(w); depth && byte(w, open[depth - 1]); space(w))
			depth--;
		if (!depth)
			return true;
		if (!byte(w, ','))
			return fail(w, "not JSON: no comma or bracket behind a value");
		space(w);
		if (open[depth - 1] == '}' && !key(w))
			return false;
	}
}

static size_t put_utf8(char *out, uint32_t c)
{
	if (c < 0x80)
		return out[0] = (char)c, 1;
	if (c < 0x800)
		return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 0x3f)), 2;
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 0x3f)), out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18), out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f)), out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* The text of a string token (with its quotes); one that has escapes is rewritten in scratch, where it is shorter. */
static struct text unescape(struct walk *w, struct text token)
{
	struct text t = { token.p + 1, token.len - 2 };
	const char *p = t.p, *end = t.p + t.len;
	char *out = w->scratch;
	uint32_t code;

	if (!memchr(t.p, '\\', t.len))
		return t;
	t.p = out;
	while (p < end) {
		if (*p != '\\') {
			*out++ = *p++;
			continue;
		}
		p += 1 + escape(p + 1, end, &code);
		out += put_utf8(out, code);
	}
	t.len = (size_t)(out - t.p);
	w->scratch = out;
	return t;
}

static void note(struct walk *w, struct text name, struct text value)
{
	char *scratch = w->scratch;
	struct text t = unescape(w, name);

	for (int k = 0; k < KEYS; k++)
		if (strlen(key_names[k]) == t.len && !memcmp(key_names[k], t.p, t.len))
			w->value[k] = value;
	w->scratch = scratch;
}

static bool object(struct walk *w)
{
	space(w);
	if (!byte(w, '{'))
		return fail(w, "not a JSON object");
	space(w);
	if (!byte(w, '}')) {
		do {
			struct text name, value;

			space(w);
			name.p = w->p;
			if (!key(w))
				return false;
			/* Back over the colon and the space to the key's closing quote. */
			for (name.len = (size_t)(w->p - name.p); name.p[name.len - 1] != '"'; name.len--)
				;
			value.p = w->p;
			if (!any(w))
				return false;
			for (value.len = (size_t)(w->p - value.p); strchr(" \t\r\n", value.p[value.len - 1]); value.len--)
				;
			note(w, name, value);
		} while (byte(w, ','));
		if (!byte(w, '}'))
			return fail(w, "not JSON: no comma or bracket behind a value");
	}
	space(w);
	return w->p == w->end || fail(w, "not JSON: something stands behind the object");
}

static bool number_of(struct walk *w, enum key k, uint64_t *v, struct event *ev, uint32_t flag)
{
	const struct text *t = &w->value[k];
	uint64_t n = 0;

	if (!t->p)
		return true;
	if (*t->p != '-' && (*t->p < '0' || *t->p > '9'))
		return fail(w, "\"%s\" is not a number", key_names[k]);
	for (size_t i = 0; i < t->len; i++) {
		uint64_t d = (uint64_t)(t->p[i] - '0');

		if (d > 9 || n > (UINT64_MAX - d) / 10)
			return fail(w, "\"%s\" is not an unsigned 64-bit integer", key_names[k]);
		n = n * 10 + d;
	}
	*v = n;
	ev->has |= flag;
	return true;
}

static bool text_of(struct walk *w, enum key k, struct text *v)
{
	if (!w->value[k].p)
		return true;
	if (*w->value[k].p != '"')
		return fail(w, "\"%s\" is not a string", key_names[k]);
	*v = unescape(w, w->value[k]);
	return true;
}

static bool bool_of(struct walk *w, enum key k, bool *v, struct event *ev, uint32_t flag)
{
	const struct text *t = &w->value[k];

	if (!t->p)
		return true;
	if (*t->p != 't' && *t->p != 'f')
		return fail(w, "\"%s\" is not true or false", key_names[k]);
	*v = *t->p == 't';
	ev->has |= flag;
	return true;
}

/* 0x and up to 16 digits. */
static bool address_of(struct walk *w, enum key k, uint64_t *v, struct event *ev, uint32_t flag)
{
	struct text t = { NULL, 0 };

	if (!text_of(w, k, &t))
		return false;
	if (!t.p)
		return true;
	*v = 0;
	if (t.len < 3 || t.len > 18 || t.p[0] != '0' || t.p[1] != 'x')
		return fail(w, "\"%s\" is not an address", key_names[k]);
	for (size_t i = 2; i < t.len; i++) {
		int c = t.p[i], d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
			c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

		if (d < 0)
			return fail(w, "\"%s\" is not an address", key_names[k]);
		*v = *v << 4 | (uint64_t)d;
	}
	ev->has |= flag;
	return true;
}

static bool on_of(struct walk *w, struct event *ev)
{
	struct text t = { NULL, 0 };

	if (!text_of(w, K_ON, &t))
		return false;
	if (t.p)
		on_parse(&ev->on, t.p, t.len);
	return true;
}

/* The keys whose meaning hangs on the kind. */
static bool read_kind(struct walk *w, struct event *ev)
{
	struct text op = { NULL, 0 };
	uint64_t *v = &ev->value;

	switch (ev->kind) {
	case EV_META:	return number_of(w, K_VERSION, v, ev, HAS_VALUE) && text_of(w, K_TOOL, &ev->tool) &&
			       text_of(w, K_FORMAT, &ev->format);
	case EV_PROCESS: return number_of(w, K_PID, v, ev, HAS_VALUE) && text_of(w, K_PATH, &ev->path);
	case EV_MAP:	return number_of(w, K_PID, v, ev, HAS_VALUE) && text_of(w, K_PATH, &ev->path) &&
			       address_of(w, K_START, &ev->from, ev, 0) && address_of(w, K_END, &ev->to, ev, 0);
	case EV_THREAD:	return number_of(w, K_PID, v, ev, HAS_VALUE) && text_of(w, K_ROLE, &ev->role);
	case EV_SITE:	return text_of(w, K_FUNC, &ev->func) && text_of(w, K_FILE, &ev->file) &&
			       number_of(w, K_LINE, &ev->src_line, ev, 0);
	case EV_STACK:	return number_of(w, K_STACK, v, ev, HAS_VALUE);
	case EV_NOTIFY:	return number_of(w, K_WOKEN, v, ev, HAS_VALUE);
	case EV_LEVEL:	return number_of(w, K_VALUE, v, ev, HAS_VALUE);
	case EV_PARK:
	case EV_UNPARK:	return number_of(w, K_DEPTH, v, ev, HAS_VALUE);
	case EV_LOST:	return number_of(w, K_COUNT, v, ev, HAS_VALUE) && number_of(w, K_FROM, &ev->from, ev, 0) &&
			       number_of(w, K_TO, &ev->to, ev, 0);
	case EV_END:	return number_of(w, K_EVENTS, v, ev, HAS_VALUE) && number_of(w, K_LOST, &ev->from, ev, 0);
	case EV_EXIT:
		ev->signaled = w->value[K_SIGNAL].p != NULL;
		return number_of(w, ev->signaled ? K_SIGNAL : K_STATUS, v, ev, HAS_VALUE) &&
			number_of(w, K_PID, &ev->pid, ev, 0);
	case EV_WAKER:
		if (!text_of(w, K_OP, &op))
			return false;
		ev->clone = op.len == 5 && !memcmp(op.p, "clone", 5);
		return ev->clone || (op.len == 4 && !memcmp(op.p, "drop", 4)) ||
			fail(w, "\"op\" is neither clone nor drop");
	default:
		return true;
	}
}

static bool read_values(struct walk *w, struct event *ev)
{
	struct text kind = { NULL, 0 };

	if (!text_of(w, K_EV, &kind) || !bool_of(w, K_IS_ACTIVE, &ev->is_active, ev, 0))
		return false;
	ev->v1 = !kind.p;
	ev->kind = kind.p ? ev_parse(kind.p, kind.len) : ev->is_active ? EV_RESUME : EV_SUSPEND;
	return number_of(w, K_PROBE_ID, &ev->probe_id, ev, HAS_PROBE) &&
		number_of(w, K_TID, &ev->tid, ev, HAS_TID) &&
		address_of(w, K_ADDR, &ev->addr, ev, HAS_ADDR) &&
		number_of(w, K_SEQ, &ev->seq, ev, HAS_SEQ) &&
		number_of(w, K_TS, &ev->ts, ev, HAS_TS) &&
		number_of(w, K_N, &ev->n, ev, HAS_N) &&
		number_of(w, K_SITE, &ev->site, ev, HAS_SITE) &&
		number_of(w, K_PARENT, &ev->parent, ev, HAS_PARENT) &&
		number_of(w, K_BY, &ev->by, ev, HAS_BY) &&
		on_of(w, ev) &&
		bool_of(w, K_DONE, &ev->done, ev, HAS_DONE) &&
		number_of(w, K_STACK, &ev->stack, ev, HAS_STACK) &&
		text_of(w, K_REASON, &ev->reason) &&
		text_of(w, K_NAME, &ev->name) &&
		read_kind(w, ev);
}

/* Keys that a coroutine line cannot do without. */
static bool complete(struct walk *w, const struct event *ev)
{
	static const enum key always[] = { K_PROBE_ID, K_TS, K_TID, K_SEQ, K_IS_ACTIVE };
	size_t count = ev->v1 ? 5 : 2;

	if (!is_coro_line(ev->kind))
		return true;
	if (ev->v1 && !w->value[K_PROBE_ID].p)
		return fail(w, "not a trace line: neither \"ev\" nor \"probe_id\"");
	for (size_t i = 0; i < count; i++)
		if (!w->value[always[i]].p)
			return fail(w, "no \"%s\"", key_names[always[i]]);
	if (ev->kind == EV_STATE && !w->value[K_IS_ACTIVE].p)
		return fail(w, "no \"is_active\"");
	return true;
}

/* All that cannot be true, named in one phrase. */
static bool possible(struct walk *w, const struct event *ev)
{
	const struct { bool bad; const char *name; uint64_t v; } rules[] = {
		{ !ev->probe_id, "probe_id", ev->probe_id },
		{ !ev->ts, "ts", ev->ts },
		{ ev->tid >> 32 || (ev->v1 && !ev->tid), "tid", ev->tid },
		{ ev->v1 && (!ev->seq || ev->seq >> 48), "seq", ev->seq },
	};
	char list[WHY_SIZE - 16] = "";
	size_t n = 0;

	if (!is_coro_line(ev->kind))
		return true;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].bad)
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s %" PRIu64, n ? ", " : "", rules[i].name, rules[i].v);
	return !n || fail(w, "impossible: %s", list);
}

const char *json_parse(struct event *ev, const char *p, const char *end, char *scratch, char why[WHY_SIZE])
{
	struct walk w = { .p = p, .end = end, .scratch = scratch, .why = why };

	memset(ev, 0, offsetof(struct event, line));
	if (!object(&w) || !read_values(&w, ev) || !complete(&w, ev) || !possible(&w, ev))
		return w.error;
	if (!w.value[K_IS_ACTIVE].p)
		ev->is_active = ev->kind == EV_RESUME;
	return NULL;
}
