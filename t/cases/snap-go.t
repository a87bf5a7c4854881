#!/bin/sh
# ct-snap: every goroutine as the program itself says it is: the line it waits at, on what, and which one; live and from a
# core; without debug information refused.
. "${0%/*}/../lib/lib.sh"
. "$SRC/t/lib/snap.sh"
PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || skip_all 'no Go toolchain'
export GOTOOLCHAIN=local GOFLAGS=-buildvcs=false
: "${GOCACHE:=${HOME:+$HOME/.cache/go-build}}" "${GOCACHE:=$scratch/go-cache}"
export GOCACHE
build() { (cd "$SRC/t/go/snap" && timeout 500 go build "$@" .) >"$scratch/build" 2>&1; }
build -o "$scratch/snap" || { sed 's/^/# /' "$scratch/build"; skip_all 'Go does not build the program'; }
build -ldflags=-w -o "$scratch/nodwarf" && build -ldflags='-s -w' -o "$scratch/bare"

cat >>"$scratch/.case-lib" <<'EOT'
# id, line, on: of the program's own goroutines, main apart
goroutines() {
	jq -rn '
	[inputs] as $all |
	([$all[] | select(.ev == "site") | { key: "\(.site)", value: . }] | from_entries) as $site |
	([$all[] | select(.ev == "name" and .role == "system") | { key: "\(.probe_id)", value: true }] | from_entries) as $system |
	$all[] | select(.ev == "state" and .probe_id != 1 and ($system["\(.probe_id)"] | not)) |
	"\(.probe_id) \($site["\(.site)"].line) \(.on // "any of \(.any_of)" | sub(":0x0*"; ":0x") | sub("(?<k>timer|fd|sem):.*"; "\(.k):"))"' "$1"
}
meant() {
	sed '$d' own | awk '
	BEGIN {
		on["recv"] = on["send"] = "chan:"; on["select"] = "any of 2"; on["never"] = "never:"; on["mutex"] = "mutex:"
		on["group"] = "sem:"; on["cond"] = "cond:"; on["sleep"] = "timer:"; on["socket"] = "fd:"
	}
	$1 != "leg" { print $1, $3, on[$2] ($4 == "0x0" ? "" : $4) }'
}
EOT

test_case 'line, object and kind of wait of each goroutine; who is the runtime'"'"'s' <<'EOF'
start ../snap
status 0 ct-snap -p $pid >trace 2>err
ls -l /proc/$pid/fd >fds
stop
meant | sort >expected
goroutines trace | sort >actual
[ $(wc -l <expected) -eq 13 ]
same expected actual
sed -n 's/^leg //p' own | sort >expected
jq -r 'select(.ev == "leg") | "\(.probe_id) \(.on | sub(":0x0*"; ":0x"))"' trace | sort >actual
same expected actual
has '"reason":"chan send (2 of 2)"' trace
has '"probe_id":1,.*"name":"main.main"}' trace
fd=$(sed -n 's/.*"on":"fd:\([0-9]*\)".*/\1/p' trace)
has " $fd -> socket:" fds
status 0 ct-check --strict trace >check
EOF

for version in go1.21.13 go1.23.12; do
	if [ -z "${CHECK_ALL:-}" ]; then
		skip_case "$version" 'CHECK_ALL is not set'
	elif ! GOTOOLCHAIN=$version build -o "$scratch/$version"; then
		skip_case "$version" 'that toolchain is not to be had here'
	else
		test_case "$version: line, object and kind of wait of each goroutine" <<EOT
start ../$version
status 0 ct-snap -p \$pid >trace 2>err
stop
meant | sort >expected
goroutines trace | sort >actual
[ \$(wc -l <expected) -eq 13 ]
same expected actual
EOT
	fi
done

# As where a package is of C: the linker is the system's, and the C compiler's objects have a table of units by address.
if CGO_ENABLED=1 build -ldflags=-linkmode=external -o "$scratch/cgo"; then
	test_case 'linked with objects of C' <<'EOF'
start ../cgo
status 0 ct-snap -p $pid >trace 2>err
stop
meant | sort >expected
goroutines trace | sort >actual
same expected actual
EOF
else
	skip_case 'linked with objects of C' 'no C compiler for Go'
fi

test_case 'a stack has inlined functions and callers' <<'EOF'
start ../snap
status 0 ct-snap -p $pid >trace 2>err
stop
jq -rn '[inputs] as $all | ([$all[] | select(.ev == "site") | { key: "\(.site)", value: .func }] | from_entries) as $site |
	$all[] | select(.ev == "stack") | [.sites[] | $site["\(.)"]] | join(" ")' trace >stacks
has 'sync.(\*Mutex).lockSlow .*sync.(\*Mutex).Lock main.main.func[0-9]* runtime.goexit' stacks
has 'main.deep main.deep main.deep main.deep main.main.gowrap1' stacks
EOF

test_case '20,000 goroutines: every one, and little more than their stacks is read, or by --limit nothing' <<'EOF'
start ../snap 20000
status 0 ct-snap -p $pid >trace 2>err
stop
[ "$(jq -r 'select(.ev == "end") | .live' trace)" -ge 20014 ]
mb=$(sed -n 's/.*copied \([0-9]*\)\..*/\1/p' err)
[ "$mb" -lt 60 ]
start ../snap 20000
status 3 ct-snap --limit=10 -p $pid >trace 2>err
stop
has 'more than 10 MB of memory' err
[ ! -s trace ]
EOF

if command -v gcore >/dev/null; then
	test_case 'the same from a core' <<'EOF'
start ../snap
gcore -o core $pid >log 2>&1 || { cat log >&2; false; }
core=core.$pid
stop
status 0 ct-snap $core >trace 2>err
meant | sort >expected
goroutines trace | sort >actual
same expected actual
EOF
	test_case 'a core whose list of who waits leads from each to each, and of goroutines without a number, or one that none has: it ends, and the trace is whole' <<'EOF'
command -v python3 >/dev/null || exit 0
start ../snap
gcore -o core $pid >log 2>&1 || { cat log >&2; false; }
mv core.$pid good
stop
status 0 ct-snap good >trace 2>err
jq -r 'select(.ev == "state") | .probe_id' trace >ids
go tool nm ../snap | awk '$3 == "runtime.semtable" || $3 == "runtime.allgs" { print $3, "0x" $1 }' >symbols
cat >cross.py <<'PY'
import struct
data = bytearray(open('good', 'rb').read())
loads = [struct.unpack_from('<IIQQQQ', data, 64 + 56 * i) for i in range(struct.unpack_from('<H', data, 56)[0])]
loads = [(at, start, size) for kind, _, at, start, _, size in loads if kind == 1]
def at(addr):
    return [o + addr - start for o, start, size in loads if start <= addr < start + size][0]
def word(addr):
    return struct.unpack_from('<Q', data, at(addr))[0]
def put(addr, v):
    struct.pack_into('<Q', data, at(addr), v)
symbol = { line.split()[0]: int(line.split()[1], 16) for line in open('symbols') }
roots = [symbol['runtime.semtable'] + i * 64 + 8 for i in range(251)]
a, b = [word(r) for r in roots if word(r)][:2]
for node, left, right in (a, b, a), (b, a, b):	# runtime.sudog: g, next, prev
    put(node + 8, left)
    put(node + 16, right)
gs = [word(word(symbol['runtime.allgs']) + 8 * i) for i in range(word(symbol['runtime.allgs'] + 8))]
ids = { int(line) for line in open('ids') }
number = [at for at in range(0, 400, 8) if ids <= { word(g + at) for g in gs }]
assert len(number) == 1
put([g for g in gs if word(g + number[0]) == max(ids)][0] + number[0], 0)
put([g for g in gs if word(g + number[0]) == min(ids)][0] + number[0], (1 << 64) - 1)
open('bad', 'wb').write(data)
with open('good', 'r+b') as good:	# from here on it does not hold its first goroutine's neighbourhood
    for i in range(struct.unpack_from('<H', data, 56)[0]):
        kind, _, _, start, _, size = struct.unpack_from('<IIQQQQ', data, 64 + 56 * i)
        if kind == 1 and start <= gs[0] < start + size:
            good.seek(64 + 56 * i + 32)
            good.write(bytes(8))
PY
python3 cross.py
[ -n "$SAN" ] || ulimit -v 4000000
status 0 timeout 60 ct-snap bad >trace 2>err
jq -r 'select(.ev == "state") | .probe_id' trace | sort -n >actual; sort -n ids | sed '1d; $d' >expected; echo $(($(tail -n 1 expected) + 1)) >>expected; same expected actual
status 0 ct-check --strict trace >check
status 0 timeout 60 ct-snap good >trace 2>err
has '^ct-snap: [0-9]* of them cannot be read: the core does not hold their memory$' err
has '"ev":"lost",.*"why":"memory that the core does not hold"' trace
status 3 ct-lostwake trace >out
EOF
else
	skip_case 'the same from a core' 'no gcore'
	skip_case 'a core whose list of who waits leads from each to each' 'no gcore'
fi

case $(cat /proc/sys/kernel/core_pattern 2>/dev/null) in
core)
	test_case 'the same from a core that the kernel wrote' <<'EOF'
ulimit -c unlimited || exit 0
start env GOTRACEBACK=crash ../snap
kill -ABRT $pid
wait $pid || :
pid=
core=$(ls core*)
status 0 ct-snap $core >trace 2>err
meant | sort >expected
goroutines trace | sort >actual
same expected actual
EOF
	;;
*) skip_case 'the same from a core that the kernel wrote' 'cores go elsewhere here' ;;
esac

test_case 'of a goroutine that waits a kilobyte is kept, not its whole stack' <<'EOF'
start ../snap 5000
status 0 ct-snap -p $pid >trace 2>err
stop
mb=$(sed -n 's/.*copied \([0-9]*\).* MB.*/\1/p' err)
[ "$mb" -lt 8 ] || { cat err >&2; false; }
[ "$(grep -c '"ev":"state"' trace)" -gt 5000 ]
EOF

test_case 'goroutines that run all the time: the stack is that of the wait that is shown' <<'EOF'
start ../snap busy
sed '$d' own | sort >expected
for i in $(seq 8); do
	status 0 ct-snap -p $pid >trace 2>err
	jq -rn '[inputs] as $all |
		([$all[] | select(.ev == "site") | { key: "\(.site)", value: .func }] | from_entries) as $site |
		([$all[] | select(.ev == "stack") | { key: "\(.stack)", value: [.sites[] | $site["\(.)"]] }] | from_entries) as $stack |
		$all[] | select(.ev == "state" and .stack and (.on // "" | startswith("chan:"))) |
		"\($stack["\(.stack)"][] | select(. == "main.left" or . == "main.right")) \(.on | sub(":0x0*"; ":0x"))"' trace >>seen
done
stop
[ $(wc -l <seen) -ge 40 ]
sort -u seen >actual
comm -13 expected actual >wrong
[ ! -s wrong ] || { cat wrong >&2; false; }
EOF

# The same bytes at both looks: by how often each ran it is known that it has.
test_case 'goroutines that run all the time: none has waited since the look before, though all stand where they stood' <<'EOF'
start ../snap busy
for i in 1 2 3 4 5; do
	status 0 ct-snap --again=200ms -p $pid >trace 2>err
	jq -rn '[inputs] as $all | [$all[] | select(.ev == "end")][0].ts as $last |
		$all[] | select(.ev == "state" and (.on // "" | startswith("chan:"))) | .ts < $last' trace >aged
	[ $(wc -l <aged) -ge 20 ]
	if hasnt true aged; then break; fi	# as on a machine so busy that it stood still
done
stop
hasnt true aged
EOF

# A lock that another got meanwhile is not stuck.
test_case 'goroutines that take their turns at a lock: nobody is suspected, who waits for seconds' <<'EOF'
start ../snap turns
for i in 1 2 3; do
	status 0 ct-snap --again=1100ms -p $pid >trace 2>err
	ct-lostwake --json trace >findings || [ $? -eq 3 ]
	jq -rs '.[] | .verdict' findings >>accused
done
stop
[ $(grep -c '"on":"mutex:' trace) -ge 20 ]
same /dev/null accused
EOF

test_case 'without debug information, or symbols: refused in words' <<'EOF'
start ../nodwarf
status 3 ct-snap -p $pid >trace 2>err
stop
has 'without debug information of its runtime: built with -ldflags=-w' err
start ../bare
status 3 ct-snap -p $pid >trace 2>err
stop
has 'a Go program without symbols: built with -ldflags=-s' err
[ ! -s trace ]
EOF
done_testing
