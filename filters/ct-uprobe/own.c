/* own.c - functions by the names that a user has for them. Contracts in own.h. */
#include <ctype.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "own.h"
#include "snap/demangle.h"

struct own *owns;
size_t own_count;
static size_t room;

bool own_add(enum point_kind kind, const char *text)
{
	size_t len = strlen(text);
	unsigned argument = 1;

	if (len > 2 && text[len - 2] == ':' && text[len - 3] != ':' &&
		isdigit((unsigned char)text[len - 1])) {
		argument = (unsigned)(text[len - 1] - '0');
		len -= 2;
	}
	if (!len || text[len - 1] == ':' || (*text == ':' && text[1] != ':') ||
		argument > MAX_ARGUMENT ||
		(!argument && kind != P_OWN_SUSPEND && kind != P_OWN_DESTROY))
		return false;
	*ADD(owns, own_count, room) = (struct own){ kind, copy_text(text, len), argument, 0 };
	return true;
}

bool own_has(enum point_kind kind)
{
	for (size_t i = 0; i < own_count; i++)
		if (owns[i].kind == kind)
			return true;
	return false;
}

/* ---- names ---- */

/* "app::run(int) const" without what follows app::run */
static void cut_parameters(char *name)
{
	char *end = strrchr(name, ')');
	int depth = 0;

	for (char *p = end; p && p >= name; p--) {
		depth += (*p == ')') - (*p == '(');
		if (!depth) {
			if (p > name)
				*p = '\0';
			return;
		}
	}
}

/* As the language has it; NULL: it is no mangled name. */
static char *readable(const char *name)
{
	return *name == '_' ? demangle(name) : NULL;
}

/* Behind a template's type of result, too. */
static bool ends_as(const char *name, const char *symbol)
{
	size_t len = strlen(name), wanted = strlen(symbol);

	return len >= wanted && !strcmp(name + len - wanted, symbol) &&
		(len == wanted || name[len - wanted - 1] == ' ');
}

static const char *last_part(const char *symbol)
{
	const char *part = symbol;

	for (const char *p = symbol; *p && *p != '(' && *p != '<'; p++)
		part = *p == ':' ? p + 1 : part;
	return part;
}

static bool is_called(const char *name, const char *symbol)
{
	const char *end;
	char part[64], *text;
	bool same;

	if (!strcmp(name, symbol))
		return true;
	/* What the compiler made of a function may have other arguments: _Z3runi.isra.0 */
	end = strchr(name, '.');
	if (end && strncmp(end, ".llvm.", 6) && strncmp(end, ".lto_priv.", 10))
		return false;
	snprintf(part, sizeof(part), "%s", last_part(symbol));
	part[strcspn(part, "(<")] = '\0';
	if (!strstr(name, part) || !(text = readable(name)))
		return false;
	same = ends_as(text, symbol);
	cut_parameters(text);
	same = same || ends_as(text, symbol);
	free(text);
	return same;
}

size_t own_find(struct target *t, size_t from, own_fn *fn)
{
	size_t known = 0;

	for (size_t i = 0; i < own_count; i++)
		owns[i].found = 0;
	for (size_t m = from; m < t->modules; m++) {
		Dwfl_Module *module = t->module[m].dwfl;
		int count = own_count ? dwfl_module_getsymtab(module) : 0;

		for (int i = 0; i < count; i++) {
			GElf_Sym sym;
			GElf_Addr addr;
			const char *name = dwfl_module_getsym_info(
				module, i, &sym, &addr, NULL, NULL, NULL);

			if (!name || !addr || GELF_ST_TYPE(sym.st_info) != STT_FUNC)
				continue;
			for (size_t k = 0; k < own_count; k++)
				if (is_called(name, owns[k].symbol)) {
					owns[k].found++;
					if (fn)
						fn(t, &owns[k], module, addr, sym.st_size);
				}
		}
	}
	for (size_t i = 0; i < own_count; i++)
		known += owns[i].found > 0;
	return known;
}

/* ---- near names ---- */

enum { NEAR = 3, LONGEST = 64 };

/* How many letters are to be changed, put in or left out. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[LONGEST + 1], la = (unsigned)strlen(a), lb = (unsigned)strlen(b);

	if (la > LONGEST || lb > LONGEST)
		return UINT32_MAX;
	for (unsigned k = 0; k <= lb; k++)
		row[k] = k;
	for (unsigned i = 1; i <= la; i++) {
		unsigned corner = row[0];

		row[0] = i;
		for (unsigned k = 1; k <= lb; k++) {
			unsigned change = corner + (a[i - 1] != b[k - 1]), least;

			corner = row[k];
			least = row[k] < row[k - 1] ? row[k] + 1 : row[k - 1] + 1;
			row[k] = change < least ? change : least;
		}
	}
	return row[lb];
}

struct near { char name[LONGEST * 2]; unsigned far; };

static void consider(struct near *near, const char *symbol, const char *name)
{
	char *text = readable(name), plain[LONGEST * 2];
	unsigned whole, part, far, most;

	snprintf(plain, sizeof(plain), "%s", text ? text : name);
	free(text);
	cut_parameters(plain);
	whole = distance(plain, symbol);
	part = distance(last_part(plain), last_part(symbol));
	far = whole <= part ? whole : part + 1;
	most = (unsigned)strlen(whole <= part ? symbol : last_part(symbol)) / 3 + 1;
	if (far > most || far < whole - part)
		return;
	for (int i = 0; i < NEAR; i++) {
		if (!strcmp(near[i].name, plain))
			return;
		if (near[i].name[0] && near[i].far <= far)
			continue;
		memmove(&near[i + 1], &near[i], (size_t)(NEAR - 1 - i) * sizeof(*near));
		near[i].far = far;
		strcpy(near[i].name, plain);
		return;
	}
}

bool own_near(struct target *t, const struct own *o, char *text, size_t size)
{
	struct near near[NEAR] = { { "", 0 } };
	size_t len = 0;

	*text = '\0';
	for (size_t m = 0; m < t->modules; m++) {
		Dwfl_Module *module = t->module[m].dwfl;
		int count = dwfl_module_getsymtab(module);

		for (int i = 0; i < count; i++) {
			GElf_Sym sym;
			GElf_Addr addr;
			const char *name = dwfl_module_getsym_info(
				module, i, &sym, &addr, NULL, NULL, NULL);

			if (name && addr && GELF_ST_TYPE(sym.st_info) == STT_FUNC)
				consider(near, o->symbol, name);
		}
	}
	for (int i = 0; i < NEAR && near[i].name[0] && len < size; i++)
		len += (size_t)snprintf(
			text + len, size - len, "%s%s", i ? ", " : "", near[i].name);
	return len;
}
