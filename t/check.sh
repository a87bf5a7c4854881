#!/bin/sh
# Run the tests: check.sh [-v] [t/cases/one.t ...]. The environment: O (build directory), CC, CXX, SAN.
cd "$(dirname "$0")/.." || exit 2
verbose=
[ "$1" = -v ] && { verbose=-v; shift; }
[ $# -gt 0 ] || set -- t/cases/*.t
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
# Under nohup, what tests end by SIGHUP would not end.
hup='env --default-signal=HUP'
$hup true 2>/dev/null || hup=
# Three more than there are processors: a third of the time a test waits.
exec $hup prove ${verbose:---failures --comments} -j"$(($(nproc 2>/dev/null || echo 2) + 3))" --timer "$@"
