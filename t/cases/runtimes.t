#!/bin/sh
# The pages of share/doc/runtimes, followed word for word: what they say is found, is found.
. "${0%/*}/../lib/lib.sh"

CASE_LIMIT=$((CASE_LIMIT * 6))	# a busy machine compiles tokio for an hour
# A page's blocks: ```LANGUAGE FILE becomes that file, ```sh is run, ``` alone is what must have been said by the ```sh ahead of it:
# words in one line each, which some program printed in that order.
cat >>"$scratch/.case-lib" <<'EOT'
follow() {
	mkdir .steps
	awk -v dir=.steps/ '
	/^```sh$/ { to = dir (100 + n) ".sh"; next }
	/^```$/ { if (to == "") to = dir (100 + n) ".said"; else { if (to ~ /said$/) n++; to = "" } next }
	/^```[a-z]+ / { to = $2; next }
	to != "" { print >to }' "$1"
	for steps in .steps/*.sh; do
		CT=$O status 0 sh -e "$PWD/tolerant" $steps >out 2>err || { cat out err >&2; return 1; }
		said=${steps%.sh}.said
		[ -e $said ] || continue
		while read -r line; do
			pattern=$(echo "$line" | sed 's/[(){}.]/./g; s/ /.*/g')
			has "$pattern" out
		done <$said
	done
}
# As a person would go on: what finds something ends with 1.
cat >tolerant <<'X'
set +e
. "./$1" >out.all 2>&1; status=$?
cat out.all; [ $status -le 1 ]
X
EOT

page() {	# PAGE COMPILER SENTENCE
	if ! command -v "${2%% *}" >/dev/null; then cat >/dev/null; skip_case "$3" "no $2"; return; fi
	test_case "$3" <<EOT
export CARGO_TARGET_DIR=\$PWD/target CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=1 GOFLAGS=-mod=mod GO111MODULE=off
mkdir src examples
follow "\$SRC/share/doc/runtimes/$1.md"
EOT
}
cc=${CC:-cc} cxx=${CXX:-c++}
page c "$cc" 'C: as the page says'
page cpp "$cxx" 'C++20: as the page says'
if echo '#include <asio/awaitable.hpp>
asio::awaitable<void> f();' | $cxx -std=c++20 -fsyntax-only -x c++ - 2>/dev/null; then
	page asio "$cxx" 'asio: as the page says'
else
	skip_case 'asio: as the page says' "no asio (libasio-dev), or no coroutines of it with $cxx"
fi
if printf '#include <utility>\n#include <boost/asio/awaitable.hpp>\nboost::asio::awaitable<void> f();' |
	$cxx -std=c++20 -fsyntax-only -x c++ - 2>/dev/null; then
	test_case 'asio: with the two lines and the define that the page has for Boost.Asio its program compiles' <<'EOT'
awk '/^```cpp /{ to = $2; next } /^```/{ to = ""; next } to != "" { print >to }' "$SRC/share/doc/runtimes/asio.md"
sed -e '/include <asio.hpp>/{r boost.inc' -e 'd}' pipes.cc >boost.cc
has 'namespace asio = boost::asio' boost.cc
has '`-DBOOST_ASIO_CUSTOM_HANDLER_TRACKING`' "$SRC/share/doc/runtimes/asio.md"
${CXX:-c++} -std=c++20 -fsyntax-only -I"$O/dropin" -include ct_asio.hpp -DBOOST_ASIO_CUSTOM_HANDLER_TRACKING boost.cc
EOT
else
	skip_case 'asio: with the two lines and the define that the page has for Boost.Asio its program compiles' \
		"no Boost.Asio (libboost-dev), or no coroutines of it with $cxx"
fi
page fibers "$cc" 'fibers in C: as the page says'
if printf '#include <boost/fiber/fiber.hpp>\nint main() {}\n' | $cxx -std=c++20 -o "$scratch/fiber" -x c++ - -lboost_fiber -lboost_context >/dev/null 2>&1; then
	page boost-fiber "$cxx" 'Boost.Fiber: as the page says'
else
	skip_case 'Boost.Fiber: as the page says' 'no Boost.Fiber'
fi
. "$SRC/t/lib/zig.sh" || :
page zig zig 'Zig: as the page says'
case $(go env GOVERSION 2>/dev/null) in
go1.2[2-5]*) skip_case 'Go: as the page says' 'the last step needs Go 1.26' ;;
*) page go go 'Go: as the page says' ;;
esac
page rust cargo 'Rust: as the page says'
if [ "${CHECK_ALL:-}" ]; then
	page rust-other cargo 'Rust without tokio: as the page says'
else
	skip_case 'Rust without tokio: as the page says' 'CHECK_ALL=1 was not asked for'
fi
if command -v python3 >/dev/null && python3 -c 'import ctypes; ctypes.CDLL("libatomic.so.1")' 2>/dev/null; then
	page your-own python3 'a probe of your own: as the page says'
else
	skip_case 'a probe of your own: as the page says' 'no python3, or no libatomic'
fi
if JAVA_HOME=$(sh "$SRC/share/packaging/jdk.sh") && [ -e "$O/libcorotrace-jvm.so" ]; then
	export JAVA_HOME
	page java sh 'Java: as the page says'
else
	skip_case 'Java: as the page says' 'no JDK of 21 or later'
fi

# Each program of the page, with its bug and without: the first line says what the bug earns.
test_case 'recipes: each bug is found as the page says, and nothing where it is mended' <<'EOT'
awk '/^```$/ { to = ""; next } /^```c / { to = $2; next } to != "" { print >to }' "$SRC/share/doc/runtimes/recipes.md"
cc="${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -Wno-unused-function -I$O/dropin"
$cc -c -o ct.o "$O/dropin/ct.c"
for f in *.c; do
	name=${f%.c}
	want=$(sed -n '1s,^/\* \([a-z-]* [a-z]*\):.*,\1,p' $f)
	[ "$want" ] || { echo "$f: does not say what its bug earns" >&2; exit 1; }
	for bug in -DBUG -DMENDED; do
		$cc $bug -o $name $f ct.o -lpthread
		timeout -s KILL 300 ct-record -q -o $name.jsonl ./$name
		ct-lostwake --quiet --json $name.jsonl >found || [ $? -eq 1 ]
		sed -n 's/.*"verdict":"\([^"]*\)","certainty":"\(proven\|suspected\)".*/\1 \2/p' found | sort -u >got
		[ $bug = -DBUG ] && echo "$want" >expected || : >expected
		diff expected got >diff || { echo "$name $bug:"; cat diff found; } >>wrong
	done
done
[ ! -e wrong ] || { cat wrong >&2; exit 1; }
# One of each kind that the table names.
[ $(ls *.c | wc -l) -ge 14 ]
EOT
done_testing
