#!/bin/sh
# What the recorder makes of boxes, call by call: each case is described in t/unit/boxes.c.
. "${0%/*}/../lib/lib.sh"

test_case 'states, takeover, hangs, cores' <<'EOT'
status 0 timeout 300 "$O/t/unit/boxes" >out 2>err || { cat err; grep -A40 '^not' out; exit 1; } >&2
has '^1\.\.46$' out
hasnt 'ERROR\|runtime error' err
EOT
done_testing
