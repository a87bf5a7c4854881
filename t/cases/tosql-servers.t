#!/bin/sh
# ct-tosql in PostgreSQL, MariaDB and DuckDB: the same rows in every table and view as in SQLite, and as the filters say.
# The servers are real ones, started here.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/sql.sh"
command -v python3 >/dev/null || skip_all 'no python3'

dbs=sqlite missing=
postgres_start && dbs="$dbs postgres" || missing="$missing; PostgreSQL: $why"
mariadb_start && dbs="$dbs mysql" || missing="$missing; MariaDB: $why"
duckdb_find && dbs="$dbs duckdb" || missing="$missing; DuckDB: $why"
export dbs
for name in PostgreSQL MariaDB DuckDB; do
	case $missing in *"; $name: "*) skip_case "$name" "$(echo "$missing" | sed "s/.*; $name: \([^;]*\).*/\1/")";; esac
done
[ "$dbs" != sqlite ] || { done_testing; exit 0; }

traces=$scratch/traces
mkdir "$traces"
# Recordings of the zoo: what they wait for, and verdicts of several kinds.
for name in closed-fd deadlock-three ${CHECK_ALL:+deadlock-await missed-chan cc-lost-waker ok-timers}; do
	[ ! -x "$O/t/zoo/$name" ] || [ -n "${SAN:-}" ] ||
		timeout 300 ct-record -q -o "$traces/$name" "$O/t/zoo/$name" 2 2>/dev/null
done
cat >"$traces/lossy" <<'END'
{"ev":"meta","ts":1000,"format":"corotrace","version":2,"tool":"ct-record 0.1.0","command":["./app"]}
{"ev":"thread","ts":1000,"tid":1,"pid":1,"name":"worker 1","role":"worker"}
{"ev":"site","site":3,"func":"serve","file":"serve.cc","line":42}
{"ev":"site","site":4,"func":"reactor","file":"loop.cc"}
{"probe_id":7,"tid":1,"addr":"0x00007f3a10000b70","seq":2,"is_active":false,"ts":2000,"ev":"create","n":1,"site":3}
{"ev":"name","ts":2001,"tid":1,"probe_id":7,"name":"conn"}
{"probe_id":7,"tid":1,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":2100,"ev":"resume","n":2}
{"probe_id":8,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":2150,"ev":"create","n":1,"site":3,"parent":7}
{"probe_id":7,"tid":1,"addr":"0x00007f3a10000b70","seq":6,"is_active":false,"ts":2200,"ev":"suspend","n":3,"site":3,"on":"fd:42"}
{"ev":"park","ts":2250,"tid":1,"depth":0}
{"ev":"close","ts":3000,"tid":2,"by":17,"on":"fd:42","site":4}
{"probe_id":8,"tid":2,"addr":"0x0000000000000010","seq":0,"is_active":false,"ts":3050,"ev":"wake","by":7}
{"ev":"lost","ts":3100,"tid":1,"count":12,"from":2900,"to":3000}
{"probe_id":9,"tid":1,"addr":"0x0000000000000020","seq":2,"is_active":false,"ts":4000,"ev":"create","n":1,"site":3,"parent":7}
{"probe_id":9,"tid":1,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":4100,"ev":"resume","n":2}
{"probe_id":9,"tid":1,"addr":"0x0000000000000020","seq":6,"is_active":false,"ts":4200,"ev":"suspend","n":3,"site":9,"on":"coro:7"}
{"probe_id":10,"tid":1,"addr":"0x0000000000000020","seq":2,"is_active":false,"ts":4300,"ev":"create","n":1,"site":3}
{"probe_id":10,"tid":1,"addr":"0x0000000000000020","seq":4,"is_active":false,"ts":4400,"ev":"destroy","n":2,"done":false}
{"probe_id":11,"tid":1,"addr":"0x0000000000000020","seq":2,"is_active":false,"ts":5000,"ev":"create","n":1,"site":3}
{"probe_id":11,"tid":1,"addr":"0x0000000000000000","seq":4,"is_active":true,"ts":5100,"ev":"resume","n":2}
{"probe_id":11,"tid":1,"addr":"0x0000000000000020","seq":6,"is_active":false,"ts":5200,"ev":"suspend","n":3,"site":4,"on":"fd:42"}
{"probe_id":11,"tid":1,"addr":"0x0000000000000000","seq":16,"is_active":true,"ts":800000000,"ev":"resume","n":8}
{"probe_id":11,"tid":1,"addr":"0x0000000000000020","seq":18,"is_active":false,"ts":800000100,"ev":"suspend","n":9,"site":4,"on":"fd:42"}
{"probe_id":11,"tid":1,"addr":"0x0000000000000000","seq":20,"is_active":true,"ts":800000300,"ev":"resume","n":10}
{"ev":"park","ts":899999000,"tid":1,"depth":0}
{"ev":"exit","ts":900000000,"pid":1,"signal":9}
{"ev":"end","ts":900000000,"events":20,"lost":12}
END
cat >"$traces/version1" <<'END'
{"probe_id":4096,"tid":5,"addr":"0x0000000000000000","seq":2,"is_active":true,"ts":100}
{"probe_id":4096,"tid":5,"addr":"0x0000000000000010","seq":4,"is_active":false,"ts":110}
{"probe_id":4096,"tid":5,"addr":"0x0000000000000000","seq":2,"is_active":true,"ts":200}
{"probe_id":8192,"tid":5,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":300}
{"probe_id":8192,"tid":5,"addr":"0x0000000000000010","seq":4,"is_active":true,"ts":900000000}
{"probe_id":12288,"tid":5,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":400}
END
# Numbers up to 2^64-1, a cycle of awaits, text that means something to some client or database.
cat >"$traces/hostile" <<'END'
{"probe_id":18446744073709551615,"tid":18446744073709551615,"addr":"0xffffffffffffffff","seq":18446744073709551615,"is_active":false,"ts":5,"ev":"create","n":1,"site":18446744073709551615}
{"probe_id":9223372036854775808,"tid":1,"addr":"0xffffffffffffffff","seq":2,"is_active":false,"ts":5,"ev":"suspend","n":1,"on":"coro:18446744073709551615"}
{"probe_id":4,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":7,"ev":"suspend","n":1,"on":"coro:5"}
{"probe_id":5,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":7,"ev":"suspend","n":1,"on":"coro:4"}
{"ev":"site","site":1,"func":"f'); DROP TABLE runs;--","file":"a\\b|c~d%41%","line":7}
{"ev":"site","site":2,"func":"","file":"x.c"}
{"probe_id":1,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":5,"ev":"create","n":1,"site":1}
{"ev":"name","ts":6,"tid":1,"probe_id":1,"name":"'); DROP TABLE events;--"}
{"ev":"name","ts":7,"tid":1,"probe_id":1,"name":"a\r\n.quit\n;\n.shell touch owned\n\tx\n\\! touch owned\n\\.\n"}
{"ev":"name","ts":8,"tid":1,"probe_id":1,"name":"''\\'\"`\u001b[2J é %s :x $$ $1 ?1 @first_run \\N \\."}
{"ev":"name","ts":8,"tid":1,"probe_id":1,"name":"\\."}
{"ev":"name","ts":8,"tid":1,"probe_id":1,"name":"NULL"}
{"ev":"name","ts":8,"tid":1,"probe_id":1,"name":"\\N"}
{"ev":"name","ts":8,"tid":1,"probe_id":1,"name":"%"}
{"ev":"name","ts":8,"tid":1,"probe_id":1,"name":""}
{"ev":"name","ts":8,"tid":1,"probe_id":5,"name":"nul \u0000 nul"}
{"ev":"close","ts":8,"tid":1,"on":"user:\u0000"}
{"ev":"name","ts":8,"tid":1,"probe_id":1,"name":" trailing  "}
{"ev":"name","ts":8,"tid":1,"probe_id":1,"name":"\ud83e\udd80 \u0001\u007f\u0080\ufeff"}
{"probe_id":6,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":8,"ev":"suspend","n":18446744073709551615,"site":1}
{"probe_id":6,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":true,"ts":9,"ev":"resume","n":0}
{"probe_id":6,"tid":1,"addr":"0x0000000000000010","seq":2,"is_active":false,"ts":10,"ev":"suspend","n":18446744073709551615,"site":1}
{"probe_id":1,"tid":1,"addr":"0x0000000000000010","seq":4,"is_active":false,"ts":9,"ev":"suspend","n":2,"site":1,"on":"user:x'); DELETE FROM runs;--","reason":"\n\\.\n.exit\n\\q\ndelimiter //\n"}
END
# Longer than a row that DuckDB is fed.
printf '{"ev":"name","ts":9,"tid":1,"probe_id":4,"name":"%s"}\n' "$(head -c 1200000 /dev/zero | tr '\0' "'")" >>"$traces/hostile"
{ cat "$traces/lossy"; grep -v '"ev":"\(end\|exit\|lost\)"' "$traces/lossy" | sed 's/"probe_id":7,/"probe_id":70,/'; } >"$traces/runs"
printf '{"ev":"name","ts":8,"tid":1,"probe_id":1,"name":"\377\376"}\n{"ev":"na' >>"$traces/runs"

cat >>"$scratch/.case-lib" <<'EOT'
tables='runs sites threads lost coroutines events awaits findings evidence cycles stuck lost_wakeup site_stats await_tree timeline'
# everything DATABASE PREFIX: the rows of all tables and views, but for a number that databases print in several ways
everything() {
	ask $1 "$(for t in $tables; do select_of $1 $2$t $(columns ${2#by_}$t | grep -v '^age_s$'); done)" | decode
}
EOT
for trace in "$traces"/*; do
	name=${trace##*/} prefix=$(echo "${trace##*/}" | tr -c 'a-z0-9\n' _)_
	test_case "$name: every table and view has the same rows everywhere, and they are what the filters say" <<EOT
for db in \$dbs; do
	load \$db $trace --prefix=$prefix
	ct-tosql --quiet --dialect=\$db --client="\$(command_of \$db)" --prefix=by_$prefix $trace
done
everything sqlite $prefix >want
for t in runs events coroutines; do has "^$prefix\$t|" want; done
for db in \$dbs; do
	everything \$db $prefix >all.\$db
	same want all.\$db
	everything \$db by_$prefix | sed 's/^by_//' >got
	same want got
done
[ ! -e owned ]
say() { python3 \$SRC/t/lib/sql-rows.py \$1 | sed "s/^/$prefix\$2|/"; }
{
	ct-stuck --quiet --json $trace | say stuck stuck
	ct-lostwake --quiet --json $trace >found || :
	for view in lost_wakeup evidence cycles; do say \$view \$view <found; done
	ct-bt --quiet --all --json $trace | say awaits awaits || :
	case $name in	# where lines are missing, ct-tocsv knows no states
	lossy|version1|hostile|runs) ;;
	*)	ct-tocsv --quiet --per=interval $trace >intervals
		for view in timeline site_stats; do say \$view \$view <intervals; done;;
	esac
} | LC_ALL=C sort >want
for db in \$dbs; do
	ask \$db "\$(
		select_of \$db ${prefix}stuck run probe_id name state age_ns on_ reason parent tid last_line where_
		select_of \$db ${prefix}lost_wakeup run id verdict certainty probe_id name on_ since age_ns cause_ts cause_tid \
			cause_by cause_line cause because story where_
		select_of \$db ${prefix}evidence run id position line what
		select_of \$db ${prefix}cycles run id position probe_id
		select_of \$db "${prefix}awaits WHERE awaits IS NOT NULL" probe_id awaits
		case $name in lossy|version1|hostile|runs) exit;; esac
		select_of \$db ${prefix}timeline run probe_id state from_ to_ ns
		select_of \$db ${prefix}site_stats run site suspends coroutines left_again total_ns mean_ns longest_ns
	)" | decode | sed 's/|site [0-9]*\$/|?/' >got
	same want got
done
EOT
done
[ -n "${CHECK_ALL:-}" ] || skip_case 'deadlock-await, missed-chan, cc-lost-waker, ok-timers' 'CHECK_ALL=1 was not asked for'
test_case 'runs of several loads: each has its number, --run chooses it' <<EOT
for db in \$dbs; do
	load \$db $traces/lossy --prefix=all_ --append
	load \$db $traces/runs --prefix=all_ --append
	load \$db $traces/version1 --prefix=all_ --append --run=20
	load \$db $traces/runs --prefix=all_ --append
done
[ "\$(rows sqlite all_runs run | tr '\n' ' ')" = '0 1 2 20 21 22 ' ]
everything sqlite all_ >want
for db in \$dbs; do
	everything \$db all_ >got
	same want got
done
EOT

test_case 'a client behind what hands it no descriptors, as sudo and ssh do, is loaded as well' <<EOT
printf '#!/bin/sh\nexec "\$@" 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-\n' >behind
chmod 755 behind
load sqlite $traces/lossy --prefix=behind_
everything sqlite behind_ >want
for db in \$dbs; do
	[ \$db != sqlite ] || continue
	ct-tosql --quiet --dialect=\$db --client="PGAPPNAME=x ./behind \$(command_of \$db)" --prefix=behind_ $traces/lossy
	everything \$db behind_ >got
	same want got
done
EOT
done_testing
