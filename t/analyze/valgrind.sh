#!/bin/sh
# valgrind.sh [t/cases/one.t ...] - the tests of the filters and reports, which run under valgrind in them: a bad access, or a use of what
# was not set, is status 99, which no test expects. Leaks are left to SAN=1. O is the build directory.
cd "$(dirname "$0")/../.." || exit 2
: "${O:=$PWD/build}"
command -v valgrind >/dev/null || { echo 'valgrind: it is not here'; exit 0; }
under=$O/valgrind
rm -rf "$under"
mkdir -p "$under" || exit 2
for p in "$O"/*; do
	case ${p##*/} in
	valgrind | valgrind.log) ;;
	# what reads other processes, compiles or is a shell of its own thread on a terminal is no filter
	ct-record | ct-snap | ct-uprobe | ct-top) ln -s "$p" "$under/" ;;
	ct-*) printf '#!/bin/sh\nexec valgrind -q --error-exitcode=99 --leak-check=no --trace-children=no "%s" "$@"\n' "$p" >"$under/${p##*/}"
		chmod +x "$under/${p##*/}" ;;
	*) ln -s "$p" "$under/" ;;
	esac
done
[ $# -gt 0 ] || for t in stuck sched model reader check bt groups legs lint live fold tocsv lostwake judge-gone judge-missed judge-woken \
	judge-ready judge-deadlock judge-several judge-loss judge-end report where sym fromgo fromjvm tochrome toperfetto plot badinput; do
	set -- "$@" "t/cases/$t.t"
done
O=$under CASE_LIMIT=3000 nice sh t/check.sh "$@" >"$O/valgrind.log" 2>&1
status=$?
tail -n 3 "$O/valgrind.log"
[ $status -eq 0 ] || { grep -a -e '^ *not ok' -e '^not ok' -e '#   ' -e '==[0-9]*== [IUC]' "$O/valgrind.log" | head -40; echo "valgrind: see $O/valgrind.log"; }
exit $status
