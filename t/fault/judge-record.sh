#!/bin/sh
# judge-record.sh STATUS WANT - the recorder records all of what its target did and ends as that does, or says on stderr what
# is missing; it leaves nothing behind in $TMPDIR. `trace` is what it wrote, `count` what the target counted.
case $1 in
"$2") [ -s err ] || record-count trace count >counted || echo "something is missing, and nothing says so: $(cat counted)"
	[ -s err ] || ct-check trace >checked || echo "ct-check: $(head -n 1 checked)";;
125|126|127) [ -s err ] || echo 'no word of what is wrong';;
124|137) echo 'it hangs';;
*) echo 'its status says something else';;
esac
[ -z "$(ls "$TMPDIR")" ] || { echo "it leaves $(ls "$TMPDIR")"; rm -rf "$TMPDIR"/*; }
rm -f trace count
:
