/* ct-ring.h - a part of ct.c: a thread's ring: filling a slot, publishing, waiting for room,
 * counting what found none. */

/* A signal handler may fork, and the child end the call that was under way, where the ring and the
 * stations are its parent's: so it is looked at `ours` before each store that others see. */
CT_HOT void ct_p_fill(struct ct_writer *me, uint64_t ts, uint64_t addr, uint64_t seq, uint64_t id,
	uint64_t arg, uint64_t n_site, uint64_t kinds)
{
	ct_pair *v = (ct_pair *)(void *)&me->slots[me->head & me->mask];
	ct_pair p0 = { ts, me->tid }, p1 = { addr, seq }, p2 = { id, arg }, p3 = { n_site, kinds };

	if (CT_UNLIKELY(!me->ours))
		return;
	v[0] = p0;
	v[1] = p1;
	v[2] = p2;
	v[3] = p3;
}

CT_HOT void ct_p_publish(struct ct_writer *me)
{
	uint64_t head = ++me->head;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	/* release: pairs with the recorder's acquire of head, so that it sees the slots below it
	 * whole */
	if (CT_LIKELY(me->ours))
		ctp_store_release(&me->ring->head, head);
	else
		ctp_add(&me->hdr->lost_no_ring, 1);
}

#define CT_KINDS(kind, arg_kind, active) \
	((uint64_t)(kind) | (uint64_t)(arg_kind) << 8 | (uint64_t)(active) << 56)
#define CT_N_SITE(n, site) ((uint64_t)(uint32_t)(n) | (uint64_t)(site) << 32)

CT_COLD void ct_p_drop(struct ct_writer *me)
{
	uint64_t ts;

	if (!me->ring || !me->ours) {
		if (!ct_p_.v1)		/* version 1 has no place to count it */
			ctp_add(&me->hdr->lost_no_ring, 1);
		return;
	}
	ts = ct_p_now(me->flags);
	if (ts < me->last_ts)
		ts = me->last_ts;
	if (ctp_load(&me->ring->dropped) == me->reported)
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

/* Where there is no room: a child that a handler forked within a call may have stored what it was then,
 * and nobody would read on. */
CT_COLD void ct_p_head_again(struct ct_writer *me)
{
	if (me->ours)
		ctp_store_release(&me->ring->head, me->head);
}

/* Wait for room, no longer than the recorder lives. A quarter of the ring, so that we do not come
 * back for each slot: the processor is better used by the recorder. */
CT_COLD uint64_t ct_p_wait(struct ct_writer *me, uint64_t need)
{
	struct timespec pause = { 0, 50000 };
	uint64_t room, quarter = (me->mask + 1) / 4;
	struct ct_aside was = ct_p_aside();

	while ((room = ct_p_free(me)) < (need > quarter ? need : quarter) &&
		ctp_load(&ct_flag_.on) && me->ours) {
		ct_p_head_again(me);
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
	ct_p_back(was);
	return room;
}

CT_COLD int ct_p_claim(struct ct_writer *me);
CT_COLD void ct_p_forked(void);

/* There is no room: does the recorder live? Asked for the first event dropped, and then now and
 * then. */
CT_COLD void ct_p_missed(struct ct_writer *me, uint64_t dropped)
{
	enum { TICKS = 1 << 24 };
	struct ct_aside was = ct_p_aside();
	uint64_t now;

	if (ct_p_.box && (now = ct_p_now(me->flags)) - me->asked > TICKS) {
		me->asked = now;
		ct_p_box_ask(me->hdr);
	} else if (!ct_p_.box && dropped % 1024 == 0 && ct_p_recorder_gone()) {
		ctp_store(&ct_flag_.on, 0);
	}
	ct_p_back(was);
}

/* No room by what we knew. 1: there is some now; drops before it were reported. 0: the event is
 * lost, and counted. */
CT_COLD int ct_p_room(struct ct_writer *me)
{
	uint64_t room, dropped, need, ts;

	if (ct_p_.v1)
		return 0;
	if (!me->ours || (!me->ring && (++me->no_ring % 1024 || !ct_p_claim(me)))) {
		ct_p_drop(me);
		return 0;
	}
	dropped = __atomic_load_n(&me->ring->dropped, __ATOMIC_ACQUIRE);
	need = dropped == me->reported ? 1 : 2;
	room = ct_p_look(me);
	if (room < need && (me->flags & CTP_F_BLOCK))
		room = ct_p_wait(me, need);
	if (room < need) {
		ct_p_head_again(me);
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
			0, dropped - me->reported, 0, CT_KINDS(CTP_LOST, 0, 0));
		me->reported = dropped;
		ct_p_publish(me);
		if (ct_p_.overwrites && me->ours)
			ctp_store(&me->ring->reported, dropped);
	}
	return 1;
}
