/* ct-tochrome - a trace as Trace Event JSON, which chrome://tracing, Perfetto's viewer and
 * speedscope open.
 *
 * in:	{"probe_id":7,...,"ts":1250,"ev":"suspend","n":3,"site":2,"on":"fd:9"} {"probe_id":7,...,"ts":2300,"ev":"resume","n":4}
 * out:	{"ph":"b",...,"cat":"coroutine","id2":{"local":"7@1000"},"name":"suspended at serve b.c:20 on fd","ts":1.250,...}
 *	{"ph":"e",...,"cat":"coroutine","id2":{"local":"7@1000"},"name":"suspended at serve b.c:20 on fd","ts":2.250}
 */
#include <stdlib.h>

#include "timeline/timeline.h"

static const char help[] =
	"usage: ct-tochrome [options] [trace ...]\n"
	"Print a trace as Trace Event JSON: the threads and what runs on them as slices,\n"
	"coroutines and what they do as asynchronous ones, flows from wakes to what they\n"
	"let run, the lengths of queues, and what ct-lostwake finds.\n\n"
	TIMELINE_HELP
	"example: ct-tochrome <trace.jsonl >trace.json && speedscope trace.json\n";

static const struct ctt_program program = { "ct-tochrome", help, timeline_options, NULL };

enum { FLUSH = 64 << 10 };
static bool begun;

/* Between quotes: UTF-8, control characters escaped. Perfetto's reader takes the closing quote
 * behind two backslashes for escaped, so the last one is spelled otherwise. */
static void escaped(const char *p, size_t len)
{
	size_t plain = 0, ascii = 0;
	char code[8];

	while (ascii < len && p[ascii] >= ' ' && p[ascii] < 0x7f && p[ascii] != '"' &&
		p[ascii] != '\\')
		ascii++;
	buf_add(&tl_out, p, ascii);
	p += ascii;
	len -= ascii;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c >= ' ' && c != '"' && c != '\\' && c != 0x7f)
			continue;
		buf_utf8(&tl_out, p + plain, i - plain);
		snprintf(code, sizeof(code),
			c == '"' || (c == '\\' && i + 1 < len) ? "\\%c" : "\\u%04x", c);
		buf_word(&tl_out, code);
		plain = i + 1;
	}
	buf_utf8(&tl_out, p + plain, len - plain);
}

static inline void key_text(const char *key, const char *p, size_t len)
{
	buf_word(&tl_out, ",\"");
	buf_word(&tl_out, key);
	buf_word(&tl_out, "\":\"");
	escaped(p, len);
	buf_byte(&tl_out, '"');
}

/* A reader's numbers are doubles: larger ones are texts, as are all ids. */
static inline void key_number(const char *key, uint64_t v)
{
	bool exact = v <= 1ull << 53;

	buf_word(&tl_out, ",\"");
	buf_word(&tl_out, key);
	buf_word(&tl_out, exact ? "\":" : "\":\"");
	buf_number(&tl_out, v);
	if (!exact)
		buf_byte(&tl_out, '"');
}

/* Microseconds, to the nanosecond. */
static inline void key_time(const char *key, uint64_t ns)
{
	unsigned rest = (unsigned)(ns % 1000);

	buf_word(&tl_out, ",\"");
	buf_word(&tl_out, key);
	buf_word(&tl_out, "\":");
	buf_number(&tl_out, ns / 1000);
	buf_byte(&tl_out, '.');
	buf_byte(&tl_out, (char)('0' + rest / 100));
	buf_byte(&tl_out, (char)('0' + rest / 10 % 10));
	buf_byte(&tl_out, (char)('0' + rest % 10));
}

/* Of asynchronous events: of one process; with the time of a life's beginning, as an id may be used
 * again. */
static void key_id(uint32_t run, uint64_t id, uint64_t since)
{
	buf_word(&tl_out, ",\"id2\":{\"local\":\"");
	if (run) {
		buf_number(&tl_out, run + 1ull);
		buf_byte(&tl_out, '/');
	}
	buf_number(&tl_out, id);
	if (since) {
		buf_byte(&tl_out, '@');
		buf_number(&tl_out, since);
	}
	buf_word(&tl_out, "\"}");
}

/* Events follow each other behind commas. */
static void open_event(const char *phase, uint32_t pid, uint32_t tid)
{
	if (!begun)
		buf_word(&tl_out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	else
		buf_word(&tl_out, ",\n");
	begun = true;
	buf_word(&tl_out, "{\"ph\":\"");
	buf_word(&tl_out, phase);
	buf_byte(&tl_out, '"');
	key_number("pid", pid);
	key_number("tid", tid);
}

static void close_event(void)
{
	buf_byte(&tl_out, '}');
	if (tl_out.len >= FLUSH)
		tl_flush();
}

static void metadata(const char *what, uint32_t pid, uint32_t tid, const char *name)
{
	open_event("M", pid, tid);
	key_text("name", what, strlen(what));
	buf_word(&tl_out, ",\"args\":{\"name\":\"");
	escaped(name, strlen(name));
	buf_word(&tl_out, "\"}");
	close_event();
}

static void begin(uint64_t ts, uint64_t wall)
{
	(void)ts, (void)wall;
}

static void process(const struct tl_process *p, const char *name)
{
	metadata("process_name", p->shown, 0, name);
}

static void thread(const struct tl_thread *t, const char *name)
{
	metadata("thread_name", t->process, t->shown, name);
}

static void group(const struct tl_group *g, const char *name)
{
	(void)g, (void)name;
}

/* Asynchronous slices of one category and id make a track, whose name is that of the slice around
 * them all: of a coroutine, its life. */
static void async(
	const char *phase, const char *cat, uint32_t pid, uint32_t run, uint64_t id, uint64_t since)
{
	open_event(phase, pid, pid);
	key_text("cat", cat, strlen(cat));
	key_id(run, id, since);
}

static void life(const char *phase, const struct tl_coro *c, uint64_t ts)
{
	async(phase, "coroutine", c->process, c->run, c->c->id, c->c->first_ts);
	key_text("name", c->label, strlen(c->label));
	key_time("ts", ts);
	close_event();
}

static void coro(const struct tl_coro *c, const char *name)
{
	(void)name;
	if (!c->again)
		life("b", c, c->begin);
}

static void coro_end(const struct tl_coro *c)
{
	life("e", c, c->end);
}

static void arguments(const struct tl_item *it)
{
	size_t at;

	if (!it->args && !it->site)
		return;
	buf_word(&tl_out, ",\"args\":{");
	at = tl_out.len;
	for (size_t i = 0; i < it->args; i++) {
		const struct tl_arg *a = &it->arg[i];

		if (a->text)
			key_text(tl_keys[a->key], a->text, a->len);
		else
			key_number(tl_keys[a->key], a->number);
	}
	if (it->site) {
		key_text("func", it->site->func, strlen(it->site->func));
		key_text("file", it->site->file, strlen(it->site->file));
		key_number("src_line", it->site->line);
	}
	/* the first comma */
	memmove(tl_out.p + at, tl_out.p + at + 1, tl_out.len-- - at - 1);
	buf_byte(&tl_out, '}');
}

static void name_and_args(const struct tl_item *it)
{
	key_text("name", it->name, it->name_len);
	key_time("ts", it->from);
	arguments(it);
	close_event();
}

static void counter(const struct tl_item *it)
{
	open_event("C", it->thread->process, it->thread->shown);
	buf_word(&tl_out, ",\"name\":\"queue of thread ");
	buf_number(&tl_out, it->thread->key.a);
	buf_byte(&tl_out, '"');
	key_time("ts", it->from);
	buf_word(&tl_out, ",\"args\":{\"length\":");
	buf_number(&tl_out, it->value);
	buf_byte(&tl_out, '}');
	close_event();
}

/* Flows go from slice to slice: bound to the one around them. */
static void flow(const char *phase, const struct tl_thread *t, uint64_t id, uint64_t ts)
{
	open_event(phase, t->process, t->shown);
	buf_word(&tl_out, ",\"cat\":\"wake\",\"name\":\"wake\",\"bp\":\"e\"");
	buf_word(&tl_out, ",\"id\":\"");
	buf_number(&tl_out, id);
	buf_byte(&tl_out, '"');
	key_time("ts", ts);
	close_event();
}

static void on_thread(const struct tl_item *it)
{
	bool slice = it->shape == TL_SLICE || it->flow_out;

	open_event(slice ? "X" : "i", it->thread->process, it->thread->shown);
	key_text("cat", tl_categories[it->category], strlen(tl_categories[it->category]));
	if (slice)
		key_time("dur", it->to - it->from);
	else
		buf_word(&tl_out, ",\"s\":\"t\"");
	name_and_args(it);
	if (it->flow_out)
		flow("s", it->thread, it->flow_out, it->from);
	if (it->flow_in)
		flow("f", it->thread, it->flow_in, it->from);
}

/* Of a coroutine, or beside a thread's. */
static void on_async(const struct tl_item *it)
{
	bool beside = it->track == BESIDE_THREAD;
	uint32_t pid = beside ? it->thread->process : it->coro->process;
	uint64_t id = !beside            ? it->coro->c->id :
		it->category == C_PARKED ? it->thread->key.a :
					   it->coro->c->id;
	uint64_t since = beside && it->category == C_PARKED ? 0 : it->coro->c->first_ts;
	const char *cat = !beside        ? "coroutine" :
		it->category == C_PARKED ? "parked beside" :
					   "runs beside";

	async(it->shape == TL_SLICE ? "b" : "n", cat, pid, it->run, id, since);
	name_and_args(it);
	if (it->shape != TL_SLICE)
		return;
	async("e", cat, pid, it->run, id, since);
	key_text("name", it->name, it->name_len);
	key_time("ts", it->to);
	close_event();
}

static void item(const struct tl_item *it)
{
	if (it->shape == TL_COUNTER) {
		counter(it);
	} else if (it->track == AT_PROCESS) {
		open_event("i", it->process->shown, it->process->shown);
		key_text("cat", tl_categories[it->category], strlen(tl_categories[it->category]));
		buf_word(&tl_out, ",\"s\":\"p\"");
		name_and_args(it);
	} else if (it->track == AT_THREAD) {
		on_thread(it);
	} else {
		on_async(it);
	}
}

static void end(void)
{
	buf_word(&tl_out, begun ? "\n]}\n" : "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}\n");
}

static const struct tl_writer writer = { begin, process, thread, group, coro, coro_end, item };
static const struct timeline_program timeline = { &program, &writer, end };

int main(int argc, char *argv[])
{
	return timeline_main(argc, argv, &timeline);
}
