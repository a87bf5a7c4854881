/* site.c - the target's texts and source locations, as the trace has them. Contracts in site.h. */
#include <stdlib.h>
#include "complain.h"
#include "print.h"
#include "site.h"
#include "totals.h"

enum { TEXT_MAX = 4096 };	/* bytes of a string of the target's that are printed */

/* Two threads may enter one site at once, and each process enters its own: in the trace one site has
 * one number, that of whoever came first. */
uint32_t *site_name;
static struct named { uint64_t hash; uint32_t site; } *names;	/* by hash; half empty */
static uint64_t name_mask;

void site_init(const struct region *r)
{
	name_mask = 1;
	while (name_mask < 2 * (uint64_t)r->site_count)
		name_mask = name_mask << 1 | 1;
	site_name = need(calloc(r->site_count, sizeof *site_name));
	names = need(calloc(name_mask + 1, sizeof *names));
}

/* String `number` of the region, its first TEXT_MAX bytes; the target may change it under us, so
 * what is looked at and what is printed must be one copy. *cut: it is longer. */
static size_t copy_string(const struct region *r, uint64_t number, char text[TEXT_MAX], bool *cut)
{
	const struct ctp_string *s = (const void *)r->strings;
	uint32_t len = 0;

	*cut = false;
	text[0] = '\0';
	if (number == 0)
		return 0;
	if (number <= (r->strings_size - sizeof *s) / 8) {
		s += number;
		len = ctp_load_acquire(&s->len);	/* the text is whole */
	}
	if (len == 0 || len - 1 > r->strings_size - number * 8 - sizeof s->len) {
		totals.unreadable++;
		return 0;
	}
	*cut = len - 1 > TEXT_MAX;
	len = *cut ? TEXT_MAX : len - 1;
	memcpy(text, s->text, len);
	return len;
}

char *put_string(char *p, const struct region *r, uint64_t number)
{
	char text[TEXT_MAX];
	bool cut;
	size_t len = copy_string(r, number, text, &cut);

	p = put_escaped(p, text, len);
	return cut ? put_const(p, "...") : p;
}

static uint64_t hash_string(uint64_t h, const struct region *r, uint64_t number)
{
	char text[TEXT_MAX];
	bool cut;
	size_t i, len = copy_string(r, number, text, &cut);

	for (i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3ull;
	return (h ^ 0xff) * 0x100000001b3ull;
}

/* Sites are the same when 64 bits of hash are. */
char *site_define(char *p, const struct region *r, uint32_t site)
{
	const struct ctp_site *s = &r->sites[site];
	struct named *n;
	uint64_t hash;

	if (!ctp_load_acquire(&s->ready)) {	/* its event was published later: a lie */
		totals.unreadable++;
		return p;
	}
	hash = hash_string(hash_string(0xcbf29ce484222325ull ^ s->line, r, s->func), r, s->file);
	for (n = &names[hash & name_mask]; n->site && n->hash != hash;
		n = &names[(n - names + 1) & name_mask])
		;
	if (!n->site) {
		*n = (struct named){ hash, site };
		p = put_key(p, "{\"ev\":\"site\",\"site\":", site);
		p = put_string(put_const(p, ",\"func\":\""), r, s->func);
		p = put_string(put_const(p, "\",\"file\":\""), r, s->file);
		p = put_key(p, "\",\"line\":", s->line);
		p = put_const(p, "}\n");
		totals.sites++;
	}
	site_name[site] = n->site;
	return p;
}

uint32_t site_number(const struct region *r, uint32_t site)
{
	if (site >= r->site_count)
		return 0;
	if (site && !site_name[site])
		print_at = site_define(print_begin(), r, site);
	return site_name[site];
}
