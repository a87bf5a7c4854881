/* live.c - a process: whether it can be read, and the files that it has mapped. Contracts in
 * target.h. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live.h"

int map_open(struct target *t, const struct mapping *m)
{
	static const char *const ways[] = { "/proc/%d/root%s", "/proc/%d/exe",
		"/proc/%d/map_files/%" PRIx64 "-%" PRIx64 };
	char path[4300];
	struct stat st;

	for (int i = 0; i < 3; i++) {
		int fd;

		if (i == 2)
			snprintf(path, sizeof(path), ways[i], t->pid, m->start, m->end);
		else
			snprintf(path, sizeof(path), ways[i], t->pid, m->path);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		/* The device of a file on an overlay or a subvolume is not the one in maps: the
		 * inode must do there. */
		if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_ino == m->inode)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

void target_gone(struct target *t, struct module *m)
{
	constants_forget(t, m);
	m->start = m->end = 0;
}

size_t target_more(struct target *t)
{
	size_t before = t->modules;

	if (!maps_renew(t))
		return before;
	for (size_t i = 0; i < before; i++) {
		struct module *m = &t->module[i];
		const struct mapping *map = map_at(t, m->start);

		if (!map || !map_begins(map, m))
			target_gone(t, m);
	}
	modules_report(t, map_open);
	return before;
}

bool module_is_there(const struct target *t, const Dwfl_Module *m)
{
	for (size_t i = 0; i < t->modules; i++)
		if (t->module[i].dwfl == m)
			return t->module[i].end;
	return false;
}

int target_lives_as(int pid)
{
	char path[64];
	DIR *dir;
	int lives = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	for (struct dirent *e; dir && !lives && (e = readdir(dir));) {
		int tid = atoi(e->d_name);

		lives = tid && !is_over((uint32_t)tid) ? tid : 0;
	}
	if (dir)
		closedir(dir);
	return lives && is_over((uint32_t)pid) ? lives : pid;
}

bool target_descriptors(const struct target *t, void (*each)(void *arg, int fd), void *arg)
{
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", t->pid);
	dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (*e->d_name != '.')
			each(arg, atoi(e->d_name));
	if (dir)
		closedir(dir);
	return dir;
}

void target_live(struct target *t, int process, int pid)
{
	char exe[4096], path[64];
	unsigned char ident[EI_NIDENT] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (access(path, F_OK))
		refuse(2, t, access("/proc/self", F_OK) ? "/proc is not mounted" : "no such process");
	t->pid = pid;
	t->process = process;
	t->live = true;
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (readlink(path, exe, sizeof(exe)) < 0 && errno == ENOENT)
		refuse(2, t, "has no memory: a zombie or a thread of the kernel");
	if (!maps_renew(t))
		refuse(3, t,
			"not permitted to read its memory: another user's; needs CAP_SYS_PTRACE");
	f = proc_file(t, "exe");
	if (f && fread(ident, sizeof(ident), 1, f) == 1 && ident[EI_CLASS] == ELFCLASS32)
		refuse(3, t, "a 32-bit process: only 64-bit ones can be read");
	if (f)
		fclose(f);
	modules_report(t, map_open);
	if (!t->modules)
		refuse(3, t, "none of its files can be opened: is /proc/%d/root readable?", pid);
}
