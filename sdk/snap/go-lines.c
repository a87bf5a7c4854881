/* go-lines.c - functions and lines at addresses of Go code, each looked up once. Contracts in
 * go.h. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "go.h"

struct looked { struct go_frame frame[GO_INLINED]; size_t count; };
static struct hash known, names;

/* libdwfl goes through all symbols each time. */
const char *go_function(uint64_t pc)
{
	struct name { const char *text; } *n = hash_find(&names, pc);

	if (!n) {
		n = need(malloc(sizeof(*n)));
		n->text = dwfl_module_addrname(go.module, pc);
		hash_add(&names, pc, n);
	}
	return n->text;
}

static bool own(const char *file)
{
	return file && *file && !(go.root && !strncmp(file, go.root, strlen(go.root))) &&
		file[0] != '<';
}

static void add(
	struct looked *l, struct snapshot *s, const char *func, const char *file, uint64_t line)
{
	if (l->count < GO_INLINED && func && *func)
		l->frame[l->count++] =
			(struct go_frame){ site_of(s->sites, func, file, line), own(file) };
}

static void look(struct looked *l, struct snapshot *s, uint64_t pc)
{
	struct source at[INLINED];
	size_t n = sources_at(go.module, pc, at);

	for (size_t i = 0; i < n; i++)
		add(l, s, at[i].func, at[i].file, at[i].line);
	if (!l->count)
		add(l, s, go_function(pc), at[n - 1].file, at[n - 1].line);
}

size_t go_lines(struct snapshot *s, uint64_t pc, struct go_frame frame[GO_INLINED])
{
	struct looked *l = hash_find(&known, pc);

	if (!l) {
		l = need(calloc(1, sizeof(*l)));
		look(l, s, pc);
		hash_add(&known, pc, l);
	}
	memcpy(frame, l->frame, sizeof(l->frame));
	return l->count;
}

void go_lines_free(void)
{
	void *item;

	for (size_t at = 0; (item = hash_each(&known, &at));)
		free(item);
	for (size_t at = 0; (item = hash_each(&names, &at));)
		free(item);
	hash_free(&known);
	hash_free(&names);
}
