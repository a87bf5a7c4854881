#!/bin/sh
# The traces of the other tests of verdicts, and what the judge says of those that differ from one of them by one line or number: t/fuzz/near.c.
. "${0%/*}/../lib/lib.sh"
[ -z "$SAN" ] || skip_all 'the sanitizers are on, and 100,000 traces take long'

test_case 'the verdicts on traces near those of the other tests are those that were looked at last' <<'EOF'
mkdir o kept
ln -s "$O"/* o
rm o/ct-lostwake
cat >o/ct-lostwake <<END
#!/bin/sh
[ ! -f trace ] || cp trace "$PWD/kept/\$(cksum <trace | tr ' ' -)"
exec "$O/ct-lostwake" "\$@"
END
chmod +x o/ct-lostwake
for t in "$SRC/t/cases/"judge-*.t; do
	case $t in *-near.t | *-made.t) ;; *) CASES= O=$PWD/o sh "$t" >>log 2>&1 || : ;; esac
done
# Every seventh of them, as all take a minute and a half.
[ "${CHECK_ALL:-}${CT_NEAR:-}" ] && some= column=2 || some=--seventh column=3
find kept -size -16k | sort | xargs "$O/t/fuzz/near" $some | LC_ALL=C sort >got
[ -z "${CT_NEAR:-}" ] || cp got "$CT_NEAR"
# Traces that came since are not compared until their rows are there; so many are few.
LC_ALL=C join got "$SRC/t/fuzz/near.expected" | cut -d' ' -f1,$column >known
[ $((10 * $(wc -l <known))) -ge $((9 * $(wc -l <got))) ] || echo "of $(wc -l <got) traces $(wc -l <known) are in t/fuzz/near.expected" >&2
LC_ALL=C join -o 2.1,2.$column got "$SRC/t/fuzz/near.expected" >want
same want known && [ $((10 * $(wc -l <known))) -ge $((9 * $(wc -l <got))) ] || {
	echo 'Where a rule was changed on purpose, CT_NEAR=FILE writes what becomes t/fuzz/near.expected; near --each TRACE prints each.' >&2
	false
}
EOF
done_testing
