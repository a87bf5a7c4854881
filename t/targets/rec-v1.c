/* rec-v1 - a version 1 writer, as coroTracer's SDKs write:
 * rec-v1 COUNTFILE COROUTINES EVENTS-EACH PAUSE-US [LIFE [FIRST-ID]]
 *
 * LIFE: stay, die (each says so at the end), reuse (one after another, each dies, all under one id). FIRST-ID: the ids
 * count from it; else they are addresses. Counts births, events and deaths of coroutines that found a station.
 */
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include "ctp.h"
#include "rec.h"

static struct ctp_header *head;
static struct ctp_v1_station *stations;
static uint32_t max_stations;
static int sock = -1;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void attach(void)
{
	const char *shm = getenv(CTP_ENV_SHM), *path = getenv(CTP_ENV_SOCK), *max = getenv(CTP_ENV_STATIONS);
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (!shm || !path || !max || (fd = open(shm, O_RDWR)) < 0)
		exit(97);
	max_stations = (uint32_t)strtoul(max, NULL, 10);
	head = mmap(NULL, 1024 + (size_t)max_stations * 1024, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (head == MAP_FAILED || head->magic != CTP_MAGIC || head->version != 1 || head->max_stations != max_stations)
		exit(96);
	stations = (struct ctp_v1_station *)(head + 1);
	snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
	sock = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(sock, (struct sockaddr *)&to, sizeof to))
		exit(95);
}

static void bell(void)
{
	uint32_t one = 1;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (ctp_load(&head->tracer_sleeping) == 1 &&
	    __atomic_compare_exchange_n(&head->tracer_sleeping, &one, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		send(sock, "1", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static uint32_t birth(uint64_t id)	/* max_stations: none was left */
{
	uint32_t i = ctp_add(&head->allocated_count, 1);

	if (i >= max_stations)
		return max_stations;
	stations[i].probe_id = id ? id : (uintptr_t)&stations[i];
	stations[i].is_dead = 0;
	ctp_store_release(&stations[i].birth_ts, now());
	emitted(0, 1);
	return i;
}

static void event(uint32_t i, uint64_t k)
{
	struct ctp_event *e = &stations[i].slots[k % 8];
	uint64_t seq = ctp_load(&e->seq);

	ctp_store(&e->seq, seq + 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	ctp_store(&e->tid, (uint64_t)syscall(SYS_gettid));
	ctp_store(&e->addr, k % 2 ? (uintptr_t)e : 0);
	ctp_store(&e->is_active, (uint8_t)!(k % 2));
	ctp_store(&e->timestamp, now());
	ctp_store_release(&e->seq, seq + 2);
	bell();
	emitted(0, 1);
}

static void death(uint32_t i)
{
	__atomic_store_n(&stations[i].is_dead, 1, __ATOMIC_RELEASE);
	emitted(0, 1);
}

int main(int argc, char *argv[])
{
	uint64_t coroutines = arg_number(argc, argv, 2, 1), events = arg_number(argc, argv, 3, 1), k, i;
	uint64_t pause = arg_number(argc, argv, 4, 0), first = arg_number(argc, argv, 6, 0);
	const char *life = argc > 5 ? argv[5] : "stay";
	struct timespec nap = { 0, (long)pause * 1000 };
	uint32_t *mine = calloc(coroutines + 1, sizeof *mine);

	if (argc < 2 || !mine)
		return 99;
	count_open(argv[1]);
	attach();
	for (i = 0; i < coroutines && strcmp(life, "reuse"); i++)
		mine[i] = birth(first ? first + i : 0);
	for (k = 0; k < events && strcmp(life, "reuse"); k++) {
		for (i = 0; i < coroutines; i++)
			if (mine[i] < max_stations)
				event(mine[i], k);
		if (pause)
			nanosleep(&nap, NULL);
	}
	for (i = 0; i < coroutines && !strcmp(life, "die"); i++)
		if (mine[i] < max_stations)
			death(mine[i]);
	for (i = 0; i < coroutines && !strcmp(life, "reuse"); i++) {
		mine[i] = birth(first ? first : 0x7f0000001000);
		for (k = 0; k < events && mine[i] < max_stations; k++)
			event(mine[i], k);
		if (mine[i] < max_stations)
			death(mine[i]);
		if (pause)
			nanosleep(&nap, NULL);
	}
	free(mine);
	return 0;
}
