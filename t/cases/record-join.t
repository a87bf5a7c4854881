#!/bin/sh
# Processes at odd borders: of another pid namespace, without room for a connection, without rights. What they emit is
# printed, or they are counted, or refused in words; nothing is gone in silence.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

in_namespace="unshare -pf"
unshare -pf true 2>/dev/null || in_namespace="unshare -Urpf"
if $in_namespace true 2>/dev/null; then
	test_case 'another pid namespace: its threads keep their rings for as long as they live' <<EOT
# the second comes when the recorder has looked for dead threads, the third needs the rings of those that have ended
status 0 trace --threads=8 --on-full=block -- $in_namespace sh -c '
	rec-load count pulse 3 2500 & sleep 1.3; rec-load count pulse 3 1500 & wait; rec-load count pulse 3 300'
counted
[ \$lost = 0 ]
status 0 ct-check trace >/dev/null
same /dev/null err
# three processes, each under one number of its own, and three threads in each
grep '"ev":"process".*"path":"[^"]*/rec-load"' trace | grep -o '"pid":[0-9]*' | sort >processes
[ "\$(wc -l <processes)" = 3 ]
grep '"ev":"thread".*"name"' trace | grep -o '"tid":[0-9]*,"pid":[0-9]*' | sort -u >threads
[ "\$(wc -l <threads)" = 9 ]
cut -d, -f2 threads | sort -u >owners
same processes owners
EOT

	test_case 'another pid namespace: processes that are killed give their rings back' <<EOT
status 0 trace --threads=4 --on-full=block -- $in_namespace sh -c '
	for i in 1 2 3; do rec-load count killed 3 20000; sleep 1.5; done; rec-load count pulse 3 500'
counted 9
only_losses \$((lost > 0))
[ "\$(grep '"ev":"thread"' trace | grep -c '"ended":true')" -ge 3 ]
EOT

	test_case 'another pid namespace with a /proc of its own: the memory comes by the connection' <<EOT
status 0 trace --follow -- $in_namespace --mount-proc rec-join count fork
counted
[ \$emitted = 715 ] && [ \$lost = 0 ]
status 0 ct-check trace >/dev/null
same /dev/null err
EOT

	if [ -z "$SAN" ]; then		# whose runtime wants to be loaded first
		test_case 'it comes though signals come meanwhile, as those of a profiler' <<EOT
stormy
status 0 trace --follow -- sh late $in_namespace --mount-proc env LD_PRELOAD=./storm.so rec-join count fork
counted
[ \$emitted = 715 ] && [ \$lost = 0 ]
same /dev/null err
EOT
	fi
else
	skip_case 'another pid namespace with a /proc of its own: the memory comes by the connection' 'no namespaces here'
	skip_case 'another pid namespace: its threads keep their rings for as long as they live' 'no namespaces here'
	skip_case 'another pid namespace: processes that are killed give their rings back' 'no namespaces here'
fi

if unshare -Ur true 2>/dev/null; then
	test_case 'another user namespace, with call stacks: the memory comes by the connection, behind the hello' <<'EOT'
status 0 trace --stacks --follow -- unshare -Ur rec-join count fork
counted
[ $emitted = 715 ] && [ $lost = 0 ]
same /dev/null err
EOT
else
	skip_case 'another user namespace, with call stacks: the memory comes by the connection, behind the hello' 'no namespaces here'
fi

test_case 'a process has ended, though a child that it made by a raw clone(2) has its connection open: nobody waits in it' <<'EOT'
status 0 trace -- rec-join count held
counted
[ $lost = 0 ]
grep -c '"ev":"process".*"ended":true' trace >ends; echo 1 | same - ends
ct-lostwake --json trace >found || [ $? -eq 3 ]
same /dev/null found
EOT

# children WAY STATUS MESSAGES NAME [COMMAND]: what three children emit is there, besides what their parent does
children() {
	test_case "$4" <<EOT
got=0; trace --follow -- ${5:-} rec-join count $1 || got=\$?
[ \$got != 77 ] || { echo "may not do that here"; exit 0; }
[ \$got = $2 ] || { echo "status \$got" >&2; false; }
counted
[ \$lost = 0 ] && [ \$emitted -ge 715 ] || { cat sum err >&2; false; }
status 0 ct-check trace >/dev/null
case '$3' in
'') same /dev/null err ;;
*) has '$3' err; [ "\$(wc -l <err)" = 1 ] ;;
esac
EOT
}
children fork 0 '' 'children by fork()'
children clone 0 '' 'children by a raw clone(), which no hook of the C library sees'
children returns 0 '' 'a child by a raw clone() that returns from where its thread began: the ring stays with that thread'
children user 0 '3 processes could not connect' 'children after setuid(): no connection, but every event'
children late 0 '3 processes could not connect' 'so though they write nothing before their parent has ended, and then after more than a second'
# LeakSanitizer opens /proc/PID/task as a process ends, which these cannot, and makes of that status 1.
no_leaks=${SAN:+env ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0}
children root 0 '3 processes could not connect' 'children after chroot(): the same' "$no_leaks"
children inside 0 '4 processes could not connect' 'children after chroot() in another pid namespace: the same' "$no_leaks"
children inside-clone 0 '3 processes could not connect' 'so by a raw clone(), whose parent never wrote there' "$no_leaks"
children inside-session 0 '3 processes could not connect' 'so in sessions of their own, without a descriptor' "$no_leaks"
children descriptors 0 '3 processes could not connect' 'children of a process without a descriptor left: the same' "$no_leaks"
test_case 'the ends of children that could not connect are told, though the program ends right behind them' <<EOT
for way in user root descriptors; do
	rm -f count
	got=0; trace -- $no_leaks rec-join count \$way || got=\$?
	[ \$got != 77 ] || { echo "may not do that here"; exit 0; }
	grep -c '"ev":"process".*"ended":true' trace >ends; echo 3 | same - ends
done
EOT
children daemon 5 '' 'a daemon that closes all descriptors is followed until it ends'
if [ "${TSAN:-}" ]; then
	skip_case 'so one whose main thread has ended before' 'ThreadSanitizer forks from no other thread then'
else
	children daemon-threads 5 '' 'so one whose main thread has ended before' "$no_leaks"
fi
test_case 'so one of which nobody may see what it has mapped' <<EOT
hide=; [ \$(id -u) != 0 ] || hide='setpriv --bounding-set -sys_ptrace,-perfmon,-sys_admin'
\$hide true || { echo "may not do that here"; exit 0; }
for proc in '' 2 1; do		# nor that it is there
	[ -z "\$proc" ] || hide="unshare -pfm --mount-proc sh -c 'mount -o remount,hidepid=\$proc,gid=54321 /proc && exec \"\\\$@\"' sh \$hide"
	[ -z "\$proc" ] || eval "\$hide true" || continue
	rm -f count
	got=0; eval "\$hide ct-record -o trace --follow -- $no_leaks rec-join count daemon-hidden 2>err" || got=\$?
	[ \$got = 5 ]
	counted
	[ \$lost = 0 ] && [ \$emitted -ge 715 ]
	same /dev/null err
	hide=\${hide##*sh }
done
EOT
children moments 0 '' 'in a signal handler, in a destructor, at exit'

test_case 'a program that becomes another by exec() gives its rings back' <<'EOT'
status 0 trace --threads=32 -- rec-join count exec 100
counted
[ $emitted = 10403 ] && [ $lost = 0 ]
status 0 ct-check trace >/dev/null
same /dev/null err
EOT

for how in closed open; do
	test_case "what it becomes is judged by itself, and what it was until then, however late that is seen (descriptors $how)" <<EOT
status 0 trace -- rec-image $how
status 1 ct-lostwake --json trace >found
[ "\$(wc -l <found)" = 1 ]
has '"closed-resource","certainty":"proven".*"name":"third"' found
sed -n 's/.*"ended":true.*/ended/p; s/.*"ev":"process".*"path".*/program/p; s/.*"name":"\([a-z]*\)","role":"worker".*/\1/p' trace >order
tail -3 order | tr '\n' ' ' >last; printf 'ended ended third ' | same - last
[ "\$(grep -c program order)" = 3 ]
same /dev/null err
EOT
done

for slots in 65536 8; do
	test_case "so it is for --last, whose rings hold all of that or not (slots $slots)" <<EOT
status 3 ct-record --last=5s --ring-slots=$slots -o reports -- rec-image fails 2>err
[ "\$(grep -c '"ended":true' reports/*)" = 2 ]
status 1 ct-lostwake --json reports/* >found
[ "\$(wc -l <found)" = 1 ]
has '"closed-resource","certainty":"proven".*"name":"third"' found
EOT
done

if [ "${TSAN:-}" ]; then
	skip_case 'children by vfork(), whose memory is their parent'"'"'s' 'ThreadSanitizer makes it a fork'
else
	test_case 'children by vfork(), whose memory is their parent'"'"'s: what would be the first of a thread is counted, and all goes on as it was' <<'EOT'
for way in '' --on-full=block; do
	rm -f count
	status 0 trace --follow $way -- rec-join count vfork
	counted
	[ $emitted = 721 ] && [ $lost = 306 ]
	only_losses
	has '^ct-record: 306 events of threads that found no ring are lost' err
	hasnt 'scribbles\|could not connect' err
	[ $(grep '"ev":"process"' trace | grep -o '"pid":[0-9]*' | sort -u | wc -l) -eq 1 ]
done
EOT
fi

test_case 'three hundred children at once while the recorder stands still' <<'EOT'
status 0 trace --follow -- rec-join count crowd 300
counted
[ $lost = 0 ]
status 0 ct-check trace >/dev/null
same /dev/null err
[ "$(grep -c '"ev":"process".*"path"' trace)" = 302 ]	# its parent, and who wakes the recorder
EOT

test_case 'more processes than the recorder may have descriptors: none is taken for dead because it cannot be looked at' <<'EOT'
(ulimit -Sn 20; ulimit -Hn 20; status 0 trace --follow --threads=32 -- sh -c '
	i=0; while [ $i -lt 24 ]; do rec-load count pulse 1 800 & i=$((i + 1)); done; wait')
counted
[ $lost = 0 ]
status 0 ct-check trace >/dev/null
same /dev/null err
[ "$(grep -c '"ev":"process".*"path":"[^"]*/rec-load"' trace)" = 24 ]
EOT

test_case 'a child that was forked while another thread attached attaches for itself' <<'EOT'
[ -z "$SAN" ] || exit 0		# AddressSanitizer's malloc stays locked in a child for whom another thread had locked it
i=0
while [ $i -lt 15 ]; do
	rm -f count
	status 0 timeout 100 ct-record --follow -o trace -- rec-join count attaching 2>err
	counted
	[ $emitted = 102 ] && [ $lost = 0 ]
	i=$((i + 1))
done
EOT

test_case 'who may not read the memory is refused in words' <<'EOT'
setpriv --reuid 65534 --clear-groups true 2>/dev/null || { echo "may not change the user here"; exit 0; }
>count; chmod 666 count; exec 9<>count
got=0; trace -- setpriv --reuid 65534 --clear-groups "$(command -v rec-load)" /proc/self/fd/9 live 1 || got=$?
[ $got != 126 ] && [ $got != 127 ] || { echo "another user cannot run it here"; exit 0; }
[ $got = 97 ]
has 'ct: cannot attach: /proc/[0-9]*/fd/[0-9]*: Permission denied' err
EOT

done_testing
