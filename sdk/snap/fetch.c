/* fetch.c - pieces of memory that are read by address, many at once. Contracts in target.h. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "snap.h"

/* Pieces that are near one another are read as one range: each range costs the kernel as much as some
 * thousand bytes do. They are taken as they come, since to sort them takes longer: what was allocated
 * one behind another stands so in the lists of a program, too, upwards or downwards. Of a range those
 * parts are kept that were wanted: a small stack is the top of much that is empty. */
struct part { uint64_t start, end; unsigned char *copy; };
struct range { uint64_t start, end; size_t part; };	/* part: its first */

enum { THREADS = 4, LONGEST = 1 << 16, SCRATCH = 1 << 20 };
static unsigned char scratch[THREADS][SCRATCH];

static bool extend(uint64_t *from, uint64_t *to, uint64_t start, uint64_t end, uint64_t near)
{
	uint64_t low = start < *from ? start : *from, high = end > *to ? end : *to;

	if (start > *to + near || *from > end + near || high - low > LONGEST)
		return false;
	*from = low;
	*to = high;
	return true;
}

struct plan { struct range *range; struct part *part; size_t ranges, parts; };

/* in: which part each piece is in. */
static void merge(const struct piece *piece, size_t count, struct plan *p, uint32_t *in)
{
	enum { NEAR = 2048, TOGETHER = 128 };

	for (size_t i = 0; i < count; i++) {
		uint64_t start = piece[i].start, end = start + piece[i].len;
		struct range *r = p->ranges ? &p->range[p->ranges - 1] : NULL;
		struct part *last = p->parts ? &p->part[p->parts - 1] : NULL;
		bool same = r && extend(&r->start, &r->end, start, end, NEAR);

		if (!same)
			p->range[p->ranges++] = (struct range){ start, end, p->parts };
		if (!same || !extend(&last->start, &last->end, start, end, TOGETHER))
			p->part[p->parts++] = (struct part){ start, end, NULL };
		in[i] = (uint32_t)(p->parts - 1);
	}
	p->range[p->ranges].part = p->parts;
}

struct fetching { pid_t pid; struct plan *plan; size_t first, end; unsigned char *scratch; };

/* What was read of a range goes to where its parts are kept; from: NULL: nothing was. */
static void keep(struct plan *p, size_t range, const unsigned char *from)
{
	const struct range *r = &p->range[range];

	for (size_t i = r->part; i < r[1].part; i++) {
		struct part *k = &p->part[i];

		if (from)
			memcpy(k->copy, from + (k->start - r->start), k->end - k->start);
		else
			k->copy = NULL;
	}
}

/* One that is longer than any of several pieces is one piece, and read to where it is kept. */
static size_t fetch_long(const struct fetching *f, size_t range)
{
	struct part *k = &f->plan->part[f->plan->range[range].part];
	size_t len = k->end - k->start;

	if (process_vm_readv(f->pid, &(struct iovec){ k->copy, len }, 1,
		    &(struct iovec){ (void *)(uintptr_t)k->start, len }, 1, 0) != (ssize_t)len)
		k->copy = NULL;
	return range + 1;
}

/* As many as there is room for at once. Returns the one behind them. */
static size_t fetch_some(const struct fetching *f, size_t first)
{
	enum { BATCH = 512 };
	const struct range *r = &f->plan->range[first];
	const unsigned char *at = f->scratch;
	struct iovec from[BATCH];
	size_t n = 0, len = 0, done = 0;
	ssize_t got;

	for (; n < BATCH && first + n < f->end && r[n].end - r[n].start <= SCRATCH - len; n++) {
		from[n] = (struct iovec){ (void *)(uintptr_t)r[n].start, r[n].end - r[n].start };
		len += from[n].iov_len;
	}
	got = process_vm_readv(f->pid, &(struct iovec){ f->scratch, len }, 1, from, n, 0);
	for (; done < n && got >= (ssize_t)from[done].iov_len; done++) {
		keep(f->plan, first + done, at);
		at += from[done].iov_len;
		got -= (ssize_t)from[done].iov_len;
	}
	if (done < n)
		keep(f->plan, first + done++, NULL);	/* where it stopped nothing is */
	return first + done;
}

static void *fetch_ranges(void *arg)
{
	const struct fetching *f = arg;
	const struct range *r = f->plan->range;

	for (size_t i = f->first; i < f->end;)
		i = r[i].end - r[i].start > LONGEST ? fetch_long(f, i) : fetch_some(f, i);
	return NULL;
}

/* By several threads, where that is worth it: the process's own processors do nothing meanwhile. */
static void fetch_all(struct target *t, struct plan *p)
{
	enum { WORTH = 4 << 20 };
	struct fetching share[THREADS];
	pthread_t thread[THREADS];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t size = 0, before = 0, shares, next = 0;

	for (size_t i = 0; i < p->ranges; i++)
		size += p->range[i].end - p->range[i].start;
	shares = size < WORTH || cpus < 2 ? 1 : cpus < THREADS ? (size_t)cpus : THREADS;
	for (size_t k = 0; k < shares; k++) {
		size_t first = next;

		for (; next < p->ranges && before < size / shares * (k + 1); next++)
			before += p->range[next].end - p->range[next].start;
		next = k + 1 == shares ? p->ranges : next;
		share[k] = (struct fetching){ t->pid, p, first, next, scratch[k] };
		if (k + 1 == shares || pthread_create(&thread[k], NULL, fetch_ranges, &share[k])) {
			share[k].end = p->ranges;
			fetch_ranges(&share[k]);
			shares = k;
		}
	}
	for (size_t k = 0; k < shares; k++)
		pthread_join(thread[k], NULL);
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
	struct plan p = { .range = need(malloc((count + 1) * sizeof(*p.range))),
		.part = need(malloc((count + 1) * sizeof(*p.part))) };
	uint32_t *in = need(malloc((count + 1) * sizeof(*in)));
	unsigned char *to;
	size_t size = 0;

	if (t->live)
		merge(piece, count, &p, in);
	for (size_t i = 0; i < p.parts; i++)
		size += p.part[i].end - p.part[i].start;
	t->over |= t->live && t->limit && t->copied + size > t->limit;
	if (t->over)
		p.ranges = p.parts = 0;
	to = size && !t->over ? fetch_room(t, size) : NULL;
	for (size_t i = 0; i < p.parts; i++) {
		p.part[i].copy = to;
		to += p.part[i].end - p.part[i].start;
	}
	if (p.ranges)
		fetch_all(t, &p);
	for (size_t i = 0; i < p.parts; i++) {
		const struct part *k = &p.part[i];

		if (!k->copy)
			continue;
		mem_add(t, (struct run){ k->start, k->end, k->copy, true, false });
		t->copied += k->end - k->start;
	}
	for (size_t i = 0; i < count; i++) {
		const struct part *k = t->live ? &p.part[in[i]] : NULL;

		piece[i].copy = t->over  ? NULL :
			!t->live         ? mem_at(t, piece[i].start, piece[i].len) :
			k->copy	         ? k->copy + (piece[i].start - k->start) :
					   NULL;
	}
	free(p.range);
	free(p.part);
	free(in);
}

void target_had(struct target *t, struct piece p)
{
	t->over |= t->limit && t->copied + p.len > t->limit;
	if (t->over)
		return;
	mem_add(t, (struct run){ p.start, p.start + p.len, p.copy, true, false });
	t->copied += p.len;
}
