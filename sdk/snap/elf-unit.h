/* elf-unit.h - the compilation unit that has an address. */
#ifndef SNAP_ELF_UNIT_H
#define SNAP_ELF_UNIT_H

#include <elfutils/libdwfl.h>

/* The table of units by address (.debug_aranges) has those of gcc alone, not clang's, rustc's or Go's;
 * and libdwfl takes what lies between two of its entries to be of the first. So a unit is asked
 * itself, and where it does not have the address, each. NULL: none. */
static inline Dwarf_Die *elf_unit(Dwfl_Module *m, Dwarf_Addr addr, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(m, addr, bias);

	if (unit && dwarf_haspc(unit, addr - *bias) == 1)
		return unit;
	unit = NULL;
	while ((unit = dwfl_module_nextcu(m, unit, bias)) && dwarf_haspc(unit, addr - *bias) != 1)
		;
	return unit;
}

#endif
