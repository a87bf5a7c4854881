/* columns.c - the tables and their columns, as statements name them. Contracts in sql.h. */
#include "sql.h"

const char *const sql_table_name[SQL_TABLES] = { "runs", "sites", "threads", "lost", "coroutines",
	"events", "awaits", "findings", "evidence", "cycles" };
const char *const sql_column[SQL_TABLES][SQL_COLUMNS + 1] = {
	{ "run", "version", "tool", "first_ts", "last_ts", "\"lines\"", "bad", "events", "lost",
		"ended", "exit_status", "exit_signal", "doubt" },
	{ "run", "site", "func", "file", "line", "where_" },
	{ "run", "tid", "pid", "name", "role", "parked", "parked_since", "depth", "last_ts" },
	{ "run", "line", "ts", "tid", "probe_id", "count", "from_", "to_" },
	{ "run", "probe_id", "name", "parent", "state", "since", "created", "ended", "done",
		"first_ts", "last_ts", "last_line", "tid", "frame", "site", "spawn_site", "on_",
		"reason", "n", "missing", "wake_ts", "wake_by", "wake_tid", "of_runtime" },
	{ "run", "line", "ts", "ev", "probe_id", "tid", "addr", "seq", "is_active", "n", "site",
		"parent", "by_", "on_", "done", "value", "name", "op", "stack", "reason", "any_of",
		"all_of" },
	{ "run", "position", "probe_id", "awaits", "root", "depth" },
	{ "run", "id", "verdict", "certainty", "probe_id", "name", "on_", "site", "since", "age_ns",
		"cause_ts", "cause_tid", "cause_by", "cause_line", "cause_site", "cause", "because",
		"unknown", "story" },
	{ "run", "id", "position", "line", "ts", "tid", "by_", "site", "what" },
	{ "run", "id", "position", "probe_id", "next" }
};

int sql_columns(enum sql_table t)
{
	int n = 0;

	while (sql_column[t][n])
		n++;
	return n;
}

void sql_add_list(struct buf *b, const char *before, const char *sep, const struct sql_head *h)
{
	buf_word(b, before);
	for (int i = 0; sql_column[h->table][i]; i++)
		if (h->columns >> i & 1) {
			buf_word(b, sep);
			buf_word(b, sql_column[h->table][i]);
			sep = ",";
		}
	buf_word(b, ")");
}

void sql_add_columns(struct buf *b, const char *verb, const struct sql_head *h)
{
	buf_word(b, verb);
	buf_word(b, h->prefix);
	sql_add_list(b, sql_table_name[h->table], "(", h);
}

void sql_insert_into(struct buf *b, const char *prefix, enum sql_table t)
{
	struct sql_head all = { .prefix = prefix, .table = t, .columns = ~0u };

	sql_add_columns(b, "INSERT INTO ", &all);
}
