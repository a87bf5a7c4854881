/* go-lines.c - functions and lines at addresses of Go code, each looked up once. Contracts in
 * go.h. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "go.h"

struct looked { struct go_frame frame[GO_INLINED]; size_t count; };
static struct hash known, names;

/* libdwfl goes through all symbols each time. */
const char *go_function(uint64_t pc)
{
	struct name { const char *text; } *n = hash_find(&names, pc);

	if (!n) {
		n = need(malloc(sizeof(*n)));
		n->text = dwfl_module_addrname(go.module, pc);
		hash_add(&names, pc, n);
	}
	return n->text;
}

static bool own(const char *file)
{
	return file && *file && !(go.root && !strncmp(file, go.root, strlen(go.root))) &&
		file[0] != '<';
}

static void add(
	struct looked *l, struct snapshot *s, const char *func, const char *file, uint64_t line)
{
	if (l->count < GO_INLINED && func && *func)
		l->frame[l->count++] =
			(struct go_frame){ site_of(s->sites, func, file, line), own(file) };
}

struct path {			/* functions around an address, the outermost first */
	Dwarf_Die die[GO_INLINED];
	size_t count;
};

/* Not dwarf_getscopes: it goes on where an inlined function was written, not where it was
 * inlined. */
static void descend(Dwarf_Die *parent, Dwarf_Addr pc, struct path *p, int depth)
{
	Dwarf_Die child;

	if (depth > 64 || dwarf_child(parent, &child))
		return;
	do {
		int tag = dwarf_tag(&child);
		bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;

		if ((!function && tag != DW_TAG_lexical_block) || dwarf_haspc(&child, pc) != 1)
			continue;
		if (function && p->count < GO_INLINED)
			p->die[p->count++] = child;
		descend(&child, pc, p, depth + 1);
		return;
	} while (!dwarf_siblingof(&child, &child));
}

static void look(struct looked *l, struct snapshot *s, uint64_t pc)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = module_unit(go.module, pc, &bias);
	Dwarf_Line *at = unit ? dwarf_getsrc_die(unit, pc - bias) : NULL;
	const char *file = at ? dwarf_linesrc(at, NULL, NULL) : NULL;
	struct path p = { .count = 0 };
	Dwarf_Files *files = NULL;
	size_t file_count = 0;
	int line = 0;

	if (at)
		dwarf_lineno(at, &line);
	if (unit && !dwarf_getsrcfiles(unit, &files, &file_count))
		descend(unit, pc - bias, &p, 0);
	for (size_t i = p.count; i-- > 0;) {
		uint64_t number = die_number(&p.die[i], DW_AT_call_file, UINT64_MAX);

		add(l, s, die_name(&p.die[i]), file, (uint64_t)line);
		file = number < file_count ? dwarf_filesrc(files, number, NULL, NULL) : NULL;
		line = (int)die_number(&p.die[i], DW_AT_call_line, 0);
	}
	if (!l->count)
		add(l, s, go_function(pc), file, (uint64_t)line);
}

size_t go_lines(struct snapshot *s, uint64_t pc, struct go_frame frame[GO_INLINED])
{
	struct looked *l = hash_find(&known, pc);

	if (!l) {
		l = need(calloc(1, sizeof(*l)));
		look(l, s, pc);
		hash_add(&known, pc, l);
	}
	memcpy(frame, l->frame, sizeof(l->frame));
	return l->count;
}

void go_lines_free(void)
{
	void *item;

	for (size_t at = 0; (item = hash_each(&known, &at));)
		free(item);
	for (size_t at = 0; (item = hash_each(&names, &at));)
		free(item);
	hash_free(&known);
	hash_free(&names);
}
