#!/bin/sh
# ct-lostwake: what loss, gaps, bad lines and truncation leave of a verdict.
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../lib/judge.sh"

test_case 'loss after the suspend, a bad line, or a cut trace make it unknown, status 3' <<'EOF'
story() { begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; }
story; line lost 5000 '"tid":12,"count":3,"from":1000004000000,"to":1000005000000'; end 3000000
verdict 3 "closed-resource unknown 7"
story; line lost 5000 '"probe_id":7,"count":3,"from":1000004000000,"to":1000005000000'; end 3000000
verdict 3 "closed-resource unknown 7"
story; echo '{"probe_id":7' >>trace; line sync 4000; end 3000000
verdict 3 "closed-resource unknown 7" 2>err
# until when it may have been, a line without a time does not say, nor one that comes late, as the first of end()
story; echo '{"probe_id":7' >>trace; echo '{"ev":"site","site":4,"func":"f4","file":"f.c","line":40}' >>trace; line sync 4000; end 3000000
verdict 3 "closed-resource unknown 7" 2>err
story; echo '{"probe_id":7' >>trace; end 3000000
verdict 3 "closed-resource unknown 7" 2>err
story; line sync 3000000
verdict 3 "closed-resource unknown 7"
story; line end 3000000 '"events":4,"lost":9'
verdict 3 "closed-resource unknown 7"
EOF

test_case 'lines out of order, or doubled since they were written, prove nothing and are not green' <<'EOF'
# Of two coroutines, one waits for $1 and the other ends; then a sed.
story() {
	begin; line notify 1 '"tid":11,"on":"cond:0xffff","woken":1'
	create 8 900; resume 8 910 11; create 7 980; resume 7 990 11; suspend 7 1000 11 "$1"
	line close 2000 '"tid":12,"on":"fd:5"'; destroy 8 2500 11
	line end 3000000 '"events":8,"lost":0,"lines":{"suspend":1,"close":1,"notify":1}'
	sed -i "$2" trace
}
story fd:5; verdict 1 "closed-resource proven 7"
story fd:6; verdict 0
while read -r how; do
	story fd:5 "$how"; verdict 3 "closed-resource unknown 7" 2>err
	story fd:6 "$how"; verdict 3 2>err
	for p in ct-lostwake ct-stuck\ --site=none ct-report ct-top ct-lint ct-bt\ --task=9; do status 3 $p trace >out; done
	status 3 ct-lostwake trace >out
	has 'inconclusive where lines are out of order, or stand twice$' out
	for p in ct-lint ct-sched; do $p trace >out || :; has 'lines are out of order, or stand twice' out; hasnt 'were lost' out; done
	status 1 ct-check trace >out
done <<X
/"probe_id":8.*"ev":"resume"/p
/"ev":"suspend"/p
/"ev":"close"/p
/"ev":"notify"/p
/"probe_id":8.*"ev":"destroy"/s/"n":3/"n":2/
/"probe_id":8.*"ev":"destroy"/s/"n":3/"n":1/
/"probe_id":8.*"ev":"destroy"/s/"ts":1000002500000/"ts":1000000909999/
/"probe_id":7.*"ev":"suspend"/s/"ts":1000001000000/"ts":1000000989999/
/"probe_id":8.*"ev":"create"/{h;d};/"probe_id":7.*"ev":"create"/{p;x}
X
# A time that stands is none that falls.
story fd:5 '/"probe_id":7.*"ev":"suspend"/s/"ts":1000001000000/"ts":1000000990000/'; verdict 1 "closed-resource proven 7"
EOF

test_case 'a time that is not there is no evidence, and not green; a number that is not there stands in seq' <<'EOF'
story() { begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; line end 3000000 '"events":4,"lost":0'; sed -i "$1" trace; }
story; verdict 1 "closed-resource proven 7"
story '/"ev":"resume"/s/,"n":2//'; hasnt '"ev":"resume","n"' trace
verdict 1 "closed-resource proven 7"
for how in 's/"ts":[0-9]*,//' 's/"ts":[0-9]*/"ts":0/'; do
	story "/\"ev\":\"close\"/$how"; verdict 3 2>err
	has 'trace:[0-9]*: \(no "ts"\|impossible: ts 0\)$' err
	status 1 ct-check trace >out
done
EOF

test_case 'loss before it came, or of another coroutine, changes nothing' <<'EOF'
begin; line lost 500 '"tid":12,"count":3,"from":1000000400000,"to":1000000500000'
waiting 8 800 fd:9; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'
line lost 5000 '"probe_id":8,"count":3,"from":1000004000000,"to":1000005000000'; end 3000000
verdict 1 "closed-resource proven 7"
EOF

test_case 'a gap in n hides what stands before it, of that coroutine' <<'EOF'
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; waiting 8 1000 fd:6
n_8=9; resume 8 6000 11; suspend 8 6100 11 fd:6; line close 7000 '"tid":12,"on":"fd:6"'; end 3000000
verdict 1 'closed-resource proven 7' 'closed-resource proven 8'
# Where more is missing than the gap says, it may be a resume of 7; but not where a state line tells that it waits.
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; waiting 8 1000 fd:6
n_8=4; resume 8 6000 11; suspend 8 6100 11 timer:99; line lost 6200 '"tid":11,"count":3,"from":5000,"to":'$(ns 6200)
cp trace some; line end 3000000 '"events":0,"lost":3'
verdict 3 'closed-resource unknown 7'
cp some trace; seq=6
for c in 7 8; do
	printf '{"probe_id":%s,"tid":11,"addr":"0x0000000000000000","seq":%s,"is_active":false,"ts":%s,"ev":"state","n":%s,"site":1,"on":"%s"}\n' \
		$c $([ $c = 7 ] && echo 6 $(ns 1000) 3 fd:5 || echo 12 $(ns 6100) 6 timer:99) >>trace
done
line end 3000000 '"events":0,"lost":3,"live":2'
verdict 1 'closed-resource suspected 7'
has 'lost events after that' out.json
EOF

test_case 'lines that vanished are known by kind, and touch only whom they could concern' <<'EOF'
counted() {	# KIND COUNT: the trace, whose end line counts so many
	begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'
	line end 3000000 '"events":4,"lost":0,"lines":{"create":1,"resume":1,"suspend":1,"close":1'"$1}"
}
counted ''; verdict 1 'closed-resource proven 7'
counted ',"thread":2,"site":3'; verdict 1 'closed-resource proven 7'
counted ',"park":9'; verdict 1 'closed-resource proven 7'
counted ',"wake":1'; verdict 3 'closed-resource unknown 7'
counted ',"thread":3'; verdict 3 'closed-resource unknown 7'
# a thread that acts and was never introduced
begin; waiting 7 1000 fd:5; line process 500 '"pid":1'; line close 2000 '"tid":13,"on":"fd:5"'; end 3000000
verdict 3
EOF

test_case 'lines that were taken out and not declared are a loss' <<'EOF'
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; line end 3000000 '"events":5,"lost":0'
verdict 3 "closed-resource unknown 7"
begin; waiting 7 1000 fd:5; line close 2000 '"tid":12,"on":"fd:5"'; line end 3000000 '"events":4,"lost":0'
verdict 1 "closed-resource proven 7"
EOF

test_case '`state` lines set the last state after loss' <<'EOF'
begin; waiting 7 1000 fd:5; line lost 3000 '"tid":12,"count":5,"from":1000002000000,"to":1000003000000'
line close 5000 '"tid":12,"on":"fd:6"'
printf '{"probe_id":7,"tid":12,"addr":"0x0000000000000000","seq":10,"is_active":false,"ts":%s,"ev":"state","n":5,"site":1,"on":"fd:6"}\n' \
	"$(ns 4000)" >>trace
end 3000000
verdict 1 "closed-resource proven 7"
EOF
test_case 'woken while it still ran: not where it may have waited meanwhile, in lines that were lost' <<'EOF'
# The wake ended the wait that began at 1000. $1: what is known of later waits.
story() {
	begin; waiting 7 1000 chan:1; wake 7 2000 12 chan:1; line level 2001 '"tid":12,"on":"chan:1","value":1'
	$1; lost 12 4100 4200; state 7 ${n_7} $at 11 chan:1; end 3000000
}
unseen() { lost 11 2001 4000; n_7=9 at=3999; }
gap() { lost 11 2001 3990; n_7=8 at=3999; suspend 7 3999 11 chan:1; }
story unseen; verdict 3 "missed-wake unknown 7"
story gap; verdict 3 "missed-wake unknown 7"
# Its run is there: it does wait, and only why is open.
seen() { resume 7 2100 11; wake 7 2150 12 chan:1; line level 2151 '"tid":12,"on":"chan:1","value":1'; suspend 7 2200 11 chan:1; at=2200; }
story seen; verdict 1 "missed-wake suspected 7"
EOF

test_case 'who has a lock may have given it back in lines that were lost, while he ran' <<'EOF'
# 8 takes the lock, and ends; $1: what is lost
owner() {
	begin; create 8 100; resume 8 110 11; lock acquire 120 8 mutex:1; suspend 8 130 11 timer:1000000500000; wake 8 500 12; $2; resume 8 510 12
	$1; destroy 8 600 12; waiting 7 1000 mutex:1; lost 11 1500 1600; state 7 3 1000 11 mutex:1; end 3000000
}
owner; verdict 1 "dead-owner suspected 7"
owner 'lost 11 520 530'; verdict 1 "dead-owner suspected 7"		# not where he runs
owner : 'lost 12 501 505'; verdict 1 "dead-owner suspected 7"
owner 'lost 12 520 530'; verdict 3 "dead-owner unknown 7"
owner 'eval n_8=7'; verdict 3 "dead-owner unknown 7"
# 1 and 2 take a lock each, and wait for the other's
cross() {
	begin
	for c in 1 2; do create $c 10$c; resume $c 11$c 1$c; lock acquire 12$c $c mutex:$c; suspend $c 13$c 1$c timer:1000000500000; done
	$1; for c in 1 2; do wake $c 50$c 12; resume $c 51$c 1$c; done
	$2; suspend 1 601 11 mutex:2; suspend 2 602 12 mutex:1; lost 12 700 710; at=602; $3
	state 1 $n_1 601 11 mutex:2; state 2 $n_2 $at 12 mutex:1; end 3000000
}
cross; verdict 1 "deadlock suspected 1"
cross 'lost 11 150 160'; verdict 1 "deadlock suspected 1"
cross : 'lost 11 520 530'; verdict 3 "deadlock unknown 1"
cross 'eval n_1=5'; verdict 3 "deadlock unknown 1"
cross : : 'eval n_2=9 at=705'; verdict 3 "deadlock unknown 1"
# Channels: whoever else puts there, or takes, may have done so in what was lost, whenever that was.
alone() {
	begin; create 1 100; resume 1 110 11; for v in 2 1 1; do line level 12$v "\"tid\":11,\"by\":1,\"on\":\"chan:5\",\"value\":$v"; done
	$1; suspend 1 190 11 chan:5; $2; state 1 3 190 11 chan:5; end 3000000
}
alone; verdict 1 "deadlock suspected 1"
alone : 'lost 12 700 710'; verdict 3 "deadlock unknown 1"
alone 'lost 12 150 160'; verdict 3 "deadlock unknown 1"
EOF

test_case 'a level that what was lost may have taken back is no ground, though who waits is known to wait' <<'EOF'
pool() {
	begin; line level 5 '"tid":12,"on":"sem:1","value":0'; waiting 7 1000 sem:1; line level 2000 '"tid":12,"on":"sem:1","value":1'
	line lost $1 "\"tid\":11,\"count\":5,\"from\":$(ns 0),\"to\":$(ns $1)"
	printf '{"probe_id":7,"tid":11,"addr":"0x0000000000000000","seq":6,"is_active":false,"ts":%s,"ev":"state","n":3,"site":1,"on":"sem:1"}\n' \
		"$(ns 2990000)" >>trace
	end 3000000
}
pool 4000; verdict 3 "ready-resource unknown 7"
EOF

test_case 'what came while no worker ran is kept up to a limit: when workers run again, more than that may have woken who waited before' <<'EOF'
shut() { waiting $1 $2 fd:$1; line close $(($2 + 100)) "\"tid\":12,\"on\":\"fd:$1\""; }
# while two workers have ended, so many lines of another thread; then a worker comes, and one waits again
nobody_runs() {
	begin; line thread 5 '"tid":13,"pid":1,"name":"main","role":"other"'; shut 7 1000
	for tid in 11 12; do line park 2000000 "\"tid\":$tid,\"depth\":0"; line thread 2000100 "\"tid\":$tid,\"pid\":1,\"ended\":true"; done
	awk -v n=$1 'BEGIN { for (i = 0; i < n; i++) printf "{\"ev\":\"level\",\"ts\":1002001%06d,\"tid\":13,\"on\":\"sem:%d\",\"value\":0}\n", i, i }' >>trace
	line thread 2500000 '"tid":14,"pid":1,"name":"w14","role":"worker"'; $2; end 5000000
}
again() { line park 2500001 '"tid":14,"depth":0'; create 8 2500002; resume 8 2500003 14; suspend 8 2500010 14 fd:8; line close 2500100 '"tid":13,"on":"fd:8"'; line park 2500200 '"tid":14,"depth":0'; }
nobody_runs 20000 again
verdict 1 "closed-resource proven 8" "closed-resource unknown 7"
has 'too many events came while no worker ran' out.json
nobody_runs 16000 again
verdict 1 "closed-resource proven 7" "closed-resource proven 8"
nobody_runs 20000 :
verdict 1 "closed-resource proven 7"
EOF
done_testing
