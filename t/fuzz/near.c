/* near.c - the judge on traces that differ from others by one small thing: a line is missing, comes twice, or ahead of the one before; its
 * time is another's, or next to it; one of its numbers is 0, or one more. What is judged of those near one trace goes into one digest.
 *
 *	near FILE...			for each a line: a checksum of it, the digest, and that of every seventh
 *	near --seventh FILE...		the same, without the others: a dash for the digest
 *	near --each FILE [N]		a line for each trace near it; the one of that number
 */
#include <ctype.h>
#include <inttypes.h>
#include <sys/mman.h>

#include "blocks.h"
#include "judged.h"

enum { LINES_MAX = 90, LINE_MAX = 4096, ROOM = 1 << 18 };

static char file[ROOM], near[2 * ROOM];
static struct span { const char *p; size_t len; } line[LINES_MAX];
static size_t lines;
static struct { unsigned long count, only; uint64_t digest, seventh; bool each, sevenths; } run;	/* only: from 1; 0: all */

static bool load(const char *name)
{
	FILE *f = fopen(name, "r");
	size_t size = f ? fread(file, 1, sizeof file - 1, f) : 0;

	if (f)
		fclose(f);
	file[size] = '\0';
	lines = 0;
	for (char *p = file, *end; (end = strchr(p, '\n')); p = end + 1) {
		if (lines == LINES_MAX || end - p >= LINE_MAX)
			return false;
		line[lines++] = (struct span){ p, (size_t)(end - p) + 1 };
	}
	return size && size < sizeof file - 1;
}

/* The trace with other lines in place of line `at`. */
static void judge_with(size_t at, size_t count, const char *what, const char *text, size_t len)
{
	static int fd = -1;
	struct outcome o;
	char *end = near;
	uint64_t d;

	run.count++;
	if (run.only ? run.count != run.only : run.sevenths && run.count % 7)
		return;
	for (size_t i = 0; i < at; end += line[i++].len)
		memcpy(end, line[i].p, line[i].len);
	memcpy(end, text, len);
	end += len;
	for (size_t i = at + count; i < lines; end += line[i++].len)
		memcpy(end, line[i].p, line[i].len);
	if (run.only) {
		fwrite(near, 1, (size_t)(end - near), stdout);
		return;
	}
	if (fd < 0)
		fd = memfd_create("trace", MFD_CLOEXEC);
	if (ftruncate(fd, 0) || pwrite(fd, near, (size_t)(end - near), 0) != end - near)
		exit(99);
	judge_file(fd, false, &o);
	d = o.doubt;
	for (size_t i = 0; i < o.count; i++)
		d = d * 31 + o.digest[i];
	if (run.each)
		printf("%lu %s line %zu %016" PRIx64 "\n", run.count, what, at + 1, d);
	run.digest = run.digest * 31 + d;
	if (run.count % 7 == 0)
		run.seventh = run.seventh * 31 + d;
}

/* Where the digits behind "key": begin; NULL: it has none. */
static const char *number_of(struct span l, const char *key)
{
	const char *p = strstr(l.p, key);

	return p && p < l.p + l.len && isdigit((unsigned char)p[strlen(key)]) ? p + strlen(key) : NULL;
}

static void judge_number(size_t at, const char *digits, const char *what, uint64_t is)
{
	char text[LINE_MAX + 32];
	const char *rest = digits + strspn(digits, "0123456789");
	int before = (int)(digits - line[at].p), behind = (int)(line[at].p + line[at].len - rest);

	judge_with(at, 1, what, text, (size_t)snprintf(text, sizeof text, "%.*s%" PRIu64 "%.*s", before, line[at].p, is, behind, rest));
}

/* As late as the one before, and next to that; and so with the one behind. */
static void judge_times(size_t at)
{
	const char *digits = number_of(line[at], "\"ts\":");
	static const int near_by[] = { -1, 1 };

	for (int k = 0; digits && k < 2; k++) {
		size_t other = at + (size_t)near_by[k];
		const char *of = other < lines ? number_of(line[other], "\"ts\":") : NULL;
		uint64_t ts = of ? strtoull(of, NULL, 10) : 0;

		for (uint64_t plus = 0; ts && plus < 3; plus++)
			if (ts + plus - 1 != strtoull(digits, NULL, 10))
				judge_number(at, digits, "time", ts + plus - 1);
	}
}

static void judge_numbers(size_t at)
{
	const char *end = line[at].p + line[at].len;

	for (const char *p = line[at].p; p < end; p++) {
		uint64_t is = strtoull(p, NULL, 10);

		if (!isdigit((unsigned char)*p) || p == line[at].p || isalnum((unsigned char)p[-1]))
			continue;
		if (strncmp(p - 5, "\"ts\":", 5) && strncmp(p - 6, "\"seq\":", 6)) {
			judge_number(at, p, "more", is + 1);
			if (is)
				judge_number(at, p, "none", 0);
		}
		p += strspn(p, "0123456789");
	}
}

static void judge_lines(size_t at)
{
	char text[2 * LINE_MAX];
	struct span l = line[at], next = at + 1 < lines ? line[at + 1] : (struct span){ "", 0 };

	judge_with(at, 1, "without", "", 0);
	memcpy(text, l.p, l.len);
	memcpy(text + l.len, l.p, l.len);
	judge_with(at, 1, "twice", text, 2 * l.len);
	if (!next.len)
		return;
	memcpy(text, next.p, next.len);
	memcpy(text + next.len, l.p, l.len);
	judge_with(at, 2, "swapped", text, l.len + next.len);
}

/* What stands at the top of all of them is no matter. */
static bool is_head(struct span l)
{
	static const char *const heads[] = { "{\"ev\":\"meta\"", "{\"ev\":\"site\"", "{\"ev\":\"thread\"" };

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		if (!strncmp(l.p, heads[i], strlen(heads[i])))
			return true;
	return false;
}

int main(int argc, char *argv[])
{
	run.each = argc > 2 && !strcmp(argv[1], "--each");
	run.sevenths = argc > 1 && !strcmp(argv[1], "--seventh");
	if (run.each && argc > 3)
		run.only = strtoul(argv[3], NULL, 10);
	for (int i = 1 + (run.each || run.sevenths); i < (run.each ? 3 : argc); i++) {
		if (!load(argv[i]))
			continue;
		run.count = run.digest = run.seventh = 0;
		for (size_t at = 0; at < lines; at++) {
			if (is_head(line[at]))
				continue;
			judge_lines(at);
			judge_times(at);
			judge_numbers(at);
		}
		if (run.each)
			continue;
		printf("%08" PRIx32, (uint32_t)digest_of(0, file, strlen(file)));
		printf(run.sevenths ? " -" : " %016" PRIx64, run.digest);
		printf(" %016" PRIx64 "\n", run.seventh);
	}
	return 0;
}
