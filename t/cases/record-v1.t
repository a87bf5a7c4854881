#!/bin/sh
# Version 1 writers: every event is printed or counted, births and deaths are told, ids do not collide.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

test_case 'births, events, laps, deaths, ids and records that cannot be, call by call (t/unit/stations-v1.c)' <<'EOT'
status 0 timeout 300 "$O/t/unit/stations-v1" >out || { grep -A40 '^not' out >&2; false; }
EOT

test_case 'up to eight events of a coroutine are never lost, at any speed' <<'EOT'
for n in 0 1 2 7 8; do for life in stay die; do
	rm -f count
	status 0 trace -- rec-v1 count 50 $n 0 $life
	counted
	[ $lost = 0 ]
	[ "$(grep -c '"ev":"create"}$' trace)" = 50 ]
	[ "$(grep -c '"ev":"destroy"}$' trace)" = $([ $life = die ] && echo 50 || echo 0) ]
	status 0 ct-check trace >/dev/null
done; done
EOT

test_case 'at low speed: any number of events' <<'EOT'
for n in 9 16 17 200; do
	rm -f count
	status 0 trace -- rec-v1 count 3 $n 100 die
	counted
	only_losses $((lost > 0))
done
EOT

test_case 'at full speed, one hundred coroutines and one alone: what is overwritten is counted, exactly' <<'EOT'
blames() { [ $lost = 0 ] || has "^ct-record: $lost events of version 1 coroutines" err; hasnt ring-slots err; }
status 0 trace -- rec-v1 count 100 2000 0 die
counted
only_losses $((lost > 0))
blames
rm count
status 0 trace -- rec-v1 count 1 100000 0 stay
counted
only_losses $((lost > 0))
blames
EOT

test_case 'a line is the six keys of version 1, and n' <<'EOT'
status 0 trace -- rec-v1 count 1 2 1000 die 77
grep probe_id trace | sed 's/"ts":[0-9]*/"ts":T/; s/"tid":[1-9][0-9]*/"tid":N/; s/x[0-9a-f]*[1-9a-f][0-9a-f]*/xF/' >got
same - got <<'END'
{"probe_id":77,"tid":0,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":T,"ev":"create"}
{"probe_id":77,"tid":N,"addr":"0x0000000000000000","seq":2,"is_active":true,"ts":T,"n":1}
{"probe_id":77,"tid":N,"addr":"0xF","seq":2,"is_active":false,"ts":T,"n":2}
{"probe_id":77,"tid":0,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":T,"ev":"destroy"}
END
EOT

test_case 'more coroutines than stations: the rest is counted on stderr' <<'EOT'
status 0 trace -n 16 -- rec-v1 count 40 5 0 die
counted
[ $emitted = $((16 * 7)) ] && [ $lost = 0 ]
has '^ct-record: 24 coroutines .*station' err
EOT

test_case 'an address that is used again is another coroutine' <<'EOT'
status 0 trace -- rec-v1 count 200 4 0 reuse
counted
[ $lost = 0 ]
[ "$(grep -c '"probe_id":139637976731648,.*"ev":"create"}$' trace)" = 200 ]
[ "$(grep -c '"probe_id":139637976731648,.*"ev":"destroy"}$' trace)" = 200 ]
[ "$(grep -c '"n":1}$' trace)" = 200 ]
status 0 ct-check trace >/dev/null
EOT

test_case 'writers of both versions in one recording, whose ids are the same' <<'EOT'
cat >both <<'END'
rec-v1 count 20 300 50 die 1 & rec-v1 count 20 300 50 stay 1 & rec-load count hop 2 30 5000; wait
END
status 0 trace --on-full=block -- sh both
renamed=$(grep -c '"name":"v1 probe_id [0-9]*"}$' trace)
[ $renamed -ge 20 ]
counted $renamed
[ $((events + lost)) = $((emitted + renamed)) ]
[ "$(grep -c '"ev":"create"' trace)" = 70 ]
[ "$(grep '"ev":"create"' trace | cut -d, -f1 | sort -u | wc -l)" = 70 ]
only_losses $((lost > 0))
EOT

test_case 'a version 1 writer that is killed' <<'EOT'
cat >die <<'END'
rec-v1 count 10 1000000 0 &
until od -An -tu8 count 2>/dev/null | grep -q '[1-9]'; do sleep 0.01; done
sleep 0.1
kill -9 $!
wait
exit 0
END
status 0 trace -- sh die
counted 1
only_losses $((lost > 0))
EOT


test_case '--realtime: the recorder goes first, what it starts does not; without leave nothing is started' <<'EOT'
if ! ct-record -q --realtime -o /dev/null true 2>err; then
	has '^ct-record: --realtime: ' err; exit 0
fi
cat >show <<'S'
sed 's/.*) //' "/proc/$PPID/stat" "/proc/$$/stat" | cut -d' ' -f39
S
status 0 ct-record -q --realtime -o /dev/null --target-stdout=got sh show
printf '1\n0\n' >want; same want got
cat >show <<'S'
nice; cat /proc/self/timerslack_ns
S
nice -n 5 sh show >want
status 0 nice -n 5 ct-record -q --realtime -o /dev/null --target-stdout=got sh show
same want got
rm -f count; status 0 trace --realtime -- rec-v1 count 100 2000 0 die
counted
status 125 ct-record --realtime --box /dev/null 2>err; has 'realtime is for programs that are started' err
if setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all true 2>/dev/null && [ "$(ulimit -r)" = 0 ]; then
	chmod 755 .; status 125 setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all "$(command -v ct-record)" \
		--realtime -o /dev/null touch started 2>err
	has '^ct-record: --realtime: Operation not permitted' err
	[ ! -e started ]
fi
EOT
done_testing
