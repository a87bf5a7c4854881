/* stations.h - the stations of version 2. */
#ifndef STATIONS_H
#define STATIONS_H

#include <stdbool.h>
#include <stdint.h>
#include "region.h"

/* Copy a station that may be written to; false: it holds none, or half of one. */
bool station_copy(const struct ctp_event *, struct ctp_event *copy);
/* The first from i on that lies in no hole of the file: to read a hole would fill it, a gigabyte
 * where a hostile target raised the count. */
uint64_t station_written(const struct region *, uint64_t i);
/* Print `state` lines of live coroutines, once their rings are read; true: of all. */
bool stations_print(const struct region *);

#endif
