#!/bin/sh
# ct-uprobe: tasks of an unmodified tokio program, release build, with debug information and without: a whole trace, and the
# one task whose last waker is dropped, proven, with the thread that dropped it.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/uprobe.sh"
. "$SRC/t/lib/unprepared.sh"

build --release --bin uprobe --example uprobe_plugin
cp "$CARGO_TARGET_DIR/release/uprobe" "$scratch/release"
strip -g -o "$scratch/bare" "$scratch/release"
builds='release bare'
[ -z "${CHECK_ALL:-}" ] || { build_debug --bin uprobe; cp "$CARGO_TARGET_DIR/debug/uprobe" "$scratch/debug"; builds="$builds debug"; }

for how in $builds; do
	test_case "$how: the one whose last waker is dropped is found, with the thread; all others end; the trace is whole" <<EOT
lose_one ../$how
thread=\$(awk '/^lost/ { print \$3 }' own)
has "\"cause\":{[^}]*\"tid\":\$thread,[^}]*\"what\":\"last waker dropped\"" findings
[ $how = bare ] || has "\"probe_id\":\$(awk '/^lost/ { print \$2 }' own)," findings
# Wakes say who woke; children that were spawned are born.
jq -n -e '[inputs | select(.ev == "wake" and .by)] | length > 10' trace
has '"ev":"create"' trace
EOT
	test_case "$how: healthy: nobody is accused, whatever is cloned, replaced, aborted and joined" <<EOT
begin ../$how 4
trace
wait_for eval '[ \$(wc -l <trace) -gt 5000 ]'
finish
status 0 ct-check --strict trace >check
status 0 ct-lostwake trace >findings
EOT
done

test_case 'release: started to be traced: the same, and all are born' <<'EOT'
mkfifo to
ct-uprobe --for=10s -o trace --target-stdout=own -- ../release 4 <to 2>err & tracer=$!
exec 3>to
wait_for grep -qs '^ready' own
say lose
wait_for grep -q ^lost own
say stop
wait_for grep -q '"ev":"end"' trace
exec 3>&-
status 0 wait $tracer
tracer=
has '^ended' own
status 0 ct-check --strict trace >check
has '"lost":0,"live":1' trace
status 1 ct-lostwake --json trace >findings
[ $(wc -l <findings) -eq 1 ]
has '"verdict":"lost-waker","certainty":"proven"' findings
jq -rn '[inputs | select(.probe_id and .is_active != null)] | group_by(.probe_id)[][0].ev' trace | sort -u >firsts
echo create | same - firsts
EOT

# The loop of each worker is a closure that looks like a task, where there is no debug information. Its return must not be probed:
# Linux 6.13 and later took no probes out then until the program rested.
test_case 'bare: started to be traced, and busy still when that is over: the probes are taken out; nothing but tasks is in the trace' <<'EOT'
mkfifo to
ct-uprobe --for=1s -o trace --target-stdout=own -- ../bare 4 <to 2>err & tracer=$!
exec 3>to
wait_for grep -q ' records in ' err
hasnt 'still taking' err
[ -z "$(pgrep -x -P $tracer uprobe-guard)" ]
exec 3>&-
status 0 wait $tracer
tracer=
status 0 ct-check --strict trace >check
has '"lost":0,"live":[1-9]' trace
# A task is resumed within no other.
head -5000 trace | jq -n 'reduce inputs as $e ({ within: 0, on: {} };
	if $e.ev == "resume" then .within += (if .on["\($e.tid)"] then 1 else 0 end) | .on["\($e.tid)"] = $e.probe_id
	elif $e.ev == "suspend" or $e.ev == "destroy" then .on |= with_entries(select(.value != $e.probe_id)) else . end) | .within' >within
echo 0 | same - within
EOT

test_case 'ids are tokio'"'"'s own, and names the futures' <<'EOT'
begin ../release 2
trace
wait_for eval '[ $(wc -l <trace) -gt 2000 ]'
finish
has '"name":"uprobe::ping"' trace
jq -e -n '[inputs | select(.ev == "create" or .ev == "state").probe_id] | all(. < 1099511627776)' trace
EOT

test_case 'tasks that are spawned later are born, where none lived at the attach and the function that lists them is not there' <<'EOT'
objcopy -w -N '*bind_inner*' ../release inlined
begin ./inlined 0
trace
say more
wait_for eval '[ $(wc -l <trace) -gt 1000 ]'
finish
(echo more; sleep 1; echo stop; sleep 1) | status 0 ct-uprobe -o launched --target-stdout=own -- ./inlined 2
for one in trace launched; do
	status 0 ct-check --strict $one >check
	# One that was just made at the end has nothing but its state then.
	jq -rn '[inputs | select(.probe_id and .is_active != null)] | group_by(.probe_id)[] | select(length > 1)[0].ev' $one | sort -u >firsts
	echo create | same - firsts
done
EOT

# A library with a tokio of its own is loaded: by a program of C++, and by one that has tokio, too: both count their tasks from 1.
cp "$CARGO_TARGET_DIR/release/examples/libuprobe_plugin.so" "$scratch/late.so"
strip -g -o "$scratch/late-bare.so" "$scratch/late.so"
g++ -std=c++20 -O2 -g -o "$scratch/host" "$SRC/t/targets/uprobe-plugin.cc" -ldl 2>/dev/null || rm -f "$scratch/host"
for library in late late-bare; do
	for host in '../host' '../release 2'; do
		what="$library: loaded by $host: its tasks are traced, and the one that is lost is found, by itself"
		[ "$host" != ../host ] || [ -x "$scratch/host" ] || { skip_case "$what" 'no compiler with coroutines'; continue; }
		test_case "$what" <<EOT
begin $host ../$library.so
trace
[ '$host' = ../host ] || wait_for eval '[ \$(wc -l <trace) -gt 1000 ]'
say load
wait_for grep -q '$library.so was loaded: [1-9].* functions of it are traced' err
before=\$(wc -l <trace)
wait_for eval '[ \$(wc -l <trace) -gt \$((before + 3000)) ]'
say late
wait_for grep -q ^lost own
sleep 0.3
finish
status 0 ct-check --strict trace >check
status 1 ct-lostwake --json trace >findings
[ \$(wc -l <findings) -eq 1 ]
has '"verdict":"lost-waker","certainty":"proven"' findings
has "\"cause\":{[^}]*\"tid\":\$(awk '/^lost/ { print \$3 }' own),[^}]*\"what\":\"last waker dropped\"" findings
EOT
	done
done

# That library is still being loaded when it is looked at: another one, which is loaded with it, is relocated before it, and that
# takes until there is a file. The tables of functions by which its tasks are found are written after that.
cat >"$scratch/waits.c" <<'END'
#include <time.h>
static long call(long number, const void *a, long b)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b) : "rcx", "r11", "memory");
	return result;
}
static int zero(void) { return 0; }
static int (*resolve(void))(void)
{
	struct timespec t = { 0, 20000000 };

	for (int i = 0; i < 3000 && call(21 /* access */, "go", 0); i++)
		call(35 /* nanosleep */, &t, 0);
	return zero;
}
int waits(void) __attribute__((ifunc("resolve")));
int (*waits_at)(void) = waits;
END
what='late: looked at while it is loaded: its tasks are found at the end by their ids, and the lost one is found'
if [ -x "$scratch/host" ] && gcc -shared -fPIC -o "$scratch/libwaits.so" "$scratch/waits.c" 2>/dev/null &&
	gcc -shared -fPIC -Wl,--no-as-needed,-rpath,"$scratch" -o "$scratch/both.so" "$scratch/late.so" "$scratch/libwaits.so" 2>/dev/null; then
	test_case "$what" <<'EOT'
begin ../host ../both.so
trace
say load
wait_for grep -q 'was loaded: [1-9].* functions of it are traced' err
: >go
wait_for eval '[ $(wc -l <trace) -gt 3000 ]'
say late
wait_for grep -q ^lost own
sleep 0.3
finish
status 0 ct-check --strict trace >check
status 1 ct-lostwake --json trace >findings
[ $(wc -l <findings) -eq 1 ]
has '"verdict":"lost-waker","certainty":"proven"' findings
# The last moment says how each stands.
jq -rn '[inputs | select(.ev == "state" and .wakers != null)] | length >= 4' trace >found
echo true | same - found
EOT
else
	skip_case "$what" 'no compiler with coroutines, or no ifunc'
fi

# Other versions of tokio, as cargo can have them: a crate of each.
versions=
[ -z "${CHECK_ALL:-}" ] || versions='1.38.1 1.41.1 1.44.2 1.47.1'
for version in ${TOKIO_VERSIONS:-$versions}; do
	mkdir -p "$scratch/tokio/src"
	sed 's/victim\.id()/0/' "$SRC/t/rust/src/bin/uprobe.rs" >"$scratch/tokio/src/main.rs"
	cat >"$scratch/tokio/Cargo.toml" <<EOF
[package]
name = "uprobe"
version = "0.0.0"
edition = "2021"
[dependencies]
tokio = { version = "=$version", features = ["rt-multi-thread", "time", "sync", "macros"] }
futures-util = { version = "0.3", default-features = false }
libc = "0.2"
[workspace]
EOF
	rm -f "$scratch/tokio/Cargo.lock"
	timeout 300 cargo fetch -q --manifest-path "$scratch/tokio/Cargo.toml" >&2 || {
		skip_case "tokio $version" 'cargo cannot have it here'
		continue
	}
	for how in release debug; do
		[ $how = debug ] && flag= || flag=--release
		CARGO_TARGET_DIR=$O/rust-tokio timeout 900 cargo build -q $flag --manifest-path "$scratch/tokio/Cargo.toml" >&2 &&
			cp "$O/rust-tokio/$how/uprobe" "$scratch/$version-$how" &&
			strip -g -o "$scratch/$version-$how-bare" "$scratch/$version-$how" || : # its cases fail
		for build in $version-$how $version-$how-bare; do
			test_case "tokio $build: the one whose last waker is dropped is found, all others end, the trace is whole" <<EOT
lose_one ../$build
EOT
		done
	done
done

build --release --bin uprobe_locks
export locks=$CARGO_TARGET_DIR/release/uprobe_locks
cycles='abba:before abba:after readers:after legs:after itself:before'
[ -z "${CHECK_ALL:-}" ] || cycles="$cycles readers:before legs:before itself:after joined:before joined:after"
for cycle in $cycles none:before none:after; do
	test_case "${cycle%:*}, ${cycle#*:} the attach: a cycle, proven, of those that are in it; nobody else, however busy its locks" <<EOF
begin \$locks ${cycle%:*}
# Who had a lock before is told where no thread has left a word of it on its stack, as within a poll.
[ ${cycle#*:} = after ] || { say go; wait_for grep -q ^happened own; say rest; wait_for grep -q ^rests own; wait_for asleep; }
trace
say on
[ ${cycle#*:} = before ] || { say go; wait_for grep -q ^happened own; }
wait_for eval '[ \$(wc -l <trace) -gt 1500 ]'
finish
status 0 ct-check --strict trace >check
ct-lostwake --json trace >findings || :
jq -r 'select(.verdict == "deadlock" and .certainty == "proven").cycle[]' findings | sort >actual
[ ${cycle%:*} = none ] && : >expected || sed -n 's/^ID //p' own | sort >expected
[ ${cycle%:*} = none ] || [ -s expected ]
same expected actual
[ \$(wc -l <findings) -eq \$([ ${cycle%:*} = none ] && echo 0 || echo 1) ]
has '"ev":"acquire",.*"since":"before"' trace
# Those whose memory goes with them end as they run, not when the next one is found there.
jq -rn '[inputs | select(.is_active != null and .ev != "wake")] | group_by(.probe_id)[] | select(.[-1].ev == "destroy") | .[-2].is_active' trace | sort -u >ahead
echo true | same - ahead
EOF
done

build --release --bin snap_locks
test_case 'a Notify that only its waiters seem to come to: inconclusive, as of ct-snap; where a task that may run can: not' <<'EOF'
for word in hidden:3 owned:0; do
	begin "$CARGO_TARGET_DIR/release/snap_locks" ${word%:*}
	trace
	finish
	status 0 ct-check --strict trace >check
	status ${word#*:} ct-lostwake trace >found
	quit
done
EOF

build --release --bin uprobe_bugs
export bugs=$CARGO_TARGET_DIR/release/uprobe_bugs
for bug in asleep:asleep-workers dropped:dropped-wake closed:closed-resource; do
	test_case "${bug#*:}, proven, of the one task" <<EOF
mkfifo to
ct-uprobe --target-stdout=own --for=4s -o trace -- \$bugs ${bug%:*} <to 2>err & tracer=\$!
exec 3>to
wait_for grep -q '"ev":"end"' trace
grep -q '^happened' own
exec 3>&-
status 0 wait \$tracer
tracer=
status 0 ct-check --strict trace >check
status 1 ct-lostwake --json trace >findings
[ \$(wc -l <findings) -eq 1 ]
has '"verdict":"${bug#*:}","certainty":"proven"' findings
case ${bug%:*} in closed) name=receives ;; *) name=answers ;; esac
has "\"name\":\"uprobe_bugs::\$name\"" findings
EOF
done
test_case 'none of these: nobody is accused' <<'EOF'
mkfifo to
ct-uprobe --target-stdout=own --for=4s -o trace -- $bugs none <to 2>err & tracer=$!
exec 3>to
wait_for grep -q '"ev":"end"' trace
grep -q '^happened' own
exec 3>&-
status 0 wait $tracer
tracer=
status 0 ct-check --strict trace >check
status 0 ct-lostwake trace >findings
# What main runs in block_on is no task, and not followed: nothing of it can be old.
grep -v '"ev":"site"' trace >rest
hasnt 'uprobe_bugs::main' rest
EOF
done_testing
