#!/bin/sh
# ct-bt: what the threads run, and every task from its root down: shared nodes once, cycles marked, at any moment.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
export alone=yes
cat >>"$scratch/.case-lib" <<'EOF'
# 1 awaits 2 awaits 3 on a timer; 4 joins 3 too; 5 runs; 6 never ran; 7 is woken; 8 sleeps too long.
tasks() {
	begin; line thread 0 '"tid":13,"pid":1,"name":"b","role":"blocking"'
	waiting 1 1000 coro:2; line name 1000 '"tid":11,"probe_id":1,"name":"main\u001b"'
	waiting 2 2000 coro:3 2; waiting 3 3000 timer:1001500000000 3; waiting 4 4000 join:3 2
	create 5 5000; resume 5 5100 12; own create 6 6000 11 false ',"parent":4,"site":2'
	waiting 7 7000 fd:9; wake 7 8000 12 fd:9 5; waiting 8 8500 timer:1000009000000; waiting 9 9000 coro:99 2
	line unpark 9100 '"tid":12,"depth":3'; line park 9500 '"tid":11,"depth":0'; line park 9600 '"tid":13'; end 1009000
}
EOF

test_case 'threads: role, what they run, queues; without --all nothing more' <<'EOF'
tasks
status 0 ct-bt trace >actual
cat >expected <<'OUT'
worker thread 11 "w11": parked for 1.00s, queue 0 as of 1.00s ago
worker thread 12 "w12": runs 5 for 1.00s, queue 3 as of 1.00s ago
blocking thread 13 "b": blocked for 999ms
9 live coroutines
OUT
same expected actual
status 0 ct-bt --json trace >actual
cat >expected <<'OUT'
{"tid":11,"thread":"w11","role":"worker","running":[],"parked":true,"since":1000009500000,"queue":0,"as_of":1000009500000,"last":1000009500000}
{"tid":12,"thread":"w12","role":"worker","running":[5],"parked":false,"queue":3,"as_of":1000009100000,"last":1000009100000}
{"tid":13,"thread":"b","role":"blocking","running":[],"parked":true,"since":1000009600000,"last":1000009600000}
OUT
same expected actual
EOF

test_case 'a blocked thread says in what, a busy worker what waits to run behind that' <<'EOF'
begin; line thread 0 '"tid":13,"pid":1,"name":"b","role":"blocking"'
create 1 1000 13; resume 1 1100 13; own suspend 1 1200 13 false ',"site":1,"on":"join:2"'; line park 1300 '"tid":13'
create 2 2000; create 3 2000; create 4 2000 13; waiting 5 2500 fd:9; wake 5 2600 12 fd:9; resume 2 3000 12
end 1009000
status 0 ct-bt trace >actual
cat >expected <<'OUT'
worker thread 11 "w11": runs no coroutine, last seen 1.01s ago
worker thread 12 "w12": runs 2 for 1.01s, 1 that it woke or created wait to run
blocking thread 13 "b": blocked for 1.01s in 1
5 live coroutines
OUT
same expected actual
EOF

test_case '--all: chains from the root down, a shared one once, timers with the time left or overdue' <<'EOF'
tasks
status 0 ct-bt --all trace | sed 1,3d >actual
cat >expected <<'OUT'
#0 1 "main\x1b" suspended at f1() f.c:10 on coro:2 for 1.01s
  #1 2 suspended at f2() f.c:20 on coro:3 for 1.01s
    #2 3 suspended at f3() f.c:30 on a timer, due in 491ms for 1.01s
#0 4 suspended at f2() f.c:20 on join:3 for 1.00s
  #1 3: shown elsewhere, others await it too
#0 5 running for 1.00s
#0 6 never run, created at f2() f.c:20 for 1.00s, child of 4
#0 7 runnable at f1() f.c:10 on fd:9 for 1.00s, woken by 5
#0 8 suspended at f1() f.c:10 on a timer, overdue by 1.00s for 1.00s
#0 9 suspended at f2() f.c:20 on coro:99, which is not known to live, for 1.00s
7 tasks, 9 live coroutines
OUT
same expected actual
status 0 ct-bt --all --json trace | sed 1,3d | head -4 >actual
cat >expected <<'OUT'
{"probe_id":1,"task":1,"depth":0,"state":"suspended","name":"main\u001b","on":"coro:2","awaits":2,"site":{"func":"f1","file":"f.c","line":10},"since":1000001000000,"age":1008000000,"tid":11,"line":10}
{"probe_id":2,"task":1,"depth":1,"state":"suspended","on":"coro:3","awaits":3,"site":{"func":"f2","file":"f.c","line":20},"since":1000002000000,"age":1007000000,"tid":11,"line":14}
{"probe_id":3,"task":1,"depth":2,"state":"suspended","on":"timer:1001500000000","left":491000000,"site":{"func":"f3","file":"f.c","line":30},"since":1000003000000,"age":1006000000,"tid":11,"line":17}
{"probe_id":4,"task":4,"depth":0,"state":"suspended","on":"join:3","awaits":3,"site":{"func":"f2","file":"f.c","line":20},"since":1000004000000,"age":1005000000,"tid":11,"line":20}
OUT
same expected actual
EOF

test_case '--task: by number, name or place, always from the root' <<'EOF'
tasks
status 0 ct-bt --task=3 trace >actual
cat >expected <<'OUT'
#0 1 "main\x1b" suspended at f1() f.c:10 on coro:2 for 1.01s
  #1 2 suspended at f2() f.c:20 on coro:3 for 1.01s
    #2 3 suspended at f3() f.c:30 on a timer, due in 491ms for 1.01s
1 task, 9 live coroutines
OUT
same expected actual
status 0 ct-bt --task=^main trace >actual; same expected actual
status 0 ct-bt '--task=f3 f[.]c:30$' trace >actual; same expected actual
status 0 ct-bt --task=77 trace >actual; echo '0 tasks, 9 live coroutines' >expected; same expected actual
EOF

test_case '--at: the state at that moment' <<'EOF'
tasks
status 0 ct-bt --all --at=+2500us trace >actual
cat >expected <<'OUT'
worker thread 11 "w11": runs no coroutine, last seen 500us ago
worker thread 12 "w12": runs no coroutine, not seen to do anything
blocking thread 13 "b": runs no coroutine, not seen to do anything
#0 1 "main\x1b" suspended at f1() f.c:10 on coro:2 for 1.50ms
  #1 2 suspended at f2() f.c:20 on coro:3, which is not known to live, for 500us
OUT
echo '1 task, 2 live coroutines' >>expected; same expected actual
sed '$d' trace >lossy; line lost 9700 '"tid":11,"count":2,"from":1000000001000,"to":1000000002000'; sed -n '$p' trace >>lossy
echo '{"ev":"end","ts":1001009000000,"events":0,"lost":2}' >>lossy
status 3 ct-bt --at=+2500us lossy >out; status 0 ct-bt --at=+500ns lossy >out
EOF

test_case 'cycles are marked, and status 1: alone, led into from outside, on itself' <<'EOF'
begin; waiting 1 1000 coro:2; waiting 2 1000 coro:3; waiting 3 1000 coro:1; waiting 4 1000 coro:4
waiting 5 1000 join:6; waiting 6 1000 coro:7; waiting 7 1000 coro:6; waiting 8 1000 coro:7; end 2000
status 1 ct-bt --all trace | grep '#' >actual
cat >expected <<'OUT'
#0 1 suspended at f1() f.c:10 on coro:2 for 1.00ms, in a cycle
  #1 2 suspended at f1() f.c:10 on coro:3 for 1.00ms, in a cycle
    #2 3 suspended at f1() f.c:10 on coro:1 for 1.00ms, in a cycle
      #3 1: again, a cycle
#0 4 suspended at f1() f.c:10 on coro:4 for 1.00ms, in a cycle
  #1 4: again, a cycle
#0 5 suspended at f1() f.c:10 on join:6 for 1.00ms
  #1 6 suspended at f1() f.c:10 on coro:7 for 1.00ms, in a cycle
    #2 7 suspended at f1() f.c:10 on coro:6 for 1.00ms, in a cycle
      #3 6: again, a cycle
#0 8 suspended at f1() f.c:10 on coro:7 for 1.00ms
  #1 7: shown elsewhere, others await it too
OUT
same expected actual
status 0 ct-bt --task=99 trace >out
status 1 ct-bt --task=3 --json trace >out; grep -c '"cycle":true' out >n; echo 3 >three; same three n
EOF

test_case '--tree: below its awaiter, else its creator; equal subtrees folded' <<'EOF'
begin; waiting 1 1000 sem:5; i=10
while [ $i -lt 40 ]; do
	create $i $((i * 100)) 1; resume $i $((i * 100 + 10)) 11; suspend $i $((i * 100 + 20)) 11 coro:$((i + 1)) 2
	waiting $((i + 1)) $((i * 100 + 60)) fd:$i 3; i=$((i + 10))
done
create 50 6000 1; resume 50 6010 11; suspend 50 6020 11 fd:3 2
waiting 60 7000 coro:61; create 61 7000 60; end 1009000
status 0 ct-bt --tree trace | sed 1,2d >actual
cat >expected <<'OUT'
1 suspended at f1() f.c:10 on sem:5 for 1.01s
  3x suspended at f2() f.c:20 on coro, oldest 1.01s, such as 10
    11 suspended at f3() f.c:30 on fd:10 for 1.01s
  50 suspended at f2() f.c:20 on fd:3 for 1.00s
60 suspended at f1() f.c:10 on coro:61 for 1.00s
  61 never run, created for 1.00s
2 tasks, 10 live coroutines
OUT
same expected actual
status 0 ct-bt --tree --json trace | grep -c '"count":3,' >n; echo 1 >one; same one n
status 0 ct-bt --tree --task=61 trace >actual; sed -n '5,6p;$d' expected >few
grep -v tasks\\? actual >some || :; grep live actual >last; echo '1 task, 10 live coroutines' >one; same one last
EOF

test_case '--tree: folded roots count as the tasks that they are; names cannot harm' <<'EOF'
begin; for i in 1 3 5; do waiting $i 1000 coro:$((i + 1)); waiting $((i + 1)) 1000 fd:$i 2; done
line name 1001 '"tid":11,"probe_id":1,"name":"\u0007\u009b\"%s"'; end 2000
status 0 ct-bt --tree trace | sed 1,2d >actual
cat >expected <<'OUT'
3x suspended at f1() f.c:10 on coro, oldest 1.00ms, such as 1 "\x07\xc2\x9b"%s"
  2 suspended at f2() f.c:20 on fd:1 for 1.00ms
3 tasks, 6 live coroutines
OUT
same expected actual
EOF

test_case '--tree: a child that awaits its creator, and a cycle, end' <<'EOF'
begin; create 1 100; resume 1 110 11; create 2 120 1; resume 2 130 11; suspend 2 140 11 coro:1 2; suspend 1 150 11 fd:1 1
waiting 3 1000 coro:4; waiting 4 1000 coro:3; end 2000
status 1 ct-bt --tree trace | sed 1,2d >actual
cat >expected <<'OUT'
2 suspended at f2() f.c:20 on coro:1 for 1.86ms, child of 1
  1 suspended at f1() f.c:10 on fd:1 for 1.85ms
3 suspended at f1() f.c:10 on coro:4 for 1.00ms, in a cycle
  4 suspended at f1() f.c:10 on coro:3 for 1.00ms, in a cycle
    3: again, a cycle
2 tasks, 4 live coroutines
OUT
same expected actual
EOF

test_case 'a chain of 100,000, without recursion; each once' <<'EOF'
awk 'BEGIN { print "{\"ev\":\"meta\",\"ts\":1000,\"format\":\"corotrace\",\"version\":2,\"tool\":\"t\"}"
	for (i = 1; i <= 100000; i++) printf "{\"probe_id\":%d,\"tid\":1,\"addr\":\"0x0000000000000000\",\"seq\":2,\"is_active\":false,\"ts\":2000,\"ev\":\"suspend\",\"n\":1,\"on\":\"coro:%d\"}\n", i, i + 1
	print "{\"ev\":\"end\",\"ts\":3000,\"events\":100000,\"lost\":0}" }' >trace
for how in --all --tree; do
	status 0 ct-bt $how trace >out; grep -c suspended out >n; echo 100000 >all; same all n; has '^1 task, 100000 live' out
done
has '#99999 100000 suspended' out
EOF

test_case 'loss, truncation and version 1 lines: what can be said, and status 3' <<'EOF'
begin; waiting 1 1000 fd:1; end 2000
sed '$d' trace | status 3 ct-bt --all >out 2>err; has 'as of where the trace was cut' out
sed 's/"lost":0/"lost":4/' trace | status 3 ct-bt --all >out; has ', as far as the trace shows$' out
cat trace trace >two; status 0 ct-bt --all two >out; has '^run 2:$' out
status 0 ct-bt --all --json two >out; has '"run":2}$' out
sed '2i{"ev":"cut","tool":"t"}' trace | status 3 ct-bt --all >out; has ', as far as the trace shows$' out
echo '{"probe_id":7,"tid":4,"addr":"0x0000000000000010","seq":2,"is_active":true,"ts":1000}' >v1
status 0 ct-bt --all v1 >actual
cat >expected <<'OUT'
thread 4: runs 7 for 0ns
#0 7 running for 0ns
1 task, 1 live coroutine
OUT
same expected actual
EOF

test_case 'usage, help, bad and torn lines, empty input, full disk' <<'EOF'
status 2 ct-bt --nonsense 2>err; has '^ct-bt: ' err
status 2 ct-bt '--task=(' 2>err; has '^ct-bt: --task=(: bad argument' err
status 0 ct-bt --help >out; has 'example:' out
status 2 ct-bt </dev/null 2>err; has '^ct-bt: ' err
begin; waiting 7 1000 fd:5; end 2000
status 2 ct-bt trace >/dev/full 2>err
(cat trace; printf '{"probe_id":7,') >torn; status 3 ct-bt torn >out 2>err; has 'torn:11: the line is cut off' err
status 2 ct-bt --strict torn >out 2>err
EOF
test_case 'the call stack where it suspended: places, or addresses with what ct-sym calls them' <<'EOF'
begin
echo '{"ev":"stack","stack":1,"sites":[2,1]}' >>trace
echo '{"ev":"symbol","addr":"0x0000000000001000","path":"/a","at":[{"func":"leaf \"}","file":"l.c","line":5},{"func":"mid","file":"m.c","line":6}]}' >>trace
echo '{"ev":"stack","stack":2,"frames":["0x0000000000001000","0x0000000000002000"]}' >>trace
echo '{"ev":"stack","stack":3,"sites":[1]}' >>trace
for c in 7 8 9; do create $c $((c * 10)); resume $c $((c * 10 + 1)) 11; own suspend $c $((c * 10 + 2)) 11 false ",\"site\":1,\"on\":\"fd:$c\",\"stack\":$((c - 6))"; done
end 1000
status 0 ct-bt --all trace >out.all; sed -n '/^#0/,$p' out.all >actual
cat >expected <<'OUT'
#0 7 suspended at f1() f.c:10 on fd:7 for 928us
    f1() f.c:10
    f2() f.c:20
#0 8 suspended at f1() f.c:10 on fd:8 for 918us
    0x0000000000002000
    mid() m.c:6
    leaf "} l.c:5
#0 9 suspended at f1() f.c:10 on fd:9 for 908us
3 tasks, 3 live coroutines
OUT
same expected actual
status 0 ct-bt --task=8 --json trace >out
has '"stack":\[{"func":"leaf \\"}","file":"l.c","line":5},{"func":"mid","file":"m.c","line":6},"0x0000000000002000"\],' out
# whatever its letters are written as
sed -e 's/"frames":\["0x0/"frames":["\\u0030x\\u0030/' -e 's/{"func"/{"f\\u0075nc"/g' -e 's/"file":"m/"f\\u0069le":"m/' trace >escaped
[ $(grep -c 'u0030x\|u0075nc' escaped) -eq 2 ]
status 0 ct-bt --all escaped >again; same out.all again
EOF

test_case 'frames of libraries, runtimes and the probe are left out, unless asked for; where it was woken' <<'EOF'
begin
sym() { echo "{\"ev\":\"symbol\",\"addr\":\"0x000000000000$1\",\"at\":[{\"func\":\"$2\",\"file\":\"$3\",\"line\":1}]}" >>trace; }
sym 1000 'ct::promise_mixin::ct_suspending()' /usr/include/corotrace.hpp; sym 1001 'read(int)' r.cc
sym 1002 'std::__n4861::coroutine_handle<void>::resume() const' /usr/include/c++/12/coroutine
sym 1003 '<tokio::runtime::scheduler::Context>::run' t.rs; sym 1004 'app::serve::{async_fn#0}' a.rs
sym 1005 '<alloc::boxed::Box<app::F> as core::future::future::Future>::poll' /rustc/1/library/alloc/src/boxed.rs
sym 1006 '<tokio::time::sleep::Sleep as core::future::future::Future>::poll' /h/.cargo/registry/src/index-1/tokio-1.0.0/src/sleep.rs
sym 100a 'tokio::time::sleep::Sleep::poll_elapsed' sleep.rs; sym 1007 start_thread ''
sym 100b 'tracing_core::dispatcher::get_default' d.rs; sym 100c '<tracing::span::Span>::in_scope' s.rs
sym 100d 'void asio::detail::scheduler::run()' /usr/include/asio/detail/impl/scheduler.ipp
sym 100e 'void ct::aio::creation<int>()' ct_asio.hpp; sym 100f 'void boost::asio::post<int>()' /opt/include/boost/asio/post.hpp
sym 1010 'client()' /src/asio/client.cc; sym 1011 'VirtualThread.run()' java/lang/VirtualThread.java
sym 1012 'Thread.runWith' java/lang/Thread.java; sym 1013 'System$1.parkVirtualThread' java/lang/System.java
sym 1014 'Thread.sleep' java/lang/Thread.java; sym 1015 'Continuation.enter' jdk/internal/vm/Continuation.java
sym 1016 close sdk/cpp/ct-asio/descriptor.hpp
sym 1008 '<app::S as core::future::future::Future>::poll' a.rs; sym 1009 'stdout_writer' w.c
frames() { printf '{"ev":"stack","stack":%s,"frames":["0x0000000000001000"' $1; shift; printf ',"0x000000000000%s"' "$@"; echo ']}'; } >>trace
frames 1 100b 100a 1006 100c 1005 1008 1004 100e 1016 100d 1010 100f 1003 1001 1002 1013 1014 1011 1012 1015 1007; frames 2 1002 1007; frames 3 1009 1007
create 7 10; resume 7 20 11; own suspend 7 30 11 false ',"site":1,"on":"fd:7","stack":1'
create 8 40; resume 8 50 11; own suspend 8 60 11 false ',"site":1,"on":"fd:8","stack":2'
echo '{"probe_id":8,"tid":12,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":1000000070000,"ev":"wake","by":7,"on":"fd:8","stack":3}' >>trace
end 1000
status 0 ct-bt --all trace >out; sed -n '/^#0/,$p' out >actual
cat >expected <<'OUT'
#0 7 suspended at f1() f.c:10 on fd:7 for 970us
    Thread.sleep() java/lang/Thread.java:1
    read(int) r.cc:1
    client() /src/asio/client.cc:1
    app::serve::{async_fn#0} a.rs:1
    <app::S as core::future::future::Future>::poll() a.rs:1
    <tokio::time::sleep::Sleep as core::future::future::Future>::poll() tokio-1.0.0/src/sleep.rs:1
#0 8 runnable at f1() f.c:10 on fd:8 for 930us, woken by 7
    start_thread()
    std::__n4861::coroutine_handle<void>::resume() const /usr/include/c++/12/coroutine:1
    ct::promise_mixin::ct_suspending() /usr/include/corotrace.hpp:1
    woken by thread 12 "w12" at
      stdout_writer() w.c:1
2 tasks, 2 live coroutines
OUT
same expected actual
status 0 ct-bt --all --frames=own trace >again; same out again
sed 's/"ts":1000000070000,/"ts":1000000055000,/' trace >early; status 0 ct-bt --task=8 early >out
has '^#0 8 suspended at f1() f.c:10 on fd:8 for 940us$' out; has '^    woken 5.00us before it suspended, by thread 12 "w12" at$' out
status 0 ct-bt --all --frames=all trace >out; grep -c start_thread out >n; echo 3 >three; same three n
status 2 ct-bt --frames=some trace 2>err; has 'frames=some: bad argument' err
status 0 ct-bt --task=8 --json trace >out; has '"woken":1000000070000,"woken_by":7,"woken_at":\[{"func":"ct::promise' out
EOF

test_case "the runtime's own coroutines only where they are asked for; a running one waits for no reason" <<'EOF'
begin
for c in 1 2 3; do create $c $((c * 10)) $((c - 1)); resume $c $((c * 10 + 1)) 11; own suspend $c $((c * 10 + 2)) 11 false ',"site":1,"on":"chan:","reason":"chan receive"'; done
line name 50 '"tid":11,"probe_id":2,"name":"gc","role":"system"'; resume 1 60 11; end 1000
status 0 ct-bt --all trace >out; sed -n '/^#0/,$p' out >actual
cat >expected <<'OUT'
#0 1 running, last at f1() f.c:10 for 940us
#0 3 suspended at f1() f.c:10 on chan: for 968us (chan receive), child of 2
2 tasks, 3 live coroutines, the runtime's own left out (--system)
OUT
same expected actual
status 0 ct-bt --all --system trace >out; has '^3 tasks, 3 live coroutines$' out; has '^#0 2 "gc"' out
status 0 ct-bt --task=gc trace >out; has '^#0 2 "gc"' out
status 0 ct-bt --tree trace >out; has '  #1 2 "gc"\|^ *2 "gc"' out
EOF

done_testing
