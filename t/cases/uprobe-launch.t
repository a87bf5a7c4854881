#!/bin/sh
# ct-uprobe -- PROGRAM: traced from before main; its exit status and signals as under ct-record.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/uprobe.sh"

for cxx in g++ clang++ ''; do
	[ "$cxx" ] || skip_all 'no compiler with coroutines'
	$cxx -std=c++20 -O0 -g -pthread -o "$scratch/cc" "$SRC/t/targets/uprobe-cc.cc" 2>/dev/null && break
done
export cxx

test_case 'from its first coroutine on: all births, and those that its main makes at once; the trace is whole' <<'EOF'
(sleep 0.5; echo forget; sleep 0.5; echo stop; sleep 0.3) | status 0 ct-uprobe -o trace --target-stdout=own -- ../cc 20
has '^ended' own
status 0 ct-check --strict trace >check
jq -n -e '[inputs | select(.ev == "meta")][0].command == ["../cc", "20"]' trace
has '"ev":"attach",.*"live":0,' trace
has '"ev":"exit",.*"status":0' trace
[ $cxx != g++ ] || { jq -rn '[inputs | select(.probe_id and .is_active != null)] | group_by(.probe_id)[] | .[0].ev' trace | sort -u >firsts; echo create | cmp - firsts; }
[ "$(ct-stuck trace | grep -c ^)" -gt 1 ]
EOF

test_case 'its exit status; the signal that ended it; signals are passed on' <<'EOF'
cat >ends.cc <<'END'
#include <coroutine>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
struct task {
	struct promise_type {
		task get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
};
static task run(int n) { co_await std::suspend_never{}; if (n < 256) exit(n); raise(n - 256); }
static void on(int) { _exit(44); }
int main(int c, char **v)
{
	if (c > 2) signal(SIGTERM, on);
	if (c > 2) { puts("ready"); fflush(stdout); pause(); }
	run(atoi(v[1]));
}
END
$cxx -std=c++20 -o ends ends.cc
status 7 ct-uprobe -o trace -- ./ends 7 2>err
has '"ev":"exit",.*"status":7' trace
status 137 ct-uprobe -o trace -- ./ends 265 2>err
has '"ev":"exit",.*"signal":9' trace
ct-uprobe -o trace --target-stdout=own -- ./ends 0 wait 2>err & tracer=$!
wait_for grep -q ready own
kill -TERM $tracer
status 44 wait $tracer
tracer=
has '"ev":"exit",.*"status":44' trace
EOF

test_case 'through what only executes it: env, a shell; what it is told goes to standard error, or a file' <<'EOF'
echo stop | status 0 ct-uprobe -o trace -- env X=1 sh -c 'exec ../cc 3' 2>err
has '^ended' err
has 'has nothing to trace; it goes on' err
status 0 ct-check --strict trace >check
has '"ev":"resume"' trace
# Nothing to trace in all of that: it has run, and there is no trace.
status 125 ct-uprobe -o trace -- sh -c 'echo ran; exit 3' 2>err
has '^ran' err
has 'there is no trace' err
EOF

test_case 'what cannot be started; what may not be traced is not run; as long as is wanted' <<'EOF'
status 127 ct-uprobe -o trace -- ./none 2>err
has './none: No such file' err
: >plain
status 126 ct-uprobe -o trace -- ./plain 2>err
if command -v setpriv >/dev/null; then
	echo stop | status 125 setpriv --bounding-set=-bpf,-sys_admin ct-uprobe -o trace -- ../cc 1 2>err
	has 'missing CAP_BPF' err
	hasnt ready err
fi
status 2 ct-uprobe -p 1 -- ../cc 2>err
status 2 ct-uprobe -p 1 --target-stdout=x 2>err
# The trace ends, and the program goes on.
(sleep 1.5; echo stop; sleep 0.3) | status 0 ct-uprobe --for=300ms -o trace --target-stdout=own -- ../cc 3 2>err
has '"ev":"end"' trace
hasnt '"ev":"exit"' trace
has '^ended' own
status 0 ct-check --strict trace >check
EOF

test_case 'killed while it starts the program: that does not go on alone; and later: it does' <<'EOF'
for i in 1 2 3 4 5 6 7 8; do
	rm -f own
	mkfifo to || :
	ct-uprobe -o trace --target-stdout=own --quiet -- ../cc 3 <to 2>err & tracer=$!
	exec 3>to
	sleep 0.0$((i * 2))
	kill -KILL $tracer
	wait $tracer || :
	tracer=
	exec 3>&-
	rm to
done
wait_for eval '! pgrep -x uprobe-guard'
EOF
done_testing
