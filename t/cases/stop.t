#!/bin/sh
# Recording stopped and started while the program runs: ct_stop() and ct_start(), and a recorder that asks for a box and goes.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/box.sh"
. "${0%/*}/../lib/stop.sh"

test_case 'stopped and started: both moments, what was counted in between, the state of all at the second' <<'EOT'
touch go stop
ct-record --target-stdout=emitted -o trace box-stop scene 2>err
scene
[ $(grep -c '"ev":"create"' trace) -eq 4 ]
set -- $(grep -o '"events":[0-9]*,"lost":[0-9]*' trace | tr -cs 0-9 ' ')
has "emitted $(($1 + $2))\$" emitted
has '8 of [0-9]* events were not recorded: the program stopped that' err
for tool in ct-stuck ct-lostwake ct-bt ct-report; do
	$tool trace >text || :
	has 'recording stopped for [0-9.]*[mun]*s' text
done
status 3 ct-lostwake trace >text
has 'to do: record it where it does not stop that itself, as by ct_stop()' text
EOT

test_case 'the same in a box: what was born unseen has its birth, once, whoever comes when' <<'EOT'
CTP_BOX=1 box-stop scene >emitted 2>err &
program=$!
wait_for test -s pid
pid=$(cat pid)
ct-record -p $pid -o trace 2>err &
recorder=$!
wait_for grep -q '"ev":"attach"' trace
touch go
wait_for test -s done
touch stop
status 0 wait $recorder
status 0 wait $program
scene
[ $(grep -c '"name":"born unseen"' trace) -ge 1 ]
[ $(sed '1,/"ev":"attach"/d' trace | grep -c '"probe_id":4,.*"ev":"create"') -eq 0 ]
EOT

rounds=60
[ -z "$CHECK_ALL" ] || rounds=2000
test_case "stopped and started $rounds times while threads make, move and end coroutines: each event is printed or counted" <<EOT
for box in no memory; do
	[ \$box = no ] || export CTP_BOX=1
	rm -f trace pid
	touch go
	if [ \$box = no ]; then
		ct-record -q --target-stdout=emitted -o trace box-stop busy $rounds
		set -- \$(tail -n 1 trace | grep -o '"events":[0-9]*,"lost":[0-9]*' | tr -cs 0-9 ' ')
		has "emitted \$((\$1 + \$2))\\\$" emitted
	else
		rm go
		box-stop busy $rounds >emitted &
		pid=\$!
		wait_for test -s pid
		ct-record -q -p \$pid -o trace &
		recorder=\$!
		wait_for grep -q '"ev":"attach"' trace
		touch go
		status 0 wait \$pid
		status 0 wait \$recorder
	fi
	sound
	[ \$(grep -c '"ev":"start"' trace) -ge \$(($rounds / 2)) ]
	# not known where nothing was lost, or where the last that a full ring holds is a create
	tail -n 1 trace >last
	[ \$box = memory ] || hasnt '"live":[1-9]' last
done
EOT

test_case 'a recorder that asked for a box and goes: the program pays a branch again; asked again, it begins anew' <<'EOT'
spin -- 2 1000 7
attach_for 1
sound
has '"born_before":true}$' trace
switched_off() { ct-record --box -p $pid -o box 2>err && grep -q 'is not recorded now' err; }
wait_for switched_off
sound box
last=$(tail -n 1 box | grep -o '"events".*')
sleep 0.3
ct-record -q --box -p $pid -o box
[ "$last" = "$(tail -n 1 box | grep -o '"events".*')" ]
attach_for 1
sound
has "process $pid keeps no box: what stands still there is not seen" err
has '"born_before":true}$' trace
[ $(grep -c '"ev":"create","n":1,"born_before":true' trace) -eq 2 ]
[ $(grep -c '"ev":"resume"' trace) -gt 10 ]
[ $(grep -o '"probe_id":[0-9]*' trace | sort -u | wc -l) -eq 2 ]
stop_spin
EOT

test_case 'what is born while nobody looks is not taken for what lay there before' <<'EOT'
spin -- 2 100 3 live
for again in 1 2 3; do
	attach_for 0.5
	sound
	[ $(grep -c '"ev":"resume"' trace) -gt 10 ]
	sleep 0.1
done
stop_spin
EOT

test_case 'attached to again before it noticed: nothing was missed, and nothing is forgotten' <<'EOT'
spin -- 1 500000 3
attach_for 2
sound
attach_for 1
sound
hasnt 'keeps no box' err
stop_spin
EOT

test_case 'ct_start() alone makes a box, and one that the program wants stays when a recorder goes' <<'EOT'
spin -- 1 1000 3 start
attach_for 1
sound
hasnt born_before trace
[ $(grep -c '"name":"sleeper"' trace) -eq 3 ]
sleep 0.3
attach_for 1
sound
hasnt 'keeps no box' err
stop_spin
EOT

done_testing
