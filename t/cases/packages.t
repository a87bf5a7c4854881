#!/bin/sh
# Debian packages of what git has here: they build, lintian has nothing against them, and they hold what they should.
. "${0%/*}/../lib/lib.sh"
[ -n "${CHECK_ALL:-}" ] || skip_all 'takes minutes: make check-all'
command -v dh >/dev/null && command -v lintian >/dev/null || skip_all 'no debhelper, or no lintian'
git -C "$SRC" rev-parse >/dev/null 2>&1 || skip_all 'not a git checkout'

test_case 'make deb' <<'EOT'
unset MAKEFLAGS MFLAGS MAKELEVEL
make -s -C "$SRC" O="$PWD/build" deb >debs
[ "$(grep -c -e '/corotrace_' -e '/libcttrace-dev_' -e '/libcorotrace-dev_' debs)" -eq 3 ]
lintian --fail-on error,warning $(cat debs) >&2
for d in $(cat debs); do dpkg-deb -c $d; done >all
for f in usr/bin/ct-record man1/ct-lostwake.1 man5/ct-trace.5 libcttrace.a pkgconfig/cttrace.pc corotrace/ct.h man3/corotrace.3 \
	bash-completion/completions/ct-report; do has "$f" all; done
hasnt 'usr/local' all
for f in man3/ct.3 man3/cttrace.3 man3/ctt_model.3 pkgconfig/corotrace.pc cmake/corotrace/corotrace-config.cmake; do has "$f" all; done
# No file is in two packages, and what finds the libraries looks where they are.
awk '$1 !~ /^d/ { print $6 }' all | sort | uniq -d >twice
: >none
same none twice
for d in $(cat debs); do dpkg-deb -x $d root; done
for f in $(find root -name '*.pc'); do
	[ -e "root$(sed -n 's|^libdir=${prefix}|/usr|p' "$f")/pkgconfig/${f##*/}" ] || { cat "$f" >&2; exit 1; }
done
EOT
done_testing
