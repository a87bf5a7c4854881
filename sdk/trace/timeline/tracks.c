/* tracks.c - processes, threads and coroutines of a timeline, reported when first needed. Contracts
 * in timeline.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "timeline/timeline.h"

const struct tl_writer *tl_writer;
uint64_t tl_from, tl_to = UINT64_MAX, tl_late;
struct tl_arg tl_args[TL_ARGS];

static uint32_t shown(const struct tl_run *r, uint64_t id)
{
	static uint32_t made_up = MADE_UP;

	return !r->run && id && id < MADE_UP ? (uint32_t)id : made_up++;
}

void tl_process_named(struct tl_run *r, uint64_t pid, const char *name, size_t len)
{
	size_t known = r->processes.count;
	struct tl_process *p = table_get(&r->processes, pid, 0);
	struct buf b = { 0 };

	if (r->processes.count > known) {
		p->run = r->run;
		p->shown = shown(r, pid);
	} else if (!name) {
		return;
	}
	buf_add(&b, name ? name : "process", name ? len : strlen("process"));
	if (r->run) {
		buf_word(&b, " of run ");
		buf_number(&b, r->run + 1ull);
	}
	buf_byte(&b, '\0');
	tl_writer->process(p, b.p);
	free(b.p);
}

struct tl_process *tl_process(struct tl_run *r, uint64_t pid)
{
	tl_process_named(r, pid, NULL, 0);
	return table_get(&r->processes, pid, 0);
}

struct tl_thread *tl_thread(struct tl_run *r, uint64_t tid)
{
	size_t known = r->threads.count;
	struct tl_thread *t = table_get(&r->threads, tid, 0);

	if (r->threads.count > known) {
		t->run = r->run;
		t->shown = shown(r, tid);
	}
	return t;
}

static void declare_thread(struct tl_run *r, struct tl_thread *t)
{
	const struct ctt_worker *w = ctt_model_worker(r->spans.model, t->key.a);
	char number[64];
	struct buf name = { 0 };
	bool named = w && w->name && *w->name;

	if (!t->declared)
		t->process = tl_process(r, w && w->pid ? w->pid : r->pid)->shown;
	t->declared = true;
	snprintf(number, sizeof(number), named ? " (%" PRIu64 ")" : "thread %" PRIu64, t->key.a);
	if (named)
		buf_word(&name, w->name);
	if (!named || t->shown != t->key.a)
		buf_word(&name, number);
	buf_byte(&name, '\0');
	tl_writer->thread(t, name.p);
	free(name.p);
}

void tl_thread_named(struct tl_run *r, uint64_t tid)
{
	struct tl_thread *t = tl_thread(r, tid);

	if (t->declared)
		declare_thread(r, t);
}

static struct tl_group group_of(struct tl_run *r, const struct ctt_coro *c, uint32_t process)
{
	size_t known = r->groups.count;
	struct tl_group *g = table_get(&r->groups, c->spawn_site, process);
	char at[512];

	if (r->groups.count > known) {
		g->run = r->run;
		g->process = process;
		tl_writer->group(g,
			c->spawn_site ? ctt_model_site_text(at, sizeof(at), r->spans.model,
						c->spawn_site) :
					"coroutines");
	}
	return *g;
}

static void declare_coro(struct tl_run *r, const struct ctt_coro *c)
{
	struct tl_coro *t = c->span;
	struct buf name = { 0 };

	if (!t->declared) {
		const struct ctt_worker *w = ctt_model_worker(r->spans.model, c->tid);

		t->process = tl_process(r, w && w->pid ? w->pid : r->pid)->shown;
		t->run = r->run;
		t->group = group_of(r, c, t->process);
	}
	t->again = t->declared;
	t->declared = true;
	buf_number(&name, c->id);
	if (c->name && *c->name) {
		buf_byte(&name, ' ');
		buf_word(&name, c->name);
	}
	buf_byte(&name, '\0');
	if (!t->label)
		t->label = name.p;
	tl_writer->coro(t, name.p);
	if (t->label != name.p)
		free(name.p);
}

void tl_coro_named(struct tl_run *r, struct ctt_coro *c)
{
	const struct tl_coro *t = c->span;

	if (t && t->declared)
		declare_coro(r, c);
}

/* Its life, where a writer shows one, is around all that is known of it: an instant may come
 * late. */
static void on_coro(struct tl_run *r, struct tl_item *it)
{
	struct tl_coro *t = it->coro->c->span;

	if (!t->declared) {
		t->begin = t->c->first_ts > tl_from ? t->c->first_ts : tl_from;
		t->begin = it->from < t->begin ? it->from : t->begin;
		declare_coro(r, t->c);
	}
	if (it->shape == TL_INSTANT && it->from < t->begin)
		it->from = it->to = t->begin;
	if (it->to > t->end)
		t->end = it->to;
}

void tl_emit(struct tl_run *r, struct tl_item *it)
{
	if (it->to >= TL_LATE) {
		tl_late++;
		return;
	}
	if (it->to < tl_from || it->from > tl_to)
		return;
	it->run = r->run;
	if (it->from < tl_from)
		it->from = tl_from;
	if (it->to > tl_to)
		it->to = tl_to;
	if (it->thread && !it->thread->declared)
		declare_thread(r, (struct tl_thread *)it->thread);
	if (it->track == AT_CORO)
		on_coro(r, it);
	tl_writer->item(it);
}

void tl_add_number(struct tl_item *it, enum tl_key key, uint64_t v)
{
	tl_args[it->args++] = (struct tl_arg){ .key = key, .number = v };
}

void tl_add_nonzero(struct tl_item *it, enum tl_key key, uint64_t v)
{
	if (v)
		tl_add_number(it, key, v);
}

void tl_add_text(struct tl_item *it, enum tl_key key, const char *p, size_t len)
{
	if (p)
		tl_args[it->args++] = (struct tl_arg){ .key = key, .text = p, .len = len };
}

void tl_add_string(struct tl_item *it, enum tl_key key, const char *s)
{
	if (s && *s)
		tl_add_text(it, key, s, strlen(s));
}

size_t tl_texts(const struct tl_item *it)
{
	size_t len = it->name_len;

	for (size_t i = 0; i < it->args; i++)
		len += tl_args[i].text ? tl_args[i].len : 0;
	return it->site ? len + it->site->texts : len;
}

/* ---- what threads are at ---- */

static struct tl_entry *spare;		/* a list by `around` */

/* What begins before what is around it or what was before it, does not nest. */
void tl_open(struct tl_thread *t, const struct ctt_coro *c, uint64_t from)
{
	uint64_t after = t->inmost && t->inmost->from > t->reached ? t->inmost->from : t->reached;
	struct tl_entry *e = spare ? spare : need(malloc(sizeof(*e)));

	spare = spare ? spare->around : NULL;
	*e = (struct tl_entry){ .around = t->inmost,
		.tid = t->key.a,
		.id = c ? c->id : 0,
		.from = from,
		.apart = from < after };
	if (t->inmost)
		t->inmost->within = e;
	t->inmost = e;
	if (c)
		((struct tl_coro *)c->span)->open = e;
}

/* Its latest on this thread. */
static struct tl_entry *entry_of(const struct tl_thread *t, const struct ctt_coro *c)
{
	struct tl_coro *own = c ? c->span : NULL;
	uint64_t id = c ? c->id : 0;
	struct tl_entry *e = own ? own->open : NULL;

	if (e && e->tid == t->key.a) {
		own->open = NULL;
		return e;
	}
	for (e = t->inmost; e && e->id != id; e = e->around)
		;
	return e;
}

/* One that began within it and goes on does not nest, nor one that ends within it but began with
 * it: which of the two is around the other, a viewer could not show. */
bool tl_close(struct tl_thread *t, const struct ctt_coro *c, uint64_t to)
{
	struct tl_entry *e = entry_of(t, c);
	bool nests;

	if (!e)
		return false;
	nests = !e->apart && !e->within && to >= t->reached;
	if (e->around)
		e->around->within = e->within;
	if (e->within)
		e->within->around = e->around;
	else
		t->inmost = e->around;
	if (nests) {
		t->reached = to;
		for (struct tl_entry *o = e->around; o && o->from == e->from; o = o->around)
			o->apart = true;
	}
	e->around = spare;
	spare = e;
	return nests;
}

static void free_entries(struct tl_entry *e)
{
	for (struct tl_entry *around; e; e = around) {
		around = e->around;
		free(e);
	}
}

void tl_threads_free(struct tl_run *r)
{
	for (size_t i = 0; i < r->threads.count; i++) {
		struct tl_thread *t = table_at(&r->threads, i);

		free_entries(t->inmost);
		free(t->mark.text);
	}
	table_free(&r->threads);
	free_entries(spare);
	spare = NULL;
}
