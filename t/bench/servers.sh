# servers.sh - sourced by bench.sh, and by fleet.sh for loading ClickHouse by hand: a trace into an empty database. ct-tosql
# makes ten tables with verdicts; beside it what a user would do by hand for the events alone: a table of the same types, and
# ct-tocsv into the client's own reader of CSV. Wall time, as the server works as well; a quarter of a million events, where
# the starts of clients count, and a million. With --client, but SQLite, whose --db is measured elsewhere.

# NAME BY-HAND: uses NAME_empty, NAME_ours, NAME_hand; NAME_pipe where there is one
side_by_side() {
	for n in 250000 1000000; do
		head -n $n "$tmp/trace" >"$tmp/some"
		all='ours hand'
		! command -v $1_pipe >/dev/null || [ $n -gt 250000 ] || all='ours hand pipe'
		for r in $(rounds); do
			for who in $all; do
				$1_empty >/dev/null 2>&1
				start=$(date +%s%N); $1_$who >/dev/null 2>"$tmp/err" || echo "$1_$who: $(head -n 1 "$tmp/err")" >&2
				end=$(date +%s%N)
				note "$1-$n-$who" "$(((end - start) / 1000))"
			done
		done
		ours=$(median $1-$n-ours) hand=$(median $1-$n-hand)
		held "ct-tosql --dialect=$1, $(calc %.2f "$n / 1e6") M events" \
			"$(calc %.2f "$hand / $ours")x ($((ours / 1000)) ms, by hand $((hand / 1000)))" ">= 1x $2" "$hand >= $ours"
		case $all in *pipe) row '  the same, printed' "$(calc %.2f "$hand / $(median $1-$n-pipe)")x" '' '';; esac
	done
}
table() { echo "CREATE TABLE hand(run bigint, line bigint, ts $1, ev $2, probe_id $1, tid $1, addr $2, seq $1, is_active $3, n $1,
	site $1, parent $1, by_ $1, on_ $2, done $3, value $1, name $2, stack $1, reason $2);"; }
csv() {	# OPTION... TRACE
	ct-tocsv --quiet --columns=run,line,ts,ev,probe_id,tid,addr,seq,is_active,n,site,parent,by,on,done,value,name,stack,reason "$@"
}

sqlite_empty() { rm -f "$tmp"/*.lite; }
sqlite_ours() { ct-tosql --quiet "$tmp/some" | sqlite3 "$tmp/ours.lite"; }
sqlite_hand() { csv "$tmp/some" | sqlite3 "$tmp/hand.lite" "$(table '' text integer)" '.mode csv' '.import --skip 1 /dev/stdin hand'; }

postgres_empty() { psql -qXc 'DROP SCHEMA public CASCADE; CREATE SCHEMA public'; }
postgres_ours() { ct-tosql --quiet --dialect=postgres --client='psql -X' "$tmp/some"; }
postgres_pipe() { ct-tosql --quiet --dialect=postgres "$tmp/some" | psql -X; }
postgres_hand() { csv "$tmp/some" | psql -qX -c "$(table numeric text integer)" -c '\copy hand FROM stdin CSV HEADER'; }

mysql_empty() { echo 'DROP DATABASE corotrace; CREATE DATABASE corotrace CHARACTER SET utf8mb4' | mariadb $MY; }
mysql_ours() { ct-tosql --quiet --dialect=mysql --client="mariadb $MY" "$tmp/some"; }
mysql_pipe() { ct-tosql --quiet --dialect=mysql "$tmp/some" | mariadb $MY; }
mysql_hand() {
	csv --null='\N' "$tmp/some" | mariadb $MY --local-infile=1 -e "$(table 'BIGINT UNSIGNED' LONGTEXT INT)
		LOAD DATA LOCAL INFILE '/dev/stdin' INTO TABLE hand
		FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' IGNORE 1 LINES"
}

duckdb_empty() { rm -f "$tmp"/*.duck; }
duckdb_ours() { ct-tosql --quiet --dialect=duckdb --client="duckdb $tmp/ours.duck" "$tmp/some"; }
duckdb_pipe() { ct-tosql --quiet --dialect=duckdb "$tmp/some" | duckdb "$tmp/ours.duck"; }
duckdb_hand() { csv "$tmp/some" | duckdb "$tmp/hand.duck" "$(table UBIGINT VARCHAR INTEGER) COPY hand FROM '/dev/stdin' (HEADER)"; }

clickhouse_empty() { "$scratch/ch" a -q 'DROP DATABASE IF EXISTS bench'; "$scratch/ch" a -q 'CREATE DATABASE bench'; }
clickhouse_ours() { ct-tosql --quiet --dialect=clickhouse --client="$scratch/ch a --database=bench" "$tmp/some"; }
clickhouse_hand() { clickhouse_table bench; clickhouse_csv bench "$tmp/some"; }
# DATABASE: its table has ct-tosql's keys
clickhouse_table() {
	ct-tosql --dialect=clickhouse --tables | sed -n '/^CREATE TABLE events/,/;$/p' | "$scratch/ch" a --database=$1 -n
}
# DATABASE OPTION... TRACE: the lines of no event, which lead the trace, are none of its rows
clickhouse_csv() {
	database=$1; shift
	csv --null='\N' "$@" | tail -n +4 | "$scratch/ch" a --database=$database -q 'INSERT INTO events(run,line,ts,ev,probe_id,tid,
		addr,seq,is_active,n,site,parent,by_,on_,done,value,name,stack,reason) FORMAT CSV'
}

servers() {
	[ -x "$O/ct-tosql" ] && [ -x "$O/ct-tocsv" ] || return
	traces
	scratch=$tmp/servers
	mkdir "$scratch"
	chmod 711 "$tmp"		# for servers, which are not root
	. "$SRC/t/lib/sql.sh"
	. "$SRC/t/lib/clickhouse.sh"
	trap 'stop_servers; clickhouse_stop; rm -rf "$tmp"' EXIT
	side_by_side sqlite .import
	if postgres_start; then side_by_side postgres '\copy'; else row 'ct-tosql --dialect=postgres' "$why" '' -; fi
	if mariadb_start; then side_by_side mysql 'LOAD DATA'; else row 'ct-tosql --dialect=mysql' "$why" '' -; fi
	stop_servers
	if duckdb_find; then side_by_side duckdb 'COPY from CSV'; else row 'ct-tosql --dialect=duckdb' "$why" '' -; fi
	if clickhouse_servers; then side_by_side clickhouse 'INSERT FORMAT CSV'; else row 'ct-tosql --dialect=clickhouse' "$why" '' -; fi
	clickhouse_stop
	rm -rf "$tmp"/*.lite "$tmp"/*.duck "$tmp/some" "$scratch"
}
