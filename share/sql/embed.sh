#!/bin/sh
# Print this directory as C: embed.sh DIALECT... For each dialect what opens a load in each mode, and what ends it,
# are one C array each; a file of the dialect's own directory stands before the one of all/.
cd "$(dirname "$0")" || exit 1
tmp=$(mktemp) || exit 1
trap 'rm -f "$tmp"' EXIT

array() {	# NAME PART...; there:PART for what may be there already, new:PART under a name that is changed later
	name=$1; shift
	for part; do
		case $part in
		there:*) change='s/^CREATE TABLE/& IF NOT EXISTS/; s/^CREATE VIEW/CREATE OR REPLACE VIEW/';;
		new:*) change='s/^CREATE TABLE {/&new_/';;
		*) change=;;
		esac
		for f in "$dialect/${part#*:}.sql" "all/${part#*:}.sql"; do
			[ ! -e "$f" ] || { sed -e "$change" -f "$dialect/words.sed" "$f"; break; }
		done
	done >"$tmp"
	sh ../embed.sh "sql_${dialect}_$name" "$tmp"
}
views='timeline stuck lost_wakeup site_stats await_tree'
views_there='there:timeline there:stuck there:lost_wakeup there:site_stats there:await_tree'
for dialect; do
	guard='guard shapes odd guarded'
	[ -e "$dialect/guard.sql" ] || guard=
	case $dialect in
	mysql)	# its DDL is in no transaction: tables get their names when they are full
		array create begin absent clear new:schema transaction
		array replace begin $guard clear new:schema transaction
		array commit_create commit rename $views
		array commit_replace commit swap $views_there clear;;
	*)
		array create begin schema $views
		array replace begin $guard drop schema $views
		array commit_create commit
		array commit_replace commit;;
	esac
	array append begin $guard there:schema $views_there append
	array commit_append commit
	array rollback rollback clear
	array drop drop
	[ ! -e $dialect/cluster.sql ] || { array cluster cluster; array cluster_append there:cluster; }
done
