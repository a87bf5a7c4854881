/* cpp-refs.c - which thread runs a frame, and what refers to it. Contracts in cpp.h. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "cpp.h"

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

/* Memory that was freed, or is below a thread's stack pointer, refers to nothing. */
static bool dead_word(const struct target *t, uint64_t at)
{
	const struct mapping *m;
	uint64_t size = 8;

	if (heap_chunk(at, &size) == CHUNK_FREE)
		return true;
	m = map_at(t, at);
	for (size_t i = 0; m && i < t->threads; i++)
		if (t->thread[i].sp >= m->start && t->thread[i].sp < m->end &&
			at + 128 < t->thread[i].sp)
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

/* "tfd:        5 events:       19 data: ..." of an epoll: who is in it and waits for that descriptor */
static void note_fd(const char *line, uint64_t data)
{
	const char *tfd = strstr(line, "tfd:"), *events = strstr(line, "events:");
	struct frame *f = frame_with(data, true);
	int fd = tfd ? atoi(tfd + 4) : -1;

	if (f && fd >= 0 && events && strtoul(events + 7, NULL, 16) & (EPOLLIN | EPOLLOUT))
		f->fd = f->fd ? -1 : fd + 1;
}

/* The kernel keeps what epoll_ctl was given. False: something keeps references that cannot be
 * seen. */
static bool refer_kernel(const struct target *t)
{
	char path[300], link[64], line[200];
	struct dirent *e;
	DIR *dir;
	bool seen = true;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", t->pid);
	dir = t->live ? opendir(path) : NULL;
	if (!dir)
		return false;
	while ((e = readdir(dir))) {
		ssize_t len;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/fd/%s", t->pid, e->d_name);
		len = readlink(path, link, sizeof(link) - 1);
		link[len < 0 ? 0 : len] = '\0';
		seen &= !strstr(link, "io_uring");
		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", t->pid, e->d_name);
		f = strstr(link, "eventpoll") ? fopen(path, "r") : NULL;
		while (f && fgets(line, sizeof(line), f)) {
			const char *data = strstr(line, "data:");

			if (data)
				refer(t, strtoull(data + 5, NULL, 16), 0);
			if (data)
				note_fd(line, strtoull(data + 5, NULL, 16));
		}
		if (f)
			fclose(f);
	}
	closedir(dir);
	for (size_t i = 0; i < t->maps; i++)
		seen &= !(t->map[i].write && t->map[i].shared) && !strstr(t->map[i].path, "[aio]");
	return seen;
}

bool frames_refs(const struct target *t)
{
	const struct frame *last = &cpp_frames.item[cpp_frames.count - 1];
	uint64_t low = cpp_frames.item[0].addr, high = last->addr + last->size;

	if (!refer_kernel(t))
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
	return true;
}
