#!/bin/sh
# ct-snap: every task of tokio as the program itself says it is, in a release build with debug information (CHECK_ALL=1: and
# in a debug build): the line of its innermost .await, what it waits on, and whether anything could wake it.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/snap.sh"
. "$SRC/t/lib/unprepared.sh"

programs='--bin snap --bin snap_locks --bin snap_probed'
build --release $programs
builds=release
[ -z "${CHECK_ALL:-}" ] || { build_debug $programs; builds='release debug'; }

cat >>"$scratch/.case-lib" <<'EOT'
# id, function's line, what is waited on without the object, wakers
tasks() {
	jq -rn '
	[inputs] as $all |
	([$all[] | select(.ev == "site") | { key: "\(.site)", value: . }] | from_entries) as $site |
	$all[] | select(.ev == "state" and .tid == 0) | $site["\(.site)"] as $at |	# those in block_on have a thread
	"\(.probe_id) \(if $at.file | endswith("src/bin/snap.rs") then $at.line else "-" end) \(
		if .on then .on | sub(":.*"; "") elif .any_of then "any of \(.any_of)" elif .all_of then "all of \(.all_of)"
		else .reason // "-" end) \(if .wakers == 0 then "lost" else "-" end)"' "$1"
}
# What the program's words mean; the macros' lines are tokio's.
meant() {
	sed '$d' own | awk '
	BEGIN {
		on["sleep"] = on["local"] = on["current"] = "timer"; on["join"] = "join"; on["mutex"] = on["abba"] = "mutex"
		on["rwlock"] = "mutex"; on["sem"] = "sem"; on["chain"] = on["boxed"] = on["wrapped"] = "cond"
		on["watch"] = on["oneshot"] = on["recv"] = on["urecv"] = on["broadcast"] = "chan"; on["send"] = "room"; on["accept"] = on["read"] = "fd"
		on["select"] = on["timeout"] = on["within"] = "any of 2"; on["joins"] = on["all"] = "all of 2"
		on["branches"] = "any of 4"; on["either"] = "any of 2"; on["set"] = "any of 3"; on["forgets"] = "snap::Forgets"
		on["idle"] = "user"; on["nevers"] = "any of 2"
		split("select nevers joins branches all either", list)
		for (i in list) macro[list[i]] = 1
	}
	$1 != "leg" { print $1, $2 in macro ? "-" : $3, on[$2], $2 ~ /^(forgets|idle|nevers)$/ ? "lost" : "-" }'
}
# Each of several: id, on without the object, line here; what has no line of its own apart
legs() {
	jq -rn '
	[inputs] as $all |
	([$all[] | select(.ev == "site") | { key: "\(.site)", value: . }] | from_entries) as $site |
	$all[] | select(.ev == "leg" and .site) | $site["\(.site)"] as $at |
	select(($at.file // "") | endswith("src/bin/snap.rs")) | "\(.probe_id) \(.on | sub(":.*"; "")) \($at.line)"' "$1"
}
EOT

for how in $builds; do
	test_case "$how: line, kind of wait, and who has no waker, of each of 35 tasks in two runtimes; each of several by itself" <<EOT
start "$O/rust/$how/snap"
status 0 ct-snap -p \$pid >trace 2>err
stop
meant | sort -n >expected
tasks trace | sort -n >actual
[ \$(wc -l <expected) -eq 35 ]
same expected actual
sed -n 's/^leg //p' own | sort >expected
[ \$(wc -l <expected) -eq 10 ]
legs trace | sort >actual
same expected actual
status 0 ct-check --strict trace >check
status 1 ct-lostwake --json trace >findings
sed 's/.*"verdict":"\([^"]*\)","certainty":"\([^"]*\)".*"probe_id":\([0-9]*\).*/\3 \1 \2/' findings >actual
awk '\$2 == "forgets" { print \$1, "lost-waker proven" }
	\$2 == "idle" { print \$1, "lost-waker unknown" }
	\$2 == "abba" && (!least || \$1 < least) { least = \$1 } END { print least, "deadlock proven" }' own >expected
grep -q deadlock actual || sed -i '/deadlock/d' expected
sort expected >e
sort actual | same e -
EOT
	test_case "$how: a program with a probe, run without a recorder: what the probe is put around says it" <<EOT
# A stale word in memory may make a lock's owner uncertain: it is unknown then, and no clean bill. Optimised, not each time.
for look in 1 2 3; do
	start "$O/rust/$how/snap_probed"
	status 0 ct-snap -p \$pid >trace 2>err
	stop
	got=0
	ct-lostwake trace >verdict || got=\$?
	[ \$got -eq 3 ] && [ $how = release ] || break
done
sed '\$d' own | sort -n >expected
jq -rn '
	[inputs] as \$all |
	([\$all[] | select(.ev == "site") | { key: "\(.site)", value: . }] | from_entries) as \$site |
	\$all[] | select(.ev == "state" and .tid == 0) | \$site["\(.site)"] as \$at | select(\$at.file | endswith("snap_probed.rs")) |
	"\(.probe_id) \(\$at.line) \(if .on then .on | sub(":.*"; "") elif .any_of then "any of \(.any_of)" else "-" end)"' \
	trace | sort -n >actual
[ \$(wc -l <expected) -eq 10 ]
same expected actual
case \$got in
1)	has '^1 cycle: deadlock (proven): snap_probed::crosswise' verdict
	has 'coroutine [0-9]* "snap_probed::crosswise::{async_block#0}" waits on mutex' verdict;;
*)	[ \$got -eq 3 ] && [ $how != release ]
	has 'for locks or permits of which no line tells who has them' verdict;;
esac
hasnt 'lost-waker' verdict
EOT
	test_case "$how: the chain of async fns; the task that is joined; the fd; the lock that two wait on crosswise" <<EOT
start "$O/rust/$how/snap"
status 0 ct-snap -p \$pid >trace 2>err
ls -l /proc/\$pid/fd >fds
stop
jq -rn '[inputs] as \$all | ([\$all[] | select(.ev == "site") | { key: "\(.site)", value: .func }] | from_entries) as \$site |
	\$all[] | select(.ev == "stack") | [.sites[] | \$site["\(.)"]] | join(" ")' trace >chains
has '^snap::leaf snap::middle snap::outer\$' chains
has '^snap::within_leaf snap::wrapped\$' chains
has '^tokio::sync::watch::changed_impl tokio::sync::watch::[^ ]*changed snap::[^ ]*\$' chains
has '^snap::branch snap::two\$' chains			# of the boxed one among several
ct-bt --all trace >out || [ \$? -eq 1 ]
has ' on any of cond:0x[0-9a-f]*, cond:0x[0-9a-f]*, chan:0x[0-9a-f]*, ? for ?' out
has '^    ? at snap::Forgets' out
has '^    chan:0x[0-9a-f]* at tokio::sync::mpsc::' out
id=\$(awk '\$2 == "join" { print \$1 }' own)
target=\$(sed -n "s/.*\"probe_id\":\$id,.*\"on\":\"join:\([0-9]*\)\".*/\1/p" trace)
[ "\$target" ]
awk -v t=\$target '\$1 == t && \$2 == "sleep" { found = 1 } END { exit !found }' own
has '"on":"sem:.*"reason":"0 permits, wants 1"' trace
hasnt '"on":"mutex:.*"reason"' trace
has '"on":"room:.*"reason":"send (1 of 1)"' trace
for fd in \$(sed -n 's/.*"on":"fd:\([0-9]*\)".*/\1/p' trace); do has " \$fd -> socket:" fds; done
sed -n 's/.*"ev":"state".*"on":"\(mutex:[^"]*\)".*/\1/p' trace | sort | uniq -d >shared
[ ! -s shared ]
EOT
	# A release build may keep such a future in a place that its debug information does not tell.
	test_case "$how: the futures of threads in block_on, also of a LocalSet" <<EOT
start "$O/rust/$how/snap"
status 0 ct-snap -p \$pid >trace 2>err
stop
status 0 ct-check --strict trace >check
jq -r 'select(.ev == "state" and .tid != 0) | .on' trace | sed 's/:.*//' >on
printf 'join\njoin\n' >expected
[ -s on ]
if [ $how = release ]; then sort -u expected >e; sort -u on >o; mv e expected; mv o on; fi
same expected on
[ $how != debug ] || has '"name":"snap::main::{async_block#2}"' trace
EOT
	test_case "$how: cycles of locks, of a permit given to a future nobody polls, of joins, of channels: proven; what only looks so is not" <<EOT
start "$O/rust/$how/snap_locks"
status 0 ct-snap -p \$pid >trace 2>err
stop
status 0 ct-check --strict trace >check
status 1 ct-lostwake --json trace >findings
jq -r 'select(.verdict == "deadlock") | .certainty as \$c | .cycle[] | "\(.) \(\$c)"' findings | sort -n >actual
awk '\$2 ~ /crosswise|itself|readers|joined|full|answer|polite|set|ring|asks|watched|notified/ { print \$1, "proven" }
	\$2 == "notified" { print \$1, "unknown" }' own | sort -n >expected	# where a stale word leads to the Notify
[ \$(wc -l <expected) -eq 25 ]
sort expected >e; sort actual >a
comm -13 e a >wrong
[ ! -s wrong ] || { cat wrong >&2; false; }
# A stale word in memory that is in use makes a lock's owner uncertain: what needs no such thing is always found.
# So it does of who may notify: one who may go on, too, is no ground for a finding.
awk '\$2 == "notified" { print \$1 }' own >two
notify=\$(grep "\"probe_id\":\$(head -1 two),.*\"on\":\"cond:" trace | sed 's/.*"on":"\([^"]*\)".*/\1/')
grep "\"acquire\".*\"by\":[0-9]*,\"on\":\"\$notify\"" trace | sed 's/.*"by":\([0-9]*\).*/\1/' >may
[ \$(grep -cwFf two a) -eq 2 ] || grep -vxFf two may
awk '\$2 ~ /itself|joined|asks|watched/ { print \$1, "proven" }' own | sort >certain
comm -23 certain a >missing
[ ! -s missing ] || { cat missing >&2; false; }
[ \$(wc -l <actual) -ge 17 ]
EOT
	test_case "$how: a cycle of channels of which main() may have an end: inconclusive; one that another may end, or main's own future: not" <<EOT
start "$O/rust/$how/snap_locks" cycle
status 0 ct-snap --quiet -p \$pid >trace
status 3 ct-lostwake trace >out
stop
has '^1 cycle: deadlock (unknown)' out
for word in sleeps main; do
	start "$O/rust/$how/snap_locks" \$word
	status 0 ct-snap --quiet -p \$pid >trace
	status 0 ct-lostwake trace >out
	stop
	has '^0 findings' out
done
EOT
	test_case "$how: one who is to wake them, and is seen nowhere, or only where a stale word is, or runs, or may abort one, or has room reserved, or has a guard on a stack that it left, in shared memory, at an odd address: nobody is proven to be stuck" <<EOT
for word in hidden stale moved aborted reserved owned rung blocks handler shared packed variable; do
	start "$O/rust/$how/snap_locks" \$word
	status 0 ct-snap --quiet -p \$pid >trace
	stop
	rc=0
	ct-lostwake trace >out || rc=\$?
	[ \$rc -eq 0 ] || [ \$rc -eq 3 ] || { echo "\$word: \$rc" >&2; cat out >&2; false; }
done
EOT
	test_case "$how: workers, what they run, their queues and the injection queue" <<EOT
start "$O/rust/$how/snap_locks" queues
status 0 ct-snap -p \$pid >trace 2>err
stop
has '1 workers, 4 tasks in their queues, 3 in the injection queue' err
tid=\$(sed -n 's/.*"tid":\([0-9]*\),.*"role":"worker".*/\1/p' trace)
[ "\$(jq -r 'select(.ev == "state" and .is_active) | .tid' trace)" = "\$tid" ]
[ "\$(jq -r 'select(.ev == "wake") | .probe_id' trace | wc -l)" -eq 8 ]
start "$O/rust/$how/snap"
status 0 ct-snap -p \$pid >trace 2>err
stop
[ "\$(jq -r 'select(.ev == "park") | .depth' trace | tr '\n' ' ')" = '0 0 ' ]
ct-bt --all trace >out || [ \$? -eq 1 ]	# there may be a cycle among them
has 'worker thread .*: parked for ?, queue 0\$' out
has '^block_on thread ' out
EOT
	test_case "$how: a LocalSet or a runtime of one thread that is run by turns: no worker that sleeps has lost its tasks" <<EOT
start "$O/rust/$how/snap_locks" turns
status 0 ct-snap --quiet --again=50ms -p \$pid >trace
stop
[ "\$(jq -r 'select(.ev == "park" or .ev == "wake") | .ev' trace | tr '\n' ' ')" = 'park park wake wake ' ]
status 0 ct-lostwake trace >out
has '; 2 wait, since when is not known: ct-stuck lists them\$' out
EOT
	if command -v gcore >/dev/null; then
		test_case "$how: the same from a core" <<EOT
start "$O/rust/$how/snap"
gcore -o core \$pid >log 2>&1 || { cat log >&2; false; }
core=core.\$pid
stop
status 0 ct-snap \$core >trace 2>err
meant | sort -n >expected
tasks trace | sort -n >actual
same expected actual
EOT
	else
		skip_case "$how: from a core" 'no gcore'
	fi
	case $(cat /proc/sys/kernel/core_pattern 2>/dev/null) in
	core)
		test_case "$how: the same from a core that the kernel wrote" <<EOT
ulimit -c unlimited || exit 0
start "$O/rust/$how/snap"
kill -ABRT \$pid
wait \$pid || :
pid=
core=\$(ls core*)
status 0 ct-snap \$core >trace 2>err
meant | sort -n >expected
tasks trace | sort -n >actual
same expected actual
# In a sleep that was interrupted, rax has -ERESTARTSYS or -EINTR. A worker that was woken, and has not run since, does not sleep.
[ \$(grep -c '"ev":"park"' trace) -eq 2 ]
LC_ALL=C sed -i 's/\(\x00\xfe\|\xfc\xff\)\(\xff\)\{6\}/\x00\x00\x00\x00\x00\x00\x00\x00/g' \$core
status 0 ct-snap --quiet \$core >trace
hasnt '"ev":"park"' trace
EOT
		;;
	*) skip_case "$how: from a core that the kernel wrote" 'cores go elsewhere here' ;;
	esac
done

# Older versions do not print their tasks' ids: compared are line, kind of wait and lost wakers. The newest with names
# mangled as rustc will do by default, and with tokio's unstable parts, which keep where a task was spawned.
old_program() {	# VERSION DIRECTORY
	mkdir -p "$2/src"
	sed 's/tokio::task::id()/0/' "$SRC/t/rust/src/bin/snap.rs" >"$2/src/main.rs"
	cat >"$2/Cargo.toml" <<EOF
[package]
name = "snap"
version = "0.0.0"
edition = "2021"
[dependencies]
tokio = { version = "$1", features = ["rt-multi-thread", "time", "sync", "net", "io-util", "macros"] }
[workspace]
EOF
	timeout 300 cargo fetch -q --manifest-path "$2/Cargo.toml" >&2 || return 1
	(cd "$2" && CARGO_TARGET_DIR=$O/rust-snap/$1 timeout 900 cargo build -q --release) >&2 || rm -rf "$O/rust-snap/$1/release"	# its cases fail
}
if [ -n "${CHECK_ALL:-}" ]; then
	for version in =1.20.6 =1.28.2 =1.38.2 =1.44.2 ^1.54; do
		case $version in
		=1.20*) export RUSTFLAGS='--cfg no_join_set' ;;
		^*) export RUSTFLAGS='-C symbol-mangling-version=v0 --cfg tokio_unstable' ;;
		*) unset RUSTFLAGS ;;
		esac
		if ! old_program $version "$scratch/old$version"; then
			skip_case "tokio $version" 'cargo cannot have it here'
			continue
		fi
		test_case "tokio $version: line, kind of wait, lost wakers" <<EOT
start "$O/rust-snap/$version/release/snap"
status 0 ct-snap -p \$pid >trace 2>err
stop
sed -i 's|"src/main.rs"|"src/bin/snap.rs"|' trace
meant | sed 's/[^ ]* //' | sort >expected
tasks trace | sed 's/[^ ]* //' | sort >actual
same expected actual
case $version in ^*) has '"func":"spawned","file":"src/bin/snap.rs","line":' trace;; esac
EOT
	done
	unset RUSTFLAGS
else
	skip_case 'older versions of tokio, v0 mangling, tokio_unstable' 'CHECK_ALL is not set'
fi

# Without bounds the second and the third take hours.
for seed in 1 2 3; do
	test_case "debug information of which each thirtieth type is another, as the structure that it is a part of, seed $seed: an end is come to" <<EOT
${CC:-cc} -O1 -o types "$SRC/t/lib/types.c" -ldw -lelf 2>log || exit 0	# no libdw, as for ct-snap
[ \$(./types $seed 33 "$O/rust/release/snap_locks" broken) -gt 1000 ]
start ./broken
ulimit -t 60
ct-snap -p \$pid >trace 2>err || [ \$? -eq 3 ]
status 0 ct-check trace >check
EOT
done

test_case 'without types there is nothing but guessing: refused' <<'EOT'
strip -g -o bare "$O/rust/release/snap"
start ./bare
status 3 ct-snap -p $pid >trace 2>err
stop
has 'no debug information of its tasks' err
[ ! -s trace ]
EOT
done_testing
