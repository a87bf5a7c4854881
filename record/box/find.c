/* find.c - a process that is to be attached to, and the descriptors that its probe keeps open for
 * us. They are found in /proc/PID/fd, which whoever may read the process's memory may open: no
 * tracing, and no word of the process's. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "../complain.h"
#include "../event.h"
#include "../extra/process.h"
#include "box.h"

/* A box's file: what its path ends in. */
static bool is_box_file(const char *link)
{
	const char *base = strrchr(link, '/');

	return base && strncmp(base + 1, CTP_BOX_NAME ".", sizeof CTP_BOX_NAME) == 0;
}

static bool is_wanted(const char *link, const char *name)
{
	if (strncmp(link, "/memfd:", 7) == 0)
		return strncmp(link + 7, name, strlen(name)) == 0 && link[7 + strlen(name)] == ' ';
	return strcmp(name, CTP_BOX_NAME) == 0 && is_box_file(link);
}

/* Whose process it is names what lies there: a FIFO would be waited for, as would a file that
 * somebody has a lease of, and to open a device may do something. So it is looked at by a
 * descriptor that opens nothing, and then that very file opened. */
static int open_regular(const char *path, int flags)
{
	int fd = -1, seen = open(path, O_PATH | O_CLOEXEC);
	char link[32];
	struct stat st;

	if (seen < 0)
		return -1;
	snprintf(link, sizeof link, "/proc/self/fd/%d", seen);
	if (!fstat(seen, &st) && S_ISREG(st.st_mode))
		fd = open(link, flags | O_CLOEXEC | O_NONBLOCK);
	close(seen);		/* this leaves errno alone */
	return fd;
}

/* The next of that name in the directory; path is its. */
static bool next_fd(DIR *d, const char *dir, const char *name, char path[PROCESS_FILE + 256])
{
	char link[4096];
	struct dirent *e;

	while ((e = readdir(d))) {
		ssize_t n;

		snprintf(path, PROCESS_FILE + 256, "%s/%s", dir, e->d_name);
		if ((n = readlink(path, link, sizeof link - 1)) <= 0)
			continue;
		link[n] = '\0';
		if (is_wanted(link, name))
			return true;
	}
	return false;
}

int find_fd(pid_t pid, const char *name, int flags)
{
	char dir[PROCESS_FILE], path[PROCESS_FILE + 256];
	int fd = -1, error = 0;
	DIR *d;

	if (!(d = opendir(process_file(dir, pid, "fd"))))
		return -1;
	while (fd < 0 && next_fd(d, dir, name, path)) {
		errno = 0;
		if ((fd = open_regular(path, flags)) < 0)
			error = errno;
	}
	closedir(d);
	errno = error;		/* 0: there is none, or it is no regular file */
	return fd;
}

/* Copies of the probe, as of plugins, have a box or a flag each: is there another than the first? */
static bool has_another(pid_t pid, const char *name)
{
	char dir[PROCESS_FILE], path[PROCESS_FILE + 256];
	struct stat first = { 0 }, st;
	bool another = false;
	DIR *d;

	if (!(d = opendir(process_file(dir, pid, "fd"))))
		return false;
	while (!another && next_fd(d, dir, name, path)) {
		another = stat(path, &st) == 0 && first.st_ino && st.st_ino != first.st_ino;
		first = first.st_ino ? first : st;
	}
	closedir(d);
	if (another)
		complain(
			"process %ld has several copies of the probe, and this shows what one records: %s is of another",
			(long)pid, path);
	return another;
}

/* Its maker stores the second magic last, with release. Acquire: whoever goes on to read it sees all
 * of it. */
static bool is_made(int fd)
{
	uint64_t magic;
	off_t at = offsetof(struct ctp_header, v2_magic);
	bool whole = pread(fd, &magic, sizeof magic, at) == sizeof magic;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return whole && magic != 0;
}

int find_made_box(pid_t pid, int flags)
{
	int fd = find_fd(pid, CTP_BOX_NAME, flags);

	if (fd < 0 || is_made(fd))
		return fd;
	close(fd);
	errno = EAGAIN;
	return -1;
}

/* Which of the regions that ct-record makes, or of boxes, is mapped there? */
static bool is_mapped(pid_t pid, const char *text)
{
	char path[PROCESS_FILE], line[4400];
	FILE *f = fopen(process_file(path, pid, "maps"), "re");
	bool found = false;

	while (f && !found && fgets(line, sizeof line, f))
		found = strstr(line, text) != NULL;
	if (f)
		fclose(f);
	return found;
}

/* Why a box whose descriptor is open there cannot be opened, as where its file system's server is gone */
static int find_error(pid_t pid)
{
	int fd = find_fd(pid, CTP_BOX_NAME, O_RDONLY), error = fd < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return error;
}

void find_complain(pid_t pid)
{
	char dir[PROCESS_FILE];
	int error;

	if (!process_exists(pid)) {
		complain("process %ld is gone", (long)pid);
		return;
	}
	error = access(process_file(dir, pid, "fd"), R_OK | X_OK) < 0 ? errno : 0;
	if (error)
		complain("process %ld is not ours to read: %s", (long)pid, strerror(error));
	else if ((error = find_error(pid)))
		complain("process %ld has a box that cannot be opened: %s", (long)pid,
			strerror(error));
	else if (is_mapped(pid, "/memfd:" CTP_BOX_NAME) || is_mapped(pid, "/" CTP_BOX_NAME "."))
		complain(
			"process %ld has a box, but has closed its descriptor: it cannot be opened",
			(long)pid);
	else if (is_mapped(pid, "/memfd:corotrace "))
		complain(
			"process %ld was started under ct-record: no other can record it, even where that one is gone",
			(long)pid);
	else
		complain("process %ld has no probe that can be attached to; ct-snap can look at it",
			(long)pid);
}

static bool find_flag(pid_t pid)
{
	int fd = find_fd(pid, CTP_FLAG_NAME, O_RDWR);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int find_box(pid_t pid, int flags, bool asking)
{
	struct timespec nap = { 0, 20000000 };
	int fd, tries = 500;

	while ((fd = find_made_box(pid, flags)) < 0 && errno == EAGAIN && tries-- > 0)
		nanosleep(&nap, NULL);
	if (fd >= 0 || (asking && find_flag(pid)))
		return fd >= 0 ? fd : NO_BOX;
	if (tries < 0)
		complain("process %ld has a box that is not ready: is the process stopped?", (long)pid);
	else
		find_complain(pid);
	return -1;
}

bool find_others(pid_t pid)
{
	return has_another(pid, CTP_BOX_NAME) || has_another(pid, CTP_FLAG_NAME);
}

/* Its arguments, with spaces between; empty: a thread of the kernel's, or gone. */
static void command_line(pid_t pid, char text[4096])
{
	size_t i, n = process_arguments(pid, text, 4096);

	for (i = 0; i + 1 < n; i++)
		if (!text[i])
			text[i] = ' ';
}

static bool has_probe(pid_t pid)
{
	int fd = find_fd(pid, CTP_BOX_NAME, O_RDONLY);

	if (fd < 0)
		return find_flag(pid);
	close(fd);
	return true;
}

pid_t find_by_name(const char *pattern)
{
	char command[4096], several[256] = "";
	size_t matches = 0, n = 0;
	pid_t pid, found = 0;
	DIR *proc = NULL;
	regex_t regex;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
		complain("--name: \"%s\" is not a regular expression", pattern);
		return 0;
	}
	while ((pid = process_next(&proc))) {
		if (pid == getpid())
			continue;
		command_line(pid, command);
		if (!*command || regexec(&regex, command, 0, NULL, 0) != 0 || !has_probe(pid))
			continue;
		found = pid;
		matches++;
		if (n < sizeof several - 32)
			n += (size_t)snprintf(several + n, sizeof several - n, " %ld", (long)pid);
	}
	regfree(&regex);
	if (matches > 1)
		complain("--name: several processes match \"%s\":%s", pattern, several);
	else if (!matches)
		complain("--name: no process with a probe matches \"%s\"", pattern);
	return matches == 1 ? found : 0;
}
