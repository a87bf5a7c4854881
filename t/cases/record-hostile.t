#!/bin/sh
# A target that scribbles over all of its trace memory: the recorder neither dies nor hangs nor grows, prints nothing
# that is no JSON line, finishes the trace, and says what it saw.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

hostile() {
	test_case "$1" <<EOT
for seed in $3; do
	status 9 trace $4 --threads=4 --ring-slots=64 --target-stdout=memory -- rec-scribble \$seed 250 $2 ||
		{ cat err >&2; exit 1; }
	tail -1 trace | grep -q '^{"ev":"end",.*}\$'
	status 1 ct-check --json trace >checked
	hasnt '"check":"\(bad\|end\)"' checked
	has '^ct-record: .*overwrites its trace memory' err
	hasnt 'ERROR\|runtime error' err
	[ "\$(wc -l <err)" -lt 12 ]
	[ "\$(cat memory)" -lt $kib ]
done
EOT
}
kib=40000; [ -z "$SAN" ] || kib=400000
hostile 'plausible numbers everywhere, and garbage' 90 '1 2 3 4 5'
hostile 'mostly garbage' 10 '6 7 8'
hostile 'rings that hand over lies one after another' 101 '9 10 11 12'
hostile 'call stacks that are none, or anything' 101 '13 14 15' --stacks
hostile 'call stacks and everything else' 90 '16 17' --stacks

test_case 'a count of stations that cannot be: coroutines go without, their history is told' <<'EOT'
cat >lie <<'END'
printf '\377\377\377\377' | dd of="$CTP_SHM_PATH" bs=1 seek=328 conv=notrunc status=none
exec rec-load count hop 4 50 5000
END
status 0 trace --ring-slots=64 -- sh lie
counted
only_losses
has '50 coroutines found no station' err
EOT

done_testing
