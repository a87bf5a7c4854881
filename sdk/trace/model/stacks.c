/* stacks.c - call stacks and what their addresses are called, as stack and symbol lines report.
 * Contracts in cttrace/model.h. */
#include <stdlib.h>
#include <string.h>

#include "model/state.h"

/* More than any program has, the innermost: of a line or two of 16 MiB each stack would be their product. */
enum { FRAMES = 4096, FUNCTIONS = 128 };

static size_t count_of(struct ctt_text list)
{
	size_t n = 0;
	uint64_t v;

	while (n < FRAMES && ctt_next_number(&list, &v))
		n++;
	return n;
}

void stacks_line(struct ctt_model *m, const struct ctt_event *ev)
{
	struct ctt_stack *s = keyed_get(&m->stacks, ev->stack_line.number);
	bool sites = ev->stack_line.sites.p;
	struct ctt_text list = sites ? ev->stack_line.sites : ev->stack_line.frames;
	uint64_t *at;

	free((uint64_t *)s->at);
	s->addresses = !sites;
	s->count = count_of(list);
	s->at = at = need(calloc(s->count + 1, sizeof(*at)));
	while (at < s->at + s->count && ctt_next_number(&list, at))
		at++;
}

/* ---- symbols ---- */

static void forget_symbol(struct symbol *s)
{
	for (size_t i = 0; i < s->count; i++) {
		free((char *)s->at[i].func);
		free((char *)s->at[i].file);
	}
	free(s->at);
	s->at = NULL;
	s->count = 0;
}

void symbol_line(struct ctt_model *m, const struct ctt_event *ev)
{
	struct symbol *s = keyed_get(&m->symbols, ev->addr);
	struct ctt_text list = ev->symbol.at;
	char *scratch = need(malloc(list.len + 1));
	struct ctt_symbol at;
	size_t room = 0;

	forget_symbol(s);
	while (s->count < FUNCTIONS && ctt_next_symbol(&list, &at, scratch)) {
		struct ctt_site *site = ADD(s->at, s->count, room);

		*site = (struct ctt_site){ .line = at.line };
		set_text((char **)&site->func, at.func);
		set_text((char **)&site->file, at.file);
	}
	free(scratch);
}

const struct ctt_stack *ctt_model_stack(const struct ctt_model *m, uint64_t number)
{
	return number ? keyed_find(&m->stacks, number) : NULL;
}

const struct ctt_site *ctt_model_symbol(const struct ctt_model *m, uint64_t addr, size_t *count)
{
	const struct symbol *s = keyed_find(&m->symbols, addr);

	*count = s ? s->count : 0;
	return *count ? s->at : NULL;
}

void stacks_free(struct ctt_model *m)
{
	for (size_t i = 0; i < m->stacks.count; i++)
		free((uint64_t *)((struct ctt_stack *)m->stacks.item[i])->at);
	for (size_t i = 0; i < m->symbols.count; i++)
		forget_symbol(m->symbols.item[i]);
	keyed_free(&m->stacks);
	keyed_free(&m->symbols);
}
