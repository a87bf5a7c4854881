/* kept.c - what the kernel keeps for a process that may be pointers of its. Contracts in live.h.
 *
 * It is read while the process stands still, as its memory is: whoever sleeps for a millisecond is
 * woken, and taken out of epoll, before the rest of a snapshot is done. Which descriptors are to be
 * looked at then is found before, since that takes longer.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "live.h"

static struct held { int fd; enum { EPOLL, OWN, URING } what; uint64_t inode; } *held;
static size_t helds, room;
static int process = -1;	/* a descriptor of it, while its descriptors are looked at */

/* Ours of it; -1: not permitted, or a kernel before 5.6. */
static int borrow(int fd)
{
	return process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, fd, 0);
}

/* Between ends that are both its own, as far as the kernel says. */
static bool own_socket(const struct target *t, int fd)
{
	int own = borrow(fd), domain = 0;
	struct ucred peer = { .pid = 0 };
	bool is;

	is = !getsockopt(own, SOL_SOCKET, SO_DOMAIN, &domain, &(socklen_t){ sizeof(domain) }) &&
		domain == AF_UNIX &&
		!getsockopt(own, SOL_SOCKET, SO_PEERCRED, &peer, &(socklen_t){ sizeof(peer) }) &&
		peer.pid == t->process;
	if (own >= 0)
		close(own);
	return is;
}

/* POSIX's message queues are files of a file system of their own, and have no folders. */
static bool is_mqueue(const struct target *t, int fd, const char *link)
{
	enum { MQUEUE = 0x19800202 };	/* MQUEUE_MAGIC */
	char path[64];
	struct statfs fs;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", t->pid, fd);
	return *link == '/' && !strchr(link + 1, '/') && !statfs(path, &fs) && fs.f_type == MQUEUE;
}

static void add(void *arg, int fd)
{
	const struct target *t = arg;
	struct held h = { fd, EPOLL, 0 };
	char path[64], link[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", t->pid, fd);
	len = readlink(path, link, sizeof(link) - 1);
	link[len < 0 ? 0 : len] = '\0';
	if (is_mqueue(t, fd, link))
		h.what = OWN;
	else if (sscanf(link, "pipe:[%" SCNu64, &h.inode) == 1 ||
		(!strncmp(link, "socket:[", 8) && own_socket(t, fd)))
		h.what = OWN;
	else if (strstr(link, "io_uring"))
		h.what = URING;
	else if (!strstr(link, "[eventpoll]"))
		return;
	*ADD(held, helds, room) = h;
}

/* A pipe of which one end alone is here leads to somebody else. */
static void drop_foreign(void)
{
	size_t kept = 0;

	for (size_t i = 0; i < helds; i++) {
		size_t ends = held[i].inode ? 0 : 2;

		for (size_t k = 0; k < helds && ends < 2; k++)
			ends += held[k].inode == held[i].inode;
		if (ends == 2)
			held[kept++] = held[i];
	}
	helds = kept;
}

static void look(const struct target *t)
{
	target_descriptors(t, add, (void *)t);
	drop_foreign();
}

void kept_find(const struct target *t)
{
	process = (int)syscall(SYS_pidfd_open, t->process, 0);
	look(t);
}

static void keep(struct target *t, uint64_t data, int fd)
{
	*ADD(t->kept, t->kepts, t->kept_room) = (struct kept){ data, fd };
}

/* "tfd:        5 events:       19 data:     55d0c0ffee00 ..." */
static void read_epoll(struct target *t, int epoll)
{
	enum { MATTER = EPOLLIN | EPOLLOUT };
	char name[32], line[200];
	FILE *f;

	snprintf(name, sizeof(name), "fdinfo/%d", epoll);
	f = proc_file(t, name);
	while (f && fgets(line, sizeof(line), f)) {
		const char *fd = strstr(line, "tfd:"), *events = strstr(line, "events:"),
			   *data = strstr(line, "data:");
		bool waits = fd && events && strtoul(events + 7, NULL, 16) & MATTER;

		if (data)
			keep(t, strtoull(data + 5, NULL, 16), waits ? atoi(fd + 4) : -1);
	}
	if (f)
		fclose(f);
}

/* "signal: 34/000055d0c0ffee00": what a timer of timer_create(2) gives to whom it wakes */
static void read_timers(struct target *t)
{
	char line[200];
	uint64_t data;
	FILE *f = proc_file(t, "timers");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "signal: %*d/%" SCNx64, &data) == 1)
			keep(t, data, -1);
	if (f)
		fclose(f);
}

/* Something that is under way to its own other end may be a pointer. */
static bool is_under_way(int fd)
{
	int own = borrow(fd), bytes;
	bool is = ioctl(own, FIONREAD, &bytes) || bytes >= (int)sizeof(void *);

	if (own >= 0)
		close(own);
	return is;
}

/* System V's: what is in a queue to which it was the last to send; in bytes, and by whom. */
static bool has_messages(const struct target *t)
{
	FILE *f = fopen("/proc/sysvipc/msg", "re");
	unsigned long bytes;
	char line[300];
	bool any = false;
	int by;

	while (f && fgets(line, sizeof(line), f))
		any |= sscanf(line, "%*s %*s %*s %lu %*s %d", &bytes, &by) == 2 &&
			bytes >= sizeof(void *) && by == t->process;
	if (f)
		fclose(f);
	return any;
}

void kept_read(struct target *t)
{
	t->kepts = 0;
	t->hides = false;
	for (size_t i = 0; i < helds; i++)
		if (held[i].what == EPOLL)
			read_epoll(t, held[i].fd);
		else
			t->hides |= held[i].what == URING || is_under_way(held[i].fd);
	read_timers(t);
	t->hides |= has_messages(t);
}

static bool was_held(const struct held *before, size_t count, const struct held *h)
{
	for (size_t i = 0; i < count; i++)
		if (before[i].fd == h->fd && before[i].what == h->what &&
			before[i].inode == h->inode)
			return true;
	return false;
}

void kept_check(struct target *t)
{
	struct held *before = held;
	size_t count = helds;

	held = NULL;
	helds = room = 0;
	look(t);
	for (size_t i = 0; i < helds; i++)
		t->hides |= !was_held(before, count, &held[i]);
	close(process);
	process = -1;
	free(before);
	free(held);
	held = NULL;
	helds = room = 0;
}
