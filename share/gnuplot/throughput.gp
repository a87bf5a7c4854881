# throughput.gp - what happens a second, over time. $data: time, resumes, wakes, creates, ends; top: the greatest.
set title title_of('Throughput')
set ylabel 'events a second'
# One unit for all tics: as each has its own they are rounded, and 1000 and 1200 are both "1k".
kilos = top >= 1000 ? int(floor(log10(top) / 3 + 1e-9)) : 0
scale = 1000.0**kilos
set format y kilos ? '%g'.word('k M G T P E', kilos) : '%g'
set ytics add ('0' 0)
set yrange [0:top > 0 ? top * 1.05 / scale : 1]
plot $data using 1:($2 / scale) with lines linewidth 2 linecolor rgb blue title 'resumes', \
	'' using 1:($3 / scale) with lines linewidth 1.5 linecolor rgb orange title 'wakes', \
	'' using 1:($4 / scale) with lines linewidth 1.5 linecolor rgb green title 'creates', \
	'' using 1:($5 / scale) with lines linewidth 1.5 linecolor rgb red title 'ends'
