/* guard.h - probes that are taken out again however this program ends.
 *
 * The kernel cannot take them out for a process that dies by SIGKILL (it leaves them in, and each
 * costs the traced one a trap until that ends): a process of its own puts them in, and takes them
 * out when this one is gone.
 */
#ifndef UPROBE_GUARD_H
#define UPROBE_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

/* Call put(arg) there; what it returned: 0 is success, anything else ends that process. May be
 * called again, for more of them. */
int guard_put(int (*put)(void *), void *arg);
/* Has one of them taken the probes of a file out, for it was written into: which, of attach()? */
bool guard_took_out(size_t *file);
/* False: one of them was killed, and its probes are gone. */
bool guard_lives(void);
/* They take theirs out. 0: all are out, and they are gone; else one that the kernel lets wait still. */
pid_t guard_end(void);
#endif
