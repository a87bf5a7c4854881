/* libraries.h - libraries that come and go while the process is traced. */
#ifndef UPROBE_LIBRARIES_H
#define UPROBE_LIBRARIES_H

#include "snap/target.h"

/* The number of the module, of those from that one on, in which it lies; of none, how many there
 * are. */
size_t libraries_module(const struct target *, size_t from, uint64_t addr);
/* Where modules are, before functions are looked for in them. */
void libraries_note(const struct target *);
/* Does it lie in one of the modules from that one on, and that one's file has no probes yet? */
bool libraries_new(const struct target *, size_t from, uint64_t addr);
/* Of modules from that one on, `move` those whose file was there before, as another module, and
 * lies elsewhere now: its probes are in it still. How many. */
size_t libraries_moved(
	const struct target *, size_t from, void (*move)(size_t was, size_t is, uint64_t by));
/* That module's file is other code now, in whatever modules it is or was: none is there any more, and
 * what is loaded of it is new. */
void libraries_overwritten(struct target *, size_t module);
#endif
