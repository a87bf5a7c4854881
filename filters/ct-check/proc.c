/* proc.c - what /proc tells of a driver and its children. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"

/* The beginning of /proc/PID/`what`, as a string; false: it cannot be read. */
static bool read_proc(pid_t pid, const char *what, char *text, size_t size, size_t *len)
{
	char name[64];
	FILE *f;

	snprintf(name, sizeof name, "/proc/%ld/%s", (long)pid, what);
	if (!(f = fopen(name, "r")))
		return false;
	*len = fread(text, 1, size - 1, f);
	fclose(f);
	text[*len] = 0;
	return true;
}

bool proc_environ(pid_t pid, const char *variable, char *value, size_t size)
{
	size_t len, at, n = 0, key = strlen(variable);
	static char text[65536];

	if (!read_proc(pid, "environ", text, sizeof text, &len))
		return false;
	for (at = 0; at < len; at += strlen(text + at) + 1)
		if (!strncmp(text + at, variable, key) && text[at + key] == '=')
			n = (size_t)snprintf(value, size, "%s", text + at + key + 1);
	return n && n < size;
}

bool proc_is_dead(pid_t pid)
{
	char line[512], *end;
	size_t len;

	if (!read_proc(pid, "stat", line, sizeof line, &len))
		return true;
	end = strrchr(line, ')');
	return end && (end[2] == 'Z' || end[2] == 'X');
}

bool proc_has_own_socket(pid_t child, pid_t parent)
{
	char folder[64], path[400], mine[64], theirs[64];
	struct dirent *d;
	bool own = false;
	ssize_t n;
	DIR *dir;

	snprintf(folder, sizeof folder, "/proc/%ld/fd", (long)child);
	if (!(dir = opendir(folder)))
		return true;	/* it cannot be known */
	while ((d = readdir(dir))) {
		snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
		if ((n = readlink(path, mine, sizeof mine - 1)) < 8 || memcmp(mine, "socket:", 7))
			continue;
		mine[n] = 0;
		snprintf(path, sizeof path, "/proc/%ld/fd/%s", (long)parent, d->d_name);
		n = readlink(path, theirs, sizeof theirs - 1);
		theirs[n > 0 ? n : 0] = 0;
		own |= strcmp(mine, theirs) != 0;
	}
	closedir(dir);
	return own;
}
