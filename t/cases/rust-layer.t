#!/bin/sh
# corotrace::layer(): programs of plain tokio, and a server of axum and hyper, traced by tokio's own spans.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"
. "${0%/*}/../lib/rust.sh"

# Other flags than those of t/rust, so in another directory.
export CARGO_TARGET_DIR="$O/rust/layer" RUSTFLAGS='--cfg tokio_unstable'
fetched t/rust-layer || skip_all 'cargo cannot have axum here'

cat >>"$scratch/.case-lib" <<'EOT'
zoo=$O/rust/layer/debug
at() { echo "src/bin/$1.rs:$(grep -n "$2" "$SRC/t/rust-layer/src/bin/$1.rs" | head -n 1 | cut -d: -f1)"; }
# What is found, and hints of none.
verdicts() { ct-lostwake --quiet --json trace >found || [ $? -eq 1 ]
	sed -n 's/.*"verdict":"\([^"]*\)","certainty":"\([^"]*\)".*/\1 \2/p' found; }
EOT

test_case 'the programs build' <<'EOT'
cargo build -q --locked --offline --manifest-path "$SRC/t/rust-layer/Cargo.toml" >&2
EOT
[ -x "$O/rust/layer/debug/server" ] || { done_testing; exit; }

test_case 'a server of axum, unmodified: its four handlers that wait for ever, where they do' <<'EOT'
trace $zoo/server
status 0 ct-check trace >&2
ct-stuck --all trace >stuck || :
for lock in accounts journal; do has "^1 suspended at Mutex made at $(at server "// the $lock") on any of several" stuck; done
has "^2 suspended at oneshot made at $(at server 'oneshot::channel.*forgotten') on any of several" stuck
verdicts >got; echo 'deadlock suspected' >expected; same expected got # hyper's socket might wake them, too
sed -n 's/.*"cycle":\[\([^]]*\)\].*/\1/p' found | tr , '\n' >got
sed -n 's/^  \([0-9]*\) on any of mutex.*/\1/p' stuck | sort -n >expected; same expected got
[ $(wc -l <got) -eq 2 ]
ct-lostwake trace >found || :
has "^1 cycle: deadlock (suspected): Mutex made at src/bin/server.rs:" found
trace --stacks $zoo/server
ct-sym --quiet <trace | ct-bt --all >bt
for await in 'journal.lock.*while' 'accounts.lock.*while' 'answer.await.unwrap().to_string'; do has "$(at server "$await")$" bt; done
EOT

test_case 'the same server, healthy: nothing is found, and its own subscriber hears what it did' <<'EOT'
for run in 1 2 3 4 5; do
	trace $zoo/server healthy
	status 0 ct-check trace >&2
	status 0 ct-lint --skip=long-poll trace >lint
	ct-lostwake --quiet --json trace >found || [ $? -eq 3 ]
	hasnt '"certainty":"\(proven\|suspected\)"' found
done
has 'INFO server: starting$' err
has 'INFO server: asked answered=5$' err
hasnt 'runtime' err
EOT

test_case 'planted bugs: each by its line' <<'EOT'
trace $zoo/planted circle
verdicts >got; echo 'deadlock proven' >expected; same expected got
for lock in first second third; do has "\"$(at planted "the $lock lock" | sed 's/:/","line":/')[,}]" trace; done
ct-stuck trace >stuck || :
for lock in first second third; do has "^1 suspended at Mutex made at $(at planted "the $lock lock") on mutex" stuck; done
trace $zoo/planted streams # h2 keeps the waker, too, and renews it in each poll
verdicts >got; echo 'deadlock suspected' >expected; same expected got
ct-stuck trace >stuck || :
for lock in a another; do has "^1 suspended at Mutex made at $(at planted "// $lock lock of streams") on any of several" stuck; done
trace $zoo/planted served
ct-stuck trace >stuck || :
has "^1 suspended at oneshot made at $(at planted '// no answer') on any of several" stuck
trace $zoo/planted leaked
verdicts >got; echo 'dead-owner suspected' >expected; same expected got
ct-lostwake trace >found || :
has "RwLock made at $(at planted 'the leaked lock')$" found
trace $zoo/planted dropped
verdicts >got; echo 'lost-waker proven' >expected; same expected got
ct-lostwake trace >found || :
has "$(at planted '// the reply')$" found
EOT

test_case 'what is not told who has or gives: locks in a static or a combinator, permits, owned guards, room, answers: nobody is accused, nothing is green' <<'EOT'
for case in 'mailboxes 2 waits are' 'asks 1 wait is'; do
	trace $zoo/planted ${case%% *}
	status 0 ct-check trace >&2
	status 3 ct-lostwake trace >found
	has "^0 findings: .*; inconclusive where ${case#* } for room or answers of which no line tells who gives them$" found
done
ct-stuck trace >stuck || :
has "^1 suspended at oneshot made at $(at planted '// asked') on chan" stuck
trace $zoo/planted served_well
status 0 ct-check trace >&2
status 0 ct-lostwake trace >&2
for case in 'statics 2 waits are' 'served 1 wait is' 'kept 2 waits are' 'unordered 2 waits are' 'permit 1 wait is'; do
	trace $zoo/planted ${case%% *}
	status 0 ct-check trace >&2
	status 3 ct-lostwake trace >found
	has "^0 findings: .*; inconclusive where ${case#* } for locks or permits of which no line tells who has them$" found
done
ct-stuck trace >stuck || :
has "^1 suspended at Semaphore made at $(at planted '// the permits') on sem" stuck
trace $zoo/planted statics
ct-stuck trace >stuck || :
[ $(grep -c '^1 suspended at .*src/bin/planted.rs:[0-9]* on mutex' stuck) -eq 2 ] || { cat err stuck >&2; false; }
trace $zoo/planted twice
status 3 ct-lostwake trace >found
has '^0 findings: .*; inconclusive where 1 wait is for a lock that who waits has himself, beside something else$' found
trace $zoo/planted limited
status 3 ct-lostwake trace >found
has '^0 findings: .*; inconclusive where 1 wait is for a lock again and again, which who has it cannot give back$' found
ct-stuck trace >stuck || :
has "on any of mutex:.*, timer:" stuck
for case in quick_statics gave_up; do
	trace $zoo/planted $case
	status 0 ct-check trace >&2
	status 0 ct-lostwake trace >&2
done
EOT

test_case 'healthy tasks that are cancelled, sleep, lock in a select, block, wait at a barrier and in branches' <<'EOT'
trace $zoo/planted healthy
status 0 ct-check trace >&2
status 0 ct-lint --skip=long-poll trace >lint
status 3 ct-lostwake trace >found
has '^0 findings: .*; inconclusive where 1 wait is for locks' found # in a combinator
ct-stuck trace >stuck || :
has "^2 suspended at Barrier made at $(at planted '// the barrier') on cond" stuck
has "^1 suspended at Mutex made at $(at planted '// in branches') on any of several" stuck
has "^2 suspended at Mutex made at $(at planted '// with a time limit') on mutex" stuck
has "^1 suspended at Mutex made at $(at planted '// in a combinator') on any of several" stuck
hasnt '"done":false' trace # nobody says so
has '"ev":"destroy","n":[0-9]*}$' trace
EOT

test_case 'beside the wrapper: each task and lock is told once, and waits by their await' <<'EOT'
trace $zoo/both
status 0 ct-check trace >&2
verdicts >got; echo 'deadlock proven' >expected; same expected got
[ $(grep -c '"ev":"create"' trace) -eq 7 ] # block_on, 5 tasks and one that blocks
[ $(grep -c '"ev":"acquire"' trace) -eq 2 ]
ct-stuck --all trace >stuck || :
has "^2 suspended at .*Mutex.* $(at both 'waits for the other') on mutex" stuck
has "^1 suspended at .*Notified.* $(at both 'in the library: notified') on cond" stuck
has "^1 suspended at .*Receiver.* $(at both 'in the library: queue') on chan" stuck
has "^1 suspended at .*JoinHandle.* $(at both '// joins') on join" stuck
has '^  5 "second" on mutex' stuck
trace $zoo/both refused # by the wrapper alone
verdicts >got; echo 'deadlock proven' >expected; same expected got
has '"name":"second"}$' trace
EOT

done_testing
