#!/bin/sh
# ct-fromgo beside Go: programs of t/go/zoo are traced, and each transition of each goroutine must be the one that Go's own
# reader of traces finds; the verdicts on them; what is left by a program that is killed.
. "${0%/*}/../lib/lib.sh"
PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || skip_all 'no Go toolchain'
case $(go env GOVERSION 2>/dev/null) in
go1.2[2-9]*) ;;
*) skip_all 'needs Go 1.22 or later' ;;
esac
# Nothing is looked for on the network but the reader's module.
export GOTOOLCHAIN=local GOFLAGS=-buildvcs=false
: "${GOCACHE:=${HOME:+$HOME/.cache/go-build}}" "${GOCACHE:=$scratch/go-cache}"
export GOCACHE
(cd "$SRC/t/go/zoo" && timeout 500 go build -o "$scratch/zoo" .) >"$scratch/build" 2>&1 ||
	{ sed 's/^/# /' "$scratch/build"; skip_all 'Go does not build the programs'; }
cat >>"$scratch/.case-lib" <<'EOF'
zoo() { timeout 60 ../zoo "$1" trace.out "${2:-0.3}"; }
EOF
if (cd "$SRC/t/go/compare" && timeout 300 go build -o "$scratch/compare" .) >"$scratch/build" 2>&1; then
	reader=1
else
	sed 's/^/# /' "$scratch/build" | head -5
fi

for animal in $("$scratch/zoo"); do
	if [ -z "${reader:-}" ]; then
		skip_case "$animal: as Go's own reader finds it" 'golang.org/x/exp/trace cannot be had'
		continue
	fi
	test_case "$animal: as Go's own reader finds it" <<EOF
zoo $animal 0.05
status 0 ct-fromgo --syscalls=all trace.out >all
../compare trace.out all >&2
status 0 ct-check all >check
for which in blocking none; do
	status 0 ct-fromgo --syscalls=\$which trace.out >lines
	status 0 ct-check lines >check
done
EOF
done

for animal in $("$scratch/zoo" | grep '^ok-'); do
	test_case "$animal: nobody is accused" <<EOF
zoo $animal
ct-fromgo trace.out >lines
status 0 ct-lostwake lines >verdict
EOF
done

test_case 'of many at one place the one that is left over is a hint' <<'EOF'
zoo chan-nobody
ct-fromgo trace.out >lines
status 0 ct-lostwake lines >verdict
has '^1 coroutine: straggler (hint): main.receiver() ' verdict
EOF

test_case 'two that only ever woke each other, and wait for each other: suspected' <<'EOF'
zoo each-other
ct-fromgo trace.out >lines
status 1 ct-lostwake lines >verdict
grep -c '^1 coroutine: deadlock (suspected): main.eachOther' verdict >n; echo 2 >two; same two n
EOF

test_case 'a file is printed alike, whatever the times of the one before' <<'EOF'
"$O/t/fuzz/gotrace" --seeds . >/dev/null
zoo leak
ct-fromgo trace.out >one; ct-fromgo seed-26.trace >small
ct-fromgo trace.out seed-26.trace trace.out >three
cat one small one >want; same want three
EOF

test_case 'what waits for ever by construction is a lint, not an accusation' <<'EOF'
zoo ok-forever
ct-fromgo trace.out >lines
status 1 ct-lint --only=blocked-forever lines >lint
grep -c '^1 coroutine blocked for ever: main.okForever' lint >n; echo 2 >two; same two n
EOF

test_case 'goroutines that wait for a lock and a WaitGroup are listed with the line that waits, and not accused' <<'EOF'
zoo mutex-order
ct-fromgo trace.out >lines
status 1 ct-stuck --site=mutexOrder --min-age=100ms lines >stuck
has '^2 suspended at main.mutexOrder.func1() .*stuck.go:[0-9]* on mutex,' stuck
status 0 ct-lostwake lines >verdict
status 1 ct-stuck lines >stuck; hasnt '"runtime' stuck; has "the runtime's own left out" stuck
status 1 ct-stuck --all lines >stuck; has '"runtime.bgsweep"' stuck
has '"main.main" for [0-9.a-z]*, last on' stuck
status 0 ct-report lines >report; has '"main.mutexOrder' report; hasnt '"runtime' report
zoo waitgroup-short
ct-fromgo trace.out >lines
status 1 ct-stuck --min-age=100ms lines >stuck
has ' on join,' stuck
EOF

test_case 'what waits already when the trace begins: by its stack, since the beginning at least' <<'EOF'
zoo before
ct-fromgo trace.out >lines
status 1 ct-stuck --all lines >stuck
has 'sync.(\*Mutex).Lock() .* on mutex, oldest [3-9]' stuck
has 'main.receiver() .* on chan, oldest [3-9]' stuck
has ' on never, oldest [3-9]' stuck
has ' on cond, oldest [3-9]' stuck
has ' on timer, oldest [3-9]' stuck
status 0 ct-lostwake lines >verdict
EOF

test_case 'a killed program leaves whole generations, and what is lost is told' <<'EOF'
../zoo ok-timers trace.out 30 & sleep 1.7; kill -9 $!; wait $! 2>/dev/null || :
got=0; ct-fromgo trace.out >lines 2>err || got=$?
[ $got -eq 3 ] || [ $got -eq 0 ] || [ ! -s trace.out ]
[ $got -ne 3 ] || { has '"ev":"lost"' lines; has 'generation [0-9]*: byte [0-9]*:' err; }
EOF
done_testing
