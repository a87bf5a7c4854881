/* rec.h - what the recorder's test targets share: a file that counts what was emitted, which outlives any death. */
#ifndef REC_H
#define REC_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "ct.h"

enum { COUNTERS = 64 };		/* a cache line each; record-count adds them up */
struct counter { _Alignas(64) uint64_t emitted; };
static struct counter *counters;

__attribute__((unused))
static void count_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666); /* not truncated: several targets may share it */

	if (fd < 0 || ftruncate(fd, COUNTERS * sizeof *counters))
		exit(99);
	counters = mmap(NULL, COUNTERS * sizeof *counters, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counters == MAP_FAILED)
		exit(99);
	close(fd);
}

/* n events have been emitted. Called behind the probe: who dies between the two leaves the count one call short. */
static inline void emitted(unsigned who, uint64_t n)
{
	__atomic_fetch_add(&counters[who % COUNTERS].emitted, n, __ATOMIC_RELAXED);
}

static inline uint32_t random_next(uint64_t *state)	/* xorshift; *state not 0 */
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 16);
}

static inline uint64_t arg_number(int argc, char **argv, int i, uint64_t otherwise)
{
	return i < argc ? strtoull(argv[i], NULL, 0) : otherwise;
}

#endif
