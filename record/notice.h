/* notice.h - what is said on stderr. */
#ifndef NOTICE_H
#define NOTICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct options;

void notice_memory(bool is_short);	/* once */
/* once, when none has attached for a while; call it often */
void notice_no_probe(uint64_t now, pid_t target);
void notice_losses(const struct options *);	/* at the end: what the trace's reader will miss */

#endif
