#!/bin/sh
# -o FILE, and what must not be written to a terminal.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
cat >>"$scratch/.case-lib" <<'EOF'
tiny() { begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; end 3000000; }
EOF

test_case '-o FILE is what standard output would be, and stays so where the name is odd' <<'EOF'
tiny
for p in ct-html ct-toperfetto ct-tochrome ct-tocsv ct-tosql ct-report ct-sym ct-where; do
	command -v $p >/dev/null || continue
	expr=; [ $p != ct-where ] || expr=.ts
	want=0; [ $p != ct-report ] || want=1
	status $want $p $expr trace >plain
	status $want $p $expr -o 'a b' trace >out; cmp plain 'a b'; [ ! -s out ]; rm 'a b'
	status $want $p $expr --output=other trace; cmp plain other
	status 2 $p $expr -o nowhere/file trace 2>err; has "^$p: nowhere/file: No such file" err
	status 2 $p $expr -o trace trace 2>err; has "^$p: trace: it is the input, too" err; [ -s trace ]
	status 2 $p $expr -o trace <trace 2>err; [ -s trace ]
	status 2 $p $expr -o '' trace 2>err
	status 2 $p $expr -o /dev/full trace 2>err
done
EOF

test_case 'colours go to a file only where they are asked for' <<'EOF'
tiny
status 1 ct-report --format=text --color=auto -o a trace; status 1 ct-report --color=always --format=text -o b trace
hasnt "$(printf '\033')" a; has "$(printf '\033')" b
EOF

if command -v python3 >/dev/null; then
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
