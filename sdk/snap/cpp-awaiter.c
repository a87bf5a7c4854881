/* cpp-awaiter.c - what an awaiter says, by its members, of what it waits on. Contracts in cpp.h. */
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "cpp.h"

enum { DEEP = 4 };

static bool is_one_of(const char *name, const char *const *of)
{
	for (; *of; of++)
		if (!strcmp(name, *of))
			return true;
	return false;
}

/* What things are called that one waits on: async_mutex, coro::semaphore, channel<int> */
static enum ctt_on_kind kind_called(Dwarf_Die *type)
{
	static const struct { const char *end; enum ctt_on_kind kind; } called[] = {
		{ "mutex", CTT_ON_MUTEX }, { "semaphore", CTT_ON_SEM }, { "channel", CTT_ON_CHAN },
		{ "event", CTT_ON_COND }, { "latch", CTT_ON_COND }, { "barrier", CTT_ON_COND },
		{ "condition_variable", CTT_ON_COND },
	};
	const char *name = die_name(type);
	size_t len = strcspn(name, "<");

	for (size_t i = 0; i < sizeof(called) / sizeof(called[0]); i++) {
		size_t end = strlen(called[i].end);

		if (len >= end && !strncasecmp(name + len - end, called[i].end, end))
			return called[i].kind;
	}
	return CTT_ON_NONE;
}

static bool is_descriptor(Dwarf_Die *m, Dwarf_Die *type)
{
	static const char *const names[] = { "fd", "fd_", "m_fd", "_fd", NULL };

	return is_one_of(die_name(m), names) && dwarf_tag(type) == DW_TAG_base_type &&
		die_size(type) == sizeof(int32_t);
}

/* By a handle or an address. */
static bool lock_owner(Dwarf_Die *lock, uint64_t *at)
{
	static const char *const names[] = { "owner", "owner_", "m_owner", "_owner", "holder",
		"holder_", "m_holder", NULL };
	Dwarf_Die of;

	for (int i = 0; names[i]; i++) {
		*at = 0;
		if (die_member(lock, names[i], at, &of) && die_size(&of) == 8)
			return true;
	}
	return false;
}

/* struct lock_operation { mutex &of; ... }; */
static void thing(struct awaiter *a, uint64_t at, Dwarf_Die *pointer)
{
	Dwarf_Die type;
	enum ctt_on_kind kind = die_type(pointer, &type) ? kind_called(&type) : CTT_ON_NONE;

	if (kind == CTT_ON_NONE)
		return;
	a->on = kind;
	a->on_at = at;
	a->things++;
	a->thing = type;
	if (kind == CTT_ON_MUTEX)
		a->has_owner = lock_owner(&type, &a->owner_at);
}

/* outer: of the awaiter itself or of what it derives from, else of something in it */
static void members(
	struct awaiter *a, uint64_t at, Dwarf_Die *type, bool outer, int depth, size_t *left)
{
	Dwarf_Die m, of;

	if (depth > DEEP || dwarf_child(type, &m))
		return;
	do {
		int tag = dwarf_tag(&m), kind;
		uint64_t there = at + die_number(&m, DW_AT_data_member_location, 0);

		if (!*left || !--*left)
			return;
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !die_type(&m, &of) ||
			dwarf_hasattr(&m, DW_AT_external))
			continue;
		kind = dwarf_tag(&of);
		if (tag == DW_TAG_inheritance) {
			members(a, there, &of, outer, depth + 1, left);
		} else if (!strncmp(die_name(&of), "coroutine_handle", 16)) {
			/* one that may be anybody's says nothing */
			a->handles += !strstr(die_name(&of), "<void>") &&
				!strstr(die_name(&of), "<>");
			a->handle_at = a->handles == 1 ? there : a->handle_at;
		} else if (kind == DW_TAG_structure_type || kind == DW_TAG_class_type) {
			members(a, there, &of, false, depth + 1, left);
		} else if (outer &&
			(kind == DW_TAG_pointer_type || kind == DW_TAG_reference_type)) {
			thing(a, there, &of);
		} else if (outer && is_descriptor(&m, &of)) {
			a->on = CTT_ON_FD;
			a->on_at = there;
			a->things++;
		}
	} while (!dwarf_siblingof(&m, &m));
}

static void take_thing(const struct target *t, const struct awaiter *a, uint64_t at, struct said *s)
{
	s->on = (struct wait_on){ a->on, true, false, at };
	if (a->has_owner)
		s->owner = mem_number(t, at + a->owner_at, 8);
}

static void read_thing(const struct target *t, const struct awaiter *a, uint64_t at, struct said *s)
{
	uint64_t value;
	int32_t fd;

	if (a->on == CTT_ON_FD) {
		if (mem_read(t, at + a->on_at, &fd, sizeof(fd)) && fd >= 0)
			s->on = (struct wait_on){ CTT_ON_FD, true, false, (uint64_t)fd };
		return;
	}
	if (mem_word(t, at + a->on_at, &value) && value)
		take_thing(t, a, value, s);
}

/* The awaiter that it is suspended in; NULL: not known. */
static struct awaiter *awaiter_of(const struct frame *f)
{
	struct kind *k = f->kind;

	for (size_t i = 0; i < k->awaiters; i++) {
		struct awaiter *a = &k->awaiter[i];

		if (!a->unknown && (k->gcc ? f->index == 2 * a->order + 4 : f->index == a->order))
			return a;
	}
	return NULL;
}

/* Of a program with a probe: corotrace.hpp's is around the program's own. */
static void unwrap(struct awaiter *a)
{
	if (!strncmp(die_name(&a->type), "awaiting<", 9) && !a->apart)
		die_member(&a->type, "inner_", &a->at, &a->type);
}

static void look(struct awaiter *a)
{
	size_t left = DIE_MEMBERS;
	int tag;

	a->looked = true;
	unwrap(a);
	tag = dwarf_tag(&a->type);
	if (tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type)
		a->elsewhere = die_type(&a->type, &a->type);
	members(a, 0, &a->type, true, 0, &left);
	a->own = !a->things && (a->elsewhere || a->apart);
	if (!a->own)
		return;
	/* what is awaited may be its own awaiter */
	a->on = kind_called(&a->type);
	a->thing = a->type;
	a->things = a->on != CTT_ON_NONE;
	a->has_owner = a->on == CTT_ON_MUTEX && lock_owner(&a->type, &a->owner_at);
}

static struct said said_by(const struct target *t, const struct frame *f)
{
	struct said says = { .awaited = 0 };
	struct awaiter *a = awaiter_of(f);
	uint64_t at;

	if (!a)
		return says;
	if (!a->looked)
		look(a);
	at = f->addr + a->at;
	if (a->apart) {
		if (a->things == 1 && a->on != CTT_ON_FD &&
			thing_apart(t, f, &a->thing, a->has_owner ? a->owner_at : UINT64_MAX, &at))
			take_thing(t, a, at, &says);
		return says;
	}
	if (a->elsewhere && !mem_word(t, at, &at))
		return says;
	if (a->things == 1 && a->own)
		take_thing(t, a, at, &says);
	else if (a->things == 1)
		read_thing(t, a, at, &says);
	if (a->handles == 1)
		says.awaited = mem_number(t, at + a->handle_at, 8);
	if (says.awaited == f->addr)
		says.awaited = 0;
	return says;
}

/* How often it awaits a lock of that class. */
static unsigned lock_awaits(const struct kind *k, Dwarf_Die *class)
{
	unsigned count = 0;

	for (size_t i = 0; i < k->awaiters; i++) {
		struct awaiter *a = &k->awaiter[i];

		if (!a->looked)
			look(a);
		count += a->things == 1 && a->on == CTT_ON_MUTEX &&
			!strcmp(die_name(&a->thing), die_name(class));
	}
	return count;
}

static struct hash had;		/* the words of frames that wait for what is not known */

/* To one of those, as it has them in its queue no more: it refers to the lock, but to one in static
 * memory, of which the code knows. */
static bool may_be_given(const struct target *t, uint64_t lock, Dwarf_Die *class)
{
	const struct mapping *m = map_at(t, lock);
	bool any = false;

	for (size_t i = 0; i < cpp_kinds.count && !any; i++) {
		const struct kind *k = &cpp_kinds.item[i];

		any = k->blind && (!k->awaiters || lock_awaits(k, class));
	}
	return any && (hash_find(&had, lock) || (m && *m->path && *m->path != '['));
}

void says_first(const struct target *t, const struct frame *f)
{
	static const char yes[1];
	struct said says = said_by(t, f);
	const struct awaiter *a = awaiter_of(f);
	uint64_t word;

	if (f->kind->gcc || f->tid || f->child || f->dead ||
		(f->kind->layout && !f->index && f->kind->starts_suspended) ||
		(a && !(a->apart && !says.owner && a->things == 1 && a->on == CTT_ON_MUTEX)))
		return;
	f->kind->blind = true;
	for (uint64_t at = f->addr; at + 8 <= f->addr + f->size; at += 8)
		if (mem_word(t, at, &word) && word && !hash_find(&had, word))
			hash_add(&had, word, (void *)yes);
}

void says_forget(void)
{
	for (size_t i = 0; i < cpp_kinds.count; i++)
		cpp_kinds.item[i].blind = false;
	hash_free(&had);
}

struct said awaiter_says(const struct target *t, const struct frame *f)
{
	struct said says = said_by(t, f);
	const struct frame *owner = says.owner ? frame_with(says.owner, true) : NULL;

	if (owner) {
		struct awaiter *a = awaiter_of(f);

		says.doubt = lock_awaits(owner->kind, &a->thing) < 1u + (owner == f) ||
			!thing_queues(t, f, &a->thing, a->owner_at, says.on.value) ||
			may_be_given(t, says.on.value, &a->thing);
	}
	return says;
}
