#!/bin/sh
# spin.sh [-q] MODEL.pml... - check models of ctp(7) exhaustively, and that each deliberate mistake in them is found.
#
# A model's head has a line for each check: "check: pass DEFINES" must hold, "check: fail DEFINES: WHAT" must be found
# wrong by a complaint in which WHAT stands. -q: only the lines "quick:". Prints TAP, with states and milliseconds.
# A model is compiled without optimisation: the compiler takes longer than the search.
quick=
[ "$1" = -q ] && { quick=1; shift; }
here=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/corotrace-spin.XXXXXX") || exit 2
trap 'cd /; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
count=0 bad=0

search() {	# MODEL DEFINES: leaves what pan says in out
	spin -a $2 "$1" >out 2>&1 &&
		${CC:-cc} -O0 -w -DSAFETY -DNOCLAIM -DVECTORSZ=2048 -o pan pan.c >>out 2>&1 &&
		timeout 600 ./pan -m1000000 -w22 >out 2>&1
	! grep -q 'max search depth too small' out && grep -q 'errors: ' out
}

judge() {	# pass|fail WHAT: is out as it must be?
	case $1 in
	pass) grep -q 'errors: 0$' out;;
	fail) grep '^pan:1: ' out | grep -qF -e "$2";;
	*) return 1;;
	esac
}

check() {	# NAME MODEL pass|fail DEFINES WHAT
	count=$((count + 1))
	mkdir "$work/$count" && cd "$work/$count" || exit 2
	begin=$(date +%s%N)
	verdict=ok
	{ search "$2" "$4" && judge "$3" "$5"; } || { verdict='not ok'; bad=1; }
	ms=$((($(date +%s%N) - begin) / 1000000))
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' out)
	echo "$verdict $count - $1${4:+ $4}: $3${5:+: $5} ($states states, $ms ms)"
	[ "$verdict" = ok ] || tail -20 out | sed 's/^/# /'
	cd "$here" && rm -rf "${work:?}/$count"
}

for model; do
	case $model in /*) file=$model;; *) file=$here/$model;; esac
	name=${model##*/} name=${name%.pml}
	sed -n "s/^ \* quick: /quick: /p${quick:+;d}; s/^ \* check: /check: /p" "$file" >"$work/checks"
	[ -s "$work/checks" ] || { echo "not ok $((count += 1)) - $name names no checks"; bad=1; }
	while read -r _ want rest; do
		defines=${rest%%:*} what=
		case $rest in *:*) what=${rest#*: };; esac
		check "$name" "$file" "$want" "$defines" "$what"
	done <"$work/checks"
done
echo "1..$count"
exit $bad
