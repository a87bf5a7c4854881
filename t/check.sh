#!/bin/sh
# Run the tests: check.sh [-v] [t/cases/one.t ...]. The environment: O (build directory), CC, CXX, SAN.
cd "$(dirname "$0")/.." || exit 2
verbose=
[ "$1" = -v ] && { verbose=-v; shift; }
# Those that take longest begin first, or the end waits for them, and all of Rust for what the first of them compiles.
if [ $# -eq 0 ]; then
	set -- t/cases/rust-box.t t/cases/runtimes.t t/cases/uprobe-own.t
	for file in t/cases/*.t; do
		case " $* " in *" $file "*) ;; *) set -- "$@" "$file" ;; esac
	done
fi
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
# Under nohup, what tests end by SIGHUP would not end.
hup='env --default-signal=HUP'
$hup true 2>/dev/null || hup=
# Four more than there are processors: most of its time a test waits.
exec $hup prove ${verbose:---failures --comments} -j"$(($(nproc 2>/dev/null || echo 2) + 4))" --timer "$@"
