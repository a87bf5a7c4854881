#!/bin/sh
# The zoo: every program of t/zoo, at 1, 2 and 4 workers, is found to have what its second line says, and nothing else is
# proven. Then with events removed: whatever is still proven was proven before.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

cat >>"$scratch/.case-lib" <<'EOT'
# Sanitizers do not follow the C ones, which switch stacks by hand.
# Those after published bugs, pub-*, are t/cases/verdicts.t's.
names() { (cd $SRC/t/zoo && ls *.cc $([ -n "$SAN" ] || ls *.c) | grep -v "^pub" | sed "s/\.cc*$//"); }
# What the program's header says, as sorted lines "verdict count".
expected() { sed -n "s/.*$2: \([^;]*[0-9]\)\( \*\/\)*\$/\1/p" $SRC/t/zoo/$1.c* | tr ',' '\n' | sed 's/^ *//' | sort; }
found() { grep "\"certainty\":\"$2\"" "$1" | cut -d'"' -f4 | sort | uniq -c | awk '{ print $2, $1 }'; }
# verdict, coroutine. The wake lost that came too early, a wait for one that has ended is still that.
accused() { grep '"certainty":"proven"' "$1" | sed 's/.*"verdict":"\([^"]*\)".*"probe_id":\([0-9]*\),.*/\1 \2/; s/^dead-awaitee/missed-wake/' | sort; }
# Of several who wait for the same the first that is known of is accused: where its lines are gone, one of these.
behind() {
	sed -n 's/.*"verdict":"\([^"]*\)","certainty":"proven".*"behind_ids":\[\([0-9,]*\)\].*/\1 \2/p' "$1" |
		while read -r verdict ids; do for id in $(echo "$ids" | tr , ' '); do echo "$verdict $id"; done; done
}
record() {	# NAME WORKERS: a death by signal is part of some
	code=0; timeout -s KILL 300 ct-record -q -o $1.$2.trace $O/t/zoo/$1 $2 2>$1.$2.err || code=$?
	got=0; ct-lostwake --quiet --json $1.$2.trace >$1.$2.found || got=$?
	[ $code -ne 0 ] && [ $code -lt 128 ] || [ $got -gt 1 ] || return 0
	[ $got -eq 3 ] && { grep -q '"ev":"lost"' $1.$2.trace || sed 2q $SRC/t/zoo/$1.c* | grep -q inconclusive; } ||
		{ echo "$1 $2: statuses $code, $got"; cat $1.$2.err; ct-lostwake $1.$2.trace; tail -n 60 $1.$2.trace | cut -c1-200; } >>odd
}
EOT

test_case 'those of C++ are one program, and nothing of the others is in a trace' <<'EOT'
ln $O/t/zoo/all nobody 2>/dev/null || cp $O/t/zoo/all nobody
status 2 ct-record -q -o trace ./nobody
has '"events":0,' trace
EOT

for workers in 1 2 4; do
	test_case "$workers workers: recall and precision of what is proven are 1.0" <<EOT
n=0
for name in \$(names); do
	record \$name $workers &
	n=\$((n + 1))
	[ \$((n % ${ZOO_AT_ONCE:-8})) -ne 0 ] || wait
done
wait
for name in \$(names); do
	expected \$name expect >want
	found \$name.$workers.found proven >got
	diff want got >diff || { echo "\$name:"; cat diff; } >>wrong
	awk 'NR == FNR { want[\$1] = \$2; next } { got[\$1] = \$2; want[\$1] += 0 }
		END { for (v in want) print v, want[v], got[v] + 0, got[v] < want[v] ? got[v] + 0 : want[v] }' want got >>counts
	expected \$name suspected >want
	[ ! -s want ] || found \$name.$workers.found suspected | diff want - >>wrong
done
cat counts >>$scratch/counts
suspected=\$(cat *.found | grep -c '"certainty":"suspected"' || :)
awk -v s=\$suspected -v n=\$n '{ w += \$2; g += \$3; hit += \$4 } END {
	printf "# $workers workers, %d programs: recall %.3f, precision %.3f of %d proven; %d suspected\n",
	n, hit / w, g ? hit / g : 1, w, s }' counts >$scratch/sum.$workers
rm -rf $scratch/traces.$workers && mkdir $scratch/traces.$workers && mv *.trace *.found $scratch/traces.$workers
[ ! -s wrong ] && [ ! -e odd ] || { cat wrong odd >&2 2>/dev/null; exit 1; }
EOT
	cat "$scratch/sum.$workers"
done
awk '{ w[$1] += $2; g[$1] += $3; hit[$1] += $4; n[$1]++ } END { for (v in w)
	printf "#   %-16s recall %.3f, precision %.3f of %3d proven in %2d runs\n", v, w[v] ? hit[v] / w[v] : 1, g[v] ? hit[v] / g[v] : 1, w[v], n[v] }' \
	"$scratch/counts" | sort

# One line in N goes, chosen by a generator with a seed; a `lost` line takes its place, as a full ring's would. It tells
# what ct-record can tell: between which times, and how many; so all of those after the first may share one.
test_case 'events removed at random: a finding may become unknown, never another' <<'EOT'
cat >remove.awk <<'END'
function key(name) { return match($0, "\"" name "\":[0-9]+") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) : "" }
BEGIN { srand(seed) }
/"ev":"end"/ { sub(/"lost":[0-9]+(,"live":[0-9]+)?/, "\"lost\":" lost + 0); sub(/"events":[0-9]+/, "\"events\":" events - lost)
	sub(/,"lines":[{][^}]*[}]/, "") }
/"ev":"(meta|process|map|thread|site|stack|exit|end|sync|state|lost)"/ { print; next }
{
	events += !/"ev":"leg"/
	ts = key("ts")
	if (rand() * every >= 1) { print; last = ts; next }
	lost++
	printf "{\"ev\":\"lost\",\"ts\":%s,\"tid\":%s,\"count\":1,\"from\":%s,\"to\":%s}\n", ts, key("tid"), ts, ts
}
END
for trace in ../traces.$([ "${CHECK_ALL:-}" ] && echo '*' || echo '[14]')/*.trace; do
	accused ${trace%.trace}.found >full
	behind ${trace%.trace}.found | sort -u - full >may
	for every in 3 20; do for seed in 2; do
		awk -v seed=$seed -v every=$every -f remove.awk $trace >cut
		ct-lostwake --quiet --json cut >found || [ $? -ne 2 ]
		accused found >some
		comm -13 may some >wrong
		echo $(wc -l <full) $(wc -l <some) $(grep -c '"ev":"lost"' cut) >>sums
		[ ! -s wrong ] || { echo "$trace seed $seed every $every:"; cat wrong; } >>bad
	done; done
done
[ ! -e bad ] || { head -40 bad >&2; exit 1; }
# It would be no test if nothing were removed, or everything unknown.
awk '{ all += $1; kept += $2; lost += $3; none += !$3 && $1 != $2 } END {
	print "# " lost " events removed: " kept " of " all " findings still proven"
	exit !(lost && kept && kept < all && !none) }' sums >../sum.removed
EOT
cat "$scratch/sum.removed"
done_testing
