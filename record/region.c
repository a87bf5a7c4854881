/* region.c - the shared memory and the socket that a target attaches to. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "complain.h"
#include "event.h"
#include "extra/clock.h"
#include "extra/memory.h"
#include "extra/process.h"
#include "line.h"
#include "options.h"
#include "region.h"

enum { PAGE = 4096, STATIONS = 1 << 24, SITES = 1 << 20 };
#define STRINGS (256ull << 20)
enum { MEMBARRIER_QUERY = 0, MEMBARRIER_GLOBAL_EXPEDITED = 1 << 1 };

static uint64_t take(uint64_t *at, uint64_t size)
{
	uint64_t off = *at;

	*at = (off + size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	return off;
}

/* The file is sparse and sized once: untouched pages cost nothing, so nothing has to grow. */
static void lay_out(struct region *r, struct ctp_header *h)
{
	uint64_t at = 0;

	take(&at, sizeof *h + (uint64_t)r->v1_count * sizeof *r->v1);
	h->rings_off = take(&at, (uint64_t)r->ring_count * sizeof *r->rings);
	h->sites_off = take(&at, (uint64_t)r->site_count * sizeof *r->sites);
	h->strings_off = take(&at, r->strings_size);
	h->stations_off = take(&at, (uint64_t)r->station_count * sizeof *r->stations);
	h->births_off =
		r->overwrites ? take(&at, (uint64_t)r->station_count * sizeof *r->births) : 0;
	h->slots_off = take(&at, (uint64_t)r->ring_count * r->ring_slots * sizeof *r->slots);
	h->file_size = r->size = at;
}

/* Where the address space is limited, no more than a quarter of it: the program that inherits the
 * limit maps the same. */
static void shrink(struct region *r, const struct options *o)
{
	struct rlimit space;
	struct ctp_header h;

	lay_out(r, &h);
	if (getrlimit(RLIMIT_AS, &space) < 0 || r->size <= space.rlim_cur / 4)
		return;
	while (r->size > space.rlim_cur / 4 && (r->ring_count > 1 || r->station_count > 64)) {
		r->ring_count -= r->ring_count / 2;
		r->station_count -= r->station_count / 2;
		r->site_count -= r->site_count / 2;
		r->strings_size = r->strings_size / 16 * 8;
		lay_out(r, &h);
	}
	if (!o->quiet)
		complain(
			"the address space is limited (ulimit -v): room for %u threads at once and %u coroutines",
			r->ring_count, r->station_count);
}

/* Where the cgroup's memory is limited: rings of 64 threads in a quarter of what is left of it, all
 * that there can be in a half, and an eighth for stations and for strings each. Shorter rings lose
 * events, counted, where the limit would kill, be it a neighbour. */
static void shrink_to_memory(struct region *r, const struct options *o)
{
	uint64_t left = memory_left(), slots = r->ring_slots;
	uint32_t rings = r->ring_count;

	if (left == UINT64_MAX)
		return;
	while (r->ring_slots > 1024 &&
		(rings < 64 ? rings : 64) * (uint64_t)r->ring_slots * sizeof *r->slots > left / 4)
		r->ring_slots /= 2;
	while (r->ring_count > 1 &&
		(uint64_t)r->ring_count * r->ring_slots * sizeof *r->slots > left / 2)
		r->ring_count -= r->ring_count / 2;
	while (r->station_count > 1024 && r->station_count * sizeof *r->stations > left / 8)
		r->station_count /= 2;
	while (r->strings_size > 1 << 20 && r->strings_size > left / 8)
		r->strings_size /= 2;
	if (!o->quiet && (r->ring_slots < slots || r->ring_count < rings))
		complain(
			"this cgroup leaves %llu MiB of memory: rings of %u events for %u threads at once",
			(unsigned long long)left >> 20, r->ring_slots, r->ring_count);
}

static bool map(struct region *r)
{
	struct ctp_header h = { .magic = CTP_MAGIC,
		.version = CTP_VERSION,
		.max_stations = r->v1_count,
		.v2_minor = r->overwrites ? CTP2_MINOR_BOX : CTP2_MINOR,
		.ring_count = r->ring_count,
		.ring_slots = r->ring_slots,
		.station_count = r->station_count,
		.site_count = r->site_count,
		.strings_size = r->strings_size,
		.next_probe_id = 1,
		.sites_used = 1,
		.strings_used = 8,
		.recorder_pid = (uint32_t)getpid(),
		.kinds = CTP_KINDS,
		.on_kinds = CTP_ON_KINDS,
		.next_number = CTP_NUMBERS };

	if (r->overwrites) {
		h.look_slots = r->ring_slots < 1024 ? 2 : r->ring_slots / 16;
		h.birth_ticks = clock_ticks();
		h.birth_ns = clock_ns();
		h.birth_wall = wall_ns();
		boot_id(h.boot_id);
	}
	lay_out(r, &h);
	r->fd = memfd_create("corotrace", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (r->fd < 0 || ftruncate(r->fd, (off_t)r->size) < 0)
		return false;
	r->base = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, r->fd, 0);
	if (r->base == MAP_FAILED)
		return false;
	/* a core would have all that it could hold */
	madvise(r->base, r->size, MADV_DONTDUMP);
	/* A hostile target cannot shrink the file under us (SIGBUS), nor grow it. */
	if (fcntl(r->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return false;
	r->h = (void *)r->base;
	r->v1 = (void *)(r->base + sizeof *r->h);
	r->birth = h;
	r->births = h.births_off ? (void *)(r->base + h.births_off) : NULL;
	r->rings = (void *)(r->base + h.rings_off);
	r->slots = (void *)(r->base + h.slots_off);
	r->stations = (void *)(r->base + h.stations_off);
	r->sites = (void *)(r->base + h.sites_off);
	r->strings = r->base + h.strings_off;
	memcpy(r->h, &h, sizeof h);
	return true;
}

/* Is DIR the socket's directory of a recorder that is gone? A datagram socket cannot connect to the
 * stream socket of one that lives, but finds out that there is one. */
static bool is_stale(const char *dir, const struct stat *st)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd, err;

	if (!S_ISDIR(st->st_mode) || st->st_uid != geteuid() ||
		snprintf(addr.sun_path, sizeof addr.sun_path, "%s/sock", dir) >=
			(int)sizeof addr.sun_path)
		return false;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	err = connect(fd, (struct sockaddr *)&addr, sizeof addr) ? errno : 0;
	if (fd >= 0)
		close(fd);
	/* it may be about to be bound */
	return err == ECONNREFUSED || (err == ENOENT && time(NULL) - st->st_mtime > 60);
}

/* Recorders that were killed leave theirs. */
static void remove_stale(const char *in)
{
	char dir[320], sock[332];
	struct dirent *e;
	struct stat st;
	DIR *d = opendir(in);

	while (d && (e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, "ct-record.", 10) || strlen(e->d_name) != 16)
			continue;
		snprintf(dir, sizeof dir, "%s/%s", in, e->d_name);
		if (lstat(dir, &st) < 0 || !is_stale(dir, &st))
			continue;
		snprintf(sock, sizeof sock, "%s/sock", dir);
		unlink(sock);
		snprintf(sock, sizeof sock, "%s/new", dir);
		unlink(sock);
		rmdir(dir);
	}
	if (d)
		closedir(d);
}

static struct region made;	/* a copy: main()'s is gone at exit */
static pid_t maker;

static void remove_made(void)
{
	if (getpid() == maker)
		region_remove(&made);
}

/* In that directory; where it cannot be there, nothing is left of it. The name that others look for
 * comes last: a socket's file is there before it is bound, and would look like a dead one's. */
static bool listen_in(struct region *r, const char *in)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int err;

	remove_stale(in);	/* first: by another clock than ours our own would look old */
	snprintf(r->dir, sizeof r->dir, "%s/ct-record.XXXXXX", in);
	if (!mkdtemp(r->dir)) {		/* mode 0700: nobody else can connect */
		r->dir[0] = '\0';
		return false;
	}
	snprintf(r->sock_path, sizeof r->sock_path, "%s/sock", r->dir);
	snprintf(addr.sun_path, sizeof addr.sun_path, "%s/new", r->dir);
	r->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (r->listener >= 0 && bind(r->listener, (struct sockaddr *)&addr, sizeof addr) == 0 &&
		listen(r->listener, 4096) == 0 && rename(addr.sun_path, r->sock_path) == 0)
		return true;
	err = errno;
	unlink(addr.sun_path);
	if (r->listener >= 0)
		close(r->listener);
	region_remove(r);
	r->dir[0] = r->sock_path[0] = '\0';
	errno = err;
	return false;
}

/* Can nobody but us and root put another in its place, or in that of one above it? No link leads
 * there. */
static bool is_ours(char *path)
{
	char *slash = path + strlen(path);
	struct stat st;
	bool ours = true;

	while (ours && slash >= path) {
		char was = *slash;

		*slash = '\0';
		ours = stat(*path ? path : "/", &st) == 0 &&
			(st.st_uid == geteuid() || st.st_uid == 0) &&
			(!(st.st_mode & (S_IWGRP | S_IWOTH)) || st.st_mode & S_ISVTX);
		*slash = was;
		while (--slash >= path && *slash != '/')
			;
	}
	return ours;
}

/* Where the program finds it from any directory, and a socket's name has room. Who could rename it
 * could listen in our place, and have us remove what is not ours. */
static bool make_socket(struct region *r)
{
	const char *dirs[] = {
		getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp", "/dev/shm"
	};
	char path[PATH_MAX];
	int error = 0;
	size_t i;

	for (i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		bool given = i < 2;

		if (given && (!dirs[i] || dirs[i][0] != '/' || !realpath(dirs[i], path) ||
				     strlen(path) > 40 || !is_ours(path)))
			continue;
		if (listen_in(r, given ? path : dirs[i])) {
			made = *r;
			maker = getpid();
			atexit(remove_made);
			return true;
		}
		error = i == 2 ? errno : error;
	}
	complain("cannot make a socket under /tmp: %s", strerror(error));
	return false;
}

bool region_create(struct region *r, const struct options *o)
{
	long supported = syscall(SYS_membarrier, MEMBARRIER_QUERY, 0, 0);

	r->v1_count = o->v1_stations;
	r->ring_count = o->rings;
	r->ring_slots = o->ring_slots;
	r->overwrites = o->last_ns != 0;
	r->station_count = STATIONS;
	r->site_count = SITES;
	r->strings_size = STRINGS;
	r->stacks = o->stacks;
	r->membarrier = supported > 0 && (supported & MEMBARRIER_GLOBAL_EXPEDITED);
	shrink_to_memory(r, o);
	shrink(r, o);
	if (!map(r)) {
		complain("cannot make %llu bytes of (sparse) shared memory: %s%s",
			(unsigned long long)r->size, strerror(errno),
			errno == EFBIG ? "; the size of files is limited (ulimit -f)" :
			errno == ENOMEM ? "; try a smaller --threads or --ring-slots" : "");
		return false;
	}
	r->h->flags = (clock_is_tsc() ? CTP_F_TSC : 0) | (o->block ? CTP_F_BLOCK : 0) |
		(r->membarrier ? 0 : CTP_F_FENCE) | (o->stacks ? CTP_F_STACKS : 0) |
		(o->no_syscalls ? CTP_F_QUIET : 0);
	/* A path that works for coroTracer's SDKs, which open it by name, and only for our own
	 * user. */
	snprintf(r->shm_path, sizeof r->shm_path, "/proc/%ld/fd/%d", (long)getpid(), r->fd);
	if (!make_socket(r))
		return false;
	ctp_store_release(&r->h->v2_magic, CTP2_MAGIC);
	return true;
}

void region_remove(const struct region *r)
{
	if (r->sock_path[0])
		unlink(r->sock_path);
	if (r->dir[0])
		rmdir(r->dir);
}
