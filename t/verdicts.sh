#!/bin/sh
# How good the verdicts are, on programs after published bugs that no rule was written for (t/zoo/pub-*.c, a second
# round, pub2-*.c, and later ones, pub3-*.c to pub9-*.c): each with its bug and mended, and healthy ones, at 1, 2 and 4 workers.
# `make verdicts` prints the table that share/doc/VERDICTS.md shows.
#
#	verdicts.sh [-q] [PROGRAM ...]		-q: 2 workers only; the environment: O, the build directory
#
# A program's second line says what is true: `expect: VERDICT N` has its proof in the trace, `suspected:` and `hint:` have no
# more than that. `nothing proven` alone: the trace cannot tell. Status 1: a proven or suspected finding is wrong.
set -eu
src=$(cd "$(dirname "$0")/.." && pwd)
: "${O:=$src/build}"
PATH=$O:$PATH
workers='1 2 4'
[ "${1-}" != -q ] || { workers=2; shift; }
[ $# -gt 0 ] || set -- $(cd "$src/t/zoo" && ls pub*.c | sed 's/\.c$//')
out=$(mktemp -d "${TMPDIR:-/tmp}/corotrace-v.XXXXXX")
trap 'rm -rf "$out"' EXIT
trap 'exit 1' INT TERM HUP

# What its second line says of a grade, as "verdict count" lines.
told() { sed -n "2s/.*$2: \([a-z-]* [0-9][0-9]*\).*/\1/p" "$src/t/zoo/$1.c"; }

# NAME WORKERS HOW: one record, judged.
run() {
	t=$out/$1.$2.$3
	timeout -s KILL 60 ct-record -q -o "$t.trace" "$O/t/zoo/$1" "$2" "$3" 2>"$t.err" || [ $? -ge 128 ]
	got=0; ct-lostwake --quiet --json "$t.trace" >"$t.found" || got=$?
	echo $got >"$t.status"
}
n=0
for w in $workers; do
	for name; do
		for how in bug mended; do
			case $name.$how in pub*-ok-*.mended) continue; esac
			run "$name" "$w" "$how" &
			n=$((n + 1))
			[ $((n % 6)) -ne 0 ] || wait
		done
	done
done
wait

for t in "$out"/*.found; do
	f=${t##*/}; f=${f%.found}
	name=${f%%.*} how=${f##*.}
	for grade in proven suspected hint unknown; do
		sed -n "s/.*\"verdict\":\"\([^\"]*\)\",\"certainty\":\"$grade\".*/\1/p" "$t" | sort | uniq -c |
			while read -r count verdict; do echo "got $f $grade $verdict $count"; done
	done
	for pair in expect:proven suspected:suspected hint:hint; do
		[ $how = mended ] || told "$name" "${pair%:*}" |
			while read -r verdict count; do echo "want $f ${pair#*:} $verdict $count"; done
	done
	echo "status $f $(cat "${t%.found}.status")"
done >"$out/all"

status=0
for set in pub pub2 pub3 pub4 pub5 pub6 pub7 pub8 pub9; do
grep " $set-" "$out/all" >"$out/set" || continue
printf '\n# %s-*\n' "$set"
awk '
function sound(f) { return f ~ /^pub[2-9]?-ok-/ || f ~ /\.mended$/ }
$1 == "want" { want[$2, $4] += $5; grade[$2, $4] = $3; runs[$2] }
$1 == "got" { got[$2, $4, $3] += $5; seen[$2, $4] }
$1 == "status" { healthy += sound($2); red += sound($2) && $3 == 1; runs[$2]; if (sound($2) && $3 == 1) print "# status 1: " $2 }
END {
	split("proven suspected hint", G)
	for (k in want) {
		split(k, p, SUBSEP)
		all[grade[k]] += want[k]
		for (i = 1; i <= 3; i++)
			hit[grade[k], G[i]] += got[k, G[i]] < want[k] ? got[k, G[i]] : want[k]
		sum = got[k, "proven"] + got[k, "suspected"] + got[k, "hint"]
		if (!got[k, grade[k]])
			printf "# %s: %s is %s, found as %s\n", p[1], p[2], grade[k], got[k, "proven"] ? "proven" : got[k, "suspected"] ? "suspected" : got[k, "hint"] ? "hint" : "nothing"
	}
	for (k in got) {
		split(k, p, SUBSEP)
		true_ = want[p[1], p[2]] + 0
		right = got[k] < true_ ? got[k] : true_
		found[p[3]] += got[k]; good[p[3]] += right
		if (got[k] > true_) { printf "# wrong: %s: %d %s, %s\n", p[1], got[k] - true_, p[2], p[3]; bad += p[3] == "proven" || p[3] == "suspected" }
	}
	printf "\n| what the trace holds | bugs | found proven | or suspected | or a hint |\n|---|---|---|---|---|\n"
	for (i = 1; i <= 3; i++) { g = G[i]; a = hit[g, "proven"]; b = a + hit[g, "suspected"]; c = b + hit[g, "hint"]
		if (all[g]) printf "| %s | %d | %.3f | %.3f | %.3f |\n", g == "proven" ? "a proof" : g == "suspected" ? "grounds to suspect" : "no more than a hint", all[g], a / all[g], b / all[g], c / all[g] }
	printf "\n| finding | how many | precision |\n|---|---|---|\n"
	for (i = 1; i <= 3; i++) { g = G[i]; if (found[g]) printf "| %s | %d | %.3f |\n", g, found[g], good[g] / found[g] }
	n = found["proven"] + found["suspected"]
	if (n) printf "| proven or suspected | %d | %.3f |\n", n, (good["proven"] + good["suspected"]) / n
	printf "\n%d of %d runs of healthy or mended programs end with status 1.\n", red, healthy
	exit bad > 0
}' "$out/set" || status=1
done
exit $status
