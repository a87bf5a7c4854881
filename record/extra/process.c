/* process.c - what a process is: its program, where its code is mapped, by which build id. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../record.h"

enum { PROCESSES = 256, NOTES = 4096, RANGES = 4096 };

static struct process {
	pid_t pid;
	bool early;		/* known by an event alone */
	struct range { uint64_t start, end, offset, file; } *code;	/* told of it; file: hash of its path */
	size_t count, room;
} seen[PROCESSES];
static unsigned count;

/* The GNU build id among the notes of an ELF file, as hex; empty when there is none. */
static void note_id(const unsigned char *p, size_t size, char *hex)
{
	Elf64_Nhdr n;
	size_t i, desc;

	while (size >= sizeof n) {
		memcpy(&n, p, sizeof n);
		desc = sizeof n + ((n.n_namesz + 3u) & ~3u);
		if (n.n_namesz > NOTES || n.n_descsz > NOTES || desc + n.n_descsz > size)
			return;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && memcmp(p + sizeof n, "GNU", 4) == 0 && n.n_descsz <= 64) {
			for (i = 0; i < n.n_descsz; i++)
				sprintf(hex + 2 * i, "%02x", p[desc + i]);
			return;
		}
		desc += (n.n_descsz + 3u) & ~3u;
		if (desc >= size)
			return;
		p += desc;
		size -= desc;
	}
}

static void build_id(const char *path, char hex[129])
{
	unsigned char notes[NOTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), i;
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	ssize_t got;

	hex[0] = '\0';
	if (fd < 0)
		return;
	if (pread(fd, &eh, sizeof eh, 0) == (ssize_t)sizeof eh && memcmp(eh.e_ident, ELFMAG, SELFMAG) == 0 &&
	    eh.e_ident[EI_CLASS] == ELFCLASS64)
		for (i = 0; i < eh.e_phnum && i < 64 && !hex[0]; i++) {
			if (pread(fd, &ph, sizeof ph, (off_t)(eh.e_phoff + (uint64_t)i * eh.e_phentsize)) != (ssize_t)sizeof ph)
				break;
			if (ph.p_type != PT_NOTE)
				continue;
			got = pread(fd, notes, ph.p_filesz < NOTES ? ph.p_filesz : NOTES, (off_t)ph.p_offset);
			if (got > 0)
				note_id(notes, (size_t)got, hex);
		}
	close(fd);
}

/* Is this a mapping that was not told yet? One that lies where another was takes its place. */
static bool new_range(struct process *p, const struct range *r)
{
	struct range *more;
	size_t i;

	for (i = 0; i < p->count; i++)
		if (memcmp(&p->code[i], r, sizeof *r) == 0)
			return false;
	for (i = 0; i < p->count; i++)
		if (p->code[i].start < r->end && r->start < p->code[i].end)
			p->code[i--] = p->code[--p->count];
	if (p->count == p->room) {
		if (p->room == RANGES || !(more = realloc(p->code, (p->room ? 2 * p->room : 64) * sizeof *more)))
			return true;
		p->code = more;
		p->room = p->room ? 2 * p->room : 64;
	}
	p->code[p->count++] = *r;
	return true;
}

static uint64_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325ull;

	while (*s)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3ull;
	return h;
}

static void tell_maps(struct process *p, uint64_t ts)
{
	unsigned long long start, end, offset;
	char name[64], line[4400], perms[8], *path, id[129];
	FILE *f;

	snprintf(name, sizeof name, "/proc/%ld/maps", (long)p->pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof line, f)) {
		path = strchr(line, '/');
		if (sscanf(line, "%llx-%llx %7s %llx", &start, &end, perms, &offset) != 4 || perms[2] != 'x' || !path)
			continue;
		path[strcspn(path, "\n")] = '\0';
		if (!new_range(p, &(struct range){ start, end, offset, hash(path) }))
			continue;
		build_id(path, id);
		print_map(ts, (uint32_t)p->pid, start, end, offset, path, id);
	}
	if (f)
		fclose(f);
}

static long parent_of(pid_t pid)
{
	char name[64], line[256];
	long ppid = 0;
	FILE *f;

	snprintf(name, sizeof name, "/proc/%ld/status", (long)pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "PPid: %ld", &ppid) == 1)
			break;
	if (f)
		fclose(f);
	return ppid;
}

/* again: it has attached, anew where it was known (exec). Else an event of it was read, perhaps before its connection. */
void process_seen(pid_t pid, bool again)
{
	unsigned i, known = count < PROCESSES ? count : PROCESSES;
	char link[64], path[4096];
	uint64_t ts = clock_ns();
	ssize_t n;

	for (i = 0; i < known && seen[i].pid != pid; i++)
		;
	if (i < known && (!again || seen[i].early)) {
		seen[i].early &= !again;
		return;
	}
	if (i == known) {
		i = count++ % PROCESSES;
		seen[i].pid = pid;
		seen[i].early = !again;
	}
	snprintf(link, sizeof link, "/proc/%ld/exe", (long)pid);
	n = readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	print_process(ts, (uint32_t)pid, (uint32_t)parent_of(pid), path);
	seen[i].count = 0;
	tell_maps(&seen[i], ts);
}

/* What is found moves forward: most frames lie in few files. */
static bool is_code(struct process *p, uint64_t addr)
{
	struct range found;
	size_t i;

	for (i = 0; i < p->count && (addr < p->code[i].start || addr >= p->code[i].end); i++)
		;
	if (i == p->count)
		return false;
	found = p->code[i];
	p->code[i] = p->code[i / 2];
	p->code[i / 2] = found;
	return true;
}

/* A library came by dlopen since. But a frame may lie in no file, and the number of a process be a lie: so of all time no
 * more than a twentieth is spent here, but for the first milliseconds. */
void process_code(pid_t pid, const uint64_t *frames, unsigned n)
{
	enum { AHEAD = 200000000, SHARE = 20 };
	static uint64_t paid;		/* until when the time spent is made up for */
	unsigned i, known = count < PROCESSES ? count : PROCESSES;
	uint64_t now = clock_ns();

	for (i = 0; i < known && seen[i].pid != pid; i++)
		;
	while (n && i < known && is_code(&seen[i], frames[n - 1] - 1))
		n--;
	if (n == 0 || i == known || paid > now + AHEAD)
		return;
	tell_maps(&seen[i], now);
	paid = (paid > now ? paid : now) + SHARE * (clock_ns() - now);
}

/* proc(5): the state is the first field behind the name, the kernel's flags the seventh; PF_EXITING is 4. */
bool process_lives(pid_t pid)
{
	char path[32], line[1024];
	unsigned long flags = 0;
	const char *end;
	char state = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = 0;
	end = strrchr(line, ')');
	return end && sscanf(end + 1, " %c %*d %*d %*d %*d %*d %lu", &state, &flags) == 2 && !(flags & 4) &&
		!strchr("TtZXx", state);
}
