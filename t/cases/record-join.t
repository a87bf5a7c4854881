#!/bin/sh
# Processes at odd borders: of another pid namespace, without room for a connection, without rights. What they emit is
# printed, or they are counted, or refused in words; nothing is gone in silence.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

in_namespace="unshare -pf"
unshare -pf true 2>/dev/null || in_namespace="unshare -Urpf"
if $in_namespace true 2>/dev/null; then
	test_case 'another pid namespace: its threads keep their rings for as long as they live' <<EOT
# the second comes when the recorder has looked for dead threads, the third needs the rings of those that have ended
status 0 trace --threads=8 --on-full=block -- $in_namespace sh -c '
	rec-load count pulse 3 2500 & sleep 1.3; rec-load count pulse 3 1500 & wait; rec-load count pulse 3 300'
counted
[ \$lost = 0 ]
status 0 ct-check trace >/dev/null
same /dev/null err
# three processes, each under one number of its own, and three threads in each
grep '"ev":"process".*"path":"[^"]*/rec-load"' trace | grep -o '"pid":[0-9]*' | sort >processes
[ "\$(wc -l <processes)" = 3 ]
grep '"ev":"thread".*"name"' trace | grep -o '"tid":[0-9]*,"pid":[0-9]*' | sort -u >threads
[ "\$(wc -l <threads)" = 9 ]
cut -d, -f2 threads | sort -u >owners
same processes owners
EOT

	test_case 'another pid namespace: processes that are killed give their rings back' <<EOT
status 0 trace --threads=4 --on-full=block -- $in_namespace sh -c '
	for i in 1 2 3; do rec-load count killed 3 20000; sleep 1.5; done; rec-load count pulse 3 500'
counted 9
only_losses \$((lost > 0))
[ "\$(grep '"ev":"thread"' trace | grep -c '"ended":true')" -ge 3 ]
EOT
else
	skip_case 'another pid namespace: its threads keep their rings for as long as they live' 'no namespaces here'
	skip_case 'another pid namespace: processes that are killed give their rings back' 'no namespaces here'
fi

done_testing
