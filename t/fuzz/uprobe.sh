#!/bin/sh
# uprobe.sh FIRST COUNT - ct-uprobe on processes whose executables are broken, of the seeds from FIRST on: in bounded memory it ends with a
# status of its own, and the process lives. What does not run any more is passed over. What one fails on is kept in the current
# directory as failed-SEED.elf. The environment: O, CXX.
first=$1 count=$2
: "${O:?}"
here=$(cd "${0%/*}" && pwd)
${CXX:-c++} -std=c++20 -O2 -g -pthread -o "whole-$$" "$here/../targets/uprobe-cc.cc" || exit 2
failed=0 seed=$first ran=0
mkfifo "to-$$"
while [ "$seed" -lt $((first + count)) ]; do
	python3 "$here/elf.py" "$seed" "whole-$$" "broken-$$" && chmod +x "broken-$$" || exit 2
	timeout -s KILL 100 "./broken-$$" 4 <"to-$$" >"own-$$" 2>/dev/null & runner=$!
	exec 3>"to-$$"
	tries=0
	while [ $tries -lt 100 ] && kill -0 $runner 2>/dev/null && ! grep -q ready "own-$$"; do tries=$((tries + 1)); sleep 0.05; done
	pid=$(ps -o pid= --ppid $runner)
	if [ "$pid" ] && grep -q ready "own-$$"; then
		ran=$((ran + 1)) got=0
		(ulimit -v "${LIMIT:-1000000}"; exec timeout --preserve-status -k 60 -s INT 1 "$O/ct-uprobe" -p $pid) >"out-$$" 2>"err-$$" || got=$?
		case $got in 0 | 3 | 130) kill -0 $pid ;; *) false ;; esac || {
			failed=$((failed + 1))
			cp "broken-$$" "failed-$seed.elf"
			echo "seed $seed: status $got: ct-uprobe" >&2
			head -12 "err-$$" >&2
		}
	fi
	exec 3>&-
	kill -KILL $pid $runner 2>/dev/null
	wait $runner 2>/dev/null
	seed=$((seed + 1))
done
rm -f ./*"-$$"
[ $failed -eq 0 ] && [ $ran -gt $((count / 3)) ]
