/* tokio-guards.c - guards of tokio's locks and ends of its channels, by their types. Contracts in
 * tokio.h.
 *
 * Each end of a channel refers to what they have in common by an Arc, as its only way there: so every
 * word in memory that is that Arc's address is an end, or was one.
 */
#include <string.h>

#include "tokio.h"

/* ---- locks ---- */

uint64_t semaphore_permits(const struct target *t, uint64_t semaphore)
{
	uint64_t v;

	if (!tokio.permits_known || !mem_word(t, semaphore + tokio.permits_at, &v))
		return UINT64_MAX;
	return v >> 1;		/* bit 0: it is closed */
}

bool is_of_locks(Dwarf_Die *type)
{
	char path[100];

	return begins(die_path(type, false, path, sizeof(path)), "tokio::sync::mutex") ||
		begins(path, "tokio::sync::rwlock");
}

bool is_guard(Dwarf_Die *type)
{
	const char *name = die_name(type), *guard = strstr(name, "Guard<");

	return guard && guard < name + strcspn(name, "<") && is_of_locks(type);
}

bool is_mutex_guard(Dwarf_Die *type)
{
	return begins(die_name(type), "MutexGuard<") || begins(die_name(type), "OwnedMutexGuard<");
}

bool is_acquire(Dwarf_Die *type)
{
	char path[100];

	return !strcmp(die_name(type), "Acquire") &&
		begins(die_path(type, false, path, sizeof(path)), "tokio::sync::batch_semaphore");
}

/* From a guard's `lock` or `s` to the semaphore, by references and Arcs; *lock is what the guard
 * itself has. */
bool guard_of(
	const struct target *t, uint64_t at, Dwarf_Die *type, uint64_t *semaphore, uint64_t *lock)
{
	static const struct { const char *type, *member; } in[] = { { "Arc<", "ptr" },
		{ "NonNull<", "pointer" }, { "ArcInner<", "data" }, { "Mutex<", "s" },
		{ "RwLock<", "s" }, { "ManuallyDrop<", "value" }, { "MaybeDangling<", "__0" } };
	Dwarf_Die d;

	if (!die_member(type, "lock", &at, &d) && !die_member(type, "s", &at, &d))
		return false;
	*lock = 0;
	for (int i = 0; i < 12; i++) {
		const char *member = NULL;
		Dwarf_Die next;

		if (!strcmp(die_name(&d), "Semaphore")) {
			*semaphore = at;
			return *lock;
		}
		for (size_t k = 0; k < sizeof(in) / sizeof(in[0]); k++)
			if (begins(die_name(&d), in[k].type))
				member = in[k].member;
		if (dwarf_tag(&d) == DW_TAG_pointer_type) {
			if (!mem_word(t, at, &at) || !at || !die_type(&d, &next))
				return false;
			*lock = *lock ? *lock : at;
		} else if (!member || !die_member(&d, member, &at, &next)) {
			return false;
		}
		d = next;
	}
	return false;
}

/* A permit that was given to it and not taken yet: it is the owner before it knows. */
bool was_given(
	const struct target *t, uint64_t at, Dwarf_Die *type, uint64_t *semaphore, uint64_t *lock)
{
	uint64_t node = at, queued = at, pointer = at, left;
	Dwarf_Die of;

	if (!die_members(type, "node.state", &node, &of) ||
		!die_member(type, "queued", &queued, NULL) ||
		!die_member(type, "semaphore", &pointer, NULL) || !mem_word(t, node, &left) ||
		!mem_word(t, pointer, semaphore))
		return false;
	*lock = *semaphore;
	return !left && mem_number(t, queued, 1) == 1;
}

/* ---- ends ---- */

/* room: the end that makes room, as it alone receives. What may become a sender counts as one. */
static const struct { const char *type, *in, *arc; bool room; } ends[] = {
	{ "Tx<", "tokio::sync::mpsc", "inner", false },
	{ "Rx<", "tokio::sync::mpsc", "inner", true },
	{ "WeakSender<", "tokio::sync::mpsc", "chan", false },
	{ "WeakUnboundedSender<", "tokio::sync::mpsc", "chan", false },
	{ "Sender<", "tokio::sync::oneshot", "inner", false },
	{ "Sender<", "tokio::sync::broadcast", "shared", false },
	{ "WeakSender<", "tokio::sync::broadcast", "shared", false },
	{ "Sender<", "tokio::sync::watch", "shared", false },
};
enum { ENDS = sizeof(ends) / sizeof(ends[0]) };

static int end_at(Dwarf_Die *type)
{
	char path[100];

	for (int i = 0; i < ENDS; i++)
		if (begins(die_name(type), ends[i].type) &&
			begins(die_path(type, false, path, sizeof(path)), ends[i].in) &&
			die_member(type, ends[i].arc, NULL, NULL))
			return i;
	return -1;
}

bool is_end(Dwarf_Die *type)
{
	return end_at(type) >= 0;
}

/* What an Arc, or an Option of one, points to. */
static bool arc_of(const struct target *t, uint64_t at, Dwarf_Die *arc, Dwarf_Die *common)
{
	Dwarf_Die of = *arc, pointer, member, some;

	if (begins(die_name(arc), "Option<") &&
		(!die_variant(t, at, arc, &member, &some, &at) ||
			!die_member(&some, "__0", &at, &of)))
		return false;
	return die_down(&of, "pointer", &at, &pointer) && die_type(&pointer, common);
}

bool end_of(const struct target *t, uint64_t at, Dwarf_Die *type, struct wait_on *of,
	Dwarf_Die *common)
{
	int i = end_at(type);
	Dwarf_Die arc;

	*of = (struct wait_on){ .known = true };
	if (i < 0 || !die_member(type, ends[i].arc, &at, &arc) || !mem_word(t, at, &of->value))
		return false;
	if (!arc_of(t, at, &arc, common))
		memset(common, 0, sizeof(*common));
	of->kind = ends[i].room ? CTT_ON_ROOM : CTT_ON_CHAN;
	return of->value;
}

/* ---- permits of a channel ---- */

bool is_permit(Dwarf_Die *type)
{
	const char *name = die_name(type);
	char path[100];

	return (begins(name, "Permit<") || begins(name, "PermitIterator<") ||
		       begins(name, "OwnedPermit<")) &&
		begins(die_path(type, false, path, sizeof(path)), "tokio::sync::mpsc");
}

/* It has a sender, or refers to one. */
bool permit_of(const struct target *t, uint64_t at, Dwarf_Die *type, uint64_t *channel)
{
	Dwarf_Die of, pointer, member, some, none;
	struct wait_on end;

	if (!die_member(type, "chan", &at, &of))
		return false;
	pointer = of;
	if (dwarf_tag(&of) == DW_TAG_pointer_type) {
		if (!mem_word(t, at, &at) || !die_type(&pointer, &of))
			return false;
	} else if (!die_variant(t, at, &of, &member, &some, &at) ||
		!die_member(&some, "__0", &at, &of)) {
		return false;
	}
	if (!end_of(t, at, &of, &end, &none))
		return false;
	*channel = end.value;
	return true;
}
