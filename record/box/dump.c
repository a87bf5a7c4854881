/* dump.c - print what a box holds, without a word to its process, or when that is dead. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../complain.h"
#include "../event.h"
#include "../extra/clock.h"
#include "../extra/process.h"
#include "../extra/stack.h"
#include "../harvest.h"
#include "../line.h"
#include "../options.h"
#include "../print.h"
#include "../region.h"
#include "../site.h"
#include "../stations.h"
#include "../totals.h"
#include "box.h"
#include "modes.h"
#include "others.h"

/* Until when (ticks) what the image shows is whole: where others wrote while it was copied, until it
 * was asked for. */
static uint64_t whole_until(const struct region *r, bool boot)
{
	if (r->birth.dump_ticks)
		return r->birth.dump_ticks;
	if (r->taken && boot)
		return clock_ticks() - clock_from_ns(clock_ns() - r->taken);
	return UINT64_MAX;
}

static bool same_boot(const struct ctp_header *h)
{
	static const uint8_t unknown[16];
	uint8_t id[16] = { 0 };

	boot_id(id);
	return memcmp(id, h->boot_id, sizeof id) == 0 && memcmp(id, unknown, sizeof id) != 0;
}

/* *fd: the process's box, where that is one that runs. */
static bool image(struct region *r, const struct options *o, int *fd)
{
	char what[64];

	if (!o->pid)
		return image_of_file(r, o->file);
	if ((*fd = find_box(o->pid, O_RDONLY, false)) < 0)
		return false;
	snprintf(what, sizeof what, "process %ld", (long)o->pid);
	return image_of_process(r, *fd, what);
}

static void print_all(struct region *r, uint64_t until, uint64_t now)
{
	uint64_t since = ctp_load(&r->h->forget_ticks);

	site_init(r);
	stack_init(r);
	harvest_init(r);
	image_adopt(r, since + !since, until);	/* what was never written has the time 0 */
	states_print(r);
	harvest(r);
	others_look(now);
	others_look(now);
	harvest_end(r);
}

/* Times of another boot are of another clock: the meta line pairs them with the calendar's. */
static void meta(const struct region *r, const struct options *o, bool boot)
{
	const struct ctp_header *h = &r->birth;
	uint64_t birth = clock_to_ns(h->birth_ticks),
		 wall = boot ? wall_ns() - (clock_ns() - birth) : h->birth_wall;

	char more[128];

	/* a file's process may live, but that is not seen */
	snprintf(more, sizeof more, ",\"attached\":true,\"snapshot\":true%s%s%s",
		h->born_late ? ",\"born_before\":true" : "", o->pid || h->dump_ticks ? "" : ",\"dead\":true",
		o->pid && find_others(o->pid) ? ",\"partial\":true" : "");
	print_meta(o->command, birth, wall, more);
}

int dump(struct options *o)
{
	struct region r = { .fd = -1 };
	bool boot, all, left;
	uint64_t until, now, end;
	uint32_t number;
	int fd = -1;

	image_guard();
	if (!image(&r, o, &fd))
		return 125;
	boot = same_boot(&r.birth);
	clock_use(r.h, boot);
	until = whole_until(&r, boot);
	now = clock_ns();	/* to print it may take as long as whoever reads it does */
	if (o->pid)
		process_command(o->pid, o);
	meta(&r, o, boot);
	if (o->pid) {
		number = process_is_foreign(r.birth.pid_ns) ? process_inner(o->pid) :
							      (uint32_t)o->pid;
		others_init(&r, number, fd);
		process_seen(number, o->pid, true);
	} else if (r.birth.dump_ticks) {
		others_init(&r, r.birth.box_pid, -1);
		now = clock_to_ns(r.birth.dump_ticks);
	}
	print_all(&r, until, now);
	all = totals.lost && stations_print(&r);
	left = ctp_load(&r.h->leave) == CTP_LEFT;
	if (left && o->pid && !o->quiet)
		complain(
			"process %ld is not recorded now: its box holds what happened until nobody asked for it any more",
			(long)o->pid);
	end = o->pid && !left ? now : states_last();
	if (!o->pid && r.birth.dump_ticks && now > end)
		end = now;
	print_end(end, all, o->pid && !left ? stopped_since(o->pid) : 0);
	return print_close() ? 0 : 125;
}
