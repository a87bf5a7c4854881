/* target.h - the program that is recorded: started, waited for, signals passed on. */
#ifndef TARGET_H
#define TARGET_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include "options.h"
#include "region.h"

/* in_child: called in it, before exec. -1: could not; exit status in target_error */
pid_t target_start(const struct region *, const struct options *, void (*in_child)(void));
extern int target_error;
extern volatile sig_atomic_t target_changed;	/* SIGCHLD came */
/* a signal to end came while the target lived; when it was gone already */
extern volatile sig_atomic_t target_asked, target_stop;
/* reaps it, and who was given to us because it has no parent any more */
bool target_ended(int *status);
extern bool (*target_spares)(pid_t);		/* but whom this knows for ours; may be NULL */
pid_t target_pid(void);				/* 0: it has ended */

#endif
