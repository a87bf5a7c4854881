/* pack.h - the trace compressed, beside the harvest: by the thread that writes it (pack.c). */
#ifndef PACK_H
#define PACK_H

#include <stddef.h>

struct pack;
/* By the end of a file's name, .gz or .zst; NULL: as it is. A build without the library it takes
 * says so and exits with status 125. */
struct pack *pack_new(const char *name);

/* Flushed: what was given so far can be decompressed even if nothing follows. Ended: the last. */
enum pack_how { PACK_GO_ON, PACK_FLUSH, PACK_END };
/* Compress, and write what came of it by `write`, which returns an errno or 0. So does this. */
int pack_put(struct pack *, const char *p, size_t len, enum pack_how,
	int (*write)(const char *, size_t));

#endif
