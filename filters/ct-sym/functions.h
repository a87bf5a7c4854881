/* functions.h - which function of a unit has an address (functions.c). Of file.c, within the
 * worker. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* The first one of the unit, or the first block, that has pc and lies within no other. The unit's
 * are looked through once, and kept until the process ends. */
bool functions_find(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *found);

#endif
