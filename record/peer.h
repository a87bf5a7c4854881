/* peer.h - the connections of processes that record. */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "region.h"

/* What a process was until it became another program: by its number in the trace, when that was, and
 * when it was last seen to live before. */
struct former { uint32_t number; uint64_t at, alive; };

void peer_init(const struct region *);
/* in the program, before exec: its limits are its own again */
void peer_forked(void);
void peer_accept(void);			/* whoever waits for it */
/* the same, and answer them, if the last time is a while ago */
void peer_serve(uint64_t now);
/* until something comes over a socket, a child changes, or so long */
void peer_wait(uint64_t ns);
/* an event of then names the process: print it first, be it connected or not, and the end of what it
 * was before by that number */
void peer_meet(uint32_t number, uint64_t ts);
void peer_look(uint64_t now);		/* note who lives */
/* of those gone: print it, free their rings; call it often */
void peer_reap(uint64_t now);
/* when the program has ended: what else has until now */
void peer_end(pid_t target);
/* In their order; where rings overwrite, and what was printed of them is not kept. */
size_t peer_formers(const struct former **);
bool peer_following(void);		/* is there one that still may write? */
/* and one of which nothing was heard yet? it is looked for among all that run: now and then */
bool peer_unmet(uint64_t now);
bool peer_attached(void);		/* was there ever one? */

#endif
