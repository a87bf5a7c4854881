/* groups.c - the findings of ct-lint, by lint and site: kept, sorted, printed. Contracts in
 * lint.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lint.h"

static const struct { const char *name, *one, *many;
} lints[LINTS] = {
	{ "self-wakes", "coroutine mostly wakes itself", "coroutines mostly wake themselves" },
	{ "never-yielded", "coroutine never yielded", "coroutines never yielded" },
	{ "long-poll", "long poll", "long polls" },
	{ "resumed-twice", "resume of a coroutine that ran already",
		"resumes of coroutines that ran already" },
	{ "destroyed-suspended", "coroutine destroyed while suspended",
		"coroutines destroyed while suspended" },
	{ "growth", "coroutine alive, more and more", "coroutines alive, more and more" },
	{ "blocked-forever", "coroutine blocked for ever", "coroutines blocked for ever" },
	{ "woken-after-end", "wake of a coroutine that had ended",
		"wakes of coroutines that had ended" },
	{ "pinned", "park that kept its worker", "parks that kept their workers" },
};

unsigned lints_parse(const char *s)
{
	unsigned set = 0;

	for (size_t len; *s; s += len + (s[len] == ',')) {
		int i = 0;

		len = strcspn(s, ",");
		while (i < LINTS && (strlen(lints[i].name) != len || memcmp(lints[i].name, s, len)))
			i++;
		if (i == LINTS)
			return 0;
		set |= 1u << i;
	}
	return set;
}

struct group *group_of(struct groups *t, enum lint lint, uint64_t site)
{
	uint64_t key = hash_of_pair(lint, site);
	struct group *g;
	size_t i;

	for (size_t at = hash_first(&t->at, key); (i = (size_t)hash_next(&t->at, key, &at));)
		if (t->group[i - 1].lint == lint && t->group[i - 1].site == site)
			return &t->group[i - 1];
	g = ADD(t->group, t->count, t->size);
	*g = (struct group){ .lint = lint, .site = site };
	hash_add(&t->at, key, (void *)t->count);
	return g;
}

bool groups_note(struct groups *t, enum lint lint, const struct ctt_coro *c, uint64_t worst,
	uint64_t from_line, uint64_t line, struct group **out)
{
	struct group *g = *out = group_of(t, lint, c->site);

	if (g->count++ && worst <= g->worst)
		return false;
	g->worst = worst;
	g->id = c->id;
	g->tid = c->tid;
	g->from_line = from_line;
	g->line = line;
	free(g->name);
	g->name = c->name ? strdup(c->name) : NULL;
	return true;
}

static int by_lint(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->lint != y->lint)
		return x->lint < y->lint ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

/* Of what stays the same in another run of the same program. */
static uint64_t id_of(const struct group *g, const char *site, uint32_t run)
{
	uint64_t h = 14695981039346656037ull ^ run;

	for (const char *p = lints[g->lint].name; *p; p++)
		h = (h ^ (unsigned char)*p) * 1099511628211ull;
	for (; *site; site++)
		h = (h ^ (unsigned char)*site) * 1099511628211ull;
	return h;
}

static void print_json(
	const struct group *g, const struct ctt_model *m, bool sure, uint32_t run)
{
	char site[512];

	printf("{\"lint\":\"%s\",\"certainty\":\"%s\",\"id\":\"%016" PRIx64 "\",\"site\":",
		lints[g->lint].name, ctt_certainty_name(sure ? CTT_PROVEN : CTT_UNKNOWN),
		id_of(g, ctt_model_site_name(site, sizeof(site), m, g->site), run));
	ctt_site_json(stdout, ctt_model_site(m, g->site));
	printf(",\"count\":%" PRIu64, g->count);
	if (g->lint == SELF_WAKES)
		printf(",\"own\":%" PRIu64 ",\"wakes\":%" PRIu64, g->worst, g->of);
	else if (g->lint == GROWTH)
		printf(",\"from\":%" PRIu64, g->of);
	else if (g->lint != RESUMED_TWICE)
		printf(",\"%s\":%" PRIu64,
			g->lint == WOKEN_LATE                        ? "after" :
			g->lint == PINNED                            ? "kept" :
			g->lint == DESTROYED || g->lint == FOREVER ? "suspended" :
								     "ran",
			g->worst);
	if (g->lint == DESTROYED)
		printf(",\"woken\":%" PRIu64, g->woken);
	printf(",\"probe_id\":%" PRIu64, g->id);
	if (g->name) {
		fputs(",\"name\":", stdout);
		ctt_out_json(stdout, g->name, strlen(g->name));
	}
	if (g->tid)
		printf(",\"tid\":%" PRIu64, g->tid);
	fputs(",\"lines\":[", stdout);
	if (g->from_line)
		printf("%" PRIu64 ",", g->from_line);
	printf("%" PRIu64 "]", g->line);
	if (run)
		printf(",\"run\":%" PRIu32, run);
	fputs("}\n", stdout);
}

static void print_worst(const struct group *g)
{
	char time[24];

	ctt_out_duration(time, g->worst);
	switch (g->lint) {
	case SELF_WAKES:
		printf("  %" PRIu64 " of %" PRIu64 " wakes are its own", g->worst, g->of);
		break;
	case NEVER_YIELDED:
		printf("  ran %s from its first resume on and never suspended", time);
		break;
	case LONG_POLL:		printf("  ran %s without a suspend", time); break;
	case RESUMED_TWICE:	printf("  resumed while it ran"); break;
	case DESTROYED:		printf("  suspended for %s", time); break;
	case FOREVER:		printf("  waits for what never comes, for %s so far", time); break;
	case PINNED:		printf("  kept it for %s", time); break;
	case WOKEN_LATE:	printf("  woken %s after its end", time); break;
	default:
		printf("  %" PRIu64 " at first, %" PRIu64 " at last, never fewer; the latest",
			g->of, g->worst);
	}
	if (g->woken)
		printf(", %" PRIu64 " with a wake under way", g->woken);
}

static void print_text(
	const struct group *g, const struct ctt_common *opt, const char *site, bool sure)
{
	printf("%s%" PRIu64 " %s%s%s", opt->color ? sure ? "\033[1;33m" : "\033[1;36m" : "",
		g->count, g->count == 1 ? lints[g->lint].one : lints[g->lint].many,
		sure ? "" : " (unknown)", opt->color ? "\033[0m" : "");
	printf(": %s [%s]\n", g->site ? site : "site not known", lints[g->lint].name);
	print_worst(g);
	printf(": coroutine %" PRIu64, g->id);
	if (g->name) {
		fputs(" \"", stdout);
		ctt_out_text(stdout, g->name, strlen(g->name));
		putchar('"');
	}
	if (g->tid)
		printf(", thread %" PRIu64, g->tid);
	if (g->from_line)
		printf(" [lines %" PRIu64 ", %" PRIu64 "]\n", g->from_line, g->line);
	else
		printf(" [line %" PRIu64 "]\n", g->line);
}

void groups_print(struct groups *t, const struct ctt_model *m, const struct ctt_common *opt,
	bool doubt, uint32_t run, size_t *sure, size_t *unsure)
{
	char site[512];

	if (t->count)
		qsort(t->group, t->count, sizeof(*t->group), by_lint);
	for (size_t i = 0; i < t->count; i++) {
		const struct group *g = &t->group[i];
		/* The others are facts about two neighbouring events; these two are sums, which a
		 * missing line changes. */
		bool certain = !doubt || (g->lint != SELF_WAKES && g->lint != GROWTH);

		if (!ctt_common_match_site(opt->site, m, g->site))
			continue;
		*(certain ? sure : unsure) += 1;
		if (opt->json)
			print_json(g, m, certain, run);
		else
			print_text(g, opt, ctt_model_site_text(site, sizeof(site), m, g->site),
				certain);
	}
}

void groups_free(struct groups *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->group[i].name);
	free(t->group);
	hash_free(&t->at);
}
