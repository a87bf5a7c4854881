/* mutate.c - a trace that nobody recorded: lines of real ones, with values of other types and sizes, other keys, kinds, ids and
 * times, left out, doubled, cut, exchanged, of several runs and files in one another.
 *
 *	mutate SEED FILE...	print it; the same for the same seed
 *	mutate --expr SEED	print an expression of ct-where instead
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

enum { LINES = 4096, MEMBERS = 64 };
struct member { char *key, *value; };	/* as they stand: "ts" with its quotes */
struct line { struct member at[MEMBERS]; size_t count; };

static struct line lines[LINES];
static size_t line_count;

/* ---- reading: canonical lines, whose members are divided by commas of the first level ---- */

static const char *value_end(const char *p)
{
	bool string = false;
	int depth = 0;

	for (; *p && *p != '\n'; p++) {
		if (string && *p == '\\' && p[1])
			p++;
		else if (*p == '"')
			string = !string;
		else if (!string && (*p == '[' || *p == '{'))
			depth++;
		else if (!string && depth && (*p == ']' || *p == '}'))
			depth--;
		else if (!string && !depth && (*p == ',' || *p == '}'))
			break;
	}
	return p;
}

static void read_line(const char *p)
{
	struct line *l = &lines[line_count];

	for (l->count = 0, p++; *p == '"' && l->count < MEMBERS; l->count++) {
		const char *colon = strchr(p, ':'), *end;

		if (!colon)
			break;
		end = value_end(colon + 1);
		l->at[l->count] = (struct member){ strndup(p, (size_t)(colon - p)), strndup(colon + 1, (size_t)(end - colon - 1)) };
		p = *end == ',' ? end + 1 : end;
	}
	line_count += l->count > 0;
}

static void read_file(const char *name)
{
	FILE *f = fopen(name, "r");
	char *text = NULL;
	size_t size = 0;

	if (!f) {
		perror(name);
		exit(2);
	}
	while (line_count < LINES && getline(&text, &size, f) > 0)
		if (*text == '{')
			read_line(text);
	free(text);
	fclose(f);
}

/* ---- values ---- */

static const char *const kinds[] = {
	"create", "resume", "suspend", "wake", "destroy", "state", "meta", "process", "map", "thread", "site", "stack", "name", "open", "close",
	"notify", "level", "acquire", "release", "waker", "park", "unpark", "lost", "sync", "exit", "end", "cut", "symbol", "nothing",
	"dequeue", "deadline", "leg",
};

static char *random_value(const char *was)
{
	char *s;

	switch (draw(6)) {
	case 0: case 1:
		return strdup(ANY(numbers));
	case 2:		/* near what it was */
		s = malloc(32);
		snprintf(s, 32, "%" PRIu64, (uint64_t)strtoull(was, NULL, 10) + draw(5) - 2);
		return s;
	case 3:		/* a small id, so that lines meet */
		s = malloc(32);
		snprintf(s, 32, "%" PRIu64, draw(12));
		return s;
	case 4:
		if (one_in(8)) {
			size_t len = (size_t)draw(70000);

			s = malloc(len + 3);
			memset(s, 'x', len + 2);
			s[0] = s[len + 1] = '"';
			s[len + 2] = '\0';
			return s;
		}
		/* fall through */
	default:
		return strdup(ANY(others));
	}
}

static const char *another(const char *key)
{
	for (int i = 0; i < 50; i++) {
		const struct line *l = &lines[draw(line_count)];

		for (size_t k = 0; k < l->count; k++)
			if (!strcmp(l->at[k].key, key))
				return l->at[k].value;
	}
	return "0";
}

static void mutate(struct line *l)
{
	struct member *m = &l->at[draw(l->count)];
	const struct line *from = &lines[draw(line_count)];
	char kind[32];

	switch (draw(8)) {
	case 0: case 1:
		m->value = random_value(m->value);
		break;
	case 2: case 3:
		m->value = strdup(another(m->key));
		break;
	case 4:
		m->key = from->at[draw(from->count)].key;
		break;
	case 5:
		*m = l->at[--l->count];
		break;
	case 6:
		if (l->count < MEMBERS)
			l->at[l->count++] = (struct member){ m->key, random_value(m->value) };
		break;
	case 7:
		snprintf(kind, sizeof(kind), "\"%s\"", ANY(kinds));
		for (size_t i = 0; i < l->count; i++)
			if (!strcmp(l->at[i].key, "\"ev\""))
				l->at[i].value = strdup(kind);
		break;
	}
}

static void print_line(const struct line *l, bool spaced)
{
	static const char *const spaces[] = { "", " ", "\t", "  ", "\r" };
	char text[1 << 18];
	size_t n = 0;

	for (size_t i = 0; i < l->count && n < sizeof(text) - (1 << 17); i++) {
		const char *before = spaced ? ANY(spaces) : "";	/* no two draws in one call: their order is the compiler's */
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s%s:%s%s", i ? "," : "{", spaced ? ANY(spaces) : "", l->at[i].key,
			before, l->at[i].value);
	}
	text[n++] = '}';
	if (one_in(200))
		n = (size_t)draw(n);
	if (one_in(100) && n) {
		char other = (char)draw(256);

		text[draw(n)] = other;
	}
	fwrite(text, 1, n, stdout);
	fputs(one_in(50) ? "\r\n" : "\n", stdout);
}

static void print_trace(void)
{
	unsigned often = (unsigned)(2 + draw(60));	/* one line of so many is changed */
	size_t from = (size_t)draw(line_count);

	for (size_t i = 0; i < line_count; i++) {
		struct line l = lines[(one_in(4 * often) ? draw(line_count) : from + i) % line_count];

		for (; l.count > 1 && one_in(often);)
			mutate(&l);
		if (one_in(3 * often) || !l.count)
			continue;
		for (int times = one_in(5 * often) ? 1 + (int)draw(20) : 1; times--;)
			print_line(&l, one_in(often));
		if (one_in(20000))
			return;		/* cut off */
	}
}

/* ---- expressions ---- */

static void print_expr(int depth)
{
	static const char *const leaves[] = {
		".ts", ".probe_id", ".tid", ".ev", ".on", ".n", ".by", ".missing", ".addr", ".name", ".is_active", "since_start", "age", "state", "name", "place",
		"thread", "role", "on_kind", "on_value", "event", "1", "0", "7", "1.5", "-3", "9007199254740993", "18446744073709551615", "\"suspend\"",
		"\"fd:5\"", "null", "true", "\"\\u0041\"", "{}", "[]", ".", "..", "\"", "$x", "$__loc__", "@base64", "input", "env", "?//", "(", "]", ";", "#",
	};
	static const char *const between[] = { " == ", " != ", " < ", " > ", " <= ", " >= ", " and ", " or ", " | ", " , ", " // ", " + ", " - ", " * ", " / ", " % ",
		"==", "<", " as $x | ", " |= ", "" };
	static const char *const calls[] = { "not", "length", "test(\"a\")", "tostring", "tonumber", "select(", "keys", "error", "limit(3;", "first(", "[", "(", ".[",
		"if ", "try ", "-" };

	if (depth <= 0 || one_in(4)) {
		fputs(ANY(leaves), stdout);
		return;
	}
	if (one_in(6)) {
		fputs(ANY(calls), stdout);
		print_expr(depth - 1);
		fputs(one_in(2) ? ")" : "", stdout);
		return;
	}
	print_expr(depth - 1);
	fputs(ANY(between), stdout);
	print_expr(depth - 1);
}

int main(int argc, char *argv[])
{
	bool expr = argc > 2 && !strcmp(argv[1], "--expr");

	if (argc < 3) {
		fputs("usage: mutate SEED FILE... | mutate --expr SEED\n", stderr);
		return 2;
	}
	draw_from(strtoull(argv[1 + expr], NULL, 10));
	if (expr) {
		print_expr(4);
		return 0;
	}
	for (int i = 2; i < argc; i++)
		if (argc == 3 || !one_in(3) || (i + 1 == argc && !line_count))
			read_file(argv[i]);
	print_trace();
	return 0;
}
