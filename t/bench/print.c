/* print.c - ns a line: ct-record's formatter, and snprintf making the same line. Prints "formatter NS" and "snprintf NS".
 * Links the formatter itself (record/event.c, print.c); the lines go to /dev/null. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../../record/event.h"
#include "../../record/print.h"
#include "../../record/site.h"

enum { LINES = 4000000, EVENTS = 1000, SITES = 64 };

static struct ctp_event events[EVENTS];

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A suspend and a resume in turn, of a hundred coroutines of one thread. */
static struct ctp_event event(uint32_t i)
{
	struct ctp_event e = { .timestamp = 123456789012345 + 97 * (uint64_t)i, .tid = 4711, .probe_id = 1 + i / 2 % 100,
		.n = 20000 + 10 * i, .kind = CTP_RESUME, .is_active = 1 };

	e.seq = 2 * (uint64_t)e.n;
	if (i % 2) {
		e.kind = CTP_SUSPEND;
		e.is_active = 0;
		e.addr = 0x00007f3a10000b70 + 4096 * e.probe_id;
		e.arg_kind = CTP_ON_FD;
		e.arg = 40 + e.probe_id;
		e.site = 1 + (uint32_t)e.probe_id % (SITES - 1);
	}
	return e;
}

static double formatter(const struct region *r)
{
	uint64_t start = now();
	uint32_t i;

	for (i = 0; i < LINES; i++) {
		const struct ctp_event *e = &events[i % EVENTS];

		print_event(r, e, e->timestamp, 0, false);
	}
	print_flush();
	return (double)(now() - start) / LINES;
}

static double with_snprintf(int fd)
{
	static char block[132 << 10];
	size_t len = 0;
	uint64_t start = now();
	uint32_t i;

	for (i = 0; i < LINES; i++) {
		const struct ctp_event *e = &events[i % EVENTS];

		len += (size_t)snprintf(block + len, 1024, "{\"probe_id\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"addr\":\"0x%016" PRIx64
					"\",\"seq\":%" PRIu64 ",\"is_active\":%s,\"ts\":%" PRIu64 ",\"ev\":\"%s\",\"n\":%" PRIu32,
					e->probe_id, e->tid, e->addr, e->seq, e->is_active ? "true" : "false", e->timestamp,
					e->is_active ? "resume" : "suspend", e->n);
		if (e->site)
			len += (size_t)snprintf(block + len, 1024, ",\"site\":%" PRIu32 ",\"on\":\"fd:%" PRIu64 "\"", e->site, e->arg);
		block[len++] = '}';
		block[len++] = '\n';
		if (len >= 128 << 10) {
			if (write(fd, block, len) < 0)
				exit(1);
			len = 0;
		}
	}
	return (double)(now() - start) / LINES;
}

int main(void)
{
	static struct ctp_site sites[SITES];
	static char strings[64];
	struct region r = { .sites = sites, .site_count = SITES, .strings = strings, .strings_size = sizeof strings };
	int fd = open("/dev/null", O_WRONLY), i;

	for (i = 0; i < SITES; i++)
		sites[i].ready = 1;
	for (i = 0; i < EVENTS; i++)
		events[i] = event((uint32_t)i);
	print_open(fd, NULL, 0);
	site_init(&r);
	formatter(&r);
	printf("formatter %.2f\n", formatter(&r));
	printf("snprintf %.2f\n", with_snprintf(fd));
	return 0;
}
