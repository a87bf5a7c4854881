#!/bin/sh
# The C probe interrupted at each instruction of each call (CHECK_ALL=1; else at every 30th to 61st) by a signal whose handler calls
# it, or forks a child that ends there or goes back into the call: nothing is lost uncounted, nothing has two owners.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/step.sh"

[ -z "$SAN" ] || skip_all 'the instructions of sanitizers are too many'
[ "$(uname -m)" = x86_64 ] || skip_all 'only x86 traps behind each instruction'

test_case 'by one event, or a coroutine'"'"'s life' <<'EOT'
stepped 0 -- rec-step count wake $((few * 29 + 1))
[ $lost -gt 0 ]
stepped 0 -- rec-step count wake 1 interns
stepped 0 -- rec-step count life $((few * 30 + 1))
EOT

test_case 'by a fork' <<'EOT'
stepped 0 -- rec-step count forks $((few * 58 + 3))
EOT

# Of the call that a child goes back into it makes one of its own where it had not begun.
test_case 'by a fork, and the child goes back' <<'EOT'
stepped 3000 -- rec-step count returns $((few * 58 + 3))
stepped 3000 -- rec-step count both $((few * 58 + 3))
stepped 3000 --on-full=block -- rec-step count both $((few * 58 + 3))
EOT

done_testing
