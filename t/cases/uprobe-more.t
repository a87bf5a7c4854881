#!/bin/sh
# ct-uprobe: what comes later than its attach: libraries, children, another program, losses at full rate; and where it cannot
# trace at all: containers, old and locked kernels.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/uprobe.sh"

compilers=
for cxx in g++ clang++; do
	command -v $cxx >/dev/null &&
		$cxx -std=c++20 -O2 -g -o "$scratch/host-$cxx" "$SRC/t/targets/uprobe-plugin.cc" -ldl 2>/dev/null &&
		$cxx -std=c++20 -O2 -g -fPIC -shared -DPLUGIN -o "$scratch/plugin-$cxx.so" "$SRC/t/targets/uprobe-plugin.cc" &&
		$cxx -std=c++20 -O2 -g -fPIC -shared -DPLUGIN -DREBUILT -o "$scratch/rebuilt-$cxx.so" "$SRC/t/targets/uprobe-plugin.cc" &&
		compilers="$compilers $cxx"
done
[ "$compilers" ] || skip_all 'no compiler with coroutines'

for cxx in $compilers; do
	test_case "$cxx: a library that is loaded later: what it began, what it runs, and what is begun within it, to the end of the trace" <<EOF
begin ../host-$cxx ../plugin-$cxx.so
trace
say load
wait_for grep -q '^begun' own
wait_for grep -q 'plugin-$cxx.so was loaded: 2 functions' err
say go
wait_for grep -q '^gone' own
finish
status 0 ct-check --strict trace >check
has ' 3 coroutines (3 live at the end)' check
awk '/^begun/ { print \$2 }' own | sort >begun
live | awk '!/of_host/ { print \$1 }' | sort >actual
same begun actual
# The first of them ran while it was probed: it is no state alone.
addr=\$(awk '/^begun/ { print substr(\$2, 3); exit }' own)
[ "\$(grep -c "\$addr.*\"ev\":\"resume\"" trace)" -eq 1 ]
[ "\$(grep -c '"ev":"resume"' trace)" -eq 51 ]
EOF
done
cxx=${compilers# } cxx=${cxx%% *}
export cxx

test_case 'a library that is unloaded, and one that lies where it was: the trace stays whole' <<'EOF'
cp ../plugin-$cxx.so one.so
cp ../plugin-$cxx.so two.so
begin ../host-$cxx ./one.so ./two.so
trace
say load
wait_for grep -q 'one.so was loaded' err
say unload
wait_for grep -q ^unloaded own
say load
wait_for grep -q 'two.so was loaded' err
say go
wait_for grep -q ^gone own
finish
status 0 ct-check --strict trace >check
addr=$(awk '/^begun/ { a = $2; if (++n == 2) { print substr(a, 3); exit } }' own)
has "$addr.*\"ev\":\"resume\"" trace
EOF

cat >>"$scratch/.case-lib" <<'EOF'
# what begins in the second library that is loaded is traced by that one's own code: COMMAND between the unloading and the loading
second_has_its_own() {
	trace
	say load
	wait_for grep -q 'one.so was loaded: 2 functions' err
	say unload
	wait_for grep -q ^unloaded own
	"$@"
	say load
	wait_for eval '[ $(grep -c "so was loaded: 2 functions" err) -eq 2 ]'
	say go
	wait_for grep -q ^gone own
	finish
	status 0 ct-check --strict trace >check
	addr=$(awk '/^begun/ && ++n == 3 { print $2 }' own)
	live >actual
	has "$addr of_plugin $(grep -n 'co_await wait' "$SRC/t/targets/uprobe-plugin.cc" | cut -d: -f1)" actual
	addr=$(awk '/^begun/ && ++n == 2 { print substr($2, 3) }' own)
	has "$addr.*\"ev\":\"resume\"" trace
}
EOF
for cxx in $compilers; do
	export cxx
	test_case "$cxx: a library of other code that lies where one was that was unloaded: nothing of that one is taken for its own" <<'EOF'
cp ../plugin-$cxx.so one.so
cp ../rebuilt-$cxx.so two.so
begin ../host-$cxx ./one.so ./two.so
second_has_its_own true
EOF
	test_case "$cxx: a library whose file is replaced, as by a compiler, and that is loaded again: it is another one" <<'EOF'
cp ../plugin-$cxx.so one.so
cp ../rebuilt-$cxx.so two.so
begin ../host-$cxx ./one.so ./one.so
second_has_its_own mv two.so one.so
EOF
	test_case "$cxx: a library whose file is overwritten in place, and that is loaded again: it is another one, and gets no probe of the former" <<'EOF'
cp ../plugin-$cxx.so one.so
begin ../host-$cxx ./one.so ./one.so
overwrite() {
	cp ../rebuilt-$cxx.so one.so
	wait_for grep -q 'one.so was overwritten' err
}
second_has_its_own overwrite
EOF
done
cxx=${compilers# } cxx=${cxx%% *}

test_case 'a program and a library whose files are deleted as they run: they are the same as before, to the last moment' <<'EOF'
cp ../host-$cxx here
cp ../plugin-$cxx.so one.so
cp ../rebuilt-$cxx.so two.so
begin ./here ./one.so ./two.so
trace
say load
wait_for grep -q 'one.so was loaded: 2 functions' err
rm here one.so
say load
wait_for grep -q 'two.so was loaded: 2 functions' err
say go
wait_for grep -q ^gone own
finish
status 0 ct-check --strict trace >check
hasnt 'again, elsewhere' err
hasnt 'no states' err
has '"ev":"end",.*"live":4' trace
EOF

test_case 'a library that is unloaded, and lies elsewhere when it is loaded again: it is traced as before' <<'EOF'
cp ../plugin-$cxx.so one.so
cp ../plugin-$cxx.so two.so
begin ../host-$cxx ./one.so ./two.so ./one.so
trace
say load
wait_for grep -q 'one.so was loaded: 2 functions' err
# What ends before the library's first moment was read is in no trace.
wait_for grep -q "$(awk '/^begun/ { print substr($2, 3) }' own).*\"ev\":\"state\"" trace
say unload
wait_for grep -q ^unloaded own
say load
wait_for grep -q 'two.so was loaded: 2 functions' err
say load
wait_for grep -q 'one.so was loaded again, elsewhere, and is traced' err
say go
wait_for grep -q ^gone own
finish
status 0 ct-check --strict trace >check
has ' 5 coroutines (4 live at the end)' check
awk '/^begun/ { print $2 }' own | sort -u >begun
live | awk '!/of_host/ { print $1 }' | sort >actual
comm -23 actual begun >strange
[ ! -s strange ]
addr=$(awk '/^begun/ && ++n == 3 { print substr($2, 3) }' own)
has "$addr.*\"ev\":\"resume\"" trace
EOF

test_case 'a child that goes on as the same program: that it is not traced is said, and how to trace it' <<'EOF'
begin ../host-$cxx
trace
say fork
wait_for grep -q ^forked own
child=$(sed -n 's/^forked //p' own)
wait_for grep -q "process $child is not traced: ct-uprobe -p $child" err
status 0 ct-uprobe -p $child --for=100ms >other
status 0 ct-check --strict other >check
finish
kill -KILL $child
has '"ev":"process",.*"pid":'$child',"ppid":'$pid',.*"untraced":true' trace
has 'it has forked 1 times' err
EOF

test_case '--follow-forks: each child in a trace of its own, to its end; what is not in this one is said in it' <<'EOF'
status 2 ct-uprobe -f -p $$ 2>err
has 'needs -o FILE' err
begin ../host-$cxx
trace --follow-forks -o trace
for n in 1 2; do
	say fork
	wait_for eval "[ \$(grep -c ^forked own) -eq $n ]"
done
for child in $(sed -n 's/^forked //p' own); do
	wait_for grep -q "process $child is traced into trace.$child" err
	wait_for eval "[ \$(grep -c '\"ev\":\"resume\"' trace.$child) -gt 10 ]"
done
# One ends by itself, the other is traced as long as its parent.
other=$(sed -n 's/^forked //p' own | head -1)
kill -KILL $child
wait_for grep -q '"ev":"end"' trace.$child
has '"ev":"exit"' trace.$child
finish
jq -n -e --argjson pid $pid '[inputs | select(.ev == "process" and .untraced)] | length == 2 and all(.ppid == $pid)' trace
for one in trace trace.*; do status 0 ct-check --strict $one >check; has '"ev":"end"' $one; done
pid=$other
[ "$(probes)" -eq 0 ]
kill -KILL $other
EOF

test_case 'what it costs is said while it runs: records, its share of a core, losses' <<'EOF'
begin ../host-$cxx
trace
say go
wait_for grep -q 'records/s, [0-9.]* % of a core, 0 lost' err
finish
EOF

cat >"$scratch/flood.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static long calls;
static void now(const char *what)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	printf("%s %ld\n", what, t.tv_sec * 1000000000 + t.tv_nsec);
}
__attribute__((noinline)) void tick(long *who) { __asm__ volatile("" : : "r"(who) : "memory"); }
static void *run(void *who)
{
	for (long i = 0; i < calls; i++)
		tick(who);
	return who;
}
int main(int argc, char **argv)
{
	static long ids[2];
	pthread_t t[2];
	char line[8];
	calls = atol(argv[1]);
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	now("begun");
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, &ids[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	now("ended");
	printf("called %ld\n", 2 * calls);
	fflush(stdout);
	if (argc > 2)
		execl(argv[2], argv[2], NULL);
	return fgets(line, sizeof(line), stdin) == NULL;
}
END
cc -O2 -pthread -o "$scratch/flood" "$scratch/flood.c" || exit 1
test_case 'a flood while the tracer stands still: what came and what was lost is what was called, to the last one; the bounds hold' <<'EOF'
begin ../flood 50000
trace --resume=tick --suspend=tick --buffer=1
kill -STOP $tracer
echo >&3
wait_for grep -q ^called own
kill -CONT $tracer
wait_for grep -q '"ev":"lost"' trace
finish
lost=$(jq 'select(.ev == "end").lost' trace)
[ $lost -gt 0 ]
came=$(sed -n 's/^ct-uprobe: \([0-9]*\) records in .*/\1/p' err)
# One record a call, and one each of what the process did besides.
said=$(grep -c '"ev":"\(open\|close\|unpark\)"' trace || :)
[ $((came + lost - said)) -eq 100000 ]
jq -e -n --argjson b $(sed -n 's/^begun //p' own) --argjson e $(sed -n 's/^ended //p' own) \
	'[inputs | select(.ev == "lost")] | all(.from > $b - 1100000 and .to < $e + 1100000)' trace
EOF

test_case 'of a process that is stopped the end says until when it went on' <<'EOF'
begin ../flood 20
trace --resume=tick --suspend=tick
echo >&3
wait_for grep -q '"ev":"resume"' trace
kill -STOP $pid
sleep 2
finish
kill -CONT $pid
jq -e -s '.[-1].alive as $a | .[-1].ev == "end" and .[-1].ts - $a > 1500000000 and ([.[] | select(.ev == "resume").ts] | max) <= $a' trace
EOF

test_case 'another program is executed while the tracer stands still and its buffer is full: the trace ends there all the same' <<'EOF'
begin ../flood 20000 /bin/cat
trace --resume=tick --buffer=1
kill -STOP $tracer
echo >&3
wait_for grep -q ^called own
wait_for eval '[ "$(cat /proc/$pid/comm)" = cat ]'
kill -CONT $tracer
status 0 wait $tracer
tracer=
has 'executes another program now' err
has '"ev":"lost"' trace
has '"ev":"exit"' trace
EOF

test_case 'an old kernel, a container, a locked kernel: refused, with what to do' <<'EOF'
begin ../host-$cxx
if setarch --uname-2.6 true 2>/dev/null; then
	status 3 setarch --uname-2.6 ct-uprobe -p $pid 2>err
	has 'needs Linux 6.6 or later (uprobe_multi), this is 2.6' err
	has 'ct-snap -p shows one moment on any, a probe in the program all of it' err
fi
if unshare --pid --fork --mount-proc true 2>/dev/null; then
	status 3 unshare --pid --fork --mount-proc ct-uprobe -p 1 2>err
	has 'within a container, whose process numbers are not the kernel' err
	has 'docker run --pid=host --privileged' err
fi
mkdir -p security
if [ -d /sys/kernel/security ] && unshare -m mount --bind security /sys/kernel/security 2>/dev/null; then
	echo 'none integrity [confidentiality]' >security/lockdown
	status 3 unshare -m sh -c 'mount --bind security /sys/kernel/security; exec ct-uprobe -p '$pid 2>err
	has 'the kernel is locked down (confidentiality)' err
	has 'ct-snap -p does without them' err
fi
EOF
done_testing
