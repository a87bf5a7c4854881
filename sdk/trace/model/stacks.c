/* stacks.c - call stacks and what their addresses are called, as stack and symbol lines tell. Contracts in cttrace/model.h. */
#include <stdlib.h>
#include <string.h>

#include "read/json.h"
#include "model/state.h"

/* The numbers of a JSON value, found good by read/json.c: decimal, or strings of 0x and hexadecimal. The first
 * `room` of them are stored in `at`. Returns how many there are. */
static size_t numbers(struct ctt_text array, uint64_t *at, size_t room)
{
	const char *p = array.p, *end = p ? p + array.len : p;
	size_t count = 0;

	while (p < end) {
		uint64_t n = 0;
		int base = 10;

		for (; p < end && (hex_digit(*p) < 0 || hex_digit(*p) > 9); p++)
			;
		if (p == end)
			break;
		if (end - p > 2 && p[0] == '0' && p[1] == 'x') {
			base = 16;
			p += 2;
		}
		for (; p < end && hex_digit(*p) >= 0 && hex_digit(*p) < base; p++)
			n = n * (uint64_t)base + (uint64_t)hex_digit(*p);
		if (count < room)
			at[count] = n;
		count++;
	}
	return count;
}

void stacks_line(struct ctt_model *m, const struct ctt_event *ev)
{
	struct ctt_stack *s = keyed_get(&m->stacks, ev->value);
	struct ctt_text array = ev->file.p ? ev->file : ev->func;

	free((uint64_t *)s->at);
	s->addresses = !ev->file.p;
	s->count = numbers(array, NULL, 0);
	s->at = need(calloc(s->count + 1, sizeof(*s->at)));
	numbers(array, (uint64_t *)s->at, s->count);
}

/* ---- symbols: {"func":"f","file":"f.c","line":1} within an array ---- */

static void member(struct walk *w, struct ctt_text key, struct ctt_text value)
{
	static const char *const names[] = { "func", "file", "line" };

	for (size_t i = 0; i < 3; i++)
		if (key.len == 6 && !memcmp(key.p + 1, names[i], 4))
			w->values[i] = value;
}

static struct ctt_text terminated(struct walk *w, struct ctt_text token)
{
	return token.p && *token.p == '"' ? json_text(w, token) : (struct ctt_text){ "", 0 };
}

/* Where the object that begins at p ends; a brace within a string is none. */
static const char *object_end(const char *p, const char *end)
{
	for (bool string = false; p < end; p++) {
		if (string && *p == '\\')
			p++;
		else if (*p == '"')
			string = !string;
		else if (*p == '}' && !string)
			return p + 1;
	}
	return end;
}

static void add_symbol(struct symbol *s, const char *p, const char *end)
{
	char why[WHY_SIZE], *scratch = need(malloc((size_t)(end - p) + 1));
	struct ctt_text values[3] = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
	struct walk w = { .p = p, .end = end, .scratch = scratch, .why = why, .member = member, .values = values };

	if (json_object(&w)) {
		struct ctt_site *site;

		s->at = need(realloc(s->at, (s->count + 1) * sizeof(*s->at)));
		site = &s->at[s->count++];
		*site = (struct ctt_site){ 0 };
		set_text((char **)&site->func, terminated(&w, values[0]));
		set_text((char **)&site->file, terminated(&w, values[1]));
		numbers(values[2], &site->line, 1);
	}
	free(scratch);
}

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
	const char *p = ev->func.p, *end = p ? p + ev->func.len : p;

	forget_symbol(s);
	while (p < end && (p = memchr(p, '{', (size_t)(end - p)))) {
		const char *after = object_end(p, end);

		add_symbol(s, p, after);
		p = after;
	}
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
