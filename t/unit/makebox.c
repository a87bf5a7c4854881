/* makebox.c - the box that the C probe makes (sdk/c/ct-makebox.h): how large and where each table lies, what its header says, by which file, and
 * what is left where it cannot be made.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "open-here.h"
#include "tap.h"

static struct {
	rlim_t space;			/* what is left of the address space; 0: all */
	bool no_high, no_size, no_seal, no_protect, no_read, no_blocks;
	int no_pages;			/* an error, of pages that are asked for before they are used */
	size_t unmapped, asked_for;
	const char *clock, *boot;	/* what the kernel says */
	const struct file { const char *path, *text; } *files;	/* and of cgroups */
} world;

static int world_space(struct rlimit *l)
{
	l->rlim_cur = world.space ? world.space : RLIM_INFINITY;
	return 0;
}

/* The kernel's words. */
static int world_open(const char *path, int flags, ...)
{
	const char *text = strstr(path, "clocksource") ? world.clock : strstr(path, "boot_id") ? world.boot : NULL;
	int fd;

	for (const struct file *f = world.files; f && f->path; f++)
		if (!strcmp(f->path, path))
			text = f->text;

	if (!text)
		return -1;
	fd = memfd_create("words", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	if (pwrite(fd, text, strlen(text), 0) < 0)
		exit(99);
	return fd;
}

static int world_control(int fd, int command, long arg)
{
	if (command == F_DUPFD_CLOEXEC && world.no_high)
		return -1;
	if (command == F_ADD_SEALS && world.no_seal)
		return errno = EPERM, -1;
	return fcntl(fd, command, arg);
}

#define getrlimit(which, l) ((which) == RLIMIT_AS ? world_space(l) : (getrlimit)(which, l))
/* Who closes keeps an earlier reason. */
static int world_close(int fd)
{
	close(fd);
	errno = EIO;
	return 0;
}

#define open world_open
#define read(fd, to, n) (world.no_read ? -1 : (read)(fd, to, n))
#define close world_close
#define munmap(at, n) (world.unmapped += (n), (munmap)(at, n))
#define fcntl(fd, command, arg) world_control(fd, command, (long)(arg))
#define ftruncate(fd, size) (world.no_size ? errno = ENOSPC, -1 : (ftruncate)(fd, size))
#define mprotect(at, size, how) (world.no_protect ? errno = ENOMEM, -1 : (mprotect)(at, size, how))
#define madvise(at, size, how) ((how) != 23 ? (madvise)(at, size, how) : (world.asked_for += (size), (errno = world.no_pages) ? -1 : 0))
#define fallocate(fd, how, at, size) (world.no_blocks ? errno = ENOSPC, -1 : (fallocate)(fd, how, at, size))
#define clock_gettime(clock, t) ((t)->tv_sec = (clock) == CLOCK_REALTIME ? 5 : 3, (t)->tv_nsec = 7)
#include "../../sdk/c/ct.c"
#undef fcntl
#undef close

static struct ctp_header h;

static const struct ctp_header *laid(const char *how)
{
	memset(&h, 0, sizeof h);
	ct_p_box_layout(&h, how);
	return &h;
}

static uint64_t pages(uint64_t size) { return (size + 65535) / 65536 * 65536; }

/* ---- what cgroups leave ---- */

#define SELF "/proc/self/cgroup"
#define V2 "/sys/fs/cgroup"
#define OLD "/sys/fs/cgroup/memory"

static bool leaves(const struct file *files, uint64_t left)
{
	int fd = dup(0), after;
	bool good;

	close(fd);
	world.files = files;
	good = ct_p_memory_left() == left;
	after = dup(0);
	close(after);
	return good && fd == after;
}

/* Of each file no more than there is room for, by any descriptor. */
static void texts(void)
{
	static const struct file long_one[] = { { "/long", "abcdef" }, { NULL, NULL } };
	char text[8] = "xxxxxxx";
	int input = dup(0);

	world.files = long_one;
	ct_p_file_text("/long", text, 4);
	ok(!memcmp(text, "abc\0xxx", 8), "cut");
	close(0);
	ct_p_file_text("/long", text, 7);
	ok(!strcmp(text, "abcdef") && dup(input) == 0, "by the lowest descriptor, which is closed");
	world.no_read = true;
	ct_p_file_text("/long", text, 7);
	ok(!*text, "not to be read");
	world.no_read = false;
	text[0] = 'x';
	ct_p_file_text("/none", text, 7);
	ok(!*text, "not there");
	close(input);
	world.files = NULL;
}

static void groups(void)
{
	char path[1100];
	static const struct file none[] = { { NULL, NULL } }, unlimited[] = { { SELF, "0::/a\n" }, { V2 "/a/memory.max", "max\n" }, { NULL, NULL } },
		no_number[] = { { SELF, "0::/a\n" }, { V2 "/a/memory.max", "" }, { NULL, NULL } },
		no_path[] = { { SELF, "0::\n" }, { V2 "/memory.max", "1\n" }, { NULL, NULL } },
		none_near[] = { { SELF, "0::/a\n" }, { V2 "/a/memory.max", "1152921504606846976\n" }, { NULL, NULL } },
		root[] = { { SELF, "0::/\n" }, { V2 "/memory.max", "900\n" }, { "/sys/fs/memory.max", "1\n" }, { NULL, NULL } },
		used[] = { { SELF, "0::/a" }, { V2 "/a/memory.max", "900\n" }, { V2 "/a/memory.current", "500\n" },
			{ V2 "/a/memory.stat", "anon 7\ninactive_anon 8\nactive_anon 3\ninactive_file 200\nactive_file 100\nx 1\n" }, { NULL, NULL } },
		too_many[] = { { SELF, "0::/a\n" }, { V2 "/a/memory.max", "900\n" }, { V2 "/a/memory.current", "500\n" },
			{ V2 "/a/memory.stat", "x 1\ninactive_file 600\n" }, { NULL, NULL } },
		over[] = { { SELF, "0::/a\n" }, { V2 "/a/memory.max", "900\n" }, { V2 "/a/memory.current", "901\n" }, { NULL, NULL } },
		outer[] = { { SELF, "0::/a/b/c\n" }, { V2 "/a/b/c/memory.max", "900\n" }, { V2 "/a/memory.max", "1000\n" }, { V2 "/a/memory.current", "700\n" },
			{ V2 "/a/b/c/memory.current", "5\n" }, { NULL, NULL } },
		high[] = { { SELF, "0::/a/b\n" }, { V2 "/a/b/memory.max", "900\n" }, { V2 "/a/b/memory.high", "max\n" }, { V2 "/a/memory.max", "max\n" },
			{ V2 "/a/memory.high", "800\n" }, { V2 "/a/memory.current", "100\n" }, { OLD "/a/memory.high", "1\n" }, { NULL, NULL } },
		hybrid[] = { { SELF, "1:cpu:/x\n0::/a\n" }, { V2 "/unified/a/memory.max", "800\n" }, { NULL, NULL } },
		old[] = { { SELF, "5:memory:/a\n3:cpu:/b\n0::/c\n" }, { OLD "/a/memory.limit_in_bytes", "900\n" }, { OLD "/a/memory.usage_in_bytes", "500\n" },
			{ OLD "/a/memory.stat", "cache 1\ninactive_file 1\nactive_file 1\ntotal_inactive_file 40\ntotal_active_file 60\n" },
			{ OLD "/memory.limit_in_bytes", "9223372036854771712\n" }, { OLD "/b/memory.limit_in_bytes", "1\n" }, { V2 "/b/memory.max", "1\n" },
			{ NULL, NULL } },
		both[] = { { SELF, "5:memory:/a\n0::/c\n" }, { OLD "/a/memory.limit_in_bytes", "900\n" }, { V2 "/c/memory.max", "700\n" }, { NULL, NULL } };

	ok(leaves(none, UINT64_MAX) && leaves(unlimited, UINT64_MAX) && leaves(no_number, UINT64_MAX) && leaves(no_path, UINT64_MAX) &&
		leaves(none_near, UINT64_MAX), "no limit");
	ok(leaves(root, 900), "the root's");
	ok(leaves(used, 700), "what is used, but for files' pages");
	ok(leaves(too_many, 900) && leaves(over, 0), "never less than nothing");
	ok(leaves(outer, 300), "the least of all from there to the root");
	ok(leaves(high, 700), "beyond memory.high nothing goes on");
	for (size_t n = 1022; n < 1026; n++) {		/* of directory and zero byte */
		const struct file deep[] = { { SELF, path }, { V2 "/memory.max", "900\n" }, { NULL, NULL } };

		snprintf(path, sizeof path, "0::/%0*d\n", (int)(n - sizeof V2 - 1), 0);
		ok(leaves(deep, n > 1024 ? UINT64_MAX : 900), "a path of %zu bytes", n);
	}
	ok(leaves(hybrid, 800) && leaves(old, 500) && leaves(both, 700), "of each version");
	world.files = NULL;
}

static void spared(void)
{
	static const struct { const char *how, *left; uint32_t slots, rings, stations; uint64_t strings; } all[] = {
		{ "1", "536870912", 16384, 256, 524288, 16 << 20 },	/* 64 MiB for rings of 64 threads, 256 for all, 64 for stations */
		{ "1", "268435456", 16384, 128, 262144, 16 << 20 },
		{ "1", "268435455", 8192, 128, 262144, 16 << 20 },
		{ "1", "67108864", 4096, 128, 65536, 8 << 20 },
		{ "1,threads=4", "67108864", 16384, 4, 65536, 8 << 20 },
		{ "1,slots=16384", "67108864", 16384, 32, 65536, 8 << 20 },
		{ "1,slots=16384,threads=256,coroutines=4000000", "67108864", 16384, 256, 4000000, 8 << 20 },
		{ "1", "50331648", 2048, 128, 65536, 4 << 20 },		/* stations are an eighth */
		{ "1", "0", 64, 1, 1024, 1 << 16 },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const struct file files[] = { { SELF, "0::/\n" }, { V2 "/memory.max", all[i].left }, { NULL, NULL } };

		world.files = files;
		laid(all[i].how);
		ok(h.ring_slots == all[i].slots && h.ring_count == all[i].rings && h.station_count == all[i].stations && h.strings_size == all[i].strings,
			"%s where %s are left: %u %u %u %lu", all[i].how, all[i].left, h.ring_slots, h.ring_count, h.station_count, (unsigned long)h.strings_size);
	}
	world.files = NULL;
}

static bool in_order(void)
{
	return h.rings_off == 65536 && h.sites_off == h.rings_off + pages(h.ring_count * sizeof(struct ctp_ring)) &&
		h.strings_off == h.sites_off + pages(h.site_count * sizeof(struct ctp_site)) && h.stations_off == h.strings_off + pages(h.strings_size) &&
		h.births_off == h.stations_off + pages(h.station_count * 64ull) &&
		h.slots_off == h.births_off + pages((uint64_t)h.station_count * sizeof(struct ctp_birth)) &&
		h.file_size == h.slots_off + pages((uint64_t)h.ring_count * h.ring_slots * 64);
}

static void sizes(void)
{
	static const struct { const char *how; uint32_t rings, slots, stations, look; } all[] = {
		{ "1", 256, 16384, 1 << 22, 1024 }, { "/tmp,threads=3,slots=64,coroutines=100", 3, 64, 100, 2 }, { "1,threads=0,slots=7,coroutines=15", 1, 8, 16, 2 },
		{ "1,threads=65537,slots=16777217,coroutines=16777217", 65536, 1 << 24, 1 << 24, 1 << 20 }, { "1,threads=65536", 65536, 16384, 1 << 22, 1024 },
		{ "1,slots=9", 256, 8, 1 << 22, 2 }, { "1,slots=1023", 256, 512, 1 << 22, 2 }, { "1,slots=1024", 256, 1024, 1 << 22, 64 },
		{ "1,slots=1025", 256, 1024, 1 << 22, 64 }, { "1,slots=16777215", 256, 1 << 23, 1 << 22, 1 << 19 }, { "1,slots=6", 256, 8, 1 << 22, 2 },
		{ "1,slots=x", 256, 8, 1 << 22, 2 }, { "1,coroutines=16,threads=1,slots=8", 1, 8, 16, 2 },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		laid(all[i].how);
		ok(h.ring_count == all[i].rings && h.ring_slots == all[i].slots && h.station_count == all[i].stations && h.look_slots == all[i].look &&
			h.site_count == 1 << 16 && h.strings_size == 16 << 20 && in_order(), "%s", all[i].how);
	}
	world.space = 4ull * (100 * (64 + sizeof(struct ctp_birth)) + 4 * 64 * 64 + (16 << 20));
	laid("1,threads=4,slots=64,coroutines=100");
	ok(h.ring_count == 4 && h.station_count == 100 && h.strings_size == 16 << 20, "where address space is limited, a quarter of it");
	world.space -= 4;
	laid("1,threads=4,slots=64,coroutines=100");
	ok(h.ring_count == 2 && h.station_count == 50 && h.strings_size == 8 << 20 && h.ring_slots == 64 && in_order(), "no more");
	world.space = 1 << 16;
	laid("1,threads=4,slots=64,coroutines=100");
	ok(h.ring_count == 1 && in_order(), "one ring at least");
	world.space = 0;
}

static void headers(void)
{
	static const uint8_t boot[16] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10 }, none[16];
	uint8_t long_id[17] = { 0 };
	struct stat st;

	stat("/proc/self/ns/pid", &st);
	world.boot = "01234567-89ab-cdef-fedc-ba9876543210\n";
	world.clock = "hpet\n";
	memset(&h, 0, sizeof h);
	ctp_store(&ct_p_.old, 41);
	ct_p_box_header(&h, 1);
	ok(h.magic == CTP_MAGIC && h.version == CTP_VERSION && h.v2_minor == CTP2_MINOR_BOX && h.kinds == CTP_KINDS && h.on_kinds == CTP_ON_KINDS && !h.flags &&
		h.box_pid == (uint32_t)getpid() && h.pid_ns == st.st_ino && h.born_late == 1 && h.next_number == CTP_NUMBERS && h.next_probe_id == 42 &&
		h.sites_used == 1 && h.strings_used == 8 && !h.v2_magic && !h.session, "what it is");
	ok(!memcmp(h.boot_id, boot, 16) && h.birth_wall == 5000000007 && h.birth_ns == 3000000007 && h.birth_ticks == 3000000007, "when it was made");
	world.boot = NULL;
	memset(&h, 0, sizeof h);
	ctp_store(&ct_p_.old, 0);
	ct_p_box_header(&h, 0);
	ok(!memcmp(h.boot_id, none, 16) && !h.born_late && h.next_probe_id == 1, "of a kernel that does not say");
	world.boot = "0123";
	ct_p_boot_id(h.boot_id);
	ok(h.boot_id[0] == 1 && h.boot_id[1] == 0x23 && !h.boot_id[2], "or not all");
	world.boot = "01234567-89ab-cdef-fedc-ba987654321077\n";
	ct_p_boot_id(long_id);
	ok(!memcmp(long_id, boot, 16) && !long_id[16], "no more than there is room for");
#if defined __x86_64__
	world.clock = "tsc\n";
	ok(ct_p_tsc() == CTP_F_TSC, "ticks are the processor's where the kernel's are");
	ct_p_box_header(&h, 0);
	ok(h.flags == CTP_F_TSC, "so it says");
	world.clock = "tsc-early\n";
	ok(!ct_p_tsc(), "not yet");
#endif
	world.clock = NULL;
	ok(!ct_p_tsc(), "nor where it does not say");
}

/* A limit of files' sizes is no signal, neither then nor later. */
static void too_large(const char *how)
{
	struct rlimit was, small;
	sigset_t before, after;
	char path[4096];
	int fd;

	(getrlimit)(RLIMIT_FSIZE, &was);
	small = was;
	small.rlim_cur = 4096;
	setrlimit(RLIMIT_FSIZE, &small);
	sigprocmask(SIG_BLOCK, NULL, &before);
	fd = ct_p_box_open(how, 8192, path);
	ok(fd == -1 && errno == EFBIG, "larger than files may be: %s", how);
	sigprocmask(SIG_BLOCK, NULL, &after);
	ok(sigismember(&before, SIGXFSZ) == 0 && sigismember(&after, SIGXFSZ) == 0, "nor is it blocked then");
	setrlimit(RLIMIT_FSIZE, &was);
}

static void descriptors(void)
{
	int before = open_here(), fd;
	struct stat st;
	char name[100], link[100];
	ssize_t n;

	ok(ct_p_high(-1) == -1, "none");
	fd = dup(0);
	ok(ct_p_high(0) >= 200 && fcntl(0, F_GETFD) < 0, "out of the way of standard input");
	dup2(fd, 0);
	close(fd);
	close(200);
	fd = ct_p_memfd("its name", 12345);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	n = readlink(name, link, sizeof link - 1);
	link[n > 0 ? n : 0] = '\0';
	ok(fd >= 200 && open_here() == before + 1 && !fstat(fd, &st) && st.st_size == 12345 && !strncmp(link, "/memfd:its name", 15) &&
		fcntl(fd, F_GETFD) == FD_CLOEXEC && fcntl(fd, F_GET_SEALS) == (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), "out of the way, of one size");
	close(fd);
	world.no_high = true;
	fd = ct_p_memfd("x", 1);
	ok(fd >= 3 && fd < 200 && open_here() == before + 1, "unless there is no such descriptor");
	close(fd);
	world.no_high = false, world.no_size = true;
	ok(ct_p_memfd("x", 1) == -1 && errno == ENOSPC && open_here() == before, "no room");
	world.no_size = false, world.no_seal = true;
	ok(ct_p_memfd("x", 1) == -1 && errno == EPERM && open_here() == before, "no seals");
	world.no_seal = false;
}

/* What it says goes to a file. */
static int makes(const char *how, char said[4096])
{
	int err = fcntl(2, F_DUPFD, 10), low = memfd_create("err", 0), in = fcntl(low, F_DUPFD, 10), made;

	close(low);		/* which may be that of a closed standard input */
	dup2(in, 2);
	made = ct_p_make_box(how, 0, CTP_FLAG_ON);
	dup2(err, 2);
	memset(said, 0, 4096);
	if (pread(in, said, 4095, 0) < 0)
		exit(99);
	close(in);
	close(err);
	return made;
}

/* Where standard input is closed, and no higher descriptor is to be had, a box's is 0. */
static void as_input(const char *how, const char *dir)
{
	int input = dup(0), fd;
	char path[4096];
	struct stat st;

	world.no_high = true;
	close(0);
	fd = ct_p_box_open(how, 8192, path);
	ok(fd == 0 && !fstat(0, &st) && st.st_size == 8192, "a file by descriptor 0");
	close(0);
	unlink(path);
	world.no_size = true;
	ok(ct_p_box_open(how, 8192, path) == -1 && fcntl(0, F_GETFD) < 0 && !rmdir(dir) && !mkdir(dir, 0700), "of which nothing is left");
	world.no_size = false, world.no_protect = true;
	ok(!makes(how, path) && fcntl(0, F_GETFD) < 0 && !rmdir(dir) && !mkdir(dir, 0700), "either");
	world.no_protect = world.no_high = false;
	dup2(input, 0);
	close(input);
}

static void opened(void)
{
	int before = open_here(), fd;
	char path[4096], want[100], dir[] = "./makebox.XXXXXX", how[4096];
	struct stat st;

	fd = ct_p_box_open("1", 4096, path);
	ok(fd >= 200 && !ct_p_.box_file && !strcmp(path, "the memory for a box") && !fstat(fd, &st) && st.st_size == 4096, "in memory");
	close(fd);
	if (!mkdtemp(dir) || !realpath(dir, how))
		exit(99);
	snprintf(want, sizeof want, "/corotrace-box.%ld.", (long)getpid());
	strcat(how, ",slots=8");
	fd = ct_p_box_open(how, 8192, path);
	ok(fd >= 200 && ct_p_.box_file && !stat(path, &st) && st.st_size == 8192 && (st.st_mode & 0777) == 0600 && strstr(path, want) &&
		!strncmp(path, how, strlen(how) - 8) && path[strlen(how) - 8] == '/', "in a file");
	close(fd);
	unlink(path);
	world.no_size = true;
	fd = ct_p_box_open(how, 8192, path);
	ok(fd == -1 && errno == ENOSPC && stat(path, &st) && open_here() == before, "no room: nothing is left");
	world.no_size = false;
	too_large("1");
	too_large(how);
	world.no_protect = true;
	world.unmapped = 0;
	ok(!makes(how, path) && strstr(path, "box.") && strstr(path, ": Cannot allocate memory\n") && !rmdir(dir) && !mkdir(dir, 0700) && open_here() == before &&
		!ct_p_.base && ct_p_.box_fd == -1 && !ct_p_.box && !ct_p_.overwrites && world.unmapped > 1 << 20, "made, but not to be used: nothing is left");
	world.no_protect = false, world.no_blocks = true;
	ok(!makes(how, path) && strstr(path, ": No space left on device\n") && !rmdir(dir) && !mkdir(dir, 0700), "nor on a disk that is full");
	world.no_blocks = false;
	as_input(how, dir);
	ok(ct_p_box_open("/nonexistent", 8192, path) == -1 && errno == ENOENT && open_here() == before, "nowhere");
	rmdir(dir);
}

static void mapped(void)
{
	char path[4096];
	int fd, input;

	laid("1,threads=2,slots=8,coroutines=16");
	fd = ct_p_box_open("1", h.file_size, path);
	ok(!ct_p_box_map(fd, &h) && ct_p_.box_fd == fd && ct_p_box_fd_ours() && (char *)ct_p_.rings == ct_p_.base + h.rings_off, "mapped");
	ok(ct_p_.site_part.at == ct_p_.base + h.sites_off && ct_p_.site_part.size == (1 << 16) * sizeof(struct ctp_site) && !ct_p_.site_part.open &&
		ct_p_.string_part.at == ct_p_.base + h.strings_off && ct_p_.string_part.size == 16 << 20 && ct_p_.station_part.at == ct_p_.base + h.stations_off &&
		ct_p_.station_part.size == 16 * 64 && ct_p_.birth_part.at == ct_p_.base + h.births_off && ct_p_.birth_part.size == 16 * sizeof(struct ctp_birth) &&
		ct_p_.slot_part.at == ct_p_.base + h.slots_off && ct_p_.slot_part.size == 2 * 8 * 64, "each table");
	ct_p_.base[0] = 1;
	ct_p_.base[h.sites_off - 1] = 1;
	ok(ct_p_.base[0] + ct_p_.base[h.sites_off - 1] == 2, "the header and the rings may be used");
	errno = 77;
	ok(ct_p_box_map(-1, &h) == -1 && errno == 77, "no descriptor: why not has been said");
	input = dup(0);
	dup2(fd, 0);
	ok(!ct_p_box_map(0, &h) && !ct_p_.box_fd && ct_p_box_fd_ours(), "where standard input is closed, it is one");
	dup2(input, 0);
	close(input);
	world.no_protect = true;
	ok(ct_p_box_map(fd, &h) == -1 && errno == ENOMEM, "no memory");
	world.no_protect = false;
	close(fd);
	ok(ct_p_box_map(fd, &h) == -1, "a closed one");
	fd = ct_p_box_open("1", h.file_size, path);
	ct_p_box_map(fd, &h);
	ct_p_.box_ino++;
	ok(!ct_p_box_fd_ours(), "another file's number");
	ct_p_.box_ino--, ct_p_.box_dev++;
	ok(!ct_p_box_fd_ours(), "another file system's");
	ct_p_.box_dev--, ct_p_.box_fd = -1;
	ok(!ct_p_box_fd_ours(), "none");
	close(fd);
}

/* vm.overcommit_memory */
static void strict(void)
{
	static const struct file two[] = { { "/proc/sys/vm/overcommit_memory", "2\n" }, { NULL, NULL } }, one[] = { { "/proc/sys/vm/overcommit_memory", "1\n" }, { NULL, NULL } };
	char path[4096];
	int fd;

	laid("1,threads=2,slots=8,coroutines=16");
	fd = ct_p_box_open("1", h.file_size, path);
	ct_p_.ring_slots = 8;
	world.no_pages = EFAULT;
	world.files = one;
	ct_p_see_strict();
	ok(!ct_p_box_map(fd, &h) && !world.asked_for, "where memory is promised no page is asked for before it is used");
	world.files = two;
	ct_p_see_strict();
	ok(ct_p_box_map(fd, &h) == -1 && errno == ENOMEM && world.asked_for == h.sites_off, "where it is not, they are: there are none");
	world.no_pages = EINVAL;
	ok(!ct_p_box_map(fd, &h), "an older kernel cannot be asked");
	world.no_pages = 0;
	ct_p_.slots = ct_p_.slot_part.at;
	world.asked_for = 0;
	ok(ct_p_open_slots(0) && world.asked_for == 8 * 64, "for a ring");
	ok(ct_p_open(&ct_p_.string_part, 100, 1 << 20) && world.asked_for == 8 * 64 + (1 << 20) && ct_p_.string_part.open == 1 << 20, "for a table");
	world.no_pages = EFAULT;
	ok(!ct_p_open_slots(0) && !ct_p_open(&ct_p_.string_part, (1 << 20) + 1, 1 << 20) && ct_p_.string_part.open == 1 << 20, "none for them");
	world.no_pages = 0;
	world.files = NULL;
	ct_p_see_strict();
	close(fd);
}

static void made(void)
{
	static const char *const wrong[] = { "2", "1x", "11", "box", "./x", " 1" };
	static const char *const numbers[] = { "1,", "1,slots=-64", "1,slots=1e3", "1,slots= 64", "1,slots=0x40", "1,threads=", "1,slots", "1,slot=64", "1,slots=64,", "1,,slots=64",
		"1,slots=64 ", "1;slots=64", "1,slots=64;threads=2", "/tmp,slots=64,threads", "1,slots=64,Threads=2" };

	char said[4096];

	world.clock = world.boot = NULL;
	ok(!makes(NULL, said) && !*said && !makes("", said) && !*said && !makes("0", said) && !*said && !ct_p_.hdr, "not asked for");
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		ok(!makes(wrong[i], said) && !ct_p_.hdr && strstr(said, "neither 0, nor 1, nor a directory's"), "not \"%s\"", wrong[i]);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		ok(!makes(numbers[i], said) && !ct_p_.hdr && strstr(said, i == 11 ? "neither 0" : ",threads=N ,slots=N ,coroutines=N"), "nor \"%s\"", numbers[i]);
	ok(ct_p_box_numbers("") && ct_p_box_numbers(",slots=64") && ct_p_box_numbers(",coroutines=99999999999999999999,threads=0,slots=3"), "numbers of any size");
	world.no_size = true;
	ok(!makes("1", said) && !strcmp(said, "ct: cannot attach: the memory for a box: No space left on device\n") && !ct_p_.hdr && ct_p_.box_fd == -1 && !ct_p_.box,
		"none could be made");
	world.no_size = false, world.no_protect = true;
	close(creat("the memory for a box", 0600));
	ok(!makes("1", said) && !unlink("the memory for a box"), "a file that is called so is another's");
	world.no_protect = false;
	ct_p_.late = 0;
	ct_p_.flags = 0;
	ok(ct_p_make_box("1,threads=2,slots=8,coroutines=16", 1, CTP_FLAG_LENT) == 1, "made");
	ok(!ct_p_.hdr->session && !ct_p_.hdr->tracer_sleeping && !ct_p_.hdr->dump_ticks && !ct_p_.hdr->forget_ids && !ct_p_.hdr->late_lock &&
		!ct_p_.hdr->lost_no_ring && !ct_p_.hdr->lost_no_station && !ct_p_.hdr->stations_free && !ct_p_.hdr->leave, "and nothing else yet");
	ok(ct_p_.hdr->v2_magic == CTP2_MAGIC && ct_p_.hdr->ring_slots == 8 && ct_p_.box == 1 && ct_p_.overwrites == 1 && ct_p_.late == 1 &&
		ct_p_.pid == (uint32_t)getpid() && ct_flag_.on == CTP_FLAG_LENT && ct_p_.ring_slots == 8 && ct_p_.ring_count == 2 && ct_p_.station_count == 16 &&
		ct_p_.site_count == 1 << 16 && ct_p_.strings_size == 16 << 20 && ct_p_.slots == ct_p_.slot_part.at && (char *)ct_p_.births == ct_p_.birth_part.at &&
		(char *)ct_p_.stations == ct_p_.station_part.at && (char *)ct_p_.sites == ct_p_.site_part.at && ct_p_.strings == ct_p_.string_part.at,
		"as its header says");
}

/* In a child, whose parent's box was left; fork() itself is played. Its program has the numbers of sites. */
static bool inherits(const char *how, const char *name)
{
	const struct ctp_header *before = ct_p_.hdr;
	uint32_t one = ct_p_site("one", "a.c", 3), used = before->sites_used, i;
	uint64_t texts = before->strings_used;
	bool good;

	ct_p_.gate = CT_LEFT;
	ct_p_box_forked();
	good = !ct_p_.hdr && ct_p_make_box(how, 1, CTP_FLAG_LENT) == 1 && ct_p_.hdr != before && ct_p_.sites[one].ready && ct_p_.sites[one].line == 3 &&
		ct_p_same_text(ct_p_.sites[one].func, "one", 3) && ct_p_same_text(ct_p_.sites[one].file, "a.c", 3) && ct_p_.hdr->sites_used == used &&
		ct_p_.hdr->strings_used == texts;
	i = ct_p_site(name, "a.c", 3);
	return good && i == used && ct_p_same_text(ct_p_.sites[i].func, name, strlen(name)) && ct_p_same_text(ct_p_.sites[one].func, "one", 3);
}

static void left(void)
{
	char said[4096];

	ok(inherits("1,threads=2,slots=8,coroutines=16", "two"), "sites and texts of the box that was its parent's");
	ct_p_.gate = CT_LEFT;
	ct_p_box_forked();
	world.no_protect = true;
	ok(!makes("1", said), "whose memory is not to be had");
	world.no_protect = false;
	ok(ct_p_make_box("1,threads=2,slots=8,coroutines=16", 1, CTP_FLAG_LENT) == 1 && inherits("1,threads=2,slots=8,coroutines=16", "four"),
		"also once it is, and in a child of that one");
	ct_p_.gate = CT_LEFT;
	ct_p_box_forked();
	ct_p_.old_strings.open = (16 << 20) + 4096;
	ct_p_.old_strings.at = mmap(NULL, ct_p_.old_strings.open, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(ct_p_make_box("1,threads=2,slots=8,coroutines=16", 1, CTP_FLAG_LENT) == 1 && ct_p_.hdr->strings_used == 16 << 20, "no more than it holds");
}

int main(void)
{
	alarm(100);
	texts();
	groups();
	spared();
	sizes();
	headers();
	descriptors();
	opened();
	mapped();
	strict();
	made();
	left();
	return done_testing();
}
