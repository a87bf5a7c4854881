#!/bin/sh
# The Rust crate: its own tests, its memory beside C's and C++'s, and a zoo on tokio and on an executor of its own.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/rust.sh"

cat >>"$scratch/.case-lib" <<'EOT'
crate() { what=$1; shift; CARGO_PROFILE_DEV_DEBUG=0 cargo "$what" -q --locked --offline --manifest-path "$SRC/sdk/rust/Cargo.toml" "$@" >&2; }
# What the program's header says, as lines "certainty verdict count".
expected() {
	sed -n '/expect: nothing/d; s/.*expect: \(suspected\|hint\) \([a-z-]* [0-9]*\)$/\1 \2/p; t; s/.*expect: \([a-z-]* [0-9]*\)$/proven \1/p' \
		"$SRC/t/rust/src/bin/zoo/$1.rs"
}
# What was found: all that is proven, and what is suspected, or a hint, where the header says so.
found() {
	sed -n 's/.*"verdict":"\([^"]*\)","certainty":"\([^"]*\)".*/\2 \1/p' "$1" | sort | uniq -c | awk '{ print $2, $3, $1 }' |
		case $(sed -n 's/.*expect: //p' "$SRC/t/rust/src/bin/zoo/$2.rs") in
		suspected*|'nothing suspected'*) grep '^proven\|^suspected' ;;
		hint*) cat ;;
		*) grep '^proven' ;;
		esac || :
}
EOT

# What takes axum and the like is compiled in rust-patterns.t; their words in the manual are left to those who have the time.
features=tokio-net,layer
[ -z "${CHECK_ALL:-}" ] || features=tokio-net,layer,tokio-stream,tokio-util,tokio-test-util,axum
export features
test_case 'cargo test, with tokio and without' <<'EOT'
crate test --features $features
crate check
EOT

test_case 'its examples find what they say, and the package is whole' <<'EOT'
crate build --examples --features $features
for example in 'executor lost-waker reply().traced' 'deadlock deadlock second.lock'; do
	set -- $example
	trace --target-stdout=out $O/rust/debug/examples/$1
	status 1 ct-lostwake --json trace >found
	line=$(grep -n "$3" "$SRC/sdk/rust/examples/$1.rs" | tail -n 1 | cut -d: -f1)
	[ $(wc -l <found) -eq 1 ]
	has "\"verdict\":\"$2\",\"certainty\":\"proven\".*examples/$1.rs\",\"line\":$line}" found
done
cargo package --locked --offline --list --allow-dirty --manifest-path "$SRC/sdk/rust/Cargo.toml" >files
for file in README.md LICENSE examples/deadlock.rs examples/executor.rs src/lib.rs src/tokio/sync/mpsc.rs; do has "^$file\$" files; done
EOT

if cargo fmt --version >/dev/null 2>&1; then
	test_case 'rustfmt has nothing to say' <<'EOT'
for dir in sdk/rust t/rust t/rust/patterns t/rust/runtimes t/rust-layer t/rust-oldest; do (cd "$SRC/$dir" && cargo fmt --check >&2); done
EOT
else
	skip_case 'rustfmt has nothing to say' 'no rustfmt'
fi
# They read all of tokio, axum and hyper once more.
if [ -z "${CHECK_ALL:-}" ]; then
	skip_case 'clippy and rustdoc have nothing to say' 'CHECK_ALL=1 was not asked for'
elif cargo clippy --version >/dev/null 2>&1; then
	test_case 'clippy and rustdoc have nothing to say' <<'EOT'
crate clippy --all-features --all-targets -- -D warnings
RUSTDOCFLAGS='-D warnings' crate doc --all-features --no-deps
EOT
else
	skip_case 'clippy and rustdoc have nothing to say' 'no clippy'
fi

# Half a minute to build; the crate's own tests run the same code.
if [ -n "${LOOM:-}${CHECK_ALL:-}" ]; then
	test_case 'every order of the protocol that the memory model allows, by loom' <<'EOT'
export RUSTFLAGS='--cfg loom' CARGO_TARGET_DIR=$O/rust/loom
crate test --release --lib
EOT
else
	skip_case 'every order of the protocol that the memory model allows, by loom' 'neither LOOM=1 nor CHECK_ALL=1 was asked for'
fi
if [ -z "${MIRI:-}" ]; then
	skip_case 'the probe under Miri' 'MIRI=1 was not asked for'
elif cargo +nightly miri --version >/dev/null 2>&1; then
	test_case 'the probe under Miri' <<'EOT'
export MIRIFLAGS='-Zmiri-disable-isolation -Zmiri-tree-borrows' CARGO_TARGET_DIR=$O/rust/miri
crate +nightly miri test --lib
EOT
else
	skip_case 'the probe under Miri' 'no nightly with Miri'
fi

test_case 'the zoo builds' <<'EOT'
builds
EOT
[ -x "$O/rust/debug/life" ] || { done_testing; exit; }

test_case 'a life, line by line' <<'EOT'
trace $zoo/life
status 0 ct-check trace >&2
at() { grep -n "$1" "$SRC/t/rust/src/bin/life.rs" | head -n 1 | cut -d: -f1; }
root=$(at 'task = pin') part=$(at 'leaf().traced_as') leaf=$(at 'waiting_on')
sed -n '/"ev":"\(meta\|process\|map\|exit\|end\|sync\)"/d; s/"\(ts\|tid\|pid\|seq\|is_active\)":[^,}]*,*//g
s/"addr":"[^"]*",*//; s/0x0000[0-9a-f]*/ADDR/; s/"func":"core[^"]*"/"func":"LEAF"/; s/,}/}/; s/"//g; /ev:site/!p; /line:\('$root'\|'$part'\|'$leaf'\)/p' trace >told
cat >expected <<END
{ev:thread,name:life,role:other}
{ev:thread,name:main,role:worker}
{ev:site,site:1,func:life::root,file:src/bin/life.rs,line:$root}
{probe_id:1,ev:create,n:1,site:1}
{ev:name,probe_id:1,name:task}
{probe_id:1,ev:resume,n:2}
{ev:site,site:2,func:life::leaf,file:src/bin/life.rs,line:$part}
{probe_id:2,ev:create,n:1,site:2,parent:1}
{ev:name,probe_id:2,name:part}
{ev:waker,probe_id:1,by:1,op:clone}
{ev:waker,probe_id:2,by:1,op:clone}
{probe_id:2,ev:resume,n:2}
{probe_id:1,ev:wake,by:2}
{ev:site,site:3,func:LEAF,file:src/bin/life.rs,line:$leaf}
{probe_id:2,ev:suspend,n:3,site:3,on:user:leaf}
{ev:waker,probe_id:1,by:1,op:drop}
{probe_id:1,ev:suspend,n:3,site:2,on:coro:2}
{probe_id:1,ev:resume,n:4}
{ev:waker,probe_id:1,by:1,op:clone}
{probe_id:2,ev:resume,n:4}
{probe_id:1,ev:wake,by:2}
{probe_id:2,ev:suspend,n:5,site:3,on:user:leaf}
{ev:waker,probe_id:1,by:1,op:drop}
{probe_id:1,ev:suspend,n:5,site:2,on:coro:2}
{probe_id:1,ev:resume,n:6}
{ev:waker,probe_id:1,by:1,op:clone}
{probe_id:2,ev:resume,n:6}
{probe_id:1,ev:wake,by:2}
{probe_id:2,ev:destroy,n:7,done:true}
{ev:waker,probe_id:1,by:1,op:drop}
{probe_id:1,ev:destroy,n:7,done:true}
{ev:open,on:sem:ADDR,name:seven,site:4}
{ev:level,on:sem:ADDR,value:3}
{ev:acquire,on:sem:ADDR,site:5}
{ev:release,on:sem:ADDR,site:6}
{ev:notify,on:sem:ADDR,woken:0,site:7}
{ev:close,on:sem:ADDR,site:8}
{ev:park}
{ev:unpark,depth:2}
{probe_id:3,ev:create,n:1,site:9}
{probe_id:3,ev:destroy,n:2,done:false}
END
same expected told
EOT

test_case 'Rust, C and C++ writers in one process tree, and a fork: every event, in order' <<'EOT'
trace --follow --on-full=block $zoo/mixed 200 100 $O/t/targets/rust-mixed $O/t/targets/rust-mixed-cc
status 0 ct-check trace >sum || { cat sum err >&2; exit 1; }
for name in 'in C' 'in Rust' forked; do
	n=$(grep -c "\"name\":\"$name\"}" trace); [ "$n" -eq $([ "$name" = 'in Rust' ] && echo 400 || echo 200) ] || { echo "$name: $n"; exit 1; }
done
# Of the forked child's copy of the parent's coroutine nothing is told.
id=$(sed -n "s/.*\"probe_id\":\([0-9]*\),\"name\":\"the parent's\".*/\1/p" trace)
grep "\"probe_id\":$id," trace | grep -o '"ev":"[a-z]*"' | tr '\n' ' ' >life
echo '"ev":"create" "ev":"name" "ev":"resume" "ev":"suspend" "ev":"destroy" ' >expected
tr -d '\n' <expected >want; same want life
EOT

test_case 'a full ring: what is lost is counted, nothing else is wrong' <<'EOT'
trace --ring-slots=64 --threads=2 $zoo/mixed 300 300
has '"ev":"lost"' trace
only_losses
EOT

test_case 'no recorder, a bad one, one that dies: the program runs on, with one line on stderr at most' <<'EOT'
status 0 $zoo/life 2>err; [ ! -s err ]
CTP_SHM_PATH=/nowhere CTP_SOCK_PATH=/nowhere CTP_MAX_STATIONS=x status 0 $zoo/life 2>err
echo 'corotrace: cannot attach: /nowhere: No such file or directory (os error 2)' >expected; same expected err
CTP_SOCK_PATH=/nowhere status 0 $zoo/life 2>err; has '^corotrace: cannot attach: CTP_SHM_PATH: not set$' err
head -c 4096 /dev/urandom >noise
CTP_SHM_PATH=$PWD/noise CTP_SOCK_PATH=/nowhere status 0 $zoo/life 2>err
has "^corotrace: cannot attach: .*/noise: not a recorder's memory\$" err
[ $(wc -l <err) -eq 1 ]
ct-record -q --on-full=block -o trace sh -c "echo \$PPID >recorder; $zoo/mixed 3000 300 2>err; echo \$? >status" &
wait_for test -s recorder
kill -9 $(cat recorder)
wait_for test -s status
[ "$(cat status)" = 0 ] && [ ! -s err ]
wait || :
rm recorder status trace
ct-record -q -o trace sh -c "echo \$PPID >recorder; $zoo/again 2>err; echo \$? >status" &
wait_for grep -q resume trace
kill -9 $(cat recorder)
wait_for test -s status
[ "$(cat status)" = 0 ]
has '^corotrace: cannot attach: a second time: the recorder of this process is gone$' err
wait || :
EOT

test_case 'an engine that knows version 1 only: its stations, as many as there are' <<'EOT'
python3 "$SRC/t/rust/old-engine.py" 2 $zoo/life >stations
cat >expected <<'END'
status 0 asked for 3
0, born, dead, resume at 0, suspend, resume at 0, suspend, resume at 0
1, born, dead, resume at 0, suspend, resume at 0, suspend, resume at 0
END
same expected stations
EOT

test_case 'another pid namespace with a /proc of its own; a small address space' <<'EOT'
status 0 trace -- sh -c 'ulimit -v 2000000; exec "$0"' $zoo/closed_sender
status 0 ct-check trace >/dev/null
unshare -Urpf --mount-proc true 2>/dev/null || { echo 'no namespaces here'; exit 0; }
status 0 trace -- unshare -Urpf --mount-proc $zoo/closed_sender
same /dev/null err
status 0 ct-check trace >checked
has ' 9 events of 2 coroutines' checked
status 0 trace --stacks -- unshare -Ur $zoo/closed_sender
same /dev/null err
status 0 ct-check trace >checked
has ' 9 events of 2 coroutines' checked
EOT

test_case "tasks have tokio's numbers" <<'EOT'
trace --target-stdout=ids $zoo/ids
status 0 ct-check trace >&2
sort ids >want
sed -n 's/^{"probe_id":\([0-9]*\),.*"ev":"create","n":1,.*"parent":.*/\1/p' trace | sort >got
[ $(wc -l <got) -eq 200 ]
same want got
has '"name":"block_on"' trace
has '"name":"tokio-rt-worker [0-3]","role":"worker"' trace
has '"ev":"suspend".*"on":"join:' trace
has '"ev":"park".*"depth":0' trace
EOT

test_case "a server's async backtrace, from the trace alone and for any moment of it" <<'EOT'
trace $zoo/echo
at() { grep -n "$1" "$SRC/t/rust/src/bin/echo.rs" | head -n 1 | cut -d: -f1; }
for moment in '' --at=+300ms; do
	status 0 ct-bt --all $moment trace >bt
	has '^blocking thread [0-9]* "main block_on": blocked for .* in [0-9]* "block_on"$' bt
	[ $(grep -c '^worker thread [0-9]* "tokio-rt-worker [01]": parked for .*, queue 0' bt) -eq 2 ]
	has "\"block_on\" suspended at .* src/bin/echo.rs:$(at 'server.await') on join:3 " bt
	has "  #1 3 suspended at .* src/bin/echo.rs:$(at 'listener.accept') on fd:" bt
	has "suspended at .* src/bin/echo.rs:$(at 'answer.await') on chan:" bt
	has "suspended at .* src/bin/echo.rs:$(at 'from_secs(20)') on a timer, due in 19" bt
	has 'suspended at .* on fd:.*, child of 3$' bt
done
status 0 ct-lostwake trace >&2
EOT

test_case 'full mailboxes that wait for each other are not healthy; who is slow, in another task by now, is' <<'EOT'
for case in 'mailboxes 3' 'answered 3' 'slow 0' 'moved 0' 'polled 0' 'chain 0'; do
	set -- $case
	trace $zoo/rooms $1
	status $2 ct-lostwake trace >found
	has '^0 findings' found
	[ $2 = 0 ] || has '; inconclusive where 2 waits are for room where nobody is known to take who may go on$' found
done
EOT

test_case 'permits, a party of a barrier, an answer that nobody is left to bring: inconclusive; that may come yet: green' <<'EOT'
waits() {
	trace $zoo/short $1
	status $2 ct-lostwake trace >found
	has '^0 findings' found
	[ $2 = 0 ] || has "; inconclusive where $3\$" found
}
waits many 3 '1 wait is for permits of which nobody else has any'
has '::acquire_many() ' found
waits forgotten 3 '3 waits are for permits of which nobody else has any'
waits added 0
waits needs 3 '2 waits are for permits of which nobody else has any'
has '::acquire() ' found
waits yields 0
waits spent 3 '3 waits are for what nobody is left to send or bring about'
waits refilled 0
waits left 3 '2 waits are for what nobody is left to send or bring about'
waits late 0
waits anew 0
waits keeps 3 '1 wait is for room or answers of which no line tells who gives them'
waits asks 0
waits sends 3 '1 wait is for room where nobody is known to take who may go on'
has '::send() ' found
waits gives 0
waits twice 3 '1 wait is for what nobody is left to send or bring about'
waits joins 3 '1 wait is for what nobody is left to send or bring about'
waits blocks 3 '1 wait is for what nobody is left to send or bring about'
waits lends 0
waits drops 0
waits reserves 0
waits refused 0
waits leaked 3 '1 wait is for a lock again and again, which who has it cannot give back'
waits held 0
has '; 1 still waits, for [0-9.]*m\{0,1\}s: ct-stuck lists it$' found
trace $zoo/short another
ct-lostwake trace >found || [ $? -eq 3 ]
has '^0 findings' found
EOT

test_case 'watch, broadcast, barriers and timeouts: who waits, where and on what' <<'EOT'
trace $zoo/waits
status 0 ct-check trace >&2
status 0 ct-lostwake trace >&2
ct-stuck --json trace >stuck || :
waits() { has "\"on\":\"$2\".*\"name\":\"$1\"\|\"name\":\"$1\".*\"on\":\"$2\"" stuck; }
waits changed chan:1
waits wait_for chan:1
waits 'watch closed' room:1
waits broadcast chan:2
waits barrier cond:3
waits timeout 'timer:[1-9][0-9]*'
waits detached 'join:[1-9][0-9]*' # of the one that is left
[ $(wc -l <stuck) -eq 10 ]
hasnt '"ev":"close"' trace
EOT

test_case 'tasks that are not traced: what they wait for is shown and counted, and nothing is called healthy' <<'EOF'
trace $zoo/untraced
status 0 ct-check trace >&2
status 3 ct-lostwake trace >found
has '^0 findings: 3 coroutines live, .*; inconclusive where 3 waits are in tasks that are not traced$' found
ct-stuck trace >stuck || :
for on in mutex chan timer; do has "^1 suspended at .* src/bin/untraced.rs:[0-9]* on $on" stuck; done
[ $(grep -c '"ev":"create".*"untraced":true' trace) -ge 5 ]
trace $zoo/untraced ends
status 0 ct-check trace >&2
status 0 ct-lostwake trace >&2
[ $(grep -c '"ev":"create".*"untraced":true' trace) -ge 5 ]
EOF

test_case 'a task that blocks its thread: on what, and who wakes it' <<'EOT'
trace $zoo/ok_blocking
status 0 ct-check trace >&2
blocks=$(sed -n 's/^{"ev":"name",.*"probe_id":\([0-9]*\),"name":"blocking"}$/\1/p' trace | head -n 1)
for on in chan mutex; do has "^{\"probe_id\":$blocks,.*\"ev\":\"suspend\".*\"on\":\"$on:" trace; done
has "^{\"probe_id\":$blocks,.*\"ev\":\"wake\",\"by\":[0-9]" trace
blocks=$(sed -n 's/^{"probe_id":\([0-9]*\),.*"ev":"suspend".*"on":"sem:.*/\1/p' trace | head -n 1)
has "^{\"probe_id\":$blocks,.*\"ev\":\"suspend\".*\"on\":\"chan:" trace
EOT

test_case 'what waits to run behind a worker that is busy' <<'EOT'
trace $zoo/busy
at=$(sed -n 's/^{"probe_id":[3-9],.*"ts":\([0-9]*\),"ev":"resume".*/\1/p' trace | head -n 1)
status 0 ct-bt --at=$((at + 20000000)) trace >bt	# amid its sleep; the main thread has come to rest
has '^worker thread [0-9]* "tokio-rt-worker 0": runs [3-9] created at .* 6 that it woke or created wait to run$' bt
has '^blocking thread [0-9]* "main block_on": blocked for .* in [0-9]* "block_on"$' bt
EOT

# A frame of the call stack, by its function and its line in the program.
cat >>"$scratch/.case-lib" <<'EOT'
frame() { has "^ *echo::$1::.*src/bin/echo.rs:$(grep -n "$2" "$SRC/t/rust/src/bin/echo.rs" | head -n 1 | cut -d: -f1)\$" bt; }
EOT
for build in debug release; do
	test_case "its chains of async functions, with file and line, in a $build build" <<EOT
[ $build = debug ] || builds_release --bin echo
trace --stacks \$O/rust/$build/echo
status 0 ct-check trace >&2
ct-sym --quiet <trace | ct-bt --all >bt
frame main 'server.await'
frame serve 'listener.accept'
frame echo 'ask().await'
frame ask 'answer.await'
frame think 'from_secs(20)'
frame echo 'read_u8().await'
for leaf in oneshot::Receiver time::sleep::Sleep read_int::ReadU8 task::join::JoinHandle TcpListener::accept; do
	has "tokio::.*\$leaf" bt
done
EOT
done

for workers in 1 2 4; do
	test_case "the zoo on $workers workers: recall and precision are 1.0" <<EOT
n=0
for name in \$(names); do
	timeout -s KILL 300 ct-record -q -o \$name.trace \$zoo/\$name $workers 2>\$name.err &
	n=\$((n + 1)); [ \$((n % 8)) -ne 0 ] || wait
done
wait
for name in \$(names); do
	s=0; ct-lostwake --quiet --json \$name.trace >\$name.found || s=\$?
	# one that hangs may be inconclusive, beside its finding on a busy machine or without any
	case \$s in
	0|1) ;;
	3) [ "\$(expected \$name)" ] || grep -q 'expect:.*inconclusive' "\$SRC/t/rust/src/bin/zoo/\$name.rs" || echo "\$name: status 3" >>wrong ;;
	*) echo "\$name: status \$s" >>wrong ;;
	esac
	expected \$name >want; found \$name.found \$name >got
	diff want got >diff || { echo "\$name:"; cat diff; } >>wrong
done
[ \$n -gt 15 ] && [ \$(names | wc -l) -eq \$n ]
[ ! -e wrong ] || { cat wrong >&2; exit 1; }
EOT
done

test_case 'a blocking call in a worker is a long poll' <<'EOT'
trace $zoo/ok_blocked_worker 1
got=0; ct-lint trace >found || got=$?
[ $got -le 1 ]
has 'long' found
EOT
done_testing
