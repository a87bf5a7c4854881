/* verdicts.c - the verdicts, a row each: whatever lists, names or explains them takes it from here.
 * To add one: its name in cttrace/judge.h, a row here, its rule, a paragraph in ct-lostwake(1)
 * (t/cases/lostwake.t compares), programs in t/zoo. Contracts in cttrace/judge.h and judge.h. */
#include "judge/judge.h"

#define WAKES (CTT_KIND(WAKE) | CTT_KIND(NOTIFY))
#define THINGS (CTT_KIND(LEVEL) | CTT_KIND(ACQUIRE) | CTT_KIND(RELEASE))

static const struct verdict table[CTT_VERDICTS] = {
	[CTT_V_NONE] = { .facts = { "none", CTT_HINT, "nothing is the matter", "" } },
	[CTT_V_MISSED_WAKE] = { .needs = WAKES | THINGS,
		.order_matters = true,
		.asleep = rule_missed,
		.facts = { "missed-wake", CTT_PROVEN,
			"a wake came while it still ran, for what it then went to wait on, and none came after",
			"look again at what is waited for after the waiter is registered, or let the wake be remembered until it suspends" } },
	[CTT_V_DROPPED_WAKE] = { .needs = CTT_KIND(PARK) | CTT_KIND(UNPARK) | CTT_KIND(WAKE) |
			CTT_KIND(DEQUEUE),
		.order_matters = true,
		.woken = rule_runnable,
		.facts = { "dropped-wake", CTT_PROVEN,
			"it was woken, and is in no queue that any worker looks at",
			"follow the wake from where it is made to the queue: something on that way drops it" } },
	[CTT_V_ASLEEP_WORKERS] = { .needs = CTT_KIND(PARK) | CTT_KIND(UNPARK) | CTT_KIND(WAKE),
		.order_matters = true,
		.facts = { "asleep-workers", CTT_PROVEN,
			"it was woken and queued, and the workers sleep: nobody notified them",
			"signal a worker after the push, and let workers look at the queue once more before they sleep" } },
	[CTT_V_CLOSED_RESOURCE] = { .needs = WAKES | CTT_KIND(OPEN) | CTT_KIND(CLOSE) |
			CTT_KIND(DEADLINE),
		.order_matters = true,
		.may_follow = true,
		.asleep = rule_closed,
		.facts = { "closed-resource", CTT_PROVEN,
			"what it waits on was closed and nobody woke it",
			"resume its waiters before it is closed, as before close(fd), on every path that closes it" } },
	[CTT_V_READY_RESOURCE] = { .needs = WAKES | THINGS | CTT_KIND(DEADLINE),
		.order_matters = true,
		.may_follow = true,
		.asleep = rule_ready,
		.facts = { "ready-resource", CTT_PROVEN,
			"what it waits on is there and nobody woke it",
			"wake a waiter wherever the thing is given back or added to, on every path" } },
	[CTT_V_WASTED_WAKE] = { .needs = WAKES | THINGS,
		.asleep = rule_wasted,
		.facts = { "wasted-wake", CTT_PROVEN,
			"the wake for what it waits on went to one that ended without taking it",
			"who is woken and does not take it, as when it is cancelled, has to wake the next" } },
	[CTT_V_DEAD_AWAITEE] = { .needs = WAKES | CTT_KIND(DEADLINE),
		.may_follow = true,
		.asleep = rule_awaitee,
		.facts = { "dead-awaitee", CTT_PROVEN,
			"the coroutine it waits for has ended and nobody woke it",
			"wake those who await at every end: return, throw, cancel" } },
	[CTT_V_DEAD_OWNER] = { .needs = WAKES | THINGS | CTT_KIND(CLOSE),
		.may_follow = true,
		.asleep = rule_owner,
		.facts = { "dead-owner", CTT_PROVEN,
			"it waits for a lock whose holder ended without releasing it",
			"release on every way out: a guard whose destructor does it" } },
	[CTT_V_LOST_WAKER] = { .needs = WAKES | CTT_KIND(WAKER),
		.order_matters = true,
		.asleep = rule_waker,
		.facts = { "lost-waker", CTT_PROVEN,
			"its last waker was dropped while it waits: nobody is left who could wake it",
			"keep the waker until it is called, and replace it only by the newer one" } },
	[CTT_V_DEADLOCK] = { .needs = WAKES | THINGS,
		.asleep = rule_group,
		.facts = { "deadlock", CTT_PROVEN, "coroutines wait for one another in a cycle",
			"let nobody keep what others wait for while it waits for them: take locks in one order, permits at once, and hold none across an await" } },
	[CTT_V_STUCK_LOCK] = { .needs = WAKES,
		.asleep = rule_go_lock,
		.facts = { "stuck-lock", CTT_SUSPECTED,
			"it waits for a Go mutex far longer than anybody ever did there",
			"find who holds it: --goroutines names the mutex; unlock on every way out, take locks in one order" } },
	[CTT_V_STUCK_SEND] = { .needs = WAKES,
		.asleep = rule_go_send,
		.facts = { "stuck-send", CTT_SUSPECTED,
			"it sends on a Go channel and those who could receive are gone",
			"give the channel room for what is still sent when the receiver leaves, or select on a cancel" } },
	[CTT_V_STUCK_GROUP] = { .needs = WAKES,
		.asleep = rule_go_group,
		.facts = { "stuck-group", CTT_HINT,
			"it waits for a Go WaitGroup, and all it waits for have ended",
			"call Done on every way out, with defer; wait behind the loop that adds" } },
	[CTT_V_DESTROYED_WOKEN] = { .needs = WAKES | THINGS | CTT_KIND(CLOSE),
		.facts = { "destroyed-woken", CTT_SUSPECTED,
			"it was destroyed where it waited, after it had been woken, and nobody took its place",
			"run what is woken before it is freed; if it was cancelled, close what it served" } },
	[CTT_V_BLOCKED_WORKERS] = { .facts = { "blocked-workers", CTT_HINT,
		"all workers are inside a poll, so that nothing else can run",
		"look what these polls do: what blocks or computes for long belongs on a thread of its own" } },
	[CTT_V_WOKEN_AFTER_END] = { .facts = { "woken-after-end", CTT_HINT,
		"a coroutine was woken that had ended",
		"look who keeps what wakes it: where that is freed memory, it is a use after free" } },
	[CTT_V_STRAGGLER] = { .asleep = rule_straggler,
		.facts = { "straggler", CTT_HINT,
			"many others came and left where it waits, none of them waiting a tenth as long",
			"look whether it can still be woken: --allow=FILE names sites that may wait for ever" } },
	[CTT_V_SILENT] = { .asleep = rule_silent,
		.facts = { "silent", CTT_SUSPECTED,
			"it was suspended to the end, in a trace of version 1 that proves nothing",
			"record with a version 2 probe, which reports wakes, closes and ends" } },
};

const struct verdict *verdict_of(enum ctt_verdict v)
{
	return &table[v];
}

const struct ctt_verdict_facts *ctt_verdict_facts(enum ctt_verdict v)
{
	return &table[v].facts;
}

const char *ctt_finding_help(const struct ctt_finding *f)
{
	return f->help ? f->help : table[f->verdict].facts.help;
}

const char *ctt_verdict_name(enum ctt_verdict v)
{
	return table[v].facts.name;
}
