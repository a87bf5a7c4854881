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

done_testing
