/* rec-scribble - a hostile target: rec-scribble SEED MILLISECONDS [PLAUSIBLE]. Stores random values all over the
 * recorder's memory without a pause, PLAUSIBLE of 100 times (90) such as could pass a careless check, punches holes
 * and abuses the socket. Where PLAUSIBLE is above 100 the rings' control lines stay true, so that all of the garbage is
 * read. Runs so long, says how many KiB of memory the recorder has, exits with status 9.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include "ctp.h"
#include "rec.h"

static uint64_t seed, size;
static char *base;
static struct ctp_header h;	/* as it was at first */

static uint64_t random64(void)
{
	return (uint64_t)random_next(&seed) << 32 | random_next(&seed);
}

static uint64_t below(uint64_t n)
{
	return random64() % n;
}

/* A number near a limit, or a random one of random length. */
static uint64_t nasty(void)
{
	static const uint64_t odd[] = { 0, 1, 2, 7, 8, 63, 64, 127, 255, 4095, 65535, 65536, 1 << 20, 1 << 24,
		INT32_MAX, 1ull << 31, UINT32_MAX, 1ull << 32, 1ull << 48, INT64_MAX, 1ull << 63, UINT64_MAX };

	return below(2) ? odd[below(sizeof odd / sizeof *odd)] + below(3) - 1 : random64() >> below(64);
}

static uint64_t ticks(void)
{
	struct timespec t;

#if defined __x86_64__
	if (h.flags & CTP_F_TSC)
		return __builtin_ia32_rdtsc();
#endif
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void any_event(struct ctp_event *e)
{
	struct ctp_event made = {
		.timestamp = below(8) ? ticks() : nasty(), .tid = 1 + below(9), .addr = nasty(),
		.seq = below(4) ? 2 * below(100) : nasty(), .probe_id = below(20),
		.arg = below(2) ? below(4096) : nasty(), .n = (uint32_t)below(99),
		.site = (uint32_t)(below(2) ? below(64) : nasty()), .kind = (uint8_t)below(CTP_KINDS + 1),
		.arg_kind = (uint8_t)(below(CTP_ON_KINDS + 1) | below(2) << 7), .is_active = (uint8_t)below(3)
	};

	uint32_t stack = (uint32_t)(below(2) ? below(4096) : nasty());

	memcpy(made.stack, &stack, sizeof stack);
	memcpy(e, &made, sizeof made);
}

static void one_ring(struct ctp_ring *c, struct ctp_event *slots)
{
	switch (below(8)) {
	case 0: c->head = nasty(); break;
	case 1: c->tail = nasty(); break;
	case 2: c->owner ^= CTP_RING_RETIRED; break;
	case 3: c->dropped += nasty(); break;
	case 4: c->drop_first = nasty(), c->drop_last = nasty(); break;
	case 5: c->owner = below(2) ? CTP_OWNER(getpid(), getpid()) : nasty(); break;
	case 6: c->owner = below(2) ? CTP_RING_FREE : CTP_OWNER(below(CTP_NUMBERS), below(CTP_NUMBERS)); break;
	default: c->head = c->tail + below(2 * h.ring_slots);
	}
	any_event(&slots[below(h.ring_slots)]);
}

static void plausible(bool rings_true)
{
	uint32_t ring = (uint32_t)below(4), at;
	struct ctp_v1_station *v1 = (struct ctp_v1_station *)(base + 1024) + below(h.max_stations);
	struct ctp_header *head = (struct ctp_header *)base;
	struct ctp_string *string = (struct ctp_string *)(base + h.strings_off + 8 * below(4096));
	struct ctp_site *site = (struct ctp_site *)(base + h.sites_off) + below(64);

	switch (below(rings_true ? 7 : 8)) {
	case 0: head->rings_used = (uint32_t)(below(2) ? below(5) : nasty()); break;
	case 1: head->allocated_count = (uint32_t)(below(2) ? below(300) : nasty()); break;
	case 2: head->tracer_sleeping = (uint32_t)below(3); break;
	case 3:
		site->func = (uint32_t)below(4096), site->file = (uint32_t)nasty(), site->line = (uint32_t)nasty();
		site->ready = (uint32_t)below(3);
		break;
	case 4:
		for (at = 0; at < 12; at++)
			string->text[at] = (char)random64();
		string->len = (uint32_t)(below(2) ? below(9000) : below(2) ? 8 * below(130) + 1 : nasty());
		break;
	case 5:
		v1->probe_id = below(2) ? below(20) : nasty();
		v1->birth_ts = below(4) ? ticks() : nasty();
		v1->is_dead = (uint8_t)(below(8) == 0);
		any_event(&v1->slots[below(8)]);
		break;
	case 6: any_event((struct ctp_event *)(base + h.stations_off) + below(64)); break;
	default: one_ring((struct ctp_ring *)(base + h.rings_off) + ring,
			  (struct ctp_event *)(base + h.slots_off) + (uint64_t)ring * h.ring_slots);
	}
}

static void lies(void)
{
	uint32_t ring = (uint32_t)below(4);
	struct ctp_ring *c = (struct ctp_ring *)(base + h.rings_off) + ring;
	struct ctp_event *slots = (struct ctp_event *)(base + h.slots_off) + (uint64_t)ring * h.ring_slots;

	((struct ctp_header *)base)->rings_used = 4;
	if (c->head - ctp_load_acquire(&c->tail) < h.ring_slots) {
		any_event(&slots[c->head % h.ring_slots]);
		ctp_store_release(&c->head, c->head + 1);
	}
	any_event(&slots[below(h.ring_slots)]);
}

static void garbage(void)
{
	const uint64_t where[] = { 0, 1024, h.rings_off, h.sites_off, h.strings_off, h.stations_off, h.slots_off };
	uint64_t at = where[below(7)] + below(1024) * 8;

	if (at + 8 <= size)
		*(volatile uint64_t *)(base + at) = nasty();
}

static void abuse_socket(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	snprintf(to.sun_path, sizeof to.sun_path, "%s", getenv(CTP_ENV_SOCK));
	if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
		while (send(fd, base, 4096, MSG_NOSIGNAL | MSG_DONTWAIT) > 0 && below(8))
			;
	if (below(4))
		close(fd);		/* else it is left open */
}

/* The file may not be made smaller or larger, or the recorder would die of reading it. */
static void abuse_file(int fd)
{
	if (!ftruncate(fd, 4096) || !ftruncate(fd, (off_t)size * 2) || !fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE))
		exit(90);
	fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)below(size / 4096) * 4096, 1 << 16);
}

/* How much memory of its own the recorder has, in KiB. */
static void tell_memory(void)
{
	char path[64], line[256];
	unsigned long kib = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/status", (long)getppid());
	f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "RssAnon: %lu", &kib) == 1)
			break;
	printf("%lu\n", kib ? kib : 999999999);
	fflush(stdout);
}

int main(int argc, char *argv[])
{
	uint64_t ms = arg_number(argc, argv, 2, 100), likely = arg_number(argc, argv, 3, 90), i;
	const char *path = getenv(CTP_ENV_SHM);
	int fd = path ? open(path, O_RDWR) : -1;
	struct timespec from, now;

	seed = (arg_number(argc, argv, 1, 1) + 1) * 0x9e3779b97f4a7c15ull;
	if (fd < 0 || pread(fd, &h, sizeof h, 0) != sizeof h || h.v2_magic != CTP2_MAGIC || !ct_init())
		return 97;
	size = h.file_size;
	base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (base == MAP_FAILED)
		return 96;
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 1; ; i++) {
		if (likely > 100)
			lies();
		if (below(100) < likely)
			plausible(likely > 100);
		else
			garbage();
		if (i % 4096)
			continue;
		if (i >> 12 < 300)
			abuse_socket();
		abuse_file(fd);
		clock_gettime(CLOCK_MONOTONIC, &now);
		if ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 >= (time_t)ms)
			break;
	}
	tell_memory();
	return 9;
}
