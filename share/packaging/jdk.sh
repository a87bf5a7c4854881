#!/bin/sh
# Print the home of a JDK of 21 or later that is here: JAVA_HOME, or the newest that packages put under /usr/lib/jvm.
# Status 1: there is none.
is_jdk() { [ -x "$1/bin/javac" ] && grep -q 'JVMTI_VERSION_21 ' "$1/include/jvmti.h" 2>/dev/null; }
if [ -n "${JAVA_HOME:-}" ] && is_jdk "$JAVA_HOME"; then
	echo "$JAVA_HOME"
	exit
fi
newest=0
for home in /usr/lib/jvm/* /usr/java/* /opt/jdk* /opt/java/*; do
	is_jdk "$home" || continue
	version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" 2>/dev/null)
	[ "${version:-0}" -gt "$newest" ] && newest=$version found=$home
done
[ -n "${found:-}" ] && echo "$found"
