/* demangle.c - symbols as people write them, by libiberty. Contracts in demangle.h.
 *
 * A name of 300 bytes may stand for one of many gigabytes: a pair of pairs of pairs. So it is taken as it is made,
 * and given up where it becomes too long; there is nothing of libiberty's to be freed then.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "demangle.h"

enum { LONGEST = 65536 };
struct text { jmp_buf too_long; size_t len; char p[LONGEST + 1]; };
typedef int demangler(const char *, int, demangle_callbackref, void *);

static void add(const char *part, size_t len, void *to)
{
	struct text *t = to;

	if (len > LONGEST - t->len)
		longjmp(t->too_long, 1);
	memcpy(t->p + t->len, part, len);
	t->len += len;
}

static char *by(demangler *demangle, const char *mangled)
{
	struct text *t = need(malloc(sizeof(*t)));
	char *name = NULL;

	t->len = 0;
	if (!setjmp(t->too_long) && demangle(mangled, DMGL_PARAMS | DMGL_ANSI, add, t)) {
		t->p[t->len] = '\0';
		name = need(strdup(t->p));
	}
	free(t);
	return name;
}

char *demangle(const char *mangled)
{
	/* first: Rust's older form is C++'s with a hash */
	char *name = by(rust_demangle_callback, mangled);

	return name ? name : by(cplus_demangle_v3_callback, mangled);
}
