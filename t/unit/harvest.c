/* harvest.c - the recorder's reading of rings and stations (record/harvest.c, event.c), call by call, of a region whose writers this
 * program plays: what is printed, what is held back, what is counted as lost or impossible, and under whose name.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#include "../../record/complain.h"
#include "../../record/extra/process.h"
#include "../../record/extra/stack.h"
#include "../../record/harvest.h"
#include "../../record/line.h"
#include "../../record/site.h"
#include "../../record/stations.h"
#include "../../record/totals.h"
#include "step.h"
#include "writers.h"

enum { RINGS = 6, SLOTS = 16, STATIONS = 200, SITES = 8, STRINGS = 8192 };

static void *part(size_t *at, size_t size)
{
	void *p = r.base + *at;

	*at += (size + 4095) & ~(size_t)4095;
	return p;
}

static void begin(int out)
{
	size_t at = 0;

	r.fd = memfd_create("region", MFD_CLOEXEC);
	r.size = 1 << 20;
	if (ftruncate(r.fd, (off_t)r.size))
		exit(99);
	r.base = mmap(NULL, r.size, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
	r.h = part(&at, 4096);
	r.rings = part(&at, RINGS * sizeof *r.rings);
	r.slots = part(&at, RINGS * SLOTS * sizeof *r.slots);
	r.stations = part(&at, STATIONS * sizeof *r.stations);
	r.sites = part(&at, SITES * sizeof *r.sites);
	r.strings = part(&at, STRINGS);
	r.strings_size = STRINGS;
	r.ring_count = RINGS;
	r.ring_slots = SLOTS;
	r.station_count = STATIONS;
	r.site_count = SITES;
	r.h->rings_used = RINGS;
	print_open(out, NULL, 0);
	site_init(&r);
	harvest_init(&r);
	/* the recorder takes nothing that is older than itself */
	start = clock_ns();
	while (clock_ns() < start + 2000000)
		usleep(100);
}

static void own(uint32_t ring, uint32_t tid)
{
	r.rings[ring].owner = CTP_OWNER(40, tid);
}

static struct ctp_event park(uint64_t ts, uint64_t tid)
{
	return (struct ctp_event){ .timestamp = start + ts, .tid = tid, .kind = CTP_PARK, .addr = CTP_UNKNOWN };
}

static struct ctp_event of(uint8_t kind, uint64_t id, uint32_t n, uint64_t ts)
{
	return (struct ctp_event){ .timestamp = start + ts, .tid = 7, .probe_id = id, .n = n, .seq = 2 * (uint64_t)n, .kind = kind,
		.addr = 16, .is_active = kind == CTP_RESUME };
}

static void put(uint32_t ring, struct ctp_event e)
{
	struct ctp_ring *c = &r.rings[ring];

	r.slots[ring * SLOTS + c->head % SLOTS] = e;
	c->head++;
}

static void station(uint32_t i, struct ctp_event e)
{
	r.stations[i] = e;
	if (r.h->stations_used <= i)
		r.h->stations_used = i + 1;
}

#define PARK(tid, ts) "{\"ev\":\"park\",\"ts\":+" ts ",\"tid\":" tid "}\n"
#define LOST(tid, count, from, to) "{\"ev\":\"lost\",\"ts\":+" to ",\"tid\":" tid ",\"count\":" count ",\"from\":+" from ",\"to\":+" to "}\n"

#define CORO(id, tid, n, seq, active, ts, rest) "{\"probe_id\":" id ",\"tid\":" tid ",\"addr\":\"0x0000000000000010\",\"seq\":" seq \
	",\"is_active\":" active ",\"ts\":+" ts rest "}\n"
#define SUSPEND(tid, rest) CORO("1", tid, "3", "6", "false", "10", ",\"ev\":\"suspend\",\"n\":3" rest)
#define NAME(name) "{\"ev\":\"name\",\"ts\":+10,\"tid\":7,\"probe_id\":1,\"name\":\"" name "\"}\n"
#define SITE(n, line) "{\"ev\":\"site\",\"site\":" n ",\"func\":\"f\",\"file\":\"f.c\",\"line\":" line "}\n"

/* ---- the cut ---- */

static void merged(void)
{
	static const uint64_t times[RINGS][4] = { { 50, 60, 61, 90 }, { 10, 11, 95 }, { 30 }, { 0 }, { 5, 70, 70, 71 }, { 70, 80 } };

	for (uint32_t i = 0; i < RINGS; i++)
		for (int k = 0; k < 4 && times[i][k]; k++)
			put(i, park(times[i][k], i + 1));
	number("events", harvest(&r));
	number("pending", harvest_pending(&r));
}

static void many_merged(void)
{
	uint64_t state = 1;

	for (int k = 0; k < SLOTS; k++)
		for (uint32_t i = 0; i < RINGS; i++) {
			state = state * 6364136223846793005ull + 1442695040888963407ull;
			put(i, park(100 * (uint64_t)k + (state >> 60) * 6, 1));
		}
	number("events", harvest(&r));
}

static void held_back(void)
{
	int seen = 0;

	for (int i = 0; i < 3000 && seen < 20; i++) {
		uint64_t now = clock_ns(), after, before = r.rings[0].tail;
		struct ctp_event e = park(0, 1);

		e.timestamp = now;
		put(0, e);
		harvest(&r);
		after = clock_ns();
		/* it may be read only where HOLD_BACK has passed */
		if (after < now + HOLD_BACK_NS) {
			seen++;
			if (r.rings[0].tail != before)
				number("too_soon", after - now);
		}
		while (r.rings[0].tail == before && clock_ns() < now + 1000000000)
			harvest(&r);
	}
	number("seen", seen > 0);
}

static void far_ahead(void)
{
	uint64_t now = clock_ns() - start;

	put(0, park(now + 500000000, 1));	/* waits for its time */
	put(1, park(now + 3000000000, 2));	/* cannot be true */
	put(1, park(7, 2));
	number("events", harvest(&r));
	number("impossible", totals.impossible);
	number("pending", harvest_pending(&r));
	number("tail", r.rings[0].tail);
}

static void before_us(void)
{
	struct ctp_event e = park(0, 1);

	e.timestamp = 5;
	put(0, e);
	put(0, park(9, 1));
	harvest(&r);
	number("impossible", totals.impossible);
}

static void overrun(void)
{
	for (int i = 0; i < SLOTS; i++)
		put(0, park(10 + (uint64_t)i, 1));
	number("full", harvest(&r));
	r.rings[0].head += SLOTS + 1;
	put(1, park(50, 2));
	number("one", harvest(&r));
	number("impossible", totals.impossible);
	number("tail", r.rings[0].tail);
	put(0, park(60, 1));
	harvest(&r);
}

/* ---- drops ---- */

static void late_drops(void)
{
	own(0, 77);
	own(1, 88);
	own(2, 99);
	r.rings[1].dropped = 5;
	r.rings[1].drop_first = start + 30;
	r.rings[1].drop_last = start + 40;
	r.rings[2].dropped = 1ull << 48;	/* cannot be */
	harvest_end(&r);
	harvest_end(&r);			/* once is enough */
	number("lost", totals.lost);
}

static void told_drops(void)
{
	struct ctp_event e = { .timestamp = start + 40, .tid = 1, .kind = CTP_LOST, .arg = 3, .addr = start + 20 };

	own(0, 77);
	r.rings[0].dropped = 4;
	put(0, e);
	e.arg = 2;		/* more than it dropped: three of four are told */
	put(0, e);
	e.arg = 0;
	put(0, e);
	e.arg = 1;
	e.addr = start + 50;	/* before it began: a moment */
	put(0, e);
	harvest(&r);
	number("impossible", totals.impossible);
	totals.impossible = 0;
	r.rings[0].dropped = 6;
	r.rings[0].drop_first = start + 60;
	r.rings[0].drop_last = start + 70;
	harvest_end(&r);
}

static void retired(void)
{
	own(0, 77);
	r.rings[0].owner |= CTP_RING_RETIRED;
	r.rings[0].dropped = 2;
	r.rings[0].drop_first = start + 20;
	r.rings[0].drop_last = start + 21;
	put(0, park(10, 77));
	own(1, 88);				/* lives */
	put(1, park(11, 88));
	own(2, 99);
	r.rings[2].owner |= CTP_RING_RETIRED;
	{
		struct ctp_event e = park(0, 99);

		e.timestamp = clock_ns() + 500000000;
		put(2, e);			/* not read yet */
	}
	harvest(&r);
	number("free", r.rings[0].owner == CTP_RING_FREE);
	number("kept", r.rings[1].owner == CTP_OWNER(40, 88));
	number("unread", r.rings[2].owner == (CTP_OWNER(40, 99) | CTP_RING_RETIRED));
	/* the next owner's drops are its own */
	own(0, 55);
	r.rings[0].dropped = 3;
	r.rings[0].drop_first = r.rings[0].drop_last = start + 30;
	harvest_end(&r);
}

static unsigned long steps, at;
static bool took;

/* A thread that saw that nobody reads takes the ring, and writes. */
static void takes(int sig, siginfo_t *info, void *context)
{
	uint64_t by = CTP_OWNER(40, 77) | CTP_RING_RETIRED;

	(void)sig, (void)info;
	if (++steps < at)
		return;
	stop_behind(context);
	took = __atomic_compare_exchange_n(&r.rings[0].owner, &by, CTP_OWNER(40, 78), 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
	if (took)
		put(0, park(20, 78));
}

static void taken_meanwhile(void)
{
	unsigned taken = 0, back = 0;
	uint64_t head;

	r.box = true;
	sigaction(SIGTRAP, &(struct sigaction){ .sa_sigaction = takes, .sa_flags = SA_SIGINFO }, NULL);
	for (at = 1, steps = at; CAN_STEP && steps == at; ) {
		own(0, 77);
		r.rings[0].owner |= CTP_RING_RETIRED;
		head = r.rings[0].head;
		at += 5;
		steps = 0;
		took = false;
		stepping();
		harvest(&r);
		no_more();
		taken += took;
		back += r.rings[0].head != head + took;
		harvest(&r);
	}
	number("back", back);
	number("enough", !CAN_STEP || taken > 5);
}

static void still_image(void)
{
	struct ctp_event e = park(0, 1);

	r.still = true;
	own(0, 77);
	r.rings[0].owner |= CTP_RING_RETIRED;
	e.timestamp = clock_ns() + 900000000;
	put(0, park(10, 77));
	put(0, e);				/* in an image there is no later */
	number("events", harvest(&r));
	number("kept", r.rings[0].owner != CTP_RING_FREE);
}

static void reaped(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	r.rings[0].owner = CTP_OWNER((uint32_t)getpid(), (uint32_t)getpid());
	r.rings[1].owner = CTP_OWNER((uint32_t)child, (uint32_t)child);
	r.rings[2].owner = CTP_OWNER(CTP_NUMBERS + 1, CTP_NUMBERS + 1);
	r.rings[3].owner = CTP_OWNER((uint32_t)getpid(), (uint32_t)child);
	harvest_reap(&r);
	for (uint32_t i = 0; i < 5; i++)
		number("retired", r.rings[i].owner >> 63);
	own(4, 3);
	r.rings[5].owner = CTP_OWNER(41, 3);
	harvest_retire(&r, 40);
	number("retired", r.rings[4].owner == (CTP_OWNER(40, 3) | CTP_RING_RETIRED));
	number("retired", r.rings[5].owner >> 63);
	harvest_pick(&r, 41);
	r.rings[1].owner = CTP_OWNER(41, 3);	/* taken since */
	harvest_retire_picked(&r);
	number("retired", r.rings[5].owner == (CTP_OWNER(41, 3) | CTP_RING_RETIRED));
	number("retired", r.rings[1].owner >> 63);
}

/* ---- of a box: each CTP_LOST says how many were dropped ever ---- */

static struct ctp_event told(uint64_t count, uint64_t ever, uint64_t ts)
{
	return (struct ctp_event){ .timestamp = start + ts, .tid = 1, .kind = CTP_LOST, .arg = count, .seq = ever, .addr = start + ts - 5 };
}

static void box_drops(void)
{
	r.box = true;
	own(0, 77);
	r.rings[0].dropped = 100;
	harvest_adopt(0, 0, 50);	/* a guess */
	put(0, told(5, 60, 20));	/* before it 55 were reported, to whoever was there */
	put(0, told(10, 70, 30));
	put(0, told(10, 70, 40));	/* the same once more */
	put(0, told(20, 75, 50));	/* of which 5 are news */
	put(0, told(1, 100, 60));	/* and some of before, unseen */
	put(0, told(0, 100, 70));
	put(0, told(1, 101, 80));
	put(0, told(8, 7, 90));
	harvest(&r);
	number("impossible", totals.impossible);
	number("lost", totals.lost);
}

static void forgotten(void)
{
	r.h->forget_ids = 5;
	number("no_box", harvest_forgotten(&r, 5));
	r.box = true;
	number("four", harvest_forgotten(&r, 5));
	number("six", harvest_forgotten(&r, 6));
	put(0, of(CTP_SUSPEND, 5, 1, 10));
	put(0, of(CTP_DESTROY, 5, 2, 11));
	put(0, of(CTP_WAKE, 5, 0, 12));
	put(0, of(CTP_NAME, 5, 0, 13));
	put(0, of(CTP_SUSPEND, 6, 1, 14));
	for (int i = 0; i < 3; i++)
		put(0, (struct ctp_event){ 0 });	/* never written */
	number("events", harvest(&r));
	number("nobodys", totals.impossible);
}

static void since(void)
{
	for (uint64_t k = 0; k < 10; k++)
		put(0, park(10 * k, 1));
	for (uint64_t ts = 0; ts < 100; ts += 5)
		number("at", harvest_since(&r, 0, ts > 90, start + ts));
	number("from", harvest_since(&r, 0, 7, start));
	number("behind", harvest_since(&r, 0, 2, start + 1000));
}

/* ---- who is told of what is read ---- */

static void started(const struct region *region, uint64_t ticks)
{
	number("started", region == &r && ticks == start + 12);
	number("handed_back", r.rings[0].tail);
}

static void met(uint32_t n, uint64_t ts)
{
	number("met", n);
	number("at", ts);
}

static struct ctp_event thread(uint32_t n, uint64_t ts)
{
	return (struct ctp_event){ .timestamp = start + ts, .tid = 7, .kind = CTP_THREAD, .n = n, .arg = CTP_ROLE_ENDED };
}

static void callers(void)
{
	put(0, of(CTP_STOP, 0, 9, 11));
	put(0, of(CTP_START, 0, 9, 12));
	put(0, thread(33, 13));
	harvest(&r);			/* nobody wants to know */
	number("known", process_known(33));
	harvest_on_start(started);
	harvest_on_process(met);
	put(0, of(CTP_START, 0, 9, 12));
	put(0, thread(34, 14));
	put(0, thread(0, 15));
	harvest(&r);
	number("known", process_known(34));
	r.box = r.still = true;
	put(0, thread(35, 16));
	harvest(&r);
	number("known", process_known(33) || process_known(34) || process_known(35));
}

/* A ring that stays in use gives its room back by and by. */
static void by_and_by(void)
{
	r.rings[0].head = r.rings[0].tail = 505;
	harvest_adopt(0, 505, 0);
	for (int i = 0; i < 7; i++)
		put(0, park(1, 1));
	put(0, of(CTP_START, 0, 9, 12));
	harvest_on_start(started);
	number("events", harvest(&r));
	number("tail", r.rings[0].tail);
}

/* Where memory is short, that of rings that nobody uses goes; their slots begin with a page here. */
static void saved(void)
{
	for (uint32_t i = 0; i < RINGS; i++) {
		own(i, 77);
		r.slots[i * SLOTS].addr = 5;
		put(i, park(10, 1));
	}
	harvest(&r);
	r.rings[0].owner |= CTP_RING_RETIRED;
	harvest(&r);
	number("kept", r.slots[0].timestamp == start + 10 && r.rings[0].owner == CTP_RING_FREE);
	harvest_save_memory(true);
	r.rings[1].owner |= CTP_RING_RETIRED;
	harvest(&r);
	number("gone", !r.slots[SLOTS].timestamp && r.rings[1].owner == CTP_RING_FREE);
	number("others", r.slots[0].timestamp && r.slots[2 * SLOTS].timestamp);
	r.box = true;
	r.rings[2].owner |= CTP_RING_RETIRED;
	harvest(&r);
	harvest_save_memory(false);
	r.box = false;
	r.rings[3].owner |= CTP_RING_RETIRED;
	harvest(&r);
	number("kept", r.slots[2 * SLOTS].timestamp && r.slots[3 * SLOTS].timestamp);
}

/* What the writers counted is told at the end. */
static void counted_at_the_end(void)
{
	r.h->unconnected = 3;
	r.h->lost_no_ring = 4;
	r.h->lost_no_station = 5;
	r.h->lost_no_string = 6;
	r.h->lost_no_stack = 7;
	harvest_end(&r);
	number("unconnected", totals.unconnected);
	number("no_ring", totals.no_ring);
	number("no_station", totals.no_station);
	number("no_string", totals.no_string);
	number("no_stack", totals.no_stack);
	number("lost", totals.lost);
	r.stacks = true;
	r.h->lost_no_ring = (1ull << 48) - 1;
	r.h->lost_no_station = 1ull << 48;
	totals.impossible = 2;
	totals.lost = 0;
	harvest_end(&r);
	number("no_stack", totals.no_stack);
	number("no_station", totals.no_station);
	number("lost", totals.lost);
}

static void claims(void)		/* more rings than there are */
{
	r.h->rings_used = 4000000;
	number("rings", harvest_rings(&r));
	r.h->rings_used = 2;
	put(1, park(10, 1));
	put(2, park(11, 1));
	number("events", harvest(&r));
	number("pending", harvest_pending(&r));
	r.h->rings_used = 3;
	number("pending", harvest_pending(&r));
}

/* ---- records that can and cannot be true ---- */

static void edges(void)
{
	struct ctp_event e;

#define TRY(change) e = of(CTP_SUSPEND, 1, 3, 10), e.change, put(0, e), harvest(&r)
	TRY(tid = 0xffffffff);
	TRY(tid = 1ull << 32);
	TRY(tid = 0);
	TRY(probe_id = 0);
	TRY(n = 0);
	TRY(kind = CTP_V1);
	TRY(kind = CTP_KINDS);
	TRY(kind = 255);
	TRY(is_active = 2);
	TRY(site = SITES);
	TRY(site = SITES - 1);			/* no site is there yet */
	TRY(arg_kind = CTP_ON_KINDS);
	TRY(arg_kind = CTP_ON_KINDS | CTP_ON_ANY);
	TRY(arg_kind = CTP_ON_JOIN | CTP_ON_ANY);
	TRY(arg_kind = CTP_ON_NONE);
	TRY(arg_kind = CTP_ON_ANY_OF);
	TRY(arg_kind = CTP_ON_ALL_OF);
	e = of(CTP_RESUME, 1, 4, 10), e.arg_kind = CTP_ON_ALL_OF, put(0, e), harvest(&r);
	e = park(11, 5), e.probe_id = 0, put(0, e), harvest(&r);
	e = of(CTP_WAKE, 1, 0, 12), put(0, e), harvest(&r);
	e = of(CTP_WAKE, 0, 0, 12), put(0, e), harvest(&r);
	e = of(CTP_WAKER_DROP, 0, 0, 12), put(0, e), harvest(&r);
	e = of(CTP_NAME, 0, 0, 12), put(0, e), harvest(&r);
	number("impossible", totals.impossible);
	number("unreadable", totals.unreadable);
	number("counted", totals.events);
}

static void string(uint32_t at, const char *text, uint32_t len)
{
	struct ctp_string *s = (struct ctp_string *)(void *)(r.strings + 8 * (size_t)at);

	memcpy(s->text, text, strlen(text));
	s->len = len;
}

static void texts(void)
{
	static const uint64_t numbers[] = { 1, 4, 0, STRINGS / 8 - 1, STRINGS / 8, 1ull << 61, 7, 8 };
	struct ctp_event e = of(CTP_NAME, 1, 0, 10);

	string(1, "a\"b", 4);
	string(4, "", 1);
	string(STRINGS / 8 - 1, "last", 5);
	string(7, "x", STRINGS - 7 * 8 - 4 + 2);	/* one more byte than there is */
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		e.arg = numbers[i];
		put(0, e);
		harvest(&r);
	}
	number("unreadable", totals.unreadable);
}

static void sites(void)
{
	struct ctp_event e = of(CTP_SUSPEND, 1, 1, 10);

	string(1, "f", 2);
	string(2, "f.c", 4);
	r.sites[1] = r.sites[3] = (struct ctp_site){ 1, 8, 1, 2 };
	r.sites[2] = (struct ctp_site){ 1, 9, 1, 2 };
	for (uint32_t site = 1; site < 5; site++) {
		e.site = site;
		e.n = site;
		put(0, e);
		harvest(&r);
	}
	number("unreadable", totals.unreadable);
	number("sites", totals.sites);
}

/* ---- stations ---- */

static void states(void)
{
	struct ctp_event e = of(CTP_SUSPEND, 1, 5, 10), gone = of(CTP_DESTROY, 0, 9, 11), old = of(CTP_RESUME, 3, 4, 12),
		later = of(CTP_SUSPEND, 3, 5, 13);

	station(0, e);
	station(1, gone);
	station(2, old);
	e = of(CTP_CREATE, 4, 1, 14);
	station(70, e);			/* behind a hole of nothing */
	own(0, 7);
	put(0, later);			/* the station did not get it any more */
	put(1, of(CTP_SUSPEND, 1, 4, 9));	/* older than the station, and of a ring that is free */
	own(2, 8);
	put(2, of(CTP_SUSPEND, 1, 4, 9));	/* older, not free */
	harvest(&r);
	number("states_of_all", stations_print(&r));
	number("states", totals.states);
	put(0, of(CTP_CREATE, 9, 1, 20));	/* has no station */
	harvest(&r);
	number("all", stations_print(&r));
}

/* Its thread died, but not before the station had it. */
static void born_last(void)
{
	station(0, of(CTP_CREATE, 4, 1, 14));
	own(0, 7);
	put(0, of(CTP_CREATE, 4, 1, 14));
	harvest(&r);
	number("all", stations_print(&r));
}

/* So did this one's, and its ring was found and handed back since. */
static void died_long_ago(void)
{
	station(0, of(CTP_RESUME, 1, 4, 9));
	put(1, of(CTP_SUSPEND, 1, 5, 10));
	harvest(&r);
	number("all", stations_print(&r));
}

static void half_written(void)
{
	struct ctp_event e = of(CTP_SUSPEND, 1, 5, 10);

	e.seq = 11;
	station(0, e);
	number("all", stations_print(&r));
	r.stations[0].probe_id = 0;
	r.stations[0].kind = 0;
	number("all", stations_print(&r));
	r.h->stations_used = STATIONS + 1;
	number("all", stations_print(&r));
	r.h->stations_used = STATIONS;
	number("all", stations_print(&r));
	totals.impossible++;
	number("all", stations_print(&r));
}

/* A station is written, and changes hands, while it is read: no copy is half of one and half of another. */
static struct ctp_event shared;
static _Atomic bool over;

static void write_one(struct ctp_event *s, uint64_t id, uint64_t n)
{
	ctp_store(&s->seq, 2 * n - 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	ctp_store(&s->timestamp, id << 8 | n);
	ctp_store(&s->addr, id << 8 | n);
	ctp_store(&s->probe_id, id);
	ctp_store(&s->arg, id << 8 | n);
	ctp_store_release(&s->seq, 2 * n);
}

static bool is_torn(const struct ctp_event *e)
{
	return e->timestamp != (e->probe_id << 8 | e->seq / 2) || e->addr != e->timestamp || e->arg != e->timestamp;
}

static void *write_station(void *arg)
{
	for (uint64_t id = 1; !over; id++)
		for (uint64_t n = 1; n < 4; n++)
			write_one(&shared, id, n);
	return arg;
}

static void torn_station(void)
{
	struct ctp_event e;
	uint64_t good = 0, torn = 0, until = clock_ns() + 60000000000, look = 0, met = 0, last = 0;
	pthread_t t;

	pthread_create(&t, NULL, write_station, NULL);
	/* on a busy machine it takes long until the two have met often */
	while (clock_ns() < until && (met < 300 || ++look < 2000000)) {
		if (!station_copy(&shared, &e))
			continue;
		good++;
		met += e.probe_id != last;
		last = e.probe_id;
		torn += is_torn(&e);
	}
	over = true;
	pthread_join(t, NULL);
	number("good", good > 0);
	number("torn", torn);
}

/* The same with no chance: the station lies across two pages, and when the reader first touches the second, all is written. */
static struct { struct ctp_event *at; char *second; uint64_t id, n, faults; } split;

static void on_fault(int sig)
{
	(void)sig;
	mprotect(split.second, 4096, PROT_READ | PROT_WRITE);
	write_one(split.at, split.id, split.n);
	split.faults++;
}

static void split_station(void)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t torn = 0, good = 0;
	struct ctp_event e;

	signal(SIGSEGV, on_fault);
	split.second = pages + 4096;
	for (size_t before = 8; before < sizeof e; before += 8)
		for (uint64_t id = 1; id < 3; id++)	/* the same coroutine's next event; the next one's, of the same number */
			for (uint64_t n = id == 1 ? 3 : 2; n < 4; n++) {
				split.at = (struct ctp_event *)(void *)(split.second - before);
				split.id = id;
				split.n = n;
				write_one(split.at, 1, 2);
				mprotect(split.second, 4096, PROT_NONE);
				if (station_copy(split.at, &e)) {
					good++;
					torn += is_torn(&e);
				}
			}
	number("torn", torn);
	number("faults", split.faults);
	number("good", good < split.faults);
}

#define STATE(id, n, seq, ts) CORO(id, "7", n, seq, "false", ts, ",\"ev\":\"state\",\"n\":" n)
#define STATES STATE("1", "5", "10", "10") STATE("3", "5", "10", "13") STATE("4", "1", "2", "14") SAYS("states_of_all", "1") SAYS("states", "3")

/* A hole of the file is not looked into: that would fill it. */
static void unwritten(void)
{
	station(150, of(CTP_SUSPEND, 9, 1, 10));
	number("all", stations_print(&r));
	number("hole", lseek(r.fd, (char *)r.stations - r.base, SEEK_DATA) == (char *)&r.stations[128] - r.base);
}

int main(void)
{
	char *got;
	uint64_t last = 0, count = 0;
	bool fell = false;

	prints(merged, PARK("5", "5") PARK("2", "10") PARK("2", "11") PARK("3", "30") PARK("1", "50") PARK("1", "60") PARK("1", "61")
		PARK("6", "70") PARK("5", "70") PARK("5", "70") PARK("5", "71") PARK("6", "80") PARK("1", "90") PARK("2", "95")
		SAYS("events", "14") SAYS("pending", "0"), "rings are merged by time");
	got = printed(many_merged);
	for (char *p = got; (p = strstr(p, "\"ts\":+")); count++) {
		uint64_t ts = strtoull(p += 6, NULL, 10);

		fell |= ts < last;
		last = ts;
	}
	ok(count == RINGS * SLOTS && !fell, "so are full ones, in any order: %llu", (unsigned long long)count);
	got = printed(held_back);
	ok(strstr(got, SAYS("seen", "1")) && !strstr(got, "too_soon"), "what is younger than the hold-back waits for the next cut");
	prints(far_ahead, PARK("2", "7") SAYS("events", "2") SAYS("impossible", "1") SAYS("pending", "1") SAYS("tail", "0"),
		"what comes from the far future cannot be true; what is a little ahead waits");
	prints(before_us, PARK("1", "9") SAYS("impossible", "1"), "nor can what is older than the recorder");
	got = printed(overrun);
	ok(strstr(got, SAYS("full", "16")) && strstr(got, PARK("2", "50") SAYS("one", "1") SAYS("impossible", "1") SAYS("tail", "33")) &&
		strstr(got, PARK("1", "60")), "a full ring is read; a head that cannot be is taken up where it stands");

	prints(late_drops, LOST("88", "5", "30", "40") SAYS("lost", "5"), "late drops are told once, of the thread whose they are");
	prints(told_drops, LOST("77", "3", "20", "40") LOST("77", "1", "40", "40") SAYS("impossible", "2") LOST("77", "2", "60", "70"),
		"drops that a ring tells are counted once, and no more than there were");
	prints(retired, PARK("77", "10") LOST("77", "2", "20", "21") PARK("88", "11") SAYS("free", "1") SAYS("kept", "1") SAYS("unread", "1")
		LOST("55", "1", "30", "30"), "a ring that was handed back is free once it is read, and its drops are its owner's");
	got = printed(taken_meanwhile);
	ok(strstr(got, SAYS("back", "0") SAYS("enough", "1")), "whoever takes a ring of a box as it is looked whether it is read to its end keeps his head");
	got = printed(still_image);
	ok(strstr(got, SAYS("events", "2")) && strstr(got, SAYS("kept", "1")), "an image is read to its end, and nothing is written to it");
	prints(reaped, SAYS("retired", "0") SAYS("retired", "1") SAYS("retired", "0") SAYS("retired", "1") SAYS("retired", "0") SAYS("retired", "1")
		SAYS("retired", "0") SAYS("retired", "1") SAYS("retired", "0"), "rings of threads that are gone are retired, no others");
	prints(box_drops, LOST("77", "5", "15", "20") LOST("77", "10", "25", "30") LOST("77", "5", "45", "50") LOST("77", "25", "55", "60")
		SAYS("impossible", "3") SAYS("lost", "45"), "a box's say how many there were ever: each is counted once");
	got = printed(forgotten);
	ok(strstr(got, SAYS("no_box", "0") SAYS("four", "1") SAYS("six", "0") LOST("7", "1", "10", "10") LOST("7", "1", "11", "11")) &&
		strstr(got, "\"ev\":\"wake\"") && strstr(got, "\"ev\":\"name\"") && strstr(got, "\"probe_id\":6") && strstr(got, SAYS("events", "8") SAYS("nobodys", "3")),
		"who was forgotten is not told of, and counted");
	got = printed(since);
	for (last = 0, count = 0; (got = strstr(got, "\"at\":")); count++, last += strtoull(got += 5, NULL, 10))
		fell |= strtoull(got + 5, NULL, 10) != (count < 20 ? (count + 1) / 2 : 10);
	ok(count == 20 && !fell, "the first event since a time");
	got = printed(since);
	ok(strstr(got, SAYS("from", "7") SAYS("behind", "10")), "of those that are looked at");
	got = printed(callers);
	ok(strstr(got, SAYS("started", "1")) && !strstr(got, SAYS("met", "33")) && strstr(got, SAYS("met", "34")) &&
		!strstr(got, SAYS("met", "0")) && strstr(got, SAYS("met", "35")) && !strstr(got, SAYS("known", "1")),
		"who wants to know is told of starts and processes, a box's, too");
	prints(by_and_by, PARK("1", "1") PARK("1", "1") PARK("1", "1") PARK("1", "1") PARK("1", "1") PARK("1", "1") PARK("1", "1")
		SAYS("started", "1") SAYS("handed_back", "512") "{\"ev\":\"start\",\"ts\":+12,\"tid\":7,\"pid\":9}\n" SAYS("events", "8") SAYS("tail", "513"),
		"a long run hands slots back on its way");
	got = printed(saved);
	ok(strstr(got, SAYS("kept", "1") SAYS("gone", "1") SAYS("others", "1") SAYS("kept", "1")), "memory of rings that are free goes where it is short");
	got = printed(counted_at_the_end);
	ok(strstr(got, SAYS("unconnected", "3") SAYS("no_ring", "4") SAYS("no_station", "5") SAYS("no_string", "6") SAYS("no_stack", "0") SAYS("lost", "4")) &&
		strstr(got, SAYS("no_stack", "7") SAYS("no_station", "0") SAYS("lost", "281474976710657")), "what found no place is told at the end");
	last = count = 0;
	fell = false;
	prints(claims, SAYS("rings", "6") PARK("1", "10") SAYS("events", "1") SAYS("pending", "0") SAYS("pending", "1"),
		"no more rings are read than there are, or were used");
	prints(edges, SUSPEND("4294967295", "") SUSPEND("7", "") SUSPEND("7", ",\"on\":\"join:\"") SUSPEND("7", "")
		SUSPEND("7", ",\"any_of\":0") SUSPEND("7", ",\"all_of\":0") PARK("5", "11")
		"{\"probe_id\":1,\"tid\":7,\"addr\":\"0x0000000000000000\",\"seq\":0,\"is_active\":false,\"ts\":+12,\"ev\":\"wake\"}\n"
		SAYS("impossible", "15") SAYS("unreadable", "1") SAYS("counted", "8"), "records at their limits");
	prints(texts, NAME("a\\\"b") NAME("") NAME("") NAME("last") NAME("") NAME("") NAME("") NAME("") SAYS("unreadable", "4"), "texts at their limits");
	prints(sites, SITE("1", "8") CORO("1", "7", "1", "2", "false", "10", ",\"ev\":\"suspend\",\"n\":1,\"site\":1")
		SITE("2", "9") CORO("1", "7", "2", "2", "false", "10", ",\"ev\":\"suspend\",\"n\":2,\"site\":2")
		CORO("1", "7", "3", "2", "false", "10", ",\"ev\":\"suspend\",\"n\":3,\"site\":1")
		CORO("1", "7", "4", "2", "false", "10", ",\"ev\":\"suspend\",\"n\":4") SAYS("unreadable", "1") SAYS("sites", "2"), "a site is told once, by whatever number it comes");
	got = strstr(printed(states), "{\"probe_id\":1,\"tid\":7,\"addr\":\"0x0000000000000010\",\"seq\":10");
	ok(got && !strncmp(got, STATES, sizeof STATES - 1) && strstr(got, SAYS("all", "0")), "states: of stations, or of the last event in a ring");
	got = printed(born_last);
	ok(strstr(got, "\"ev\":\"create\"") && strstr(got, STATE("4", "1", "2", "14") SAYS("all", "1")), "a birth that is a ring's last event and has its station");
	got = printed(died_long_ago);
	ok(strstr(got, STATE("1", "5", "10", "10") SAYS("all", "1")), "a dead thread's last event, whose ring was handed back");
	prints(half_written, SAYS("all", "0") SAYS("all", "1") SAYS("all", "0") SAYS("all", "1") SAYS("all", "0"),
		"half a station, or more of them than there are: not all");
	prints(unwritten, STATE("9", "1", "2", "10") SAYS("all", "1") SAYS("hole", "1"), "stations that were never written stay so");
	prints(torn_station, SAYS("good", "1") SAYS("torn", "0"), "a station that is written and changes hands meanwhile is never half of two");
	prints(split_station, SAYS("torn", "0") SAYS("faults", "21") SAYS("good", "1"), "nor where it is written in the midst of the reading");
	return done_testing();
}
