# delay.gp - from a wake to the resume that it brought about, over time. $data: time, quantiles 50 90 99 %, the longest, in
# seconds; label[4]; powers of ten from low to high seconds.
set title title_of('Scheduling delay: from wake to resume')
set ylabel 'delay'
set logscale y
set ytics ()
set for [i=low:high] ytics add (power[i + 10] 10.0**i)
set yrange [10.0**low:10.0**high]
if (ansi) {
	plot $data using 1:4 with lines linecolor rgb orange title label[3], \
		'' using 1:3 with lines linecolor rgb green title label[2], \
		'' using 1:2 with lines linecolor rgb blue title label[1], '' using 1:5 with lines linecolor rgb grey title label[4]
} else {
	# Points, too: a time with nothing on either side of it is no line.
	set style data linespoints
	plot $data using 1:4 pointtype 7 pointsize 0.3 linewidth 3 linecolor rgb orange title label[3], \
		'' using 1:3 pointtype 7 pointsize 0.3 linewidth 2 linecolor rgb green title label[2], \
		'' using 1:2 pointtype 7 pointsize 0.3 linewidth 2 linecolor rgb blue title label[1], \
		'' using 1:5 pointtype 7 pointsize 0.2 linewidth 1 linecolor rgb '#222222' title label[4]
}
