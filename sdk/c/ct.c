/* ct.c - the corotrace probe: attach to a recorder, write events into its shared memory.
 *
 * C11, and with CT_HEADER_ONLY the inline body of the C++20 probe: so it stays in what both languages share. The layout
 * is ctp.h; why each memory order suffices is ctp(7), in one line here.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "ct.h"
#if __has_include("ctp.h")
#include "ctp.h"
#else
#include "../ctp/ctp.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

#if defined CT_HEADER_ONLY && defined __cplusplus
#define CT_FN inline
#define CT_PRIV inline
#define CT_VAR inline
#define CT_TLS inline constinit thread_local
#else
#define CT_FN
#define CT_PRIV static
#define CT_VAR
#define CT_TLS static _Thread_local
#endif
#define CT_HOT static inline __attribute__((always_inline))
#define CT_COLD __attribute__((noinline, cold))
#define ct_likely(e) __builtin_expect(!!(e), 1)
#define ct_unlikely(e) __builtin_expect(!!(e), 0)

#ifdef __cplusplus
extern "C" {
#endif

enum { CT_V1 = 1, CT_V2 = 2 };		/* values of ct_on_ */
enum { CT_CACHE = 32, CT_ID_BLOCK = 64, CT_STRINGS = 1 << 14, CT_SITES = 1 << 13, CT_SITE_CACHE = 64 };

typedef uint64_t __attribute__((may_alias)) ct_word_;	/* a record is written as eight of these */

struct ct_interned_ {		/* one entry of an insert-only table */
	uint64_t key;		/* atomic; 0 = empty */
	uint32_t number;	/* atomic; 0 = its inserter is still writing */
	uint32_t pad;
};

/* What this process knows of the region. Written by ct_init before ct_on_ is set (release), constant afterwards, but for
 * a forked child, which is alone then. */
struct ct_region_ {
	char *base;
	struct ctp_header *h;
	struct ctp_ring *rings;
	struct ctp_event *slots, *stations;
	struct ctp_site *sites;
	uint64_t strings_size, min_id;	/* min_id: smaller ids were inherited over fork and are not ours to tell of */
	char *strings;
	uint32_t ring_count, ring_slots, station_count, site_count, max_v1, flags, pid;
	int sock, attached;		/* attached: what ct_on_ was set to */
	pthread_key_t key;
};

struct ct_tls_ {
	uint64_t cap;		/* ring_slots; 0: no ring yet, so that the first event finds it full */
	uint64_t head, tail_seen, last_ts, tid, current;
	struct ctp_event *slots;
	struct ctp_ring *ring;
	uint64_t pending;	/* dropped and not yet told of by a CTP_LOST */
	uint64_t id_next, id_end;
	uint32_t busy;		/* in a probe: a signal handler that probes must keep out */
	uint32_t cached;
	uint32_t cache[CT_CACHE];	/* stations taken and free, as 1 + index */
	struct { const void *func, *file; uint32_t line, index; } site_cache[CT_SITE_CACHE];
};

CT_VAR int ct_on_ = 0;
#ifdef __cplusplus
CT_VAR struct ct_region_ ct_region_ = {};
CT_TLS struct ct_tls_ ct_tls_ = {};
CT_VAR struct ct_interned_ ct_strings_[CT_STRINGS] = {};
CT_VAR struct ct_interned_ ct_sites_[CT_SITES] = {};
CT_VAR pthread_mutex_t ct_init_lock_ = PTHREAD_MUTEX_INITIALIZER;
#else
static struct ct_region_ ct_region_;
CT_TLS struct ct_tls_ ct_tls_;
static struct ct_interned_ ct_strings_[CT_STRINGS], ct_sites_[CT_SITES];
static pthread_mutex_t ct_init_lock_ = PTHREAD_MUTEX_INITIALIZER;
#endif

/* ---- time ---- */

CT_PRIV uint64_t ct_monotonic_(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* No fence: a time taken a reorder window too early is repaired by the hybrid logical clock within a coroutine and a
 * ring, and between rings by the recorder, which holds back the newest 50 us of every cut. */
CT_HOT uint64_t ct_now_(void)
{
#if defined __x86_64__
	if (ct_likely(ct_region_.flags & CTP_F_TSC))
		return __builtin_ia32_rdtsc();
#elif defined __aarch64__
	if (ct_likely(ct_region_.flags & CTP_F_TSC)) {
		uint64_t ticks;
		__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
		return ticks;
	}
#endif
	return ct_monotonic_();
}

/* ---- waking the recorder ---- */

CT_PRIV CT_COLD void ct_detach_(void)
{
	__atomic_store_n(&ct_on_, 0, __ATOMIC_RELAXED);
}

/* Whoever swaps tracer_sleeping to 0 sends the byte: one system call a sleep of the recorder's, not one an event. */
CT_PRIV CT_COLD void ct_wake_recorder_(void)
{
	uint32_t one = 1;
	int saved = errno;

	if (__atomic_compare_exchange_n(&ct_region_.h->tracer_sleeping, &one, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) &&
	    ct_region_.sock >= 0 && send(ct_region_.sock, "1", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
	    (errno == EPIPE || errno == ECONNRESET))
		ct_detach_();
	errno = saved;
}

/* After publishing: does the recorder sleep? The recorder stores tracer_sleeping = 1, issues membarrier on us, and looks
 * at the heads once more: so either it sees what we published or we see the 1. Only the compiler must keep the order. */
CT_HOT void ct_published_(void)
{
	if (ct_unlikely(ct_region_.flags & CTP_F_FENCE))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	else
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (ct_unlikely(ctp_load(&ct_region_.h->tracer_sleeping) != 0))
		ct_wake_recorder_();
}

CT_PRIV int ct_recorder_gone_(void)
{
	char c;
	ssize_t n;

	if (ct_region_.sock < 0)
		return 1;
	n = recv(ct_region_.sock, &c, 1, MSG_PEEK | MSG_DONTWAIT);
	return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

/* ---- a thread's ring ---- */

CT_HOT void ct_fill_(struct ctp_event *e, uint64_t ts, uint64_t tid, uint64_t addr, uint64_t seq, uint64_t id,
		     uint64_t arg, uint32_t n, uint32_t site, uint8_t kind, uint8_t arg_kind, uint8_t active)
{
	ct_word_ *w = (ct_word_ *)(void *)e;

	ctp_store(&w[0], ts);
	ctp_store(&w[1], tid);
	ctp_store(&w[2], addr);
	ctp_store(&w[3], seq);
	ctp_store(&w[4], id);
	ctp_store(&w[5], arg);
	ctp_store(&w[6], (uint64_t)site << 32 | n);
	ctp_store(&w[7], (uint64_t)active << 56 | (uint64_t)arg_kind << 8 | kind);
}

/* Release: whoever reads head with acquire sees the slot complete. */
CT_HOT void ct_publish_(struct ct_tls_ *t)
{
	t->head++;
	ctp_store_release(&t->ring->head, t->head);
}

CT_PRIV uint32_t ct_string_(const char *s, size_t len);

/* Take a free ring and tell who we are. Acquire pairs with the recorder's release of FREE (it has read everything) and
 * with the last owner's of RETIRED. */
CT_PRIV CT_COLD int ct_claim_(struct ct_tls_ *t)
{
	struct ctp_ring *r = NULL;
	uint32_t i, used, free_state;
	char name[16] = "";

	for (i = 0; i < ct_region_.ring_count; i++) {
		r = &ct_region_.rings[i];
		free_state = CTP_RING_FREE;
		if (ctp_load(&r->state) == CTP_RING_FREE &&
		    __atomic_compare_exchange_n(&r->state, &free_state, CTP_RING_OWNED, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			break;
	}
	if (i == ct_region_.ring_count)
		return 0;
	used = ctp_load(&ct_region_.h->rings_used);
	while (used <= i && !__atomic_compare_exchange_n(&ct_region_.h->rings_used, &used, i + 1, 0, __ATOMIC_RELEASE,
							 __ATOMIC_RELAXED))
		;
	t->tid = (uint64_t)syscall(SYS_gettid);
	ctp_store(&r->tid, t->tid);
	ctp_store(&r->pid, ct_region_.pid);
	t->ring = r;
	t->slots = ct_region_.slots + (uint64_t)i * ct_region_.ring_slots;
	t->cap = ct_region_.ring_slots;
	t->head = ctp_load(&r->head);
	t->tail_seen = ctp_load_acquire(&r->tail);
	t->pending = 0;
	t->last_ts = t->head ? ctp_load(&t->slots[(t->head - 1) & (t->cap - 1)].timestamp) : 0;
	pthread_setspecific(ct_region_.key, t);
	prctl(PR_GET_NAME, name);
	if (t->head - t->tail_seen < t->cap) {
		uint64_t ts = ct_now_();
		t->last_ts = ts > t->last_ts ? ts : t->last_ts;
		ct_fill_(&t->slots[t->head & (t->cap - 1)], t->last_ts, t->tid, ct_string_(name, strlen(name)), 0, 0,
			 CTP_ROLE_OTHER, ct_region_.pid, 0, CTP_THREAD, 0, 0);
		ct_publish_(t);
	}
	return 1;
}

CT_PRIV CT_COLD void ct_dropped_(struct ct_tls_ *t, uint64_t ts)
{
	if (!t->pending++)
		ctp_store(&t->ring->drop_first, ts);
	ctp_store(&t->ring->drop_last, ts);
	ctp_store_release(&t->ring->dropped, ctp_load(&t->ring->dropped) + 1);
}

/* Wait for the recorder to make room; not longer than it lives. Returns the room there is now, 0 when it is gone. */
CT_PRIV CT_COLD uint64_t ct_wait_room_(struct ct_tls_ *t, uint64_t need)
{
	struct timespec nap = { 0, 50000 };
	uint64_t room;
	unsigned turn;

	for (turn = 0;; turn++) {
		ct_published_();
		room = t->cap - (t->head - ctp_load_acquire(&t->ring->tail));
		if (room >= need || !ctp_load(&ct_on_))
			return room >= need ? room : 0;
		if (turn < 16)
			sched_yield();
		else
			nanosleep(&nap, NULL);
		if (turn % 64 == 63 && ct_recorder_gone_()) {
			ct_detach_();
			return 0;
		}
	}
}

/* The ring looks full (or there is none yet). Returns 1 when there is room for one event. Acquire: the recorder has
 * copied the slots below tail, so they may be written again. */
CT_PRIV CT_COLD int ct_make_room_(struct ct_tls_ *t, uint64_t ts)
{
	uint64_t need, room;
	int saved = errno, ok = 0;

	if (!t->ring && !ct_claim_(t)) {
		ctp_add(&ct_region_.h->lost_no_ring, 1);
		errno = saved;
		return 0;
	}
	need = 1 + (t->pending != 0);
	room = t->cap - (t->head - ctp_load_acquire(&t->ring->tail));
	if (room < need && (ct_region_.flags & CTP_F_BLOCK))
		room = ct_wait_room_(t, need);
	if (room < need || room > t->cap) {
		ct_dropped_(t, ts);
		goto out;
	}
	if (t->pending) {
		ct_fill_(&t->slots[t->head & (t->cap - 1)], ctp_load(&t->ring->drop_last), t->tid,
			 ctp_load(&t->ring->drop_first), 0, 0, t->pending, 0, 0, CTP_LOST, 0, 0);
		t->pending = 0;
		ct_publish_(t);
	}
	t->tail_seen = ctp_load_acquire(&t->ring->tail);
	ok = 1;
out:
	errno = saved;
	return ok;
}

/* One event into this thread's ring. ts: already beyond what the coroutine and the ring have. */
CT_HOT void ct_put_(struct ct_tls_ *t, uint64_t ts, uint64_t addr, uint64_t seq, uint64_t id, uint64_t arg, uint32_t n,
		    uint32_t site, uint8_t kind, uint8_t arg_kind, uint8_t active)
{
	if (ct_unlikely(t->head - t->tail_seen >= t->cap) && !ct_make_room_(t, ts))
		return;
	ct_fill_(&t->slots[t->head & (t->cap - 1)], ts, t->tid, addr, seq, id, arg, n, site, kind, arg_kind, active);
	ct_publish_(t);
	ct_published_();
}

/* A signal handler that interrupted a probe on this thread must not write into the half-written slot: its event is
 * counted as dropped. */
CT_HOT struct ct_tls_ *ct_enter_(void)
{
	struct ct_tls_ *t = &ct_tls_;

	if (ct_unlikely(t->busy)) {
		ctp_add(&ct_region_.h->lost_no_ring, 1);
		return NULL;
	}
	t->busy = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return t;
}

CT_HOT void ct_leave_(struct ct_tls_ *t)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->busy = 0;
}

CT_HOT uint64_t ct_stamp_(struct ct_tls_ *t)
{
	uint64_t ts = ct_now_();

	if (ct_unlikely(ts < t->last_ts))
		ts = t->last_ts;
	t->last_ts = ts;
	return ts;
}

/* ---- strings and sites: append-only, each interned once a process (a lost race writes it twice, harmlessly) ---- */

CT_PRIV uint64_t ct_hash_(uint64_t h, const void *p, size_t len)
{
	const unsigned char *s = (const unsigned char *)p;

	while (len--)
		h = (h ^ *s++) * 0x100000001b3ull;
	return h ^ h >> 29;
}

/* Find or insert `key`; *slot: where its number is or goes. NULL when the table is full. */
CT_PRIV struct ct_interned_ *ct_lookup_(struct ct_interned_ *table, uint32_t size, uint64_t key)
{
	uint32_t i, at = (uint32_t)(key * 0x9E3779B97F4A7C15ull >> 40);
	uint64_t empty;

	for (i = 0; i < 64; i++, at++) {
		struct ct_interned_ *e = &table[at & (size - 1)];

		empty = ctp_load(&e->key);
		if (empty == 0 && __atomic_compare_exchange_n(&e->key, &empty, key, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return e;
		if (empty == key)
			return e;
	}
	return NULL;
}

CT_PRIV CT_COLD uint32_t ct_new_string_(const char *s, size_t len)
{
	uint64_t size = (sizeof(uint32_t) + len + 7) & ~(uint64_t)7;
	uint64_t at = ctp_add(&ct_region_.h->strings_used, size);
	struct ctp_string *str;

	if (at < 8 || at > ct_region_.strings_size || size > ct_region_.strings_size - at) {
		ctp_add(&ct_region_.h->lost_no_string, 1);
		return 0;
	}
	str = (struct ctp_string *)(void *)(ct_region_.strings + at);
	memcpy(str->text, s, len);
	ctp_store_release(&str->len, (uint32_t)len + 1);	/* acquire in the recorder: text is there when len is */
	return (uint32_t)(at / 8);
}

CT_PRIV uint32_t ct_string_(const char *s, size_t len)
{
	struct ct_interned_ *e;
	uint32_t number;

	if (len == 0)
		return 0;
	if (len > 4095)
		len = 4095;
	e = ct_lookup_(ct_strings_, CT_STRINGS, ct_hash_(0xcbf29ce484222325ull, s, len) | 1);
	number = e ? __atomic_load_n(&e->number, __ATOMIC_RELAXED) : 0;
	if (number) {
		const struct ctp_string *str = (const struct ctp_string *)(const void *)(ct_region_.strings + 8 * (uint64_t)number);
		if (str->len == len + 1 && memcmp(str->text, s, len) == 0)
			return number;
		return ct_new_string_(s, len);		/* another string of the same hash */
	}
	number = ct_new_string_(s, len);
	if (e && number)
		__atomic_store_n(&e->number, number, __ATOMIC_RELEASE);
	return number;
}

CT_PRIV CT_COLD uint32_t ct_new_site_(const char *func, const char *file, uint32_t line)
{
	uint32_t i = ctp_add(&ct_region_.h->sites_used, 1);
	struct ctp_site *s;

	if (i == 0 || i >= ct_region_.site_count) {
		__atomic_fetch_sub(&ct_region_.h->sites_used, 1, __ATOMIC_RELAXED);
		ctp_add(&ct_region_.h->lost_no_string, 1);
		return 0;
	}
	s = &ct_region_.sites[i];
	s->line = line;
	s->func = func ? ct_string_(func, strlen(func)) : 0;
	s->file = file ? ct_string_(file, strlen(file)) : 0;
	ctp_store_release(&s->ready, 1);	/* acquire in the recorder; the event that names it is published later still */
	return i;
}

CT_PRIV CT_COLD uint32_t ct_find_site_(const char *func, const char *file, uint32_t line)
{
	uint64_t key[3];
	struct ct_interned_ *e;
	uint32_t i;

	key[0] = (uintptr_t)func;
	key[1] = (uintptr_t)file;
	key[2] = line;
	e = ct_lookup_(ct_sites_, CT_SITES, ct_hash_(0xcbf29ce484222325ull, key, sizeof key) | 1);
	i = e ? __atomic_load_n(&e->number, __ATOMIC_RELAXED) : 0;
	if (i == 0) {
		i = ct_new_site_(func, file, line);
		if (e && i)
			__atomic_store_n(&e->number, i, __ATOMIC_RELEASE);
	}
	return i;
}

CT_FN uint32_t ct_intern_site(const char *func, const char *file, uint32_t line)
{
	struct ct_tls_ *t = &ct_tls_;
	unsigned h = (unsigned)((uintptr_t)file >> 4 ^ (uintptr_t)func >> 3 ^ line) % CT_SITE_CACHE;

	if (__atomic_load_n(&ct_on_, __ATOMIC_RELAXED) != CT_V2)
		return 0;
	if (ct_unlikely(t->site_cache[h].file != file || t->site_cache[h].line != line || t->site_cache[h].func != func ||
			t->site_cache[h].index == 0)) {
		t->site_cache[h].index = ct_find_site_(func, file, line);
		t->site_cache[h].func = func;
		t->site_cache[h].file = file;
		t->site_cache[h].line = line;
	}
	return t->site_cache[h].index;
}

CT_HOT uint32_t ct_site_index_(struct ct_site *s)
{
	uint32_t i;

	if (s == NULL)
		return 0;
	i = ctp_load(&s->index);
	if (ct_unlikely(i == 0)) {
		i = ct_new_site_(s->func, s->file, s->line);
		ctp_store(&s->index, i);
	}
	return i;
}

/* arg and arg_kind of what is waited on. */
CT_HOT uint64_t ct_on_arg_(const struct ct_on *on)
{
	if (ct_unlikely(on->kind == CT_ON_USER))
		return on->text ? ct_string_(on->text, strlen(on->text)) : 0;
	return on->value;
}

/* ---- stations ---- */

CT_PRIV CT_COLD uint32_t ct_pop_station_(void)
{
	uint64_t top = __atomic_load_n(&ct_region_.h->stations_free, __ATOMIC_ACQUIRE), next;
	uint32_t i;

	/* The tag in the upper half makes a pop fail that slept while the same station came and went. */
	while ((i = (uint32_t)top) != 0 && i <= ct_region_.station_count) {
		next = (uint32_t)ctp_load(&ct_region_.stations[i - 1].arg);
		if (__atomic_compare_exchange_n(&ct_region_.h->stations_free, &top, ((top >> 32) + 1) << 32 | next, 0,
						__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
			return i;
	}
	i = ctp_load(&ct_region_.h->stations_used);
	while (i < ct_region_.station_count)
		if (__atomic_compare_exchange_n(&ct_region_.h->stations_used, &i, i + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return i + 1;
	ctp_add(&ct_region_.h->lost_no_station, 1);
	return 0;
}

CT_PRIV CT_COLD void ct_push_station_(uint32_t i)
{
	uint64_t top = ctp_load(&ct_region_.h->stations_free);

	do
		ctp_store(&ct_region_.stations[i - 1].arg, (uint64_t)(uint32_t)top);
	while (!__atomic_compare_exchange_n(&ct_region_.h->stations_free, &top, ((top >> 32) + 1) << 32 | i, 0,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

CT_HOT void ct_give_station_(struct ct_tls_ *t, uint32_t i)
{
	struct ctp_event *st = &ct_region_.stations[i - 1];

	ctp_store(&st->probe_id, 0);		/* a station without a coroutine; the reader skips it */
	if (t->cached < CT_CACHE)
		t->cache[t->cached++] = i;
	else
		ct_push_station_(i);
}

/* A seqlock: odd, payload, even. The release fence keeps the payload behind the odd seq; the last store is a release. */
CT_HOT void ct_station_(uint32_t i, uint64_t ts, uint64_t tid, uint64_t addr, uint64_t seq, uint64_t id, uint64_t arg,
			uint32_t n, uint32_t site, uint8_t kind, uint8_t arg_kind, uint8_t active)
{
	ct_word_ *w = (ct_word_ *)(void *)&ct_region_.stations[i - 1];

	ctp_store(&w[3], seq - 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	ctp_store(&w[0], ts);
	ctp_store(&w[1], tid);
	ctp_store(&w[2], addr);
	ctp_store(&w[4], id);
	ctp_store(&w[5], arg);
	ctp_store(&w[6], (uint64_t)site << 32 | n);
	ctp_store(&w[7], (uint64_t)active << 56 | (uint64_t)arg_kind << 8 | kind);
	ctp_store_release(&w[3], seq);
}

/* ---- version 1: coroTracer's stations, byte for byte ---- */

CT_PRIV struct ctp_v1_station *ct_v1_station_(uint32_t i)
{
	return (struct ctp_v1_station *)(void *)(ct_region_.base + sizeof(struct ctp_header)) + (i - 1);
}

CT_PRIV void ct_v1_create_(struct ct_coro *c)
{
	uint32_t i = ctp_add(&ct_region_.h->allocated_count, 1);
	struct ctp_v1_station *st;

	if (i >= ct_region_.max_v1)
		return;
	c->station = i + 1;
	st = ct_v1_station_(c->station);
	st->is_dead = 0;
	ctp_store(&st->birth_ts, ct_monotonic_());
	ctp_store_release(&st->probe_id, c->id);
}

CT_PRIV void ct_v1_write_(struct ct_coro *c, uint64_t addr, uint8_t active)
{
	struct ctp_event *s;
	uint64_t seq;

	if (c->station == 0)
		return;
	s = &ct_v1_station_(c->station)->slots[c->n++ % 8];
	seq = ctp_load(&s->seq);
	ctp_store_release(&s->seq, seq + 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);	/* the payload stays behind the odd seq */
	s->addr = addr;
	s->tid = (uint64_t)syscall(SYS_gettid);
	s->timestamp = ct_monotonic_();
	s->is_active = active;
	ctp_store_release(&s->seq, seq + 2);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);	/* an old recorder has no membarrier */
	if (ctp_load(&ct_region_.h->tracer_sleeping) != 0)
		ct_wake_recorder_();
}

CT_PRIV CT_COLD void ct_v1_event_(struct ct_coro *c, uint8_t kind, uint64_t addr)
{
	int saved = errno;

	if (kind == CTP_CREATE)
		ct_v1_create_(c);
	else if (kind == CTP_DESTROY) {
		if (c->station)
			__atomic_store_n(&ct_v1_station_(c->station)->is_dead, 1, __ATOMIC_RELEASE);
	} else
		ct_v1_write_(c, addr, kind == CTP_RESUME);
	errno = saved;
}

/* ---- events ---- */

CT_PRIV uint64_t ct_new_id_(struct ct_tls_ *t)
{
	if (ct_unlikely(t->id_next == t->id_end)) {
		if (ctp_load(&ct_on_) == CT_V1) {	/* old recorders have no counter: the process keeps the ids apart */
			static uint32_t count;
			return (uint64_t)ct_region_.pid << 32 | (ctp_add(&count, 1) + 1);
		}
		t->id_next = ctp_add(&ct_region_.h->next_probe_id, CT_ID_BLOCK);
		t->id_end = t->id_next + CT_ID_BLOCK;
	}
	return t->id_next++;
}

/* One event of the coroutine's own: numbered, strictly later than its last, in the ring and in its station. */
CT_HOT void ct_own_(struct ct_tls_ *t, struct ct_coro *c, uint8_t kind, uint64_t addr, uint64_t arg, uint8_t arg_kind,
		    uint32_t site, uint8_t active)
{
	uint64_t ts, seq;

	if (ct_unlikely(t->last_ts <= c->last_ts))
		t->last_ts = c->last_ts + 1;
	ts = ct_stamp_(t);
	c->last_ts = ts;
	seq = 2 * (uint64_t)++c->n;
	ct_put_(t, ts, addr, seq, c->id, arg, c->n, site, kind, arg_kind, active);
	if (ct_likely(c->station != 0 && kind != CTP_DESTROY))
		ct_station_(c->station, ts, t->tid, addr, seq, c->id, arg, c->n, site, kind, arg_kind, active);
}

/* ct_on_ was nonzero when the caller looked; version 1 is the slow way, and ids from before a fork are not ours. */
#define CT_V1_OR(c, kind, addr)	do { \
		if (ct_unlikely((c)->id < ct_region_.min_id)) \
			return; \
		if (ct_unlikely(ctp_load(&ct_on_) != CT_V2)) { \
			if (ctp_load(&ct_on_) == CT_V1) \
				ct_v1_event_(c, kind, addr); \
			return; \
		} \
	} while (0)

CT_FN void ct_create_at(struct ct_coro *c, uint64_t parent, uint32_t site, const void *frame, const char *name)
{
	struct ct_tls_ *t;

	memset(c, 0, sizeof *c);
	if (!ct_enabled() || (t = ct_enter_()) == NULL)
		return;
	c->id = ct_new_id_(t);
	c->frame = (uintptr_t)frame;
	if (ctp_load(&ct_on_) == CT_V2) {
		c->station = t->cached ? t->cache[--t->cached] : ct_pop_station_();
		ct_own_(t, c, CTP_CREATE, c->frame, parent, CTP_ON_NONE, site, 0);
	} else
		ct_v1_event_(c, CTP_CREATE, c->frame);
	ct_leave_(t);
	if (name && *name)
		ct_name_(c, name);
}

CT_FN void ct_create_(struct ct_coro *c, uint64_t parent, struct ct_site *site, const void *frame, const char *name)
{
	ct_create_at(c, parent, ctp_load(&ct_on_) == CT_V2 ? ct_site_index_(site) : 0, frame, name);
}

CT_FN void ct_resume_(struct ct_coro *c)
{
	struct ct_tls_ *t;

	CT_V1_OR(c, CTP_RESUME, 0);
	if ((t = ct_enter_()) == NULL)
		return;
	t->current = c->id;
	ct_own_(t, c, CTP_RESUME, 0, 0, CTP_ON_NONE, 0, 1);
	ct_leave_(t);
}

CT_FN void ct_suspend_at(struct ct_coro *c, uint32_t site, struct ct_on on)
{
	struct ct_tls_ *t;

	CT_V1_OR(c, CTP_SUSPEND, c->frame);
	if ((t = ct_enter_()) == NULL)
		return;
	if (t->current == c->id)
		t->current = 0;
	ct_own_(t, c, CTP_SUSPEND, c->frame, ct_on_arg_(&on), on.kind, site, 0);
	ct_leave_(t);
}

CT_FN void ct_suspend_(struct ct_coro *c, struct ct_site *site, struct ct_on on)
{
	ct_suspend_at(c, ctp_load(&ct_on_) == CT_V2 ? ct_site_index_(site) : 0, on);
}

CT_FN void ct_destroy_(struct ct_coro *c, int done)
{
	struct ct_tls_ *t;

	CT_V1_OR(c, CTP_DESTROY, c->frame);
	if ((t = ct_enter_()) == NULL)
		return;
	if (t->current == c->id)
		t->current = 0;
	ct_own_(t, c, CTP_DESTROY, c->frame, done != 0, CTP_ON_NONE, 0, 0);
	if (c->station)
		ct_give_station_(t, c->station);
	c->id = 0;
	c->station = 0;
	ct_leave_(t);
}

/* An event that is nobody's own: of this thread, perhaps about a coroutine. */
CT_PRIV void ct_tell_(uint8_t kind, uint64_t id, uint64_t addr, uint64_t arg, uint8_t arg_kind, uint32_t site, uint32_t n)
{
	struct ct_tls_ *t;

	if (ctp_load(&ct_on_) != CT_V2 || (t = ct_enter_()) == NULL)
		return;
	ct_put_(t, ct_stamp_(t), addr, 0, id, arg, n, site, kind, arg_kind, 0);
	ct_leave_(t);
}

CT_PRIV void ct_resource_(uint8_t kind, struct ct_on on, uint64_t addr, struct ct_site *site)
{
	if (ctp_load(&ct_on_) == CT_V2)
		ct_tell_(kind, ct_tls_.current, addr, ct_on_arg_(&on), on.kind, ct_site_index_(site), 0);
}

CT_FN void ct_wake_(uint64_t id, struct ct_site *site, struct ct_on on)
{
	if (ctp_load(&ct_on_) == CT_V2 && id >= ct_region_.min_id)
		ct_tell_(CTP_WAKE, id, ct_on_arg_(&on), ct_tls_.current, on.kind, ct_site_index_(site), 0);
}

CT_FN void ct_name_(struct ct_coro *c, const char *name)
{
	if (ctp_load(&ct_on_) == CT_V2 && c->id >= ct_region_.min_id)
		ct_tell_(CTP_NAME, c->id, 0, ct_string_(name, strlen(name)), CTP_ON_NONE, 0, 0);
}

CT_FN void ct_open_(struct ct_on on, const char *name, struct ct_site *site)
{
	if (ctp_load(&ct_on_) == CT_V2)
		ct_resource_(CTP_OPEN, on, name ? ct_string_(name, strlen(name)) : 0, site);
}

CT_FN void ct_close_(struct ct_on on, struct ct_site *site) { ct_resource_(CTP_CLOSE, on, 0, site); }
CT_FN void ct_notify_(struct ct_on on, uint64_t woken, struct ct_site *site) { ct_resource_(CTP_NOTIFY, on, woken, site); }
CT_FN void ct_level_(struct ct_on on, uint64_t value) { ct_resource_(CTP_LEVEL, on, value, CT_NOWHERE); }
CT_FN void ct_acquire_(struct ct_on on, struct ct_site *site) { ct_resource_(CTP_ACQUIRE, on, 0, site); }
CT_FN void ct_release_(struct ct_on on, struct ct_site *site) { ct_resource_(CTP_RELEASE, on, 0, site); }
CT_FN void ct_waker_clone_(uint64_t id) { ct_tell_(CTP_WAKER_CLONE, id, 0, ct_tls_.current, CTP_ON_NONE, 0, 0); }
CT_FN void ct_waker_drop_(uint64_t id) { ct_tell_(CTP_WAKER_DROP, id, 0, ct_tls_.current, CTP_ON_NONE, 0, 0); }
CT_FN void ct_park_(uint64_t depth) { ct_tell_(CTP_PARK, 0, depth, 0, CTP_ON_NONE, 0, 0); }
CT_FN void ct_unpark_(uint64_t depth) { ct_tell_(CTP_UNPARK, 0, depth, 0, CTP_ON_NONE, 0, 0); }

CT_FN void ct_thread_(enum ct_role role, const char *name)
{
	if (ctp_load(&ct_on_) == CT_V2)
		ct_tell_(CTP_THREAD, 0, name ? ct_string_(name, strlen(name)) : 0, role, CTP_ON_NONE, 0, ct_region_.pid);
}

CT_FN uint64_t ct_current(void)
{
	return ct_tls_.current;
}

/* ---- attaching ---- */

/* Thread exit: hand everything back. Release: what this thread wrote is complete for whoever sees RETIRED. */
CT_PRIV void ct_thread_exit_(void *arg)
{
	struct ct_tls_ *t = (struct ct_tls_ *)arg;
	struct ctp_ring *r = t->ring;

	t->busy = 1;
	while (t->cached)
		ct_push_station_(t->cache[--t->cached]);
	t->cap = t->head = t->tail_seen = 0;
	t->ring = NULL;
	if (r)
		ctp_store_release(&r->state, (uint32_t)CTP_RING_RETIRED);
	t->busy = 0;
}

CT_PRIV int ct_connect_(void)
{
	const char *path = getenv(CTP_ENV_SOCK);
	struct sockaddr_un addr;
	int fd, high;

	memset(&addr, 0, sizeof addr);
	addr.sun_family = AF_UNIX;
	if (path == NULL || strlen(path) >= sizeof addr.sun_path)
		return -1;
	memcpy(addr.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&addr, sizeof addr) < 0) {
		close(fd);
		return -1;
	}
	fcntl(fd, F_SETFL, O_NONBLOCK);
	high = fcntl(fd, F_DUPFD_CLOEXEC, 512);	/* the program's own numbers stay what they are */
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

CT_PRIV void ct_register_membarrier_(void)
{
	enum { REGISTER_GLOBAL_EXPEDITED = 1 << 2 };

	syscall(SYS_membarrier, REGISTER_GLOBAL_EXPEDITED, 0, 0);
}

/* Only the forking thread lives in the child. Rings, stations, ids and coroutines are the parent's. */
CT_PRIV void ct_forked_(void)
{
	int saved = errno, on = ctp_load(&ct_on_);

	if (!ct_region_.attached)
		return;
	memset(&ct_tls_, 0, sizeof ct_tls_);
	if (ct_region_.sock >= 0)
		close(ct_region_.sock);
	ct_region_.pid = (uint32_t)getpid();
	ct_region_.sock = ct_connect_();
	ct_region_.min_id = on == CT_V2 ? ctp_load(&ct_region_.h->next_probe_id) : (uint64_t)ct_region_.pid << 32;
	ct_register_membarrier_();
	if (ct_region_.sock < 0)
		ct_detach_();
	pthread_mutex_init(&ct_init_lock_, NULL);
	errno = saved;
}

CT_PRIV int ct_within_(uint64_t file, uint64_t off, uint64_t count, uint64_t size)
{
	return off <= file && off % 8 == 0 && (size == 0 || count <= (file - off) / size);
}

/* Fill in version 2; 0 when the header does not hold it (or holds one that is not ours to read). */
CT_PRIV int ct_read_v2_(const struct ctp_header *h, uint64_t size)
{
	if (h->v2_magic != CTP2_MAGIC || h->v2_minor != CTP2_MINOR || h->file_size > size ||
	    !ct_within_(size, h->rings_off, h->ring_count, sizeof(struct ctp_ring)) ||
	    h->ring_slots < 2 || (h->ring_slots & (h->ring_slots - 1)) || h->ring_count == 0 ||
	    !ct_within_(size, h->slots_off, (uint64_t)h->ring_count * h->ring_slots, sizeof(struct ctp_event)) ||
	    !ct_within_(size, h->stations_off, h->station_count, sizeof(struct ctp_event)) ||
	    !ct_within_(size, h->sites_off, h->site_count, sizeof(struct ctp_site)) ||
	    !ct_within_(size, h->strings_off, h->strings_size, 1))
		return 0;
	ct_region_.rings = (struct ctp_ring *)(void *)(ct_region_.base + h->rings_off);
	ct_region_.slots = (struct ctp_event *)(void *)(ct_region_.base + h->slots_off);
	ct_region_.stations = (struct ctp_event *)(void *)(ct_region_.base + h->stations_off);
	ct_region_.sites = (struct ctp_site *)(void *)(ct_region_.base + h->sites_off);
	ct_region_.strings = ct_region_.base + h->strings_off;
	ct_region_.strings_size = h->strings_size;
	ct_region_.ring_count = h->ring_count;
	ct_region_.ring_slots = h->ring_slots;
	ct_region_.station_count = h->station_count;
	ct_region_.site_count = h->site_count;
	ct_region_.flags = h->flags;
	return 1;
}

/* Map the region and learn its version. Returns what was wrong, or NULL. */
CT_PRIV const char *ct_map_(const char *path, const char *stations)
{
	struct stat st;
	void *p;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	uint64_t v1_size;

	if (fd < 0)
		return strerror(errno);
	if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(struct ctp_header)) {
		close(fd);
		return "too small for a recorder's memory";
	}
	p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return strerror(errno);
	ct_region_.base = (char *)p;
	ct_region_.h = (struct ctp_header *)p;
	ct_region_.max_v1 = ct_region_.h->max_stations;
	v1_size = sizeof(struct ctp_header) + (uint64_t)ct_region_.max_v1 * sizeof(struct ctp_v1_station);
	if (ct_region_.h->magic != CTP_MAGIC || ct_region_.h->version != CTP_VERSION) {
		munmap(p, (size_t)st.st_size);
		return "not a recorder's memory, or of another version";
	}
	ct_region_.attached = ct_read_v2_(ct_region_.h, (uint64_t)st.st_size) ? CT_V2 : CT_V1;
	if (ct_region_.attached == CT_V1 && (stations == NULL || v1_size > (uint64_t)st.st_size)) {
		munmap(p, (size_t)st.st_size);
		ct_region_.attached = 0;
		return "smaller than its header says";
	}
	return NULL;
}

CT_PRIV void ct_attach_(void)
{
	const char *path = getenv(CTP_ENV_SHM), *why;

	if (path == NULL)
		return;
	why = ct_map_(path, getenv(CTP_ENV_STATIONS));
	if (why == NULL && pthread_key_create(&ct_region_.key, ct_thread_exit_) != 0)
		why = "no thread key left";
	if (why) {
		ct_region_.attached = 0;
		fprintf(stderr, "corotrace: not traced: %s: %s\n", path, why);
		return;
	}
	ct_region_.pid = (uint32_t)getpid();
	ct_region_.min_id = 1;
	ct_region_.sock = ct_connect_();
	ct_register_membarrier_();
	pthread_atfork(NULL, NULL, ct_forked_);
	__atomic_store_n(&ct_on_, ct_region_.attached, __ATOMIC_RELEASE);
}

CT_FN int ct_init(void)
{
	static int done;
	int saved = errno;

	pthread_mutex_lock(&ct_init_lock_);
	if (!done) {
		done = 1;
		ct_attach_();
	}
	pthread_mutex_unlock(&ct_init_lock_);
	errno = saved;
	return __atomic_load_n(&ct_on_, __ATOMIC_ACQUIRE) != 0;
}

#ifdef __cplusplus
}
#endif
