/* pages.c - which pages of a process are there. Contracts in live.h. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "live.h"

enum { PAGE = 4096, WINDOW = 512 };

/* linux/fs.h has it since Linux 6.7. */
struct region { uint64_t start, end, categories; };
struct scan_arg {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t inverted, mask, any_of, told;
};
enum { IS_PRESENT = 1 << 3, IS_SWAPPED = 1 << 4 };
#define SCAN _IOWR('f', 16, struct scan_arg)

int pages_open(const struct target *t)
{
	char path[64];
	uint64_t entry;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", t->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && pread(fd, &entry, sizeof(entry), 0) != sizeof(entry)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* What is there alone, however much is not. False: this kernel has no such call. */
static bool scan(int pagemap, uint64_t from, uint64_t to, pages_fn *there, void *arg)
{
	struct region r[WINDOW];
	struct scan_arg a = { .size = sizeof(a), .vec = (uintptr_t)r, .vec_len = WINDOW,
		.any_of = IS_PRESENT | IS_SWAPPED, .told = IS_PRESENT | IS_SWAPPED };
	uint64_t start = 0, end = 0;

	for (int n; from < to; from = a.walk_end) {
		a.start = from;
		a.end = to;
		n = ioctl(pagemap, SCAN, &a);
		if (n < 0)
			return false;
		/* those that touch are one, be they swapped out or not */
		for (int i = 0; i < n; i++) {
			if (end > start && r[i].start != end)
				there(arg, start, end);
			start = end > start && r[i].start == end ? start : r[i].start;
			end = r[i].end;
		}
		if (a.walk_end <= from)
			break;
	}
	if (end > start)
		there(arg, start, end);
	return true;
}

bool pages_quick(int pagemap)
{
	struct scan_arg a = { .size = sizeof(a), .any_of = IS_PRESENT, .told = IS_PRESENT };

	return !ioctl(pagemap, SCAN, &a);
}

/* One by one: a second for each TB, and longer where the processor is a virtual one. */
static void walk(int pagemap, uint64_t from, uint64_t to, pages_fn *there, void *arg)
{
	uint64_t entry[WINDOW], start = 0;

	for (uint64_t at = from; at < to;) {
		size_t n = (to - at) / PAGE < WINDOW ? (to - at) / PAGE : WINDOW;
		ssize_t got = pread(pagemap, entry, n * 8, (off_t)(at / PAGE * 8));

		for (size_t i = 0; i < n; i++, at += PAGE) {
			/* in memory or swapped out */
			bool is = got < (ssize_t)(i + 1) * 8 || entry[i] >> 62;

			if (is && !start)
				start = at;
			if (!is && start)
				there(arg, start, at);
			start = is ? start : 0;
		}
	}
	if (start)
		there(arg, start, to);
}

void pages_there(int pagemap, uint64_t from, uint64_t to, pages_fn *there, void *arg)
{
	if (!scan(pagemap, from, to, there, arg))
		walk(pagemap, from, to, there, arg);
}
