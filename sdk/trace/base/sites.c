/* sites.c - source locations and stacks of them, each printed once, as soon as it is met. Contracts
 * in sites.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sites.h"
#include "base/table.h"
#include "cttrace.h"

struct entry { uint64_t hash, unused; };
/* by their hash: one of 64 bits is taken for the thing itself */
struct sites { struct table site, stack; };

uint64_t mark_of(uint64_t mark, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < len; i++)
		mark = (mark ^ p[i]) * 0x100000001b3ull;
	return mark ^ mark >> 29;
}

struct sites *sites_new(void)
{
	struct sites *s = need(calloc(1, sizeof(*s)));

	s->site.elem = s->stack.elem = sizeof(struct entry);
	return s;
}

void sites_free(struct sites *s)
{
	table_free(&s->site);
	table_free(&s->stack);
	free(s);
}

/* From 1; *is_new: it had none. */
static uint32_t number_of(struct table *t, uint64_t hash, bool *is_new)
{
	size_t before = t->count;
	uint32_t index = table_index(t, hash, 0);

	*is_new = t->count > before;
	return index + 1;
}

static void text(const char *key, const char *s)
{
	if (!s || !*s)
		return;
	printf(",\"%s\":", key);
	ctt_out_json(stdout, s, strlen(s));
}

uint32_t site_of(struct sites *s, const char *func, const char *file, uint64_t line)
{
	uint64_t hash = mark_of(0xcbf29ce484222325ull, &line, sizeof(line));
	uint32_t number;
	bool is_new;

	if ((!func || !*func) && (!file || !*file))
		return 0;
	hash = mark_of(hash, func ? func : "", func ? strlen(func) + 1 : 1);
	hash = mark_of(hash, file ? file : "", file ? strlen(file) + 1 : 1);
	number = number_of(&s->site, hash, &is_new);
	if (is_new) {
		printf("{\"ev\":\"site\",\"site\":%" PRIu32, number);
		text("func", func);
		text("file", file);
		if (line)
			printf(",\"line\":%" PRIu64, line);
		puts("}");
	}
	return number;
}

uint32_t stack_of(struct sites *s, const uint32_t *site, size_t count)
{
	uint32_t number;
	bool is_new;

	if (!count)
		return 0;
	number = number_of(
		&s->stack, mark_of(0xcbf29ce484222325ull, site, count * sizeof(*site)), &is_new);
	if (is_new) {
		printf("{\"ev\":\"stack\",\"stack\":%" PRIu32 ",\"sites\":[", number);
		for (size_t i = 0; i < count; i++)
			printf(i ? ",%" PRIu32 : "%" PRIu32, site[i]);
		puts("]}");
	}
	return number;
}
