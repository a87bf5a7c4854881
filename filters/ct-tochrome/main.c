/* ct-tochrome - a trace as Trace Event JSON, which chrome://tracing, Perfetto's viewer and
 * speedscope open.
 *
 * in:	{"probe_id":7,...,"ts":1250,"ev":"suspend","n":3,"site":2,"on":"fd:9"} {"probe_id":7,...,"ts":2300,"ev":"resume","n":4}
 * out:	{"ph":"b",...,"cat":"coroutine","id2":{"local":"7@1000"},"name":"suspended at serve b.c:20 on fd","ts":1.250,...}
 *	{"ph":"e",...,"cat":"coroutine","id2":{"local":"7@1000"},"name":"suspended at serve b.c:20 on fd","ts":2.250}
 */
#include <stdlib.h>

#include "base/mem.h"
#include "json.h"
#include "timeline/timeline.h"

static const char help[] =
	"usage: ct-tochrome [options] [trace ...]\n"
	"Print a trace as Trace Event JSON: the threads and what runs on them as slices,\n"
	"coroutines and what they do as asynchronous ones, flows from wakes to what they\n"
	"let run, the lengths of queues, and what ct-lostwake finds.\n\n"
	TIMELINE_HELP
	"example: ct-tochrome <trace.jsonl >trace.json && speedscope trace.json\n";

static const struct ctt_program program = { "ct-tochrome", help, timeline_options, NULL };

/* ROOM: for what has a bounded length in one event. */
enum { FLUSH = 64 << 10, ROOM = 4 << 10 };
static bool begun;

/* ---- what is kept ---- */

/* The keys of arguments, with what stands around them. */
static struct kept keys[TL_KEYS];

static void make_keys(void)
{
	char key[64];

	for (size_t i = 0; i < TL_KEYS; i++)
		put_keep(&keys[i], key, put_key(key, tl_keys[i]));
}

/* Names, by their ids: the key with its value, and the key that follows. */
static struct kept *names;
static size_t names_room;

static char *key_name_ts(char *p, const struct tl_item *it)
{
	size_t known = names_room;
	char *from = p;

	if (it->name_id < names_room && names[it->name_id].text)
		return put_kept(p, &names[it->name_id]);
	p = key_text(p, "name", it->name, it->name_len);
	p = put_word(p, TS);
	if (!it->name_id)
		return p;
	while (names_room <= it->name_id)
		names = array_grow(names, names_room, &names_room, sizeof(*names));
	if (names_room > known)
		memset(names + known, 0, (names_room - known) * sizeof(*names));
	put_keep(&names[it->name_id], from, p);
	return p;
}

static char *site_keys(char *p, struct tl_site *s)
{
	char *from = p;

	if (s->mark.text)
		return put_kept(p, &s->mark);
	p = key_text(p, "func", s->at->func, strlen(s->at->func));
	p = key_text(p, "file", s->at->file, strlen(s->at->file));
	p = key_number(p, "src_line", s->at->line);
	put_keep(&s->mark, from, p);
	return p;
}

/* ---- events ---- */

/* Events follow each other behind commas. */
static char *open_event(char phase, size_t texts)
{
	static const char first[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
	char *p;

	buf_room(&tl_out, ROOM + ESCAPED * texts);
	p = put_word(tl_out.p + tl_out.len, begun ? "," : first);
	begun = true;
	p = put_word(p, "\n{\"ph\":\"");
	*p++ = phase;
	*p++ = '"';
	return p;
}

static void close_event(char *p)
{
	*p++ = '}';
	tl_out.len = (size_t)(p - tl_out.p);
	if (tl_out.len >= FLUSH)
		tl_flush();
}

static char *of_thread(char *p, uint32_t pid, uint32_t tid)
{
	return key_number(key_number(p, "pid", pid), "tid", tid);
}

static void metadata(const char *what, uint32_t pid, uint32_t tid, const char *name)
{
	char *p = of_thread(open_event('M', strlen(name)), pid, tid);

	p = put_word(key_text(p, "name", what, strlen(what)), ",\"args\":{\"name\":\"");
	close_event(put_word(put_escaped(p, name, strlen(name)), "\"}"));
}

static void begin(uint64_t ts, uint64_t wall)
{
	(void)ts, (void)wall;
}

static void process(const struct tl_process *p, const char *name)
{
	metadata("process_name", p->shown, 0, name);
}

static void thread(struct tl_thread *t, const char *name)
{
	char mark[64];

	put_keep(&t->mark, mark, of_thread(mark, t->process, t->shown));
	metadata("thread_name", t->process, t->shown, name);
}

static void group(const struct tl_group *g, const char *name)
{
	(void)g, (void)name;
}

/* Asynchronous slices of one category and id make a track, whose name is that of the slice around
 * them all: of a coroutine, its life. What stands before the id is kept, as it was last. */
enum beside { COROUTINE, RUNS_BESIDE, PARKED_BESIDE };
static struct { uint32_t pid; struct kept mark; } tracks[3];

static char *track(char *p, enum beside kind, uint32_t pid)
{
	static const char *const cats[] = { "coroutine", "runs beside", "parked beside" };
	struct kept *k = &tracks[kind].mark;
	char made[128];

	if (!k->text || tracks[kind].pid != pid) {
		tracks[kind].pid = pid;
		put_keep(k, made,
			key_text(of_thread(made, pid, pid), "cat", cats[kind], strlen(cats[kind])));
	}
	return put_kept(p, k);
}

static void life(char phase, const struct tl_coro *c, uint64_t ts)
{
	size_t len = strlen(c->label);
	char *p = put_kept(open_event(phase, len), &c->mark);

	p = put_word(key_text(p, "name", c->label, len), TS);
	close_event(put_time(p, ts));
}

static void coro(struct tl_coro *c, const char *name)
{
	char mark[256];

	(void)name;
	if (c->again)
		return;
	put_keep(&c->mark, mark,
		key_id(track(mark, COROUTINE, c->process), c->run, c->c->id, c->c->first_ts));
	life('b', c, c->begin);
}

static void coro_end(const struct tl_coro *c)
{
	life('e', c, c->end);
}

static char *arguments(char *p, const struct tl_item *it)
{
	char *brace;

	if (!it->args && !it->site)
		return p;
	p = put_word(p, ",\"args\":");
	brace = p;		/* it takes the place of the first comma */
	for (size_t i = 0; i < it->args; i++) {
		const struct tl_arg *a = &tl_args[i];

		p = put_kept(p, &keys[a->key]);
		p = a->text ? quoted(p, a->text, a->len) : exact(p, a->number);
	}
	if (it->site)
		p = site_keys(p, it->site);
	*brace = '{';
	*p++ = '}';
	return p;
}

static void name_and_args(char *p, const struct tl_item *it)
{
	close_event(arguments(put_time(key_name_ts(p, it), it->from), it));
}

static void counter(const struct tl_item *it)
{
	char *p = put_kept(open_event('C', 0), &it->thread->mark);

	p = put_number(put_word(p, ",\"name\":\"queue of thread "), it->thread->key.a);
	p = put_time(put_word(p, "\"" TS), it->from);
	p = put_number(put_word(p, ",\"args\":{\"length\":"), it->value);
	*p++ = '}';
	close_event(p);
}

/* Flows go from slice to slice: bound to the one around them. */
static void flow(char phase, const struct tl_thread *t, uint64_t id, uint64_t ts)
{
	char *p = put_kept(open_event(phase, 0), &t->mark);

	p = put_word(p, ",\"cat\":\"wake\",\"name\":\"wake\",\"bp\":\"e\",\"id\":\"");
	p = put_word(put_number(p, id), "\"" TS);
	close_event(put_time(p, ts));
}

static char *key_category(char *p, const struct tl_item *it)
{
	p = put_word(put_word(p, ",\"cat\":\""), tl_categories[it->category]);
	*p++ = '"';
	return p;
}

static void on_thread(const struct tl_item *it)
{
	bool slice = it->shape == TL_SLICE || it->flow_out;
	char *p = open_event(slice ? 'X' : 'i', tl_texts(it));

	p = key_category(put_kept(p, &it->thread->mark), it);
	if (slice)
		p = put_time(put_word(p, ",\"dur\":"), it->to - it->from);
	else
		p = put_word(p, ",\"s\":\"t\"");
	name_and_args(p, it);
	if (it->flow_out)
		flow('s', it->thread, it->flow_out, it->from);
	if (it->flow_in)
		flow('f', it->thread, it->flow_in, it->from);
}

/* Of a coroutine, or beside a thread's. */
static char *track_of(char *p, const struct tl_item *it)
{
	bool parked = it->category == C_PARKED;

	if (it->track != BESIDE_THREAD)
		return put_kept(p, &it->coro->mark);
	return key_id(track(p, parked ? PARKED_BESIDE : RUNS_BESIDE, it->thread->process), it->run,
		parked ? it->thread->key.a : it->coro->c->id,
		parked ? 0 : it->coro->c->first_ts);
}

/* A slice's end repeats its beginning's track and name. */
static void on_async(const struct tl_item *it)
{
	bool slice = it->shape == TL_SLICE;
	char *from = open_event(slice ? 'b' : 'n', tl_texts(it) + it->name_len);
	char *to = key_name_ts(track_of(from, it), it);
	char *p = arguments(put_time(to, it->from), it);

	if (slice) {
		p = put_word(p, "},\n{\"ph\":\"e\"");
		p = put_time(put_text(p, from, (size_t)(to - from)), it->to);
	}
	close_event(p);
}

static void item(const struct tl_item *it)
{
	char *p;

	if (it->shape == TL_COUNTER) {
		counter(it);
	} else if (it->track == AT_PROCESS) {
		p = open_event('i', tl_texts(it));
		p = key_category(of_thread(p, it->process->shown, it->process->shown), it);
		name_and_args(put_word(p, ",\"s\":\"p\""), it);
	} else if (it->track == AT_THREAD) {
		on_thread(it);
	} else {
		on_async(it);
	}
}

static void end(void)
{
	static const char none[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}\n";

	buf_word(&tl_out, begun ? "\n]}\n" : none);
	for (size_t i = 0; i < names_room; i++)
		free(names[i].text);
	for (size_t i = 0; i < TL_KEYS; i++)
		free(keys[i].text);
	for (size_t i = 0; i < sizeof(tracks) / sizeof(*tracks); i++)
		free(tracks[i].mark.text);
	free(names);
}

static const struct tl_writer writer = { begin, process, thread, group, coro, coro_end, item };
static const struct timeline_program timeline = { &program, &writer, end };

int main(int argc, char *argv[])
{
	make_keys();
	return timeline_main(argc, argv, &timeline);
}
