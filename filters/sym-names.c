/* sym-names.c - symbols as people write them: C++ by its runtime's own demangler, Rust on top of that. Contracts in sym.h. */
#include <stdlib.h>
#include <string.h>

#include "cttrace.h"
#include "sym.h"

/* libstdc++'s, or libc++abi's: the C++ ABI names it. */
extern char *__cxa_demangle(const char *mangled, char *buf, size_t *size, int *status);

/* "::h" and 16 hexadecimal digits end a name of Rust's older mangling, which is C++'s with a hash and escapes. */
static bool rust_hash(const char *s)
{
	size_t len = strlen(s);

	return len > 19 && !strncmp(s + len - 19, "::h", 3) && strspn(s + len - 16, "0123456789abcdef") == 16;
}

/* What the escape between two dollars stands for; 0 where it is none. */
static char escape(const char *p, size_t len)
{
	static const struct { const char *name; char c; } known[] = {
		{ "SP", '@' }, { "BP", '*' }, { "RF", '&' }, { "LT", '<' }, { "GT", '>' }, { "LP", '(' }, { "RP", ')' }, { "C", ',' }
	};
	unsigned long code;
	char *end;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == len && !memcmp(known[i].name, p, len))
			return known[i].c;
	if (len < 2 || *p != 'u')
		return 0;
	code = strtoul(p + 1, &end, 16);
	return end == p + len && code >= ' ' && code < 0x7f ? (char)code : 0;
}

static void unescape_rust(char *s)
{
	char *to = s, c;

	s[strlen(s) - 19] = '\0';
	while (*s) {
		char *end = *s == '$' ? strchr(s + 1, '$') : NULL;

		if (end && (c = escape(s + 1, (size_t)(end - s - 1)))) {
			*to++ = c;
			s = end + 1;
		} else if (s[0] == '.' && s[1] == '.') {
			*to++ = ':';
			*to++ = ':';
			s += 2;
		} else if (s[0] == '_' && s[1] == '$') {	/* only there because a name must not begin with a dollar */
			s++;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

bool sym_is_rust_v0(const char *s)
{
	return s[0] == '_' && s[1] == 'R' && s[2] >= 'A' && s[2] <= 'Z';
}

char *sym_name(const char *mangled)
{
	int status = -1;
	char *name = !strncmp(mangled, "_Z", 2) ? __cxa_demangle(mangled, NULL, NULL, &status) : NULL;

	if (!name || status)
		name = strdup(mangled);
	if (!name)
		die("ct-sym", "out of memory", NULL);
	if (rust_hash(name))
		unescape_rust(name);
	return name;
}
