/* memory.c - what this process's cgroup, and those above it, leave of their memory: cgroups(7),
 * version 2 and 1. */
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

/* Who is beyond memory.high is not killed, but hardly gets any further. */
static uint64_t limit_of(const char *dir, bool v1)
{
	uint64_t max = value(dir, v1 ? "memory.limit_in_bytes" : "memory.max", ""),
		 high = v1 ? max : value(dir, "memory.high", "");

	return high < max ? high : max;
}

/* Files' pages can be had back. */
static uint64_t used_of(const char *dir, bool v1)
{
	uint64_t used = value(dir, v1 ? "memory.usage_in_bytes" : "memory.current", ""), files, active;

	if (used == UINT64_MAX)		/* nobody says */
		return 0;
	files = value(dir, "memory.stat", v1 ? "total_inactive_file " : "inactive_file ");
	active = value(dir, "memory.stat", v1 ? "total_active_file " : "active_file ");
	used -= files <= used ? files : 0;
	used -= active <= used ? active : 0;
	return used;
}

struct left { uint64_t bytes; bool is_short; };

/* Of the cgroup in `dir` and all above it up to the root: neighbours use of theirs, too. `dir` is
 * cut on the way. */
static void look_up_from(struct left *left, char *dir, const char *root, bool v1)
{
	uint64_t limit, used;

	for (;; *strrchr(dir, '/') = '\0') {
		limit = limit_of(dir, v1);
		if (limit < 1ull << 60) {
			used = used_of(dir, v1);
			left->is_short |= used > limit - limit / 8;
			limit -= used < limit ? used : limit;
			left->bytes = limit < left->bytes ? limit : left->bytes;
		}
		if (strlen(dir) <= strlen(root))
			return;
	}
}

static struct left look(void)
{
	struct left left = { UINT64_MAX, false };
	char line[1024], dir[1024], *path;
	FILE *f = fopen("/proc/self/cgroup", "re");
	size_t i;

	while (f && fgets(line, sizeof line, f)) {
		bool v1 = strstr(line, ":memory:") != NULL;

		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '/');
		if (!path || (!v1 && strncmp(line, "0::", 3)))
			continue;
		for (i = v1 ? V1 : 0; i < (v1 ? ROOTS : V1); i++)
			if (snprintf(dir, sizeof dir, "%s%s", roots[i],
				    strcmp(path, "/") ? path : "") < (int)sizeof dir)
				look_up_from(&left, dir, roots[i], v1);
	}
	if (f)
		fclose(f);
	return left;
}

static bool limited;

uint64_t memory_left(void)
{
	uint64_t left = look().bytes;

	limited = left != UINT64_MAX;
	return left;
}

bool memory_short(void)
{
	return limited && look().is_short;
}
