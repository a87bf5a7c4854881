/* root.c - the directory of --root, as compilers have it in front of the names of files. Contract in
 * report.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "report.h"

/* By the name that the shell has for it, as compilers do; NULL: it has none. */
static char *here(void)
{
	const char *name = getenv("PWD");
	struct stat named, real;
	char *p = NULL;

	if (name && *name == '/' && !stat(name, &named) && !stat(".", &real) &&
		named.st_dev == real.st_dev && named.st_ino == real.st_ino)
		return need(strdup(name));
	for (size_t size = 256; p = need(realloc(p, size)), !getcwd(p, size); size *= 2)
		if (errno != ERANGE) {
			free(p);
			return NULL;
		}
	return p;
}

/* Append each part of the path and a slash; `end` is behind the slash of what is there. */
static char *append(char *end, const char *path)
{
	for (size_t len; *path; path += len + (path[len] == '/')) {
		len = strcspn(path, "/");
		if (len == 2 && !memcmp(path, "..", 2)) {
			if (end[-2])
				for (end--; end[-1] != '/'; end--)
					;
		} else if (len && !(len == 1 && *path == '.')) {
			memcpy(end, path, len);
			end[len] = '/';
			end += len + 1;
		}
	}
	return end;
}

char *root_of(const char *dir)
{
	char *from = *dir == '/' ? need(strdup("")) : here(), *text, *root, *end;

	if (!from)
		return NULL;
	text = need(malloc(strlen(from) + strlen(dir) + 4));
	text[0] = '\0';		/* in front of the first slash */
	text[1] = '/';
	end = append(append(text + 2, from), dir);
	*end = '\0';
	root = need(strdup(text + 1));
	free(text);
	free(from);
	return root;
}
