/* process.c - what a process is: its program, where its code is mapped, by which build id. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../complain.h"
#include "../event.h"
#include "../line.h"
#include "../options.h"
#include "clock.h"
#include "process.h"

enum { NOTES = 4096, RANGES = 4096 };

static struct process {
	uint32_t number;	/* as the trace names it */
	pid_t pid;
	bool early;		/* known by an event alone */
	/* printed of it; file: hash of its path */
	struct range { uint64_t start, end, offset, file; } *code;
	size_t count, room;
} *seen;
static size_t count, places;

/* The GNU build id among the notes of an ELF file, as hex; empty when there is none. *go: one is of
 * Go's linker. */
static void note_id(const unsigned char *p, size_t size, char *hex, bool *go)
{
	Elf64_Nhdr n;
	size_t i, desc;

	while (size >= sizeof n) {
		memcpy(&n, p, sizeof n);
		desc = sizeof n + ((n.n_namesz + 3u) & ~3u);
		if (n.n_namesz > NOTES || n.n_descsz > NOTES || desc + n.n_descsz > size)
			return;
		*go |= n.n_namesz == 4 && memcmp(p + sizeof n, "Go\0", 4) == 0;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
			memcmp(p + sizeof n, "GNU", 4) == 0 && n.n_descsz <= 64)
			for (i = 0; i < n.n_descsz; i++)
				sprintf(hex + 2 * i, "%02x", p[desc + i]);
		desc += (n.n_descsz + 3u) & ~3u;
		if (desc >= size)
			return;
		p += desc;
		size -= desc;
	}
}

static void build_id(const char *path, char hex[129], bool *go)
{
	unsigned char notes[NOTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), i;
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	ssize_t got;

	hex[0] = '\0';
	if (fd < 0)
		return;
	if (pread(fd, &eh, sizeof eh, 0) == (ssize_t)sizeof eh &&
		memcmp(eh.e_ident, ELFMAG, SELFMAG) == 0 && eh.e_ident[EI_CLASS] == ELFCLASS64)
		for (i = 0; i < eh.e_phnum && i < 64; i++) {
			if (pread(fd, &ph, sizeof ph,
				    (off_t)(eh.e_phoff + (uint64_t)i * eh.e_phentsize)) !=
				(ssize_t)sizeof ph)
				break;
			if (ph.p_type != PT_NOTE)
				continue;
			got = pread(fd, notes, ph.p_filesz < NOTES ? ph.p_filesz : NOTES,
				(off_t)ph.p_offset);
			if (got > 0)
				note_id(notes, (size_t)got, hex, go);
		}
	close(fd);
}

/* Is this a mapping that was not printed yet? One that lies where another was takes its place. */
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
		if (p->room == RANGES ||
			!(more = realloc(p->code, (p->room ? 2 * p->room : 64) * sizeof *more)))
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

static void print_maps(struct process *p, uint64_t ts)
{
	unsigned long long start, end, offset;
	char name[PROCESS_FILE], line[4400], perms[8], *path, id[129];
	FILE *f = fopen(process_file(name, p->pid, "maps"), "re");
	bool go = false;

	while (f && fgets(line, sizeof line, f)) {
		path = strchr(line, '/');
		if (sscanf(line, "%llx-%llx %7s %llx", &start, &end, perms, &offset) != 4 ||
			perms[2] != 'x' || !path)
			continue;
		path[strcspn(path, "\n")] = '\0';
		if (!new_range(p, &(struct range){ start, end, offset, hash(path) }))
			continue;
		build_id(path, id, &go);
		print_map(ts, p->number, start, end, offset, path, id);
	}
	if (f)
		fclose(f);
}

/* Of /proc/PID/status the line that begins with `key`, without it; empty: there is none. */
static void status_line(pid_t pid, const char *key, char line[256])
{
	char name[64];
	bool found = false;
	FILE *f;

	snprintf(name, sizeof name, "/proc/%ld/status", (long)pid);
	f = fopen(name, "re");
	while (f && !found && fgets(line, 256, f))
		found = strncmp(line, key, strlen(key)) == 0;
	if (f)
		fclose(f);
	memmove(line, line + (found ? strlen(key) : strlen(line)),
		found ? strlen(line + strlen(key)) + 1 : 1);
}

bool process_catches(pid_t pid, int signal)
{
	char line[256] = "";

	status_line(pid, "SigCgt:", line);
	return strtoull(line, NULL, 16) >> (signal - 1) & 1;
}

static long parent_of(pid_t pid)
{
	char line[256] = "";

	status_line(pid, "PPid:", line);
	return strtol(line, NULL, 10);
}

/* It has a number in each namespace from ours inwards. */
bool process_is_inner(pid_t pid)
{
	char line[256] = "";

	status_line(pid, "NSpid:", line);
	return strtok(line, " \t\n") && strtok(NULL, " \t\n");
}

uint32_t process_inner(pid_t pid)
{
	char line[256] = "", *number, *last = NULL;

	status_line(pid, "NSpid:", line);
	for (number = strtok(line, " \t\n"); number; number = strtok(NULL, " \t\n"))
		last = number;
	return last ? (uint32_t)strtoul(last, NULL, 10) : (uint32_t)pid;
}

pid_t process_next(DIR **proc)
{
	struct dirent *e;
	pid_t pid = 0;

	if (!*proc && !(*proc = opendir("/proc")))
		return 0;
	while (pid <= 0 && (e = readdir(*proc)))
		pid = (pid_t)strtol(e->d_name, NULL, 10);
	if (pid > 0)
		return pid;
	closedir(*proc);
	*proc = NULL;
	return 0;
}

pid_t process_named(uint32_t inner)
{
	DIR *proc = NULL;
	pid_t pid, found = 0;

	while ((pid = process_next(&proc)))
		if (!found && process_is_inner(pid) && process_inner(pid) == inner &&
			process_exists(pid))
			found = pid;
	return found;
}

static bool was_given(pid_t pid, const char *name, const char *value)
{
	char path[64], *line = NULL;
	size_t len = strlen(name);
	bool given = false;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
	f = fopen(path, "re");
	while (f && !given && getdelim(&line, &room, '\0', f) > 0)
		given = strncmp(line, name, len) == 0 && line[len] == '=' &&
			strcmp(line + len + 1, value) == 0;
	free(line);
	if (f)
		fclose(f);
	return given;
}

bool process_inherits(const char *name)
{
	const char *value = getenv(name);
	DIR *proc = NULL;
	bool any = false;
	pid_t pid;

	while ((pid = process_next(&proc)))
		any = any || (value && pid != getpid() && was_given(pid, name, value));
	return any;
}

bool process_is_foreign(uint64_t pid_ns)
{
	struct stat st;

	return pid_ns && stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != pid_ns;
}

size_t process_arguments(pid_t pid, char *text, size_t size)
{
	char path[PROCESS_FILE];
	FILE *f = fopen(process_file(path, pid, "cmdline"), "re");
	size_t n = 0;

	if (f) {
		n = fread(text, 1, size - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	return n;
}

void process_command(pid_t pid, struct options *o)
{
	enum { WORDS = 256 };
	static char text[1 << 16], *words[WORDS + 1];
	size_t n = process_arguments(pid, text, sizeof text), i, count = 0;

	for (i = 0; i < n && count < WORDS; i += strlen(text + i) + 1)
		words[count++] = text + i;
	o->command = words;
}

void boot_id(uint8_t id[16])
{
	char text[64] = "", *p = text;
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	unsigned byte, i;

	if (f && fgets(text, sizeof text, f))
		for (i = 0; i < 16 && sscanf(p, "%2x", &byte) == 1; i++) {
			id[i] = (uint8_t)byte;
			p += p[2] == '-' ? 3 : 2;
		}
	if (f)
		fclose(f);
}

static struct process *find(uint32_t number)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (seen[i].number == number)
			return &seen[i];
	return NULL;
}

/* One that was forgotten, else a new one: all that live are known. */
static struct process *add(uint32_t number)
{
	struct process *p = find(0);

	if (!p && count == places) {
		places = places ? 2 * places : 64;
		seen = need(realloc(seen, places * sizeof *seen));
	}
	if (!p) {
		p = &seen[count++];
		*p = (struct process){ 0 };
	}
	p->number = number;
	return p;
}

bool process_known(uint32_t number)
{
	return find(number) != NULL;
}

void process_forget(uint32_t number)
{
	struct process *p = find(number);

	if (p)
		p->number = 0;
}

void process_seen(uint32_t number, pid_t pid, bool again)
{
	struct process *p = find(number);
	char link[PROCESS_FILE], path[4096];
	uint64_t ts = clock_ns();
	ssize_t n;

	if (p && (!again || p->early)) {
		p->early &= !again;
		return;
	}
	if (!p) {
		p = add(number);
		p->early = !again;
	}
	p->pid = pid;
	n = readlink(process_file(link, pid, "exe"), path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	print_process(ts, number, (uint32_t)parent_of(pid), path);
	p->count = 0;
	print_maps(p, ts);
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

/* A library came by dlopen since. But a frame may lie in no file, and the number of a process be a
 * lie: so of all time no more than a twentieth is spent here, but for the first milliseconds. */
void process_code(uint32_t number, const uint64_t *frames, unsigned n)
{
	enum { AHEAD = 200000000, SHARE = 20 };
	static uint64_t paid;		/* until when the time spent is made up for */
	struct process *p = find(number);
	uint64_t now = clock_ns();

	while (n && p && is_code(p, frames[n - 1] - 1))
		n--;
	if (n == 0 || !p || paid > now + AHEAD)
		return;
	print_maps(p, now);
	paid = (paid > now ? paid : now) + SHARE * (clock_ns() - now);
}

bool process_is_go(pid_t pid)
{
	char path[PROCESS_FILE], id[129];
	bool go = false;

	build_id(process_file(path, pid, "exe"), id, &go);
	return go;
}

/* Of proc(5)'s line "address perms offset dev inode path": is the file mapped there, in the program
 * that it runs now? */
/* -1: that cannot be known, or it is just changing. */
static int maps(pid_t pid, uint64_t inode)
{
	char name[PROCESS_FILE], line[4400];
	FILE *f = fopen(process_file(name, pid, "maps"), "re");
	unsigned long long found = 0;
	int is = -1;

	while (f && is < 1 && fgets(line, sizeof line, f))
		is = sscanf(line, "%*x-%*x %*s %*x %*x:%*x %llu", &found) == 1 && found == inode &&
			(strstr(line, "/memfd:corotrace") || strstr(line, "/" CTP_BOX_NAME "."));
	if (f)
		fclose(f);
	return is;
}

bool process_maps(pid_t pid, uint64_t inode)
{
	return maps(pid, inode) == 1;
}

pid_t process_mapping(uint64_t inode)
{
	DIR *proc = NULL;
	pid_t pid, found = 0;

	while ((pid = process_next(&proc)))
		if (!found && pid != getpid() && process_maps(pid, inode))
			found = pid;
	return found;
}

bool process_unmapped(pid_t pid, uint64_t inode)
{
	return maps(pid, inode) == 0;
}
