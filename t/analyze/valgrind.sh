#!/bin/sh
# valgrind.sh - makes $O/valgrind, where the filters and reports of the build directory O are that run under valgrind, and prints the test
# files that can do with them: a bad access, or a use of what was not set, is status 99, which no test expects. Leaks are left to SAN=1.
cd "$(dirname "$0")/../.." || exit 2
: "${O:=$PWD/build}"
under=$O/valgrind
rm -rf "$under"
mkdir -p "$under" || exit 2
for p in "$O"/*; do
	case ${p##*/} in
	valgrind) ;;
	# what reads other processes, compiles or is a shell of its own thread on a terminal is no filter
	ct-record | ct-snap | ct-uprobe | ct-top) ln -s "$p" "$under/" ;;
	# valgrind has no room in a limited address space: where the limit is what is tried, the program is left alone
	ct-*) cat >"$under/${p##*/}" <<EOF
#!/bin/sh
[ "\$(ulimit -v)" = unlimited ] || exec "$p" "\$@"
exec "$(command -v valgrind)" -q --error-exitcode=99 --leak-check=no --trace-children=no "$p" "\$@"
EOF
		chmod +x "$under/${p##*/}" ;;
	*) ln -s "$p" "$under/" ;;
	esac
done
for t in stuck sched model reader check bt groups legs lint live fold tocsv lostwake judge-gone judge-missed judge-woken judge-ready \
	judge-deadlock judge-several judge-loss judge-end report where sym fromgo fromjvm tochrome toperfetto plot badinput; do
	echo "t/cases/$t.t"
done
