#!/bin/sh
# bench.sh - the speeds that share/doc/BENCH.md names, as ratios measured side by side in one run: every round measures
# each contestant once, medians are compared. `make bench` runs it; nothing here is a test.
#
# O             build directory (the programs, t/bench/*)
# BENCH_ROUNDS  rounds, default 3, with BENCH=all 5
# BENCH_BIG=1   memory at 100 M events, too (minutes), and steps more of the growth curves: 100 M events, 5 M live coroutines
# BENCH         which parts; default: those below that answer in two minutes together, with fewer events; all: all of
#               probe box fibers zig_fibers boost_fiber go_trace java rust_probe rust_tokio rust_runtimes asio erased recorder loaded
#               compressed formatter filters sqlite servers viewers fromgo page crowds growth memory; runtimes: what is traced of each, beside it untraced
#
# BENCH_DOC=1   the table becomes that of share/doc/BENCH.md, and the curves of growth share/doc/growth.svg
#
# The figures of the last run of the same parts are kept under O, and the change stands beside each: its first number
# now, divided by that of then.
#
# Single programs are compared by CPU time, which other work on the machine disturbs least; pipelines and recordings by
# wall time.
set -u
: "${O:=build}" "${BENCH:=quick}"
lines=2000000			# of the file that the filters read
events=10000000			# of a recording
kept=$O/bench-last-$(echo "$BENCH" | tr -c 'a-z0-9_\n' -)
case $BENCH in
all)	: "${BENCH_ROUNDS:=5}"
	BENCH='probe box fibers zig_fibers boost_fiber go_trace java rust_probe rust_tokio rust_runtimes asio erased recorder loaded
		compressed formatter filters sqlite servers viewers fromgo page crowds growth memory' ;;
runtimes) BENCH='fibers zig_fibers boost_fiber go_trace java rust_tokio rust_runtimes asio erased' ;;
quick)	lines=500000 events=5000000
	BENCH='probe formatter recorder filters viewers sqlite' ;;
esac
: "${BENCH_ROUNDS:=3}"
B=$O/t/bench
[ -x "$B/run" ] || { echo "bench: $B/run: not built; make test-programs" >&2; exit 2; }
base=${TMPDIR:-/dev/shm}; [ -w "$base" ] || base=/tmp
tmp=$(mktemp -d "$base/corotrace-bench.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
missed=0
SRC=$(cd "$(dirname "$0")/../.." && pwd)
. "$SRC/t/bench/servers.sh"
. "$SRC/t/bench/growth.sh"
. "$SRC/t/bench/loaded.sh"

rounds() { seq "$BENCH_ROUNDS"; }
run() { name=$1; shift; timeout 300 "$B/run" "$tmp/$name" "$@"; }
# Median of a column of what `run` or `note` put under a name: 1 wall, 2 CPU, 3 peak memory.
median() {
	sort -n -k"${2:-1},${2:-1}" "$tmp/$1" | awk -v c="${2:-1}" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'
}
note() { echo "$2" >>"$tmp/$1"; }
calc() { awk "BEGIN { printf \"$1\", $2 }"; }
# WHAT MEASURED BOUND MET; a line that begins with blanks belongs to the one before it
row() {
	case $1 in ' '*|'') what_=$above$1 ;; *) above=$1 what_=$1 ;; esac
	first_=$(printf '%s\n' "$2" | sed -n 's/^[^0-9]*\([0-9][0-9.]*\).*/\1/p')
	printf '%s\t%s\n' "$what_" "$first_" >>"$tmp/figures"
	was_=
	[ ! -s "$kept" ] || was_=$(awk -F '\t' -v k="$what_" '$1 == k { print $2; exit }' "$kept")
	change_=$(awk -v now="$first_" -v was="$was_" 'BEGIN { if (was + 0 > 0 && now != "") printf "%.2fx", now / was }')
	printf '%-44s %-40s %-26s %-8s %s\n' "$1" "$2" "$3" "$4" "$change_" | tee -a "$tmp/table"
}
held() {	# WHAT MEASURED BOUND EXPRESSION
	if [ "$(calc %d "($4) ? 1 : 0")" = 1 ]; then row "$1" "$2" "$3" met
	else row "$1" "$2" "$3" 'NOT MET'; missed=$((missed + 1)); fi
}
have() { [ -x "$1" ] || { row "$2" 'not built' '' -; return 1; }; }
key() { awk -v k="$1" '$1 == k { print $2; exit }' "$2"; }

probe() {
	have "$B/probe" 'probe' || return
	for r in $(rounds); do
		timeout 60 "$B/probe" >"$tmp/probe.out" 2>/dev/null
		for k in enabled bare disabled empty; do note "p-$k" "$(key $k "$tmp/probe.out")"; done
		timeout 60 "$B/probe" stacks >"$tmp/stacks.out" 2>/dev/null
		for k in stack-10 stack-40 runtime-10 runtime-40; do note "p-$k" "$(key $k "$tmp/stacks.out")"; done
	done
	on=$(median p-enabled) bare=$(median p-bare)
	off=$(calc %.2f "$(median p-disabled) - $(median p-empty)")
	[ -n "$on" ] && [ -n "$bare" ] || { row probe 'prints no numbers' '' -; return; }
	ratio=$(calc %.2f "$on / $bare")
	held 'probe, enabled, one thread' "${ratio}x ($on ns, bare $bare ns)" '<= 1.25x rdtsc + store' "$ratio <= 1.25"
	held 'probe, not attached' "$off ns over an empty loop" '<= 1 ns' "$off <= 1"
	for n in 10 40; do
		ratio=$(calc %.2f "$(median p-stack-$n) / $(median p-runtime-$n)")
		row "probe, --stacks, a suspend $n calls deep" "${ratio}x ($(median p-stack-$n) ns)" "libgcc's walk alone" ''
	done
}

# In turn in two processes, so that what else runs disturbs both.
box() {
	have "$B/box" 'box' || return
	for r in $(rounds); do
		timeout 60 "$B/box" >"$tmp/box.out" 2>/dev/null
		for k in event event-65536 life; do note "b-$k" "$(key $k-ratio "$tmp/box.out")"; done
	done
	held 'black box, an event' "$(median b-event)x" '<= 1.05x one to a recorder' "$(median b-event) <= 1.05"
	held '  the same with rings as large' "$(median b-event-65536)x" '<= 1.05x one to a recorder' "$(median b-event-65536) <= 1.05"
	row 'black box, create and destroy' "$(median b-life)x" 'those to a recorder' ''
}

# The processor's time, of two fibers that switch to each other; the recorder's own is not in it.
fibers() {
	have "$B/fibers" 'fibers' || return
	for r in $(rounds); do
		timeout 60 "$B/fibers" bare >"$tmp/fibers.out"; note f-bare "$(key switch "$tmp/fibers.out")"
		timeout 60 "$B/fibers" probe >"$tmp/fibers.out"; note f-off "$(key switch "$tmp/fibers.out")"
		timeout 60 "$O/ct-record" -q -o /dev/null --target-stdout="$tmp/fibers.out" "$B/fibers" probe
		note f-on "$(key switch "$tmp/fibers.out")"
	done
	for k in off on; do
		ratio=$(calc %.2f "$(median f-$k) / $(median f-bare)")
		[ $k = on ] && what='ct_switch, recorded' || what='ct_switch, not attached'
		row "$what" "${ratio}x ($(median f-$k) ns, bare $(median f-bare) ns)" 'CPU of swapcontext alone' ''
	done
}

# The same by corotrace.zig, whose stacks are switched by hand.
zig_fibers() (
	scratch=$tmp; . "$SRC/t/lib/zig.sh" || { row 'Zig, willSwitch' 'no zig' '' -; return; }
	cp "$SRC/t/bench/fibers.zig" "$SRC/sdk/zig/corotrace.zig" "$tmp"
	(cd "$tmp" && timeout 280 zig build-exe -O ReleaseFast fibers.zig "$O/libct.a" -lc -femit-bin=fibers-zig) ||
		{ row 'Zig, willSwitch' 'cannot be built here' '' -; return; }
	for r in $(rounds); do
		note z-bare "$(timeout 60 "$tmp/fibers-zig" bare | sed 's/.* //')"
		note z-off "$(timeout 60 "$tmp/fibers-zig" probe | sed 's/.* //')"
		note z-on "$(timeout 60 ct-record -q -o /dev/null "$tmp/fibers-zig" probe 2>&1 | sed -n 's/^switch //p')"
	done
	row 'Zig, willSwitch, not attached' "$(calc %.2f "$(median z-off) / $(median z-bare)")x plain ($(median z-bare) ns a switch)" '' ''
	row '  recorded' "$(calc %.2f "$(median z-on) / $(median z-bare)")x plain" '' ''
)

rust_probe() {
	CARGO_TARGET_DIR=$(cd "$O" && pwd)/rust timeout 500 cargo build -q --release --locked --bin bench \
		--manifest-path "${0%/*}/../rust/Cargo.toml" 2>/dev/null || { row 'Rust probe' 'cargo cannot build it' '' -; return; }
	for r in $(rounds); do
		TMPDIR=$tmp timeout 60 "$O/rust/release/bench" >"$tmp/rust.out" 2>/dev/null
		for k in enabled future-enabled future-allocations disabled; do note "r-$k" "$(key rust-$k "$tmp/rust.out")"; done
	done
	ratio=$(calc %.2f "$(median r-enabled) / $(median p-enabled)")
	held 'Rust probe, enabled' "${ratio}x ($(median r-enabled) ns)" '<= 2x the C probe' "$ratio <= 2"
	ratio=$(calc %.2f "$(median r-future-enabled) / $(median p-enabled)")
	held 'Rust, traced future, an event' "${ratio}x ($(median r-future-enabled) ns)" '<= 2x the C probe' "$ratio <= 2"
	held 'Rust, traced future, allocations' "$(median r-future-allocations) in 1,000 polls" none "$(median r-future-allocations) == 0"
	row 'Rust probe, not attached' "$(median r-disabled) ns" '' ''
}

# CPU time of tasks that do nothing but wait for one another, recorded by the wrapper and by the layer, beside plain tokio.
rust_tokio() {
	rust=$(cd "$O" && pwd)/rust from=${0%/*}/..
	CARGO_TARGET_DIR=$rust timeout 500 cargo build -q --release --locked --bin pingpong \
		--manifest-path "$from/rust/Cargo.toml" 2>/dev/null &&
		CARGO_TARGET_DIR=$rust/layer RUSTFLAGS='--cfg tokio_unstable' timeout 500 cargo build -q --release --locked \
			--bin pingpong --manifest-path "$from/rust-layer/Cargo.toml" 2>/dev/null ||
		{ row 'Rust, tokio' 'cargo cannot build it' '' -; return; }
	for r in $(rounds); do
		note t-plain "$(timeout 60 "$rust/release/pingpong" | sed 's/.* //')"
		note t-wrapper-off "$(timeout 60 "$rust/release/pingpong" wrapper | sed 's/.* //')"
		note t-layer-off "$(timeout 60 "$rust/layer/release/pingpong" | sed 's/.* //')"
		for how in wrapper stacks layer; do
			[ $how = layer ] && at=$rust/layer/release/pingpong || at=$rust/release/pingpong
			[ $how = stacks ] && stacks=--stacks || stacks=
			note "t-$how" "$(timeout 60 ct-record -q $stacks -o /dev/null "$at" recorded 2>&1 |
				sed -n 's/^[a-z]* \([0-9]*\)$/\1/p')"
		done
	done
	row 'Rust, tokio by the wrapper, not attached' "$(calc %.2f "$(median t-wrapper-off) / $(median t-plain)")x plain \
($(median t-plain) ns a round trip)" '' ''
	row 'Rust, tokio by the wrapper' "$(calc %.1f "$(median t-wrapper) / $(median t-plain)")x plain" '' ''
	row '  with --stacks' "$(calc %.1f "$(median t-stacks) / $(median t-plain)")x plain, \
$(calc %.2f "$(median t-stacks) / $(median t-wrapper)")x without" '' ''
	row 'Rust, tokio by the layer, not attached' "$(calc %.2f "$(median t-layer-off) / $(median t-plain)")x plain" '' ''
	ratio=$(calc %.2f "$(median t-layer) / $(median t-wrapper)")
	held 'Rust, tokio by the layer' "$(calc %.1f "$(median t-layer) / $(median t-plain)")x plain, ${ratio}x the wrapper" \
		'<= 1x the wrapper' "$ratio <= 1"
}

# By .traced() at the root of each of two tasks: the executors are left as they are.
rust_runtimes() {
	CARGO_TARGET_DIR=$(cd "$O" && pwd)/rust timeout 900 cargo build -q --release --locked --package rust-runtimes --features glommio \
		--bin roundtrip --manifest-path "${0%/*}/../rust/Cargo.toml" 2>/dev/null ||
		{ row 'Rust, other runtimes' 'cargo cannot build it' '' -; return; }
	trip() { sed -n 's/^trip \([0-9]*\)$/\1/p'; }
	for runtime in smol async-std monoio embassy glommio; do
		at="$O/rust/release/roundtrip $runtime"
		[ -n "$(timeout 60 $at 2>/dev/null | trip)" ] || { row "$runtime" 'does not run here' '' -; continue; }
		for r in $(rounds); do
			note $runtime-plain "$(timeout 60 $at | trip)"
			note $runtime-built "$(timeout 60 $at traced | trip)"
			note $runtime-on "$(timeout 60 "$O/ct-record" -q -o /dev/null $at traced 2>&1 | trip)"
		done
		row "$runtime, .traced(), not attached" "$(calc %.2f "$(median $runtime-built) / $(median $runtime-plain)")x plain \
($(median $runtime-plain) ns a round trip)" '' ''
		row '  recorded' "$(calc %.2f "$(median $runtime-on) / $(median $runtime-plain)")x plain" '' ''
	done
}

# Of the program itself, in CPU time: asio alone, built with ct_asio.hpp, and recorded.
asio() {
	for how in plain traced; do
		[ $how = plain ] && flags= || flags='-include ct_asio.hpp -DASIO_CUSTOM_HANDLER_TRACKING'
		"${CXX:-c++}" -std=c++20 -O2 -I"$SRC/sdk/cpp" $flags -o "$tmp/asio-$how" "$SRC/t/asio/pingpong.cc" -lpthread 2>/dev/null ||
			{ row 'asio' 'cannot be built here' '' -; return; }
	done
	for r in $(rounds); do
		note a-plain "$(timeout 60 "$tmp/asio-plain")"
		note a-built "$(timeout 60 "$tmp/asio-traced")"
		note a-traced "$(timeout 60 ct-record -q -o /dev/null "$tmp/asio-traced" 2>&1 | sed -n 's/^\([0-9]*\)$/\1/p')"
	done
	row 'asio, built with ct_asio.hpp' "$(calc %.2f "$(median a-built) / $(median a-plain)")x plain ($(median a-plain) ns a round trip)" '' ''
	row '  recorded' "$(calc %.2f "$(median a-traced) / $(median a-plain)")x plain" '' ''
}

# Two fibers that yield to each other: by Boost's own scheduling algorithm, by ours around it, and recorded.
boost_fiber() {
	"${CXX:-c++}" -std=c++20 -O2 -I"$SRC/sdk/cpp" -o "$tmp/boost-fiber" "$SRC/t/boost-fiber/yields.cc" -lboost_fiber -lboost_context \
		-lpthread 2>/dev/null || { row 'Boost.Fiber' 'cannot be built here' '' -; return; }
	for r in $(rounds); do
		note bf-bare "$(timeout 60 "$tmp/boost-fiber" bare)"
		note bf-off "$(timeout 60 "$tmp/boost-fiber" traced)"
		note bf-on "$(timeout 60 ct-record -q -o /dev/null "$tmp/boost-fiber" traced 2>&1 | sed -n 's/^\([0-9.]*\)$/\1/p')"
	done
	row 'Boost.Fiber, traced, not attached' "$(calc %.2f "$(median bf-off) / $(median bf-bare)")x plain ($(median bf-bare) ns a switch)" '' ''
	row '  recorded' "$(calc %.2f "$(median bf-on) / $(median bf-bare)")x plain" '' ''
}

# A web server of Java's virtual threads, its JVM's start included: by the agent, and recorded.
java() {
	[ -e "$O/libcorotrace-jvm.so" ] || { row Java 'no agent was built' '' -; return; }
	RUNS=$BENCH_ROUNDS PROGRAMS=Server sh "$SRC/t/bench/jvm.sh" >"$tmp/java" 2>/dev/null || { row Java 'does not run here' '' -; return; }
	row 'Java, a web server, by the agent, not attached' "$(sed 's/.* \([0-9.]*\) times loaded.*/\1/' "$tmp/java")x plain" '' ''
	row '  recorded' "$(sed 's/.* \([0-9.]*\) recorded.*/\1/' "$tmp/java")x plain" '' ''
}

# A round trip of two goroutines, alone and with the trace that ct-fromgo reads.
go_trace() {
	GO111MODULE=off timeout 300 go build -o "$tmp/roundtrip" "$SRC/t/go/roundtrip.go" 2>/dev/null ||
		{ row 'Go' 'cannot be built here' '' -; return; }
	for r in $(rounds); do
		note go-bare "$(timeout 60 "$tmp/roundtrip")"
		note go-traced "$(timeout 60 "$tmp/roundtrip" /dev/null)"
	done
	row "Go, by its own tracer" "$(calc %.2f "$(median go-traced) / $(median go-bare)")x plain ($(median go-bare) ns a round trip)" '' ''
}

# A wait and its wake in C++, where the library keeps handles with their types, and where without.
erased() {
	have "$B/erased" 'C++ handles' || return
	for r in $(rounds); do
		for how in bare typed suspending handle; do
			note "e-off-$how" "$(timeout 60 "$B/erased" $how | sed 's/.* //')"
			note "e-on-$how" "$(timeout 60 "$O/ct-record" -q -o /dev/null "$B/erased" $how 2>&1 | sed -n "s/^$how //p")"
		done
	done
	bare=$(median e-off-bare)
	for how in typed suspending handle; do
		case $how in
		typed) what='C++ coroutine, a wait and a wake' ;;
		suspending) what='  by ct::suspending()' ;;
		handle) what='  by ct::wake(handle)' ;;
		esac
		row "$what" "$(median e-on-$how) ns, not attached $(median e-off-$how) (bare $bare)" '' ''
	done
}

formatter() {
	have "$B/print" "ct-record's formatter" || return
	for r in $(rounds); do
		timeout 60 "$B/print" >"$tmp/print.out" 2>/dev/null
		for k in formatter snprintf; do note "f-$k" "$(key $k "$tmp/print.out")"; done
	done
	ours=$(median f-formatter) theirs=$(median f-snprintf)
	[ -n "$ours" ] && [ -n "$theirs" ] || { row formatter 'prints no numbers' '' -; return; }
	ratio=$(calc %.1f "$theirs / $ours")
	held "ct-record's formatter" "${ratio}x ($ours ns, snprintf $theirs ns a line)" '>= 6x snprintf' "$ratio >= 6"
}

# One recording of a flood through a pipe: notes the share captured, whether every event is accounted for, lines a second.
# NAME MADE FILTER COMMAND...: MADE lines are births that the recorder adds.
record() {
	name=$1 made=$2 filter=$3; shift 3
	start=$(date +%s%N)
	timeout 120 "$@" 2>"$tmp/emitted" | $filter | tail -n 1 >"$tmp/end"
	end=$(date +%s%N)
	emitted=$(sed -n 's/.*emitted \([0-9]*\) ns .*/\1/p' "$tmp/emitted" | tail -n 1)
	: "${emitted:=0}"
	events_=$(sed -n 's/.*"ev":"end".*"events":\([0-9]*\).*/\1/p' "$tmp/end")
	lost=$(sed -n 's/.*"lost":\([0-9]*\).*/\1/p' "$tmp/end")
	: "${events_:=0}" "${lost:=0}"
	note "$name" "$(calc %.4f "$emitted ? 100 * ($events_ - $made) / $emitted : 0")"
	note "$name-missing" "$(calc %.0f "$emitted + $made - $events_ - $lost")"
	note "$name-rate" "$(calc %.2f "$emitted / (($end - $start) / 1000)")"
	note "$name-speed" "$(awk '/^emitted/ { r = $2 * 1000 / $4 } END { printf "%.1f", r }' "$tmp/emitted")"
}
# One to /dev/null, where the recorder alone decides: the share captured, as it says itself what it lost.
record_null() {
	name=$1; shift
	timeout 120 ct-record -o /dev/null "$@" 2>"$tmp/emitted"
	note "$name" "$(awk '/^emitted/ { e = $2; r = $2 * 1000 / $4 } / events were lost/ { lost = $2 }
		END { if (e) printf "%.4f %.1f", 100 * (e - lost) / e, r; else print "0 0" }' "$tmp/emitted")"
}
captured() {	# NAME WHAT BOUND
	held "$2" "$(median "$1") % at $(median "$1" 2) M/s" ">= $3 %" "$(median "$1") >= $3"
	held '  the same through a pipe' "$(median "$1-pipe") %, $(median "$1-pipe-missing") uncounted" 'the rest counted' \
		"$(median "$1-pipe-missing") == 0"
}

recorder() {
	have "$O/ct-record" ct-record || return
	for r in $(rounds); do
		record_null cap "$B/flood" $events 10000000
		record_null v1-100 -n 128 "$B/flood_v1" 100 $events
		record_null v1-1 -n 128 "$B/flood_v1" 1 $events
		record cap-pipe 0 cat ct-record "$B/flood" $events 10000000
		record v1-100-pipe 100 cat ct-record -n 128 "$B/flood_v1" 100 $events
		record v1-1-pipe 1 cat ct-record -n 128 "$B/flood_v1" 1 $events
		for sink in cat ct-stuck; do
			start=$(date +%s%N)
			ct-record --on-full=block "$B/flood" $events 2>/dev/null | $sink >/dev/null 2>&1
			end=$(date +%s%N)
			note "into-$sink" "$(calc %.2f "$events / (($end - $start) / 1000)")"
		done
		start=$(date +%s%N)	# the pipe itself: as many bytes of nothing
		dd if=/dev/zero bs=256k count=$((events * 130 / 262144)) 2>/dev/null | cat >/dev/null
		end=$(date +%s%N)
		note pipe "$(calc %.2f "$events / (($end - $start) / 1000)")"
	done
	captured cap 'capture at 10 M events/s, one thread' 100
	captured v1-100 'version 1 at full speed, 100 coroutines' 99.9
	captured v1-1 'version 1 at full speed, one alone' 98
	rate=$(median into-cat)
	held 'ct-record through cat' "$rate M lines/s (dd of as many bytes: $(median pipe))" '>= 20 M lines/s' "$rate >= 20"
	rate=$(median into-ct-stuck)
	held 'ct-record into ct-stuck' "$rate M events/s" '>= 15 M events/s' "$rate >= 15"
}

# What a compressed trace costs: the recorder, who waits for it where rings block, and a filter that reads it.
compressed() {
	have "$O/ct-record" ct-record || return
	few=$((events / 5))
	for r in $(rounds); do
		for kind in jsonl gz zst; do
			start=$(date +%s%N)
			ct-record -q --on-full=block -o "$tmp/z.$kind" "$B/flood" $few 2>/dev/null
			end=$(date +%s%N)
			note "z-$kind" "$(calc %.2f "$few / (($end - $start) / 1000)")"
			note "z-size-$kind" "$(calc %.1f "$(wc -c <"$tmp/z.$kind") / $few")"
			run "z-read-$kind" ct-stuck "$tmp/z.$kind" >/dev/null
		done
	done
	for kind in jsonl gz zst; do
		row "ct-record -o trace.$kind" "$(median z-$kind) M events/s, $(median z-size-$kind) bytes an event" '' ''
		row "  ct-stuck, reading it" "$(calc %.2f "$(median z-read-$kind) / $(median z-read-jsonl)")x the time of the plain one" '' ''
	done
}

# A trace, and its beginning.
traces() {
	[ -e "$tmp/trace" ] || "$B/gen" $lines 1000 >"$tmp/trace"
	head -n $((lines / 20)) "$tmp/trace" >"$tmp/few"
}

filters() {
	have "$O/ct-stuck" ct-stuck || return
	traces
	for r in $(rounds); do
		run stuck ct-stuck "$tmp/trace" >/dev/null
		# Through cat: writing to /dev/null, grep stops at the first match.
		run grep env LC_ALL=C grep -c suspend "$tmp/trace" | cat >/dev/null
		[ ! -x "$B/read" ] || run read "$B/read" <"$tmp/trace" >/dev/null
		run lint ct-lint "$tmp/trace" >/dev/null
		run where ct-where '.probe_id == 7 or .ev == "wake"' "$tmp/trace" >/dev/null
		run where-jq ct-where --quiet --jq '.probe_id == 7 or .ev == "wake"' "$tmp/few" >/dev/null
		run sym ct-sym "$tmp/trace" >/dev/null
		run fold ct-fold --quiet "$tmp/trace" >/dev/null
		run sched ct-sched "$tmp/trace" >/dev/null
		run report ct-report "$tmp/trace" >/dev/null
		run plot ct-plot states "$tmp/trace" >/dev/null
		run top ct-top "$tmp/trace" >/dev/null
		run bt ct-bt --all "$tmp/trace" >/dev/null
		run jq jq -c 'select(.ev == "suspend") | .probe_id' "$tmp/few" >/dev/null
	done
	ours=$(median stuck 2) grep=$(median grep 2) jq=$(median jq 2)
	row 'ct-stuck, lines a second' "$(calc %.1f "$lines * 1000 / $ours") M" '' ''
	[ ! -s "$tmp/read" ] ||
		row 'the reader alone, lines a second' "$(calc %.1f "$lines * 1000 / $(median read 2)") M" '' ''
	held 'ct-stuck from a file' "$(calc %.2f "$grep / $ours")x" '>= 1.2x grep -c' "$grep / $ours >= 1.2"
	held '' "$(calc %.0f "20 * $jq / $ours")x" '>= 40x jq' "20 * $jq / $ours >= 40"
	for p in lint where sym bt sched fold report plot top; do
		row "ct-$p, lines a second" "$(calc %.1f "$lines * 1000 / $(median $p 2)") M" '' ''
	done
	row 'ct-where, against its own use of jq' "$(calc %.0f "20 * $(median where-jq 2) / $(median where 2)")x" '' ''
}

sqlite() {
	have "$O/ct-tosql" ct-tosql || return
	traces
	ct-tosql --db="$tmp/all.db" "$tmp/few" 2>/dev/null
	table=$(sqlite3 "$tmp/all.db" "SELECT sql FROM sqlite_master WHERE name = 'events'")
	sqlite3 -csv "$tmp/all.db" 'SELECT * FROM events' >"$tmp/csv"
	for r in $(rounds); do
		rm -f "$tmp/ours.db" "$tmp/theirs.db"
		run db ct-tosql --db="$tmp/ours.db" "$tmp/few" 2>/dev/null
		sqlite3 "$tmp/theirs.db" "$table"
		run import sqlite3 "$tmp/theirs.db" '.mode csv' ".import $tmp/csv events"
	done
	ratio=$(calc %.2f "$(median import 2) / $(median db 2)")
	held 'ct-tosql --db' "${ratio}x" '>= 1x sqlite3 .import' "$ratio >= 1"
	rm -f "$tmp"/*.db "$tmp/csv"
}

# Beside what one would do by hand, with jq: a row a line; a begin and an end for each run, and nothing else.
viewers() {
	have "$O/ct-tocsv" ct-tocsv || return
	traces
	for r in $(rounds); do
		run csv ct-tocsv "$tmp/trace" >/dev/null
		run csv-jq jq -r '[.ts, .ev, .probe_id, .tid, .n, .site, .on] | @csv' "$tmp/few" >/dev/null
		run spans ct-tocsv --quiet --per=interval "$tmp/trace" >/dev/null
		rm -rf "$tmp/parts.d"
		run parts ct-tocsv --quiet --partition="$tmp/parts.d" "$tmp/few"
		run perfetto ct-toperfetto --quiet "$tmp/trace" >/dev/null
		run chrome ct-tochrome --quiet "$tmp/trace" >/dev/null
		run chrome-jq jq -c 'select(.ev == "resume" or .ev == "suspend") | {ph: (if .ev == "resume" then "B" else "E" end),
			pid: 1, tid, ts: (.ts / 1000), name: "\(.probe_id)"}' "$tmp/few" >/dev/null
	done
	rm -rf "$tmp/parts.d"
	for p in csv:ct-tocsv 'spans:ct-tocsv --per=interval' perfetto:ct-toperfetto chrome:ct-tochrome; do
		row "${p#*:}, lines a second" "$(calc %.1f "$lines * 1000 / $(median "${p%%:*}" 2)") M" '' ''
	done
	row 'ct-tocsv --partition, lines a second' "$(calc %.1f "$lines / 20 * 1000 / $(median parts 2)") M" '' ''
	ratio=$(calc %.0f "20 * $(median csv-jq 2) / $(median csv 2)")
	held 'ct-tocsv, against jq' "${ratio}x" '>= 1x' "$ratio >= 1"
	ratio=$(calc %.0f "20 * $(median chrome-jq 2) / $(median chrome 2)")
	held 'ct-tochrome, against the threads alone by jq' "${ratio}x" '>= 1x' "$ratio >= 1"
}

# Go's own reader only reads; ours prints every line as well.
fromgo() {
	have "$O/ct-fromgo" ct-fromgo || return
	src=$(cd "$(dirname "$0")/.." && pwd)/go
	go=$(PATH=$PATH:/usr/local/go/bin; command -v go) || { row ct-fromgo 'no Go toolchain' '' -; return; }
	(cd "$src/zoo" && "$go" build -o "$tmp/zoo" . && cd "$src/compare" && "$go" build -o "$tmp/compare" .) >/dev/null 2>&1 &&
		"$tmp/zoo" straggler "$tmp/go.trace" 3 || { row ct-fromgo 'Go builds no programs here' '' -; return; }
	for r in $(rounds); do
		run fromgo ct-fromgo "$tmp/go.trace" >/dev/null
		run goreader "$tmp/compare" -read "$tmp/go.trace" >"$tmp/go.events"
	done
	ours=$(median fromgo 2) theirs=$(median goreader 2) bytes=$(wc -c <"$tmp/go.trace") n=$(cat "$tmp/go.events")
	row 'ct-fromgo' "$(calc %.0f "$bytes * 1000 / $ours") MB/s, $(calc %.1f "$n * 1000 / $ours") M events/s" '' ''
	held "  beside Go's own reader, which prints nothing" \
		"$(calc %.1f "$theirs / $ours")x ($(calc %.1f "$n * 1000 / $theirs") M/s)" '>= 5x' "$theirs / $ours >= 5"
	row '  memory, for a generation of 1 s' \
		"$(calc %.1f "$(median fromgo 3) / 1000") MB (Go's reader $(calc %.1f "$(median goreader 3) / 1000"))" '' ''
	rm -f "$tmp/go.trace"
}

# A page of 10 M events of a made-up server: its size, and how a browser takes it.
page() {
	have "$O/ct-html" ct-html || return
	have "$B/busy" 'ct-html: t/bench/busy' || return
	"$B/busy" $events 3000 8 60 | run html ct-html >"$tmp/page.html"
	row 'ct-html, lines a second' "$(calc %.1f "$events * 1000 / $(median html 2)") M" '' ''
	size=$(calc %.1f "$(wc -c <"$tmp/page.html") / 1e6")
	held '  its page of 10 M events' "$size MB" '<= 10 MB' "$size <= 10"
	timeout 300 python3 "$(dirname "$0")/../lib/html-frames.py" "$tmp/page.html" >"$tmp/frames" 2>/dev/null ||
		{ row '  opens in' 'no Chromium' '' -; return; }
	held '  opens in' "$(key open "$tmp/frames") ms" '<= 2 s' "$(key open "$tmp/frames") <= 2000"
	row '  a frame while zooming, median and 95 %' \
		"$(key frame_median "$tmp/frames"), $(key frame_p95 "$tmp/frames") ms (its own part: $(key paint_p95 "$tmp/frames") ms)" '' ''
	rm -f "$tmp/page.html"
}

# Ten times as many of what comes and goes must cost ten times as much, not a hundred times.
crowds() {
	have "$B/crowd" 'crowds: t/bench/crowd' || return
	for what in 'ct-lostwake threads 100000' 'ct-lostwake ended 30000' 'ct-lint sites 100000' 'ct-html processes 30000' 'ct-sym processes 30000'; do
		set -- $what
		for n in $(($3 / 10)) "$3"; do
			"$B/crowd" "$2" "$n" >"$tmp/crowd"
			for r in $(rounds); do run "c-$1-$2-$n" "$1" "$tmp/crowd" >/dev/null 2>&1; done
		done
		ratio=$(calc %.1f "$(median "c-$1-$2-$3" 2) / $(median "c-$1-$2-$(($3 / 10))" 2)")
		held "$1, $3 $2 beside a tenth" "${ratio}x ($(calc %.0f "$(median "c-$1-$2-$3" 2) / 1e6") ms)" '<= 20x' "$ratio <= 20"
	done
	"$B/crowd" teardown 1000000 | run c-teardown ct-lostwake >/dev/null 2>&1
	row 'ct-lostwake, 1 M lines after the workers stopped' "$(calc %.1f "$(median c-teardown 3) / 1000") MB" '' ''
	rm -f "$tmp/crowd"
}

memory() {
	sizes='1 10'
	[ -z "${BENCH_BIG:-}" ] || sizes='1 10 100'
	for p in ct-stuck ct-lostwake ct-check ct-tocsv ct-toperfetto ct-tochrome ct-tosql ct-lint ct-sym ct-bt ct-sched ct-fold ct-report ct-plot ct-html ct-top; do
		have "$O/$p" "$p, memory" || continue
		said= first= kind=
		[ $p != ct-plot ] || kind=states
		for n in $sizes; do
			"$B/gen" "${n}000000" 1000 | timeout 600 "$B/run" "$tmp/$p-$n" "$p" $kind >/dev/null 2>&1
			kb=$(median "$p-$n" 3)
			said="$said${said:+, }$((kb / 1000)).$((kb % 1000 / 100)) MB"
			: "${first:=$kb}"
		done
		held "$p, memory at $(echo "$sizes" | sed 's/ /, /g') M events" "$said" 'the same' "$kb <= 1.1 * $first + 500"
	done
}

PATH=$O:$PATH
# What it was measured on: a figure of a loaded machine is worth less.
machine() {
	echo "corotrace bench: $(date +%F), $(uname -m), $(nproc) processors, medians of $BENCH_ROUNDS rounds"
	sed -n 's/^model name[^:]*: /  /p' /proc/cpuinfo | head -n 1
	echo "  Linux $(uname -r), $(awk '/^MemTotal/ { printf "%.0f", $2 / 1048576 }' /proc/meminfo) GiB, runnable beside this: $(
		cut -d' ' -f1-3 /proc/loadavg) (1, 5, 15 minutes)"
	[ ! -x "$B/probe" ] || timeout 60 "$B/probe" ticks 2>/dev/null | sed 's/^ticks /  ns of a look at the clock (rdtsc): /'
}
# In place of the first block of code there.
fill_doc() {
	sed 's/ *$//' "$tmp/table" >"$tmp/trimmed"
	awk -v table="$tmp/trimmed" '/^```/ && !done { inside = !inside; done = !inside; print
		while (inside && (getline row < table) > 0) print row; next }
		!inside' "$SRC/share/doc/BENCH.md" >"$tmp/doc" && cat "$tmp/doc" >"$SRC/share/doc/BENCH.md"
}
{	machine
	printf '%-44s %-40s %-26s %-8s %s\n' what measured bound '' 'beside the last run'
} | tee "$tmp/table"
for part in $BENCH; do $part; done
mv "$tmp/figures" "$kept"
[ $missed -eq 0 ] || echo "$missed not met" | tee -a "$tmp/table"
[ -z "${BENCH_DOC:-}" ] || fill_doc
