#!/bin/sh
# elf.sh FIRST COUNT - ct-sym on files whose structure is broken, of the seeds from FIRST on: it ends in time with a status of its own, and
# the trace passes as it is. What one fails on is kept in the current directory as failed-SEED.elf. The environment: O, CC.
first=$1 count=$2
: "${O:?}"
here=$(cd "${0%/*}" && pwd)
cat >elf-$$.c <<'EOF'
#include <stdlib.h>
struct s { int a; struct s *next; };
static inline __attribute__((always_inline)) int inner(struct s *s) { return s->a * rand(); }
static inline __attribute__((always_inline)) int middle(struct s *s) { { int twice = 2; return inner(s) * twice; } }
__attribute__((noinline)) int mark(struct s *s) { return middle(s) + middle(s->next); }
int main(void) { struct s s = { 3, &s }; return mark(&s); }
EOF
failed=0 seed=$first
while [ "$seed" -lt $((first + count)) ]; do
	case $((seed % 4)) in 0) flags='-gdwarf-4 -O2' ;; 1) flags='-gdwarf-5 -O2' ;; 2) flags='-gdwarf-5 -O1 -gz' ;; 3) flags='-gdwarf-4 -O1 -fdebug-types-section' ;; esac
	[ -e "whole-$$-$((seed % 4))" ] || ${CC:-cc} $flags -no-pie -o "whole-$$-$((seed % 4))" elf-$$.c || exit 2
	whole=whole-$$-$((seed % 4))
	python3 "$here/elf.py" "$seed" "$whole" "broken-$$" || exit 2
	[ -e "$whole.jsonl" ] || {
		echo '{"ev":"meta","ts":1,"format":"corotrace","version":2}'
		echo "{\"ev\":\"map\",\"ts\":1,\"pid\":1,\"start\":\"0x0000000000000000\",\"end\":\"0x0000000000100000\",\"offset\":0,\"path\":\"$PWD/broken-$$\",\"build_id\":\"\"}"
		at=$((0x$(nm "$whole" | sed -n 's/ . mark$//p') - 0x400000)) main=$((0x$(nm "$whole" | sed -n 's/ . main$//p') - 0x400000))
		printf '{"ev":"stack","stack":9,"frames":["0x%016x","0x%016x","0x%016x","0x%016x"]}\n' $((at + 1)) $((at + 9)) $((at + 20)) $((main + 9))
		echo '{"ev":"end","ts":2,"events":0,"lost":0}'
	} >"$whole.jsonl"
	got=0
	timeout "${FUZZ_LIMIT:-100}" "$O/ct-sym" --timeout=5s <"$whole.jsonl" >"out-$$" 2>"err-$$" || got=$?
	grep -v '"ev":"symbol"' "out-$$" >"rest-$$"
	case $got in 0 | 3) ;; *) false ;; esac && cmp -s "$whole.jsonl" "rest-$$" && ! grep -a -q 'runtime error' "err-$$" &&
		! grep -a -q -e 'in .*filters/' "err-$$" || {
		failed=$((failed + 1))
		cp "broken-$$" "failed-$seed.elf"
		echo "seed $seed: status $got: ct-sym" >&2
		head -12 "err-$$" >&2
	}
	seed=$((seed + 1))
done
rm -f ./*"-$$" ./*"-$$"-* "elf-$$.c"
[ $failed -eq 0 ]
