#!/bin/sh
# Print the CPU time of JVM programs with the agent, beside the same without: medians of RUNS (5) pairs. The JVM's start is in both.
# PROGRAMS: of these classes alone.
: "${O:?}" "${RUNS:=5}" "${PROGRAMS:=}"
src=$(cd "${0%/*}/../.." && pwd)
jdk=$(sh "$src/share/packaging/jdk.sh") || { echo 'bench-jvm: no JDK of 21 or later' >&2; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$jdk/bin/javac" -d "$work" "$src"/t/java/*.java || exit 1
agent=-agentpath:$O/libcorotrace-jvm.so

cat >"$work/timed" <<'EOF'
"$@" || exit 1
times >"${0%/*}/times"
EOF
# The CPU time in milliseconds of the JVM, without that of a recorder in front of it.
cpu() {
	"$@" >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
	sed -n '2s/[ms]/ /gp' "$work/times" | awk '{ printf "%d\n", ($1 * 60 + $2 + $3 * 60 + $4) * 1000 }'
}
median() { sort -n | sed -n "$(((RUNS + 1) / 2))p"; }
pair() {	# NAME CLASS [ARG...]
	name=$1; shift
	case " ${PROGRAMS:-$1} " in *" $1 "*) ;; *) return ;; esac
	: >"$work/loaded"; : >"$work/recorded"
	for i in $(seq "$RUNS"); do
		bare=$(cpu sh "$work/timed" "$jdk/bin/java" -cp "$work" "$@") || exit 1
		loaded=$(cpu sh "$work/timed" "$jdk/bin/java" "$agent" -cp "$work" "$@") || exit 1
		recorded=$(cpu "$O/ct-record" -q -o "$work/trace" sh "$work/timed" "$jdk/bin/java" "$agent" -cp "$work" "$@") || exit 1
		echo "$loaded $bare" | awk '{ print $1 / $2 }' >>"$work/loaded"
		echo "$recorded $bare" | awk '{ print $1 / $2 }' >>"$work/recorded"
	done
	printf '%-44s %.2f times loaded, %.2f recorded\n' "$name" "$(median <"$work/loaded")" "$(median <"$work/recorded")"
}
pair 'java: 100,000 hand-overs between two threads' PingPong 100000
pair 'java: a web server, 8 clients, 1,600 requests' Server 8 200
pair 'java: 1,000,000 permits taken and given back' Hooks permits 1000000
pair 'java: 200,000 functions run and awaited' Hooks futures 200000
pair 'java: 200,000 tasks of a pool, awaited' Hooks tasks 200000
