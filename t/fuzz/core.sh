#!/bin/sh
# core.sh FIRST COUNT - ct-snap on a core whose structure or memory is broken (core.py), or beside an executable that is (elf.py), of the
# seeds from FIRST on: it ends in time and in bounded memory with a status of its own, and what it prints is a trace. What one fails on
# is kept in the current directory. Status 77: no core can be had here. The environment: O, CXX, SAN.
first=$1 count=$2
: "${O:?}"
here=$(cd "${0%/*}" && pwd)
command -v gcore >/dev/null || exit 77
"${CXX:-c++}" -std=c++20 -O1 -g -o "frames-$$" "$here/../targets/snap-cc.cc" 2>/dev/null || exit 77
"./frames-$$" 6 >"own-$$" &
pid=$!
for try in $(seq 300); do ! tail -n 1 "own-$$" 2>/dev/null | grep -q ready || break; sleep 0.1; done
gcore -o "core-$$" $pid >"log-$$" 2>&1
kill $pid
wait $pid 2>/dev/null
[ -s "core-$$.$pid" ] || { cat "log-$$" >&2; exit 77; }
whole=core-$$.$pid failed=0 seed=$first
[ -n "${SAN:-}" ] || ulimit -v 4000000
"$O/ct-snap" "$whole" "./frames-$$" >"out-$$" 2>"err-$$" || { cat "err-$$" >&2; exit 1; }
while [ "$seed" -lt $((first + count)) ]; do
	core=$whole program=./frames-$$
	if [ $((seed % 3)) -eq 0 ]; then
		python3 "$here/elf.py" "$seed" "frames-$$" "program-$$" || exit 2
		program=./program-$$
	else
		python3 "$here/core.py" "$seed" "$whole" "broken-$$" || exit 2
		core=broken-$$
	fi
	got=0
	timeout "${FUZZ_LIMIT:-100}" "$O/ct-snap" "$core" "$program" >"out-$$" 2>"err-$$" || got=$?
	wrong=
	[ $got -le 3 ] || wrong="status $got"
	grep -a -q -e Sanitizer -e 'runtime error' "err-$$" && wrong=sanitizer
	[ $got -ne 0 ] || "$O/ct-stuck" --strict --quiet "out-$$" >/dev/null 2>&1 || [ $? -ne 2 ] || wrong='it is no trace'
	if [ -n "$wrong" ]; then
		failed=$((failed + 1))
		cp "$core" "failed-$seed.core"; cp "$program" "failed-$seed.elf"
		echo "seed $seed: $wrong: ct-snap" >&2
		head -12 "err-$$" >&2
	fi
	seed=$((seed + 1))
done
rm -f ./*"-$$" "$whole"
[ $failed -eq 0 ]
