/* probe.c - the probe itself, and what it has no public call for: call stacks that are made of sites,
 * and texts that do not stay. Contracts in agent.h. */
#include "ct.c"

#include "agent.h"

bool probe_wants_stacks(void)
{
	return ct_enabled() && ct_p_.flags & CTP_F_STACKS && ct_p_.stack_table;
}

uint32_t probe_site(const char *func, const char *file, uint32_t line)
{
	struct ct_writer *me = ct_p_enter();
	uint32_t site;

	if (!me)
		return 0;
	site = ct_p_site(func, file, line);
	ct_p_leave(me);
	return site;
}

uint32_t probe_stack(const uint32_t *site, unsigned count)
{
	struct ct_writer *me = ct_p_enter();
	uint64_t frame[CTP_STACK_MAX];
	uint32_t number;

	if (!me)
		return 0;
	for (unsigned i = 0; i < count; i++)
		frame[i] = CTP_SITE_FRAME | site[i];
	number = ct_p_intern(frame, count * sizeof(*frame),
		ct_p_hash(frame, count * sizeof(*frame), 0xcbf29ce484222325ull), ct_p_.stack_table,
		CT_STACK_TABLE, CTP_STACKS_END(ct_p_.strings_size));
	if (!number)
		ctp_add(&me->hdr->lost_no_stack, 1);
	ct_p_leave(me);
	return number;
}

void probe_suspend(struct ct_coro *c, uint32_t site, struct ct_on on, uint32_t stack)
{
	struct ct_writer *me;
	uint8_t kind;
	uint64_t arg;

	if (!stack) {
		ct_suspend_at(c, site, on);
	} else if ((me = ct_p_enter_for(c->id))) {
		arg = ct_p_on(on, &kind);
		ct_p_suspend(me, c, site, arg, kind, (uint64_t)stack << 16, 0);
	}
}

void probe_suspend_legs(struct ct_coro *c, uint32_t site, bool all, const struct ct_leg *legs,
	unsigned count, uint32_t stack)
{
	struct ct_writer *me = ct_p_enter_for(c->id);

	if (!me)
		return;
	for (unsigned i = 0; i < count; i++) {
		uint8_t kind;
		uint64_t arg = ct_p_on(legs[i].on, &kind);

		ct_p_event(me, (c->n + 1) >> 32, c->id, arg, CT_N_SITE(c->n + 1, 0),
			CT_KINDS(CTP_LEG, kind, 0));
	}
	ct_p_suspend(me, c, site, count, all ? CTP_ON_ALL_OF : CTP_ON_ANY_OF,
		(uint64_t)stack << 16, 0);
}

void probe_wake(uint64_t id, uint32_t site, uint32_t stack)
{
	struct ct_writer *me = ct_p_enter2(id);

	if (!me)
		return;
	ct_p_event(me, 0, id, ct_p_current(me), CT_N_SITE(0, site),
		CT_KINDS(CTP_WAKE, CT_ON_NONE, 0) | (uint64_t)stack << 16);
	ct_p_leave(me);
}

void probe_adopt(struct ct_coro *c, void *frame, const char *name)
{
	ct_create_at(c, CTP_UNKNOWN, 0, frame, name);
}
