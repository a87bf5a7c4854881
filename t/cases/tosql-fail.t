#!/bin/sh
# ct-tosql where a load cannot be: a server that is killed in the middle, text that ends early, locks, a wrong password, a
# table of another shape, a full disk. What was there before is there afterwards, nothing else, and somebody says why.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/sql.sh"

dbs=sqlite missing=
postgres_start && dbs="$dbs postgres" || missing="$missing; PostgreSQL: $why"
mariadb_start && dbs="$dbs mysql" || missing="$missing; MariaDB: $why"
duckdb_find && dbs="$dbs duckdb" || missing="$missing; DuckDB: $why"
export dbs

{
	echo '{"ev":"meta","ts":1,"format":"corotrace","version":2,"tool":"test"}'
	awk 'BEGIN { for (i = 1; i <= 6000; i++)
		printf "{\"probe_id\":%d,\"tid\":1,\"addr\":\"0x0000000000000010\",\"seq\":2,\"is_active\":false,\"ts\":%d,\"ev\":\"create\",\"n\":1}\n",
			i, i + 1 }'
	echo '{"ev":"end","ts":7000,"events":6000,"lost":0}'
} >"$scratch/big"
{ head -n 11 "$scratch/big"; echo '{"ev":"end","ts":7000,"events":10,"lost":0}'; } >"$scratch/small"

cat >>"$scratch/.case-lib" <<'EOT'
# What stands in the database: its tables and views, and how many events of which run.
state() {
	case $1 in
	sqlite) sqlite3 lite.db "SELECT name FROM sqlite_master WHERE type <> 'index' ORDER BY 1";;
	postgres) ask $1 "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1";;
	mysql) ask $1 "SELECT table_name FROM information_schema.tables WHERE table_schema = 'corotrace' ORDER BY 1";;
	duckdb) ask $1 "SELECT table_name FROM information_schema.tables ORDER BY 1";;
	esac
	ask $1 "SELECT run, count(*) FROM events GROUP BY run ORDER BY run" 2>/dev/null || :
}
empty() {
	case $1 in
	sqlite) rm -f lite.db;;
	postgres) ask $1 'DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public' 2>/dev/null;;
	mysql) ask $1 'DROP DATABASE IF EXISTS corotrace; CREATE DATABASE corotrace';;
	duckdb) rm -f duck.db;;
	esac
}
# fails_with PATTERN COMMAND...: it fails, and says so
fails_with() {
	pattern=$1; shift
	! "$@" >out 2>err || { echo "no failure: $*" >&2; return 1; }
	has "$pattern" err
}
EOT

# Load the big trace and kill the server when it has rows of it. Leaves the status in $scratch/DB-MODE.status: with mode
# client that of ct-tosql --client --replace, which gets two thirds of the trace, else the client's, which gets as much text.
# A process of PostgreSQL that serves a client may outlive the server, and commit: they are killed together.
kill_in_the_middle() {	# DATABASE MODE IN-THE-MIDDLE SERVER
	here=$scratch/$1-$2
	case $1 in postgres) client='psql -X';; *) client="mariadb $MY";; esac
	if [ $2 = client ]; then
		cp "$scratch/big" "$here.in"
		set -- "$@" ct-tosql --dialect=$1 --client="$client" --replace
	else
		ct-tosql --dialect=$1 --$2 "$scratch/big" >"$here.in"
		set -- "$@" $client
	fi
	middle=$3 server=$4; shift 4
	part=$(($(wc -c <"$here.in") * 2 / 3))
	mkfifo "$here.fifo"
	(got=0; "$@" <"$here.fifo" >"$here.out" 2>"$here.err" || got=$?; echo $got >"$here.status") &
	loads=$!
	exec 3>"$here.fifo"
	head -c $part "$here.in" >&3
	for wait in $(seq 1200); do [ "$($middle 2>/dev/null)" -gt 0 ] 2>/dev/null && touch "$here.middle" && break; sleep 0.1; done
	kill -9 $(cat /proc/$server/task/$server/children) $server 2>/dev/null; wait $server 2>/dev/null
	(trap '' PIPE; tail -c +$((part + 1)) "$here.in" >&3) 2>/dev/null
	exec 3>&-
	wait $loads
}
postgres_in_transaction() { psql -XAtc 'SELECT count(*) FROM pg_stat_activity WHERE backend_xid IS NOT NULL'; }
mariadb_in_transaction() {
	mariadb $MY -BNe "SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED; SELECT (SELECT count(*) FROM $1) > 10"
}
new_in_transaction() { mariadb_in_transaction new_events; }
old_in_transaction() { mariadb_in_transaction events; }

for mode in create append replace client; do
	case " $dbs " in *" postgres "*)
		[ $mode = create ] || (cd "$scratch" && ct-tosql --dialect=postgres --replace small | psql -Xq)
		kill_in_the_middle postgres $mode postgres_in_transaction $pg_pid
		start_at_some_port postgres_run postgres_answers || echo "# $why"
		export PGPORT=$port; pg_pid=$server_pid
		test_case "PostgreSQL killed in the middle, --$mode: what was there is there" <<EOT
[ -e ../postgres-$mode.middle ] || { cat ../postgres-$mode.err >&2; exit 1; }
[ "\$(cat ../postgres-$mode.status)" -ne 0 ]
[ $mode != client ] || has '^ct-tosql: the client ended: status' ../postgres-client.err
has 'connection' ../postgres-$mode.err
if [ $mode = create ]; then
	[ -z "\$(state postgres)" ]
else
	[ "\$(ask postgres 'SELECT run, count(*) FROM events GROUP BY run')" = '0|10' ]
	[ "\$(ask postgres 'SELECT count(*) FROM stuck')" = 10 ]
fi
EOT
	esac
	case " $dbs " in *" mysql "*)
		[ $mode = create ] || (cd "$scratch" && ct-tosql --dialect=mysql --replace small | mariadb $MY)
		in=new; [ $mode != append ] || in=old
		kill_in_the_middle mysql $mode ${in}_in_transaction $my_pid
		start_at_some_port mariadb_run mariadb_answers || echo "# $why"
		MY=$(echo "$MY" | sed "s/ -P[0-9]*/ -P$port/"); my_pid=$server_pid
		test_case "MariaDB killed in the middle, --$mode: what was there is there, and the next load loads" <<EOT
[ -e ../mysql-$mode.middle ] || { cat ../mysql-$mode.err >&2; exit 1; }
[ "\$(cat ../mysql-$mode.status)" -ne 0 ]
[ $mode != client ] || has '^ct-tosql: the client ended: status' ../mysql-client.err
has 'erver' ../mysql-$mode.err
if [ $mode = create ]; then
	state mysql >got
	hasnt '^[^n]' got	# what it was loading has other names, and no rows
	[ "\$(ask mysql 'SELECT count(*) FROM new_events')" -eq 0 ]
	load mysql ../small
	[ -z "\$(ask mysql 'SHOW TABLES' | grep '^new_')" ]
else
	[ "\$(ask mysql 'SELECT run, count(*) FROM events GROUP BY run')" = "0	10" ]
	[ "\$(ask mysql 'SELECT count(*) FROM stuck')" = 10 ]
fi
EOT
	esac
done

test_case 'a client that is killed, text that ends early: nothing of it stays' <<'EOT'
for db in $dbs; do
	for mode in create append replace; do
		empty $db
		[ $mode = create ] || load $db ../small
		state $db >want
		ct-tosql --dialect=$db --$mode ../big >whole
		for part in 30 60 99; do	# percent
			head -c $(($(wc -c <whole) * part / 100)) whole | client $db >out 2>err || :
			state $db | sed '/^new_/d' >got
			same want got
		done
	done
	[ $db != mysql ] || [ "$(ask mysql 'SELECT count(*) FROM new_events')" -eq 0 ]
done
for db in sqlite duckdb; do
	case " $dbs " in *" $db "*) ;; *) continue;; esac
	empty $db
	load $db ../small
	state $db >want
	mkfifo $db.fifo
	(exec $(command_of $db)) <$db.fifo & pid=$!
	exec 3>$db.fifo
	ct-tosql --dialect=$db --append ../big | head -c 400000 >&3
	for i in 1 2 3 4 5 6 7 8 9; do sleep 0.1; done
	kill -9 $pid
	wait $pid 2>/dev/null || :	# only then is its lock free
	exec 3>&-
	state $db >got
	same want got
done
EOT

test_case 'a table of another shape in the way stays as it is, in each mode' <<'EOT'
for db in $dbs; do
	for name in events findings stuck; do
		empty $db
		ask $db "CREATE TABLE $name(mine int)"
		ask $db "INSERT INTO $name VALUES (42)"
		for mode in create append replace; do
			fails_with "$name\|another shape" load $db ../small --$mode
			[ "$(ask $db "SELECT mine FROM $name")" = 42 ]
			[ "$(state $db | sed '/^[0-9]/d; /^new_/d' | wc -l)" -eq 1 ]
		done
		load $db ../small --prefix=mine_
		[ "$(ask $db 'SELECT count(*) FROM mine_events')" -eq 10 ]
	done
done
echo 'CREATE TABLE events(mine int); INSERT INTO events VALUES (42);' | sqlite3 lib.db
for mode in create append replace; do
	status 2 ct-tosql --db=lib.db --$mode ../small 2>err
	has '^ct-tosql: lib.db: .*\(already exists\|another shape\)' err
	[ "$(sqlite3 lib.db 'SELECT * FROM events; SELECT count(*) FROM sqlite_master')" = "42
1" ]
done
EOT

test_case 'a run that is there already is not loaded twice; --append without tables makes them' <<'EOT'
for db in $dbs; do
	empty $db
	load $db ../small --append --run=7
	load $db ../small --append
	state $db >want
	fails_with . load $db ../small --append --run=8
	state $db >got
	same want got
	[ "$(ask $db 'SELECT max(run) FROM runs')" -eq 8 ]
done
EOT

test_case 'with --client all of that is status 2' <<'EOT'
for db in $dbs; do
	client=$(command_of $db)
	empty $db
	ct-tosql --dialect=$db --client="$client" ../small
	state $db >want
	status 2 ct-tosql --dialect=$db --client="$client" ../small 2>err
	has 'already exists' err
	has '^ct-tosql: the client ended: status [13]$' err
	{ cat ../small; echo nonsense; } >bad
	status 2 ct-tosql --dialect=$db --client="$client" --replace --strict bad 2>err
	state $db | sed '/^new_/d' >got
	same want got
	ct-tosql --dialect=$db --client="$client" --append ../small
	[ "$(ask $db 'SELECT max(run) FROM runs')" -eq 1 ]
done
status 2 ct-tosql --client=no-such-client ../small 2>err
status 2 ct-tosql --client='kill -9 $$' ../big 2>err
has '^ct-tosql: the client ended: killed by signal 9$' err
EOT

test_case 'a lock held by another: told after a while, and nothing is loaded' <<'EOT'
is_held() {	# nothing here takes the lock, were it but for a moment
	case $1 in
	mysql) [ "$(ask mysql 'SELECT is_free_lock(concat(0x636f726f747261636520, md5(concat(database(), "."))))')" = 0 ];;
	sqlite) [ -e locked ];;	# its output comes when it ends
	*) grep -qs held $1.held;;
	esac
}
for db in $dbs; do
	empty $db
	load $db ../small
	state $db >want
	ct-tosql --dialect=$db --append ../small | sed "s/'10s'/'200ms'/; s/timeout = 10/timeout = 1/g; s/, 10), /, 1), /" >text
	case $db in
	postgres) hold='BEGIN; LOCK TABLE events;' told='lock timeout';;
	mysql) hold='SELECT get_lock(concat(0x636f726f747261636520, md5(concat(database(), "."))), 60);' told='another load';;
	sqlite) hold='.timeout 60000
BEGIN EXCLUSIVE;
.system touch locked
' told='locked';;
	duckdb) hold='BEGIN; SELECT 1;' told='lock';;
	esac
	mkfifo $db.hold
	client $db <$db.hold >$db.held 2>&1 & pid=$!
	exec 3>$db.hold
	echo "$hold SELECT 'held';" >&3
	until is_held $db; do
		kill -0 $pid || { cat $db.held; exit 1; }
		sleep 0.1
	done
	got=0; client $db <text >out 2>err || got=$?
	exec 3>&-
	wait $pid || :
	[ $got -ne 0 ] || { echo "$db: loaded"; cat $db.held; false; } >&2
	has "$told" err
	state $db >got
	same want got
done
EOT

case " $dbs " in *" postgres mysql "*)
	test_case 'a wrong password: the client says so and fails; status 2 with --client' <<'EOT'
export PGPASSWORD=wrong MYSQL_PWD=wrong
for db in postgres mysql; do
	status 2 ct-tosql --dialect=$db --client="$(command_of $db)" ../big 2>err
	has '^ct-tosql: the client ended: status [12]$' err
	has 'password authentication failed\|Access denied' err
done
status 2 sh -c 'ct-tosql --dialect=postgres ../big | PGPASSWORD=wrong psql -X' 2>err
has 'password authentication failed' err
status 1 sh -c 'ct-tosql --dialect=mysql ../big | MYSQL_PWD=wrong mariadb $MY' 2>err
has 'Access denied' err
EOT
	;;
*) skip_case 'a wrong password' "$missing";;
esac

if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	test_case 'a full disk: status 2 or the client'"'"'s, and nothing is left' <<'EOT'
mkdir small-disk
cat >on-disk <<'END'
set -e
. ../.case-lib
mount -t tmpfs -o size=1m none small-disk
cd small-disk
for n in 1 2 3 4 5 6 7 8; do cat ../../big; done >../eight
status 2 ct-tosql --db=lite.db ../eight 2>../err
has '^ct-tosql: lite.db: .*full' ../err
[ ! -e lite.db ]
ct-tosql --db=lite.db ../../small
status 2 ct-tosql --db=lite.db --append ../eight 2>../err
[ "$(sqlite3 lite.db 'SELECT count(*) FROM events')" -eq 10 ]
fails sh -c 'ct-tosql --append ../eight | sqlite3 -bail lite.db 2>../err'
has 'full' ../err
[ "$(sqlite3 lite.db 'SELECT count(*) FROM events')" -eq 10 ]
case " $dbs " in *" duckdb "*) ;; *) exit 0;; esac
rm -f lite.db
ct-tosql --dialect=duckdb ../../small | duckdb duck.db
fails sh -c 'ct-tosql --dialect=duckdb --append ../eight | sed "s/^COMMIT;/&\\nCHECKPOINT;/" | duckdb duck.db >../out 2>../err'
[ "$(duck -readonly duck.db 'SELECT count(*) FROM events')" -eq 10 ]
END
unshare -m sh on-disk
EOT
else
	skip_case 'a full disk' 'not root: no disk can be made small'
fi
for mode in create append replace; do
	test_case "a full disk behind stdout is status 2, --$mode" <<EOT
for db in sqlite postgres mysql duckdb; do
	status 2 ct-tosql --dialect=\$db --$mode ../big >/dev/full 2>err
	has '^ct-tosql: <stdout>: No space' err
done
EOT
done
[ -z "$missing" ] || skip_case 'others' "${missing#; }"

# Its first pages may have nothing in them yet; the journal says that there was none.
test_case 'what a load that was killed in the middle left of a new SQLite file is loaded into' <<'EOT'
mkfifo in
sqlite3 k.db <in >/dev/null & client=$!
exec 3>in
cat >&3 <<X
PRAGMA cache_size = 5; BEGIN; CREATE TABLE x(a);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO x SELECT hex(randomblob(500)) FROM n;
.system touch middle
X
for wait in $(seq 600); do [ ! -e middle ] || break; sleep 0.05; done
kill -9 $client; wait $client || :
exec 3>&-
[ -s k.db ]; [ -s k.db-journal ]
status 0 ct-tosql --db=k.db ../small
[ "$(sqlite3 k.db 'SELECT count(*) FROM events')" -eq 10 ]
EOT

done_testing
