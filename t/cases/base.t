#!/bin/sh
# base.t - what library and programs share (sdk/trace/base): the hash table, the growing array, which bytes are text, the
# text writer, sites and stacks.
. "${0%/*}/../lib/lib.sh"

test_case 'hash tables, tables and arrays hold what was put there, and chosen keys do not make them slow' <<'EOF'
status 0 "$O/t/unit/hash" >out || { grep -A1 '^not' out >&2; exit 1; }
for i in $(seq 40); do status 0 "$O/t/unit/hash" --seed >out || { grep -A1 '^not' out >&2; exit 1; }; done
EOF
test_case 'which bytes are UTF-8' <<'EOF'
status 0 "$O/t/unit/text" >out || { grep '^not' out >&2; exit 1; }
EOF
test_case 'the text writer writes numbers as printf does, and nothing but UTF-8' <<'EOF'
status 0 "$O/t/unit/put" >out || { grep -A1 '^not' out >&2; exit 1; }
EOF
test_case 'sites and stacks that differ in anything have numbers of their own, and a line each' <<'EOF'
status 0 "$O/t/unit/sites" >out || { cat out >&2; exit 1; }
EOF
done_testing
