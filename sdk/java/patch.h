/* patch.h - a call at the entry or the end of methods of a class file (patch.c). */
#ifndef PATCH_H
#define PATCH_H

#include <stddef.h>
#include <stdint.h>

#define HOOK_CLASS "corotrace/Hook"

struct bytes {			/* begins as zero; p is free()d by the owner */
	uint8_t *p;
	size_t len, room;
	int failed;		/* out of memory: the rest is left out */
};

/* One method, and the static native method of HOOK_CLASS that it calls first, with its own first
 * arguments: `this`, or an int, and an int behind `this`. at_end: it calls that last, with its int result,
 * where native_desc begins with an int, ahead of these; only where its one return is its last
 * instruction. */
struct patch {
	const char *method, *desc, *native, *native_desc;
	int at_end;
	unsigned found;
};

/* The class file of HOOK_CLASS. */
struct bytes patch_hook_class(const struct patch *, unsigned count);
/* The class with these calls; sets `found` of those methods that it has. len 0: none, or it is of
 * another format than class files of Java 21 to 26. */
struct bytes patch_class(const uint8_t *file, size_t len, struct patch *, unsigned count);

#endif
