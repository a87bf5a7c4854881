/* ct-tocsv - a trace as CSV (RFC 4180): a header, then a row an event, for spreadsheets, sqlite3 .import and pandas.
 *
 * in:	{"probe_id":7,"tid":4711,"addr":"0x00007f3a10000b70","seq":18,"is_active":false,"ts":5,"ev":"suspend","n":9,"on":"fd:42"}
 * out:	run,line,ts,ev,probe_id,tid,n,...
 *	1,12,5,suspend,7,4711,9,...
 */
#include <stdlib.h>
#include <string.h>

#include "cttrace.h"

static const char help[] =
	"usage: ct-tocsv [options] [trace ...]\n"
	"Print a trace as CSV: a header, then a row for every line of the trace.\n\n"
	"  --columns=A,B,C  these columns, in this order, instead of all: run line ts ev probe_id tid is_active addr seq n\n"
	"                   site parent by on done value from to stack name reason role func file src_line path\n"
	"  --strict         bad lines are status 2\n"
	"  --quiet          only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0, or 2 for usage or unusable input.\n\n"
	"example: ct-tocsv --columns=ts,ev,probe_id,on <trace.jsonl | head\n";

enum type { NUMBER, ADDRESS, BOOLEAN, ACTIVE, TEXT, EV, ON, RUN };

/* `has`: the key's flag, without which the cell is empty; 0: empty where the value is 0 (no such thing). */
struct column {
	const char *name;
	enum type type;
	size_t offset;
	uint32_t has;
};
#define AT(field) offsetof(struct event, field)
static const struct column columns[] = {
	{ "run", RUN, 0, 0 }, { "line", NUMBER, AT(line), 0 }, { "ts", NUMBER, AT(ts), HAS_TS }, { "ev", EV, 0, 0 },
	{ "probe_id", NUMBER, AT(probe_id), HAS_PROBE }, { "tid", NUMBER, AT(tid), HAS_TID },
	{ "is_active", ACTIVE, AT(is_active), HAS_PROBE }, { "addr", ADDRESS, AT(addr), HAS_ADDR },
	{ "seq", NUMBER, AT(seq), HAS_SEQ }, { "n", NUMBER, AT(n), HAS_N }, { "site", NUMBER, AT(site), HAS_SITE },
	{ "parent", NUMBER, AT(parent), HAS_PARENT }, { "by", NUMBER, AT(by), HAS_BY }, { "on", ON, 0, 0 },
	{ "done", BOOLEAN, AT(done), HAS_DONE }, { "value", NUMBER, AT(value), HAS_VALUE }, { "from", NUMBER, AT(from), 0 },
	{ "to", NUMBER, AT(to), 0 }, { "stack", NUMBER, AT(stack), HAS_STACK }, { "name", TEXT, AT(name), 0 },
	{ "reason", TEXT, AT(reason), 0 }, { "role", TEXT, AT(role), 0 }, { "func", TEXT, AT(func), 0 },
	{ "file", TEXT, AT(file), 0 }, { "src_line", NUMBER, AT(src_line), 0 }, { "path", TEXT, AT(path), 0 },
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), CHOSEN_MAX = 256 };

static const struct column *chosen[CHOSEN_MAX];
static size_t count;

static const struct column *column_named(const char *name, size_t len)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (strlen(columns[i].name) == len && !memcmp(columns[i].name, name, len))
			return &columns[i];
	return NULL;
}

static bool choose(int letter, const char *list)
{
	if (letter != 'c')
		return false;
	for (count = 0; count < CHOSEN_MAX; list++) {
		size_t len = strcspn(list, ",");

		chosen[count] = column_named(list, len);
		if (!chosen[count++])
			return false;
		list += len;
		if (!*list)
			return true;
	}
	return false;
}

static const struct option options[] = { { "columns", required_argument, NULL, 'c' }, OPT_ALWAYS, OPT_END };
static const struct program program = { "ct-tocsv", help, options, choose };

/* One thread only, so the unlocked calls will do. */
static void bytes(const char *p, size_t len)
{
	while (len--)
		putchar_unlocked(*p++);
}

static void word(const char *s)
{
	bytes(s, strlen(s));
}

static void address(uint64_t v)
{
	word("0x");
	for (int shift = 60; shift >= 0; shift -= 4)
		putchar_unlocked("0123456789abcdef"[v >> shift & 15]);
}

static void number(uint64_t v)
{
	char buf[20], *p = buf + sizeof(buf);

	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	bytes(p, (size_t)(buf + sizeof(buf) - p));
}

/* Quoted where RFC 4180 asks for it, and where it would read as a missing value: an empty text is not an absent one. */
static void text(const struct text *t)
{
	const char *p = t->p, *end = p + t->len;
	bool plain = t->len > 0 && *p != ' ' && end[-1] != ' ';

	for (const char *q = p; plain && q < end; q++)
		plain = *q != '"' && *q != ',' && *q != '\n' && *q != '\r' && *q != '\0';
	if (plain) {
		bytes(p, t->len);
		return;
	}
	putchar_unlocked('"');
	for (; p < end; p++) {
		if (*p == '"')
			putchar_unlocked('"');
		if (*p)		/* no reader of CSV takes NUL */
			putchar_unlocked(*p);
		else
			word("\xe2\x90\x80");
	}
	putchar_unlocked('"');
}

static void cell(const struct column *c, const struct event *ev)
{
	const char *field = (const char *)ev + c->offset;
	uint64_t v;

	if (c->has && !(ev->has & c->has))
		return;
	switch (c->type) {
	case RUN:
		number(ev->run + 1ull);
		break;
	case EV:
		word(ev_name(ev->kind));
		break;
	case ACTIVE:
		if (ev->kind < EV_CREATE || ev->kind > EV_STATE)
			return;
		/* fall through */
	case BOOLEAN:
		putchar_unlocked(*(const bool *)field ? '1' : '0');
		break;
	case ON:
		if (ev->on.text.p)
			text(&ev->on.text);
		break;
	case TEXT:
		if (((const struct text *)field)->p)
			text((const struct text *)field);
		break;
	case ADDRESS:
		memcpy(&v, field, sizeof(v));
		address(v);
		break;
	case NUMBER:
		memcpy(&v, field, sizeof(v));
		if (c->has || v)
			number(v);
		break;
	}
}

/* CRLF, as the RFC has it. */
static void row(const struct event *ev)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			putchar_unlocked(',');
		if (ev)
			cell(chosen[i], ev);
		else
			word(chosen[i]->name);
	}
	word("\r\n");
}

int main(int argc, char *argv[])
{
	struct common opt = { .flags = 0 };
	struct trace *in;
	struct event ev;
	char **files;

	for (; count < COLUMNS; count++)
		chosen[count] = &columns[count];
	files = common_parse(argc, argv, &program, &opt);
	in = trace_open(files, program.name);
	trace_set(in, opt.flags | TRACE_STREAMS);
	for (bool first = true; trace_next(in, &ev) && !ferror(stdout); first = false) {
		if (first)
			row(NULL);
		row(&ev);
	}
	return trace_finish(in, 0);
}
