/* interrupt.h - Ctrl-C at a pipe of programs (interrupt.c). */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/* Where fd is a pipe, the next SIGINT is left to who writes it, so that what he wrote is read to its
 * end; the one after ends this program. Nothing changes where SIGINT is ignored or caught. */
void interrupt_outlive(int fd);

#endif
