/* ct-toperfetto - a trace for Perfetto's viewer and trace processor: protocol buffers, a track a
 * worker and a coroutine.
 *
 * in:	{"probe_id":7,...,"ts":1250,"ev":"suspend","n":3,"site":2,"on":"fd:9"} {"probe_id":7,...,"ts":2300,"ev":"resume","n":4}
 * out:	packet { timestamp: 1250 track_event { type: TYPE_SLICE_BEGIN name: "suspended at serve b.c:20 on fd" ... } }
 */
#include <stdlib.h>

#include "proto.h"
#include "timeline/timeline.h"

static const char help[] =
	"usage: ct-toperfetto [options] [trace ...]\n"
	"Print a trace in Perfetto's own format, for its viewer and its trace processor:\n"
	"a track a thread (what runs on it, parked), a track a coroutine (what it does,\n"
	"where, what it waits on), flows from wakes to what they let run, the lengths of\n"
	"queues, and what ct-lostwake finds.\n\n"
	TIMELINE_HELP
	"example: ct-toperfetto <trace.jsonl >trace.pftrace    # then open it in the \\\n"
	"         viewer\n";

static const struct ctt_program program = { "ct-toperfetto", help, timeline_options, NULL };

enum { SEQUENCE = 1, FLUSH = 64 << 10 };
enum kind { PROCESS = 1, THREAD, BESIDE, CORO, GROUP, QUEUE };	/* of tracks */

/* What was interned: names by their ids, sites by run and number. */
static struct buf names_interned;
static struct table sites_interned = { .elem = sizeof(struct pair) },
		    counters_declared = { .elem = sizeof(struct pair) };

/* A track is named by 64 bits: these are as good as unique (splitmix64). */
static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) + 0x9E3779B97F4A7C15ull;
	h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9ull;
	h = (h ^ h >> 27) * 0x94D049BB133111EBull;
	return h ^ h >> 31;
}

static uint64_t uuid(enum kind kind, uint32_t run, uint64_t a, uint64_t b)
{
	return mix(mix(mix(0, (uint64_t)kind << 32 | run), a), b) | 1;
}

static uint64_t process_uuid(uint32_t run, uint32_t process)
{
	return uuid(PROCESS, run, process, 0);
}
static uint64_t group_uuid(const struct tl_group *g)
{
	return uuid(GROUP, g->run, g->process, g->key.a);
}
/* A life each: an id that is used again may belong elsewhere, and its lives may overlap where lines
 * are wrong. */
static uint64_t coro_uuid(const struct tl_coro *c)
{
	return uuid(CORO, c->run, c->c->id, mix(group_uuid(&c->group), c->c->first_ts));
}

static char *text(char *p, unsigned field, const char *s, size_t len)
{
	char *at = proto_begin(p, field);

	return proto_end(at, put_utf8(at, s, len));
}

static char *string(char *p, unsigned field, const char *s)
{
	return text(p, field, s, strlen(s));
}

/* ---- packets ---- */

/* ROOM: for what has a bounded length in one; UTF8: texts, which have not, may become so many times
 * as long. */
enum { ROOM = 4 << 10, UTF8 = 3 };

/* Begins one with texts of so many bytes: `at` is for end_packet. */
static char *packet(char **at, size_t texts)
{
	buf_room(&tl_out, ROOM + UTF8 * texts);
	*at = proto_begin(tl_out.p + tl_out.len, TRACE_PACKET);
	return proto_number(*at, PACKET_SEQUENCE_ID, SEQUENCE);
}

static void end_packet(char *at, char *p)
{
	tl_out.len = (size_t)(proto_end(at, p) - tl_out.p);
	if (tl_out.len >= FLUSH)
		tl_flush();
}

static char *interned(char *p, unsigned field, uint64_t iid, const char *name, size_t len)
{
	char *at = proto_begin(p, field);

	p = proto_number(at, INTERNED_IID, iid);
	return proto_end(at, text(p, INTERNED_NAME, name, len));
}

static char *clock_is(char *p, unsigned id, uint64_t ts)
{
	char *at = proto_begin(p, SNAPSHOT_CLOCKS);

	p = proto_number(at, CLOCK_ID, id);
	return proto_end(at, proto_number(p, CLOCK_TIMESTAMP, ts));
}

/* Times are CLOCK_MONOTONIC, and stay so: it is made the trace's own clock. Numbers of keys and
 * categories are interned from
 * 1 on in their order. */
static void begin(uint64_t ts, uint64_t wall)
{
	char *at, *p = packet(&at, 0), *in = proto_begin(p, PACKET_CLOCK_SNAPSHOT);

	p = clock_is(in, CLOCK_MONOTONIC_, ts);
	if (wall)
		p = clock_is(p, CLOCK_REALTIME_, wall);
	p = proto_number(p, SNAPSHOT_PRIMARY, CLOCK_MONOTONIC_);
	end_packet(at, proto_end(in, p));
	p = packet(&at, 0);
	p = proto_number(p, PACKET_SEQUENCE_FLAGS, SEQ_INCREMENTAL_STATE_CLEARED);
	in = proto_begin(p, PACKET_DEFAULTS);
	p = proto_end(in, proto_number(in, DEFAULTS_CLOCK_ID, CLOCK_MONOTONIC_));
	p = in = proto_begin(p, PACKET_INTERNED_DATA);
	for (unsigned i = 0; i < TL_CATEGORIES; i++)
		p = interned(p, INTERNED_CATEGORIES, i + 1, tl_categories[i],
			strlen(tl_categories[i]));
	for (unsigned i = 0; i < TL_KEYS; i++)
		p = interned(p, INTERNED_ANNOTATION_NAMES, i + 1, tl_keys[i], strlen(tl_keys[i]));
	end_packet(at, proto_end(in, p));
}

static void process(const struct tl_process *proc, const char *name)
{
	char *at, *p = packet(&at, strlen(name)), *in;
	char *track = proto_begin(p, PACKET_TRACK_DESCRIPTOR);

	p = proto_number(track, TRACK_UUID, process_uuid(proc->run, proc->shown));
	in = proto_begin(p, TRACK_PROCESS);
	p = string(proto_number(in, PROCESS_PID, proc->shown), PROCESS_NAME, name);
	p = proto_number(proto_end(in, p), TRACK_CHILD_ORDERING, ORDER_CHRONOLOGICAL);
	end_packet(at, proto_end(track, p));
}

/* The track of events, as they have it. */
static char *event_track(char *p, uint64_t id)
{
	return proto_number(p, EVENT_TRACK, id);
}

static void keep(struct kept *mark, uint64_t id)
{
	char b[PROTO_NUMBER];

	put_keep(mark, b, event_track(b, id));
}

static void thread(struct tl_thread *t, const char *name)
{
	char *at, *p = packet(&at, strlen(name)), *in;
	char *track = proto_begin(p, PACKET_TRACK_DESCRIPTOR);
	uint64_t id = uuid(THREAD, t->run, t->key.a, 0);

	p = proto_number(track, TRACK_UUID, id);
	p = proto_number(p, TRACK_PARENT, process_uuid(t->run, t->process));
	in = proto_begin(p, TRACK_THREAD);
	p = proto_number(in, THREAD_PID, t->process);
	p = string(proto_number(p, THREAD_TID, t->shown), THREAD_NAME, name);
	end_packet(at, proto_end(track, proto_end(in, p)));
	keep(&t->mark, id);
}

static void named_track(uint64_t id, uint64_t parent, const char *name)
{
	char *at, *p = packet(&at, strlen(name));
	char *track = proto_begin(p, PACKET_TRACK_DESCRIPTOR);

	p = proto_number(track, TRACK_UUID, id);
	p = string(proto_number(p, TRACK_PARENT, parent), TRACK_NAME, name);
	p = proto_number(p, TRACK_CHILD_ORDERING, ORDER_CHRONOLOGICAL);
	end_packet(at, proto_end(track, p));
}

static void group(const struct tl_group *g, const char *name)
{
	named_track(group_uuid(g), process_uuid(g->run, g->process), name);
}

static void coro(struct tl_coro *c, const char *name)
{
	uint64_t id = coro_uuid(c);

	named_track(id, group_uuid(&c->group), name);
	keep(&c->mark, id);
}

static void coro_end(const struct tl_coro *c)
{
	(void)c;
}

/* A counter's track, and those beside a thread's, which viewers put together by their name:
 * reported when first used. */
static uint64_t counter_track(const struct tl_thread *t)
{
	uint64_t id = uuid(QUEUE, t->run, t->key.a, 0);
	size_t known = counters_declared.count;
	char *at, *p, *track;

	table_get(&counters_declared, t->run, t->key.a);
	if (counters_declared.count == known)
		return id;
	p = packet(&at, 0);
	track = proto_begin(p, PACKET_TRACK_DESCRIPTOR);
	p = proto_number(track, TRACK_UUID, id);
	p = proto_number(p, TRACK_PARENT, uuid(THREAD, t->run, t->key.a, 0));
	p = proto_begin(string(p, TRACK_NAME, "queue"), TRACK_COUNTER);
	end_packet(at, proto_end(track, proto_end(p, p)));
	return id;
}

static uint64_t beside_track(const struct tl_thread *t, uint64_t coro)
{
	uint64_t id = uuid(BESIDE, t->run, t->key.a, coro);
	char name[64];

	*put_number(put_word(name, "beside thread "), t->key.a) = '\0';
	named_track(id, process_uuid(t->run, t->process), name);
	return id;
}

/* The item's track as events have it, reported before where that is due; valid until the next
 * call. */
static const struct kept *track_of(const struct tl_item *it)
{
	static char bytes[PROTO_NUMBER + PUT_BLOCK];
	static struct kept made = { bytes, 0 };
	bool parked = it->category == C_PARKED;
	uint64_t id;

	if (it->shape == TL_COUNTER)
		id = counter_track(it->thread);
	else if (it->track == AT_THREAD)
		return &it->thread->mark;
	else if (it->track == AT_CORO)
		return &it->coro->mark;
	else if (it->track == BESIDE_THREAD)
		id = beside_track(it->thread, parked ? 0 : it->coro->c->id);
	else
		id = process_uuid(it->run, it->process->shown);
	made.len = (size_t)(event_track(bytes, id) - bytes);
	return &made;
}

static char *location(char *p, const struct ctt_site *s, uint64_t iid)
{
	char *at = proto_begin(p, INTERNED_LOCATIONS);

	p = proto_number(at, LOCATION_IID, iid);
	p = string(string(p, LOCATION_FILE, s->file), LOCATION_FUNCTION, s->func);
	return proto_end(at, proto_number(p, LOCATION_LINE, s->line));
}

/* The event's name and site, interned where they are first used; 0: it has no site. */
static char *intern(char *p, const struct tl_item *it, uint64_t *site)
{
	size_t known = sites_interned.count;
	bool new_site, new_name;
	char *at;

	*site = it->site ? 1 + table_index(&sites_interned, it->site->number, it->run) : 0;
	new_site = sites_interned.count > known;
	new_name = it->name_id &&
		(it->name_id >= names_interned.len || !names_interned.p[it->name_id]);
	if (!new_site && !new_name)
		return p;
	p = at = proto_begin(p, PACKET_INTERNED_DATA);
	while (names_interned.len <= it->name_id)
		buf_byte(&names_interned, '\0');
	if (new_name) {
		names_interned.p[it->name_id] = 1;
		p = interned(p, INTERNED_NAMES, it->name_id, it->name, it->name_len);
	}
	if (new_site)
		p = location(p, it->site->at, *site);
	return proto_end(at, p);
}

static char *annotations(char *p, const struct tl_item *it)
{
	for (size_t i = 0; i < it->args; i++) {
		const struct tl_arg *a = &tl_args[i];
		char *at = proto_begin(p, EVENT_ANNOTATIONS);

		p = proto_number(at, ANNOTATION_NAME_IID, a->key + 1u);
		p = a->text ? text(p, ANNOTATION_STRING, a->text, a->len) :
			      proto_number(p, ANNOTATION_UINT, a->number);
		p = proto_end(at, p);
	}
	return p;
}

/* ---- events ---- */

static char *event_packet(char **at, size_t texts, uint64_t ts)
{
	char *p = proto_number(packet(at, texts), PACKET_TIMESTAMP, ts);

	return proto_number(p, PACKET_SEQUENCE_FLAGS, SEQ_NEEDS_INCREMENTAL_STATE);
}

static char *event(char **at, char *p, unsigned type, const struct kept *track)
{
	*at = proto_begin(p, PACKET_TRACK_EVENT);
	return put_kept(proto_number(*at, EVENT_TYPE, type), track);
}

static char *slice(char *p, const struct tl_item *it, uint64_t site)
{
	p = proto_number(p, EVENT_CATEGORY_IIDS, it->category + 1u);
	p = it->name_id ? proto_number(p, EVENT_NAME_IID, it->name_id) :
			  text(p, EVENT_NAME, it->name, it->name_len);
	if (site)
		p = proto_number(p, EVENT_SOURCE_LOCATION_IID, site);
	p = annotations(p, it);
	if (it->flow_out)
		p = proto_fixed64(p, EVENT_FLOW_IDS, it->flow_out);
	if (it->flow_in)
		p = proto_fixed64(p, EVENT_TERMINATING_FLOW_IDS, it->flow_in);
	return p;
}

static void item(const struct tl_item *it)
{
	static const unsigned types[] = { TYPE_SLICE_BEGIN, TYPE_INSTANT, TYPE_COUNTER };
	const struct kept *track = track_of(it);
	uint64_t site = 0, value = it->value > INT64_MAX ? INT64_MAX : it->value;
	char *at, *in, *p = event_packet(&at, tl_texts(it), it->from);

	if (it->shape != TL_COUNTER)
		p = intern(p, it, &site);
	p = event(&in, p, types[it->shape], track);
	p = it->shape == TL_COUNTER ? proto_number(p, EVENT_COUNTER_VALUE, value) :
				      slice(p, it, site);
	end_packet(at, proto_end(in, p));
	if (it->shape != TL_SLICE)
		return;
	p = event_packet(&at, 0, it->to);
	p = event(&in, p, TYPE_SLICE_END, track);
	end_packet(at, proto_end(in, p));
}

static void end(void)
{
	free(names_interned.p);
	table_free(&sites_interned);
	table_free(&counters_declared);
}

static const struct tl_writer writer = { begin, process, thread, group, coro, coro_end, item };
static const struct timeline_program timeline = { &program, &writer, end };

int main(int argc, char *argv[])
{
	return timeline_main(argc, argv, &timeline);
}
