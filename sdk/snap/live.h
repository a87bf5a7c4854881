/* live.h - what the parts that look at a process have in common. */
#ifndef SNAP_LIVE_H
#define SNAP_LIVE_H

#include <stdio.h>

#include "snap.h"

/* /proc/PID/name for reading; NULL: it is not there, or not permitted */
FILE *proc_file(const struct target *, const char *name);
/* How it is, of a process or a thread: its letter in /proc/ID/stat; 0: not known */
char proc_state(uint32_t id);
/* Its maps, in order of address; false: none. */
bool maps_read(struct target *, struct mapping **maps, size_t *count);
void maps_free(struct mapping *maps, size_t count);
/* Does it begin with that? By the file, not by its path: that changes as the file is deleted or
 * replaced, and another one may have it since. */
bool map_begins(const struct mapping *, const struct module *);
/* constants.c: of a module that is not there any more */
void constants_forget(struct target *, const struct module *);
/* Of all modules whose constants are kept, as they are mapped now. */
void constants_renew(struct target *);
#endif
