/* root.c - open a file below a directory as if that were the root, and only if it is a regular one.
 * Contract in sym.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym.h"

enum { LINKS_MAX = 40, PATH_ROOM = 8192 };

struct walk {			/* root/done, none of which is a link; rest is still to go */
	char done[PATH_ROOM], rest[PATH_ROOM];
	size_t base;		/* length of the root in `done` */
	int links;
};

static bool fail(int error)
{
	errno = error;
	return false;
}

/* What stands in `rest` goes behind the target of a link. */
static bool follow(struct walk *w, const char *rest)
{
	char target[PATH_ROOM], whole[2 * PATH_ROOM];
	ssize_t n = readlink(w->done, target, sizeof(target) - 1);

	if (n < 0 || ++w->links > LINKS_MAX)
		return fail(n < 0 ? errno : ELOOP);
	target[n] = '\0';
	if (*target == '/')
		w->done[w->base] = '\0';
	else
		*strrchr(w->done, '/') = '\0';
	snprintf(whole, sizeof(whole), "%s/%s", target, rest);
	if (strlen(whole) >= sizeof(w->rest))
		return fail(ENAMETOOLONG);
	strcpy(w->rest, whole);
	return true;
}

/* One name on; ".." goes no higher than the root. */
static bool step(struct walk *w, struct stat *st)
{
	size_t skip = strspn(w->rest, "/"), len = strcspn(w->rest + skip, "/"),
	       end = strlen(w->done);
	char *name = w->rest + skip;

	if (len == 2 && !strncmp(name, "..", 2)) {
		char *last = strrchr(w->done + w->base, '/');

		if (last)
			*last = '\0';
	} else if (len && !(len == 1 && *name == '.')) {
		if (end + len + 2 > sizeof(w->done))
			return fail(ENAMETOOLONG);
		w->done[end] = '/';
		memcpy(w->done + end + 1, name, len);
		w->done[end + 1 + len] = '\0';
		if (lstat(w->done, st))
			return false;
		if (S_ISLNK(st->st_mode)) {
			char rest[PATH_ROOM];

			strcpy(rest, name + len);
			return follow(w, rest);
		}
	}
	memmove(w->rest, name + len, strlen(name + len) + 1);
	return true;
}

/* To open what is none may wait, or do something; so it may be to read what the kernel makes as it is
 * read, such as its log: that has no size. */
static bool is_file(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_size > 0;
}

int root_open(const char *root, const char *path)
{
	struct walk w = { .base = strlen(root) };
	struct stat st = { .st_mode = S_IFDIR };
	int fd;

	if (w.base >= sizeof(w.done) || strlen(path) >= sizeof(w.rest))
		return errno = ENAMETOOLONG, -1;
	strcpy(w.done, root);
	strcpy(w.rest, path);
	while (*w.rest)
		if (!step(&w, &st))
			return -1;
	if (!is_file(&st))
		return errno = EINVAL, -1;
	fd = openat(AT_FDCWD, w.done, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &st) || !is_file(&st))) {
		close(fd);
		return errno = EINVAL, -1;
	}
	return fd;
}
