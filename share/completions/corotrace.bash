# corotrace.bash - completion of long options, taken from each program's own --help. Source it from ~/.bashrc.
_corotrace()
{
	local cur=${COMP_WORDS[COMP_CWORD]}

	COMPREPLY=()
	[[ $cur == -* ]] || return 0
	COMPREPLY=($(compgen -W "$("$1" --help 2>/dev/null | grep -oE -e '--[a-z][a-z0-9-]*=?' | sort -u)" -- "$cur"))
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
	return 0
}
complete -o default -F _corotrace ct-record ct-stuck ct-lostwake ct-check ct-tocsv ct-tosql ct-lint ct-where ct-sym ct-sched ct-fold ct-bt ct-report ct-plot ct-html ct-top ct-fromgo ct-snap ct-toperfetto ct-tochrome
