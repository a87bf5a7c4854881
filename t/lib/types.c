/* types.c - for tests: an executable whose debug information says that its types are others: members that are of
 * the structure that they are in, pointers, parameters and discriminants of any other one.
 *
 *	types SEED RATE IN OUT	OUT is IN, but for RATE of 1,000 of them; the same for the same seed
 *
 * Prints how many it changed. Of DWARF's references only those of 4 bytes, as rustc writes them.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct file { unsigned char *data; size_t size; };
static struct file out;
static uint64_t info_at, unit_at, chance, rate, changed;	/* offsets: of the section, of the unit in it */
static const unsigned char *info;		/* the section, as libdw has it */
static Dwarf_Off *types;			/* of the unit */
static size_t type_count, type_room;

static uint64_t any(uint64_t below)
{
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	return chance % below;
}

static void fail(const char *what)
{
	fprintf(stderr, "types: %s\n", what);
	exit(2);
}

static void collect(Dwarf_Die *d)
{
	Dwarf_Die c;

	if (dwarf_tag(d) == DW_TAG_structure_type) {
		if (type_count == type_room)
			types = realloc(types, (type_room = 2 * type_room + 64) * sizeof(*types));
		if (!types)
			fail("no memory");
		types[type_count++] = dwarf_dieoffset(d);
	}
	if (!dwarf_child(d, &c))
		do
			collect(&c);
		while (!dwarf_siblingof(&c, &c));
}

static void refer(Dwarf_Die *d, unsigned name, Dwarf_Off to)
{
	uint32_t offset = (uint32_t)(to - unit_at);
	Dwarf_Attribute a;
	uint64_t at;

	if (!dwarf_attr(d, name, &a) || dwarf_whatform(&a) != DW_FORM_ref4)
		return;
	at = info_at + (uint64_t)(a.valp - info);
	if (at > out.size - sizeof(offset))
		fail("its debug information is compressed");
	memcpy(out.data + at, &offset, sizeof(offset));
	changed++;
}

static void edit(Dwarf_Die *d, Dwarf_Off within)
{
	int tag = dwarf_tag(d);
	Dwarf_Off other = any(2) && type_count ? types[any(type_count)] : within;
	Dwarf_Die c;

	if (any(1000) < rate) {
		if (tag == DW_TAG_member || tag == DW_TAG_pointer_type ||
			tag == DW_TAG_template_type_parameter)
			refer(d, DW_AT_type, other);
		else if (tag == DW_TAG_variant_part)
			refer(d, DW_AT_discr, other);
	}
	if (tag == DW_TAG_structure_type)
		within = dwarf_dieoffset(d);
	if (!dwarf_child(d, &c))
		do
			edit(&c, within);
		while (!dwarf_siblingof(&c, &c));
}

static void read_file(const char *path)
{
	struct stat st;
	FILE *f = fopen(path, "rb");

	if (!f || fstat(fileno(f), &st))
		fail("no such file");
	out = (struct file){ malloc((size_t)st.st_size), (size_t)st.st_size };
	if (!out.data || fread(out.data, 1, out.size, f) != out.size)
		fail("it cannot be read");
	fclose(f);
}

static void write_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0777);

	if (fd < 0 || write(fd, out.data, out.size) != (ssize_t)out.size || close(fd))
		fail("it cannot be written");
}

static void find_section(Elf *elf)
{
	Elf_Scn *s = NULL;
	GElf_Shdr h;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		fail("no sections");
	while ((s = elf_nextscn(elf, s)))
		if (gelf_getshdr(s, &h) &&
			!strcmp(elf_strptr(elf, names, h.sh_name), ".debug_info"))
			info_at = h.sh_offset;
}

int main(int argc, char *argv[])
{
	int fd = argc == 5 ? open(argv[3], O_RDONLY) : -1;
	Dwarf *dwarf = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
	Dwarf_Off next;
	size_t head;

	if (!dwarf)
		fail("types SEED RATE IN OUT");
	chance = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15 + 1;
	rate = strtoull(argv[2], NULL, 10);
	read_file(argv[3]);
	find_section(dwarf_getelf(dwarf));
	for (; !dwarf_nextcu(dwarf, unit_at, &next, &head, NULL, NULL, NULL); unit_at = next) {
		Dwarf_Die unit;

		if (!dwarf_offdie(dwarf, unit_at + head, &unit))
			continue;
		info = (const unsigned char *)unit.addr - (unit_at + head);
		type_count = 0;
		collect(&unit);
		edit(&unit, dwarf_dieoffset(&unit));
	}
	write_file(argv[4]);
	printf("%" PRIu64 "\n", changed);
	dwarf_end(dwarf);
	close(fd);
	free(types);
	free(out.data);
	return 0;
}
