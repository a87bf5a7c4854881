/* ct-sym - say which functions the addresses of a trace are, ahead of the lines that have them.
 *
 * in:	{"ev":"map",...,"path":"/usr/bin/app","build_id":"8f3c.."} {"ev":"stack","stack":9,"frames":["0x000055d0c0de1234"]}
 * out:	the same, and before the stack line
 *	{"ev":"symbol","addr":"0x000055d0c0de1234","path":"/usr/bin/app","at":[{"func":"serve","file":"serve.cc","line":42}]}
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "cttrace.h"
#include "sym.h"

static const char help[] =
	"usage: ct-sym [options] [trace ...]\n"
	"Name the addresses of a trace: function, file and line, and the callers it was\n"
	"inlined into, from the debug information of the files that the trace's map lines\n"
	"tell. The trace passes byte for byte, with a `symbol` line before the first use\n"
	"of each address: frames of stack lines, and addr of coroutines where that is\n"
	"code. A file whose build id is not the trace's is refused.\n\n"
	"  --text          print the stacks for people, not the trace\n"
	"  --root=DIR      look for the files under DIR\n"
	"  --timeout=DUR   leave a file whose debug information takes longer for one\n"
	"                  address (default 30s)\n"
	"  -o, --output=FILE  write to a file instead of standard output\n"
	"  --strict        bad lines are status 2\n"
	"  --quiet         only fatal messages, and those about files\n"
	"  --help, --version\n\n"
	"Status: 0 every address has a name, 2 usage or unusable input, 3 some have none\n"
	"(reported on stderr), or nothing was recorded.\n\n"
	"example: ct-sym --text trace.jsonl\n";

static struct ctt_common opt = { .product = CTT_FILE };
static bool text_only;
static struct sym_files where = { "ct-sym", "", 30000000000 };

static bool own_option(int letter, const char *arg)
{
	if (letter == 1)
		text_only = true;
	else if (letter == 2)
		where.root = arg;
	else if (letter == 3)
		return ctt_parse_duration(arg, &where.limit_ns);
	return letter == 1 || letter == 2;
}

static const struct option options[] = {
	{ "text", no_argument, NULL, 1 }, { "root", required_argument, NULL, 2 },
	{ "timeout", required_argument, NULL, 3 }, CTT_OPT_OUTPUT, CTT_OPT_ALWAYS, CTT_OPT_END
};
static const struct ctt_program program = { "ct-sym", help, options, own_option };

static struct hash printed;	/* addresses, of this run */
/* addresses last found to be no code, each at its place: what most lines have */
static uint64_t data[4096];
static uint64_t named, unnamed;

static char *copy(struct ctt_text t)
{
	char *s = need(malloc(t.len + 1));

	if (t.len)
		memcpy(s, t.p, t.len);
	s[t.len] = '\0';
	return s;
}

/* Another run: other addresses. */
static void forget(void)
{
	memset(data, 0, sizeof(data));
	maps_forget();
	hash_clear(&printed);
}

/* Where another file lay before, addresses are reported anew. */
static void add_map(const struct ctt_event *ev)
{
	const struct ctt_ev_map *e = &ev->map;
	struct map m = { e->start, e->end, e->offset, copy(e->path), copy(e->build_id) };

	memset(data, 0, sizeof(data));
	if (maps_add(e->pid, &m))
		hash_clear(&printed);
	free(m.path);
	free(m.build_id);
}

/* Is it the first time in this run? */
static bool first(uint64_t addr)
{
	if (hash_find(&printed, addr))
		return false;
	hash_add(&printed, addr, &printed);
	return true;
}

static void json_text(const char *key, const char *s)
{
	printf("\"%s\":", key);
	ctt_out_json(stdout, s, strlen(s));
}

static void print_json(uint64_t addr, const struct map *m, const struct symbols *s)
{
	printf("{\"ev\":\"symbol\",\"addr\":\"0x%016" PRIx64 "\"", addr);
	if (m) {
		putchar(',');
		json_text("path", m->path);
	}
	printf(",\"at\":[");
	for (size_t i = 0; i < s->count; i++) {
		const struct symbol *at = &s->at[i];

		fputs(i ? ",{" : "{", stdout);
		if (at->func)
			json_text("func", at->func);
		if (at->file) {
			fputs(at->func ? "," : "", stdout);
			json_text("file", at->file);
			printf(",\"line\":%" PRIu64, at->line);
		}
		putchar('}');
	}
	putchar(']');
	if (s->missing) {
		putchar(',');
		json_text("missing", s->missing);
	}
	fputs("}\n", stdout);
}

static void print_text(uint64_t addr, const struct map *m, const struct symbols *s)
{
	for (size_t i = 0; i < s->count || i == 0; i++) {
		const struct symbol *at = &s->at[i];
		const char *func = at->func ? at->func : "?";

		if (i == 0)
			printf("  0x%016" PRIx64 "  ", addr);
		else
			printf("  %18s  ", "inlined into");
		ctt_out_text(stdout, func, strlen(func));
		if (at->file) {
			fputs(" at ", stdout);
			ctt_out_text(stdout, at->file, strlen(at->file));
			printf(":%" PRIu64, at->line);
		} else if (m) {
			fputs(" in ", stdout);
			ctt_out_text(stdout, m->path, strlen(m->path));
		}
		if (i + 1 >= s->count && s->missing)
			printf(" (%s)", s->missing);
		putchar('\n');
	}
}

/* `back`: 1 for a return address, which stands behind its call and may be the next line's, or the
 * next function's. */
static void name(uint64_t addr, uint64_t back,
	void (*print)(uint64_t, const struct map *, const struct symbols *))
{
	struct symbols s = { .missing = "no map covers it" };
	bool ambiguous;
	const struct map *m = maps_find(addr - back, &ambiguous);

	if (m && ambiguous)
		s.missing = "processes have different files there";
	else if (m)
		sym_ask(&where, m->path, m->build_id, addr - back - m->start + m->offset, &s);
	/* one that was put on a stack by hand is no call's */
	if (back && m && !ambiguous && s.count && !s.at[0].func) {
		symbols_free(&s);
		sym_ask(&where, m->path, m->build_id, addr - m->start + m->offset, &s);
	}
	print(addr, m, &s);
	*(s.count && s.at[0].func ? &named : &unnamed) += 1;
	symbols_free(&s);
}

static void stack_line(const struct ctt_event *ev)
{
	struct ctt_text frames = ev->stack_line.frames;
	uint64_t addr;

	if (text_only)
		printf("stack %" PRIu64 "\n", ev->stack_line.number);
	while (ctt_next_number(&frames, &addr)) {
		if (addr && text_only)
			name(addr, 1, print_text);
		else if (addr && first(addr))
			name(addr, 1, print_json);
	}
}

static void addr_line(const struct ctt_event *ev)
{
	uint64_t *known = &data[ev->addr * 0x9e3779b97f4a7c15ull >> 52];
	bool ambiguous;

	if (*known == ev->addr)
		return;
	if (!maps_find(ev->addr, &ambiguous))
		*known = ev->addr;
	else if (first(ev->addr))
		name(ev->addr, 0, print_json);
}

int main(int argc, char *argv[])
{
	char **files = ctt_common_parse(argc, argv, &program, &opt);
	struct ctt_trace *in = ctt_trace_open(files, program.name);
	struct ctt_event ev;

	ctt_trace_set(in, opt.flags | CTT_TRACE_STREAMS);
	while (ctt_trace_next(in, &ev)) {
		if (ev.kind == CTT_EV_META)
			forget();
		else if (ev.kind == CTT_EV_MAP)
			add_map(&ev);
		else if (ev.kind == CTT_EV_STACK)
			stack_line(&ev);
		else if (ev.addr && !text_only)
			addr_line(&ev);
		if (!text_only) {
			fwrite(ev.raw, 1, ev.raw_len, stdout);
			putchar('\n');
		}
	}
	if (unnamed && !(opt.flags & CTT_TRACE_QUIET))
		fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 " addresses have no name\n",
			program.name, unnamed, named + unnamed);
	forget();
	hash_free(&printed);
	sym_end();
	return ctt_trace_finish(in, unnamed ? 3 : 0);
}
