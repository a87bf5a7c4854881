/* attach.c - record a process that runs already: take over its box, print what it holds, go on as
 * if it had been started under us, and let go. ctp(7), "Boxes", has why nothing between tail and
 * head is overwritten after the switch. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "../complain.h"
#include "../event.h"
#include "../extra/clock.h"
#include "../extra/process.h"
#include "../extra/stack.h"
#include "../harvest.h"
#include "../line.h"
#include "../options.h"
#include "../print.h"
#include "../region.h"
#include "../signals.h"
#include "../site.h"
#include "../stations.h"
#include "../totals.h"
#include "box.h"
#include "modes.h"
#include "others.h"

enum {
	SECOND = 1000000000,
	NAP_MIN = 50000,
	NAP_MAX = 1000000,
	AWAKE = 5000000,
	ASLEEP = SECOND / 4
};
static volatile sig_atomic_t stop;

static void on_stop(int sig)
{
	if (stop)		/* whatever keeps the trace from being finished */
		signal(sig, SIG_DFL);
	stop = 1;
}

static void handle_signals(void)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction sa = { .sa_handler = on_stop };
	size_t i;

	sigemptyset(&sa.sa_mask);
	for (i = 0; i < sizeof all / sizeof *all; i++)
		if (!signal_spared(all[i]))
			sigaction(all[i], &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* ---- the session ---- */

static void nap(uint64_t ns)
{
	struct timespec ts = { 0, (long)ns };

	nanosleep(&ts, NULL);
}

/* One recorder at a time: the lock dies with whoever holds it. For a moment the program itself has it,
 * where it leaves the box for one that was killed. */
static bool lock(const struct region *r, pid_t pid)
{
	struct flock l = { .l_type = F_WRLCK, .l_len = 1 };
	int tries = 20;

	for (; fcntl(r->fd, F_OFD_SETLK, &l) < 0; nap(NAP_MAX)) {
		if (errno == EAGAIN && tries-- > 0)
			continue;
		if (errno == EAGAIN || errno == EACCES)
			complain("process %ld is being recorded already, by process %u", (long)pid,
				ctp_load(&r->h->reader_pid));
		else
			complain("process %ld: its box cannot be locked: %s", (long)pid,
				strerror(errno));
		return false;
	}
	return true;
}

/* The switch. Tails first, with an eighth of room for what is written meanwhile, but never above
 * head: a tail must not be lowered once a writer may have seen it, from the store of the session
 * on. Then the session; then, behind the fence that pairs with the writers', the limits once more.
 * From there on [tail, head) of each ring is whole, and stays so. */
static void session_begin(const struct region *r)
{
	uint32_t i, s = ctp_load(&r->h->session);
	uint64_t n = r->ring_slots, tail, head;

	for (i = 0; i < harvest_rings(r); i++) {
		head = ctp_load_acquire(&r->rings[i].head);
		tail = image_above(ctp_load(&r->rings[i].limit), n - n / 8);
		ctp_store(&r->rings[i].tail, tail < head ? tail : head);
	}
	ctp_store(&r->h->reader_pid, (uint32_t)getpid());
	ctp_store_release(&r->h->session, s % 2 ? s + 2 : s + 1);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (i = 0; i < r->ring_count; i++) {		/* rings_used may have risen */
		struct ctp_ring *ring = &r->rings[i];

		tail = image_above(ctp_load_acquire(&ring->limit), n);
		if (tail < ctp_load(&ring->tail) && i < harvest_rings(r))
			tail = ctp_load(&ring->tail);
		if (tail > ctp_load_acquire(&ring->head))
			tail = ctp_load(&ring->head);
		tail = harvest_since(r, i, tail, ctp_load(&r->h->forget_ticks));
		ctp_store_release(&ring->tail, tail);
		harvest_adopt(i, tail, ctp_load(&ring->reported));
	}
}

/* Who asked for the box has no more use for it: the next look of a writer's switches its probe
 * off. */
static void session_end(const struct region *r)
{
	uint32_t stay = CTP_STAY;

	if (r->birth.born_late)
		__atomic_compare_exchange_n(&r->h->leave, &stay, CTP_LEAVE, 0, __ATOMIC_RELAXED,
			__ATOMIC_RELAXED);
	ctp_store_release(&r->h->session, ctp_load(&r->h->session) + 1);
}

/* ---- reading ---- */

/* Announce sleep, make every writer see it or us see what it wrote (membarrier), look once more,
 * and sleep until one rings. */
static void sleep_until_rung(const struct region *r, uint64_t ns)
{
	enum { GLOBAL_EXPEDITED = 1 << 1 };
	struct timespec ts = { (time_t)(ns / SECOND), (long)(ns % SECOND) };

	__atomic_store_n(&r->h->tracer_sleeping, 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (syscall(SYS_membarrier, GLOBAL_EXPEDITED, 0, 0) < 0 && ts.tv_sec == 0 &&
		ts.tv_nsec > NAP_MAX)
		ts.tv_nsec = NAP_MAX;	/* the bell may be missed */
	if (!harvest_pending(r) && !stop)
		syscall(SYS_futex, &r->h->tracer_sleeping, FUTEX_WAIT, 1, &ts);
	__atomic_store_n(&r->h->tracer_sleeping, 0, __ATOMIC_SEQ_CST);
}

static bool has_open(pid_t pid, const struct stat *box)
{
	int fd = find_fd(pid, CTP_BOX_NAME, O_RDONLY);
	struct stat st;
	bool has = fd >= 0 && fstat(fd, &st) == 0 && st.st_ino == box->st_ino;

	if (fd >= 0)
		close(fd);
	return has;
}

/* Once its box was seen in its memory: on some file systems its number is another there. Or it has
 * closed the box too, as it does where it executes something before we look. */
static bool has_executed(const struct region *r, pid_t pid)
{
	static bool mapped;
	struct stat st;

	if (fstat(r->fd, &st) < 0)
		return false;
	if (!mapped && (mapped = process_maps(pid, st.st_ino)))
		return false;
	if (!process_unmapped(pid, st.st_ino) || !process_lives(pid))
		return false;
	if (!mapped && has_open(pid, &st))
		return false;
	complain("process %ld executes another program now; its box went with the one before", (long)pid);
	return true;
}

/* false: that was all of it. */
static bool each_second(
	const struct region *r, pid_t pid, uint64_t now, uint64_t *printed, uint64_t *seen_alive)
{
	bool ended = false;

	static uint64_t last;
	uint64_t slept = clock_slept();

	if (now - last >= SECOND) {
		last = now;
		clock_tick();
		if (!r->foreign)
			harvest_reap(r);
		others_look(now);
		ended = has_executed(r, pid);
		if (!ended && process_lives(pid))
			*seen_alive = now;
	}
	if (slept || now - *printed >= SECOND) {
		print_sync(now - 2 * HOLD_BACK_NS, slept);
		*printed = now;
	}
	return !ended;
}

/* Of a process that lives no more, or is stopped: the latest that is known of it. */
static uint64_t went_on(uint64_t seen)
{
	uint64_t last = states_last();

	return seen > last ? seen : last;
}

/* Until we are stopped, nobody reads the trace any more, or the process has ended: true. alive: when
 * it was last seen to live, 0 = never yet. */
static bool follow(const struct region *r, pid_t pid, uint64_t *alive)
{
	struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	uint64_t last = clock_ns(), printed = last, wait = NAP_MIN;
	bool ended = false;

	*alive = process_lives(pid) ? last : went_on(*alive);
	while (!stop && !print_failed() && !ended) {
		uint64_t got = harvest(r), now = clock_ns();

		if (got)
			last = printed = now;
		if ((ended = !each_second(r, pid, now, &printed, alive)))
			break;
		if (got > r->ring_slots / 8)
			continue;
		print_flush();
		ended = end.fd >= 0 ? poll(&end, 1, 0) > 0 : kill(pid, 0) < 0 && errno == ESRCH;
		if (ended)
			break;
		if (now - last > AWAKE)
			sleep_until_rung(r, ASLEEP);
		else
			nap(wait);
		wait = got > r->ring_slots / 16 ? NAP_MIN : wait * 2 < NAP_MAX ? wait * 2 : NAP_MAX;
	}
	if (end.fd >= 0)
		close(end.fd);
	return ended;
}

/* What was written until now, and what was lost. */
static void finish(const struct region *r, pid_t pid, bool ended, uint64_t alive)
{
	bool all_states;

	others_look(clock_ns());
	nap(2 * HOLD_BACK_NS);
	harvest(r);
	others_look(clock_ns());
	harvest_end(r);
	all_states = totals.lost && stations_print(r);
	if (ended)
		print_exit(clock_ns(), pid, -1, alive);
	print_end(clock_ns(), all_states, ended || process_lives(pid) ? 0 : alive);
}

/* As the trace names it: in the numbers of the namespace that the box was made in. */
static uint32_t number_of(const struct region *r, pid_t pid)
{
	return r->foreign ? process_inner(pid) : (uint32_t)pid;
}

static int record(struct region *r, pid_t pid)
{
	uint64_t alive = clock_ns();
	bool ended;

	if (!process_lives(pid))	/* before the states, which may take long */
		alive = 0;
	site_init(r);
	stack_init(r);
	harvest_init(r);
	harvest_on_start(states_again);
	others_init(r, number_of(r, pid), r->fd);
	process_seen(number_of(r, pid), pid, true);
	session_begin(r);
	states_print(r);
	ended = follow(r, pid, &alive) || has_executed(r, pid);
	finish(r, pid, ended, alive);
	session_end(r);
	return 0;
}

static bool take(struct region *r, pid_t pid, int fd)
{
	char what[64];

	snprintf(what, sizeof what, "process %ld", (long)pid);
	if (!image_map(r, fd, what) || !lock(r, pid))
		return false;
	clock_use(&r->birth, true);
	r->foreign = process_is_foreign(r->birth.pid_ns);
	return true;
}

/* The last recorder asked for this box, and has left it. Where that was not noticed yet, nothing
 * was missed. */
static bool was_left(const struct region *r)
{
	uint32_t leave = CTP_LEAVE;

	return !__atomic_compare_exchange_n(&r->h->leave, &leave, CTP_STAY, 0, __ATOMIC_ACQUIRE,
		       __ATOMIC_ACQUIRE) &&
		leave == CTP_LEFT;
}

/* It has no box, or one that it has left: the trace begins now, and whatever stands still is not in
 * it. 0: there is one now; -1: there is none, for we were stopped, or it ended; -2: an error. */
static int ask(struct options *o, struct region *r, int *fd)
{
	int had = *fd;

	if (!o->quiet)
		complain(
			"process %ld keeps no box: what stands still there is not seen, only what moves from now on "
			"(CTP_BOX=1 in its environment keeps one)",
			(long)o->pid);
	*fd = flag_ask(o->pid, had < 0 ? NULL : r, &stop);
	if (*fd < 0)
		return stop || !process_exists(o->pid) ? -1 : -2;
	return had >= 0 || take(r, o->pid, *fd) ? 0 : -2;
}

int attach(struct options *o)
{
	struct region r = { .fd = -1 };
	int fd, asked = 0;
	bool late, left;
	char more[96];

	handle_signals();
	image_guard();
	fd = find_box(o->pid, O_RDWR, true);
	if (fd < 0 && fd != NO_BOX)
		return 125;
	if (!o->quiet && !process_lives(o->pid))
		complain(
			"process %ld is stopped: what it was about to do cannot be judged; let it go on first",
			(long)o->pid);
	late = fd < 0;
	if (!late && !take(&r, o->pid, fd))
		return 125;
	left = !late && was_left(&r);
	late |= r.birth.born_late != 0;
	process_command(o->pid, o);
	snprintf(more, sizeof more, ",\"attached\":true%s%s", late ? ",\"born_before\":true" : "",
		find_others(o->pid) ? ",\"partial\":true" : "");
	print_meta(o->command, clock_ns(), wall_ns(), more);
	if (fd < 0 || left) {
		print_flush();
		asked = ask(o, &r, &fd);
	}
	if (asked == -2)
		return 125;
	if (asked == 0)
		record(&r, o->pid);
	else
		print_end(clock_ns(), false, 0);
	return print_close() ? 0 : 125;
}
