#!/bin/sh
# What the recorder makes of rings and stations: each case is described in t/unit/harvest.c.
. "${0%/*}/../lib/lib.sh"

test_case 'cuts, merging, losses, rings that change hands, records that cannot be, states (t/unit/harvest.c)' <<'EOT'
status 0 timeout 300 "$O/t/unit/harvest" >out 2>err || { cat err; grep -A40 '^not' out; exit 1; } >&2
has '^1\.\.[23][0-9]' out
hasnt 'ERROR\|runtime error' err
EOT
# NAME 'what is tried': a program of its own, t/unit/NAME.c
unit() {
	test_case "$2 (t/unit/$1.c)" <<EOT
status 0 timeout 100 "\$O/t/unit/$1" >out 2>err || { cat err; grep -B2 -A20 '^not' out; exit 1; } >&2
EOT
}
unit cut 'cut after cut, by a clock that stands still'
unit clock 'ticks to time, by any speed, correction and sleep, in a world of its own'
unit process 'what is read of processes: alive or not, arguments, mappings, code that comes later, build ids'
unit lines 'each line that it prints, with and without each of its members'
unit command 'its command line'
unit region 'the memory and the socket that it makes, and what dead recorders left'
unit cgroup 'how much memory its cgroup leaves it'
unit find 'which process is attached to, by which descriptor, and what is said where there is none'
unit main 'its own turns: who lives, sleep, each second, naps'
unit peer 'the processes that are connected: met, numbered, gone'
unit target 'the program that it starts, why it could not, whom a signal is for'
unit flag 'asking a process for a box'
unit print 'its buffer, and the thread that writes it'
unit pack 'its trace compressed'
unit notices 'what it says of its own work'
done_testing
