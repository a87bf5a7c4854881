/* dialect.c - what the databases differ in: share/sql's text, and how a statement of many rows
 * looks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql.h"
#include "sql.inc"

static void head_values(struct buf *b, const struct sql_head *h)
{
	sql_add_columns(b, "INSERT INTO ", h);
	buf_word(b, " VALUES\n");
}

static void head_copy(struct buf *b, const struct sql_head *h)
{
	sql_add_columns(b, "COPY ", h);
	buf_word(b, " FROM stdin;\n");
}

static void head_tabs(struct buf *b, const struct sql_head *h)
{
	sql_add_columns(b, "INSERT INTO ", h);
	buf_word(b, " FORMAT TabSeparated\n");
}

/* DuckDB parses one long literal 20 times as fast as as many values; its own vector functions split
 * it into fields. */
static void head_fields(struct buf *b, const struct sql_head *h)
{
	const char *sep = "\nSELECT ";
	char field[64];
	int n = 0;

	sql_add_columns(b, "INSERT INTO ", h);
	for (int i = 0; sql_column[h->table][i]; i++) {
		bool escaped = h->escaped >> i & 1;

		if (!(h->columns >> i & 1))
			continue;
		n++;
		snprintf(field, sizeof(field),
			!i && h->next_run ? "getvariable('first_run')+f[%d]::UBIGINT" :
				escaped   ? "url_decode(f[%d])" :
					    "f[%d]",
			n);
		buf_word(b, sep);
		buf_word(b, field);
		sep = ",";
	}
	buf_word(b, "\nFROM (SELECT string_split(unnest(string_split('");
}

#define TEXTS(d)                                                                                \
	{ sql_##d##_create, sql_##d##_append, sql_##d##_replace },                              \
		{ sql_##d##_commit_create, sql_##d##_commit_append, sql_##d##_commit_replace }, \
		sql_##d##_rollback, sql_##d##_drop
#define VALUES "(", ",", ",\n", ")", ";\n"
static const struct sql_dialect dialects[] = {
	{ "sqlite", TEXTS(sqlite), { NULL }, head_values, VALUES, sql_quote_sqlite, "@first_run+",
		NULL, "", 64 << 10, NULL },
	{ "postgres", TEXTS(postgres), { NULL }, head_copy, "", "\t", "\n", "", "\n\\.\n",
		sql_quote_tabs, NULL,
		"SELECT set_config('corotrace.run', (:first_run + %s)::text, true) \\g /dev/null\n",
		"", 1 << 20, &sql_feed_postgres },
	{ "mysql", TEXTS(mysql), { NULL }, head_values, VALUES, sql_quote_mysql, "@first_run+",
		NULL, "new_", 256 << 10, &sql_feed_mysql },
	{ "clickhouse", TEXTS(clickhouse),
		{ sql_clickhouse_cluster, sql_clickhouse_cluster_append, NULL }, head_tabs, "",
		"\t", "\n", "", "\n\n", sql_quote_tabs, NULL, NULL, "", 1 << 20, NULL },
	{ "duckdb", TEXTS(duckdb), { NULL }, head_fields, "", "|", "~", "",
		"', '~')), '|') AS f);\n", sql_quote_duckdb, "", NULL, "", 1 << 20,
		&sql_feed_duckdb },
};

const struct sql_dialect *sql_dialect(const char *name)
{
	for (size_t i = 0; i < sizeof(dialects) / sizeof(*dialects); i++)
		if (!strcmp(name, dialects[i].name))
			return &dialects[i];
	return NULL;
}

char *sql_expand(const char *template, const char *prefix)
{
	struct buf b = { NULL, 0, 0 };
	const char *at;

	for (; (at = strchr(template, '{')); template = strchr(at, '}') + 1) {
		buf_add(&b, template, (size_t)(at - template));
		buf_word(&b, prefix);
		buf_add(&b, at + 1, strcspn(at + 1, "}"));
	}
	buf_add(&b, template, strlen(template) + 1);
	return b.p;
}

char *sql_opening(const struct sql_load *load)
{
	const char *cluster = load->cluster;
	char *text = sql_expand(
		(cluster ? load->dialect->cluster : load->dialect->open)[load->mode], load->prefix);
	struct buf b = { NULL, 0, 0 };
	const char *rest = text, *at;

	for (; cluster && (at = strstr(rest, "@cluster")); rest = at + strlen("@cluster")) {
		buf_add(&b, rest, (size_t)(at - rest));
		buf_word(&b, cluster);
	}
	buf_add(&b, rest, strlen(rest) + 1);
	free(text);
	return b.p;
}
