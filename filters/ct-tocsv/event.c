/* event.c - a row a line of the trace. Contracts in csv.h. */
#include "csv.h"

enum type { NUMBER, ADDRESS, BOOLEAN, ACTIVE, TEXT, EV, ON, RUN };

/* `has`: the key's flag, without which the cell is missing; 0: missing where the value is 0 (no
 * such thing). */
struct field {
	enum type type;
	size_t offset;
	uint32_t has;
};
#define FIELDS(X) \
	X(run, RUN, line, 0) X(line, NUMBER, line, 0) X(ts, NUMBER, ts, CTT_HAS_TS) X(ev, EV, line, 0) \
	X(probe_id, NUMBER, probe_id, CTT_HAS_PROBE) X(tid, NUMBER, tid, CTT_HAS_TID) X(is_active, ACTIVE, is_active, CTT_HAS_PROBE) \
	X(addr, ADDRESS, addr, CTT_HAS_ADDR) X(seq, NUMBER, seq, CTT_HAS_SEQ) X(n, NUMBER, n, CTT_HAS_N) X(site, NUMBER, site, CTT_HAS_SITE) \
	X(parent, NUMBER, parent, CTT_HAS_PARENT) X(by, NUMBER, by, CTT_HAS_BY) X(on, ON, on, 0) X(done, BOOLEAN, done, CTT_HAS_DONE) \
	X(value, NUMBER, value, CTT_HAS_VALUE) X(from, NUMBER, from, 0) X(to, NUMBER, to, 0) X(stack, NUMBER, stack, CTT_HAS_STACK) \
	X(name, TEXT, name, 0) X(reason, TEXT, reason, 0) X(role, TEXT, role, 0) X(func, TEXT, func, 0) \
	X(file, TEXT, file, 0) X(src_line, NUMBER, src_line, 0) X(path, TEXT, path, 0)
#define NAME(name, type, field, has) #name,
#define FIELD(name, type, field, has) { type, offsetof(struct ctt_event, field), has },
static const char *const columns[] = { FIELDS(NAME) };
static const struct field fields[] = { FIELDS(FIELD) };

static void cell(struct buf *b, const struct csv_row *row, size_t column)
{
	const struct field *f = &fields[column];
	const struct ctt_event *ev = row->ev;
	const char *at = (const char *)ev + f->offset;
	uint64_t v;

	if (f->has && !(ev->has & f->has))
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

const struct csv_table csv_events = { "event", "events", columns,
	sizeof(columns) / sizeof(columns[0]), true, cell };
