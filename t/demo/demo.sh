#!/bin/sh
# demo.sh - record a server that loses 47 coroutines and say which: demo.sh BUILD [BUG [OUT]]
#
# BUILD holds the programs, OUT (BUILD where not given) gets demo.jsonl. BUG=0 records the mended server instead.
# Ends with status 0 when ct-lostwake said what it should: 47 closed-resource and status 1, or nothing and status 0.
O=${1:?usage: demo.sh BUILD [BUG [OUT]]}
BUG=${2:-1}
out=${3:-$O}
mended=
[ "$BUG" = 0 ] && mended=' --mended'

fail() { echo "demo: $*" >&2; exit 1; }

# The recording in the background, as the first line shows it; its verdict is kept until the clients are done.
rm -f "$out/demo.port" "$out/demo.verdict"
echo "\$ $O/ct-record $O/demo-server$mended --port-file=$out/demo.port | tee $out/demo.jsonl | $O/ct-lostwake &"
{ "$O/ct-record" "$O/demo-server" $mended --port-file="$out/demo.port" || echo "demo: ct-record exit status $?" >&2
} | tee "$out/demo.jsonl" | "$O/ct-lostwake" --color=never >"$out/demo.verdict" &
recording=$!

tries=0
until [ -f "$out/demo.port" ]; do
	tries=$((tries + 1))
	[ $tries -lt 300 ] && kill -0 $recording 2>/dev/null || { wait $recording; fail "the server did not come up"; }
	sleep 0.1
done
echo "\$ $O/demo-load \$(cat $out/demo.port)"
"$O/demo-load" "$(cat "$out/demo.port")" || fail "the clients failed"
wait $recording
status=$?

echo
echo "\$ $O/ct-stuck <$out/demo.jsonl"
"$O/ct-stuck" --color=never <"$out/demo.jsonl"
echo
echo "ct-lostwake says:"
cat "$out/demo.verdict"
echo "ct-lostwake exit status $status"

"$O/ct-lostwake" --json <"$out/demo.jsonl" >"$out/demo.findings"
lost=$(grep -c '"verdict":"closed-resource"' "$out/demo.findings")
all=$(grep -c . "$out/demo.findings")
if [ "$BUG" = 0 ]; then
	[ $status -eq 0 ] && [ "$all" -eq 0 ] || fail "a clean bill was expected"
else
	[ $status -eq 1 ] && [ "$lost" -eq 47 ] && [ "$all" -eq 47 ] || fail "47 closed-resource were expected, got $lost"
fi
