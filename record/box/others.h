/* others.h - the other processes that share a box, or a watched program's memory: that they have
 * ended is printed, for then what they left behind waits for nothing. */
#ifndef OTHERS_H
#define OTHERS_H

#include <stdint.h>
#include "../region.h"

/* Those that threads name from now on, but `self`. fd: what they have in their memory; -1: of a file
 * that was written while they lived, which is all that can be asked. Where this is not called the
 * others do nothing. */
void others_init(const struct region *, uint32_t self, int fd);
/* Print what processes were before they executed what they are, of those that became that until then. */
void others_formers(uint64_t until);
void others_meet(uint32_t number);	/* a thread is of that process */
/* Print those that were gone when this was called before, for what they wrote has been printed since,
 * and look who is gone now: of an image when it was taken, however long its printing takes. */
void others_look(uint64_t now);

#endif
