#!/bin/sh
# -o FILE, and what must not be written to a terminal.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
cat >>"$scratch/.case-lib" <<'EOF'
tiny() { begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; end 3000000; }
EOF

test_case '-o FILE is what standard output would be, and stays so where the name is odd' <<'EOF'
tiny
for p in ct-fold ct-html ct-toperfetto ct-tochrome ct-tocsv ct-tosql ct-report ct-sym ct-where; do
	command -v $p >/dev/null || continue
	expr=; [ $p != ct-where ] || expr=.ts
	want=0; [ $p != ct-report ] || want=1
	status $want $p $expr trace >plain
	status $want $p $expr -o 'a b' trace >out; cmp plain 'a b'; [ ! -s out ]; rm 'a b'
	status $want $p $expr --output=other trace; cmp plain other
	status $want $p $expr -o - trace >out; cmp plain out; [ ! -e - ]
	status 2 $p $expr -o nowhere/file trace 2>err; has "^$p: nowhere/file: No such file" err
	status 2 $p $expr -o trace trace 2>err; has "^$p: trace: it is the input, too" err; [ -s trace ]
	status 2 $p $expr -o trace <trace 2>err; [ -s trace ]
	# two of them went on until the disk was full
	for from in copy -; do
		cp trace copy
		(ulimit -f 2000; status 2 $p $expr $from <copy >>copy 2>err)
		has "^$p: <stdout>: it is the input, too" err; cmp trace copy
	done
	status 2 $p $expr -o '' trace 2>err
	status 2 $p $expr -o /dev/full trace 2>err; has "^$p: /dev/full: No space left on device" err
done
EOF

test_case 'a pipe that another has made non-blocking is waited for, to be read and to be written to' <<'EOF'
begin
for i in $(seq 3000); do waiting $i $((i * 1000)) fd:5; done
end 9000000
mkfifo in out
for p in 'ct-stuck --all' ct-tocsv ct-tochrome 'ct-bt --all'; do
	want=0; $p <trace >plain || want=$?
	exec 3<>out
	dd iflag=nonblock count=0 <&3 2>/dev/null
	{ sleep 0.5; cat; } <out 3>&- >got & reader=$!
	status $want $p trace >&3
	exec 3>&-
	wait $reader
	cmp plain got
	{ sleep 0.3; cat trace; } >in & writer=$!
	exec 3<in
	dd iflag=nonblock count=0 <&3 2>/dev/null
	status $want $p <&3 >got
	exec 3<&-
	wait $writer
	cmp plain got
done
EOF

test_case 'with closed standard streams nothing but the product gets into a file, and what is not written to stdout needs none' <<'EOF'
tiny; { echo garbage; cat trace; } >bad
same_when() {	# "PROGRAM ARGUMENTS..." PRODUCT: a file or directory
	rm -rf $2; eval "cat bad | $1" 2>err || [ $? -eq 1 ]; has '1: not a JSON object' err; rm -rf plain; mv $2 plain
	for streams in '2>&-' '>&-' '>&- 2>&-'; do
		got=0; eval "cat bad | $1 $streams" 2>err || got=$?
		[ $got -le 1 ]; diff -r plain $2 >&2; rm -r $2
	done
}
for p in ct-fold ct-html ct-toperfetto ct-tochrome ct-tocsv ct-tosql ct-report ct-sym 'ct-where .ts'; do
	! command -v ${p%% *} >/dev/null || same_when "$p -o to" to
done
same_when 'ct-tocsv --partition=to' to
! command -v gnuplot >/dev/null || ! command -v ct-plot >/dev/null || same_when 'ct-plot states -o x.svg' x.svg
EOF

test_case 'a closed stdout is said in the same words by all' <<'EOF'
tiny
for p in ct-bt ct-fold ct-html ct-lostwake ct-stuck ct-tochrome ct-tocsv ct-tosql 'ct-where .ts'; do
	! command -v ${p%% *} >/dev/null || { status 2 $p <trace >&- 2>err; has "^${p%% *}: <stdout>: Bad file descriptor" err; }
done
EOF

test_case 'a limit of files'"'"' size is an error like a full disk' <<'EOF'
begin; for i in $(seq 1 200); do waiting $i 1000 fd:$i; done; end 3000000
for p in 'ct-bt --all' ct-html ct-toperfetto ct-tochrome ct-tocsv ct-tosql ct-report ct-sym 'ct-where .ts' 'ct-stuck --all' 'ct-plot states'; do
	command -v ${p%% *} >/dev/null || continue
	(ulimit -f 1; status 2 $p trace 2>err >to); has "^${p%% *}: <stdout>: File too large" err
done
(ulimit -f 1; status 2 ct-tocsv --partition=d trace 2>err); has '^ct-tocsv: d: File too large' err; [ -z "$(find d -type f)" ]
EOF

test_case 'a stack of 64 KB is enough' <<'EOF'
[ -z "$SAN" ] || exit 0		# whose frames are larger
tiny
for p in ct-bt ct-check ct-fold ct-html ct-lint ct-lostwake ct-report ct-sched ct-stuck ct-sym ct-tochrome ct-tocsv ct-toperfetto ct-tosql 'ct-where .ts'; do
	command -v ${p%% *} >/dev/null || continue
	$p trace >expected 2>&1 || [ $? -eq 1 ]
	(ulimit -s 64; $p trace >actual 2>&1) || [ $? -eq 1 ]
	cmp expected actual
done
(ulimit -s 64; status 0 ct-check --probe -- $O/t/targets/probe-driver >out)
! command -v gnuplot >/dev/null || ! command -v ct-plot >/dev/null || (ulimit -s 64; status 0 ct-plot states -o x.svg trace)
EOF

test_case 'a span that ends before it begins is refused, and a zero that is refused is not said to lack a unit' <<'EOF'
tiny
for p in ct-fold ct-sched ct-tochrome ct-toperfetto 'ct-plot states'; do
	command -v ${p%% *} >/dev/null || continue
	for span in '--from=+2s --to=+1s' '--from=7 --to=6' '--to=+0 --from=+0'; do
		status 2 $p $span trace 2>err >out; has "^${p%% *}: --to: not after --from" err; [ ! -s out ]
	done
	status 0 $p --from=+1ns --to=+2ns trace >out
	status 0 $p --from=+1ns --to=18446744073709551615 trace >out
done
for bad in 0 0s; do status 2 ct-check --timeout=$bad --probe true 2>err; has "^ct-check: --timeout=$bad: bad argument" err; done
status 2 ct-check --timeout=7 --probe true 2>err; has 'needs a unit' err
EOF

# JSON is printed to terminals, too.
test_case 'in JSON, controls and what turns the direction of writing are escaped; what else is no ASCII is not' <<'EOF'
begin; waiting 7 1000 fd:5; line name 1500 "$(printf '"tid":11,"probe_id":7,"name":"1\302\2332\342\200\2563\330\2344\342\201\2465\302\2406é"')"
line close 2000 '"tid":12,"on":"fd:5"'; end 3000000
for p in ct-lostwake ct-stuck "ct-bt --all" ct-report; do
	$p --json trace >out || :
	has '"1\\u009b2\\u202e3\\u061c4\\u20665.6é"' out
done
printf '{"ev":"meta","ts":%s,"format":"corotrace","version":2,"command":["a\342\200\256","\302\233é\177"],"host":"\342\200\256"}\n' $(ns 0) >meta
sed 1d trace | cat meta - | ct-report --json >out || :
has '"command":\["a\\u202e","\\u009bé\\u007f"\],"host":"\\u202e"' out
EOF

test_case 'colours go to a file only where they are asked for' <<'EOF'
tiny
status 1 ct-report --format=text --color=auto -o a trace; status 1 ct-report --color=always --format=text -o b trace
hasnt "$(printf '\033')" a; has "$(printf '\033')" b
EOF

test_case 'numbers, durations and times on a command line, and statuses, at their limits' <<'EOF'
status 0 "$O/t/unit/options" >out || { grep -A1 '^not' out >&2; exit 1; }
EOF

if command -v python3 >/dev/null; then
	test_case 'on a terminal, and only there, long lines are broken between words under their indentation' <<'EOF'
cat >wide.py <<'PY'
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if not pid:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 24, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
screen = b''					# whole: a read may end within \r\n
try:
    while out := os.read(fd, 65536):
        screen += out
except OSError:
    pass
os.write(1, screen.replace(b'\r\n', b'\n'))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
# Each line's rows: as full as words allow, the further ones four columns further in, but no further than the middle.
cat >rows.py <<'PY'
import sys
width, rows = int(sys.argv[1]), open(sys.argv[3]).read().split('\n')
inset = lambda s: len(s) - len(s.lstrip(' '))
for line in open(sys.argv[2]).read().split('\n'):
    row, first = rows.pop(0), inset(line)
    assert inset(row) == first, (line, row)
    said = row.split()
    while said != line.split():
        following = rows.pop(0)
        assert inset(following) == min(first + 4, width // 2), (line, following)
        assert len(row) + 1 + len(following.split()[0]) > width, (row, following)
        assert len(row) <= width or len(row.split()) == 1, row
        row = following
        said += row.split()
assert not rows
PY
begin; long="$(printf '%0100d' 7)"; create 7 900; line name 950 '"tid":11,"probe_id":7,"name":"ein K\u00f6nig '$long'"'
resume 7 980 11; suspend 7 1000 11 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; end 3000000000
unset COLUMNS; export NO_COLOR=1
for p in ct-bt ct-lostwake ct-stuck; do
	want=1 all=; [ $p != ct-bt ] || { want=0 all=--all; }
	status $want $p $all trace >plain; [ "$(awk 'length > 60' plain | wc -l)" -gt 0 ]
	status $want python3 wide.py 60 $p $all trace >screen; has "$long" screen
	[ "$(awk 'length > 60 && !/'$long'/' screen)" = '' ]
	tr -s ' \n' ' ' <plain >words; tr -s ' \n' ' ' <screen | cmp - words; python3 rows.py 60 plain screen
	status $want python3 wide.py 1000 $p $all trace >screen; cmp screen plain
	status $want python3 wide.py 0 $p $all trace >screen; cmp screen plain
	status $want env COLUMNS=1000 python3 wide.py 60 $p $all trace >screen; cmp screen plain
done
for p in ct-lostwake ct-stuck; do
	status 1 python3 wide.py 60 $p --color=never trace >screen; status 1 python3 wide.py 60 $p --color=always trace >colours
	sed "s/$(printf '\033')\[[0-9;]*m//g" colours | cmp - screen
	status 1 $p --json trace >plain; status 1 python3 wide.py 60 $p --json trace >screen; cmp screen plain
done
# without the colours that it shows elsewhere
for p in ct-lostwake ct-stuck; do
	status 1 env -u NO_COLOR TERM=xterm python3 wide.py 60 $p trace >colours; has "$(printf '\033')" colours
	status 1 env -u NO_COLOR TERM=dumb python3 wide.py 60 $p trace >screen
	sed "s/$(printf '\033')\[[0-9;]*m//g" colours | cmp - screen
done
# deeper in than the terminal is wide
begin; for i in $(seq 1 40); do waiting $i 1000 "coro:$((i + 1))"; done; waiting 41 1000 fd:5; end 2000
status 0 ct-bt --tree trace >plain; [ "$(sed -n 's/^\( *\).*/\1/p' plain | awk 'length > 40' | wc -l)" -gt 0 ]
status 0 python3 wide.py 40 ct-bt --tree trace >screen; tr -s ' \n' ' ' <plain >words; tr -s ' \n' ' ' <screen | cmp - words
[ "$(grep -c . screen)" -gt "$(grep -c . plain)" ]
status 0 ct-sched trace >plain; status 0 python3 wide.py 60 ct-sched trace >screen; cmp screen plain
EOF

	test_case 'a page, a protobuf and a JSON for viewers are not written to a terminal; text is' <<'EOF'
tiny
on_terminal() { python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$@"; }
for p in ct-html ct-toperfetto ct-tochrome; do
	command -v $p >/dev/null || continue
	status 2 on_terminal $p trace >screen; has "^$p: standard output is a terminal: name a file with -o" screen; [ $(wc -l <screen) -eq 1 ]
	status 0 on_terminal $p -o file trace >screen; [ ! -s screen ]; [ -s file ]
	status 0 on_terminal $p --help >screen
done
status 1 on_terminal ct-report trace >screen; has 'corotrace report' screen
EOF
fi
done_testing
