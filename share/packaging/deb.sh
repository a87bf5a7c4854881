#!/bin/sh
# Build Debian packages of what git has here: deb.sh OUT VERSION. They appear in OUT. Needs debhelper and what
# share/packaging/debian/control names.
set -eu
out=$1 version=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
command -v dh >/dev/null || { echo 'deb: no debhelper: apt-get install debhelper' >&2; exit 1; }
mkdir -p "$out"
work=$(mktemp -d "$out/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
tree=$work/corotrace-$version
mkdir "$tree"
(cd "$top" && git ls-files -z | tar -c --null -T - ) | tar -x -C "$tree"
cp -r "$tree/share/packaging/debian" "$tree/debian"
mkdir "$tree/debian/source"
mv "$tree/debian/source-format" "$tree/debian/source/format"
when=$(git -C "$top" log -1 --format=%cd --date=rfc) who='corotrace maintainers <maintainers@corotrace.invalid>'
printf 'corotrace (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' "$version" "$who" "$when" \
	>"$tree/debian/changelog"
SOURCE_DATE_EPOCH=$(git -C "$top" log -1 --format=%ct)
export SOURCE_DATE_EPOCH
(cd "$tree" && dpkg-buildpackage -us -uc -b >"$work/log" 2>&1) || { tail -40 "$work/log" >&2; exit 1; }
mv "$work"/*.deb "$out/"
ls "$out"/*.deb
