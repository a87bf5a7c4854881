/* kinds.c - what the members of a line mean by its kind, which it cannot do without, and what cannot
 * be true. The complete parser: its contract is in internal.h. */
#include <inttypes.h>
#include <string.h>

#include "read/lists.h"
#include "read/values.h"

enum { NEWEST = 2 };	/* version of the format that is read */

static bool on_of(struct walk *w, struct ctt_event *ev)
{
	struct ctt_text t = { NULL, 0 };

	if (!text_of(w, K_ON, &t))
		return false;
	if (t.p)
		on_parse(&ev->on, t.p, t.len);
	return true;
}

static bool read_create(struct walk *w, struct ctt_event *ev)
{
	bool born_before = false, untraced = false,
	     good = bool_of(w, K_BORN_BEFORE, &born_before, ev, 0) &&
		bool_of(w, K_UNTRACED, &untraced, ev, 0);

	ev->create.born_before = born_before;
	ev->create.untraced = untraced;
	return good;
}

static bool before_of(struct walk *w, bool *before)
{
	struct ctt_text since = { NULL, 0 };
	bool good = text_of(w, K_SINCE, &since);

	*before = since.len == 6 && !memcmp(since.p, "before", 6);
	return good;
}

static bool read_acquire(struct walk *w, struct ctt_event *ev)
{
	bool before, good = before_of(w, &before) && text_of(w, K_DOUBT, &ev->acquire.doubt);

	ev->acquire.since_before = before;
	return good;
}

/* What the state of a snapshot has beyond others. */
static bool read_state(struct walk *w, struct ctt_event *ev)
{
	bool before, leaked = false, closed = false, good = before_of(w, &before) &&
		number_of(w, K_WAKERS, &ev->state.wakers, ev, CTT_HAS_WAKERS) &&
		number_of(w, K_REFS, &ev->state.refs, ev, CTT_HAS_REFS) &&
		bool_of(w, K_LEAKED, &leaked, ev, 0) && bool_of(w, K_CLOSED, &closed, ev, 0) &&
		text_of(w, K_DOUBT, &ev->state.doubt);

	ev->state.since_before = before;
	ev->state.leaked = leaked;
	ev->state.closed = closed;
	return good;
}

static bool read_meta(struct walk *w, struct ctt_event *ev)
{
	bool attached = false, snapshot = false, born_before = false, dead = false, partial = false;
	struct ctt_text memory = { NULL, 0 };
	bool good = number_of(w, K_VERSION, &ev->meta.version, ev, CTT_HAS_VALUE) &&
		text_of(w, K_TOOL, &ev->meta.tool) && bool_of(w, K_ATTACHED, &attached, ev, 0) &&
		bool_of(w, K_SNAPSHOT, &snapshot, ev, 0) &&
		bool_of(w, K_BORN_BEFORE, &born_before, ev, 0) &&
		bool_of(w, K_PARTIAL, &partial, ev, 0) && bool_of(w, K_DEAD, &dead, ev, 0) &&
		text_of(w, K_MEMORY, &memory) && text_of(w, K_FORMAT, &ev->meta.format);

	ev->meta.attached = attached;
	ev->meta.snapshot = snapshot;
	ev->meta.born_before = born_before;
	ev->meta.partial = partial;
	ev->meta.dead = dead;
	ev->meta.torn = memory.len == 7 && !memcmp(memory.p, "running", 7);
	return good && (ev->meta.version <= NEWEST ||
			       json_fail(w, "version %" PRIu64 " is newer than this program",
				       ev->meta.version));
}

static bool read_process(struct walk *w, struct ctt_event *ev)
{
	bool ended = false, untraced = false,
	     good = number_of(w, K_PID, &ev->process.pid, ev, CTT_HAS_VALUE) &&
		text_of(w, K_PATH, &ev->process.path) && bool_of(w, K_ENDED, &ended, ev, 0) &&
		bool_of(w, K_UNTRACED, &untraced, ev, 0) &&
		number_of(w, K_ALIVE, &ev->process.alive, ev, 0);

	ev->process.untraced = untraced;
	ev->process.ended = ended;
	return good;
}

static bool read_map(struct walk *w, struct ctt_event *ev)
{
	return number_of(w, K_PID, &ev->map.pid, ev, CTT_HAS_VALUE) &&
		text_of(w, K_PATH, &ev->map.path) &&
		address_of(w, K_START, &ev->map.start, ev, 0) &&
		address_of(w, K_END, &ev->map.end, ev, 0) &&
		number_of(w, K_OFFSET, &ev->map.offset, ev, 0) &&
		text_of(w, K_BUILD_ID, &ev->map.build_id);
}

static bool read_thread(struct walk *w, struct ctt_event *ev)
{
	bool ended = false, good = number_of(w, K_PID, &ev->thread.pid, ev, CTT_HAS_VALUE) &&
		text_of(w, K_ROLE, &ev->thread.role) && bool_of(w, K_ENDED, &ended, ev, 0);

	ev->thread.ended = ended;
	return good;
}

static bool read_end(struct walk *w, struct ctt_event *ev)
{
	return number_of(w, K_EVENTS, &ev->end.events, ev, CTT_HAS_VALUE) &&
		number_of(w, K_LOST, &ev->end.lost, ev, 0) &&
		number_of(w, K_LIVE, &ev->end.live, ev, CTT_HAS_LIVE) &&
		number_of(w, K_ALIVE, &ev->end.alive, ev, 0) &&
		list_of(w, K_LINES, bad_counts, &ev->end.lines);
}

static bool read_exit(struct walk *w, struct ctt_event *ev)
{
	ev->exit.signaled = w->values[K_SIGNAL].p != NULL;
	return number_of(w, ev->exit.signaled ? K_SIGNAL : K_STATUS, &ev->exit.status, ev,
			CTT_HAS_VALUE) &&
		number_of(w, K_PID, &ev->exit.pid, ev, 0) &&
		number_of(w, K_ALIVE, &ev->exit.alive, ev, 0);
}

static bool read_waker(struct walk *w, struct ctt_event *ev)
{
	struct ctt_text op = { NULL, 0 };

	if (!text_of(w, K_OP, &op))
		return false;
	ev->waker.clone = op.len == 5 && !memcmp(op.p, "clone", 5);
	return ev->waker.clone || (op.len == 4 && !memcmp(op.p, "drop", 4)) ||
		json_fail(w, "\"op\" is neither clone nor drop");
}

/* The keys that a kind has of its own. */
static bool read_kind(struct walk *w, struct ctt_event *ev)
{
	switch (ev->kind) {
	case CTT_EV_CREATE:	return read_create(w, ev);
	case CTT_EV_STATE:	return read_state(w, ev);
	case CTT_EV_META:	return read_meta(w, ev);
	case CTT_EV_ATTACH:	return number_of(w, K_STATES, &ev->attach.states, ev, 0);
	case CTT_EV_PROCESS:	return read_process(w, ev);
	case CTT_EV_MAP:	return read_map(w, ev);
	case CTT_EV_THREAD:	return read_thread(w, ev);
	case CTT_EV_STOP:
	case CTT_EV_START:
		return number_of(w, K_PID, &ev->thread.pid, ev, CTT_HAS_VALUE);
	case CTT_EV_SITE:
		return text_of(w, K_FUNC, &ev->site_line.func) &&
			text_of(w, K_FILE, &ev->site_line.file) &&
			number_of(w, K_LINE, &ev->site_line.line, ev, 0);
	case CTT_EV_NAME:	return text_of(w, K_ROLE, &ev->name_line.role);
	case CTT_EV_STACK:
		return number_of(w, K_STACK, &ev->stack_line.number, ev, CTT_HAS_VALUE) &&
			list_of(w, K_FRAMES, bad_frames, &ev->stack_line.frames) &&
			list_of(w, K_SITES, bad_sites, &ev->stack_line.sites);
	case CTT_EV_SYMBOL:
		return text_of(w, K_PATH, &ev->symbol.path) &&
			list_of(w, K_AT, bad_symbol, &ev->symbol.at);
	case CTT_EV_NOTIFY:	return number_of(w, K_WOKEN, &ev->notify.woken, ev, CTT_HAS_VALUE);
	case CTT_EV_LEVEL:	return number_of(w, K_VALUE, &ev->level.value, ev, CTT_HAS_VALUE);
	case CTT_EV_PARK:
	case CTT_EV_UNPARK:	return number_of(w, K_DEPTH, &ev->park.depth, ev, CTT_HAS_VALUE);
	case CTT_EV_CUT:	return number_of(w, K_COUNT, &ev->cut.count, ev, CTT_HAS_VALUE);
	case CTT_EV_LOST:
		ev->lost.count = 1;	/* at least, where it does not say how many */
		return number_of(w, K_COUNT, &ev->lost.count, ev, CTT_HAS_VALUE) &&
			number_of(w, K_FROM, &ev->lost.from, ev, 0) &&
			number_of(w, K_TO, &ev->lost.to, ev, 0);
	case CTT_EV_END:	return read_end(w, ev);
	case CTT_EV_EXIT:	return read_exit(w, ev);
	case CTT_EV_ACQUIRE:	return read_acquire(w, ev);
	case CTT_EV_WAKER:	return read_waker(w, ev);
	default:
		return true;
	}
}

static bool read_values(struct walk *w, struct ctt_event *ev)
{
	struct ctt_text kind = { NULL, 0 };

	if (!text_of(w, K_EV, &kind) || !bool_of(w, K_IS_ACTIVE, &ev->is_active, ev, 0))
		return false;
	ev->v1 = !kind.p;
	ev->kind = kind.p     ? ev_parse(kind.p, kind.len) :
		ev->is_active ? CTT_EV_RESUME :
				CTT_EV_SUSPEND;
	return number_of(w, K_PROBE_ID, &ev->probe_id, ev, CTT_HAS_PROBE) &&
		number_of(w, K_TID, &ev->tid, ev, CTT_HAS_TID) &&
		address_of(w, K_ADDR, &ev->addr, ev, CTT_HAS_ADDR) &&
		number_of(w, K_SEQ, &ev->seq, ev, CTT_HAS_SEQ) &&
		number_of(w, K_TS, &ev->ts, ev, CTT_HAS_TS) &&
		number_of(w, K_N, &ev->n, ev, CTT_HAS_N) &&
		number_of(w, K_SITE, &ev->site, ev, CTT_HAS_SITE) &&
		number_of(w, K_PARENT, &ev->parent, ev, CTT_HAS_PARENT) &&
		number_of(w, K_BY, &ev->by, ev, CTT_HAS_BY) &&
		number_of(w, K_ANY_OF, &ev->any_of, ev, 0) &&
		number_of(w, K_ALL_OF, &ev->all_of, ev, 0) &&
		on_of(w, ev) &&
		bool_of(w, K_DONE, &ev->done, ev, CTT_HAS_DONE) &&
		bool_of(w, K_RESULT, &ev->result, ev, 0) &&
		number_of(w, K_STACK, &ev->stack, ev, CTT_HAS_STACK) &&
		text_of(w, K_REASON, &ev->reason) &&
		text_of(w, K_NAME, &ev->name) &&
		read_kind(w, ev);
}

/* Keys that a line cannot do without: most are a coroutine's own. */
static bool complete(struct walk *w, const struct ctt_event *ev)
{
	static const enum key always[] = { K_PROBE_ID, K_TS, K_TID, K_SEQ, K_IS_ACTIVE };
	size_t count = ev->v1 ? 5 : 2;

	if (is_timed(ev->kind) && !w->values[K_TS].p)
		return json_fail(w, "no \"ts\"");
	if (!is_coro_line(ev->kind))
		return true;
	if (ev->v1 && !w->values[K_PROBE_ID].p)
		return json_fail(w, "not a trace line: neither \"ev\" nor \"probe_id\"");
	for (size_t i = 0; i < count; i++)
		if (!w->values[always[i]].p)
			return json_fail(w, "no \"%s\"", key_names[always[i]]);
	if (ev->kind == CTT_EV_STATE && !w->values[K_IS_ACTIVE].p)
		return json_fail(w, "no \"is_active\"");
	return true;
}

/* All that cannot be true, named in one phrase. */
static bool possible(struct walk *w, const struct ctt_event *ev)
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
		return !is_timed(ev->kind) || ev->ts || json_fail(w, "impossible: ts 0");
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].bad)
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s %" PRIu64,
				n ? ", " : "", rules[i].name, rules[i].v);
	return !n || json_fail(w, "impossible: %s", list);
}

const char *json_parse(
	struct ctt_event *ev, const char *p, const char *end, char *scratch, char why[WHY_SIZE])
{
	struct ctt_text values[KEYS] = { { NULL, 0 } };
	struct walk w = { .p = p,
		.end = end,
		.scratch = scratch,
		.why = why,
		.member = note_value,
		.values = values };

	memset(ev, 0, offsetof(struct ctt_event, line));
	if (!json_object(&w) || !read_values(&w, ev) || !complete(&w, ev) || !possible(&w, ev))
		return w.error;
	if (!values[K_IS_ACTIVE].p)
		ev->is_active = ev->kind == CTT_EV_RESUME;
	return NULL;
}
