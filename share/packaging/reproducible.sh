#!/bin/sh
# reproducible.sh [TARGET...] - build what git has here twice, in directories, time zones and languages that differ, and
# compare the programs and libraries byte by byte. Targets as under build/ (default: all).
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
[ "$(git -C "$src" rev-parse --is-inside-work-tree 2>/dev/null)" = true ] || { echo 'reproducible.sh: no git work tree' >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

make_in() {	# DIRECTORY TARGET...
	tree=$work/$1; shift
	mkdir -p "$tree"
	(cd "$src" && git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -cf - -T -) | tar -xf - -C "$tree"
	env -u MAKEFLAGS -u MAKELEVEL -u O make -s -C "$tree" "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
	(cd "$tree/build" && find . -maxdepth 2 -type f \( -name 'ct-*' -o -name '*.a' -o -path './dropin/*' \) | sort | xargs sha256sum) >"$work/sums.${tree##*/}"
}
TZ=UTC LC_ALL=C CCACHE_DISABLE=1 make_in one "$@"
TZ=Asia/Tokyo LC_ALL=C.UTF-8 CCACHE_DISABLE=1 make_in another/directory "$@"
[ -s "$work/sums.one" ] || { echo 'reproducible.sh: nothing was built' >&2; exit 1; }
diff "$work/sums.one" "$work/sums.directory" || { echo 'reproducible.sh: not the same' >&2; exit 1; }
wc -l <"$work/sums.one" | sed 's/ *//; s/$/ files, the same from both/'
