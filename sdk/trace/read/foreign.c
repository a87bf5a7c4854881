/* foreign.c - what is no trace, but known by how it begins. Contract in cttrace/read.h. */
#include <string.h>

#include "cttrace.h"

static bool begins(const char *p, size_t len, const char *with, size_t n)
{
	return len >= n && !memcmp(p, with, n);
}
#define BEGINS(literal) begins(p, len, literal, sizeof(literal) - 1)

static const char *elf(const unsigned char *p, size_t len)
{
	enum { TYPE = 16, BIG_ENDIAN_AT = 5, CORE = 4 };
	unsigned type = len < TYPE + 2 ? 0 :
		p[BIG_ENDIAN_AT] == 2  ? p[TYPE] << 8 | p[TYPE + 1] :
					 p[TYPE + 1] << 8 | p[TYPE];

	return type == CORE ? "a core file, not a trace; ct-snap makes one of it" :
			      "a program, not its trace; ct-record runs it";
}

const char *ctt_foreign(const char *p, size_t len)
{
	if (BEGINS("\x1f\x8b"))
		return "compressed by gzip; pipe it through gzip -dc";
	if (BEGINS("\x28\xb5\x2f\xfd"))
		return "compressed by zstd; pipe it through zstd -dc";
	if (BEGINS("\xfd" "7zXZ"))
		return "compressed by xz; pipe it through xz -dc";
	if (BEGINS("BZh"))
		return "compressed by bzip2; pipe it through bzip2 -dc";
	if (BEGINS("\x04\x22\x4d\x18"))
		return "compressed by lz4; pipe it through lz4 -dc";
	if (BEGINS("PK\x03\x04"))
		return "a zip archive; pipe it through unzip -p";
	if (BEGINS("go 1."))
		return "an execution trace of Go; pipe it through ct-fromgo";
	if (len && *p == '{' && (len == 1 || p[1] == '\n'))
		return "JSON over several lines, not a trace; "
			"where it is a JVM's dump of its threads, pipe it through ct-fromjvm";
	if (BEGINS("\x7f" "ELF"))
		return elf((const unsigned char *)p, len);
	if (BEGINS("\xff\xfe") || BEGINS("\xfe\xff"))
		return "text in UTF-16; a trace is UTF-8";
	return NULL;
}
