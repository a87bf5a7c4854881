#!/bin/sh
# ct-lostwake: its report, options and status. Its verdicts are tested by judge-*.t, a kind a file, and what is no verdict by lostwake-untold.t.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"

test_case 'many behind one: one finding, that counts them, and --all names them' <<'EOF'
# three wait for a lock whose holder ended; three behind one that was forgotten, and one that joins one of these
begin; create 1 10; resume 1 20 11; lock acquire 30 1 mutex:1
waiting 7 1000 mutex:1; waiting 8 1100 mutex:1; waiting 9 1200 mutex:1
destroy 1 2000 11; create 2 2010; resume 2 2020 11; lock acquire 2030 2 mutex:2
suspend 2 2040 11 fd:5; line close 2050 '"tid":12,"on":"fd:5"'
waiting 17 3000 mutex:2 2; waiting 18 3100 mutex:2 2; waiting 19 3200 mutex:2 2; waiting 20 3300 join:18 3
end 3000000
verdict 1 "closed-resource proven 2" "dead-owner proven 7"
has '"behind":4,"behind_ids":\[19,18,17,20\]' out.json
has '"behind":2,"behind_ids":\[' out.json
status 1 ct-lostwake trace >text
has '4 wait behind it' text
has '2 wait behind it' text
has '2 findings: 2 proven, 8 coroutines live' text
hasnt 'waits behind it, on' text
status 1 ct-lostwake --all trace >text
has '^    coroutine 20 waits behind it, on join:18' text
[ "$(grep -c 'waits behind it, on' text)" = 6 ]
ct-report --format=sarif trace >sarif || :
has '"behind":4}' sarif
EOF

test_case 'a proof beats a suspicion; one verdict a coroutine' <<'EOF'
begin; create 7 10; resume 7 20 11; wake 7 50 12 fd:5; suspend 7 100 11 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; end 3000000
verdict 1 "closed-resource proven 7"
EOF

test_case 'the printed report groups what has one cause, and ends in a summary' <<'EOF'
begin; line name 5 '"tid":11,"probe_id":8,"name":"conn 8"'; waiting 7 1000 fd:5; waiting 8 1000 fd:6
line name 1500 '"tid":11,"probe_id":8,"name":"conn \u001b8"'
line close 1002000 '"tid":12,"on":"fd:5","site":3'; line close 1003000 '"tid":12,"on":"fd:6","site":3'; end 2001000
status 1 ct-lostwake trace >actual
cat >expected <<'OUT'
2 coroutines: closed-resource (proven): f1() f.c:10
  what they wait on was closed and nobody woke them
  to do: resume its waiters before it is closed, as before close(fd), on every path that closes it
  coroutine 7 waits on fd:5 for 2.00s; closed at +1.002000s by worker thread 12 "w12" (f3() f.c:30) [lines 10, 15]
  coroutine 8 "conn \x1b8" waits on fd:6 for 2.00s; closed at +1.003000s by worker thread 12 "w12" (f3() f.c:30) [lines 13, 16]

2 findings: 2 proven, 2 coroutines live, 2.00s traced
OUT
same expected actual
status 1 ct-lostwake --color=always trace >coloured; has '1;31m2 coroutines' coloured
status 1 ct-lostwake --name=conn trace >some; has '^1 finding: 1 proven' some; hasnt 'coroutine 7' some
status 0 ct-lostwake --site=elsewhere trace >none
status 0 ct-lostwake --min-age=5s trace >none
status 0 ct-lostwake --grace=5s trace >none
EOF

test_case 'one cause is told once, wherever those wait whom it befell; the most befallen first' <<'EOF'
closes() { line close $1 "\"tid\":12,\"on\":\"fd:$2\",\"site\":$3"; }
begin; for i in 1 2 3; do waiting 2$i 100$i fd:$i $i; done; waiting 24 1004 fd:4 3
closes 2001 1 3; closes 2002 2 1; closes 2003 3 3; closes 2004 4 3; end 3000000
status 1 ct-lostwake --top=1 trace >out
has '4 findings: 4 proven, 2 causes at 3 suspension points, ' out
sed -n '/coroutines*: closed-resource/{p;q}' out >first; has '^3 coroutines' first
EOF

test_case 'the manual explains each verdict, and no other; each has words of its own' <<'EOF'
ct-lostwake --verdicts >list
grep -v '^ ' list | cut -d' ' -f1 | sort >in-table
sed -n '/^\.Ss Verdicts/,/^\.El/s/^\.It Cm //p' $SRC/filters/ct-lostwake/ct-lostwake.1 | sort >in-manual
[ $(wc -l <in-table) -gt 10 ] && same in-table in-manual
[ $(grep -c '^  help: .' list) -eq $(wc -l <in-table) ] && [ -z "$(sort list | uniq -d)" ]
EOF

test_case '--fail-on: what is only suspected, and the status' <<'EOF'
begin; waiting 7 1000 sem:5
line level 2000 '"tid":12,"on":"sem:5","value":2'; end 3000000
verdict 1 'ready-resource suspected 7'
status 1 ct-lostwake --fail-on=suspected trace
status 1 ct-lostwake --fail-on=hint trace
status 0 ct-lostwake --fail-on=proven trace
status 2 ct-lostwake --fail-on=unknown trace
status 0 ct-report --fail-on=proven trace
EOF

test_case 'a clean bill is status 0, and inconclusive where something is missing' <<'EOF'
begin; waiting 7 1000 fd:5; end 3000000
status 0 ct-lostwake trace >out; has '^0 findings: 1 coroutine live, none forgotten, 3.00s traced$' out
sed '$d' trace | status 3 ct-lostwake >out; has 'inconclusive where the trace was cut' out; has '^  to do: ' out
EOF

test_case 'nor is it one where the line is missing that says how it was recorded, or that ends how it stood' <<'EOF'
headless() { status 3 ct-lostwake trace >out; has "inconclusive where $1\$" out; hasnt 'proven)\|suspected)' out; status 1 ct-check trace >out; has "^  $1\$" out; status 0 ct-sched trace >out; has "^$1: " out; }
for close in '' 'line close 4000 "\"tid\":12,\"on\":\"fd:5\""'; do
	begin; waiting 7 1000 fd:5; eval "$close"; end 3000000; sed -i 1d trace; headless 'its meta line is missing'
	begin; waiting 7 1000 fd:5; eval "$close"; end 3000000; sed -i '1s/}$/,"attached":true}/' trace; headless 'its attach line is missing'
done
EOF

test_case 'what was lost is advised about as it can be prevented: of a program that is run, and of one that runs already' <<'EOF'
begin; waiting 7 1000 fd:5; line lost 1500 '"count":3,"from":1000,"to":1500'; end 3000000
status 3 ct-lostwake trace >out; has '^  to do: record once more with --on-full=block' out
sed -i -e '1s/}$/,"attached":true}/' -e '1a {"ev":"attach","ts":1000000900,"pid":1,"states":0,"older":0,"unknown":0}' trace
status 3 ct-lostwake trace >out; has '^  to do: .*CTP_BOX=1,slots=N' out; hasnt 'on-full' out
EOF

test_case 'who waits for what nobody is shown to bring is counted, and the status is 0 all the same' <<'EOF'
rest() { end 3000000; status 0 ct-lostwake trace >out; has ", 3.00s traced$1\$" out; status 0 ct-report --format=text trace >out; has ", 3.00s traced$1" out; }
begin; waiting 7 1000 fd:5; waiting 8 1000 timer:9000000000; waiting 9 1000 coro:7; waiting 10 2950000 chan:6
rest ''
begin; waiting 7 1000 chan:5
rest '; 1 still waits, for 3.00s: ct-stuck lists it'
begin; waiting 7 1000000 chan:5; waiting 8 500000 cond:6; waiting 9 1000 join:8; waiting 10 600000 coro:99
rest '; 3 still wait, the longest 2.50s: ct-stuck lists them'
begin; create 7 10; resume 7 20 11; several any_of 7 1000 chan:5 fd:6
rest ''
begin; create 7 10; resume 7 20 11; several all_of 7 1000 chan:5 fd:6
rest '; 1 still waits, for 3.00s: ct-stuck lists it'
# a timer that was switched off comes no more, alone or beside what may not come either; one of which nobody says when it ends does
off() { line deadline 1500 "\"tid\":12,\"probe_id\":7,\"on\":\"timer:$1\""; }
begin; waiting 7 1000 timer:9000000000; off ''
rest '; 1 still waits, for 3.00s: ct-stuck lists it'
begin; waiting 7 1000 timer:9000000000; off $(ns 9500000)
rest ''
begin; waiting 7 1000 timer:
rest ''
begin; create 7 10; resume 7 20 11; several any_of 7 1000 chan:5 timer:9000000000; off ''
rest '; 1 still waits, for 3.00s: ct-stuck lists it'
# its process is known to have lived for 90 ms of its wait, and was seen to be gone later
begin; waiting 7 2500000 chan:5; line exit 3000000 "\"pid\":1,\"status\":0,\"alive\":$(ns 2590000)"
rest ''
begin; waiting 7 2500000 chan:5; line exit 3000000 "\"pid\":1,\"status\":0,\"alive\":$(ns 2690000)"
rest '; 1 still waits, for 500ms: ct-stuck lists it'
begin; waiting 7 1000 chan:5; line level 2000 '"tid":12,"on":"sem:5","value":2'; waiting 8 3000 sem:5; line close 4000 '"tid":12,"on":"chan:5"'; end 3000000
status 1 ct-lostwake trace >out; has ', 3.00s traced$' out
EOF

test_case '--proven-only counts no suspicion; ids are stable' <<'EOF'
begin; waiting 7 1000 sem:5; line level 2000 '"tid":12,"on":"sem:5","value":2'; end 3000000
status 0 ct-lostwake --proven-only trace >out
status 1 ct-lostwake --json trace >a; status 1 ct-lostwake --json <trace >b; same a b
EOF

test_case 'usage, help, version, empty input, full disk' <<'EOF'
status 2 ct-lostwake --nonsense 2>err; has '^ct-lostwake: ' err
status 2 ct-lostwake --grace=soon 2>err; has '^ct-lostwake: ' err
status 0 ct-lostwake --help >out; has 'example:' out; has 'Status: ' out
status 0 ct-lostwake --version >out; has ct-lostwake out
status 2 ct-lostwake </dev/null 2>err; has '^ct-lostwake: ' err
status 2 ct-lostwake no-such-file 2>err; has no-such-file err
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; end 3000000
status 2 ct-lostwake trace >/dev/full 2>err
EOF

test_case '--allow names places that may wait for ever' <<'EOF'
begin; waiting 7 1000 fd:5; create 8 1000; resume 8 1010 12; suspend 8 1100 12 fd:6 2
line close 2000 '"tid":12,"on":"fd:5"'; line close 2000 '"tid":12,"on":"fd:6"'; end 3000000
status 1 ct-lostwake trace >out
has '^2 findings' out
printf '# the accept loop\n\n^f1() f\\.c:10$\n' >allow
status 1 ct-lostwake --allow=allow trace >out
sed 's/$/\r/' allow >crlf; status 1 ct-lostwake --allow=crlf trace | diff - out
has '^1 finding:' out
hasnt 'f1() f.c:10' out
echo 'f2 ' >more
status 0 ct-lostwake --allow=allow --allow=more trace >out
status 2 ct-lostwake --allow=none trace 2>err
has '^ct-lostwake: none: No such file' err
printf 'f1\n[\n' >bad
status 2 ct-lostwake --allow=bad trace 2>err
has '^ct-lostwake: bad:2: ' err
printf '# UTF-16\n f\0001\0\n' >wide; status 2 ct-lostwake --allow=wide trace 2>err >out; has '^ct-lostwake: wide:2: a NUL' err
status 2 timeout 20 ct-lostwake --allow=/dev/zero trace 2>err >out; has '^ct-lostwake: /dev/zero: more than 16 MiB' err
status 2 ct-lostwake --allow=. trace 2>err >out; has '^ct-lostwake: .: Is a directory' err
EOF
done_testing
