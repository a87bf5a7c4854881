#!/bin/sh
# venv.sh - a Python with packages of its own, made once, in the user's cache: venv.sh NAME PACKAGE==VERSION ...
# Prints the path of its python. Status 1 where it cannot be had.
cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/corotrace
dir=$cache/$1-$(echo "$*" | cksum | cut -d ' ' -f 1)
shift
if [ ! -x "$dir/bin/python" ]; then
	mkdir -p "$cache" 2>/dev/null || exit 1
	{
		flock 9 || exit 1
		# Under a name of its own until it is whole.
		[ -x "$dir/bin/python" ] || { rm -rf "$dir.new" && timeout 60 python3 -m venv "$dir.new" &&
			timeout 280 "$dir.new/bin/python" -m pip install -q --disable-pip-version-check "$@" &&
			mv "$dir.new" "$dir"; } || { rm -rf "$dir.new"; exit 1; }
	} 9>"$dir.lock" >/dev/null 2>&1
fi
echo "$dir/bin/python"
