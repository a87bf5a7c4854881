/* notice.c - what ct-record prints on stderr about its own work: no probe attached, what was
 * lost. */
#include <inttypes.h>
#include <string.h>
#include "complain.h"
#include "event.h"
#include "extra/process.h"
#include "notice.h"
#include "options.h"
#include "pace.h"
#include "peer.h"
#include "print.h"
#include "totals.h"

enum { NO_PROBE_AFTER = 2000000000 };	/* ns into the run */

static void no_probe(const char *go)
{
	complain("nothing was recorded: no probe attached%s", go);
}

static bool nothing_came(void)
{
	return !peer_attached() && !totals.events;
}

void notice_no_probe(uint64_t now, pid_t target)
{
	static uint64_t begun;
	static bool printed;

	if (!begun)
		begun = now;
	if (printed || !nothing_came() || now - begun < NO_PROBE_AFTER)
		return;
	printed = true;
	no_probe(process_is_go(target) ?
			" yet; this is a Go program: record runtime/trace and use ct-fromgo(1)" :
			" yet: is the program built with one, and does it call ct_init()?");
}

void notice_memory(bool is_short)
{
	static bool printed;

	if (is_short && !printed)
		complain(
			"the memory of this cgroup is nearly used up: that of ended threads' rings is given back");
	printed |= is_short;
}

/* Against the loss of events. What a signal handler's call of the probe loses that interrupted another,
 * nothing prevents. */
static const char *what_helps(const struct options *o)
{
	if (o->attach || o->box)
		return "CTP_BOX=1,slots=N helps with bursts";
	if (o->block)
		return "full rings waited: of signal handlers that interrupted the probe, or threads without a ring";
	if (o->no_syscalls)
		return "larger --ring-slots help with bursts";
	return "--on-full=block waits instead, larger --ring-slots help with bursts";
}

void notice_losses(const struct options *o)
{
	const struct { uint64_t count; const char *what;
	} losses[] = {
		{ totals.overwritten,
			"events of version 1 coroutines, which keep eight each, were overwritten before "
			"they were read (--realtime reads sooner)" },
		{ totals.no_ring,
			"events of threads that found no ring are lost: --threads=N makes more, and where "
			"memory is limited a smaller --ring-slots" },
		{ totals.no_v1_station,
			"coroutines of a version 1 probe found no station and are not in the trace: -n N makes more" },
		{ totals.no_station,
			"coroutines found no station: only their history is recorded" },
		{ totals.unconnected,
			"processes could not connect (another user's rights, another root, no descriptor left): "
			"they are recorded, but looked at only once a second" },
		{ totals.no_string, "names or source locations found no room" },
		{ totals.no_stack,
			"suspends and wakes have no call stack: there was no room for another" },
		{ totals.impossible,
			"records cannot be true and were left out: the program overwrites its trace memory" },
		{ totals.unreadable,
			"names, source locations or call stacks cannot be read: the program overwrites its trace memory" },
	};
	uint64_t lost = totals.lost - totals.before - totals.overwritten;
	size_t i;

	if (!o->attach && !o->box && nothing_came())
		no_probe(": is the program built with one, and does it call ct_init()?");
	if (o->stacks && totals.events && !totals.stacks)
		complain(
			"no event had a call stack: its probe may be too old, or have found no way to unwind");
	if (totals.before)
		complain(
			"%" PRIu64
			" older events had been overwritten (CTP_BOX=1,slots=N keeps more of each thread)",
			totals.before);
	if (lost && totals.lines[CTP_STOP] + totals.lines[CTP_START])
		complain("%" PRIu64 " of %" PRIu64
			 " events were not recorded: the program stopped that for a while (ct_stop)",
			lost, lost + totals.events);
	else if (lost)
		complain("%" PRIu64 " of %" PRIu64
			 " events were lost; where, the trace says (%s)",
			lost, lost + totals.events, what_helps(o));
	if (lost + totals.overwritten && pace_denied())
		complain("the machine was busy, and this user may not go first on it (%s): "
			 "CAP_SYS_NICE or ulimit -e %d permits it",
			strerror(pace_denied()), 20 - PACE_NICE);
	if (print_behind_ns())
		complain("the compression could not keep up: for %.3f s the events had to wait for it, in "
			 "their rings (-o without .gz or .zst writes more of them a second)",
			(double)print_behind_ns() / 1e9);
	for (i = 0; i < sizeof losses / sizeof *losses; i++)
		if (losses[i].count)
			complain("%" PRIu64 " %s", losses[i].count, losses[i].what);
}
