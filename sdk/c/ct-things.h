/* ct-things.h - a part of ct.c: what is no coroutine's own event: wakes, names, things, workers.
 * Version 1 knows none of these. */

CT_HOT struct ct_writer *ct_p_enter2(uint64_t id)
{
	struct ct_writer *me;

	if (CT_FOREIGN(id))
		return ct_p_unrecorded(id);
	me = ct_p_enter();
	if (me && CT_UNLIKELY(ct_p_.v1)) {
		ct_p_leave(me);
		return NULL;
	}
	if (me && CT_FOREIGN(id)) {	/* entering may have found out that this is a copy */
		ct_p_leave(me);
		return ct_p_unrecorded(id);
	}
	return me;
}

/* The site that a macro made, or else one that was interned before. */
CT_HOT uint64_t ct_p_site_of(struct ct_site *here, uint32_t site)
{
	return CT_N_SITE(0, here ? ct_p_here(here) : site);
}

/* An event about a thing: value in arg, `addr` beside it. */
CT_HOT void ct_p_thing(unsigned event, struct ct_on on, uint64_t addr, const char *name,
	struct ct_site *here, uint32_t site)
{
	struct ct_writer *me = ct_p_enter2(CT_ANY_ID);
	uint8_t kind;
	uint64_t arg;

	if (!me)
		return;
	arg = ct_p_on(on, &kind);
	if (name)
		addr = ct_p_text(name);
	ct_p_event(me, addr, ct_p_current(me), arg, ct_p_site_of(here, site),
		CT_KINDS(event, kind, 0));
	ct_p_leave(me);
}

/* by, 0: the running coroutine, if any */
CT_HOT void ct_p_wake(uint64_t id, uint64_t by, struct ct_site *here, uint32_t site,
	struct ct_on on, const void *probe)
{
	struct ct_writer *me;
	uint8_t kind;
	uint64_t value;

	if (!(me = ct_p_enter2(id)))
		return;
	value = ct_p_on(on, &kind);
	ct_p_event(me, value, id, by ? by : ct_p_current(me), ct_p_site_of(here, site),
		CT_KINDS(CTP_WAKE, kind, 0) | ct_p_with_stack(me, probe));
	ct_p_leave(me);
}

CT_API void ct_wake_(uint64_t id, struct ct_site *site, struct ct_on on)
{
	ct_p_wake(id, 0, site, 0, on, __builtin_return_address(0));
}
CT_API void ct_wake_at(uint64_t id, uint32_t site, struct ct_on on)
{
	if (ct_enabled())
		ct_p_wake(id, 0, CT_NOWHERE, site, on, __builtin_return_address(0));
}
CT_API void ct_wake_for_(uint64_t by, uint64_t id, struct ct_on on, struct ct_site *site)
{
	ct_p_wake(id, by, site, 0, on, __builtin_return_address(0));
}

CT_API void ct_name_(struct ct_coro *c, const char *name)
{
	struct ct_writer *me;
	uint32_t text;

	if ((CT_FOREIGN(c->id) && !ct_p_known(c->id)) || !name || !(me = ct_p_enter_for(c->id)))
		return;
	text = ct_p_text(name);
	if (ct_p_.births && c->station && me->ours)
		ctp_store(&ct_p_.births[c->station - 1].name, text);
	if (!ct_p_.v1)
		ct_p_name(me, c->id, text);
	ct_p_leave(me);
}

CT_API void ct_open_(struct ct_on on, const char *name, struct ct_site *site)
{
	ct_p_thing(CTP_OPEN, on, 0, name, site, 0);
}
CT_API void ct_close_(struct ct_on on, struct ct_site *site)
{
	ct_p_thing(CTP_CLOSE, on, 0, NULL, site, 0);
}
CT_API void ct_notify_(struct ct_on on, uint64_t woken, struct ct_site *site)
{
	ct_p_thing(CTP_NOTIFY, on, woken, NULL, site, 0);
}
CT_API void ct_level_(struct ct_on on, uint64_t value)
{
	ct_p_thing(CTP_LEVEL, on, value, NULL, CT_NOWHERE, 0);
}
CT_API void ct_acquire_(struct ct_on on, struct ct_site *site)
{
	ct_p_thing(CTP_ACQUIRE, on, 0, NULL, site, 0);
}
CT_API void ct_release_(struct ct_on on, struct ct_site *site)
{
	ct_p_thing(CTP_RELEASE, on, 0, NULL, site, 0);
}

/* Whose the lock is, or who made the level so, is said, not found out. */
CT_HOT void ct_p_of(unsigned event, uint64_t id, struct ct_on on, uint64_t addr,
	struct ct_site *here, uint32_t site)
{
	struct ct_writer *me = ct_p_enter2(CT_ANY_ID);
	uint8_t kind;
	uint64_t arg;

	if (!me)
		return;
	arg = ct_p_on(on, &kind);
	ct_p_event(me, addr, id, arg, ct_p_site_of(here, site), CT_KINDS(event, kind, 0));
	ct_p_leave(me);
}

CT_API void ct_level_for_(uint64_t id, struct ct_on on, uint64_t value)
{
	ct_p_of(CTP_LEVEL, id, on, value, CT_NOWHERE, 0);
}
CT_API void ct_acquire_for_(uint64_t id, struct ct_on on, struct ct_site *site)
{
	ct_p_of(CTP_ACQUIRE, id, on, 0, site, 0);
}
CT_API void ct_release_for_(uint64_t id, struct ct_on on, struct ct_site *site)
{
	ct_p_of(CTP_RELEASE, id, on, 0, site, 0);
}
CT_API void ct_acquire_for_at(uint64_t id, struct ct_on on, uint32_t site)
{
	if (ct_enabled())
		ct_p_of(CTP_ACQUIRE, id, on, 0, CT_NOWHERE, site);
}
CT_API void ct_release_for_at(uint64_t id, struct ct_on on, uint32_t site)
{
	if (ct_enabled())
		ct_p_of(CTP_RELEASE, id, on, 0, CT_NOWHERE, site);
}

CT_API void ct_open_at(struct ct_on on, const char *name, uint32_t site)
{
	if (ct_enabled())
		ct_p_thing(CTP_OPEN, on, 0, name, CT_NOWHERE, site);
}
CT_API void ct_close_at(struct ct_on on, uint32_t site)
{
	if (ct_enabled())
		ct_p_thing(CTP_CLOSE, on, 0, NULL, CT_NOWHERE, site);
}
CT_API void ct_notify_at(struct ct_on on, uint64_t woken, uint32_t site)
{
	if (ct_enabled())
		ct_p_thing(CTP_NOTIFY, on, woken, NULL, CT_NOWHERE, site);
}
CT_API void ct_acquire_at(struct ct_on on, uint32_t site)
{
	if (ct_enabled())
		ct_p_thing(CTP_ACQUIRE, on, 0, NULL, CT_NOWHERE, site);
}
CT_API void ct_release_at(struct ct_on on, uint32_t site)
{
	if (ct_enabled())
		ct_p_thing(CTP_RELEASE, on, 0, NULL, CT_NOWHERE, site);
}

/* About a coroutine that does not run; an older recorder does not know these. */
CT_HOT void ct_p_about(unsigned event, uint64_t id, struct ct_on on, int current_in_arg,
	struct ct_site *here, uint32_t site)
{
	struct ct_writer *me;

	if (!(me = ct_p_enter2(id)))
		return;
	if (me->hdr->kinds > event)
		ct_p_event(me, current_in_arg ? 0 : ct_p_current(me), id,
			current_in_arg ? ct_p_current(me) : on.value, ct_p_site_of(here, site),
			CT_KINDS(event, on.kind, 0));
	ct_p_leave(me);
}

CT_API void ct_dequeue_(uint64_t id, struct ct_site *site)
{
	ct_p_about(CTP_DEQUEUE, id, ct_nothing(), 1, site, 0);
}
CT_API void ct_dequeue_at(uint64_t id, uint32_t site)
{
	if (ct_enabled())
		ct_p_about(CTP_DEQUEUE, id, ct_nothing(), 1, CT_NOWHERE, site);
}
CT_API void ct_deadline_(uint64_t id, uint64_t deadline_ns, struct ct_site *site)
{
	ct_p_about(CTP_DEADLINE, id, ct_timer(deadline_ns), 0, site, 0);
}
CT_API void ct_deadline_at(uint64_t id, uint64_t deadline_ns, uint32_t site)
{
	if (ct_enabled())
		ct_p_about(CTP_DEADLINE, id, ct_timer(deadline_ns), 0, CT_NOWHERE, site);
}

CT_HOT void ct_p_plain(unsigned event, uint64_t id, uint64_t addr, int current)
{
	struct ct_writer *me = ct_p_enter2(id ? id : CT_ANY_ID);

	if (!me)
		return;
	ct_p_event(me, addr, id, current ? ct_p_current(me) : 0, 0, CT_KINDS(event, 0, 0));
	ct_p_leave(me);
}

CT_API void ct_waker_clone_(uint64_t id)
{
	if (id)
		ct_p_plain(CTP_WAKER_CLONE, id, 0, 1);
}
CT_API void ct_waker_drop_(uint64_t id)
{
	if (id)
		ct_p_plain(CTP_WAKER_DROP, id, 0, 1);
}
CT_API void ct_park_(uint64_t depth) { ct_p_plain(CTP_PARK, 0, depth, 0); }
CT_API void ct_unpark_(uint64_t depth) { ct_p_plain(CTP_UNPARK, 0, depth, 0); }

CT_API void ct_thread_(enum ct_role role, const char *name)
{
	struct ct_writer *me = ct_p_enter();

	if (!me)
		return;
	ct_p_say_thread(me, (uint32_t)role, name);
	ct_p_leave(me);
}

/* No event, and nobody is woken for it: who reads looks now and then. */
CT_API void ct_callback_(struct ct_site *site)
{
	struct ct_writer *me = ct_me_;
	uint64_t callback;

	if (!me || !me->ring)
		return;
	callback = CTP_CALLBACK(ct_p_here(site), ct_p_now(me->flags));
	if (me->ours)
		ctp_store(&me->ring->callback, callback);
}
CT_API void ct_callback_end(void)
{
	struct ct_writer *me = ct_me_;

	if (me && me->ours && me->ring)
		ctp_store(&me->ring->callback, 0);
}
