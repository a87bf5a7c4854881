/* attach.c - the programs in the kernel. Contracts in attach.h. */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach.h"
#include "snap/snap.h"
#include "uprobe.inc"

/* linux/bpf.h, in versions that older systems do not have: Linux 6.6, 6.13 */
enum { TRACE_UPROBE_MULTI = 48, TRACE_UPROBE_SESSION = 57, MULTI_RETURN = 1, LINK_CREATE = 28 };
struct link_create {
	uint32_t program, target, attach_type, flags;
	uint64_t path, offsets, counters, cookies;
	uint32_t count, multi_flags, pid, unused;
};

static struct bpf_object *object;
static struct ring_buffer *ring;
static const uint64_t *loss_counts;
static struct link { int fd, watch; size_t file; } *links;	/* watch: of its file's writers */
static size_t link_count, link_room;
static int writers = -1;
enum { WATCHES = 4, NEEDED = 3 };
static struct bpf_link *watch[WATCHES];	/* of system calls, and of other programs */
static bool knows_requests;		/* of io_uring */
static bool knows_sessions = true;	/* so far */

/* ---- programs ---- */

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

static void map_sizes(const struct settings *s, unsigned ring_mb)
{
	struct bpf_map *m;

	bpf_object__for_each_map(m, object)
		if (strstr(bpf_map__name(m), "rodata"))
			bpf_map__set_initial_value(m, s, sizeof(*s));
		else if (!strcmp(bpf_map__name(m), "ring"))
			bpf_map__set_max_entries(m, ring_mb << 20);
}

/* 0, or an error of errno. */
static int load(const struct settings *s, unsigned ring_mb, bool requests, bool sessions)
{
	struct bpf_program *p;
	int failed;

	/* a terminating zero follows the file */
	object = bpf_object__open_mem(uprobe_object, sizeof(uprobe_object) - 1, NULL);
	if (!object)
		refuse_here("its programs for the kernel are damaged");
	map_sizes(s, ring_mb);
	bpf_object__for_each_program(p, object)
		if (bpf_program__type(p) == BPF_PROG_TYPE_KPROBE)
			bpf_program__set_expected_attach_type(p,
				(enum bpf_attach_type)TRACE_UPROBE_MULTI);
	p = bpf_object__find_program_by_name(object, "on_session");
	bpf_program__set_expected_attach_type(p, (enum bpf_attach_type)TRACE_UPROBE_SESSION);
	bpf_program__set_autoload(p, sessions);
	bpf_program__set_autoload(
		bpf_object__find_program_by_name(object, "on_request"), requests);
	failed = bpf_object__load(object);
	if (failed)
		bpf_object__close(object);
	knows_requests = requests;
	knows_sessions = sessions;
	return failed;
}

void attach_load(const struct settings *s, unsigned ring_mb)
{
	char why[200];
	void *counts;
	int failed = EINVAL;

	libbpf_set_print(quiet);
	/* The kernel may be too old for its own types, or have others; or for sessions. */
	for (int without = 0; failed && without < 4; without++)
		failed = load(s, ring_mb, !(without & 1), !(without & 2));
	if (failed) {
		snprintf(why, sizeof(why), "the kernel does not load its programs: %s",
			strerror(-failed));
		refuse_here(why);
	}
	counts = mmap(NULL, COUNTS * sizeof(*loss_counts), PROT_READ, MAP_SHARED,
		bpf_object__find_map_fd_by_name(object, "losses"), 0);
	if (counts == MAP_FAILED)
		refuse_here("cannot read how many events were lost");
	loss_counts = counts;
}

bool attach_watch(void)
{
	static const char *const names[WATCHES] = {
		"on_exec", "on_call", "on_called", "on_request"
	};

	for (int i = 0; i < NEEDED + knows_requests; i++) {
		watch[i] = bpf_program__attach(
			bpf_object__find_program_by_name(object, names[i]));
		if (libbpf_get_error(watch[i])) {
			watch[i] = NULL;
			return i >= NEEDED;
		}
	}
	return true;
}

static int program(const char *name)
{
	return bpf_program__fd(bpf_object__find_program_by_name(object, name));
}

/* A link; negative: errno says why. */
static int put(enum attach_at at, bool session, struct link_create link)
{
	static const char *const names[] = { "on_entry", "on_exit", "on_return" };

	link.program = (uint32_t)program(session ? "on_session" : names[at]);
	link.attach_type = session ? TRACE_UPROBE_SESSION : TRACE_UPROBE_MULTI;
	link.multi_flags = at == ON_RETURN && !session ? MULTI_RETURN : 0;
	return (int)syscall(SYS_bpf, LINK_CREATE, &link, sizeof(link));
}

/* -1: it cannot be. */
static int watch_file(const char *path)
{
	if (writers < 0)
		writers = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	return writers < 0 ? -1 : inotify_add_watch(writers, path, IN_MODIFY);
}

bool attach(enum attach_at at, const char *path, size_t file, int pid, const struct spot *spot,
	size_t count)
{
	uint64_t *offset = need(calloc(count + 1, sizeof(*offset))),
		 *cookie = need(calloc(count + 1, sizeof(*cookie)));
	struct link_create link = { .path = (uintptr_t)path,
		.offsets = (uintptr_t)offset,
		.cookies = (uintptr_t)cookie,
		.count = (uint32_t)count,
		.pid = (uint32_t)pid };
	bool session = at == ON_RETURN && knows_sessions;
	int watch = watch_file(path), fd;

	for (size_t i = 0; i < count; i++) {
		offset[i] = spot[i].offset;
		cookie[i] = spot[i].cookie;
	}
	fd = put(at, session, link);
	/* Before Linux 6.13 such a program is loaded without complaint. */
	if (fd < 0 && session && errno == EINVAL) {
		knows_sessions = false;
		fd = put(at, false, link);
	}
	free(offset);
	free(cookie);
	if (fd < 0)
		return false;
	*ADD(links, link_count, link_room) = (struct link){ fd, watch, file };
	return true;
}

static void *detach(void *link)
{
	close(((struct link *)link)->fd);
	return NULL;
}

/* All at once. Closing one takes its probes out, then waits for each thread in a call whose return is
 * probed until that returns or the thread begins no other such call for 100 ms: which it does as
 * long as other links have theirs (Linux 6.13, kernel/events/uprobes.c: ri_timer). */
static void detach_from(size_t first)
{
	pthread_t *closer = need(calloc(link_count + 1, sizeof(*closer)));
	size_t started = first;

	while (started < link_count &&
		!pthread_create(&closer[started], NULL, detach, &links[started]))
		started++;
	for (size_t i = started; i < link_count; i++)
		close(links[i].fd);
	for (size_t i = first; i < started; i++)
		pthread_join(closer[i], NULL);
	free(closer);
	link_count = first;
}

int attach_written(void)
{
	return writers;
}

/* Its links, behind the others. */
static size_t with_watch(int watch)
{
	size_t first = link_count;

	for (size_t i = 0; i < first;)
		if (links[i].watch == watch) {
			struct link l = links[i];

			links[i] = links[--first];
			links[first] = l;
		} else {
			i++;
		}
	return first;
}

bool detach_written(size_t *file)
{
	struct inotify_event e;

	while (writers >= 0 && read(writers, &e, sizeof(e)) == (ssize_t)sizeof(e)) {
		size_t first = with_watch(e.wd);

		if (first == link_count || !(e.mask & IN_MODIFY))
			continue;
		*file = links[first].file;
		inotify_rm_watch(writers, e.wd);
		detach_from(first);
		return true;
	}
	return false;
}

void detach_all(void)
{
	detach_from(0);
	for (int i = 0; i < WATCHES; i++) {
		bpf_link__destroy(watch[i]);
		watch[i] = NULL;
	}
}

/* ---- records ---- */

static record_fn *reader;
static void *reader_arg;

static int on_record(void *ctx, void *data, size_t size)
{
	(void)ctx;
	if (size >= sizeof(struct record))
		reader(reader_arg, data);
	return 0;
}

void attach_read(int wait_ms, record_fn *fn, void *arg)
{
	reader = fn;
	reader_arg = arg;
	if (!ring)
		ring = ring_buffer__new(bpf_object__find_map_fd_by_name(object, "ring"), on_record,
			NULL, NULL);
	need(ring);
	ring_buffer__poll(ring, wait_ms);
}

void attach_asleep(asleep_fn *fn, void *arg)
{
	int map = bpf_object__find_map_fd_by_name(object, "threads");
	uint64_t since, now = now_ns();
	uint32_t tid, next;

	for (int more = !bpf_map_get_next_key(map, NULL, &next); more;) {
		tid = next;
		more = !bpf_map_get_next_key(map, &tid, &next);
		if (!bpf_map_lookup_elem(map, &tid, &since) && since && now > since + SLEEP_NS)
			fn(arg, tid, since);
	}
}

void attach_worker(uint32_t tid)
{
	uint64_t awake = 0;

	bpf_map_update_elem(bpf_object__find_map_fd_by_name(object, "threads"), &tid, &awake,
		BPF_NOEXIST);
}

uint64_t attach_replaced(void)
{
	return __atomic_load_n(&loss_counts[AT_EXEC], __ATOMIC_ACQUIRE);
}

/* The latest time up to now that belongs into that slot. */
static uint64_t slot_time(uint64_t now, unsigned slot)
{
	uint64_t turn = now >> LOSS_SHIFT;

	return turn - ((turn - slot) & (LOSS_SLOTS - 1));
}

uint64_t attach_lost(uint64_t now, uint64_t *from, uint64_t *to)
{
	static uint64_t seen[LOSS_SLOTS], asked;
	uint64_t lost = 0, first = UINT64_MAX, last = 0;

	for (unsigned i = 0; i < LOSS_SLOTS; i++) {
		uint64_t count = __atomic_load_n(&loss_counts[i], __ATOMIC_RELAXED),
			 time = slot_time(now, i);

		if (count == seen[i])
			continue;
		lost += count - seen[i];
		seen[i] = count;
		first = time < first ? time : first;
		last = time > last ? time : last;
	}
	*from = first << LOSS_SHIFT;
	*to = ((last + 1) << LOSS_SHIFT) - 1;
	/* Not asked for so long that a slot may stand for several times: any since then. */
	if (now - asked > (uint64_t)(LOSS_SLOTS - 2) << LOSS_SHIFT) {
		*from = (asked >> LOSS_SHIFT) << LOSS_SHIFT;
		*to = now;
	}
	if (*to > now)
		*to = now;
	asked = now;
	return lost;
}
