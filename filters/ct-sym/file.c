/* file.c - files with code and what their debug information says, through elfutils' libdwfl.
 * Contracts in sym.h. */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "cttrace.h"
#include "functions.h"
#include "further.h"
#include "snap/elf-unit.h"
#include "sym.h"

enum { REFERENCES_MAX = 64, DEPTH_MAX = 200 };

struct sym_file {
	char *path, *build_id;
	Dwfl *dwfl;
	Dwfl_Module *module;	/* NULL: cannot be used */
	const char *missing;	/* why */
	const char *unnamed;	/* why names are the symbol table's alone, or NULL */
	bool split_missed;	/* and reported */
};
static struct hash files;	/* by file_hash() */

/* Below --root, only there: by the build id, or beside the file under a name that is no path. */
static int find_below(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base,
	const char *file, const char *link, GElf_Word crc, char **found)
{
	const char *root = *data, *slash = strrchr(file + strlen(root), '/');
	const unsigned char *id = NULL;
	GElf_Addr where;
	int len = dwfl_module_build_id(m, &id, &where), fd = -1;
	char path[4096];

	(void)name; (void)base; (void)crc; (void)found;
	if (len > 1 && len <= 64) {
		size_t n = (size_t)snprintf(
			path, sizeof(path), "/usr/lib/debug/.build-id/%02x/", id[0]);

		for (int i = 1; i < len; i++)
			n += (size_t)snprintf(path + n, sizeof(path) - n, "%02x", id[i]);
		snprintf(path + n, sizeof(path) - n, ".debug");
		fd = root_open(root, path);
	}
	for (int i = 0; i < 2 && fd < 0 && link && slash && !strchr(link, '/'); i++) {
		snprintf(path, sizeof(path), "%.*s%s%s",
			(int)(slash + 1 - file - (ptrdiff_t)strlen(root)), file + strlen(root),
			i ? ".debug/" : "", link);
		fd = root_open(root, path);
	}
	return fd;
}

static const Dwfl_Callbacks *callbacks(const char *root)
{
	static const Dwfl_Callbacks standard = { .find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address },
				    below = { .find_debuginfo = find_below,
					    .section_address = dwfl_offline_section_address };

	return *root ? &below : &standard;
}

static const char *program_name;

static void warn(const char *path, const char *what, const char *name)
{
	fprintf(stderr, "%s: ", program_name);
	ctt_out_text(stderr, path, strlen(path));
	fprintf(stderr, ": %s", what);
	if (name) {
		fputs(": ", stderr);
		ctt_out_text(stderr, name, strlen(name));
	}
	fputc('\n', stderr);
}

/* Is it the build that the trace was made with? */
static bool same_build(struct sym_file *f)
{
	const unsigned char *bits = NULL;
	GElf_Addr where;
	char hex[2 * 64 + 1] = "";
	int len = dwfl_module_build_id(f->module, &bits, &where);

	if (!*f->build_id)
		return true;
	for (int i = 0; i < len && i < 64; i++)
		sprintf(hex + 2 * i, "%02x", bits[i]);
	if (!strcmp(hex, f->build_id))
		return true;
	fprintf(stderr, "%s: ", program_name);
	ctt_out_text(stderr, f->path, strlen(f->path));
	fprintf(stderr, ": build id %s, not the trace's ", *hex ? hex : "missing");
	ctt_out_text(stderr, f->build_id, strlen(f->build_id));
	fputs(": another build, not used\n", stderr);
	f->missing = "the file is another build";
	return false;
}

static void look_for_names(struct sym_file *f)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(f->module, &bias);
	const char *name = NULL;

	f->unnamed = further_unread(
		dwarf ? dwarf_getelf(dwarf) : dwfl_module_getelf(f->module, &bias));
	if (!dwarf && !f->unnamed)
		f->unnamed = "no debug information";
	if (f->unnamed)
		warn(f->path, f->unnamed, "names of functions at best");
	else if ((f->unnamed = further_shared(dwarf, &name)))
		warn(f->path, f->unnamed, name);
}

static bool load(struct sym_file *f, const char *root)
{
	GElf_Addr bias;
	void **data;
	struct stat st;
	int fd = root_open(root, f->path + strlen(root));

	if (fd < 0) {
		warn(f->path, errno == EINVAL ? "not a regular file, or an empty one" : strerror(errno), NULL);
		f->missing = "the file cannot be read";
		return false;
	}
	guard_memory(fstat(fd, &st) ? 0 : (uint64_t)st.st_size);
	f->dwfl = need(dwfl_begin(callbacks(root)));
	dwfl_report_begin(f->dwfl);
	f->module = dwfl_report_offline(f->dwfl, f->path, f->path, fd);
	if (!f->module)
		close(fd);
	else if (dwfl_module_info(f->module, &data, NULL, NULL, NULL, NULL, NULL, NULL))
		*data = (void *)root;		/* for find_below */
	if (dwfl_report_end(f->dwfl, NULL, NULL) || !f->module ||
		!dwfl_module_getelf(f->module, &bias)) {
		warn(f->path, dwfl_errmsg(-1), NULL);
		f->missing = "the file cannot be read";
		return false;
	}
	if (!same_build(f))
		return false;
	look_for_names(f);
	return true;
}

static uint64_t file_hash(const char *path, const char *build_id)
{
	return hash_of_pair(hash_of_bytes(path, strlen(path)),
		hash_of_bytes(build_id, strlen(build_id)));
}

struct sym_file *sym_open(
	const char *program, const char *root, const char *path, const char *build_id)
{
	size_t size = strlen(root) + strlen(path) + 1;
	uint64_t h = file_hash(path, build_id);
	char *whole = need(malloc(size));
	struct sym_file *f;

	program_name = program;
	snprintf(whole, size, "%s%s", root, path);
	for (size_t at = hash_first(&files, h); (f = hash_next(&files, h, &at));)
		if (!strcmp(f->path, whole) && !strcmp(f->build_id, build_id)) {
			free(whole);
			return f;
		}
	f = need(calloc(1, sizeof(*f)));
	f->path = whole;
	f->build_id = need(strdup(build_id));
	hash_add(&files, h, f);
	if (!load(f, root))
		f->module = NULL;
	return f;
}

/* Where the program headers put that offset, in the addresses libdwfl uses. */
static bool address_of(struct sym_file *f, uint64_t offset, Dwarf_Addr *addr)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(f->module, &bias);
	size_t count = 0;
	GElf_Phdr ph;

	if (!elf || elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD &&
			offset >= ph.p_offset && offset - ph.p_offset < ph.p_filesz) {
			*addr = offset - ph.p_offset + ph.p_vaddr + bias;
			return true;
		}
	return false;
}

/* Languages in which nothing does: to look for it costs as much as the unit is long. */
static bool has_scopes(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return true;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C89: case DW_LANG_C: case DW_LANG_C99: case DW_LANG_C11: case DW_LANG_Go:
		return false;
	default:
		return true;
	}
}

/* "crate::module::function" by what encloses it, where no mangled name reports more. */
static char *qualified(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Die origin = *die, *scopes = NULL;
	char name[4096] = "";
	int n;

	for (int i = 0; i < REFERENCES_MAX; i++)	/* they may lead round */
		if ((!dwarf_attr(&origin, DW_AT_abstract_origin, &a) &&
			    !dwarf_attr(&origin, DW_AT_specification, &a)) ||
			!dwarf_formref_die(&a, &origin))
			break;
	if (!has_scopes(&origin)) {
		const char *whole = dwarf_diename(&origin);

		return whole && *whole ? need(strdup(whole)) : NULL;
	}
	n = dwarf_getscopes_die(&origin, &scopes);
	for (int i = n - 1; i >= 0; i--) {
		int tag = dwarf_tag(&scopes[i]);
		const char *part = dwarf_diename(&scopes[i]);

		if (part &&
			(i == 0 || tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
				tag == DW_TAG_class_type))
			snprintf(name + strlen(name), sizeof(name) - strlen(name), "%s%s",
				*name ? "::" : "", part);
	}
	free(scopes);
	return *name ? need(strdup(name)) : NULL;
}

static char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *linkage = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) ||
		dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
		linkage = dwarf_formstring(&a);
	return linkage ? sym_closure(sym_name(linkage), dwarf_diename(die)) : qualified(die);
}

/* Where an inlined function was called. */
static void call_site(Dwarf_Die *die, Dwarf_Die *unit, struct symbol *s)
{
	Dwarf_Attribute a;
	Dwarf_Files *list;
	Dwarf_Word v;
	size_t count;
	const char *file;

	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &a), &v))
		s->line = v;
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_column, &a), &v))
		s->column = v;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &a), &v) ||
		dwarf_getsrcfiles(unit, &list, &count) || v >= count)
		return;
	file = dwarf_filesrc(list, v, NULL, NULL);
	s->file = file ? need(strdup(file)) : NULL;
}

static void where(Dwarf_Die *unit, Dwarf_Addr pc, struct symbol *s)
{
	Dwarf_Line *l = dwarf_getsrc_die(unit, pc);
	const char *file = l ? dwarf_linesrc(l, NULL, NULL) : NULL;
	int line = 0, column = 0;

	if (!file || dwarf_lineno(l, &line) || dwarf_linecol(l, &column))
		return;
	s->file = need(strdup(file));
	s->line = (uint64_t)line;
	s->column = (uint64_t)column;
}

struct path {			/* functions around an address, the outermost first */
	Dwarf_Die die[SYM_DEPTH];
	size_t count;
};

static bool descend(Dwarf_Die *parent, Dwarf_Addr pc, struct path *p, int depth)
{
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(parent, &child))
		return false;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_namespace:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			if (descend(&child, pc, p, depth + 1))
				return true;
			break;
		case DW_TAG_subprogram: case DW_TAG_inlined_subroutine:
			if (dwarf_haspc(&child, pc) != 1)
				break;
			if (p->count < SYM_DEPTH)
				p->die[p->count++] = child;
			descend(&child, pc, p, depth + 1);
			return true;
		case DW_TAG_lexical_block: case DW_TAG_try_block: case DW_TAG_catch_block:
			if (dwarf_haspc(&child, pc) == 1 && descend(&child, pc, p, depth + 1))
				return true;
			break;
		default:
			break;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static void find(Dwarf_Die *unit, Dwarf_Addr pc, struct path *p)
{
	Dwarf_Die outer;
	int tag;

	if (!functions_find(unit, pc, &outer))
		return;
	tag = dwarf_tag(&outer);
	if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
		p->die[p->count++] = outer;
	descend(&outer, pc, p, 0);
}

/* Out from the innermost: each inlined function, and where it was called, up to the real one.
 * Returns why there are none, where that is known, or NULL. */
static const char *walk(struct sym_file *f, Dwarf_Die *unit, Dwarf_Addr pc, struct symbols *s)
{
	static const char not_there[] = "its split debug information is not there";
	struct path p = { .count = 0 };
	Dwarf_Die functions;
	const char *name;

	if (f->unnamed)
		return f->unnamed;
	if (!further_unit(unit, &functions, &name)) {
		if (!f->split_missed)
			warn(f->path, not_there, name);
		f->split_missed = true;
		return not_there;
	}
	find(&functions, pc, &p);
	while (p.count) {
		Dwarf_Die *die = &p.die[--p.count];

		s->at[s->count++].func = name_of(die);
		if (p.count)
			call_site(die, &functions, &s->at[s->count]);
	}
	return NULL;
}

void sym_lookup(struct sym_file *f, uint64_t offset, struct symbols *s)
{
	Dwarf_Addr addr, bias;
	Dwarf_Die *unit;
	GElf_Off into;
	GElf_Sym sym;
	const char *name, *why = NULL;

	memset(s, 0, sizeof(*s));
	if (!f->module || !address_of(f, offset, &addr)) {
		s->missing = f->missing ? f->missing : "the file does not reach so far";
		return;
	}
	unit = elf_unit(f->module, addr, &bias);
	if (unit) {
		where(unit, addr - bias, &s->at[0]);
		why = walk(f, unit, addr - bias, s);
	}
	if (s->count)
		return;
	s->count = 1;
	name = dwfl_module_addrinfo(f->module, addr, &into, &sym, NULL, NULL, NULL);
	s->at[0].func = name ? sym_name(name) : NULL;
	s->missing = !name ? "no symbol" : why || s->at[0].file ? why : f->unnamed ? f->unnamed : "no debug information";
}

void symbols_free(struct symbols *s)
{
	for (size_t i = 0; i < SYM_DEPTH; i++) {
		free(s->at[i].func);
		free(s->at[i].file);
	}
}
