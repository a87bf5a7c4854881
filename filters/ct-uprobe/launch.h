/* launch.h - a program that is started to be traced, and stands still until it is. */
#ifndef UPROBE_LAUNCH_H
#define UPROBE_LAUNCH_H

#include <stdbool.h>

/* Start it: its standard output goes to that file, NULL: to standard error. From now on signals
 * that end programs are passed on to it, as long as it lives, and it dies with this one until launch_go. Where it cannot
 * be started, ends this program with a message and status 125 to 127. */
int launch(char **command, const char *output);

/* Run it until all its libraries are there and its first instruction is next; called again, until
 * that is so of the next program that it executes. False: it has ended. */
bool launch_next(void);
/* Let it run for good. */
void launch_go(void);

/* When it has ended: 128 and its signal, or its exit status. */
int launch_wait(void);
/* As waitpid has it, of one that has ended, which it waits for. */
int launch_status(void);

/* Wait for signals that end this program: those that are not passed on. */
void launch_signals(void);
extern volatile int launch_interrupted;
#endif
