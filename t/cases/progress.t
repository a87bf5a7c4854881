#!/bin/sh
# Long work says how far it has come, on stderr where that is a terminal, and nowhere else.
. "${0%/*}/../lib/lib.sh"

command -v script >/dev/null || skip_all 'no script(1) to make a terminal'

# A trace that takes three seconds to come.
cat >>"$scratch/.case-lib" <<'EOT'
slowly() {
	echo '{"ev":"meta","ts":1,"format":"corotrace","version":2,"tool":"t"}'
	echo '{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":2,"is_active":false,"ts":1,"ev":"create","n":1}'
	echo '{"probe_id":7,"tid":9,"addr":"0x0000000000001000","seq":2,"is_active":false,"ts":1,"ev":"destroy","n":2}'
	for i in 1 2 3 4 5 6; do echo "{\"ev\":\"sync\",\"ts\":$i}"; sleep 0.5; done
	echo '{"ev":"end","ts":9,"events":0,"lost":0}'
}
# COMMAND in a terminal, what it shows in `out`
terminal() { slowly >fifo & timeout 60 script -qec "$1" /dev/null </dev/null >out; wait; }
EOT

test_case 'a slow trace: bytes, lines and a rate, and the line is erased at the end' <<'EOT'
mkfifo fifo
terminal 'ct-stuck fifo'
has 'ct-stuck: [0-9]*B, [0-9] lines, [1-9] lines/s' out
tr -d '\r' <out | sed 's/.*\x1b\[K//' >last; has '^0 of 0 live coroutines listed$' last
grep -qF "$(printf '\r\033[K0 of 0 live')" out	# before anything else is printed
EOT

test_case 'not under --quiet, not where stderr is no terminal, not among the lines of a program that streams' <<'EOT'
mkfifo fifo
terminal 'ct-stuck --quiet fifo'; hasnt 'lines/s' out
terminal 'ct-stuck fifo 2>err'; hasnt 'lines/s' out; hasnt 'lines/s' err
terminal 'ct-where .ts fifo'; hasnt 'lines/s' out
EOT
done_testing
