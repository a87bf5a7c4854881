/* late.c - wakes of coroutines that had ended: whoever woke them has a reference to what is gone. A
 * hint, as a waker may well outlive its coroutine. One finding a site that wakes. Contracts in
 * late.h. */
#include "judge/judge.h"

void late_note(struct ctt_judge *j, const struct ctt_event *ev)
{
	const struct ctt_fact *end = judge_ended(j, ev->probe_id);
	struct late_wake *l;

	/* closer than the clocks can tell, on two threads, it may have been the other way round */
	if (!end || ev->ts <= end->ts ||
		(ev->tid != end->tid && ev->ts - end->ts < CTT_JUDGE_CLOSE_NS))
		return;
	l = keyed_get(&j->late, ev->site);
	if (l->count++)
		return;
	l->end = *end;
	l->wake = fact_of(ev, "woken");
	l->c = (struct ctt_coro){ .id = ev->probe_id, .state = CTT_CORO_ENDED, .site = ev->site,
		.tid = end->tid, .last_ts = end->ts, .since = end->ts, .first_ts = end->ts };
}

void judge_late(struct ctt_judge *j)
{
	for (size_t i = 0; i < j->late.count; i++) {
		struct late_wake *l = j->late.item[i];
		struct ctt_finding f = { .verdict = CTT_V_WOKEN_AFTER_END,
			.certainty = CTT_HINT,
			.coro = &l->c,
			.cause = l->wake,
			.gone_ts = l->end.ts,
			.times = l->count,
			.because = "they had ended when they were woken: somebody has a reference to "
				   "what is gone" };

		add_fact(&f, l->end);
		add_fact(&f, l->wake);
		add_finding(j, &f);
	}
}
