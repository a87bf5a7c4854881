#!/bin/sh
# Java's virtual threads by the agent: bugs at their lines, healthy programs, attaching, and JVMs that it is not for.
. "${0%/*}/../lib/lib.sh"
jdk=$(sh "$SRC/share/packaging/jdk.sh") && [ -e "$O/libcorotrace-jvm.so" ] || skip_all 'no JDK of 21 or later'
"$jdk/bin/javac" -d "$scratch" "$SRC"/t/java/*.java >"$scratch/javac" 2>&1 ||
	{ sed 's/^/# /' "$scratch/javac"; skip_all 'javac does not compile the programs'; }
export jdk
# Before JDK 24 who waits for a monitor keeps its carrier, and whoever hears of it keeps all threads from the collector.
feature=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$jdk/release")
monitors=$([ "${feature:-0}" -ge 24 ] && echo yes)
export monitors
cat >>"$scratch/.case-lib" <<'EOF'
agent=-agentpath:$O/libcorotrace-jvm.so
# OPTIONS of ct-record -- those of java
record() {
	of=
	while [ "$1" != -- ]; do of="$of $1"; shift; done
	shift
	timeout -s KILL 120 ct-record $of "$jdk/bin/java" -XX:TieredStopAtLevel=1 \
		-Djdk.virtualThreadScheduler.parallelism=8 -cp .. "$@"
}
line() { grep -n "// $2\$" "$SRC/t/java/$1.java" | cut -d: -f1; }
EOF

test_case 'lock orders, a lock whose owner ended, a lost unpark, a latch one short, a future nobody completes, a thread leaked by each request' <<'EOF'
status 0 record --stacks -o t -- $agent=gc -Djdk.trackAllThreads=false Zoo 2>err
same /dev/null err
ct-check t >out
status 1 ct-lostwake t >out
[ -z "$monitors" ] || has "^1 cycle: deadlock (proven): Zoo.monitors() Zoo.java:$(line Zoo monitors)" out
has "^1 cycle: deadlock (proven): Zoo.late() Zoo.java:$(line Zoo late)" out
# A cycle that nobody else refers to may be collected before it is looked at.
has "(proven): Zoo.locks() Zoo.java:$(line Zoo locks)" out
has "dead-owner (proven): Zoo.lambda.unlock.[0-9]*() Zoo.java:$(line Zoo unlock)" out
has "lost-waker (proven): Zoo.lambda.future.[0-9]*() Zoo.java:$(line Zoo future)" out
has "lost-waker (proven): Zoo.lambda.latch.[0-9]*() Zoo.java:$(line Zoo latch)" out
has "lost-waker (proven): Zoo.lambda.unpark.[0-9]*() Zoo.java:$(line Zoo unpark)" out
has "^20 coroutines: lost-waker (proven): Zoo.lambda.leak.[0-9]*() Zoo.java:$(line Zoo leak)" out
# Stacks, of the waiting and of whoever wakes.
ct-bt --all --name=left t >out 2>/dev/null || ct-bt --all t >out
has "^    ReentrantLock.lock() java/util/concurrent/locks/ReentrantLock.java:[0-9]" out
hasnt 'Hook' out
has '"ev":"wake".*"by":.*"stack":' t
has '"ev":"thread".*"name":"ForkJoinPool-1-worker-1","role":"worker"' t
EOF

if [ "$monitors" ]; then
	skip_case 'monitors before JDK 24: a deadlock of threads that keep their carriers' "JDK $feature is here"
else
	test_case 'monitors before JDK 24: a deadlock of threads that keep their carriers' <<'EOF'
status 0 record -o t -- $agent Zoo
ct-check t >out
status 1 ct-lostwake t >out
has "^1 cycle: deadlock (proven): Zoo.monitors() Zoo.java:$(line Zoo monitors)" out
ct-lint --only=pinned t >out || [ $? -eq 1 ]
has "Zoo.monitors() Zoo.java:$(line Zoo monitors)" out
EOF
fi

test_case 'the same mended: nothing is found, nothing is left; -Xcheck:jni has nothing to say' <<'EOF'
status 0 record -o t -- -Xcheck:jni $agent=gc -Djdk.trackAllThreads=false Zoo mended >out 2>err
same /dev/null err; same /dev/null out
ct-check t >out
status 0 ct-lostwake t >out
has '^0 findings: 2 coroutines live' out
EOF

test_case 'shapes of published bugs: permits, joins, futures, pools, an upgrade, threads of the system; what the collector proves' <<'EOF'
proven() { has "$1.*proven.*Bugs.java\",\"line\":$(line Bugs $2)[^0-9]" json; }
status 0 record --stacks -o t -- $agent Bugs all 2>err
same /dev/null err
ct-check t >out
status 1 ct-lostwake --json t >json
proven dead-owner platformDied
# Another might give it back yet.
suspected() { has "$1.*suspected.*Bugs.java\",\"line\":$(line Bugs $2)[^0-9]" json; }
permits_are_suspected() { [ "$(grep -c suspected json)" -eq 2 ]; suspected dead-owner permit; suspected deadlock pools; }
permits_are_suspected
for bug in join joinSelf future upgrade platform platformMonitor compute pool platformPool stages begunLateChild loads closes forkLock; do
	proven deadlock $bug
done
# A cycle is reported where one of its members waits, whichever that is.
for bug in closeOthers joinWithLock forkJoin; do proven deadlock $bug || proven deadlock ${bug}Self; done
[ "$(grep -c '"certainty":"proven"' json)" -eq 22 ]
# The thread of the system, where it stands; who took a permit, and where.
ct-stuck t >out || :
has '"old-pool-1 (platform thread)" on mutex:' out
ct-stuck --all --json t >out || :
grep '"old-pool-2 (platform thread)"' out >one
has "Bugs.java\",\"line\":$(line Bugs platformMonitor)[^0-9]" one
has '"ev":"acquire".*"on":"sem:.*"site":' t
status 0 record --stacks -o t -- $agent=gc -Djdk.trackAllThreads=false Bugs all 2>err
same /dev/null err
status 1 ct-lostwake --json t >json
for bug in future0 latch unpark queue signal exchanger phaser connection barrier; do proven lost-waker $bug; done
permits_are_suspected
EOF

test_case 'scopes of tasks: an owner with the lock that a task wants, a scope in a scope; mended, or shut down, nothing is found' <<'EOF'
status 0 record -o t -- $agent --enable-preview Scopes 2>err
same /dev/null err
ct-check t >out
status 1 ct-lostwake --json t >json
[ "$(grep -c '"verdict":"deadlock","certainty":"proven"' json)" -eq 3 ]
[ "$(grep -c '"verdict"' json)" -eq 3 ]
has '"ev":"suspend".*"any_of":2' t
status 0 record -o t -- -Xcheck:jni $agent --enable-preview Scopes mended >out 2>err
same /dev/null err; same /dev/null out
ct-check t >out
status 0 ct-lostwake t >out
has '^0 findings: 0 coroutines live' out
EOF

test_case 'the same shapes mended: nothing is found' <<'EOF'
status 0 record -o t -- -Xcheck:jni $agent=gc -Djdk.trackAllThreads=false Bugs all mended >out 2>err
same /dev/null err; same /dev/null out
ct-check t >out
status 0 ct-lostwake t >out
has '^0 findings: 8 coroutines live' out
EOF

test_case 'who is unparked as it ends was not woken after its end' <<'EOF'
status 0 record --stacks -q -o t -- $agent Late 300
ct-check t >out
status 0 ct-lostwake t >out
has '^0 findings' out
EOF

test_case 'pools that wait for themselves, but for one thread: nothing is found, wherever the trace ends' <<'EOF'
status 0 record -o t -- $agent Pools 4 2>err
echo done | same - err
ct-check t >out
status 0 ct-lostwake t >out
has '^0 findings' out
has '"name":"task of a pool"' t
printf '"name":"asks \360\237\230\200 \\u202e"' >want; grep -qF -f want t	# no halves of characters, nothing that acts
EOF

if [ "$monitors" ]; then
	test_case 'who waits for a monitor while a class is initialized keeps its carrier: as other pinned ones' <<'EOF'
one='-Djdk.virtualThreadScheduler.parallelism=1 -Djdk.virtualThreadScheduler.maxPoolSize=1'
status 0 record -o t -- $agent $one Pinned monitor
ct-check t >out
status 1 ct-lostwake t >out
has "blocked-workers (suspected): Pinned.Cache.load() Pinned.java:$(line Pinned monitor)" out
ct-lint --only=pinned t >out || [ $? -eq 1 ]
has "^1 park that kept its worker: Pinned.Cache.load() Pinned.java:$(line Pinned monitor)" out
EOF
fi

test_case 'a pool of pinned carriers: suspected at its line, and a lint; who waits to run is counted' <<'EOF'
one='-Djdk.virtualThreadScheduler.parallelism=1 -Djdk.virtualThreadScheduler.maxPoolSize=1'
status 0 record -o t -- $agent $one Pinned
ct-check t >out
status 1 ct-lostwake t >out
has "blocked-workers (suspected): Pinned.Config.load() Pinned.java:$(line Pinned pinned)" out
has 'coroutine [0-9]* "reader" waits on cond:' out; has '1 waits to run' out
ct-lint --only=pinned t >out || [ $? -eq 1 ]
has "^1 park that kept its worker: Pinned.Config.load() Pinned.java:$(line Pinned pinned)" out
status 0 record -o t -- $agent $one Pinned mended
status 0 ct-lint --only=pinned t >out
status 0 ct-lostwake t >out
EOF

test_case "a web server, a virtual thread a request, under load: nothing is found" <<'EOF'
status 0 record -o t -- $agent Server 8 20 2>err
has '^160 answers' err
ct-check t >out
status 0 ct-lostwake t >out
has '^0 findings' out
[ "$(grep -c '"ev":"create"' t)" -ge 168 ]
has '"on":"fd:[0-9]' t
EOF

test_case 'an agent that is loaded into a running JVM begins with the state of all, and finds what was there' <<'EOF'
mkfifo in
"$jdk/bin/java" -XX:TieredStopAtLevel=1 -cp .. Hangs locks <in >out.java 2>&1 & pid=$!
exec 3>in
wait_until() { i=0; until "$@"; do i=$((i + 1)); [ $i -lt 100 ]; sleep 0.2; done; }
wait_until grep -q up out.java
"$jdk/bin/jcmd" $pid JVMTI.agent_load "$O/libcorotrace-jvm.so" >jcmd
has 'return code: 0' jcmd
timeout -s KILL 120 ct-record -q -p $pid -o t & recorder=$!
# Twice each: who has a lock. Three times: what would run a task.
seen() { [ -e t ] && [ "$(grep -c '"ev":"acquire"' t)" -ge 2 ] && [ "$(grep -c '"any_of"' t)" -ge 3 ]; }
wait_until seen
kill -INT $recorder
wait $recorder || :
status 1 ct-lostwake --grace=0s t >found
has "^1 cycle: deadlock (proven): Hangs.locked() Hangs.java:$(line Hangs locked)" found
# Pools that are older than the agent, of virtual threads and of two kinds of the system's.
has "^3 cycles: deadlock (proven): Hangs.lambda.starve.[0-9]*() Hangs.java:$(line Hangs starve)" found
ct-stuck t >stuck || :
for what in sleeper:timer consumer:cond caller:user taker:sem server:fd; do
	has "\"${what%:*}\" on ${what#*:}:" stuck
done
# A second time it says so, and the program goes on.
"$jdk/bin/jcmd" $pid JVMTI.agent_load "$O/libcorotrace-jvm.so" >jcmd || :
hasnt 'return code: 0' jcmd
exec 3>&-
wait $pid
EOF

test_case 'JVMs and options that it is not for: a sentence, and the program runs on' <<'EOF'
export CTP_BOX=1
run() { timeout -s KILL 60 "$jdk/bin/java" -cp .. "$@" >out 2>err; has '^ready' out; }
run -XX:+UnlockExperimentalVMOptions -XX:-VMContinuations $agent Ready
has '^corotrace-jvm: this JVM binds each virtual thread' err; [ "$(wc -l <err)" -eq 1 ]
run $agent=gcc Ready
has '^corotrace-jvm: no option "gcc"' err
run $agent $agent Ready
has '^corotrace-jvm: it is loaded already' err; [ "$(wc -l <err)" -eq 1 ]
run $agent=gc Ready
has 'trackAllThreads=false$' err
CTP_BOX=0 run $agent Ready
same /dev/null err
EOF

test_case 'loaded twice, and beside an agent that changes the same classes afterwards: each event is there once' <<'EOF'
printf 'Premain-Class: Again\nCan-Retransform-Classes: true\nCan-Redefine-Classes: true\n' >about
"$jdk/bin/jar" cfm again.jar about -C .. Again.class
for more in $agent -javaagent:again.jar; do
	status 0 record -q -o t -- $agent $more Hooks permits 20 2>err
	ct-check t >out
	[ "$(grep -c '"ev":"create"' t)" -eq 1 ]
	[ "$(grep -c '"ev":"wake"' t)" -eq 1 ]
	[ "$(grep -c '"ev":"acquire"' t)" -eq 20 ]
done
EOF

if [ "${feature:-0}" -ge 25 ]; then
	test_case 'a JVM that may not run without its cache of linked classes begins, and is traced' <<'EOF'
"$jdk/bin/jar" cf ready.jar -C .. Ready.class
timeout -s KILL 120 "$jdk/bin/java" -XX:AOTCacheOutput=cache -cp ready.jar Ready >made 2>&1 || { cat made >&2; exit 1; }
timeout -s KILL 120 ct-record -q -o t "$jdk/bin/java" -XX:AOTCache=cache -XX:AOTMode=on $agent -cp ready.jar Ready >out 2>&1
echo ready | same - out
[ "$(grep -c '"ev":"create"' t)" -eq 20 ]
EOF
fi

test_case 'a JVM that ends does not wait for the agent: it would for 0.3 s, if that were in native code' <<'EOF'
end_ms() { read -r line; begun=$(date +%s%N); cat; echo $((($(date +%s%N) - begun) / 1000000)); }
for i in 1 2 3 4 5 6 7 8 9; do
	CTP_BOX=1 timeout -s KILL 60 "$jdk/bin/java" $agent -cp .. Ready | end_ms >ms
	[ "$(cat ms)" -ge 250 ] || break
done
[ "$(cat ms)" -lt 250 ]
EOF

test_case 'a JVM that ends refuses what is asked of a thread: it has not moved for that, nor died with its lock' <<'EOF'
cat >slow.c <<'X'
#include <jvmti.h>
#include <time.h>

/* The last that an agent hears of a JVM, which refuses all else by then. */
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *j, char *o, void *r) { (void)j, (void)o, (void)r; return JNI_OK; }
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *j) { (void)j; nanosleep(&(struct timespec){ 1, 700000000 }, NULL); }
X
${CC:-cc} -std=gnu11 -fPIC -shared -I"$jdk/include" -I"$jdk/include/linux" -o slow.so slow.c
status 0 record -q -o t -- $agent -agentpath:$PWD/slow.so Ends
ct-check t >out
status 3 ct-lostwake t >out
has '^0 findings' out
[ "$monitors" ] || exit 0
status 0 record -q -o t -- $agent -agentpath:$PWD/slow.so Ends monitors
ct-check t >out
status 1 ct-lostwake t >out
has "^1 cycle: deadlock (proven): Ends.nested() Ends.java:$(line Ends monitors)" out
has '^1 finding' out
EOF

test_case 'what says it is a JVM of another make: a sentence, and nothing but its name and what it can do was asked for' <<'EOF'
cat >other.c <<'X'
#include <jvmti.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The only calls that there are: any other ends this program. */
static const char *vm;
static int can, gives;
static jvmtiError JNICALL property(jvmtiEnv *e, const char *name, char **value)
{
	(void)e;
	*value = strdup(strcmp(name, "java.vm.name") ? "?" : vm);
	return JVMTI_ERROR_NONE;
}
static jvmtiError JNICALL deallocate(jvmtiEnv *e, unsigned char *p) { (void)e; free(p); return JVMTI_ERROR_NONE; }
static jvmtiError JNICALL potential(jvmtiEnv *e, jvmtiCapabilities *c)
{
	(void)e;
	*c = (jvmtiCapabilities){ .can_support_virtual_threads = can, .can_retransform_classes = can };
	return JVMTI_ERROR_NONE;
}
static jvmtiError JNICALL add(jvmtiEnv *e, const jvmtiCapabilities *c)
{
	(void)e, (void)c;
	return gives ? JVMTI_ERROR_NONE : JVMTI_ERROR_NOT_AVAILABLE;
}
static struct jvmtiInterface_1_ ti = { .GetSystemProperty = property, .Deallocate = deallocate,
	.GetPotentialCapabilities = potential, .AddCapabilities = add };
static jvmtiEnv env = &ti;
static jint JNICALL get(JavaVM *j, void **to, jint version)
{
	(void)j;
	*to = &env;
	return version == JVMTI_VERSION_21 && vm ? JNI_OK : JNI_EVERSION;
}
static struct JNIInvokeInterface_ invoke = { .GetEnv = get };
static JavaVM jvm = &invoke;

int main(int argc, char **argv)
{
	jint (*load)(JavaVM *, char *, void *) = dlsym(dlopen(argv[1], RTLD_NOW), "Agent_OnLoad");

	vm = argc > 2 ? argv[2] : NULL;
	can = argc > 3;
	return load(&jvm, "", NULL) != JNI_OK;
}
X
${CC:-cc} -std=gnu11 -I"$jdk/include" -I"$jdk/include/linux" -o other other.c -ldl
export CTP_BOX=1
says() { what=$1; shift; status 0 timeout -s KILL 60 ./other "$O/libcorotrace-jvm.so" "$@" 2>err; has "^corotrace-jvm: $what" err; [ "$(wc -l <err)" -eq 1 ]; }
says 'virtual threads of HotSpot (OpenJDK, Oracle) are known, not those of Eclipse OpenJ9 VM: nothing' 'Eclipse OpenJ9 VM' can
says 'virtual threads of HotSpot (OpenJDK, Oracle) are known, not those of Zing 64-Bit Tiered VM: nothing' 'Zing 64-Bit Tiered VM'
says 'this JVM has no virtual threads that an agent may see: nothing' 'OpenJDK 64-Bit Server VM'
says 'this JVM does not give what is needed: JVMTI error 98; nothing' 'OpenJDK 64-Bit Server VM' can
says 'this JVM is older than JDK 21'
EOF

old=$(ls -d /usr/lib/jvm/*-1[1-9]-* /usr/lib/jvm/*-1[1-9] 2>/dev/null | head -1)
if [ -x "${old:-/none}/bin/java" ]; then
	export old
	test_case 'a JVM without virtual threads: a sentence, and the program runs on' <<'EOF'
CTP_BOX=1 timeout -s KILL 60 "$old/bin/java" $agent -version >out 2>err
has '^corotrace-jvm: this JVM is older than JDK 21' err
has 'penJDK' err
EOF
else
	skip_case 'a JVM without virtual threads: a sentence' 'none is here'
fi

[ "${CHECK_ALL:-}" ] || { done_testing; exit; }

test_case 'locks that are taken in one order by many: never a deadlock, whatever the sweep sees' <<'EOF'
for options in '' =gc; do
	status 0 record -o t -- -Xcheck:jni -Xmx64m -XX:+UseSerialGC $agent$options -Djdk.trackAllThreads=false Order 64 8 2>err
	same /dev/null err
	ct-check t >out
	status 0 ct-lostwake t >out
	has '^0 findings' out
	# It was seen that some who slept held what others waited for, threads of the system among them.
	[ "$(grep -c '"ev":"acquire"' t)" -ge 10 ]
	has '(platform thread)' t
done
EOF

if [ "$monitors" ]; then
	skip_case 'monitors before JDK 24: who waits for one says what it holds while the sweep says who waits' "JDK $feature is here"
else
	test_case 'monitors before JDK 24: who waits for one says what it holds while the sweep says who waits' <<'EOF'
status 0 record -o t -- -Djdk.virtualThreadScheduler.parallelism=140 -Djdk.virtualThreadScheduler.maxPoolSize=200 $agent Guards 60 4 2>err
echo done | same - err
ct-check t >out
status 0 ct-lostwake t >out
[ "$(grep -c '(platform thread)' t)" -ge 30 ]
EOF
fi

test_case 'classes that are unloaded with their threads: each line is known, -Xcheck:jni has nothing to say' <<'EOF'
status 0 record --stacks -o t -- -Xcheck:jni -Xmx64m -XX:+UseSerialGC $agent Unload 200 2>err
echo '200 unloaded' | same - err
ct-check t >out
status 0 ct-lostwake t >out
has "Unload.Body.run\",\"file\":\"Unload.java\",\"line\":$(line Unload here)" t
EOF

test_case 'many short runs, under all collectors: the JVM ends as it would, the trace is whole' <<'EOF'
n=0
for gc in Serial Parallel G1 Z Shenandoah; do
	timeout 60 "$jdk/bin/java" -XX:+Use${gc}GC -version >/dev/null 2>&1 || continue
	for i in $(seq 1 ${JVM_RUNS:-40}); do
		status 0 record -q -o t -- -XX:+Use${gc}GC $agent Ready 2>err
		has '^ready' err
		ct-check t >check
		n=$((n + 1))
	done
done
[ $n -ge 40 ]
EOF
done_testing
