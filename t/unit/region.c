/* region.c - the memory that the recorder makes (record/region.c): how large, where address space and the cgroup leave it little; what
 * stands in its header; its socket, and which directories of dead recorders go.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../record/options.h"
#include "tap.h"

static struct { uint64_t memory; rlim_t space; long barrier; size_t not_dumped; bool no_space, no_map, no_seal, no_bind, no_listen, no_dir, no_memory, skewed, beside; const char *full; } world;
static char last_dir[200], last_shm[200];	/* that were made */

static char *world_directory(char *path)
{
	char *made = mkdtemp(path);

	if (made)
		strcpy(last_dir, made);
	if (made && world.skewed)	/* as of a server whose clock is behind ours */
		utimensat(AT_FDCWD, made, (struct timespec[]){ { 1, 0 }, { 1, 0 } }, 0);
	return made;
}

static bool world_full(void)
{
	bool full = !strncmp(last_dir, world.full, strlen(world.full));

	if (full)
		strcpy(last_shm, last_dir);
	return full;
}

static void remove_stale(const char *);

/* Another recorder looks as the kernel is at it: the file is there, and no socket yet. */
static int world_bind(int fd, struct sockaddr *addr, socklen_t size)
{
	char in[200];
	int early;

	if (world.beside) {
		early = socket(AF_UNIX, SOCK_STREAM, 0);
		if (bind(early, addr, size))
			exit(99);
		close(early);
		snprintf(in, sizeof in, "%s", last_dir);
		*strrchr(in, '/') = '\0';
		remove_stale(in);
		unlink(((struct sockaddr_un *)addr)->sun_path);
	}
	return bind(fd, addr, size);
}

static char told[1000];

static int world_space(int which, struct rlimit *l)
{
	(void)which;
	l->rlim_cur = world.space;
	return world.no_space ? -1 : 0;
}

static uint64_t world_memory(void)
{
	return world.memory;
}

static struct dir { const char *path; uid_t uid; mode_t mode; } *dirs;		/* NULL: those that there are */

static int world_stat(const char *path, struct stat *st)
{
	for (struct dir *d = dirs; d->path; d++)
		if (!strcmp(d->path, path)) {
			st->st_uid = d->uid, st->st_mode = d->mode;
			return 0;
		}
	return -1;
}

static long world_call(long call, int command, int flags, int cpu)
{
	return call == SYS_membarrier && !command && !flags && !cpu ? world.barrier : -1;
}

#include "../../record/extra/memory.h"
#define getrlimit world_space
#define memory_left world_memory
#define syscall world_call
#define bind(fd, addr, size) (world.no_bind ? errno = EADDRINUSE, -1 : world.full && world_full() ? errno = ENOSPC, -1 : world_bind(fd, addr, size))
#define listen(fd, n) (world.no_listen ? errno = EOPNOTSUPP, -1 : (listen)(fd, n))
#define mkdtemp(path) (world.no_dir ? errno = EROFS, NULL : world_directory(path))
#define mmap(at, size, prot, how, fd, off) (world.no_map ? errno = EAGAIN, MAP_FAILED : (mmap)(at, size, prot, how, fd, off))
#define fcntl(fd, what, how) (world.no_seal && (what) == F_ADD_SEALS ? errno = EPERM, -1 : (fcntl)(fd, what, how))
#define madvise(at, size, how) (world.not_dumped = (how) == MADV_DONTDUMP ? (size) : 0)
#define stat(path, st) (dirs ? world_stat(path, st) : (stat)(path, st))
#define geteuid() (dirs ? 1000 : (geteuid)())
#define ftruncate(fd, size) (world.no_memory ? errno = EFBIG, -1 : (ftruncate)(fd, size))
#include "../../record/complain.h"
#define complain(...) snprintf(told, sizeof told, __VA_ARGS__)
#include "../../record/region.c"
#undef bind
#undef listen
#undef mkdtemp
#undef mmap
#undef stat
#undef geteuid
#undef fcntl

static const struct options common = { .v1_stations = 256, .rings = 1024, .ring_slots = 65536 };

static void unlimited(void)
{
	world.memory = UINT64_MAX;
	world.space = RLIM_INFINITY;
	world.barrier = 2 | 1;
}

/* ---- sizes ---- */

static struct region sized(uint64_t memory, rlim_t space, uint32_t rings, uint32_t slots)
{
	struct options o = { .rings = rings, .ring_slots = slots, .quiet = true };
	struct region r = { .v1_count = 256, .ring_count = rings, .ring_slots = slots, .station_count = STATIONS, .site_count = SITES, .strings_size = STRINGS };
	struct ctp_header h;

	world.memory = memory;
	world.space = space;
	shrink_to_memory(&r, &o);
	shrink(&r, &o);
	lay_out(&r, &h);
	unlimited();
	return r;
}

static bool is(struct region r, uint32_t rings, uint32_t slots, uint32_t stations, uint32_t sites, uint64_t strings)
{
	if (r.ring_count == rings && r.ring_slots == slots && r.station_count == stations && r.site_count == sites && r.strings_size == strings)
		return true;
	printf("# %u rings of %u, %u stations, %u sites, %llu of strings\n", r.ring_count, r.ring_slots, r.station_count, r.site_count,
		(unsigned long long)r.strings_size);
	return false;
}

enum { MIB = 1 << 20 };

static void cgroups(void)
{
	const uint64_t none = RLIM_INFINITY;

	ok(is(sized(UINT64_MAX, none, 1024, 65536), 1024, 65536, STATIONS, SITES, STRINGS), "without a limit: as asked for");
	/* rings of 64 threads: a quarter; all: a half; stations, strings: an eighth each */
	ok(is(sized(8192ull * MIB, none, 1024, 65536), 1024, 65536, STATIONS, SITES, STRINGS), "8 GiB: just enough");
	ok(is(sized(8192ull * MIB - 8, none, 1024, 65536), 512, 65536, STATIONS / 2, SITES, STRINGS), "a little less: half of both");
	ok(is(sized(2048ull * MIB, none, 64, 65536), 64, 65536, STATIONS / 4, SITES, STRINGS), "2 GiB hold 64 such rings in a quarter, and their strings");
	ok(is(sized(1024ull * MIB, none, 64, 65536), 64, 65536, STATIONS / 8, SITES, STRINGS / 2), "1 GiB just the rings");
	ok(is(sized(1024ull * MIB - 8, none, 64, 65536), 64, 32768, STATIONS / 16, SITES, STRINGS / 4), "a little less: shorter ones");
	ok(is(sized(512ull * MIB, none, 1024, 65536), 128, 32768, STATIONS / 16, SITES, STRINGS / 4), "and as many as fill a half");
	ok(is(sized(512ull * MIB - 8, none, 16, 65536), 16, 65536, STATIONS / 32, SITES, STRINGS / 8), "16 threads may have long ones in as little");
	ok(is(sized(1, none, 1000, 65536), 1, 1024, 1024, SITES, MIB), "in none: the least of each");
	ok(is(sized(1, none, 3, 512), 1, 512, 1024, SITES, MIB), "what is less already stays");
}

static void spaces(void)
{
	struct region least = sized(UINT64_MAX, 1, 1024, 8), half;
	uint64_t all = sized(UINT64_MAX, RLIM_INFINITY, 1024, 65536).size, small = sized(UINT64_MAX, RLIM_INFINITY, 512, 65536).size;

	ok(is(sized(UINT64_MAX, 4 * all, 1024, 65536), 1024, 65536, STATIONS, SITES, STRINGS), "a quarter of the address space is enough");
	half = sized(UINT64_MAX, 4 * all - 4, 1024, 65536);
	ok(is(half, 512, 65536, STATIONS / 2, SITES / 2, STRINGS / 2) && half.size < small, "else half of each");
	ok(is(sized(UINT64_MAX, 4 * half.size, 1024, 65536), 512, 65536, STATIONS / 2, SITES / 2, STRINGS / 2), "which is enough");
	ok(is(least, 1, 8, 64, 4, 1024), "to one ring and 64 stations");
	ok(is(sized(MIB / 2, 1, 512, 8), 1, 8, 2, 2048, 2048), "one ring, with fewer");
	world.no_space = true;
	ok(is(sized(UINT64_MAX, 1, 1024, 65536), 1024, 65536, STATIONS, SITES, STRINGS), "one that is not known is none");
	world.no_space = false;
}

/* No part lies in another, each begins with a page. */
static void layout(bool births)
{
	struct region r = { .v1_count = 300, .ring_count = 3, .ring_slots = 8, .station_count = 65, .site_count = 100, .strings_size = 5000,
		.overwrites = births };
	struct ctp_header h = { 0 };
	uint64_t at[8] = { 0 }, size[8] = { sizeof h + 300 * sizeof *r.v1, 3 * sizeof *r.rings, 100 * sizeof *r.sites, 5000, 65 * sizeof *r.stations,
		births ? 65 * sizeof *r.births : 0, 3 * 8 * sizeof *r.slots, 0 };
	int wrong = 0;

	lay_out(&r, &h);
	at[1] = h.rings_off, at[2] = h.sites_off, at[3] = h.strings_off, at[4] = h.stations_off, at[6] = h.slots_off, at[7] = r.size;
	at[5] = births ? h.births_off : h.slots_off;
	for (int i = 0; i < 7; i++)
		wrong += at[i] % 4096 != 0 || at[i] + (size[i] + 4095) / 4096 * 4096 != at[i + 1];
	ok(!wrong && h.file_size == r.size && (births || !h.births_off), "each part has its pages: %d have not", wrong);
}

/* ---- made ---- */

static int open_now(void)
{
	int n = 0;

	for (int i = 0; i < 256; i++)
		n += fcntl(i, F_GETFD) >= 0;
	return n;
}

static struct region make(struct options o, bool good)
{
	struct region r = { .fd = -1 };

	ok(region_create(&r, &o) == good, "made");
	return r;
}

static void header(void)
{
	struct options o = common;
	struct region r;
	struct stat st;

	r = make(o, true);
	ok(r.h->magic == CTP_MAGIC && r.h->version == CTP_VERSION && r.h->v2_magic == CTP2_MAGIC && r.h->v2_minor == CTP2_MINOR &&
		r.h->max_stations == 256 && r.h->ring_count == 1024 && r.h->ring_slots == 65536 && r.h->station_count == STATIONS && r.h->site_count == SITES &&
		r.h->strings_size == STRINGS && r.h->recorder_pid == (uint32_t)getpid() && r.h->kinds == CTP_KINDS && r.h->on_kinds == CTP_ON_KINDS &&
		r.h->next_number == CTP_NUMBERS && r.h->next_probe_id == 1 && r.h->sites_used == 1 && r.h->strings_used == 8 && r.h->file_size == r.size,
		"its header");
	ok(!r.h->flags && !r.births && !r.h->birth_ns && !r.overwrites && !r.stacks && r.membarrier, "which is no box, and has no flags");
	ok((char *)r.v1 == r.base + sizeof *r.h && (char *)r.rings == r.base + r.h->rings_off && (char *)r.slots == r.base + r.h->slots_off &&
		(char *)r.stations == r.base + r.h->stations_off && (char *)r.sites == r.base + r.h->sites_off && r.strings == r.base + r.h->strings_off &&
		r.birth.file_size == r.size, "its parts");
	ok(!fstat(r.fd, &st) && (uint64_t)st.st_size == r.size && st.st_blocks < 1000 && world.not_dumped == r.size && ftruncate(r.fd, 4096) && ftruncate(r.fd, st.st_size + 1) &&
		fcntl(r.fd, F_GET_SEALS) == (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) && fcntl(r.fd, F_GETFD) == FD_CLOEXEC,
		"sparse, of a size that nobody changes, and for no program that is started");
	ok(!stat(r.shm_path, &st) && !stat(r.sock_path, &st) && S_ISSOCK(st.st_mode) && !stat(r.dir, &st) && (st.st_mode & 0777) == 0700,
		"by its paths; nobody else comes to the socket");
	region_remove(&r);
	ok(stat(r.dir, &st) && stat(r.sock_path, &st), "which are removed");

	o.block = o.stacks = o.no_syscalls = true;
	world.barrier = 1;
	r = make(o, true);
	ok(r.h->flags == (CTP_F_BLOCK | CTP_F_FENCE | CTP_F_STACKS | CTP_F_QUIET) && r.stacks && !r.membarrier, "what was asked for, and what there is not");
	region_remove(&r);
	world.barrier = -1;
	r = make(common, true);
	ok(r.h->flags == CTP_F_FENCE && !r.membarrier, "a system without barriers");
	region_remove(&r);
	unlimited();

	o = common;
	o.last_ns = 1;
	o.ring_slots = 1024;
	r = make(o, true);
	ok(r.overwrites && r.h->v2_minor == CTP2_MINOR_BOX && r.h->look_slots == 64 && r.h->birth_ns && r.h->birth_ticks && r.h->birth_wall > 1ull << 60 &&
		(char *)r.births == r.base + r.h->births_off && memcmp(r.h->boot_id, (uint8_t[16]){ 0 }, 16), "one that overwrites");
	region_remove(&r);
	o.ring_slots = 512;
	r = make(o, true);
	ok(r.h->look_slots == 2, "and looks into short rings by twos");
	region_remove(&r);
}

/* The recorder that made it is gone: so is its socket. A child's end takes nothing. */
/* What it says where it cannot, and nothing stays. */
static void refused(void)
{
	int before = open_now();
	struct stat st;
	char want[200];
	struct region r;

	told[0] = '\0';
	world.no_bind = true;
	r = make(common, false);
	ok(!strcmp(told, "cannot make a socket under /tmp: Address already in use") && !*r.sock_path && !*r.dir, "not bound");
	world.no_bind = false, world.no_listen = true;
	r = make(common, false);
	ok(!strcmp(told, "cannot make a socket under /tmp: Operation not supported") && !*r.sock_path && !*r.dir, "not listened on");
	ok(lstat(last_dir, &st) && !r.h->v2_magic, "and not there");
	ok(open_now() == before + 2, "nor open, but for the memory");
	world.no_listen = false, world.no_dir = true;
	r = make(common, false);
	ok(!strcmp(told, "cannot make a socket under /tmp: Read-only file system") && !*r.dir, "no directory");
	world.no_dir = false, world.no_memory = true;
	r = make(common, false);
	snprintf(want, sizeof want, "cannot make %llu bytes of (sparse) shared memory: File too large; the size of files is limited (ulimit -f)",
		(unsigned long long)r.size);
	ok(!strcmp(told, want) && r.size, "no memory");
	world.no_memory = false;
	for (int i = 0; i < 2; i++) {
		world.no_map = !i, world.no_seal = i;
		r = make(common, false);
		ok(strstr(told, i ? "shared memory: Operation not permitted" : "shared memory: Resource temporarily unavailable"), "none that may be used, or kept");
	}
	world.no_seal = false;
	told[0] = '\0';
}

static void limits_said(void)
{
	struct options o = common;
	struct region r;

	world.memory = 1ull << 30;
	r = make(o, true);
	ok(!strncmp(told, "this cgroup leaves 1024 MiB of memory: rings of ", 48), "what a cgroup leaves is said");
	region_remove(&r);
	told[0] = '\0';
	o.quiet = true;
	r = make(o, true);
	ok(!*told, "not by who is to be quiet");
	region_remove(&r);
	unlimited();
	o.quiet = false;
	world.space = 1ull << 32;
	r = make(o, true);
	ok(!strncmp(told, "the address space is limited (ulimit -v): room for ", 51), "so is that of the address space");
	region_remove(&r);
	told[0] = '\0';
	o.quiet = true;
	r = make(o, true);
	ok(!*told, "quietly");
	region_remove(&r);
	unlimited();
	r = make(common, true);
	ok(!*told, "where there is none, nothing is");
	region_remove(&r);
	world.memory = 1ull << 40;
	r = make(common, true);
	ok(!*told, "nor where it is wide");
	region_remove(&r);
	unlimited();
}

static void ends(void)
{
	struct stat st;
	int tell[2], status;
	struct region r;
	pid_t pid;

	if (pipe(tell) || !(pid = fork())) {
		r = (struct region){ .fd = -1 };
		if (!region_create(&r, &common))
			_exit(99);
		if (!(pid = fork()))
			exit(0);
		waitpid(pid, NULL, 0);
		if (stat(r.sock_path, &st) || write(tell[1], &r, sizeof r) != sizeof r)
			_exit(98);
		memset(&r, 0, sizeof r);
		exit(0);
	}
	waitpid(pid, &status, 0);
	ok(!status && read(tell[0], &r, sizeof r) == sizeof r && stat(r.sock_path, &st) && stat(r.dir, &st), "what is there goes with who made it: %d", status);
}

/* ---- what was left ---- */

static char in[64];

static char *path_of(const char *name, const char *file)
{
	static char path[200];

	snprintf(path, sizeof path, "%s/%s%s", in, name, file);
	return path;
}

static int bound(const char *name, int type)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type, 0);

	mkdir(path_of(name, ""), 0700);
	strcpy(addr.sun_path, path_of(name, "/sock"));
	if (bind(fd, (struct sockaddr *)&addr, sizeof addr) || (type == SOCK_STREAM && listen(fd, 5)))
		exit(99);
	return fd;
}

static bool there(const char *name)
{
	struct stat st;

	return !lstat(path_of(name, ""), &st);
}

static void aged(const char *name, time_t s)
{
	struct timespec t[2] = { { time(NULL) - s, 0 }, { time(NULL) - s, 0 } };

	if (utimensat(AT_FDCWD, path_of(name, ""), t, 0))
		exit(99);
}

/* Where another user could put a socket of his in the place of ours; `in` is root's, or ours. */
static void others(void)
{
	static const struct { unsigned mode; uid_t of; bool taken; } all[] = {
		{ 0700, 0, true }, { 0755, 0, true }, { 0775, 0, false }, { 0757, 0, false }, { 0720, 0, false }, { 0702, 0, false }, { 01777, 0, true },
		{ 0700, 12345, false }, { 01777, 12345, false },
	};
	struct region r;

	unsetenv("XDG_RUNTIME_DIR");
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (int above = 0; above < 3; above++) {
			if (geteuid() && all[i].of)
				continue;
			mkdir(path_of("a", ""), 0700);
			mkdir(path_of("a", "/b"), 0700);
			if (symlink("a/b", path_of("link", "")) || chmod(path_of("a", above == 1 ? "" : "/b"), all[i].mode) ||
				(all[i].of && chown(path_of("a", above == 1 ? "" : "/b"), all[i].of, all[i].of)))
				exit(99);
			setenv("TMPDIR", path_of(above == 2 ? "link" : "a/b", ""), 1);
			r = make(common, true);
			ok(!strncmp(r.dir, path_of("a", "/b/"), strlen(in) + 5) == all[i].taken && (all[i].taken || !strncmp(r.dir, "/tmp/ct-record.", 15)),
				"%s of mode %o, of %u: %s", above == 2 ? "a link to one" : above ? "one below one" : "a directory", all[i].mode, (unsigned)all[i].of,
				all[i].taken ? "taken" : "passed over");
			region_remove(&r);
			rmdir(path_of("a", "/b"));
			rmdir(path_of("a", ""));
			unlink(path_of("link", ""));
		}
}

/* By the words of the file system, for a user that is not root. */
static void above(void)
{
	struct dir all[] = { { "/", 0, 0755 }, { "/a", 1000, 0700 }, { "/a/b", 1000, 01777 }, { NULL, 0, 0 } };
	char path[] = "/a/b";

	dirs = all;
	ok(is_ours(path) && !strcmp(path, "/a/b"), "ours, and root's");
	for (int i = 0; i < 3; i++) {
		struct dir was = all[i];

		all[i].uid = 1;
		ok(!is_ours(path), "not with another's at %s", was.path);
		all[i] = (struct dir){ was.path, 0, 0777 };
		ok(!is_ours(path), "nor with everybody's");
		all[i].mode = 01777;
		ok(is_ours(path), "but for one whose files stay their owners'");
		all[i].path = "gone";
		ok(!is_ours(path), "nor with one that is not known");
		all[i] = was;
	}
	dirs = NULL;
}

static void stale(void)
{
	static const char *const kept[] = { "ct-record.living", "ct-record.bare-0", "ct-record.toolong", "ct-record.short", "xx-record.abcdef", "ct-record.file00",
		"ct-record.link00", "ct-record.unread" };
	char *temporary = getenv("TMPDIR");
	struct region r;
	int fd, before;

	snprintf(in, sizeof in, "/tmp/ct-r-XXXXXX");
	if (!mkdtemp(in))
		exit(99);
	close(bound("ct-record.killed", SOCK_STREAM));
	bound("ct-record.living", SOCK_STREAM);
	bound("ct-record.unread", SOCK_DGRAM);		/* one can connect to it */
	mkdir(path_of("ct-record.bare-0", ""), 0700);
	mkdir(path_of("ct-record.bare-1", ""), 0700);
	aged("ct-record.bare-0", 30);
	aged("ct-record.bare-1", 90);
	close(bound("ct-record.toolong", SOCK_STREAM));
	close(bound("ct-record.short", SOCK_STREAM));
	close(bound("xx-record.abcdef", SOCK_STREAM));
	close(fd = open(path_of("ct-record.file00", ""), O_CREAT | O_WRONLY, 0600));
	aged("ct-record.file00", 90);
	if (symlink("ct-record.killed", path_of("ct-record.link00", "")))
		exit(99);
	setenv("TMPDIR", in, 1);
	unsetenv("XDG_RUNTIME_DIR");
	r = make(common, true);
	ok(!strncmp(r.dir, in, strlen(in)) && !there("ct-record.killed") && !there("ct-record.bare-1"), "what killed recorders left goes");
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		ok(there(kept[i]), "%s stays", kept[i]);
	region_remove(&r);
	world.skewed = true;
	r = make(common, true);
	world.skewed = false;
	ok(!strncmp(r.dir, in, strlen(in)), "ours does not, whatever the clocks say");
	region_remove(&r);
	world.beside = true;
	r = make(common, true);
	world.beside = false;
	ok(!strncmp(r.dir, in, strlen(in)) && there(r.dir + strlen(in) + 1), "nor where another recorder begins at the same time");
	if (!geteuid()) {
		close(bound("ct-record.others", SOCK_STREAM));
		ok(!chown(path_of("ct-record.others", ""), 12345, 12345), "another user's");
		remove_stale(in);
		ok(there("ct-record.others"), "stays, too");
	}
	region_remove(&r);
	before = open_now();
	remove_stale(in);
	ok(open_now() == before, "no descriptor stays open");

	setenv("XDG_RUNTIME_DIR", "/nowhere/at-all", 1);
	r = make(common, true);
	ok(!strncmp(r.dir, in, strlen(in)), "a directory that cannot be is passed over");
	region_remove(&r);
	for (size_t i = 0; i < 2; i++) {
		setenv("XDG_RUNTIME_DIR", i ? "." : "", 1);
		r = make(common, true);
		ok(!strncmp(r.dir, in, strlen(in)), "nor is one taken that another directory may not lead to");
		region_remove(&r);
	}
	for (size_t n = 40; n < 42; n++) {
		char *path = path_of("a-name-that-is-longer-than-that", "");

		path[n] = '\0';
		mkdir(path, 0700);
		setenv("XDG_RUNTIME_DIR", path, 1);
		r = make(common, true);
		ok(!strncmp(r.dir, path, n) == (n == 40), "a path of %zu bytes", n);
		region_remove(&r);
	}
	setenv("XDG_RUNTIME_DIR", "/dev/shm", 1);
	world.full = "/dev/shm";
	r = make(common, true);
	ok(!strncmp(r.dir, in, strlen(in)) && access(last_shm, F_OK), "nor one without room for a socket, and nothing is left there");
	region_remove(&r);
	world.full = NULL;
	setenv("XDG_RUNTIME_DIR", in, 1);
	setenv("TMPDIR", "/nowhere/at-all", 1);
	r = make(common, true);
	ok(!strncmp(r.dir, in, strlen(in)), "the first that can is taken");
	region_remove(&r);
	setenv("XDG_RUNTIME_DIR", "/tmp/a-path-that-is-much-too-long-for-a-socket", 1);
	r = make(common, true);
	ok(!strncmp(r.dir, "/tmp/ct-record.", 15), "and /tmp where there is none");
	region_remove(&r);
	others();
	if (temporary)
		setenv("TMPDIR", temporary, 1);
}

int main(void)
{
	char remove[100];

	unlimited();
	cgroups();
	spaces();
	layout(false);
	layout(true);
	header();
	refused();
	limits_said();
	ends();
	above();
	stale();
	snprintf(remove, sizeof remove, "rm -rf '%s'", in);
	return system(remove) ? 99 : done_testing();
}
