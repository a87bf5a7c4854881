/* fetch.c - pieces of memory that are read by address, many at once. Contracts in target.h. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "snap.h"

/* Pieces that are near one another are one range: each range costs the kernel as much as some
 * thousand bytes do. They are taken as they come, since to sort them takes longer: what was
 * allocated one behind another stands so in the lists of a program, too, upwards or downwards. */
struct range { uint64_t start, end; const unsigned char *copy; };

static bool extend(struct range *r, uint64_t start, uint64_t end)
{
	enum { NEAR = 2048, LONGEST = 1 << 16 };
	uint64_t low = start < r->start ? start : r->start, high = end > r->end ? end : r->end;

	if (start > r->end + NEAR || r->start > end + NEAR || high - low > LONGEST)
		return false;
	r->start = low;
	r->end = high;
	return true;
}

/* in: which range each piece is in. Returns how many ranges. */
static size_t merge(const struct piece *piece, size_t count, struct range *range, uint32_t *in)
{
	size_t ranges = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t start = piece[i].start, end = start + piece[i].len;

		if (!ranges || !extend(&range[ranges - 1], start, end))
			range[ranges++] = (struct range){ start, end, NULL };
		in[i] = (uint32_t)(ranges - 1);
	}
	return ranges;
}

struct fetching { pid_t pid; struct range *range; size_t count; };

/* Each range to where its copy is to be; what cannot be read has none then. */
static void *fetch_ranges(void *arg)
{
	enum { BATCH = 512 };
	const struct fetching *f = arg;
	struct iovec from[BATCH];

	for (size_t i = 0; i < f->count;) {
		struct range *r = &f->range[i];
		size_t n = 0, len = 0, done = 0;
		ssize_t got;

		for (; n < BATCH && i + n < f->count; len += from[n++].iov_len)
			from[n] = (struct iovec){ (void *)(uintptr_t)r[n].start,
				r[n].end - r[n].start };
		got = process_vm_readv(
			f->pid, &(struct iovec){ (void *)r->copy, len }, 1, from, n, 0);
		for (; done < n && got >= (ssize_t)from[done].iov_len; done++)
			got -= (ssize_t)from[done].iov_len;
		if (done < n)
			r[done++].copy = NULL;	/* where it stopped nothing is */
		i += done;
	}
	return NULL;
}

/* By several threads, where that is worth it: the process's own processors do nothing meanwhile. */
static void fetch_all(struct target *t, struct range *range, size_t ranges, unsigned char *to)
{
	enum { THREADS = 4, WORTH = 4 << 20 };
	struct fetching part[THREADS];
	pthread_t thread[THREADS];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t size = 0, parts, next = 0;

	for (size_t i = 0; i < ranges; i++) {
		range[i].copy = to + size;
		size += range[i].end - range[i].start;
	}
	parts = size < WORTH || cpus < 2 ? 1 : cpus < THREADS ? (size_t)cpus : THREADS;
	for (size_t k = 0; k < parts; k++) {
		size_t first = next;

		while (next < ranges && range[next].copy < to + size / parts * (k + 1))
			next++;
		next = k + 1 == parts ? ranges : next;
		part[k] = (struct fetching){ t->pid, range + first, next - first };
		if (k + 1 == parts || pthread_create(&thread[k], NULL, fetch_ranges, &part[k])) {
			part[k].count = ranges - first;
			fetch_ranges(&part[k]);
			parts = k;
		}
	}
	for (size_t k = 0; k < parts; k++)
		pthread_join(thread[k], NULL);
	for (size_t i = 0; i < ranges; i++) {
		if (!range[i].copy)
			continue;
		mem_add(t,
			(struct run){
				range[i].start, range[i].end, range[i].copy, true, false });
		t->copied += range[i].end - range[i].start;
	}
}

/* Room for what is fetched, of what is ready as long as there is some. */
static unsigned char *fetch_room(struct target *t, size_t size)
{
	unsigned char *at = t->ready;

	if (size > t->ready_size)
		return mem_block(t, size);
	t->ready += size;
	t->ready_size -= size;
	return at;
}

void target_fetch(struct target *t, struct piece *piece, size_t count)
{
	struct range *range = need(malloc((count + 1) * sizeof(*range)));
	uint32_t *in = need(malloc((count + 1) * sizeof(*in)));
	size_t size = 0, ranges = t->live ? merge(piece, count, range, in) : 0;

	for (size_t i = 0; i < ranges; i++)
		size += range[i].end - range[i].start;
	if (ranges)
		fetch_all(t, range, ranges, fetch_room(t, size));
	for (size_t i = 0; i < count; i++) {
		const struct range *r = t->live ? &range[in[i]] : NULL;

		piece[i].copy = !t->live ? mem_at(t, piece[i].start, piece[i].len) :
			r->copy	         ? r->copy + (piece[i].start - r->start) :
					   NULL;
	}
	free(range);
	free(in);
}
