/* ct-thread.h - a part of ct.c: threads: the rings and stations that they take and give back, and
 * the first and last thing that each does. */

/* It is written from what was read on, where head lies behind: a child that a handler forked within
 * a call stored it when its parent had ended. */
CT_COLD void ct_p_own_ring(struct ct_writer *me, struct ctp_ring *ring, uint32_t i)
{
	uint64_t now = ct_p_now(me->flags);
	uint64_t head = ctp_load(&ring->head), more = ctp_load(&ring->tail) - head;

	me->slots = (struct ctp_event *)(void *)(ct_p_.slots +
		(uint64_t)i * ct_p_.ring_slots * sizeof(struct ctp_event));
	me->mask = ct_p_.ring_slots - 1;
	me->head = me->limit = more <= ct_p_.ring_slots ? head + more : head;
	ctp_store(&ring->callback, 0);
	me->reported = ctp_load(ct_p_.overwrites ? &ring->reported : &ring->dropped);
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
	char *at = ct_p_.slots + ring * size;

	if (ct_p_.store)		/* all are */
		return 1;
	return (!ct_p_.box || ct_p_box_use(at, size)) && ct_p_allow(at, size);
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
	struct ct_aside was = ct_p_aside();
	int got = (ct_p_.overwrites && ct_p_claim_retired(me, KEEP)) || ct_p_claim_free(me);

	if (!got && ct_p_.overwrites && !(got = ct_p_claim_retired(me, 0))) {
		ct_p_reap_rings(me);
		got = ct_p_claim_retired(me, 0);
	}
	ct_p_back(was);
	return got;
}

CT_COLD void ct_p_push_station(const struct ct_writer *me, uint32_t i)
{
	uint64_t top = ctp_load(&ct_p_.hdr->stations_free);

	do {
		if (!me->ours)
			return;
		ctp_store(&ct_p_.stations[i].arg, top & 0xffffffffu);
	} while (!__atomic_compare_exchange_n(&ct_p_.hdr->stations_free, &top,
		((top >> 32) + 1) << 32 | (i + 1), 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* To all, but so many of what it has in store. */
CT_COLD void ct_p_give_stations(struct ct_writer *me, uint32_t keep)
{
	while (me->station_count > keep)
		ct_p_push_station(me, me->station[--me->station_count]);
}

/* Another thread may have popped this station meanwhile and write its event there: then what is
 * read is not used, as the pop's swap fails. Those writes are wide and plain, so ThreadSanitizer
 * would report the read; clang's looks at atomics also where it is to look at nothing, but for its own
 * attribute (clang 14). */
#if defined __clang__ && __has_attribute(disable_sanitizer_instrumentation)
__attribute__((disable_sanitizer_instrumentation))
#endif
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
	uint32_t text = ct_p_text(name);

	/* for who comes when the event is overwritten */
	if (ct_p_.overwrites && me->ring && me->ours && role != CTP_ROLE_ENDED) {
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
	if (!me->ours)		/* a child's, that a raw clone made of the thread */
		return;
	if (me->ring) {
		ctp_store(&me->ring->callback, 0);
		if (ct_p_look(me) > 1)
			ct_p_say_thread(me, CTP_ROLE_ENDED, NULL);
		if (ctp_load(&me->ring->dropped) != me->reported && ct_p_free(me) > 1)
			ct_p_room(me);
		/* release: the recorder that sees it retired sees the last head */
		if (me->ours)
			__atomic_compare_exchange_n(&me->ring->owner, &owner,
				owner | CTP_RING_RETIRED, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	}
	ct_p_give_stations(me, 0);
	ct_p_free_writer(me);
}

/* So many events find no writer. */
CT_COLD struct ct_writer *ct_p_lose(size_t events)
{
	while (events--)
		ct_p_drop(&ct_p_.starting);
	ct_me_ = NULL;
	return NULL;
}

/* A child that is none by fork() becomes one; in another pid namespace its number may be its
 * parent's. 0: it is one by vfork(), and all here is still its parent's. */
CT_COLD int ct_p_is_ours(void)
{
	int copy = ct_p_.original && !*ct_p_.original;

	if (ct_p_.store || (ct_p_.process == getpid() && !copy))
		return 1;
	if (ct_p_.original && !copy)
		return 0;
	ct_p_forked();
	return 1;
}

/* Is there anything to write into, and by us? pairs with ct_init: what it set up is there. */
CT_COLD int ct_p_may_begin(size_t events)
{
	int ours = ct_p_is_ours(), on = __atomic_load_n(&ct_flag_.on, __ATOMIC_ACQUIRE);

	if (CT_UNLIKELY(on == CTP_FLAG_ASKED))
		on = ct_p_asked();
	if (on && ct_p_.hdr && !ours)
		ct_p_lose(events);
	return on && ct_p_.hdr && ours;
}

CT_COLD struct ct_writer *ct_p_writer_begin(size_t events)
{
	struct ct_writer *me;
	char name[17] = "";
	int is_main;

	if (!ct_p_may_begin(events))
		return NULL;
	ct_me_ = &ct_p_.starting;
	me = ct_p_new_writer();
	if (!me)
		return ct_p_lose(events);
	me->ours = 1;
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
	me->idle = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ct_me_ = me;
	return me;
}

/* This thread's first event, or so many that one call makes. A signal handler that comes in between
 * finds a writer that is not idle and has no ring. */
CT_COLD struct ct_writer *ct_p_thread_begin(size_t events)
{
	struct ct_aside was = ct_p_aside();
	struct ct_writer *me = ct_p_writer_begin(events);

	ct_p_back(was);
	return me;
}

/* Called by a signal handler that interrupted a probe; or in a child whose writer was its
 * parent's. */
CT_COLD struct ct_writer *ct_p_not_idle(struct ct_writer *me, size_t events)
{
	if (!me->ours) {
		ct_me_ = NULL;
		return ct_p_thread_begin(events);
	}
	while (events--)
		ct_p_drop(me);
	if (me->ring)
		me->limit = 0;	/* so that the next event looks, and reports the drop */
	return NULL;
}

/* For a call that makes so many events. NULL: not this time, and counted. */
CT_HOT struct ct_writer *ct_p_enter_with(size_t events)
{
	struct ct_writer *me = ct_me_;

	if (CT_UNLIKELY(!me) && !(me = ct_p_thread_begin(events)))
		return NULL;
	if (CT_UNLIKELY(!(me->idle & me->ours)) && !(me = ct_p_not_idle(me, events)))
		return NULL;
	me->idle = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return me;
}

CT_HOT struct ct_writer *ct_p_enter(void) { return ct_p_enter_with(1); }

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
