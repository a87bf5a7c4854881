/* modes.h - ways to run ct-record in which no program is started to be recorded whole. All return
 * the exit status. */
#ifndef MODES_H
#define MODES_H

#include <sys/types.h>
#include "../options.h"

int attach(struct options *);		/* -p PID, --name */
int dump(struct options *);		/* --box */
int watch(struct options *);		/* --last */
int watch_ask(pid_t);			/* --dump */

#endif
