/* core.c - a core file, the kernel's or gcore's. Contracts in target.h. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <unistd.h>

#include "snap.h"

struct note {
	uint32_t type;
	const char *name;
	const unsigned char *desc;
	size_t size;
};

/* That many bytes at that offset; NULL: the file is not so long. */
static const unsigned char *bytes(const struct target *t, uint64_t offset, uint64_t size)
{
	return offset <= t->core_size && size <= t->core_size - offset ? t->core + offset : NULL;
}

/* With more than 65,534 of them their number stands in the first section header. */
static uint64_t headers(const struct target *t)
{
	const Elf64_Ehdr *eh = (const void *)t->core;
	const unsigned char *p;
	Elf64_Shdr sh;

	if (eh->e_phnum != PN_XNUM)
		return eh->e_phnum;
	p = bytes(t, eh->e_shoff, sizeof(sh));
	return p ? memcpy(&sh, p, sizeof(sh)), sh.sh_info : 0;
}

static bool header(const struct target *t, uint64_t i, Elf64_Phdr *ph)
{
	const Elf64_Ehdr *eh = (const void *)t->core;
	const unsigned char *p = bytes(t, eh->e_phoff + i * sizeof(*ph), sizeof(*ph));

	if (p)
		memcpy(ph, p, sizeof(*ph));
	return p;
}

/* The note at *at of `size` bytes, and where the next one is. */
static bool next_note(const unsigned char *base, size_t size, size_t *at, struct note *n)
{
	Elf64_Nhdr nh;
	size_t name, desc;

	if (size - *at < sizeof(nh))
		return false;
	memcpy(&nh, base + *at, sizeof(nh));
	name = ((size_t)nh.n_namesz + 3) & ~(size_t)3;
	desc = ((size_t)nh.n_descsz + 3) & ~(size_t)3;
	if (name > size - *at - sizeof(nh) || desc > size - *at - sizeof(nh) - name)
		return false;
	*n = (struct note){ nh.n_type, (const char *)base + *at + sizeof(nh), base + *at + sizeof(nh) + name, nh.n_descsz };
	if (nh.n_namesz < 4)
		n->name = "";
	*at += sizeof(nh) + name + desc;
	return true;
}

/* count, page size; start, end, page offset of each; their names. */
static void file_note(struct target *t, const struct note *n)
{
	uint64_t head[2], entry[3];
	const char *name, *end = (const char *)n->desc + n->size;

	if (n->size < sizeof(head))
		return;
	memcpy(head, n->desc, sizeof(head));
	if (head[0] > (n->size - sizeof(head)) / sizeof(entry))
		return;
	t->map = need(calloc(head[0] + 1, sizeof(*t->map)));
	name = (const char *)n->desc + sizeof(head) + head[0] * sizeof(entry);
	for (uint64_t i = 0; i < head[0] && name < end; i++) {
		size_t len = strnlen(name, (size_t)(end - name));

		memcpy(entry, n->desc + sizeof(head) + i * sizeof(entry), sizeof(entry));
		t->map[t->maps] = (struct mapping){ .start = entry[0],
			.end = entry[1],
			.offset = entry[2] * head[1],
			.read = true,
			.path = copy_text(name, len) };
		t->maps++;
		name += len + 1;
	}
}

/* A process's, or a thread's, which no kernel gives a negative one; 0: not known */
static int id(int number)
{
	return number > 0 ? number : 0;
}

static void thread_note(struct target *t, const struct note *n, size_t *room)
{
	struct elf_prstatus status;
	struct thread th = { .stopped = true, .queue = -1 };

	if (n->size < sizeof(status))
		return;
	memcpy(&status, n->desc, sizeof(status));
	th.tid = (uint32_t)id(status.pr_pid);
	memcpy(th.reg, status.pr_reg, sizeof(th.reg));
	th.sp = th.reg[19];
	th.fs = th.reg[21];
	*ADD(t->thread, t->threads, *room) = th;
}

static void read_notes(struct target *t, const Elf64_Phdr *ph)
{
	const unsigned char *base = bytes(t, ph->p_offset, ph->p_filesz);
	size_t at = 0, room = t->threads;
	struct note n;

	while (base && next_note(base, ph->p_filesz, &at, &n)) {
		if (strncmp(n.name, "CORE", 4))
			continue;
		if (n.type == NT_FILE && !t->map)
			file_note(t, &n);
		else if (n.type == NT_PRSTATUS)
			thread_note(t, &n, &room);
		else if (n.type == NT_PRPSINFO && n.size >= sizeof(struct elf_prpsinfo))
			memcpy(&t->pid, n.desc + offsetof(struct elf_prpsinfo, pr_pid),
				sizeof(t->pid));
	}
}

static void load(struct target *t, const Elf64_Phdr *ph)
{
	const unsigned char *p = bytes(t, ph->p_offset, ph->p_filesz);

	if (!ph->p_filesz || ph->p_vaddr + ph->p_filesz < ph->p_vaddr)
		return;
	if (ph->p_vaddr % 8 || ph->p_offset % 8)
		refuse(3, t, "the core is damaged: its memory is at odd addresses");
	mem_add(t,
		(struct run){
			ph->p_vaddr, ph->p_vaddr + ph->p_filesz, p, ph->p_flags & PF_W, false });
	t->copied += ph->p_filesz;
}

/* What the process could write and the core does not hold: as a rule it was never written. */
static struct absent { uint64_t start, end; } *absent;
static size_t absents, absent_room;

static void note_absent(const Elf64_Phdr *ph)
{
	if (ph->p_flags & PF_W && ph->p_memsz > ph->p_filesz)
		*ADD(absent, absents, absent_room) = (struct absent){ ph->p_vaddr + ph->p_filesz,
			ph->p_vaddr + ph->p_memsz };
}

/* But each thread has written to its stack: where none has, the first one's will do. */
static void need_written(const struct target *t)
{
	bool there = false, lacks = false;

	for (size_t i = 0; i < t->threads && !there; i++)
		there = mem_at(t, t->thread[i].sp & ~7ull, 8) != NULL;
	for (size_t k = 0; k < absents && t->threads && !there; k++)
		lacks |= t->thread[0].sp >= absent[k].start && t->thread[0].sp < absent[k].end;
	free(absent);
	absent = NULL;
	absents = absent_room = 0;
	if (lacks)
		refuse(3, t,
			"the core does not hold what the process wrote, not even its stacks: set bit 0 of /proc/PID/coredump_filter");
}

/* One that is not there, or that lies in others: a small file could have any number of threads, and
 * any size of memory. */
static void segment(struct target *t, const Elf64_Phdr *ph, uint64_t *left)
{
	if (ph->p_type != PT_NOTE && ph->p_type != PT_LOAD)
		return;
	if (!bytes(t, ph->p_offset, ph->p_filesz) && ph->p_filesz)
		refuse(3, t, "the core is cut short: it has not all of its memory");
	if (ph->p_filesz > *left)
		refuse(3, t, "the core is damaged: its segments lie in one another");
	*left -= ph->p_filesz;
	if (ph->p_type == PT_NOTE) {
		read_notes(t, ph);
		return;
	}
	note_absent(ph);
	load(t, ph);
}

/* What was never written has no place in the file, but would be read into memory of its own, page by
 * page: of some hundred GB of address space, nearly all. One page of zeros does for it. */
static void map_holes(const struct target *t, int fd)
{
	enum { SMALLEST = 1 << 20, HOLES_MAX = 10000 };
	off_t at = 0, end, size = (off_t)t->core_size;

	for (int i = 0; i < HOLES_MAX && (at = lseek(fd, at, SEEK_HOLE)) >= 0 && at < size; i++) {
		end = lseek(fd, at, SEEK_DATA);
		end = (end < 0 ? size : end) & ~(off_t)4095;
		at = (at + 4095) & ~(off_t)4095;
		if (end - at >= SMALLEST &&
			mmap((void *)(t->core + at), (size_t)(end - at), PROT_READ,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) !=
				MAP_FAILED)
			madvise((void *)(t->core + at), (size_t)(end - at), MADV_HUGEPAGE);
		if (end > at)
			at = end;
	}
}

static void map_file(struct target *t, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Ehdr *eh;
	struct stat st;

	if (fd < 0 && errno != EINVAL)
		refuse(2, t, "%s", strerror(errno));
	if (fd < 0 || fstat(fd, &st) || st.st_size < (off_t)sizeof(*eh))
		refuse(2, t, "is no core file");
	t->core_size = (size_t)st.st_size;
	t->core = mmap(NULL, t->core_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (t->core == MAP_FAILED) {
		t->core = NULL;
		refuse(2, t, "%s", strerror(errno));
	}
	map_holes(t, fd);
	close(fd);
	eh = (const void *)t->core;
	if (memcmp(eh->e_ident, ELFMAG, SELFMAG) || eh->e_type != ET_CORE)
		refuse(2, t, "is no core file");
	if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_machine != EM_X86_64)
		refuse(3, t, "the core of another machine: only x86-64 can be read");
}

/* ---- its files ---- */

static const char *given;	/* the executable, NULL: none */

/* The build id that the mapped file had, from its first page in the core; false: that page is not
 * in it. left: so many bytes of headers and notes are looked at still, of all files. */
static bool build_id_in(
	const struct target *t, const struct mapping *m, char *hex, size_t size, uint64_t *left)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (!mem_read(t, m->start, &eh, sizeof(eh)) || memcmp(eh.e_ident, ELFMAG, SELFMAG))
		return false;
	for (uint64_t i = 0; i < eh.e_phnum &&
		mem_read(t, m->start + eh.e_phoff + i * sizeof(ph), &ph, sizeof(ph));
		i++) {
		const unsigned char *p = ph.p_type == PT_NOTE && ph.p_filesz < 65536 ?
			mem_at(t, m->start + ph.p_offset, ph.p_filesz) : NULL;
		uint64_t costs = sizeof(ph) + (p ? ph.p_filesz : 0);
		size_t at = 0;
		struct note n;

		if (costs > *left)
			return false;
		*left -= costs;
		while (p && next_note(p, ph.p_filesz, &at, &n))
			if (n.type == NT_GNU_BUILD_ID && !strncmp(n.name, "GNU", 4) &&
				n.size < size / 2) {
				for (size_t k = 0; k < n.size; k++)
					sprintf(hex + 2 * k, "%02x", n.desc[k]);
				return true;
			}
	}
	return false;
}

/* The executable is what the notes name first: the kernel writes its maps in order of address, and
 * so does gcore. */
static bool is_executable(const struct target *t, const struct mapping *m)
{
	for (size_t i = 0; i < t->maps; i++)
		if (t->map[i].path[0] == '/')
			return !strcmp(t->map[i].path, m->path);
	return false;
}

static int open_file(struct target *t, const struct mapping *m)
{
	bool exe = is_executable(t, m);
	int fd = open(exe && given ? given : m->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && exe)
		refuse(2, t, "its executable %s: %s", given ? given : m->path,
			given ? strerror(errno) : "is not there: name it behind the core");
	return fd;
}

static void check_builds(struct target *t)
{
	uint64_t left = 16 << 20;

	for (size_t i = 0; i < t->modules; i++) {
		struct module *m = &t->module[i];
		const struct mapping *map = map_at(t, m->start);
		char hex[129] = "";

		if (!map || !build_id_in(t, map, hex, sizeof(hex), &left) ||
			!strcmp(hex, m->build_id)) {
			if (!*hex && !i)
				note("%s: the core does not hold its executable's build id: taken at your word\n",
					t->name);
			continue;
		}
		if (is_executable(t, map))
			refuse(3, t, "%s is another build: build id %s, not the core's %s",
				given ? given : m->path, *m->build_id ? m->build_id : "missing",
				hex);
		note("%s: %s is another build than in the core: not used\n", t->name, m->path);
		free(m->path);
		memmove(m, m + 1, (--t->modules - i--) * sizeof(*m));
	}
}

/* What no core holds because it is in the files, as tables of a program at a fixed address. */
static void add_files(struct target *t)
{
	for (size_t i = 0; i < t->modules; i++) {
		GElf_Addr bias;
		Elf *elf = dwfl_module_getelf(t->module[i].dwfl, &bias);
		size_t size, count = 0;
		const char *raw = elf ? elf_rawfile(elf, &size) : NULL;
		GElf_Phdr ph;

		if (!raw || elf_getphdrnum(elf, &count))
			continue;
		for (size_t k = 0; k < count; k++)
			if (gelf_getphdr(elf, (int)k, &ph) && ph.p_type == PT_LOAD &&
				ph.p_offset <= size && ph.p_filesz <= size - ph.p_offset &&
				!((ph.p_vaddr + bias) % 8) &&
				!((uintptr_t)(raw + ph.p_offset) % 8) &&
				!(ph.p_flags & PF_W))
				mem_add(t,
					(struct run){ ph.p_vaddr + bias,
						ph.p_vaddr + bias + ph.p_filesz,
						(const unsigned char *)raw + ph.p_offset, false,
						false });
	}
	mem_sort(t);
}

void target_core(struct target *t, const char *core, const char *exe)
{
	uint64_t count, left;
	Elf64_Phdr ph;

	given = exe;
	map_file(t, core);
	left = t->core_size;
	count = headers(t);
	for (uint64_t i = 0; i < count; i++) {
		if (!header(t, i, &ph))
			refuse(3, t, "the core is cut short: it has not all of its headers");
		segment(t, &ph, &left);
	}
	t->process = t->pid = id(t->pid);
	if (!t->runs)
		refuse(3, t, "the core holds no memory");
	if (!t->maps)
		refuse(3, t, "the core names no files (no NT_FILE note): which program was it?");
	mem_sort(t);
	need_written(t);
	t->taken = now_ns();
	modules_report(t, open_file);
	check_builds(t);
	add_files(t);
	mem_stacks(t);
}
