/* ct-coro.h - a part of ct.c: a coroutine's own events, each stored into its ring and its station:
 * created, resumed, suspended, destroyed.
 */

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

	if (CT_UNLIKELY(!me->ours))
		return;
	ctp_store(&w[3], 2 * (uint64_t)c->n - 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	v[0] = p0;
	ctp_store(&w[2], addr);
	v[2] = p2;
	v[3] = p3;
	ctp_store_release(&w[3], 2 * (uint64_t)c->n);
}

/* fast: behind ct_p_enter_quick, so that nothing here calls a function and no register is
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

/* The quick way through a call, to ct_p_leave. The room is looked at once the call is under way: a
 * signal handler that came between would take it. */
CT_HOT int ct_p_enter_quick(struct ct_writer *me)
{
	if (CT_UNLIKELY(!me || !(me->idle & me->ours) || me->slow))
		return 0;
	me->idle = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (CT_LIKELY(me->head < me->limit))
		return 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	me->idle = 1;
	return 0;
}

#define CT_ANY_ID UINT64_MAX

/* The id once more: entering may have found out that this process is a copy. */
CT_HOT struct ct_writer *ct_p_enter_for_with(uint64_t id, size_t events)
{
	struct ct_writer *me = ct_p_enter_with(events);

	if (me && CT_FOREIGN(id) && !ct_p_known(id)) {
		ct_p_leave(me);
		return NULL;
	}
	return me;
}

CT_HOT struct ct_writer *ct_p_enter_for(uint64_t id) { return ct_p_enter_for_with(id, 1); }

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
	int room, closed;
	uint32_t text;

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
	closed = ct_p_closed();
	room = ct_p_own(me, c, c->frame, parent, site, CT_KINDS(CTP_CREATE, 0, 0), 0);
	closed |= ct_p_closed();
	text = ct_p_text(name);
	if (ct_p_.births && c->station && me->ours)
		ct_p_birth(c, parent, room || !closed ? site : site | CTP_BIRTH_UNSEEN, text);
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
	struct ct_writer *me = ct_p_enter_new(name);

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
	struct ct_writer *me = ct_enabled() ? ct_p_enter_new(name) : NULL;

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
	if (CT_LIKELY(ct_p_enter_quick(me)))
		ct_p_resume(me, c, 1);
	else
		ct_p_resume_slow(c);
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
	if (CT_UNLIKELY(CT_ODD(on.kind)) || CT_UNLIKELY(!site) || CT_FOREIGN(c->id) ||
		CT_UNLIKELY(!ct_p_enter_quick(me))) {
		ct_p_suspend_slow(c, here, 0, on, __builtin_return_address(0));
		return;
	}
	ct_p_suspend(me, c, site, on.value, on.kind, 0, 1);
}

CT_API void ct_suspend_at(struct ct_coro *c, uint32_t site, struct ct_on on)
{
	struct ct_writer *me;

	if (!ct_enabled() || (CT_FOREIGN(c->id) && !ct_p_gate(c)))
		return;
	me = ct_me_;
	if (CT_UNLIKELY(CT_ODD(on.kind)) || CT_FOREIGN(c->id) ||
		CT_UNLIKELY(!ct_p_enter_quick(me))) {
		ct_p_suspend_slow(c, CT_NOWHERE, site, on, __builtin_return_address(0));
		return;
	}
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

	if ((CT_FOREIGN(c->id) && !ct_p_gate(c)) || !ct_p_.hdr)
		return;
	if (ct_p_.v1 || ct_p_.hdr->kinds <= CTP_LEG || ct_p_.hdr->on_kinds <= CTP_ON_ALL_OF)
		count = 0;
	if (!(me = ct_p_enter_for_with(c->id, count + 1)))
		return;
	for (i = 0; i < count; i++) {
		if (ct_p_closed()) {
			ct_p_skip(me);
			continue;
		}
		arg = ct_p_on(legs[i].on, &kind);
		ct_p_event(me, (c->n + 1) >> 32, c->id, arg,
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

	if ((CT_FOREIGN(c->id) && !ct_p_known(c->id)) || c->last_ts == UINT64_MAX ||
		!(me = ct_p_enter_for(c->id)))
		return;
	if (me->current == c->id)
		me->current = 0;
	ct_p_own(me, c, c->frame, done ? 1 : 0, 0, CT_KINDS(CTP_DESTROY, 0, 0), 0);
	if (c->station && !ct_p_.v1 && me->ours) {
		if (me->station_count == CT_STATIONS)
			ct_p_give_stations(me, CT_STATIONS / 2);
		me->station[me->station_count++] = c->station - 1;
	}
	c->last_ts = UINT64_MAX;	/* the id stays: somebody may yet wait for its end */
	c->station = 0;
	ct_p_leave(me);
}
