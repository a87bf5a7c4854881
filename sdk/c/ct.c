/* ct.c - the corotrace probe: what ct.h promises, written into the shared memory that ctp.h lays
 * out.
 *
 * Compiles as C11, and as a header for C++17 and later where CT_HEADER_ONLY is defined. The state
 * is external (and inline in C++), so that both forms may meet in one program. ctp(7) has the
 * argument for each memory order used here in full.
 */
#ifndef CT_C
#define CT_C
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "ct.h"
#if __has_include("ctp.h")
#include "ctp.h"
#else
#include "../ctp/ctp.h"
#endif

#if defined __cplusplus && defined CT_HEADER_ONLY
#define CT_FN inline
/* Never inlined into a coroutine: Clang before 17 keeps the address of a thread-local across a
 * suspension. */
#define CT_API inline __attribute__((noinline))
#define CT_VAR inline
#define CT_TLS inline thread_local
#define CT_COLD inline __attribute__((cold))
#define CT_INLINE inline
#else
#define CT_FN static
#define CT_API __attribute__((noinline))	/* so that what it returns to is the program's */
#define CT_VAR
#define CT_TLS _Thread_local
#define CT_COLD static __attribute__((noinline, cold, unused))
#define CT_INLINE static inline
#endif
#define CT_HOT CT_INLINE __attribute__((always_inline))
#define CT_LIKELY(x) __builtin_expect(!!(x), 1)
#define CT_UNLIKELY(x) __builtin_expect(!!(x), 0)

#pragma weak dlopen		/* in libdl before glibc 2.34; nobody has to link it for this */
#pragma weak dladdr

#ifdef __cplusplus
extern "C" {
#endif

CTP_ASSERT_((int)CT_ON_USER == (int)CTP_ON_USER && (int)CT_ON_JOIN == (int)CTP_ON_JOIN);
CTP_ASSERT_((int)CT_ON_FD == (int)CTP_ON_FD && (int)CT_ON_CORO == (int)CTP_ON_CORO);
CTP_ASSERT_((int)CT_BLOCKING == (int)CTP_ROLE_BLOCKING && CT_DEPTH_UNKNOWN == CTP_UNKNOWN);

/* an event is written as eight of these */
typedef uint64_t ct_word __attribute__((__may_alias__));
/* or four: fewer stores are faster */
typedef uint64_t ct_pair __attribute__((__vector_size__(16), __may_alias__));

enum {
	CT_IDS = 64,
	CT_STATIONS = 64,
	CT_SITES = 256,
	CT_TEXT_MAX = 4000,
	CT_TABLE = 1 << 16,
	CT_STACK_TABLE = 1 << 18,
	CT_PROBES = 64,
	CT_ALIGN = 1 << 16 /* no page is larger */,
	CT_STEP = 1 << 20
};
#define CT_DONE UINT64_MAX

#include "ct-stack.h"

struct ct_cached_site {
	const char *func, *file;
	uint32_t line, index;
};

/* What one thread writes with. In memory of its own, so that thread-local storage holds one
 * pointer. */
struct ct_writer {
	/* a page that the kernel zeroes in a child, be it made by fork() or without
	 * (MADV_WIPEONFORK) */
	/* 0: a probe call is under way, which one from a signal handler finds; or this is a
	 * child */
	uint32_t idle;
	uint32_t ours;		/* 0: this is a child */
	uint32_t taken;		/* atomic; of CTP_F_QUIET's store */
	char page[CT_ALIGN - 12];
	struct ctp_event *slots;
	uint64_t mask, head;
	/* head may come up to here without a look at the ring's tail; 0: no ring */
	uint64_t limit;
	uint64_t last_ts, tid, current;
	struct ctp_ring *ring;
	struct ctp_header *hdr;
	struct ctp_event *stations;
	/* time is a system call, publishing needs a fence, or call stacks are asked for */
	uint32_t slow;
	uint32_t flags;
	uint64_t told;		/* of ring->dropped, how many a CTP_LOST event has reported */
	uint64_t id_next, id_end;
	uint64_t no_ring;
	uint64_t asked;		/* when it was last seen whether the recorder lives */
	uint32_t station_count, station[CT_STATIONS];
	struct ct_cached_site site[CT_SITES];
	struct ct_stacks stacks;	/* untouched, and so no memory, where none are asked for */
};

/* A table of the region in this process. Its addresses are there from the beginning, the right to
 * use them comes by need: what may not be touched costs nothing where a program locks all its
 * memory. */
struct ct_part {
	char *at;
	uint64_t size, open;	/* bytes; open: atomic, the first that may be used */
};

/* What a process shares. Written before ct_flag_.on is set (release), read after it is seen
 * (acquire) or by way of a writer. */
struct ct_shared {
	char *base;
	struct ctp_header *hdr;
	struct ctp_ring *rings;
	char *slots;
	struct ctp_event *stations;
	struct ctp_birth *births;	/* NULL: none */
	struct ctp_site *sites;
	char *strings;
	struct ct_part site_part, string_part, station_part, slot_part, birth_part;
	/* ids up to floor are those of a process that forked this one */
	uint64_t strings_size, floor;
	uint32_t ring_count, ring_slots, station_count, site_count, flags, v1_max;
	uint32_t pid;		/* of the recorder's namespace: CTP_NUMBERS */
	int v1, sock, hooked;
	pid_t process;		/* who we are; another: not by fork() */
	int overwrites;		/* minor 3: rings do, while nobody reads */
	/* the region is our own, or that of the process that forked us; in a file; see
	 * ct_p_make_box */
	int box, box_file, late;
	int box_fd;		/* to be found in /proc, and for the recorder's lock */
	dev_t box_dev;
	ino_t box_ino, flag_ino;
	uint32_t gone;		/* the session whose recorder is dead */
	int flag_shared, flag_fd;
	dev_t sock_dev;
	ino_t sock_ino;
	struct sockaddr_un addr;
	/* high half hash, low half number; 0 = empty */
	uint64_t *text_table, *site_table, *stack_table;
	uint64_t v1_ids;
	pthread_key_t key;
	struct ct_writer *store;	/* CTP_F_QUIET: one for each ring, made at once */
	/* atomic: CT_DONE, or CTP_OWNER() of the thread that is in ct_init, 0: nobody was */
	uint64_t init;
	/* of threads that have none yet: not idle, without a ring; never written to again */
	struct ct_writer starting;
};

CT_VAR struct ct_flag_page_ ct_flag_;
CT_VAR struct ct_shared ct_p_;
CT_TLS struct ct_writer *ct_me_ = NULL;

/* ---- clock ---- */

CT_FN uint64_t ct_p_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* No fence before it: the recorder holds back the newest 50 us of a cut, which no reordering window
 * comes near. */
CT_HOT uint64_t ct_p_now(uint32_t flags)
{
#if defined __x86_64__
	if (CT_LIKELY(flags & CTP_F_TSC))
		return __builtin_ia32_rdtsc();
#elif defined __aarch64__
	uint64_t t;

	if (CT_LIKELY(flags & CTP_F_TSC)) {
		__asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
		return t;
	}
#endif
	(void)flags;
	return ct_p_ns();
}

/* ---- socket: a bell for a sleeping recorder, and the sign that it lives ---- */

/* A target may close any descriptor and get its number for something else, which must not be
 * written to. */
CT_COLD int ct_p_sock_ours(void)
{
	struct stat st;
	int sock = ctp_load(&ct_p_.sock);

	return sock >= 0 && !fstat(sock, &st) && st.st_dev == ct_p_.sock_dev &&
		st.st_ino == ct_p_.sock_ino;
}

/* Which number this process goes by: ctp(7), "Numbers of processes and threads". */
CT_COLD void ct_p_take_number(int sock)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	char bytes[5] = "N";

	/* where there is no connection to ask */
	int inner = ct_p_.pid >= CTP_NUMBERS || !getppid();

	ct_p_.pid = (uint32_t)getpid();
	if (ct_p_.v1 || !ct_p_.hdr->recorder_pid)
		return;
	if (sock >= 0 && !getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		inner = (uint32_t)peer.pid != ct_p_.hdr->recorder_pid;
	if (!inner)
		return;
	ct_p_.pid = ctp_add(&ct_p_.hdr->next_number, 1) & 0x7fffffffu;
	memcpy(bytes + 1, &ct_p_.pid, sizeof(ct_p_.pid));
	if (sock >= 0 && send(sock, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return;
}

/* A connection to the recorder, -1 with errno: none. */
CT_COLD int ct_p_dial(void)
{
	struct timespec wait = { 0, 5000000 };
	int high, tries = 0, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	/* out of the way: programs expect low numbers to be theirs */
	high = fcntl(fd, F_DUPFD_CLOEXEC, 200);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	while (connect(fd, (struct sockaddr *)&ct_p_.addr, sizeof(ct_p_.addr))) {
		if ((errno != EAGAIN && errno != EINTR) || ++tries > 100) {
			int err = errno;

			close(fd);
			errno = err;
			return -1;
		}
		nanosleep(&wait, NULL);
	}
	return fd;
}

/* Make it this process's. */
CT_COLD int ct_p_greet(int fd)
{
	struct stat st;
	char hello[8];

	if (fstat(fd, &st)) {
		close(fd);
		return -1;
	}
	ct_p_take_number(fd);
	if (ct_p_.flags & CTP_F_STACKS) {	/* the recorder has seen where our code lies */
		struct pollfd p = { fd, POLLIN, 0 };

		if (poll(&p, 1, CTP_HELLO_MS) > 0 &&
			recv(fd, hello, sizeof(hello), MSG_DONTWAIT) < 0)
			hello[0] = 0;
	}
	ct_p_.sock_dev = st.st_dev;
	ct_p_.sock_ino = st.st_ino;
	ctp_store(&ct_p_.sock, fd);
	return 0;
}

/* The recorder's memory, where its path leads nowhere from here (another pid namespace with a /proc
 * of its own): by the connection. */
CT_COLD int ct_p_ask_memory(int sock)
{
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control;
	struct pollfd p = { sock, POLLIN, 0 };
	struct msghdr m;
	struct iovec io;
	char byte = 'F';
	int fd;

	if (send(sock, &byte, 1, MSG_NOSIGNAL) != 1 || poll(&p, 1, CTP_MEMORY_MS) <= 0)
		return -1;
	memset(&m, 0, sizeof(m));
	io.iov_base = &byte;
	io.iov_len = 1;
	m.msg_iov = &io;
	m.msg_iovlen = 1;
	m.msg_control = control.room;
	m.msg_controllen = sizeof(control.room);
	if (recvmsg(sock, &m, MSG_CMSG_CLOEXEC) != 1 || byte != 'F' ||
		m.msg_controllen < CMSG_LEN(sizeof(int)) || control.head.cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
	return fd;
}

/* Whoever swaps tracer_sleeping from 1 to 0 rings; acq_rel only so that two of us do not. */
CT_COLD void ct_p_bell(struct ctp_header *hdr)
{
	uint32_t one = 1;
	int err = errno;

	if (ct_p_.store)		/* it does not sleep */
		return;
	if (!__atomic_compare_exchange_n(
		    &hdr->tracer_sleeping, &one, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	/* nobody's socket: the word itself is the bell, across namespaces too */
	else if (ct_p_.box)
		syscall(SYS_futex, &hdr->tracer_sleeping, FUTEX_WAKE, 1, NULL, NULL, 0);
	else if (ct_p_sock_ours() &&
		send(ctp_load(&ct_p_.sock), "1", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
		(errno == EPIPE || errno == ECONNRESET))
		ctp_store(&ct_flag_.on, 0);		/* nobody reads any more */
	errno = err;
}

CT_COLD int ct_p_recorder_gone(void)
{
	struct pollfd p;

	if (ct_p_.store)
		return 0;
	if (!ct_p_sock_ours())		/* a number of our namespace may be asked about */
		return !ct_p_.v1 && ct_p_.pid < CTP_NUMBERS && ct_p_.hdr->recorder_pid &&
		       kill((pid_t)ct_p_.hdr->recorder_pid, 0) && errno == ESRCH;
	p.fd = ctp_load(&ct_p_.sock);
	p.events = 0;
	return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR));
}

/* ---- strings and sites: append-only, each process keeps in mind what it wrote ---- */

CT_COLD uint64_t ct_p_hash(const void *data, size_t len, uint64_t h)
{
	const unsigned char *p = (const unsigned char *)data;

	while (len--)
		h = (h ^ *p++) * 0x100000001b3ull;
	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9ull;
	return h ^ (h >> 32);
}

CT_COLD char *ct_p_page(char *at)
{
	return at - (uintptr_t)at % (uintptr_t)sysconf(_SC_PAGESIZE);
}

CT_COLD int ct_p_box_use(char *at, uint64_t len);

/* May the part's first `end` bytes be used? Each call allows what lies below its own end as well,
 * so that two at once do no harm, and none is taken back. */
CT_COLD int ct_p_open(struct ct_part *part, uint64_t end, uint64_t step)
{
	uint64_t open = ctp_load_acquire(&part->open);
	char *from = ct_p_page(part->at);

	if (CT_LIKELY(end <= open))
		return 1;
	end = (end + step - 1) / step * step;
	if (end > part->size)
		end = part->size;
	if ((ct_p_.box && !ct_p_box_use(part->at + open, end - open)) ||
	    mprotect(from, (size_t)(part->at + end - from), PROT_READ | PROT_WRITE))
		return 0;
	while (open < end &&
		!__atomic_compare_exchange_n(
			&part->open, &open, end, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return 1;
}

/* Take `want` of a bounded table whose fill stands at *used; 0 when it has no room. Never
 * overshoots. */
CT_COLD uint64_t ct_p_take64(uint64_t *used, uint64_t want, uint64_t size)
{
	uint64_t at = ctp_load(used);

	do {
		if (at > size || want > size - at)
			return 0;
	} while (!__atomic_compare_exchange_n(
		used, &at, at + want, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return at;
}

CT_COLD int ct_p_take32(uint32_t *used, uint32_t want, uint32_t size, uint32_t *got)
{
	*got = ctp_load(used);
	do {
		if (*got > size || want > size - *got)
			return 0;
	} while (!__atomic_compare_exchange_n(
		used, got, *got + want, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return 1;
}

/* Within the first `size` bytes of the arena. */
CT_COLD uint32_t ct_p_write_text(const void *text, size_t len, uint64_t size)
{
	uint64_t at = ct_p_take64(&ct_p_.hdr->strings_used, (len + 4 + 7) & ~(uint64_t)7, size);
	struct ctp_string *s = (struct ctp_string *)(void *)(ct_p_.strings + at);

	if (!at || at / 8 > UINT32_MAX || !ct_p_open(&ct_p_.string_part, at + len + 4, CT_STEP))
		return 0;
	memcpy((char *)s + offsetof(struct ctp_string, text), text, len);
	/* pairs with the recorder's acquire: the text is whole */
	ctp_store_release(&s->len, (uint32_t)len + 1);
	return (uint32_t)(at / 8);
}

CT_COLD int ct_p_same_text(uint32_t number, const void *text, size_t len)
{
	struct ctp_string *s = (struct ctp_string *)(void *)(ct_p_.strings + (uint64_t)number * 8);

	return ctp_load_acquire(&s->len) == len + 1 &&
		!memcmp((char *)s + offsetof(struct ctp_string, text), text, len);
}

/* The number of what this process has written already, or writes now, within the first `size` bytes
 * of the arena; 0: no room. Where the table is full, a text costs a copy, and a stack counts as
 * without room. */
CT_COLD uint32_t ct_p_intern(
	const void *text, size_t len, uint64_t h, uint64_t *table, uint64_t entries, uint64_t size)
{
	uint64_t entry, none = 0;
	uint32_t number;
	unsigned i;

	for (i = 0; i < CT_PROBES; i++) {
		uint64_t *at = &table[(h + i) % entries];

		entry = ctp_load_acquire(at);
		if (!entry) {
			number = ct_p_write_text(text, len, size);
			/* lost to another thread: its entry may be ours or not; ours is a second
			 * copy, as good */
			if (number)
				__atomic_compare_exchange_n(at, &none, (h >> 32 << 32) | number, 0,
					__ATOMIC_RELEASE, __ATOMIC_RELAXED);
			return number;
		}
		if (entry >> 32 == h >> 32 && ct_p_same_text((uint32_t)entry, text, len))
			return (uint32_t)entry;
	}
	return table == ct_p_.text_table ? ct_p_write_text(text, len, size) : 0;
}

/* The number of a text, 0 for none. */
CT_COLD uint32_t ct_p_text(const char *text)
{
	size_t len = text ? strnlen(text, CT_TEXT_MAX) : 0;
	uint32_t number;

	if (!text)
		return 0;
	number = ct_p_intern(text, len, ct_p_hash(text, len, 0xcbf29ce484222325ull),
		ct_p_.text_table, CT_TABLE, ct_p_.strings_size);
	if (!number)
		ctp_add(&ct_p_.hdr->lost_no_string, 1);
	return number;
}

/* The number of the call stack from where the program called the probe that returns to `probe`; 0:
 * not to be had. */
CT_COLD uint32_t ct_p_stack(struct ct_writer *me, const void *probe)
{
	int err = errno;
	unsigned i, n = ct_p_walk(&me->stacks, probe);
	uint64_t *frame = me->stacks.frame, h = n;
	uint32_t number, *known;

	errno = err;
	if (!n)
		return 0;
	for (i = 0; i < n; i++)
		h = (h ^ frame[i]) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
	i = (unsigned)(h % CT_P_KNOWN);
	known = &me->stacks.known[i].number;
	if (CT_LIKELY(me->stacks.known[i].hash == h && *known &&
		    ct_p_same_text(*known, frame, n * sizeof(*frame))))
		return *known;
	number = ct_p_intern(frame, n * sizeof(*frame), h, ct_p_.stack_table, CT_STACK_TABLE,
		CTP_STACKS_END(ct_p_.strings_size));
	if (!number)
		ctp_add(&me->hdr->lost_no_stack, 1);
	me->stacks.known[i].hash = h;
	*known = number;
	return number;
}

CT_COLD uint32_t ct_p_write_site(uint32_t func, uint32_t file, uint32_t line)
{
	uint32_t i;

	if (!ct_p_take32(&ct_p_.hdr->sites_used, 1, ct_p_.site_count, &i) || !i ||
	    !ct_p_open(&ct_p_.site_part, (i + (uint64_t)1) * sizeof(struct ctp_site), CT_STEP)) {
		ctp_add(&ct_p_.hdr->lost_no_string, 1);
		return 0;
	}
	ct_p_.sites[i].line = line;
	ct_p_.sites[i].func = func;
	ct_p_.sites[i].file = file;
	ctp_store_release(&ct_p_.sites[i].ready, 1);
	return i;
}

CT_COLD uint32_t ct_p_site(const char *func, const char *file, uint32_t line)
{
	uint32_t key[3], number;
	uint64_t h, entry, none = 0;
	unsigned i;

	if (ct_p_.v1)
		return 0;
	key[0] = ct_p_text(func);
	key[1] = ct_p_text(file);
	key[2] = line;
	h = ct_p_hash(key, sizeof(key), 0xcbf29ce484222325ull);
	for (i = 0; i < CT_PROBES; i++) {
		uint64_t *at = &ct_p_.site_table[(h + i) % CT_TABLE];
		struct ctp_site *s;

		entry = ctp_load_acquire(at);
		if (!entry) {
			number = ct_p_write_site(key[0], key[1], line);
			if (number)
				__atomic_compare_exchange_n(at, &none, (h >> 32 << 32) | number, 0,
					__ATOMIC_RELEASE, __ATOMIC_RELAXED);
			return number;
		}
		s = &ct_p_.sites[(uint32_t)entry];
		if (entry >> 32 == h >> 32 && s->func == key[0] && s->file == key[1] &&
			s->line == line)
			return (uint32_t)entry;
	}
	return ct_p_write_site(key[0], key[1], line);
}

/* ---- ring ---- */

CT_HOT void ct_p_fill(struct ct_writer *me, uint64_t ts, uint64_t addr, uint64_t seq, uint64_t id,
	uint64_t arg, uint64_t n_site, uint64_t kinds)
{
	ct_pair *v = (ct_pair *)(void *)&me->slots[me->head & me->mask];
	ct_pair p0 = { ts, me->tid }, p1 = { addr, seq }, p2 = { id, arg }, p3 = { n_site, kinds };

	v[0] = p0;
	v[1] = p1;
	v[2] = p2;
	v[3] = p3;
}

CT_HOT void ct_p_publish(struct ct_writer *me)
{
	/* release: pairs with the recorder's acquire of head, so that it sees the slots below it
	 * whole */
	ctp_store_release(&me->ring->head, ++me->head);
}

#define CT_KINDS(kind, arg_kind, active) \
	((uint64_t)(kind) | (uint64_t)(arg_kind) << 8 | (uint64_t)(active) << 56)
#define CT_N_SITE(n, site) ((uint64_t)(n) | (uint64_t)(site) << 32)

CT_COLD void ct_p_drop(struct ct_writer *me)
{
	uint64_t ts;

	if (!me->ring) {
		if (!ct_p_.v1)		/* version 1 has no place to count it */
			ctp_add(&me->hdr->lost_no_ring, 1);
		return;
	}
	ts = ct_p_now(me->flags);
	if (ts < me->last_ts)
		ts = me->last_ts;
	if (ctp_load(&me->ring->dropped) == me->told)
		ctp_store(&me->ring->drop_first, ts);
	ctp_store(&me->ring->drop_last, ts);
	/* an atomic add, for a signal handler may come between; release: whoever sees the count
	 * sees the times */
	__atomic_fetch_add(&me->ring->dropped, 1, __ATOMIC_RELEASE);
}

/* The tail says how many slots were read; acquire: the recorder's reads of them came before what we
 * write there. */
CT_HOT uint64_t ct_p_free(struct ct_writer *me)
{
	uint64_t used = me->head - ctp_load_acquire(&me->ring->tail);

	return used > me->mask ? 0 : me->mask + 1 - used;
}

#include "ct-box.h"

/* Wait for room, no longer than the recorder lives. A quarter of the ring, so that we do not come
 * back for each slot: the processor is better used by the recorder. */
CT_COLD uint64_t ct_p_wait(struct ct_writer *me, uint64_t need)
{
	struct timespec pause = { 0, 50000 };
	uint64_t room, quarter = (me->mask + 1) / 4;
	int err = errno;

	while ((room = ct_p_free(me)) < (need > quarter ? need : quarter) &&
		ctp_load(&ct_flag_.on)) {
		if (ctp_load(&me->hdr->tracer_sleeping) == 1)
			ct_p_bell(me->hdr);
		if (!ct_p_sock_ours())
			break;
		if (ct_p_recorder_gone())
			ctp_store(&ct_flag_.on, 0);
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 1000000)
			pause.tv_nsec += 50000;
	}
	errno = err;
	return room;
}

CT_COLD int ct_p_claim(struct ct_writer *me);
CT_COLD void ct_p_forked(void);

/* There is no room: does the recorder live? Asked for the first event dropped, and then now and
 * then. */
CT_COLD void ct_p_missed(struct ct_writer *me, uint64_t dropped)
{
	enum { TICKS = 1 << 24 };
	uint64_t now;
	int err = errno;

	if (ct_p_.box && (now = ct_p_now(me->flags)) - me->asked > TICKS) {
		me->asked = now;
		ct_p_box_ask(me->hdr);
	} else if (!ct_p_.box && dropped % 1024 == 0 && ct_p_recorder_gone()) {
		ctp_store(&ct_flag_.on, 0);
	}
	errno = err;
}

/* No room by what we knew. 1: there is some now; drops before it were reported. 0: the event is
 * lost, and counted. */
CT_COLD int ct_p_room(struct ct_writer *me)
{
	uint64_t room, dropped, need, ts;

	if (ct_p_.v1)
		return 0;
	if (!me->ring && (++me->no_ring % 1024 || !ct_p_claim(me))) {
		ct_p_drop(me);
		return 0;
	}
	dropped = __atomic_load_n(&me->ring->dropped, __ATOMIC_ACQUIRE);
	need = dropped == me->told ? 1 : 2;
	room = ct_p_look(me);
	if (room < need && (me->flags & CTP_F_BLOCK))
		room = ct_p_wait(me, need);
	if (room < need) {
		ct_p_drop(me);
		ct_p_missed(me, dropped);
		return 0;
	}
	me->limit = me->head + room;
	if (need == 2) {
		ts = ctp_load(&me->ring->drop_last);
		if (ts < me->last_ts)
			ts = me->last_ts;
		me->last_ts = ts;
		ct_p_fill(me, ts, ctp_load(&me->ring->drop_first), ct_p_.overwrites ? dropped : 0,
			0, dropped - me->told, 0, CT_KINDS(CTP_LOST, 0, 0));
		me->told = dropped;
		ct_p_publish(me);
		if (ct_p_.overwrites)
			ctp_store(&me->ring->told, dropped);
	}
	return 1;
}

/* ---- threads ---- */

CT_COLD void ct_p_own_ring(struct ct_writer *me, struct ctp_ring *ring, uint32_t i)
{
	uint64_t now = ct_p_now(me->flags);

	me->slots = (struct ctp_event *)(void *)(ct_p_.slots +
		(uint64_t)i * ct_p_.ring_slots * sizeof(struct ctp_event));
	me->mask = ct_p_.ring_slots - 1;
	me->head = me->limit = ctp_load(&ring->head);
	me->told = ctp_load(ct_p_.overwrites ? &ring->told : &ring->dropped);
	/* the ring's times never fall, whoever owns it; but no garbage may send our clock into the
	 * future */
	if (me->head) {
		uint64_t last = me->slots[(me->head - 1) & me->mask].timestamp;

		if (last > me->last_ts && last < now + 1000000)
			me->last_ts = last;
	}
	me->ring = ring;
}

CT_COLD int ct_p_open_slots(uint32_t ring)
{
	uint64_t size = (uint64_t)ct_p_.ring_slots * sizeof(struct ctp_event);
	char *at = ct_p_.slots + ring * size, *from = ct_p_page(at);

	if (ct_p_.store)		/* all are */
		return 1;
	return (!ct_p_.box || ct_p_box_use(at, size)) &&
		!mprotect(from, (size_t)(at + size - from), PROT_READ | PROT_WRITE);
}

CT_COLD int ct_p_open_station(uint32_t i)
{
	return ct_p_open(&ct_p_.station_part, (i + (uint64_t)1) * sizeof(struct ctp_event),
		       CT_STEP) &&
		(!ct_p_.births ||
			ct_p_open(&ct_p_.birth_part, (i + (uint64_t)1) * sizeof(struct ctp_birth),
				CT_STEP / 2));
}

/* acquire: the head, the tail and the slots as the last owner and the recorder left them. The swap
 * names the owner, so that the recorder can at no time take us for another. */
CT_COLD int ct_p_take_ring(struct ct_writer *me, uint32_t i, uint64_t owner)
{
	struct ctp_ring *ring = &ct_p_.rings[i];
	uint32_t used = ctp_load(&ct_p_.hdr->rings_used);

	if (!__atomic_compare_exchange_n(&ring->owner, &owner, CTP_OWNER(ct_p_.pid, me->tid), 0,
		    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return 0;
	ct_p_own_ring(me, ring, i);
	while (used < i + 1 &&
		!__atomic_compare_exchange_n(&ct_p_.hdr->rings_used, &used, i + 1, 1,
			__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	return 1;
}

CT_COLD int ct_p_claim_free(struct ct_writer *me)
{
	uint32_t i;

	for (i = 0; i < ct_p_.ring_count; i++) {
		if (ctp_load(&ct_p_.rings[i].owner) != CTP_RING_FREE)
			continue;
		if (!ct_p_open_slots(i))
			return 0;
		if (ct_p_take_ring(me, i, CTP_RING_FREE))
			return 1;
	}
	return 0;
}

/* Where rings overwrite, the last threads that ended keep their history, while there is memory not
 * yet used for the new ones. */
CT_COLD int ct_p_claim(struct ct_writer *me)
{
	enum { KEEP = 8 };

	if (!ct_p_.overwrites)
		return ct_p_claim_free(me);
	if (ct_p_claim_retired(me, KEEP) || ct_p_claim_free(me) || ct_p_claim_retired(me, 0))
		return 1;
	ct_p_reap_rings(me);
	return ct_p_claim_retired(me, 0);
}

CT_COLD void ct_p_push_station(uint32_t i)
{
	uint64_t top = ctp_load(&ct_p_.hdr->stations_free);

	do
		ctp_store(&ct_p_.stations[i].arg, top & 0xffffffffu);
	while (!__atomic_compare_exchange_n(&ct_p_.hdr->stations_free, &top,
		((top >> 32) + 1) << 32 | (i + 1), 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* Another thread may have popped this station meanwhile and write its event there: then what is
 * read is not used, as the pop's swap fails. Those writes are wide and plain, so ThreadSanitizer
 * would report the read. */
__attribute__((no_sanitize("thread"), noinline))
CT_COLD uint64_t ct_p_next_free(uint32_t i)
{
	return ctp_load(&ct_p_.stations[i].arg) & 0xffffffffu;
}

/* The tag in the high half changes with every push and pop: a top that comes back is not taken for
 * the old one. */
CT_COLD int ct_p_pop_station(uint32_t *i)
{
	uint64_t top = ctp_load_acquire(&ct_p_.hdr->stations_free), next;

	do {
		*i = (uint32_t)top - 1;
		if (!(uint32_t)top || *i >= ct_p_.station_count || !ct_p_open_station(*i))
			return 0;
		next = ct_p_next_free(*i);
	} while (!__atomic_compare_exchange_n(&ct_p_.hdr->stations_free, &top,
		((top >> 32) + 1) << 32 | next, 1, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
	return 1;
}

CT_COLD uint32_t ct_p_more_stations(struct ct_writer *me)
{
	uint32_t i, k, want = 16;

	if (ct_p_pop_station(&i))
		return i + 1;
	while (!ct_p_take32(&me->hdr->stations_used, want, ct_p_.station_count, &i))
		if (!(want /= 2)) {
			ctp_add(&me->hdr->lost_no_station, 1);
			return 0;
		}
	if (!ct_p_open_station(i + want - 1)) {
		ctp_add(&me->hdr->lost_no_station, 1);
		return 0;
	}
	for (k = want; k > 1; k--)
		me->station[me->station_count++] = i + k - 1;
	return i + 1;
}

CT_HOT void ct_p_event(struct ct_writer *me, uint64_t addr, uint64_t id, uint64_t arg,
	uint64_t n_site, uint64_t kinds)
{
	uint64_t ts;

	if (CT_UNLIKELY(me->head >= me->limit) && !ct_p_room(me))
		return;
	ts = ct_p_now(me->flags);
	if (CT_UNLIKELY(ts < me->last_ts))
		ts = me->last_ts;
	me->last_ts = ts;
	ct_p_fill(me, ts, addr, 0, id, arg, n_site, kinds);
	ct_p_publish(me);
}

CT_COLD void ct_p_say_thread(struct ct_writer *me, uint32_t role, const char *name)
{
	uint32_t text = ct_p_.v1 ? 0 : ct_p_text(name);

	/* for who comes when the event is overwritten */
	if (ct_p_.overwrites && me->ring && role != CTP_ROLE_ENDED) {
		ctp_store(&me->ring->name, text);
		ctp_store(&me->ring->role, role);
	}
	if (!ct_p_.v1)
		ct_p_event(me, text, 0, role, CT_N_SITE(ct_p_.pid, 0), CT_KINDS(CTP_THREAD, 0, 0));
}

/* A writer for this thread, zeroed; NULL: there is no memory. */
CT_COLD struct ct_writer *ct_p_new_writer(void)
{
	struct ct_writer *me;
	uint32_t i, no;

	for (i = 0; ct_p_.store && i < ct_p_.ring_count; i++) {
		me = &ct_p_.store[i];
		no = 0;
		if (ctp_load(&me->taken) ||
			!__atomic_compare_exchange_n(
				&me->taken, &no, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		me->idle = 0;
		memset((char *)me + CT_ALIGN, 0, offsetof(struct ct_writer, stacks) - CT_ALIGN);
		return me;
	}
	if (ct_p_.store)
		return NULL;
	me = (struct ct_writer *)mmap(
		NULL, sizeof(*me), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (me == MAP_FAILED)
		return NULL;
	madvise(me, CT_ALIGN, MADV_WIPEONFORK);
	return me;
}

CT_COLD void ct_p_free_writer(struct ct_writer *me)
{
	if (ct_p_.store)
		__atomic_store_n(&me->taken, 0, __ATOMIC_RELEASE);
	else
		munmap(me, sizeof(*me));
}

/* Its number, and whether it is the main thread. */
CT_COLD uint32_t ct_p_tid(int *is_main)
{
	uint32_t tid;

	*is_main = 0;
	if (ct_p_.store)	/* its own is not known without a call */
		return ctp_add(&ct_p_.hdr->next_number, 1);
	tid = (uint32_t)syscall(SYS_gettid);
	*is_main = tid == (uint32_t)getpid();
	if (ct_p_.pid < CTP_NUMBERS)
		return tid;
	return *is_main ? ct_p_.pid : ctp_add(&ct_p_.hdr->next_number, 1);
}

CT_COLD void ct_p_thread_end(void *arg)
{
	struct ct_writer *me = (struct ct_writer *)arg;
	uint64_t owner = CTP_OWNER(ct_p_.pid, me->tid);

	me->idle = 0;
	ct_me_ = NULL;
	if (me->ring) {
		if (ct_p_look(me) > 1)
			ct_p_say_thread(me, CTP_ROLE_ENDED, NULL);
		if (ctp_load(&me->ring->dropped) != me->told && ct_p_free(me) > 1)
			ct_p_room(me);
		/* release: the recorder that sees it retired sees the last head */
		__atomic_compare_exchange_n(&me->ring->owner, &owner, owner | CTP_RING_RETIRED, 0,
			__ATOMIC_RELEASE, __ATOMIC_RELAXED);
	}
	while (me->station_count)
		ct_p_push_station(me->station[--me->station_count]);
	ct_p_free_writer(me);
}

/* This thread's first event. A signal handler that comes in between finds a writer that is not idle
 * and has no ring. */
CT_COLD struct ct_writer *ct_p_thread_begin(void)
{
	struct ct_writer *me;
	char name[17] = "";
	int err = errno, is_main, on;

	/* pairs with ct_init: what it set up is there */
	on = __atomic_load_n(&ct_flag_.on, __ATOMIC_ACQUIRE);
	if (CT_UNLIKELY(on == CTP_FLAG_ASKED))
		on = ct_p_asked();
	errno = err;
	if (!on || !ct_p_.hdr)
		return NULL;
	ct_me_ = &ct_p_.starting;
	if (!ct_p_.store && ct_p_.process != getpid()) {	/* a child, not by fork() */
		ct_p_forked();
		if (!ctp_load(&ct_flag_.on))
			return NULL;
		ct_me_ = &ct_p_.starting;
	}
	me = ct_p_new_writer();
	if (!me) {
		ct_p_drop(&ct_p_.starting);
		ct_me_ = NULL;
		errno = err;
		return NULL;
	}
	me->tid = ct_p_tid(&is_main);
	me->hdr = ct_p_.hdr;
	me->stations = ct_p_.stations;
	me->flags = ct_p_.flags;
	me->slow = (ct_p_.flags & (CTP_F_TSC | CTP_F_FENCE | CTP_F_STACKS)) != CTP_F_TSC;
	if (ct_p_.flags & CTP_F_STACKS)
		ct_p_own_stack(&me->stacks, is_main);
	if (!ct_p_.v1 && ct_p_claim(me)) {
		if (!ct_p_.store)
			prctl(PR_GET_NAME, name);
		ct_p_say_thread(me, CTP_ROLE_OTHER, name);
	}
	pthread_setspecific(ct_p_.key, me);
	me->ours = me->idle = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ct_me_ = me;
	errno = err;
	return me;
}

/* Called by a signal handler that interrupted a probe; or in a child whose writer was its
 * parent's. */
CT_COLD struct ct_writer *ct_p_not_idle(struct ct_writer *me)
{
	if (!me->ours) {
		ct_me_ = NULL;
		return ct_p_thread_begin();
	}
	ct_p_drop(me);
	if (me->ring)
		me->limit = 0;	/* so that the next event looks, and reports the drop */
	return NULL;
}

/* NULL: not this time, and counted. */
CT_HOT struct ct_writer *ct_p_enter(void)
{
	struct ct_writer *me = ct_me_;

	if (CT_UNLIKELY(!me) && !(me = ct_p_thread_begin()))
		return NULL;
	if (CT_UNLIKELY(!me->idle) && !(me = ct_p_not_idle(me)))
		return NULL;
	me->idle = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return me;
}

/* The recorder stores tracer_sleeping, calls membarrier and reads the heads once more: the
 * processor's fence is made there, and for the compiler the one here is enough. Either it sees our
 * head or we see tracer_sleeping. */
CT_HOT void ct_p_leave(struct ct_writer *me)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	me->idle = 1;
	if (CT_UNLIKELY(me->flags & CTP_F_FENCE))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (CT_UNLIKELY(ctp_load(&me->hdr->tracer_sleeping) == 1))
		ct_p_bell(me->hdr);
}

/* ---- a coroutine's own events ---- */

/* Version 1, exactly as coroTracer's SDKs write: slot k % 8, odd seq, payload, even seq, fence,
 * bell. */
CT_COLD void ct_p_v1_event(struct ct_writer *me, struct ct_coro *c, uint64_t addr, int active)
{
	struct ctp_v1_station *s =
		(struct ctp_v1_station *)(void *)(ct_p_.base + 1024) + (c->station - 1);
	struct ctp_event *slot = &s->slots[(c->n - 2) % 8];
	uint64_t seq = ctp_load(&slot->seq);

	ctp_store(&slot->seq, seq + 1);
	/* whoever sees the payload sees that seq is odd */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	ctp_store(&slot->addr, addr);
	ctp_store(&slot->tid, me->tid);
	ctp_store(&slot->timestamp, c->last_ts);
	ctp_store(&slot->is_active, (uint8_t)active);
	ctp_store_release(&slot->seq, seq + 2);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);	/* version 1 recorders have no membarrier */
	if (ctp_load(&me->hdr->tracer_sleeping) == 1)
		ct_p_bell(me->hdr);
}

CT_COLD void ct_p_v1(struct ct_writer *me, struct ct_coro *c, uint64_t addr, unsigned kind)
{
	struct ctp_v1_station *s = (struct ctp_v1_station *)(void *)(ct_p_.base + 1024);

	if (kind == CTP_CREATE) {
		uint32_t i = ctp_add(&me->hdr->allocated_count, 1);

		c->station = i < ct_p_.v1_max ? i + 1 : 0;
		if (c->station) {
			ctp_store(&s[i].probe_id, c->id);
			ctp_store(&s[i].is_dead, (uint8_t)0);
			ctp_store_release(&s[i].birth_ts, c->last_ts);
		}
	} else if (c->station && kind == CTP_DESTROY) {
		ctp_store_release(&s[c->station - 1].is_dead, (uint8_t)1);
	} else if (c->station) {
		ct_p_v1_event(me, c, addr, kind == CTP_RESUME);
	}
}

/* The station is a seqlock with one writer at a time. A reader takes it when seq was even, the
 * same, and probe_id the same before and after: seq alone could be that of the station's next
 * coroutine. */
CT_HOT void ct_p_station(struct ct_writer *me, struct ct_coro *c, uint64_t ts, uint64_t addr,
	uint64_t id, uint64_t arg, uint64_t n_site, uint64_t kinds)
{
	ct_word *w = (ct_word *)(void *)&me->stations[c->station - 1];
	ct_pair *v = (ct_pair *)(void *)w;
	ct_pair p0 = { ts, me->tid }, p2 = { id, arg }, p3 = { n_site, kinds };

	ctp_store(&w[3], 2 * (uint64_t)c->n - 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	v[0] = p0;
	ctp_store(&w[2], addr);
	v[2] = p2;
	v[3] = p3;
	ctp_store_release(&w[3], 2 * (uint64_t)c->n);
}

/* fast: the caller has looked at CT_READY, so that nothing here calls a function and no register is
 * saved. */
CT_HOT void ct_p_own(struct ct_writer *me, struct ct_coro *c, uint64_t addr, uint64_t arg,
	uint32_t site, uint64_t kinds, int fast)
{
	int room = fast || CT_LIKELY(me->head < me->limit) || ct_p_room(me);
	uint64_t n_site, ts = ct_p_now(fast ? CTP_F_TSC : me->flags);

	/* a hybrid logical clock: a coroutine's times rise, a ring's never fall, whatever the
	 * clocks of two cores say */
	if (CT_UNLIKELY(ts <= c->last_ts))
		ts = c->last_ts + 1;
	if (CT_UNLIKELY(ts < me->last_ts))
		ts = me->last_ts;
	c->last_ts = me->last_ts = ts;
	n_site = CT_N_SITE(++c->n, site);
	if (CT_LIKELY(room)) {
		ct_p_fill(me, ts, addr, 2 * (uint64_t)c->n, c->id, arg, n_site, kinds);
		ct_p_publish(me);
	} else if (ct_p_.v1) {
		ct_p_v1(me, c, addr, (unsigned)(kinds & 0xff));
		return;
	}
	if (CT_LIKELY(c->station)) {
		if ((kinds & 0xff) == CTP_DESTROY)
			ct_p_station(me, c, ts, 0, 0, 0, n_site, 0);
		else
			ct_p_station(me, c, ts, addr, c->id, arg, n_site, kinds);
	}
}

#define CT_READY(me) CT_LIKELY((me) && (me)->idle && !(me)->slow && (me)->head < (me)->limit)

/* Not traced, or a coroutine of the process that forked this one: there it lives, here it is a
 * copy. */
#define CT_FOREIGN(id) CT_UNLIKELY((id) <= ct_p_.floor)
#define CT_ANY_ID UINT64_MAX

/* The id once more: entering may have found out that this process is a copy. */
CT_HOT struct ct_writer *ct_p_enter_for(uint64_t id)
{
	struct ct_writer *me = ct_p_enter();

	if (me && CT_FOREIGN(id)) {
		ct_p_leave(me);
		return NULL;
	}
	return me;
}

/* What is waited on as arg and arg_kind. */
CT_HOT uint64_t ct_p_on(struct ct_on on, uint8_t *kind)
{
	*kind = on.kind;
	if (CT_LIKELY(on.kind != CT_ON_USER))
		return on.value;
	on.value = ct_p_text(on.text);
	if (!on.value)
		*kind |= CTP_ON_ANY;
	return on.value;
}

CT_HOT uint32_t ct_p_here(struct ct_site *site)
{
	uint32_t i;

	if (!site)
		return 0;
	i = ctp_load(&site->index);
	if (CT_UNLIKELY(!i)) {
		i = ct_p_site(site->func, site->file, site->line);
		ctp_store(&site->index, i);
	}
	return i;
}

CT_COLD uint64_t ct_p_new_ids(struct ct_writer *me)
{
	if (ct_p_.v1)
		return ((uint64_t)getpid() << 32) | (ctp_add(&ct_p_.v1_ids, 1) + 1);
	me->id_next = ctp_add(&me->hdr->next_probe_id, CT_IDS);
	me->id_end = me->id_next + CT_IDS;
	return me->id_next++;
}

CT_HOT void ct_p_create(struct ct_writer *me, struct ct_coro *c, uint64_t parent, uint32_t site,
	const void *frame, const char *name)
{
	uint32_t text;

	c->id = me->id_next < me->id_end ? me->id_next++ : ct_p_new_ids(me);
	c->last_ts = 0;
	c->frame = (uint64_t)(uintptr_t)frame;
	c->n = 0;
	c->station = 0;
	if (!ct_p_.v1)
		c->station = me->station_count ? me->station[--me->station_count] + 1 :
						 ct_p_more_stations(me);
	ct_p_own(me, c, c->frame, parent, site, CT_KINDS(CTP_CREATE, 0, 0), 0);
	text = name && !ct_p_.v1 ? ct_p_text(name) : 0;
	if (ct_p_.births && c->station)
		ct_p_birth(c, parent, site, text);
	if (name && !ct_p_.v1)
		ct_p_event(me, 0, c->id, text, 0, CT_KINDS(CTP_NAME, 0, 0));
}

/* One that was made before anybody asked for a trace (all zero, as ct.h wants it) is first seen
 * here: its birth is not known. Only where the box was made late: elsewhere zero means that its
 * creation could not be recorded. */
CT_COLD int ct_p_adopt(struct ct_coro *c)
{
	struct ct_writer *me;

	if (c->id || (!ct_p_.late && ctp_load(&ct_flag_.on) == CTP_FLAG_ON) || !(me = ct_p_enter()))
		return 0;
	if (ct_p_.late)
		ct_p_create(me, c, CTP_UNKNOWN, 0, NULL, NULL);
	ct_p_leave(me);
	return c->id != 0;
}

/* Created on a thread that has no writer, which was counted: it has an id all the same, so that its
 * later events are recorded where they can be, and counted where not. */
CT_COLD void ct_p_create_unseen(struct ct_coro *c)
{
	memset(c, 0, sizeof(*c));
	if (!ctp_load(&ct_flag_.on) || !ct_p_.hdr || ct_p_.v1)
		return;
	c->id = ctp_add(&ct_p_.hdr->next_probe_id, 1);
	c->n = 1;
}

CT_API void ct_create_(struct ct_coro *c, uint64_t parent, struct ct_site *site, const void *frame,
	const char *name)
{
	struct ct_writer *me = ct_p_enter();

	if (!me) {
		ct_p_create_unseen(c);
		return;
	}
	ct_p_create(me, c, parent, ct_p_here(site), frame, name);
	ct_p_leave(me);
}

CT_API void ct_create_at(
	struct ct_coro *c, uint64_t parent, uint32_t site, const void *frame, const char *name)
{
	struct ct_writer *me = ct_enabled() ? ct_p_enter() : NULL;

	if (!me) {
		ct_p_create_unseen(c);
		return;
	}
	ct_p_create(me, c, parent, site, frame, name);
	ct_p_leave(me);
}

CT_HOT void ct_p_resume(struct ct_writer *me, struct ct_coro *c, int fast)
{
	me->current = c->id;
	ct_p_own(me, c, 0, 0, 0, CT_KINDS(CTP_RESUME, 0, 1), fast);
	ct_p_leave(me);
}

CT_COLD void ct_p_resume_slow(struct ct_coro *c)
{
	struct ct_writer *me = ct_p_enter_for(c->id);

	if (me)
		ct_p_resume(me, c, 0);
}

CT_API void ct_resume_(struct ct_coro *c)
{
	struct ct_writer *me;

	if (CT_FOREIGN(c->id) && !ct_p_adopt(c))
		return;
	me = ct_me_;
	if (!CT_READY(me)) {
		ct_p_resume_slow(c);
		return;
	}
	me->idle = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ct_p_resume(me, c, 1);
}

/* Beside CT_KINDS: an event's call stack, where they are asked for. */
CT_HOT uint64_t ct_p_with_stack(struct ct_writer *me, const void *probe)
{
	return CT_UNLIKELY(me->flags & CTP_F_STACKS) ? (uint64_t)ct_p_stack(me, probe) << 16 : 0;
}

CT_HOT void ct_p_suspend(struct ct_writer *me, struct ct_coro *c, uint32_t site, uint64_t arg,
	uint8_t kind, uint64_t stack, int fast)
{
	if (me->current == c->id)
		me->current = 0;
	ct_p_own(me, c, c->frame, arg, site, CT_KINDS(CTP_SUSPEND, kind, 0) | stack, fast);
	ct_p_leave(me);
}

CT_COLD void ct_p_suspend_slow(
	struct ct_coro *c, struct ct_site *here, uint32_t site, struct ct_on on, const void *probe)
{
	struct ct_writer *me = ct_p_enter_for(c->id);
	uint8_t kind;
	uint64_t arg;

	if (!me)
		return;
	arg = ct_p_on(on, &kind);
	ct_p_suspend(
		me, c, here ? ct_p_here(here) : site, arg, kind, ct_p_with_stack(me, probe), 0);
}

CT_API void ct_suspend_(struct ct_coro *c, struct ct_site *here, struct ct_on on)
{
	uint32_t site = here ? ctp_load(&here->index) : 0;
	struct ct_writer *me;

	if (CT_FOREIGN(c->id) && !ct_p_adopt(c))
		return;
	me = ct_me_;
	if (!CT_READY(me) || CT_UNLIKELY(on.kind == CT_ON_USER) || CT_UNLIKELY(!site)) {
		ct_p_suspend_slow(c, here, 0, on, __builtin_return_address(0));
		return;
	}
	me->idle = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ct_p_suspend(me, c, site, on.value, on.kind, 0, 1);
}

CT_API void ct_suspend_at(struct ct_coro *c, uint32_t site, struct ct_on on)
{
	struct ct_writer *me;

	if (!ct_enabled() || (CT_FOREIGN(c->id) && !ct_p_adopt(c)))
		return;
	me = ct_me_;
	if (!CT_READY(me) || CT_UNLIKELY(on.kind == CT_ON_USER)) {
		ct_p_suspend_slow(c, CT_NOWHERE, site, on, __builtin_return_address(0));
		return;
	}
	me->idle = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ct_p_suspend(me, c, site, on.value, on.kind, 0, 1);
}

CT_API void ct_destroy_(struct ct_coro *c, int done)
{
	struct ct_writer *me;
	uint32_t k;

	if (CT_FOREIGN(c->id) || c->last_ts == UINT64_MAX || !(me = ct_p_enter_for(c->id)))
		return;
	if (me->current == c->id)
		me->current = 0;
	ct_p_own(me, c, c->frame, done ? 1 : 0, 0, CT_KINDS(CTP_DESTROY, 0, 0), 0);
	if (c->station && !ct_p_.v1) {
		if (me->station_count == CT_STATIONS)
			for (k = 0; k < CT_STATIONS / 2; k++)
				ct_p_push_station(me->station[--me->station_count]);
		me->station[me->station_count++] = c->station - 1;
	}
	c->last_ts = UINT64_MAX;	/* the id stays: somebody may yet wait for its end */
	c->station = 0;
	ct_p_leave(me);
}

/* ---- everybody's events: version 1 knows none of them ---- */

CT_HOT struct ct_writer *ct_p_enter2(uint64_t id)
{
	struct ct_writer *me = ct_p_enter_for(id);

	if (me && CT_UNLIKELY(ct_p_.v1)) {
		ct_p_leave(me);
		return NULL;
	}
	return me;
}

/* An event about a thing: value in arg, `addr` beside it. */
CT_HOT void ct_p_thing(
	unsigned event, struct ct_on on, uint64_t addr, const char *name, struct ct_site *site)
{
	struct ct_writer *me = ct_p_enter2(CT_ANY_ID);
	uint8_t kind;
	uint64_t arg;

	if (!me)
		return;
	arg = ct_p_on(on, &kind);
	if (name)
		addr = ct_p_text(name);
	ct_p_event(me, addr, me->current, arg, CT_N_SITE(0, ct_p_here(site)),
		CT_KINDS(event, kind, 0));
	ct_p_leave(me);
}

CT_API void ct_wake_(uint64_t id, struct ct_site *site, struct ct_on on)
{
	struct ct_writer *me;
	uint8_t kind;
	uint64_t value;

	if (CT_FOREIGN(id) || !(me = ct_p_enter2(id)))
		return;
	value = ct_p_on(on, &kind);
	ct_p_event(me, value, id, me->current, CT_N_SITE(0, ct_p_here(site)),
		   CT_KINDS(CTP_WAKE, kind, 0) | ct_p_with_stack(me, __builtin_return_address(0)));
	ct_p_leave(me);
}

CT_API void ct_name_(struct ct_coro *c, const char *name)
{
	struct ct_writer *me;
	uint32_t text;

	if (CT_FOREIGN(c->id) || !name || !(me = ct_p_enter2(c->id)))
		return;
	text = ct_p_text(name);
	if (ct_p_.births && c->station)
		ctp_store(&ct_p_.births[c->station - 1].name, text);
	ct_p_event(me, 0, c->id, text, 0, CT_KINDS(CTP_NAME, 0, 0));
	ct_p_leave(me);
}

CT_API void ct_open_(struct ct_on on, const char *name, struct ct_site *site)
{
	ct_p_thing(CTP_OPEN, on, 0, name, site);
}
CT_API void ct_close_(struct ct_on on, struct ct_site *site)
{
	ct_p_thing(CTP_CLOSE, on, 0, NULL, site);
}
CT_API void ct_notify_(struct ct_on on, uint64_t woken, struct ct_site *site)
{
	ct_p_thing(CTP_NOTIFY, on, woken, NULL, site);
}
CT_API void ct_level_(struct ct_on on, uint64_t value)
{
	ct_p_thing(CTP_LEVEL, on, value, NULL, CT_NOWHERE);
}
CT_API void ct_acquire_(struct ct_on on, struct ct_site *site)
{
	ct_p_thing(CTP_ACQUIRE, on, 0, NULL, site);
}
CT_API void ct_release_(struct ct_on on, struct ct_site *site)
{
	ct_p_thing(CTP_RELEASE, on, 0, NULL, site);
}

CT_HOT void ct_p_plain(unsigned event, uint64_t id, uint64_t addr, int current)
{
	struct ct_writer *me = ct_p_enter2(id ? id : CT_ANY_ID);

	if (!me)
		return;
	ct_p_event(me, addr, id, current ? me->current : 0, 0, CT_KINDS(event, 0, 0));
	ct_p_leave(me);
}

CT_API void ct_waker_clone_(uint64_t id)
{
	if (!CT_FOREIGN(id))
		ct_p_plain(CTP_WAKER_CLONE, id, 0, 1);
}
CT_API void ct_waker_drop_(uint64_t id)
{
	if (!CT_FOREIGN(id))
		ct_p_plain(CTP_WAKER_DROP, id, 0, 1);
}
CT_API void ct_park_(uint64_t depth) { ct_p_plain(CTP_PARK, 0, depth, 0); }
CT_API void ct_unpark_(uint64_t depth) { ct_p_plain(CTP_UNPARK, 0, depth, 0); }

CT_API void ct_thread_(enum ct_role role, const char *name)
{
	struct ct_writer *me = ct_p_enter2(CT_ANY_ID);

	if (!me)
		return;
	ct_p_say_thread(me, (uint32_t)role, name);
	ct_p_leave(me);
}

CT_API uint64_t ct_current(void)
{
	return ct_enabled() && ct_me_ ? ct_me_->current : 0;
}

CT_API uint32_t ct_intern_site(const char *func, const char *file, uint32_t line)
{
	struct ct_writer *me = ct_me_;
	struct ct_cached_site *s;
	uint32_t i;

	if (!ct_enabled())
		return 0;
	if (CT_UNLIKELY(!me || !me->idle) && (!(me = ct_p_enter())))
		return 0;
	s = &me->site[(((uintptr_t)file >> 4) + ((uintptr_t)func >> 2) + line * 7) % CT_SITES];
	if (CT_LIKELY(s->line == line && s->file == file && s->func == func && s->index))
		i = s->index;
	else {
		me->idle = 0;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		i = ct_p_site(func, file, line);
		s->func = func;
		s->file = file;
		s->line = line;
		s->index = i;
	}
	ct_p_leave(me);
	return i;
}

/* ---- attaching ---- */

CT_COLD int ct_p_fail(const char *what, const char *why)
{
	char line[512];
	int n = snprintf(line, sizeof(line), "ct: cannot attach: %s: %s\n", what, why);

	if (n > (int)sizeof(line) - 1)
		n = (int)sizeof(line) - 1;
	if (n > 0 && write(2, line, (size_t)n) < 0)
		return 0;
	return 0;
}

/* Does the table lie within the file? */
CT_COLD int ct_p_fits(uint64_t off, uint64_t count, uint64_t size, uint64_t file)
{
	return off >= 1024 && off % 64 == 0 && off <= file && count <= (file - off) / size;
}

CT_COLD int ct_p_check_v2(const struct ctp_header *h, uint64_t size)
{
	return h->file_size <= size && h->ring_slots >= 2 &&
		!(h->ring_slots & (h->ring_slots - 1)) && h->station_count <= 1u << 24 &&
		h->strings_size <= UINT32_MAX * (uint64_t)8 &&
		ct_p_fits(h->rings_off, h->ring_count, sizeof(struct ctp_ring), h->file_size) &&
		ct_p_fits(
			h->slots_off, h->ring_count, (uint64_t)h->ring_slots * 64, h->file_size) &&
		ct_p_fits(h->stations_off, h->station_count, 64, h->file_size) &&
		ct_p_fits(h->sites_off, h->site_count, sizeof(struct ctp_site), h->file_size) &&
		ct_p_fits(h->strings_off, h->strings_size, 1, h->file_size) &&
		(h->v2_minor != CTP2_MINOR_BOX || !h->births_off ||
			ct_p_fits(h->births_off, h->station_count, sizeof(struct ctp_birth),
				h->file_size));
}

/* Map bytes `off` to `off + size` of the file, NULL: could not. Kept out of cores: the kernel would
 * fill them with all that the file could hold. */
CT_COLD void *ct_p_map_part(int fd, uint64_t off, uint64_t size, int prot)
{
	uint64_t before = off & (CT_ALIGN - 1);
	char *at = (char *)mmap(
		NULL, size + before, prot, MAP_SHARED | MAP_NORESERVE, fd, (off_t)(off - before));

	if (at == MAP_FAILED)
		return NULL;
	madvise(at, size + before, MADV_DONTDUMP);
	return at + before;
}

CT_COLD int ct_p_map_table(int fd, struct ct_part *part, uint64_t off, uint64_t size)
{
	int at_once = ct_p_.flags & CTP_F_QUIET;

	part->at =
		(char *)ct_p_map_part(fd, off, size, at_once ? PROT_READ | PROT_WRITE : PROT_NONE);
	part->size = size;
	part->open = at_once ? size : 0;
	return part->at != NULL;
}

/* Where the address space is limited, no more than a quarter is ours: how often to halve the
 * tables. */
CT_COLD unsigned ct_p_halvings(uint64_t size)
{
	struct rlimit space;
	unsigned n = 0;

	if (getrlimit(RLIMIT_AS, &space) || space.rlim_cur == RLIM_INFINITY)
		return 0;
	while (n < 31 && size >> n > space.rlim_cur / 4)
		n++;
	return n;
}

/* Of a region that a recorder made. */
CT_COLD int ct_p_map_given(int fd, const struct ctp_header *h)
{
	struct ct_shared *g = &ct_p_;
	unsigned less = ct_p_halvings(h->file_size);

	g->strings_size = h->strings_size >> less & ~(uint64_t)7;
	g->ring_count = h->ring_count >> less ? h->ring_count >> less : 1;
	g->station_count = h->station_count >> less;
	g->site_count = h->site_count >> less;
	g->rings = (struct ctp_ring *)ct_p_map_part(
		fd, h->rings_off, g->ring_count * sizeof(struct ctp_ring), PROT_READ | PROT_WRITE);
	return g->rings &&
		ct_p_map_table(fd, &g->slot_part, h->slots_off,
			(uint64_t)g->ring_count * h->ring_slots * 64) &&
		ct_p_map_table(
			fd, &g->station_part, h->stations_off, (uint64_t)g->station_count * 64) &&
		ct_p_map_table(
			fd, &g->site_part, h->sites_off, g->site_count * sizeof(struct ctp_site)) &&
		ct_p_map_table(fd, &g->string_part, h->strings_off, g->strings_size) &&
		(!g->overwrites || !h->births_off ||
			ct_p_map_table(fd, &g->birth_part, h->births_off,
				g->station_count * sizeof(struct ctp_birth)));
}

CT_COLD int ct_p_map_tables(int fd, const struct ctp_header *h)
{
	struct ct_shared *g = &ct_p_;

	g->ring_slots = h->ring_slots;
	g->strings_size = h->strings_size;
	g->ring_count = h->ring_count;
	g->station_count = h->station_count;
	g->site_count = h->site_count;
	if (!g->box && !ct_p_map_given(fd, h))
		return 0;
	g->slots = g->slot_part.at;
	g->births = (struct ctp_birth *)(void *)g->birth_part.at;
	g->stations = (struct ctp_event *)(void *)g->station_part.at;
	g->sites = (struct ctp_site *)(void *)g->site_part.at;
	g->strings = g->string_part.at;
	return 1;
}

/* Where no system call is to be made later. Untouched, it is no memory. */
CT_COLD int ct_p_make_store(void)
{
	void *at;

	if (!(ct_p_.flags & CTP_F_QUIET))
		return 1;
	at = mmap(NULL, ct_p_.ring_count * sizeof(struct ct_writer), PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return 0;
	ct_p_.store = (struct ct_writer *)at;
	return 1;
}

CT_COLD int ct_p_use_v2(int fd, const struct ctp_header *h)
{
	struct ct_shared *g = &ct_p_;
	size_t table = CT_TABLE * sizeof(uint64_t);
	uint64_t *tables = (uint64_t *)mmap(
		NULL, 2 * table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	g->flags = h->flags;
	if ((void *)tables == MAP_FAILED || !ct_p_map_tables(fd, h) || !ct_p_make_store())
		return -1;
	g->text_table = tables;
	g->site_table = tables + CT_TABLE;
	if (g->flags & CTP_F_STACKS) {
		g->stack_table = (uint64_t *)mmap(NULL, CT_STACK_TABLE * sizeof(uint64_t),
			PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if ((void *)g->stack_table == MAP_FAILED)
			return -1;
		dl_iterate_phdr(ct_p_add_object, NULL);
	}
	return 0;
}

/* Commands 4 registers for membarrier's GLOBAL_EXPEDITED; where it may not, this process fences for
 * itself. */
CT_COLD void ct_p_register(void)
{
#ifdef SYS_membarrier
	if (!ct_p_.v1 && !(ct_p_.flags & CTP_F_FENCE) && !syscall(SYS_membarrier, 4, 0, 0))
		return;
#endif
	ct_p_.flags |= CTP_F_FENCE;
}

/* One that finds no connection (its rights or its root are others, its descriptors all in use)
 * records all the same, and is counted. */
CT_COLD void ct_p_connect_child(void)
{
	int sock = ct_p_dial();

	if (sock >= 0 && !ct_p_greet(sock))
		return;
	if (ct_p_.v1 || errno == ECONNREFUSED || ct_p_recorder_gone()) {
		/* nobody reads any more, or there is no place to count it */
		ctp_store(&ct_flag_.on, 0);
	} else {
		ct_p_take_number(-1);
		ctp_add(&ct_p_.hdr->unconnected, 1);
	}
}

/* In a child the ring, the stations and ids in store and the socket are its parent's. */
CT_COLD void ct_p_forked(void)
{
	struct ct_writer *me = ct_me_;
	int err = errno, inherited;
	uint32_t i;

	ct_p_.process = getpid();
	ct_p_flag_forked();
	if (!ctp_load(&ct_flag_.on) || !ct_p_.hdr)
		return;
	ct_me_ = NULL;
	pthread_setspecific(ct_p_.key, NULL);
	for (i = 0; ct_p_.store && i < ct_p_.ring_count; i++)	/* threads that are not here */
		if (&ct_p_.store[i] != me)
			ctp_store(&ct_p_.store[i].taken, 0u);
	inherited = !ct_p_.box && ct_p_sock_ours() ? ct_p_.sock : -1;
	ct_p_.sock = -1;
	ct_p_.floor = ct_p_.v1 ? 0 : ctp_load(&ct_p_.hdr->next_probe_id) - 1;
	ct_p_register();
	if (ct_p_.box)
		ct_p_box_number_child();
	else
		ct_p_connect_child();
	/* not before: a recorder that follows children must at no time see nobody */
	if (inherited >= 0)
		close(inherited);
	errno = err;
}

CT_COLD int ct_p_map_file(const char *path, int fd, uint64_t size, const char *stations)
{
	struct ctp_header *h;
	uint64_t max;

	ct_p_.base = (char *)ct_p_map_part(fd, 0, 1024, PROT_READ | PROT_WRITE);
	if (!ct_p_.base)
		return ct_p_fail(path, strerror(errno));
	ct_p_.hdr = h = (struct ctp_header *)(void *)ct_p_.base;
	if (h->magic != CTP_MAGIC || h->version != CTP_VERSION)
		return ct_p_fail(path, "not a recorder's memory");
	ct_p_.v1 = ctp_load_acquire(&h->v2_magic) != CTP2_MAGIC ||
		(h->v2_minor != CTP2_MINOR && h->v2_minor != CTP2_MINOR_BOX);
	ct_p_.overwrites = !ct_p_.v1 && h->v2_minor == CTP2_MINOR_BOX;
	if (!ct_p_.v1 && !ct_p_check_v2(h, size))
		return ct_p_fail(path, "its tables do not lie within it");
	if (!ct_p_.v1)
		return ct_p_use_v2(fd, h) ? ct_p_fail("no memory", strerror(errno)) : 1;
	max = stations ? strtoull(stations, NULL, 10) : h->max_stations;
	if (max > h->max_stations)
		max = h->max_stations;
	if (max > (size - 1024) / 1024)
		max = (size - 1024) / 1024;
	ct_p_.v1_max = (uint32_t)max;
	ct_p_.base = (char *)ct_p_map_part(fd, 0, 1024 + max * 1024, PROT_READ | PROT_WRITE);
	if (!ct_p_.base)
		return ct_p_fail(path, strerror(errno));
	munmap(h, 1024);
	ct_p_.hdr = (struct ctp_header *)(void *)ct_p_.base;
	return 1;
}

/* 1: mapped, and *sock is a connection if one was needed for it, else -1. */
CT_COLD int ct_p_map(const char *path, const char *stations, int *sock)
{
	struct stat st;
	int mapped, err, fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		err = errno;
		*sock = ct_p_dial();
		fd = *sock >= 0 ? ct_p_ask_memory(*sock) : -1;
		if (fd < 0)
			return ct_p_fail(path, strerror(err));
	}
	if (fstat(fd, &st) || st.st_size < 1024)
		mapped = ct_p_fail(path, "too small to be a recorder's memory");
	else
		mapped = ct_p_map_file(path, fd, (uint64_t)st.st_size, stations);
	close(fd);
	return mapped;
}

/* Threads that end call into this code, and so do children: a plugin that has it stays where it is
 * after dlclose(). */
CT_COLD void ct_p_stay(void)
{
	Dl_info self;

	if (dlopen && dladdr && dladdr((void *)&ct_p_, &self) && self.dli_fname)
		dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

CT_COLD int ct_p_hook(void)
{
	if (!ct_p_.hooked &&
		(pthread_key_create(&ct_p_.key, ct_p_thread_end) ||
			pthread_atfork(NULL, NULL, ct_p_forked)))
		return 0;
	ct_p_.hooked = 1;
	ct_p_stay();
	return 1;
}

/* The region is there. */
CT_COLD int ct_p_begin(void)
{
	if (!ct_p_hook())
		return ct_p_fail("thread hooks", "no memory");
	ct_p_register();
	ct_p_.starting.hdr = ct_p_.hdr;
	ct_p_.starting.ours = 1;
	__atomic_store_n(&ct_flag_.on, CTP_FLAG_ON, __ATOMIC_RELEASE);
	return 1;
}

/* To the recorder that is named, else make a box as is asked. */
CT_COLD int ct_p_attach(const char *box, int late)
{
	const char *shm = getenv(CTP_ENV_SHM), *path = getenv(CTP_ENV_SOCK);
	int sock = -1;

	ct_p_.process = getpid();
	if (!shm && !path)
		return ct_p_make_box(box, late);
	if (getauxval(AT_SECURE))
		return ct_p_fail(CTP_ENV_SHM,
			"not followed by a program that runs with another user's rights");
	if (!shm || !path)
		return ct_p_fail(shm ? CTP_ENV_SOCK : CTP_ENV_SHM, "not set");
	if (strlen(path) >= sizeof(ct_p_.addr.sun_path))
		return ct_p_fail(path, "path too long for a socket");
	ct_p_.addr.sun_family = AF_UNIX;
	memcpy(ct_p_.addr.sun_path, path, strlen(path) + 1);
	ct_p_.sock = -1;
	if (!ct_p_map(shm, getenv(CTP_ENV_STATIONS), &sock)) {
		if (sock >= 0)
			close(sock);
		return 0;
	}
	if (sock < 0)
		sock = ct_p_dial();
	if (sock < 0 || ct_p_greet(sock))
		return ct_p_fail(path, strerror(errno));
	return ct_p_begin();
}

/* Whose turn is it to set up? One thread's at a time; the others wait, not for one of the process
 * that forked this one, and not in a signal handler that interrupted it. 0: it is done; 1: ours; 2:
 * ours, once more, which only `again` asks for. */
CT_COLD int ct_p_turn(int again)
{
	struct timespec wait = { 0, 1000000 };
	uint64_t me, by = __atomic_load_n(&ct_p_.init, __ATOMIC_ACQUIRE);

	if (by == CT_DONE && !again)
		return 0;
	me = CTP_OWNER(getpid(), (uint32_t)syscall(SYS_gettid));
	while (by != me && (by != CT_DONE || again)) {
		if (by && by != CT_DONE && CTP_OWNER_PID(by) == CTP_OWNER_PID(me)) {
			nanosleep(&wait, NULL);
			by = __atomic_load_n(&ct_p_.init, __ATOMIC_ACQUIRE);
		} else if (__atomic_compare_exchange_n(
				   &ct_p_.init, &by, me, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
			return by == CT_DONE ? 2 : 1;
		}
	}
	return 0;
}

/* box: what to do where the environment says nothing. */
CT_COLD int ct_p_init(const char *box, int again)
{
	const char *env = getauxval(AT_SECURE) ? NULL : getenv(CTP_ENV_BOX);
	int err = errno, turn = ct_p_turn(again);

	if (turn && ctp_load(&ct_flag_.on) != CTP_FLAG_ON) {
		box = env && *env ? env : box;
		if (!ct_p_attach(box, turn == 2) && !ct_p_.hdr && !(box && !strcmp(box, "0")))
			ct_p_share_flag();
	}
	if (turn)
		__atomic_store_n(&ct_p_.init, CT_DONE, __ATOMIC_RELEASE);
	errno = err;
	return ctp_load(&ct_flag_.on) == CTP_FLAG_ON;
}

CT_API int ct_init(void)
{
	return ct_p_init(NULL, 0);
}

CT_API int ct_box(const char *how)
{
	return ct_p_init(how ? how : "1", ctp_load(&ct_flag_.on) != CTP_FLAG_ON);
}

#ifdef __cplusplus
}
#endif
#endif
