/* sites.h - source locations and stacks of them, for programs that make a trace (sites.c): equal
 * ones have one number. They are printed as they appear. */
#ifndef SITES_H
#define SITES_H

#include <stddef.h>
#include <stdint.h>

struct sites *sites_new(void);
void sites_free(struct sites *);
/* texts may be NULL */
uint32_t site_of(struct sites *, const char *func, const char *file, uint64_t line);
enum { STACK_DEPTH = 64 };
uint32_t stack_of(struct sites *, const uint32_t *site, size_t count);	/* innermost first */

/* A number that is the same for the same bytes. */
uint64_t mark_of(uint64_t mark, const void *bytes, size_t len);

#endif
