/* attach.h - the programs in the kernel: loaded, put at their points, and read. */
#ifndef UPROBE_ATTACH_H
#define UPROBE_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

/* Print `ct-uprobe: ...` and end with status 3 where this kernel or these rights do not allow it:
 * what is missing, and what to do. */
void attach_allowed(void);
/* Print that without the name of a process, and end with status 3. */
void refuse_here(const char *why);

/* Load the programs; ring_mb is a power of two. Ends the program where that fails. */
void attach_load(const struct settings *, unsigned ring_mb);

enum attach_at { ON_ENTRY, ON_EXIT, ON_RETURN };
struct spot { uint64_t offset, cookie; };	/* offset: in the file */
/* Put probes at those of a file, for one process; false: errno says why. Order: exits and returns
 * before entries, or what is entered would seem to run for ever. `file`: its number, for below. */
bool attach(enum attach_at, const char *path, size_t file, int pid, const struct spot *,
	size_t count);
/* Readable when one of these files may have been written into; -1: that cannot be told. */
int attach_written(void);
/* Take the probes of one that was out of it: the kernel would put them, and what stood at them once,
 * into what is loaded of it next. False: there is none; else *file is its number. */
bool detach_written(size_t *file);
/* Begin to report descriptors and sleeping threads; false: this kernel does not allow it. */
bool attach_watch(void);
void detach_all(void);

typedef void record_fn(void *arg, const struct record *);
/* Wait for records at most so long, then call fn for each that is there. */
void attach_read(int wait_ms, record_fn *, void *arg);

/* Call fn for each thread that has run a coroutine and sleeps for SLEEP_NS or longer. */
typedef void asleep_fn(void *arg, uint32_t tid, uint64_t since);
void attach_asleep(asleep_fn *, void *arg);
/* That one will run some. */
void attach_worker(uint32_t tid);

/* When it became another program; 0: it has not. It cannot be lost. */
uint64_t attach_replaced(void);

/* How many have found no room since it was last called; all between *from and *to. */
uint64_t attach_lost(uint64_t now, uint64_t *from, uint64_t *to);
#endif
