#!/bin/sh
# ct-snap by the number of C++20 frames, of tokio's tasks and of goroutines: how long the process stands still, how long it all
# takes, and the memory of ct-snap. Beside the frames gdb with a script that looks for the same ones, and for nothing else of
# them. The pause is that of this machine as busy as it is: look at several runs. What has no toolchain here is left out. The
# environment: O (build directory), CXX, COUNTS (a list).
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
PATH=$PATH:/usr/local/go/bin
: "${O:=$src/build}" "${CXX:=c++}" "${COUNTS:=1000 100000 1000000}"
dir=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -KILL $pid; rm -rf "$dir"' EXIT

# a command's seconds and its peak in MB, behind what its output lines that begin with `frames` say
cat >"$dir/cost.py" <<'EOF'
import resource, subprocess, sys, time
t = time.monotonic()
p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
said = [l.split()[1] for l in p.stdout if l.startswith('frames ')]
p.wait()
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print(*said, '%.2f %d' % (time.monotonic() - t, u.ru_maxrss // 1024))
sys.exit(p.returncode)
EOF

row() { printf '%-12s %8s %10s %10s %8s %8s\n' "$@"; }

begin() {	# PROGRAM ARG...
	"$@" >"$dir/own" 2>/dev/null &
	pid=$!
	until grep -qs '^ready' "$dir/own"; do kill -0 $pid; sleep 0.1; done
}
end() {
	kill -KILL $pid
	wait $pid 2>/dev/null || :
	pid=
}
look() {	# KIND
	for run in 1 2 3; do
		python3 "$dir/cost.py" "$O/ct-snap" -p $pid 2>"$dir/err" >"$dir/cost"
		row "$1" "$(sed -n 's/^ct-snap: \([0-9]*\) \(C++20\|tokio\|gor\).*/\1/p' "$dir/err")" \
			"$(sed -n 's/.*paused \([^,]*\),.*/\1/p' "$dir/err")" \
			"$(sed -n 's/.*copied \(.*\)/\1/p' "$dir/err" | tr -d ' ')" $(cat "$dir/cost")
	done
}
# It stops the process from the moment it attaches: its pause is all of that, reading symbols included.
look_gdb() {
	nm "$dir/frames" >"$dir/nm"
	NM=$dir/nm python3 "$dir/cost.py" gdb -q -batch -nx -p $pid -x "$src/t/bench/snap-gdb.py" 2>/dev/null >"$dir/cost"
	read -r frames seconds peak <"$dir/cost"
	row gdb "$frames" "<=${seconds}s" - "$seconds" "$peak"
}

row what number pause copied seconds 'peak MB'
$CXX -std=c++20 -O2 -g -o "$dir/frames" "$src/t/targets/snap-cc.cc"
for count in $COUNTS; do
	begin "$dir/frames" $((count / 3))
	look C++20
	[ $count -gt 100000 ] || ! command -v gdb >/dev/null || look_gdb
	end
done
if command -v cargo >/dev/null && CARGO_TARGET_DIR=$O/rust CARGO_PROFILE_RELEASE_DEBUG=2 \
	cargo build -q --release --locked --manifest-path "$src/t/rust/Cargo.toml" --features unprepared --bin snap >&2; then
	for count in $COUNTS; do
		begin "$O/rust/release/snap" $count
		look tokio
		end
	done
fi
if command -v go >/dev/null && (cd "$src/t/go/snap" && GOTOOLCHAIN=local go build -buildvcs=false -o "$dir/go" .) >&2; then
	for count in $COUNTS; do
		begin "$dir/go" $count
		look Go
		end
	done
fi
