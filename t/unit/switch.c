/* switch.c - fibers of the C probe (sdk/c/ct-switch.h), against the region of probe.c: what one waits for is said once, by the one that waits.
 */
#include <stdbool.h>
#include <stdint.h>

#include "../../sdk/c/ct.c"
#define main probe_main
#include "probe.c"
#undef main

static struct ct_coro a, b;

/* The next event: which, whose, for what, where. */
static bool then(uint8_t kind, uint64_t id, uint8_t on, uint64_t value, const char *func)
{
	struct ctp_event e;

	if (!take(0, &e))
		return false;
	if (e.kind == kind && e.probe_id == id && e.arg_kind == on && e.arg == value && (func ? e.site && !strcmp(text(sites[e.site].func), func) : !e.site))
		return true;
	printf("# %u of %llu, %u %llu at %s\n", e.kind, (unsigned long long)e.probe_id, e.arg_kind, (unsigned long long)e.arg, e.site ? text(sites[e.site].func) : "-");
	return false;
}

static bool nothing_more(void)
{
	struct ctp_event e;

	return !take(0, &e);
}

#define STOPS(c, on, value, func) then(CTP_SUSPEND, (c).id, on, value, func)
#define RUNS(c) then(CTP_RESUME, (c).id, 0, 0, NULL)

static void switches(uint32_t flags)
{
	uint64_t dropped;
	uint32_t site;

	attach(1, 64, flags);
	ct_waits(CT_HERE, ct_fd(1));
	ok(!ct_me_ || !ct_me_->waits.id, "who has done nothing yet waits for nothing");
	ct_create(&a, 0, CT_NOWHERE, NULL, NULL);
	ct_create(&b, 0, CT_NOWHERE, NULL, NULL);
	site = ct_intern_site("place", "its.c", 7);
	while (!nothing_more())
		;
	ct_waits(CT_HERE, ct_fd(1));
	ok(!ct_me_->waits.id, "nor does a thread that runs none");
	ct_switch(NULL, &a);
	ok(RUNS(a) && nothing_more() && ct_current() == a.id, "from the thread's own stack");
	ct_switch(&a, &b);
	ok(STOPS(a, 0, 0, "switches") && RUNS(b) && nothing_more() && ct_current() == b.id, "from one to another");
	ct_waits(CT_HERE, ct_fd(5));
	ok(ct_me_->waits.id == b.id && nothing_more(), "what it is about to wait for");
	ct_switch(&a, NULL);
	ok(STOPS(a, 0, 0, "switches") && ct_me_->waits.id == b.id, "is not another's");
	ct_resume(&b);
	RUNS(b);
	ct_switch(&b, &a);
	ok(STOPS(b, CT_ON_FD, 5, "switches") && RUNS(a) && nothing_more() && !ct_me_->waits.id, "but its own");
	ct_switch(&a, &b);
	ok(STOPS(a, 0, 0, "switches") && RUNS(b), "nor that of the next");
	ct_switch(&b, NULL);
	ok(STOPS(b, 0, 0, "switches") && nothing_more() && !ct_current(), "and once; to the thread's own stack");
	ct_resume(&a);
	RUNS(a);
	ct_waits_(CT_NOWHERE, site, ct_timer(9));
	ct_switch(&a, NULL);
	ok(STOPS(a, CT_ON_TIMER, 9, "place"), "by a number of the place");
	ct_resume(&a);
	RUNS(a);
	ct_switch_(&a, NULL, CT_NOWHERE);
	ok(STOPS(a, 0, 0, NULL) && nothing_more(), "at no place");
	ct_resume(&a);
	RUNS(a);
	ct_waits(CT_HERE, ct_fd(5));
	ct_waits(CT_NOWHERE, ct_fd(6));
	ok(!ct_me_->waits.id, "forgotten");
	ct_switch(&a, NULL);
	ok(STOPS(a, 0, 0, "switches"), "it waits for nothing");
	ct_resume(&a);
	RUNS(a);
	ct_me_->idle = 0;
	ct_waits(CT_HERE, ct_fd(5));
	ok(!ct_me_->waits.id, "a signal handler within a probe says nothing");
	ct_me_->waits.id = a.id;
	ct_switch(&a, NULL);
	ok(ct_me_->waits.id == a.id && nothing_more(), "nor takes it");
	ct_me_->idle = 1;
	ct_me_->waits.id = 0;
	ct_destroy(&a, 1);
	while (!nothing_more())
		;
	ct_switch(&a, &b);
	ok(RUNS(b) && nothing_more(), "one that has ended does not wait");
	ct_p_.old = b.id;
	ct_p_set_floor();
	ct_switch(&b, NULL);
	ok(nothing_more(), "nor one that is not known here");
	ct_p_.old = 0;
	ct_p_set_floor();
	dropped = rings[0].dropped;
	ct_stop();
	ct_switch(NULL, &b);
	ct_switch(&b, NULL);
	ok(then(CTP_STOP, 0, 0, 0, NULL) && nothing_more() && rings[0].dropped == dropped + 2 && !ct_current(), "while recording is stopped it is counted");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	alarm(100);
	switches(!strcmp(argv[1], "quick") ? CTP_F_TSC : 0);
	return done_testing();
}
