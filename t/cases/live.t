#!/bin/sh
# live.t - a program whose input pauses has written what it made of the lines so far: pipes of them are live.
. "${0%/*}/../lib/lib.sh"
mkdir "$scratch/seeds" && "$O/t/fuzz/gotrace" --seeds "$scratch/seeds" || exit 1

cat >"$scratch/begin" <<'EOF'
{"ev":"meta","ts":1,"format":"corotrace","version":2,"tool":"t"}
{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":2,"is_active":false,"ts":5,"ev":"create","n":1}
{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":2,"is_active":true,"ts":6,"ev":"resume","n":2}
{"ev":"open","ts":7,"tid":9,"on":"fd:4242"}
{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":2,"is_active":false,"ts":8,"ev":"suspend","n":3,"on":"fd:4242"}
{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":2,"is_active":true,"ts":9,"ev":"resume","n":4}
EOF
echo '{"ev":"end","ts":19,"events":4,"lost":0}' >"$scratch/end"
cat >>"$scratch/.case-lib" <<'EOF'
# soon TEXT FILE: it is there within a minute.
soon() {
	for i in $(seq 600); do grep -aq -e "$1" "$2" && return; sleep 0.1; done
	echo "no /$1/ in $2 while input pauses" >&2
	return 1
}
# live TEXT COMMAND: its output has TEXT while the rest of its input has not come. The pipe stays open on descriptor 3.
live() {
	text=$1
	mkfifo pipe
	sh -c "exec timeout 90 $2" <pipe >out 2>err &
	exec 3>pipe
	cat "${begin:-../begin}" >&3
	got=0; soon "$text" out || got=1
	[ -n "${begin-}" ] || cat ../end >&3
	exec 3>&-
	s=0; wait $! || s=$?
	[ $s -le 3 ] && [ $got -eq 0 ] || { echo "status $s" >&2; cat err >&2; return 1; }
}
EOF

while read -r text command; do
	export text command
	test_case "live: $command" <<'EOF'
live "$text" "$command"
EOF
done <<'EOF'
"suspend".*fd:4242 ct-where .ev!=\"wake\"
"suspend".*fd:4242 ct-where --jq .tid==9
"suspend".*fd:4242 ct-sym
suspend,.*fd:4242 ct-tocsv
"suspended.*fd ct-tochrome
fd:4242 ct-toperfetto
"suspend".*fd:4242 ct-sym | ct-where .probe_id==7 | ct-where --jq '.ts > 1'
EOF

test_case 'live: ct-fromgo writes a generation when it is whole' <<'EOF'
begin=../seeds/seed-26.trace live '"ev":"create"' ct-fromgo
EOF

test_case 'live: bad lines in ct-check --json' <<'EOF'
{ cat ../begin; echo nonsense; } >begin
begin=begin live '"check":"bad"' 'ct-check --json'
EOF

# Where they outgrow the caches, lines are parsed some ahead: as many as are there.
test_case 'live: of three thousand coroutines' <<'EOF'
{ "$O/t/bench/gen" 9000 3000 | sed '$d'; sed '1d; s/"probe_id":7/"probe_id":70007/; s/"ts":/"ts":9000000000/' ../begin; } >begin
begin=begin live '"suspended.*fd' ct-tochrome
EOF

test_case 'live: three in a row, and what the last one read ends as the trace does' <<'EOF'
live '"suspend".*fd:4242' "ct-where .tid==9 | tee seen | ct-sym"
status 0 ct-lostwake seen >found
has "1 coroutine live" found
EOF
test_case 'what could not be written while input paused is named at the end' <<'EOF'
mkfifo pipe
ct-where .ts <pipe >/dev/full 2>err & pid=$!
exec 3>pipe
{ cat ../begin; echo bad; } >&3
soon 'not a JSON object' err
while [ "$(cut -d' ' -f3 /proc/$pid/stat)" != S ]; do :; done	# it waits for more
exec 3>&-
got=0; wait $pid || got=$?
[ $got -eq 2 ]; has '<stdout>: No space left on device$' err
EOF
if [ "${O##*/}" = valgrind ]; then
	skip_case 'Ctrl-C and the end of a terminal go to a whole pipe' 'valgrind catches signals for itself'
else
	test_case 'Ctrl-C and the end of a terminal go to a whole pipe: what reads one goes on to its end, and says the same as otherwise; a second Ctrl-C ends it' <<'EOF'
cat ../begin ../end >trace
catches() { tries=0; until grep -q "^SigCgt:.*[$2]$" /proc/$1/status; do tries=$((tries + 1)); [ $tries -lt 300 ]; sleep 0.1; done; }
mkfifo pipe
for p in ct-stuck ct-lostwake ct-bt ct-lint ct-sched ct-fold ct-report ct-html ct-top ct-check 'ct-plot states' ct-tosql 'ct-tocsv --per=interval' \
	ct-toperfetto ct-tochrome 'ct-where .tid==9' ct-sym ct-fromgo; do
	case $p in ct-fromgo) input=../seeds/seed-26.trace ;; *) input=trace ;; esac
	want=0; $p <$input >want || want=$?
	env --default-signal=INT,HUP $p <pipe >out & pid=$!
	exec 3>pipe
	head -c 300 $input >&3
	catches $pid 37bf
	kill -INT $pid
	catches $pid 159d
	kill -HUP $pid
	sleep 0.1
	kill -HUP $pid					# the shell's, and the kernel's
	tail -c +301 $input >&3
	exec 3>&-
	status $want wait $pid
	same want out
done
env --default-signal=INT ct-stuck <pipe & pid=$!
exec 3>pipe
catches $pid 2367abef
kill -INT $pid
catches $pid 014589cd
kill -INT $pid
status 130 wait $pid
EOF
fi
done_testing
