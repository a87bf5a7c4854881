/* looks.c - the rings of the C probe that overwrite (sdk/c/ct-box.h) and those that wait (ct-ring.h), against the region of probe.c, in a world
 * of its own time: who reads, how far one may write, whose ring may be taken, what is counted. looks CASE; t/cases/probe.t runs each.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
	uint64_t now;
	bool fixed;			/* time is as the test says */
	void (*at_fence)(void), (*in_nap)(void);
	unsigned fences, naps;
	uint32_t dead;			/* the thread that is gone */
	int dead_error;
	uint32_t killed[8];
	unsigned kills;
} world;

static void at_fence(void)
{
	world.fences++;
	if (world.at_fence)
		world.at_fence();
}

static void world_nap(long sec, long ns);
static long world_kill(int pid, int tid, int sig)
{
	world.killed[world.kills++ % 8] = (uint32_t)pid * 1000 + (uint32_t)tid + (sig ? 500 : 0);
	errno = world.dead_error;
	return (uint32_t)tid == world.dead ? -1 : 0;
}

#define __atomic_thread_fence(order) (at_fence(), __atomic_thread_fence(order))
#define nanosleep(t, rest) world_nap((long)(t)->tv_sec, (t)->tv_nsec)
#define clock_gettime(clock, t) (world.fixed ? (void)((t)->tv_sec = (time_t)(world.now / 1000000000), (t)->tv_nsec = (long)(world.now % 1000000000)) : \
	(void)(clock_gettime)(clock, t))
static long world_call(long call, ...);
#define syscall world_call
#include "../../sdk/c/ct.c"
#undef syscall
#undef nanosleep
#undef clock_gettime
#undef __atomic_thread_fence
#define main probe_main
#include "probe.c"
#undef main
#include <stdarg.h>

static long world_call(long call, ...)
{
	long a, b, c;
	va_list ap;

	va_start(ap, call);
	if (call == SYS_gettid)
		return syscall(call);
	a = va_arg(ap, int), b = va_arg(ap, int), c = va_arg(ap, int);
	va_end(ap);
	return call == SYS_tgkill ? world_kill((int)a, (int)b, (int)c) : syscall(call, a, b, c);
}

static long nap_ns[100];
static void world_nap(long sec, long ns)
{
	nap_ns[world.naps % 100] = ns + sec * 1000000000;
	if (++world.naps > 90)
		exit(99);
	if (world.in_nap)
		world.in_nap();
}

static struct ct_writer other;
static struct ct_writer *writer_of(uint32_t i)		/* of ring i */
{
	memset(&other, 0, sizeof other);
	other.hdr = ct_p_.hdr;
	other.stations = ct_p_.stations;
	other.ring = &ct_p_.rings[i];
	other.mask = 63;
	other.tid = 5;
	return &other;
}

static void begin(void)
{
	attach(1, 64, 0);
	ct_p_.flags = 0;
	ct_p_.overwrites = 1;
	ct_p_.box = 1;
	ct_p_.pid = 77;
	h->look_slots = 16;
	world.fixed = true;
	world.now = 100000000000;
	h->birth_ticks = world.now - 1000;
}

static int signals_seen;
static void on_xfsz(int sig)
{
	(void)sig;
	signals_seen++;
}

static void limited(void)
{
	sigset_t was, is;

	signal(SIGXFSZ, on_xfsz);
	ok(ct_p_no_xfsz(&was) == 1 && !sigismember(&was, SIGXFSZ), "the signal is blocked");
	raise(SIGXFSZ);
	errno = 77;
	ct_p_xfsz_again(&was, 1);
	sigprocmask(SIG_SETMASK, NULL, &is);
	ok(errno == 77 && !signals_seen && !sigismember(&is, SIGXFSZ), "and never comes");
	sigemptyset(&is);
	sigaddset(&is, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &is, NULL);
	ok(!ct_p_no_xfsz(&was) && sigismember(&was, SIGXFSZ), "it is blocked anyway");
	raise(SIGXFSZ);
	ct_p_xfsz_again(&was, 0);
	sigpending(&is);
	ok(sigismember(&is, SIGXFSZ) && !signals_seen, "then it stays the program's");
}

/* Is there a recorder? It holds a lock. */
static void read_by(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };
	char path[64];
	struct stat st;
	int its;

	begin();
	ct_p_.box_fd = memfd_create("box", MFD_CLOEXEC);
	if (ftruncate(ct_p_.box_fd, 4096) || fstat(ct_p_.box_fd, &st))
		exit(99);
	ct_p_.box_dev = st.st_dev, ct_p_.box_ino = st.st_ino;
	snprintf(path, sizeof path, "/proc/self/fd/%d", ct_p_.box_fd);
	its = open(path, O_RDWR);
	h->session = 4;
	ct_p_box_ask(h);
	ok(!ct_p_.gone && !ct_p_box_read(4), "nobody reads");
	h->session = 5;
	if (fcntl(its, F_OFD_SETLK, &lock))
		exit(99);
	ct_p_box_ask(h);
	ok(!ct_p_.gone && ct_p_box_read(5), "one does");
	lock.l_type = F_UNLCK;
	fcntl(its, F_OFD_SETLK, &lock);
	ct_p_.box_ino++;
	ct_p_box_ask(h);
	ok(!ct_p_.gone, "a descriptor that is the program's says nothing");
	ct_p_.box_ino--;
	ct_p_box_ask(h);
	ok(ct_p_.gone == 5 && !ct_p_box_read(5) && ct_p_box_read(7), "it is gone; not the next one");
	lock.l_type = F_WRLCK, lock.l_start = 1;
	h->session = 7;
	fcntl(its, F_OFD_SETLK, &lock);
	ct_p_box_ask(h);
	ok(ct_p_.gone == 7, "its lock is the first byte's");
}

/* Now and then, a moment in both clocks. */
static bool noted(uint64_t at)
{
	uint32_t lock = h->late_lock;
	uint64_t before = h->late_ticks;

	world.now = at;
	ct_p_box_late(h, 0);
	if (h->late_ticks == before && h->late_lock == lock)
		return false;
	ok(h->late_ticks == at && h->late_ns == at && h->late_lock == lock + 2, "whole");
	return true;
}

static void late(void)
{
	uint64_t birth = 100000000000;

	begin();
	h->birth_ticks = birth;
	ok(noted(birth + 10) && !noted(birth + 19) && noted(birth + 20) && !noted(birth + 39) && noted(birth + 40), "soon, then ever more rarely");
	ok(noted(birth + (3ull << 30)) && !noted(birth + (4ull << 30) - 1) && noted(birth + (4ull << 30)), "each second or so at last");
	h->late_lock++;
	ok(!noted(birth + (9ull << 30)), "who finds another at it does not wait");
	h->late_lock++;
	ok(noted(birth + (9ull << 30)), "else");
	h->late_ticks = 0;
	ok(noted(birth + (9ull << 30) + 1), "the first of an old box");
}

static void session_changes(void)
{
	if (world.fences == 1)
		h->session = 5, ct_p_.rings[0].tail = 90;
}

static void far(void)
{
	struct ct_writer *me;

	begin();
	me = writer_of(0);
	me->head = 100;
	ct_p_.rings[0].tail = 70;
	ct_p_.overwrites = 0;
	ok(ct_p_look(me) == 34 && !ct_p_.rings[0].limit, "a ring that waits: what was read");
	ct_p_.overwrites = 1;
	ok(ct_p_look(me) == 16 && ct_p_.rings[0].limit == 116 && world.fences && h->late_ticks, "nobody reads: so far, and it is declared");
	world.fences = 0;
	h->late_ticks = h->late_lock = 1;	/* somebody is at it */
	ok(ct_p_look(me) == 16 && !world.fences && h->late_ticks == 1, "once");
	h->session = 5;
	ok(ct_p_look(me) == 34 && ct_p_.rings[0].limit == 134 && world.fences == 1 && h->late_ticks == 1, "somebody reads: no further than he has");
	me->head = 200;
	world.fences = 0;
	h->session = 4;
	ct_p_.rings[0].tail = 190;
	world.at_fence = session_changes;
	ok(ct_p_look(me) == 0 && ct_p_.rings[0].limit == 216, "he came just now: the look is taken again");
	world.at_fence = NULL;
	ct_p_.gone = 5;
	ok(ct_p_look(me) == 16, "one that is gone does not");
	h->leave = CTP_LEAVE;
	ctp_store(&ct_flag_.on, CTP_FLAG_LENT);
	h->session = 7;
	ct_p_.rings[0].tail = 190;
	ct_p_look(me);
	ok(h->leave == CTP_LEAVE, "who reads leaves later");
	h->session = 8;
	ct_p_look(me);
	ok(h->leave == CTP_LEFT && !ct_flag_.on, "then all is left");
}

static void owns(uint32_t i, uint64_t owner, uint64_t ts)
{
	rings[i].owner = owner;
	rings[i].head = ts ? 65 : 0;
	slots[i * 64].timestamp = ts;
}

#define ENDED(tid) (CTP_OWNER(70, tid) | CTP_RING_RETIRED)
static void retired(void)
{
	struct ct_writer *me;

	begin();
	ct_p_.box = 0;			/* of which no file is made here */
	for (uint32_t i = 0; i < RINGS; i++)
		ct_p_open_slots(i);
	owns(0, ENDED(1), 50);
	owns(1, CTP_OWNER(70, 2), 10);
	owns(2, ENDED(3), 40);
	owns(3, ENDED(4), 20);
	h->rings_used = 3;
	ok(ct_p_last_ts(0) == 50 && ct_p_last_ts(2) == 40, "when it was last written");
	owns(3, ENDED(4), 0);
	ok(!ct_p_last_ts(3), "never");
	owns(3, ENDED(4), 20);
	me = writer_of(0);
	me->ring = NULL;
	ok(!ct_p_claim_retired(me, 2) && !me->ring, "so many keep their history");
	h->session = 5;
	ct_p_.box_fd = -1;
	ok(!ct_p_claim_retired(me, 0) && !me->ring, "where somebody reads, he frees them");
	h->session = 4;
	ok(ct_p_claim_retired(me, 1) && me->ring == &ct_p_.rings[2] && rings[2].owner == CTP_OWNER(77, 5), "else the one that is silent for the longest");
	me->ring = NULL;
	ok(ct_p_claim_retired(me, 0) && me->ring == &ct_p_.rings[0], "no other's, nor one that was never used");
	h->rings_used = 99;
	me->ring = NULL;
	ok(ct_p_claim_retired(me, 0) && me->ring == &ct_p_.rings[3] && !ct_p_claim_retired(me, 0), "no more than there are");
}

static void reaped(void)
{
	struct ct_writer *me;

	begin();
	world.dead = 3;
	world.dead_error = ESRCH;
	rings[0].owner = CTP_OWNER(70, 2);
	rings[1].owner = CTP_OWNER(70, 3);
	rings[2].owner = CTP_RING_FREE;
	rings[3].owner = CTP_OWNER(70, 3);
	h->rings_used = 3;
	me = writer_of(0);
	ct_p_reap_rings(me);
	ok(rings[0].owner == CTP_OWNER(70, 2) && rings[1].owner == ENDED(3) && rings[2].owner == CTP_RING_FREE && rings[3].owner == CTP_OWNER(70, 3) &&
		world.kills == 2 && world.killed[0] == 70002 && world.killed[1] == 70003, "of a thread that is gone");
	h->rings_used = 99;
	world.dead_error = EPERM;
	ct_p_reap_rings(me);
	ok(rings[3].owner == CTP_OWNER(70, 3) && world.kills == 4, "not one that is another user's");
	world.dead_error = ESRCH;
	rings[0].owner = CTP_OWNER(CTP_NUMBERS, 3);
	rings[3].owner = CTP_OWNER(70, CTP_NUMBERS);
	ct_p_reap_rings(me);
	ok(world.kills == 4, "nor one whose number is not of here");
	rings[3].owner = CTP_OWNER(CTP_NUMBERS - 1, 3);
	ct_p_reap_rings(me);
	ok(world.kills == 5 && rings[3].owner & CTP_RING_RETIRED, "all others");
}

static struct ctp_birth births[4];
static uint64_t id_at_fence;
static void at_birth(void)
{
	id_at_fence = births[1].id;
}

static void born(void)
{
	struct ct_coro c = { .id = 9, .station = 2, .last_ts = 55 };

	ct_p_.births = births;
	births[1].id = 7;
	id_at_fence = 99;
	world.at_fence = at_birth;
	ct_p_birth(&c, 8, 3, 4);
	ok(!id_at_fence && births[1].id == 9 && births[1].ts == 55 && births[1].parent == 8 && births[1].site == 3 && births[1].name == 4 && !births[0].id && !births[2].id,
		"nobody's while it is written");
}

static void reads_some(void)
{
	if (world.naps == 3)
		rings[0].tail += 1;
	if (world.naps == 20)
		rings[0].tail += 15;
}

static void waits(void)
{
	struct ct_writer *me;
	char byte;

	attach(1, 64, 0);
	me = writer_of(0);
	me->head = 64;
	world.in_nap = reads_some;
	h->tracer_sleeping = 1;
	errno = 77;
	ok(ct_p_wait(me, 1) == 16 && world.naps == 20 && errno == 77, "a quarter of the ring");
	ok(!h->tracer_sleeping && recv(recorder, &byte, 1, MSG_DONTWAIT) == 1, "a recorder that sleeps is rung");
	ok(nap_ns[0] == 50000 && nap_ns[1] == 100000 && nap_ns[18] == 950000 && nap_ns[19] == 1000000, "ever longer, up to 1 ms");
	world.naps = 30;
	ok(ct_p_wait(me, 16) == 16 && world.naps == 30, "not where there is room");
	rings[0].tail = 10;
	world.in_nap = NULL;
	ct_p_.sock_ino++;
	ok(ct_p_wait(me, 1) == 10 && world.naps == 30, "not without a connection");
	ct_p_.sock_ino--;
	ctp_store(&ct_flag_.on, 0);
	ok(ct_p_wait(me, 1) == 10 && world.naps == 30, "nor where nothing is recorded");
	ctp_store(&ct_flag_.on, CTP_FLAG_ON);
	close(recorder);
	ok(ct_p_wait(me, 1) == 10 && world.naps == 31 && !ct_flag_.on, "nor for one that is gone");
}

static void missed(void)
{
	struct ct_writer *me;

	attach(1, 64, 0);
	me = writer_of(0);
	close(recorder);
	errno = 77;
	ct_p_missed(me, 1);
	ct_p_missed(me, 1023);
	ok(ct_flag_.on == CTP_FLAG_ON && errno == 77, "it is not asked for each");
	ct_p_missed(me, 1024);
	ok(!ct_flag_.on && errno == 77, "it is gone");
	ct_p_.box = 1;
	ct_p_.flags = me->flags = 0;
	world.fixed = true;
	world.now = (1 << 24) + 5;
	me->asked = 5;
	ctp_store(&ct_flag_.on, CTP_FLAG_ON);
	ct_p_missed(me, 1024);
	ok(me->asked == 5 && ct_flag_.on, "a box's is asked for more rarely");
	world.now++;
	ct_p_missed(me, 1);
	ok(me->asked == world.now && ct_flag_.on, "by its lock");
}

static void room(void)
{
	struct ct_writer *me;
	struct ctp_event *e;

	begin();
	ct_p_.overwrites = ct_p_.box = 0;
	ct_p_open_slots(0);
	me = writer_of(0);
	me->slots = (struct ctp_event *)(void *)ct_p_.slots;
	me->head = 64;
	rings[0].head = 64;
	rings[0].tail = 1;
	ok(ct_p_room(me) == 1 && me->limit == 65 && rings[0].head == 64, "one slot");
	rings[0].dropped = 3, rings[0].drop_first = 40, rings[0].drop_last = 50;
	ok(!ct_p_room(me) && rings[0].dropped == 4, "is too few where a loss is to be said");
	rings[0].tail = 2;
	me->last_ts = 60;
	rings[0].drop_last = 50;
	ok(ct_p_room(me) == 1 && me->limit == 66 && rings[0].head == 65 && me->reported == 4, "two");
	e = &slots[0];
	ok(e->kind == CTP_LOST && e->arg == 4 && e->addr == 40 && e->timestamp == 60 && !e->seq && me->last_ts == 60, "how many, from when to when");
	rings[0].dropped = 5, rings[0].drop_last = 70;
	rings[0].tail = 10;
	ct_p_.overwrites = 1;
	h->session = 5;
	ok(ct_p_room(me) == 1 && slots[1].arg == 1 && slots[1].timestamp == 70 && slots[1].seq == 5 && rings[0].reported == 5, "in a box, how many in all");
	ct_p_.overwrites = 0;
	ct_p_.v1 = 1;
	ok(!ct_p_room(me), "version 1 has no rings");
	ct_p_.v1 = 0;
	for (uint32_t i = 0; i < RINGS; i++)
		rings[i].owner = CTP_OWNER(70, 1);
	me->ring = NULL;
	me->no_ring = 1022;
	rings[2].owner = CTP_RING_FREE;
	ok(!ct_p_room(me) && h->lost_no_ring == 1 && !me->ring, "without a ring: counted");
	ok(ct_p_room(me) == 1 && me->ring == &ct_p_.rings[2] && h->lost_no_ring == 1, "now and then it looks for one");
}

static const struct unit_case all[] = {
	{ "limited", limited }, { "read_by", read_by }, { "late", late }, { "far", far }, { "retired", retired }, { "reaped", reaped }, { "born", born },
	{ "waits", waits }, { "missed", missed }, { "room", room },
};

int main(int argc, char *argv[])
{
	return run_case("looks", all, sizeof all / sizeof *all, argc, argv);
}
