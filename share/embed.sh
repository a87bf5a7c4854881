#!/bin/sh
# Print files as one C array: embed.sh NAME FILE... A terminating zero follows.
name=$1; shift
echo "/* made by embed.sh from $* */"
echo "static const char $name[] = {"
cat "$@" | od -An -v -tu1 | sed 's/^ *//; s/  */,/g; s/$/,/'
echo "0 };"
