/* cpp-awaiter.c - what an awaiter says of what it waits on. Contracts in cpp.h. */
#include "cpp.h"

/* struct readable { int fd; ... }; */
static bool says(const struct target *t, uint64_t at, Dwarf_Die *type, struct wait_on *on)
{
	Dwarf_Die of;
	uint64_t offset = 0;
	int32_t fd;

	if (!die_member(type, "fd", &offset, &of) && !die_member(type, "fd_", &offset, &of) &&
		!die_member(type, "m_fd", &offset, &of))
		return false;
	if (dwarf_tag(&of) != DW_TAG_base_type || die_size(&of) != sizeof(fd) ||
		!mem_read(t, at + offset, &fd, sizeof(fd)) || fd < 0)
		return false;
	*on = (struct wait_on){ CTT_ON_FD, true, false, (uint64_t)fd };
	return true;
}

bool awaiter_wait(const struct target *t, const struct kind *k, uint64_t frame, uint64_t index,
	struct wait_on *on)
{
	if (!k->gcc || index < 4)
		return false;
	for (size_t i = 0; i < k->awaiters; i++) {
		Dwarf_Die type = k->awaiter[i].type;

		if (k->awaiter[i].order == index / 2 - 2)
			return says(t, frame + k->awaiter[i].at, &type, on);
	}
	return false;
}
