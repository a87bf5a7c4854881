#!/bin/sh
# kill -9 of the target at a hundred moments: what it had published is printed, and the trace is finished.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

kills() {
	test_case "$1" <<EOT
i=0
while [ \$i -lt $2 ]; do
	rm -f count
	us=\$((\$(printf %d 0x\$(od -An -N2 -tx1 /dev/urandom | tr -d ' ')) % 5000 + 1))
	status 137 trace $3 -- rec-load count killed 4 \$us
	counted 4 || { echo "killed after \$us us" >&2; exit 1; }
	[ "\$(tail -2 trace | grep -c '"ev":"exit",.*"signal":9}\$')" = 1 ]
	tail -1 trace | grep -q '"ev":"end"'
	whole=\$((lost > 0))
	grep -q '"ev":"create"' trace || whole=3	# killed before anything was recorded
	only_losses \$whole
	i=\$((i + 1))
done
EOT
}
# The slack of 4: each of its threads may have died between an event and counting it.
kills 'seventy times, whatever its threads are doing' 70 ''
kills 'fifteen times with rings that are full' 15 --ring-slots=64
kills 'fifteen times while its threads wait for room' 15 '--ring-slots=64 --on-full=block'

test_case 'killed between publishing an event and storing it in the station: the state is that of the event' <<'EOT'
status 137 trace --ring-slots=64 -- rec-end count behind
counted
[ $lost -gt 0 ]
only_losses
grep '"ev":"state"' trace >states
grep '^{"probe_id":2,.*"is_active":true,.*"n":2' states
grep '^{"probe_id":3,.*"is_active":false,.*"n":1' states
rm count
status 137 trace --ring-slots=64 -- rec-end count behind 1
counted
only_losses
grep '"ev":"state"' trace >states
grep '^{"probe_id":2,.*"is_active":false,.*"n":1' states
hasnt '^{"probe_id":3,' states
EOT

test_case 'a recorder that is killed leaves a program that runs on' <<'EOT'
export TMPDIR=$PWD	# its socket stays behind
ct-record -o trace -- rec-load count hop 2 20 3000000 2>err & recorder=$!
wait_for grep -q resume trace
kill -9 $recorder
wait $recorder || :
wait_for ran_to 12375040
EOT

test_case 'and that asks for a box then: its threads and coroutines have their places in the memory of the one that is gone' <<'EOT'
export TMPDIR=$PWD
ct-record -o trace -- sh -c 'rec-again; echo $? >status' 2>err & recorder=$!
wait_for grep -q resume trace
kill -9 $recorder
wait $recorder || :
wait_for test -s status
[ $(cat status) = 0 ]
has '^ct: cannot attach: a second time: the recorder of this process is gone$' err
EOT

done_testing
