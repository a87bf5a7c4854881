#!/bin/sh
# Thousands of findings: by cause, the first few, the rest counted and on demand.
. "${0%/*}/../lib/lib.sh"
export PYTHONDONTWRITEBYTECODE=1
cat >>"$scratch/.case-lib" <<'EOT'
many() { python3 "$SRC/t/lib/many.py" "$@" >trace; }
EOT

test_case 'ct-lostwake prints 5,000 by cause in a few dozen lines, and its status and JSON do not change' <<'EOT'
many 5000 300
status 1 ct-lostwake trace >out
has '^5000 findings: 5000 proven, 3 causes at 300 suspension points, 5000 coroutines live' out
[ $(wc -l <out) -lt 60 ]
[ $(grep -c '^[0-9]* coroutines: ' out) -eq 3 ]
has '^1667 coroutines: closed-resource (proven), at 100 suspension points; cause: shutdown() /usr/src/net/close.hpp:410$' out
has '^  such as coroutine 101 waits on fd:11 ' out
has '^  \.\.\. and 1497 more at 90 further suspension points (--top=0)$' out
# names of 600 characters keep both ends
has '^  17 at net::session<.*\.\.\..*serve_1(line&) /usr/src/net/serve_1.hpp:11$' out
[ $(wc -L <out) -lt 450 ]
status 1 ct-lostwake --json trace >json; [ $(wc -l <json) -eq 5000 ]
status 1 ct-lostwake --top=0 trace >all; [ $(grep -c '^  coroutine ' all) -eq 5000 ]
hasnt 'top=0\|causes' all
EOT

test_case 'what is left out and what is shown are all there is' <<'EOT'
many 5000 300
for top in 1 2 7 10 50 299; do
	status 1 ct-lostwake --top=$top trace >out
	awk '/^[0-9]+ findings/ { all = $1; next } /^  [0-9]+ at / { n += $1 } /^  \.\.\. and / { n += $3 } /^\.\.\. and / { n += $3 }
		END { if (n != all) { print n " of " all; exit 1 } }' out
done
EOT

test_case 'where there are few groups each is printed, with its first coroutines' <<'EOT'
many 60 3
status 1 ct-lostwake trace >out
[ $(grep -c '^20 coroutines: ' out) -eq 3 ]
[ $(grep -c '^  coroutine ' out) -eq 30 ]
[ $(grep -c '^  \.\.\. and 10 more (--top=0)$' out) -eq 3 ]
has '^60 findings: 60 proven, 60 coroutines live' out
status 1 ct-lostwake --top=20 trace >out; [ $(grep -c '^  coroutine ' out) -eq 60 ]; hasnt 'more' out
status 2 ct-lostwake --top=some trace 2>err
EOT

test_case 'the report stands by cause, and as Markdown within what GitHub shows' <<'EOT'
many 5000 300
status 1 ct-report trace >md
[ $(wc -c <md) -lt 100000 ]
has '^5000 findings at 300 suspension points have 3 causes\.$' md
has '^### 1667 coroutines: closed-resource (proven), at 100 sites; cause: `shutdown() /usr/src/net/close.hpp:410`$' md
has '^| 17 | `net::session<.*\.\.\..*serve_1(line&) /usr/src/net/serve_1.hpp:11` | `101` |$' md
has '^\.\.\. and 1497 more at 90 further sites (--all)\.$' md
awk '/^### / { split($2, a); sum += a[1] } END { exit sum != 5000 }' md
status 1 ct-report --all trace >all; hasnt 'causes\.$' all; [ $(grep -c '^### ' all) -eq 300 ]
status 1 ct-report --format=text trace >text; has 'have 3 causes' text
# many runs
for i in $(seq 60); do many 300 60; cat trace; done >runs
status 1 ct-report runs >md; [ $(wc -c <md) -lt 1048576 ]
has '^[0-9]* further runs are left out, so that the report can be shown (--all)\.$' md
status 1 ct-report --format=text runs >text; has '^Run 60 of 60$' text
EOT

test_case 'a regular expression finds file and line behind a name of 600 characters' <<'EOT'
many 60 3
status 1 ct-lostwake --site='serve_2.hpp:12$' trace >out
has '^20 findings: ' out
EOT
done_testing
