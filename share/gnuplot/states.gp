# states.gp - coroutines by state over time: all that live above, those that run or could below, for they are few.
# $data: time, running, runnable, never run, suspended; means.
# A picture of nothing has no height of its own.
stats $data using ($2+$3+$4+$5) nooutput
live = STATS_max
stats $data using ($2+$3) nooutput
awake = STATS_max
set yrange [0:live > 0 ? live * 1.05 : 1]
if (ansi) {
	set title title_of('Coroutines by state')
	set ylabel 'coroutines'
	plot $data using 1:5 with lines linecolor rgb sky title 'suspended', '' using 1:4 with lines linecolor rgb grey \
		title 'never run', '' using 1:3 with lines linecolor rgb orange title 'runnable', \
		'' using 1:2 with lines linecolor rgb green title 'running'
} else {
	set multiplot layout 2,1 title title_of('Coroutines by state') noenhanced
	set lmargin 10; set rmargin 3
	set ylabel 'live coroutines'
	unset xlabel
	plot $data using 1:($2+$3+$4+$5) with filledcurves y=0 linecolor rgb sky title 'suspended', \
		'' using 1:($2+$3+$4) with filledcurves y=0 linecolor rgb grey title 'never run', \
		'' using 1:($2+$3) with filledcurves y=0 linecolor rgb orange title 'runnable', \
		'' using 1:2 with filledcurves y=0 linecolor rgb green title 'running'
	set ylabel 'of which run or could'
	set yrange [0:awake > 0 ? awake * 1.05 : 1]
	set xlabel 'time since the start ('.unit.')'
	plot $data using 1:($2+$3) with filledcurves y=0 linecolor rgb orange title 'runnable: woken, waiting for a worker', \
		'' using 1:2 with filledcurves y=0 linecolor rgb green title 'running'
	unset multiplot
}
