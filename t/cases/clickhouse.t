#!/bin/sh
# ct-tosql into real ClickHouse servers, one and two shards: the views answer what the filters say, row by row; a load that
# fails leaves nothing that anybody sees.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/clickhouse.sh"
clickhouse_servers || skip_all "$why"

fleet=${XDG_CACHE_HOME:-$HOME/.cache}/corotrace/fleet
echo "scratch=$scratch fleet=$fleet" >>"$scratch/.case-lib"
cat >>"$scratch/.case-lib" <<'EOF'
ch() { timeout 100 "$scratch/ch" "$@"; }
database() { for s in a b; do ch $s -q "CREATE DATABASE $1"; done; db=$1; }
load() { s=$1; shift; timeout 300 ct-tosql --dialect=clickhouse --client="$scratch/ch $s --database=$db" --quiet "$@"; }
rows() { ch "$1" --database=$db -q "$2 FORMAT TabSeparated" | sed "s/\\\\'/'/g"; }
views='stuck lost_wakeup site_stats await_tree timeline'
stuck='SELECT run, probe_id, name, state, age_ns, on_, where_, last_line FROM stuck'
lost_wakeup='SELECT run, id, verdict, certainty, probe_id, name, on_, since, age_ns, where_, cause_line, cause, because, unknown, story
	FROM lost_wakeup'
# All views of a server against the filters.
same_answers() {
	rows $1 "$stuck" | sort >stuck
	rows $1 "$lost_wakeup" | sort >lost_wakeup
	for view in site_stats await_tree timeline; do rows $1 "SELECT * FROM $view" | sort >$view; done
	for view in $views; do same ../expect/$view $view; done
}
EOF

# The traces of a fleet: programs of the zoo, each a run, and one in which much ended. expect/: what the filters say of them,
# and what SQLite answers, which its own test holds against the filters.
mkdir "$scratch/fleet" "$scratch/expect"
test_case 'traces of several programs are recorded, and the filters asked' <<'EOT'
run=10
for name in closed-fd closed-chan deadlock-two deadlock-three dropped-spawn dead-awaitee-one dead-owner-end asleep-signal maybe-cond; do
	ASAN_OPTIONS=detect_leaks=0 timeout -s KILL 300 ct-record -q -o ../fleet/$run $O/t/zoo/$name 2 || [ $? -ge 128 ]
	run=$((run + 1))
done
$O/t/bench/gen 20000 50 | head -n 19000 >../fleet/$run
cd ../expect
where='def where: if . then "\(.func) \(.file):\(.line)" else "?" end; def none: "\\N";'
for trace in ../fleet/*; do
	run=${trace##*/}
	ct-stuck --json --all --quiet $trace >json || [ $? -le 3 ]
	jq -r --argjson run $run "$where [\$run, .probe_id, .name // none, .state, .age, .on // none, (.site | where), .line] | @tsv" \
		json >>stuck
	ct-lostwake --json --quiet $trace >json || [ $? -le 3 ]
	jq -r --argjson run $run "$where [\$run, .id, .verdict, .certainty, .probe_id, .name // none, .on // none, .since, .age,
		(.site | where), .cause.line // none, .cause.what // none, .because // none, .unknown // none, .story // none] | @tsv" \
		json >>lost_wakeup
	ct-tosql --quiet --db=all.db --append --run=$run $trace || [ $? -eq 3 ]
done
sed -i 's/\\\\N/\\N/g' stuck lost_wakeup
for view in site_stats await_tree timeline; do
	sqlite3 -separator "$(printf '\t')" -nullvalue '\N' all.db "SELECT * FROM $view" >$view
done
for view in stuck lost_wakeup site_stats await_tree timeline; do
	sort -o $view $view
	wc -l $view
done >&2
[ $(wc -l <stuck) -ge 50 ] && [ $(wc -l <lost_wakeup) -ge 10 ] && [ $(wc -l <timeline) -ge 18000 ] && [ $(wc -l <await_tree) -ge 50 ]
EOT

test_case 'one server: every view answers what the filters say' <<'EOT'
database one
for trace in ../fleet/*; do load a --append --run=${trace##*/} $trace; done
same_answers a
rows a 'SELECT run, events FROM runs ORDER BY run' >got
rows a 'SELECT run, count() FROM events GROUP BY run ORDER BY run' >want
same want got
rows a 'SELECT probe_id FROM stuck LIMIT 1000' >oldest
rows a 'SELECT probe_id FROM stuck ORDER BY age_ns DESC, run, probe_id LIMIT 1000' >want
same want oldest
# By its key, a coroutine's timeline is read without the others'.
grep "^19$(printf '\t')77$(printf '\t')" ../expect/timeline >want
ch a --database=one --enable_optimize_predicate_expression=1 -q 'SELECT * FROM timeline WHERE run = 19 AND probe_id = 77' |
	sort >got
same want got
EOT

if PYTHONPATH=$fleet python3 -W ignore -c 'import chdb' 2>/dev/null; then
	test_case 'the engine of today reads the text itself, and what --client says, and its answers are the same' <<'EOT'
cat >keep <<'END'
#!/bin/sh
for last; do :; done
case $last in
--query=SELECT*) echo 0;;
--query=*) { echo "${last#--query=}"; cat; echo; } >>texts/client;;
*) cat >>texts/client;;
esac
END
chmod 755 keep
mkdir texts
for trace in ../fleet/*; do
	ct-tosql --quiet --dialect=clickhouse --append --run=${trace##*/} $trace >texts/${trace##*/} || [ $? -eq 3 ]
	ct-tosql --quiet --dialect=clickhouse --client=./keep --append --run=${trace##*/} $trace
done
for texts in '[0-9]*' client; do
	rm -rf answers; mkdir answers
	PYTHONPATH=$fleet timeout 200 python3 -W ignore $SRC/t/lib/clickhouse-chdb.py answers texts/$texts -- "$stuck" "$lost_wakeup" \
		'SELECT * FROM site_stats' 'SELECT * FROM await_tree' 'SELECT * FROM timeline'
	n=0
	for view in $views; do
		sed "s/\\\\'/'/g" answers/$n | sort >$view
		same ../expect/$view $view
		n=$((n + 1))
	done
done
EOT
else
	skip_case 'the engine of today reads the text itself, and what --client says, and its answers are the same' 'no chdb: make deps FLEET=1'
fi

test_case 'two shards: a run is on one of them, whole; either server answers for all what the filters say' <<'EOT'
database two
for s in a b; do
	load $s --tables --prefix=local_
	load $s --tables --cluster=fleet
done
for trace in ../fleet/*; do load a --append --cluster=fleet --run=${trace##*/} $trace; done
for s in a b; do
	rows $s 'SELECT DISTINCT run FROM local_events ORDER BY run' >$s.runs
	rows $s 'SELECT run FROM local_runs ORDER BY run' >runs
	same runs $s.runs
	[ -s $s.runs ]
done
sort a.runs b.runs >both
ls ../fleet >want
same want both
same_answers a
same_answers b
rows b 'SELECT verdict, count() FROM lost_wakeup GROUP BY verdict ORDER BY verdict' >got
cut -f 3 ../expect/lost_wakeup | sort | uniq -c | awk '{ print $2 "\t" $1 }' >want
same want got
load b --append --cluster=fleet ../fleet/12
rows a 'SELECT max(run) FROM runs' >got
echo 20 >want
same want got
EOT

test_case 'hostile names and the largest numbers arrive byte for byte' <<'EOT'
database hostile
cat >in <<'EOF'
{"probe_id":18446744073709551615,"tid":4294967295,"addr":"0xffffffffffffffff","seq":2,"is_active":false,"ts":9223372036854775807,"ev":"create","n":1}
{"ev":"name","ts":9223372036854775807,"tid":1,"probe_id":18446744073709551615,"name":"'); DROP TABLE events;--\t\n\r\\N\\\u0001\"`$(id)é"}
{"ev":"close","ts":9223372036854775807,"tid":1,"on":"user:'||1||'\\x41"}
EOF
load a in || [ $? -eq 3 ]
rows a 'SELECT probe_id, tid, addr, ts, hex(name), hex(on_) FROM events ORDER BY line' >got
upper() { od -An -v -tx1 | tr -d ' \n' | tr a-f A-F; }
name=$(printf "'); DROP TABLE events;--\t\n\r\\\\N\\\\\001\"\`\$(id)é" | upper)
on=$(printf "user:'||1||'\\\\x41" | upper)
t=9223372036854775807 max=18446744073709551615
printf '%s\t%s\t%s\t%s\t%s\t%s\n' $max 4294967295 0xffffffffffffffff $t '\N' '\N' \
	$max 1 '\N' $t "$name" '\N' 0 1 '\N' $t '\N' "$on" >want
same want got
EOT

test_case 'tables that are there, of another shape, a number that is taken, a wrong password: said, and nothing is changed' <<'EOT'
database taken
ch a --database=taken -q 'CREATE TABLE events(x UInt8) ENGINE = Memory'
status 2 load a ../fleet/10 2>err
has '^ct-tosql: --create: some of the tables are there already' err
status 2 load a --append ../fleet/10 2>err
has '^ct-tosql: the client ended: status [0-9]* while ' err
rows a "SELECT name FROM system.columns WHERE database = 'taken' AND table = 'events'" >got
echo x >want
same want got
ch a --database=taken -q 'DROP TABLE events'
load a --append ../fleet/10
status 2 load a --append --run=0 ../fleet/11 2>err
has '^ct-tosql: --run: there are rows of this number' err
sed 's/secret-[0-9]*/wrong/' $scratch/a/client.xml >wrong.xml
status 2 ct-tosql --dialect=clickhouse --client="clickhouse-client --config-file=wrong.xml" ../fleet/10 2>err
has 'Wrong password' err
has '^ct-tosql: the client ended: status [0-9]* while ' err
status 2 ct-tosql --dialect=clickhouse --client=no-such-client ../fleet/10 2>err
has '^ct-tosql: the client ended: status 127 while ' err
load a --append ../fleet/11
load a --append ../fleet/12
rows a 'SELECT run, events FROM runs ORDER BY run' >got
rows a 'SELECT run, count() FROM events GROUP BY run ORDER BY run' >want
[ $(wc -l <want) -eq 3 ]
same want got
load a --replace ../fleet/12
rows a 'SELECT DISTINCT run FROM events' >got
echo 0 >want
same want got
EOT

test_case 'bad lines under --strict, unusable input, a client that dies: what was written is taken away' <<'EOT'
database strict
{ cat ../fleet/10; echo nonsense; } >bad
status 2 load a --strict bad 2>err
rows a "SELECT count() FROM system.tables WHERE database = 'strict'" >got
echo 0 >want
same want got
load a ../fleet/10
status 2 load a --append --strict bad 2>err
status 2 load a --append </dev/null 2>err
cat >dies <<EOF
#!/bin/sh
case "\$*" in *_sync*events\(run*) head -n 5 | $scratch/ch "\$@"; exit 9;; *) exec $scratch/ch "\$@";; esac
EOF
chmod +x dies
status 2 ct-tosql --dialect=clickhouse --client="./dies a --database=strict" --quiet --append ../fleet/19 2>err
has '^ct-tosql: the client ended: status 9 while loading events$' err
for wait in $(seq 1200); do	# the server removes rows in the background
	rows a 'SELECT count() FROM events WHERE run <> 0' >got
	[ "$(cat got)" != 0 ] || break
	sleep 0.1
done
same want got
rows a 'SELECT run FROM runs' >got
same want got
EOT

test_case 'a server that goes away in the middle: said, status 2' <<'EOT'
database gone
load a ../fleet/10
mkdir ../before
for view in $views; do rows a "SELECT * FROM $view" | sort >../before/$view; done
mkfifo feed
load a --append feed 2>err &
loader=$!
exec 3>feed
$O/t/bench/gen 600000 100 | head -n 600000 >&3
for wait in $(seq 1200); do		# until the first block has arrived
	[ "$(rows a 'SELECT count() FROM events WHERE run = 1')" = 0 ] || break
	sleep 0.1
done
kill -9 $(cat $scratch/a.pid)
cat ../fleet/10 >&3 || :
exec 3>&-
got=0; wait $loader || got=$?
[ $got -eq 2 ]
has '^ct-tosql: the client ended: status [0-9]* while loading .*; what was written of run 1 could not be taken away' err
EOT

clickhouse_kill a
clickhouse_start a || echo "Bail out! $why"
test_case 'afterwards no view shows the half, and nobody takes its number' <<'EOT'
db=gone
[ "$(rows a 'SELECT count() >= 262144 FROM events WHERE run = 1')" = 1 ]
for view in $views; do
	rows a "SELECT * FROM $view" | sort >$view
	same ../before/$view $view
done
load a --append ../fleet/11
rows a 'SELECT run FROM runs ORDER BY run' >got
printf '0\n2\n' >want
same want got
EOT
done_testing
