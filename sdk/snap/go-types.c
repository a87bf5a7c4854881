/* go-types.c - where Go's runtime keeps its goroutines, by symbols and debug information. Contracts
 * in go.h. */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "elf-unit.h"
#include "go.h"

struct go go;

#define NONE UINT64_MAX

/* A path of members, the first that is there: fields move between versions. */
struct field { const char *type, *path; size_t to; };
#define F(type, path, field) { type, path, offsetof(struct go_layout, field) }
static const struct field fields[] = {
	F("runtime.g", "goid", goid),
	F("runtime.g", "atomicstatus.value", status),
	F("runtime.g", "atomicstatus", status),
	F("runtime.g", "waitreason", reason),
	F("runtime.g", "waiting", waiting),
	F("runtime.g", "sched.pc", pc),
	F("runtime.g", "sched.sp", sp),
	F("runtime.g", "sched.bp", bp),
	F("runtime.g", "stack.hi", stack_hi),
	F("runtime.g", "startpc", startpc),
	F("runtime.g", "parentGoid", parent),
	F("runtime.g", "gopc", gopc),
	F("runtime.g", "waitsince", since),
	F("runtime.g", "m", m),
	F("runtime.g", "sleepWhen", sleep),
	F("runtime.g", "trackingSeq", runs),
	F("runtime.m", "procid", procid),
	F("runtime.sudog", "c.ptr", chan),
	F("runtime.sudog", "c", chan),
	F("runtime.sudog", "elem.ptr", elem),
	F("runtime.sudog", "elem", elem),
	F("runtime.sudog", "g", sudog_g),
	F("runtime.sudog", "waitlink", wait_link),
	F("runtime.sudog", "next", next),
	F("runtime.sudog", "prev", prev),
	F("runtime.hchan", "qcount", count),
	F("runtime.hchan", "dataqsiz", room),
	F("runtime.hchan", "closed", closed),
	F("runtime.pollDesc", "fd", poll_fd),
	F("runtime.pollDesc", "rg", poll_read),
	F("runtime.pollDesc", "wg", poll_write),
	F("sync.Mutex", "mu.sema", mutex_sema),
	F("sync.Mutex", "sema", mutex_sema),
	F("sync.RWMutex", "writerSem", writer_sema),
	F("sync.RWMutex", "readerSem", reader_sema),
	F("sync.WaitGroup", "sema", group_sema),
	F("runtime.notifyList", "wait.value", list_wait),
	F("runtime.notifyList", "wait", list_wait),
	F("runtime.notifyList", "notify", list_notify),
	F("runtime.notifyList", "head", list_head),
	F("runtime.notifyList", "tail", list_tail),
	F("sync.Cond", "notify", cond_list),
};
static const struct { const char *type; size_t to; } sizes[] = {
	{ "runtime.g", offsetof(struct go_layout, g_size) },
	{ "runtime.sudog", offsetof(struct go_layout, sudog_size) },
	{ "runtime.hchan", offsetof(struct go_layout, hchan_size) },
	{ "runtime.pollDesc", offsetof(struct go_layout, poll_size) },
};

static uint64_t *slot(size_t to)
{
	return (uint64_t *)((char *)&go.at + to);
}

static bool one_type(void *arg, Dwarf_Die *d)
{
	const char *name = dwarf_tag(d) == DW_TAG_structure_type ? die_name(d) : "";

	(void)arg;
	if (strncmp(name, "runtime.", 8) && strncmp(name, "sync.", 5))
		return true;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t at = 0;

		if (!strcmp(fields[i].type, name) && *slot(fields[i].to) == NONE &&
			die_members(d, fields[i].path, &at, NULL))
			*slot(fields[i].to) = at;
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!strcmp(sizes[i].type, name))
			*slot(sizes[i].to) = die_size(d);
	return true;
}

/* The linker puts all types into the unit of the package, or into that of runtime. */
static void read_units(Dwfl_Module *m)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	while ((unit = dwfl_module_nextcu(m, unit, &bias)))
		if (!strcmp(die_name(unit), "runtime") || !strcmp(die_name(unit), "sync"))
			die_children(unit, one_type, NULL);
}

static bool symbols(Dwfl_Module *m)
{
	int count = dwfl_module_getsymtab(m);

	for (int i = 0; i < count; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		const char *name = dwfl_module_getsym_info(m, i, &sym, &addr, NULL, NULL, NULL);

		if (!name || strncmp(name, "runtime.", 8))
			continue;
		if (!strcmp(name, "runtime.allgs"))
			go.allgs = addr;
		if (!strcmp(name, "runtime.semtable")) {
			go.semtable = addr;
			go.semtable_size = sym.st_size;
		}
		if (!strcmp(name, "runtime.waitReasonStrings")) {
			go.reasons = addr;
			go.reason_count = sym.st_size / 16;
		}
	}
	return go.allgs;
}

/* Go's linker puts its own tables into sections of their own, which strip leaves. */
static bool is_go(Dwfl_Module *m)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(m, &bias);
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

		if (name &&
			(!strcmp(name, ".gopclntab") || !strcmp(name, ".data.rel.ro.gopclntab")))
			return true;
	}
	return false;
}

/* "/usr/local/go/src/", of the file that has runtime.main. */
static void find_root(void)
{
	GElf_Sym sym;
	Dwarf_Addr bias;
	int count = dwfl_module_getsymtab(go.module);

	for (int i = 0; i < count; i++) {
		GElf_Addr addr;
		const char *name =
			dwfl_module_getsym_info(go.module, i, &sym, &addr, NULL, NULL, NULL);
		Dwarf_Die *unit = name && !strcmp(name, "runtime.main") ?
			elf_unit(go.module, addr, &bias) :
			NULL;
		Dwarf_Line *l = unit ? dwarf_getsrc_die(unit, addr - bias) : NULL;
		const char *file = l ? dwarf_linesrc(l, NULL, NULL) : NULL,
			   *end = file ? strstr(file, "runtime/proc.go") : NULL;

		if (end) {
			go.root = copy_text(file, (size_t)(end - file));
			return;
		}
	}
}

char *go_reason(const struct target *t, uint64_t reason, char *buf, size_t size)
{
	uint64_t at = 0, len = 0;

	buf[0] = '\0';
	if (!reason || reason >= go.reason_count || !mem_word(t, go.reasons + reason * 16, &at) ||
		!mem_word(t, go.reasons + reason * 16 + 8, &len) || len >= size ||
		!mem_read(t, at, buf, len))
		return buf;
	buf[len] = '\0';
	return buf;
}

/* What does not change, ahead of all else. */
static void read_reasons(struct target *t)
{
	struct piece all = { go.reasons, go.reason_count * 16, NULL };
	char text[64];

	for (size_t i = 0; i < t->modules; i++)
		if (t->module[i].dwfl == go.module)
			mem_constants(t, &t->module[i]);
	target_fetch(t, &all, 1);
	mem_sort(t);
	go.io_wait = go.cond_wait = UINT64_MAX;
	for (uint64_t i = 0; i < go.reason_count; i++) {
		go_reason(t, i, text, sizeof(text));
		if (!strcmp(text, "IO wait"))
			go.io_wait = i;
		if (!strcmp(text, "sync.Cond.Wait"))
			go.cond_wait = i;
	}
}

bool go_types(struct target *t)
{
	memset(&go.at, 0xff, sizeof(go.at));
	for (size_t i = 0; i < t->modules && !go.module; i++)
		if (is_go(t->module[i].dwfl))
			go.module = t->module[i].dwfl;
	if (!go.module)
		return false;
	if (!symbols(go.module))
		refuse(3, t, "a Go program without symbols: built with -ldflags=-s, or stripped");
	read_units(go.module);
	if (go.at.goid == NONE || go.at.status == NONE || go.at.reason == NONE ||
		go.at.waiting == NONE || go.at.pc == NONE || go.at.sp == NONE ||
		go.at.stack_hi == NONE || go.at.chan == NONE || go.at.wait_link == NONE ||
		go.at.g_size == NONE || go.at.sudog_size == NONE || go.at.hchan_size == NONE)
		refuse(3, t,
			"a Go program without debug information of its runtime: built with -ldflags=-w, or stripped");
	find_root();
	read_reasons(t);
	return true;
}

void go_types_free(void)
{
	free(go.root);
	memset(&go, 0, sizeof(go));
}
