/* cpp-kinds.c - the coroutine functions of a process, by their symbols. Contracts in cpp.h.
 *
 * gcc makes _Z5servei.actor and .destroy of a coroutine, clang .resume and .destroy. A frame begins
 * with the addresses of both; one that clang put into its caller's has .cleanup in .destroy's place.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "cpp.h"
#include "demangle.h"
#include "search.h"

struct kinds cpp_kinds;

/* What ends the name, not counting what link-time optimisation put behind it (.llvm.123,
 * .lto_priv.0). */
static const char *suffix(const char *name, size_t *stem)
{
	static const char *const ends[] = { ".actor", ".resume", ".destroy", ".cleanup" };

	if (strncmp(name, "_Z", 2))
		return NULL;
	for (int i = 0; i < 4; i++) {
		const char *p = name;

		while ((p = strstr(p, ends[i]))) {
			size_t len = strlen(ends[i]);

			if (!p[len] || !strncmp(p + len, ".llvm.", 6) ||
				!strncmp(p + len, ".lto_priv.", 10)) {
				*stem = (size_t)(p - name);
				return ends[i];
			}
			p += len;
		}
	}
	return NULL;
}

/* end: NULL: the stem alone */
struct half { const char *name; size_t stem; const char *end; uint64_t addr, size; };

static int by_stem(const void *a, const void *b)
{
	const struct half *x = a, *y = b;
	size_t len = x->stem < y->stem ? x->stem : y->stem;
	int order = memcmp(x->name, y->name, len);

	return order ? order : x->stem < y->stem ? -1 : x->stem > y->stem;
}

static bool same_stem(const struct half *x, const struct half *y)
{
	return x->stem == y->stem && !memcmp(x->name, y->name, x->stem);
}

/* ramp, cleanup: NULL: not there. */
static void add(Dwfl_Module *m, const struct half *resume, const struct half *destroy,
	const struct half *cleanup, const struct half *ramp)
{
	struct kind k = { .module = m,
		.resume = resume->addr,
		.destroy = destroy->addr,
		.cleanup = cleanup ? cleanup->addr : 0,
		.text_size = resume->size,
		.gcc = !strcmp(resume->end, ".actor") };

	if (ramp && !k.gcc) {
		k.ramp = ramp->addr;
		k.ramp_size = ramp->size;
	}
	/* what __builtin_coro_promise says of one that is aligned as usual */
	k.promise_at = 16;
	k.stem = copy_text(resume->name, resume->stem);
	*ADD(cpp_kinds.item, cpp_kinds.count, cpp_kinds.room) = k;
}

static uint64_t distance(const struct half *x, const struct half *y)
{
	return x->addr < y->addr ? y->addr - x->addr : x->addr - y->addr;
}

/* The one of [from, to) with that end (NULL: none) that is nearest to *h; NULL: there is none. */
static const struct half *nearest(
	const struct half *from, const struct half *to, const char *end, const struct half *h)
{
	const struct half *found = NULL;

	for (; from < to; from++)
		if ((end ? from->end && !strcmp(from->end, end) : !from->end) &&
		    (!found || distance(from, h) < distance(found, h)))
			found = from;
	return found;
}

/* Where all of clang's lie within others there is no destroy function. */
static void pair_one(
	Dwfl_Module *m, const struct half *h, const struct half *from, const struct half *to)
{
	const struct half *destroy = nearest(from, to, ".destroy", h),
			  *cleanup = nearest(from, to, ".cleanup", h);

	if (!h->end || !strcmp(h->end, ".destroy") || !strcmp(h->end, ".cleanup"))
		return;
	if (destroy || cleanup)
		add(m, h, destroy ? destroy : cleanup, cleanup, nearest(from, to, NULL, h));
}

/* A symbol of local functions may stand several times in a module, once a unit: those next to each
 * other belong together. */
static void pair(Dwfl_Module *m, struct half *half, size_t count)
{
	if (count)
		qsort(half, count, sizeof(*half), by_stem);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && same_stem(&half[i], &half[end]); end++)
			;
		for (size_t r = i; r < end && end - i > 1; r++)
			pair_one(m, &half[r], half + i, half + end);
	}
}

/* Alone, those are no coroutine's: a function may be called resume. `ramps`: the functions without
 * an end, too. */
static size_t module_symbols(Dwfl_Module *m, bool ramps)
{
	int count = dwfl_module_getsymtab(m);
	struct half *half = NULL;
	size_t halves = 0, room = 0;

	for (int i = 0; i < count; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		size_t stem;
		const char *name = dwfl_module_getsym_info(m, i, &sym, &addr, NULL, NULL, NULL),
			   *end;

		if (!name || GELF_ST_TYPE(sym.st_info) != STT_FUNC || !addr)
			continue;
		end = suffix(name, &stem);
		if (!end && (!ramps || strncmp(name, "_Z", 2)))
			continue;
		stem = end ? stem : strcspn(name, ".");
		*ADD(half, halves, room) = (struct half){ name, stem, end, addr, sym.st_size };
	}
	if (ramps)
		pair(m, half, halves);
	free(half);
	return halves;
}

struct kind *kind_with(uint64_t low, uint64_t high)
{
	size_t i = first_from(cpp_kinds.item, cpp_kinds.count, sizeof(*cpp_kinds.item), low);

	return i < cpp_kinds.count && cpp_kinds.item[i].resume < high ? &cpp_kinds.item[i] : NULL;
}

static void free_kind(struct kind *k)
{
	for (size_t n = 0; n < k->awaits; n++)
		free(k->await[n].file);
	for (size_t n = 0; n < k->arguments; n++)
		free(k->argument[n].name);
	for (size_t n = 0; n < k->slots; n++)
		free(k->slot[n].type);
	free(k->stem);
	free(k->func);
	free(k->file);
	free(k->handle);
	free(k->awaiter);
	free(k->slot);
	free(k->await);
	free(k->argument);
	free(k->site);
}

/* Those of libraries that were unloaded: another may lie there. */
static void drop_kinds(const struct target *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < cpp_kinds.count; i++)
		if (module_is_there(t, cpp_kinds.item[i].module))
			cpp_kinds.item[kept++] = cpp_kinds.item[i];
		else
			free_kind(&cpp_kinds.item[i]);
	cpp_kinds.count = kept;
}

bool kinds_find(struct target *t, size_t from)
{
	size_t before;

	drop_kinds(t);
	before = cpp_kinds.count;
	for (size_t i = from; i < t->modules; i++)
		if (module_symbols(t->module[i].dwfl, false) > 1)
			module_symbols(t->module[i].dwfl, true);
	if (cpp_kinds.count)
		qsort(cpp_kinds.item, cpp_kinds.count, sizeof(*cpp_kinds.item), by_number);
	return cpp_kinds.count > before;
}

/* gcc: of _Z5serveP13_Z5servei.Frame the function is _Z5servei. */
char *kind_name(const char *stem, bool gcc)
{
	const char *from = stem;
	char *mangled, *name;

	for (const char *p = stem; gcc && (p = strstr(p, "_Z")); p += 2)
		from = p;
	mangled = strndup(from, strcspn(from, "."));
	name = mangled ? demangle(mangled) : NULL;
	if (name)
		free(mangled);
	return name ? name : mangled;
}

void kinds_free(void)
{
	for (size_t i = 0; i < cpp_kinds.count; i++)
		free_kind(&cpp_kinds.item[i]);
	free(cpp_kinds.item);
	cpp_kinds = (struct kinds){ NULL, 0, 0 };
}
