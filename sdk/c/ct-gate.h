/* ct-gate.h - a part of ct.c: recording stopped and started again while the program runs.
 *
 * Two ways. ct_stop() closes the gate: what happens is counted as dropped, and the stations go on
 * showing what each coroutine does, so that all is known when it opens again. A recorder that asked
 * for a box and goes leaves it: then nothing is looked at any more, not even who lives, and calls
 * cost a branch; asked again, coroutines from before are first seen when they move. In either case
 * the floor is above all ids, so that the quick way through a call needs no look of its own. */

enum { CT_STOPPED = 1, CT_LEFT = 2 };

CT_COLD void ct_p_asked_again(void);

/* Not traced; or a coroutine of the process that forked this one: there it lives, here it is a
 * copy; or the gate is closed. */
#define CT_FOREIGN(id) CT_UNLIKELY((id) <= ctp_load(&ct_p_.floor))

CT_HOT int ct_p_closed(void) { return ctp_load(&ct_p_.floor) == UINT64_MAX; }
CT_HOT int ct_p_gone(void) { return (ctp_load(&ct_p_.gate) & CT_LEFT) != 0; }

/* Is that a coroutine of ours, though the gate was closed a moment ago? */
CT_COLD int ct_p_known(uint64_t id)
{
	return !ct_p_gone() && id > ctp_load(&ct_p_.old);
}

/* Release: whoever sees the floor open again sees what ids are old. */
CT_COLD void ct_p_set_floor(void)
{
	__atomic_store_n(&ct_p_.floor, ctp_load(&ct_p_.gate) ? UINT64_MAX : ctp_load(&ct_p_.old),
		__ATOMIC_RELEASE);
}

/* 0: this event is not recorded, and counted. The next one that is looks, and reports it. */
CT_COLD int ct_p_skip(struct ct_writer *me)
{
	ct_p_drop(me);
	if (me->ring)
		me->limit = 0;
	return 0;
}

/* What others than a coroutine itself report of an id up to the floor. */
CT_COLD struct ct_writer *ct_p_unrecorded(uint64_t id)
{
	struct ct_writer *me;

	ct_p_asked_again();
	if (ct_p_known(id) && (me = ct_p_enter()) != NULL) {
		ct_p_skip(me);
		ct_p_leave(me);
	}
	return NULL;
}

CT_COLD void ct_p_name(struct ct_writer *me, uint64_t id, uint32_t text)
{
	if (ct_p_closed())
		ct_p_skip(me);
	else
		ct_p_event(me, 0, id, text, 0, CT_KINDS(CTP_NAME, 0, 0));
}

/* For a coroutine that is created. */
CT_HOT struct ct_writer *ct_p_enter_new(const char *name)
{
	struct ct_writer *me;

	if (CT_UNLIKELY(ct_p_closed()))
		ct_p_asked_again();
	me = ct_p_enter_with(name ? 2 : 1);
	if (me && CT_UNLIKELY(ct_p_gone())) {
		ct_p_leave(me);
		return NULL;
	}
	return me;
}

/* ---- ct_stop(), ct_start() ---- */

CT_COLD int ct_p_turn(int again);

/* The boundary goes into this thread's ring: the stop before anything is skipped, the start before
 * anything is recorded again, but for calls that were under way. */
CT_COLD void ct_p_pause(int stop)
{
	struct ct_aside was = ct_p_aside();
	struct ct_writer *me;
	uint32_t gate;
	int stopped;

	if (!ctp_load(&ct_flag_.on) || !ct_p_.hdr || !ct_p_turn(1)) {
		ct_p_back(was);
		return;
	}
	gate = ctp_load(&ct_p_.gate);
	stopped = (gate & CT_STOPPED) != 0;
	if (stopped != stop && (me = ct_p_enter()) != NULL) {
		if (!ct_p_.v1 && me->hdr->kinds > CTP_START)
			ct_p_event(me, 0, 0, 0, CT_N_SITE(ct_p_.pid, 0),
				CT_KINDS(stop ? CTP_STOP : CTP_START, 0, 0));
		ctp_store(&ct_p_.gate, gate ^ CT_STOPPED);
		ct_p_set_floor();
		ct_p_leave(me);
	}
	__atomic_store_n(&ct_p_.init, CT_DONE, __ATOMIC_RELEASE);
	ct_p_back(was);
}

/* ---- left, and asked again ---- */

/* The box is there from before: forget who lived then. */
CT_COLD void ct_p_switch_on(uint32_t on)
{
	struct ctp_header *h = ct_p_.hdr;

	/* release: whoever is given an id beyond, and acquires, sees the gate as we found it */
	ctp_store(&ct_p_.old, __atomic_fetch_add(&h->next_probe_id, 0, __ATOMIC_ACQ_REL) - 1);
	ctp_store(&ct_p_.late, 1);
	ctp_store(&h->forget_ids, ct_p_.old);
	ctp_store(&h->forget_ticks, ct_p_now(ct_p_.flags));
	/* on before the gate is open: whoever is given an id now must not miss a move */
	__atomic_store_n(&ct_flag_.on, on, __ATOMIC_RELEASE);
	__atomic_fetch_and(&ct_p_.gate, ~(uint32_t)CT_LEFT, __ATOMIC_RELEASE);
	ct_p_set_floor();
	/* release: a recorder that sees it sees what is to be forgotten */
	__atomic_store_n(&h->leave, on == CTP_FLAG_LENT ? CTP_STAY : CTP_KEPT, __ATOMIC_RELEASE);
}

/* Of LEAVE to LEFT by one thread. Acquire: the recorder is done. */
CT_COLD void ct_p_switch_off(struct ctp_header *h)
{
	uint32_t leave = CTP_LEAVE;
	int on = CTP_FLAG_LENT;

	if (!__atomic_compare_exchange_n(
		    &h->leave, &leave, CTP_LEFT, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	__atomic_fetch_or(&ct_p_.gate, CT_LEFT, __ATOMIC_RELAXED);
	ct_p_set_floor();
	/* release: whoever asks again finds the gate closed, and so it is noticed */
	if (__atomic_compare_exchange_n(
		    &ct_flag_.on, &on, CTP_FLAG_OFF, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return;
	/* ct_box() came first, but others may have found the gate closed */
	ct_p_switch_on(CTP_FLAG_ON);
}

CT_COLD int ct_p_asked(void);

/* The box is there, and is switched on without a call. */
CT_COLD void ct_p_asked_again(void)
{
	if (CT_UNLIKELY(ctp_load(&ct_flag_.on) == CTP_FLAG_ASKED) && ct_p_gone())
		ct_p_asked();
}

/* As much of a table as is used, and may be read here: all that we have a number of. */
CT_COLD struct ct_part ct_p_used(struct ct_part part, uint64_t used)
{
	part.open = used < part.open ? used : part.open;
	return part;
}

/* In a forked child: it shares the box from now on, so that nobody switches either off. One that
 * was left is the parent's alone. */
CT_COLD void ct_p_box_forked(void)
{
	if (ct_p_gone()) {
		if (ct_p_box_fd_ours())
			close(ct_p_.box_fd);
		ct_p_.box_fd = -1;
		ct_p_.box = ct_p_.overwrites = 0;
		ctp_store(&ct_p_.gate, 0);
		ct_p_.forked = ctp_load(&ct_p_.hdr->next_probe_id) - 1;
		ctp_store(&ct_p_.old, ct_p_.forked);
		ct_p_set_floor();
		ct_p_.old_sites = ct_p_used(ct_p_.site_part,
			ctp_load(&ct_p_.hdr->sites_used) * sizeof(struct ctp_site));
		ct_p_.old_strings =
			ct_p_used(ct_p_.string_part, ctp_load(&ct_p_.hdr->strings_used));
		ct_p_.hdr = ct_p_.starting.hdr = NULL;
		/* it may have been about to be switched, either way */
		ctp_store(&ct_flag_.on, CTP_FLAG_OFF);
		return;
	}
	ct_p_keep_box();
}
