# growth.sh - sourced by bench.sh: how time and memory of every program grow with what a trace has many of, ten times as
# many a step; none may be steeper than linear. BENCH_BIG=1 goes further with events, live coroutines and threads;
# BENCH_GROWTH: of what alone: events live threads sites processes; BENCH_GROWING: of which programs. Traces are written into
# the programs and nowhere else; one that needs more than 300 s, or more memory than three quarters of what is free, is
# stopped, and its row says so. What is at work is printed to stderr. The curves are drawn into growth.svg under O, with
# BENCH_DOC=1 into share/doc.

# The trace of so many thousands of the kind.
grow_trace() {
	case $kind in
	events) "$B/gen" "$many" 1000 ;;
	live) "$B/gen" $((many * 10)) "$many" ;;
	*) "$B/crowd" "$kind" "$many" ;;
	esac
}

# PROGRAM: its arguments stand in the case below. Status 2 is no measurement: no memory, for one.
grow_run() {
	case $1 in
	ct-plot) set -- "$1" states ;;
	ct-where) set -- "$1" '.ev == "wake"' ;;
	ct-tosql) set -- "$1" --db="$tmp/grow.db" ;;
	esac
	echo "growth: $kind, $many: $1" >&2
	grow_trace | (ulimit -v $(awk '/^MemAvailable/ { print int($2 * 3 / 4) }' /proc/meminfo)
		run "g-$1-$kind-$n" "$@" >/dev/null 2>&1; [ $? -ne 2 ] || rm -f "$tmp/g-$1-$kind-$n")
	rm -f "$tmp/grow.db"
}

# Below 50 ms a run's start is most of its time: the step is only judged from there on.
grow_row() {	# PROGRAM SIZES...
	p=$1 text= before= ms=0 step=0; shift
	for n in "$@"; do
		[ -s "$tmp/g-$p-$kind-$n" ] || { text="$text${text:+, }stopped"; continue; }
		ms=$(calc %.0f "$(median "g-$p-$kind-$n" 2) / 1e6") mb=$(calc %.0f "$(median "g-$p-$kind-$n" 3) / 1000")
		text="$text${text:+, }$ms ms $mb MB"
		printf '%s\t%s\t%s\t%s\t%s\n' "$kind" "$p" "$(calc %.0f "$n * 1000")" "$ms" "$mb" >>"$tmp/growth.tsv"
		step=$(calc %.1f "$ms / (${before:-$ms} > 5 ? ${before:-$ms} : 5)")
		before=$ms
	done
	if [ "$ms" -ge 50 ]; then held "$p, $kind" "$text: ${step}x" '<= 15x' "$step <= 15"
	else row "$p, $kind" "$text" '' ''; fi
}

# The programs' names, in a cell of their own beside the times.
legend() {
	echo "set key left center; unset border; unset tics; unset grid; unset xlabel; unset ylabel; set xrange [1:10]; set yrange [1:10]"
	for p in $growing; do printf "%s 0.1 with linespoints title '%s'" "${sep_:-plot}" "$p"; sep_=,; done
	sep_=; echo
	echo "unset key; set border; set tics; set grid; set autoscale"
}
# Time above, memory below, a column for each of what grows: both axes by powers of ten.
draw_growth() {
	[ -s "$tmp/growth.tsv" ] && command -v gnuplot >/dev/null || return 0
	to=$O/growth.svg; [ -z "${BENCH_DOC:-}" ] || to=$SRC/share/doc/growth.svg
	kinds=$(cut -f1 "$tmp/growth.tsv" | uniq)
	{	echo "set terminal svg size $((320 * $(echo "$kinds" | wc -l) + 160)),900 noenhanced background 'white'"
		echo "set output '$to'; set datafile separator \"\\t\"; set logscale xy; set format x '%.0s%c'; set grid"
		echo "set multiplot layout 2,$(($(echo "$kinds" | wc -l) + 1)); unset key"
		for column in '4 ms' '5 MB'; do
			for k in $kinds; do
				echo "set xlabel '$k'; set ylabel '${column#* }'"
				printf 'plot '
				for p in $growing; do
					printf "%s'< grep ^%s %s | grep %s' using 3:(\$%s < 1 ? 1 : \$%s) with linespoints title '%s'" \
						"${sep_:-}" "$k" "$tmp/growth.tsv" "$(printf '\t')$p$(printf '\t')" "${column%% *}" "${column%% *}" "$p"
					sep_=', '
				done
				sep_=; echo
			done
			[ "$column" = '5 MB' ] || legend
		done
	} | gnuplot && echo "the curves of growth: $to"
}

growth() {
	have "$B/crowd" 'growth: t/bench/crowd' || return
	more=${BENCH_BIG:+ 10}
	for what in "events 100 1000${more:+ 10000 100000}" "live 1 10 100${more:+ 1000 5000}" \
		"threads 1 10${more:+ 100}" 'sites 1 10 100' 'processes 0.1 1 10'; do
		set -- $what; kind=$1; shift
		case " ${BENCH_GROWTH:-$kind} " in *" $kind "*) ;; *) continue ;; esac
		for n in "$@"; do
			many=$(calc %.0f "$n * 1000")
			for p in $growing; do grow_run "$p"; done
		done
		for p in $growing; do grow_row "$p" "$@"; done
	done
	draw_growth
}
: "${BENCH_GROWING:=ct-stuck ct-lostwake ct-bt ct-lint ct-check ct-where ct-sym ct-sched ct-fold ct-tocsv ct-tosql ct-toperfetto
	ct-tochrome ct-report ct-plot ct-html ct-top}"
growing=$BENCH_GROWING
