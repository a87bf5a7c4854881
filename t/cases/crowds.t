#!/bin/sh
# Very many threads, processes, sites, numbers chosen to meet: time stays linear, memory bounded. Nothing here measures how fast
# anything is: a limit on the processor's seconds stands a hundred times above what is needed, and far below what the
# square of so many would take.
. "${0%/*}/../lib/lib.sh"

cat >>"$scratch/.case-lib" <<'EOF'
crowd() { "$O/t/bench/crowd" "$@"; }
bounded() { (ulimit -t 60; "$@"); }	# seconds
# The peak of memory in kB of a program that reads stdin.
peak() { "$O/t/bench/run" sums "$@" >/dev/null || :; tail -1 sums | cut -d' ' -f3; }
EOF

test_case 'a hundred thousand threads came and went: who is accused is found without walking over them' <<'EOF'
crowd threads 200000 >trace
bounded status 0 ct-lostwake trace >out
bounded status 0 ct-report trace >out
EOF

# 0.04 s; 1.4 s where the lane of each new thread goes through all widths with all of its cells.
test_case 'a thousand threads in a page' <<'EOF'
crowd threads 1000 >trace
(ulimit -t 1; status 0 ct-html trace >out)
EOF

test_case 'thirty thousand processes, alive and ended' <<'EOF'
crowd processes 30000 >trace	# who is woken there is never run
bounded status 3 ct-lostwake --quiet trace >out
crowd ended 30000 >trace
bounded status 0 ct-lostwake --quiet trace >out
EOF

test_case 'two hundred thousand sites' <<'EOF'
crowd sites 200000 >trace
bounded status 0 ct-lint trace >out
EOF

test_case 'three hundred thousand coroutines that run on one thread at once' <<'EOF'
crowd nested 300000 >trace
for p in ct-tochrome ct-toperfetto; do bounded status 0 $p trace >out; done
EOF

# 0.1 to 0.9 s; 20 to 200 s where each line looks at all locks, waiters, coroutines or lost threads.
for kind in holder closed started lossy; do
	export kind
	test_case "a hundred thousand of what one line may be about: $kind" <<'EOF'
crowd $kind 100000 >trace
got=0; (ulimit -t 10; ct-lostwake --grace=0 trace >out) || got=$?
[ $got -le 3 ] && [ $got -ne 2 ]
EOF
done

# 0.1 to 0.2 s; 20 to 70 s where each asks all who have, or all who want, what it wants.
for kind in readers permits writers; do
	export kind
	test_case "forty thousand that have the one thing that forty thousand want: $kind" <<'EOF'
crowd $kind 40000 >trace
(ulimit -t 5; status 3 ct-lostwake --quiet trace >out)
EOF
done

test_case 'numbers chosen to meet in the tables do not' <<'EOF'
crowd collide 100000 >trace
for p in ct-stuck ct-lostwake ct-check ct-html; do
	got=0; bounded $p trace >out || got=$?
	[ $got -le 1 ]
done
EOF

test_case 'what comes after the workers have stopped is kept up to a limit' <<'EOF'
for n in 100000 1000000; do crowd teardown $n | peak ct-lostwake >peak.$n; done
crowd teardown 100000 | status 0 ct-lostwake >out
[ -n "$SAN" ] || [ $(cat peak.1000000) -le $(($(cat peak.100000) + 2000)) ]
EOF

test_case 'and is given back when they go on' <<'EOF'
for n in 10000 100000; do crowd naps $n | peak ct-lostwake >peak.$n; done
[ -n "$SAN" ] || [ $(cat peak.100000) -le $(($(cat peak.10000) + 2000)) ]
EOF

test_case 'and where workers come back after more than that, no verdict claims to know' <<'EOF'
crowd comeback 1000 | status 0 ct-lostwake >out
crowd comeback 100000 | status 3 ct-lostwake >out; has 'too many events came while no worker ran' out
EOF

# 0.2 s; 20 s where each is held against all others of its process.
test_case 'a hundred thousand mappings of one process' <<'EOF'
awk 'BEGIN { for (i = 0; i < 100000; i++)
	printf("{\"ts\":%d,\"ev\":\"map\",\"pid\":1,\"start\":\"0x%x\",\"end\":\"0x%x\",\"offset\":0,\"path\":\"/none/%d\"}\n", i + 1, 8192 * (i + 1), 8192 * (i + 1) + 4096, i) }' >trace
(ulimit -t 5; status 0 ct-sym trace >out)
same trace out
EOF

test_case 'nothing that is printed depends on the seed of the tables' <<'EOF'
crowd processes 2000 >trace
for p in ct-lostwake ct-stuck ct-html ct-report ct-bt ct-sched ct-lint; do
	"$O/$p" trace >one || :
	"$O/$p" trace >two || :
	same one two
done
EOF
done_testing
