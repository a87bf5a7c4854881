/* copies.c - a box that its process writes into a file (sdk/c/ct-dump.h): what is copied, what of it is whole, and what is left where writing
 * fails, or reading.
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
	int writes, reads;		/* so many calls until one fails, */
	int error;			/* by this; 0: without a word */
	int interrupted, part;
	bool no_close, no_size;
	int no_seek;
	uint64_t busy;			/* where a word changes each time that it is read */
	unsigned looks;
	uint32_t begin;			/* so many rings are used by then */
} world;

static ssize_t world_pwrite(int fd, const char *p, size_t n, off_t at)
{
	if (world.interrupted > 0) {
		world.interrupted--;
		errno = EINTR;
		return -1;
	}
	if (world.writes > 0 && !--world.writes) {
		errno = world.error;
		return world.error ? -1 : 0;
	}
	return pwrite(fd, p, world.part && n > (size_t)world.part ? (size_t)world.part : n, at);
}

static ssize_t world_pread(int fd, char *p, size_t n, off_t at)
{
	uint64_t from = world.busy - (uint64_t)at;
	ssize_t got;

	if (world.reads > 0 && !--world.reads) {
		errno = world.error;
		return world.error ? -1 : (ssize_t)n - 1;
	}
	got = pread(fd, p, n, at);

	if (world.busy && got == (ssize_t)n && world.busy >= (uint64_t)at && from + 8 <= n)
		p[from] = (char)(p[from] + 2 * (int)++world.looks);
	return got;
}

#define pwrite world_pwrite
#define pread world_pread
#define close(fd) (world.no_close ? (close)(fd), errno = EIO, -1 : (close)(fd))
#define ftruncate(fd, size) (world.no_size ? errno = EFBIG, -1 : (ftruncate)(fd, size))
#define lseek(fd, at, how) (world.no_seek ? errno = world.no_seek, -1 : (lseek)(fd, at, how))
static int world_nap(void);
#define nanosleep(time, rest) ((void)(time), world_nap())
#include "../../sdk/c/ct.c"
#undef nanosleep
#undef pwrite
#undef pread
#undef close

#define FILE_NAME "copies.box"

static int world_nap(void)
{
	if (world.begin)
		ct_p_.hdr->rings_used = world.begin;
	return 0;
}

static bool is_there(void)
{
	return !access(FILE_NAME, F_OK);
}

static void written(void)
{
	char text[20] = "";
	int fd = memfd_create("to", MFD_CLOEXEC);

	world.interrupted = 2, world.part = 3;
	ok(!ct_p_dump_write(fd, "abcdefgh", 8, 2) && pread(fd, text, sizeof text, 0) == 10 && !memcmp(text, "\0\0abcdefgh", 10), "in parts, and again when interrupted");
	world.writes = 1, world.error = ENOSPC;
	ok(ct_p_dump_write(fd, "abc", 3, 0) == -ENOSPC, "no room");
	world.writes = 1, world.error = 0;
	ok(ct_p_dump_write(fd, "abc", 3, 0) == -ENOSPC, "nothing written is no room");
	ok(!ct_p_dump_write(-1, "", 0, 0), "nothing to write");
	world.part = 0;
	ct_p_.box_fd = fd;
	ok(!ct_p_dump_read(text, 8, 2) && !memcmp(text, "abcdefgh", 8), "read");
	ok(ct_p_dump_read(text, 8, 3) == -EIO, "not so much");
	ct_p_.box_fd = -1;
	ok(ct_p_dump_read(text, 8, 3) == -EBADF, "not at all");
	close(fd);
}

/* Three looks at a station: by seq and by whom. */
static bool is_whole(uint64_t a, uint64_t b, uint64_t c, uint64_t x, uint64_t y, uint64_t z)
{
	struct ctp_event *looks[3];
	uint32_t last = CT_DUMP / sizeof(struct ctp_event) - 1;
	bool whole;

	memset(ct_dump_.copy, 0, sizeof ct_dump_.copy);
	for (int i = 0; i < 3; i++) {
		looks[i] = (struct ctp_event *)(void *)ct_dump_.copy[i];
		looks[i][0].seq = looks[i][last].seq = i == 0 ? a : i == 1 ? b : c;
		looks[i][0].probe_id = looks[i][last].probe_id = i == 0 ? x : i == 1 ? y : z;
		looks[i][1].seq = 6;
	}
	ct_p_dump_stations();
	whole = looks[1][0].seq == b;
	ok(looks[1][0].seq == looks[1][last].seq && looks[1][1].seq == 6 && looks[1][0].seq == (whole ? b : b | 1), "each by itself");
	return whole;
}

static bool is_born(uint64_t a, uint64_t b, uint64_t c)
{
	struct ctp_birth *looks[3];
	uint32_t last = CT_DUMP / sizeof(struct ctp_birth) - 1;

	memset(ct_dump_.copy, 0, sizeof ct_dump_.copy);
	for (int i = 0; i < 3; i++) {
		looks[i] = (struct ctp_birth *)(void *)ct_dump_.copy[i];
		looks[i][0].id = looks[i][last].id = i == 0 ? a : i == 1 ? b : c;
		looks[i][1].id = 6;
	}
	ct_p_dump_births();
	ok(looks[1][0].id == looks[1][last].id && looks[1][1].id == 6, "each by itself");
	return looks[1][0].id == b;
}

static void settled(void)
{
	ok(is_whole(4, 4, 4, 9, 9, 9), "a station that stands");
	ok(!is_whole(2, 4, 4, 9, 9, 9) && !is_whole(4, 4, 6, 9, 9, 9) && !is_whole(4, 4, 4, 8, 9, 9) && !is_whole(4, 4, 4, 9, 9, 8), "one that is written");
	ok(is_born(5, 5, 5) && !is_born(0, 5, 5) && !is_born(5, 5, 7), "a birth");
}

static int fails(int writes, int reads, int error)
{
	int is;

	world.writes = writes, world.reads = reads, world.error = error;
	is = ct_dump(FILE_NAME);
	ok(!is_there() && !ct_dump_.busy, "nothing is left of it");
	world.writes = world.reads = 0;
	return is;
}

/* A limit of files' sizes is no signal, neither then nor later. */
static void too_large(void)
{
	struct rlimit was, small;
	sigset_t now;

	getrlimit(RLIMIT_FSIZE, &was);
	small = was;
	small.rlim_cur = 4096;
	setrlimit(RLIMIT_FSIZE, &small);
	ok(ct_dump(FILE_NAME) == -EFBIG && !is_there(), "larger than files may be");
	setrlimit(RLIMIT_FSIZE, &was);
	sigprocmask(SIG_BLOCK, NULL, &now);
	ok(sigismember(&now, SIGXFSZ) == 0, "nor is the signal blocked then");
}

/* How many bytes differ from the box. */
static uint64_t differ(int fd, uint64_t from, uint64_t size)
{
	static char is[1 << 20];
	uint64_t n = 0;

	if (size > sizeof is || pread(fd, is, size, (off_t)from) != (ssize_t)size)
		return UINT64_MAX;
	for (uint64_t i = 0; i < size; i++)
		n += is[i] != ct_p_.base[from + i];
	return n;
}

/* What is there of a word of the copy that was written while the box was read. */
static uint64_t busy(uint64_t at)
{
	uint64_t is;
	int fd;

	world.busy = at, world.looks = 0;
	ok(!ct_dump(FILE_NAME) && world.looks == 3, "three looks");
	world.busy = 0;
	fd = open(FILE_NAME, O_RDONLY);
	if (pread(fd, &is, sizeof is, (off_t)at) != sizeof is)
		exit(99);
	close(fd);
	return is;
}

static void in_the_midst(void)
{
	const struct ctp_header *b = ct_p_.hdr;
	struct stat st;
	int fd;

	ok(busy(b->stations_off + offsetof(struct ctp_event, seq)) & 1, "a station that is written is marked so");
	ok(busy(b->births_off + offsetof(struct ctp_birth, id)) == 0, "a birth that is written is none");
	fd = open(FILE_NAME, O_RDWR);
	if (pwrite(fd, "x", 1, (off_t)b->file_size + 5) != 1 || pwrite(fd, "x", 1, (off_t)b->strings_off - 1) != 1)
		exit(99);
	ok(!ct_dump(FILE_NAME) && !fstat(fd, &st) && (uint64_t)st.st_size == b->file_size && !differ(fd, b->strings_off - 1, 1), "what was there before is not");
	close(fd);
	unlink(FILE_NAME);
}

static void whole(void)
{
	struct ct_coro c = { 0 }, d = { 0 };
	struct ctp_header h;
	struct stat st;
	char own[64];
	int fd, reader;

	ok(ct_dump(FILE_NAME) == -ENOENT && !is_there(), "no box");
	if (!ct_box("1,threads=3,slots=64,coroutines=300"))
		exit(99);
	ct_create(&c, 0, CT_HERE, &c, "name");
	ct_create(&d, 0, CT_HERE, &d, NULL);
	for (int i = 0; i < 100; i++) {
		ct_resume(&c);
		ct_suspend(&c, CT_HERE, ct_fd(5));
	}
	errno = 77;
	ok(!ct_dump(FILE_NAME) && errno == 77 && is_there() && !ct_dump_.busy, "written");
	fd = open(FILE_NAME, O_RDONLY);
	if (pread(fd, &h, sizeof h, 0) != sizeof h || fstat(fd, &st))
		exit(99);
	ok(h.v2_magic == CTP2_MAGIC && h.dump_ticks && h.dump_ticks <= ct_p_now(ct_p_.flags) && !ct_p_.hdr->dump_ticks && (uint64_t)st.st_size == h.file_size &&
		(st.st_mode & 0777) == 0600, "with its header");
	h.dump_ticks = 0;
	ok(!memcmp(&h, ct_p_.hdr, sizeof h), "as it was");
	ok(!differ(fd, h.rings_off, 3 * sizeof(struct ctp_ring)) && !differ(fd, h.slots_off, 64 * 64) && !differ(fd, h.stations_off, 2 * 64) &&
		!differ(fd, h.births_off, 2 * sizeof(struct ctp_birth)) && !differ(fd, h.sites_off, 10 * sizeof(struct ctp_site)) &&
		!differ(fd, h.strings_off, ct_p_.hdr->strings_used), "and each table");
	close(fd);
	world.begin = 2;
	fd = ct_dump(FILE_NAME) ? -1 : open(FILE_NAME, O_RDONLY);
	ok(pread(fd, &h, sizeof h, 0) == sizeof h && h.rings_used == 2, "a ring of a thread that begins as it is written");
	world.begin = 0;
	close(fd);
	unlink(FILE_NAME);
	ok(ct_dump("/nonexistent/file") == -ENOENT && !ct_dump_.busy, "nowhere");
	/* not /dev/null: root's mistake would take that from the whole machine */
	if (mkfifo(FILE_NAME, 0600) || (reader = open(FILE_NAME, O_RDONLY | O_NONBLOCK)) < 0)
		exit(99);
	fd = open_here();
	ok(ct_dump(FILE_NAME) == -EINVAL && open_here() == fd && is_there(), "to no file, which stays");
	close(reader);
	unlink(FILE_NAME);
	snprintf(own, sizeof own, "/proc/self/fd/%d", ct_p_.box_fd);
	ok(ct_dump(own) == -EINVAL && open_here() == fd - 1 && !ct_dump_.busy && !fstat(ct_p_.box_fd, &st) && (uint64_t)st.st_size == ct_p_.hdr->file_size,
		"nor into the box itself");
	too_large();
	in_the_midst();
	ct_dump_.busy = 1;
	ok(ct_dump(FILE_NAME) == -EBUSY && !is_there() && ct_dump_.busy == 1, "one at a time");
	ct_p_dump_forked();
	ok(!ct_dump_.busy, "in a child the other thread is not there");
	ct_dump_.busy = (uint32_t)ct_p_asker() | 1;
	ct_p_dump_forked();
	ok(ct_dump_.busy, "but this one is");
	ct_dump_.busy = 0;
	ok(fails(1, 0, ENOSPC) == -ENOSPC && fails(2, 0, EIO) == -EIO && fails(5, 0, ENOSPC) == -ENOSPC && fails(0, 1, EIO) == -EIO && fails(0, 1, 0) == -EIO &&
		fails(0, 4, EPERM) == -EPERM, "a copy that fails anywhere");
	world.no_close = true;
	ok(fails(0, 0, 0) == -EIO, "at its end");
	ok(fails(1, 0, ENOSPC) == -ENOSPC, "the first failure is the reason");
	world.no_close = false, world.no_size = true;
	ok(fails(0, 0, 0) == -EFBIG, "at its beginning");
	world.no_size = false, world.no_seek = EINVAL;
	ok(fails(0, 0, 0) == -EINVAL, "or as its holes are looked for");
	world.no_seek = ENXIO;
	ok(!ct_dump(FILE_NAME) && is_there(), "nothing but a hole is no failure");
	unlink(FILE_NAME);
	world.no_seek = 0;
	close(0);
	ok(!ct_dump(FILE_NAME) && is_there() && fcntl(0, F_GETFD) < 0, "where no standard stream is open");
	unlink(FILE_NAME);
	ct_p_.box_ino++;
	ok(ct_dump(FILE_NAME) == -ENOENT && !is_there(), "a descriptor that is the program's now");
	ct_p_.box_ino--;
}

/* Of a ring, how far its writer may have come is read last. */
static void limits(void)
{
	struct ctp_header h = *ct_p_.hdr;
	uint64_t limit[4] = { 0 };
	int fd = memfd_create("to", MFD_CLOEXEC);

	ct_p_.rings[0].limit = 11, ct_p_.rings[1].limit = 12, ct_p_.rings[2].limit = 13;
	ctp_store(&ct_p_.hdr->rings_used, 2u);
	ok(!ct_p_dump_limits(fd, &h), "limits");
	for (int i = 0; i < 3; i++)
		if (pread(fd, &limit[i], 8, (off_t)(h.rings_off + (uint64_t)i * sizeof(struct ctp_ring) + offsetof(struct ctp_ring, limit))) < 0)
			exit(99);
	ok(limit[0] == 11 && limit[1] == 12 && !limit[2], "of those that are used");
	ctp_store(&ct_p_.hdr->rings_used, 99u);
	h.ring_count = 1;
	world.writes = 2, world.error = EIO;
	ok(!ct_p_dump_limits(fd, &h), "no more than there are");
	world.writes = 1, h.ring_count = 3;
	ok(ct_p_dump_limits(fd, &h) == -EIO, "not written");
	world.writes = 0;
	close(fd);
}

int main(void)
{
	alarm(100);
	unsetenv(CTP_ENV_SHM);
	unsetenv(CTP_ENV_SOCK);
	unsetenv(CTP_ENV_BOX);
	written();
	settled();
	whole();
	limits();
	return done_testing();
}
