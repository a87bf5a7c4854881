#!/bin/sh
# What the recorder makes of boxes, call by call: each case is described in t/unit/boxes.c.
. "${0%/*}/../lib/lib.sh"

test_case 'states, takeover, hangs, cores (t/unit/boxes.c)' <<'EOT'
status 0 timeout 300 "$O/t/unit/boxes" >out 2>err || { cat err; grep -A40 '^not' out; exit 1; } >&2
# one is left out under sanitizers
has "^1\.\.$([ -z "$SAN" ] && echo 47 || echo 46)\$" out
hasnt 'ERROR\|runtime error' err
EOT
while read -r unit what; do
	test_case "$what (t/unit/$unit.c)" <<EOT
status 0 timeout 100 "\$O/t/unit/$unit" >out 2>err || { grep -B2 -A20 '^not' out; cat err; exit 1; } >&2
EOT
done <<'UNITS'
boxed a box as a trace: which, from where on, up to when
watching a recorder that watches: its looks, whom it asks, what it ends with
attaching a running process: asked for its box, switched, followed, left
image a box mapped, checked, copied
core a box in a core: its headers, its segments, its holes
report the file that a watching recorder writes
others the processes beside the one that was asked for: met, ended
torn stations that are written while they are copied
UNITS
done_testing
