/* probe.c - the C probe against a region made here: probe CASE (see the table at the end); t/cases/probe.t runs each.
 *
 * A case is its own recorder: it makes the region as ct-record does, attaches to it, and reads what was written.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ct.h"
#include "ctp.h"
#include "tap.h"

enum { RINGS = 4, STATIONS = 40, SITES = 64, STRINGS = 1 << 16, V1 = 4 };
static struct ctp_header *h;
static struct ctp_ring *rings;
static struct ctp_event *slots, *stations;
static struct ctp_site *sites;
static char *base;
static int listener, recorder = -1;
static struct sockaddr_un addr = { .sun_family = AF_UNIX };
static char shm_path[64];

static void listen_here(void)
{
	snprintf(addr.sun_path, sizeof addr.sun_path, "./s.%ld", (long)getpid());
	unlink(addr.sun_path);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(listener, (struct sockaddr *)&addr, sizeof addr) || listen(listener, 8))
		exit(99);
	setenv(CTP_ENV_SOCK, addr.sun_path, 1);
}

static uint64_t lay(uint64_t *end, uint64_t size)
{
	uint64_t at = *end;

	*end = (at + size + 63) & ~63ull;
	return at;
}

static void region(int v2, uint32_t ring_slots, uint32_t flags)
{
	struct ctp_header l = { .magic = CTP_MAGIC, .version = CTP_VERSION, .max_stations = V1, .v2_minor = CTP2_MINOR };
	uint64_t end = 1024 + V1 * 1024;
	int fd = memfd_create("region", MFD_CLOEXEC);

	l.flags = flags;
	l.kinds = CTP_KINDS;
	l.on_kinds = CTP_ON_KINDS;
	l.rings_off = lay(&end, RINGS * sizeof *rings);
	l.slots_off = lay(&end, (uint64_t)RINGS * ring_slots * 64);
	l.stations_off = lay(&end, STATIONS * 64);
	l.sites_off = lay(&end, SITES * sizeof *sites);
	l.strings_off = lay(&end, STRINGS);
	l.file_size = end;
	l.ring_count = RINGS;
	l.ring_slots = ring_slots;
	l.station_count = STATIONS;
	l.site_count = SITES;
	l.strings_size = STRINGS;
	l.next_probe_id = l.sites_used = 1;
	l.strings_used = 8;
	if (ftruncate(fd, (off_t)end))
		exit(99);
	base = mmap(NULL, end, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	h = (struct ctp_header *)(void *)base;
	*h = l;
	if (v2)
		ctp_store_release(&h->v2_magic, CTP2_MAGIC);
	rings = (struct ctp_ring *)(void *)(base + l.rings_off);
	slots = (struct ctp_event *)(void *)(base + l.slots_off);
	stations = (struct ctp_event *)(void *)(base + l.stations_off);
	sites = (struct ctp_site *)(void *)(base + l.sites_off);
	snprintf(shm_path, sizeof shm_path, "/proc/%ld/fd/%d", (long)getpid(), fd);
	setenv(CTP_ENV_SHM, shm_path, 1);
	setenv(CTP_ENV_STATIONS, "4", 1);
}

static void attach(int v2, uint32_t ring_slots, uint32_t flags)
{
	region(v2, ring_slots, flags);
	listen_here();
	ok(ct_init() == 1, "it attaches");
	recorder = accept(listener, NULL, NULL);
}

/* Read the next event of ring r, 1 when there is one. */
static int take(int r, struct ctp_event *e)
{
	uint64_t tail = ctp_load(&rings[r].tail);

	if (tail == ctp_load_acquire(&rings[r].head))
		return 0;
	*e = slots[(uint64_t)r * h->ring_slots + (tail & (h->ring_slots - 1))];
	ctp_store_release(&rings[r].tail, tail + 1);
	return 1;
}

static const char *text(uint64_t number)
{
	struct ctp_string *s = (struct ctp_string *)(void *)(base + h->strings_off + 8 * number);
	static char buf[256];

	snprintf(buf, sizeof buf, "%.*s", (int)ctp_load_acquire(&s->len) - 1, (char *)s + 4);
	return buf;
}

static void events(void)
{
	struct ct_coro c = { 0, 0, 0, 0, 0 };
	struct ctp_event e;
	uint64_t id, last = 0;
	uint8_t kinds[32], want[] = { CTP_THREAD, CTP_CREATE, CTP_NAME, CTP_RESUME, CTP_WAKE, CTP_SUSPEND, CTP_PARK,
				      CTP_DESTROY };
	int i, count = 0, line;

	attach(1, 64, 0);
	errno = 77;
	ct_create(&c, 0, CT_HERE, &c, "conn");
	id = c.id;
	ct_resume(&c);
	ok(ct_current() == id, "the thread runs the coroutine it resumed");
	ct_wake(99, ct_user("hello"));
	line = __LINE__ + 1;
	ct_suspend(&c, CT_HERE, ct_fd(42));
	ok(stations[c.station - 1].kind == CTP_SUSPEND && stations[c.station - 1].n == 3 &&
	   stations[c.station - 1].seq == 6 && stations[c.station - 1].arg == 42 &&
	   stations[c.station - 1].probe_id == id, "its station holds its latest event");
	i = (int)c.station - 1;
	ct_park(CT_DEPTH_UNKNOWN);
	ct_destroy(&c, 1);
	ok(errno == 77, "errno is as it was");
	ok(stations[i].probe_id == 0 && stations[i].kind == 0 && stations[i].seq % 2 == 0, "its station is empty at the end");
	while (take(0, &e) && count < 32) {
		kinds[count++] = e.kind;
		ok(e.timestamp >= last && e.seq == 2 * (uint64_t)e.n * (e.kind != CTP_THREAD), "times rise, seq is 2 n");
		last = e.timestamp;
		if (e.kind == CTP_THREAD)
			ok(e.n == (uint32_t)getpid() && e.arg == CTP_ROLE_OTHER, "the thread is told");
		if (e.kind == CTP_CREATE)
			ok(e.probe_id == id && e.n == 1 && e.addr == (uintptr_t)&c && e.arg == 0, "create tells the frame");
		if (e.kind == CTP_RESUME)
			ok(e.n == 2 && e.addr == 0 && e.is_active == 1, "resume has no address");
		if (e.kind == CTP_WAKE)
			ok(e.probe_id == 99 && e.arg == id && e.arg_kind == CTP_ON_USER && !strcmp(text(e.addr), "hello"),
			   "a wake tells whom, by whom and for what");
		if (e.kind == CTP_SUSPEND) {
			ok(e.n == 3 && e.arg == 42 && e.arg_kind == CTP_ON_FD && !e.is_active, "suspend tells for what");
			ok(sites[e.site].ready == 1 && (int)sites[e.site].line == line, "and the line");
			ok(!strcmp(text(sites[e.site].func), "events"), "and the function");
		}
		if (e.kind == CTP_DESTROY)
			ok(e.n == 4 && e.arg == 1, "destroy tells that it finished");
	}
	ok(count == sizeof want && !memcmp(kinds, want, sizeof want), "all events, in order");
}

/* What a helper of a scheduler does for its caller, whose place it was given. */
static void callers(void)
{
	static const uint8_t want[] = { CTP_WAKE, CTP_OPEN, CTP_CLOSE, CTP_NOTIFY, CTP_ACQUIRE, CTP_RELEASE };
	struct ct_coro c = { 0, 0, 0, 0, 0 };
	struct ct_on lock = ct_mutex(&c);
	struct ctp_event e;
	uint32_t site, i;

	attach(1, 64, 0);
	site = ct_intern_site("caller", "its.c", 7);
	ok(site && site == ct_intern_site("caller", "its.c", 7), "a place has one number");
	ct_create(&c, 0, CT_NOWHERE, NULL, NULL);
	ct_resume(&c);
	ct_wake_at(99, site, ct_fd(5));
	ct_open_at(ct_fd(5), "conn", site);
	ct_close_at(ct_fd(5), site);
	ct_notify_at(ct_cond(&c), 3, site);
	ct_acquire_at(lock, site);
	ct_release_at(lock, site);
	while (take(0, &e) && e.kind != CTP_RESUME)
		;
	for (i = 0; i < sizeof want && take(0, &e); i++) {
		ok(e.kind == want[i] && e.site == site && (e.kind == CTP_WAKE ? e.arg : e.probe_id) == c.id,
		   "%u: at the caller's place, by who runs", e.kind);
		ok((e.kind == CTP_WAKE ? e.addr == 5 && e.probe_id == 99 : 1) && (e.kind != CTP_NOTIFY || e.addr == 3) &&
		   (e.kind != CTP_OPEN || !strcmp(text(e.addr), "conn")) && (e.kind < CTP_ACQUIRE || e.arg == lock.value),
		   "%u: and of the same thing", e.kind);
	}
	ok(i == sizeof want && sites[site].line == 7 && !strcmp(text(sites[site].func), "caller"), "all of them");
	ct_wake_at(0, site, ct_nothing());
	ct_acquire_at(lock, 0);
	ok(take(0, &e) && e.kind == CTP_ACQUIRE && !e.site && !take(0, &e), "nobody is woken by 0; 0 is no site");
}

/* What a recorder of before does not know is not stored; the locks of others are in words that it does. */
static void newer(void)
{
	struct ct_coro c = { 0, 0, 0, 0, 0 };
	struct ct_leg legs[] = { { ct_chan(&c), CT_HERE, 0 }, { ct_timer(5), CT_NOWHERE, 0 } };
	struct ctp_event e;
	int line;

	attach(1, 64, 0);
	ct_create(&c, 0, CT_NOWHERE, NULL, NULL);
	ct_resume(&c);
	while (take(0, &e) && e.kind != CTP_RESUME)
		;
	line = __LINE__ + 1;
	ct_dequeue(99);
	ok(take(0, &e) && e.kind == CTP_DEQUEUE && e.probe_id == 99 && e.arg == c.id && (int)sites[e.site].line == line,
	   "who was taken from a queue and not run, by whom, where");
	ct_deadline(99, 1234);
	ok(take(0, &e) && e.kind == CTP_DEADLINE && e.probe_id == 99 && e.addr == c.id && e.arg == 1234 &&
	   e.arg_kind == CTP_ON_TIMER, "whose timer ends when from now on");
	ct_deadline_at(99, CT_NEVER, 0);
	ok(take(0, &e) && e.arg == CTP_UNKNOWN && !e.site, "or never");
	ct_acquire_for(99, ct_mutex(&c));
	ok(take(0, &e) && e.kind == CTP_ACQUIRE && e.probe_id == 99, "a lock may be another's");
	ct_release_for(0, ct_mutex(&c));
	ok(take(0, &e) && e.kind == CTP_RELEASE && e.probe_id == 0, "or no coroutine's");
	ct_suspend_any(&c, CT_HERE, legs, 2);
	for (int i = 0; i < 2; i++)
		ok(take(0, &e) && e.kind == CTP_LEG && e.probe_id == c.id && e.n == 3 && e.arg_kind == legs[i].on.kind &&
		   e.arg == legs[i].on.value && !!e.site == !i, "leg %d: what, where, of which suspend", i);
	ok(take(0, &e) && e.kind == CTP_SUSPEND && e.n == 3 && e.arg_kind == CTP_ON_ANY_OF && e.arg == 2 && e.site,
	   "then the suspend says how many");
	ok(stations[c.station - 1].arg_kind == CTP_ON_ANY_OF && stations[c.station - 1].n == 3, "so does its station");
	ct_suspend_all(&c, CT_NOWHERE, legs, 1);
	ok(take(0, &e) && take(0, &e) && e.arg_kind == CTP_ON_ALL_OF && e.arg == 1 && e.n == 4, "or for all of them");
	ct_suspend(&c, CT_NOWHERE, ct_room(&c));
	ok(take(0, &e) && e.arg_kind == CTP_ON_ROOM, "room is no item");
	c.n = UINT32_MAX;
	ct_suspend_any(&c, CT_HERE, legs, 1);
	ok(take(0, &e) && e.kind == CTP_LEG && !e.n && e.addr == 1 && take(0, &e) && e.seq == 1ull << 33, "of the 2^32nd, too");
	c.n = 5;
	h->kinds = h->on_kinds = 0;
	ct_suspend_any(&c, CT_HERE, legs, 2);
	ok(take(0, &e) && e.kind == CTP_SUSPEND && e.arg_kind == CTP_ON_NONE && e.n == 6, "an older recorder: of nothing");
	ct_suspend(&c, CT_NOWHERE, ct_room(&c));
	ok(take(0, &e) && e.arg_kind == CTP_ON_CHAN && e.arg == (uintptr_t)&c, "room is that of the channel then");
	ct_dequeue(99);
	ct_deadline(99, 1234);
	ok(!take(0, &e), "for a recorder that does not know them there are none");
	ct_acquire_for(99, ct_mutex(&c));
	ok(take(0, &e) && e.kind == CTP_ACQUIRE, "all others are there");
	ct_dequeue(0);
	ok(!take(0, &e), "and nobody is 0");
}

static void recycle(void)
{
	struct ct_coro c[STATIONS + 8];
	struct ctp_event e;
	uint64_t seen = 0;
	int i, round, good = 1;

	memset(c, 0, sizeof c);
	attach(1, 4096, 0);
	for (round = 0; round < 10; round++) {
		for (i = 0; i < STATIONS; i++) {
			ct_create(&c[i], 0, CT_NOWHERE, NULL, NULL);
			good &= c[i].station != 0 && c[i].id > seen;
		}
		seen = c[STATIONS - 1].id;
		for (i = 0; i < STATIONS; i++)
			ct_destroy(&c[i], 1);
		while (take(0, &e))
			;
	}
	ok(good && h->lost_no_station == 0, "400 coroutines in 40 stations, ids never again");
	for (i = 0; i < STATIONS + 8; i++)
		ct_create(&c[i], 0, CT_NOWHERE, NULL, NULL);
	ok(h->lost_no_station == 8, "those without a station are counted");
	ct_resume(&c[STATIONS + 7]);
	ok(c[STATIONS + 7].n == 2, "and their events go on");
	ok(h->stations_used == STATIONS, "no station beyond the last is taken");
}

static void full(void)
{
	struct ct_coro c = { 0, 0, 0, 0, 0 };
	struct ctp_event e;
	uint64_t told = 0, printed = 0, last = 0;
	uint32_t n = 0;
	int i, rises = 1, gap_ok = 1;

	attach(1, 16, 0);
	ct_create(&c, 0, CT_NOWHERE, NULL, NULL);
	for (i = 0; i < 1000; i++) {
		uint64_t pending = 0;

		ct_resume(&c);
		if (i % 100 != 99)
			continue;
		while (take(0, &e)) {
			rises &= e.timestamp >= last;
			last = e.timestamp;
			if (e.kind == CTP_LOST) {
				told += pending = e.arg;
				rises &= e.addr && e.addr <= e.timestamp;
			} else if (e.probe_id) {
				gap_ok &= e.n == n + 1 + pending;
				n = e.n;
				pending = 0;
				printed++;
			}
		}
	}
	ok(rises, "times rise over the drops");
	ok(gap_ok, "LOST stands where the events are missing and says how many");
	ok(told && rings[0].dropped >= told, "drops are told");
	ok(printed + rings[0].dropped == 1001, "printed and dropped are what was written: %d and %d",
	   (int)printed, (int)rings[0].dropped);
	ok(stations[c.station - 1].n == 1001, "the station has the last state all the same");
	while (rings[0].head - rings[0].tail < h->ring_slots)
		ct_resume(&c);
	ctp_store(&rings[0].head, rings[0].tail);
	ct_resume(&c);
	ok(rings[0].head == rings[0].tail + h->ring_slots, "a head that a child stored late is mended where there is no room");
}

static void *writer(void *arg)
{
	struct ct_coro c = { 0, 0, 0, 0, 0 };
	long i, n = (long)(intptr_t)arg;

	ct_create(&c, 0, CT_HERE, &c, NULL);
	for (i = 0; i < n; i++) {
		ct_resume(&c);
		ct_suspend(&c, CT_HERE, ct_fd(3));
	}
	ct_destroy(&c, 1);
	return NULL;
}

static void block(void)
{
	struct ctp_event e;
	pthread_t t;
	long got = 0;
	uint32_t n = 0;
	int order = 1, late = 0;

	attach(1, 16, CTP_F_BLOCK);
	pthread_create(&t, NULL, writer, (void *)(intptr_t)20000);
	while (got < 40002) {
		/* a child that a handler forked in a call stores what head was then */
		if (!late && got > 20000 && ctp_load(&rings[0].head) == rings[0].tail + 16) {
			late = 1;
			ctp_store(&rings[0].head, rings[0].tail);
		}
		if (take(0, &e) && e.probe_id) {
			order &= e.n == ++n;
			got++;
		}
	}
	pthread_join(t, NULL);
	ok(order && rings[0].dropped == 0, "nothing is lost, all is in order");
	ok(ctp_load(&rings[0].owner) & CTP_RING_RETIRED, "the thread hands its ring back");
	pthread_create(&t, NULL, writer, (void *)(intptr_t)20000);
	while (!ctp_load(&rings[1].head))
		;
	close(recorder);
	close(listener);
	pthread_join(t, NULL);
	ok(!ct_enabled(), "a writer that waits does not outlive the recorder's wait: it goes on untraced");
}

static void threads(void)
{
	struct ctp_event e;
	pthread_t t;
	uint64_t last;
	int i, good = 1;

	attach(1, 1024, 0);
	for (i = 0; i < 20; i++) {
		pthread_create(&t, NULL, writer, (void *)(intptr_t)10);
		pthread_join(t, NULL);
		good &= (rings[0].owner & CTP_RING_RETIRED) && CTP_OWNER_PID(rings[0].owner) == (uint32_t)getpid();
		for (last = 0; take(0, &e); last = e.timestamp)
			good &= e.timestamp >= last && e.tid == CTP_OWNER_TID(rings[0].owner);
		ctp_store_release(&rings[0].owner, (uint64_t)CTP_RING_FREE);
	}
	ok(good && h->rings_used == 1, "one ring serves twenty threads after one another");
	for (i = 0; i < RINGS + 1; i++) {	/* none is handed back by the recorder now */
		pthread_create(&t, NULL, writer, (void *)(intptr_t)0);
		pthread_join(t, NULL);
	}
	ok(h->lost_no_ring == 2, "events of a thread without a ring are counted: %d", (int)h->lost_no_ring);
	ok(h->stations_used <= STATIONS && h->stations_free, "threads give their stations back");
}

static void forked(void)
{
	struct ct_coro c = { 0, 0, 0, 0, 0 }, mine = { 0, 0, 0, 0, 0 };
	struct ctp_event e;
	int status = 0, second, count = 0;
	uint64_t head, id;
	pid_t pid;

	attach(1, 64, 0);
	ct_create(&c, 0, CT_NOWHERE, NULL, NULL);
	ct_resume(&c);
	head = rings[0].head;
	pid = fork();
	if (!pid) {
		ct_suspend(&c, CT_NOWHERE, ct_nothing());	/* the parent's: not told */
		ct_create(&mine, 0, CT_NOWHERE, NULL, NULL);
		_exit(mine.id > c.id && mine.station != c.station && ct_current() == 0 ? 7 : 1);
	}
	second = accept(listener, NULL, NULL);
	waitpid(pid, &status, 0);
	ok(second >= 0, "the child connects by itself");
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 7, "it has ids and stations of its own and no current coroutine");
	ok(rings[0].head == head && rings[1].owner == CTP_OWNER(pid, pid), "it writes into a ring of its own");
	while (take(1, &e)) {
		count++;
		ok(e.tid == (uint64_t)pid && e.probe_id != c.id, "under its own thread id, of its own coroutine");
	}
	ok(count == 2, "a thread line and a create");
	id = c.id;
	ct_suspend(&c, CT_NOWHERE, ct_nothing());
	ok(rings[0].head == head + 1 && id == c.id, "the parent goes on");
}

static void v1(void)
{
	struct ct_coro c = { 0, 0, 0, 0, 0 }, over[V1];
	struct ctp_v1_station *s;
	int i;

	attach(0, 64, 0);
	s = (struct ctp_v1_station *)(void *)(base + 1024);
	ct_create(&c, 0, CT_HERE, &c, "name");
	ok(h->allocated_count == 1 && s->probe_id == c.id && c.id && s->birth_ts && !s->is_dead, "a station is taken");
	ctp_store(&h->tracer_sleeping, 1u);
	for (i = 0; i < 10; i++) {
		ct_resume(&c);
		ct_suspend(&c, CT_HERE, ct_fd(3));
	}
	ok(s->slots[0].seq == 6 && s->slots[3].seq == 6 && s->slots[4].seq == 4 && s->slots[7].seq == 4,
	   "event k stands in slot k %% 8, its seq 2 (k / 8 + 1)");
	ok(s->slots[2].is_active == 1 && s->slots[2].addr == 0 && s->slots[3].is_active == 0 &&
	   s->slots[3].addr == (uintptr_t)&c && s->slots[3].tid == (uint64_t)getpid(), "address and activity are version 1's");
	ok(s->slots[3].timestamp >= s->slots[2].timestamp && s->slots[2].kind == 0 && s->slots[2].n == 0 &&
	   s->slots[2].site == 0 && s->slots[2].probe_id == 0, "what version 1 reserves stays zero");
	ok(!h->tracer_sleeping && recv(recorder, over, 8, MSG_DONTWAIT) == 1, "a sleeping recorder is rung once");
	ct_wake(c.id, ct_nothing());
	ct_park(0);
	ct_name(&c, "x");
	ok(s->slots[4].seq == 4 && h->strings_used == 8 && h->sites_used == 1, "version 1 has no wakes, parks, names");
	ct_destroy(&c, 1);
	ok(s->is_dead == 1, "its end is told");
	memset(over, 0, sizeof over);
	for (i = 0; i < V1; i++)
		ct_create(&over[i], 0, CT_NOWHERE, NULL, NULL);
	ct_resume(&over[V1 - 1]);
	ok(h->allocated_count == V1 + 1 && over[V1 - 1].station == 0, "those beyond the last station are counted");
}

static void bell(void)
{
	struct ct_coro c = { 0, 0, 0, 0, 0 };
	char buf[40];
	int fds[2], i;

	attach(1, 64, 0);
	ok(recv(recorder, buf, sizeof buf, MSG_DONTWAIT) == 33 && *buf == 'B', "which program it is, is said first");
	ctp_store(&h->tracer_sleeping, 1u);
	ct_create(&c, 0, CT_NOWHERE, NULL, NULL);
	ct_resume(&c);
	ok(!h->tracer_sleeping && recv(recorder, buf, 8, MSG_DONTWAIT) == 1 && buf[0] == '1', "one byte a sleep");
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		exit(99);
	for (i = 3; i < 1100; i++)	/* the target closes what it does not know and reuses the numbers */
		if (i != fds[0] && i != fds[1] && i != recorder && i != listener)
			dup2(fds[1], i);
	ctp_store(&h->tracer_sleeping, 1u);
	ct_suspend(&c, CT_NOWHERE, ct_nothing());
	ok(recv(fds[0], buf, 8, MSG_DONTWAIT) < 0, "a descriptor that is somebody else's now is not written to");
}

static void dead(void)
{
	struct ct_coro c = { 0, 0, 0, 0, 0 };

	attach(1, 64, 0);
	ct_create(&c, 0, CT_NOWHERE, NULL, NULL);
	close(recorder);
	ctp_store(&h->tracer_sleeping, 1u);
	errno = 5;
	ct_resume(&c);
	ok(!ct_enabled() && errno == 5, "a dead recorder is left, without a signal, errno as it was");
}

static struct ct_coro signalled;
static volatile sig_atomic_t handled;
static void handler(int sig)
{
	(void)sig;
	ct_resume(&signalled);
	handled++;
}

/* Signals as fast as they come, a handler that probes: whatever is printed is whole. */
static void nested(void)
{
	struct ct_coro c = { 0, 0, 0, 0, 0 };
	struct ctp_event e;
	pid_t parent = getpid(), pid;
	uint64_t printed = 0, sum_lost;
	uint32_t n = 0, written = 0;
	int order = 1, over, status;

	attach(1, 1024, 0);
	ct_create(&signalled, 0, CT_NOWHERE, NULL, NULL);
	ct_create(&c, 0, CT_NOWHERE, NULL, NULL);
	signal(SIGUSR1, handler);
	pid = fork();
	if (!pid) {
		int i;

		for (i = 0; i < 20000; i++)
			kill(parent, SIGUSR1);
		_exit(0);
	}
	do {	/* once more when it has ended: what the last signals printed is taken, too */
		over = waitpid(pid, &status, WNOHANG) != 0;
		for (int i = 0; i < 100; i++) {
			ct_resume(&c);
			written++;
			while (take(0, &e)) {
				printed += e.kind == CTP_RESUME;
				if (e.probe_id == c.id && e.kind == CTP_RESUME) {
					order &= e.n > n && e.kind == CTP_RESUME && e.seq == 2 * (uint64_t)e.n;
					n = e.n;
				}
			}
		}
	} while (!over);
	sum_lost = rings[0].dropped + h->lost_no_ring;
	ok(handled > 0 && order, "events are whole and in order");
	ok(printed + sum_lost == written + (uint64_t)handled, "%d printed + %d dropped = %d + %d", (int)printed,
	   (int)sum_lost, (int)written, (int)handled);
}

/* Coroutines hop between threads; per coroutine n has no gap and times rise. For ThreadSanitizer, too. */
enum { HOPPERS = 3, COROS = 8, HOPS = 20000 };
static struct ct_coro hop[COROS];
static pthread_mutex_t hop_lock[COROS];
static int hop_done;

static void *hopper(void *arg)
{
	unsigned i, r = (unsigned)(uintptr_t)arg;

	for (i = 0; i < HOPS; i++) {
		unsigned k = (r = r * 1664525u + 1013904223u) >> 16;

		pthread_mutex_lock(&hop_lock[k % COROS]);
		ct_resume(&hop[k % COROS]);
		ct_suspend(&hop[k % COROS], CT_HERE, ct_user(k & 1 ? "odd" : "even"));
		pthread_mutex_unlock(&hop_lock[k % COROS]);
	}
	__atomic_add_fetch(&hop_done, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void hopping(void)
{
	static struct ctp_event last[RINGS], seen[COROS];
	static uint64_t count[COROS], sum[COROS];
	pthread_t t[HOPPERS];
	struct ctp_event e;
	int i, r, more, good = 1;
	uint64_t total = 0;

	attach(1, 256, CTP_F_BLOCK | (getenv("CT_TEST_FENCE") ? CTP_F_FENCE : 0));
	for (i = 0; i < COROS; i++) {
		pthread_mutex_init(&hop_lock[i], NULL);
		ct_create(&hop[i], 0, CT_NOWHERE, NULL, NULL);
	}
	for (i = 0; i < HOPPERS; i++)
		pthread_create(&t[i], NULL, hopper, (void *)(intptr_t)(i + 1));
	do {
		more = __atomic_load_n(&hop_done, __ATOMIC_ACQUIRE) < HOPPERS;
		for (r = 0; r < RINGS; r++)
			while (take(r, &e)) {
				more = 1;
				good &= e.timestamp >= last[r].timestamp;
				last[r] = e;
				for (i = 0; i < COROS; i++)
					if (e.n && e.probe_id == hop[i].id) {
						count[i]++;
						sum[i] += e.n;
						if (e.n > seen[i].n)
							seen[i] = e;
						total++;
					}
			}
	} while (more);
	for (i = 0; i < HOPPERS; i++)
		pthread_join(t[i], NULL);
	ok(good, "no ring's times fall");
	ok(total == COROS + 2ull * HOPPERS * HOPS, "every event arrives: %d", (int)total);
	for (i = 0; i < COROS; i++)
		ok(count[i] == hop[i].n && sum[i] == (uint64_t)hop[i].n * (hop[i].n + 1) / 2 &&
		   seen[i].timestamp == stations[hop[i].station - 1].timestamp, "every n once; the station has the last");
}

static struct ct_coro stacked;

__attribute__((noinline)) static void wait_here(void)
{
	ct_suspend(&stacked, CT_HERE, ct_fd(1));
	__asm__ volatile("" ::: "memory");
}

/* A call stack of its own for each value of bits. */
__attribute__((noinline)) static void descend(unsigned bits, unsigned depth)
{
	if (!depth)
		wait_here();
	else if (bits & 1) {
		__asm__ volatile("nop" ::: "memory");		/* else a compiler may make one call of the two */
		descend(bits / 2, depth - 1);
		__asm__ volatile("nop" ::: "memory");
	} else {
		descend(bits / 2, depth - 1);
		__asm__ volatile("nop; nop" ::: "memory");
	}
}

static uint32_t stack_of(const struct ctp_event *e)
{
	uint32_t number;

	memcpy(&number, e->stack, sizeof number);
	return number;
}

/* The next event of that kind. */
static struct ctp_event next(uint8_t kind)
{
	struct ctp_event e;

	while (take(0, &e))
		if (e.kind == kind)
			return e;
	memset(&e, 0, sizeof e);
	return e;
}

static unsigned frames_of(uint32_t number, uint64_t frame[CTP_STACK_MAX])
{
	struct ctp_string *s = (struct ctp_string *)(void *)(base + h->strings_off + 8 * (uint64_t)number);

	memcpy(frame, s->text, s->len - 1 < CTP_STACK_MAX * 8 ? s->len - 1 : 0);
	return (s->len - 1) / 8;
}

/* On a stack of its own, of which nobody knows how far it reaches: the kernel is asked. */
static int after_handler;

static void wakes_from_handler(int sig)
{
	(void)sig;
	errno = 77;
	ct_wake(stacked.id, ct_nothing());
	after_handler = errno;
}

static void stacks(void)
{
	static char room[1 << 16];
	stack_t other = { .ss_sp = room, .ss_size = sizeof room };
	struct sigaction sa = { .sa_handler = wakes_from_handler, .sa_flags = SA_ONSTACK };
	uint64_t frame[CTP_STACK_MAX], wake[CTP_STACK_MAX], used = 0;
	uint32_t number, i, without = 0;
	struct ctp_event e, again;

	attach(1, 64, CTP_F_STACKS);
	ct_create(&stacked, 0, CT_NOWHERE, NULL, NULL);
	errno = 77;
	wait_here();
	__asm__ volatile("nop" ::: "memory");
	wait_here();
	ct_wake(stacked.id, ct_nothing());
	ok(errno == 77, "errno is as it was");
	e = next(CTP_SUSPEND);
	number = stack_of(&e);
	ok(number && !e.spare, "a suspend has a stack");
	ok(frames_of(number, frame) >= 3 && frame[0] - (uintptr_t)wait_here < 4000 && frame[1] - (uintptr_t)stacks < 40000,
	   "from who called the probe, outwards");
	again = next(CTP_SUSPEND);
	ok(stack_of(&again) != number, "another call of the same function is another stack");
	ok(!memcmp(stations[stacked.station - 1].stack, again.stack, 4), "the station has the last");
	e = next(CTP_WAKE);
	ok(stack_of(&e) && frames_of(stack_of(&e), wake) == frames_of(number, frame) - 1 && wake[0] - (uintptr_t)stacks < 40000,
	   "a wake has the waker's");
	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	e = next(CTP_WAKE);
	ok(after_handler == 77 && stack_of(&e) && frames_of(stack_of(&e), wake) > 3, "on a signal's stack too, with errno as it was");
	for (i = 0; i < 1000; i++) {
		descend(5, 4);
		e = next(CTP_SUSPEND);
		if (i == 0)
			again = e, used = h->strings_used;
	}
	ok(stack_of(&again) && stack_of(&e) == stack_of(&again) && h->strings_used == used, "one known takes no room");
	for (i = 0; i < 3; i++) {
		descend(1, 5 + i);
		next(CTP_SUSPEND);
		descend(5, 4);
		e = next(CTP_SUSPEND);
		again = i ? again : e;
		ok(stack_of(&e) == stack_of(&again), "one is the same behind any other");
	}
	for (i = 0; i < 1 << 12; i++) {
		descend(i, 12);
		e = next(CTP_SUSPEND);
		without += !stack_of(&e);
	}
	ok(without > 1000 && h->lost_no_stack == without, "where the arena is full, none is said, and counted: %u", without);
	for (i = 0; i < 2; i++)
		descend((1 << 12) - 1, 12);
	ok(h->lost_no_stack == without + 2, "each time");
	ok(h->strings_used <= CTP_STACKS_END(STRINGS) && !h->lost_no_string, "and names find room");
	ct_create(&stacked, 0, CT_HERE, NULL, "late");
	e = next(CTP_NAME);
	ok(!strcmp(text(e.arg), "late"), "as this one did");
}

static void bad_tables(void)
{
	region(1, 64, 0);
	h->slots_off = 1ull << 60;
	listen_here();
	ok(ct_init() == 0 && !ct_enabled(), "tables outside of the file are not used");
}

static void no_socket(void)
{
	region(1, 64, 0);
	setenv(CTP_ENV_SOCK, "/nonexistent/s", 1);
	ok(ct_init() == 0 && !ct_enabled(), "nobody listens: untraced");
}

static void bare(void)
{
	struct ct_coro c = { 0, 0, 0, 0, 0 };

	ok(ct_init() == 0 && !ct_enabled(), "not attached");
	ct_create(&c, 0, CT_HERE, &c, "x");
	ct_create_at(&c, 0, 0, &c, "x");
	ct_suspend_at(&c, 0, ct_nothing());
	ct_wake_at(1, 1, ct_nothing());
	ct_close_at(ct_fd(1), 1);
	ok(c.id == 0 && ct_current() == 0 && ct_intern_site("f", "g", 1) == 0, "calls do nothing");
}

struct unit_case { const char *name; void (*run)(void); };

/* The one that argv names: what `main` of this and of the other programs that include it returns. */
static int run_case(const char *program, const struct unit_case *all, size_t count, int argc, char *argv[])
{
	size_t i;

	alarm(100);
	for (i = 0; i < count; i++)
		if (argc == 2 && !strcmp(argv[1], all[i].name)) {
			all[i].run();
			return done_testing();
		}
	fprintf(stderr, "usage: %s CASE\n", program);
	return 2;
}

static const struct unit_case cases[] = {
	{ "events", events }, { "callers", callers }, { "newer", newer }, { "recycle", recycle }, { "full", full }, { "block", block }, { "threads", threads },
	{ "forked", forked }, { "v1", v1 }, { "bell", bell }, { "dead", dead }, { "nested", nested },
	{ "hopping", hopping }, { "stacks", stacks }, { "bad-tables", bad_tables }, { "no-socket", no_socket }, { "bare", bare },
};

int main(int argc, char *argv[])
{
	return run_case("probe", cases, sizeof cases / sizeof *cases, argc, argv);
}
