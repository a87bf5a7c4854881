/* region.c - a look into the memory that the driver shares with ct-record. The only filter that may:
 * what it checks is that memory. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctp/ctp.h"
#include "probe.h"

bool region_open(struct region *r, pid_t pid)
{
	long page = sysconf(_SC_PAGESIZE);
	char path[4096];
	uint64_t from;
	int fd;

	*r = (struct region){ 0 };
	if (!proc_environ(pid, CTP_ENV_SHM, path, sizeof path) ||
		(fd = open(path, O_RDWR | O_CLOEXEC)) < 0)
		return false;
	r->size = sizeof *r->h;
	r->h = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r->h == MAP_FAILED)
		r->h = NULL;
	if (r->h && ctp_load_acquire(&r->h->v2_magic) == CTP2_MAGIC) {
		from = r->h->rings_off / (uint64_t)page * (uint64_t)page;
		r->rings_size = r->h->rings_off - from + r->h->ring_count * sizeof *r->rings;
		r->rings_at = mmap(NULL, r->rings_size, PROT_READ, MAP_SHARED, fd, (off_t)from);
		if (r->rings_at == MAP_FAILED)
			r->rings_at = NULL;
		else
			r->rings = (void *)((char *)r->rings_at + (r->h->rings_off - from));
	}
	close(fd);
	if (!r->rings)
		region_close(r);
	return r->rings != NULL;
}

void region_close(struct region *r)
{
	if (r->rings_at)
		munmap(r->rings_at, r->rings_size);
	if (r->h)
		munmap(r->h, r->size);
	*r = (struct region){ 0 };
}

void region_make_old(struct region *r)
{
	ctp_store(&r->h->kinds, 0);
	ctp_store(&r->h->on_kinds, 0);
}

void region_make_later(struct region *r)
{
	ctp_store(&r->h->v2_minor, 99);
}

bool region_sleeping(const struct region *r)
{
	return ctp_load(&r->h->tracer_sleeping) == 1;
}

static uint32_t used(const struct region *r)
{
	uint32_t n = ctp_load_acquire(&r->h->rings_used);

	return n < r->h->ring_count ? n : r->h->ring_count;
}

bool region_is_read(const struct region *r)
{
	for (uint32_t i = 0; i < used(r); i++)
		if (ctp_load_acquire(&r->rings[i].head) != ctp_load(&r->rings[i].tail))
			return false;
	return true;
}

const struct ctp_ring *region_ring(const struct region *r, pid_t pid, pid_t tid, bool retired)
{
	for (uint32_t i = 0; i < used(r); i++) {
		uint64_t owner = ctp_load_acquire(&r->rings[i].owner);

		if (!owner || !!(owner & CTP_RING_RETIRED) != retired ||
			CTP_OWNER_PID(owner) != (uint32_t)pid)
			continue;
		if (tid ? CTP_OWNER_TID(owner) == (uint32_t)tid :
			  CTP_OWNER_TID(owner) != (uint32_t)pid)
			return &r->rings[i];
	}
	return NULL;
}

uint64_t region_stranger(const struct region *r, pid_t a, pid_t b)
{
	for (uint32_t i = 0; i < used(r); i++) {
		uint64_t owner = ctp_load_acquire(&r->rings[i].owner);

		if (owner && CTP_OWNER_PID(owner) != (uint32_t)a &&
			CTP_OWNER_PID(owner) != (uint32_t)b)
			return owner;
	}
	return 0;
}
