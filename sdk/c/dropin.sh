#!/bin/sh
# dropin.sh OUTDIR - make the C probe as two files to drop into a program: ct.h, and ct.c with ctp.h and ct-stack.h copied
# into it.
set -e
src=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -eq 1 ] || { echo 'usage: dropin.sh OUTDIR' >&2; exit 2; }
cp "$src/sdk/c/ct.h" "$1/ct.h"
awk -v ctp="$src/sdk/ctp/ctp.h" -v stack="$src/sdk/c/ct-stack.h" '
function copy(file) { while ((getline line < file) > 0) print line; inlined++ }
/^#if __has_include\("ctp.h"\)/ { copy(ctp); skipping = 1; next }
/^#include "ct-stack.h"/ { copy(stack); next }
skipping { if (/^#endif/) skipping = 0; next }
{ print }
END { exit inlined != 2 }' "$src/sdk/c/ct.c" >"$1/ct.c.tmp"
mv "$1/ct.c.tmp" "$1/ct.c"
