#!/bin/sh
# A cgroup with little memory: the recorder, and a box, make do with less; what that loses is counted; nobody is killed.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

[ -z "$SAN" ] || skip_all 'sanitizers take memory of their own'
. "${0%/*}/../lib/cgroup.sh"
[ -n "$group" ] || skip_all 'may not make a cgroup with a limit here'

test_case '64 MiB and forty threads, each of which would fill a ring of 4 MiB' <<'EOT'
status 0 timeout 100 sh ../inside ct-record -o trace -- rec-load count crowd 40 70000 2>err
counted
only_losses $((lost > 0))
has 'this cgroup leaves 6[0-9] MiB of memory: rings of [0-9]* events for [0-9]* threads' err
status 0 timeout 100 sh ../inside ct-record -q -o trace -- true 2>err
same /dev/null err
EOT

test_case 'a program in it whose recorder is not: fewer threads have rings, what they do is counted' <<'EOT'
status 0 trace -- sh ../inside rec-load count crowd 40 70000
counted
only_losses
has 'events of threads that found no ring are lost' err
EOT

test_case '32 MiB and sixty threads: a box that the program keeps, or is asked for, is not what it is killed for' <<'EOT'
echo 33554432 >"$group/$limit"
CTP_BOX=1 status 0 timeout 100 sh ../inside rec-load count crowd 60 20000
small_when_asked box-spin
EOT

test_case 'a file of --last needs more than is left: who writes it is killed, and not the program' <<'EOT'
echo 67108864 >"$group/$limit"
mkdir dir
sh ../inside ct-record -q --last=10s --on=crash -o dir -- box-spin 60 1000 3 2>err &
recorder=$!
wait_for test -s pid
sleep 0.3
case $limit in memory.max) used=memory.current ;; *) used=memory.usage_in_bytes ;; esac
echo $(($(cat "$group/$used") + 1048576)) >"$group/$limit"
status 0 ct-record --dump=$recorder
wait_for test -s err
touch stop
status 0 wait $recorder
has 'not written: who wrote it was killed by signal 9' err
EOT

done_testing
