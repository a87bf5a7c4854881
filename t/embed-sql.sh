#!/bin/sh
# Print share/sql as C: embed-sql.sh DIRECTORY DIALECT... For each dialect what opens a load in each mode, and what ends it,
# are one C array each; a file of the dialect's own directory stands before the one of all/.
dir=$1; shift
cd "$(dirname "$0")" || exit 1
here=$PWD
cd "$here/../$dir" || exit 1
array() {	# NAME PART...
	name=$1; shift
	files=
	for part; do
		for f in "$dialect/$part.sql" "all/$part.sql"; do
			[ ! -e "$f" ] || { files="$files $f"; break; }
		done
	done
	case $name in *append) there='s/^CREATE TABLE/& IF NOT EXISTS/; s/^CREATE VIEW/CREATE OR REPLACE VIEW/';; *) there=;; esac
	sed -e "$there" -f "$dialect/words.sed" $files /dev/null >"$tmp"
	sh "$here/embed.sh" "sql_${dialect}_$name" "$tmp"
}
tmp=$(mktemp) || exit 1
trap 'rm -f "$tmp"' EXIT
tables='schema timeline stuck lost_wakeup site_stats await_tree'
for dialect; do
	array create begin $tables
	array append begin $tables append
	array replace begin drop $tables
	array commit commit
	array rollback rollback
	array drop drop
	[ ! -e $dialect/cluster.sql ] || { array cluster cluster; array cluster_append cluster; }
done
