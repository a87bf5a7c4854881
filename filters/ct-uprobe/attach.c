/* attach.c - the programs in the kernel. Contracts in attach.h. */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "attach.h"
#include "snap/snap.h"
#include "uprobe.inc"

/* linux/bpf.h, in versions that older systems do not have: Linux 6.6 */
enum { TRACE_UPROBE_MULTI = 48, MULTI_RETURN = 1, LINK_CREATE = 28 };
struct link_create {
	uint32_t program, target, attach_type, flags;
	uint64_t path, offsets, counters, cookies;
	uint32_t count, multi_flags, pid, unused;
};

static struct bpf_object *object;
static struct ring_buffer *ring;
static const uint64_t *loss_counts;
static int *links;
static size_t link_count, link_room;

/* ---- what is allowed ---- */

enum { CAP_PTRACE = 19, CAP_ADMIN = 21, CAP_PERF = 38, CAP_LOAD = 39 };

static void refuse_here(const char *why)
{
	refuse(3, &(struct target){ .name = NULL }, "%s", why);
}

static bool file_has(const char *path, const char *text)
{
	char line[200] = "";
	FILE *f = fopen(path, "r");
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, text);
	if (f)
		fclose(f);
	return found;
}

static uint64_t capabilities(void)
{
	char line[200];
	unsigned long long bits = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "CapEff: %llx", &bits);
	if (f)
		fclose(f);
	return bits;
}

static void rights(void)
{
	static const struct { int bit; const char *name; } needed[] = {
		{ CAP_LOAD, "CAP_BPF" }, { CAP_PERF, "CAP_PERFMON" }, { CAP_PTRACE, "CAP_SYS_PTRACE" }
	};
	uint64_t have = capabilities();
	char missing[100] = "", why[300];

	if (have >> CAP_ADMIN & 1)	/* stands for the first two */
		have |= 1ull << CAP_LOAD | 1ull << CAP_PERF;
	for (int i = 0; i < 3; i++)
		if (!(have >> needed[i].bit & 1)) {
			strcat(missing, *missing ? ", " : "");
			strcat(missing, needed[i].name);
		}
	if (!*missing)
		return;
	snprintf(why, sizeof(why),
		"not permitted: missing %s; run as root, or: setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep ct-uprobe",
		missing);
	refuse_here(why);
}

/* The kernel's programs know processes by the numbers that they have outside of containers. */
static void namespace(void)
{
	enum { FIRST_NAMESPACE = 0xeffffffc };	/* include/linux/proc_ns.h */
	struct stat st;

	if (!stat("/proc/self/ns/pid", &st) && st.st_ino != FIRST_NAMESPACE)
		refuse_here("within a container, whose process numbers are not the kernel's: run it outside of it, or with the host's PID namespace (docker run --pid=host --privileged)");
}

void attach_allowed(void)
{
	struct utsname u;
	int major = 0, minor = 0;
	char why[200];

#ifndef __x86_64__
	refuse_here("knows x86-64 only");
#endif
	if (!uname(&u) && sscanf(u.release, "%d.%d", &major, &minor) == 2 &&
		(major < 6 || (major == 6 && minor < 6))) {
		snprintf(why, sizeof(why),
			"needs Linux 6.6 or later (uprobe_multi), this is %.60s: ct-snap -p shows one moment on any, a probe in the program all of it",
			u.release);
		refuse_here(why);
	}
	namespace();
	rights();
	if (file_has("/sys/kernel/security/lockdown", "[confidentiality]"))
		refuse_here("the kernel is locked down (confidentiality): its programs may not read memory; ct-snap -p does without them");
}

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

void attach_load(const struct settings *s, unsigned ring_mb)
{
	struct bpf_program *p;
	char why[200];
	void *counts;
	int failed;

	libbpf_set_print(quiet);
	/* a terminating zero follows the file */
	object = bpf_object__open_mem(uprobe_object, sizeof(uprobe_object) - 1, NULL);
	if (!object)
		refuse_here("its programs for the kernel are damaged");
	map_sizes(s, ring_mb);
	bpf_object__for_each_program(p, object)
		bpf_program__set_expected_attach_type(p,
			(enum bpf_attach_type)TRACE_UPROBE_MULTI);
	failed = bpf_object__load(object);
	if (failed) {
		snprintf(why, sizeof(why), "the kernel does not load its programs: %s",
			strerror(-failed));
		refuse_here(why);
	}
	counts = mmap(NULL, LOSS_SLOTS * sizeof(*loss_counts), PROT_READ, MAP_SHARED,
		bpf_object__find_map_fd_by_name(object, "losses"), 0);
	if (counts == MAP_FAILED)
		refuse_here("cannot read how many events were lost");
	loss_counts = counts;
}

static int program(enum attach_at at)
{
	static const char *const names[] = { "on_entry", "on_exit", "on_return" };

	return bpf_program__fd(bpf_object__find_program_by_name(object, names[at]));
}

bool attach(enum attach_at at, const char *path, int pid, const struct spot *spot, size_t count)
{
	uint64_t *offset = need(calloc(count + 1, sizeof(*offset))),
		 *cookie = need(calloc(count + 1, sizeof(*cookie)));
	struct link_create link = { .program = (uint32_t)program(at),
		.attach_type = TRACE_UPROBE_MULTI,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)offset,
		.cookies = (uintptr_t)cookie,
		.count = (uint32_t)count,
		.multi_flags = at == ON_RETURN ? MULTI_RETURN : 0,
		.pid = (uint32_t)pid };
	int fd;

	for (size_t i = 0; i < count; i++) {
		offset[i] = spot[i].offset;
		cookie[i] = spot[i].cookie;
	}
	fd = (int)syscall(SYS_bpf, LINK_CREATE, &link, sizeof(link));
	free(offset);
	free(cookie);
	if (fd < 0)
		return false;
	*ADD(links, link_count, link_room) = fd;
	return true;
}

void detach_all(void)
{
	while (link_count)
		close(links[--link_count]);
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
