/* further.h - where debug information goes on in further files (further.c). Of file.c, within the worker. */
#ifndef FURTHER_H
#define FURTHER_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* The unit that has the functions of this one: itself, or what was split off it. False: that is not
 * there, and *name is what it is called, or NULL. */
bool further_unit(Dwarf_Die *unit, Dwarf_Die *functions, const char **name);
/* NULL: names that several files share are there, or it has none. Else why not, and *name is what
 * the file that has them is called. */
const char *further_shared(Dwarf *, const char **name);
/* Why elfutils cannot read all debug information of a file, or NULL. It does not say itself that it
 * cannot read what zstd has compressed, and takes what is left for all. */
const char *further_unread(Elf *);

#endif
