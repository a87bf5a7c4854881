/* region.h - the shared memory, as the recorder knows it. Sizes are ours: nothing is read back from
 * the header. */
#ifndef REGION_H
#define REGION_H

#include <stdbool.h>
#include <stdint.h>
#include "ctp.h"

struct options;

struct region {
	char *base;
	uint64_t size;
	int fd, listener;
	struct ctp_header *h;
	struct ctp_v1_station *v1;
	struct ctp_ring *rings;
	struct ctp_event *slots, *stations;
	struct ctp_site *sites;
	char *strings;
	uint64_t strings_size;
	uint32_t v1_count, ring_count, ring_slots, station_count, site_count;
	bool membarrier, stacks;
	struct ctp_birth *births;
	struct ctp_header birth;	/* a box's, as it was checked */
	bool overwrites;	/* ours, of minor 3 */
	bool foreign;		/* its pids are not of our namespace */
	bool box, still;		/* still: an image, to which nothing is written any more */
	uint64_t taken;		/* clock_ns() when a living process's image was asked for, else 0 */
	char dir[64], sock_path[96], shm_path[64];
};
/* Make it and the socket, which is removed at exit; false after a message. */
bool region_create(struct region *, const struct options *);
/* Remove socket and directory; async-signal-safe. */
void region_remove(const struct region *);

#endif
