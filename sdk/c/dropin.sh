#!/bin/sh
# dropin.sh OUTDIR - make the C probe as two files to drop into a program: ct.h, and ct.c with ctp.h, ct-stack.h and ct-box.h copied
# into it.
set -e
src=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -eq 1 ] || { echo 'usage: dropin.sh OUTDIR' >&2; exit 2; }
cp "$src/sdk/c/ct.h" "$1/ct.h"
awk -v ctp="$src/sdk/ctp/ctp.h" -v stack="$src/sdk/c/ct-stack.h" -v box="$src/sdk/c/ct-box.h" '
function copy(file) { while ((getline line < file) > 0) print line; inlined++ }
/^#if __has_include\("ctp.h"\)/ { copy(ctp); skipping = 1; next }
/^#include "ct-stack.h"/ { copy(stack); next }
/^#include "ct-box.h"/ { copy(box); next }
skipping { if (/^#endif/) skipping = 0; next }
{ print }
END { exit inlined != 3 }' "$src/sdk/c/ct.c" >"$1/ct.c.tmp"
mv "$1/ct.c.tmp" "$1/ct.c"
