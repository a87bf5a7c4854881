#!/bin/sh
# The protocol's memory orders under C11's axioms: every execution of its shapes, each with what is needed for it taken away
# in turn; and the checker itself, by what is known of the usual shapes.
. "${0%/*}/../lib/lib.sh"

test_case 'the code has the orders that the shapes need' <<'EOT'
sed -n 's/^ *# needs: //p' "$SRC/t/model/protocol.litmus" >needs
[ "$(wc -l <needs)" -gt 25 ]
while read -r file name text; do
	sed -n "/^[A-Za-z].*[ *]$name(.*[^;]\$/,/^}/p" "$SRC/$file" | tr -d ' \n\t' >body
	grep -qF -e "$(echo "$text" | tr -d ' ')" body || { echo "$file: $name() has no $text" >&2; exit 1; }
done <needs
EOT
test_case 'each order in the probes and the recorder stands in the list of them (t/model/orders)' <<'EOT'
cd "$SRC"
awk -f t/model/orders.awk record/*.c record/*/*.c sdk/c/*.c sdk/c/*.h sdk/java/*.c | LC_ALL=C sort >"$OLDPWD/got"
sed '/^#/d; s/: .*//' t/model/orders | LC_ALL=C sort >"$OLDPWD/listed"
cd "$OLDPWD"
[ "$(wc -l <listed)" -gt 80 ]
grep -v -e '^#' -e ': .' "$SRC/t/model/orders" >unsaid || :
same /dev/null unsaid
same listed got || { echo 'who moves or changes one on purpose changes its line' >&2; false; }
EOT
command -v python3 >/dev/null || { skip_case 'the shapes' 'no python3'; done_testing; exit; }
for shapes in known protocol; do
	export shapes
	test_case "$shapes.litmus: what must not happen cannot, what a mistake allows can" <<'EOT'
status 0 timeout 300 python3 "$SRC/t/model/litmus.py" "$SRC/t/model/$shapes.litmus" >out || { cat out; exit 1; } >&2
hasnt '^not ok' out
[ "$(grep -c '^ok' out)" -gt 30 ]
[ "$(grep -c '^ok .*mistake' out)" -gt 10 ]
EOT
done
test_case 'a shape whose order is not enough is reported, and so is a mistake that changes nothing' <<'EOT'
cat >wrong <<'END'
shape MP
  W x 1; W y 1
  a = R.acq y; b = R x
  never a == 1 and b == 0
shape idle
  W x 1
  a = R.acq x
  never a == 2
  mistake R.acq -> R
  mistake absent -> R
END
status 1 python3 "$SRC/t/model/litmus.py" wrong >raw
sed 's/ ([0-9]* ms)//' raw >out
cat >expected <<'END'
not ok 1 - MP: a=1 b=0
ok 2 - idle: never
not ok 3 - idle, mistake R.acq -> R: never
not ok 4 - idle, mistake absent -> R: never
1..4
END
same expected out
EOT
done_testing
