/* moment.h - how all coroutines stand at one moment: at the beginning, behind a loss, at the end. */
#ifndef UPROBE_MOMENT_H
#define UPROBE_MOMENT_H

#include "coros.h"

struct runtimes { bool cpp, tokio, memory; };	/* memory: what tokio's tasks look like is known */

/* Find what of them is in the process. */
struct runtimes moment_find(struct target *);
/* And in modules that came later, from that one on. */
void moment_more(struct target *, struct runtimes *, size_t from);

/* Copy its memory while it stands still: the moment is target->taken. False: for that reason not.
 * All records that are older are in the ring by then. */
bool moment_take(struct target *, uint64_t limit_mb, char why[static 200]);

/* When the records up to the moment have been followed: compare, and print a state for each
 * coroutine that lives; how many. UINT64_MAX: of some it is not known. At the first nothing is known
 * but what ran within the last records; what merely can be come to is told at the last, as nobody
 * runs from there on who might give it to others. */
enum moment { MOMENT_FIRST, MOMENT_AGAIN, MOMENT_LAST };
uint64_t moment_states(struct follow *, const struct runtimes *, enum moment);
#endif
