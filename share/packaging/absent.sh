#!/bin/sh
# Print as a makefile which of the libraries that programs need are not here: absent.sh DIR. What was found once is
# remembered in DIR, and looked for no more.
. "${0%/*}/libs.sh"
absent=
for lib in $libs; do
	[ -e "$1/.has-$lib" ] && continue
	if lib_there "$lib"; then : >"$1/.has-$lib"; else absent="$absent $lib"; fi
done
echo "ABSENT =$absent"
