#!/bin/sh
# What the recorder makes of rings and stations: each case is described in t/unit/harvest.c.
. "${0%/*}/../lib/lib.sh"

test_case 'cuts, merging, losses, rings that change hands, records that cannot be, states' <<'EOT'
status 0 timeout 300 "$O/t/unit/harvest" >out 2>err || { grep -A40 '^not' out; cat err; exit 1; } >&2
has '^1\.\.[23][0-9]' out
hasnt 'ERROR\|runtime error' err
EOT
test_case 'ticks to time, by any speed, correction and sleep, in a world of its own (t/unit/clock.c)' <<'EOT'
status 0 "$O/t/unit/clock" >out || { grep -A1 '^not' out >&2; false; }
EOT
test_case 'what is read of processes: alive or not, arguments, mappings, code that comes later, build ids (t/unit/process.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/process" >out || { grep -A1 '^not' out >&2; false; }
EOT
test_case 'each line that it prints, with and without each of its members (t/unit/lines.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/lines" >out || { grep -A20 '^not' out >&2; false; }
EOT
test_case 'its command line (t/unit/command.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/command" >out || { grep -A1 '^not' out >&2; false; }
EOT
test_case 'the memory and the socket that it makes, and what dead recorders left (t/unit/region.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/region" >out || { grep -A1 '^not' out >&2; false; }
EOT
test_case 'how much memory its cgroup leaves it (t/unit/cgroup.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/cgroup" >out || { grep -A1 '^not' out >&2; false; }
EOT
test_case 'which process is attached to, by which descriptor, and what is said where there is none (t/unit/find.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/find" >out || { grep -A1 '^not' out >&2; false; }
EOT
test_case 'its own turns: who lives, sleep, each second, naps (t/unit/main.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/main" >out 2>err || { grep -A1 '^not' out >&2; false; }
EOT
test_case 'the processes that are connected: met, numbered, gone (t/unit/peer.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/peer" >out || { grep -B2 -A1 '^not' out >&2; false; }
EOT
done_testing
