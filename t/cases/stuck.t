#!/bin/sh
# ct-stuck: whatever has not ended, by state and place; a list, with its statuses.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"
cat >>"$scratch/.case-lib" <<'EOF'
mixed() {
	begin; create 1 100; create 2 110 1; line name 120 '"tid":11,"probe_id":2,"name":"conn"'
	resume 2 200 11; suspend 2 1000 12 fd:5 2; waiting 3 2000 fd:6 2; waiting 4 2000 fd:6 2; wake 4 3000 12 fd:6 2
	waiting 5 2000 fd:7 2; resume 5 2500 12; waiting 6 2000 fd:7; resume 6 2500 11; destroy 6 2600 11; end 1012000
}
EOF

test_case 'groups by state and place, the oldest first' <<'EOF'
mixed
status 1 ct-stuck trace >actual
cat >expected <<'OUT'
1 runnable at f2() f.c:20 on fd, oldest 1.01s
  4 on fd:6 for 1.01s, woken by coroutine 2, last on thread 11, line 17
2 suspended at f2() f.c:20 on fd, oldest 1.01s
  2 "conn" on fd:5 for 1.01s, child of 1, last on thread 12, line 11
  3 on fd:6 for 1.01s, last on thread 11, line 14
1 running at f2() f.c:20, oldest 1.01s
  5 for 1.01s, last on thread 12, line 22
1 never run, created, oldest 1.01s
  1 for 1.01s, last on thread 11, line 7
5 of 5 live coroutines listed
OUT
same expected actual
EOF

test_case 'a few of a group, all with --all' <<'EOF'
begin; for i in 1 2 3 4 5; do waiting $i ${i}000 fd:$i; done; end 9000
status 1 ct-stuck trace >out; has '  \.\.\. and 2 more (--all)' out; hasnt '  5 on' out
status 1 ct-stuck --all trace >out; has '  5 on fd:5' out; hasnt 'more' out
EOF

test_case '--name, --site, --min-age choose' <<'EOF'
mixed
status 1 ct-stuck --json --name=^conn$ trace >out
cat >expected <<'OUT'
{"state":"suspended","probe_id":2,"name":"conn","on":"fd:5","site":{"func":"f2","file":"f.c","line":20},"since":1000001000000,"age":1011000000,"tid":12,"parent":1,"line":11}
OUT
same expected out
status 0 ct-stuck --site=nowhere trace >out
status 1 ct-stuck --json --min-age=1011ms trace >out; grep -c . out >n; echo 2 >two; same two n
EOF

test_case '--at: the state at that moment' <<'EOF'
mixed
status 1 ct-stuck --json --at=+500us trace >out
cat >expected <<'OUT'
{"state":"running","probe_id":2,"name":"conn","site":null,"since":1000000200000,"age":300000,"tid":11,"parent":1,"line":10}
{"state":"created","probe_id":1,"site":null,"since":1000000100000,"age":400000,"tid":11,"line":7}
OUT
same expected out
EOF

test_case '--at: before the first event nothing is known' <<'EOF'
mixed
for at in 0 5 1000000000000; do
	early=0; [ $at = 1000000000000 ] || early=3
	status $early ct-stuck --name=none --at=$at trace >out; has '^0 of 0 live coroutines listed' out
	if [ $early = 3 ]; then has '; nothing was recorded so early$' out; else hasnt early out; fi
	status $early ct-bt --at=$at trace >out; status $early ct-stuck --json --at=$at trace >out
done
EOF

test_case '--at: what was lost before that moment is lost, wherever its line stands' <<'EOF'
begin; waiting 7 1000 fd:5; line lost 5000 '"tid":11,"count":2,"from":1000001100000,"to":1000002000000'; end 6000
status 3 ct-stuck --name=none --at=+2500us trace >out; status 3 ct-bt --at=+2500us trace >out
status 0 ct-stuck --name=none --at=+990us trace >out; status 0 ct-bt --at=+990us trace >out
EOF

test_case 'nothing listed: 0, and 3 where events are missing' <<'EOF'
begin; waiting 7 1000 fd:5; resume 7 2000 11; destroy 7 2100 11; end 3000
status 0 ct-stuck trace >out
sed '$d' trace | status 3 ct-stuck >out; has 'as of where the trace was cut' out
sed 's/"lost":0/"lost":4/' trace | status 3 ct-stuck >out
EOF

test_case 'the end line says that all states were told: who has none has ended, whatever was lost' <<'EOF'
begin; waiting 7 1000 fd:5; waiting 8 1100 fd:6; end 3000
sed '$d' trace >cut
cat >>cut <<'OUT'
{"ev":"lost","ts":2500,"tid":11,"count":40,"from":2000,"to":2500}
{"probe_id":8,"tid":12,"addr":"0x0000000000000008","seq":20,"is_active":false,"ts":2600,"ev":"state","n":10,"on":"fd:6"}
OUT
{ cat cut; echo '{"ev":"end","ts":3000,"events":4,"lost":40,"live":1}'; } >all
status 1 ct-stuck all >out
hasnt '^  7 ' out; has '^  8 ' out; has '1 of 1 live' out
{ cat cut; echo '{"ev":"end","ts":3000,"events":4,"lost":40}'; } >some
status 1 ct-stuck some >out
has '2 of 2 live' out
grep -v '"probe_id":8' all | sed 's/"live":1/"live":0/' >none
status 0 ct-stuck none >out
EOF

test_case 'a reason that was told of a wait later ends with it' <<'EOF'
begin; waiting 7 1000 ''
line state 1100 '"probe_id":7,"tid":11,"addr":"0x0","seq":6,"is_active":false,"n":3,"on":"fd:4","reason":"nap"'
status 1 ct-stuck --json --quiet trace >out; has '"on":"fd:4","reason":"nap"' out
resume 7 2000 11; suspend 7 3000 11 fd:5; status 1 ct-stuck --json --quiet trace >out; has '"on":"fd:5"' out; hasnt nap out
EOF

test_case 'usage, help, version, empty input, full disk' <<'EOF'
status 2 ct-stuck --nonsense 2>err; has '^ct-stuck: ' err
status 2 ct-stuck '--site=(' 2>err; has '^ct-stuck: ' err
status 0 ct-stuck --help >out; has 'example:' out
status 0 ct-stuck --version >out; has ct-stuck out
status 2 ct-stuck </dev/null 2>err; has '^ct-stuck: ' err
mixed; status 2 ct-stuck trace >/dev/full 2>err
EOF
done_testing
