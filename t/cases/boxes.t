#!/bin/sh
# What the recorder makes of boxes, call by call: each case is described in t/unit/boxes.c.
. "${0%/*}/../lib/lib.sh"

test_case 'states, takeover, hangs, cores' <<'EOT'
status 0 timeout 300 "$O/t/unit/boxes" >out 2>err || { cat err; grep -A40 '^not' out; exit 1; } >&2
has '^1\.\.47$' out
hasnt 'ERROR\|runtime error' err
EOT
test_case 'a box as a trace: which, from where on, up to when (t/unit/boxed.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/boxed" >out 2>err || { grep -B2 -A20 '^not' out; cat err; exit 1; } >&2
EOT
test_case 'a recorder that watches: its looks, whom it asks, what it ends with (t/unit/watching.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/watching" >out 2>err || { grep -B2 -A20 '^not' out; cat err; exit 1; } >&2
EOT
test_case 'a running process: asked for its box, switched, followed, left (t/unit/attaching.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/attaching" >out 2>err || { grep -B2 -A20 '^not' out; cat err; exit 1; } >&2
EOT
test_case 'a box mapped, checked, copied (t/unit/image.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/image" >out 2>err || { grep -B2 -A20 '^not' out; cat err; exit 1; } >&2
EOT
test_case 'a box in a core: its headers, its segments, its holes (t/unit/core.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/core" >out 2>err || { grep -B2 -A20 '^not' out; cat err; exit 1; } >&2
EOT
test_case 'the file that a watching recorder writes (t/unit/report.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/report" >out 2>err || { grep -B2 -A20 '^not' out; cat err; exit 1; } >&2
EOT
test_case 'stations that are written while they are copied (t/unit/torn.c)' <<'EOT'
status 0 timeout 100 "$O/t/unit/torn" >out 2>err || { grep -B2 -A20 '^not' out; cat err; exit 1; } >&2
EOT
done_testing
