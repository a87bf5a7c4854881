/* stdout.h - a program's product, whole or said not to be (stdout.c). One thread writes it. */
#ifndef STDOUT_H
#define STDOUT_H

#include <stdbool.h>
#include <stddef.h>

/* Write to stdout. False with errno where that fails; stdout_close tells the reason, which stdio forgets. */
bool stdout_put(const void *p, size_t n);

/* It is that file (borrowed). */
void stdout_is(const char *file);
const char *stdout_name(void);	/* "<stdout>" where it is none */
/* Say that it could not be written. Returns false. */
bool stdout_failed(const char *program, const char *why);

/* Write what is kept so far: stdout_close tells where that fails, too. */
void stdout_flush(void);

/* Flush and close stdout. False where something was not written, which is told on stderr; a reader
 * that left had what it wanted, and is no failure. */
bool stdout_close(const char *program);

#endif
