#!/bin/sh
# fleet.sh - what loading and asking cost as a fleet's traces grow: one ClickHouse server, two shards (two servers), Spark on
# two workers; and clickhouse-client loading CSV by hand. `make bench FLEET=1` runs it; nothing here is a test. A run is a trace
# of a million events with a thousand coroutines at any time. Times are wall seconds, all on this one machine; loads also tell
# the CPU seconds of clients and servers, which others on the machine disturb less.
#
# O            build directory
# FLEET_SIZES       millions of events, default "1 10"; 100 takes a quarter of an hour, and as long again in Spark
# FLEET_CLICKHOUSE  sizes up to this one go into ClickHouse, default all; 100 take 2 GB
# FLEET_SPARK       sizes up to this one go through Spark, default 10; 100 take 15 GB
# FLEET_ASKS        how often each question is asked, default 3; the median is told
set -u
SRC=$(cd "$(dirname "$0")/../.." && pwd)
: "${O:=$SRC/build}" "${FLEET_SIZES:=1 10}" "${FLEET_SPARK:=10}" "${FLEET_CLICKHOUSE:=1000}" "${FLEET_ASKS:=3}"
PATH=$O:$PATH
base=${TMPDIR:-/var/tmp}
scratch=$(mktemp -d "$base/corotrace-fleet.XXXXXX") || exit 2
ch_memory=6000000000
. "$SRC/t/lib/clickhouse.sh"
. "$SRC/t/bench/servers.sh"
trap 'exit 1' INT TERM HUP
fleet=${XDG_CACHE_HOME:-$HOME/.cache}/corotrace/fleet
export PYTHONPATH="$fleet" SPARK_LOCAL_IP=127.0.0.1 PARTITIONS=8 TIMES=1
row() { printf '%-52s %s\n' "$1" "$2"; }
now() { date +%s.%N; }
# CPU seconds of what this shell has waited for, and of the servers.
cpu() {
	awk '{ sub(/.*\) /, ""); s += NR == 1 ? $14 + $15 : $12 + $13 } END { print s / 100 }' \
		/proc/$$/stat $(sed 's|.*|/proc/&/stat|' "$scratch/a.pid" "$scratch/b.pid" 2>/dev/null)
}
begin() { begun=$(now) burnt=$(cpu); }
since() { awk "BEGIN { printf \"%.1f s, CPU %.1f s\", $(now) - $begun, $(cpu) - $burnt }"; }

# The questions.
questions='stuck, of one run|SELECT count(), max(age_ns) FROM stuck WHERE run = 1
lost_wakeup, of all|SELECT verdict, count() FROM lost_wakeup GROUP BY verdict
site_stats, of all|SELECT sum(suspends), sum(total_ns) FROM site_stats
await_tree, of one run|SELECT count(), max(depth) FROM await_tree WHERE run = 1
timeline, of one coroutine|SELECT count(), sum(ns) FROM timeline WHERE run = 1 AND probe_id = 77
closes, of one run|SELECT count() FROM events WHERE run = 1 AND probe_id = 0
timeline of one coroutine, were it not for the key|SELECT count() FROM events WHERE run = 1 AND tid = 77'
ask() {	# SERVER DATABASE
	echo "$questions" | while IFS='|' read -r name sql; do
		for r in $(seq $FLEET_ASKS); do
			"$scratch/ch" $1 --database=$2 --enable_optimize_predicate_expression=1 \
				--max_bytes_before_external_group_by=1500000000 --time -q "$sql" 2>&1 >/dev/null | tail -n 1
		done | sort -n | sed -n $(((FLEET_ASKS + 1) / 2))p >"$scratch/asked"
		row "  $name" "$(cat "$scratch/asked") s"
	done
}
load() {	# SERVER DATABASE RUNS [OPTION...]
	server=$1 database=$2 runs=$3; shift 3
	for run in $(seq $runs); do
		ct-tosql --quiet --dialect=clickhouse --client="$scratch/ch $server --database=$database" --append --run=$run "$@" \
			"$scratch/trace" || exit 1
	done
}
bytes() {
	for s in a b; do
		"$scratch/ch" $s -q "SELECT sum(bytes) FROM system.parts WHERE active AND database = '$1'"
	done | awk '{ n += $1 } END { printf "%.0f MB", n / 1e6 }'
}
database() { for s in a b; do "$scratch/ch" $s -q "CREATE DATABASE $1"; done; }
drop() { for s in a b; do "$scratch/ch" $s -q "DROP DATABASE $1"; done; }

by_hand() {	# SIZE: the same columns, types and keys; events alone
	database hand
	clickhouse_table hand
	begin
	for run in $(seq $1); do clickhouse_csv hand --run=$run "$scratch/trace" || exit 1; done
	row 'ct-tocsv into clickhouse-client, events alone' "$(since)"
	drop hand
}
one_server() {
	database one
	begin
	load a one $1
	row "one server: ct-tosql --client, all tables" "$(since)"
	row '  on disk' "$(bytes one)"
	ask a one
	drop one
}
two_shards() {
	database two
	for s in a b; do
		for made in --prefix=local_ --cluster=fleet; do
			ct-tosql --dialect=clickhouse --client="$scratch/ch $s --database=two" --tables $made
		done
	done
	begin
	load a two $1 --cluster=fleet
	row "two shards: ct-tosql --client --cluster" "$(since)"
	row '  on disk' "$(bytes two)"
	ask a two
	drop two
}
spark() {
	python3 -W ignore -c 'import pyspark' 2>/dev/null || { row 'Spark' 'not here: make deps FLEET=1'; return; }
	begin
	for run in $(seq $1); do
		ct-tocsv --quiet --per=event,coroutine --partition="$scratch/traces" --run=$run "$scratch/trace" || exit 1
		mkdir -p "$scratch/traces/table=findings/run=$run"
		ct-lostwake --quiet --json "$scratch/trace" >"$scratch/traces/table=findings/run=$run/part-000000.json"
	done
	row 'Spark: ct-tocsv --partition, ct-lostwake --json' "$(since)"
	mkdir -p "$scratch/lake" "$scratch/answers"
	timeout 3000 python3 -W ignore "$SRC/t/lib/spark.py" 'local-cluster[2,1,2048]' "$scratch/traces" "$scratch/lake" "$scratch/answers" \
		"$SRC"/share/sql/spark/tables.sql "$SRC"/share/sql/spark/load.sql "$SRC"/share/sql/spark/views.sql -- \
		'stuck:count(*),max(age_ns) WHERE run="1"' 'lost_wakeup:count(*)' 'site_stats:sum(suspends),sum(total_ns)' \
		'await_tree:count(*),max(depth) WHERE run="1"' 'timeline:count(*),sum(ns) WHERE run="1" AND probe_id=77' \
		2>"$scratch/spark.err" >"$scratch/spark.times" || { tail -5 "$scratch/spark.err" >&2; row 'Spark' 'failed'; }
	while IFS='	' read -r name seconds; do row "  $name" "$seconds s"; done <"$scratch/spark.times"
	row '  Parquet' "$(du -sm --exclude=tmp "$scratch/lake" | cut -f 1) MB"
	rm -rf "$scratch/traces" "$scratch/lake"
}

clickhouse_servers || row ClickHouse "$why"
"$O/t/bench/gen" 1000000 1000 | head -n 999000 >"$scratch/trace"
for size in $FLEET_SIZES; do
	echo "$size million events, $size runs; load average $(cut -d' ' -f1 /proc/loadavg)"
	if [ -e "$scratch/a.pid" ] && [ $size -le $FLEET_CLICKHOUSE ]; then
		by_hand $size
		one_server $size
		two_shards $size
	fi
	[ $size -gt $FLEET_SPARK ] || spark $size
done
