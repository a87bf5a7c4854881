/* others.c - processes that come and go beside the one that was asked for. Contracts in others.h. */
#include <stdlib.h>
#include <sys/stat.h>
#include "../complain.h"
#include "../event.h"
#include "../extra/clock.h"
#include "../extra/process.h"
#include "../harvest.h"
#include "../line.h"
#include "../peer.h"
#include "others.h"

/* alive: when last seen to live; gone: when first seen not to, 0: it lives; pid: as we name it */
static struct other { uint32_t number; pid_t pid; uint64_t alive, gone; } *others;
static size_t count, room;
/* a bit for each number that is in others; little of it is touched */
static uint64_t is_met[CTP_NUMBERS / 64];
static const struct region *region;
static uint32_t self;
static uint64_t inode;
static bool foreign, file;

static const struct former *former;	/* those from next_former on are not printed yet */
static size_t former_count, next_former;

void others_formers(uint64_t until)
{
	for (; next_former < former_count && former[next_former].at < until; next_former++)
		print_process_end(former[next_former].at, (pid_t)former[next_former].number,
			former[next_former].alive);
}

static void named(uint32_t number, uint64_t ts)
{
	others_formers(ts);
	others_meet(number);
}

void others_init(const struct region *r, uint32_t of, int fd)
{
	struct stat st;

	region = r;
	self = of;
	file = fd < 0;
	inode = !file && fstat(fd, &st) == 0 ? st.st_ino : 0;
	foreign = process_is_foreign(r->birth.pid_ns);
	next_former = 0;
	former_count = peer_formers(&former);
	harvest_on_process(named);
}

void others_meet(uint32_t number)
{
	if (!region || number >= CTP_NUMBERS)	/* nobody could be asked about that one */
		return;
	if (!region->still && !foreign)
		process_seen(number, (pid_t)number, false);
	if (number == self || is_met[number / 64] >> number % 64 & 1)
		return;
	is_met[number / 64] |= 1ull << number % 64;
	if (count == room)
		others = need(realloc(others, (room = room ? 2 * room : 64) * sizeof *others));
	others[count++] = (struct other){ .number = number,
		.alive = clock_to_ns(region->birth.birth_ticks) };
}

/* Every thread of it that had a ring has ended. */
static bool has_no_ring(uint32_t number)
{
	uint32_t i, used = harvest_rings(region);

	for (i = 0; i < used; i++) {
		uint64_t owner = ctp_load(&region->rings[i].owner);

		if (CTP_OWNER_PID(owner) == number && !(owner & CTP_RING_RETIRED))
			return false;
	}
	return true;
}

/* It has ended; or has executed another program, or is another that the number went to. */
static bool is_gone(struct other *o)
{
	if (file)
		return has_no_ring(o->number);
	if (!foreign)
		o->pid = (pid_t)o->number;
	else if (!o->pid || process_inner(o->pid) != o->number)
		o->pid = process_named(o->number);
	return !process_exists(o->pid) || (inode && process_unmapped(o->pid, inode));
}

void others_look(uint64_t now)
{
	size_t i;

	others_formers(UINT64_MAX);
	for (i = count; i-- > 0; ) {
		struct other *o = &others[i];

		if (o->gone) {
			print_process_end(o->gone, (pid_t)o->number, o->alive);
			process_forget(o->number);
			is_met[o->number / 64] &= ~(1ull << o->number % 64);
			*o = others[--count];
		} else if (is_gone(o)) {
			o->gone = now;
		} else {
			o->alive = now;
		}
	}
}
