# lib.sh - sourced by the shell tests: TAP, a scratch directory of the test's own, the programs on PATH.
#
#	. "${0%/*}/../lib/lib.sh"
#	test_case 'says what must hold' <<'EOF'      a shell script; it passes when every command in it does (set -e)
#	...
#	EOF
#	done_testing
#
# In a case: cwd is the scratch directory, $SRC the source tree, $O the build directory, $SAN set under sanitizers;
# status N CMD... runs CMD and requires exactly status N; fails CMD... requires a failure that is no crash (to "! CMD"
# set -e pays no heed); same EXPECTED ACTUAL is diff -u. A case that takes more than CASE_LIMIT seconds has failed.

SRC=$(cd "$(dirname "$0")/../.." && pwd)
: "${O:=$SRC/build}" "${CASE_LIMIT:=1200}"
case $O in /*) ;; *) O=$SRC/$O ;; esac
PATH=$O:$PATH
# Programs whose libraries are not here were left out: what is about one of them has nothing to run.
for program in ${LEFT_OUT:-}; do
	case $0 in */house.t | */install.t) continue ;; esac
	! grep -qw -e "$program" "$0" || { echo "1..0 # SKIP $program was left out: its library is not here"; exit 0; }
done
export SRC O PATH
scratch=$(mktemp -d "${TMPDIR:-/tmp}/corotrace-t.XXXXXX") || exit 1
trap 'cd /; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
test_count=0

cat >"$scratch/.case-lib" <<'EOF'
status() {
	want=$1; shift
	got=0; "$@" || got=$?
	[ "$got" -eq "$want" ] || { echo "status $got, not $want: $*" >&2; return 1; }
}
same() { diff -u "$1" "$2" >&2; }
has() { grep -q -e "$1" "$2" || { echo "no /$1/ in $2:" >&2; head -20 "$2" >&2; return 1; }; }
hasnt() { ! grep -e "$1" "$2" >&2; }
fails() {
	got=0; "$@" >&2 || got=$?
	[ "$got" -ne 0 ] && [ "$got" -lt 126 ] || { echo "status $got, and should fail: $*" >&2; return 1; }
}
set -e
EOF

# t/mutate names the CASES that run, and a directory for what each counts of the lines that it runs.
test_case() {
	test_count=$((test_count + 1))
	case " ${CASES:-$test_count} " in
	*" $test_count "*) ;;
	*) echo "ok $test_count - $1 # SKIP not asked for"; return ;;
	esac
	[ -z "${GCOV_CASES:-}" ] || export GCOV_PREFIX="$GCOV_CASES/$test_count"
	mkdir "$scratch/$test_count"
	cat >"$scratch/.case" 
	if (cd "$scratch/$test_count" && cat ../.case-lib ../.case >../.run && limited sh ../.run) >"$scratch/.log" 2>&1 </dev/null
	then echo "ok $test_count - $1"
	else echo "not ok $test_count - $1"; tail -40 "$scratch/.log" | sed 's/^/# /'
	fi
}
# What a case leaves running ends with it: they are a process group.
limited() {
	timed=0
	timeout -k 10 "$CASE_LIMIT" "$@" || timed=$?
	[ "$timed" -ne 124 ] && [ "$timed" -ne 137 ] || echo "no end within $CASE_LIMIT seconds (CASE_LIMIT)" >&2
	return "$timed"
}
skip_case() { test_count=$((test_count + 1)); echo "ok $test_count - $1 # SKIP $2"; }
skip_all() { echo "1..0 # SKIP $1"; exit 0; }
# What is ours must build, where there is what builds it.
fail_all() { test_count=$((test_count + 1)); echo "not ok $test_count - $1"; echo "1..$test_count"; exit 1; }
has_coroutines() {	# COMPILER
	command -v "$1" >/dev/null && echo 'int main() {}' >"$scratch/x.cc" && "$1" -std=c++20 -include coroutine -fsyntax-only "$scratch/x.cc" 2>/dev/null
}
done_testing() { echo "1..$test_count"; }
