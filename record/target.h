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
bool target_ended(int *status);			/* reaps it */
pid_t target_pid(void);				/* 0: it has ended */

#endif
