/* points.c - the functions of a process that are probed. Contracts in points.h.
 *
 * A C++ frame is left where its resume function returns. There, and not by a return probe: that one
 * replaces the return address on the stack, where an exception that leaves the function finds no
 * way on and ends the program. tokio catches all panics within its poll functions.
 */
#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "code.h"
#include "frees.h"
#include "guard.h"
#include "own.h"
#include "points.h"

struct points points;

/* Where probes go, each a spot in a module's file. */
struct spots { struct spot *item; size_t count, room; };
static struct spots *spots;	/* of each module, one of each enum attach_at */
enum { WAYS = 3, EXITS = 256 };

static struct spots *spots_of(const struct target *t, uint64_t addr, enum attach_at at)
{
	size_t i = libraries_module(t, 0, addr);

	return i < t->modules ? &spots[i * WAYS + at] : NULL;
}

/* False: the address is in no file, or has a probe of that way already. */
static bool add_spot(struct target *t, enum attach_at at, uint64_t addr, uint64_t cookie)
{
	const struct mapping *m = map_at(t, addr);
	struct spots *s = spots_of(t, addr, at);
	uint64_t offset = m ? addr - m->start + m->offset : 0;

	if (!m || !m->exec || !s)
		return false;
	for (size_t i = 0; i < s->count; i++)
		if (s->item[i].offset == offset)
			return false;
	*ADD(s->item, s->count, s->room) = (struct spot){ offset, cookie };
	return true;
}

static struct hash by_resume;

/* Its library is there, or not any more. */
static void show(struct point *p, bool there)
{
	p->gone = !there;
	if (p->kind == P_RESUME && there)
		hash_add(&by_resume, p->addr, p);
	else if (p->kind == P_RESUME)
		hash_remove(&by_resume, p->addr, p);
}

static uint32_t add_point(struct point p)
{
	struct point *new = need(malloc(sizeof(*new)));

	*new = p;
	*ADD(points.item, points.count, points.room) = new;
	show(new, true);
	return (uint32_t)points.count - 1;
}

/* Where a probe at its beginning goes. */
static uint64_t entry_of(const struct code *c)
{
	bool cheap;
	uint64_t shift = code_entry(c, &cheap);

	points.stepped += !cheap;
	return c->addr + shift;
}

/* ---- C++ ---- */

static uint64_t index_at(const struct kind *k)
{
	return k->index_bits && k->index_at < MAX_OFFSET ? k->index_at : 0;
}

/* The part of a function that is rarely run may lie elsewhere, and return there. */
static void cold_part(struct kind *k, struct code *cold)
{
	int count = dwfl_module_getsymtab(k->module);
	size_t stem = strlen(k->stem);

	for (int i = 0; i < count; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		const char *name = dwfl_module_getsym_info(
			k->module, i, &sym, &addr, NULL, NULL, NULL);

		if (name && addr && !strncmp(name, k->stem, stem) &&
			(!strcmp(name + stem, ".actor.cold") || !strcmp(name + stem, ".resume.cold")))
			*cold = (struct code){ kind_code(k, addr, sym.st_size), sym.st_size, addr };
	}
}

/* m: of a coroutine function */
static bool add_exits(struct target *t, const struct code *c, const struct code *other,
	uint64_t cookie, Dwfl_Module *m)
{
	uint64_t exit[EXITS];
	size_t count;

	if (!code_exits(c, other, exit, EXITS, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t at = exit[i] - c->addr;
		bool frees = m && jump_frees(m, exit[i], c->text + at, c->size - at);

		add_spot(t, ON_EXIT, exit[i], cookie + (frees ? P_FREED - P_EXIT : 0));
	}
	points.stepped += count;
	return true;
}

static void add_kind(struct target *t, struct kind *k, bool returns, bool late)
{
	struct code whole = { kind_code(k, k->resume, k->text_size), k->text_size, k->resume },
		    cold = { NULL, 0, 0 };
	struct point p = { .kind = P_RESUME, .addr = k->resume, .gcc = k->gcc,
		.module = libraries_module(t, 0, k->resume), .late = late };
	uint32_t number;
	uint64_t cookie, entry;

	if (!whole.text)
		return;
	number = add_point(p);
	cookie = COOKIE(number, index_at(k), P_EXIT);
	cold_part(k, &cold);
	if (!returns && (!add_exits(t, &whole, &cold, cookie, k->module) ||
				(cold.text && !add_exits(t, &cold, &whole, cookie, k->module)))) {
		points.blind++;
		return;
	}
	entry = entry_of(&whole);
	if (returns)		/* at the same place: one trap for both */
		add_spot(t, ON_RETURN, entry, cookie);
	add_spot(t, ON_ENTRY, entry, COOKIE(number, index_at(k), P_RESUME));
	p.kind = P_DESTROY;
	add_spot(t, ON_ENTRY, k->destroy, COOKIE(add_point(p), 0, P_DESTROY));
	points.cpp++;
}

/* What is known of its function: it may lie elsewhere now. Functions of which the linker made one: it
 * is not known whose a frame is. */
static void renew_kind(struct point *p)
{
	struct kind *k = p->gone ? NULL : kind_with(p->addr, p->addr + 1);
	bool several = k && k + 1 < cpp_kinds.item + cpp_kinds.count && k[1].resume == p->addr;

	p->cpp = several ? NULL : k;
}

static void add_kinds(struct target *t, size_t from, bool returns)
{
	for (size_t i = 0; i < cpp_kinds.count; i++) {
		struct kind *k = &cpp_kinds.item[i];

		if (libraries_new(t, from, k->resume) && (!i || k[-1].resume != k->resume))
			add_kind(t, k, returns, from);
	}
	for (size_t n = 0; n < points.count; n++)
		if (points.item[n]->kind == P_RESUME || points.item[n]->kind == P_DESTROY)
			renew_kind(points.item[n]);
}

/* ---- by name ---- */

static enum point_kind named(const char *name)
{
	static const struct { const char *part; enum point_kind kind; } names[] = {
		{ "5tokio7runtime4task3raw7dealloc", P_DEALLOC },
		{ "5tokio7runtime4task3raw8shutdown", P_SHUTDOWN },
		{ "5tokio7runtime4task5waker11wake_by_val", P_WAKE },
		{ "5tokio7runtime4task5waker11wake_by_ref", P_WAKE },
		{ "5tokio7runtime4task5waker10drop_waker", P_DROP },
		/* std::noop_coroutine() */
		{ "22noop_coroutine_promiseEE7__frame22__dummy_resume_destroyEv", P_NOBODY },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(name, names[i].part))
			return names[i].kind;
	if (strstr(name, "5tokio7runtime4task4list") && strstr(name, "10bind_inner"))
		return P_BIND;
	return strstr(name, "NoopCoro_ResumeDestroy") ? P_NOBODY : 0;
}

/* What the cookies of a module's probes say of its tasks' ids. */
static uint64_t ids_of(const struct module *m)
{
	const struct header *h = &tokio.header;

	for (size_t i = 0; i < tokio.polls && h->id_known; i++)
		if (tokio.poll[i].header_known && tokio.poll[i].addr >= m->start &&
			tokio.poll[i].addr < m->end)
			return ID_OFFSET(h->vtable_at, h->id_at);
	return 0;
}

size_t points_ids(const struct target *t)
{
	size_t with = 0, found = SIZE_MAX;

	for (size_t i = 0; i < tokio.polls; i++) {
		size_t module = libraries_module(t, 0, tokio.poll[i].addr);

		with += module != found;
		found = module;
	}
	return with == 1 && ids_of(&t->module[found]) ? found : SIZE_MAX;
}

static void add_named(struct target *t, size_t module)
{
	Dwfl_Module *m = t->module[module].dwfl;
	const uint64_t ids = ids_of(&t->module[module]);
	int count = dwfl_module_getsymtab(m);

	for (int i = 0; i < count; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		const char *name = dwfl_module_getsym_info(m, i, &sym, &addr, NULL, NULL, NULL);
		enum point_kind kind = name && addr && GELF_ST_TYPE(sym.st_info) == STT_FUNC ?
			named(name) :
			0;

		if (!kind || (kind == P_NOBODY && !cpp_kinds.count))
			continue;
		addr = entry_of(&(struct code){
			module_code(m, addr, sym.st_size), sym.st_size, addr });
		add_spot(t, ON_ENTRY, addr,
			COOKIE(add_point((struct point){ .kind = kind, .module = module }), ids,
				kind));
	}
}

static void add_poll(struct target *t, struct poll *p)
{
	const size_t module = libraries_module(t, 0, p->addr);
	const uint64_t ids = ids_of(&t->module[module]);
	uint32_t number = add_point(
		(struct point){ .kind = P_POLL, .addr = p->addr, .module = module });

	add_spot(t, ON_RETURN, p->addr, COOKIE(number, ids, P_POLLED));
	points.tokio += add_spot(t, ON_ENTRY, p->addr, COOKIE(number, ids, P_POLL));
}

static void renew_poll(struct point *point)
{
	struct poll *p = point->gone ? NULL : poll_with(point->addr);

	point->poll = p && !p->ambiguous ? p : NULL;
}

static void add_polls(struct target *t, size_t from)
{
	for (size_t i = 0; i < tokio.polls; i++)
		if (!tokio.poll[i].blocking && libraries_new(t, from, tokio.poll[i].addr))
			add_poll(t, &tokio.poll[i]);
	for (size_t n = 0; n < points.count; n++)
		if (points.item[n]->kind == P_POLL)
			renew_poll(points.item[n]);
}

/* ---- of a scheduler that the user described ---- */

static void add_own(struct target *t, const struct own *o, Dwfl_Module *m, uint64_t addr,
	uint64_t size)
{
	struct code c = { module_code(m, addr, size), size, addr };
	uint32_t number = add_point((struct point){ .kind = o->kind });
	uint64_t entry = entry_of(&c);

	/* Nothing else says when it is left. */
	if (o->kind == P_OWN_RESUME && !own_has(P_OWN_SUSPEND) &&
		!add_exits(t, &c, &(struct code){ NULL, 0, 0 }, COOKIE(number, 0, P_OWN_EXIT),
			NULL))
		refuse(3, t, "%s: its code cannot be decoded: name the function that suspends (--suspend)",
			o->symbol);
	points.own += add_spot(t, ON_ENTRY, entry, COOKIE(number, o->argument, o->kind));
}

bool points_find(struct target *t, size_t from, bool returns)
{
	size_t before = points.count;

	libraries_note(t);
	spots = need(calloc(t->modules * WAYS + 1, sizeof(*spots)));
	add_kinds(t, from, returns);
	add_polls(t, from);
	for (size_t i = from; i < t->modules; i++)
		if (libraries_new(t, i, t->module[i].start))
			add_named(t, i);
	own_find(t, from, add_own);
	return points.count > before;
}

void points_unloaded(const struct target *t)
{
	for (size_t i = 0; i < points.count; i++) {
		struct point *p = points.item[i];

		/* Another may lie there now. */
		if (p->addr && !p->gone && !t->module[p->module].start)
			show(p, false);
	}
}

static void move(size_t was, size_t is, uint64_t by)
{
	for (size_t i = 0; i < points.count; i++) {
		struct point *p = points.item[i];

		if (!p->gone || p->module != was)
			continue;
		p->addr += by;
		p->module = is;
		p->late = true;
		show(p, true);
	}
}

size_t points_moved(const struct target *t, size_t from)
{
	return libraries_moved(t, from, move);
}

const struct point *points_with(uint64_t resume)
{
	return hash_find(&by_resume, resume);
}

/* ---- put them there ---- */

/* False: errno says why. */
static bool attach_module(struct target *t, const struct module *m, enum attach_at at,
	const struct spots *s)
{
	const struct mapping *map = map_at(t, m->start);
	char path[64];
	bool done;
	int fd, error;

	if (!s->count)
		return true;
	fd = map ? map_open(t, map) : -1;
	if (fd < 0) {
		errno = ESTALE;
		return false;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	done = attach(at, path, (size_t)(m - t->module), t->pid, s->item, s->count);
	error = errno;
	close(fd);
	errno = error;
	return done;
}

/* 0, or errno and the module's number above it. */
static int attach_modules(void *arg)
{
	static const enum attach_at order[WAYS] = { ON_EXIT, ON_RETURN, ON_ENTRY };
	struct target *t = arg;

	for (int way = 0; way < WAYS; way++)
		for (size_t i = 0; i < t->modules; i++)
			if (!attach_module(t, &t->module[i], order[way],
				    &spots[i * WAYS + order[way]]))
				return (int)i << 12 | (errno ? errno : EIO);
	return 0;
}

void points_forget(const struct target *t)
{
	for (size_t i = 0; i < t->modules * WAYS; i++)
		free(spots[i].item);
	free(spots);
}

bool points_attach(struct target *t, bool later)
{
	int error = guard_put(attach_modules, t);

	if (error && !later)
		refuse(3, t, "no probes can be put into %s: %s", t->module[error >> 12].path,
			(error & 0xfff) == EINVAL ?
				"this kernel does not know uprobe_multi (Linux 6.6)" :
				(error & 0xfff) == ESTALE ?
				"it is another file by now, or the process runs another program" :
				strerror(error & 0xfff));
	points_forget(t);
	return !error;
}
