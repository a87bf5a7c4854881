/* boxes.c - a box, call by call (record/box), of a region whose writers this program plays: what a trace that begins in the middle
 * begins with, when it is taken over, when it hangs, and what a core holds of it.
 */
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include "../../record/complain.h"
#include "../../record/extra/process.h"
#include "../../record/extra/stack.h"
#include "../../record/harvest.h"
#include "../../record/site.h"
#include "../../record/stations.h"
#include "../../record/totals.h"
#define find core_find
#define take core_take
#include "../../record/box/core.c"
#undef find
#undef take
static bool looked(const struct ctp_event *, struct ctp_event *copy);
#define find states_find
#define station_copy looked
#include "../../record/box/states.c"
#undef find
#undef station_copy
#define follow watch_follow
#include "../../record/box/watch.c"
#undef follow
#undef SECOND
#include "../../record/box/attach.c"
#include "writers.h"

enum { RINGS = 5, SLOTS = 16, STATIONS = 1200, SITES = 8, STRINGS = 4096, CROWD = 600 };

static uint64_t part(uint64_t *at, uint64_t size)
{
	uint64_t off = *at;

	*at += (size + 4095) & ~4095ull;
	return off;
}

static struct ctp_header layout(void)
{
	struct ctp_header h = { .magic = CTP_MAGIC, .version = CTP_VERSION, .v2_magic = CTP2_MAGIC, .v2_minor = CTP2_MINOR_BOX };
	uint64_t at = 4096;

	h.ring_count = h.rings_used = RINGS;
	h.ring_slots = SLOTS;
	h.station_count = STATIONS;
	h.site_count = SITES;
	h.strings_size = STRINGS;
	h.rings_off = part(&at, RINGS * sizeof *r.rings);
	h.slots_off = part(&at, RINGS * SLOTS * sizeof *r.slots);
	h.stations_off = part(&at, STATIONS * sizeof *r.stations);
	h.births_off = part(&at, STATIONS * sizeof *r.births);
	h.sites_off = part(&at, SITES * sizeof *r.sites);
	h.strings_off = part(&at, STRINGS);
	h.file_size = at;
	return h;
}

/* start: a second ago, so that nothing is held back; of another pid namespace: nobody's /proc is looked at. */
static void begin(int out)
{
	struct ctp_header h = layout();

	start = clock_ns() - SECOND;
	h.birth_ticks = start;
	r.fd = memfd_create(CTP_BOX_NAME, MFD_CLOEXEC);
	if (ftruncate(r.fd, (off_t)h.file_size) || pwrite(r.fd, &h, sizeof h, 0) != sizeof h || !image_map(&r, r.fd, "the box"))
		exit(99);
	r.foreign = true;
	print_open(out, NULL, 0);
	site_init(&r);
	harvest_init(&r);
}

static struct ctp_event of(uint8_t kind, uint64_t id, uint32_t n, uint64_t ts)
{
	return (struct ctp_event){ .timestamp = start + ts, .tid = 7, .probe_id = id, .n = n, .seq = 2 * (uint64_t)n, .kind = kind,
		.is_active = kind == CTP_RESUME };
}

static void put(uint32_t ring, struct ctp_event e)
{
	r.slots[ring * SLOTS + r.rings[ring].head++ % SLOTS] = e;
}

static void station(uint32_t i, struct ctp_event e)
{
	r.stations[i] = e;
	if (r.h->stations_used <= i)
		r.h->stations_used = i + 1;
}

static void born(uint32_t i, uint64_t id, uint64_t ts, uint32_t name)
{
	r.births[i] = (struct ctp_birth){ .id = id, .ts = start + ts, .parent = 90, .name = name };
}

/* All but the newest `keep` of a ring are overwritten. */
static void wrapped(uint32_t ring, uint64_t keep)
{
	r.rings[ring].tail = r.rings[ring].head - keep;
	harvest_adopt(ring, r.rings[ring].tail, 0);
}

/* As printed(), and what is of now, a second later than `start`, is that. */
static char *said(void (*run)(void))
{
	char *text = printed(run), *to = text;

	for (const char *p = text; *p; ) {
		size_t digits = *p == '+' ? strspn(p + 1, "0123456789") : 0;

		if (digits > 9) {
			memcpy(to, "now", 3);
			to += 3;
			p += digits + 1;
		} else {
			*to++ = *p++;
		}
	}
	*to = '\0';
	return text;
}

static void says(void (*run)(void), const char *expected, const char *what)
{
	char *got = said(run);

	if (!ok(!strcmp(got, expected), "%s", what)) {
		for (char *line = strtok(got, "\n"); line; line = strtok(NULL, "\n"))
			printf("#  got: %s\n", line);
		printf("# want: %s\n", expected);
	}
}

#define SIX(id, tid, seq, ts) "{\"probe_id\":" id ",\"tid\":" tid ",\"addr\":\"0x0000000000000000\",\"seq\":" seq ",\"is_active\":false,\"ts\":" ts
#define BIRTH(id, ts) SIX(id, "0", "2", ts) ",\"ev\":\"create\",\"n\":1,\"parent\":90}\n"
#define NAME(id, ts) "{\"ev\":\"name\",\"ts\":" ts ",\"tid\":0,\"probe_id\":" id ",\"name\":\"conn\"}\n"
#define STATE(id, n, seq, ts) SIX(id, "7", seq, ts) ",\"ev\":\"state\",\"n\":" n "}\n"
#define ALIVE(id, ts) STATE(id, "3", "6", ts)
#define ATTACH(ts, live, states, history, before) "{\"ev\":\"attach\",\"ts\":" ts ",\"live\":" live ",\"states\":" states ",\"history\":" history \
	",\"before\":" before "}\n"
#define BEFORE(n, to) "{\"ev\":\"lost\",\"ts\":" to ",\"count\":" n ",\"from\":+0,\"to\":" to "}\n"

/* ---- states ---- */

static void string(uint32_t at, const char *text)
{
	struct ctp_string *s = (struct ctp_string *)(void *)(r.strings + 8 * (size_t)at);

	memcpy(s->text, text, strlen(text));
	s->len = (uint32_t)strlen(text) + 1;
}

/* Who lives: one of each kind of what rings and births still know of it. */
static void lives(void)
{
	string(1, "conn");
	station(0, of(CTP_SUSPEND, 1, 3, 70));		/* no ring has any of it */
	born(0, 1, 11, 1);
	station(1, of(CTP_SUSPEND, 2, 5, 60));		/* a ring has its last two events, after another's */
	born(1, 2, 12, 0);
	put(0, of(CTP_WAKE, 2, 0, 54));
	put(0, of(CTP_SUSPEND, 2, 5, 60));
	put(1, of(CTP_RESUME, 2, 4, 55));
	station(2, of(CTP_CREATE, 3, 1, 50));		/* a ring has its create */
	born(2, 3, 50, 0);
	put(1, of(CTP_CREATE, 3, 1, 50));
	station(3, of(CTP_CREATE, 4, 1, 13));		/* its create is overwritten, and it has not run */
	born(3, 4, 13, 0);
	station(4, of(CTP_CREATE, 5, 1, 14));		/* the same, without a birth */
	station(5, of(CTP_SUSPEND, 6, 9, 15));		/* the station's last owner's birth */
	born(5, 66, 1, 0);
	station(6, of(CTP_DESTROY, 7, 2, 16));		/* has ended, as the one behind */
	station(7, of(CTP_V1, 8, 2, 16));
	station(8, of(CTP_SUSPEND, 9, 2, 62));		/* a ring has only what others did to it */
	put(0, of(CTP_NAME, 9, 3, 61));
	station(10, of(CTP_RESUME, 12, 2, 52));		/* a ring has that */
	born(10, 12, 9, 0);
	put(1, of(CTP_RESUME, 12, 2, 52));
	station(9, of(CTP_SUSPEND, 10, 2, 17));
	r.stations[9].seq = 5;				/* half of it is written */
	station(STATIONS - 1, of(CTP_SUSPEND, 11, 2, 18));
	born(STATIONS - 1, 11, 2, 0);
}

#define LIVE BIRTH("4", "+13") STATE("5", "1", "2", "+14") STATE("6", "9", "18", "+15") BIRTH("11", "+2") STATE("11", "2", "4", "+18") \
	BIRTH("12", "+9") BIRTH("2", "+12") STATE("9", "2", "4", "+62") BIRTH("1", "+11") NAME("1", "+11") STATE("1", "3", "6", "+70")

static void dead(void)
{
	lives();
	r.still = true;
	states_print(&r);
}

static void living(void)
{
	lives();
	states_print(&r);
}

/* Who stands behind what is in use, or behind the table, is nobody. */
static void not_in_use(void)
{
	station(0, of(CTP_SUSPEND, 1, 3, 10));
	station(1, of(CTP_SUSPEND, 2, 3, 10));
	r.h->stations_used = 1;
	states_print(&r);
	for (uint32_t i = 0; i <= STATIONS; i++)
		r.stations[i] = of(CTP_DESTROY, 3, 3, 10);
	r.stations[STATIONS] = of(CTP_SUSPEND, 4, 3, 10);
	r.h->stations_used = STATIONS + 1;
	states_print(&r);
}

static void filled(const char *what)	/* since the last time */
{
	static uint64_t before;
	struct stat st;

	if (fstat(r.fd, &st) < 0)
		exit(99);
	if (what)
		number(what, ((uint64_t)st.st_blocks - before) * 512 / 4096);
	before = (uint64_t)st.st_blocks;
}

/* To read a hole of the file would fill it. */
static void holes(void)
{
	struct region got = { .fd = -1 };
	off_t stations = (off_t)layout().stations_off;

	station(0, of(CTP_SUSPEND, 1, 3, 10));
	station(130, of(CTP_SUSPEND, 2, 3, 11));
	station(STATIONS - 1, of(CTP_SUSPEND, 3, 3, 12));
	filled(0);
	states_print(&r);
	filled("pages");
	fallocate(r.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, stations + 64 * 192, (off_t)r.size - stations - 64 * 192);
	filled(0);
	states_print(&r);
	filled("pages");
	r.stations[0].kind = r.stations[130].kind = CTP_RESUME;
	number("any", any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }));
	filled("pages");
	number("copied", image_of_process(&got, r.fd, "it"));
	filled("pages");
}

/* More than the smallest table holds, and numbers that meet in it. */
static void crowd(void)
{
	for (uint32_t i = 0; i < CROWD; i++) {
		station(i, of(CTP_SUSPEND, 1 + 64 * (uint64_t)i, 3, CROWD - i));
		born(i, 1 + 64 * (uint64_t)i, i, 0);
	}
	for (uint32_t i = 0; i < RINGS * SLOTS; i++)
		put(i % RINGS, of(CTP_RESUME, 1 + 64 * (7 * (uint64_t)i), 2, i));
	r.still = true;
	states_print(&r);
}

static void overwritten_slot(void)	/* the slot at head is the oldest's, and may be written to */
{
	station(0, of(CTP_SUSPEND, 1, 3, 10));
	put(0, of(CTP_SUSPEND, 1, 3, 10));
	for (int i = 1; i < SLOTS; i++)
		put(0, of(CTP_PARK, 0, 0, 20));
	wrapped(0, 5);
	r.still = true;
	states_print(&r);
}

static void two_rings(void)	/* the first event of a coroutine that rings have, in whatever ring and order */
{
	station(0, of(CTP_SUSPEND, 1, 4, 40));
	born(0, 1, 10, 0);
	for (uint32_t n = 4; n; n--)
		put(n % 2, of(n == 1 ? CTP_CREATE : n % 2 ? CTP_SUSPEND : CTP_RESUME, 1, n, 10 * n));
	station(1, of(CTP_RESUME, 2, 2, 30));
	born(1, 2, 20, 0);
	put(2, of(CTP_DESTROY, 2, 3, 35));
	station(2, of(CTP_DESTROY, 2, 3, 35));		/* of the same number: whoever is the first */
	r.still = true;
	states_print(&r);
}

static void overwritten(void)
{
	for (uint32_t ring = 0; ring < RINGS; ring++)
		for (uint32_t i = 0; i < SLOTS; i++)
			put(ring, of(CTP_PARK, 0, 0, 100 * ring + i + 1));
	wrapped(0, 5);
	wrapped(1, 0);					/* nothing is left of it */
	wrapped(2, SLOTS);				/* nothing is lost */
	wrapped(3, 1);
	r.rings[3].tail = 1ull << 48;			/* cannot be */
	r.rings[4].head += 40;				/* its tail says it has more than there is room for */
	wrapped(4, SLOTS + 1);
	r.birth.birth_ticks = start;
}

static void dead_wrapped(void)
{
	overwritten();
	r.still = true;
	states_print(&r);
	number("last", states_last() - start);
	number("before", totals.before);
}

static void live_wrapped(void)
{
	overwritten();
	states_print(&r);
}

static void younger_box(void)	/* than what was lost in it, by its own word */
{
	put(0, of(CTP_PARK, 0, 0, 5));
	put(0, of(CTP_PARK, 0, 0, 6));
	wrapped(0, 1);
	r.birth.birth_ticks = start + 30;
	r.still = true;
	states_print(&r);
	number("last", states_last() - start);		/* nobody lives: not before it was made */
}

static void threads(void)
{
	string(1, "conn");
	r.rings[0].owner = CTP_OWNER(40, 77);
	r.rings[0].role = CTP_ROLE_WORKER;
	r.rings[0].name = 1;
	r.rings[1].owner = CTP_OWNER(40, 78) | CTP_RING_RETIRED;
	r.rings[2].owner = CTP_OWNER(40, 79);
	r.rings[3].owner = CTP_OWNER(40, 80);
	put(3, of(CTP_PARK, 0, 0, 5));
	r.rings[3].tail = 1;
	r.h->rings_used = 3;
	states_print(&r);
	print_end(start + 9, true, 0);
}

static void who(bool still, bool foreign)
{
	r.rings[0].owner = CTP_OWNER((uint32_t)getpid(), (uint32_t)getpid());
	r.still = still;
	r.birth.pid_ns = foreign;
	others_init(&r, 0, -1);
	states_print(&r);
	states_print(&r);
}

static void ours(void) { who(false, false); }
static void ours_dead(void) { who(true, false); }
static void theirs(void) { who(false, true); }

static void forgotten(void)	/* its probe was switched off, and on again */
{
	for (uint32_t i = 0; i < 4; i++)
		station(i, of(CTP_SUSPEND, i + 1, 2, i + 10));
	r.h->forget_ids = 2;
	r.still = true;
	states_print(&r);
}

static void again(void)
{
	uint64_t ticks;

	for (uint32_t i = 0; i < 8; i++)
		station(i, of(CTP_SUSPEND, i + 1, 3, i + 10));
	states_print(&r);
	number("again", 0);
	usleep(1000);
	ticks = clock_ticks();
	for (uint32_t i = 0; i < 8; i++)
		born(i, i + 1, ticks + i + 1 - start, 0);
	station(0, of(CTP_SUSPEND, 1, 2, 10));
	r.births[0].site = CTP_BIRTH_UNSEEN;		/* later than what was printed, its create dropped: both */
	r.births[1].site = 0;				/* its create is printed */
	r.births[1].ts += 100;
	r.births[2].site = CTP_BIRTH_UNSEEN;
	r.births[2].ts = start + 5;			/* older: it was there */
	r.births[3].site = CTP_BIRTH_UNSEEN;
	station(3, of(CTP_CREATE, 4, 1, 13));		/* has done nothing else */
	put(0, of(CTP_RESUME, 5, 2, 40));		/* a ring has it, but its create */
	r.births[4].site = CTP_BIRTH_UNSEEN;
	station(5, of(CTP_SUSPEND, 6, 3, 1));
	put(1, of(CTP_RESUME, 6, 4, 50));
	wrapped(1, 0);					/* printed, and its station, the oldest, is behind */
	put(2, of(CTP_WAKE, 3, 9, 50));
	wrapped(2, 0);
	put(3, of(CTP_DESTROY, 7, 4, 50));
	wrapped(3, 0);
	put(4, of(CTP_SUSPEND, 99, 4, 50));		/* of nobody who lives */
	wrapped(4, 0);
	r.births[7].site = CTP_BIRTH_UNSEEN;
	put(0, of(CTP_CREATE, 8, 1, 60));		/* a ring has its create */
	states_again(&r, ticks);
	number("once", 0);
	r.births[1].site = CTP_BIRTH_UNSEEN;		/* another's now, later than all that were printed */
	r.births[1].ts -= 50;
	station(5, of(CTP_SUSPEND, 6, 5, 60));		/* and now it is not behind */
	r.h->stations_used = 6;
	states_again(&r, ticks);			/* no birth is printed twice */
	r.still = true;
	number("still", 0);
	states_again(&r, ticks);
}

/* Of rings that are used, the first as well; what was printed and reached its station is. */
static void missed_in_the_first(void)
{
	r.h->rings_used = 1;
	station(0, of(CTP_SUSPEND, 6, 3, 1));
	station(1, of(CTP_SUSPEND, 7, 3, 2));
	put(0, of(CTP_RESUME, 6, 4, 50));
	put(1, of(CTP_RESUME, 7, 4, 50));
	wrapped(0, 0);
	wrapped(1, 0);
	states_again(&r, clock_ticks());
	number("reached", 0);
	station(0, of(CTP_SUSPEND, 6, 4, 50));
	r.h->stations_used = 1;
	states_again(&r, clock_ticks());
}

/* A station that is written for ever is given up; one whose writer is at work is waited for. */
static unsigned looks, settles_at;

static bool looked(const struct ctp_event *s, struct ctp_event *copy)
{
	if (++looks == settles_at)
		r.stations[0].seq = 6;
	return station_copy(s, copy);
}

static void at_work(void)
{
	static const struct { unsigned settles_at; bool still; uint64_t id; } tries[] = { { 1000, false, 1 }, { 1001, false, 1 }, { 1, true, 1 },
		{ 2, true, 1 }, { 2, false, 0 } };

	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
		station(0, of(CTP_SUSPEND, tries[i].id, 3, 10));
		r.stations[0].seq = 5;
		settles_at = tries[i].settles_at;
		r.still = tries[i].still;
		looks = 0;
		states_print(&r);
		number("looks", looks);
	}
}

/* ---- taken over ---- */

static void tails(void)
{
	for (uint32_t i = 0; i < RINGS; i++)
		number("tail", r.rings[i].tail), number("adopted", harvest_tail(i));
	number("session", r.h->session);
	number("reader", r.h->reader_pid == (uint32_t)getpid());
}

static void taken_over(void)
{
	static const uint64_t heads[RINGS] = { 100, 120, 16, 13, 40 }, limits[RINGS] = { 112, 140, 16, 17, 40 };

	for (uint32_t ring = 0; ring < RINGS; ring++)
		for (uint64_t i = 0; i < heads[ring]; i++)
			put(ring, of(CTP_PARK, 0, 0, i + 1));
	for (uint32_t ring = 0; ring < RINGS; ring++)
		r.rings[ring].limit = limits[ring];
	r.rings[0].tail = 3;				/* of the recorder before */
	r.rings[4].tail = 30;
	r.h->rings_used = RINGS - 1;			/* the last is being claimed */
	r.h->session = 4;
	session_begin(&r);
	tails();
	r.h->forget_ticks = start + 99;
	session_begin(&r);				/* who was here before us was killed */
	number("forgotten", harvest_tail(0));
	number("session", r.h->session);
}

static void left_over(void)
{
	static const uint32_t leaves[] = { CTP_STAY, CTP_LEAVE, CTP_LEFT, CTP_KEPT };

	for (int late = 0; late < 2; late++)
		for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
			r.birth.born_late = (uint32_t)late;
			r.h->leave = leaves[i];
			number("left", was_left(&r));
			number("leave", r.h->leave);
			session_end(&r);
			number("then", r.h->leave);
		}
	number("session", r.h->session);
}

static void seconds(void)
{
	uint64_t printed = start, seen = 0, now = start;
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	r.rings[0].owner = CTP_OWNER((uint32_t)child, (uint32_t)child);
	for (int i = 0; i < 2; i++, now += SECOND / 2)		/* the first looks, the second is too soon */
		number("on", each_second(&r, getpid(), now, &printed, &seen)), number("seen", seen == start);
	number("kept", r.rings[0].owner >> 63);			/* of another namespace */
	r.foreign = false;
	number("on", each_second(&r, getpid(), now, &printed, &seen));
	number("seen", seen == now && printed == now);
	number("retired", r.rings[0].owner >> 63);
	munmap(r.base, r.size);					/* as exec does */
	number("on", each_second(&r, getpid(), now + SECOND - 1, &printed, &seen));
	r.foreign = true;
	number("on", each_second(&r, getpid(), now + SECOND, &printed, &seen));
	number("seen", seen == now && printed == now + SECOND);
}

static void finished(void)	/* who has dropped events since the last look, and whether it ended */
{
	station(0, of(CTP_SUSPEND, 1, 3, 10));
	r.rings[0].owner = CTP_OWNER(40, 77);
	finish(&r, 55, false, start + 3);
	put(0, of(CTP_PARK, 0, 0, 20));
	r.rings[0].dropped = 5;
	r.rings[0].drop_first = start + 30;
	r.rings[0].drop_last = start + 40;
	finish(&r, 55, true, start + 3);
}

static void not_executed(void)	/* a process that never had the box, and one that is gone with it */
{
	uint64_t printed = clock_ns(), seen = 0;
	pid_t child = fork();
	struct stat st;

	if (!child) {
		munmap(r.base, r.size);
		pause();
	}
	fstat(r.fd, &st);
	while (!process_unmapped(child, st.st_ino))
		usleep(1000);
	for (int i = 1; i < 4; i++)
		number("on", each_second(&r, child, printed + (uint64_t)i * SECOND, &printed, &seen));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	seen = 0;
	number("on", each_second(&r, child, printed + SECOND, &printed, &seen));
	number("seen", seen);
}

static void *ring_bell(void *arg)
{
	while (!ctp_load(&r.h->tracer_sleeping))
		usleep(100);
	ctp_store(&r.h->tracer_sleeping, 0);
	syscall(SYS_futex, &r.h->tracer_sleeping, FUTEX_WAKE, 1, NULL, NULL, 0);
	return arg;
}

static void asleep(void)
{
	uint64_t before = clock_ns();
	pthread_t t;

	sleep_until_rung(&r, SECOND / 5);
	number("slept", clock_ns() - before >= SECOND / 5 || syscall(SYS_membarrier, 1 << 1, 0, 0) < 0);
	number("sleeping", r.h->tracer_sleeping);
	put(0, of(CTP_PARK, 0, 0, 1));
	before = clock_ns();
	sleep_until_rung(&r, 500ull * SECOND);		/* there is something to read */
	harvest(&r);
	pthread_create(&t, NULL, ring_bell, NULL);
	sleep_until_rung(&r, 500ull * SECOND);
	pthread_join(t, NULL);
	stop = 1;
	sleep_until_rung(&r, 500ull * SECOND);		/* we are to end */
	number("in_time", clock_ns() - before < 400ull * SECOND);
	number("sleeping", r.h->tracer_sleeping);
}

/* ---- hung ---- */

static void last(void)
{
	put(0, of(CTP_PARK, 0, 0, 1));
	number("parks", last_own(&r, 0));
	put(1, of(CTP_SUSPEND, 1, 3, 20));
	put(1, of(CTP_PARK, 0, 0, 30));
	put(1, of(CTP_UNPARK, 0, 0, 40));
	number("own", last_own(&r, 1) - start);
	for (int i = 0; i < SLOTS; i++)
		put(2, of(CTP_WAKE, 1, 0, 50 + (uint64_t)i));
	for (int i = 1; i < SLOTS; i++)
		put(2, of(CTP_PARK, 0, 0, 90));
	number("oldest_may_be_written", last_own(&r, 2));
	r.rings[2].head--;
	number("second", last_own(&r, 2) - start);
	r.rings[1].head = 5000 * SLOTS + 3;
	number("far", last_own(&r, 1) - start);
	number("none", last_own(&r, 3));
}

static void waits(void)
{
	number("none", any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }));
	station(0, of(CTP_RESUME, 1, 2, 10));
	station(1, of(CTP_DESTROY, 2, 2, 10));
	number("runs", any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }));
	station(STATIONS - 1, of(CTP_SUSPEND, 3, 2, 10));
	number("last", any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }));
	r.h->stations_used = STATIONS - 1;
	number("not_in_use", any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }));
	r.stations[STATIONS - 1].probe_id = 0;
	r.h->stations_used = STATIONS + 1;
	number("hostile", any_waits(&r, UINT64_MAX, &(uint64_t){ 0 }));
}

static void idled(void)
{
	uint64_t ns = 0;

	put(0, of(CTP_SUSPEND, 1, 3, 20));
	number("nobody_waits", idle_ns(&r));
	station(0, of(CTP_SUSPEND, 1, 3, 20));
	put(1, of(CTP_RESUME, 2, 2, 500));
	put(2, of(CTP_RESUME, 2, 3, 60ull * SECOND));	/* from the future */
	for (int i = 0; i < 99; i++) {
		seen_alive = clock_ns();
		ns = idle_ns(&r);
		ns = clock_ns() - start - ns;		/* since then, and what it took to ask */
		if (ns < SECOND / 2)
			break;
	}
	number("since", ns >= 500 && ns < SECOND / 2);
	r.rings[0].head = r.rings[1].head = 0;
	number("its_station", idle_ns(&r) >= ns);
}

static unsigned files(const char *name)
{
	char path[64];
	unsigned n = 0;

	for (int i = 1; i < 9; i++) {
		snprintf(path, sizeof path, "%s-%ld-%d.jsonl", name, (long)getpid(), i);
		n += access(path, R_OK) == 0;
	}
	return n;
}

static void hung(void)
{
	static char *command[] = { "app", NULL };
	struct options o = { .on = ON_CRASH, .hang_ns = 100ull * SECOND, .directory = ".", .last_ns = 60ull * SECOND, .command = command };
	char dir[] = "/tmp/corotrace-hang-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir))
		exit(99);
	start -= 200ull * SECOND;
	put(0, of(CTP_SUSPEND, 1, 3, 20));
	station(0, of(CTP_SUSPEND, 1, 3, 20));
#define LOOK(what) (seen_alive = clock_ns(), look(&r, &o, getpid()), report_wait(true), number(what, files("hang") + 10 * files("asked")))
	LOOK("not_asked_for");
	o.on |= ON_HANG;
	LOOK("once");
	LOOK("no_more");
	put(0, of(CTP_SUSPEND, 1, 4, clock_ns() - start));
	LOOK("moved");
	o.hang_ns = 1;
	LOOK("again");
	asked = 1;
	LOOK("asked");
	LOOK("once_asked");
	number("made", directory("new") && directory("new"));
	fclose(fopen("file", "w"));
	number("no_directory", directory("file") || directory("file/new"));
	if (chdir("/"))
		exit(99);
	snprintf(r.dir, sizeof r.dir, "rm -r %s", dir);
	number("left", system(r.dir) != 0);
}

static void ends(void)
{
	static const struct { int status, on; const char *is; } all[] = {
		{ 0, ON_EXIT, NULL }, { 3 << 8, ON_EXIT, "exit" }, { 0, ON_CRASH | ON_SIGNAL | ON_HANG, NULL },
		{ SIGSEGV, ON_CRASH, "crash" }, { SIGBUS, ON_CRASH, "crash" }, { SIGILL, ON_CRASH, "crash" }, { SIGFPE, ON_CRASH, "crash" },
		{ SIGABRT, ON_CRASH, "crash" }, { SIGTRAP, ON_CRASH, "crash" }, { SIGSYS, ON_CRASH, "crash" },
		{ SIGSEGV, ON_EXIT | ON_SIGNAL | ON_HANG, NULL }, { SIGSYS, ON_SIGNAL, NULL },
		{ SIGTERM, ON_SIGNAL, "signal" }, { SIGKILL, ON_SIGNAL, "signal" }, { SIGTERM, ON_CRASH | ON_EXIT | ON_HANG, NULL },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct options o = { .on = all[i].on };
		const char *is = end_is(&o, all[i].status);

		ok(is == all[i].is || (is && all[i].is && !strcmp(is, all[i].is)), "status %#x, asked for %d: %s", (unsigned)all[i].status,
			all[i].on, is ? is : "nothing");
	}
}

/* ---- cores ---- */

enum { PART = 8192, BEHIND = 4096 };			/* the box begins in the second segment, and ends in the fourth */
static struct core {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[5];
	Elf64_Shdr sh;
} core;

static void segment(int i, uint64_t from, uint64_t size, uint64_t offset)
{
	core.ph[i] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = 0x700000000000 + from, .p_filesz = size, .p_memsz = size, .p_offset = offset };
}

/* Of a box in which one coroutine waits; what stands in no segment was never written to. */
static void make_core(void)
{
	uint64_t stations = layout().stations_off;

	station(0, of(CTP_SUSPEND, 1, 3, 70));
	put(RINGS - 1, of(CTP_PARK, 0, 0, 80));
	memset(&core, 0, sizeof core);
	memcpy(core.eh.e_ident, ELFMAG, SELFMAG);
	core.eh.e_ident[EI_CLASS] = ELFCLASS64;
	core.eh.e_type = ET_CORE;
	core.eh.e_phentsize = sizeof *core.ph;
	core.eh.e_phoff = offsetof(struct core, ph);
	core.eh.e_shoff = offsetof(struct core, sh);
	core.eh.e_phnum = 5;
	core.ph[0].p_type = PT_NOTE;
	segment(1, 0, PART, 4096);
	segment(2, PART, stations - PART, 4096 + PART);
	segment(3, stations, 4096 + BEHIND, 4096 + stations);	/* more than the box: its births are not in the core */
	segment(4, 1ull << 40, PART, 0);			/* another's */
	core.ph[3].p_filesz = 4096;
}

static void read_core(const char *what)
{
	char path[64];
	int fd = memfd_create("core", 0);
	struct region got = { .fd = -1 };
	struct ctp_header h = layout();
	bool ok;

	if (pwrite(fd, &core, sizeof core, 0) != sizeof core || ftruncate(fd, 4096 + (off_t)h.stations_off + 4096) ||
		pwrite(fd, r.base, 4096, 4096) != 4096 || pwrite(fd, r.base + h.rings_off, 4096, 4096 + (off_t)h.rings_off) != 4096 ||
		pwrite(fd, r.base + h.slots_off, 8192, 4096 + (off_t)h.slots_off) != 8192 ||
		pwrite(fd, r.base + h.stations_off, 4096, 4096 + (off_t)h.stations_off) != 4096)
		exit(99);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ok = image_of_file(&got, path);
	number(what, ok);
	if (ok)
		number("whole", got.still && got.size == h.file_size && !memcmp(got.base, r.base, h.births_off) &&
			got.births[0].id == 0 && got.rings == (void *)(got.base + h.rings_off));
	print_flush();
	close(fd);
}

#define CORE(what, change) (make_core(), change, read_core(what))

static void cores(void)
{
	int null = open("/dev/null", O_WRONLY);

	if (dup2(null, 2) < 0)
		exit(99);
	CORE("as_it_is", (void)0);
	CORE("of_32_bits", core.eh.e_ident[EI_CLASS] = ELFCLASS32);
	CORE("a_program", core.eh.e_type = ET_EXEC);
	CORE("other_headers", core.eh.e_phentsize++);
	CORE("no_headers", core.eh.e_phnum = 0);
	CORE("headers_behind_its_end", core.eh.e_phoff = 1 << 20);
	CORE("many", (core.eh.e_phnum = PN_XNUM, core.sh.sh_info = 5));
	CORE("many_it_says", (core.eh.e_phnum = PN_XNUM, core.sh.sh_info = SEGMENTS + 1));
	CORE("many_nowhere", (core.eh.e_phnum = PN_XNUM, core.sh.sh_info = 5, core.eh.e_shoff = 1 << 20));
	CORE("two_of_them", core.eh.e_phnum = 2);		/* the rest of the box was never written to */
	CORE("without_a_box", r.h->magic++);
	r.h->magic--;
	CORE("without_version_2", r.h->v2_magic++);
	r.h->v2_magic--;
	CORE("of_another_minor", r.h->v2_minor++);
	r.h->v2_minor--;
	CORE("no_sense", r.h->ring_slots++);
	r.h->ring_slots--;
	CORE("too_large", r.h->file_size = (1ull << 40) + 1);
	r.h->file_size = layout().file_size;
	CORE("no_load", core.ph[1].p_type = PT_NOTE);
	CORE("of_the_header_only", core.ph[1].p_filesz = sizeof(struct ctp_header));
	CORE("not_even_that", core.ph[1].p_filesz = sizeof(struct ctp_header) - 1);
	CORE("cut", core.ph[3].p_filesz++);			/* by one byte */
	CORE("cut_elsewhere", core.ph[4].p_filesz = 1 << 30);
	CORE("an_empty_segment", (core.ph[3].p_filesz = 0, core.ph[3].p_offset = 1 << 30));
}

/* image_check(): one table or size at a time that cannot be. */
static void tables(void)
{
	struct ctp_header good = layout(), h;
	uint64_t size = good.file_size;

#define SIZES(what, change) (h = good, change, number(what, image_check(&h, size, "it")))
	SIZES("good", (void)0);
	size--;
	SIZES("cut", (void)0);
	size = sizeof h - 1;
	SIZES("no_header", h.file_size = 0);
	size = 1ull << 50;
	SIZES("a_longer_file", (void)0);
	SIZES("ring_slots", h.ring_slots = 8);
	SIZES("few_slots", h.ring_slots = 4);
	SIZES("odd_slots", h.ring_slots = 24);
	SIZES("many_slots", (h.ring_count = 1, h.file_size = 1ull << 40, h.ring_slots = 1u << 24));
	SIZES("too_many_slots", (h.ring_count = 1, h.file_size = 1ull << 40, h.ring_slots = 1u << 25));
	SIZES("no_rings", h.ring_count = 0);
	SIZES("many_rings", (h.file_size = 1ull << 40, h.ring_count = 65536));
	SIZES("too_many_rings", (h.file_size = 1ull << 40, h.ring_count = 65537));
	SIZES("no_stations", h.station_count = 0);
	SIZES("many_stations", (h.file_size = 1ull << 40, h.station_count = 1u << 24));
	SIZES("too_many_stations", (h.file_size = 1ull << 40, h.station_count = (1u << 24) + 1));
	SIZES("no_sites", h.site_count = 0);
	SIZES("many_sites", (h.file_size = 1ull << 40, h.site_count = 1u << 20));
	SIZES("too_many_sites", (h.file_size = 1ull << 40, h.site_count = (1u << 20) + 1));
	SIZES("no_strings", h.strings_size = sizeof(struct ctp_string) - 1);
	SIZES("one_string", h.strings_size = sizeof(struct ctp_string));
	SIZES("behind_the_header", h.sites_off = sizeof h);
#define TABLE(off, end) \
	(SIZES("in_the_header", h.off = sizeof h - 64), SIZES("uneven", h.off += 8), SIZES("to_the_end", h.off = h.file_size - (end)), \
	SIZES("over_it", h.off = h.file_size - (end) + 64), SIZES("behind_it", h.off = h.file_size + 64))
	TABLE(rings_off, RINGS * sizeof *r.rings);
	TABLE(slots_off, RINGS * SLOTS * sizeof *r.slots);
	TABLE(stations_off, STATIONS * sizeof *r.stations);
	TABLE(births_off, (STATIONS * sizeof *r.births + 63) / 64 * 64);
	TABLE(sites_off, SITES * sizeof *r.sites);
	TABLE(strings_off, STRINGS);
}

/* A copy of a box that goes on: what is whole of each ring, each page that was written. */
static void copied(void)
{
	struct region got = { .fd = -1 };

	lives();
	r.rings[1].limit = 99;
	r.rings[RINGS - 1].head = 7;
	r.h->rings_used = RINGS - 1;
	r.sites[1].line = 8;
	number("ok", image_of_process(&got, r.fd, "it"));
	number("still", got.still && got.fd == -1 && got.box);
	number("stations", got.h->stations_used);
	for (uint32_t i = 0, n = 0; i < STATIONS; i++) {
		n += !memcmp(&got.stations[i], &r.stations[i], sizeof *r.stations);
		if (i == STATIONS - 1)
			number("same", n);
	}
	number("head", got.rings[1].head), number("limit", got.rings[1].limit), number("not_in_use", got.rings[RINGS - 1].head);
	number("slots", !memcmp(got.slots, r.slots, (RINGS - 1) * SLOTS * sizeof *r.slots));
	number("births", !memcmp(got.births, r.births, STATIONS * sizeof *r.births));
	number("texts", !memcmp(got.strings, r.strings, STRINGS) && !memcmp(got.sites, r.sites, SITES * sizeof *r.sites));
	number("no_box", image_of_process(&got, open("/dev/null", O_RDONLY), "it"));
}

static void messages(void)	/* of what is no core and no box */
{
	static const char *const paths[] = { "/nonexistent", "/dev/null", "/etc/hostname" };
	struct region got = { .fd = -1 };
	int fd = memfd_create("err", MFD_CLOEXEC);
	char text[512];

	if (dup2(fd, 2) < 0)
		exit(99);
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		number("ok", image_of_file(&got, paths[i]));
	text[pread(fd, text, sizeof text - 1, 0)] = '\0';
	number("said", strcmp(text, "ct-record: /nonexistent: No such file or directory\n"
		"ct-record: /dev/null: not a regular file: neither a box nor a core\n"
		"ct-record: /etc/hostname: neither a box nor a core\n") == 0);
}

#define TAILS(a, b, c, d, e) SAYS("tail", a) SAYS("adopted", a) SAYS("tail", b) SAYS("adopted", b) SAYS("tail", c) SAYS("adopted", c) \
	SAYS("tail", d) SAYS("adopted", d) SAYS("tail", e) SAYS("adopted", e)
#define LEAVES(left, leave, then) SAYS("left", left) SAYS("leave", leave) SAYS("then", then)
#define PLACES SAYS("in_the_header", "0") SAYS("uneven", "0") SAYS("to_the_end", "1") SAYS("over_it", "0") SAYS("behind_it", "0")
#define SYNC(ts) "{\"ev\":\"sync\",\"ts\":" ts "}\n"
#define READ(what, whole) SAYS(what, "1") SAYS("whole", whole)
#define REFUSED(what) SAYS(what, "0")

static void of_states(void)
{
	char *got;
	size_t n;

	says(dead, LIVE ATTACH("+70", "9", "5", "6", "0"), "who lives: births where no create is, states where no event is, in the order of time");
	says(living, LIVE ATTACH("now", "9", "5", "6", "0"), "the same of a process that lives");
	says(not_in_use, STATE("1", "3", "6", "+10") ATTACH("now", "1", "1", "0", "0") ATTACH("now", "0", "0", "0", "0"), "of stations that are in use");
	/* but the rings' page, and those of births that are looked for */
	says(holes, STATE("1", "3", "6", "+10") STATE("2", "3", "6", "+11") STATE("3", "3", "6", "+12") ATTACH("now", "3", "3", "0", "0") SAYS("pages", "4")
		STATE("1", "3", "6", "+10") STATE("2", "3", "6", "+11") ATTACH("now", "2", "2", "0", "0") SAYS("pages", "2") SAYS("any", "0") SAYS("pages", "0")
		SAYS("copied", "1") SAYS("pages", "0"), "holes among the stations stay holes");
	got = said(crowd);
	n = 0;
	for (char *p = got; (p = strstr(p, "\"ev\":\"create\",\"n\":1")); p++)
		n++;
	ok(n == CROWD && strstr(got, ATTACH("+600", "600", "520", "80", "0")), "600 of them: %zu births", n);
	says(overwritten_slot, BEFORE("11", "+20") STATE("1", "3", "6", "+10") ATTACH("+20", "1", "1", "5", "11"), "nothing is read behind what is whole");
	says(two_rings, BIRTH("2", "+20") ATTACH("+40", "2", "0", "5", "0"), "whose events rings have, from whatever number on, has no state");
	says(dead_wrapped, BEFORE("11", "+12") BEFORE("16", "+316") BEFORE("39", "+408") ATTACH("+316", "0", "0", "22", "66")
		SAYS("last", "316") SAYS("before", "66"), "what rings have overwritten is one loss each, up to their oldest event or the end");
	says(live_wrapped, BEFORE("11", "+12") "{\"ev\":\"lost\",\"ts\":now,\"count\":16,\"from\":+0,\"to\":now}\n" BEFORE("39", "+408")
		ATTACH("now", "0", "0", "22", "66"), "the same where the end is now");
	says(younger_box, "{\"ev\":\"lost\",\"ts\":+6,\"count\":1,\"from\":+6,\"to\":+6}\n" ATTACH("+30", "0", "0", "1", "1") SAYS("last", "30"),
		"a loss does not begin behind its end");
	says(threads, "{\"ev\":\"thread\",\"ts\":now,\"tid\":77,\"pid\":40,\"name\":\"conn\",\"role\":\"worker\"}\n"
		"{\"ev\":\"thread\",\"ts\":now,\"tid\":79,\"pid\":40,\"name\":\"\",\"role\":\"other\"}\n" ATTACH("now", "0", "0", "0", "0")
		"{\"ev\":\"end\",\"ts\":+9,\"events\":0,\"lost\":0,\"live\":0,\"lines\":{\"thread\":2}}\n",
		"threads that have rings, not those that ended");
	got = said(ours);
	ok((got = strstr(got, "\"ev\":\"process\"")) && !strstr(got + 1, "\"ev\":\"process\"") && strstr(got, "\"ev\":\"map\"") &&
		strstr(got, "\"ev\":\"thread\""), "and their processes, once");
	got = said(ours_dead);
	ok(!strstr(got, "\"ev\":\"process\"") && strstr(got, "\"ev\":\"thread\""), "but of an image");
	got = said(theirs);
	ok(!strstr(got, "\"ev\":\"process\"") && strstr(got, "\"ev\":\"thread\""), "nor of another namespace");
	says(forgotten, STATE("3", "2", "4", "+12") STATE("4", "2", "4", "+13") ATTACH("+13", "2", "2", "0", "0"), "who is from before a pause is not there");
	says(again, ALIVE("1", "+10") ALIVE("2", "+11") ALIVE("3", "+12") ALIVE("4", "+13") ALIVE("5", "+14") ALIVE("6", "+15") ALIVE("7", "+16") ALIVE("8", "+17")
		ATTACH("now", "8", "8", "0", "0") SAYS("again", "0") BIRTH("1", "now") STATE("1", "2", "4", "+10") ALIVE("2", "+11") ALIVE("3", "+12")
		BIRTH("4", "now") BIRTH("5", "now") SAYS("once", "0") STATE("1", "2", "4", "+10") BIRTH("2", "now") ALIVE("2", "+11") ALIVE("3", "+12")
		STATE("4", "1", "2", "+13") STATE("6", "5", "10", "+60") SAYS("still", "0"),
		"behind a pause: whose create was dropped is born, once; whose last event rings have needs no state");
	says(missed_in_the_first, STATE("7", "3", "6", "+2") SAYS("reached", "0") STATE("6", "4", "8", "+50"), "again, of the rings that are used");
	says(at_work, STATE("1", "3", "6", "+10") ATTACH("now", "1", "1", "0", "0") SAYS("looks", "1000") ATTACH("now", "0", "0", "0", "0")
		SAYS("looks", "1000") STATE("1", "3", "6", "+10") ATTACH("+10", "1", "1", "0", "0") SAYS("looks", "1") ATTACH("+0", "0", "0", "0", "0")
		SAYS("looks", "1") ATTACH("now", "0", "0", "0", "0") SAYS("looks", "1"), "a station that is being written is waited for, a while");
}

static void of_sessions(void)
{
	says(taken_over, TAILS("98", "120", "2", "3", "24") SAYS("session", "5") SAYS("reader", "1") SAYS("forgotten", "98") SAYS("session", "7"),
		"tails at takeover: an eighth of room, never above head, never lowered, of rings in use or about to be; a session is odd");
	says(left_over, LEAVES("0", "0", "0") LEAVES("0", "0", "0") LEAVES("1", "2", "2") LEAVES("0", "3", "3") LEAVES("0", "0", "1") LEAVES("0", "0", "1")
		LEAVES("1", "2", "2") LEAVES("0", "3", "3") SAYS("session", "8"), "who asked for a box asks that it be left, once; who left is known");
	says(seconds, SAYS("on", "1") SAYS("seen", "1") SAYS("on", "1") SAYS("seen", "1") SAYS("kept", "0") SYNC("+999900000") SAYS("on", "1")
		SAYS("seen", "1") SAYS("retired", "1") SAYS("on", "1") SYNC("now") SAYS("on", "0") SAYS("seen", "1"),
		"each second: who lives, whose threads, is the box still in its memory");
	says(not_executed, SYNC("now") SAYS("on", "1") SYNC("now") SAYS("on", "1") SYNC("now") SAYS("on", "1") SYNC("now") SAYS("on", "1") SAYS("seen", "0"),
		"who was never seen with the box has executed nothing");
	says(finished, "{\"ev\":\"end\",\"ts\":now,\"events\":0,\"lost\":0}\n{\"ev\":\"park\",\"ts\":+20,\"tid\":7,\"depth\":0}\n"
		"{\"ev\":\"lost\",\"ts\":+40,\"tid\":77,\"count\":5,\"from\":+30,\"to\":+40}\n" STATE("1", "3", "6", "+10")
		"{\"ev\":\"exit\",\"ts\":now,\"pid\":55,\"alive\":+3}\n"
		"{\"ev\":\"end\",\"ts\":now,\"events\":1,\"lost\":5,\"live\":1,\"lines\":{\"park\":1}}\n", "at its end: what was dropped, who lives");
	says(asleep, SAYS("slept", "1") SAYS("sleeping", "0") "{\"ev\":\"park\",\"ts\":+1,\"tid\":7,\"depth\":0}\n" SAYS("in_time", "1") SAYS("sleeping", "0"),
		"asleep until time is up, one rings, something is there, or all is over");
}

static void of_hangs(void)
{
	says(last, SAYS("parks", "0") SAYS("own", "20") SAYS("oldest_may_be_written", "0") SAYS("second", "65") SAYS("far", "20") SAYS("none", "0"),
		"the newest event that is no park, of those that are whole");
	says(waits, SAYS("none", "0") SAYS("runs", "0") SAYS("last", "1") SAYS("not_in_use", "0") SAYS("hostile", "0"), "does anybody wait");
	says(idled, SAYS("nobody_waits", "0") SAYS("since", "1") SAYS("its_station", "1"), "idle since the newest of all rings, the future left out, or of stations");
/* In a child TSan ends a program whose threads begin where its parent's were; of ASan some other thread may have had a lock. */
#if !defined __SANITIZE_THREAD__ && !defined __SANITIZE_ADDRESS__
	says(hung, SAYS("not_asked_for", "0") SAYS("once", "1") SAYS("no_more", "1") SAYS("moved", "1") SAYS("again", "2") SAYS("asked", "12")
		SAYS("once_asked", "12") SAYS("made", "1") SAYS("no_directory", "0") SAYS("left", "0"), "a hang is reported once, until something moves");
#else
	(void)hung;
#endif
	ends();
}

int main(void)
{
	of_states();
	of_sessions();
	of_hangs();
	says(cores, READ("as_it_is", "1") REFUSED("of_32_bits") REFUSED("a_program") REFUSED("other_headers") REFUSED("no_headers")
		REFUSED("headers_behind_its_end") READ("many", "1") REFUSED("many_it_says") REFUSED("many_nowhere") READ("two_of_them", "0")
		REFUSED("without_a_box") REFUSED("without_version_2") REFUSED("of_another_minor") REFUSED("no_sense") REFUSED("too_large") REFUSED("no_load")
		READ("of_the_header_only", "0") REFUSED("not_even_that") REFUSED("cut") READ("cut_elsewhere", "1") READ("an_empty_segment", "0"),
		"cores: by whatever segments, whole or refused");
	says(messages, SAYS("ok", "0") SAYS("ok", "0") SAYS("ok", "0") SAYS("said", "1"), "what is neither a box nor a core is said to be that");
	says(tables, SAYS("good", "1") SAYS("cut", "0") SAYS("no_header", "0") SAYS("a_longer_file", "1") SAYS("ring_slots", "1") SAYS("few_slots", "0")
		SAYS("odd_slots", "0") SAYS("many_slots", "1") SAYS("too_many_slots", "0") SAYS("no_rings", "0") SAYS("many_rings", "1")
		SAYS("too_many_rings", "0") SAYS("no_stations", "1") SAYS("many_stations", "1") SAYS("too_many_stations", "0") SAYS("no_sites", "0")
		SAYS("many_sites", "1") SAYS("too_many_sites", "0") SAYS("no_strings", "0") SAYS("one_string", "1") SAYS("behind_the_header", "1")
		PLACES PLACES PLACES PLACES PLACES PLACES, "tables of a box lie within it");
	says(copied, SAYS("ok", "1") SAYS("still", "1") SAYS("stations", "1200") SAYS("same", "1200") SAYS("head", "3") SAYS("limit", "99")
		SAYS("not_in_use", "0") SAYS("slots", "1") SAYS("births", "1") SAYS("texts", "1") SAYS("no_box", "0"), "a copy of a box");
	return done_testing();
}
