#!/bin/sh
# QCoro, by the recipe of share/doc/runtimes/cpp.md, on the header that is installed here.
. "${0%/*}/../lib/lib.sh"

CXX="${CXX:-c++}" qcoro=/usr/include/qcoro6
[ -e "$qcoro/qcoro/qcorotask.h" ] || skip_all 'no QCoro for Qt 6 here (qcoro-qt6-dev)'
pkg-config --exists Qt6Core 2>/dev/null || skip_all 'no Qt 6 here (qt6-base-dev)'
printf '#include <coroutine>\n' | $CXX -std=c++20 -fsyntax-only -x c++ - 2>/dev/null || skip_all "no coroutines with $CXX"
cp -RL "$qcoro" "$scratch/qcoro6"
sed -f "$SRC/t/qcoro/recipe.sed" "$qcoro/qcoro/qcorotask.h" >"$scratch/qcoro6/qcoro/qcorotask.h"
[ "$(diff "$qcoro/qcoro/qcorotask.h" "$scratch/qcoro6/qcoro/qcorotask.h" | grep -c '^<')" -eq 13 ] ||
	skip_all "another QCoro's header than the recipe's"
export CXX

test_case 'the header that the recipe makes compiles' <<'EOF'
$CXX -std=c++20 -O1 -fPIC -I../qcoro6 -I../qcoro6/qcoro -I"$SRC/sdk/cpp" $(pkg-config --cflags Qt6Core) \
	${SAN:+-fsanitize=address,undefined} -o ../tasks "$SRC/t/qcoro/tasks.cc" $(pkg-config --libs Qt6Core) -lQCoro6Core
EOF
[ -x "$scratch/tasks" ] || { done_testing; exit; }

test_case 'twenty tasks that await children, which pause on timers: each wait with its line, nobody accused' <<'EOF'
status 0 ct-record -o raw ../tasks healthy
status 0 ct-check raw >&2
status 0 ct-lostwake raw >found
has ': 0 coroutines live, none forgotten' found
status 0 ct-lint raw >&2
[ $(grep -c '"ev":"create"' raw) -eq 120 ]
has '"ev":"wake","site":[0-9]*,"on":"coro:' raw
EOF
test_case 'two tasks that await each other: a deadlock, proven, at the await' <<'EOF'
status 0 ct-record -o raw ../tasks crosswise
status 1 ct-lostwake raw >found
has "deadlock (proven): awaits() .*tasks.cc:$(grep -n '// @crosswise$' "$SRC/t/qcoro/tasks.cc" | sed 's/:.*//')" found
has '^1 finding: 1 proven' found
EOF
done_testing
