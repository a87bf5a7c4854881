/* memory.c - a copy of memory, in runs of pages. Contracts in target.h. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "search.h"
#include "snap.h"

unsigned char *mem_block(struct target *t, size_t size)
{
	void *p = mmap(NULL, size + !size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		need(NULL);
	*ADD(t->block, t->blocks, t->block_room) = (struct block){ p, size + !size };
	return p;
}

void mem_add(struct target *t, struct run run)
{
	*ADD(t->run, t->runs, t->run_room) = run;
}

/* What two have of the same addresses the earlier one keeps. */
void mem_sort(struct target *t)
{
	size_t kept = 0;

	if (t->runs)
		qsort(t->run, t->runs, sizeof(*t->run), by_number);
	for (size_t i = 0; i < t->runs; i++) {
		struct run r = t->run[i];
		uint64_t before = kept ? t->run[kept - 1].end : 0;

		if (r.end <= before || r.start >= r.end)
			continue;
		if (r.start < before) {
			r.copy += before - r.start;
			r.start = before;
		}
		t->run[kept++] = r;
	}
	t->runs = kept;
}

static const struct run *run_at(const struct target *t, uint64_t addr)
{
	const struct run *r = last_up_to(t->run, t->runs, sizeof(*t->run), addr);

	return r && addr < r->end ? r : NULL;
}

const unsigned char *mem_at(const struct target *t, uint64_t addr, size_t len)
{
	const struct run *r = run_at(t, addr);

	return r && r->end - addr >= len ? r->copy + (addr - r->start) : NULL;
}

/* Across runs that touch, too. */
bool mem_read(const struct target *t, uint64_t addr, void *to, size_t len)
{
	while (len) {
		const struct run *r = run_at(t, addr);
		size_t n = r ? r->end - addr : 0;

		if (!r)
			return false;
		n = n < len ? n : len;
		memcpy(to, r->copy + (addr - r->start), n);
		addr += n;
		to = (char *)to + n;
		len -= n;
	}
	return true;
}

bool mem_word(const struct target *t, uint64_t addr, uint64_t *to)
{
	return mem_read(t, addr, to, sizeof(*to));
}

uint64_t mem_number(const struct target *t, uint64_t addr, size_t len)
{
	uint64_t v = 0;

	return len <= sizeof(v) && mem_read(t, addr, &v, len) ? v : 0;
}

const struct mapping *map_at(const struct target *t, uint64_t addr)
{
	const struct mapping *m = last_up_to(t->map, t->maps, sizeof(*t->map), addr);

	return m && addr < m->end ? m : NULL;
}

/* Our own probe's, which keeps no reference of the program's. */
static bool is_probes(const struct mapping *m)
{
	static const char name[] = "/memfd:corotrace";

	return !strncmp(m->path, name, sizeof(name) - 1);
}

bool mem_withheld(const struct target *t)
{
	for (size_t i = 0; i < t->maps; i++) {
		const struct mapping *m = &t->map[i];

		if ((m->write && m->shared && !is_probes(m)) || strstr(m->path, "[aio]"))
			return true;
	}
	return false;
}

/* Of a thread that has ended glibc keeps the stack for the next one, with all that lay there. Where the thread's
 * own data was, whose first and third word are its address, it says so still: where the stack is, how large,
 * and how large the guard in it, which none has that the program itself made. */
static void note_ended(struct target *t, const uint64_t *w, size_t words)
{
	uint64_t own = w[0];

	for (size_t i = 3; i + 2 < words; i++) {
		uint64_t low = w[i], size = w[i + 1], guard = w[i + 2];

		if (low && low % 4096 == 0 && low < own && size % 4096 == 0 && own - low < size &&
			guard && guard % 4096 == 0 && guard < size) {
			*ADD(t->ended, t->endeds, t->ended_room) = (struct past){ low, own };
			return;
		}
	}
}

/* Where the data of each thread is, in order. To be freed. */
static uint64_t *own_data(const struct target *t)
{
	uint64_t *fs = need(calloc(t->threads + 1, sizeof(*fs)));

	for (size_t i = 0; i < t->threads; i++)
		fs[i] = t->thread[i].fs;
	qsort(fs, t->threads, sizeof(*fs), by_number);
	return fs;
}

/* In order, none within another. */
static void merge_ended(struct target *t)
{
	size_t kept = 0;

	if (t->endeds)
		qsort(t->ended, t->endeds, sizeof(*t->ended), by_number);
	for (size_t i = 0; i < t->endeds; i++)
		if (!kept || t->ended[i].low > t->ended[kept - 1].high)
			t->ended[kept++] = t->ended[i];
		else if (t->ended[i].high > t->ended[kept - 1].high)
			t->ended[kept - 1].high = t->ended[i].high;
	t->endeds = kept;
}

static void find_ended(struct target *t)
{
	enum { PTHREAD = 4096 / 8 };
	uint64_t *fs = own_data(t);

	t->endeds = 0;
	for (size_t i = 0; i < t->runs; i++) {
		const struct run *r = &t->run[i];
		const uint64_t *w = (const void *)r->copy;
		size_t words = r->writable ? (r->end - r->start) / 8 : 0;

		for (size_t n = 0; n + 2 < words; n++)
			if (w[n] == r->start + n * 8 && w[n + 2] == w[n] &&
				!bsearch(&w[n], fs, t->threads, sizeof(*fs), by_number))
				note_ended(t, w + n, words - n < PTHREAD ? words - n : PTHREAD);
	}
	free(fs);
	merge_ended(t);
}

/* Its C library keeps where a thread's stack is: beside fs, as an address and a size that have both fs
 * and the stack pointer in it (glibc's and musl's struct pthread). */
void mem_stacks(struct target *t)
{
	enum { PTHREAD = 4096 };
	const uint64_t longest = UINT64_C(1) << 36;	/* an address is more */
	uint64_t at[PTHREAD / 8];

	for (size_t i = 0; i < t->threads; i++) {
		struct thread *th = &t->thread[i];
		size_t n = 0;

		while (th->fs && n < PTHREAD / 8 && mem_word(t, th->fs + n * 8, &at[n]))
			n++;
		for (size_t k = 0; k + 1 < n && !th->low; k++) {
			uint64_t size = at[k + 1] < longest ? at[k + 1] : 0;

			if (at[k] && at[k] <= th->sp && th->sp - at[k] < size &&
				at[k] <= th->fs && th->fs - at[k] < size)
				th->low = at[k];
		}
	}
	find_ended(t);
}

static bool was_stack(const struct target *t, uint64_t addr)
{
	const struct past *p = last_up_to(t->ended, t->endeds, sizeof(*t->ended), addr);

	return p && addr < p->high;
}

/* A thread's stack is a map of its own (a core has no names, but its segments are the maps), which
 * may have grown together with those beside it: it ends where the thread's own data begins, that
 * fs points to. One that is somewhere else, as a fiber's, ends nobody knows where. */
static bool on_stack_of(const struct thread *th, uint64_t start, uint64_t end, uint64_t addr)
{
	enum { ABOVE = 1 << 20, BELOW = 1 << 16 };

	if (th->high)
		return addr >= th->low && addr < th->high;
	if (th->sp < start || th->sp >= end)
		return false;
	if (th->fs > th->sp && th->fs < end)
		return addr < th->fs && addr >= th->low;
	return addr + BELOW >= th->sp && addr < th->sp + ABOVE;
}

/* The first thread may have left its stack for another one, as in a handler on one of its own: it is memory
 * as any other then. */
static bool has_thread(const struct target *t, const struct mapping *m)
{
	for (size_t i = 0; i < t->threads; i++)
		if (t->thread[i].sp >= m->start && t->thread[i].sp < m->end)
			return true;
	return false;
}

bool on_stack(const struct target *t, uint64_t addr)
{
	const struct mapping *m = map_at(t, addr);
	const struct run *r = t->live ? NULL : run_at(t, addr);
	uint64_t start = m ? m->start : r ? r->start : 0, end = m ? m->end : r ? r->end : 0;

	if ((m && !strcmp(m->path, "[stack]") && has_thread(t, m)) || was_stack(t, addr))
		return true;
	for (size_t i = 0; i < t->threads; i++)
		if (on_stack_of(&t->thread[i], start, end, addr))
			return true;
	return false;
}

void target_free(struct target *t)
{
	for (size_t i = 0; i < t->blocks; i++)
		munmap(t->block[i].at, t->block[i].size);
	for (size_t i = 0; i < t->maps; i++)
		free(t->map[i].path);
	for (size_t i = 0; i < t->modules; i++)
		free(t->module[i].path);
	if (t->core)
		munmap((void *)t->core, t->core_size);
	dwfl_end(t->dwfl);
	free(t->map);
	free(t->module);
	free(t->thread);
	free(t->run);
	free(t->kept);
	free(t->opened);
	free(t->ended);
	free(t->block);
	memset(t, 0, sizeof(*t));
}
