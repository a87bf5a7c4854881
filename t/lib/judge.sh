# judge.sh - sourced after lib.sh by the tests of the verdicts: a trace in few words. Times are microseconds.
#
#	begin				meta, sites 1-3, worker threads 11 and 12 of process 1; v2 only
#	create ID US [PARENT]		resume ID US TID	suspend ID US TID ON [SITE]	destroy ID US TID [DONE]
#	wake ID US TID ON [BY [SITE]]	line EV US REST		any other line; REST is JSON, `"tid":11,"on":"fd:5"`
#	lock acquire|release US ID LOCK		several any_of|all_of ID US ON...	suspends for several, on thread 11
#	state ID N US TID ON		its last event, which may be lost, was a suspend; lost TID FROM TO	that thread lost events
#	end US				the end line; leave it out and the trace is cut
#	verdict STATUS [WORDS...]	ct-lostwake on `trace` ends so and says so: "closed-resource proven 7"

cat >>"$scratch/.case-lib" <<'EOF'
trace() { cat >>trace; }
ns() { echo $((1000000000000 + $1 * 1000)); }
own() {	# EV ID US TID ACTIVE REST
	eval "n_$2=\$((\${n_$2:-0} + 1)); n=\$n_$2"
	printf '{"probe_id":%s,"tid":%s,"addr":"0x0000000000000000","seq":%s,"is_active":%s,"ts":%s,"ev":"%s","n":%s%s}\n' \
		"$2" "$4" $((2 * n)) "$5" "$(ns "$3")" "$1" "$n" "$6" >>trace
}
create() { own create "$1" "$2" 11 false "${3:+,\"parent\":$3}"; }
resume() { own resume "$1" "$2" "$3" true ''; }
suspend() { own suspend "$1" "$2" "$3" false ",\"site\":${5:-1}${4:+,\"on\":\"$4\"}"; }
destroy() { own destroy "$1" "$2" "$3" false ",\"done\":${4:-true}"; }
lock() { line $1 $2 "\"tid\":11,\"by\":$3,\"on\":\"$4\""; }
several() {
	key=$1 id=$2 us=$3; shift 3
	eval "next=\$((\${n_$id:-0} + 1))"
	for on; do line leg "$us" "\"tid\":11,\"probe_id\":$id,\"n\":$next${on:+,\"on\":\"$on\"},\"site\":2"; done
	own suspend "$id" "$us" 11 false ",\"site\":1,\"$key\":$#"
}
wake() {
	printf '{"probe_id":%s,"tid":%s,"addr":"0x0000000000000000","seq":0,"is_active":false,"ts":%s,"ev":"wake"%s%s%s}\n' \
		"$1" "$3" "$(ns "$2")" "${5:+,\"by\":$5}" "${6:+,\"site\":$6}" "${4:+,\"on\":\"$4\"}" >>trace
}
line() { printf '{"ev":"%s","ts":%s%s}\n' "$1" "$(ns "$2")" "${3:+,$3}" >>trace; }
state() {
	printf '{"probe_id":%s,"tid":%s,"addr":"0x0000000000000000","seq":%s,"is_active":false,"ts":%s,"ev":"state","n":%s,"site":1,"on":"%s"}\n' \
		$1 $4 $((2 * $2)) $(ns $3) $2 $5 >>trace
}
lost() { line lost $3 "\"tid\":$1,\"count\":5,\"from\":$(ns $2),\"to\":$(ns $3)"; }
begin() {
	: >trace
	unset $(set | sed -n 's/^\(n_[0-9]*\)=.*/\1/p') nothing
	line meta 0 '"format":"corotrace","version":2,"tool":"t"'
	for tid in 11 12; do line thread 0 "\"tid\":$tid,\"pid\":1,\"name\":\"w$tid\",\"role\":\"worker\""; done
	for s in 1 2 3; do printf '{"ev":"site","site":%s,"func":"f%s","file":"f.c","line":%s0}\n' $s $s $s >>trace; done
}
# A coroutine that ran and waits since US for ON.
waiting() { create "$1" $(($2 - 20)); resume "$1" $(($2 - 10)) 11; suspend "$1" "$2" 11 "$3" "$4"; }
# A plain thread may always come; where none ever did, and all sleep, no trace is healthy: alone.
end() { [ -n "$alone" ] || line notify 1 '"tid":11,"on":"cond:0xffff","woken":1'; line end "$1" '"events":0,"lost":0'; }
verdict() {
	want=$1; shift
	for words in "$@"; do echo "$words"; done >expected
	status "$want" ct-lostwake --json trace >out.json
	sed 's/{"verdict":"\([^"]*\)","certainty":"\([^"]*\)","id":"[0-9a-f]*","probe_id":\([0-9]*\).*/\1 \2 \3/' \
		out.json >actual
	same expected actual
}
EOF
