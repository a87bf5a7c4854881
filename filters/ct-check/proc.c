/* proc.c - what /proc tells of a driver and its children. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"

bool proc_environ(pid_t pid, const char *variable, char *value, size_t size)
{
	char name[64], text[65536];
	size_t len, at, n = 0, key = strlen(variable);
	FILE *f;

	snprintf(name, sizeof name, "/proc/%ld/environ", (long)pid);
	if (!(f = fopen(name, "r")))
		return false;
	len = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[len] = 0;
	for (at = 0; at < len; at += strlen(text + at) + 1)
		if (!strncmp(text + at, variable, key) && text[at + key] == '=')
			n = (size_t)snprintf(value, size, "%s", text + at + key + 1);
	return n && n < size;
}

bool proc_is_dead(pid_t pid)
{
	char name[64], line[512], *end;
	size_t n;
	FILE *f;

	snprintf(name, sizeof name, "/proc/%ld/stat", (long)pid);
	if (!(f = fopen(name, "r")))
		return true;
	n = fread(line, 1, sizeof line - 1, f);
	fclose(f);
	line[n] = 0;
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
