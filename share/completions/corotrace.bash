# corotrace.bash - completion for bash: options from each program's own --help, and the values of those that have few.
_corotrace()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} program=${1##*/} words= option=

	COMPREPLY=()
	# "--format=ju" comes as three words.
	if [[ $prev == -p ]]; then option=-p
	elif [[ $cur == = ]]; then option=$prev cur=
	elif [[ $prev == = ]]; then option=${COMP_WORDS[COMP_CWORD-2]}
	fi
	case $program:$option in
	*:--color) words='auto always never';;
	*:--fail-on) words='proven suspected never';;
	ct-report:--format) words='markdown text json junit sarif';;
	ct-plot:--term) words='svg png pdf ansi';;
	ct-tosql:--dialect) words='sqlite postgres mysql clickhouse duckdb';;
	ct-tocsv:--per) words='event coroutine site interval';;
	ct-fold:--time) words='suspended runnable running';;
	ct-record:--on-full) words='drop block';;
	ct-record:-p | ct-record:--pid | ct-uprobe:-p | ct-uprobe:--pid) words=$(cd /proc && echo [0-9]*);;
	*:--*) return 0;;
	esac
	if [[ -z $option ]]; then
		if [[ $cur == -* ]]; then
			words=$("$1" --help 2>/dev/null | grep -oE -e '--[a-z][a-z0-9-]*=?' | sort -u)
		elif [[ $program == ct-plot && $COMP_CWORD -eq 1 ]]; then
			words='states throughput waits delay heatmap queues'
		fi
	fi
	[[ -n $words ]] || return 0
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
	return 0
}
complete -o default -F _corotrace ct-bt ct-check ct-fold ct-fromgo ct-fromjvm ct-html ct-lint ct-lostwake ct-plot ct-record ct-report \
	ct-sched ct-snap ct-stuck ct-sym ct-tochrome ct-tocsv ct-top ct-toperfetto ct-tosql ct-uprobe ct-where
