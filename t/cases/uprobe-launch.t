#!/bin/sh
# ct-uprobe -- PROGRAM: traced from before main; its exit status and signals as under ct-record.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/uprobe.sh"

for cxx in g++ clang++ ''; do
	[ "$cxx" ] || skip_all 'no compiler with coroutines'
	has_coroutines $cxx && break
done
$cxx -std=c++20 -O0 -g -pthread -o "$scratch/cc" "$SRC/t/targets/uprobe-cc.cc" || fail_all 'uprobe-cc.cc builds'
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

# As clang 19 has it: a jump to operator delete, of the frame, is the last thing; or, as it is suspended, of something else.
cat >"$scratch/frees.cc" <<'END'
#include <coroutine>
#include <cstdlib>
#include <vector>
struct detached {
	struct promise_type {
		detached get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
};
static std::vector<std::coroutine_handle<>> queue;
struct turn {
	int *note;
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h) { queue.push_back(h); delete note; }
	void await_resume() {}
};
static int sum;
static detached one(int n)
{
	co_await turn{new int};
	sum += n;
	co_await turn{new int};		// LAST
	sum -= n;
}
int main()
{
	for (int i = 0; i < 10; i++)
		one(i);
	for (int i = 0; i < 19; i++)
		queue[i].resume();
	return sum;
}
END
for compiler in g++ clang++ clang++-19; do
	what="$compiler: whoever gives its frame back as the last thing that it does is over; one that only waits is not"
	command -v $compiler >/dev/null && $compiler -std=c++20 -O2 -g -o "$scratch/frees-$compiler" "$scratch/frees.cc" 2>/dev/null ||
		{ skip_case "$what" 'not there, or without coroutines'; continue; }
	test_case "$what" <<EOF
status 9 ct-uprobe -o trace -- ../frees-$compiler 2>err
status 0 ct-check --strict trace >check
[ "\$(grep -c '"ev":"destroy"' trace)" -eq 9 ]
status 1 ct-stuck trace >stuck
has "^1 suspended at one() .*frees.cc:\$(sed -n '/LAST/=' ../frees.cc)" stuck
has '^1 of 1 live' stuck
EOF
done

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

cat >"$scratch/brief.cc" <<'END'
#include <coroutine>
#include <cstdio>
struct task {
	struct promise_type {
		task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
};
static task run()
{
	for (int i = 0; i < 9; i++)
		co_await std::suspend_always{};
}
int main(int argc, char **argv)
{
	task t = run();
	int ran = 0;
	for (; !t.handle.done(); ran++)
		t.handle.resume();
	t.handle.destroy();
	printf("ran %d %s\n", ran, argv[argc - 1]);
	return 0;
}
END
$cxx -std=c++20 -O2 -g -o "$scratch/brief" "$scratch/brief.cc"
cat >>"$scratch/.case-lib" <<'EOT'
# all of it is in the trace that has ended: COMMAND...
brief() {
	status 0 ct-uprobe -o trace --target-stdout=own -- "$@" 2>err
	has '^ran 10 ' own
	status 0 ct-check --strict trace >check
	[ "$(grep -c '"ev":"resume"' trace)" -eq 10 ]
	has '"ev":"exit",.*"status":0' trace
	has '"ev":"destroy"' trace
}
EOT
test_case 'a program that ends within milliseconds: all of it, each time' <<'EOF'
for i in 1 2 3 4 5 6 7 8; do brief ../brief $i; done
EOF

test_case 'a library of its that forks before main, and makes a thread and a process that shares its memory: the child goes on as ever' <<'EOF'
cat >forks.c <<'C'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static pid_t kid;
static void *none(void *arg) { return arg; }
__attribute__((constructor)) static void begin(void)
{
	pthread_t thread;
	pid_t other = vfork();

	if (!other)
		_exit(0);
	waitpid(other, NULL, 0);
	pthread_create(&thread, NULL, none, NULL);
	pthread_join(thread, NULL);
	kid = fork();
}
__attribute__((destructor)) static void end(void)
{
	int status = 0;

	if (kid && (waitpid(kid, &status, 0) != kid || status))
		_exit(77);
}
C
${CC:-cc} -shared -fPIC -o libforks.so forks.c -lpthread
$cxx -std=c++20 -O2 -g -o forks ../brief.cc -Wl,--no-as-needed -L. -lforks -Wl,-rpath,"$PWD"
./forks >out
status 0 ct-uprobe -o trace --target-stdout=own -- ./forks 2>err
[ "$(grep -c '^ran 10 ' own)" -eq 2 ]
status 0 ct-check --strict trace >check
[ "$(grep -c '"ev":"resume"' trace)" -eq 10 ]
EOF

if $cxx -std=c++20 -O2 -g -static-pie -o "$scratch/static-pie" "$scratch/brief.cc" 2>/dev/null &&
	$cxx -std=c++20 -O2 -g -static -o "$scratch/static" "$scratch/brief.cc" 2>/dev/null; then
	test_case 'linked statically, and as a static PIE: no dynamic linker maps or starts it' <<'EOF'
brief ../static
brief ../static-pie
EOF
else
	skip_case 'linked statically' 'no static libraries'
fi

test_case 'a script: of a shell that executes the program; of no interpreter; of which the program is the interpreter' <<'EOF'
printf '#!/bin/sh\nexec ../brief "$@"\n' >by-shell
printf 'exec ../brief "$@"\n' >by-nothing
printf '#!%s/brief\n' "${PWD%/*}" >by-itself
printf '#!/bin/sh\n../brief\nexit 3\n' >by-child
chmod +x by-*
for by in shell nothing; do brief ./by-$by word; has '^ran 10 word' own; done
brief ./by-itself
has '^ran 10 ./by-itself' own
# What a shell starts as another process is not the program that was started.
status 125 ct-uprobe -o trace -- ./by-child 2>err
has '^ran 10' err
has 'there is no trace' err
EOF

if command -v setpriv >/dev/null && id nobody >/dev/null 2>&1; then
	chmod a+x "$scratch"
	test_case 'that changes its user, or whose file does (setuid): traced as any other' <<'EOF'
brief setpriv --reuid=nobody --clear-groups ../brief
cp ../brief theirs
chown nobody theirs
chmod 4755 theirs
brief ./theirs
EOF
else
	skip_case 'that changes its user' 'no setpriv, or no user nobody'
fi

test_case 'that executes another program with coroutines: the trace ends where that begins; through several that have none' <<'EOF'
cat >hops.cc <<'END'
#include <unistd.h>
#define main before
#include "../brief.cc"
#undef main
int main(int argc, char **argv)
{
	before(argc, argv);
	fflush(stdout);
	return execv(argv[1], argv + 1);
}
END
$cxx -std=c++20 -O2 -g -o hops hops.cc
status 0 ct-uprobe -o trace --target-stdout=own -- ./hops ../brief 2>err
has 'executes another program now' err
[ "$(grep -c '^ran 10' own)" -eq 2 ]
status 0 ct-check --strict trace >check
[ "$(grep -c '"ev":"resume"' trace)" -eq 10 ]
has '"ev":"exit"' trace
brief env sh -c 'exec env ../brief'
EOF

test_case 'where the stack is small: traced, and its own stays so' <<'EOF'
[ -z "$SAN" ] || exit 0		# whose frames are larger
(ulimit -S -s 64; status 0 ct-uprobe --for=2s -o trace --target-stdout=own -- sh -c 'ulimit -S -s >limit; exec ../cc 20 <&-')
[ "$(cat limit)" = 64 ]
has '"ev":"resume"' trace
EOF

test_case 'signals that are ignored stay so for it' <<'EOF'
(trap '' TERM USR1 XFSZ; echo stop | status 0 ct-uprobe -o trace --target-stdout=own -- sh -c 'for s in TERM USR1 XFSZ; do kill -$s $$; done; exec ../cc 3')
has '^ended' own
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
status 2 ct-uprobe -o trace --target-stdout=./trace -- touch ran 2>err; has 'the trace is written there' err; [ ! -e ran ]
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
