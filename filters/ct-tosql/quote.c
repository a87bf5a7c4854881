/* quote.c - values as each dialect reads them. Contracts in sql.h.
 *
 * Clients read lines before their database reads SQL: a carriage return may be dropped, a line may
 * be taken for a command, a backslash may mean something. So text with control characters is
 * written without any of them.
 */
#include <string.h>

#include "sql.h"

static const char hex[] = "0123456789abcdef";

static char *room(struct buf *b, size_t more)
{
	buf_room(b, more);
	return b->p + b->len;
}

static bool is_control(char c) { return (unsigned char)c < ' ' || c == 0x7f; }

static bool is_plain(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (is_control(s[i]) || s[i] == '\\')
			return false;
	return true;
}

static char *put_quoted(char *p, const char *s, size_t len, char quote)
{
	*p++ = quote;
	for (size_t i = 0; i < len; i++) {
		*p++ = s[i];
		if (s[i] == quote)
			*p++ = quote;
	}
	*p++ = quote;
	return p;
}

static void add_quoted(struct buf *b, const char *s, size_t len)
{
	char *p = room(b, 2 * len + 2);

	b->len = (size_t)(put_quoted(p, s, len, '\'') - b->p);
}

static void add_hex(struct buf *b, const char *s, size_t len)
{
	char *p = room(b, 2 * len);

	for (size_t i = 0; i < len; i++) {
		*p++ = hex[(unsigned char)s[i] >> 4];
		*p++ = hex[s[i] & 15];
	}
	b->len += 2 * len;
}

/* Text in hexadecimal where it is not plain. */
static void quote_literal(
	struct buf *b, const struct sql_value *v, const char *begin, const char *end)
{
	if (v->type == SQL_NULL) {
		buf_word(b, "NULL");
	} else if (v->type == SQL_NUMBER) {
		buf_number(b, v->number);
	} else if (is_plain(v->text, v->len)) {
		add_quoted(b, v->text, v->len);
	} else {
		buf_word(b, begin);
		add_hex(b, v->text, v->len);
		buf_word(b, end);
	}
}

bool sql_quote_sqlite(struct buf *b, const struct sql_value *v)
{
	if (v->type == SQL_NUMBER && v->number > INT64_MAX) {
		buf_word(b, "'");
		buf_number(b, v->number);
		buf_word(b, "'");
	} else {
		quote_literal(b, v, "CAST(x'", "' AS TEXT)");
	}
	return false;
}

bool sql_quote_mysql(struct buf *b, const struct sql_value *v)
{
	quote_literal(b, v, "_utf8mb4 x'", "'");
	return false;
}

/* A field of a row within one long literal: | ends it, ~ ends its row. Never NULL. */
bool sql_quote_duckdb(struct buf *b, const struct sql_value *v)
{
	bool escaped = false;
	char *p;

	if (v->type == SQL_NUMBER) {
		buf_number(b, v->number);
		return false;
	}
	p = room(b, 3 * v->len);
	for (size_t i = 0; i < v->len; i++) {
		char c = v->text[i];

		if (is_control(c) || strchr("'\\|~%", c)) {
			*p++ = '%';
			*p++ = hex[(unsigned char)c >> 4];
			c = hex[c & 15];
			escaped = true;
		}
		*p++ = c;
	}
	b->len = (size_t)(p - b->p);
	return escaped;
}

/* With backslashes, as COPY, TabSeparated and Values share them; quote: which to escape as well, or
 * NUL. */
static void add_escaped(struct buf *b, const char *s, size_t len, char quote)
{
	char *p = room(b, 2 * len);

	for (size_t i = 0; i < len; i++) {
		char c = s[i],
		     escape = c == '\t'         ? 't' :
			c == '\n'               ? 'n' :
			c == '\r'               ? 'r' :
			c == '\\' || c == quote ? c :
						  '\0';

		if (escape)
			*p++ = '\\';
		*p++ = escape ? escape : c;
	}
	b->len = (size_t)(p - b->p);
}

bool sql_quote_tabs(struct buf *b, const struct sql_value *v)
{
	if (v->type == SQL_NULL)
		buf_word(b, "\\N");
	else if (v->type == SQL_NUMBER)
		buf_number(b, v->number);
	else
		add_escaped(b, v->text, v->len, '\0');
	return false;
}

void sql_quote_values(struct buf *b, const struct sql_value *v)
{
	if (v->type != SQL_TEXT) {
		quote_literal(b, v, NULL, NULL);
		return;
	}
	buf_byte(b, '\'');
	add_escaped(b, v->text, v->len, '\'');
	buf_byte(b, '\'');
}

/* In quotes only what needs them: they take a reader long. Nothing, without quotes, is NULL. */
static bool is_bare(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (is_control(s[i]) || s[i] == ',' || s[i] == '"' || s[i] == ' ')
			return false;
	return len;
}

bool sql_quote_csv(struct buf *b, const struct sql_value *v)
{
	if (v->type == SQL_NUMBER) {
		buf_number(b, v->number);
	} else if (v->type == SQL_TEXT && is_bare(v->text, v->len)) {
		buf_add(b, v->text, v->len);
	} else if (v->type == SQL_TEXT) {
		char *p = room(b, 2 * v->len + 2);

		b->len = (size_t)(put_quoted(p, v->text, v->len, '"') - b->p);
	}
	return false;
}

void sql_row(struct buf *b, enum sql_table t, const struct sql_value *v, char sep,
	bool (*quote)(struct buf *, const struct sql_value *))
{
	for (int i = 0; sql_column[t][i]; i++) {
		if (i)
			buf_byte(b, sep);
		quote(b, &v[i]);
	}
	buf_byte(b, '\n');
}
