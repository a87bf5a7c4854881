#!/bin/sh
# Boxes of Rust programs that are written into files: by themselves, where a disk is full, where files may not grow.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/box.sh"
. "${0%/*}/../lib/rust.sh"
cat >>"$scratch/.case-lib" <<'EOF'
export DUMP=$zoo/box-dump SPIN=$zoo/box-spin
EOF

test_case 'the programs build' <<'EOF'
builds
EOF
[ -x "$O/rust/debug/box-dump" ] || { done_testing; exit; }

. "${0%/*}/../lib/dump-scenes.sh"

done_testing
