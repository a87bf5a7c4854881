#!/bin/sh
# Programs of asio, standalone and Boost's, traced as they are: built with one header before them, and one define.
. "${0%/*}/../lib/lib.sh"

export FLAGS="-std=c++20 -O1 -Wall -Wextra -I$SRC/sdk/cpp -I$SRC/t/asio ${SAN:+-fsanitize=address,undefined -fno-sanitize-recover=undefined}"
export TRACED='-include ct_asio.hpp -DASIO_CUSTOM_HANDLER_TRACKING'
[ -z "${BOOST:-}" ] || TRACED='-include ct_asio.hpp -DBOOST_ASIO_CUSTOM_HANDLER_TRACKING -DBOOST'	# BOOST=1: all of it
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0}"
cat >>"$scratch/.case-lib" <<'EOF'
# line LABEL: where it stands in bugs.cc
line() { grep -n "// @$1\$" "$SRC/t/asio/bugs.cc" | sed 's/:.*//'; }
EOF
asio() {	# COMPILER ASIO DEFINE...: are its coroutines there?
	case $3 in -DBOOST) from=boost/ of=boost:: ;; *) from= of= ;; esac
	printf "#include <utility>\n#include <${from}asio/awaitable.hpp>\n${of}asio::awaitable<void> f();\n" |
		"$1" -std=c++20 -fsyntax-only -x c++ - 2>/dev/null
}

healthy() {	# COMPILER NAME DEFINE-OF-TRACKING DEFINE
	if ! command -v "$1" >/dev/null; then skip_case "$1, $2" "no $1 here"; return; fi
	if ! asio "$1" "$2" "$4"; then skip_case "$1, $2" "$2 is not here, or has no coroutines with $1"; return; fi
	test_case "$1, $2: a chat server under load: every wait with its line and its thing, nothing of asio's own, and nobody accused" <<EOF
$1 \$FLAGS $4 -include ct_asio.hpp -D$3 -o chat "\$SRC/t/asio/chat.cc" -lpthread
grep -aE '(posts|began_before|creation)\(.*\[(with )?[A-Z]' chat >searched || :	# names of types, in which nothing is searched at run time
[ -n "\$SAN" ] || same /dev/null searched	# a sanitizer keeps such names for itself
timeout 300 ct-record -o raw ./chat 4 40 60 2>out
has '^40 clients, 60 messages each' out
status 0 ct-check raw >checked
status 0 ct-lostwake --grace=0 raw >found
has ': 0 coroutines live, none forgotten' found
status 0 ct-lint --skip=long-poll raw >lint
hasnt '"file":"[^"]*include/[^"]*asio/' raw
# each kind of thing, at its line
grep -o '"site","site":[0-9]*,"func":"[^"]*","file":"[^"]*chat.cc","line":[0-9]*' raw | sed 's/.*site":\([0-9]*\),.*func":"\([a-z]*\).*/\1 \2/' >sites
awk 'NR == FNR { at[\$1] = \$2; next }
	/"ev":"suspend"/ { match(\$0, /"site":[0-9]+/); n = substr(\$0, RSTART + 7, RLENGTH - 7)
		print at[n], match(\$0, /"on":"[a-z]+/) ? substr(\$0, RSTART + 6, RLENGTH - 6) : "-" }' sites raw | sort -u >waits
cat >expected <<'END'
accept fd
client fd
client timer
clients cond
reader fd
writer cond
writer fd
END
same expected waits
[ "\$(grep -c '"ev":"thread".*"role":"worker"' raw)" -ge 2 ]
has '"ev":"close".*"on":"fd:' raw
has '"ev":"wake","by":[0-9]*,"on":"cond:' raw	# who cancels the timer
EOF
}
healthy g++ 'standalone asio' ASIO_CUSTOM_HANDLER_TRACKING ''
if [ -n "${CHECK_ALL:-}" ]; then
	clang=clang++
	for newer in clang++-17 clang++-18 clang++-19; do
		asio $clang 'standalone asio' '' || ! command -v $newer >/dev/null || clang=$newer
	done
	healthy g++ 'Boost.Asio' BOOST_ASIO_CUSTOM_HANDLER_TRACKING -DBOOST
	healthy $clang 'standalone asio' ASIO_CUSTOM_HANDLER_TRACKING ''
else
	skip_case 'g++, Boost.Asio' 'CHECK_ALL=1 was not asked for (runtimes.t compiles a program of it)'
	skip_case 'clang++, standalone asio' 'CHECK_ALL=1 was not asked for'
fi

export CXX="${CXX:-g++}"
if asio "$CXX" 'asio' "${BOOST:+-DBOOST}"; then
	[ "${CHECK_ALL:-}" ] && OPTIMISED=-O1 || OPTIMISED=-O0
	# Optimised it takes half as long again to compile, as the chat server above is.
	$CXX $FLAGS $OPTIMISED $TRACED -o "$scratch/all" "$SRC/t/asio/all.cc" -lpthread || fail_all 'all.cc builds'
	bug() {		# NAME GRADE VERDICT FUNCTION SENTENCE
		test_case "$5" <<EOF
for which in bug mended; do
	ct-record -o \$which.raw ../all bugs $1 \${which#bug}
	ct-lostwake --json \$which.raw >\$which.json || case \$? in 1 | 3) ;; *) false ;; esac
	sed -n 's/.*"verdict":"\([^"]*\)","certainty":"\([^"]*\)".*/\2 \1/p' \$which.json >\$which.found
done
same /dev/null mended.found
echo '$2 $3' >expected
same expected bug.found
ct-lostwake bug.raw >found || :
has "$3 ($2): $4() .*bugs.cc:\$(line $1)" found
EOF
	}
	bug closed proven closed-resource reads 'a descriptor that another object of asio closed: who reads from it is found, proven, at its line'
	bug context suspected dropped-wake switches 'posted to an io_context whose run() has returned: found at the line that went there'
	bug erased suspected dropped-wake switches_erased 'the same by an executor of no particular type'
	bug spawned unknown dropped-wake stores 'a coroutine that is to begin there: not known, for whoever runs it may come; at its line'
	bug event hint straggler waits 'a timer that never expires, and that nobody cancels: the one of ten is shown, at its line'
	bug blocked hint blocked-workers asks 'a coroutine that blocks the only thread until another handler has run: shown'
	if printf "#include <${BOOST:+boost/}asio/version.hpp>\n#if ASIO_VERSION < 102100 && BOOST_ASIO_VERSION < 102100\n#error\n#endif\n" |
		"$CXX" -fsyntax-only -x c++ - 2>/dev/null; then
	test_case 'waits of which asio reports nothing, on four threads: each is there once, with its line, and ends' <<'EOF'
timeout 300 ct-record -o raw ../all unknown 2>out
has '^all met' out
status 0 ct-check raw >checked
status 0 ct-lostwake --grace=0 raw >found
has ': 0 coroutines live, none forgotten' found
status 0 ct-lint --skip=long-poll raw >lint
awk -F'"ev":"' '{ split($2, kind, "\""); n[kind[1]]++ }
	END { if (n["suspend"] < 1000 || n["resume"] != n["create"] + n["suspend"] || n["destroy"] != n["create"]) exit 1 }' raw
for at in kept sleep child and or join; do
	has "unknown.cc\",\"line\":$(grep -n "// @$at\$" "$SRC/t/asio/unknown.cc" | sed 's/:.*//')}" raw
done
EOF
	test_case 'channels, with a buffer and without, on one thread and on four: who tries to send is who wakes who receives, levels, closes' <<'EOF'
timeout 300 ct-record -o raw ../all channels >out
status 0 ct-check raw >checked
status 0 ct-lostwake --grace=0 raw >found
has ': 0 coroutines live, none forgotten' found
status 0 ct-lint --skip=long-poll raw >lint
[ $(grep -c '"ev":"wake","by":[0-9]*,"on":"chan:' raw) -ge 100 ]
for on in chan room; do
	has "\"ev\":\"suspend\".*\"on\":\"$on:" raw
	# one at the address of one that was closed is another
	[ $(grep -c "\"ev\":\"open\".*\"on\":\"$on:" raw) -eq 4 ]
	[ $(grep -c "\"ev\":\"close\".*\"on\":\"$on:" raw) -eq 4 ]
	for value in 0 1; do has "\"ev\":\"level\".*\"on\":\"$on:[^\"]*\",\"value\":$value}" raw; done
done
ct-record -o raw ../all channels elsewhere
status 1 ct-lostwake raw >found
has "dropped-wake (suspected): receives_there() .*channels.cc:$(grep -n '// @elsewhere$' "$SRC/t/asio/channels.cc" | sed 's/:.*//')" found
has 'waited on chan:.* woken at .* by coroutine 2 ' found
EOF
	test_case 'channels that are full, as locks and mailboxes, and locks made of timers: nobody is accused, what hangs is not healthy, and who is slow is' <<'EOF'
one() {	# STATUS NAME [server]
	ct-record -q -o $2$3.raw ../all rooms $2 $3
	status $1 ct-lostwake --json $2$3.raw >$2$3.json
	[ ! -s $2$3.json ]
	[ $1 = 0 ] || { ct-lostwake $2$3.raw >$2$3.out || :; has "waits* [isare]* for ${what:-room where nobody is known to take} who may go on\$" $2$3.out; }
	: >$2$3.good
}
for server in '' server; do
	for name in again at_once abba abba_used kept mailboxes answered; do one 3 $name $server & done
	for name in slow moves moves_late pipeline holder holder_used timed idle; do one 0 $name $server & done
	for name in unlocked permits; do what='events that nobody is known to bring about' one 3 $name $server & done
	wait
done
[ $(ls *.good | wc -l) -eq 34 ]
EOF
	test_case 'who is left waiting: of a sender that ends, an event too early, a handler that is kept, a descriptor closed by its number; their twins are healthy' <<'EOF'
one() {	# STATUS NAME [server]
	ct-record -q -o $2$3.raw ../all left $2 $3
	status $1 ct-lostwake --json $2$3.raw >$2$3.json
	[ $1 != 3 ] || { ct-lostwake $2$3.raw >$2$3.out || :; has "inconclusive where [124] waits* [isare]* for ${what:-what nobody is left to send or bring about}\$" $2$3.out; }
	[ $1 != 0 ] || [ ! -s $2$3.json ]
	: >$2$3.good
}
for server in '' server; do
	for name in raw raw_stream raw_dup2 raw_dup3 raw_range; do one 1 $name $server & done
	for name in sender inner pool early ended; do one 3 $name $server & done
	wait	# each has 600 ms: not for thirty at once
	what='a worker: each is inside a poll' one 3 polls $server	# nor if the recorder has seen it live for the first 100 alone
	for name in closes returns logger periodic living checks raw_cancels raw_other raw_child raw_same called in_order either leaves moved moved_event moved_system moved_fd; do one 0 $name $server & done
	wait
done
# where somebody accepts connections he may do anything
for name in kept crosswise both; do what='what nobody who was seen could bring about' one 3 $name & done
wait
[ $(ls *.good | wc -l) -eq 61 ]
for name in raw raw_stream raw_dup2 raw_dup3 raw_range; do
	ct-lostwake $name.raw >found || :
	has "closed-resource (proven): reads() .*left.cc:$(grep -n '// @raw$' "$SRC/t/asio/left.cc" | sed 's/:.*//')" found
	has 'closed at .* by coroutine 2 ' found
done
ct-record -q -o query.raw ../all left query
ct-lostwake query.raw >found || [ $? -eq 3 ]
hasnt suspected found
[ $(grep -c '"ev":"close"' raw_child.raw) -eq 0 ]	# a child of vfork() has descriptors of its own
EOF
	test_case 'a callback that blocks its thread: who stands behind it is not accused, and what blocks is shown; one that is a loop, or short, hides no bug' <<'EOF'
one() {	# STATUS NAME
	ct-record -q --on-full=block -o $2.raw ../all callbacks $2
	got=0
	ct-lostwake $2.raw >$2.out || got=$?
	case $got in $1) ;; *) echo "$2: status $got" >&2; return 1 ;; esac
}
for name in timer posted erased bound front pool; do one 3 $name; done
one '[03]' beside
for name in loop nested short; do one 1 $name; done
hasnt '(suspected)\|(proven)' timer.out posted.out erased.out bound.out front.out pool.out
for name in timer posted pool; do
	has 'blocked-workers (hint): callbacks::.*::.*lambda' $name.out
	ct-bt $name.raw >bt
	has 'worker thread .*: runs [0-9]* created at callbacks::.*lambda' bt
done
has 'blocked-workers (hint): callbacks::starts<.*::<lambda(.*)>::<lambda()>' posted.out
for name in bound front; do has 'blocked-workers (hint): callbacks::query::\*' $name.out; done
for name in loop nested short; do
	has "1 coroutine: dropped-wake (suspected): leaves() .*callbacks.cc:$(grep -n '// @leaves$' "$SRC/t/asio/callbacks.cc" | sed 's/:.*//')" $name.out
	hasnt '"func":"callbacks::.*lambda' $name.raw
done
EOF
	else
		skip_case 'waits of which asio reports nothing, channels, who is left waiting' 'asio before 1.21 has no channels'
	fi
	test_case 'an io_context that is taken apart destroys who waits, and wakes nobody' <<'EOF'
ct-record -o raw ../all bugs stopped mended
status 0 ct-lostwake --grace=0 raw >found
has '"ev":"destroy".*"done":false' raw
[ $(grep -c '"ev":"wake"' raw) -eq 1 ]		# by co_spawn
EOF
	[ -n "$SAN" ] || test_case 'children that are forked while other threads begin and cancel operations' <<'EOF'
mkfifo raw
sed -n 's/.*"ev":"thread".*"tid":\([0-9]*\),"pid":\([0-9]*\),.*"role":"worker".*/\1 \2/p' raw | awk '$1 == $2' | sort -u >workers &
status 0 ct-record -q -o raw ../all forks
wait
[ $(wc -l <workers) -eq 151 ]
EOF
	[ -n "$SAN" ] || test_case 'who cancels one of many takes as long as one of few; close_range() asks who it is but of what is to be closed' <<'EOF'
status 0 ct-record -q -o /dev/null ../all crowd
EOF
	test_case 'not traced, the same programs do what they did, and print nothing' <<'EOF'
status 0 ../all bugs closed mended >out 2>&1
same /dev/null out
EOF
	test_case 'which asio it is has to be said; with one, it is enough, also for a program that links libct' <<'EOF'
echo 'int main() {}' >empty.cc
fails $CXX $FLAGS -include ct_asio.hpp -o empty empty.cc 2>err
has 'which asio?' err
$CXX $FLAGS -fsyntax-only -DCT_LINKED -include ct_asio.hpp -DASIO_CUSTOM_HANDLER_TRACKING empty.cc
EOF
else
	skip_case 'bugs' "standalone asio (libasio-dev) is not here, or has no coroutines with $CXX"
fi
done_testing
