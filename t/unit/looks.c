/* looks.c - the rings of the C probe that overwrite (sdk/c/ct-box.h) and those that wait (ct-ring.h), against the region of probe.c, in a world
 * of its own time: who reads, how far one may write, whose ring may be taken, what is counted. looks CASE; t/cases/probe.t runs each.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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
	unsigned kills, allocations;
	int full;			/* why there is no room for a file */
	unsigned interrupted;		/* so often a signal comes first */
	long off, len;			/* what was asked for */
	const void *dumped;
	size_t dumped_size;
} world;

static void at_fence(void)
{
	world.fences++;
	if (world.at_fence)
		world.at_fence();
}

static int world_nap(long sec, long ns);
static long world_kill(int pid, int tid, int sig)
{
	world.killed[world.kills++ % 8] = (uint32_t)pid * 1000 + (uint32_t)tid + (sig ? 500 : 0);
	errno = world.dead_error;
	return (uint32_t)tid == world.dead ? -1 : 0;
}

#define __atomic_thread_fence(order) (at_fence(), __atomic_thread_fence(order))
#define nanosleep(t, rest) world_nap((long)(t)->tv_sec, (t)->tv_nsec)
#define fallocate(fd, how, off, len) world_allocate(fd, how, off, len)
#define madvise(at, len, how) ((how) == MADV_DODUMP ? world.dumped = (at), world.dumped_size = (len) : 0, (madvise)(at, len, how))
#define clock_gettime(clock, t) (world.fixed ? (void)((t)->tv_sec = (time_t)(world.now / 1000000000), (t)->tv_nsec = (long)(world.now % 1000000000)) : \
	(void)(clock_gettime)(clock, t))
#define mprotect(at, size, how) (asked++, (mprotect)(at, size, how))
static int asked;
static int world_allocate(int fd, int how, long off, long len);
static long world_call(long call, ...);
#define syscall world_call
#include "../../sdk/c/ct.c"
#undef syscall
#undef nanosleep
#undef fallocate
#undef madvise
#undef mprotect
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
static int world_nap(long sec, long ns)
{
	nap_ns[world.naps % 100] = ns + sec * 1000000000;
	if (++world.naps > 90)
		exit(99);
	if (world.in_nap)
		world.in_nap();
	errno = EINTR;
	return 0;
}

static int world_allocate(int fd, int how, long off, long len)
{
	world.allocations += fd == ct_p_.box_fd && !how;
	world.off = off, world.len = len;
	if (world.interrupted && world.interrupted--)
		return errno = EINTR, -1;
	if (world.full == EFBIG)
		raise(SIGXFSZ);
	errno = world.full;
	return world.full ? -1 : 0;
}

static struct ct_writer other;
static struct ct_writer *writer_of(uint32_t i)		/* of ring i */
{
	memset(&other, 0, sizeof other);
	other.ours = 1;
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

/* What a set of signals may have been before it is emptied. */
__attribute__((noinline)) static void dirty(void)
{
	volatile char room[4096];

	memset((char *)room, 0xff, sizeof room);
	__asm__ volatile("" : : "r"(room) : "memory");
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
	dirty();
	ct_p_no_xfsz(&was);
	sigprocmask(SIG_SETMASK, NULL, &is);
	ok(!sigismember(&is, SIGUSR1), "no other is blocked");
	sigaddset(&is, SIGUSR1);
	sigprocmask(SIG_SETMASK, &is, NULL);
	raise(SIGUSR1);
	dirty();
	ct_p_xfsz_again(&was, 0);
	sigaddset(&was, SIGUSR1);
	ct_p_xfsz_again(&was, 1);
	sigpending(&is);
	ok(sigismember(&is, SIGUSR1), "nor taken");
	sigemptyset(&is);
	sigaddset(&is, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &is, NULL);
	ok(!ct_p_no_xfsz(&was) && sigismember(&was, SIGXFSZ), "it is blocked anyway");
	raise(SIGXFSZ);
	ct_p_xfsz_again(&was, 0);
	sigpending(&is);
	ok(sigismember(&is, SIGXFSZ) && !signals_seen, "then it stays the program's");
}

/* A part of a box comes into use. */
static void used(void)
{
	struct ct_writer *me;
	struct stat st;

	begin();
	signal(SIGXFSZ, on_xfsz);
	ct_p_.base = base;
	ok(ct_p_box_use(base + 4096, 8192) && world.dumped == base + 4096 && world.dumped_size == 8192 && !world.allocations, "cores have it");
	ct_p_.box_file = 1;
	ct_p_.box_fd = memfd_create("box", MFD_CLOEXEC);
	ok(!ct_p_box_use(base, 4096) && !world.allocations && world.dumped == base + 4096, "a descriptor that is the program's is left alone");
	fstat(ct_p_.box_fd, &st);
	ct_p_.box_dev = st.st_dev, ct_p_.box_ino = st.st_ino;
	ct_p_.full_len = 0;
	ok(ct_p_box_use(base + 4096, 4096) && world.allocations == 1 && world.off == 4096 && world.len == 4096 && world.dumped_size == 4096, "a file has room for it");
	world.full = ENOSPC;
	ok(!ct_p_box_use(base, 8192) && world.allocations == 2 && world.dumped_size == 4096, "or has not");
	ok(!ct_p_box_use(base, 8192) && world.allocations == 2, "that is not asked at each event");
	world.full = 0, world.interrupted = 5;
	ct_p_.full_len = 0;
	ok(ct_p_box_use(base, 8192) && world.allocations == 8 && !ct_p_.full_len, "a signal that comes meanwhile is no full disk");
	world.interrupted = 1000;
	ok(!ct_p_box_use(base, 8192) && world.interrupted > 800, "but nobody is interrupted for ever");
	world.interrupted = 0;
	ct_p_.full_len = 0;
	world.full = EOPNOTSUPP;
	ok(ct_p_box_use(base, 4096) && ct_p_.strict, "or cannot be asked: its pages are asked for");
	ct_p_.strict = 0;
	world.full = EFBIG;
	ct_p_.full_len = 0;
	ok(!ct_p_box_use(base, 8192) && !signals_seen, "a limit is no signal");
	raise(SIGXFSZ);
	ok(signals_seen == 1, "later it is");
	me = writer_of(0);
	me->ring = NULL;
	ok(!ct_p_claim_free(me) && !me->ring && rings[0].owner == CTP_RING_FREE, "a ring without room is not taken");
}

/* A table comes into use step by step. */
static void steps(void)
{
	struct ct_part part = { .at = mmap(NULL, 1 << 22, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), .size = (1 << 22) - 4096 };
	uint32_t in_one = CT_STEP / sizeof(struct ctp_event);

	begin();
	ok(ct_p_open(&part, 1, 1 << 16) && part.open == 1 << 16 && world.dumped == part.at && world.dumped_size == 1 << 16, "the first");
	world.dumped = NULL;
	ok(ct_p_open(&part, 1 << 16, 1 << 16) && part.open == 1 << 16 && !world.dumped, "to its end");
	ok(ct_p_open(&part, (1 << 16) + 1, 1 << 16) && part.open == 2 << 16 && world.dumped == part.at + (1 << 16) && world.dumped_size == 1 << 16, "the next");
	ok(ct_p_open(&part, 3 << 16, 1 << 16) && part.open == 3 << 16, "up to its end");
	part.at[(3 << 16) - 1] = 1;
	ok(ct_p_open(&part, part.size, 1 << 16) && part.open == part.size && world.dumped_size == part.size - (3 << 16), "no more than there is");
	ct_p_.births = NULL;
	ct_p_.station_part = (struct ct_part){ .at = mmap(NULL, 1 << 22, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), .size = 1 << 22 };
	ct_p_.birth_part = (struct ct_part){ .at = mmap(NULL, 1 << 22, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), .size = 1 << 22 };
	ok(ct_p_open_station(0) && ct_p_.station_part.open == CT_STEP && !ct_p_.birth_part.open, "stations");
	ok(ct_p_open_station(in_one - 1) && ct_p_.station_part.open == CT_STEP && ct_p_open_station(in_one) && ct_p_.station_part.open == 2 * CT_STEP, "by their number");
	ct_p_.births = (struct ctp_birth *)(void *)ct_p_.birth_part.at;
	in_one = CT_STEP / 2 / sizeof(struct ctp_birth);
	ok(ct_p_open_station(in_one - 1) && ct_p_.birth_part.open == CT_STEP / 2 && ct_p_open_station(in_one) && ct_p_.birth_part.open == CT_STEP, "and births");
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
static uint32_t late_lock;		/* and what is there while it is written */
static uint64_t late_before;
static void at_late(void)
{
	late_lock = h->late_lock;
	late_before = h->late_ticks;
}

static bool noted(uint64_t at)
{
	uint32_t lock = h->late_lock;
	uint64_t before = h->late_ticks;

	world.now = at;
	world.fences = 0;
	world.at_fence = at_late;
	ct_p_box_late(h, 0);
	world.at_fence = NULL;
	if (h->late_ticks == before && h->late_lock == lock)
		return false;
	ok(h->late_ticks == at && h->late_ns == at && h->late_lock == lock + 2 && world.fences == 1 && late_lock == lock + 1 && late_before == before, "whole");
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

/* As ct_p_look finds nobody, where the recorder of session 9 is dead: is the probe off? */
static bool is_left(uint32_t on, uint32_t session)
{
	h->leave = CTP_STAY;
	h->session = session;
	ct_p_.gone = 9;
	ct_p_.gate = 0;
	ct_p_set_floor();
	ctp_store(&ct_flag_.on, on);
	ct_p_nobody_reads(h, 9, 0);
	return h->leave == CTP_LEFT && !ct_flag_.on && ct_p_gone();
}

static void killed(void)
{
	struct flock first = { .l_type = F_WRLCK, .l_len = 1 };
	char path[64];
	struct stat st;
	int other;
	pid_t pid;

	begin();
	ct_p_.box_fd = memfd_create("box", MFD_CLOEXEC);
	fstat(ct_p_.box_fd, &st);
	ct_p_.box_dev = st.st_dev, ct_p_.box_ino = st.st_ino;
	snprintf(path, sizeof path, "/proc/self/fd/%d", ct_p_.box_fd);
	other = open(path, O_RDWR | O_CLOEXEC);
	errno = 77;
	ok(is_left(CTP_FLAG_LENT, 9) && errno == 77, "who asked for the box was killed: it is left");
	ok(!fcntl(other, F_OFD_SETLK, &first), "and may be had");
	ok(!is_left(CTP_FLAG_LENT, 9) && h->leave == CTP_STAY && ct_flag_.on == CTP_FLAG_LENT, "not where another is about to read");
	close(other);
	ok(!is_left(CTP_FLAG_LENT, 11) && h->leave == CTP_STAY && ct_flag_.on == CTP_FLAG_LENT, "or does");
	ok(!is_left(CTP_FLAG_ON, 9) && h->leave == CTP_STAY && ct_flag_.on == CTP_FLAG_ON, "nor what the program keeps for itself");
	/* where a recorder made the region */
	ct_p_.box = 0;
	ct_p_.sock = -1;
	h->recorder_pid = (uint32_t)getpid();
	h->late_ticks = 0;
	ct_p_nobody_reads(h, 0, 0);
	ok(ct_flag_.on == CTP_FLAG_ON, "one that lives");
	if ((pid = fork()) == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	h->recorder_pid = (uint32_t)pid;
	ct_p_nobody_reads(h, 0, 0);
	ok(ct_flag_.on == CTP_FLAG_ON, "is not asked for each time");
	h->late_ticks = 0;
	ct_p_nobody_reads(h, 0, 0);
	ok(ct_flag_.on == CTP_FLAG_OFF, "one that is dead: nobody reads any more");
}

static void owns(uint32_t i, uint64_t owner, uint64_t ts)
{
	rings[i].owner = owner;
	rings[i].head = ts ? 70 : 0;
	slots[i * 64 + 5].timestamp = ts;
}

#define ENDED(tid) (CTP_OWNER(70, tid) | CTP_RING_RETIRED)
static void retired(void)
{
	struct ct_writer *me;
	struct stat st;

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
	asked = 0;
	ok(ct_p_claim_retired(me, 1) && me->ring == &ct_p_.rings[2] && rings[2].owner == CTP_OWNER(77, 5), "else the one that is silent for the longest");
	me->ring = NULL;
	ok(ct_p_claim_retired(me, 0) && me->ring == &ct_p_.rings[0], "no other's, nor one that was never used");
	h->rings_used = 99;
	rings[RINGS].owner = ENDED(9);
	me->ring = NULL;
	ok(ct_p_claim_retired(me, 0) && me->ring == &ct_p_.rings[3] && !ct_p_claim_retired(me, 0), "no more than there are");
	ok(asked == 1, "each is opened once: not by each thread that begins");
	owns(0, ENDED(1), 10);
	owns(1, ENDED(2), 50);
	h->session = 7;
	ct_p_.box_fd = memfd_create("box", MFD_CLOEXEC);
	fstat(ct_p_.box_fd, &st);
	ct_p_.box_dev = st.st_dev, ct_p_.box_ino = st.st_ino;
	ok(ct_p_claim_retired(me, 0) && me->ring == &ct_p_.rings[0] && ct_p_.gone == 7, "who read is gone; the first may be the oldest");
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
	rings[RINGS].owner = CTP_OWNER(70, 3);
	ct_p_.pid = CTP_NUMBERS;
	ct_p_reap_rings(me);
	ok(world.kills == 4, "nor any, where numbers are of another namespace");
	ct_p_.pid = CTP_NUMBERS - 1;
	ct_p_reap_rings(me);
	ok(world.kills == 5 && rings[RINGS].owner == CTP_OWNER(70, 3) && rings[3].owner & CTP_RING_RETIRED, "all others");
}

static void claimed(void)
{
	struct ct_writer *me;

	begin();
	ct_p_.box = 0;
	for (uint32_t i = 0; i < RINGS; i++)
		owns(i, CTP_OWNER(70, 2), 10);
	h->rings_used = RINGS;
	me = writer_of(0);
	me->ring = NULL;
	rings[1].owner = ENDED(4);
	ok(ct_p_claim(me) == 1 && me->ring == &ct_p_.rings[1] && !world.kills, "that of the last that ended, where none is free");
	ok(!ct_p_claim(me) && world.kills == RINGS, "else it is asked who lives");
	world.dead = 3;
	world.dead_error = ESRCH;
	rings[2].owner = CTP_OWNER(70, 3);
	ok(ct_p_claim(me) == 1 && me->ring == &ct_p_.rings[2], "that of one that was killed");
	rings[3].owner = CTP_RING_FREE;
	rings[0].owner = ENDED(4);
	ok(ct_p_claim(me) == 1 && me->ring == &ct_p_.rings[3], "one that is free before the last one's");
	ct_p_.overwrites = 0;
	ok(!ct_p_claim(me), "where they are read, one that is free only");
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

static void reads_late(void)
{
	if (world.naps == 25)
		rings[0].tail = 15;
	if (world.naps == 26)
		rings[0].tail = 16;
}

static void stands(void)
{
	struct ctp_event e;
	struct ct_coro c;
	uint64_t last;

	attach(1, 64, 0);
	world.fixed = true;
	world.now = 100000000000;
	ct_create(&c, 0, CT_NOWHERE, NULL, NULL);
	last = c.last_ts;
	ok(take(0, &e) && take(0, &e) && e.kind == CTP_CREATE && e.timestamp == world.now, "the clock's time");
	ct_resume(&c);
	ok(take(0, &e) && e.timestamp == last + 1, "where the clock stands a coroutine's rises");
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
	rings[0].tail = 0;
	world.naps = 0;
	world.in_nap = reads_late;
	ok(ct_p_wait(me, 1) == 16 && world.naps == 26 && nap_ns[20] == 1000000 && nap_ns[24] == 1000000, "no longer, and not for 15");
	world.naps = 30;
	ok(ct_p_wait(me, 16) == 16 && world.naps == 30, "not where there is room");
	rings[0].tail = 10;
	world.in_nap = NULL;
	ct_p_.sock_ino++;
	ok(ct_p_wait(me, 1) == 10 && world.naps == 30, "not without a connection");
	ct_p_.sock_ino--;
	me->ours = 0;
	ok(ct_p_wait(me, 1) == 10 && world.naps == 30, "nor for what is a parent's");
	me->ours = 1;
	ctp_store(&ct_flag_.on, 0);
	ok(ct_p_wait(me, 1) == 10 && world.naps == 30, "nor where nothing is recorded");
	ctp_store(&ct_flag_.on, CTP_FLAG_ON);
	close(recorder);
	ok(ct_p_wait(me, 1) == 10 && world.naps == 31 && !ct_flag_.on, "nor for one that is gone");
}

static void missed(void)
{
	struct ct_writer *me;
	struct stat st;

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
	h->session = 5;
	ct_p_.box_fd = memfd_create("box", MFD_CLOEXEC);
	fstat(ct_p_.box_fd, &st);
	ct_p_.box_dev = st.st_dev, ct_p_.box_ino = st.st_ino;
	ct_p_missed(me, 1);
	ok(me->asked == world.now && ct_flag_.on && ct_p_.gone == 5, "by its lock");
	world.now += (1 << 24) + 1;
	ct_p_.box_fd = -1;
	errno = 77;
	ct_p_missed(me, 1);
	ok(me->asked == world.now && errno == 77, "whatever that says");
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
	ok(e->kind == CTP_LOST && e->arg == 4 && e->addr == 40 && e->timestamp == 60 && !e->seq && me->last_ts == 60 && !e->probe_id && !e->n && !e->site &&
		!e->arg_kind && !e->is_active, "how many, from when to when");
	rings[0].dropped = 5, rings[0].drop_last = 70;
	rings[0].tail = 10;
	ct_p_.overwrites = 1;
	h->session = 5;
	ok(ct_p_room(me) == 1 && slots[1].arg == 1 && slots[1].timestamp == 70 && slots[1].seq == 5 && rings[0].reported == 5 && me->last_ts == 70,
		"in a box, how many in all");
	world.now = 1000;
	ct_p_drop(me);
	world.now = 1010;
	ct_p_drop(me);
	ok(rings[0].dropped == 7 && rings[0].drop_first == 1000 && rings[0].drop_last == 1010, "when the first and the last was lost");
	me->last_ts = 1020;
	ct_p_drop(me);
	ok(rings[0].drop_last == 1020 && rings[0].drop_first == 1000, "not before what was written");
	me->reported = rings[0].dropped;
	ct_p_drop(me);
	ok(rings[0].drop_first == 1020, "nor the next first");
	me->reported = rings[0].dropped;
	ct_p_.overwrites = 0;
	me->flags |= CTP_F_BLOCK;
	rings[0].tail = me->head - 63;
	ok(ct_p_room(me) == 1 && !world.naps, "one slot is enough, and not waited for");
	me->flags &= ~(uint32_t)CTP_F_BLOCK;
	rings[0].tail = me->head - 64;
	rings[0].dropped = me->reported = 2048;
	close(recorder);
	ok(!ct_p_room(me) && rings[0].dropped == 2049 && !ct_flag_.on, "and who finds none asks for the recorder now and then");
	ctp_store(&ct_flag_.on, CTP_FLAG_ON);
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
	{ "limited", limited }, { "used", used }, { "steps", steps }, { "read_by", read_by }, { "late", late }, { "far", far }, { "killed", killed }, { "retired", retired }, { "reaped", reaped }, { "claimed", claimed }, { "born", born },
	{ "stands", stands }, { "waits", waits }, { "missed", missed }, { "room", room },
};

int main(int argc, char *argv[])
{
	return run_case("looks", all, sizeof all / sizeof *all, argc, argv);
}
