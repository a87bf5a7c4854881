/* sarif.c - the report as SARIF 2.1.0: a result a group of findings, at the site where its
 * coroutines wait, with the sites of the evidence as related locations. Contracts in report.h. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "report.h"

static const char memory_rule[] = "memory-corruption";

/* A message may hold links, "[text](where)", and placeholders, "{0}": names must make neither. */
static void message(const char *key, const char *s)
{
	static char *safe;
	static size_t len;
	FILE *f = need(open_memstream(&safe, &len));

	for (const char *p = s; *p; p++) {
		putc(*p, f);
		if (*p == ']' && p[1] == '(')
			putc(' ', f);
		if (*p == '{' && isdigit((unsigned char)p[1]))
			putc('{', f);
	}
	if (fclose(f) || !safe)
		need(NULL);
	printf("\"%s\":{\"text\":", key);
	ctt_out_json(stdout, keep(safe), len);
	fputs("}", stdout);
}

static void string(const char *key, const char *s)
{
	printf("\"%s\":", key);
	ctt_out_json(stdout, s, strlen(s));
}

/* A path as a URI: relative as it is, absolute with file:. What is no letter, digit or one of a few
 * is escaped. */
static void uri(const char *path)
{
	fputs(*path == '/' ? "\"uri\":\"file://" : "\"uri\":\"", stdout);
	for (; *path; path++)
		if (isalnum((unsigned char)*path) || strchr("/._-~+@", *path))
			putchar(*path);
		else
			printf("%%%02X", (unsigned char)*path);
	putchar('"');
}

static void source_file(const struct report *rp, const char *file)
{
	size_t len = rp->root ? strlen(rp->root) : 0;
	bool below = len && !strncmp(file, rp->root, len);

	fputs("\"physicalLocation\":{\"artifactLocation\":{", stdout);
	uri(below ? file + len + strspn(file + len, "/") : file);
	if (rp->root && (below || *file != '/'))
		fputs(",\"uriBaseId\":\"SRCROOT\"", stdout);
	fputs("}", stdout);
}

/* Where no source is known: the line of the trace. `what`: said of it, or NULL. */
static void location(const struct report *rp, const struct run *r, uint64_t number, uint64_t line,
	const char *what, int id)
{
	const struct ctt_site *s = ctt_model_site(r->model, number);
	bool trace = !*s->file && strcmp(r->source, "<stdin>");

	putchar('{');
	if (id >= 0)
		printf("\"id\":%d,", id);
	if (*s->file || trace) {
		source_file(rp, trace ? r->source : s->file);
		if (trace ? line : s->line)
			printf(",\"region\":{\"startLine\":%" PRIu64 "}", trace ? line : s->line);
		fputs("}", stdout);
	}
	if (*s->func || !(*s->file || trace)) {
		fputs(*s->file || trace ? ",\"logicalLocations\":[{" : "\"logicalLocations\":[{",
			stdout);
		string("fullyQualifiedName", *s->func ? s->func : "not known");
		fputs(",\"kind\":\"function\"}]", stdout);
	}
	if (what) {
		putchar(',');
		message("message", what);
	}
	putchar('}');
}

static const char *level_of(enum ctt_certainty c)
{
	static const char *const levels[CTT_CERTAINTIES] = { "error", "warning", "note", "note" };

	return levels[c];
}

/* The verdicts given, in order, then memory corruption. */
static size_t rule_index(const bool *given, int v)
{
	size_t n = 0;

	for (int i = 0; i < v; i++)
		n += given[i];
	return n;
}

static void begin_result(bool *first, const char *rule, size_t index, const char *level)
{
	printf("%s\n{\"ruleId\":\"%s\",\"ruleIndex\":%zu,\"level\":\"%s\",", *first ? "" : ",",
		rule, index, level);
	*first = false;
}

static char *group_text(const struct run *r, size_t first, size_t n)
{
	const struct ctt_finding *f = r->findings[first];
	char *s = format("%s. %s To do: %s.", group_title(r, f, n), sentence(f->because),
		ctt_finding_help(f));

	for (size_t i = 0; i < n && i < 3; i++)
		s = format("%s\n%s", s, story_of(r, r->findings[first + i]));
	return n > 3 ? format("%s\n... and %zu more", s, n - 3) : s;
}

/* What befell the first of the group, step by step, as viewers show it. */
static void code_flow(const struct report *rp, const struct run *r, const struct ctt_finding *f)
{
	if (!f->fact_count)
		return;
	fputs(",\"codeFlows\":[{\"threadFlows\":[{\"locations\":[", stdout);
	for (uint32_t i = 0; i < f->fact_count; i++) {
		const struct ctt_fact *x = &f->facts[i];

		printf("%s{\"executionOrder\":%" PRIu32 ",\"location\":", i ? "," : "", i + 1);
		location(rp, r, x->site, x->line,
			format("%s at %s%s%s", x->what, since_start(r, x->ts),
				x->tid ? " on thread " : "",
				x->tid ? format("%" PRIu64, x->tid) : ""),
			-1);
		putchar('}');
	}
	fputs("]}]}]", stdout);
}

static void group(const struct report *rp, const struct run *r, size_t first, size_t n, size_t rule,
	bool *comma)
{
	const struct ctt_finding *f = r->findings[first];
	struct location locations[LOCATIONS];
	size_t count = group_locations(r, first, n, locations), behind = 0;

	for (size_t i = 0; i < n; i++)
		behind += r->findings[first + i]->behind_count;
	begin_result(comma, ctt_verdict_name(f->verdict), rule, level_of(f->certainty));
	message("message", group_text(r, first, n));
	fputs(",\"locations\":[", stdout);
	location(rp, r, f->coro->site, f->coro->last_line, NULL, -1);
	fputs("],\"relatedLocations\":[", stdout);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", stdout);
		location(rp, r, locations[i].site, f->coro->last_line, locations[i].what, (int)i);
	}
	putchar(']');
	code_flow(rp, r, f);
	printf(",\"occurrenceCount\":%zu,\"partialFingerprints\":{\"corotraceFinding/v1\":\"%016" PRIx64
	       "\"},\"properties\":{"
	       "\"certainty\":\"%s\",\"probe_ids\":[",
		n, group_fingerprint(r, f), ctt_certainty_name(f->certainty));
	for (size_t i = 0; i < n && (rp->all || i < 100); i++)
		printf("%s%" PRIu64, i ? "," : "", r->findings[first + i]->coro->id);
	fputs("],\"lines\":[", stdout);
	for (uint32_t i = 0; i < f->fact_count; i++)
		printf("%s%" PRIu64, i ? "," : "", f->facts[i].line);
	printf("],\"behind\":%zu}}", behind);
}

static void crash(const struct report *rp, const struct run *r, const struct exited *x, size_t rule,
	bool *comma)
{
	const struct ctt_worker *w;
	int id = 0;

	begin_result(comma, memory_rule, rule, "error");
	message("message",
		format("Process %" PRIu64 " was killed by %s.", x->pid, signal_name(x->value)));
	fputs(",\"locations\":[", stdout);
	location(rp, r, 0, x->line, NULL, -1);
	fputs("],\"relatedLocations\":[", stdout);
	for (size_t i = 0; (w = crash_thread(r, x, &i)); id++) {
		const struct ctt_coro *c = ctt_model_coro(r->model, w->running);

		fputs(id ? "," : "", stdout);
		location(rp, r, c->site, c->last_line, format("coroutine %s ran on thread %" PRIu64
			" and had suspended here last", coro_of(c), w->tid), id);
	}
	fputs("]}", stdout);
}

static void memory(const struct report *rp, const struct run *r, size_t rule, bool *comma)
{
	const struct suspects *s = &r->suspects;

	for (size_t i = 0; i < r->exit_count; i++)
		if (is_crash(&r->exits[i]))
			crash(rp, r, &r->exits[i], rule, comma);
	for (int k = 0; k < SUSPICIONS; k++)
		for (uint64_t i = 0; i < s->count[k] && i < SUSPECTS_KEPT; i++) {
			begin_result(comma, memory_rule, rule, "warning");
			message("message",
				format("Line %" PRIu64 " of the trace: %s", s->kept[k][i].line,
					s->kept[k][i].what));
			fputs(",\"locations\":[", stdout);
			location(rp, r, 0, s->kept[k][i].line, NULL, -1);
			fputs("]}", stdout);
		}
}

static bool has_suspects(const struct run *r)
{
	for (size_t i = 0; i < r->exit_count; i++)
		if (is_crash(&r->exits[i]))
			return true;
	return suspects_count(&r->suspects);
}

static void rule(
	bool *first, const char *id, const char *means, enum ctt_certainty best, const char *help)
{
	static const char *const ways[CTT_CERTAINTIES] = {
		[CTT_PROVEN] = ("Where it is proven, the cause is in the trace and nothing that is missing could undo it; "
			"where it is suspected, a piece of evidence is missing."),
		[CTT_SUSPECTED] = "It is never more than suspected: a piece of evidence is not in traces.",
		[CTT_UNKNOWN] = "It is never certain.",
		[CTT_HINT] = "It is a hint: healthy programs do that, too.",
	};

	printf("%s{\"id\":\"%s\",\"defaultConfiguration\":{\"level\":\"%s\"},", *first ? "" : ",",
		id, level_of(best));
	message("shortDescription", sentence(means));
	putchar(',');
	message("fullDescription", format("%s %s", sentence(means), ways[best]));
	putchar(',');
	message("help", format("What to do: %s.", help));
	putchar('}');
	*first = false;
}

static void rules(const struct run *r, bool *given)
{
	bool first = true;

	for (size_t i = 0; i < r->finding_count; i++)
		given[r->findings[i]->verdict] = true;
	for (int v = CTT_V_NONE + 1; v < CTT_VERDICTS; v++)
		if (given[v]) {
			const struct ctt_verdict_facts *facts =
				ctt_verdict_facts((enum ctt_verdict)v);

			rule(&first, facts->name, facts->means, facts->best, facts->help);
		}
	if (has_suspects(r))
		rule(&first, memory_rule, "the trace has what memory corruption would explain",
			CTT_SUSPECTED,
			"run the program under a sanitizer; look at the lines of the trace that are named");
}

static void invocation(const struct report *rp, const struct run *r)
{
	char *what[HEALTH_MAX];
	size_t n = health_of(rp, r, what);

	fputs(",\"invocations\":[{\"executionSuccessful\":true,\"toolExecutionNotifications\":[",
		stdout);
	for (size_t i = 0; i < n; i++) {
		printf("%s{\"level\":\"%s\",", i ? "," : "", r->doubt ? "warning" : "note");
		message("message", what[i]);
		putchar('}');
	}
	fputs("]}]", stdout);
}

static void sarif_run(const struct report *rp, const struct run *r)
{
	bool given[CTT_VERDICTS] = { false }, first = true;

	fputs("{\"tool\":{\"driver\":{\"name\":\"ct-report\",\"version\":\"" CT_VERSION
	      "\",\"rules\":[",
		stdout);
	rules(r, given);
	fputs("]}},\"columnKind\":\"unicodeCodePoints\"", stdout);
	if (r->number)
		printf(",\"automationDetails\":{\"id\":\"corotrace/run %" PRIu32 "\"}", r->number);
	if (rp->root) {
		fputs(",\"originalUriBaseIds\":{\"SRCROOT\":{", stdout);
		uri(rp->root);
		fputs("}}", stdout);
	}
	invocation(rp, r);
	fputs(",\"results\":[", stdout);
	for (size_t i = 0, n; i < r->finding_count; i += n) {
		n = finding_group(r, i);
		group(rp, r, i, n, rule_index(given, (int)r->findings[i]->verdict), &first);
	}
	memory(rp, r, rule_index(given, CTT_VERDICTS), &first);
	fputs("]}", stdout);
}

void write_sarif(const struct report *rp)
{
	fputs("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[",
		stdout);
	for (uint32_t i = 0; i < rp->runs; i++) {
		fputs(i ? ",\n" : "\n", stdout);
		sarif_run(rp, rp->run[i]);
	}
	puts("]}");
}
