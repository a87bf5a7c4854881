#!/bin/sh
# The demo end to end: 47 coroutines found at the line of their co_await, and a clean bill for the mended server.
. "${0%/*}/../lib/lib.sh"

test_case 'the bug: 47 closed-resource, at the co_await, descriptor by descriptor, with who closed it' <<'EOF'
status 0 sh $SRC/t/demo/demo.sh $O 1 . >out
has 'ct-lostwake exit status 1' out
line=$(grep -n 'co_await s.readable(fd)' $SRC/t/demo/server.cc | cut -d: -f1)
close=$(grep -n 'ct_close(ct_fd(fd))' $SRC/t/demo/sched.hpp | cut -d: -f1)
status 1 ct-lostwake --json demo.jsonl >found
[ $(grep -c '"verdict":"closed-resource","certainty":"proven"' found) -eq 47 ]
[ $(grep -c "\"func\":\"serve\",\"file\":\"[^\"]*server.cc\",\"line\":$line[,}]" found) -eq 47 ]
[ $(grep -c "\"func\":\"close\",\"file\":\"[^\"]*sched.hpp\",\"line\":$close[,}]" found) -eq 47 ]
[ $(grep -o '"on":"fd:[0-9]*"' found | sort -u | wc -l) -eq 47 ]
[ $(grep -c '"name":"conn [0-9]*"' found) -eq 47 ]
EOF

test_case 'mended: nothing is found and nothing is left' <<'EOF'
status 0 sh $SRC/t/demo/demo.sh $O 0 . >out
has 'ct-lostwake exit status 0' out
status 0 ct-stuck demo.jsonl >left
[ $(grep -c '"ev":"create"' demo.jsonl) -eq 51 ]
[ $(grep -c '"ev":"destroy".*"done":true' demo.jsonl) -eq 51 ]
EOF

test_case 'not traced, the demo is a plain server that says nothing' <<'EOF'
demo-server --port-file=port >out 2>&1 &
server=$!
tries=0
until [ -s port ] || [ $tries -eq 1200 ]; do sleep 0.1; tries=$((tries + 1)); done
status 0 demo-load $(cat port) >/dev/null
status 0 wait $server
same /dev/null out
EOF

done_testing
