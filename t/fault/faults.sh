#!/bin/sh
# faults.sh MAX JUDGE COMMAND... - run COMMAND, its standard input from the file `in`, once for each of its calls that can fail
# (at most MAX, evenly spread), with that one failing, and have each judged.
#
# JUDGE gets the status, that of the run without fault, and finds in the working directory out, err, good and good.err (the
# run without fault). What it prints is what is wrong; then a line names the call and what was found. FAIL_SO is fail.c as a
# library. LIMIT: seconds until a run hangs. At the end a line with how many runs there were.
max=$1 judge=$2; shift 2
prog=${1##*/}
FAIL_N=0 FAIL_COUNT=calls FAIL_PROG=$prog LD_PRELOAD=$FAIL_SO timeout 60 "$@" <in >good 2>good.err
want=$?
read -r calls <calls || { echo "$prog: did not end by itself: status $want"; exit 1; }
cp good out && : >err
wrong=$(sh "$judge" "$want" "$want")
[ -z "$wrong" ] || { echo "$prog: without a fault: $wrong"; exit 1; }
i=1 runs=0 bad=0
while [ "$i" -le "$calls" ]; do
	: >which
	FAIL_N=$i FAIL_WHICH=which FAIL_PROG=$prog LD_PRELOAD=$FAIL_SO timeout -s KILL "${LIMIT:-20}" "$@" <in >out 2>err
	status=$?
	wrong=$(sh "$judge" "$status" "$want") || wrong="the judge failed: $wrong"
	runs=$((runs + 1))
	[ -z "$wrong" ] || {
		bad=1
		echo "$prog: call $i, $(cat which): $wrong (status $status, $(wc -c <err) bytes on stderr)"
	}
	i=$((i + (calls > max ? calls / max : 1)))
done
echo "$prog: $runs of $calls calls failed, status $want without"
exit $bad
