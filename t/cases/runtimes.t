#!/bin/sh
# The pages of share/doc/runtimes, followed word for word: what they say is found, is found.
. "${0%/*}/../lib/lib.sh"

# A page's blocks: ```LANGUAGE FILE becomes that file, ```sh is run, ```text or ``` alone is what must be said: words in
# one line each, which some program printed in that order.
cat >>"$scratch/.case-lib" <<'EOT'
follow() {
	awk -v steps=steps -v said=said '
	/^```sh$/ { to = steps; next }
	/^```$/ { to = to == "" ? said : ""; next }
	/^```[a-z]+ / { to = $2; next }
	to != "" { print >to }' "$1"
	CT=$O status 0 sh -e "$PWD/tolerant" >out 2>err || { cat out err >&2; return 1; }
	while read -r line; do
		pattern=$(echo "$line" | sed 's/[(){}.]/./g; s/ /.*/g')
		has "$pattern" out
	done <said
}
# As a person would go on: what finds something ends with 1.
tolerant() {
	echo 'set +e'
	echo '. ./steps >out.all 2>&1; status=$?'
	echo 'cat out.all; [ $status -le 1 ]'
}
tolerant >tolerant
EOT

page() {	# PAGE COMPILER SENTENCE
	if ! command -v "${2%% *}" >/dev/null; then cat >/dev/null; skip_case "$3" "no $2"; return; fi
	test_case "$3" <<EOT
export CARGO_TARGET_DIR=\$PWD/target GOFLAGS=-mod=mod GO111MODULE=off
mkdir src
follow "\$SRC/share/doc/runtimes/$1.md"
EOT
}
cc=${CC:-cc} cxx=${CXX:-c++}
page c "$cc" 'C: as the page says'
page cpp "$cxx" 'C++20: as the page says'
page go go 'Go: as the page says'
page rust cargo 'Rust: as the page says'
done_testing
