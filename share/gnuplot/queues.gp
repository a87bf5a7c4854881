# queues.gp - how long queues were, over time. n series that always have a value, `depth` (0 or 1) that have one at times;
# label[], more that are not shown. $data: time, then a column each;
# top: the greatest.
set title title_of('Queue lengths'.(more ? sprintf(' (the longest; %d more)', more) : ''))
set ylabel 'entries'
set yrange [0:top > 0 ? top * 1.05 : 1]
plot for [i=1:n] $data using 1:(column(i + 1)) with lines linewidth 2 linecolor rgb colour[i] title label[i], \
	for [i=n + 1:n + depth] '' using 1:(column(i + 1)) with linespoints pointtype (ansi ? 4 : 7) \
		pointsize 0.7 linewidth 3 linecolor rgb grey title label[i]
