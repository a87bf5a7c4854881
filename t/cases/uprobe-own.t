#!/bin/sh
# ct-uprobe with functions that the user names: fibres of C, and wakes of C++20 coroutines; and what the process itself does,
# descriptors closed and workers that sleep: each verdict that this proves by a bug that was put in, and its twin without.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/uprobe.sh"

cat >>"$scratch/.case-lib" <<'EOT'
# of each coroutine that lives: its address, and what it waits on
waiting() {
	jq -rn '
	[inputs] as $all |
	([$all[] | select(.ev == "state") | { key: "\(.probe_id)", value: .addr }] | from_entries) as $addr |
	([$all[] | select(.ev == "destroy") | { key: "\(.probe_id)", value: true }] | from_entries) as $over |
	[$all[] | select(.ev == "state" and ($over["\(.probe_id)"] | not))] | group_by(.probe_id)[] | last |
	"\(.addr) \(if .on == null then "-" elif .on | startswith("coro:") then $addr[.on[5:]] // "coro" else .on end)"' "$1" | sort
}
EOT
cc -O2 -g -pthread -o "$scratch/fibre" "$SRC/t/targets/uprobe-fibre.c" || exit 1
builds=
for cxx in g++ clang++ clang++-19; do
	for level in -O2 -O0; do
		command -v $cxx >/dev/null &&
			$cxx -std=c++20 $level -g -pthread -o "$scratch/bugs-$cxx$level" "$SRC/t/targets/uprobe-bugs.cc" 2>/dev/null && builds="$builds $cxx$level"
	done
done

fibres='--wake=fibre_wake:2 --resume=fibre_resume --destroy=fibre_end'
for how in '' --suspend=fibre_suspend; do
	test_case "fibres from their start ${how:-left where the function that resumes them returns}: as many resumes as the program counts" <<EOF
(sleep 1; echo; sleep 0.3) | status 0 ct-uprobe $fibres $how --target-stdout=own -o trace -- ../fibre 8
status 0 ct-check --strict trace >check
has ' 8 coroutines (0 live at the end)' check
[ "\$(grep -c '"ev":"resume"' trace)" -eq "\$(sed -n 's/^resumed //p' own)" ]
[ "\$(grep -c '"ev":"destroy"' trace)" -eq 8 ]
# Every other one is woken by its friend.
jq -n -e '[inputs | select(.ev == "wake" and .by)] | length > 10' trace
EOF
done

test_case 'fibres that run already: one that is woken, and that no worker is told of' <<EOF
begin ../fibre 8 drop
trace $fibres
echo >&3
wait_for grep -q ^dropped own
sleep 1.2
finish
accused asleep-workers dropped
exec 3>&-
wait_for grep -q ^resumed own
EOF

# BUG:VERDICT:HOW: the victim is the one, and proven
all='dropped:dropped-wake: asleep:asleep-workers: closed:closed-resource: closed:closed-resource:close_range
	closed:closed-resource:dup2 closed:closed-resource:io_uring closed:closed-resource:handle closed:closed-resource:kept
	closed:closed-resource:unwatched'
for cxx in $builds; do
	# All of them with these two; of the others what an awaiter has.
	bugs=closed:closed-resource:
	case $cxx${CHECK_ALL:+-all} in g++-O2 | clang++-O2 | *-all) bugs=$all ;; esac
	for bug in $bugs; do
		how=${bug##*:} verdict=${bug#*:}
		verdict=${verdict%:*}
		case $cxx:$bug in
		*:handle | *:kept | *:unwatched | *-wake: | *-workers:) ;;
		# Before clang 18 an optimiser takes awaiters apart: what epoll was given is known then.
		clang++-O2:*) continue ;;
		*:io_uring) [ "$(cat /proc/sys/kernel/io_uring_disabled 2>/dev/null)" = 0 ] || { skip_case "$cxx: $how" 'no io_uring here'; continue; } ;;
		esac
		test_case "$cxx: $verdict, proven, of the victim alone${how:+: $how}" <<EOF
begin ../bugs-$cxx ${bug%%:*} $how
trace --wake=app::schedule:2
echo >&3
wait_for grep -q ^happened own
sleep 1.2
finish
accused $verdict happened
echo >&3
status 0 wait \$pid
EOF
	done
	[ "$bugs" = "$all" ] || continue
	test_case "$cxx: closed-resource in a program that is started" <<EOF
mkfifo to
ct-uprobe --wake=app::schedule:2 --for=10s --target-stdout=own -o trace -- ../bugs-$cxx closed kept <to 2>err & tracer=\$!
exec 3>to
wait_for grep -qs ^ready own
echo >&3
wait_for grep -q ^happened own
wait_for grep -q '"ev":"end"' trace
echo >&3
status 0 wait \$tracer
tracer=
status 0 ct-check --strict trace >check
# What rests has its handle where another one's stands by now: that may be suspected.
ct-lostwake --json trace | grep proven >findings
[ \$(wc -l <findings) -eq 1 ]
addr=\$(sed -n 's/^happened 0x//p' own)
id=\$(jq -r --arg a "\$addr" 'select(.addr and (.addr | endswith(\$a))).probe_id' trace | head -1)
has '"verdict":"closed-resource"' findings
has "\"probe_id\":\$id," findings
EOF
	for how in '' kept; do
		test_case "$cxx: none of these${how:+, $how}: descriptors whose number is used again, late wakes, workers that sleep: nobody is accused" <<EOF
begin ../bugs-$cxx none $how
trace --wake=app::schedule:2
echo >&3
wait_for grep -q ^happened own
sleep 0.6
finish
status 0 ct-check --strict trace >check
status 0 ct-lostwake --fail-on=hint trace >findings
for ev in open close park unpark wake; do has "\"ev\":\"\$ev\"" trace; done
EOF
	done
done
# What ct-snap reads of awaiters is read here, too, by the same code.
for build in $builds; do
	cxx=${build%-O?}
	$cxx -std=c++20 -O${build##*-O} -g -o "$scratch/await-$build" "$SRC/t/targets/snap-await.cc" || exit 1
	test_case "$build: what awaiters say of locks, their owners, events, descriptors and who is over is what ct-snap says; so are the verdicts" <<EOF
begin ../await-$build
status 0 ct-snap -p \$pid >moment
trace
finish
status 0 ct-check --strict trace >check
for one in moment trace; do
	waiting \$one >\$one.on
	ct-lostwake --json \$one | jq -r '"\(.verdict) \(.certainty)"' | sort >\$one.found
done
[ \$(grep -c 'mutex\|cond\|fd' moment.on) -ge 5 ]
same moment.on trace.on
has 'deadlock proven' moment.found
same moment.found trace.found
EOF
done
[ "$builds" ] || skip_case 'C++20 coroutines' 'no compiler with coroutines'

test_case 'a name that is not there: what is called nearly so; nothing like it; one that is no argument' <<'EOF'
begin ../fibre 2
status 3 ct-uprobe -p $pid --resume=fiber_resume 2>err
has 'no function is called fiber_resume; there is fibre_resume' err
status 3 ct-uprobe -p $pid --resume=fibre_resume --wake=xyzzy_plugh_frobnicate 2>err
has 'no function is called xyzzy_plugh_frobnicate, nor nearly so' err
# A long namespace makes no name of four letters like another.
status 3 ct-uprobe -p $pid --wake=app::qzst 2>err
has 'no function is called app::qzst, nor nearly so' err
for bad in --wake=fibre_wake:7 --wake=fibre_wake:0 --resume= --suspend=:1 --wake=app::; do
	status 2 ct-uprobe -p $pid $bad 2>err
done
status 125 ct-uprobe --resume=fiber_resume -- ../fibre 2 2>err >out </dev/null
has 'there is fibre_resume' err
hasnt resumed err
EOF
done_testing
