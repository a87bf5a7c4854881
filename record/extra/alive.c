/* alive.c - whether a process lives, and where /proc shows it: its main thread may have ended before
 * the others, and /proc/PID be empty. Contracts in process.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "process.h"

enum { PROCESS_DIR = 64 };

/* Without a descriptor or memory to look with, nothing was seen: nobody is gone for that. */
enum { UNKNOWN = '?' };
static bool found_no_room(void)
{
	return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
}

/* proc(5): the state is the first field behind the name, the kernel's flags the seventh; PF_EXITING
 * is 4. 0: it is gone. */
static char state_in(const char *path)
{
	char line[1024];
	unsigned long flags = 0;
	const char *end;
	char state = 0;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && found_no_room())
		return UNKNOWN;
	n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = 0;
	end = strrchr(line, ')');
	if (!end || sscanf(end + 1, " %c %*d %*d %*d %*d %*d %lu", &state, &flags) != 2 ||
		flags & 4 || strchr("ZXx", state))
		return 0;
	return state;
}

/* Of the main thread, or where that has ended, of another; in `dir` what /proc has of it. 0: it is
 * gone. */
static char state_of(pid_t pid, char dir[PROCESS_DIR])
{
	char path[PROCESS_FILE];
	struct dirent *task;
	char state = 0;
	DIR *tasks;

	snprintf(dir, PROCESS_DIR, "/proc/%ld", (long)pid);
	snprintf(path, sizeof path, "%s/stat", dir);
	if (pid <= 0 || (state = state_in(path)))
		return state;
	snprintf(path, sizeof path, "%s/task", dir);
	tasks = opendir(path);
	if (!tasks)
		return found_no_room() ? UNKNOWN : 0;
	while (!state && (task = readdir(tasks))) {
		snprintf(dir, PROCESS_DIR, "/proc/%ld/task/%.20s", (long)pid, task->d_name);
		snprintf(path, sizeof path, "%s/stat", dir);
		state = state_in(path);
	}
	closedir(tasks);
	return state;
}

const char *process_file(char path[PROCESS_FILE], pid_t pid, const char *name)
{
	char dir[PROCESS_DIR];

	if (!state_of(pid, dir))
		snprintf(dir, sizeof dir, "/proc/%ld", (long)pid);
	snprintf(path, PROCESS_FILE, "%s/%s", dir, name);
	return path;
}

static bool says(const char *root, const char *group, const char *file, const char *what)
{
	char path[PATH_MAX], line[128];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof path, "%s%s/%s", root, group, file);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof line, f))
		found = strncmp(line, what, strlen(what)) == 0;
	if (f)
		fclose(f);
	return found;
}

/* By its cgroup or one above it: cgroups(7), version 2 or 1. Its threads are shown as asleep. */
static bool is_frozen(const char *dir)
{
	static const char events[] = "cgroup.events", so[] = "frozen 1";
	char path[PROCESS_FILE], line[2048], *group;
	bool frozen = false;
	FILE *f;

	snprintf(path, sizeof path, "%s/cgroup", dir);
	f = fopen(path, "re");
	while (f && !frozen && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!(group = strchr(line, '/')))
			continue;
		if (strstr(line, ":freezer:"))		/* FROZEN, FREEZING */
			frozen = says("/sys/fs/cgroup/freezer", group, "freezer.state", "FR");
		else if (strncmp(line, "0::", 3) == 0)
			frozen = says("/sys/fs/cgroup", group, events, so) ||
				says("/sys/fs/cgroup/unified", group, events, so);
	}
	if (f)
		fclose(f);
	return frozen;
}

bool process_lives(pid_t pid)
{
	char dir[PROCESS_DIR], state = state_of(pid, dir);

	return state && state != UNKNOWN && state != 'T' && state != 't' && !is_frozen(dir);
}

/* Where /proc is mounted with hidepid, nothing can be read there of one that may not be debugged. */
static bool is_hidden(pid_t pid)
{
	char path[PROCESS_FILE];
	struct pollfd end = { .events = POLLIN };
	bool lives;

	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	if (access(path, R_OK) == 0 || (end.fd = (int)syscall(SYS_pidfd_open, pid, 0)) < 0)
		return false;
	lives = poll(&end, 1, 0) == 0;
	close(end.fd);
	return lives;
}

bool process_exists(pid_t pid)
{
	char dir[PROCESS_DIR];

	return state_of(pid, dir) || is_hidden(pid);
}
