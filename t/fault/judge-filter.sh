#!/bin/sh
# judge-filter.sh STATUS WANT - a filter does all of its work, or says on stderr that it did not and ends with 2, or with 3
# where it judged by what it had.
case $1 in
2|3) [ "$1" = "$2" ] || [ -s err ] || echo 'no word of what is wrong';;
"$2") cmp -s out good || echo 'its output is another, and its status tells of no error';;
124|137) echo 'it hangs';;
*) echo 'its status says something else';;
esac
:
