#!/bin/sh
# A fleet's traces in Parquet, asked by Spark on a cluster of two workers: the views answer what the filters say, row by row.
. "${0%/*}/../lib/lib.sh"
fleet=${XDG_CACHE_HOME:-$HOME/.cache}/corotrace/fleet
export PYTHONPATH="$fleet${PYTHONPATH:+:$PYTHONPATH}" SPARK_LOCAL_IP=127.0.0.1
unset SPARK_HOME
command -v java >/dev/null || skip_all 'no java'
python3 -W ignore -c 'import pyspark; assert tuple(map(int, pyspark.__version__.split(".")[:2])) >= (4, 1)' 2>/dev/null ||
	skip_all 'no pyspark 4.1: make deps FLEET=1'

mkdir "$scratch/fleet" "$scratch/expect" "$scratch/got"
test_case 'traces of several programs become partitioned CSV, and the filters are asked' <<'EOF'
run=10
for name in closed-fd cc-deadlock-child dropped-spawn dead-awaitee-one dead-owner-end maybe-cond; do
	ASAN_OPTIONS=detect_leaks=0 timeout -s KILL 300 ct-record -q -o ../fleet/$run $O/t/zoo/$name 2 || [ $? -ge 128 ]
	run=$((run + 1))
done
$O/t/bench/gen 4000 20 | head -n 3900 >../fleet/$run
cat >../fleet/20 <<'END'
{"probe_id":18446744073709551615,"tid":4294967295,"addr":"0xffffffffffffffff","seq":2,"is_active":false,"ts":1000,"ev":"create","n":1}
{"ev":"name","ts":1001,"tid":1,"probe_id":18446744073709551615,"name":"a \"quoted\", \\ 'name'\r\nof two lines"}
{"probe_id":9,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":1500,"ev":"suspend","n":1,"on":"coro:18446744073709551615"}
{"probe_id":4,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":2000,"ev":"suspend","n":1,"on":"coro:5"}
{"probe_id":5,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":3000,"ev":"suspend","n":1,"on":"coro:4"}
END
cd ../expect
where='def where: if . then "\(.func) \(.file):\(.line)" else "?" end;'
for trace in ../fleet/*; do
	run=${trace##*/}
	ct-tocsv --quiet --per=event,coroutine --partition=../traces --run=$run $trace
	mkdir -p ../traces/table=findings/run=$run
	ct-lostwake --json --quiet $trace >../traces/table=findings/run=$run/part-000000.json || [ $? -le 3 ]
	ct-stuck --json --all --quiet $trace >json || [ $? -le 3 ]
	jq -rj --arg run $run "$where [\$run, .probe_id, .name, .state, .age, .on, (.site | where), .line] |
		map(if . == null then \"\\\\N\" else tostring end) | join(\"\\t\") + \"\\n\"" json >>stuck
	jq -rj --arg run $run "$where [\$run, .id, .verdict, .certainty, .probe_id, .name, .on, .since, .age,
		(.site | where), .cause.line, .cause.what, .because, .unknown, .story, (.evidence | length), (.cycle | length)] |
		map(if . == null then \"\\\\N\" else tostring end) | join(\"\\t\") + \"\\n\"" \
		../traces/table=findings/run=$run/part-000000.json >>lost_wakeup
	ct-tosql --quiet --db=all.db --append --run=$run $trace || [ $? -eq 3 ]
done
sed -i 's/18446744073709552000/18446744073709551615/' stuck	# jq has doubles
for view in site_stats await_tree timeline; do
	sqlite3 -separator "$(printf '\t')" -nullvalue '\N' all.db "SELECT * FROM $view" >$view
done
[ $(wc -l <stuck) -ge 20 ] && [ $(wc -l <lost_wakeup) -ge 8 ] && [ $(wc -l <timeline) -ge 3000 ] && [ $(wc -l <await_tree) -ge 20 ]
EOF

cat >>"$scratch/.case-lib" <<'EOF'
# Little is asked: to compile all that it takes well would take longer than to run it.
spark() { JVM_OPTIONS='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' timeout 1500 python3 -W ignore $SRC/t/lib/spark.py "$@" 2>spark.err || { grep -vE 'WARN|^[[:space:]]+at ' spark.err | cut -c1-400 | tail -30 >&2; return 1; }; }
sql=$SRC/share/sql/spark
EOF
test_case 'two workers: every view answers what the filters say' <<'EOF'
here=$(cd .. && pwd)
spark 'local-cluster[2,1,1024]' $here/traces $here/lake $here/got $sql/tables.sql $sql/load.sql $sql/views.sql -- \
	'stuck:run,probe_id,name,state,age_ns,on_,where_,last_line' \
	'lost_wakeup:run,id,verdict,certainty,probe_id,name,on_,since,age_ns,where_,cause_line,cause,because,unknown,story,size(evidence),coalesce(size(cycle),0)' \
	site_stats await_tree timeline
for view in stuck lost_wakeup site_stats await_tree timeline; do
	LC_ALL=C sort ../expect/$view >want
	LC_ALL=C sort ../got/$view >got
	same want got
done
ls $here/lake/events | grep -c '^run=' >got
ls ../fleet | wc -l >want
same want got
EOF
done_testing
