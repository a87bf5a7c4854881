#!/bin/sh
# run.sh FIRST COUNT - every program that reads a trace, on mutated ones (odd seeds) and made up ones (even), from FIRST on: each must
# end by itself, with a status of its own, without a word of a sanitizer. What one fails on is kept in the current directory as
# failed-SEED.jsonl. The environment: O, the build directory.
first=$1 count=$2
: "${O:?}"
# What a library, or mutate, leaves behind at its end harms nobody.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
here=${0%/*}
programs='ct-stuck
ct-stuck --all --json
ct-stuck --at=+1ms
ct-lostwake
ct-lostwake --json --grace=0
ct-bt --all
ct-bt --tree --json
ct-check
ct-lint --long-poll=1us
ct-sched
ct-sched --json
ct-fold
ct-fold --wakers
ct-sym
ct-sym --text
ct-where .tid==9
ct-where --jq (.by//0)>1
ct-tocsv
ct-tocsv --per=interval
ct-tosql
ct-tosql --dialect=postgres
ct-tosql --db=:memory:
ct-toperfetto
ct-tochrome
ct-report
ct-report --json
ct-report --format=junit
ct-report --format=sarif
ct-html
ct-top
ct-plot states
ct-plot waits
ct-plot heatmap
ct-plot queues'
failed=0
seed=$first
while [ "$seed" -lt $((first + count)) ]; do
	if [ $((seed % 2)) -eq 0 ]; then
		"$O/t/fuzz/generate" "$seed"
	else
		"$O/t/fuzz/mutate" "$seed" "$here"/corpus/*.jsonl
	fi >"trace-$$"
	while read -r p; do
		got=0
		timeout "${FUZZ_LIMIT:-60}" "$O"/$p --quiet <"trace-$$" >"out-$$" 2>"err-$$" || got=$?
		if [ $got -le 3 ] && ! grep -a -q -e Sanitizer -e 'runtime error' "err-$$"; then continue; fi
		failed=$((failed + 1))
		cp "trace-$$" "failed-$seed.jsonl"
		echo "seed $seed: status $got: $p" >&2
		grep -a -m 12 -e Sanitizer -e 'runtime error' -e '#[0-9]' "err-$$" >&2
	done <<EOF
$programs
EOF
	# An expression means the same to both that evaluate it, or is none to either.
	expr=$("$O/t/fuzz/mutate" --expr "$seed")
	a=0 b=0
	timeout 60 "$O/ct-where" --quiet --count -- "$expr" "$here/corpus/ready-level.jsonl" >"out-$$" 2>"err-$$" || a=$?
	timeout 60 "$O/ct-where" --jq --quiet --count -- "$expr" "$here/corpus/ready-level.jsonl" >"other-$$" 2>>"err-$$" || b=$?
	if [ $a -gt 3 ] || [ $a -ne $b ] || [ "$(cut -d, -f1,2 "out-$$")" != "$(cut -d, -f1,2 "other-$$")" ] ||
	   grep -a -q -e Sanitizer -e 'runtime error' "err-$$"; then
		failed=$((failed + 1))
		echo "seed $seed: ct-where: status $a, with --jq $b: $expr" >&2
		grep -a -m 12 -e Sanitizer -e 'runtime error' -e '#[0-9]' "err-$$" >&2
	fi
	seed=$((seed + 1))
done
rm -f "trace-$$" "out-$$" "err-$$" "other-$$"
[ $failed -eq 0 ]
