/* watch.h - what a recorder that keeps only the last seconds watches for. */
#ifndef WATCH_H
#define WATCH_H

#include "../options.h"
#include "../region.h"

/* Write what the region holds of the last o->last_ns into a file of o->directory; why: "crash",
 * "exit", "signal", "hang" or "asked". status: the target's, -1 while it lives; alive: when it was
 * last seen to. In a process of its own: ours goes on at once. */
void report_write(const struct region *, const struct options *, const char *why, pid_t target,
	int status, uint64_t alive);
void report_wait(bool all);	/* reap those that are done; all: wait for them */
bool report_is_by(pid_t);	/* one of these processes */

#endif
