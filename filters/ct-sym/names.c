/* names.c - symbols as people write them. Contracts in sym.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cttrace.h"
#include "snap/demangle.h"
#include "sym.h"

char *sym_name(const char *mangled)
{
	char *name = demangle(mangled);

	return name ? name : need(strdup(mangled));
}

/* The mangled name of what an async fn becomes says {closure#0}, or {{closure}}; its debug
 * information, what it was. */
char *sym_closure(char *name, const char *die)
{
	const char *last = strrchr(name, '{');
	/* what it is generic over, follows the brace; the path has it */
	size_t keep, part = die ? strcspn(die, "}") : 0, size;
	char *said;

	if (!die || *die != '{' || !die[part] || !last)
		return name;
	last -= last > name && last[-1] == '{';
	if (strncmp(last, "{closure", 8) && strncmp(last, "{{closure", 9))
		return name;
	keep = (size_t)(last - name);
	size = keep + part + 2;
	said = need(malloc(size));
	snprintf(said, size, "%.*s%.*s", (int)keep, name, (int)part + 1, die);
	free(name);
	return said;
}
