/* image.c - a box, mapped in place or as a private image: of a process that goes on writing, of a
 * file, of a core. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "../complain.h"
#include "../event.h"
#include "../extra/clock.h"
#include "../harvest.h"
#include "../region.h"
#include "../stations.h"
#include "box.h"

static void cut(int sig)
{
	static const char message[] = "ct-record: the box's file was cut while it was read\n";

	(void)sig;
	_exit(write(2, message, sizeof message - 1) < 0 ? 125 : 125);
}

void image_guard(void)
{
	signal(SIGBUS, cut);
}

static bool fits(uint64_t off, uint64_t count, uint64_t size, uint64_t file)
{
	return off >= sizeof(struct ctp_header) && off % 64 == 0 && off <= file &&
		count <= (file - off) / size;
}

bool image_check(const struct ctp_header *h, uint64_t size, const char *what)
{
	uint64_t all = h->file_size;

	if (size < sizeof *h || h->magic != CTP_MAGIC ||
		ctp_load_acquire(&h->v2_magic) != CTP2_MAGIC) {
		complain("%s: not a box", what);
		return false;
	}
	if (h->version != CTP_VERSION) {
		complain("%s: memory of version %u, not %u", what, h->version, CTP_VERSION);
		return false;
	}
	if (h->v2_minor != CTP2_MINOR_BOX) {
		complain("%s: memory of minor version %u, not a box of %u", what, h->v2_minor,
			CTP2_MINOR_BOX);
		return false;
	}
	if (all > size) {
		complain("%s: cut: %llu bytes of %llu", what, (unsigned long long)size,
			(unsigned long long)all);
		return false;
	}
	if (h->ring_slots < 8 || h->ring_slots > 1u << 24 ||
		(h->ring_slots & (h->ring_slots - 1)) || !h->ring_count || h->ring_count > 65536 ||
		h->station_count > 1u << 24 || !h->site_count || h->site_count > 1u << 20 ||
		!fits(h->rings_off, h->ring_count, sizeof(struct ctp_ring), all) ||
		!fits(h->slots_off, h->ring_count,
			(uint64_t)h->ring_slots * sizeof(struct ctp_event), all) ||
		!fits(h->stations_off, h->station_count, sizeof(struct ctp_event), all) ||
		!fits(h->births_off, h->station_count, sizeof(struct ctp_birth), all) ||
		!fits(h->sites_off, h->site_count, sizeof(struct ctp_site), all) ||
		h->strings_size < sizeof(struct ctp_string) ||
		!fits(h->strings_off, h->strings_size, 1, all)) {
		complain("%s: a box whose tables make no sense", what);
		return false;
	}
	return true;
}

/* h: a private copy that was checked; the region's own may change. */
void image_use(struct region *r, char *base, const struct ctp_header *h)
{
	r->base = base;
	r->size = h->file_size;
	r->listener = -1;
	r->h = (void *)base;
	r->v1 = (void *)(base + sizeof *h);
	r->rings = (void *)(base + h->rings_off);
	r->slots = (void *)(base + h->slots_off);
	r->stations = (void *)(base + h->stations_off);
	r->births = (void *)(base + h->births_off);
	r->sites = (void *)(base + h->sites_off);
	r->strings = base + h->strings_off;
	r->strings_size = h->strings_size;
	r->ring_count = h->ring_count;
	r->ring_slots = h->ring_slots;
	r->station_count = h->station_count;
	r->site_count = h->site_count;
	r->birth = *h;
	r->box = true;
}

static bool map(int fd, int prot, const char *what, char **base, struct ctp_header *h)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || pread(fd, h, sizeof *h, 0) != (ssize_t)sizeof *h) {
		complain("%s: not a box", what);
		return false;
	}
	if (!image_check(h, (uint64_t)st.st_size, what))
		return false;
	*base = mmap(NULL, h->file_size, prot, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (*base == MAP_FAILED) {
		complain("%s: %s", what, strerror(errno));
		return false;
	}
	/* else a core of ours would have the kernel fill its holes, which stay filled in the program */
	madvise(*base, h->file_size, MADV_DONTDUMP);
	return true;
}

bool image_map(struct region *r, int fd, const char *what)
{
	struct ctp_header h;
	char *base;

	r->fd = fd;
	if (!map(fd, PROT_READ | PROT_WRITE, what, &base, &h))
		return false;
	image_use(r, base, &h);
	return true;
}

/* Memory that costs nothing where nothing is written. */
static char *blank(uint64_t size, const char *what)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p != MAP_FAILED)
		return p;
	complain("%s: no memory for %llu bytes", what, (unsigned long long)size);
	return NULL;
}

/* Each page of a table that was ever written. */
static void copy_table(const struct region *from, struct region *to, uint64_t off, uint64_t size)
{
	off_t at = (off_t)off, end = (off_t)(off + size), hole;

	while ((at = lseek(from->fd, at, SEEK_DATA)) >= 0 && at < end) {
		hole = lseek(from->fd, at, SEEK_HOLE);
		if (hole < 0 || hole > end)
			hole = end;
		memcpy(to->base + at, from->base + at, (size_t)(hole - at));
		at = hole;
	}
}

/* Copy ring i while it turns. What is whole in the copy is [limit - slots, head), limit loaded
 * behind an acquire fence: ctp(7), "Snapshot". The copy's tail says where that begins. */
static void copy_ring(const struct region *from, struct region *to, uint32_t i)
{
	const struct ctp_ring *ring = &from->rings[i];
	uint64_t head = ctp_load_acquire(&ring->head), limit;
	uint64_t size = from->ring_slots * sizeof *from->slots;

	copy_table(from, to, from->birth.slots_off + i * size, size);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	limit = ctp_load(&ring->limit);
	memcpy(&to->rings[i], ring, sizeof *ring);
	to->rings[i].head = head;
	to->rings[i].limit = limit;
}

/* Its writer lives, and may be at it again and again: then the copy is marked as one that is being
 * written, else it would look whole for ever. */
static void copy_station(const struct ctp_event *from, struct ctp_event *to)
{
	unsigned tries = 1000;

	while (!station_copy(from, to) && to->probe_id)
		if (!--tries) {
			to->seq |= 1;
			return;
		}
}

static void copy_stations(const struct region *from, struct region *to)
{
	uint64_t i, used = ctp_load(&from->h->stations_used), next;

	for (i = 0; i < used && i < from->station_count; i++) {
		if (i % 64 == 0 && (next = station_written(from, i)) > i) {
			i = next - 1;
			continue;
		}
		copy_station(&from->stations[i], &to->stations[i]);
	}
}

/* The birth of a station's next coroutine may be written meanwhile, behind the id of the one before:
 * what is whole has it still. One that was never written is not looked at: that would take memory. */
static void copy_births(const struct region *from, struct region *to)
{
	uint64_t i, used = ctp_load(&from->h->stations_used);

	copy_table(from, to, from->birth.births_off, from->station_count * sizeof *from->births);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	for (i = 0; i < used && i < from->station_count; i++)
		if (to->births[i].id && ctp_load(&from->births[i].id) != to->births[i].id)
			to->births[i].id = 0;
}

/* One ring is copied behind another, so the last shows what followed from what the first one's copy
 * is too old for. What was written until HOLD_BACK before the first, and before it was seen how many
 * there are, is a closed cut. */
static uint64_t settle(void)
{
	struct timespec pause = { 0, 2 * HOLD_BACK_NS };
	uint64_t taken = clock_ns();

	while (nanosleep(&pause, &pause) < 0 && errno == EINTR)
		;
	return taken;
}

/* Rings before stations: so no station is older than what its ring's copy shows. Births and texts
 * last: nothing names one that is not there. A file is read the same way: its process may live. */
bool image_of_process(struct region *r, int fd, const char *what)
{
	struct region live = { .fd = fd };
	struct ctp_header h;
	uint32_t i, used;
	char *base;

	if (!map(fd, PROT_READ, what, &base, &h))
		return false;
	image_use(&live, base, &h);
	r->fd = -1;
	if (!(base = blank(h.file_size, what)))
		return false;
	image_use(r, base, &h);
	r->taken = settle();
	memcpy(r->h, live.h, sizeof h);
	used = ctp_load_acquire(&live.h->rings_used);
	for (i = 0; i < used && i < h.ring_count; i++)
		copy_ring(&live, r, i);
	copy_stations(&live, r);
	r->h->stations_used = ctp_load(&live.h->stations_used);
	copy_births(&live, r);
	copy_table(&live, r, h.sites_off, h.site_count * sizeof(struct ctp_site));
	copy_table(&live, r, h.strings_off, h.strings_size);
	r->still = true;
	munmap(live.base, live.size);
	return true;
}

void image_adopt(const struct region *r, uint64_t since, uint64_t until)
{
	uint32_t i;

	for (i = 0; i < r->ring_count; i++) {
		struct ctp_ring *ring = &r->rings[i];
		uint64_t low = image_above(ring->limit, r->ring_slots);

		low = low < ring->head ? low : ring->head;
		ring->tail = low = harvest_since(r, i, low, since);
		if (until < UINT64_MAX && ring->head - low <= r->ring_slots)
			ring->head = harvest_since(r, i, low, until + 1);
		harvest_adopt(i, low, ring->reported);
	}
}
