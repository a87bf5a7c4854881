#!/bin/sh
# judge-snap.sh STATUS WANT - as judge-filter.sh; but the time of a snapshot is that of its making, and a library
# of the core whose file cannot be opened is as one that is not there: no map line tells of it.
for f in out good; do sed '/"ev":"map"/d; s/"ts":[0-9]*/"ts":T/' $f >$f.same; done
case $1 in
2|3) [ "$1" = "$2" ] || [ -s err ] || echo 'no word of what is wrong';;
"$2") cmp -s out.same good.same || ! cmp -s err good.err || echo 'its output is another, and nothing tells of an error';;
124|137) echo 'it hangs';;
*) echo 'its status says something else';;
esac
:
