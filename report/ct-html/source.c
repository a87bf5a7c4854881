/* source.c - the lines of a source file around a suspension point. Contracts in html.h. */
#define _XOPEN_SOURCE 700	/* realpath */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "html.h"

/* A page stays small, and is soon made, whatever is below the directory. */
enum { AROUND = 4, SHOWN_MOST = 2000, COLUMNS = 160, LINE_FAR = 1 << 20, FILE_MOST = 1 << 24,
	READ_MOST = 1 << 28 };

static char *below;
static size_t shown, been_read;

bool source_below(const char *dir)
{
	struct stat st;

	below = realpath(dir, NULL);
	return below && !stat(below, &st) && S_ISDIR(st.st_mode);
}

/* A trace names files as it likes: only what lies below the directory is opened, links followed; and
 * nothing that is no source by its size, such as a trace, which each site may have read whole. */
static FILE *open_below(const char *name)
{
	size_t len = strlen(below);
	char path[PATH_MAX], *real;
	struct stat st;
	FILE *f = NULL;

	if (snprintf(path, sizeof(path), "%s/%s", below, name) >= (int)sizeof(path))
		return NULL;
	real = realpath(path, NULL);
	if (real && !strncmp(real, below, len) && (real[len] == '/' || len == 1) &&
		!stat(real, &st) && S_ISREG(st.st_mode) && st.st_size <= FILE_MOST)
		f = fopen(real, "r");
	free(real);
	return f;
}

/* It may have been built elsewhere: the longest end of its path that is there. */
static FILE *find(const char *file)
{
	FILE *f = NULL;

	while (*file && !f) {
		file += strspn(file, "/");
		f = *file ? open_below(file) : NULL;
		file += strcspn(file, "/");
	}
	return f;
}

void source_json(FILE *out, const char *file, uint64_t line)
{
	uint64_t first = line > AROUND ? line - AROUND : 1, n = 1;
	char *text = NULL;
	size_t size = 0;
	ssize_t len;
	FILE *f;

	if (!below || !line || line > LINE_FAR || shown == SHOWN_MOST || been_read > READ_MOST ||
		!(f = find(file)))
		return;
	for (; n <= line + AROUND && (len = getline(&text, &size, f)) >= 0; n++) {
		been_read += (size_t)len;
		if (n < first)
			continue;
		len -= len && text[len - 1] == '\n';
		fprintf(out, n == first ? ",\"source\":[%" PRIu64 "," : ",", first);
		ctt_out_json(out, text, len < COLUMNS ? (size_t)len : COLUMNS);
	}
	if (n > first) {
		fputs("]", out);
		shown++;
	}
	free(text);
	fclose(f);
}
