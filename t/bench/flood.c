/* flood.c - a target that emits at full speed: flood EVENTS [PER_SECOND]. Tells stderr how many it emitted, how fast. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ct.h"

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(int argc, char *argv[])
{
	uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	uint64_t rate = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t emitted = 2, start;
	struct ct_coro c = { 0 };

	ct_init();
	start = now();
	ct_create(&c, 0, CT_HERE, &c, NULL);
	while (emitted + 2 <= events) {
		ct_resume(&c);
		ct_suspend(&c, CT_HERE, ct_fd(5));
		emitted += 2;
		/* Held to a rate, in steps of 64 events: a real scheduler's bursts, not a sleep's granularity. */
		if (rate && !(emitted & 63))
			while ((now() - start) * rate / 1000000000 < emitted)
				;
	}
	ct_destroy(&c, 1);
	fprintf(stderr, "emitted %" PRIu64 " ns %" PRIu64 "\n", emitted, now() - start);
	return 0;
}
