/* sites.c - the sites of a timeline's items, as known of late. Contracts in timeline.h. */
#include <stdlib.h>

#include "timeline/timeline.h"

static struct tl_site sites[64];
static uint64_t lines;		/* a site line may change what one is */

static void know(struct tl_site *s, struct tl_run *r, uint64_t number)
{
	const struct ctt_site *at = ctt_model_site(r->spans.model, number);

	free(s->mark.text);
	*s = (struct tl_site){ .at = *at->func || *at->file ? at : NULL,
		.number = number,
		.lines = lines,
		.run = r,
		.texts = strlen(at->func) + strlen(at->file) };
}

struct tl_site *tl_site_at(struct tl_run *r, uint64_t number)
{
	struct tl_site *s = &sites[number % (sizeof(sites) / sizeof(*sites))];

	if (!number)
		return NULL;
	if (s->number != number || s->lines != lines || s->run != r)
		know(s, r, number);
	return s->at ? s : NULL;
}

void tl_sites_change(void)
{
	lines++;
}

void tl_sites_free(void)
{
	for (size_t i = 0; i < sizeof(sites) / sizeof(*sites); i++)
		free(sites[i].mark.text);
}
