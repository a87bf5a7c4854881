/* things.c - times, sites and texts as the page has them. Contracts in html.h. */
#include <stdlib.h>
#include <string.h>

#include "html.h"

int64_t run_time(const struct run *r, uint64_t ts)
{
	uint64_t apart = ts > r->start ? ts - r->start : r->start - ts;
	int64_t t = apart > (uint64_t)TIME_FAR ? TIME_FAR : (int64_t)apart;

	return ts > r->start ? t : -t;
}

char *text_cut(struct ctt_text t)
{
	static const char more[] = "\xe2\x80\xa6", nul[] = "\xe2\x90\x80";
	size_t n = t.len > TEXT_CUT ? TEXT_CUT : t.len;
	char *s = need(malloc(3 * n + sizeof(more))), *to = s;

	/* not within a character */
	while (n && n < t.len && ((unsigned char)t.p[n] & 0xC0) == 0x80)
		n--;
	for (size_t i = 0; i < n; i++) {
		memcpy(to, t.p[i] ? &t.p[i] : nul, t.p[i] ? 1 : 3);
		to += t.p[i] ? 1 : 3;
	}
	strcpy(to, n < t.len ? more : "");
	return s;
}

struct site *run_site(struct run *r, uint64_t site)
{
	size_t count = r->sites.count;
	struct site *p = keyed_get(&r->sites, site);

	if (r->sites.count > count)
		p->index = (uint32_t)count;
	return p;
}

/* A text among the run's; all that do not fit in are the first, "...". */
static uint64_t text_index(struct run *r, const struct ctt_on *on)
{
	char *s = text_cut(on->text);
	uint64_t i = (uintptr_t)hash_find(&r->texts, ctt_on_key(on));

	if (!i && r->text_count < TEXTS_MOST) {
		i = r->text_count;
		*ADD(r->text, r->text_count, r->text_room) = s;
		hash_add(&r->texts, ctt_on_key(on), (void *)(uintptr_t)i);
		return i;
	}
	if (i && strcmp(r->text[i], s))
		i = 0;
	free(s);
	return i;
}

struct thing run_wait(struct run *r, const struct ctt_coro *c)
{
	return c->legs ? (struct thing){ .kind = (uint8_t)ctt_wait_kind(c) } : run_thing(r, &c->on);
}

struct thing run_thing(struct run *r, const struct ctt_on *on)
{
	struct thing t = { on->value, (uint8_t)on->kind, on->known, on->number };

	if (on->kind != CTT_ON_NONE && on->known && !on->number)
		t.value = text_index(r, on);
	return t;
}
