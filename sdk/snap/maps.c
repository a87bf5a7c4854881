/* maps.c - what the kernel says of a process in /proc. Contracts in live.h. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "live.h"

FILE *proc_file(const struct target *t, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%d/%s", t->pid, name);
	return fopen(path, "re");
}

/* "4711 (name) T ..." By its own entry: for /proc/ID/stat the kernel sums up all threads of the process. */
char proc_state(uint32_t id)
{
	char path[64], line[400] = "", *state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", id, id);
	f = fopen(path, "re");
	if (!f)
		return 0;
	state = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return state && state[1] == ' ' ? state[2] : 0;
}

bool is_over(uint32_t tid)
{
	char state = proc_state(tid);

	return state == 'Z' || state == 'X';
}

/* 5581c0de4000-5581c0de8000 r--p 00000000 08:01 1234567    /usr/bin/app */
static bool map_line(char *line, struct mapping *m)
{
	char mode[5] = "";
	unsigned major_nr, minor_nr;
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &m->start,
		    &m->end, mode, &m->offset, &major_nr, &minor_nr, &m->inode, &path) < 7)
		return false;
	m->device = makedev(major_nr, minor_nr);
	m->read = mode[0] == 'r';
	m->write = mode[1] == 'w';
	m->exec = mode[2] == 'x';
	m->shared = mode[3] == 's';
	line[strcspn(line, "\n")] = '\0';
	m->path = copy_text(line + path, path ? strlen(line + path) : 0);
	return true;
}

static void maps_free(struct mapping *maps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(maps[i].path);
	free(maps);
}

bool maps_renew(struct target *t)
{
	struct mapping *maps = NULL;
	size_t count = 0, size = 0, room = 0;
	char *line = NULL;
	FILE *f = proc_file(t, "maps");

	while (f && getline(&line, &size, f) > 0) {
		struct mapping m;

		if (!map_line(line, &m))
			continue;
		*ADD(maps, count, room) = m;
	}
	free(line);
	if (f)
		fclose(f);
	if (!count)
		return false;
	maps_free(t->map, t->maps);
	t->map = maps;
	t->maps = count;
	return true;
}

bool map_begins(const struct mapping *map, const struct module *m)
{
	return map->start == m->start && map->inode == m->inode && map->device == m->device;
}
