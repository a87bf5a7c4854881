# waits.gp - for how long coroutines waited, by the site where they did, the longest on top.
# n sites, label[], more that are not shown; powers of ten from low to high seconds; ended, waiting: 1 where there are such.
# $data: y, quantiles 5 25 50 75 95 %, the longest, the oldest that still waits.
set title title_of('Waiting time by site'.(more ? sprintf(' (%d with the longest of %d)', n, n + more) : ''))
set xlabel 'waited for (in brackets: how often that ended + how many still wait)' offset 0,0.5
if (!ansi) { set bmargin 5; set key at screen 0.98, screen 0.015 right bottom horizontal maxrows 1 }
set ylabel ''
set xrange [10.0**low:10.0**high]
set logscale x
unset grid
if (!ansi) { set grid xtics linetype 1 linecolor rgb '#dddddd' }
rows = n < 4 ? 4 : n
set yrange [n - rows + 0.4:n + 0.6]
set ytics scale 0 ()
set for [i=1:n] ytics add (label[i] i)
set xtics ()
set for [i=low:high] xtics add (power[i + 10] 10.0**i)
if (ansi) {
	plot for [i=1:ended] $data using 4:1 with points pointtype 'o' linecolor rgb blue title 'median (o)', \
		for [i=1:ended] '' using 7:1 with points pointtype '|' linecolor rgb grey title 'longest (|)', \
		for [i=1:waiting] '' using 8:1 with points pointtype 'W' linecolor rgb red title 'still waits: the oldest (W)'
} else {
	plot for [i=1:ended] $data using 4:1:2:6 with xerrorbars pointtype 0 linewidth 1.5 linecolor rgb '#444444' \
			title '5-95 %', \
		for [i=1:ended] '' using 4:1:3:5:($1 - 0.3):($1 + 0.3) with boxxyerror linecolor rgb sky title '25-75 %', \
		for [i=1:ended] '' using 4:($1 - 0.3):(0):(0.6) with vectors nohead linewidth 3 linecolor rgb blue title 'median', \
		for [i=1:ended] '' using 7:1 with points pointtype 2 linecolor rgb '#444444' title 'longest', \
		for [i=1:waiting] '' using 8:1 with points pointtype 9 pointsize 1.6 linecolor rgb red title 'still waits (oldest)'
}
