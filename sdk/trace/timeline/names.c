/* names.c - what slices and instants of a timeline are called. Contracts in timeline.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "timeline/timeline.h"

const char *const tl_keys[TL_KEYS] = { [K_CORO] = "coroutine",
	[K_NAME] = "name",
	[K_ON] = "on",
	[K_REASON] = "reason",
	[K_BY] = "woken by coroutine",
	[K_BY_TID] = "woken by thread",
	[K_TID] = "thread",
	[K_OPEN] = "open",
	[K_LINE] = "line",
	[K_VALUE] = "value",
	[K_TARGET] = "wakes",
	[K_COUNT] = "count",
	[K_FROM] = "from",
	[K_TO] = "to",
	[K_CERTAINTY] = "certainty",
	[K_STORY] = "story",
	[K_BECAUSE] = "because",
	[K_UNKNOWN] = "unknown",
	[K_AGE] = "age_ns" };
const char *const tl_categories[TL_CATEGORIES] = { [C_CREATED] = "created",
	[C_RUNNING] = "running",
	[C_SUSPENDED] = "suspended",
	[C_RUNNABLE] = "runnable",
	[C_UNKNOWN] = "unknown",
	[C_PARKED] = "parked",
	[C_WAKE] = "wake",
	[C_RESOURCE] = "resource",
	[C_LOST] = "lost",
	[C_FINDING] = "finding",
	[C_QUEUE] = "queue",
	[C_EXIT] = "exit" };
/* Each is kept once, by what it says. */
struct name { struct pair key; char *text; size_t len; };
static struct table names = { .elem = sizeof(struct name) };
static struct buf coro_name;

enum { OF_EVENT = 1, OF_VERDICT };	/* in the upper half of `b`; 0: of a state in a run */

static struct name *name_of(uint64_t a, uint64_t b)
{
	return table_get(&names, a, b);
}

static void set_name(struct tl_item *it, struct name *n, const char *text)
{
	if (!n->text) {
		n->len = strlen(text);
		n->text = need(malloc(n->len + 1));
		memcpy(n->text, text, n->len + 1);
	}
	it->name = n->text;
	it->name_len = n->len;
	it->name_id = (uint32_t)(n - (struct name *)names.item) + 1;
}

/* "suspended at serve server.cc:42 on fd": the kind alone, or there would be as many names as
 * objects. */
void tl_name_state(
	struct tl_run *r, struct tl_item *it, enum tl_category state, const struct ctt_coro *c)
{
	bool waits = state == C_SUSPENDED;
	uint64_t site = waits || state == C_CREATED ? c->site : 0;
	struct name *n = name_of(site, (uint64_t)(site ? r->run : 0) << 16 | (uint64_t)state << 8 |
		(waits ? ctt_wait_kind(c) : CTT_ON_NONE));
	char text[700], at[512];

	if (n->text)
		text[0] = '\0';
	else
		snprintf(text, sizeof(text), "%s%s%s%s%s", tl_categories[state], site ? " at " : "",
			site ? ctt_model_site_text(at, sizeof(at), r->spans.model, site) : "",
			waits && ctt_wait_kind(c) ? " on " : "",
			waits && ctt_wait_kind(c) ? ctt_wait_name(c) : "");
	set_name(it, n, text);
}

void tl_name_event(struct tl_item *it, enum ctt_ev_kind kind, enum ctt_on_kind on)
{
	struct name *n = name_of((uint64_t)kind << 8 | on, (uint64_t)OF_EVENT << 56);
	char text[64] = "";

	if (!n->text)
		snprintf(text, sizeof(text), "%s%s%s",
			kind == CTT_EV_PARK ? "parked" : ctt_ev_name(kind),
			on != CTT_ON_NONE ? " " : "", on != CTT_ON_NONE ? ctt_on_name(on) : "");
	set_name(it, n, text);
}

void tl_name_coro(struct tl_item *it, const struct ctt_coro *c)
{
	coro_name.len = 0;
	buf_number(&coro_name, c->id);
	if (c->name && *c->name) {
		buf_byte(&coro_name, ' ');
		buf_word(&coro_name, c->name);
	}
	it->name = coro_name.p;
	it->name_len = coro_name.len;
}

void tl_name_verdict(struct tl_item *it, enum ctt_verdict v)
{
	set_name(it, name_of((uint64_t)v, (uint64_t)OF_VERDICT << 56), ctt_verdict_name(v));
}

void tl_names_free(void)
{
	for (size_t i = 0; i < names.count; i++)
		free(((struct name *)table_at(&names, i))->text);
	table_free(&names);
	free(coro_name.p);
	coro_name = (struct buf){ 0 };
}
