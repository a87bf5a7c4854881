/* flood_v1.c - a version 1 writer at full speed: flood_v1 COROUTINES EVENTS, round robin. Written against ctp.h as
 * the old SDKs write: fetch_add a station, fill it, then per event seq odd, fields (the thread's id by a system call each
 * time), seq even, fence, look whether the recorder sleeps. Says on stderr how many it emitted.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "ctp.h"

static struct ctp_header *head;
static int sock = -1;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static struct ctp_v1_station *attach(unsigned *stations)
{
	const char *shm = getenv(CTP_ENV_SHM), *path = getenv(CTP_ENV_SOCK), *max = getenv(CTP_ENV_STATIONS);
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (!shm || !path || !max || (fd = open(shm, O_RDWR)) < 0)
		return NULL;
	*stations = (unsigned)atoi(max);
	head = mmap(NULL, 1024 + *stations * sizeof(struct ctp_v1_station), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	sock = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(sock, (struct sockaddr *)&to, sizeof(to)))
		return NULL;
	return head == MAP_FAILED ? NULL : (struct ctp_v1_station *)((char *)head + 1024);
}

static void write_event(struct ctp_v1_station *s, uint64_t k, uint8_t active)
{
	struct ctp_event *e = &s->slots[k % 8];
	uint64_t seq = ctp_load(&e->seq);

	ctp_store_release(&e->seq, seq + 1);
	e->addr = active ? 0 : (uint64_t)(uintptr_t)s;
	e->tid = (uint64_t)syscall(SYS_gettid);
	e->timestamp = now();
	e->is_active = active;
	ctp_store_release(&e->seq, seq + 2);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (ctp_load(&head->tracer_sleeping) && __atomic_exchange_n(&head->tracer_sleeping, 0, __ATOMIC_ACQ_REL))
		send(sock, "1", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int main(int argc, char *argv[])
{
	unsigned coroutines = argc > 1 ? (unsigned)atoi(argv[1]) : 100, stations = 0;
	uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000, emitted = 0, start;
	struct ctp_v1_station *s = attach(&stations);

	if (!s || coroutines == 0 || coroutines > stations)
		return fprintf(stderr, "flood_v1: not under a recorder, or too few stations\n"), 2;
	for (unsigned i = 0; i < coroutines; i++) {
		unsigned slot = ctp_add(&head->allocated_count, 1);

		s[slot].probe_id = 1000 + i;
		s[slot].birth_ts = now();
		s[slot].is_dead = 0;
	}
	start = now();
	for (uint64_t k = 0; emitted < events; k++)
		for (unsigned i = 0; i < coroutines && emitted < events; i++, emitted++)
			write_event(&s[i], k, !(k & 1));
	fprintf(stderr, "emitted %" PRIu64 " ns %" PRIu64 "\n", emitted, now() - start);
	return 0;
}
