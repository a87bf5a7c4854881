# Completion for fish: options from each program's own --help, and the values of those that have few.
function __corotrace_options
    set -l program (commandline -opc)[1]
    command $program --help 2>/dev/null | string match -rga -- '(--[a-z][a-z0-9-]*=?)' | sort -u
end
for program in ct-bt ct-check ct-fold ct-fromgo ct-fromjvm ct-html ct-lint ct-lostwake ct-plot ct-record ct-report ct-sched ct-snap \
        ct-stuck ct-sym ct-tochrome ct-tocsv ct-top ct-toperfetto ct-tosql ct-uprobe ct-where
    complete -c $program -n 'string match -q -- "-*" (commandline -ct)' -a '(__corotrace_options)'
    complete -c $program -l color -x -a 'auto always never'
end
complete -c ct-lostwake -l fail-on -x -a 'proven suspected never'
complete -c ct-report -l format -x -a 'markdown text json junit sarif'
complete -c ct-plot -l term -x -a 'svg png pdf ansi'
complete -c ct-plot -n 'test (count (commandline -opc)) -eq 1' -a 'states throughput waits delay heatmap queues'
complete -c ct-tosql -l dialect -x -a 'sqlite postgres mysql clickhouse duckdb'
complete -c ct-tocsv -l per -x -a 'event coroutine site interval'
complete -c ct-fold -l time -x -a 'suspended runnable running'
complete -c ct-record -l on-full -x -a 'drop block'
complete -c ct-record -s p -l pid -x -a '(__fish_complete_pids)'
