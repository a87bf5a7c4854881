/* further.c - where debug information goes on in further files: what was split off a unit (.dwo, .dwp),
 * what several files share (.gnu_debugaltlink); and why there seems to be none. Contracts in further.h.
 */
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <string.h>

#include "further.h"

bool further_unit(Dwarf_Die *unit, Dwarf_Die *functions, const char **name)
{
	Dwarf_Attribute a;
	Dwarf_Die split;
	uint8_t type;

	*functions = *unit;
	*name = NULL;
	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) ||
		type != DW_UT_skeleton)
		return true;
	if (split.cu) {
		*functions = split;
		return true;
	}
	if (dwarf_attr(unit, DW_AT_dwo_name, &a) || dwarf_attr(unit, DW_AT_GNU_dwo_name, &a))
		*name = dwarf_formstring(&a);
	return false;
}

const char *further_shared(Dwarf *of, const char **name)
{
	const void *wanted, *is;
	ssize_t len = dwelf_dwarf_gnu_debugaltlink(of, name, &wanted);
	Dwarf *shared = len > 0 ? dwarf_getalt(of) : NULL;

	if (len <= 0)
		return NULL;
	if (!shared)
		return "its supplementary debug information is not there";
	/* elfutils takes what lies there under that name */
	if (dwelf_elf_gnu_build_id(dwarf_getelf(shared), &is) != len ||
		memcmp(is, wanted, (size_t)len))
		return "its supplementary debug information is another build's";
	return NULL;
}

const char *further_unread(Elf *elf)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr head;
		Elf_Data *d = gelf_getshdr(scn, &head) && head.sh_flags & SHF_COMPRESSED ?
			elf_rawdata(scn, NULL) :
			NULL;
		Elf32_Word how;

		if (!d || d->d_size < sizeof(how))
			continue;
		memcpy(&how, d->d_buf, sizeof(how));
		if (how != ELFCOMPRESS_ZLIB)
			return "its debug information is compressed as elfutils here does not know";
	}
	return NULL;
}
