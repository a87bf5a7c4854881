/* ct-switch.h - a part of ct.c: libraries of fibers, which switch stacks in one function. */

CT_API void ct_waits_(struct ct_site *here, uint32_t site, struct ct_on on)
{
	struct ct_writer *me = ct_me_;

	if (!me || !me->idle || !me->current)
		return;
	me->waits.id = here || site ? me->current : 0;
	me->waits.here = here;
	me->waits.site = site;
	me->waits.on = on;
}

CT_COLD void ct_p_switch_from(struct ct_coro *from, struct ct_site *here, const void *probe)
{
	struct ct_writer *me = ct_me_;
	struct ct_on on = ct_nothing();
	uint32_t site = 0;

	if (me && me->idle && me->waits.id == from->id) {
		here = me->waits.here;
		site = me->waits.site;
		on = me->waits.on;
		me->waits.id = 0;
	}
	ct_p_suspend_slow(from, here, site, on, probe);
}

CT_API void ct_switch_(struct ct_coro *from, struct ct_coro *to, struct ct_site *here)
{
	struct ct_writer *me = ct_me_;

	/* one that has ended does not wait */
	if (from && from->last_ts != UINT64_MAX && (!CT_FOREIGN(from->id) || ct_p_gate(from))) {
		if (CT_LIKELY(me && me->idle && !me->slow && me->head < me->limit) &&
			me->waits.id != from->id)
			ct_suspend_(from, here, ct_nothing());
		else
			ct_p_switch_from(from, here, __builtin_return_address(0));
	}
	if (to)
		ct_resume_(to);
}
