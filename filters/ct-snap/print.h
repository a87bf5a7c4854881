/* print.h - a snapshot as a trace. */
#ifndef SNAP_PRINT_H
#define SNAP_PRINT_H

#include "snap/snap.h"

void snap_begin(const struct target *, const char *how);	/* what stands ahead of the sites */
/* The rest of it. `before`: an earlier one of the same process, NULL: none. */
void snap_print(struct snapshot *, const struct snapshot *before);
#endif
