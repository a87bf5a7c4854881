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
	uint64_t strings_size;
	/* atomic: calls for ids up to floor are looked at more closely. That is `old`, ids of what
	 * is not known here; or while the gate is closed, all: see ct-gate.h */
	uint64_t floor, old;
	uint64_t forked;	/* ids up to here are those of a process that forked this one */
	uint32_t gate;		/* atomic: CT_STOPPED, CT_LEFT */
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

#include "ct-link.h"
#include "ct-strings.h"
#include "ct-ring.h"
#include "ct-thread.h"
#include "ct-gate.h"

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
 * saved. 0: the event was dropped. */
CT_HOT int ct_p_own(struct ct_writer *me, struct ct_coro *c, uint64_t addr, uint64_t arg,
	uint32_t site, uint64_t kinds, int fast)
{
	int room = fast || (CT_UNLIKELY(ct_p_closed()) ? ct_p_skip(me) :
			    CT_LIKELY(me->head < me->limit) || ct_p_room(me));
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
		if (!ct_p_closed() || (kinds & 0xff) == CTP_CREATE || (kinds & 0xff) == CTP_DESTROY)
			ct_p_v1(me, c, addr, (unsigned)(kinds & 0xff));
		return room;
	}
	if (CT_LIKELY(c->station)) {
		if ((kinds & 0xff) == CTP_DESTROY)
			ct_p_station(me, c, ts, 0, 0, 0, n_site, 0);
		else
			ct_p_station(me, c, ts, addr, c->id, arg, n_site, kinds);
	}
	return room;
}

#define CT_READY(me) CT_LIKELY((me) && (me)->idle && !(me)->slow && (me)->head < (me)->limit)

#define CT_ANY_ID UINT64_MAX

/* The id once more: entering may have found out that this process is a copy. */
CT_HOT struct ct_writer *ct_p_enter_for(uint64_t id)
{
	struct ct_writer *me = ct_p_enter();

	if (me && CT_FOREIGN(id) && !ct_p_known(id)) {
		ct_p_leave(me);
		return NULL;
	}
	return me;
}

/* Whom this thread runs: not one that was forgotten meanwhile. */
CT_HOT uint64_t ct_p_current(const struct ct_writer *me)
{
	return me->current > ctp_load(&ct_p_.old) ? me->current : 0;
}

/* Kinds that take more than a store: texts, and those that an older recorder does not know. */
#define CT_ODD(kind) (((kind) & 0x7f) >= CT_ON_USER)

CT_COLD uint64_t ct_p_on_odd(struct ct_on on, uint8_t *kind)
{
	if (on.kind == CT_ON_USER) {
		on.value = ct_p_text(on.text);
		*kind |= on.value ? 0 : CTP_ON_ANY;
	} else if ((on.kind & 0x7f) == CT_ON_ROOM && ct_p_.hdr->on_kinds <= CTP_ON_ROOM) {
		*kind = CTP_ON_CHAN | (on.kind & CTP_ON_ANY);
	}
	return on.value;
}

/* What is waited on as arg and arg_kind. */
CT_HOT uint64_t ct_p_on(struct ct_on on, uint8_t *kind)
{
	*kind = on.kind;
	return CT_UNLIKELY(CT_ODD(on.kind)) ? ct_p_on_odd(on, kind) : on.value;
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
	/* acquire: see ct_p_switch_on() */
	me->id_next = __atomic_fetch_add(&me->hdr->next_probe_id, CT_IDS, __ATOMIC_ACQUIRE);
	me->id_end = me->id_next + CT_IDS;
	return ct_p_gone() ? 0 : me->id_next++;
}

CT_HOT void ct_p_create(struct ct_writer *me, struct ct_coro *c, uint64_t parent, uint32_t site,
	const void *frame, const char *name)
{
	uint32_t text;
	int room;

	c->id = me->id_next < me->id_end && me->id_next > ctp_load(&ct_p_.old) ? me->id_next++ :
								     ct_p_new_ids(me);
	c->last_ts = 0;
	c->frame = (uint64_t)(uintptr_t)frame;
	c->n = 0;
	c->station = 0;
	if (CT_UNLIKELY(!c->id))	/* all was left meanwhile */
		return;
	if (!ct_p_.v1)
		c->station = me->station_count ? me->station[--me->station_count] + 1 :
						 ct_p_more_stations(me);
	room = ct_p_own(me, c, c->frame, parent, site, CT_KINDS(CTP_CREATE, 0, 0), 0);
	text = name && !ct_p_.v1 ? ct_p_text(name) : 0;
	if (ct_p_.births && c->station)
		ct_p_birth(c, parent, room ? site : site | CTP_BIRTH_UNSEEN, text);
	if (name && !ct_p_.v1)
		ct_p_name(me, c->id, text);
}

/* One that was made before anybody asked for a trace (all zero, as ct.h wants it), or before the
 * probe was switched off and on again, is first seen here: its birth is not known. Only where the
 * box was made late: elsewhere zero means that its creation could not be recorded. */
CT_COLD int ct_p_adopt(struct ct_coro *c)
{
	uint32_t station = c->station;
	struct ct_writer *me;

	if ((c->id && c->id <= ct_p_.forked) ||
		(!ctp_load(&ct_p_.late) && ctp_load(&ct_flag_.on) != CTP_FLAG_ASKED) ||
		!(me = ct_p_enter()))
		return 0;
	if (!ctp_load(&ct_p_.late)) {	/* nobody was asked after all */
		ct_p_leave(me);
		return 0;
	}
	/* its station is its own still, for nobody else gives it back */
	if (c->id && station && station <= ct_p_.station_count && me->station_count < CT_STATIONS &&
		ctp_load(&me->stations[station - 1].probe_id) == c->id)
		me->station[me->station_count++] = station - 1;
	ct_p_create(me, c, CTP_UNKNOWN, 0, NULL, NULL);
	ct_p_leave(me);
	return c->id != 0;
}

/* A call for a coroutine with an id up to the floor. 1: go on, by the slow way. */
CT_COLD int ct_p_gate(struct ct_coro *c)
{
	ct_p_asked_again();
	return !ct_p_gone() && (c->id > ctp_load(&ct_p_.old) || ct_p_adopt(c));
}

/* Created on a thread that has no writer, which was counted: it has an id all the same, so that its
 * later events are recorded where they can be, and counted where not. */
CT_COLD void ct_p_create_unseen(struct ct_coro *c)
{
	memset(c, 0, sizeof(*c));
	if (!ctp_load(&ct_flag_.on) || !ct_p_.hdr || ct_p_.v1 || ct_p_gone())
		return;
	c->id = ctp_add(&ct_p_.hdr->next_probe_id, 1);
	c->n = 1;
}

CT_API void ct_create_(struct ct_coro *c, uint64_t parent, struct ct_site *site, const void *frame,
	const char *name)
{
	struct ct_writer *me = ct_p_enter_new();

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
	struct ct_writer *me = ct_enabled() ? ct_p_enter_new() : NULL;

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

	if (CT_FOREIGN(c->id)) {
		if (ct_p_gate(c))
			ct_p_resume_slow(c);
		return;
	}
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

	if (CT_FOREIGN(c->id) && !ct_p_gate(c))
		return;
	me = ct_me_;
	if (!CT_READY(me) || CT_UNLIKELY(CT_ODD(on.kind)) || CT_UNLIKELY(!site) ||
		CT_FOREIGN(c->id)) {
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

	if (!ct_enabled() || (CT_FOREIGN(c->id) && !ct_p_gate(c)))
		return;
	me = ct_me_;
	if (!CT_READY(me) || CT_UNLIKELY(CT_ODD(on.kind)) || CT_FOREIGN(c->id)) {
		ct_p_suspend_slow(c, CT_NOWHERE, site, on, __builtin_return_address(0));
		return;
	}
	me->idle = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ct_p_suspend(me, c, site, on.value, on.kind, 0, 1);
}

/* Its legs stand right before it in its ring: what is lost of them, is between. */
CT_API void ct_suspend_legs_(struct ct_coro *c, struct ct_site *here, uint32_t site, int all,
	const struct ct_leg *legs, size_t count)
{
	struct ct_writer *me;
	uint8_t kind;
	uint64_t arg;
	size_t i;

	if ((CT_FOREIGN(c->id) && !ct_p_gate(c)) || !(me = ct_p_enter_for(c->id)))
		return;
	if (ct_p_.v1 || me->hdr->kinds <= CTP_LEG || me->hdr->on_kinds <= CTP_ON_ALL_OF)
		count = 0;
	for (i = 0; i < count; i++) {
		arg = ct_p_on(legs[i].on, &kind);
		ct_p_event(me, 0, c->id, arg,
			CT_N_SITE(c->n + 1,
				legs[i].here ? ct_p_here(legs[i].here) : legs[i].site),
			CT_KINDS(CTP_LEG, kind, 0));
	}
	kind = count ? all ? CTP_ON_ALL_OF : CTP_ON_ANY_OF : CTP_ON_NONE;
	ct_p_suspend(me, c, here ? ct_p_here(here) : site, count, kind,
		ct_p_with_stack(me, __builtin_return_address(0)), 0);
}

CT_API void ct_destroy_(struct ct_coro *c, int done)
{
	struct ct_writer *me;
	uint32_t k;

	if ((CT_FOREIGN(c->id) && !ct_p_known(c->id)) || c->last_ts == UINT64_MAX ||
		!(me = ct_p_enter_for(c->id)))
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

#include "ct-things.h"

CT_API uint64_t ct_current(void)
{
	return ct_enabled() && ct_me_ ? ct_p_current(ct_me_) : 0;
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
	int err = errno, result = ct_p_dump(path);

	errno = err;
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

#ifdef __cplusplus
}
#endif
#endif
