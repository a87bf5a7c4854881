/* cpp-refs.c - which thread runs a frame, and what refers to it. Contracts in cpp.h. */
#include <stdlib.h>
#include <string.h>

#include "cpp.h"
#include "search.h"

enum { HEADER = 64 };		/* bytes that whoever allocates a frame has ahead of it, at most */
#define MAX_TEXT (1 << 20)	/* no coroutine is longer: where to look for the one around an address */

static bool runs_kind(const struct thread *th, const struct kind *k)
{
	for (size_t i = 0; i < th->calls; i++)
		if (th->call[i] >= k->resume && th->call[i] < k->resume + k->text_size)
			return true;
	return false;
}

/* A thread runs a frame when it is in its function, and the frame's address is in a register or on
 * its stack. */
static void thread_runs(const struct target *t, const struct thread *th)
{
	enum { DEPTH = 1 << 15 };	/* words */
	uint64_t word, end = th->sp + DEPTH * 8;
	bool any = false;

	for (size_t i = 0; i < th->calls && !any; i++)
		any = kind_with(
			th->call[i] > MAX_TEXT ? th->call[i] - MAX_TEXT : 0, th->call[i] + 1);
	for (size_t i = 0; i < REGISTERS && any; i++) {
		struct frame *f = frame_with(th->reg[i], false);

		if (f && runs_kind(th, f->kind))
			f->tid = th->tid;
	}
	for (uint64_t at = th->sp; any && at < end && mem_word(t, at, &word); at += 8) {
		struct frame *f = frame_with(word, false);

		if (f && !f->tid && runs_kind(th, f->kind))
			f->tid = th->tid;
	}
}

void frames_running(const struct target *t)
{
	for (size_t i = 0; i < t->threads && cpp_frames.count; i++)
		thread_runs(t, &t->thread[i]);
}

/* Memory that was freed, or is below a thread's stack pointer, refers to nothing. What else may have grown
 * together with that stack is no part of it. */
static bool dead_word(const struct target *t, uint64_t at)
{
	const struct mapping *m;
	uint64_t size = 8;

	if (heap_chunk(at, &size) == CHUNK_FREE)
		return true;
	m = map_at(t, at);
	for (size_t i = 0; m && i < t->threads; i++)
		if (t->thread[i].sp >= m->start && t->thread[i].sp < m->end &&
			at + 128 < t->thread[i].sp &&
			(!strcmp(m->path, "[stack]") || (t->thread[i].low && at >= t->thread[i].low)))
			return true;
	return false;
}

static bool awaits(const struct frame *f, const struct frame *what)
{
	enum { DEEP = 64 };

	for (int i = 0; f && f != what && i < DEEP; i++)
		f = f->child;
	return f == what;
}

/* Who awaits it has it, too, but runs only when it is done. from: where the word is, 0: not in
 * memory. */
static void refer(const struct target *t, uint64_t word, uint64_t from)
{
	struct frame *f = frame_with(word, true),
		     *owner = f && from ? frame_with(from, true) : NULL;

	if (!f || owner == f || (owner && owner->child == f) || (from && dead_word(t, from)))
		return;
	/* nor does what it awaits and is over */
	if (from && f->dead && from >= f->dead && from - f->dead < f->dead_size)
		return;
	f->refs++;
	if (word != f->addr && word != f->addr + f->kind->promise_at &&
		!(owner && awaits(f, owner)))
		f->into++;
}

/* What refers to an awaiter in a frame, and not to the frame, may have from there the handle of whom
 * that awaits. */
static void refer_awaited(void)
{
	for (size_t i = 0; i < cpp_frames.count; i++) {
		const struct frame *f = &cpp_frames.item[i];

		if (f->into && f->child && f->child->refs < UINT32_MAX / 2)
			f->child->refs += f->into;
	}
}

/* Who is in epoll and waits for that descriptor. */
static void note_fd(const struct kept *k)
{
	struct frame *f = frame_with(k->data, true);

	if (f && k->fd >= 0)
		f->fd = f->fd ? -1 : k->fd + 1;
}

/* The kernel keeps what it was given. False: something keeps references that cannot be seen. */
static bool refer_kernel(const struct target *t)
{
	for (size_t i = 0; i < t->kepts; i++) {
		refer(t, t->kept[i].data, 0);
		note_fd(&t->kept[i]);
	}
	return t->live && !t->hides && !mem_withheld(t);
}

/* In exit(3), whose destructors take apart what referred to coroutines, which nobody destroys there. */
static bool is_ending(const struct target *t)
{
	for (size_t i = 0; i < t->threads; i++)
		for (size_t k = 0; k < t->thread[i].calls; k++) {
			uint64_t call = t->thread[i].call[k];
			Dwfl_Module *m = dwfl_addrmodule(t->dwfl, call);
			const char *name = m ? dwfl_module_addrname(m, call) : NULL;

			if (name && (!strcmp(name, "exit") || !strcmp(name, "quick_exit")))
				return true;
		}
	return false;
}

static bool any_alone(void)
{
	for (size_t i = 0; i < cpp_frames.count; i++)
		if (!cpp_frames.item[i].refs)
			return true;
	return false;
}

/* The frame that an allocation has behind a header of whoever allocates it. */
static struct frame *frame_behind(uint64_t word)
{
	size_t i = first_from(cpp_frames.item, cpp_frames.count, sizeof(*cpp_frames.item), word);
	struct frame *f = i < cpp_frames.count ? &cpp_frames.item[i] : NULL;

	return f && f->addr - word <= HEADER && heap_start(f->addr) &&
			heap_start(f->addr) == heap_start(word) ?
		f :
		NULL;
}

/* What nothing refers to may be referred to by a word that is no plain pointer: in a packed structure or
 * a queue of bytes, or with a counter in the upper 16 bits, as of a queue without locks; or one to a header
 * ahead of it. */
static void refer_odd(const struct target *t, uint64_t low, uint64_t high)
{
	const uint64_t address = (UINT64_C(1) << 48) - 1;

	for (size_t i = 0; i < t->runs; i++) {
		const struct run *r = &t->run[i];

		for (size_t n = 0; r->writable && n + 8 <= r->end - r->start; n++) {
			const struct frame *f;
			uint64_t word;

			memcpy(&word, r->copy + n, sizeof(word));
			word &= address;
			f = word >= low - HEADER && word < high ? frame_with(word, true) : NULL;
			if (f && !f->refs)
				refer(t, word, r->start + n);
			else if (!f && word >= low - HEADER && word < high &&
				(f = frame_behind(word)) && !f->refs)
				refer(t, f->addr, r->start + n);
		}
	}
}

bool frames_refs(const struct target *t)
{
	const struct frame *last = &cpp_frames.item[cpp_frames.count - 1];
	uint64_t low = cpp_frames.item[0].addr, high = last->addr + last->size;

	if (!refer_kernel(t) || is_ending(t))
		return false;
	for (size_t i = 0; i < t->runs; i++) {
		const uint64_t *w = (const void *)t->run[i].copy;
		size_t count = t->run[i].writable ? (t->run[i].end - t->run[i].start) / 8 : 0;

		for (size_t n = 0; n < count; n++)
			if (w[n] >= low && w[n] < high)
				refer(t, w[n], t->run[i].start + n * 8);
	}
	for (size_t i = 0; i < t->threads; i++)
		for (size_t n = 0; n < REGISTERS; n++)
			refer(t, t->thread[i].reg[n], 0);
	refer_awaited();
	if (any_alone())
		refer_odd(t, low, high);
	return true;
}
