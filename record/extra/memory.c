/* memory.c - the memory that this process's cgroup may use and uses: cgroups(7), version 2 and
 * 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../event.h"
#include "memory.h"

static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified",
	"/sys/fs/cgroup/memory" };
enum { ROOTS = sizeof roots / sizeof *roots, V1 = 2 };

/* Of DIR/FILE the number, or that behind `key`; UINT64_MAX: there is none ("max"). */
static uint64_t value(const char *dir, const char *file, const char *key)
{
	char path[1100], line[256];
	uint64_t v = UINT64_MAX;
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, file);
	f = fopen(path, "re");
	while (f && v == UINT64_MAX && fgets(line, sizeof line, f))
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] >= '0' &&
			line[strlen(key)] <= '9')
			v = strtoull(line + strlen(key), NULL, 10);
	if (f)
		fclose(f);
	return v;
}

/* The lowest limit from the cgroup in `dir` up to its root; `dir` becomes the one that has it: of two
 * the outer one, which uses more. */
static uint64_t lowest(char *dir, const char *root, const char *file)
{
	char at[1024];
	uint64_t least = UINT64_MAX, v;

	snprintf(at, sizeof at, "%s", dir);
	for (;;) {
		v = value(at, file, "");
		if (v <= least) {
			least = v;
			strcpy(dir, at);
		}
		if (strlen(at) <= strlen(root))
			return least;
		*strrchr(at, '/') = '\0';
	}
}

static struct { char dir[1024]; uint64_t limit; bool v1; } our = { "", UINT64_MAX, false };

uint64_t memory_limit(void)
{
	char line[1024], dir[1024], *path;
	FILE *f = fopen("/proc/self/cgroup", "re");
	uint64_t limit;
	size_t i;

	while (f && fgets(line, sizeof line, f)) {
		bool v1 = strstr(line, ":memory:") != NULL;

		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '/');
		if (!path || (!v1 && strncmp(line, "0::", 3)))
			continue;
		for (i = v1 ? V1 : 0; i < (v1 ? ROOTS : V1); i++) {
			if (snprintf(dir, sizeof dir, "%s%s", roots[i],
				    strcmp(path, "/") ? path : "") >= (int)sizeof dir)
				continue;
			limit = lowest(dir, roots[i], v1 ? "memory.limit_in_bytes" : "memory.max");
			if (limit < our.limit && limit < 1ull << 60) {
				strcpy(our.dir, dir);
				our.limit = limit;
				our.v1 = v1;
			}
		}
	}
	if (f)
		fclose(f);
	return our.limit;
}

/* Files' pages can be had back. */
bool memory_short(void)
{
	uint64_t used, files, active;

	if (our.limit == UINT64_MAX)
		return false;
	used = value(our.dir, our.v1 ? "memory.usage_in_bytes" : "memory.current", "");
	files = value(our.dir, "memory.stat", our.v1 ? "total_inactive_file " : "inactive_file ");
	active = value(our.dir, "memory.stat", our.v1 ? "total_active_file " : "active_file ");
	if (used == UINT64_MAX)
		return false;
	used -= files <= used ? files : 0;
	used -= active <= used ? active : 0;
	return used > our.limit - our.limit / 8;
}
