# sql.sh - sourced after lib.sh: databases of a test's own. Each server has its data in the scratch directory, listens
# on loopback, and asks for the password `secret` of the user `corotrace`. A function returns 1 where its server cannot be
# had, and says why in $why. Whatever happens, servers are stopped and their data is removed.
#
#	postgres_start && psql -c 'SELECT 1'		# by PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE
#	mariadb_start && mariadb $MY -e 'SELECT 1'	# $MY: where it is and who asks
#	duckdb_find && duckdb t.db 'SELECT 1'

servers= tries=0
chmod 711 "$scratch"		# servers do not run as root, and must reach their own directory
password=secret

# The user that a server runs as where we are root; a directory of its own.
server_dir() {	# NAME USER...
	server_as= dir=$scratch/$1; shift
	mkdir "$dir"
	[ "$(id -u)" -eq 0 ] || return 0
	for user in "$@" nobody; do
		if id "$user" >/dev/null 2>&1; then
			chown "$user" "$dir"
			server_as="setpriv --reuid=$user --regid=$(id -g "$user") --clear-groups"
			return 0
		fi
	done
	return 1
}

# QUIT ends both at once, and lets PostgreSQL give back its shared memory.
stop_servers() {
	for pid in $servers; do kill -QUIT "$pid" 2>/dev/null; done
	for pid in $servers; do
		for wait in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
		kill -9 "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	servers=
}
trap 'stop_servers; cd /; rm -rf "$scratch"' EXIT

# Start a server at some free port: `$1 PORT` runs it in the foreground, `$2` asks whether it answers. Sets server_pid.
start_at_some_port() {
	for try in 1 2 3 4 5; do
		tries=$((tries + 1))
		port=$((20000 + ($$ * 13 + tries * 1009) % 12000))
		$1 $port >"$dir.log" 2>&1 &
		server_pid=$!
		for wait in $(seq 1200); do
			if $2 >/dev/null 2>&1; then
				servers="$servers $server_pid"
				return 0
			fi
			kill -0 $server_pid 2>/dev/null || break
			sleep 0.1
		done
		kill -9 $server_pid 2>/dev/null
		wait $server_pid 2>/dev/null
	done
	why="the server does not start: $(tail -n 1 "$dir.log")"
	return 1
}

postgres_run() { export PGPORT=$1; exec $pg_as "$pg_bin/postgres" -D "$pg_data" -k '' -h 127.0.0.1 -p "$1" -F; }
postgres_answers() { PGPORT=$port psql -XAtc 'SELECT 1'; }
postgres_start() {
	pg_bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
	[ -x "$pg_bin/initdb" ] || pg_bin=$(dirname "$(command -v initdb || echo /none/initdb)")
	command -v psql >/dev/null && [ -x "$pg_bin/initdb" ] || { why='no PostgreSQL here'; return 1; }
	server_dir postgres postgres || { why='no user to run PostgreSQL as'; return 1; }
	pg_data=$dir/data pg_as=$server_as
	echo $password >"$scratch/.pgpass"; chmod 644 "$scratch/.pgpass"
	(cd / && $server_as "$pg_bin/initdb" -D "$pg_data" -U corotrace -A scram-sha-256 --pwfile="$scratch/.pgpass" -E UTF8 \
		--locale=C --no-sync) >"$dir.log" 2>&1 || { why="initdb: $(tail -n 1 "$dir.log")"; return 1; }
	export PGHOST=127.0.0.1 PGUSER=corotrace PGPASSWORD=$password PGDATABASE=postgres PGCONNECT_TIMEOUT=10
	start_at_some_port postgres_run postgres_answers || return 1
	export PGPORT=$port
	pg_pid=$server_pid
}

mariadb_run() {
	exec $my_as "$my_bin" --no-defaults --datadir="$my_data" --socket="$my_data/socket" --tmpdir="$my_data" \
		--port="$1" --bind-address=127.0.0.1 \
		--init-file="$my_data.sql" --innodb-flush-method=nosync --innodb-buffer-pool-size=64M
}
mariadb_answers() { mariadb --no-defaults --connect-timeout=5 -h127.0.0.1 -P$port -ucorotrace -p$password -e 'SELECT 1'; }
mariadb_start() {
	my_bin=$(command -v mariadbd || ls /usr/sbin/mariadbd 2>/dev/null)
	command -v mariadb >/dev/null && command -v mariadb-install-db >/dev/null && [ -n "$my_bin" ] ||
		{ why='no MariaDB here'; return 1; }
	server_dir mariadb mysql || { why='no user to run MariaDB as'; return 1; }
	my_data=$dir/data my_as=$server_as
	(cd / && $server_as mariadb-install-db --no-defaults --datadir="$my_data" --auth-root-authentication-method=normal \
		--skip-test-db) >"$dir.log" 2>&1 || { why="mariadb-install-db: $(tail -n 1 "$dir.log")"; return 1; }
	cat >"$my_data.sql" <<-END
	CREATE DATABASE IF NOT EXISTS corotrace CHARACTER SET utf8mb4;
	CREATE OR REPLACE USER corotrace@'127.0.0.1' IDENTIFIED BY '$password';
	GRANT ALL ON corotrace.* TO corotrace@'127.0.0.1';
	DROP USER IF EXISTS root@localhost;
	END
	chmod 644 "$my_data.sql"
	start_at_some_port mariadb_run mariadb_answers || return 1
	MY="--no-defaults --skip-print-query-on-error --default-character-set=utf8mb4 -h127.0.0.1 -P$port -ucorotrace corotrace"
	MYSQL_PWD=$password
	export MY MYSQL_PWD
	my_pid=$server_pid
}

# The command-line program, from PyPI where it is not installed: once, below $O; without Python's wrapper.
duckdb_find() {
	command -v duckdb >/dev/null && return 0
	(
		flock 9
		[ -x "$O/duckdb/bin/duckdb" ] || { rm -rf "$O/duckdb" && python3 -m venv "$O/duckdb" &&
			timeout 200 "$O/duckdb/bin/pip" install -q duckdb-cli; }
	) 9>"$O/duckdb.lock" >/dev/null 2>&1
	for found in "$O"/duckdb/lib/python*/site-packages/duckdb_cli/duckdb; do
		[ -x "$found" ] && PATH=$PATH:${found%/*} && export PATH && return 0
	done
	why='no DuckDB here, nor from PyPI'
	return 1
}

# For the cases: the same question to each database that is there ($dbs), and its rows in one form.
cat >>"$scratch/.case-lib" <<'EOT'
duck() { duckdb -batch -noheader -list "$@"; }
command_of() {	# DATABASE: the client that reads SQL
	case $1 in
	sqlite) echo 'sqlite3 -bail lite.db';;
	postgres) echo 'psql -X';;
	mysql) echo "mariadb $MY";;
	duckdb) echo 'duckdb duck.db';;
	esac
}
client() { $(command_of $1); }
ask() {	# DATABASE SQL
	case $1 in
	sqlite) sqlite3 lite.db "$2";;
	postgres) psql -XAtqc "$2";;
	mysql) mariadb $MY -BNe "$2";;
	duckdb) duck duck.db "$2";;
	esac
}
# load DATABASE TRACE OPTION...: through pipes that hide no status
load() {
	database=$1 trace=$2; shift 2
	ct-tosql --quiet --dialect=$database "$@" "$trace" >$database.sql
	client $database <$database.sql
}
# select_of DATABASE TABLE COLUMN...: the SELECT of rows that decode() reads, which begin with the table's name
select_of() {
	database=$1 from=$2; shift 2
	case $database in mysql) list="concat('${from%% *}'" and=, end=')';; *) list="'${from%% *}'" and=' || ' end=;; esac
	for column; do
		case $database in
		sqlite) hex="hex($column)";;
		postgres) hex="encode(convert_to($column::text, 'UTF8'), 'hex')";;
		mysql) column=$(echo "$column" | tr '"' '`'); hex="hex(cast($column AS char))";;
		duckdb) hex="hex($column::varchar)";;
		esac
		list="$list$and'|'${and}CASE WHEN $column IS NULL THEN '~' ELSE $hex END"
	done
	echo "SELECT $list$end FROM $from;"
}
# Sorted; ~ is NULL, control characters, | ~ and \ are \xNN.
decode() {
	perl -ne 'chomp; my ($table, @v) = split(/\|/, $_, -1); print join("|", $table, map { $_ eq "~" ? $_ : do {
		my $s = pack("H*", $_); $s =~ s/([\x00-\x1f\x7f|~\\])/sprintf("\\x%02x", ord $1)/ge; $s } } @v), "\n"' | LC_ALL=C sort
}
# rows DATABASE TABLE COLUMN...
rows() { ask $1 "$(select_of "$@")" | decode | cut -d'|' -f2-; }
# The columns of a table or view, as SQLite has them.
columns() { sqlite3 lite.db "SELECT name FROM pragma_table_info('$1')" | sed 's/^lines$/"lines"/'; }
EOT
