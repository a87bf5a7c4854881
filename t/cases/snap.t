#!/bin/sh
# ct-snap and the process it looks at: it never dies of it, never stays stopped, and loses nothing; it may be killed or run
# another program meanwhile; what cannot be read is said in a sentence.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/snap.sh"
. "$SRC/t/lib/freezer.sh"
: "${CXX:=c++}"
export CXX
has_coroutines "$CXX" || skip_all 'no compiler with coroutines'
$CXX -std=c++20 -O2 -g -o "$scratch/busy" "$SRC/t/targets/snap-busy.cc" -lpthread || fail_all 'snap-busy.cc builds'
cp "$SRC/t/targets/snap-cc.cc" "$scratch/snap-cc.cc"
$CXX -std=c++20 -O1 -g -o "$scratch/frames" "$scratch/snap-cc.cc" || fail_all 'snap-cc.cc builds'
: "${SNAPS:=40}"
[ -z "${CHECK_ALL:-}" ] || SNAPS=1000
export SNAPS

cat >>"$scratch/.case-lib" <<'EOT'
# Split in two: symbols and debug information are only in a file of their own.
split() {	# NAME
	$CXX -std=c++20 -O1 -g -Wl,--build-id=sha1 -o $1 ../snap-cc.cc
	objcopy --only-keep-debug $1 $1.debug
	objcopy --strip-all --add-gnu-debuglink=$1.debug $1
	id=$(readelf -n $1 | sed -n 's/.*Build ID: //p')
	[ "$id" ]
}
whole() {	# every frame with its line, by the environment's ct-snap
	status 0 "$@" ct-snap -p $pid >trace 2>err
	sed '$d' own | cut -d' ' -f1-3 | sort >expected
	frames trace | cut -d' ' -f1-3 | sort >actual
	same expected actual
}
EOT

test_case "$SNAPS snapshots of a busy program: it goes on, is never left stopped, and its sockets lose nothing" <<'EOF'
start ../busy
for i in $(seq $SNAPS); do
	how=; [ $((i % 4)) -ne 0 ] || how=--nonstop
	status 0 ct-snap $how -p $pid >trace 2>err
done
status 0 ct-check --strict trace >check
for t in /proc/$pid/task/*; do hasnt '^State:.*[tT] (' $t/status; done
hasnt '^TracerPid:[^0]*[1-9]' /proc/$pid/status
kill -TERM $pid
for i in $(seq 200); do if grep -q wrong own; then break; fi; sleep 0.05; done
stop
has 'came, 0 wrong' own
EOF

test_case 'debug information in a file of its own: beside the program, by build id, in debuginfod'"'"'s cache; never another build'"'"'s' <<'EOF'
split frames
start ./frames 5
whole env
mkdir .debug; mv frames.debug .debug
whole env
mv .debug/frames.debug kept
mkdir -p cache/$id; cp kept cache/$id/debuginfo
if ldconfig -p | grep -q libdebuginfod; then
	whole env DEBUGINFOD_URLS=http://127.0.0.1:9/ DEBUGINFOD_CACHE_PATH=$PWD/cache
fi
dir=/usr/lib/debug/.build-id/$(echo $id | cut -c1-2)
if unshare -m mount -t tmpfs none /usr/lib/debug 2>/dev/null; then
	whole unshare -m sh -c "mount -t tmpfs none /usr/lib/debug && mkdir -p $dir && cp kept $dir/$(echo $id | cut -c3-).debug && exec \"\$@\"" sh
fi
# the same name, but of another build
$CXX -std=c++20 -O2 -g -Wl,--build-id=sha1 -o other ../snap-cc.cc
objcopy --only-keep-debug other frames.debug
status 3 ct-snap -p $pid >out 2>err
has 'no C++20 frames' err
[ ! -s out ]
EOF

test_case 'ct-snap itself is killed, at any moment: the process goes on' <<'EOF'
start ../busy
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	ct-snap -p $pid >trace 2>err & snap=$!
	sleep 0.0$i
	kill -KILL $snap 2>/dev/null || :
	wait $snap || :
done
for i in $(seq 100); do
	grep -q '^State:.*[tT] (' /proc/$pid/task/*/status || break
	sleep 0.05
done
hasnt '^State:.*[tT] (' /proc/$pid/status
kill -TERM $pid
for i in $(seq 200); do if grep -q wrong own; then break; fi; sleep 0.05; done
stop
has 'came, 0 wrong' own
EOF

if [ -z "$SAN" ]; then
	test_case 'ct-snap is killed while a thread stands still with a signal that it was about to get: it gets it' <<'EOF'
sed 's/^int main(/int real_main(/' ../snap-cc.cc >signal.cc
cat >>signal.cc <<'CC'
#include <csignal>
int main()
{
	auto a = app::leaf<false>(1, 2);
	a.handle.resume();
	signal(SIGUSR1, [](int) { (void)!write(2, "came\n", 5); });
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
CC
$CXX -std=c++20 -O1 -g -w -o signal signal.cc
cat >kill.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
enum { PTRACE_GETREGS = 12, PTRACE_INTERRUPT = 0x4207 };
long ptrace(int request, pid_t pid, void *at, void *data)
{
	if (request == PTRACE_INTERRUPT) {	/* the signal comes first */
		kill(pid, SIGUSR1);
		usleep(100000);
	} else if (request == PTRACE_GETREGS) {	/* all that stands still is seen by then */
		raise(SIGKILL);
	}
	return syscall(SYS_ptrace, request, pid, at, data);
}
C
${CC:-cc} -shared -fPIC -D_GNU_SOURCE -w -o kill.so kill.c
start ./signal
got=0; LD_PRELOAD=$PWD/kill.so ct-snap -p $pid >out 2>err || got=$?
[ $got -eq 137 ] || exit 0		# nothing can be preloaded
for i in $(seq 100); do if grep -q came own.err; then break; fi; sleep 0.05; done
has came own.err
EOF
fi

test_case 'a process that runs itself again and again: a snapshot of one program, or a sentence' <<'EOF'
start ../busy exec
good=0
for i in $(seq 25); do
	got=0; ct-snap -p $pid >trace 2>err || got=$?
	case $got in
	0) good=$((good + 1)); ct-check --strict trace >check 2>&1 || has '"live":0' trace;;
	2|3) has "^ct-snap: $pid: " err; [ ! -s trace ];;
	*) cat err >&2; false;;
	esac
done
kill -0 $pid
EOF

test_case 'a process that is killed meanwhile' <<'EOF'
for i in 1 2 3 4 5 6; do
	start ../busy
	(sleep 0.0$i; kill -KILL $pid) & killer=$!
	got=0; ct-snap --again=50ms -p $pid >trace 2>err || got=$?
	wait $killer || :
	case $got in 0) ;; 2|3) has "^ct-snap: $pid: " err;; *) cat err >&2; false;; esac
	wait $pid 2>/dev/null || :
	pid=
done
EOF

test_case 'memory that came since its maps were read last, also while the look is made ready, is seen; what is killed while it stands still is no snapshot' <<'EOF'
cat >grows.c <<'C'
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "snap/snap.h"
enum { SIZE = 48 << 20 };
static int ask[2], tell[2], pid, kills;
static unsigned char *grown[2];
static void child(void)
{
	for (char c; read(ask[0], &c, 1) == 1;) {
		void *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		memset(p, 7, SIZE);
		if (write(tell[1], &p, sizeof(p)) < 0)
			_exit(1);
	}
	_exit(0);
}
static void grow(int i)
{
	if (write(ask[1], "", 1) != 1 || read(tell[0], &grown[i], sizeof(void *)) != sizeof(void *))
		exit(3);
}
static void chase(struct target *t)
{
	if (t->rehearses && !grown[1])
		grow(1);
	if (!t->rehearses && kills)
		kill(pid, SIGKILL);
}
static int has(const struct target *t, const unsigned char *at)
{
	return mem_number(t, (uintptr_t)at, 1) == 7 && mem_number(t, (uintptr_t)at + SIZE - 1, 1) == 7;
}
int main(void)
{
	struct target t = { .name = "it" };
	struct take take = { .heap = true, .limit = 1ull << 32, .chase = chase };
	char why[200] = "";

	if (pipe(ask) || pipe(tell))
		return 3;
	pid = fork();
	if (!pid) {
		close(ask[1]);
		child();
	}
	target_live(&t, pid, pid);
	grow(0);
	printf("taken %d\n", target_take(&t, &take, why));
	printf("seen %d %d\n", has(&t, grown[0]), has(&t, grown[1]));
	kills = 1;
	printf("killed: %d, %s\n", target_take(&t, &take, why), why);
	target_free(&t);
	waitpid(pid, NULL, 0);
	return 0;
}
C
${CC:-cc} ${SAN:+-fsanitize=address,undefined} -w -I"$SRC/sdk" -I"$SRC/sdk/trace" -o grows grows.c \
	"$O/snap.a" "$O/parts.a" -ldw -lelf -liberty -lpthread
status 0 env ASAN_OPTIONS=detect_leaks=0 ./grows >out
printf '%s\n' 'taken 1' 'seen 1 1' 'killed: 0, ended, or ran another program, while it was read' >expected
same expected out
EOF

test_case '--again: what did not move has at least that age, and what did has not' <<'EOF'
start ../frames 5
status 0 ct-snap --again=300ms -p $pid >trace 2>err
stop
status 1 ct-stuck trace >out
hasnt 'oldest ?' out
grep -c 'oldest at least [3-9][0-9][0-9]ms' out >n || grep -c 'oldest at least [0-9.]*s' out >n
status 0 ct-check --strict trace >check
EOF

test_case '--again of what is stopped already: it moves nowhere, and nobody has an age of that' <<'EOF'
start ../frames 5
kill -STOP $pid
until grep -q '^State:.T' /proc/$pid/status; do sleep 0.01; done
status 0 ct-snap --again=50ms -p $pid >trace 2>err
grep -q '^State:.T' /proc/$pid/status
kill -CONT $pid
stop
has 'it was stopped already' err
ct-stuck trace >out || [ $? -eq 1 ]
has 'oldest ?' out
EOF

for dir in $freezers; do
	test_case "--again of what a cgroup of $dir has frozen: the same, or it cannot be stopped" <<EOF
start ../frames 5
in_freezer $dir || { echo 'no cgroups can be made here'; stop; exit 0; }
freeze
got=0; ct-snap --again=50ms -p \$pid >trace 2>err || got=\$?
thaw
stop
[ \$got = 0 ] || { has 'does not stop' err; exit 0; }
has 'it was stopped already' err
ct-stuck trace >out || [ \$? -eq 1 ]
has 'oldest ?' out
EOF
done

test_case 'a thread that cannot be stopped, as in vfork(2): the others do not stand still for two seconds' <<'EOF'
start ../frames 5 vfork
soon() {
	before=$(date +%s%N)
	status 3 ct-snap -p $pid >trace 2>err && has 'does not stop' err &&
		[ $(($(date +%s%N) - before)) -lt 2000000000 ]
}
soon || soon || soon
stop
EOF

test_case '--nonstop claims nothing that takes one moment to be true' <<'EOF'
start ../frames 50 forget
status 0 ct-snap --nonstop -p $pid >trace 2>err
stop
has '"memory":"running"' trace
hasnt '"refs"' trace
has 'not one moment' err
status 0 ct-lostwake trace >out
EOF

test_case 'no such process, no coroutines, no core, usage' <<'EOF'
status 2 ct-snap -p 4194304 2>err; has '^ct-snap: 4194304: no such process$' err
status 2 ct-snap -p 0 2>err; status 2 ct-snap -p 1x 2>err
status 2 ct-snap 2>err; has 'one of -p PID and CORE' err
status 2 ct-snap -p 1 core 2>err
status 2 ct-snap --again=1s core 2>err; has 'a core does not change' err
status 2 ct-snap missing 2>err; has '^ct-snap: missing: No such file' err
echo text >text; status 2 ct-snap text 2>err; has 'text: is no core file' err
status 2 ct-snap "$SRC" 2>err; has 'no core file' err
sleep 60 & pid=$!
status 3 ct-snap -p $pid >out 2>err; has 'no C++20 frames, no tokio, no Go' err; [ ! -s out ]
stop
status 3 ct-snap --limit=1 -p $$ 2>err || :
status 0 ct-snap --help >out; has 'example:' out
EOF

test_case 'one that is traced already, one of another user, too much memory, full disk' <<'EOF'
start ../frames 20000
status 3 ct-snap --limit=1 -p $pid >out 2>err; has 'more than 1 MB of memory' err
status 2 ct-snap -p $pid >/dev/full 2>err; has '<stdout>: No space' err
if command -v gdb >/dev/null; then
	gdb -q -batch -p $pid -ex 'shell touch held; while [ ! -e done ]; do sleep 0.05; done' >log 2>&1 & gdb=$!
	for i in $(seq 400); do [ ! -e held ] || break; sleep 0.05; done
	got=0; ct-snap -p $pid >out 2>err || got=$?
	touch done; wait $gdb || :
	[ $got -eq 3 ]
	has 'traces it already' err
fi
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 755 .. .
	status 3 setpriv --reuid=65534 --clear-groups --inh-caps=-all "$O/ct-snap" -p $pid >out 2>err
	has 'not permitted' err
fi
EOF

# 40 TB, as AddressSanitizer makes half of: a minute where each page is asked for.
test_case 'address space that nobody used is not gone through while it stands still; guards among what is used are passed over' <<'EOF'
sed 's/^int main(/int real_main(/' ../snap-cc.cc >wide.cc
cat >>wide.cc <<'CC'
#include <sys/mman.h>
int main()
{
	const size_t tb = 1ul << 40, page = 4096;
	char *small = static_cast<char *>(mmap(nullptr, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	bool wide = mmap(nullptr, 40 * tb, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED;
	auto a = app::leaf<false>(1, 2);

	a.handle.resume();
	memset(small, 1, 16 * page);
	bool guard = !madvise(small + 8 * page, 2 * page, 102 /* MADV_GUARD_INSTALL */);
	memcpy(small + 4 * page, a.handle.address(), 256);	// what looks like two more of them
	memcpy(small + 12 * page, a.handle.address(), 256);
	printf("%d %d\nready\n", wide, guard);
	fflush(stdout);
	for (;;)
		pause();
}
CC
$CXX -std=c++20 -O1 -g -w -o wide wide.cc
start ./wide
[ -n "$SAN" ] || ulimit -t 20
got=0; ct-snap -p $pid >trace 2>err || got=$?
case $got in 3) has 'more than a TB of address space' err;; *) [ $got -eq 0 ]; [ $(grep -c '"ev":"state"' trace) -eq 3 ];; esac
export ASAN_OPTIONS=detect_leaks=0
deny=$O/t/targets/snap-deny
got=0; $deny ioctl true || got=$?
if [ $got -ne 77 ] && has '^1 ' own; then
	status 3 $deny ioctl ct-snap -p $pid >out 2>err; has 'more than a TB of address space' err; [ ! -s out ]
fi
unshare -m mount --bind /dev/null /proc/$pid/pagemap 2>/dev/null || exit 0
status 3 unshare -m sh -c 'mount --bind /dev/null /proc/$1/pagemap && exec ct-snap -p $1' sh $pid >out 2>err
has 'pagemap cannot be read' err; [ ! -s out ]
EOF

test_case 'the first thread has ended, as by pthread_exit(3): the others are looked at' <<'EOF'
sed 's/^int main(/int real_main(/' ../snap-cc.cc >orphans.cc
cat >>orphans.cc <<'CC'
#include <pthread.h>
static void *sleeper(void *) { for (;;) pause(); }
int main()
{
	pthread_t thread;
	auto a = app::leaf<false>(1, 2);

	a.handle.resume();
	pthread_create(&thread, nullptr, sleeper, nullptr);
	printf("ready\n");
	fflush(stdout);
	pthread_exit(nullptr);
}
CC
$CXX -std=c++20 -O1 -g -w -o orphans orphans.cc -lpthread
start ./orphans
while ! grep -q '^State:.Z' /proc/$pid/status; do sleep 0.05; done
for how in '' --nonstop --again=0.1s; do
	status 0 ct-snap $how -p $pid >trace 2>err
	[ $(grep -c '"ev":"state"' trace) -eq 1 ]
	has "\"ev\":\"process\",.*\"pid\":$pid," trace
done
[ $(grep -c '"ev":"thread"' trace) -eq 1 ]
has "1 threads" err
EOF

test_case 'hostile memory: frames that await themselves and one another, heaps that lead nowhere' <<'EOF'
cat >evil.cc <<'CC'
#include "../snap-cc.cc"
CC
sed 's/^int main(/int real_main(/' ../snap-cc.cc >evil.cc
cat >>evil.cc <<'CC'
int main()
{
	// Promises whose continuations form a ring and a loop, in memory that looks like a heap of huge and of zero chunks.
	std::vector<std::coroutine_handle<>> roots;
	auto a = app::leaf<false>(1, 2), b = app::leaf<false>(2, 2), c = app::leaf<false>(3, 2);
	a.handle.promise().continuation = b.handle;
	b.handle.promise().continuation = a.handle;
	c.handle.promise().continuation = c.handle;
	for (auto t : {a, b, c})
		t.handle.resume();
	auto words = static_cast<unsigned long *>(malloc(1 << 20));
	for (size_t i = 0; i < (1 << 17); i++)
		words[i] = i % 3 ? ~0ul : reinterpret_cast<unsigned long>(a.handle.address());
	memcpy(words + 100, a.handle.address(), 16);
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
CC
$CXX -std=c++20 -O1 -g -w -o evil evil.cc
start ./evil
status 0 timeout 100 ct-snap -p $pid >trace 2>err
stop
status 0 ct-check --strict trace >check
ct-lostwake trace >out || [ $? -eq 1 ]
ct-bt --all --tree trace >out || [ $? -eq 1 ]
EOF
done_testing
