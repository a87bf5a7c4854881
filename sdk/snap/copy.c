/* copy.c - the memory of a process, as it is at one moment. Contracts in target.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "live.h"

enum { PAGE = 4096 };
/* Address space that may be gone through while the process stands still: where pages are asked for one
 * by one, and where nobody says which are there, so that all are read. */
#define WALKED_MOST (UINT64_C(1) << 40)
#define READ_MOST (UINT64_C(256) << 20)

struct copying {
	struct target *t;
	const struct take *take;
	int pagemap;
	/* all of it; at first as long as all of the address space that may be copied, or as the limit */
	unsigned char *to;
	size_t size, used;
	uint64_t wide;		/* the address space */
	int error;		/* of who may read none of it, or no more: errno */
	bool over;		/* the limit */
};

/* Neither the kernel's, a device's nor shared with others. What is of no file was written once, though it
 * may be protected since. */
static bool wanted(const struct mapping *m)
{
	return m->read && (m->write || (!m->exec && (!*m->path || *m->path == '['))) &&
		!m->shared && strncmp(m->path, "[v", 2) &&
		strncmp(m->path, "[anon: Go: heap", 15);
}

/* The part of a thread's stack below its stack pointer is nobody's; 128 bytes are the red zone. A heap may be
 * a stack's neighbour in one map: only where it can be no other thread's. */
static uint64_t lowest(const struct target *t, const struct mapping *m)
{
	uint64_t lowest = m->start;

	for (size_t i = 0; i < t->threads && !strcmp(m->path, "[stack]"); i++) {
		uint64_t sp = t->thread[i].sp;

		if (sp >= m->start && sp < m->end)
			lowest = (sp - 128) & ~(uint64_t)(PAGE - 1);
	}
	return lowest > m->start ? lowest : m->start;
}

/* More, where it has grown meanwhile. */
static void make_room(struct copying *c, size_t size)
{
	if (size <= c->size - c->used)
		return;
	c->size = size + (16 << 20);
	c->to = mem_block(c->t, c->size);
	c->used = 0;
}

/* Pages that are there, but for those among them that cannot be read, as guards (MADV_GUARD_INSTALL). */
static void copy_run(void *arg, uint64_t start, uint64_t end)
{
	struct copying *c = arg;
	struct target *t = c->t;

	c->over |= t->copied + (end - start) > c->take->limit;
	if (c->over)
		return;
	make_room(c, end - start);
	while (start < end) {
		unsigned char *copy = c->to + c->used;
		uint64_t len = 0;
		ssize_t got;

		do {			/* the kernel reads 2 GB at most at once */
			struct iovec to = { copy + len, end - start - len },
				     from = { (void *)(uintptr_t)(start + len), end - start - len };

			got = process_vm_readv(t->pid, &to, 1, &from, 1, 0);
			len += got > 0 ? (uint64_t)got : 0;
		} while (got > 0 && start + len < end);
		if (len)
			mem_add(t, (struct run){ start, start + len, copy, true, false });
		c->used += len;
		t->copied += len;
		if (got < 0 && errno != EFAULT) {
			c->error = errno;
			return;
		}
		start += len + PAGE;
	}
}

static bool is_mapped(const struct module *m, const struct mapping *maps, size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (map_begins(&maps[k], m))
			return true;
	return false;
}

/* A process that ran another program meanwhile has other files at those addresses, or none; one that
 * unloads a library has its own and others still. */
static bool same_program(const struct target *t, const struct mapping *maps, size_t count)
{
	size_t there = 0;

	for (size_t i = 1; i < t->modules; i++)
		there += is_mapped(&t->module[i], maps, count);
	return is_mapped(&t->module[0], maps, count) && (t->modules == 1 || there);
}

static size_t may_copy(const struct mapping *maps, size_t count)
{
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += wanted(&maps[i]) ? maps[i].end - maps[i].start : 0;
	return size;
}

/* While it stands still. */
static bool copy_all(struct copying *c)
{
	const struct mapping *maps;
	bool same;

	if (!maps_renew(c->t))
		return false;
	maps = c->t->map;
	same = same_program(c->t, maps, c->t->maps);
	if (same)
		constants_renew(c->t);
	for (size_t i = 0; i < c->t->maps && same && c->take->heap; i++)
		if (wanted(&maps[i]))
			pages_there(c->pagemap, lowest(c->t, &maps[i]), maps[i].end, copy_run, c);
	if (same && c->take->kept && !c->take->nonstop)
		kept_read(c->t);
	if (same && c->take->chase)
		c->take->chase(c->t);
	return same;
}

void target_drop(struct target *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->runs; i++)
		if (t->run[i].constant)
			t->run[kept++] = t->run[i];
	t->runs = kept;
	while (t->blocks > t->constant_blocks) {
		t->blocks--;
		munmap(t->block[t->blocks].at, t->block[t->blocks].size);
	}
	t->copied = 0;
	t->over = false;
	t->unwound = false;
	t->ready = NULL;
	t->ready_size = 0;
}

/* What is fetched while it stands still is fetched before, too, as it moves: so that it is known how
 * much that is, and neither our pages nor the kernel's ways to its pages have to be found then. */
static void rehearse(struct target *t, const struct take *take)
{
	enum { MORE = 8 << 20 };
	size_t size;

	t->rehearses = true;
	take->chase(t);
	t->rehearses = false;
	size = t->copied + t->copied / 4 + MORE;
	target_drop(t);
	t->ready = mem_block(t, size);
	memset(t->ready, 1, size);
	t->ready_size = size;
}

static bool says(const char *root, const char *group, const char *file, const char *what)
{
	char path[PATH_MAX], line[128];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s%s/%s", root, group, file);
	f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, what, strlen(what));
	if (f)
		fclose(f);
	return found;
}

/* By its cgroup or one above it: cgroups(7), version 2 or 1. Its threads are shown as asleep. */
static bool is_frozen(const struct target *t)
{
	static const char events[] = "cgroup.events", so[] = "frozen 1";
	FILE *f = proc_file(t, "cgroup");
	char line[2048], *group;
	bool frozen = false;

	while (f && !frozen && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!(group = strchr(line, '/')))
			continue;
		if (strstr(line, ":freezer:"))		/* FROZEN, FREEZING */
			frozen = says("/sys/fs/cgroup/freezer", group, "freezer.state", "FR");
		else if (!strncmp(line, "0::", 3))
			frozen = says("/sys/fs/cgroup", group, events, so) ||
				says("/sys/fs/cgroup/unified", group, events, so);
	}
	if (f)
		fclose(f);
	return frozen;
}

bool target_is_halted(const struct target *t)
{
	char state = proc_state((uint32_t)t->pid);

	return is_frozen(t) || state == 'T' || state == 't';
}

/* As much as there is now, so that no page of ours has to be found while it stands still. */
static void prepare(struct copying *c)
{
	struct target *t = c->t;
	size_t resident = 0, of_files = 0, unused;
	FILE *f = proc_file(t, "statm");

	maps_renew(t);
	if (f && fscanf(f, "%zu %zu %zu", &unused, &resident, &of_files) != 3)
		resident = of_files = 0;
	if (f)
		fclose(f);
	c->pagemap = pages_open(t);
	c->wide = may_copy(t->map, t->maps);
	c->size = c->wide / 2 * 3 + (16 << 20);
	c->size = c->size < c->take->limit ? c->size : c->take->limit;
	if (!c->take->heap)
		return;
	c->to = mem_block(t, c->size);
	resident = (resident - of_files) * PAGE;
	memset(c->to, 1, resident < c->size ? resident : c->size);
}

/* Why it would stand still for seconds; NULL: it does not. */
static const char *too_wide(const struct copying *c)
{
	if (!c->take->heap)
		return NULL;
	if (c->pagemap < 0 && c->wide > READ_MOST)
		return "its /proc/PID/pagemap cannot be read, so nobody says which of its memory is there";
	if (!c->take->nonstop && c->wide > WALKED_MOST && !pages_quick(c->pagemap))
		return "it has more than a TB of address space: to find what of it is used would stop it for seconds, before Linux 6.7; --nonstop does not";
	return NULL;
}

static void names(struct target *t)
{
	for (size_t i = 0; i < t->threads; i++) {
		char file[64];
		FILE *f;

		snprintf(file, sizeof(file), "task/%u/comm", t->thread[i].tid);
		f = proc_file(t, file);
		if (f && fgets(t->thread[i].name, sizeof(t->thread[i].name), f))
			t->thread[i].name[strcspn(t->thread[i].name, "\n")] = '\0';
		if (f)
			fclose(f);
	}
}

/* Its memory is there still, if it was never stopped. */
static bool lives(const struct target *t)
{
	char byte;
	struct iovec to = { &byte, 1 }, from = { (void *)(uintptr_t)t->map[0].start, 1 };

	return process_vm_readv(t->pid, &to, 1, &from, 1, 0) >= 0 || errno != ESRCH;
}

/* Why it is no copy; NULL: it is one. */
static const char *failure(const struct copying *c, bool good)
{
	if (c->error == EPERM || c->error == ENOSYS)
		return "not permitted to read its memory: process_vm_readv is denied, as by seccomp in a container, or needs CAP_SYS_PTRACE";
	if (c->error && c->error != ESRCH)
		return strerror(c->error);
	return good && !c->error ? NULL : "ended, or ran another program, while it was read";
}

bool target_take(struct target *t, const struct take *take, char why[static 200])
{
	struct copying c = { .t = t, .take = take };
	const char *failed = NULL;
	sigset_t all, old;
	uint64_t start;
	bool good, hurry = !take->nonstop && sched_getscheduler(0) == SCHED_OTHER;
	bool kept = take->kept && !take->nonstop;

	if (!t->live)
		return true;
	target_drop(t);
	t->limit = take->limit;
	t->halted = target_is_halted(t);
	prepare(&c);
	failed = too_wide(&c);
	if (failed) {
		snprintf(why, 200, "%s", failed);
		close(c.pagemap);
		return false;
	}
	if (take->chase && !take->nonstop)
		rehearse(t, take);
	if (kept)
		kept_find(t);
	if (!take->nonstop)
		descriptors_look(t);
	/* a ^C waits for a moment, so that it is let go as it should be */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	if (hurry)	/* where permitted */
		sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ 1 });
	start = now_ns();
	good = take->nonstop || stop_all(t, why);
	t->taken = now_ns();
	if (good) {
		bool whole = copy_all(&c), stood = take->nonstop ? lives(t) : let_go(t);

		failed = failure(&c, whole && stood);
	}
	t->moving = take->nonstop;
	t->paused_ns = take->nonstop ? 0 : now_ns() - start;
	if (hurry)
		sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ 0 });
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (c.pagemap >= 0)
		close(c.pagemap);
	if (kept)
		kept_check(t);
	if (!take->nonstop)
		descriptors_look(t);
	if (!good)
		return false;
	if (c.over || t->over) {
		snprintf(why, 200, "has more than %" PRIu64 " MB of memory to look through: --limit",
			take->limit >> 20);
		return false;
	}
	if (failed) {
		snprintf(why, 200, "%s", failed);
		return false;
	}
	names(t);
	mem_sort(t);
	mem_stacks(t);
	return true;
}
