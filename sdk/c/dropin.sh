#!/bin/sh
# dropin.sh OUTDIR - make the probes as files to drop into a program: ct.h, and ct.c with ctp.h and its parts copied into it;
# for C++ corotrace.hpp alone, with both copied into it, and, which include that, ct_asio.hpp, with its parts copied into it,
# and ct_fiber.hpp; for Zig corotrace.zig.
set -e
src=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -eq 1 ] || { echo 'usage: dropin.sh OUTDIR' >&2; exit 2; }
cp "$src/sdk/c/ct.h" "$1/ct.h"
awk -v src="$src/sdk" -v parts="$(find "$src/sdk/c" -name 'ct-*.h' | wc -l)" '
function put(text, name) {
	if (text !~ /^#include "ct-[a-z]*\.h"/) { print text; return }
	split(text, name, "\"")
	copy(src "/c/" name[2])
}
function copy(file, text) { inlined++; while ((getline text < file) > 0) put(text) }
/^#if __has_include\("ctp.h"\)/ { copy(src "/ctp/ctp.h"); skipping = 1; next }
skipping { if (/^#endif/) skipping = 0; next }
{ put($0) }
END { exit inlined != parts + 1 }' "$src/sdk/c/ct.c" >"$1/ct.c.tmp"
mv "$1/ct.c.tmp" "$1/ct.c"
edition=$(cat "$src"/sdk/c/ct*.[ch] "$src/sdk/ctp/ctp.h" "$src"/sdk/cpp/*.hpp "$src"/sdk/cpp/ct-asio/*.hpp | cksum | cut -d' ' -f1)
# Of C++'s own text the block that looks for ct.h and ct.c gives way to these two. Much of it is C: what a
# program wants to be warned of is about its own.
awk -v out="$1" -v edition="$edition" '
function copy(file, text) { while ((getline text < file) > 0) if (text != "#include \"ct.h\"") print text; else dropped++ }
/^#if defined CT_LINKED/ {
	print "#ifndef CT_LINKED\n#define CT_HEADER_ONLY\n#endif"
	copy(out "/ct.h")
	print "#ifndef CT_LINKED"
	copy(out "/ct.c")
	print "#endif"
	depth = 1; copied++; next
}
depth && /^#if/ { depth++ }
depth && /^#endif/ { depth--; next }
depth { next }
{ print }
/^#define COROTRACE_HPP/ { print "#define CT_EDITION ct_" edition; print "#pragma GCC system_header" }
END { exit copied != 1 || dropped != 1 }' "$src/sdk/cpp/corotrace.hpp" >"$1/corotrace.hpp.tmp"
mv "$1/corotrace.hpp.tmp" "$1/corotrace.hpp"
awk -v dir="$src/sdk/cpp/" -v parts="$(find "$src/sdk/cpp/ct-asio" -name '*.hpp' | wc -l)" '
/^#include "ct-asio\// { split($0, name, "\""); copied++; while ((getline text < (dir name[2])) > 0) print text; next }
{ print }
END { exit copied != parts }' "$src/sdk/cpp/ct_asio.hpp" >"$1/ct_asio.hpp.tmp"
mv "$1/ct_asio.hpp.tmp" "$1/ct_asio.hpp"
cp "$src/sdk/cpp/ct_fiber.hpp" "$src/sdk/zig/corotrace.zig" "$1/"
