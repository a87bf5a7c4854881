/* site.h - the target's texts and source locations, as the trace has them. */
#ifndef SITE_H
#define SITE_H

#include <stdint.h>
#include "region.h"

void site_init(const struct region *);
/* The number that a site goes by in the trace, by its index; 0: it was not needed yet, or cannot be
 * read. */
extern uint32_t *site_name;
/* Give it that number: the one of the same function, file and line, or else its own, with a line that
 * defines it, from p on. Returns where the next line goes. */
char *site_define(char *p, const struct region *, uint32_t site);
/* site_name of any number, defined on the way; 0: there is no such site. */
uint32_t site_number(const struct region *, uint32_t site);
/* A string of the region, by its number, as JSON has it, without quotes; cut where it is too long. */
char *put_string(char *p, const struct region *, uint64_t number);

#endif
