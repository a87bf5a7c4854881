/* image.c - a box as it is mapped, checked and copied (record/box/image.c): each bound of its header, what a copy holds of a file of pages and holes,
 * and of what is written while it is made.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../record/complain.h"
#include "../../record/event.h"
#include "../../record/extra/clock.h"
#include "../../record/harvest.h"
#include "../../record/region.h"
#include "../../record/stations.h"
#include "../../record/box/box.h"
#include "leave.h"
#include "tap.h"
#include "told.h"

typedef unsigned long long u64;
enum { PAGE = 4096, RINGS = 2, SLOTS = 128, STATIONS = 200, SITES = 64, STRINGS = 5 * PAGE };
static struct {
	int fd, mapped, holes;
	bool no_memory, no_hole_known;
	uint32_t torn, torn_for;	/* this station cannot be copied, for so many tries */
	int naps;		/* of which all but the last are cut short */
	uint32_t begin;		/* so many rings are used by then */
	bool copying;
	struct ctp_header *live;
	struct ctp_birth *reborn;	/* written once its table was copied */
} world;
static void is_being_copied(const void *);
static void was_copied(const void *);

static off_t world_lseek(int fd, off_t at, int whence)
{
	world.holes += whence == SEEK_HOLE;
	return whence == SEEK_HOLE && world.no_hole_known ? -1 : lseek(fd, at, whence);
}

static void *world_mmap(size_t size, int prot, int flags, int fd, off_t off)
{
	world.mapped++;
	if (fd < 0 && fd != -1)
		tell("fd %d ", fd);
	return world.no_memory && fd < 0 ? MAP_FAILED : mmap(NULL, size, prot, flags, fd, off);
}

static int world_munmap(void *p, size_t size)
{
	world.mapped--;
	return munmap(p, size);
}

static bool world_station_copy(const struct ctp_event *from, struct ctp_event *to)
{
	*to = *from;
	return !from->probe_id || from->n != world.torn || !world.torn_for || !--world.torn_for;
}

static int world_nap(struct timespec *left)
{
	if (world.copying)
		tell("late ");
	tell("%ld ", left->tv_nsec);
	if (world.begin)
		world.live->rings_used = world.begin;
	left->tv_nsec = 100000 * --world.naps / 4;
	errno = EINTR;
	return world.naps > 0 ? -1 : 0;
}

static uint64_t world_since(const struct region *r, uint32_t i, uint64_t low, uint64_t from)
{
	tell("%u: %llu of %llu from %llu ", i, (u64)low, (u64)r->rings[i].head, (u64)from);
	return low + 1;
}

/* Stations from 64 to 127 were never written. */
#define station_written(r, i) ((i) >= 64 && (i) < 130 ? 130 : (i))
#define station_copy(from, to) world_station_copy(from, to)
#define clock_ns() (tell("now "), 4000ull)
#define nanosleep(time, left) ((time) == (left) ? world_nap(left) : 0)
#define harvest_since(r, i, low, from) world_since(r, i, low, from)
#define harvest_adopt(i, tail, reported) tell("%u: %llu, %llu ", i, (u64)(tail), (u64)(reported))
#define complain(...) (tell(__VA_ARGS__), tell("|"))
#define lseek(fd, at, whence) world_lseek(fd, at, whence)
#define mmap(at, size, prot, flags, fd, off) ((at) ? MAP_FAILED : world_mmap(size, prot, flags, fd, off))
#define munmap(p, size) world_munmap(p, size)
#define memcpy(to, from, n) ((n) == sizeof(struct ctp_ring) ? is_being_copied(from) : (void)0, memcpy(to, from, n), was_copied(from))
#define _exit(status) leave(status)
#include "../../record/box/image.c"
#undef _exit
#undef complain
#undef lseek
#undef mmap
#undef munmap
#undef memcpy

static uint64_t part(uint64_t *at, uint64_t size)
{
	uint64_t off = *at;

	*at += (size + PAGE - 1) / PAGE * PAGE;
	return off;
}

static struct ctp_header a_box(void)
{
	struct ctp_header h = { .magic = CTP_MAGIC, .version = CTP_VERSION, .v2_magic = CTP2_MAGIC, .v2_minor = CTP2_MINOR_BOX, .ring_count = RINGS, .ring_slots = SLOTS,
		.station_count = STATIONS, .site_count = SITES, .strings_size = STRINGS };
	uint64_t at = PAGE;

	h.rings_off = part(&at, RINGS * sizeof(struct ctp_ring));
	h.slots_off = part(&at, RINGS * SLOTS * sizeof(struct ctp_event));
	h.stations_off = part(&at, STATIONS * sizeof(struct ctp_event));
	h.births_off = part(&at, STATIONS * sizeof(struct ctp_birth));
	h.sites_off = part(&at, SITES * sizeof(struct ctp_site));
	h.strings_off = part(&at, STRINGS);
	h.file_size = at;
	return h;
}

/* ---- the header ---- */

static bool sane(struct ctp_header h)
{
	bool good = image_check(&h, h.file_size, "it");

	if (good ? *told != '\0' : strcmp(told, "it: a box whose tables make no sense|"))
		printf("# %d: %s\n", good, told);
	told[0] = '\0';
	return good;
}
#define WITH(...) ({ struct ctp_header h = a_box(); __VA_ARGS__; h; })

static void headers(void)
{
	struct ctp_header h = a_box();
	char cut_short[100];

	ok(sane(h), "a box");
	ok(!image_check(&h, sizeof h - 1, "it") && is("it: not a box|"), "less than a header");
	snprintf(cut_short, sizeof cut_short, "it: cut: %zu bytes of %llu|", sizeof h, (unsigned long long)h.file_size);
	ok(!image_check(&h, sizeof h, "it") && is(cut_short), "a header");
	h.magic++;
	ok(!image_check(&h, h.file_size, "it") && is("it: not a box|"), "another's");
	h = a_box();
	h.v2_magic = 0;
	ok(!image_check(&h, h.file_size, "it") && is("it: not a box|"), "not ready");
	h = a_box();
	h.version++;
	ok(!image_check(&h, h.file_size, "it") && is("it: memory of version 2, not 1|"), "of another version");
	h = a_box();
	h.v2_minor++;
	ok(!image_check(&h, h.file_size, "it") && !strncmp(told, "it: memory of minor version ", 28), "no box");
	told[0] = '\0';
	h = a_box();
	ok(!image_check(&h, h.file_size - 1, "it") && !strncmp(told, "it: cut: ", 9), "cut");
	told[0] = '\0';
	ok(image_check(&h, h.file_size + 1, "it") && is(""), "longer than it says");
}

/* Each bound, and one beyond it. Tables may lie one over the other. */
static void bounds(void)
{
	uint64_t all = a_box().file_size;

	ok(sane(WITH(h.ring_slots = 8)) && !sane(WITH(h.ring_slots = 4)), "8 slots");
	ok(sane(WITH(h.ring_slots = 1 << 24, h.file_size = 1ull << 40)) && !sane(WITH(h.ring_slots = 1 << 25, h.file_size = 1ull << 40)), "16 million slots");
	for (uint32_t n = 9; n < 32; n++)
		if (n != 16)
			ok(!sane(WITH(h.ring_slots = n)), "a power of two: not %u", n);
	ok(sane(WITH(h.ring_slots = 16)), "16");
	ok(sane(WITH(h.ring_count = 1)) && !sane(WITH(h.ring_count = 0)), "one ring");
	ok(sane(WITH(h.ring_count = 65536, h.file_size = 1ull << 40)) && !sane(WITH(h.ring_count = 65537, h.file_size = 1ull << 40)), "65536 rings");
	ok(sane(WITH(h.station_count = 0)), "no station");
	ok(sane(WITH(h.station_count = 1 << 24, h.file_size = 1ull << 40)) && !sane(WITH(h.station_count = (1 << 24) + 1, h.file_size = 1ull << 40)), "stations");
	ok(sane(WITH(h.site_count = 1)) && !sane(WITH(h.site_count = 0)), "one site");
	ok(sane(WITH(h.site_count = 1 << 20, h.file_size = 1ull << 40)) && !sane(WITH(h.site_count = (1 << 20) + 1, h.file_size = 1ull << 40)), "sites");
	ok(sane(WITH(h.strings_size = sizeof(struct ctp_string))) && !sane(WITH(h.strings_size = sizeof(struct ctp_string) - 1)), "a string");
	ok(sane(WITH(h.strings_off = sizeof(struct ctp_header))) && !sane(WITH(h.strings_off = sizeof(struct ctp_header) - 64)), "behind the header");
	ok(!sane(WITH(h.strings_off += 1)) && !sane(WITH(h.strings_off -= 32)) && sane(WITH(h.strings_off -= 64)), "where a line of memory begins");
#define LAST(off, count, size) \
	ok(sane(WITH(h.off = all - (h.count * (uint64_t)(size) + 63) / 64 * 64)), #off ": up to the end"), \
	ok(!sane(WITH(h.off = all - (h.count * (uint64_t)(size) + 63) / 64 * 64 + 64)), #off ": not beyond it"), \
	ok(!sane(WITH(h.off = all + 64)) && !sane(WITH(h.off = UINT64_MAX / 64 * 64)) && !sane(WITH(h.off = 0)), #off ": not outside")
	LAST(rings_off, ring_count, sizeof(struct ctp_ring));
	LAST(slots_off, ring_count, SLOTS * sizeof(struct ctp_event));
	LAST(stations_off, station_count, sizeof(struct ctp_event));
	LAST(births_off, station_count, sizeof(struct ctp_birth));
	LAST(sites_off, site_count, sizeof(struct ctp_site));
	LAST(strings_off, strings_size, 1);
	ok(sane(WITH(h.station_count = 0, h.births_off = h.file_size)), "of no stations there may be nothing");
}

static void used(void)
{
	static char base[1 << 20];
	struct ctp_header h = a_box();
	struct region r;

	memset(&r, 0x55, sizeof r);
	r.box = false;
	image_use(&r, base, &h);
	ok(r.base == base && r.size == h.file_size && r.listener == -1 && (char *)r.h == base && (char *)r.v1 == base + sizeof h, "where it is");
	ok((char *)r.rings == base + h.rings_off && (char *)r.slots == base + h.slots_off && (char *)r.stations == base + h.stations_off &&
		(char *)r.births == base + h.births_off && (char *)r.sites == base + h.sites_off && r.strings == base + h.strings_off, "its tables");
	ok(r.strings_size == STRINGS && r.ring_count == RINGS && r.ring_slots == SLOTS && r.station_count == STATIONS && r.site_count == SITES && r.box &&
		!memcmp(&r.birth, &h, sizeof h), "their sizes");
}

/* ---- mapped, copied ---- */

static void write_at(uint64_t off, const void *what, size_t n)
{
	if (pwrite(world.fd, what, n, (off_t)off) != (ssize_t)n)
		exit(99);
}

static void fresh(const struct ctp_header *h, uint64_t size)
{
	if (world.fd > 0)
		close(world.fd);
	memset(&world, 0, sizeof world);
	world.torn = UINT32_MAX;
	told[0] = '\0';
	world.fd = memfd_create("box", MFD_CLOEXEC);
	if (ftruncate(world.fd, (off_t)size))
		exit(99);
	write_at(0, h, sizeof *h);
}

static void mapped(void)
{
	struct ctp_header h = a_box(), bad = h;
	struct region r = { .fd = -1 };

	fresh(&h, h.file_size);
	ok(image_map(&r, world.fd, "it") && r.fd == world.fd && r.ring_slots == SLOTS && is(""), "in place");
	r.h->session = 7;
	ok(pread(world.fd, &bad, sizeof bad, 0) == sizeof bad && bad.session == 7, "what is written is seen by all");
	munmap(r.base, r.size);
	ok(!image_map(&r, -1, "it") && is("it: not a box|"), "no file");
	fresh(&h, h.file_size);
	if (ftruncate(world.fd, sizeof h - 1))
		exit(99);
	ok(!image_map(&r, world.fd, "it") && is("it: not a box|"), "less than a header");
	bad = h;
	bad.ring_slots = 9;
	fresh(&bad, h.file_size);
	ok(!image_map(&r, world.fd, "it") && is("it: a box whose tables make no sense|") && !world.mapped, "no tables");
	ok(!image_of_process(&r, world.fd, "it") && is("it: a box whose tables make no sense|") && !world.mapped, "nor copied");
	fresh(&h, h.file_size);
	close(world.fd);
	world.fd = memfd_create("ro", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (ftruncate(world.fd, (off_t)h.file_size))
		exit(99);
	write_at(0, &h, sizeof h);
	fcntl(world.fd, F_ADD_SEALS, F_SEAL_WRITE);
	told[0] = '\0';
	ok(!image_map(&r, world.fd, "it") && is("it: Operation not permitted|"), "what cannot be written to");
	world.no_memory = true;
	ok(!image_of_process(&r, world.fd, "it") && !strncmp(told, "it: no memory for ", 18), "no memory");
	told[0] = '\0';
}

/* A writer goes on: its ring while that is copied, the number of stations meanwhile. */
static void is_being_copied(const void *p)
{
	struct ctp_ring *live = (void *)((char *)world.live + a_box().rings_off);

	(void)p;
	world.copying = true;
	if (!world.live)
		return;
	live[0].head = 901;
	live[0].limit = 902;
	world.live->stations_used = 150;
}

static void was_copied(const void *from)
{
	if (world.reborn && *(const char *)from == 'B')
		world.reborn->id++;
}

static struct ctp_event event(uint32_t n)
{
	return (struct ctp_event){ .probe_id = 1 + n, .n = n, .seq = 2 };
}

/* Of each table its first and last bytes, pages of holes between, and bytes that lie in no table's part that is used. */
static void fill(const struct ctp_header *h)
{
	struct ctp_ring rings[RINGS + 1] = { { .head = 300, .limit = 301, .tail = 7, .dropped = 3 }, { .head = 5, .limit = 5 }, { .head = 9 } };
	struct ctp_event e;

	write_at(h->rings_off, rings, sizeof rings);
	for (uint32_t i = 0; i <= RINGS * SLOTS; i += i == 1 || i == SLOTS ? SLOTS - 2 : 1) {
		e = event(1000 + i);
		write_at(h->slots_off + i * sizeof e, &e, sizeof e);
	}
	for (uint32_t i = 0; i < STATIONS; i++) {
		e = event(i);
		write_at(h->stations_off + i * sizeof e, &e, sizeof e);
	}
	write_at(h->births_off, "B", 1);
	write_at(h->births_off + STATIONS * sizeof(struct ctp_birth) - 1, "b", 1);
	write_at(h->sites_off, "S", 1);
	write_at(h->sites_off + SITES * sizeof(struct ctp_site) - 1, "s", 1);
	write_at(h->strings_off, "T", 1);
	write_at(h->strings_off + STRINGS - 1, "tbehind", 7);
}

static void copied(void)
{
	struct ctp_header h = a_box();
	struct region r = { .fd = 5 };
	uint32_t held = 0;

	h.rings_used = 1;
	h.stations_used = 140;
	fresh(&h, h.file_size + PAGE);
	fill(&h);
	world.live = mmap(NULL, h.file_size, PROT_READ | PROT_WRITE, MAP_SHARED, world.fd, 0);
	world.naps = 3;
	ok(image_of_process(&r, world.fd, "it") && is("now 100000 50000 25000 ") && r.taken == 4000, "what was begun before has been written");
	ok(r.fd == -1 && r.still && r.box && world.mapped == 1, "a copy");
	ok(r.h->magic == CTP_MAGIC && r.h->session == h.session && r.h->rings_used == 1 && r.h->strings_size == STRINGS, "its header");
	ok(r.rings[0].head == 300 && r.rings[0].tail == 7 && r.rings[0].dropped == 3, "no more of a ring than was there");
	ok(r.rings[0].limit == 301, "nor of what its limit said");
	ok(r.slots[0].n == 1000 && r.slots[1].n == 1001 && r.slots[SLOTS - 1].n == 1000 + SLOTS - 1, "its events");
	ok(!r.rings[1].head && !r.slots[SLOTS].n, "not those of a ring that is not used");
	for (uint32_t i = 0; i < STATIONS; i++)
		held += r.stations[i].probe_id && r.stations[i].n == i;
	ok(held == 64 + 20 && r.stations[0].probe_id && r.stations[63].probe_id && r.stations[130].probe_id && r.stations[149].probe_id &&
		r.h->stations_used == 150 && !r.stations[150].probe_id, "stations that are used, and were written");
	ok(((char *)r.births)[0] == 'B' && ((char *)&r.births[STATIONS])[-1] == 'b', "births");
	ok(((char *)r.sites)[0] == 'S' && ((char *)&r.sites[SITES])[-1] == 's', "sites");
	ok(r.strings[0] == 'T' && r.strings[STRINGS - 1] == 't', "texts");
	ok(world.holes == 5, "what lies between holes is asked each time");
	r.h->session = 99;
	ok(world.live->session == 0, "it is ours");
	munmap(r.base, r.size);
	world.begin = RINGS;
	ok(image_of_process(&r, world.fd, "it") && r.h->rings_used == RINGS && r.rings[1].head == 5, "a ring of a thread that begins as it is copied");
	world.begin = 0;
	munmap(r.base, r.size);
	world.reborn = (void *)((char *)world.live + h.births_off);
	world.reborn[1].id = 7;
	ok(image_of_process(&r, world.fd, "it") && !r.births[0].id && r.births[1].id == 7, "a birth that another is written over meanwhile is none");
	world.reborn = NULL;
	munmap(r.base, r.size);
	munmap(world.live, h.file_size);
}

/* A station that is always being written is marked so; one that is gone meanwhile is nothing. */
static void torn(void)
{
	struct ctp_header h = a_box();
	struct region r;

	h.stations_used = 10;
	for (uint32_t tries = 1000; tries <= 1001; tries++) {
		fresh(&h, h.file_size);
		fill(&h);
		world.torn = 4;
		world.torn_for = tries;
		ok(image_of_process(&r, world.fd, "it") && r.stations[4].n == 4 && r.stations[4].seq == (tries > 1000 ? 3 : 2), "read after %u tries", tries);
		munmap(r.base, r.size);
	}
	fresh(&h, h.file_size);
	fill(&h);
	write_at(h.stations_off + 4 * sizeof(struct ctp_event), &(struct ctp_event){ .n = 4 }, sizeof(struct ctp_event));
	ok(image_of_process(&r, world.fd, "it") && !r.stations[4].seq && r.stations[5].n == 5, "none");
	munmap(r.base, r.size);
}

static void unknown_holes(void)
{
	struct ctp_header h = a_box();
	struct region r;

	h.rings_used = RINGS + 5;
	fresh(&h, h.file_size);
	fill(&h);
	world.no_hole_known = true;
	ok(image_of_process(&r, world.fd, "it") && r.rings[1].head == 5 && r.slots[RINGS * SLOTS - 1].n == 1000 + RINGS * SLOTS - 1 && r.strings[STRINGS - 1] == 't',
		"a file system that knows no holes");
	ok(!r.rings[RINGS].head, "no more rings than there are");
	munmap(r.base, r.size);
}

static void guarded(void)
{
	static const char says[] = "ct-record: the box's file was cut while it was read\n";
	char said[100] = "";
	int out[2], status;
	pid_t pid;

	if (pipe(out) || (pid = fork()) < 0)
		exit(99);
	if (!pid) {
		dup2(out[1], 2);
		image_guard();
		raise(SIGBUS);
		_exit(3);
	}
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 125, "a file that is cut while it is read ends it");
	ok(read(out[0], said, sizeof said) == (ssize_t)strlen(says) && !strcmp(said, says), "in words");
}

static void adopted(void)
{
	struct ctp_ring rings[] = { { .head = 10, .limit = 20, .reported = 1 }, { .head = 128, .limit = 128, .reported = 2 },
		{ .head = 200, .limit = 208, .reported = 3 }, { .head = 10, .limit = 208, .reported = 4 }, { .head = 300, .limit = 20 } };
	struct region r = { .rings = rings, .ring_count = 5, .ring_slots = SLOTS };

	told[0] = '\0';
	image_adopt(&r, 7, UINT64_MAX);
	ok(is("0: 0 of 10 from 7 0: 1, 1 1: 0 of 128 from 7 1: 1, 2 2: 80 of 200 from 7 2: 81, 3 3: 10 of 10 from 7 3: 11, 4 4: 0 of 300 from 7 4: 1, 0 "),
		"from the first slot that is whole");
	ok(rings[2].tail == 81 && rings[3].tail == 11 && rings[2].head == 200, "to the last");
	rings[3].head = 12;
	r.ring_count = 4;
	image_adopt(&r, 7, 40);
	ok(is("0: 0 of 10 from 7 0: 1 of 10 from 41 0: 1, 1 1: 0 of 128 from 7 1: 1 of 128 from 41 1: 1, 2 "
		"2: 80 of 200 from 7 2: 81 of 200 from 41 2: 81, 3 3: 12 of 12 from 7 3: 13, 4 ") && rings[0].head == 2 && rings[2].head == 82,
		"or what is no younger");
	rings[0] = (struct ctp_ring){ .head = 1 + SLOTS + 1 };
	rings[1] = (struct ctp_ring){ .head = 1 + SLOTS };
	r.ring_count = 2;
	image_adopt(&r, 7, 40);
	ok(is("0: 0 of 130 from 7 0: 1, 0 1: 0 of 129 from 7 1: 1 of 129 from 41 1: 1, 0 "), "a head that cannot be is left to who complains");
}

int main(void)
{
	alarm(100);
	headers();
	bounds();
	used();
	mapped();
	copied();
	adopted();
	torn();
	unknown_holes();
	guarded();
	return done_testing();
}
