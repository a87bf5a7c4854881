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

static void text(struct buf *b, unsigned field, const char *p, size_t len)
{
	size_t at = proto_begin(b, field);

	buf_utf8(b, p, len);
	proto_end(b, at);
}

static void string(struct buf *b, unsigned field, const char *s)
{
	text(b, field, s, strlen(s));
}

static size_t packet(void)
{
	size_t at = proto_begin(&tl_out, TRACE_PACKET);

	proto_number(&tl_out, PACKET_SEQUENCE_ID, SEQUENCE);
	return at;
}

static void end_packet(size_t at)
{
	proto_end(&tl_out, at);
	if (tl_out.len >= FLUSH)
		tl_flush();
}

static void interned(unsigned field, uint64_t iid, const char *name, size_t len)
{
	size_t at = proto_begin(&tl_out, field);

	proto_number(&tl_out, INTERNED_IID, iid);
	text(&tl_out, INTERNED_NAME, name, len);
	proto_end(&tl_out, at);
}

static void clock_is(unsigned id, uint64_t ts)
{
	size_t at = proto_begin(&tl_out, SNAPSHOT_CLOCKS);

	proto_number(&tl_out, CLOCK_ID, id);
	proto_number(&tl_out, CLOCK_TIMESTAMP, ts);
	proto_end(&tl_out, at);
}

/* Times are CLOCK_MONOTONIC, and stay so: it is made the trace's own clock. Numbers of keys and
 * categories are interned from
 * 1 on in their order. */
static void begin(uint64_t ts, uint64_t wall)
{
	size_t at = packet(), in = proto_begin(&tl_out, PACKET_CLOCK_SNAPSHOT);

	clock_is(CLOCK_MONOTONIC_, ts);
	if (wall)
		clock_is(CLOCK_REALTIME_, wall);
	proto_number(&tl_out, SNAPSHOT_PRIMARY, CLOCK_MONOTONIC_);
	proto_end(&tl_out, in);
	end_packet(at);
	at = packet();
	proto_number(&tl_out, PACKET_SEQUENCE_FLAGS, SEQ_INCREMENTAL_STATE_CLEARED);
	in = proto_begin(&tl_out, PACKET_DEFAULTS);
	proto_number(&tl_out, DEFAULTS_CLOCK_ID, CLOCK_MONOTONIC_);
	proto_end(&tl_out, in);
	in = proto_begin(&tl_out, PACKET_INTERNED_DATA);
	for (unsigned i = 0; i < TL_CATEGORIES; i++)
		interned(INTERNED_CATEGORIES, i + 1, tl_categories[i], strlen(tl_categories[i]));
	for (unsigned i = 0; i < TL_KEYS; i++)
		interned(INTERNED_ANNOTATION_NAMES, i + 1, tl_keys[i], strlen(tl_keys[i]));
	proto_end(&tl_out, in);
	end_packet(at);
}

static void process(const struct tl_process *p, const char *name)
{
	size_t at = packet(), track = proto_begin(&tl_out, PACKET_TRACK_DESCRIPTOR), in;

	proto_number(&tl_out, TRACK_UUID, process_uuid(p->run, p->shown));
	in = proto_begin(&tl_out, TRACK_PROCESS);
	proto_number(&tl_out, PROCESS_PID, p->shown);
	string(&tl_out, PROCESS_NAME, name);
	proto_end(&tl_out, in);
	proto_number(&tl_out, TRACK_CHILD_ORDERING, ORDER_CHRONOLOGICAL);
	proto_end(&tl_out, track);
	end_packet(at);
}

static void thread(const struct tl_thread *t, const char *name)
{
	size_t at = packet(), track = proto_begin(&tl_out, PACKET_TRACK_DESCRIPTOR), in;

	proto_number(&tl_out, TRACK_UUID, uuid(THREAD, t->run, t->key.a, 0));
	proto_number(&tl_out, TRACK_PARENT, process_uuid(t->run, t->process));
	in = proto_begin(&tl_out, TRACK_THREAD);
	proto_number(&tl_out, THREAD_PID, t->process);
	proto_number(&tl_out, THREAD_TID, t->shown);
	string(&tl_out, THREAD_NAME, name);
	proto_end(&tl_out, in);
	proto_end(&tl_out, track);
	end_packet(at);
}

static void named_track(uint64_t id, uint64_t parent, const char *name)
{
	size_t at = packet(), track = proto_begin(&tl_out, PACKET_TRACK_DESCRIPTOR);

	proto_number(&tl_out, TRACK_UUID, id);
	proto_number(&tl_out, TRACK_PARENT, parent);
	string(&tl_out, TRACK_NAME, name);
	proto_number(&tl_out, TRACK_CHILD_ORDERING, ORDER_CHRONOLOGICAL);
	proto_end(&tl_out, track);
	end_packet(at);
}

static void group(const struct tl_group *g, const char *name)
{
	named_track(group_uuid(g), process_uuid(g->run, g->process), name);
}

static void coro(const struct tl_coro *c, const char *name)
{
	named_track(coro_uuid(c), group_uuid(&c->group), name);
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
	size_t known = counters_declared.count, at, track;

	table_get(&counters_declared, t->run, t->key.a);
	if (counters_declared.count == known)
		return id;
	at = packet();
	track = proto_begin(&tl_out, PACKET_TRACK_DESCRIPTOR);
	proto_number(&tl_out, TRACK_UUID, id);
	proto_number(&tl_out, TRACK_PARENT, uuid(THREAD, t->run, t->key.a, 0));
	string(&tl_out, TRACK_NAME, "queue");
	proto_end(&tl_out, proto_begin(&tl_out, TRACK_COUNTER));
	proto_end(&tl_out, track);
	end_packet(at);
	return id;
}

static uint64_t beside_track(const struct tl_thread *t, uint64_t coro)
{
	uint64_t id = uuid(BESIDE, t->run, t->key.a, coro);
	char name[64];

	snprintf(name, sizeof(name), "beside thread %llu", (unsigned long long)t->key.a);
	named_track(id, process_uuid(t->run, t->process), name);
	return id;
}

static uint64_t track_of(const struct tl_item *it)
{
	if (it->shape == TL_COUNTER)
		return counter_track(it->thread);
	switch (it->track) {
	case AT_THREAD: return uuid(THREAD, it->run, it->thread->key.a, 0);
	case BESIDE_THREAD:
		return beside_track(it->thread, it->category == C_PARKED ? 0 : it->coro->c->id);
	case AT_CORO: return coro_uuid(it->coro);
	default: return process_uuid(it->run, it->process->shown);
	}
}

static void location(const struct ctt_site *s, uint64_t iid)
{
	size_t at = proto_begin(&tl_out, INTERNED_LOCATIONS);

	proto_number(&tl_out, LOCATION_IID, iid);
	string(&tl_out, LOCATION_FILE, s->file);
	string(&tl_out, LOCATION_FUNCTION, s->func);
	proto_number(&tl_out, LOCATION_LINE, s->line);
	proto_end(&tl_out, at);
}

/* The event's name and site, interned where they are first used. */
static uint64_t intern(const struct tl_item *it)
{
	size_t at = 0, known = sites_interned.count;
	uint64_t site = it->site ? 1 + table_index(&sites_interned, it->site->number, it->run) : 0;
	bool new_site = sites_interned.count > known;
	bool new_name = it->name_id &&
		(it->name_id >= names_interned.len || !names_interned.p[it->name_id]);

	if (!new_site && !new_name)
		return site;
	at = proto_begin(&tl_out, PACKET_INTERNED_DATA);
	while (names_interned.len <= it->name_id)
		buf_byte(&names_interned, '\0');
	if (new_name) {
		names_interned.p[it->name_id] = 1;
		interned(INTERNED_NAMES, it->name_id, it->name, it->name_len);
	}
	if (new_site)
		location(it->site, site);
	proto_end(&tl_out, at);
	return site;
}

static void annotations(const struct tl_item *it)
{
	for (size_t i = 0; i < it->args; i++) {
		size_t at = proto_begin(&tl_out, EVENT_ANNOTATIONS);

		proto_number(&tl_out, ANNOTATION_NAME_IID, it->arg[i].key + 1u);
		if (it->arg[i].text)
			text(&tl_out, ANNOTATION_STRING, it->arg[i].text, it->arg[i].len);
		else
			proto_number(&tl_out, ANNOTATION_UINT, it->arg[i].number);
		proto_end(&tl_out, at);
	}
}

static size_t event(unsigned type, uint64_t track)
{
	size_t at = proto_begin(&tl_out, PACKET_TRACK_EVENT);

	proto_number(&tl_out, EVENT_TYPE, type);
	proto_number(&tl_out, EVENT_TRACK, track);
	return at;
}

static size_t event_packet(uint64_t ts)
{
	size_t at = packet();

	proto_number(&tl_out, PACKET_TIMESTAMP, ts);
	proto_number(&tl_out, PACKET_SEQUENCE_FLAGS, SEQ_NEEDS_INCREMENTAL_STATE);
	return at;
}

static void item(const struct tl_item *it)
{
	static const unsigned types[] = { TYPE_SLICE_BEGIN, TYPE_INSTANT, TYPE_COUNTER };
	uint64_t track = track_of(it), site;
	size_t at = event_packet(it->from), in;

	site = it->shape == TL_COUNTER ? 0 : intern(it);
	in = event(types[it->shape], track);
	if (it->shape == TL_COUNTER) {
		proto_number(&tl_out, EVENT_COUNTER_VALUE,
			it->value > INT64_MAX ? INT64_MAX : it->value);
	} else {
		proto_number(&tl_out, EVENT_CATEGORY_IIDS, it->category + 1u);
		if (it->name_id)
			proto_number(&tl_out, EVENT_NAME_IID, it->name_id);
		else
			text(&tl_out, EVENT_NAME, it->name, it->name_len);
		if (site)
			proto_number(&tl_out, EVENT_SOURCE_LOCATION_IID, site);
		annotations(it);
		if (it->flow_out)
			proto_fixed64(&tl_out, EVENT_FLOW_IDS, it->flow_out);
		if (it->flow_in)
			proto_fixed64(&tl_out, EVENT_TERMINATING_FLOW_IDS, it->flow_in);
	}
	proto_end(&tl_out, in);
	end_packet(at);
	if (it->shape != TL_SLICE)
		return;
	at = event_packet(it->to);
	proto_end(&tl_out, event(TYPE_SLICE_END, track));
	end_packet(at);
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
