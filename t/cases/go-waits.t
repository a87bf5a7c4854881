#!/bin/sh
# Go programs after published bugs, their mended twins, and healthy ones (t/go/waits): how many of the bugs ct-lostwake finds
# in their traces alone, and with the dump of goroutines that the collector's leak profile leaves; and that it accuses
# nothing else. The figures of share/doc/VERDICTS.md are those printed here.
. "${0%/*}/../lib/lib.sh"
PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || skip_all 'no Go toolchain'
case $(go env GOVERSION 2>/dev/null) in
go1.2[3-9]*) ;;
*) skip_all 'needs Go 1.23 or later' ;;
esac
export GOTOOLCHAIN=local GOFLAGS=-buildvcs=false GOPROXY=off
: "${GOCACHE:=${HOME:+$HOME/.cache/go-build}}" "${GOCACHE:=$scratch/go-cache}"
export GOCACHE
# Before 1.26 there is no leak profile, and the experiment has no such name.
(cd "$SRC/t/go/waits" && { GOEXPERIMENT=goroutineleakprofile timeout 500 go build -o "$scratch/waits" . ||
	timeout 500 go build -o "$scratch/waits" .; }) >"$scratch/build" 2>&1 ||
	{ sed 's/^/# /' "$scratch/build"; skip_all 'Go does not build the programs'; }
cat >>"$scratch/.case-lib" <<'EOF'
names() { ../waits | awk -v kinds="$1" 'kinds ~ $1 { print $2 }'; }
# Each program for three seconds, a dozen at a time.
late=
record() {
	n=0
	for name; do
		timeout 60 ../waits $name ../$late$name.trace 3 &
		n=$((n + 1)); [ $((n % 12)) -ne 0 ] || wait
	done
	wait
}
judge() {	# OPTIONS OF ct-fromgo, then the trace, as NAME.found; the status
	name=$1; shift
	status 0 ct-fromgo "$@" ../$late$name.trace >$name.jsonl
	got=0; ct-lostwake --json $name.jsonl >$name.found || got=$?
	echo $got
}
# One that should be accused of nothing: what else is there goes to `wrong`.
well() { [ $(judge "$@") -eq 0 ] || { echo "$@"; cat $1.found; } >>wrong; }
none_wrong() { [ ! -e wrong ] || { cat wrong >&2; exit 1; }; }
# Whom the programs of t/go/waits say so of the three rules cannot find: nothing in a trace parts these from a rest.
unseen='group-missing-done group-wait-in-loop send-after-timeout cond-lost-signal cond-one-of-two context-not-cancelled receive-nil receive-not-closed'
EOF

test_case 'mended twins and healthy programs: nobody is accused' <<'EOF'
record $(names 'fixed ok')
for name in $(names 'fixed ok'); do
	well $name
	[ ! -s ../$name.trace.goroutines ] || well $name --goroutines=../$name.trace.goroutines
done
none_wrong
echo "# healthy programs accused: 0 of $(names ok | wc -l), mended twins: 0 of $(names fixed | wc -l)" >../sums
EOF

test_case 'healthy programs, of which the trace begins in the midst: nobody is accused' <<'EOF'
late=late- WAITS_LATE=700ms; export WAITS_LATE
record $(names ok)
for name in $(names ok); do well $name; done
none_wrong
EOF

test_case 'bugs: what the traces alone tell' <<'EOF'
record $(names 'bug held')
for kind in bug held; do
	for name in $(names $kind); do echo $name $(judge $name); done >$kind
	echo "# $kind, by the trace alone: $(grep -c ' 1$' $kind) of $(wc -l <$kind)" >>../sums
done
for name in $(names 'bug held'); do
	case " $unseen " in *" $name "*) want=0 ;; *) want=1 ;; esac
	grep -qx "$name $want" bug held -h || { echo "$name: not $want"; cat $name.found; } >>wrong
done
none_wrong
grep -l '"verdict":"stuck-lock"' lock-*.found rw-*.found | wc -l >locks; echo 9 >want; same want locks
grep -l '"verdict":"stuck-send"' send-*.found | wc -l >sends; echo 4 >want; same want sends
grep -l '"verdict":"stuck-group"' group-*.found | wc -l >groups; echo 2 >want; same want groups
EOF

if "$scratch/waits" http "$scratch/probe.trace" 0.1 && [ -s "$scratch/probe.trace.leaks" ]; then
test_case "bugs: what Go's collector knows besides is proven" <<'EOF'
for name in $(names 'bug held'); do
	echo $name $(judge $name --goroutines=../$name.trace.leaks)
	grep -q '"verdict":"lost-waker","certainty":"proven"' $name.found && echo $name >>proven || :
done >all
# A stale pointer on a stack keeps one from being leaked now and then: then the trace tells of it all the same. A nil channel is
# waited on for ever by design, too, and stays ct-lint's.
grep -v '^receive-nil 0' all | grep -v ' 1$' >missed && { cat missed >&2; exit 1; }
[ $(wc -l <proven) -ge 15 ]
echo "# with the leak profile: $(grep -c ' 1$' all) of $(wc -l <all), of these proven $(wc -l <proven)" >>../sums
for name in $(names 'fixed ok'); do
	well $name --goroutines=../$name.trace.leaks
done
none_wrong
EOF
else
	skip_case "bugs: what Go's collector knows besides is proven" 'Go 1.26 has the leak profile'
fi
[ ! -e "$scratch/sums" ] || cat "$scratch/sums"

test_case 'a dump names the mutex and the WaitGroup, and no argument that may be stale' <<'EOF'
status 0 ct-fromgo --goroutines=../lock-order.trace.goroutines ../lock-order.trace >lines
status 0 ct-check lines >check
grep -c '"ev":"state".*"on":"mutex:0x[0-9a-f]*"' lines >n; echo 2 >want; same want n
status 0 ct-fromgo --goroutines=../group-missing-done.trace.goroutines ../group-missing-done.trace >lines
grep -c '"ev":"state".*"on":"join:0x[0-9a-f]*"' lines >n; echo 1 >want; same want n
cat >dump <<'D'
goroutine ID [sync.Mutex.Lock, 5 minutes, locked to thread]:
sync.runtime_SemacquireRWMutex(0x0?, 0x0?, 0x0?)
	/usr/local/go/src/runtime/sema.go:105 +0x25
sync.(*RWMutex).Lock(0xc000012345?)
	/usr/local/go/src/sync/rwmutex.go:153 +0x6a
D
id=$(ct-fromgo ../lock-order.trace | sed -n 's/.*"probe_id":\([0-9]*\),.*"name":"main.(\*store).flush".*/\1/p')
sed -i "s/ID/$id/" dump
status 0 ct-fromgo --goroutines=dump ../lock-order.trace >lines; hasnt 'c000012345' lines; has '"on":"mutex:","reason":"sync.Mutex.Lock, 5 minutes"' lines
# One on a nil channel is marked, and rests by design: also where the trace, which is younger, takes it for another wait.
sed -i '1s/\[.*/[chan send (nil chan) (leaked)]:/' dump
status 0 ct-fromgo --goroutines=dump ../lock-order.trace >lines; has '"reason":"chan send (nil chan) (leaked)"}' lines; hasnt '"leaked":' lines
EOF

test_case 'a hang that is older than the trace' <<'EOF'
for name in lock-order lock-twice rw-read-again; do
	WAITS_EARLY=1 timeout 60 ../waits $name old.trace 2
	ct-fromgo old.trace >lines
	status 1 ct-lostwake lines >out; has 'stuck-lock (suspected)' out
done
EOF

test_case 'what is no dump, and a dump for several traces, is refused' <<'EOF'
echo 'goroutine profile: total 5' >counts
status 2 ct-fromgo --goroutines=counts ../lock-order.trace 2>err; has 'counts: no goroutine stands in it' err
status 2 ct-fromgo --goroutines=nowhere ../lock-order.trace 2>err; has 'nowhere: No such file' err
status 2 ct-fromgo --goroutines=../lock-order.trace.goroutines ../lock-order.trace ../lock-twice.trace 2>err; has 'several' err
EOF
done_testing
