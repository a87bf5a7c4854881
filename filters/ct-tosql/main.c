/* ct-tosql - a trace as SQL: text for a database's own client, or straight into an SQLite database.
 *
 * in:	{"probe_id":7,"tid":4711,...,"ev":"suspend","n":9,"site":3,"on":"fd:42"}
 * out:	INSERT INTO events(run,line,...) VALUES
 *	(0,12,123456789,'suspend',7,4711,'0x00007f3a10000b70',18,0,9,3,NULL,NULL,'fd:42',NULL,NULL,NULL,NULL,NULL,NULL);
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql.h"

static const char help[] =
	"usage: ct-tosql [options] [trace ...]\n"
	"Print a trace as SQL for a database's own client: tables events, coroutines,\n"
	"sites, threads, runs, lost, awaits, findings, evidence, cycles; views stuck,\n"
	"lost_wakeup, site_stats, await_tree, timeline.\n\n"
	"  --dialect=NAME  sqlite (the default), postgres, mysql (and MariaDB),\n"
	"                  clickhouse, duckdb\n"
	"  --db=FILE       write into this SQLite database instead: the same tables,\n"
	"                  faster\n"
	"  --client=CMD    run this client and load by it, instead of printing\n"
	"  --cluster=NAME  make tables over those of all shards of this ClickHouse\n"
	"                  cluster\n"
	"  --tables        only make the tables and views; read no trace\n"
	"  --create        make the tables; it is an error when they are there (the\n"
	"                  default)\n"
	"  --append        add to the tables that are there, as further runs\n"
	"  --replace       remove the tables that are there first\n"
	"  --prefix=NAME   begin the names of all tables and views with this\n"
	"  --run=NUMBER    the first run's number (default: 0; with --append the\n"
	"                  database's next)\n"
	"  --strict        bad lines are status 2, and nothing is loaded\n"
	"  -o, --output=FILE  write to a file instead of standard output\n"
	"  --quiet         only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0 loaded; 2 usage or unusable input: then nothing is loaded; 3 loaded,\n"
	"but nothing was recorded.\n\n"
	"example: ct-record ./app | ct-tosql | sqlite3 t.db\n"
	"         sqlite3 -box t.db 'SELECT * FROM stuck'\n"
	"         ct-record ./app | ct-tosql --dialect=postgres --client='psql -X traces'\n";

static struct ctt_common opt = { .product = CTT_FILE };
static const char *db_path, *client;
static bool only_tables;
static struct sql_load load = { .mode = SQL_CREATE, .prefix = "" };

/* Lower case: a database folds names or it does not, and must not matter. */
static bool good_prefix(const char *s)
{
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyz_0123456789");

	return len <= 32 && !s[len] && !(*s >= '0' && *s <= '9');
}

static bool good_cluster(const char *s)
{
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-0123456789");

	return len && len <= 64 && !s[len];
}

static bool own_option(int letter, const char *arg)
{
	switch (letter) {
	case 'D': return (load.dialect = sql_dialect(arg));
	case 'd': db_path = arg; return *arg;
	case 'x': client = arg; return *arg;
	case 'X': load.cluster = arg; return good_cluster(arg);
	case 't': return (only_tables = true);
	case 'c': load.mode = SQL_CREATE; return true;
	case 'a': load.mode = SQL_APPEND; return true;
	case 'r': load.mode = SQL_REPLACE; return true;
	case 'p': load.prefix = arg; return good_prefix(arg);
	case 'n': load.has_run = true; return ctt_parse_number(arg, 0, INT64_MAX, &load.run);
	default: return false;
	}
}

static const struct option options[] = {
	{ "dialect", required_argument, NULL, 'D' }, { "db", required_argument, NULL, 'd' },
	{ "client", required_argument, NULL, 'x' }, { "cluster", required_argument, NULL, 'X' },
	{ "tables", no_argument, NULL, 't' },
	{ "create", no_argument, NULL, 'c' }, { "append", no_argument, NULL, 'a' },
	{ "replace", no_argument, NULL, 'r' },
	{ "prefix", required_argument, NULL, 'p' },
	{ "run", required_argument, NULL, 'n' }, CTT_OPT_OUTPUT, CTT_OPT_ALWAYS, CTT_OPT_END
};
static const struct ctt_program program = { "ct-tosql", help, options, own_option };

static void check_options(void)
{
	if (!load.dialect)
		load.dialect = sql_dialect("sqlite");
	if (db_path && strcmp(load.dialect->name, "sqlite"))
		ctt_die("ct-tosql", "--db",
			"is for SQLite; other databases are loaded by their own clients");
	if (client && db_path)
		ctt_die("ct-tosql", "--client", "and --db exclude each other");
	if (load.cluster && !load.dialect->cluster[load.mode])
		ctt_die("ct-tosql", "--cluster",
			"is for ClickHouse, and replaces nothing: what shards hold is removed there");
	if (load.mode == SQL_APPEND && !load.has_run && !load.dialect->first_run &&
		!load.dialect->set_run && !client)
		ctt_die("ct-tosql", "--append",
			"needs --run in this dialect: it cannot ask which runs are there");
}

int main(int argc, char *argv[])
{
	char **files = ctt_common_parse(argc, argv, &program, &opt);
	struct sql_rows rows = { .sink = NULL };
	struct ctt_trace *in;
	struct ctt_event ev;
	int status;

	check_options();
	rows.sink = db_path ? sql_db_open(db_path, &load) :
		client && !strcmp(load.dialect->name, "clickhouse") ?
			      sql_client_open(client, &load) :
			      sql_text_open(client, &load);
	if (only_tables) {
		rows.sink->finish(rows.sink, true);
		return 0;
	}
	in = ctt_trace_open(files, "ct-tosql");
	ctt_trace_set(in, opt.flags | CTT_TRACE_STREAMS);
	ctt_trace_on_bad(in, ctt_judges_bad, &rows.judges);
	ctt_judges_read(&rows.judges, in);
	while (ctt_trace_next(in, &ev))
		sql_rows_of(&rows, &ev);
	sql_rows_end(&rows, in);
	status = ctt_trace_finish(in, 0);
	rows.sink->finish(rows.sink, status != 2);
	return status;
}
