/* mem.c - memory or the end. Contracts in mem.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cttrace.h"

void *need(void *p)
{
	if (!p)
		ctt_die("corotrace", "out of memory", NULL);
	return p;
}

char *copy_text(const char *s, size_t len)
{
	char *copy = need(malloc(len + 1));

	if (len)
		memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

void *array_grow(void *items, size_t count, size_t *room, size_t size)
{
	if (count > SIZE_MAX / 2 / size - 16)
		need(NULL);
	*room = count ? 2 * count : 16;
	return need(realloc(items, *room * size));
}
