/* event.c - a row a line of the trace. Contracts in csv.h. */
#include "base/put.h"
#include "csv.h"

enum type { NUMBER, ADDRESS, BOOLEAN, ACTIVE, TEXT, EV, ON, RUN };

/* Columns that have a key of each kind, or of some. */
enum own { VALUE, FROM, TO, ROLE, FUNC, FILE_, LINE, PATH, OWN };
#define AT(member) (uint16_t)offsetof(struct ctt_event, member)
/* Where it stands in an event of that kind; 0: the kind has none. */
static const uint16_t own[OWN][CTT_EV_KINDS] = {
	[VALUE] = { [CTT_EV_META] = AT(meta.version), [CTT_EV_PROCESS] = AT(process.pid),
		[CTT_EV_MAP] = AT(map.pid), [CTT_EV_THREAD] = AT(thread.pid),
		[CTT_EV_STACK] = AT(stack_line.number), [CTT_EV_NOTIFY] = AT(notify.woken),
		[CTT_EV_LEVEL] = AT(level.value), [CTT_EV_PARK] = AT(park.depth),
		[CTT_EV_UNPARK] = AT(unpark.depth), [CTT_EV_LOST] = AT(lost.count),
		[CTT_EV_EXIT] = AT(exit.status), [CTT_EV_END] = AT(end.events),
		[CTT_EV_CUT] = AT(cut.count) },
	[FROM] = { [CTT_EV_LOST] = AT(lost.from), [CTT_EV_MAP] = AT(map.start),
		[CTT_EV_END] = AT(end.lost), [CTT_EV_PROCESS] = AT(process.alive),
		[CTT_EV_EXIT] = AT(exit.alive), [CTT_EV_STATE] = AT(state.wakers) },
	[TO] = { [CTT_EV_LOST] = AT(lost.to), [CTT_EV_MAP] = AT(map.end),
		[CTT_EV_END] = AT(end.live), [CTT_EV_STATE] = AT(state.refs) },
	[ROLE] = { [CTT_EV_THREAD] = AT(thread.role), [CTT_EV_NAME] = AT(name_line.role),
		[CTT_EV_STATE] = AT(state.doubt) },
	[FUNC] = { [CTT_EV_SITE] = AT(site_line.func), [CTT_EV_STACK] = AT(stack_line.frames),
		[CTT_EV_SYMBOL] = AT(symbol.at), [CTT_EV_END] = AT(end.lines) },
	[FILE_] = { [CTT_EV_SITE] = AT(site_line.file), [CTT_EV_STACK] = AT(stack_line.sites) },
	[LINE] = { [CTT_EV_SITE] = AT(site_line.line), [CTT_EV_MAP] = AT(map.offset) },
	[PATH] = { [CTT_EV_PROCESS] = AT(process.path), [CTT_EV_MAP] = AT(map.path),
		[CTT_EV_SYMBOL] = AT(symbol.path) },
};

/* `has`: the key's flag, without which the cell is missing; 0: missing where the value is 0 (no
 * such thing). */
struct field {
	enum type type;
	uint16_t offset;		/* of a key that lines of all kinds share */
	const uint16_t *own;		/* else: by kind */
	uint32_t has;
};
#define FIELDS(X, Y) \
	X(run, RUN, line, 0) X(line, NUMBER, line, 0) X(ts, NUMBER, ts, CTT_HAS_TS) X(ev, EV, line, 0) \
	X(probe_id, NUMBER, probe_id, CTT_HAS_PROBE) X(tid, NUMBER, tid, CTT_HAS_TID) \
	X(is_active, ACTIVE, is_active, CTT_HAS_PROBE) X(addr, ADDRESS, addr, CTT_HAS_ADDR) \
	X(seq, NUMBER, seq, CTT_HAS_SEQ) X(n, NUMBER, n, CTT_HAS_N) X(site, NUMBER, site, CTT_HAS_SITE) \
	X(parent, NUMBER, parent, CTT_HAS_PARENT) X(by, NUMBER, by, CTT_HAS_BY) X(on, ON, on, 0) \
	X(done, BOOLEAN, done, CTT_HAS_DONE) Y(value, NUMBER, VALUE, CTT_HAS_VALUE) \
	Y(from, NUMBER, FROM, 0) Y(to, NUMBER, TO, 0) X(stack, NUMBER, stack, CTT_HAS_STACK) \
	X(name, TEXT, name, 0) X(reason, TEXT, reason, 0) Y(role, TEXT, ROLE, 0) \
	Y(func, TEXT, FUNC, 0) Y(file, TEXT, FILE_, 0) Y(src_line, NUMBER, LINE, 0) \
	Y(path, TEXT, PATH, 0) X(any_of, NUMBER, any_of, 0) X(all_of, NUMBER, all_of, 0)
#define NAME(name, ...) #name,
#define SHARED(name, type, field, has) { type, AT(field), NULL, has },
#define KINDS(name, type, key, has) { type, 0, own[key], has },
static const char *const columns[] = { FIELDS(NAME, NAME) };
static const struct field fields[] = { FIELDS(SHARED, KINDS) };

static void cell(struct buf *b, const struct csv_row *row, size_t column)
{
	const struct field *f = &fields[column];
	const struct ctt_event *ev = row->ev;
	size_t offset = f->own ? f->own[ev->kind] : f->offset;
	const char *at = (const char *)ev + offset;
	uint64_t v;

	if (!offset || (f->has && !(ev->has & f->has)))
		return;
	switch (f->type) {
	case RUN:
		csv_run_cell(b, ev->run);
		break;
	case EV:
		csv_string(b, ctt_ev_name(ev->kind));
		break;
	case ACTIVE:
		if (ev->kind < CTT_EV_CREATE || ev->kind > CTT_EV_STATE)
			return;
		/* fall through */
	case BOOLEAN:
		buf_add(b, *(const bool *)at ? "1" : "0", 1);
		break;
	case ON:
		if (ev->on.text.p)
			csv_text(b, ev->on.text.p, ev->on.text.len);
		break;
	case TEXT:
		csv_text(b, ((const struct ctt_text *)at)->p, ((const struct ctt_text *)at)->len);
		break;
	case ADDRESS:
		memcpy(&v, at, sizeof(v));
		buf_hex(b, v);
		break;
	case NUMBER:
		memcpy(&v, at, sizeof(v));
		if (f->has || v)
			buf_number(b, v);
		break;
	}
}

/* ---- rows of coroutine lines ---- */

/* These are nearly all lines. Behind `done`, all of their cells are empty. */
enum { COMMON = 15, REST = sizeof(columns) / sizeof(columns[0]) - COMMON };

static inline char *number(char *p, uint64_t v, uint32_t has)
{
	if (has)
		p = put_number(p, v);
	*p++ = ',';
	return p;
}

/* A text that is written beside the row: its length is any. */
static char *on_cell(struct buf *b, char *p, const struct ctt_text *on)
{
	b->len = (size_t)(p - b->p);
	csv_text(b, on->p, on->len);
	buf_room(b, REST + 8);
	return b->p + b->len;
}

static bool row(struct buf *b, const struct csv_row *r)
{
	const struct ctt_event *ev = r->ev;
	uint32_t has = ev->has;
	char *p;

	if (ev->kind < CTT_EV_CREATE || ev->kind > CTT_EV_DESTROY || ev->reason.p || ev->name.p ||
		ev->any_of || ev->all_of || has & (CTT_HAS_STACK | CTT_HAS_VALUE))
		return false;
	csv_run_cell(b, ev->run);
	buf_room(b, COMMON * (PUT_NUMBER + 1) + REST + 8);
	p = b->p + b->len;
	*p++ = ',';
	p = number(p, ev->line, 1);
	p = number(p, ev->ts, has & CTT_HAS_TS);
	p = put_word(p, ctt_ev_name(ev->kind));
	*p++ = ',';
	p = number(p, ev->probe_id, has & CTT_HAS_PROBE);
	p = number(p, ev->tid, has & CTT_HAS_TID);
	if (has & CTT_HAS_PROBE)
		*p++ = ev->is_active ? '1' : '0';
	*p++ = ',';
	if (has & CTT_HAS_ADDR)
		p = put_hex(p, ev->addr);
	*p++ = ',';
	p = number(p, ev->seq, has & CTT_HAS_SEQ);
	p = number(p, ev->n, has & CTT_HAS_N);
	p = number(p, ev->site, has & CTT_HAS_SITE);
	p = number(p, ev->parent, has & CTT_HAS_PARENT);
	p = number(p, ev->by, has & CTT_HAS_BY);
	if (ev->on.number && ev->on.text.len < PUT_NUMBER)
		p = put_text(p, ev->on.text.p, ev->on.text.len);
	else if (ev->on.text.p)
		p = on_cell(b, p, &ev->on.text);
	*p++ = ',';
	if (has & CTT_HAS_DONE)
		*p++ = ev->done ? '1' : '0';
	memset(p, ',', REST);
	b->len = (size_t)(put_word(p + REST, "\r\n") - b->p);
	return true;
}

const struct csv_table csv_events = { "event", "events", columns,
	sizeof(columns) / sizeof(columns[0]), true, cell, row };
