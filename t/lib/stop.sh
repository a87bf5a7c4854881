# stop.sh - sourced, behind lib.sh, record.sh and box.sh, by the tests of recording that is stopped and started.

cat >>"$scratch/.case-lib" <<'EOF'
# What box-stop's scene shows, however it was recorded.
scene() {
	sound
	[ $(grep -c '"ev":"stop"' trace) -eq 1 ]
	[ $(grep -c '"ev":"start"' trace) -eq 1 ]
	sed '1,/"ev":"stop"/d; /"ev":"start"/,$d' trace >between
	has '"ev":"lost","ts":[0-9]*,"tid":[0-9]*,"count":8,' between
	has '"ev":"state","n":5,"site":[0-9]*,"on":"fd:11"' between
	has '"ev":"state","n":3,"site":[0-9]*,"on":"fd:3"' between
	has '"ev":"state","n":3,"site":[0-9]*,"on":"fd:4"' between
	hasnt '"on":"fd:2"' between
	status 1 ct-lostwake --grace=0 --json trace >found
	[ $(grep -c '"verdict":"closed-resource","certainty":"proven"' found) -eq 2 ]
	has '"probe_id":1,' found
	has '"probe_id":3,' found
}
EOF
