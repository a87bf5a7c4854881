#!/bin/sh
# long.sh SECONDS [SEED] - what t/cases runs a few rounds of, on and on with other seeds; stops at the first failure, and says which
# seed found it: what failed is under $O/fuzz.
seconds=$1 seed=${2:-$(date +%s)}
: "${O:?}"
here=$(cd "${0%/*}" && pwd)
mkdir -p "$O/fuzz" && cd "$O/fuzz" || exit 2
end=$(($(date +%s) + seconds)) rounds=0
while [ "$(date +%s)" -lt $end ]; do
	sh "$here/run.sh" "$seed" 10 || exit 1
	[ "$(uname -m)" != x86_64 ] || sh "$here/elf.sh" "$seed" 10 || exit 1
	sh "$here/core.sh" "$seed" 10 || [ $? -eq 77 ] || exit 1
	python3 "$here/keys.py" "$O/ct-top" "$seed" 5 "$here"/corpus/*.jsonl || exit 1
	python3 "$here/jvm.py" "$O" "$seed" 50 || exit 1
	for p in "reader 20000 $seed" "gotrace 500 $seed" "judge 1000 $seed"; do
		"$O"/t/fuzz/$p >out 2>&1 || { grep -v '^ok' out >&2; echo "$p" >&2; exit 1; }
	done
	seed=$((seed + 10)) rounds=$((rounds + 10))
done
echo "$rounds seeds, the last $((seed - 1)): nothing found"
