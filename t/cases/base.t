#!/bin/sh
# base.t - the one hash table and the one growing array that library and programs share (sdk/trace/base).
. "${0%/*}/../lib/lib.sh"

test_case 'hash tables, tables and arrays hold what was put there, and chosen keys do not make them slow' <<'EOF'
status 0 "$O/t/unit/hash" >out || { grep -A1 '^not' out >&2; exit 1; }
EOF
done_testing
