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
#define CT_OWN inline
#define CT_TLS inline thread_local
#define CT_COLD inline __attribute__((cold))
#define CT_INLINE inline
#else
#define CT_FN static
#define CT_API __attribute__((noinline))	/* so that what it returns to is the program's */
#define CT_VAR
/* Of two libraries with this the functions of one may be called by both; those that it has not are the
 * other's, which may be of another edition, and is to find nothing set up. */
#define CT_OWN __attribute__((visibility("hidden")))
#define CT_TLS CT_OWN _Thread_local
#define CT_COLD static __attribute__((noinline, cold, unused))
#define CT_INLINE static inline
#endif
#define CT_HOT CT_INLINE __attribute__((always_inline))
#define CT_LIKELY(x) __builtin_expect(!!(x), 1)
#define CT_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ThreadSanitizer overlooks fences, and GCC says so at each: almost all are for the recorder. */
#if defined __SANITIZE_THREAD__ && !defined __clang__ && __GNUC__ >= 11
#define CT_P_WARNS_
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif

/* One probe for all parts of a program, however they were built. */
#if defined __cplusplus && defined CT_HEADER_ONLY
#pragma GCC visibility push(default)
#endif

#pragma weak dlopen		/* in libdl before glibc 2.34; nobody has to link it for this */
#pragma weak dladdr

#if defined __cplusplus && defined CT_HEADER_ONLY && !defined CT_LANGUAGE_C_
inline namespace CT_EDITION {
#elif defined __cplusplus
extern "C" {
#endif

CTP_ASSERT_((int)CT_ON_ROOM == (int)CTP_ON_ROOM);
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

#include "ct-cfi.h"
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
	uint64_t reported;	/* of ring->dropped, how many by CTP_LOST events */
	uint64_t id_next, id_end;
	uint64_t no_ring;
	uint64_t asked;		/* when it was last seen whether the recorder lives */
	uint32_t station_count, station[CT_STATIONS];
	/* what the fiber `id` is about to wait for: for its next ct_switch */
	struct { uint64_t id; struct ct_site *here; uint32_t site; struct ct_on on; } waits;
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
	/* as far as they were used: of the box that was left by the process that forked this one */
	struct ct_part old_sites, old_strings;
	uint64_t strings_size;
	/* atomic: calls for ids up to floor are looked at more closely. That is `old`, ids of what
	 * is not known here; or while the gate is closed, all: see ct-gate.h */
	uint64_t floor, old;
	uint64_t forked;	/* ids up to here are those of a process that forked this one */
	uint32_t gate;		/* atomic: CT_STOPPED, CT_LEFT */
	uint32_t ring_count, ring_slots, station_count, site_count, flags, v1_max;
	uint32_t pid;		/* of the recorder's namespace: CTP_NUMBERS */
	int v1, sock, hooked;
	uint32_t stays;		/* atomic: this code is not unloaded any more */
	pid_t process;		/* who we are; another: not by fork() */
	/* 0, by the kernel, where this memory is a copy (MADV_WIPEONFORK); NULL: nobody knows */
	uint32_t *original;
	int strict;		/* vm.overcommit_memory is 2, or a box cannot be given blocks */
	int overwrites;		/* minor 3: rings do, while nobody reads */
	/* the region is our own, or that of the process that forked us; in a file; see
	 * ct_p_make_box */
	int box, box_file, late;
	uint32_t read[2048];	/* atomic: a bit for each ring whose slots may be read */
	int box_fd;		/* to be found in /proc, and for the recorder's lock */
	dev_t box_dev, flag_dev;
	ino_t box_ino, flag_ino;
	uint64_t full_at, full_len;	/* when its file's disk had no room for so much */
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
	/* we were forked by a process whose thread was in ct_init: locks of libc's that it had, nobody gives back */
	int taken_over;
	uint64_t pid_ns;		/* the recorder's, where it was ours once; 0: not known */
	/* of threads that have none yet: not idle, without a ring; never written to again */
	struct ct_writer starting;
};

CT_VAR struct ct_flag_page_ ct_flag_;
CT_OWN struct ct_shared ct_p_;
CT_TLS struct ct_writer *ct_me_ = NULL;
/* while this thread forks: 1, and 1 more where a region was there before; else 0 */
CT_TLS uint32_t ct_forks_ = 0;

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

/* Around what is asked of the system: the program's errno stays what it was, and its thread is not
 * cancelled here, where it may have a lock, and where others may wait for what it is at. */
struct ct_aside { int err, cancel; };

CT_COLD struct ct_aside ct_p_aside(void)
{
	struct ct_aside was = { errno, PTHREAD_CANCEL_ENABLE };

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was.cancel);
	return was;
}

CT_COLD void ct_p_back(struct ct_aside was)
{
	pthread_setcancelstate(was.cancel, &was.cancel);
	errno = was.err;
}

#include "ct-link.h"
#include "ct-strings.h"
#include "ct-ring.h"
#include "ct-makebox.h"
#include "ct-flag.h"
#include "ct-thread.h"
#include "ct-gate.h"
#include "ct-coro.h"
#include "ct-switch.h"
#include "ct-things.h"

CT_API uint64_t ct_current(void)
{
	return ct_enabled() && ct_me_ ? ct_p_current(ct_me_) : 0;
}

/* On this thread id runs, on as it did before another began within it. */
CT_API void ct_runs_(uint64_t id)
{
	struct ct_writer *me = ct_me_;

	if (me && me->idle)
		me->current = id;
}

CT_API uint32_t ct_intern_site(const char *func, const char *file, uint32_t line)
{
	struct ct_writer *me = ct_me_;
	struct ct_cached_site *s;
	uint32_t i;

	if (!ct_enabled())
		return 0;
	if (CT_UNLIKELY(!me || !me->idle) && (!(me = ct_p_enter_with(0))))
		return 0;		/* counted is the event */
	s = &me->site[(((uintptr_t)file >> 4) + ((uintptr_t)func >> 2) + line * 7) % CT_SITES];
	/* first: a signal handler's site may take this place before the rest is compared */
	i = ctp_load(&s->index);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (CT_UNLIKELY(!i || s->line != line || s->file != file || s->func != func)) {
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

#include "ct-attach.h"

CT_API int ct_init(void)
{
	return ct_p_init(NULL, 0);
}

CT_API int ct_box(const char *how)
{
	return ct_p_init(how ? how : "1", ctp_load(&ct_flag_.on) != CTP_FLAG_ON);
}

#include "ct-dump.h"

CT_API int ct_dump(const char *path)
{
	struct ct_aside was = ct_p_aside();
	int result = ct_p_dump(path);

	ct_p_back(was);
	return result;
}

CT_API void ct_stop(void)
{
	ct_p_pause(1);
}

CT_API int ct_start(void)
{
	if (ctp_load(&ct_p_.gate) & CT_STOPPED)
		ct_p_pause(0);
	else
		ct_box(NULL);
	return ctp_load(&ct_flag_.on) && !ct_p_closed();
}

#if defined __cplusplus && defined CT_HEADER_ONLY
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#if defined CT_P_WARNS_
#pragma GCC diagnostic pop
#endif
#endif
