#!/bin/sh
# ct-snap by the number of C++20 frames: how long the process stands still, how long it all takes, and the memory of ct-snap.
# Beside it gdb with a script that looks for the same frames, and for nothing else of them. The pause is that of this machine
# as busy as it is: look at several runs. The environment: O (build directory), CXX, CHAINS (of three frames each, a list).
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
: "${O:=$src/build}" "${CXX:=c++}"
dir=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -KILL $pid; rm -rf "$dir"' EXIT
$CXX -std=c++20 -O2 -g -o "$dir/frames" "$src/t/targets/snap-cc.cc"
printf '%10s %10s %10s %10s %10s\n' frames pause copied seconds 'peak MB'
for chains in ${CHAINS:-333 33333 333333}; do
	"$dir/frames" $chains >"$dir/own" &
	pid=$!
	until grep -qs '^ready' "$dir/own"; do sleep 0.1; done
	for run in 1 2 3; do
		python3 - "$O/ct-snap" $pid 2>"$dir/err" >"$dir/cost" <<'EOF'
import resource, subprocess, sys, time
t = time.monotonic()
p = subprocess.run([sys.argv[1], '-p', sys.argv[2]], stdout=subprocess.DEVNULL)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print('%.2f %d' % (time.monotonic() - t, u.ru_maxrss // 1024))
sys.exit(p.returncode)
EOF
		pause=$(sed -n 's/.*paused \([^,]*\),.*/\1/p' "$dir/err")
		copied=$(sed -n 's/.*copied \(.*\)/\1/p' "$dir/err" | tr -d ' ')
		frames=$(sed -n 's/^ct-snap: \([0-9]*\) C++20.*/\1/p' "$dir/err")
		printf '%10s %10s %10s %10s %10s\n' "$frames" "$pause" "$copied" $(cat "$dir/cost")
	done
	# gdb stops the process from the moment it attaches: its pause is all of that, reading symbols included.
	if [ $chains -le 33333 ] && command -v gdb >/dev/null; then
		nm "$dir/frames" >"$dir/nm"
		NM=$dir/nm python3 - "$src/t/bench/snap-gdb.py" $pid 2>"$dir/err" >"$dir/cost" <<'EOF'
import resource, subprocess, sys, time
t = time.monotonic()
p = subprocess.run(['gdb', '-q', '-batch', '-nx', '-p', sys.argv[2], '-x', sys.argv[1]], stdout=subprocess.PIPE,
	stderr=subprocess.DEVNULL, text=True)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
frames = [l.split()[1] for l in p.stdout.splitlines() if l.startswith('frames ')]
print('%s %.2f %d' % (frames[0] if frames else '-', time.monotonic() - t, u.ru_maxrss // 1024))
EOF
		read -r frames seconds peak <"$dir/cost"
		printf '%10s %10s %10s %10s %10s  gdb\n' "$frames" "<=${seconds}s" - "$seconds" "$peak"
	fi
	kill -KILL $pid
	wait $pid 2>/dev/null || :
	pid=
done
