/* harvest.h - the rings of version 2. */
#ifndef HARVEST_H
#define HARVEST_H

#include <stdbool.h>
#include <stdint.h>
#include "region.h"

#define HOLD_BACK_NS 50000u	/* newest part of every cut that waits for the next: ctp(7), "Order" */
#define FUTURE_NS 1000000000u	/* an event from further ahead than this cannot be true */

void harvest_init(const struct region *);
/* Call it before the first event of a process that a thread's event names. */
void harvest_on_process(void (*)(uint32_t number, uint64_t ts));
/* Print everything up to the hold-back. Returns the number of events. */
uint64_t harvest(const struct region *);
void harvest_save_memory(bool);		/* give back that of rings whose threads end */
void harvest_reap(const struct region *);	/* retire the rings of threads that are gone */
/* those of a process that is gone: pid as in owner */
void harvest_retire(const struct region *, uint32_t pid);
/* The same in two steps: what it took after the first is not retired by the second. */
void harvest_pick(const struct region *, uint32_t pid);
void harvest_retire_picked(const struct region *);
/* Ring i of a box, which was written to before we came: it is read from tail on; reported: as the
 * ring's. */
void harvest_adopt(uint32_t i, uint64_t tail, uint64_t reported);
uint32_t harvest_rings(const struct region *);
uint64_t harvest_tail(uint32_t i);		/* events of ring i below it are printed */
/* Call it where a process records again, since `ticks`, before that is printed. */
void harvest_on_start(void (*)(const struct region *, uint64_t ticks));
/* Is that coroutine from before the process's probe was switched off, and on again? Then nothing is
 * known of it. */
bool harvest_forgotten(const struct region *, uint64_t id);
/* The first position of ring i from `low` on that is no older than `from`. */
uint64_t harvest_since(const struct region *, uint32_t i, uint64_t low, uint64_t from);
const struct ctp_event *harvest_slot(const struct region *, uint32_t i, uint64_t position);
bool harvest_pending(const struct region *);	/* is anything published and not read? */
void harvest_end(const struct region *);	/* what the writers counted */

#endif
