/* cgroup.c - the memory that the recorder's cgroup, and those above it, leave it (record/extra/memory.c), in a world of its own: the files that it reads say
 * what the test says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static const struct file { const char *path, *text; } *world;

static FILE *world_open(const char *path, const char *how)
{
	for (const struct file *f = world; f->path; f++)
		if (!strcmp(f->path, path))
			return fmemopen((char *)f->text, strlen(f->text), how[0] == 'r' ? "r" : "w");
	return NULL;
}

#define fopen world_open
#include "../../record/extra/memory.c"
#undef fopen

#define SELF "/proc/self/cgroup"
#define V2 "/sys/fs/cgroup"
#define HYBRID "/sys/fs/cgroup/unified"
#define OLD "/sys/fs/cgroup/memory"

static uint64_t limit(const struct file *files)
{
	world = files;
	return memory_left();
}

/* With this much of 800 used, and of that such files. */
static bool is_short(const char *used, const char *stat)
{
	const struct file files[] = { { SELF, "0::/a\n" }, { V2 "/a/memory.max", "800\n" }, { V2 "/a/memory.current", used },
		{ V2 "/a/memory.stat", stat }, { NULL, NULL } };

	return limit(files) <= 800 && memory_short();
}

static bool is_short_v1(const char *used, const char *stat)
{
	const struct file files[] = { { SELF, "4:memory:/a\n" }, { OLD "/a/memory.limit_in_bytes", "800\n" },
		{ OLD "/a/memory.usage_in_bytes", used }, { OLD "/a/memory.stat", stat }, { NULL, NULL } };

	return limit(files) <= 800 && memory_short();
}

static void limits(void)
{
	static const struct file none[] = { { NULL, NULL } }, root[] = { { SELF, "0::/\n" }, { V2 "/memory.max", "900\n" }, { "/sys/fs/memory.max", "1\n" }, { NULL, NULL } },
		zero[] = { { SELF, "0::/a\n" }, { V2 "/a/memory.max", "0\n" }, { NULL, NULL } },
		equal[] = { { SELF, "0::/a/b\n" }, { V2 "/a/b/memory.max", "500\n" }, { V2 "/a/memory.max", "500\n" }, { NULL, NULL } },
		versions[] = { { SELF, "4:memory:/a\n0::/b\n" }, { OLD "/a/memory.limit_in_bytes", "300\n" }, { V2 "/b/memory.max", "300\n" },
			{ NULL, NULL } },
		nested[] = { { SELF, "0::/a/b/c\n" }, { V2 "/a/b/c/memory.max", "900\n" }, { V2 "/a/b/memory.max", "max\n" },
			{ V2 "/a/memory.max", "500\n" }, { V2 "/memory.max", "600\n" }, { NULL, NULL } },
		most[] = { { SELF, "0::/a\n" }, { V2 "/a/memory.max", "max\n" }, { V2 "/memory.max", "\n" }, { NULL, NULL } },
		beyond[] = { { SELF, "0::/a\n" }, { V2 "/a/memory.max", "1152921504606846976\n" }, { NULL, NULL } },
		nearly[] = { { SELF, "0::/a\n" }, { V2 "/a/memory.max", "1152921504606846975\n" }, { NULL, NULL } },
		hybrid[] = { { SELF, "5:cpu:/x\n1:name=systemd:/y\n0::/a\n" }, { V2 "/x/memory.max", "1\n" }, { V2 "/y/memory.max", "2\n" },
			{ HYBRID "/a/memory.max", "400\n" }, { OLD "/a/memory.max", "3\n" }, { NULL, NULL } },
		old[] = { { SELF, "5:cpu:/x\n4:memory:/a/b\n" }, { OLD "/a/b/memory.limit_in_bytes", "9223372036854771712\n" },
			{ OLD "/a/memory.limit_in_bytes", "300\n" }, { V2 "/a/memory.limit_in_bytes", "4\n" },
			{ HYBRID "/a/memory.limit_in_bytes", "5\n" }, { OLD "/x/memory.limit_in_bytes", "6\n" }, { NULL, NULL } },
		both[] = { { SELF, "4:memory:/a\n0::/b\n" }, { OLD "/a/memory.limit_in_bytes", "300\n" }, { V2 "/b/memory.max", "200\n" },
			{ V2 "/b/memory.current", "190\n" }, { NULL, NULL } },
		neighbours[] = { { SELF, "0::/a/b\n" }, { V2 "/a/b/memory.max", "500\n" }, { V2 "/a/b/memory.current", "1\n" }, { V2 "/a/memory.max", "800\n" },
			{ V2 "/a/memory.current", "790\n" }, { V2 "/a/memory.stat", "inactive_file 50\nactive_file 20\n" }, { NULL, NULL } },
		high[] = { { SELF, "0::/a\n" }, { V2 "/a/memory.max", "900\n" }, { V2 "/a/memory.high", "400\n" }, { V2 "/a/memory.current", "360\n" },
			{ OLD "/a/memory.high", "1\n" }, { NULL, NULL } },
		low[] = { { SELF, "0::/a\n" }, { V2 "/a/memory.max", "400\n" }, { V2 "/a/memory.high", "max\n" }, { V2 "/a/memory.current", "401\n" }, { NULL, NULL } },
		of_old[] = { { SELF, "4:memory:/a\n" }, { OLD "/a/memory.limit_in_bytes", "900\n" }, { OLD "/a/memory.high", "1\n" }, { NULL, NULL } },
		nothing[] = { { SELF, "nonsense\n0::\n" }, { V2 "/memory.max", "7\n" }, { NULL, NULL } };

	ok(limit(none) == UINT64_MAX && !memory_short(), "no cgroup, no limit");
	ok(limit(root) == 900, "of the root");
	ok(limit(zero) == 0, "none at all");
	ok(limit(equal) == 500 && limit(versions) == 300, "one of two");
	ok(limit(nested) == 500, "the lowest on the way up");
	ok(limit(neighbours) == 80 && memory_short(), "what neighbours use is not left");
	ok(limit(high) == 40 && memory_short(), "beyond memory.high nothing goes on");
	ok(limit(low) == 0 && memory_short() && limit(of_old) == 900 && !memory_short(), "nor beyond the limit; version 1 has none");
	ok(limit(most) == UINT64_MAX, "none, in words");
	ok(limit(beyond) == UINT64_MAX && limit(nearly) == (1ull << 60) - 1, "what is meant as none is none");
	ok(limit(hybrid) == 400, "version 2 beside version 1, of its own line");
	ok(limit(old) == 300, "version 1");
	ok(limit(both) == 10 && memory_short(), "the lower of both, and its use");
	ok(limit(nothing) == UINT64_MAX, "lines that are none");
}

static void lines_too_long(void)
{
	static char self[2100], path[1100];
	struct file files[] = { { SELF, self }, { V2 "/memory.max", "100\n" }, { NULL, NULL } };

	memset(path, 'x', 1009);	/* behind "/sys/fs/cgroup/" 1,024 bytes */
	snprintf(self, sizeof self, "0::/%s\n", path);
	ok(limit(files) == UINT64_MAX, "a directory whose name is too long is not looked for");
	path[1008] = '\0';
	snprintf(self, sizeof self, "0::/%s\n", path);
	ok(limit(files) == 100, "one that has just room is, and so are those above it");
}

static void use(void)
{
	ok(!is_short("700\n", "") && is_short("701\n", ""), "seven eighths are not short, more are");
	ok(!is_short("", "") && !is_short("max\n", ""), "where it is not known, neither");
	ok(!is_short("800\n", "anon 5\ninactive_file 60\nactive_file 40\n") && is_short("801\n", "anon 5\ninactive_file 60\nactive_file 40\n"),
		"less the pages of files, of both kinds");
	ok(is_short("800\n", "inactive_filex 400\nactive_file_x 300\ntotal_inactive_file 400\n"), "of these names");
	ok(!is_short("750\n", "inactive_file 750\n") && !is_short("750\n", "active_file 750\n") && is_short("750\n", "active_file 751\n") &&
		is_short("750\n", "inactive_file 751\n"), "no more than are used");
	ok(!is_short_v1("800\n", "total_inactive_file 60\ntotal_active_file 40\n") && is_short_v1("801\n", "total_inactive_file 60\ntotal_active_file 40\n") &&
		is_short_v1("800\n", "inactive_file 60\nactive_file 40\n"), "as version 1 names them");
}

int main(void)
{
	limits();
	lines_too_long();
	use();
	return done_testing();
}
