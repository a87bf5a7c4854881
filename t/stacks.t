#!/bin/sh
# Call stacks (ct-record --stacks): what the probe walks up, what the recorder tells of it, and what it is called.
. "${0%/*}/lib.sh"
. "${0%/*}/record-lib.sh"

test_case "the probe's walk is the runtime's, in functions of every shape and on every kind of stack" <<'EOF'
status 0 timeout 100 "$O/t/unwind" >out 2>err || { cat out err >&2; exit 1; }
EOF
if [ -z "$SAN" ]; then
	for cc in gcc clang; do
		command -v $cc >/dev/null || { skip_case "$cc" "no $cc"; continue; }
		test_case "$cc: so it is at every level of optimisation" <<EOF
for flags in -O0 -O1 '-O2 -fno-omit-frame-pointer' -O3 -Os; do
	$cc -std=c11 -D_GNU_SOURCE -I$SRC/sdk/ctp -I$SRC/sdk/c -I$SRC/t \$flags -o unwind $SRC/t/unwind.c -lpthread
	status 0 timeout 100 ./unwind >out 2>err || { echo "\$flags"; cat out err; exit 1; } >&2
done
EOF
	done
fi
done_testing
