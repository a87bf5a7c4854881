#!/bin/sh
# A cgroup with little memory: the recorder makes do with less, says so, and what that loses is counted; nobody is killed.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/record.sh"

[ -z "$SAN" ] || skip_all 'sanitizers take memory of their own'
own=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
if [ -n "$own" ]; then
	group=/sys/fs/cgroup/memory${own%/}/corotrace-t.$$ limit=memory.limit_in_bytes
else
	group=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/corotrace-t.$$ limit=memory.max
fi
mkdir "$group" 2>/dev/null || skip_all 'may not make a cgroup here'
trap 'cd /; rmdir "$group"; rm -rf "$scratch"' EXIT
{ [ -e "$group/$limit" ] && echo 67108864 >"$group/$limit"; } 2>/dev/null || skip_all 'no memory limits in cgroups here'
export group

test_case '64 MiB and forty threads, each of which would fill a ring of 4 MiB' <<'EOT'
cat >inside <<'END'
echo $$ >"$group/cgroup.procs" && exec "$@"
END
status 0 timeout 100 sh inside ct-record -o trace -- rec-load count crowd 40 70000 2>err
counted
only_losses $((lost > 0))
has 'the memory of this cgroup is limited to 64 MiB: rings of [0-9]* events for [0-9]* threads' err
status 0 timeout 100 sh inside ct-record -q -o trace -- true 2>err
same /dev/null err
EOT

done_testing
