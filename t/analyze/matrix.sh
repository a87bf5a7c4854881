#!/bin/sh
# matrix.sh [ROW ...] - the tests in other worlds than that of `make check`: each row of the table at the end is one. Test files run
# one at a time, each within LIMIT seconds (2400), and what one does stops no other.
#
#	san       gcc's AddressSanitizer and UndefinedBehaviorSanitizer: all files
#	tsan      ThreadSanitizer: probes and recorder
#	clang     CLANG (clang-19, else clang) and its C++ library's headers: all files
#	valgrind  the filters and reports, each under valgrind in their tests
#	analyze   gcc -fanalyzer, cppcheck, clang --analyze
#
# T='t/cases/x.t ...': these files only. AGAIN=1: only files that have not passed yet, and the results of the others are kept.
# What each printed is in build-matrix/ROW/FILE. Status 1: something failed.
cd "$(dirname "$0")/../.." || exit 2
out=$PWD/build-matrix
: "${LIMIT:=2400}"
[ $# -gt 0 ] || set -- san tsan clang valgrind analyze
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-exitcode=66:die_after_fork=0}"

all_files() { set -- t/cases/*.t; echo "$@"; }
# Not those whose children start threads, or say what they say on stderr to be compared: ThreadSanitizer complains there.
probe_files() {
	for t in tsan probe record record-hostile record-join record-kill record-load record-own record-v1; do
		echo "t/cases/$t.t"
	done
}

# ROW: builds, and sets what the row's tests are and what they run with
prepare() {
	unset SAN TSAN CC CXX CASE_LIMIT
	files=$(all_files) programs=unit-programs
	! grep -q t/zoo ${T:-$files} || programs=test-programs
	case $1 in
	san)
		export SAN=1 O="$PWD/build-san"
		build SAN=1 ;;
	tsan)
		# these leave out under SAN what no sanitizer has: limits of memory, stacks switched by hand
		export SAN=1 TSAN=1 O="$PWD/build-tsan"
		files=$(probe_files) programs=unit-programs
		build SAN= ;;
	clang)
		CLANG=${CLANG:-$(command -v clang-19 || command -v clang)} || return 1
		export CC="$CLANG" CXX="$(echo "$CLANG" | sed 's/clang\([-.0-9]*\)$/clang++\1/')" O="$PWD/build-clang"
		build CC="$CC" CXX="$CXX" O="$O" ;;
	valgrind)
		command -v valgrind >/dev/null || return 1
		export O="$PWD/build" CASE_LIMIT=3000
		build O="$O" && files=$(sh t/analyze/valgrind.sh) && O=$O/valgrind ;;
	analyze)
		export O="$PWD/build"
		files=t/analyze/analyze.sh ;;
	*) echo "matrix: no row is named $1" >&2; exit 2 ;;
	esac
}
build() { nice make -s -j"$(nproc)" "$@" all $programs >"$out/$row/build" 2>&1; }

# FILE RESULT: "ok FAILED skipped", where FAILED names the cases
count() {
	awk -v name="$(basename "$1" .t)" '/^(ok .*|1\.\.0 )# SKIP/ { skipped++ } /^ok / && !/# SKIP/ { ok++ }
		/^not ok / { which = which (which ? "," : "") $3; failed++ } /^1\.\.[0-9]/ { plan = substr($1, 4); planned = 1 }
		END { if (!planned || plan + 0 > ok + failed + skipped) { failed++; which = which (which ? "," : "") "cut" }
			printf "%d %d %d %s\n", ok, failed, skipped, failed ? name "(" which ")" : "-" }' "$2"
}

run() {	# FILE
	result=$out/$row/$(basename "$1" .t)
	[ -z "${AGAIN:-}" ] || ! [ -f "$result" ] || case $(count "$1" "$result") in *' -') return ;; esac
	began=$(date +%s)
	case $1 in
	*.t) timeout -k 20 "$LIMIT" nice sh "$1" >"$result.part" 2>&1 ;;
	*) { sh "$1" && echo 'ok 1'; } >"$result.part" 2>&1 || echo 'not ok 1' >>"$result.part"; echo 1..1 >>"$result.part" ;;
	esac
	echo "# $(($(date +%s) - began)) s" >>"$result.part"
	mv "$result.part" "$result"
	count "$1" "$result" | {
		read -r ok failed skipped which
		printf '%-9s %-20s %4d ok %3d failed %3d skipped %6d s  %s\n' "$row" "$(basename "$1" .t)" "$ok" "$failed" "$skipped" \
			$(($(date +%s) - began)) "$(echo "$which" | sed 's/^-$//')"
	}
}

for row; do
	mkdir -p "$out/$row" || exit 2
	[ -n "${AGAIN:-}${T:-}" ] || rm -f "$out/$row"/*
	if ! prepare "$row"; then
		echo "matrix: $row: what it needs is not here, or was not built: $out/$row/build" >&2
		printf 'not ok build\n1..1\n' >"$out/$row/-"
		continue
	fi
	rm -f "$out/$row/-" "$out/$row/build"
	for file in ${T:-$files}; do run "$file"; done
done

status=0
printf '\n%-9s %5s %6s %6s %7s %7s  %s\n' row files ok failed skipped minutes 'what failed: file(cases)'
for row; do
	for result in "$out/$row"/*; do
		case $result in *.part | */build) continue ;; esac
		echo "$(count "$result" "$result") $(sed -n '$s/^# \([0-9]*\) s$/\1/p' "$result")"
	done | awk -v row="$row" '{ files++; ok += $1; failed += $2; skipped += $3; s += $5; if ($4 != "-") which = which " " $4 }
		END { printf "%-9s %5d %6d %6d %7d %7d %s\n", row, files, ok, failed, skipped, s / 60, which; exit failed > 0 }' || status=1
done
exit $status
