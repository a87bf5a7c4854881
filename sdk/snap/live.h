/* live.h - what the parts that look at a process have in common. */
#ifndef SNAP_LIVE_H
#define SNAP_LIVE_H

#include <stdio.h>

#include "snap.h"

/* /proc/PID/name for reading; NULL: it is not there, or not permitted */
FILE *proc_file(const struct target *, const char *name);
/* How it is, of a process or a thread: its letter in /proc; 0: not known */
char proc_state(uint32_t id);
/* Of a thread: it has ended, and is shown still. */
bool is_over(uint32_t tid);
/* Its maps as they are now, in order of address; false: none, and it keeps those that it had. */
bool maps_renew(struct target *);
/* Does it begin with that? By the file, not by its path: that changes as the file is deleted or
 * replaced, and another one may have it since. */
bool map_begins(const struct mapping *, const struct module *);
/* pages.c: /proc/PID/pagemap; -1: it cannot be read */
int pages_open(const struct target *);
/* Is what was never touched passed over at once? Else it takes a second for each TB. */
bool pages_quick(int pagemap);
/* Calls that for those pages between two addresses that are in memory or swapped out, many at once: what was
 * never touched is zero, and to ask for it would make pages. For all of them where that cannot be known. */
typedef void pages_fn(void *, uint64_t start, uint64_t end);
void pages_there(int pagemap, uint64_t from, uint64_t to, pages_fn *, void *);
/* kept.c: which descriptors of a process may keep pointers of its; then, while it stands still, what
 * they and its timers keep (target.h, kepts); then, whether they were all. In this order. */
void kept_find(const struct target *);
void kept_read(struct target *);
void kept_check(struct target *);
/* descriptors.c: which it has now, before it is stopped and when it runs again; adds to what other looks saw. */
void descriptors_look(struct target *);
/* constants.c: of a module that is not there any more */
void constants_forget(struct target *, const struct module *);
/* Of all modules whose constants are kept, as they are mapped now. */
void constants_renew(struct target *);
#endif
