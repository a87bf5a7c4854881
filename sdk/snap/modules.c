/* modules.c - the files with code that a process has mapped, and which build each is. Contracts in
 * target.h. */
#include <elf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "elf-stack.h"
#include "snap.h"

static const Dwfl_Callbacks *callbacks(void)
{
	static char *path;
	static const Dwfl_Callbacks c = { .find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &path };
	return &c;
}

/* What is mapped of the file from map[i] on. */
static uint64_t extent(const struct target *t, size_t i, bool *code)
{
	uint64_t end = t->map[i].end;

	*code = t->map[i].exec;
	for (size_t k = i + 1;
		k < t->maps && !strcmp(t->map[k].path, t->map[i].path) && t->map[k].offset; k++) {
		end = t->map[k].end;
		*code |= t->map[k].exec;
	}
	return end;
}

static void set_build_id(struct module *m)
{
	const unsigned char *bits;
	GElf_Addr where;
	int len = dwfl_module_build_id(m->dwfl, &bits, &where);

	for (int i = 0; i < len && i < 64; i++)
		sprintf(m->build_id + 2 * i, "%02x", bits[i]);
}

/* The same file may be mapped twice at different addresses: a module each, distinguished by
 * number. */
static void report(struct target *t, const struct mapping *map, uint64_t end, int fd)
{
	struct module m = { .start = map->start,
		.end = end,
		.device = map->device,
		.inode = map->inode };
	char name[32];

	snprintf(name, sizeof(name), "%zu", t->modules);
	m.dwfl = dwfl_report_elf(t->dwfl, name, map->path, fd, map->start, false);
	if (!m.dwfl) {
		close(fd);
		return;
	}
	m.path = copy_text(map->path, strlen(map->path));
	set_build_id(&m);
	*ADD(t->module, t->modules, t->module_room) = m;
}

static bool is_known(const struct target *t, const struct mapping *map)
{
	for (size_t i = 0; i < t->modules; i++)
		if (map->start < t->module[i].end && map->end > t->module[i].start)
			return true;
	return false;
}

/* Once: nobody is to take what is found for all there is. */
static void note_missing(const struct target *t, const struct mapping *map)
{
	static bool said;

	if (!said)
		note("%s: of a file with code, %s, nothing is known, as it cannot be opened; perhaps of others, too\n",
			t->name, map->path);
	said = true;
}

/* Each file with code stays open. */
static void allow_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

void modules_report(struct target *t, int (*open_map)(struct target *, const struct mapping *))
{
	if (!elf_stack())
		refuse(3, t, "debug information takes %d KB of stack to read: raise its limit (ulimit -s)",
			ELF_STACK_KB);
	allow_files();
	if (!t->dwfl)
		t->dwfl = need(dwfl_begin(callbacks()));
	dwfl_report_begin_add(t->dwfl);
	for (size_t i = 0; i < t->maps; i++) {
		const struct mapping *map = &t->map[i];
		bool code = false;
		uint64_t end = map->offset || *map->path != '/' || is_known(t, map) ?
			0 :
			extent(t, i, &code);
		int fd = code || (end && !t->live) ? open_map(t, map) : -1;

		if (fd >= 0)
			report(t, map, end, fd);
		else if (code || (end && strstr(map->path, ".so")))	/* a core does not say what is code */
			note_missing(t, map);
	}
	dwfl_report_end(t->dwfl, NULL, NULL);
}

const unsigned char *module_code(Dwfl_Module *m, uint64_t addr, uint64_t size)
{
	GElf_Addr at = addr, bias;
	Elf_Scn *scn = addr ? dwfl_module_address_section(m, &at, &bias) : NULL;
	Elf_Data *d = scn ? elf_rawdata(scn, NULL) : NULL;

	return d && at <= d->d_size && size <= d->d_size - at ? (unsigned char *)d->d_buf + at :
								NULL;
}
