#!/bin/sh
# Every event that is emitted is printed or counted as lost, in each coroutine's order, whatever the load.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

test_case 'coroutines that hop between threads under load: n rises by one, no time falls, nothing is lost' <<'EOT'
status 0 trace --on-full=block -- rec-load count hop 4 50 30000
counted
[ $lost = 0 ]
status 0 ct-check trace >/dev/null
same /dev/null err
tids=$(grep -o '"tid":[0-9]*,"addr".*"ev":"resume"' trace | cut -d, -f1 | sort -u | wc -l)
[ $tids = 4 ]
EOT

test_case 'a full ring drops: every drop is counted, and told where it was' <<'EOT'
status 0 trace --ring-slots=64 -- rec-load count hop 4 50 30000
counted
[ $lost -gt 0 ]
only_losses
has "$lost of $emitted events were lost" err
status 0 trace -q --ring-slots=64 -- rec-load count hop 4 50 300
same /dev/null err
EOT

test_case 'the smallest of rings, where it waits, loses nothing' <<'EOT'
status 0 trace --ring-slots=8 --on-full=block -- rec-load count hop 3 20 1500
counted
[ $lost = 0 ]
status 0 ct-check trace >/dev/null
EOT

test_case 'where anything was lost, the last state of every living coroutine is told, exactly' <<'EOT'
status 0 trace --ring-slots=64 -- rec-load count stay 4 50 20000
counted
[ $lost -gt 0 ]
only_losses
grep '"ev":"state"' trace >states
[ "$(wc -l <states)" = 50 ]
[ "$(grep -c '"is_active":false,.*"site":[0-9]*,"on":"fd:7"}$' states)" = 50 ]
[ "$(grep -o '"n":[0-9]*' states | awk -F: '{ n += $2 } END { print n }')" = $((50 + 4 * 20000 * 2)) ]
EOT

test_case 'where nothing was lost, no states are told' <<'EOT'
status 0 trace --on-full=block -- rec-load count stay 2 5 100
counted
[ $lost = 0 ]
hasnt '"ev":"state"' trace
status 0 ct-check trace >/dev/null
EOT

test_case 'three hundred thousand coroutines live at once' <<'EOT'
status 0 trace --on-full=block -- rec-load count live 300000
counted
[ $events = 600000 ] && [ $lost = 0 ]
status 0 ct-check trace >checked
has 'of 300000 coroutines (0 live at the end)' checked
EOT

test_case 'a million coroutines one after another, each with an id of its own' <<'EOT'
ct_record --on-full=block -- rec-load count sequence 2 500000 0 2>err | record-count /dev/stdin count >sum
same - sum <<'END'
events 2000000 lost 0 emitted 2000000
END
EOT

test_case 'more threads than --threads: those without a ring are counted' <<'EOT'
status 0 trace --threads=8 -- rec-load count crowd 24 200
counted
[ $events = $((8 * 402)) ] && [ $lost = $((16 * 402)) ]
only_losses
has '--threads' err
EOT

test_case 'ten thousand short threads take their turns at sixteen rings' <<'EOT'
status 0 trace --threads=16 -- rec-load count churn 10000
counted
[ "$(grep -c '"ev":"thread"' trace)" -gt 100 ]
only_losses $((lost > 0))
EOT

test_case 'two recorders at once keep out of each other'"'"'s way' <<'EOT'
mkdir a b
(cd a && status 0 trace --on-full=block -- rec-load count hop 2 20 10000) & one=$!
(cd b && status 0 trace --on-full=block -- rec-load count hop 2 20 20000) & two=$!
status 0 wait $one
status 0 wait $two
(cd a && counted && [ $lost = 0 ])
(cd b && counted && [ $lost = 0 ])
EOT

test_case 'a slow reader: the program does not wait for it, and what it costs is counted' <<'EOT'
{ got=0; ct_record --ring-slots=1024 --buffer=4M -- rec-load count hop 2 20 60000 2>err || got=$?; echo $got >got; } |
	{ wait_for ran_to 247540; cat >trace; }
[ "$(cat got)" = 0 ]
counted
[ $lost -gt 0 ]
only_losses
EOT

test_case 'a slow reader and a buffer that holds all of it: the program does not wait, even where full rings block' <<'EOT'
{ got=0; ct_record --on-full=block --ring-slots=1024 --buffer=64M -- rec-load count hop 2 20 60000 2>err || got=$?; echo $got >got; } |
	{ wait_for ran_to 247540; cat >trace; }
[ "$(cat got)" = 0 ]
counted
[ $lost = 0 ]
for size in 3M 1x 4 M 2000T 99999999999999999999; do
	status 125 ct-record --buffer=$size true 2>err; has "\"$size\" is not a size from 4M to 1T" err
done
status 125 ct-record --buffer=4M --last=1s -o out true 2>err; has '--buffer is for what is recorded as it happens' err
EOT

test_case 'a slow reader and --on-full=block: the program waits, and nothing is lost' <<'EOT'
{ got=0; ct_record --on-full=block --ring-slots=1024 --buffer=4M -- rec-load count hop 2 20 30000 2>err || got=$?
  echo $got >got; } | { sleep 1; cat >trace; }
[ "$(cat got)" = 0 ]
counted
[ $lost = 0 ]
status 0 ct-check trace >/dev/null
EOT

done_testing
