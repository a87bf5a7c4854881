/* interrupt.h - Ctrl-C and SIGHUP at a pipe of programs (interrupt.c). */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/* Where fd is a pipe, the next SIGINT and any SIGHUP are left to who writes it, so that what he wrote is read
 * to its end; a second SIGINT ends this program. Nothing changes where one is ignored or caught. */
void interrupt_outlive(int fd);

/* Once, before any input is opened: SIGINT, SIGHUP and SIGTERM, where they end the program, do so when `with`
 * has returned, which runs in a thread of its own. Where there can be none, nothing changes. */
void interrupt_clean(void (*with)(void));

#endif
