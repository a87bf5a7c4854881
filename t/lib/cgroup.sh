# cgroup.sh - sourced, behind lib.sh: a cgroup of the test's own, whose limit of memory is the file $group/$limit; $group is empty where
# none can be made. `sh ../inside COMMAND` runs in it.
own=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
if [ -n "$own" ]; then
	group=/sys/fs/cgroup/memory${own%/}/corotrace-t.$$ limit=memory.limit_in_bytes
else
	group=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/corotrace-t.$$ limit=memory.max
fi
if mkdir "$group" 2>/dev/null; then
	trap 'cd /; rmdir "$group"; rm -rf "$scratch"' EXIT
	{ [ -e "$group/$limit" ] && echo 67108864 >"$group/$limit"; } 2>/dev/null || { rmdir "$group"; trap 'cd /; rm -rf "$scratch"' EXIT; group=; }
else
	group=
fi
export group limit
printf 'echo $$ >"$group/cgroup.procs" && exec "$@"\n' >"$scratch/inside"
cat >>"$scratch/.case-lib" <<'EOF'
# Of 32 MiB, what a program with sixty threads is not killed for: box-spin, $1, is asked for a box, and has rings for a half at most.
small_when_asked() {
	echo 33554432 >"$group/$limit"
	rm -f stop pid
	env -u CTP_BOX sh ../inside $1 2 1000 3 >emitted 2>spin.err &
	spinner=$!
	wait_for test -s pid
	pid=$(cat pid)
	timeout 60 ct-record -q -p $pid -o trace 2>err &
	recorder=$!
	wait_for grep -q '"ev":"suspend"' trace
	for fd in /proc/$pid/fd/*; do
		case $(readlink $fd) in
		/memfd:corotrace-box*) perl -e 'open F, "<:raw", $ARGV[0]; seek F, 0x58, 0; read F, $_, 8; my ($rings, $slots) = unpack "V2";
			print 64 * $rings * $slots, "\n"' $fd >size ;;
		esac
	done
	[ $(cat size) -gt 65536 ] && [ $(cat size) -le 16777216 ]
	touch stop
	status 0 wait $spinner
	status 0 wait $recorder
	status 0 ct-check trace >/dev/null
}
EOF
